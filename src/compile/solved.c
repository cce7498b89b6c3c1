/* Kernels with the solve written in: see solved.h. */
#include "compile/solved.h"

#include <string.h>

#include "compile/constants.h"
#include "compile/equations.h"
#include "compile/kernel_table.h"
#include "compile/virtual_power.h"
#include "expr/derive.h"

typedef struct solved_builder {
    saltus_system    *system;
    sal_regime       *regime;
    sal_graph        *graph;
    sal_arena         scratch;
    sal_virtual_power s;
    sal_derivatives   d;         /* of the kernel that is being made */
    int               n, nmu, m; /* coordinates, constraints, those that are active */
    int              *place;     /* of a constraint among the active ones, or -1 */
    sal_solve         solve;
    sal_constants     hoist;
    sal_node         *x;       /* n + nmu: unknowns as functions of the state */
    sal_node         *outputs; /* of the forward kernel */
    sal_node         *g;       /* integrands, as the model has them */
} solved_builder;

static sal_node *nodes(solved_builder *b, int count)
{
    return ARENA_NEW(&b->scratch, count, sal_node);
}

static sal_node negative(sal_graph *graph, sal_node node)
{
    return node ? sal_neg(graph, node) : 0;
}

/* ---- matrix and right-hand side ------------------------------------------------------------- */

/* Between all unknowns (constraints by number) and the active ones. */
static void pack(const solved_builder *b, const sal_node *all, sal_node *active)
{
    memcpy(active, all, (size_t)b->n * sizeof *all);
    for (int j = 0; j < b->nmu; j++)
        if (b->place[j] >= 0) active[b->n + b->place[j]] = all[b->n + j];
}

static void unpack(const solved_builder *b, const sal_node *active, sal_node *all)
{
    memcpy(all, active, (size_t)b->n * sizeof *all);
    for (int j = 0; j < b->nmu; j++)
        all[b->n + j] = b->place[j] >= 0 ? active[b->n + b->place[j]] : 0;
}

static bool solve_for(solved_builder *b, const sal_node *rhs, sal_node *x)
{
    sal_node *packed = nodes(b, b->n + b->m), *answer = nodes(b, b->n + b->m);
    if (b->scratch.failed) return false;
    pack(b, rhs, packed);
    sal_constants_take(&b->hoist, packed, b->n + b->m);
    sal_solve_write(&b->solve, packed, answer, &b->scratch);
    unpack(b, answer, x);
    return !b->scratch.failed;
}

/* What the script has is built again, in the forms of derived expressions. */
static void sum_terms(solved_builder *b, unsigned which)
{
    const saltus_model *model = b->system->model;
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term *term = &model->terms.data[i];
        sal_node        e[2] = {term->e[0], term->e[1]};
        if (!sal_modes_active(model, &term->modes, b->regime->active)) continue;
        sal_substitute(b->graph, e, 2, NULL, NULL, e);
        sal_virtual_power_add(b->graph, term->kind, e, term->constraint, which, &b->s);
    }
}

/* The place of a weight among the active unknowns. */
static int active_place(const solved_builder *b, int kind, int index)
{
    return kind == SAL_LEAF_WEIGHT ? index : b->n + b->place[index];
}

/* K, lower triangle over the active unknowns. */
static sal_node *matrix(solved_builder *b)
{
    const int size = b->n + b->m;
    sal_node *K = nodes(b, size * size);
    if (!K) return NULL;
    b->d.list.count = 0;
    sal_equations_matrix(&b->d, b->graph, b->s.HX);
    for (int e = 0; e < b->d.list.count; e++) {
        const sal_target *entry = &b->d.list.data[e];
        const int         i = active_place(b, entry->kind, entry->index);
        K[i * size + active_place(b, entry->row_kind, entry->row)] = entry->node;
    }
    sal_constants_take(&b->hoist, K, size * size);
    return K;
}

