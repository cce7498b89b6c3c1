/* The results of a sweep as files: a table, arrays of NumPy, a page. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "npz.h"
#include "sweep.h"
#include "text.h"

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

static int is_text(const char *name)
{
    static const char *const texts[] = {"end", "error", "message", "sequence"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i]) == 0) return 1;
    return 0;
}

static int is_count(const cli_sweep *sweep, const char *name)
{
    const cli_columns *c = &sweep->columns;
    int                is =
        strcmp(name, "point") == 0 || strcmp(name, "steps") == 0 || strcmp(name, "events") == 0;
    for (int i = c->params; i < c->params + c->events; i++) is = is || !strcmp(name, c->name[i]);
    return is;
}

/* Columns of texts are numbers of texts; those are in an array of their own. */
static void add_texts(cli_npz *npz, const char *name, const cli_column_data *data)
{
    CLI_OWNED char *list = cli_format("%ss", name);
    cli_npz_ints(npz, name, data->code, data->rows);
    cli_npz_texts(npz, list, data->text, data->texts);
}

static void add_column(cli_sweep *sweep, cli_npz *npz, const char *name)
{
    cli_column_data data;
    if (cli_store_column(sweep, name, 1, &data)) {
        for (int i = 0; i < data.rows && is_count(sweep, name); i++)
            data.code[i] = data.number[i] >= 0.0 ? (int)data.number[i] : -1;
        if (is_text(name)) add_texts(npz, name, &data);
        else if (is_count(sweep, name)) cli_npz_ints(npz, name, data.code, data.rows);
        else cli_npz_doubles(npz, name, data.number, data.rows);
    }
    cli_column_data_free(&data);
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
    write_file(sweep, cli_argument(a, CLI_OPTION_REPORT), cli_sweep_page_write);
}
