/* --help, made from the tables of commands and options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

enum { WIDTH = 80, NAME_WIDTH = 28 };

const cli_exit_status cli_exit_statuses[] = {
    {0, "fine"},
    {1, "wrong usage, or a file that cannot be read or written"},
    {2, "the model is wrong"},
    {3, "the numerics could not go on, or a gradient does not exist"},
    {4, "a check failed"},
    {130, "interrupted"},
};
const int cli_exit_status_count = (int)(sizeof cli_exit_statuses / sizeof *cli_exit_statuses);

const char cli_about[] = "saltus simulates mechanisms whose motion jumps, and differentiates what "
                         "you measure on them. Models are small Lua scripts.";

/* ---- all commands --------------------------------------------------------------------------- */

static void print_command(FILE *stream, const cli_command *command)
{
    CLI_OWNED char *name = cli_format("%s %s", command->name, command->argument);
    fprintf(stream, "  %-18s ", name);
    cli_wrap(stream, command->summary, 21, WIDTH);
}

static void print_group(FILE *stream, const char *group)
{
    fprintf(stream, "\n%s:\n", group);
    for (int i = 0; i < cli_command_count; i++)
        if (cli_commands[i].group == group) print_command(stream, &cli_commands[i]);
}

static void print_exit_statuses(FILE *stream)
{
    fputs("\nExit status:\n", stream);
    for (int i = 0; i < cli_exit_status_count; i++)
        fprintf(stream, "  %3d  %s\n", cli_exit_statuses[i].status, cli_exit_statuses[i].meaning);
}

void cli_help_print(FILE *stream, int brief)
{
    if (!brief) {
        cli_wrap(stream, cli_about, 0, WIDTH);
        fputc('\n', stream);
    }
    fputs("Usage: saltus COMMAND MODEL [OPTION]...\n", stream);
    for (int i = 0; i < CLI_COMMAND_GROUPS; i++) print_group(stream, cli_command_groups[i]);
    fputs("\n'saltus COMMAND -h' lists what it takes, 'saltus COMMAND --help' explains it.\n",
          stream);
    if (brief) return;
    fputs("MODEL is a file; - is standard input. Options may come before or after it; the\n"
          "names of options may be cut short.\n",
          stream);
    print_exit_statuses(stream);
}

/* ---- one command ---------------------------------------------------------------------------- */

/* The text up to the first semicolon, or all of it. */
static char *help_text(const cli_option *option, const char *fallback, int brief)
{
    const size_t length = brief ? strcspn(option->help, ";") : strlen(option->help);
    char        *text = cli_copy_part(option->help, length);
    return *fallback ? cli_append(text, " [%s]", fallback) : text;
}

static void print_option(FILE *stream, cli_option_id id, const cli_command *command, int brief)
{
    const cli_option option = cli_option_of(id, command);
    char             name[32], fallback[64], letter[8] = "    ";
    if (option.letter) snprintf(letter, sizeof letter, "-%c, ", option.letter);
    const int width =
        fprintf(stream, "  %s--%s%s%s", letter, cli_option_spelling(id, name, sizeof name),
                *option.argument ? " " : "", option.argument);
    if (width < NAME_WIDTH) fprintf(stream, "%*s", NAME_WIDTH - width, "");
    else fprintf(stream, "\n%*s", NAME_WIDTH, "");
    char *text =
        help_text(&option, cli_option_default(id, command, fallback, sizeof fallback), brief);
    cli_wrap(stream, text, NAME_WIDTH, WIDTH);
    free(text);
}

cli_option_kind cli_option_kind_of(cli_option_id option)
{
    if (option >= CLI_OPTION_SOLVER) return CLI_OF_SOLVER;
    return (cli_options[option].commands & CLI_SIMULATE) == CLI_SIMULATE ? CLI_OF_ALL : CLI_OF_SOME;
}

static void print_options(FILE *stream, const cli_command *command, cli_option_kind kind,
                          const char *title, int brief)
{
    int count = 0;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_id option = (cli_option_id)i;
        if (!cli_option_is_shown(option, command) || cli_option_kind_of(option) != kind) continue;
        if (!count++) fprintf(stream, "\n%s:\n", title);
        print_option(stream, option, command, brief);
    }
}

/* Of an item, "  name  text", further lines begin below the text. */
static void print_line(FILE *stream, const char *line)
{
    const size_t start = strspn(line, " ");
    if (start == 0) {
        cli_wrap(stream, line, 0, WIDTH);
        return;
    }
    const char  *gap = strstr(line + start, "  ");
    const size_t indent = gap ? (size_t)(gap - line) + strspn(gap, " ") : start;
    fprintf(stream, "%.*s", (int)indent, line);
    cli_wrap(stream, line + indent, (int)indent, WIDTH);
}

void cli_help_text(FILE *stream, const char *text)
{
    while (*text) {
        const size_t    length = strcspn(text, "\n");
        CLI_OWNED char *line = cli_copy_part(text, length);
        print_line(stream, line);
        text += length + (text[length] == '\n');
    }
}

static void print_examples(FILE *stream, const char *examples)
{
    const char *line = strchr(examples, '\n');
    fprintf(stream, "\nExample%s:\n", line[1] ? "s" : "");
    for (; *examples; examples = line + 1) {
        line = strchr(examples, '\n');
        fprintf(stream, "  %.*s\n", (int)(line - examples), examples);
    }
}

static void print_details(FILE *stream, const cli_command *command)
{
    print_options(stream, command, CLI_OF_SOLVER,
                  "Options of the solver (they override solver{...} in the script)", 0);
    print_examples(stream, command->examples);
}

void cli_help_command_print(FILE *stream, const cli_command *command, int brief)
{
    CLI_OWNED char *own = cli_format("Options of %s", command->name);
    fprintf(stream, "saltus %s: %s\n\nUsage: saltus %s%s%s [OPTION]...\n", command->name,
            command->summary, command->name, *command->argument ? " " : "", command->argument);
    if (!brief) {
        fputc('\n', stream);
        cli_help_text(stream, command->description);
    }
    print_options(stream, command, CLI_OF_SOME, own, brief);
    print_options(stream, command, CLI_OF_ALL, "Common options", brief);
    if (brief) fprintf(stream, "\n'saltus %s --help' has more.\n", command->name);
    else print_details(stream, command);
}
