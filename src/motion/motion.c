/* A step of the motion with its tangent and adjoint: see motion.h. */
#include "motion/motion.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "compile/solved.h"
#include "motion/fast/nystrom.h"

/* ---- value ---------------------------------------------------------------------------------- */

/* A diagonal factorisation is part of the row. */
static void put_factor(sal_motion *motion, int stage)
{
    const saltus_system *system = motion->field.system;
    motion->field.factor = &motion->factors[stage];
    if (motion->by_solved && stage < motion->step.tableau->stages)
        motion->field.factor->by_solved = true;
    if (system->form == SAL_DIAGONAL && !system->mass_constant)
        motion->factors[stage].value = motion->step.row[stage] + motion->diagonal;
}

static int evaluate_stage(void *context, int stage, double t, double *row)
{
    sal_motion *motion = context;
    if (stage == 0) motion->along.stages.known = false;
    put_factor(motion, stage);
    double                *state = motion->wide ? sal_nystrom_row(&motion->step, stage) : row;
    const sal_field_result result = state == row
                                        ? sal_field_stage(&motion->field, t, row)
                                        : sal_field_stage_at(&motion->field, t, state, row);
    if (result != SAL_FIELD_OK) motion->result = result;
    return result != SAL_FIELD_OK;
}

/* Whether all that the kernels say of stages is good. */
static bool trusted(sal_motion *motion)
{
    const sal_field  *field = &motion->field;
    const sal_solved *solved = field->solved;
    const sal_step   *step = &motion->step;
    const int         end = step->tableau->end_stage, stages = step->tableau->stages;
    const int         at = field->system->layout.at[SAL_LEAF_C] + field->system->nc;
    double           *low = motion->low, *high = motion->high;
    const int         first = 1 + solved->pivots, count = first + solved->positives;
    if (solved->trusted) return true;
    step->sums->min_max(count, 1, end < stages ? stages : end + 1, step->row, at, low, high);
    if (!(high[0] < solved->limit)) return false;
    for (int i = 0; i < solved->positives; i++)
        if (!(low[first + i] > 0.0)) return false;
    return true;
}

/* A row of tangents: dv, da, dmu, dg; of whole lines of a cache. */
static double *dk_of(const sal_motion *motion, int stage, int lanes)
{
    const int numbers = (motion->step.nx + motion->field.system->nmu + motion->step.ng) * lanes;
    const int lines = (numbers + SAL_ROW_ALIGNMENT - 1) / SAL_ROW_ALIGNMENT;
    return motion->dk + (size_t)stage * (size_t)(lines * SAL_ROW_ALIGNMENT);
}

/* The plan of tangents that go along; NULL: they do not, or there is no code for both. */
static const sal_native_stages_with_tangent *plan_along(sal_motion *motion)
{
    sal_simultaneous               *along = &motion->along;
    sal_native_stages_with_tangent *plan = &along->stages;
    sal_code                        code[2];
    if (!along->tangent || along->waits || along->doubts ||
        !(plan->known || motion->factors[0].by_solved) ||
        !sal_field_along_codes(&motion->field, plan->lanes, code))
        return NULL;
    plan->first = code[0];
    plan->both = code[1];
    if (!plan->known) /* an event may have left something else there */
        memcpy(sal_lanes_at(motion->field.system, plan->du, plan->lanes, SAL_LEAF_T),
               along->tangent->dt, (size_t)plan->lanes * sizeof(double));
    return plan;
}

/* In haste only, where the step's error is looked at. */
static bool take_native_step(void *context, double h)
{
    sal_motion      *motion = context;
    sal_field       *field = &motion->field;
    sal_step        *step = &motion->step;
    sal_native_step *all = &motion->native_step;
    motion->by_solved = motion->along.taken = motion->min_max_known = false;
    if (!field->check_at_end) return false;
    all->code = sal_field_code(field);
    if (!all->code) return false;
    const sal_native_stages_with_tangent *along = plan_along(motion);
    const bool                            good =
        step->sums->native_step(all, &step->ends, step->t, h, step->row[0],
                                step->row[step->tableau->end_stage], along, step->sizes) &&
        trusted(motion);
    motion->along.doubts = !good;
    if (!good) return false;
    motion->along.taken = along != NULL;
    motion->min_max_known = true;
    field->evaluations += all->stages - !all->has_extra_end_stage;
    motion->by_solved = motion->factors[0].by_solved;
    for (int i = 1; i < all->stages && !motion->by_solved; i++) motion->factors[i].by_solved = true;
    motion->factors[step->tableau->end_stage].by_solved = true;
    return true;
}

