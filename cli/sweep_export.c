/* The results of a sweep as files: a table, arrays of NumPy, and a page (web/sweep.js) of one JSON
 * object,
 *
 *     {"result": what --json prints, "every": one of so many points is in it,
 *      "columns": [{"name", "kind", "unit", "values" or "codes" and "texts"}]}
 *
 * whose values are base64 of little-endian doubles, one for each point. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "npz.h"
#include "report.h"
#include "sweep.h"
#include "text.h"

/* ---- a column, read as a whole ------------------------------------------------------------- */

/* A column of the view `sweep`, as numbers, or as texts: each row has the number of its text, from
 * 0 on in the order in which they come first, -1: none. */
typedef struct column {
    int     rows, texts;
    double *number; /* by row; not a number: none */
    int    *code;   /* by row, of texts */
    char  **text;
} column;

typedef struct reading {
    column *data;
    int    *place; /* numbers of texts, in a hash table with open addressing; -1: free */
    int     places;
} reading;

static unsigned long hash_of(const char *text)
{
    unsigned long hash = 5381;
    while (*text) hash = 33 * hash + (unsigned char)*text++;
    return hash;
}

/* Where the text is in the table, or may be put. */
static int *place_of(reading *r, const char *text)
{
    unsigned long at = hash_of(text) % (unsigned long)r->places;
    while (r->place[at] >= 0 && strcmp(r->data->text[r->place[at]], text) != 0)
        at = (at + 1) % (unsigned long)r->places;
    return &r->place[at];
}

static void enlarge(reading *r)
{
    free(r->place);
    r->places = 4 * r->data->texts + 64;
    r->place = cli_bytes((size_t)r->places * sizeof *r->place);
    for (int i = 0; i < r->places; i++) r->place[i] = -1;
    for (int i = 0; i < r->data->texts; i++) *place_of(r, r->data->text[i]) = i;
}

static int code_of(reading *r, const char *text)
{
    column *d = r->data;
    if (2 * d->texts >= r->places) enlarge(r);
    int *place = place_of(r, text);
    if (*place < 0) {
        *place = d->texts;
        *CLI_PUSH(d->text, d->texts) = cli_copy(text);
    }
    return *place;
}

static int take(void *context, const cli_field *field, int count)
{
    reading *r = context;
    column  *d = r->data;
    (void)count;
    d->code = cli_grow(d->code, d->rows, sizeof *d->code);
    d->code[d->rows] = field[0].kind == CLI_FIELD_TEXT ? code_of(r, field[0].text) : -1;
    *CLI_PUSH(d->number, d->rows) = field[0].kind == CLI_FIELD_NUMBER ? field[0].number : NAN;
    return 1;
}

/* every: only the first of so many rows. */
static int read_column(cli_sweep *sweep, const char *name, int every, column *data)
{
    reading         r = {.data = data};
    CLI_OWNED char *quoted = cli_quoted_name(name);
    CLI_OWNED char *query = cli_format(
        "SELECT %s FROM sweep WHERE (point - 1) %% %d = 0 ORDER BY point", quoted, every);
    *data = (column){0};
    const int ok = cli_store_rows(sweep, query, take, &r);
    free(r.place);
    return ok;
}

static void free_column(column *data)
{
    cli_names_free(data->text, data->texts);
    free(data->number);
    free(data->code);
}

/* ---- the page ------------------------------------------------------------------------------- */

enum { POINTS_SHOWN = 20000 }; /* a page with more is slow, and shows no more */

/* What a column is, by its place among those of the sweep; -1: all sweeps have it. */
static const char *kind_of(const cli_sweep *sweep, int place)
{
    const cli_columns *c = &sweep->columns;
    const int          counts = c->params, costs = counts + c->events, finals = costs + c->costs;
    return place < 0                    ? "run"
           : place < c->params          ? "parameter"
           : place < costs              ? "count"
           : place < finals             ? "cost"
           : place < finals + c->finals ? "final"
                                        : "derivative";
}

static const char *unit_of(const cli_sweep *sweep, int place)
{
    const cli_columns *c = &sweep->columns;
    const cli_session *s = &sweep->session;
    const int          cost = place - c->params - c->events;
    if (place >= 0 && place < c->params)
        return saltus_system_param(s->system, sweep->plan.param[place]).unit;
    if (place >= 0 && cost >= 0 && cost < c->costs) return saltus_system_cost(s->system, cost).unit;
    return "";
}

static int index_of(const cli_sweep *sweep, const char *name)
{
    for (int i = 0; i < sweep->columns.count; i++)
        if (strcmp(sweep->columns.name[i], name) == 0) return i;
    return -1;
}

static json_t *column_json(cli_sweep *sweep, const char *name, int every)
{
    const int place = index_of(sweep, name);
    column    data;
    json_t   *object =
        cli_json_object("name:s kind:s unit:s", name, kind_of(sweep, place), unit_of(sweep, place));
    read_column(sweep, name, every, &data);
    if (data.texts) {
        for (int i = 0; i < data.rows; i++) data.number[i] = data.code[i];
        cli_json_add(object, "codes:j texts:j", cli_report_doubles(data.number, data.rows),
                     cli_json_texts(data.text, data.texts));
    } else {
        cli_json_add(object, "values:j", cli_report_doubles(data.number, data.rows));
    }
    free_column(&data);
    return object;
}

