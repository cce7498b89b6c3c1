#include "answer/local.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "answer/arcs.h"
#include "answer/engine.h"
#include "answer/shooting.h"
#include "base/status.h"
#include "run/run.h"
#include "sens/clearance.h"

/* A border holds the optimum back if, beyond it, the cost would fall by more than this part of
 * itself per scale of the unknowns. */
static const double HELD = 1e-6;
/* Relative tolerance of the runs of a finer search. */
static const double FINEST = 1e-13;
/* Relative size of the sum of slopes that count as cancelling, at a kink. */
static const double CANCEL = 1e-3;

typedef struct work {
    sal_landscape           *l;
    const sal_local_options *options;
    sal_local               *local;
    int                      n, rows;
    sal_sqp_point            here, there;
    const double            *scale;
    double                  *x, *y_fence, *left, *right;
    double                  *y_arcs; /* multipliers of all rows, if there are places on arcs */
    bool                     has_multipliers; /* multipliers are known from multiple shooting */
    bool                     is_led;          /* another engine has searched */
} work;

/* ---- beyond a border ------------------------------------------------------------------------ */

static double fence_length(const work *w, const sal_sqp_point *p, int k)
{
    double length = 0.0;
    for (int i = 0; i < w->n; i++)
        length = hypot(length, p->fence_gradient[k * w->n + i] * w->scale[i]);
    return length;
}

/* Writes the point at which the linearised fence is -excess, in the direction in which it is
 * closest. */
static void step_beyond(const work *w, const double *x, const sal_sqp_point *p, int k,
                        double excess, double *to)
{
    const double length = fence_length(w, p, k);
    for (int i = 0; i < w->n; i++) {
        const double direction =
            p->fence_gradient[k * w->n + i] * w->scale[i] * w->scale[i] / (length * length);
        to[i] = fmin(fmax(x[i] - (p->fence[k] + excess) * direction, w->l->task->lower[i]),
                     w->l->task->upper[i]);
    }
}

/* Finds points with other sequences next to x, across the fences in `here`. */
static void look_beyond(work *w, const double *x)
{
    const long long piece = w->l->piece;
    const double    factors[] = {0.02, 0.2, 1.0, 3.0};
    for (int k = 0; k < w->here.fences && w->local->beyonds < SAL_FENCES; k++) {
        double *to = &w->local->beyond[w->local->beyonds * w->n];
        for (int i = 0; i < 4; i++) {
            step_beyond(w, x, &w->here, k, factors[i] * w->here.fence[k], to);
            const sal_evaluation got = sal_landscape_simulate(w->l, to);
            if (got == SAL_STOP) return;
            if (got != SAL_EVALUATED || w->l->piece == piece) continue;
            w->local->beyonds++;
            break;
        }
    }
}

/* Whether the search has fences: around the sequence of events if that is kept, and where peaks
 * tie. */
static bool has_fences(const work *w)
{
    bool has = w->options->is_kept || w->l->with_places;
    for (int i = 0; i < w->l->task->cost_count && !has; i++)
        has = *saltus_system_cost_peak(w->l->task->system, w->l->task->costs[i], NULL) &&
              sal_landscape_keeps_peaks(w->l->task, w->l->task->costs[i]);
    return has;
}

/* ---- what kind of optimum it is ------------------------------------------------------------- */

/* Writes the slope of the Lagrangian at a point, in scales of the unknowns; zero for unknowns that
 * a bound holds. */
static void write_slope(const work *w, const sal_sqp_point *p, double *slope)
{
    const sal_task *t = w->l->task;
    for (int i = 0; i < w->n; i++) {
        slope[i] = p->gradient[i];
        for (int k = 0; k < w->rows; k++) slope[i] -= w->local->y[k] * p->jacobian[k * w->n + i];
        const bool is_unloaded = (w->local->x[i] <= t->lower[i] && slope[i] > 0.0) ||
                                 (w->local->x[i] >= t->upper[i] && slope[i] < 0.0);
        slope[i] = is_unloaded ? 0.0 : slope[i] * w->scale[i];
    }
}