static sal_placed_list placed(const sal_weights *w, int size, int k, sal_arena *arena)
{
    sal_placed *term = ARENA_NEW(arena, w->count, sal_placed);
    for (int m = 0; term && m < w->count; m++)
        term[m] = (sal_placed){w->value[m], w->index[m] * size + k};
    return (sal_placed_list){w->count, term};
}

/* What a native step needs and does not change. */
static bool plan_native_step(sal_motion *motion, sal_arena *arena)
{
    const sal_step      *step = &motion->step;
    const sal_tableau   *tableau = step->tableau;
    const saltus_system *system = motion->field.system;
    const int           *at = system->layout.at, size = step->form.size, k = step->form.k;
    sal_placed_list     *A = ARENA_NEW(arena, tableau->stages, sal_placed_list);
    if (!A) return false;
    for (int i = 0; i < tableau->stages; i++) A[i] = placed(&step->A[i], size, k, arena);
    if (arena->failed) return false;
    motion->native_step =
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
    return true;
}

/* The transposed tableau: what a stage flows into, the stages behind it (by number) and the end (as
 * if it were one more stage). */
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
        for (int j = s; j > i; j--) { /* what is known last comes last */
            const double weight = j < s ? tableau->A[j * S + i] : tableau->b[i];
            if (weight == 0.0) continue;
            *index++ = j;
            *value++ = weight;
            motion->column[i].count++;
        }
    }
    return true;
}

/* A row begins like u: t, q, v, a, mu. Integrands follow, and what kernels or a factorisation leave
 * for the tangent and the adjoint. */
static sal_row_form row_form(sal_motion *motion, const saltus_system *system)
{
    const int *at = system->layout.at;
    int        size = at[SAL_LEAF_C] + system->nc + sal_solved_row(system);
    if (sal_solved_row(system) > 0) size += 3; /* what kernels say is read four by four */
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
    motion->step.native_step = take_native_step;
    motion->step.context = motion;
    motion->max_lanes = max_lanes;
    motion->stages_differentiated =
        tableau->end_stage < tableau->stages ? tableau->end_stage : tableau->stages;
    motion->factors = ARENA_NEW(arena, S + 1, sal_factor);
    motion->stages = motion->factors ? (int)S + 1 : 0;
    for (int i = 0; i < motion->stages; i++)
        sal_factor_init(&motion->factors[i], system->form, system->mass_constant ? 0 : system->nx,
                        arena);
    motion->dk = ARENA_NEW(arena, (S + 1) * ((nx + nmu + nc) * L + SAL_ROW_ALIGNMENT), double);
    motion->end = ARENA_NEW(arena, nx * L, double);
    motion->along.dz = ARENA_NEW(arena, nc * L, double);
    motion->slope = ARENA_NEW(arena, nx > nc ? nx : nc, double);
    motion->low = ARENA_NEW(arena, system->nx + 8, double);
    motion->high = ARENA_NEW(arena, system->nx + 8, double);
    motion->stage_bar = ARENA_NEW(arena, (S + 1) * nx * L, double);
    if (!system->flat)
        motion->wide = motion->step.wide =
            sal_nystrom_new(system, tableau, motion->stages_differentiated, arena);
    motion->seed = ARENA_NEW(arena, (nx + nmu + nc) * L, double);
    return find_columns(motion, arena) && plan_native_step(motion, arena) ? SALTUS_OK
                                                                          : sal_fail_memory(err);
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
    *adjoint = (sal_adjoint){.lanes = lanes,
                             .t_bar = ARENA_NEW(arena, lanes, double),
                             .x_bar = ARENA_NEW(arena, 2 * system->n * lanes, double),
                             .z_bar = ARENA_NEW(arena, system->nc * lanes, double),
                             .u_bar = ARENA_NEW(arena, system->layout.size * lanes, double)};
    return !arena->failed;
}

static void put_integrals(sal_step *step, const double *z)
{
    if (step->ng) memcpy(step->z0, z, (size_t)step->ng * sizeof *z);
}

