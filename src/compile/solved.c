/* Makes the solved kernels of a regime: decides which of the three ways of solve.h is cheapest and
 * whether it can be trusted, and writes out values, tangents and adjoints. See solved.h. */
#include "compile/solved.h"

#include <string.h>

#include "compile/constants.h"
#include "compile/equations.h"
#include "compile/friction.h"
#include "compile/kernel_table.h"
#include "compile/virtual_power.h"
#include "expr/derive.h"

/* One way to solve, and the forward kernel that it gives. */
typedef struct solution {
    sal_solve     solve;
    sal_friction  friction;
    sal_constants hoist;
    sal_node     *outputs;    /* outputs of the forward kernel, the unknowns first */
    int           operations; /* number of operations of the forward kernel */
    int           cost;       /* operations, plus the extra cost of chained divisions */
} solution;

typedef struct solved_builder {
    const saltus_system *system;
    const sal_regime    *regime;
    sal_graph           *graph;
    sal_arena           *arena; /* holds the kernels */
    sal_arena            scratch;
    sal_virtual_power    s;
    sal_node             H;           /* H0 + HX */
    sal_derivatives      d;           /* derivatives for the kernel under construction */
    int                  n, nmu, nx;  /* coordinates, constraints, unknowns (n + nmu) */
    int                  m;           /* number of active constraints */
    int                 *place;       /* by constraint: its place among the active ones, or -1 */
    solution             by;          /* the way under trial, later the one chosen */
    sal_node            *g;           /* integrands of the model */
    int                 *slide;       /* by constraint: its number among the slides, or -1 */
    int                 *normal;      /* by slide: the place of its normal, or -1 */
    sal_node            *w, *m_slide; /* by slide: w and m of friction.h */
} solved_builder;

static sal_node *nodes(solved_builder *b, int count)
{
    return ARENA_NEW(&b->scratch, count, sal_node);
}

static void negate(sal_graph *graph, sal_node *node, int count)
{
    for (int i = 0; i < count; i++)
        if (node[i]) node[i] = sal_neg(graph, node[i]);
}

/* Replaces leaves by the entries of a vector over all unknowns. A null entry is zero. */
typedef struct vector_leaves {
    int             n;
    int             kind, kind_mu; /* kinds of the leaves: A and MU, or WEIGHT and WEIGHT_MU */
    const sal_node *value;
} vector_leaves;

static sal_node entry_of(void *context, sal_graph *graph, sal_node node)
{
    const vector_leaves *v = context;
    int                  kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index)) return 0;
    if (kind != v->kind && kind != v->kind_mu) return 0;
    const sal_node value = v->value[kind == v->kind ? index : v->n + index];
    return value ? value : sal_const(graph, 0.0);
}

/* ---- matrix and right-hand side ------------------------------------------------------------- */

/* Solves K x = rhs, or K^T x = rhs. Both vectors are over all unknowns; multipliers that belong
 * neither to an active constraint nor to a slide are ignored in rhs, and zero in x. */
static bool solve_for(solved_builder *b, bool transposed, const sal_node *rhs, sal_node *x)
{
    const int size = b->n + b->m, slides = b->regime->slides;
    sal_node *active = nodes(b, size + slides), *answer = nodes(b, size + slides);
    if (b->scratch.failed) return false;
    memcpy(active, rhs, (size_t)b->n * sizeof *rhs);
    for (int j = 0; j < b->nmu; j++) {
        if (b->place[j] >= 0) active[b->n + b->place[j]] = rhs[b->n + j];
        if (b->slide[j] >= 0) active[size + b->slide[j]] = rhs[b->n + j];
    }
    sal_constants_take(&b->by.hoist, active, size + slides);
    if (slides == 0) sal_solve_write(&b->by.solve, active, answer, &b->scratch);
    else
        sal_friction_write(&b->by.friction, transposed, active, active + size, answer,
                           answer + size, &b->scratch);
    memcpy(x, answer, (size_t)b->n * sizeof *x);
    for (int j = 0; j < b->nmu; j++)
        x[b->n + j] = b->place[j] >= 0   ? answer[b->n + b->place[j]]
                      : b->slide[j] >= 0 ? answer[size + b->slide[j]]
                                         : 0;
    return !b->scratch.failed;
}