/* The solution of K x = -E, with E by weights as it was derived last. */
static bool solve_derived(solved_builder *b, sal_node *x)
{
    sal_node *rhs = nodes(b, b->n + b->nmu);
    if (!rhs) return false;
    sal_derivatives_negate(&b->d, b->graph, 0);
    for (int i = 0; i < b->d.list.count; i++) {
        const sal_target *entry = &b->d.list.data[i];
        rhs[sal_weight_place(b->n, NULL, entry->kind, entry->index, 0)] = entry->node;
    }
    return solve_for(b, rhs, x);
}

/* The unknowns as functions of the state: K x = -E at x = 0. */
static bool unknowns(solved_builder *b)
{
    b->x = nodes(b, b->n + b->nmu);
    if (!b->x) return false;
    b->d.list.count = 0;
    sal_equations_residual(&b->d, b->graph, b->s.H0);
    return solve_derived(b, b->x);
}

/* ---- forward -------------------------------------------------------------------------------- */

static sal_node unknown_of(void *context, sal_graph *graph, sal_node node)
{
    const solved_builder *b = context;
    int                   kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index)) return 0;
    sal_node x = 0;
    if (kind == SAL_LEAF_A) x = b->x[index];
    else if (kind == SAL_LEAF_MU) x = b->x[b->n + index];
    else return 0;
    return x ? x : sal_const(graph, 0.0);
}

/* What is stored must be there, even if it is zero. */
static sal_node stored(sal_graph *graph, sal_node node)
{
    return node ? node : sal_const(graph, 0.0);
}

/* The roots as a program, NULL if there are none or out of memory. */
static const sal_program *program_of(solved_builder *b, const sal_node *roots, int count)
{
    sal_node *there = nodes(b, count);
    int       n = 0;
    for (int i = 0; i < count && there; i++)
        if (roots[i]) there[n++] = roots[i];
    return n > 0 ? sal_lower(&b->scratch, b->graph, there, n) : NULL;
}

static int operations(solved_builder *b, const sal_node *roots, int count)
{
    const sal_program *program = program_of(b, roots, count);
    return program ? program->instructions : 0;
}

static bool add_targets(solved_builder *b, sal_kernel *kernel, sal_target *targets, int count)
{
    sal_node *roots = nodes(b, count);
    if (!roots) return false;
    for (int i = 0; i < count; i++) roots[i] = targets[i].node;
    sal_constants_take(&b->hoist, roots, count);
    if (b->graph->failed) return false;
    for (int i = 0; i < count; i++) targets[i].node = roots[i];
    return sal_kernel_add(kernel, &b->regime->arena, b->graph, targets, count, &b->system->layout,
                          NULL, NULL);
}

static bool add_vector(solved_builder *b, sal_kernel *kernel, const sal_node *outputs, int count)
{
    sal_target *targets = ARENA_NEW(&b->scratch, count, sal_target);
    if (!targets) return false;
    for (int i = 0; i < count; i++) targets[i] = SAL_OUTPUT(stored(b->graph, outputs[i]), i);
    return add_targets(b, kernel, targets, count);
}

static int forward_count(const solved_builder *b)
{
    return b->n + b->nmu + b->system->nc + 1 + b->solve.pivots + b->solve.positives;
}

/* Unknowns, integrands, and what says whether they are to be trusted; NULL: out of memory. */
static sal_node *forward_outputs(solved_builder *b)
{
    const int nx = b->n + b->nmu, nc = b->system->nc;
    sal_node *outputs = nodes(b, forward_count(b));
    if (!outputs) return NULL;
    memcpy(outputs, b->x, (size_t)nx * sizeof *outputs);
    sal_substitute(b->graph, b->g, nc, unknown_of, b, outputs + nx);
    outputs[nx + nc] = b->solve.monitor;
    sal_node *pivot = outputs + nx + nc + 1, *positive = pivot + b->solve.pivots;
    for (int i = 0; i < b->solve.pivots; i++) pivot[i] = b->solve.pivot[i];
    for (int i = 0; i < b->solve.positives; i++) positive[i] = b->solve.positive[i];
    sal_constants_take(&b->hoist, outputs, forward_count(b));
    return outputs;
}

