/* saltus help: a command, a word of the language, or the tables of all of them for programs that
 * make pages and completions. */
#include <stdlib.h>
#include <string.h>

#include "complete.h"
#include "json_result.h"
#include "text.h"
#include "words.h"

/* ---- the tables ----------------------------------------------------------------------------- */

static json_t *option_json(cli_option_id id, const cli_command *command)
{
    static const char *const kinds[] = {
        [CLI_OF_SOME] = "own", [CLI_OF_ALL] = "common", [CLI_OF_SOLVER] = "solver"};
    const cli_option option = cli_option_of(id, command);
    const char       letter[2] = {option.letter, '\0'};
    char             name[32], fallback[64];
    return cli_json_object("name:s letter:e argument:e values:e default:e kind:s help:s",
                           cli_option_spelling(id, name, sizeof name), letter, option.argument,
                           option.values,
                           cli_option_default(id, command, fallback, sizeof fallback),
                           kinds[cli_option_kind_of(id)], option.help);
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
    for (int i = 0; i < cli_exit_status_count; i++)
        cli_json_push(statuses, "status:i meaning:s", cli_exit_statuses[i].status,
                      cli_exit_statuses[i].meaning);
    cli_json_print(cli_json_object("saltus:s about:s commands:j exit_statuses:j", saltus_version(),
                                   cli_about, commands, statuses),
                   a->out, 2);
    return 0;
}

/* ---- topics --------------------------------------------------------------------------------- */

static const char language[] = "language";

static int refuse(const cli_arguments *a)
{
    saltus_error err = {0};
    int          count = 0;
    char       **words = cli_word_names(&count);
    const char **names =
        cli_alloc((size_t)(count + cli_command_count + 1), sizeof *names); /* all topics */
    for (int i = 0; i < cli_command_count; i++) names[i] = cli_commands[i].name;
    for (int i = 0; i < count; i++) names[cli_command_count + i] = words[i];
    names[cli_command_count + count] = language;
    const char *near = saltus_nearest(a->model, names, cli_command_count + count + 1);
    cli_misuse(&err,
               "there is no command and no word '%s'%s%s%s; 'saltus help' lists the commands, "
               "'saltus help language' the words",
               a->model, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    free(names);
    cli_names_free(words, count);
    return cli_refuse(a, &err);
}

static void print_language(FILE *stream)
{
    cli_help_text(
        stream, "A model is a Lua script of these words. 'saltus help WORD' explains one of them, "
                "with its options; 'saltus new NAME' writes a model to begin with, and 'saltus "
                "models' has more.");
    cli_words_list(stream);
}

/* Some words have the name of a command that makes use of them. */
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
