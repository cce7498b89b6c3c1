/* What happens at one instant.
 *
 * Events that cross together fire in the script's order, one after the other, each from the state
 * the one before left; a kink that crosses with them is settled by the state after. An impact that
 * leaves another contact closing makes that one fire next, at the same instant. Each event is
 * preceded by its own step, of length zero from the second one on, so that sensitivities need no
 * special case. */
#include "run/instant.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/guard.h"
#include "run/advance.h"
#include "run/branches.h"
#include "run/contacts.h"
#include "run/watch.h"

enum { LONGEST_CHAIN = 500, SHRINKING_GAPS = 8 };

/* ---- small things --------------------------------------------------------------------------- */

static double horizon(const saltus_run *run) { return run->t_end - run->t0; }

static bool is_active(const sal_regime *regime, int event) { return regime->possible[event]; }

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

static saltus_status enter(saltus_run *run, const sal_regime *regime, saltus_error *err)
{
    TRY(sal_field_enter(&run->motion.field, regime, err));
    return sal_field_enter(&run->locator.field, regime, err);
}

/* The modes of contacts at the start. */
static void start_contacts(saltus_run *run)
{
    saltus_error      err = {0};
    const sal_regime *regime = sal_contacts_start(run);
    if (!regime) return;
    run->cursor.regime = regime;
    if (enter(run, regime, &err) != SALTUS_OK) run->finished = run->out_of_memory = true;
    if (run->finished || sal_contacts_rank(run)) return;
    sal_run_finish(run, SALTUS_SINGULAR,
                   "the start is a singular position of the contacts that stick there");
}

void sal_instant_start(saltus_run *run)
{
    sal_run_put_memories(run, run->cursor.c);
    sal_branches_set(run, run->cursor.t, run->cursor.x, run->cursor.c, -1, true);
    sal_run_put_memories(run, run->cursor.c);
    if (!run->finished && run->contacts.count > 0) start_contacts(run);
    if (!run->finished)
        rates_hold(run, NULL, false, &run->locator.field, run->cursor.regime, run->cursor.x,
                   run->cursor.c);
    if (!run->finished) sal_watch_start(run);
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

void sal_instant_energies(const saltus_run *run, int occurrence, double *before, double *after)
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

typedef enum crossing_kind { CLEAN, CLOSE, GRAZING } crossing_kind;

/* How deep the guard goes past zero, r'^2 / (2 |r''|), tells how close the event is to grazing: no
 * deeper than rounding, or than the tolerance; or it turns back in no time, r' / r''. */
static crossing_kind judge_crossing(saltus_run *run, int e, double rate)
{
    if (run->crossing[e].jumps) return CLEAN; /* over zero, at a pole: it has no depth */
    /* so deep that nothing need be looked at */
    if (rate * rate > 2e-3 * run->cursor.watch[e].scale * run->r_ddot) return CLEAN;
    const double deep = 2.0 * sal_locator_tolerance(&run->locator, e, run->cursor.t, run->cursor.x);
    if (rate * rate > 4.0 * deep * run->r_ddot) return CLEAN;
    const double bend = fabs(
        sal_locator_curvature(&run->locator, e, run->cursor.t, run->cursor.x, sal_watch_time(run)));
    const double depth = bend > 0.0 ? rate * rate / (2.0 * bend) : INFINITY;
    if (rate == 0.0 || fabs(rate) < run->options.event_rate_min * bend * horizon(run) ||
        depth <= sal_locator_rounding(&run->locator, e, run->cursor.t, run->cursor.x))
        return GRAZING;
    return depth < deep ? CLOSE : CLEAN;
}

static void warn_crossing(saltus_run *run, int e, double rate, crossing_kind kind)
{
    if (kind == GRAZING)
        sal_run_warn(run, "event '%s' at t = %.10g grazes (guard rate %.3g): no gradient there",
                     run->system->event[e].name, run->cursor.t, rate);
    if (kind != CLOSE || (run->warned[e] & SAL_WARNED_GRAZING)) return;
    run->warned[e] |= SAL_WARNED_GRAZING;
    sal_run_warn(run,
                 "event '%s' at t = %.10g is close to grazing (guard rate %.3g): gradients are "
                 "large there and less certain than the tolerance",
                 run->system->event[e].name, run->cursor.t, rate);
}

/* What rounding makes of the rates of the state and of integrals at the event, in one of the
 * fields: larger ones replace those in `noise`. */
static void note_rounding(saltus_run *run, sal_field *field, double *noise)
{
    const int n2 = 2 * run->system->n, nc = run->system->nc;
    double   *x = run->locator.x, *k = run->rates, *g = run->rates + n2;
    for (int i = 0; i <= 3; i++) { /* the first one as it is */
        const double shift = i == 0 ? 0.0 : (i - 2.0 + 0.5 * (i == 2)) * 8.0 * DBL_EPSILON;
        for (int j = 0; j < n2; j++) x[j] = run->cursor.x[j] * (1.0 + (j % 2 ? shift : -shift));
        if (sal_field_eval(field, run->cursor.t * (1.0 + shift), x, k, g) != SAL_FIELD_OK) return;
        for (int j = 0; j < n2 + nc; j++) {
            if (i == 0) run->rates_kept[j] = run->rates[j];
            else noise[j] = fmax(noise[j], 4.0 * fabs(run->rates[j] - run->rates_kept[j]));
        }
    }
}

static bool nearly_equal(const double *a, const double *b, const double *noise, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; i++) size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    for (int i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > fmax(1e-9 * size, noise[i])) return false;
    return true;
}

