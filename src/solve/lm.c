#include "solve/lm.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "solve/qr.h"
#include "solve/vectors.h"

static const double BENT = 0.1;   /* part of a step after which its second derivative is found */
static const double BEND = 0.75;  /* limit on bend / step: a step that bends more is too long */
static const double FIRST = 1e-3; /* first damping, relative to the columns of the Jacobian */
enum { ITERATIONS = 2000, POLISH = 60, DAMPINGS = 60 };
/* Factor by which the scales of the damping decay at each evaluation of the gradient. The scale of
 * an unknown is the largest recent length of its column in the Jacobian: if it followed a column
 * that shrinks suddenly, its unknown would be free to run away. */
static const double REMEMBERED = 0.9;
/* Converged: the largest cosine between the residuals and a column of the Jacobian. */
static const double TOLERANCE = 1e-9;
/* Relative rise of the sum of squares that is attributed to rounding: residuals are differences of
 * large numbers. */
static const double ROUNDING = 1e-9;
static const double DIGITS = 1e-13; /* relative change of the unknowns below which polishing ends */
static const double DEPENDENT = 1e-10; /* sine of the angle between a column and those before */
static const double ROUGH = 1e-6;      /* cosine that suffices where no step helps */

typedef struct search {
    const sal_lm_problem *problem;
    sal_lm_result        *result;
    int                   n, m;
    double               *x, *r, *J; /* the best point, in the caller's arrays */
    double               *trial, *r_trial;
    double               *step, *bend;
    double               *scale; /* by unknown: the largest recent length of its column of J */
    bool                 *is_unloaded; /* by unknown: a bound holds it */
    double               *R, *c;       /* J reduced to n rows by QR, and the residuals times Q^T */
    double               *stack, *b;   /* R above the damping: 2n x n */
    double               *right;       /* m numbers */
    double               *J_copy;      /* m x n */
    double                damping, growth;
} search;

static double squares(const search *s, const double *r) { return sal_dot(s->m, r, r); }

static double lower_of(const search *s, int i)
{
    return s->problem->lower ? s->problem->lower[i] : -INFINITY;
}

static double upper_of(const search *s, int i)
{
    return s->problem->upper ? s->problem->upper[i] : INFINITY;
}

static sal_evaluation evaluate(search *s, const double *x, double *r, double *J)
{
    if (J) s->result->jacobian_calls++;
    const sal_evaluation got = s->problem->evaluate(s->problem->context, x, r, J);
    if (got != SAL_EVALUATED) return got;
    const bool ok = sal_is_finite(s->m, r) && (!J || sal_is_finite(s->m * s->n, J));
    return ok ? SAL_EVALUATED : SAL_NO_VALUE;
}

/* Updates the scales, and finds the unknowns that a bound holds: those for which the sum of squares
 * falls beyond their bound. Returns the largest cosine between the residuals and the column of an
 * unknown that is not held. */
static double look_at_gradient(search *s)
{
    const double length = sqrt(s->result->rss);
    double       largest = 0.0;
    for (int j = 0; j < s->n; j++) {
        double gradient = 0.0, column = 0.0;
        for (int i = 0; i < s->m; i++) {
            gradient += s->J[i * s->n + j] * s->r[i];
            column = hypot(column, s->J[i * s->n + j]);
        }
        s->scale[j] = fmax(REMEMBERED * s->scale[j], column);
        s->is_unloaded[j] = (s->x[j] <= lower_of(s, j) && gradient >= 0.0) ||
                            (s->x[j] >= upper_of(s, j) && gradient <= 0.0);
        if (!s->is_unloaded[j] && column > 0.0 && length > 0.0)
            largest = fmax(largest, fabs(gradient) / (column * length));
    }
    return largest;
}

static double size_of(const search *s, int i) { return s->scale[i] > 0.0 ? s->scale[i] : 1.0; }

/* Factors J = Q R and writes c = Q^T right, so that solving for one damping costs n^3 only. */
static void reduce(search *s, const double *right, double *c)
{
    memcpy(s->J_copy, s->J, (size_t)s->m * (size_t)s->n * sizeof(double));
    memcpy(s->right, right, (size_t)s->m * sizeof(double));
    sal_qr_reduce(s->m, s->n, s->J_copy, s->right);
    for (int i = 0; i < s->n; i++) {
        c[i] = i < s->m ? s->right[i] : 0.0;
        for (int j = 0; j < s->n; j++)
            s->R[i * s->n + j] = i < s->m ? s->J_copy[i * s->n + j] : 0.0;
    }
}

/* Minimises |R y + c|^2 + damping |scale y|^2 over the unknowns that are not held; y of the others
 * is given. The variables are scale y, so that units do not matter. */
