/* One optimum for each sequence of events that the searches find: first from starts that are
 * spread, then from points beyond the borders of the best optima. */
#include <math.h>
#include <string.h>

#include "answer/study.h"
#include "base/host.h"
#include "base/status.h"

enum {
    SPREAD = 20,   /* number of starts by default */
    PROMISING = 3, /* optima of each round whose neighbours are searched */
    SEQUENCES = 64 /* largest number of sequences that are searched */
};

typedef struct pieces {
    long long seen[SEQUENCES];
    int       count;
} pieces;

static bool is_seen(const pieces *p, long long piece)
{
    for (int i = 0; i < p->count; i++)
        if (p->seen[i] == piece) return true;
    return false;
}

static void simulate_one(void *context, int worker, int index)
{
    HOLD_HOST;
    sal_study     *s = context;
    sal_landscape *l = sal_study_landscape(s, worker);
    sal_local     *local = &s->local[index];
    local->ended = SAL_NO_START;
    if (!l || sal_study_is_stopped(s)) return;
    l->is_kept = false;
    l->runs = 0;
    const sal_evaluation got = sal_landscape_simulate(l, local->x);
    local->runs = l->runs;
    local->error = l->error;
    if (got != SAL_EVALUATED) return;
    local->ended = SAL_CONVERGED;
    local->value = l->cost[s->task->costs[0]];
    local->piece = l->piece;
}

/* Selects the starts of a round: for each new sequence, the point with the lowest cost. They are
 * moved to the front of the list. */
static saltus_status choose_starts(sal_study *s, sal_arena *arena, pieces *p, double *point,
                                   int *count, saltus_error *err)
{
    const int n = s->task->n;
    int       kept = 0;
    TRY(sal_study_perform(s, arena, point, *count, simulate_one, err));
    for (int i = 0; i < *count && p->count < SEQUENCES; i++) {
        const sal_local *l = &s->local[i];
        int              lowest = i;
        if (l->ended != SAL_CONVERGED || is_seen(p, l->piece)) continue;
        for (int j = i + 1; j < *count; j++)
            if (s->local[j].ended == SAL_CONVERGED && s->local[j].piece == l->piece &&
                s->local[j].value < s->local[lowest].value)
                lowest = j;
        p->seen[p->count++] = l->piece;
        memcpy(&point[kept++ * n], s->local[lowest].x, (size_t)n * sizeof(double));
    }
    *count = kept;
    return SALTUS_OK;
}

/* Whether row a comes before row b: optima come before searches that found none, whose limits may
 * be violated; then lower ones come first. */
static bool comes_first(const saltus_optimum_row *a, const saltus_optimum_row *b)
{
    const bool a_ends = a->status <= SALTUS_OPTIMUM_KINK, b_ends = b->status <= SALTUS_OPTIMUM_KINK;
    return a_ends != b_ends ? a_ends : a->value < b->value;
}

static saltus_status add_rows(sal_study *s, saltus_error *err)
{
    saltus_optimum *o = s->result;
    for (int i = 0; i < s->searches; i++) {
        const sal_local *l = &s->local[i];
        if (sal_study_rank(l) > 1) continue;
        double *params = ARENA_NEW(&o->arena, s->task->param_count, double);
        int    *event = ARENA_NEW(&o->arena, l->sequence.count, int);
        if (!params || !event) return sal_fail_memory(err);
        sal_task_params(s->task, l->x, params);
        if (l->sequence.count)
            memcpy(event, l->sequence.data, (size_t)l->sequence.count * sizeof(int));
        const saltus_optimum_row row = {l->status, l->value, params, l->sequence.count, event};
        if (!ARRAY_PUSH(&o->arena.allocator, &o->row, row)) return sal_fail_memory(err);
        for (int k = o->row.count - 1; k > 0 && comes_first(&o->row.data[k], &o->row.data[k - 1]);
             k--) {
            const saltus_optimum_row kept = o->row.data[k];
            o->row.data[k] = o->row.data[k - 1];
            o->row.data[k - 1] = kept;
        }
    }
    return SALTUS_OK;
}

/* Keeps the best search of this round if it is better than those of earlier rounds. */
static saltus_status keep_best(sal_study *s, sal_local *best, sal_arena *arena, saltus_error *err)
{
    const sal_local *l = &s->local[sal_study_best(s)];
    if (best->x && !sal_study_is_better(l, best, s->options->tolerance)) return SALTUS_OK;
    *best = *l;
    memset(&best->sequence, 0, sizeof best->sequence);
    best->x = sal_arena_copy(arena, l->x, s->task->n);
    best->y = sal_arena_copy(arena, l->y, s->task->rows);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

/* Whether the neighbours of a search may have lower optima: it ended at a border, or is one of the
 * lowest. */
static bool is_promising(const sal_study *s, int index)
{
    const sal_local *l = &s->local[index];
    int              lower = 0;
    if (l->status == SALTUS_OPTIMUM_BORDER) return true;
    for (int i = 0; i < s->searches; i++)
        lower += sal_study_is_better(&s->local[i], l, s->options->tolerance);
    return lower < PROMISING;
}

/* Returns the candidates of the next round: points beyond the borders of promising searches. */
static double *next_points(const sal_study *s, sal_arena *arena, int *count)
{
    const int n = s->task->n;
    double   *point = ARENA_NEW(arena, s->searches * SAL_FENCES * n, double);
    *count = 0;
    for (int i = 0; point && i < s->searches; i++)
        for (int k = 0; is_promising(s, i) && k < s->local[i].beyonds; k++)
            memcpy(&point[(*count)++ * n], &s->local[i].beyond[k * n], (size_t)n * sizeof(double));
    return point;
}

static saltus_status search_rounds(sal_study *s, sal_arena *arena, pieces *seen, sal_local *best,
                                   saltus_error *err)
{
    int     count = s->task->starts > 1 ? s->task->starts : SPREAD;
    double *point = ARENA_NEW(arena, count * s->task->n, double);
    if (arena->failed) return sal_fail_memory(err);
    sal_starts_spread(s->task, count, s->options->seed, point);
    while (count > 0 && !sal_study_is_stopped(s)) {
        TRY(choose_starts(s, arena, seen, point, &count, err));
        if (count == 0 && !best->x && s->searches > 0) /* there is no motion at all */
            return sal_study_tell_no_start(&s->local[0], err);
        if (count == 0) break;
        TRY(sal_study_search(s, arena, point, count, err));
        TRY(add_rows(s, err));
        TRY(keep_best(s, best, arena, err));
        point = next_points(s, arena, &count);
        if (!point) return sal_fail_memory(err);
        sal_study_release_sequences(s);
    }
    return SALTUS_OK;
}

saltus_status sal_study_search_sequences(sal_study *s, sal_arena *arena, saltus_error *err)
{
    pieces     seen = {.count = 0};
    sal_local *best = ARENA_NEW(arena, 1, sal_local);
    if (!best) return sal_fail_memory(err);
    TRY(search_rounds(s, arena, &seen, best, err));
    if (!best->x)
        return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted before the first search began");
    s->local = best;
    s->searches = 1;
    return sal_study_write_result(s, 0, err);
}