/* Whether the motion is the same on both sides of the event just computed (a kink whose sides
 * agree, a contact that opens where nothing presses it any more): then it does not matter when it
 * happens, and how it is crossed. */
static bool goes_on(saltus_run *run, const sal_event_system *event)
{
    const saltus_system *system = run->system;
    const int            n2 = 2 * system->n;
    sal_jump            *jump = &run->jump;
    double              *noise = run->rates_noise;
    /* the time of an event of the script may be asked for, and has no derivative then */
    if (event->kink < 0 && !event->guard_needs_a) return false;
    if (event->kink >= 0 && system->kink[event->kink].continuous) return true;
    if (!event->reset.identity || memcmp(run->x, run->cursor.x, (size_t)n2 * sizeof(double)) != 0)
        return false;
    memset(noise, 0, (size_t)(n2 + system->nc) * sizeof *noise);
    note_rounding(run, &jump->after, noise);
    note_rounding(run, &run->locator.field, noise);
    if (sal_jump_rates(jump, run->cursor.t, run->x, run->c) != SAL_FIELD_OK ||
        sal_motion_eval(&run->motion, run->cursor.t, run->cursor.x, jump->k_before,
                        jump->g_before) != SAL_FIELD_OK)
        return false;
    return nearly_equal(jump->k_before, jump->k_after, noise, n2) &&
           nearly_equal(jump->g_before, jump->g_after, noise + n2, system->nc);
}

/* The step before the event has the length it has, and the event shares its time. */
static void share_time(saltus_run *run, sal_occurrence *o)
{
    sal_frame *frame = sal_record_frame(&run->record, run->cursor.step - 1);
    if (frame) frame->kind = SAL_FRAME_STEP;
    o->follows = o->joined = true;
}

void sal_instant_zeno(saltus_run *run, int e, double at)
{
    run->info.zeno_time = at;
    sal_run_finish(run, SALTUS_ZENO,
                   "Zeno: event '%s' happened %d times and accumulates at t = %.10g; end the run "
                   "before (--until, or stop = true at a low speed: where = ...), or let the body "
                   "come to rest: contact {..., settle = v}, or a mode of its own",
                   run->system->event[e].name, run->cursor.count[e], at);
}

