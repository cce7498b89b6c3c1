/* Numbers over time, as CSV or JSON: series in general, and sensitivities. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_result.h"
#include "text.h"
#include "time_series.h"

enum { DEFAULT_ROWS = 501, MAX_ROWS = 10 * 1000 * 1000 };

void cli_time_series_column(cli_time_series *series, char *name)
{
    *CLI_PUSH(series->names, series->columns) = name;
}

double *cli_time_series_row(cli_time_series *series, double t, const char *mode)
{
    const size_t width = (size_t)series->columns + 1;
    series->values = cli_grow(series->values, series->rows, width * sizeof *series->values);
    series->values[(size_t)series->rows * width] = t;
    *CLI_PUSH(series->modes, series->rows) = mode ? cli_copy(mode) : NULL;
    return cli_time_series_at(series, series->rows - 1);
}

double *cli_time_series_at(const cli_time_series *series, int row)
{
    return series->values + (size_t)row * ((size_t)series->columns + 1) + 1;
}

/* Reverses the order of the rows. */
static void reverse(cli_time_series *series)
{
    const size_t width = (size_t)series->columns + 1;
    for (int i = 0, k = series->rows - 1; i < k; i++, k--) {
        char *mode = series->modes[i];
        series->modes[i] = series->modes[k];
        series->modes[k] = mode;
        double *a = series->values + (size_t)i * width, *b = series->values + (size_t)k * width;
        for (size_t c = 0; c < width; c++) {
            const double value = a[c];
            a[c] = b[c];
            b[c] = value;
        }
    }
}

