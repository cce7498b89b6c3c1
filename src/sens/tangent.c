/* The forward walk: direct method and tangent of the computed steps.
 *
 * Both carry dt, the tangent of the time of a state: after an event, tangents are taken at a fixed
 * time since the event. The tangent of the steps differentiates the way in which the event was
 * located: the length of its step depends on rho through its extension delta (motion.h). The direct
 * method uses events.md (12) and (13) there. It could keep the time fixed instead (dt = 0), but
 * then S would contain x' dtau, and the steps, chosen for the motion, would have to integrate its
 * rate: where that changes fast after an event, digits would be lost. Rows for the caller are at
 * fixed time, S = dx - x' dt.
 *
 * The direct method controls the error of its tangents (accuracy.h). The first walk takes the steps
 * of the motion; if some are too long for the tangents, another walk divides them. */
#include <math.h>
#include <string.h>

#include "motion/guard.h"
#include "run/from.h"
#include "sens/fast/simultaneous.h"

/* At most WALKS walks are made, once each does not make tangents that have blown up smaller. */
enum { WALKS = 5, MAX_WALKS = 60, MAX_PARTS = 1 << 16 };

typedef struct walker {
    saltus_run          *run;
    sal_sens            *sens;
    sal_directions      *way;
    int                  first; /* the first column of the present block */
    bool                 discrete;
    bool                 divides; /* divide steps that are too long for tangents */
    long long            parts;   /* number of parts of divided steps so far */
    bool                 limited; /* a part is too long, as no shorter parts are allowed */
    const sal_sampler   *sampler; /* NULL: none */
    int                  next_sample;
    const sal_gradients *out;
} walker;

/* ---- steps ---------------------------------------------------------------------------------- */

/* Adds the tangent of the extension delta, which keeps the guard zero: -dr / (dr/ddelta). */
static void follow_guard(walker *w, int occurrence)
{
    const saltus_system      *system = w->run->system;
    const sal_compiled_event *event =
        &system->event[w->run->history.occurrences.data[occurrence].event];
    sal_tangent       *d = &w->way->tangent;
    const sal_tangent *longer = &w->sens->delta;
    const double       rate = sal_sens_delta(w->run, event);
    sal_tangent_put(system, d);
    sal_guard_tangent(&w->run->motion.field, event, d->du, d->lanes, w->sens->dr);
    for (int l = 0; l < d->lanes; l++) {
        w->sens->dr[l] /= -rate;
        d->dt[l] += w->sens->dr[l];
    }
    sal_tangent_move(system, longer->dx, longer->dz, w->sens->dr, 1.0, d);
}

static void keep_time(const walker *w, int occurrence, const double *dt)
{
    const int shown = w->run->history.occurrences.data[occurrence].shown;
    if (w->out && w->out->each)
        sal_copy(w->out->each + (size_t)occurrence * (size_t)w->out->columns + w->first, dt,
                 w->way->count);
    if (!w->out || !w->out->time || shown < 0) return;
    sal_copy(w->out->time + (size_t)shown * (size_t)w->out->columns + w->first, dt, w->way->count);
}

/* Moves the rows for the caller to fixed time, with x' = k and z' = g at that instant. */
static void hold_rows(walker *w, const double *k, const double *g)
{
    const saltus_system *system = w->run->system;
    const sal_tangent   *d = &w->way->tangent;
    sal_copy(w->sens->dh, d->dt, d->lanes);
    sal_tangent rows = {.lanes = d->lanes, .dt = w->sens->dh, .dx = w->sens->rows};
    rows.dz = rows.dx + 2 * system->n * d->lanes;
    sal_tangent_hold(system, k, g, &rows);
}

static bool time_moves(const sal_tangent *d)
{
    for (int l = 0; l < d->lanes; l++)
        if (d->dt[l] != 0.0) return true;
    return false;
}

