/* One call of the program: loads, compiles, simulates, and reports failures. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <sha256.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deal.h"
#include "json_result.h"
#include "library.h"
#include "report.h"
#include "session.h"

/* ---- messages ------------------------------------------------------------------------------- */

void cli_error_print(FILE *stream, const saltus_error *error, int plain)
{
    /* A reader that closed the pipe, like head, has read enough. */
    if (error->status == SALTUS_ERR_FILE && cli_pipe_closed()) return;
    const cli_style style = cli_style_of(stderr, plain);
    fputs(cli_escape(style, CLI_BOLD), stream);
    if (*error->file && error->line > 0) cli_print(stream, "%s:%d: ", error->file, error->line);
    else cli_print(stream, "%s: ", *error->file ? error->file : "saltus");
    fprintf(stream, "%serror:%s ", cli_escape(style, CLI_RED), cli_escape(style, CLI_PLAIN));
    cli_print(stream, "%s\n", *error->message ? error->message : saltus_status_text(error->status));
    cli_excerpt_print(stream, error, style);
}

void cli_session_warn(cli_session *s, const char *format, ...)
{
    char    text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (int i = 0; i < s->warning_count; i++)
        if (strcmp(s->warnings[i], text) == 0) return; /* a warning of an earlier run */
    *CLI_PUSH(s->warnings, s->warning_count) = cli_copy(text);
}

/* A run with many events may have as many warnings; the first ones suffice. */
enum { WARNINGS_SHOWN = 8 };

static void print_warnings(const cli_session *s)
{
    if (s->arguments->quiet) return;
    const cli_style style = cli_style_of(stderr, s->arguments->plain);
    const int       all = s->arguments->verbose || s->warning_count <= WARNINGS_SHOWN + 1;
    const int       shown = all ? s->warning_count : WARNINGS_SHOWN;
    const char     *who = s->arguments->model_count > 1 ? s->arguments->model : "saltus";
    for (int i = 0; i < shown; i++) {
        cli_print(s->arguments->err, "%s: ", who);
        fprintf(s->arguments->err, "%swarning:%s ", cli_escape(style, CLI_YELLOW),
                cli_escape(style, CLI_PLAIN));
        cli_print(s->arguments->err, "%s\n", s->warnings[i]);
    }
    if (!all)
        cli_print(s->arguments->err, "%s: %d more warnings (--verbose shows all)\n", who,
                  s->warning_count - shown);
}

