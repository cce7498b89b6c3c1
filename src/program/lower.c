/* From graph to straight-line program: fuse multiply-adds, number the slots, sort into runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"

/* ---- listing nodes -------------------------------------------------------------------------- */

/* The nodes that some roots depend on, in ascending order and numbered from 1: node[1] ...
 * node[count]. The number of a node is its image in the graph's walk, until the next walk. */
typedef struct listing {
    const sal_graph *graph;
    int              count;
    sal_node        *node;
} listing;

static int compare_nodes(const void *a, const void *b)
{
    const sal_node x = *(const sal_node *)a, y = *(const sal_node *)b;
    return (x > y) - (x < y);
}

static bool list_nodes(listing *list, sal_arena *scratch, sal_graph *graph, const sal_node *roots,
                       int count)
{
    if (!sal_graph_walk(graph, roots, count)) return false;
    *list = (listing){graph, graph->walk.list.count, NULL};
    list->node = ARENA_NEW(scratch, list->count + 1, sal_node);
    if (scratch->failed) return false;
    memcpy(list->node + 1, graph->walk.list.data, (size_t)list->count * sizeof *list->node);
    qsort(list->node + 1, (size_t)list->count, sizeof *list->node, compare_nodes);
    for (int i = 1; i <= list->count; i++) graph->walk.image[list->node[i]] = i;
    return true;
}

static const sal_node_data *data_of(const listing *list, int i)
{
    return &list->graph->nodes.data[list->node[i]];
}

/* The number of an argument of a node; 0 if there is no such argument. */
static int argument(const listing *list, int i, int which)
{
    const sal_node_data *data = data_of(list, i);
    return which < sal_op_arguments(data->op) ? list->graph->walk.image[data->arg[which]] : 0;
}

/* ---- fusing --------------------------------------------------------------------------------- */

/* The listed nodes, while products are fused into sums; arrays are indexed by node. */
typedef struct fusing {
    sal_graph     *graph;
    const listing *list;
    int           *uses;   /* number of uses */
    unsigned char *needed; /* by product: 1 if its own value is needed, not only sums with it */
    sal_node      *image;  /* the node that replaces it */
    int           *known;  /* estimated time at which its value is available, in ticks */
} fusing;

static bool is_sum(int op) { return op == SAL_OP_ADD || op == SAL_OP_SUB; }

/* Whether a node is a product that only sums use, so that it can be fused into all of them. */
static bool is_private_product(const fusing *f, int i)
{
    return data_of(f->list, i)->op == SAL_OP_MUL && !f->needed[i];
}

/* The approximate latency of an operation in clock cycles. */
static int latency(int op) { return op == SAL_OP_DIV ? 13 : op == SAL_OP_SQRT ? 20 : 4; }

/* The time at which both factors of a product are available. */
static int factors_known(const fusing *f, int i)
{
    const int a = f->known[argument(f->list, i, 0)], b = f->known[argument(f->list, i, 1)];
    return a > b ? a : b;
}

/* Returns which argument of a sum is fused into it, or -1. Of two products, the one with fewer uses
 * is fused; if they have equally many, the one whose factors are available later. The other product
 * is computed. */
static int fused_side(const fusing *f, int i)
{
    const int  a = argument(f->list, i, 0), b = argument(f->list, i, 1);
    const bool first = is_private_product(f, a), second = is_private_product(f, b);
    if (a == b || (!first && !second)) return -1;
    if (!first || !second) return first ? 0 : 1;
    if (f->uses[a] != f->uses[b]) return f->uses[a] < f->uses[b] ? 0 : 1;
    return factors_known(f, a) >= factors_known(f, b) ? 0 : 1;
}

/* Estimates when a node is available. A fused product takes no time of its own. */
static void note_known(fusing *f, int i)
{
    const int op = data_of(f->list, i)->op, side = is_sum(op) ? fused_side(f, i) : -1;
    int       last = 0;
    for (int k = 0; k < sal_op_arguments(op); k++) {
        const int argument_k = argument(f->list, i, k);
        const int known = k == side ? factors_known(f, argument_k) : f->known[argument_k];
        if (known > last) last = known;
    }
    f->known[i] = sal_op_arguments(op) > 0 ? last + latency(op) : 0;
}

