/* Compiles events: guards, conditions and resets become maps, among them the contact's part of the
 * law of impacts (contact_law). Finds guards that are clocks, or smooth enough for the screen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compile/system.h"
#include "expr/derive.h"

typedef struct reset_nodes {
    sal_node *before;  /* by entry of (q, v, c): its new value; null: unchanged */
    sal_node *contact; /* the n + 1 outputs of sal_reset.contact */
    sal_node *normal;  /* the n outputs of sal_reset.normal */
    sal_node *late;    /* by entry of (q, v, c): its value from both states; null: unchanged */
    sal_node *charge;  /* by cost; null: nothing is charged */
} reset_nodes;

/* Returns the index in (q, v, c) of what an assignment sets. */
static int output_of(const saltus_system *system, const sal_assignment *entry)
{
    const int n = system->n;
    return entry->kind == SAL_LEAF_Q   ? entry->index
           : entry->kind == SAL_LEAF_V ? n + entry->index
                                       : 2 * n + entry->index;
}

/* ---- assignments ---------------------------------------------------------------------------- */

static sal_node seed_after_time(void *context, sal_graph *graph, int kind, int index)
{
    (void)context;
    switch (kind) {
    case SAL_LEAF_T: return sal_const(graph, 1.0);
    case SAL_LEAF_Q: return sal_leaf(graph, SAL_LEAF_V, index);
    case SAL_LEAF_Q_AFTER: return sal_leaf(graph, SAL_LEAF_V_AFTER, index);
    default: return 0;
    }
}

/* The velocity that a coordinate gets from its new value: the time derivative of the value, if that
 * contains positions but no velocities or accelerations; otherwise null. */
static sal_node velocity_of(sal_graph *graph, sal_node value)
{
    const unsigned positions = SAL_KIND(Q) | SAL_KIND(Q_AFTER);
    const unsigned speeds = SAL_KIND(V) | SAL_KIND(V_AFTER) | SAL_KIND(A) | SAL_KIND(A_AFTER);
    sal_node       d = 0;
    if (!sal_depends_on(graph, value, positions) || sal_depends_on(graph, value, speeds)) return 0;
    sal_derive_along(graph, &value, 1, seed_after_time, NULL, &d);
    return d;
}

static void apply_set(const saltus_system *system, sal_graph *graph, const sal_event *event,
                      bool late, sal_node *out)
{
    for (int pass = 0; pass < 2; pass++) /* velocities that are set replace derived ones */
        for (int i = 0; i < event->set.count; i++) {
            const sal_assignment *entry = &event->set.data[i];
            if (sal_depends_on(graph, entry->value, SAL_KINDS_AFTER) != late) continue;
            if (pass == 1) out[output_of(system, entry)] = entry->value;
            if (pass == 0 && entry->kind == SAL_LEAF_Q) {
                const sal_node speed = velocity_of(graph, entry->value);
                if (speed) out[system->n + entry->index] = speed;
            }
        }
}

/* ---- Newton's law on the guard -------------------------------------------------------------- */

static sal_node position_after(void *context, sal_graph *graph, sal_node node)
{
    int kind, index;
    (void)context;
    if (!sal_is_leaf(graph, node, &kind, &index) || kind != SAL_LEAF_Q) return 0;
    return sal_leaf(graph, SAL_LEAF_Q_AFTER, index);
}

/* The seed of dr/dt along a velocity, which has the kind V_AFTER or V_LAW. */
static sal_node seed_rate(void *context, sal_graph *graph, int kind, int index)
{
    const int *velocity = context;
    if (kind == SAL_LEAF_T) return sal_const(graph, 1.0);
    return kind == SAL_LEAF_Q_AFTER ? sal_leaf(graph, *velocity, index) : 0;
}

static sal_node rate_along(sal_graph *graph, sal_node r, int velocity)
{
    sal_node d = 0;
    sal_derive_along(graph, &r, 1, seed_rate, &velocity, &d);
    return d;
}

static void note_normal(void *context, int kind, int index, sal_node derivative)
{
    sal_node *normal = context;
    if (kind == SAL_LEAF_Q_AFTER) normal[index] = derivative;
}

