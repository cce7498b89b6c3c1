/* One event of a run: its time, its guard, its modes and its jump. See audit.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "audit/audit.h"
#include "jump/table_reads.h"

static int sign_of(double r) { return (r > 0.0) - (r < 0.0); }

static const sal_event *source_of(const saltus_system *system, int event)
{
    const int user = system->event[event].user;
    return user < 0 ? NULL : &system->model->events.data[user];
}

static bool has_role(const saltus_system *system, int event, sal_contact_role role)
{
    const sal_event *source = source_of(system, event);
    return source && source->contact && source->role == role;
}

/* ---- sides after an event ------------------------------------------------------------------- */

/* Whether the guard belongs to a constraint that was active until this event and is released
 * without a jump of its value. */
static bool is_released(const sal_auditor *a, int event, const sal_regime *before)
{
    const int j = a->field->system->event[event].constraint;
    if (j < 0 || !before || !before->on[j] || a->regime->on[j]) return false;
    return !a->field->system->model->constraints.data[j].velocity || !a->jumped;
}

/* Whether the guard is that of an impact or of a contact that closes. */
static bool is_barrier(const saltus_system *system, int event)
{
    return system->event[event].reset.restitution || has_role(system, event, SAL_TOUCHES);
}

static bool same_guard(const saltus_system *system, int event, int other)
{
    const sal_event *source = source_of(system, event), *last = NULL;
    if (event == other) return true;
    if (other >= 0) last = source_of(system, other);
    return source && last && source->when == last->when;
}

/* Begins to watch the guard of a released constraint: its drift counts as zero until the guard is
 * seen beyond it. Past the edge of a surface (SAL_ENDS) there is nothing to touch. */
static void release(sal_auditor *a, int event, int last, double r)
{
    const saltus_system *system = a->field->system;
    sal_audited         *g = &a->guard[event];
    const int            target = sal_audit_target(&system->event[event]);
    g->side = has_role(system, last, SAL_ENDS) ? target : -target;
    g->released = true;
    g->offset = r;
    g->slack = 2.0 * fabs(r);
}

/* The side of a guard that is zero and was not watched before: the one to which it moves, but for
 * clocks, reactions and barriers the one from which it fires. If its value and its rate contradict
 * each other and neither is large, the side is unknown (0). */
static int side_from_zero(const sal_auditor *a, int event, double r, double rate, double least)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    const double              horizon = a->run->t_end - a->run->t0;
    const int                 way = fabs(rate) * horizon > least ? sign_of(rate) : 0;
    const int                 target = sal_audit_target(e);
    const sal_event          *source = source_of(a->field->system, event);
    if (target != 0 &&
        ((source && source->timed) || e->guard_has_forces || is_barrier(a->field->system, event)))
        return -target;
    return r == 0.0 || way == sign_of(r) ? way : 0;
}

/* Determines the side of a guard after an event. A guard that is zero within its noise stays on its
 * side, unless it has just fired or was not watched before. */
static void arm(sal_auditor *a, int event, int last, const sal_regime *before)
{
    sal_audited *g = &a->guard[event];
    double       rounding, rate = 0.0;
    const double r = sal_audit_guard(a, event, &rate);
    const double noise = sal_audit_noise(a, event, &rounding);
    const double least = noise + 1e-9 * g->largest;
    const bool   known = before && before->possible[event];
    const bool   fired = same_guard(a->field->system, event, last);
    const bool   zero = fabs(r) <= rounding + 1e-10 * g->largest;
    const bool   moves = fabs(rate) * (a->run->t_end - a->run->t0) > least;
    if (is_released(a, event, before)) {
        release(a, event, last, r);
        return;
    }
    if (!known || fired || fabs(r) > noise) g->offset = g->slack = 0.0;
    if (fabs(r) > noise) g->side = sign_of(r);
    else if (known && !fired) return;
    else if (known && zero) g->side = moves ? sign_of(rate) : 0;
    else if (known) g->side = moves && sign_of(rate) == sign_of(r) ? sign_of(r) : 0;
    else g->side = side_from_zero(a, event, zero ? 0.0 : r, rate, least);
}

