/* Finds the sign changes of a function that can only be evaluated, in order, on polynomials that
 * are bounded by their Bernstein coefficients: see roots.h. */
#include "locate/roots.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 24, HALVINGS = 52, MAX_EVALUATIONS = 20000 };
/* Where a piece is divided: not in the middle, where a periodic function might look simple. */
static const double SPLIT = 0.4567;
static const double CHECK[2] = {SAL_ROOTS_CHECK_1, SAL_ROOTS_CHECK_2};
/* A polynomial approximates a function well if its error is at most this part of its size. */
static const double KNOWN_PART = 1e-12;
static const double PI = 3.14159265358979323846;

/* ---- bases ---------------------------------------------------------------------------------- */

static double binomial(int n, int k)
{
    double b = 1.0;
    for (int i = 1; i <= k; i++) b *= (double)(n - k + i) / i;
    return b;
}

/* The Bernstein coefficients, of degree n, of the Chebyshev polynomial T_k(2x - 1): in degree k,
 * these are (-1)^(k-i) C(2k, 2i) / C(k, i); then the degree is raised. */
static void chebyshev_in_bernstein(int k, int n, double *b)
{
    for (int i = 0; i <= k; i++)
        b[i] = ((k - i) % 2 ? -1.0 : 1.0) * binomial(2 * k, 2 * i) / binomial(k, i);
    for (int degree = k; degree < n; degree++) {
        b[degree + 1] = b[degree];
        for (int i = degree; i > 0; i--)
            b[i] = ((double)i * b[i - 1] + (double)(degree + 1 - i) * b[i]) / (degree + 1);
    }
}

static void basis_init(sal_basis *basis, int degree)
{
    basis->degree = degree;
    for (int j = 0; j <= degree; j++) {
        const double s = sin(PI * j / (2.0 * degree));
        basis->place[j] = s * s; /* (1 - cos) / 2 */
    }
    basis->place[degree] = 1.0;
    for (int k = 0; k <= degree; k++)
        for (int j = 0; j <= degree; j++) {
            const double end_j = j == 0 || j == degree ? 0.5 : 1.0;
            const double end_k = k == 0 || k == degree ? 0.5 : 1.0;
            /* place[j] belongs to cos(pi (degree - j) / degree) */
            const long turn = ((long)k * (degree - j)) % (2L * degree);
            basis->chebyshev[j][k] = 2.0 / degree * end_j * end_k * cos(PI * (double)turn / degree);
        }
    for (int k = 0; k <= degree; k++) chebyshev_in_bernstein(k, degree, basis->bernstein[k]);
}