static void sample_at(walker *w, double t, double theta)
{
    saltus_run *run = w->run;
    double     *rows = w->sens->rows;
    sal_motion_tangent_at(&run->motion, &w->way->tangent, theta, rows,
                          rows + 2 * run->system->n * w->way->tangent.lanes);
    if (!time_moves(&w->way->tangent)) return;
    sal_step_at(&run->motion.step, theta, w->sens->x, NULL);
    double *g = SCRATCH_NEW(&run->scratch, run->system->nc, double);
    sal_field_eval(&run->locator.field, t, w->sens->x, w->sens->k, g);
    hold_rows(w, w->sens->k, g);
    sal_scratch_release(&run->scratch, g);
}

static saltus_status sample_step(walker *w, const sal_frame *frame, saltus_error *err)
{
    const sal_sampler *sampler = w->sampler;
    const double       end = frame->t + (frame->h + frame->delta);
    while (w->next_sample < sampler->count && sampler->times[w->next_sample] < frame->t)
        w->next_sample++;
    /* The end of a step is the start of the next one, except for the last step. */
    while (w->next_sample < sampler->count &&
           (sampler->times[w->next_sample] < end ||
            (frame->kind == SAL_FRAME_LAST && sampler->times[w->next_sample] <= w->run->t_end))) {
        const double t = sampler->times[w->next_sample++];
        sample_at(w, t, sal_frame_place(frame, t));
        TRY(sampler->row(sampler->context, frame, t, -1, false, err));
    }
    return SALTUS_OK;
}

static saltus_status sample_event(walker *w, int occurrence, bool after, saltus_error *err)
{
    const saltus_system *system = w->run->system;
    const sal_jump      *jump = &w->run->jump;
    const sal_tangent   *d = &w->way->tangent;
    const int            nx = 2 * system->n * d->lanes;
    if (!w->sampler || w->run->history.occurrences.data[occurrence].shown < 0) return SALTUS_OK;
    sal_copy(w->sens->rows, d->dx, nx);
    sal_copy(w->sens->rows + nx, d->dz, system->nc * d->lanes);
    hold_rows(w, after ? jump->k_after : jump->k_before, after ? jump->g_after : jump->g_before);
    return w->sampler->row(w->sampler->context, NULL,
                           w->run->history.occurrences.data[occurrence].t, occurrence, after, err);
}

/* Saves the tangents at the start of a step, or restores them. */
static void keep_start(const walker *w, bool back)
{
    sal_tangent       *d = &w->way->tangent;
    const sal_adjoint *kept = &w->sens->adjoint; /* memory that a forward walk does not use */
    const sal_step    *step = &w->run->motion.step;
    const int          nx = step->nx * d->lanes, nz = step->ng * d->lanes;
    sal_copy(back ? d->dx : kept->x_bar, back ? kept->x_bar : d->dx, nx);
    sal_copy(back ? d->dz : kept->z_bar, back ? kept->z_bar : d->dz, nz);
}

/* Samples a step after its tangents were computed, from the saved tangents at its start. */
static saltus_status sample_from_start(walker *w, const sal_frame *frame, saltus_error *err)
{
    sal_tangent *d = &w->way->tangent, end = *d;
    d->dx = w->sens->adjoint.x_bar;
    d->dz = w->sens->adjoint.z_bar;
    const saltus_status status = sample_step(w, frame, err);
    d->dx = end.dx;
    d->dz = end.dz;
    return status;
}

static saltus_status get_dense(const walker *w, double t, saltus_error *err)
{
    return w->sampler && sal_step_dense(&w->run->motion.step)
               ? sal_fail(err, SALTUS_ERR_NOT_FINITE, "no dense output at t = %.10g", t)
               : SALTUS_OK;
}

/* Computes the tangent of the step in motion, which is one of the record or a part of it. */
static saltus_status walk_part(walker *w, const sal_frame *part, saltus_error *err)
{
    TRY(get_dense(w, part->t, err));
    if (w->sampler || w->divides) keep_start(w, false);
    sal_motion_tangent(&w->run->motion, &w->way->tangent, NULL, w->sampler != NULL);
    return SALTUS_OK;
}

/* How a step is divided. */
typedef struct division {
    double least;     /* length of the shortest part */
    double h, excess; /* the last part that was tried from the same place and much longer */
    double noise;     /* error that is rounding: it does not fall as parts become shorter */
} division;

