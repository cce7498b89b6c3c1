/* The JSON object that --json prints. */
#include "json_result.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* ---- values --------------------------------------------------------------------------------- */

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_text(const char *text)
{
    if (!text) return json_null();
    CLI_OWNED char *valid = cli_valid_utf8(text);
    return json_string(valid);
}

void cli_json_set(json_t *object, const char *name, json_t *value)
{
    CLI_OWNED char *valid = cli_valid_utf8(name);
    json_object_set_new(object, valid, value);
}

/* The next argument as a value; the letters are those of cli_json_add. */
static json_t *next_value(char kind, va_list *arguments)
{
    const char *text;
    switch (kind) {
    case 's': return cli_json_text(va_arg(*arguments, const char *));
    case 'e':
        text = va_arg(*arguments, const char *);
        return cli_json_text(text && *text ? text : NULL);
    case 'n': return cli_json_number(va_arg(*arguments, double));
    case 'i': return json_integer(va_arg(*arguments, int));
    case 'l': return json_integer(va_arg(*arguments, long long));
    case 'b': return json_boolean(va_arg(*arguments, int));
    default: return va_arg(*arguments, json_t *);
    }
}

static json_t *add_members(json_t *object, const char *members, va_list *arguments)
{
    while (*members) {
        const size_t    length = strcspn(members, ":");
        CLI_OWNED char *name = cli_copy_part(members, length);
        json_object_set_new(object, name, next_value(members[length + 1], arguments));
        members += length + 2 + strspn(members + length + 2, " ");
    }
    return object;
}

json_t *cli_json_add(json_t *object, const char *members, ...)
{
    va_list arguments;
    va_start(arguments, members);
    add_members(object, members, &arguments);
    va_end(arguments);
    return object;
}

json_t *cli_json_object(const char *members, ...)
{
    va_list arguments;
    va_start(arguments, members);
    json_t *object = add_members(json_object(), members, &arguments);
    va_end(arguments);
    return object;
}

void cli_json_push(json_t *list, const char *members, ...)
{
    va_list arguments;
    va_start(arguments, members);
    json_array_append_new(list, add_members(json_object(), members, &arguments));
    va_end(arguments);
}

json_t *cli_json_list(const cli_session *s, int count, json_t *(*entry)(const cli_session *, int))
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        json_t *value = entry(s, i);
        if (value) json_array_append_new(array, value);
    }
    return array;
}

json_t *cli_json_numbers(const double *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_number(values[i]));
    return array;
}

json_t *cli_json_by_param(const cli_session *s, const int *params, int count, const double *values,
                          int stride)
{
    json_t *object = json_object();
    for (int i = 0; values && i < count; i++)
        cli_json_set(object, saltus_system_param(s->system, params ? params[i] : i).name,
                     cli_json_number(values[i * stride]));
    return object;
}

json_t *cli_json_complex(const cli_session *s, const int *params, int count, const double *re,
                         const double *im)
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        cli_json_set(object, saltus_system_param(s->system, params[i]).name,
                     cli_json_object("re:n im:n", re[i], im[i]));
    return object;
}

json_t *cli_json_by_name(const cli_session *s, int count, cli_namer *info, const double *values,
                         int stride)
{
    json_t *object = json_object();
    for (int i = 0; values && i < count; i++)
        cli_json_set(object, info(s->system, i).name, cli_json_number(values[i * stride]));
    return object;
}

json_t *cli_json_matrix(const double *values, int rows, int columns)
{
    json_t *matrix = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(matrix,
                              cli_json_numbers(values + (size_t)i * (size_t)columns, columns));
    return matrix;
}

json_t *cli_json_texts(char *const *texts, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_text(texts[i]));
    return array;
}

/* Writes numbers with as few digits as possible. Jansson writes all with the same number of digits,
 * each as a piece of its own, as are the quotes of texts; numbers outside of texts are replaced. */
typedef struct shortener {
    json_dump_callback_t write;
    void                *context;
    int                  quoted; /* 1: inside of a text */
} shortener;

