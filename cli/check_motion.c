/* Checks of the motion itself, which all gradients share: its events are audited, and it is
 * simulated in another way. */
#include <math.h>

#include "check.h"
#include "text.h"

/* ---- the auditor ---------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [SALTUS_AUDIT_MISSED] = "no event missed",      [SALTUS_AUDIT_UNEXPLAINED] = "events explained",
    [SALTUS_AUDIT_TIME] = "events on their guards", [SALTUS_AUDIT_BRANCH] = "branches of kinks",
    [SALTUS_AUDIT_JUMP] = "jumps obey their laws",  [SALTUS_AUDIT_MODE] = "modes follow events",
    [SALTUS_AUDIT_RECORD] = "steps follow events",  [SALTUS_AUDIT_CONTACT] = "complementarity",
};
enum { MAX_TOLD = 8 };

static int take_finding(void *context, const saltus_audit_finding *f)
{
    cli_findings *findings = context;
    cli_findings_add(findings, kinds[f->kind], "", f->value, f->allowed, CLI_FAIL, "%s", f->text);
    return cli_findings_count(findings, CLI_FAIL) >= MAX_TOLD;
}

/* Reports how closely all conditions of contacts hold. */
static void pass_contacts(const saltus_audit *audit, cli_findings *findings)
{
    const saltus_audit_contact *c = &audit->contact;
    CLI_OWNED char *closest = c->name && c->value > 0.0 ? cli_format("; closest: '%s' %s, t = %.6g",
                                                                     c->name, c->what, c->t)
                                                        : cli_copy("");
    if (audit->conditions > 0)
        cli_findings_add(findings, "complementarity", "", c->value, c->allowed, CLI_PASS,
                         "%lld conditions of contacts hold%s", audit->conditions, closest);
}

void cli_check_events(cli_session *s, cli_findings *findings)
{
    saltus_audit audit = {0};
    if (s->error.status) return;
    cli_check_stage(s, CLI_STAGE_EVENTS);
    saltus_run_audit(s->run, take_finding, findings, &audit, &s->error);
    if (s->error.status || audit.findings > 0 || saltus_system_size(s->system).events == 0) return;
    cli_findings_add(findings, "events", "", 0.0, 0.0, CLI_PASS,
                     "every guard at %lld places: %d %s, none missed", audit.looks, audit.events,
                     audit.events == 1 ? "event" : "events");
    pass_contacts(&audit, findings);
}

/* ---- another way ---------------------------------------------------------------------------- */

static char *event_text(const saltus_run *run, int i)
{
    const saltus_run_info *info = saltus_run_get_info(run);
    if (i >= info->events) return cli_format("none (until t = %.10g)", info->t);
    const saltus_occurrence o = saltus_run_event(run, i);
    return cli_format("'%s' at t = %.10g", o.name, o.t);
}

/* Simulates with the other integrator and other steps: the longest is a fraction of the horizon
 * that fits no grid, and the first one is much shorter than usual. */
static cli_level simulate_differently(const cli_evidence *e, double tolerance)
{
    const cli_session *s = e->session;
    saltus_options     o = cli_options_at(e, tolerance);
    const double longest = 0.0193648 * (saltus_run_get_info(s->run)->t - cli_session_start(s));
    o.integrator = o.integrator == SALTUS_DOP853 ? SALTUS_DOPRI5 : SALTUS_DOP853;
    if (longest > 0.0) {
        o.max_step = o.max_step > 0.0 ? fmin(0.717 * o.max_step, longest) : longest;
        o.first_step = 1e-3 * o.max_step;
    }
    if (o.max_steps < 100000000) o.max_steps *= 64;
    cli_level level = {.tolerance = tolerance, .options = o};
    cli_level_simulate(s, &level);
    return level;
}

/* The values of a cost or of the time of an event in all motions. */
typedef struct values {
    double here, finer, other, coarser; /* coarser: the other way, at a coarser tolerance */
    double scale, rounding;
} values;

typedef struct judged {
    double value, allowed, ratio;
    int    index;
} judged;

