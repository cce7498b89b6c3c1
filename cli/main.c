/* saltus: the program. Reads the command line and calls the command. */
#include <stdio.h>

#include "result.h"
#include "several.h"
#include "text.h"

/* Help and version, which need no model. Returns the exit status, -1 if there is more to do. */
static int answer_at_once(const cli_arguments *a, int argc)
{
    if (a->version) {
        printf("saltus %s\n", saltus_version());
    } else if (a->help || a->topic) {
        if (a->command) cli_help_command_print(stdout, a->command);
        else cli_help_print(stdout);
    } else if (!a->command) {
        cli_help_print(stderr);
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

int main(int argc, char **argv)
{
    cli_arguments arguments;
    saltus_error  err = {0};
    int           status = 0;
    cli_signals_prepare();
    if (cli_arguments_read(&arguments, argc, argv, &err)) {
        status = answer_at_once(&arguments, argc);
        if (status < 0)
            status = arguments.model_count > 1 ? cli_several_run(&arguments)
                                               : arguments.command->function(&arguments);
    } else {
        if (arguments.json || arguments.jsonl) cli_result_of_error(&err, arguments.jsonl ? 0 : 2);
        cli_error_print(stderr, &err, arguments.plain);
        status = saltus_status_exit_code(err.status);
    }
    cli_arguments_free(&arguments);
    return finish(status, arguments.plain);
}
