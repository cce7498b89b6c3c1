/* Families of periodic motions: a fixed point followed while one parameter changes, by arc length
 * (pseudo-arclength continuation).
 *
 * Unknowns are y = (x, p), in units: a step of length one changes the parameter p by at most the
 * requested step, and x by at most a part of its size. From a point with the unit tangent tau,
 * the next one solves
 *
 *     P(x, p) - x = 0,   tau . (y - y_predicted) = 0
 *
 * Between two points, functions that change their sign show what happens: the component of the
 * tangent along p (fold), det(P_x + I) (flip), the product of (lambda_i lambda_j - 1) over pairs
 * (Neimark-Sacker), the determinant of the equations above (branch). Zeros are located on the
 * chord between the two points, in the same equations. A change of the sequence of events is
 * approached by steps that get shorter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/periodic.h"
#include "base/host.h"
#include "base/status.h"
#include "linalg/lu.h"
#include "sens/clearance.h"
#include "solve/eigen.h"
#include "solve/newton.h"

static const double PART_OF_SIZE = 0.05; /* largest change of x in a step, relative to its size */
static const double SHORTEST = 1e-7;     /* shortest step; if it fails, the family ends */
static const double LARGEST_TURN = 0.9;  /* least cosine between tangents of neighbouring points */
static const double LOCATED = 1e-12;     /* tolerance of special points, relative to the chord */
static const double CORRECTOR = 1e-10; /* tolerance on the last step of Newton's method, in units */
static const double CLOSE = 1e-9;   /* distance to a change of the sequence of events, in units */
static const double FARTHEST = 2.0; /* largest distance of a point from its prediction, in units */
enum { CORRECTIONS = 15, MAX_POINTS = 2000, LOCATE_STEPS = 80, CREEPS = 120 };

/* Test functions, which change sign at special points. */
enum { TEST_FOLD, TEST_FLIP, TEST_TORUS, TEST_BRANCH, TESTS };

typedef struct point {
    double *y;       /* x and p, in the units of the model */
    double *tangent; /* in units, of length 1 */
    double *re, *im; /* multipliers */
    double  test[TESTS];
    int    *events; /* the sequence of events, its length and room */
    int     count, capacity;
    double  period;
    double  arc; /* arc length from the first point, in units */
} point;

typedef struct family {
    saltus_periodic *p;
    sal_return_map  *map;
    int              n, param;
    double           low, high;
    double           sign;   /* direction along the family: 1, then -1 */
    int             *column; /* parameter numbers of the unknowns, then of the varied parameter */
    double          *unit, *weight;
    double          *J;            /* n * (n + 1): P_x and P_p of the last evaluation */
    double          *left, *right; /* points on both sides of a special point */
    double          *anchor;       /* where corrections begin */
    double          *normal;       /* corrections are orthogonal to it, in units */
    sal_arena       *work;         /* scratch memory of a call */
    saltus_family_function visit;
    void                  *context;
    bool                   stopped, ended_well;
    saltus_status          status;
    saltus_error          *err;
} family;

const char *saltus_family_kind_name(saltus_family_kind kind)
{
    static const char *const names[] = {"point",  "fold",    "flip",     "neimark-sacker",
                                        "branch", "grazing", "sequence", "end"};
    return (int)kind >= 0 && (int)kind < 8 ? names[kind] : "";
}

/* ---- one point ------------------------------------------------------------------------------ */

static sal_evaluation equations(void *context, const double *y, double *f, double *J)
{
    family   *fam = context;
    const int n = fam->n, m = n + 1;
    for (int i = 0; i < m; i++) fam->map->params[fam->column[i]] = y[i];
    sal_evaluation e = sal_return_map_simulate(fam->map);
    if (e == SAL_EVALUATED) e = sal_return_map_derive_by(fam->map, fam->column, m, fam->J);
    if (e != SAL_EVALUATED) return e;
    memcpy(J, fam->J, (size_t)(n * m) * sizeof *J);
    for (int i = 0; i < n; i++) {
        f[i] = sal_return_map_final(fam->map)[i] - y[i];
        J[i * m + i] -= 1.0;
    }
    f[n] = 0.0;
    for (int i = 0; i < m; i++) {
        f[n] += fam->normal[i] * (y[i] - fam->anchor[i]) / fam->unit[i];
        J[n * m + i] = fam->normal[i] / fam->unit[i];
    }
    return e;
}

