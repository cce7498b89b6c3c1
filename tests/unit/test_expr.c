/* Expressions: every operation's value and derivatives, sharing, and what simplification must not
 * do. The table of operations is walked, so that a new row is tested without being listed here. */
#include "expr/derive.h"
#include "expr/graph.h"
#include "expr/print.h"
#include "program/kernel.h"
#include "test.h"

enum { X, Y, Z, LEAVES };

/* Q-leaves 0, 1, 2 in a layout of their own. */
static const sal_layout layout = {.at = {[SAL_LEAF_Q] = 0}, .size = LEAVES};

typedef struct bench {
    sal_graph graph;
    sal_arena arena;
    double    work[SAL_LANES * 4000];
} bench;

static bench *bench_new(void)
{
    bench *b = calloc(1, sizeof *b);
    sal_graph_init(&b->graph, NULL);
    sal_arena_init(&b->arena, NULL);
    return b;
}

static void bench_free(bench *b)
{
    sal_graph_free(&b->graph);
    sal_arena_free(&b->arena);
    free(b);
}

static sal_node leaf(bench *b, int i) { return sal_leaf(&b->graph, SAL_LEAF_Q, i); }

static double value_of(bench *b, sal_node node, const double *u)
{
    sal_kernel       kernel = {0};
    const sal_target target = SAL_OUTPUT(node, 0);
    double           out = 0.0;
    EXPECT(sal_kernel_add(&kernel, &b->arena, &b->graph, &target, 1, &layout, NULL, NULL));
    sal_kernel_eval(&kernel, u, NULL, 1, &out, b->work);
    return out;
}

/* Arguments inside the domain of every operation. */
static const double inside[LEAVES] = {0.37, 0.71, -0.43};

TEST(every_operation_computes_its_value)
{
    bench *b = bench_new();
    for (int op = SAL_OP_NEG; op < SAL_OP_COUNT; op++) {
        const sal_node node = sal_apply(&b->graph, op, leaf(b, X), leaf(b, Y), leaf(b, Z));
        EXPECT_NEAR(value_of(b, node, inside), sal_op_value(op, inside[X], inside[Y], inside[Z]),
                    1e-15);
    }
    bench_free(b);
}

TEST(every_operation_has_the_derivative_of_its_value)
{
    bench       *b = bench_new();
    const double du[LEAVES] = {0.81, -0.57, 0.33}, w = 1.7;
    for (int op = SAL_OP_NEG; op < SAL_OP_COUNT; op++) {
        const sal_node node = sal_apply(&b->graph, op, leaf(b, X), leaf(b, Y), leaf(b, Z));
        sal_map        map;
        double         tangent, bar[LEAVES] = {0.0, 0.0, 0.0}, plus[LEAVES], minus[LEAVES];
        EXPECT(sal_map_build(&map, &b->arena, &b->graph, &node, 1, &layout));
        sal_map_tangent(&map, inside, du, 1, &tangent, b->work);
        sal_map_adjoint(&map, inside, &w, 1, bar, b->work);
        const double h = 1e-5;
        for (int i = 0; i < LEAVES; i++) {
            plus[i] = inside[i] + h * du[i];
            minus[i] = inside[i] - h * du[i];
        }
        const double slope = (sal_op_value(op, plus[0], plus[1], plus[2]) -
                              sal_op_value(op, minus[0], minus[1], minus[2])) /
                             (2.0 * h);
        if (!(fabs(tangent - slope) < 1e-8))
            fail_msg("%s: tangent %.15g, difference %.15g", sal_op_text(op), tangent, slope);
        const double dual = bar[0] * du[0] + bar[1] * du[1] + bar[2] * du[2];
        EXPECT_NEAR(dual, w * tangent, 1e-14);
    }
    bench_free(b);
}