static void solve_damped(search *s, const double *c, double *y)
{
    const int n = s->n;
    for (int i = 0; i < n; i++) {
        s->b[i] = -c[i];
        s->b[n + i] = 0.0;
        for (int j = 0; j < n; j++) {
            s->stack[i * n + j] = s->is_unloaded[j] ? 0.0 : s->R[i * n + j] / size_of(s, j);
            s->stack[(n + i) * n + j] = 0.0;
            if (s->is_unloaded[j]) s->b[i] -= s->R[i * n + j] * y[j];
        }
        s->stack[(n + i) * n + i] = s->is_unloaded[i] ? 1.0 : sqrt(s->damping);
    }
    sal_qr_reduce(2 * n, n, s->stack, s->b);
    sal_qr_back(n, n, s->stack, s->b);
    for (int i = 0; i < n; i++)
        if (!s->is_unloaded[i]) y[i] = s->b[i] / size_of(s, i);
}

/* Finds the damped step. Unknowns that would leave their bounds are held there, and the step of the
 * others is found again. */
static void find_step(search *s)
{
    bool left = true;
    memset(s->step, 0, (size_t)s->n * sizeof(double));
    for (int tries = 0; left && tries <= s->n; tries++) {
        solve_damped(s, s->c, s->step);
        left = false;
        for (int j = 0; j < s->n; j++) {
            if (s->is_unloaded[j]) continue;
            const double aim = s->x[j] + s->step[j];
            if (aim >= lower_of(s, j) && aim <= upper_of(s, j)) continue;
            s->step[j] = (aim < lower_of(s, j) ? lower_of(s, j) : upper_of(s, j)) - s->x[j];
            s->is_unloaded[j] = left = true;
        }
    }
}

static double scaled_length(const search *s, const double *v)
{
    double sum = 0.0;
    for (int j = 0; j < s->n; j++) sum = hypot(sum, size_of(s, j) * v[j]);
    return sum;
}

/* Writes x + part step + bend, within the bounds. */
static void move(search *s, double part, bool is_bent)
{
    for (int j = 0; j < s->n; j++) {
        const double to = s->x[j] + part * s->step[j] + (is_bent ? s->bend[j] : 0.0);
        s->trial[j] = fmin(fmax(to, lower_of(s, j)), upper_of(s, j));
    }
}

/* Finds the bend, half of the second-order step: -(J^T J + damping)^-1 J^T r'' / 2, where r'' is
 * the second derivative of the residuals along the step, by a difference. *is_usable is false if
 * the bend is too large for the step, or if residuals could not be evaluated. */
static sal_evaluation find_bend(search *s, bool *is_usable)
{
    const int n = s->n, m = s->m;
    *is_usable = false;
    memset(s->bend, 0, (size_t)n * sizeof(double));
    move(s, BENT, false);
    const sal_evaluation got = evaluate(s, s->trial, s->r_trial, NULL);
    if (got != SAL_EVALUATED) return got == SAL_STOP ? SAL_STOP : SAL_EVALUATED;
    for (int i = 0; i < m; i++) {
        double slope = 0.0;
        for (int j = 0; j < n; j++) slope += s->J[i * n + j] * s->step[j];
        s->r_trial[i] = 2.0 / BENT * ((s->r_trial[i] - s->r[i]) / BENT - slope);
    }
    double *c = &s->b[2 * n];
    reduce(s, s->r_trial, c);
    for (int i = 0; i < n; i++) c[i] *= 0.5;
    solve_damped(s, c, s->bend);
    for (int j = 0; j < n; j++)
        if (s->is_unloaded[j]) s->bend[j] = 0.0;
    *is_usable = 2.0 * scaled_length(s, s->bend) <= BEND * scaled_length(s, s->step);
    return SAL_EVALUATED;
}

/* The reduction of the sum of squares that the linearised problem predicts. */
static double promised(const search *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->m; i++) {
        double slope = 0.0;
        for (int j = 0; j < s->n; j++) slope += s->J[i * s->n + j] * s->step[j];
        sum -= slope * (2.0 * s->r[i] + slope);
    }
    return sum;
}

static void accept(search *s, double rss)
{
    memcpy(s->x, s->trial, (size_t)s->n * sizeof(double));
    memcpy(s->r, s->r_trial, (size_t)s->m * sizeof(double));
    s->result->rss = rss;
}

/* Whether no unknown moves by more than `part` of its value. */
static bool is_tiny(const search *s, double part)
{
    for (int j = 0; j < s->n; j++)
        if (fabs(s->step[j]) > part * (fabs(s->x[j]) + DBL_MIN)) return false;
    return true;
}

/* One iteration: tries shorter and shorter steps until one reduces the sum of squares enough.
 * Returns SAL_NO_VALUE if none does. */
