/* Singular positions that the motion passes.
 *
 * Where constraints depend on each other in one position only (a parallelogram lying flat), the
 * motion after it is not determined; yet a step may jump over it unnoticed. Each stage of a step
 * leaves a few numbers, one of which vanishes there: pivots of constraints or the like. Each number
 * is compared with its largest recent value. If one has fallen much, the constraints themselves are
 * examined, and if they come close to depending on each other inside this step, the place where
 * they are closest is found. */
#include "run/advance.h"

#include <math.h>

#include "compile/solved.h"

enum { PARTS = 8, REFINEMENTS = 60 };
/* The distance of constraints from depending on each other is the square of a sine, and this sine
 * goes to zero and back in straight lines. If it does so inside a step, some stage is near: its
 * sine is at most this part of the largest one in the step, since the nodes of a method are at most
 * half a step apart. */
static const double FALL = 0.6;
/* The square of a sine that is too small for anything to be computed accurately. */
static const double ALL_BUT_ZERO = 1e-12;

/* ---- numbers of stages ------------------------------------------------------------------------
 * Solved kernels store pivots after the monitor in a row; factorisations measure how far apart
 * constraints are. Both kinds of stages may be in one step; each kind is followed separately. */

static bool is_by_solved(const sal_motion *motion, int stage)
{
    return motion->factors[stage].by_solved;
}

static int last_stage(const saltus_run *run)
{
    const sal_tableau *tableau = run->motion.step.tableau;
    return tableau->end_stage < tableau->stages ? tableau->stages - 1 : tableau->end_stage;
}

/* The numbers of a stage of this kind. */
static const double *numbers_of(const saltus_run *run, int stage, bool by_solved)
{
    return by_solved ? run->motion.step.row[stage] + sal_row_pivots(run->system)
                     : run->motion.factors[stage].apart;
}

/* The number of stages whose numbers are from solved kernels. The first stage is left out, as it is
 * the end of the last step. */
static int count_by_solved(const saltus_run *run)
{
    int count = 0;
    for (int i = last_stage(run); i > 0; i--) count += is_by_solved(&run->motion, i);
    return count;
}

/* Finds the range of each number over the stages of this kind, of which there are some. */
static void find_min_max(const saltus_run *run, bool by_solved, int stages, int count, double *low,
                         double *high)
{
    const int last = last_stage(run);
    bool      found = false;
    if (by_solved && stages == last) {
        sal_motion_pivot_ranges(&run->motion, count, low, high);
        return;
    }
    for (int i = 1; i <= last; i++) {
        if (is_by_solved(&run->motion, i) != by_solved) continue;
        const double *number = numbers_of(run, i, by_solved);
        for (int k = 0; k < count; k++) {
            low[k] = found && low[k] < number[k] ? low[k] : number[k];
            high[k] = found && high[k] > number[k] ? high[k] : number[k];
        }
        found = true;
    }
}

/* The stage of this kind where a number is closest to zero. */
static int weakest_stage(const saltus_run *run, bool by_solved, int k)
{
    double least = INFINITY;
    int    weakest = last_stage(run);
    for (int i = weakest; i > 0; i--) {
        if (is_by_solved(&run->motion, i) != by_solved) continue;
        const double number = fabs(numbers_of(run, i, by_solved)[k]);
        if (!(number < least)) continue;
        weakest = i;
        least = number;
    }
    return weakest;
}

/* Whether a number, which lies between low and high in this step, has fallen to this part of its
 * largest value. If so, it is followed anew from here. */
static bool has_fallen(double low, double high, double part, double *largest)
{
    const double a = fabs(low), b = fabs(high), most = a > b ? a : b;
    const double least = low * high <= 0.0 ? 0.0 : a > b ? b : a;
    if (most > *largest) *largest = most;
    if (least >= part * *largest) return false;
    *largest = least;
    return true;
}

/* The part of its largest value to which a number must fall. Pivots of solved kernels are squares
 * of sines, except in the null space, where they are determinants. */
