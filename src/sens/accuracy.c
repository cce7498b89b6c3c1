/* Decides which steps are checked for the errors of tangents and adjoints, sums these errors, and
 * judges whether they are small enough: see accuracy.h. */
#include "sens/accuracy.h"

#include <math.h>

/* Over all steps, the relative error of tangents may be LOST times the tolerance of a step, but at
 * most MAX_LOST: with a loose tolerance, no digits would be left otherwise. */
static const double LOST = 1e3, MAX_LOST = 0.03;
/* If a step is divided for its tangents, each part may have this error, in tolerances. */
static const double LOST_IN_PART = 10.0;
static const double OUT_OF_PROPORTION = 1e-6, MUCH_SHORTER = 0.7;
/* The error of a derivative is compared with at least this part of the largest derivative, both
 * times the values of their parameters. */
static const double SMALL_SHARE = 0.03;
enum { LOOK_EVERY = 4, LOOK_BACK_FIRST = 4, LOOK_BACK_EVERY = 32 };

bool sal_accuracy_init(sal_accuracy *accuracy, const saltus_system *system, int extra, int lanes,
                       sal_arena *arena)
{
    const int groups = 2 + extra, numbers = (2 * system->n + extra) * lanes;
    *accuracy = (sal_accuracy){.n = system->n,
                               .groups = groups,
                               .lanes = lanes,
                               .error = ARENA_NEW(arena, groups * lanes, double),
                               .size = ARENA_NEW(arena, groups * lanes, double),
                               .motion = ARENA_NEW(arena, groups, double),
                               .main = ARENA_NEW(arena, numbers, double),
                               .second = ARENA_NEW(arena, numbers, double)};
    return !arena->failed;
}

void sal_accuracy_begin(sal_accuracy *accuracy, int lanes)
{
    accuracy->lanes = lanes;
    sal_zero(accuracy->error, accuracy->groups * lanes);
    sal_zero(accuracy->size, accuracy->groups * lanes);
    sal_zero(accuracy->motion, accuracy->groups);
    accuracy->passed = accuracy->lane = accuracy->soon = 0;
    accuracy->steps = 0;
    accuracy->interval = LOOK_BACK_FIRST;
    sal_accuracy_attend(accuracy);
}

void sal_accuracy_attend(sal_accuracy *accuracy)
{
    accuracy->h = INFINITY;
    accuracy->soon++;
}

/* The number of steps that a check of this step represents; 0: it is not checked. */
static int stands_for(sal_accuracy *a, double h)
{
    a->steps++;
    const bool look = ++a->passed >= LOOK_EVERY || h < MUCH_SHORTER * a->h;
    const int  steps = a->passed;
    a->h = h;
    if (look) a->passed = 0;
    return look ? steps : 0;
}

/* The allowed error of tangents or adjoints over all steps, relative to their size. In long runs it
 * is the tolerance for each step. */
static double may_lose(const sal_accuracy *a, double rtol)
{
    return fmin(fmax(LOST, (double)a->steps) * rtol, MAX_LOST);
}

static double larger(double a, double b) { return b > a ? b : a; }

/* Raises `most` to the largest magnitude of each lane in the rows of a group. Group 0 is positions,
 * group 1 velocities; each integral or parameter is a further group. */
static void largest(const sal_accuracy *a, const sal_motion *motion, int group,
                    const double *states, const double *others, double *most)
{
    const int     L = a->lanes, rows = group < 2 ? a->n : 1;
    const double *row =
        group < 2 ? states + (ptrdiff_t)(group * a->n) * L : others + (ptrdiff_t)(group - 2) * L;
    motion->step.sums->largest(rows, L, row, most);
}

/* The error of a group, by lane, by the formula of tableau.h. */
static void errors_of(const sal_accuracy *a, const sal_motion *motion, int group, double *error)
{
    const ptrdiff_t others = (ptrdiff_t)(2 * a->n) * a->lanes;
    double          second[SALTUS_TANGENTS] = {0.0};
    sal_zero(error, a->lanes);
    largest(a, motion, group, a->main, a->main + others, error);
    if (!motion->step.tableau->e_second) return;
    largest(a, motion, group, a->second, a->second + others, second);
    for (int l = 0; l < a->lanes; l++) {
        const double ratio = second[l] / error[l];
        if (error[l] > 0.0 && error[l] < INFINITY) error[l] /= sqrt(1.0 + 0.01 * ratio * ratio);
    }
}

