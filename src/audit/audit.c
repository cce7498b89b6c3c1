/* Checks guards and kinks along the steps of a run. See audit.h. */
#include "audit/audit.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "gradient/output_rows.h"
#include "motion/guard.h"
#include "saltus/saltus.h"
#include "sens/sens.h"

/* The number of places of a step at which guards are evaluated. They are irregular, so that nothing
 * periodic can hide between them, and dense near both ends, where events are. */
enum { PLACES = 48 };

static int sign_of(double r) { return (r > 0.0) - (r < 0.0); }

/* ---- findings ------------------------------------------------------------------------------- */

void sal_audit_tell(sal_auditor *a, saltus_audit_kind kind, int event, int occurrence, double value,
                    double allowed, const char *format, ...)
{
    char                 text[SAL_RUN_TEXT];
    va_list              list;
    const int            shown = a->run->system->events_shown;
    saltus_audit_finding finding = {
        .kind = kind,
        .event = event < shown ? event : -1,
        .occurrence = occurrence < 0 ? -1 : a->run->history.occurrences.data[occurrence].shown,
        .t = a->here,
        .value = value,
        .allowed = allowed,
        .text = text};
    if (a->stop) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    a->audit.findings++;
    sal_run_lend(a->run);
    if (a->tell) a->stop = a->tell(a->context, &finding) != 0;
    sal_run_take_back(a->run);
}

/* ---- looking -------------------------------------------------------------------------------- */

bool sal_audit_look(sal_auditor *a, double t, const double *x, bool accelerations)
{
    a->here = t;
    a->audit.looks++;
    if (accelerations) return sal_field_eval(a->field, t, x, a->k, NULL) == SAL_FIELD_OK;
    sal_field_put(a->field, t, x);
    return true;
}

double sal_audit_guard(sal_auditor *a, int event, double *rate)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    double                    sum = 0.0;
    if (rate) return sal_guard_value(a->field, e, a->field->u, rate, a->du);
    /* the guards of contacts that share their friction are added */
    for (int k = event; k >= 0; k = a->field->join ? a->field->join[k] : -1) {
        double r = 0.0;
        sal_map_value(&a->field->system->event[k].guard, a->field->u, &r, a->field->work);
        sum += r;
    }
    return sum;
}

/* The change of a reaction if time and state change by their rounding errors. */
static double reaction_rounding(sal_auditor *a, int event)
{
    const int    n2 = 2 * a->field->system->n;
    const double t = *sal_u(a->field, SAL_LEAF_T), r = sal_audit_guard(a, event, NULL);
    double      *x = a->near, worst = 0.0;
    memcpy(a->kept, sal_u(a->field, SAL_LEAF_Q), (size_t)n2 * sizeof *x);
    for (int i = -1; i <= 1; i += 2) {
        const double part = 4.0 * i * DBL_EPSILON;
        for (int j = 0; j < n2; j++) x[j] = a->kept[j] * (1.0 + (j % 2 ? part : -part));
        if (sal_field_eval(a->field, t * (1.0 + part), x, a->k, NULL) == SAL_FIELD_OK)
            worst = fmax(worst, fabs(sal_audit_guard(a, event, NULL) - r));
    }
    sal_field_eval(a->field, t, a->kept, a->k, NULL);
    return 16.0 * worst;
}

/* The change of a guard without accelerations if all its inputs change by their rounding errors.
 * The derivatives do not show the rounding errors of sums that cancel. */
static double cancelled(sal_auditor *a, int event)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    const double             *u = a->field->u, r = sal_audit_guard(a, event, NULL);
    double                   *near = a->bar, moved = 0.0, worst = 0.0;
    for (int i = -3; i <= 3; i++) {
        for (int j = 0; j < a->field->system->layout.size; j++)
            near[j] = u[j] * (1.0 + (j % 2 ? i : -i) * DBL_EPSILON);
        sal_map_value(&e->guard, near, &moved, a->field->work);
        worst = fmax(worst, fabs(moved - r));
    }
    return 16.0 * worst;
}