void sal_bases_init(sal_bases *bases)
{
    basis_init(&bases->low, SAL_ROOTS_DEGREE / 2);
    basis_init(&bases->high, SAL_ROOTS_DEGREE);
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* A piece of the interval, with the polynomial that approximates the function on it. */
typedef struct piece {
    double a, width;
    double value[SAL_ROOTS_POINTS];     /* values at the points of the high basis */
    double check[2];                    /* values at the CHECK places */
    double chebyshev[SAL_ROOTS_POINTS]; /* coefficients in the Chebyshev basis */
    double bernstein[SAL_ROOTS_POINTS];
    int    degree;
    double size;  /* the sum of |Chebyshev coefficients| */
    double error; /* a bound on the error of the polynomial */
} piece;

static double value_at(sal_roots *r, double x)
{
    const double f = r->value(r->context, x);
    r->evaluations++;
    if (isnan(f) && x < r->undefined_at) r->undefined_at = x;
    return r->inverted ? 1.0 / f : f;
}

/* The rounding error of a value near x. */
static double noise_at(sal_roots *r, double x)
{
    return r->inverted ? r->inverse_noise : r->noise(r->context, x);
}

static double place_at(const piece *p, double x) { return p->a + x * p->width; }

/* Evaluates the function at every second point of the high basis, from `first` on. False: a value
 * is not finite. */
static bool take_values(sal_roots *r, piece *p, int first)
{
    bool finite = true;
    for (int j = first; j <= SAL_ROOTS_DEGREE; j += 2) {
        p->value[j] = value_at(r, place_at(p, r->bases->high.place[j]));
        finite = finite && isfinite(p->value[j]);
    }
    return finite;
}

static bool take_checks(sal_roots *r, piece *p)
{
    for (int i = 0; i < 2; i++) p->check[i] = value_at(r, place_at(p, CHECK[i]));
    return isfinite(p->check[0]) && isfinite(p->check[1]);
}

/* Replaces values by their reciprocals. False: one of them is not finite. */
static bool invert(piece *p)
{
    bool finite = true;
    for (int j = 0; j <= SAL_ROOTS_DEGREE; j++) {
        p->value[j] = 1.0 / p->value[j];
        finite = finite && isfinite(p->value[j]);
    }
    for (int i = 0; i < 2; i++) {
        p->check[i] = 1.0 / p->check[i];
        finite = finite && isfinite(p->check[i]);
    }
    return finite;
}

/* The value of the polynomial at x in [0, 1], by Clenshaw's algorithm. */
static double polynomial_at(const piece *p, double x)
{
    const double y = 2.0 * (2.0 * x - 1.0);
    double       b1 = 0.0, b2 = 0.0;
    for (int k = p->degree; k > 0; k--) {
        const double b = p->chebyshev[k] + y * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return p->chebyshev[0] + 0.5 * y * b1 - b2;
}

/* sum[k] = sum_j row[j][k] * x[j * every] */
static void multiply(int n, const double row[][SAL_ROOTS_POINTS], const double *x, int every,
                     double *sum)
{
    double all[SAL_ROOTS_POINTS] = {0.0};
    for (int j = 0; j <= n; j++)
        for (int k = 0; k <= n; k++) all[k] += row[j][k] * x[j * every];
    memcpy(sum, all, (size_t)(n + 1) * sizeof *sum);
}

static void fit(piece *p, const sal_basis *basis)
{
    const int n = basis->degree;
    p->degree = n;
    p->size = 0.0;
    multiply(n, basis->chebyshev, p->value, SAL_ROOTS_DEGREE / n, p->chebyshev);
    multiply(n, basis->bernstein, p->chebyshev, 1, p->bernstein);
    for (int k = 0; k <= n; k++) p->size += fabs(p->chebyshev[k]);
}

/* Estimates the error of the polynomial from its last coefficients and from the two checks. */
static void judge(piece *p)
{
    double worst = fabs(p->chebyshev[p->degree]) + 0.1 * fabs(p->chebyshev[p->degree - 1]);
    for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(p->check[i] - polynomial_at(p, CHECK[i])));
    p->error = 8.0 * worst + 64.0 * DBL_EPSILON * p->size;
}

/* Whether the polynomial follows the changes of the function, even where these are small compared
 * with its size. Near a pole it does not. */
static bool follows(const piece *p)
{
    const double moves = p->size - fabs(p->chebyshev[0]);
    return p->error < 0.05 * p->size && p->error < fmax(0.02 * moves, 1e4 * DBL_EPSILON * p->size);
}

/* Whether the whole piece is on the known side, so far from zero that the error of the polynomial
 * does not matter. */
static bool is_clear(const sal_roots *r, const piece *p)
{
    double least = INFINITY;
    for (int i = 0; i <= p->degree; i++) least = fmin(least, r->side * p->bernstein[i]);
    return least > 4.0 * p->error && follows(p);
}

/* ---- sides ---------------------------------------------------------------------------------- */

/* Notes that the function is zero within rounding at x. Returns the rounding error there. */
static double come_near(sal_roots *r, double x)
{
    const double noise = noise_at(r, x);
    if (r->near_at < 0.0 && !r->inverted) {
        r->near_at = x;
        r->near_noise = noise;
    }
    return noise;
}

/* Changes the known side at x and reports that. True: the search ends. */
static bool leave(sal_roots *r, double x, int sign, bool jumps)
{
    const int side = r->side;
    r->left = false;
    r->near_at = -1.0;
    r->highest = 0.0;
    r->side = sign;
    return r->leaves(r->context, x, side, jumps);
}

/* A place between a and b, where the function has different signs, by bisection. */
static double refine(sal_roots *r, double a, double b, int sign)
{
    for (int i = 0; i < HALVINGS && b - a > 1e-9 * b; i++) {
        const double x = 0.5 * (a + b), f = value_at(r, x);
        if (!(sign * f > 0.0)) a = x;
        else b = x;
    }
    return b;
}

/* Takes note of a part of the interval, from `from` on, where the function has one sign; at `at` it
 * has the value `peak`. exact: if the sign changes, it does so exactly at `from`. True: the search
 * ends. */
static bool pass(sal_roots *r, double from, bool exact, int sign, double at, double peak)
{
    if (r->side == 0) {
        if (fabs(peak) > noise_at(r, from)) r->side = sign;
        return false;
    }
    if (sign == r->side) {
        /* it was on this side, came to zero, and is on this side again */
        if (r->near_at > 0.0 && r->highest > 1e3 * r->near_noise) r->touch_at = r->near_at;
        r->highest = fmax(r->highest, fabs(peak));
        r->seen_at = at;
        r->near_at = -1.0;
        r->left = false;
        return false;
    }
    if (!r->left) {
        r->left = true;
        if (r->near_at >= 0.0 && from - r->near_at <= 64.0 * r->finest) from = r->near_at;
        r->left_at = from;
        r->left_at_pole = r->inverted;
        r->left_exact = exact || from == 0.0 || r->seen_at < 0.0;
        r->left_noise = come_near(r, from);
    }
    /* where the function is flat, its rounding error may grow with the distance from zero */
    if (!(fabs(peak) > r->left_noise) || !(fabs(peak) > noise_at(r, at))) return false;
    return leave(r, r->left_exact ? r->left_at : refine(r, r->seen_at, at, sign), sign,
                 r->left_at_pole);
}

/* ---- inside a piece that a polynomial approximates ------------------------------------------ */

typedef struct part {
    double low, high; /* bounds of the part, in [0, 1] of the piece */
    double b[SAL_ROOTS_POINTS];
} part;

/* The common sign of all coefficients that can be told from zero; 0: they differ, or there are
 * none. clear: only the first or the last one may be zero, so that the polynomial is zero at most
 * at an end of the part. */
static int sign_of_part(const part *q, int degree, double error, double *peak, bool *clear)
{
    int up = 0, down = 0;
    *peak = 0.0;
    for (int i = 0; i <= degree; i++) {
        up += q->b[i] > error;
        down += q->b[i] < -error;
        if (fabs(q->b[i]) > fabs(*peak)) *peak = q->b[i];
    }
    *clear = up + down + (fabs(q->b[0]) <= error) + (fabs(q->b[degree]) <= error) == degree + 1;
    return (up > 0) == (down > 0) ? 0 : up > 0 ? 1 : -1;
}

/* Halves a part by de Casteljau's algorithm. */
static void halve(const part *q, int degree, part *left, part *right)
{
    double b[SAL_ROOTS_POINTS];
    memcpy(b, q->b, (size_t)(degree + 1) * sizeof *b);
    left->low = q->low;
    right->high = q->high;
    left->high = right->low = 0.5 * (q->low + q->high);
    for (int i = 0; i <= degree; i++) {
        left->b[i] = b[0];
        right->b[degree - i] = b[degree - i];
        for (int k = 0; k < degree - i; k++) b[k] = 0.5 * (b[k] + b[k + 1]);
    }
}

/* Whether the coefficients change their sign once, so that the polynomial has exactly one zero
 * there. */
static bool crosses_once(const part *q, int degree, double error)
{
    int last = 0, changes = 0;
    for (int i = 0; i <= degree; i++) {
        const int sign = q->b[i] > error ? 1 : q->b[i] < -error ? -1 : 0;
        if (sign == 0) return false;
        changes += last != 0 && sign != last;
        last = sign;
    }
    return changes == 1;
}

/* Whether the values at the ends of a part that crosses once show how far it goes to either side.
 * If the part begins or ends on the side that is not the known one, its largest value may be
 * inside, and the value at that end may be hidden by rounding. */
static bool ends_tell(const part *q, int degree, int side)
{
    const int first = q->b[0] > 0.0 ? 1 : -1;
    /* the largest sizes of values with the sign at the start, and with the other sign */
    double most[2] = {0.0, 0.0};
    for (int i = 0; i <= degree; i++) {
        const bool other = q->b[i] * first < 0.0;
        most[other] = fmax(most[other], fabs(q->b[i]));
    }
    return (first == side || fabs(q->b[0]) >= 0.5 * most[0]) && fabs(q->b[degree]) >= 0.5 * most[1];
}

/* The zero of the polynomial between a and b, by regula falsi (Illinois). An iteration that does
 * not halve the interval is followed by a bisection; this happens where the polynomial is very
 * small at the other end. */
static double zero_between(const piece *p, double a, double b)
{
    double fa = polynomial_at(p, a), fb = polynomial_at(p, b);
    bool   slow = false;
    for (int i = 0; i < 2 * HALVINGS && b - a > 1e-15; i++) {
        const double width = b - a, middle = 0.5 * (a + b);
        double       x = a - fa * width / (fb - fa);
        if (!(x > a && x < b) || slow) x = middle;
        const double f = polynomial_at(p, x);
        if (f == 0.0) return x;
        if ((f > 0.0) == (fa > 0.0)) {
            a = x;
            fa = f;
            fb *= 0.5;
        } else {
            b = x;
            fb = f;
            fa *= 0.5;
        }
        slow = b - a > 0.5 * width;
    }
    return 0.5 * (a + b);
}

static bool walk(sal_roots *r, double a, double b, int depth);

/* Examines a part where the polynomial cannot be told from zero: a polynomial of that part alone
 * may be more accurate, unless rounding is the limit. */
static bool look_closer(sal_roots *r, const piece *p, const part *q)
{
    const double low = place_at(p, q->low), high = place_at(p, q->high);
    if (q->high - q->low <= 0.5 && high - low > r->finest && p->error > 4.0 * noise_at(r, low))
        return walk(r, low, high, 0);
    const double f = value_at(r, low);
    if (!(fabs(f) > noise_at(r, low))) {
        come_near(r, low);
        return false;
    }
    return pass(r, low, true, f > 0.0 ? 1 : -1, low, f);
}

/* Takes note of a part on one side, which may be zero at its ends. Only values at places count as
 * seen. */
static bool pass_part(sal_roots *r, const piece *p, const part *q, int sign)
{
    const double low = place_at(p, q->low), high = place_at(p, q->high);
    const double first = q->b[0], last = q->b[p->degree];
    if (fabs(first) <= p->error && low > 0.0 && fabs(first) <= noise_at(r, low)) come_near(r, low);
    const bool at_first = fabs(first) > fabs(last);
    if (pass(r, low, false, sign, at_first ? low : high, at_first ? first : last)) return true;
    if (fabs(last) <= p->error && fabs(last) <= noise_at(r, high)) come_near(r, high);
    return false;
}

/* Whether the function leaves zero slowly from the start of the interval: the first coefficients
 * cannot be told from zero, the others have one sign. Its values on the other side are smaller than
 * rounding errors. */
static bool leaves_zero(sal_roots *r, const piece *p, const part *q)
{
    int k = 0;
    if (place_at(p, q->low) > 0.0) return false;
    while (k <= p->degree && fabs(q->b[k]) <= p->error) k++;
    while (k <= p->degree && fabs(q->b[k]) > p->error) k++;
    return k > p->degree && 2.0 * p->error <= noise_at(r, 0.0);
}

static bool walk_parts(sal_roots *r, const piece *p, const part *q, int depth)
{
    double       peak;
    bool         clear;
    const int    n = p->degree, sign = sign_of_part(q, n, p->error, &peak, &clear);
    const double ends = fmax(fabs(q->b[0]), fabs(q->b[n]));
    part         left, right;
    if (place_at(p, q->low) > r->enough) return true;
    if (sign == 0 && (fabs(peak) <= p->error || depth >= HALVINGS)) return look_closer(r, p, q);
    /* a part that is one hump on the other side has its largest value inside */
    if (sign != 0 && clear && (sign == r->side || ends > 0.5 * fabs(peak)))
        return pass_part(r, p, q, sign);
    if (sign == r->side && sign != 0 && leaves_zero(r, p, q)) return pass_part(r, p, q, sign);
    if (sign != 0 && depth >= HALVINGS) return pass_part(r, p, q, sign);
    if (crosses_once(q, n, p->error) && (ends_tell(q, n, r->side) || depth >= HALVINGS)) {
        const double low = place_at(p, q->low), high = place_at(p, q->high);
        const double x = place_at(p, zero_between(p, q->low, q->high));
        return pass(r, low, false, q->b[0] > 0.0 ? 1 : -1, low, q->b[0]) ||
               pass(r, x, true, q->b[n] > 0.0 ? 1 : -1, high, q->b[n]);
    }
    halve(q, n, &left, &right);
    return walk_parts(r, p, &left, depth + 1) || walk_parts(r, p, &right, depth + 1);
}

/* What a polynomial shows about the function on its piece. */
typedef enum knowledge {
    UNKNOWN,
    CLEAR, /* the function is on its known side */
    NOTHING /* all values are zero within rounding */,
    KNOWN /* the polynomial has many right digits, or as many as rounding allows */
} knowledge;

static knowledge know(sal_roots *r, piece *p, const sal_basis *basis)
{
    fit(p, basis);
    judge(p);
    if (is_clear(r, p)) return CLEAR;
    if (p->error <= 16.0 * KNOWN_PART * p->size) return KNOWN;
    const bool   follows_it = p->error < 0.05 * p->size;
    const double first = noise_at(r, place_at(p, CHECK[0]));
    const bool   zero = fabs(p->check[0]) <= first; /* zero within rounding at the first check */
    if (!zero && (!follows_it || p->error <= 32.0 * first)) return follows_it ? KNOWN : UNKNOWN;
    const double second = noise_at(r, place_at(p, CHECK[1])), most = fmax(first, second);
    if (zero && fabs(p->check[1]) <= second && p->size <= most) return NOTHING;
    return follows_it && p->error <= 32.0 * most ? KNOWN : UNKNOWN;
}

static bool walk_known(sal_roots *r, const piece *p)
{
    part whole = {0.0, 1.0, {0}};
    memcpy(whole.b, p->bernstein, sizeof whole.b);
    return walk_parts(r, p, &whole, 0);
}

/* ---- poles ---------------------------------------------------------------------------------- */

/* Whether the piece is so short that its places can hardly be told apart. */
static bool is_narrow(const sal_roots *r, const piece *p) { return p->width < 64.0 * r->finest; }

/* Whether the values vary as beside a pole, and none is zero, so that there is a reciprocal. */
static bool varies(const piece *p)
{
    double least = INFINITY, most = 0.0;
    for (int j = 0; j <= SAL_ROOTS_DEGREE; j++) {
        least = fmin(least, fabs(p->value[j]));
        most = fmax(most, fabs(p->value[j]));
    }
    return most > 1.5 * least && least > 0.0;
}

/* Approximates the reciprocal of the function by a polynomial, which is possible near a pole. Then
 * the function has no zero there, and a zero of its reciprocal is a pole. */
static knowledge know_inverse(sal_roots *r, piece *p)
{
    if (r->inverted || !varies(p) || !invert(p)) return UNKNOWN;
    r->inverse_noise = 0.0;
    for (int i = 0; i < 2; i++) {
        const double noise = r->noise(r->context, place_at(p, CHECK[i]));
        r->inverse_noise = fmax(r->inverse_noise, noise * p->check[i] * p->check[i]);
    }
    r->inverted = true;
    const knowledge known = know(r, p, &r->bases->high);
    r->inverted = false;
    return p->error < 0.02 * p->size ? known : UNKNOWN;
}

/* Whether the function, whose reciprocals are the values of the piece, is on the other side and
 * grows: it went there through zero just before. After a pole it would shrink. */
static bool comes_from_zero(const sal_roots *r, const piece *p)
{
    for (int j = 0; j <= SAL_ROOTS_DEGREE; j++)
        if (!(r->side * p->value[j] < 0.0)) return false;
    return fabs(p->value[0]) > fabs(p->value[SAL_ROOTS_DEGREE]);
}

/* Goes through a piece whose reciprocal is known. An earlier excursion to the other side, hidden by
 * rounding, either went through zero or was only rounding, unless it went through a pole. */
static bool walk_inverse(sal_roots *r, const piece *p)
{
    const double f = 1.0 / p->value[0];
    if (comes_from_zero(r, p))
        return pass(r, p->a, false, -r->side, place_at(p, 1.0), 1.0 / p->value[SAL_ROOTS_DEGREE]);
    if (r->left && !r->left_at_pole) {
        if (pass(r, p->a, false, f > 0.0 ? 1 : -1, p->a, f)) return true;
        r->left = false;
    }
    r->near_at = -1.0;
    r->inverted = true;
    const bool done = walk_known(r, p);
    r->inverted = false;
    r->highest = 0.0;
    return done;
}

/* ---- inside other pieces -------------------------------------------------------------------- */

/* Bisects between two places with different signs down to neighbouring places. jumps: the values do
 * not approach each other, so there is a pole or a step. */
static double meet(sal_roots *r, double a, double fa, double b, double fb, bool *jumps)
{
    const double rounding = 4.0 * fmax(noise_at(r, a), noise_at(r, b));
    for (int i = 0; i < HALVINGS && b - a > r->finest; i++) {
        const double x = 0.5 * (a + b), f = value_at(r, x);
        if (f == 0.0) {
            *jumps = false;
            return x;
        }
        if ((f > 0.0) == (fa > 0.0)) {
            a = x;
            fa = f;
        } else {
            b = x;
            fb = f;
        }
    }
    const double apart = fabs(fb - fa), beside = 4.0 * (b - a);
    const double around = fabs(value_at(r, b + beside) - value_at(r, a - beside));
    *jumps = apart > rounding && !(apart < 0.8 * around);
    return a;
}

/* The point where the value of a piece is nearest to zero. */
static int nearest_of(const piece *p)
{
    int best = 0;
    for (int j = 1; j <= SAL_ROOTS_DEGREE; j++)
        if (fabs(p->value[j]) < fabs(p->value[best])) best = j;
    return best;
}

/* Goes through a piece that no polynomial approximates, value by value: only sign changes between
 * neighbouring values are found. */
static bool walk_unknown(sal_roots *r, const piece *p)
{
    const int nearest = nearest_of(p);
    bool      explained = is_narrow(r, p);
    for (int j = 0; j <= SAL_ROOTS_DEGREE; j++) {
        const double f = p->value[j], x = place_at(p, r->bases->high.place[j]);
        const double before = j > 0 ? p->value[j - 1] : 0.0;
        const int    sign = f > 0.0 ? 1 : -1;
        if (x > r->enough) return true;
        if (!isfinite(f)) continue;
        if (f == 0.0 || (j == nearest && fabs(f) <= noise_at(r, x))) {
            come_near(r, x);
        } else if (sign != r->side && r->side != 0 && isfinite(before) && before * f < 0.0) {
            bool         jumps;
            const double at =
                meet(r, place_at(p, r->bases->high.place[j - 1]), before, x, f, &jumps);
            explained = explained || jumps;
            const bool seen = jumps || fabs(f) > noise_at(r, x);
            if (seen ? leave(r, at, sign, jumps != r->inverted) : pass(r, at, true, sign, x, f))
                return true;
        } else if (pass(r, x, true, sign, x, f)) return true;
    }
    if (!explained && !r->unresolved) {
        r->unresolved = true;
        r->unresolved_at = p->a;
    }
    return false;
}

/* ---- all pieces ----------------------------------------------------------------------------- */

static knowledge know_piece(sal_roots *r, piece *p)
{
    const bool checked = take_checks(r, p), first = take_values(r, p, 0) && checked;
    knowledge  known = first ? know(r, p, &r->bases->low) : UNKNOWN;
    if (known != UNKNOWN) return known;
    const bool all = take_values(r, p, 1) && first;
    return all ? know(r, p, &r->bases->high) : UNKNOWN;
}

static bool walk(sal_roots *r, double a, double b, int depth)
{
    piece p = {.a = a, .width = b - a}, inverse;
    if (a > r->enough) return true;
    const knowledge known = know_piece(r, &p);
    if (known == CLEAR) return pass(r, a, false, r->side, a, p.value[0]);
    if (known == NOTHING) {
        come_near(r, a);
        return false;
    }
    if (known == KNOWN) return walk_known(r, &p);
    inverse = p;
    const knowledge of_inverse = know_inverse(r, &inverse);
    if (of_inverse == CLEAR) return pass(r, a, false, r->side, a, p.value[0]);
    if (of_inverse == KNOWN) return walk_inverse(r, &inverse);
    if (depth >= DEEPEST || is_narrow(r, &p) || r->evaluations > MAX_EVALUATIONS)
        return walk_unknown(r, &p);
    const double middle = a + SPLIT * (b - a);
    return walk(r, a, middle, depth + 1) || walk(r, middle, b, depth + 1);
}

bool sal_roots_find(sal_roots *r)
{
    r->unresolved = r->left = r->inverted = false;
    r->highest = 0.0;
    r->near_at = r->seen_at = -1.0;
    r->undefined_at = INFINITY;
    r->touch_at = -1.0;
    r->evaluations = 0;
    return walk(r, 0.0, 1.0, 0);
}
