/* The interval of one parameter in which the sequence of events does not change: see saltus/sim.h.
 *
 * Ends are found by Newton's method on the smallest clearance, from the inside: the next step
 * starts from the last simulation that still has the events; a simulation with other events bounds
 * the search. If a step went too far, a slightly shorter one is tried, then the middle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "gradient/clearances.h"
#include "gradient/gradients.h"
#include "gradient/output_rows.h"
#include "gradient/requests.h"
#include "saltus/saltus.h"

enum { MAX_LOOKS = 120 };
static const double CLOSE = 3e-11; /* relative distance of two sides of an end */
static const double FAR = 1e3, FIRST = 0.5, GROW = 4.0; /* how far steps go without a clearance */

/* The search for one end. */
typedef struct search {
    saltus_run *run, *probe; /* the original run, and the one for simulations */
    double     *params;
    int         param;
    double      base, way;  /* initial value of the parameter; direction of the search: +1 or -1 */
    double      bound;      /* distance from base to the bound of the parameter, or INFINITY */
    double inside, outside; /* distances from base at which the events are the same, and at which
                               they differ (INFINITY: not known) */
    double step;            /* predicted distance from inside to a zero clearance, or INFINITY */
    char   next[SALTUS_TRUST_TEXT];   /* text of the clearance for `step` */
    char   beyond[SALTUS_TRUST_TEXT]; /* how the events differ outside */
} search;

/* ---- clearances in one direction ------------------------------------------------------------ */

/* Keeps the smallest step to a zero of a clearance, by its derivative. */
static int note_clearance(void *context, const saltus_clearance *clearance)
{
    search      *s = context;
    const double slope = s->way * clearance->gradient[0];
    if (!(slope < 0.0) || clearance->kind == SALTUS_CLEAR_PEAK) return 0; /* no events change */
    const double step = fmax(0.0, clearance->value) / -slope;
    if (!(step < s->step)) return 0;
    s->step = step;
    snprintf(s->next, sizeof s->next, "%s", clearance->text);
    return 0;
}

/* Predicts the step to the next change of events from the clearances of a run; INFINITY if they
 * have no gradients. */
static saltus_status predict(search *s, saltus_run *run, saltus_error *err)
{
    saltus_error own = {0};
    s->step = INFINITY;
    saltus_run_clearances(run, &s->param, 1, note_clearance, s, &own);
    if (own.status == SALTUS_ERR_MEMORY || own.status == SALTUS_ERR_INTERRUPTED)
        return sal_fail(err, own.status, "%s", own.message);
    return SALTUS_OK;
}

/* ---- simulations ---------------------------------------------------------------------------- */

/* Describes how the events of the probe differ. */
static void describe(search *s)
{
    const saltus_run *a = s->run, *b = s->probe;
    const char       *text = b->outcome.info.message;
    int               i = 0;
    while (i < a->history.shown.count && i < b->history.shown.count &&
           saltus_run_event(a, i).event == saltus_run_event(b, i).event)
        i++;
    const char *was = i < a->history.shown.count ? saltus_run_event(a, i).name : NULL;
    const char *is = i < b->history.shown.count ? saltus_run_event(b, i).name : NULL;
    if (!sal_run_is_complete(b)) snprintf(s->beyond, sizeof s->beyond, "%.200s", text);
    else if (was && is)
        snprintf(s->beyond, sizeof s->beyond, "event %d is '%.90s' instead of '%.90s'", i + 1, is,
                 was);
    else if (!was && !is)
        snprintf(s->beyond, sizeof s->beyond, "an event meets a sample or a node of a control");
    else if (was) snprintf(s->beyond, sizeof s->beyond, "event %d, '%.160s', is gone", i + 1, was);
    else snprintf(s->beyond, sizeof s->beyond, "event %d, '%.160s', is new", i + 1, is ? is : "?");
}

/* Simulates at a distance from base, and makes this distance `inside` or `outside`. */
static saltus_status look(search *s, double distance, saltus_error *err)
{
    saltus_error own = {0};
    bool         same = false;
    s->params[s->param] = s->base + s->way * distance;
    const saltus_status status = sal_probe_simulate(s->probe, s->run, s->params, &own);
    s->params[s->param] = s->base;
    if (status == SALTUS_ERR_MEMORY || status == SALTUS_ERR_INTERRUPTED)
        return sal_fail(err, status, "%s", own.message);
    if (status == SALTUS_OK && s->probe->outcome.info.outcome == SALTUS_INTERRUPTED)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted during the search for the ends");
    if (status != SALTUS_OK) snprintf(s->beyond, sizeof s->beyond, "%.200s", own.message);
    else if (!(same = sal_same_events(s->run, s->probe) && sal_same_places(s->run, s->probe)))
        describe(s);
    if (!same) {
        s->outside = distance;
        return SALTUS_OK;
    }
    s->inside = distance;
    return predict(s, s->probe, err);
}

/* ---- one end -------------------------------------------------------------------------------- */

static double scale_of(const search *s) { return s->base != 0.0 ? fabs(s->base) : 1.0; }

/* The distance between inside and outside at which the search ends. */
static double close_to(const search *s, double distance)
{
    return CLOSE * fmax(scale_of(s), distance);
}

