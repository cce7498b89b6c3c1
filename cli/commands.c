/* The tables of commands and options that the parser, the help and the completion use. */
#include <stddef.h>
#include <stdio.h>

#include "options.h"

static const char motions[] = "Motions and their gradients", models[] = "Models",
                  searches[] = "Answers from many motions", inside[] = "The program";

const char *const cli_command_groups[CLI_COMMAND_GROUPS] = {motions, searches, models, inside};

const cli_command cli_commands[] = {
    {"run", motions, "MODEL", "simulate: summary, events, final state",
     "Simulates the model and prints its costs, its final state and its events. With -o the motion "
     "is written too: time, mode, coordinates x, velocities dot(x), accelerations ddot(x), "
     "memories, the integrals of the costs so far and the outputs; two rows at an event, before "
     "and after its jump.",
     "saltus run ball.lua --set e=0.7 -o ball.csv\n"
     "saltus run ball.lua --jumps --until 1.5\n",
     cli_command_run},
    {"gradient", motions, "MODEL", "the derivatives of the costs by the parameters",
     "Simulates the model and prints the derivatives of its costs by its parameters, with "
     "--event-times those of the times of its events too. The methods:\n"
     "  auto      direct or discrete, whichever takes less work, and adjoint where the steps are "
     "too long for discrete\n"
     "  adjoint   backward in time through the equations of motion\n"
     "  discrete  backward through the computed steps: exact for them\n"
     "  direct    forward in time, along with the motion\n"
     "  fd        central differences of complete runs\n"
     "With -o, writes sensitivities over time. For direct: the columns d(x)/d(p), the derivative "
     "of the state x by the parameter p. For adjoint and discrete: d(cost)/d(x), the derivative of "
     "the cost by x at that time, d(cost)/d(p), by p from that time on, and y(cost; x) and y(cost; "
     "multiplier(c)), the multipliers of the equations of motion and of constraints.",
     "saltus gradient ball.lua --wrt 'e,h*'\n"
     "saltus gradient ball.lua --method adjoint,direct,fd --json\n"
     "saltus gradient ball.lua --event-times\n"
     "saltus gradient corner.lua --one-sided\n"
     "saltus gradient ball.lua --method direct -o sensitivities.csv\n"
     "saltus gradient ball.lua --jsonl --params - < sets.txt\n",
     cli_command_gradient},
    {"check", motions, "MODEL", "check events, motion and gradients: what can be trusted",
     "Looks for events that were missed, simulates the motion again with another integrator, and "
     "computes the gradients by all methods and compares them. Checks that tangent and adjoint are "
     "dual to each other along the motion, and that the costs follow their gradient in a random "
     "direction (the remainder falls with the square of the distance). Says how many digits can be "
     "trusted. Exit status 4 if a check fails.",
     "saltus check ball.lua\n"
     "saltus check ball.lua --seed 7 --tol 1e-10\n",
     cli_command_check},
    {"show", models, "MODEL", "what the model consists of, without running it",
     "Prints the model's parameters, settings, coordinates, memories, modes, events, costs and "
     "outputs. Long expressions are cut; --verbose prints all of them, and the options of the "
     "solver.",
     "saltus show ball.lua\n"
     "saltus show ball.lua --json\n",
     cli_command_show},
    {"dump", models, "MODEL", "the model after each pass of the compiler",
     "Prints the model as the compiler sees it after each of its passes, in the modes it starts "
     "in: model, kinks, terms, derive, program.",
     "saltus dump ball.lua --after derive\n", cli_command_dump},
    {"compile", models, "MODEL", "generated C, usable without the library",
     "Writes the kernels of the mode in which the model starts as C into the folder given with -o: "
     "kernels.h (declarations, and the layout of the numbers), kernels.c, an example main.c that "
     "prints the accelerations at the start, and a Makefile. main.c and Makefile are written only "
     "if they are not there.",
     "saltus compile ball.lua -o ball && make -C ball && ball/main\n", cli_command_compile},
    {"report", motions, "MODEL [B]", "one self-contained HTML file: plots, animation, tables",
     "Simulates the model, computes and checks its gradients, and writes one HTML file that needs "
     "nothing else: the mechanism in motion, the gradients and which parameters matter, plots over "
     "time, the events with their jump matrices, what-if sliders, the checks, the script and all "
     "numbers. Without -o the file is named after the model. A run that could not go on is shown "
     "up to that point. With B, a second model or a saved --json result, both motions are shown "
     "together, and what differs side by side.",
     "saltus report ball.lua\n"
     "saltus report ball.lua softer.lua\n"
     "saltus report ball.lua --set e=0.7 -o softer.html\n",
     cli_command_report},
    {"new", models, "NAME", "write a commented model that runs, to begin with",
     "Writes NAME.lua: a pendulum that hits a stop, with a comment on every word. It runs as it "
     "is; change it into your own. An existing file is never overwritten. With --editor, also "
     "writes files with the words of the language for editors (LuaLS) and luacheck.",
     "saltus new swing && saltus run swing.lua\n"
     "saltus new swing --editor\n"
     "saltus new --editor\n",
     cli_command_new},
    {"models", models, "[NAME]", "the models that come with Saltus; with a name, copy one",
     "Lists the models that come with the program, with a line on each. With a NAME, writes that "
     "model as NAME.lua into this folder, or to the file of -o. An existing file is never "
     "overwritten.",
     "saltus models\n"
     "saltus models bouncing_ball\n"
     "saltus models five_bar -o mine.lua\n",
     cli_command_models},
    {"cache", inside, "", "the compiled code that is kept; --clear removes it",
     "Lists the compiled code that is kept on disk for later runs: the model it was first compiled "
     "for, its size and how long ago it was used. The size is limited: the least recently used "
     "code is removed first. With --clear, removes all of it; it is compiled again when it is "
     "needed.",
     "saltus cache\n"
     "saltus cache --clear\n",
     cli_command_cache},
    {"periodic", searches, "MODEL", "a motion that repeats itself, and how stable it is",
     "Searches for start values with which the motion repeats itself: periodic{[x0] = x, ...} in "
     "the script says which parameter must equal which value at the end. Prints the fixed point, "
     "the period, the multipliers by which small deviations grow from one period to the next, and "
     "the derivatives of all of them, and of the costs, by the other parameters. The search begins "
     "with the values of the script, of --params and --set. Exit status 3 if there is no such "
     "motion; the best point is printed then. With --along the motion is followed while a "
     "parameter changes, around folds; folds, flips, Neimark-Sacker points, branches, grazing and "
     "other changes of the sequence of events are located and named.",
     "saltus periodic walker.lua\n"
     "saltus periodic walker.lua --set slope=0.01 -o gait.json\n"
     "saltus periodic runner.lua --along k=10:11:0.05 -o family.csv\n",
     cli_command_periodic},
    {"equilibrium", searches, "MODEL", "a state of rest, its eigenvalues, their derivatives",
     "Searches for positions at which the mechanism can rest, in the modes in which it starts; its "
     "start values are the first guess. Prints positions, forces of constraints, the eigenvalues "
     "of small motions about the rest, whether it is stable, and the derivatives of positions and "
     "eigenvalues by the parameters. Exit status 3 if there is no rest; the best point is printed "
     "then.",
     "saltus equilibrium arm.lua\n"
     "saltus equilibrium arm.lua --set k=20 --wrt k --json\n",
     cli_command_equilibrium},
    {"fit", searches, "MODEL", "parameters that explain measurements, and their errors",
     "Searches for the parameters with which the motion fits the measurements best of the "
     "script: the smallest sum of squares of (motion - value) / sigma, over expressions at times "
     "and times of events together. Prints the estimates with their standard deviations and "
     "intervals, their correlations, and combinations of parameters that the data do not "
     "distinguish. The search begins with the values of the script, of --params and --set; points "
     "that "
     "cannot be simulated are avoided. Exit status 3 if it does not converge; the best point is "
     "printed then.",
     "saltus fit bounce.lua\n"
     "saltus fit bounce.lua --data drop=second.csv --over e,g --profile\n"
     "saltus fit bounce.lua -o best.json && saltus run bounce.lua -p best.json\n",
     cli_command_fit},
    {"optimise", searches, "MODEL", "the parameters for which a cost is smallest",
     "Minimises a cost over parameters, within their bounds and subject to limits on other costs: "
     "as optimise{...} in the script says, or the options. The search begins with the values of "
     "the script, of --params and --set. It watches the sequence of events: with --sequences keep "
     "(the default) it stays in that of the start, and says if the cost would fall beyond its "
     "border; with free it crosses; with search it looks for one optimum in each sequence. "
     "Points that cannot be simulated are avoided. -o writes all results, to be used with "
     "--params. Exit status 3 if no optimum was found; the best point is printed then.",
     "saltus optimise ball.lua --minimise int_v2 --over h0,v0\n"
     "saltus optimise ball.lua --minimise energy --subject 'x_end = 1'\n"
     "saltus optimise ball.lua --sequences search --starts 50 -o best.json\n",
     cli_command_optimise},
    {"sweep", searches, "MODEL", "costs and gradients at many points, in a database",
     "Simulates the model at many points: all combinations of the values that --over gives. Each "
     "point becomes one row with its costs, how the run ended, its events and, with --gradients, "
     "the derivatives; the view `sweep` of the SQLite database of -o has all rows. A run that "
     "fails is a row with a message. Results are kept as they come: whatever ends the program, "
     "--resume continues where it stopped. Several processes may work on one database. The rows do "
     "not depend on the number of threads. Exit status 3 if no point could be simulated.",
     "saltus sweep ball.lua --over e=0.5:0.9:41 --over h0=1,2,5 -o ball.db\n"
     "saltus sweep ball.lua --over e=0.5:0.9:41 -o ball.db --csv ball.csv\n"
     "saltus sweep ball.lua --over e=0.5:0.9:41 -o ball.db --resume\n"
     "sqlite3 ball.db 'select e, int_v2 from sweep where events > 3'\n",
     cli_command_sweep},
    {"help", inside, "[TOPIC]", "what a command does, its options, examples",
     "Explains a command, or a word of the model language. 'saltus help language' lists all words. "
     "Without a TOPIC, lists the commands.",
     "saltus help gradient\n"
     "saltus help language\n"
     "saltus help contact\n",
     cli_command_help},
    {"diff", motions, "A B", "two models or saved results, and what differs",
     "Compares two results: what saltus gradient computes of a model, or a file that --json has "
     "printed. Prints the costs of both, and the parameters, derivatives and events that differ. "
     "The n-th event of a name is compared with the n-th of the other. Options are those of "
     "gradient, for both models.",
     "saltus diff ball.lua softer.lua\n"
     "saltus gradient ball.lua --json > was.json && saltus diff was.json ball.lua\n"
     "saltus diff ball.lua softer.lua --json\n",
     cli_command_diff},
};
const int cli_command_count = (int)(sizeof cli_commands / sizeof *cli_commands);

