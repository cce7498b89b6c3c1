/* The scale of rounding errors of a cost and of its gradient.
 *
 * A cost may consist of rounding errors only: for example the final height of a body that has come
 * to rest on the ground. Its value and its gradient then do not show how large rounding errors may
 * be. The scale is the size that the cost has elsewhere on the motion: at each instant its final
 * expression w and its integrand g have the terms
 *
 *     |dw/du u|,    |dw/du du/dt t|    and    |dw/du du/drho|        u = (t, q, v, c, rho),
 *
 * and a rounding error made there is a small part of them. If reactions cancel forces, as on a body
 * at rest, accelerations have the rounding errors of the forces, A_i = |Phi_q,i^T mu| / M_ii, and
 * states have their integrals. Charges of events have such terms at these events. An expression
 * that is not finite has no size, as 1/t at the start: final expressions matter only at the end. */
#include "gradient/gradients.h"

#include <math.h>
#include <string.h>

#include "gradient/output_rows.h"
#include "run/peaks.h"
#include "saltus/saltus.h"

typedef struct sizes {
    saltus_run       *run;
    const sal_wanted *wanted;
    int               first; /* first parameter of the present walk */
    double            span;  /* duration of the motion */
    double           *size, *gradient;
    double           *most; /* 2n + memories: the largest magnitudes of states so far */
    double           *held; /* n: the largest A_i so far */
    double           *bar, *a_bar, *seed; /* layout.size, n, costs */
} sizes;

/* The derivative of a peak's expression at the state in the field. */
static void differentiate_peak(const sizes *s, int i)
{
    const saltus_system *system = s->run->system;
    sal_field           *field = &s->run->locator.field;
    memset(s->bar, 0, (size_t)system->layout.size * sizeof(double));
    memset(s->a_bar, 0, (size_t)system->n * sizeof(double));
    memset(s->seed, 0, (size_t)system->nc * sizeof(double));
    s->seed[i] = 1.0;
    sal_map_adjoint(&system->peak_map, field->u, s->seed, 1, s->bar, field->work);
    if (system->peak[i].needs_a) sal_field_adjoint(field, s->a_bar, NULL, 1, s->bar);
}

/* The derivative of the cost's integrand, or final expression, at the state in the field. */
static void differentiate(const sizes *s, int cost, bool integrand)
{
    const saltus_system *system = s->run->system;
    sal_field           *field = &s->run->locator.field;
    memset(s->bar, 0, (size_t)system->layout.size * sizeof(double));
    memset(s->a_bar, 0, (size_t)system->n * sizeof(double));
    memset(s->seed, 0, (size_t)system->nc * sizeof(double));
    s->seed[cost] = 1.0;
    if (!integrand) sal_map_adjoint(&system->final, field->u, s->seed, 1, s->bar, field->work);
    if (integrand || system->final_needs_a)
        sal_field_adjoint(field, s->a_bar, integrand ? s->seed : NULL, 1, s->bar);
}

/* The magnitude of the derivative of an event's charge by the state before it, plus that by the
 * state after it, since both states are of the same size. The jump is loaded. */
static void differentiate_charge(const sizes *s, int cost)
{
    const saltus_system *system = s->run->system;
    const int           *at = system->layout.at;
    memset(s->bar, 0, (size_t)system->layout.size * sizeof(double));
    memset(s->seed, 0, (size_t)system->nc * sizeof(double));
    s->seed[cost] = 1.0;
    sal_jump_charge_slopes(&s->run->jump, s->seed, 1, s->bar);
    for (int i = 0; i < system->n; i++) {
        s->bar[at[SAL_LEAF_Q] + i] =
            fabs(s->bar[at[SAL_LEAF_Q] + i]) + fabs(s->bar[at[SAL_LEAF_Q_AFTER] + i]);
        s->bar[at[SAL_LEAF_V] + i] =
            fabs(s->bar[at[SAL_LEAF_V] + i]) + fabs(s->bar[at[SAL_LEAF_V_AFTER] + i]);
    }
}

/* The changes of states by the rounding of time, and by the rounding of forces that cancel. */
static double moved_terms(const sizes *s, const saltus_row *row)
{
    const int *at = s->run->system->layout.at;
    double     sum = 0.0;
    for (int i = 0; i < s->run->system->n; i++) {
        const double v = fabs(row->a[i] * row->t) + s->held[i] * s->span;
        const double q = fabs(row->v[i] * row->t) + s->held[i] * s->span * s->span;
        sum += fabs(s->bar[at[SAL_LEAF_Q] + i]) * q + fabs(s->bar[at[SAL_LEAF_V] + i]) * v;
    }
    return sum;
}

