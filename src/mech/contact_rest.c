/* How a sequence of touches ends.
 *
 * A contact with restitution that may close does so at its last bounce, which has an event of its
 * own: the first touch slower than `settle`; or, if the contact rests by itself, the first touch
 * slower than the fastest one by a factor that depends on the tolerance (theory/contacts.md,
 * "Rest"). A contact without restitution closes at every touch, but another contact may throw it
 * off again and again: its memories of the last touch determine when that ends. */
#include "mech/contact_modes.h"
#include "saltus/expr.h"

typedef sal_contact_builder builder;

static sal_node choose(builder *b, sal_node condition, sal_node yes, sal_node no)
{
    return sal_apply(&b->model->graph, SAL_OP_SELECT, condition, yes, no);
}

/* The larger of two speeds. Unlike max, this is no kink: nothing special happens at equal speeds,
 * and results do not depend on the threshold that is computed from them. */
static sal_node larger(builder *b, sal_node speed, sal_node other)
{
    return choose(b, sal_sub(&b->model->graph, other, speed), other, speed);
}

/* The time at which all bounces after one with this speed would be over: each takes e times as long
 * as the bounce before it. */
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

/* ---- bounces that are left out -------------------------------------------------------------- */

/* The touches of a contact with restitution that comes to rest by itself. Without disturbance, each
 * touch is e times as fast as the touch before it. A touch with another ratio begins a new turn:
 * another contact threw the contact off, or forces differ on the way up and down. Finally, turns
 * are a geometric series: if two consecutive turns begin with the speeds w0 and w at t0 and t, all
 * touches are over at t + (t - t0) w / (w0 - w), and the sum of the speeds from t on is that of the
 * previous turn, times w / (w0 - w) (contacts.md (6)). This is used at the first turn that begins
 * slower than SAL_SERIES_EARLY times `slow`. Memories have their values before the touch. */
typedef struct touches {
    sal_node e, time, speed;   /* restitution, time and speed of this touch */
    sal_node before;           /* memory: speed of the touch before */
    sal_node since, fast, sum; /* memories of the turn: its start, its first speed, sum of speeds */
    sal_node slow, at;         /* the speed below which touches are slow; the end of all touches */
    /* Positive if this touch begins a turn; if it is part of a series that was summed before; if
     * the turn has had one touch only. */
    sal_node begins, summed, few;
    /* Positive if a series can be summed at this touch; the factor of its sum; the end of its
     * touches. */
    sal_node series, all, all_at;
} touches;

/* A touch begins a turn if its speed deviates from e times the previous one by more than this part
 * of the previous one. A turn may last at most this many times as long as a free fall. */
#define ANOTHER_RATIO 1e-2
#define LONG_TURN 1e3

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
    s.before = sal_mech_memory(b, "before", 0.0).id;
    s.since = sal_mech_memory(b, "turn", 0.0).id;
    s.fast = sal_mech_memory(b, "speed", 0.0).id;
    s.sum = sal_mech_memory(b, "sum", 0.0).id;
    s.at = sal_mech_memory(b, "rest", -1e9).id;
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

/* Selects one of three values: for a touch in a series that was summed before, for a touch at which
 * a series is summed, and for other touches. */
static sal_node or_sum(builder *b, const touches *s, sal_node if_summed, sal_node sum,
                       sal_node alone)
{
    return choose(b, s->summed, if_summed, choose(b, s->series, sum, alone));
}

/* Makes the event update the memories of the turn. left_out: the sum of the speeds of later bounces
 * that are left out, relative to the speed of this touch. */
static void note_touch(builder *b, saltus_event event, const touches *s, sal_node left_out)
{
    sal_graph     *graph = &b->model->graph;
    const sal_node sum = choose(b, s->begins, s->speed, sal_add(graph, s->sum, s->speed));
    sal_mech_set(b, event, s->before, s->speed);
    sal_mech_set(b, event, s->since, choose(b, s->begins, s->time, s->since));
    sal_mech_set(b, event, s->fast, choose(b, s->begins, s->speed, s->fast));
    sal_mech_set(b, event, s->sum, sal_add(graph, sum, sal_mul(graph, left_out, s->speed)));
}

/* Completes the event of a bounce that is not the last one. */
static void add_bounce(builder *b, saltus_event touch, const touches *s)
{
    sal_graph     *graph = &b->model->graph;
    const sal_node one = sal_const(graph, 1.0), none = sal_const(graph, 0.0);
    note_touch(b, touch, s, none);
    sal_mech_set(b, touch, s->at, or_sum(b, s, s->at, s->all_at, s->at));
    sal_mech_set(b, touch, b->settled.id, one);
    b->contact.series = or_sum(b, s, none, s->all, one);
}

/* Completes the event of the last bounce, after which the contact's own further bounces are left
 * out; over: the time at which they would end. Until that time the closed contact represents
 * bounces, which have impulses but no forces between them: in costs, multipliers are zero. */
static void add_end(builder *b, saltus_event last, const touches *s, sal_node over)
{
    sal_graph     *graph = &b->model->graph;
    const sal_node one = sal_const(graph, 1.0), none = sal_const(graph, 0.0);
    const sal_node less = sal_sub(graph, one, s->e), more = sal_add(graph, one, s->e);
    const sal_node at = or_sum(b, s, s->at, s->all_at, over);
    const sal_node bounces = choose(b, s->few, none, one);
    note_touch(b, last, s, sal_apply(graph, SAL_OP_OVER, s->e, less, 0));
    sal_mech_set(b, last, s->at, at);
    sal_mech_set(b, last, b->settled.id,
                 choose(b, sal_sub(graph, s->time, at), one, or_sum(b, s, bounces, bounces, none)));
    b->contact.last_series = or_sum(b, s, none, sal_mul(graph, more, s->all),
                                    sal_apply(graph, SAL_OP_DIV, more, less, 0));
}