/* Returns the i-th node, a sum, with a product fused into it; null if there is none. negated:
 * returns the negative of a difference instead. */
static sal_node fuse_sum(fusing *f, int i, bool negated)
{
    const int op = data_of(f->list, i)->op, side = fused_side(f, i);
    if (side < 0 && negated)
        return sal_raw(f->graph, SAL_OP_SUB, f->image[argument(f->list, i, 1)],
                       f->image[argument(f->list, i, 0)], 0);
    if (side < 0) return 0;
    const int      product = argument(f->list, i, side), other = argument(f->list, i, 1 - side);
    const sal_node x = f->image[argument(f->list, product, 0)];
    const sal_node y = f->image[argument(f->list, product, 1)];
    const bool     minus = (side == 1) != negated; /* in a difference: c - x y */
    const int      fused = op == SAL_OP_ADD ? SAL_OP_FMA : minus ? SAL_OP_FNMA : SAL_OP_FMS;
    if (is_private_product(f, other)) f->needed[other] = 1;
    return sal_raw(f->graph, fused, x, y, f->image[other]);
}

static sal_node fuse_node(fusing *f, int i)
{
    const int op = data_of(f->list, i)->op, a = argument(f->list, i, 0);
    if (is_sum(op)) return fuse_sum(f, i, false);
    if (op == SAL_OP_NEG && data_of(f->list, a)->op == SAL_OP_SUB && f->uses[a] == 1)
        return fuse_sum(f, a, true);
    return 0;
}

/* Computes the image of every listed node, without any other simplification. */
static void fuse(fusing *f)
{
    const listing  *list = f->list;
    const sal_node *image = f->image;
    for (int i = 1; i <= list->count; i++) {
        const int op = data_of(list, i)->op;
        note_known(f, i);
        sal_node fused = fuse_node(f, i);
        if (!fused && sal_op_arguments(op) > 0)
            fused = sal_raw(f->graph, op, image[argument(list, i, 0)], image[argument(list, i, 1)],
                            image[argument(list, i, 2)]);
        f->image[i] = sal_op_arguments(op) > 0 ? fused : list->node[i];
    }
}

static void count_uses(fusing *f, const sal_node *roots, int count)
{
    const listing *list = f->list;
    for (int i = 1; i <= list->count; i++)
        for (int k = 0; k < sal_op_arguments(data_of(list, i)->op); k++) {
            f->uses[argument(list, i, k)]++;
            if (!is_sum(data_of(list, i)->op)) f->needed[argument(list, i, k)] = 1;
        }
    for (int i = 0; i < count; i++) {
        f->uses[list->graph->walk.image[roots[i]]]++;
        f->needed[list->graph->walk.image[roots[i]]] = 1;
    }
}

/* Writes the roots with fused multiply-adds to `fused`; false when out of memory. */
static bool fuse_roots(sal_arena *scratch, sal_graph *graph, const sal_node *roots, int count,
                       sal_node *fused)
{
    listing list;
    if (!list_nodes(&list, scratch, graph, roots, count)) return false;
    fusing f = {graph,
                &list,
                ARENA_NEW(scratch, list.count + 1, int),
                ARENA_NEW(scratch, list.count + 1, unsigned char),
                ARENA_NEW(scratch, list.count + 1, sal_node),
                ARENA_NEW(scratch, list.count + 1, int)};
    if (scratch->failed) return false;
    count_uses(&f, roots, count);
    fuse(&f);
    for (int i = 0; i < count; i++) fused[i] = f.image[graph->walk.image[roots[i]]];
    return !graph->failed;
}

/* ---- ordering ------------------------------------------------------------------------------- */

/* Queues of nodes whose arguments are computed, one queue per operation. Nodes are identified by
 * their number in the listing. */
typedef struct scheduler {
    const listing *list;
    int            head[SAL_OP_COUNT], tail[SAL_OP_COUNT], ready[SAL_OP_COUNT];
    int           *next;                               /* by node: the next one in its queue */
    int           *waiting;                            /* by node: arguments not yet computed */
    int           *user_first, *user_next, *user_node; /* by node: list of the nodes that use it */
} scheduler;

