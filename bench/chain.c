/* How the cost of a chain grows with its links: time of one acceleration evaluation, of one adjoint
 * product and of compiling, and memory; of whole runs; and from which size on sparse matrices pay.
 *
 *     bench_chain          the table of growth, with exponents from one size to the next
 *     bench_chain interp   the same with the interpreter
 *     bench_chain runs     a forward run and its gradient
 *     bench_chain springs  masses on springs, a parameter each, beside a loop by hand
 *     bench_chain sparse   dense against sparse, for small chains
 *     bench_chain floor    a chain that falls on a rough floor, each joint a contact with friction
 *
 * Times are medians of CPU time on one core; each size has a process of its own, whose largest
 * resident size is the memory. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "compile/compile.h"
#include "run/run.h"
#include "saltus/saltus.h"

enum { ROUNDS = 21 };

/* Bars that hang from a pin; the last joint may hit a floor. */
static const char script[] =
    "local n = setting('links', 10)\n"
    "local L, k = param('L', 2), param('k', 1)\n"
    "gravity(0, -9.81)\n"
    "local last, l = ground_point(0, 0), L / n\n"
    "for i = 1, n do\n"
    "  local P = point('P' .. i, {x = i * l * cos(0.3), y = -i * l * sin(0.3)})\n"
    "  bar {last, P, mass = 1 / n, length = l, name = 'bar ' .. i}\n"
    "  damper {last, P, damping = k}\n"
    "  last = P\n"
    "end\n"
    "event('hit', {when = last.y + 1, direction = 'falling', restitution = 0.5})\n"
    "cost('pull', {integral = multiplier('bar 1')^2, final = last.x})\n"
    "horizon(0, 1)\n";

/* Masses on springs, each stiffness a parameter: no constraints, a diagonal mass matrix. */
static const char springs_script[] =
    "local last\n"
    "for i = 1, setting('links', 10) do\n"
    "  local k = param('k' .. i, 100 + i % 7)\n"
    "  local x = coordinate('x' .. i, {start = 0.1 * math.sin(i)})\n"
    "  mass(x, 1)\n"
    "  potential(0.5 * k * (last and x - last or x)^2)\n"
    "  last = x\n"
    "end\n"
    "cost('end', {integral = last^2})\n"
    "horizon(0, 1)\n";

/* Rods between masses, pinned at one end: every mass may touch a rough floor. */
static const char floor_script[] =
    "local n = setting('links', 10)\n"
    "local L, h, mu = param('L', 2), param('h', 1.4), param('mu', 0.4)\n"
    "gravity(0, -9.81)\n"
    "local O, X = ground_point(-3, 0), ground_point(3, 0)\n"
    "local last, l = ground_point(0, h), L / n\n"
    "for i = 1, n do\n"
    "  local P = point('P' .. i, {x = i * l * cos(0.3), y = h - i * l * sin(0.3)})\n"
    "  mass(P, 1 / n)\n"
    "  rod {last, P, length = l, name = 'link ' .. i}\n"
    "  contact {P, line = {O, X}, friction = mu, name = 'foot ' .. i}\n"
    "  last = P\n"
    "end\n"
    "cost('tip', {final = last.x})\n"
    "horizon(0, 0.8)\n";

typedef struct figures {
    double compile, acceleration, adjoint; /* seconds */
    double forward, gradient;              /* of a run, per step */
    double bytes;
    int    unknowns, steps, events;
} figures;

/* What is measured. */
typedef struct task {
    const char    *script;
    int            links, sparse_from;
    saltus_backend backend;
    double         t_end;
    enum { WITH_GRADIENT, FORWARD } how;
} task;

static void evaluate(saltus_run *run) /* the field at the start */
{
    if (sal_motion_eval(&run->motion, run->t0, run->cursor.x, run->after.x, NULL) != SAL_FIELD_OK) {
        fprintf(stderr, "bench_chain: the field cannot be evaluated\n");
        exit(1);
    }
}

static void pull_back(saltus_run *run, double *a_bar, double *u_bar)
{
    for (int i = 0; i < run->system->n; i++) a_bar[i] = 1.0;
    sal_field_adjoint(&run->motion.field, a_bar, NULL, 1, u_bar);
}