/* G = [ -r_q^T delta ; -(r_q v+ + r_t) - e (r_q v* + r_t) ], at the relabelled positions. */
static void contact_law(const saltus_system *system, sal_graph *graph, const sal_event *event,
                        reset_nodes *nodes)
{
    sal_node       r = event->when;
    const sal_node delta = sal_leaf(graph, SAL_LEAF_IMPULSE, 0);
    sal_substitute(graph, &r, 1, position_after, NULL, &r);
    if (!r) return;
    sal_derive_back(graph, &r, NULL, 1, note_normal, nodes->normal);
    for (int i = 0; i < system->n; i++)
        if (nodes->normal[i])
            nodes->contact[i] = sal_neg(graph, sal_mul(graph, delta, nodes->normal[i]));
    const sal_node bounce =
        sal_mul(graph, event->restitution, rate_along(graph, r, SAL_LEAF_V_LAW));
    nodes->contact[system->n] =
        sal_neg(graph, sal_add(graph, rate_along(graph, r, SAL_LEAF_V_AFTER), bounce));
}

/* ---- charges -------------------------------------------------------------------------------- */

typedef struct impulse_context {
    const saltus_model *model;
    const sal_event    *event;
    const char         *wrong; /* a name that is not this event's contact */
} impulse_context;

static sal_node own_impulse(void *context, sal_graph *graph, sal_node node)
{
    impulse_context *c = context;
    int              kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index) || kind != SAL_LEAF_IMPULSE) return 0;
    const char *name = c->model->impulses.data[index];
    const bool  is_own = c->event->restitution && strcmp(name, c->event->label.name) == 0;
    const int   constraint = sal_name_find(&c->model->constraint_names, name);
    if (!is_own && constraint >= 0) return sal_leaf(graph, SAL_LEAF_IMPULSE_MU, constraint);
    if (!is_own) c->wrong = name;
    return sal_leaf(graph, SAL_LEAF_IMPULSE, 0);
}

static saltus_status charges(const saltus_system *system, sal_graph *graph, const sal_event *event,
                             sal_node *out, saltus_error *err)
{
    const saltus_model *model = system->model;
    for (int i = 0; i < event->charge.count; i++) {
        const sal_charge *entry = &event->charge.data[i];
        impulse_context   context = {model, event, NULL};
        for (int k = 0; k < model->costs.count; k++)
            if (strcmp(model->costs.data[k].label.name, entry->cost) == 0) {
                out[k] = entry->value;
                sal_substitute(graph, &out[k], 1, own_impulse, &context, &out[k]);
            }
        if (context.wrong)
            return sal_fail_at(err, SALTUS_ERR_MODEL, entry->place.file, entry->place.line,
                               "impulse(\"%s\") in the charge of event '%s': %s", context.wrong,
                               event->label.name,
                               event->restitution ? "its own contact has the name of the event"
                                                  : "the event has no restitution=, so there is no "
                                                    "contact impulse");
    }
    return SALTUS_OK;
}

/* ---- whole events --------------------------------------------------------------------------- */

static bool build_assigned(saltus_system *system, sal_assigned *assigned, sal_node *nodes)
{
    const int state = 2 * system->n + system->nm_user;
    int       count = 0;
    for (int i = 0; i < state; i++) count += nodes[i] != 0;
    if (count == 0) return true;
    int *output = ARENA_NEW(&system->arena, count, int);
    if (!output) return false;
    for (int i = 0; i < state; i++) {
        if (!nodes[i]) continue;
        output[assigned->count] = i;
        nodes[assigned->count++] = nodes[i];
    }
    assigned->output = output;
    return sal_system_map(system, &assigned->map, nodes, count);
}

static bool build_maps(saltus_system *system, sal_reset *reset, const reset_nodes *nodes,
                       sal_node restitution)
{
    const sal_target bounce = SAL_OUTPUT(restitution, 0);
    bool             ok = build_assigned(system, &reset->before, nodes->before);
    if (reset->restitution)
        ok = ok && sal_system_map(system, &reset->contact, nodes->contact, system->n + 1) &&
             sal_system_map(system, &reset->normal, nodes->normal, system->n) &&
             sal_system_kernel(system, &reset->bounce, &bounce, 1);
    ok = ok && build_assigned(system, &reset->late, nodes->late);
    if (reset->has_charge)
        ok = ok && sal_system_map(system, &reset->charge, nodes->charge, system->nc);
    return ok;
}

