/* With G = L D L^T and N the matrix of the normals of the active constraints, the method keeps
 * J = L^-T D^-1/2 Q and R, where Q^T D^-1/2 L^-1 N = (R; 0). The columns of J beyond the number of
 * active constraints span the directions that keep these active. Constraints are added and dropped
 * by plane rotations. */
#include "solve/qp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/ldl.h"

/* A constraint is violated if its slack is below minus this part of the size of its terms. */
static const double ROUNDING = 1e-13;
/* A normal depends on the active ones if less than this part of it is orthogonal to them. */
static const double DEPENDENT = 1e-11;

typedef struct dual {
    const sal_qp *qp;
    int           n, q; /* unknowns, active constraints */
    double       *x;
    double       *J, *R;     /* n x n each, row-major */
    double       *d, *z, *r; /* n each: J^T normal; directions of x and of minus the multipliers */
    double       *normal;
    int *active;  /* numbers of the active constraints: first rows, then lower, then upper bounds */
    double *sign; /* by active constraint: -1 for an equation violated from above, else 1 */
    double *u;    /* multipliers of the active constraints, then that of the one being added */
    bool   *is_active;
    bool   *is_skipped; /* by constraint: an equation that follows from others */
} dual;

static int constraint_count(const dual *s) { return s->qp->rows + 2 * s->n; }

/* Returns the slack of a constraint, negative if it is violated; writes the size of its terms,
 * except for a bound that does not exist. */
static double slack(const dual *s, int k, double *size)
{
    const sal_qp *qp = s->qp;
    const int     n = s->n;
    if (k >= qp->rows) {
        const int     i = (k - qp->rows) % n;
        const bool    is_upper = k - qp->rows >= n;
        const double *bound = is_upper ? qp->upper : qp->lower;
        if (!bound || !isfinite(bound[i])) return 1.0;
        *size = fabs(s->x[i]) + fabs(bound[i]);
        return is_upper ? bound[i] - s->x[i] : s->x[i] - bound[i];
    }
    double sum = -qp->b[k];
    *size = fabs(qp->b[k]);
    for (int i = 0; i < n; i++) {
        sum += qp->A[k * n + i] * s->x[i];
        *size += fabs(qp->A[k * n + i] * s->x[i]);
    }
    return sum;
}

/* Writes the normal of a constraint, times sign for a row, and returns its length. */
static double take_normal(const dual *s, int k, double sign)
{
    const sal_qp *qp = s->qp;
    double        length = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->normal[i] = k < qp->rows ? sign * qp->A[k * s->n + i] : 0.0;
        length = hypot(length, s->normal[i]);
    }
    if (k < qp->rows) return length;
    s->normal[(k - qp->rows) % s->n] = k - qp->rows >= s->n ? -1.0 : 1.0;
    return 1.0;
}

/* Returns the constraint to add next: equations in their order, then the inequality that is
 * violated most; -1 if none is violated. */
static int choose(dual *s, double *violation, double *sign)
{
    int    worst = -1;
    double most = 0.0;
    for (int k = 0; k < constraint_count(s); k++) {
        if (s->is_active[k] || s->is_skipped[k]) continue;
        double       size = 0.0;
        const double value = slack(s, k, &size);
        if (k < s->qp->equations) {
            *sign = value > 0.0 ? -1.0 : 1.0;
            *violation = -fabs(value);
            return k;
        }
        if (value >= -ROUNDING * size || value >= 0.0) continue;
        const double length = take_normal(s, k, 1.0);
        if (length > 0.0 && value / length >= most) continue;
        most = length > 0.0 ? value / length : -INFINITY;
        worst = k;
        *violation = value;
    }
    *sign = 1.0;
    return worst;
}

/* A rotation that makes b zero. */
static void make_rotation(double a, double b, double *c, double *sine)
{
    const double length = hypot(a, b);
    *c = length > 0.0 ? a / length : 1.0;
    *sine = length > 0.0 ? b / length : 0.0;
}

