/* Reads the command line. */
#define _GNU_SOURCE /* getopt_long */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "pool.h"
#include "table.h"
#include "team.h"
#include "text.h"

enum { THREADS_MAX = 1024 };

/* ---- finding names -------------------------------------------------------------------------- */

/* " (did you mean X?)" or "", to be printed after a name that does not exist. */
static const char *hint(const char *name, const char *const *names, int count, const char *dashes,
                        char *buffer, size_t size)
{
    const char *nearest = saltus_nearest(name, names, count);
    if (!nearest) return "";
    snprintf(buffer, size, " (did you mean %s%s?)", dashes, nearest);
    return buffer;
}

const char *cli_option_spelling(cli_option_id option, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", cli_options[option].name);
    for (char *c = buffer; *c; c++)
        if (*c == '_') *c = '-';
    return buffer;
}

/* The names of all options as people write them; those that the command does not take (NULL: none)
 * are empty. */
typedef char spelling[32];

static void spell_all(spelling *spelled, const cli_command *command)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        cli_option_spelling((cli_option_id)i, spelled[i], sizeof *spelled);
        if (command && !cli_option_is_taken((cli_option_id)i, command)) *spelled[i] = '\0';
    }
}

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
    return NULL;
}

static const cli_command *find_command(const char *name, saltus_error *err)
{
    const char        *names[32];
    char               buffer[64];
    const cli_command *command = cli_command_find(name);
    if (command) return command;
    for (int i = 0; i < cli_command_count; i++) names[i] = cli_commands[i].name;
    if (cli_ends_with(name, ".lua"))
        cli_misuse(err, "'%s' is not a command: to simulate it, write saltus run %s", name, name);
    else
        cli_misuse(err, "there is no command '%s'%s; 'saltus --help' lists them", name,
                   hint(name, names, cli_command_count, "", buffer, sizeof buffer));
    return NULL;
}

const char *cli_argument(const cli_arguments *arguments, cli_option_id option)
{
    for (int i = arguments->count - 1; i >= 0; i--)
        if (arguments->given[i].option == option) return arguments->given[i].value;
    return NULL;
}

/* ---- what is wrong with an option ----------------------------------------------------------- */

/* Names of the commands that take it: "run, gradient". */
static void list_commands(cli_option_id option, char *list, size_t size)
{
    *list = '\0';
    for (int c = 0; c < cli_command_count; c++)
        if (cli_option_is_taken(option, &cli_commands[c])) {
            const size_t used = strlen(list);
            snprintf(list + used, size - used, "%s%s", used ? ", " : "", cli_commands[c].name);
        }
}

static int refuse_elsewhere(cli_option_id option, const cli_command *command, saltus_error *err)
{
    char others[256];
    list_commands(option, others, sizeof others);
    return cli_misuse(err, "--%s is not an option of '%s' (but of: %s)", cli_options[option].name,
                      command->name, others);
}

/* "--every, --event-times": the options of the command that begin so, if there are several; else
 * NULL. The caller frees. */
static char *list_beginning(spelling *names, const char *start, size_t length)
{
    char *list = NULL;
    int   count = 0;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (*names[i] && *cli_options[i].help && strncmp(names[i], start, length) == 0)
            list = cli_append(list, "%s--%s", count++ ? ", " : "", names[i]);
    if (count > 1) return list;
    free(list);
    return NULL;
}

/* How an error is told, also one about this very option. */
static void note_flag(cli_arguments *a, int option)
{
    a->json |= option == CLI_OPTION_JSON;
    a->jsonl |= option == CLI_OPTION_JSONL;
    a->quiet |= option == CLI_OPTION_QUIET;
    a->plain |= option == CLI_OPTION_NO_COLOR;
}

