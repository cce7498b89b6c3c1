/* Student's distribution: see student.h.
 *
 *     P(|T| > t) = I_x(n / 2, 1 / 2),   x = n / (n + t^2)
 *
 * with the incomplete beta function I by its continued fraction, which converges fast where
 * x < (a + 1) / (a + b + 2); elsewhere that of 1 - I_(1-x)(b, a). */
#include "solve/student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double       c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int k = 0; k < 2; k++) {
            const double step = k == 0 ? even : odd;
            d = 1.0 + step * d;
            c = 1.0 + step / c;
            d = 1.0 / (fabs(d) < tiny ? tiny : d);
            if (fabs(c) < tiny) c = tiny;
            value *= c * d;
        }
        if (fabs(c * d - 1.0) < 1e-16) break;
    }
    return value;
}

static double beta_part(double a, double b, double x, double rest)
{
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    return front * fraction(a, b, x) / a;
}

double sal_student_within(double t, double n)
{
    if (!(t > 0.0)) return 0.0;
    if (!(n > 0.0) || isinf(n)) return erf(t / sqrt(2.0));
    const double a = 0.5 * n, b = 0.5, x = n / (n + t * t), rest = t * t / (n + t * t);
    return x < (a + 1.0) / (a + b + 2.0) ? 1.0 - beta_part(a, b, x, rest)
                                         : beta_part(b, a, rest, x);
}

double sal_student_quantile(double probability, double n)
{
    double low = 0.0, high = 1.0;
    if (!(probability > 0.0)) return 0.0;
    if (!(probability < 1.0)) return INFINITY;
    while (sal_student_within(high, n) < probability && high < 1e300) high *= 2.0;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (sal_student_within(middle, n) < probability) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}