/* Sums the virtual power of all active terms. Their expressions are rebuilt in canonical form
 * first, because the graph may reround. */
static void sum_terms(solved_builder *b, unsigned which)
{
    const saltus_model *model = b->system->model;
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term *term = &model->terms.data[i];
        sal_node        e[2] = {term->e[0], term->e[1]};
        if (!sal_modes_active(model, &term->modes, b->regime->active)) continue;
        sal_substitute(b->graph, e, 2, NULL, NULL, e);
        sal_virtual_power_add(b->graph, term->kind, e, term->rows, which, &b->s);
    }
    b->H = sal_sum(b->graph, b->s.H0, b->s.HX);
}

/* The place of a weight among the active unknowns. */
static int active_place(const solved_builder *b, int kind, int index)
{
    return kind == SAL_LEAF_WEIGHT ? index : b->n + b->place[index];
}

/* Keeps an entry of the row of a slide: a part of the gradient of the slip, or the factor m of the
 * normal force. */
static void keep_slide(solved_builder *b, int slide, const sal_target *entry)
{
    if (entry->row_kind == SAL_LEAF_WEIGHT) b->w[slide * b->n + entry->row] = entry->node;
    else if (entry->row != entry->index) b->m_slide[slide] = entry->node;
}

/* Returns the lower triangle of K over the active unknowns; NULL when out of memory. */
static sal_node *matrix(solved_builder *b)
{
    const int size = b->n + b->m, slides = b->regime->slides;
    sal_node *K = nodes(b, size * size);
    b->w = nodes(b, slides * b->n);
    b->m_slide = nodes(b, slides);
    if (b->scratch.failed) return NULL;
    sal_equations_matrix(&b->d, b->graph, b->s.KX);
    for (int e = 0; e < b->d.list.count; e++) {
        const sal_target *entry = &b->d.list.data[e];
        if (entry->kind == SAL_LEAF_WEIGHT_MU && b->slide[entry->index] >= 0) {
            keep_slide(b, b->slide[entry->index], entry);
            continue;
        }
        const int i = active_place(b, entry->kind, entry->index);
        K[i * size + active_place(b, entry->row_kind, entry->row)] = entry->node;
    }
    sal_constants_take(&b->by.hoist, K, size * size);
    sal_constants_take(&b->by.hoist, b->w, slides * b->n);
    sal_constants_take(&b->by.hoist, b->m_slide, slides);
    return K;
}

/* Solves K x = -E, where b->d lists the entries of E by weight. */
static bool solve_derived(solved_builder *b, sal_node *x)
{
    sal_node *rhs = nodes(b, b->nx);
    if (!rhs) return false;
    for (int i = 0; i < b->d.list.count; i++) {
        const sal_target *entry = &b->d.list.data[i];
        rhs[sal_weight_place(b->n, NULL, entry->kind, entry->index, 0)] = entry->node;
    }
    negate(b->graph, rhs, b->nx);
    return solve_for(b, false, rhs, x);
}

/* ---- forward -------------------------------------------------------------------------------- */

/* An output that is stored must be computed even if it is zero. */
static sal_node stored(sal_graph *graph, sal_node node)
{
    return node ? node : sal_const(graph, 0.0);
}

static bool add_targets(solved_builder *b, sal_kernel *kernel, sal_target *targets, int count)
{
    sal_node *roots = nodes(b, count);
    if (!roots) return false;
    for (int i = 0; i < count; i++) roots[i] = targets[i].node;
    sal_constants_take(&b->by.hoist, roots, count);
    if (b->graph->failed) return false;
    for (int i = 0; i < count; i++) targets[i].node = roots[i];
    return sal_kernel_add(kernel, b->arena, b->graph, targets, count, &b->system->layout, NULL,
                          NULL);
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
    return b->nx + b->system->nc + 1 + b->by.solve.pivots + b->by.solve.positives +
           b->regime->slides;
}

/* Writes the outputs of the forward kernel: the unknowns, from K x = -E(0), then the integrands,
 * and the numbers that show whether the solution can be trusted. False when out of memory. */
