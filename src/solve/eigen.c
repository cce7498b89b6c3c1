/* Eigenvalues and eigenvectors of small real matrices: see eigen.h. */
#include "solve/eigen.h"

#include <float.h>
#include <string.h>

#include "solve/vectors.h"

/* ---- balancing ------------------------------------------------------------------------------ */

/* The sums of the row and of the column without the diagonal. */
static void off_diagonal_sums(int n, const double *A, int i, double *row, double *column)
{
    *row = *column = 0.0;
    for (int k = 0; k < n; k++) {
        if (k == i) continue;
        *row += fabs(A[i * n + k]);
        *column += fabs(A[k * n + i]);
    }
}

/* The power of two that makes the column as long as the row. */
static double balancing_factor(double row, double column)
{
    if (!(row > 0.0) || !(column > 0.0)) return 1.0;
    return exp2(floor(0.5 * (log2(row) - log2(column)) + 0.5));
}

/* A becomes D^-1 A D with powers of two in D, which leaves all digits as they are. */
static void balance(int n, double *A, double *D)
{
    for (int i = 0; i < n; i++) D[i] = 1.0;
    for (int sweep = 0, changed = 1; changed && sweep < 50; sweep++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row, column;
            off_diagonal_sums(n, A, i, &row, &column);
            const double f = balancing_factor(row, column);
            if (!(row / f + column * f < 0.95 * (row + column))) continue;
            changed = 1;
            D[i] *= f;
            for (int k = 0; k < n; k++) A[i * n + k] /= f;
            for (int k = 0; k < n; k++) A[k * n + i] *= f;
        }
    }
}

/* ---- reflections ---------------------------------------------------------------------------- */

/* The reflection I - factor * u u^T that turns x into a multiple of its first unit vector; u is
 * written over x. Returns that multiple; factor 0: nothing to do. */
static double reflection(int n, double *x, double *factor)
{
    const double size = sal_largest(n, x);
    double       square = 0.0;
    *factor = 0.0;
    if (size == 0.0) return 0.0;
    for (int i = 0; i < n; i++) {
        x[i] /= size;
        square += x[i] * x[i];
    }
    const double first = x[0], length = first > 0.0 ? -sqrt(square) : sqrt(square);
    x[0] -= length;
    *factor = 1.0 / (-length * x[0]);
    return length * size;
}

/* Applies I - factor * u u^T from the left to rows first, first + 1, ... and columns from..to of
 * A. */
static void reflect_rows(int n, double *A, int first, int count, const double *u, double factor,
                         int from, int to)
{
    for (int j = from; j <= to; j++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++) sum += u[i] * A[(first + i) * n + j];
        sum *= factor;
        for (int i = 0; i < count; i++) A[(first + i) * n + j] -= sum * u[i];
    }
}

/* Applies I - factor * u u^T from the right to columns first, first + 1, ... and rows from..to of
 * A. */
static void reflect_columns(int n, double *A, int first, int count, const double *u, double factor,
                            int from, int to)
{
    for (int i = from; i <= to; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) sum += u[j] * A[i * n + first + j];
        sum *= factor;
        for (int j = 0; j < count; j++) A[i * n + first + j] -= sum * u[j];
    }
}

static void reduce_to_hessenberg(int n, double *A, double *u)
{
    for (int k = 0; k + 2 < n; k++) {
        double    factor;
        const int first = k + 1, count = n - first;
        for (int i = 0; i < count; i++) u[i] = A[(first + i) * n + k];
        const double entry = reflection(count, u, &factor);
        reflect_rows(n, A, first, count, u, factor, first, n - 1);
        reflect_columns(n, A, first, count, u, factor, 0, n - 1);
        A[first * n + k] = entry;
        for (int i = 1; i < count; i++) A[(first + i) * n + k] = 0.0;
    }
}

/* ---- the QR method -------------------------------------------------------------------------- */

