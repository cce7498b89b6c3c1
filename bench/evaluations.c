/* One evaluation of the five-bar: accelerations, tangent product, adjoint product. Calls are
 * chained: a number of each result goes into the next argument, as it does from stage to stage. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compile/solved.h"
#include "hand.h"
#include "run/run.h"
#include "saltus/saltus.h"

enum { CALLS = 200 };

/* ---- ours ------------------------------------------------------------------------------------ */

typedef struct side {
    saltus_system    *system;
    saltus_run       *run;
    const sal_kernel *kernel;
    double           *lane, *out;
    int               place; /* of the number that goes into the next argument, */
    double           *entry; /* and where it goes */
} side;

static bool side_open(side *s, saltus_backend backend)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load(SALTUS_SOURCE_DIR "/bench/models/five_bar.lua", &err);
    memset(s, 0, sizeof *s);
    s->system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) return false;
    saltus_options options = saltus_system_options(s->system);
    options.backend = backend;
    options.t_end = 0.1; /* in motion, before the first impact */
    s->run = saltus_run_new(s->system, &options, &err);
    saltus_run_simulate(s->run, NULL, &err);
    const size_t size =
        (size_t)(s->system->layout.size + s->system->matrix_size + s->system->unknowns + 64);
    s->lane = calloc(size, sizeof(double));
    s->out = calloc(size, sizeof(double));
    if (err.status || !s->lane || !s->out || !s->run->motion.field.solved) return false;
    for (size_t i = 0; i < size; i++) s->lane[i] = sin((double)i);
    return backend == SALTUS_INTERP || saltus_system_backend(s->system).backend == SALTUS_NATIVE;
}

static void side_close(side *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    free(s->lane);
    free(s->out);
}

/* kind: accelerations, tangent, adjoint. */
static void aim(side *s, const sal_kernel *kernel, int kind)
{
    const int q = s->system->layout.at[SAL_LEAF_Q];
    s->kernel = kernel;
    s->place = kind == 2 ? q : 0;
    s->entry = kind == 0 ? &s->run->motion.field.u[q] : kind == 1 ? &s->lane[q] : &s->lane[0];
}

static void call_ours(void *context)
{
    side        *s = context;
    sal_field   *field = &s->run->motion.field;
    const double before = *s->entry;
    for (int i = 0; i < CALLS; i++) {
        sal_kernel_eval(s->kernel, field->u, s->lane, 1, s->out, field->work);
        *s->entry = before + 1e-30 * s->out[s->place];
    }
    *s->entry = before;
}

/* ---- the specialised ones -------------------------------------------------------------------- */

typedef struct chain {
    double      x[HAND_STATES], dx[HAND_STATES], f[HAND_STATES], p[HAND_PARAMS];
    hand_record record;
} chain;

static void call_field(void *context)
{
    chain       *c = context;
    const double before = c->x[0];
    for (int i = 0; i < CALLS; i++) {
        hand_field(c->x, c->p, c->f);
        c->x[0] = before + 1e-30 * c->f[6];
    }
    c->x[0] = before;
}

static void call_tangent(void *context)
{
    chain       *c = context;
    const double dp[HAND_PARAMS] = {1.0, 0.0, 0.0, 0.0}, before = c->dx[0];
    for (int i = 0; i < CALLS; i++) {
        hand_tangent(c->x, c->p, &c->record, c->dx, dp, c->f);
        c->dx[0] = before + 1e-30 * c->f[6];
    }
    c->dx[0] = before;
}

static void call_adjoint(void *context)
{
    chain       *c = context;
    const double before = c->dx[6];
    double       p_bar[HAND_PARAMS] = {0.0};
    for (int i = 0; i < CALLS; i++) {
        hand_adjoint(c->x, c->p, &c->record, c->dx, 1.0, c->f, p_bar);
        c->dx[6] = before + 1e-30 * c->f[0];
    }
    c->dx[6] = before;
}

static void show(const char *name, long long operations, const double *ns)
{
    table_cell("%s", name);
    table_cell("%lld", operations);
    for (int i = 0; i < 3; i++) table_cell("%.1f", ns[i]);
    table_cell("%.2f", ns[1] / ns[0]);
    table_cell("%.2f", ns[2] / ns[1]);
    for (int i = 0; i < 3; i++) {
        static const char *const who[] = {"hand", "saltus, native", "saltus, interp"};
        csv_row("kernels", 0, who[i], name, 0.0, 0.0, NAN, 1e-9 * ns[i]);
    }
}

void section_kernels(const plan *how)
{
    enum { KINDS = 3 };
    static const char *const name[KINDS] = {"accelerations", "tangent product", "adjoint product"};
    static const timed       by_hand[KINDS] = {call_field, call_tangent, call_adjoint};
    side                     native, interp;
    chain                    c = {.dx = {0.0}};
    double                   ns[KINDS][3];
    const bool there = side_open(&native, SALTUS_NATIVE) && side_open(&interp, SALTUS_INTERP);
    if (!there) {
        report_note("kernels: no compiled solved kernels; left out");
        return;
    }
    hand_start(c.x);
    memcpy(c.p, hand_params, sizeof c.p);
    for (int i = 0; i < HAND_STATES; i++) c.dx[i] = sin(i);
    hand_field_record(c.x, c.p, c.f, &c.record);
    for (int k = 0; k < KINDS; k++) {
        const sal_solved *v = native.run->motion.field.solved, *w = interp.run->motion.field.solved;
        const sal_kernel *one[] = {&v->complete, &v->stage_tangent, &v->stage_adjoint};
        const sal_kernel *two[] = {&w->complete, &w->stage_tangent, &w->stage_adjoint};
        aim(&native, one[k], k);
        aim(&interp, two[k], k);
        const timed call[] = {by_hand[k], call_ours, call_ours};
        void *const context[] = {&c, &native, &interp};
        plan        longer = *how;
        longer.rounds = how->quick ? 21 : 61;
        longer.batch = 1e-3;
        measure_interleaved(call, context, 3, &longer, ns[k]);
        for (int i = 0; i < 3; i++) ns[k][i] *= 1e9 / CALLS;
    }
    report_title("Five-bar, one evaluation, chained calls, nanoseconds");
    table_open("kernel|operations|hand|native|interp|native / hand|interp / native");
    for (int k = 0; k < KINDS; k++) {
        const sal_solved *v = native.run->motion.field.solved;
        const sal_kernel *one[] = {&v->complete, &v->stage_tangent, &v->stage_adjoint};
        show(name[k], one[k]->instructions, ns[k]);
    }
    table_close();
    report_note(
        "Adjoint and tangent by hand have the factors of the evaluation in a record; where ours "
        "make them anew, their operations include it.");
    claim("kernels: accelerations / hand", 1.2, ns[0][1] / ns[0][0], "");
    claim("kernels: adjoint product / hand", 1.0, ns[2][1] / ns[2][0], "");
    double worst = 0.0;
    for (int k = 0; k < KINDS; k++) worst = fmax(worst, ns[k][2] / ns[k][1]);
    claim("kernels: interpreted / native, worst", 7.0, worst, "");
    side_close(&native);
    side_close(&interp);
}