/* A long name that getopt_long did not understand: ambiguous, of another command, or of none. */
static int refuse_name(cli_arguments *a, const cli_command *command, const char *word,
                       saltus_error *err)
{
    const size_t length = strcspn(word, "=");
    spelling     names[CLI_OPTION_COUNT], all[CLI_OPTION_COUNT];
    const char  *known[CLI_OPTION_COUNT];
    char         buffer[64];
    spell_all(names, command);
    spell_all(all, NULL);
    CLI_OWNED char *list = list_beginning(names, word, length);
    if (list) cli_misuse(err, "--%.*s may be several options: %s", (int)length, word, list);
    if (err->status) return 0;
    for (int i = 0; command && i < CLI_OPTION_COUNT; i++)
        if (strlen(all[i]) == length && strncmp(all[i], word, length) == 0) {
            note_flag(a, i);
            return refuse_elsewhere((cli_option_id)i, command, err);
        }
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        known[i] = *names[i] && *cli_options[i].help ? names[i] : NULL;
    CLI_OWNED char *name = cli_copy_part(word, length);
    cli_misuse(err, "there is no option --%s%s", name,
               hint(name, known, CLI_OPTION_COUNT, "--", buffer, sizeof buffer));
    return 0;
}

static int refuse_letter(const cli_command *command, char letter, saltus_error *err)
{
    for (int i = 0; command && i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].letter == letter)
            return refuse_elsewhere((cli_option_id)i, command, err);
    return cli_misuse(err, "there is no option -%c: 'saltus %s -h' lists them", letter,
                      command ? command->name : "");
}

static int refuse_without_value(cli_option_id option, const cli_command *command, int is_letter,
                                saltus_error *err)
{
    const cli_option of = cli_option_of(option, command);
    spelling         name;
    if (is_letter) snprintf(name, sizeof name, "-%c", of.letter);
    else snprintf(name, sizeof name, "--");
    if (!is_letter) cli_option_spelling(option, name + 2, sizeof name - 2);
    return cli_misuse(err, "%s needs a value: %s %s", name, name, of.argument);
}

/* ---- one pass over the words ---------------------------------------------------------------- */

/* What getopt_long is told: the options that a command takes. Numbers of options begin after those
 * of characters. */
enum { NUMBERS = 256 };

typedef struct grammar {
    const cli_command *command; /* NULL: none yet, all options */
    spelling           names[CLI_OPTION_COUNT];
    struct option      options[CLI_OPTION_COUNT + 1];
    char               letters[2 * CLI_OPTION_COUNT + 3];
} grammar;

static void make_grammar(grammar *g, const cli_command *command)
{
    struct option *next = g->options;
    char          *letter = g->letters;
    *letter++ = '-'; /* words that are no options come in their order */
    *letter++ = ':'; /* a missing value is told from an unknown option */
    g->command = command;
    spell_all(g->names, command);
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        if (!*g->names[i]) continue;
        const int takes = *cli_options[i].argument != '\0';
        *next++ = (struct option){.name = g->names[i], .has_arg = takes, .val = NUMBERS + i};
        if (cli_options[i].letter) *letter++ = cli_options[i].letter;
        if (cli_options[i].letter && takes) *letter++ = ':';
    }
    *next = (struct option){0};
    *letter = '\0';
}

static int option_of_letter(int letter)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (letter && cli_options[i].letter == letter) return i;
    return -1;
}

static void give(cli_arguments *a, int option, const char *value)
{
    *CLI_PUSH(a->given, a->count) = (cli_given){(cli_option_id)option, value};
    note_flag(a, option);
}

/* What is to be completed has many words. */
static int takes_several(const cli_arguments *a)
{
    const cli_command *command = a->command;
    return cli_argument(a, CLI_OPTION_COMPLETE) ||
           (command->function == cli_command_run || command->function == cli_command_gradient ||
            command->function == cli_command_check);
}

static int takes_two(const cli_command *command)
{
    return command &&
           (command->function == cli_command_report || command->function == cli_command_diff);
}

int cli_is_batch(const cli_arguments *a)
{
    return a->model_count > 1 && !takes_two(a->command) && !cli_argument(a, CLI_OPTION_COMPLETE);
}

static int read_positional(cli_arguments *a, const char *word, saltus_error *err)
{
    if (!a->command) {
        a->command = find_command(word, err);
        return a->command != NULL;
    }
    if (!*a->command->argument)
        return cli_misuse(err, "'%s' is one argument too many: 'saltus %s' takes none", word,
                          a->command->name);
    if (a->model && !takes_several(a) && !(takes_two(a->command) && a->model_count < 2))
        return cli_misuse(err, "'%s' is one argument too many, after '%s'", word, a->model);
    *CLI_PUSH(a->models, a->model_count) = word;
    a->model = a->models[0];
    return 1;
}

