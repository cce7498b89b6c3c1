/* What a report says of the model itself: names, units, formulas, the command, the script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "report.h"
#include "text.h"

static json_t *name_json(const saltus_name_info info)
{
    json_t *object = json_object();
    cli_json_set(object, "name", cli_json_text(info.name));
    if (info.unit && *info.unit) cli_json_set(object, "unit", cli_json_text(info.unit));
    if (info.doc && *info.doc) cli_json_set(object, "doc", cli_json_text(info.doc));
    return object;
}

static json_t *names_json(const cli_session *s, int count,
                          saltus_name_info (*info)(const saltus_system *, int))
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, name_json(info(s->system, i)));
    return array;
}

static json_t *params_json(const cli_session *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->size.params; i++) {
        const saltus_param_info p = saltus_system_param(s->system, i);
        json_t                 *object = name_json((saltus_name_info){p.name, p.unit, p.doc, 0});
        cli_json_set(object, "value", cli_json_number(p.value));
        if (isfinite(p.lower)) cli_json_set(object, "lower", cli_json_number(p.lower));
        if (isfinite(p.upper)) cli_json_set(object, "upper", cli_json_number(p.upper));
        if (p.fixed) cli_json_set(object, "fixed", json_true());
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *costs_json(const cli_session *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->costs.count; i++) {
        const int c = s->costs.index[i];
        json_t   *object = name_json(saltus_system_cost(s->system, c));
        cli_json_set(object, "integral", cli_json_text(saltus_system_cost_integral(s->system, c)));
        cli_json_set(object, "final", cli_json_text(saltus_system_cost_final(s->system, c)));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *modes_json(const cli_session *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->size.modes; i++) {
        json_t *object = name_json(saltus_system_mode(s->system, i));
        cli_json_set(object, "group", cli_json_text(saltus_system_mode_group(s->system, i)));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *events_json(const cli_session *s)
{
    static const char *const ways[] = {"any", "rising", "falling"};
    json_t                  *array = json_array();
    for (int i = 0; i < s->size.events; i++) {
        const saltus_event_info e = saltus_system_event(s->system, i);
        json_t                 *object = json_object();
        cli_json_set(object, "name", cli_json_text(e.name));
        cli_json_set(object, "when", cli_json_text(e.when));
        cli_json_set(object, "direction", cli_json_text(ways[e.direction]));
        cli_json_set(object, "law", cli_json_text(e.law));
        cli_json_set(object, "automatic", json_boolean(e.automatic));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *indices_json(const cli_choice *choice)
{
    json_t *array = json_array();
    for (int i = 0; i < choice->count; i++)
        json_array_append_new(array, json_integer(choice->index[i]));
    return array;
}

/* ---- the command ---------------------------------------------------------------------------- */

/* A word as a shell takes it: in quotes if it must be. */
static char *quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./=,:@%";
    if (*word && strspn(word, plain) == strlen(word)) return cli_copy(word);
    char *text = cli_alloc(4 * strlen(word) + 3, 1), *out = text;
    *out++ = '\'';
    for (; *word; word++) {
        if (*word == '\'') out += sprintf(out, "'\\''");
        else *out++ = *word;
    }
    *out = '\'';
    return text;
}

static char *with_word(char *text, const char *word)
{
    char *quoted_word = quoted(word), *longer = cli_format("%s %s", text, quoted_word);
    free(quoted_word);
    free(text);
    return longer;
}

static char *command_text(const cli_arguments *a)
{
    char *text = cli_copy("saltus report");
    char  spelled[32];
    text = with_word(text, a->model);
    for (int i = 0; i < a->count; i++) {
        const cli_given *given = &a->given[i];
        char            *name =
            cli_format("--%s", cli_option_spelling(given->option, spelled, sizeof spelled));
        text = with_word(text, given->option == CLI_OPTION_OUTPUT ? "-o" : name);
        if (*cli_options[given->option].argument) text = with_word(text, given->value);
        free(name);
    }
    return text;
}

