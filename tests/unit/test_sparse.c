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
    c->shape = (sal_symmetric){.form = form, .n = c->n, .constraints = m};
    if (form == SAL_SPARSE) {
        const int count = keep_rows(c->n, c->A, start, column, c->entries);
        int      *kept = ARENA_NEW(&c->arena, count, int);
        memcpy(kept, column, (size_t)count * sizeof *kept);
        EXPECT(sal_symmetric_sparse(&c->shape, c->n, n, start, kept, &c->arena));
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

TEST(diagonal_matrices_of_all_lengths)
{
    static const double wrong[] = {0.0, -1.0, NAN, INFINITY};
    double              entries[9], B[9 * 3];
    sal_arena           arena;
    sal_factor          factor;
    sal_arena_init(&arena, &(saltus_allocator){NULL, NULL});
    for (int n = 1; n <= 9; n++)
        for (int lanes = 1; lanes <= 3; lanes += 2) {
            const sal_symmetric shape = {.form = SAL_DIAGONAL, .n = n};
            EXPECT(sal_factor_init(&factor, SAL_DIAGONAL, n, &arena));
            for (int i = 0; i < n; i++) entries[i] = 1.0 + i;
            for (int i = 0; i < n * lanes; i++) B[i] = 2.0 + i;
            EXPECT(sal_factor_make(&factor, &shape, entries, NULL) == 0);
            sal_factor_solve(&factor, &shape, lanes, B, NULL);
            for (int i = 0; i < n * lanes; i++)
                EXPECT_NEAR(B[i], (2.0 + i) / entries[i / lanes], 1e-15);
            for (int k = 0; k < 4 * n; k++) {
                entries[k / 4] = wrong[k % 4];
                assert_int_equal(sal_factor_make(&factor, &shape, entries, NULL), 1 + k / 4);
                entries[k / 4] = 1.0;
            }
        }
    sal_arena_free(&arena);
}

TEST(lanes_do_not_influence_each_other)
{
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
        EXPECT(sal_symmetric_sparse(&c.shape, size, n, start, column, &c.arena));
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
    static case_ c;
    double       scratch[2 * N * N];
    make(&c, SAL_SPARSE, 12, 4, 5);
    c.entries[c.shape.start[7]] = NAN;
    assert_int_equal(sal_factor_make(&c.factor, &c.shape, c.entries, scratch), 8);
    drop(&c);
}

/* ---- elimination ---------------------------------------------------------------------------- */

/* A chain of point masses and rods in the plane: coordinates x1, y1, x2, ..., then constraints. The
 * links point in the given direction; masses may differ. */
typedef struct chain {
    sal_arena     arena;
    sal_symmetric shape;
    sal_factor    factor;
    int           links, *start, *column;
    double       *entries, *scratch;
} chain;

static void add_row(chain *c, int i, int columns, const int *column, const double *entry)
{
    int at = c->start[i];
    for (int k = 0; k < columns; k++) {
        c->column[at] = column[k];
        c->entries[at++] = entry[k];
    }
    c->start[i + 1] = at;
}

static void make_chain(chain *c, int links, double mass, double bend)
{
    const int n = 2 * links;
    *c = (chain){.links = links};
    sal_arena_init(&c->arena, &(saltus_allocator){NULL, NULL});
    c->start = ARENA_NEW(&c->arena, 3 * links + 1, int);
    c->column = ARENA_NEW(&c->arena, 8 * links, int);
    c->entries = ARENA_NEW(&c->arena, 8 * links, double);
    c->scratch = ARENA_NEW(&c->arena, 3 * SAL_ELIMINATION_SCRATCH * links, double);
    for (int i = 0; i < n; i++) add_row(c, i, 1, &i, (double[]){i % 4 < 2 ? mass : 1.0});
    for (int j = 0; j < links; j++) {
        const double x = cos(bend * j), y = sin(bend * j);
        const int    column[] = {2 * j - 2, 2 * j - 1, 2 * j, 2 * j + 1, n + j};
        const double entry[] = {-x, -y, x, y, 0.0};
        const int    none = j == 0 ? 2 : 0; /* the first one hangs from the ground */
        add_row(c, n + j, 5 - none, column + none, entry + none);
    }
    EXPECT(sal_symmetric_sparse(&c->shape, 3 * links, n, c->start, c->column, &c->arena));
    EXPECT(sal_factor_init(&c->factor, SAL_SPARSE, 3 * links, &c->arena));
}

static void drop_chain(chain *c)
{
    sal_factor_release(&c->factor);
    sal_symmetric_release(&c->shape);
    sal_arena_free(&c->arena);
}

/* The largest residual of K x = b with b = 1, 2, 3, 1, ..., relative to what it is formed from. */
static double chain_error(chain *c)
{
    const int size = 3 * c->links;
    double   *x = ARENA_NEW(&c->arena, size, double), *r = ARENA_NEW(&c->arena, size, double);
    double   *weight = ARENA_NEW(&c->arena, size, double), worst = 0.0;
    for (int i = 0; i < size; i++) x[i] = r[i] = 1.0 + i % 3;
    sal_factor_solve(&c->factor, &c->shape, 1, x, c->scratch);
    for (int i = 0; i < size; i++) weight[i] = r[i];
    for (int i = 0; i < size; i++)
        for (int k = c->start[i]; k < c->start[i + 1]; k++) {
            const int j = c->column[k];
            r[i] -= c->entries[k] * x[j];
            weight[i] += fabs(c->entries[k] * x[j]);
            if (i == j) continue;
            r[j] -= c->entries[k] * x[i];
            weight[j] += fabs(c->entries[k] * x[i]);
        }
    for (int i = 0; i < size; i++) worst = fmax(worst, fabs(r[i]) / weight[i]);
    return worst;
}

TEST(a_constraint_is_eliminated_after_its_coordinates)
{
    static case_ c;
    int          step[N];
    for (int k = 0; k < 40; k++) {
        const int n = 6 + k % 20;
        make(&c, SAL_SPARSE, n, n / 2, (unsigned)k);
        const sal_elimination *e = &c.shape.elimination;
        for (int i = 0; i < c.n; i++) step[i] = -1;
        for (int i = 0; i < c.n; i++) step[e->unknown[i]] = i;
        for (int i = 0; i < c.n; i++) EXPECT(step[i] >= 0); /* every unknown has its turn */
        for (int j = n; j < c.n; j++)
            for (int m = c.shape.start[j]; m < c.shape.start[j + 1] - 1; m++)
                EXPECT(step[c.shape.column[m]] < step[j]);
        drop(&c);
    }
}

TEST(the_fill_of_a_chain_grows_with_its_links)
{
    static const int sizes[] = {10, 100, 1000, 10000};
    for (int k = 0; k < 4; k++) {
        chain c;
        make_chain(&c, sizes[k], 1.0, 0.01);
        EXPECT(c.shape.elimination.entries <= 11 * sizes[k]);
        drop_chain(&c);
    }
}

/* Straight or bent, with light masses in between. No pivots have to be chosen, but for masses that
 * differ by a million. */
TEST(a_chain_is_solved_in_every_position)
{
    static const double bends[] = {0.0, 1e-8, 1e-4, 0.01, 0.7, 1.5707963267948966, 3.0};
    static const double masses[] = {1.0, 1e-3, 1e-6, 1e6};
    for (int k = 0; k < 7; k++)
        for (int m = 0; m < 4; m++) {
            chain c;
            make_chain(&c, 1000, masses[m], bends[k]);
            EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, c.scratch) == 0);
            EXPECT(c.factor.sparse == NULL || m > 1);
            EXPECT(chain_error(&c) < (c.factor.sparse ? 1e-11 : 1e-13));
            drop_chain(&c);
        }
}