/* What getopt_long found in this word. */
static int read_found(cli_arguments *a, const grammar *g, int found, const char *word,
                      saltus_error *err)
{
    const int is_letter = word[0] == '-' && word[1] != '-';
    const int about = optopt >= NUMBERS ? optopt - NUMBERS : option_of_letter(optopt);
    if (found == 1) return read_positional(a, optarg, err);
    if (found == ':') return refuse_without_value((cli_option_id)about, g->command, is_letter, err);
    if (found == '?' && is_letter) return refuse_letter(g->command, (char)optopt, err);
    if (found == '?' && optopt) return cli_misuse(err, "--%s takes no value", g->names[about]);
    if (found == '?') return refuse_name(a, g->command, word + 2, err);
    const int option = found >= NUMBERS ? found - NUMBERS : option_of_letter(found);
    a->brief |= found == 'h';
    give(a, option, optarg ? optarg : "");
    return 1;
}

/* -json is read as -j son, and that is hardly ever what was meant. */
static int check_dashes(const grammar *g, const char *word, saltus_error *err)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (*word == '-' && *g->names[i] && strcmp(word + 1, g->names[i]) == 0)
            return cli_misuse(err, "names have two dashes: write -%s", word);
    return 1;
}

/* The library writes max_step, the command line max-step; both are understood. */
static char *with_dashes(const char *word)
{
    char *copy = cli_copy(word);
    if (strncmp(word, "--", 2) != 0) return copy;
    for (size_t i = 2; copy[i] && copy[i] != '='; i++)
        if (copy[i] == '_') copy[i] = '-';
    return copy;
}

/* The first failure stands, but the rest is read: an error is written as JSON if that is asked
 * for. */
static void read_words(cli_arguments *a, int argc, saltus_error *err)
{
    grammar g;
    make_grammar(&g, argc > 1 ? cli_command_find(a->words[1]) : NULL);
    opterr = 0;
    optind = 0; /* begins anew */
    for (;;) {
        const int at = optind ? optind : 1;
        if (at < argc && strcmp(a->words[at], "--") != 0) check_dashes(&g, a->words[at], err);
        const int found = getopt_long(argc, a->words, g.letters, g.options, NULL);
        if (found < 0) break;
        read_found(a, &g, found, a->words[at], err);
    }
    for (int i = optind; i < argc; i++) read_positional(a, a->words[i], err);
}

/* ---- values --------------------------------------------------------------------------------- */

static int wrong_value(cli_option_id option, const char *value, const char *needed,
                       saltus_error *err)
{
    char name[32];
    return cli_misuse(err, "--%s '%s': %s", cli_option_spelling(option, name, sizeof name), value,
                      needed);
}

static int read_real(const cli_arguments *a, cli_option_id option, double *value, saltus_error *err)
{
    const char *text = cli_argument(a, option);
    if (!text || cli_parse_real(text, value)) return 1;
    return wrong_value(option, text, "not a number", err);
}

static int read_count(const cli_arguments *a, cli_option_id option, long long *value,
                      saltus_error *err)
{
    const char *text = cli_argument(a, option);
    if (!text || cli_parse_count(text, value)) return 1;
    return wrong_value(option, text, "not a whole number", err);
}

/* One of a list of names that ends with NULL. */
static int read_name(const cli_arguments *a, cli_option_id option, const char *const *names,
                     const char **value, saltus_error *err)
{
    const char *text = cli_argument(a, option);
    char        needed[128] = "must be";
    if (!text) return 1;
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *value = names[i];
            return 1;
        }
        const size_t used = strlen(needed);
        snprintf(needed + used, sizeof needed - used, "%s %s", i ? " or" : "", names[i]);
    }
    return wrong_value(option, text, needed, err);
}

