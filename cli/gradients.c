/* Gradients by one method. */
#include "gradients.h"

#include <math.h>
#include <stdlib.h>

#include "text.h"

saltus_request cli_gradients_request(const cli_session *s, saltus_method method)
{
    return (saltus_request){
        .method = method, .params = s->params.index, .param_count = s->params.count};
}

saltus_method cli_gradients_method(const cli_session *s, saltus_method method)
{
    const saltus_request request = cli_gradients_request(s, method);
    return saltus_run_method(s->run, &request, s->arguments->event_times);
}

cli_gradients cli_gradients_room(const cli_session *s, saltus_method method, cli_times times)
{
    const size_t  np = (size_t)s->params.count;
    cli_gradients g = {.method = cli_gradients_method(s, method)};
    g.cost = cli_alloc((size_t)s->size.costs * np, sizeof(double));
    if (times == CLI_ALL_TIMES) g.time = cli_alloc((size_t)s->events * np, sizeof(double));
    if (times != CLI_NO_TIMES) g.end = cli_alloc(np, sizeof(double));
    return g;
}

cli_gradients cli_gradients_on(const cli_session *s, saltus_run *run, saltus_method method,
                               cli_times times)
{
    cli_gradients g = cli_gradients_room(s, method, times);
    /* The library takes an empty list as all parameters, so it must not be called with one. */
    if (s->params.count == 0) return g;
    const saltus_request request = cli_gradients_request(s, method);
    const double         start = cli_cpu_seconds();
    saltus_run_gradients(run, &request, g.cost, g.time, g.end, &g.error);
    g.seconds = cli_cpu_seconds() - start;
    if (!g.error.status) g.method = saltus_run_method_used(run);
    return g;
}

int cli_gradients_passes(const cli_session *s, saltus_method method, cli_times times)
{
    enum { AT_ONCE = 16 };       /* directions that the library treats at once */
    enum { RUNS_PER_PARAM = 6 }; /* runs that finite differences take */
    const int forward = s->params.count;
    int       rows = s->size.costs + (times != CLI_NO_TIMES);
    if (times == CLI_ALL_TIMES) rows += s->events;
    if (method == SALTUS_FD) return 1 + RUNS_PER_PARAM * forward;
    if (method == SALTUS_DIRECT || (times == CLI_ALL_TIMES && forward < rows)) rows = forward;
    return (rows + AT_ONCE - 1) / AT_ONCE;
}

cli_gradients cli_gradients_compute(cli_session *s, saltus_method method, cli_times times)
{
    const saltus_method meant = cli_gradients_method(s, method);
    CLI_OWNED char     *label = cli_format("gradient by %s", saltus_method_name(meant));
    cli_progress_begin(&s->progress, label);
    cli_progress_passes(&s->progress, cli_gradients_passes(s, meant, times));
    const cli_gradients g = cli_gradients_on(s, s->run, method, times);
    cli_progress_end(&s->progress);
    cli_session_take_warnings(s);
    return g;
}

void cli_gradients_free(cli_gradients *g)
{
    free(g->cost);
    free(g->time);
    free(g->end);
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* The tolerance of gradients. Errors of the motion grow, most of all at events, by up to three
 * decades; a method with larger errors would be wrong. */
static double gradient_tolerance(const cli_session *s)
{
    return fmax(1e3 * fmax(s->options.rtol, s->options.atol), 1e-9);
}

double cli_gradient_scale(const cli_session *s, const double *row, double value)
{
    double scale = fmax(1e-3, 1e-9 / gradient_tolerance(s)); /* 1e-9 is the least difference */
    for (int k = 0; k < s->params.count; k++) {
        const double param = saltus_system_param(s->system, s->params.index[k]).value;
        scale = fmax(scale, fabs(value) / fmax(fabs(param), 1.0));
    }
    for (int k = 0; k < s->params.count; k++) scale = fmax(scale, fabs(row[k]));
    return scale;
}

double cli_param_size(const cli_session *s, int place)
{
    const double value = fabs(saltus_system_param(s->system, s->params.index[place]).value);
    return value > 0.0 ? value : 1.0;
}
