/* Contacts with friction: see friction.h.
 *
 * Each has a group of modes: open, stick, and slide in either direction. In all but the first its
 * gap is a constraint. The velocity along the surface, its slip, is a constraint too while it
 * sticks; while it slides, the multiplier of that constraint is given by the law of friction.
 * Events lead out of a mode; which one comes next is found by the run (contact/set.h), so they lead
 * to none. */
#include "mech/friction.h"

#include "base/host.h"
#include "mech/algebra.h"
#include "mech/mech.h"
#include "model/model.h"

/* What is being built. */
typedef struct builder {
    saltus_model *model;
    const char   *name, *force; /* of the contact; of the constraint whose multiplier is friction */
    sal_contact   contact;
    saltus_expr   slip;
    saltus_modes  modes; /* where it exists */
    saltus_mode   mode[SAL_CONTACT_MODES];
} builder;

static sal_node checked(builder *b, saltus_expr e, const char *what)
{
    const sal_node node = sal_model_node(b->model, e, what);
    sal_model_allow(b->model, node, SAL_KINDS_STATE, what,
                    "it may depend on time, positions, velocities, memories and parameters");
    return node;
}

static void add_modes(builder *b)
{
    static const char *const part[] = {"open", "stick", "slide+", "slide-"};
    /* Assembly needs the constraint of the gap, if it is closed, but no slip. */
    const int first = b->contact.starts_closed ? SAL_SLIDES_PLUS : SAL_OPEN;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < SAL_CONTACT_MODES; i++)
            if ((i == first) == (pass == 0))
                b->mode[i] =
                    saltus_mode_new(b->model, sal_mech_part(b->model, b->name, part[i]), b->name);
    for (int i = 0; i < SAL_CONTACT_MODES; i++) b->contact.mode[i] = b->mode[i].id - 1;
    if (!sal_model_failed(b->model))
        b->contact.group = b->model->modes.data[b->contact.mode[SAL_HELD]].group;
}

/* Where it exists and is in one of these modes (bits by SAL_OPEN, ...). */
static saltus_modes while_in(builder *b, unsigned which)
{
    saltus_mode *list =
        ARENA_NEW(&b->model->arena, b->modes.count + SAL_CONTACT_MODES, saltus_mode);
    int count = 0;
    if (!list) return (saltus_modes){0};
    for (int i = 0; i < b->modes.count; i++) list[count++] = b->modes.mode[i];
    for (int i = 0; i < SAL_CONTACT_MODES; i++)
        if (which & 1u << i) list[count++] = b->mode[i];
    return (saltus_modes){list, count};
}

enum {
    STICKS = 1u << SAL_HELD,
    SLIDES = 1u << SAL_SLIDES_PLUS | 1u << SAL_SLIDES_MINUS,
    TOUCHES = STICKS | SLIDES
};

/* The force of friction while it slides in this direction. */
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

/* The row of a constraint that has just been added. */
static int last_constraint(const builder *b)
{
    const int last = b->model->constraints.count - 1;
    if (!sal_model_failed(b->model)) b->model->constraints.data[last].found = true;
    return last;
}

static void add_event(builder *b, const char *part, saltus_expr when, saltus_direction direction,
                      unsigned from, sal_contact_role role)
{
    const char *name = part ? sal_mech_part(b->model, b->name, part) : b->name;
    sal_event   row = {.direction = direction, .role = role};
    row.when = sal_model_node(b->model, when, "the guard");
    row.from = sal_model_modes(b->model, while_in(b, from));
    row.found = b->model->found_contacts.count + 1;
    if (name && !sal_model_failed(b->model)) sal_model_add_event(b->model, name, row);
}

