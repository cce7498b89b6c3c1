/* The JSON object that --json prints. */
#include "json_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event_notes.h"
#include "jumps.h"
#include "text.h"

/* ---- values --------------------------------------------------------------------------------- */

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_text(const char *text)
{
    if (!text) return json_null();
    char   *valid = cli_valid_utf8(text);
    json_t *value = json_string(valid);
    free(valid);
    return value;
}

void cli_json_set(json_t *object, const char *name, json_t *value)
{
    char *valid = cli_valid_utf8(name);
    json_object_set_new(object, valid, value);
    free(valid);
}

void cli_json_print(const json_t *value, FILE *stream, int indent)
{
    const size_t layout = indent ? JSON_INDENT((size_t)indent) : JSON_COMPACT;
    const int    failed = json_dumpf(value, stream, layout | JSON_REAL_PRECISION(17));
    if (failed && !ferror(stream)) cli_out_of_memory(); /* nothing else can fail in it */
    fputc('\n', stream);
}

static json_t *names_json(const char *(*name)(const cli_session *, int), const cli_session *s,
                          int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_text(name(s, i)));
    return array;
}

/* ---- head ----------------------------------------------------------------------------------- */

static json_t *script_json(const cli_session *s)
{
    json_t *object = json_object();
    cli_json_set(object, "file", cli_json_text(s->arguments->model));
    cli_json_set(object, "sha256", cli_json_text(*s->sha256 ? s->sha256 : NULL));
    return object;
}

/* "discrete", or "adjoint,fd". */
static char *method_text(const saltus_method *method, int count)
{
    char *text = cli_copy(saltus_method_name(method[0]));
    for (int i = 1; i < count; i++) {
        char *longer = cli_format("%s,%s", text, saltus_method_name(method[i]));
        free(text);
        text = longer;
    }
    return text;
}

/* The methods this command was asked for; NULL where there is none. */
static char *asked_methods(const cli_arguments *a)
{
    if (a->command->function == cli_command_check || a->command->function == cli_command_report)
        return cli_copy("discrete");
    if (a->command->function != cli_command_gradient) return NULL;
    return method_text(a->method, a->method_count);
}

void cli_result_method(cli_session *s, const saltus_method *method, int count)
{
    char *text = method_text(method, count);
    cli_json_set(s->result, "method", cli_json_text(text)); /* stays where it is */
    free(text);
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
    cli_json_set(object, "method", cli_json_text(method));
    cli_json_set(object, "formulation",
                 cli_json_text(options->formulation == SALTUS_PENALTY ? "penalty" : "index1"));
    cli_json_set(object, "backend", cli_json_text(saltus_options_get(options, "backend", buffer)));
    cli_json_set(object, "until", cli_json_number(options->t_end));
    cli_json_set(object, "seed", json_integer(s->arguments->seed));
    cli_json_set(object, "wrt", names_json(cli_param_name, s, s->params.count));
    cli_json_set(object, "cost", names_json(cli_cost_name, s, s->costs.count));
    return object;
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
    cli_json_set(s->result, "saltus", cli_json_text(saltus_version()));
    cli_json_set(s->result, "script", script_json(s));
    if (!s->system) return;
    char *method = asked_methods(s->arguments);
    cli_json_set(s->result, "options", options_json(s, method));
    cli_json_set(s->result, "model", cli_json_text(saltus_system_name(s->system)));
    cli_json_set(s->result, "method", cli_json_text(method));
    if (method && strstr(method, "auto")) cli_json_set(s->result, "chosen", cli_json_text("auto"));
    cli_json_set(s->result, "parameters", cli_result_parameters(s));
    cli_json_set(s->result, "settings", settings_json(s));
    free(method);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* {param: x} of one row of a gradient. */
static json_t *row_json(const cli_session *s, const double *row)
{
    json_t *object = json_object();
    for (int i = 0; i < s->params.count; i++)
        cli_json_set(object, cli_param_name(s, i), cli_json_number(row[i]));
    return object;
}

static json_t *costs_json(const cli_session *s, const cli_gradients *g)
{
    json_t *object = json_object();
    for (int i = 0; i < s->costs.count; i++) {
        json_t *cost = json_object();
        cli_json_set(cost, "value", cli_json_number(s->cost[s->costs.index[i]]));
        if (g && !g->error.status)
            cli_json_set(cost, "gradient", row_json(s, g->cost + i * s->params.count));
        cli_json_set(object, cli_cost_name(s, i), cost);
    }
    return object;
}

static json_t *named_values(const cli_session *s, const double *values, int count,
                            saltus_name_info (*info)(const saltus_system *, int))
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        cli_json_set(object, info(s->system, i).name,
                     values ? cli_json_number(values[i]) : json_null());
    return object;
}

