/* The forward walk: direct method and tangent of the very steps.
 *
 * The direct method differentiates at fixed time: dt = 0 along the motion, and at an event the jump
 * matrix of theory (15) acts. The tangent of the steps carries dt: the event's step has a length
 * that depends on rho (by its rest, flow.h), and so do all times after it. */
#include <string.h>

#include "flow/guard.h"
#include "run/start.h"
#include "sens/sens.h"

enum { VECTOR = 4 }; /* lanes that cost as much as one */

typedef struct walker {
    saltus_run          *run;
    sal_sens            *sens;
    const int           *params;
    int                  first, count; /* the block of parameters */
    int                  lanes;        /* for it: whole vectors, some of zeros */
    bool                 discrete;
    const sal_sampler   *sampler; /* NULL: none */
    int                  next_sample;
    const sal_gradients *out;
} walker;

/* ---- start ---------------------------------------------------------------------------------- */

static void begin(walker *w)
{
    const saltus_system *system = w->run->system;
    sal_tangent         *d = &w->sens->tangent;
    const int            L = w->lanes, n2 = 2 * system->n;
    d->lanes = L;
    memset(d->dt, 0, (size_t)L * sizeof(double));
    memset(d->dz, 0, (size_t)(system->nc * L) * sizeof(double));
    memset(d->du, 0, (size_t)(system->layout.size * L) * sizeof(double));
    for (int l = 0; l < w->count; l++)
        sal_lanes_at(system, d->du, L, SAL_LEAF_P)[w->params[w->first + l] * L + l] = 1.0;
    double *out = w->sens->initial;
    sal_map_tangent(&system->initial, w->run->flow.field.u, d->du, L, out, w->run->flow.field.work);
    memcpy(d->dx, out, (size_t)(n2 * L) * sizeof(double));
    memcpy(sal_lanes_at(system, d->du, L, SAL_LEAF_C), out + n2 * L,
           (size_t)(system->nm_user * L) * sizeof(double));
    sal_start_tangent(w->run, d->dx, d->du, L);
    w->next_sample = 0;
}

