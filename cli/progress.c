/* Progress on a terminal, and Ctrl-C. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */
#include "progress.h"

#include <math.h>
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

enum { BAR_WIDTH = 20, TEXT_SIZE = 160 };

/* Set by a signal, read by all threads. */
static atomic_int interrupted, pipe_closed;

static void interrupt(int number)
{
    if (atomic_exchange(&interrupted, 1)) { /* a second signal has its usual effect */
        cli_outputs_remove();
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* A reader has closed the pipe: writing fails from now on, but the work continues, for -o. */
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the work ------------------------------------------------------------------------------- */

static void begin(cli_progress *progress, const char *label)
{
    *progress = (cli_progress){.label = label,
                               .quiet = progress->quiet,
                               .t_start = progress->t_start,
                               .room = cli_style_of(stderr, 0).width};
    progress->terminal = !progress->quiet && cli_team_is_terminal(STDERR_FILENO);
    progress->start = progress->shown = cli_seconds();
}

void cli_progress_begin(cli_progress *progress, const char *label)
{
    if (!progress->planned) begin(progress, label);
}

void cli_progress_passes(cli_progress *progress, double passes)
{
    if (!progress->planned) progress->all = progress->units = progress->passes = passes;
}

void cli_progress_plan(cli_progress *progress, const char *label, double units)
{
    begin(progress, label);
    progress->planned = 1;
    progress->all = units;
}

void cli_progress_stage(cli_progress *progress, const char *name, double units, double passes)
{
    if (!progress->planned) return;
    pthread_mutex_lock(&lock);
    progress->before += progress->units;
    progress->units = units;
    progress->passes = passes;
    progress->covered = 0.0;
    snprintf(progress->note, sizeof progress->note, "%s", name);
    pthread_mutex_unlock(&lock);
}

static void erase(cli_progress *progress)
{
    if (progress->width) fprintf(stderr, "\r%*s\r", progress->width, "");
    progress->width = 0;
}

void cli_progress_end(cli_progress *progress)
{
    if (!progress->planned) erase(progress);
}

void cli_progress_done(cli_progress *progress)
{
    erase(progress);
    progress->planned = 0;
}

/* ---- the part that is done ------------------------------------------------------------------ */

/* The time of the motion at the last call of a thread, and the progress of that call. */
static _Thread_local struct {
    const cli_progress *progress;
    double              t;
} seen;

/* Adds the part of the motion between two calls of a thread, in either direction. A jump over more
 * than half of the motion is the end of one pass and the start of the next. */
static void cover(cli_progress *progress, double t, double t_end)
{
    const double length = t_end - progress->t_start;
    const double before = seen.progress == progress ? seen.t : progress->t_start;
    const double leap = length > 0.0 ? fabs(t - before) / length : 0.0;
    seen.progress = progress;
    seen.t = progress->t = t;
    progress->t_end = t_end;
    if (leap <= 1.0) progress->covered += leap > 0.5 ? 1.0 - leap : leap;
}

/* The part of the work that is done; a stage that takes more passes than planned stays below its
 * end. */
static double share_of(const cli_progress *progress)
{
    const double part =
        progress->passes > 0.0 ? fmin(progress->covered / progress->passes, 0.99) : 0.0;
    const double share =
        progress->all > 0.0 ? (progress->before + progress->units * part) / progress->all : 0.0;
    return fmin(fmax(progress->share, share), 1.0);
}

/* ---- the line ------------------------------------------------------------------------------- */

/* "8.5 s", "2 min 5 s", "1 h 12 min". */
static void write_duration(double seconds, char *text, size_t size)
{
    const long whole = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000;
    if (seconds < 10.0) snprintf(text, size, "%.1f s", seconds);
    else if (whole < 60) snprintf(text, size, "%ld s", whole);
    else if (whole < 3600) snprintf(text, size, "%ld min %ld s", whole / 60, whole % 60);
    else snprintf(text, size, "%ld h %ld min", whole / 3600, whole / 60 % 60);
}

/* Writes the part that is done, and an estimate of the time left. */
static void write_bar(const cli_progress *progress, double elapsed, char *line)
{
    char bar[BAR_WIDTH + 1], left[32] = "?";
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(progress->share * BAR_WIDTH) ? '=' : ' ';
    bar[BAR_WIDTH] = '\0';
    if (progress->share > 0.0)
        write_duration(progress->moved * (1.0 - progress->share) / progress->share, left,
                       sizeof left);
    const int length = snprintf(line, TEXT_SIZE, "saltus: %s [%s] %3d %%, %s left, ",
                                progress->label, bar, (int)(100.0 * progress->share), left);
    if (length < 0 || length >= TEXT_SIZE) return;
    const size_t room = (size_t)(TEXT_SIZE - length);
    if (*progress->note) snprintf(line + length, room, "%s", progress->note);
    else
        snprintf(line + length, room, "%.3g per second, t = %.6g of %.6g",
                 progress->covered * (progress->t_end - progress->t_start) / elapsed, progress->t,
                 progress->t_end);
}

/* Replaces the line. It is cut to the width of the terminal, as a folded line could not be
 * replaced. */
static void put_line(cli_progress *progress, char *line)
{
    if (progress->room > 1 && progress->room <= TEXT_SIZE) line[progress->room - 1] = '\0';
    fprintf(stderr, "\r%-*s", progress->width, line);
    fflush(stderr);
    const int length = cli_width(line);
    if (length > progress->width) progress->width = length;
}

/* Shows the line after the first second, and renews it four times per second. */
static void show(cli_progress *progress)
{
    const double now = cli_seconds(), elapsed = now - progress->start;
    const double share = share_of(progress);
    if (share > progress->share || progress->moved == 0.0) progress->moved = elapsed;
    progress->share = share;
    if (!progress->terminal || elapsed < 1.0 || now - progress->shown < 0.25) return;
    progress->shown = now;
    char line[TEXT_SIZE], spent[32];
    write_duration(elapsed, spent, sizeof spent);
    if (progress->all > 0.0) write_bar(progress, elapsed, line);
    else if (*progress->note)
        snprintf(line, sizeof line, "saltus: %s, %s, %s", progress->label, progress->note, spent);
    else
        snprintf(line, sizeof line, "saltus: %s, %.0f times through the motion, %s",
                 progress->label, floor(progress->covered), spent);
    put_line(progress, line);
}

void cli_progress_count(cli_progress *progress, int done, int count)
{
    pthread_mutex_lock(&lock);
    const double elapsed = cli_seconds() - progress->start;
    progress->all = count;
    progress->before = done;
    progress->units = done < count ? 1.0 : 0.0;
    progress->covered = 0.0;
    if (count > 0) snprintf(progress->note, sizeof progress->note, "%d of %d", done, count);
    else
        snprintf(progress->note, sizeof progress->note, "%d done, %.3g per second", done,
                 elapsed > 0.0 ? (double)done / elapsed : 0.0);
    show(progress);
    pthread_mutex_unlock(&lock);
}

void cli_progress_reach(cli_progress *progress, double share, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    vsnprintf(progress->note, sizeof progress->note, format, arguments);
    progress->before = share * progress->all;
    show(progress);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

int cli_progress_call(void *context, double t, double t_end)
{
    cli_progress *progress = context;
    if (progress->terminal) {
        pthread_mutex_lock(&lock);
        cover(progress, t, t_end);
        show(progress);
        pthread_mutex_unlock(&lock);
    }
    return interrupted;
}
