/* One-sided derivatives.
 *
 * Where events happen at one instant by chance, or a contact is exactly at a threshold, the motion
 * may go on differently on the two sides of a parameter's value. On each side, close enough to the
 * value, it has one order of events, and costs are smooth there. Costs f and their derivatives f'
 * are computed at the distances h, h/4 and h/16 and extrapolated to the value itself (Richardson):
 *
 *     A = (4 f(h/4) - f(h)) / 3,    B = (4 f(h/16) - f(h/4)) / 3,    f(0) = (16 B - A) / 15
 *
 * with an error of less than |f(0) - B|. A limit is accepted only if it is verified: the three
 * motions have the same events in the same order; the estimated error is small; and the costs
 * differ as their derivatives predict,
 *
 *     f(h) - f(h/4) = 3h/4 (f'(h) + f'(h/4)) / 2 + O(h^3).
 *
 * Distances are relative to the value of the parameter, so derivatives by distance have the size of
 * costs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "gradient/gradients.h"
#include "gradient/output_rows.h"
#include "gradient/requests.h"
#include "run/outcome.h"
#include "saltus/saltus.h"

enum { LEVELS = 3, TRIES = 5 };
static const double FIRST_DISTANCE = 1e-4;

/* Bounds relative to the size of a cost. */
static const double VERIFIED = 1e-4;      /* deviation of differences from derivatives */
static const double NO_DIFFERENCE = 1e-7; /* difference of derivatives that agree */
static const double NO_JUMP = 1e-8;       /* difference of costs that agree */

/* One side while its limits are computed, by cost. */
typedef struct side {
    int                sign;
    bool               found;
    char               message[SAL_RUN_TEXT];
    double            *value[LEVELS], *slope[LEVELS];
    double            *limit, *limit_error, *slope_limit, *slope_error;
    const char       **name; /* names of its events, in order, of at most `room` */
    const sal_regime **to;
    int                events, room;
} side;

typedef struct finder {
    saltus_run       *run, *other; /* the original, and a run for motions next to it */
    const sal_wanted *wanted;
    sal_wanted        by;        /* the parameters that change, and all requested costs */
    double           *direction; /* by parameter that changes */
    saltus_method     method;
    double           *params, *gradient, *all;
    double           *size;       /* by cost: the largest size of its terms and of its values */
    double           *slope_size; /* by cost and parameter: size of the terms of its derivatives */
    sal_arena        *scratch;
    side              below, above;
    saltus_verdict   *verdict;
} finder;

/* ---- one motion ----------------------------------------------------------------------------- */

static bool is_ours(saltus_status status)
{
    return status == SALTUS_ERR_MEMORY || status == SALTUS_ERR_INTERRUPTED;
}

/* Passes on a failure for lack of memory or by interruption; notes others as those of the side. */
static saltus_status pass_on(side *to, const saltus_error *found, saltus_error *err)
{
    if (is_ours(found->status)) return sal_fail(err, found->status, "%s", found->message);
    snprintf(to->message, sizeof to->message, "%.*s", SAL_RUN_TEXT - 1, found->message);
    return SALTUS_OK;
}

static saltus_status simulate(finder *f, double distance, side *to, bool *good, saltus_error *err)
{
    saltus_error found = {0};
    *good = false;
    for (int i = 0; i < f->by.param_count; i++)
        f->params[f->by.params[i]] =
            f->run->params[f->by.params[i]] + to->sign * distance * f->direction[i];
    sal_probe_simulate(f->other, f->run, f->params, &found);
    for (int i = 0; i < f->by.param_count; i++)
        f->params[f->by.params[i]] = f->run->params[f->by.params[i]];
    if (found.status) return pass_on(to, &found, err);
    const saltus_outcome outcome = f->other->outcome.info.outcome;
    if (outcome == SALTUS_INTERRUPTED)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "one-sided: %s", f->other->outcome.message);
    *good = outcome == SALTUS_END || outcome == SALTUS_TERMINAL_EVENT;
    if (!*good) snprintf(to->message, sizeof to->message, "%s", f->other->outcome.message);
    return SALTUS_OK;
}