static int add_method(cli_arguments *a, const char *name, saltus_error *err)
{
    static const saltus_method methods[CLI_METHODS] = {SALTUS_AUTO, SALTUS_ADJOINT, SALTUS_DISCRETE,
                                                       SALTUS_DIRECT, SALTUS_FD};
    const char                *names[CLI_METHODS];
    char                       buffer[64];
    for (int i = 0; i < CLI_METHODS; i++) {
        names[i] = saltus_method_name(methods[i]);
        if (strcmp(names[i], name) != 0) continue;
        for (int k = 0; k < a->method_count; k++)
            if (a->method[k] == methods[i]) return 1; /* named twice */
        a->method[a->method_count++] = methods[i];
        return 1;
    }
    return cli_misuse(err,
                      "there is no method '%s'%s: auto, adjoint, discrete, direct, fd, or several: "
                      "a,b",
                      name, hint(name, names, CLI_METHODS, "", buffer, sizeof buffer));
}

static int read_methods(cli_arguments *a, saltus_error *err)
{
    const char *text = cli_argument(a, CLI_OPTION_METHOD);
    if (!text) text = "auto";
    for (;;) {
        const size_t    length = strcspn(text, ",");
        CLI_OWNED char *name = cli_trimmed(text, length);
        const int       ok = add_method(a, name, err);
        if (!ok || !text[length]) return ok;
        text += length + 1;
    }
}

/* The file of a report without -o: models/ball.lua gives ball.html, in the present folder. */
static char *page_name(const char *model)
{
    if (!model || strcmp(model, "-") == 0) return cli_copy("report.html");
    const char  *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
    const char  *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return cli_format("%.*s.html", (int)length, name);
}

/* The file of a sweep has many readers, but they know it by its ending. */
static int read_database(const cli_arguments *a, const char *dot, saltus_error *err)
{
    static const char *const endings[] = {".db", ".sqlite", ".sqlite3"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (dot && strcmp(dot, endings[i]) == 0) return 1;
    return wrong_value(CLI_OPTION_OUTPUT, a->output,
                       "results of a sweep are a database, FILE.db; for a table add --csv FILE",
                       err);
}

static int read_output(cli_arguments *a, saltus_error *err)
{
    a->output = cli_argument(a, CLI_OPTION_OUTPUT);
    if (!a->output && a->command->function == cli_command_report)
        a->output = a->made_output = page_name(a->model);
    if (!a->output) return 1;
    const char *slash = strrchr(a->output, '/');
    const char *dot = strrchr(slash ? slash : a->output, '.');
    if (!*a->output) return wrong_value(CLI_OPTION_OUTPUT, a->output, "no file name", err);
    if (a->command->function == cli_command_compile) return 1;
    if (a->command->function == cli_command_models && !a->model)
        return cli_misuse(err, "-o %s: which model is to be copied? Write saltus models NAME -o %s",
                          a->output, a->output);
    if (a->command->function == cli_command_sweep) return read_database(a, dot, err);
    if (strcmp(a->output, "-") == 0)
        return !a->json ||
               cli_misuse(err, "--json and -o - both want standard output: give -o a file");
    if (a->command->function == cli_command_models) return 1;
    if (a->command->function == cli_command_report)
        return (dot && strncmp(dot, ".htm", 4) == 0) ||
               wrong_value(CLI_OPTION_OUTPUT, a->output, "a report ends in .html", err);
    return !dot || strcmp(dot, ".csv") == 0 || strcmp(dot, ".json") == 0 ||
           wrong_value(CLI_OPTION_OUTPUT, a->output, "must end in .csv or .json", err);
}

/* One per processor, but a single one where times are measured, or where there are other processes.
 */
static int read_threads(cli_arguments *a, saltus_error *err)
{
    const char *text = cli_argument(a, CLI_OPTION_THREADS);
    long long   threads = a->timing || cli_team_size() > 1 ? 1 : cli_pool_cores();
    if (!read_count(a, CLI_OPTION_THREADS, &threads, err)) return 0;
    if (threads < 1 || threads > THREADS_MAX)
        return wrong_value(CLI_OPTION_THREADS, text, "must be from 1 to 1024", err);
    a->threads = (int)threads;
    return 1;
}

/* Whether --params is standard input. */
static int reads_params(const cli_arguments *a)
{
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_PARAMS && strcmp(a->given[i].value, "-") == 0)
            return 1;
    return 0;
}

