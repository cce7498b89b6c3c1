/* One Runge-Kutta step: its value, sensitivities.md (14) and (15), its tangent, steps.md (3) to
 * (7), and its adjoint, steps.md (8) to (12).
 *
 *     value     T_i = t + c_i h,  X_i = x + h sum_j a_ij k_j,  k_i = f(T_i, X_i)
 *               x1 = x + h sum_i b_i k_i,  dz = h sum_i b_i g(T_i, X_i)
 *     tangent   dT_i = dt + c_i dh
 *               dX_i = dx + h sum_j a_ij dk_j + dh sum_j a_ij k_j
 *               dk_i = f_t dT_i + f_x dX_i + f_c dc + f_rho drho
 *               dx1 = dx + h sum_i b_i dk_i + dh sum_i b_i k_i, dt1 = dt + dh, and dz1 likewise
 *     adjoint   k_bar_i = h (b_i x1_bar + sum_{j > i} a_ji X_bar_j),  g_bar_i = h b_i z_bar
 *               X_bar_i = f_x^T k_bar_i + g_x^T g_bar_i,  T_bar_i = f_t^T k_bar_i + g_t^T g_bar_i
 *               x_bar = x1_bar + sum_i X_bar_i,  t_bar = t1_bar + sum_i T_bar_i
 *               h_bar = t1_bar + x1_bar^T sum_i b_i k_i + z_bar^T sum_i b_i g_i
 *                       + sum_i (X_bar_i^T sum_j a_ij k_j + c_i T_bar_i)
 *
 * The extension onto an event and its derivatives are steps.md (15) to (24), the estimates of the
 * errors of tangents and adjoints steps.md (25) to (27).
 *
 * field.c computes f and g with their derivatives, rows.c manages the rows of stages, dense.c
 * computes dense output, error.c error estimates and sums.c the sums. Functions of fast.h may do
 * parts of a step; where they round in another order, fast.h says so. */
#include <assert.h>
#include <string.h>

#include "motion/fast/fast.h"
#include "motion/motion.h"

/* ---- value ----------------------------------------------------------------------------------- */

/* X_i = x + h sum_j a_ij k_j; the number of stages stands for the end, x1 = x + h sum_i b_i k_i. */
static void combine_slopes(const sal_step *step, int i, double *x)
{
    const bool end = i == step->tableau->stages;
    if (step->fast && step->fast->state(step->context, i, x)) return;
    step->sums->gather(step->nx, step->x0, step->h, end ? &step->b : &step->A[i], step->row,
                       step->form.k, x);
}

/* dz = h sum_i b_i g_i, and its errors. */
void sal_step_integrate(sal_step *step)
{
    step->sums->integrals(step->ng, &step->ends, sal_step_g(step, 0), step->h, step->dz,
                          step->errors);
}

static void find_end(sal_step *step)
{
    if (step->ended) return;
    step->x1 = sal_step_x(step, step->tableau->end_stage);
    if (sal_step_has_extra_end(step)) combine_slopes(step, step->tableau->stages, step->x1);
    step->ended = true;
}

static int evaluate(sal_step *step, int i)
{
    if (i == step->tableau->end_stage && sal_step_has_extra_end(step)) find_end(step);
    else combine_slopes(step, i, sal_step_x(step, i));
    const int bad =
        step->rhs(step->context, i, step->t + step->tableau->c[i] * step->h, step->row[i]);
    if (!bad) step->computed = i + 1;
    return bad;
}

int sal_step_first(sal_step *step, double t)
{
    sal_step_separate_rows(step);
    step->computed = 0;
    step->t = t;
    step->h = 0.0;
    return evaluate(step, 0);
}