/* Judges the difference of the other way from the finer level. Allowed are the change from `here`,
 * which is the coarser level, to the finer one, the change of the other way at a coarser tolerance,
 * and the effect of the tolerance. */
static judged judge(const cli_evidence *e, const values *v, double tolerance, int index)
{
    const double off = fabs(v->other - v->finer);
    const double allowed = fabs(v->here - v->finer) + 10.0 * fabs(v->other - v->coarser) +
                           1e2 * fmax(tolerance, cli_evidence_tolerance(e)) * v->scale +
                           v->rounding;
    return (judged){off, allowed, off == 0.0 ? 0.0 : off / allowed, index};
}

/* The scale of a cost: the effect of relative changes of parameters on its terms, and its terms at
 * the end. Its own value may vanish. */
static double scale_of(const cli_evidence *e, int cost)
{
    const cli_session *s = e->session;
    double             scale = fmax(fabs(s->cost[cost]), e->end[cost]);
    for (int k = 0; e->kappa && k < s->params.count; k++)
        scale = fmax(scale, e->kappa[cost * s->params.count + k] * cli_param_size(s, k));
    return scale;
}

static const double *fine_cost(const cli_evidence *e)
{
    return e->levels ? e->fine.cost : e->session->cost;
}

/* ---- lists of events ------------------------------------------------------------------------ */

/* Two motions; tolerance: that of the less accurate one. */
typedef struct motion_pair {
    const saltus_run *here, *there;
    const double     *cost_here, *cost_there;
    double            tolerance;
} motion_pair;

/* The scale of a cost: its value, its terms, and the effect of relative changes of parameters.
 * Unlike in scale_of, terms that cancel do not contribute. */
static double plain_scale(const cli_evidence *e, int cost)
{
    const cli_session *s = e->session;
    const double      *row = cli_evidence_base(e)->cost;
    double             scale = fmax(fabs(fine_cost(e)[cost]), e->end[cost]);
    for (int k = 0; row && k < s->params.count; k++)
        scale = fmax(scale, fabs(row[cost * s->params.count + k]) * cli_param_size(s, k));
    return scale;
}

/* The largest difference of costs, in units of the effect of the tolerance. */
static double cost_difference(const cli_evidence *e, const motion_pair *t)
{
    const cli_session *s = e->session;
    double             most = 0.0;
    for (int i = 0; i < s->size.costs; i++) {
        const double off = fabs(t->cost_here[i] - t->cost_there[i]);
        const double unit = t->tolerance * plain_scale(e, i) + cli_evidence_rounding(e, i);
        const double ratio = off == 0.0 ? 0.0 : off / unit;
        if (!(ratio <= most)) most = ratio; /* keeps a NaN */
    }
    return most;
}

/* Costs that agree to this many times the tolerance do not depend on an event that only one of the
 * motions has, such as a kink that was barely crossed. */
static const double AGREE = 10.0;

/* Compares the events. Adds a failure if events and costs differ, or if the other motion does not
 * reach its end. how: text about the other simulation. Returns whether the events are equal. */
static int compare_lists(const cli_evidence *e, const motion_pair *t, const char *how,
                         cli_findings *findings)
{
    const int i = cli_first_other_event(t->here, t->there);
    if (i >= 0) {
        CLI_OWNED char *here = event_text(t->here, i), *there = event_text(t->there, i);
        const double    off = cost_difference(e, t);
        const int agree = e->session->size.costs > 0 && off <= AGREE && cli_run_finished(t->there);
        cli_findings_add(findings, "the same events", "", off, AGREE,
                         agree ? CLI_INFORMATION : CLI_FAIL,
                         "%s, event number %d is %s; here it is %s%s", how, i + 1, there, here,
                         agree ? ": no cost depends on it, to the tolerance" : "");
    } else if (!cli_run_finished(t->there)) {
        cli_findings_add(findings, "the same events", "", NAN, NAN, CLI_FAIL, "%s: %s", how,
                         saltus_run_get_info(t->there)->message);
    }
    return i < 0 && cli_run_finished(t->there);
}

