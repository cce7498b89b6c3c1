/* What the sliders of a report are checked by: true costs at some places of each of them. */
#include <math.h>
#include <stdlib.h>

#include "json_result.h"
#include "pool.h"
#include "report.h"

enum { PLACES = 6 };
/* How far a slider goes, as a part of its parameter, and the places, as parts of that. */
static const double REACH = 0.05, PLACE[PLACES] = {-1.0, -0.5, -0.25, 0.25, 0.5, 1.0};
/* Models that take more steps than that for all of it are not simulated again. */
static const double MAX_STEPS = 2e6;

typedef struct truth {
    const cli_session *session;
    saltus_run       **run;  /* of each worker */
    double            *cost; /* [param][place][cost]; NAN: there is no such motion */
    char              *same; /* [param][place]: the events are those of the report */
} truth;

/* By how much the slider of a parameter changes it at a place: less where its bounds are near. */
static double change_at(const saltus_param_info *p, double place)
{
    const double size = REACH * (p->value != 0.0 ? fabs(p->value) : 1.0);
    const double room = place > 0.0 ? p->upper - p->value : p->value - p->lower;
    return place * fmin(size, fmax(room, 0.0));
}

static void simulate_at(void *context, int worker, int index)
{
    truth                  *t = context;
    const cli_session      *s = t->session;
    const int               param = s->params.index[index / PLACES];
    const saltus_param_info info = saltus_system_param(s->system, param);
    double                 *cost = t->cost + (size_t)index * (size_t)s->size.costs;
    CLI_OWNED double       *values = cli_alloc((size_t)s->size.params, sizeof *values);
    saltus_error            err = {0};
    for (int i = 0; i < s->size.costs; i++) cost[i] = NAN;
    for (int i = 0; i < s->size.params; i++) values[i] = saltus_system_param(s->system, i).value;
    values[param] += change_at(&info, PLACE[index % PLACES]);
    if (!t->run[worker] && !cli_interrupted()) {
        saltus_options options = s->options;
        options.progress = NULL;
        t->run[worker] = saltus_run_new(s->system, &options, &err);
    }
    if (t->run[worker] && !cli_interrupted()) {
        saltus_run_simulate(t->run[worker], values, &err);
        cli_need_memory(&err);
        if (err.status == SALTUS_OK && cli_run_finished(t->run[worker])) {
            saltus_run_costs(t->run[worker], cost, &err);
            t->same[index] = cli_first_other_event(t->run[worker], s->run) < 0;
        }
    }
    cli_need_memory(&err);
}

static json_t *place_json(const truth *t, int k, int place)
{
    const cli_session      *s = t->session;
    const int               index = k * PLACES + place;
    const saltus_param_info info = saltus_system_param(s->system, s->params.index[k]);
    const double           *cost = t->cost + (size_t)index * (size_t)s->size.costs;
    json_t                 *costs = json_array();
    for (int i = 0; i < s->size.costs; i++)
        json_array_append_new(costs, isfinite(cost[i]) ? json_real(cost[i]) : json_null());
    return cli_json_object("place:n change:n same:b costs:j", PLACE[place],
                           change_at(&info, PLACE[place]), t->same[index], costs);
}

json_t *cli_report_truth(cli_session *s)
{
    const int    np = s->params.count, threads = s->arguments->threads;
    const double steps = (double)saltus_run_get_info(s->run)->steps;
    json_t      *params = json_array();
    if (np == 0 || s->size.costs == 0 || !cli_run_finished(s->run) ||
        steps * np * PLACES > MAX_STEPS) {
        json_decref(params);
        return json_null();
    }
    truth t = {.session = s,
               .run = cli_alloc((size_t)threads, sizeof *t.run),
               .cost = cli_alloc((size_t)(np * PLACES) * (size_t)s->size.costs, sizeof *t.cost),
               .same = cli_alloc((size_t)(np * PLACES), 1)};
    cli_session_progress(s, "true costs for the sliders");
    cli_pool_run(threads, np * PLACES, simulate_at, &t);
    cli_progress_end(&s->progress);
    for (int k = 0; k < np; k++) {
        json_t *places = json_array();
        for (int i = 0; i < PLACES; i++) json_array_append_new(places, place_json(&t, k, i));
        json_array_append_new(params, places);
    }
    for (int i = 0; i < threads; i++) saltus_run_free(t.run[i]);
    free(t.same);
    free(t.cost);
    free(t.run);
    return params;
}
