/* Distances: between methods, to the reference, along the run. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "study.h"

double larger(double a, double b) { return isnan(a) || a >= b ? a : b; }

double rows_apart(const double *a, const double *b, int rows)
{
    double worst = 0.0;
    for (int i = 0; i < rows; i++) {
        double apart = 0.0, largest = 0.0;
        for (int j = i * PARAMS; j < (i + 1) * PARAMS; j++) {
            apart = larger(apart, fabs(a[j] - b[j]));
            largest = larger(largest, fabs(b[j]));
        }
        worst = larger(worst, apart / largest);
    }
    return worst;
}

double entries_apart(const double *a, const double *b, int count)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        if (a[i] != b[i]) worst = larger(worst, fabs(a[i] - b[i]) / fabs(b[i]));
    return worst;
}

double methods_apart(const gradients *g)
{
    const double ad = entries_apart(g->of[ADJOINT], g->of[DIRECT], COSTS * PARAMS);
    const double dd = entries_apart(g->of[DISCRETE], g->of[DIRECT], COSTS * PARAMS);
    const double da = entries_apart(g->of[DISCRETE], g->of[ADJOINT], COSTS * PARAMS);
    return larger(ad, larger(dd, da));
}

/* ---- the reference -------------------------------------------------------------------------- */

static double read_output(const json_t *root, const char *name, const mechanism *m, double *row)
{
    const json_t *output = json_object_get(json_object_get(root, "outputs"), name);
    const json_t *gradient = json_object_get(output, "gradient");
    for (int j = 0; j < PARAMS; j++) {
        const json_t *entry = json_object_get(gradient, m->param[j]);
        row[j] = entry ? json_number_value(entry) : NAN;
    }
    const json_t *value = json_object_get(output, "value");
    return value ? json_number_value(value) : NAN;
}

void reference_load(reference *r, study *s, const mechanism *m)
{
    char         path[512], name[32];
    json_error_t error;
    if (s->err.status) return;
    snprintf(path, sizeof path, "%s/fivebar_%gs.json", s->references, m->seconds);
    json_t *root = json_load_file(path, 0, &error);
    if (!root) {
        s->err.status = SALTUS_ERR_FILE;
        snprintf(
            s->err.message, sizeof s->err.message,
            "cannot read the reference %s: %s; say with -r where the folder tests/reference is",
            path, error.text);
        return;
    }
    for (int k = 0; k < COSTS; k++)
        r->value[k] = read_output(root, m->cost_name[k], m, r->gradient + k * PARAMS);
    r->events = (int)json_array_size(json_object_get(root, "events"));
    if (r->events > MAX_EVENTS) r->events = MAX_EVENTS;
    for (int i = 0; i < r->events; i++) {
        snprintf(name, sizeof name, "t_event_%d", i + 1);
        r->time[i] = read_output(root, name, m, r->time_gradient + i * PARAMS);
    }
    json_decref(root);
}

/* ---- duality -------------------------------------------------------------------------------- */

/* S at the sampled times and on both sides of the impacts, in order; adjoints come in the opposite
 * one. */
enum { SAMPLES = 201, MAX_ROWS = SAMPLES + 2 * MAX_EVENTS };
typedef struct duality {
    const mechanism *m;
    int              rows, cost; /* of the m->cost */
    double           t[MAX_ROWS];
    double           dq[MAX_ROWS][COORDINATES * PARAMS], dv[MAX_ROWS][COORDINATES * PARAMS];
    double           dz[MAX_ROWS][COSTS * PARAMS];
    double           product[PARAMS]; /* dpsi/drho */
    double           worst;
} duality;

static int keep_tangent(void *context, const saltus_tangent_row *row)
{
    duality *d = context;
    if (d->rows == MAX_ROWS) return 1;
    d->t[d->rows] = row->at.t;
    memcpy(d->dq[d->rows], row->dq, sizeof d->dq[0]);
    memcpy(d->dv[d->rows], row->dv, sizeof d->dv[0]);
    for (int k = 0; k < COSTS; k++)
        memcpy(d->dz[d->rows] + k * PARAMS, row->dz + d->m->cost[k] * PARAMS,
               PARAMS * sizeof(double));
    d->rows++;
    return 0;
}

