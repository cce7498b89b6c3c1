/* Gradients by one method. */
#include "gradients.h"

#include <stdlib.h>

#include "text.h"

cli_gradients cli_gradients_compute(cli_session *s, saltus_method method)
{
    const size_t  np = (size_t)s->params.count;
    cli_gradients g = {.method = method};
    g.cost = cli_alloc((size_t)s->costs.count * np, sizeof(double));
    g.time = cli_alloc((size_t)s->events * np, sizeof(double));
    g.end = cli_alloc(np, sizeof(double));
    /* To the library no list means all of them: without a parameter there is nothing to ask. */
    if (s->params.count == 0) return g;
    const saltus_request request = {.method = method,
                                    .costs = s->costs.index,
                                    .cost_count = s->costs.count,
                                    .params = s->params.index,
                                    .param_count = s->params.count};
    char                *label = cli_format("gradient by %s", saltus_method_name(method));
    cli_progress_begin(&s->progress, label, s->arguments->quiet);
    const double start = cli_seconds();
    saltus_run_gradients(s->run, &request, g.cost, g.time, g.end, &g.error);
    g.seconds = cli_seconds() - start;
    cli_progress_end(&s->progress);
    free(label);
    return g;
}

void cli_gradients_free(cli_gradients *g)
{
    free(g->cost);
    free(g->time);
    free(g->end);
}