json_t *cli_report_model(const cli_session *s)
{
    const saltus_size n = s->size;
    json_t           *object = json_object();
    char             *command = command_text(s->arguments);
    double            start = 0.0;
    const char       *end = NULL;
    saltus_system_horizon(s->system, &start, &end);
    cli_json_set(object, "name", cli_json_text(saltus_system_name(s->system)));
    cli_json_set(object, "command", cli_json_text(command));
    cli_json_set(object, "script", cli_json_text(s->script));
    cli_json_set(object, "start", cli_json_number(start));
    cli_json_set(object, "end", cli_json_text(end));
    cli_json_set(object, "params", params_json(s));
    cli_json_set(object, "wrt", indices_json(&s->params));
    cli_json_set(object, "coordinates", names_json(s, n.coordinates, saltus_system_coordinate));
    cli_json_set(object, "constraints", names_json(s, n.constraints, saltus_system_constraint));
    cli_json_set(object, "memories", names_json(s, n.memories, saltus_system_memory));
    cli_json_set(object, "outputs", names_json(s, n.outputs, saltus_system_output));
    cli_json_set(object, "costs", costs_json(s));
    cli_json_set(object, "modes", modes_json(s));
    cli_json_set(object, "events", events_json(s));
    free(command);
    return object;
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
    json_t *object = json_object(), *numbers = json_array(), *modes = json_array();
    for (int i = 0; i < shape.count; i++)
        json_array_append_new(numbers, json_integer(shape.value[i]));
    for (int i = 0; i < shape.modes; i++) json_array_append_new(modes, json_integer(shape.mode[i]));
    cli_json_set(object, "shape", cli_json_text(saltus_shape_name(shape.shape)));
    if (*shape.name) cli_json_set(object, "name", cli_json_text(shape.name));
    cli_json_set(object, "numbers", numbers);
    if (shape.modes) cli_json_set(object, "modes", modes);
    else json_decref(modes);
    return object;
}

json_t *cli_report_drawing(cli_session *s)
{
    saltus_error    err = {0};
    saltus_drawing *drawing = saltus_drawing_new(s->system, &err);
    json_t         *object = json_object(), *steps = json_array(), *shapes = json_array();
    cli_need_memory(&err);
    for (int i = 0; drawing && i < saltus_drawing_ops(drawing); i++)
        json_array_append_new(steps, value_json(saltus_drawing_op(drawing, i)));
    for (int i = 0; drawing && i < saltus_drawing_shapes(drawing); i++)
        json_array_append_new(shapes, shape_json(saltus_drawing_shape(drawing, i)));
    cli_json_set(object, "steps", steps);
    cli_json_set(object, "shapes", shapes);
    saltus_drawing_free(drawing);
    return object;
}

/* ---- gradients ------------------------------------------------------------------------------ */

static json_t *matrix_json(const double *values, int rows, int columns)
{
    json_t *matrix = json_array();
    for (int i = 0; i < rows; i++) {
        json_t *row = json_array();
        for (int k = 0; k < columns; k++)
            json_array_append_new(row, cli_json_number(values[i * columns + k]));
        json_array_append_new(matrix, row);
    }
    return matrix;
}

json_t *cli_report_methods(const cli_session *s, const cli_gradients *gradients)
{
    static const int shown[] = {CLI_CHECK_DISCRETE, CLI_CHECK_ADJOINT, CLI_CHECK_DIRECT,
                                CLI_CHECK_FD};
    json_t          *object = json_object();
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const cli_gradients *g = &gradients[shown[i]];
        if (!g->cost && !g->error.status) continue; /* not computed */
        json_t *method = json_object();
        if (g->error.status) {
            cli_json_set(method, "error", cli_json_text(g->error.message));
        } else {
            cli_json_set(method, "gradient", matrix_json(g->cost, s->costs.count, s->params.count));
            cli_json_set(method, "times", matrix_json(g->time, s->events, s->params.count));
        }
        cli_json_set(object, saltus_method_name(g->method), method);
    }
    return object;
}

json_t *cli_report_taylor(const cli_session *s, const cli_taylor *taylor)
{
    if (!taylor->steps) return json_null();
    json_t *object = json_object(), *epsilon = json_array(), *slope = json_array();
    for (int i = 0; i < taylor->steps; i++)
        json_array_append_new(epsilon, cli_json_number(taylor->epsilon[i]));
    for (int i = 0; i < s->costs.count; i++)
        json_array_append_new(slope, cli_json_number(taylor->slope[i]));
    cli_json_set(object, "epsilon", epsilon);
    cli_json_set(object, "remainder",
                 matrix_json(taylor->remainder, s->costs.count, taylor->steps));
    cli_json_set(object, "slope", slope);
    return object;
}