static bool add_forward(solved_builder *b, sal_solved *solved)
{
    solved->pivots = b->solve.pivots;
    solved->positives = b->solve.positives;
    solved->row = b->system->layout.at[SAL_LEAF_A] + forward_count(b);
    return add_vector(b, &solved->forward, b->outputs, forward_count(b));
}

/* ---- tangent -------------------------------------------------------------------------------- */

typedef struct unknowns_tangent {
    int             n;
    const sal_node *dx;
} unknowns_tangent;

static sal_node seed(void *context, sal_graph *graph, int kind, int index)
{
    const unknowns_tangent *t = context;
    if (kind == SAL_LEAF_A) return t->dx[index];
    if (kind == SAL_LEAF_MU) return t->dx[t->n + index];
    return sal_seed_tangent(NULL, graph, kind, index);
}

/* K dx = -E_u du, dg = g_u du + g_x dx. */
static bool add_tangent(solved_builder *b, sal_solved *solved)
{
    const int        nx = b->n + b->nmu, nc = b->system->nc;
    sal_node        *outputs = nodes(b, nx + nc);
    unknowns_tangent moving = {b->n, outputs};
    if (!outputs) return false;
    b->d.list.count = 0;
    sal_equations_tangent(&b->d, b->graph, sal_sum(b->graph, b->s.H0, b->s.HX));
    if (!solve_derived(b, outputs)) return false;
    sal_derive_along(b->graph, b->g, nc, seed, &moving, outputs + nx);
    sal_constants_take(&b->hoist, outputs, nx + nc);
    return add_vector(b, &solved->tangent, outputs, nx + nc);
}

static bool add_stage_tangent(solved_builder *b, sal_solved *solved)
{
    const int      nx = b->n + b->nmu, count = nx + b->system->nc;
    unsigned char *wanted = ARENA_NEW(&b->scratch, count, unsigned char);
    if (!wanted) return false;
    for (int i = 0; i < count; i++) wanted[i] = i < b->n || i >= nx;
    return sal_kernel_subset(&solved->stage_tangent, &solved->tangent, wanted, &b->regime->arena);
}

/* ---- adjoint -------------------------------------------------------------------------------- */

typedef struct weight_context {
    const solved_builder *b;
    const sal_node       *minus_y;
} weight_context;

static sal_node weight_of(void *context, sal_graph *graph, sal_node node)
{
    const weight_context *w = context;
    int                   kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index)) return 0;
    sal_node y = 0;
    if (kind == SAL_LEAF_WEIGHT) y = w->minus_y[index];
    else if (kind == SAL_LEAF_WEIGHT_MU) y = w->minus_y[w->b->n + index];
    else return 0;
    return y ? y : sal_const(graph, 0.0);
}

/* K y = x_bar + g_x^T g_bar; of u_bar, what the integrands contribute to it directly is written.
 * stage: the multipliers have no weights. */
static bool solve_adjoint(solved_builder *b, bool stage, sal_node *y, sal_node *u_bar)
{
    const int *at = b->system->layout.at;
    const int  nx = b->n + b->nmu, nc = b->system->nc;
    sal_node  *weights = nodes(b, nc), *rhs = nodes(b, nx);
    if (b->scratch.failed) return false;
    for (int i = 0; i < nc; i++) weights[i] = sal_leaf(b->graph, SAL_LEAF_BAR, nx + i);
    b->d.list.count = 0;
    sal_derivatives_add(&b->d, b->graph, b->g, weights, nc, SAL_KINDS_MOTION);
    for (int i = 0; i < b->d.list.count; i++) {
        const sal_target *g = &b->d.list.data[i];
        if (g->kind == SAL_LEAF_A) rhs[g->index] = g->node;
        else if (g->kind == SAL_LEAF_MU) rhs[b->n + g->index] = g->node;
        else u_bar[at[g->kind] + g->index] = g->node;
    }
    for (int i = 0; i < (stage ? b->n : nx); i++)
        rhs[i] = sal_sum(b->graph, rhs[i], sal_leaf(b->graph, SAL_LEAF_BAR, i));
    return solve_for(b, rhs, y);
}