/* Without a mass of its own a coordinate cannot be a pivot, though the matrix may be regular. */
TEST(where_a_mass_is_missing_pivots_are_chosen)
{
    chain c;
    make_chain(&c, 40, 1.0, 0.3);
    for (int j = 0; j < 40; j += 5) c.entries[c.start[2 * j + 1]] = 0.0;
    EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, c.scratch) == 0);
    EXPECT(c.factor.sparse != NULL);
    EXPECT(chain_error(&c) < 1e-12);
    c.entries[c.start[1]] = c.entries[c.start[2 * 10 + 1]] = 1.0; /* and again with masses */
    for (int j = 0; j < 40; j += 5) c.entries[c.start[2 * j + 1]] = 1.0;
    EXPECT(sal_factor_make(&c.factor, &c.shape, c.entries, c.scratch) == 0);
    EXPECT(c.factor.sparse == NULL);
    EXPECT(chain_error(&c) < 1e-12);
    drop_chain(&c);
}

/* The last gradient is made to lie at this distance from a combination of two others. */
static void put_beside(case_ *c, int n, int m, double distance)
{
    for (int i = 0; i < n; i++) {
        const double *rows = c->A + n * c->n;
        double       *last = c->A + (n + m - 1) * c->n;
        last[i] = rows[i] - 2.0 * rows[c->n + i] + (i == 0 ? distance : 0.0);
        c->A[i * c->n + n + m - 1] = last[i];
    }
}

static double least_apart(case_ *c, int m, double *scratch)
{
    const double *apart = sal_factor_judge(&c->factor, &c->shape, c->entries, scratch);
    double        least = 1.0;
    for (int j = 0; j < m; j++) least = fmin(least, apart[j]);
    return least;
}

/* Other units: of masses, of coordinates and of constraints. */
static void take_units(case_ *c, int n, double mass, double length)
{
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            double *a = &c->A[i * c->n + j];
            if (i < n && j < n) *a *= mass;
            if (i < n) *a *= i % 3 ? length : 1.0;
            else *a *= i % 2 ? 1e-5 / length : 1e3;
            if (j < n) *a *= j % 3 ? length : 1.0;
            else *a *= j % 2 ? 1e-5 / length : 1e3;
        }
}

