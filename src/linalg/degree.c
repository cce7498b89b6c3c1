/* Minimum degree on a quotient graph: see degree.h.
 *
 * After some eliminations, the neighbours of an eliminated unknown are all coupled with each other.
 * Such a clique is kept as one *element*: the list of its members, which is also the column of L.
 * An element is absorbed when one of its members is eliminated, since the new element contains the
 * others. So the members of elements in use are not eliminated yet, and the list of an unknown
 * (directly coupled unknowns, then elements) never outgrows its place.
 *
 * The degree is an upper bound: members of several elements are counted several times. */
#include "linalg/degree.h"

#include <string.h>

typedef enum state { LEFT, ELEMENT, ABSORBED } state;

typedef struct quotient {
    int        n, early;
    const int *start, *row;          /* the matrix */
    int       *list;                 /* by unknown, from start[i] on: unknowns, then elements */
    int       *unknowns, *elements;  /* by unknown: the numbers of both in its list */
    int       *degree;               /* upper bound of the number of neighbours */
    int       *waits;                /* number of neighbours that must be eliminated first */
    int       *head, *next, *before; /* lists of unknowns that may be eliminated, by degree */
    int        least;                /* lower bound of all degrees in the lists */
    int        steps;
    state     *state;
    int       *mark, *outside_mark, stamp;
    int       *outside; /* by element with the stamp: number of members outside of the newest one */
    sal_fill  *fill;
} quotient;

/* ---- lists by degree ------------------------------------------------------------------------ */

static void enter(quotient *q, int i)
{
    const int d = q->degree[i];
    q->before[i] = -1;
    q->next[i] = q->head[d];
    if (q->head[d] >= 0) q->before[q->head[d]] = i;
    q->head[d] = i;
    if (d < q->least) q->least = d;
}

static void leave(quotient *q, int i)
{
    if (q->before[i] >= 0) q->next[q->before[i]] = q->next[i];
    else q->head[q->degree[i]] = q->next[i];
    if (q->next[i] >= 0) q->before[q->next[i]] = q->before[i];
}

static int take_least(quotient *q)
{
    while (q->head[q->least] < 0) q->least++;
    const int i = q->head[q->least];
    leave(q, i);
    return i;
}

/* ---- elimination ---------------------------------------------------------------------------- */

static void add_member(quotient *q, int i)
{
    if (q->state[i] != LEFT || q->mark[i] == q->stamp) return;
    q->mark[i] = q->stamp;
    q->fill->rows.data[q->fill->rows.count++] = i;
}

/* Eliminates the unknown: it becomes an element, the list of all unknowns coupled with it. */
static bool form_element(quotient *q, const saltus_allocator *allocator, int pivot)
{
    sal_fill  *fill = q->fill;
    const int *list = q->list + q->start[pivot], *element = list + q->unknowns[pivot];
    int        most = q->unknowns[pivot];
    for (int k = 0; k < q->elements[pivot]; k++) most += fill->count[element[k]];
    if (most > q->n) most = q->n;
    if (!ARRAY_RESERVE(allocator, &fill->rows, most)) return false;
    fill->first[pivot] = fill->rows.count;
    q->mark[pivot] = ++q->stamp;
    q->state[pivot] = ELEMENT;
    for (int k = 0; k < q->unknowns[pivot]; k++) add_member(q, list[k]);
    for (int k = 0; k < q->elements[pivot]; k++) {
        const int *member = fill->rows.data + fill->first[element[k]];
        for (int m = 0; m < fill->count[element[k]]; m++) add_member(q, member[m]);
        q->state[element[k]] = ABSORBED;
    }
    fill->count[pivot] = fill->rows.count - fill->first[pivot];
    return true;
}

/* Counts, for each element in the list of i, the members that are not in the new element. */
static void count_outside(quotient *q, int i)
{
    const int *element = q->list + q->start[i] + q->unknowns[i];
    for (int k = 0; k < q->elements[i]; k++) {
        const int e = element[k];
        if (q->state[e] == ABSORBED) continue;
        if (q->outside_mark[e] != q->stamp) q->outside[e] = q->fill->count[e];
        q->outside_mark[e] = q->stamp;
        q->outside[e]--;
    }
}

/* Removes from the list of i all that the new element contains, and appends this element. Returns
 * an upper bound of the number of neighbours of i outside of the new element. */
