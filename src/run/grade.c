/* Short steps beside kinks: see grade.h. */
#include "run/grade.h"

#include <float.h>
#include <math.h>

/* Towards the kink a step leaves a quarter of the way; one that is to meet it goes a little
 * further, to find it inside. Times below NEAREST of the horizon are rounding. */
static const double PART = 0.75, BEYOND = 1.1, NEAREST = 1e-13;
/* How an error that contains the kink goes with the length of a step. The power itself need not be
 * known: what is too long is rejected again, and what is too short grows. */
static const double POWER = 1.5, SHRINK_MOST = 1e-4;

static void look_at(saltus_run *run, int e, sal_grade *grade)
{
    const sal_watch *watch = &run->cursor.watch[e];
    const double    *a = sal_step_k(&run->flow.step, 0) + run->system->n;
    double           rate;
    const double     r =
        watch->side * sal_locator_guard(&run->locator, e, run->cursor.t, run->cursor.x, a, &rate);
    rate *= watch->side;
    const double time = fmax(r, 0.0) / fabs(rate);
    if (!isfinite(time)) return;
    if (rate > 0.0) grade->behind = fmin(grade->behind, time);
    else if (time > NEAREST * grade->span) grade->ahead = fmin(grade->ahead, time);
}

sal_grade sal_grade_look(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    sal_grade         grade = {INFINITY, INFINITY, run->t_end - run->t0};
    if (!run->system->graded) return grade;
    for (int i = 0; i < regime->events; i++)
        if (run->system->event[regime->event[i]].guard_is_base)
            look_at(run, regime->event[i], &grade);
    if (grade.ahead == INFINITY) run->cursor.landing = INFINITY;
    return grade;
}

static bool meets(const sal_grade *grade, double h) { return h >= PART * grade->ahead; }

double sal_grade_limit(const saltus_run *run, const sal_grade *grade, double h)
{
    if (!meets(grade, h)) return h;
    return fmin(h, (grade->ahead > run->cursor.landing ? PART : BEYOND) * grade->ahead);
}

/* What rounding makes of the error of a step: weighed, it would be taken for more. */
static double rounding(const saltus_run *run)
{
    const sal_step *step = &run->flow.step;
    const double   *k = sal_step_k(step, 0);
    double          most = 0.0;
    for (int i = 0; i < step->nx; i++)
        most =
            fmax(most, fabs(k[i]) / (step->atol[i] + run->options.rtol * fabs(run->cursor.x[i])));
    return 4.0 * DBL_EPSILON * step->h * most;
}

double sal_grade_weight(const saltus_run *run, const sal_grade *grade, double error)
{
    const double time = fmin(grade->ahead, grade->behind + run->flow.step.h);
    if (!(time < grade->span) || error <= rounding(run)) return 1.0;
    return grade->span / time;
}

double sal_grade_shorter(saltus_run *run, const sal_grade *grade, double h, double error)
{
    const double part = fmax(SHRINK_MOST, 0.5 * pow(error, -1.0 / POWER));
    if (!isfinite(error)) return h;
    if (meets(grade, h)) {
        if (grade->ahead <= run->cursor.landing) run->cursor.landing = part * grade->ahead;
        return fmin(h, PART * grade->ahead);
    }
    return grade->behind < 0.1 * h ? part * h : h;
}
