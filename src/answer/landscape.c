#include "answer/landscape.h"

#include <math.h>
#include <string.h>

#include "answer/arcs.h"
#include "base/status.h"
#include "run/run.h"
#include "sens/clearance.h"

/* ---- beginning and ending ------------------------------------------------------------------- */

saltus_status sal_landscape_begin(sal_landscape *l, const sal_task *task,
                                  const saltus_options *options, saltus_error *err)
{
    *l = (sal_landscape){.task = task};
    sal_arena_init(&l->arena, &task->system->allocator);
    l->params = ARENA_NEW(&l->arena, task->param_count, double);
    l->cost = ARENA_NEW(&l->arena, task->all_costs, double);
    l->gradient = ARENA_NEW(&l->arena, task->cost_count * task->n, double);
    if (l->arena.failed) return sal_fail_memory(err);
    l->run = saltus_run_new(task->system, options, err);
    return l->run ? SALTUS_OK : err->status;
}

void sal_landscape_end(sal_landscape *l)
{
    const saltus_allocator *allocator = &l->arena.allocator;
    saltus_run_free(l->run);
    ARRAY_RELEASE(allocator, &l->sequence);
    ARRAY_RELEASE(allocator, &l->places);
    sal_arena_free(&l->arena);
}

/* ---- simulating ----------------------------------------------------------------------------- */

bool sal_landscape_counts(const saltus_system *system, int event)
{
    const sal_compiled_event *e = &system->event[event];
    return e->kink < 0 && !e->guard_is_clock;
}

static bool is_place(const saltus_system *system, int event)
{
    const sal_hidden hidden = system->event[event].hidden;
    return hidden == SAL_HIDDEN_SAMPLE || hidden == SAL_HIDDEN_NODE;
}

/* Reads the sequence of events of the last simulation, and computes the numbers of the piece and
 * order. */
static bool read_sequence(sal_landscape *l)
{
    const saltus_allocator *allocator = &l->arena.allocator;
    unsigned long long      hash = SAL_PIECE_SEED, order = SAL_PIECE_SEED;
    l->sequence.count = 0;
    for (int i = 0; i < l->run->history.occurrences.count; i++) {
        const int  event = l->run->history.occurrences.data[i].event;
        const bool counts = sal_landscape_counts(l->task->system, event);
        if (counts || is_place(l->task->system, event)) order = sal_piece_add(order, event);
        if (!counts) continue;
        if (!ARRAY_PUSH(allocator, &l->sequence, event)) return false;
        hash = sal_piece_add(hash, event);
    }
    l->piece = (long long)(hash >> 1);
    l->order = (long long)(order >> 1);
    return true;
}

static saltus_status judge_outcome(sal_landscape *l)
{
    const saltus_run_info *info = saltus_run_get_info(l->run);
    if (info->outcome == SALTUS_END || info->outcome == SALTUS_TERMINAL_EVENT) return SALTUS_OK;
    return sal_fail(&l->error,
                    info->outcome == SALTUS_INTERRUPTED ? SALTUS_ERR_INTERRUPTED
                                                        : SALTUS_ERR_UNFINISHED,
                    "%s", *info->message ? info->message : "the motion does not reach its end");
}

sal_evaluation sal_landscape_simulate(sal_landscape *l, const double *x)
{
    l->error = (saltus_error){0};
    l->is_simulated = false;
    sal_task_params(l->task, x, l->params);
    l->runs++;
    l->is_simulated = saltus_run_simulate(l->run, l->params, &l->error) == SALTUS_OK &&
                      judge_outcome(l) == SALTUS_OK &&
                      saltus_run_costs(l->run, l->cost, &l->error) == SALTUS_OK;
    if (l->is_simulated && !read_sequence(l)) {
        sal_fail_memory(&l->error);
        l->is_simulated = false;
    }
    return sal_evaluation_of(l->error.status);
}

static bool is_here(const sal_landscape *l, const double *x)
{
    for (int i = 0; l->is_simulated && i < l->task->n; i++)
        if (l->params[l->task->over[i]] != x[i]) return false;
    return l->is_simulated;
}

/* ---- peaks ---------------------------------------------------------------------------------- */

/* Finds the peak of a row, by its number in the order of time. Returns NULL if there are fewer, or
 * if the peak belongs to an arc. */
