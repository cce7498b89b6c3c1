/* Symbols and operations: parameters, coordinates, memories, modes, arithmetic. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "expr/derive.h"
#include "model/model.h"

static saltus_expr handle(saltus_model *model, sal_node node)
{
    if (!node && saltus_model_error(model)->status == SALTUS_OK) sal_model_out_of_memory(model);
    return (saltus_expr){model->error.status == SALTUS_OK ? node : 0};
}

static const saltus_expr null_expr = {0};

sal_node sal_model_node(saltus_model *model, saltus_expr e, const char *what)
{
    if (sal_model_failed(model)) return 0;
    if (e.id <= 0 || e.id >= model->graph.nodes.count) {
        saltus_model_fail(model, "%s is missing or not an expression", what);
        return 0;
    }
    return e.id;
}

static const char *kind_in_words(int kind)
{
    static const char *const words[] = {
        [SAL_LEAF_T] = "the time t",   [SAL_LEAF_Q] = "coordinates",
        [SAL_LEAF_V] = "velocities",   [SAL_LEAF_A] = "accelerations",
        [SAL_LEAF_MU] = "multipliers", [SAL_LEAF_C] = "memories",
        [SAL_LEAF_P] = "parameters",   [SAL_LEAF_IMPULSE] = "impulse(...)",
    };
    const bool known = kind < (int)(sizeof words / sizeof *words) && words[kind];
    return known ? words[kind] : "after(...)";
}

/* Returns the name of a first-order state in the expression; NULL: there is none. */
static const char *state_in(saltus_model *model, sal_node node)
{
    int kind, index;
    if (model->states == 0 || !sal_graph_walk(&model->graph, &node, 1)) return NULL;
    for (int i = 0; i < model->graph.walk.list.count; i++)
        if (sal_is_leaf(&model->graph, model->graph.walk.list.data[i], &kind, &index) &&
            kind == SAL_LEAF_V && model->coordinates.data[index].state)
            return model->coordinates.data[index].label.name;
    return NULL;
}

bool sal_model_allow(saltus_model *model, sal_node node, unsigned kinds, const char *what,
                     const char *hint)
{
    if (!node || sal_model_failed(model)) return false;
    const unsigned extra = model->graph.nodes.data[node].kinds & ~kinds;
    if (!extra) return true;
    int kind = 0;
    while (!(extra & sal_kind_bit(kind))) kind++;
    const bool state = kind == SAL_LEAF_V && state_in(model, node);
    saltus_model_fail(model, "%s may not contain %s%s%s", what,
                      state ? "states" : kind_in_words(kind), hint[0] ? ": " : "", hint);
    return false;
}

bool sal_model_no_states(saltus_model *model, sal_node node, const char *what)
{
    if (!node || sal_model_failed(model)) return false;
    const char *name = state_in(model, node);
    if (!name) return true;
    saltus_model_fail(model,
                      "%s contains the state '%s'; states act by forces and rates: write "
                      "force(x, ...)",
                      what, name);
    return false;
}

/* ---- names that must differ ----------------------------------------------------------------- */

bool sal_model_named(saltus_model *model, const char *name, const char *what)
{
    if (sal_model_failed(model)) return false;
    if (name && name[0]) return true;
    saltus_model_fail(model, "%s needs a name", what);
    return false;
}

static bool plain_name(saltus_model *model, const char *name, const char *what)
{
    if (!sal_model_named(model, name, what)) return false;
    if (!strpbrk(name, ",=*")) return true;
    saltus_model_fail(model, "the name of a %s has no ',', '=' or '*': '%s'", what, name);
    return false;
}

bool sal_model_taken(saltus_model *model, const sal_label *label, const char *name,
                     const char *what)
{
    if (strcmp(label->name, name) != 0) return false;
    if (label->place.line)
        saltus_model_fail(model, "two %s are called '%s' (the other one is at line %d)", what, name,
                          label->place.line);
    else saltus_model_fail(model, "two %s are called '%s'", what, name);
    return true;
}

