/* The model in a report: names, units, formulas, the command, the script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "library.h"
#include "report.h"
#include "text.h"

static json_t *name_json(const saltus_name_info info)
{
    json_t *object = cli_json_object("name:s", info.name);
    if (info.unit && *info.unit) cli_json_add(object, "unit:s", info.unit);
    if (info.doc && *info.doc) cli_json_add(object, "doc:s", info.doc);
    if (info.line > 0) cli_json_add(object, "line:i", info.line);
    return object;
}

static json_t *integers_json(const int *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *param_json(const cli_session *s, int i)
{
    const saltus_param_info p = saltus_system_param(s->system, i);
    json_t                 *object = name_json((saltus_name_info){p.name, p.unit, p.doc, 0});
    cli_json_add(object, "value:n", p.value);
    if (isfinite(p.lower)) cli_json_add(object, "lower:n", p.lower);
    if (isfinite(p.upper)) cli_json_add(object, "upper:n", p.upper);
    return p.fixed ? cli_json_add(object, "fixed:b", 1) : object;
}

static json_t *names_json(const cli_session *s, int count, cli_namer *info)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, name_json(info(s->system, i)));
    return array;
}

static json_t *coordinate_json(const cli_session *s, int i)
{
    return cli_json_add(name_json(saltus_system_coordinate(s->system, i)), "state:b",
                        saltus_system_is_state(s->system, i));
}

static json_t *cost_json(const cli_session *s, int i)
{
    int         lowest = 0;
    const char *peak = saltus_system_cost_peak(s->system, i, &lowest);
    return cli_json_add(
        name_json(saltus_system_cost(s->system, i)), "integral:s final:s peak:s lowest:b samples:i",
        saltus_system_cost_integral(s->system, i), saltus_system_cost_final(s->system, i), peak,
        lowest, saltus_system_cost_samples(s->system, i));
}

static json_t *contact_json(const cli_session *s, int i)
{
    const saltus_contact_info info = saltus_system_contact(s->system, i);
    return cli_json_object("name:s closes:b", info.name, info.closes);
}

static json_t *mode_json(const cli_session *s, int i)
{
    return cli_json_add(name_json(saltus_system_mode(s->system, i)), "group:s",
                        saltus_system_mode_group(s->system, i));
}

static json_t *event_json(const cli_session *s, int i)
{
    const saltus_event_info e = saltus_system_event(s->system, i);
    return cli_json_object("name:s when:s direction:s law:s automatic:b line:i", e.name, e.when,
                           cli_direction_name(e.direction), e.law, e.automatic, e.line);
}

/* ---- the command ---------------------------------------------------------------------------- */

/* A word of a shell command, in quotes if necessary. */
static char *quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./=,:@%";
    if (*word && strspn(word, plain) == strlen(word)) return cli_copy(word);
    return cli_quoted(word, "'", "'\\''");
}

static char *with_word(char *text, const char *word)
{
    CLI_OWNED char *quoted_word = quoted(word);
    text = cli_append(text, " %s", quoted_word);
    return text;
}

static char *command_text(const cli_arguments *a)
{
    char *text = cli_copy("saltus report");
    for (int i = 0; i < a->model_count; i++) text = with_word(text, a->models[i]);
    for (int i = 0; i < a->count; i++) {
        const cli_given *given = &a->given[i];
        char            *name = cli_format("--%s", cli_option_spelling(given->option));
        text = with_word(text, given->option == CLI_OPTION_OUTPUT ? "-o" : name);
        if (*cli_options[given->option].argument) text = with_word(text, given->value);
        free(name);
    }
    return text;
}

