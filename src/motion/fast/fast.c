/* Prepares the faster ways that a model has: native steps, and the Nystrom form if its terms are
 * not compiled as one program. See fast.h. */
#include "motion/fast/fast.h"

#include "motion/fast/nystrom.h"

bool sal_fast_init(sal_motion *motion, sal_arena *arena)
{
    const saltus_system *system = motion->field.system;
    if (!system->flat) {
        motion->fast.nystrom =
            sal_nystrom_new(system, motion->step.tableau, motion->stages_differentiated, arena);
        if (!motion->fast.nystrom) return false;
    }
    return sal_native_step_init(motion, arena);
}

bool sal_fast_adjoint(sal_motion *motion, sal_adjoint *adjoint)
{
    if (motion->fast.off || !motion->fast.nystrom) return false;
    sal_nystrom_adjoint(motion, adjoint);
    return true;
}
