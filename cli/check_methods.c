/* Gradients by all methods at two tolerances, and how they must agree. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "pool.h"
#include "text.h"
#include "time_series.h"

/* Rounding: a gradient is a sum of products over all steps, of size kappa. */
static const double ROUNDING = 1e-11;
/* Rounding of a gradient whose terms cancel, relative to its size elsewhere on the motion. */
static const double ROUNDING_LEFT = 1e-13;
/* Error that a method may have however well it converges, in units of tolerance * kappa; at least
 * one unit per event, as each adds its own error. */
static const double TOLERANCES = 1e2;
/* Error of the parts into which the direct method divides a step, in units of tolerance * kappa. */
static const double DIVIDED = 10.0;
/* Factors by which an error may exceed its estimate. */
static const double SAFETY = 3.0, SAFETY_FD = 10.0;
/* Factor by which the error of a gradient may exceed the tolerance. */
static const double DIGITS_LOST = 1e5;

/* ---- levels --------------------------------------------------------------------------------- */

const cli_gradients *cli_evidence_fine(const cli_evidence *e, int method)
{
    return e->levels ? &e->fine.by[method] : &e->by[method];
}

const cli_gradients *cli_evidence_base(const cli_evidence *e)
{
    return cli_evidence_fine(e, e->base);
}

saltus_run *cli_evidence_run(const cli_evidence *e)
{
    return e->levels ? e->fine.run : e->session->run;
}

double cli_evidence_tolerance(const cli_evidence *e)
{
    return e->levels ? e->fine.tolerance : e->asked;
}

double cli_row_error(const cli_session *s, const double *row, const double *truth)
{
    double worst = 0.0, size = 0.0;
    for (int k = 0; k < s->params.count; k++) {
        worst = fmax(worst, fabs(row[k] - truth[k]) * cli_param_size(s, k));
        size = fmax(size, fabs(truth[k]) * cli_param_size(s, k));
    }
    return size > 0.0 ? worst / size : 0.0;
}

double cli_evidence_rounding(const cli_evidence *e, int cost)
{
    return ROUNDING_LEFT * e->size[cost];
}

/* The rounding error of an entry whose exact value may be zero, as where a mass cancels: a part of
 * the largest effect that a relative change of any parameter has. */
static double rounding_left(const cli_evidence *e, int cost, int param)
{
    const cli_session *s = e->session;
    double             most = e->size[cost];
    for (int k = 0; k < s->params.count; k++)
        most = fmax(most, e->slopes[cost * s->params.count + k] * cli_param_size(s, k));
    return ROUNDING_LEFT * most / cli_param_size(s, param);
}

int cli_run_finished(const saltus_run *run)
{
    const saltus_outcome outcome = saltus_run_get_info(run)->outcome;
    return outcome == SALTUS_END || outcome == SALTUS_TERMINAL_EVENT;
}

/* saltus_run_event returns event -1 beyond the last one, so that a missing event differs. */
int cli_first_other_event(const saltus_run *a, const saltus_run *b)
{
    const int x = saltus_run_get_info(a)->events, y = saltus_run_get_info(b)->events;
    for (int i = 0; i < x || i < y; i++)
        if (saltus_run_event(a, i).event != saltus_run_event(b, i).event) return i;
    return -1;
}

static int same_events(const saltus_run *a, const saltus_run *b)
{
    return saltus_run_get_info(a)->outcome == saltus_run_get_info(b)->outcome &&
           cli_first_other_event(a, b) < 0;
}

/* ---- tolerances ----------------------------------------------------------------------------- */

static int larger_state(void *context, const saltus_row *row)
{
    double *size = context;
    for (int i = 0; i < (int)size[0]; i++)
        size[1] = fmax(size[1], fmax(fabs(row->q[i]), fabs(row->v[i])));
    return 0;
}