static void rotate_columns(dual *s, int i, int j, double c, double sine)
{
    for (int k = 0; k < s->n; k++) {
        double      *row = &s->J[k * s->n];
        const double a = row[i], b = row[j];
        row[i] = c * a + sine * b;
        row[j] = c * b - sine * a;
    }
}

static void add(dual *s, int k, double sign)
{
    const int n = s->n;
    for (int i = n - 1; i > s->q; i--) {
        double c, sine;
        if (s->d[i] == 0.0) continue;
        make_rotation(s->d[i - 1], s->d[i], &c, &sine);
        s->d[i - 1] = hypot(s->d[i - 1], s->d[i]);
        s->d[i] = 0.0;
        rotate_columns(s, i - 1, i, c, sine);
    }
    for (int i = 0; i <= s->q; i++) s->R[i * n + s->q] = s->d[i];
    s->active[s->q] = k;
    s->sign[s->q] = sign;
    s->is_active[k] = true;
    s->q++;
}

static void drop(dual *s, int place)
{
    const int n = s->n;
    s->is_active[s->active[place]] = false;
    for (int j = place; j < s->q - 1; j++) {
        s->active[j] = s->active[j + 1];
        s->sign[j] = s->sign[j + 1];
        s->u[j] = s->u[j + 1];
        for (int i = 0; i <= j + 1; i++) s->R[i * n + j] = s->R[i * n + j + 1];
    }
    s->u[s->q - 1] = s->u[s->q]; /* the multiplier of the constraint being added moves up */
    s->q--;
    for (int j = place; j < s->q; j++) {
        double c, sine;
        make_rotation(s->R[j * n + j], s->R[(j + 1) * n + j], &c, &sine);
        for (int k = j; k < s->q; k++) {
            const double a = s->R[j * n + k], b = s->R[(j + 1) * n + k];
            s->R[j * n + k] = c * a + sine * b;
            s->R[(j + 1) * n + k] = c * b - sine * a;
        }
        rotate_columns(s, j, j + 1, c, sine);
    }
}

/* Finds the directions for the normal: z for x, and -r for the multipliers. Returns false if the
 * normal depends on those of active constraints. */
static bool find_directions(dual *s)
{
    const int n = s->n;
    double    all = 0.0, left = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) sum += s->J[k * n + i] * s->normal[k];
        s->d[i] = sum;
        all += sum * sum;
        if (i >= s->q) left += sum * sum;
    }
    for (int k = 0; k < n; k++) {
        s->z[k] = 0.0;
        for (int i = s->q; i < n; i++) s->z[k] += s->J[k * n + i] * s->d[i];
    }
    for (int i = s->q - 1; i >= 0; i--) {
        double sum = s->d[i];
        for (int j = i + 1; j < s->q; j++) sum -= s->R[i * n + j] * s->r[j];
        s->r[i] = sum / s->R[i * n + i];
    }
    return left > DEPENDENT * DEPENDENT * all;
}

/* Returns the longest step for which no multiplier of an active inequality becomes negative, and in
 * `place` the constraint that limits it. */
static double blocking(const dual *s, int *place)
{
    double length = INFINITY;
    for (int i = 0; i < s->q; i++)
        if (s->active[i] >= s->qp->equations && s->r[i] > 0.0 && s->u[i] / s->r[i] < length) {
            length = s->u[i] / s->r[i];
            *place = i;
        }
    return length;
}

