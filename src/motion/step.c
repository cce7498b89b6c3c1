/* One Runge-Kutta step with dense output: see step.h. */
#include "motion/step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fast_log2.h"
#include "motion/fast/nystrom.h"

sal_row_form sal_step_plain_form(int nx, int ng)
{
    return (sal_row_form){.x = 0, .k = nx, .g = 2 * nx, .size = 2 * nx + ng};
}

/* ---- making --------------------------------------------------------------------------------- */

/* The weights that are not zero. */
static sal_weights weights_of(const double *all, int count, sal_arena *arena)
{
    int    *index = ARENA_NEW(arena, count, int), kept = 0;
    double *value = ARENA_NEW(arena, count, double);
    if (arena->failed) return (sal_weights){0};
    for (int j = 0; j < count; j++) {
        if (all[j] == 0.0) continue;
        index[kept] = j;
        value[kept++] = all[j];
    }
    return (sal_weights){kept, index, value};
}

static bool find_ends(sal_step *step, sal_arena *arena)
{
    const sal_tableau *tableau = step->tableau;
    const int          s = tableau->stages;
    int               *at = ARENA_NEW(arena, s, int);
    double            *weights = ARENA_NEW(arena, 4 * s, double);
    int                kept = 0;
    if (arena->failed) return false;
    for (int j = 0; j < s; j++) {
        const double second = tableau->e_second ? tableau->e_second[j] : 0.0;
        if (tableau->b[j] == 0.0 && tableau->e_main[j] == 0.0 && second == 0.0) continue;
        at[kept] = j * step->form.size;
        weights[4 * kept] = tableau->b[j];
        weights[4 * kept + 1] = tableau->e_main[j];
        weights[4 * kept++ + 2] = second;
    }
    step->ends = (sal_end_weights){.terms = kept, .at = at, .weights = weights, .atol = step->atol};
    return true;
}

/* Rows of our own are listed already. */
static void put_rows(sal_step *step, double *first)
{
    const int which = first == step->own[0] ? 0 : first == step->own[1] ? 1 : 2;
    step->row = step->list[which];
    step->x0 = first + step->form.x;
    if (which < 2) return;
    const int stages = step->tableau->stages, size = step->form.size;
    for (int i = 0; i < stages; i++, first += size) step->row[i] = first;
}

static bool has_extra_end_stage(const sal_step *step)
{
    return step->tableau->end_stage >= step->tableau->stages;
}

/* Our own rows are there twice: the end of one step is the first stage of the next, which goes on
 * there. */
static void list_rows(sal_step *step)
{
    const size_t size = (size_t)step->form.size;
    for (int which = 0; which < 3; which++) {
        for (int i = 0; i <= step->tableau->stages_dense; i++)
            step->list[which][i] =
                step->own[i < step->tableau->stages && which == 1] + (size_t)i * size;
        if (has_extra_end_stage(step))
            step->list[which][step->tableau->end_stage] = step->own[which == 0 ? 1 : 0];
    }
    put_rows(step, step->own[0]);
}

static double *new_rows(sal_row_form form, int count, sal_arena *arena)
{
    const size_t size = (size_t)count * (size_t)form.size;
    double      *rows = ARENA_NEW(arena, size + SAL_ROW_ALIGNMENT, double);
    return rows ? rows + sal_step_offset(form) : NULL;
}

bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_row_form form,
                   sal_arena *arena)
{
    const int S = tableau->stages_dense;
    assert(S <= SAL_MAX_STAGES);
    *step = (sal_step){.tableau = tableau,
                       .nx = nx,
                       .ng = ng,
                       .form = form,
                       .filled = form.size,
                       .sums = sal_vector_sums_get()};
    step->moved = ARENA_NEW(arena, nx, double);
    step->z0 = ARENA_NEW(arena, ng, double);
    step->dz = ARENA_NEW(arena, ng, double);
    step->errors = ARENA_NEW(arena, 2 * ng, double);
    step->atol = ARENA_NEW(arena, nx + ng, double);
    step->own[0] = new_rows(form, S + 1, arena);
    step->own[1] = new_rows(form, tableau->stages, arena);
    for (int which = 0; which < 3; which++) step->list[which] = ARENA_NEW(arena, S + 1, double *);
    step->beta = ARENA_NEW(arena, S, double);
    step->chords = ARENA_NEW(arena, S * tableau->dense_degree, double);
    step->A = ARENA_NEW(arena, S, sal_weights);
    if (arena->failed) return false;
    list_rows(step);
    step->x1 = step->moved;
    for (int i = 0; i < S; i++) step->A[i] = weights_of(tableau->A + i * S, i, arena);
    sal_tableau_chords(tableau, step->chords);
    step->b = weights_of(tableau->b, tableau->stages, arena);
    step->e_main = weights_of(tableau->e_main, tableau->stages, arena);
    if (tableau->e_second) step->e_second = weights_of(tableau->e_second, tableau->stages, arena);
    return find_ends(step, arena) && !arena->failed;
}

