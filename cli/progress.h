/* The line that shows how far long work has come, and the signals that end it. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "text.h"

/* Work is counted in passes through the motion, from its start to its end or back, by any thread. A
 * plan has stages, each with a share of the whole in units of its own choice; then one bar shows
 * all of them. The share that is shown never falls. */
typedef struct cli_progress {
    const char *label;    /* what is being done, e.g. "simulating" */
    char        note[80]; /* the stage, or how the work stands; "": nothing to say */
    int         terminal; /* 1: show it */
    double      start, shown;
    int         width;    /* columns of the line now on the terminal */
    int         room;     /* columns of the terminal, 0: not known */
    int         planned;  /* 1: stages share one bar */
    int         quiet;    /* 1: show nothing; this and t_start are set before any work */
    double      t_start;  /* of the motion */
    double      t, t_end; /* where it was last, and its end */
    double      all;      /* units of all the work; 0: not known, no bar */
    double      before;   /* units of the stages that are done */
    double      units;    /* of the present stage */
    double      passes;   /* that it is expected to take; 0: not known */
    double      covered;  /* that it has taken */
    double      share;    /* of all, the largest so far */
    double      moved;    /* seconds from the start to the last change of share */
} cli_progress;

/* Ctrl-C, SIGTERM and SIGHUP ask the work to stop and keep what it has; a second one ends the
 * program. A pipe that its reader closed, and a file that may not grow, make writing fail, and do
 * not end the program. */
void cli_signals_prepare(void);
int  cli_interrupted(void);
void cli_interrupt(void); /* as a signal does */
int  cli_pipe_closed(void);

/* Work of one stage. Within a plan it is part of the present stage, and so these do nothing. */
void cli_progress_begin(cli_progress *progress, const char *label);
/* How many passes it takes, for a bar with the time left. */
void cli_progress_passes(cli_progress *progress, double passes);
void cli_progress_end(cli_progress *progress);

/* One bar for work of several stages, which have so many units together; 0: not known. */
void cli_progress_plan(cli_progress *progress, const char *label, double units);
/* The next stage; without a plan it does nothing. */
void cli_progress_stage(cli_progress *progress, const char *name, double units, double passes);
void cli_progress_done(cli_progress *progress);

/* How many of many pieces of work are done; count 0: it is not known how many there are, and the
 * rate is shown. */
void cli_progress_count(cli_progress *progress, int done, int count);
/* The share of a search that is done, and how it stands, printf-style. */
void cli_progress_reach(cli_progress *progress, double share, const char *format, ...)
    CLI_PRINTF(3, 4);
/* For saltus_options.progress; context is a cli_progress, which threads may share. */
int cli_progress_call(void *context, double t, double t_end);

#endif
