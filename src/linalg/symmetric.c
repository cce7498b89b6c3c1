/* Symmetric matrices in several forms: see symmetric.h. */
#include "linalg/symmetric.h"

#include <math.h>
#include <string.h>

#include "linalg/ldl.h"

/* ---- shape ---------------------------------------------------------------------------------- */

bool sal_symmetric_sparse(sal_symmetric *shape, int n, int early, const int *start,
                          const int *column, sal_arena *arena)
{
    const int entries = start[n];
    int      *begin = ARENA_NEW(arena, n + 1, int), *row = ARENA_NEW(arena, 2 * entries, int);
    int      *place = ARENA_NEW(arena, 2 * entries, int), *next = ARENA_NEW(arena, n, int);
    *shape = (sal_symmetric){.form = SAL_SPARSE,
                             .n = n,
                             .constraints = n - early,
                             .start = start,
                             .column = column,
                             .full = ARENA_NEW(arena, 1, sal_sparse)};
    if (arena->failed) return false;
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            begin[i + 1]++;
            if (column[k] != i) begin[column[k] + 1]++;
        }
    for (int i = 0; i < n; i++) begin[i + 1] += begin[i];
    memcpy(next, begin, (size_t)n * sizeof *next);
    /* Column i gets its rows up to i from row i, the others from later rows: they ascend. */
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            place[2 * k] = next[i]++;
            row[place[2 * k]] = column[k];
            place[2 * k + 1] = place[2 * k];
            if (column[k] == i) continue;
            place[2 * k + 1] = next[column[k]]++;
            row[place[2 * k + 1]] = i;
        }
    shape->place = place;
    *shape->full = (sal_sparse){n, begin, row, NULL};
    return sal_elimination_plan(&shape->elimination, n, early, start, column, begin, row, arena);
}

void sal_symmetric_release(sal_symmetric *shape)
{
    if (shape->full) sal_sparse_release(shape->full);
}

int sal_symmetric_row(const sal_symmetric *shape, int i, int *count, const int **columns)
{
    *columns = NULL;
    switch (shape->form) {
    case SAL_DIAGONAL: *count = 1; return i;
    case SAL_SPARSE:
        *count = shape->start[i + 1] - shape->start[i];
        *columns = shape->column + shape->start[i];
        return shape->start[i];
    default: *count = i + 1; return i * shape->n;
    }
}

/* ---- factorisation -------------------------------------------------------------------------- */

bool sal_factor_init(sal_factor *factor, sal_form form, int n, sal_arena *arena)
{
    /* after the matrix: pivots of a definite one; apart and scratch of an indefinite one */
    const size_t rows = form == SAL_DIAGONAL ? 1 : (size_t)n;
    const size_t more = form == SAL_DEFINITE ? 1 : form == SAL_INDEFINITE ? 3 : 0;
    *factor = (sal_factor){.allocator = arena->allocator};
    if (form != SAL_SPARSE) factor->value = ARENA_NEW(arena, (rows + more) * (size_t)n, double);
    factor->pivot = ARENA_NEW(arena, form == SAL_INDEFINITE ? n : 0, int);
    return !arena->failed;
}

void sal_factor_release(sal_factor *factor)
{
    sal_sparse_free(&factor->sparse);
    if (factor->room)
        sal_resize(&factor->allocator, factor->value, factor->room * sizeof *factor->value, 0);
    factor->room = 0;
}

/* Writes reciprocals, in groups of four, for which compilers use vector instructions. Returns 0, or
 * 1 + the index of an entry that is not positive. */
static int factor_diagonal(int n, double *restrict value, const double *restrict entries)
{
    double least[4] = {1.0, 1.0, 1.0, 1.0};
    int    i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) {
            value[i + l] = 1.0 / entries[i + l];
            least[l] = value[i + l] > 0.0 && entries[i + l] > 0.0 ? least[l] : 0.0;
        }
    const bool positive = least[0] * least[1] * least[2] * least[3] > 0.0; /* this implies finite */
    for (int k = positive ? i : 0; k < n; k++) {
        value[k] = 1.0 / entries[k];
        if (!(value[k] > 0.0 && entries[k] > 0.0)) return k + 1;
    }
    return 0;
}

static void multiply(int n, const double *restrict value, double *restrict b)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) b[i + l] *= value[i + l];
    for (; i < n; i++) b[i] *= value[i];
}

static void solve_diagonal(int n, const double *value, int lanes, double *B)
{
    if (lanes == 1) multiply(n, value, B);
    else
        for (int i = 0; i < n; i++)
            for (int l = 0; l < lanes; l++) B[i * lanes + l] *= value[i];
}

