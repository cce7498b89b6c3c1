/* The line that shows how far long work has come, and the signals that end it. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "text.h"

typedef struct cli_progress {
    const char *label;    /* what is being done, e.g. "simulating" */
    int         terminal; /* 1: show it */
    double      start, shown;
    int         width;    /* columns of the line now on the terminal */
    int         room;     /* columns of the terminal, 0: not known */
    int         passes;   /* times that the work goes through the motion; 0: unknown, no bar */
    int         backward; /* 1: from the end to the start */
    double      t_start;
    int         pass;     /* those that are done */
    double      fraction; /* of the present one */
    char        note[80]; /* shown instead of a time; "": none */
} cli_progress;

/* Ctrl-C, SIGTERM and SIGHUP ask the work to stop and keep what it has; a second one ends the
 * program. A pipe that its reader closed, and a file that may not grow, make writing fail, and do
 * not end the program. */
void cli_signals_prepare(void);
int  cli_interrupted(void);
void cli_interrupt(void); /* as a signal does */
int  cli_pipe_closed(void);

void cli_progress_begin(cli_progress *progress, const char *label, int quiet);
/* Says that the work goes from t_start to the end (or back) this many times, one after the other:
 * then a bar and the time left can be shown. */
void cli_progress_passes(cli_progress *progress, int passes, int backward, double t_start);
/* How far work has come that is no single motion, printf-style. */
void cli_progress_note(cli_progress *progress, const char *format, ...) CLI_PRINTF(2, 3);
/* How many of many pieces of work are done: a bar, the rate and the time left; count 0: it is not
 * known how many there are, and the rate alone is shown. */
void cli_progress_count(cli_progress *progress, int done, int count);
void cli_progress_end(cli_progress *progress);
/* For saltus_options.progress; context is a cli_progress, which threads may share. */
int cli_progress_call(void *context, double t, double t_end);

#endif