/* {constraint: x}, or null where the law of the event has no impulses. */
static json_t *impulses_json(const cli_session *s, int index)
{
    const int count = s->size.constraints;
    double   *impulse = cli_alloc((size_t)count, sizeof *impulse);
    json_t   *value = saltus_run_impulses(s->run, index, impulse)
                          ? named_values(s, impulse, count, saltus_system_constraint)
                          : json_null();
    free(impulse);
    return value;
}

/* How much an error may grow at the event; the matrix itself is for those who ask for it. */
static void jump_json(cli_session *s, json_t *event, int index, int with_jumps)
{
    if (!with_jumps && !cli_jumps_are_small(s)) return;
    cli_jump jump = cli_jump_of(s, index);
    cli_json_set(event, "jump_size", cli_json_number(jump.matrix ? jump.singular[0] : NAN));
    if (with_jumps) cli_json_set(event, "jump_matrix", cli_jump_json(&jump));
    cli_jump_free(&jump);
}

static json_t *event_json(cli_session *s, int index, const cli_gradients *g, const double *rates,
                          int with_jumps)
{
    const saltus_occurrence at = saltus_run_event(s->run, index);
    json_t                 *event = json_object();
    cli_json_set(event, "name", cli_json_text(at.name));
    cli_json_set(event, "time", cli_json_number(at.t));
    cli_json_set(event, "from", cli_json_text(at.from));
    cli_json_set(event, "to", cli_json_text(at.to));
    cli_json_set(event, "rate", cli_json_number(at.rate));
    if (g && !g->error.status && g->time)
        cli_json_set(event, "time_gradient", row_json(s, g->time + index * s->params.count));
    cli_json_set(event, "impulse", cli_json_number(at.impulse));
    cli_json_set(event, "impulses", impulses_json(s, index));
    cli_json_set(event, "energy_before", cli_json_number(at.energy_before));
    cli_json_set(event, "energy_after", cli_json_number(at.energy_after));
    cli_json_set(event, "energy_lost", cli_json_number(at.energy_before - at.energy_after));
    cli_json_set(event, "grazing", json_boolean(at.grazing));
    cli_json_set(event, "automatic",
                 json_boolean(saltus_system_event(s->system, at.event).automatic));
    jump_json(s, event, index, with_jumps);
    cli_json_set(event, "notes", cli_event_notes_notes(s, g, rates, index));
    return event;
}