static sal_peak *find_peak(const sal_landscape *l, const sal_task_row *row)
{
    sal_peaks *all = &l->run->peaks[row->expression];
    sal_peak  *peak[SAL_PEAK_ROWS] = {&all->best};
    for (int i = 0; i < all->rivals; i++) {
        int place = i + 1;
        for (; place > 0 && peak[place - 1]->t > all->rival[i].t; place--)
            peak[place] = peak[place - 1];
        peak[place] = &all->rival[i];
    }
    sal_peak *found = row->peak <= all->rivals ? peak[row->peak] : NULL;
    return found && !sal_arcs_have(l, row, found) ? found : NULL;
}

/* The value of a row; a row whose peak does not exist is far from being violated. */
static double value_of(const sal_landscape *l, const sal_task_row *row, const sal_peak *peak)
{
    const double cost = l->cost[l->task->costs[row->cost]];
    if (row->expression < 0) return row->sign * (cost - row->bound);
    const sal_peaks *all = &l->run->peaks[row->expression];
    if (!peak) return 1.0 + fabs(row->bound) + all->size;
    return row->sign * (cost - all->best.value + peak->value - row->bound);
}

/* Returns row k of all rows, those of the task, then those of the places on arcs. Writes its peak,
 * or NULL if there is none. */
static const sal_task_row *row_at(const sal_landscape *l, int k, const sal_peak **peak)
{
    const sal_task *t = l->task;
    if (k < t->rows) {
        *peak = t->row[k].expression < 0 ? NULL : find_peak(l, &t->row[k]);
        return &t->row[k];
    }
    const sal_arc_place *place = &l->places.data[k - t->rows];
    *peak = place->is_there ? &place->peak : NULL;
    return &t->row[place->row];
}

/* Writes the gradient of the cost of a row, with the peak of the row in place of the most extreme
 * one. */
static saltus_status peak_gradient(sal_landscape *l, const sal_task_row *row, const sal_peak *peak,
                                   double *gradient)
{
    const sal_task      *t = l->task;
    const saltus_request request = {.method = SALTUS_AUTO,
                                    .costs = &t->costs[row->cost],
                                    .cost_count = 1,
                                    .params = t->over,
                                    .param_count = t->n};
    sal_peaks           *all = &l->run->peaks[row->expression];
    if (!peak) {
        memset(gradient, 0, (size_t)t->n * sizeof *gradient);
        return SALTUS_OK;
    }
    const sal_peak best = all->best, other = *peak;
    all->best = other;
    const saltus_status status =
        saltus_run_gradients(l->run, &request, gradient, NULL, NULL, &l->error);
    all->best = best;
    return status;
}

/* ---- fences --------------------------------------------------------------------------------- */

/* The closest fences found so far. */
typedef struct collector {
    sal_landscape *l;
    sal_sqp_point *point;
    double         distance[SAL_FENCES]; /* distance to the fence, in scales of the unknowns */
} collector;

static int event_of(const sal_landscape *l, int occurrence)
{
    return l->run->history.occurrences.data[occurrence].event;
}

/* The event of an occurrence, numbered without hidden ones, as callers do. */
static int shown_event(const sal_landscape *l, int shown)
{
    return event_of(l, l->run->history.shown.data[shown]);
}

/* Fences are needed where the cost is minimised or limited on the side opposite to its extreme
 * value. Limits on the other side have a row for each peak instead. */
bool sal_landscape_keeps_peaks(const sal_task *task, int cost)
{
    if (task->costs[0] == cost) return true;
    for (int k = 0; k < task->rows; k++)
        if (task->costs[task->row[k].cost] == cost && task->row[k].expression < 0) return true;
    return false;
}

/* Makes a fence from a clearance; returns false if there is none. Clocks and kinks have no fences,
 * as they are not in the sequence. Samples and nodes of controls have none at first: a cost has
 * kinks where events pass them, but they rarely hinder the search. */
