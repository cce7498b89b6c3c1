/* saltus help and --help: prints the commands, a command or a word of the language, from the tables
 * of commands and options; or these tables, for programs that make pages and completions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "library.h"
#include "options.h"
#include "text.h"

enum { WIDTH = 80, NAME_WIDTH = 28 };

static const struct {
    int         status;
    const char *meaning;
} exit_statuses[] = {
    {0, "fine"},
    {1, "wrong usage, or a file that cannot be read or written"},
    {2, "the model is wrong"},
    {3, "the numerics could not go on, or a gradient does not exist"},
    {4, "a check failed"},
    {130, "interrupted"},
};
enum { EXIT_STATUSES = sizeof exit_statuses / sizeof *exit_statuses };

static const char about[] =
    "saltus simulates mechanisms whose motion jumps, and differentiates what "
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

void cli_help_print(FILE *stream, int brief)
{
    if (!brief) {
        cli_wrap(stream, about, 0, WIDTH);
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
    fputs("\nExit status:\n", stream);
    for (int i = 0; i < EXIT_STATUSES; i++)
        fprintf(stream, "  %3d  %s\n", exit_statuses[i].status, exit_statuses[i].meaning);
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
    char             fallback[64], letter[8] = "    ";
    if (option.letter) snprintf(letter, sizeof letter, "-%c, ", option.letter);
    const int width = fprintf(stream, "  %s--%s%s%s", letter, cli_option_spelling(id),
                              *option.argument ? " " : "", option.argument);
    if (width < NAME_WIDTH) fprintf(stream, "%*s", NAME_WIDTH - width, "");
    else fprintf(stream, "\n%*s", NAME_WIDTH, "");
    char *text =
        help_text(&option, cli_option_default(id, command, fallback, sizeof fallback), brief);
    cli_wrap(stream, text, NAME_WIDTH, WIDTH);
    free(text);
}

/* Options of some commands, of all that load a model, and of the solver. */
typedef enum option_kind { OF_SOME, OF_ALL, OF_SOLVER } option_kind;

static option_kind kind_of(cli_option_id option)
{
    if (option >= CLI_OPTION_SOLVER) return OF_SOLVER;
    return (cli_options[option].commands & CLI_SIMULATE) == CLI_SIMULATE ? OF_ALL : OF_SOME;
}

static void print_options(FILE *stream, const cli_command *command, option_kind kind,
                          const char *title, int brief)
{
    int count = 0;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_id option = (cli_option_id)i;
        if (!cli_option_is_shown(option, command) || kind_of(option) != kind) continue;
        if (!count++) fprintf(stream, "\n%s:\n", title);
        print_option(stream, option, command, brief);
    }
}

/* Prints a line, folded; further lines of an item, "  name  text", begin below its text. */
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

/* Prints paragraphs of one line each, and items "  name  text". */
static void print_lines(FILE *stream, const char *text)
{
    for (char *line; (line = cli_next_line(&text)); free(line)) print_line(stream, line);
}

static void print_examples(FILE *stream, const char *examples)
{
    fprintf(stream, "\nExample%s:\n", strchr(examples, '\n')[1] ? "s" : "");
    for (char *line; (line = cli_next_line(&examples)); free(line)) fprintf(stream, "  %s\n", line);
}

void cli_help_command_print(FILE *stream, const cli_command *command, int brief)
{
    CLI_OWNED char *own = cli_format("Options of %s", command->name);
    fprintf(stream, "saltus %s: %s\n\nUsage: saltus %s%s%s [OPTION]...\n", command->name,
            command->summary, command->name, *command->argument ? " " : "", command->argument);
    if (!brief) {
        fputc('\n', stream);
        print_lines(stream, command->description);
    }
    print_options(stream, command, OF_SOME, own, brief);
    print_options(stream, command, OF_ALL, "Common options", brief);
    if (brief) {
        fprintf(stream, "\n'saltus %s --help' has more.\n", command->name);
        return;
    }
    print_options(stream, command, OF_SOLVER,
                  "Options of the solver (they override solver{...} in the script)", 0);
    print_examples(stream, command->examples);
}