int sal_step_take_stages(sal_step *step)
{
    step->computed = 1;
    step->ended = step->sized = false;
    for (int i = 1; i < step->tableau->stages; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    find_end(step);
    sal_step_integrate(step);
    return 0;
}

int sal_step_take(sal_step *step, double h)
{
    step->h = h;
    step->delta = 0.0;
    sal_step_separate_rows(step);
    if (step->fast && step->fast->take(step->context, h)) return 0;
    return sal_step_take_stages(step);
}

void sal_step_ended(sal_step *step)
{
    const sal_tableau *tableau = step->tableau;
    step->x1 = sal_step_x(step, tableau->end_stage);
    step->computed = sal_step_has_extra_end(step) ? tableau->end_stage + 1 : tableau->stages;
    step->ended = step->sized = true;
}

int sal_step_end(sal_step *step)
{
    const int end = step->tableau->end_stage;
    if (end < step->computed) return 0;
    return evaluate(step, end);
}

int sal_step_dense(sal_step *step)
{
    for (int i = step->computed; i < step->tableau->stages_dense; i++) {
        const int bad = evaluate(step, i);
        if (bad) return bad;
    }
    return 0;
}

/* ---- value: onto an event -------------------------------------------------------------------- */

/* steps.md (16). dz is integrated anew, because Newton's method on delta calls this repeatedly. The
 * end stage may have come from the record instead of being evaluated here. */
void sal_step_extended(sal_step *step, double delta)
{
    const int     end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double *x = sal_step_x(step, end), *k_middle = sal_step_k(step, middle);
    const double *g = sal_step_g(step, middle);
    for (int i = 0; i < step->nx; i++) step->moved[i] = x[i] + delta * k_middle[i];
    sal_step_integrate(step);
    for (int i = 0; i < step->ng; i++) step->dz[i] += delta * g[i];
    step->x1 = step->moved;
    step->delta = delta;
    step->ended = true;
    if (step->computed <= end) step->computed = end + 1;
}

/* steps.md (15), then (16). */
int sal_step_extend(sal_step *step, double delta)
{
    const int     end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double *x = sal_step_x(step, end), *k = sal_step_k(step, end);
    double       *x_middle = sal_step_x(step, middle);
    for (int i = 0; i < step->nx; i++) x_middle[i] = x[i] + 0.5 * delta * k[i];
    const int bad =
        step->rhs(step->context, middle, step->t + (step->h + 0.5 * delta), step->row[middle]);
    sal_step_extended(step, delta);
    return bad;
}

/* ---- tangent --------------------------------------------------------------------------------- */

/* Rows are padded to whole cache lines. */
double *const *sal_motion_dk(sal_motion *motion, int lanes)
{
    const int numbers = (motion->step.nx + motion->field.system->nmu + motion->step.ng) * lanes;
    const int size = (numbers + SAL_ROW_ALIGNMENT - 1) / SAL_ROW_ALIGNMENT * SAL_ROW_ALIGNMENT;
    if (motion->dk_lanes != lanes) {
        for (int i = 0; i <= motion->step.tableau->stages_dense; i++)
            motion->dk[i] = motion->dk_rows + (size_t)i * (size_t)size;
        motion->dk_lanes = lanes;
    }
    return motion->dk;
}

/* out += dh * (sum_m weight_m k_m), with k_m the `count` numbers of a row from `at` on. */
static void add_lengths(const sal_motion *motion, int lanes, const double *dh, const sal_weights *w,
                        int count, int at, double *out)
{
    const sal_step *step = &motion->step;
    if (!dh) return;
    step->sums->gather(count, NULL, 1.0, w, step->row, at, motion->slope);
    for (int i = 0; i < count; i++)
        for (int l = 0; l < lanes; l++) out[i * lanes + l] += dh[l] * motion->slope[i];
}

/* out = start + dh * (sum_m weight_m k_m) + h * sum_m weight_m dk_m, as in steps.md (4) and (6).
 * start may be out. */
static void combine_tangent(const sal_motion *motion, int lanes, const double *dh,
                            const sal_weights *w, double *const *dk, const double *start,
                            double *out)
{
    const sal_step *step = &motion->step;
    step->sums->gather(step->nx * lanes, start, step->h, w, dk, 0, out);
    add_lengths(motion, lanes, dh, w, step->nx, step->form.k, out);
}

/* out = start + dh * (sum_m weight_m g_m) + h * sum_m weight_m dg_m, as in steps.md (7). start may
 * be out. */
static void combine_integrals(const sal_motion *motion, int lanes, const double *dh,
                              const sal_weights *w, double *const *dk, const double *start,
                              double *out)
{
    const sal_step *step = &motion->step;
    const int       first = (step->nx + motion->field.system->nmu) * lanes;
    step->sums->gather(step->ng * lanes, start, step->h, w, dk, first, out);
    add_lengths(motion, lanes, dh, w, step->ng, step->form.g, out);
}

/* Computes dk and dg of one stage, steps.md (5), from dT and dX in du. */
static void slope_tangent(sal_motion *motion, const sal_tangent *tangent, int i, double *dk)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = tangent->lanes, half = system->n * lanes;
    const double        *dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q);
    sal_motion_restore(motion, i);
    memcpy(dk, dX + half, (size_t)half * sizeof *dk); /* f = (v, a), so dk = (dX_v, da) */
    sal_field_stage_tangent(&motion->field, tangent->du, lanes, dk + half);
}

