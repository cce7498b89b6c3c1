/* Contacts: a gap that must not become negative, built of events, modes and constraints.
 *
 *     line      gap = e x (P - A),         along = e (P - A),     e = (B - A) / |B - A|
 *     circle    gap = +-(|P - C| - r),     along = atan2(P - C), less the angle of its body
 *
 * Events:
 *
 *     name           a touch: it bounces with restitution=, otherwise it closes
 *     name           the last bounce, if the contact rests by itself: it closes
 *     name.settle    a touch slower than settle=: it closes
 *     name.rest      all bounces are over (contact_rest.c)
 *     name.leave     the multiplier of the gap rises through zero: it opens
 *     name.edge      a condition on positions falls through zero: it opens
 *     name.slip      the force of friction reaches its limit: it begins to slide
 *     name.stop      the slip reaches zero: it stops sliding
 *
 * The closed mode has the constraint `name`, gap = 0. A contact that sticks also has name.hold,
 * which keeps `along` at the memory name.place, set when the contact closes:
 *
 *     line      along - place = 0
 *     circle    r sin(along - place) = 0       which ignores whole turns
 */
#include <string.h>

#include "base/host.h"
#include "expr/derive.h"
#include "mech/algebra.h"
#include "mech/contact_modes.h"
#include "mech/mech.h"
#include "model/model.h"

/* ---- surfaces ------------------------------------------------------------------------------- */

/* The coordinates that a gap depends on. */
struct reach {
    int      coordinates, index; /* their number; the index of the last one found */
    sal_node rate;               /* the derivative of the gap by the last one found */
};

static void note_reach(void *context, int kind, int index, sal_node derivative)
{
    struct reach *reach = context;
    if (kind != SAL_LEAF_Q) return;
    *reach = (struct reach){reach->coordinates + 1, index, derivative};
}

/* Draws a line from the point with the coordinate to the place where its gap would be zero. */
static void draw_gap(saltus_model *model, const sal_shape *of, int axis, saltus_expr touching)
{
    const saltus_expr x = {model->drawn.data[of->first]}, y = {model->drawn.data[of->first + 1]};
    const saltus_expr numbers[] = {x, y, axis == 0 ? touching : x, axis == 1 ? touching : y};
    saltus_draw(model, SALTUS_SHAPE_GAP, "", numbers, 4, (saltus_modes){0});
}

/* Places the surface at the point with the coordinate: the normal is along its axis, the tangent
 * along the other one. */
static void place_gap(saltus_model *model, saltus_surface *surface, const sal_shape *of, int axis,
                      double rate)
{
    const saltus_expr zero = saltus_number(model, 0.0), one = saltus_number(model, 1.0);
    const saltus_expr up = saltus_number(model, rate);
    surface->at.x.id = model->drawn.data[of->first];
    surface->at.y.id = model->drawn.data[of->first + 1];
    surface->normal = axis == 0 ? (saltus_point){up, zero} : (saltus_point){zero, up};
    surface->tangent = axis == 0 ? (saltus_point){zero, one} : (saltus_point){one, zero};
}

/* Draws the contact at the place of its surface, if that is known. */
static void draw_contact(saltus_model *model, const char *name, const saltus_contact_def *def)
{
    const saltus_surface *s = &def->surface;
    const saltus_expr     numbers[] = {
            s->at.x,      s->at.y,      s->normal.x, s->normal.y,
            s->tangent.x, s->tangent.y, s->gap,      def->friction.mu_static};
    if (s->at.x.id)
        saltus_draw(model, SALTUS_SHAPE_CONTACT, name, numbers, def->friction.mu_static.id ? 8 : 7,
                    def->modes);
}

