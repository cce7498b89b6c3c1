/* Decides after a simulation whether it is repeated with narrower tolerances for small quantities,
 * steps.md (2), or with terms against the drift of constraints: see refine.h. */
#include "run/refine.h"

#include <math.h>

#include "run/instant.h"
#include "run/outcome.h"

/* How often a run is repeated with narrower tolerances; sizes are better known each time. A
 * component that becomes smaller and smaller with the tolerances consists of errors. */
enum { MAX_PASSES = 3 };
/* With more coordinates than this, all positions get one size, and all velocities: the far end of a
 * chain that a wave has not reached is small, and its digits do not matter. */
enum { MANY = 32 };
/* Components smaller than SMALL, or than COARSE absolute tolerances, get a relative tolerance. */
static const double SMALL = 1e-3, COARSE = 30.0;
/* Relative to the largest component of the same kind: a tolerance as small as ROUNDING cannot be
 * met, and a component as small as NOISE may be rounding. */
static const double ROUNDING = 1e-15, NOISE = 1e-12;
/* The smallest size whose product with a tolerance has full precision. */
static const double MIN = 1e-280;
/* How many tolerances positions may be off their constraints before drift is damped, and before a
 * warning is given. */
static const double DRIFT = 3.0, DRIFT_TOLD = 300.0;
/* Drift is damped within 1 / HOLD steps, so that this limits no step. */
static const double HOLD = 0.05;
/* Steps between two checks of the constraints. */
enum { WATCH = 64 };
/* Limits of another pass: this multiple of the steps of the first pass, and this much work beyond
 * that (divided by the size of the model). */
static const double WORK_RATIO = 10.0, WORK_FREE = 2e6;

bool sal_refine_init(sal_refine *refine, const saltus_system *system, sal_arena *arena)
{
    refine->count = 2 * system->n + system->nc;
    refine->size = ARENA_NEW(arena, refine->count, double);
    return !arena->failed;
}

/* Whether component i is the position of a coordinate that is a plain state, on which nothing
 * depends. */
static bool unread(const saltus_run *run, int i)
{
    return i < run->system->n && run->system->model->coordinates.data[i].state;
}

/* Sets the tolerances that the user requested. */
static void tolerate_plainly(saltus_run *run)
{
    for (int i = 0; i < run->refine.count; i++)
        run->motion.step.atol[i] = unread(run, i) ? INFINITY : run->options.atol;
    run->refine.smallest = -1;
    sal_step_tolerate_each(&run->motion.step, run->options.rtol);
}

static void forget_sizes(saltus_run *run) { sal_zero(run->refine.size, run->refine.count); }

void sal_refine_begin(saltus_run *run)
{
    run->refine.pass = 0;
    run->refine.work = INFINITY;
    run->refine.gave_up = run->refine.drifts = false;
    run->refine.omega = 0.0;
    tolerate_plainly(run);
    forget_sizes(run);
}

static void enlarge(int count, const double *x, double *size)
{
    for (int i = 0; i < count; i++) {
        const double here = fabs(x[i]);
        size[i] = here > size[i] ? here : size[i];
    }
}

static void note(saltus_run *run)
{
    const int nx = 2 * run->system->n;
    enlarge(nx, run->cursor.x, run->refine.size);
    for (int i = 0; i < run->system->n; i++)
        if (unread(run, i)) run->refine.size[i] = 0.0;
    enlarge(run->system->nc, run->cursor.z, run->refine.size + nx);
}

static double work_of(const saltus_run *run)
{
    return (double)(run->cursor.step + run->outcome.info.rejected);
}

static double largest(const double *size, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = size[i] > most ? size[i] : most;
    return most;
}

/* Finds the constraint that positions violate most; returns by how many tolerances. */
static double find_drift(saltus_run *run)
{
    const saltus_system *system = run->system;
    const unsigned char *on = run->cursor.regime->on, *skip = run->motion.field.skip;
    double               worst = 0.0, *phi = SCRATCH_NEW(&run->scratch, system->nmu, double);
    const double        *entries = sal_violation_of_positions(run, phi);
    for (int j = 0; j < system->nmu; j++) {
        const double slope = sal_field_slope(&run->locator.field, entries, j);
        if (!on[j] || (skip && skip[j]) || !(fabs(phi[j]) > worst * slope)) continue;
        worst = fabs(phi[j]) / slope;
        run->refine.off_which = j;
        run->refine.off = phi[j];
    }
    sal_scratch_release(&run->scratch, phi);
    const double size = largest(run->refine.size, system->n);
    return worst / (run->options.rtol * size + run->options.atol);
}