/* dT, dX, dk and dg of one stage: steps.md (3), (4), (5). */
static void stage_tangent(sal_motion *motion, const sal_tangent *tangent, const double *dh,
                          double *const *dk, int i)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = tangent->lanes;
    double              *dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q);
    double              *dT = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_T);
    combine_tangent(motion, lanes, dh, &motion->step.A[i], dk, tangent->dx, dX);
    for (int l = 0; l < lanes; l++)
        dT[l] = tangent->dt[l] + (dh ? motion->step.tableau->c[i] * dh[l] : 0.0);
    slope_tangent(motion, tangent, i, dk[i]);
}

void sal_motion_tangent(sal_motion *motion, sal_tangent *tangent, const double *dh, bool dense)
{
    const sal_step    *step = &motion->step;
    const sal_tableau *tableau = step->tableau;
    const int          stages = dense ? tableau->stages_dense : tableau->stages;
    const int          lanes = tangent->lanes;
    double *const     *dk = sal_motion_dk(motion, lanes);
    for (int i = 0; i < stages; i++) stage_tangent(motion, tangent, dh, dk, i);
    combine_tangent(motion, lanes, dh, &step->b, dk, tangent->dx, tangent->dx);
    combine_integrals(motion, lanes, dh, &step->b, dk, tangent->dz, tangent->dz);
    for (int l = 0; l < lanes; l++) tangent->dt[l] += dh ? dh[l] : 0.0;
}

void sal_motion_tangent_at(const sal_motion *motion, const sal_tangent *start, double theta,
                           double *dx, double *dz)
{
    const int S = motion->step.tableau->stages_dense;
    int       all[SAL_MAX_STAGES];
    for (int i = 0; i < S; i++) all[i] = i;
    assert(motion->dk_lanes == start->lanes);
    sal_tableau_dense(motion->step.tableau, motion->step.chords, theta, motion->step.beta);
    const sal_weights beta = {S, all, motion->step.beta};
    combine_tangent(motion, start->lanes, NULL, &beta, motion->dk, start->dx, dx);
    combine_integrals(motion, start->lanes, NULL, &beta, motion->dk, start->dz, dz);
}

/* ---- tangent: onto an event ------------------------------------------------------------------ */

/* dk and dg of a stage at the perturbations dt, dx + part * dslope. */
static void slope_at_tangent(sal_motion *motion, const sal_tangent *tangent, double part,
                             const double *dslope, int i, double *dk)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = tangent->lanes, count = motion->step.nx * lanes;
    double              *dX = sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_Q);
    memcpy(sal_lanes_at(system, tangent->du, lanes, SAL_LEAF_T), tangent->dt,
           (size_t)lanes * sizeof *dX);
    for (int c = 0; c < count; c++) dX[c] = tangent->dx[c] + (dslope ? part * dslope[c] : 0.0);
    slope_tangent(motion, tangent, i, dk);
}

/* steps.md (17), (18), (19), for the delta of the step. */
void sal_motion_extend_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const sal_step *step = &motion->step;
    const int       lanes = tangent->lanes, count = step->nx * lanes;
    const int       end = step->tableau->end_stage, middle = sal_step_middle(step);
    double *const  *dk = sal_motion_dk(motion, lanes);
    const double   *dg = dk[middle] + count + motion->field.system->nmu * lanes;
    if (step->delta == 0.0) return;
    slope_at_tangent(motion, tangent, 0.0, NULL, end, dk[end]);
    slope_at_tangent(motion, tangent, 0.5 * step->delta, dk[end], middle, dk[middle]);
    for (int c = 0; c < count; c++) tangent->dx[c] += step->delta * dk[middle][c];
    for (int c = 0; c < step->ng * lanes; c++) tangent->dz[c] += step->delta * dg[c];
}