/* Gaps between occurrences of one event whose sum converges: it accumulates. They must shrink like
 * a geometric series (Raabe: n (1 - ratio) grows with their number n; of gaps like 1/n, whose sum
 * diverges, it is at most 1). It is called so when what is left of a gap, or of the guard in
 * between, no longer matters. */
static void watch_zeno(saltus_run *run, int e, double rate)
{
    sal_cursor  *cursor = &run->cursor;
    const double gap = cursor->t - cursor->last_time[e], before = cursor->last_gap[e];
    const bool   shrinks = gap < before && gap > 0.0;
    const bool   small =
        gap < 1e-9 * horizon(run) || fabs(rate) * gap < 1e-10 * cursor->watch[e].largest;
    cursor->shrinking[e] = shrinks ? cursor->shrinking[e] + 1 : 0;
    cursor->last_time[e] = cursor->t;
    cursor->last_gap[e] = gap;
    if (!shrinks || !small || cursor->shrinking[e] < SHRINKING_GAPS) return;
    const double ratio = gap / before, at = cursor->t + gap * ratio / (1.0 - ratio);
    if (cursor->shrinking[e] * (1.0 - ratio) < 2.0) return;
    if (at <= run->t_end) sal_instant_zeno(run, e, at);
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
        if (sal_occurrence_law(o)->loaded[j] &&
            !ARRAY_PUSH(&run->arena.allocator, &run->impulses, impulse[j]))
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
    if (run->observer) run->observer->event(run, o);
    return SALTUS_OK;
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

/* Whether the event has a law of impacts, were there no contacts. */
static bool has_impact(const saltus_run *run, const sal_event_system *event,
                       const sal_occurrence *o)
{
    if (event->reset.restitution) return true;
    if (event->reset.sets_velocity) return false;
    for (int j = 0; j < run->system->nmu; j++)
        if (o->to->on[j] && !o->from->on[j] && !run->system->model->constraints.data[j].found)
            return true;
    return event->reset.sets_rest && o->to->constrained;
}

/* The modes of contacts after the jump, and whether their constraints are needed. */
static bool enter_modes(saltus_run *run, int e, sal_occurrence *o)
{
    saltus_error      err = {0};
    const sal_regime *to = sal_contacts_after(run, e, o->to, o->impact);
    if (!to) return false;
    o->to = to;
    if (sal_field_enter(&run->jump.after, to, &err) != SALTUS_OK ||
        sal_field_reserve(&run->motion.field, to->slots, &err) != SALTUS_OK ||
        sal_field_reserve(&run->locator.field, to->slots, &err) != SALTUS_OK) {
        run->finished = run->out_of_memory = true;
        return false;
    }
    return sal_jump_settle(&run->jump);
}

/* The state just after the law. False: there is none, or the run has ended. */
static bool apply_law(saltus_run *run, int e, sal_occurrence *o)
{
    const sal_event_system *event = &run->system->event[e];
    sal_jump_begin(&run->jump, event);
    if (run->contacts.count == 0) return sal_jump_state(&run->jump, NULL, run->x, run->c);
    if (!sal_contacts_collide(run, e, o->to, &o->impact)) return false;
    if (!o->impact && has_impact(run, event, o)) o->impact = o->to;
    return sal_jump_state(&run->jump, o->impact, run->x, run->c) && enter_modes(run, e, o);
}

/* The state after the event into run->x, c, z. False: the run has ended. */
static bool compute_jump(saltus_run *run, int e, sal_occurrence *o)
{
    const saltus_system    *system = run->system;
    const sal_event_system *event = &system->event[e];
    const sal_cursor       *cursor = &run->cursor;
    memcpy(run->c, cursor->c, (size_t)system->nm * sizeof *run->c);
    if (!apply_law(run, e, o)) {
        if (run->jump.out_of_memory) run->out_of_memory = true;
        if (!run->finished) finish_law(run, event);
        return false;
    }
    const sal_regime *to = o->to;
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
        sal_branches_set(run, cursor->t, run->x, run->c, event->kink, false);
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
    sal_field              *field = &run->motion.field;
    sal_occurrence          o = {.event = e,
                                 .t = cursor->t,
                                 .impulse = NAN,
                                 .impulses = -1,
                                 .from = cursor->regime,
                                 .step = cursor->step - 1,
                                 .follows = follows,
                                 .joined = run->caused[e] >= SAL_JOINED};
    const bool              evaluated = needs_reaction(event) || sal_run_observed_by(run);
    if (sal_run_load_state_before_event(run, cursor->t, cursor->x, evaluated) != SAL_FIELD_OK &&
        sal_run_observed_by(run))
        sal_run_drop_observer(run); /* without rates there is no saltation */
    sal_guard_value(field, event, field->u, &o.rate, run->locator.du);
    *rate = o.rate;
    const crossing_kind kind = follows ? CLEAN : judge_crossing(run, e, o.rate);
    o.to = regime_after(run, e, err);
    if (!o.to) return SALTUS_ERR_MEMORY;
    cursor->count[e]++;
    o.terminal = event->stop > 0 && cursor->count[e] == event->stop;
    o.grazing = kind == GRAZING;
    if (o.terminal) {
        warn_crossing(run, e, o.rate, kind);
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
    if (!compute_jump(run, e, &o)) return SALTUS_OK;
    o.impulse = run->jump.impulse;
    if (kind != CLEAN && goes_on(run, event)) {
        share_time(run, &o);
        o.grazing = false;
    } else warn_crossing(run, e, o.rate, kind);
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

/* Of the events that cross in the same step, those that do so at this instant: their guards are
 * zero within rounding and on their way to the other side, and it is this crossing of theirs, not a
 * later one. The others have not crossed yet. */
static void keep_simultaneous(saltus_run *run, const sal_crossing *first)
{
    const sal_regime *regime = run->cursor.regime;
    for (int i = 0; i < regime->events; i++) {
        const int           e = regime->event[i];
        const sal_crossing *other = &run->crossing[e];
        if (!run->pending[e] || e == first->event) continue;
        double       rate;
        const double r =
            sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, NULL, &rate);
        if (fabs(other->theta - first->theta) > 1e-6 || !(other->side * rate < 0.0) ||
            fabs(r) > sal_locator_rounding(&run->locator, e, run->cursor.t, run->cursor.x))
            run->pending[e] = 0;
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

/* An impact that an earlier one at the same instant has already undone does not happen. */
static bool already_opening(saltus_run *run, int e)
{
    const sal_event_system *event = &run->system->event[e];
    const int               firing = sal_watch_firing(event);
    double                  rate;
    if (!event->reset.restitution && !sal_watch_closes(run->system, e)) return false;
    if (run->caused[e] == SAL_JOINED) return false; /* pressed, without a rate */
    const double noise = sal_locator_noise(&run->locator, e, run->cursor.t, run->cursor.x).rate;
    sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, NULL, &rate);
    return rate * (firing ? firing : -run->cursor.watch[e].side) <= noise;
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
    const sal_step *step = &run->motion.step;
    run->cursor.t = sal_step_time(step);
    memcpy(run->cursor.x, step->x1, (size_t)step->nx * sizeof(double));
    for (int i = 0; i < step->ng; i++) run->cursor.z[i] += step->dz[i];
    sal_run_unprime(run);
}

void sal_instant_warn_condition(saltus_run *run, const sal_crossing *crossing)
{
    if (crossing->event < 0 || crossing->nearest >= 1e-8) return;
    sal_run_warn(run,
                 "a condition (where=) of event '%s' near t = %.10g is nearly zero (%.2g): whether "
                 "the event happens hangs on rounding, and gradients with it",
                 run->system->event[crossing->event].name,
                 run->cursor.t + crossing->theta * run->motion.step.h, crossing->nearest);
    if (crossing->nearest > 1e-13 || run->gradient_status) return;
    snprintf(run->gradient_message, sizeof run->gradient_message,
             "a condition (where=) of event '%s' near t = %.10g is zero: a small change decides "
             "whether the event happens",
             run->system->event[crossing->event].name,
             run->cursor.t + crossing->theta * run->motion.step.h);
    run->gradient_status = SALTUS_ERR_NO_GRADIENT;
}

/* Too much at once: time does not go on. */
static void watch_crowd(saltus_run *run, int e)
{
    sal_cursor *cursor = &run->cursor;
    cursor->crowd = cursor->t > cursor->crowd_at ? 1 : cursor->crowd + 1;
    cursor->crowd_at = cursor->t;
    if (cursor->crowd <= LONGEST_CHAIN || run->finished) return;
    sal_run_finish(run, SALTUS_ZENO,
                   "at t = %.10g more than %d events happen at one instant, the last one is "
                   "'%s'; let impacts end in a common rest, or make them less elastic",
                   cursor->t, LONGEST_CHAIN, run->system->event[e].name);
}

/* One after the other, those that are pending, and those that follow from them. The frame of the
 * first may be there already. */
static saltus_status fire_pending(saltus_run *run, bool recorded, saltus_error *err)
{
    int last = -1;
    for (int e = next_pending(run); e >= 0 && !run->finished; e = next_pending(run)) {
        double rate = 0.0;
        run->pending[e] = 0;
        if (last >= 0 && already_opening(run, e)) continue;
        /* a kink that is still crossed, behind the event, is met in the next step */
        if (last >= 0 && run->system->event[e].kink >= 0) continue;
        /* the same guard: they share the time, whatever its rate is now */
        const bool follows = sal_watch_shares(run->system, e, last) || run->caused[e] >= SAL_JOINED;
        if (last >= 0 && !follows && !run->caused[e]) warn_order(run, last, e);
        if (!recorded)
            TRY(sal_advance_record(run, follows ? SAL_FRAME_STEP : SAL_FRAME_EVENT, 0.0,
                                   run->cursor.occurrences, err));
        if (last >= 0) sal_watch_note(run);
        const sal_regime *before = run->cursor.regime;
        TRY(fire(run, e, follows, &rate, err));
        recorded = false;
        last = e;
        if (fabs(rate) > run->fastest) run->fastest = fabs(rate);
        run->r_ddot = INFINITY; /* of another guard */
        if (!run->finished) sal_watch_event(run, e, before, rate);
        run->caused[e] = run->pending[e] ? run->caused[e] : 0;
        watch_crowd(run, e);
    }
    run->fastest = 0.0;
    if (last >= 0 && !run->finished)
        run->primed =
            sal_motion_begin(&run->motion, &run->jump.after, run->cursor.t, run->cursor.z);
    return SALTUS_OK;
}

saltus_status sal_instant_run(saltus_run *run, const sal_crossing *crossing, saltus_error *err)
{
    sal_instant_warn_condition(
        run, &(sal_crossing){crossing->event, 1.0, crossing->nearest, crossing->side, false});
    TRY(sal_advance_record(run, SAL_FRAME_EVENT, run->motion.step.h, run->cursor.occurrences, err));
    if (sal_run_observed_by(run)) run->observer->step(run);
    move_onto(run);
    memset(run->caused, 0, (size_t)run->system->events);
    keep_simultaneous(run, crossing);
    /* of what does not happen now; a clock that strikes was not looked at */
    sal_watch_look(run, run->system->event[crossing->event].guard_is_clock ? -1 : crossing->event);
    sal_watch_step(run);
    return fire_pending(run, true, err);
}

saltus_status sal_instant_now(saltus_run *run, const sal_crossing *crossing, saltus_error *err)
{
    sal_run_unprime(run);
    sal_watch_note(run);
    if (crossing) {
        memset(run->caused, 0, (size_t)run->system->events);
        keep_simultaneous(run, crossing);
    }
    return fire_pending(run, false, err);
}
