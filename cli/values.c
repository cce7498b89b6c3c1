/* Values from outside: `--set name=value`, `--params FILE`, numbers in options. */
#define _POSIX_C_SOURCE 200809L
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "text.h"

/* ---- numbers -------------------------------------------------------------------------------- */

int cli_parse_real(const char *text, double *value)
{
    /* strtod would skip spaces and read "nan" and "infinity". */
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits) && *digits != '.') return 0;
    char        *end = NULL;
    const double x = strtod(text, &end);
    if (end == text || *end || !isfinite(x)) return 0;
    *value = x;
    return 1;
}

/* Whether a number is too large, as 1e400. */
static int is_too_large(const char *text)
{
    char        *end = NULL;
    const char  *digits = text + (*text == '-' || *text == '+');
    const double x = isdigit((unsigned char)*digits) ? strtod(text, &end) : 0.0;
    return end && !*end && isinf(x);
}

int cli_parse_count(const char *text, long long *value)
{
    if (!isdigit((unsigned char)*text)) return 0;
    char *end = NULL;
    errno = 0;
    const long long x = strtoll(text, &end, 10);
    if (*end || errno) return 0;
    *value = x;
    return 1;
}

int cli_parse_size(const char *text, long long *bytes)
{
    static const char suffixes[] = "kMGT";
    if (!isdigit((unsigned char)*text)) return 0;
    char *end = NULL;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (errno) return 0;
    const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
    if (suffix) {
        const int shift = 10 * (int)(suffix - suffixes + 1);
        if (x > (0x7fffffffffffffffLL >> shift)) return 0;
        x <<= shift;
        end++;
        if (*end == 'B') end++;
    }
    if (*end) return 0;
    *bytes = x;
    return 1;
}

/* ---- name=value ----------------------------------------------------------------------------- */

struct cli_origin {
    char *file; /* NULL: given on the command line */
    int   flag; /* 1: true or false, passed to the library as a text */
};

/* Adds a value; takes over name and text. */
static void add(cli_values *values, char *name, double number, char *text)
{
    values->origin = cli_grow(values->origin, values->count, sizeof *values->origin);
    values->origin[values->count] = (struct cli_origin){NULL, 0};
    *CLI_PUSH(values->value, values->count) =
        (saltus_override){.name = name, .value = number, .text = text};
}

static void drop(cli_values *values, int count)
{
    while (values->count > count) {
        const saltus_override *v = &values->value[--values->count];
        free((void *)(size_t)v->name);
        free((void *)(size_t)v->text);
        free(values->origin[values->count].file);
    }
}

/* The text without its quotes; NULL if it is not in quotes. */
static char *unquoted(const char *text)
{
    const size_t length = strlen(text);
    if (length < 2 || (*text != '"' && *text != '\'') || text[length - 1] != *text) return NULL;
    return cli_copy_part(text + 1, length - 2);
}

/* Whether a value looks like a list: `--set a=1,b=2` would set a to the text "1,b=2", but probably
 * two values were meant. */
static int looks_like_list(const char *value)
{
    const char *comma = strchr(value, ',');
    return comma && strchr(comma, '=');
}

static int check_value(const char *name, const char *value, const char *text, saltus_error *err)
{
    if (!*name) return cli_misuse(err, "--set '%s' has no name: write --set name=value", text);
    if (!*value)
        return cli_misuse(err,
                          "--set '%s' has no value: write --set %s=1.5, or --set '%s=\"\"' for an "
                          "empty text",
                          text, name, name);
    if (looks_like_list(value) && *value != '"' && *value != '\'')
        return cli_misuse(err, "--set '%s' holds several values: write --set once for each", text);
    if (is_too_large(value))
        return cli_misuse(err, "--set '%s': the number is too large, at most 1.8e308", text);
    return 1;
}

int cli_values_add(cli_values *values, const char *text, saltus_error *err)
{
    if (err->status) return 0;
    const char *equal = strchr(text, '=');
    if (!equal) return cli_misuse(err, "--set '%s' has no '=': write --set name=value", text);
    CLI_OWNED char *name = cli_trimmed(text, (size_t)(equal - text));
    CLI_OWNED char *value = cli_trimmed(equal + 1, strlen(equal + 1));
    CLI_OWNED char *inside = unquoted(value);
    double          number = 0.0;
    if (check_value(name, value, text, err)) {
        if (inside) add(values, cli_copy(name), 0.0, cli_copy(inside));
        else if (cli_parse_real(value, &number)) add(values, cli_copy(name), number, NULL);
        else add(values, cli_copy(name), 0.0, cli_copy(value));
    }
    return err->status == SALTUS_OK;
}