void sal_audit_arm(sal_auditor *a, int last, const sal_regime *before)
{
    const saltus_system *system = a->field->system;
    for (int i = 0; i < a->regime->events; i++) {
        const int  event = a->regime->event[i];
        const bool known = before && before->possible[event];
        if (!known) a->guard[event].largest = 0.0;
        a->guard[event].told = false;
        a->guard[event].glimpse = -1.0;
        if (system->event[event].kink < 0) arm(a, event, last, before);
    }
}

/* Whether an event must happen if its guard is beyond zero without having crossed it: if the model
 * requests this, and by default if the guard is a reaction or the event an impact. A contact
 * without restitution can close only where it touches. */
static bool fires_on_entry(const sal_auditor *a, int event, double r, double noise)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    const sal_event          *source = source_of(a->field->system, event);
    if (!source || a->guard[event].released) return false;
    if (source->enter != SALTUS_ENTER_DEFAULT) return source->enter == SALTUS_ENTER_FIRE;
    if (e->guard_needs_a) return true;
    if (!source->contact || a->starts) return false;
    return e->reset.restitution || fabs(r) <= 10.0 * noise;
}

/* Reports an event that did not happen although the guard jumped across zero at this instant. */
static void check_thrown(sal_auditor *a, int event)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    const sal_audited        *g = &a->guard[event];
    const int                 target = sal_audit_target(e);
    const bool                crosses = target == 0 ? g->before != 0 : g->side == target;
    double                    rounding;
    if (e->kink >= 0 || g->side == 0 || g->side == g->before || !crosses) return;
    const double r = sal_audit_guard(a, event, NULL), noise = sal_audit_noise(a, event, &rounding);
    if (fabs(r) <= noise || sign_of(r) != g->side || !fires_on_entry(a, event, r, noise)) return;
    if (!sal_audit_conditions(a, event)) return;
    sal_audit_tell(a, SALTUS_AUDIT_MISSED, event, -1, fabs(r), noise,
                   "at t = %.10g the guard of event '%s' jumps across zero (it is %.3g "
                   "after the jump), and the event does not happen",
                   a->here, e->name, r);
}

/* Whether a jump of this guard is ignored because an angle jumps by a full turn at its cut. */
static bool is_turn(const sal_auditor *a, int event)
{
    const sal_event *source = source_of(a->field->system, event);
    return a->cut && !a->field->system->event[event].guard_needs_a &&
           !(source && source->enter == SALTUS_ENTER_FIRE);
}

void sal_audit_instant(sal_auditor *a)
{
    const saltus_system *system = a->field->system;
    for (int e = 0; e < system->events; e++) {
        sal_audited *g = &a->guard[e];
        if (a->instant && !is_turn(a, e) && !g->fired && a->regime->possible[e]) check_thrown(a, e);
        g->before = 0;
        g->fired = g->released = false;
    }
    a->instant = a->starts = a->cut = false;
}

/* ---- the guard at the event ----------------------------------------------------------------- */

/* Whether an earlier event of this instant has the same guard. */
static bool shares_guard(const sal_auditor *a)
{
    const sal_audited_event *now = &a->now;
    const saltus_run        *run = a->run;
    const sal_event         *source = source_of(run->system, now->at->event);
    for (int i = now->index - 1; i >= 0 && run->history.occurrences.data[i].t == now->at->t; i--) {
        const sal_event *other = source_of(run->system, run->history.occurrences.data[i].event);
        if (source && other && other != source && other->when == source->when) return true;
    }
    return false;
}

static bool first_of_instant(const saltus_run *run, int occurrence)
{
    return occurrence == 0 || run->history.occurrences.data[occurrence - 1].t !=
                                  run->history.occurrences.data[occurrence].t;
}

