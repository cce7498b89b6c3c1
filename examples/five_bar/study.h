/* The five-bar study: section 4 of Corner, Sandu and Sandu (2018), "Adjoint sensitivity analysis of
 * hybrid multibody dynamical systems", done again and measured. Only the public headers are used.
 *
 * A study opens mechanisms (the model, run in one of several variants), writes tables to the
 * terminal and to its report, and series of numbers to files. Its error keeps the first failure:
 * later calls do nothing, and main reports it. */
#ifndef STUDY_H
#define STUDY_H

#include <stdio.h>

#include <saltus/saltus.h>

enum { COSTS = 3, PARAMS = 12, COORDINATES = 6, BARS = 4, MAX_EVENTS = 32 };
enum { P1_X, P1_Y, P2_X, P2_Y, P3_X, P3_Y }; /* the model's order */
enum { DIRECT, ADJOINT, DISCRETE, DIFFERENCES, METHODS };
enum { SHORT, LONG, HORIZONS }; /* 2 s and 5 s */

extern const double      horizon_seconds[HORIZONS];
extern const char *const method_names[METHODS];
extern const int         all_params[PARAMS]; /* 0, 1, ... */

/* What one run differs in. alpha 0: index-1, else the penalty factor. newton: the impact law that
 * conserves energy instead of the paper's. */
typedef struct variant {
    double seconds, tol, alpha;
    int    newton;
} variant;

typedef struct mechanism {
    saltus_system *system;
    saltus_run    *run;
    double         seconds;
    double         rho[PARAMS]; /* the model's values */
    const char    *param[PARAMS];
    int            cost[COSTS];
    const char    *cost_name[COSTS];
    int            events;
} mechanism;

/* dpsi/drho by every method, and the derivatives of the event times; index-1 at 1e-12. */
typedef struct gradients {
    double value[COSTS];
    double of[METHODS][COSTS * PARAMS];
    double time[METHODS][MAX_EVENTS * PARAMS];
} gradients;

/* The same numbers from tests/reference, known to 19 digits. */
typedef struct reference {
    double value[COSTS], gradient[COSTS * PARAMS];
    int    events;
    double time[MAX_EVENTS], time_gradient[MAX_EVENTS * PARAMS];
} reference;

/* The largest |Phi| and |d(Phi)/dt| of the four bars. */
typedef struct residuals {
    double phi, rate;
} residuals;

typedef struct study {
    const char  *model, *references, *folder;
    FILE        *report; /* NULL: the terminal only */
    saltus_error err;
    int          missed; /* requirements that do not hold */
    /* computed when first asked for */
    mechanism at[HORIZONS];
    gradients gradient[HORIZONS];
    int       has_gradient[HORIZONS], has_differences[HORIZONS];
} study;

/* ---- mechanism.c ---- */

/* Loads, compiles and simulates. Close it also after a failure. */
void mechanism_open(mechanism *m, study *s, variant v);
void mechanism_close(mechanism *m);
/* The index of a parameter of the model, by name. */
int param_index(const mechanism *m, const char *name);
/* count ascending times from 0 to the end. */
void sample_times(const mechanism *m, double *times, int count);
/* Phi and its rate of each bar. */
void      bar_residuals(const mechanism *m, const double *q, const double *v, double phi[BARS],
                        double rate[BARS]);
residuals worst_residuals(mechanism *m, study *s);
/* gradient[COSTS * PARAMS] and time_gradient[MAX_EVENTS * PARAMS] by one method. */
void mechanism_gradient(mechanism *m, study *s, int method, double *gradient,
                        double *time_gradient);

/* The index-1 run at 1e-12 over one of the horizons, and its gradients; kept by the study. Those by
 * finite differences, which take a second, are there only after study_differences. */
mechanism       *study_run(study *s, int horizon);
const gradients *study_gradients(study *s, int horizon);
const gradients *study_differences(study *s, int horizon);

/* ---- compare.c ---- */

/* The numbers for the run's horizon. */
void reference_load(reference *r, study *s, const mechanism *m);
/* The larger one; not a number, if one of them is not. */
double larger(double a, double b);
/* The largest |a - b|, relative to the largest |b| of its row: all rows of length PARAMS. */
double rows_apart(const double *a, const double *b, int rows);
/* The largest |a - b| / |b|, entry by entry. */
double entries_apart(const double *a, const double *b, int count);
/* The largest entrywise disagreement of direct, adjoint and discrete. */
double methods_apart(const gradients *g);
/* The largest deviation of lambda^T S + lambda_p from dpsi/drho along the run, relative as in
 * rows_apart. */
double duality_error(study *s, int horizon);
/* The largest difference between dz/drho along the run, directly and by central differences of two
 * runs with steps eps * rho, relative to the largest dz/drho; for one parameter. */
double differences_along(study *s, int horizon, int param, double eps);
/* d(dot(P2.y))/d(param) at the time of the first impact, by central differences. */
double difference_at_impact(study *s, int param, double eps);
/* By how much a moved start, d(q, v)/d(x20, y20), grows at most in 5 s. */
double largest_growth(study *s);

/* ---- sections.c, verdict.c: what is told ---- */

void section_events(study *s);
void section_quadratures(study *s);
void section_gradients(study *s);
void section_along(study *s);
void section_constraints(study *s);
void section_energy(study *s);
void section_penalty(study *s);
void section_conditioning(study *s);
void section_reference(study *s);
void section_claims(study *s);
void section_requirements(study *s);

/* ---- series.c: what is kept ---- */

enum { MAX_COLUMNS = 64, MAX_NAME = 64 };
typedef struct series {
    int     columns, rows, capacity;
    char    name[MAX_COLUMNS][MAX_NAME];
    double *cell; /* row by row; NaN: empty */
} series;

void motion_series(series *t, study *s, mechanism *m);
void sensitivity_series(series *t, study *s, mechanism *m);
void difference_series(series *t, study *s, const mechanism *m);
void adjoint_series(series *t, study *s, mechanism *m, int cost);
void series_free(series *t);

void section_files(study *s);

/* ---- say.c ---- */

/* Prints to the terminal and to the report. */
void say(study *s, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void heading(study *s, const char *title);
/* Opens a file in the study's folder for writing; NULL, with the study's error, on failure. */
FILE *study_file(study *s, const char *name);
/* Closes it; a failure to write is the study's error. */
void study_close(study *s, FILE *file);

#endif