double sal_audit_noise(sal_auditor *a, int event, double *rounding)
{
    const saltus_system  *system = a->field->system;
    const saltus_options *o = &a->run->options;
    const double          one = 1.0, *u = a->field->u;
    const int             x = system->layout.at[SAL_LEAF_Q];
    double                open = 0.0, terms = 0.0;
    memset(a->bar, 0, (size_t)system->layout.size * sizeof *a->bar);
    sal_guard_adjoint(a->field, &system->event[event], &one, 1, a->bar, a->scratch);
    for (int i = 0; i < system->layout.size; i++) terms += fabs(a->bar[i] * u[i]);
    for (int i = x; i < x + 2 * system->n; i++)
        open += fabs(a->bar[i]) * (o->rtol * fabs(u[i]) + o->atol);
    /* positions change by velocities times the rounding error of time */
    for (int i = 0; i < system->n; i++)
        terms +=
            fabs(a->bar[x + i] * sal_u(a->field, SAL_LEAF_V)[i] * *sal_u(a->field, SAL_LEAF_T));
    terms += fmax(a->guard[event].recent[0], a->guard[event].recent[1]);
    *rounding = 64.0 * DBL_EPSILON * terms;
    *rounding +=
        system->event[event].guard_needs_a ? reaction_rounding(a, event) : cancelled(a, event);
    return SAL_AUDIT_STEPS * open + *rounding;
}

bool sal_audit_conditions(sal_auditor *a, int event)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    double                    least = INFINITY, value[16];
    if (e->wheres > 16) return false; /* more conditions than can be checked here */
    sal_map_value(&e->where, a->field->u, value, a->field->work);
    for (int i = 0; i < e->wheres; i++) least = fmin(least, value[i]);
    return least > 1e-9;
}

static bool needs_reactions(const sal_auditor *a)
{
    for (int i = 0; i < a->regime->events; i++)
        if (a->field->system->event[a->regime->event[i]].guard_needs_a) return true;
    return false;
}

/* The guard at a place of the step. */
static double guard_at(sal_auditor *a, const sal_frame *frame, int event, double theta)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    sal_step_at(&a->run->motion.step, theta, a->x, NULL);
    if (!sal_audit_look(a, frame->t + theta * frame->h, a->x, e->guard_needs_a)) return NAN;
    return sal_audit_guard(a, event, NULL);
}

bool sal_audit_was_beyond(sal_auditor *a, const sal_frame *frame, int event, int side)
{
    const double end = 1.0 + frame->delta / frame->h;
    for (int k = 1; k <= 30; k++)
        if (sign_of(guard_at(a, frame, event, end * (1.0 - ldexp(1.0, -k)))) == side) return true;
    return false;
}

/* ---- crossings ------------------------------------------------------------------------------ */

/* Encloses the place at which the guard changes its sign between theta[0] and theta[1]. False: it
 * does not cross zero there, but has a pole or jumps. */
static bool find_zero(sal_auditor *a, const sal_frame *frame, int event, double theta[2],
                      double r[2])
{
    const double most = fmax(fabs(r[0]), fabs(r[1]));
    const int    side = sign_of(r[0]);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (theta[0] + theta[1]),
                     value = guard_at(a, frame, event, middle);
        const int end = sign_of(value) == side ? 0 : 1;
        if (isnan(value)) return false;
        theta[end] = middle;
        r[end] = value;
    }
    return fmin(fabs(r[0]), fabs(r[1])) <= 0.1 * most;
}

/* Handles a guard that was seen on the other side of zero at theta. Reports a missed event if it
 * crossed in its direction with its conditions met. */
