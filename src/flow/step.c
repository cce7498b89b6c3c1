/* One Runge-Kutta step with dense output: see step.h. */
#include "flow/step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "flow/wide.h"

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
    int               *index = ARENA_NEW(arena, s, int);
    double            *value = ARENA_NEW(arena, 3 * s, double);
    int                kept = 0;
    if (arena->failed) return false;
    for (int j = 0; j < s; j++) {
        const double second = tableau->e_second ? tableau->e_second[j] : 0.0;
        if (tableau->b[j] == 0.0 && tableau->e_main[j] == 0.0 && second == 0.0) continue;
        index[kept] = j;
        value[kept] = tableau->b[j];
        value[s + kept] = tableau->e_main[j];
        value[2 * s + kept++] = second;
    }
    step->ends = (sal_weights){kept, index, value};
    step->e_main = value + s;
    step->e_second = value + 2 * s;
    return true;
}

bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_row_form form,
                   sal_arena *arena)
{
    const int S = tableau->stages_dense;
    assert(S <= SAL_MOST_STAGES);
    *step = (sal_step){.tableau = tableau,
                       .nx = nx,
                       .ng = ng,
                       .form = form,
                       .filled = form.size,
                       .sums = sal_sums_get()};
    step->x0 = ARENA_NEW(arena, nx, double);
    step->x1 = ARENA_NEW(arena, nx, double);
    step->z0 = ARENA_NEW(arena, ng, double);
    step->dz = ARENA_NEW(arena, ng, double);
    step->own = ARENA_NEW(arena, (size_t)(S + 1) * (size_t)form.size, double);
    step->row = ARENA_NEW(arena, S + 1, double *);
    step->beta = ARENA_NEW(arena, S, double);
    step->chords = ARENA_NEW(arena, S * tableau->dense_degree, double);
    step->A = ARENA_NEW(arena, S, sal_weights);
    if (arena->failed) return false;
    for (int i = 0; i <= S; i++) step->row[i] = step->own + (size_t)i * (size_t)form.size;
    for (int i = 0; i < S; i++) step->A[i] = weights_of(tableau->A + i * S, i, arena);
    sal_tableau_chords(tableau, step->chords);
    step->b = weights_of(tableau->b, tableau->stages, arena);
    return find_ends(step, arena) && !arena->failed;
}

static void put_rows(sal_step *step, double *first)
{
    for (int i = 0; i < step->tableau->stages; i++)
        step->row[i] = first + (size_t)i * (size_t)step->form.size;
}

