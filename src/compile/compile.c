/* Runs the passes that turn a model into a system, in order and under the limits on memory and
 * work, and compiles the maps that belong to no regime: initial values, costs, constraints. */
#include "compile/compile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compile/kernel_table.h"
#include "compile/regime.h"
#include "compile/template.h"
#include "expr/derive.h"
#include "mech/gravity.h"

static SAL_PRINTF(2, 3) void add_warning(saltus_system *system, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = sal_arena_text(&system->arena, text);
    if (!copy || !ARRAY_PUSH(&system->arena.allocator, &system->warnings, copy))
        system->arena.failed = true;
}

const char *sal_system_unknown(const saltus_system *system, int i)
{
    return i < system->n ? system->model->coordinates.data[i].label.name
                         : system->model->constraints.data[i - system->n].label.name;
}

/* In large models, positions begin at the start of a cache line. */
enum { LINE = 8 };

static void lay_out(saltus_system *system)
{
    const int n = system->n, nm = system->nm, nmu = system->nmu;
    const int sizes[SAL_LEAF_UNIFORM_KINDS] = {[SAL_LEAF_T] = system->flat ? 1 : LINE,
                                               [SAL_LEAF_Q] = n,
                                               [SAL_LEAF_V] = n,
                                               [SAL_LEAF_A] = n,
                                               [SAL_LEAF_MU] = nmu,
                                               [SAL_LEAF_C] = nm,
                                               [SAL_LEAF_P] = system->np,
                                               [SAL_LEAF_Q_AFTER] = n,
                                               [SAL_LEAF_V_AFTER] = n,
                                               [SAL_LEAF_A_AFTER] = n,
                                               [SAL_LEAF_MU_AFTER] = nmu,
                                               [SAL_LEAF_C_AFTER] = nm,
                                               [SAL_LEAF_V_LAW] = n,
                                               [SAL_LEAF_IMPULSE] = 1,
                                               [SAL_LEAF_IMPULSE_MU] = nmu,
                                               [SAL_LEAF_PICK] = system->model->picks.count,
                                               [SAL_LEAF_SOLVER] = SAL_SOLVER_NUMBERS,
                                               [SAL_LEAF_SOFTNESS] = nmu};
    for (int kind = 0; kind < SAL_LEAF_UNIFORM_KINDS; kind++) {
        system->layout.at[kind] = system->layout.size;
        system->layout.size += sizes[kind];
    }
    system->layout.values = system->layout.size + SAL_RUN_CONSTANTS;
}

/* ---- maps that belong to no regime ---------------------------------------------------------- */

static bool compile_initial(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    const int           count = 2 * system->n + system->nm_user + 1;
    sal_node           *nodes = ARENA_NEW(scratch, count, sal_node);
    if (!nodes) return false;
    for (int i = 0; i < system->n; i++) {
        nodes[i] = model->coordinates.data[i].start;
        nodes[system->n + i] = model->coordinates.data[i].speed;
    }
    for (int i = 0; i < system->nm_user; i++)
        nodes[2 * system->n + i] = model->memories.data[i].start;
    nodes[count - 1] = model->end;
    system->end_moves = model->graph.nodes.data[model->end].kinds != 0;
    return sal_system_map(system, &system->initial, nodes, count) &&
           sal_kinks_instant(system, nodes, count, &system->start_kinks);
}

/* Integer powers up to this exponent have no features much narrower than those of their base. */
static const double PLAIN_POWER = 8.0;

/* Whether a function is local: nearly constant except in a short part of the range of its argument.
 * Functions of time count as local unless they are polynomials or sines; functions of positions and
 * velocities only if they are exponentials, since others vary no faster than the motion. */
