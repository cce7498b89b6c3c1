/* Decides on which side of its kink each abs, sign, min or max is, at the start and at events. */
#include "run/instant.h"

#include <math.h>

#include "run/guards.h"
#include "run/outcome.h"

/* The branches that are being set: memories c at (t, x). */
typedef struct branches {
    saltus_run   *run;
    double        t;
    const double *x;
    double       *c;
} branches;

/* Puts the memories into the field of the locator. */
static void put(const branches *b)
{
    sal_copy(sal_u(&b->run->locator.field, SAL_LEAF_C), b->c, b->run->system->nm);
}

static double *branch_of(const branches *b, int kink)
{
    return &b->c[b->run->system->nm_user + kink];
}

static int event_of(const branches *b, int kink)
{
    const saltus_system *system = b->run->system;
    for (int e = 0; e < system->events; e++)
        if (system->event[e].kink == kink) return e;
    return -1;
}

/* Evaluates the arguments of all kinks on the present branches. */
static void arguments(const branches *b, double *values)
{
    sal_field *field = &b->run->locator.field;
    put(b);
    sal_field_eval(field, b->t, b->x, b->run->locator.k, NULL);
    sal_map_value(&b->run->system->kink_map, field->u, values, field->work);
}

/* Whether an argument is zero within rounding; one that does not change between events must be zero
 * exactly. */
static bool is_zero(const branches *b, int kink, double value)
{
    const int e = event_of(b, kink);
    if (value == 0.0 || e < 0) return value == 0.0;
    return fabs(value) <= sal_locator_rounding(&b->run->locator, e, b->t, b->x);
}

/* d(argument)/dt with the branch set to s; 0 if that is only rounding. */
static double rate_with(const branches *b, int kink, double s)
{
    const int    e = event_of(b, kink);
    double      *branch = branch_of(b, kink);
    const double old = *branch;
    double       rate = 0.0, noise = 0.0;
    *branch = s;
    put(b);
    if (e >= 0) {
        noise = sal_locator_noise(&b->run->locator, e, b->t, b->x).rate;
        sal_locator_guard(&b->run->locator, e, b->t, b->x, NULL, &rate);
    }
    *branch = old;
    put(b);
    return fabs(rate) > noise ? rate : 0.0;
}

/* Ends the run: on both sides of the kink the motion pushes back to it. */
static void stick(const branches *b, int kink)
{
    sal_run_finish(
        b->run, SALTUS_STICKING,
        "sticking at t = %.10g: on both sides of the kink '%s', where a force jumps, the motion "
        "pushes back to it, so it can neither stay on one side nor cross; describe the sticking "
        "phase by a mode of its own, or smooth the function (for example tanh(x / 0.01) for "
        "sign(x))",
        b->t, b->run->system->kink[kink].name);
}

/* Handles an argument that is zero and stays zero: the motion follows the kink, whose jump has no
 * derivative there, and takes the value of one side. */
static void stay(const branches *b, int kink)
{
    const sal_kink *of = &b->run->system->kink[kink];
    sal_run_warn(
        b->run,
        "from t = %.10g on the argument of '%s' is exactly zero, where the function jumps: "
        "it is taken as on its %s side; move the threshold, or smooth the function (for "
        "example tanh(x / 0.01) for sign(x))",
        b->t, of->name, *branch_of(b, kink) > 0.0 ? "positive" : "negative");
    sal_run_no_gradient(
        b->run, SALTUS_ERR_NO_GRADIENT,
        "from t = %.10g on the motion stays exactly at the kink '%s', whose two sides have "
        "different values",
        b->t, of->name);
}

/* ---- sides that agree ----------------------------------------------------------------------- */

static void put_branch(const branches *b, int kink, double s)
{
    *branch_of(b, kink) = s;
    put(b);
}

static bool equal(double a, double b) { return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)); }

/* Whether the kink makes no difference to accelerations and integrands at (t, x). */
static bool motion_agrees(const branches *b, int kink, double t, const double *x)
{
    saltus_run *run = b->run;
    const int   n2 = 2 * run->system->n, all = n2 + run->system->nc;
    double     *up = SCRATCH_NEW(&run->scratch, all, double);
    double     *down = SCRATCH_NEW(&run->scratch, all, double);
    bool        agrees = true;
    put_branch(b, kink, 1.0);
    agrees = sal_field_eval(&run->locator.field, t, x, up, up + n2) == SAL_FIELD_OK;
    put_branch(b, kink, -1.0);
    agrees = agrees && sal_field_eval(&run->locator.field, t, x, down, down + n2) == SAL_FIELD_OK;
    for (int i = 0; i < all && agrees; i++) agrees = equal(up[i], down[i]);
    sal_scratch_release(&run->scratch, up);
    return agrees;
}

/* Whether the kink makes no difference to guards, nor to arguments of kinks, at (t, x). */
static bool guards_agree(const branches *b, int kink, double t, const double *x)
{
    const sal_regime *regime = b->run->cursor.regime;
    bool              agrees = true;
    for (int i = 0; i < regime->events && agrees; i++) {
        put_branch(b, kink, 1.0);
        const double up = sal_locator_guard(&b->run->locator, regime->event[i], t, x, NULL, NULL);
        put_branch(b, kink, -1.0);
        agrees = equal(up, sal_locator_guard(&b->run->locator, regime->event[i], t, x, NULL, NULL));
    }
    return agrees;
}