static double distance(const family *fam, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i <= fam->n; i++) {
        const double d = (a[i] - b[i]) / fam->unit[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* Finds the unit tangent: orthogonal to the rows of (P_x - I, P_p) in units, on the side of
 * `along`. Writes the determinant of these rows with `along` below. Returns false if the tangent
 * does not exist or is not unique. */
static bool find_tangent(family *fam, const double *along, double *tangent, double *determinant)
{
    const int n = fam->n, m = n + 1;
    double   *A = ARENA_NEW(fam->work, m * m, double);
    int      *exchanged = ARENA_NEW(fam->work, m, int);
    double    length = 0.0;
    if (fam->work->failed) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i * m + j] = (fam->J[i * m + j] - (i == j)) * fam->unit[j] / fam->weight[i];
    memcpy(A + n * m, along, (size_t)m * sizeof *A);
    memset(tangent, 0, (size_t)m * sizeof *tangent);
    tangent[n] = 1.0;
    if (!sal_lu_factor(m, A, exchanged)) return false;
    sal_lu_solve(m, A, exchanged, false, 1, tangent);
    *determinant = 1.0;
    for (int i = 0; i < m; i++) {
        *determinant *= A[i * m + i] * (exchanged[i] != i ? -1.0 : 1.0);
        length += tangent[i] * tangent[i];
    }
    length = sqrt(length);
    for (int i = 0; i < m; i++) tangent[i] /= length;
    return isfinite(length);
}

/* Computes det(P_x + I) and the product over pairs of multipliers; both are real. */
static void test_multipliers(const family *fam, point *at)
{
    double complex flip = 1.0, torus = 1.0;
    for (int i = 0; i < fam->n; i++) {
        const double complex a = CMPLX(at->re[i], at->im[i]);
        flip *= a + 1.0;
        for (int k = i + 1; k < fam->n; k++) torus *= a * CMPLX(at->re[k], at->im[k]) - 1.0;
    }
    at->test[TEST_FLIP] = creal(flip);
    at->test[TEST_TORUS] = fam->n > 1 ? creal(torus) : 1.0;
}

static bool keep_events(family *fam, point *at)
{
    const sal_return_map *map = fam->map;
    at->count = 0;
    if (at->capacity < map->events.count) {
        int *list = ARENA_NEW(&fam->p->kept, map->events.count, int);
        if (!list) return false;
        at->events = list;
        at->capacity = map->events.count;
    }
    at->count = map->events.count;
    for (int i = 0; i < at->count; i++) at->events[i] = map->events.data[i];
    return true;
}

/* Solves the equations from the anchor. All fields of the point are valid if SAL_CONVERGED is
 * returned. */
static sal_solve_status correct(family *fam, const double *along, point *at)
{
    sal_newton newton = {.n = fam->n + 1,
                         .evaluate = equations,
                         .context = fam,
                         .scale = fam->unit,
                         .weight = fam->weight,
                         .tolerance = CORRECTOR,
                         .limit = CORRECTIONS};
    memcpy(at->y, fam->anchor, (size_t)(fam->n + 1) * sizeof *at->y);
    sal_solve_status status = sal_newton_solve(&newton, at->y, fam->work);
    if (status == SAL_STOPPED || status == SAL_OUT_OF_MEMORY) return status;
    if (status != SAL_CONVERGED || distance(fam, at->y, fam->anchor) > FARTHEST) return SAL_STALLED;
    /* Newton's method may have tried a further point after the best one. */
    for (int i = 0; i <= fam->n; i++) fam->map->params[fam->column[i]] = at->y[i];
    const sal_evaluation e = sal_return_map_simulate(fam->map);
    if (e == SAL_STOP) return SAL_STOPPED;
    if (e != SAL_EVALUATED) return SAL_STALLED;
    if (sal_return_map_derive_by(fam->map, fam->column, fam->n + 1, fam->J) != SAL_EVALUATED)
        return fam->map->why.status == SALTUS_ERR_INTERRUPTED ? SAL_STOPPED : SAL_STALLED;
    if (!find_tangent(fam, along, at->tangent, &at->test[TEST_BRANCH]) ||
        !sal_periodic_multipliers(fam->J, fam->n, fam->n + 1, at->re, at->im, fam->work))
        return fam->work->failed ? SAL_OUT_OF_MEMORY : SAL_STALLED;
    at->test[TEST_FOLD] = at->tangent[fam->n];
    test_multipliers(fam, at);
    at->period = sal_return_map_period(fam->map);
    return keep_events(fam, at) ? SAL_CONVERGED : SAL_OUT_OF_MEMORY;
}

/* Notes a status that ends the whole walk. Returns whether it does. */
static bool gives_up(family *fam, sal_solve_status status)
{
    if (status == SAL_STOPPED) fam->status = sal_periodic_give_up(fam->map, fam->err);
    else if (status == SAL_OUT_OF_MEMORY) fam->status = sal_fail_memory(fam->err);
    sal_arena_free(fam->work);
    return fam->status != SALTUS_OK;
}

/* ---- handing out ---------------------------------------------------------------------------- */

static void hand_out(family *fam, const point *at, saltus_family_kind kind, const char *text)
{
    if (fam->stopped || fam->status) return;
    for (int i = 0; i <= fam->n; i++) fam->map->params[fam->column[i]] = at->y[i];
    const saltus_family_point row = {.kind = kind,
                                     .text = text,
                                     .params = fam->map->params,
                                     .arc = at->arc,
                                     .period = at->period,
                                     .multipliers = fam->n,
                                     .re = at->re,
                                     .im = at->im,
                                     .stable = hypot(at->re[0], at->im[0]) < 1.0};
    fam->stopped = fam->visit(fam->context, &row) != 0;
}

/* ---- what happens between two points -------------------------------------------------------- */

static bool has_same_events(const point *a, const point *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->events, b->events, (size_t)a->count * sizeof(int)) == 0);
}