static bool may_drift(const saltus_run *run)
{
    return run->cursor.regime->constrained && !run->motion.field.soft && sal_run_is_complete(run);
}

static void watch_drift(saltus_run *run)
{
    const bool held = run->options.omega > 0.0 || run->refine.omega > 0.0;
    run->refine.drift = may_drift(run) ? find_drift(run) : 0.0;
    run->refine.drifts = !held && run->refine.drift > DRIFT;
}

/* Whether this pass is not worth continuing: it takes too many steps, or constraints drift. */
static bool gives_up(const saltus_run *run)
{
    return work_of(run) > run->refine.work || run->refine.drifts;
}

bool sal_refine_goes_on(saltus_run *run)
{
    const long long step = run->cursor.step;
    /* between notes, steps are short enough to miss little */
    if (step % (run->system->n > MANY ? 16 : 4) == 0) {
        note(run);
        if (step % WATCH == 0 && step > 0) watch_drift(run);
    }
    return !gives_up(run);
}

/* The diagonal entry of coordinate i in the mass matrix. */
static double mass_of(const sal_symmetric *shape, const double *entries, int i)
{
    const int *columns;
    int        count;
    const int  first = sal_symmetric_row(shape, i, &count, &columns);
    return entries[first + count - 1];
}

/* The largest acceleration caused by a force of constraints at the present state. Where constraints
 * hold something at rest, rounding of these forces moves it. */
static double acceleration_by_constraints(saltus_run *run)
{
    sal_field           *field = &run->locator.field;
    const sal_symmetric *shape = &run->cursor.regime->shape;
    const int            n = run->system->n;
    const int           *columns;
    int                  count;
    double               most = 0.0;
    if (!may_drift(run) ||
        sal_field_eval(field, run->cursor.t, run->cursor.x, run->locator.k, NULL) != SAL_FIELD_OK)
        return 0.0;
    const double *entries = sal_field_matrix(field), *mu = sal_u(field, SAL_LEAF_MU);
    for (int j = 0; j < run->system->nmu; j++) {
        const int first = sal_symmetric_row(shape, n + j, &count, &columns);
        for (int e = 0; e < count && (columns ? columns[e] : e) < n; e++) {
            const double mass = mass_of(shape, entries, columns ? columns[e] : e);
            if (mass > 0.0) most = fmax(most, fabs(entries[first + e] * mu[j]) / mass);
        }
    }
    return most;
}

/* The absolute tolerance for a component of this size. all: the largest size of its kind. */
static double wanted(const saltus_run *run, double size, double all)
{
    const double atol = run->options.atol;
    if (size >= SMALL && size >= COARSE * atol) return atol;
    if (!(size > fmax(NOISE * all, MIN))) return atol;
    return fmin(atol, fmax(atol * size, ROUNDING * all));
}

/* The absolute tolerance that component i should have. q, v: sizes of all positions and velocities;
 * q_known, v_known: sizes that their errors are compared with. */
static double wanted_of(const saltus_run *run, int i, double q, double v, double q_known,
                        double v_known)
{
    if (unread(run, i)) return INFINITY;
    const int    n = run->system->n;
    const bool   together = n > MANY && i < 2 * n;
    const double size = together ? (i < n ? q : v) : run->refine.size[i];
    return wanted(run, size, i < n ? q_known : i < 2 * n ? v_known : 0.0);
}

/* Narrows tolerances to suit the sizes. False: the change would be small, so they stay as they are;
 * steps of this run may be taken again later. */
