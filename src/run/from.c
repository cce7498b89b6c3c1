/* Decides in which regime a run begins, and simulates with its shadow, a second run, from a state
 * in one regime and without events: see from.h. */
#include "run/from.h"

#include "run/assembly.h"

const sal_regime *sal_run_first_regime(saltus_run *run, saltus_error *err)
{
    return run->from.given ? run->from.regime : sal_assembly_regime(run, err);
}

saltus_status sal_shadow_follow(saltus_run *run, const sal_regime *regime, double t,
                                const double *x, const double *c, double t_end, saltus_error *err)
{
    const saltus_system *system = run->system;
    if (!run->shadow) run->shadow = sal_run_make_for(run, &run->options, err);
    if (!run->shadow) return err->status;
    saltus_run *shadow = run->shadow;
    /* a motion that does not happen may lead to where steps are very short */
    const long long enough = 256 + 4 * run->outcome.info.steps;
    shadow->options.max_steps = enough < run->options.max_steps ? enough : run->options.max_steps;
    shadow->from.given = shadow->from.memories = shadow->from.ignores_events = true;
    shadow->from.assembled = false;
    shadow->from.t = t;
    shadow->from.t_end = t_end;
    shadow->from.regime = regime;
    sal_copy(shadow->from.x, x, 2 * system->n);
    sal_copy(shadow->from.c, c, system->nm);
    sal_copy(shadow->params, run->params, system->np);
    sal_run_forget(shadow);
    return sal_run_simulate(shadow, err);
}