static int write_piece(const char *piece, size_t size, void *context)
{
    shortener *s = context;
    char       number[40], *end;
    if (size == 1 && *piece == '"') s->quoted = !s->quoted;
    if (s->quoted || size < 18 || size > 30) return s->write(piece, size, s->context);
    snprintf(number, sizeof number, "%.*s", (int)size, piece);
    const double value = strtod(number, &end);
    if (*end || isspace((unsigned char)*number)) return s->write(piece, size, s->context);
    cli_number_text(value, number);
    if (!strpbrk(number, ".e")) strcat(number, ".0");
    return s->write(number, strlen(number), s->context);
}

int cli_json_dump(const json_t *value, json_dump_callback_t write, void *context, size_t layout)
{
    shortener s = {.write = write, .context = context};
    return json_dump_callback(value, write_piece, &s, layout | JSON_REAL_PRECISION(17)) == 0;
}

static int write_stream(const char *text, size_t size, void *stream)
{
    return fwrite(text, 1, size, stream) == size ? 0 : -1;
}

void cli_json_print(json_t *value, FILE *stream, int indent)
{
    const size_t layout = indent ? JSON_INDENT((size_t)indent) : JSON_COMPACT;
    const int    done = cli_json_dump(value, write_stream, stream, layout);
    if (!done && !ferror(stream)) cli_out_of_memory(); /* nothing else can fail */
    fputc('\n', stream);
    json_decref(value);
}

static json_t *param_name_json(const cli_session *s, int i)
{
    return cli_json_text(cli_param_name(s, i));
}

static json_t *cost_name_json(const cli_session *s, int i)
{
    return cli_json_text(cli_cost_name(s, i));
}

/* ---- head ----------------------------------------------------------------------------------- */

/* "discrete", or "adjoint,fd". */
static char *method_text(const saltus_method *method, int count)
{
    char *text = NULL;
    for (int i = 0; i < count; i++)
        text = cli_append(text, "%s%s", i ? "," : "", saltus_method_name(method[i]));
    return text;
}

/* The requested methods; NULL if the command has none. */
static char *asked_methods(const cli_arguments *a)
{
    if (cli_is(a, CLI_CHECK | CLI_REPORT)) return cli_copy("discrete");
    if (!cli_is(a, CLI_GRADIENT)) return NULL;
    return method_text(a->method, a->method_count);
}

void cli_result_method(cli_session *s, const saltus_method *method, int count)
{
    CLI_OWNED char *text = method_text(method, count);
    cli_json_set(s->result, "method", cli_json_text(text)); /* keeps its place */
}

#define NUMBER_R(options, name) cli_json_number((options)->name)
#define NUMBER_I(options, name) json_integer((json_int_t)(options)->name)
#define NUMBER_S(options, name) json_integer((json_int_t)(options)->name)
#define NUMBER_N(options, name) cli_json_text(saltus_options_get(options, #name, buffer))

static json_t *options_json(const cli_session *s, const char *method)
{
    const saltus_options *options = &s->options;
    json_t               *object = json_object();
    char                  buffer[64];
#define ROW(name, kind, text) cli_json_set(object, #name, NUMBER_##kind(options, name));
    SALTUS_OPTION_LIST(ROW)
#undef ROW
    return cli_json_add(object, "method:s formulation:s backend:s until:n seed:l wrt:j cost:j",
                        method, saltus_options_get(options, "formulation", buffer),
                        saltus_options_get(options, "backend", buffer), options->t_end,
                        s->arguments->seed, cli_json_list(s, s->params.count, param_name_json),
                        cli_json_list(s, s->size.costs, cost_name_json));
}

json_t *cli_result_parameters(const cli_session *s)
{
    json_t *object = json_object();
    for (int i = 0; i < s->size.params; i++) {
        const saltus_param_info param = saltus_system_param(s->system, i);
        cli_json_set(object, param.name, cli_json_number(s->values ? s->values[i] : param.value));
    }
    return object;
}

static json_t *settings_json(const cli_session *s)
{
    json_t *object = json_object();
    for (int i = 0; i < s->size.settings; i++) {
        const saltus_setting_info setting = saltus_system_setting(s->system, i);
        cli_json_set(object, setting.name,
                     setting.text ? cli_json_text(setting.text) : cli_json_number(setting.value));
    }
    return object;
}

