/* saltus show: what a model consists of, without running it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "session.h"
#include "text.h"

/* ---- tables --------------------------------------------------------------------------------- */

/* All parameters, also those without a gradient, unless --wrt names some. */
static cli_choice shown_params(const cli_session *s)
{
    char *chosen = cli_alloc((size_t)s->size.params, 1);
    for (int i = 0; i < s->size.params; i++)
        chosen[i] = cli_argument(s->arguments, CLI_OPTION_WRT) == NULL;
    for (int i = 0; i < s->params.count; i++) chosen[s->params.index[i]] = 1;
    const cli_choice choice = cli_choice_of(chosen, s->size.params);
    free(chosen);
    return choice;
}

static void show_params(const cli_session *s)
{
    const cli_choice params = shown_params(s);
    cli_table *table = cli_table_of("parameters", 1, "name|>value|>lower|>upper|unit||what it is");
    for (int i = 0; i < params.count; i++) {
        const saltus_param_info info = saltus_system_param(s->system, params.index[i]);
        cli_table_cell(table, info.name);
        cli_table_number(table, info.value);
        cli_table_number_or_nothing(table, info.lower);
        cli_table_number_or_nothing(table, info.upper);
        cli_table_cell(table, info.unit);
        cli_table_cell(table, info.fixed ? "fixed" : "");
        cli_table_cell(table, info.doc);
    }
    free(params.index);
    cli_session_table(s, table);
}

static void show_settings(const cli_session *s)
{
    cli_table *table = cli_table_of("settings", 1, "name|value");
    for (int i = 0; i < s->size.settings; i++) {
        const saltus_setting_info info = saltus_system_setting(s->system, i);
        cli_table_cell(table, info.name);
        if (info.text) cli_table_cell(table, info.text);
        else cli_table_number(table, info.value);
    }
    cli_session_table(s, table);
}

static void show_names(const cli_session *s, const char *title, int count,
                       saltus_name_info (*get)(const saltus_system *, int))
{
    cli_table *table = cli_table_of(title, 1, "name|unit|>line|what it is");
    for (int i = 0; i < count; i++) {
        const saltus_name_info info = get(s->system, i);
        cli_table_cell(table, info.name);
        cli_table_cell(table, info.unit ? info.unit : "");
        cli_table_integer(table, info.line);
        cli_table_cell(table, info.doc ? info.doc : "");
    }
    cli_session_table(s, table);
}

/* "x0 = 0.75", "0.75", or "guess -1"; "" where the value follows from constraints. */
static void start_cell(cli_table *table, const char *text, double value, int guessed)
{
    const int plain = text[strspn(text, "+-.0123456789e")] == 0; /* a number, said once */
    char     *cell = plain ? cli_format("%s%s", guessed ? "guess " : "", text)
                           : cli_format("%s%s = %.10g", guessed ? "guess " : "", text, value);
    cli_table_cell(table, cell);
    free(cell);
}

static void show_coordinates(const cli_session *s)
{
    cli_table *table = cli_table_of("coordinates", 1, "name|start|speed|unit|>line|what it is");
    for (int i = 0; i < s->size.coordinates; i++) {
        const saltus_name_info  info = saltus_system_coordinate(s->system, i);
        const saltus_start_info at = saltus_system_coordinate_start(s->system, i);
        cli_table_cell(table, info.name);
        start_cell(table, at.start, at.start_value, at.guessed);
        if (at.guessed) cli_table_cell(table, "");
        else start_cell(table, at.speed, at.speed_value, 0);
        cli_table_cell(table, info.unit);
        cli_table_integer(table, info.line);
        cli_table_cell(table, info.doc);
    }
    cli_session_table(s, table);
}

static void show_memories(const cli_session *s)
{
    cli_table *table = cli_table_of("memories", 1, "name|start|>line");
    for (int i = 0; i < s->size.memories; i++) {
        const saltus_start_info at = saltus_system_memory_start(s->system, i);
        cli_table_cell(table, saltus_system_memory(s->system, i).name);
        start_cell(table, at.start, at.start_value, 0);
        cli_table_integer(table, saltus_system_memory(s->system, i).line);
    }
    cli_session_table(s, table);
}

static void show_constraints(const cli_session *s)
{
    cli_table *table = cli_table_of("constraints", 1, "name|>alpha|>line");
    for (int i = 0; i < s->size.constraints; i++) {
        cli_table_cell(table, saltus_system_constraint(s->system, i).name);
        cli_table_number_or_nothing(table, saltus_system_constraint_alpha(s->system, i));
        cli_table_integer(table, saltus_system_constraint(s->system, i).line);
    }
    cli_session_table(s, table);
}

/* The first mode of its group is active at the start. */
static int is_initial(const cli_session *s, int mode)
{
    const char *group = saltus_system_mode_group(s->system, mode);
    for (int i = 0; i < mode; i++)
        if (strcmp(saltus_system_mode_group(s->system, i), group) == 0) return 0;
    return 1;
}

