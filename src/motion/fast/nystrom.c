/* Takes steps of large models, and their adjoints, in the Nystrom form: see nystrom.h. */
#include "motion/fast/nystrom.h"
#include "motion/fast/fast.h"

#include <float.h>
#include <string.h>

/* ---- weights -------------------------------------------------------------------------------- */

/* The weight of stage j in stage i; i = stages: its weight in the end. */
static double weight(const sal_tableau *tableau, int i, int j)
{
    return i == tableau->stages ? tableau->b[j] : tableau->A[i * tableau->stages_dense + j];
}

/* The weight of acceleration k in position i; order conditions make some of them zero, up to the
 * rounding of the tableau. */
static double nystrom_weight(const sal_tableau *tableau, int i, int k)
{
    long double sum = 0.0L, size = 0.0L;
    for (int j = k + 1; j < i; j++) {
        const long double w = (long double)weight(tableau, i, j) * weight(tableau, j, k);
        sum += w;
        size += w < 0.0L ? -w : w;
    }
    return sum > DBL_EPSILON * size || sum < -DBL_EPSILON * size ? (double)sum : 0.0;
}

static bool find_rows(sal_nystrom *nystrom, const sal_tableau *tableau, sal_arena *arena)
{
    const int s = tableau->stages;
    int      *index = ARENA_NEW(arena, s * (s + 1), int);
    double   *v = ARENA_NEW(arena, s * (s + 1), double), *q = ARENA_NEW(arena, s * (s + 1), double);
    nystrom->v = ARENA_NEW(arena, s + 1, sal_weights);
    nystrom->q = ARENA_NEW(arena, s + 1, const double *);
    nystrom->c = ARENA_NEW(arena, s + 1, double);
    for (int i = 0; i <= s && !arena->failed; i++) {
        long double c = 0.0L;
        nystrom->v[i] = (sal_weights){0, index, v};
        nystrom->q[i] = q;
        for (int k = 0; k < i; k++) {
            const double once = weight(tableau, i, k), twice = nystrom_weight(tableau, i, k);
            c += (long double)once;
            if (once == 0.0 && twice == 0.0) continue;
            *index++ = k;
            *v++ = once;
            *q++ = twice;
            nystrom->v[i].count++;
        }
        nystrom->c[i] = (double)c;
    }
    return !arena->failed;
}

/* The weights of stage k in later stages and in the end, which is treated as one more stage. */
static sal_weights column_of(const sal_tableau *tableau, int stages, int k, bool twice,
                             sal_arena *arena)
{
    int        *index = ARENA_NEW(arena, stages + 1, int);
    double     *value = ARENA_NEW(arena, stages + 1, double);
    sal_weights column = {0, index, value};
    for (int j = k + 1; j <= stages && !arena->failed; j++) {
        const int    i = j < stages ? j : tableau->stages;
        const double w = twice ? nystrom_weight(tableau, i, k) : weight(tableau, i, k);
        if (w == 0.0) continue;
        index[column.count] = j;
        value[column.count++] = w;
    }
    return column;
}

static sal_weights end_of(const sal_weights *column, int end)
{
    const int last = column->count - 1;
    if (last < 0 || column->index[last] != end) return (sal_weights){0, NULL, NULL};
    return (sal_weights){1, column->index + last, column->value + last};
}

const sal_nystrom *sal_nystrom_new(const saltus_system *system, const sal_tableau *tableau,
                                   int stages, sal_arena *arena)
{
    sal_nystrom *nystrom = ARENA_NEW(arena, 1, sal_nystrom);
    if (!nystrom) return NULL;
    nystrom->n = system->n;
    nystrom->a = system->layout.at[SAL_LEAF_A];
    nystrom->kept = stages;
    nystrom->from_q = ARENA_NEW(arena, stages, sal_weights);
    nystrom->from_v = ARENA_NEW(arena, stages, sal_weights);
    nystrom->from_v1 = ARENA_NEW(arena, stages, sal_weights);
    if (!find_rows(nystrom, tableau, arena)) return NULL;
    for (int k = 0; k < stages && !arena->failed; k++) {
        nystrom->from_q[k] = column_of(tableau, stages, k, true, arena);
        nystrom->from_v[k] = column_of(tableau, stages, k, false, arena);
        nystrom->from_v1[k] = end_of(&nystrom->from_v[k], stages);
    }
    return arena->failed ? NULL : nystrom;
}

