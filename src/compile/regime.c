/* Decides the form of the matrix (diagonal, dense or sparse), and compiles the kernels of one
 * combination of modes, among them the law of impacts (add_momentum): see regime.h. */
#include "compile/regime.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/constants.h"
#include "compile/equations.h"
#include "compile/kernel_table.h"
#include "compile/template.h"
#include "compile/virtual_power.h"

/* ---- the kernels of some terms --------------------------------------------------------------- */

typedef struct builder {
    const saltus_system *system;
    sal_graph           *graph; /* flat systems: the graph of the cache */
    sal_regime          *regime;
    sal_derivatives      d;         /* outputs of the kernel under construction */
    sal_template        *templates; /* copies of the system's templates; nodes are added to them */
    sal_instances       *instances; /* by template: its active terms */
} builder;

/* Terms that contribute one part to each kernel: all of a flat system, or those of one template. */
typedef struct term_set {
    sal_graph           *graph;
    sal_virtual_power    s;
    sal_node             H;         /* H0 + HX */
    const sal_instances *instances; /* NULL: flat */
} term_set;

static bool add(builder *b, const term_set *terms, sal_kernel *kernel)
{
    return !b->d.failed &&
           sal_kernel_add(kernel, &b->regime->arena, terms->graph, b->d.list.data, b->d.list.count,
                          &b->system->layout, terms->instances, &b->regime->places);
}

/* Entries of K, then -E at x = 0. */
static bool add_rhs(builder *b, const term_set *terms, sal_kernel *kernel)
{
    sal_equations_matrix(&b->d, terms->graph, terms->s.KX);
    sal_equations_add_forces(&b->d, terms->graph, terms->s.H0, b->system->matrix_size);
    return add(b, terms, kernel);
}

static bool add_forces(builder *b, const term_set *terms, sal_kernel *kernel)
{
    if (!b->system->mass_constant) return true;
    b->d.list.count = 0;
    sal_equations_add_forces(&b->d, terms->graph, terms->s.H0, 0);
    return add(b, terms, kernel);
}

static bool add_tangent(builder *b, const term_set *terms, sal_kernel *kernel)
{
    sal_equations_tangent(&b->d, terms->graph, terms->H);
    return add(b, terms, kernel);
}

static bool add_adjoint(builder *b, const term_set *terms, sal_kernel *kernel)
{
    sal_equations_adjoint(&b->d, terms->graph, terms->H);
    return add(b, terms, kernel);
}

/* Turns an expression along the motion into one of the law of impacts: at the state after the
 * event, with v+ - v* in place of a. */
static sal_node leaf_of_law(void *context, sal_graph *graph, sal_node node)
{
    int kind, index;
    (void)context;
    if (!sal_is_leaf(graph, node, &kind, &index)) return 0;
    switch (kind) {
    case SAL_LEAF_Q: return sal_leaf(graph, SAL_LEAF_Q_AFTER, index);
    case SAL_LEAF_C: return sal_leaf(graph, SAL_LEAF_C_AFTER, index);
    case SAL_LEAF_A:
        return sal_sub(graph, sal_leaf(graph, SAL_LEAF_V_AFTER, index),
                       sal_leaf(graph, SAL_LEAF_V_LAW, index));
    default: return 0;
    }
}

static bool add_momentum(builder *b, const term_set *terms, sal_map *map)
{
    sal_node law = terms->s.law;
    map->outputs = b->system->unknowns;
    if (law) sal_substitute(terms->graph, &law, 1, leaf_of_law, NULL, &law);
    sal_equations_residual(&b->d, terms->graph, law);
    if (!add(b, terms, &map->value)) return false;
    sal_equations_tangent(&b->d, terms->graph, law);
    if (!add(b, terms, &map->tangent)) return false;
    sal_equations_adjoint(&b->d, terms->graph, law);
    return add(b, terms, &map->adjoint);
}

/* Kinetic and potential energy are sums over all instances, at places 0 and 1. */
static bool add_energy(builder *b, const term_set *terms, sal_kernel *kernel)
{
    const sal_target targets[2] = {{.node = terms->s.T, .kind = SAL_LEAF_T, .row = -1, .base = 0},
                                   {.node = terms->s.U, .kind = SAL_LEAF_T, .row = -1, .base = 1}};
    return sal_kernel_add(kernel, &b->regime->arena, terms->graph, targets, 2, &b->system->layout,
                          terms->instances, &b->regime->places);
}