static bool read_fence(const sal_landscape *l, const saltus_clearance *c, sal_fence *fence)
{
    if (c->kind == SALTUS_CLEAR_PEAK) {
        *fence = (sal_fence){c->kind, c->cost, -1};
        return sal_landscape_keeps_peaks(l->task, c->cost);
    }
    if (c->kind == SALTUS_CLEAR_SAMPLE || c->kind == SALTUS_CLEAR_NODE) {
        *fence = (sal_fence){c->kind, c->event, -1};
        return l->with_places && c->value > 0.0;
    }
    if (l->only_soft) return false;
    const bool is_swap = c->kind == SALTUS_CLEAR_SWAP && c->first >= 0 && c->second >= 0;
    *fence = (sal_fence){c->kind, is_swap ? shown_event(l, c->first) : c->event,
                         is_swap ? shown_event(l, c->second) : -1};
    if (!(c->value > 0.0)) return false;
    return sal_landscape_counts(l->task->system, fence->first) &&
           (fence->second < 0 || sal_landscape_counts(l->task->system, fence->second));
}

static void put_fence(collector *k, int place, const sal_fence *fence, double value,
                      const double *gradient, double distance)
{
    const int    n = k->l->task->n;
    const size_t row = (size_t)n * sizeof(double);
    k->l->fence[place] = *fence;
    k->point->fence[place] = value;
    k->distance[place] = distance;
    k->point->fence_is_soft[place] =
        fence->kind == SALTUS_CLEAR_SAMPLE || fence->kind == SALTUS_CLEAR_NODE;
    memmove(&k->point->fence_gradient[place * n], gradient, row);
}

/* Adds a clearance to the fences if it is among the closest SAL_FENCES, in the order of
 * distances. */
static int offer(void *context, const saltus_clearance *c)
{
    collector *k = context;
    const int  n = k->l->task->n;
    sal_fence  fence;
    double     length = 0.0;
    if (!read_fence(k->l, c, &fence)) return 0;
    for (int i = 0; i < n; i++) length = hypot(length, c->gradient[i] * k->l->task->scale[i]);
    const double distance = length > 0.0 ? c->value / length : INFINITY;
    int         *count = &k->point->fences;
    if (!isfinite(distance)) return 0;
    if (*count == SAL_FENCES && distance >= k->distance[SAL_FENCES - 1]) return 0;
    int place = *count < SAL_FENCES ? (*count)++ : SAL_FENCES - 1;
    for (; place > 0 && k->distance[place - 1] > distance; place--)
        put_fence(k, place, &k->l->fence[place - 1], k->point->fence[place - 1],
                  &k->point->fence_gradient[(place - 1) * n], k->distance[place - 1]);
    put_fence(k, place, &fence, c->value, c->gradient, distance);
    return 0;
}

/* Whether clocks stand between an event and the next one of the sequence, or the end of the run.
 * Clearances are between neighbours only, so the distance of these two events has to be found from
 * the derivatives of event times. Writes the next occurrence. */
static bool has_clocks_between(const sal_landscape *l, int place, int *next)
{
    const int count = l->run->history.occurrences.count;
    bool      is_apart = false;
    for (*next = place + 1; *next < count; ++*next) {
        if (sal_landscape_counts(l->task->system, event_of(l, *next))) return is_apart;
        is_apart = true;
    }
    return is_apart;
}

static bool needs_times(const sal_landscape *l)
{
    int next;
    for (int i = 0; i < l->run->history.occurrences.count; i++)
        if (sal_landscape_counts(l->task->system, event_of(l, i)) &&
            has_clocks_between(l, i, &next))
            return true;
    return false;
}

/* Offers the times between two events with clocks between them, or to the end of the run. time:
 * derivatives of the times of shown occurrences; end: those of the end time. */
static void offer_times(collector *k, const double *time, const double *end, double *slope)
{
    const sal_landscape   *l = k->l;
    const saltus_run_info *info = saltus_run_get_info(l->run);
    const int              n = l->task->n, count = l->run->history.occurrences.count;
    for (int i = 0; i < count; i++) {
        int next;
        if (!sal_landscape_counts(l->task->system, event_of(l, i)) ||
            !has_clocks_between(l, i, &next))
            continue;
        const bool is_last = next == count;
        if (is_last && info->outcome == SALTUS_TERMINAL_EVENT) continue;
        const sal_occurrence *from = &l->run->history.occurrences.data[i];
        const sal_occurrence *to = is_last ? NULL : &l->run->history.occurrences.data[next];
        if (from->shown < 0 || (to && to->shown < 0)) continue;
        for (int j = 0; j < n; j++)
            slope[j] = (to ? time[to->shown * n + j] : end[j]) - time[from->shown * n + j];
        offer(k, &(saltus_clearance){.kind = is_last ? SALTUS_CLEAR_LEAVE : SALTUS_CLEAR_SWAP,
                                     .event = event_of(l, i),
                                     .first = from->shown,
                                     .second = to ? to->shown : -1,
                                     .value = (to ? to->t : info->t) - from->t,
                                     .gradient = slope});
    }
}