/* ---- value ---------------------------------------------------------------------------------- */

double *sal_fast_row(const sal_motion *motion, int stage)
{
    const sal_fast *fast = motion->fast;
    if (!fast->kept || stage <= 0 || stage >= fast->nystrom->kept) return NULL;
    return fast->kept + (size_t)stage * (size_t)fast->adjoint_reads;
}

bool sal_fast_state(const sal_motion *motion, int stage, double *x)
{
    const sal_nystrom *nystrom = motion->fast->nystrom;
    const sal_step    *step = &motion->step;
    const int          last = step->tableau->stages;
    if (!nystrom || motion->fast->off || stage > last) return false;
    double *row = sal_fast_row(motion, stage), *q = row ? row + step->form.x : x;
    motion->fast->sums->nystrom_state(
        nystrom->n, step->x0, step->h, nystrom->c[stage], &nystrom->v[stage], nystrom->q[stage],
        step->row, nystrom->a, q, x + nystrom->n, q == x ? NULL : q + motion->fast->adjoint_reads);
    return true;
}

bool sal_fast_evaluate(sal_motion *motion, int stage, double t, double *row,
                       sal_field_result *result)
{
    double *state = sal_fast_row(motion, stage);
    if (!state) return false;
    *result = sal_field_stage_at(&motion->field, t, state, row);
    return true;
}

int sal_nystrom_reads(const saltus_system *system, const sal_regime *regime)
{
    return system->mass_constant && regime ? (regime->adjoint_reads + 7) / 8 * 8 : 0;
}

void sal_nystrom_place(sal_motion *motion, double *rows)
{
    const sal_regime *regime = motion->field.regime;
    const int         numbers = motion->field.system->layout.at[SAL_LEAF_V]; /* size of (t, q) */
    const bool        at_once = rows && regime->adjoint_reads <= numbers &&
                         regime->value_reads <= numbers && numbers <= motion->fast->adjoint_reads;
    motion->fast->kept = at_once ? rows : NULL;
}

void sal_nystrom_keep(const sal_motion *motion, double *rows)
{
    const sal_step *step = &motion->step;
    const int       size = motion->fast->adjoint_reads;
    for (int i = 0; i < motion->stages_differentiated; i++)
        if (motion->fast->kept != rows || i == 0)
            step->sums->set(size, step->row[i], rows + (size_t)i * (size_t)size);
}

void sal_nystrom_load(sal_motion *motion, double *rows, double t, double h)
{
    sal_step    *step = &motion->step;
    const size_t size = (size_t)motion->fast->adjoint_reads;
    step->computed = 0;
    step->t = t;
    step->h = h;
    step->delta = 0.0;
    step->row = step->list[2];
    for (int i = 0; i < motion->stages_differentiated; i++) {
        step->row[i] = rows + (size_t)i * size;
        motion->factors[i].by_solved = false;
    }
}

/* ---- adjoint -------------------------------------------------------------------------------- */

/* Lists the terms of a sum: the vectors from place `at` on, and their weights times c. Returns
 * their number. */
static int put_terms(const sal_weights *from, double c, double *const *bar, int at, double *w,
                     const double **k)
{
    for (int m = 0; m < from->count; m++) {
        w[m] = c * from->value[m];
        k[m] = bar[from->index[m]] + at;
    }
    return from->count;
}

/* g_bar = h b_i z_bar, stored after accelerations and multipliers. */
static void seed_integrands(sal_motion *motion, const sal_adjoint *adjoint, int i)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    const double         b = step->h * step->tableau->b[i];
    double              *g_bar = motion->seed + (system->n + system->nmu) * adjoint->lanes;
    for (int c = 0; c < step->ng * adjoint->lanes; c++) g_bar[c] = b * adjoint->z_bar[c];
}

/* Writes the seed of stage i: a_bar = h (b_i v1_bar + sum_j a_ji v_bar_j) plus h^2 times the sum of
 * the q_bar_j with their weights, then zeros for multipliers, then g_bar. */
