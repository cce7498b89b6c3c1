/* What one evaluation of each kernel costs, interpreted and as compiled code.
 *
 *     bench_kernels [MODEL.lua]     the five-bar if none is given
 *
 * Medians of CPU time on one core; rounds of both back ends alternate, so that what else the
 * machine does falls on both. The kernels are those of the starting modes, at the start state.
 * "Chained" calls wait for each other, as the stages of a step do: what a call puts out moves, by
 * less than rounding, what the next one reads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "compile/solved.h"
#include "run/run.h"
#include "saltus/saltus.h"

enum { ROUNDS = 61, LANES = 16 };

typedef struct side {
    saltus_system *system;
    saltus_run    *run;
    double        *lane, *out; /* LANES times what any kernel reads or writes */
} side;

static side prepare(const char *path, saltus_backend backend)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(path, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    stop_on("bench_kernels", &err);
    saltus_options options = saltus_system_options(system);
    options.backend = backend;
    options.t_end = system->model->start + 1e-6;
    saltus_run *run = saltus_run_new(system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    stop_on("bench_kernels", &err);
    saltus_model_free(model);
    const size_t size =
        (size_t)(system->layout.values + system->matrix_size + system->unknowns) * LANES;
    side s = {system, run, calloc(size, sizeof(double)), calloc(size, sizeof(double))};
    for (size_t i = 0; s.lane && i < size; i++) s.lane[i] = sin((double)i);
    return s;
}

static void release(side *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    free(s->lane);
    free(s->out);
}

/* Velocities, or lane-wise inputs, are moved by what was put out. */
static void feed(double *input, const double *out, int count)
{
    for (int i = 0; i < count; i++) input[i] += 1e-20 * out[i];
}

/* Seconds of one evaluation. Each call's outputs go to the same place, so calls are independent
 * unless they are chained. */
static double time_of(const side *s, const sal_kernel *kernel, int lanes, int calls, bool chained)
{
    sal_field   *field = &s->run->motion.field;
    double      *v = sal_u(field, SAL_LEAF_V);
    const int    n = s->system->n;
    const double start = seconds_cpu();
    for (int i = 0; i < calls; i++) {
        sal_kernel_eval(kernel, field->u, s->lane, lanes, s->out, field->work);
        if (chained) feed(v, s->out, n);
        if (chained) feed(s->lane, s->out, n * lanes);
    }
    return (seconds_cpu() - start) / calls;
}

static void measure(const char *name, const side *a, const sal_kernel *interpreted, const side *b,
                    const sal_kernel *compiled, int lanes)
{
    double times[3][ROUNDS];
    if (interpreted->parts == 0) return;
    const double once = time_of(a, interpreted, lanes, 10, false);
    const int    calls = once > 2e-4 ? 1 : (int)(2e-4 / once) + 1;
    for (int r = 0; r < ROUNDS; r++) {
        times[0][r] = time_of(a, interpreted, lanes, calls, false);
        times[1][r] = time_of(b, compiled, lanes, 4 * calls, false);
        times[2][r] = time_of(b, compiled, lanes, 4 * calls, true);
    }
    const double x = median(times[0], ROUNDS), y = median(times[1], ROUNDS);
    const double z = median(times[2], ROUNDS);
    printf("  %-22s %5d %11lld %11.1f %11.1f %11.1f %8.2f\n", name, lanes,
           interpreted->instructions, 1e9 * x, 1e9 * y, 1e9 * z, x / y);
}

int main(int count, char **word)
{
    const char *path = count > 1 ? word[1] : SALTUS_SOURCE_DIR "/models/five_bar.lua";
    side        a = prepare(path, SALTUS_INTERP), b = prepare(path, SALTUS_NATIVE);
    if (!a.lane || !a.out || !b.lane || !b.out) return 1;
    const saltus_backend_info info = saltus_system_backend(b.system);
    printf("%s: %s, compiling took %.3f s%s%s\n", path,
           info.backend == SALTUS_NATIVE ? "native" : "not compiled", info.seconds,
           *info.note ? "; " : "", info.note);
    printf("  %-22s %5s %11s %11s %11s %11s %8s\n", "kernel", "lanes", "operations", "interp ns",
           "native ns", "chained ns", "ratio");
    const sal_regime *p = a.run->motion.field.regime, *q = b.run->motion.field.regime;
    measure("matrix and forces", &a, &p->rhs, &b, &q->rhs, 1);
    const sal_solved *v = a.run->motion.field.solved, *w = b.run->motion.field.solved;
    if (v && w) {
        measure("accelerations", &a, &v->complete, &b, &w->complete, 1);
        for (int lanes = 1; lanes <= LANES; lanes *= 2) {
            measure("their tangent", &a, &v->stage_tangent, &b, &w->stage_tangent, lanes);
            measure("their adjoint", &a, &v->stage_adjoint, &b, &w->stage_adjoint, lanes);
        }
    }
    for (int lanes = 1; lanes <= LANES && (!v || !w); lanes *= 2) {
        measure("tangent product", &a, &p->tangent, &b, &q->tangent, lanes);
        measure("adjoint product", &a, &p->adjoint, &b, &q->adjoint, lanes);
    }
    measure("integrands", &a, &a.system->integrand.value, &b, &b.system->integrand.value, 1);
    measure("integrands, adjoint", &a, &a.system->integrand.adjoint, &b,
            &b.system->integrand.adjoint, 1);
    for (int i = 0; i < a.system->events && i < 1; i++)
        measure("first guard", &a, &a.system->event[i].guard.value, &b,
                &b.system->event[i].guard.value, 1);
    release(&a);
    release(&b);
    return 0;
}
