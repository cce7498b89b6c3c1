/* Steps, pulses, remainders and tables as expressions:
 *
 *     step(x)         (1 + sign x) / 2                        smooth  (1 + tanh(x / w)) / 2
 *     pulse(x, a, b)  step(x - a) - step(x - b)
 *     mod(x, p)       p / 2 + p / (2 pi) atan2(-sin u, -cos u),   u = 2 pi x / p
 *         smooth      p / 2 - p / pi atan(k sin u / (1 - k cos u)),  k = exp(-2 pi w / p)
 *     curve           on each piece a polynomial in x - x_i, times a pulse over the piece
 *
 * Jumps and bends are kinks or cuts of angles, which have automatic events, so that integration and
 * derivatives need no special treatment of these functions. The smooth remainder is the average of
 * the sharp one with weights w / (pi (w^2 + s^2)) at the distance s, from its Fourier series. */
#include <math.h>

#include "base/host.h"
#include "mech/algebra.h"
#include "model/model.h"

static saltus_expr num(saltus_model *model, double value) { return saltus_number(model, value); }

static saltus_expr half(saltus_model *model, saltus_expr e)
{
    return saltus_mul(model, num(model, 0.5), e);
}

/* Checks that a number is positive. Expressions pass: their values are not known yet. */
static bool is_positive(saltus_model *model, saltus_expr e, const char *what)
{
    double value;
    if (!saltus_expr_number(model, e, &value) || value > 0.0) return true;
    saltus_model_fail(model, "%s is %g; it must be positive", what, value);
    return false;
}

/* ---- steps, pulses, remainders --------------------------------------------------------------- */

saltus_expr saltus_step(saltus_model *model, saltus_expr x, saltus_expr width)
{
    HOLD_HOST;
    const saltus_expr one = num(model, 1.0);
    if (!width.id)
        return half(model, saltus_add(model, one, saltus_apply(model, SALTUS_SIGN, x, one)));
    if (!is_positive(model, width, "the width of a step")) return (saltus_expr){0};
    const saltus_expr u = saltus_div(model, x, width);
    return half(model, saltus_add(model, one, saltus_apply(model, SALTUS_TANH, u, one)));
}

saltus_expr saltus_pulse(saltus_model *model, saltus_expr x, saltus_expr from, saltus_expr to,
                         saltus_expr width)
{
    HOLD_HOST;
    double a, b;
    if (saltus_expr_number(model, from, &a) && saltus_expr_number(model, to, &b) && !(a < b)) {
        saltus_model_fail(model, "a pulse from %g to %g has no length", a, b);
        return (saltus_expr){0};
    }
    return saltus_sub(model, saltus_step(model, saltus_sub(model, x, from), width),
                      saltus_step(model, saltus_sub(model, x, to), width));
}

