/* Progress on a terminal, and Ctrl-C. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "output.h"
#include "table.h"
#include "team.h"
#include "text.h"

enum { BAR_WIDTH = 24, TEXT_SIZE = 160 };

/* Set by a signal, read by all threads. */
static atomic_int interrupted, pipe_closed;

static void interrupt(int number)
{
    if (atomic_exchange(&interrupted, 1)) { /* the second one has its usual effect */
        cli_outputs_remove();
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* Writing fails then, and the work goes on: -o may still be wanted. */
static void note_closed_pipe(int number)
{
    (void)number;
    pipe_closed = 1;
}

void cli_signals_prepare(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {0}, before;
    sigemptyset(&action.sa_mask);
    action.sa_handler = interrupt;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
            sigaction(ends[i], &action, NULL);
    action.sa_handler = note_closed_pipe;
    action.sa_flags = (int)SA_RESTART;
    sigaction(SIGPIPE, &action, NULL);
    action.sa_handler = SIG_IGN; /* writing to a file that may not grow fails, with a message */
    sigaction(SIGXFSZ, &action, NULL);
}

int  cli_interrupted(void) { return interrupted; }
void cli_interrupt(void) { interrupted = 1; }
int  cli_pipe_closed(void) { return pipe_closed; }

void cli_progress_begin(cli_progress *progress, const char *label, int quiet)
{
    *progress =
        (cli_progress){.label = label, .terminal = !quiet && cli_team_is_terminal(STDERR_FILENO)};
    progress->room = cli_style_of(stderr, 0).width;
    progress->start = progress->shown = cli_seconds();
}

void cli_progress_passes(cli_progress *progress, int passes, int backward, double t_start)
{
    progress->passes = passes;
    progress->backward = backward;
    progress->t_start = t_start;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->width) fprintf(stderr, "\r%*s\r", progress->width, "");
    progress->width = 0;
}

/* Where a pass begins again, the last one is done. */
static void follow(cli_progress *progress, double t, double t_end)
{
    const double length = t_end - progress->t_start;
    double       fraction = length > 0.0 ? (t - progress->t_start) / length : 0.0;
    if (progress->backward) fraction = 1.0 - fraction;
    if (fraction < progress->fraction - 0.5) progress->pass++;
    progress->fraction = fraction;
}

/* "8.5 s", "2 min 5 s", "1 h 12 min". */
static void write_duration(double seconds, char *text, size_t size)
{
    const long whole = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000;
    if (seconds < 10.0) snprintf(text, size, "%.1f s", seconds);
    else if (whole < 60) snprintf(text, size, "%ld s", whole);
    else if (whole < 3600) snprintf(text, size, "%ld min %ld s", whole / 60, whole % 60);
    else snprintf(text, size, "%ld h %ld min", whole / 3600, whole / 60 % 60);
}

static void fill_bar(char bar[BAR_WIDTH + 1], double done)
{
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(done * BAR_WIDTH) ? '=' : ' ';
    bar[BAR_WIDTH] = '\0';
}

/* How much is done, in simulated time per second, and what is left if it goes on so. */
static void write_bar(const cli_progress *progress, double elapsed, double t, double t_end,
                      char *line)
{
    char         bar[BAR_WIDTH + 1], left[32];
    const double all = (double)progress->passes, before = (double)progress->pass;
    double       done = (before + progress->fraction) / all;
    done = done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
    fill_bar(bar, done);
    write_duration(done > 0.0 ? elapsed * (1.0 - done) / done : 1e9, left, sizeof left);
    const int length = snprintf(line, TEXT_SIZE, "saltus: %s [%s] %3d %%, %s left, %.3g per second",
                                progress->label, bar, (int)(100.0 * done), done > 0.0 ? left : "?",
                                done * all * (t_end - progress->t_start) / elapsed);
    if (progress->passes == 1 && length > 0 && length < TEXT_SIZE)
        snprintf(line + length, (size_t)(TEXT_SIZE - length), ", t = %.6g of %.6g", t, t_end);
}

/* In place of the line before. A line that the terminal would fold could not be taken back. */
static void put_line(cli_progress *progress, char *line)
{
    if (progress->room > 1 && progress->room <= TEXT_SIZE) line[progress->room - 1] = '\0';
    fprintf(stderr, "\r%-*s", progress->width, line);
    fflush(stderr);
    const int length = cli_width(line);
    if (length > progress->width) progress->width = length;
}

/* Shown after a second, renewed four times in one. */
static void show(cli_progress *progress, double t, double t_end)
{
    const double now = cli_seconds(), elapsed = now - progress->start;
    follow(progress, t, t_end);
    if (elapsed < 1.0 || now - progress->shown < 0.25) return;
    progress->shown = now;
    char line[TEXT_SIZE], spent[32];
    write_duration(elapsed, spent, sizeof spent);
    if (progress->passes) write_bar(progress, elapsed, t, t_end, line);
    else if (*progress->note)
        snprintf(line, sizeof line, "saltus: %s, %s, %s", progress->label, progress->note, spent);
    else
        snprintf(line, sizeof line, "saltus: %s, t = %.6g of %.6g, %s", progress->label, t, t_end,
                 spent);
    put_line(progress, line);
}

void cli_progress_count(cli_progress *progress, int done, int count)
{
    const double now = cli_seconds(), elapsed = now - progress->start;
    if (!progress->terminal || elapsed < 1.0 || now - progress->shown < 0.25) return;
    char         line[TEXT_SIZE], left[32], bar[BAR_WIDTH + 1];
    const double part = count > 0 ? (double)done / (double)count : 0.0;
    write_duration(done ? elapsed * (1.0 - part) / part : 1e9, left, sizeof left);
    fill_bar(bar, part);
    if (count > 0)
        snprintf(line, sizeof line, "saltus: %s [%s] %d of %d, %.3g per second, %s left",
                 progress->label, bar, done, count, (double)done / elapsed, done ? left : "?");
    else
        snprintf(line, sizeof line, "saltus: %s, %d done, %.3g per second", progress->label, done,
                 (double)done / elapsed);
    progress->shown = now;
    put_line(progress, line);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cli_progress_note(cli_progress *progress, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    vsnprintf(progress->note, sizeof progress->note, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

int cli_progress_call(void *context, double t, double t_end)
{
    cli_progress *progress = context;
    if (progress->terminal) {
        pthread_mutex_lock(&lock);
        show(progress, t, t_end);
        pthread_mutex_unlock(&lock);
    }
    return interrupted;
}