void sal_step_place(sal_step *step, double *rows)
{
    double *first = rows ? rows : step->own;
    if (first == step->row[0]) return;
    if (step->computed > 0) memcpy(first, step->row[0], (size_t)step->filled * sizeof *first);
    put_rows(step, first);
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* X of a stage; that of the end (x1) has the number of stages. */
static void combine_slopes(const sal_step *step, int i, double *x)
{
    const bool end = i == step->tableau->stages;
    if (step->wide && i <= step->tableau->stages) sal_wide_state(step->wide, step, i, x);
    else
        step->sums->gather(step->nx, step->x0, step->h, end ? &step->b : &step->A[i], step->row,
                           step->form.k, x);
}

/* There are few integrands: y = h sum_m weight_m g_m. */
static void combine_integrands(const sal_step *step, double h, const sal_weights *w, double *y)
{
    for (int i = 0; i < step->ng; i++) {
        double sum = 0.0;
        for (int m = 0; m < w->count; m++) sum += w->value[m] * sal_step_g(step, w->index[m])[i];
        y[i] = h * sum;
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

static void find_end(sal_step *step)
{
    if (!step->ended) combine_slopes(step, step->tableau->stages, step->x1);
    step->ended = true;
}

static int evaluate(sal_step *step, int i)
{
    if (i == step->tableau->end_stage && i >= step->tableau->stages) {
        find_end(step);
        memcpy(sal_step_x(step, i), step->x1, (size_t)step->nx * sizeof(double));
    } else combine_slopes(step, i, sal_step_x(step, i));
    const int bad =
        step->rhs(step->context, i, step->t + step->tableau->c[i] * step->h, step->row[i]);
    if (!bad) step->computed = i + 1;
    return bad;
}

/* Behind an advance the first stage is where the end stage was, unless the rows were placed. */
static void part_rows(sal_step *step)
{
    if (step->row[0] == step->row[step->tableau->end_stage]) sal_step_place(step, NULL);
}

int sal_step_first(sal_step *step, double t)
{
    step->computed = 0;
    part_rows(step);
    step->t = t;
    step->h = 0.0;
    return evaluate(step, 0);
}

int sal_step_take(sal_step *step, double h)
{
    step->h = h;
    step->rest = 0.0;
    part_rows(step);
    step->computed = 1;
    if (step->burst && step->burst(step->context, h)) step->computed = step->tableau->stages;
    for (int i = step->computed; i < step->tableau->stages; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    step->ended = false;
    find_end(step);
    combine_integrands(step, h, &step->b, step->dz);
    return 0;
}

void sal_step_retain(sal_step *step, double t, double h)
{
    step->t = t;
    step->h = h;
    step->rest = 0.0;
    step->computed = step->tableau->stages;
    step->ended = false;
}

/* The largest squares of the errors of z, as multiples of the tolerance. */
static void integrand_errors(const sal_step *step, double rtol, double atol, double most[2])
{
    most[0] = most[1] = 0.0;
    for (int i = 0; i < step->ng; i++) {
        double main = 0.0, second = 0.0;
        for (int m = 0; m < step->ends.count; m++) {
            const double g = sal_step_g(step, step->ends.index[m])[i];
            main += step->e_main[m] * g;
            second += step->e_second[m] * g;
        }
        const double end = step->z0[i] + step->dz[i];
        const double scale = step->h / (atol + rtol * fmax(fabs(step->z0[i]), fabs(end)));
        /* not fmax: a NaN stays */
        if (!(scale * main * (scale * main) <= most[0])) most[0] = scale * main * (scale * main);
        if (!(scale * second * (scale * second) <= most[1]))
            most[1] = scale * second * (scale * second);
    }
}

double sal_step_error(const sal_step *step, double rtol, double atol)
{
    const double *k[SAL_MOST_STAGES];
    double        x[2] = {0.0, 0.0}, z[2];
    for (int m = 0; m < step->ends.count; m++) k[m] = sal_step_k(step, step->ends.index[m]);
    step->sums->sizes(step->nx, step->ends.count, step->e_main, step->e_second, k, step->x0,
                      step->x1, rtol, atol, x);
    integrand_errors(step, rtol, atol, z);
    const double mean = step->nx > 0 ? step->h * step->h / step->nx : 0.0;
    const double main = mean * x[0] >= z[0] ? mean * x[0] : z[0];
    const double second = mean * x[1] >= z[1] ? mean * x[1] : z[1];
    if (mean * x[0] + z[0] + mean * x[1] + z[1] != mean * x[0] + z[0] + mean * x[1] + z[1])
        return NAN;
    if (!step->tableau->e_second || main == 0.0) return sqrt(main);
    return main / sqrt(main + 0.01 * second);
}

int sal_step_end(sal_step *step)
{
    const int end = step->tableau->end_stage;
    if (end < step->computed) return 0;
    return evaluate(step, end);
}

int sal_step_stretch(sal_step *step, double rest)
{
    const int     end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double *x = sal_step_x(step, end), *k = sal_step_k(step, end);
    const double *k_middle = sal_step_k(step, middle), *g = sal_step_g(step, middle);
    double       *x_middle = sal_step_x(step, middle);
    for (int i = 0; i < step->nx; i++) x_middle[i] = x[i] + 0.5 * rest * k[i];
    const int bad =
        step->rhs(step->context, middle, step->t + (step->h + 0.5 * rest), step->row[middle]);
    for (int i = 0; i < step->nx; i++) step->x1[i] = x[i] + rest * k_middle[i];
    combine_integrands(step, step->h, &step->b, step->dz);
    for (int i = 0; i < step->ng; i++) step->dz[i] += rest * g[i];
    step->rest = rest;
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
    const double *k[SAL_MOST_STAGES];
    const int     S = step->tableau->stages_dense;
    for (int i = 0; i < S; i++) k[i] = sal_step_k(step, i);
    step->sums->combine(step->nx, x, h, S, beta, k, y);
}

void sal_step_with(const sal_step *step, const double *beta, double *x)
{
    combine_all(step, step->x0, step->h, beta, x);
}

void sal_step_rate_with(const sal_step *step, const double *beta, double *rate)
{
    combine_all(step, NULL, 1.0, beta, rate);
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
    sal_step_rate_with(step, step->beta, rate);
}

void sal_step_advance(sal_step *step)
{
    const int end = step->tableau->end_stage;
    double   *last = step->row[end];
    step->t += step->h;
    memcpy(step->x0, step->x1, (size_t)step->nx * sizeof(double));
    put_rows(step, step->own); /* other rows belong to the step just taken */
    if (end < step->tableau->stages)
        memcpy(step->row[0], last, (size_t)step->filled * sizeof(double));
    else step->row[0] = last; /* until the next step is placed */
    for (int i = 0; i < step->ng; i++) step->z0[i] += step->dz[i];
    step->computed = 1;
}