static bool is_local(const sal_graph *graph, const sal_node_data *node, unsigned kind)
{
    const bool of_time = kind == SAL_KIND(T);
    switch (node->op) {
    case SAL_OP_EXP:
    case SAL_OP_SINH:
    case SAL_OP_COSH:
    case SAL_OP_TANH:
    case SAL_OP_ERF: return true;
    case SAL_OP_TAN:
    case SAL_OP_ASIN:
    case SAL_OP_ACOS:
    case SAL_OP_ATAN:
    case SAL_OP_ATAN2:
    case SAL_OP_ASINH:
    case SAL_OP_LOG:
    case SAL_OP_SQRT:
    case SAL_OP_HYPOT: return of_time;
    case SAL_OP_DIV: return of_time && (graph->nodes.data[node->arg[1]].kinds & kind);
    case SAL_OP_POW: {
        const sal_node_data *power = &graph->nodes.data[node->arg[1]];
        return of_time && !(power->op == SAL_OP_CONST && power->value >= 0.0 &&
                            power->value <= PLAIN_POWER && power->value == floor(power->value));
    }
    default: return false;
    }
}

static void find_narrow(saltus_system *system)
{
    static const unsigned moving[] = {SAL_KIND(T), SAL_KIND(Q), SAL_KIND(V)};
    const sal_graph      *graph = &system->model->graph;
    for (int i = 0; i < graph->nodes.count; i++)
        for (int k = 0; k < 3; k++) {
            const sal_node_data *node = &graph->nodes.data[i];
            if (node->kinds & moving[k] && is_local(graph, node, moving[k]))
                system->narrow |= moving[k];
        }
}

static bool compile_peaks(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    sal_node           *of = ARENA_NEW(scratch, system->nc, sal_node);
    system->peak = ARENA_NEW(&system->arena, system->nc, sal_compiled_peak);
    if (scratch->failed || system->arena.failed) return false;
    for (int i = 0; i < system->nc; i++) {
        const sal_cost *cost = &model->costs.data[i];
        if (!cost->peak) continue;
        const bool needs_a = sal_depends_on(&model->graph, cost->peak, SAL_KINDS_REACTION);
        of[system->peaks] = cost->peak;
        system->peak[system->peaks++] = (sal_compiled_peak){i, cost->lowest ? -1.0 : 1.0, needs_a};
    }
    return system->peaks == 0 || sal_system_map(system, &system->peak_map, of, system->peaks);
}

static bool compile_costs(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    sal_node           *integral = ARENA_NEW(scratch, system->nc, sal_node);
    sal_node           *final = ARENA_NEW(scratch, system->nc, sal_node);
    sal_target         *outputs = ARENA_NEW(scratch, system->no, sal_target);
    if (scratch->failed) return false;
    for (int i = 0; i < system->nc; i++) {
        integral[i] = model->costs.data[i].integral;
        final[i] = model->costs.data[i].final;
        system->has_integral |= integral[i] != 0;
        system->integrand_needs_a |= sal_depends_on(&model->graph, integral[i], SAL_KINDS_REACTION);
        system->final_needs_a |= sal_depends_on(&model->graph, final[i], SAL_KINDS_REACTION);
    }
    for (int i = 0; i < system->no; i++) outputs[i] = SAL_OUTPUT(model->outputs.data[i].value, i);
    return sal_long_sums_take(system, integral, scratch) &&
           sal_system_map(system, &system->integrand, integral, system->nc) &&
           sal_long_sums_add(system, &system->integrand) &&
           sal_system_map(system, &system->final, final, system->nc) &&
           sal_system_kernel(system, &system->outputs, outputs, system->no) &&
           compile_peaks(system, scratch) &&
           sal_kinks_instant(system, final, system->nc, &system->final_kinks);
}

/* Adds an expression of one constraint to the map, for all constraints of its template. */
static bool add_constraint_map(saltus_system *system, sal_map *map, sal_graph *graph, sal_node e,
                               const sal_instances *instances)
{
    const sal_target own = {.node = e, .kind = SAL_LEAF_WEIGHT_MU, .row = -1};
    return sal_map_add(map, &system->arena, graph, own, sal_leaf(graph, SAL_LEAF_WEIGHT_MU, 0),
                       &system->layout, instances);
}