/* d(end of the horizon)/drho, zero if it is given from outside. */
static const double *end_tangent(const walker *w)
{
    const saltus_system *system = w->run->system;
    double              *end = w->sens->initial + (2 * system->n + system->nm_user) * w->lanes;
    if (w->run->options.t_end == w->run->options.t_end) /* not NaN */
        memset(end, 0, (size_t)w->lanes * sizeof(double));
    return end;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void put_tangent(const walker *w, const sal_tangent *d)
{
    const saltus_system *system = w->run->system;
    const int            L = d->lanes;
    const size_t         half = (size_t)(system->n * L);
    memcpy(sal_lanes_at(system, d->du, L, SAL_LEAF_T), d->dt, (size_t)L * sizeof(double));
    memcpy(sal_lanes_at(system, d->du, L, SAL_LEAF_Q), d->dx, half * sizeof(double));
    memcpy(sal_lanes_at(system, d->du, L, SAL_LEAF_V), d->dx + half, half * sizeof(double));
}

/* The rest of the step follows the guard: -(r along d) / (r along a longer rest). */
static void event_rest(walker *w, int occurrence)
{
    const saltus_system    *system = w->run->system;
    const sal_event_system *event = &system->event[w->run->occurrences.data[occurrence].event];
    sal_tangent            *d = &w->sens->tangent;
    const sal_tangent      *longer = &w->sens->rest;
    const double            rate = sal_sens_rest(w->run, event);
    put_tangent(w, d);
    sal_guard_tangent(&w->run->flow.field, event, d->du, d->lanes, w->sens->dr);
    for (int l = 0; l < d->lanes; l++) {
        const double rest = -w->sens->dr[l] / rate;
        d->dt[l] += rest;
        for (int i = 0; i < 2 * system->n; i++) d->dx[i * d->lanes + l] += longer->dx[i] * rest;
        for (int i = 0; i < system->nc; i++) d->dz[i * d->lanes + l] += longer->dz[i] * rest;
    }
}

static void keep_time(const walker *w, int occurrence, const double *dtau)
{
    if (!w->out || !w->out->time) return;
    memcpy(w->out->time + (size_t)occurrence * (size_t)w->out->columns + w->first, dtau,
           (size_t)w->count * sizeof(double));
}

static saltus_status sample_step(walker *w, const sal_frame *frame, saltus_error *err)
{
    const sal_sampler *sampler = w->sampler;
    sal_flow          *flow = &w->run->flow;
    const double       end = frame->t + (frame->h + frame->rest);
    while (w->next_sample < sampler->count && sampler->times[w->next_sample] < frame->t)
        w->next_sample++;
    /* The end of the last step belongs to it; others are the start of the next one. */
    while (w->next_sample < sampler->count &&
           (sampler->times[w->next_sample] < end ||
            (frame->kind == SAL_FRAME_LAST && sampler->times[w->next_sample] <= w->run->t_end))) {
        const double t = sampler->times[w->next_sample++];
        const double theta = sal_frame_place(frame, t);
        double      *rows = w->sens->rows;
        sal_flow_tangent_at(flow, &w->sens->tangent, theta, rows,
                            rows + 2 * w->run->system->n * w->lanes);
        TRY(sampler->row(sampler->context, frame, t, -1, false, err));
    }
    return SALTUS_OK;
}

static saltus_status sample_event(walker *w, int occurrence, bool after, saltus_error *err)
{
    const saltus_system *system = w->run->system;
    const sal_tangent   *d = &w->sens->tangent;
    const size_t         nx = (size_t)(2 * system->n * d->lanes);
    if (!w->sampler) return SALTUS_OK;
    memcpy(w->sens->rows, d->dx, nx * sizeof(double));
    memcpy(w->sens->rows + nx, d->dz, (size_t)(system->nc * d->lanes) * sizeof(double));
    return w->sampler->row(w->sampler->context, NULL, w->run->occurrences.data[occurrence].t,
                           occurrence, after, err);
}

/* The tangent of a whole step; samples in between need those at its start. */
static saltus_status walk_step(walker *w, const sal_frame *frame, saltus_error *err)
{
    sal_tangent  *d = &w->sens->tangent;
    sal_flow     *flow = &w->run->flow;
    const double *dh = NULL;
    if (w->sampler) {
        if (sal_step_dense(&flow->step))
            return sal_fail(err, SALTUS_ERR_NOT_FINITE, "no dense output at t = %.10g", frame->t);
        const size_t nx = (size_t)(flow->step.nx * d->lanes),
                     nz = (size_t)(flow->step.ng * d->lanes);
        memcpy(w->sens->adjoint.x_bar, d->dx, nx * sizeof(double)); /* a place to keep them */
        memcpy(w->sens->adjoint.z_bar, d->dz, nz * sizeof(double));
        sal_flow_tangent(flow, d, NULL, true);
        sal_tangent end = *d;
        d->dx = w->sens->adjoint.x_bar;
        d->dz = w->sens->adjoint.z_bar;
        const saltus_status status = sample_step(w, frame, err);
        d->dx = end.dx;
        d->dz = end.dz;
        return status;
    }
    if (w->discrete && frame->kind == SAL_FRAME_LAST) {
        const double *end = end_tangent(w);
        for (int l = 0; l < d->lanes; l++) w->sens->dh[l] = end[l] - d->dt[l];
        dh = w->sens->dh;
    }
    sal_flow_tangent(flow, d, dh, false);
    return SALTUS_OK;
}

static saltus_status walk_event(walker *w, const sal_frame *frame, saltus_error *err)
{
    saltus_run           *run = w->run;
    const sal_occurrence *o = &run->occurrences.data[frame->occurrence];
    sal_tangent          *d = &w->sens->tangent;
    if (w->discrete && frame->kind == SAL_FRAME_EVENT) event_rest(w, frame->occurrence);
    if (w->discrete) keep_time(w, frame->occurrence, d->dt);
    TRY(sal_run_rejump(run, frame->occurrence, !w->discrete, err));
    TRY(sample_event(w, frame->occurrence, false, err));
    if (w->discrete) {
        if (!o->terminal) sal_jump_tangent(&run->jump, d);
        return SALTUS_OK;
    }
    if (o->terminal) {
        put_tangent(w, d);
        sal_guard_tangent(&run->flow.field, run->jump.event, d->du, d->lanes, w->sens->dtau);
        for (int l = 0; l < d->lanes; l++) w->sens->dtau[l] /= -o->rate;
    } else {
        sal_saltation_tangent(&run->jump, o->rate, o->follows, d, w->sens->dtau);
    }
    keep_time(w, frame->occurrence, w->sens->dtau);
    /* the event's rows stand for samples at its time */
    while (w->sampler && w->next_sample < w->sampler->count &&
           w->sampler->times[w->next_sample] <= o->t)
        w->next_sample++;
    return sample_event(w, frame->occurrence, true, err);
}

/* ---- end ------------------------------------------------------------------------------------ */

/* Final costs, theory (9) and section 7: the state is moved along with the end time first. */
static void finish(walker *w)
{
    saltus_run          *run = w->run;
    const saltus_system *system = run->system;
    sal_tangent         *d = &w->sens->tangent;
    sal_field           *field = &run->flow.field;
    const int            L = w->lanes;
    const bool           event = run->info.outcome == SALTUS_TERMINAL_EVENT;
    sal_run_put_memories(run, run->end.c);
    sal_flow_eval(&run->flow, run->end.t, run->end.x, w->sens->k, run->z);
    if (!w->discrete) {
        const double *end = event ? w->sens->dtau : end_tangent(w);
        for (int l = 0; l < L; l++) {
            d->dt[l] = end[l];
            for (int i = 0; i < 2 * system->n; i++) d->dx[i * L + l] += w->sens->k[i] * end[l];
            for (int i = 0; i < system->nc; i++) d->dz[i * L + l] += run->z[i] * end[l];
        }
    }
    put_tangent(w, d);
    if (system->final_needs_a) sal_field_tangent(field, d->du, L, NULL);
    sal_map_tangent(&system->final, field->u, d->du, L, w->sens->final, field->work);
}

static void keep(const walker *w, const sal_wanted *wanted)
{
    const sal_tangent *d = &w->sens->tangent;
    const int          L = w->lanes;
    for (int k = 0; k < wanted->cost_count; k++)
        for (int l = 0; l < w->count; l++)
            w->out->cost[(size_t)k * (size_t)w->out->columns + (size_t)(w->first + l)] =
                d->dz[wanted->costs[k] * L + l] + w->sens->final[wanted->costs[k] * L + l];
    if (w->out->end)
        for (int l = 0; l < w->count; l++) w->out->end[w->first + l] = d->dt[l];
}

static saltus_status walk(walker *w, saltus_error *err)
{
    begin(w);
    for (long long step = 0; step < w->run->end.step; step++) {
        sal_frame frame;
        TRY(sal_run_frame(w->run, step, &frame, err));
        TRY(sal_sens_ask(w->run, step, &frame, err));
        TRY(sal_run_retake(w->run, &frame, err));
        TRY(walk_step(w, &frame, err));
        sal_flow_stretch_tangent(&w->run->flow, &w->sens->tangent);
        if (frame.occurrence >= 0) TRY(walk_event(w, &frame, err));
    }
    return SALTUS_OK;
}

saltus_status sal_sens_forward(saltus_run *run, const sal_wanted *wanted, bool discrete,
                               const sal_gradients *out, saltus_error *err)
{
    walker w = {.run = run, .params = wanted->params, .discrete = discrete, .out = out};
    TRY(sal_sens_get(run, &w.sens, err));
    for (w.first = 0; w.first < wanted->param_count; w.first += SAL_RUN_LANES) {
        w.count = wanted->param_count - w.first;
        if (w.count > SAL_RUN_LANES) w.count = SAL_RUN_LANES;
        w.lanes = w.count > 1 ? (w.count + VECTOR - 1) / VECTOR * VECTOR : 1;
        TRY(walk(&w, err));
        finish(&w);
        keep(&w, wanted);
    }
    return SALTUS_OK;
}

saltus_status sal_sens_sample_forward(saltus_run *run, const int *params, int count,
                                      const sal_sampler *sampler, saltus_error *err)
{
    walker w = {.run = run, .params = params, .count = count, .lanes = count, .sampler = sampler};
    TRY(sal_sens_get(run, &w.sens, err));
    return walk(&w, err);
}
