/* The tables that run and gradient print: costs, final state, energies, events, work. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "session.h"

/* Print what exists, also after a failure. The state is the final one, with energies. */
void cli_summary_costs(const cli_session *session);
void cli_summary_state(cli_session *session);
void cli_summary_events(const cli_session *session);
void cli_summary_jumps(cli_session *session);
/* Prints steps and seconds, with --verbose or --repeat. */
void cli_summary_work(const cli_session *session);

/* 1 if the row at index is left out of the table, in the middle of a long list of `count` rows;
 * cli_summary_left_out prints how many were. */
int  cli_summary_skips(const cli_session *session, int index, int count);
void cli_summary_left_out(const cli_session *session, int count);

/* Seconds of work done several times. */
typedef struct cli_timing {
    double *seconds;
    int     count;
} cli_timing;
void   cli_timing_add(cli_timing *timing, double seconds);
double cli_timing_median(const cli_timing *timing); /* NaN of nothing */
void   cli_timing_free(cli_timing *timing);
/* Adds the times of the whole (by the clock) and of the forward run (of the processor) to the
 * session's stats. */
void cli_timing_note(cli_session *session, const cli_timing *whole, const cli_timing *forward);

#endif
