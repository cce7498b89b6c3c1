/* Numbers over time, as CSV or JSON. */
#define _POSIX_C_SOURCE 200809L
#include "time_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_result.h"
#include "text.h"

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

void cli_time_series_reverse(cli_time_series *series)
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

/* A file gets names as they are. */
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
    if (series->rows == 0 && s->error.status) return; /* it failed before there was anything */
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
    times[DEFAULT_ROWS - 1] = end; /* not one rounding beyond it */
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