void cli_result_head(cli_session *s)
{
    if (!s->result) return;
    cli_json_add(s->result, "saltus:s script:j", saltus_version(),
                 cli_json_object("file:s sha256:e", s->arguments->model, s->sha256));
    if (!s->system) return;
    CLI_OWNED char *method = asked_methods(s->arguments);
    cli_json_add(s->result, "options:j model:s method:s", options_json(s, method),
                 saltus_system_name(s->system), method);
    if (method && strstr(method, "auto")) cli_json_add(s->result, "chosen:s", "auto");
    cli_json_add(s->result, "parameters:j settings:j", cli_result_parameters(s), settings_json(s));
}

/* ---- notes on events -------------------------------------------------------------------------
 *
 * Gradients hold while the same events happen in the same order. Where two of them are τ' - τ
 * apart, a relative change x of the parameter ρ exchanges them, to first order, at
 *
 *     x = (τ' - τ) / (ρ (dτ/dρ - dτ'/dρ))
 */

static const double near = 0.01;       /* relative change of a parameter */
static const double slow = 1e-3;       /* guard rate, relative to the largest one of the event */
static const double same_time = 1e-12; /* relative to the length of the run */

static void add_note(json_t *notes, char *text)
{
    json_array_append_new(notes, cli_json_text(text));
    free(text);
}

/* The largest guard rate of each event, by its number in the model; to be freed. */
static double *event_rates(const cli_session *s)
{
    double *most = cli_alloc((size_t)s->size.events, sizeof *most);
    for (int i = 0; i < s->events; i++) {
        const saltus_occurrence at = saltus_run_event(s->run, i);
        most[at.event] = fmax(most[at.event], fabs(at.rate));
    }
    return most;
}

static void note_grazing(const cli_session *s, const double *rates, int event, json_t *notes)
{
    const saltus_occurrence at = saltus_run_event(s->run, event);
    if (at.grazing) add_note(notes, cli_format("grazes: there is no gradient"));
    else if (fabs(at.rate) < slow * rates[at.event])
        add_note(notes, cli_format("close to grazing: the guard rate %.3g is small", at.rate));
}

/* The smallest relative change of a parameter that exchanges two events, and that parameter;
 * INFINITY if there is none. */
static double change_to_swap(const cli_session *s, double gap, const double *d, const double *other,
                             int *param)
{
    double least = INFINITY;
    for (int k = 0; k < s->params.count; k++) {
        const double value = saltus_system_param(s->system, s->params.index[k]).value;
        const double speed = value * (d[k] - (other ? other[k] : 0.0));
        const double change = speed != 0.0 ? gap / speed : INFINITY;
        if (fabs(change) < fabs(least)) {
            least = change;
            *param = k;
        }
    }
    return least;
}

static void note_swap(const cli_session *s, double change, int param, const char *what,
                      json_t *notes)
{
    if (fabs(change) < near)
        add_note(notes, cli_format("changing %s by %.2g %% would %s", cli_param_name(s, param),
                                   100.0 * change, what));
}

/* g: NULL without derivatives of event times. */
static void note_next(const cli_session *s, const cli_gradients *g, int event, json_t *notes)
{
    const int    np = s->params.count;
    const double t = saltus_run_event(s->run, event).t;
    const double gap = saltus_run_event(s->run, event + 1).t - t;
    int          param = 0;
    if (gap <= same_time * fmax(1.0, fabs(t))) {
        add_note(notes, cli_format("at the same instant as event %d", event + 2));
        return;
    }
    if (!g) return;
    const double change =
        change_to_swap(s, gap, g->time + event * np, g->time + (event + 1) * np, &param);
    CLI_OWNED char *what = cli_format("exchange it with event %d", event + 2);
    note_swap(s, change, param, what, notes);
}