/* The slope of asinh is 1 / sqrt(1 + x^2), and at 1e200 the square overflows. */
TEST(asinh_has_a_slope_where_the_square_of_its_argument_overflows)
{
    bench         *b = bench_new();
    const sal_node node = sal_apply(&b->graph, SAL_OP_ASINH, leaf(b, X), 0, 0);
    const double   u[LEAVES] = {-1e200, 0.0, 0.0}, du[LEAVES] = {1e200, 0.0, 0.0};
    sal_map        map;
    double         tangent;
    EXPECT(sal_map_build(&map, &b->arena, &b->graph, &node, 1, &layout));
    sal_map_tangent(&map, u, du, 1, &tangent, b->work);
    EXPECT_NEAR(tangent, 1.0, 1e-15);
    bench_free(b);
}

TEST(equal_expressions_are_one_node)
{
    bench         *b = bench_new();
    sal_graph     *g = &b->graph;
    const sal_node x = leaf(b, X), y = leaf(b, Y);
    EXPECT(sal_add(g, x, y) == sal_add(g, y, x));
    EXPECT(sal_mul(g, x, y) == sal_mul(g, y, x));
    EXPECT(sal_sub(g, x, y) == sal_neg(g, sal_sub(g, y, x)));
    EXPECT(sal_neg(g, sal_neg(g, x)) == x);
    EXPECT(sal_mul(g, sal_const(g, 1.0), x) == x);
    bench_free(b);
}

TEST(simplification_never_changes_a_value)
{
    bench         *b = bench_new();
    sal_graph     *g = &b->graph;
    const sal_node x = leaf(b, X);
    const double   zero[LEAVES] = {0.0, 0.0, 0.0}, infinite[LEAVES] = {INFINITY, 0.0, 0.0};
    EXPECT(isnan(value_of(b, sal_apply(g, SAL_OP_DIV, x, x, 0), zero)));
    EXPECT(isnan(value_of(b, sal_sub(g, x, x), infinite)));
    EXPECT(isnan(value_of(b, sal_mul(g, sal_const(g, 0.0), x), infinite)));
    /* 0.1 * (0.3 * x) is not 0.03 * x in floating point; (2 x) * 0.3 may become 2 (0.3 x) */
    const sal_node inner = sal_mul(g, sal_const(g, 0.3), x);
    EXPECT(value_of(b, sal_mul(g, sal_const(g, 0.1), inner), inside) == 0.1 * (0.3 * inside[X]));
    EXPECT(value_of(b, sal_mul(g, sal_const(g, 2.0), inner), inside) == 2.0 * (0.3 * inside[X]));
    bench_free(b);
}

static double draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

/* A random sum, difference, product or quotient of what is there, again and again. */
static sal_node random_expression(bench *b, unsigned *seed)
{
    enum { NODES = 24 };
    sal_node node[NODES] = {leaf(b, X), leaf(b, Y), leaf(b, Z), sal_const(&b->graph, 3.0),
                            sal_const(&b->graph, -0.7)};
    for (int i = 5; i < NODES; i++) {
        const int op = SAL_OP_NEG + (int)(5.0 * draw(seed));
        const int recent = i > 8 ? i - 8 : 0;
        node[i] = sal_apply(&b->graph, op, node[recent + (int)((i - recent) * draw(seed))],
                            node[(int)(i * draw(seed))], 0);
    }
    return node[NODES - 1];
}

static sal_node in_loose_form(bench *b, sal_node strict)
{
    sal_node loose;
    b->graph.may_reround = true;
    sal_substitute(&b->graph, &strict, 1, NULL, NULL, &loose);
    b->graph.may_reround = false;
    return loose;
}

/* Random expressions have the same values in loose form, apart from rounding. */
TEST(loose_forms_have_the_same_value)
{
    bench   *b = bench_new();
    unsigned seed = 3;
    int      compared = 0;
    for (int i = 0; i < 2000; i++) {
        const sal_node strict = random_expression(b, &seed), loose = in_loose_form(b, strict);
        /* the distance that rounding may cause: that of the same expression nearby */
        const double nearby[LEAVES] = {inside[X] * (1.0 + 1e-12), inside[Y] * (1.0 - 1e-12),
                                       inside[Z] * (1.0 + 2e-12)};
        const double a = value_of(b, strict, inside), c = value_of(b, loose, inside);
        const double moved = fabs(value_of(b, strict, nearby) - a);
        if (!isfinite(a) || fabs(a) > 1e8) continue;
        EXPECT_NEAR(c, a, 1e-11 * (1.0 + fabs(a)) + 10.0 * moved);
        compared++;
    }
    EXPECT(compared > 1000);
    bench_free(b);
}

