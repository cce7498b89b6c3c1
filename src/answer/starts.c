/* Starts of searches, spread over the bounds of the unknowns. */
#include <math.h>
#include <string.h>

#include "answer/study.h"

static unsigned long long next_random(unsigned long long *state)
{
    unsigned long long z = (*state += 0x9e3779b97f4a7c15ULL); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* The range over which starts of an unknown are spread: its bounds, or half its size around its
 * value. */
static void range_of(const sal_task *t, int i, double *lower, double *upper)
{
    const double value = t->params[t->over[i]];
    const double half = value != 0.0 ? 0.5 * fabs(value) : 1.0;
    *lower = isfinite(t->lower[i]) ? t->lower[i] : fmin(value, t->upper[i]) - half;
    *upper = isfinite(t->upper[i]) ? t->upper[i] : fmax(value, t->lower[i]) + half;
}

/* Writes the given start, then a Latin hypercube: each unknown takes each of count - 1 parts of its
 * range once. */
void sal_starts_spread(const sal_task *t, int count, unsigned long long seed, double *start)
{
    const size_t       n = (size_t)t->n, parts = (size_t)count - 1;
    unsigned long long state = seed;
    for (size_t i = 0; i < n; i++) start[i] = t->params[t->over[i]];
    for (size_t i = 0; i < n; i++) {
        double *const column = start + n + i; /* without the given start */
        double        lower, upper;
        range_of(t, (int)i, &lower, &upper);
        for (size_t k = 0; k < parts; k++) column[k * n] = (double)k;
        for (size_t k = parts; k-- > 1;) {
            const size_t other = (size_t)(next_random(&state) % (unsigned long long)(k + 1));
            const double kept = column[k * n];
            column[k * n] = column[other * n];
            column[other * n] = kept;
        }
        for (size_t k = 0; k < parts; k++) {
            const double part = (double)(next_random(&state) >> 11) / 9007199254740992.0;
            column[k * n] = lower + (upper - lower) * (column[k * n] + part) / (double)parts;
        }
    }
}

/* Removes starts that are identical to an earlier one. Returns how many remain. */
int sal_starts_drop_identical(int n, int count, double *start)
{
    const size_t size = (size_t)n;
    int          kept = 0;
    for (int k = 0; k < count; k++) {
        const double *from = &start[(size_t)k * size];
        bool          is_new = true;
        for (int j = 0; j < kept && is_new; j++)
            is_new = memcmp(&start[(size_t)j * size], from, size * sizeof *from) != 0;
        if (is_new) memmove(&start[(size_t)kept++ * size], from, size * sizeof *from);
    }
    return kept;
}