static void cross(sal_auditor *a, const sal_frame *frame, int event, double theta, double r)
{
    const sal_compiled_event *e = &a->field->system->event[event];
    sal_audited              *g = &a->guard[event];
    const int                 target = sal_audit_target(e), was = g->side;
    const int                 last = g->theta[0] < theta ? 0 : 1; /* in a dip: the second newest */
    const bool                known = g->is_known && g->known[0] < theta;
    double       place[2] = {known ? g->known[0] : g->looks > last ? g->theta[last] : 0.0, theta};
    double       rounding;
    const double noise = sal_audit_noise(a, event, &rounding);
    g->side = -was;
    g->is_known = false;
    g->offset = g->slack = 0.0;
    a->audit.crossings++;
    if (target != 0 && target == was) return;
    double value[2] = {guard_at(a, frame, event, place[0]), r};
    if (sign_of(value[0]) == was && !find_zero(a, frame, event, place, value)) return;
    /* rounding hides the crossing; but if the value becomes smaller, there was a pole */
    if (sign_of(value[0]) != was && fabs(value[0]) > fabs(r)) return;
    if (isnan(guard_at(a, frame, event, place[0]))) return;
    if (!sal_audit_conditions(a, event)) return;
    a->audit.crossings--;
    sal_audit_tell(a, SALTUS_AUDIT_MISSED, event, -1, fabs(r), noise,
                   "the guard of event '%s' %s through zero at t = %.10g (it is %.3g at t = "
                   "%.10g), and the event does not happen",
                   e->name, was > 0 ? "falls" : "rises", a->here, r, frame->t + theta * frame->h);
}

/* Searches for a minimum of the guard between two evaluations with larger values on the same side,
 * and for a crossing there. */
static void look_into_dip(sal_auditor *a, const sal_frame *frame, int event, double end)
{
    sal_audited *g = &a->guard[event];
    const int    side = g->side;
    double       low = g->theta[1], high = end, best = g->theta[0], value = g->r[0];
    for (int i = 0; i < 24 && side * value > 0.0; i++) {
        const bool   left = best - low > high - best;
        const double theta = left ? best - 0.38 * (best - low) : best + 0.38 * (high - best);
        const double r = guard_at(a, frame, event, theta);
        if (isnan(r)) return;
        if (side * r < side * value) {
            *(left ? &high : &low) = best;
            best = theta;
            value = r;
        } else *(left ? &low : &high) = theta;
    }
    double rounding;
    if (side * value >= 0.0 || guard_at(a, frame, event, best) != value) return;
    if (fabs(value) > sal_audit_noise(a, event, &rounding) + g->slack) {
        cross(a, frame, event, best, value);
        g->side = side; /* the guard comes back before the next look */
    }
}

/* ---- one look ------------------------------------------------------------------------------- */

/* The change of a kink's argument during the rounding error of time. Numbers of the script that
 * cancel there have rounding errors that the state does not show. */
static double passed_by(sal_auditor *a, int event)
{
    const double time = fmax(fabs(a->here), a->run->t_end - a->run->t0);
    double       rate = 0.0;
    if (!sal_audit_look(a, a->here, a->x, true)) return 0.0;
    sal_audit_guard(a, event, &rate);
    return 64.0 * DBL_EPSILON * fabs(rate) * time;
}

static void follow_kink(sal_auditor *a, int event, double r)
{
    const saltus_system *system = a->field->system;
    const int            kink = system->event[event].kink;
    const double         branch = sal_u(a->field, SAL_LEAF_C)[system->nm_user + kink];
    sal_audited         *g = &a->guard[event];
    double               rounding;
    if (r * branch >= 0.0 || g->told) return;
    const double noise = sal_audit_noise(a, event, &rounding) + passed_by(a, event);
    if (fabs(r) <= noise) return;
    g->told = true;
    sal_audit_tell(a, SALTUS_AUDIT_BRANCH, event, -1, fabs(r), noise,
                   "'%s' is taken on its %s side at t = %.10g, where its argument is %.3g",
                   system->kink[kink].name, branch > 0.0 ? "positive" : "negative", a->here, r);
}

