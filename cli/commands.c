/* The tables of commands and options that the parser, the help and the completion use. */
#include <stddef.h>
#include <stdio.h>

#include "options.h"

const cli_command cli_commands[] = {
    {"run", "MODEL", "simulate: summary, events, final state",
     "Simulates the model and prints its costs, its final state and its events. With -o the\n"
     "motion is written too: time, mode, coordinates x, velocities dot(x), accelerations\n"
     "ddot(x), memories, the integrals of the costs so far and the outputs; two rows at an\n"
     "event, before and after its jump.",
     "  saltus run ball.lua --set e=0.7 -o ball.csv\n"
     "  saltus run ball.lua --jumps --until 1.5\n",
     cli_command_run},
    {"gradient", "MODEL", "the derivatives of the costs by the parameters",
     "Simulates the model and prints the derivatives of its costs by its parameters, with\n"
     "--event-times those of the times of its events too. The methods:\n"
     "  auto      the default: direct or discrete, whichever takes less work, and adjoint\n"
     "            where the steps are too long for discrete\n"
     "  adjoint   backward in time through the equations of motion\n"
     "  discrete  backward through the computed steps: exact for them\n"
     "  direct    forward, the tangent linear model\n"
     "  fd        central differences of complete runs\n"
     "With -o, writes sensitivities over time. For direct: the columns d(x)/d(p), the derivative\n"
     "of the state x by the parameter p. For adjoint and discrete: d(cost)/d(x), the derivative\n"
     "of the cost by x at that time, d(cost)/d(p), by p from that time on, and y(cost; x) and\n"
     "y(cost; multiplier(c)), the multipliers of the equations of motion and of constraints.",
     "  saltus gradient ball.lua --wrt 'e,h*'\n"
     "  saltus gradient ball.lua --method adjoint,direct,fd --json\n"
     "  saltus gradient ball.lua --event-times\n"
     "  saltus gradient corner.lua --one-sided\n"
     "  saltus gradient ball.lua --method direct -o sensitivities.csv\n"
     "  saltus gradient ball.lua --jsonl --params - < sets.txt\n",
     cli_command_gradient},
    {"check", "MODEL", "check events, motion and gradients; how many digits to trust",
     "Computes the gradients by all methods and compares them, checks that tangent and adjoint\n"
     "are dual to each other along the motion, that the costs follow their gradient in a random\n"
     "direction (the remainder falls with the square of the distance), and reports the energy.\n"
     "Exit status 4 if a check fails.",
     "  saltus check ball.lua\n"
     "  saltus check ball.lua --seed 7 --tol 1e-10\n",
     cli_command_check},
    {"show", "MODEL", "what the model consists of, without running it",
     "Prints the model's parameters, settings, coordinates, memories, modes, events, costs and\n"
     "outputs.",
     "  saltus show ball.lua\n"
     "  saltus show ball.lua --json\n",
     cli_command_show},
    {"dump", "MODEL", "what the compiler sees, after each pass",
     "Prints the model as the compiler sees it after each of its passes, in the modes it starts\n"
     "in: model, kinks, terms, derive, program.",
     "  saltus dump ball.lua --after derive\n", cli_command_dump},
    {"compile", "MODEL", "generated C, usable without the library",
     "Writes the kernels of the mode in which the model starts as C into the folder given with "
     "-o:\n"
     "kernels.h (what there is and where the numbers are), kernels.c, an example main.c that "
     "prints\n"
     "the accelerations at the start, and a Makefile. main.c and Makefile are written only if "
     "they\n"
     "are not there.",
     "  saltus compile ball.lua -o ball && make -C ball && ball/main\n", cli_command_compile},
    {"report", "MODEL", "one self-contained HTML file: plots, animation, tables",
     "Simulates the model, computes and checks its gradients, and writes one HTML file that needs\n"
     "nothing else: the mechanism in motion, the gradients and which parameters matter, plots "
     "over\n"
     "time, the events with their jump matrices, what-if sliders, the checks, the script and all\n"
     "numbers. Without -o the file is named after the model. A run that could not go on is shown\n"
     "up to that point.",
     "  saltus report ball.lua\n"
     "  saltus report ball.lua --set e=0.7 -o softer.html\n",
     cli_command_report},
    {"new", "NAME", "write a commented model that runs, to begin with",
     "Writes NAME.lua: a pendulum that hits a stop, with a comment on every word. It runs as it "
     "is;\n"
     "change it into your own. A file that is there already is left alone. With --editor, files\n"
     "come with it that tell editors (LuaLS) and luacheck the words of the language.",
     "  saltus new swing && saltus run swing.lua\n"
     "  saltus new swing --editor\n"
     "  saltus new --editor\n",
     cli_command_new},
    {"models", "[NAME]", "the models we ship; with a name, copy one",
     "Lists the models that are inside the program, with a line on each. With a NAME, writes that\n"
     "model as NAME.lua into this folder, or to the file of -o. A file that is there already is\n"
     "left alone.",
     "  saltus models\n"
     "  saltus models bouncing_ball\n"
     "  saltus models five_bar -o mine.lua\n",
     cli_command_models},
    {"cache", "", "the compiled code that is kept; --clear removes it",
     "Lists the compiled code that is kept on disk for later runs: the model it was first "
     "compiled\n"
     "for, its size and how long ago it was used. The size is limited: the least recently used "
     "code\n"
     "is removed first. With --clear, removes all of it; it is compiled again when it is needed.",
     "  saltus cache\n"
     "  saltus cache --clear\n",
     cli_command_cache},
    {"periodic", "MODEL", "a motion that repeats itself, and how stable it is",
     "Searches for start values with which the motion repeats itself: periodic{[x0] = x, ...} in\n"
     "the script says which parameters have which value again at the end. Prints the fixed point,\n"
     "the period, the multipliers by which small deviations grow from one period to the next,\n"
     "and the derivatives of all of them, and of the costs, by the other parameters. The search\n"
     "begins with the values of the script, of --params and --set. Exit status 3 if there is no\n"
     "such motion; the best point is printed then. With --along the motion is followed while a\n"
     "parameter changes, around folds; folds, flips, Neimark-Sacker points, branches, grazing\n"
     "and other changes of the sequence of events are located and named.",
     "  saltus periodic walker.lua\n"
     "  saltus periodic walker.lua --set slope=0.01 -o gait.json\n"
     "  saltus periodic runner.lua --along k=10:11:0.05 -o family.csv\n",
     cli_command_periodic},
    {"equilibrium", "MODEL", "a state of rest, its eigenvalues, and their derivatives",
     "Searches for positions at which the mechanism can rest, in the modes in which it starts,\n"
     "from its start values on. Prints positions, forces of constraints, the eigenvalues of small\n"
     "motions about the rest, whether it is stable, and the derivatives of positions and\n"
     "eigenvalues by the parameters. Exit status 3 if there is no rest; the best point is printed\n"
     "then.",
     "  saltus equilibrium arm.lua\n"
     "  saltus equilibrium arm.lua --set k=20 --wrt k --json\n",
     cli_command_equilibrium},
    {"fit", "MODEL", "parameters that explain measurements, and how well they are known",
     "Searches for the parameters with which the motion comes nearest to the measurements of the\n"
     "script: the smallest sum of squares of (motion - value) / sigma, over expressions at times\n"
     "and times of events together. Prints the estimates with their standard deviations and\n"
     "intervals, their correlations, and combinations of parameters that the data cannot tell\n"
     "apart. The search begins with the values of the script, of --params and --set; points that\n"
     "cannot be simulated are avoided. Exit status 3 if it does not converge; the best point is\n"
     "printed then.",
     "  saltus fit bounce.lua\n"
     "  saltus fit bounce.lua --data drop=second.csv --over e,g --profile\n"
     "  saltus fit bounce.lua -o best.json && saltus run bounce.lua --params best.json\n",
     cli_command_fit},
    {"optimise", "MODEL", "the parameters for which a cost is smallest",
     "Minimises a cost over parameters, within their bounds and subject to limits on other costs:\n"
     "as optimise{...} in the script says, or the options. The search begins with the values of\n"
     "the script, of --params and --set. It watches the sequence of events: with --sequences keep\n"
     "(the default) it stays in that of the start, and says if the cost would fall beyond its\n"
     "border; with free it crosses; with search it looks for one optimum in each sequence.\n"
     "Parameters for which there is no motion are no obstacle. -o writes all results, a file for\n"
     "--params. Exit status 3 if no optimum was found; the best point is printed then.",
     "  saltus optimise ball.lua --minimise int_v2 --over h0,v0\n"
     "  saltus optimise ball.lua --minimise energy --over 'u*' --subject 'x_end = 1'\n"
     "  saltus optimise ball.lua --sequences search --starts 50 -o best.json\n",
     cli_command_optimise},
    {"sweep", "MODEL", "costs and gradients at many points, kept in a database",
     "Simulates the model at many points: all combinations of the values that --over gives. "
     "Costs,\n"
     "how the run ended, events, and with --gradients the derivatives are one row for each point,\n"
     "in the SQLite database of -o, whose view `sweep` has all of them. A run that fails is a row\n"
     "with a message. Results are kept as they come: whatever ends the program, --resume "
     "continues\n"
     "where it was. Several processes may work on one database. The rows do not depend on the\n"
     "number of threads. Exit status 3 if no point could be simulated.",
     "  saltus sweep ball.lua --over e=0.5:0.9:41 --over h0=1,2,5 -o ball.db\n"
     "  saltus sweep ball.lua --over e=0.5:0.9:41 --gradients -o ball.db --csv ball.csv\n"
     "  saltus sweep ball.lua --over e=0.5:0.9:41 --gradients -o ball.db --resume\n"
     "  sqlite3 ball.db 'select e, int_v2 from sweep where events > 3'\n",
     cli_command_sweep},
};
const int cli_command_count = (int)(sizeof cli_commands / sizeof *cli_commands);

/* What the argument of a solver's option is called in the help. */
#define ARGUMENT_R "X"
#define ARGUMENT_I "N"
#define ARGUMENT_S "BYTES"
#define ARGUMENT_N "NAME"

const cli_option cli_options[CLI_OPTION_COUNT] = {
#define ROW(id, name, argument, commands, help) {name, argument, commands, help, 0},
    CLI_OPTION_LIST(ROW)
#undef ROW
#define ROW(name, kind, help) {#name, ARGUMENT_##kind, CLI_ALL, help, #kind[0]},
        SALTUS_OPTION_LIST(ROW)
#undef ROW
};