/* Whether a coordinate or a memory has this name; if so, a mistake is noted. In the table of names,
 * the i-th memory has the number -2 - i. */
static bool state_taken(saltus_model *model, const char *name, const char *what)
{
    const int number = sal_name_find(&model->state_names, name);
    if (number == -1) return false;
    return sal_model_taken(model,
                           number >= 0 ? &model->coordinates.data[number].label
                                       : &model->memories.data[-2 - number].label,
                           name, what);
}

/* ---- symbols -------------------------------------------------------------------------------- */

saltus_expr saltus_number(saltus_model *model, double value)
{
    HOLD_HOST;
    if (sal_model_failed(model)) return null_expr;
    if (!isfinite(value)) {
        saltus_model_fail(model, "a number in the model is not finite (%g)", value);
        return null_expr;
    }
    return handle(model, sal_const(&model->graph, value));
}

saltus_expr saltus_time(saltus_model *model)
{
    if (sal_model_failed(model)) return null_expr;
    return handle(model, sal_leaf(&model->graph, SAL_LEAF_T, 0));
}

saltus_expr saltus_param(saltus_model *model, const char *name, double value,
                         const saltus_param_def *def)
{
    HOLD_HOST;
    static const saltus_param_def none = {0};
    if (!plain_name(model, name, "parameter")) return null_expr;
    const int same = sal_name_find(&model->param_names, name);
    if (same >= 0 && sal_model_taken(model, &model->params.data[same].label, name, "parameters"))
        return null_expr;
    for (int i = 0; i < model->settings.count; i++)
        if (strcmp(model->settings.data[i].name, name) == 0) {
            saltus_model_fail(model, "'%s' is a setting already; name the parameter differently",
                              name);
            return null_expr;
        }
    if (!def) def = &none;
    sal_param   row = {.label = sal_model_label(model, name, def->unit, def->doc),
                       .value = value,
                       .lower = def->has_lower ? def->lower : -INFINITY,
                       .upper = def->has_upper ? def->upper : INFINITY,
                       .fixed = def->fixed != 0};
    const char *text = NULL;
    const int   outside = saltus_model_find_override(model, name, &row.value, &text);
    if (!(row.lower <= row.upper))
        saltus_model_fail(model, "parameter '%s': lower %g is above upper %g", name, row.lower,
                          row.upper);
    else if (outside == 2)
        sal_fail(&model->error, SALTUS_ERR_ARGUMENT,
                 "parameter '%s' is a number, not the text '%s'", name, text);
    else if (!isfinite(row.value) || row.value < row.lower || row.value > row.upper)
        sal_fail_at(&model->error, outside ? SALTUS_ERR_ARGUMENT : SALTUS_ERR_MODEL,
                    outside ? NULL : model->place.file, outside ? 0 : model->place.line,
                    "parameter '%s' = %g is outside of its bounds [%g, %g]", name, row.value,
                    row.lower, row.upper);
    else SAL_MODEL_PUSH_NAMED(model, &model->params, &model->param_names, row);
    if (sal_model_failed(model)) return null_expr;
    return handle(model, sal_leaf(&model->graph, SAL_LEAF_P, model->params.count - 1));
}

/* Checks that a start value depends on parameters only; returns its node (0 if none is given). */
static sal_node start_value(saltus_model *model, saltus_expr e, const char *what)
{
    if (sal_model_failed(model)) return 0;
    if (e.id == 0) return sal_const(&model->graph, 0.0);
    const sal_node node = sal_model_node(model, e, what);
    sal_model_allow(model, node, SAL_KINDS_CONSTANT, what,
                    "a start value is computed before anything moves");
    return node;
}

