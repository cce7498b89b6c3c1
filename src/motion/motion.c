/* Connects the field with the steps of step.c: evaluates a stage into its row, lays out rows and
 * memory, and makes the end of a step the start of the next. See motion.h. */
#include "motion/motion.h"

#include <assert.h>
#include <string.h>

#include "compile/solved.h"
#include "motion/fast/fast.h"

/* ---- stages ---------------------------------------------------------------------------------- */

/* Selects the factorisation of a stage. A diagonal one is part of the stage's row. */
static void put_factor(sal_motion *motion, int stage)
{
    const saltus_system *system = motion->field.system;
    motion->field.factor = &motion->factors[stage];
    if (system->form == SAL_DIAGONAL && !system->mass_constant)
        motion->factors[stage].value = motion->step.row[stage] + motion->diagonal;
}

/* Evaluates a stage: k and g of its row. */
static int evaluate_stage(void *context, int stage, double t, double *row)
{
    sal_motion      *motion = context;
    sal_field_result result;
    put_factor(motion, stage);
    if (!sal_fast_evaluate(motion, stage, t, row, &result))
        result = sal_field_stage(&motion->field, t, row);
    if (result != SAL_FIELD_OK) motion->result = result;
    return result != SAL_FIELD_OK;
}

static bool take_fast(void *context, double h) { return sal_fast_take(context, h); }