/* Finds the point of the family across a part of the chord from a to b. */
static sal_solve_status on_chord(family *fam, const point *a, const point *b, double part,
                                 point *at)
{
    const int    m = fam->n + 1;
    const double length = distance(fam, a->y, b->y);
    for (int i = 0; i < m; i++) {
        fam->anchor[i] = a->y[i] + part * (b->y[i] - a->y[i]);
        fam->normal[i] = (b->y[i] - a->y[i]) / fam->unit[i] / length;
    }
    at->arc = a->arc + fam->sign * part * length;
    return correct(fam, a->tangent, at);
}

static double turn(const family *fam, const point *a, const point *b)
{
    double sum = 0.0;
    for (int i = 0; i <= fam->n; i++) sum += a->tangent[i] * b->tangent[i];
    return sum;
}

/* Interpolates the place where two families cross between points of this family on both sides:
 * there the equations are singular, and solutions of the other family are near. */
static void interpolate(const family *fam, double f_left, double f_right, point *at)
{
    const double part = f_left / (f_left - f_right);
    for (int i = 0; i <= fam->n; i++)
        at->y[i] = fam->left[i] + part * (fam->right[i] - fam->left[i]);
}

/* Locates the zero of a test function between two points, by the Illinois variant of false
 * position: the value at an end that stays is halved. Returns false if it fails. */
static bool locate(family *fam, const point *a, const point *b, int test, point *at)
{
    const size_t bytes = (size_t)(fam->n + 1) * sizeof(double);
    const double close = test == TEST_BRANCH ? 1e-3 : LOCATED;
    double       left = 0.0, right = 1.0, f_left = a->test[test], f_right = b->test[test];
    double       of_left = f_left, of_right = f_right; /* true values, never halved */
    memcpy(fam->left, a->y, bytes);
    memcpy(fam->right, b->y, bytes);
    for (int step = 0; step < LOCATE_STEPS && right - left > close; step++) {
        double part = right - f_right * (right - left) / (f_right - f_left);
        if (!(part > left && part < right) || step % 4 == 3) part = 0.5 * (left + right);
        const sal_solve_status status = on_chord(fam, a, b, part, at);
        if (gives_up(fam, status) || status != SAL_CONVERGED) return false;
        const double f = at->test[test];
        if (test == TEST_BRANCH && turn(fam, a, at) < LARGEST_TURN)
            break; /* this is another branch */
        if (f == 0.0) return true;
        if ((f > 0.0) == (f_right > 0.0)) {
            right = part, f_right = of_right = f, f_left *= 0.5;
            memcpy(fam->right, at->y, bytes);
        } else {
            left = part, f_left = of_left = f, f_right *= 0.5;
            memcpy(fam->left, at->y, bytes);
        }
    }
    if (test == TEST_BRANCH) interpolate(fam, of_left, of_right, at);
    return true;
}

