/* What the problems have for an answer: from a file, from a closed form, from an extrapolation
 * method in long double that shares nothing with any contestant. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static reference reference_new(int np)
{
    reference r = {np, 0, 0.0, calloc((size_t)np, sizeof(double))};
    if (!r.gradient) abort();
    return r;
}

void reference_release(reference *r) { free(r->gradient); }

double reference_error(const reference *r, const answer *a)
{
    double square = 0.0, scale = 0.0;
    if (!a->gradient) return fabs(a->cost / r->cost - 1.0);
    for (int i = 0; i < r->np; i++) {
        square += (a->gradient[i] - r->gradient[i]) * (a->gradient[i] - r->gradient[i]);
        scale += r->gradient[i] * r->gradient[i];
    }
    return sqrt(square / scale);
}

/* The number after the first `key` at or after `from`. */
static double number_after(const char *from, const char *key)
{
    const char *at = from ? strstr(from, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

reference reference_five_bar(void)
{
    static const char path[] = SALTUS_SOURCE_DIR "/tests/reference/fivebar_5s.json";
    reference         r = reference_new(2);
    char             *text = calloc(1, 1 << 16);
    FILE             *file = fopen(path, "r");
    if (!text || !file || !fread(text, 1, (1 << 16) - 1, file)) {
        fprintf(stderr, "bench: cannot read '%s'\n", path);
        exit(1);
    }
    const char *output = strstr(text, "\"int_ydd2sq_plus_yd2sq\"");
    r.cost = number_after(output, "\"value\": ");
    r.gradient[0] = number_after(output, "\"L01\": ");
    r.gradient[1] = number_after(output, "\"L02\": ");
    for (const char *at = text; (at = strstr(at, "\"name\": \"ground\"")); at++) r.events++;
    fclose(file);
    free(text);
    return r;
}

/* A flight from the floor with speed u takes 2 u / g and has the integral 2 u^3 / (3 g).
 * Derivatives by a complex step: the last digit is right. */
static long double complex ball_cost(const long double complex *p, double end, int *events)
{
    const long double complex g = p[0], e = p[1], h = p[2], v = csqrtl(2.0L * g * h);
    long double complex       t = v / g, z = v * v * v / (3.0L * g), u = v;
    *events = 0;
    for (;;) {
        u *= e;
        ++*events;
        if (creall(t + 2.0L * u / g) > end) break;
        t += 2.0L * u / g;
        z += 2.0L * u * u * u / (3.0L * g);
    }
    const long double complex left = u - g * (end - t);
    return z + (u * u * u - left * left * left) / (3.0L * g);
}

reference reference_ball(void)
{
    const problem *pb = &ball_problem;
    reference      r = reference_new(pb->np);
    for (int k = 0; k < pb->np; k++) {
        long double complex p[3];
        for (int i = 0; i < 3; i++) p[i] = pb->p[i] + (i == k ? 1e-100L * I : 0.0L);
        const long double complex z = ball_cost(p, pb->end, &r.events);
        r.cost = (double)creall(z);
        r.gradient[k] = (double)(cimagl(z) / 1e-100L);
    }
    return r;
}

/* ---- springs: forward with the cost, then backward with the adjoint -----------------------------
 */

typedef long double real;

typedef struct springs {
    int  n;
    bool backward; /* y = (u, v, lambda_u, lambda_v, lambda_k), time runs back; else (u, v, z) */
} springs;

static real stiffness(void) { return 100.0L; }

static void springs_slope(const springs *s, const real *y, real *f)
{
    const int   n = s->n;
    const real *u = y, *v = y + n, *lu = y + 2 * n, *lv = y + 3 * n;
    const real  sign = s->backward ? -1.0L : 1.0L;
    real        square = 0.0L;
    for (int i = 0; i < n; i++) {
        f[i] = sign * v[i];
        f[n + i] = 0.0L;
        square += u[i] * u[i];
    }
    if (!s->backward) f[2 * n] = square;
    for (int i = 0; i < n && s->backward; i++) {
        f[2 * n + i] = 2.0L * u[i];
        f[3 * n + i] = lu[i];
    }
    for (int i = 0; i < n; i++) {
        const real d = u[i] - (i ? u[i - 1] : 0.0L), pull = stiffness() * (d + d * d * d);
        f[n + i] -= sign * pull;
        if (i) f[n + i - 1] += sign * pull;
        if (!s->backward) continue;
        const real work = (i ? lv[i - 1] : 0.0L) - lv[i];
        const real back = stiffness() * (1.0L + 3.0L * d * d) * work;
        f[2 * n + i] += back;
        if (i) f[2 * n + i - 1] -= back;
        f[4 * n + i] = (d + d * d * d) * work;
    }
}

/* Gragg's method, extrapolated in h^2 (Bulirsch and Stoer): 2, 4, ..., 2 COLUMNS parts of a step.
 */
enum { COLUMNS = 10 };

static void extrapolate(const springs *s, int size, real *y, real h, real *work)
{
    real *row = work, *low = work + (size_t)COLUMNS * (size_t)size, *high = low + size,
         *f = high + size;
    for (int j = 0; j < COLUMNS; j++) {
        const int  parts = 2 * (j + 1);
        const real part = h / parts;
        springs_slope(s, y, f);
        for (int i = 0; i < size; i++) {
            low[i] = y[i];
            high[i] = y[i] + part * f[i];
        }
        for (int k = 1; k < parts; k++) {
            springs_slope(s, high, f);
            for (int i = 0; i < size; i++) {
                const real next = low[i] + 2.0L * part * f[i];
                low[i] = high[i];
                high[i] = next;
            }
        }
        springs_slope(s, high, f);
        for (int i = 0; i < size; i++) {
            real left = 0.5L * (low[i] + high[i] + part * f[i]);
            for (int k = 0; k <= j; k++) { /* Neville's scheme along the row */
                real      *entry = &row[(size_t)k * (size_t)size + (size_t)i];
                const real old = *entry, q = k < j ? (real)(j + 1) / (real)(j - k) : 1.0L;
                *entry = left;
                if (k < j) left += (left - old) / (q * q - 1.0L);
            }
        }
    }
    memcpy(y, row + (size_t)(COLUMNS - 1) * (size_t)size, (size_t)size * sizeof *y);
}

reference reference_springs(int count)
{
    enum { STEPS = 64 };
    reference r = reference_new(count);
    springs   s = {count, false};
    const int size = 5 * count;
    real     *y = calloc((size_t)size, sizeof *y);
    real     *work = calloc((size_t)(COLUMNS + 3) * (size_t)size, sizeof *work);
    if (!y || !work) abort();
    for (int i = 0; i < count; i++) y[i] = 0.1 * sin(i + 1.0); /* doubles, as in the model */
    for (int i = 0; i < STEPS; i++) extrapolate(&s, 2 * count + 1, y, 2.0L / STEPS, work);
    r.cost = (double)y[2 * count];
    y[2 * count] = 0.0L;
    s.backward = true;
    for (int i = 0; i < STEPS; i++) extrapolate(&s, size, y, 2.0L / STEPS, work);
    for (int i = 0; i < count; i++) r.gradient[i] = (double)y[4 * count + i];
    /* The way back must end where the way there began. */
    for (int i = 0; i < count; i++)
        if (fabsl(y[i] - 0.1 * sin(i + 1.0)) > 1e-13L) {
            fprintf(stderr, "bench: the reference of %d springs is not accurate\n", count);
            exit(1);
        }
    free(y);
    free(work);
    return r;
}
