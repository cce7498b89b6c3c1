/* saltus show: describes a model without running it. The description is JSON; the tables are made
 * from it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "session.h"
#include "text.h"

/* ---- the description ------------------------------------------------------------------------ */

static json_t *name_json(saltus_name_info info)
{
    return cli_json_object("name:s unit:e doc:e line:i", info.name, info.unit, info.doc, info.line);
}

/* Whether a parameter is shown: all are, unless --wrt names some. */
static int is_shown(const cli_session *s, int param)
{
    int chosen = cli_argument(s->arguments, CLI_OPTION_WRT) == NULL;
    for (int i = 0; i < s->params.count; i++) chosen |= s->params.index[i] == param;
    return chosen;
}

static json_t *param_json(const cli_session *s, int i)
{
    const saltus_param_info info = saltus_system_param(s->system, i);
    if (!is_shown(s, i)) return NULL;
    return cli_json_object("name:s value:n lower:n upper:n fixed:b unit:e doc:e", info.name,
                           info.value, info.lower, info.upper, info.fixed, info.unit, info.doc);
}

static json_t *setting_json(const cli_session *s, int i)
{
    const saltus_setting_info info = saltus_system_setting(s->system, i);
    return cli_json_object("name:s value:j", info.name,
                           info.text ? cli_json_text(info.text) : cli_json_number(info.value));
}

/* Describes a coordinate. Where it is guessed, its speed follows from constraints. */
static json_t *coordinate_json(const cli_session *s, int i)
{
    if (saltus_system_is_state(s->system, i)) return NULL;
    const saltus_start_info at = saltus_system_coordinate_start(s->system, i);
    return cli_json_add(name_json(saltus_system_coordinate(s->system, i)),
                        "start:e start_value:n speed:e speed_value:n guessed:b", at.start,
                        at.start_value, at.guessed ? NULL : at.speed,
                        at.guessed ? NAN : at.speed_value, at.guessed);
}

static json_t *state_json(const cli_session *s, int i)
{
    if (!saltus_system_is_state(s->system, i)) return NULL;
    const saltus_start_info at = saltus_system_coordinate_start(s->system, i);
    return cli_json_add(name_json(saltus_system_coordinate(s->system, i)), "start:e start_value:n",
                        at.speed, at.speed_value);
}

static json_t *memory_json(const cli_session *s, int i)
{
    const saltus_start_info at = saltus_system_memory_start(s->system, i);
    return cli_json_add(name_json(saltus_system_memory(s->system, i)), "start:e start_value:n",
                        at.start, at.start_value);
}

static json_t *constraint_json(const cli_session *s, int i)
{
    return cli_json_add(name_json(saltus_system_constraint(s->system, i)), "alpha:n",
                        saltus_system_constraint_alpha(s->system, i));
}

/* "static" and "kinetic" of dry friction are the largest forces. */
static json_t *contact_json(const cli_session *s, int i)
{
    const saltus_contact_info info = saltus_system_contact(s->system, i);
    const char               *start = info.starts_closed ? "closed" : "open";
    return cli_json_object("name:s touches:b closes:b rests:b static:e kinetic:e restitution:e "
                           "start:s line:i",
                           info.name, info.touches, info.closes, info.rests, info.mu_static,
                           info.mu_kinetic, info.restitution, info.touches ? start : NULL,
                           info.line);
}

/* Whether the run finds the mode of a group at the start: of a contact with friction that starts
 * closed, and of dry friction, which stick or slide. */
static int is_found_by_the_run(const cli_session *s, const char *group)
{
    for (int i = 0; i < s->size.contacts; i++) {
        const saltus_contact_info info = saltus_system_contact(s->system, i);
        if (strcmp(info.name, group) == 0)
            return info.mu_static[0] && (info.starts_closed || !info.touches);
    }
    return 0;
}