static saltus_status differentiate(finder *f, side *to, int level, bool *good, saltus_error *err)
{
    const size_t         np = (size_t)f->by.param_count;
    const saltus_request request = {f->method, f->by.costs, f->by.cost_count, f->by.params,
                                    f->by.param_count};
    saltus_error         found = {0};
    *good = sal_gradients_compute(f->other, &request, f->gradient, NULL, NULL, &found) == SALTUS_OK;
    if (!*good) return pass_on(to, &found, err);
    TRY(saltus_run_costs(f->other, f->all, err));
    for (int i = 0; i < f->by.cost_count; i++) {
        to->value[level][i] = f->all[f->by.costs[i]];
        to->slope[level][i] = 0.0;
        for (size_t k = 0; k < np; k++)
            to->slope[level][i] += to->sign * f->gradient[(size_t)i * np + k] * f->direction[k];
    }
    return SALTUS_OK;
}

/* Makes room for the events of the motion that was just simulated. */
static bool make_room(finder *f, side *to, int events)
{
    if (events <= to->room) return true;
    to->room = 2 * events;
    to->name = ARENA_NEW(f->scratch, to->room, const char *);
    to->to = ARENA_NEW(f->scratch, to->room, const sal_regime *);
    return to->name && to->to;
}

/* Notes the events of the first motion of a side; compares those of the other motions with them. */
static saltus_status compare_events(finder *f, side *to, int level, bool *same, saltus_error *err)
{
    const saltus_run *run = f->other;
    int               count = 0;
    if (level == 0 && !make_room(f, to, run->history.shown.count)) return sal_fail_memory(err);
    *same = true;
    for (int i = 0; i < run->history.shown.count; i++) {
        const sal_occurrence *o = &run->history.occurrences.data[run->history.shown.data[i]];
        const char           *name = run->system->event[o->event].name;
        if (sal_occurrence_is_noise(run, i)) continue;
        if (level == 0) {
            to->name[count] = name;
            to->to[count] = o->to;
        } else if (count >= to->events || to->name[count] != name || to->to[count] != o->to)
            *same = false;
        count++;
        if (!*same) break;
    }
    if (level == 0) to->events = count;
    *same = *same && count == to->events;
    if (!*same)
        snprintf(to->message, sizeof to->message,
                 "however close, events appear, vanish or change their order");
    return SALTUS_OK;
}

/* ---- one side ------------------------------------------------------------------------------- */

/* f(0) from three distances, and an estimate of its error. */
static double extrapolate(double *const *at, int i, double *error)
{
    const double A = (4.0 * at[1][i] - at[0][i]) / 3.0, B = (4.0 * at[2][i] - at[1][i]) / 3.0;
    const double limit = (16.0 * B - A) / 15.0;
    *error = fabs(limit - B);
    return limit;
}

/* The scale of the derivatives of a cost by the distance. */
static double scale_of(const finder *f, int i)
{
    const size_t  first = (size_t)(f->by.params - f->wanted->params);
    const double *slope = f->slope_size + (size_t)i * (size_t)f->wanted->param_count + first;
    double        scale = f->size[i];
    for (int k = 0; k < f->by.param_count; k++) scale += fabs(slope[k] * f->direction[k]);
    return scale;
}

/* Whether cost and derivative have limits: the estimated errors are small. */
static bool converges(const finder *f, side *s, int i)
{
    const double slope = fabs(s->slope_limit[i]);
    if (s->slope_error[i] <= VERIFIED * (scale_of(f, i) + slope) &&
        s->limit_error[i] <= VERIFIED * (f->size[i] + FIRST_DISTANCE * slope))
        return true;
    snprintf(s->message, sizeof s->message,
             "the derivative has no limit: it goes from %.6g over %.6g to %.6g", s->slope[0][i],
             s->slope[1][i], s->slope[2][i]);
    return false;
}

/* Whether the cost changes as its derivatives predict. h: the longest distance. */
static bool is_verified(const finder *f, side *s, int i, double h)
{
    const double noise = 1e2 * f->other->options.rtol * f->size[i];
    const double scale = scale_of(f, i) + fabs(s->slope_limit[i]);
    for (int level = 0; level + 1 < LEVELS; level++, h *= 0.25) {
        const double between = 0.75 * h;
        const double mean = 0.5 * (s->slope[level][i] + s->slope[level + 1][i]);
        const double found = s->value[level][i] - s->value[level + 1][i];
        if (fabs(found - between * mean) <= VERIFIED * between * scale + noise) continue;
        snprintf(s->message, sizeof s->message,
                 "the derivative %.6g next to it is not that of the motion, which changes by %.6g",
                 mean, found / between);
        return false;
    }
    return true;
}