/* Standard input and the file of -o are one each. */
static int check_several(const cli_arguments *a, saltus_error *err)
{
    if (a->model_count < 2) return 1;
    if (a->output && !takes_two(a->command))
        return cli_misuse(err,
                          "-o %s is one file, but %d models are given: write one after the other",
                          a->output, a->model_count);
    for (int i = 0; i < a->model_count; i++)
        if (strcmp(a->models[i], "-") == 0)
            return cli_misuse(err, "standard input (-) cannot be one of several models");
    if (reads_params(a))
        return cli_misuse(err,
                          "--params - can be read once, but %d models are given: write the "
                          "values into a file",
                          a->model_count);
    return 1;
}

/* Why an option cannot be combined with --jsonl, or NULL. */
static const char *against_jsonl(const cli_arguments *a)
{
    return a->json      ? "--json is one object, --jsonl one per line: leave one of them out"
           : a->output  ? "--jsonl writes to standard output: leave -o out"
           : a->timing  ? "--jsonl answers each line once: leave --repeat out"
           : a->hessian ? "--jsonl answers with gradients alone: leave --hessian out"
           : a->trust   ? "--jsonl answers with gradients alone: leave --trust out"
           : a->jumps   ? "--jsonl has no jump matrices: leave --jumps out"
           : a->method_count > 1 ? "--jsonl answers with one method: name one of them"
                                 : NULL;
}

static int check_jsonl(const cli_arguments *a, saltus_error *err)
{
    if (!a->jsonl) return 1;
    if (!reads_params(a))
        return cli_misuse(err,
                          "--jsonl takes one set of parameters per line of standard input: add "
                          "--params -");
    if (a->model && strcmp(a->model, "-") == 0)
        return cli_misuse(err, "the model and --params cannot both be standard input");
    const char *reason = against_jsonl(a);
    return !reason || cli_misuse(err, "%s", reason);
}

/* NAME=FILE, any number of times; the last one of a name counts. */
static int read_data(cli_arguments *a, saltus_error *err)
{
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->given[i].option != CLI_OPTION_DATA) continue;
        const char *text = a->given[i].value, *equal = strchr(text, '=');
        if (!equal || equal == text || !equal[1])
            return wrong_value(CLI_OPTION_DATA, text, "must be NAME=FILE", err);
        *CLI_PUSH(a->data, a->data_count) = (saltus_data_file){
            .name = cli_copy_part(text, (size_t)(equal - text)), .file = equal + 1};
    }
    return 1;
}

static int read_level(cli_arguments *a, saltus_error *err)
{
    const char *text = cli_argument(a, CLI_OPTION_LEVEL);
    if (!text) return 1;
    return read_real(a, CLI_OPTION_LEVEL, &a->level, err) &&
           ((a->level > 0.0 && a->level < 1.0) ||
            wrong_value(CLI_OPTION_LEVEL, text, "must be between 0 and 1", err));
}

static int read_digits(cli_arguments *a, saltus_error *err)
{
    long long digits = CLI_TABLE_DIGITS;
    if (!read_count(a, CLI_OPTION_DIGITS, &digits, err)) return 0;
    if (digits < 1 || digits > 17)
        return wrong_value(CLI_OPTION_DIGITS, cli_argument(a, CLI_OPTION_DIGITS),
                           "must be from 1 to 17", err);
    cli_table_set_digits((int)digits);
    return 1;
}

static int read_starts(cli_arguments *a, saltus_error *err)
{
    const char *text = cli_argument(a, CLI_OPTION_STARTS);
    long long   starts = 1;
    if (!text) return 1;
    if (!read_count(a, CLI_OPTION_STARTS, &starts, err)) return 0;
    if (starts < 1 || starts > 1000000)
        return wrong_value(CLI_OPTION_STARTS, text, "must be from 1 to a million", err);
    a->starts = (int)starts;
    return 1;
}

static int read_shooting(cli_arguments *a, saltus_error *err)
{
    const char *text = cli_argument(a, CLI_OPTION_SHOOTING);
    long long   intervals = 1;
    if (!text) return 1;
    if (!read_count(a, CLI_OPTION_SHOOTING, &intervals, err)) return 0;
    if (intervals < 1 || intervals > SALTUS_INTERVALS)
        return wrong_value(CLI_OPTION_SHOOTING, text, "must be from 1 to 1000", err);
    a->shooting = (int)intervals;
    return 1;
}

