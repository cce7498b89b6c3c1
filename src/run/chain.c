/* What happens at one instant.
 *
 * Events that cross together fire in the script's order, one after the other, each from the state
 * the one before left; a kink that crosses with them is settled by the state after. An impact that
 * leaves another contact closing makes that one fire next, at the same instant. Each event is
 * preceded by its own step, of length zero from the second one on, so that sensitivities need no
 * special case. */
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flow/guard.h"
#include "run/advance.h"

enum { LONGEST_CHAIN = 500, SHRINKING_GAPS = 8 };

/* What run->caused says of an event that another made happen: its own guard is zero and moves, or
 * it shares the time of the other. */
enum { CAUSED = 1, JOINED = 2 };

/* ---- small things --------------------------------------------------------------------------- */

static int sign_of(double r) { return (r > 0.0) - (r < 0.0); }

static double horizon(const saltus_run *run) { return run->t_end - run->t0; }

static bool is_active(const sal_regime *regime, int event) { return regime->possible[event]; }

static int event_of_kink(const saltus_system *system, int kink)
{
    for (int e = 0; e < system->events; e++)
        if (system->event[e].kink == kink) return e;
    return -1;
}

/* The contact an event belongs to; 0: none. */
static int contact_of(const saltus_system *system, int e)
{
    const int user = system->event[e].user;
    return user < 0 ? 0 : system->model->events.data[user].contact;
}

static bool has_role(const saltus_system *system, int e, sal_contact_role role)
{
    return contact_of(system, e) && system->model->events.data[system->event[e].user].role == role;
}

/* Whether it closes a contact, other than by an impact law. */
static bool closes(const saltus_system *system, int e)
{
    return has_role(system, e, SAL_TOUCHES) && !system->event[e].reset.restitution;
}

/* The contact of e has just been left: whatever rounding makes of its gap and its conditions, it is
 * not touched again at this instant. */
static bool just_left(const saltus_system *system, int e, int last)
{
    return last >= 0 && contact_of(system, e) &&
           contact_of(system, e) == contact_of(system, last) &&
           !has_role(system, last, SAL_TOUCHES);
}

/* ---- kinks ---------------------------------------------------------------------------------- */

/* The branches of kinks at (t, x) in the regime the locator is in: c is completed. */
typedef struct branches {
    saltus_run   *run;
    double        t;
    const double *x;
    double       *c;
    int           flipped; /* the kink whose event this is, or -1 */
} branches;

static void put_branches(const branches *b)
{
    memcpy(sal_u(&b->run->locator.field, SAL_LEAF_C), b->c,
           (size_t)b->run->system->nm * sizeof(double));
}

static void kink_values(const branches *b, double *values)
{
    sal_field *field = &b->run->locator.field;
    put_branches(b);
    sal_field_eval(field, b->t, b->x, b->run->locator.k, NULL);
    sal_map_value(&b->run->system->kink_map, field->u, values, field->work);
}

static double kink_zero(const branches *b, int kink)
{
    const int e = event_of_kink(b->run->system, kink);
    return e < 0 ? 0.0 : sal_watch_zero(&b->run->cursor.watch[e], b->t);
}

/* d(argument)/dt with the branch set to s. */
static double rate_with(const branches *b, int kink, double s)
{
    const saltus_system *system = b->run->system;
    const int            e = event_of_kink(system, kink);
    double              *branch = &b->c[system->nm_user + kink];
    const double         old = *branch;
    double               rate = 0.0;
    *branch = s;
    put_branches(b);
    if (e >= 0) sal_locator_guard(&b->run->locator, e, b->t, b->x, NULL, &rate);
    *branch = old;
    return rate;
}

static double beyond(double rate, double least) { return fabs(rate) > least ? rate : 0.0; }

static void stick(const branches *b, int kink)
{
    sal_run_finish(
        b->run, SALTUS_STICKING,
        "sticking at t = %.10g: on both sides of the kink '%s' the motion pushes back to "
        "it, so it can neither stay on one side nor cross; describe the sticking phase by "
        "a mode of its own, or smooth the function (for example tanh(x / 0.01) for "
        "sign(x))",
        b->t, b->run->system->kink[kink].name);
}

/* An argument that is zero and stays so: the motion follows the kink, where nothing has a
 * derivative. */
static void stay(const branches *b, int kink)
{
    saltus_run *run = b->run;
    if (!run->touched)
        snprintf(
            run->touch, sizeof run->touch,
            "from t = %.10g on the motion stays exactly at the kink '%s', whose two sides have "
            "different derivatives",
            b->t, run->system->kink[kink].name);
    run->touched = SALTUS_ERR_NO_GRADIENT;
}