saltus_expr saltus_coordinate(saltus_model *model, const char *name,
                              const saltus_coordinate_def *def)
{
    static const saltus_coordinate_def none = {0};
    if (!sal_model_named(model, name, "a coordinate")) return null_expr;
    if (state_taken(model, name, "coordinates")) return null_expr;
    if (!def) def = &none;
    if (def->guess.id && def->start.id)
        saltus_model_fail(model, "coordinate '%s' has a guess and a start; give one of them", name);
    else if (def->guess.id && def->speed.id)
        saltus_model_fail(model,
                          "coordinate '%s' has a guess and a speed: where it is guessed, its "
                          "velocity follows from the constraints; leave the speed out, or give it "
                          "a start instead of the guess",
                          name);
    const sal_coordinate row = {
        .label = sal_model_label(model, name, def->unit, def->doc),
        .start = start_value(model, def->guess.id ? def->guess : def->start, "start="),
        .speed = start_value(model, def->speed, "speed="),
        .guessed = def->guess.id != 0};
    if (sal_model_failed(model)) return null_expr;
    SAL_MODEL_PUSH_NAMED(model, &model->coordinates, &model->state_names, row);
    if (sal_model_failed(model)) return null_expr;
    return handle(model, sal_leaf(&model->graph, SAL_LEAF_Q, model->coordinates.count - 1));
}

/* A first-order state s is the velocity of a coordinate with unit mass, on which its rate is the
 * force, so that dot(s) = f in all methods and through all events. Nothing reads this coordinate
 * (the integral of s), and it takes no part in the control of errors. */
saltus_expr saltus_state(saltus_model *model, const char *name, const saltus_state_def *def)
{
    static const saltus_state_def none = {0};
    if (!sal_model_named(model, name, "a state")) return null_expr;
    if (state_taken(model, name, "states")) return null_expr;
    if (!def) def = &none;
    const sal_coordinate row = {.label = sal_model_label(model, name, def->unit, def->doc),
                                .start = start_value(model, null_expr, "start="),
                                .speed = start_value(model, def->start, "start="),
                                .state = true};
    if (sal_model_failed(model)) return null_expr;
    SAL_MODEL_PUSH_NAMED(model, &model->coordinates, &model->state_names, row);
    if (sal_model_failed(model)) return null_expr;
    model->states++;
    const int      index = model->coordinates.count - 1;
    const sal_node q = sal_leaf(&model->graph, SAL_LEAF_Q, index);
    sal_model_add_term(model, SAL_FIRST_ORDER, q, 0, (sal_modes){0});
    const saltus_expr state = handle(model, sal_leaf(&model->graph, SAL_LEAF_V, index));
    if (def->rate.id) saltus_state_rate(model, state, def->rate, (saltus_modes){0});
    return sal_model_failed(model) ? null_expr : state;
}

void saltus_state_rate(saltus_model *model, saltus_expr state, saltus_expr rate, saltus_modes modes)
{
    const sal_node left = sal_model_node(model, state, "the state of a rate");
    const sal_node right = sal_model_node(model, rate, "the rate of a state");
    int            kind, index;
    if (!left || !right) return;
    if (!sal_is_leaf(&model->graph, left, &kind, &index) || kind != SAL_LEAF_V ||
        !model->coordinates.data[index].state) {
        saltus_model_fail(model, "a rate belongs to a state; of a coordinate x it is dot(x)");
        return;
    }
    sal_coordinate *row = &model->coordinates.data[index];
    if (row->rated && (row->rate || modes.count == 0)) {
        saltus_model_fail(model,
                          "state '%s' has a rate already; several rates need a mode each: "
                          "rate(s, e, {mode = m})",
                          row->label.name);
        return;
    }
    if (!sal_model_allow(model, right, SAL_KINDS_STATE, "the rate of a state",
                         "it is a function of time, positions, velocities and states"))
        return;
    row->rated = true;
    row->rate = modes.count == 0 ? right : 0;
    sal_model_add_term(model, SAL_FORCE, sal_leaf(&model->graph, SAL_LEAF_Q, index), right,
                       sal_model_modes(model, modes));
}