/* -E_u^T y, in the layout of u: the weights of E_u^T y become -y. */
static void through_motion(solved_builder *b, const sal_node *minus_y, sal_node *u_bar)
{
    const sal_layout *layout = &b->system->layout;
    weight_context    context = {b, minus_y};
    b->d.list.count = 0;
    sal_equations_adjoint(&b->d, b->graph, sal_sum(b->graph, b->s.H0, b->s.HX));
    for (int i = 0; i < b->d.list.count; i++) {
        const sal_target *entry = &b->d.list.data[i];
        u_bar[layout->at[entry->kind] + entry->index] = entry->node;
    }
    sal_substitute(b->graph, u_bar, layout->size, weight_of, &context, u_bar);
}

/* Appends the outputs for all leaves of a kind; what is stored must be there, even if it is zero.
 */
static void add_outputs(solved_builder *b, int kind, const sal_node *node, int count, bool store)
{
    for (int i = 0; i < count; i++) {
        const sal_target output = {.node = store ? stored(b->graph, node[i]) : node[i],
                                   .kind = kind,
                                   .index = i,
                                   .row = -1};
        if (!ARRAY_PUSH(b->d.allocator, &b->d.list, output)) b->d.failed = true;
    }
}

/* u_bar = g_u^T g_bar - E_u^T y, and -y unless it is for a stage, which has no use for it. */
static bool add_adjoint_of(solved_builder *b, sal_kernel *kernel, bool stage)
{
    const saltus_system *system = b->system;
    const sal_layout    *layout = &system->layout;
    const int            nx = b->n + b->nmu, *at = layout->at;
    sal_node            *y = nodes(b, nx), *u_bar = nodes(b, layout->size);
    sal_node            *through = nodes(b, layout->size);
    if (b->scratch.failed || !solve_adjoint(b, stage, y, u_bar)) return false;
    for (int i = 0; i < nx; i++) y[i] = negative(b->graph, y[i]);
    through_motion(b, y, through);
    for (int i = 0; i < layout->size; i++) u_bar[i] = sal_sum(b->graph, u_bar[i], through[i]);
    b->d.list.count = 0;
    add_outputs(b, SAL_LEAF_T, u_bar + at[SAL_LEAF_T], 1, true);
    add_outputs(b, SAL_LEAF_Q, u_bar + at[SAL_LEAF_Q], b->n, true);
    add_outputs(b, SAL_LEAF_V, u_bar + at[SAL_LEAF_V], b->n, true);
    add_outputs(b, SAL_LEAF_C, u_bar + at[SAL_LEAF_C], system->nm, false);
    add_outputs(b, SAL_LEAF_P, u_bar + at[SAL_LEAF_P], system->np, false);
    if (!stage) {
        add_outputs(b, SAL_LEAF_A, y, b->n, true);
        add_outputs(b, SAL_LEAF_MU, y + b->n, b->nmu, true);
    }
    return !b->d.failed && add_targets(b, kernel, b->d.list.data, b->d.list.count);
}

static bool add_stage_adjoint(solved_builder *b, sal_solved *solved)
{
    return add_adjoint_of(b, &solved->stage_adjoint, true);
}

static bool add_adjoint(solved_builder *b, sal_solved *solved)
{
    return add_adjoint_of(b, &solved->adjoint, false);
}

/* ---- forward, with tangents ----------------------------------------------------------------- */

/* Where the two cannot be joined, tangents are computed by a kernel of their own. */
static bool add_along(solved_builder *b, sal_solved *solved)
{
    const int      count = forward_count(b);
    unsigned char *wanted = ARENA_NEW(&b->scratch, count, unsigned char);
    if (!wanted) return false;
    memset(wanted, 1, (size_t)count);
    if (solved->stage_tangent.parts > 0)
        sal_kernel_join(&solved->along, &solved->forward, wanted, b->system->layout.at[SAL_LEAF_A],
                        &solved->stage_tangent, &b->regime->arena);
    return true;
}

static bool add_tangent_small(solved_builder *b, sal_solved *solved)
{
    return solved->stage_tangent.parts == 0 ||
           sal_kernel_copy(&solved->tangent_small, &solved->stage_tangent, &b->regime->arena);
}