int sal_motion_retake(sal_motion *motion, double t, const double *x, const double *z, double h)
{
    sal_step *step = &motion->step;
    step->computed = 0;
    step->kept = NULL;
    sal_step_place(step, NULL, NULL);
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

/* The tangent of the end is that of the first stage from now on. */
static void advance_along(sal_simultaneous *along)
{
    const int     end = along->stages.end;
    double *const first = along->dk[0];
    along->stages.known = along->taken;
    if (!along->taken) return;
    along->dk[0] = along->dk[end];
    along->dk[end] = first;
    along->taken = false;
}

void sal_motion_advance(sal_motion *motion)
{
    const int end = motion->step.tableau->end_stage;
    advance_along(&motion->along);
    motion->step.filled = sal_field_row(&motion->field, motion->step.form.size);
    sal_step_advance(&motion->step);
    const bool written =
        motion->factors[end].by_solved || (motion->by_solved && end < motion->step.tableau->stages);
    if (!written) swap_factors(&motion->factors[0], &motion->factors[end]);
    motion->factors[0].by_solved = written;
    motion->by_solved = false;
}

bool sal_motion_begin(sal_motion *motion, const sal_field *evaluated, double t, const double *z)
{
    sal_step *step = &motion->step;
    if (!evaluated->factor->by_solved) return false;
    step->filled = sal_field_row(&motion->field, step->form.size);
    sal_step_begin(step, t, evaluated->row, evaluated->solved->row);
    memcpy(step->z0, z, (size_t)step->ng * sizeof *z);
    motion->by_solved = motion->along.stages.known = false;
    motion->factors[0].by_solved = true;
    return true;
}

sal_rows_kept sal_motion_keeps(const sal_motion *motion)
{
    const saltus_system *system = motion->field.system;
    int                  written = 0;
    if (motion->by_solved) return SAL_ROWS_SOLVED;
    for (int i = 0; i < motion->step.tableau->stages; i++) written += motion->factors[i].by_solved;
    if (written == motion->step.tableau->stages) return SAL_ROWS_SOLVED;
    return written == 0 && (system->form == SAL_DIAGONAL || system->mass_constant)
               ? SAL_ROWS_CONSTANT_MASS
               : SAL_ROWS_NONE;
}

void sal_motion_load(sal_motion *motion, sal_rows_kept kept, double *rows, double t,
                     const double *z, double h)
{
    sal_step *step = &motion->step;
    sal_step_retain(step, rows, t, h);
    put_integrals(step, z);
    motion->by_solved = kept == SAL_ROWS_SOLVED;
    for (int i = 0; i < step->tableau->stages && !motion->by_solved; i++)
        motion->factors[i].by_solved = false;
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

/* ---- tangent -------------------------------------------------------------------------------- */

/* Rows of tangents of all stages. */
static void find_rows(const sal_motion *motion, int lanes, double **dk)
{
    const int stages = motion->step.tableau->stages_dense;
    for (int i = 0; i < stages; i++) dk[i] = dk_of(motion, i, lanes);
}

/* out += dh * (sum_m weight_m k_m), of `count` numbers of a row from `at` on. */
static void add_lengths(const sal_motion *motion, int lanes, const double *dh, const sal_weights *w,
                        int count, int at, double *out)
{
    const sal_step *step = &motion->step;
    if (!dh) return;
    step->sums->gather(count, NULL, 1.0, w, step->row, at, motion->slope);
    for (int i = 0; i < count; i++)
        for (int l = 0; l < lanes; l++) out[i * lanes + l] += dh[l] * motion->slope[i];
}

/* out = start + dh * (slope) + h * sum_m weight_m dk_m; slope is the sum with k_m. start may be
 * out.
 */
static void combine_tangent(const sal_motion *motion, int lanes, const double *dh,
                            const sal_weights *w, double *const *dk, const double *start,
                            double *out)
{
    const sal_step *step = &motion->step;
    step->sums->gather(step->nx * lanes, start, step->h, w, dk, 0, out);
    add_lengths(motion, lanes, dh, w, step->nx, step->form.k, out);
}

/* The same for quadratures. */
static void combine_integrals(const sal_motion *motion, int lanes, const double *dh,
                              const sal_weights *w, double *const *dk, const double *start,
                              double *out)
{
    const sal_step *step = &motion->step;
    const int       first = (step->nx + motion->field.system->nmu) * lanes;
    step->sums->gather(step->ng * lanes, start, step->h, w, dk, first, out);
    add_lengths(motion, lanes, dh, w, step->ng, step->form.g, out);
}

/* dk and dg of one stage, dT and dX being in du. */
static void slope_tangent(sal_motion *motion, const sal_tangent *tangent, int i, double *dk)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = tangent->lanes, half = system->n * lanes;
    const double        *dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q);
    sal_motion_restore(motion, i);
    memcpy(dk, dX + half, (size_t)half * sizeof *dk);
    sal_field_stage_tangent(&motion->field, tangent->du, lanes, dk + half);
}