void cli_time_series_free(cli_time_series *series)
{
    for (int i = 0; i < series->columns; i++) free(series->names[i]);
    for (int i = 0; i < series->rows; i++) free(series->modes[i]);
    free(series->names);
    free(series->modes);
    free(series->values);
    *series = (cli_time_series){0};
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Writes a name; it is cleaned for terminals only. */
static void write_name(FILE *stream, const char *name, int terminal)
{
    CLI_OWNED char *clean = terminal ? cli_clean(name, strlen(name), CLI_LINE) : NULL;
    cli_csv_text(stream, clean ? clean : name);
}

static void write_csv(FILE *stream, const cli_time_series *series)
{
    const int terminal = isatty(fileno(stream));
    char      number[32];
    fputs("t,mode", stream);
    for (int k = 0; k < series->columns; k++) {
        fputc(',', stream);
        write_name(stream, series->names[k], terminal);
    }
    fputc('\n', stream);
    const double *value = series->values;
    for (int i = 0; i < series->rows && !ferror(stream); i++) {
        fprintf(stream, "%s,", cli_number_text(*value++, number));
        if (series->modes[i]) write_name(stream, series->modes[i], terminal);
        for (int k = 0; k < series->columns; k++)
            fprintf(stream, ",%s", cli_number_text(*value++, number));
        fputc('\n', stream);
    }
}

static json_t *columns_json(const cli_time_series *series)
{
    json_t *names = cli_json_texts(series->names, series->columns);
    json_array_insert_new(names, 0, json_string("t"));
    json_array_insert_new(names, 1, json_string("mode"));
    return names;
}

static json_t *rows_json(const cli_time_series *series)
{
    json_t       *rows = json_array();
    const double *value = series->values;
    for (int i = 0; i < series->rows; i++) {
        json_t *row = cli_json_numbers(value, series->columns + 1);
        json_array_insert_new(row, 1, cli_json_text(series->modes[i]));
        json_array_append_new(rows, row);
        value += series->columns + 1;
    }
    return rows;
}

static void write_json(cli_session *s, const cli_time_series *series)
{
    cli_result_tail(s);
    json_t *object = json_copy(s->result);
    cli_json_add(object, "columns:j rows:j", columns_json(series), rows_json(series));
    cli_json_print(object, s->output, 0);
}

void cli_time_series_write(cli_session *s, const cli_time_series *series)
{
    if (series->rows == 0 && s->error.status) return; /* it failed before the first row */
    if (cli_ends_with(s->arguments->output, ".json")) write_json(s, series);
    else write_csv(s->output, series);
    if (cli_session_keep(s) && cli_session_prints(s))
        cli_print(stdout, "%d rows written to %s\n", series->rows, s->kept);
}

/* ---- times ---------------------------------------------------------------------------------- */

static double *equal_times(double start, double end, int *count)
{
    *count = DEFAULT_ROWS;
    double *times = cli_alloc(DEFAULT_ROWS, sizeof *times);
    for (int i = 0; i < DEFAULT_ROWS; i++)
        times[i] = start + (end - start) * ((double)i / (DEFAULT_ROWS - 1));
    times[DEFAULT_ROWS - 1] = end; /* exactly the end */
    return times;
}

double *cli_time_series_times(cli_session *s, int *count)
{
    const double start = cli_session_start(s);
    const double end = saltus_run_get_info(s->run)->t, every = s->arguments->every;
    if (every == 0.0) return equal_times(start, end, count);
    const double intervals = floor((end - start) / every * (1.0 + 1e-12) + 1e-9);
    if (!(intervals < MAX_ROWS)) {
        cli_misuse(&s->error, "--every %g makes %.3g rows, the limit is %d: take a longer one",
                   every, intervals, MAX_ROWS);
        return NULL;
    }
    *count = (int)intervals + 1;
    double *times = cli_alloc((size_t)*count, sizeof *times);
    for (int i = 0; i < *count; i++) times[i] = fmin(start + every * i, end);
    return times;
}

int cli_trajectory_walk(cli_session *s, saltus_run                             *run,
                        int (*row)(void *context, const saltus_row *row), void *context)
{
    int               count = 0;
    CLI_OWNED double *times = cli_time_series_times(s, &count);
    if (times) saltus_run_trajectory(run, times, count, row, context, &s->error);
    return s->error.status == SALTUS_OK;
}

/* ---- sensitivities -------------------------------------------------------------------------- */

typedef struct reader {
    const cli_session *session;
    cli_time_series   *series;
    int                row;    /* number of the next row */
    int                cost;   /* place of the cost of an adjoint among those requested */
    int                hidden; /* number of hidden memories with adjoints */
} reader;

/* ---- tangents ------------------------------------------------------------------------------- */

static char **param_names(const cli_session *s)
{
    char **names = cli_alloc((size_t)s->params.count, sizeof *names);
    for (int k = 0; k < s->params.count; k++)
        names[k] = cli_column_name(s, CLI_PARAM, s->params.index[k]);
    return names;
}

static void name_tangents(const cli_session *s, cli_time_series *series)
{
    int    count = 0;
    char **state = cli_state_names(s, &count), **params = param_names(s);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < s->params.count; k++)
            cli_time_series_column(series, cli_format("d(%s)/d(%s)", state[i], params[k]));
    cli_names_free(state, count);
    cli_names_free(params, s->params.count);
}

/* Parameters per block: a number that the library accepts. */
enum { BLOCK = 8 };

typedef struct block {
    cli_tangent_function row;
    void                *context;
    int                  first, index;
} block;

static int block_row(void *context, const saltus_tangent_row *row)
{
    block *b = context;
    return b->row(b->context, row, b->first, b->index++);
}

int cli_tangents_walk(cli_session *s, const double *times, int count, cli_tangent_function row,
                      void *context)
{
    for (int first = 0; first < s->params.count && !s->error.status; first += BLOCK) {
        const int left = s->params.count - first;
        block     b = {.row = row, .context = context, .first = first};
        saltus_run_tangents(s->run, s->params.index + first, left < BLOCK ? left : BLOCK, times,
                            count, block_row, &b, &s->error);
    }
    return s->error.status == SALTUS_OK;
}

/* Fills in the columns of a block of parameters; each quantity has a column per parameter. */
static double *put(double *out, const double *values, int count, int params, int first, int np)
{
    for (int i = 0; i < count; i++, out += np)
        for (int k = 0; k < params; k++) out[first + k] = values[i * params + k];
    return out;
}

