/* The modes of contacts: see contact_modes.h.
 *
 * Each contact has a group of modes. It is open, or it is closed: then its gap is a constraint.
 * With friction there are three closed modes: it sticks, and its slip (the velocity along the
 * surface) is a constraint too; or it slides in one of two directions, and the multiplier of that
 * constraint is given by the law of friction. Events lead out of a mode, but to no particular mode:
 * the run finds the next one (contact/set.h). The end of bounces is in contact_rest.c. */
#include "mech/contact_modes.h"

#include "base/host.h"
#include "mech/algebra.h"
#include "mech/mech.h"
#include "model/model.h"

typedef sal_contact_builder builder;

static sal_node checked(builder *b, saltus_expr e, const char *what)
{
    const sal_node node = sal_model_node(b->model, e, what);
    sal_model_allow(b->model, node, SAL_KINDS_STATE, what,
                    "it may depend on time, positions, velocities, memories and parameters");
    return node;
}

saltus_expr sal_mech_memory(builder *b, const char *part, double start)
{
    saltus_model     *model = b->model;
    const saltus_expr made =
        saltus_memory(model, sal_mech_part(model, b->name, part), saltus_number(model, start));
    if (made.id) model->memories.data[model->memories.count - 1].hidden = true;
    return made;
}

/* ---- modes ---------------------------------------------------------------------------------- */

/* bounces: also adds a mode in which it bounces and is not held. */
static void add_modes(builder *b, bool rough, bool bounces)
{
    const char *const part[] = {"open", rough ? "stick" : "closed", rough ? "slide+" : "bounce",
                                "slide-"};
    const int count = rough ? SAL_CONTACT_MODES : bounces ? SAL_SLIDES_MINUS : SAL_SLIDES_PLUS;
    /* If the contact is closed, assembly needs the constraint of its gap, but not of its slip. */
    const int closed = rough ? SAL_SLIDES_PLUS : SAL_HELD;
    const int first = b->contact.starts_closed ? closed : SAL_OPEN;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++)
            if ((i == first) == (pass == 0))
                b->mode[i] =
                    saltus_mode_new(b->model, sal_mech_part(b->model, b->name, part[i]), b->name);
    for (int i = 0; i < SAL_CONTACT_MODES; i++) b->contact.mode[i] = b->mode[i].id - 1;
    if (!sal_model_failed(b->model))
        b->contact.group = b->model->modes.data[b->contact.mode[SAL_HELD]].group;
}

/* The modes in which the contact exists, together with its own modes that are in `which`. */
static saltus_modes while_in(builder *b, unsigned which)
{
    saltus_mode *list =
        ARENA_NEW(&b->model->arena, b->modes.count + SAL_CONTACT_MODES, saltus_mode);
    int count = 0;
    if (!list) return (saltus_modes){0};
    for (int i = 0; i < b->modes.count; i++) list[count++] = b->modes.mode[i];
    for (int i = 0; i < SAL_CONTACT_MODES; i++)
        if (which & 1u << i && b->mode[i].id) list[count++] = b->mode[i];
    return (saltus_modes){list, count};
}

saltus_event sal_mech_event(builder *b, const char *part, saltus_expr when,
                            saltus_direction direction, unsigned from, sal_contact_role role)
{
    const char *name = part ? sal_mech_part(b->model, b->name, part) : b->name;
    sal_event   row = {.direction = direction, .role = role, .contact = b->model->contacts};
    row.when = sal_model_node(b->model, when, "the guard");
    row.from = sal_model_modes(b->model, while_in(b, from));
    row.found = b->model->found_contacts.count + 1;
    if (!name || sal_model_failed(b->model)) return (saltus_event){0};
    return sal_model_add_event(b->model, name, row);
}

void sal_mech_set(builder *b, saltus_event event, sal_node target, sal_node value)
{
    sal_assignment entry = {.place = b->model->place};
    const sal_node left = sal_model_node(b->model, (saltus_expr){target}, "the memory");
    entry.value = sal_model_node(b->model, (saltus_expr){value}, "its value");
    if (sal_model_failed(b->model) ||
        !sal_is_leaf(&b->model->graph, left, &entry.kind, &entry.index))
        return;
    SAL_MODEL_PUSH(b->model, &b->model->events.data[event.id - 1].set, entry);
}

/* Marks the constraint that was added last as one of a contact, and returns its number. */
static int last_constraint(const builder *b)
{
    const int last = b->model->constraints.count - 1;
    if (!sal_model_failed(b->model)) b->model->constraints.data[last].found = true;
    return last;
}