static int renew_list(quotient *q, int i, int pivot)
{
    int       *list = q->list + q->start[i];
    const int *element = list + q->unknowns[i];
    int        kept = 0, outside = 0;
    for (int k = 0; k < q->unknowns[i]; k++)
        if (q->mark[list[k]] != q->stamp) list[kept++] = list[k];
    const int unknowns = kept;
    for (int k = 0; k < q->elements[i]; k++) {
        const int e = element[k];
        if (q->state[e] == ABSORBED) continue;
        if (q->outside[e] == 0) { /* the new element contains it */
            q->state[e] = ABSORBED;
            continue;
        }
        outside += q->outside[e];
        list[kept++] = e;
    }
    list[kept++] = pivot;
    q->unknowns[i] = unknowns;
    q->elements[i] = kept - unknowns;
    return unknowns + outside;
}

static int smallest(int a, int b, int c)
{
    const int d = a < b ? a : b;
    return c < d ? c : d;
}

static void update_neighbours(quotient *q, int pivot)
{
    const sal_fill *fill = q->fill;
    const int      *member = fill->rows.data + fill->first[pivot], others = fill->count[pivot] - 1;
    for (int m = 0; m <= others; m++) count_outside(q, member[m]);
    for (int m = 0; m <= others; m++) {
        const int i = member[m], outside = renew_list(q, i, pivot);
        if (q->waits[i] == 0) leave(q, i);
        q->degree[i] = smallest(others + outside, q->degree[i] + others, q->n - q->steps);
        if (q->waits[i] == 0) enter(q, i);
    }
}

/* Enters the unknowns that have waited only for this one. */
static void release_waiting(quotient *q, int pivot)
{
    if (pivot >= q->early) return;
    for (int k = q->start[pivot]; k < q->start[pivot + 1]; k++) {
        const int i = q->row[k];
        if (i >= q->early && --q->waits[i] == 0) enter(q, i);
    }
}

/* ---- the order ------------------------------------------------------------------------------ */

static bool init(quotient *q, sal_arena *scratch)
{
    const int n = q->n;
    q->list = ARENA_NEW(scratch, q->start[n], int);
    q->unknowns = ARENA_NEW(scratch, n, int);
    q->elements = ARENA_NEW(scratch, n, int);
    q->degree = ARENA_NEW(scratch, n, int);
    q->waits = ARENA_NEW(scratch, n, int);
    q->head = ARENA_NEW(scratch, n + 1, int);
    q->next = ARENA_NEW(scratch, n, int);
    q->before = ARENA_NEW(scratch, n, int);
    q->state = ARENA_NEW(scratch, n, state);
    q->mark = ARENA_NEW(scratch, n, int);
    q->outside_mark = ARENA_NEW(scratch, n, int);
    q->outside = ARENA_NEW(scratch, n, int);
    if (scratch->failed) return false;
    for (int d = 0; d <= n; d++) q->head[d] = -1;
    for (int i = n - 1; i >= 0; i--) {
        for (int k = q->start[i]; k < q->start[i + 1]; k++) {
            if (q->row[k] == i) continue;
            q->list[q->start[i] + q->unknowns[i]++] = q->row[k];
            q->waits[i] += i >= q->early && q->row[k] < q->early;
        }
        q->degree[i] = q->unknowns[i];
        if (q->waits[i] == 0) enter(q, i);
    }
    return true;
}

bool sal_minimum_degree(int n, int early, const int *start, const int *row, sal_arena *arena,
                        sal_fill *fill)
{
    quotient q = {.n = n, .early = early, .start = start, .row = row, .fill = fill};
    *fill = (sal_fill){.order = ARENA_NEW(arena, n, int),
                       .first = ARENA_NEW(arena, n, int),
                       .count = ARENA_NEW(arena, n, int)};
    WORK_ARENA(scratch, &arena->allocator);
    bool ok = init(&q, &scratch) && !arena->failed;
    while (ok && q.steps < n) {
        const int pivot = take_least(&q);
        fill->order[q.steps++] = pivot;
        ok = form_element(&q, &arena->allocator, pivot);
        if (!ok) break;
        update_neighbours(&q, pivot);
        release_waiting(&q, pivot);
    }
    return ok;
}