/* Begins to divide a step of length h. After too many parts in a walk, steps are divided no more.
 */
static division begin_division(const walker *w, double h)
{
    const bool spent = w->parts > 100000 + 64 * w->run->end.step;
    return (division){spent ? h : h / MAX_PARTS, INFINITY, INFINITY, 0.0};
}

/* Returns the length to try next, or h if the part is short enough, or its error rounding. */
static double shorter(walker *w, division *d, double h, double excess)
{
    const double e = 1.0 / (w->run->motion.step.tableau->error_order + 1.0);
    if (h <= 0.5 * d->h) {
        if (isfinite(excess) && excess > 0.5 * d->excess) d->noise = excess;
        d->h = h;
        d->excess = excess;
    }
    if (excess <= 1.0 || excess <= 3.0 * d->noise) return h;
    if (h <= d->least) {
        w->limited = true;
        return h;
    }
    return fmax(d->least, h * fmax(0.2, 0.9 * pow(excess, -e)));
}

/* Computes the tangent of a step in parts that are short enough for the tangents. */
static saltus_status walk_in_parts(walker *w, const sal_frame *frame, saltus_error *err)
{
    saltus_run           *run = w->run;
    const sal_directions *way = w->way;
    const sal_step       *step = &run->motion.step;
    const double          end = frame->t + frame->h;
    double               *x = w->sens->x, *z = w->sens->z;
    division              parts = begin_division(w, frame->h);
    sal_frame             part = *frame;
    part.delta = 0.0;
    while (part.t < end) {
        w->parts++;
        TRY(walk_part(w, &part, err));
        const double excess = sal_accuracy_excess(&way->before, &run->motion, run->options.rtol,
                                                  way->value, way->count);
        const double h = shorter(w, &parts, part.h, excess);
        if (h < part.h) {
            keep_start(w, true);
            part.h = h;
        } else {
            const bool last = part.t + part.h >= end || part.t + part.h <= part.t;
            sal_accuracy_attend(&w->way->accuracy);
            sal_accuracy_note(&w->way->accuracy, &run->motion, &way->tangent);
            if (w->sampler) {
                part.delta = last ? frame->delta : 0.0;
                part.kind = last ? frame->kind : SAL_FRAME_STEP;
                TRY(sample_from_start(w, &part, err));
            }
            if (last) break;
            sal_copy(x, step->x1, step->nx);
            for (int i = 0; i < step->ng; i++) z[i] = part.z[i] + step->dz[i];
            part.t += part.h;
            part.x = x;
            part.z = z;
            if (excess < 0.01) part.h *= 2.0;
            if (end - part.t < 1.5 * part.h) part.h = end - part.t;
            parts.h = parts.excess = INFINITY;
        }
        TRY(sal_run_load_part(run, &part, err));
    }
    return part.h < frame->h ? sal_run_load_all_stages(run, frame, err) : SALTUS_OK;
}

/* Computes the tangent of a whole step. */
static saltus_status walk_step(walker *w, const sal_frame *frame, saltus_error *err)
{
    sal_tangent *d = &w->way->tangent;
    sal_motion  *motion = &w->run->motion;
    if (w->discrete) {
        const bool moves = frame->kind == SAL_FRAME_LAST;
        for (int l = 0; l < d->lanes && moves; l++) w->sens->dh[l] = w->way->end[l] - d->dt[l];
        sal_motion_tangent(motion, d, moves ? w->sens->dh : NULL, false);
        return SALTUS_OK;
    }
    if (w->divides) return walk_in_parts(w, frame, err);
    TRY(walk_part(w, frame, err));
    sal_accuracy_note(&w->way->accuracy, motion, d);
    return w->sampler ? sample_from_start(w, frame, err) : SALTUS_OK;
}

/* Writes the derivatives of the sample taken at this event: dm = m_s S + m_rho, where the tangent
 * of the state includes that of its time. The state before the event is in the field. */
