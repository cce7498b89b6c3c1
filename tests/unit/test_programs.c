/* Programs made of others: subsets with the same digits, and tapes that give back what was there.
 */
#include "test.h"

#include <float.h>

#include "kernel/kernel.h"
#include "system/tape.h"

enum { LEAVES = 3, LANES = 2, MOST_TAPE = 16, VALUES = LEAVES + MOST_TAPE };

/* q in the first places, what is taped behind them. */
static const sal_layout layout = {
    .at = {[SAL_LEAF_Q] = 0, [SAL_LEAF_TAPE] = LEAVES}, .size = VALUES, .values = VALUES};

static sal_node fun(sal_graph *graph, int op, sal_node a) { return sal_apply(graph, op, a, 0, 0); }

static sal_node q(sal_graph *graph, int i) { return sal_leaf(graph, SAL_LEAF_Q, i); }

/* The tangent of q, which differs from lane to lane. */
static sal_node dq(sal_graph *graph, int i)
{
    return sal_leaf(graph, SAL_LEAF_TANGENT + SAL_LEAF_Q, i);
}

static sal_kernel kernel_of(sal_graph *graph, const sal_node *nodes, int count, sal_arena *arena)
{
    sal_kernel kernel = {0};
    sal_target targets[MOST_TAPE];
    for (int i = 0; i < count; i++) targets[i] = SAL_OUTPUT(nodes[i], i);
    EXPECT(sal_kernel_add(&kernel, arena, graph, targets, count, &layout, NULL, NULL));
    return kernel;
}

static void eval(const sal_kernel *kernel, const double *u, int lanes, double *out)
{
    double lane[VALUES * LANES], work[SAL_KERNEL_WORK(200)];
    EXPECT(kernel->slots <= 200);
    for (int i = 0; i < VALUES * LANES; i++) lane[i] = 0.7 - 0.31 * i;
    memset(out, 0, (size_t)(MOST_TAPE * lanes) * sizeof *out);
    sal_kernel_eval(kernel, u, lane, lanes, out, work);
}

/* ---- subsets -------------------------------------------------------------------------------- */

enum { OUTPUTS = 5 };

/* Outputs that share much; the fourth is an input, the fifth a constant. */
static sal_kernel shared_outputs(sal_graph *graph, sal_arena *arena)
{
    const sal_node s = fun(graph, SAL_OP_SIN, q(graph, 0)), p = sal_mul(graph, s, q(graph, 1));
    const sal_node r = fun(graph, SAL_OP_SQRT, sal_add(graph, p, sal_const(graph, 3.0)));
    const sal_node outputs[OUTPUTS] = {sal_add(graph, p, fun(graph, SAL_OP_COS, q(graph, 2))),
                                       sal_mul(graph, r, fun(graph, SAL_OP_EXP, q(graph, 2))),
                                       sal_sub(graph, sal_mul(graph, r, r), s), q(graph, 1),
                                       sal_const(graph, 0.25)};
    return kernel_of(graph, outputs, OUTPUTS, arena);
}

TEST(every_subset_has_the_digits_of_the_whole)
{
    UNUSED_STATE;
    const double u[VALUES] = {0.3, -1.7, 0.9};
    sal_graph    graph;
    sal_arena    arena;
    double       all[MOST_TAPE], some[MOST_TAPE];
    sal_graph_init(&graph, NULL);
    sal_arena_init(&arena, NULL);
    const sal_kernel whole = shared_outputs(&graph, &arena);
    eval(&whole, u, 1, all);
    for (unsigned set = 1; set < 1u << OUTPUTS; set++) {
        unsigned char wanted[OUTPUTS];
        sal_kernel    subset;
        for (int o = 0; o < OUTPUTS; o++) wanted[o] = set >> o & 1;
        EXPECT(sal_kernel_subset(&subset, &whole, wanted, &arena));
        eval(&subset, u, 1, some);
        for (int o = 0; o < OUTPUTS; o++) {
            const double expected = wanted[o] ? all[o] : 0.0;
            if (memcmp(&some[o], &expected, sizeof expected))
                fail_msg("subset %u: output %d is %.17g, not %.17g", set, o, some[o], expected);
        }
    }
    sal_arena_free(&arena);
    sal_graph_free(&graph);
}

/* Nothing is computed that no output wants, and results are still in the order of instructions. */
TEST(a_subset_has_no_instruction_too_many)
{
    UNUSED_STATE;
    sal_graph  graph;
    sal_arena  arena;
    sal_kernel subset;
    sal_graph_init(&graph, NULL);
    sal_arena_init(&arena, NULL);
    const sal_kernel    whole = shared_outputs(&graph, &arena);
    const unsigned char first[OUTPUTS] = {1}, leaf[OUTPUTS] = {0, 0, 0, 1, 1},
                        all[] = {1, 1, 1, 1, 1};
    EXPECT(sal_kernel_subset(&subset, &whole, first, &arena));
    EXPECT(subset.instructions > 0 && subset.instructions < whole.instructions);
    const sal_program *program = subset.part->program;
    for (int k = 0; k < program->instructions; k++)
        EXPECT(program->instruction[k].result == program->inputs + program->constants + k);
    unsigned char used[200] = {0};
    for (int r = 0; r < program->runs; r++)
        for (int i = 0; i < program->run[r].count; i++) {
            const sal_instruction *x = &program->instruction[program->run[r].first + i];
            const int              n = sal_op_arguments(program->run[r].op);
            used[x->a] = 1;
            if (n > 1) used[x->b] = 1;
            if (n > 2) used[x->c] = 1;
        }
    for (int o = 0; o < program->outputs; o++) used[program->output[o]] = 1;
    for (int k = 0; k < program->instructions; k++) EXPECT(used[program->instruction[k].result]);
    EXPECT(sal_kernel_subset(&subset, &whole, leaf, &arena));
    EXPECT(subset.instructions == 0);
    EXPECT(sal_kernel_subset(&subset, &whole, all, &arena));
    EXPECT(subset.instructions == whole.instructions);
    sal_arena_free(&arena);
    sal_graph_free(&graph);
}

