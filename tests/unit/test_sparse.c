/* Sparse systems, and symmetric matrices in all their forms. */
#include "linalg/sparse.h"
#include "linalg/symmetric.h"
#include "test.h"

enum { N = 40, LANES = 5 };

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

/* A saddle-point matrix [M J'; J 0] of n coordinates and m constraints, mostly empty; full. */
static void fill_saddle(unsigned *seed, int n, int m, double *A)
{
    const int size = n + m;
    memset(A, 0, (size_t)(size * size) * sizeof *A);
    for (int i = 0; i < n; i++) A[i * size + i] = 2.0 + next(seed);
    for (int i = 2; i < n; i++) A[i * size + i - 2] = A[(i - 2) * size + i] = next(seed);
    for (int j = 0; j < m; j++)
        for (int k = 0; k < 4; k++) {
            const int i = (2 * j + k) % n;
            A[(n + j) * size + i] = A[i * size + n + j] = next(seed) + (k == 0 ? 1.5 : 0.0);
        }
}

/* The rows of the lower triangle, diagonal always kept. */
static int keep_rows(int n, const double *A, int *start, int *column, double *entries)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        start[i] = count;
        for (int j = 0; j <= i; j++) {
            if (A[i * n + j] == 0.0 && i != j) continue;
            column[count] = j;
            entries[count++] = A[i * n + j];
        }
    }
    start[n] = count;
    return count;
}

static double residual(int n, const double *A, int lanes, const double *X, const double *B)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < lanes; l++) {
            double sum = -B[i * lanes + l];
            for (int j = 0; j < n; j++) sum += A[i * n + j] * X[j * lanes + l];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

typedef struct case_ {
    sal_arena     arena;
    sal_symmetric shape;
    sal_factor    factor;
    double        A[N * N], entries[N * N];
    int           n;
} case_;

static void make(case_ *c, sal_form form, int n, int m, unsigned seed)
{
    static int column[N * N];
    sal_arena_init(&c->arena, &(saltus_allocator){NULL, NULL});
    c->n = n + m;
    fill_saddle(&seed, n, m, c->A);
    int *start = ARENA_NEW(&c->arena, c->n + 1, int);
    c->shape = (sal_symmetric){.form = form, .n = c->n};
    if (form == SAL_SPARSE) {
        const int count = keep_rows(c->n, c->A, start, column, c->entries);
        int      *kept = ARENA_NEW(&c->arena, count, int);
        memcpy(kept, column, (size_t)count * sizeof *kept);
        EXPECT(sal_symmetric_sparse(&c->shape, c->n, start, kept, &c->arena));
    } else {
        memcpy(c->entries, c->A, (size_t)(c->n * c->n) * sizeof *c->A);
    }
    EXPECT(sal_factor_init(&c->factor, form, c->n, &c->arena));
}

static void drop(case_ *c)
{
    sal_factor_release(&c->factor);
    sal_symmetric_release(&c->shape);
    sal_arena_free(&c->arena);
}

TEST(all_forms_solve_the_same_system)
{
    UNUSED_STATE;
    static case_ c;
    double       scratch[2 * N * N], B[N * LANES], X[N * LANES];
    unsigned     seed = 7;
    for (int k = 0; k < 60; k++) {
        const int n = 4 + k % 22, m = n / 2 - 1;
        const int forms[] = {SAL_SPARSE, SAL_INDEFINITE, SAL_DEFINITE};
        for (int f = 0; f < 3; f++) {
            make(&c, (sal_form)forms[f], n, forms[f] == SAL_DEFINITE ? 0 : m, (unsigned)k);
            for (int i = 0; i < c.n * LANES; i++) X[i] = B[i] = next(&seed);
            assert_int_equal(sal_factor_make(&c.factor, &c.shape, c.entries, scratch), 0);
            sal_factor_solve(&c.factor, &c.shape, LANES, X, scratch);
            EXPECT(residual(c.n, c.A, LANES, X, B) < 1e-11);
            drop(&c);
        }
    }
}

TEST(lanes_do_not_influence_each_other)
{
    UNUSED_STATE;
    static case_ c;
    double       scratch[2 * N * N], X[N * LANES], x[N];
    unsigned     seed = 3;
    make(&c, SAL_SPARSE, 20, 9, 1);
    EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, scratch) == 0);
    for (int i = 0; i < c.n; i++)
        for (int l = 0; l < LANES; l++) X[i * LANES + l] = next(&seed);
    for (int i = 0; i < c.n; i++) x[i] = X[i * LANES + 2];
    sal_factor_solve(&c.factor, &c.shape, LANES, X, scratch);
    sal_factor_solve(&c.factor, &c.shape, 1, x, scratch);
    for (int i = 0; i < c.n; i++) EXPECT(x[i] == X[i * LANES + 2]);
    drop(&c);
}