/* The median time of one call, of as many as take a few milliseconds. */
static double time_of(saltus_run *run, double *a_bar, double *u_bar)
{
    double times[ROUNDS];
    int    calls = 1;
    for (int r = -1; r < ROUNDS; r++) {
        const double start = seconds_cpu();
        for (int i = 0; i < calls; i++) {
            if (a_bar) pull_back(run, a_bar, u_bar);
            else evaluate(run);
        }
        const double taken = (seconds_cpu() - start) / calls;
        if (r < 0) calls = taken > 2e-3 ? 1 : (int)(2e-3 / (taken + 1e-9)) + 1;
        else times[r] = taken;
    }
    return median(times, ROUNDS);
}

/* A run as long as the task says, and its gradient by the discrete adjoint. */
static void time_run(saltus_run *run, const task *wanted, figures *f)
{
    saltus_error         err = {0};
    const saltus_request request = {.method = SALTUS_DISCRETE};
    const saltus_system *system = run->system;
    double *gradient = calloc((size_t)system->nc * (size_t)system->np, sizeof *gradient);
    if (!gradient) exit(1);
    for (int round = 0; round < 3; round++) { /* the best of them: steps are many */
        const double start = seconds_cpu();
        saltus_run_simulate(run, NULL, &err);
        const double middle = seconds_cpu();
        if (wanted->how == WITH_GRADIENT)
            saltus_run_gradients(run, &request, gradient, NULL, NULL, &err);
        stop_on("bench_chain", &err);
        const double steps = (double)saltus_run_get_info(run)->steps;
        f->steps = (int)steps;
        f->events = saltus_run_get_info(run)->events;
        if (round == 0 || middle - start < f->forward * steps)
            f->forward = (middle - start) / steps;
        if (round == 0 || seconds_cpu() - start < f->gradient * steps)
            f->gradient = (seconds_cpu() - start) / steps;
    }
    free(gradient);
}

static void time_kernels(saltus_run *run, figures *f)
{
    const saltus_system *system = run->system;
    double              *a_bar = calloc((size_t)system->n, sizeof *a_bar);
    double              *u_bar = calloc((size_t)system->layout.size, sizeof *u_bar);
    if (!a_bar || !u_bar) exit(1);
    f->acceleration = time_of(run, NULL, NULL);
    f->adjoint = time_of(run, a_bar, u_bar);
    free(a_bar);
    free(u_bar);
}

static figures measure(const task *wanted)
{
    saltus_error                err = {0};
    saltus_override             set = {"links", wanted->links, NULL};
    const saltus_script_options options = {.overrides = &set, .override_count = 1};
    figures                     f = {.unknowns = 0};
    struct rusage               usage;
    const double                start = seconds_cpu();
    saltus_model               *model =
        saltus_model_load_text("chain.lua", wanted->script, strlen(wanted->script), &options, &err);
    stop_on("bench_chain", &err);
    saltus_system *system =
        sal_system_new(model, &(sal_limits){SAL_FLAT_TERMS, wanted->sparse_from}, NULL, &err);
    stop_on("bench_chain", &err);
    saltus_model_free(model);
    saltus_options run_options = saltus_system_options(system);
    run_options.t_end = wanted->t_end > 0.0 ? wanted->t_end : 1e-9;
    run_options.backend = wanted->backend;
    saltus_run *run = saltus_run_new(system, &run_options, &err);
    saltus_run_simulate(run, NULL, &err);
    stop_on("bench_chain", &err);
    f.compile = seconds_cpu() - start;
    f.unknowns = system->unknowns;
    if (wanted->t_end > 0.0) time_run(run, wanted, &f);
    else time_kernels(run, &f);
    getrusage(RUSAGE_SELF, &usage);
    f.bytes = 1024.0 * (double)usage.ru_maxrss;
    saltus_run_free(run);
    saltus_system_free(system);
    return f;
}