/* ---- options -------------------------------------------------------------------------------- */

/* Names of arguments of solver options in the help, by kind. */
#define ARGUMENT_R "X"
#define ARGUMENT_I "N"
#define ARGUMENT_S "BYTES"
#define ARGUMENT_N "NAME"

const cli_option cli_options[CLI_OPTION_COUNT] = {
#define OPTION(id, letter, name, argument, values, fallback, commands, help)                       \
    {letter, name, argument, values, fallback, commands, help, 0},
#define VARIANT(id, commands, argument, values, fallback, help)
#include "options.def"
#undef OPTION
#undef VARIANT
#define ROW(name, kind, help) {0, #name, ARGUMENT_##kind, "", "", CLI_SIMULATE, help, #kind[0]},
    SALTUS_OPTION_LIST(ROW)
#undef ROW
};

static const struct {
    cli_option_id option;
    unsigned      commands;
    const char   *argument, *values, *fallback, *help;
} variants[] = {
#define OPTION(id, letter, name, argument, values, fallback, commands, help)
#define VARIANT(id, commands, argument, values, fallback, help)                                    \
    {CLI_OPTION_##id, commands, argument, values, fallback, help},
#include "options.def"
#undef OPTION
#undef VARIANT
};

static unsigned bit_of(const cli_command *command) { return 1u << (command - cli_commands); }

int cli_is(const cli_arguments *a, unsigned commands)
{
    return (bit_of(a->command) & commands) != 0;
}

cli_option cli_option_of(cli_option_id id, const cli_command *command)
{
    cli_option option = cli_options[id];
    for (size_t i = 0; command && i < sizeof variants / sizeof *variants; i++) {
        if (variants[i].option != id || !(variants[i].commands & bit_of(command))) continue;
        option.argument = variants[i].argument;
        option.values = variants[i].values;
        option.fallback = variants[i].fallback;
        option.help = variants[i].help;
    }
    if (id == CLI_SOLVER_integrator) option.values = "dop853 dopri5";
    if (id == CLI_SOLVER_impacts) option.values = "together one-by-one";
    return option;
}

int cli_option_is_taken(cli_option_id id, const cli_command *command)
{
    const unsigned shown = cli_options[id].commands;
    return ((shown == CLI_SIMULATE ? CLI_ALL : shown) & bit_of(command)) != 0;
}

int cli_option_is_shown(cli_option_id id, const cli_command *command)
{
    return *cli_options[id].help && (cli_options[id].commands & bit_of(command)) != 0;
}

/* Writes a number of bytes in readable units. */
static void write_size(double bytes, char *buffer, size_t size)
{
    const double mega = 1024.0 * 1024.0;
    if (bytes >= mega) snprintf(buffer, size, "%.0fM", bytes / mega);
    else snprintf(buffer, size, "%.0f", bytes);
}

const char *cli_option_default(cli_option_id id, const cli_command *command, char *buffer,
                               size_t size)
{
    const saltus_options options = saltus_options_default();
    char                 text[64] = "";
    if (id < CLI_OPTION_SOLVER) {
        snprintf(buffer, size, "%s", cli_option_of(id, command).fallback);
    } else if (cli_options[id].kind == 'S') {
        write_size((double)options.record_memory, buffer, size);
    } else {
        const char *value = saltus_options_get(&options, cli_options[id].name, text);
        double      number = 0.0;
        if (cli_parse_real(value, &number)) snprintf(buffer, size, "%.10g", number);
        else snprintf(buffer, size, "%s", value);
    }
    return buffer;
}
