/* Symmetric matrices in several forms: see symmetric.h. */
#include "linalg/symmetric.h"

#include <math.h>
#include <string.h>

#include "linalg/ldl.h"

/* ---- shape ---------------------------------------------------------------------------------- */

bool sal_symmetric_sparse(sal_symmetric *shape, int n, const int *start, const int *column,
                          sal_arena *arena)
{
    const int entries = start[n];
    int      *begin = ARENA_NEW(arena, n + 1, int), *row = ARENA_NEW(arena, 2 * entries, int);
    int      *place = ARENA_NEW(arena, 2 * entries, int), *next = ARENA_NEW(arena, n, int);
    *shape = (sal_symmetric){.form = SAL_SPARSE, .n = n, .start = start, .column = column};
    if (arena->failed) return false;
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            begin[i + 1]++;
            if (column[k] != i) begin[column[k] + 1]++;
        }
    for (int i = 0; i < n; i++) begin[i + 1] += begin[i];
    memcpy(next, begin, (size_t)n * sizeof *next);
    /* Column i gets its rows up to i from row i, and those below from the rows below, in order. */
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
    return sal_sparse_order(&shape->full, n, begin, row);
}

void sal_symmetric_release(sal_symmetric *shape) { sal_sparse_release(&shape->full); }

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
    const size_t rows = form == SAL_SPARSE ? 0 : form == SAL_DIAGONAL ? 1 : (size_t)n;
    *factor = (sal_factor){0};
    factor->value = ARENA_NEW(arena, rows * (size_t)n + (form == SAL_DEFINITE ? (size_t)n : 0),
                              double); /* definite: pivots behind */
    factor->pivot = ARENA_NEW(arena, form == SAL_INDEFINITE ? n : 0, int);
    return !arena->failed;
}

void sal_factor_release(sal_factor *factor) { sal_sparse_free(&factor->sparse); }

static int factor_diagonal(int n, double *value, const double *entries)
{
    for (int i = 0; i < n; i++) {
        value[i] = entries[i];
        if (!(value[i] > 0.0 && isfinite(value[i]))) return i + 1;
    }
    return 0;
}

static int factor_sparse(sal_factor *factor, const sal_symmetric *shape, const double *entries,
                         double *full)
{
    const int count = shape->start[shape->n];
    for (int k = 0; k < count; k++) {
        if (!isfinite(entries[k])) { /* KLU would not say where */
            int i = 0;
            while (shape->start[i + 1] <= k) i++;
            return i + 1;
        }
        full[shape->place[2 * k]] = full[shape->place[2 * k + 1]] = entries[k];
    }
    return sal_sparse_factor(&shape->full, full, &factor->sparse);
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
        memcpy(factor->value, entries, bytes);
        return sal_bk_factor(n, factor->value, factor->pivot, scratch);
    case SAL_SPARSE: return factor_sparse(factor, shape, entries, scratch);
    }
    return -1;
}

double sal_factor_log_det(const sal_factor *factor, const sal_symmetric *shape)
{
    const int n = shape->n;
    double    sum = 0.0;
    if (shape->form == SAL_SPARSE) return sal_sparse_log_det(&shape->full, factor->sparse);
    for (int i = 0; i < n && shape->form == SAL_INDEFINITE; i++) {
        const double *row = factor->value + (size_t)i * (size_t)n;
        if (i + 1 < n && factor->pivot[i + 1] < 0) {
            sum += log2(fabs(row[i] * row[n + i + 1] - row[n + i] * row[n + i]));
            i++;
        } else {
            sum += log2(fabs(row[i]));
        }
    }
    return sum;
}

void sal_factor_solve(const sal_factor *factor, const sal_symmetric *shape, int lanes, double *B,
                      double *scratch)
{
    const int n = shape->n;
    switch (shape->form) {
    case SAL_DIAGONAL:
        for (int i = 0; i < n; i++)
            for (int l = 0; l < lanes; l++) B[i * lanes + l] /= factor->value[i];
        break;
    case SAL_DEFINITE: sal_ldl_solve(n, factor->value, factor->value + n * n, lanes, B); break;
    case SAL_INDEFINITE: sal_bk_solve(n, factor->value, factor->pivot, lanes, B); break;
    case SAL_SPARSE:
        sal_sparse_solve(&shape->full, factor->sparse, false, lanes, B, scratch);
        break;
    }
}