/* The tolerance, relative to the largest state. Equal tolerances are taken as a relative one. */
static double asked_tolerance(cli_session *s)
{
    const saltus_options *o = &s->options;
    double                size[2] = {s->size.coordinates, 0.0};
    if (o->rtol == o->atol) return o->rtol;
    cli_trajectory_walk(s, s->run, larger_state, size);
    return size[1] > 0.0 ? o->rtol + o->atol / size[1] : o->rtol;
}

saltus_options cli_options_at(const cli_evidence *e, double tolerance)
{
    saltus_options o = e->session->options;
    const double   part = fmax(tolerance / e->asked, 1e-14 / o.rtol);
    o.rtol *= part;
    o.atol *= part;
    o.rest_speed = saltus_run_get_info(e->session->run)->rest_speed; /* keeps the last bounces */
    return o;
}

static void set_level(const cli_evidence *e, cli_level *level, double tolerance)
{
    level->tolerance = tolerance;
    level->options = cli_options_at(e, tolerance);
    if (level->options.max_steps < LLONG_MAX / 64) level->options.max_steps *= 64;
}

void cli_level_simulate(const cli_session *s, cli_level *level)
{
    saltus_error err = {0};
    level->cost = cli_alloc((size_t)s->size.costs, sizeof *level->cost);
    level->run = saltus_run_new(s->system, &level->options, &err);
    saltus_run_simulate(level->run, s->values, &err);
    if (!err.status) saltus_run_costs(level->run, level->cost, &err);
    cli_need_memory(&err);
    if (!err.status) return;
    saltus_run_free(level->run);
    level->run = NULL;
}

static int longer_step(void *context, const saltus_run_step *step)
{
    double *longest = context;
    *longest = fmax(*longest, step->length);
    return 0;
}

/* Simulates at the coarse level, a tolerance of 1e-9 or, if that is less, 100 times the requested
 * one, and at the fine level, a hundredth of it: below 1e-12 there is only rounding. If the
 * requested tolerance is between 1e-10 and 1e-9, the session's run serves as the coarse level. */
static void simulate_levels(cli_evidence *e)
{
    cli_session *s = e->session;
    saltus_error err = {0};
    double       longest = 0.0;
    e->asked = asked_tolerance(s);
    e->coarse.asked = e->asked <= 1.01e-9 && e->asked >= 0.99e-10;
    set_level(e, &e->coarse, e->coarse.asked ? e->asked : fmin(1e-9, 1e2 * e->asked));
    if (e->coarse.asked) e->coarse.run = s->run;
    else cli_level_simulate(s, &e->coarse);
    set_level(e, &e->fine, 1e-2 * e->coarse.tolerance);
    if (e->coarse.run) saltus_run_steps(e->coarse.run, longer_step, &longest, &err);
    cli_need_memory(&err);
    e->fine.options.max_step = 0.4721 * longest; /* steps do not coincide with usual grids */
    cli_level_simulate(s, &e->fine);
    e->levels = e->coarse.run && e->fine.run && same_events(e->coarse.run, e->fine.run);
    e->same = e->levels && same_events(s->run, e->fine.run);
}

/* ---- the gradients -------------------------------------------------------------------------- */

static const saltus_method methods[CLI_CHECK_METHODS] = {
    [CLI_CHECK_DISCRETE] = SALTUS_DISCRETE,
    [CLI_CHECK_TANGENT] = SALTUS_TANGENT,
    [CLI_CHECK_DIRECT] = SALTUS_DIRECT,
    [CLI_CHECK_ADJOINT] = SALTUS_ADJOINT,
    [CLI_CHECK_FD] = SALTUS_FD,
};

/* Gradients to compute: at the requested tolerance, then at the fine and at the coarse level. */
enum { WALKS = 3 * CLI_CHECK_FD };

/* Event times can be compared only if the levels have the events of the session's run. */
static cli_times times_of(const cli_evidence *e)
{
    return e->levels && !e->same ? CLI_NO_TIMES : CLI_ALL_TIMES;
}

/* Computes one gradient. The first worker uses the existing runs; the others repeat the simulation,
 * which gives the same digits. */