static void follow_guard(sal_auditor *a, const sal_frame *frame, int event, double theta, double r)
{
    sal_audited *g = &a->guard[event];
    double       rounding;
    const bool   turned = g->looks >= 2 && g->side != 0 && g->side * r > g->side * g->r[0] &&
                        g->side * g->r[1] > g->side * g->r[0] && g->side * g->r[0] > 0.0;
    /* a parabola would not reach zero if the value is larger than its last decrease */
    if (turned && fabs(g->r[0]) < fmax(fabs(r - g->r[0]), fabs(g->r[1] - g->r[0])))
        look_into_dip(a, frame, event, theta);
    const bool settled = g->side != 0 && sign_of(r) != -g->side;
    if (!settled || g->slack > 0.0) {
        guard_at(a, frame, event, theta); /* look_into_dip may have changed the state */
        const double noise = sal_audit_noise(a, event, &rounding);
        const bool   seen = fabs(r) > noise + g->slack;
        if (settled && fabs(r) > noise + 2.0 * g->slack) g->slack = 0.0;
        if (!settled && fabs(r) > rounding) g->glimpse = theta;
        if (!settled && seen && g->side == 0) g->side = sign_of(r);
        else if (!settled && seen) cross(a, frame, event, theta, r);
    }
    g->theta[1] = g->theta[0];
    g->r[1] = g->r[0];
    g->theta[0] = theta;
    g->r[0] = r;
    g->looks++;
    if (sign_of(r) != g->side || g->side == 0) return;
    g->is_known = true;
    g->known[0] = theta;
    g->known[1] = r;
}

static void look_at_guards(sal_auditor *a, const sal_frame *frame, double theta, bool reactions)
{
    const saltus_system *system = a->field->system;
    const double         t = frame->t + theta * frame->h;
    for (int i = 0; i < a->regime->events && !a->stop; i++) {
        const int event = a->regime->event[i];
        /* follow_guard may have changed the state */
        if (i == 0 || a->here != t) {
            sal_step_at(&a->run->motion.step, theta, a->x, NULL);
            if (!sal_audit_look(a, t, a->x, reactions)) return;
        }
        const double r = sal_audit_guard(a, event, NULL);
        if (isnan(r)) continue;
        a->guard[event].recent[0] = fmax(a->guard[event].recent[0], fabs(r));
        a->guard[event].largest = fmax(a->guard[event].largest, fabs(r));
        if (system->event[event].kink >= 0) follow_kink(a, event, r);
        else follow_guard(a, frame, event, theta, r);
    }
}

/* The i-th place in a step: the ends, places close to them, and a golden-ratio sequence between. */
static double place(int i)
{
    static const double close[] = {0.0, 1e-6, 1e-4, 1e-2};
    if (i < 4) return close[i];
    if (i >= PLACES - 4) return 1.0 - close[PLACES - 1 - i];
    const double even = (i - 3.0) / (PLACES - 7.0), shift = 0.61803398875 * i;
    return even + 0.4 * (shift - floor(shift) - 0.5) / (PLACES - 7.0);
}

/* Begins a step. The drift of a released constraint is forgotten at the end of the step in which
 * the guard was seen beyond it. */
static void begin_step(sal_audited *g)
{
    if (g->slack == 0.0) g->offset = 0.0;
    g->looks = 0;
    g->is_known = false;
    g->glimpse = -1.0;
    g->recent[1] = g->recent[0];
    g->recent[0] = 0.0;
}

static saltus_status no_dense_output(const sal_frame *frame, saltus_error *err)
{
    return sal_fail(err, SALTUS_ERR_NOT_FINITE, "no dense output at t = %.10g", frame->t);
}

