/* The database of a sweep. There is a table of points, all written before the first is computed,
 * and one of results; the view `sweep` has both.
 *
 * A batch of results is one transaction with a rollback journal, and is on the disk before the next
 * one begins: however the program ends, there are complete batches only. Unlike a write-ahead log,
 * this keeps the database in one file while no process writes, and works on network drives. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <sha256.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sweep.h"
#include "text.h"

struct cli_store {
    sqlite3      *db;
    sqlite3_stmt *insert;  /* statement that inserts a result */
    char         *path;    /* path, for messages */
    double        waiting; /* when the present wait for another process began */
    SHA2_CTX      prefix;  /* hash of what all keys begin with */
};

/* ---- calls of SQLite and their failures ----------------------------------------------------- */

static const double PATIENCE = 60.0; /* seconds to wait for another process */

/* Makes SQLite's last failure that of the session: "cannot VERB 'sweep.db': why". Returns 0. */
static int fail(cli_sweep *sweep, const char *verb)
{
    struct cli_store *st = sweep->store;
    const int         code = sqlite3_errcode(st->db) & 0xff, reason = sqlite3_system_errno(st->db);
    saltus_error     *err = &sweep->session.error;
    if (code == SQLITE_NOMEM) cli_out_of_memory();
    if (cli_interrupted() && (code == SQLITE_BUSY || code == SQLITE_LOCKED))
        return cli_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted while another process used '%s'",
                        st->path);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return cli_fail(err, SALTUS_ERR_FILE,
                        "cannot %s '%s': another process has kept it locked for %g s; --resume "
                        "continues",
                        verb, st->path, PATIENCE);
    if (code == SQLITE_NOTADB)
        return cli_fail(err, SALTUS_ERR_FILE,
                        "'%s' is not a database: choose another name for -o, or remove it",
                        st->path);
    if (code == SQLITE_FULL || code == SQLITE_IOERR) /* SQLite may have lost errno */
        return cli_fail(
            err, SALTUS_ERR_FILE,
            "cannot %s '%s': %s; its contents are complete, and --resume continues once "
            "there is room",
            verb, st->path,
            code == SQLITE_FULL ? strerror(ENOSPC)
            : reason            ? strerror(reason)
                                : "is the disk full, or the size of files limited?");
    return cli_fail(err, SALTUS_ERR_FILE, "cannot %s '%s': %s", verb, st->path,
                    reason ? strerror(reason) : sqlite3_errmsg(st->db));
}

/* The function for sqlite3_busy_handler: another process is writing or reading, which takes
 * milliseconds. */
static int wait_for_others(void *context, int calls)
{
    struct cli_store     *st = context;
    const struct timespec nap = {0, 10 * 1000 * 1000};
    if (!calls) st->waiting = cli_seconds();
    if (cli_interrupted() || cli_seconds() - st->waiting > PATIENCE) return 0;
    nanosleep(&nap, NULL);
    return 1;
}

