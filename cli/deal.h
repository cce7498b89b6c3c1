/* Distributes work piece by piece to the threads of all processes of the team; the next piece goes
 * to the thread that is free first. Process 0 creates the pieces and collects the results; results
 * do not depend on the distribution. */
#ifndef CLI_DEAL_H
#define CLI_DEAL_H

#include <stdatomic.h>

#include "packet.h"
#include "saltus/saltus.h"

typedef struct cli_deal {
    const char *identity; /* what all processes must agree on */
    int         threads;  /* number of threads of each process */
    void       *context;
    /* Process 0: writes the next piece of work; returns 0 if there is none. Called by one thread at
     * a time. */
    int (*next)(void *context, cli_packet *piece);
    /* Does a piece of work in one of the threads. worker, below threads, is the number of the
     * thread. Returns 1 if there is a result; err is set if the work cannot continue. */
    int (*perform)(void *context, int worker, cli_packet *piece, cli_packet *result,
                   saltus_error *err);
    /* Process 0: takes a batch of results, in the calling thread, several times per second. Returns
     * 0 to stop. */
    int (*collect)(void *context, cli_packet *results, int count);
    atomic_int stopped; /* work in progress may end without a result */
} cli_deal;

/* Performs the work; called by all processes. In process 0 it returns when nothing is left to do,
 * or when the work was interrupted or failed. */
void cli_deal_run(cli_deal *deal, saltus_error *err);
int  cli_deal_is_stopped(const cli_deal *deal);

/* Copies the packet of process 0 to all others, which replaces theirs. Returns 0 if it will not
 * come. */
int cli_deal_spread(cli_packet *packet);

/* Notes why this process will end, for process 0. */
void cli_deal_excuse(const saltus_error *err);
/* The last call of each process; ends those that wait for work. Returns the exit status: that of
 * the team is the status of process 0. */
int cli_deal_end(int status);

#endif