/* Compiles all constraints into one program. */
static bool compile_flat_constraints(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    sal_graph          *graph = &system->model->graph;
    sal_node           *e = ARENA_NEW(scratch, system->nmu, sal_node);
    sal_node           *rate = ARENA_NEW(scratch, system->nmu, sal_node);
    if (scratch->failed) return false;
    for (int i = 0; i < model->terms.count; i++)
        if (model->terms.data[i].kind == SAL_CONSTRAINT)
            e[model->terms.data[i].rows.own] = model->terms.data[i].e[0];
    for (int j = 0; j < system->nmu; j++) rate[j] = sal_derive_time(graph, e[j]);
    for (int i = 0; i < model->terms.count; i++)
        if (model->terms.data[i].kind == SAL_ROLLING)
            rate[model->terms.data[i].rows.own] = model->terms.data[i].e[0];
    return sal_system_map(system, &system->phi, e, system->nmu) &&
           sal_system_map(system, &system->phi_dot, rate, system->nmu);
}

static bool compile_constraints(saltus_system *system, sal_arena *scratch)
{
    sal_instances *instances;
    if (system->flat) return compile_flat_constraints(system, scratch);
    system->phi.outputs = system->phi_dot.outputs = system->nmu;
    bool ok = sal_template_instances(system, NULL, &system->arena, &instances);
    for (int i = 0; i < system->terms.templates && ok; i++) {
        sal_template *t = &system->terms.template_[i];
        sal_node      rate = t->e[0];
        if (t->kind != SAL_CONSTRAINT && t->kind != SAL_ROLLING) continue;
        if (t->kind == SAL_CONSTRAINT) {
            ok = add_constraint_map(system, &system->phi, &t->graph, t->e[0], &instances[i]);
            rate = sal_derive_time(&t->graph, t->e[0]);
        }
        ok = ok && add_constraint_map(system, &system->phi_dot, &t->graph, rate, &instances[i]);
    }
    return ok;
}

/* Counts the friction constraints that can slide: each slides in one direction at a time, and is
 * then one slide. */
static void count_slides(saltus_system *system)
{
    const saltus_model *model = system->model;
    for (int j = 0; j < system->nmu; j++) {
        bool slides = false;
        system->has_rolling |= model->constraints.data[j].velocity;
        for (int i = 0; i < model->terms.count && model->constraints.data[j].velocity; i++)
            slides |= model->terms.data[i].kind > SAL_ROLLING && model->terms.data[i].rows.own == j;
        system->max_slides += slides;
    }
}

static bool compile_contacts(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    sal_graph          *graph = &system->model->graph;
    const int           count = model->found_contacts.count;
    sal_target         *numbers = ARENA_NEW(scratch, count * SAL_CONTACT_NUMBERS, sal_target);
    sal_target         *rates = ARENA_NEW(scratch, count * SAL_CONTACT_RATES, sal_target);
    if (scratch->failed) return false;
    for (int i = 0; i < count; i++) {
        const sal_contact *contact = &model->found_contacts.data[i];
        const sal_node number[] = {contact->restitution, contact->mu_static, contact->mu_kinetic};
        sal_node       rate[SAL_CONTACT_RATES] = {0, 0};
        if (contact->normal >= 0)
            rate[SAL_GAP_RATE] = sal_derive_time(
                graph, sal_derive_time(graph, model->constraints.data[contact->normal].phi));
        if (contact->friction >= 0)
            rate[SAL_SLIP_RATE] =
                sal_derive_time(graph, model->constraints.data[contact->friction].phi);
        for (int k = 0; k < SAL_CONTACT_NUMBERS; k++)
            numbers[i * SAL_CONTACT_NUMBERS + k] =
                SAL_OUTPUT(number[k], i * SAL_CONTACT_NUMBERS + k);
        for (int k = 0; k < SAL_CONTACT_RATES; k++)
            rates[i * SAL_CONTACT_RATES + k] = SAL_OUTPUT(rate[k], i * SAL_CONTACT_RATES + k);
    }
    return sal_system_kernel(system, &system->contact_numbers, numbers,
                             count * SAL_CONTACT_NUMBERS) &&
           sal_system_kernel(system, &system->contact_rates, rates, count * SAL_CONTACT_RATES);
}