/* ---- costs and times ------------------------------------------------------------------------ */

/* Compares costs at the requested tolerance with those at the fine level. */
static void compare_tolerances(const cli_evidence *e, cli_findings *findings)
{
    const cli_session *s = e->session;
    for (int i = 0; i < s->size.costs && e->levels; i++) {
        const double scale = scale_of(e, i), off = fabs(s->cost[i] - fine_cost(e)[i]);
        const double allowed = fmin(0.5, 1e5 * e->asked) * scale + cli_evidence_rounding(e, i);
        cli_findings_compare(findings, "costs as asked", cli_cost_name(s, i),
                             scale > 0.0 ? off / scale : off,
                             scale > 0.0 ? allowed / scale : allowed, "");
    }
}

static void compare_costs(const cli_evidence *e, const cli_level *other, const cli_level *coarser,
                          cli_findings *findings)
{
    const cli_session *s = e->session;
    const double      *coarse = e->levels && !e->coarse.asked ? e->coarse.cost : s->cost;
    for (int i = 0; i < s->size.costs; i++) {
        const values v = {coarse[i],      fine_cost(e)[i],
                          other->cost[i], coarser->run ? coarser->cost[i] : other->cost[i],
                          scale_of(e, i), cli_evidence_rounding(e, i)};
        const judged j = judge(e, &v, other->tolerance, i);
        const double size = v.scale > 0.0 ? v.scale : 1.0;
        cli_findings_compare(findings, "the motion another way", cli_cost_name(s, i),
                             j.value / size, j.allowed / size, "");
    }
}

static void compare_times(const cli_evidence *e, const cli_level *other, const cli_level *coarser,
                          cli_findings *findings)
{
    const cli_session *s = e->session;
    const double       span = saltus_run_get_info(s->run)->t - cli_session_start(s);
    judged             worst = {.index = -1};
    for (int i = 0; i < s->events; i++) {
        const double t = saltus_run_event(s->run, i).t, there = saltus_run_event(other->run, i).t;
        const values v = {e->same ? saltus_run_event(e->coarse.run, i).t : t,
                          saltus_run_event(cli_evidence_run(e), i).t,
                          there,
                          coarser->run ? saltus_run_event(coarser->run, i).t : there,
                          span,
                          0.0};
        const judged now = judge(e, &v, other->tolerance, i);
        if (worst.index < 0 || !(now.ratio <= worst.ratio)) worst = now;
    }
    if (worst.index < 0) return;
    CLI_OWNED char *note = worst.ratio <= 1.0
                               ? cli_copy("")
                               : cli_format("event number %d, %s", worst.index + 1,
                                            saltus_run_event(s->run, worst.index).name);
    cli_findings_compare(findings, "the motion another way", "(event times)", worst.value / span,
                         worst.allowed / span, note);
}

/* Compares the events at the requested tolerance with those of both levels. */
static int compare_levels(const cli_evidence *e, cli_findings *findings)
{
    const cli_session     *s = e->session;
    const cli_level *const levels[] = {&e->coarse, &e->fine};
    for (int i = 0; i < 2; i++) {
        if (!levels[i]->run || levels[i]->asked) continue;
        const motion_pair t = {s->run, levels[i]->run, s->cost, levels[i]->cost, e->asked};
        CLI_OWNED char   *how = cli_format("at tolerance %.1g", levels[i]->tolerance);
        const int         same = compare_lists(e, &t, how, findings);
        if (!same) return 0;
    }
    return 1;
}

/* Compares the motion at the finer level with the motion simulated in another way. */
static void compare_ways(const cli_evidence *e, const cli_level *other, const cli_level *coarser,
                         const char *how, int again, cli_findings *findings)
{
    const motion_pair t = {cli_evidence_run(e), other->run, fine_cost(e), other->cost,
                           other->tolerance};
    const int         same = compare_lists(e, &t, how, findings);
    if (same && again && e->session->events > 0)
        cli_findings_add(findings, "the same events", "", 0.0, 0.0, CLI_PASS, "also %s", how);
    compare_tolerances(e, findings);
    if (!same) return;
    compare_costs(e, other, coarser, findings);
    if (e->same || !e->levels) compare_times(e, other, coarser, findings);
}

