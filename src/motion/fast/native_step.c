/* Takes a whole step of a small model by compiled code, all stages in one call; declines if a stage
 * leaves the limits within which its solved kernel can be trusted. */
#include <math.h>
#include <string.h>

#include "compile/solved.h"
#include "motion/fast/fast.h"

/* ---- planning ------------------------------------------------------------------------------- */

static sal_placed_list placed(const sal_weights *w, int size, int k, sal_arena *arena)
{
    sal_placed *term = ARENA_NEW(arena, w->count, sal_placed);
    for (int m = 0; term && m < w->count; m++)
        term[m] = (sal_placed){w->value[m], w->index[m] * size + k};
    return (sal_placed_list){w->count, term};
}

bool sal_native_step_init(sal_fast *fast, const sal_motion *motion, sal_arena *arena)
{
    const sal_step      *step = &motion->step;
    const sal_tableau   *tableau = step->tableau;
    const saltus_system *system = motion->field.system;
    const int           *at = system->layout.at, size = step->form.size, k = step->form.k;
    sal_placed_list     *A = ARENA_NEW(arena, tableau->stages, sal_placed_list);
    if (!A) return false;
    for (int i = 0; i < tableau->stages; i++) A[i] = placed(&step->A[i], size, k, arena);
    fast->low = ARENA_NEW(arena, system->unknowns + 8, double);
    fast->high = ARENA_NEW(arena, system->unknowns + 8, double);
    if (arena->failed) return false;
    fast->native_step =
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

static sal_code code_of(const sal_kernel *kernel)
{
    return atomic_load_explicit(&kernel->part->code, memory_order_acquire);
}

/* Finds the compiled code that evaluates stages, and the end of a step. complete: the code for
 * stages must compute everything that derivatives need, not only accelerations and integrands.
 * False: there is none. */
static bool find_codes(sal_field *field, bool complete, sal_code *stage, sal_code *end)
{
    const sal_solved *solved = field->solved;
    if (!solved) return false;
    sal_field_prepare(field);
    *end = code_of(&solved->complete);
    *stage = complete || solved->stage.parts == 0 ? *end : code_of(&solved->stage);
    return *stage && *end;
}

/* Whether the values that solved kernels monitor are within their limits in all stages. */
static bool is_trusted(sal_motion *motion)
{
    const sal_field  *field = &motion->field;
    const sal_solved *solved = field->solved;
    const sal_step   *step = &motion->step;
    const int         end = step->tableau->end_stage, stages = step->tableau->stages;
    const int         at = sal_row_monitor(field->system);
    double           *low = motion->fast->low, *high = motion->fast->high;
    const int         first = sal_row_positives(field->system, solved) - at;
    const int         count = first + solved->positives;
    if (solved->trusted) return true;
    step->sums->min_max(count, 1, end < stages ? stages : end + 1, step->row, at, low, high);
    motion->fast->ranged = true;
    if (!(high[0] < solved->limit)) return false;
    for (int i = 0; i < solved->positives; i++)
        if (!(low[first + i] > 0.0)) return false;
    return true;
}

bool sal_fast_take(sal_motion *motion, double h)
{
    sal_step        *step = &motion->step;
    sal_native_step *all = &motion->fast->native_step;
    const int        end = step->tableau->end_stage;
    motion->fast->ranged = false;
    if (motion->fast->off) return false;
    const bool complete = motion->fast->differentiated || motion->fast->observed;
    if (!find_codes(&motion->field, complete, &all->code, &all->end_code)) return false;
    if (!motion->fast->sums->native_step(all, &step->ends, step->t, h, step->row[0], step->row[end],
                                         step->sizes) ||
        !is_trusted(motion))
        return false;
    motion->field.evaluations += all->stages - !all->has_extra_end_stage;
    for (int i = 1; i < all->stages; i++) motion->factors[i].by_solved = true;
    motion->factors[end].by_solved = true;
    sal_step_integrate(step);
    sal_step_ended(step);
    return true;
}

bool sal_fast_pivot_ranges(const sal_motion *motion, int count, double *low, double *high)
{
    const sal_fast *fast = motion->fast;
    const int first = sal_row_pivots(motion->field.system) - sal_row_monitor(motion->field.system);
    if (!fast->ranged) return false;
    sal_copy(low, fast->low + first, count);
    sal_copy(high, fast->high + first, count);
    return true;
}