static bool compile_sides(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    sal_target         *sides = ARENA_NEW(scratch, system->nmu, sal_target);
    int                 count = 0;
    if (!sides) return false;
    for (int j = 0; j < system->nmu; j++)
        if (model->constraints.data[j].side)
            sides[count++] = SAL_OUTPUT(model->constraints.data[j].side, j);
    return sal_system_kernel(system, &system->sides, sides, count);
}

static bool compile_kinks(saltus_system *system, sal_arena *scratch)
{
    sal_node *nodes = ARENA_NEW(scratch, system->kinks, sal_node);
    if (!nodes) return false;
    for (int i = 0; i < system->kinks; i++) nodes[i] = system->kink[i].argument;
    return sal_system_map(system, &system->kink_map, nodes, system->kinks);
}

/* Marks the memories that constraints contain: resetting one of them may change velocities. */
static bool find_holding(saltus_system *system, sal_arena *scratch)
{
    const saltus_model *model = system->model;
    sal_graph          *graph = &system->model->graph;
    sal_node           *phi = ARENA_NEW(scratch, system->nmu, sal_node);
    system->holds = ARENA_NEW(&system->arena, system->nm_user, unsigned char);
    if (!phi || !system->holds) return false;
    for (int j = 0; j < system->nmu; j++) phi[j] = model->constraints.data[j].phi;
    if (!sal_graph_walk(graph, phi, system->nmu)) return false;
    for (int i = 0; i < graph->walk.list.count; i++) {
        int kind, index;
        if (sal_is_leaf(graph, graph->walk.list.data[i], &kind, &index) && kind == SAL_LEAF_C &&
            index < system->nm_user)
            system->holds[index] = 1;
    }
    return true;
}

static void add_user_events(saltus_system *system, bool hidden)
{
    const saltus_model *model = system->model;
    for (int i = 0; i < model->events.count; i++) {
        const sal_event *event = &model->events.data[i];
        if ((event->hidden != SAL_SHOWN) != hidden) continue;
        system->event[system->events++] = (sal_compiled_event){.name = event->label.name,
                                                               .user = i,
                                                               .kink = -1,
                                                               .hidden = event->hidden,
                                                               .samples = -1};
    }
}

static saltus_status compile_events(saltus_system *system, saltus_error *err)
{
    const saltus_model *model = system->model;
    system->event =
        ARENA_NEW(&system->arena, model->events.count + system->kinks, sal_compiled_event);
    if (!system->event) return sal_fail_memory(err);
    add_user_events(system, false);
    for (int i = 0; i < system->kinks; i++)
        if (system->kink[i].moves)
            system->event[system->events++] = (sal_compiled_event){
                .name = system->kink[i].name, .user = -1, .kink = i, .samples = -1};
    system->events_shown = system->events;
    add_user_events(system, true);
    for (int i = 0; i < model->samples.count; i++)
        for (int e = system->events_shown; e < system->events; e++)
            if (system->event[e].user == model->samples.data[i].event) system->event[e].samples = i;
    const bool shared = sal_guards_are_nested(system);
    for (int i = 0; i < system->events; i++)
        TRY(sal_event_compile(system, &system->event[i], shared, err));
    if (shared && !sal_guards_share(system)) return sal_fail_memory(err);
    return sal_power_bases_find(system) ? SALTUS_OK : sal_fail_memory(err);
}