/* ---- scaling of sparse matrices --------------------------------------------------------------
 * Pivots are compared with each other, so the units of coordinates, masses and constraints must not
 * matter. The matrix a_ij / (g_i g_j) is the same in all units if g_i^2 = a_ii where this is
 * positive (a mass), and otherwise (a constraint, then coordinates without mass) g_i is the largest
 * |a_ij| / g_j over the rows j that have a g already. (ldl.c measures rounding errors in this way,
 * too.) */

enum { SCALING_SWEEPS = 8 };

/* A power of two of the size of x. Scaling by it causes no rounding errors. */
static double power_of_two(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent);
}

/* Notes the g that row i, which has none, needs because of the entry a and its neighbour j. */
static void ask(double *need, const double *g, int i, int j, double a)
{
    if (g[i] == 0.0 && g[j] > 0.0) need[i] = fmax(need[i], fabs(a) / g[j]);
}

static double diagonal_of(const sal_symmetric *shape, const double *entries, int i)
{
    const int *columns;
    int        count;
    const int  first = sal_symmetric_row(shape, i, &count, &columns);
    return entries[first + count - 1];
}

/* Gives a g to the neighbours of rows that have one. False: there were none left. */
static bool spread_scale(const sal_symmetric *shape, const double *entries, double *g, double *need)
{
    const int n = shape->n;
    bool      any = false;
    memset(need, 0, (size_t)n * sizeof *need);
    for (int i = 0; i < n; i++) {
        const int *columns;
        int        count;
        const int  first = sal_symmetric_row(shape, i, &count, &columns);
        for (int k = 0; k < count; k++) {
            const int j = columns ? columns[k] : k;
            ask(need, g, i, j, entries[first + k]);
            ask(need, g, j, i, entries[first + k]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (need[i] == 0.0) continue;
        /* the diagonal entry of a constraint is its softness */
        g[i] = fmax(need[i], sqrt(fabs(diagonal_of(shape, entries, i))));
        any = true;
    }
    return any;
}

static void find_scale(const sal_symmetric *shape, const double *entries, double *g, double *need)
{
    for (int i = 0; i < shape->n; i++) {
        const double diagonal = diagonal_of(shape, entries, i);
        g[i] = diagonal > 0.0 ? sqrt(diagonal) : 0.0;
    }
    for (int i = 0; i < SCALING_SWEEPS && spread_scale(shape, entries, g, need); i++) {
    }
    for (int i = 0; i < shape->n; i++)
        if (g[i] == 0.0) g[i] = 1.0;
}

static void divide_rows(int n, int lanes, const double *g, double *B)
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < lanes; l++) B[i * lanes + l] /= g[i];
}

/* ---- independence of constraints ------------------------------------------------------------- */

/* Makes `row` orthogonal to the others, which are orthogonal to each other. Returns the part of its
 * squared length that remains. */
static double orthogonalise(int n, int rows, const double *others, double *row)
{
    double whole = 0.0, left = 0.0;
    for (int i = 0; i < n; i++) whole += row[i] * row[i];
    for (int k = 0; k < rows; k++) {
        const double *other = others + (size_t)k * (size_t)n;
        double        product = 0.0, square = 0.0;
        for (int i = 0; i < n; i++) {
            product += row[i] * other[i];
            square += other[i] * other[i];
        }
        for (int i = 0; i < n && square > 0.0; i++) row[i] -= product / square * other[i];
    }
    for (int i = 0; i < n; i++) left += row[i] * row[i];
    return whole > 0.0 ? left / whole : 0.0;
}

static void judge_dense(sal_factor *factor, const sal_symmetric *shape, const double *entries)
{
    const int n = shape->n, m = shape->constraints, coordinates = n - m;
    double   *row = factor->value, *g = row + (size_t)n * (size_t)n + n;
    factor->apart = g - n;
    if (m == 0) return;
    find_scale(shape, entries, g, g + n);
    for (int j = 0; j < m; j++) {
        double       *here = row + (size_t)j * (size_t)coordinates;
        const double *from = entries + (size_t)(coordinates + j) * (size_t)n;
        for (int i = 0; i < coordinates; i++) here[i] = from[i] / g[i];
        factor->apart[j] = orthogonalise(coordinates, j, row, here);
        if (from[coordinates + j] > 0.0) factor->apart[j] = 1.0; /* inactive: a unit row */
    }
}

/* Computes apart by an elimination that uses the diagonal of the mass matrix only. */
static void judge_sparse(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                         double *scratch)
{
    const int n = shape->n, coordinates = n - shape->constraints;
    double   *g = factor->value, *matrix = scratch;
    find_scale(shape, entries, g, g + n);
    memcpy(matrix, entries, (size_t)shape->start[n] * sizeof *matrix);
    for (int i = 0; i < n; i++) {
        double *row = matrix + shape->start[i], *diagonal = matrix + shape->start[i + 1] - 1;
        if (i < coordinates) {
            memset(row, 0, (size_t)(diagonal - row) * sizeof *row);
            *diagonal = g[i] * g[i];
        } else if (*diagonal < 0.0) {
            *diagonal = 0.0; /* without the softness of a penalty */
        }
    }
    memset(factor->apart, 0, (size_t)shape->constraints * sizeof *factor->apart);
    sal_elimination_factor(&shape->elimination, matrix, 0.0, factor->value, factor->apart,
                           factor->apart + shape->constraints);
}