/* Checks that the guard is zero at its event, up to rounding errors of its terms, of its earlier
 * values and of the time, which are far smaller than the tolerance. A guard that never differed
 * from zero is only known to leave it within the tolerance. The drift of a constraint counts as
 * zero. */
static void check_zero(sal_auditor *a, double r, double rate)
{
    const sal_audited_event *now = &a->now;
    double                   rounding;
    const double             noise = sal_audit_noise(a, now->at->event, &rounding);
    const bool               leaves = fmax(now->guard->recent[0], now->guard->recent[1]) <= noise;
    const double exact = 64.0 * rounding + 1e-10 * now->guard->largest + fabs(now->guard->offset) +
                         64.0 * DBL_EPSILON * fabs(rate) * fmax(fabs(a->here), a->run->t_end);
    const double allowed = leaves ? fmax(exact, noise) : exact;
    if (fabs(r) > allowed)
        sal_audit_tell(a, SALTUS_AUDIT_TIME, now->at->event, now->index, fabs(r), allowed,
                       "event '%s' at t = %.10g: its guard is %.3g there and not zero, at its rate "
                       "that is %.3g away in time",
                       now->event->name, a->here, r, fabs(r / rate));
}

/* Whether there were two crossings close to each other: the first one, against the event's
 * direction, was within the tolerance, and then the guard came back from the other side. */
static bool came_back(const sal_audited *g, double rounding)
{
    const bool later = g->is_known && g->known[0] > g->glimpse && fabs(g->known[1]) > rounding;
    return g->glimpse >= 0.0 && !later;
}

/* Whether the first of two close crossings is closer to the event than the last evaluation. */
static bool dipped(sal_auditor *a, const sal_frame *frame, int side)
{
    const sal_audited_event *now = &a->now;
    if (!(frame->h > 0.0)) return false;
    const bool seen = sal_audit_was_beyond(a, frame, now->at->event, side);
    sal_audit_look(a, now->at->t, now->side.x_minus, true);
    return seen;
}

/* Checks that the guard crossed in its direction. */
static void check_side(sal_auditor *a, const sal_frame *frame, double rate)
{
    const sal_audited_event *now = &a->now;
    const int                target = sal_audit_target(now->event);
    double                   rounding;
    const double noise = sal_audit_noise(a, now->at->event, &rounding) + 1e-9 * now->guard->largest;
    const double horizon = a->run->t_end - a->run->t0;
    const int    moving = fabs(rate) * horizon > 1e3 * noise ? sign_of(rate) : 0;
    const int    to = target != 0 ? target : -now->guard->side;
    /* earlier jumps of this instant may have changed its rate, unless it fired then */
    const bool turned = moving != 0 && moving == -to && to != 0 &&
                        (now->guard->fired || first_of_instant(a->run, now->index));
    if (now->guard->side != 0 && now->guard->side == to && !came_back(now->guard, rounding) &&
        !dipped(a, frame, -to))
        sal_audit_tell(a, SALTUS_AUDIT_UNEXPLAINED, now->at->event, now->index, rate, NAN,
                       "event '%s' at t = %.10g: its guard was %s zero before, it did not cross",
                       now->event->name, a->here, to > 0 ? "above" : "below");
    else if (turned)
        sal_audit_tell(a, SALTUS_AUDIT_UNEXPLAINED, now->at->event, now->index, rate, NAN,
                       "event '%s' at t = %.10g: its guard %s there (rate %.3g)", now->event->name,
                       a->here, rate > 0.0 ? "rises" : "falls", rate);
}

/* Checks an event that another one has caused: its guard must have jumped beyond zero, or be zero.
 */
static void check_joined(sal_auditor *a, double r)
{
    const sal_audited_event *now = &a->now;
    const int                target = sal_audit_target(now->event);
    const bool               again = now->guard->fired || now->guard->before == sign_of(r);
    double                   rounding;
    const double             noise = sal_audit_noise(a, now->at->event, &rounding);
    if (fabs(r) > noise && (again || (target != 0 && sign_of(r) != target)))
        sal_audit_tell(a, SALTUS_AUDIT_UNEXPLAINED, now->at->event, now->index, fabs(r), noise,
                       "event '%s' at t = %.10g happens with another one, but its guard is %.3g%s",
                       now->event->name, a->here, r, again ? " and was on that side before" : "");
}

