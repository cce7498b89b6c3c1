/* The database of a sweep: what its parts share. There is a table of points, all written before the
 * first is computed, and one of results; the view `sweep` has both.
 *
 * A batch of results is one transaction with a rollback journal, and on the disk before the next
 * one begins: whatever ends the program, complete batches are there, and nothing else is. Unlike a
 * write-ahead log, that is one file when nobody writes, and works on file systems of networks. */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <sha256.h>
#include <sqlite3.h>

#include "sweep.h"

struct cli_store {
    sqlite3      *db;
    sqlite3_stmt *insert;  /* a result */
    char         *path;    /* for messages */
    double        waiting; /* since when, 0: not */
    SHA2_CTX      prefix;  /* of all keys */
};

/* Makes SQLite's last failure that of the session: "cannot VERB 'sweep.db': why". Returns 0. */
int cli_store_fail(cli_sweep *sweep, const char *verb);
/* For sqlite3_busy_handler: waits for another process that uses the database, with patience. */
int cli_store_wait(void *store, int calls);
int cli_store_do(cli_sweep *sweep, const char *verb, const char *sql);
/* NULL: it failed. */
sqlite3_stmt *cli_store_prepare(cli_sweep *sweep, const char *sql);
/* The number that a query gives. */
int cli_store_number(cli_sweep *sweep, const char *sql, int *number);

#endif
