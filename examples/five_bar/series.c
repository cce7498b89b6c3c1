/* Numbers over time, and the files they go to: comma-separated, one line of names, 17 digits. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

enum { SAMPLES = 501 };

/* ---- a series ------------------------------------------------------------------------------- */

static void add_column(series *t, const char *format, ...)
{
    va_list arguments;
    if (t->columns == MAX_COLUMNS) return;
    va_start(arguments, format);
    vsnprintf(t->name[t->columns++], MAX_NAME, format, arguments);
    va_end(arguments);
}

/* A new row of NaN; NULL without memory. */
static double *add_row(series *t)
{
    if (t->rows == t->capacity) {
        const int capacity = t->capacity ? 2 * t->capacity : 256;
        double   *cell = realloc(t->cell, (size_t)capacity * (size_t)t->columns * sizeof *t->cell);
        if (!cell) return NULL;
        t->cell = cell;
        t->capacity = capacity;
    }
    double *row = t->cell + t->columns * t->rows++;
    for (int i = 0; i < t->columns; i++) row[i] = NAN;
    return row;
}

void series_free(series *t)
{
    free(t->cell);
    t->cell = NULL;
    t->rows = t->capacity = 0;
}

static void series_write(const series *t, study *s, const char *name)
{
    FILE *file = study_file(s, name);
    if (!file) return;
    for (int i = 0; i < t->columns; i++)
        fprintf(file, "%s%s", t->name[i], i + 1 < t->columns ? "," : "\n");
    for (int i = 0; i < t->rows * t->columns; i++) {
        if (!isnan(t->cell[i])) fprintf(file, "%.17g", t->cell[i]);
        fputc((i + 1) % t->columns ? ',' : '\n', file);
    }
    study_close(s, file);
}

/* What a walk along a run fills. */
typedef struct filling {
    series          *t;
    const mechanism *m;
} filling;

/* ---- the motion ----------------------------------------------------------------------------- */

static int fill_motion(void *context, const saltus_row *row)
{
    const filling *f = context;
    double        *cell = add_row(f->t);
    if (!cell) return 1;
    *cell++ = row->t;
    for (int c = 0; c < COORDINATES; c++) *cell++ = row->q[c];
    for (int c = 0; c < COORDINATES; c++) *cell++ = row->v[c];
    for (int c = 0; c < COORDINATES; c++) *cell++ = row->a[c];
    for (int b = 0; b < BARS; b++) *cell++ = row->mu[b];
    for (int k = 0; k < COSTS; k++) *cell++ = row->z[f->m->cost[k]];
    bar_residuals(f->m, row->q, row->v, cell, cell + BARS);
    cell += 2 * BARS;
    *cell++ = row->kinetic;
    *cell = row->potential;
    return 0;
}

void motion_series(series *t, study *s, mechanism *m)
{
    static const char *const dots[] = {"%s", "dot(%s)", "ddot(%s)"};
    double                   times[SAMPLES];
    filling                  f = {t, m};
    *t = (series){0};
    if (s->err.status) return;
    add_column(t, "t");
    for (int d = 0; d < 3; d++)
        for (int c = 0; c < COORDINATES; c++)
            add_column(t, dots[d], saltus_system_coordinate(m->system, c).name);
    for (int b = 0; b < BARS; b++)
        add_column(t, "multiplier(%s)", saltus_system_constraint(m->system, b).name);
    for (int k = 0; k < COSTS; k++) add_column(t, "%s", m->cost_name[k]);
    for (int b = 0; b < BARS; b++)
        add_column(t, "phi(%s)", saltus_system_constraint(m->system, b).name);
    for (int b = 0; b < BARS; b++)
        add_column(t, "dot(phi(%s))", saltus_system_constraint(m->system, b).name);
    add_column(t, "kinetic");
    add_column(t, "potential");
    sample_times(m, times, SAMPLES);
    saltus_run_trajectory(m->run, times, SAMPLES, fill_motion, &f, &s->err);
}

/* ---- sensitivities -------------------------------------------------------------------------- */

static int fill_sensitivity(void *context, const saltus_tangent_row *row)
{
    const filling *f = context;
    double        *cell = add_row(f->t);
    if (!cell) return 1;
    *cell++ = row->at.t;
    for (int k = 0; k < COSTS; k++)
        for (int j = 0; j < PARAMS; j++) *cell++ = row->dz[f->m->cost[k] * PARAMS + j];
    for (int j = 0; j < PARAMS; j++) *cell++ = row->dq[P2_Y * PARAMS + j];
    for (int j = 0; j < PARAMS; j++) *cell++ = row->dv[P2_Y * PARAMS + j];
    return 0;
}

