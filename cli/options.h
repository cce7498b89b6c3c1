/* What a user can write: the commands, the options, and what was given on this command line.
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
    const char *argument; /* what follows it: MODEL, NAME; [NAME]: may be left out; "": nothing */
    const char *summary;  /* one line */
    const char *description;
    const char *examples;
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
    CLI_ALL = 127 | CLI_PERIODIC | CLI_EQUILIBRIUM | CLI_FIT | CLI_OPTIMISE |
              CLI_SWEEP, /* that load a model */
    CLI_ANY = 32767
};

/* The commands in the order of the bits above. */
extern const cli_command cli_commands[];
extern const int         cli_command_count;

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

/* Does the command for each of several models, some at a time; what they print comes in the order
 * of the command line. Returns the largest of their exit statuses. */
int cli_batch_run(const struct cli_arguments *arguments);

/* ---- options -------------------------------------------------------------------------------- */

/* One row per option of the program: symbol, name, its argument ("": none), commands, help.
 * Options of one command come first, then those of all commands. */
#define CLI_OPTION_LIST(X)                                                                         \
    X(OUTPUT, "output", "FILE",                                                                    \
      CLI_RUN | CLI_GRADIENT | CLI_COMPILE | CLI_REPORT | CLI_MODELS | CLI_PERIODIC | CLI_FIT |    \
          CLI_OPTIMISE | CLI_SWEEP,                                                                \
      "write the motion (run) or the sensitivities (gradient) over time to\n"                      \
      "FILE.csv or FILE.json; - is standard output (short: -o FILE); of\n"                         \
      "compile: the folder to write to; of report: FILE.html; of models:\n"                        \
      "FILE.lua; of periodic, fit and optimise: FILE.json, for --params;\n"                        \
      "of sweep: the database, FILE.db")                                                           \
    X(ALONG, "along", "NAME=FROM:TO:STEP", CLI_PERIODIC,                                           \
      "follow the motion while a parameter changes, and name what happens\n"                       \
      "on the way; -o FILE.csv or FILE.json keeps the table")                                      \
    X(EVERY, "every", "DT", CLI_RUN | CLI_GRADIENT | CLI_REPORT,                                   \
      "rows of -o every DT, instead of 501 rows (report: up to 1001)")                             \
    X(JUMPS, "jumps", "", CLI_RUN, "the jump matrix of each event and its singular values")        \
    X(EDITOR, "editor", "", CLI_NEW,                                                               \
      "write saltus.d.lua, .luarc.json and .luacheckrc beside the model too,\n"                    \
      "for editors and luacheck; without a NAME, only them")                                       \
    X(FORCE, "force", "", CLI_REPORT, "replace a file that is not a report of saltus")             \
    X(METHOD, "method", "LIST", CLI_GRADIENT | CLI_SWEEP,                                          \
      "auto (the default: direct or discrete, whichever takes less work;\n"                        \
      "adjoint where the steps are too long for discrete),\n"                                      \
      "adjoint, discrete, direct, fd, or several: a,b")                                            \
    X(EVENT_TIMES, "event_times", "", CLI_GRADIENT, "the derivatives of all event times too")      \
    X(ONE_SIDED, "one_sided", "", CLI_GRADIENT,                                                    \
      "the derivatives from below and from above each parameter's value,\n"                        \
      "and the order of events on each side")                                                      \
    X(TRUST, "trust", "", CLI_GRADIENT,                                                            \
      "between which values of each parameter the events stay the same,\n"                         \
      "and what ends that")                                                                        \
    X(OVER, "over", "LIST", CLI_FIT | CLI_OPTIMISE | CLI_SWEEP,                                    \
      "change these parameters only: a,b or 'k*'; fixed ones too; of sweep:\n"                     \
      "a=1:2:50 (50 values from 1 to 2), a=1,2,5, a~uniform(1,2) or\n"                             \
      "a~normal(1,0.1); may be repeated, for all combinations")                                    \
    X(SAMPLE, "sample", "KIND:N", CLI_SWEEP,                                                       \
      "of the distributions of --over: random:N, lhs:N (Latin hypercube) or\n"                     \
      "sobol:N points; --seed changes them")                                                       \
    X(POINTS, "points", "FILE", CLI_SWEEP,                                                         \
      "points from a file: CSV with a line of names, or JSON lines")                               \
    X(GRADIENTS, "gradients", "", CLI_SWEEP, "the derivatives of the costs at each point too")     \
    X(FINAL, "final", "LIST", CLI_SWEEP,                                                           \
      "values at the end, of coordinates, velocities dot(x), memories and\n"                       \
      "outputs: a,b or 'x*'")                                                                      \
    X(CSV, "csv", "FILE", CLI_SWEEP, "all results as a table; - is standard output")               \
    X(RESUME, "resume", "", CLI_SWEEP, "continue the database of -o: compute what it lacks")       \
    X(PROFILE, "profile", "", CLI_FIT, "intervals by the profile of the sum of squares, too")      \
    X(LEVEL, "level", "P", CLI_FIT, "probability of the intervals, instead of 0.95")               \
    X(MINIMISE, "minimise", "COST", CLI_OPTIMISE, "the cost to minimise, instead of the script's") \
    X(SUBJECT, "subject", "LIMIT", CLI_OPTIMISE,                                                   \
      "a limit on a cost: 'x_end = 1', 'peak <= 250', 'gap >= 0'; may be\n"                        \
      "repeated; replaces those of the script")                                                    \
    X(STARTS, "starts", "N", CLI_OPTIMISE, "search from N starts, spread over the bounds")         \
    X(SHOOTING, "shooting", "N", CLI_OPTIMISE,                                                     \
      "multiple shooting: cut the motion into N intervals, shared by threads")                     \
    X(SEQUENCES, "sequences", "NAME", CLI_OPTIMISE,                                                \
      "of events: keep (stay in that of the start), free, or search (one\n"                        \
      "optimum for each)")                                                                         \
    X(HESSIAN, "hessian", "", CLI_GRADIENT, "the second derivatives too")                          \
    X(AFTER, "after", "PASS", CLI_DUMP, "only one pass: model, kinks, terms, derive, program")     \
    X(CLEAR, "clear", "", CLI_CACHE, "remove all of it")                                           \
    X(REPEAT, "repeat", "N", CLI_RUN | CLI_GRADIENT, "do it N times, and print median times")      \
    X(JSONL, "jsonl", "", CLI_RUN | CLI_GRADIENT,                                                  \
      "with --params -: one set of parameters per line of standard input,\n"                       \
      "one JSON object per line of standard output")                                               \
    X(THREADS, "threads", "N",                                                                     \
      CLI_RUN | CLI_GRADIENT | CLI_CHECK | CLI_REPORT | CLI_OPTIMISE | CLI_SWEEP,                  \
      "work with N threads, instead of one per processor (one with\n"                              \
      "--repeat); the results are the same")                                                       \
    X(SET, "set", "NAME=VALUE", CLI_ALL, "value of a parameter or a setting; may be repeated")     \
    X(PARAMS, "params", "FILE", CLI_ALL,                                                           \
      "values from a JSON file (names and values, or an earlier --json\n"                          \
      "output); - is standard input; --set overrides")                                             \
    X(DATA, "data", "NAME=FILE", CLI_ALL,                                                          \
      "the file that data(\"NAME\") reads, instead of NAME.csv beside the\n"                       \
      "model; may be repeated")                                                                    \
    X(WRT, "wrt", "LIST", CLI_ALL, "by these parameters only: a,b or 'k*'; fixed ones too")        \
    X(COST, "cost", "LIST", CLI_ALL, "these costs only: a,b or 'e*'")                              \
    X(TOL, "tol", "T", CLI_ALL, "relative and absolute error tolerance")                           \
    X(UNTIL, "until", "T", CLI_ALL, "end at time T instead of the model's horizon")                \
    X(FORMULATION, "formulation", "NAME", CLI_ALL, "of constraints: index1 or penalty")            \
    X(BACKEND, "backend", "NAME", CLI_ALL, "auto, interp or native")                               \
    X(SEED, "seed", "N", CLI_ALL, "of math.random in scripts and of random directions")            \
    X(JSON, "json", "", CLI_ANY, "one JSON object on standard output instead of tables")           \
    X(QUIET, "quiet", "", CLI_ANY, "nothing but errors, and what -o or --json asks for")           \
    X(VERBOSE, "verbose", "", CLI_ALL, "more: steps, times, all events")                           \
    X(NO_COLOR, "no-color", "", CLI_ANY, "no colours (nor with NO_COLOR in the environment)")      \
    X(HELP, "help", "", CLI_ANY, "this text")                                                      \
    X(VERSION, "version", "", CLI_ANY, "the program's version")