/* ---- factorisation of sparse matrices -------------------------------------------------------- */

static int first_not_finite(const sal_symmetric *shape, const double *entries)
{
    for (int i = 0; i < shape->n; i++)
        for (int k = shape->start[i]; k < shape->start[i + 1]; k++)
            if (!isfinite(entries[k])) return i;
    return -1;
}

/* Factors by KLU, which chooses its pivots. */
static int factor_choosing(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                           double *full)
{
    double   *g = factor->value;
    const int bad = first_not_finite(shape, entries); /* KLU would not name the row */
    if (bad >= 0) return bad + 1;
    if (!sal_sparse_analyse(shape->full)) return -1;
    judge_sparse(factor, shape, entries, full);
    find_scale(shape, entries, g, g + shape->n);
    for (int i = 0; i < shape->n; i++) g[i] = power_of_two(g[i]);
    for (int i = 0; i < shape->n; i++)
        for (int k = shape->start[i]; k < shape->start[i + 1]; k++)
            full[shape->place[2 * k]] = full[shape->place[2 * k + 1]] =
                entries[k] / g[i] / g[shape->column[k]];
    return sal_sparse_factor(shape->full, full, &factor->sparse);
}

static bool reserve(sal_factor *factor, size_t numbers)
{
    if (numbers <= factor->room) return true;
    double *value = sal_resize(&factor->allocator, factor->value, factor->room * sizeof *value,
                               numbers * sizeof *value);
    if (!value) return false;
    factor->value = value;
    factor->room = numbers;
    return true;
}

/* Reserves memory for either factorisation, then for apart, and for a row. */
static bool reserve_sparse(sal_factor *factor, const sal_symmetric *shape)
{
    const size_t eliminating = sal_elimination_size(&shape->elimination);
    const size_t choosing = 2 * (size_t)shape->n;
    const size_t numbers = eliminating > choosing ? eliminating : choosing;
    if (!reserve(factor, numbers + (size_t)shape->constraints + (size_t)shape->n)) return false;
    factor->apart = factor->value + numbers;
    return true;
}

static int factor_sparse(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                         double *scratch)
{
    if (!reserve_sparse(factor, shape)) return -1;
    sal_sparse_free(&factor->sparse);
    if (sal_elimination_factor(&shape->elimination, entries, SAL_SMALLEST_PIVOT, factor->value,
                               factor->apart, scratch))
        return 0;
    return factor_choosing(factor, shape, entries, scratch);
}

int sal_factor_make(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                    double *scratch)
{
    const int    n = shape->n;
    const size_t bytes = (size_t)n * (size_t)n * sizeof *entries;
    switch (shape->form) {
    case SAL_DIAGONAL: return factor_diagonal(n, factor->value, entries);
    case SAL_DEFINITE:
        memcpy(factor->value, entries, bytes);
        return sal_ldl_factor(n, factor->value, factor->value + n * n);
    case SAL_INDEFINITE:
        judge_dense(factor, shape, entries);
        memcpy(factor->value, entries, bytes);
        return sal_bk_factor(n, factor->value, factor->pivot, scratch);
    case SAL_SPARSE: return factor_sparse(factor, shape, entries, scratch);
    }
    return -1;
}

const double *sal_factor_judge(sal_factor *factor, const sal_symmetric *shape,
                               const double *entries, double *scratch)
{
    if (shape->form == SAL_SPARSE) {
        if (!reserve_sparse(factor, shape)) return NULL;
        sal_sparse_free(&factor->sparse);
        judge_sparse(factor, shape, entries, scratch);
    } else {
        judge_dense(factor, shape, entries);
    }
    return factor->apart;
}

void sal_factor_solve(const sal_factor *factor, const sal_symmetric *shape, int lanes, double *B,
                      double *scratch)
{
    const int n = shape->n;
    switch (shape->form) {
    case SAL_DIAGONAL: solve_diagonal(n, factor->value, lanes, B); break;
    case SAL_DEFINITE: sal_ldl_solve(n, factor->value, NULL, lanes, B); break;
    case SAL_INDEFINITE: sal_ldl_solve(n, factor->value, factor->pivot, lanes, B); break;
    case SAL_SPARSE:
        if (!factor->sparse) {
            sal_elimination_solve(&shape->elimination, factor->value, lanes, B, scratch);
            break;
        }
        divide_rows(n, lanes, factor->value, B);
        sal_sparse_solve(shape->full, factor->sparse, false, lanes, B, scratch);
        divide_rows(n, lanes, factor->value, B);
        break;
    }
}
