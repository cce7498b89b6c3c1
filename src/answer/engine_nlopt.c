/* NLopt: L-BFGS if there are only bounds, CCSAQ (conservative convex approximations) with
 * inequalities, SLSQP with equations; without gradients, as where the motion grazes, BOBYQA or
 * COBYLA. NLopt has no status for points without a value: there, values lead back to the last point
 * that has one. */
#include <math.h>
#include <string.h>

#include "answer/engine.h"
#include "base/status.h"

#ifdef SAL_NLOPT
#include <nlopt.h>

/* The functions of the library, by their own names. */
#define CALLS(X)                                                                                   \
    X(nlopt_create)                                                                                \
    X(nlopt_destroy)                                                                               \
    X(nlopt_set_min_objective)                                                                     \
    X(nlopt_set_lower_bounds)                                                                      \
    X(nlopt_set_upper_bounds)                                                                      \
    X(nlopt_add_equality_mconstraint)                                                              \
    X(nlopt_add_inequality_mconstraint)                                                            \
    X(nlopt_set_xtol_rel)                                                                          \
    X(nlopt_set_ftol_rel)                                                                          \
    X(nlopt_set_maxeval)                                                                           \
    X(nlopt_force_stop)                                                                            \
    X(nlopt_optimize)

typedef struct library {
#define MEMBER(name) __typeof__(name) *name;
    CALLS(MEMBER)
#undef MEMBER
} library;

typedef struct work {
    sal_engine *e;
    library     of;
    nlopt_opt   opt;
} work;

/* Evaluates the point z. Where there is no value, values lead back, and rows keep their last
 * values. */
static void evaluate(work *w, const double *z, bool with_gradients)
{
    const sal_evaluation got = sal_engine_at(w->e, z, with_gradients);
    if (got == SAL_NO_VALUE) sal_engine_lead_back(w->e, z);
    if (w->e->is_stopped) w->of.nlopt_force_stop(w->opt);
}

static double objective(unsigned n, const double *z, double *gradient, void *context)
{
    work *w = context;
    evaluate(w, z, gradient != NULL);
    if (gradient) memcpy(gradient, w->e->gradient, n * sizeof *gradient);
    if (!sal_engine_report(w->e)) w->of.nlopt_force_stop(w->opt);
    return w->e->f;
}

static void equations(unsigned rows, double *value, unsigned n, const double *z, double *gradient,
                      void *context)
{
    work *w = context;
    evaluate(w, z, gradient != NULL);
    memcpy(value, w->e->c, rows * sizeof *value);
    if (gradient) memcpy(gradient, w->e->jacobian, (size_t)rows * n * sizeof *gradient);
}

/* NLopt's inequalities are value <= 0. */
static void inequalities(unsigned rows, double *value, unsigned n, const double *z,
                         double *gradient, void *context)
{
    work        *w = context;
    const size_t first = (size_t)w->e->equations;
    evaluate(w, z, gradient != NULL);
    for (size_t k = 0; k < rows; k++) value[k] = -w->e->c[first + k];
    for (size_t i = 0; gradient && i < (size_t)rows * n; i++)
        gradient[i] = -w->e->jacobian[first * n + i];
}

static nlopt_algorithm choose(const sal_engine *e, bool has_gradients, int rows)
{
    if (!has_gradients) return rows > 0 || e->n < 2 ? NLOPT_LN_COBYLA : NLOPT_LN_BOBYQA;
    if (e->equations > 0) return NLOPT_LD_SLSQP;
    return rows > 0 ? NLOPT_LD_CCSAQ : NLOPT_LD_LBFGS;
}

static void search(work *w, bool has_gradients)
{
    enum { MORE = 50 }; /* evaluations without gradients, in place of one with them */
    sal_engine *e = w->e;
    const int   rows = has_gradients ? e->rows : e->problem->constraints;
    double      value;
    w->opt = w->of.nlopt_create(choose(e, has_gradients, rows), (unsigned)e->n);
    if (!w->opt) return;
    w->of.nlopt_set_min_objective(w->opt, objective, w);
    w->of.nlopt_set_lower_bounds(w->opt, e->lower);
    w->of.nlopt_set_upper_bounds(w->opt, e->upper);
    if (e->equations)
        w->of.nlopt_add_equality_mconstraint(w->opt, (unsigned)e->equations, equations, w, NULL);
    if (rows > e->equations)
        w->of.nlopt_add_inequality_mconstraint(w->opt, (unsigned)(rows - e->equations),
                                               inequalities, w, NULL);
    w->of.nlopt_set_xtol_rel(w->opt, 1e-10);
    w->of.nlopt_set_ftol_rel(w->opt, 1e-14);
    w->of.nlopt_set_maxeval(w->opt, e->problem->max_iterations * (has_gradients ? 1 : MORE));
    w->of.nlopt_optimize(w->opt, e->z, &value); /* its return code is not reliable */
    w->of.nlopt_destroy(w->opt);
}

static saltus_status load(library *of, saltus_error *err)
{
    const sal_engine_call calls[] = {
#define CALL(name) {#name, &of->name},
        CALLS(CALL)
#undef CALL
    };
    return sal_engine_load("nlopt", "libnlopt.so.0", "libnlopt0", calls,
                           (int)(sizeof calls / sizeof *calls), err);
}

saltus_status sal_engine_run_nlopt(sal_engine *e, saltus_error *err)
{
    work w = {.e = e};
    TRY(load(&w.of, err));
    if (!e) return SALTUS_OK;
    const bool has_gradients = sal_engine_at(e, e->z, true) == SAL_EVALUATED;
    if (has_gradients || sal_engine_at(e, e->z, false) == SAL_EVALUATED) search(&w, has_gradients);
    return SALTUS_OK;
}

#else

saltus_status sal_engine_run_nlopt(sal_engine *e, saltus_error *err)
{
    (void)e;
    return sal_fail(err, SALTUS_ERR_ARGUMENT,
                    "optimise: this program was built without NLopt (Debian: libnlopt-dev); leave "
                    "engine out, and the search is done without it");
}

#endif