TEST(a_sparse_matrix_with_a_redundant_row_is_refused)
{
    UNUSED_STATE;
    static case_ c;
    double       scratch[2 * N * N];
    for (int k = 0; k < 10; k++) {
        const int n = 12 + k, m = 5, size = n + m;
        make(&c, SAL_SPARSE, n, m, (unsigned)k + 20);
        drop(&c);
        unsigned seed = (unsigned)k + 20;
        fill_saddle(&seed, n, m, c.A);
        for (int i = 0; i < n; i++) /* one constraint is three times another */
            c.A[(n + 3) * size + i] = c.A[i * size + n + 3] = 3.0 * c.A[(n + 1) * size + i];
        sal_arena_init(&c.arena, &(saltus_allocator){NULL, NULL});
        int *start = ARENA_NEW(&c.arena, size + 1, int);
        int *column = ARENA_NEW(&c.arena, size * size, int);
        keep_rows(size, c.A, start, column, c.entries);
        EXPECT(sal_symmetric_sparse(&c.shape, size, start, column, &c.arena));
        EXPECT(sal_factor_init(&c.factor, SAL_SPARSE, size, &c.arena));
        EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, scratch) > 0);
        drop(&c);
    }
}

/* Other units: row and column i times factors[i]. */
static void change_units(case_ *c, const double *factors)
{
    for (int i = 0; i < c->n; i++)
        for (int k = c->shape.start[i]; k < c->shape.start[i + 1]; k++)
            c->entries[k] *= factors[i] * factors[c->shape.column[k]];
}

TEST(units_do_not_make_a_sparse_matrix_singular)
{
    UNUSED_STATE;
    static case_ c;
    double       scratch[2 * N * N], factors[N], X[N], Y[N];
    unsigned     seed = 11;
    for (int k = 0; k < 40; k++) {
        const int n = 8 + k % 16, m = n / 2;
        make(&c, SAL_SPARSE, n, m, (unsigned)k);
        for (int i = 0; i < c.n; i++) X[i] = next(&seed);
        for (int i = 0; i < c.n; i++) factors[i] = ldexp(1.0, (int)(120.0 * next(&seed)));
        for (int i = 0; i < c.n; i++) Y[i] = X[i] * factors[i];
        EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, scratch) == 0);
        sal_factor_solve(&c.factor, &c.shape, 1, X, scratch);
        change_units(&c, factors);
        EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, scratch) == 0);
        sal_factor_solve(&c.factor, &c.shape, 1, Y, scratch);
        for (int i = 0; i < c.n; i++) EXPECT_NEAR(Y[i] * factors[i], X[i], 1e-10);
        drop(&c);
    }
}

TEST(what_is_not_finite_is_named)
{
    UNUSED_STATE;
    static case_ c;
    double       scratch[2 * N * N];
    make(&c, SAL_SPARSE, 12, 4, 5);
    c.entries[c.shape.start[7]] = NAN;
    assert_int_equal(sal_factor_make(&c.factor, &c.shape, c.entries, scratch), 8);
    drop(&c);
}

TEST(the_transposed_system_is_solved_too)
{
    UNUSED_STATE;
    int        start[] = {0, 2, 3, 5}, row[] = {0, 2, 1, 0, 2};
    double     value[] = {2.0, 1.0, 4.0, -3.0, 5.0};
    double     x[] = {1.0, 2.0, 3.0}, scratch[3];
    void      *factor = NULL;
    sal_sparse sparse;
    EXPECT(sal_sparse_order(&sparse, 3, start, row));
    EXPECT(sal_sparse_factor(&sparse, value, &factor) == 0);
    sal_sparse_solve(&sparse, factor, true, 1, x, scratch); /* columns times x */
    EXPECT_NEAR(2.0 * x[0] + 1.0 * x[2], 1.0, 1e-14);
    EXPECT_NEAR(4.0 * x[1], 2.0, 1e-14);
    EXPECT_NEAR(-3.0 * x[0] + 5.0 * x[2], 3.0, 1e-14);
    sal_sparse_free(&factor);
    sal_sparse_release(&sparse);
}

TEST_MAIN(RUN(all_forms_solve_the_same_system), RUN(lanes_do_not_influence_each_other),
          RUN(a_sparse_matrix_with_a_redundant_row_is_refused),
          RUN(units_do_not_make_a_sparse_matrix_singular), RUN(what_is_not_finite_is_named),
          RUN(the_transposed_system_is_solved_too))