static int multiply(void *context, const saltus_adjoint_row *row)
{
    duality  *d = context;
    const int i = --d->rows;
    double    product[PARAMS];
    if (i < 0 || d->t[i] != row->at.t) {
        d->worst = NAN; /* the two walks do not meet */
        return 1;
    }
    for (int j = 0; j < PARAMS; j++) {
        product[j] = row->lambda_p[j] + d->dz[i][d->cost * PARAMS + j];
        for (int c = 0; c < COORDINATES; c++)
            product[j] += row->lambda_q[c] * d->dq[i][c * PARAMS + j] +
                          row->lambda_v[c] * d->dv[i][c * PARAMS + j];
    }
    d->worst = larger(d->worst, rows_apart(product, d->product, 1));
    return 0;
}

double duality_error(study *s, int horizon)
{
    static duality   d;
    double           times[SAMPLES];
    mechanism       *m = study_run(s, horizon);
    const gradients *g = study_gradients(s, horizon);
    if (s->err.status) return NAN;
    d.m = m;
    d.worst = 0.0;
    d.rows = 0;
    sample_times(m, times, SAMPLES);
    saltus_run_tangents(m->run, all_params, PARAMS, times, SAMPLES, keep_tangent, &d, &s->err);
    const int rows = d.rows;
    for (d.cost = 0; d.cost < COSTS && !s->err.status && !isnan(d.worst); d.cost++) {
        d.rows = rows;
        memcpy(d.product, g->of[DISCRETE] + d.cost * PARAMS, sizeof d.product);
        saltus_run_adjoints(m->run, m->cost[d.cost], times, SAMPLES, multiply, &d, &s->err);
    }
    return d.worst;
}

/* ---- finite differences along the run ------------------------------------------------------- */

typedef struct along {
    const mechanism *m;
    int              count;
    double           z[SAMPLES][COSTS];
} along;

static int keep_quadratures(void *context, const saltus_row *row)
{
    along *a = context;
    if (row->event >= 0) return 0;
    for (int k = 0; k < COSTS && a->count < SAMPLES; k++) a->z[a->count][k] = row->z[a->m->cost[k]];
    a->count++;
    return 0;
}

static int keep_speed(void *context, const saltus_row *row)
{
    double *speed = context;
    if (row->event < 0) *speed = row->v[P2_Y];
    return 0;
}

/* Runs with one parameter moved by `by`, and calls the function for the given times. */
static void run_moved(study *s, int horizon, int param, double by, const double *times, int count,
                      saltus_row_function row, void *context)
{
    double    rho[PARAMS];
    mechanism m;
    mechanism_open(&m, s, (variant){.seconds = horizon_seconds[horizon], .tol = 1e-12});
    if (!s->err.status) {
        memcpy(rho, m.rho, sizeof rho);
        rho[param] += by;
        saltus_run_simulate(m.run, rho, &s->err);
        saltus_run_trajectory(m.run, times, count, row, context, &s->err);
    }
    mechanism_close(&m);
}

double differences_along(study *s, int horizon, int param, double eps)
{
    static along   up, down;
    static duality d; /* for its tangents */
    double         times[SAMPLES], worst = 0.0;
    mechanism     *m = study_run(s, horizon);
    if (s->err.status) return NAN;
    const double step = eps * fabs(m->rho[param]);
    sample_times(m, times, SAMPLES);
    up = down = (along){.m = m};
    run_moved(s, horizon, param, step, times, SAMPLES, keep_quadratures, &up);
    run_moved(s, horizon, param, -step, times, SAMPLES, keep_quadratures, &down);
    d.m = m;
    d.rows = 0;
    saltus_run_tangents(m->run, all_params, PARAMS, times, SAMPLES, keep_tangent, &d, &s->err);
    for (int k = 0; k < COSTS && !s->err.status; k++) {
        double apart = 0.0, largest = 0.0;
        for (int i = 0, row = 0; i < SAMPLES; i++, row++) {
            while (row < d.rows && d.t[row] != times[i]) row++; /* over the impacts */
            const double direct = d.dz[row][k * PARAMS + param];
            apart = larger(apart, fabs((up.z[i][k] - down.z[i][k]) / (2.0 * step) - direct));
            largest = larger(largest, fabs(direct));
        }
        worst = larger(worst, apart / largest);
    }
    return worst;
}

double difference_at_impact(study *s, int param, double eps)
{
    mechanism *m = study_run(s, SHORT);
    if (s->err.status) return NAN;
    const double t = saltus_run_event(m->run, 0).t, step = eps * fabs(m->rho[param]);
    double       up = NAN, down = NAN;
    run_moved(s, SHORT, param, step, &t, 1, keep_speed, &up);
    run_moved(s, SHORT, param, -step, &t, 1, keep_speed, &down);
    return (up - down) / (2.0 * step);
}