static void print_of_script(void *context, const char *text, size_t length)
{
    const cli_session *s = context;
    CLI_OWNED char    *clean = cli_clean(text, length, CLI_LINES);
    fputs(clean, s->arguments->err);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Keeps the files that a page needs for simulating the model itself. */
static void keep_file(void *context, const char *name, const char *text, size_t length)
{
    cli_session    *s = context;
    CLI_OWNED char *copy = cli_copy_part(text, length);
    cli_json_set(s->files, name, cli_json_text(copy));
}

/* Drops the files if they are large: pages are sent around, and contain small files only. */
static void weigh_files(cli_session *s)
{
    const size_t most = (size_t)1 << 20;
    size_t       size = 0;
    const char  *name;
    json_t      *text;
    json_object_foreach(s->files, name, text) size += json_string_length(text);
    if (size <= most) return;
    cli_session_warn(s,
                     "the files that the model reads have %.1f MB, and a page takes 1 MB along: "
                     "the model is not simulated in the page",
                     1e-6 * (double)size);
    json_decref(s->files);
    s->files = NULL;
}

/* Sets the folder of the model, if it is a file, and the files of --data. The caller frees the
 * folder. */
static void read_beside(cli_session *s, saltus_script_options *options)
{
    const cli_arguments *a = s->arguments;
    const char          *slash = strrchr(a->model, '/');
    if (strcmp(a->model, "-") != 0)
        options->folder = cli_copy_part(a->model, slash ? (size_t)(slash + 1 - a->model) : 0);
    options->data = a->data;
    options->data_count = a->data_count;
}

static saltus_model *load(cli_session *s, const char *text, size_t length)
{
    cli_values            values = {0};
    saltus_script_options options = saltus_script_options_default();
    saltus_model         *model = NULL;
    if (cli_arguments_values(s->arguments, &values, &s->error)) {
        options.overrides = values.value;
        options.override_count = values.count;
        options.seed = (unsigned long long)s->arguments->seed;
        options.print = print_of_script;
        options.print_context = s;
        read_beside(s, &options);
        if (cli_report_is_live(s->arguments)) {
            s->files = json_object();
            options.on_file = keep_file;
            options.on_file_context = s;
        }
        model = saltus_model_load_text(s->arguments->model, text, length, &options, &s->error);
        free((void *)(size_t)options.folder);
        weigh_files(s);
        if (model) saltus_model_check_overrides(model, &s->error);
        cli_values_explain(&values, &s->error);
    }
    cli_values_free(&values);
    return model;
}

/* Adds to the error a file with a similar name, or one of the shipped models. */
static void offer_another(const char *path, saltus_error *err)
{
    CLI_OWNED char    *near = cli_nearest_model(path);
    const cli_shipped *ours = cli_library_find(cli_base_name(path));
    const size_t       used = strlen(err->message), room = sizeof err->message - used;
    if (near) snprintf(err->message + used, room, "; did you mean '%s'?", near);
    else if (ours && access(path, F_OK) != 0)
        snprintf(err->message + used, room, "; 'saltus models %s' writes it", ours->name);
}

/* Reads the script once: the text that is hashed is the text that is run, even if the file
 * changes. */
static saltus_model *read_model(cli_session *s)
{
    size_t length = 0;
    char  *text = cli_read_file(s->arguments->model, &length, &s->error);
    if (!text) {
        offer_another(s->arguments->model, &s->error);
        return NULL;
    }
    SHA256Data((const uint8_t *)text, length, s->sha256);
    s->script = text;
    return load(s, text, length);
}

/* ---- requests ------------------------------------------------------------------------------- */

/* Marks in chosen the names that an option mentions, which may be given more than once. Returns 0
 * if it was not given. */
static int mark(cli_session *s, cli_option_id option, const char *what, const char *const *names,
                int count, char *chosen)
{
    char spelling[32];
    int  given = 0;
    snprintf(spelling, sizeof spelling, "--%s", cli_options[option].name);
    for (int i = 0; i < s->arguments->count && !s->error.status; i++) {
        if (s->arguments->given[i].option != option) continue;
        given = 1;
        cli_choose(s->arguments->given[i].value, names, count, chosen, what, spelling, &s->error);
    }
    return given;
}

/* Chooses the parameters of gradients: without --wrt, all that are not fixed. */
static void choose_params(cli_session *s)
{
    const int              count = s->size.params;
    CLI_OWNED const char **names = cli_alloc((size_t)count, sizeof *names);
    CLI_OWNED char        *chosen = cli_alloc((size_t)count, 1);
    for (int i = 0; i < count; i++) names[i] = saltus_system_param(s->system, i).name;
    const int over = !cli_is(s->arguments, CLI_SWEEP) &&
                     mark(s, CLI_OPTION_OVER, "parameter", names, count, chosen);
    if (!mark(s, CLI_OPTION_WRT, "parameter", names, count, chosen) && !over)
        for (int i = 0; i < count; i++) chosen[i] = !saltus_system_param(s->system, i).fixed;
    s->params = cli_choice_of(chosen, count);
}

/* Compiles the model without the costs that --cost leaves out, so that nothing is spent on them. */
static void compile_model(cli_session *s, const saltus_model *model)
{
    const int              count = saltus_model_cost_count(model);
    CLI_OWNED const char **names = cli_alloc((size_t)count, sizeof *names);
    CLI_OWNED char        *chosen = cli_alloc((size_t)count, 1);
    int                    kept = 0;
    s->cost_names = cli_alloc((size_t)count, sizeof *s->cost_names);
    for (int i = 0; i < count; i++)
        names[i] = s->cost_names[i] = cli_copy(saltus_model_cost_name(model, i));
    s->cost_name_count = count;
    const int given = mark(s, CLI_OPTION_COST, "cost", names, count, chosen);
    for (int i = 0; i < count; i++)
        if (!given || chosen[i]) names[kept++] = names[i];
    s->system = saltus_system_compile_costs(model, names, kept, &s->error);
}

const char *cli_param_name(const cli_session *s, int place)
{
    return saltus_system_param(s->system, s->params.index[place]).name;
}

const char *cli_cost_name(const cli_session *s, int place)
{
    return saltus_system_cost(s->system, place).name;
}

double cli_session_start(const cli_session *s)
{
    double start = 0.0;
    saltus_system_horizon(s->system, &start, NULL);
    return start;
}

const char *cli_direction_name(saltus_direction direction)
{
    return direction == SALTUS_RISING ? "rising" : direction == SALTUS_FALLING ? "falling" : "any";
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Refuses an output that would replace a file that is read. */
static int check_inputs(const cli_arguments *a, const char *path, saltus_error *err)
{
    if (a->model && cli_output_is_same(path, a->model))
        return cli_misuse(err, "'%s' is the model itself: write to another file", path);
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_PARAMS && cli_output_is_same(path, a->given[i].value))
            return cli_misuse(err, "'%s' is the file of --params: write to another file", path);
    for (int i = 0; i < a->data_count; i++)
        if (cli_output_is_same(path, a->data[i].file))
            return cli_misuse(err, "'%s' is a file of --data: write to another file", path);
    return 1;
}

/* Refuses to replace a page that may have been written by the user. */
static int check_page(const cli_arguments *a, const char *path, saltus_error *err)
{
    if (!cli_is(a, CLI_REPORT) || cli_is_given(a, CLI_OPTION_FORCE) || cli_report_may_replace(path))
        return 1;
    return cli_fail(err, SALTUS_ERR_FILE,
                    "'%s' is there already, and no report of saltus: choose another name with -o, "
                    "or replace it with --force",
                    path);
}

int cli_session_may_write(const cli_session *s, const char *path, saltus_error *err)
{
    return check_inputs(s->arguments, path, err) && check_page(s->arguments, path, err);
}

/* Opens the file of -o before the work begins, so that a path that cannot be written costs no
 * time. */
static void open_output(cli_session *s)
{
    const char *path = s->arguments->output;
    if (!path || s->error.status || cli_is(s->arguments, CLI_COMPILE | CLI_SWEEP)) return;
    if (strcmp(path, "-") == 0 || cli_output_is_stdout(path)) s->output = stdout;
    else if (cli_session_may_write(s, path, &s->error) &&
             cli_output_open(&s->file, path, 0, &s->error))
        s->output = s->file.stream;
}

static int wants_result(const cli_arguments *a)
{
    return a->json || cli_is(a, CLI_REPORT | CLI_SWEEP) ||
           (a->output && (cli_is(a, CLI_FIT | CLI_OPTIMISE | CLI_PERIODIC) ||
                          (!cli_is(a, CLI_COMPILE) && cli_ends_with(a->output, ".json"))));
}

static void apply_options(cli_session *s)
{
    s->options = saltus_system_options(s->system);
    cli_arguments_solver(s->arguments, &s->options, &s->error);
    s->options.threads = s->arguments->threads;
    s->options.progress = cli_progress_call;
    s->options.progress_context = &s->progress;
    choose_params(s);
    for (int i = 0; i < saltus_system_warning_count(s->system); i++)
        cli_session_warn(s, "%s", saltus_system_warning(s->system, i));
    const char *formulation = cli_argument(s->arguments, CLI_OPTION_FORMULATION);
    if (!formulation) return;
    if (s->size.constraints == 0)
        cli_session_warn(s, "the model has no constraints: --formulation changes nothing");
    saltus_options_set(&s->options, "formulation", formulation, &s->error);
}

/* Adds measured expressions as outputs, so that reports can draw their curves. */
static void add_measured(saltus_model *model)
{
    for (int i = 0; i < saltus_model_measurement_count(model); i++) {
        const saltus_measurement_info info = saltus_model_measurement(model, i);
        if (info.event) continue;
        CLI_OWNED char *name = cli_format("measured %s", info.name);
        saltus_output(model, name, info.of, NULL, NULL);
    }
}

int cli_session_open(cli_session *s, const cli_arguments *arguments)
{
    *s = (cli_session){.arguments = arguments};
    s->style = cli_style_of(stdout, arguments->plain);
    if (wants_result(arguments)) s->result = json_object();
    s->stats = json_object();
    s->progress.quiet = arguments->quiet || arguments->model_count > 1;
    const double start = cli_seconds();
    s->model = read_model(s);
    if (s->model) {
        saltus_model_options(s->model)->progress = cli_progress_call;
        saltus_model_options(s->model)->progress_context = &s->progress;
        if (cli_is(arguments, CLI_REPORT)) add_measured(s->model);
        compile_model(s, s->model);
    }
    if (s->system) {
        s->size = saltus_system_size(s->system);
        s->progress.t_start = cli_session_start(s);
        apply_options(s);
        open_output(s);
    }
    cli_json_add(s->stats, "load_seconds:n", cli_seconds() - start);
    if (cli_interrupted()) cli_fail(&s->error, SALTUS_ERR_INTERRUPTED, "interrupted");
    cli_result_head(s);
    if (arguments->jsonl && s->error.status) cli_result_of_error(&s->error, 0);
    return s->error.status == SALTUS_OK;
}

/* ---- simulating ----------------------------------------------------------------------------- */

static const cli_end outcomes[] = {
    [SALTUS_END] = {"horizon", SALTUS_OK},
    [SALTUS_TERMINAL_EVENT] = {"event", SALTUS_OK},
    [SALTUS_STEP_LIMIT] = {"step_limit", SALTUS_ERR_LIMIT},
    [SALTUS_EVENT_LIMIT] = {"event_limit", SALTUS_ERR_LIMIT},
    [SALTUS_ZENO] = {"zeno", SALTUS_ERR_UNFINISHED},
    [SALTUS_PAINLEVE] = {"painleve", SALTUS_ERR_UNFINISHED},
    [SALTUS_AMBIGUOUS] = {"ambiguous", SALTUS_ERR_UNFINISHED},
    [SALTUS_STICKING] = {"sticking", SALTUS_ERR_UNFINISHED},
    [SALTUS_SINKING] = {"sinking", SALTUS_ERR_UNFINISHED},
    [SALTUS_STEP_TOO_SMALL] = {"step_too_small", SALTUS_ERR_UNFINISHED},
    [SALTUS_SINGULAR] = {"singular", SALTUS_ERR_SINGULAR},
    [SALTUS_VIOLATED] = {"violated", SALTUS_ERR_UNFINISHED},
    [SALTUS_NOT_FINITE] = {"not_finite", SALTUS_ERR_NOT_FINITE},
    [SALTUS_INTERRUPTED] = {"interrupted", SALTUS_ERR_INTERRUPTED},
};

saltus_status cli_outcome_status(saltus_outcome outcome) { return outcomes[outcome].status; }

const char *cli_run_end(const saltus_system *system, const saltus_run_info *info)
{
    return info->outcome == SALTUS_TERMINAL_EVENT
               ? saltus_system_event(system, info->last_event).name
               : outcomes[info->outcome].name;
}

const char *cli_session_end(const cli_session *s)
{
    return cli_run_end(s->system, saltus_run_get_info(s->run));
}

/* Makes the run; native code is compiled for runs that are repeated. */
static void make_run(cli_session *s)
{
    saltus_options options = s->options;
    if (options.backend == SALTUS_BACKEND_AUTO && s->arguments->repeat > 1)
        options.backend = SALTUS_NATIVE;
    s->run = saltus_run_new(s->system, &options, &s->error);
}

static void note_backend(cli_session *s)
{
    const saltus_backend_info info = saltus_system_backend(s->system);
    cli_json_add(s->stats, "backend:s compile_seconds:n",
                 info.backend == SALTUS_NATIVE ? "native" : "interp", info.seconds);
    if (!*info.note) return;
    cli_json_add(s->stats, "backend_note:s", info.note);
    if (s->options.backend == SALTUS_NATIVE)
        cli_session_warn(s, "interpreting instead of native code: %s", info.note);
}

void cli_session_take_warnings(cli_session *s)
{
    const int count = saltus_run_get_info(s->run)->warnings;
    for (int i = 0; i < count; i++) cli_session_warn(s, "%s", saltus_run_warning(s->run, i));
}

int cli_session_simulate(cli_session *s)
{
    if (s->error.status) return 0;
    if (!s->run) make_run(s);
    cli_progress_begin(&s->progress, "simulating");
    cli_progress_passes(&s->progress, 1);
    const double start = cli_cpu_seconds();
    saltus_run_simulate(s->run, s->values, &s->error);
    s->forward = cli_cpu_seconds() - start;
    cli_progress_end(&s->progress);
    if (s->error.status) return 0;
    const saltus_run_info *info = saltus_run_get_info(s->run);
    if (!s->cost) s->cost = cli_alloc((size_t)s->size.costs, sizeof *s->cost);
    saltus_run_costs(s->run, s->cost, &s->error);
    s->events = info->events;
    cli_session_take_warnings(s);
    cli_session_ends(s, outcomes[info->outcome], info->message);
    return s->error.status == SALTUS_OK;
}

void cli_session_ends(cli_session *s, cli_end end, const char *message)
{
    if (end.status)
        cli_fail(&s->error, end.status, "%s", *message ? message : saltus_status_text(end.status));
}

void cli_session_take_values(cli_session *s, const double *params)
{
    const size_t bytes = (size_t)s->size.params * sizeof *s->values;
    if (!params) return;
    free(s->values);
    s->values = cli_bytes(bytes);
    memcpy(s->values, params, bytes);
}

/* ---- printing ------------------------------------------------------------------------------- */

int cli_session_prints(const cli_session *s)
{
    return !s->arguments->json && !s->arguments->quiet && s->output != stdout;
}

void cli_session_title(const cli_session *s)
{
    const char     *name = saltus_system_name(s->system);
    CLI_OWNED char *clean = cli_clean(name, strlen(name), CLI_LINE);
    fprintf(s->arguments->out, "%s%s%s  ", cli_escape(s->style, CLI_BOLD), *name ? clean : "model",
            cli_escape(s->style, CLI_PLAIN));
    cli_print(s->arguments->out, "(%s)\n\n", s->arguments->model);
}

void cli_session_table(const cli_session *s, cli_table *table)
{
    cli_table_print(table, s->arguments->out, s->style);
}

void cli_session_tell(cli_session *s, cli_table *table, const char *member, json_t *value)
{
    if (table && cli_session_prints(s)) cli_session_table(s, table);
    else if (table) cli_table_free(table);
    if (s->result && value) cli_json_add(s->result, member, value);
    else json_decref(value);
}

/* ---- closing -------------------------------------------------------------------------------- */

int cli_session_keep(cli_session *s)
{
    saltus_error err = {0};
    if (s->output == stdout) return 0; /* flushed and checked at the end */
    const int partial = s->error.status && s->file.target;
    s->output = NULL;
    s->kept = partial ? cli_output_partial(&s->file) : cli_copy(s->arguments->output);
    const int ok = (!partial || cli_session_may_write(s, s->kept, &err)) &&
                   cli_output_keep(&s->file, partial, &err);
    if (!ok) {
        if (!s->error.status) s->error = err;
        else cli_session_warn(s, "%s", err.message);
    }
    return ok;
}

void cli_session_write_result(cli_session *s)
{
    if (!s->output) return;
    cli_json_print(json_incref(s->result), s->output, 2);
    cli_session_keep(s);
}

static void session_free(cli_session *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    saltus_model_free(s->model);
    free(s->script);
    free(s->kept);
    for (int i = 0; i < s->cost_name_count; i++) free(s->cost_names[i]);
    free(s->cost_names);
    free(s->params.index);
    free(s->cost);
    free(s->values);
    json_decref(s->files);
    for (int i = 0; i < s->warning_count; i++) free(s->warnings[i]);
    free(s->warnings);
    json_decref(s->result);
    json_decref(s->stats);
}

int cli_session_close(cli_session *s)
{
    const int several = s->arguments->model_count > 1;
    cli_output_drop(&s->file); /* if it was not kept */
    if (s->run) note_backend(s);
    if (several && s->error.status && !*s->error.file) /* the error does not name the model */
        snprintf(s->error.file, sizeof s->error.file, "%s", s->arguments->model);
    if (s->arguments->json) {
        cli_result_tail(s);
        cli_json_print(json_incref(s->result), s->arguments->out, several ? 0 : 2);
    }
    if (!several) cli_flush(); /* tables before messages, if both go to one place */
    print_warnings(s);
    if (s->error.status) cli_error_print(s->arguments->err, &s->error, s->arguments->plain);
    cli_deal_excuse(&s->error);
    const int status = s->error.status   ? saltus_status_exit_code(s->error.status)
                       : s->check_failed ? 4
                                         : 0;
    session_free(s);
    return status;
}