/* An argument that is zero: the branch it moves into. */
static void branch_at_zero(const branches *b, int kink)
{
    const int e = event_of_kink(b->run->system, kink);
    double   *branch = &b->c[b->run->system->nm_user + kink];
    if (e < 0) return;
    /* What a rate must exceed to be more than rounding; an argument like x^2 only bends at zero. */
    const double least = 1e-9 * b->run->cursor.watch[e].scale / horizon(b->run);
    const double up = beyond(rate_with(b, kink, 1.0), least);
    const double down = beyond(rate_with(b, kink, -1.0), least);
    if (kink == b->flipped && (*branch > 0.0 ? up : down) != 0.0) {
        if ((*branch > 0.0 ? up : -down) < 0.0) stick(b, kink);
        return;
    }
    if (up > 0.0) *branch = 1.0;
    else if (down < 0.0) *branch = -1.0;
    else if (up < 0.0 && down > 0.0) stick(b, kink);
    else {
        put_branches(b);
        const double bend = sal_locator_curvature(&b->run->locator, e, b->t, b->x, horizon(b->run));
        if (bend != 0.0) *branch = bend > 0.0 ? 1.0 : -1.0;
        else stay(b, kink);
    }
}

static void set_branches(const branches *b)
{
    const saltus_system *system = b->run->system;
    double              *values = b->run->trial;
    bool                 changed = system->kinks > 0;
    for (int pass = 0; changed && pass <= system->kinks; pass++) {
        changed = false;
        kink_values(b, values);
        for (int k = 0; k < system->kinks; k++) {
            const double s = values[k] > 0.0 ? 1.0 : -1.0;
            double      *branch = &b->c[system->nm_user + k];
            if (k == b->flipped || !(fabs(values[k]) > kink_zero(b, k)) || *branch == s) continue;
            *branch = s;
            changed = true;
        }
    }
    if (system->kinks == 0) return;
    kink_values(b, values);
    for (int k = 0; k < system->kinks && !b->run->finished; k++)
        if (k == b->flipped || fabs(values[k]) <= kink_zero(b, k)) branch_at_zero(b, k);
    put_branches(b);
}

/* Velocities that do not fulfil the constraints: behind a kink, a corner, the constraint would have
 * another velocity, and nothing says how it comes about; or the event sets them after its law
 * (late). Positions and branches are in x and c. */
static bool rates_hold(saltus_run *run, const sal_event_system *event, bool late, sal_field *field,
                       const sal_regime *regime, const double *x, const double *c)
{
    const char          *quote = event ? "'" : "", *name_of = event ? event->name : "the start";
    const saltus_system *system = run->system;
    const int            n = system->n;
    double               size = 1.0, speed = 1.0;
    if (!regime->constrained || !(system->kinks || late) ||
        run->options.formulation == SALTUS_PENALTY)
        return true;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    for (int i = 0; i < n; i++) speed = fmax(speed, fabs(x[n + i]));
    const double allowed =
        1e-6 * size * speed + 1e3 * (run->options.rtol * speed + run->options.atol);
    *sal_u(field, SAL_LEAF_T) = run->cursor.t;
    memcpy(sal_u(field, SAL_LEAF_Q), x, (size_t)n * sizeof(double));
    memcpy(sal_u(field, SAL_LEAF_V), x + n, (size_t)n * sizeof(double));
    memcpy(sal_u(field, SAL_LEAF_C), c, (size_t)system->nm * sizeof(double));
    sal_map_value(&system->phi_dot, field->u, run->jump.lanes, field->work);
    for (int j = 0; j < system->nmu; j++) {
        const char *name = system->model->constraints.data[j].label.name;
        if (!regime->on[j] || fabs(run->jump.lanes[j]) <= allowed) continue;
        if (late)
            sal_run_finish(run, SALTUS_VIOLATED,
                           "%s%s%s at t = %.10g: what it sets to after(...) does not fulfil the "
                           "constraint '%s' (its rate is %.3g); set velocities from the state "
                           "before, so that the others follow",
                           event ? "event '" : "", name_of, quote, run->cursor.t, name,
                           run->jump.lanes[j]);
        else
            sal_run_finish(
                run, SALTUS_VIOLATED,
                "%s%s%s at t = %.10g: the constraint '%s' has a corner there, behind which "
                "the velocities do not fulfil it (its rate is %.3g); give each side a "
                "mode of its own, with an event between them, or smooth the constraint",
                event ? "event '" : "", name_of, quote, run->cursor.t, name, run->jump.lanes[j]);
        return false;
    }
    return true;
}

/* ---- watching ------------------------------------------------------------------------------- */

/* Which way the guard would go to fire: -1 falling, +1 rising. */
static int firing_sign(const sal_event_system *event, const sal_watch *watch)
{
    if (event->direction == SALTUS_FALLING) return -1;
    return event->direction == SALTUS_RISING ? 1 : -watch->side;
}

/* What the tolerance leaves open of a guard of positions at the present state: how it answers to
 * the errors that one step may make. */
static double guard_error(saltus_run *run, int e)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->locator.field;
    const double         one = 1.0;
    double              *bar = run->locator.du, sum = 0.0;
    sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, run->slope + system->n, NULL);
    memset(bar, 0, (size_t)system->layout.size * sizeof *bar);
    sal_guard_adjoint(field, &system->event[e], &one, 1, bar, run->x);
    for (int i = 0; i < system->n; i++)
        sum += fabs(bar[system->layout.at[SAL_LEAF_Q] + i]) *
               (run->options.rtol * fabs(run->cursor.x[i]) + run->options.atol);
    memset(bar, 0, (size_t)system->layout.size * sizeof *bar); /* as guards want it */
    return sum;
}