static double fall_of(const saltus_run *run, bool by_solved)
{
    const sal_solved *solved = run->motion.field.solved;
    return !by_solved || (solved && solved->way < SAL_NULL_SPACE) ? FALL * FALL : FALL;
}

/* Stages, one bit each, in which a number of this kind has fallen. low, high: the ranges of the
 * numbers. */
static unsigned fallen_stages(saltus_run *run, bool by_solved, int count, const double *low,
                              const double *high)
{
    const double part = fall_of(run, by_solved);
    double      *largest = run->singular.largest[by_solved];
    unsigned     stages = 0;
    for (int k = 0; k < count; k++)
        if (has_fallen(low[k], high[k], part, &largest[k]))
            stages |= 1u << weakest_stage(run, by_solved, k);
    return stages;
}

static unsigned suspicious_stages(saltus_run *run)
{
    const sal_solved *solved = run->motion.field.solved;
    const int         by_solved = count_by_solved(run);
    const int         stages[2] = {last_stage(run) - by_solved, by_solved};
    const int         count[2] = {run->system->nmu, solved ? solved->pivots : 0};
    double           *low = run->singular.range[0], *high = run->singular.range[1];
    unsigned          suspicious = 0;
    for (int kind = 0; kind < 2; kind++) {
        if (stages[kind] == 0 || count[kind] == 0) continue;
        find_min_max(run, kind, stages[kind], count[kind], low, high);
        suspicious |= fallen_stages(run, kind, count[kind], low, high);
    }
    return suspicious;
}

/* ---- the position itself -------------------------------------------------------------------- */

/* How far constraints are from depending on each other at (t, x). */
static double apart_at(saltus_run *run, double t, const double *x)
{
    sal_field_put(&run->locator.field, t, x);
    return sal_field_independence(&run->locator.field);
}

static double apart_inside(saltus_run *run, double theta)
{
    const sal_step *step = &run->motion.step;
    sal_step_at(step, theta, run->locator.x, NULL);
    return apart_at(run, step->t + theta * step->h, run->locator.x);
}

/* A bracket around a minimum, and two places inside it. */
typedef struct bracket {
    double low, a, b, high;
    double at_low, at_a, at_b, at_high;
} bracket;

static const double GOLDEN = 0.3819660112501051;

static void narrow(saltus_run *run, bracket *r)
{
    if (r->at_a < r->at_b) {
        r->high = r->b;
        r->at_high = r->at_b;
        r->b = r->a;
        r->at_b = r->at_a;
        r->a = r->low + GOLDEN * (r->high - r->low);
        r->at_a = apart_inside(run, r->a);
    } else {
        r->low = r->a;
        r->at_low = r->at_a;
        r->a = r->b;
        r->at_a = r->at_b;
        r->b = r->high - GOLDEN * (r->high - r->low);
        r->at_b = apart_inside(run, r->b);
    }
}

/* The smallest value in a bracket whose ends are known, by golden section. Stops once it is clear
 * that the minimum is not zero: a square that reaches zero inside is much smaller there than at one
 * of the ends. */
static double smallest_in(saltus_run *run, bracket *r, double *theta)
{
    r->a = r->low + GOLDEN * (r->high - r->low);
    r->b = r->high - GOLDEN * (r->high - r->low);
    r->at_a = apart_inside(run, r->a);
    r->at_b = apart_inside(run, r->b);
    for (int i = 0; i < REFINEMENTS && r->high - r->low > 1e-14; i++) {
        if (fmin(r->at_a, r->at_b) > 0.5 * fmax(r->at_low, r->at_high)) break;
        narrow(run, r);
    }
    *theta = r->at_a < r->at_b ? r->a : r->b;
    return fmin(r->at_a, r->at_b);
}

/* The value below which a position cannot be told from a singular one. A mechanism whose lengths
 * differ by a small part from those of one with a singular position passes it at the root of that
 * part, and the motion is known only to the tolerance. Constraints that give way (penalty) lose
 * their hold earlier. */
static double zero(const saltus_run *run)
{
    const double least = run->motion.field.soft ? 1e-4 : ALL_BUT_ZERO;
    return fmin(fmax(run->options.rtol, least), 1e-2);
}