static void seed_stage(sal_motion *motion, const sal_adjoint *adjoint, double *const *bar, int i)
{
    const sal_nystrom *nystrom = motion->fast->nystrom;
    const sal_step    *step = &motion->step;
    const int          lanes = adjoint->lanes, half = nystrom->n * lanes;
    const bool         speeds = motion->field.regime->velocity_dependent;
    double            *a_bar = motion->seed, w[2 * SAL_MAX_STAGES];
    const double      *k[2 * SAL_MAX_STAGES];
    int                terms = put_terms(&nystrom->from_q[i], step->h, bar, 0, w, k);
    terms += put_terms(speeds ? &nystrom->from_v[i] : &nystrom->from_v1[i], 1.0, bar, half,
                       w + terms, k + terms);
    step->sums->combine(half, NULL, step->h, terms, w, k, a_bar);
    seed_integrands(motion, adjoint, i);
}

/* q_bar = q1_bar + sum_j q_bar_j, v_bar = v1_bar + h (q1_bar + sum_j c_j q_bar_j) + sum_j v_bar_j.
 */
static void gather_start(const sal_motion *motion, const sal_adjoint *adjoint, double *const *bar)
{
    const sal_step *step = &motion->step;
    const int half = motion->fast->nystrom->n * adjoint->lanes, s = motion->stages_differentiated;
    double   *v_bar = adjoint->x_bar + half, one[SAL_MAX_STAGES];
    const double *of_v[SAL_MAX_STAGES];
    motion->fast->sums->adjoint_start(half, step->h, s, motion->fast->nystrom->c,
                                      (const double *const *)bar, adjoint->x_bar);
    if (!motion->field.regime->velocity_dependent) return;
    for (int i = 0; i < s; i++) {
        one[i] = 1.0;
        of_v[i] = bar[i] + half;
    }
    step->sums->combine(half, v_bar, 1.0, s, one, of_v, v_bar);
}

/* Clears u_bar from a kind of leaf on, up to memories and parameters, which add up over all steps.
 */
static void clear(const saltus_system *system, const sal_adjoint *adjoint, int kind)
{
    const int *at = system->layout.at, lanes = adjoint->lanes;
    memset(adjoint->u_bar + at[kind] * lanes, 0,
           (size_t)((at[SAL_LEAF_C] - at[kind]) * lanes) * sizeof(double));
}

/* Prefetches a row that will be read soon and is probably in no cache. */
static void expect(const double *row, int size)
{
#ifdef __GNUC__
    for (int k = 0; k < size; k += 8) __builtin_prefetch(row + k);
#else
    (void)row, (void)size;
#endif
}

/* The weight in the positions of stage i + 1, which is the first in the list if it is not zero. */
static double weight_of_next(const sal_weights *from, int i)
{
    return from->count > 0 && from->index[0] == i + 1 ? from->value[0] : 0.0;
}

/* Writes -M^-1 a_bar of stage i to field->kernel_io, with the diagonal mass matrix M. The adjoint
 * of the positions of stage i + 1 is still in q_bar, where its kernels left it; it is moved to
 * bar[i + 1].
 */
static void seed_from_next(sal_motion *motion, double *const *bar, int i, double *q_bar)
{
    const sal_nystrom *nystrom = motion->fast->nystrom;
    const sal_step    *step = &motion->step;
    const sal_weights *from = &nystrom->from_q[i];
    const int          n = nystrom->n;
    const double       next = weight_of_next(from, i);
    const sal_weights  others = {from->count - (next != 0.0), from->index + (next != 0.0),
                                 from->value + (next != 0.0)};
    double             w[2 * SAL_MAX_STAGES];
    const double      *k[2 * SAL_MAX_STAGES];
    int                terms = put_terms(&others, step->h, bar, 0, w, k);
    terms += put_terms(&nystrom->from_v1[i], 1.0, bar, n, w + terms, k + terms);
    w[terms] = step->h * next;
    k[terms] = q_bar;
    motion->fast->sums->adjoint_seed(n, -step->h, motion->field.mass_constant.value, terms + 1, w,
                                     k, q_bar, bar[i + 1], motion->field.kernel_io,
                                     step->row[i] + step->form.x);
}

