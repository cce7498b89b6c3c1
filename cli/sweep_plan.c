/* The points of a sweep: products of grids, lists, samples of distributions, and rows of files. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "text.h"
#include "values.h"

/* Rows of values of some parameters. */
typedef struct table {
    int    *param;
    int     params;
    double *value; /* [row * params + place] */
    int     rows;
} table;

/* ---- blocks --------------------------------------------------------------------------------- */

static int refuse_name(cli_session *s, const char *name, const char *from)
{
    const int              count = s->size.params;
    CLI_OWNED const char **names = cli_alloc((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count; i++) names[i] = saltus_system_param(s->system, i).name;
    CLI_OWNED char *near =
        cli_nearest(name, names, count, "; did you mean '%s'?", " ('saltus show' lists them)");
    for (int i = 0; i < s->size.settings; i++)
        if (strcmp(saltus_system_setting(s->system, i).name, name) == 0)
            cli_misuse(&s->error,
                       "%s: '%s' is a setting, and the model is compiled once: give it with --set, "
                       "and sweep each value into a database of its own",
                       from, name);
    return cli_misuse(&s->error, "%s: the model has no parameter '%s'%s", from, name, near);
}

/* Adds a parameter to a block without rows. Unknown names are an error; `from` ("--over") is for
 * messages. */
static int block_param(cli_session *s, table *block, const char *name, const char *from)
{
    const int param = saltus_system_find_param(s->system, name);
    if (param < 0) return refuse_name(s, name, from);
    *CLI_PUSH(block->param, block->params) = param;
    return 1;
}

/* Adds a value, row by row. Values outside of bounds are an error. */
static int block_value(cli_session *s, table *block, int place, double value, const char *from)
{
    const saltus_param_info param = saltus_system_param(s->system, block->param[place]);
    if (!(value >= param.lower && value <= param.upper))
        return cli_misuse(&s->error, "%s: parameter '%s' = %g is outside of its bounds [%g, %g]",
                          from, param.name, value, param.lower, param.upper);
    const long long all = (long long)block->rows * block->params + place;
    if (all >= INT_MAX - 1) return cli_misuse(&s->error, "%s: too many values for one sweep", from);
    const int count = (int)all;
    block->value = cli_grow(block->value, count, sizeof *block->value);
    block->value[count] = value + 0.0; /* avoids -0, which the database does not keep */
    block->rows += place == block->params - 1;
    return 1;
}

static void free_block(table *block)
{
    free(block->param);
    free(block->value);
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Adds the line to an error. */
static int at_line(cli_session *s, const char *file, int line)
{
    if (s->error.status && !*s->error.file) {
        snprintf(s->error.file, sizeof s->error.file, "%s", file);
        s->error.line = line;
    }
    return s->error.status == SALTUS_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Returns the next field, without its quotes; `at` moves past it, and *at is NULL after the last
 * one. */
static char *next_field(const char **at)
{
    const char *text = *at;
    char       *field, *out;
    while (*text == ' ' || *text == '\t') text++;
    if (*text != '"') {
        const size_t length = strcspn(text, ",");
        field = cli_trimmed(text, length);
        *at = text[length] ? text + length + 1 : NULL;
        return field;
    }
    field = out = cli_alloc(strlen(text) + 1, 1);
    for (text++; *text && (*text != '"' || text[1] == '"'); text++) {
        if (*text == '"') text++;
        *out++ = *text;
    }
    const size_t length = strcspn(text, ",");
    *at = text[length] ? text + length + 1 : NULL;
    return field;
}

static int read_names(cli_session *s, table *block, const char *line, const char *file)
{
    while (line && !s->error.status) {
        CLI_OWNED char *name = next_field(&line);
        block_param(s, block, name, "--points");
    }
    return at_line(s, file, 1);
}

static int read_row(cli_session *s, table *block, const char *line, const char *file, int number)
{
    int place = 0;
    for (; line && !s->error.status; place++) {
        CLI_OWNED char *field = next_field(&line);
        double          value = 0.0;
        if (place >= block->params)
            cli_misuse(&s->error, "--points: more values than the %d names of the first line",
                       block->params);
        else if (!cli_parse_real(field, &value))
            cli_misuse(&s->error, "--points: '%s' is not a number", field);
        else block_value(s, block, place, value, "--points");
    }
    if (!s->error.status && place < block->params)
        cli_misuse(&s->error, "--points: %d value%s for %d names", place, place == 1 ? "" : "s",
                   block->params);
    return at_line(s, file, number);
}

/* ---- JSON lines ----------------------------------------------------------------------------- */

static const saltus_override *find(const cli_values *values, const char *name)
{
    for (int i = values->count - 1; i >= 0; i--)
        if (strcmp(values->value[i].name, name) == 0) return &values->value[i];
    return NULL;
}

/* Reads an object; the first line determines the parameters. */
static int read_object(cli_session *s, table *block, const char *line, const char *file, int number)
{
    cli_values values = {0};
    if (!cli_values_add_json(&values, file, line, strlen(line), &s->error)) s->error.line = number;
    for (int i = 0; i < values.count && !block->rows && !s->error.status; i++)
        block_param(s, block, values.value[i].name, "--points");
    if (!s->error.status && values.count != block->params)
        cli_misuse(&s->error, "--points: %d values, but the first line has %d", values.count,
                   block->params);
    for (int i = 0; i < block->params && !s->error.status; i++) {
        const char            *name = saltus_system_param(s->system, block->param[i]).name;
        const saltus_override *given = find(&values, name);
        if (!given || given->text) cli_misuse(&s->error, "--points: there is no number '%s'", name);
        else block_value(s, block, i, given->value, "--points");
    }
    cli_values_free(&values);
    return at_line(s, file, number);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Reads the rows of a file: CSV with a line of names, or one JSON object per line. */
static int block_read(cli_session *s, table *block, const char *file)
{
    size_t    length = 0;
    char     *text = cli_read_file(file, &length, &s->error), *line = text;
    const int csv = cli_ends_with(file, ".csv");
    /* skips the byte order mark that spreadsheets write */
    if (line && strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3;
    for (int number = 1; line && *line && !s->error.status; number++) {
        char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end;
        *end = '\0';
        if (end > line && end[-1] == '\r') end[-1] = '\0';
        if (line[strspn(line, " \t")]) {
            if (!csv) read_object(s, block, line, file, number);
            else if (!block->params) read_names(s, block, line, file);
            else read_row(s, block, line, file, number);
        }
        line = next;
    }
    free(text);
    return !s->error.status &&
           (block->rows || cli_misuse(&s->error, "--points: '%s' has no points", file));
}

/* ---- all blocks ------------------------------------------------------------------------------ */

/* A parameter of the sample that all distributions share: uniform from a to b, or normal with mean
 * a and standard deviation b. */
typedef struct spread {
    int    normal;
    double a, b;
} spread;

typedef struct reading {
    cli_session *session;
    table       *block; /* blocks, in the order of the product */
    int          count;
    table        sample; /* parameters with distributions; no rows yet */
    spread      *spread; /* distribution of each of its parameters */
} reading;

static table *add_block(reading *r, table block)
{
    table *place = CLI_PUSH(r->block, r->count);
    *place = block;
    return place;
}

/* ---- grids and lists ------------------------------------------------------------------------ */

/* Reads the parts of a text as numbers; returns how many, or -1 if a part is not a number. */
static int read_parts(const char *text, const char *separator, double *number, int room)
{
    int count = 0;
    for (; text; count++) {
        CLI_OWNED char *word = cli_next_part(&text, separator);
        if (count == room || !cli_parse_real(word, &number[count])) return -1;
    }
    return count;
}

/* Reads FROM:TO:COUNT; both ends are among the points. */
static int read_grid(cli_session *s, table *block, const char *text)
{
    double number[3];
    if (read_parts(text, ":", number, 3) != 3 || !(number[2] >= 1.0) ||
        number[2] != rint(number[2]))
        return cli_misuse(&s->error,
                          "--over: '%s' is no grid: write FROM:TO:COUNT, as in a=1:2:50 for 50 "
                          "values from 1 to 2",
                          text);
    if (number[2] > CLI_POINTS_MAX)
        return cli_misuse(&s->error, "--over: '%s' has more than %d points", text, CLI_POINTS_MAX);
    if (number[2] == 1.0 && number[0] != number[1])
        return cli_misuse(&s->error,
                          "--over: '%s' is one value between two different ends: a grid has both "
                          "of them, so it needs at least two values",
                          text);
    const int count = (int)number[2];
    for (int i = 0; i < count; i++) {
        const double part = count > 1 ? (double)i / (double)(count - 1) : 0.0;
        const double value =
            i == count - 1 ? number[1] : number[0] + (number[1] - number[0]) * part;
        if (!block_value(s, block, 0, value, "--over")) return 0;
    }
    return 1;
}

static int read_list(cli_session *s, table *block, const char *text)
{
    for (const char *rest = text; rest;) {
        CLI_OWNED char *word = cli_next_part(&rest, ",");
        double          value = 0.0;
        if (!cli_parse_real(word, &value))
            return cli_misuse(&s->error, "--over: '%s' in '%s' is not a number", word, text);
        if (!block_value(s, block, 0, value, "--over")) return 0;
    }
    return 1;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Reads uniform(1, 2) or normal(1, 0.1). */
static int read_spread(reading *r, const char *name, const char *text)
{
    cli_session    *s = r->session;
    const size_t    length = strcspn(text, "(");
    const char     *close = strrchr(text, ')');
    double          number[2] = {0.0, 0.0};
    CLI_OWNED char *word = cli_trimmed(text, length);
    char           *list =
        cli_copy_part(text[length] ? text + length + 1 : "",
                      close && close > text + length ? (size_t)(close - text) - length - 1 : 0);
    const int normal = strcmp(word, "normal") == 0, uniform = strcmp(word, "uniform") == 0;
    const int ok =
        (normal || uniform) && close && !close[1] && read_parts(list, ",", number, 2) == 2;
    free(list);
    if (!ok)
        return cli_misuse(&s->error,
                          "--over '%s~%s': write NAME~uniform(FROM,TO) or NAME~normal(MEAN,SIGMA)",
                          name, text);
    if (normal && !(number[1] > 0.0))
        return cli_misuse(&s->error, "--over '%s~%s': the deviation must be positive", name, text);
    if (uniform && !(number[1] > number[0]))
        return cli_misuse(&s->error, "--over '%s~%s': the second number must be the larger one",
                          name, text);
    r->spread = cli_grow(r->spread, r->sample.params, sizeof *r->spread);
    r->spread[r->sample.params] = (spread){normal, number[0], number[1]};
    return block_param(s, &r->sample, name, "--over");
}

/* Fills the rows of the sample. Values beyond bounds are kept; their rows will have an error. */
static void fill_sample(reading *r, int kind, int count)
{
    table       *block = &r->sample;
    const size_t all = (size_t)count * (size_t)block->params;
    double      *u = cli_sample_make(kind, count, block->params,
                                     (unsigned long long)r->session->arguments->seed);
    for (size_t i = 0; i < all; i++) {
        const spread d = r->spread[i % (size_t)block->params];
        u[i] = d.normal ? d.a + d.b * cli_normal_quantile(u[i]) : d.a + (d.b - d.a) * u[i];
    }
    block->value = u;
    block->rows = count;
}

static int read_sample(reading *r)
{
    cli_session *s = r->session;
    const char  *text = cli_argument(s->arguments, CLI_OPTION_SAMPLE);
    const int    dimensions = r->sample.params;
    long long    count = 0;
    if (!text && !dimensions) return 1;
    if (!text)
        return cli_misuse(&s->error, "--over has a distribution: how many points? Add --sample "
                                     "lhs:200, or random:200, or sobol:256");
    if (!dimensions)
        return cli_misuse(&s->error,
                          "--sample %s: there is no distribution; add --over NAME~uniform(FROM,TO)",
                          text);
    const size_t    length = strcspn(text, ":");
    CLI_OWNED char *name = cli_trimmed(text, length);
    const int       kind = cli_sample_find(name);
    if (kind < 0 || !text[length] || !cli_parse_count(text + length + 1, &count) || count < 1)
        return cli_misuse(&s->error,
                          "--sample '%s': must be like random:200, lhs:200 or sobol:256, with one "
                          "point or more",
                          text);
    if (count > CLI_POINTS_MAX / dimensions)
        return cli_misuse(&s->error, "--sample '%s': more than %d numbers would have to be drawn",
                          text, CLI_POINTS_MAX);
    if (kind == cli_sample_find("sobol") && dimensions > CLI_SOBOL_MAX)
        return cli_misuse(&s->error,
                          "--sample '%s': sobol has %d dimensions, and these are %d: use lhs", text,
                          CLI_SOBOL_MAX, dimensions);
    fill_sample(r, kind, (int)count);
    return 1;
}

/* ---- one --over ----------------------------------------------------------------------------- */

static int read_over(reading *r, const char *text)
{
    cli_session *s = r->session;
    const size_t length = strcspn(text, "=~");
    if (!text[length] || !length)
        return cli_misuse(&s->error,
                          "--over '%s': write NAME=FROM:TO:COUNT, NAME=VALUE,VALUE,... or "
                          "NAME~uniform(FROM,TO)",
                          text);
    CLI_OWNED char *name = cli_trimmed(text, length);
    const char     *values = text + length + 1;
    if (text[length] == '~') {
        read_spread(r, name, values);
    } else {
        table *block = add_block(r, (table){0});
        if (block_param(s, block, name, "--over")) {
            if (strchr(values, ':')) read_grid(s, block, values);
            else read_list(s, block, values);
        }
    }
    return s->error.status == SALTUS_OK;
}

/* ---- the product ---------------------------------------------------------------------------- */

static int check_twice(const reading *r)
{
    cli_session    *s = r->session;
    CLI_OWNED char *seen = cli_alloc((size_t)s->size.params + 1, 1);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->block[i].params; k++) {
            const int param = r->block[i].param[k];
            if (seen[param])
                cli_misuse(&s->error, "'%s' is given twice: write its values in one list",
                           saltus_system_param(s->system, param).name);
            seen[param] = 1;
        }
    return s->error.status == SALTUS_OK;
}

static int multiply(const reading *r, cli_plan *plan)
{
    long long count = 1;
    int       at = 0;
    for (int i = 0; i < r->count; i++) {
        plan->params += r->block[i].params;
        count *= r->block[i].rows;
        if (count > CLI_POINTS_MAX)
            return cli_misuse(&r->session->error, "more than %d points: leave some out",
                              CLI_POINTS_MAX);
    }
    plan->count = (int)count;
    plan->param = cli_alloc((size_t)plan->params + 1, sizeof *plan->param);
    plan->value = cli_alloc((size_t)count * (size_t)plan->params + 1, sizeof *plan->value);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->block[i].params; k++) plan->param[at++] = r->block[i].param[k];
    for (int point = 0; point < plan->count; point++) {
        double *end = plan->value + ((size_t)point + 1) * (size_t)plan->params;
        for (int i = r->count - 1, rest = point; i >= 0; i--) {
            const table *b = &r->block[i];
            end -= b->params;
            memcpy(end, b->value + (size_t)(rest % b->rows) * (size_t)b->params,
                   (size_t)b->params * sizeof *end);
            rest /= b->rows;
        }
    }
    return 1;
}

int cli_plan_read(cli_plan *plan, cli_session *s)
{
    const cli_arguments *a = s->arguments;
    const char          *file = cli_argument(a, CLI_OPTION_POINTS);
    reading              r = {.session = s};
    for (int i = 0; i < a->count && !s->error.status; i++)
        if (a->given[i].option == CLI_OPTION_OVER) read_over(&r, a->given[i].value);
    if (!s->error.status && read_sample(&r) && r.sample.rows) {
        add_block(&r, r.sample);
        r.sample = (table){0};
    }
    if (!s->error.status && file) block_read(s, add_block(&r, (table){0}), file);
    if (!r.count && !s->error.status)
        cli_misuse(&s->error,
                   "sweep over what? Write --over NAME=FROM:TO:COUNT, as in --over %s=1:2:50",
                   s->size.params ? saltus_system_param(s->system, 0).name : "a");
    if (!s->error.status && check_twice(&r)) multiply(&r, plan);
    for (int i = 0; i < r.count; i++) free_block(&r.block[i]);
    free_block(&r.sample);
    free(r.block);
    free(r.spread);
    return s->error.status == SALTUS_OK;
}

void cli_plan_free(cli_plan *plan)
{
    free(plan->param);
    free(plan->value);
}