/* ---- modes ---------------------------------------------------------------------------------- */

static bool leads_there(const saltus_system *system, const sal_occurrence *o)
{
    const saltus_model *model = system->model;
    const sal_event    *source = source_of(system, o->event);
    for (int g = 0; g < model->groups.count; g++) {
        int mode = o->from->active[g];
        if (sal_audit_is_found(model, g)) continue; /* contacts.c */
        for (int i = 0; source && !o->terminal && i < source->to.count; i++)
            if (model->modes.data[source->to.mode[i]].group == g) mode = source->to.mode[i];
        if (o->to->active[g] != mode) return false;
    }
    return true;
}

static void check_modes(sal_auditor *a, const sal_frame *frame)
{
    const sal_audited_event *now = &a->now;
    const saltus_system     *system = a->field->system;
    const sal_occurrence    *o = now->at;
    const bool               possible = o->told_from || o->from->possible[o->event];
    const char *wrong = o->from != frame->regime  ? "the step before it was in another mode"
                        : !possible               ? "it does not belong to the mode"
                        : !leads_there(system, o) ? "it leads to another mode"
                                                  : sal_audit_contacts_wrong(a, now->index);
    if (wrong)
        sal_audit_tell(a, SALTUS_AUDIT_MODE, now->at->event, now->index, NAN, NAN,
                       "event '%s' at t = %.10g, from '%s' to '%s': %s", now->event->name, a->here,
                       now->at->from->name ? now->at->from->name : "",
                       now->at->to->name ? now->at->to->name : "", wrong);
}

/* ---- the jump ------------------------------------------------------------------------------- */

/* Checks that the event of a kink changes its branch. */
static void check_branch(sal_auditor *a)
{
    const sal_audited_event *now = &a->now;
    const saltus_system     *system = a->field->system;
    const int                kink = now->event->kink, at = system->nm_user + kink;
    if (kink >= 0 && now->side.c_plus[at] == now->side.c_minus[at])
        sal_audit_tell(a, SALTUS_AUDIT_BRANCH, now->at->event, now->index, NAN, NAN,
                       "'%s' is crossed at t = %.10g, but its branch does not change",
                       system->kink[kink].name, a->here);
}

static void tell_jump(sal_auditor *a, const char *what, double is, double should, double allowed)
{
    const sal_audited_event *now = &a->now;
    if (fabs(is - should) <= allowed) return;
    sal_audit_tell(a, SALTUS_AUDIT_JUMP, now->at->event, now->index, fabs(is - should), allowed,
                   "event '%s' at t = %.10g: %s is %.10g after it and should be %.10g",
                   now->event->name, a->here, what, is, should);
}

/* Checks that quantities that are set have the values in a->values, and that others are unchanged.
 */
static void check_set(sal_auditor *a)
{
    const sal_audited_event *now = &a->now;
    const saltus_system     *system = a->field->system;
    const saltus_model      *model = system->model;
    const sal_reset         *reset = &now->event->reset;
    const int                n = system->n, n2 = 2 * n;
    const bool               law = reset->restitution || now->at->impulses >= 0;
    for (int i = 0; i < n2 + system->nm_user; i++) {
        const bool   memory = i >= n2, speed = i >= n && !memory;
        const bool   given = !isnan(a->values[i]);
        const double before = memory ? now->side.c_minus[i - n2] : now->side.x_minus[i];
        const double is = memory ? now->side.c_plus[i - n2] : now->side.x_plus[i];
        const double should = given ? a->values[i] : before;
        const char  *name = memory ? model->memories.data[i - n2].label.name
                                   : model->coordinates.data[speed ? i - n : i].label.name;
        /* these velocities follow from a law, or from constraints and the given velocities */
        if (speed && (law || reset->sets_velocity) && !(given && !law && !now->at->to->constrained))
            continue;
        tell_jump(a, name, is, should, 1e-12 * (fabs(should) + fabs(before)));
    }
}