static void find_times(collector *k, saltus_error *err)
{
    sal_landscape       *l = k->l;
    const int            n = l->task->n;
    const saltus_request request = {
        .method = SALTUS_AUTO, .costs = l->task->costs, .params = l->task->over, .param_count = n};
    WORK_ARENA(arena, &l->arena.allocator);
    double *time = ARENA_NEW(&arena, l->run->history.shown.count * n, double), *end, *slope;
    if (!ARENA_VECTORS(&arena, n, &end, &slope)) sal_fail_memory(err);
    else if (saltus_run_gradients(l->run, &request, slope, time, end, err) == SALTUS_OK)
        offer_times(k, time, end, slope);
}

/* Computes the fences. If clearances cannot be found, there are none. */
static sal_evaluation find_fences(sal_landscape *l, sal_sqp_point *point)
{
    collector    k = {.l = l, .point = point};
    saltus_error err = {0};
    point->fences = 0;
    if (!l->has_fences) return SAL_EVALUATED;
    saltus_run_clearances(l->run, l->task->over, l->task->n, offer, &k, &err);
    if (!err.status && !l->only_soft && needs_times(l)) find_times(&k, &err);
    if (sal_evaluation_of(err.status) == SAL_STOP) {
        l->error = err;
        return SAL_STOP;
    }
    if (err.status) point->fences = 0;
    return SAL_EVALUATED;
}

/* ---- the callback --------------------------------------------------------------------------- */

static sal_evaluation differentiate(sal_landscape *l, sal_sqp_point *point)
{
    const sal_task      *t = l->task;
    const saltus_request request = {.method = SALTUS_AUTO,
                                    .costs = t->costs,
                                    .cost_count = t->cost_count,
                                    .params = t->over,
                                    .param_count = t->n};
    l->gradients++;
    if (saltus_run_gradients(l->run, &request, l->gradient, NULL, NULL, &l->error) != SALTUS_OK)
        return sal_evaluation_of(l->error.status);
    memcpy(point->gradient, l->gradient, (size_t)t->n * sizeof(double));
    for (int k = 0; k < t->rows + l->places.count; k++) {
        const sal_peak     *peak;
        const sal_task_row *row = row_at(l, k, &peak);
        double             *slope = &point->jacobian[k * t->n];
        if (row->expression < 0)
            memcpy(slope, &l->gradient[row->cost * t->n], (size_t)t->n * sizeof *slope);
        else if (peak_gradient(l, row, peak, slope) != SALTUS_OK)
            return sal_evaluation_of(l->error.status);
        for (int i = 0; i < t->n; i++) slope[i] *= row->sign;
    }
    return find_fences(l, point);
}

sal_evaluation sal_landscape_evaluate(void *context, const double *x, bool with_gradients,
                                      sal_sqp_point *point)
{
    sal_landscape *l = context;
    if (!with_gradients || !is_here(l, x)) {
        const sal_evaluation got = sal_landscape_simulate(l, x);
        if (got != SAL_EVALUATED) return got;
    }
    if (l->is_kept && l->piece != l->home) return SAL_NO_VALUE;
    point->piece = l->piece;
    point->order = l->order;
    point->f = l->cost[l->task->costs[0]];
    if (sal_arcs_read(l, &l->error) != SALTUS_OK) return sal_evaluation_of(l->error.status);
    for (int k = 0; k < l->task->rows + l->places.count; k++) {
        const sal_peak     *peak;
        const sal_task_row *row = row_at(l, k, &peak);
        point->c[k] = value_of(l, row, peak);
    }
    return with_gradients ? differentiate(l, point) : SAL_EVALUATED;
}
