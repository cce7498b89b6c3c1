/* Progress on a terminal, and Ctrl-C. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "text.h"

/* Set by a signal, read by all threads. */
static atomic_int interrupted, pipe_closed;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* Writing fails then, and the work goes on: -o may still be wanted. */
static void note_closed_pipe(int number)
{
    (void)number;
    pipe_closed = 1;
}

void cli_signals_prepare(void)
{
    struct sigaction action = {0};
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* the second one has its usual effect */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = note_closed_pipe;
    action.sa_flags = (int)SA_RESTART;
    sigaction(SIGPIPE, &action, NULL);
}

int cli_interrupted(void) { return interrupted; }
int cli_pipe_closed(void) { return pipe_closed; }

void cli_progress_begin(cli_progress *progress, const char *label, int quiet)
{
    *progress = (cli_progress){.label = label, .terminal = !quiet && isatty(STDERR_FILENO)};
    progress->start = progress->shown = cli_seconds();
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->width) fprintf(stderr, "\r%*s\r", progress->width, "");
    progress->width = 0;
}

/* Shown after a second, renewed four times in one. */
static void show(cli_progress *progress, double t, double t_end)
{
    const double now = cli_seconds();
    if (now - progress->start < 1.0 || now - progress->shown < 0.25) return;
    progress->shown = now;
    char      line[160];
    const int length =
        snprintf(line, sizeof line, "saltus: %s, t = %.6g of %.6g", progress->label, t, t_end);
    fprintf(stderr, "\r%-*s", progress->width, line);
    fflush(stderr);
    if (length > progress->width) progress->width = length;
}

int cli_progress_call(void *context, double t, double t_end)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    cli_progress          *progress = context;
    if (progress->terminal) {
        pthread_mutex_lock(&lock);
        show(progress, t, t_end);
        pthread_mutex_unlock(&lock);
    }
    return interrupted;
}
