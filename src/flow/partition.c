/* Independent and dependent coordinates: see partition.h. */
#include "flow/partition.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/ldl.h"

enum { ITERATIONS = 60 };

bool sal_partition_init(sal_partition *p, const saltus_system *system, int max_lanes,
                        sal_arena *arena)
{
    const int n = system->n, m = system->nmu;
    *p = (sal_partition){.system = system, .max_lanes = max_lanes};
    if (m == 0) return true;
    p->constraint = ARENA_NEW(arena, m, int);
    p->skip = ARENA_NEW(arena, m, unsigned char);
    p->dependent = ARENA_NEW(arena, n, unsigned char);
    p->independent = ARENA_NEW(arena, n, int);
    p->jacobian = ARENA_NEW(arena, (m + m * max_lanes) * n, double);
    p->matrix = ARENA_NEW(arena, 4 * n * n + m * n, double);
    p->weight = ARENA_NEW(arena, 2 * n, double);
    p->rhs = ARENA_NEW(arena, 2 * n * max_lanes, double);
    p->pivots = ARENA_NEW(arena, 2 * n > m ? 2 * n : m, int); /* also rows of an elimination */
    p->values = ARENA_NEW(arena, m * max_lanes, double);
    p->u_bar = ARENA_NEW(arena, system->layout.size, double);
    return !arena->failed;
}

/* ---- the Jacobian --------------------------------------------------------------------------- */

/* Phi_q row by row, by the adjoint of each active constraint. */
static void evaluate_jacobian(sal_partition *p, sal_field *field)
{
    const saltus_system *system = p->system;
    const int            n = system->n;
    for (int j = 0; j < p->active; j++) {
        memset(p->u_bar, 0, (size_t)system->layout.size * sizeof(double));
        memset(p->values, 0, (size_t)system->nmu * sizeof(double));
        p->values[p->constraint[j]] = 1.0;
        sal_map_adjoint(&system->phi, field->u, p->values, 1, p->u_bar, field->work);
        memcpy(p->jacobian + j * n, p->u_bar + system->layout.at[SAL_LEAF_Q],
               (size_t)n * sizeof(double));
    }
}

static void list_active(sal_partition *p, const sal_regime *regime)
{
    p->active = 0;
    for (int j = 0; j < p->system->nmu; j++)
        if (regime->on[j] && !p->skip[j]) p->constraint[p->active++] = j;
}

/* [1 J^T; J 0], factored. */
static bool factor(sal_partition *p)
{
    const int n = p->system->n, size = 2 * n;
    memset(p->matrix, 0, (size_t)(size * size) * sizeof(double));
    for (int i = 0; i < n; i++) p->matrix[i * size + i] = 1.0;
    for (int i = 0; i < n - p->active; i++) p->matrix[(n + i) * size + p->independent[i]] = 1.0;
    for (int j = 0; j < p->active; j++)
        memcpy(p->matrix + (size_t)(2 * n - p->active + j) * (size_t)size, p->jacobian + j * n,
               (size_t)n * sizeof(double));
    return sal_bk_factor(size, p->matrix, p->pivots, p->weight) == 0;
}

/* Gauss-Jordan elimination, columns in the order of rank; a pivot must be a fair part of its row.
 */
static int eliminate(sal_partition *p, const int *rank, double fair)
{
    const int n = p->system->n, m = p->active;
    double   *A = p->matrix; /* free until the factorisation */
    int      *done = p->pivots, found = 0;
    memcpy(A, p->jacobian, (size_t)(m * n) * sizeof(double));
    memset(p->dependent, 0, (size_t)n);
    for (int j = 0; j < m; j++) {
        double largest = 0.0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(A[j * n + i]));
        for (int i = 0; i < n && largest > 0.0; i++) A[j * n + i] /= largest;
        done[j] = 0;
    }
    int highest = 0;
    for (int i = 0; i < n; i++) highest = rank[i] > highest ? rank[i] : highest;
    for (int r = highest; r >= 0 && found < m; r--)
        for (int c = n - 1; c >= 0 && found < m; c--) {
            int best = -1;
            if (rank[c] != r || p->dependent[c]) continue;
            for (int j = 0; j < m; j++)
                if (!done[j] && (best < 0 || fabs(A[j * n + c]) > fabs(A[best * n + c]))) best = j;
            if (!(fabs(A[best * n + c]) > fair)) continue;
            p->dependent[c] = 1;
            done[best] = 1;
            found++;
            for (int j = 0; j < m; j++) {
                const double f = j == best ? 0.0 : A[j * n + c] / A[best * n + c];
                for (int i = 0; i < n && f != 0.0; i++) A[j * n + i] -= f * A[best * n + i];
            }
        }
    for (int j = 0; j < m && found < m; j++)
        if (!done[j]) return p->constraint[j];
    return -1;
}