saltus_surface saltus_surface_gap(saltus_model *model, saltus_expr gap)
{
    HOLD_HOST;
    saltus_surface surface = {.gap = gap};
    const sal_node node = sal_model_node(model, gap, "the gap of a contact");
    struct reach   reach = {0};
    double         rate = 0.0;
    if (!node) return surface;
    sal_derive_back(&model->graph, &node, NULL, 1, note_reach, &reach);
    if (reach.coordinates != 1 || !sal_is_const(&model->graph, reach.rate, &rate)) return surface;
    if (rate != 1.0 && rate != -1.0) return surface;
    const sal_node    leaf = sal_leaf(&model->graph, SAL_LEAF_Q, reach.index);
    const saltus_expr coordinate = {leaf};
    for (int i = 0; i < model->shapes.count; i++) {
        const sal_shape of = model->shapes.data[i];
        if (of.shape != SALTUS_SHAPE_POINT && of.shape != SALTUS_SHAPE_BODY) continue;
        for (int axis = 0; axis < 2; axis++)
            if (model->drawn.data[of.first + axis] == leaf) {
                draw_gap(model, &of, axis,
                         rate > 0.0 ? saltus_sub(model, coordinate, gap)
                                    : saltus_add(model, coordinate, gap));
                place_gap(model, &surface, &of, axis, rate);
                return surface;
            }
    }
    return surface;
}

saltus_surface saltus_surface_line(saltus_model *model, saltus_point p, saltus_point a,
                                   saltus_point b)
{
    const saltus_point e = direction(model, a, b), d = between(model, a, p);
    const saltus_expr  numbers[] = {a.x, a.y, b.x, b.y};
    const int          fixed = sal_mech_is_fixed(model, a) && sal_mech_is_fixed(model, b);
    saltus_draw(model, fixed ? SALTUS_SHAPE_FLOOR : SALTUS_SHAPE_EDGE, "", numbers, 4,
                (saltus_modes){0});
    sal_mech_draw_point(model, SALTUS_SHAPE_POINT, "", p, (saltus_modes){0});
    return (saltus_surface){.gap = cross(model, e, d),
                            .along = inner(model, e, d),
                            .at = p,
                            .normal = {saltus_neg(model, e.y), e.x},
                            .tangent = e};
}

saltus_surface saltus_surface_circle(saltus_model *model, saltus_point p, saltus_point centre,
                                     saltus_expr turn, saltus_expr radius, int inside)
{
    const saltus_point d = between(model, centre, p);
    const saltus_expr  distance = length_of(model, d);
    const saltus_expr  angle = saltus_apply(model, SALTUS_ATAN2, d.y, d.x);
    const saltus_expr  numbers[] = {centre.x, centre.y, radius};
    const saltus_point outwards = direction(model, centre, p);
    const saltus_point inwards = {saltus_neg(model, outwards.x), saltus_neg(model, outwards.y)};
    saltus_draw(model, SALTUS_SHAPE_RING, "", numbers, 3, (saltus_modes){0});
    sal_mech_draw_point(model, SALTUS_SHAPE_POINT, "", p, (saltus_modes){0});
    return (saltus_surface){.gap = inside ? saltus_sub(model, radius, distance)
                                          : saltus_sub(model, distance, radius),
                            .along = turn.id ? saltus_sub(model, angle, turn) : angle,
                            .radius = radius,
                            .at = p,
                            .normal = inside ? inwards : outwards,
                            .tangent = {inwards.y, outwards.x}};
}

/* ---- the contact ---------------------------------------------------------------------------- */

static const char *const NOT_OF_A_CONTACT = "pass what saltus_contact_new returned";

/* Returns an event of a contact, or notes a mistake and returns NULL; which: "touch", "leave". */
static sal_event *event_of(saltus_model *model, saltus_contact contact, saltus_event event,
                           const char *which)
{
    const char *name = contact.name ? contact.name : "";
    if (sal_model_failed(model)) return NULL;
    if (event.id <= 0 || event.id > model->events.count) {
        saltus_model_fail(model, "contact '%s': its event %s (number %d) does not exist; %s", name,
                          which, event.id, NOT_OF_A_CONTACT);
        return NULL;
    }
    sal_event *row = &model->events.data[event.id - 1];
    if (row->found) return row;
    saltus_model_fail(model, "contact '%s': its event %s is '%s', which is no contact's; %s", name,
                      which, row->label.name, NOT_OF_A_CONTACT);
    return NULL;
}

