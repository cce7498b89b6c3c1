/* How the cost of a chain grows with its links: time of one acceleration evaluation, of one adjoint
 * product and of compiling, and memory; and from which size on sparse matrices pay.
 *
 *     bench_chain          the table of growth, with exponents from one size to the next
 *     bench_chain sparse   dense against sparse, for small chains
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
#include <time.h>
#include <unistd.h>

#include "run/run.h"
#include "saltus/saltus.h"
#include "system/compile.h"

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

typedef struct figures {
    double compile, acceleration, adjoint; /* seconds */
    double bytes;
    int    unknowns;
} figures;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void stop_on(const saltus_error *err)
{
    if (!err->status) return;
    fprintf(stderr, "bench_chain: %s\n", err->message);
    exit(1);
}

static void evaluate(saltus_run *run) /* the field at the start */
{
    if (sal_flow_eval(&run->flow, run->t0, run->cursor.x, run->slope, NULL) != SAL_FIELD_OK) {
        fprintf(stderr, "bench_chain: the field cannot be evaluated\n");
        exit(1);
    }
}

static void pull_back(saltus_run *run, double *a_bar, double *u_bar)
{
    for (int i = 0; i < run->system->n; i++) a_bar[i] = 1.0;
    sal_field_adjoint(&run->flow.field, a_bar, NULL, 1, u_bar);
}

/* The median time of one call, of as many as take a few milliseconds. */
static double time_of(saltus_run *run, double *a_bar, double *u_bar)
{
    double times[ROUNDS];
    int    calls = 1;
    for (int r = -1; r < ROUNDS; r++) {
        const double start = seconds();
        for (int i = 0; i < calls; i++) {
            if (a_bar) pull_back(run, a_bar, u_bar);
            else evaluate(run);
        }
        const double taken = (seconds() - start) / calls;
        if (r < 0) calls = taken > 2e-3 ? 1 : (int)(2e-3 / (taken + 1e-9)) + 1;
        else times[r] = taken;
    }
    qsort(times, ROUNDS, sizeof *times, compare);
    return times[ROUNDS / 2];
}

static figures measure(int links, int sparse_from)
{
    saltus_error                err = {0};
    saltus_override             set = {"links", links, NULL};
    const saltus_script_options options = {.overrides = &set, .override_count = 1};
    figures                     f = {0.0, 0.0, 0.0, 0.0, 0};
    struct rusage               usage;
    const double                start = seconds();
    saltus_model               *model =
        saltus_model_load_text("chain.lua", script, strlen(script), &options, &err);
    stop_on(&err);
    saltus_system *system = sal_system_new(model, &(sal_limits){SAL_FLAT_TERMS, sparse_from}, &err);
    stop_on(&err);
    saltus_options run_options = saltus_system_options(system);
    run_options.t_end = 1e-9;
    saltus_run *run = saltus_run_new(system, &run_options, &err);
    saltus_run_simulate(run, NULL, &err);
    stop_on(&err);
    f.compile = seconds() - start;
    f.unknowns = system->nx;
    f.acceleration = time_of(run, NULL, NULL);
    double *a_bar = calloc((size_t)system->n, sizeof *a_bar);
    double *u_bar = calloc((size_t)system->layout.size, sizeof *u_bar);
    if (!a_bar || !u_bar) exit(1);
    f.adjoint = time_of(run, a_bar, u_bar);
    getrusage(RUSAGE_SELF, &usage);
    f.bytes = 1024.0 * (double)usage.ru_maxrss;
    free(a_bar);
    free(u_bar);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
    return f;
}

/* In a process of its own. */
static figures measure_apart(int links, int sparse_from)
{
    figures f = {0.0, 0.0, 0.0, 0.0, 0};
    int     ends[2], status;
    if (pipe(ends)) exit(1);
    const pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        f = measure(links, sparse_from);
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

static void growth(void)
{
    static const int sizes[] = {10, 100, 1000, 10000};
    figures          before = {0.0, 0.0, 0.0, 0.0, 0};
    const double     empty = measure_apart(1, SAL_SPARSE_FROM).bytes;
    printf("| links | unknowns | acceleration | exponent | adjoint product | exponent | memory | "
           "exponent | script to start |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 4; i++) {
        figures f = measure_apart(sizes[i], SAL_SPARSE_FROM);
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

static void crossover(void)
{
    printf("| links | unknowns | dense | sparse | sparse / dense | adjoint product, dense | sparse "
           "| ratio |\n|---|---|---|---|---|---|---|---|\n");
    for (int links = 4; links <= 40; links += links < 20 ? 2 : 5) {
        const figures dense = measure_apart(links, 1000000), sparse = measure_apart(links, 0);
        printf("| %d | %d | %.3g us | %.3g us | %.2f | %.3g us | %.3g us | %.2f |\n", links,
               dense.unknowns, 1e6 * dense.acceleration, 1e6 * sparse.acceleration,
               sparse.acceleration / dense.acceleration, 1e6 * dense.adjoint, 1e6 * sparse.adjoint,
               sparse.adjoint / dense.adjoint);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "sparse") == 0) crossover();
    else if (argc == 1) growth();
    else {
        fprintf(stderr, "usage: bench_chain [sparse]\n");
        return 1;
    }
    return 0;
}