static int read_values(cli_arguments *a, saltus_error *err)
{
    static const char *const formulations[] = {"index1", "penalty", NULL};
    static const char *const backends[] = {"auto", "interp", "native", NULL};
    static const char *const sequences[] = {"keep", "free", "search", NULL};
    static const char *const engines[] = {"sqp", "nlopt", "ipopt", NULL};
    a->after = cli_argument(a, CLI_OPTION_AFTER);
    a->jumps = cli_argument(a, CLI_OPTION_JUMPS) != NULL;
    a->force = cli_argument(a, CLI_OPTION_FORCE) != NULL;
    a->open = cli_argument(a, CLI_OPTION_OPEN) != NULL;
    a->watch = cli_argument(a, CLI_OPTION_WATCH) != NULL;
    a->hessian = cli_argument(a, CLI_OPTION_HESSIAN) != NULL;
    a->trust = cli_argument(a, CLI_OPTION_TRUST) != NULL;
    a->event_times = cli_argument(a, CLI_OPTION_EVENT_TIMES) != NULL;
    a->one_sided = cli_argument(a, CLI_OPTION_ONE_SIDED) != NULL;
    a->profile = cli_argument(a, CLI_OPTION_PROFILE) != NULL;
    a->gradients = cli_argument(a, CLI_OPTION_GRADIENTS) != NULL;
    a->editor = cli_argument(a, CLI_OPTION_EDITOR) != NULL;
    a->resume = cli_argument(a, CLI_OPTION_RESUME) != NULL;
    if (!read_level(a, err) || !read_data(a, err)) return 0;
    a->verbose = cli_argument(a, CLI_OPTION_VERBOSE) != NULL;
    if (!read_real(a, CLI_OPTION_UNTIL, &a->until, err)) return 0;
    if (!read_real(a, CLI_OPTION_EVERY, &a->every, err)) return 0;
    if (cli_argument(a, CLI_OPTION_EVERY) && a->every <= 0.0)
        return wrong_value(CLI_OPTION_EVERY, cli_argument(a, CLI_OPTION_EVERY), "must be positive",
                           err);
    if (!read_count(a, CLI_OPTION_REPEAT, &a->repeat, err)) return 0;
    if (a->repeat < 1)
        return wrong_value(CLI_OPTION_REPEAT, cli_argument(a, CLI_OPTION_REPEAT),
                           "must be 1 or more", err);
    a->timing = cli_argument(a, CLI_OPTION_REPEAT) != NULL;
    if (!read_count(a, CLI_OPTION_SEED, &a->seed, err)) return 0;
    if (!read_name(a, CLI_OPTION_FORMULATION, formulations, &a->formulation, err)) return 0;
    if (!read_name(a, CLI_OPTION_BACKEND, backends, &a->backend, err)) return 0;
    if (!read_name(a, CLI_OPTION_SEQUENCES, sequences, &a->sequences, err)) return 0;
    if (!read_name(a, CLI_OPTION_ENGINE, engines, &a->engine, err)) return 0;
    if (!read_starts(a, err) || !read_shooting(a, err) || !read_digits(a, err)) return 0;
    return read_threads(a, err) && read_methods(a, err) && read_output(a, err);
}

/* Each option must belong to the command: of those that came before it, that is not known yet. */
static int check_belonging(const cli_arguments *a, saltus_error *err)
{
    for (int i = 0; i < a->count; i++)
        if (!cli_option_is_taken(a->given[i].option, a->command))
            return refuse_elsewhere(a->given[i].option, a->command, err);
    return 1;
}

/* ---- all of the command line ----------------------------------------------------------------- */

