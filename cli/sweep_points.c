/* Points of a sweep from a file. */
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "text.h"
#include "values.h"

/* Makes an error name the line. */
static int at_line(cli_session *s, const char *file, int line)
{
    if (s->error.status && !*s->error.file) {
        snprintf(s->error.file, sizeof s->error.file, "%s", file);
        s->error.line = line;
    }
    return s->error.status == SALTUS_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* The next field, without its quotes; `at` moves past it, and *at is NULL after the last one. */
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

static int read_names(cli_session *s, cli_block *block, const char *line, const char *file)
{
    while (line && !s->error.status) {
        CLI_OWNED char *name = next_field(&line);
        cli_block_param(s, block, name, "--points");
    }
    return at_line(s, file, 1);
}

static int read_row(cli_session *s, cli_block *block, const char *line, const char *file,
                    int number)
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
        else cli_block_value(s, block, place, value, "--points");
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

/* The first line says which parameters there are. */
static int read_object(cli_session *s, cli_block *block, const char *line, const char *file,
                       int number)
{
    cli_values values = {0};
    if (!cli_values_add_json(&values, file, line, strlen(line), &s->error)) s->error.line = number;
    for (int i = 0; i < values.count && !block->rows && !s->error.status; i++)
        cli_block_param(s, block, values.value[i].name, "--points");
    if (!s->error.status && values.count != block->params)
        cli_misuse(&s->error, "--points: %d values, but the first line has %d", values.count,
                   block->params);
    for (int i = 0; i < block->params && !s->error.status; i++) {
        const char            *name = saltus_system_param(s->system, block->param[i]).name;
        const saltus_override *given = find(&values, name);
        if (!given || given->text) cli_misuse(&s->error, "--points: there is no number '%s'", name);
        else cli_block_value(s, block, i, given->value, "--points");
    }
    cli_values_free(&values);
    return at_line(s, file, number);
}

/* ---- the file ------------------------------------------------------------------------------- */

int cli_block_read(cli_session *s, cli_block *block, const char *file)
{
    size_t    length = 0;
    char     *text = cli_read_file(file, &length, &s->error), *line = text;
    const int csv = cli_ends_with(file, ".csv");
    if (line && strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3; /* spreadsheets mark UTF-8 so */
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