static void make_ready(scheduler *s, int i)
{
    const int op = data_of(s->list, i)->op;
    s->next[i] = 0;
    if (s->head[op]) s->next[s->tail[op]] = i;
    else s->head[op] = i;
    s->tail[op] = i;
    s->ready[op]++;
}

static void computed(scheduler *s, int i)
{
    for (int u = s->user_first[i]; u; u = s->user_next[u])
        if (--s->waiting[s->user_node[u]] == 0) make_ready(s, s->user_node[u]);
}

static int fullest(const scheduler *s)
{
    int best = 0;
    for (int op = 0; op < SAL_OP_COUNT; op++)
        if (s->ready[op] > (best ? s->ready[best] : 0)) best = op;
    return best;
}

/* Emits all instructions in runs. Each run is of the operation with the most instructions ready. */
static void schedule(scheduler *s, sal_program *program, sal_program_run *runs,
                     sal_instruction *instructions, int *slot, int next_slot)
{
    for (int op = fullest(s); op; op = fullest(s)) {
        sal_program_run *run = &runs[program->runs++];
        *run = (sal_program_run){op, program->instructions, 0};
        while (s->head[op]) {
            const int i = s->head[op];
            s->head[op] = s->next[i];
            s->ready[op]--;
            slot[i] = next_slot++;
            instructions[program->instructions++] =
                (sal_instruction){slot[i], slot[argument(s->list, i, 0)],
                                  slot[argument(s->list, i, 1)], slot[argument(s->list, i, 2)]};
            run->count++;
            computed(s, i);
        }
    }
    program->slots = next_slot;
}

static bool prepare(scheduler *s, sal_arena *scratch)
{
    const listing *list = s->list;
    const int      count = list->count + 1;
    s->next = ARENA_NEW(scratch, count, int);
    s->waiting = ARENA_NEW(scratch, count, int);
    s->user_first = ARENA_NEW(scratch, count, int);
    s->user_next = ARENA_NEW(scratch, 3 * count, int);
    s->user_node = ARENA_NEW(scratch, 3 * count, int);
    if (scratch->failed) return false;
    int users = 0;
    for (int i = list->count; i > 0; i--)
        for (int k = 0; k < sal_op_arguments(data_of(list, i)->op); k++) {
            const int a = argument(list, i, k);
            if (sal_op_arguments(data_of(list, a)->op) == 0) continue;
            users++;
            s->user_node[users] = i;
            s->user_next[users] = s->user_first[a];
            s->user_first[a] = users;
            s->waiting[i]++;
        }
    for (int i = 1; i <= list->count; i++)
        if (sal_op_arguments(data_of(list, i)->op) > 0 && !s->waiting[i]) make_ready(s, i);
    return true;
}

/* A leaf to be sorted: inputs are in the order of kinds and indices, which is mostly that of
 * memory. */
typedef struct numbered_leaf {
    sal_program_input input;
    int               number; /* its number in the listing */
} numbered_leaf;

static int compare_leaves(const void *a, const void *b)
{
    const sal_program_input x = ((const numbered_leaf *)a)->input;
    const sal_program_input y = ((const numbered_leaf *)b)->input;
    if (x.kind != y.kind) return x.kind < y.kind ? -1 : 1;
    return (x.index > y.index) - (x.index < y.index);
}

static void count_kinds(const listing *list, int *inputs, int *constants, int *instructions)
{
    *inputs = *constants = *instructions = 0;
    for (int i = 1; i <= list->count; i++) {
        const int op = data_of(list, i)->op;
        (*(op == SAL_OP_LEAF ? inputs : op == SAL_OP_CONST ? constants : instructions))++;
    }
}