int sal_mech_is_negative(saltus_model *model, saltus_friction friction)
{
    double sticking = 0.0, sliding = 0.0;
    saltus_expr_number(model, friction.mu_static, &sticking);
    saltus_expr_number(model, friction.mu_kinetic, &sliding);
    return sticking < 0.0 || sliding < 0.0;
}

static int is_consistent(saltus_model *model, const char *name, const saltus_contact_def *def)
{
    double      settle = 1.0;
    const int   closes = sal_mech_contact_closes(def);
    const char *mistake = NULL;
    saltus_expr_number(model, def->settle, &settle);
    const int rough = def->friction.mu_static.id || def->friction.mu_kinetic.id;
    if (!def->surface.gap.id) mistake = "it has no gap";
    else if (rough && !def->friction.mu_static.id)
        mistake =
            "friction= has no static coefficient; give friction = mu, or {static =, kinetic =}";
    else if (rough && sal_mech_is_negative(model, def->friction))
        mistake = "a coefficient of friction is negative";
    else if (rough && def->sticks)
        mistake = "with friction= it sticks by itself; leave sticks= out";
    else if (rough && def->place.id) mistake = "at= belongs to sticks=; leave it out";
    else if (def->settle.id && !def->restitution.id)
        mistake = "settle= belongs to restitution=; what slides or sticks does so at once";
    else if (!(settle > 0.0)) mistake = "settle= is a speed, and positive";
    else if (!closes && def->sticks)
        mistake = "with restitution= it bounces; give settle=, the speed below which it sticks";
    else if (!closes && def->starts_closed)
        mistake = "it only bounces and cannot start closed; give rest = true, or settle=, slides=, "
                  "or sticks=";
    else if (def->sticks && !def->surface.along.id)
        mistake = "to stick it needs along=, an expression of the place where it does";
    else if (def->sticks && def->starts_closed && !def->place.id)
        mistake = "it starts closed and sticks: give at=, the place along its surface";
    else if (def->place.id && !(def->sticks && def->starts_closed))
        mistake = "at= is where a contact that sticks is held at the start; give sticks= and "
                  "start = \"closed\" with it";
    if (mistake) saltus_model_fail(model, "contact '%s': %s", name, mistake);
    return !mistake && sal_model_has_modes(model, def->modes);
}

saltus_contact saltus_contact_new(saltus_model *model, const char *name,
                                  const saltus_contact_def *def)
{
    if (sal_model_failed(model)) return (saltus_contact){.name = NULL};
    if (!def) {
        saltus_model_fail(model, "contact '%s': it has no definition", name ? name : "");
        return (saltus_contact){.name = NULL};
    }
    model->contacts++;
    if (!name || !name[0]) name = sal_arena_format(&model->arena, "contact %d", model->contacts);
    name = sal_arena_text(&model->arena, name);
    if (!name || !is_consistent(model, name, def)) return (saltus_contact){.name = NULL};
    const saltus_contact contact = sal_mech_contact(model, name, def);
    draw_contact(model, name, def);
    return contact;
}

/* ---- conditions and charges ----------------------------------------------------------------- */

/* Adds the event at which a closed contact reaches the edge of its surface and opens, where the
 * condition becomes negative. Each condition has its own event: name.edge, name.edge 2, ... */
