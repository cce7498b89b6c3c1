/* Completion of an unfinished command line, for shells. It uses the tables of commands and options
 * and the model, so the scripts of shells contain no names.
 *
 * Each line is a word, a tab and an explanation. A line ":files *.lua" requests files with such
 * names and folders, ":folders" folders only. */
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "session.h"
#include "text.h"

/* The command line so far: words before the last one are complete. */
typedef struct line {
    const char *const *words;
    int                count;
    const cli_command *command; /* NULL: not yet */
    const char        *model;   /* NULL: none, or not yet */
    const char        *current; /* the last word, or its part after "--name=" */
    char              *before;  /* the text before the part that is completed; owned */
    FILE              *out;
} line;

/* ---- candidates ----------------------------------------------------------------------------- */

static int begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Offers a word. after: the text after it, "=" or nothing. */
static void offer(const line *l, const char *word, const char *after, const char *about)
{
    if (!begins_with(word, l->current)) return;
    cli_print(l->out, "%s%s%s\t%.*s\n", l->before, word, after, (int)strcspn(about, ";\n"), about);
}

static void offer_commands(const line *l)
{
    for (int i = 0; i < cli_command_count; i++)
        offer(l, cli_commands[i].name, "", cli_commands[i].summary);
}

static void offer_topics(const line *l)
{
    int    count = 0;
    char **words = cli_word_names(&count);
    offer_commands(l);
    offer(l, "language", "", "the words of the model language");
    for (int i = 0; i < count; i++) offer(l, words[i], "", "a word of the model language");
    cli_names_free(words, count);
}

static void offer_shipped(const line *l)
{
    for (int i = 0; i < cli_library_count; i++) {
        CLI_OWNED char *about = cli_library_line(&cli_library[i]);
        offer(l, cli_library[i].name, "", about);
    }
}

static void offer_options(const line *l)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_id id = (cli_option_id)i;
        const int           always = id == CLI_OPTION_HELP || id == CLI_OPTION_VERSION;
        if (l->command ? !cli_option_is_shown(id, l->command) : !always) continue;
        CLI_OWNED char *spelled = cli_format("--%s", cli_option_spelling(id));
        offer(l, spelled, "", cli_option_of(id, l->command).help);
    }
}

/* ---- names of the model --------------------------------------------------------------------- */

static void offer_params(const line *l, const saltus_system *system, const char *after)
{
    for (int i = 0; i < saltus_system_size(system).params; i++) {
        const saltus_param_info info = saltus_system_param(system, i);
        CLI_OWNED char *about = cli_format("%s%s%.6g", info.doc, *info.doc ? ", " : "", info.value);
        offer(l, info.name, after, about);
    }
}

static void offer_final(const line *l, const saltus_system *system)
{
    const saltus_size size = saltus_system_size(system);
    for (int i = 0; i < size.coordinates; i++) {
        const saltus_name_info info = saltus_system_coordinate(system, i);
        CLI_OWNED char        *velocity = cli_format("dot(%s)", info.name);
        offer(l, info.name, "", info.doc);
        offer(l, velocity, "", "velocity");
    }
    for (int i = 0; i < size.memories; i++)
        offer(l, saltus_system_memory(system, i).name, "", "memory");
    for (int i = 0; i < size.outputs; i++)
        offer(l, saltus_system_output(system, i).name, "", "output");
}

/* Offers names of the model. kind: as in options.def, "<parameters>". A model that cannot be read
 * offers none. */
static void offer_names(const line *l, const char *kind, const char *after)
{
    saltus_error   err = {0};
    saltus_model  *model = l->model ? saltus_model_load(l->model, &err) : NULL;
    saltus_system *system = model ? saltus_system_compile(model, &err) : NULL;
    if (system && strcmp(kind, "<parameters>") == 0) offer_params(l, system, after);
    else if (system && strcmp(kind, "<final>") == 0) offer_final(l, system);
    else if (system && strcmp(kind, "<settings>") == 0)
        for (int i = 0; i < saltus_system_size(system).settings; i++)
            offer(l, saltus_system_setting(system, i).name, after, "setting");
    else if (system && strcmp(kind, "<costs>") == 0)
        for (int i = 0; i < saltus_model_cost_count(model); i++)
            offer(l, saltus_model_cost_name(model, i), "", "cost");
    saltus_system_free(system);
    saltus_model_free(model);
}