static int largest_kernel(const saltus_system *system)
{
    int most = sal_kernels_slots(SAL_OF_SYSTEM, system);
    for (int i = 0; i < system->events; i++) {
        const int slots = sal_kernels_slots(SAL_OF_EVENT, &system->event[i]);
        if (slots > most) most = slots;
    }
    for (int i = 0; i < system->model->tables.count; i++)
        for (int k = 0; k < system->table[i].maps; k++) {
            const sal_map *map = &system->table[i].map[k];
            most = map->value.slots > most ? map->value.slots : most;
            most = map->tangent.slots > most ? map->tangent.slots : most;
            most = map->adjoint.slots > most ? map->adjoint.slots : most;
        }
    return most;
}

/* Start values of positions, velocities and memories, in the order of the initial map. */
static void keep_start_texts(saltus_system *system)
{
    const saltus_model *model = system->model;
    sal_arena          *arena = &system->arena;
    const int           n = system->n, count = 2 * n + system->nm_user;
    system->start_text = ARENA_NEW(arena, count, const char *);
    system->start_value = ARENA_NEW(arena, count, double);
    for (int i = 0; i < count && !arena->failed; i++) {
        const sal_node node = i < n       ? model->coordinates.data[i].start
                              : i < 2 * n ? model->coordinates.data[i - n].speed
                                          : model->memories.data[i - 2 * n].start;
        system->start_text[i] = sal_model_text(model, arena, node);
    }
}

static const char *text_if_there(saltus_system *system, sal_node node)
{
    return node ? sal_model_text(system->model, &system->arena, node) : "";
}

static void keep_contact_texts(saltus_system *system)
{
    const saltus_model *model = system->model;
    sal_arena          *arena = &system->arena;
    const int           count = model->found_contacts.count;
    system->contact_text = ARENA_NEW(arena, 3 * count, const char *);
    for (int i = 0; i < count && !arena->failed; i++) {
        const sal_contact *contact = &model->found_contacts.data[i];
        const sal_node     node[] = {contact->given_restitution, contact->mu_static,
                                     contact->mu_kinetic};
        for (int k = 0; k < 3; k++)
            system->contact_text[3 * i + k] = text_if_there(system, node[k]);
    }
}

static bool keep_texts(saltus_system *system)
{
    const saltus_model *model = system->model;
    sal_arena          *arena = &system->arena;
    system->cost_integral = ARENA_NEW(arena, system->nc, const char *);
    system->cost_final = ARENA_NEW(arena, system->nc, const char *);
    system->cost_peak = ARENA_NEW(arena, system->nc, const char *);
    for (int i = 0; i < system->nc && !arena->failed; i++) {
        const sal_cost *cost = &model->costs.data[i];
        system->cost_integral[i] = text_if_there(system, cost->integral);
        system->cost_final[i] = text_if_there(system, cost->final);
        system->cost_peak[i] = text_if_there(system, cost->peak);
    }
    system->end_text = sal_model_text(model, &system->arena, model->end);
    keep_start_texts(system);
    keep_contact_texts(system);
    return !arena->failed;
}

static bool can_be_active(const saltus_model *model, const sal_modes *modes)
{
    for (int i = 0; i < modes->count;) {
        const int group = model->modes.data[modes->mode[i]].group;
        bool      entered = false;
        for (; i < modes->count && model->modes.data[modes->mode[i]].group == group; i++)
            entered = entered || sal_model_enters(model, modes->mode[i]);
        if (!entered) return false;
    }
    return true;
}

/* Warns of what is allowed, but probably not intended. */
static void warn(saltus_system *system)
{
    const saltus_model *model = system->model;
    if (model->gravities.count > 0 && model->point_masses.count == 0)
        add_warning(system, "gravity acts on nothing: it acts on point masses (mass(P, m)), not on "
                            "bare coordinates; write force(y, -m * g)");
    for (int i = 0; i < model->terms.count; i++)
        if (!can_be_active(model, &model->terms.data[i].modes))
            add_warning(system,
                        "line %d: a term belongs to a mode that nothing enters (no event "
                        "goes to it): it never acts",
                        model->terms.data[i].place.line);
}