static void found(saltus_run *run, double t)
{
    if (run->motion.field.soft) {
        run->singular.warned = true;
        sal_run_warn(
            run,
            "near t = %.4g constraints depend on each other, or nearly (links in one line, "
            "a dead point): where the motion goes from there is decided by their errors; "
            "do not trust it before it stays the same with other --omega (100, 1000) and "
            "--tol",
            t);
        return;
    }
    sal_run_finish(run, SALTUS_SINGULAR,
                   "the motion passes a singular position at t = %.10g: constraints depend on each "
                   "other there (links in one line, a dead point), and where it goes from there "
                   "the model does not say; keep away from it, or let the constraints give way "
                   "(--formulation penalty) with a large --omega (100, 1000), and see whether the "
                   "result stays the same with another one",
                   t);
}

/* Finds the place in the step where constraints are closest to depending on each other; returns how
 * close. */
static double closest_inside(saltus_run *run, double start, double end, double *theta)
{
    double at[PARTS + 1] = {start};
    int    least = 0;
    for (int i = 1; i <= PARTS; i++) {
        at[i] = i < PARTS ? apart_inside(run, (double)i / PARTS) : end;
        if (at[i] < at[least]) least = i;
    }
    const int    low = least > 0 ? least - 1 : 0, high = least < PARTS ? least + 1 : PARTS;
    bracket      r = {.low = (double)low / PARTS,
                      .high = (double)high / PARTS,
                      .at_low = at[low],
                      .at_high = at[high]};
    const double inside = smallest_in(run, &r, theta);
    if (inside < fmin(start, end)) return inside;
    *theta = start < end ? 0.0 : 1.0;
    return fmin(start, end);
}

/* Finds the place as closest_inside does if the stages show that constraints come much closer
 * inside the step; otherwise it is one of the ends. */
static double closest(saltus_run *run, unsigned stages, double start, double end, double *theta)
{
    sal_step *step = &run->motion.step;
    double    least = fmin(start, end);
    for (int i = 1; i <= last_stage(run); i++)
        if (stages & 1u << i)
            least = fmin(
                least, apart_at(run, step->t + step->tableau->c[i] * step->h, sal_step_x(step, i)));
    if (least < FALL * FALL * fmax(start, end) && sal_step_dense(step) == 0)
        return closest_inside(run, start, end, theta);
    *theta = start < end ? 0.0 : 1.0;
    return fmin(start, end);
}

/* Examines the constraints in the step. While they come closer to depending on each other, the
 * singular position is still ahead. A motion that starts beside it may move away. */
static void inspect(saltus_run *run, unsigned stages)
{
    const sal_step *step = &run->motion.step;
    const double    start = apart_at(run, step->t, step->x0);
    const double    end = apart_at(run, step->t + step->h, step->x1);
    double          theta;
    const double    least = closest(run, stages, start, end, &theta);
    if (least < zero(run) && theta > 0.0) {
        run->singular.nearest = least;
        run->singular.nearest_t = step->t + theta * step->h;
    }
    if (run->singular.nearest < INFINITY && (theta < 1.0 || least < ALL_BUT_ZERO)) {
        run->singular.nearest = INFINITY;
        found(run, run->singular.nearest_t);
    }
}

/* Begins to follow the numbers of a regime that was just entered. */
static void follow(saltus_run *run, const sal_regime *regime)
{
    run->singular.regime = regime;
    run->singular.nearest = INFINITY;
    for (int j = 0; j < run->system->nmu; j++) {
        run->singular.largest[true][j] = 0.0;
        run->singular.largest[false][j] = 1.0; /* they cannot be larger */
    }
}

void sal_singular_watch(saltus_run *run)
{
    const sal_regime *regime = run->cursor.regime;
    if (run->history.recomputing || run->singular.warned) return;
    if (run->singular.regime != regime) follow(run, regime);
    const unsigned stages = suspicious_stages(run);
    if (stages || run->singular.nearest < INFINITY) inspect(run, stages);
}