/* r is the guard. Along the motion errors add up: a constraint that held until now, and is left,
 * may be off by many times what one step may err, and that is nobody's mistake. */
static void warn_wrong_side(saltus_run *run, int e, double r, bool at_start)
{
    const saltus_system    *system = run->system;
    const sal_event_system *event = &system->event[e];
    const sal_watch        *watch = &run->cursor.watch[e];
    if (event->user < 0 || event->direction == SALTUS_ANY || (run->warned[e] & SAL_WARNED_SIDE))
        return;
    const sal_event *source = &system->model->events.data[event->user];
    const bool       changes = event->reset.restitution || source->to.count > 0;
    if (!changes || watch->side != firing_sign(event, watch)) return;
    if (event->guard_has_speeds && !event->guard_has_forces) return;
    if (fabs(r) <= (at_start ? 1.0 : 1e3) * guard_error(run, e)) return;
    double nearest;
    if (!sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest))
        return; /* it would not happen there anyway */
    const bool of_contact = source->contact || source->role == SAL_BOUNCES;
    run->warned[e] |= SAL_WARNED_SIDE;
    sal_run_warn(
        run,
        "at t = %.10g%s%s%s the guard of event '%s' is already %s zero: the event waits until "
        "it has come back; check the start values, or %s",
        run->cursor.t, run->cursor.regime->name ? ", entering mode '" : "",
        run->cursor.regime->name ? run->cursor.regime->name : "",
        run->cursor.regime->name ? "'," : "", event->name, watch->side < 0 ? "below" : "above",
        of_contact ? "what is touched (a line is free to its left)" : "the direction");
}

static void sink(saltus_run *run, int e, bool resting)
{
    const char *name = run->system->event[e].name;
    if (contact_of(run->system, e))
        sal_run_finish(run, SALTUS_SINKING,
                       "event '%s' at t = %.10g: the contact is open, but touches and %s; give it "
                       "start = \"closed\", or start it with a gap, or moving away",
                       name, run->cursor.t, resting ? "is pressed" : "moves further in");
    else if (resting)
        sal_run_finish(
            run, SALTUS_SINKING,
            "event '%s' at t = %.10g: a resting contact, the body would sink into what it "
            "touches; a restitution law alone cannot hold it: end the run there (stop = "
            "true), or give the rest a mode of its own",
            name, run->cursor.t);
    else
        sal_run_finish(run, SALTUS_SINKING,
                       "event '%s' at t = %.10g: in contact and moving further into it, the body "
                       "would sink; start it with a gap, or moving away, and keep restitution >= 0",
                       name, run->cursor.t);
}

/* A contact that touches and closes further: it fires at once, or the body sinks. */
static void check_contact(saltus_run *run, int e, double rate, double rate_scale, bool may_fire)
{
    const sal_event_system *event = &run->system->event[e];
    sal_watch              *watch = &run->cursor.watch[e];
    const int               into = firing_sign(event, watch);
    const bool              resting = fabs(rate) <= 1e-12 * rate_scale;
    int                     moving = sign_of(rate);
    double                  nearest;
    if (resting)
        moving = sign_of(
            sal_locator_curvature(&run->locator, e, run->cursor.t, run->cursor.x, horizon(run)));
    if (into == 0 || moving != into) return;
    if (!sal_locator_conditions(&run->locator, e, run->cursor.t, run->cursor.x, &nearest))
        return; /* beside the table: nothing to hit */
    if (!may_fire || (resting && !closes(run->system, e))) {
        sink(run, e, resting);
        return;
    }
    run->pending[e] = 1;
    run->caused[e] = resting ? JOINED : CAUSED;
}

/* A closed contact that is found to pull: it opens at once, at the time of the event before. */
static void open_at_once(saltus_run *run, int e, int last, double r)
{
    run->pending[e] = 1;
    run->caused[e] = JOINED;
    if (last < 0)
        sal_run_finish(run, SALTUS_VIOLATED,
                       "event '%s' at t = %.10g: the contact starts closed, but does not push (its "
                       "multiplier is %.3g, and negative where it does); let it start open",
                       run->system->event[e].name, run->cursor.t, r);
}

/* The modes an event leads to. */
static bool leads_to(const saltus_run *run, int e, const sal_regime *regime)
{
    const saltus_model *model = run->system->model;
    if (run->system->event[e].user < 0) return false;
    const sal_modes *to = &model->events.data[run->system->event[e].user].to;
    for (int i = 0; i < to->count; i++)
        if (regime->active[model->modes.data[to->mode[i]].group] != to->mode[i]) return false;
    return to->count > 0;
}

/* A mode entered where the way back is at zero as well and already moves the way it would fire: on
 * both sides the motion pushes back. Such a guard is not armed, so this must not pass silently. */