static saltus_status compile_reset(saltus_system *system, sal_arena *scratch,
                                   sal_compiled_event *event, const sal_event *source,
                                   saltus_error *err)
{
    sal_graph  *graph = &system->model->graph;
    sal_reset  *reset = &event->reset;
    const int   state = 2 * system->n + system->nm_user, total = 2 * state + 2 * system->n + 1;
    sal_node   *all = ARENA_NEW(scratch, total + system->nc + 1, sal_node);
    reset_nodes nodes = {all, all + state, all + state + system->n + 1,
                         all + state + 2 * system->n + 1, all + total};
    if (!all) return sal_fail_memory(err);
    apply_set(system, graph, source, false, nodes.before);
    for (int i = 0; i < source->set.count; i++) {
        const sal_assignment *entry = &source->set.data[i];
        if (sal_depends_on(graph, entry->value, SAL_KINDS_AFTER)) continue;
        if (entry->kind == SAL_LEAF_V) reset->sets_velocity = true;
        else if (entry->kind == SAL_LEAF_Q || system->holds[entry->index]) reset->sets_rest = true;
        reset->set_needs_a |= sal_depends_on(graph, entry->value, SAL_KINDS_REACTION);
    }
    reset->restitution = source->restitution != 0;
    if (reset->restitution) contact_law(system, graph, source, &nodes);
    apply_set(system, graph, source, true, nodes.late);
    reset->has_charge = source->charge.count > 0;
    TRY(charges(system, graph, source, nodes.charge, err));
    for (int k = 0; k < system->nc; k++) {
        reset->charge_needs_a_before |= sal_depends_on(graph, nodes.charge[k], SAL_KINDS_REACTION);
        reset->charge_needs_a_after |=
            sal_depends_on(graph, nodes.charge[k], SAL_KIND(A_AFTER) | SAL_KIND(MU_AFTER));
    }
    reset->identity = source->set.count == 0 && !reset->restitution && !reset->has_charge;
    if (!build_maps(system, reset, &nodes, source->restitution)) return sal_fail_memory(err);
    int changed = 0; /* keep only what the event changes: usually few entries of the state */
    for (int i = 0; i < total + system->nc; i++)
        if (all[i]) all[changed++] = all[i];
    if (event->samples >= 0 && !system->model->samples.data[event->samples].charged) {
        const sal_node value = system->model->samples.data[event->samples].value;
        all[changed++] = value;
        reset->charge_needs_a_before |= sal_depends_on(graph, value, SAL_KINDS_REACTION);
        if (!sal_system_map(system, &event->sampled, &value, 1)) return sal_fail_memory(err);
    }
    const bool ok = sal_table_reads_find(system, all, changed, reset) &&
                    sal_kinks_instant(system, all, changed, &reset->kinks);
    return ok ? SALTUS_OK : sal_fail_memory(err);
}

/* Whether some constraint belongs to a mode that the event enters. */
static bool brings_constraints(const saltus_model *model, const sal_event *event)
{
    for (int j = 0; j < model->constraints.count; j++) {
        const sal_modes *modes = &model->constraints.data[j].modes;
        for (int i = 0; i < modes->count; i++)
            for (int k = 0; k < event->to.count; k++)
                if (modes->mode[i] == event->to.mode[k]) return true;
    }
    return false;
}

/* Returns the law of an event as users see it: "set", "restitution", "inelastic", ... or "none". */
static const char *law_of(const saltus_model *model, const sal_event *event)
{
    if (event->restitution) return event->set.count ? "set, restitution" : "restitution";
    for (int i = 0; i < event->set.count; i++)
        if (event->set.data[i].kind == SAL_LEAF_V) return "set";
    if (brings_constraints(model, event)) return event->set.count ? "set, inelastic" : "inelastic";
    return event->set.count ? "set" : "none";
}

const char *sal_modes_text(const saltus_model *model, sal_arena *arena, const int *modes, int count,
                           const char *joint)
{
    size_t length = 1;
    for (int i = 0; i < count; i++)
        length += strlen(joint) + strlen(model->modes.data[modes[i]].label.name);
    char *text = sal_arena_get(arena, length, 1), *end = text;
    for (int i = 0; i < count && text; i++)
        end += sprintf(end, "%s%s", i ? joint : "", model->modes.data[modes[i]].label.name);
    return text ? text : "";
}