/* Whether both sides of a kink agree on the present branches of the others, although they differ in
 * general: an example is d/dt max(min(a, b), b) where b is the smaller one. They are taken to agree
 * if they do at a few places nearby, chosen arbitrarily. */
static bool sides_agree(const branches *b, int kink)
{
    saltus_run  *run = b->run;
    const double horizon = run->t_end - run->t0, before = *branch_of(b, kink);
    double      *x = SCRATCH_NEW(&run->scratch, 2 * run->system->n, double);
    bool         agree = true;
    for (int place = 1; place <= 3 && agree; place++) {
        const double t = b->t + 0.0123 * place * horizon;
        for (int i = 0; i < 2 * run->system->n; i++)
            x[i] = b->x[i] + 0.0123 * sin(7.0 * i + place) * (1.0 + fabs(b->x[i]));
        agree = motion_agrees(b, kink, t, x) && guards_agree(b, kink, t, x);
    }
    put_branch(b, kink, before);
    sal_scratch_release(&run->scratch, x);
    return agree;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* Notes that there is no gradient if the argument of a jump depends on parameters and is exactly
 * zero. */
static void refuse_parameters(const branches *b, int kink)
{
    const saltus_system *system = b->run->system;
    const sal_node_data *argument = &system->model->graph.nodes.data[system->kink[kink].argument];
    if (system->kink[kink].op == SAL_OP_SIGN && argument->kinds & SAL_KIND(P))
        sal_run_no_gradient(b->run, SALTUS_ERR_NO_GRADIENT,
                            "the argument of '%s' depends on parameters and is exactly zero, where "
                            "the function jumps",
                            system->kink[kink].name);
}

/* Chooses the branch of an argument that is zero, when no branch is known yet: the one into which
 * it moves. */
static void choose(const branches *b, int kink)
{
    const int e = event_of(b, kink);
    double   *branch = branch_of(b, kink);
    if (e < 0) {
        refuse_parameters(b, kink);
        return;
    }
    const double up = rate_with(b, kink, 1.0), down = rate_with(b, kink, -1.0);
    if (up > 0.0) *branch = 1.0;
    else if (down < 0.0) *branch = -1.0;
    else if (up < 0.0 && down > 0.0 && !b->run->system->kink[kink].continuous) stick(b, kink);
    else {
        put(b);
        const int way =
            sal_locator_direction(&b->run->locator, e, b->t, b->x, sal_run_short_time(b->run));
        if (way != 0) *branch = way;
        else if (b->run->system->kink[kink].continuous || sides_agree(b, kink))
            b->run->rests_at_kink[kink] = 1;
        else stay(b, kink);
    }
}

/* The branch that the argument of a kink requires; the present one if the argument is zero within
 * rounding. The argument of a sign may be constant between events, and then sign(0) = 0. */
static double asked_for(const branches *b, int kink, double value)
{
    const sal_kink *of = &b->run->system->kink[kink];
    const double    branch = *branch_of(b, kink);
    if (!of->moves && of->op == SAL_OP_SIGN) return (value > 0.0) - (value < 0.0);
    return value * branch < 0.0 && !is_zero(b, kink, value) ? -branch : branch;
}

/* Sets the branches of all arguments that are not zero, repeatedly: a branch that changes may move
 * other arguments across zero. */
static void follow_arguments(const branches *b, int flipped, double *values)
{
    const int kinks = b->run->system->kinks;
    bool      changed = true;
    for (int pass = 0; changed && pass <= kinks; pass++) {
        changed = false;
        arguments(b, values);
        for (int k = 0; k < kinks; k++) {
            double      *branch = branch_of(b, k);
            const double wanted = asked_for(b, k, values[k]);
            if (k == flipped || wanted == *branch) continue;
            *branch = wanted;
            put(b);
            changed = true;
        }
    }
}

void sal_branches_set(saltus_run *run, double t, const double *x, double *c, int flipped,
                      bool fresh)
{
    const saltus_system *system = run->system;
    const branches       b = {run, t, x, c};
    if (system->kinks == 0) return;
    double *values = SCRATCH_NEW(&run->scratch, system->kinks, double);
    follow_arguments(&b, flipped, values);
    for (int k = 0; k < system->kinks && fresh && !run->outcome.finished; k++)
        if (is_zero(&b, k, values[k])) choose(&b, k);
    /* the argument of a remainder (mod) that starts at its jump has moved by a period since */
    if (fresh && !run->outcome.finished) follow_arguments(&b, flipped, values);
    sal_scratch_release(&run->scratch, values);
    if (flipped >= 0 && !system->kink[flipped].continuous &&
        !run->stepping.crossing[event_of(&b, flipped)].jumps &&
        *branch_of(&b, flipped) * rate_with(&b, flipped, *branch_of(&b, flipped)) < 0.0)
        stick(&b, flipped);
    put(&b);
}