saltus_expr saltus_memory(saltus_model *model, const char *name, saltus_expr start)
{
    if (!sal_model_named(model, name, "a memory")) return null_expr;
    if (state_taken(model, name, "memories")) return null_expr;
    const sal_memory row = {.label = sal_model_label(model, name, NULL, NULL),
                            .start = start_value(model, start, "the start of a memory")};
    if (sal_model_failed(model)) return null_expr;
    if (!ARRAY_PUSH(&model->arena.allocator, &model->memories, row) ||
        !sal_name_add(&model->state_names, &model->arena.allocator, row.label.name,
                      -1 - model->memories.count))
        sal_model_out_of_memory(model);
    if (sal_model_failed(model)) return null_expr;
    return handle(model, sal_leaf(&model->graph, SAL_LEAF_C, model->memories.count - 1));
}

int sal_model_shown_memories(const saltus_model *model)
{
    int shown = 0;
    for (int i = 0; i < model->memories.count; i++) shown += !model->memories.data[i].hidden;
    return shown;
}

/* Replaces the derivative of a state by its rate, so that dot(s) is permitted where accelerations
 * are not. */
static sal_node rate_of_state(void *context, sal_graph *graph, sal_node node)
{
    const saltus_model *model = context;
    int                 kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index) || kind != SAL_LEAF_A) return 0;
    return model->coordinates.data[index].rate;
}

saltus_expr saltus_dot(saltus_model *model, saltus_expr e)
{
    HOLD_HOST;
    const sal_node node = sal_model_node(model, e, "the argument of dot()");
    if (!node) return null_expr;
    if (!sal_model_allow(model, node, SAL_KINDS_STATE, "dot(...)",
                         "a derivative of an acceleration, or of a value after an event, is not "
                         "available"))
        return null_expr;
    sal_node rate = sal_derive_time(&model->graph, node);
    if (rate && model->states > 0)
        sal_substitute(&model->graph, &rate, 1, rate_of_state, model, &rate);
    return handle(model, rate);
}

static sal_node leaf_after(void *context, sal_graph *graph, sal_node node)
{
    static const int after[][2] = {{SAL_LEAF_Q, SAL_LEAF_Q_AFTER},
                                   {SAL_LEAF_V, SAL_LEAF_V_AFTER},
                                   {SAL_LEAF_A, SAL_LEAF_A_AFTER},
                                   {SAL_LEAF_MU, SAL_LEAF_MU_AFTER},
                                   {SAL_LEAF_C, SAL_LEAF_C_AFTER}};
    int              kind, index;
    (void)context;
    if (!sal_is_leaf(graph, node, &kind, &index)) return 0;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (after[i][0] == kind) return sal_leaf(graph, after[i][1], index);
    return 0;
}

saltus_expr saltus_after(saltus_model *model, saltus_expr e)
{
    HOLD_HOST;
    sal_node node = sal_model_node(model, e, "the argument of after()");
    if (!node) return null_expr;
    sal_substitute(&model->graph, &node, 1, leaf_after, NULL, &node);
    return handle(model, node);
}

/* The name in impulse(name) is resolved when an event with it is compiled. */
saltus_expr saltus_impulse(saltus_model *model, const char *name)
{
    if (!sal_model_named(model, name, "impulse()")) return null_expr;
    int index = sal_name_find(&model->impulse_names, name);
    if (index < 0) {
        const saltus_allocator *allocator = &model->arena.allocator;
        const char             *copy = sal_arena_text(&model->arena, name);
        index = model->impulses.count;
        if (!copy || !ARRAY_PUSH(allocator, &model->impulses, copy) ||
            !sal_name_add(&model->impulse_names, allocator, copy, index)) {
            sal_model_out_of_memory(model);
            return null_expr;
        }
    }
    return handle(model, sal_leaf(&model->graph, SAL_LEAF_IMPULSE, index));
}