static void walk(void *context, int worker, int index)
{
    cli_evidence      *e = context;
    const cli_session *s = e->session;
    const int          method = index % CLI_CHECK_FD;
    cli_level         *level = index < CLI_CHECK_FD       ? NULL
                               : index < 2 * CLI_CHECK_FD ? &e->fine
                                                          : &e->coarse;
    cli_gradients     *to = level ? &level->by[method] : &e->by[method];
    saltus_run        *run = level ? level->run : s->run;
    saltus_error       err = {0};
    if (level && (!e->levels || level->asked)) return;
    if (worker > 0) {
        run = saltus_run_new(s->system, level ? &level->options : &s->options, &err);
        saltus_run_simulate(run, s->values, &err);
        cli_need_memory(&err);
        if (err.status) {
            *to = (cli_gradients){.method = methods[method], .error = err};
            saltus_run_free(run);
            return;
        }
    }
    *to = cli_gradients_on(s, run, methods[method], level ? times_of(e) : CLI_ALL_TIMES);
    cli_need_memory(&to->error);
    if (worker > 0) saltus_run_free(run);
}

/* Computes finite differences of the session's run or, if its events differ at finer tolerances, of
 * the finest one. */
static void compute_differences(cli_evidence *e)
{
    const cli_session *s = e->session;
    cli_gradients     *fd = &e->by[CLI_CHECK_FD];
    *fd = cli_gradients_room(s, SALTUS_FD, times_of(e));
    e->differences = cli_gradients_room(s, SALTUS_FD, times_of(e));
    if (s->params.count == 0) return;
    e->step = cli_alloc((size_t)s->params.count, sizeof *e->step);
    saltus_differences   d = {.gradient = fd->cost,
                              .step = e->step,
                              .time_gradient = fd->time,
                              .end_gradient = fd->end,
                              .gradient_error = e->differences.cost,
                              .time_error = e->differences.time,
                              .end_error = e->differences.end};
    const saltus_request request = cli_gradients_request(s, SALTUS_FD);
    const double         start = cli_cpu_seconds();
    saltus_run_differences(e->same ? s->run : cli_evidence_run(e), &request, &d, &fd->error);
    cli_need_memory(&fd->error);
    fd->seconds = cli_cpu_seconds() - start;
    e->base_differs = d.base_differs;
}

/* Whether there is a gradient at all, tested by one parameter, which is quick. */
static int has_gradient(cli_session *s)
{
    saltus_request request = cli_gradients_request(s, SALTUS_DIRECT);
    if (s->params.count == 0) return 1;
    request.param_count = 1;
    CLI_OWNED double *gradient = cli_alloc((size_t)s->size.costs, sizeof *gradient);
    saltus_run_gradients(s->run, &request, gradient, NULL, NULL, &s->error);
    return s->error.status == SALTUS_OK;
}

/* Whether discrete has no right digit, as the steps of the motion are too long for its derivatives
 * (a motion at rest has the longest): it has not converged, and is far from both methods that
 * control their errors, which agree. The tangent of the steps is as wrong. */
static const double NO_DIGIT = 10.0, AGREE = 1e-3, NOT_CONVERGED = 0.5;

static int is_discrete_lost(const cli_evidence *e)
{
    const cli_session *s = e->session;
    for (int i = 0; i < s->size.costs && e->levels && !s->error.status; i++) {
        const int     at = i * s->params.count;
        const double *discrete = cli_evidence_fine(e, CLI_CHECK_DISCRETE)->cost + at;
        const double *adjoint = cli_evidence_fine(e, CLI_CHECK_ADJOINT)->cost + at;
        const double *direct = cli_evidence_fine(e, CLI_CHECK_DIRECT)->cost + at;
        const double *asked = e->by[CLI_CHECK_DISCRETE].cost + at;
        if (cli_row_error(s, discrete, adjoint) > NO_DIGIT &&
            cli_row_error(s, direct, adjoint) < AGREE &&
            cli_row_error(s, discrete, asked) > NOT_CONVERGED)
            return 1;
    }
    return 0;
}

