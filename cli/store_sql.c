/* The database of a sweep: calls of SQLite and their failures. */
#define _POSIX_C_SOURCE 200809L
#include "store.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "text.h"

static const double PATIENCE = 60.0; /* seconds to wait for another process */

int cli_store_fail(cli_sweep *sweep, const char *verb)
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
                        "'%s' is no database: choose another name for -o, or remove it", st->path);
    if (code == SQLITE_FULL || code == SQLITE_IOERR) /* SQLite may have lost the reason */
        return cli_fail(
            err, SALTUS_ERR_FILE,
            "cannot %s '%s': %s; what is in it is complete, and --resume continues once "
            "there is room",
            verb, st->path,
            code == SQLITE_FULL ? strerror(ENOSPC)
            : reason            ? strerror(reason)
                                : "is the disk full, or the size of files limited?");
    return cli_fail(err, SALTUS_ERR_FILE, "cannot %s '%s': %s", verb, st->path,
                    reason ? strerror(reason) : sqlite3_errmsg(st->db));
}

/* Another process is writing, or reading: that takes milliseconds. */
int cli_store_wait(void *context, int calls)
{
    struct cli_store     *st = context;
    const struct timespec nap = {0, 10 * 1000 * 1000};
    if (!calls) st->waiting = cli_seconds();
    if (cli_interrupted() || cli_seconds() - st->waiting > PATIENCE) return 0;
    nanosleep(&nap, NULL);
    return 1;
}

int cli_store_do(cli_sweep *sweep, const char *verb, const char *sql)
{
    return sqlite3_exec(sweep->store->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
           cli_store_fail(sweep, verb);
}

sqlite3_stmt *cli_store_prepare(cli_sweep *sweep, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(sweep->store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        cli_store_fail(sweep, "read");
    return statement;
}

int cli_store_number(cli_sweep *sweep, const char *sql, int *number)
{
    sqlite3_stmt *q = cli_store_prepare(sweep, sql);
    const int     ok = q && sqlite3_step(q) == SQLITE_ROW;
    if (ok) *number = sqlite3_column_int(q, 0);
    else if (q) cli_store_fail(sweep, "read");
    sqlite3_finalize(q);
    return ok;
}
