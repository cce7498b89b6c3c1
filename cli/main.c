/* saltus: the program. Reads the command line and calls the command. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "json_result.h"
#include "text.h"

/* Help and version, which need no model. Returns the exit status, -1 if there is more to do. */
static int answer_at_once(const cli_arguments *a, int argc)
{
    if (a->version) {
        printf("saltus %s\n", saltus_version());
    } else if (a->help) {
        if (a->command) cli_help_command_print(stdout, a->command, a->brief);
        else cli_help_print(stdout, a->brief);
    } else if (!a->command) {
        cli_help_print(stderr, 1);
        if (argc > 1) fputs("\nsaltus: error: no command given\n", stderr);
        return 1;
    } else {
        return -1;
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

int main(int argc, char **argv)
{
    cli_arguments arguments;
    saltus_error  err = {0};
    int           status = 0;
    fill_standard_streams();
    json_set_alloc_funcs(cli_bytes, free);
    cli_signals_prepare();
    if (cli_arguments_read(&arguments, argc, argv, &err)) {
        status = answer_at_once(&arguments, argc);
        if (status < 0)
            status = arguments.model_count > 1 ? cli_batch_run(&arguments)
                                               : arguments.command->function(&arguments);
    } else {
        status = cli_refuse(&arguments, &err);
    }
    cli_arguments_free(&arguments);
    return finish(status, arguments.plain);
}
