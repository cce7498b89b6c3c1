/* Reads the command line. */
#define _GNU_SOURCE /* getopt_long */
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "pool.h"
#include "table.h"
#include "team.h"
#include "text.h"

/* ---- finding names -------------------------------------------------------------------------- */

/* Filled in when the command line is read, before there are threads. */
static char spelled[CLI_OPTION_COUNT][32];

static void spell_options(void)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        snprintf(spelled[i], sizeof spelled[i], "%s", cli_options[i].name);
        for (char *c = spelled[i]; *c; c++)
            if (*c == '_') *c = '-';
    }
}

const char *cli_option_spelling(cli_option_id option) { return spelled[option]; }

/* Whether the command takes it; NULL: any command. */
static int is_of(int option, const cli_command *command)
{
    return !command || cli_option_is_taken((cli_option_id)option, command);
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
    const cli_command *command = cli_command_find(name);
    if (command) return command;
    for (int i = 0; i < cli_command_count; i++) names[i] = cli_commands[i].name;
    CLI_OWNED char *near = cli_nearest(name, names, cli_command_count, " (did you mean %s?)", "");
    if (cli_ends_with(name, ".lua"))
        cli_misuse(err, "'%s' is not a command: to simulate it, write saltus run %s", name, name);
    else cli_misuse(err, "there is no command '%s'%s; 'saltus --help' lists them", name, near);
    return NULL;
}

const char *cli_argument(const cli_arguments *arguments, cli_option_id option)
{
    for (int i = arguments->count - 1; i >= 0; i--)
        if (arguments->given[i].option == option) return arguments->given[i].value;
    return NULL;
}

int cli_is_given(const cli_arguments *arguments, cli_option_id option)
{
    return cli_argument(arguments, option) != NULL;
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
static char *list_beginning(const cli_command *command, const char *start, size_t length)
{
    char *list = NULL;
    int   count = 0;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (is_of(i, command) && *cli_options[i].help && strncmp(spelled[i], start, length) == 0)
            list = cli_append(list, "%s--%s", count++ ? ", " : "", spelled[i]);
    if (count > 1) return list;
    free(list);
    return NULL;
}

/* Notes flags that determine how errors are printed, also one about this very option. */
static void note_flag(cli_arguments *a, int option)
{
    a->json |= option == CLI_OPTION_JSON;
    a->jsonl |= option == CLI_OPTION_JSONL;
    a->quiet |= option == CLI_OPTION_QUIET;
    a->plain |= option == CLI_OPTION_NO_COLOR;
}

/* A long name that getopt_long did not recognise: ambiguous, of another command, or of none. */
static int refuse_name(cli_arguments *a, const cli_command *command, const char *word,
                       saltus_error *err)
{
    const size_t    length = strcspn(word, "=");
    const char     *known[CLI_OPTION_COUNT];
    CLI_OWNED char *name = cli_copy_part(word, length);
    CLI_OWNED char *list = list_beginning(command, word, length);
    if (list) return cli_misuse(err, "--%s may be several options: %s", name, list);
    for (int i = 0; command && i < CLI_OPTION_COUNT; i++)
        if (strcmp(spelled[i], name) == 0) {
            note_flag(a, i);
            return refuse_elsewhere((cli_option_id)i, command, err);
        }
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        known[i] = is_of(i, command) && *cli_options[i].help ? spelled[i] : NULL;
    CLI_OWNED char *near = cli_nearest(name, known, CLI_OPTION_COUNT, " (did you mean --%s?)", "");
    return cli_misuse(err, "there is no option --%s%s", name, near);
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
    CLI_OWNED char  *name =
        is_letter ? cli_format("-%c", of.letter) : cli_format("--%s", spelled[option]);
    return cli_misuse(err, "%s needs a value: %s %s", name, name, of.argument);
}

/* ---- one pass over the words ---------------------------------------------------------------- */

/* Input of getopt_long: the options that a command takes. Numbers of options begin after those of
 * characters. */
enum { NUMBERS = 256 };

typedef struct grammar {
    const cli_command *command; /* NULL: none yet, all options */
    struct option      options[CLI_OPTION_COUNT + 1];
    char               letters[2 * CLI_OPTION_COUNT + 3];
} grammar;

static void make_grammar(grammar *g, const cli_command *command)
{
    struct option *next = g->options;
    char          *letter = g->letters;
    *letter++ = '-'; /* return words that are no options in order */
    *letter++ = ':'; /* distinguish a missing value from an unknown option */
    g->command = command;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        if (!is_of(i, command)) continue;
        const int takes = *cli_options[i].argument != '\0';
        *next++ = (struct option){.name = spelled[i], .has_arg = takes, .val = NUMBERS + i};
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

/* Whether several arguments are accepted: several models, or the words to be completed. */
static int takes_several(const cli_arguments *a)
{
    return cli_is_given(a, CLI_OPTION_COMPLETE) || cli_is(a, CLI_RUN | CLI_GRADIENT | CLI_CHECK);
}

static int takes_two(const cli_arguments *a) { return cli_is(a, CLI_REPORT | CLI_DIFF); }

int cli_is_batch(const cli_arguments *a)
{
    return a->model_count > 1 && !takes_two(a) && !cli_is_given(a, CLI_OPTION_COMPLETE);
}

static int read_positional(cli_arguments *a, const char *word, saltus_error *err)
{
    if (!a->command) {
        a->command = find_command(word, err);
        return a->command != NULL;
    }
    if (!*a->command->argument)
        return cli_misuse(err, "unexpected argument '%s': 'saltus %s' takes none", word,
                          a->command->name);
    if (a->model && !takes_several(a) && !(takes_two(a) && a->model_count < 2))
        return cli_misuse(err, "unexpected argument '%s' after '%s'", word, a->model);
    *CLI_PUSH(a->models, a->model_count) = word;
    a->model = a->models[0];
    return 1;
}

/* Takes what getopt_long found in this word. */
static int read_found(cli_arguments *a, const grammar *g, int found, const char *word,
                      saltus_error *err)
{
    const int is_letter = word[0] == '-' && word[1] != '-';
    const int about = optopt >= NUMBERS ? optopt - NUMBERS : option_of_letter(optopt);
    if (found == 1) return read_positional(a, optarg, err);
    if (found == ':') return refuse_without_value((cli_option_id)about, g->command, is_letter, err);
    if (found == '?' && is_letter) return refuse_letter(g->command, (char)optopt, err);
    if (found == '?' && optopt) return cli_misuse(err, "--%s takes no value", spelled[about]);
    if (found == '?') return refuse_name(a, g->command, word + 2, err);
    const int option = found >= NUMBERS ? found - NUMBERS : option_of_letter(found);
    a->brief |= found == 'h';
    give(a, option, optarg ? optarg : "");
    return 1;
}

/* Refuses -json, which getopt reads as -j son: it is hardly ever meant. */
static int check_dashes(const grammar *g, const char *word, saltus_error *err)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (*word == '-' && is_of(i, g->command) && strcmp(word + 1, spelled[i]) == 0)
            return cli_misuse(err, "names have two dashes: write -%s", word);
    return 1;
}

/* Returns the word with dashes: the library writes max_step, the command line max-step, and both
 * are understood. */
static char *with_dashes(const char *word)
{
    char *copy = cli_copy(word);
    if (strncmp(word, "--", 2) != 0) return copy;
    for (size_t i = 2; copy[i] && copy[i] != '='; i++)
        if (copy[i] == '_') copy[i] = '-';
    return copy;
}

/* Reads all words. The first failure is kept, but the rest is read, as --json determines how the
 * error is printed. */
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
    return cli_misuse(err, "--%s '%s': %s", spelled[option], value, needed);
}

