/* IPOPT: an interior-point method. If a point has no value, it takes a shorter step. */
#include <math.h>
#include <string.h>

#include "answer/engine.h"
#include "base/status.h"

#ifdef SAL_IPOPT
#include <IpStdCInterface.h>

#define CALLS(X)                                                                                   \
    X(CreateIpoptProblem)                                                                          \
    X(FreeIpoptProblem)                                                                            \
    X(AddIpoptStrOption)                                                                           \
    X(AddIpoptNumOption)                                                                           \
    X(AddIpoptIntOption)                                                                           \
    X(SetIntermediateCallback)                                                                     \
    X(IpoptSolve)

typedef struct library {
#define MEMBER(name) __typeof__(name) *name;
    CALLS(MEMBER)
#undef MEMBER
} library;

/* EVALUATIONS: the limit on evaluations, per permitted iteration. Where most points have no value,
 * IPOPT may search for one that has for a very long time. */
enum { EVALUATIONS = 4, HISTORY = 30 };

static Bool answer(sal_engine *e, const double *z, bool with_gradients)
{
    if (e->values + e->gradients > EVALUATIONS * e->problem->max_iterations) return FALSE;
    return sal_engine_at(e, z, with_gradients) == SAL_EVALUATED;
}

static Bool evaluate_f(Index n, Number *z, Bool is_new, Number *f, UserDataPtr context)
{
    sal_engine *e = context;
    (void)n, (void)is_new;
    if (!answer(e, z, e->rows > e->problem->constraints)) return FALSE;
    *f = e->f;
    return TRUE;
}

static Bool evaluate_gradient(Index n, Number *z, Bool is_new, Number *gradient,
                              UserDataPtr context)
{
    sal_engine *e = context;
    (void)is_new;
    if (!answer(e, z, true)) return FALSE;
    memcpy(gradient, e->gradient, (size_t)n * sizeof *gradient);
    return TRUE;
}

/* Rows with fences need gradients, as fences are computed with these only. */
static Bool evaluate_rows(Index n, Number *z, Bool is_new, Index rows, Number *c,
                          UserDataPtr context)
{
    sal_engine *e = context;
    (void)n, (void)is_new;
    if (!answer(e, z, e->rows > e->problem->constraints)) return FALSE;
    memcpy(c, e->c, (size_t)rows * sizeof *c);
    return TRUE;
}

/* Derivatives of the rows: all of them, row by row, or those of the pattern. */
static Bool evaluate_jacobian(Index n, Number *z, Bool is_new, Index rows, Index count, Index *row,
                              Index *column, Number *values, UserDataPtr context)
{
    sal_engine *e = context;
    (void)is_new, (void)rows;
    for (Index i = 0; !values && i < count; i++) {
        row[i] = e->pattern ? e->pattern->row[i] : i / n;
        column[i] = e->pattern ? e->pattern->column[i] : i % n;
    }
    if (!values) return TRUE;
    if (!answer(e, z, true)) return FALSE;
    memcpy(values, e->jacobian, (size_t)count * sizeof *values);
    return TRUE;
}

/* Never called: IPOPT approximates second derivatives itself. */
static Bool evaluate_hessian(Index n, Number *z, Bool is_new, Number factor, Index rows,
                             Number *multiplier, Bool is_new_multiplier, Index count, Index *row,
                             Index *column, Number *values, UserDataPtr context)
{
    (void)n, (void)z, (void)is_new, (void)factor, (void)rows, (void)multiplier;
    (void)is_new_multiplier, (void)count, (void)row, (void)column, (void)values, (void)context;
    return FALSE;
}

static Bool report(Index mode, Index iteration, Number f, Number primal, Number dual, Number mu,
                   Number length, Number regularisation, Number alpha_dual, Number alpha_primal,
                   Index trials, UserDataPtr context)
{
    (void)mode, (void)iteration, (void)f, (void)primal, (void)dual, (void)mu, (void)length;
    (void)regularisation, (void)alpha_dual, (void)alpha_primal, (void)trials;
    return sal_engine_report(context);
}

/* Sets an option. Strings of IPOPT's C interface are not const, so they are copied. */
static void set_text(const library *of, IpoptProblem p, const char *name, const char *value)
{
    char key[64], text[64];
    strncpy(key, name, sizeof key - 1);
    strncpy(text, value, sizeof text - 1);
    key[sizeof key - 1] = text[sizeof text - 1] = '\0';
    of->AddIpoptStrOption(p, key, text);
}

static void set_options(const library *of, IpoptProblem p, const sal_engine *e)
{
    char tol[] = "tol", relax[] = "bound_relax_factor", limit[] = "max_iter",
         level[] = "print_level", history[] = "limited_memory_max_history";
    set_text(of, p, "hessian_approximation", "limited-memory");
    of->AddIpoptIntOption(p, history, HISTORY);
    set_text(of, p, "sb", "yes");
    of->AddIpoptIntOption(p, level, 0);
    of->AddIpoptNumOption(p, tol, e->problem->tolerance);
    of->AddIpoptNumOption(p, relax, 0.0); /* there may be no motion beyond a bound */
    of->AddIpoptIntOption(p, limit, e->problem->max_iterations);
    of->SetIntermediateCallback(p, report);
}

static void search(const library *of, sal_engine *e, double *low, double *high)
{
    double value;
    for (int k = 0; k < e->rows; k++) {
        low[k] = 0.0;
        high[k] = k < e->equations ? 0.0 : 2e19; /* IPOPT's infinity */
    }
    IpoptProblem p = of->CreateIpoptProblem(e->n, e->lower, e->upper, e->rows, low, high,
                                            e->pattern ? e->pattern->entries : e->n * e->rows, 0, 0,
                                            evaluate_f, evaluate_rows, evaluate_gradient,
                                            evaluate_jacobian, evaluate_hessian);
    if (!p) return;
    set_options(of, p, e);
    of->IpoptSolve(p, e->z, NULL, &value, NULL, NULL, NULL, e); /* engine.c keeps the best point */
    of->FreeIpoptProblem(p);
}

static saltus_status load(library *of, saltus_error *err)
{
    const sal_engine_call calls[] = {
#define CALL(name) {#name, &of->name},
        CALLS(CALL)
#undef CALL
    };
    return sal_engine_load("ipopt", "libipopt.so.1", "coinor-libipopt1v5", calls,
                           (int)(sizeof calls / sizeof *calls), err);
}

saltus_status sal_engine_run_ipopt(sal_engine *e, saltus_error *err)
{
    library of;
    TRY(load(&of, err));
    if (e) search(&of, e, e->limits, e->limits + e->rows);
    return SALTUS_OK;
}

#else

saltus_status sal_engine_run_ipopt(sal_engine *e, saltus_error *err)
{
    (void)e;
    return sal_fail(err, SALTUS_ERR_ARGUMENT,
                    "optimise: this program was built without IPOPT (Debian: coinor-libipopt-dev); "
                    "leave engine out, and the search is done without it");
}

#endif