void cli_values_free(cli_values *values)
{
    drop(values, 0);
    free(values->value);
    free(values->origin);
    *values = (cli_values){0};
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static int add_json_value(cli_values *values, const char *name, const json_t *value,
                          saltus_error *err)
{
    if (!*name) return cli_misuse(err, "a value has an empty name");
    /* an estimate of a fit is an object, with its standard deviation */
    if (json_is_number(json_object_get(value, "value"))) value = json_object_get(value, "value");
    if (json_is_number(value)) add(values, cli_copy(name), json_number_value(value), NULL);
    else if (json_is_string(value))
        add(values, cli_copy(name), 0.0, cli_copy(json_string_value(value)));
    else if (json_is_boolean(value)) {
        add(values, cli_copy(name), 0.0, cli_copy(json_is_true(value) ? "true" : "false"));
        values->origin[values->count - 1].flag = 1;
    } else
        return cli_misuse(err, "the value of '%s' is %s: a number or a text is needed", name,
                          json_is_null(value) ? "null" : "not a plain value");
    return 1;
}

static int add_members(cli_values *values, json_t *object, saltus_error *err)
{
    const char *name;
    json_t     *value;
    json_object_foreach(object, name, value)
    {
        if (!add_json_value(values, name, value, err)) return 0;
    }
    return 1;
}

static int add_root(cli_values *values, json_t *root, saltus_error *err)
{
    if (!json_is_object(root))
        return cli_misuse(err, "an object with names and values is needed, e.g. {\"k\": 100}");
    json_t *parameters = json_object_get(root, "parameters");
    json_t *settings = json_object_get(root, "settings");
    /* Plain values are never objects, so these are the members of an earlier output. */
    if (!json_is_object(parameters) && !json_is_object(settings))
        return add_members(values, root, err);
    if (json_is_object(settings) && !add_members(values, settings, err)) return 0;
    return !json_is_object(parameters) || add_members(values, parameters, err);
}

int cli_values_add_json(cli_values *values, const char *file, const char *json, size_t length,
                        saltus_error *err)
{
    if (err->status) return 0;
    json_error_t where;
    const int    before = values->count;
    json_t      *root =
        json_loadb(json, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &where);
    if (!root) {
        cli_misuse(err, "not JSON: %s", where.text);
        err->line = where.line > 0 ? where.line : 1;
    } else {
        add_root(values, root, err);
        json_decref(root);
    }
    for (int i = before; i < values->count; i++) values->origin[i].file = cli_copy(file);
    if (!err->status) return 1;
    snprintf(err->file, sizeof err->file, "%s", file);
    drop(values, before);
    return 0;
}

/* ---- errors of the library ------------------------------------------------------------------ */

/* Whether the error is about the value of this name. */
static int is_about(const saltus_error *err, const char *name)
{
    CLI_OWNED char *param = cli_format("parameter '%s'", name),
                   *setting = cli_format("setting '%s'", name);
    const int outside = err->status == SALTUS_ERR_ARGUMENT || strstr(err->message, "was given for");
    const int named = strstr(err->message, param) || strstr(err->message, setting);
    return outside && named;
}

/* "the text 'true'" becomes "true". */
static void unquote_flag(saltus_error *err, const char *flag)
{
    CLI_OWNED char *quoted = cli_format("the text '%s'", flag);
    char           *at = strstr(err->message, quoted);
    if (at) {
        const size_t length = strlen(flag), all = strlen(quoted);
        memcpy(at, flag, length);
        memmove(at + length, at + all, strlen(at + all) + 1);
    }
}

void cli_values_explain(const cli_values *values, saltus_error *err)
{
    if (!err->status) return;
    for (int i = values->count - 1; i >= 0; i--) { /* the last value of a name is in force */
        if (!is_about(err, values->value[i].name)) continue;
        const struct cli_origin *origin = &values->origin[i];
        if (origin->flag) unquote_flag(err, values->value[i].text);
        if (!origin->file) return;
        const size_t used = strlen(err->message);
        if (!*err->file) snprintf(err->file, sizeof err->file, "%s", origin->file);
        else snprintf(err->message + used, sizeof err->message - used, " (in %s)", origin->file);
        return;
    }
}