static double terms(const sizes *s, const saltus_row *row)
{
    const saltus_system *system = s->run->system;
    const int           *at = system->layout.at;
    double               sum = fabs(s->bar[at[SAL_LEAF_T]] * row->t);
    for (int i = 0; i < system->n; i++)
        sum += fabs(s->bar[at[SAL_LEAF_Q] + i] * row->q[i]) +
               fabs(s->bar[at[SAL_LEAF_V] + i] * row->v[i]);
    for (int i = 0; i < system->nm; i++) sum += fabs(s->bar[at[SAL_LEAF_C] + i] * row->c[i]);
    for (int i = 0; i < system->np; i++)
        sum += fabs(s->bar[at[SAL_LEAF_P] + i] * s->run->params[i]);
    return sum;
}

static double slope_terms(const sizes *s, const saltus_tangent_row *row, int k)
{
    const saltus_system *system = s->run->system;
    const int           *at = system->layout.at, np = row->params;
    double               sum = fabs(s->bar[at[SAL_LEAF_P] + s->wanted->params[s->first + k]]);
    for (int i = 0; i < system->n; i++)
        sum += fabs(s->bar[at[SAL_LEAF_Q] + i] * row->dq[i * np + k]) +
               fabs(s->bar[at[SAL_LEAF_V] + i] * row->dv[i * np + k]);
    for (int i = 0; i < system->nm; i++)
        sum += fabs(s->bar[at[SAL_LEAF_C] + i] * row->dc[i * np + k]);
    return sum;
}

/* Terms are not numbers where there are no accelerations. */
static void enlarge(double *size, double here)
{
    if (isfinite(here) && here > *size) *size = here;
}

/* by: the factor applied to the terms. */
static void keep(const sizes *s, int place, double by, const saltus_row *row,
                 const saltus_tangent_row *tangents)
{
    double *const slopes = s->gradient + (size_t)place * (size_t)s->wanted->param_count + s->first;
    enlarge(&s->size[place], by * (terms(s, row) + moved_terms(s, row)));
    for (int k = 0; tangents && k < tangents->params; k++)
        enlarge(&slopes[k], by * slope_terms(s, tangents, k));
}

static void keep_states(const sizes *s, const saltus_row *row)
{
    const int n = s->run->system->n;
    for (int i = 0; i < n; i++) {
        enlarge(&s->most[i], fabs(row->q[i]));
        enlarge(&s->most[n + i], fabs(row->v[i]));
    }
    for (int i = 0; i < s->run->system->nm; i++) enlarge(&s->most[2 * n + i], fabs(row->c[i]));
}

/* Keeps the largest A_i. Evaluates the field's matrix at the row. */
static void keep_reactions(const sizes *s, const saltus_row *row)
{
    sal_field    *field = &s->run->locator.field;
    const int     n = field->system->n;
    const double *entries = field->system->nmu > 0 ? sal_field_matrix(field) : NULL;
    const int    *columns;
    int           count;
    memset(s->bar, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < field->system->nmu; j++) {
        const int first = sal_symmetric_row(&field->regime->shape, n + j, &count, &columns);
        if (!field->regime->on[j]) continue;
        for (int e = 0; e < count && (columns ? columns[e] : e) < n; e++)
            s->bar[columns ? columns[e] : e] += fabs(entries[first + e] * row->mu[j]);
    }
    for (int i = 0; i < n && entries; i++) {
        const int first = sal_symmetric_row(&field->regime->shape, i, &count, &columns);
        enlarge(&s->held[i], s->bar[i] / fabs(entries[first + count - 1]));
    }
}

static void keep_row(const sizes *s, const saltus_row *row, const saltus_tangent_row *tangents)
{
    const saltus_system *system = s->run->system;
    const sal_field     *field = &s->run->locator.field; /* where the row was evaluated */
    keep_states(s, row);
    sal_map_value(&system->final, field->u, s->seed, field->work);
    for (int i = 0; i < s->wanted->cost_count; i++) {
        const int cost = s->wanted->costs[i];
        enlarge(&s->size[i], fabs(s->seed[cost]) + fabs(row->z[cost]));
    }
    for (int i = 0; i < s->wanted->cost_count; i++) {
        const int cost = s->wanted->costs[i];
        differentiate(s, cost, false);
        keep(s, i, 1.0, row, tangents);
        if (!system->cost_integral[cost][0]) continue;
        differentiate(s, cost, true);
        keep(s, i, s->span, row, tangents);
    }
    for (int k = 0; k < system->peaks; k++)
        for (int i = 0; i < s->wanted->cost_count; i++) {
            if (s->wanted->costs[i] != system->peak[k].cost) continue;
            enlarge(&s->size[i], s->run->peaks[k].size);
            differentiate_peak(s, k);
            keep(s, i, 1.0, row, tangents);
        }
    keep_reactions(s, row);
}