void sensitivity_series(series *t, study *s, mechanism *m)
{
    double  times[SAMPLES];
    filling f = {t, m};
    *t = (series){0};
    if (s->err.status) return;
    add_column(t, "t");
    for (int k = 0; k < COSTS; k++)
        for (int j = 0; j < PARAMS; j++) add_column(t, "d(%s)/d(%s)", m->cost_name[k], m->param[j]);
    for (int j = 0; j < PARAMS; j++) add_column(t, "d(P2.y)/d(%s)", m->param[j]);
    for (int j = 0; j < PARAMS; j++) add_column(t, "d(dot(P2.y))/d(%s)", m->param[j]);
    sample_times(m, times, SAMPLES);
    saltus_run_tangents(m->run, all_params, PARAMS, times, SAMPLES, fill_sensitivity, &f, &s->err);
}

/* ---- finite differences --------------------------------------------------------------------- */

enum { DIFFERENCED = COSTS + 2 }; /* the costs, P2.y, dot(P2.y) */
typedef struct moved {
    const mechanism *m;
    int              rows;
    double           of[SAMPLES][DIFFERENCED];
} moved;

static int keep_moved(void *context, const saltus_row *row)
{
    moved *k = context;
    if (row->event >= 0 || k->rows == SAMPLES) return 0;
    double *of = k->of[k->rows++];
    for (int i = 0; i < COSTS; i++) of[i] = row->z[k->m->cost[i]];
    of[COSTS] = row->q[P2_Y];
    of[COSTS + 1] = row->v[P2_Y];
    return 0;
}

static void run_moved(study *s, const mechanism *like, int param, double by, moved *kept)
{
    double    times[SAMPLES];
    mechanism m;
    mechanism_open(&m, s, (variant){.seconds = like->seconds, .tol = 1e-12});
    *kept = (moved){.m = like};
    if (!s->err.status) {
        m.rho[param] += by;
        sample_times(&m, times, SAMPLES);
        saltus_run_simulate(m.run, m.rho, &s->err);
        saltus_run_trajectory(m.run, times, SAMPLES, keep_moved, kept, &s->err);
    }
    mechanism_close(&m);
}

/* Central differences by the natural lengths of the springs, with steps of 1e-5 of them. */
void difference_series(series *t, study *s, const mechanism *m)
{
    static moved             up[2], down[2];
    static const char *const by[2] = {"L01", "L02"};
    double                   times[SAMPLES], step[2];
    *t = (series){0};
    if (s->err.status) return;
    add_column(t, "t");
    for (int j = 0; j < 2; j++) {
        const int param = param_index(m, by[j]);
        step[j] = 1e-5 * m->rho[param];
        run_moved(s, m, param, step[j], &up[j]);
        run_moved(s, m, param, -step[j], &down[j]);
        for (int k = 0; k < COSTS; k++) add_column(t, "d(%s)/d(%s)", m->cost_name[k], by[j]);
        add_column(t, "d(P2.y)/d(%s)", by[j]);
        add_column(t, "d(dot(P2.y))/d(%s)", by[j]);
    }
    sample_times(m, times, SAMPLES);
    for (int i = 0; i < SAMPLES && !s->err.status; i++) {
        double *cell = add_row(t);
        if (!cell) return;
        *cell++ = times[i];
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < DIFFERENCED; k++)
                *cell++ = (up[j].of[i][k] - down[j].of[i][k]) / (2.0 * step[j]);
    }
}

/* ---- adjoints ------------------------------------------------------------------------------- */

static int fill_adjoint(void *context, const saltus_adjoint_row *row)
{
    const filling *f = context;
    double        *cell = add_row(f->t);
    if (!cell) return 1;
    *cell++ = row->at.t;
    for (int c = 0; c < COORDINATES; c++) *cell++ = row->lambda_q[c];
    for (int c = 0; c < COORDINATES; c++) *cell++ = row->lambda_v[c];
    for (int j = 0; j < PARAMS; j++) *cell++ = row->lambda_p[j];
    return 0;
}