/* ---- friction ------------------------------------------------------------------------------- */

/* Adds the force of friction while the contact slides in this direction. */
static void add_sliding(builder *b, int direction, saltus_expr mu, int which)
{
    const saltus_expr k = direction > 0 ? mu : saltus_neg(b->model, mu);
    const sal_node    slip = sal_model_node(b->model, b->slip, "the slip");
    const sal_node    node = sal_model_node(b->model, k, "the friction");
    sal_model_add_term(b->model, b->contact.normal < 0 ? SAL_RUBBING : SAL_SLIDING, slip, node,
                       sal_model_modes(b->model, while_in(b, 1u << which)));
    if (!sal_model_failed(b->model))
        b->model->terms.data[b->model->terms.count - 1].rows =
            (sal_rows){b->contact.friction, b->contact.normal};
}

/* Adds friction: the contact sticks as long as the force is below the limit, and slides until the
 * slip is zero. */
static void add_friction(builder *b, saltus_friction mu, saltus_expr limit)
{
    saltus_model     *model = b->model;
    const saltus_expr kinetic = mu.mu_kinetic.id ? mu.mu_kinetic : mu.mu_static;
    saltus_rolling(model, b->force, b->slip, while_in(b, SAL_WHILE_HELD));
    b->contact.friction = last_constraint(b);
    add_sliding(b, 1, kinetic, SAL_SLIDES_PLUS);
    add_sliding(b, -1, kinetic, SAL_SLIDES_MINUS);
    const saltus_expr force = saltus_multiplier(model, b->force);
    sal_mech_event(b, "slip", saltus_sub(model, limit, force), SALTUS_FALLING, SAL_WHILE_HELD,
                   SAL_SLIPS_PLUS);
    sal_mech_event(b, "slip", saltus_add(model, limit, force), SALTUS_FALLING, SAL_WHILE_HELD,
                   SAL_SLIPS_MINUS);
    sal_mech_event(b, "stop", b->slip, SALTUS_FALLING, 1u << SAL_SLIDES_PLUS, SAL_STOPS);
    sal_mech_event(b, "stop", b->slip, SALTUS_RISING, 1u << SAL_SLIDES_MINUS, SAL_STOPS);
    b->contact.mu_static = checked(b, mu.mu_static, "the coefficient of friction");
    b->contact.mu_kinetic = checked(b, kinetic, "the coefficient of friction");
}

/* Adds the memory of the place where the contact closes, and the constraint that holds it there;
 * returns the memory. */
static saltus_expr add_hold(builder *b, const saltus_contact_def *def)
{
    saltus_model         *model = b->model;
    const saltus_surface *s = &def->surface;
    const saltus_expr     place =
        saltus_memory(model, sal_mech_part(model, b->name, "place"), or_zero(model, def->place));
    const saltus_expr moved = saltus_sub(model, s->along, place);
    sal_mech_constraint(model, b->name, "hold",
                        s->radius.id ? saltus_mul(model, s->radius, saltus_sin(model, moved))
                                     : moved,
                        while_in(b, SAL_WHILE_HELD));
    b->contact.friction = last_constraint(b);
    b->contact.holds = true;
    return place;
}

static saltus_expr slip_of(saltus_model *model, const saltus_surface *surface)
{
    if (surface->slip.id || !surface->along.id) return surface->slip;
    const saltus_expr rate = saltus_dot(model, surface->along);
    return surface->radius.id ? saltus_mul(model, surface->radius, rate) : rate;
}

/* ---- touching ------------------------------------------------------------------------------- */

static bool rests(const saltus_contact_def *def)
{
    if (def->rests != 0 || def->settle.id) return def->rests > 0;
    return def->friction.mu_static.id || def->starts_closed;
}

int sal_mech_contact_closes(const saltus_contact_def *def)
{
    return !def->restitution.id || def->settle.id || rests(def);
}

/* Adds restitution to the constraint that was added last. */
static void add_restitution(builder *b, const saltus_contact_def *def)
{
    saltus_expr e = def->restitution;
    if (!e.id) return;
    b->contact.given_restitution = sal_model_node(b->model, e, "the restitution");
    if (b->contact.closes) {
        b->bounces = sal_mech_memory(b, "bounces", 1.0);
        e = saltus_mul(b->model, e, b->bounces);
    }
    b->contact.restitution = checked(b, e, "the restitution");
    if (!sal_model_failed(b->model))
        b->model->terms.data[b->model->terms.count - 1].e[1] = b->contact.restitution;
}

