/* What scripts/count-instructions counts: under callgrind, each call of counted() is one case.
 * Kernels and runs are interpreted, so that the code is that of the library and not of this
 * machine; of compiled kernels the operations of their programs are told. All cases are prepared,
 * and done once, before they are counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compile/solved.h"
#include "run/run.h"
#include "saltus/saltus.h"

typedef struct counted_case {
    const contestant *run; /* at the tolerance, or */
    const sal_kernel *kernel;
    saltus_run       *of; /* of the kernel */
    double            tol;
} counted_case;

void counted(const counted_case *c);

static double lane[4096], out[4096];

__attribute__((noinline)) void counted(const counted_case *c)
{
    answer a;
    if (c->run) c->run->run(c->run->self, c->tol, &a);
    else sal_kernel_eval(c->kernel, c->of->motion.field.u, lane, 1, out, c->of->motion.field.work);
}

static void count(const char *name, const counted_case *c)
{
    printf("count %s\n", name);
    counted(c);
}

/* A run of a model: once to prepare, once counted. */
static void count_run(const char *name, const saltus_entry *entry, int method, double tol)
{
    contestants all = {NULL, 0, 0};
    answer      a;
    if (!saltus_contestant(&all, entry, method, false) ||
        !all.list[0].run(all.list[0].self, tol, &a)) {
        fprintf(stderr, "count: '%s' failed\n", name);
        exit(1);
    }
    count(name, &(counted_case){.run = &all.list[0], .tol = tol});
    contestants_release(&all);
}

static void count_kernels(void)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(SALTUS_SOURCE_DIR "/bench/models/five_bar.lua", &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    saltus_options options = saltus_options_default();
    options.backend = SALTUS_INTERP;
    options.t_end = 0.1;
    saltus_run *run = saltus_run_new(system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    if (err.status || !run->motion.field.solved || system->layout.size > 4096) {
        fprintf(stderr, "count: the kernels of the five-bar are not there: %s\n", err.message);
        exit(1);
    }
    const sal_solved *solved = run->motion.field.solved;
    const char *const name[] = {"five-bar-kernel-accelerations", "five-bar-kernel-tangent",
                                "five-bar-kernel-adjoint"};
    const sal_kernel *kernel[] = {&solved->complete, &solved->stage_tangent,
                                  &solved->stage_adjoint};
    for (int i = 0; i < 4096; i++) lane[i] = sin(i);
    for (int i = 0; i < 3; i++) {
        const counted_case c = {.kernel = kernel[i], .of = run};
        counted_case       once = c;
        printf("operations %s %lld\n", name[i], kernel[i]->instructions);
        sal_kernel_eval(once.kernel, run->motion.field.u, lane, 1, out, run->motion.field.work);
        count(name[i], &c);
    }
    saltus_run_free(run);
    saltus_system_free(system);
}

int main(void)
{
    const saltus_entry bar = {
        .path = "bench/models/five_bar.lua", .cost = "cost", .wrt = "L01,L02"};
    const saltus_entry springs = {.path = "bench/models/springs.lua",
                                  .set = {"masses"},
                                  .value = {100},
                                  .cost = "cost",
                                  .wrt = "k*"};
    const saltus_entry few = {.path = "bench/models/links.lua",
                              .set = {"links"},
                              .value = {5},
                              .cost = "cost",
                              .wrt = "L,c"};
    const saltus_entry many = {.path = "bench/models/links.lua",
                               .set = {"links"},
                               .value = {50},
                               .cost = "cost",
                               .wrt = "L,c"};
    const saltus_entry ball = {
        .path = "bench/models/ball.lua", .cost = "cost", .wrt = "g,e,h", .end = 20.0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    count_kernels();
    count_run("five-bar-forward", &bar, FORWARD, 1e-8);
    count_run("five-bar-direct", &bar, SALTUS_DIRECT, 1e-8);
    count_run("five-bar-discrete", &bar, SALTUS_DISCRETE, 1e-8);
    count_run("springs-100-forward", &springs, FORWARD, 1e-6);
    count_run("springs-100-discrete", &springs, SALTUS_DISCRETE, 1e-6);
    count_run("bars-5-forward", &few, FORWARD, 1e-6);
    count_run("bars-5-discrete", &few, SALTUS_DISCRETE, 1e-6);
    count_run("bars-50-forward", &many, FORWARD, 1e-6);
    count_run("bars-50-discrete", &many, SALTUS_DISCRETE, 1e-6);
    count_run("ball-forward", &ball, FORWARD, 1e-6);
    count_run("ball-discrete", &ball, SALTUS_DISCRETE, 1e-6);
    return 0;
}
