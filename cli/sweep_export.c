/* The results of a sweep as a table. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

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

void cli_sweep_export(cli_sweep *sweep)
{
    cli_session *s = &sweep->session;
    const char  *path = cli_argument(s->arguments, CLI_OPTION_CSV);
    const int    partial = s->error.status != SALTUS_OK;
    saltus_error before = s->error;
    cli_output   output = {0};
    if (!path) return;
    s->error = (saltus_error){0};
    if (strcmp(path, "-") == 0 || cli_output_is_stdout(path)) {
        write_csv(sweep, s->arguments->out);
    } else if (cli_session_may_write(s, path, &s->error) &&
               cli_output_open(&output, path, 0, &s->error)) {
        write_csv(sweep, output.stream);
        if (s->error.status) cli_output_drop(&output);
        else cli_output_keep(&output, partial, &s->error);
    }
    if (before.status) s->error = before;
}