/* ---- run constants -------------------------------------------------------------------------- */

static void note_uses(const sal_kernel *kernel, unsigned char *used)
{
    for (int p = 0; p < kernel->parts; p++)
        for (int i = 0; i < kernel->part[p].program->inputs; i++) {
            const sal_program_input *input = &kernel->part[p].program->input[i];
            if (input->kind == SAL_LEAF_RUN) used[input->index] = 1;
        }
}

/* Those that one of the kernels reads: some were only steps on the way. */
static bool add_constants(solved_builder *b, sal_solved *solved)
{
    sal_target    *targets = ARENA_NEW(&b->scratch, b->hoist.count, sal_target);
    unsigned char *used = ARENA_NEW(&b->scratch, b->hoist.count, unsigned char);
    int            count = 0;
    if (b->scratch.failed) return false;
    solved->run_constants = b->hoist.count;
#define SOLVED(member, ...) note_uses(&solved->member, used);
#include "compile/kernels.def"
    for (int i = 0; i < b->hoist.count; i++)
        if (used[i])
            targets[count++] = (sal_target){
                .node = b->hoist.definition[i], .kind = SAL_LEAF_RUN, .index = i, .row = -1};
    return sal_kernel_add(&solved->constants, &b->regime->arena, b->graph, targets, count,
                          &b->system->layout, NULL, NULL);
}

void sal_solved_prepare(const sal_solved *solved, const sal_layout *layout, double *u, double *work)
{
    memset(u + layout->size, 0, (size_t)solved->run_constants * sizeof *u);
    sal_kernel_eval(&solved->constants, u, NULL, 1, u, work);
}

/* ---- ways of solving ------------------------------------------------------------------------ */

/* The most divisions (and roots) one behind the other. */
static int longest_division(const sal_program *program, sal_arena *scratch)
{
    int *depth = ARENA_NEW(scratch, program->slots, int), longest = 0;
    if (!depth) return 0;
    for (int r = 0; r < program->runs; r++) {
        const int op = program->run[r].op, n = sal_op_arguments(op);
        for (int i = 0; i < program->run[r].count; i++) {
            const sal_instruction *x = &program->instruction[program->run[r].first + i];
            int                    d = depth[x->a];
            if (n > 1 && depth[x->b] > d) d = depth[x->b];
            if (n > 2 && depth[x->c] > d) d = depth[x->c];
            depth[x->result] = d + (op == SAL_OP_DIV || op == SAL_OP_SQRT);
            if (depth[x->result] > longest) longest = depth[x->result];
        }
    }
    return longest;
}

enum { DIVISION = 8 }; /* operations that a machine does while it waits for a division */

/* One way to solve: what a builder knows then, and what it costs. */
typedef struct attempt {
    int           cost;
    sal_solve     solve;
    sal_constants hoist;
    sal_node     *x, *outputs;
} attempt;

/* Leaves the builder as it was; false: not possible. */
static bool try_way(solved_builder *b, sal_node *K, const int *prefer, sal_solve_way way,
                    attempt *a)
{
    const sal_constants common = b->hoist;
    sal_node           *definition = ARENA_NEW(&b->scratch, common.limit, sal_node);
    if (!definition) return false;
    memcpy(definition, common.definition, (size_t)common.count * sizeof *definition);
    b->hoist.definition = definition;
    bool ok =
        sal_solve_plan(&b->solve, way, b->graph, b->n, b->m, K, prefer, &b->scratch) && unknowns(b);
    if (ok) b->outputs = forward_outputs(b);
    const sal_program *program = ok ? program_of(b, b->outputs, forward_count(b)) : NULL;
    *a = (attempt){.solve = b->solve, .hoist = b->hoist, .x = b->x, .outputs = b->outputs};
    if (program)
        a->cost = program->instructions + DIVISION * longest_division(program, &b->scratch);
    b->hoist = common;
    return ok && !b->graph->failed && !b->scratch.failed;
}