static bool solve_forward(solved_builder *b)
{
    const sal_solve *solve = &b->by.solve;
    const int        nc = b->system->nc, count = forward_count(b);
    sal_node        *outputs = b->by.outputs = nodes(b, count);
    vector_leaves    unknowns = {b->n, SAL_LEAF_A, SAL_LEAF_MU, outputs};
    if (!outputs) return false;
    sal_equations_residual(&b->d, b->graph, b->s.H0);
    if (!solve_derived(b, outputs)) return false;
    sal_substitute(b->graph, b->g, nc, entry_of, &unknowns, outputs + b->nx);
    sal_node *rest = outputs + b->nx + nc;
    *rest++ = solve->monitor;
    for (int i = 0; i < solve->pivots; i++) *rest++ = solve->pivot[i];
    for (int i = 0; i < solve->positives; i++) *rest++ = solve->positive[i];
    for (int i = 0; i < b->regime->slides; i++) *rest++ = b->by.friction.inverse[i];
    sal_constants_take(&b->by.hoist, outputs, count);
    return true;
}

static bool add_forward(solved_builder *b, sal_solved *solved)
{
    solved->pivots = b->by.solve.pivots;
    solved->positives = b->by.solve.positives + b->regime->slides;
    return add_vector(b, &solved->forward, b->by.outputs, forward_count(b));
}

/* Makes a kernel without the outputs mu from one whose outputs begin with a (n) and mu. */
static bool leave_out_multipliers(solved_builder *b, sal_kernel *out, const sal_kernel *kernel,
                                  int count)
{
    unsigned char *wanted = ARENA_NEW(&b->scratch, count, unsigned char);
    if (!wanted) return false;
    for (int i = 0; i < count; i++) wanted[i] = i < b->n || i >= b->nx;
    return sal_kernel_subset(out, kernel, wanted, b->arena);
}

static bool add_stage(solved_builder *b, sal_solved *solved)
{
    sal_kernel stage = {0};
    if (!leave_out_multipliers(b, &stage, &solved->forward, forward_count(b))) return false;
    if (stage.instructions < solved->forward.instructions || solved->kept > 0)
        solved->stage = stage;
    return true;
}

/* ---- numbers that stages keep --------------------------------------------------------------- */

/* The most numbers of a row that only derivatives of stages read. */
static int max_kept(const saltus_system *system) { return 2 * system->unknowns; }

/* Begins as the forward kernel; the derivatives of stages have it keep more (keep_for). */
static bool add_complete(solved_builder *b, sal_solved *solved)
{
    solved->complete = solved->forward;
    solved->row = b->system->layout.at[SAL_LEAF_A] + forward_count(b);
    return true;
}

/* Lets the complete kernel keep what this derivative of stages reads. */
static bool keep_for(solved_builder *b, sal_solved *solved, sal_kernel *derivative)
{
    const int base = b->system->layout.at[SAL_LEAF_A];
    const int kept = sal_kernel_share(&solved->complete, derivative, base, solved->row - base,
                                      max_kept(b->system) - solved->kept, b->arena);
    solved->kept += kept;
    solved->row += kept;
    return !b->arena->failed;
}

/* ---- tangent -------------------------------------------------------------------------------- */

static sal_node seed(void *context, sal_graph *graph, int kind, int index)
{
    const vector_leaves *dx = context;
    if (kind == SAL_LEAF_A) return dx->value[index];
    if (kind == SAL_LEAF_MU) return dx->value[dx->n + index];
    return sal_seed_tangent(NULL, graph, kind, index);
}

/* K dx = -E_u du, dg = g_u du + g_x dx. */
static bool add_tangent(solved_builder *b, sal_solved *solved)
{
    const int     nc = b->system->nc;
    sal_node     *outputs = nodes(b, b->nx + nc);
    vector_leaves dx = {b->n, SAL_LEAF_A, SAL_LEAF_MU, outputs};
    if (!outputs) return false;
    sal_equations_tangent(&b->d, b->graph, b->H);
    if (!solve_derived(b, outputs)) return false;
    sal_derive_along(b->graph, b->g, nc, seed, &dx, outputs + b->nx);
    sal_constants_take(&b->by.hoist, outputs, b->nx + nc);
    return add_vector(b, &solved->tangent, outputs, b->nx + nc);
}