int sal_partition_choose(sal_partition *p, sal_field *field, const int *rank, double fair)
{
    int independent = 0;
    list_active(p, field->regime);
    evaluate_jacobian(p, field);
    int redundant = eliminate(p, rank, fair);
    if (redundant >= 0 && fair > SAL_PARTITION_STRICT)
        redundant = eliminate(p, rank, SAL_PARTITION_STRICT);
    for (int i = 0; i < p->system->n; i++)
        if (!p->dependent[i]) p->independent[independent++] = i;
    return redundant;
}

/* ---- positions ------------------------------------------------------------------------------ */

static double worst_of(sal_partition *p, sal_field *field, int *which)
{
    double worst = 0.0;
    *which = p->constraint[0];
    sal_map_value(&p->system->phi, field->u, p->values, field->work);
    for (int j = 0; j < p->active; j++) {
        const double size = fabs(p->values[p->constraint[j]]);
        if (!(size <= worst)) {
            worst = size;
            *which = p->constraint[j];
        }
    }
    return worst;
}

/* One Newton step; its size relative to the positions. */
static double newton(sal_partition *p, sal_field *field, double *q)
{
    const int n = p->system->n;
    double    step = 0.0, size = 0.0;
    evaluate_jacobian(p, field);
    if (!factor(p)) return NAN;
    sal_map_value(&p->system->phi, field->u, p->values, field->work);
    memset(p->rhs, 0, 2 * (size_t)n * sizeof(double));
    for (int j = 0; j < p->active; j++)
        p->rhs[2 * n - p->active + j] = -p->values[p->constraint[j]];
    sal_bk_solve(2 * n, p->matrix, p->pivots, 1, p->rhs);
    for (int i = 0; i < n; i++) {
        q[i] += p->rhs[i];
        step = fmax(step, fabs(p->rhs[i]));
        size = fmax(size, fabs(q[i]));
    }
    return step / (size > 0.0 ? size : 1.0);
}

int sal_partition_positions(sal_partition *p, sal_field *field, double *q, double *residual)
{
    const size_t bytes = (size_t)p->system->n * sizeof *q;
    int          which;
    memcpy(sal_u(field, SAL_LEAF_Q), q, bytes);
    *residual = worst_of(p, field, &which);
    for (int i = 0; i < ITERATIONS; i++) {
        const double step = newton(p, field, q);
        if (!isfinite(step)) return which;
        memcpy(sal_u(field, SAL_LEAF_Q), q, bytes);
        *residual = worst_of(p, field, &which);
        if (step <= 4.0 * DBL_EPSILON) break;
    }
    double scale = 0.0; /* what a change of rounding size in the positions makes */
    for (int i = 0; i < p->active * p->system->n; i++) scale = fmax(scale, fabs(p->jacobian[i]));
    for (int i = 0; i < p->system->n; i++) scale = fmax(scale, scale * fabs(q[i]));
    if (!(*residual <= 1e-9 * (1.0 + scale))) return which;
    evaluate_jacobian(p, field);
    return factor(p) ? -1 : which;
}

/* J d = [d_I; -values]: d of the independent ones becomes that of all. */
static void solve_tangent(sal_partition *p, double *d, int lanes)
{
    const int n = p->system->n, free = n - p->active;
    memset(p->rhs, 0, (size_t)(n * lanes) * sizeof *d);
    for (int l = 0; l < lanes; l++) {
        for (int i = 0; i < free; i++)
            p->rhs[(n + i) * lanes + l] = d[p->independent[i] * lanes + l];
        for (int j = 0; j < p->active; j++)
            p->rhs[(n + free + j) * lanes + l] = -p->values[p->constraint[j] * lanes + l];
    }
    sal_bk_solve(2 * n, p->matrix, p->pivots, lanes, p->rhs);
    memcpy(d, p->rhs, (size_t)(n * lanes) * sizeof *d);
}