/* Adds the values that reset.before sets, at the state before the event in the field. */
static void add_set(sal_auditor *a, const sal_reset *reset)
{
    double *out = a->scratch;
    if (reset->before.count == 0) return;
    memset(out, 0, (size_t)reset->before.count * sizeof *out);
    sal_table_reads_value(a->field, reset);
    sal_map_value(&reset->before.map, a->field->u, out, a->field->work);
    for (int i = 0; i < reset->before.count; i++) a->values[reset->before.output[i]] = out[i];
}

/* Finds the values that the event sets, and the events that are part of it. */
static void find_set(sal_auditor *a, const sal_occurrence *o)
{
    const saltus_system *system = a->field->system;
    const int            all = 2 * system->n + system->nm_user;
    for (int i = 0; i < all; i++) a->values[i] = NAN;
    if (!o->silent) add_set(a, &system->event[o->event].reset);
    for (int i = 0; i < o->shares; i++)
        add_set(a, &system->event[a->run->history.shared.data[o->shared + i]].reset);
}

/* The rate of a guard of positions, and the size of its terms. */
static double speed_of(sal_auditor *a, int event, double t, const double *x, double *size)
{
    const saltus_system *system = a->field->system;
    const double         one = 1.0;
    const double        *normal = a->bar + system->layout.at[SAL_LEAF_Q];
    double               rate;
    sal_audit_look(a, t, x, false);
    sal_audit_guard(a, event, &rate);
    memset(a->bar, 0, (size_t)system->layout.size * sizeof *a->bar);
    sal_map_adjoint(&system->event[event].guard, a->field->u, &one, 1, a->bar, a->field->work);
    *size = fabs(rate);
    for (int i = 0; i < system->n; i++) *size += fabs(normal[i] * x[system->n + i]);
    return rate;
}

/* Checks Newton's law: the rate of the guard after the event is -e times the rate before it. */
static void check_restitution(sal_auditor *a)
{
    const sal_audited_event *now = &a->now;
    double                   e = 0.0, size, size_after;
    const double before = speed_of(a, now->at->event, now->at->t, now->side.x_minus, &size);
    sal_kernel_eval(&now->event->reset.bounce, a->field->u, NULL, 1, &e, a->field->work);
    const double after = speed_of(a, now->at->event, now->at->t, now->side.x_plus, &size_after);
    tell_jump(a, "the rate of its guard", after, -e * before, 1e-7 * fmax(size, size_after));
}

/* Checks that constraints that are active after an impact have a rate of zero. */
static void check_constraints(sal_auditor *a)
{
    const sal_audited_event *now = &a->now;
    const saltus_system     *system = a->field->system;
    const saltus_options    *options = &a->run->options;
    double                   size = 1.0, speed = 1.0;
    for (int i = 0; i < system->n; i++) {
        size = fmax(size, fabs(now->side.x_plus[i]));
        speed = fmax(speed, fabs(now->side.x_plus[system->n + i]));
    }
    const double allowed = 1e-6 * size * speed + 1e3 * (options->rtol * speed + options->atol);
    sal_audit_look(a, now->at->t, now->side.x_plus, false);
    sal_map_value(&system->phi_dot, a->field->u, a->scratch, a->field->work);
    for (int j = 0; j < system->nmu; j++)
        if (now->at->to->on[j] && !system->model->constraints.data[j].found)
            tell_jump(a, system->model->constraints.data[j].label.name, a->scratch[j], 0.0,
                      allowed);
}

/* Whether the event sets positions or velocities. */
static bool sets_motion(const sal_auditor *a)
{
    for (int i = 0; i < 2 * a->field->system->n; i++)
        if (!isnan(a->values[i])) return true;
    return false;
}