/* Adds a violated constraint to the active ones, and drops those that block the way. */
static sal_qp_status satisfy(dual *s, int k, double violation, double sign)
{
    const double length = take_normal(s, k, sign);
    if (length == 0.0) {
        const bool is_equal = k < s->qp->equations && fabs(s->qp->b[k]) <= DBL_MIN;
        s->is_skipped[k] = true;
        return is_equal ? SAL_QP_SOLVED : SAL_QP_INFEASIBLE;
    }
    s->u[s->q] = 0.0;
    for (;;) {
        int        place = -1;
        const bool is_free = find_directions(s);
        double     slope = 0.0, size = 0.0;
        for (int i = 0; i < s->n; i++) slope += s->z[i] * s->normal[i];
        const double most = blocking(s, &place);
        const double full = is_free && slope > 0.0 ? -violation / slope : INFINITY;
        const double step = fmin(most, full);
        if (isinf(step)) {
            slack(s, k, &size);
            if (fabs(violation) > 1e-9 * (size + length * DBL_MIN)) return SAL_QP_INFEASIBLE;
            s->is_skipped[k] = true;
            return SAL_QP_SOLVED;
        }
        for (int i = 0; i < s->q; i++) s->u[i] -= step * s->r[i];
        s->u[s->q] += step;
        if (isfinite(full)) {
            for (int i = 0; i < s->n; i++) s->x[i] += step * s->z[i];
            violation += step * slope;
        }
        if (full <= most) {
            add(s, k, sign);
            return SAL_QP_SOLVED;
        }
        drop(s, place);
    }
}

/* Starts with J = L^-T D^-1/2 and the unconstrained minimum. Returns false if G is not positive
 * definite. */
static bool begin(dual *s, double *L, double *pivot)
{
    const int n = s->n;
    memcpy(L, s->qp->G, (size_t)n * (size_t)n * sizeof(double));
    if (sal_ldl_factor(n, L, pivot) != 0) return false;
    for (int i = 0; i < n; i++) s->x[i] = -s->qp->g[i];
    sal_ldl_solve(n, L, NULL, 1, s->x);
    for (int j = 0; j < n; j++) {
        s->J[j * n + j] = 1.0 / sqrt(pivot[j]);
        for (int i = j - 1; i >= 0; i--) {
            double sum = 0.0;
            for (int k = i + 1; k <= j; k++) sum -= L[k * n + i] * s->J[k * n + j];
            s->J[i * n + j] = sum;
        }
    }
    return true;
}

static sal_qp_status solve(dual *s)
{
    const int limit = 20 * (constraint_count(s) + 10);
    for (int i = 0; i < limit; i++) {
        double    violation = 0.0, sign = 1.0;
        const int k = choose(s, &violation, &sign);
        if (k < 0) return SAL_QP_SOLVED;
        const sal_qp_status status = satisfy(s, k, violation, sign);
        if (status != SAL_QP_SOLVED) return status;
    }
    return SAL_QP_NO_PROGRESS;
}

static void write_multipliers(const dual *s, double *y, double *y_bound)
{
    const int rows = s->qp->rows;
    memset(y, 0, (size_t)rows * sizeof(double));
    memset(y_bound, 0, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->q; i++) {
        const int k = s->active[i];
        if (k < rows) y[k] = s->sign[i] * s->u[i];
        else if (k < rows + s->n) y_bound[k - rows] += s->u[i];
        else y_bound[k - rows - s->n] -= s->u[i];
    }
}

sal_qp_status sal_qp_solve(const sal_qp *qp, const saltus_allocator *allocator, double *x,
                           double *y, double *y_bound)
{
    const int n = qp->n, all = qp->rows + 2 * n;
    double   *L, *pivot;
    dual      s = {.qp = qp, .n = n, .x = x};
    WORK_ARENA(arena, allocator);
    s.active = ARENA_NEW(&arena, n + 1, int);
    s.is_active = ARENA_NEW(&arena, all, bool);
    s.is_skipped = ARENA_NEW(&arena, all, bool);
    ARENA_VECTORS(&arena, n * n, &s.J, &s.R, &L);
    if (!ARENA_VECTORS(&arena, n + 2, &s.d, &s.z, &s.r, &s.normal, &s.sign, &s.u, &pivot))
        return SAL_QP_OUT_OF_MEMORY;
    const sal_qp_status status = begin(&s, L, pivot) ? solve(&s) : SAL_QP_NOT_CONVEX;
    if (status == SAL_QP_SOLVED) write_multipliers(&s, y, y_bound);
    return status;
}
