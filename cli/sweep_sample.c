/* Samples of the unit box: random numbers, Latin hypercubes, Sobol's sequence. They depend on the
 * seed only. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sweep.h"
#include "text.h"

/* ---- random numbers ------------------------------------------------------------------------- */

/* SplitMix64, G. Steele, D. Lea, C. Flood 2014. */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A random number in (0, 1), never 0 or 1. */
static double next_number(uint64_t *state)
{
    return ((double)(next_bits(state) >> 12) + 0.5) * 0x1p-52;
}

static void fill_random(double *u, int count, int dimensions, uint64_t *state)
{
    for (size_t i = 0; i < (size_t)count * (size_t)dimensions; i++) u[i] = next_number(state);
}

/* ---- Latin hypercube ------------------------------------------------------------------------ */

/* Latin hypercube: each of count intervals of each dimension has one point, anywhere in it. */
static void fill_latin(double *u, int count, int dimensions, uint64_t *state)
{
    CLI_OWNED int *place = cli_alloc((size_t)count + 1, sizeof *place);
    for (int k = 0; k < dimensions; k++) {
        for (int i = 0; i < count; i++) place[i] = i;
        for (int i = count - 1; i > 0; i--) { /* Fisher and Yates */
            const int j = (int)(next_bits(state) % (uint64_t)(i + 1)), kept = place[i];
            place[i] = place[j];
            place[j] = kept;
        }
        for (int i = 0; i < count; i++)
            u[(size_t)i * (size_t)dimensions + (size_t)k] =
                ((double)place[i] + next_number(state)) / (double)count;
    }
}

/* ---- Sobol ---------------------------------------------------------------------------------- */

enum { BITS = 32, DEGREE_MAX = 7 };

/* Primitive polynomials and first direction numbers of S. Joe and F. Kuo, SIAM J. Sci. Comput. 30
 * (2008), for the dimensions after the first. */
static const struct {
    uint32_t degree, polynomial, m[DEGREE_MAX];
} directions[CLI_SOBOL_MAX - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static void fill_directions(int dimension, uint32_t v[BITS])
{
    if (dimension == 0) {
        for (int i = 0; i < BITS; i++) v[i] = UINT32_C(1) << (BITS - 1 - i);
        return;
    }
    const uint32_t s = directions[dimension - 1].degree, a = directions[dimension - 1].polynomial;
    for (uint32_t i = 0; i < BITS; i++) {
        if (i < s) {
            v[i] = directions[dimension - 1].m[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - s] ^ v[i - s] >> s;
        for (uint32_t k = 1; k < s; k++)
            if (a >> (s - 1 - k) & 1) v[i] ^= v[i - k];
    }
}

/* Sobol's sequence in the order of Gray's code (Antonov and Saleev). The bits of each dimension are
 * combined by exclusive or with those of a random number. This keeps the uniformity, and no point
 * is in the corner of the box, where a normal distribution has no value. */
static void fill_sobol(double *u, int count, int dimensions, uint64_t *state)
{
    for (int k = 0; k < dimensions; k++) {
        uint32_t v[BITS], x = (uint32_t)(next_bits(state) >> 32);
        fill_directions(k, v);
        for (int i = 0; i < count; i++) {
            u[(size_t)i * (size_t)dimensions + (size_t)k] = ((double)x + 0.5) * 0x1p-32;
            int zero = 0; /* the lowest bit of i that is not set */
            while (i >> zero & 1) zero++;
            x ^= v[zero];
        }
    }
}

/* ---- distributions -------------------------------------------------------------------------- */

static double polynomial(const double *c, int degree, double x)
{
    double sum = c[degree];
    for (int i = degree - 1; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

/* Halley's method on erfc, from a start that is good to 5e-4 (Abramowitz and Stegun 26.2.23). */
double cli_normal_quantile(double u)
{
    static const double top[] = {2.515517, 0.802853, 0.010328};
    static const double bottom[] = {1.0, 1.432788, 0.189269, 0.001308};
    if (u > 0.5) return -cli_normal_quantile(1.0 - u);
    const double t = sqrt(-2.0 * log(u));
    double       x = -(t - polynomial(top, 2, t) / polynomial(bottom, 3, t));
    for (int i = 0; i < 3; i++) {
        const double density = exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
        const double e = (0.5 * erfc(-x / sqrt(2.0)) - u) / density;
        x -= e / (1.0 + 0.5 * x * e);
    }
    return x;
}

/* ---- by name -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*fill)(double *u, int count, int dimensions, uint64_t *state);
} samples[] = {{"random", fill_random}, {"lhs", fill_latin}, {"sobol", fill_sobol}};

int cli_sample_find(const char *name)
{
    for (int i = 0; i < (int)(sizeof samples / sizeof *samples); i++)
        if (strcmp(samples[i].name, name) == 0) return i;
    return -1;
}

double *cli_sample_make(int sample, int count, int dimensions, unsigned long long seed)
{
    double  *u = cli_alloc((size_t)count * (size_t)dimensions + 1, sizeof *u);
    uint64_t state = seed;
    samples[sample].fill(u, count, dimensions, &state);
    return u;
}
