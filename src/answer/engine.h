/* External optimisers in place of sal_sqp: NLopt and IPOPT, which are loaded when a search requests
 * one. They use the functions of the problem with its scales. Points without a value, fences and
 * interruptions are handled here. The result is a start for sal_sqp, which verifies it, finishes
 * the search and computes the multipliers. */
#ifndef SAL_ANSWER_ENGINE_H
#define SAL_ANSWER_ENGINE_H

#include "saltus/model.h"
#include "solve/sqp.h"

/* The nonzero derivatives of the rows, if the Jacobian is sparse. The Jacobian of a point then has
 * these entries only, in this order. */
typedef struct sal_engine_pattern {
    int        entries;
    const int *row, *column;
} sal_engine_pattern;

/* A search by an engine, and the functions that the engine calls: in unknowns z, which are divided
 * by their scales. Rows are the constraints of the problem, then its fences as distances in
 * z; the value of a fence that does not exist is 1. */
typedef struct sal_engine {
    const sal_sqp_problem    *problem;
    const sal_engine_pattern *pattern; /* nonzero entries of the Jacobian; NULL: all */
    int                       n, rows, equations;
    double *z, *lower, *upper; /* the start, then the engine's last point; bounds */
    double  f, *c;             /* value and rows at the last point */
    double *gradient, *jacobian;
    double *limits;     /* room for two numbers per row */
    bool    is_stopped; /* the caller has requested a stop */
    /* For engine.c only. */
    sal_sqp_point point;
    double *x, *at, *good; /* x in the caller's units; the last point; the last one with a value */
    double  good_f, best_f, best_violation;
    double *best;
    bool    has_gradients, is_at;
    int     values, gradients, iterations;
} sal_engine;

/* Evaluates the point z, unless its values are already there. Returns SAL_NO_VALUE or SAL_STOP if
 * there are none. */
sal_evaluation sal_engine_at(sal_engine *engine, const double *z, bool with_gradients);
/* Writes a value and gradient at z that lead back to the last point with a value, for engines that
 * have no status for points without a value. */
void sal_engine_lead_back(sal_engine *engine, const double *z);
/* Reports the progress of the search to the caller. Returns false if the search must stop. */
bool sal_engine_report(sal_engine *engine);

/* Search from engine->z with NLopt or IPOPT. With NULL they only check the library. Fail with
 * SALTUS_ERR_ARGUMENT if the library is missing or has an unsuitable version. */
saltus_status sal_engine_run_nlopt(sal_engine *engine, saltus_error *err);
saltus_status sal_engine_run_ipopt(sal_engine *engine, saltus_error *err);

/* One function of a library: its name, and where its address goes. */
typedef struct sal_engine_call {
    const char *name;
    void       *address; /* where to store the address of the function */
} sal_engine_call;

/* Loads the library of an engine and looks up its functions. Fails with SALTUS_ERR_ARGUMENT if it
 * is missing; `package` is the name of the package to install. */
saltus_status sal_engine_load(const char *engine, const char *file, const char *package,
                              const sal_engine_call *calls, int count, saltus_error *err);

/* Searches from x, and writes the best point to x and its value to f, which is infinity if no point
 * has a value. pattern: the sparsity of the Jacobian, for IPOPT; NULL: dense. Fails if the library
 * of the engine is missing, or if memory runs out. */
saltus_status sal_engine_search(saltus_engine which, const sal_sqp_problem *problem,
                                const sal_engine_pattern *pattern,
                                const saltus_allocator *allocator, double *x, double *f,
                                saltus_error *err);

#endif