static bool find_limits(const finder *f, side *s, double h)
{
    for (int i = 0; i < f->by.cost_count; i++) {
        for (int level = 0; level < LEVELS; level++)
            f->size[i] = fmax(f->size[i], fabs(s->value[level][i]));
        s->limit[i] = extrapolate(s->value, i, &s->limit_error[i]);
        s->slope_limit[i] = extrapolate(s->slope, i, &s->slope_error[i]);
        if (!isfinite(s->limit[i]) || !isfinite(s->slope_limit[i]) || !converges(f, s, i) ||
            !is_verified(f, s, i, h))
            return false;
    }
    return true;
}

static saltus_status find_side(finder *f, side *s, saltus_error *err)
{
    double h = FIRST_DISTANCE;
    s->found = false;
    for (int i = 0; i < TRIES && !s->found; i++, h *= 0.1) {
        bool   good = true;
        double distance = h;
        for (int level = 0; level < LEVELS && good; level++, distance *= 0.25) {
            TRY(simulate(f, distance, s, &good, err));
            if (good) TRY(compare_events(f, s, level, &good, err));
            if (good) TRY(differentiate(f, s, level, &good, err));
        }
        s->found = good && find_limits(f, s, h);
    }
    return SALTUS_OK;
}

/* ---- both sides ----------------------------------------------------------------------------- */

/* Compares both sides. Derivatives are by the distance: if they agree, they have opposite signs. */
static saltus_verdict judge(const finder *f, int i)
{
    const side  *a = &f->below, *b = &f->above;
    const double size = f->size[i];
    if (!a->found || !b->found) return SALTUS_SIDES_UNKNOWN;
    const double jump = fabs(b->limit[i] - a->limit[i]);
    const double slopes = fabs(a->slope_limit[i]) + fabs(b->slope_limit[i]);
    if (jump >
        10.0 * (a->limit_error[i] + b->limit_error[i]) + NO_JUMP * (size + FIRST_DISTANCE * slopes))
        return SALTUS_SIDES_JUMP;
    const double kink = fabs(b->slope_limit[i] + a->slope_limit[i]);
    return kink > 10.0 * (a->slope_error[i] + b->slope_error[i]) +
                       NO_DIFFERENCE * (scale_of(f, i) + slopes)
               ? SALTUS_SIDES_DIFFER
               : SALTUS_SIDES_AGREE;
}

static saltus_status find_both(finder *f, saltus_error *err)
{
    TRY(find_side(f, &f->below, err));
    TRY(find_side(f, &f->above, err));
    for (int i = 0; i < f->by.cost_count; i++) f->verdict[i] = judge(f, i);
    return SALTUS_OK;
}

static double unit_of(const finder *f, int param)
{
    const double value = f->run->params[param];
    return value != 0.0 ? fabs(value) : 1.0;
}

static void side_init(side *s, int sign, int costs, sal_arena *arena)
{
    *s = (side){.sign = sign};
    for (int level = 0; level < LEVELS; level++) {
        s->value[level] = ARENA_NEW(arena, costs, double);
        s->slope[level] = ARENA_NEW(arena, costs, double);
    }
    s->limit = ARENA_NEW(arena, costs, double);
    s->limit_error = ARENA_NEW(arena, costs, double);
    s->slope_limit = ARENA_NEW(arena, costs, double);
    s->slope_error = ARENA_NEW(arena, costs, double);
}

/* Computes the sizes of costs and of their derivatives. If the run itself has no derivatives, their
 * sizes are taken to be zero. */
static saltus_status find_sizes(finder *f, saltus_error *err)
{
    const size_t count = (size_t)f->wanted->cost_count * (size_t)f->wanted->param_count;
    saltus_error found = {0};
    sal_cost_sizes(f->run, f->wanted, f->size, f->slope_size, &found);
    if (!found.status) return SALTUS_OK;
    if (is_ours(found.status)) return sal_fail(err, found.status, "%s", found.message);
    memset(f->slope_size, 0, count * sizeof *f->slope_size);
    return sal_cost_sizes(f->run, f->wanted, f->size, NULL, err);
}