/* Whether a mode is active at the start, as the first one of its group. */
static int is_initial(const cli_session *s, int mode)
{
    const char *group = saltus_system_mode_group(s->system, mode);
    if (is_found_by_the_run(s, group)) return 0;
    for (int i = 0; i < mode; i++)
        if (strcmp(saltus_system_mode_group(s->system, i), group) == 0) return 0;
    return 1;
}

static json_t *mode_json(const cli_session *s, int i)
{
    const saltus_name_info info = saltus_system_mode(s->system, i);
    return cli_json_object("name:s group:e initial:b line:i", info.name,
                           saltus_system_mode_group(s->system, i), is_initial(s, i), info.line);
}

static json_t *event_json(const cli_session *s, int i)
{
    const saltus_event_info info = saltus_system_event(s->system, i);
    return cli_json_object("name:s when:e direction:s from:e to:e law:e stop:j automatic:b line:i",
                           info.name, info.when, cli_direction_name(info.direction), info.from,
                           info.to, info.law, info.stop ? json_integer(info.stop) : json_null(),
                           info.automatic, info.line);
}

static json_t *cost_json(const cli_session *s, int i)
{
    int         lowest = 0;
    const int   samples = saltus_system_cost_samples(s->system, i);
    const char *peak = saltus_system_cost_peak(s->system, i, &lowest);
    return cli_json_add(
        name_json(saltus_system_cost(s->system, i)), "integral:e final:e max:e min:e samples:j",
        saltus_system_cost_integral(s->system, i), saltus_system_cost_final(s->system, i),
        lowest ? "" : peak, lowest ? peak : "", samples ? json_integer(samples) : json_null());
}

static json_t *output_json(const cli_session *s, int i)
{
    return name_json(saltus_system_output(s->system, i));
}

/* The whole description. It is the member "description", as "costs" and "events" of results are
 * those of a run. */