static void remake(case_ *c, sal_form form, int n, int m, unsigned seed, double distance,
                   bool massless, double mass, double length)
{
    static int column[N * N];
    make(c, form, n, m, seed);
    put_beside(c, n, m, distance);
    if (massless)
        for (int i = 0; i < n; i++) c->A[i * c->n] = c->A[i] = 0.0;
    take_units(c, n, mass, length);
    memcpy(c->entries, c->A, (size_t)(c->n * c->n) * sizeof *c->A);
    if (form != SAL_SPARSE) return;
    int      *start = ARENA_NEW(&c->arena, c->n + 1, int);
    const int count = keep_rows(c->n, c->A, start, column, c->entries);
    int      *kept = ARENA_NEW(&c->arena, count, int);
    memcpy(kept, column, (size_t)count * sizeof *kept);
    sal_symmetric_release(&c->shape);
    EXPECT(sal_symmetric_sparse(&c->shape, c->n, n, start, kept, &c->arena));
}

/* Gradients of constraints that come ever closer: the square of the distance comes out, in both
 * forms, whatever the units are, and whether the coordinate has a mass or not. */
TEST(constraints_that_nearly_depend_are_as_far_apart_in_all_units)
{
    static case_ c;
    double       scratch[2 * N * N];
    const struct {
        double mass, length;
    } units[] = {{1.0, 1.0}, {1e6, 1.0}, {1e-6, 1e3}, {1.0, 1e-3}};
    for (int k = 0; k < 80; k++) {
        const int      n = 10 + k % 12, m = n / 2 - 1;
        const sal_form form = k % 2 ? SAL_SPARSE : SAL_INDEFINITE;
        double         before = 0.0;
        for (int d = 0; d <= 6; d++) {
            double least[4];
            for (int u = 0; u < 4; u++) {
                remake(&c, form, n, m, (unsigned)k, d < 6 ? pow(10.0, -d) : 0.0, k % 4 > 1,
                       units[u].mass, units[u].length);
                least[u] = least_apart(&c, m, scratch);
                drop(&c);
                EXPECT_NEAR(least[u], least[0], 1e-9 * least[0] + 1e-14);
            }
            if (d == 6) EXPECT(least[0] < 1e-14);
            else if (d > 2) EXPECT_NEAR(before / least[0], 100.0, 25.0);
            before = least[0];
        }
    }
}

TEST(the_transposed_system_is_solved_too)
{
    int        start[] = {0, 2, 3, 5}, row[] = {0, 2, 1, 0, 2};
    double     value[] = {2.0, 1.0, 4.0, -3.0, 5.0};
    double     x[] = {1.0, 2.0, 3.0}, scratch[3];
    void      *factor = NULL;
    sal_sparse sparse;
    EXPECT(sal_sparse_init(&sparse, 3, start, row));
    EXPECT(sal_sparse_factor(&sparse, value, &factor) == 0);
    sal_sparse_solve(&sparse, factor, true, 1, x, scratch); /* columns times x */
    EXPECT_NEAR(2.0 * x[0] + 1.0 * x[2], 1.0, 1e-14);
    EXPECT_NEAR(4.0 * x[1], 2.0, 1e-14);
    EXPECT_NEAR(-3.0 * x[0] + 5.0 * x[2], 3.0, 1e-14);
    sal_sparse_free(&factor);
    sal_sparse_release(&sparse);
}

/* The third column is made of the others, up to rounding, which leaves a pivot that is not zero. */
TEST(a_pivot_that_is_rounding_makes_a_matrix_singular)
{
    for (int i = 1; i < 10; i++) {
        int          start[] = {0, 3, 6, 9}, row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
        double       value[9] = {1.0, 0.3, -0.7, 0.2 * i, 1.1, 0.9};
        const double a = 0.1 * i, b = 0.7;
        sal_sparse   sparse;
        void        *factor = NULL;
        for (int k = 0; k < 3; k++) value[6 + k] = a * value[k] + b * value[3 + k];
        EXPECT(sal_sparse_init(&sparse, 3, start, row));
        EXPECT(sal_sparse_factor(&sparse, value, &factor) > 0);
        sal_sparse_free(&factor);
        sal_sparse_release(&sparse);
    }
}

TEST_MAIN(RUN(all_forms_solve_the_same_system),
          RUN(a_pivot_that_is_rounding_makes_a_matrix_singular),
          RUN(diagonal_matrices_of_all_lengths), RUN(lanes_do_not_influence_each_other),
          RUN(a_sparse_matrix_with_a_redundant_row_is_refused),
          RUN(units_do_not_make_a_sparse_matrix_singular), RUN(what_is_not_finite_is_named),
          RUN(a_constraint_is_eliminated_after_its_coordinates),
          RUN(the_fill_of_a_chain_grows_with_its_links), RUN(a_chain_is_solved_in_every_position),
          RUN(where_a_mass_is_missing_pivots_are_chosen),
          RUN(constraints_that_nearly_depend_are_as_far_apart_in_all_units),
          RUN(the_transposed_system_is_solved_too))