saltus_mode saltus_mode_new(saltus_model *model, const char *name, const char *group)
{
    const saltus_mode none = {0};
    if (!sal_model_named(model, name, "a mode")) return none;
    const saltus_allocator *allocator = &model->arena.allocator;
    const int               same = sal_name_find(&model->mode_names, name);
    if (same >= 0 && sal_model_taken(model, &model->modes.data[same].label, name, "modes"))
        return none;
    if (!group) group = "";
    int g = sal_name_find(&model->group_names, group);
    if (g < 0) {
        const sal_group row = {sal_arena_text(&model->arena, group), model->modes.count, false};
        g = model->groups.count;
        if (!row.name || !ARRAY_PUSH(allocator, &model->groups, row) ||
            !sal_name_add(&model->group_names, allocator, row.name, g))
            sal_model_out_of_memory(model);
    }
    const sal_mode row = {sal_model_label(model, name, NULL, NULL), g};
    if (sal_model_failed(model)) return none;
    SAL_MODEL_PUSH_NAMED(model, &model->modes, &model->mode_names, row);
    return sal_model_failed(model) ? none : (saltus_mode){model->modes.count};
}

void saltus_mode_initial(saltus_model *model, saltus_mode mode)
{
    if (sal_model_failed(model)) return;
    if (mode.id <= 0 || mode.id > model->modes.count) {
        saltus_model_fail(model, "the mode is missing");
        return;
    }
    sal_group *group = &model->groups.data[model->modes.data[mode.id - 1].group];
    if (group->chosen)
        saltus_model_fail(model, "two modes of one group are active at the start, '%s' and '%s'",
                          model->modes.data[group->first].label.name,
                          model->modes.data[mode.id - 1].label.name);
    group->first = mode.id - 1;
    group->chosen = true;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* The operations that users may write, by saltus_op. */
static const struct {
    const char *name, *text;
    int         arguments;
} operations[SALTUS_OPS] = {
#define OP(name, arguments, text, ...) [SALTUS_##name] = {#name, text, arguments},
#define INNER_OP(...)
#include "expr/ops.def"
#undef OP
};

/* saltus_op and sal_op have the same order: adding SAL_OP_NEG converts one to the other. */
#define OP(name, ...)                                                                              \
    _Static_assert((int)SALTUS_##name == SAL_OP_##name - SAL_OP_NEG,                               \
                   "saltus_op in saltus/model.h has another order than ops.def");
#define INNER_OP(...)
#include "expr/ops.def"
#undef OP
_Static_assert(SALTUS_OPS == SAL_OP_SELECT - SAL_OP_NEG, "saltus_op has more than ops.def");

static bool is_operation(saltus_op op) { return (int)op >= 0 && op < SALTUS_OPS; }

const char *saltus_op_name(saltus_op op) { return is_operation(op) ? operations[op].name : ""; }
const char *saltus_op_text(saltus_op op) { return is_operation(op) ? operations[op].text : ""; }

int saltus_op_arguments(saltus_op op) { return is_operation(op) ? operations[op].arguments : 0; }

saltus_expr saltus_apply(saltus_model *model, saltus_op op, saltus_expr a, saltus_expr b)
{
    HOLD_HOST;
    if (sal_model_failed(model)) return null_expr;
    if (!is_operation(op)) {
        saltus_model_fail(model, "there is no operation number %d", (int)op);
        return null_expr;
    }
    const int      inner = (int)op + SAL_OP_NEG;
    const sal_node x = sal_model_node(model, a, "an operand");
    const sal_node y = sal_op_arguments(inner) > 1 ? sal_model_node(model, b, "an operand") : 0;
    if (sal_model_failed(model)) return null_expr;
    double value;
    if (op == SALTUS_DIV && sal_is_const(&model->graph, y, &value) && value == 0.0) {
        saltus_model_fail(model, "division by zero");
        return null_expr;
    }
    return handle(model, sal_apply(&model->graph, inner, x, y, 0));
}

double saltus_apply_number(saltus_op op, double a, double b)
{
    HOLD_HOST;
    return is_operation(op) ? sal_op_value((int)op + SAL_OP_NEG, a, b, 0.0) : NAN;
}

int saltus_expr_number(const saltus_model *model, saltus_expr e, double *value)
{
    double ignored;
    return model && e.id > 0 && e.id < model->graph.nodes.count &&
           sal_is_const(&model->graph, e.id, value ? value : &ignored);
}
