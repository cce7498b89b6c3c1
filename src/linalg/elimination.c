/* L D L' in a fixed order: see elimination.h. */
#include "linalg/elimination.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/degree.h"

/* A solution is corrected if a residual is larger than this part of the sum of the magnitudes of
 * its terms. */
static const double LARGEST_RESIDUAL = 64.0 * DBL_EPSILON;

/* ---- the plan ------------------------------------------------------------------------------- */

/* Finds the elimination tree: the parent of step k is the first step that needs its column. */
static void find_parents(const sal_fill *fill, int n, const int *step, int *parent)
{
    for (int k = 0; k < n; k++) {
        const int i = fill->order[k], *row = fill->rows.data + fill->first[i];
        parent[k] = n;
        for (int m = 0; m < fill->count[i]; m++)
            if (step[row[m]] < parent[k]) parent[k] = step[row[m]];
    }
}

/* Sorts the steps in postorder of the elimination tree: the fill is the same, but memory is
 * accessed in order. child and sibling are scratch; writes the new place of each step to rank. */
static void sort_by_need(int n, const int *parent, int *child, int *sibling, int *rank)
{
    int done = 0;
    for (int k = 0; k <= n; k++) child[k] = -1;
    for (int k = n - 1; k >= 0; k--) {
        sibling[k] = child[parent[k]];
        child[parent[k]] = k;
    }
    for (int k = child[n]; k >= 0;) { /* down to a leaf, then to its sibling or parent */
        while (child[k] >= 0) {
            const int first = child[k];
            child[k] = -1;
            k = first;
        }
        rank[k] = done++;
        k = sibling[k] >= 0 ? sibling[k] : parent[k] < n ? parent[k] : -1;
    }
}

/* Writes the pattern of L by columns and by rows, from the neighbours of each elimination. */
static void lay_out(const sal_fill *fill, int n, const int *step, int *begin, int *row,
                    int *row_begin, int *column, int *at, const int *unknown, int *next)
{
    for (int k = 0; k < n; k++) {
        const int i = unknown[k], *rows = fill->rows.data + fill->first[i];
        begin[k + 1] = begin[k] + fill->count[i];
        for (int m = 0; m < fill->count[i]; m++) row_begin[step[rows[m]] + 1]++;
    }
    for (int k = 0; k < n; k++) row_begin[k + 1] += row_begin[k];
    memcpy(next, row_begin, (size_t)n * sizeof *next);
    for (int k = 0; k < n; k++) { /* columns are ascending in every row */
        const int i = unknown[k], *rows = fill->rows.data + fill->first[i];
        for (int m = 0; m < fill->count[i]; m++) column[next[step[rows[m]]]++] = k;
    }
    memcpy(next, begin, (size_t)n * sizeof *next);
    for (int r = 0; r < n; r++) /* in this order, rows ascend in every column */
        for (int m = row_begin[r]; m < row_begin[r + 1]; m++) {
            at[m] = next[column[m]]++;
            row[at[m]] = r;
        }
}

