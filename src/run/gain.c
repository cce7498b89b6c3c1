/* Energy that an impact adds: see gain.h. */
#include "run/gain.h"

#include <math.h>

#include "run/outcome.h"

/* Rates of all constraints, and the kinetic energy, with these velocities at the state after. */
static double look(saltus_run *run, const sal_occurrence *o, const double *v, double *rates)
{
    const saltus_system *system = run->system;
    const sal_field     *field = &run->jump.after;
    double              *u = SCRATCH_NEW(&run->scratch, system->layout.size, double);
    double               parts[2] = {0.0, 0.0};
    sal_copy(u, field->u, system->layout.size);
    sal_copy(u + system->layout.at[SAL_LEAF_V], v, system->n);
    sal_map_value(&system->phi_dot, u, rates, field->work);
    sal_kernel_eval(&o->to->energy, u, NULL, 1, parts, field->work);
    sal_scratch_release(&run->scratch, u);
    return parts[0];
}

void sal_gain_warn(saltus_run *run, const sal_occurrence *o)
{
    const saltus_system *system = run->system;
    const int            nmu = system->nmu;
    const double        *impulse = sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU);
    if (!o->impact || run->replaying || (run->warned[o->event] & SAL_WARNED_GAIN)) return;
    double      *rates = SCRATCH_NEW(&run->scratch, 2 * nmu, double), gain = 0.0, size = 0.0;
    const double before = look(run, o, sal_u(run->jump.before, SAL_LEAF_V_LAW), rates);
    const double after = look(run, o, run->after.x + system->n, rates + nmu);
    /* relative to what is touched: a wall that moves may well add energy */
    for (int j = 0; j < nmu; j++) {
        const double power = o->impact->loaded[j] ? impulse[j] : 0.0;
        gain -= 0.5 * power * (rates[j] + rates[nmu + j]);
        size += 0.5 * fabs(power) * (fabs(rates[j]) + fabs(rates[nmu + j]));
    }
    sal_scratch_release(&run->scratch, rates);
    if (gain <= 1e-9 * size) return;
    run->warned[o->event] |= SAL_WARNED_GAIN;
    sal_run_warn(
        run,
        "event '%s' at t = %.10g adds an energy of %.3g: friction and restitution together "
        "turn a kinetic energy of %.6g into %.6g; less of either avoids it",
        system->event[o->event].name, o->t, gain, before, after);
}