/* dX, dk and dg of one stage. */
static void stage_tangent(sal_motion *motion, const sal_tangent *tangent, const double *dh,
                          double *const *dk, int i)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = tangent->lanes;
    double              *dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q);
    double              *dT = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_T);
    combine_tangent(motion, lanes, dh, &motion->step.A[i], dk, tangent->dx, dX);
    for (int l = 0; l < lanes; l++)
        dT[l] = tangent->dt[l] + (dh ? motion->step.tableau->c[i] * dh[l] : 0.0);
    slope_tangent(motion, tangent, i, dk[i]);
}

/* From the stage `first` on, those before it are in dk. */
static void walk_stages(sal_motion *motion, sal_tangent *tangent, const double *dh,
                        double *const *dk, int first, int stages)
{
    const sal_step *step = &motion->step;
    const int       lanes = tangent->lanes;
    for (int i = first; i < stages; i++) stage_tangent(motion, tangent, dh, dk, i);
    combine_tangent(motion, lanes, dh, &step->b, dk, tangent->dx, tangent->dx);
    combine_integrals(motion, lanes, dh, &step->b, dk, tangent->dz, tangent->dz);
}

void sal_motion_tangent(sal_motion *motion, sal_tangent *tangent, const double *dh, bool dense)
{
    const sal_step    *step = &motion->step;
    const sal_tableau *tableau = step->tableau;
    const int          stages = dense ? tableau->stages_dense : tableau->stages;
    const int          lanes = tangent->lanes;
    double            *dk[SAL_MAX_STAGES];
    find_rows(motion, lanes, dk);
    walk_stages(motion, tangent, dh, dk, 0, stages);
    for (int l = 0; l < lanes; l++) tangent->dt[l] += dh ? dh[l] : 0.0;
}

/* h * sum_i e_i dk_i, for states and integrals one behind the other. */
static void embedded_error(const sal_motion *motion, int lanes, const sal_weights *e,
                           double *const *dk, double *out)
{
    const int nx = motion->step.nx * lanes;
    combine_tangent(motion, lanes, NULL, e, dk, NULL, out);
    combine_integrals(motion, lanes, NULL, e, dk, NULL, out + nx);
}

void sal_motion_tangent_errors(const sal_motion *motion, int lanes, bool along, double *main,
                               double *second)
{
    double *rows[SAL_MAX_STAGES];
    find_rows(motion, lanes, rows);
    double *const *dk = along ? motion->along.dk : rows;
    embedded_error(motion, lanes, &motion->step.e_main, dk, main);
    if (motion->step.tableau->e_second)
        embedded_error(motion, lanes, &motion->step.e_second, dk, second);
}

void sal_motion_tangent_at(const sal_motion *motion, const sal_tangent *start, double theta,
                           double *dx, double *dz)
{
    const int S = motion->step.tableau->stages_dense;
    int       all[SAL_MAX_STAGES];
    double   *dk[SAL_MAX_STAGES];
    for (int i = 0; i < S; i++) all[i] = i;
    find_rows(motion, start->lanes, dk);
    sal_tableau_dense(motion->step.tableau, motion->step.chords, theta, motion->step.beta);
    const sal_weights beta = {S, all, motion->step.beta};
    combine_tangent(motion, start->lanes, NULL, &beta, dk, start->dx, dx);
    combine_integrals(motion, start->lanes, NULL, &beta, dk, start->dz, dz);
}

/* dk and dg of a stage at the perturbations dt, dx + part * dslope. */
static void slope_at_tangent(sal_motion *motion, const sal_tangent *tangent, double part,
                             const double *dslope, int i, double *dk)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = tangent->lanes, count = motion->step.nx * lanes;
    double              *dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q);
    memcpy(sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_T), tangent->dt,
           (size_t)lanes * sizeof *dX);
    for (int c = 0; c < count; c++) dX[c] = tangent->dx[c] + (dslope ? part * dslope[c] : 0.0);
    slope_tangent(motion, tangent, i, dk);
}