/* In a process of its own. */
static figures measure_apart(const task *wanted)
{
    figures f = {.unknowns = 0};
    int     ends[2], status;
    if (pipe(ends)) exit(1);
    const pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        f = measure(wanted);
        _exit(write(ends[1], &f, sizeof f) == (ssize_t)sizeof f ? 0 : 1);
    }
    close(ends[1]);
    const bool got = read(ends[0], &f, sizeof f) == (ssize_t)sizeof f;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!got) exit(1);
    return f;
}

static double exponent(double now, double before, int links, int links_before)
{
    return log(now / before) / log((double)links / links_before);
}

/* The size of an empty process, so to say. */
static double empty_bytes(saltus_backend backend)
{
    return measure_apart(&(task){script, 1, SAL_SPARSE_FROM, backend, 0.0, WITH_GRADIENT}).bytes;
}

static void growth(saltus_backend backend)
{
    static const int sizes[] = {10, 100, 1000, 10000};
    figures          before = {.unknowns = 0};
    const double     empty = empty_bytes(backend);
    printf("| links | unknowns | acceleration | exponent | adjoint product | exponent | memory | "
           "exponent | script to start |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 4; i++) {
        figures f =
            measure_apart(&(task){script, sizes[i], SAL_SPARSE_FROM, backend, 0.0, WITH_GRADIENT});
        f.bytes -= empty;
        printf("| %d | %d | %.3g us | ", sizes[i], f.unknowns, 1e6 * f.acceleration);
        const int last = i > 0 ? sizes[i - 1] : 1;
        if (i > 0) printf("%.2f", exponent(f.acceleration, before.acceleration, sizes[i], last));
        printf(" | %.3g us | ", 1e6 * f.adjoint);
        if (i > 0) printf("%.2f", exponent(f.adjoint, before.adjoint, sizes[i], last));
        printf(" | %.3g MB | ", 1e-6 * f.bytes);
        if (i > 1) printf("%.2f", exponent(f.bytes, before.bytes, sizes[i], last));
        printf(" | %.3g s |\n", f.compile);
        fflush(stdout);
        before = f;
    }
}

/* Steps get shorter with the links: times are per step. */
static void runs(void)
{
    static const int sizes[] = {100, 300, 1000, 3000, 10000};
    figures          before = {.unknowns = 0};
    printf(
        "| links | steps | forward run, per step | exponent | with gradient | exponent | ratio | "
        "memory |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 5; i++) {
        const double  t_end = 0.2 / sqrt(sizes[i]);
        const figures f = measure_apart(
            &(task){script, sizes[i], SAL_SPARSE_FROM, SALTUS_NATIVE, t_end, WITH_GRADIENT});
        printf("| %d | %d | %.3g ms | ", sizes[i], f.steps, 1e3 * f.forward);
        const int last = i > 0 ? sizes[i - 1] : 1;
        if (i > 0) printf("%.2f", exponent(f.forward, before.forward, sizes[i], last));
        printf(" | %.3g ms | ", 1e3 * f.gradient);
        if (i > 0) printf("%.2f", exponent(f.gradient, before.gradient, sizes[i], last));
        printf(" | %.2f | %.3g MB |\n", f.gradient / f.forward, 1e-6 * f.bytes);
        fflush(stdout);
        before = f;
    }
}

/* ---- springs -------------------------------------------------------------------------------- */

/* What one would write by hand for the chain of springs: (v, a) of the state. */
static void springs_by_hand(int n, const double *k, const double *m, const double *x, double *slope)
{
    double last = k[0] * x[0];
    memcpy(slope, x + n, (size_t)n * sizeof *x);
    for (int i = 0; i + 1 < n; i++) {
        const double force = k[i + 1] * (x[i + 1] - x[i]);
        slope[n + i] = (force - last) / m[i];
        last = force;
    }
    slope[2 * n - 1] = -last / m[n - 1];
}