static json_t *final_json(const cli_session *s)
{
    saltus_row   row;
    saltus_error err = {0};
    saltus_run_final(s->run, &row, &err);
    cli_need_memory(&err);
    if (err.status) return json_null();
    const saltus_size n = s->size;
    json_t           *final = json_object(), *energy = json_object();
    cli_json_set(final, "time", cli_json_number(row.t));
    cli_json_set(final, "mode", cli_json_text(row.mode));
    cli_json_set(final, "position",
                 named_values(s, row.q, n.coordinates, saltus_system_coordinate));
    cli_json_set(final, "velocity",
                 named_values(s, row.v, n.coordinates, saltus_system_coordinate));
    cli_json_set(final, "multiplier",
                 named_values(s, row.mu, n.constraints, saltus_system_constraint));
    cli_json_set(final, "memory", named_values(s, row.c, n.memories, saltus_system_memory));
    cli_json_set(final, "output", named_values(s, row.output, n.outputs, saltus_system_output));
    cli_json_set(final, "acceleration",
                 named_values(s, row.a, n.coordinates, saltus_system_coordinate));
    cli_json_set(energy, "kinetic", cli_json_number(row.kinetic));
    cli_json_set(energy, "potential", cli_json_number(row.potential));
    cli_json_set(final, "energy", energy);
    return final;
}

void cli_result_run(cli_session *s, json_t *object, const cli_gradients *g, int with_jumps)
{
    if (!object || !s->cost) return; /* not wanted, or not simulated */
    json_t *events = json_array();
    double *rates = cli_event_notes_rates(s);
    for (int i = 0; i < s->events; i++)
        json_array_append_new(events, event_json(s, i, g, rates, with_jumps));
    free(rates);
    cli_json_set(object, "costs", costs_json(s, g));
    cli_json_set(object, "events", events);
    cli_json_set(object, "final", final_json(s));
    cli_json_set(object, "end", cli_json_text(cli_session_end(s)));
    if (g && !g->error.status) cli_json_set(object, "end_gradient", row_json(s, g->end));
}

void cli_result_line(cli_session *s, json_t *object, const cli_gradients *g, int all)
{
    if (all) cli_result_run(s, object, g, 0);
    if (all || !s->cost) return;
    cli_json_set(object, "costs", costs_json(s, g));
    cli_json_set(object, "end", cli_json_text(cli_session_end(s)));
}

/* ---- tail ----------------------------------------------------------------------------------- */

json_t *cli_json_error(const saltus_error *error)
{
    json_t *object = json_object();
    cli_json_set(object, "status", cli_json_text(saltus_status_name(error->status)));
    cli_json_set(
        object, "message",
        cli_json_text(*error->message ? error->message : saltus_status_text(error->status)));
    cli_json_set(object, "file", cli_json_text(*error->file ? error->file : NULL));
    cli_json_set(object, "line", error->line > 0 ? json_integer(error->line) : json_null());
    return object;
}

/* Everything that may differ between two equal runs. */
static json_t *stats_json(const cli_session *s)
{
    json_t *stats = json_object();
    if (s->run && s->arguments->threads)
        cli_json_set(stats, "threads", json_integer(s->arguments->threads));
    if (s->run) {
        const saltus_run_info *info = saltus_run_get_info(s->run);
        cli_json_set(stats, "steps", json_integer(info->steps));
        cli_json_set(stats, "rejected", json_integer(info->rejected));
        cli_json_set(stats, "evaluations", json_integer(info->evaluations));
        cli_json_set(stats, "replayed", json_integer(info->replayed));
    }
    json_object_update(stats, s->stats);
    return stats;
}

void cli_result_tail(cli_session *s)
{
    if (!s->result) return;
    json_t *warnings = json_array();
    for (int i = 0; i < s->warning_count; i++)
        json_array_append_new(warnings, cli_json_text(s->warnings[i]));
    cli_json_set(s->result, "warnings", warnings);
    if (s->error.status) cli_json_set(s->result, "error", cli_json_error(&s->error));
    json_object_del(s->result,
                    "stats"); /* keeps it last if this is a second call, after an error */
    cli_json_set(s->result, "stats", stats_json(s));
}

void cli_result_of_error(const saltus_error *error, int indent)
{
    json_t *object = json_object();
    cli_json_set(object, "saltus", cli_json_text(saltus_version()));
    cli_json_set(object, "error", cli_json_error(error));
    cli_json_print(object, stdout, indent);
    json_decref(object);
}
