/* --help, made from the tables of commands and options. */
#include <stdio.h>
#include <string.h>

#include "options.h"

enum { NAME_WIDTH = 28 };

void cli_help_print(FILE *stream)
{
    fputs("saltus simulates mechanisms whose motion jumps, and differentiates what you measure on\n"
          "them. Models are small Lua scripts.\n\n"
          "Usage: saltus COMMAND MODEL [OPTION]...\n\n",
          stream);
    for (int i = 0; i < cli_command_count; i++)
        fprintf(stream, "  saltus %-9s %-7s %s\n", cli_commands[i].name, cli_commands[i].argument,
                cli_commands[i].summary);
    fputs("\n  saltus help COMMAND       what a command does, its options, an example\n"
          "  saltus --version\n\n"
          "MODEL is a file; - is standard input. Options may come before or after it.\n"
          "Exit status: 0 fine, 1 wrong usage or a file that cannot be read or written, 2 the\n"
          "model is wrong, 3 the numerics could not go on or a gradient does not exist, 4 a check\n"
          "failed, 130 interrupted.\n",
          stream);
}

static void print_option(FILE *stream, cli_option_id id)
{
    const cli_option *option = &cli_options[id];
    char              name[32];
    const int width = fprintf(stream, "  --%s%s%s", cli_option_spelling(id, name, sizeof name),
                              *option->argument ? " " : "", option->argument);
    fprintf(stream, "%*s", width < NAME_WIDTH ? NAME_WIDTH - width : 1, "");
    for (const char *c = option->help; *c; c++) {
        fputc(*c, stream);
        if (*c == '\n') fprintf(stream, "%*s", NAME_WIDTH, "");
    }
    fputc('\n', stream);
}

static int belongs_to_some(cli_option_id option)
{
    return (cli_options[option].commands & CLI_ALL) != CLI_ALL;
}

/* The options of this command alone (own = 1), or those it shares with all (own = 0). */
static void print_options(FILE *stream, unsigned command, int own, int first, int last)
{
    for (int i = first; i < last; i++)
        if ((cli_options[i].commands & command) && belongs_to_some((cli_option_id)i) == own)
            print_option(stream, (cli_option_id)i);
}

static int has_own_options(unsigned command)
{
    for (int i = 0; i < CLI_OPTION_SOLVER; i++)
        if ((cli_options[i].commands & command) && belongs_to_some((cli_option_id)i)) return 1;
    return 0;
}

void cli_help_command_print(FILE *stream, const cli_command *command)
{
    const unsigned bit = 1u << (command - cli_commands);
    fprintf(stream, "saltus %s: %s\n\nUsage: saltus %s%s%s [OPTION]...\n\n%s\n", command->name,
            command->summary, command->name, *command->argument ? " " : "", command->argument,
            command->description);
    if (has_own_options(bit)) {
        fprintf(stream, "\nOptions of %s:\n", command->name);
        print_options(stream, bit, 1, 0, CLI_OPTION_SOLVER);
    }
    fputs("\nCommon options:\n", stream);
    print_options(stream, bit, 0, 0, CLI_OPTION_SOLVER);
    if (bit & CLI_ALL) {
        fputs("\nOptions of the solver (they override solver{...} in the script):\n", stream);
        print_options(stream, bit, 0, CLI_OPTION_SOLVER, CLI_OPTION_COUNT);
    }
    fprintf(stream, "\nExample%s:\n%s", strchr(command->examples, '\n')[1] ? "s" : "",
            command->examples);
}