static saltus_status look_along(sal_auditor *a, const sal_frame *frame, saltus_error *err)
{
    const bool   reactions = needs_reactions(a);
    const double end = 1.0 + frame->delta / frame->h;
    if (sal_step_dense(&a->run->motion.step)) return no_dense_output(frame, err);
    for (int e = 0; e < a->field->system->events; e++) begin_step(&a->guard[e]);
    sal_audit_contacts_step(a, frame);
    for (int i = 0; i < PLACES && !a->stop; i++) {
        look_at_guards(a, frame, end * place(i), reactions);
        sal_audit_contacts_look(a, frame, end * place(i));
    }
    return SALTUS_OK;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void check_start(sal_auditor *a, const sal_frame *frame, long long step)
{
    const int n2 = 2 * a->field->system->n;
    double    worst = 0.0, size = 1e-300;
    for (int i = 0; i < n2 && step > 0; i++) {
        size = fmax(size, fabs(a->next[i]));
        worst = fmax(worst, fabs(frame->x[i] - a->next[i]));
    }
    a->here = frame->t;
    if (worst > 1e-12 * size)
        sal_audit_tell(a, SALTUS_AUDIT_RECORD, -1, -1, worst, 1e-12 * size,
                       "the step at t = %.10g does not begin where the one before it ended: the "
                       "states differ by %.3g",
                       frame->t, worst);
}

static saltus_status one_step(sal_auditor *a, long long number, saltus_error *err)
{
    saltus_run *run = a->run;
    sal_frame   frame;
    TRY(sal_run_frame(run, number, &frame, err));
    TRY(sal_sens_poll_progress(run, number, &frame, err));
    check_start(a, &frame, number);
    if (number == 0) {
        TRY(sal_run_load_all_stages(run, &frame, err));
        a->regime = frame.regime;
        sal_audit_look(a, frame.t, frame.x, true);
        sal_audit_arm(a, -1, NULL);
        a->instant = a->starts = true;
    }
    if (frame.h > 0.0) {
        sal_audit_instant(a);
        TRY(sal_run_load_all_stages(run, &frame, err));
        if (sal_step_end(&run->motion.step)) return no_dense_output(&frame, err);
        if (frame.regime->events > 0) TRY(look_along(a, &frame, err));
        memcpy(a->next, run->motion.step.x1, 2 * (size_t)run->system->n * sizeof(double));
    }
    return frame.occurrence >= 0 ? sal_audit_event(a, &frame, err) : SALTUS_OK;
}

static saltus_status go_over(sal_auditor *a, sal_arena *scratch, saltus_error *err)
{
    const saltus_system *system = a->run->system;
    const int            n = system->n;
    const int            state = 2 * n + system->nm_user;
    a->guard = ARENA_NEW(scratch, system->events, sal_audited);
    a->x = ARENA_NEW(scratch, 2 * n, double);
    a->k = ARENA_NEW(scratch, 2 * n, double);
    a->next = ARENA_NEW(scratch, 2 * n, double);
    a->near = ARENA_NEW(scratch, 2 * n, double);
    a->kept = ARENA_NEW(scratch, 2 * n, double);
    a->du = ARENA_NEW(scratch, system->layout.size, double);
    a->bar = ARENA_NEW(scratch, system->layout.size, double);
    a->scratch = ARENA_NEW(scratch, state + system->nmu, double);
    a->values = ARENA_NEW(scratch, state, double);
    if (!sal_audit_contacts_init(a, scratch) || scratch->failed) return sal_fail_memory(err);
    a->audit.events = a->run->history.shown.count;
    for (long long step = 0; step < a->run->end.step && !a->stop; step++)
        TRY(one_step(a, step, err));
    sal_audit_instant(a);
    sal_audit_contacts_end(a);
    return SALTUS_OK;
}

saltus_status saltus_run_audit(saltus_run *run, saltus_audit_function finding, void *context,
                               saltus_audit *audit, saltus_error *err)
{
    HOLD_HOST;
    sal_arena scratch;
    TRY(sal_run_ready(run, err));
    sal_arena_init(&scratch, &run->arena.allocator);
    /* borrows the locator's field, which is free between steps, with its factorisations */
    sal_auditor a = {.run = run, .field = &run->locator.field, .tell = finding, .context = context};
    const saltus_status status = go_over(&a, &scratch, err);
    sal_arena_free(&scratch);
    if (audit) *audit = a.audit;
    return status;
}