static bool has_unit_pair(const family *fam, const point *at)
{
    for (int i = 0; i < fam->n; i++)
        if (at->im[i] > 0.0 && fabs(hypot(at->re[i], at->im[i]) - 1.0) < 1e-6) return true;
    return false;
}

static const struct {
    saltus_family_kind kind;
    const char        *text;
} specials[TESTS] = {
    [TEST_FOLD] = {SALTUS_FAMILY_FOLD, "the family turns back: a multiplier passes 1"},
    [TEST_FLIP] = {SALTUS_FAMILY_FLIP, "the period doubles: a multiplier passes -1"},
    [TEST_TORUS] = {SALTUS_FAMILY_TORUS,
                    "two conjugate multipliers leave or enter the unit circle"},
    [TEST_BRANCH] = {SALTUS_FAMILY_BRANCH, "another family crosses this one: a multiplier is 1"},
};

static void look_for_specials(family *fam, const point *a, const point *b, point *at)
{
    for (int test = 0; test < TESTS && !fam->status; test++) {
        if (!((a->test[test] > 0.0) != (b->test[test] > 0.0))) continue;
        if (!locate(fam, a, b, test, at)) continue;
        if (test == TEST_TORUS && !has_unit_pair(fam, at))
            continue; /* two real multipliers whose product is 1 */
        hand_out(fam, at, specials[test].kind, specials[test].text);
    }
}

/* The clearance that becomes zero first along the tangent. */
typedef struct nearest {
    const family *fam;
    const point  *at;
    double        reach; /* distance of its zero along the tangent, in units */
    bool          grazes;
    char          text[256];
} nearest;

static int compare_clearance(void *context, const saltus_clearance *c)
{
    nearest *found = context;
    double   rate = 0.0;
    if (sal_clearance_is_soft(c->kind)) return 0; /* it does not change the sequence of events */
    for (int i = 0; i <= found->fam->n; i++)
        rate += c->gradient[i] * found->at->tangent[i] * found->fam->unit[i];
    const double reach = fabs(c->value) / fmax(fabs(rate), 1e-300);
    if (!(reach < found->reach)) return 0;
    found->reach = reach;
    found->grazes = c->kind == SALTUS_CLEAR_MISS || c->kind == SALTUS_CLEAR_VANISH;
    snprintf(found->text, sizeof found->text, "%s", c->text);
    return 0;
}

/* Finds the clearance that ends the sequence of events within this reach of the point, with its
 * text. Returns false if there is none. */
static bool explain_border(family *fam, const point *at, double reach, nearest *found)
{
    saltus_error why = {0};
    *found = (nearest){.fam = fam, .at = at, .reach = reach};
    for (int i = 0; i <= fam->n; i++) fam->map->params[fam->column[i]] = at->y[i];
    if (sal_return_map_simulate(fam->map) != SAL_EVALUATED) return false;
    saltus_run_clearances(fam->map->run, fam->column, fam->n + 1, compare_clearance, found, &why);
    return why.status == SALTUS_OK && found->text[0];
}

