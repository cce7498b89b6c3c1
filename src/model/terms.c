/* Terms, lists of modes, constraints, costs, outputs and the horizon. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "expr/derive.h"
#include "model/model.h"

/* ---- lists of modes ------------------------------------------------------------------------- */

static int by_group(const saltus_model *model, int a, int b)
{
    const int ga = model->modes.data[a].group, gb = model->modes.data[b].group;
    return ga != gb ? ga - gb : a - b;
}

/* Inserts a mode into a list, which is sorted by group and has room for it. */
static void insert(const saltus_model *model, sal_modes *list, int mode)
{
    int k = list->count++;
    for (; k > 0 && by_group(model, list->mode[k - 1], mode) > 0; k--)
        list->mode[k] = list->mode[k - 1];
    list->mode[k] = mode;
}

bool sal_model_has_modes(saltus_model *model, saltus_modes modes)
{
    if (modes.count < 0 || (modes.count > 0 && !modes.mode))
        saltus_model_fail(model, "a list of %d modes is NULL", modes.count);
    return !sal_model_failed(model);
}

sal_modes sal_model_modes(saltus_model *model, saltus_modes modes)
{
    sal_modes list = {0};
    if (!sal_model_has_modes(model, modes)) return list;
    list.mode = ARENA_NEW(&model->arena, modes.count, int);
    for (int i = 0; i < modes.count && list.mode; i++) {
        const int id = modes.mode[i].id;
        if (id <= 0 || id > model->modes.count) {
            saltus_model_fail(model, "a mode in the list is missing");
            return list;
        }
        insert(model, &list, id - 1);
    }
    return list;
}

bool sal_modes_active(const saltus_model *model, const sal_modes *modes, const int *active)
{
    if (modes->never) return false;
    for (int i = 0; i < modes->count;) {
        const int group = model->modes.data[modes->mode[i]].group;
        bool      found = false;
        for (; i < modes->count && model->modes.data[modes->mode[i]].group == group; i++)
            found = found || modes->mode[i] == active[group];
        if (!found) return false;
    }
    return true;
}

static bool mentions(const saltus_model *model, const sal_modes *modes, int group)
{
    for (int i = 0; i < modes->count; i++)
        if (model->modes.data[modes->mode[i]].group == group) return true;
    return false;
}

static bool contains(const sal_modes *modes, int mode)
{
    for (int i = 0; i < modes->count; i++)
        if (modes->mode[i] == mode) return true;
    return false;
}

sal_modes sal_modes_both(saltus_model *model, const sal_modes *a, const sal_modes *b)
{
    sal_modes both = {0};
    both.never = a->never || b->never;
    both.mode = ARENA_NEW(&model->arena, a->count + b->count, int);
    if (!both.mode) return both;
    for (int mode = 0; mode < model->modes.count; mode++) {
        const int  group = model->modes.data[mode].group;
        const bool in_a = mentions(model, a, group), in_b = mentions(model, b, group);
        if ((in_a || in_b) && (!in_a || contains(a, mode)) && (!in_b || contains(b, mode)))
            insert(model, &both, mode);
    }
    for (int group = 0; group < model->groups.count; group++)
        if ((mentions(model, a, group) || mentions(model, b, group)) &&
            !mentions(model, &both, group))
            both.never = true;
    return both;
}

/* ---- terms ---------------------------------------------------------------------------------- */

void sal_model_add_term(saltus_model *model, sal_term_kind kind, sal_node a, sal_node b,
                        sal_modes modes)
{
    if (sal_model_failed(model)) return;
    const sal_term row = {kind, {a, b}, modes, model->place, {-1, -1}};
    SAL_MODEL_PUSH(model, &model->terms, row);
}

