/* The adjoint of a step of a small model by compiled code, all stages in one call. */
#include <string.h>

#include "motion/motion.h"

bool sal_native_adjoint_init(sal_motion *motion, sal_arena *arena)
{
    const saltus_system *system = motion->field.system;
    const int           *at = system->layout.at, lanes = motion->max_lanes;
    const int            s = motion->stages_differentiated, half = system->n * lanes;
    const int            numbers = 3 * half + (system->nmu + system->nc) * lanes + 3;
    double              *room = ARENA_NEW(arena, numbers, double);
    motion->fast.native_adjoint = (sal_native_adjoint){.uniform = motion->field.u,
                                                       .stages = s,
                                                       .n = system->n,
                                                       .nmu = system->nmu,
                                                       .ng = system->nc,
                                                       .t = at[SAL_LEAF_T],
                                                       .q = at[SAL_LEAF_Q],
                                                       .b = motion->step.tableau->b,
                                                       .column = motion->column,
                                                       .bar = ARENA_NEW(arena, s + 1, double *),
                                                       .seed = room ? room + half : NULL};
    motion->fast.bars = ARENA_NEW(arena, (s + 1) * (2 * half + 3), double);
    return !arena->failed;
}

static void lay_out(sal_native_adjoint *all, double *bars, int lanes)
{
    const size_t room = (size_t)(2 * all->n * lanes + 3) / 4 * 4;
    for (int i = 0; i <= all->stages; i++) all->bar[i] = bars + (size_t)i * room;
    all->lanes = lanes;
}

/* Whether all stages were evaluated by solved kernels. */
static bool is_solved(const sal_motion *motion)
{
    for (int i = 0; i < motion->stages_differentiated; i++)
        if (!motion->factors[i].by_solved) return false;
    return true;
}

bool sal_native_adjoint_take(sal_motion *motion, sal_adjoint *adjoint)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    sal_native_adjoint  *all = &motion->fast.native_adjoint;
    if (all->lanes != adjoint->lanes) lay_out(all, motion->fast.bars, adjoint->lanes);
    all->code = sal_field_adjoint_code(&motion->field, adjoint->lanes);
    if (!all->code || !is_solved(motion)) return false;
    step->sums->native_adjoint(all, step->h, step->row, adjoint->x_bar, adjoint->z_bar,
                               adjoint->t_bar, adjoint->u_bar);
    memset(sal_lanes_at(system, adjoint->u_bar, adjoint->lanes, SAL_LEAF_A), 0,
           (size_t)(system->nx * adjoint->lanes) * sizeof(double));
    return true;
}