static void swap(point **a, point **b)
{
    point *c = *a;
    *a = *b;
    *b = c;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool make_point(family *fam, point *at)
{
    sal_arena *kept = &fam->p->kept;
    *at = (point){0};
    ARENA_VECTORS(kept, fam->n + 1, &at->y, &at->tangent);
    return ARENA_VECTORS(kept, fam->n, &at->re, &at->im);
}

/* Finds the point on the border of the interval, predicted from the last point inside. */
static sal_solve_status at_border(family *fam, const point *a, double border, point *at)
{
    const double part = (border - a->y[fam->n]) / (a->tangent[fam->n] * fam->unit[fam->n]);
    for (int i = 0; i <= fam->n; i++) {
        fam->anchor[i] = a->y[i] + part * a->tangent[i] * fam->unit[i];
        fam->normal[i] = i == fam->n ? 1.0 : 0.0;
    }
    fam->anchor[fam->n] = border;
    return correct(fam, a->tangent, at);
}

static bool is_outside(const family *fam, const point *at)
{
    return at->y[fam->n] < fam->low || at->y[fam->n] > fam->high;
}

static sal_solve_status step_from(family *fam, const point *a, double length, point *b)
{
    for (int i = 0; i <= fam->n; i++) {
        fam->anchor[i] = a->y[i] + length * a->tangent[i] * fam->unit[i];
        fam->normal[i] = a->tangent[i];
    }
    b->arc = a->arc + fam->sign * length;
    return correct(fam, a->tangent, b);
}

/* Finds the next point, by shorter steps where corrections fail or the family bends. Returns the
 * length of the step, or 0 if even the shortest one fails. */
static double next_point(family *fam, const point *a, double length, point *b)
{
    for (; length >= SHORTEST; length *= 0.5) {
        const sal_solve_status status = step_from(fam, a, length, b);
        if (gives_up(fam, status)) return 0.0;
        if (status == SAL_CONVERGED &&
            (turn(fam, a, b) > LARGEST_TURN || length < 1e-3 || !has_same_events(a, b)))
            return length;
    }
    return 0.0;
}

/* Finds the last point that has the sequence of events of a, by steps that get shorter; `at` and
 * `other` are scratch. */
static const point *last_alike(family *fam, const point *a, double length, point *at, point *other)
{
    const point *best = a;
    for (int tries = 0; length > CLOSE && tries < CREEPS && !fam->status; tries++) {
        const sal_solve_status status = step_from(fam, best, length, at);
        if (gives_up(fam, status)) break;
        if (status == SAL_CONVERGED && has_same_events(a, at)) {
            swap(&at, &other);
            best = other;
        } else length *= 0.5;
    }
    return best;
}

static void hand_out_border(family *fam, const point *a, const point *b, point *room[2])
{
    nearest      found;
    const double length = 0.5 * distance(fam, a->y, b->y);
    const point *last = last_alike(fam, a, length, room[0], room[1]);
    if (fam->status) return;
    /* At the border itself a grazing event may have no derivative, so we also look from a. */
    const bool known = explain_border(fam, last, 1e-3, &found) ||
                       explain_border(fam, a, 2.0 * fabs(last->arc - a->arc) + 1e-3, &found);
    hand_out(fam, last, known && found.grazes ? SALTUS_FAMILY_GRAZING : SALTUS_FAMILY_SEQUENCE,
             known ? found.text : "the sequence of events changes");
}

/* Reports the end of the family at this point, and why it ends. */
static void hand_out_end(family *fam, const point *a)
{
    nearest found;
    if (fam->status) return;
    const bool known = explain_border(fam, a, 1e-2, &found);
    if (!known) fam->ended_well = false;
    if (!known && !found.text[0])
        snprintf(found.text, sizeof found.text, "the family cannot be followed from here");
    hand_out(fam, a,
             !known         ? SALTUS_FAMILY_END
             : found.grazes ? SALTUS_FAMILY_GRAZING
                            : SALTUS_FAMILY_SEQUENCE,
             found.text);
}

/* Reports what happens between a and b, then b. Returns whether the walk continues from b. */
static bool go(family *fam, const point *a, point *b, point *room[2])
{
    const bool left = is_outside(fam, b);
    if (left) {
        const double           border = b->y[fam->n] < fam->low ? fam->low : fam->high;
        const sal_solve_status status = at_border(fam, a, border, b);
        if (gives_up(fam, status)) return false;
        if (status != SAL_CONVERGED) return hand_out_end(fam, a), false;
    }
    if (has_same_events(a, b)) look_for_specials(fam, a, b, room[0]);
    else hand_out_border(fam, a, b, room);
    hand_out(fam, b, SALTUS_FAMILY_POINT, "");
    return !left && !fam->stopped && !fam->status;
}

static void walk(family *fam, point *a, point *b, point *room[2])
{
    double length = 1.0;
    for (int i = 0; i < MAX_POINTS && !fam->stopped && !fam->status; i++) {
        length = next_point(fam, a, length, b);
        if (length == 0.0) {
            hand_out_end(fam, a);
            return;
        }
        if (!go(fam, a, b, room)) return;
        swap(&a, &b);
        length = fmin(1.5 * length, 1.0);
    }
    if (!fam->stopped) fam->ended_well = false;
}

/* Corrects the first point, from the result of the search; the last component of its tangent has
 * the sign of `direction`. */
static sal_solve_status first_point(family *fam, double direction, point *a)
{
    for (int i = 0; i <= fam->n; i++) {
        fam->anchor[i] = fam->p->result.params[fam->column[i]];
        fam->normal[i] = i == fam->n ? direction : 0.0;
    }
    a->arc = 0.0;
    return correct(fam, fam->normal, a);
}

/* Follows the family one way from the first point, as far as it goes. */
static saltus_status go_one_way(family *fam, double direction, point *points)
{
    point                 *room[2] = {&points[2], &points[3]};
    const sal_solve_status status = first_point(fam, direction, &points[0]);
    if (gives_up(fam, status)) return fam->status;
    if (status != SAL_CONVERGED)
        return sal_fail(fam->err, SALTUS_ERR_UNFINISHED,
                        "the family of periodic motions cannot be followed from its first point");
    if (fam->sign > 0.0) hand_out(fam, &points[0], SALTUS_FAMILY_POINT, "");
    const double beyond = points[0].y[fam->n] + direction * 1e-9 * fam->unit[fam->n];
    if (beyond < fam->low || beyond > fam->high) return SALTUS_OK;
    walk(fam, &points[0], &points[1], room);
    return fam->status;
}

static saltus_status prepare(family *fam, double step, point *points)
{
    const int  n = fam->n;
    sal_arena *kept = &fam->p->kept;
    double     largest = 0.0;
    fam->column = ARENA_NEW(kept, n + 1, int);
    ARENA_VECTORS(kept, n + 1, &fam->unit, &fam->weight, &fam->anchor, &fam->normal, &fam->left,
                  &fam->right);
    fam->J = ARENA_NEW(kept, (n + 1) * (n + 1), double);
    for (int i = 0; i < 4; i++)
        if (!make_point(fam, &points[i])) return sal_fail_memory(fam->err);
    memcpy(fam->column, fam->map->column, (size_t)n * sizeof(int));
    fam->column[n] = fam->param;
    sal_periodic_scales(fam->map, fam->unit);
    for (int i = 0; i < n; i++) largest = fmax(largest, fam->unit[i]);
    for (int i = 0; i < n; i++) fam->unit[i] = PART_OF_SIZE * fmax(fam->unit[i], 0.3 * largest);
    fam->unit[n] = fabs(step);
    memcpy(fam->weight, fam->unit, (size_t)n * sizeof *fam->weight);
    fam->weight[n] = 1.0;
    return SALTUS_OK;
}

/* Follows the family both ways: first to the end of the interval, then from the first point back to
 * its beginning. */
static saltus_status follow(family *fam, double direction, double step)
{
    point points[4];
    TRY(prepare(fam, step, points));
    TRY(go_one_way(fam, direction, points));
    if (fam->stopped) return SALTUS_OK;
    fam->sign = -1.0;
    return go_one_way(fam, -direction, points);
}

static saltus_status check_follow(const saltus_periodic *p, int param, double from, double to,
                                  double step, saltus_family_function visit, saltus_error *err)
{
    if (!p) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no search for periodic motions");
    if (!visit) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no function to visit points");
    if (param < 0 || param >= p->map.np)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no parameter number %d (of %d)", param,
                        p->map.np);
    const char *name = saltus_system_param(p->map.system, param).name;
    for (int i = 0; i < p->map.n; i++)
        if (p->map.column[i] == param)
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "the parameter '%s' is a start value of periodic{}, which is found: "
                            "follow another one",
                            name);
    if (!isfinite(from) || !isfinite(to) || !(fabs(step) > 0.0) || !isfinite(step) || from == to)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "'%s' cannot go from %g to %g by steps of %g: give an interval and a step "
                        "that is not zero",
                        name, from, to, step);
    return SALTUS_OK;
}

saltus_status saltus_periodic_follow(saltus_periodic *p, const double *params, int param,
                                     double from, double to, double step,
                                     saltus_family_function visit, void *context, int *ended_well,
                                     saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    TRY(check_follow(p, param, from, to, step, visit, err));
    if (ended_well) *ended_well = 0;
    const double given = params ? params[param] : saltus_system_param(p->map.system, param).value;
    const bool   inside = given >= fmin(from, to) && given <= fmax(from, to);
    TRY(sal_periodic_find(p, params, param, inside ? given : from, false, err));
    if (p->result.end != SALTUS_PERIODIC_FOUND) return SALTUS_OK;
    WORK_ARENA(work, &p->map.allocator);
    family              fam = {.p = p,
                               .map = &p->map,
                               .n = p->map.n,
                               .param = param,
                               .low = fmin(from, to),
                               .high = fmax(from, to),
                               .sign = 1.0,
                               .work = &work,
                               .visit = visit,
                               .context = context,
                               .ended_well = true,
                               .err = err};
    const saltus_status status = follow(&fam, to > from ? 1.0 : -1.0, step);
    p->result.runs = p->map.runs;
    p->result.gradients = p->map.gradients;
    if (ended_well) *ended_well = fam.ended_well;
    return status;
}