static saltus_status finder_init(finder *f, saltus_run *run, const sal_wanted *wanted,
                                 saltus_method method, sal_arena *arena, saltus_error *err)
{
    const saltus_system *system = run->system;
    const size_t         count = (size_t)wanted->cost_count * (size_t)wanted->param_count;
    saltus_options       options = run->options;
    *f = (finder){.run = run, .wanted = wanted, .by = *wanted, .method = method, .scratch = arena};
    f->direction = ARENA_NEW(arena, wanted->param_count, double);
    f->params = ARENA_NEW(arena, system->np, double);
    f->gradient = ARENA_NEW(arena, count, double);
    f->all = ARENA_NEW(arena, system->nc, double);
    f->size = ARENA_NEW(arena, wanted->cost_count, double);
    f->slope_size = ARENA_NEW(arena, count, double);
    f->verdict = ARENA_NEW(arena, wanted->cost_count, saltus_verdict);
    side_init(&f->below, -1, wanted->cost_count, arena);
    side_init(&f->above, 1, wanted->cost_count, arena);
    if (arena->failed) return sal_fail_memory(err);
    memcpy(f->params, run->params, (size_t)system->np * sizeof *f->params);
    TRY(find_sizes(f, err));
    sal_options_tighten(&options);
    f->other = sal_run_make_for(run, &options, err);
    return f->other ? SALTUS_OK : err->status;
}

/* ---- what is handed out --------------------------------------------------------------------- */

/* Converts derivatives by the distance to derivatives by the parameter. */
static saltus_side hand_out(side *s, double unit, int costs)
{
    for (int i = 0; i < costs; i++) {
        s->slope_limit[i] = s->sign * s->slope_limit[i] / unit + 0.0; /* no -0 */
        s->slope_error[i] /= unit;
    }
    return (saltus_side){.found = s->found,
                         .message = s->found ? "" : s->message,
                         .cost = s->found ? s->limit : NULL,
                         .cost_error = s->found ? s->limit_error : NULL,
                         .gradient = s->found ? s->slope_limit : NULL,
                         .gradient_error = s->found ? s->slope_error : NULL,
                         .events = s->found ? s->events : 0,
                         .event = s->name};
}

/* Finds the first event in which both orders differ, and the numbers of events from there on until
 * the rest of both orders is the same. */
static void find_difference(const side *a, const side *b, saltus_sides *out)
{
    int first = 0, last = 0;
    while (first < a->events && first < b->events && a->name[first] == b->name[first]) first++;
    while (last < a->events - first && last < b->events - first &&
           a->name[a->events - 1 - last] == b->name[b->events - 1 - last])
        last++;
    /* if one order merely lacks events, the event that follows is included for readability */
    if ((first + last == a->events) != (first + last == b->events) && last > 0) last--;
    out->first_different = first;
    out->different_below = a->events - first - last;
    out->different_above = b->events - first - last;
}

static saltus_status one_param(finder *f, int column, saltus_sides_function give, void *context,
                               int *stop, saltus_error *err)
{
    const int param = f->wanted->params[column];
    f->by.params = f->wanted->params + column;
    f->by.param_count = 1;
    f->direction[0] = unit_of(f, param);
    TRY(find_both(f, err));
    saltus_sides out = {.param = param, .verdict = f->verdict};
    if (f->below.found && f->above.found) find_difference(&f->below, &f->above, &out);
    out.below = hand_out(&f->below, f->direction[0], f->by.cost_count);
    out.above = hand_out(&f->above, f->direction[0], f->by.cost_count);
    sal_run_lend(f->run);
    *stop = give(context, &out);
    sal_run_take_back(f->run);
    return SALTUS_OK;
}

saltus_status saltus_run_one_sided(saltus_run *run, const saltus_request *request,
                                   saltus_sides_function sides, void *context, saltus_error *err)
{
    HOLD_HOST;
    sal_arena    scratch;
    sal_wanted   wanted;
    finder       f = {0};
    int          stop = 0;
    saltus_error mine = {0};
    if (!err) err = &mine;
    TRY(sal_run_ready(run, err));
    if (!request || !sides)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "one-sided derivatives need a request and a function that takes them");
    if (request->method == SALTUS_FD)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "central differences have no sides: take another method");
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = sal_request_spell_out(run, request, &scratch, &wanted, err);
    if (status == SALTUS_OK) status = finder_init(&f, run, &wanted, request->method, &scratch, err);
    for (int i = 0; status == SALTUS_OK && i < wanted.param_count && !stop; i++)
        status = one_param(&f, i, sides, context, &stop, err);
    saltus_run_free(f.other);
    sal_arena_free(&scratch);
    return status;
}

/* ---- warnings ------------------------------------------------------------------------------- */