static void check_sliding(saltus_run *run, int e, int last, double rate, double rate_scale,
                          const sal_regime *before)
{
    const sal_event_system *event = &run->system->event[e];
    if (run->cursor.regime == before || !leads_to(run, e, before) || is_active(before, e)) return;
    if (fabs(rate) <= 1e-12 * rate_scale || event->direction == SALTUS_ANY ||
        sign_of(rate) != firing_sign(event, &run->cursor.watch[e]))
        return;
    sal_run_finish(
        run, SALTUS_STICKING,
        "sticking or sliding at t = %.10g: event '%s' enters mode '%s', where the guard of "
        "event '%s', which leads back, is zero too and already %s: the two modes push "
        "against each other; give that phase a mode of its own",
        run->cursor.t, run->system->event[last].name, run->cursor.regime->name, event->name,
        rate > 0.0 ? "rising" : "falling");
}

/* Sides of all guards at the present state. last is the event that fired just before, or -1 at the
 * start; rate_scale what speeds of guards are compared with. */
static void watch_all(saltus_run *run, int last, double rate_scale, const sal_regime *before)
{
    const saltus_system *system = run->system;
    const sal_cursor    *cursor = &run->cursor;
    if (cursor->regime->events > 0) {
        if (last < 0) sal_field_eval(&run->locator.field, cursor->t, cursor->x, run->slope, NULL);
        else memcpy(run->slope, run->jump.k_after, 2 * (size_t)system->n * sizeof(double));
        sal_locator_guards(&run->locator, cursor->t, cursor->x, run->slope + system->n, true);
    }
    for (int i = 0; i < cursor->regime->events && !run->finished; i++) {
        const int               e = cursor->regime->event[i];
        const sal_event_system *event = &system->event[e];
        sal_watch              *watch = &run->cursor.watch[e];
        const double            r = run->locator.now[e].r, rate = run->locator.now[e].slope;
        watch->scale = fmax(watch->scale, fabs(r));
        watch->rate = fmax(watch->rate, fabs(rate));
        /* Watched for the first time, and perhaps from where it is zero: its rate tells its size.
         */
        if (watch->scale < 1e-9 * fabs(rate) * horizon(run))
            watch->scale = 1e-3 * fabs(rate) * horizon(run);
        const bool leaves = has_role(system, e, SAL_LEAVES);
        if (leaves && run->caused[e] == JOINED) run->pending[e] = 0; /* asked again */
        if (fabs(r) > sal_watch_zero(watch, cursor->t)) {
            watch->side = r > 0.0 ? 1 : -1;
            if (r > 0.0 && leaves) open_at_once(run, e, last, r);
            if (!leaves && (!before || !is_active(before, e)) && !just_left(system, e, last))
                warn_wrong_side(run, e, r, !before);
            continue;
        }
        if (run->pending[e]) continue;
        const bool left = just_left(system, e, last);
        if (left && has_role(system, last, SAL_LEAVES)) {
            watch->side = -1; /* the drift may let it dip first: it is armed once it is open */
            continue;
        }
        if (last >= 0 && !left) check_sliding(run, e, last, rate, rate_scale, before);
        if (!left && (event->reset.restitution || closes(system, e)))
            check_contact(run, e, rate, rate_scale, last >= 0 && last != e);
        if (event->kink >= 0) watch->side = cursor->c[system->nm_user + event->kink] > 0.0 ? 1 : -1;
        else if (fabs(rate) > 1e-12 * rate_scale) watch->side = rate > 0.0 ? 1 : -1;
        else {
            const double bend =
                sal_locator_curvature(&run->locator, e, cursor->t, cursor->x, horizon(run));
            watch->side = bend < 0.0 ? -1 : 1;
        }
    }
}

void sal_chain_start(saltus_run *run)
{
    const branches b = {run, run->cursor.t, run->cursor.x, run->cursor.c, -1};
    memset(run->pending, 0, (size_t)run->system->events);
    sal_run_put_memories(run, run->cursor.c);
    set_branches(&b);
    sal_run_put_memories(run, run->cursor.c);
    if (!run->finished)
        rates_hold(run, NULL, false, &run->locator.field, run->cursor.regime, run->cursor.x,
                   run->cursor.c);
    if (!run->finished) watch_all(run, -1, 0.0, NULL);
}

/* ---- one event ------------------------------------------------------------------------------ */

static const sal_regime *regime_after(saltus_run *run, int e, saltus_error *err)
{
    const saltus_model *model = run->system->model;
    const int           user = run->system->event[e].user;
    if (user < 0 || model->events.data[user].to.count == 0) return run->cursor.regime;
    for (int g = 0; g < model->groups.count; g++) run->active[g] = run->cursor.regime->active[g];
    const sal_modes *to = &model->events.data[user].to;
    for (int i = 0; i < to->count; i++)
        run->active[model->modes.data[to->mode[i]].group] = to->mode[i];
    return sal_system_regime(run->system, run->active, err);
}

static double energy(const saltus_run *run, const sal_regime *regime, double t, const double *x,
                     const double *c)
{
    const saltus_system *system = run->system;
    const sal_field     *field = &run->locator.field;
    double              *u = run->jump.kept, parts[2] = {0.0, 0.0};
    memcpy(u, field->u, (size_t)system->layout.size * sizeof *u); /* the parameters */
    u[system->layout.at[SAL_LEAF_T]] = t;
    memcpy(u + system->layout.at[SAL_LEAF_Q], x, 2 * (size_t)system->n * sizeof *u);
    memcpy(u + system->layout.at[SAL_LEAF_C], c, (size_t)system->nm * sizeof *u);
    sal_kernel_eval(&regime->energy, u, NULL, 1, parts, field->work);
    return parts[0] + parts[1];
}

