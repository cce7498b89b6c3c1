/* A model and the same model told, or computed, in another way: the same events, the same numbers.
 *
 * Each is simulated at a tolerance and at a hundredth of it. What the two may differ by follows
 * from that: from how much each changes with the tolerance, and from how far the costs carry an
 * error of the state,
 *
 *     |f - f'| <= d + d' + 10 tol K,     d, d' = change from the tolerance to a hundredth of it,
 *     K = |f| + largest of sum |lambda| (1 + |x|) along the motion,   lambda the adjoint of f,
 *
 * and no change with the tolerance may itself be larger than (steps) tol K. For event times the
 * cost is their sum. */
#ifndef METAMORPHIC_H
#define METAMORPHIC_H

#include <stdbool.h>

#include <saltus/saltus.h>

#include "disguises.h"
#include "test.h"

enum { SAME_TEXT = 1 << 17, SAME_COSTS = 32, SAME_PARAMS = 32, SAME_EVENTS = 2000, SAME_ROWS = 33 };
#define SAME_TOL 1e-9

/* One way to tell or to compute a model. */
typedef struct change {
    const char *name, *prelude;
    double      shift, scale;         /* of time, or of the quantity the prelude scales */
    double      max_step, first_step; /* parts of the horizon; 0: as they are */
    bool        scales_time, dopri5, reverse_coordinates, reverse_events;
} change;

/* What came out at one tolerance. */
typedef struct outcome_of {
    saltus_outcome outcome;
    double         t, cost[SAME_COSTS], gradient[SAME_COSTS * SAME_PARAMS];
    int            events, steps;
    double         time[SAME_EVENTS];
    char           name[SAME_EVENTS][32];
    bool           has_gradient, warned;
    char           message[200];
} outcome_of;

/* A model, told in one way, at two tolerances. */
typedef struct telling {
    saltus_error   err;
    saltus_system *system;
    saltus_size    size;
    outcome_of     loose, tight;
    double         carried[SAME_COSTS]; /* K of each cost */
} telling;

typedef struct reach {
    const saltus_size *size;
    double             largest;
} reach;

/* ---- the text ------------------------------------------------------------------------------- */