void cli_evidence_collect(cli_evidence *e)
{
    cli_session *s = e->session;
    cli_check_stage(s, CLI_STAGE_LEVELS);
    const int exists = has_gradient(s);
    if (exists) simulate_levels(e);
    cli_check_stage(s, CLI_STAGE_GRADIENTS);
    if (exists) cli_pool_run(s->arguments->threads, WALKS, walk, e);
    if (exists) e->by_default = cli_gradients_on(s, s->run, SALTUS_AUTO, CLI_NO_TIMES);
    cli_need_memory(&e->by_default.error);
    cli_check_stage(s, CLI_STAGE_DIFFERENCES);
    if (exists) compute_differences(e);
    for (int m = 0; m < CLI_CHECK_METHODS && !exists; m++)
        e->by[m] = (cli_gradients){.method = methods[m], .error = s->error};
    for (int m = 0; m < CLI_CHECK_METHODS; m++) {
        const saltus_error *err = &e->by[m].error;
        const int           essential = m != CLI_CHECK_FD || err->status == SALTUS_ERR_INTERRUPTED;
        if (essential && !s->error.status) s->error = *err;
    }
    if (!s->error.status) s->error = e->by_default.error;
    for (int m = 0; m < CLI_CHECK_FD; m++)
        if (e->fine.by[m].error.status || e->coarse.by[m].error.status) e->levels = e->same = 0;
    e->base = is_discrete_lost(e) ? CLI_CHECK_ADJOINT : CLI_CHECK_DISCRETE;
    if (!cli_interrupted()) return;
    s->error = (saltus_error){0}; /* replaces the failure of a run that was stopped */
    cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted while the gradients were computed");
}

void cli_level_free(cli_level *level)
{
    for (int m = 0; m < CLI_CHECK_FD; m++) cli_gradients_free(&level->by[m]);
    if (!level->asked) saltus_run_free(level->run);
    free(level->cost);
}