void sal_chain_energies(const saltus_run *run, int occurrence, double *before, double *after)
{
    const sal_occurrence *o = &run->occurrences.data[occurrence];
    const sal_sides       sides = sal_run_sides(run, occurrence);
    *before = energy(run, o->from, o->t, sides.x_minus, sides.c_minus);
    *after = energy(run, o->to, o->t, sides.x_plus, sides.c_plus);
}

/* Whether the event needs accelerations and multipliers before it: for the rate of its guard, or
 * for a charge. */
static bool needs_reaction(const sal_event_system *event)
{
    return event->guard_needs_a || event->guard_has_speeds || event->guard_has_forces ||
           event->reset.charge_needs_a_before;
}

/* How deep the guard goes past zero, r'^2 / (2 |r''|), tells how close the event is to grazing. */
static bool grazes(saltus_run *run, int e, double rate)
{
    const sal_watch *watch = &run->cursor.watch[e];
    const double     deep = 10.0 * (run->options.rtol * watch->scale + run->options.atol);
    if (fabs(rate) >= run->options.event_rate_min && rate * rate > 4.0 * deep * run->bend)
        return false;
    const double bend =
        sal_locator_curvature(&run->locator, e, run->cursor.t, run->cursor.x, horizon(run));
    const double depth = bend != 0.0 ? rate * rate / (2.0 * fabs(bend)) : INFINITY;
    if (fabs(rate) < run->options.event_rate_min || depth <= 1e-12 * watch->scale) {
        sal_run_warn(run, "event '%s' at t = %.10g grazes (guard rate %.3g): no gradient there",
                     run->system->event[e].name, run->cursor.t, rate);
        return true;
    }
    if (depth < deep && !(run->warned[e] & SAL_WARNED_GRAZING)) {
        run->warned[e] |= SAL_WARNED_GRAZING;
        sal_run_warn(run,
                     "event '%s' at t = %.10g is close to grazing (guard rate %.3g): gradients are "
                     "large there and less certain than the tolerance",
                     run->system->event[e].name, run->cursor.t, rate);
    }
    return false;
}

static void finish_zeno(saltus_run *run, int e, double at)
{
    run->info.zeno_time = at;
    sal_run_finish(run, SALTUS_ZENO,
                   "Zeno: event '%s' happened %d times and accumulates at t = %.10g; end the run "
                   "before (--until, or stop = true at a low speed: where = ...), or let the body "
                   "come to rest in a mode of its own",
                   run->system->event[e].name, run->cursor.count[e], at);
}

/* Gaps between occurrences of one event that shrink like a geometric series: it accumulates. It is
 * called so when what is left of a gap, or of the guard in between, no longer matters. */
static void watch_zeno(saltus_run *run, int e, double rate)
{
    sal_cursor  *cursor = &run->cursor;
    const double gap = cursor->t - cursor->last_time[e], before = cursor->last_gap[e];
    const bool   shrinks = gap < 0.9999 * before;
    const bool   small =
        gap < 1e-9 * horizon(run) || fabs(rate) * gap < 1e-10 * cursor->watch[e].scale;
    cursor->shrinking[e] = shrinks ? cursor->shrinking[e] + 1 : 0;
    cursor->last_time[e] = cursor->t;
    cursor->last_gap[e] = gap;
    if (!shrinks || !small || cursor->shrinking[e] < SHRINKING_GAPS) return;
    const double ratio = gap / before, at = cursor->t + gap * ratio / (1.0 - ratio);
    if (at <= run->t_end) finish_zeno(run, e, at);
}

void sal_chain_sunk(saltus_run *run, int event)
{
    const bool bounced = run->cursor.count[event] > 0 && contact_of(run->system, event);
    if (run->cursor.shrinking[event] > 0) finish_zeno(run, event, run->cursor.t);
    else if (bounced)
        sal_run_finish(run, SALTUS_SINKING,
                       "event '%s' at t = %.10g: the contact bounces so weakly that it is back "
                       "before it has left; with restitution = 0 it comes to rest at once",
                       run->system->event[event].name, run->cursor.t);
    else sink(run, event, true);
}

static bool note_state(saltus_run *run, const double *x, const double *c, const double *z)
{
    const saltus_system *system = run->system;
    double              *to = run->states.data + run->states.count;
    memcpy(to, x, 2 * (size_t)system->n * sizeof *to);
    memcpy(to + 2 * system->n, c, (size_t)system->nm * sizeof *to);
    memcpy(to + 2 * system->n + system->nm, z, (size_t)system->nc * sizeof *to);
    run->states.count += run->state_size / 2;
    return true;
}

/* The impulses of constraints, if the law just applied has some. Only the active ones are kept: the
 * others are zero, and a model may have many more of them than an event has states. */