void sal_step_place(sal_step *step, double *rows, double *next)
{
    double *from = step->row[0], *first = rows ? rows : from == step->own[1] ? from : step->own[0];
    if (first != from || step->row == step->list[2]) put_rows(step, first);
    if (first != from && step->computed > 0)
        memcpy(first, from, (size_t)step->filled * sizeof *first);
    if (rows && has_extra_end_stage(step))
        step->row[step->tableau->end_stage] = next ? next : step->own[0];
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* X of a stage; that of the end (x1) has the number of stages. */
static void combine_slopes(const sal_step *step, int i, double *x)
{
    const bool end = i == step->tableau->stages;
    if (step->wide && i <= step->tableau->stages) sal_nystrom_state(step, i, x);
    else
        step->sums->gather(step->nx, step->x0, step->h, end ? &step->b : &step->A[i], step->row,
                           step->form.k, x);
}

static void combine_integrands(sal_step *step)
{
    step->sums->integrals(step->ng, &step->ends, sal_step_g(step, 0), step->h, step->dz,
                          step->errors);
}

/* ---- the step ------------------------------------------------------------------------------- */

static void find_end(sal_step *step)
{
    if (step->ended) return;
    step->x1 = sal_step_x(step, step->tableau->end_stage);
    if (has_extra_end_stage(step)) combine_slopes(step, step->tableau->stages, step->x1);
    step->ended = true;
}

static int evaluate(sal_step *step, int i)
{
    if (i == step->tableau->end_stage && has_extra_end_stage(step)) find_end(step);
    else combine_slopes(step, i, sal_step_x(step, i));
    const int bad =
        step->rhs(step->context, i, step->t + step->tableau->c[i] * step->h, step->row[i]);
    if (!bad) step->computed = i + 1;
    return bad;
}

/* Behind an advance the first stage is where the end stage was, unless the rows were placed. */
static void part_rows(sal_step *step)
{
    if (step->row[0] == step->row[step->tableau->end_stage]) sal_step_place(step, NULL, NULL);
}

int sal_step_first(sal_step *step, double t)
{
    part_rows(step);
    step->computed = 0;
    step->t = t;
    step->h = 0.0;
    return evaluate(step, 0);
}

void sal_step_begin(sal_step *step, double t, const double *row, int count)
{
    put_rows(step, step->own[0]); /* other rows belong to the step before */
    memcpy(step->row[0], row, (size_t)count * sizeof *row);
    step->t = t;
    step->h = 0.0;
    step->computed = 1;
}

/* The end and its errors are there, too. */
static bool take_at_once(sal_step *step, double h)
{
    const int end = step->tableau->end_stage;
    if (!step->native_step || !step->native_step(step->context, h)) return false;
    step->x1 = sal_step_x(step, end);
    step->computed = has_extra_end_stage(step) ? end + 1 : step->tableau->stages;
    step->ended = step->sized = true;
    return true;
}

static int take_one_by_one(sal_step *step)
{
    for (int i = 1; i < step->tableau->stages; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    find_end(step);
    return 0;
}

int sal_step_take(sal_step *step, double h)
{
    step->h = h;
    step->delta = 0.0;
    part_rows(step);
    step->computed = 1;
    step->ended = step->sized = false;
    const int bad = take_at_once(step, h) ? 0 : take_one_by_one(step);
    if (!bad) combine_integrands(step);
    return bad;
}

void sal_step_retain(sal_step *step, double *rows, double t, double h)
{
    put_rows(step, rows);
    if (has_extra_end_stage(step)) step->row[step->tableau->end_stage] = step->own[0];
    step->t = t;
    step->h = h;
    step->delta = 0.0;
    step->computed = step->tableau->stages;
    step->ended = step->sized = false;
}

void sal_step_tolerate(sal_step *step, double rtol, double atol)
{
    step->sized = false;
    step->ends.rtol = rtol;
    for (int i = 0; i < step->nx + step->ng; i++) step->atol[i] = atol;
}

void sal_step_tolerate_each(sal_step *step, double rtol, const double *atol)
{
    step->sized = false;
    step->ends.rtol = rtol;
    memcpy(step->atol, atol, (size_t)(step->nx + step->ng) * sizeof *atol);
}

/* The larger of them, or NaN. */
static double larger(double a, double b) { return b <= a || a != a ? a : b; }

/* The largest squares of the errors of z, as multiples of the tolerance. */
static void integrand_errors(const sal_step *step, double most[2])
{
    for (int i = 0; i < step->ng; i++) {
        const double z0 = fabs(step->z0[i]), z1 = fabs(step->z0[i] + step->dz[i]);
        const double scale =
            step->h / (step->atol[step->nx + i] + step->ends.rtol * (z0 > z1 ? z0 : z1));
        const double first = scale * step->errors[i], second = scale * step->errors[step->ng + i];
        most[0] = larger(most[0], first * first);
        most[1] = larger(most[1], second * second);
    }
}

double sal_step_error(sal_step *step)
{
    if (!step->sized)
        step->sums->sizes(step->nx, &step->ends, sal_step_k(step, 0), step->x0, step->x1,
                          step->sizes);
    step->sized = true;
    const double mean = step->nx > 0 ? step->h * step->h / step->nx : 0.0;
    const double one = step->h * step->h / (SAL_MAX_SHARE_OF_ONE * SAL_MAX_SHARE_OF_ONE);
    double       most[2];
    for (int k = 0; k < 2; k++) most[k] = larger(mean * step->sizes[k], one * step->sizes[2 + k]);
    integrand_errors(step, most);
    step->error[0] = most[0];
    step->error[1] = step->tableau->e_second ? most[0] + 0.01 * most[1] : most[0];
    return step->error[1] == 0.0 ? 0.0 : step->error[0] / sqrt(step->error[1]);
}

double sal_step_log_error(const sal_step *step)
{
    return sal_fast_log2(step->error[0]) - 0.5 * sal_fast_log2(step->error[1]);
}

int sal_step_end(sal_step *step)
{
    const int end = step->tableau->end_stage;
    if (end < step->computed) return 0;
    return evaluate(step, end);
}

void sal_step_extended(sal_step *step, double rest)
{
    const int     end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double *x = sal_step_x(step, end), *k_middle = sal_step_k(step, middle);
    const double *g = sal_step_g(step, middle);
    for (int i = 0; i < step->nx; i++) step->moved[i] = x[i] + rest * k_middle[i];
    combine_integrands(step);
    for (int i = 0; i < step->ng; i++) step->dz[i] += rest * g[i];
    step->x1 = step->moved;
    step->delta = rest;
    step->ended = true;
    if (step->computed <= end) step->computed = end + 1;
}

int sal_step_extend(sal_step *step, double rest)
{
    const int     end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double *x = sal_step_x(step, end), *k = sal_step_k(step, end);
    double       *x_middle = sal_step_x(step, middle);
    for (int i = 0; i < step->nx; i++) x_middle[i] = x[i] + 0.5 * rest * k[i];
    const int bad =
        step->rhs(step->context, middle, step->t + (step->h + 0.5 * rest), step->row[middle]);
    sal_step_extended(step, rest);
    return bad;
}

int sal_step_dense(sal_step *step)
{
    for (int i = step->computed; i < step->tableau->stages_dense; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    return 0;
}

/* ---- dense output --------------------------------------------------------------------------- */

static void combine_all(const sal_step *step, const double *x, double h, const double *beta,
                        double *y)
{
    const double *k[SAL_MAX_STAGES];
    const int     S = step->tableau->stages_dense;
    for (int i = 0; i < S; i++) k[i] = sal_step_k(step, i);
    step->sums->combine(step->nx, x, h, S, beta, k, y);
}

void sal_step_with(const sal_step *step, const double *beta, double *x)
{
    combine_all(step, step->x0, step->h, beta, x);
}

void sal_step_at(const sal_step *step, double theta, double *x, double *dz)
{
    sal_tableau_dense(step->tableau, step->chords, theta, step->beta);
    sal_step_with(step, step->beta, x);
    for (int i = 0; dz && i < step->ng; i++) {
        double sum = 0.0;
        for (int j = 0; j < step->tableau->stages_dense; j++)
            sum += step->beta[j] * sal_step_g(step, j)[i];
        dz[i] = step->h * sum;
    }
}

void sal_step_rate_at(const sal_step *step, double theta, double *rate)
{
    sal_tableau_dense_rate(step->tableau, step->chords, theta, step->beta);
    combine_all(step, NULL, 1.0, step->beta, rate);
}

void sal_step_advance(sal_step *step)
{
    const int end = step->tableau->end_stage;
    double   *last = step->row[end];
    step->t += step->h;
    if (!has_extra_end_stage(step)) {
        put_rows(step, step->own[0]); /* others belong to the step just taken */
        memcpy(step->row[0], last, (size_t)step->filled * sizeof(double));
    } else if (last == step->own[0] || last == step->own[1]) put_rows(step, last);
    else step->row[0] = last; /* the rest follows when the next step is placed */
    step->x0 = sal_step_x(step, 0);
    if (step->x1 == step->moved) memcpy(step->x0, step->x1, (size_t)step->nx * sizeof(double));
    for (int i = 0; i < step->ng; i++) step->z0[i] += step->dz[i];
    step->computed = 1;
}
