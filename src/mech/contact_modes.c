/* The modes of contacts: see contact_modes.h.
 *
 * Each contact has a group of modes. It is open; or closed, where its gap is a constraint. With
 * friction, closed is one of three: it sticks, and its slip, the velocity along the surface, is a
 * constraint too; or it slides in either direction, and the multiplier of that constraint is given
 * by the law of friction. Events lead out of a mode. Which one comes next is found by the run
 * (contact/set.h), so they lead to none.
 *
 * A contact with restitution that may close does so at the last of its bounces, which has an event
 * of its own: the first that is slower than `settle`; or, if it rests by itself, slower than the
 * fastest by a factor that the tolerance allows (theory/contacts.md, "Rest"). One without
 * restitution closes at every touch, but another contact may throw it off again, and so on: it
 * remembers its last touch, from which follows when all of them are over. */
#include "mech/contact_modes.h"

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
    saltus_expr bounces; /* a memory: 1 unless this is the last bounce; null: all of them bounce */
    saltus_expr settled; /* a memory: 0 from the last bounce until its rest; null: there is none */
} builder;

enum {
    OPEN = 1u << SAL_OPEN,
    HELD = 1u << SAL_HELD,
    SLIDES = 1u << SAL_SLIDES_PLUS | 1u << SAL_SLIDES_MINUS,
    CLOSED = HELD | SLIDES
};

static sal_node checked(builder *b, saltus_expr e, const char *what)
{
    const sal_node node = sal_model_node(b->model, e, what);
    sal_model_allow(b->model, node, SAL_KINDS_STATE, what,
                    "it may depend on time, positions, velocities, memories and parameters");
    return node;
}

/* A memory that the contact keeps for itself. */
static saltus_expr memory(builder *b, const char *part, double start)
{
    saltus_model     *model = b->model;
    const saltus_expr made =
        saltus_memory(model, sal_mech_part(model, b->name, part), saltus_number(model, start));
    if (made.id) model->memories.data[model->memories.count - 1].hidden = true;
    return made;
}

/* ---- modes ---------------------------------------------------------------------------------- */

