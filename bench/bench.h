/* What contestants, problems and measurements have in common.
 *
 * A contestant computes the cost of one problem, or the cost and its gradient, at a tolerance. It
 * is measured by what it *achieves*: for each mark (a relative error against the reference) the
 * loosest tolerance that reaches it is looked for, and the run at that tolerance is timed. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

/* ---- contestants ---------------------------------------------------------------------------- */

typedef struct answer {
    double        cost;
    const double *gradient; /* borrowed until the next run; NULL of a forward run */
    int           events;
    long long     steps; /* 0: not told */
} answer;

typedef struct contestant {
    const char *name;  /* as in the table */
    const char *build; /* how its library was built; "" where that is said elsewhere */
    bool        gradient;
    void       *self;
    /* One complete run. False if it failed. A second run at the same tolerance prepares nothing. */
    bool (*run)(void *self, double tol, answer *out);
    void (*release)(void *self); /* may be NULL */
} contestant;

typedef struct contestants {
    contestant *list;
    int         count, capacity;
} contestants;

void contestants_add(contestants *all, contestant one);
void contestants_release(contestants *all);

/* ---- problems -------------------------------------------------------------------------------- */

/* A hybrid system with one guard, as its peers see it; autonomous, all derivatives by hand.
 *     x' = f(x, p),  cost = integral of g(x, f, p),  x+ = R(x, p) where x[guard] - level falls to 0
 */
typedef struct problem problem;
/* A row of a sparse matrix; the same columns for all x. */
typedef struct problem_row {
    int     count, *column;
    double *value;
} problem_row;
struct problem {
    const char   *name;
    int           n, np; /* states, parameters */
    double        end;
    int           guard; /* state that must not fall below the level; -1: smooth */
    double        level;
    const double *p;
    void (*start)(const problem *self,
                  double        *x); /* does not depend on p, unless dstart is given */
    void (*dstart)(const problem *self, int k, double *dx);         /* by parameter k; NULL: 0 */
    double (*rhs)(const problem *self, const double *x, double *f); /* returns g */
    /* The derivative in the direction (dx, parameter k; -1: none); returns that of g. */
    double (*tangent)(const problem *self, const double *x, const double *dx, int k, double *df);
    /* x_bar = f_x^T f_bar + g_x^T g_bar, p_bar += f_p^T f_bar + g_p^T g_bar */
    void (*adjoint)(const problem *self, const double *x, const double *f_bar, double g_bar,
                    double *x_bar, double *p_bar);
    /* Row i of f_x, or of g_x (i = n), and of f_p: columns and values; NULL: there is no such. */
    void (*row)(const problem *self, const double *x, int i, problem_row *in_x, problem_row *in_p);
    void (*jump)(const problem *self, const double *x, double *x_plus);
    void (*jump_tangent)(const problem *self, const double *x, const double *dx, int k,
                         double *dx_plus);
    void (*jump_adjoint)(const problem *self, const double *x, const double *plus_bar,
                         double *x_bar, double *p_bar); /* p_bar += */
};

/* The event of a problem for perturbations and adjoints (docs/theory/events.md): what the moving
 * time of the event does, with R, f and g on both sides. x: before the event. */
void problem_event(const problem *pb, const double *x, double *x_plus);
void problem_event_tangent(const problem *pb, const double *x, int k, const double *dx,
                           double *dx_plus, double *dz);
void problem_event_adjoint(const problem *pb, const double *x, const double *plus_bar,
                           double *x_bar, double *p_bar);
/* Moves x, close to the event, onto it with small steps of order 4; adds to z. Returns the time. */
double problem_land(const problem *pb, double *x, double *z);
/* Where a cubic through both ends of a step falls to zero, as a fraction. */
double cubic_root(double h, double r0, double v0, double r1, double v1);

enum { PROBLEM_STATES = 2048 }; /* the most any of them has */

extern const problem five_bar_problem;
extern const problem ball_problem;
problem              springs_problem(int count); /* its p lives as long as the program */

/* ---- reference numbers ----------------------------------------------------------------------- */

typedef struct reference {
    int     np, events;
    double  cost;
    double *gradient;
} reference;

reference reference_five_bar(void);     /* tests/reference/fivebar_5s.json */
reference reference_ball(void);         /* closed form */
reference reference_springs(int count); /* an extrapolation method in long double */
void      reference_release(reference *r);
double    reference_error(const reference *r, const answer *a); /* relative */

/* ---- measuring ------------------------------------------------------------------------------- */

int  pin_to_one_core(void); /* its number, -1: could not */
void unpin(void);

typedef struct plan {
    int    rounds;
    double batch;      /* seconds of CPU time of one batch */
    int    per_decade; /* tolerances */
    bool   quick;
} plan;

/* Median CPU seconds of one call of each: batches of all take turns, round by round. */
typedef void (*timed)(void *context);
void measure_interleaved(const timed *call, void *const *context, int count, const plan *how,
                         double *seconds);

typedef struct result {
    double tol, error, seconds; /* tol 0: the mark is not reached; seconds then nan */
    bool   timed;
} result;

/* The loosest tolerance of the grid which, with the two next tighter ones, reaches the mark. */
double tolerance_for(const contestant *c, const reference *ref, double mark, const plan *how,
                     double *error);
/* All contestants at one mark; result by contestant. */
void compete(const contestants *all, const reference *ref, double mark, const plan *how,
             result *out);

/* ---- output ---------------------------------------------------------------------------------- */

void report_open(const char *csv_path, const char *page_path);
void report_close(void);
void report_title(const char *format, ...);
void report_note(const char *format, ...);
/* A table is opened with its columns, rows are cells of text; all is printed when it is closed. */
void table_open(const char *columns); /* "contestant|tolerance|..." */
void table_cell(const char *format, ...);
void table_close(void);
void csv_row(const char *section, int size, const char *name, const char *what, double mark,
             double tol, double error, double seconds);

/* A claim: what is to be shown, its limit, what was measured. */
void claim(const char *what, double limit, double measured, const char *unit);
void claim_at_least(const char *what, double limit, double measured, const char *unit);
void claims_print(void);

/* ---- the contestants ------------------------------------------------------------------------- */

typedef struct saltus_entry {
    const char *path;   /* of the model, below the source directory */
    const char *set[2]; /* name of a setting, or NULL */
    double      value[2];
    const char *cost;
    const char *wrt;        /* "a,b", or "k*" for all whose name begins with k */
    double      end;        /* 0: the model's */
    int         max_events; /* 0: default */
} saltus_entry;

enum { FORWARD = -1 };
/* method: a saltus_method, or FORWARD; false: not there (no compiler). */
bool saltus_contestant(contestants *all, const saltus_entry *entry, int method, bool native);

void hand_contestants(contestants *all); /* the five-bar, specialised: forward, tangent, adjoint */
void sundials_contestants(contestants *all, const problem *pb, bool forward, bool gradient);
void petsc_contestants(contestants *all, const problem *pb, bool forward, bool gradient);
const char *sundials_about(void); /* version and optimisation; "" if it is not there */
const char *petsc_about(void);

/* All that take part in the five-bar. */
contestants five_bar_forward(void);
contestants five_bar_gradient(void);

int check_contestants(void); /* how many are wrong */

/* ---- sections (one file each) -----------------------------------------------------------------
 */

void section_five_bar(const plan *how);
void section_springs(const plan *how);
void section_links(const plan *how);
void section_ball(const plan *how);
void section_kernels(const plan *how);
void section_start(const plan *how);

#endif