/* The length of the shortest convex combination of the two slopes, relative to theirs: zero if they
 * point in opposite directions. */
static double shortest(const work *w)
{
    double ll = 0.0, lr = 0.0, rr = 0.0;
    for (int i = 0; i < w->n; i++) {
        ll += w->left[i] * w->left[i];
        lr += w->left[i] * w->right[i];
        rr += w->right[i] * w->right[i];
    }
    const double across = ll - 2.0 * lr + rr;
    const double part = across > 0.0 ? fmin(fmax((ll - lr) / across, 0.0), 1.0) : 0.0;
    const double square =
        (1 - part) * (1 - part) * ll + 2 * part * (1 - part) * lr + part * part * rr;
    return sqrt(fmax(square, 0.0) / fmax(fmax(ll, rr), DBL_MIN));
}

/* Whether the optimum is at a kink of the cost, at a border: zero is between the slopes on both
 * sides, and the cost does not jump. */
static bool is_kink(work *w, int k)
{
    const double near = 1e-7 * fence_length(w, &w->here, k);
    const double value = w->here.f;
    const bool   soft = sal_clearance_is_soft(w->l->fence[k].kind);
    step_beyond(w, w->local->x, &w->here, k, fmax(near, w->here.fence[k]), w->x);
    w->l->is_kept = false;
    if (sal_landscape_evaluate(w->l, w->x, true, &w->there) != SAL_EVALUATED ||
        (w->l->piece == w->local->piece && !soft))
        return false;
    write_slope(w, &w->here, w->left);
    write_slope(w, &w->there, w->right);
    double expected = 0.0;
    for (int i = 0; i < w->n; i++)
        expected +=
            (fabs(w->left[i]) + fabs(w->right[i])) * fabs(w->x[i] - w->local->x[i]) / w->scale[i];
    const bool jumps = fabs(w->there.f - value) > 10.0 * expected + 1e-8 * fabs(value);
    return !jumps && shortest(w) < CANCEL;
}

/* The factor of the slope of a cost, by its number in the system, in the slope of the
 * Lagrangian. */
static double weight_of(const work *w, int cost)
{
    const sal_task *t = w->l->task;
    double          weight = t->costs[0] == cost ? 1.0 : 0.0;
    for (int k = 0; k < w->rows; k++)
        if (t->costs[t->row[k].cost] == cost) weight -= t->row[k].sign * w->local->y[k];
    return weight;
}

/* Whether a cost whose peaks tie cannot be improved by moving to another peak. With q = m0 - mk and
 * multipliers y, the slope of the Lagrangian is weight g0 - sum yk (g0 - gk): zero lies between the
 * slopes gk if no factor of them is negative. For a smallest value, all signs are reversed. */
static bool is_held_by_peaks(const work *w, int cost)
{
    int          lowest;
    double       sum = 0.0;
    const double weight = weight_of(w, cost);
    saltus_system_cost_peak(w->l->task->system, cost, &lowest);
    for (int k = 0; k < w->here.fences; k++)
        if (w->l->fence[k].kind == SALTUS_CLEAR_PEAK && w->l->fence[k].first == cost)
            sum += w->y_fence[k];
    return sum <= (lowest ? -weight : weight) * (1.0 + CANCEL);
}

static void note_borders(work *w)
{
    sal_local *r = w->local;
    r->borders = w->here.fences;
    for (int k = 0; k < w->here.fences; k++) {
        r->border[k] = (sal_local_border){
            .what = w->l->fence[k], .distance = w->here.fence[k], .multiplier = w->y_fence[k]};
    }
}

/* The border that holds the optimum back most, or -1. */
static int find_border(const work *w)
{
    int    most = -1;
    double worth = HELD * fmax(fabs(w->local->value), fabs(w->local->start_value) * 1e-2);
    for (int k = 0; k < w->here.fences; k++) {
        const double length = fence_length(w, &w->here, k);
        if (w->y_fence[k] * length <= worth || w->here.fence[k] > 1e-4 * length) continue;
        worth = w->y_fence[k] * length;
        most = k;
    }
    return most;
}