/* ---- the tables ----------------------------------------------------------------------------- */

static json_t *option_json(cli_option_id id, const cli_command *command)
{
    static const char *const kinds[] = {
        [OF_SOME] = "own", [OF_ALL] = "common", [OF_SOLVER] = "solver"};
    const cli_option option = cli_option_of(id, command);
    const char       letter[2] = {option.letter, '\0'};
    char             fallback[64];
    return cli_json_object("name:s letter:e argument:e values:e default:e kind:s help:s",
                           cli_option_spelling(id), letter, option.argument, option.values,
                           cli_option_default(id, command, fallback, sizeof fallback),
                           kinds[kind_of(id)], option.help);
}

static json_t *command_json(const cli_command *command)
{
    json_t *options = json_array();
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_option_is_shown((cli_option_id)i, command))
            json_array_append_new(options, option_json((cli_option_id)i, command));
    return cli_json_object("name:s group:s argument:e summary:s description:s examples:s options:j",
                           command->name, command->group, command->argument, command->summary,
                           command->description, command->examples, options);
}

static int print_tables(const cli_arguments *a)
{
    json_t *commands = json_array(), *statuses = json_array();
    for (int i = 0; i < cli_command_count; i++)
        json_array_append_new(commands, command_json(&cli_commands[i]));
    for (int i = 0; i < EXIT_STATUSES; i++)
        cli_json_push(statuses, "status:i meaning:s", exit_statuses[i].status,
                      exit_statuses[i].meaning);
    cli_json_print(cli_json_object("saltus:s about:s commands:j exit_statuses:j", saltus_version(),
                                   about, commands, statuses),
                   a->out, 2);
    return 0;
}

/* ---- topics --------------------------------------------------------------------------------- */

static const char language[] = "language";

static int refuse(const cli_arguments *a)
{
    saltus_error           err = {0};
    int                    count = 0;
    char                 **words = cli_word_names(&count);
    CLI_OWNED const char **names =
        cli_alloc((size_t)(count + cli_command_count + 1), sizeof *names); /* all topics */
    for (int i = 0; i < cli_command_count; i++) names[i] = cli_commands[i].name;
    for (int i = 0; i < count; i++) names[cli_command_count + i] = words[i];
    names[cli_command_count + count] = language;
    CLI_OWNED char *near =
        cli_nearest(a->model, names, cli_command_count + count + 1, " (did you mean %s?)", "");
    cli_misuse(&err,
               "there is no command and no word '%s'%s; 'saltus help' lists the commands, "
               "'saltus help language' the words",
               a->model, near);
    cli_names_free(words, count);
    return cli_refuse(a, &err);
}

static void print_language(FILE *stream)
{
    print_lines(stream,
                "A model is a Lua script of these words. 'saltus help WORD' explains one of them, "
                "with its options; 'saltus new NAME' writes a model to begin with, and 'saltus "
                "models' has more.");
    cli_words_list(stream);
}

/* A topic may be both a command and a word of the language. */
int cli_command_help(const cli_arguments *a)
{
    if (cli_argument(a, CLI_OPTION_TABLES)) return print_tables(a);
    if (cli_argument(a, CLI_OPTION_COMPLETE) && a->model) {
        cli_complete(a->models, a->model_count, a->out);
        return 0;
    }
    const cli_command *command = a->model ? cli_command_find(a->model) : NULL;
    CLI_OWNED char    *word = NULL;
    size_t             size = 0;
    FILE              *explained = cli_memory_open(&word, &size);
    const int          is_word = a->model && cli_word_explain(explained, a->model);
    cli_memory_close(explained, &word);
    int status = 0;
    if (!a->model) cli_help_print(a->out, 0);
    else if (strcmp(a->model, language) == 0) print_language(a->out);
    else if (command) cli_help_command_print(a->out, command, 0);
    else if (!is_word) status = refuse(a);
    if (command && is_word) fputs("\nThe word of the language:\n\n", a->out);
    if (is_word) fputs(word, a->out);
    return status;
}