/* Whether plain_adjoint applies, which passes over each vector once per stage: there is one lane
 * and a constant diagonal matrix, and neither forces nor integrands depend on velocities. */
static bool is_plain(const sal_motion *motion, const sal_adjoint *adjoint)
{
    const saltus_system *system = motion->field.system;
    return adjoint->lanes == 1 && system->mass_constant && system->form == SAL_DIAGONAL &&
           !system->integrand_needs_a && !motion->field.regime->velocity_dependent;
}

/* Adds to u_bar the adjoint of a stage in one lane, with -M^-1 a_bar given in field->kernel_io. */
static void divided_adjoint(sal_field *field, const double *g_bar, double *u_bar)
{
    sal_field_integrands_adjoint(field, g_bar, 1, u_bar);
    sal_kernel_eval_at(&field->regime->adjoint, field->u, field->state, field->kernel_io, 1, u_bar,
                       field->work);
}

static void plain_adjoint(sal_motion *motion, sal_adjoint *adjoint, double **bar)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    const int            s = motion->stages_differentiated;
    double              *T_bar = sal_lanes_at(system, adjoint->u_bar, 1, SAL_LEAF_T);
    double              *q_bar = sal_lanes_at(system, adjoint->u_bar, 1, SAL_LEAF_Q);
    clear(system, adjoint, SAL_LEAF_V);
    step->sums->set(system->n, adjoint->x_bar, q_bar); /* the end is treated as a stage */
    for (int i = s - 1; i >= 0; i--) {
        seed_from_next(motion, bar, i, q_bar);
        seed_integrands(motion, adjoint, i);
        T_bar[0] = 0.0;
        sal_motion_restore(motion, i);
        divided_adjoint(&motion->field, motion->seed + system->n, adjoint->u_bar);
        adjoint->t_bar[0] += T_bar[0];
    }
    bar[0] = q_bar;
    gather_start(motion, adjoint, bar);
}

/* sal_field_stage_adjoint for large models: clears only those entries of u_bar to which the kernels
 * of this regime add. */
static void stage_adjoint(sal_field *field, double *in, int lanes, double *u_bar)
{
    const int *at = field->system->layout.at;
    if (!field->system->mass_constant || field->system->integrand_needs_a) {
        sal_field_stage_adjoint(field, in, lanes, u_bar);
        return;
    }
    field->sums->set(at[field->regime->velocity_dependent ? SAL_LEAF_A : SAL_LEAF_V] * lanes, NULL,
                     u_bar);
    sal_field_add_stage_adjoint(field, in, lanes, u_bar);
}

void sal_nystrom_adjoint(sal_motion *motion, sal_adjoint *adjoint)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = adjoint->lanes, half = system->n * lanes;
    const double        *T_bar = sal_lanes_at(system, adjoint->u_bar, lanes, SAL_LEAF_T);
    const double        *q_bar = sal_lanes_at(system, adjoint->u_bar, lanes, SAL_LEAF_Q);
    const int            size = motion->field.regime->velocity_dependent ? 2 * half : half;
    double              *bar[SAL_MAX_STAGES];
    for (int i = 0; i < motion->stages_differentiated; i++)
        bar[i] = motion->stage_bar + (size_t)i * 2 * (size_t)half;
    bar[motion->stages_differentiated] = adjoint->x_bar;
    if (is_plain(motion, adjoint)) {
        plain_adjoint(motion, adjoint, bar);
        return;
    }
    clear(system, adjoint, SAL_LEAF_T);
    for (int i = motion->stages_differentiated - 1; i >= 0; i--) {
        if (i > 0) expect(motion->step.row[i - 1], motion->field.regime->adjoint_reads);
        seed_stage(motion, adjoint, bar, i);
        sal_motion_restore(motion, i);
        stage_adjoint(&motion->field, motion->seed, lanes, adjoint->u_bar);
        motion->step.sums->set(size, q_bar, bar[i]);
        for (int l = 0; l < lanes; l++) adjoint->t_bar[l] += T_bar[l];
    }
    gather_start(motion, adjoint, bar);
    clear(system, adjoint, SAL_LEAF_A);
}
