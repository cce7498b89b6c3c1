/* Lemke's method: see lemke.h. */
#include "contact/lemke.h"

#include <math.h>

/* Entries of the tableau (of order one) below which they are rounding errors, and the relative
 * difference below which ratios are equal. */
static const double NEGLIGIBLE = 1e-11, EQUAL = 1e-10;
/* The covering variable counts as zero below this value, where q is of order one. It does not reach
 * zero where rows that depend on each other contradict each other a little, as constraints
 * drift. */
static const double UNCOVERED = 1e-9;

bool sal_lemke_init(sal_lemke *lemke, int max, sal_arena *arena)
{
    *lemke = (sal_lemke){.M = ARENA_NEW(arena, max * max, double),
                         .in_use = ARENA_NEW(arena, max, bool),
                         .tableau = ARENA_NEW(arena, max * (max + 2), double),
                         .basic = ARENA_NEW(arena, max, int),
                         .other = ARENA_NEW(arena, max + 1, int),
                         .place = ARENA_NEW(arena, 2 * max + 1, int)};
    return ARENA_VECTORS(arena, max, &lemke->q, &lemke->cover, &lemke->z, &lemke->w);
}

/* All w are basic, all z and the covering variable are zero. */
static void start(sal_lemke *lemke, int n)
{
    const int width = n + 2;
    for (int i = 0; i < n; i++) {
        double *row = lemke->tableau + i * width;
        for (int j = 0; j < n; j++) row[j] = lemke->M[i * n + j];
        row[n] = lemke->cover[i];
        row[n + 1] = lemke->q[i];
        lemke->place[lemke->basic[i] = i] = i;
        lemke->place[lemke->other[i] = n + i] = -1 - i;
    }
    lemke->place[lemke->other[n] = 2 * n] = -1 - n;
}

/* The derivative of the basic variable of row i by q_k. */
static double sensitivity(const sal_lemke *lemke, int n, int i, int k)
{
    const int place = lemke->place[k];
    if (place >= 0) return place == i ? 1.0 : 0.0;
    return -lemke->tableau[i * (n + 2) + (-1 - place)];
}

/* Whether row i, divided by scale_i, comes before row j in the lexicographic order. */
static bool comes_before(const sal_lemke *lemke, int n, int i, double scale_i, int j,
                         double scale_j)
{
    const double *tableau = lemke->tableau;
    const double  first = tableau[i * (n + 2) + n + 1] / scale_i;
    const double  second = tableau[j * (n + 2) + n + 1] / scale_j;
    if (fabs(first - second) > EQUAL * fmax(fabs(first), fabs(second))) return first < second;
    /* Of equal ratios the covering variable comes first, as the method ends when it leaves. */
    if (lemke->basic[i] == 2 * n || lemke->basic[j] == 2 * n) return lemke->basic[i] == 2 * n;
    for (int k = 0; k < n; k++) {
        const double a = sensitivity(lemke, n, i, k) / scale_i;
        const double b = sensitivity(lemke, n, j, k) / scale_j;
        if (fabs(a - b) > EQUAL * fmax(fabs(a), fabs(b))) return a < b;
    }
    return false;
}

/* Returns the row whose basic variable the covering variable replaces at the start; -1 if q is not
 * negative and there is nothing to do. */
static int first_row(const sal_lemke *lemke, int n)
{
    int  best = 0;
    bool negative = false;
    for (int i = 0; i < n; i++) {
        negative |= lemke->q[i] < 0.0;
        if (i > 0 && comes_before(lemke, n, i, lemke->cover[i], best, lemke->cover[best])) best = i;
    }
    return negative ? best : -1;
}

/* Returns the row whose basic variable becomes zero first when the variable of the column grows; -1
 * if none does. */
static int leaving_row(const sal_lemke *lemke, int n, int column)
{
    int    best = -1;
    double best_scale = 0.0;
    for (int i = 0; i < n; i++) {
        const double scale = -lemke->tableau[i * (n + 2) + column];
        if (scale <= NEGLIGIBLE) continue;
        if (best >= 0 && !comes_before(lemke, n, i, scale, best, best_scale)) continue;
        best = i, best_scale = scale;
    }
    return best;
}

/* row += factor * by */
static void add_multiple(double *row, double factor, const double *by, int width)
{
    for (int j = 0; j < width; j++) row[j] += factor * by[j];
}

/* Pivots: exchanges the basic variable of the row with the variable of the column. */
static void exchange(sal_lemke *lemke, int n, int row, int column)
{
    const int    width = n + 2;
    double      *pivot_row = lemke->tableau + row * width;
    const double pivot = pivot_row[column];
    for (int j = 0; j < width; j++) pivot_row[j] /= -pivot;
    pivot_row[column] = 1.0 / pivot;
    for (int i = 0; i < n; i++) {
        double      *other = lemke->tableau + i * width;
        const double factor = other[column];
        if (i == row || factor == 0.0) continue;
        other[column] = 0.0;
        add_multiple(other, factor, pivot_row, width);
    }
    const int leaves = lemke->basic[row], enters = lemke->other[column];
    lemke->place[lemke->basic[row] = enters] = row;
    lemke->place[lemke->other[column] = leaves] = -1 - column;
}

static double value(const sal_lemke *lemke, int n, int variable)
{
    const int row = lemke->place[variable];
    return row < 0 ? 0.0 : fmax(lemke->tableau[row * (n + 2) + n + 1], 0.0);
}

static void read_solution(sal_lemke *lemke, int n)
{
    for (int i = 0; i < n; i++) {
        lemke->w[i] = value(lemke, n, i);
        lemke->z[i] = value(lemke, n, n + i);
        lemke->in_use[i] = lemke->place[n + i] >= 0;
    }
}

/* Whether the covering variable is zero up to rounding errors. */
static bool is_uncovered(const sal_lemke *lemke, int n)
{
    return value(lemke, n, 2 * n) <= UNCOVERED;
}

sal_lemke_status sal_lemke_solve(sal_lemke *lemke, int n)
{
    start(lemke, n);
    int row = n > 0 ? first_row(lemke, n) : -1, column = n;
    for (int pivots = 0; row >= 0; pivots++) {
        if (pivots > 20 * n + 100) return SAL_LEMKE_LOST;
        const int leaves = lemke->basic[row];
        exchange(lemke, n, row, column);
        if (leaves == 2 * n) break;
        column = -1 - lemke->place[leaves < n ? leaves + n : leaves - n];
        row = leaving_row(lemke, n, column);
        if (row < 0 && !is_uncovered(lemke, n)) return SAL_LEMKE_RAY;
    }
    read_solution(lemke, n);
    return SAL_LEMKE_SOLVED;
}