/* Reads numbers within limits, both excluded. */
static int read_reals(cli_arguments *a, saltus_error *err)
{
    const struct {
        cli_option_id option;
        double       *value, above, below;
        const char   *needed;
    } reals[] = {
        {CLI_OPTION_LEVEL, &a->level, 0.0, 1.0, "must be between 0 and 1"},
        {CLI_OPTION_UNTIL, &a->until, -INFINITY, INFINITY, ""},
        {CLI_OPTION_EVERY, &a->every, 0.0, INFINITY, "must be positive"},
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        const char *text = cli_argument(a, reals[i].option);
        if (!text) continue;
        if (!cli_parse_real(text, reals[i].value))
            return wrong_value(reals[i].option, text, "not a number", err);
        if (!(*reals[i].value > reals[i].above && *reals[i].value < reals[i].below))
            return wrong_value(reals[i].option, text, reals[i].needed, err);
    }
    return 1;
}

/* Reads whole numbers within limits, both included. By default there is one thread per processor,
 * but a single one where times are measured or where there are other processes. */
static int read_counts(cli_arguments *a, saltus_error *err)
{
    long long starts = 0, shooting = 0, digits = CLI_TABLE_DIGITS;
    long long threads = a->timing || cli_team_size() > 1 ? 1 : cli_pool_cores();
    const struct {
        cli_option_id option;
        long long    *value, least, most;
        const char   *needed;
    } counts[] = {
        {CLI_OPTION_REPEAT, &a->repeat, 1, LLONG_MAX, "must be 1 or more"},
        {CLI_OPTION_SEED, &a->seed, 0, LLONG_MAX, ""},
        {CLI_OPTION_STARTS, &starts, 1, SALTUS_STARTS, "must be from 1 to a million"},
        {CLI_OPTION_SHOOTING, &shooting, 1, SALTUS_INTERVALS, "must be from 1 to 1000"},
        {CLI_OPTION_DIGITS, &digits, 1, 17, "must be from 1 to 17"},
        {CLI_OPTION_THREADS, &threads, 1, 1024, "must be from 1 to 1024"},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *text = cli_argument(a, counts[i].option);
        if (!text) continue;
        if (!cli_parse_count(text, counts[i].value))
            return wrong_value(counts[i].option, text, "not a whole number", err);
        if (*counts[i].value < counts[i].least || *counts[i].value > counts[i].most)
            return wrong_value(counts[i].option, text, counts[i].needed, err);
    }
    a->starts = (int)starts;
    a->shooting = (int)shooting;
    a->threads = (int)threads;
    cli_table_set_digits((int)digits);
    return 1;
}