static const char *describe(const saltus_run *run, char *text, size_t size)
{
    const sal_tie *tie = &run->outcome.tie;
    if (tie->second)
        snprintf(text, size, "events '%s' and '%s' happen at the same instant, t = %.10g",
                 tie->first, tie->second, tie->t);
    else
        snprintf(
            text, size,
            "contact '%s' is exactly at a threshold, as it just touches, sticks or lets go, at "
            "t = %.10g",
            tie->first, tie->t);
    return text;
}

/* Chooses one direction in which all parameters change. If derivatives exist, those of both sides
 * agree in every direction; otherwise they agree only in exceptional directions. */
static void choose_direction(finder *f)
{
    double part = 0.7;
    for (int i = 0; i < f->by.param_count; i++) {
        part = fmod(part * 1.618033988749895 + 0.1, 1.0);
        f->direction[i] = unit_of(f, f->by.params[i]) * (i % 2 ? -1.0 : 1.0) * (0.5 + 0.5 * part);
    }
}

/* Whether the gradient of the run, along the direction, agrees with that of a side, or a side has
 * no limit. */
static bool is_of_a_side(const finder *f, const double *gradient, int i)
{
    const side *const sides[] = {&f->below, &f->above};
    const double     *row = gradient + (size_t)i * (size_t)f->by.param_count;
    double            slope = 0.0;
    for (int k = 0; k < f->by.param_count; k++) slope += row[k] * f->direction[k];
    for (int k = 0; k < 2; k++) {
        const double other = sides[k]->sign * sides[k]->slope_limit[i];
        const double scale = scale_of(f, i) + fabs(slope) + fabs(other);
        if (!sides[k]->found ||
            fabs(slope - other) <= 10.0 * sides[k]->slope_error[i] + VERIFIED * scale)
            return true;
    }
    return false;
}

static void warn_neither(const finder *f, const double *gradient)
{
    char text[SAL_RUN_TEXT];
    for (int i = 0; i < f->by.cost_count; i++) {
        if (is_of_a_side(f, gradient, i)) continue;
        sal_run_warn(f->run,
                     "%s: the gradient of cost '%s' there is that of neither side; --one-sided "
                     "gives both",
                     describe(f->run, text, sizeof text),
                     f->run->system->model->costs.data[f->by.costs[i]].label.name);
        return;
    }
}

static void warn(const finder *f, const double *gradient)
{
    const saltus_system *system = f->run->system;
    char                 text[SAL_RUN_TEXT];
    int                  worst = -1;
    for (int i = 0; i < f->by.cost_count; i++)
        if (f->verdict[i] != SALTUS_SIDES_AGREE && (worst < 0 || f->verdict[i] > f->verdict[worst]))
            worst = i;
    if (worst < 0) {
        warn_neither(f, gradient);
        return;
    }
    describe(f->run, text, sizeof text);
    const char *cost = system->model->costs.data[f->by.costs[worst]].label.name;
    switch (f->verdict[worst]) {
    case SALTUS_SIDES_DIFFER:
        sal_run_warn(f->run,
                     "%s: the gradient is one-sided there; on the other side, cost '%s' has a "
                     "different gradient; --one-sided prints both",
                     text, cost);
        break;
    case SALTUS_SIDES_JUMP:
        sal_run_warn(f->run,
                     "%s: the motion itself jumps there, and cost '%s' from %.8g to %.8g; there is "
                     "no gradient, --one-sided gives those of both sides",
                     text, cost, f->below.limit[worst], f->above.limit[worst]);
        break;
    default:
        sal_run_warn(f->run,
                     "%s: the gradient may be one-sided there, --one-sided shows for which "
                     "parameter; next to it, %s",
                     text, f->below.found ? f->above.message : f->below.message);
    }
}

saltus_status sal_judge_ties(saltus_run *run, const sal_wanted *wanted, const double *gradient,
                             saltus_error *err)
{
    sal_arena scratch;
    finder    f = {0};
    if (run->outcome.ties == 0 || run->outcome.ties_judged || wanted->param_count == 0 ||
        wanted->cost_count == 0)
        return SALTUS_OK;
    run->outcome.ties_judged = true;
    sal_arena_init(&scratch, &run->arena.allocator);
    saltus_status status = finder_init(&f, run, wanted, SALTUS_AUTO, &scratch, err);
    if (status == SALTUS_OK) {
        choose_direction(&f);
        status = find_both(&f, err);
    }
    if (status == SALTUS_OK) warn(&f, gradient);
    run->outcome.info.warnings = run->outcome.warnings;
    saltus_run_free(f.other);
    sal_arena_free(&scratch);
    return status;
}
