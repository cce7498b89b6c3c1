/* The values of one parameter between which the sequence of events holds: see saltus/sim.h.
 *
 * Newton's method on the smallest clearance, from the inside: each simulation that still has the
 * events is the place from which the next step is taken, each that does not bounds the search. If a
 * step went too far, a little less of it is tried, then the middle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "gradient/clearances.h"
#include "gradient/gradients.h"
#include "gradient/requests.h"
#include "gradient/rows.h"
#include "saltus/saltus.h"

enum { MAX_LOOKS = 120 };
static const double CLOSE = 3e-11; /* relative distance of two sides of an end */
static const double FAR = 1e3, FIRST = 0.5, GROW = 4.0; /* how far steps go without a clearance */

/* The search for one end. */
typedef struct search {
    saltus_run *run, *probe; /* as it was asked about, and the one that is simulated */
    double     *params;
    int         param;
    double      base, way;  /* the value to begin with, and the direction: +1 or -1 */
    double      bound;      /* distance from base that is the bound of the parameter, or INFINITY */
    double inside, outside; /* distances from base: the sequence holds; it does not, INFINITY */
    double step;            /* from inside to where a clearance would be zero, INFINITY */
    char   next[SALTUS_TRUST_TEXT];   /* what that clearance is about */
    char   beyond[SALTUS_TRUST_TEXT]; /* what is wrong outside, as far as is known */
} search;

/* ---- clearances in one direction ------------------------------------------------------------ */

/* The smallest step to a zero of a clearance, linearly. */
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

/* Looks where the clearances of a run lead to. Where they have no gradients, they lead nowhere. */
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

/* Says how the events of the probe differ. */
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
    if (b->outcome.info.outcome != SALTUS_END && b->outcome.info.outcome != SALTUS_TERMINAL_EVENT)
        snprintf(s->beyond, sizeof s->beyond, "%.200s", text);
    else if (was && is)
        snprintf(s->beyond, sizeof s->beyond, "event %d is '%.90s' instead of '%.90s'", i + 1, is,
                 was);
    else if (!was && !is)
        snprintf(s->beyond, sizeof s->beyond, "an event meets a sample or a node of a control");
    else if (was) snprintf(s->beyond, sizeof s->beyond, "event %d, '%.160s', is gone", i + 1, was);
    else snprintf(s->beyond, sizeof s->beyond, "event %d, '%.160s', is new", i + 1, is ? is : "?");
}

/* Simulates at a distance from the base, which becomes inside or outside. */
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
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted while ends were sought");
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

/* How close both sides of an end are when it is found. */
static double close_to(const search *s, double distance)
{
    return CLOSE * fmax(scale_of(s), distance);
}

/* The distance to look at next; before: the last one. */
static double choose(const search *s, double before)
{
    const double target = s->inside + s->step, close = close_to(s, s->inside);
    const double most = s->inside + fmax(FIRST * scale_of(s), (GROW - 1.0) * s->inside);
    if (!isfinite(s->outside)) {
        /* a little beyond: what follows is as close to the end as can be */
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

/* Whether nothing more is to be found out. */
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
        /* outside, the step is still that from there; where the clearance led to, it may be too
         * small to be seen */
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
    s.probe = sal_run_make(run->system, &run->options, err);
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