/* The distance of the next simulation; before: that of the last one. */
static double choose(const search *s, double before)
{
    const double target = s->inside + s->step, close = close_to(s, s->inside);
    const double most = s->inside + fmax(FIRST * scale_of(s), (GROW - 1.0) * s->inside);
    if (!isfinite(s->outside)) {
        /* go a little beyond the end: this bounds it as closely as possible */
        const double next = s->step <= close ? s->inside + close : target;
        return fmin(fmin(next, most), s->bound);
    }
    const double middle = 0.5 * (s->inside + s->outside);
    if (!(target < s->outside + close)) return middle;
    if (s->step <= close) return fmin(s->inside + close, middle);
    const double less = s->inside + 0.9 * s->step;
    const bool   tried = before == s->outside && fabs(less - before) < 0.05 * s->step;
    if (target < s->outside - 0.5 * close) return target;
    return tried || !(less < s->outside) ? middle : less;
}

/* Whether the search is finished: the end is enclosed, at the bound, or too far away. */
static bool is_settled(const search *s)
{
    return s->outside - s->inside <= close_to(s, s->inside) || s->inside >= s->bound ||
           (!isfinite(s->outside) && s->inside > FAR * scale_of(s));
}

static saltus_status find_end(search *s, double *value, double *estimate, char *text,
                              saltus_error *err)
{
    double before = 0.0;
    s->inside = 0.0;
    s->outside = INFINITY;
    s->beyond[0] = s->next[0] = 0;
    TRY(predict(s, s->run, err));
    *estimate = s->base + s->way * fmin(s->step, s->bound);
    for (int i = 0; i < MAX_LOOKS && !is_settled(s); i++) {
        const double inside = s->inside, step = s->step;
        char         next[SALTUS_TRUST_TEXT];
        before = choose(s, before);
        memcpy(next, s->next, sizeof next);
        TRY(look(s, before, err));
        /* after a simulation outside, the step from inside still holds; after one exactly at the
         * predicted zero, that clearance may be too small to be found again */
        const bool arrived = s->inside > inside && before == inside + step && s->step > 4.0 * step;
        if (s->inside > inside && !arrived) continue;
        s->step = arrived ? 0.0 : step;
        memcpy(s->next, next, sizeof next);
    }
    if (!isfinite(s->outside)) {
        const bool bounded = s->inside >= s->bound;
        *value = bounded ? s->base + s->way * s->bound : s->way * INFINITY;
        snprintf(text, SALTUS_TRUST_TEXT, "%s", bounded ? "the bound of the parameter" : "");
        return SALTUS_OK;
    }
    const double border = fmin(fmax(s->inside + s->step, s->inside), s->outside);
    const bool   known = s->step <= 1e3 * close_to(s, s->inside);
    *value = s->base + s->way * (known ? border : 0.5 * (s->inside + s->outside));
    snprintf(text, SALTUS_TRUST_TEXT, "%s", known ? s->next : s->beyond);
    return SALTUS_OK;
}

static double bound_of(const search *s)
{
    const saltus_param_info info = saltus_system_param(s->run->system, s->param);
    return fmax(0.0, s->way > 0.0 ? info.upper - s->base : s->base - info.lower);
}

static saltus_status find_both(search *s, saltus_trust *trust, saltus_error *err)
{
    s->base = s->run->params[s->param];
    s->way = -1.0;
    s->bound = bound_of(s);
    TRY(find_end(s, &trust->lower, &trust->lower_estimate, trust->lower_end, err));
    s->way = 1.0;
    s->bound = bound_of(s);
    return find_end(s, &trust->upper, &trust->upper_estimate, trust->upper_end, err);
}

static saltus_status find_all(saltus_run *run, const sal_wanted *wanted, sal_arena *scratch,
                              saltus_trust *found, saltus_error *err)
{
    const size_t np = (size_t)run->system->np;
    search       s = {.run = run, .params = ARENA_NEW(scratch, np, double)};
    if (scratch->failed) return sal_fail_memory(err);
    memcpy(s.params, run->params, np * sizeof *s.params);
    TRY(sal_sens_check(run, err));
    s.probe = sal_run_make_for(run, &run->options, err);
    saltus_status status = s.probe ? SALTUS_OK : err->status;
    for (int i = 0; i < wanted->param_count && status == SALTUS_OK; i++) {
        s.param = wanted->params[i];
        status = find_both(&s, &found[i], err);
    }
    sal_run_free(s.probe);
    return status;
}

saltus_status saltus_run_trust(saltus_run *run, const int *params, int param_count,
                               saltus_trust *trust, saltus_error *err)
{
    HOLD_HOST;
    const saltus_request request = {SALTUS_DIRECT, NULL, 0, params, param_count};
    sal_arena            scratch;
    sal_wanted           wanted;
    saltus_error         mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_ready(run, err));
    if (!trust) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for the ends");
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, &request, &scratch, &wanted, err);
    saltus_trust *found =
        ARENA_NEW(&scratch, status == SALTUS_OK ? wanted.param_count : 0, saltus_trust);
    if (status == SALTUS_OK && !found) status = sal_fail_memory(err);
    if (status == SALTUS_OK) status = find_all(run, &wanted, &scratch, found, err);
    if (status == SALTUS_OK) memcpy(trust, found, (size_t)wanted.param_count * sizeof *trust);
    sal_arena_free(&scratch);
    return status;
}