/* The same with rows for both stages, that of the end there already or not. */
static void extend_tangent(sal_motion *motion, sal_tangent *tangent, double *dk_end, bool known,
                           double *dk_middle)
{
    const sal_step *step = &motion->step;
    const int       lanes = tangent->lanes, count = step->nx * lanes;
    const int       end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double   *dg = dk_middle + count + motion->field.system->nmu * lanes;
    if (step->delta == 0.0) return;
    if (!known) slope_at_tangent(motion, tangent, 0.0, NULL, end, dk_end);
    slope_at_tangent(motion, tangent, 0.5 * step->delta, dk_end, middle, dk_middle);
    for (int c = 0; c < count; c++) tangent->dx[c] += step->delta * dk_middle[c];
    for (int c = 0; c < step->ng * lanes; c++) tangent->dz[c] += step->delta * dg[c];
}

void sal_motion_extend_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const int end = motion->step.tableau->end_stage, middle = sal_step_middle(&motion->step);
    extend_tangent(motion, tangent, dk_of(motion, end, tangent->lanes), false,
                   dk_of(motion, middle, tangent->lanes));
}

void sal_motion_attach_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    sal_simultaneous    *along = &motion->along;
    along->tangent = tangent;
    if (!tangent) return;
    const int lanes = tangent->lanes;
    for (int i = 0; i <= step->tableau->stages_dense; i++) along->dk[i] = dk_of(motion, i, lanes);
    along->waits = along->doubts = along->taken = false;
    along->stages =
        (sal_native_stages_with_tangent){.lanes = lanes,
                                         .n = system->n,
                                         .g = (step->nx + system->nmu) * lanes,
                                         .ng = step->ng,
                                         .dx = tangent->dx,
                                         .dz = tangent->dz,
                                         .A = step->A,
                                         .b = &step->b,
                                         .dk = along->dk,
                                         .end = step->tableau->end_stage,
                                         .du = tangent->du,
                                         .dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q),
                                         .dz_at_end = along->dz};
}

void sal_motion_advance_tangent(sal_motion *motion)
{
    const sal_step   *step = &motion->step;
    sal_simultaneous *along = &motion->along;
    sal_tangent      *d = along->tangent;
    const size_t      L = (size_t)d->lanes * sizeof(double);
    const int         end = step->tableau->end_stage, middle = sal_step_middle(step);
    if (along->taken) {
        memcpy(d->dx, along->stages.dX, (size_t)step->nx * L);
        memcpy(d->dz, along->dz, (size_t)step->ng * L);
    } else {
        walk_stages(motion, d, NULL, along->dk, along->stages.known ? 1 : 0, step->tableau->stages);
    }
    extend_tangent(motion, d, along->dk[end], along->taken, along->dk[middle]);
}

void sal_motion_delta_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    const int            end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double        *k = sal_step_k(step, middle), *g = sal_step_g(step, middle);
    const double        *dk = dk_of(motion, middle, 1), *dg = dk + step->nx + system->nmu;
    tangent->lanes = 1;
    memset(tangent->du, 0, (size_t)system->layout.size * sizeof(double));
    tangent->dt[0] = 0.5;
    for (int i = 0; i < step->nx; i++) tangent->dx[i] = 0.5 * sal_step_k(step, end)[i];
    slope_at_tangent(motion, tangent, 0.0, NULL, middle, dk_of(motion, middle, 1));
    tangent->dt[0] = 1.0;
    for (int i = 0; i < step->nx; i++) tangent->dx[i] = k[i] + step->delta * dk[i];
    for (int i = 0; i < step->ng; i++) tangent->dz[i] = g[i] + step->delta * dg[i];
}

/* ---- adjoint -------------------------------------------------------------------------------- */

/* As whoever comes next wants it. */
static void clear_reactions(const sal_motion *motion, const sal_adjoint *adjoint)
{
    const saltus_system *system = motion->field.system;
    memset(sal_lanes_at(system, adjoint->u_bar, adjoint->lanes, SAL_LEAF_A), 0,
           (size_t)(system->nx * adjoint->lanes) * sizeof(double));
}

static double *stage_bar_of(const sal_motion *motion, int stage, int lanes)
{
    return motion->stage_bar + (size_t)stage * (size_t)(motion->step.nx * lanes);
}

/* k_bar = h (b_i x_bar + sum_{j > i} a_ji X_bar_j), then zeros for multipliers, g_bar = h b_i
 * z_bar. bar: the X_bar_j, and x_bar behind them. */