void sal_motion_advance_tangent(sal_motion *motion, sal_tangent *tangent)
{
    sal_motion_tangent(motion, tangent, NULL, false);
    sal_motion_extend_tangent(motion, tangent);
}

/* steps.md (23) and (24). Overwrites dk, so sal_motion_tangent_at cannot follow. */
void sal_motion_delta_tangent(sal_motion *motion, sal_tangent *tangent)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    const int            end = step->tableau->end_stage, middle = sal_step_middle(step);
    const double        *k = sal_step_k(step, middle), *g = sal_step_g(step, middle);
    double              *dk = sal_motion_dk(motion, 1)[middle], *dg = dk + step->nx + system->nmu;
    tangent->lanes = 1;
    memset(tangent->du, 0, (size_t)system->layout.size * sizeof(double));
    tangent->dt[0] = 0.5;
    for (int i = 0; i < step->nx; i++) tangent->dx[i] = 0.5 * sal_step_k(step, end)[i];
    slope_at_tangent(motion, tangent, 0.0, NULL, middle, dk);
    tangent->dt[0] = 1.0;
    for (int i = 0; i < step->nx; i++) tangent->dx[i] = k[i] + step->delta * dk[i];
    for (int i = 0; i < step->ng; i++) tangent->dz[i] = g[i] + step->delta * dg[i];
}

/* ---- adjoint --------------------------------------------------------------------------------- */

/* Zeroes the entries for a and mu, which the next adjoint expects to be zero. */
static void clear_reactions(const sal_motion *motion, const sal_adjoint *adjoint)
{
    const saltus_system *system = motion->field.system;
    memset(sal_lanes_at(system, adjoint->u_bar, adjoint->lanes, SAL_LEAF_A), 0,
           (size_t)(system->unknowns * adjoint->lanes) * sizeof(double));
}

static double *stage_bar_of(const sal_motion *motion, int stage, int lanes)
{
    return motion->stage_bar + stage * sal_whole_fours(motion->step.nx * lanes);
}

/* Writes the seed of stage i, steps.md (8): k_bar = h (b_i x_bar + sum_{j > i} a_ji X_bar_j), room
 * for multipliers, g_bar = h b_i z_bar. bar: the X_bar_j, then x_bar. */
static void seed_stage(sal_motion *motion, const sal_adjoint *adjoint, double *const *bar, int i)
{
    const sal_step    *step = &motion->step;
    const sal_weights *column = &motion->column[i];
    const int          lanes = adjoint->lanes, count = step->nx * lanes;
    const double       b = step->h * step->tableau->b[i];
    step->sums->gather(sal_whole_fours(count), NULL, step->h, column, bar, 0, motion->seed);
    double *g_bar = motion->seed + count + motion->field.system->nmu * lanes;
    for (int c = 0; c < step->ng * lanes; c++) g_bar[c] = b * adjoint->z_bar[c];
}

/* X_bar_i, and T_bar_i (left in u_bar), of one stage: steps.md (9).
 *
 * The field takes k_bar_v, the part for velocities, and g_bar through a and g to (q_bar, v_bar),
 * which it leaves in u_bar. As f = (v, a), the part for positions, k_bar_q, is directly an adjoint
 * of v: X_bar = (q_bar, v_bar + k_bar_q), steps.md (14). The seed has n zeros (per lane) before
 * k_bar, so (0, k_bar_q) begins there, and X_bar is one sum. */
static void stage_adjoint(sal_motion *motion, const sal_adjoint *adjoint, int i, double *X_bar)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = adjoint->lanes, half = system->n * lanes;
    sal_motion_restore(motion, i);
    sal_field_stage_adjoint(&motion->field, motion->seed + half, lanes, adjoint->u_bar);
    const double *q_bar = sal_lanes_at(system, adjoint->u_bar, lanes, SAL_LEAF_Q);
    const double *zero_and_k_bar_q = motion->seed - half;
    motion->step.sums->add_to_fresh(sal_whole_fours(2 * half), q_bar, zero_and_k_bar_q, X_bar);
}

/* Adds to h_bar the contribution of X_i = x + h sum_j a_ij k_j and T_i = t + c_i h, the second line
 * of steps.md (12). */
