/* Unknowns are (x, s_1, ..., s_J); rows are the gaps e_j = F_(j-1) - s_j, then those of the task:
 *
 *     de_j = A_(j-1) ds_(j-1) + B_(j-1) dx - ds_j,      dc = sum C_j ds_j + D_j dx
 *
 * Nodes are at parts of the horizon. Where its end moves, so do their times, at given states; how
 * that changes the rows is found by differences, for one direction. */
#include "answer/sparse.h"

#include <math.h>
#include <string.h>

#include "answer/engine.h"
#include "base/status.h"
#include "run/run.h"
#include "sens/sens.h"

/* Part of the horizon by which nodes are moved for differences. */
static const double MOVED = 1e-5;

typedef struct sparse {
    sal_landscape           *l;
    const sal_local_options *options;
    const sal_task          *task;
    sal_intervals           *intervals;
    int                      n, ns, nodes, gaps, unknowns, rows, entries;
    int                     *row, *column; /* by entry: its row and column */
    double                  *lower, *upper, *scale, *z, *last;
    double   *by_time[2], *horizon; /* rows and cost with nodes moved both ways; d(end)/dx */
    double   *by_end; /* derivatives of the rows, then of the cost, by the end of the horizon */
    bool      is_simulated, is_kept, is_first;
    long long home;
} sparse;

/* ---- the pattern ---------------------------------------------------------------------------- */

static void put(sparse *s, int row, int column)
{
    s->row[s->entries] = row;
    s->column[s->entries++] = column;
}

static void write_pattern(sparse *s)
{
    s->entries = 0;
    for (int j = 1; j <= s->nodes; j++)
        for (int i = 0; i < s->ns; i++) {
            const int row = (j - 1) * s->ns + i;
            for (int k = 0; k < s->n; k++) put(s, row, k);
            for (int k = 0; k < s->ns && j > 1; k++) put(s, row, s->n + (j - 2) * s->ns + k);
            put(s, row, s->n + row);
        }
    for (int r = 0; r < s->task->rows; r++)
        for (int k = 0; k < s->unknowns && !sal_row_is_empty(&s->task->row[r]); k++)
            put(s, s->gaps + r, k);
}

/* ---- values --------------------------------------------------------------------------------- */

static void set_nodes(sparse *s, const double *z)
{
    for (int j = 1; j <= s->nodes; j++)
        memcpy(s->intervals->at[j].state, &z[s->n + (j - 1) * s->ns], (size_t)s->ns * sizeof *z);
}

static sal_evaluation simulate(sparse *s, const double *z)
{
    set_nodes(s, z);
    return sal_intervals_simulate(s->intervals);
}