/* The eigenvalues of [a b; c d]. */
static void two_by_two(double a, double b, double c, double d, double complex *value)
{
    const double half = 0.5 * (a - d), square = half * half + b * c;
    if (square < 0.0) {
        value[0] = CMPLX(0.5 * (a + d), sqrt(-square));
        value[1] = conj(value[0]);
        return;
    }
    /* First the root that is free of cancellation, then the other one from the product of both. */
    const double far = half + copysign(sqrt(square), half);
    value[0] = d + far;
    value[1] = far == 0.0 ? d : d - b * c / far;
}

/* Returns the first row of the block that ends at `last`. The entry that separates it from the
 * block above is negligible beside its neighbours and is set to zero. */
static int block_start(int n, double *H, int last, double norm)
{
    for (int k = last; k > 0; k--) {
        double beside = fabs(H[(k - 1) * n + k - 1]) + fabs(H[k * n + k]);
        if (beside == 0.0) beside = norm;
        if (fabs(H[k * n + k - 1]) > DBL_EPSILON * beside) continue;
        H[k * n + k - 1] = 0.0;
        return k;
    }
    return 0;
}

/* One QR step on the block first..last, with two shifts given by their sum and product. */
static void double_step(int n, double *H, int first, int last, double sum, double product)
{
    const double *h = H + first * n + first;
    double x[3] = {h[0] * h[0] + h[1] * h[n] - sum * h[0] + product, h[n] * (h[0] + h[n + 1] - sum),
                   h[n] * h[2 * n + 1]};
    for (int k = first; k < last; k++) {
        double       factor;
        const int    count = k + 2 <= last ? 3 : 2;
        const double entry = reflection(count, x, &factor);
        if (k > first) {
            H[k * n + k - 1] = entry;
            for (int i = 1; i < count; i++) H[(k + i) * n + k - 1] = 0.0;
        }
        reflect_rows(n, H, k, count, x, factor, k, last);
        reflect_columns(n, H, k, count, x, factor, first, k + 3 < last ? k + 3 : last);
        for (int i = 0; i < 3 && k + 1 + i <= last; i++) x[i] = H[(k + 1 + i) * n + k];
    }
}

/* One QR step, with the eigenvalues of the last two rows as shifts. Every now and then it takes
 * other shifts, so that the iteration cannot cycle. */
static void step_block(int n, double *H, int first, int last, int tries)
{
    const double *h = H + (last - 1) * n + last - 1;
    double        sum = h[0] + h[n + 1], product = h[0] * h[n + 1] - h[1] * h[n];
    if (tries % 10 == 9) {
        const double odd = fabs(h[n]) + fabs(H[(last - 1) * n + last - 2]);
        sum = 1.5 * odd;
        product = odd * odd;
    }
    double_step(n, H, first, last, sum, product);
}

static bool hessenberg_eigenvalues(int n, double *H, double complex *value)
{
    const double norm = sal_largest(n * n, H);
    for (int last = n - 1, tries = 0; last >= 0;) {
        const int first = block_start(n, H, last, norm);
        if (last - first > 1) {
            if (tries == 60) return false;
            step_block(n, H, first, last, tries++);
            continue;
        }
        const double *h = H + first * n + first;
        if (first == last) value[first] = h[0];
        else two_by_two(h[0], h[1], h[n], h[n + 1], value + first);
        last = first - 1;
        tries = 0;
    }
    return true;
}

/* Sorts by falling modulus. Conjugate pairs stay together, as their moduli are equal to the last
 * bit. */
static bool comes_before(double complex a, double complex b)
{
    const double size_a = cabs(a), size_b = cabs(b);
    if (size_a != size_b) return size_a > size_b;
    if (creal(a) != creal(b)) return creal(a) > creal(b);
    return cimag(a) > cimag(b);
}

static void sort(int n, double complex *value)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && comes_before(value[k], value[k - 1]); k--) {
            const double complex swap = value[k];
            value[k] = value[k - 1];
            value[k - 1] = swap;
        }
}