/* Numbers the entries of Phi_q in the matrix from 1 on. number, by place in the matrix: the number
 * of that entry; 0 for entries that do not belong to Phi_q; -1 where the matrix has no entry. */
static bool number_gradients(builder *b, int *number)
{
    const saltus_system *system = b->system;
    const sal_part      *part = b->regime->rhs.part;
    int                 *start = ARENA_NEW(&b->regime->arena, system->nmu + 1, int);
    int                 *column = ARENA_NEW(&b->regime->arena, part->program->outputs, int);
    if (b->regime->arena.failed) return false;
    for (int i = 0; i < system->matrix_size; i++) number[i] = -1;
    for (int o = 0; o < part->program->outputs; o++)
        if (part->out[o] < system->matrix_size) number[part->out[o]] = 0;
    for (int j = 0; j < system->nmu; j++) {
        const int *columns;
        int        count;
        const int  first = sal_symmetric_row(&b->regime->shape, system->n + j, &count, &columns);
        start[j + 1] = start[j];
        for (int e = 0; e < count; e++) {
            const int at = columns ? columns[e] : e;
            if (at >= system->n || number[first + e] < 0) continue;
            column[start[j + 1]] = at;
            number[first + e] = ++start[j + 1];
        }
    }
    b->regime->phi_q_start = start;
    b->regime->phi_q_column = column;
    return true;
}

/* Takes Phi_q from the kernel of the matrix, so that it has exactly the digits of the matrix. */
static bool add_phi_q(builder *b, const term_set *terms, sal_kernel *kernel)
{
    const saltus_system *system = b->system;
    const sal_kernel    *rhs = &b->regime->rhs;
    if (terms->instances || system->nmu == 0 || rhs->parts != 1) return true;
    const int outputs = rhs->part->program->outputs;
    WORK_ARENA(scratch, &b->regime->arena.allocator);
    int           *number = ARENA_NEW(&scratch, system->matrix_size, int);
    unsigned char *wanted = ARENA_NEW(&scratch, outputs, unsigned char);
    int           *out = ARENA_NEW(&b->regime->arena, outputs, int), count = 0;
    if (scratch.failed || !out || !number_gradients(b, number)) return false;
    for (int o = 0; o < outputs; o++) {
        const int place = rhs->part->out[o];
        wanted[o] = place < system->matrix_size && number[place] > 0;
        if (wanted[o]) out[count++] = number[place] - 1;
    }
    if (!sal_kernel_subset(kernel, rhs, wanted, &b->regime->arena)) return false;
    kernel->part->out = out;
    return true;
}