int cli_arguments_read(cli_arguments *a, int argc, char *const *argv, saltus_error *err)
{
    *a = (cli_arguments){.until = NAN, .repeat = 1, .formulation = "index1"};
    a->out = stdout;
    a->err = stderr;
    a->seed = (long long)saltus_script_options_default().seed;
    a->words = cli_alloc((size_t)argc + 1, sizeof *a->words);
    for (int i = 0; i < argc; i++) a->words[i] = with_dashes(argv[i]);
    read_words(a, argc, err);
    if (err->status) return 0;
    a->help = cli_argument(a, CLI_OPTION_HELP) != NULL;
    a->version = cli_argument(a, CLI_OPTION_VERSION) != NULL;
    if (a->help || a->version || !a->command) return 1;
    if (!check_belonging(a, err) || !read_values(a, err)) return 0;
    if (!check_several(a, err) || !check_jsonl(a, err)) return 0;
    if (!a->model && a->editor) return 1;
    if (!a->model && a->command->function == cli_command_new)
        return cli_misuse(err, "which name? Write saltus new NAME");
    if (!a->model && *a->command->argument && *a->command->argument != '[')
        return cli_misuse(err, "which model? Write saltus %s MODEL.lua", a->command->name);
    if (a->command->function == cli_command_compile && !a->output)
        return cli_misuse(err, "where to? Write saltus compile %s -o FOLDER", a->model);
    saltus_options scratch =
        saltus_options_default(); /* wrong values are reported before loading */
    return cli_arguments_solver(a, &scratch, err);
}

void cli_arguments_free(cli_arguments *a)
{
    for (int i = 0; a->words && a->words[i]; i++) free(a->words[i]);
    free(a->words);
    free(a->given);
    free(a->models);
    for (int i = 0; i < a->data_count; i++) free((void *)(size_t)a->data[i].name);
    free(a->data);
    free(a->made_output);
}

/* The library calls an option max_step; the message names it as the user did, --max-step. */
static int refuse_as_given(cli_option_id given, const char *name, const saltus_error *theirs,
                           saltus_error *err)
{
    char         spelled[32];
    const size_t length = strlen(name);
    if (strncmp(theirs->message, name, length) != 0)
        return cli_fail(err, theirs->status, "%s", theirs->message);
    return cli_fail(err, theirs->status, "--%s%s",
                    cli_option_spelling(given, spelled, sizeof spelled), theirs->message + length);
}

/* Sets a solver option to the value of `given`, which is the option itself or --tol. */
static int set_solver(cli_option_id option, cli_option_id given, const char *text,
                      saltus_options *options, saltus_error *err)
{
    char      number[32];
    double    real = 0.0;
    long long bytes = 0;
    switch (cli_options[option].kind) {
    case 'R':
        if (!cli_parse_real(text, &real)) return wrong_value(given, text, "not a number", err);
        break;
    case 'S':
        if (!cli_parse_size(text, &bytes))
            return wrong_value(given, text, "not a size: bytes, or with k, M or G", err);
        snprintf(number, sizeof number, "%lld", bytes);
        text = number;
        break;
    default: break;
    }
    const char  *name = cli_options[option].name;
    saltus_error theirs = {0};
    return saltus_options_set(options, name, text, &theirs) == SALTUS_OK ||
           refuse_as_given(given, name, &theirs, err);
}

int cli_arguments_solver(const cli_arguments *a, saltus_options *options, saltus_error *err)
{
    const char *tol = cli_argument(a, CLI_OPTION_TOL);
    if (tol && !(set_solver(CLI_SOLVER_rtol, CLI_OPTION_TOL, tol, options, err) &&
                 set_solver(CLI_SOLVER_atol, CLI_OPTION_TOL, tol, options, err)))
        return 0;
    for (int i = CLI_OPTION_SOLVER; i < CLI_OPTION_COUNT; i++) {
        const cli_option_id option = (cli_option_id)i;
        const char         *text = cli_argument(a, option);
        if (text && !set_solver(option, option, text, options, err)) return 0;
    }
    if (!isnan(a->until)) options->t_end = a->until;
    if (a->backend) saltus_options_set(options, "backend", a->backend, err);
    return 1;
}

int cli_arguments_values(const cli_arguments *a, cli_values *values, saltus_error *err)
{
    for (int i = 0; i < a->count; i++) {
        if (a->given[i].option != CLI_OPTION_PARAMS) continue;
        const char *file = a->given[i].value;
        if (strcmp(file, "-") == 0 && a->jsonl) continue; /* line by line, later */
        if (strcmp(file, "-") == 0 && strcmp(a->model, "-") == 0)
            return cli_misuse(err, "the model and --params cannot both be standard input");
        size_t          length = 0;
        CLI_OWNED char *json = cli_read_file(file, &length, err);
        if (json) cli_values_add_json(values, file, json, length, err);
        if (err->status) return 0;
    }
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_SET && !cli_values_add(values, a->given[i].value, err))
            return 0;
    return 1;
}