/* The place of the entry (i, j) of L. */
static int place_of(const int *begin, const int *row, int i, int j)
{
    int low = begin[j], high = begin[j + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (row[middle] < i) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void find_places(const sal_elimination *e, const int *step, const int *start,
                        const int *column, int *place)
{
    for (int i = 0; i < e->n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            const int a = step[i], b = step[column[k]];
            place[k] = a == b ? a : e->n + place_of(e->begin, e->row, a > b ? a : b, a > b ? b : a);
        }
}

static bool plan(sal_elimination *e, const sal_fill *fill, const int *start, const int *column,
                 sal_arena *arena, sal_arena *scratch)
{
    const int n = e->n;
    int      *parent = ARENA_NEW(scratch, n, int), *child = ARENA_NEW(scratch, n + 1, int);
    int      *sibling = ARENA_NEW(scratch, n, int), *rank = ARENA_NEW(scratch, n, int);
    int      *step = ARENA_NEW(scratch, n, int), *unknown = ARENA_NEW(arena, n, int);
    int      *begin = ARENA_NEW(arena, n + 1, int), *row_begin = ARENA_NEW(arena, n + 1, int);
    int      *row = ARENA_NEW(arena, fill->rows.count, int);
    int      *columns = ARENA_NEW(arena, fill->rows.count, int);
    int      *at = ARENA_NEW(arena, fill->rows.count, int);
    int      *place = ARENA_NEW(arena, start[n], int);
    if (arena->failed || scratch->failed) return false;
    for (int k = 0; k < n; k++) step[fill->order[k]] = k;
    find_parents(fill, n, step, parent);
    sort_by_need(n, parent, child, sibling, rank);
    for (int i = 0; i < n; i++) step[i] = rank[step[i]];
    for (int i = 0; i < n; i++) unknown[step[i]] = i;
    lay_out(fill, n, step, begin, row, row_begin, columns, at, unknown, rank);
    e->given = start[n];
    e->start = start;
    e->of = column;
    e->entries = fill->rows.count;
    e->unknown = unknown;
    e->begin = begin;
    e->row = row;
    e->row_begin = row_begin;
    e->column = columns;
    e->at = at;
    find_places(e, step, start, column, place);
    e->place = place;
    return true;
}

bool sal_elimination_plan(sal_elimination *e, int n, int early, const int *start, const int *column,
                          const int *full_start, const int *full_row, sal_arena *arena)
{
    sal_fill fill;
    *e = (sal_elimination){.n = n, .early = early};
    WORK_ARENA(scratch, &arena->allocator);
    const bool ok = sal_minimum_degree(n, early, full_start, full_row, &scratch, &fill) &&
                    plan(e, &fill, start, column, arena, &scratch);
    ARRAY_RELEASE(&arena->allocator, &fill.rows);
    return ok;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Computes L by columns, in x: a column of the matrix minus products of the columns before it. */
bool sal_elimination_factor(const sal_elimination *e, const double *matrix, double trusted,
                            double *value, double *apart, double *scratch)
{
    const int *begin = e->begin, *row = e->row;
    double    *D = value, *L = D + e->n, *x = scratch;
    memset(value, 0, (size_t)(e->n + e->entries) * sizeof *value);
    memcpy(L + e->entries, matrix, (size_t)e->given * sizeof *matrix);
    for (int k = 0; k < e->given; k++) value[e->place[k]] = matrix[k];
    for (int j = 0; j < e->n; j++) {
        double pivot = D[j], sum = fabs(D[j]);
        for (int p = begin[j]; p < begin[j + 1]; p++) x[row[p]] = L[p];
        for (int m = e->row_begin[j]; m < e->row_begin[j + 1]; m++) {
            const int    p = e->at[m], end = begin[e->column[m] + 1];
            const double u = L[p] * D[e->column[m]], product = L[p] * u;
            pivot -= product;
            sum += fabs(product);
            for (int k = p + 1; k < end; k++) x[row[k]] -= u * L[k];
        }
        const int constraint = e->unknown[j] - e->early;
        if (constraint >= 0) apart[constraint] = sum > 0.0 ? fabs(pivot) / sum : 0.0;
        if (!(fabs(pivot) > trusted * sum + DBL_MIN)) return false; /* NaN, Inf as well */
        const double inverse = 1.0 / pivot;
        for (int p = begin[j]; p < begin[j + 1]; p++) L[p] = x[row[p]] * inverse;
        D[j] = pivot;
    }
    return true;
}

/* ---- solving ---------------------------------------------------------------------------------
 * Lanes are solved in blocks of four, two or one, as for dense matrices (ldl.c). The elimination of
 * constraints squares the condition number of the matrix: in a long straight chain, it loses digits
 * unnecessarily. This shows in the residual, and the solution is then corrected once. Lanes are
 * corrected independently, so that each has the same digits whatever the others are. */
#if defined(__GNUC__)
#define FOR_EACH_WIDTH static inline __attribute__((always_inline))
#else
#define FOR_EACH_WIDTH static inline
#endif

/* y := L'^-1 D^-1 L^-1 y. Divisions are done when no other column has to wait for them. */
FOR_EACH_WIDTH void substitute(const sal_elimination *e, const double *value, int width, double *y)
{
    const int    *begin = e->begin, *row = e->row;
    const double *D = value, *L = value + e->n;
    double        x[4];
    for (int j = 0; j < e->n; j++) {
        for (int l = 0; l < width; l++) x[l] = y[j * width + l];
        for (int p = begin[j]; p < begin[j + 1]; p++)
            for (int l = 0; l < width; l++) y[row[p] * width + l] -= L[p] * x[l];
        for (int l = 0; l < width; l++) y[j * width + l] = x[l] / D[j];
    }
    for (int j = e->n - 1; j >= 0; j--) {
        for (int l = 0; l < width; l++) x[l] = y[j * width + l];
        for (int p = begin[j]; p < begin[j + 1]; p++)
            for (int l = 0; l < width; l++) x[l] -= L[p] * y[row[p] * width + l];
        for (int l = 0; l < width; l++) y[j * width + l] = x[l];
    }
}

/* Copies `count` lanes of B to a block, with rows in the given order (NULL: as they are), and sets
 * the other lanes of the block to zero. */
FOR_EACH_WIDTH void take(int n, const int *order, int width, int count, ptrdiff_t stride,
                         const double *B, double *y)
{
    for (int j = 0; j < n; j++) {
        const double *from = B + (order ? order[j] : j) * stride;
        for (int l = 0; l < width; l++) y[j * width + l] = l < count ? from[l] : 0.0;
    }
}

/* r := r - K x; w: the sum of the magnitudes of the terms of each r. */
FOR_EACH_WIDTH void subtract_product(const sal_elimination *e, const double *matrix, int width,
                                     const double *x, double *restrict r, double *restrict w)
{
    for (int i = 0; i < e->n; i++) {
        const int    diagonal = e->start[i + 1] - 1;
        const double own = matrix[diagonal];
        double       sum[4], size[4], xi[4];
        for (int l = 0; l < width; l++) {
            xi[l] = x[i * width + l];
            sum[l] = r[i * width + l] - own * xi[l];
            size[l] = fabs(r[i * width + l]) + fabs(own * xi[l]);
        }
        for (int k = e->start[i]; k < diagonal; k++) {
            const int    j = e->of[k];
            const double a = matrix[k];
            for (int l = 0; l < width; l++) {
                const double left = a * x[j * width + l], above = a * xi[l];
                sum[l] -= left;
                size[l] += fabs(left);
                r[j * width + l] -= above;
                w[j * width + l] += fabs(above);
            }
        }
        for (int l = 0; l < width; l++) {
            r[i * width + l] = sum[l];
            w[i * width + l] = size[l];
        }
    }
}

/* Whether the residual of a lane is more than rounding. */
FOR_EACH_WIDTH bool is_off(int n, int width, int lane, const double *r, const double *w)
{
    for (int i = lane; i < n * width; i += width)
        if (fabs(r[i]) > LARGEST_RESIDUAL * w[i]) return true;
    return false;
}

/* Corrects the solution x, whose right-hand side is r. */
FOR_EACH_WIDTH void correct(const sal_elimination *e, const double *value, int width, double *x,
                            double *y, double *r, double *w)
{
    bool off[4], any = false;
    subtract_product(e, value + e->n + e->entries, width, x, r, w);
    for (int l = 0; l < width; l++) any |= off[l] = is_off(e->n, width, l, r, w);
    if (!any) return;
    take(e->n, e->unknown, width, width, width, r, y);
    substitute(e, value, width, y);
    for (int j = 0; j < e->n; j++)
        for (int l = 0; l < width; l++)
            x[e->unknown[j] * width + l] += off[l] ? y[j * width + l] : 0.0;
}

FOR_EACH_WIDTH void solve_block(const sal_elimination *e, const double *value, int width, int count,
                                ptrdiff_t stride, double *B, double *scratch)
{
    const ptrdiff_t size = (ptrdiff_t)e->n * width;
    double         *y = scratch, *r = y + size, *w = r + size, *x = w + size;
    take(e->n, NULL, width, count, stride, B, r);
    take(e->n, e->unknown, width, count, stride, B, y);
    substitute(e, value, width, y);
    for (int j = 0; j < e->n; j++)
        for (int l = 0; l < width; l++) x[e->unknown[j] * width + l] = y[j * width + l];
    correct(e, value, width, x, y, r, w);
    for (int i = 0; i < e->n; i++)
        for (int l = 0; l < count; l++) B[i * stride + l] = x[i * width + l];
}

/* Three lanes take as long as four: the time is spent waiting for the previous column. */
void sal_elimination_solve(const sal_elimination *e, const double *value, int lanes, double *B,
                           double *scratch)
{
    int lane = 0;
    for (; lane + 4 <= lanes; lane += 4) solve_block(e, value, 4, 4, lanes, B + lane, scratch);
    if (lanes - lane == 3) solve_block(e, value, 4, 3, lanes, B + lane, scratch);
    if (lanes - lane == 2) solve_block(e, value, 2, 2, lanes, B + lane, scratch);
    if (lanes - lane == 1) solve_block(e, value, 1, 1, lanes, B + lane, scratch);
}