/* Adds a note if a small change of a parameter moves the last event past the horizon. */
static void note_end(const cli_session *s, const cli_gradients *g, int event, json_t *notes)
{
    const saltus_run_info *info = saltus_run_get_info(s->run);
    int                    param = 0;
    if (info->outcome != SALTUS_END) return;
    const double gap = info->t - saltus_run_event(s->run, event).t;
    const double change = change_to_swap(s, gap, g->time + event * s->params.count, g->end, &param);
    note_swap(s, change, param, "move it past the end", notes);
}

/* Notes on an event, as texts: that it grazes, or nearly does; that a small change of a parameter
 * would exchange it with its neighbour, or move it out of the run. gradients, with times, may be
 * NULL. */
static json_t *event_notes(const cli_session *s, const cli_gradients *g, const double *rates,
                           int event)
{
    json_t *notes = json_array();
    note_grazing(s, rates, event, notes);
    if (g && (g->error.status || !g->time || s->params.count == 0)) g = NULL;
    if (event + 1 < s->events) note_next(s, g, event, notes);
    else if (g) note_end(s, g, event, notes);
    return notes;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* {param: x} of one row of a gradient. */
static json_t *row_json(const cli_session *s, const double *row)
{
    return cli_json_by_param(s, s->params.index, s->params.count, row, 1);
}

/* Where a cost has its largest or smallest value. */
static json_t *peak_json(const cli_session *s, int cost)
{
    const saltus_peak peak = saltus_run_peak(s->run, cost);
    json_t           *object = cli_json_object("t:n value:n place:s", peak.t, peak.value,
                                               saltus_peak_place_name(peak.place));
    if (peak.event >= 0) cli_json_add(object, "event:s", saltus_run_event(s->run, peak.event).name);
    return object;
}

static json_t *costs_json(const cli_session *s, const cli_gradients *g)
{
    json_t *object = json_object();
    for (int i = 0; i < s->size.costs; i++) {
        json_t *cost = cli_json_object("value:n", s->cost[i]);
        if (saltus_run_peak(s->run, i).place != SALTUS_NO_PEAK)
            cli_json_add(cost, "peak:j", peak_json(s, i));
        if (g && !g->error.status)
            cli_json_add(cost, "gradient:j", row_json(s, g->cost + i * s->params.count));
        cli_json_set(object, cli_cost_name(s, i), cost);
    }
    return object;
}

/* {constraint: x}, or null where the law of the event has no impulses. */
static json_t *impulses_json(const cli_session *s, int index)
{
    const int         count = s->size.constraints;
    CLI_OWNED double *impulse = cli_alloc((size_t)count, sizeof *impulse);
    return saltus_run_impulses(s->run, index, impulse)
               ? cli_json_by_name(s, count, saltus_system_constraint, impulse, 1)
               : json_null();
}

/* Adds the largest growth of an error at the event and, with_jumps, the jump matrix. */
static void jump_json(cli_session *s, json_t *event, int index, int with_jumps)
{
    if (!with_jumps && !cli_jumps_are_small(s)) return;
    cli_jump jump = cli_jump_of(s, index);
    cli_json_add(event, "jump_size:n", jump.matrix ? jump.singular[0] : NAN);
    if (with_jumps) cli_json_add(event, "jump_matrix:j", cli_jump_json(&jump));
    cli_jump_free(&jump);
}

static json_t *event_json(cli_session *s, int index, const cli_gradients *g, const double *rates,
                          int with_jumps)
{
    const saltus_occurrence at = saltus_run_event(s->run, index);
    json_t                 *event =
        cli_json_object("name:s time:n from:s to:s rate:n", at.name, at.t, at.from, at.to, at.rate);
    if (g && !g->error.status && g->time)
        cli_json_add(event, "time_gradient:j", row_json(s, g->time + index * s->params.count));
    cli_json_add(event,
                 "impulse:n impulses:j energy_before:n energy_after:n energy_lost:n grazing:b "
                 "automatic:b",
                 at.impulse, impulses_json(s, index), at.energy_before, at.energy_after,
                 at.energy_before - at.energy_after, at.grazing,
                 saltus_system_event(s->system, at.event).automatic);
    jump_json(s, event, index, with_jumps);
    return cli_json_add(event, "notes:j", event_notes(s, g, rates, index));
}

/* {name: x} of the coordinates, or of the states. */
static json_t *motion_json(const cli_session *s, const double *values, int states)
{
    json_t *object = json_object();
    for (int i = 0; i < s->size.coordinates; i++)
        if (saltus_system_is_state(s->system, i) == states)
            cli_json_set(object, saltus_system_coordinate(s->system, i).name,
                         cli_json_number(values[i]));
    return object;
}

static json_t *final_json(const cli_session *s)
{
    saltus_row   row;
    saltus_error err = {0};
    saltus_run_final(s->run, &row, &err);
    cli_need_memory(&err);
    if (err.status) return json_null();
    const saltus_size n = s->size;
    return cli_json_object(
        "time:n mode:s position:j velocity:j multiplier:j memory:j output:j acceleration:j "
        "energy:j state:j rate:j",
        row.t, row.mode, motion_json(s, row.q, 0), motion_json(s, row.v, 0),
        cli_json_by_name(s, n.constraints, saltus_system_constraint, row.mu, 1),
        cli_json_by_name(s, n.memories, saltus_system_memory, row.c, 1),
        cli_json_by_name(s, n.outputs, saltus_system_output, row.output, 1),
        motion_json(s, row.a, 0),
        cli_json_object("kinetic:n potential:n", row.kinetic, row.potential),
        motion_json(s, row.v, 1), motion_json(s, row.a, 1));
}

void cli_result_run(cli_session *s, json_t *object, const cli_gradients *g, int with_jumps)
{
    if (!object || !s->cost) return; /* not requested, or not simulated */
    json_t           *events = json_array();
    CLI_OWNED double *rates = event_rates(s);
    for (int i = 0; i < s->events; i++)
        json_array_append_new(events, event_json(s, i, g, rates, with_jumps));
    cli_json_add(object, "costs:j events:j final:j end:s", costs_json(s, g), events, final_json(s),
                 cli_session_end(s));
    if (g && !g->error.status) cli_json_add(object, "end_gradient:j", row_json(s, g->end));
}

void cli_result_line(cli_session *s, json_t *object, const cli_gradients *g, int all)
{
    if (all) cli_result_run(s, object, g, 0);
    if (all || !s->cost) return;
    cli_json_add(object, "costs:j end:s", costs_json(s, g), cli_session_end(s));
}

/* ---- tail ----------------------------------------------------------------------------------- */

json_t *cli_json_error(const saltus_error *error)
{
    return cli_json_object("status:s message:s file:e line:j", saltus_status_name(error->status),
                           *error->message ? error->message : saltus_status_text(error->status),
                           error->file, error->line > 0 ? json_integer(error->line) : json_null());
}

/* All members that may differ between two equal runs. */
static json_t *stats_json(const cli_session *s)
{
    json_t                *stats = json_object();
    const saltus_run_info *info = saltus_run_get_info(s->run);
    if (s->run && s->arguments->threads) cli_json_add(stats, "threads:i", s->arguments->threads);
    if (s->run)
        cli_json_add(stats, "steps:l rejected:l evaluations:l replayed:l", info->steps,
                     info->rejected, info->evaluations, info->replayed);
    json_object_update(stats, s->stats);
    return stats;
}

void cli_result_tail(cli_session *s)
{
    if (!s->result) return;
    cli_json_add(s->result, "warnings:j", cli_json_texts(s->warnings, s->warning_count));
    if (s->error.status) cli_json_add(s->result, "error:j", cli_json_error(&s->error));
    json_object_del(s->result, "stats"); /* keeps it last in a second call */
    cli_json_add(s->result, "stats:j", stats_json(s));
}

void cli_result_of_error(const saltus_error *error, int indent)
{
    cli_json_print(cli_json_object("saltus:s error:j", saltus_version(), cli_json_error(error)),
                   stdout, indent);
}

int cli_refuse(const cli_arguments *a, const saltus_error *error)
{
    if (a->json || a->jsonl) cli_result_of_error(error, a->jsonl ? 0 : 2);
    cli_error_print(a->err, error, a->plain);
    return saltus_status_exit_code(error->status);
}