TEST(loose_forms_share_and_keep_what_is_not_finite)
{
    bench         *b = bench_new();
    sal_graph     *g = &b->graph;
    const sal_node x = leaf(b, X), y = leaf(b, Y), two = sal_const(g, 2.0);
    const double   zero[LEAVES] = {0.0, 0.0, 0.0}, infinite[LEAVES] = {INFINITY, 0.0, 0.0};
    g->may_reround = true;
    const sal_node d = sal_sub(g, x, y),
                   minus_2d = sal_sub(g, sal_mul(g, two, y), sal_mul(g, two, x));
    EXPECT(minus_2d == sal_mul(g, sal_const(g, -2.0), d));
    EXPECT(sal_mul(g, minus_2d, minus_2d) == sal_mul(g, sal_const(g, 4.0), sal_mul(g, d, d)));
    const sal_node third = sal_apply(g, SAL_OP_DIV, x, sal_mul(g, sal_const(g, 3.0), y), 0);
    EXPECT(third == sal_mul(g, sal_const(g, 1.0 / 3.0), sal_apply(g, SAL_OP_DIV, x, y, 0)));
    EXPECT(sal_add(g, sal_mul(g, two, x), sal_mul(g, sal_const(g, 3.0), x)) ==
           sal_mul(g, sal_const(g, 5.0), x));
    const sal_node five = sal_const(g, 5.0), inner = sal_sub(g, five, x);
    EXPECT(sal_add(g, sal_const(g, -10.0), sal_mul(g, two, inner)) ==
           sal_mul(g, sal_const(g, -2.0), x));
    const sal_node square = sal_mul(g, x, x), cube = sal_mul(g, square, x);
    EXPECT(sal_mul(g, cube, x) == sal_mul(g, square, square));
    EXPECT(sal_mul(g, cube, square) == sal_mul(g, x, sal_mul(g, x, cube)));
    EXPECT(isnan(value_of(b, sal_sub(g, x, x), infinite)));
    EXPECT(isnan(value_of(b, sal_mul(g, sal_const(g, 0.0), x), infinite)));
    EXPECT(isnan(value_of(b, sal_apply(g, SAL_OP_DIV, x, x, 0), zero)));
    EXPECT(isinf(value_of(b, sal_apply(g, SAL_OP_DIV, sal_const(g, 1.0), y, 0), zero)));
    EXPECT(isinf(value_of(b, sal_apply(g, SAL_OP_DIV, x, sal_const(g, 0.0), 0), inside)));
    const sal_node small = sal_mul(g, sal_const(g, 1e-200), x);
    EXPECT(value_of(b, sal_mul(g, small, sal_const(g, 1e200)), inside) > 0.0);
    bench_free(b);
}

TEST(whole_powers_are_products_everywhere)
{
    bench *b = bench_new();
    for (int n = -6; n <= 6; n++) {
        const sal_node node =
            sal_apply(&b->graph, SAL_OP_POW, leaf(b, X), sal_const(&b->graph, n), 0);
        EXPECT(value_of(b, node, inside) == sal_power(inside[X], n));
        EXPECT_NEAR(value_of(b, node, inside), pow(inside[X], n), 1e-12 * pow(inside[X], n));
    }
    bench_free(b);
}

TEST(deep_expressions_need_no_deep_stack)
{
    bench   *b = bench_new();
    sal_node sum = leaf(b, X);
    for (int i = 0; i < 200000; i++)
        sum = sal_apply(&b->graph, SAL_OP_SIN, sal_add(&b->graph, sum, leaf(b, Y)), 0, 0);
    sal_node d = 0;
    sal_derive_along(&b->graph, &sum, 1, sal_seed_tangent, NULL, &d);
    EXPECT(d != 0);
    char text[100];
    EXPECT(sal_print(&b->graph, sum, NULL, NULL, text, sizeof text) > 100);
    bench_free(b);
}

