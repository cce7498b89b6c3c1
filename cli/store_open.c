/* The database of a sweep: opening it, its tables and its points. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store.h"
#include "text.h"

enum { APPLICATION = 0x53616c74, FORMAT = 2, KEY_BYTES = 32 };

/* ---- what the sweep is about ---------------------------------------------------------------- */

static int check_identity(cli_sweep *sweep)
{
    struct cli_store *st = sweep->store;
    sqlite3_stmt     *q = cli_store_prepare(sweep, "SELECT value FROM about WHERE name = ?");
    for (int i = 0; i < CLI_IDENTITIES && q && !sweep->session.error.status; i++) {
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sweep->identity[i].name, -1, SQLITE_STATIC);
        const char *text =
            sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
        if (!text || strcmp(text, sweep->identity[i].text) != 0)
            cli_fail(&sweep->session.error, SALTUS_ERR_FILE,
                     "'%s' is of another sweep, with %s: choose another name for -o, or remove it",
                     st->path, sweep->identity[i].meaning);
    }
    sqlite3_finalize(q);
    return sweep->session.error.status == SALTUS_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static char *append_quoted(char *text, const char *before, const char *name, const char *after)
{
    CLI_OWNED char *quoted = cli_quoted_name(name);
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
    int             ok = cli_store_do(sweep, "write", sql);
    sqlite3_stmt   *q = ok ? cli_store_prepare(sweep, "INSERT INTO about VALUES (?, ?)") : NULL;
    for (int i = 0; i < CLI_IDENTITIES && q && ok; i++) {
        sqlite3_reset(q);
        sqlite3_bind_text(q, 1, sweep->identity[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, sweep->identity[i].text, -1, SQLITE_STATIC);
        ok = sqlite3_step(q) == SQLITE_DONE || cli_store_fail(sweep, "write");
    }
    sqlite3_finalize(q);
    return ok && q;
}

/* ---- points --------------------------------------------------------------------------------- */

typedef struct key {
    uint8_t byte[KEY_BYTES];
} key;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, KEY_BYTES); }

/* All that a result depends on is in its key. */
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
    int ok = cli_store_number(sweep, "SELECT count(*) FROM points", count);
    if (!ok) return 0;
    *keys = cli_alloc((size_t)*count + 1, sizeof **keys);
    sqlite3_stmt *q = cli_store_prepare(sweep, "SELECT key FROM points ORDER BY point");
    int           n = 0;
    while (q && n < *count && sqlite3_step(q) == SQLITE_ROW)
        if (sqlite3_column_bytes(q, 0) == KEY_BYTES)
            memcpy((*keys)[n++].byte, sqlite3_column_blob(q, 0), KEY_BYTES);
    sqlite3_finalize(q);
    *count = n;
    qsort(*keys, (size_t)n, sizeof **keys, by_bytes);
    return q != NULL;
}

/* Points that are there keep their numbers; others get the next ones. */
static int add_points(cli_sweep *sweep)
{
    const cli_plan *plan = &sweep->plan;
    CLI_OWNED key  *keys = NULL;
    int             known = 0, next = 1;
    int             ok = read_keys(sweep, &keys, &known) &&
             cli_store_number(sweep, "SELECT coalesce(max(point), 0) + 1 FROM points", &next);
    CLI_OWNED char *sql = cli_copy("INSERT INTO points VALUES (?, ?");
    for (int i = 0; i < plan->params; i++) sql = cli_append(sql, ", ?");
    sql = cli_append(sql, ")");
    sqlite3_stmt *q = ok ? cli_store_prepare(sweep, sql) : NULL;
    for (int i = 0; i < plan->count && q && ok; i++) {
        const double *value = plan->value + (size_t)i * (size_t)plan->params;
        const key     k = key_of(sweep->store, value, plan->params);
        if (known && bsearch(&k, keys, (size_t)known, sizeof k, by_bytes)) continue;
        sqlite3_reset(q);
        sqlite3_bind_int(q, 1, next++);
        sqlite3_bind_blob(q, 2, k.byte, KEY_BYTES, SQLITE_TRANSIENT);
        for (int j = 0; j < plan->params; j++) sqlite3_bind_double(q, 3 + j, value[j]);
        ok = sqlite3_step(q) == SQLITE_DONE || cli_store_fail(sweep, "write");
    }
    sqlite3_finalize(q);
    return ok && q;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* A file that something else has written, or that a sweep wrote before and nobody wants to
 * continue, stays as it is. */
static int check_file(cli_sweep *sweep, int *is_new)
{
    struct cli_store *st = sweep->store;
    int               application = 0, format = 0, tables = 0;
    if (!cli_store_number(sweep, "PRAGMA application_id", &application) ||
        !cli_store_number(sweep, "PRAGMA user_version", &format) ||
        !cli_store_number(sweep, "SELECT count(*) FROM sqlite_master", &tables))
        return 0;
    *is_new = tables == 0;
    if (*is_new) return 1;
    if (application != APPLICATION || format != FORMAT)
        return cli_fail(&sweep->session.error, SALTUS_ERR_FILE,
                        "'%s' is a database, but of no sweep of this saltus: choose another name",
                        st->path);
    if (!sweep->session.arguments->resume)
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
    sweep->store->insert = cli_store_prepare(sweep, sql);
    return sweep->store->insert != NULL;
}

/* Tables and points come together: no other process sees a part of them. */
static int fill(cli_sweep *sweep)
{
    int is_new = 0;
    if (!cli_store_do(sweep, "open", "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL") ||
        !check_width(sweep) || !cli_store_do(sweep, "write", "BEGIN IMMEDIATE"))
        return 0;
    if (!check_file(sweep, &is_new) || (is_new && !create_tables(sweep)) || !add_points(sweep)) {
        sqlite3_exec(sweep->store->db, "ROLLBACK", NULL, NULL, NULL);
        return 0;
    }
    return cli_store_do(sweep, "write", "COMMIT") && prepare_insert(sweep);
}

void cli_store_open(cli_sweep *sweep, const char *path)
{
    cli_session      *s = &sweep->session;
    struct cli_store *st = sweep->store = cli_alloc(1, sizeof *st);
    struct stat       about;
    st->path = cli_copy(path ? path : "the database in memory");
    const int is_there = path && stat(path, &about) == 0;
    if (is_there && !S_ISREG(about.st_mode)) {
        cli_fail(&s->error, SALTUS_ERR_FILE, "'%s' is no regular file: choose another name for -o",
                 path);
        return;
    }
    start_keys(sweep);
    if (sqlite3_open(path ? path : ":memory:", &st->db) != SQLITE_OK) {
        cli_store_fail(sweep, "open");
        return;
    }
    sqlite3_extended_result_codes(st->db, 1);
    sqlite3_busy_handler(st->db, cli_store_wait, st);
    if (!fill(sweep) && !is_there && path && stat(path, &about) == 0 && about.st_size == 0)
        remove(path); /* nothing came of it */
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