static void length_adjoint(const sal_motion *motion, const sal_adjoint *adjoint, int i,
                           double *h_bar)
{
    const sal_step    *step = &motion->step;
    const sal_weights *w = &step->A[i];
    const int          lanes = adjoint->lanes;
    const double      *X_bar = stage_bar_of(motion, i, lanes);
    const double *T_bar = sal_lanes_at(motion->field.system, adjoint->u_bar, lanes, SAL_LEAF_T);
    step->sums->gather(step->nx, NULL, 1.0, w, step->row, step->form.k, motion->slope);
    for (int c = 0; c < step->nx; c++)
        for (int l = 0; l < lanes; l++) h_bar[l] += motion->slope[c] * X_bar[c * lanes + l];
    for (int l = 0; l < lanes; l++) h_bar[l] += step->tableau->c[i] * T_bar[l];
}

/* Sets h_bar to the contribution of the end, the first line of steps.md (12). */
static void end_length_adjoint(const sal_motion *motion, const sal_adjoint *adjoint, double *h_bar)
{
    const sal_step *step = &motion->step;
    const int       lanes = adjoint->lanes;
    for (int l = 0; l < lanes; l++) h_bar[l] = adjoint->t_bar[l];
    for (int c = 0; c < step->nx + step->ng; c++) {
        const bool    state = c < step->nx;
        const int     i = state ? c : c - step->nx;
        const double *bar = state ? adjoint->x_bar : adjoint->z_bar;
        double        slope = 0.0;
        for (int m = 0; m < step->b.count; m++) {
            const int j = step->b.index[m];
            slope += step->b.value[m] * (state ? sal_step_k(step, j) : sal_step_g(step, j))[i];
        }
        for (int l = 0; l < lanes; l++) h_bar[l] += slope * bar[i * lanes + l];
    }
}

void sal_motion_adjoint(sal_motion *motion, sal_adjoint *adjoint, double *h_bar)
{
    const int     lanes = adjoint->lanes, count = sal_whole_fours(motion->step.nx * lanes);
    const double *T_bar = sal_lanes_at(motion->field.system, adjoint->u_bar, lanes, SAL_LEAF_T);
    double       *bar[SAL_MAX_STAGES], one[SAL_MAX_STAGES];
    if (!h_bar && sal_fast_adjoint(motion, adjoint)) return;
    if (h_bar) end_length_adjoint(motion, adjoint, h_bar);
    for (int i = 0; i < motion->stages_differentiated; i++) {
        bar[i] = stage_bar_of(motion, i, lanes);
        one[i] = 1.0;
    }
    bar[motion->stages_differentiated] = adjoint->x_bar;
    for (int i = motion->stages_differentiated - 1; i >= 0; i--) {
        seed_stage(motion, adjoint, bar, i);
        stage_adjoint(motion, adjoint, i, bar[i]);
        if (h_bar) length_adjoint(motion, adjoint, i, h_bar);
        for (int l = 0; l < lanes; l++) adjoint->t_bar[l] += T_bar[l];
    }
    motion->step.sums->combine(count, adjoint->x_bar, 1.0, motion->stages_differentiated, one,
                               (const double *const *)bar, adjoint->x_bar);
    clear_reactions(motion, adjoint);
}

/* ---- adjoint: onto an event ------------------------------------------------------------------ */

/* Adds to x_bar and t_bar the contribution of the slope of stage i, whose adjoint is in the seed;
 * leaves X_bar in motion->end_bar. */
static void slope_adjoint(sal_motion *motion, sal_adjoint *adjoint, int i)
{
    const saltus_system *system = motion->field.system;
    const int            lanes = adjoint->lanes, count = motion->step.nx * lanes;
    stage_adjoint(motion, adjoint, i, motion->end_bar);
    for (int c = 0; c < count; c++) adjoint->x_bar[c] += motion->end_bar[c];
    for (int l = 0; l < lanes; l++)
        adjoint->t_bar[l] += sal_lanes_at(system, adjoint->u_bar, lanes, SAL_LEAF_T)[l];
}