static double hand_time(int n)
{
    double *k = calloc(6 * (size_t)n, sizeof *k), *m = k + n, *x = m + n, *slope = x + 2 * n;
    double  times[ROUNDS];
    if (!k) exit(1);
    for (int i = 0; i < n; i++) k[i] = m[i] = x[i] = 1.0 + i % 7;
    for (int r = 0; r < ROUNDS; r++) {
        const double start = seconds_cpu();
        for (int i = 0; i < 200; i++) {
            springs_by_hand(n, k, m, x, slope);
            x[n] += 1e-9 * slope[n];
        }
        times[r] = (seconds_cpu() - start) / 200;
    }
    free(k);
    return median(times, ROUNDS);
}

static void springs(void)
{
    printf("| masses | acceleration | by hand | ratio | adjoint product | forward run, per step | "
           "with gradient | ratio | script to start |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int n = 10; n <= 10000; n *= 10) {
        const task kernels = {springs_script, n,   SAL_SPARSE_FROM,
                              SALTUS_NATIVE,  0.0, WITH_GRADIENT};
        const task whole = {springs_script, n, SAL_SPARSE_FROM, SALTUS_NATIVE, 1.0, WITH_GRADIENT};
        const figures f = measure_apart(&kernels), run = measure_apart(&whole);
        const double  hand = hand_time(n);
        printf("| %d | %.3g us | %.3g us | %.2f | %.3g us | %.3g us | %.3g us | %.2f | %.3g s |\n",
               n, 1e6 * f.acceleration, 1e6 * hand, f.acceleration / hand, 1e6 * f.adjoint,
               1e6 * run.forward, 1e6 * run.gradient, run.gradient / run.forward, f.compile);
        fflush(stdout);
    }
}

static void crossover(void)
{
    printf("| links | unknowns | dense | sparse | sparse / dense | adjoint product, dense | sparse "
           "| ratio |\n|---|---|---|---|---|---|---|---|\n");
    for (int links = 4; links <= 40; links += links < 20 ? 2 : 5) {
        const figures dense =
            measure_apart(&(task){script, links, 1000000, SALTUS_INTERP, 0.0, WITH_GRADIENT});
        const figures sparse =
            measure_apart(&(task){script, links, 0, SALTUS_INTERP, 0.0, WITH_GRADIENT});
        printf("| %d | %d | %.3g us | %.3g us | %.2f | %.3g us | %.3g us | %.2f |\n", links,
               dense.unknowns, 1e6 * dense.acceleration, 1e6 * sparse.acceleration,
               sparse.acceleration / dense.acceleration, 1e6 * dense.adjoint, 1e6 * sparse.adjoint,
               sparse.adjoint / dense.adjoint);
        fflush(stdout);
    }
}

/* ---- on a rough floor ----------------------------------------------------------------------- */

/* Until the first touch, and with all that happens on the floor. */
static void on_floor(void)
{
    static const int sizes[] = {20, 50, 100, 200};
    figures          before = {.unknowns = 0};
    printf("| links | steps in the air | per step | exponent | steps in all | events | run |\n"
           "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 4; i++) {
        task wanted = {floor_script, sizes[i], SAL_SPARSE_FROM, SALTUS_NATIVE, 0.3, FORWARD};
        const figures air = measure_apart(&wanted);
        wanted.t_end = 0.8; /* with many modes, each for a short time */
        wanted.backend = SALTUS_INTERP;
        const figures all = measure_apart(&wanted);
        printf("| %d | %d | %.3g us | ", sizes[i], air.steps, 1e6 * air.forward);
        if (i > 0) printf("%.2f", exponent(air.forward, before.forward, sizes[i], sizes[i - 1]));
        printf(" | %d | %d | %.3g s |\n", all.steps, all.events, all.forward * all.steps);
        fflush(stdout);
        before = air;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "native";
    if (argc > 2) what = "";
    if (strcmp(what, "native") == 0) growth(SALTUS_NATIVE);
    else if (strcmp(what, "interp") == 0) growth(SALTUS_INTERP);
    else if (strcmp(what, "runs") == 0) runs();
    else if (strcmp(what, "springs") == 0) springs();
    else if (strcmp(what, "sparse") == 0) crossover();
    else if (strcmp(what, "floor") == 0) on_floor();
    else {
        fprintf(stderr, "usage: bench_chain [native|interp|runs|springs|sparse|floor]\n");
        return 1;
    }
    return 0;
}