static void keep_sampled(walker *w, const sal_occurrence *o, const double *c_minus)
{
    const saltus_system      *system = w->run->system;
    const sal_compiled_event *event = &system->event[o->event];
    sal_tangent              *d = &w->way->tangent;
    sal_field                *field = &w->run->motion.field;
    if (!w->out || !w->out->sampled || event->sampled.outputs == 0) return;
    const size_t row = (size_t)sal_sampled_row(system, event->samples, c_minus);
    sal_tangent_put(system, d);
    if (event->reset.charge_needs_a_before) sal_field_tangent(field, d->du, d->lanes, NULL);
    double *out = SCRATCH_NEW(&w->run->scratch, d->lanes, double);
    sal_map_tangent(&event->sampled, field->u, d->du, d->lanes, out, field->work);
    sal_copy(w->out->sampled + row * (size_t)w->out->columns + w->first, out, w->way->count);
    sal_scratch_release(&w->run->scratch, out);
}

/* ---- peaks ---------------------------------------------------------------------------------- */

/* Whether this walk must compute derivatives of peaks. */
static bool wants_peaks(const walker *w)
{
    return w->run->system->peaks > 0 && w->out && w->out->cost && !w->sampler;
}

/* Computes the tangent of a peak at the state that was evaluated. The tangent of the state includes
 * that of its time. */
static void keep_peak(const walker *w, int i)
{
    const sal_tangent *d = &w->way->tangent;
    sal_tangent_put(w->run->system, d);
    sal_sens_peak_tangent(w->run, i, d->du, d->lanes);
}

static void keep_peaks_before(const walker *w, int occurrence)
{
    for (int i = 0; i < w->run->system->peaks && wants_peaks(w); i++)
        if (sal_sens_peak_before(w->run, i, occurrence)) keep_peak(w, i);
}

/* Computes the tangent of a peak inside of a step, as that of the end of a shorter step. Restores
 * the tangents at the start, and loads the whole step again. */
static saltus_status keep_peak_inside(walker *w, int i, const sal_frame *frame, saltus_error *err)
{
    saltus_run        *run = w->run;
    sal_tangent       *d = &w->way->tangent;
    const sal_adjoint *kept = &w->sens->part_adjoint;
    const int          nx = run->motion.step.nx * d->lanes;
    const int          nz = run->motion.step.ng * d->lanes;
    const sal_frame    part = sal_peak_part(frame, sal_sens_peak(run, i));
    sal_copy(kept->x_bar, d->dx, nx);
    sal_copy(kept->z_bar, d->dz, nz);
    sal_copy(kept->t_bar, d->dt, d->lanes);
    TRY(sal_run_load_part(run, &part, err));
    TRY(walk_step(w, &part, err));
    sal_motion_eval(&run->motion, part.t + part.h, run->motion.step.x1, w->sens->k, NULL);
    keep_peak(w, i);
    sal_copy(d->dx, kept->x_bar, nx);
    sal_copy(d->dz, kept->z_bar, nz);
    sal_copy(d->dt, kept->t_bar, d->lanes);
    return sal_run_load_all_stages(run, frame, err);
}

/* Computes the tangents of the peaks inside of the loaded step and at its start. */
static saltus_status keep_peaks(walker *w, long long step, const sal_frame *frame,
                                saltus_error *err)
{
    for (int i = 0; i < w->run->system->peaks; i++) {
        const sal_peak *peak = sal_sens_peak(w->run, i);
        if (sal_peak_is_inside(peak, step)) TRY(keep_peak_inside(w, i, frame, err));
        if (!sal_peak_is_at_start(peak, step)) continue;
        sal_motion_eval(&w->run->motion, frame->t, frame->x, w->sens->k, NULL);
        keep_peak(w, i);
    }
    return SALTUS_OK;
}

/* ---- events --------------------------------------------------------------------------------- */

