/* From graph to straight-line program: fuse multiply-adds, number the slots, sort into runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/program.h"

/* ---- fusing --------------------------------------------------------------------------------- */

/* A product that only this sum uses: rounding it separately serves nobody. */
static bool is_private_product(const sal_graph *graph, const int *uses, sal_node node)
{
    return graph->nodes.data[node].op == SAL_OP_MUL && uses[node] == 1;
}

static sal_node fuse_node(sal_graph *graph, const int *uses, const sal_node *image,
                          const sal_node_data *data)
{
    const sal_node a = data->arg[0], b = data->arg[1];
    for (int side = 0; side < 2; side++) {
        const sal_node product = side == 0 ? a : b, other = side == 0 ? b : a;
        if (!is_private_product(graph, uses, product)) continue;
        const sal_node x = image[graph->nodes.data[product].arg[0]];
        const sal_node y = image[graph->nodes.data[product].arg[1]];
        const int op = data->op == SAL_OP_ADD ? SAL_OP_FMA : side == 0 ? SAL_OP_FMS : SAL_OP_FNMA;
        return sal_apply(graph, op, x, y, image[other]);
    }
    return 0;
}

/* image[node] for every node the roots rest on. */
static void fuse(sal_graph *graph, int nodes, const unsigned char *mark, const int *uses,
                 sal_node *image)
{
    for (sal_node node = 1; node < nodes; node++) {
        if (!mark[node]) continue;
        const sal_node_data data = graph->nodes.data[node];
        const int           n = sal_op_arguments(data.op);
        sal_node            fused = 0;
        if (data.op == SAL_OP_ADD || data.op == SAL_OP_SUB)
            fused = fuse_node(graph, uses, image, &data);
        if (!fused && n > 0)
            fused = sal_apply(graph, data.op, image[data.arg[0]], n > 1 ? image[data.arg[1]] : 0,
                              n > 2 ? image[data.arg[2]] : 0);
        image[node] = n > 0 ? fused : node;
    }
}

static void count_uses(const sal_graph *graph, int nodes, const unsigned char *mark,
                       const sal_node *roots, int count, int *uses)
{
    for (sal_node node = 1; node < nodes; node++)
        if (mark[node])
            for (int i = 0; i < sal_op_arguments(graph->nodes.data[node].op); i++)
                uses[graph->nodes.data[node].arg[i]]++;
    for (int i = 0; i < count; i++) uses[roots[i]]++;
}

/* The roots with fused multiply-adds, in `fused`; false when out of memory. */
static bool fuse_roots(sal_arena *scratch, sal_graph *graph, const sal_node *roots, int count,
                       sal_node *fused)
{
    const int      nodes = graph->nodes.count;
    unsigned char *mark = ARENA_NEW(scratch, nodes, unsigned char);
    int           *uses = ARENA_NEW(scratch, nodes, int);
    sal_node      *image = ARENA_NEW(scratch, nodes, sal_node);
    if (scratch->failed) return false;
    sal_reach(graph, roots, count, mark);
    count_uses(graph, nodes, mark, roots, count, uses);
    fuse(graph, nodes, mark, uses, image);
    for (int i = 0; i < count; i++) fused[i] = image[roots[i]];
    return !graph->failed;
}

/* ---- ordering ------------------------------------------------------------------------------- */

/* Work lists of instructions whose arguments are known, one per operation; first in, first out. */
typedef struct scheduler {
    const sal_graph *graph;
    int              head[SAL_OP_COUNT], tail[SAL_OP_COUNT], ready[SAL_OP_COUNT];
    int             *next;                               /* of a node in its list */
    int             *waiting;                            /* arguments not yet computed */
    int             *user_first, *user_next, *user_node; /* who waits for a node */
} scheduler;

static void make_ready(scheduler *s, sal_node node)
{
    const int op = s->graph->nodes.data[node].op;
    s->next[node] = 0;
    if (s->head[op]) s->next[s->tail[op]] = node;
    else s->head[op] = node;
    s->tail[op] = node;
    s->ready[op]++;
}

static void computed(scheduler *s, sal_node node)
{
    for (int u = s->user_first[node]; u; u = s->user_next[u])
        if (--s->waiting[s->user_node[u]] == 0) make_ready(s, s->user_node[u]);
}

static int fullest(const scheduler *s)
{
    int best = 0;
    for (int op = 0; op < SAL_OP_COUNT; op++)
        if (s->ready[op] > (best ? s->ready[best] : 0)) best = op;
    return best;
}