/* Writes the rows at z after a simulation. */
static void write_rows(const sparse *s, const double *z, double *c)
{
    for (int i = 0; i < s->gaps; i++)
        c[i] = (s->intervals->at[i / s->ns].end[i % s->ns] - z[s->n + i]) / s->scale[s->n + i];
    sal_intervals_rows(s->intervals, &c[s->gaps]);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Finds by differences how rows and cost change when nodes move with the end of the horizon, at
 * given states; and the derivatives of that end. */
static sal_evaluation move_nodes(sparse *s, const double *z)
{
    sal_intervals *in = s->intervals;
    saltus_error   err = {0};
    const double   moved = MOVED * (in->t_end - in->t_start);
    if (!s->task->system->end_moves) return SAL_EVALUATED;
    for (int side = 0; side < 2; side++) {
        sal_intervals_set(in, z);
        for (int j = 1; j <= s->nodes; j++) in->at[j].t0 += (side ? -moved : moved) * in->place[j];
        const sal_evaluation got = simulate(s, z);
        if (got != SAL_EVALUATED) return got;
        write_rows(s, z, s->by_time[side]);
        s->by_time[side][s->rows] = sal_intervals_cost(in, 0);
    }
    for (int i = 0; i <= s->rows; i++)
        s->by_end[i] = (s->by_time[0][i] - s->by_time[1][i]) / (2.0 * moved);
    sal_intervals_set(in, z);
    const sal_evaluation got = simulate(s, z);
    if (got != SAL_EVALUATED) return got;
    if (sal_sens_horizon(in->at[s->nodes].run, s->task->over, s->n, s->horizon, &err) != SALTUS_OK)
        return SAL_NO_VALUE;
    return SAL_EVALUATED;
}

/* Writes the derivatives of a cost, times sign, by x and then by the nodes. */
static void write_cost(const sparse *s, int cost, double sign, double *to)
{
    memset(to, 0, (size_t)s->n * sizeof *to);
    for (int j = 0; j <= s->nodes; j++) {
        const sal_interval *at = &s->intervals->at[j];
        for (int k = 0; k < s->n; k++) to[k] += sign * at->D[cost * s->n + k];
        for (int i = 0; i < s->ns && j > 0; i++)
            to[s->n + (j - 1) * s->ns + i] = sign * at->C[cost * s->ns + i];
    }
}

static void add_end(const sparse *s, int row, double *to)
{
    for (int k = 0; s->task->system->end_moves && k < s->n; k++)
        to[k] += s->by_end[row] * s->horizon[k];
}

static void write_entries(const sparse *s, double *to)
{
    const sal_task *t = s->task;
    for (int j = 1; j <= s->nodes; j++) {
        const sal_interval *before = &s->intervals->at[j - 1];
        for (int i = 0; i < s->ns; i++) {
            const int    row = (j - 1) * s->ns + i;
            const double size = s->scale[s->n + row];
            for (int k = 0; k < s->n; k++) to[k] = before->B[i * s->n + k] / size;
            add_end(s, row, to);
            to += s->n;
            for (int k = 0; k < s->ns && j > 1; k++) *to++ = before->A[i * s->ns + k] / size;
            *to++ = -1.0 / size;
        }
    }
    for (int k = 0; k < t->rows; k++) {
        if (sal_row_is_empty(&t->row[k])) continue;
        write_cost(s, t->row[k].cost, t->row[k].sign, to);
        add_end(s, s->gaps + k, to);
        to += s->unknowns;
    }
}

static sal_evaluation evaluate(void *context, const double *z, bool with_gradients,
                               sal_sqp_point *p)
{
    sparse        *s = context;
    const size_t   bytes = (size_t)s->unknowns * sizeof *z;
    const bool     is_here = s->is_simulated && memcmp(z, s->last, bytes) == 0;
    sal_evaluation got = SAL_EVALUATED;
    if (!is_here) {
        s->is_simulated = false;
        memcpy(s->last, z, bytes);
        sal_intervals_set(s->intervals, z);
        s->l->runs++;
        got = simulate(s, z);
    }
    if (got == SAL_EVALUATED && with_gradients) {
        s->l->gradients++;
        got = move_nodes(s, z);
    }
    if (got != SAL_EVALUATED) {
        s->is_simulated = false;
        return got;
    }
    if (s->is_first) {
        s->home = s->intervals->piece;
        sal_intervals_limit(s->intervals);
    }
    s->is_first = false;
    s->is_simulated = true;
    if (s->is_kept && s->intervals->piece != s->home) return SAL_NO_VALUE;
    p->f = sal_intervals_cost(s->intervals, 0);
    write_rows(s, z, p->c);
    if (!with_gradients) return SAL_EVALUATED;
    got = sal_intervals_linearise(s->intervals);
    if (got != SAL_EVALUATED) return got;
    write_cost(s, 0, 1.0, p->gradient);
    add_end(s, s->rows, p->gradient);
    write_entries(s, p->jacobian);
    return SAL_EVALUATED;
}

/* ---- the search ----------------------------------------------------------------------------- */

static bool make_room(sparse *s, sal_arena *arena)
{
    const int entries = s->gaps * (s->n + s->ns + 1) + s->task->rows * s->unknowns;
    s->row = ARENA_NEW(arena, entries, int);
    s->column = ARENA_NEW(arena, entries, int);
    s->horizon = ARENA_NEW(arena, s->n, double);
    ARENA_VECTORS(arena, s->rows + 1, &s->by_time[0], &s->by_time[1], &s->by_end);
    return ARENA_VECTORS(arena, s->unknowns, &s->lower, &s->upper, &s->scale, &s->z, &s->last);
}

/* Sets bounds, scales and start. The scale of a state is its largest value at nodes; states have no
 * bounds. */
static void begin(sparse *s, const double *x)
{
    const sal_task *t = s->task;
    memcpy(s->lower, t->lower, (size_t)s->n * sizeof(double));
    memcpy(s->upper, t->upper, (size_t)s->n * sizeof(double));
    memcpy(s->scale, t->scale, (size_t)s->n * sizeof(double));
    memcpy(s->z, x, (size_t)s->n * sizeof(double));
    for (int j = 1; j <= s->nodes; j++) {
        const int first = s->n + (j - 1) * s->ns;
        sal_intervals_sizes(s->intervals, &s->scale[first]);
        for (int i = 0; i < s->ns; i++) {
            s->lower[first + i] = -INFINITY;
            s->upper[first + i] = INFINITY;
            s->z[first + i] = s->intervals->at[j].state[i];
        }
    }
    write_pattern(s);
}

static saltus_status search(sparse *s, double *f, saltus_error *err)
{
    const sal_task          *t = s->task;
    const sal_engine_pattern pattern = {s->entries, s->row, s->column};
    const sal_sqp_problem    problem = {.unknowns = s->unknowns,
                                        .constraints = s->rows,
                                        .equations = s->gaps + t->equations,
                                        .lower = s->lower,
                                        .upper = s->upper,
                                        .scale = s->scale,
                                        .evaluate = evaluate,
                                        .context = s,
                                        .progress = s->options->progress,
                                        .progress_context = s->options->context,
                                        .tolerance = s->options->tolerance,
                                        .max_iterations = s->options->max_iterations};
    return sal_engine_search(t->engine, &problem, &pattern, &s->l->arena.allocator, s->z, f, err);
}

saltus_status sal_sparse_search(sal_landscape *l, const sal_local_options *options,
                                sal_intervals *intervals, sal_local *local, bool is_kept,
                                saltus_error *err)
{
    const sal_task *t = l->task;
    sparse          s = {.l = l,
                         .options = options,
                         .task = t,
                         .intervals = intervals,
                         .n = t->n,
                         .ns = intervals->states,
                         .nodes = intervals->count - 1,
                         .is_kept = is_kept,
                         .is_first = true};
    double          f = INFINITY;
    s.gaps = s.nodes * s.ns;
    s.unknowns = s.n + s.gaps;
    s.rows = s.gaps + t->rows;
    WORK_ARENA(arena, &l->arena.allocator);
    if (!make_room(&s, &arena)) return sal_fail_memory(err);
    begin(&s, local->x);
    const saltus_status status = search(&s, &f, err);
    if (isfinite(f)) local->value = f;
    memcpy(local->x, s.z, (size_t)s.n * sizeof(double));
    set_nodes(&s, s.z);
    return status;
}