/* ---- tapes ---------------------------------------------------------------------------------- */

enum { PRODUCTS = 5 };

/* Linear in dq, with factors of every price; the last one does not depend on the lane. */
static void products(sal_graph *graph, sal_node *node)
{
    const sal_node a = q(graph, 0), b = q(graph, 1), c = q(graph, 2);
    const sal_node x = dq(graph, 0), y = dq(graph, 1);
    const sal_node s = fun(graph, SAL_OP_SIN, a), e = fun(graph, SAL_OP_EXP, sal_mul(graph, b, c));
    node[0] = sal_mul(graph, sal_mul(graph, s, e), x);
    node[1] = sal_sub(graph, sal_mul(graph, sal_sub(graph, a, b), x), sal_mul(graph, e, y));
    node[2] = sal_add(graph, sal_mul(graph, s, x), sal_mul(graph, fun(graph, SAL_OP_COS, c), x));
    node[3] = sal_apply(graph, SAL_OP_DIV, sal_neg(graph, sal_add(graph, x, y)),
                        sal_add(graph, s, sal_const(graph, 2.0)), 0);
    node[4] = sal_mul(graph, s, e);
}

/* With so much room: the tape is filled by its definitions, and read. Returns its length. */
static int compare_taped(int limit)
{
    double    u[VALUES] = {0.4, -0.6, 1.1}, direct[MOST_TAPE * LANES], taped[MOST_TAPE * LANES];
    double    tape_values[MOST_TAPE];
    sal_graph graph;
    sal_arena arena;
    sal_tape  tape;
    sal_node  node[PRODUCTS];
    sal_graph_init(&graph, NULL);
    sal_arena_init(&arena, NULL);
    products(&graph, node);
    const sal_kernel before = kernel_of(&graph, node, PRODUCTS, &arena);
    EXPECT(sal_tape_init(&tape, &graph, limit, &arena));
    EXPECT(sal_tape_nodes(&tape, node, PRODUCTS, &arena));
    EXPECT(tape.count <= limit);
    for (int i = 0; i < tape.count; i++) {
        EXPECT(!sal_depends(&graph, tape.definition[i], SAL_LEAF_TAPE));
        EXPECT(!sal_depends(&graph, tape.definition[i], SAL_LEAF_TANGENT));
        for (int j = 0; j < i; j++) EXPECT(tape.definition[i] != tape.definition[j]);
    }
    if (tape.count > 0) {
        const sal_kernel record = kernel_of(&graph, tape.definition, tape.count, &arena);
        eval(&record, u, 1, tape_values);
        memcpy(u + LEAVES, tape_values, (size_t)tape.count * sizeof *u);
    }
    const sal_kernel after = kernel_of(&graph, node, PRODUCTS, &arena);
    eval(&before, u, LANES, direct);
    eval(&after, u, LANES, taped);
    for (int i = 0; i < PRODUCTS * LANES; i++)
        EXPECT_NEAR(taped[i], direct[i], 4 * DBL_EPSILON * fmax(1.0, fabs(direct[i])));
    if (limit == MOST_TAPE) EXPECT(after.instructions < before.instructions);
    const int count = tape.count;
    sal_arena_free(&arena);
    sal_graph_free(&graph);
    return count;
}

/* The factors of the four: sin exp, exp, sin + cos, 1 / (sin + 2); a - b is cheap. */
TEST(what_is_read_from_a_tape_is_what_was_there)
{
    UNUSED_STATE;
    assert_int_equal(compare_taped(MOST_TAPE), 4);
    for (int limit = 0; limit < 4; limit++) assert_int_equal(compare_taped(limit), limit);
}

TEST(what_one_operation_gives_back_is_not_kept)
{
    UNUSED_STATE;
    sal_graph graph;
    sal_arena arena;
    sal_tape  tape;
    sal_graph_init(&graph, NULL);
    sal_arena_init(&arena, NULL);
    const sal_node a = q(&graph, 0), b = q(&graph, 1), x = dq(&graph, 0);
    sal_node       node[] = {sal_mul(&graph, sal_sub(&graph, a, b), x), sal_mul(&graph, a, x),
                             sal_mul(&graph, sal_neg(&graph, sal_mul(&graph, a, b)), x), 0};
    EXPECT(sal_tape_init(&tape, &graph, MOST_TAPE, &arena));
    EXPECT(sal_tape_nodes(&tape, node, 4, &arena));
    EXPECT(tape.count == 0);
    EXPECT(node[3] == 0);
    sal_node dear = sal_mul(&graph, sal_neg(&graph, fun(&graph, SAL_OP_SIN, a)), x);
    EXPECT(sal_tape_nodes(&tape, &dear, 1, &arena));
    EXPECT(tape.count == 1 && tape.definition[0] == fun(&graph, SAL_OP_SIN, a));
    sal_arena_free(&arena);
    sal_graph_free(&graph);
}

TEST_MAIN(RUN(every_subset_has_the_digits_of_the_whole), RUN(a_subset_has_no_instruction_too_many),
          RUN(what_is_read_from_a_tape_is_what_was_there),
          RUN(what_one_operation_gives_back_is_not_kept))