/* bounces: it will be held where it rests, but not while it bounces. */
static void add_modes(builder *b, bool rough, bool bounces)
{
    const char *const part[] = {"open", rough ? "stick" : "closed", rough ? "slide+" : "bounce",
                                "slide-"};
    const int count = rough ? SAL_CONTACT_MODES : bounces ? SAL_SLIDES_MINUS : SAL_SLIDES_PLUS;
    /* Assembly needs the constraint of the gap, if it is closed, but no slip. */
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

/* Where it exists and is in one of these modes. */
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

static saltus_event add_event(builder *b, const char *part, saltus_expr when,
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

/* Sets a memory at an event; accelerations before it may be used. */
static void set_memory(builder *b, saltus_event event, saltus_expr target, saltus_expr value)
{
    sal_assignment entry = {.place = b->model->place};
    const sal_node left = sal_model_node(b->model, target, "the memory");
    entry.value = sal_model_node(b->model, value, "its value");
    if (sal_model_failed(b->model) ||
        !sal_is_leaf(&b->model->graph, left, &entry.kind, &entry.index))
        return;
    SAL_MODEL_PUSH(b->model, &b->model->events.data[event.id - 1].set, entry);
}

/* The number of the constraint that has just been added. */
static int last_constraint(const builder *b)
{
    const int last = b->model->constraints.count - 1;
    if (!sal_model_failed(b->model)) b->model->constraints.data[last].found = true;
    return last;
}

/* ---- friction ------------------------------------------------------------------------------- */

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

/* It sticks as long as the force is less than limit, and slides until the slip is zero. */
static void add_friction(builder *b, saltus_friction mu, saltus_expr limit)
{
    saltus_model     *model = b->model;
    const saltus_expr kinetic = mu.mu_kinetic.id ? mu.mu_kinetic : mu.mu_static;
    saltus_rolling(model, b->force, b->slip, while_in(b, HELD));
    b->contact.friction = last_constraint(b);
    add_sliding(b, 1, kinetic, SAL_SLIDES_PLUS);
    add_sliding(b, -1, kinetic, SAL_SLIDES_MINUS);
    const saltus_expr force = saltus_multiplier(model, b->force);
    add_event(b, "slip", saltus_sub(model, limit, force), SALTUS_FALLING, HELD, SAL_SLIPS_PLUS);
    add_event(b, "slip", saltus_add(model, limit, force), SALTUS_FALLING, HELD, SAL_SLIPS_MINUS);
    add_event(b, "stop", b->slip, SALTUS_FALLING, 1u << SAL_SLIDES_PLUS, SAL_STOPS);
    add_event(b, "stop", b->slip, SALTUS_RISING, 1u << SAL_SLIDES_MINUS, SAL_STOPS);
    b->contact.mu_static = checked(b, mu.mu_static, "the coefficient of friction");
    b->contact.mu_kinetic = checked(b, kinetic, "the coefficient of friction");
}

/* It stays where it closed: the memory of that place, and the constraint that holds it there. */
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
                        while_in(b, HELD));
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

/* The law of impacts of the constraint that has just been added. */
static void add_restitution(builder *b, const saltus_contact_def *def)
{
    saltus_expr e = def->restitution;
    if (!e.id) return;
    b->contact.given_restitution = sal_model_node(b->model, e, "the restitution");
    if (b->contact.closes) {
        b->bounces = memory(b, "bounces", 1.0);
        e = saltus_mul(b->model, e, b->bounces);
    }
    b->contact.restitution = checked(b, e, "the restitution");
    if (!sal_model_failed(b->model))
        b->model->terms.data[b->model->terms.count - 1].e[1] = b->contact.restitution;
}

/* The larger of two speeds. This is no kink, as max is: touches with equal speeds are nothing
 * special, and results do not depend on the threshold that is made of them. */
static saltus_expr larger(builder *b, saltus_expr speed, saltus_expr other)
{
    const saltus_expr more = saltus_sub(b->model, other, speed);
    if (sal_model_failed(b->model)) return (saltus_expr){0};
    return (saltus_expr){sal_apply(&b->model->graph, SAL_OP_SELECT, more.id, other.id, speed.id)};
}

/* When all bounces are over that would follow one with this speed: each takes e times the time of
 * the one before. */
static saltus_expr time_of_rest(builder *b, saltus_expr e, saltus_expr gap, saltus_expr speed)
{
    saltus_model     *model = b->model;
    const saltus_expr pull = saltus_neg(model, saltus_dot(model, saltus_dot(model, gap)));
    const saltus_expr left = saltus_sub(model, saltus_number(model, 1.0), e);
    const saltus_expr twice =
        saltus_mul(model, saltus_number(model, 2.0), saltus_mul(model, e, speed));
    return saltus_add(model, saltus_time(model),
                      saltus_div(model, twice, saltus_mul(model, pull, left)));
}

/* ---- bounces that are left out ----------------------------------------------------------------
 */

/* The touches of a contact with restitution that comes to rest by itself. Left alone, each is e
 * times as fast as the one before. A touch that is not begins a turn: another contact threw it off,
 * or forces differ on the way up and down. In the end turns are a geometric series: with the speeds
 * w0 and w of touches that begin two of them, at t0 and t, all touches are over at t + (t - t0) w /
 * (w0
 * - w), and from this one on their speeds are the sum of those of the turn before, times w / (w0 -
 * w) (contacts.md (6)). That is used at the first turn that begins slower than SAL_SERIES_EARLY
 * times `slow`. Memories keep what is before the touch. */
typedef struct touches {
    sal_node e, time, speed;      /* of this touch */
    sal_node before;              /* speed of the touch before */
    sal_node since, fast, sum;    /* when the turn began, its first speed, the sum of its speeds */
    sal_node slow, at;            /* which speed is slow; when all touches are over */
    sal_node begins, summed, few; /* > 0: begins a turn; is in a sum; a turn has one touch only */
    sal_node series, all, all_at; /* > 0: a sum is possible now; its factor, and the end of all */
} touches;

/* Deviations from e by this part begin a turn; turns take so many times as long as a free fall at
 * most. */
#define ANOTHER_RATIO 1e-2
#define LONG_TURN 1e3

static sal_node choose(builder *b, sal_node condition, sal_node yes, sal_node no)
{
    return sal_apply(&b->model->graph, SAL_OP_SELECT, condition, yes, no);
}

static sal_node scaled(builder *b, double factor, sal_node node)
{
    return sal_mul(&b->model->graph, sal_const(&b->model->graph, factor), node);
}

static touches list_touches(builder *b, saltus_expr e, saltus_expr gap, saltus_expr speed,
                            saltus_expr slow)
{
    saltus_model  *model = b->model;
    sal_graph     *graph = &model->graph;
    const sal_node pull = sal_neg(graph, saltus_dot(model, saltus_dot(model, gap)).id);
    touches s = {.e = e.id, .time = saltus_time(model).id, .speed = speed.id, .slow = slow.id};
    s.before = memory(b, "before", 0.0).id;
    s.since = memory(b, "turn", 0.0).id;
    s.fast = memory(b, "speed", 0.0).id;
    s.sum = memory(b, "sum", 0.0).id;
    s.at = memory(b, "rest", -1e9).id;
    if (sal_model_failed(model)) return s;
    const sal_node other = sal_sub(graph, s.speed, sal_mul(graph, s.e, s.before));
    const sal_node same = scaled(b, ANOTHER_RATIO, s.before);
    s.begins = sal_sub(graph, sal_mul(graph, other, other), sal_mul(graph, same, same));
    s.summed = sal_sub(graph, s.at, s.time);
    const sal_node less = sal_sub(graph, s.fast, s.speed), none = sal_const(graph, 0.0);
    const sal_node lasted = sal_sub(graph, s.time, s.since);
    const sal_node brief =
        sal_sub(graph, scaled(b, LONG_TURN, s.fast), sal_mul(graph, lasted, pull));
    const sal_node early = sal_sub(graph, scaled(b, SAL_SERIES_EARLY, s.slow), s.speed);
    s.series = choose(b, s.begins, choose(b, early, choose(b, brief, less, none), none), none);
    s.all = sal_apply(graph, SAL_OP_OVER, s.sum, less, 0);
    s.all_at = sal_add(graph, s.time,
                       sal_apply(graph, SAL_OP_OVER, sal_mul(graph, lasted, s.speed), less, 0));
    s.few = sal_sub(graph, scaled(b, 1.001, s.fast), s.sum);
    return s;
}

/* What follows from a touch: until when, and how much of its impulse later ones add, if those of a
 * turn are summed; otherwise these. */
static sal_node or_sum(builder *b, const touches *s, sal_node if_summed, sal_node sum,
                       sal_node alone)
{
    return choose(b, s->summed, if_summed, choose(b, s->series, sum, alone));
}

/* Notes the touch, after which bounces of this part of its speed are left out. */
static void note_touch(builder *b, saltus_event event, const touches *s, sal_node left_out)
{
    sal_graph     *graph = &b->model->graph;
    const sal_node sum = choose(b, s->begins, s->speed, sal_add(graph, s->sum, s->speed));
    set_memory(b, event, (saltus_expr){s->before}, (saltus_expr){s->speed});
    set_memory(b, event, (saltus_expr){s->since},
               (saltus_expr){choose(b, s->begins, s->time, s->since)});
    set_memory(b, event, (saltus_expr){s->fast},
               (saltus_expr){choose(b, s->begins, s->speed, s->fast)});
    set_memory(b, event, (saltus_expr){s->sum},
               (saltus_expr){sal_add(graph, sum, sal_mul(graph, left_out, s->speed))});
}

/* A bounce, after which others follow. */
static void add_bounce(builder *b, saltus_event touch, const touches *s)
{
    sal_graph     *graph = &b->model->graph;
    const sal_node one = sal_const(graph, 1.0), none = sal_const(graph, 0.0);
    note_touch(b, touch, s, none);
    set_memory(b, touch, (saltus_expr){s->at},
               (saltus_expr){or_sum(b, s, s->at, s->all_at, s->at)});
    set_memory(b, touch, b->settled, (saltus_expr){one});
    b->contact.series = or_sum(b, s, none, s->all, one);
}

/* The last bounce, after which all that are its own are left out: over, when these end. Between it
 * and that time the closed contact stands for bounces, in which nothing pushes but impulses: costs
 * do not see its forces there. */
static void add_end(builder *b, saltus_event last, const touches *s, sal_node over)
{
    sal_graph     *graph = &b->model->graph;
    const sal_node one = sal_const(graph, 1.0), none = sal_const(graph, 0.0);
    const sal_node less = sal_sub(graph, one, s->e), more = sal_add(graph, one, s->e);
    const sal_node at = or_sum(b, s, s->at, s->all_at, over);
    const sal_node bounces = choose(b, s->few, none, one);
    note_touch(b, last, s, sal_apply(graph, SAL_OP_OVER, s->e, less, 0));
    set_memory(b, last, (saltus_expr){s->at}, (saltus_expr){at});
    set_memory(b, last, b->settled,
               (saltus_expr){choose(b, sal_sub(graph, s->time, at), one,
                                    or_sum(b, s, bounces, bounces, none))});
    b->contact.last_series = or_sum(b, s, none, sal_mul(graph, more, s->all),
                                    sal_apply(graph, SAL_OP_DIV, more, less, 0));
}

/* A touch is fast, or the last bounce. same: either way the motion is the same as far as it can be
 * told, so that how close the choice is does not matter. */
static void add_choice(builder *b, saltus_event touch, saltus_event last, saltus_expr fast,
                       bool same)
{
    saltus_model     *model = b->model;
    const saltus_expr yes = saltus_number(model, 1.0);
    if (same && !sal_model_failed(model))
        fast.id = choose(b, fast.id, yes.id, saltus_neg(model, yes).id);
    saltus_event_where(model, touch, fast);
    saltus_event_where(model, last, saltus_neg(model, fast));
}

/* The event of the last bounce, slower than `slow`. */
static saltus_event add_last_bounce(builder *b, const saltus_contact_def *def, saltus_event touch)
{
    saltus_model      *model = b->model;
    const saltus_expr  gap = def->surface.gap;
    const saltus_expr  speed = saltus_neg(model, saltus_dot(model, gap));
    const bool         by_itself = !def->settle.id;
    const saltus_expr  slow = by_itself ? memory(b, "slow", 0.0) : def->settle;
    const saltus_event last =
        add_event(b, by_itself ? NULL : "settle", gap, SALTUS_FALLING, OPEN, SAL_TOUCHES);
    add_choice(b, touch, last, saltus_sub(model, speed, slow), by_itself);
    set_memory(b, touch, b->bounces, saltus_number(model, 1.0));
    set_memory(b, last, b->bounces, saltus_number(model, 0.0));
    if (!by_itself || sal_model_failed(model)) return last;
    b->contact.rests = true;
    b->settled = memory(b, "settled", 1.0);
    const touches     s = list_touches(b, def->restitution, gap, speed, slow);
    const saltus_expr part = {sal_leaf(&model->graph, SAL_LEAF_SOLVER, 2)};
    if (sal_model_failed(model)) return last;
    set_memory(b, touch, slow, larger(b, slow, saltus_mul(model, part, speed)));
    add_bounce(b, touch, &s);
    add_end(b, last, &s, time_of_rest(b, def->restitution, gap, speed).id);
    const saltus_expr  at = {s.at};
    const saltus_event rest = add_event(b, "rest", saltus_sub(model, saltus_time(model), at),
                                        SALTUS_RISING, CLOSED, SAL_RESTS);
    set_memory(b, rest, b->settled, saltus_number(model, 1.0));
    int kind;
    sal_is_leaf(&model->graph, s.at, &kind, &b->contact.rest_at);
    return last;
}

/* Touches of a contact without restitution, again and again because others throw it off, are a
 * geometric series in the end: with the speeds w0 and w of two of them that follow each other, at
 * t0 and t, all are over at t + (t - t0) w / (w0 - w), and the impulses from this one on are w0 /
 * (w0 - w) times its own (contacts.md (6)). That is used at the first touch that is slower than
 * `slow`; the impulses of later ones, if there are some before all contacts stay, are in it. */
static void add_series(builder *b, saltus_event touch, saltus_expr gap)
{
    saltus_model     *model = b->model;
    sal_graph        *graph = &model->graph;
    const saltus_expr speed = saltus_neg(model, saltus_dot(model, gap));
    const saltus_expr time = saltus_time(model);
    const saltus_expr last = memory(b, "last", 0.0), fast = memory(b, "speed", 0.0);
    const saltus_expr slow = memory(b, "slow", 0.0), at = memory(b, "rest", -1e9);
    if (sal_model_failed(model)) return;
    const sal_node part =
        sal_mul(graph, sal_const(graph, SAL_SERIES_EARLY), sal_leaf(graph, SAL_LEAF_SOLVER, 2));
    const sal_node is_slow = sal_sub(graph, slow.id, speed.id);
    const sal_node was_slow = sal_sub(graph, slow.id, fast.id);
    const sal_node less = sal_sub(graph, fast.id, speed.id);
    const double   later = 1.0 + 2e-5 * (model->found_contacts.count % 16);
    const sal_node wait = sal_mul(graph, sal_sub(graph, time.id, last.id),
                                  sal_mul(graph, sal_const(graph, later), speed.id));
    const sal_node over = sal_add(graph, time.id, sal_apply(graph, SAL_OP_OVER, wait, less, 0));
    const sal_node all = sal_apply(graph, SAL_OP_OVER, fast.id, less, 0);
    b->contact.series =
        sal_apply(graph, SAL_OP_SELECT, is_slow,
                  sal_apply(graph, SAL_OP_SELECT, was_slow, sal_const(graph, 0.0), all),
                  sal_const(graph, 1.0));
    const sal_node first = sal_apply(graph, SAL_OP_SELECT, was_slow, at.id, over);
    set_memory(b, touch, at, (saltus_expr){sal_apply(graph, SAL_OP_SELECT, is_slow, first, at.id)});
    set_memory(b, touch, last, time);
    set_memory(b, touch, fast, speed);
    set_memory(b, touch, slow, larger(b, slow, saltus_mul(model, (saltus_expr){part}, speed)));
    int kind;
    sal_is_leaf(graph, slow.id, &kind, &b->contact.slow);
    sal_is_leaf(graph, fast.id, &kind, &b->contact.speed);
    add_event(b, "rest", saltus_sub(model, time, at), SALTUS_RISING, CLOSED, SAL_RESTS);
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
    saltus_constraint(model, name, def->surface.gap, while_in(&b, CLOSED));
    b.contact.normal = last_constraint(&b);
    add_restitution(&b, def);
    made.touch = add_event(&b, NULL, def->surface.gap, SALTUS_FALLING, OPEN, SAL_TOUCHES);
    if (b.bounces.id) made.settle = add_last_bounce(&b, def, made.touch);
    else if (rests(def)) add_series(&b, made.touch, def->surface.gap);
    const saltus_expr push = saltus_neg(model, saltus_multiplier(model, name));
    if (b.contact.closes)
        made.leave = add_event(&b, "leave", push, SALTUS_FALLING, CLOSED, SAL_LEAVES);
    if (rough) add_friction(&b, def->friction, saltus_mul(model, def->friction.mu_static, push));
    if (def->sticks) place = add_hold(&b, def);
    if (place.id)
        set_memory(&b, made.settle.id ? made.settle : made.touch, place, def->surface.along);
    finish(&b);
    if (!b.contact.closes) return made; /* its closed mode is that of its impacts only */
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
