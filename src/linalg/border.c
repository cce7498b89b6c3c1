/* Friction beside a symmetric matrix: see border.h. */
#include "linalg/border.h"

#include <math.h>
#include <string.h>

#include "linalg/lu.h"

bool sal_border_init(sal_border *border, int max_slides, int size, sal_arena *arena)
{
    *border = (sal_border){.size = size};
    border->m = ARENA_NEW(arena, max_slides, double);
    border->Y = ARENA_NEW(arena, max_slides * size, double);
    border->G = ARENA_NEW(arena, max_slides * max_slides, double);
    border->rhs = ARENA_NEW(arena, max_slides, double);
    border->exchanged = ARENA_NEW(arena, max_slides, int);
    return !arena->failed;
}

void sal_border_read(sal_border *border, const sal_symmetric *shape, const double *entries,
                     const sal_slide *slide, int count)
{
    const int early = shape->n - shape->constraints;
    border->count = count;
    border->slide = slide;
    for (int j = 0; j < count; j++) {
        double    *w = border->Y + j * border->size;
        const int *columns;
        int        entries_of_row;
        const int  first = sal_symmetric_row(shape, slide[j].own, &entries_of_row, &columns);
        memset(w, 0, (size_t)border->size * sizeof *w);
        border->m[j] = 0.0;
        for (int e = 0; e < entries_of_row; e++) {
            const int column = columns ? columns[e] : e;
            if (column < early) w[column] = entries[first + e];
            else if (column == slide[j].normal) border->m[j] = entries[first + e];
        }
    }
}

/* The determinant, from the LU factors. */
static double determinant(int n, const double *A, const int *exchanged)
{
    double det = 1.0;
    for (int i = 0; i < n; i++) det *= exchanged[i] != i ? -A[i * n + i] : A[i * n + i];
    return det;
}

int sal_border_make(sal_border *border, const sal_factor *factor, const sal_symmetric *shape,
                    double *scratch)
{
    const int k = border->count;
    for (int j = 0; j < k; j++)
        sal_factor_solve(factor, shape, 1, border->Y + j * border->size, scratch);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            const int    normal = border->slide[i].normal;
            const double part =
                normal >= 0 ? border->m[i] * border->Y[j * border->size + normal] : 0.0;
            border->G[i * k + j] = (i == j ? 1.0 : 0.0) - part;
        }
    if (k > 0 && !sal_lu_factor(k, border->G, border->exchanged)) return 1 + border->slide[0].own;
    border->det = determinant(k, border->G, border->exchanged);
    return border->det > 0.0 ? 0 : 1 + border->slide[0].own;
}

/* x = S^-1 b is in B; t follows from G, and x is corrected. */
static void finish(const sal_border *border, int lanes, int lane, double *B)
{
    const int k = border->count, size = border->size;
    double   *t = border->rhs;
    for (int j = 0; j < k; j++) {
        const sal_slide *slide = &border->slide[j];
        t[j] = B[slide->own * lanes + lane];
        if (slide->normal >= 0) t[j] -= border->m[j] * B[slide->normal * lanes + lane];
    }
    sal_lu_solve(k, border->G, border->exchanged, false, 1, t);
    for (int j = 0; j < k; j++) {
        const double *Y = border->Y + j * size;
        for (int i = 0; i < size; i++) B[i * lanes + lane] -= Y[i] * t[j];
    }
    for (int j = 0; j < k; j++) B[border->slide[j].own * lanes + lane] = t[j];
}

/* Solves G^T t = b_T - Y^T b, subtracts m t from the b of normals, and leaves t in the places of
 * b_T. */
static void begin_transposed(const sal_border *border, int lanes, int lane, double *B)
{
    const int k = border->count, size = border->size;
    double   *t = border->rhs;
    for (int j = 0; j < k; j++) t[j] = B[border->slide[j].own * lanes + lane];
    for (int j = 0; j < k; j++) B[border->slide[j].own * lanes + lane] = 0.0;
    for (int j = 0; j < k; j++) {
        const double *Y = border->Y + j * size;
        for (int i = 0; i < size; i++) t[j] -= Y[i] * B[i * lanes + lane];
    }
    sal_lu_solve(k, border->G, border->exchanged, true, 1, t);
    for (int j = 0; j < k; j++) {
        const sal_slide *slide = &border->slide[j];
        if (slide->normal >= 0) B[slide->normal * lanes + lane] -= border->m[j] * t[j];
        B[slide->own * lanes + lane] = t[j];
    }
}

void sal_border_solve(const sal_border *border, const sal_factor *factor,
                      const sal_symmetric *shape, bool transposed, int lanes, double *B,
                      double *scratch)
{
    if (transposed)
        for (int l = 0; l < lanes; l++) begin_transposed(border, lanes, l, B);
    sal_factor_solve(factor, shape, lanes, B, scratch);
    if (!transposed)
        for (int l = 0; l < lanes; l++) finish(border, lanes, l, B);
}