/* Friction sticks as long as its force is less than limit, and slides until the slip is zero. */
static void add_friction(builder *b, saltus_friction mu, saltus_expr limit)
{
    saltus_model     *model = b->model;
    const saltus_expr kinetic = mu.mu_kinetic.id ? mu.mu_kinetic : mu.mu_static;
    saltus_rolling(model, b->force, b->slip, while_in(b, STICKS));
    b->contact.friction = last_constraint(b);
    add_sliding(b, 1, kinetic, SAL_SLIDES_PLUS);
    add_sliding(b, -1, kinetic, SAL_SLIDES_MINUS);
    const saltus_expr force = saltus_multiplier(model, b->force);
    add_event(b, "slip", saltus_sub(model, limit, force), SALTUS_FALLING, STICKS, SAL_SLIPS_PLUS);
    add_event(b, "slip", saltus_add(model, limit, force), SALTUS_FALLING, STICKS, SAL_SLIPS_MINUS);
    add_event(b, "stop", b->slip, SALTUS_FALLING, 1u << SAL_SLIDES_PLUS, SAL_STOPS);
    add_event(b, "stop", b->slip, SALTUS_RISING, 1u << SAL_SLIDES_MINUS, SAL_STOPS);
    b->contact.mu_static = checked(b, mu.mu_static, "the coefficient of friction");
    b->contact.mu_kinetic = checked(b, kinetic, "the coefficient of friction");
}

static void finish(builder *b)
{
    b->contact.label = sal_model_label(b->model, b->name, NULL, NULL);
    b->contact.modes = sal_model_modes(b->model, b->modes);
    if (!sal_model_failed(b->model) &&
        !ARRAY_PUSH(&b->model->arena.allocator, &b->model->found_contacts, b->contact))
        sal_model_out_of_memory(b->model);
}

static saltus_expr slip_of(saltus_model *model, const saltus_surface *surface)
{
    if (surface->slip.id || !surface->along.id) return surface->slip;
    const saltus_expr rate = saltus_dot(model, surface->along);
    return surface->radius.id ? saltus_mul(model, surface->radius, rate) : rate;
}

saltus_contact sal_mech_rough_contact(saltus_model *model, const char *name,
                                      const saltus_contact_def *def)
{
    builder b = {.model = model,
                 .name = name,
                 .force = sal_mech_part(model, name, "friction"),
                 .slip = slip_of(model, &def->surface),
                 .modes = def->modes};
    b.contact = (sal_contact){.friction = -1, .starts_closed = def->starts_closed != 0};
    if (!b.slip.id)
        saltus_model_fail(
            model,
            "contact '%s': with friction= and gap= it needs slip=, the velocity along "
            "the surface",
            name);
    if (sal_model_failed(model)) return (saltus_contact){.name = NULL};
    add_modes(&b);
    saltus_constraint(model, name, def->surface.gap, while_in(&b, TOUCHES));
    b.contact.normal = last_constraint(&b);
    if (def->restitution.id && !sal_model_failed(model)) {
        b.contact.restitution = checked(&b, def->restitution, "the restitution");
        model->terms.data[model->terms.count - 1].e[1] = b.contact.restitution;
    }
    const saltus_expr push = saltus_neg(model, saltus_multiplier(model, name));
    add_event(&b, NULL, def->surface.gap, SALTUS_FALLING, 1u << SAL_OPEN, SAL_TOUCHES);
    const saltus_event touch = {model->events.count};
    add_event(&b, "leave", push, SALTUS_FALLING, TOUCHES, SAL_LEAVES);
    const saltus_event leave = {model->events.count};
    add_friction(&b, def->friction, saltus_mul(model, def->friction.mu_static, push));
    finish(&b);
    return (saltus_contact){.name = name,
                            .gap = def->surface.gap,
                            .open = b.mode[SAL_OPEN],
                            .closed = b.mode[SAL_HELD],
                            .touch = touch,
                            .leave = leave};
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
    b.contact = (sal_contact){.normal = -1, .friction = -1};
    if (!name || !sal_model_has_modes(model, modes)) return;
    if (!limit.mu_static.id) {
        saltus_model_fail(model, "friction '%s': limit= is missing, the largest force", name);
        return;
    }
    add_modes(&b);
    add_friction(&b, limit, limit.mu_static);
    finish(&b);
}