static saltus_status walk_event(walker *w, const sal_frame *frame, saltus_error *err)
{
    saltus_run           *run = w->run;
    const sal_occurrence *o = &run->history.occurrences.data[frame->occurrence];
    sal_tangent          *d = &w->way->tangent;
    if (w->discrete && frame->kind == SAL_FRAME_EVENT) follow_guard(w, frame->occurrence);
    TRY(sal_run_load_jump(run, frame->occurrence, !w->discrete, err));
    TRY(sample_event(w, frame->occurrence, false, err));
    if (!w->discrete) sal_directions_delay(run, o, w->way);
    keep_time(w, frame->occurrence, d->dt);
    keep_sampled(w, o, sal_run_sides(run, frame->occurrence).c_minus);
    keep_peaks_before(w, frame->occurrence);
    if (!o->terminal) sal_jump_tangent(&run->jump, d);
    /* samples at the time of an event are left to the event's rows */
    while (w->sampler && o->shown >= 0 && w->next_sample < w->sampler->count &&
           w->sampler->times[w->next_sample] <= o->t)
        w->next_sample++;
    return sample_event(w, frame->occurrence, true, err);
}

/* ---- end ------------------------------------------------------------------------------------ */

/* Computes the tangents of final costs, sensitivities.md (6) and (17), after moving the state with
 * the end time. */
static void finish(walker *w)
{
    saltus_run          *run = w->run;
    const saltus_system *system = run->system;
    sal_tangent         *d = &w->way->tangent;
    sal_field           *field = &run->motion.field;
    const int            L = d->lanes;
    const bool           at_event = run->outcome.info.outcome == SALTUS_TERMINAL_EVENT;
    sal_run_put_memories(run, run->end.c);
    double *g = SCRATCH_NEW(&run->scratch, system->nc, double);
    double *later = SCRATCH_NEW(&run->scratch, L, double);
    sal_motion_eval(&run->motion, run->end.t, run->end.x, w->sens->k, g);
    if (!w->discrete && !at_event) {
        for (int l = 0; l < L; l++) later[l] = w->way->end[l] - d->dt[l];
        sal_tangent_move(system, w->sens->k, g, later, 1.0, d);
        sal_copy(d->dt, w->way->end, L);
    }
    sal_scratch_release(&run->scratch, g);
    sal_tangent_put(system, d);
    if (system->final_needs_a) sal_field_tangent(field, d->du, L, NULL);
    sal_map_tangent(&system->final, field->u, d->du, L, w->sens->final, field->work);
    for (int i = 0; i < system->peaks; i++) {
        const sal_peak_place place = sal_sens_peak(run, i)->place;
        if (place == SAL_PEAK_END) sal_sens_peak_tangent(run, i, d->du, L);
        if (place == SAL_PEAK_NONE) sal_zero(w->sens->peak + i * L, L);
    }
    if (run->from.is_inner) sal_zero(w->sens->final, system->nc * L);
}

/* Writes the tangents of the state at the end. */
static void keep_state(const walker *w)
{
    const saltus_system *system = w->run->system;
    const sal_tangent   *d = &w->way->tangent;
    const int            L = d->lanes, n2 = 2 * system->n;
    const double        *dc = sal_lanes_at(system, d->du, L, SAL_LEAF_C);
    for (int i = 0; w->out->state && i < n2 + system->nm_user; i++)
        sal_copy(w->out->state + (size_t)i * (size_t)w->out->columns + w->first,
                 i < n2 ? d->dx + i * L : dc + (i - n2) * L, w->way->count);
}

static void keep(const walker *w, const sal_wanted *wanted)
{
    const sal_tangent *d = &w->way->tangent;
    const int          L = d->lanes, count = w->way->count;
    for (int k = 0; k < wanted->cost_count; k++)
        for (int l = 0; l < count; l++)
            w->out->cost[(size_t)k * (size_t)w->out->columns + (size_t)(w->first + l)] =
                d->dz[wanted->costs[k] * L + l] + w->sens->final[wanted->costs[k] * L + l];
    for (int k = 0; k < wanted->cost_count; k++)
        for (int i = 0; i < w->run->system->peaks; i++)
            for (int l = 0; l < count && w->run->system->peak[i].cost == wanted->costs[k]; l++)
                w->out->cost[(size_t)k * (size_t)w->out->columns + (size_t)(w->first + l)] +=
                    w->sens->peak[i * L + l];
    if (w->out->end)
        for (int l = 0; l < count; l++) w->out->end[w->first + l] = d->dt[l];
}