static bool begins_coordinate(const char *line)
{
    return !strncmp(line, "local ", 6) && strstr(line, " = coordinate(") &&
           strstr(line, " = coordinate(") < line + strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

/* Neighbouring lines that declare coordinates, in the opposite order. False: there are none. */
static bool reverse_coordinate_lines(const char *text, char *out)
{
    const char *block[64];
    bool        changed = false;
    *out = '\0';
    while (*text) {
        int count = 0;
        while (*text && begins_coordinate(text) && count < 64) {
            block[count++] = text;
            text = next_line(text);
        }
        for (int i = count - 1; i >= 0; i--)
            strncat(out, block[i], (size_t)(next_line(block[i]) - block[i]));
        changed = changed || count > 1;
        if (count) continue;
        strncat(out, text, (size_t)(next_line(text) - text));
        text = next_line(text);
    }
    return changed;
}

/* The script in other words; false if this change does not apply to it. The sum of the times of
 * events is one more cost, by which the effect of errors on them is judged. */
static bool disguise(const char *script, const change *c, char *out)
{
    static char body[SAME_TEXT];
    const char *text = script;
    if (c->reverse_coordinates) {
        if (!reverse_coordinate_lines(script, body)) return false;
        text = body;
    }
    const int length =
        snprintf(out, SAME_TEXT, "local shift_, scale_ = %.17g, %.17g %s%s%s", c->shift, c->scale,
                 c->prelude ? c->prelude : "",
                 strstr(script, "event(")
                     ? "local told_, tell_ = event, false local function event(n, o) "
                       "local c = {} for k, v in pairs(o) do c[k] = v end c.charge = {} "
                       "for k, v in pairs(o.charge or {}) do c.charge[k] = v end "
                       "c.charge['times of events'] = t "
                       "if not tell_ then cost('times of events') tell_ = true end "
                       "return told_(n, c) end "
                     : "",
                 text);
    return length < SAME_TEXT;
}

/* ---- running -------------------------------------------------------------------------------- */

static saltus_system *compile_text(const char *text, saltus_error *err)
{
    saltus_model  *model = saltus_model_load_text("script.lua", text, strlen(text), NULL, err);
    saltus_system *system = saltus_system_compile(model, err);
    saltus_model_free(model);
    return system;
}

static int watch_reach(void *context, const saltus_adjoint_row *row)
{
    reach *r = context;
    double sum = 0.0;
    for (int i = 0; i < r->size->coordinates; i++)
        sum += fabs(row->lambda_q[i]) * (1.0 + fabs(row->at.q[i])) +
               fabs(row->lambda_v[i]) * (1.0 + fabs(row->at.v[i]));
    if (isfinite(sum)) r->largest = fmax(r->largest, sum);
    return 0;
}

/* How far each cost carries an error of the state. */
static void find_reach(telling *told, saltus_run *run, double start)
{
    double       times[SAME_ROWS];
    const double end = told->tight.t;
    for (int i = 0; i < SAME_ROWS; i++) times[i] = start + (end - start) * (i + 0.5) / SAME_ROWS;
    for (int k = 0; k < told->size.costs; k++) {
        saltus_error err = {0};
        reach        r = {&told->size, 0.0};
        saltus_run_adjoints(run, k, times, SAME_ROWS, watch_reach, &r, &err);
        told->carried[k] = fabs(told->tight.cost[k]) + r.largest;
    }
}

static void keep_events(const telling *told, saltus_run *run, outcome_of *o)
{
    const saltus_run_info *info = saltus_run_get_info(run);
    o->events = 0;
    for (int i = 0; i < info->events && o->events < SAME_EVENTS; i++) {
        const saltus_occurrence e = saltus_run_event(run, i);
        if (saltus_system_event(told->system, e.event).automatic) continue;
        snprintf(o->name[o->events], sizeof o->name[0], "%s", e.name);
        o->time[o->events++] = e.t;
    }
}

static void keep_outcome(const telling *told, saltus_run *run, outcome_of *o, saltus_error *err)
{
    const saltus_run_info *info = saltus_run_get_info(run);
    const saltus_request   request = {.method = SALTUS_DISCRETE};
    saltus_error           none = {0};
    o->outcome = info->outcome;
    o->t = info->t;
    o->steps = (int)info->steps;
    snprintf(o->message, sizeof o->message, "%s", info->message);
    for (int i = 0; i < info->warnings; i++)
        o->warned = o->warned || strstr(saltus_run_warning(run, i), "graz") ||
                    strstr(saltus_run_warning(run, i), "touched");
    keep_events(told, run, o);
    saltus_run_costs(run, o->cost, err);
    o->has_gradient = info->outcome <= SALTUS_TERMINAL_EVENT &&
                      !saltus_run_gradients(run, &request, o->gradient, NULL, NULL, &none);
}

static void set_options(saltus_options *o, const change *c, double tol, double length)
{
    o->rtol = o->atol = tol;
    o->rest_speed = 1e-4; /* so that contacts rest at the same bounce at all tolerances */
    o->backend = SALTUS_INTERP;
    if (c->max_step > 0.0) o->max_step = c->max_step * length;
    if (c->first_step > 0.0) o->first_step = c->first_step * length;
    if (c->dopri5) o->integrator = SALTUS_DOPRI5;
    o->max_steps = 100000;
}

/* length: of the horizon, as this telling counts it. */
static bool tell(telling *told, const char *text, const change *c, double length)
{
    memset(told, 0, sizeof *told);
    told->system = compile_text(text, &told->err);
    if (told->err.status) return false;
    told->size = saltus_system_size(told->system);
    if (told->size.costs > SAME_COSTS || told->size.params > SAME_PARAMS) return false;
    for (int tight = 0; tight < 2; tight++) {
        saltus_options options = saltus_system_options(told->system);
        const char    *end;
        double         start;
        set_options(&options, c, tight ? SAME_TOL / 100.0 : SAME_TOL, length);
        saltus_system_horizon(told->system, &start, &end);
        saltus_run *run = saltus_run_new(told->system, &options, &told->err);
        saltus_run_simulate(run, NULL, &told->err);
        if (!told->err.status)
            keep_outcome(told, run, tight ? &told->tight : &told->loose, &told->err);
        if (!told->err.status && tight) find_reach(told, run, start);
        saltus_run_free(run);
    }
    return !told->err.status;
}

static void forget(telling *told)
{
    saltus_system_free(told->system);
    told->system = NULL;
}

#endif
