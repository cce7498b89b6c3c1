/* The database of a sweep: results. */
#include <stdlib.h>

#include "store.h"
#include "text.h"

/* ---- results -------------------------------------------------------------------------------- */

int cli_store_missing(cli_sweep *sweep, cli_work *work)
{
    const int params = sweep->plan.params;
    int       code = SQLITE_ERROR;
    *work = (cli_work){0};
    sqlite3_stmt *q = cli_store_prepare(sweep, "SELECT * FROM points WHERE point NOT IN "
                                               "(SELECT point FROM results) ORDER BY point");
    while (q && (code = sqlite3_step(q)) == SQLITE_ROW) {
        work->value = cli_grow(work->value, work->count, (size_t)params * sizeof *work->value);
        for (int i = 0; i < params; i++)
            work->value[(size_t)work->count * (size_t)params + (size_t)i] =
                sqlite3_column_double(q, 2 + i);
        *CLI_PUSH(work->point, work->count) = sqlite3_column_int(q, 0);
    }
    if (q && code != SQLITE_DONE) cli_store_fail(sweep, "read");
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

void cli_work_free(cli_work *work)
{
    free(work->point);
    free(work->value);
}

static void bind_text(sqlite3_stmt *q, int place, const char *text)
{
    if (text) sqlite3_bind_text(q, place, text, -1, SQLITE_STATIC);
    else sqlite3_bind_null(q, place);
}

static void bind_row(sqlite3_stmt *q, const cli_columns *c, const cli_sweep_row *row)
{
    sqlite3_bind_int(q, 1, row->point);
    bind_text(q, 2, row->end);
    bind_text(q, 3, row->error ? saltus_status_name(row->error) : NULL);
    bind_text(q, 4, row->message);
    sqlite3_bind_double(q, 5, row->t_end); /* not a number is NULL */
    sqlite3_bind_int64(q, 6, row->steps);
    sqlite3_bind_int(q, 7, row->events);
    bind_text(q, 8, row->sequence);
    for (int i = 0; i < c->count - c->params; i++)
        if (i < c->events) sqlite3_bind_int(q, 9 + i, (int)row->value[i]);
        else sqlite3_bind_double(q, 9 + i, row->value[i]);
}

int cli_store_write(cli_sweep *sweep, const cli_sweep_row *rows, int count, int *others)
{
    struct cli_store *st = sweep->store;
    *others = 0;
    if (!cli_store_do(sweep, "write", "BEGIN IMMEDIATE")) return 0;
    int ok = 1;
    for (int i = 0; i < count && ok; i++) {
        sqlite3_reset(st->insert);
        bind_row(st->insert, &sweep->columns, &rows[i]);
        ok = sqlite3_step(st->insert) == SQLITE_DONE || cli_store_fail(sweep, "write");
        if (ok) *others += sqlite3_changes(st->db) == 0;
    }
    sqlite3_reset(st->insert);
    sqlite3_clear_bindings(st->insert);
    ok = ok && cli_store_do(sweep, "write", "COMMIT");
    if (!ok) sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

int cli_store_count(cli_sweep *sweep)
{
    return cli_store_number(sweep, "SELECT count(*) FROM points", &sweep->points) &&
           cli_store_number(sweep, "SELECT count(*) FROM results", &sweep->done) &&
           cli_store_number(sweep, "SELECT count(*) FROM results WHERE error IS NOT NULL",
                            &sweep->failed);
}

/* ---- reading -------------------------------------------------------------------------------- */

static cli_field field_of(sqlite3_stmt *q, int column)
{
    const int type = sqlite3_column_type(q, column);
    if (type == SQLITE_NULL) return (cli_field){.kind = CLI_FIELD_NOTHING};
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
        return (cli_field){.kind = CLI_FIELD_NUMBER, .number = sqlite3_column_double(q, column)};
    const char *text = (const char *)sqlite3_column_text(q, column);
    if (!text) cli_out_of_memory();
    return (cli_field){.kind = CLI_FIELD_TEXT, .text = text};
}

int cli_store_rows(cli_sweep *sweep, const char                                         *query,
                   int (*visit)(void *context, const cli_field *field, int count), void *context)
{
    sqlite3_stmt *q = cli_store_prepare(sweep, query);
    if (!q) return 0;
    const int            count = sqlite3_column_count(q);
    CLI_OWNED cli_field *field = cli_alloc((size_t)count + 1, sizeof *field);
    int                  code = SQLITE_DONE, go_on = 1;
    while (go_on && (code = sqlite3_step(q)) == SQLITE_ROW) {
        for (int i = 0; i < count; i++) field[i] = field_of(q, i);
        go_on = visit(context, field, count);
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW) cli_store_fail(sweep, "read");
    sqlite3_finalize(q);
    return sweep->session.error.status == SALTUS_OK;
}

int cli_store_names(cli_sweep *sweep, char ***names, int *count)
{
    sqlite3_stmt *q = cli_store_prepare(sweep, "SELECT * FROM sweep");
    if (!q) return 0;
    *count = sqlite3_column_count(q);
    *names = cli_alloc((size_t)*count + 1, sizeof **names);
    for (int i = 0; i < *count; i++) (*names)[i] = cli_copy(sqlite3_column_name(q, i));
    sqlite3_finalize(q);
    return 1;
}