static void seed_stage(sal_motion *motion, const sal_adjoint *adjoint, double *const *bar, int i)
{
    const sal_step    *step = &motion->step;
    const sal_weights *column = &motion->column[i];
    const int          lanes = adjoint->lanes, count = step->nx * lanes;
    const double       b = step->h * step->tableau->b[i];
    step->sums->gather(count, NULL, step->h, column, bar, 0, motion->seed);
    double *g_bar = motion->seed + count + motion->field.system->nmu * lanes;
    for (int c = 0; c < step->ng * lanes; c++) g_bar[c] = b * adjoint->z_bar[c];
}

/* X_bar_i, and T_bar_i (left in u_bar), of one stage. */
static void stage_adjoint(sal_motion *motion, const sal_adjoint *adjoint, int i, double *X_bar)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = adjoint->lanes, half = system->n * lanes;
    const double         one = 1.0, *seed = motion->seed;
    sal_motion_restore(motion, i);
    memset(motion->seed + 2 * half, 0, (size_t)(system->nmu * lanes) * sizeof(double));
    sal_field_stage_adjoint(&motion->field, motion->seed + half, lanes, adjoint->u_bar);
    const double *q_bar = sal_lanes_at(system, adjoint->u_bar, lanes, SAL_LEAF_Q);
    memcpy(X_bar, q_bar, (size_t)half * sizeof *X_bar);
    motion->step.sums->combine(half, q_bar + half, 1.0, 1, &one, &seed, X_bar + half);
}

/* x_bar and t_bar gain what flows through a slope of the state, whose adjoint is in the seed; X_bar
 * is left in motion->end. */
static void slope_adjoint(sal_motion *motion, sal_adjoint *adjoint, int i)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = adjoint->lanes, count = motion->step.nx * lanes;
    stage_adjoint(motion, adjoint, i, motion->end);
    for (int c = 0; c < count; c++) adjoint->x_bar[c] += motion->end[c];
    for (int l = 0; l < lanes; l++)
        adjoint->t_bar[l] += sal_lanes_at(system, adjoint->u_bar, lanes, SAL_LEAF_T)[l];
}

void sal_motion_extend_adjoint(sal_motion *motion, sal_adjoint *adjoint)
{
    const sal_step *step = &motion->step;
    const int       lanes = adjoint->lanes, count = step->nx * lanes;
    double         *g_bar = motion->seed + count + motion->field.system->nmu * lanes;
    if (step->delta == 0.0) return;
    for (int c = 0; c < count; c++) motion->seed[c] = step->delta * adjoint->x_bar[c];
    for (int c = 0; c < step->ng * lanes; c++) g_bar[c] = step->delta * adjoint->z_bar[c];
    slope_adjoint(motion, adjoint, sal_step_middle(step));
    for (int c = 0; c < count; c++) motion->seed[c] = 0.5 * step->delta * motion->end[c];
    memset(g_bar, 0, (size_t)(step->ng * lanes) * sizeof *g_bar);
    slope_adjoint(motion, adjoint, step->tableau->end_stage);
    clear_reactions(motion, adjoint);
}

/* h_bar gains what flows through X_i = x + h sum_j a_ij k_j and T_i = t + c_i h. */
static void length_adjoint(const sal_motion *motion, const sal_adjoint *adjoint, int i,
                           double *h_bar)
{
    const sal_step    *step = &motion->step;
    const sal_weights *w = &step->A[i];
    const int          lanes = adjoint->lanes;
    const double      *X_bar = stage_bar_of(motion, i, lanes);
    const double *T_bar = sal_lanes_at(motion->field.system, adjoint->u_bar, lanes, SAL_LEAF_T);
    step->sums->gather(step->nx, NULL, 1.0, w, step->row, step->form.k, motion->slope);
    for (int c = 0; c < step->nx; c++)
        for (int l = 0; l < lanes; l++) h_bar[l] += motion->slope[c] * X_bar[c * lanes + l];
    for (int l = 0; l < lanes; l++) h_bar[l] += step->tableau->c[i] * T_bar[l];
}