static bool note_impulses(saltus_run *run, sal_occurrence *o)
{
    const saltus_system *system = run->system;
    const double        *impulse = sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU);
    if (o->terminal || run->jump.law != SAL_LAW_IMPACT) return true;
    o->impulses = run->impulses.count;
    for (int j = 0; j < system->nmu; j++)
        if (o->to->on[j] && !ARRAY_PUSH(&run->arena.allocator, &run->impulses, impulse[j]))
            return false;
    return true;
}

static saltus_status note_occurrence(saltus_run *run, sal_occurrence *o, saltus_error *err)
{
    const saltus_allocator *allocator = &run->arena.allocator;
    const sal_cursor       *cursor = &run->cursor;
    run->cursor.occurrences++;
    if (run->replaying) return SALTUS_OK;
    if (!note_impulses(run, o) || !ARRAY_RESERVE(allocator, &run->states, run->state_size) ||
        !ARRAY_PUSH(allocator, &run->occurrences, *o))
        return sal_fail_memory(err);
    note_state(run, cursor->x, cursor->c, cursor->z);
    note_state(run, run->x, run->c, run->z);
    if (run->company) run->company->event(run, o);
    return SALTUS_OK;
}

static saltus_status enter(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    TRY(sal_field_enter(&run->flow.field, regime, err));
    return sal_field_enter(&run->locator.field, regime, err);
}

static bool all_finite(const saltus_run *run)
{
    double sum = 0.0; /* stays zero unless something is not finite */
    for (int i = 0; i < 2 * run->system->n; i++) sum += 0.0 * run->x[i];
    for (int i = 0; i < run->system->nm_user; i++) sum += 0.0 * run->c[i];
    return sum == 0.0;
}

/* At an event the positions must fulfil the constraints of both modes: what is violated is a
 * mistake in the model, not to be projected away. */
static bool constraints_hold(saltus_run *run, int e, const sal_regime *to)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->jump.after;
    double               size = 1.0;
    if (!to->constrained || run->options.formulation == SALTUS_PENALTY) return true;
    for (int i = 0; i < system->n; i++) size = fmax(size, fabs(run->x[i]));
    const double allowed =
        1e-6 * size * size + 1e3 * (run->options.rtol * size + run->options.atol);
    *sal_u(field, SAL_LEAF_T) = run->cursor.t;
    memcpy(sal_u(field, SAL_LEAF_Q), run->x, (size_t)system->n * sizeof(double));
    memcpy(sal_u(field, SAL_LEAF_C), run->c, (size_t)system->nm * sizeof(double));
    sal_map_value(&system->phi, field->u, run->jump.lanes, field->work);
    for (int j = 0; j < system->nmu; j++) {
        if (!to->on[j] || fabs(run->jump.lanes[j]) <= allowed) continue;
        sal_run_finish(
            run, SALTUS_VIOLATED,
            "event '%s' at t = %.10g brings the constraint '%s', which does not hold there "
            "(it is off by %.3g); let the event happen where it does",
            system->event[e].name, run->cursor.t, system->model->constraints.data[j].label.name,
            run->jump.lanes[j]);
        return false;
    }
    return true;
}

/* The law of the event has no solution: why. */
static void finish_law(saltus_run *run, const sal_event_system *event)
{
    const saltus_model *model = run->system->model;
    const int           overset = run->jump.overset;
    if (overset >= 0)
        sal_run_finish(
            run, SALTUS_VIOLATED,
            "event '%s' at t = %.10g: it sets more velocities than the constraints leave free; "
            "that of '%s' follows from the others: leave it (or another) out of set=",
            event->name, run->cursor.t, model->coordinates.data[overset].label.name);
    else if (run->jump.rank_of_constraints == SAL_RANK_SINGULAR)
        sal_run_finish(
            run, SALTUS_SINGULAR,
            "event '%s' at t = %.10g happens in a singular position: the constraint '%s' of the "
            "mode it enters depends on the others there, but not beside it",
            event->name, run->cursor.t, model->constraints.data[run->jump.dependent].label.name);
    else
        sal_run_finish(
            run, SALTUS_SINGULAR,
            "event '%s' at t = %.10g: the impact law has no solution (the guard does not "
            "move with any coordinate there, the mass matrix is singular%s)",
            event->name, run->cursor.t,
            run->jump.after.regime->constrained ? ", or a constraint depends on the others" : "");
}

/* The mode was entered for the first time, and some of its constraints are not needed. */
static void warn_redundant(saltus_run *run, const sal_regime *to)
{
    const unsigned char *skip = run->jump.after.skip;
    if (run->jump.rank_of_constraints != SAL_RANK_REDUNDANT || run->jump.after.soft) return;
    for (int j = 0; j < run->system->nmu; j++)
        if (skip[j]) sal_run_warn_redundant(run, to, j);
}