/* ---- values of options ---------------------------------------------------------------------- */

/* For a list, completes the name after the last comma. */
static void keep_list(line *l)
{
    const char *comma = strrchr(l->current, ',');
    if (!comma) return;
    l->before = cli_append(l->before, "%.*s", (int)(comma + 1 - l->current), l->current);
    l->current = comma + 1;
}

static void offer_values(line *l, cli_option_id id)
{
    const cli_option option = cli_option_of(id, l->command);
    const char      *after =
        begins_with(option.argument, "NAME=") || begins_with(option.argument, "VALUES") ? "=" : "";
    if (strcmp(option.argument, "LIST") == 0) keep_list(l);
    if (*option.values == '*') fprintf(l->out, ":files %s\n", option.values);
    else if (strcmp(option.values, "<folder>") == 0) fputs(":folders\n", l->out);
    for (const char *list = *option.values == '*' ? NULL : option.values; list;) {
        CLI_OWNED char *word = cli_next_part(&list, " ");
        if (*word == '<') offer_names(l, word, after);
        else if (*word) offer(l, word, "", "");
    }
}

/* Returns the option that a word names, as "--tol" or "-t"; -1 if it is none that takes a value. */
static int option_with_value(const line *l, const char *word, size_t length)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const char *name = cli_option_spelling((cli_option_id)i);
        const int   long_name =
            length > 2 && strlen(name) == length - 2 && strncmp(word + 2, name, length - 2) == 0;
        const int letter = length == 2 && cli_options[i].letter && word[1] == cli_options[i].letter;
        if (*word == '-' && (long_name || letter) && *cli_options[i].argument &&
            (!l->command || cli_option_is_taken((cli_option_id)i, l->command)))
            return i;
    }
    return -1;
}

/* ---- the line ------------------------------------------------------------------------------- */

/* Finds the command and the model, the first two words that are neither options nor their
 * values. */
static void find_words(line *l)
{
    for (int i = 0; i + 1 < l->count; i++) {
        const char *word = l->words[i];
        if (*word == '-') i += option_with_value(l, word, strlen(word)) >= 0;
        else if (!l->command) l->command = cli_command_find(word);
        else if (!l->model) l->model = word;
    }
}

static void offer_arguments(const line *l)
{
    const char *argument = l->command->argument;
    if (strncmp(argument, "MODEL", 5) == 0) fputs(":files *.lua\n", l->out);
    else if (strcmp(argument, "A B") == 0) fputs(":files *.lua *.json\n", l->out);
    else if (l->model) return;
    else if (strcmp(argument, "[NAME]") == 0) offer_shipped(l);
    else if (strcmp(argument, "[TOPIC]") == 0) offer_topics(l);
}

void cli_complete(const char *const *words, int count, FILE *out)
{
    line l = {.words = words, .count = count, .current = words[count - 1], .out = out};
    find_words(&l);
    const char  *previous = count > 1 ? words[count - 2] : "";
    const size_t name = strcspn(l.current, "=");
    int          option = option_with_value(&l, previous, strlen(previous));
    l.before = cli_copy("");
    if (option < 0 && begins_with(l.current, "--") && l.current[name]) {
        option = option_with_value(&l, l.current, name);
        l.before = cli_append(l.before, "%.*s", (int)name + 1, l.current);
        l.current += name + 1;
    }
    if (option >= 0) offer_values(&l, (cli_option_id)option);
    else if (*l.current == '-') offer_options(&l);
    else if (!l.command) offer_commands(&l);
    else offer_arguments(&l);
    free(l.before);
}