static void end_length_adjoint(const sal_motion *motion, const sal_adjoint *adjoint, double *h_bar)
{
    const sal_step *step = &motion->step;
    const int       lanes = adjoint->lanes;
    for (int l = 0; l < lanes; l++) h_bar[l] = adjoint->t_bar[l];
    for (int c = 0; c < step->nx + step->ng; c++) {
        const bool    state = c < step->nx;
        const int     i = state ? c : c - step->nx;
        const double *bar = state ? adjoint->x_bar : adjoint->z_bar;
        double        slope = 0.0;
        for (int m = 0; m < step->b.count; m++) {
            const int j = step->b.index[m];
            slope += step->b.value[m] * (state ? sal_step_k(step, j) : sal_step_g(step, j))[i];
        }
        for (int l = 0; l < lanes; l++) h_bar[l] += slope * bar[i * lanes + l];
    }
}

void sal_motion_adjoint(sal_motion *motion, sal_adjoint *adjoint, double *h_bar)
{
    const int     lanes = adjoint->lanes, count = motion->step.nx * lanes;
    const double *T_bar = sal_lanes_at(motion->field.system, adjoint->u_bar, lanes, SAL_LEAF_T);
    double       *bar[SAL_MAX_STAGES], one[SAL_MAX_STAGES];
    if (motion->wide && !h_bar) {
        sal_nystrom_adjoint(motion, adjoint);
        return;
    }
    if (h_bar) end_length_adjoint(motion, adjoint, h_bar);
    for (int i = 0; i < motion->stages_differentiated; i++) {
        bar[i] = stage_bar_of(motion, i, lanes);
        one[i] = 1.0;
    }
    bar[motion->stages_differentiated] = adjoint->x_bar;
    for (int i = motion->stages_differentiated - 1; i >= 0; i--) {
        seed_stage(motion, adjoint, bar, i);
        stage_adjoint(motion, adjoint, i, bar[i]);
        if (h_bar) length_adjoint(motion, adjoint, i, h_bar);
        for (int l = 0; l < lanes; l++) adjoint->t_bar[l] += T_bar[l];
    }
    motion->step.sums->combine(count, adjoint->x_bar, 1.0, motion->stages_differentiated, one,
                               (const double *const *)bar, adjoint->x_bar);
    clear_reactions(motion, adjoint);
}

/* The seed of stage i in two lanes, h (e_i x_bar + sum_{j > i} a_ji X_bar_j), for both estimates.
 * bar: the X_bar_j; behind those of the stages walked through, of the end stage or zeros. */
static void seed_errors(sal_motion *motion, const sal_adjoint *end, int lane, double *const *bar,
                        int i)
{
    const sal_step    *step = &motion->step;
    const sal_tableau *tableau = step->tableau;
    const int          L = end->lanes;
    const double       main = step->h * tableau->e_main[i];
    const double       second = tableau->e_second ? step->h * tableau->e_second[i] : 0.0;
    double            *g_bar = motion->seed + 2 * (step->nx + motion->field.system->nmu);
    if (i < motion->stages_differentiated)
        step->sums->gather(2 * step->nx, NULL, step->h, &motion->column[i], bar, 0, motion->seed);
    else memset(motion->seed, 0, 2 * (size_t)step->nx * sizeof(double));
    for (int c = 0; c < step->nx; c++) {
        motion->seed[2 * c] += main * end->x_bar[c * L + lane];
        motion->seed[2 * c + 1] += second * end->x_bar[c * L + lane];
    }
    for (int c = 0; c < step->ng; c++) {
        g_bar[2 * c] = main * end->z_bar[c * L + lane];
        g_bar[2 * c + 1] = second * end->z_bar[c * L + lane];
    }
}

void sal_motion_adjoint_errors(sal_motion *motion, const sal_adjoint *end, int lane,
                               sal_adjoint *errors)
{
    const int    count = 2 * motion->step.nx, stages = motion->step.tableau->stages;
    const size_t size = (size_t)count * sizeof(double);
    double      *bar[SAL_MAX_STAGES];
    errors->lanes = 2;
    memset(errors->x_bar, 0, size);
    memset(errors->u_bar, 0, 2 * (size_t)motion->field.system->layout.size * sizeof(double));
    for (int i = 0; i <= motion->stages_differentiated; i++) bar[i] = stage_bar_of(motion, i, 2);
    memset(bar[motion->stages_differentiated], 0, size);
    for (int i = stages - 1; i >= 0; i--) {
        seed_errors(motion, end, lane, bar, i);
        stage_adjoint(motion, errors, i, bar[i]);
        for (int c = 0; c < count; c++) errors->x_bar[c] += bar[i][c];
    }
}