void sal_partition_positions_tangent(sal_partition *p, sal_field *field, double *du, int lanes,
                                     double *dq)
{
    const saltus_system *system = p->system;
    const int            n = system->n;
    memset(sal_lanes_at(system, du, lanes, SAL_LEAF_Q), 0, (size_t)(n * lanes) * sizeof *du);
    sal_map_tangent(&system->phi, field->u, du, lanes, p->values, field->work);
    solve_tangent(p, dq, lanes);
}

/* J^T (zeta_I, zeta) = bar; the constraints' part, negated, is the weight of their derivatives. */
static void solve_adjoint(sal_partition *p, double *bar, int lanes)
{
    const int n = p->system->n, free = n - p->active;
    memcpy(p->rhs, bar, (size_t)(n * lanes) * sizeof *bar);
    memset(p->rhs + n * lanes, 0, (size_t)(n * lanes) * sizeof *bar);
    sal_bk_solve(2 * n, p->matrix, p->pivots, lanes, p->rhs);
    memset(bar, 0, (size_t)(n * lanes) * sizeof *bar);
    memset(p->values, 0, (size_t)(p->system->nmu * lanes) * sizeof *bar);
    for (int l = 0; l < lanes; l++) {
        for (int i = 0; i < free; i++)
            bar[p->independent[i] * lanes + l] = p->rhs[(n + i) * lanes + l];
        for (int j = 0; j < p->active; j++)
            p->values[p->constraint[j] * lanes + l] = -p->rhs[(n + free + j) * lanes + l];
    }
}

void sal_partition_positions_adjoint(sal_partition *p, sal_field *field, double *q_bar, int lanes,
                                     double *u_bar)
{
    const saltus_system *system = p->system;
    solve_adjoint(p, q_bar, lanes);
    sal_map_adjoint(&system->phi, field->u, p->values, lanes, u_bar, field->work);
    memset(sal_lanes_at(system, u_bar, lanes, SAL_LEAF_Q), 0,
           (size_t)(system->n * lanes) * sizeof *u_bar); /* the unknowns themselves */
}

/* ---- velocities ----------------------------------------------------------------------------- */

bool sal_partition_velocities(sal_partition *p, sal_field *field, double *v)
{
    const saltus_system *system = p->system;
    const int            n = system->n, free = n - p->active;
    double              *at_v = sal_u(field, SAL_LEAF_V);
    evaluate_jacobian(p, field);
    if (!factor(p)) return false;
    memset(at_v, 0, (size_t)n * sizeof *v);
    sal_map_value(&system->phi_dot, field->u, p->values, field->work); /* Phi_t */
    memset(p->rhs, 0, (size_t)n * sizeof *v);
    for (int i = 0; i < free; i++) p->rhs[n + i] = v[p->independent[i]];
    for (int j = 0; j < p->active; j++) p->rhs[n + free + j] = -p->values[p->constraint[j]];
    sal_bk_solve(2 * n, p->matrix, p->pivots, 1, p->rhs);
    memcpy(v, p->rhs, (size_t)n * sizeof *v);
    memcpy(at_v, v, (size_t)n * sizeof *v);
    return true;
}

void sal_partition_velocities_tangent(sal_partition *p, sal_field *field, double *du, int lanes,
                                      double *dv)
{
    const saltus_system *system = p->system;
    const int            n = system->n;
    memset(sal_lanes_at(system, du, lanes, SAL_LEAF_V), 0, (size_t)(n * lanes) * sizeof *du);
    sal_map_tangent(&system->phi_dot, field->u, du, lanes, p->values, field->work);
    solve_tangent(p, dv, lanes);
}

void sal_partition_velocities_adjoint(sal_partition *p, sal_field *field, double *v_bar, int lanes,
                                      double *u_bar)
{
    const saltus_system *system = p->system;
    solve_adjoint(p, v_bar, lanes);
    sal_map_adjoint(&system->phi_dot, field->u, p->values, lanes, u_bar, field->work);
    memset(sal_lanes_at(system, u_bar, lanes, SAL_LEAF_V), 0,
           (size_t)(system->n * lanes) * sizeof *u_bar);
}