/* Reads one of the words that options.def lists; *place receives its number. */
static int read_name(const cli_arguments *a, cli_option_id option, int *place, saltus_error *err)
{
    const char     *text = cli_argument(a, option);
    CLI_OWNED char *needed = cli_copy("must be");
    int             count = 0;
    for (const char *rest = cli_options[option].values; text && rest; count++) {
        CLI_OWNED char *name = cli_next_part(&rest, " ");
        if (strcmp(name, text) == 0) *place = count;
        needed = cli_append(needed, "%s %s", count ? " or" : "", name);
    }
    return !text || *place >= 0 || wrong_value(option, text, needed, err);
}

static int add_method(cli_arguments *a, const char *name, saltus_error *err)
{
    static const saltus_method methods[CLI_METHODS] = {SALTUS_AUTO, SALTUS_ADJOINT, SALTUS_DISCRETE,
                                                       SALTUS_DIRECT, SALTUS_FD};
    const char                *names[CLI_METHODS];
    for (int i = 0; i < CLI_METHODS; i++) {
        names[i] = saltus_method_name(methods[i]);
        if (strcmp(names[i], name) != 0) continue;
        for (int k = 0; k < a->method_count; k++)
            if (a->method[k] == methods[i]) return 1; /* named twice */
        a->method[a->method_count++] = methods[i];
        return 1;
    }
    CLI_OWNED char *near = cli_nearest(name, names, CLI_METHODS, " (did you mean %s?)", "");
    return cli_misuse(err,
                      "there is no method '%s'%s: auto, adjoint, discrete, direct, fd, or several: "
                      "a,b",
                      name, near);
}

static int read_methods(cli_arguments *a, saltus_error *err)
{
    const char *list = cli_argument(a, CLI_OPTION_METHOD);
    if (!list) list = "auto";
    while (list) {
        CLI_OWNED char *name = cli_next_part(&list, ",");
        if (!add_method(a, name, err)) return 0;
    }
    return 1;
}

/* The file of a report without -o: models/ball.lua gives ball.html, in the present folder. */
static char *page_name(const char *model)
{
    if (!model || strcmp(model, "-") == 0) return cli_copy("report.html");
    const char  *name = cli_base_name(model), *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return cli_format("%.*s.html", (int)length, name);
}

static int read_output(cli_arguments *a, saltus_error *err)
{
    a->output = cli_argument(a, CLI_OPTION_OUTPUT);
    if (!a->output && cli_is(a, CLI_REPORT)) a->output = a->made_output = page_name(a->model);
    if (!a->output) return 1;
    const char *dot = strrchr(cli_base_name(a->output), '.');
    if (!*a->output) return wrong_value(CLI_OPTION_OUTPUT, a->output, "no file name", err);
    if (cli_is(a, CLI_COMPILE)) return 1;
    if (cli_is(a, CLI_MODELS) && !a->model)
        return cli_misuse(err, "-o %s: which model is to be copied? Write saltus models NAME -o %s",
                          a->output, a->output);
    if (cli_is(a, CLI_SWEEP)) /* readers recognise the format by the ending */
        return (dot && cli_is_one_of(dot, ".db .sqlite .sqlite3")) ||
               wrong_value(CLI_OPTION_OUTPUT, a->output,
                           "results of a sweep are a database, FILE.db; for a table add --csv FILE",
                           err);
    if (strcmp(a->output, "-") == 0)
        return !a->json ||
               cli_misuse(err, "--json and -o - both write to standard output: give -o a file");
    if (cli_is(a, CLI_MODELS)) return 1;
    if (cli_is(a, CLI_REPORT))
        return (dot && strncmp(dot, ".htm", 4) == 0) ||
               wrong_value(CLI_OPTION_OUTPUT, a->output, "a report ends in .html", err);
    return !dot || strcmp(dot, ".csv") == 0 || strcmp(dot, ".json") == 0 ||
           wrong_value(CLI_OPTION_OUTPUT, a->output, "must end in .csv or .json", err);
}

