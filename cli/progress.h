/* The line that shows the progress of long work, and the signals that end it. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "text.h"

/* Progress of work, which is counted in passes through the motion, from its start to its end or
 * back, by any thread. A plan has stages, each with a share of the whole in units of its own
 * choice; one bar shows all of them. The part that is shown never falls. */
typedef struct cli_progress {
    const char *label;    /* what is being done, e.g. "simulating" */
    char        note[80]; /* the stage, or the state of the work; "": none */
    int         terminal; /* 1: show it */
    double      start, shown;
    int         width;    /* columns of the line now on the terminal */
    int         room;     /* columns of the terminal, 0: not known */
    int         planned;  /* 1: stages share one bar */
    int         quiet;    /* 1: show nothing; this and t_start are set before any work */
    double      t_start;  /* start time of the motion */
    double      t, t_end; /* time of the last call; end of the motion */
    double      all;      /* units of all work; 0: not known, no bar */
    double      before;   /* units of finished stages */
    double      units;    /* units of the present stage */
    double      passes;   /* expected passes of the present stage; 0: not known */
    double      covered;  /* passes of the present stage so far */
    double      share;    /* part of the whole that is done, the largest so far */
    double      moved;    /* seconds from the start to the last change of share */
} cli_progress;

/* Installs handlers: at Ctrl-C, SIGTERM or SIGHUP the work stops and keeps its results; a second
 * signal ends the program. A closed pipe, or a file that may not grow, makes writing fail, but does
 * not end the program. */
void cli_signals_prepare(void);
int  cli_interrupted(void);
void cli_interrupt(void); /* has the effect of a signal */
int  cli_pipe_closed(void);

/* Begin and end work of one stage. Within a plan the work is part of the present stage, and these
 * do nothing. */
void cli_progress_begin(cli_progress *progress, const char *label);
/* Sets the number of passes that the work takes, for a bar with the time left. */
void cli_progress_passes(cli_progress *progress, double passes);
void cli_progress_end(cli_progress *progress);

/* Begins a plan: one bar for work of several stages, with the sum of their units; 0: not known. */
void cli_progress_plan(cli_progress *progress, const char *label, double units);
/* Begins the next stage of a plan; does nothing without one. */
void cli_progress_stage(cli_progress *progress, const char *name, double units, double passes);
void cli_progress_done(cli_progress *progress);

/* Shows how many of `count` pieces of work are done; count 0: the number is not known, and the rate
 * is shown. */
void cli_progress_count(cli_progress *progress, int done, int count);
/* Shows the part of a search that is done, and its state, printf-style. */
void cli_progress_reach(cli_progress *progress, double share, const char *format, ...)
    CLI_PRINTF(3, 4);
/* For saltus_options.progress; context is a cli_progress, which threads may share. */
int cli_progress_call(void *context, double t, double t_end);

#endif
