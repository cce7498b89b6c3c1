/* The command line: commands, options, and what was given.
 *
 * One table of commands and one of options serve the parser, --help, and the test that compares
 * them with the shell completion. The solver's options are not repeated here: they come from
 * SALTUS_OPTION_LIST, so a new option of the library is also one of the program. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "saltus/saltus.h"
#include "values.h"

struct cli_arguments;

/* ---- commands ------------------------------------------------------------------------------- */

typedef struct cli_command {
    const char *name;
    const char *group;       /* its group in the list of commands */
    const char *argument;    /* its argument: MODEL, NAME; [NAME]: optional; "": none */
    const char *summary;     /* one line */
    const char *description; /* paragraphs, one line each, and items: "  name  text" */
    const char *examples;    /* one line each */
    int (*function)(const struct cli_arguments *arguments);
} cli_command;

/* Bits of the commands an option belongs to. */
enum {
    CLI_RUN = 1,
    CLI_GRADIENT = 2,
    CLI_CHECK = 4,
    CLI_SHOW = 8,
    CLI_DUMP = 16,
    CLI_COMPILE = 32,
    CLI_REPORT = 64,
    CLI_NEW = 128,
    CLI_MODELS = 256,
    CLI_CACHE = 512,
    CLI_PERIODIC = 1024,
    CLI_EQUILIBRIUM = 2048,
    CLI_FIT = 4096,
    CLI_OPTIMISE = 8192,
    CLI_SWEEP = 16384,
    CLI_HELP = 32768,
    CLI_DIFF = 65536,
    CLI_SIMULATE = CLI_RUN | CLI_GRADIENT | CLI_CHECK | CLI_REPORT | CLI_PERIODIC |
                   CLI_EQUILIBRIUM | CLI_FIT | CLI_OPTIMISE | CLI_SWEEP | CLI_DIFF,
    CLI_ALL = CLI_SIMULATE | CLI_SHOW | CLI_DUMP | CLI_COMPILE, /* all commands that load a model */
    CLI_ANY = CLI_ALL | CLI_NEW | CLI_MODELS | CLI_CACHE | CLI_HELP
};

/* The commands in the order of the bits above. */
extern const cli_command cli_commands[];
extern const int         cli_command_count;

/* The groups of commands, in the order of the help. */
enum { CLI_COMMAND_GROUPS = 4 };
extern const char *const cli_command_groups[CLI_COMMAND_GROUPS];

const cli_command *cli_command_find(const char *name); /* NULL: there is none */

int cli_command_run(const struct cli_arguments *arguments);
int cli_command_gradient(const struct cli_arguments *arguments);
int cli_command_check(const struct cli_arguments *arguments);
int cli_command_show(const struct cli_arguments *arguments);
int cli_command_dump(const struct cli_arguments *arguments);
int cli_command_compile(const struct cli_arguments *arguments);
int cli_command_report(const struct cli_arguments *arguments);
int cli_command_new(const struct cli_arguments *arguments);
int cli_command_models(const struct cli_arguments *arguments);
int cli_command_cache(const struct cli_arguments *arguments);
int cli_command_periodic(const struct cli_arguments *arguments);
int cli_command_equilibrium(const struct cli_arguments *arguments);
int cli_command_fit(const struct cli_arguments *arguments);
int cli_command_optimise(const struct cli_arguments *arguments);
int cli_command_sweep(const struct cli_arguments *arguments);
int cli_command_help(const struct cli_arguments *arguments);
int cli_command_diff(const struct cli_arguments *arguments);

/* Whether the command is one of those whose bits are given. */
int cli_is(const struct cli_arguments *arguments, unsigned commands);
/* 1: the command is performed for each model separately; 0: for all of them together. */
int cli_is_batch(const struct cli_arguments *arguments);

/* ---- options -------------------------------------------------------------------------------- */

typedef enum cli_option_id {
#define OPTION(id, letter, name, argument, values, fallback, commands, help) CLI_OPTION_##id,
#define VARIANT(id, commands, argument, values, fallback, help)
#include "options.def"
#undef OPTION
#undef VARIANT
    CLI_OPTION_SOLVER,                         /* number of the first solver option */
    CLI_SOLVER_BEFORE = CLI_OPTION_SOLVER - 1, /* the next enumerator is CLI_OPTION_SOLVER */
#define CLI_ROW(name, kind, help) CLI_SOLVER_##name,
    SALTUS_OPTION_LIST(CLI_ROW)
#undef CLI_ROW
        CLI_OPTION_COUNT
} cli_option_id;