void cli_evidence_free(cli_evidence *e)
{
    cli_level_free(&e->coarse);
    cli_level_free(&e->fine);
    cli_gradients_free(&e->differences);
    cli_gradients_free(&e->by_default);
    free(e->kappa);
    free(e->kappa_time);
    free(e->step);
    free(e->size);
    free(e->end);
    free(e->slopes);
    free(e->left_out);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static int is_done(const cli_gradients *g) { return !g->error.status && g->cost; }

/* A row of a gradient: that of a cost, or of the time of an event or of the end. */
typedef struct rows {
    const cli_evidence *e;
    int                 row, times; /* times: 1 for event times and, last, the end */
} rows;

static const double *row_of(const rows *r, const cli_gradients *g)
{
    const int events = r->e->session->events, np = r->e->session->params.count;
    if (!r->times) return g->cost + r->row * np;
    return r->row < events ? g->time + r->row * np : g->end;
}

static double value_of(const rows *r)
{
    const cli_session *s = r->e->session;
    return fabs(r->times ? saltus_run_get_info(s->run)->t : s->cost[r->row]);
}

/* The largest entry of a row, scaled to parameter k: entries are compared by the effect of a
 * relative change of their parameter. */
static double size_of(const rows *r, const double *row, int k)
{
    const cli_session *s = r->e->session;
    double             most = 0.0;
    for (int j = 0; j < s->params.count; j++)
        most = fmax(most, fabs(row[j]) * cli_param_size(s, j));
    return most / cli_param_size(s, k);
}

/* The size to which the errors of an entry are relative: the largest of its terms (along the
 * motion; for times, the largest of earlier events), of the row it is in, and of the quantity
 * itself. */
static double kappa_of(const rows *r, int k)
{
    const cli_evidence *e = r->e;
    const int           np = e->session->params.count;
    const double        sum = (r->times ? e->kappa_time : e->kappa)[r->row * np + k];
    const double        own = value_of(r) / cli_param_size(e->session, k);
    double              row = 0.0;
    const int first = e->base == CLI_CHECK_DISCRETE ? CLI_CHECK_DISCRETE : CLI_CHECK_DIRECT;
    for (int m = first; m < CLI_CHECK_FD && row == 0.0; m++) /* an interrupted check lacks some */
        if (is_done(&e->by[m])) row = size_of(r, row_of(r, &e->by[m]), k);
    return fmax(sum, fmax(own, row));
}

static void find_kappa_of_times(cli_evidence *e, const cli_gradients *by)
{
    const int events = e->session->events, np = e->session->params.count;
    e->kappa_time = cli_alloc((size_t)((events + 1) * np), sizeof *e->kappa_time);
    for (int i = 0; i <= events; i++) {
        const double *row = row_of(&(rows){e, i, 1}, by);
        for (int k = 0; k < np; k++) {
            const double before = i ? e->kappa_time[(i - 1) * np + k] : 0.0;
            e->kappa_time[i * np + k] = fmax(before, fabs(row[k]));
        }
    }
}

static double change_of(const rows *r, int method, int k)
{
    const cli_evidence  *e = r->e;
    const cli_gradients *coarse = e->coarse.asked ? &e->by[method] : &e->coarse.by[method];
    return fabs(row_of(r, coarse)[k] - row_of(r, &e->fine.by[method])[k]);
}

/* The change of a method from the coarse to the fine level, which estimates its error at the coarse
 * one. An entry may hardly change by chance, so the changes of its row contribute. What methods
 * without a right digit do permits nothing. */
static double change(const rows *r, int method, int k)
{
    const cli_session *s = r->e->session;
    const int          lost = r->e->base != CLI_CHECK_DISCRETE && method < CLI_CHECK_DIRECT;
    double             most = 0.0;
    if (!r->e->levels || lost) return 0.0;
    for (int j = 0; j < s->params.count; j++)
        most = fmax(most, change_of(r, method, j) * cli_param_size(s, j));
    return change_of(r, method, k) + 0.3 * most / cli_param_size(s, k);
}

/* Rounding of the terms of an entry, including those that cancel. */
static double rounding(const rows *r, int k)
{
    return ROUNDING * kappa_of(r, k) + (r->times ? 0.0 : rounding_left(r->e, r->row, k));
}

typedef double allowance(const rows *r, int k);

/* The allowance for methods that use the same steps: rounding, and a part of the change of each
 * from level to level, since errors grow within steps that are too long for the tangents. The last
 * part of a step before an event is differentiated in two ways, which differ by the tolerance. */
static double allow_steps(const rows *r, int k)
{
    const double rests = r->e->levels ? 0.0 : r->e->asked;
    return rounding(r, k) + rests * kappa_of(r, k) +
           SAFETY / CLI_SHRINK *
               (change(r, CLI_CHECK_DISCRETE, k) + change(r, CLI_CHECK_TANGENT, k));
}

/* The allowance for the direct method. It uses the same steps, but divides those that are too long
 * for it, so its errors differ by some tolerances. */
static double allow_divided(const rows *r, int k)
{
    return allow_steps(r, k) + DIVIDED * cli_evidence_tolerance(r->e) * kappa_of(r, k) +
           SAFETY / CLI_SHRINK * change(r, CLI_CHECK_DIRECT, k);
}

static double allow_errors(const rows *r, int k)
{
    const double many = fmax(TOLERANCES, r->e->session->events);
    return allow_steps(r, k) + many * cli_evidence_tolerance(r->e) * kappa_of(r, k) +
           SAFETY / CLI_SHRINK * change(r, CLI_CHECK_ADJOINT, k);
}

/* The allowance for the two methods that control their errors. */
static double allow_controlled(const rows *r, int k)
{
    return allow_errors(r, k) + allow_divided(r, k);
}

double cli_evidence_direct_error(const cli_evidence *e, int cost, int param)
{
    const rows r = {e, cost, 0};
    return e->base == CLI_CHECK_DISCRETE ? rounding(&r, param) : allow_divided(&r, param);
}

double cli_evidence_allows(const cli_evidence *e, int cost, int param)
{
    return allow_errors(&(rows){e, cost, 0}, param);
}

/* The allowance for finite differences. Their estimated error may be small by chance; it is at
 * least the rounding error of a run divided by the shortest step. */
static double allow_differences(const rows *r, int k)
{
    const double part = r->e->step[k] / cli_param_size(r->e->session, k) / 16.0;
    return allow_errors(r, k) + 10.0 * DBL_EPSILON / part * kappa_of(r, k) +
           SAFETY_FD * row_of(r, &r->e->differences)[k];
}

/* The allowance for the gradient at the requested tolerance, compared with the fine level:
 * DIGITS_LOST times the tolerance, at most one half. */
static double allow_tolerance(const rows *r, int k)
{
    return rounding(r, k) + fmin(0.5, DIGITS_LOST * r->e->asked) * kappa_of(r, k) +
           SAFETY / CLI_SHRINK * change(r, r->e->base, k);
}

/* The entry of a row that is worst in comparison with what is allowed, relative to the size of the
 * row for its parameter. */
typedef struct worst {
    double value, allowed, ratio;
    int    param, zero;
} worst;

static worst compare_row(const rows *r, const double *a, const double *b, allowance *allow)
{
    worst w = {.ratio = -1.0, .zero = 1};
    for (int k = 0; k < r->e->session->params.count; k++) {
        const double allowed = allow(r, k), d = fabs(a[k] - b[k]);
        const double size = size_of(r, a, k), ratio = d == 0.0 ? 0.0 : d / allowed;
        if (fabs(a[k]) > allowed) w.zero = 0;
        if (ratio <= w.ratio) continue; /* a NaN counts as worst */
        w.ratio = ratio;
        w.value = size > 0.0 ? d / size : d;
        w.allowed = size > 0.0 ? allowed / size : allowed;
        w.param = k;
        if (isnan(ratio)) break;
    }
    return w;
}

typedef struct pair {
    const char          *check;
    const cli_gradients *a, *b;
    allowance           *allow;
} pair;

/* Whether a failure of discrete is no finding: auto avoids it, as the steps are too long for it. */
static int is_avoided(const cli_evidence *e, const pair *p)
{
    const int is_discrete =
        (p->a == &e->by[CLI_CHECK_DISCRETE] && p->allow == allow_tolerance) ||
        (p->b == cli_evidence_fine(e, CLI_CHECK_DISCRETE) && e->base != CLI_CHECK_DISCRETE);
    return is_discrete && is_done(&e->by_default) && e->by_default.method != SALTUS_DISCRETE;
}

static void tell(const cli_evidence *e, const pair *p, const char *cost, const worst *w,
                 cli_findings *findings)
{
    const char *by = cli_param_name(e->session, w->param);
    if (w->ratio <= 1.0)
        cli_findings_add(findings, p->check, cost, w->value, w->allowed, CLI_PASS, "%s",
                         w->zero ? "the gradient is zero to the tolerance" : "");
    else if (is_avoided(e, p))
        cli_findings_add(findings, p->check, cost, w->value, w->allowed, CLI_INFORMATION,
                         "by %s: the steps are too long for discrete; auto takes %s", by,
                         saltus_method_name(e->by_default.method));
    else cli_findings_add(findings, p->check, cost, w->value, w->allowed, CLI_FAIL, "by %s", by);
}

static void compare(const cli_evidence *e, const pair *p, cli_findings *findings)
{
    const cli_session *s = e->session;
    worst              late = {.ratio = -1.0};
    const int          times = s->events > 0 && p->a->time && p->b->time;
    if (!is_done(p->a) || !is_done(p->b)) return;
    for (int i = 0; i < s->size.costs; i++) {
        const rows  r = {e, i, 0};
        const worst w = compare_row(&r, row_of(&r, p->a), row_of(&r, p->b), p->allow);
        tell(e, p, cli_cost_name(s, i), &w, findings);
    }
    for (int i = 0; i <= s->events && times; i++) {
        const rows  r = {e, i, 1};
        const worst w = compare_row(&r, row_of(&r, p->a), row_of(&r, p->b), p->allow);
        if (!(w.ratio <= late.ratio)) late = w;
    }
    if (times) tell(e, p, "(event times)", &late, findings);
}

/* Reports a failure of finite differences. Neighbouring runs may have other events; the run itself
 * may not. */
static void tell_differences(const cli_evidence *e, cli_findings *findings)
{
    const saltus_error *err = &e->by[CLI_CHECK_FD].error;
    if (err->status && err->status != SALTUS_ERR_INTERRUPTED)
        cli_findings_add(findings, "discrete = fd", "", NAN, NAN,
                         e->base_differs ? CLI_FAIL : CLI_NOT_APPLICABLE, "%s", err->message);
}

/* Compares the methods that an interrupted check has computed with the first of them. */
static void compare_what_is_there(cli_evidence *e, cli_findings *findings)
{
    int first = 0;
    while (first < CLI_CHECK_FD && !is_done(&e->by[first])) first++;
    if (first == CLI_CHECK_FD) return;
    find_kappa_of_times(e, &e->by[first]);
    for (int m = first + 1; m < CLI_CHECK_FD; m++) {
        CLI_OWNED char *check = cli_format("%s = %s", saltus_method_name(methods[first]),
                                           saltus_method_name(methods[m]));
        const pair      p = {check, &e->by[first], &e->by[m], allow_errors};
        compare(e, &p, findings);
    }
}

void cli_check_methods(cli_evidence *e, cli_findings *findings)
{
    const cli_gradients *discrete = cli_evidence_fine(e, CLI_CHECK_DISCRETE);
    const cli_gradients *tangent = cli_evidence_fine(e, CLI_CHECK_TANGENT);
    const cli_gradients *direct = cli_evidence_fine(e, CLI_CHECK_DIRECT);
    const cli_gradients *adjoint = cli_evidence_fine(e, CLI_CHECK_ADJOINT);
    const cli_gradients *fd = &e->by[CLI_CHECK_FD], *base = cli_evidence_base(e);
    const pair           by_discrete[] = {
                  {"discrete adjoint = tangent", discrete, tangent, allow_steps},
                  {"discrete = direct", discrete, direct, allow_divided},
                  {"discrete = adjoint", discrete, adjoint, allow_errors},
                  {"discrete = fd", discrete, fd, allow_differences},
    };
    const pair by_adjoint[] = {
        {"adjoint = discrete", adjoint, discrete, allow_errors},
        {"adjoint = direct", adjoint, direct, allow_controlled},
        {"adjoint = fd", adjoint, fd, allow_differences},
    };
    const pair as_asked[] = {
        {"auto as asked", &e->by_default, base, allow_tolerance},
        {"discrete as asked", &e->by[CLI_CHECK_DISCRETE], base, allow_tolerance},
        {"direct as asked", &e->by[CLI_CHECK_DIRECT], base, allow_tolerance},
        {"adjoint as asked", &e->by[CLI_CHECK_ADJOINT], base, allow_tolerance},
    };
    if (cli_interrupted()) {
        compare_what_is_there(e, findings);
        return;
    }
    find_kappa_of_times(e, &e->by[e->base]);
    if (e->base == CLI_CHECK_DISCRETE)
        for (int i = 0; i < 4; i++) compare(e, &by_discrete[i], findings);
    else
        for (int i = 0; i < 3; i++) compare(e, &by_adjoint[i], findings);
    for (int i = 0; i < 4 && e->levels; i++) compare(e, &as_asked[i], findings);
    tell_differences(e, findings);
}
