/* The results of a sweep as files: a table, arrays of NumPy, and a page (web/sweep.js) of one JSON
 * object,
 *
 *     {"result": what --json prints, "every": n if it has each n-th point only,
 *      "columns": [{"name", "kind", "unit", "values" or "codes" and "texts"}]}
 *
 * whose values are base64 of little-endian doubles, one for each point. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "packet.h"
#include "report.h"
#include "sweep.h"
#include "text.h"

/* ---- arrays of NumPy ------------------------------------------------------------------------
 *
 * FILE.npz is a ZIP archive, not compressed (PKWARE's APPNOTE 6.3), of arrays in the format NPY 1.0
 * (numpy.lib.format). numpy.load reads it without pickle. */

enum {
    LOCAL = 0x04034b50,
    ENTRY = 0x02014b50,
    END = 0x06054b50,
    VERSION = 20,     /* version of ZIP needed to read it */
    UTF8 = 1 << 11,   /* flag: names are UTF-8 */
    DAY = 0x0021,     /* 1 January 1980: the same results are the same bytes */
    HEADER_UNIT = 64, /* NPY: data begin at a multiple of it */
};

typedef struct archive {
    FILE      *stream;
    cli_packet contents; /* the central directory */
    uint64_t   at;       /* bytes written so far */
    int        entries;
} archive;

/* Writes a number, little-endian. */
static void put(cli_packet *p, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)(value >> (8 * i));
        cli_packet_put(p, &byte, 1);
    }
}

static int is_big_endian(void)
{
    const uint16_t       one = 1;
    const unsigned char *byte = (const unsigned char *)&one;
    return byte[0] == 0;
}

/* CRC-32: the remainder of division by x^32 + x^26 + ... + 1, a byte at a time. */
static uint32_t checksum(const cli_packet *p)
{
    uint32_t table[256], sum = 0xffffffffu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    for (size_t i = 0; i < p->size; i++)
        sum = table[(sum ^ (unsigned char)p->data[i]) & 255u] ^ sum >> 8;
    return sum ^ 0xffffffffu;
}

static void write_packet(archive *npz, const cli_packet *p)
{
    fwrite(p->data, 1, p->size, npz->stream);
    npz->at += p->size;
}

/* Writes what the header of a file and its entry in the list of contents share. */
static void put_head(cli_packet *p, const cli_packet *data, uint32_t sum, size_t name)
{
    put(p, VERSION, 2);
    put(p, UTF8, 2);
    put(p, 0, 2); /* stored */
    put(p, 0, 2); /* midnight */
    put(p, DAY, 2);
    put(p, sum, 4);
    put(p, (uint32_t)data->size, 4);
    put(p, (uint32_t)data->size, 4);
    put(p, (uint32_t)name, 2);
    put(p, 0, 2);
}