json_t *cli_report_model(const cli_session *s)
{
    const saltus_size n = s->size;
    CLI_OWNED char   *command = command_text(s->arguments);
    CLI_OWNED char   *comment = cli_script_comment(s->script);
    double            start = 0.0;
    const char       *end = NULL;
    saltus_system_horizon(s->system, &start, &end);
    json_t *object =
        cli_json_object("name:s doc:s command:s script:s start:n end:s",
                        saltus_system_name(s->system), comment, command, s->script, start, end);
    return cli_json_add(
        object,
        "params:j wrt:j coordinates:j constraints:j memories:j outputs:j costs:j contacts:j "
        "modes:j "
        "events:j",
        cli_json_list(s, n.params, param_json), integers_json(s->params.index, s->params.count),
        cli_json_list(s, n.coordinates, coordinate_json),
        names_json(s, n.constraints, saltus_system_constraint),
        names_json(s, n.memories, saltus_system_memory),
        names_json(s, n.outputs, saltus_system_output), cli_json_list(s, n.costs, cost_json),
        cli_json_list(s, n.contacts, contact_json), cli_json_list(s, n.modes, mode_json),
        cli_json_list(s, n.events, event_json));
}

/* ---- the drawing ---------------------------------------------------------------------------- */

static json_t *value_json(const saltus_draw_op op)
{
    static const char *const symbols[] = {
        [SALTUS_DRAW_TIME] = "t",   [SALTUS_DRAW_COORDINATE] = "q", [SALTUS_DRAW_VELOCITY] = "v",
        [SALTUS_DRAW_MEMORY] = "c", [SALTUS_DRAW_PARAM] = "p",
    };
    if (op.kind == SALTUS_DRAW_NUMBER) return cli_json_number(op.number);
    if (op.kind == SALTUS_DRAW_OPERATION)
        return op.b < 0 ? json_pack("[si]", saltus_op_name(op.op), op.a)
                        : json_pack("[sii]", saltus_op_name(op.op), op.a, op.b);
    return json_pack("[si]", symbols[op.kind], op.index);
}

static json_t *shape_json(const saltus_shape_info shape)
{
    json_t *object = cli_json_object("shape:s", saltus_shape_name(shape.shape));
    if (*shape.name) cli_json_add(object, "name:s", shape.name);
    cli_json_add(object, "numbers:j", integers_json(shape.value, shape.count));
    if (shape.modes) cli_json_add(object, "modes:j", integers_json(shape.mode, shape.modes));
    return object;
}

json_t *cli_report_drawing(cli_session *s)
{
    saltus_error    err = {0};
    saltus_drawing *drawing = saltus_drawing_new(s->system, &err);
    json_t         *steps = json_array(), *shapes = json_array();
    cli_need_memory(&err);
    for (int i = 0; drawing && i < saltus_drawing_ops(drawing); i++)
        json_array_append_new(steps, value_json(saltus_drawing_op(drawing, i)));
    for (int i = 0; drawing && i < saltus_drawing_shapes(drawing); i++)
        json_array_append_new(shapes, shape_json(saltus_drawing_shape(drawing, i)));
    saltus_drawing_free(drawing);
    return cli_json_object("steps:j shapes:j", steps, shapes);
}

/* ---- gradients ------------------------------------------------------------------------------ */

json_t *cli_report_methods(const cli_session *s, const cli_gradients *gradients)
{
    static const int shown[] = {CLI_CHECK_DISCRETE, CLI_CHECK_ADJOINT, CLI_CHECK_DIRECT,
                                CLI_CHECK_FD};
    json_t          *object = json_object();
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const cli_gradients *g = &gradients[shown[i]];
        if (!g->cost && !g->error.status) continue; /* not computed */
        json_t *method = json_object();
        if (g->error.status) cli_json_add(method, "error:s", g->error.message);
        else
            cli_json_add(method, "gradient:j times:j",
                         cli_json_matrix(g->cost, s->size.costs, s->params.count),
                         cli_json_matrix(g->time, s->events, s->params.count));
        cli_json_set(object, saltus_method_name(g->method), method);
    }
    return object;
}

json_t *cli_report_taylor(const cli_session *s, const cli_taylor *taylor)
{
    if (!taylor->steps) return json_null();
    return cli_json_object("epsilon:j remainder:j slope:j",
                           cli_json_numbers(taylor->epsilon, taylor->steps),
                           cli_json_matrix(taylor->remainder, s->size.costs, taylor->steps),
                           cli_json_numbers(taylor->slope, s->size.costs));
}
