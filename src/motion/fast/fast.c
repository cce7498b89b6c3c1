/* Prepares the faster ways that a model has: native steps, and the Nystrom form if its terms are
 * not compiled as one program. See fast.h. */
#include "motion/fast/fast.h"

#include "motion/fast/nystrom.h"

sal_fast *sal_fast_new(const sal_motion *motion, sal_arena *arena)
{
    const saltus_system *system = motion->field.system;
    sal_fast            *fast = ARENA_NEW(arena, 1, sal_fast);
    if (!fast || !sal_native_step_init(fast, motion, arena)) return NULL;
    fast->sums = sal_vector_sums_get();
    if (system->flat) return fast;
    fast->nystrom =
        sal_nystrom_new(system, motion->step.tableau, motion->stages_differentiated, arena);
    return fast->nystrom ? fast : NULL;
}

void sal_motion_expect_derivatives(sal_motion *motion, bool of_every_step)
{
    motion->fast->observed = of_every_step;
}

bool sal_fast_adjoint(sal_motion *motion, sal_adjoint *adjoint)
{
    if (motion->fast->off || !motion->fast->nystrom) return false;
    sal_nystrom_adjoint(motion, adjoint);
    return true;
}