static bool add_stage_tangent(solved_builder *b, sal_solved *solved)
{
    return leave_out_multipliers(b, &solved->stage_tangent, &solved->tangent,
                                 b->nx + b->system->nc) &&
           keep_for(b, solved, &solved->stage_tangent);
}

/* ---- adjoint -------------------------------------------------------------------------------- */

/* Puts the derivatives listed in b->d into a vector with the layout of u. */
static void scatter(const solved_builder *b, sal_node *u_bar)
{
    for (int i = 0; i < b->d.list.count; i++) {
        const sal_target *entry = &b->d.list.data[i];
        u_bar[b->system->layout.at[entry->kind] + entry->index] = entry->node;
    }
}

/* K y = x_bar + g_x^T g_bar, u_bar = g_u^T g_bar - E_u^T y. Writes u_bar, with -y in the places of
 * the unknowns. stage: multipliers have no weights. */
static bool solve_adjoint(solved_builder *b, bool stage, sal_node *u_bar)
{
    const sal_layout *layout = &b->system->layout;
    const int         nc = b->system->nc;
    sal_node         *weights = nodes(b, nc), *minus_y = nodes(b, b->nx);
    sal_node         *motion = nodes(b, layout->size), *x_bar = u_bar + layout->at[SAL_LEAF_A];
    vector_leaves     y = {b->n, SAL_LEAF_WEIGHT, SAL_LEAF_WEIGHT_MU, minus_y};
    if (b->scratch.failed) return false;
    for (int i = 0; i < nc; i++) weights[i] = sal_leaf(b->graph, SAL_LEAF_BAR, b->nx + i);
    b->d.list.count = 0;
    sal_derivatives_add(&b->d, b->graph, b->g, weights, nc, SAL_KINDS_MOTION);
    scatter(b, u_bar);
    for (int i = 0; i < (stage ? b->n : b->nx); i++)
        x_bar[i] = sal_sum(b->graph, x_bar[i], sal_leaf(b->graph, SAL_LEAF_BAR, i));
    if (!solve_for(b, true, x_bar, minus_y)) return false;
    negate(b->graph, minus_y, b->nx);
    memcpy(x_bar, minus_y, (size_t)b->nx * sizeof *x_bar);
    sal_equations_adjoint(&b->d, b->graph, b->H);
    scatter(b, motion);
    sal_substitute(b->graph, motion, layout->size, entry_of, &y, motion);
    for (int i = 0; i < layout->size; i++) u_bar[i] = sal_sum(b->graph, u_bar[i], motion[i]);
    return true;
}

/* Adds an adjoint kernel. stage: its outputs are without -y, which stages do not need. */
static bool add_adjoint_of(solved_builder *b, sal_kernel *kernel, bool stage)
{
    static const int kinds[] = {SAL_LEAF_T, SAL_LEAF_Q, SAL_LEAF_V, SAL_LEAF_C,
                                SAL_LEAF_P, SAL_LEAF_A, SAL_LEAF_MU};
    const int       *at = b->system->layout.at;
    sal_node        *u_bar = nodes(b, b->system->layout.size);
    sal_target      *targets = ARENA_NEW(&b->scratch, b->system->layout.size, sal_target);
    int              count = 0;
    if (b->scratch.failed || !solve_adjoint(b, stage, u_bar)) return false;
    for (int k = 0; k < (stage ? 5 : 7); k++)
        for (int i = at[kinds[k]]; i < at[kinds[k] + 1]; i++)
            targets[count++] =
                (sal_target){.node = i < at[SAL_LEAF_C] ? stored(b->graph, u_bar[i]) : u_bar[i],
                             .kind = kinds[k],
                             .index = i - at[kinds[k]],
                             .row = -1};
    return add_targets(b, kernel, targets, count);
}

static bool add_stage_adjoint(solved_builder *b, sal_solved *solved)
{
    return add_adjoint_of(b, &solved->stage_adjoint, true) &&
           keep_for(b, solved, &solved->stage_adjoint);
}