static saltus_status walk(walker *w, saltus_error *err)
{
    sal_directions_begin(w->run, w->way);
    sal_accuracy_begin(&w->way->accuracy, w->way->tangent.lanes);
    for (long long step = 0; step < w->run->end.step; step++) {
        sal_frame frame;
        TRY(sal_run_frame(w->run, step, &frame, err));
        TRY(sal_sens_poll_progress(w->run, step, &frame, err));
        TRY(sal_run_load_all_stages(w->run, &frame, err));
        if (wants_peaks(w)) TRY(keep_peaks(w, step, &frame, err));
        TRY(walk_step(w, &frame, err));
        sal_motion_extend_tangent(&w->run->motion, &w->way->tangent);
        if (frame.occurrence >= 0) TRY(walk_event(w, &frame, err));
    }
    return SALTUS_OK;
}

/* Makes the sizes of tangents that the last walk found the scale of errors in the next walk. */
static void learn(sal_directions *way)
{
    const sal_accuracy known = way->accuracy;
    way->accuracy = way->before;
    way->before = known;
}

static saltus_status fail_lost(saltus_error *err)
{
    return sal_fail(err, SALTUS_ERR_LIMIT,
                    "the direct method finds no accurate derivatives: they need steps much shorter "
                    "than those of the motion, which is stiff, or at rest; use --method adjoint, "
                    "or a smaller --max-step");
}

/* Whether derivatives have lost all digits: in all groups (before = NULL), or in those that are
 * much smaller than in the walk before. */
static bool is_lost(const walker *w, const sal_accuracy *before)
{
    const sal_directions *way = w->way;
    return sal_accuracy_is_lost(&way->accuracy, before, way->value, way->count);
}

/* Walks, and repeats the walk in shorter parts if the steps of the record are too long for the
 * direct method. Several walks may be needed: if steps are much too long, even the size of the
 * tangents is wrong after the first one. Fails if no digit is right in the end. */
static saltus_status walk_well(walker *w, saltus_error *err)
{
    w->divides = w->limited = false;
    TRY(walk(w, err));
    for (int i = 1, left = WALKS; !w->discrete && !sal_directions_suffice(w->run, w->way); i++) {
        const bool shrinks = i > 1 && is_lost(w, &w->way->before);
        left = shrinks ? WALKS : left - 1;
        if (left == 0 || i == MAX_WALKS || (w->limited && !shrinks))
            return shrinks || (w->limited && is_lost(w, NULL)) ? fail_lost(err) : SALTUS_OK;
        learn(w->way);
        w->divides = true;
        w->limited = false;
        w->parts = 0;
        TRY(walk(w, err));
    }
    return SALTUS_OK;
}

/* ---- at the start --------------------------------------------------------------------------- */

saltus_status sal_sens_moved_at_start(saltus_run *run, int event, bool *moved, saltus_error *err)
{
    const saltus_system      *system = run->system;
    const sal_compiled_event *e = &system->event[event];
    sal_directions           *way = &run->sens->walking;
    sal_frame                 frame;
    *moved = false;
    TRY(sal_run_frame(run, 0, &frame, err));
    TRY(sal_field_enter(&run->motion.field, frame.regime, err));
    for (int first = 0; first < system->np && !*moved; first += SAL_RUN_LANES) {
        const int count = sal_sens_block(system->np - first);
        int       params[SAL_RUN_LANES];
        for (int l = 0; l < count; l++) params[l] = first + l;
        sal_directions_choose(way, params, count, sal_sens_lanes(count));
        sal_directions_begin(run, way);
        sal_run_put_memories(run, frame.c);
        if (e->guard_needs_a) sal_motion_eval(&run->motion, frame.t, frame.x, run->sens->k, NULL);
        else sal_field_put(&run->motion.field, frame.t, frame.x);
        sal_tangent_put(system, &way->tangent);
        sal_guard_tangent(&run->motion.field, e, way->tangent.du, way->tangent.lanes,
                          run->sens->dr);
        for (int l = 0; l < count; l++) *moved = *moved || run->sens->dr[l] != 0.0;
    }
    return SALTUS_OK;
}

