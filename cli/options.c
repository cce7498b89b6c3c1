/* Reads the command line. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "pool.h"
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

/* The library writes max_step, the command line max-step; both are understood. */
static int same_option(const char *option, const char *text, size_t length)
{
    if (strlen(option) != length) return 0;
    for (size_t i = 0; i < length; i++)
        if ((option[i] == '_' ? '-' : option[i]) != (text[i] == '_' ? '-' : text[i])) return 0;
    return 1;
}

static int find_option(const char *text, size_t length)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (same_option(cli_options[i].name, text, length)) return i;
    return -1;
}

static int unknown_option(const char *text, size_t length, saltus_error *err)
{
    char        spelled[CLI_OPTION_COUNT][32], buffer[64];
    const char *names[CLI_OPTION_COUNT];
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        names[i] = cli_option_spelling((cli_option_id)i, spelled[i], sizeof spelled[i]);
    char *name = cli_copy_part(text, length);
    cli_misuse(err, "there is no option --%s%s", name,
               hint(name, names, CLI_OPTION_COUNT, "--", buffer, sizeof buffer));
    free(name);
    return 0;
}

static const cli_command *find_command(const char *name, saltus_error *err)
{
    const char *names[32];
    char        buffer[64];
    for (int i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
        names[i] = cli_commands[i].name;
    }
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

/* ---- one pass over the words ---------------------------------------------------------------- */

static void give(cli_arguments *a, int option, const char *value)
{
    a->given = cli_grow(a->given, a->count, &a->capacity, sizeof *a->given);
    a->given[a->count++] = (cli_given){(cli_option_id)option, value};
}

/* --name, --name=value or --name value; returns how many words it took, 0 on failure. */
static int read_option(cli_arguments *a, const char *word, const char *next, saltus_error *err)
{
    const char  *name = word + 2;
    const size_t length = strcspn(name, "=");
    const int    option = find_option(name, length);
    if (option < 0) return unknown_option(name, length, err);
    const char *argument = cli_options[option].argument;
    const int   attached = name[length] == '=';
    if (!*argument && attached) return cli_misuse(err, "--%.*s takes no value", (int)length, name);
    if (*argument && !attached && !next)
        return cli_misuse(err, "--%.*s needs a value: --%.*s %s", (int)length, name, (int)length,
                          name, argument);
    give(a, option, !*argument ? "" : attached ? name + length + 1 : next);
    return *argument && !attached ? 2 : 1;
}

/* -o FILE, -oFILE, -h. */
static int read_letter(cli_arguments *a, const char *word, const char *next, saltus_error *err)
{
    if (strcmp(word, "-h") == 0) {
        give(a, CLI_OPTION_HELP, "");
        return 1;
    }
    if (word[1] == 'v')
        return cli_misuse(err, "there is no option %s: write --verbose or --version", word);
    if (word[1] != 'o')
        return cli_misuse(err, "there is no option %s; names have two dashes: -%s", word, word);
    if (!word[2] && !next) return cli_misuse(err, "-o needs a value: -o FILE");
    give(a, CLI_OPTION_OUTPUT, word[2] ? word + 2 : next);
    return word[2] ? 1 : 2;
}

static int takes_several(const cli_command *command)
{
    return command &&
           (command->function == cli_command_run || command->function == cli_command_gradient ||
            command->function == cli_command_check);
}

static int read_positional(cli_arguments *a, const char *word, saltus_error *err)
{
    if (!a->command && !a->topic) {
        a->topic = strcmp(word, "help") == 0;
        if (a->topic) return 1;
        a->command = find_command(word, err);
        return a->command != NULL;
    }
    if (a->command && !*a->command->argument)
        return cli_misuse(err, "'%s' is one argument too many: 'saltus %s' takes none", word,
                          a->command->name);
    if (a->model && !takes_several(a->command))
        return cli_misuse(err, "'%s' is one argument too many, after '%s'", word, a->model);
    a->models = cli_grow(a->models, a->model_count, &a->model_capacity, sizeof *a->models);
    a->models[a->model_count++] = word;
    a->model = a->models[0];
    return 1;
}

static int read_words(cli_arguments *a, int argc, char *const *argv, saltus_error *err)
{
    int only_names = 0; /* after "--" */
    for (int i = 1, taken; i < argc; i += taken) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!only_names && strcmp(word, "--") == 0) only_names = taken = 1;
        else if (only_names || *word != '-' || !word[1]) taken = read_positional(a, word, err);
        else
            taken =
                word[1] == '-' ? read_option(a, word, next, err) : read_letter(a, word, next, err);
        if (!taken) return 0;
    }
    return 1;
}