/* Whether --params is standard input. */
static int reads_params(const cli_arguments *a)
{
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_PARAMS && strcmp(a->given[i].value, "-") == 0)
            return 1;
    return 0;
}

/* Checks options for several models: there is only one standard input and one file of -o. */
static int check_several(const cli_arguments *a, saltus_error *err)
{
    if (a->model_count < 2) return 1;
    if (a->output && !takes_two(a))
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
    return a->json     ? "--json is one object, --jsonl one per line: leave one of them out"
           : a->output ? "--jsonl writes to standard output: leave -o out"
           : a->timing ? "--jsonl answers each line once: leave --repeat out"
           : cli_is_given(a, CLI_OPTION_HESSIAN)
               ? "--jsonl answers with gradients alone: leave --hessian out"
           : cli_is_given(a, CLI_OPTION_TRUST)
               ? "--jsonl answers with gradients alone: leave --trust out"
           : cli_is_given(a, CLI_OPTION_JUMPS) ? "--jsonl has no jump matrices: leave --jumps out"
           : a->method_count > 1               ? "--jsonl answers with one method: name one of them"
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

/* Reads NAME=FILE of all --data; the last one of a name is used. */
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

static int read_values(cli_arguments *a, saltus_error *err)
{
    int formulation = -1, backend = -1;
    a->after = cli_argument(a, CLI_OPTION_AFTER);
    a->open = cli_is_given(a, CLI_OPTION_OPEN);
    a->watch = cli_is_given(a, CLI_OPTION_WATCH);
    a->event_times = cli_is_given(a, CLI_OPTION_EVENT_TIMES);
    a->verbose = cli_is_given(a, CLI_OPTION_VERBOSE);
    a->timing = cli_is_given(a, CLI_OPTION_REPEAT);
    return read_reals(a, err) && read_data(a, err) && read_counts(a, err) &&
           read_name(a, CLI_OPTION_FORMULATION, &formulation, err) &&
           read_name(a, CLI_OPTION_BACKEND, &backend, err) &&
           read_name(a, CLI_OPTION_SEQUENCES, &a->sequences, err) &&
           read_name(a, CLI_OPTION_ENGINE, &a->engine, err) && read_methods(a, err) &&
           read_output(a, err);
}

/* Checks that each option belongs to the command, which is not yet known when options before it are
 * read. */
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
    *a = (cli_arguments){.until = NAN, .repeat = 1, .sequences = -1, .engine = -1};
    a->out = stdout;
    a->err = stderr;
    a->seed = (long long)saltus_script_options_default().seed;
    spell_options();
    a->words = cli_alloc((size_t)argc + 1, sizeof *a->words);
    for (int i = 0; i < argc; i++) a->words[i] = with_dashes(argv[i]);
    read_words(a, argc, err);
    if (err->status) return 0;
    a->help = cli_is_given(a, CLI_OPTION_HELP);
    a->version = cli_is_given(a, CLI_OPTION_VERSION);
    if (a->help || a->version || !a->command) return 1;
    if (!check_belonging(a, err) || !read_values(a, err)) return 0;
    if (!check_several(a, err) || !check_jsonl(a, err)) return 0;
    if (!a->model && cli_is_given(a, CLI_OPTION_EDITOR)) return 1;
    if (!a->model && cli_is(a, CLI_NEW))
        return cli_misuse(err, "a name is missing: write saltus new NAME");
    if (!a->model && *a->command->argument && *a->command->argument != '[')
        return cli_misuse(err, "a model is missing: write saltus %s MODEL.lua", a->command->name);
    if (cli_is(a, CLI_COMPILE) && !a->output)
        return cli_misuse(err, "a folder is missing: write saltus compile %s -o FOLDER", a->model);
    saltus_options scratch =
        saltus_options_default(); /* so that wrong values are reported before loading */
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
    const size_t length = strlen(name);
    if (strncmp(theirs->message, name, length) != 0)
        return cli_fail(err, theirs->status, "%s", theirs->message);
    return cli_fail(err, theirs->status, "--%s%s", spelled[given], theirs->message + length);
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
    const char *backend = cli_argument(a, CLI_OPTION_BACKEND);
    if (backend) saltus_options_set(options, "backend", backend, err);
    return 1;
}

int cli_arguments_values(const cli_arguments *a, cli_values *values, saltus_error *err)
{
    for (int i = 0; i < a->count; i++) {
        if (a->given[i].option != CLI_OPTION_PARAMS) continue;
        const char *file = a->given[i].value;
        if (strcmp(file, "-") == 0 && a->jsonl) continue; /* read line by line, later */
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
