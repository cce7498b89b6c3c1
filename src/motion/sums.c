/* The sums of sums.h as plain loops. */
#include "motion/sums.h"

#include <math.h>
#include <string.h>

static void combine(int n, const double *x, double h, int terms, const double *weight,
                    const double *const *k, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int m = 0; m < terms; m++) sum += weight[m] * k[m][i];
        y[i] = (x ? x[i] : 0.0) + h * sum;
    }
}

static void gather(int n, const double *x, double h, const sal_weights *w, double *const *row,
                   int at, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int m = 0; m < w->count; m++) sum += w->value[m] * row[w->index[m]][at + i];
        y[i] = (x ? x[i] : 0.0) + h * sum;
    }
}

static void add(int n, const double *x, const double *d, double *y)
{
    for (int i = 0; i < n; i++) y[i] = x[i] + d[i];
}

static void sizes(int n, const sal_end_weights *e, const double *k, const double *x0,
                  const double *x1, double size[4])
{
    memset(size, 0, 4 * sizeof *size);
    for (int i = 0; i < n; i++) {
        const double scale = e->atol[i] + e->rtol * fmax(fabs(x0[i]), fabs(x1[i]));
        for (int which = 0; which < 2; which++) {
            double error = 0.0;
            for (int m = 0; m < e->terms; m++)
                error += e->weights[4 * m + 1 + which] * k[e->at[m] + i];
            const double square = error / scale * (error / scale);
            size[which] += square;
            size[2 + which] = fmax(size[2 + which], square);
        }
    }
}

static void integrals(int n, const sal_end_weights *e, const double *g, double h, double *dz,
                      double *errors)
{
    for (int i = 0; i < n; i++) {
        double sum[3] = {0.0};
        for (int m = 0; m < e->terms; m++)
            for (int which = 0; which < 3; which++)
                sum[which] += e->weights[4 * m + which] * g[e->at[m] + i];
        dz[i] = h * sum[0];
        errors[i] = sum[1];
        errors[n + i] = sum[2];
    }
}

static void min_max(int n, int first, int rows, double *const *row, int at, double *low,
                    double *high)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        low[i] = high[i] = row[first][at + i];
        for (int r = first; r < rows; r++) {
            low[i] = fmin(low[i], row[r][at + i]);
            high[i] = fmax(high[i], row[r][at + i]);
            sum += row[r][at + i];
        }
        if (!isfinite(sum)) low[i] = high[i] = NAN;
    }
}

static bool finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool scale(int n, double c, const double *x, const double *d, double *y)
{
    for (int i = 0; i < n; i++) y[i] = c * x[i] * d[i];
    return finite(n, y);
}

static void scale_rows(int rows, int lanes, double c, const double *x, const double *d, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int l = 0; l < lanes; l++) y[i * lanes + l] = c * x[i * lanes + l] * d[i];
}

static void largest(int rows, int lanes, const double *x, double *most)
{
    for (int i = 0; i < rows; i++)
        for (int l = 0; l < lanes; l++) most[l] = fmax(most[l], fabs(x[i * lanes + l]));
}

static void set(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = x ? x[i] : 0.0;
}

const sal_sums *sal_sums_plain(void)
{
    static const sal_sums plain = {combine, gather,     add,     sizes,  integrals, min_max,
                                   scale,   scale_rows, largest, finite, set};
    return &plain;
}