/* Flags are looked for before anything can fail: an error is written as JSON too if asked for. */
static void read_flags(cli_arguments *a, int argc, char *const *argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        a->json |= strcmp(argv[i], "--json") == 0;
        a->jsonl |= strcmp(argv[i], "--jsonl") == 0;
        a->quiet |= strcmp(argv[i], "--quiet") == 0;
        a->plain |= strcmp(argv[i], "--no-color") == 0;
    }
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
        const size_t length = strcspn(text, ",");
        char        *name = cli_trimmed(text, length);
        const int    ok = add_method(a, name, err);
        free(name);
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

/* One per processor, but a single one where times are measured. */
static int read_threads(cli_arguments *a, saltus_error *err)
{
    const char *text = cli_argument(a, CLI_OPTION_THREADS);
    long long   threads = a->timing ? 1 : cli_pool_cores();
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
    if (a->output)
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
        a->data = cli_grow(a->data, a->data_count, &a->data_capacity, sizeof *a->data);
        a->data[a->data_count++] = (saltus_data_file){
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
    a->after = cli_argument(a, CLI_OPTION_AFTER);
    a->jumps = cli_argument(a, CLI_OPTION_JUMPS) != NULL;
    a->force = cli_argument(a, CLI_OPTION_FORCE) != NULL;
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
    if (!read_starts(a, err) || !read_shooting(a, err)) return 0;
    return read_threads(a, err) && read_methods(a, err) && read_output(a, err);
}

/* Each option must belong to the command. */
static int check_belonging(const cli_arguments *a, saltus_error *err)
{
    for (int i = 0; i < a->count; i++) {
        const cli_option *option = &cli_options[a->given[i].option];
        if (option->commands & (1u << (a->command - cli_commands))) continue;
        char others[128] = "";
        for (int c = 0; c < cli_command_count; c++)
            if (option->commands & (1u << c)) {
                const size_t used = strlen(others);
                snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "",
                         cli_commands[c].name);
            }
        return cli_misuse(err, "--%s is not an option of '%s' (but of: %s)", option->name,
                          a->command->name, others);
    }
    return 1;
}

/* ---- all of the command line ----------------------------------------------------------------- */

int cli_arguments_read(cli_arguments *a, int argc, char *const *argv, saltus_error *err)
{
    *a = (cli_arguments){.until = NAN, .repeat = 1, .formulation = "index1"};
    a->out = stdout;
    a->err = stderr;
    a->seed = (long long)saltus_script_options_default().seed;
    read_flags(a, argc, argv);
    if (!read_words(a, argc, argv, err)) return 0;
    a->help = cli_argument(a, CLI_OPTION_HELP) != NULL;
    a->version = cli_argument(a, CLI_OPTION_VERSION) != NULL;
    if (a->topic && a->model) a->command = find_command(a->model, err);
    if (err->status) return 0;
    if (a->help || a->version || a->topic || !a->command) return 1;
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
        size_t length = 0;
        char  *json = cli_read_file(file, &length, err);
        if (json) cli_values_add_json(values, file, json, length, err);
        free(json);
        if (err->status) return 0;
    }
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_SET && !cli_values_add(values, a->given[i].value, err))
            return 0;
    return 1;
}
