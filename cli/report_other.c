/* The second motion of a report, which the first is compared with. */
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "report.h"
#include "text.h"

/* The arguments of the second motion, and what they own. */
typedef struct second {
    cli_arguments arguments;
    cli_given    *given;
    json_t       *saved; /* what --json had printed of it; NULL: a model was given */
} second;

/* If the file is a saved result, the object in it; else NULL. */
static json_t *saved_result(const char *path)
{
    saltus_error    err = {0};
    size_t          length = 0;
    CLI_OWNED char *text = strcmp(path, "-") == 0 ? NULL : cli_read_file(path, &length, &err);
    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

/* A saved result names its script, and is the --params of it. */
static void use_saved(second *s, const char *path)
{
    cli_arguments *a = &s->arguments;
    const char    *file =
        json_string_value(json_object_get(json_object_get(s->saved, "script"), "file"));
    if (!file) return; /* then it is read as a model, which says what is wrong */
    s->given = cli_alloc((size_t)a->count + 1, sizeof *s->given);
    s->given[0] = (cli_given){CLI_OPTION_PARAMS, path};
    if (a->count) memcpy(s->given + 1, a->given, (size_t)a->count * sizeof *s->given);
    a->given = s->given;
    a->count++;
    a->model = file;
}

static json_t *collect(cli_session *s)
{
    const int     simulated = cli_session_simulate(s);
    cli_gradients gradients = {0};
    if (!s->cost) return NULL;
    if (simulated) gradients = cli_gradients_compute(s, SALTUS_DISCRETE, CLI_ALL_TIMES);
    const saltus_error before = s->error;
    s->error = (saltus_error){0}; /* what there is can still be read */
    cli_result_run(s, s->result, gradients.cost && !gradients.error.status ? &gradients : NULL, 0);
    json_t *data = cli_json_object("model:j drawing:j motion:j", cli_report_model(s),
                                   cli_report_drawing(s), cli_report_motion(s, NULL, 0));
    s->error = before;
    cli_result_tail(s);
    cli_json_set(data, "result", cli_report_lasting(s->result));
    cli_gradients_free(&gradients);
    return data;
}

json_t *cli_report_other(const cli_arguments *arguments, int *status)
{
    second s = {.arguments = *arguments};
    if (arguments->model_count < 2) return json_null();
    s.arguments.model = arguments->models[1];
    s.arguments.output = NULL;
    s.arguments.json = 0; /* one object is printed: that of the first */
    s.saved = saved_result(s.arguments.model);
    if (s.saved) use_saved(&s, s.arguments.model);
    cli_session session;
    json_t     *data = cli_session_open(&session, &s.arguments) ? collect(&session) : NULL;
    if (data) cli_json_set(data, "answer", cli_report_answer(s.saved));
    *status = cli_session_close(&session);
    json_decref(s.saved);
    free(s.given);
    return data;
}