saltus_status sal_sens_horizon(saltus_run *run, const int *params, int count, double *gradient,
                               saltus_error *err)
{
    sal_sens *sens;
    TRY(sal_sens_get(run, &sens, err));
    for (int first = 0; first < count; first += SAL_RUN_LANES) {
        const int block = sal_sens_block(count - first);
        sal_directions_choose(&sens->walking, params + first, block, sal_sens_lanes(block));
        sal_directions_begin(run, &sens->walking);
        sal_copy(gradient + first, sens->walking.end, block);
    }
    return SALTUS_OK;
}

/* ---- all directions, block by block --------------------------------------------------------- */

saltus_status sal_sens_forward(saltus_run *run, const sal_wanted *wanted, bool discrete,
                               const sal_gradients *out, saltus_error *err)
{
    walker w = {.run = run, .discrete = discrete, .out = out};
    TRY(sal_sens_get(run, &w.sens, err));
    w.way = &w.sens->walking;
    sal_directions *known = discrete || out->sampled ? NULL : sal_simultaneous_get(run, wanted);
    if (known) {
        w.way = known;
        TRY(sal_field_enter(&run->motion.field, run->end.regime, err));
        for (int i = 0; i < run->history.occurrences.count; i++)
            keep_time(&w, i, run->history.observed.data + (size_t)i * (size_t)w.way->count);
        finish(&w);
        keep(&w, wanted);
        return SALTUS_OK;
    }
    for (w.first = 0; w.first < wanted->param_count; w.first += SAL_RUN_LANES) {
        const int count = sal_sens_block(wanted->param_count - w.first);
        sal_directions_choose(w.way, wanted->params + w.first, count, sal_sens_lanes(count));
        TRY(walk_well(&w, err));
        finish(&w);
        keep(&w, wanted);
    }
    return SALTUS_OK;
}

saltus_status sal_sens_products(saltus_run *run, int lanes, const double *along,
                                const double *start, const sal_gradients *out, saltus_error *err)
{
    const saltus_system *system = run->system;
    walker               w = {.run = run, .discrete = true, .out = out};
    saltus_status        status = SALTUS_OK;
    sal_arena            arena;
    TRY(sal_sens_get(run, &w.sens, err));
    w.way = &w.sens->walking;
    sal_arena_init(&arena, &run->arena.allocator);
    int          *costs = ARENA_NEW(&arena, system->nc, int);
    const double *none = ARENA_NEW(&arena, (size_t)system->np * (size_t)lanes, double);
    if (arena.failed) status = sal_fail_memory(err);
    for (int i = 0; i < system->nc && costs; i++) costs[i] = i;
    const sal_wanted wanted = {NULL, costs, 0, out->cost ? system->nc : 0};
    w.way->columns = lanes;
    for (; status == SALTUS_OK && w.first < lanes; w.first += SAL_RUN_LANES) {
        const int block = sal_sens_block(lanes - w.first);
        const int params[SAL_RUN_LANES] = {0};
        sal_directions_choose(w.way, params, block, sal_sens_lanes(block));
        w.way->param_directions = (along ? along : none) + w.first;
        w.way->start = start ? start + w.first : NULL;
        status = walk(&w, err);
        if (status != SALTUS_OK) break;
        finish(&w);
        keep(&w, &wanted);
        keep_state(&w);
    }
    w.way->param_directions = w.way->start = NULL;
    sal_arena_free(&arena);
    return status;
}

saltus_status sal_sens_sample_forward(saltus_run *run, const int *params, int count,
                                      const sal_sampler *sampler, saltus_error *err)
{
    walker w = {.run = run};
    TRY(sal_sens_get(run, &w.sens, err));
    w.way = &w.sens->walking;
    sal_directions_choose(w.way, params, count, count > 0 ? count : 1); /* kernels need a lane */
    TRY(walk_well(&w, err)); /* finds out which steps must be divided */
    if (w.divides) learn(w.way);
    w.sampler = sampler;
    return walk(&w, err);
}
