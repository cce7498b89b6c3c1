/* Work that is dealt out piece by piece, to threads here and to the processes of the team, whoever
 * is free first. Process 0 knows the pieces and collects the results; results do not depend on who
 * did what. */
#ifndef CLI_DEAL_H
#define CLI_DEAL_H

#include <stdatomic.h>

#include "packet.h"
#include "saltus/saltus.h"

typedef struct cli_deal {
    const char *identity; /* what all processes must agree on */
    int         threads;  /* of each process */
    void       *context;
    /* Process 0: writes the next piece of work; 0: there is none. One thread at a time calls it. */
    int (*next)(void *context, cli_packet *piece);
    /* Does a piece, in one of the threads; those of a worker (below threads) come one by one.
     * Returns 1 if there is a result, and fails if it cannot go on. */
    int (*perform)(void *context, int worker, cli_packet *piece, cli_packet *result,
                   saltus_error *err);
    /* Process 0: takes a batch of results, in the calling thread, some times per second. Returns 0
     * to stop. */
    int (*collect)(void *context, cli_packet *results, int count);
    atomic_int stopped; /* what is being done may end without a result */
} cli_deal;

/* All processes call this; in process 0 it returns when there is nothing left to do, or the work
 * was interrupted, or failed. */
void cli_deal_run(cli_deal *deal, saltus_error *err);
int  cli_deal_is_stopped(const cli_deal *deal);

/* Hands the packet, freed and filled, from process 0 to all others. Returns 0 if it will not come.
 */
int cli_deal_spread(cli_packet *packet);

/* Why this process will end; number 0 is told. */
void cli_deal_excuse(const saltus_error *err);
/* The last call of each process: those that wait for work end. Returns the exit status: that of
 * the team is the one of process 0. */
int cli_deal_end(int status);

#endif
