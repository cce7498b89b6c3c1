/* saltus diff: compares two results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "text.h"

/* ---- the two results ------------------------------------------------------------------------ */

/* Computes what `saltus gradient MODEL --json` prints, with the options of this command line.
 * Messages are printed as usual. */
static json_t *compute(const cli_arguments *arguments, const char *model, int *status)
{
    cli_arguments   one = *arguments;
    CLI_OWNED char *text = NULL;
    size_t          size = 0;
    one.command = cli_command_find("gradient");
    one.model = model;
    one.json = 1;
    one.out = cli_memory_open(&text, &size);
    *status = one.command->function(&one);
    cli_memory_close(one.out, &text);
    return json_loadb(text, size, 0, NULL);
}

static int is_json(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", text[i]) && text[i]) i++;
    return i < length && text[i] == '{';
}

/* Reads a saved result, which is recognised by its first character: no script begins with it. */
static json_t *read_result(const cli_arguments *arguments, const char *path, int *status,
                           saltus_error *err)
{
    size_t       length = 0;
    json_error_t wrong;
    char        *text = strcmp(path, "-") == 0 ? NULL : cli_read_file(path, &length, err);
    if (err->status) *err = (saltus_error){0}; /* the model's message is more helpful */
    if (!text || !is_json(text, length)) {
        free(text);
        return compute(arguments, path, status);
    }
    json_t *result = json_loadb(text, length, 0, &wrong);
    free(text);
    if (!result)
        cli_fail(err, SALTUS_ERR_FILE, "%s, line %d: %s: not a result that --json has printed",
                 path, wrong.line, wrong.text);
    else if (!json_is_object(json_object_get(result, "costs")))
        cli_fail(err, SALTUS_ERR_FILE,
                 "%s has no \"costs\": give a model, or what 'saltus run' or 'saltus gradient' "
                 "print with --json",
                 path);
    return result;
}

/* ---- printing ------------------------------------------------------------------------------- */

static double get(const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

static void print_costs(const json_t *rows, FILE *stream, cli_style style)
{
    cli_table *table = cli_table_of("costs", 1, "cost|>A|>B|>change|>per cent|");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const int     equal = json_is_true(json_object_get(row, "same"));
        cli_table_row(table, "snnok", text_of(row, "name"), get(row, "a"), get(row, "b"),
                      equal ? NAN : get(row, "change"), equal ? NAN : 100.0 * get(row, "relative"));
        cli_table_cell(table, equal ? "same" : "");
    }
    cli_table_print(table, stream, style);
}

static void print_rows(const json_t *rows, const char *title, const char *columns,
                       const char *first, const char *second, FILE *stream, cli_style style)
{
    cli_table *table = cli_table_of(title, second ? 2 : 1, columns);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        cli_table_row(table, "s", text_of(row, first));
        if (second && json_is_integer(json_object_get(row, second)))
            cli_table_integer(table, json_integer_value(json_object_get(row, second)));
        else if (second) cli_table_cell(table, text_of(row, second));
        cli_table_row(table, "nno", get(row, "a"), get(row, "b"), get(row, "change"));
    }
    cli_table_print(table, stream, style);
}

static void print_differences(const cli_arguments *a, const json_t *d)
{
    const cli_style style = cli_style_of(a->out, a->plain);
    const json_t   *unchanged = json_object_get(d, "unchanged");
    cli_print(a->out, "A: %s\nB: %s\n\n", a->models[0], a->models[1]);
    print_rows(json_object_get(d, "parameters"), "parameters that differ",
               "parameter|>A|>B|>change", "name", NULL, a->out, style);
    print_costs(json_object_get(d, "costs"), a->out, style);
    print_rows(json_object_get(d, "gradient"), "derivatives that differ", "cost|by|>A|>B|>change",
               "cost", "by", a->out, style);
    print_rows(json_object_get(d, "events"), "events that differ, by their times",
               "event|>#|>A|>B|>change", "name", "occurrence", a->out, style);
    cli_print(a->out, "%s, to %d digits: parameters %d, derivatives %d, events %d\n",
              json_is_true(json_object_get(d, "same")) ? "all the same" : "the same",
              CLI_SAME_DIGITS, (int)get(unchanged, "parameters"), (int)get(unchanged, "gradient"),
              (int)get(unchanged, "events"));
}

/* ---- the command ---------------------------------------------------------------------------- */

static json_t *head_of(const json_t *result, const char *path)
{
    return cli_json_object("file:s model:s", path, text_of(result, "model"));
}

int cli_command_diff(const cli_arguments *a)
{
    saltus_error err = {0};
    int          status[2] = {0, 0};
    json_t      *result[2] = {NULL, NULL};
    if (a->model_count < 2)
        cli_misuse(&err,
                   "diff compares two: write saltus diff %s OTHER, each a model or a file "
                   "that --json has printed",
                   a->model);
    if (a->method_count > 1) cli_misuse(&err, "diff compares gradients by one method: name one");
    for (int i = 0; i < 2 && !err.status; i++)
        result[i] = read_result(a, a->models[i], &status[i], &err);
    if (err.status) status[0] = cli_refuse(a, &err);
    else if (json_object_get(result[0], "costs") && json_object_get(result[1], "costs")) {
        json_t *d = cli_differences(result[0], result[1]);
        if (!a->json && !a->quiet) print_differences(a, d);
        if (a->json) {
            json_t *all =
                cli_json_object("saltus:s a:j b:j", saltus_version(),
                                head_of(result[0], a->models[0]), head_of(result[1], a->models[1]));
            json_object_update(all, d);
            cli_json_print(all, a->out, 2);
        }
        json_decref(d);
    }
    json_decref(result[0]);
    json_decref(result[1]);
    return status[0] > status[1] ? status[0] : status[1];
}