/* steps.md (20), (21), (22). */
void sal_motion_extend_adjoint(sal_motion *motion, sal_adjoint *adjoint)
{
    const sal_step *step = &motion->step;
    const int       lanes = adjoint->lanes, count = step->nx * lanes;
    double         *g_bar = motion->seed + count + motion->field.system->nmu * lanes;
    if (step->delta == 0.0) return;
    for (int c = 0; c < count; c++) motion->seed[c] = step->delta * adjoint->x_bar[c];
    for (int c = 0; c < step->ng * lanes; c++) g_bar[c] = step->delta * adjoint->z_bar[c];
    slope_adjoint(motion, adjoint, sal_step_middle(step));
    for (int c = 0; c < count; c++) motion->seed[c] = 0.5 * step->delta * motion->end_bar[c];
    memset(g_bar, 0, (size_t)(step->ng * lanes) * sizeof *g_bar);
    slope_adjoint(motion, adjoint, step->tableau->end_stage);
    clear_reactions(motion, adjoint);
}

/* ---- estimates of the errors of tangents and adjoints ---------------------------------------- */

/* h * sum_i e_i dk_i, for states and integrals one after the other: steps.md (25). */
static void embedded_error(const sal_motion *motion, int lanes, const sal_weights *e,
                           double *const *dk, double *out)
{
    const int nx = motion->step.nx * lanes;
    combine_tangent(motion, lanes, NULL, e, dk, NULL, out);
    combine_integrals(motion, lanes, NULL, e, dk, NULL, out + nx);
}

void sal_motion_tangent_errors(const sal_motion *motion, int lanes, double *main, double *second)
{
    double *const *dk = motion->dk;
    assert(motion->dk_lanes == lanes);
    embedded_error(motion, lanes, &motion->step.e_main, dk, main);
    if (motion->step.tableau->e_second)
        embedded_error(motion, lanes, &motion->step.e_second, dk, second);
}

/* Writes the seed of stage i, h (e_i x_bar + sum_{j > i} a_ji X_bar_j) and h e_i z_bar, steps.md
 * (26), in one lane for each of the two estimates. bar: the X_bar_j of the stages that x1 depends
 * on, then zeros, or the X_bar of the end stage if the method has one more (dopri5): there
 * a_end,j = b_j, so the weights of x1_bar in `column` are the right ones. */
static void seed_errors(sal_motion *motion, const sal_adjoint *end, int lane, double *const *bar,
                        int i)
{
    const sal_step    *step = &motion->step;
    const sal_tableau *tableau = step->tableau;
    const int          L = end->lanes;
    const double       main = step->h * tableau->e_main[i];
    const double       second = tableau->e_second ? step->h * tableau->e_second[i] : 0.0;
    double            *g_bar = motion->seed + 2 * (step->nx + motion->field.system->nmu);
    if (i < motion->stages_differentiated)
        step->sums->gather(2 * step->nx, NULL, step->h, &motion->column[i], bar, 0, motion->seed);
    else memset(motion->seed, 0, 2 * (size_t)step->nx * sizeof(double));
    for (int c = 0; c < step->nx; c++) {
        motion->seed[2 * c] += main * end->x_bar[c * L + lane];
        motion->seed[2 * c + 1] += second * end->x_bar[c * L + lane];
    }
    for (int c = 0; c < step->ng; c++) {
        g_bar[2 * c] = main * end->z_bar[c * L + lane];
        g_bar[2 * c + 1] = second * end->z_bar[c * L + lane];
    }
}

/* steps.md (27), with the seeds of seed_errors. */
void sal_motion_adjoint_errors(sal_motion *motion, const sal_adjoint *end, int lane,
                               sal_adjoint *errors)
{
    const int    count = 2 * motion->step.nx, stages = motion->step.tableau->stages;
    const size_t size = (size_t)count * sizeof(double);
    double      *bar[SAL_MAX_STAGES];
    errors->lanes = 2;
    memset(errors->x_bar, 0, size);
    memset(errors->u_bar, 0, 2 * (size_t)motion->field.system->layout.size * sizeof(double));
    for (int i = 0; i <= motion->stages_differentiated; i++) bar[i] = stage_bar_of(motion, i, 2);
    memset(bar[motion->stages_differentiated], 0, size);
    for (int i = stages - 1; i >= 0; i--) {
        seed_errors(motion, end, lane, bar, i);
        stage_adjoint(motion, errors, i, bar[i]);
        for (int c = 0; c < count; c++) errors->x_bar[c] += bar[i][c];
    }
}