static bool suits_loops(const saltus_system *system)
{
    return system->form == SAL_DIAGONAL && system->mass_constant && system->n >= SAL_LOOPS_FROM &&
           system->terms.count >= SAL_LOOPS_ALIKE * system->terms.templates;
}

/* Sorts the terms by shape and chooses the form of the matrix. Unsets `flat` where loops over terms
 * are faster. */
static bool find_terms(saltus_system *system, const sal_limits *limits)
{
    const saltus_model *model = system->model;
    if (!sal_templates_sort(system, model->terms.data, model->terms.count, &system->terms) ||
        !sal_regime_find_form(system, limits->sparse_from))
        return false;
    if (!system->flat) return true;
    if (suits_loops(system)) {
        system->flat = false;
        sal_template_set_free(&system->terms);
        return find_terms(system, limits);
    }
    system->mass_constant = false; /* flat programs make no use of it */
    return true;
}

/* The passes, in order. */
static saltus_status compile(saltus_system *system, const sal_limits *limits,
                             const sal_cost_list *costs, sal_arena *scratch, saltus_error *err)
{
    saltus_model *model = system->model;
    sal_gravity_finish(model);
    TRY(sal_model_finish_clocks(model, err));
    TRY(sal_model_check(model, err));
    if (costs) TRY(sal_model_keep_costs(model, costs->name, costs->count, err));
    system->n = model->coordinates.count;
    system->np = model->params.count;
    system->nmu = model->constraints.count;
    system->unknowns = system->n + system->nmu;
    system->nm_user = model->memories.count;
    system->nc = model->costs.count;
    system->no = model->outputs.count;
    if (!keep_texts(system) || !sal_square_roots_simplify(system) ||
        !sal_square_roots_smooth(system) || !sal_powers_clamp(system) || !sal_kinks_replace(system))
        return sal_fail_memory(err);
    find_narrow(system);
    system->nm = system->nm_user + system->kinks;
    int elements = 0; /* elements of tables: nodes that no program of the motion contains */
    for (int i = 0; i < model->tables.count; i++) elements += model->tables.data[i].count;
    system->flat = model->terms.count <= limits->flat_terms &&
                   model->graph.nodes.count - elements <= SAL_FLAT_NODES &&
                   system->unknowns <= SAL_SOLVED_MAX_UNKNOWNS;
    if (!find_terms(system, limits)) return sal_fail_memory(err);
    lay_out(system);
    if (!compile_initial(system, scratch) || !compile_costs(system, scratch) ||
        !compile_constraints(system, scratch) || !compile_contacts(system, scratch) ||
        !compile_sides(system, scratch) || !compile_kinks(system, scratch) ||
        !sal_tables_compile(system) || !find_holding(system, scratch))
        return sal_fail_memory(err);
    TRY(compile_events(system, err));
    count_slides(system);
    system->needs_law = system->nmu > 0;
    for (int i = 0; i < system->events; i++)
        system->needs_law |= system->event[i].reset.restitution;
    warn(system);
    system->slots = largest_kernel(system);
    if (system->flat && !sal_graph_copy(&system->cache->graph, &model->graph))
        return sal_fail_memory(err);
    return system->arena.failed || model->graph.failed ? sal_fail_memory(err) : SALTUS_OK;
}

/* ---- limits --------------------------------------------------------------------------------- */

static int wants_end(void *context)
{
    const saltus_model   *model = context;
    const saltus_options *options = &model->options;
    return options->progress(options->progress_context, model->start, model->start);
}

/* Copies the model; from then on memory and steps of compiling count towards its limits. */
static void take_model(saltus_system *system, const saltus_model *model, saltus_error *err)
{
    sal_work *work = &system->cache->work;
    *work = (sal_work){.inner = system->allocator,
                       .most = model->compile_memory,
                       .most_steps = model->compile_steps};
    const saltus_allocator counted = sal_work_allocator(work);
    sal_arena_init(&system->arena, &counted);
    sal_graph_init(&system->cache->graph, &counted);
    system->model = sal_model_clone(model, &counted, err);
    if (!system->model || !system->model->options.progress) return;
    work->wants_end = wants_end;
    work->context = system->model;
}

