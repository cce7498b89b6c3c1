/* Other programs' methods in place of sal_sqp: NLopt and IPOPT, which are loaded when a search asks
 * for one. They see the same functions, scaled in the same way; points without a value, clearances
 * and interruptions are the same to them. What they find is a start for sal_sqp, which verifies it,
 * finishes it and knows the multipliers. */
#ifndef SAL_ANSWER_ENGINE_H
#define SAL_ANSWER_ENGINE_H

#include "saltus/model.h"
#include "solve/sqp.h"

/* Where the derivatives of rows are that are not zero, if not everywhere. jacobian of a point then
 * has these only, in this order. */
typedef struct sal_engine_pattern {
    int        entries;
    const int *row, *column;
} sal_engine_pattern;

/* The functions as an engine sees them, in unknowns z that are divided by their scales. Rows are
 * the constraints of the problem, then its fences as distances in z; one that is not there is 1. */
typedef struct sal_engine {
    const sal_sqp_problem    *problem;
    const sal_engine_pattern *pattern; /* of the Jacobian; NULL: all rows and columns */
    int                       n, rows, equations;
    double                   *z, *lower, *upper; /* the start, then the best point; bounds */
    double                    f, *c;             /* of the last point: value and rows */
    double                   *gradient, *jacobian;
    double                   *limits;     /* room for two numbers per row */
    bool                      is_stopped; /* by the caller */
    /* The rest is for engine.c. */
    sal_sqp_point point;
    double       *x, *at, *good; /* in the caller's units; the last point, the last with a value */
    double        good_f, best_f, best_violation;
    double       *best;
    bool          has_gradients, is_at;
    int           values, gradients, iterations;
} sal_engine;

/* Evaluates a point, unless it is the last one. */
sal_evaluation sal_engine_at(sal_engine *engine, const double *z, bool with_gradients);
/* Writes values that lead back to the last point with a value, for engines that cannot be told that
 * there is none. */
void sal_engine_lead_back(sal_engine *engine, const double *z);
/* Tells the caller how it stands; false: stop. */
bool sal_engine_report(sal_engine *engine);

/* The engines themselves: they search from engine->z on, and return when they are done. NULL: they
 * only look whether their library is there, and fits. Fail if it is not. */
saltus_status sal_engine_run_nlopt(sal_engine *engine, saltus_error *err);
saltus_status sal_engine_run_ipopt(sal_engine *engine, saltus_error *err);

/* One function of a library: its name, and where its address goes. */
typedef struct sal_engine_call {
    const char *name;
    void       *address; /* of a pointer to a function */
} sal_engine_call;

/* Loads the library of an engine, and finds its functions. Fails with SALTUS_ERR_ARGUMENT if it is
 * not there; `package` is what to install. */
saltus_status sal_engine_load(const char *engine, const char *file, const char *package,
                              const sal_engine_call *calls, int count, saltus_error *err);

/* Searches from x, which becomes the best point, with the value f; infinity: there is none. pattern
 * is for IPOPT; NULL: there is none. Fails if the library of the engine is not there, or if memory
 * runs out. */
saltus_status sal_engine_search(saltus_engine which, const sal_sqp_problem *problem,
                                const sal_engine_pattern *pattern,
                                const saltus_allocator *allocator, double *x, double *f,
                                saltus_error *err);

#endif