/* See options.def. */
typedef struct cli_option {
    char        letter;   /* 0: none */
    const char *name;     /* the library's spelling: max_step; shown as max-step */
    const char *argument; /* "": none */
    const char *values;
    const char *fallback; /* the default; "": not shown */
    unsigned    commands; /* commands whose help shows it */
    const char *help;     /* "": hidden */
    char        kind;     /* kind of a solver option: R, I, S, N; else 0 */
} cli_option;

extern const cli_option cli_options[CLI_OPTION_COUNT];

/* Returns an option in its meaning for a command; NULL: the usual meaning. */
cli_option cli_option_of(cli_option_id option, const cli_command *command);
/* Whether the command takes the option, and whether its help shows it: options of the solver have
 * no effect where nothing is simulated. */
int cli_option_is_taken(cli_option_id option, const cli_command *command);
int cli_option_is_shown(cli_option_id option, const cli_command *command);
/* The default of an option; for options of the solver, the library's. Returns buffer. */
const char *cli_option_default(cli_option_id option, const cli_command *command, char *buffer,
                               size_t size);

/* ---- the command line ----------------------------------------------------------------------- */

typedef struct cli_given {
    cli_option_id option;
    const char   *value; /* "" for a flag */
} cli_given;

enum { CLI_METHODS = 5 }; /* methods that a user can name */

typedef struct cli_arguments {
    char             **words;   /* words of the command line, with max-step for max_step; owned */
    const cli_command *command; /* NULL: none */
    const char        *model;   /* NULL: none; for `help`, the topic */
    const char       **models;  /* all given models; model is the first */
    int                model_count;
    FILE              *out, *err; /* where results and messages go */
    cli_given         *given;     /* in order */
    int                count;
    int                json, jsonl, quiet, verbose, plain, help, version, event_times;
    int                open, watch; /* options of report */
    int                brief;       /* 1: -h, not --help */
    const char        *output;      /* NULL: none */
    char              *made_output; /* file that report makes without -o, owned */
    const char        *after;
    double             every; /* 0: 501 rows */
    double             until; /* NaN: the model's */
    double             level; /* 0: the library's */
    saltus_data_file  *data;  /* names and files of --data; names are owned */
    int                data_count;
    long long          repeat;
    int                timing; /* 1: --repeat was given */
    int                threads;
    int                starts;    /* 0: not given */
    int                shooting;  /* 0: not given */
    int                sequences; /* saltus_sequences; -1: not given */
    int                engine;    /* saltus_engine; -1: not given */
    long long          seed;
    saltus_method      method[CLI_METHODS];
    int                method_count;
} cli_arguments;

/* Reads the command line. All values are checked as far as possible without a model. On failure the
 * flags (json, ...) are still those given. */
int  cli_arguments_read(cli_arguments *arguments, int argc, char *const *argv, saltus_error *err);
void cli_arguments_free(cli_arguments *arguments);

/* The last value given for an option, or NULL. */
const char *cli_argument(const cli_arguments *arguments, cli_option_id option);
int         cli_is_given(const cli_arguments *arguments, cli_option_id option);
/* The option's name as users write it: max-step. */
const char *cli_option_spelling(cli_option_id option);

/* Applies the solver options of the command line to those of the model. */
int cli_arguments_solver(const cli_arguments *arguments, saltus_options *options,
                         saltus_error *err);
/* Reads all of --params, then all of --set. */
int cli_arguments_values(const cli_arguments *arguments, cli_values *values, saltus_error *err);

/* ---- choosing among names: --wrt a,b --cost 'e*' -------------------------------------------- */

/* Chosen indices, ascending: results are in the order of the script. */
typedef struct cli_choice {
    int *index;
    int  count;
} cli_choice;

/* Adds to chosen[i] the names that a list "a,b*" mentions; `what` ("parameter") and `option`
 * ("--wrt") are for messages. An unknown name is an error that suggests the nearest one. */
int cli_choose(const char *list, const char *const *names, int count, char *chosen,
               const char *what, const char *option, saltus_error *err);

/* The indices marked in chosen. */
cli_choice cli_choice_of(const char *chosen, int count);

/* ---- help ----------------------------------------------------------------------------------- */

void cli_version_print(FILE *stream);
/* Prints the list of commands; brief: without exit statuses. */
void cli_help_print(FILE *stream, int brief);
/* Prints what a command does and its options; brief: one line for each of its own options. */
void cli_help_command_print(FILE *stream, const cli_command *command, int brief);
/* Prints the candidates for the last word of an unfinished command line, which may be empty; count
 * > 0. The words are those after the name of the program. */
void cli_complete(const char *const *words, int count, FILE *out);

#endif