/* Emits all instructions in runs: always the operation with most instructions ready. */
static void schedule(scheduler *s, sal_program *program, int *slot, int next_slot)
{
    for (int op = fullest(s); op; op = fullest(s)) {
        sal_program_run *run = &program->run[program->runs++];
        *run = (sal_program_run){op, program->instructions, 0};
        while (s->head[op]) {
            const sal_node       node = s->head[op];
            const sal_node_data *data = &s->graph->nodes.data[node];
            s->head[op] = s->next[node];
            s->ready[op]--;
            slot[node] = next_slot++;
            program->instruction[program->instructions++] = (sal_instruction){
                slot[node], slot[data->arg[0]], slot[data->arg[1]], slot[data->arg[2]]};
            run->count++;
            computed(s, node);
        }
    }
    program->slots = next_slot;
}

static bool prepare(scheduler *s, sal_arena *scratch, int nodes, const unsigned char *mark)
{
    s->next = ARENA_NEW(scratch, nodes, int);
    s->waiting = ARENA_NEW(scratch, nodes, int);
    s->user_first = ARENA_NEW(scratch, nodes, int);
    s->user_next = ARENA_NEW(scratch, 3 * nodes + 1, int);
    s->user_node = ARENA_NEW(scratch, 3 * nodes + 1, int);
    if (scratch->failed) return false;
    int users = 0;
    for (sal_node node = nodes - 1; node > 0; node--) {
        const sal_node_data *data = &s->graph->nodes.data[node];
        if (!mark[node]) continue;
        for (int i = 0; i < sal_op_arguments(data->op); i++) {
            if (sal_op_arguments(s->graph->nodes.data[data->arg[i]].op) == 0) continue;
            users++;
            s->user_node[users] = node;
            s->user_next[users] = s->user_first[data->arg[i]];
            s->user_first[data->arg[i]] = users;
            s->waiting[node]++;
        }
    }
    for (sal_node node = 1; node < nodes; node++)
        if (mark[node] && sal_op_arguments(s->graph->nodes.data[node].op) > 0 && !s->waiting[node])
            make_ready(s, node);
    return true;
}

static void count_kinds(const sal_graph *graph, const unsigned char *mark, int *inputs,
                        int *constants, int *instructions)
{
    *inputs = *constants = *instructions = 0;
    for (sal_node node = 1; node < graph->nodes.count; node++) {
        if (!mark[node]) continue;
        const int op = graph->nodes.data[node].op;
        (*(op == SAL_OP_LEAF ? inputs : op == SAL_OP_CONST ? constants : instructions))++;
    }
}

static sal_program *lower(sal_arena *arena, sal_arena *scratch, sal_graph *graph,
                          const sal_node *roots, int count)
{
    sal_node *fused = ARENA_NEW(scratch, count, sal_node);
    if (scratch->failed || !fuse_roots(scratch, graph, roots, count, fused)) return NULL;
    const int      nodes = graph->nodes.count;
    unsigned char *mark = ARENA_NEW(scratch, nodes, unsigned char);
    int           *slot = ARENA_NEW(scratch, nodes, int);
    scheduler      s = {.graph = graph};
    if (scratch->failed) return NULL;
    sal_reach(graph, fused, count, mark);
    if (!prepare(&s, scratch, nodes, mark)) return NULL;

    int          inputs, constants, instructions;
    sal_program *program = ARENA_NEW(arena, 1, sal_program);
    count_kinds(graph, mark, &inputs, &constants, &instructions);
    sal_program_input *input = ARENA_NEW(arena, inputs, sal_program_input);
    double            *constant = ARENA_NEW(arena, constants, double);
    sal_program_run   *run = ARENA_NEW(scratch, instructions, sal_program_run);
    sal_instruction   *instruction = ARENA_NEW(arena, instructions, sal_instruction);
    int               *output = ARENA_NEW(arena, count, int);
    if (arena->failed || scratch->failed) return NULL;
    *program = (sal_program){.input = input,
                             .constant = constant,
                             .run = run,
                             .instruction = instruction,
                             .output = output,
                             .outputs = count};
    for (sal_node node = 1; node < nodes; node++) {
        const sal_node_data *data = &graph->nodes.data[node];
        if (!mark[node]) continue;
        if (data->op == SAL_OP_LEAF) {
            slot[node] = program->inputs;
            input[program->inputs++] = (sal_program_input){data->arg[0], data->arg[1]};
        } else if (data->op == SAL_OP_CONST) {
            slot[node] = inputs + program->constants;
            constant[program->constants++] = data->value;
        }
    }
    schedule(&s, program, slot, inputs + constants);
    for (int i = 0; i < count; i++) output[i] = slot[fused[i]];
    program->run = ARENA_NEW(arena, program->runs, sal_program_run);
    if (!program->run) return NULL;
    memcpy(program->run, run, (size_t)program->runs * sizeof *run);
    return program;
}

sal_program *sal_lower(sal_arena *arena, sal_graph *graph, const sal_node *roots, int count)
{
    sal_arena scratch;
    sal_arena_init(&scratch, &arena->allocator);
    sal_program *program = graph->failed ? NULL : lower(arena, &scratch, graph, roots, count);
    if (!program) arena->failed = true;
    sal_arena_free(&scratch);
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