static void add_edge(saltus_model *model, saltus_contact contact, saltus_expr condition)
{
    const sal_event   *leave = event_of(model, contact, contact.leave, "leave");
    const sal_event   *touch = event_of(model, contact, contact.touch, "touch");
    const saltus_modes to_open = {&contact.open, 1};
    if (!leave || !touch || !contact.name) return;
    const int    number = touch->where.count - (contact.settle.id != 0);
    const int    of_contact = leave->contact, found = leave->found;
    const char  *name = sal_mech_part(model, contact.name, "edge");
    saltus_mode *from = ARENA_NEW(&model->arena, leave->from.count, saltus_mode);
    if (number > 1) name = sal_arena_format(&model->arena, "%s.edge %d", contact.name, number);
    if (!from || !name) return;
    for (int i = 0; i < leave->from.count; i++) from[i].id = leave->from.mode[i] + 1;
    const saltus_event edge = saltus_event_new(model, name, condition, SALTUS_FALLING,
                                               (saltus_modes){from, leave->from.count}, to_open);
    if (sal_model_failed(model)) return;
    sal_event *row = &model->events.data[edge.id - 1];
    row->contact = of_contact;
    row->role = SAL_ENDS;
    row->found = found;
}

void saltus_contact_where(saltus_model *model, saltus_contact contact, saltus_expr condition)
{
    const sal_node node = sal_model_node(model, condition, "where=");
    if (!event_of(model, contact, contact.touch, "touch") ||
        (contact.settle.id && !event_of(model, contact, contact.settle, "settle")) ||
        (contact.leave.id && !event_of(model, contact, contact.leave, "leave")))
        return;
    saltus_event_where(model, contact.touch, condition);
    if (contact.settle.id) saltus_event_where(model, contact.settle, condition);
    if (!contact.leave.id || sal_model_failed(model)) return;
    const unsigned kinds = model->graph.nodes.data[node].kinds;
    if ((kinds & (SAL_KIND(T) | SAL_KIND(Q))) && !(kinds & ~SAL_KINDS_POSITION))
        add_edge(model, contact, condition);
}

/* Impulses in the charges of a contact. The impulse of a constraint that pushes is negative; in
 * charges of the contact, impulse(name) is then positive. Impulses of name.friction keep their
 * sign. If the contact rests by itself, a factor makes the impulse of its last bounce include the
 * bounces that would follow: (1 + e) / (1 - e), or the factor of a series (contact_rest.c). */
typedef struct pushing {
    const saltus_model *model;
    const char         *name;
    sal_node            all; /* the factor; null: 1 */
} pushing;

static sal_node push_positive(void *context, sal_graph *graph, sal_node node)
{
    const pushing *p = context;
    int            kind, index;
    if (!sal_is_leaf(graph, node, &kind, &index) || kind != SAL_LEAF_IMPULSE) return 0;
    const char  *of = p->model->impulses.data[index];
    const size_t length = strlen(p->name);
    if (strncmp(of, p->name, length) != 0 || (of[length] && of[length] != '.')) return 0;
    const sal_node push = of[length] ? node : sal_neg(graph, node); /* friction has both signs */
    return p->all ? sal_mul(graph, p->all, push) : push;
}

static void charge_event(saltus_model *model, saltus_event event, const sal_contact *of,
                         const char *cost, sal_node charge, sal_node all)
{
    pushing  push = {model, of->label.name, all};
    sal_node node = charge;
    if (sal_model_failed(model)) return;
    sal_substitute(&model->graph, &charge, 1, push_positive, &push, &node);
    saltus_event_charge(model, event, cost, (saltus_expr){node});
}

void saltus_contact_charge(saltus_model *model, saltus_contact contact, const char *cost,
                           saltus_expr charge)
{
    HOLD_HOST;
    const bool       settles = contact.settle.id != 0;
    const sal_node   node = sal_model_node(model, charge, "charge=");
    const sal_event *touch = event_of(model, contact, contact.touch, "touch");
    const sal_event *settle = settles ? event_of(model, contact, contact.settle, "settle") : touch;
    if (!touch || !settle || !node) return;
    const sal_contact *rows = model->found_contacts.data;
    const sal_contact *first = &rows[touch->found - 1], *last = &rows[settle->found - 1];
    charge_event(model, contact.touch, first, cost, node, first->series);
    if (settles) charge_event(model, contact.settle, last, cost, node, first->last_series);
}