void saltus_kinetic(saltus_model *model, saltus_expr T, saltus_modes modes)
{
    const sal_node node = sal_model_node(model, T, "kinetic(T)");
    if (!sal_model_allow(model, node, SAL_KINDS_STATE, "kinetic(T)", "") ||
        !sal_model_no_states(model, node, "kinetic(T)"))
        return;
    if (!sal_depends(&model->graph, node, SAL_LEAF_V)) {
        saltus_model_fail(model, "kinetic(T) contains no velocity; write 0.5 * m * dot(x)^2");
        return;
    }
    sal_model_add_term(model, SAL_KINETIC, node, 0, sal_model_modes(model, modes));
}

void saltus_potential(saltus_model *model, saltus_expr U, saltus_modes modes)
{
    const sal_node node = sal_model_node(model, U, "potential(U)");
    if (!sal_model_allow(model, node, SAL_KINDS_POSITION, "potential(U)",
                         "use force(...) or dissipation(...) for what depends on velocities"))
        return;
    sal_model_add_term(model, SAL_POTENTIAL, node, 0, sal_model_modes(model, modes));
}

void saltus_dissipation(saltus_model *model, saltus_expr D, saltus_modes modes)
{
    const sal_node node = sal_model_node(model, D, "dissipation(D)");
    if (!sal_model_allow(model, node, SAL_KINDS_STATE, "dissipation(D)", "") ||
        !sal_model_no_states(model, node, "dissipation(D)"))
        return;
    sal_model_add_term(model, SAL_DISSIPATION, node, 0, sal_model_modes(model, modes));
}

void saltus_force(saltus_model *model, saltus_expr u, saltus_expr f, saltus_modes modes)
{
    const sal_node along = sal_model_node(model, u, "the first argument of force(u, f)");
    const sal_node size = sal_model_node(model, f, "the second argument of force(u, f)");
    if (!sal_model_allow(model, along, SAL_KINDS_POSITION, "u in force(u, f)",
                         "a force works along a coordinate or an expression of coordinates"))
        return;
    if (!sal_model_allow(model, size, SAL_KINDS_STATE, "f in force(u, f)",
                         "forces are functions of time, positions and velocities"))
        return;
    if (!sal_depends(&model->graph, along, SAL_LEAF_Q)) {
        saltus_model_fail(model, "u in force(u, f) contains no coordinate: the force does nothing");
        return;
    }
    sal_model_add_term(model, SAL_FORCE, along, size, sal_model_modes(model, modes));
}