static void check_jump(sal_auditor *a)
{
    const sal_audited_event *now = &a->now;
    const sal_reset         *reset = &now->event->reset;
    const bool               late = reset->late.count > 0;
    if (!late) check_set(a);
    if (reset->restitution && !sets_motion(a) && !late && !now->event->guard_has_speeds)
        check_restitution(a);
    if (now->at->impulses >= 0 && !late && a->run->options.formulation != SALTUS_PENALTY)
        check_constraints(a);
}

/* ---- the event ------------------------------------------------------------------------------ */

static void check_time(sal_auditor *a, const sal_frame *frame)
{
    const sal_audited_event *now = &a->now;
    const double             end = frame->t + (frame->h + frame->delta);
    const double             allowed = 4.0 * DBL_EPSILON * fmax(fabs(end), fabs(frame->t));
    if (fabs(now->at->t - end) > allowed)
        sal_audit_tell(a, SALTUS_AUDIT_TIME, now->at->event, now->index, fabs(now->at->t - end),
                       allowed,
                       "event '%s' is recorded at t = %.10g, but the step before it "
                       "ends at t = %.10g",
                       now->event->name, now->at->t, end);
}

static void check_guard(sal_auditor *a, const sal_frame *frame)
{
    const sal_audited_event *now = &a->now;
    double                   rate = 0.0;
    const double             r = sal_audit_guard(a, now->at->event, &rate);
    if (now->at->joined) check_joined(a, r);
    else if (!shares_guard(a)) {
        check_zero(a, r, rate);
        if (now->event->kink < 0) check_side(a, frame, rate);
    }
}

static void begin_instant(sal_auditor *a)
{
    const int kink = a->now.event->kink;
    a->cut = a->cut || (kink >= 0 && a->field->system->kink[kink].op == SAL_OP_ATAN2);
    if (a->instant) return;
    a->instant = true;
    for (int e = 0; e < a->field->system->events; e++) {
        a->guard[e].before = a->regime->possible[e] ? a->guard[e].side : 0;
        a->guard[e].fired = false;
    }
}

static saltus_status go_to(sal_auditor *a, const sal_regime *regime, const double *c,
                           saltus_error *err)
{
    TRY(sal_field_enter(a->field, regime, err));
    memcpy(sal_u(a->field, SAL_LEAF_C), c, (size_t)a->field->system->nm * sizeof *c);
    return SALTUS_OK;
}

saltus_status sal_audit_event(sal_auditor *a, const sal_frame *frame, saltus_error *err)
{
    const int                 i = frame->occurrence;
    const sal_occurrence     *o = &a->run->history.occurrences.data[i];
    const sal_sides           s = sal_run_sides(a->run, i);
    const sal_compiled_event *event = &a->field->system->event[o->event];
    a->now = (sal_audited_event){i, o, event, &a->guard[o->event], s};
    begin_instant(a);
    check_modes(a, frame);
    TRY(go_to(a, o->from, s.c_minus, err));
    sal_audit_look(a, o->t, s.x_minus, true);
    check_time(a, frame);
    if (!o->told_from) check_guard(a, frame);
    a->now.guard->fired = true;
    if (o->terminal) return SALTUS_OK;
    check_branch(a);
    find_set(a, o);
    check_jump(a);
    if (!sets_motion(a)) TRY(sal_audit_contacts_impact(a, i, err));
    TRY(go_to(a, o->to, s.c_plus, err));
    sal_audit_look(a, o->t, s.x_plus, true);
    a->regime = o->to;
    a->jumped = memcmp(s.x_minus + a->field->system->n, s.x_plus + a->field->system->n,
                       (size_t)a->field->system->n * sizeof(double)) != 0;
    if (!o->told_from) sal_audit_arm(a, o->event, o->from);
    memcpy(a->next, s.x_plus, 2 * (size_t)a->field->system->n * sizeof(double));
    return SALTUS_OK;
}