typedef enum cli_option_id {
#define CLI_ROW(id, name, argument, commands, help) CLI_OPTION_##id,
    CLI_OPTION_LIST(CLI_ROW)
#undef CLI_ROW
        CLI_OPTION_SOLVER,                     /* number of the first solver option */
    CLI_SOLVER_BEFORE = CLI_OPTION_SOLVER - 1, /* the next enumerator is CLI_OPTION_SOLVER */
#define CLI_ROW(name, kind, help) CLI_SOLVER_##name,
    SALTUS_OPTION_LIST(CLI_ROW)
#undef CLI_ROW
        CLI_OPTION_COUNT
} cli_option_id;

typedef struct cli_option {
    const char *name;     /* as the library spells it: max_step; shown as max-step */
    const char *argument; /* "": none */
    unsigned    commands;
    const char *help;
    char        kind; /* of a solver option: R, I, S, N; else 0 */
} cli_option;

extern const cli_option cli_options[CLI_OPTION_COUNT];

/* ---- the command line ----------------------------------------------------------------------- */

typedef struct cli_given {
    cli_option_id option;
    const char   *value; /* "" for a flag */
} cli_given;

enum { CLI_METHODS = 5 }; /* that a user can name */

typedef struct cli_arguments {
    const cli_command *command; /* NULL: none */
    const char        *model;   /* NULL: none; of `help`: the command it is about */
    const char       **models;  /* all that were given; model is the first of them */
    int                model_count, model_capacity;
    FILE              *out, *err; /* where results and messages go */
    cli_given         *given;     /* in order */
    int                count, capacity;
    int json, jsonl, quiet, verbose, plain, help, version, jumps, event_times, force, one_sided;
    int trust, hessian;
    int profile, gradients, resume, editor;
    int topic;                     /* 1: `saltus help` */
    const char       *output;      /* NULL: none */
    char             *made_output; /* of report without -o, owned */
    const char       *after, *formulation, *backend;
    double            every; /* 0: 501 rows */
    double            until; /* NaN: the model's */
    double            level; /* 0: the library's */
    saltus_data_file *data;  /* names and files of --data; names are owned */
    int               data_count, data_capacity;
    long long         repeat;
    int               timing; /* 1: --repeat was given */
    int               threads;
    int               starts;    /* 0: not said */
    int               shooting;  /* 0: not said */
    const char       *sequences; /* NULL: not said */
    long long         seed;
    saltus_method     method[CLI_METHODS];
    int               method_count;
} cli_arguments;