static saltus_optimum_status name_end(sal_solve_status ended)
{
    switch (ended) {
    case SAL_CONVERGED: return SALTUS_OPTIMUM_CONVERGED;
    case SAL_INFEASIBLE: return SALTUS_OPTIMUM_INFEASIBLE;
    case SAL_STOPPED: return SALTUS_OPTIMUM_INTERRUPTED;
    default: return SALTUS_OPTIMUM_LIMIT;
    }
}

/* Classifies the best point: finds its borders, and whether one of them holds it. */
static void classify(work *w)
{
    sal_local *r = w->local;
    r->status = name_end(r->ended);
    w->l->is_kept = false;
    if (r->ended == SAL_STOPPED || r->ended == SAL_NO_START) return;
    w->l->has_fences = true;
    w->l->only_soft = !w->options->is_kept && has_fences(w);
    if (sal_landscape_evaluate(w->l, r->x, true, &w->here) != SAL_EVALUATED) return;
    r->piece = w->l->piece;
    note_borders(w);
    const int  border = find_border(w);
    const bool is_at_end = r->ended == SAL_CONVERGED || r->ended == SAL_STALLED;
    if (border >= 0 && is_at_end && r->found.violation <= 10.0 * w->options->tolerance) {
        const sal_fence what = w->l->fence[border];
        const bool      peaks = what.kind == SALTUS_CLEAR_PEAK;
        const bool      kink = peaks ? is_held_by_peaks(w, what.first) : is_kink(w, border);
        r->status = kink ? SALTUS_OPTIMUM_KINK : SALTUS_OPTIMUM_BORDER;
        if (sal_clearance_is_soft(what.kind) && !kink) r->beside = border;
    }
    if (!w->options->neighbours) return;
    if (sal_landscape_evaluate(w->l, r->x, true, &w->here) == SAL_EVALUATED) look_beyond(w, r->x);
}