static int execute(cli_sweep *sweep, const char *verb, const char *sql)
{
    return sqlite3_exec(sweep->store->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(sweep, verb);
}

/* Prepares a statement; returns NULL with the error if that fails. */
static sqlite3_stmt *prepare(cli_sweep *sweep, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(sweep->store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(sweep, "read");
    return statement;
}

/* Reads the number that a query gives. */
static int read_number(cli_sweep *sweep, const char *sql, int *number)
{
    sqlite3_stmt *q = prepare(sweep, sql);
    const int     ok = q && sqlite3_step(q) == SQLITE_ROW;
    if (ok) *number = sqlite3_column_int(q, 0);
    else if (q) fail(sweep, "read");
    sqlite3_finalize(q);
    return ok;
}

enum { APPLICATION = 0x53616c74, FORMAT = 2, KEY_BYTES = 32 };

/* ---- the identity of the sweep -------------------------------------------------------------- */

static int check_identity(cli_sweep *sweep)
{
    struct cli_store *st = sweep->store;
    sqlite3_stmt     *q = prepare(sweep, "SELECT value FROM about WHERE name = ?");
    for (int i = 0; i < CLI_IDENTITIES && q && !sweep->session.error.status; i++) {
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sweep->identity[i].name, -1, SQLITE_STATIC);
        const char *text =
            sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
        if (!text || strcmp(text, sweep->identity[i].text) != 0)
            cli_fail(
                &sweep->session.error, SALTUS_ERR_FILE,
                "'%s' belongs to another sweep, with %s: choose another name for -o, or remove it",
                st->path, sweep->identity[i].meaning);
    }
    sqlite3_finalize(q);
    return sweep->session.error.status == SALTUS_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static char *append_quoted(char *text, const char *before, const char *name, const char *after)
{
    CLI_OWNED char *quoted = CLI_SQL_NAME(name);
    text = cli_append(text, "%s%s%s", before, quoted, after);
    return text;
}

static char *tables_sql(const cli_sweep *sweep)
{
    const cli_columns *c = &sweep->columns;
    char              *sql = cli_format("PRAGMA application_id = %d; PRAGMA user_version = %d;"
                                                     "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);"
                                                     "CREATE TABLE points (point INTEGER PRIMARY KEY, key BLOB NOT NULL",
                                        APPLICATION, FORMAT);
    for (int i = 0; i < c->params; i++) sql = append_quoted(sql, ", ", c->name[i], " REAL");
    sql =
        cli_append(sql, ");CREATE TABLE results (point INTEGER PRIMARY KEY, end TEXT, error TEXT, "
                        "message TEXT, t_end REAL, steps INTEGER, events INTEGER, sequence TEXT");
    for (int i = c->params; i < c->count; i++)
        sql =
            append_quoted(sql, ", ", c->name[i], i < c->params + c->events ? " INTEGER" : " REAL");
    sql = cli_append(sql, ");CREATE VIEW sweep AS SELECT point");
    for (int i = 0; i < c->params; i++) sql = append_quoted(sql, ", ", c->name[i], "");
    sql = cli_append(sql, ", end, error, message, t_end, steps, events, sequence");
    for (int i = c->params; i < c->count; i++) sql = append_quoted(sql, ", ", c->name[i], "");
    return cli_append(sql, " FROM points JOIN results USING (point) ORDER BY point;");
}

static int create_tables(cli_sweep *sweep)
{
    CLI_OWNED char *sql = tables_sql(sweep);
    int             ok = execute(sweep, "write", sql);
    sqlite3_stmt   *q = ok ? prepare(sweep, "INSERT INTO about VALUES (?, ?)") : NULL;
    for (int i = 0; i < CLI_IDENTITIES && q && ok; i++) {
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sweep->identity[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, sweep->identity[i].text, -1, SQLITE_STATIC);
        ok = sqlite3_step(q) == SQLITE_DONE || fail(sweep, "write");
    }
    sqlite3_finalize(q);
    return ok && q;
}

/* ---- points --------------------------------------------------------------------------------- */

typedef struct key {
    uint8_t byte[KEY_BYTES];
} key;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, KEY_BYTES); }

/* Starts the hash of keys: all that a result depends on is in its key. */
static void start_keys(cli_sweep *sweep)
{
    SHA256Init(&sweep->store->prefix);
    for (int i = 0; i < CLI_IDENTITIES; i++)
        SHA256Update(&sweep->store->prefix, (const uint8_t *)sweep->identity[i].text,
                     strlen(sweep->identity[i].text) + 1);
}

static key key_of(const struct cli_store *st, const double *value, int count)
{
    SHA2_CTX hash = st->prefix;
    key      k;
    char     text[32];
    for (int i = 0; i < count; i++) {
        const int length = snprintf(text, sizeof text, "%.17g,", value[i]);
        SHA256Update(&hash, (const uint8_t *)text, (size_t)length);
    }
    SHA256Final(k.byte, &hash);
    return k;
}

static int read_keys(cli_sweep *sweep, key **keys, int *count)
{
    int ok = read_number(sweep, "SELECT count(*) FROM points", count);
    if (!ok) return 0;
    *keys = cli_alloc((size_t)*count + 1, sizeof **keys);
    sqlite3_stmt *q = prepare(sweep, "SELECT key FROM points ORDER BY point");
    int           n = 0;
    while (q && n < *count && sqlite3_step(q) == SQLITE_ROW)
        if (sqlite3_column_bytes(q, 0) == KEY_BYTES)
            memcpy((*keys)[n++].byte, sqlite3_column_blob(q, 0), KEY_BYTES);
    sqlite3_finalize(q);
    *count = n;
    qsort(*keys, (size_t)n, sizeof **keys, by_bytes);
    return q != NULL;
}