static void write_page(cli_sweep *sweep, FILE *stream)
{
    cli_session *s = &sweep->session;
    const int    every = (sweep->points + POINTS_SHOWN - 1) / POINTS_SHOWN;
    char       **names = NULL;
    int          count = 0;
    json_t      *columns = json_array();
    if (!cli_store_names(sweep, &names, &count)) return;
    for (int i = 0; i < count && !s->error.status; i++)
        json_array_append_new(columns, column_json(sweep, names[i], every > 1 ? every : 1));
    json_t         *data = cli_json_object("result:j every:i columns:j", json_incref(s->result),
                                   every > 1 ? every : 1, columns);
    const char     *name = saltus_system_name(s->system);
    CLI_OWNED char *about = cli_format("A sweep of %d points", sweep->points);
    cli_page_write(stream, cli_sweep_page, cli_sweep_page_size, *name ? name : s->arguments->model,
                   about, data, 0);
    json_decref(data);
    cli_names_free(names, count);
}

/* ---- a table -------------------------------------------------------------------------------- */

static int write_row(void *context, const cli_field *field, int count)
{
    FILE *stream = context;
    char  number[32];
    for (int i = 0; i < count; i++) {
        if (i) fputc(',', stream);
        if (field[i].kind == CLI_FIELD_TEXT) cli_csv_text(stream, field[i].text);
        else if (field[i].kind == CLI_FIELD_NUMBER)
            fputs(cli_number_text(field[i].number, number), stream);
    }
    fputc('\n', stream);
    return !ferror(stream);
}

static void write_csv(cli_sweep *sweep, FILE *stream)
{
    char **names = NULL;
    int    count = 0;
    if (!cli_store_names(sweep, &names, &count)) return;
    for (int i = 0; i < count; i++) {
        if (i) fputc(',', stream);
        cli_csv_text(stream, names[i]);
    }
    fputc('\n', stream);
    cli_names_free(names, count);
    cli_store_rows(sweep, "SELECT * FROM sweep", write_row, stream);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static int is_count(const cli_sweep *sweep, const char *name)
{
    const cli_columns *c = &sweep->columns;
    int                is = cli_is_one_of(name, "point steps events");
    for (int i = c->params; i < c->params + c->events; i++) is = is || !strcmp(name, c->name[i]);
    return is;
}

/* Columns of texts are numbers of texts; those are in an array of their own. */
static void add_texts(cli_npz *npz, const char *name, const column *data)
{
    CLI_OWNED char *list = cli_format("%ss", name);
    cli_npz_ints(npz, name, data->code, data->rows);
    cli_npz_texts(npz, list, data->text, data->texts);
}

static void add_column(cli_sweep *sweep, cli_npz *npz, const char *name)
{
    column data;
    if (read_column(sweep, name, 1, &data)) {
        for (int i = 0; i < data.rows && is_count(sweep, name); i++)
            data.code[i] = data.number[i] >= 0.0 ? (int)data.number[i] : -1;
        if (cli_is_one_of(name, "end error message sequence")) add_texts(npz, name, &data);
        else if (is_count(sweep, name)) cli_npz_ints(npz, name, data.code, data.rows);
        else cli_npz_doubles(npz, name, data.number, data.rows);
    }
    free_column(&data);
}

static void write_npz(cli_sweep *sweep, FILE *stream)
{
    char **names = NULL;
    int    count = 0;
    if (!cli_store_names(sweep, &names, &count)) return;
    cli_npz *npz = cli_npz_begin(stream);
    for (int i = 0; i < count && !sweep->session.error.status; i++)
        add_column(sweep, npz, names[i]);
    if (!cli_npz_end(npz))
        cli_fail(&sweep->session.error, SALTUS_ERR_FILE,
                 "--npz: more than 4 GB: read the database itself, or use --csv");
    cli_names_free(names, count);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void write_file(cli_sweep *sweep, const char *path,
                       void (*write)(cli_sweep *sweep, FILE *stream))
{
    cli_session *s = &sweep->session;
    const int    partial = s->error.status != SALTUS_OK;
    saltus_error before = s->error;
    cli_output   output = {0};
    if (!path) return;
    s->error = (saltus_error){0};
    if (strcmp(path, "-") == 0 || cli_output_is_stdout(path)) {
        write(sweep, s->arguments->out);
    } else if (cli_session_may_write(s, path, &s->error) &&
               cli_output_open(&output, path, 0, &s->error)) {
        write(sweep, output.stream);
        if (s->error.status) cli_output_drop(&output);
        else cli_output_keep(&output, partial, &s->error);
    }
    if (before.status) s->error = before;
}

void cli_sweep_export(cli_sweep *sweep)
{
    const cli_arguments *a = sweep->session.arguments;
    write_file(sweep, cli_argument(a, CLI_OPTION_CSV), write_csv);
    write_file(sweep, cli_argument(a, CLI_OPTION_NPZ), write_npz);
    write_file(sweep, cli_argument(a, CLI_OPTION_REPORT), write_page);
}
