/* A step of a small model by compiled code, all stages in one call, and its tangents with it. */
#include <math.h>
#include <string.h>

#include "compile/solved.h"
#include "motion/motion.h"

/* ---- planning ------------------------------------------------------------------------------- */

static sal_placed_list placed(const sal_weights *w, int size, int k, sal_arena *arena)
{
    sal_placed *term = ARENA_NEW(arena, w->count, sal_placed);
    for (int m = 0; term && m < w->count; m++)
        term[m] = (sal_placed){w->value[m], w->index[m] * size + k};
    return (sal_placed_list){w->count, term};
}

bool sal_native_step_init(sal_motion *motion, sal_arena *arena)
{
    const sal_step      *step = &motion->step;
    const sal_tableau   *tableau = step->tableau;
    const saltus_system *system = motion->field.system;
    const int           *at = system->layout.at, size = step->form.size, k = step->form.k;
    sal_placed_list     *A = ARENA_NEW(arena, tableau->stages, sal_placed_list);
    if (!A) return false;
    for (int i = 0; i < tableau->stages; i++) A[i] = placed(&step->A[i], size, k, arena);
    motion->fast.low = ARENA_NEW(arena, system->nx + 8, double);
    motion->fast.high = ARENA_NEW(arena, system->nx + 8, double);
    motion->fast.simultaneous.dz = ARENA_NEW(arena, system->nc * motion->max_lanes, double);
    if (arena->failed) return false;
    motion->fast.native_step =
        (sal_native_step){.uniform = motion->field.u,
                          .stages = tableau->stages,
                          .size = size,
                          .nx = step->nx,
                          .t = at[SAL_LEAF_T],
                          .x = step->form.x,
                          .k = k,
                          .at = at[SAL_LEAF_A],
                          .g = step->form.g,
                          .n = system->n,
                          .ng = step->ng,
                          .c = tableau->c,
                          .A = A,
                          .b = placed(&step->b, size, k, arena),
                          .has_extra_end_stage = tableau->end_stage >= tableau->stages};
    return !arena->failed;
}

/* ---- the step ------------------------------------------------------------------------------- */

/* Whether what the kernels monitor is within its limits in all stages. */
static bool is_trusted(sal_motion *motion)
{
    const sal_field  *field = &motion->field;
    const sal_solved *solved = field->solved;
    const sal_step   *step = &motion->step;
    const int         end = step->tableau->end_stage, stages = step->tableau->stages;
    const int         at = field->system->layout.at[SAL_LEAF_C] + field->system->nc;
    double           *low = motion->fast.low, *high = motion->fast.high;
    const int         first = 1 + solved->pivots, count = first + solved->positives;
    if (solved->trusted) return true;
    step->sums->min_max(count, 1, end < stages ? stages : end + 1, step->row, at, low, high);
    if (!(high[0] < solved->limit)) return false;
    for (int i = 0; i < solved->positives; i++)
        if (!(low[first + i] > 0.0)) return false;
    return true;
}

/* The plan of tangents that are computed with the step; NULL: none are, or there is no code. */
static const sal_native_stages_with_tangent *plan_tangents(sal_motion *motion)
{
    sal_simultaneous               *s = &motion->fast.simultaneous;
    sal_native_stages_with_tangent *plan = &s->stages;
    if (!s->tangent || s->doubts) return NULL;
    plan->both = sal_field_along_code(&motion->field, plan->lanes);
    if (!plan->both) return NULL;
    plan->dk = sal_motion_dk(motion, plan->lanes);
    if (!plan->known && !motion->factors[0].by_solved) return NULL;
    if (!plan->known) /* an event may have left another time there */
        memcpy(sal_lanes_at(motion->field.system, plan->du, plan->lanes, SAL_LEAF_T),
               s->tangent->dt, (size_t)plan->lanes * sizeof(double));
    return plan;
}

bool sal_fast_take(sal_motion *motion, double h)
{
    sal_step         *step = &motion->step;
    sal_native_step  *all = &motion->fast.native_step;
    sal_simultaneous *s = &motion->fast.simultaneous;
    const int         end = step->tableau->end_stage;
    s->taken = motion->fast.range_known = false;
    if (motion->fast.off) return false;
    const bool complete = motion->fast.differentiated || s->tangent;
    if (!sal_field_codes(&motion->field, complete, &all->code, &all->end_code)) return false;
    const sal_native_stages_with_tangent *tangents = plan_tangents(motion);
    const bool good = step->sums->native_step(all, &step->ends, step->t, h, step->row[0],
                                              step->row[end], tangents, step->sizes) &&
                      is_trusted(motion);
    s->doubts = !good;
    if (!good) return false;
    s->taken = tangents != NULL;
    motion->fast.range_known = true;
    motion->field.evaluations += all->stages - !all->has_extra_end_stage;
    for (int i = 1; i < all->stages; i++) motion->factors[i].by_solved = true;
    motion->factors[end].by_solved = true;
    sal_step_integrate(step);
    sal_step_ended(step);
    return true;
}

void sal_fast_differentiate(sal_motion *motion) { motion->fast.differentiated = true; }

bool sal_motion_pivot_range(const sal_motion *motion, const double **low, const double **high)
{
    *low = motion->fast.low + 1; /* after the monitor */
    *high = motion->fast.high + 1;
    return motion->fast.range_known;
}

/* ---- tangents with the step ----------------------------------------------------------------- */

void sal_motion_attach_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    sal_simultaneous    *s = &motion->fast.simultaneous;
    s->tangent = tangent;
    if (!tangent) return;
    const int lanes = tangent->lanes;
    s->doubts = s->taken = false;
    s->stages =
        (sal_native_stages_with_tangent){.lanes = lanes,
                                         .n = system->n,
                                         .g = (step->nx + system->nmu) * lanes,
                                         .ng = step->ng,
                                         .dx = tangent->dx,
                                         .dz = tangent->dz,
                                         .A = step->A,
                                         .b = &step->b,
                                         .dk = sal_motion_dk(motion, lanes),
                                         .end = step->tableau->end_stage,
                                         .du = tangent->du,
                                         .dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q),
                                         .dz_at_end = s->dz};
}

bool sal_fast_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const sal_step         *step = &motion->step;
    const sal_simultaneous *s = &motion->fast.simultaneous;
    const size_t            bytes = (size_t)tangent->lanes * sizeof(double);
    if (!s->taken || s->tangent != tangent) return false;
    memcpy(tangent->dx, s->stages.dX, (size_t)step->nx * bytes);
    memcpy(tangent->dz, s->dz, (size_t)step->ng * bytes);
    return true;
}

void sal_fast_begun(sal_motion *motion) { motion->fast.simultaneous.stages.known = false; }

/* The tangent of the end stage is that of the first stage from now on. */
void sal_fast_advanced(sal_motion *motion)
{
    sal_simultaneous *s = &motion->fast.simultaneous;
    const int         end = motion->step.tableau->end_stage;
    s->stages.known = s->taken && motion->step.delta == 0.0;
    s->taken = false;
    if (!s->stages.known) return;
    double *const first = motion->dk[0];
    motion->dk[0] = motion->dk[end];
    motion->dk[end] = first;
}
