/* A faster fma. WebAssembly has no such instruction, and the C library of emscripten computes it
 * with integers, which would take half of the time of a simulation. */
#include <math.h>
#include <stdint.h>
#include <string.h>

double __real_fma(double a, double b, double c);
double __wrap_fma(double a, double b, double c);

/* x + y exactly, as a rounded sum and its error. */
static double two_sum(double x, double y, double *error)
{
    const double sum = x + y, part = sum - x;
    *error = (x - (sum - part)) + (y - part);
    return sum;
}

/* x y exactly, by Dekker's method: factors in halves, whose products are exact. */
static double two_product(double x, double y, double *error)
{
    const double split = 134217729.0; /* 2^27 + 1 */
    const double product = x * y, xs = split * x, ys = split * y;
    const double xh = xs - (xs - x), xl = x - xh, yh = ys - (ys - y), yl = y - yh;
    *error = ((xh * yh - product) + xh * yl + xl * yh) + xl * yl;
    return product;
}

/* x + y, rounded to odd: where it is not exact, to the neighbour whose last bit is set. A later
 * rounding of a sum with it is then right. */
static double odd_sum(double x, double y)
{
    double   error;
    double   sum = two_sum(x, y, &error);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0.0 && !(bits & 1)) {
        bits += (error > 0.0) == (sum > 0.0) ? 1 : (uint64_t)-1;
        memcpy(&sum, &bits, sizeof bits);
    }
    return sum;
}

/* Boldo and Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Computers 57 (2008).
 * It needs room on both sides for exact products; elsewhere there is the slow one. */
double __wrap_fma(double a, double b, double c)
{
    const double small = 1e-140, large = 1e140;
    const double x = fabs(a), y = fabs(b), z = fabs(c);
    if (x > small && x < large && y > small && y < large && z > small && z < large) {
        double       low, rest, last;
        const double high = two_product(a, b, &low);
        const double middle = two_sum(c, low, &rest);
        const double sum = two_sum(high, middle, &last);
        return sum + odd_sum(rest, last);
    }
    if (a == 0.0 || b == 0.0 || (c == 0.0 && x > small && y > small)) return a * b + c;
    return __real_fma(a, b, c);
}