/* The state after the event into run->x, c, z. False: the run has ended. */
static bool compute_jump(saltus_run *run, int e, const sal_regime *to)
{
    const saltus_system    *system = run->system;
    const sal_event_system *event = &system->event[e];
    const sal_cursor       *cursor = &run->cursor;
    memcpy(run->c, cursor->c, (size_t)system->nm * sizeof *run->c);
    if (!sal_jump_state(&run->jump, event, run->x, run->c)) {
        if (run->jump.out_of_memory) run->out_of_memory = true;
        finish_law(run, event);
        return false;
    }
    warn_redundant(run, to);
    if (!all_finite(run)) {
        sal_run_finish(run, SALTUS_NOT_FINITE,
                       "event '%s' at t = %.10g: its reset gives a value that is not finite (a "
                       "division by zero, a root of something negative?)",
                       event->name, cursor->t);
        return false;
    }
    if (event->kink >= 0) run->c[system->nm_user + event->kink] *= -1.0;
    if (system->kinks > 0) {
        sal_field_switch(&run->locator.field, to);
        set_branches(&(branches){run, cursor->t, run->x, run->c, event->kink});
        sal_field_switch(&run->locator.field, cursor->regime);
    }
    if (run->finished) return false;
    if (!constraints_hold(run, e, to)) return false;
    if (!rates_hold(run, event, event->reset.has_late, &run->jump.after, to, run->x, run->c))
        return false;
    const sal_field_result result = sal_jump_rates(&run->jump, cursor->t, run->x, run->c);
    if (result == SAL_FIELD_SINGULAR)
        sal_run_finish(
            run, SALTUS_SINGULAR,
            "event '%s' at t = %.10g: behind it the equations of motion are singular, at "
            "'%s'; give every coordinate a mass in every mode, and leave redundant "
            "constraints out",
            event->name, cursor->t, sal_system_unknown(system, run->jump.after.bad_pivot));
    else if (result == SAL_FIELD_NOT_FINITE)
        sal_run_finish(run, SALTUS_NOT_FINITE,
                       "event '%s' at t = %.10g: behind it a force, an energy or a cost is not "
                       "finite",
                       event->name, cursor->t);
    else if (result == SAL_FIELD_MEMORY) run->finished = run->out_of_memory = true;
    if (result != SAL_FIELD_OK) return false;
    for (int i = 0; i < system->nc; i++) run->z[i] = cursor->z[i] + run->jump.charge[i];
    return true;
}

/* Fires one event from the present state. */
static saltus_status fire(saltus_run *run, int e, bool follows, double *rate, saltus_error *err)
{
    const saltus_system    *system = run->system;
    const sal_event_system *event = &system->event[e];
    sal_cursor             *cursor = &run->cursor;
    sal_field              *field = &run->flow.field;
    sal_occurrence          o = {.event = e,
                                 .t = cursor->t,
                                 .impulse = NAN,
                                 .impulses = -1,
                                 .from = cursor->regime,
                                 .step = cursor->step - 1,
                                 .follows = follows,
                                 .joined = run->caused[e] == JOINED};
    const bool              evaluated = needs_reaction(event) || sal_run_company(run);
    if (sal_run_go_before(run, cursor->t, cursor->x, evaluated) != SAL_FIELD_OK &&
        sal_run_company(run))
        sal_run_part(run); /* without rates there is no saltation */
    sal_guard_value(field, event, field->u, &o.rate, run->locator.du);
    *rate = o.rate;
    o.grazing = !follows && grazes(run, e, o.rate);
    o.to = regime_after(run, e, err);
    if (!o.to) return SALTUS_ERR_MEMORY;
    cursor->count[e]++;
    o.terminal = event->stop > 0 && cursor->count[e] == event->stop;
    if (o.terminal) {
        o.to = o.from;
        memcpy(run->x, cursor->x, 2 * (size_t)system->n * sizeof(double));
        memcpy(run->c, cursor->c, (size_t)system->nm * sizeof(double));
        memcpy(run->z, cursor->z, (size_t)system->nc * sizeof(double));
        run->info.last_event = e;
        sal_run_finish(run, SALTUS_TERMINAL_EVENT, "%s", "");
        run->jump.event = event;
        return note_occurrence(run, &o, err);
    }
    if (run->jump.after.regime != o.to) TRY(sal_field_enter(&run->jump.after, o.to, err));
    TRY(sal_field_reserve(field, o.to->slots, err));
    TRY(sal_field_reserve(&run->locator.field, o.to->slots, err));
    if (!compute_jump(run, e, o.to)) return SALTUS_OK;
    o.impulse = run->jump.impulse;
    TRY(note_occurrence(run, &o, err));
    memcpy(cursor->x, run->x, 2 * (size_t)system->n * sizeof(double));
    memcpy(cursor->c, run->c, (size_t)system->nm * sizeof(double));
    memcpy(cursor->z, run->z, (size_t)system->nc * sizeof(double));
    cursor->regime = o.to;
    if (o.to != o.from) TRY(enter(run, o.to, err));
    sal_run_put_memories(run, cursor->c);
    watch_zeno(run, e, o.rate);
    if (cursor->occurrences >= run->options.max_events && !run->finished)
        sal_run_finish(
            run, SALTUS_EVENT_LIMIT,
            "%d events did not reach the end (t = %.10g of %.10g); raise --max-events, or "
            "look for events that trigger each other",
            cursor->occurrences, cursor->t, run->t_end);
    return SALTUS_OK;
}

/* ---- the chain ------------------------------------------------------------------------------ */

