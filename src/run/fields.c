/* Puts parameters and the numbers of the formulation into all fields of a run, memories into those
 * of the motion and the locator, and enters regimes: see fields.h. */
#include "run/fields.h"

/* The numbers of the formulation of constraints, index 1 or penalty: sensitivities.md (2). */
static void put_formulation(const saltus_run *run, sal_field *field)
{
    const saltus_options *o = &run->options;
    const bool            penalty = o->formulation == SALTUS_PENALTY;
    const double          own = penalty ? 10.0 : run->refine.omega;
    const double          omega = o->omega > 0.0 ? o->omega : own;
    double               *solver = sal_u(field, SAL_LEAF_SOLVER);
    solver[SAL_SOLVER_DAMPING] = 2.0 * o->xi * omega;
    solver[SAL_SOLVER_STIFFNESS] = omega * omega;
    solver[SAL_SOLVER_REST_SPEED] = o->rest_speed;
    for (int j = 0; j < run->system->nmu; j++) {
        const double alpha = run->system->model->constraints.data[j].alpha;
        sal_u(field, SAL_LEAF_SOFTNESS)[j] = penalty ? 1.0 / (alpha > 0.0 ? alpha : o->alpha) : 0.0;
    }
}

void sal_run_put_params(saltus_run *run)
{
    for (int i = 0; i < run->field_count; i++) {
        put_formulation(run, run->fields[i]);
        sal_copy(sal_u(run->fields[i], SAL_LEAF_P), run->params, run->system->np);
    }
    sal_field_leave(&run->jump.after);
    sal_field_leave(&run->contacts.field);
}

void sal_run_put_memories(saltus_run *run, const double *c)
{
    sal_copy(sal_u(&run->motion.field, SAL_LEAF_C), c, run->system->nm);
    sal_copy(sal_u(&run->locator.field, SAL_LEAF_C), c, run->system->nm);
}

saltus_status sal_run_enter(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    TRY(sal_field_enter(&run->motion.field, regime, err));
    return sal_field_enter(&run->locator.field, regime, err);
}

saltus_status sal_run_enter_after(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    if (run->jump.after.regime != regime) TRY(sal_field_enter(&run->jump.after, regime, err));
    TRY(sal_field_reserve(&run->motion.field, regime->slots, err));
    return sal_field_reserve(&run->locator.field, regime->slots, err);
}

void sal_run_restart_steps(saltus_run *run)
{
    run->stepping.primed = false;
    run->history.entered = NULL;
    run->motion.step.computed = 0;
    sal_locator_forget(&run->locator);
}