TEST(printing_uses_the_fewest_parentheses)
{
    bench         *b = bench_new();
    sal_graph     *g = &b->graph;
    const sal_node x = leaf(b, X), y = leaf(b, Y);
    char           text[200];
    sal_print(g, sal_mul(g, sal_add(g, x, y), sal_apply(g, SAL_OP_SIN, x, 0, 0)), NULL, NULL, text,
              sizeof text);
    EXPECT_TEXT(text, "sin(q[0]) * (q[0] + q[1])");
    sal_print(g, sal_apply(g, SAL_OP_DIV, x, sal_mul(g, x, y), 0), NULL, NULL, text, sizeof text);
    EXPECT_TEXT(text, "q[0] / (q[0] * q[1])");
    bench_free(b);
}

TEST(multiply_adds_are_fused_where_only_sums_use_the_product)
{
    bench             *b = bench_new();
    sal_graph         *g = &b->graph;
    const sal_node     product = sal_mul(g, leaf(b, X), leaf(b, Y));
    const sal_node     once[1] = {sal_add(g, product, leaf(b, Z))};
    const sal_node     twice[2] = {once[0], product};
    const sal_program *fused = sal_lower(&b->arena, g, once, 1);
    EXPECT(fused->instructions == 1 && fused->run[0].op == SAL_OP_FMA);
    EXPECT(sal_lower(&b->arena, g, twice, 2)->instructions == 2);
    /* two sums of one product; two sums of two products, one of which they share */
    const sal_node other = sal_mul(g, leaf(b, X), leaf(b, Z)), third = sal_mul(g, other, other);
    const sal_node sums[2] = {once[0], sal_sub(g, leaf(b, X), product)};
    const sal_node pairs[2] = {sal_add(g, product, other), sal_sub(g, third, product)};
    EXPECT(sal_lower(&b->arena, g, sums, 2)->instructions == 2);
    EXPECT(sal_lower(&b->arena, g, pairs, 2)->instructions == 4);
    bench_free(b);
}

TEST(lanes_give_the_same_digits_as_one_at_a_time)
{
    bench   *b = bench_new();
    sal_node out[2] = {0, 0};
    for (int op = SAL_OP_NEG; op < SAL_OP_COUNT; op++) {
        const sal_node node = sal_apply(&b->graph, op, leaf(b, X), leaf(b, Y), leaf(b, Z));
        out[op % 2] = sal_sum(&b->graph, out[op % 2], sal_mul(&b->graph, node, leaf(b, Y)));
    }
    sal_map map;
    EXPECT(sal_map_build(&map, &b->arena, &b->graph, out, 2, &layout));
    enum { L = 19 };
    double du[LEAVES * L], many[2 * L], one[2], single[LEAVES];
    for (int i = 0; i < LEAVES * L; i++) du[i] = sin(1.0 + i);
    sal_map_tangent(&map, inside, du, L, many, b->work);
    for (int l = 0; l < L; l++) {
        for (int i = 0; i < LEAVES; i++) single[i] = du[i * L + l];
        sal_map_tangent(&map, inside, single, 1, one, b->work);
        EXPECT(one[0] == many[l] && one[1] == many[L + l]);
    }
    bench_free(b);
}

TEST_MAIN(RUN(every_operation_computes_its_value),
          RUN(every_operation_has_the_derivative_of_its_value),
          RUN(asinh_has_a_slope_where_the_square_of_its_argument_overflows),
          RUN(equal_expressions_are_one_node), RUN(simplification_never_changes_a_value),
          RUN(loose_forms_have_the_same_value), RUN(loose_forms_share_and_keep_what_is_not_finite),
          RUN(whole_powers_are_products_everywhere), RUN(deep_expressions_need_no_deep_stack),
          RUN(printing_uses_the_fewest_parentheses),
          RUN(multiply_adds_are_fused_where_only_sums_use_the_product),
          RUN(lanes_give_the_same_digits_as_one_at_a_time))