static sal_program *lower(sal_arena *arena, sal_arena *scratch, sal_graph *graph,
                          const sal_node *roots, int count)
{
    sal_node *fused = ARENA_NEW(scratch, count, sal_node);
    listing   list;
    scheduler s = {.list = &list};
    if (scratch->failed || !fuse_roots(scratch, graph, roots, count, fused) ||
        !list_nodes(&list, scratch, graph, fused, count) || !prepare(&s, scratch))
        return NULL;

    int          inputs, constants, instructions;
    sal_program *program = ARENA_NEW(arena, 1, sal_program);
    count_kinds(&list, &inputs, &constants, &instructions);
    sal_program_input *input = ARENA_NEW(arena, inputs, sal_program_input);
    double            *constant = ARENA_NEW(arena, constants, double);
    sal_program_run   *run = ARENA_NEW(scratch, instructions, sal_program_run);
    sal_instruction   *instruction = ARENA_NEW(arena, instructions, sal_instruction);
    int               *output = ARENA_NEW(arena, count, int);
    int               *slot = ARENA_NEW(scratch, list.count + 1, int);
    numbered_leaf     *leaf = ARENA_NEW(scratch, inputs, numbered_leaf);
    if (arena->failed || scratch->failed) return NULL;
    *program = (sal_program){.input = input,
                             .constant = constant,
                             .instruction = instruction,
                             .output = output,
                             .outputs = count};
    for (int i = 1; i <= list.count; i++) {
        const sal_node_data *data = data_of(&list, i);
        if (data->op == SAL_OP_LEAF) {
            leaf[program->inputs++] = (numbered_leaf){{data->arg[0], data->arg[1]}, i};
        } else if (data->op == SAL_OP_CONST) {
            slot[i] = inputs + program->constants;
            constant[program->constants++] = data->value;
        }
    }
    qsort(leaf, (size_t)inputs, sizeof *leaf, compare_leaves);
    for (int k = 0; k < inputs; k++) {
        slot[leaf[k].number] = k;
        input[k] = leaf[k].input;
    }
    schedule(&s, program, run, instruction, slot, inputs + constants);
    for (int i = 0; i < count; i++) output[i] = slot[graph->walk.image[fused[i]]];
    program->run = ARENA_NEW(arena, program->runs, sal_program_run);
    if (!program->run) return NULL;
    memcpy(program->run, run, (size_t)program->runs * sizeof *run);
    return program;
}

sal_program *sal_lower(sal_arena *arena, sal_graph *graph, const sal_node *roots, int count)
{
    WORK_ARENA(scratch, &arena->allocator);
    sal_program *program = graph->failed ? NULL : lower(arena, &scratch, graph, roots, count);
    if (!program) arena->failed = true;
    return program;
}

static void print_instruction(int op, const sal_instruction *x, char *line, size_t size)
{
    switch (op) {
    case SAL_OP_NEG: snprintf(line, size, "    s%d = -s%d\n", x->result, x->a); return;
    case SAL_OP_ADD:
    case SAL_OP_SUB:
    case SAL_OP_MUL:
    case SAL_OP_DIV:
        snprintf(line, size, "    s%d = s%d %s s%d\n", x->result, x->a, sal_op_text(op), x->b);
        return;
    default: break;
    }
    const int n = sal_op_arguments(op);
    int       used = snprintf(line, size, "    s%d = %s(s%d", x->result, sal_op_text(op), x->a);
    if (n > 1) used += snprintf(line + used, size - (size_t)used, ", s%d", x->b);
    if (n > 2) used += snprintf(line + used, size - (size_t)used, ", s%d", x->c);
    snprintf(line + used, size - (size_t)used, ")\n");
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

void sal_program_print(const sal_program *program, void (*write)(void *, const char *),
                       void              *context)
{
    char line[128];
    snprintf(line, sizeof line, "  %d input%s, %d constant%s, %d instruction%s in %d run%s\n",
             program->inputs, plural(program->inputs), program->constants,
             plural(program->constants), program->instructions, plural(program->instructions),
             program->runs, plural(program->runs));
    write(context, line);
    for (int r = 0; r < program->runs; r++) {
        const sal_program_run *run = &program->run[r];
        snprintf(line, sizeof line, "  %s x %d\n", sal_op_text(run->op), run->count);
        write(context, line);
        for (int i = 0; i < run->count; i++) {
            print_instruction(run->op, &program->instruction[run->first + i], line, sizeof line);
            write(context, line);
        }
    }
}
