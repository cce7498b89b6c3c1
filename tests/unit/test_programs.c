/* Programs made of others, with the same digits: subsets, and programs that read what another one
 * has computed. */
#include "test.h"

#include <float.h>

#include "program/kernel.h"

enum { VALUES = 3, LANES = 2, MAX_OUTPUTS = 16 };

static const sal_layout layout = {.at = {[SAL_LEAF_Q] = 0}, .size = VALUES, .values = VALUES};

static sal_node fun(sal_graph *graph, int op, sal_node a) { return sal_apply(graph, op, a, 0, 0); }

static sal_node q(sal_graph *graph, int i) { return sal_leaf(graph, SAL_LEAF_Q, i); }

static sal_kernel kernel_of(sal_graph *graph, const sal_node *nodes, int count, sal_arena *arena)
{
    sal_kernel kernel = {0};
    sal_target targets[MAX_OUTPUTS];
    for (int i = 0; i < count; i++) targets[i] = SAL_OUTPUT(nodes[i], i);
    EXPECT(sal_kernel_add(&kernel, arena, graph, targets, count, &layout, NULL, NULL));
    return kernel;
}

static void eval(const sal_kernel *kernel, const double *u, int lanes, double *out)
{
    double lane[VALUES * LANES], work[SAL_KERNEL_WORK(200)];
    EXPECT(kernel->slots <= 200);
    for (int i = 0; i < VALUES * LANES; i++) lane[i] = 0.7 - 0.31 * i;
    memset(out, 0, (size_t)(MAX_OUTPUTS * lanes) * sizeof *out);
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
    const double u[VALUES] = {0.3, -1.7, 0.9};
    sal_graph    graph;
    sal_arena    arena;
    double       all[MAX_OUTPUTS], some[MAX_OUTPUTS];
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

/* ---- sharing -------------------------------------------------------------------------------- */

enum { SECOND = 4, BASE = 8, ROW = BASE + MAX_OUTPUTS };

/* Reads a root, a quotient of it and a sum that the kernel before it computes too, and what is its
 * own; the third output is the root itself, the fourth an input. */
static sal_kernel sharing_outputs(sal_graph *graph, sal_arena *arena)
{
    const sal_node s = fun(graph, SAL_OP_SIN, q(graph, 0)), p = sal_mul(graph, s, q(graph, 1));
    const sal_node r = fun(graph, SAL_OP_SQRT, sal_add(graph, p, sal_const(graph, 3.0)));
    const sal_node sum = sal_add(graph, q(graph, 0), q(graph, 2));
    const sal_node first[] = {sal_apply(graph, SAL_OP_DIV, sum, r, 0), s, sum};
    const sal_node second[SECOND] = {
        sal_mul(graph, r, fun(graph, SAL_OP_EXP, q(graph, 2))),
        sal_sub(graph, fun(graph, SAL_OP_COS, first[0]), sal_mul(graph, sum, q(graph, 1))), r,
        q(graph, 2)};
    sal_kernel       complete = {0}, kernel = kernel_of(graph, second, SECOND, arena);
    const sal_kernel before = kernel, forward = kernel_of(graph, first, 3, arena);
    const double     u[VALUES] = {0.3, -1.7, 0.9};
    double           row[ROW] = {0.3, -1.7, 0.9}, out[2][MAX_OUTPUTS] = {{0.0}}, work[1600];
    for (int limit = 0; limit < 4; limit++) {
        kernel = before, complete = forward;
        const int added = sal_kernel_share(&complete, &kernel, BASE, 3, limit, arena);
        /* the root; the sum is cheap, and the quotient is an output already */
        EXPECT(!arena->failed && added == (limit < 1 ? 0 : 1));
        sal_kernel_store(&complete, MAX_OUTPUTS);
        sal_kernel_eval_at(&complete, u, row, NULL, 1, row + BASE, work);
        memset(out, 0, sizeof out);
        sal_kernel_eval(&before, u, NULL, 1, out[0], work);
        sal_kernel_eval_at(&kernel, u, row, NULL, 1, out[1], work);
        EXPECT(memcmp(out[0], out[1], sizeof out[0]) == 0);
    }
    return kernel;
}

/* The root and the quotient are read, so the sine, the root and the division are not computed. */
TEST(what_another_program_has_computed_is_read)
{
    sal_graph graph;
    sal_arena arena;
    sal_graph_init(&graph, NULL);
    sal_arena_init(&arena, NULL);
    const sal_kernel   kernel = sharing_outputs(&graph, &arena);
    const sal_program *p = kernel.part->program;
    for (int r = 0; r < p->runs; r++) {
        const int op = p->run[r].op;
        EXPECT(op != SAL_OP_SIN && op != SAL_OP_SQRT && op != SAL_OP_DIV);
    }
    sal_arena_free(&arena);
    sal_graph_free(&graph);
}

TEST_MAIN(RUN(every_subset_has_the_digits_of_the_whole), RUN(a_subset_has_no_instruction_too_many),
          RUN(what_another_program_has_computed_is_read))