/* Notes the size of a component of the motion, which is taken to be at least its tolerance. */
static void note_component(sal_accuracy *a, const sal_step *step, int group, int i, double x)
{
    const double least = step->atol[i] / step->ends.rtol, here = larger(fabs(x), least);
    a->motion[group] = larger(a->motion[group], here);
}

static void note_states(sal_accuracy *a, const sal_step *step)
{
    for (int i = 0; i < step->nx; i++) note_component(a, step, i >= a->n, i, step->x0[i]);
}

static void note_motion(sal_accuracy *a, const sal_step *step)
{
    note_states(a, step);
    for (int i = 0; i < step->ng; i++)
        note_component(a, step, 2 + i, step->nx + i, step->z0[i] + step->dz[i]);
}

void sal_accuracy_note(sal_accuracy *accuracy, const sal_motion *motion, const sal_tangent *tangent)
{
    const int L = accuracy->lanes, steps = stands_for(accuracy, motion->step.h);
    double    error[SALTUS_TANGENTS];
    if (steps == 0) return;
    sal_motion_tangent_errors(motion, L, accuracy->main, accuracy->second);
    note_motion(accuracy, &motion->step);
    if (!motion->step.sums->finite(2 * accuracy->n * L, tangent->dx))
        for (int i = 0; i < accuracy->groups * L; i++)
            accuracy->error[i] = accuracy->size[i] = INFINITY;
    for (int g = 0; g < accuracy->groups; g++) {
        errors_of(accuracy, motion, g, error);
        for (int l = 0; l < L; l++) accuracy->error[g * L + l] += steps * error[l];
        largest(accuracy, motion, g, tangent->dx, tangent->dz, accuracy->size + (ptrdiff_t)g * L);
    }
}

/* The scale for the errors of a group. Where tangents overflow, it is a number from which the next
 * walk finds smaller ones. */
static double scale_of(const sal_accuracy *a, int group, int lane, double value)
{
    const double size = fmin(a->size[group * a->lanes + lane], 1e150);
    return value != 0.0 ? larger(size, OUT_OF_PROPORTION * a->motion[group] / fabs(value)) : size;
}

/* Whether an error is at most this part of the scale. */
static bool is_below(double error, double lost, double scale)
{
    return error <= lost * scale && error < INFINITY;
}

bool sal_accuracy_suffices(const sal_accuracy *accuracy, double rtol, const double *value,
                           int count)
{
    const double lost = may_lose(accuracy, rtol);
    for (int g = 0; g < accuracy->groups; g++)
        for (int l = 0; l < count; l++)
            if (!is_below(accuracy->error[g * accuracy->lanes + l], lost,
                          scale_of(accuracy, g, l, value[l])))
                return false;
    return true;
}

bool sal_accuracy_is_lost(const sal_accuracy *accuracy, const sal_accuracy *before,
                          const double *value, int count)
{
    for (int g = 0; g < accuracy->groups; g++)
        for (int l = 0; l < count; l++) {
            const int i = g * accuracy->lanes + l;
            if (!is_below(accuracy->error[i], MAX_LOST, scale_of(accuracy, g, l, value[l])) &&
                (!before || !(accuracy->size[i] >= 0.5 * before->size[i]) ||
                 before->size[i] == INFINITY))
                return true;
        }
    return false;
}

double sal_accuracy_excess(const sal_accuracy *accuracy, const sal_motion *motion, double rtol,
                           const double *value, int count)
{
    const double lost = fmin(LOST_IN_PART * rtol, MAX_LOST / LOST * LOST_IN_PART);
    double       error[SALTUS_TANGENTS], most = 0.0;
    sal_motion_tangent_errors(motion, accuracy->lanes, accuracy->main, accuracy->second);
    for (int g = 0; g < accuracy->groups; g++) {
        errors_of(accuracy, motion, g, error);
        for (int l = 0; l < count; l++) {
            const double scale = scale_of(accuracy, g, l, value[l]);
            if (scale > 0.0) most = larger(most, error[l] / (lost * scale));
        }
    }
    return most;
}