/* Adds all kernels of a regime, in the order of kernels.def. */
static bool add_kernels(builder *b, term_set *terms)
{
    sal_regime *regime = b->regime;
    terms->H = sal_sum(terms->graph, terms->s.H0, terms->s.HX);
#define FACTORED(member, object, lanes, outputs, ...)                                              \
    if (!add_##member(b, terms, &regime->member)) return false;                                    \
    sal_kernel_store(&regime->member, SAL_BOUND_##outputs(&b->system->layout));
#define FACTORED_MAP(member, ...)                                                                  \
    if (!add_##member(b, terms, &regime->member)) return false;
#include "compile/kernels.def"
    return true;
}

/* ---- flat: one program for all terms -------------------------------------------------------- */

static bool build_flat(builder *b)
{
    const saltus_model *model = b->system->model;
    term_set            terms = {.graph = b->graph};
    for (int i = 0; i < model->terms.count; i++)
        if (sal_modes_active(model, &model->terms.data[i].modes, b->regime->active))
            sal_virtual_power_add(terms.graph, model->terms.data[i].kind, model->terms.data[i].e,
                                  model->terms.data[i].rows, SAL_ALL_TERMS, &terms.s);
    return add_kernels(b, &terms);
}

/* ---- templates: one program per shape ------------------------------------------------------- */

static bool copy_templates(builder *b, sal_arena *scratch)
{
    const sal_template_set *terms = &b->system->terms;
    if (b->system->flat && b->system->form != SAL_SPARSE) return true; /* not needed */
    b->templates = ARENA_NEW(scratch, terms->templates, sal_template);
    for (int i = 0; i < terms->templates && b->templates; i++) {
        sal_template *copy = &b->templates[i];
        *copy = terms->template_[i];
        sal_graph_init(&copy->graph, &scratch->allocator);
        copy->graph.may_reround = terms->template_[i].graph.may_reround;
    }
    for (int i = 0; i < terms->templates && b->templates; i++)
        if (!sal_graph_copy(&b->templates[i].graph, &terms->template_[i].graph)) return false;
    return b->templates != NULL;
}

static void free_templates(builder *b)
{
    for (int i = 0; i < b->system->terms.templates && b->templates; i++)
        sal_graph_free(&b->templates[i].graph);
}

static bool build_templates(builder *b)
{
    for (int i = 0; i < b->system->terms.templates; i++) {
        sal_template *t = &b->templates[i];
        term_set      terms = {.graph = &t->graph, .instances = &b->instances[i]};
        if (b->instances[i].count == 0) continue;
        sal_virtual_power_add(&t->graph, t->kind, t->e, sal_template_rows(t), SAL_ALL_TERMS,
                              &terms.s);
        if (!add_kernels(b, &terms) || t->graph.failed) return false;
    }
    return true;
}

/* ---- the form of the matrix ----------------------------------------------------------------- */

static bool is_diagonal(const sal_derivatives *list)
{
    for (int i = 0; i < list->list.count; i++)
        if (list->list.data[i].row != list->list.data[i].index ||
            list->list.data[i].kind != SAL_LEAF_WEIGHT)
            return false;
    return true;
}

/* Whether the listed entries of the matrix are constant during a run. */
static bool is_constant_mass(const sal_derivatives *list, const sal_graph *graph)
{
    const unsigned still = sal_constants_kinds() | sal_kind_bit(SAL_LEAF_LITERAL);
    for (int i = 0; i < list->list.count; i++)
        if (graph->nodes.data[list->list.data[i].node].kinds & ~still) return false;
    return true;
}

/* Lists the entries of the matrix that a term of the template contributes to. */
static bool entries_of(sal_template *t, sal_derivatives *list)
{
    sal_virtual_power s = {0};
    sal_virtual_power_add(&t->graph, t->kind, t->e, sal_template_rows(t), SAL_ALL_TERMS, &s);
    sal_equations_matrix(list, &t->graph, s.KX);
    return !list->failed && !t->graph.failed;
}

/* Chooses the form of the matrix. A sparse form pays if the matrix is large and mostly empty, as
 * bench/chain measures. entries: an upper bound of the number of entries in the lower triangle. */
static sal_form suitable_form(const saltus_system *system, bool diagonal, double entries,
                              int sparse_from)
{
    const double nx = system->unknowns;
    if (diagonal && system->nmu == 0) return SAL_DIAGONAL;
    const bool empty = entries < 0.2 * nx * nx || nx > SAL_MAX_DENSE;
    if (nx >= sparse_from && (empty || sparse_from == 0)) return SAL_SPARSE;
    return system->nmu > 0 ? SAL_INDEFINITE : SAL_DEFINITE;
}

bool sal_regime_find_form(saltus_system *system, int sparse_from)
{
    sal_derivatives list = {.allocator = &system->arena.allocator};
    bool            diagonal = true, ok = true;
    double          entries = system->unknowns; /* the diagonal is always kept */
    system->mass_constant = system->nmu == 0;
    for (int i = 0; i < system->terms.templates && ok; i++) {
        ok = entries_of(&system->terms.template_[i], &list);
        diagonal = diagonal && is_diagonal(&list);
        system->mass_constant =
            system->mass_constant && is_constant_mass(&list, &system->terms.template_[i].graph);
        entries += (double)list.list.count * system->terms.template_[i].terms;
    }
    sal_derivatives_release(&list);
    if (!ok || entries >= INT_MAX / 4) return false;
    system->form = suitable_form(system, diagonal, entries, sparse_from);
    system->matrix_size = system->form == SAL_DIAGONAL ? system->n
                          : system->form == SAL_SPARSE ? (int)entries
                                                       : system->unknowns * system->unknowns;
    return true;
}

/* Entries of the lower triangle, each as row * unknowns + column. */
typedef SAL_ARRAY(long long) entry_list;

static bool add_entry(builder *b, entry_list *entries, int i, int j)
{
    const long long row = i > j ? i : j, column = i > j ? j : i;
    return ARRAY_PUSH(b->d.allocator, entries, row * b->system->unknowns + column);
}

/* Lists the entries of all active terms, and the diagonal. */
static bool list_entries(builder *b, entry_list *entries)
{
    const int n = b->system->n;
    bool      ok = true;
    for (int i = 0; i < b->system->terms.templates && ok; i++) {
        const sal_instances *instances = &b->instances[i];
        if (instances->count == 0) continue;
        ok = entries_of(&b->templates[i], &b->d);
        for (int e = 0; e < b->d.list.count; e++) {
            const sal_target *t = &b->d.list.data[e];
            for (int k = 0; k < instances->count && ok; k++)
                ok = add_entry(b, entries, sal_weight_place(n, instances, t->kind, t->index, k),
                               sal_weight_place(n, instances, t->row_kind, t->row, k));
        }
    }
    for (int i = 0; i < b->system->unknowns && ok; i++) ok = add_entry(b, entries, i, i);
    return ok;
}

static int compare_entries(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* Sorts the entries into rows of the lower triangle, with ascending columns and no duplicates. */
static bool sort_entries(builder *b, entry_list *entries)
{
    sal_regime *regime = b->regime;
    const int   nx = b->system->unknowns;
    int        *start = ARENA_NEW(&regime->arena, nx + 1, int);
    int        *column = ARENA_NEW(&regime->arena, entries->count, int);
    if (regime->arena.failed) return false;
    qsort(entries->data, (size_t)entries->count, sizeof *entries->data, compare_entries);
    int kept = 0;
    for (int k = 0; k < entries->count; k++) {
        const long long entry = entries->data[k];
        if (k > 0 && entry == entries->data[k - 1]) continue;
        column[kept++] = (int)(entry % nx);
        start[entry / nx + 1] = kept;
    }
    regime->places.start = start;
    regime->places.column = column;
    return sal_symmetric_sparse(&regime->shape, nx, b->system->n, start, column, &regime->arena);
}

static bool find_shape(builder *b)
{
    const saltus_system *system = b->system;
    entry_list           entries = {NULL, 0, 0};
    b->regime->shape =
        (sal_symmetric){.form = system->form, .n = system->unknowns, .constraints = system->nmu};
    b->regime->places = (sal_matrix_form){
        .n = system->n, .size = system->unknowns, .diagonal = system->form == SAL_DIAGONAL};
    if (system->form != SAL_SPARSE) return true;
    const bool ok = list_entries(b, &entries) && sort_entries(b, &entries);
    ARRAY_RELEASE(b->d.allocator, &entries);
    return ok;
}

/* ---- making a regime ------------------------------------------------------------------------ */

/* The names of the active modes of all groups, joined. */
static const char *regime_name(const saltus_model *model, sal_arena *arena, const int *active)
{
    const int groups = model->groups.count;
    return groups ? sal_modes_text(model, arena, active, groups, " + ") : NULL;
}

static bool note_constraints(builder *b)
{
    const saltus_model *model = b->system->model;
    unsigned char      *on = ARENA_NEW(&b->regime->arena, model->constraints.count, unsigned char);
    if (!on) return false;
    for (int i = 0; i < model->constraints.count; i++) {
        on[i] = sal_modes_active(model, &model->constraints.data[i].modes, b->regime->active);
        b->regime->constrained |= on[i];
    }
    b->regime->on = on;
    return true;
}

static bool note_slides(builder *b)
{
    const saltus_model *model = b->system->model;
    const int           n = b->system->n;
    sal_slide          *slide = ARENA_NEW(&b->regime->arena, b->system->max_slides, sal_slide);
    unsigned char      *loaded = ARENA_NEW(&b->regime->arena, b->system->nmu, unsigned char);
    if (!slide || !loaded) return false;
    if (b->system->nmu) memcpy(loaded, b->regime->on, (size_t)b->system->nmu);
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term *term = &model->terms.data[i];
        if (term->kind != SAL_SLIDING && term->kind != SAL_RUBBING) continue;
        if (sal_modes_active(model, &term->modes, b->regime->active))
            slide[b->regime->slides++] =
                (sal_slide){n + term->rows.own, term->rows.normal < 0 ? -1 : n + term->rows.normal};
    }
    for (int k = 0; k < b->regime->slides; k++) loaded[slide[k].own - n] = 1;
    b->regime->slide = slide;
    b->regime->loaded = loaded;
    return true;
}

static bool note_events(builder *b)
{
    const saltus_system *system = b->system;
    int                 *list = ARENA_NEW(&b->regime->arena, system->events, int);
    unsigned char       *possible = ARENA_NEW(&b->regime->arena, system->events, unsigned char);
    if (!list || !possible) return false;
    for (int i = 0; i < system->events; i++) {
        const int user = system->event[i].user;
        if (user < 0 || sal_modes_active(system->model, &system->model->events.data[user].from,
                                         b->regime->active)) {
            list[b->regime->events++] = i;
            possible[i] = 1;
        }
    }
    b->regime->smooth_guards = true;
    for (int i = 0; i < b->regime->events; i++) {
        if (!system->event[list[i]].guard_is_smooth) b->regime->smooth_guards = false;
        if (system->event[list[i]].guard_is_clock) b->regime->clocks = true;
    }
    b->regime->event = list;
    b->regime->possible = possible;
    return true;
}

/* How many numbers of a state the two kernels read. */
static int reads_of(const sal_kernel *one, const sal_kernel *other)
{
    const int a = sal_kernel_reads(one), b = sal_kernel_reads(other);
    return a > b ? a : b;
}

/* Whether forces or integrands may have narrow features. Narrow functions of time matter only in
 * regimes in which something depends on time. */
static bool is_narrow(const saltus_system *system, const sal_regime *regime)
{
    const int t = system->layout.at[SAL_LEAF_T];
    if (system->narrow & ~SAL_KIND(T)) return true;
    return system->narrow && (sal_kernel_reaches(&regime->adjoint, t, t + 1) ||
                              sal_kernel_reaches(&system->integrand.adjoint, t, t + 1));
}

static bool build(builder *b, const int *active)
{
    const saltus_model *model = b->system->model;
    sal_regime         *regime = b->regime;
    int                *copy = ARENA_NEW(&regime->arena, model->groups.count, int);
    if (!copy) return false;
    if (model->groups.count) memcpy(copy, active, (size_t)model->groups.count * sizeof *copy);
    regime->active = copy;
    regime->name = regime_name(model, &regime->arena, active);
    const bool ok = sal_template_instances(b->system, active, &regime->arena, &b->instances) &&
                    find_shape(b) && (b->system->flat ? build_flat(b) : build_templates(b)) &&
                    note_constraints(b) && note_slides(b) && note_events(b);
    const int *at = b->system->layout.at;
    regime->slots = sal_kernels_slots(SAL_OF_REGIME, regime);
    regime->adjoint_reads = reads_of(&regime->adjoint, &b->system->integrand.adjoint);
    regime->value_reads = reads_of(&regime->forces, &b->system->integrand.value);
    regime->narrow = is_narrow(b->system, regime);
    regime->velocity_dependent =
        sal_kernel_reaches(&regime->adjoint, at[SAL_LEAF_V], at[SAL_LEAF_A]) ||
        sal_kernel_reaches(&b->system->integrand.adjoint, at[SAL_LEAF_V], at[SAL_LEAF_A]);
    return ok && !b->graph->failed && !regime->arena.failed;
}

sal_regime *sal_regime_new(const saltus_system *system, sal_graph *graph, const int *active)
{
    const saltus_allocator *allocator = &system->arena.allocator;
    sal_regime             *regime = sal_resize(allocator, NULL, 0, sizeof *regime);
    if (!regime) return NULL;
    memset(regime, 0, sizeof *regime);
    sal_arena_init(&regime->arena, allocator);
    WORK_ARENA(scratch, allocator);
    builder b = {.system = system, .graph = graph, .regime = regime, .d = {.allocator = allocator}};
    regime->cache = ARENA_NEW(&regime->arena, 1, sal_regime_cache);
    const bool ok = regime->cache && copy_templates(&b, &scratch) && build(&b, active);
    free_templates(&b);
    sal_derivatives_release(&b.d);
    if (ok) return regime;
    sal_regime_free(system, regime);
    return NULL;
}

void sal_regime_free(const saltus_system *system, sal_regime *regime)
{
    for (int i = 0; i < SAL_TERM_SETS && regime->cache; i++)
        sal_solved_free(regime->cache->solved[i]);
    sal_symmetric_release(&regime->shape);
    sal_arena_free(&regime->arena);
    sal_resize(&system->arena.allocator, regime, sizeof *regime, 0);
}