bool sal_eigenvalues(int n, const double *A, double complex *value, sal_arena *work)
{
    double *H = sal_arena_copy(work, A, n * n), *u = ARENA_NEW(work, n, double);
    if (work->failed || !sal_is_finite(n * n, A)) return false;
    balance(n, H, u);
    reduce_to_hessenberg(n, H, u);
    if (!hessenberg_eigenvalues(n, H, value)) return false;
    sort(n, value);
    return true;
}

bool sal_eigenvalue_coincides(int n, const double *re, const double *im, int i, double near)
{
    for (int k = 0; k < n; k++)
        if (k != i && hypot(re[i] - re[k], im[i] - im[k]) <= near * fmax(1.0, hypot(re[i], im[i])))
            return true;
    return false;
}

/* ---- inverse iteration ---------------------------------------------------------------------- */

static double length_of(int n, const double complex *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sqrt(sum);
}

static void scale(int n, double complex *x, double complex by)
{
    for (int i = 0; i < n; i++) x[i] *= by;
}

static void exchange(int n, double complex *a, double complex *b)
{
    for (int i = 0; i < n && a != b; i++) {
        const double complex swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* Gaussian elimination with row exchanges, also applied to x. Pivots that vanish are replaced by
 * `smallest`, a rounding error of the matrix: inverse iteration makes it singular on purpose. */
static void eliminate(int n, double complex *B, double complex *x, double smallest)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(B[i * n + k]) > cabs(B[best * n + k])) best = i;
        exchange(n, B + k * n, B + best * n);
        exchange(1, x + k, x + best);
        if (cabs(B[k * n + k]) < smallest) B[k * n + k] = smallest;
        for (int i = k + 1; i < n; i++) {
            const double complex f = B[i * n + k] / B[k * n + k];
            for (int j = k; j < n; j++) B[i * n + j] -= f * B[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= B[i * n + j] * x[j];
        x[i] /= B[i * n + i];
    }
}

/* Inverse iteration for the eigenvalue `value` of A, or of its transpose. B is room for a matrix, x
 * for a vector. The step by which x grows most has the smallest residual, so its result is the one
 * that is kept: where the matrix is defective, further steps lead away again. */
static void iterate(int n, const double *A, bool transposed, double complex value,
                    double complex *B, double complex *x, double complex *found)
{
    const double norm = sal_largest(n * n, A);
    /* the lower limit is for a matrix of zeros: squares of the growing x stay finite */
    const double smallest = fmax(DBL_EPSILON * fmax(norm, cabs(value)), 1e-150);
    double       most = 0.0;
    /* A start vector to which no eigenvector is likely to be orthogonal. */
    for (int i = 0; i < n; i++) x[i] = 1.0 + 0.3 * sin(1.0 + 2.7 * i);
    scale(n, x, 1.0 / length_of(n, x));
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i * n + j] = (transposed ? A[j * n + i] : A[i * n + j]) - (i == j ? value : 0.0);
        eliminate(n, B, x, smallest);
        const double growth = length_of(n, x);
        scale(n, x, 1.0 / growth);
        if (!(growth > most)) continue;
        most = growth;
        memcpy(found, x, (size_t)n * sizeof *found);
    }
}

double sal_eigenvectors(int n, const double *A, double complex value, double complex *v,
                        double complex *w, sal_arena *work)
{
    double         *C = sal_arena_copy(work, A, n * n), *D = ARENA_NEW(work, n, double);
    double complex *B = ARENA_NEW(work, n * n, double complex), product = 0.0;
    double complex *x = ARENA_NEW(work, n, double complex);
    if (work->failed) return INFINITY;
    balance(n, C, D);
    iterate(n, C, false, value, B, x, v);
    iterate(n, C, true, value, B, x, w);
    for (int i = 0; i < n; i++) {
        v[i] *= D[i];
        w[i] /= D[i];
    }
    scale(n, v, 1.0 / length_of(n, v));
    scale(n, w, 1.0 / length_of(n, w));
    for (int i = 0; i < n; i++) product += w[i] * v[i];
    if (cabs(product) < sqrt(DBL_EPSILON) * 1e-3) return INFINITY;
    scale(n, w, 1.0 / product);
    return length_of(n, w);
}
