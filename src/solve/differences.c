/* Extrapolated differences: see differences.h. */
#include "solve/differences.h"

#include "solve/vectors.h"

enum { LEVELS = 7, TRIES = 14 };

typedef struct table {
    int     count;
    double *row, *before; /* LEVELS * count: the newest row of the table, and the row before */
    double *error;        /* by value: the estimated error of the best entry so far */
} table;

/* Extends the newest row: the entries of column k have an error of order 2 (k + 1) in the distance.
 * Keeps in `best` the entries with the smallest estimated errors. */
static void extend(table *t, int level, double *best)
{
    const int n = t->count;
    double    factor = 1.0;
    for (int k = 1; k <= level; k++) {
        factor *= 4.0;
        const double *now = t->row + (k - 1) * n, *then = t->before + (k - 1) * n;
        double       *next = t->row + k * n;
        for (int i = 0; i < n; i++) {
            next[i] = (factor * now[i] - then[i]) / (factor - 1.0);
            const double error = fmax(fabs(next[i] - now[i]), fabs(next[i] - then[i]));
            if (!(error < t->error[i])) continue;
            t->error[i] = error;
            best[i] = next[i];
        }
    }
}

static sal_evaluation difference(sal_differences_function function, void *context, int n,
                                 double distance, double *out, double *other)
{
    sal_evaluation e = function(context, distance, out);
    if (e == SAL_EVALUATED) e = function(context, -distance, other);
    if (e != SAL_EVALUATED) return e;
    for (int i = 0; i < n; i++) out[i] = (out[i] - other[i]) / (2.0 * distance);
    return e;
}

sal_solve_status sal_differences_extrapolated(sal_differences_function function, void *context,
                                              int n, double distance, double *derivative,
                                              double *error, sal_arena *work)
{
    table   t = {.count = n};
    double *other;
    ARENA_VECTORS(work, LEVELS * n, &t.row, &t.before);
    if (!ARENA_VECTORS(work, n, &t.error, &other)) return SAL_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) t.error[i] = INFINITY;
    for (int level = 0, tries = 0; level < LEVELS && tries < TRIES; tries++, distance *= 0.5) {
        const sal_evaluation e = difference(function, context, n, distance, t.row, other);
        if (e == SAL_STOP) return SAL_STOPPED;
        if (e == SAL_NO_VALUE) {
            if (level > 1) break; /* values exist farther away, but not here: noise */
            level = 0;
            continue;
        }
        extend(&t, level, derivative);
        double *swap = t.row;
        t.row = t.before;
        t.before = swap;
        level++;
    }
    if (!isfinite(sal_largest(n, t.error))) return SAL_NO_START;
    *error = sal_largest(n, t.error) / fmax(sal_largest(n, derivative), 1e-300);
    return SAL_CONVERGED;
}