/* ---- bounces left out ------------------------------------------------------------------------ */

/* A contact that comes to rest leaves out infinitely many bounces. The error is of the order of the
 * square of the speed of the last one, which follows from the tolerance. At a tenth of that speed,
 * costs must be equal to LEFT_OUT times the tolerance, or to LEFT_OUT_PART. */
static const double LEFT_OUT = 1e3, LEFT_OUT_PART = 1e-6;

/* Finds how much the bounces left out change gradients, an error that all methods share. */
static void differentiate_bounces(cli_evidence *e, const cli_level *slower)
{
    const cli_session *s = e->session;
    const double      *fine = cli_evidence_base(e)->cost;
    cli_gradients      by = cli_gradients_on(s, slower->run, SALTUS_AUTO, CLI_NO_TIMES);
    cli_need_memory(&by.error);
    e->left_out = cli_alloc((size_t)s->size.costs, sizeof *e->left_out);
    for (int i = 0; i < s->size.costs; i++) {
        const int at = i * s->params.count;
        e->left_out[i] = by.error.status ? INFINITY : cli_row_error(s, by.cost + at, fine + at);
    }
    cli_gradients_free(&by);
}

static void check_bounces(cli_evidence *e, cli_findings *findings)
{
    const saltus_run *run = cli_evidence_run(e);
    const double      tolerance = cli_evidence_tolerance(e);
    cli_level         slower = {.tolerance = tolerance, .options = cli_options_at(e, tolerance)};
    slower.options.rest_speed *= 0.1;
    cli_level_simulate(e->session, &slower);
    const int more = slower.run ? saltus_run_get_info(slower.run)->events : 0;
    if (more > saltus_run_get_info(run)->events && cli_run_finished(slower.run)) {
        const motion_pair t = {run, slower.run, fine_cost(e), slower.cost, e->asked};
        const double      off = cost_difference(e, &t);
        const double      allowed = fmax(LEFT_OUT, LEFT_OUT_PART / e->asked);
        cli_findings_add(findings, "bounces left out", "", off, allowed,
                         off <= allowed ? CLI_PASS : CLI_FAIL,
                         "%d more of them change costs by this many times the tolerance",
                         more - saltus_run_get_info(run)->events);
        if (e->levels && e->session->params.count > 0) differentiate_bounces(e, &slower);
    }
    cli_level_free(&slower);
}

static int any_contact_rests(const cli_session *s)
{
    for (int i = 0; i < s->size.contacts; i++)
        if (saltus_system_contact(s->system, i).rests) return 1;
    return 0;
}

void cli_check_motion(cli_evidence *e, cli_findings *findings)
{
    cli_session *s = e->session;
    if (s->error.status || cli_interrupted()) return;
    cli_check_stage(s, CLI_STAGE_MOTION);
    const double tolerance = fmin(fmax(0.1 * e->asked, 1e-11), 1e-7);
    cli_level    other = simulate_differently(e, tolerance),
              coarser = simulate_differently(e, 10.0 * tolerance);
    char            buffer[64];
    CLI_OWNED char *how = cli_format("with %s and steps of at most %.3g at tolerance %.1g",
                                     saltus_options_get(&other.options, "integrator", buffer),
                                     other.options.max_step, tolerance);
    if (coarser.run && cli_first_other_event(cli_evidence_run(e), coarser.run) >= 0) {
        saltus_run_free(coarser.run); /* too coarse to be of use */
        coarser.run = NULL;
    }
    const int again = compare_levels(e, findings);
    if (!other.run)
        cli_findings_add(findings, "the same events", "", NAN, NAN, CLI_NOT_APPLICABLE,
                         "%s it could not be simulated", how);
    else compare_ways(e, &other, &coarser, how, again, findings);
    if (any_contact_rests(s)) check_bounces(e, findings);
    cli_level_free(&other);
    cli_level_free(&coarser);
}