void sal_system_forget_progress(saltus_system *system) { system->cache->work.wants_end = NULL; }

saltus_status sal_system_fail_work(const saltus_system *system, saltus_error *err)
{
    const sal_work *work = &system->cache->work;
    const int       nodes = system->model ? system->model->graph.nodes.count : 0;
    switch (work->end) {
    case SAL_WORK_INTERRUPTED:
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted while compiling the model");
    case SAL_WORK_MEMORY:
        return sal_fail(err, SALTUS_ERR_MODEL,
                        "compiling the model needs more than its limit of %zu MiB: it has %d "
                        "operations by now, and %d abs, sign, min, max or atan2 that move; nest "
                        "fewer of them in each other, or describe the model by smaller terms",
                        work->most >> 20, nodes, system->kinks);
    case SAL_WORK_STEPS:
        return sal_fail(err, SALTUS_ERR_MODEL,
                        "compiling the model takes too long: it was stopped at its limit; it has "
                        "%d operations by now, and %d abs, sign, min, max or atan2 that move; nest "
                        "fewer of them in each other, or describe the model by smaller terms",
                        nodes, system->kinks);
    case SAL_WORK_GOES_ON: break;
    }
    return sal_fail_memory(err);
}

/* Replaces an "out of memory" error by its reason if compiling was stopped at a limit. */
static void tell_why(const saltus_system *system, saltus_error *err)
{
    if (!err || err->status != SALTUS_ERR_MEMORY || !system->cache->work.end) return;
    err->status = SALTUS_OK;
    sal_system_fail_work(system, err);
}

/* A system and its cache, allocated as one block. */
typedef struct system_block {
    saltus_system    plan;
    sal_system_cache cache;
} system_block;

/* An empty system; NULL when out of memory. */
static saltus_system *new_system(const saltus_allocator *allocator)
{
    system_block *block = sal_resize(allocator, NULL, 0, sizeof *block);
    if (!block) return NULL;
    memset(block, 0, sizeof *block);
    block->plan.allocator = *allocator;
    block->plan.cache = &block->cache;
    if (pthread_mutex_init(&block->cache.lock, NULL) == 0) return &block->plan;
    sal_resize(allocator, block, sizeof *block, 0);
    return NULL;
}

saltus_system *sal_system_new(const saltus_model *model, const sal_limits *limits,
                              const sal_cost_list *costs, saltus_error *err)
{
    const saltus_error *mistake = saltus_model_error(model);
    if (mistake->status) {
        if (err && !err->status) *err = *mistake;
        return NULL;
    }
    saltus_system *system = new_system(&model->arena.allocator);
    if (!system) {
        sal_fail_memory(err);
        return NULL;
    }
    take_model(system, model, err);
    sal_arena scratch;
    sal_arena_init(&scratch, &system->arena.allocator);
    const bool ok = system->model && compile(system, limits, costs, &scratch, err) == SALTUS_OK;
    sal_arena_free(&scratch);
    if (ok) return system;
    tell_why(system, err);
    sal_system_free(system);
    return NULL;
}

void sal_system_free(saltus_system *system)
{
    if (!system) return;
    const saltus_allocator allocator = system->arena.allocator, inner = system->allocator;
    sal_system_cache_clear(system);
    ARRAY_RELEASE(&allocator, &system->warnings);
    sal_template_set_free(&system->terms);
    sal_template_set_free(&system->addends);
    saltus_model_free(system->model);
    sal_arena_free(&system->arena);
    pthread_mutex_destroy(&system->cache->lock);
    sal_resize(&inner, system, sizeof(system_block), 0);
}