/* Adds the points of the plan. Existing points keep their numbers; others get the next ones. */
static int add_points(cli_sweep *sweep)
{
    const cli_plan *plan = &sweep->plan;
    CLI_OWNED key  *keys = NULL;
    int             known = 0, next = 1;
    int             ok = read_keys(sweep, &keys, &known) &&
             read_number(sweep, "SELECT coalesce(max(point), 0) + 1 FROM points", &next);
    CLI_OWNED char *sql = cli_copy("INSERT INTO points VALUES (?, ?");
    for (int i = 0; i < plan->params; i++) sql = cli_append(sql, ", ?");
    sql = cli_append(sql, ")");
    sqlite3_stmt *q = ok ? prepare(sweep, sql) : NULL;
    for (int i = 0; i < plan->count && q && ok; i++) {
        const double *value = plan->value + (size_t)i * (size_t)plan->params;
        const key     k = key_of(sweep->store, value, plan->params);
        if (known && bsearch(&k, keys, (size_t)known, sizeof k, by_bytes)) continue;
        sqlite3_reset(q);
        sqlite3_bind_int(q, 1, next++);
        sqlite3_bind_blob(q, 2, k.byte, KEY_BYTES, SQLITE_TRANSIENT);
        for (int j = 0; j < plan->params; j++) sqlite3_bind_double(q, 3 + j, value[j]);
        ok = sqlite3_step(q) == SQLITE_DONE || fail(sweep, "write");
    }
    sqlite3_finalize(q);
    return ok && q;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Refuses a file that is not the database of a sweep, or one that is not to be continued. */
static int check_file(cli_sweep *sweep, int *is_new)
{
    struct cli_store *st = sweep->store;
    int               application = 0, format = 0, tables = 0;
    if (!read_number(sweep, "PRAGMA application_id", &application) ||
        !read_number(sweep, "PRAGMA user_version", &format) ||
        !read_number(sweep, "SELECT count(*) FROM sqlite_master", &tables))
        return 0;
    *is_new = tables == 0;
    if (*is_new) return 1;
    if (application != APPLICATION || format != FORMAT)
        return cli_fail(&sweep->session.error, SALTUS_ERR_FILE,
                        "'%s' is a database, but of no sweep of this saltus: choose another name",
                        st->path);
    if (!cli_is_given(sweep->session.arguments, CLI_OPTION_RESUME))
        return cli_fail(&sweep->session.error, SALTUS_ERR_FILE,
                        "'%s' is there already: continue it with --resume, choose another name, or "
                        "remove it",
                        st->path);
    return check_identity(sweep);
}

static int check_width(cli_sweep *sweep)
{
    const int most = sqlite3_limit(sweep->store->db, SQLITE_LIMIT_COLUMN, -1) - 16;
    return sweep->columns.count <= most ||
           cli_misuse(&sweep->session.error,
                      "%d columns are more than the %d that a database has: choose with --wrt, "
                      "--cost and --final",
                      sweep->columns.count, most);
}

static int prepare_insert(cli_sweep *sweep)
{
    const cli_columns *c = &sweep->columns;
    CLI_OWNED char *sql = cli_copy("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?");
    for (int i = c->params; i < c->count; i++) sql = cli_append(sql, ", ?");
    sql = cli_append(sql, ")");
    sweep->store->insert = prepare(sweep, sql);
    return sweep->store->insert != NULL;
}

/* Creates tables and points in one transaction, so that no other process sees a part of them. */
static int fill(cli_sweep *sweep)
{
    int is_new = 0;
    if (!execute(sweep, "open", "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL") ||
        !check_width(sweep) || !execute(sweep, "write", "BEGIN IMMEDIATE"))
        return 0;
    if (!check_file(sweep, &is_new) || (is_new && !create_tables(sweep)) || !add_points(sweep)) {
        sqlite3_exec(sweep->store->db, "ROLLBACK", NULL, NULL, NULL);
        return 0;
    }
    return execute(sweep, "write", "COMMIT") && prepare_insert(sweep);
}

void cli_store_open(cli_sweep *sweep, const char *path)
{
    cli_session      *s = &sweep->session;
    struct cli_store *st = sweep->store = cli_alloc(1, sizeof *st);
    struct stat       about;
    st->path = cli_copy(path ? path : "the database in memory");
    const int is_there = path && stat(path, &about) == 0;
    if (is_there && !S_ISREG(about.st_mode)) {
        cli_fail(&s->error, SALTUS_ERR_FILE,
                 "'%s' is not a regular file: choose another name for -o", path);
        return;
    }
    start_keys(sweep);
    if (sqlite3_open(path ? path : ":memory:", &st->db) != SQLITE_OK) {
        fail(sweep, "open");
        return;
    }
    sqlite3_extended_result_codes(st->db, 1);
    sqlite3_busy_handler(st->db, wait_for_others, st);
    if (!fill(sweep) && !is_there && path && stat(path, &about) == 0 && about.st_size == 0)
        remove(path); /* creating it failed */
}

void cli_store_close(cli_sweep *sweep)
{
    struct cli_store *st = sweep->store;
    if (!st) return;
    sqlite3_finalize(st->insert);
    sqlite3_close(st->db);
    free(st->path);
    free(st);
    sweep->store = NULL;
}

/* ---- results -------------------------------------------------------------------------------- */

int cli_store_missing(cli_sweep *sweep, cli_work *work)
{
    const int params = sweep->plan.params;
    int       code = SQLITE_ERROR;
    *work = (cli_work){0};
    sqlite3_stmt *q = prepare(sweep, "SELECT * FROM points WHERE point NOT IN "
                                     "(SELECT point FROM results) ORDER BY point");
    while (q && (code = sqlite3_step(q)) == SQLITE_ROW) {
        work->value = cli_grow(work->value, work->count, (size_t)params * sizeof *work->value);
        for (int i = 0; i < params; i++)
            work->value[(size_t)work->count * (size_t)params + (size_t)i] =
                sqlite3_column_double(q, 2 + i);
        *CLI_PUSH(work->point, work->count) = sqlite3_column_int(q, 0);
    }
    if (q && code != SQLITE_DONE) fail(sweep, "read");
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
    sqlite3_bind_double(q, 5, row->t_end); /* NaN becomes NULL */
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
    if (!execute(sweep, "write", "BEGIN IMMEDIATE")) return 0;
    int ok = 1;
    for (int i = 0; i < count && ok; i++) {
        sqlite3_reset(st->insert);
        bind_row(st->insert, &sweep->columns, &rows[i]);
        ok = sqlite3_step(st->insert) == SQLITE_DONE || fail(sweep, "write");
        if (ok) *others += sqlite3_changes(st->db) == 0;
    }
    sqlite3_reset(st->insert);
    sqlite3_clear_bindings(st->insert);
    ok = ok && execute(sweep, "write", "COMMIT");
    if (!ok) sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

int cli_store_count(cli_sweep *sweep)
{
    return read_number(sweep, "SELECT count(*) FROM points", &sweep->points) &&
           read_number(sweep, "SELECT count(*) FROM results", &sweep->done) &&
           read_number(sweep, "SELECT count(*) FROM results WHERE error IS NOT NULL",
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

int cli_store_rows(cli_sweep *sweep, const char *query, cli_visit *visit, void *context)
{
    sqlite3_stmt *q = prepare(sweep, query);
    if (!q) return 0;
    const int            count = sqlite3_column_count(q);
    CLI_OWNED cli_field *field = cli_alloc((size_t)count + 1, sizeof *field);
    int                  code = SQLITE_DONE, go_on = 1;
    while (go_on && (code = sqlite3_step(q)) == SQLITE_ROW) {
        for (int i = 0; i < count; i++) field[i] = field_of(q, i);
        go_on = visit(context, field, count);
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW) fail(sweep, "read");
    sqlite3_finalize(q);
    return sweep->session.error.status == SALTUS_OK;
}

int cli_store_names(cli_sweep *sweep, char ***names, int *count)
{
    sqlite3_stmt *q = prepare(sweep, "SELECT * FROM sweep");
    if (!q) return 0;
    *count = sqlite3_column_count(q);
    *names = cli_alloc((size_t)*count + 1, sizeof **names);
    for (int i = 0; i < *count; i++) (*names)[i] = cli_copy(sqlite3_column_name(q, i));
    sqlite3_finalize(q);
    return 1;
}
