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

/* Where starts of an unknown are spread: its bounds, or half its size around its value. */
static void range_of(const sal_task *t, int i, double *lower, double *upper)
{
    const double value = t->params[t->over[i]];
    const double half = value != 0.0 ? 0.5 * fabs(value) : 1.0;
    *lower = isfinite(t->lower[i]) ? t->lower[i] : fmin(value, t->upper[i]) - half;
    *upper = isfinite(t->upper[i]) ? t->upper[i] : fmax(value, t->lower[i]) + half;
}

/* The given start, then a Latin hypercube: each unknown takes each of count - 1 parts of its range
 * once. */
void sal_starts_spread(const sal_task *t, int count, unsigned long long seed, double *start)
{
    const int          n = t->n, parts = count - 1;
    unsigned long long state = seed;
    for (int i = 0; i < n; i++) start[i] = t->params[t->over[i]];
    for (int i = 0; i < n; i++) {
        double lower, upper;
        range_of(t, i, &lower, &upper);
        for (int k = 0; k < parts; k++) start[(k + 1) * n + i] = k;
        for (int k = parts - 1; k > 0; k--) {
            const int    other = (int)(next_random(&state) % (unsigned long long)(k + 1));
            const double kept = start[(k + 1) * n + i];
            start[(k + 1) * n + i] = start[(other + 1) * n + i];
            start[(other + 1) * n + i] = kept;
        }
        for (int k = 1; k <= parts; k++) {
            const double part = (double)(next_random(&state) >> 11) / 9007199254740992.0;
            start[k * n + i] = lower + (upper - lower) * (start[k * n + i] + part) / parts;
        }
    }
}

/* Starts that are the same as an earlier one are left out. Returns how many remain. */
int sal_starts_drop_identical(int n, int count, double *start)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        bool is_new = true;
        for (int j = 0; j < kept && is_new; j++)
            is_new = memcmp(&start[j * n], &start[k * n], (size_t)n * sizeof(double)) != 0;
        if (is_new) memmove(&start[kept++ * n], &start[k * n], (size_t)n * sizeof(double));
    }
    return kept;
}