/* Reads the command line. All values are checked as far as they can be without a model. On
 * failure the flags (json, ...) are still those given. */
int  cli_arguments_read(cli_arguments *arguments, int argc, char *const *argv, saltus_error *err);
void cli_arguments_free(cli_arguments *arguments);

/* The last value given for an option, or NULL. */
const char *cli_argument(const cli_arguments *arguments, cli_option_id option);
/* The option's name as people write it: max-step. Returns buffer. */
const char *cli_option_spelling(cli_option_id option, char *buffer, size_t size);

/* Adds what the command line says to the options a model asks for. */
int cli_arguments_solver(const cli_arguments *arguments, saltus_options *options,
                         saltus_error *err);
/* All of --params and --set, in that order. */
int cli_arguments_values(const cli_arguments *arguments, cli_values *values, saltus_error *err);

/* ---- choosing among names: --wrt a,b --cost 'e*' -------------------------------------------- */

/* Indices, ascending: what is asked for is shown in the script's order. */
typedef struct cli_choice {
    int *index;
    int  count;
} cli_choice;

/* Adds to chosen[i] the names that a list "a,b*" mentions; `what` ("parameter") and `option`
 * ("--wrt") are for messages. A name that is not there is an error that offers the nearest. */
int cli_choose(const char *list, const char *const *names, int count, char *chosen,
               const char *what, const char *option, saltus_error *err);

/* The indices marked in chosen. */
cli_choice cli_choice_of(const char *chosen, int count);

/* ---- help ----------------------------------------------------------------------------------- */

void cli_help_print(FILE *stream);
void cli_help_command_print(FILE *stream, const cli_command *command);

#endif