static void show_modes(const cli_session *s)
{
    cli_table *table = cli_table_of("modes", 1, "name|group||>line");
    for (int i = 0; i < s->size.modes; i++) {
        cli_table_cell(table, saltus_system_mode(s->system, i).name);
        cli_table_cell(table, saltus_system_mode_group(s->system, i));
        cli_table_cell(table, is_initial(s, i) ? "initial" : "");
        cli_table_integer(table, saltus_system_mode(s->system, i).line);
    }
    cli_session_table(s, table);
}

static const char *direction_text(saltus_direction direction)
{
    return direction == SALTUS_RISING ? "rising" : direction == SALTUS_FALLING ? "falling" : "any";
}

static void show_events(const cli_session *s)
{
    cli_table *table = cli_table_of("events", 1, "name|when|direction|from|to|law|>stop|>line");
    for (int i = 0; i < s->size.events; i++) {
        const saltus_event_info info = saltus_system_event(s->system, i);
        cli_table_cell(table, info.name);
        cli_table_cell(table, info.when);
        cli_table_cell(table, direction_text(info.direction));
        cli_table_cell(table, info.from);
        cli_table_cell(table, info.to);
        cli_table_cell(table, info.law);
        if (info.stop) cli_table_integer(table, info.stop);
        else cli_table_cell(table, "");
        cli_table_integer(table, info.line);
    }
    cli_session_table(s, table);
}

static void show_costs(const cli_session *s)
{
    cli_table *table = cli_table_of("costs", 1, "name|integral|final|unit|>line|what it is");
    for (int i = 0; i < s->costs.count; i++) {
        const int              index = s->costs.index[i];
        const saltus_name_info info = saltus_system_cost(s->system, index);
        cli_table_cell(table, info.name);
        cli_table_cell(table, saltus_system_cost_integral(s->system, index));
        cli_table_cell(table, saltus_system_cost_final(s->system, index));
        cli_table_cell(table, info.unit);
        cli_table_integer(table, info.line);
        cli_table_cell(table, info.doc);
    }
    cli_session_table(s, table);
}