/* The number of leading conditions that compare speeds. Whether a contact that can both bounce and
 * close does one or the other depends on its speed, which the first condition of either event
 * compares. */
static int count_speeds(const saltus_model *model, const sal_event *source)
{
    if (!source->found || source->role != SAL_TOUCHES) return 0;
    const sal_contact *contact = &model->found_contacts.data[source->found - 1];
    return contact->closes && contact->restitution ? 1 : 0;
}

static saltus_status compile_user_event(saltus_system *system, sal_arena *scratch,
                                        sal_compiled_event *event, saltus_error *err)
{
    const saltus_model *model = system->model;
    const sal_event    *source = &model->events.data[event->user];
    event->direction = source->direction;
    event->stop = source->stop;
    event->from_text =
        sal_modes_text(model, &system->arena, source->from.mode, source->from.count, ", ");
    event->to_text =
        sal_modes_text(model, &system->arena, source->to.mode, source->to.count, " + ");
    event->law = law_of(model, source);
    event->wheres = source->where.count;
    event->speeds = count_speeds(model, source);
    if (!sal_system_map(system, &event->where, source->where.data, event->wheres))
        return sal_fail_memory(err);
    return compile_reset(system, scratch, event, source, err);
}

/* Whether an operation makes a guard anything but a polynomial in t, q, v or a root of one. Such a
 * guard may oscillate faster than the motion. */
static bool is_rough(const sal_graph *graph, sal_node node)
{
    const unsigned       moving = SAL_KIND(T) | SAL_KIND(Q) | SAL_KIND(V);
    const sal_node_data *data = &graph->nodes.data[node];
    if (!sal_depends_on(graph, node, moving)) return false;
    switch (data->op) {
    case SAL_OP_LEAF:
    case SAL_OP_NEG:
    case SAL_OP_ADD:
    case SAL_OP_SUB:
    case SAL_OP_MUL:
    case SAL_OP_SQRT: return false;
    case SAL_OP_DIV: return sal_depends_on(graph, data->arg[1], moving);
    default: return true;
    }
}

bool sal_guards_find_smooth(sal_graph *graph, const sal_node *guards, int count, bool *smooth)
{
    if (!sal_graph_walk(graph, guards, count)) return false;
    int *rough = graph->walk.image;
    for (int i = 0; i < graph->walk.list.count; i++) {
        const sal_node       node = graph->walk.list.data[i];
        const sal_node_data *data = &graph->nodes.data[node];
        rough[node] = is_rough(graph, node);
        for (int k = 0; k < sal_op_arguments(data->op); k++) rough[node] |= rough[data->arg[k]];
    }
    for (int i = 0; i < count; i++)
        smooth[i] = !rough[guards[i]] && !sal_depends_on(graph, guards[i], SAL_KINDS_REACTION);
    return true;
}

/* Whether the guard is k t + b, with k and b constant between events. */
static bool is_clock(const sal_graph *graph, sal_node guard, sal_node rate)
{
    const unsigned moving = SAL_KIND(Q) | SAL_KIND(V) | SAL_KINDS_REACTION;
    return sal_depends_on(graph, guard, SAL_KIND(T)) && !sal_depends_on(graph, guard, moving) &&
           !sal_depends_on(graph, rate, SAL_KIND(T));
}

int sal_event_note_along(const sal_graph *graph, sal_compiled_event *event,
                         const sal_along_nodes *r)
{
    const bool of_positions = !sal_depends_on(graph, r->rate, SAL_KIND(A));
    event->guard_is_clock = is_clock(graph, r->guard, r->rate);
    event->guard_is_linear =
        of_positions && !sal_depends_on(graph, r->bend, SAL_KIND(T) | SAL_KIND(Q) | SAL_KIND(V));
    return event->guard_is_linear ? 3 : 2;
}

/* Compiles the kernel of r and r' = r_t + r_q v + r_v a, and of r'' if that is r_q a with r_q
 * constant along the motion. A guard with accelerations or multipliers has no such kernel. */