/* Makes a touch the event `touch` if fast > 0, otherwise the event `last`. same: both give the
 * same motion, up to the tolerance; then the condition is replaced by its sign, so that its value
 * does not seem close to a change. */
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

saltus_event sal_mech_last_bounce(builder *b, const saltus_contact_def *def, saltus_event touch)
{
    saltus_model      *model = b->model;
    const saltus_expr  gap = def->surface.gap;
    const saltus_expr  speed = saltus_neg(model, saltus_dot(model, gap));
    const bool         by_itself = !def->settle.id;
    const saltus_expr  slow = by_itself ? sal_mech_memory(b, "slow", 0.0) : def->settle;
    const saltus_event last = sal_mech_event(b, by_itself ? NULL : "settle", gap, SALTUS_FALLING,
                                             SAL_WHILE_OPEN, SAL_TOUCHES);
    add_choice(b, touch, last, saltus_sub(model, speed, slow), by_itself);
    sal_mech_set(b, touch, b->bounces.id, saltus_number(model, 1.0).id);
    sal_mech_set(b, last, b->bounces.id, saltus_number(model, 0.0).id);
    if (!by_itself || sal_model_failed(model)) return last;
    b->contact.rests = true;
    b->settled = sal_mech_memory(b, "settled", 1.0);
    const touches  s = list_touches(b, def->restitution, gap, speed, slow);
    const sal_node part = sal_leaf(&model->graph, SAL_LEAF_SOLVER, SAL_SOLVER_REST_SPEED);
    if (sal_model_failed(model)) return last;
    sal_mech_set(b, touch, slow.id, larger(b, slow.id, sal_mul(&model->graph, part, speed.id)));
    add_bounce(b, touch, &s);
    add_end(b, last, &s, time_of_rest(b, def->restitution, gap, speed).id);
    const saltus_expr  at = {s.at};
    const saltus_event rest = sal_mech_event(b, "rest", saltus_sub(model, saltus_time(model), at),
                                             SALTUS_RISING, SAL_WHILE_CLOSED, SAL_RESTS);
    sal_mech_set(b, rest, b->settled.id, saltus_number(model, 1.0).id);
    int kind;
    sal_is_leaf(&model->graph, s.at, &kind, &b->contact.rest_at);
    return last;
}

/* If other contacts throw off a contact without restitution again and again, its touches finally
 * are a geometric series: with the speeds w0 and w of two consecutive touches at t0 and t, the last
 * touch is at t + (t - t0) w / (w0 - w), and the sum of the impulses from t on is w0 / (w0 - w)
 * times the impulse at t (contacts.md (6)). This sum is charged at the first touch slower than
 * `slow`; later touches are then not charged again. */
void sal_mech_series(builder *b, saltus_event touch, saltus_expr gap)
{
    saltus_model     *model = b->model;
    sal_graph        *graph = &model->graph;
    const saltus_expr speed = saltus_neg(model, saltus_dot(model, gap));
    const saltus_expr time = saltus_time(model);
    const saltus_expr last = sal_mech_memory(b, "last", 0.0),
                      fast = sal_mech_memory(b, "speed", 0.0);
    const saltus_expr slow = sal_mech_memory(b, "slow", 0.0), at = sal_mech_memory(b, "rest", -1e9);
    if (sal_model_failed(model)) return;
    const sal_node part = sal_mul(graph, sal_const(graph, SAL_SERIES_EARLY),
                                  sal_leaf(graph, SAL_LEAF_SOLVER, SAL_SOLVER_REST_SPEED));
    const sal_node is_slow = sal_sub(graph, slow.id, speed.id);
    const sal_node was_slow = sal_sub(graph, slow.id, fast.id);
    const sal_node less = sal_sub(graph, fast.id, speed.id);
    const double   later = 1.0 + 2e-5 * (model->found_contacts.count % 16);
    const sal_node wait = sal_mul(graph, sal_sub(graph, time.id, last.id),
                                  sal_mul(graph, sal_const(graph, later), speed.id));
    const sal_node over = sal_add(graph, time.id, sal_apply(graph, SAL_OP_OVER, wait, less, 0));
    const sal_node all = sal_apply(graph, SAL_OP_OVER, fast.id, less, 0);
    const sal_node none = sal_const(graph, 0.0), one = sal_const(graph, 1.0);
    b->contact.series = choose(b, is_slow, choose(b, was_slow, none, all), one);
    const sal_node first = choose(b, was_slow, at.id, over);
    sal_mech_set(b, touch, at.id, choose(b, is_slow, first, at.id));
    sal_mech_set(b, touch, last.id, time.id);
    sal_mech_set(b, touch, fast.id, speed.id);
    sal_mech_set(b, touch, slow.id, larger(b, slow.id, sal_mul(graph, part, speed.id)));
    int kind;
    sal_is_leaf(graph, slow.id, &kind, &b->contact.slow);
    sal_is_leaf(graph, fast.id, &kind, &b->contact.speed);
    sal_mech_event(b, "rest", saltus_sub(model, time, at), SALTUS_RISING, SAL_WHILE_CLOSED,
                   SAL_RESTS);
}