void adjoint_series(series *t, study *s, mechanism *m, int cost)
{
    double  times[SAMPLES];
    filling f = {t, m};
    *t = (series){0};
    if (s->err.status) return;
    add_column(t, "t");
    for (int c = 0; c < COORDINATES; c++)
        add_column(t, "lambda(%s)", saltus_system_coordinate(m->system, c).name);
    for (int c = 0; c < COORDINATES; c++)
        add_column(t, "lambda(dot(%s))", saltus_system_coordinate(m->system, c).name);
    for (int j = 0; j < PARAMS; j++) add_column(t, "lambda(%s)", m->param[j]);
    sample_times(m, times, SAMPLES);
    saltus_run_adjoints(m->run, m->cost[cost], times, SAMPLES, fill_adjoint, &f, &s->err);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void write_gradients(study *s)
{
    FILE *file = study_file(s, "gradients.csv");
    if (!file) return;
    fprintf(file, "seconds,cost,by,direct,adjoint,discrete,fd\n");
    for (int h = 0; h < HORIZONS; h++) {
        const gradients *g = study_differences(s, h);
        const mechanism *m = study_run(s, h);
        for (int i = 0; i < COSTS * PARAMS && !s->err.status; i++) {
            fprintf(file, "%g,%s,%s", m->seconds, m->cost_name[i / PARAMS], m->param[i % PARAMS]);
            for (int j = 0; j < METHODS; j++) fprintf(file, ",%.17g", g->of[j][i]);
            fputc('\n', file);
        }
    }
    study_close(s, file);
}

static void write_events(study *s)
{
    const mechanism *m = study_run(s, LONG);
    const gradients *g = study_gradients(s, LONG);
    FILE            *file = study_file(s, "events.csv");
    if (!file) return;
    fprintf(file, "event,time,rate,energy_before,energy_after");
    for (int j = 0; j < PARAMS; j++) fprintf(file, ",d(time)/d(%s)", m->param[j]);
    for (int i = 0; i < m->events; i++) {
        const saltus_occurrence event = saltus_run_event(m->run, i);
        fprintf(file, "\n%d,%.17g,%.17g,%.17g,%.17g", i + 1, event.t, event.rate,
                event.energy_before, event.energy_after);
        for (int j = 0; j < PARAMS; j++) fprintf(file, ",%.17g", g->time[DISCRETE][i * PARAMS + j]);
    }
    fputc('\n', file);
    study_close(s, file);
}

static void write_series(series *t, study *s, const char *name)
{
    if (!s->err.status) series_write(t, s, name);
    series_free(t);
}

void section_files(study *s)
{
    series     t;
    mechanism *m = study_run(s, LONG), penalty;
    char       name[64];
    write_events(s);
    write_gradients(s);
    motion_series(&t, s, m);
    write_series(&t, s, "motion.csv");
    mechanism_open(&penalty, s, (variant){.seconds = 5.0, .tol = 1e-12, .alpha = 1e7});
    motion_series(&t, s, &penalty);
    write_series(&t, s, "motion_penalty.csv");
    mechanism_close(&penalty);
    sensitivity_series(&t, s, m);
    write_series(&t, s, "sensitivities.csv");
    difference_series(&t, s, m);
    write_series(&t, s, "differences.csv");
    for (int k = 0; k < COSTS && !s->err.status; k++) {
        adjoint_series(&t, s, m, k);
        snprintf(name, sizeof name, "adjoint_%s.csv", m->cost_name[k]);
        write_series(&t, s, name);
    }
    heading(s, "The numbers");
    say(s, "In %s, over 5 s:\n\n", s->folder);
    say(s, "    %-20s  positions, velocities, accelerations, multipliers, quadratures, residuals\n",
        "motion.csv");
    say(s, "    %-20s  the same with the penalty formulation, alpha 1e7\n", "motion_penalty.csv");
    say(s, "    %-20s  of the quadratures and of point 2, by all parameters, directly\n",
        "sensitivities.csv");
    say(s, "    %-20s  the same by central differences, by L01 and L02\n", "differences.csv");
    say(s, "    %-20s  adjoints of each cost, from the end to the start\n", "adjoint_*.csv");
    say(s, "    %-20s  times, speeds, energies, derivatives of the times\n", "events.csv");
    say(s, "    %-20s  three costs by twelve parameters, four ways, over 2 s and 5 s\n\n",
        "gradients.csv");
}