static int tangent_row(void *context, const saltus_tangent_row *row, int first, int index)
{
    const reader      *r = context;
    const cli_session *s = r->session;
    const int          n = s->size.coordinates, params = row->params, np = s->params.count;
    if (first == 0) cli_time_series_row(r->series, row->at.t, row->at.mode);
    if (index >= r->series->rows) return 1;
    double *out = cli_time_series_at(r->series, index);
    out = put(out, row->dq, n, params, first, np);
    out = put(out, row->dv, n, params, first, np);
    out = put(out, row->dc, s->size.memories, params, first, np);
    put(out, row->dz, s->size.costs, params, first, np);
    return 0;
}

int cli_tangents_read(cli_session *s, cli_time_series *series)
{
    reader            r = {.session = s, .series = series};
    int               count = 0;
    CLI_OWNED double *times = cli_time_series_times(s, &count);
    name_tangents(s, series);
    if (times) cli_tangents_walk(s, times, count, tangent_row, &r);
    return s->error.status == SALTUS_OK;
}

/* ---- adjoints ------------------------------------------------------------------------------- */

static int adjoint_columns(const cli_session *s, int hidden)
{
    return 3 * s->size.coordinates + s->size.memories + hidden + s->params.count +
           s->size.constraints;
}

static void name_adjoints(const cli_session *s, cli_time_series *series, const char *cost,
                          int hidden)
{
    const int n = s->size.coordinates;
    int       count = 0;
    char    **state = cli_state_names(s, &count), **params = param_names(s);
    for (int i = 0; i < 2 * n + s->size.memories; i++)
        cli_time_series_column(series, cli_format("d(%s)/d(%s)", cost, state[i]));
    for (int i = 0; i < hidden; i++)
        cli_time_series_column(series, cli_format("d(%s)/d(hidden %d)", cost, i));
    for (int i = 0; i < s->params.count; i++)
        cli_time_series_column(series, cli_format("d(%s)/d(%s)", cost, params[i]));
    for (int i = 0; i < n; i++)
        cli_time_series_column(series, cli_format("y(%s; %s)", cost, state[i]));
    for (int i = 0; i < s->size.constraints; i++)
        cli_time_series_column(series, cli_format("y(%s; multiplier(%s))", cost,
                                                  saltus_system_constraint(s->system, i).name));
    cli_names_free(state, count);
    cli_names_free(params, s->params.count);
}

static double *copy(double *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) *out++ = values[i];
    return out;
}

/* Takes a row of adjoints. The rows of all costs are at the same instants: the first cost adds the
 * rows, the others fill in their columns. */
static int adjoint_row(void *context, const saltus_adjoint_row *row)
{
    reader            *r = context;
    const cli_session *s = r->session;
    if (r->cost == 0) cli_time_series_row(r->series, row->at.t, row->at.mode);
    else if (r->row >= r->series->rows) return 1;
    double *out = cli_time_series_at(r->series, r->row++) + r->cost * adjoint_columns(s, r->hidden);
    out = copy(out, row->lambda_q, s->size.coordinates);
    out = copy(out, row->lambda_v, s->size.coordinates);
    out = copy(out, row->lambda_c, s->size.memories + r->hidden);
    for (int i = 0; i < s->params.count; i++) *out++ = row->lambda_p[s->params.index[i]];
    out = copy(out, row->y, s->size.coordinates);
    copy(out, row->y_mu, s->size.constraints);
    return 0;
}

int cli_adjoints_read(cli_session *s, cli_time_series *series, int hidden, const double *times,
                      int count)
{
    for (int i = 0; i < s->size.costs; i++) {
        CLI_OWNED char *cost = cli_column_name(s, CLI_COST, i);
        name_adjoints(s, series, cost, hidden);
    }
    for (int i = 0; i < s->size.costs && times; i++) {
        reader r = {.session = s, .series = series, .cost = i, .hidden = hidden};
        saltus_run_adjoints(s->run, i, times, count, adjoint_row, &r, &s->error);
    }
    reverse(series); /* they were computed from the end to the start */
    return s->error.status == SALTUS_OK;
}