static void show_solver(const cli_session *s)
{
    char        buffer[64];
    const char *value;
    cli_table  *table = cli_table_of("solver", 1, "option|value|what it is");
#define ROW(name, kind, text)                                                                      \
    value = saltus_options_get(&s->options, #name, buffer);                                        \
    cli_table_cell(table, #name);                                                                  \
    cli_table_cell(table, value ? value : "");                                                     \
    cli_table_cell(table, text);
    SALTUS_OPTION_LIST(ROW)
#undef ROW
    cli_session_table(s, table);
}

static void show_tables(const cli_session *s)
{
    double      start = 0.0;
    const char *end = NULL;
    saltus_system_horizon(s->system, &start, &end);
    cli_session_title(s);
    printf("from t = %.10g to ", start);
    if (isnan(s->options.t_end)) cli_print(stdout, "%s\n\n", end);
    else printf("%.10g (--until)\n\n", s->options.t_end);
    show_params(s);
    show_settings(s);
    show_coordinates(s);
    show_constraints(s);
    show_memories(s);
    show_modes(s);
    show_events(s);
    show_costs(s);
    show_names(s, "outputs", s->size.outputs, saltus_system_output);
    if (s->arguments->verbose) show_solver(s);
    printf("%d %s in %d %s\n", s->size.terms, s->size.terms == 1 ? "term" : "terms",
           s->size.templates, s->size.templates == 1 ? "template" : "templates");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* A text that is not there ("") is null. */
static void set_text(json_t *object, const char *name, const char *text)
{
    cli_json_set(object, name, cli_json_text(text && *text ? text : NULL));
}

static void set_name(json_t *object, saltus_name_info info)
{
    cli_json_set(object, "name", cli_json_text(info.name));
    set_text(object, "unit", info.unit);
    set_text(object, "doc", info.doc);
    cli_json_set(object, "line", json_integer(info.line));
}

static json_t *names_json(const cli_session *s, int count,
                          saltus_name_info (*get)(const saltus_system *, int))
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        json_t *object = json_object();
        set_name(object, get(s->system, i));
        json_array_append_new(array, object);
    }
    return array;
}

static void set_start(json_t *object, const char *text, double value, const char *name,
                      const char *name_of_value)
{
    set_text(object, name, text);
    cli_json_set(object, name_of_value, cli_json_number(value));
}

static json_t *coordinates_json(const cli_session *s)
{
    json_t *array = names_json(s, s->size.coordinates, saltus_system_coordinate);
    for (int i = 0; i < s->size.coordinates; i++) {
        const saltus_start_info at = saltus_system_coordinate_start(s->system, i);
        json_t                 *object = json_array_get(array, (size_t)i);
        set_start(object, at.start, at.start_value, "start", "start_value");
        set_start(object, at.guessed ? NULL : at.speed, at.guessed ? NAN : at.speed_value, "speed",
                  "speed_value");
        cli_json_set(object, "guessed", json_boolean(at.guessed));
    }
    return array;
}

static json_t *memories_json(const cli_session *s)
{
    json_t *array = names_json(s, s->size.memories, saltus_system_memory);
    for (int i = 0; i < s->size.memories; i++) {
        const saltus_start_info at = saltus_system_memory_start(s->system, i);
        set_start(json_array_get(array, (size_t)i), at.start, at.start_value, "start",
                  "start_value");
    }
    return array;
}

static json_t *constraints_json(const cli_session *s)
{
    json_t *array = names_json(s, s->size.constraints, saltus_system_constraint);
    for (int i = 0; i < s->size.constraints; i++)
        cli_json_set(json_array_get(array, (size_t)i), "alpha",
                     cli_json_number(saltus_system_constraint_alpha(s->system, i)));
    return array;
}

static json_t *params_json(const cli_session *s)
{
    const cli_choice params = shown_params(s);
    json_t          *array = json_array();
    for (int i = 0; i < params.count; i++) {
        const saltus_param_info info = saltus_system_param(s->system, params.index[i]);
        json_t                 *object = json_object();
        cli_json_set(object, "name", cli_json_text(info.name));
        cli_json_set(object, "value", cli_json_number(info.value));
        cli_json_set(object, "lower", cli_json_number(info.lower));
        cli_json_set(object, "upper", cli_json_number(info.upper));
        cli_json_set(object, "fixed", json_boolean(info.fixed));
        set_text(object, "unit", info.unit);
        set_text(object, "doc", info.doc);
        json_array_append_new(array, object);
    }
    free(params.index);
    return array;
}

static json_t *modes_json(const cli_session *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->size.modes; i++) {
        json_t *object = json_object();
        cli_json_set(object, "name", cli_json_text(saltus_system_mode(s->system, i).name));
        set_text(object, "group", saltus_system_mode_group(s->system, i));
        cli_json_set(object, "initial", json_boolean(is_initial(s, i)));
        cli_json_set(object, "line", json_integer(saltus_system_mode(s->system, i).line));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *events_json(const cli_session *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->size.events; i++) {
        const saltus_event_info info = saltus_system_event(s->system, i);
        json_t                 *object = json_object();
        cli_json_set(object, "name", cli_json_text(info.name));
        set_text(object, "when", info.when);
        cli_json_set(object, "direction", cli_json_text(direction_text(info.direction)));
        set_text(object, "from", info.from);
        set_text(object, "to", info.to);
        set_text(object, "law", info.law);
        cli_json_set(object, "stop", info.stop ? json_integer(info.stop) : json_null());
        cli_json_set(object, "automatic", json_boolean(info.automatic));
        cli_json_set(object, "line", json_integer(info.line));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *costs_json(const cli_session *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->costs.count; i++) {
        const int index = s->costs.index[i];
        json_t   *object = json_object();
        set_name(object, saltus_system_cost(s->system, index));
        set_text(object, "integral", saltus_system_cost_integral(s->system, index));
        set_text(object, "final", saltus_system_cost_final(s->system, index));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *horizon_json(const cli_session *s)
{
    double      start = 0.0;
    const char *end = NULL;
    json_t     *object = json_object();
    saltus_system_horizon(s->system, &start, &end);
    cli_json_set(object, "start", cli_json_number(start));
    set_text(object, "end", end);
    return object;
}

/* Under "description", because "costs" and "events" elsewhere mean those of a run. */
static json_t *description_json(const cli_session *s)
{
    json_t *object = json_object();
    cli_json_set(object, "horizon", horizon_json(s));
    cli_json_set(object, "parameters", params_json(s));
    cli_json_set(object, "coordinates", coordinates_json(s));
    cli_json_set(object, "constraints", constraints_json(s));
    cli_json_set(object, "memories", memories_json(s));
    cli_json_set(object, "modes", modes_json(s));
    cli_json_set(object, "events", events_json(s));
    cli_json_set(object, "costs", costs_json(s));
    cli_json_set(object, "outputs", names_json(s, s->size.outputs, saltus_system_output));
    cli_json_set(object, "terms", json_integer(s->size.terms));
    cli_json_set(object, "templates", json_integer(s->size.templates));
    return object;
}

int cli_command_show(const cli_arguments *arguments)
{
    cli_session session;
    if (cli_session_open(&session, arguments)) {
        if (session.result) cli_json_set(session.result, "description", description_json(&session));
        if (cli_session_prints(&session)) show_tables(&session);
    }
    return cli_session_close(&session);
}