static bool narrow(saltus_run *run)
{
    sal_refine  *refine = &run->refine;
    double      *atol = run->motion.step.atol;
    const int    n = run->system->n;
    const double mean = (run->cursor.t - run->t0) / fmax(1.0, (double)run->cursor.step);
    const double q = largest(refine->size, n), v = largest(refine->size + n, n);
    const double time = run->cursor.t - run->t0, gained = acceleration_by_constraints(run) * time;
    /* a velocity is no more accurate than positions divided by the time of a step, nor than the
     * velocity that forces of constraints could cause */
    const double v_known = fmax(fmax(v, gained), mean > 0.0 ? q / mean : 0.0);
    const double q_known = fmax(q, gained * time);
    double       least = 0.1;
    for (int i = 0; i < refine->count; i++) {
        const double ratio =
            unread(run, i) ? 1.0 : wanted_of(run, i, q, v, q_known, v_known) / atol[i];
        if (ratio < least) refine->smallest = i;
        least = fmin(least, ratio);
    }
    if (!(least < 0.1)) return false;
    for (int i = 0; i < refine->count; i++)
        atol[i] = fmin(atol[i], wanted_of(run, i, q, v, q_known, v_known));
    sal_step_tolerate_each(&run->motion.step, run->options.rtol);
    return true;
}

/* Damps drift of constraints in the next pass. */
static bool hold(saltus_run *run)
{
    sal_refine *refine = &run->refine;
    refine->omega = HOLD * (double)run->cursor.step / (run->cursor.t - run->t0);
    refine->drifts = false;
    forget_sizes(run);
    return true;
}

/* Narrower tolerances did not help: the next pass, the last one, uses the tolerances that the user
 * requested. */
static bool return_to_plain(saltus_run *run)
{
    sal_refine *refine = &run->refine;
    const int   smallest = refine->smallest;
    tolerate_plainly(run);
    refine->smallest = smallest;
    refine->gave_up = true;
    refine->work = INFINITY;
    return true;
}

/* Whether the run was ended by a limit, not by its motion. */
static bool cut_short(const saltus_run *run)
{
    const saltus_outcome outcome = run->outcome.info.outcome;
    return outcome == SALTUS_STEP_LIMIT || outcome == SALTUS_EVENT_LIMIT ||
           outcome == SALTUS_STEP_TOO_SMALL;
}

bool sal_refine_again(saltus_run *run)
{
    sal_refine *refine = &run->refine;
    if (run->outcome.finished) watch_drift(run);
    if (run->outcome.out_of_memory || refine->gave_up ||
        run->outcome.info.outcome == SALTUS_INTERRUPTED)
        return false;
    if (refine->drifts) return hold(run);
    if (gives_up(run) || (refine->pass > 0 && cut_short(run))) return return_to_plain(run);
    if (cut_short(run)) return false;
    note(run);
    /* an absolute tolerance that the user chose is kept */
    if (run->options.atol != run->options.rtol || !narrow(run)) return false;
    if (refine->pass++ == MAX_PASSES) return return_to_plain(run);
    if (refine->pass == 1)
        refine->work = WORK_RATIO * work_of(run) + WORK_FREE / (100.0 + refine->count);
    forget_sizes(run);
    return true;
}

static void warn_of_drift(saltus_run *run)
{
    if (!(run->refine.drift > DRIFT_TOLD)) return;
    sal_run_warn(
        run,
        "constraint '%s' is off by %.3g at t = %.10g: it drifts by more than the tolerances "
        "explain; give a larger --omega (now %.3g), or smaller tolerances",
        run->system->model->constraints.data[run->refine.off_which].label.name, run->refine.off,
        run->cursor.t, run->options.omega > 0.0 ? run->options.omega : run->refine.omega);
}

static void warn_of_small(saltus_run *run)
{
    const sal_refine    *refine = &run->refine;
    const saltus_system *system = run->system;
    const int            i = refine->smallest, n = system->n;
    if (!refine->gave_up) return;
    const bool  state = i < 2 * n && system->model->coordinates.data[i % n].state;
    const char *name = i < 2 * n ? system->model->coordinates.data[i % n].label.name
                                 : system->model->costs.data[i - 2 * n].label.name;
    sal_run_warn(
        run,
        "%s '%s' is never larger than %.3g, and to follow it to a relative tolerance takes "
        "too many steps: it may be wrong by the absolute tolerance, %.3g; if it matters, "
        "choose units in which it is larger",
        state       ? "state"
        : i < n     ? "coordinate"
        : i < 2 * n ? "the velocity of"
                    : "the integral of cost",
        name, refine->size[i], run->options.atol);
}

void sal_refine_warn(saltus_run *run)
{
    warn_of_small(run);
    warn_of_drift(run);
}