static void finish(builder *b)
{
    const int row[] = {b->contact.normal, b->contact.friction};
    for (int i = 0; i < 2 && !sal_model_failed(b->model); i++)
        if (row[i] >= 0) b->model->constraints.data[row[i]].settled = b->settled.id;
    b->contact.label = sal_model_label(b->model, b->name, NULL, NULL);
    b->contact.modes = sal_model_modes(b->model, b->modes);
    if (!sal_model_failed(b->model))
        SAL_MODEL_PUSH(b->model, &b->model->found_contacts, b->contact);
}

saltus_contact sal_mech_contact(saltus_model *model, const char *name,
                                const saltus_contact_def *def)
{
    const bool     rough = def->friction.mu_static.id != 0;
    saltus_contact made = {.name = name, .gap = def->surface.gap};
    saltus_expr    place = {0};
    builder        b = {.model = model,
                        .name = name,
                        .force = sal_mech_part(model, name, "friction"),
                        .slip = slip_of(model, &def->surface),
                        .modes = def->modes};
    b.contact = (sal_contact){.friction = -1,
                              .slow = -1,
                              .rest_at = -1,
                              .closes = sal_mech_contact_closes(def),
                              .starts_closed = def->starts_closed != 0};
    if (rough && !b.slip.id)
        saltus_model_fail(
            model,
            "contact '%s': with friction= and gap= it needs slip=, the velocity along "
            "the surface",
            name);
    if (sal_model_failed(model)) return (saltus_contact){.name = NULL};
    add_modes(&b, rough, def->sticks && def->restitution.id);
    saltus_constraint(model, name, def->surface.gap, while_in(&b, SAL_WHILE_CLOSED));
    b.contact.normal = last_constraint(&b);
    add_restitution(&b, def);
    made.touch =
        sal_mech_event(&b, NULL, def->surface.gap, SALTUS_FALLING, SAL_WHILE_OPEN, SAL_TOUCHES);
    if (b.bounces.id) made.settle = sal_mech_last_bounce(&b, def, made.touch);
    else if (rests(def)) sal_mech_series(&b, made.touch, def->surface.gap);
    const saltus_expr push = saltus_neg(model, saltus_multiplier(model, name));
    if (b.contact.closes)
        made.leave =
            sal_mech_event(&b, "leave", push, SALTUS_FALLING, SAL_WHILE_CLOSED, SAL_LEAVES);
    if (rough) add_friction(&b, def->friction, saltus_mul(model, def->friction.mu_static, push));
    if (def->sticks) place = add_hold(&b, def);
    if (place.id)
        sal_mech_set(&b, made.settle.id ? made.settle : made.touch, place.id,
                     def->surface.along.id);
    finish(&b);
    if (!b.contact.closes) return made; /* its closed mode exists for impacts only */
    made.open = b.mode[SAL_OPEN];
    made.closed = b.mode[SAL_HELD];
    return made;
}

void saltus_friction_new(saltus_model *model, const char *name, saltus_expr of,
                         saltus_friction limit, saltus_modes modes)
{
    HOLD_HOST;
    if (sal_model_failed(model)) return;
    const sal_node node = sal_model_node(model, of, "the velocity of friction");
    if (!node) return;
    const bool speeds = sal_depends(&model->graph, node, SAL_LEAF_V);
    model->contacts++;
    if (!name || !name[0]) name = sal_arena_format(&model->arena, "friction %d", model->contacts);
    name = sal_arena_text(&model->arena, name);
    builder b = {.model = model,
                 .name = name,
                 .force = name,
                 .slip = speeds ? of : saltus_dot(model, of),
                 .modes = modes};
    b.contact =
        (sal_contact){.normal = -1, .friction = -1, .slow = -1, .rest_at = -1, .closes = true};
    if (!name || !sal_model_has_modes(model, modes)) return;
    if (!limit.mu_static.id) {
        saltus_model_fail(model, "friction '%s': limit= is missing, the largest force", name);
        return;
    }
    if (sal_mech_is_negative(model, limit)) {
        saltus_model_fail(model, "friction '%s': its limit is negative; it is a force that brakes",
                          name);
        return;
    }
    add_modes(&b, true, false);
    add_friction(&b, limit, limit.mu_static);
    finish(&b);
}