static void add_entry(archive *npz, const char *name, const cli_packet *data)
{
    const uint32_t  sum = checksum(data);
    CLI_OWNED char *file = cli_format("%s.npy", name);
    const size_t    length = strlen(file);
    cli_packet      head = {0};
    put(&npz->contents, ENTRY, 4);
    put(&npz->contents, VERSION, 2);
    put_head(&npz->contents, data, sum, length);
    put(&npz->contents, 0, 2); /* no comment */
    put(&npz->contents, 0, 2); /* first disk */
    put(&npz->contents, 0, 2); /* no attributes */
    put(&npz->contents, 0, 4);
    put(&npz->contents, (uint32_t)npz->at, 4);
    cli_packet_put(&npz->contents, file, length);
    put(&head, LOCAL, 4);
    put_head(&head, data, sum, length);
    cli_packet_put(&head, file, length);
    write_packet(npz, &head);
    write_packet(npz, data);
    npz->entries++;
    cli_packet_free(&head);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static void begin_array(cli_packet *p, const char *kind, size_t size, int count)
{
    CLI_OWNED char *text =
        cli_format("{'descr': '%c%s%zu', 'fortran_order': False, 'shape': (%d,), }",
                   is_big_endian() ? '>' : '<', kind, size, count);
    const size_t fixed = 10, length = strlen(text) + 1; /* including the end of the line */
    const size_t padding = (HEADER_UNIT - (fixed + length) % HEADER_UNIT) % HEADER_UNIT;
    cli_packet_put(p, "\x93NUMPY\x01\x00", 8);
    put(p, (uint32_t)(length + padding), 2);
    cli_packet_put(p, text, length - 1);
    for (size_t i = 0; i < padding; i++) cli_packet_put(p, " ", 1);
    cli_packet_put(p, "\n", 1);
}

/* Adds an array of numbers. kind: "f" or "i", as in NumPy's types. */
static void add_numbers(archive *npz, const char *name, const char *kind, const void *value,
                        size_t size, int count)
{
    cli_packet p = {0};
    begin_array(&p, kind, size, count);
    cli_packet_put(&p, value, (size_t)count * size);
    add_entry(npz, name, &p);
    cli_packet_free(&p);
}

/* Adds an array of texts of equal length, with 32-bit characters, padded with zeros. */
static void npz_texts(archive *npz, const char *name, char *const *text, int count)
{
    cli_packet       p = {0};
    size_t           longest = 1;
    CLI_OWNED char **valid = cli_alloc((size_t)count + 1, sizeof *valid);
    for (int i = 0; i < count; i++) {
        size_t length = 0;
        valid[i] = cli_valid_utf8(text[i]);
        for (const char *at = valid[i]; *at; length++) cli_next_point(&at);
        if (length > longest) longest = length;
    }
    begin_array(&p, "U", longest, count);
    for (int i = 0; i < count; i++) {
        const char *at = valid[i];
        for (size_t k = 0; k < longest; k++) {
            const uint32_t c = *at ? cli_next_point(&at) : 0;
            cli_packet_put(&p, &c, sizeof c);
        }
        free(valid[i]);
    }
    add_entry(npz, name, &p);
    cli_packet_free(&p);
}

/* Writes the list of contents and frees. Returns 0 if the archive is larger than 4 GB, which the
 * format does not allow; failures of writing stay in the stream. */
static int npz_end(archive *npz)
{
    const uint64_t start = npz->at;
    cli_packet     end = {0};
    put(&end, END, 4);
    put(&end, 0, 4); /* the first disk */
    put(&end, (uint32_t)npz->entries, 2);
    put(&end, (uint32_t)npz->entries, 2);
    put(&end, (uint32_t)npz->contents.size, 4);
    put(&end, (uint32_t)start, 4);
    put(&end, 0, 2); /* no comment */
    write_packet(npz, &npz->contents);
    write_packet(npz, &end);
    cli_packet_free(&end);
    cli_packet_free(&npz->contents);
    return npz->at <= UINT32_MAX && npz->entries < 65535;
}

/* ---- a column, read as a whole ------------------------------------------------------------- */

/* A column of the view `sweep`, as numbers or as texts. For texts, each row has the number of its
 * text, in the order of first occurrence from 0; -1: none. */
typedef struct column {
    int     rows, texts;
    double *number; /* by row; NaN: none */
    int    *code;   /* by row: number of its text */
    char  **text;
} column;

typedef struct reading {
    column *data;
    int    *place; /* hash table of numbers of texts, with open addressing; -1: free */
    int     places;
} reading;

static unsigned long hash_of(const char *text)
{
    unsigned long hash = 5381;
    while (*text) hash = 33 * hash + (unsigned char)*text++;
    return hash;
}

/* Returns the place of the text in the table, or a free one for it. */
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

/* Reads a column. every: n reads only each n-th row. */
static int read_column(cli_sweep *sweep, const char *name, int every, column *data)
{
    reading         r = {.data = data};
    CLI_OWNED char *quoted = CLI_SQL_NAME(name);
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

enum { POINTS_SHOWN = 20000 }; /* more of them make the page slow and show nothing new */

/* The kind of a column, by its place among those of the sweep; -1: a column that all sweeps
 * have. */
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

static void add_column(cli_sweep *sweep, archive *npz, const char *name)
{
    column data;
    if (read_column(sweep, name, 1, &data)) {
        for (int i = 0; i < data.rows && is_count(sweep, name); i++)
            data.code[i] = data.number[i] >= 0.0 ? (int)data.number[i] : -1;
        const int       is_text = cli_is_one_of(name, "end error message sequence");
        CLI_OWNED char *texts = cli_format("%ss", name); /* the texts, by number */
        if (is_text || is_count(sweep, name))
            add_numbers(npz, name, "i", data.code, sizeof *data.code, data.rows);
        else add_numbers(npz, name, "f", data.number, sizeof *data.number, data.rows);
        if (is_text) npz_texts(npz, texts, data.text, data.texts);
    }
    free_column(&data);
}

static void write_npz(cli_sweep *sweep, FILE *stream)
{
    char **names = NULL;
    int    count = 0;
    if (!cli_store_names(sweep, &names, &count)) return;
    archive npz = {.stream = stream};
    for (int i = 0; i < count && !sweep->session.error.status; i++)
        add_column(sweep, &npz, names[i]);
    if (!npz_end(&npz))
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