static bool compile_along(saltus_system *system, sal_compiled_event *event, sal_graph *graph,
                          sal_node guard)
{
    if (event->guard_needs_a) return true;
    sal_along_nodes r = {.guard = guard, .rate = sal_derive_time(graph, guard)};
    if (!sal_depends_on(graph, r.rate, SAL_KIND(A))) r.bend = sal_derive_time(graph, r.rate);
    if (graph->failed) return false;
    const sal_target targets[] = {SAL_OUTPUT(guard, 0), SAL_OUTPUT(r.rate, 1),
                                  SAL_OUTPUT(r.bend, 2)};
    const int        count = sal_event_note_along(graph, event, &r);
    if (!sal_system_kernel(system, &event->along, targets, count)) return false;
    sal_kernel_store(&event->along, count);
    return true;
}

enum { LOOKS = 1000 }; /* the most visits to nodes: shared sums could be reached in too many ways */

/* The sum of the magnitudes of all numbers that the script adds up in a guard. They are rounded
 * like other values; but where they cancel, or add up to a multiple of pi inside a sine, the value
 * of the guard does not show how large its rounding errors are. */
static double literals_of(const sal_graph *graph, sal_node node, int depth, int *left)
{
    const sal_node_data *data = &graph->nodes.data[node];
    double               value;
    if (!node || depth > 64 || --*left < 0) return 0.0;
    if (sal_is_const(graph, node, &value)) return fabs(value);
    switch (data->op) {
    case SAL_OP_NEG: return literals_of(graph, data->arg[0], depth + 1, left);
    case SAL_OP_ADD:
    case SAL_OP_SUB: {
        const double first = literals_of(graph, data->arg[0], depth + 1, left);
        return first + literals_of(graph, data->arg[1], depth + 1, left);
    }
    case SAL_OP_MUL:
        for (int i = 0; i < 2; i++)
            if (sal_is_const(graph, data->arg[i], &value))
                return fabs(value) * literals_of(graph, data->arg[1 - i], depth + 1, left);
        return 0.0;
    case SAL_OP_SIN:
    case SAL_OP_COS: return literals_of(graph, data->arg[0], depth + 1, left);
    default: return 0.0;
    }
}

/* Returns the constraint with phi = guard or phi = -guard; -1 if there is none. */
static int constraint_of(const saltus_model *model, sal_node guard)
{
    const sal_node_data *nodes = model->graph.nodes.data;
    if (nodes[guard].op == SAL_OP_NEG) guard = nodes[guard].arg[0];
    for (int j = 0; j < model->constraints.count; j++) {
        const sal_node phi = model->constraints.data[j].phi;
        if (phi == guard || (nodes[phi].op == SAL_OP_NEG && nodes[phi].arg[0] == guard)) return j;
    }
    return -1;
}

saltus_status sal_event_compile(saltus_system *system, sal_compiled_event *event, bool shared,
                                saltus_error *err)
{
    sal_graph *graph = &system->model->graph;
    const bool automatic = event->user < 0;
    sal_node   guard = automatic ? system->kink[event->kink].argument
                                 : system->model->events.data[event->user].when;
    int        looks = LOOKS;
    event->guard_needs_a = sal_depends_on(graph, guard, SAL_KINDS_REACTION);
    event->guard_has_speeds = sal_depends_on(graph, guard, SAL_KIND(V) | SAL_KINDS_REACTION);
    event->guard_has_forces = sal_depends_on(graph, guard, SAL_KIND(MU));
    event->guard_is_given = !sal_depends_on(graph, guard, ~(unsigned)SAL_KIND(T));
    event->constraint = constraint_of(system->model, guard);
    event->literals = literals_of(graph, guard, 0, &looks);
    event->when_text = sal_model_text(system->model, &system->arena, guard);
    if (!(automatic && shared) &&
        (!sal_guards_find_smooth(graph, &guard, 1, &event->guard_is_smooth) ||
         !sal_system_map(system, &event->guard, &guard, 1) ||
         !compile_along(system, event, graph, guard)))
        return sal_fail_memory(err);
    if (automatic) {
        event->direction = SALTUS_ANY;
        event->reset.identity = true;
        event->from_text = event->to_text = "";
        event->law = "kink";
        return SALTUS_OK;
    }
    WORK_ARENA(scratch, &system->arena.allocator);
    return compile_user_event(system, &scratch, event, err);
}
