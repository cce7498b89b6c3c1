/* The database of a sweep, where there is no SQLite. */
#include "sweep.h"
#include "text.h"

void cli_store_open(cli_sweep *sweep, const char *path)
{
    (void)path;
    cli_fail(&sweep->session.error, SALTUS_ERR_FILE,
             "this saltus was built without SQLite, where results of sweeps are kept: install "
             "libsqlite3-dev and build it again");
}

void cli_store_close(cli_sweep *sweep) { (void)sweep; }
int  cli_store_missing(cli_sweep *sweep, cli_work *work) { return (void)sweep, (void)work, 0; }
void cli_work_free(cli_work *work) { (void)work; }
int  cli_store_count(cli_sweep *sweep) { return (void)sweep, 0; }
int  cli_store_write(cli_sweep *sweep, const cli_sweep_row *rows, int count, int *others)
{
    return (void)sweep, (void)rows, (void)count, (void)others, 0;
}
int cli_store_rows(cli_sweep *sweep, const char *query, cli_visit *visit, void *context)
{
    return (void)sweep, (void)query, (void)visit, (void)context, 0;
}
int cli_store_names(cli_sweep *sweep, char ***names, int *count)
{
    return (void)sweep, (void)names, (void)count, 0;
}
