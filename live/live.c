/* The library inside of a page: what the worker of a live report (web/live_worker.js) calls.
 *
 *     live_file(name, text)...  live_open(arguments)  live_run(values, depth)...
 *
 * One model is open at a time. Answers are JSON, as the page reads it (cli/report.h); they belong
 * to this file and are valid until the next call. Mistakes are answers with "error". */
#include <emscripten.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "numbers.h"
#include "report.h"
#include "text.h"

/* How much live_run computes: the motion and its costs; what the gradient says too. */
enum { LIVE_MOTION, LIVE_GRADIENT };

static struct {
    int           is_open;
    int           count; /* of the words of the command line */
    char        **words;
    cli_arguments arguments;
    cli_session   session;
    json_t       *head;     /* of the result, as the model was opened */
    int           warnings; /* of the model, not of a run */
    double        until;    /* when work is cut, in milliseconds of the page's clock */
} live;

static char *answer;

static const char *reply(json_t *object)
{
    free(answer);
    answer = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(object);
    return answer;
}

static const char *reply_error(const saltus_error *error)
{
    return reply(cli_json_object("error:j", cli_json_error(error)));
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Writes a file that models can read; text NULL: removes it. */
EMSCRIPTEN_KEEPALIVE int live_file(const char *name, const char *text)
{
    if (!text) return remove(name) == 0;
    FILE *stream = fopen(name, "w");
    if (!stream) return 0;
    fputs(text, stream);
    return fclose(stream) == 0;
}

static void close_model(void)
{
    if (live.is_open) {
        live.arguments.quiet = 1;
        cli_session_close(&live.session);
        cli_arguments_free(&live.arguments);
        json_decref(live.head);
    }
    for (int i = 0; i < live.count; i++) free(live.words[i]);
    free(live.words);
    memset(&live, 0, sizeof live);
}

/* A JSON list of texts becomes the words of a command line. */
static void read_words(const char *arguments)
{
    json_t *list = json_loads(arguments, 0, NULL), *value;
    size_t  i;
    live.words = cli_alloc(json_array_size(list) + 1, sizeof *live.words);
    live.words[live.count++] = cli_copy("saltus");
    json_array_foreach(list, i, value) live.words[live.count++] =
        cli_copy(json_string_value(value));
    json_decref(list);
}

static int ask_whether_late(void *context, double t, double t_end)
{
    (void)context, (void)t, (void)t_end;
    return emscripten_get_now() > live.until;
}

/* Opens the model of a command line without its first word, e.g. ["report", "hopper.lua"]. */
EMSCRIPTEN_KEEPALIVE const char *live_open(const char *arguments)
{
    saltus_error err = {0};
    close_model();
    json_set_alloc_funcs(cli_bytes, free);
    read_words(arguments);
    if (!cli_arguments_read(&live.arguments, live.count, live.words, &err)) {
        cli_arguments_free(&live.arguments);
        return reply_error(&err);
    }
    live.arguments.output = NULL;
    live.is_open = 1;
    cli_session *s = &live.session;
    cli_session_open(s, &live.arguments);
    live.head = json_deep_copy(s->result);
    live.warnings = s->warning_count;
    if (s->error.status) return reply_error(&s->error);
    s->options.progress = ask_whether_late;
    s->options.backend = SALTUS_INTERP;
    s->values = cli_alloc((size_t)s->size.params, sizeof *s->values);
    return reply(cli_json_object("model:j drawing:j", cli_report_model(s),
                              cli_report_drawing(s)));
}

/* ---- running -------------------------------------------------------------------------------- */

/* Back to how the session was before it ran, with other values of its parameters. */
static void begin(cli_session *s, const double *values, double milliseconds)
{
    live.until = emscripten_get_now() + milliseconds;
    live_numbers_forget();
    s->error = (saltus_error){0};
    while (s->warning_count > live.warnings) free(s->warnings[--s->warning_count]);
    for (int i = 0; i < s->size.params; i++) s->values[i] = values[i];
    json_decref(s->result);
    s->result = json_deep_copy(live.head);
    cli_json_add(s->result, "parameters:j", cli_result_parameters(s));
}

/* The motion with these values of all parameters; what takes longer than so many milliseconds is
 * cut, with the error ERR_INTERRUPTED. */
EMSCRIPTEN_KEEPALIVE const char *live_run(const double *values, int depth, double milliseconds)
{
    cli_session    *s = &live.session;
    cli_certificate c = {.by = {{.method = SALTUS_DISCRETE}}};
    begin(s, values, milliseconds);
    if (cli_session_simulate(s) && depth == LIVE_GRADIENT)
        c.by[CLI_CHECK_DISCRETE] = cli_gradients_compute(s, SALTUS_DISCRETE, CLI_ALL_TIMES);
    if (!s->cost) return reply_error(&s->error);
    const cli_gradients *best = &c.by[CLI_CHECK_DISCRETE];
    cli_result_run(s, s->result, best->cost && !best->error.status ? best : NULL, 0);
    json_t *data = cli_report_again(s, &c);
    cli_certificate_free(&c);
    return reply(data);
}

/* ---- optimising ----------------------------------------------------------------------------- */

/* The worker tells the page how a search stands; nonzero ends it. */
EM_JS(int, tell_search, (int iteration, double value, const double *values, int count), {
    const start = values >> 3;
    return Module.onSearch(iteration, value, HEAPF64.slice(start, start + count)) ? 1 : 0;
});

/* The page may run the model meanwhile, which has a limit of its own. */
static int search_stands(void *context, const saltus_optimise_progress *p)
{
    const cli_session *s = context;
    const double       until = live.until;
    const int          ends = tell_search(p->iteration, p->value, p->params, s->size.params);
    live.until = until;
    return ends || emscripten_get_now() > until;
}

/* Minimises a cost over the parameters that are not fixed, within their bounds, from these values:
 * {"status", "message", "value", "values", ...}. */
EMSCRIPTEN_KEEPALIVE const char *live_optimise(int cost, const double *values, double milliseconds)
{
    cli_session            *s = &live.session;
    saltus_error            err = {0};
    saltus_optimise_options options = saltus_optimise_options_default();
    const saltus_goal       goal = {.minimise = saltus_system_cost(s->system, cost).name};
    live.until = emscripten_get_now() + milliseconds;
    options.progress = search_stands;
    options.progress_context = s;
    double *start = cli_alloc((size_t)s->size.params, sizeof *start); /* values may be reused */
    for (int i = 0; i < s->size.params; i++) start[i] = values[i];
    saltus_optimum *optimum = saltus_optimise(s->system, &s->options, &goal, start, &options, &err);
    free(start);
    if (!optimum) return reply_error(&err);
    const saltus_optimum_info info = saltus_optimum_get_info(optimum);
    const double             *params = saltus_optimum_params(optimum);
    json_t                   *found = cli_json_object("status:s message:s value:n start:n iterations:i runs:l values:j",
                          saltus_optimum_status_name(info.status), info.message, info.value, info.start_value,
                          info.iterations, info.runs, params ? cli_json_numbers(params, info.params) : json_null());
    saltus_optimum_free(optimum);
    return reply(found);
}