void saltus_mass(saltus_model *model, saltus_expr u, saltus_expr m, saltus_modes modes)
{
    const sal_node along = sal_model_node(model, u, "the first argument of mass(u, m)");
    const sal_node mass = sal_model_node(model, m, "the second argument of mass(u, m)");
    if (!sal_model_allow(model, along, SAL_KINDS_POSITION, "u in mass(u, m)", "") ||
        !sal_model_allow(model, mass, SAL_KINDS_POSITION, "m in mass(u, m)", ""))
        return;
    const saltus_expr speed = saltus_dot(model, u);
    const saltus_expr half = saltus_number(model, 0.5);
    const saltus_expr square = saltus_apply(model, SALTUS_MUL, speed, speed);
    saltus_kinetic(
        model, saltus_apply(model, SALTUS_MUL, saltus_apply(model, SALTUS_MUL, half, m), square),
        modes);
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* Adds a constraint of positions, or of velocities, after its expression was checked. */
static void add_constraint(saltus_model *model, const char *name, sal_node node, saltus_modes modes,
                           bool velocity)
{
    if (!sal_model_named(model, name, "a constraint")) return;
    const int same = sal_name_find(&model->constraint_names, name);
    if (same >= 0 &&
        sal_model_taken(model, &model->constraints.data[same].label, name, "constraints"))
        return;
    const sal_constraint row = {.label = sal_model_label(model, name, NULL, NULL),
                                .phi = node,
                                .modes = sal_model_modes(model, modes),
                                .velocity = velocity};
    sal_model_add_term(model, velocity ? SAL_ROLLING : SAL_CONSTRAINT, node, 0, row.modes);
    if (sal_model_failed(model)) return;
    model->terms.data[model->terms.count - 1].rows.own = model->constraints.count;
    SAL_MODEL_PUSH_NAMED(model, &model->constraints, &model->constraint_names, row);
}

void saltus_constraint(saltus_model *model, const char *name, saltus_expr phi, saltus_modes modes)
{
    const sal_node node = sal_model_node(model, phi, "the constraint");
    if (!sal_model_allow(model, node, SAL_KINDS_POSITION, "a constraint",
                         "it is an equation of positions and time; rolling(name, Psi) is one of "
                         "velocities"))
        return;
    if (name && name[0] && !sal_depends(&model->graph, node, SAL_LEAF_Q))
        saltus_model_fail(model, "constraint '%s' contains no coordinate", name);
    else add_constraint(model, name, node, modes, false);
}

/* How an expression depends on velocities. */
typedef struct velocity_use {
    const sal_graph *graph;
    bool             any, curved; /* it depends on them; not linearly */
} velocity_use;

static void look_at_velocity(void *context, int kind, int index, sal_node derivative)
{
    velocity_use *use = context;
    (void)index;
    if (kind != SAL_LEAF_V) return;
    use->any = true;
    use->curved = use->curved || sal_depends(use->graph, derivative, SAL_LEAF_V);
}

bool sal_model_is_slip(saltus_model *model, sal_node node, const char *what)
{
    velocity_use use = {.any = false};
    if (!sal_model_allow(model, node, SAL_KINDS_STATE, what,
                         "it is a velocity: an expression of time, positions and velocities") ||
        !sal_model_no_states(model, node, what))
        return false;
    use.graph = &model->graph;
    sal_derive_back(&model->graph, &node, NULL, 1, look_at_velocity, &use);
    if (!use.any) saltus_model_fail(model, "%s contains no velocity; write dot(...)", what);
    else if (use.curved)
        saltus_model_fail(model, "%s is not linear in velocities; it must be A v + b", what);
    return use.any && !use.curved;
}

void saltus_rolling(saltus_model *model, const char *name, saltus_expr psi, saltus_modes modes)
{
    HOLD_HOST;
    const sal_node node = sal_model_node(model, psi, "Psi in rolling(name, Psi)");
    if (sal_model_is_slip(model, node, "Psi in rolling(name, Psi)"))
        add_constraint(model, name, node, modes, true);
}

/* Whether a name is that of a part of something, as p.x is a part of the joint p. */
static bool is_part_of(const char *whole, const char *name)
{
    const size_t length = strlen(whole);
    return length > 0 && strncmp(name, whole, length) == 0 && name[length] == '.';
}

/* Returns the constraint of this name; -1, and a mistake is noted, if there is none. */
static int find_constraint(saltus_model *model, const char *what, const char *name)
{
    const char *best = NULL;
    if (sal_model_failed(model)) return -1;
    if (!name) name = "";
    const int found = sal_name_find(&model->constraint_names, name);
    if (found >= 0) return found;
    for (int i = 0; i < model->constraints.count; i++) {
        const char *pair[2] = {model->constraints.data[i].label.name, best};
        best = sal_nearest(name, pair, 2);
        if (!is_part_of(name, pair[0])) continue;
        best = pair[0];
        break;
    }
    saltus_model_fail(
        model, "%s(\"%s\"): there is no constraint of that name%s%s%s; declare it before", what,
        name, best ? " (did you mean '" : "", best ? best : "", best ? "'?)" : "");
    return -1;
}

void saltus_constraint_alpha(saltus_model *model, const char *name, double alpha)
{
    HOLD_HOST;
    const int i = find_constraint(model, "alpha", name);
    if (i < 0) return;
    if (!(alpha > 0.0) || !isfinite(alpha))
        saltus_model_fail(
            model,
            "constraint '%s': alpha is %g, but a penalty factor is positive; the "
            "larger it is, the harder the constraint; leave it out for that of the solver",
            name, alpha);
    else model->constraints.data[i].alpha = alpha;
}

saltus_expr saltus_multiplier(saltus_model *model, const char *name)
{
    const int i = find_constraint(model, "multiplier", name);
    if (i < 0) return (saltus_expr){0};
    const sal_node mu = sal_leaf(&model->graph, SAL_LEAF_MU, i);
    const sal_node settled = model->constraints.data[i].settled;
    return (saltus_expr){settled ? sal_mul(&model->graph, settled, mu) : mu};
}

/* ---- costs and outputs ---------------------------------------------------------------------- */

void saltus_cost(saltus_model *model, const char *name, saltus_expr integral, saltus_expr final,
                 const char *unit, const char *doc)
{
    sal_cost row = {0};
    if (sal_model_failed(model)) return;
    if (!name || !name[0] || strpbrk(name, ",=*")) {
        saltus_model_fail(model, "a cost needs a name without ',', '=' and '*'");
        return;
    }
    for (int i = 0; i < model->costs.count; i++)
        if (sal_model_taken(model, &model->costs.data[i].label, name, "costs")) return;
    if (integral.id) {
        row.integral = sal_model_node(model, integral, "integral=");
        sal_model_allow(model, row.integral, SAL_KINDS_MOTION, "integral=", "");
    }
    if (final.id) {
        row.final = sal_model_node(model, final, "final=");
        sal_model_allow(model, row.final, SAL_KINDS_MOTION, "final=", "");
    }
    row.label = sal_model_label(model, name, unit, doc);
    if (sal_model_failed(model)) return;
    SAL_MODEL_PUSH(model, &model->costs, row);
}

void saltus_repeats(saltus_model *model, saltus_expr start, saltus_expr final)
{
    int            kind, index;
    const sal_node param = sal_model_node(model, start, "a key of periodic{}");
    const sal_node node = sal_model_node(model, final, "a value of periodic{}");
    if (!sal_model_allow(model, node, SAL_KINDS_MOTION, "a value of periodic{}", "")) return;
    if (!sal_is_leaf(&model->graph, param, &kind, &index) || kind != SAL_LEAF_P) {
        saltus_model_fail(model,
                          "periodic: a key must be a parameter that determines start values: "
                          "[x0] = x");
        return;
    }
    for (int i = 0; i < model->returns.count; i++)
        if (model->returns.data[i].param == index) {
            saltus_model_fail(model, "periodic: the parameter '%s' was given a final value before",
                              model->params.data[index].label.name);
            return;
        }
    SAL_MODEL_PUSH(model, &model->returns, ((sal_return){index, node, model->place}));
}

void saltus_output(saltus_model *model, const char *name, saltus_expr e, const char *unit,
                   const char *doc)
{
    const sal_node node = sal_model_node(model, e, "the expression of output(name, e)");
    if (!sal_model_allow(model, node, SAL_KINDS_MOTION, "an output", "")) return;
    if (!sal_model_named(model, name, "an output")) return;
    for (int i = 0; i < model->outputs.count; i++)
        if (sal_model_taken(model, &model->outputs.data[i].label, name, "outputs")) return;
    const sal_output row = {sal_model_label(model, name, unit, doc), node};
    if (sal_model_failed(model)) return;
    SAL_MODEL_PUSH(model, &model->outputs, row);
}

void saltus_horizon(saltus_model *model, double start, saltus_expr end)
{
    HOLD_HOST;
    double         value;
    const sal_node node = sal_model_node(model, end, "the end of horizon(t0, tF)");
    if (!sal_model_allow(model, node, SAL_KINDS_CONSTANT, "the end of the horizon", "")) return;
    if (model->has_horizon) saltus_model_fail(model, "horizon(t0, tF) is given twice");
    else if (!isfinite(start))
        saltus_model_fail(model, "the start of the horizon is not finite (%g)", start);
    else if (sal_is_const(&model->graph, node, &value) && !(value > start))
        saltus_model_fail(model, "the horizon ends at %g, not after its start %g", value, start);
    model->has_horizon = true;
    model->start = start;
    model->end = node;
    model->end_place = model->place;
}