/* Nothing that the kernels say of a stage depends on the stage. */
static bool is_trusted(const solved_builder *b, double limit)
{
    double monitor = 0.0;
    if (b->solve.pivots + b->solve.positives > 0) return false;
    if (b->solve.monitor && !sal_is_const(b->graph, b->solve.monitor, &monitor)) return false;
    return monitor < limit;
}

/* Goes on with the way that costs least; false if there is none. */
static bool choose_way(solved_builder *b, const int *prefer, unsigned which, sal_solved *solved)
{
    attempt   best = {0};
    bool      found = false;
    sal_node *K = matrix(b);
    const int ways = which & SAL_SOFT_TERMS ? SAL_NULL_SPACE : SAL_SOLVE_WAYS;
    for (int way = 0; way < ways && K; way++) {
        attempt a;
        if (!try_way(b, K, prefer, (sal_solve_way)way, &a) || (found && a.cost >= best.cost))
            continue;
        found = true;
        best = a;
    }
    b->solve = best.solve;
    b->hoist = best.hoist;
    b->x = best.x;
    b->outputs = best.outputs;
    solved->way = b->solve.way;
    solved->limit = solved->way < SAL_NULL_SPACE ? 1e8 : 100.0 * b->n;
    solved->trusted = is_trusted(b, solved->limit);
    return found;
}

/* ---- all of it ------------------------------------------------------------------------------ */

enum { MAX_OPERATIONS = 4000 };

static bool build(solved_builder *b, sal_solved *solved, unsigned which)
{
    const saltus_model *model = b->system->model;
    int                *prefer = ARENA_NEW(&b->scratch, b->n, int);
    b->place = ARENA_NEW(&b->scratch, b->nmu, int);
    b->g = nodes(b, b->system->nc);
    if (b->scratch.failed ||
        !sal_constants_init(&b->hoist, b->graph, SAL_RUN_CONSTANTS, &b->scratch))
        return false;
    for (int j = 0; j < b->nmu; j++) b->place[j] = b->regime->on[j] ? b->m++ : -1;
    for (int i = 0; i < b->n; i++) prefer[i] = model->coordinates.data[i].guessed ? 1 : 0;
    for (int i = 0; i < b->system->nc; i++) b->g[i] = model->costs.data[i].integral;
    sal_substitute(b->graph, b->g, b->system->nc, NULL, NULL, b->g);
    sum_terms(b, which);
    if (!choose_way(b, prefer, which, solved) ||
        operations(b, b->outputs, forward_count(b)) > MAX_OPERATIONS)
        return false;
#define SOLVED(member, object, lanes, outputs, ...)                                                \
    if (!add_##member(b, solved)) return false;                                                    \
    sal_kernel_store(&solved->member, SAL_BOUND_##outputs(&b->system->layout));
#include "compile/kernels.def"
    return true;
}

static bool is_small(const saltus_system *system)
{
    return system->flat && system->form != SAL_SPARSE && system->nx <= SAL_SOLVED_MAX_UNKNOWNS;
}

int sal_solved_row(const saltus_system *system) { return is_small(system) ? 1 + system->nx : 0; }

sal_solved *sal_solved_new(saltus_system *system, sal_regime *regime, unsigned which)
{
    solved_builder b = {.system = system,
                        .regime = regime,
                        .graph = &system->model->graph,
                        .d = {.allocator = &regime->arena.allocator},
                        .n = system->n,
                        .nmu = system->nmu};
    sal_solved     made = {0};
    if (!is_small(system)) return NULL;
    sal_arena_init(&b.scratch, &regime->arena.allocator);
    b.graph->loose = true;
    const bool ok =
        build(&b, &made, which) && !b.d.failed && !b.graph->failed && !regime->arena.failed;
    b.graph->loose = false;
    if (b.scratch.failed || b.d.failed)
        regime->arena.failed = true; /* so that who asks knows the reason */
    sal_derivatives_release(&b.d);
    sal_arena_free(&b.scratch);
    sal_solved *solved = ok ? ARENA_NEW(&regime->arena, 1, sal_solved) : NULL;
    if (!solved) return NULL;
    *solved = made;
    solved->slots = sal_kernels_slots(SAL_OF_SOLVED, solved);
    return solved;
}
