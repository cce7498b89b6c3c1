/* saltus: the program. Reads the command line and calls the command. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "deal.h"
#include "json_result.h"
#include "team.h"
#include "text.h"

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

/* What could not be written must not look like success. */
static int finish(int status, int plain)
{
    const char *reason = cli_flush();
    if (!reason) return status;
    saltus_error err = {0};
    cli_fail(&err, SALTUS_ERR_FILE, "cannot write to standard output: %s", reason);
    cli_error_print(stderr, &err, plain);
    return status ? status : saltus_status_exit_code(err.status);
}

/* A file opened later must not get the number of a standard stream that was closed: tables would
 * end up in it. What is opened here instead cannot be read, or written: its use still fails. */
static void fill_standard_streams(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(saltus_status_exit_code(SALTUS_ERR_FILE));
}

/* Of several processes, only number 0 is heard; what went wrong elsewhere is sent to it. */
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
    return cli_is_batch(a) ? cli_batch_run(a) : a->command->function(a);
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