static bool state_fast(const void *context, int stage, double *x)
{
    return sal_fast_state(context, stage, x);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Lists the columns of the tableau: the weights of each stage in the stages after it, and in the
 * end, which is treated as one more stage. */
static bool find_columns(sal_motion *motion, sal_arena *arena)
{
    const sal_tableau *tableau = motion->step.tableau;
    const int          S = tableau->stages_dense, s = motion->stages_differentiated;
    motion->column = ARENA_NEW(arena, s, sal_weights);
    int    *index = ARENA_NEW(arena, s * (s + 1), int);
    double *value = ARENA_NEW(arena, s * (s + 1), double);
    if (arena->failed) return false;
    for (int i = 0; i < s; i++) {
        motion->column[i] = (sal_weights){0, index, value};
        for (int j = s; j > i; j--) { /* a backward walk computes stage i + 1 last */
            const double weight = j < s ? tableau->A[j * S + i] : tableau->b[i];
            if (weight == 0.0) continue;
            *index++ = j;
            *value++ = weight;
            motion->column[i].count++;
        }
    }
    return true;
}

/* A row begins like u: t, q, v, a, mu. Integrands follow, then the values that solved kernels
 * monitor or a diagonal factorisation, for the tangent and the adjoint. */
static sal_row_form row_form(sal_motion *motion, const saltus_system *system)
{
    const int *at = system->layout.at;
    int        size = sal_row_monitor(system) + sal_solved_row(system);
    if (sal_solved_row(system) > 0) size += 3; /* monitored values are read in groups of four */
    motion->diagonal = size;
    if (system->form == SAL_DIAGONAL && !system->mass_constant) size += system->n;
    return (sal_row_form){at[SAL_LEAF_Q], at[SAL_LEAF_V], at[SAL_LEAF_C], (size + 7) / 8 * 8};
}

saltus_status sal_motion_init(sal_motion *motion, const saltus_system *system,
                              const sal_tableau *tableau, int max_lanes, sal_arena *arena,
                              saltus_error *err)
{
    const size_t S = (size_t)tableau->stages_dense, nx = 2 * (size_t)system->n;
    const size_t L = (size_t)max_lanes, nc = (size_t)system->nc, nmu = (size_t)system->nmu;
    memset(motion, 0, sizeof *motion);
    TRY(sal_field_init(&motion->field, system, arena, max_lanes, err));
    if (!sal_step_init(&motion->step, tableau, (int)nx, system->nc, row_form(motion, system),
                       arena))
        return sal_fail_memory(err);
    motion->step.rhs = evaluate_stage;
    static const sal_step_fast fast = {take_fast, state_fast};
    motion->step.fast = &fast;
    motion->step.context = motion;
    motion->stages_differentiated =
        tableau->end_stage < tableau->stages ? tableau->end_stage : tableau->stages;
    motion->factors = ARENA_NEW(arena, S + 1, sal_factor);
    motion->stages = motion->factors ? (int)S + 1 : 0;
    for (int i = 0; i < motion->stages; i++)
        sal_field_init_factor(&motion->factors[i], system,
                              system->mass_constant ? 0 : system->unknowns, arena);
    motion->dk_rows = ARENA_NEW(arena, (S + 1) * ((nx + nmu + nc) * L + SAL_ROW_ALIGNMENT), double);
    motion->end_bar = ARENA_NEW(arena, nx * L + 3, double);
    motion->slope = ARENA_NEW(arena, nx > nc ? nx : nc, double);
    motion->stage_bar = ARENA_NEW(arena, (S + 1) * (nx * L + 3), double); /* 3: whole fours */
    double *const seed = ARENA_NEW(arena, (nx / 2 + nx + nmu + nc) * L + 3, double);
    motion->seed = seed ? seed + nx / 2 * L : NULL;
    motion->fast = sal_fast_new(motion, arena);
    return find_columns(motion, arena) && motion->fast ? SALTUS_OK : sal_fail_memory(err);
}

void sal_motion_release(sal_motion *motion)
{
    for (int i = 0; i < motion->stages; i++) sal_factor_release(&motion->factors[i]);
    sal_field_release(&motion->field);
}

bool sal_tangent_init(sal_tangent *tangent, const saltus_system *system, int lanes,
                      sal_arena *arena)
{
    *tangent = (sal_tangent){.lanes = lanes,
                             .dt = ARENA_NEW(arena, lanes, double),
                             .dx = ARENA_NEW(arena, 2 * system->n * lanes, double),
                             .dz = ARENA_NEW(arena, system->nc * lanes, double),
                             .du = ARENA_NEW(arena, system->layout.size * lanes, double)};
    return !arena->failed;
}

bool sal_adjoint_init(sal_adjoint *adjoint, const saltus_system *system, int lanes,
                      sal_arena *arena)
{
    const int size = system->layout.size * lanes + 3; /* whole fours */
    *adjoint = (sal_adjoint){.lanes = lanes,
                             .t_bar = ARENA_NEW(arena, lanes, double),
                             .x_bar = ARENA_NEW(arena, 2 * system->n * lanes + 3, double),
                             .z_bar = ARENA_NEW(arena, system->nc * lanes, double),
                             .u_bar = ARENA_NEW(arena, size, double)};
    return !arena->failed;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void put_integrals(sal_step *step, const double *z)
{
    if (step->ng) memcpy(step->z0, z, (size_t)step->ng * sizeof *z);
}

int sal_motion_retake(sal_motion *motion, double t, const double *x, const double *z, double h)
{
    sal_step *step = &motion->step;
    step->computed = 0;
    sal_fast_retake(motion);
    memcpy(step->x0, x, (size_t)step->nx * sizeof *x);
    put_integrals(step, z);
    const int bad = sal_step_first(step, t);
    return bad ? bad : sal_step_take(step, h);
}

static void swap_factors(sal_factor *a, sal_factor *b)
{
    const sal_factor kept = *a;
    *a = *b;
    *b = kept;
}

void sal_motion_advance(sal_motion *motion)
{
    const int  end = motion->step.tableau->end_stage;
    const bool by_solved = motion->factors[end].by_solved;
    motion->step.filled = sal_field_row_length(&motion->field, motion->step.form.size);
    sal_step_advance(&motion->step);
    if (!by_solved) swap_factors(&motion->factors[0], &motion->factors[end]);
    motion->factors[0].by_solved = by_solved;
}

bool sal_motion_begin(sal_motion *motion, const sal_field *evaluated, double t, const double *z)
{
    sal_step *step = &motion->step;
    if (!evaluated->factor->by_solved) return false;
    step->filled = sal_field_row_length(&motion->field, step->form.size);
    sal_step_begin(step, t, evaluated->row, evaluated->solved->row);
    memcpy(step->z0, z, (size_t)step->ng * sizeof *z);
    motion->factors[0].by_solved = true;
    return true;
}

const double *sal_motion_positions(const sal_motion *motion, int stage)
{
    const double *row = sal_fast_row(motion, stage);
    return (row ? row : motion->step.row[stage]) + motion->step.form.x;
}

const double *sal_motion_last_row(const sal_motion *motion)
{
    return motion->fast->kept ? NULL : motion->field.state;
}

void sal_motion_pivot_ranges(const sal_motion *motion, int count, double *low, double *high)
{
    const sal_step *step = &motion->step;
    const int       end = step->tableau->end_stage, stages = step->tableau->stages;
    if (sal_fast_pivot_ranges(motion, count, low, high)) return;
    step->sums->min_max(count, 1, end < stages ? stages : end + 1, step->row,
                        sal_row_pivots(motion->field.system), low, high);
}

sal_field_result sal_motion_eval(sal_motion *motion, double t, const double *x, double *k,
                                 double *g)
{
    motion->field.factor = &motion->field.own;
    return sal_field_eval(&motion->field, t, x, k, g);
}

void sal_motion_restore(sal_motion *motion, int stage)
{
    put_factor(motion, stage);
    sal_field_restore(&motion->field, motion->step.row[stage]);
}