static sal_evaluation descend(search *s)
{
    for (int i = 0; i < DAMPINGS; i++) {
        bool is_bent = false;
        look_at_gradient(s);
        reduce(s, s->r, s->c);
        find_step(s);
        if (is_tiny(s, 4.0 * DBL_EPSILON)) return SAL_NO_VALUE;
        const double   promise = promised(s);
        sal_evaluation got = find_bend(s, &is_bent);
        if (got == SAL_STOP) return got;
        if (is_bent) {
            move(s, 1.0, true);
            got = evaluate(s, s->trial, s->r_trial, NULL);
            if (got == SAL_STOP) return got;
        }
        const double rss = is_bent && got == SAL_EVALUATED ? squares(s, s->r_trial) : INFINITY;
        const double gain = promise > 0.0 ? (s->result->rss - rss) / promise : -1.0;
        if (rss < s->result->rss && gain > 1e-4) {
            s->damping *= fmax(1.0 / 3.0, 1.0 - pow(2.0 * fmin(gain, 1.0) - 1.0, 3.0));
            s->growth = 2.0;
            accept(s, rss);
            return SAL_EVALUATED;
        }
        s->damping = fmax(s->damping, DBL_MIN / DBL_EPSILON) * s->growth;
        s->growth *= 2.0;
    }
    return SAL_NO_VALUE;
}

/* Tries once more with fresh scales for the damping: columns may have become much shorter than they
 * were. */
static sal_evaluation descend_again(search *s)
{
    memset(s->scale, 0, (size_t)s->n * sizeof(double));
    s->damping = FIRST;
    s->growth = 2.0;
    return descend(s);
}

/* Whether a column of the Jacobian, reduced to R, depends on the previous ones: without damping the
 * step would not be determined. */
static bool is_degenerate(const search *s)
{
    for (int j = 0; j < s->n; j++) {
        double length = 0.0;
        if (s->is_unloaded[j]) continue;
        for (int i = 0; i <= j; i++) length = hypot(length, s->R[i * s->n + j]);
        if (!(fabs(s->R[j * s->n + j]) > DEPENDENT * length)) return true;
    }
    return false;
}

/* Takes Gauss-Newton steps without damping, as long as they become shorter and the sum of squares
 * does not rise by more than rounding. */
static sal_evaluation polish(search *s)
{
    double before = INFINITY;
    s->damping = 0.0;
    for (int i = 0; i < POLISH; i++) {
        s->result->gradient = look_at_gradient(s);
        reduce(s, s->r, s->c);
        if (is_degenerate(s)) return SAL_EVALUATED;
        find_step(s);
        const double length = scaled_length(s, s->step);
        if (is_tiny(s, DIGITS) || !(length < 0.95 * before)) return SAL_EVALUATED;
        before = length;
        move(s, 1.0, false);
        sal_evaluation got = evaluate(s, s->trial, s->r_trial, NULL);
        const double   rss = got == SAL_EVALUATED ? squares(s, s->r_trial) : INFINITY;
        if (got == SAL_STOP || !(rss <= s->result->rss * (1.0 + ROUNDING))) return got;
        accept(s, rss);
        got = evaluate(s, s->x, s->r, s->J);
        if (got != SAL_EVALUATED) return got;
    }
    return SAL_EVALUATED;
}

static sal_solve_status iterate(search *s)
{
    for (;; s->result->iterations++) {
        const sal_evaluation got = evaluate(s, s->x, s->r, s->J);
        if (got == SAL_STOP) return SAL_STOPPED;
        if (got == SAL_NO_VALUE) return s->result->iterations ? SAL_STALLED : SAL_NO_START;
        s->result->rss = squares(s, s->r);
        s->result->gradient = look_at_gradient(s);
        if (s->result->gradient <= TOLERANCE) break;
        if (s->result->iterations == ITERATIONS) return SAL_LIMIT;
        sal_evaluation moved = descend(s);
        if (moved == SAL_NO_VALUE) moved = descend_again(s);
        if (moved == SAL_STOP) return SAL_STOPPED;
        if (moved == SAL_NO_VALUE) break;
    }
    if (polish(s) == SAL_STOP) return SAL_STOPPED;
    return s->result->gradient <= ROUGH || is_tiny(s, ROUGH) ? SAL_CONVERGED : SAL_STALLED;
}

sal_solve_status sal_lm(const sal_lm_problem *problem, const saltus_allocator *allocator, double *x,
                        double *r, double *J, sal_lm_result *result)
{
    const int n = problem->unknowns, m = problem->residuals;
    search    s = {.problem = problem,
                   .result = result,
                   .n = n,
                   .m = m,
                   .x = x,
                   .r = r,
                   .J = J,
                   .damping = FIRST,
                   .growth = 2.0};
    *result = (sal_lm_result){.rss = INFINITY, .gradient = INFINITY};
    WORK_ARENA(arena, allocator);
    s.is_unloaded = ARENA_NEW(&arena, n, bool);
    s.stack = ARENA_NEW(&arena, 2 * n * n, double);
    s.b = ARENA_NEW(&arena, 3 * n, double);
    s.R = ARENA_NEW(&arena, n * n, double);
    s.J_copy = ARENA_NEW(&arena, m * n, double);
    ARENA_VECTORS(&arena, m, &s.r_trial, &s.right);
    if (!ARENA_VECTORS(&arena, n, &s.trial, &s.step, &s.bend, &s.scale, &s.c))
        return SAL_OUT_OF_MEMORY;
    for (int j = 0; j < n; j++) x[j] = fmin(fmax(x[j], lower_of(&s, j)), upper_of(&s, j));
    return iterate(&s);
}