static json_t *description_json(const cli_session *s)
{
    const saltus_size n = s->size;
    double            start = 0.0;
    const char       *end = NULL;
    saltus_system_horizon(s->system, &start, &end);
    return cli_json_object(
        "horizon:j parameters:j coordinates:j states:j constraints:j memories:j contacts:j modes:j "
        "events:j costs:j outputs:j terms:i templates:i",
        cli_json_object("start:n end:e", start, end), cli_json_list(s, n.params, param_json),
        cli_json_list(s, n.coordinates, coordinate_json),
        cli_json_list(s, n.coordinates, state_json),
        cli_json_list(s, n.constraints, constraint_json), cli_json_list(s, n.memories, memory_json),
        cli_json_list(s, n.contacts, contact_json), cli_json_list(s, n.modes, mode_json),
        cli_json_list(s, n.events, event_json), cli_json_list(s, n.costs, cost_json),
        cli_json_list(s, n.outputs, output_json), n.terms, n.templates);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* "x0 = 0.75", "0.75", or "guess -1"; "" where the value follows from constraints. */
static void start_cell(cli_table *table, const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    const int   at_start = strcmp(key, "start") == 0;
    const char *guess = at_start && json_is_true(json_object_get(entry, "guessed")) ? "guess " : "";
    const double value =
        json_number_value(json_object_get(entry, at_start ? "start_value" : "speed_value"));
    if (!text) text = guess = "";
    const int plain = text[strspn(text, "+-.0123456789e")] == 0; /* a number */
    char     *cell =
        plain ? cli_format("%s%s", guess, text) : cli_format("%s%s = %.10g", guess, text, value);
    cli_table_cell(table, cell);
    free(cell);
}

static void kind_cell(cli_table *table, const json_t *contact)
{
    const int touches = json_is_true(json_object_get(contact, "touches"));
    const int closes = json_is_true(json_object_get(contact, "closes"));
    cli_table_cell(table, !touches ? "dry friction" : closes ? "contact" : "contact, only bounces");
}

/* "mu", "mu_s, sliding mu_k", "at most F"; "" without friction. */
static void friction_cell(cli_table *table, const json_t *contact)
{
    const char *sticking = json_string_value(json_object_get(contact, "static"));
    const char *sliding = json_string_value(json_object_get(contact, "kinetic"));
    const char *most = json_is_true(json_object_get(contact, "touches")) ? "" : "at most ";
    if (!sticking || !sliding) sticking = sliding = "";
    CLI_OWNED char *cell = strcmp(sticking, sliding) == 0
                               ? cli_format("%s%s", most, sticking)
                               : cli_format("%s%s, sliding %s", most, sticking, sliding);
    cli_table_cell(table, cell);
}

/* Longer expressions are cut, unless --verbose is given. */
enum { EXPRESSION_SHOWN = 48 };

/* Adds a text, cut after a whole word. Returns 1 if it was cut. */
static int text_cell(cli_table *table, const char *text, int most)
{
    if (cli_width(text) <= most) {
        cli_table_cell(table, text);
        return 0;
    }
    size_t length = (size_t)most - 4;
    while (length > 0 && text[length] != ' ') length--;
    CLI_OWNED char *cell = cli_format("%.*s ...", (int)(length ? length : (size_t)most - 4), text);
    cli_table_cell(table, cell);
    return 1;
}

/* Adds a value; a flag that is set shows its name, null shows nothing. */
static int value_cell(cli_table *table, const json_t *entry, const char *key, int verbose)
{
    const json_t *value = json_object_get(entry, key);
    const int     starts = json_object_get(entry, "start_value") != NULL;
    if (starts && (strcmp(key, "start") == 0 || strcmp(key, "speed") == 0))
        start_cell(table, entry, key);
    else if (strcmp(key, "touches") == 0) kind_cell(table, entry);
    else if (strcmp(key, "static") == 0) friction_cell(table, entry);
    else if (json_is_string(value))
        return text_cell(table, json_string_value(value),
                         cli_is_one_of(key, "when integral final max min") && !verbose
                             ? EXPRESSION_SHOWN
                             : INT_MAX);
    else if (json_is_integer(value)) cli_table_integer(table, json_integer_value(value));
    else if (json_is_real(value)) cli_table_number(table, json_real_value(value));
    else cli_table_cell(table, json_is_true(value) ? key : "");
    return 0;
}

/* A row per entry of the list, a column per key; keys are separated by blanks. */
static void print_list(const cli_session *s, const char *title, const json_t *list,
                       const char *columns, const char *keys)
{
    cli_table *table = cli_table_of(title, 1, columns);
    int        cut = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        for (const char *next = keys; next;) {
            CLI_OWNED char *key = cli_next_part(&next, " ");
            cut |= value_cell(table, json_array_get(list, i), key, s->arguments->verbose);
        }
    cli_session_table(s, table);
    if (cut) printf("  ... (--verbose shows all of an expression)\n\n");
}

/* Traits of contacts, each of which has an explanation. */
enum { TOUCHES = 1, CLOSES = 2, RUBS = 4, IS_SMOOTH = 8, ONLY_BOUNCES = 16, RESTS = 32 };

static unsigned traits_of(saltus_contact_info info)
{
    const int rubs = info.mu_static[0] != 0, closes = info.touches && info.closes;
    return (info.touches ? TOUCHES : 0) | (closes ? CLOSES : 0) | (rubs ? RUBS : 0) |
           (closes && !rubs ? IS_SMOOTH : 0) | (info.closes ? 0 : ONLY_BOUNCES) |
           (info.rests ? RESTS : 0);
}

typedef struct meaning {
    unsigned    of; /* the trait that it explains */
    const char *names, *text;
} meaning;

static void print_meanings(const char *title, const meaning *list, int count, unsigned traits)
{
    printf("  %s:\n", title);
    for (int i = 0; i < count; i++)
        if (list[i].of & traits) printf("    %-24s  %s\n", list[i].names, list[i].text);
}

/* Explains the names of modes and events of contacts. */
static void explain_contacts(const cli_session *s)
{
    static const meaning modes[] = {
        {TOUCHES, "NAME.open", "it does not touch"},
        {RUBS, "NAME.stick", "it holds"},
        {RUBS, "NAME.slide+, NAME.slide-", "it slides"},
        {IS_SMOOTH, "NAME.closed", "it touches, and slides without friction"},
        {ONLY_BOUNCES, "NAME.closed", "never, if it only bounces"},
    };
    static const meaning events[] = {
        {TOUCHES, "NAME", "it touches"},
        {CLOSES, "NAME.leave", "it lets go"},
        {RUBS, "NAME.slip", "it begins to slide"},
        {RUBS, "NAME.stop", "it stops sliding"},
        {RESTS, "NAME.rest", "its bounces are over, and it rests"},
    };
    unsigned traits = 0;
    for (int i = 0; i < s->size.contacts; i++)
        traits |= traits_of(saltus_system_contact(s->system, i));
    if (!traits) return;
    print_meanings("modes", modes, sizeof modes / sizeof *modes, traits);
    print_meanings("events", events, sizeof events / sizeof *events, traits);
    printf("\n");
}

static void show_solver(const cli_session *s)
{
    char       buffer[64];
    cli_table *table = cli_table_of("solver", 1, "option|value|what it is");
#define ROW(name, kind, text)                                                                      \
    cli_table_row(table, "sss", #name, saltus_options_get(&s->options, #name, buffer), text);
    SALTUS_OPTION_LIST(ROW)
#undef ROW
    cli_session_table(s, table);
}

static void show_tables(const cli_session *s, const json_t *description)
{
    static const struct {
        const char *title, *columns, *keys;
    } tables[] = {
        {"parameters", "name|>value|>lower|>upper|unit||what it is",
         "name value lower upper unit fixed doc"},
        {"settings", "name|value", "name value"},
        {"coordinates", "name|start|speed|unit|>line|what it is", "name start speed unit line doc"},
        {"states", "name|start|unit|>line|what it is", "name start unit line doc"},
        {"constraints", "name|>alpha|>line", "name alpha line"},
        {"memories", "name|start|>line", "name start line"},
        {"contacts", "name|what it is|friction|restitution|start|>line",
         "name touches static restitution start line"},
        {"modes", "name|group||>line", "name group initial line"},
        {"events", "name|when|direction|from|to|law|>stop|>line",
         "name when direction from to law stop line"},
        {"costs", "name|integral|final|max|min|>samples|unit|>line|what it is",
         "name integral final max min samples unit line doc"},
        {"outputs", "name|unit|>line|what it is", "name unit line doc"},
    };
    const json_t *horizon = json_object_get(description, "horizon");
    json_t       *settings = cli_json_list(s, s->size.settings, setting_json);
    cli_session_title(s);
    printf("from t = %.10g to ", json_number_value(json_object_get(horizon, "start")));
    if (isnan(s->options.t_end))
        cli_print(stdout, "%s\n\n", json_string_value(json_object_get(horizon, "end")));
    else printf("%.10g (--until)\n\n", s->options.t_end);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const json_t *list = json_object_get(description, tables[i].title);
        print_list(s, tables[i].title, list ? list : settings, tables[i].columns, tables[i].keys);
        if (strcmp(tables[i].title, "contacts") == 0) explain_contacts(s);
    }
    json_decref(settings);
    if (s->arguments->verbose) show_solver(s);
    printf("%d %s in %d %s\n", s->size.terms, s->size.terms == 1 ? "term" : "terms",
           s->size.templates, s->size.templates == 1 ? "template" : "templates");
}

int cli_command_show(const cli_arguments *arguments)
{
    cli_session session;
    if (cli_session_open(&session, arguments)) {
        json_t *description = description_json(&session);
        if (cli_session_prints(&session)) show_tables(&session, description);
        if (session.result) cli_json_add(session.result, "description:j", json_incref(description));
        json_decref(description);
    }
    return cli_session_close(&session);
}
