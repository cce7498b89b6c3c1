/* A column of the results of a sweep, read as a whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "text.h"

typedef struct reading {
    cli_column_data *data;
    int             *place; /* numbers of texts, in a hash table with open addressing; -1: free */
    int              places;
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
    cli_column_data *d = r->data;
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
    reading         *r = context;
    cli_column_data *d = r->data;
    (void)count;
    d->code = cli_grow(d->code, d->rows, sizeof *d->code);
    d->code[d->rows] = field[0].kind == CLI_FIELD_TEXT ? code_of(r, field[0].text) : -1;
    *CLI_PUSH(d->number, d->rows) = field[0].kind == CLI_FIELD_NUMBER ? field[0].number : NAN;
    return 1;
}

int cli_store_column(cli_sweep *sweep, const char *name, int every, cli_column_data *data)
{
    reading         r = {.data = data};
    CLI_OWNED char *quoted = cli_quoted_name(name);
    CLI_OWNED char *query = cli_format(
        "SELECT %s FROM sweep WHERE (point - 1) %% %d = 0 ORDER BY point", quoted, every);
    *data = (cli_column_data){0};
    const int ok = cli_store_rows(sweep, query, take, &r);
    free(r.place);
    return ok;
}

void cli_column_data_free(cli_column_data *data)
{
    cli_names_free(data->text, data->texts);
    free(data->number);
    free(data->code);
}
