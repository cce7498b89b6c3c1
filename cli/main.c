/* saltus: the program. Reads the command line and calls the command, for each of its models. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "deal.h"
#include "json_result.h"
#include "options.h"
#include "pool.h"
#include "team.h"
#include "text.h"

typedef struct call {
    cli_arguments arguments; /* one model, and the streams below */
    char         *out, *err;
    size_t        out_size, err_size;
    int           status, done;
} call;

typedef struct calls {
    call           *call;
    int             count;
    int             written; /* calls that have been written */
    pthread_mutex_t lock;    /* protects `written` and the streams */
} calls;

static int ends_blank(const call *c)
{
    return c->out_size < 2 || (c->out[c->out_size - 1] == '\n' && c->out[c->out_size - 2] == '\n');
}

/* Writes the output of calls that are done, up to the first one that is not. */
static void write_done(calls *all, call *finished)
{
    pthread_mutex_lock(&all->lock);
    finished->done = 1;
    while (all->written < all->count && all->call[all->written].done) {
        const call *c = &all->call[all->written];
        if (all->written > 0 && c->out_size && !c->arguments.json && !ends_blank(c - 1))
            fputc('\n', stdout);
        fwrite(c->out, 1, c->out_size, stdout);
        cli_flush();
        fwrite(c->err, 1, c->err_size, stderr);
        all->written++;
    }
    pthread_mutex_unlock(&all->lock);
}

static void do_one(void *context, int worker, int index)
{
    calls *all = context;
    call  *c = &all->call[index];
    (void)worker;
    c->arguments.out = cli_memory_open(&c->out, &c->out_size);
    c->arguments.err = cli_memory_open(&c->err, &c->err_size);
    c->status = c->arguments.command->function(&c->arguments);
    cli_memory_close(c->arguments.out, &c->out);
    cli_memory_close(c->arguments.err, &c->err);
    write_done(all, c);
}

/* Does the command for each of several models, some at a time; their output has the order of the
 * command line. Returns the largest of their exit statuses. */
static int run_batch(const cli_arguments *arguments)
{
    const int count = arguments->model_count;
    calls     all = {.count = count};
    int       status = 0;
    json_decref(json_object()); /* initialises what JSON objects share, before there are threads */
    pthread_mutex_init(&all.lock, NULL);
    all.call = cli_alloc((size_t)count, sizeof *all.call);
    for (int i = 0; i < count; i++) {
        cli_arguments *a = &all.call[i].arguments;
        *a = *arguments;
        a->model = arguments->models[i];
        a->threads = arguments->threads > count ? arguments->threads / count : 1;
    }
    cli_pool_run(arguments->threads, count, do_one, &all);
    for (int i = 0; i < count; i++) {
        if (all.call[i].status > status) status = all.call[i].status;
        free(all.call[i].out);
        free(all.call[i].err);
    }
    free(all.call);
    pthread_mutex_destroy(&all.lock);
    return status;
}

/* Help and version, which need no model. Returns the exit status. */
static int answer_at_once(const cli_arguments *a, int argc)
{
    if (a->version) {
        cli_version_print(stdout);
    } else if (a->help) {
        if (a->command) cli_help_command_print(stdout, a->command, a->brief);
        else cli_help_print(stdout, a->brief);
    } else {
        cli_help_print(stderr, 1);
        if (argc > 1) fputs("\nsaltus: error: no command given\n", stderr);
        return 1;
    }
    return 0;
}

/* Makes the exit status a failure if output could not be written. */
static int finish(int status, int plain)
{
    const char *reason = cli_flush();
    if (!reason) return status;
    saltus_error err = {0};
    cli_fail(&err, SALTUS_ERR_FILE, "cannot write to standard output: %s", reason);
    cli_error_print(stderr, &err, plain);
    return status ? status : saltus_status_exit_code(err.status);
}

/* Opens standard streams that were closed: otherwise a file that is opened later could get their
 * number, and receive tables. These replacements cannot be read or written: their use still fails.
 */
static void fill_standard_streams(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(saltus_status_exit_code(SALTUS_ERR_FILE));
}

/* Silences a process other than number 0; its failure is sent to number 0. */
static int be_silent(cli_arguments *a)
{
    a->out = a->err = freopen("/dev/null", "w", stdout);
    a->output = NULL;
    a->json = 0;
    a->quiet = 1;
    return a->out != NULL;
}

static int do_command(cli_arguments *a, int argc, saltus_error *err)
{
    const int is_answered = a->version || a->help || !a->command;
    if (is_answered) return cli_team_rank() ? 0 : answer_at_once(a, argc);
    if (!cli_team_accepts(a, err)) return cli_refuse(a, err);
    return cli_is_batch(a) ? run_batch(a) : a->command->function(a);
}

int main(int argc, char **argv)
{
    cli_arguments arguments;
    saltus_error  err = {0};
    fill_standard_streams();
    json_set_alloc_funcs(cli_bytes, free);
    cli_team_join(&argc, &argv);
    cli_signals_prepare();
    const int is_read = cli_arguments_read(&arguments, argc, argv, &err);
    if (cli_team_rank() && !be_silent(&arguments)) cli_out_of_memory();
    int status = is_read ? do_command(&arguments, argc, &err) : cli_refuse(&arguments, &err);
    cli_arguments_free(&arguments);
    status = finish(status, arguments.plain);
    return cli_deal_end(status);
}