/* Of the events that cross in the same step, those that do so at this instant. */
static void keep_simultaneous(saltus_run *run, int first)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int        e = regime->event[i];
        const sal_watch *watch = &run->cursor.watch[e];
        if (!run->pending[e] || e == first) continue;
        const double r =
            sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, NULL, NULL);
        if (fabs(r) > sal_watch_zero(watch, run->cursor.t)) {
            run->pending[e] = 0;
            run->cursor.watch[e].side = r > 0.0 ? 1 : -1;
        }
    }
    for (int e = 0; e < run->system->events; e++)
        if (!is_active(regime, e)) run->pending[e] = 0;
}

static int next_pending(const saltus_run *run)
{
    for (int e = 0; e < run->system->events; e++)
        if (run->pending[e] && is_active(run->cursor.regime, e)) return e;
    return -1;
}

/* The event before at this instant has the same guard: they share the time, whatever its rate is
 * now. */
static bool shares_guard(const saltus_run *run, int e, int last)
{
    const saltus_system *system = run->system;
    if (last < 0 || system->event[e].user < 0 || system->event[last].user < 0) return false;
    const sal_event *events = system->model->events.data;
    return events[system->event[e].user].when == events[system->event[last].user].when;
}

/* An impact that an earlier one at the same instant has already undone does not happen. */
static bool already_opening(saltus_run *run, int e)
{
    const sal_event_system *event = &run->system->event[e];
    double                  rate;
    if (!event->reset.restitution && !closes(run->system, e)) return false;
    if (run->caused[e] == JOINED) return false; /* pressed, without a rate */
    sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, NULL, &rate);
    return sign_of(rate) != firing_sign(event, &run->cursor.watch[e]);
}

/* Two guards that cross at one instant by chance: a small change parts them, and which comes first
 * may matter. */
static void warn_order(saltus_run *run, int first, int second)
{
    sal_run_warn(
        run,
        "events '%s' and '%s' happen at the same instant, t = %.10g; gradients hold only if "
        "their order does not matter",
        run->system->event[first].name, run->system->event[second].name, run->cursor.t);
}

static void move_onto(saltus_run *run)
{
    const sal_step *step = &run->flow.step;
    run->cursor.t = sal_step_time(step);
    memcpy(run->cursor.x, step->x1, (size_t)step->nx * sizeof(double));
    for (int i = 0; i < step->ng; i++) run->cursor.z[i] += step->dz[i];
    sal_run_unprime(run);
}

void sal_chain_warn_condition(saltus_run *run, const sal_crossing *crossing)
{
    if (crossing->event < 0 || crossing->nearest >= 1e-8) return;
    sal_run_warn(run,
                 "a condition (where=) of event '%s' near t = %.10g is nearly zero (%.2g): whether "
                 "the event happens hangs on rounding, and gradients with it",
                 run->system->event[crossing->event].name,
                 run->cursor.t + crossing->theta * run->flow.step.h, crossing->nearest);
    if (crossing->nearest > 1e-13 || run->touched) return;
    snprintf(run->touch, sizeof run->touch,
             "a condition (where=) of event '%s' near t = %.10g is zero: a small change decides "
             "whether the event happens",
             run->system->event[crossing->event].name,
             run->cursor.t + crossing->theta * run->flow.step.h);
    run->touched = SALTUS_ERR_NO_GRADIENT;
}

saltus_status sal_chain_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err)
{
    sal_chain_warn_condition(
        run, &(sal_crossing){crossing->event, 1.0, crossing->nearest, crossing->side});
    TRY(sal_advance_record(run, SAL_FRAME_EVENT, run->flow.step.h, run->cursor.occurrences, err));
    if (sal_run_company(run)) run->company->step(run);
    move_onto(run);
    memset(run->caused, 0, (size_t)run->system->events);
    keep_simultaneous(run, crossing->event);
    int happened = 0, last = -1;
    for (int e = next_pending(run); e >= 0 && !run->finished; e = next_pending(run)) {
        double rate = 0.0;
        run->pending[e] = 0;
        const bool follows = shares_guard(run, e, last) || run->caused[e] == JOINED;
        if (happened > 0 && (already_opening(run, e) || run->system->event[e].kink >= 0)) continue;
        if (happened > 0 && !follows && !run->caused[e]) warn_order(run, last, e);
        if (happened > 0)
            TRY(sal_advance_record(run, follows ? SAL_FRAME_STEP : SAL_FRAME_EVENT, 0.0,
                                   run->cursor.occurrences, err));
        const sal_regime *before = run->cursor.regime;
        TRY(fire(run, e, follows, &rate, err));
        run->caused[e] = 0;
        last = e;
        run->bend = INFINITY; /* of another guard */
        if (!run->finished) watch_all(run, e, fabs(rate), before);
        if (++happened > LONGEST_CHAIN && !run->finished)
            sal_run_finish(
                run, SALTUS_ZENO,
                "at t = %.10g more than %d events happen at one instant, the last one is "
                "'%s'; let impacts end in a common rest, or make them less elastic",
                run->cursor.t, LONGEST_CHAIN, run->system->event[e].name);
    }
    if (happened > 0 && !run->finished)
        run->primed = sal_flow_begin(&run->flow, &run->jump.after, run->cursor.t, run->cursor.z);
    return SALTUS_OK;
}