/* ---- backward ------------------------------------------------------------------------------- */

bool sal_accuracy_due_back(sal_accuracy *accuracy, double h)
{
    const bool shorter = h < MUCH_SHORTER * accuracy->h && accuracy->h < INFINITY;
    accuracy->passed++;
    accuracy->steps++;
    accuracy->h = h;
    return shorter || accuracy->passed + accuracy->soon >= accuracy->interval;
}

static void note_adjoints(sal_accuracy *a, const sal_motion *motion, const sal_adjoint *adjoint)
{
    const int     L = a->lanes;
    const double *p_bar = sal_lanes_at(motion->field.system, adjoint->u_bar, L, SAL_LEAF_P);
    for (int g = 0; g < a->groups; g++)
        largest(a, motion, g, adjoint->x_bar, p_bar, a->size + (ptrdiff_t)g * L);
}

void sal_accuracy_note_back(sal_accuracy *accuracy, sal_motion *motion, const sal_adjoint *adjoint,
                            int lanes_used, sal_adjoint *errors)
{
    const saltus_system *system = motion->field.system;
    const int            lane = accuracy->lane % lanes_used, L = accuracy->lanes;
    const int            states = 2 * accuracy->n, rows = states + system->np;
    const double        *p_error = errors->u_bar + (ptrdiff_t)system->layout.at[SAL_LEAF_P] * 2;
    /* number of steps that this check of one lane represents, with a limit */
    const double steps = fmin((double)accuracy->passed * lanes_used, LOOK_BACK_EVERY);
    sal_motion_adjoint_errors(motion, adjoint, lane, errors);
    for (int i = 0; i < rows; i++) {
        const double *error = i < states ? errors->x_bar + 2 * i : p_error + 2 * (i - states);
        accuracy->main[i * L + lane] = error[0];
        accuracy->second[i * L + lane] = error[1];
    }
    for (int g = 0; g < accuracy->groups; g++) {
        double error[SALTUS_TANGENTS];
        errors_of(accuracy, motion, g, error);
        accuracy->error[g * L + lane] += steps * error[lane];
    }
    note_states(accuracy, &motion->step);
    note_adjoints(accuracy, motion, adjoint);
    accuracy->lane = lane + 1;
    accuracy->passed = accuracy->soon = 0;
    if (accuracy->interval < LOOK_BACK_EVERY) accuracy->interval *= 2;
}

/* The size of the states or parameters of a group, by which its adjoints are multiplied. */
static double weight_of(const sal_accuracy *a, int group, const double *value)
{
    return group < 2 ? a->motion[group] : fabs(value[group - 2]);
}

static bool lane_suffices(const sal_accuracy *a, int lane, double lost, const double *value)
{
    const int L = a->lanes;
    double    result = 0.0;
    for (int g = 0; g < a->groups; g++)
        result = larger(result, a->size[g * L + lane] * weight_of(a, g, value));
    for (int g = 0; g < a->groups; g++) {
        const double weight = weight_of(a, g, value), size = a->size[g * L + lane];
        const double share = g < 2 ? 1.0 : SMALL_SHARE;
        const double scale = weight > 0.0 ? larger(size, share * result / weight) : size;
        if (!is_below(a->error[g * L + lane], lost, scale)) return false;
    }
    return true;
}

bool sal_accuracy_suffices_back(sal_accuracy *accuracy, const sal_motion *motion,
                                const sal_adjoint *adjoint, double rtol, const double *value,
                                int lanes_used)
{
    const double lost = may_lose(accuracy, rtol);
    note_adjoints(accuracy, motion, adjoint);
    for (int l = 0; l < lanes_used; l++)
        if (!lane_suffices(accuracy, l, lost, value)) return false;
    return true;
}