static void keep_sequence(work *w)
{
    const saltus_allocator *allocator = &w->l->arena.allocator;
    sal_local              *r = w->local;
    if (sal_landscape_simulate(w->l, r->x) != SAL_EVALUATED) return;
    r->sequence.count = 0;
    for (int i = 0; i < w->l->sequence.count; i++)
        if (!ARRAY_PUSH(allocator, &r->sequence, w->l->sequence.data[i])) {
            sal_fail_memory(&r->error);
            return;
        }
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Searches with another engine first, if one is chosen; sal_sqp then verifies and finishes its
 * result. Returns false if its library is missing or memory runs out. */
static bool use_engine(work *w, sal_sqp_problem problem)
{
    const saltus_engine engine = w->l->task->engine;
    if (engine == SALTUS_ENGINE_SQP || w->is_led) return true;
    w->is_led = true;
    problem.max_fences = w->l->has_fences ? SAL_FENCES : 0;
    double f;
    return sal_engine_search(engine, &problem, NULL, &w->l->arena.allocator, w->local->x, &f,
                             &w->local->error) == SALTUS_OK;
}

/* Adds fences where events meet samples and nodes of controls: a step across one was rejected. */
static void fence_orders(void *context)
{
    sal_landscape *l = context;
    l->with_places = l->has_fences = true;
}

/* Adds the multipliers of rows on arcs, which only the search has, to the rows of the task. */
static void fold_places(const work *w, const double *y)
{
    const sal_landscape *l = w->l;
    memcpy(w->local->y, y, (size_t)w->rows * sizeof *y);
    for (int k = 0; k < l->places.count; k++) w->local->y[l->places.data[k].row] += y[w->rows + k];
    int *worst = &w->local->found.worst;
    if (*worst >= w->rows) *worst = l->places.data[*worst - w->rows].row;
}

static void run_search(work *w)
{
    const sal_task       *t = w->l->task;
    sal_local            *r = w->local;
    double *const         y = w->l->places.count ? w->y_arcs : r->y;
    const sal_sqp_problem problem = {.unknowns = t->n,
                                     .constraints = t->rows + w->l->places.count,
                                     .equations = t->equations,
                                     .max_fences = SAL_FENCES,
                                     .lower = t->lower,
                                     .upper = t->upper,
                                     .scale = t->scale,
                                     .evaluate = sal_landscape_evaluate,
                                     .fence_orders = w->l->with_places ? NULL : fence_orders,
                                     .context = w->l,
                                     .progress = w->options->progress,
                                     .progress_context = w->options->context,
                                     .tolerance = w->options->tolerance,
                                     .noise = fmin(w->options->noise, w->l->run->options.rtol),
                                     .max_iterations = w->options->max_iterations,
                                     .has_multipliers = w->has_multipliers,
                                     .size = r->found.size};
    w->l->is_kept = w->options->is_kept;
    w->l->has_fences = has_fences(w);
    w->l->only_soft = !w->options->is_kept;
    w->l->home = w->l->piece;
    r->ended = use_engine(w, problem)
                   ? sal_sqp(&problem, &w->l->arena.allocator, r->x, y, w->y_fence, &r->found)
                   : SAL_STOPPED;
    if (w->l->error.status == SALTUS_ERR_MEMORY) r->error = w->l->error;
    if (r->error.status) return;
    r->value = r->found.f;
    if (r->ended == SAL_NO_START && w->is_led &&
        sal_landscape_simulate(w->l, r->x) == SAL_EVALUATED) { /* a motion without gradient */
        r->ended = SAL_STALLED;
        r->value = w->l->cost[t->costs[0]];
    }
    if (w->l->places.count) fold_places(w, y);
    r->iterations += r->found.iterations;
    if (r->ended == SAL_OUT_OF_MEMORY) sal_fail_memory(&r->error);
    if (w->l->error.status == SALTUS_ERR_MEMORY) r->error = w->l->error;
}

enum { MAX_SIDES = 12 };

static void search_once(work *w)
{
    run_search(w);
    sal_arcs_forget(w->l);
    w->has_multipliers = false;
    w->local->beside = -1;
    classify(w);
}

static void set_tolerance(work *w, double rtol, double atol)
{
    w->l->run->options.rtol = rtol;
    w->l->run->options.atol = atol;
}

/* Searches again with a smaller tolerance of the runs, if no step was better at a point that is no
 * optimum: errors of the runs may hide improvements. */
static void search_finer(work *w)
{
    const double rtol = w->l->run->options.rtol, atol = w->l->run->options.atol;
    const double finer = fmin(1.0, FINEST / rtol);
    if (w->local->ended != SAL_STALLED || w->local->status != SALTUS_OPTIMUM_LIMIT ||
        w->local->error.status || finer == 1.0)
        return;
    set_tolerance(w, finer * rtol, finer * atol);
    if (sal_landscape_simulate(w->l, w->local->x) == SAL_EVALUATED) {
        w->has_multipliers = true;
        search_once(w);
    }
    set_tolerance(w, rtol, atol);
}

/* Searches again with limits all along arcs, if no step was better and an expression stays at its
 * limit for a while. */
static void search_along_arcs(work *w)
{
    sal_local *r = w->local;
    if (r->status != SALTUS_OPTIMUM_LIMIT || r->error.status ||
        sal_landscape_simulate(w->l, r->x) != SAL_EVALUATED || !sal_arcs_find(w->l))
        return;
    WORK_ARENA(arena, &w->l->arena.allocator);
    w->y_arcs = ARENA_NEW(&arena, w->rows + w->l->places.count, double);
    if (!arena.failed) {
        search_once(w);
        return;
    }
    sal_arcs_forget(w->l);
    sal_fail_memory(&r->error);
}

/* Searches, and continues beyond a soft border across which the cost falls: at another peak, or
 * where an event has passed a sample or node. */
static void search_on(work *w)
{
    sal_local *r = w->local;
    double     before = INFINITY;
    w->l->with_places = false;
    for (int i = 0; i < MAX_SIDES; i++) {
        search_once(w);
        search_along_arcs(w);
        search_finer(w);
        if (r->beside < 0 || r->error.status || !(r->value < before)) return;
        before = r->value;
        step_beyond(w, r->x, &w->here, r->beside,
                    fmax(1e-6 * fence_length(w, &w->here, r->beside), w->here.fence[r->beside]),
                    w->x);
        if (sal_landscape_simulate(w->l, w->x) != SAL_EVALUATED ||
            (w->options->is_kept && w->l->piece != r->piece))
            return;
        memcpy(r->x, w->x, (size_t)w->n * sizeof(double));
    }
}

static void begin(work *w)
{
    sal_local           *r = w->local;
    const sal_evaluation got = sal_landscape_simulate(w->l, r->x);
    r->value = got == SAL_EVALUATED ? w->l->cost[w->l->task->costs[0]] : NAN;
    r->piece = w->l->piece;
    r->found.worst = -1;
    if (got == SAL_EVALUATED) return;
    r->error = w->l->error;
    r->ended = got == SAL_STOP ? SAL_STOPPED : SAL_NO_START;
    r->status = name_end(r->ended);
}

/* Begins with multiple shooting, if it is requested; the start then needs no motion in one run.
 * Runs of the whole motion verify the result and find its borders. */
static void shoot(work *w)
{
    sal_local *r = w->local;
    if (w->l->task->intervals < 2 || r->ended == SAL_STOPPED ||
        r->error.status == SALTUS_ERR_MEMORY)
        return;
    r->error = (saltus_error){0};
    sal_shooting_search(w->l, w->options, r, &r->error);
    w->has_multipliers = r->ended == SAL_CONVERGED;
    w->is_led = w->l->task->engine == SALTUS_ENGINE_IPOPT;
    if (r->error.status) return;
    if (r->ended == SAL_STOPPED) r->status = SALTUS_OPTIMUM_INTERRUPTED;
    else begin(w);
}

/* The whole search, from the start to the optimum. */
static void search_all(work *w)
{
    sal_landscape *l = w->l;
    sal_local     *r = w->local;
    for (int i = 0; i < w->n; i++)
        r->x[i] = fmin(fmax(r->x[i], l->task->lower[i]), l->task->upper[i]);
    l->is_kept = l->only_soft = l->with_places = false;
    l->has_fences = true;
    begin(w);
    r->start_value = r->value;
    shoot(w);
    if (r->error.status) return;
    if (w->options->neighbours && sal_landscape_evaluate(l, r->x, true, &w->here) == SAL_EVALUATED)
        look_beyond(w, r->x);
    if (r->status == SALTUS_OPTIMUM_INTERRUPTED || sal_landscape_simulate(l, r->x) != SAL_EVALUATED)
        return;
    search_on(w);
    if (!r->error.status && r->status != SALTUS_OPTIMUM_INTERRUPTED) keep_sequence(w);
}

void sal_local_search(sal_landscape *l, const sal_local_options *options, sal_local *local)
{
    work w = {.l = l, .options = options, .local = local, .n = l->task->n, .rows = l->task->rows};
    WORK_ARENA(arena, &l->arena.allocator);
    sal_sqp_new_point(&w.here, &arena, w.n, w.rows, SAL_FENCES, 0);
    sal_sqp_new_point(&w.there, &arena, w.n, w.rows, SAL_FENCES, 0);
    w.scale = l->task->scale;
    w.y_fence = ARENA_NEW(&arena, SAL_FENCES, double);
    l->runs = l->gradients = 0;
    local->beyonds = local->borders = local->iterations = 0;
    local->found = (sal_sqp_result){.kkt = INFINITY};
    if (ARENA_VECTORS(&arena, w.n, &w.x, &w.left, &w.right)) search_all(&w);
    else sal_fail_memory(&local->error);
    local->runs = l->runs;
    local->gradients = l->gradients;
}