saltus_expr saltus_mod(saltus_model *model, saltus_expr x, saltus_expr period, saltus_expr width)
{
    HOLD_HOST;
    const saltus_expr turn = num(model, 2.0 * acos(-1.0)), middle = half(model, period);
    if (!is_positive(model, period, "the period of mod()")) return (saltus_expr){0};
    const saltus_expr  u = saltus_div(model, saltus_mul(model, turn, x), period);
    const saltus_point at = towards(model, u);
    const saltus_expr  part = saltus_div(model, period, turn);
    if (!width.id)
        return saltus_add(model, middle,
                          saltus_mul(model, part,
                                     saltus_apply(model, SALTUS_ATAN2, saltus_neg(model, at.y),
                                                  saltus_neg(model, at.x))));
    if (!is_positive(model, width, "the width of mod()")) return (saltus_expr){0};
    const saltus_expr k = saltus_exp(
        model, saltus_neg(model, saltus_div(model, saltus_mul(model, turn, width), period)));
    const saltus_expr slope =
        saltus_div(model, saltus_mul(model, k, at.y),
                   saltus_sub(model, num(model, 1.0), saltus_mul(model, k, at.x)));
    return saltus_sub(model, middle,
                      saltus_mul(model, saltus_mul(model, num(model, 2.0), part),
                                 saltus_apply(model, SALTUS_ATAN, slope, turn)));
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* A table from which an expression is made. */
typedef struct table {
    saltus_model           *model;
    const saltus_curve_def *def;
    saltus_expr            *slope;             /* slopes of a cubic at the places; NULL: linear */
    double                 *diagonal, *corner; /* equations for the slopes: the diagonal; the column
                                                * of the last unknown, zero unless periodic */
    int pieces;
} table;

static double length(const table *t, int piece) { return t->def->x[piece + 1] - t->def->x[piece]; }

/* The slope of the straight line over a piece. */
static saltus_expr chord(const table *t, int piece)
{
    return saltus_div(t->model, saltus_sub(t->model, t->def->y[piece + 1], t->def->y[piece]),
                      num(t->model, length(t, piece)));
}

static saltus_expr scaled(const table *t, double factor, saltus_expr e)
{
    return saltus_mul(t->model, num(t->model, factor), e);
}

/* Solves rows 0 to count - 1 of the tridiagonal equations below. On entry `slope` has the
 * right-hand sides, on return the slopes. `corner` is a second right-hand side, solved in the same
 * way. */
static void solve_rows(table *t, int count)
{
    double *g = t->corner;
    for (int i = 1; i < count; i++) {
        const double before = 1.0 / length(t, i - 1), factor = before / t->diagonal[i - 1];
        t->diagonal[i] -= factor * before;
        g[i] -= factor * g[i - 1];
        t->slope[i] = saltus_sub(t->model, t->slope[i], scaled(t, factor, t->slope[i - 1]));
    }
    for (int i = count - 1; i >= 0; i--) {
        if (i < count - 1) {
            g[i] -= g[i + 1] / length(t, i);
            t->slope[i] =
                saltus_sub(t->model, t->slope[i], scaled(t, 1.0 / length(t, i), t->slope[i + 1]));
        }
        g[i] /= t->diagonal[i];
        t->slope[i] = scaled(t, 1.0 / t->diagonal[i], t->slope[i]);
    }
}

/* Slopes m of a cubic whose second derivative is continuous,
 *     m_(i-1) / h_(i-1) + 2 (1 / h_(i-1) + 1 / h_i) m_i + m_(i+1) / h_i
 *         = 3 (c_(i-1) / h_(i-1) + c_i / h_i),
 * and zero at both ends: 2 m_0 + m_1 = 3 c_0. Places are numbers, but values may be parameters: so
 * the elimination has numbers on the left and expressions on the right. */
static void natural_slopes(table *t)
{
    const int n = t->pieces;
    for (int i = 0; i <= n; i++) {
        const double before = i > 0 ? 1.0 / length(t, i - 1) : 0.0;
        const double after = i < n ? 1.0 / length(t, i) : 0.0;
        t->diagonal[i] = 2.0 * (before + after);
        if (i > 0) t->slope[i] = scaled(t, 3.0 * before, chord(t, i - 1));
        if (i == n) break;
        const saltus_expr next = scaled(t, 3.0 * after, chord(t, i));
        t->slope[i] = i > 0 ? saltus_add(t->model, t->slope[i], next) : next;
    }
    solve_rows(t, n + 1);
}

/* The slopes of a periodic spline: row i has the neighbours i - 1 and i + 1, and the last place is
 * equivalent to the first. The unknown of the last row is treated as a border: m = y + g m_(n-1),
 * which takes two substitutions. */
static void periodic_slopes(table *t)
{
    const int n = t->pieces, last = n - 1;
    double   *g = t->corner;
    for (int i = 0; i < n; i++) {
        const int    previous = i > 0 ? i - 1 : n - 1;
        const double before = 1.0 / length(t, previous), after = 1.0 / length(t, i);
        t->diagonal[i] = 2.0 * (before + after);
        t->slope[i] = saltus_add(t->model, scaled(t, 3.0 * before, chord(t, previous)),
                                 scaled(t, 3.0 * after, chord(t, i)));
    }
    if (n == 2) { /* both neighbours of a row are the other row */
        const double      both = 1.0 / length(t, 0) + 1.0 / length(t, 1);
        const double      a = t->diagonal[0], b = t->diagonal[1], d = a * b - both * both;
        const saltus_expr r0 = t->slope[0], r1 = t->slope[1];
        t->slope[0] = saltus_sub(t->model, scaled(t, b / d, r0), scaled(t, both / d, r1));
        t->slope[1] = saltus_sub(t->model, scaled(t, a / d, r1), scaled(t, both / d, r0));
        t->slope[2] = t->slope[0];
        return;
    }
    g[0] = -1.0 / length(t, last);
    g[last - 1] -= 1.0 / length(t, last - 1);
    solve_rows(t, last);
    const double before = 1.0 / length(t, last - 1), after = 1.0 / length(t, last);
    const double left = t->diagonal[last] + before * g[last - 1] + after * g[0];
    saltus_expr right = saltus_sub(t->model, t->slope[last], scaled(t, before, t->slope[last - 1]));
    right = saltus_sub(t->model, right, scaled(t, after, t->slope[0]));
    t->slope[last] = scaled(t, 1.0 / left, right);
    for (int i = 0; i < last; i++)
        t->slope[i] = saltus_add(t->model, t->slope[i], scaled(t, g[i], t->slope[last]));
    t->slope[n] = t->slope[0];
}

/* The polynomial of a piece in s = x - x_i, by Horner's rule. */
static saltus_expr polynomial(const table *t, int i, saltus_expr s)
{
    saltus_model     *model = t->model;
    const saltus_expr c = chord(t, i);
    if (!t->slope) return saltus_add(model, t->def->y[i], saltus_mul(model, c, s));
    const double      h = length(t, i);
    const saltus_expr bend = saltus_sub(
        model, saltus_sub(model, scaled(t, 3.0, c), scaled(t, 2.0, t->slope[i])), t->slope[i + 1]);
    const saltus_expr twist =
        saltus_sub(model, saltus_add(model, t->slope[i], t->slope[i + 1]), scaled(t, 2.0, c));
    saltus_expr value = saltus_mul(model, scaled(t, 1.0 / (h * h), twist), s);
    value = saltus_mul(model, saltus_add(model, scaled(t, 1.0 / h, bend), value), s);
    value = saltus_mul(model, saltus_add(model, t->slope[i], value), s);
    return saltus_add(model, t->def->y[i], value);
}

/* The curve beyond an end: the value at the end, or a straight line with the slope at the end. */
static saltus_expr beyond(const table *t, int end, saltus_expr x)
{
    if (t->def->ends != SALTUS_ENDS_EXTRAPOLATE) return t->def->y[end];
    const saltus_expr slope = t->slope ? t->slope[end] : chord(t, end > 0 ? end - 1 : 0);
    const saltus_expr s = saltus_sub(t->model, x, num(t->model, t->def->x[end]));
    return saltus_add(t->model, t->def->y[end], saltus_mul(t->model, slope, s));
}

/* The sum of all pieces, each times a weight that is 1 on the piece and 0 elsewhere; the first and
 * the last addend are the curve before the first and beyond the last place. */
static saltus_expr join_pieces(const table *t, saltus_expr x)
{
    saltus_model *model = t->model;
    saltus_expr   sum = {0}, reached = num(model, 1.0);
    for (int i = -1; i <= t->pieces; i++) {
        saltus_expr piece = beyond(t, i < 0 ? 0 : t->pieces, x), next = num(model, 0.0);
        if (i >= 0 && i < t->pieces)
            piece = polynomial(t, i, saltus_sub(model, x, num(model, t->def->x[i])));
        if (i < t->pieces)
            next = saltus_step(model, saltus_sub(model, x, num(model, t->def->x[i + 1])),
                               (saltus_expr){0});
        piece = saltus_mul(model, saltus_sub(model, reached, next), piece);
        sum = sum.id ? saltus_add(model, sum, piece) : piece;
        reached = next;
    }
    return sum;
}

/* The distance of x from the start of a piece, without whole periods. The distance from the middle
 * of the piece is period / pi atan(sin v / (1 + on cos v)), where v is the angle from the middle.
 * `on` is 1 on the piece and at its ends, where the weight is 1 and 1/2. Where the weight is 0, so
 * is `on`, and the fraction is finite even half a period away. */
static saltus_expr along_piece(const table *t, int i, saltus_expr x, double period,
                               saltus_expr weight)
{
    saltus_model      *model = t->model;
    const double       pi = acos(-1.0);
    const double       middle = 0.5 * (t->def->x[i] + t->def->x[i + 1]);
    const saltus_expr  v = scaled(t, 2.0 * pi / period, saltus_sub(model, x, num(model, middle)));
    const saltus_point at = towards(model, v);
    const saltus_expr  on =
        saltus_mul(model, weight, saltus_sub(model, num(model, 3.0), scaled(t, 2.0, weight)));
    const saltus_expr tangent =
        saltus_div(model, at.y, saltus_add(model, num(model, 1.0), saltus_mul(model, on, at.x)));
    return saltus_add(model, num(model, 0.5 * length(t, i)),
                      scaled(t, period / pi, saltus_apply(model, SALTUS_ATAN, tangent, tangent)));
}

/* 1 if x is in the half period that follows a place, otherwise 0. */
static saltus_expr is_past(const table *t, int i, saltus_expr x, double period)
{
    const double      turn = 2.0 * acos(-1.0);
    const saltus_expr from = saltus_sub(t->model, x, num(t->model, t->def->x[i]));
    return saltus_step(t->model, saltus_sin(t->model, scaled(t, turn / period, from)),
                       (saltus_expr){0});
}

/* The sum of all pieces of a periodic curve, times their weights. The weight of a piece shorter
 * than half a period is 1 where x is past its start but not past its end. The longest piece, which
 * may be longer than that, has the rest. */
static saltus_expr join_around(const table *t, saltus_expr x)
{
    saltus_model     *model = t->model;
    const double      period = t->def->x[t->pieces] - t->def->x[0];
    const saltus_expr one = num(model, 1.0);
    saltus_expr       sum = num(model, 0.0), rest = one;
    int               longest = 0;
    for (int i = 1; i < t->pieces; i++)
        if (length(t, i) > length(t, longest)) longest = i;
    for (int i = 0; i < t->pieces; i++) {
        if (i == longest) continue;
        const saltus_expr weight =
            saltus_mul(model, is_past(t, i, x, period),
                       saltus_sub(model, one, is_past(t, (i + 1) % t->pieces, x, period)));
        const saltus_expr piece = polynomial(t, i, along_piece(t, i, x, period, weight));
        sum = saltus_add(model, sum, saltus_mul(model, weight, piece));
        rest = saltus_sub(model, rest, weight);
    }
    const saltus_expr piece = polynomial(t, longest, along_piece(t, longest, x, period, rest));
    return saltus_add(model, sum, saltus_mul(model, rest, piece));
}

/* Adds events that end the run where the argument leaves the table. */
static void stop_outside(const table *t, saltus_expr x)
{
    const int          n = t->pieces;
    const saltus_modes all = {NULL, 0};
    for (int end = 0; end < 2; end++) {
        const char *name =
            sal_arena_format(&t->model->arena, "curve@%d %s #%d", t->model->place.line,
                             end ? "above its end" : "below its start", t->model->events.count);
        if (!name) return;
        const saltus_event event = saltus_event_new(
            t->model, name, saltus_sub(t->model, x, num(t->model, t->def->x[end ? n : 0])),
            end ? SALTUS_RISING : SALTUS_FALLING, all, all);
        saltus_event_stop(t->model, event, 1);
    }
}

static bool is_table(saltus_model *model, const saltus_curve_def *def)
{
    if (sal_model_failed(model)) return false;
    const bool cubic = def && def->kind != SALTUS_CURVE_LINEAR;
    if (!def || !def->x || !def->y || def->count < 2)
        saltus_model_fail(model, "a curve needs two places and values at least");
    else if (def->count > SALTUS_CURVE_PLACES)
        saltus_model_fail(model, "a curve has %d places; %d are the most", def->count,
                          SALTUS_CURVE_PLACES);
    else if ((int)def->kind < 0 || def->kind > SALTUS_CURVE_PERIODIC || (int)def->ends < 0 ||
             def->ends > SALTUS_ENDS_STOP)
        saltus_model_fail(model, "there is no such kind of curve, or of its ends");
    else if (def->kind == SALTUS_CURVE_PERIODIC && def->count < 3)
        saltus_model_fail(model, "a periodic curve needs three places at least");
    for (int i = 0; !sal_model_failed(model) && i < def->count; i++) {
        const sal_node node = sal_model_node(model, def->y[i], "a value of a curve");
        sal_model_allow(model, node, SAL_KINDS_CONSTANT, "a value of a curve",
                        "values are numbers or parameters");
        if (!isfinite(def->x[i]) || (i > 0 && !(def->x[i] > def->x[i - 1])))
            saltus_model_fail(model,
                              "the places of a curve must increase: %g is followed by %g at "
                              "place %d",
                              i > 0 ? def->x[i - 1] : NAN, def->x[i], i + 1);
    }
    if (!sal_model_failed(model) && cubic && def->kind == SALTUS_CURVE_PERIODIC &&
        def->y[0].id != def->y[def->count - 1].id)
        saltus_model_fail(model, "the values of a periodic curve at its start and at its end must "
                                 "be the same");
    return !sal_model_failed(model);
}

saltus_expr saltus_curve(saltus_model *model, saltus_expr x, const saltus_curve_def *def)
{
    HOLD_HOST;
    const saltus_expr none = {0};
    if (!is_table(model, def) || !sal_model_node(model, x, "the argument of a curve")) return none;
    table t = {.model = model, .def = def, .pieces = def->count - 1};
    if (def->kind != SALTUS_CURVE_LINEAR) {
        t.slope = ARENA_NEW(&model->arena, def->count, saltus_expr);
        if (!ARENA_VECTORS(&model->arena, def->count, &t.diagonal, &t.corner)) return none;
        if (def->kind == SALTUS_CURVE_PERIODIC) periodic_slopes(&t);
        else natural_slopes(&t);
    }
    if (def->kind == SALTUS_CURVE_PERIODIC) return join_around(&t, x);
    if (def->ends == SALTUS_ENDS_STOP) stop_outside(&t, x);
    return join_pieces(&t, x);
}