static bool add_adjoint(solved_builder *b, sal_solved *solved)
{
    return add_adjoint_of(b, &solved->adjoint, false);
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

/* Adds the kernel that computes the run constants which some kernel reads. The others were only
 * intermediate steps. */
static bool add_constants(solved_builder *b, sal_solved *solved)
{
    sal_target    *targets = ARENA_NEW(&b->scratch, b->by.hoist.count, sal_target);
    unsigned char *used = ARENA_NEW(&b->scratch, b->by.hoist.count, unsigned char);
    int            count = 0;
    if (b->scratch.failed) return false;
    solved->run_constants = b->by.hoist.count;
#define SOLVED(member, ...) note_uses(&solved->member, used);
#include "compile/kernels.def"
    for (int i = 0; i < b->by.hoist.count; i++)
        if (used[i])
            targets[count++] = (sal_target){
                .node = b->by.hoist.definition[i], .kind = SAL_LEAF_RUN, .index = i, .row = -1};
    return sal_kernel_add(&solved->constants, b->arena, b->graph, targets, count,
                          &b->system->layout, NULL, NULL);
}

void sal_solved_prepare(const sal_solved *solved, const sal_layout *layout, double *u, double *work)
{
    memset(u + layout->size, 0, (size_t)solved->run_constants * sizeof *u);
    sal_kernel_eval(&solved->constants, u, NULL, 1, u, work);
}

/* ---- ways of solving ------------------------------------------------------------------------ */

/* The length of the longest chain of divisions and square roots that depend on each other. */
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

enum { DIVISION = 8 }; /* other operations that a machine can do during one division */

/* Estimates the cost of the forward kernel. */
static bool estimate(solved_builder *b)
{
    const int count = forward_count(b);
    sal_node *roots = nodes(b, count);
    int       n = 0;
    if (!roots) return false;
    for (int i = 0; i < count; i++)
        if (b->by.outputs[i]) roots[n++] = b->by.outputs[i];
    const sal_program *program = n > 0 ? sal_lower(&b->scratch, b->graph, roots, n) : NULL;
    b->by.operations = program ? program->instructions : 0;
    b->by.cost = b->by.operations;
    if (program) b->by.cost += DIVISION * longest_division(program, &b->scratch);
    return !b->graph->failed && !b->scratch.failed;
}

/* Writes the solution in one way, with run constants of its own. False: this way is not possible,
 * or out of memory. */
static bool try_way(solved_builder *b, sal_node *K, const int *prefer, sal_solve_way way,
                    const sal_constants *common)
{
    sal_node *definition = nodes(b, common->limit);
    if (!definition) return false;
    memcpy(definition, common->definition, (size_t)common->count * sizeof *definition);
    b->by = (solution){.hoist = *common};
    b->by.hoist.definition = definition;
    b->by.friction =
        (sal_friction){.count = b->regime->slides, .normal = b->normal, .w = b->w, .m = b->m_slide};
    return sal_solve_plan(&b->by.solve, way, b->graph, b->n, b->m, K, prefer, &b->scratch) &&
           sal_friction_plan(&b->by.friction, &b->by.solve, &b->scratch) && solve_forward(b) &&
           estimate(b);
}

/* Whether the solution can be trusted in every stage: no check of it depends on the state. */
static bool is_trusted(const solved_builder *b, double limit)
{
    const sal_solve *solve = &b->by.solve;
    double           monitor = 0.0;
    if (solve->pivots + solve->positives + b->regime->slides > 0) return false;
    if (solve->monitor && !sal_is_const(b->graph, solve->monitor, &monitor)) return false;
    return monitor < limit;
}

/* Chooses the way with the lowest cost; false if no way is possible. */
static bool choose_way(solved_builder *b, const int *prefer, unsigned which, sal_solved *solved)
{
    sal_node           *K = matrix(b);
    const sal_constants common = b->by.hoist;
    const int           ways = which & SAL_SOFT_TERMS ? SAL_NULL_SPACE : SAL_SOLVE_WAYS;
    solution            best = {0};
    bool                found = false;
    for (int way = 0; way < ways && K; way++) {
        if (!try_way(b, K, prefer, (sal_solve_way)way, &common)) continue;
        if (!found || b->by.cost < best.cost) best = b->by;
        found = true;
    }
    b->by = best;
    b->by.friction.solve = &b->by.solve;
    solved->way = best.solve.way;
    solved->limit = solved->way < SAL_NULL_SPACE ? 1e8 : 100.0 * b->n;
    solved->trusted = is_trusted(b, solved->limit);
    return found;
}

/* ---- all solved kernels --------------------------------------------------------------------- */

enum { MAX_OPERATIONS = 4000 };

/* Finds which constraints are slides, and the places of their normals among the active unknowns. */
static void note_slides(solved_builder *b)
{
    for (int j = 0; j < b->nmu; j++) b->slide[j] = -1;
    for (int k = 0; k < b->regime->slides; k++) {
        const sal_slide *slide = &b->regime->slide[k];
        b->slide[slide->own - b->n] = k;
        b->normal[k] = slide->normal < 0 ? -1 : b->n + b->place[slide->normal - b->n];
    }
}

static bool build(solved_builder *b, sal_solved *solved, unsigned which)
{
    const saltus_model *model = b->system->model;
    int                *prefer = ARENA_NEW(&b->scratch, b->n, int);
    b->place = ARENA_NEW(&b->scratch, b->nmu, int);
    b->slide = ARENA_NEW(&b->scratch, b->nmu, int);
    b->normal = ARENA_NEW(&b->scratch, b->regime->slides, int);
    b->g = nodes(b, b->system->nc);
    if (b->scratch.failed ||
        !sal_constants_init(&b->by.hoist, b->graph, SAL_RUN_CONSTANTS, &b->scratch))
        return false;
    for (int j = 0; j < b->nmu; j++) b->place[j] = b->regime->on[j] ? b->m++ : -1;
    note_slides(b);
    for (int i = 0; i < b->n; i++) prefer[i] = model->coordinates.data[i].guessed ? 1 : 0;
    for (int i = 0; i < b->system->nc; i++) b->g[i] = model->costs.data[i].integral;
    sal_substitute(b->graph, b->g, b->system->nc, NULL, NULL, b->g);
    sum_terms(b, which);
    if (!choose_way(b, prefer, which, solved) || b->by.operations > MAX_OPERATIONS) return false;
#define SOLVED(member, object, lanes, outputs, ...)                                                \
    if (!add_##member(b, solved)) return false;                                                    \
    sal_kernel_store(&solved->member, SAL_BOUND_##outputs(&b->system->layout));
#include "compile/kernels.def"
    return true;
}

static bool is_small(const saltus_system *system)
{
    return system->flat && system->form != SAL_SPARSE &&
           system->unknowns <= SAL_SOLVED_MAX_UNKNOWNS;
}

int sal_solved_row(const saltus_system *system)
{
    return is_small(system) ? 1 + system->unknowns + max_kept(system) : 0;
}

sal_solved *sal_solved_new(const saltus_system *system, sal_graph *graph, const sal_regime *regime,
                           unsigned which, bool *out_of_memory)
{
    const saltus_allocator *allocator = &system->arena.allocator;
    sal_arena               arena;
    *out_of_memory = false;
    if (!is_small(system)) return NULL;
    sal_arena_init(&arena, allocator);
    sal_solved    *solved = ARENA_NEW(&arena, 1, sal_solved);
    solved_builder b = {.system = system,
                        .regime = regime,
                        .graph = graph,
                        .arena = &arena,
                        .d = {.allocator = allocator},
                        .n = system->n,
                        .nmu = system->nmu,
                        .nx = system->unknowns};
    sal_arena_init(&b.scratch, allocator);
    graph->may_reround = true;
    const bool built = solved && build(&b, solved, which);
    graph->may_reround = false;
    *out_of_memory = arena.failed || b.scratch.failed || b.d.failed || graph->failed;
    sal_derivatives_release(&b.d);
    sal_arena_free(&b.scratch);
    if (!built || *out_of_memory) {
        sal_arena_free(&arena);
        return NULL;
    }
    solved->slots = sal_kernels_slots(SAL_OF_SOLVED, solved);
    solved->arena = arena;
    return solved;
}

void sal_solved_free(sal_solved *solved)
{
    if (!solved) return;
    sal_arena arena = solved->arena;
    sal_arena_free(&arena);
}