/* Keeps the sizes of charges at an event. States that are zero at this instant have rounding errors
 * of the size that they had before. */
static void keep_charges(const sizes *s, const saltus_tangent_row *tangents)
{
    const int  n = s->run->system->n;
    saltus_row row = tangents->at;
    row.q = s->most;
    row.v = s->most + n;
    row.c = s->most + 2 * n;
    for (int i = 0; i < s->wanted->cost_count; i++) {
        differentiate_charge(s, s->wanted->costs[i]);
        keep(s, i, 1.0, &row, tangents);
    }
}

static int plain_row(void *context, const saltus_row *row)
{
    keep_row(context, row, NULL);
    return 0;
}

static int tangent_row(void *context, const saltus_tangent_row *row)
{
    keep_row(context, &row->at, row);
    if (row->at.event >= 0 && !row->at.after) keep_charges(context, row);
    return 0;
}

static saltus_status walk(sizes *s, const double *times, int count, saltus_error *err)
{
    const sal_wanted *w = s->wanted;
    if (w->param_count == 0) return saltus_run_trajectory(s->run, times, count, plain_row, s, err);
    for (s->first = 0; s->first < w->param_count; s->first += SALTUS_TANGENTS) {
        const int left = w->param_count - s->first;
        TRY(saltus_run_tangents(s->run, w->params + s->first,
                                left < SALTUS_TANGENTS ? left : SALTUS_TANGENTS, times, count,
                                tangent_row, s, err));
    }
    return SALTUS_OK;
}

/* The terms of the final expressions at the end. */
static saltus_status find_end(const sizes *s, double *end, saltus_error *err)
{
    saltus_row row;
    TRY(saltus_run_final(s->run, &row, err));
    for (int i = 0; i < s->wanted->cost_count; i++) {
        differentiate(s, s->wanted->costs[i], false);
        end[i] = terms(s, &row) + fabs(row.z[s->wanted->costs[i]]);
    }
    return SALTUS_OK;
}

saltus_status sal_run_sizes(saltus_run *run, const sal_wanted *wanted, const double *times,
                            int count, double *size, double *end, double *gradient,
                            saltus_error *err)
{
    const saltus_system *system = run->system;
    const size_t         costs = (size_t)wanted->cost_count;
    sal_arena            scratch;
    sal_arena_init(&scratch, &run->arena.allocator);
    sizes s = {.run = run,
               .wanted = wanted,
               .span = run->end.t - run->t0,
               .size = size,
               .gradient = gradient,
               .most = ARENA_NEW(&scratch, 2 * system->n + system->nm, double),
               .held = ARENA_NEW(&scratch, system->n, double),
               .bar = ARENA_NEW(&scratch, system->layout.size, double),
               .a_bar = ARENA_NEW(&scratch, system->n, double),
               .seed = ARENA_NEW(&scratch, system->nc, double)};
    memset(size, 0, costs * sizeof *size);
    if (gradient) memset(gradient, 0, costs * (size_t)wanted->param_count * sizeof *gradient);
    saltus_status status = scratch.failed ? sal_fail_memory(err) : walk(&s, times, count, err);
    if (status == SALTUS_OK && end) status = find_end(&s, end, err);
    sal_arena_free(&scratch);
    return status;
}

enum { TIMES = 65 };

saltus_status sal_cost_sizes(saltus_run *run, const sal_wanted *wanted, double *size,
                             double *slope_size, saltus_error *err)
{
    sal_wanted costs = {.costs = wanted->costs, .cost_count = wanted->cost_count};
    if (slope_size) costs = *wanted;
    const double start = run->t0;
    double       times[TIMES];
    for (int i = 0; i < TIMES; i++) times[i] = start + (run->end.t - start) * i / (TIMES - 1);
    return sal_run_sizes(run, &costs, times, TIMES, size, NULL, slope_size, err);
}
