/* With nodes s_j, unknowns x and gaps e_j = F_j(s_j, x) - s_(j+1), a step is
 *
 *     ds_(j+1) = part e_j + A_j ds_j + B_j dx    so    ds_j = part a_j + G_j dx
 *
 * and costs change by the sum of C_j ds_j + D_j dx. The search (solve/sqp.h) has only x, gradients
 * D_j + C_j G_j, and derivatives of costs by gaps, w_j = C_j + A_j^T w_(j+1). If the end of the
 * horizon moves, nodes move with it along the motion. */
#include "answer/shooting.h"

#include <math.h>
#include <string.h>

#include "answer/intervals.h"
#include "answer/sparse.h"
#include "base/status.h"
#include "run/run.h"

enum { ROUNDS = 4 }; /* number of searches; nodes are placed again for each */

/* A point: its unknowns and nodes, and how nodes change along a step. */
typedef struct base {
    double *x, *state, *time; /* nodes have numbers from 1: [node * states + i] */
    double *A;                /* by interval: derivative of its end by its start */
    double *G, *closing;      /* G: [(node * states + i) * n + k]; closing: a */
    double *rate;             /* time derivative of the state at nodes */
} base;

typedef struct shooter {
    sal_landscape           *l;
    const sal_local_options *options;
    const sal_task          *task;
    sal_intervals            intervals;
    int       n, ns, nodes; /* unknowns, numbers of a state, nodes without the first */
    base      here, there;  /* the accepted point; the last linearisation */
    double   *x;            /* unknowns of the last simulation */
    double   *size;         /* by number of the state: unit of its gaps */
    double   *worth, *row;
    bool      is_first, is_simulated, is_kept;
    long long home;
} shooter;

/* ---- gaps ----------------------------------------------------------------------------------- */

static double gap_of(const shooter *s, int node, int i)
{
    const sal_interval *before = &s->intervals.at[node - 1], *at = &s->intervals.at[node];
    return before->end[i] - at->state[i];
}

/* ---- moving nodes --------------------------------------------------------------------------- */

/* Moves the nodes to the unknowns x, from those of the accepted point. */
static void predict(shooter *s, const double *x, double part)
{
    const base *b = &s->here;
    sal_intervals_set(&s->intervals, x);
    for (int j = 1; j <= s->nodes; j++) {
        sal_interval *at = &s->intervals.at[j];
        const double  later = at->t0 - b->time[j];
        for (int i = 0; i < s->ns; i++) {
            const int at_i = j * s->ns + i;
            double    sum = b->state[at_i] + part * b->closing[at_i] + later * b->rate[at_i];
            for (int k = 0; k < s->n; k++) sum += b->G[at_i * s->n + k] * (x[k] - b->x[k]);
            at->state[i] = sum;
        }
    }
}

/* Moves the nodes to x from those of the last simulation, and closes the gaps that it had. */
static void correct(shooter *s, const double *x)
{
    const base *b = &s->here;
    double     *a = s->row, *next = s->worth; /* changes of a node and of the next one */
    memset(a, 0, (size_t)s->ns * sizeof *a);
    double *gap = s->there.closing; /* scratch: the gaps as they were */
    for (int j = 1; j <= s->nodes; j++)
        for (int i = 0; i < s->ns; i++) gap[j * s->ns + i] = gap_of(s, j, i);
    double *time = s->there.time;
    for (int j = 1; j <= s->nodes; j++) time[j] = s->intervals.at[j].t0;
    sal_intervals_set(&s->intervals, x);
    for (int j = 1; j <= s->nodes; j++) {
        sal_interval *at = &s->intervals.at[j];
        for (int i = 0; i < s->ns; i++) {
            const int at_i = j * s->ns + i;
            double    sum = gap[at_i];
            for (int k = 0; k < s->ns && j > 1; k++)
                sum += b->A[((j - 1) * s->ns + i) * s->ns + k] * a[k];
            next[i] = sum;
            at->state[i] += sum + (at->t0 - time[j]) * b->rate[at_i];
            for (int k = 0; k < s->n; k++) at->state[i] += b->G[at_i * s->n + k] * (x[k] - s->x[k]);
        }
        memcpy(a, next, (size_t)s->ns * sizeof *a);
    }
}

static sal_evaluation simulate(shooter *s, const double *x, const sal_sqp_point *p)
{
    if (s->is_first) sal_intervals_set(&s->intervals, x);
    else if (p->corrects && s->is_simulated) correct(s, x);
    else predict(s, x, p->part);
    s->is_simulated = false;
    memcpy(s->x, x, (size_t)s->n * sizeof *x);
    s->l->runs++;
    const sal_evaluation got = sal_intervals_simulate(&s->intervals);
    s->is_simulated = got == SAL_EVALUATED;
    return got;
}

/* ---- condensing ----------------------------------------------------------------------------- */

/* Computes G and a of the nodes: ds_(j+1) = e_j + A_j ds_j + B_j dx. */
static void condense(shooter *s)
{
    base     *b = &s->there;
    const int n = s->n, ns = s->ns;
    memcpy(b->x, s->x, (size_t)n * sizeof *b->x);
    for (int j = 1; j <= s->nodes; j++) {
        const sal_interval *before = &s->intervals.at[j - 1], *at = &s->intervals.at[j];
        memcpy(&b->state[j * ns], at->state, (size_t)ns * sizeof(double));
        memcpy(&b->A[(j - 1) * ns * ns], before->A, (size_t)(ns * ns) * sizeof(double));
        b->time[j] = at->t0;
        for (int i = 0; i < ns; i++) {
            double *G = &b->G[(j * ns + i) * n], sum = gap_of(s, j, i);
            memcpy(G, &before->B[i * n], (size_t)n * sizeof *G);
            for (int k = 0; k < ns && j > 1; k++) {
                const double  a = before->A[i * ns + k];
                const double *last = &b->G[((j - 1) * ns + k) * n];
                if (a == 0.0) continue;
                sum += a * b->closing[(j - 1) * ns + k];
                for (int l = 0; l < n; l++) G[l] += a * last[l];
            }
            b->closing[j * ns + i] = sum;
        }
    }
}

/* Writes the gradient of a cost and its change when gaps are closed, times sign. */
static void write_cost(shooter *s, int cost, double sign, double *gradient, double *by_gap)
{
    const int n = s->n, ns = s->ns;
    memset(s->worth, 0, (size_t)ns * sizeof(double));
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    for (int j = s->nodes; j >= 0; j--) {
        const sal_interval *at = &s->intervals.at[j];
        for (int k = 0; k < n; k++) gradient[k] += sign * at->D[cost * n + k];
        for (int i = 0; i < ns && j > 0; i++) {
            double sum = at->C[cost * ns + i];
            for (int k = 0; k < n; k++)
                gradient[k] += sign * sum * s->there.G[(j * ns + i) * n + k];
            for (int k = 0; k < ns; k++) sum += at->A[k * ns + i] * s->worth[k];
            s->row[i] = sum;
            by_gap[(j - 1) * ns + i] = sign * sum * s->size[i];
        }
        memcpy(s->worth, s->row, (size_t)ns * sizeof(double));
    }
}

/* Computes the time derivatives of nodes, if they move: velocities and accelerations at the ends of
 * the intervals before them. */
static saltus_status find_rates(shooter *s, saltus_error *err)
{
    const saltus_system *system = s->task->system;
    const size_t         n = (size_t)system->n;
    if (!system->end_moves) return SALTUS_OK;
    for (int j = 1; j <= s->nodes; j++) {
        saltus_row row;
        double    *rate = &s->there.rate[j * s->ns];
        TRY(saltus_run_final(s->intervals.at[j - 1].run, &row, err));
        memcpy(rate, row.v, n * sizeof *rate);
        memcpy(rate + n, row.a, n * sizeof *rate);
    }
    return SALTUS_OK;
}

static sal_evaluation differentiate(shooter *s, sal_sqp_point *p)
{
    const sal_task *t = s->task;
    const int       gaps = s->nodes * s->ns;
    s->l->gradients++;
    const sal_evaluation got = sal_intervals_linearise(&s->intervals);
    if (got != SAL_EVALUATED) return got;
    saltus_error err = {0};
    if (find_rates(s, &err) != SALTUS_OK) return SAL_NO_VALUE;
    condense(s);
    write_cost(s, 0, 1.0, p->gradient, p->by_gap);
    for (int k = 0; k < t->rows; k++) {
        double *jacobian = &p->jacobian[k * s->n], *by_gap = &p->by_gap[(k + 1) * gaps];
        if (sal_row_is_empty(&t->row[k])) {
            memset(jacobian, 0, (size_t)s->n * sizeof *jacobian);
            memset(by_gap, 0, (size_t)gaps * sizeof *by_gap);
        } else write_cost(s, t->row[k].cost, t->row[k].sign, jacobian, by_gap);
    }
    return SAL_EVALUATED;
}

/* ---- the callbacks -------------------------------------------------------------------------- */

static sal_evaluation evaluate(void *context, const double *x, bool with_gradients,
                               sal_sqp_point *p)
{
    shooter   *s = context;
    const bool is_here =
        s->is_simulated && memcmp(x, s->x, (size_t)s->n * sizeof *x) == 0 && !p->corrects;
    if (!with_gradients || !is_here || s->is_first) {
        const sal_evaluation got = simulate(s, x, p);
        if (got != SAL_EVALUATED) {
            s->l->error = s->intervals.error;
            return got;
        }
    }
    if (s->is_first) {
        sal_intervals_sizes(&s->intervals, s->size);
        s->home = s->intervals.piece;
    }
    s->is_first = false;
    p->piece = s->intervals.piece;
    if (s->is_kept && p->piece != s->home) return SAL_NO_VALUE;
    p->f = sal_intervals_cost(&s->intervals, 0);
    sal_intervals_rows(&s->intervals, p->c);
    for (int j = 1; j <= s->nodes; j++)
        for (int i = 0; i < s->ns; i++) p->gap[(j - 1) * s->ns + i] = gap_of(s, j, i) / s->size[i];
    return with_gradients ? differentiate(s, p) : SAL_EVALUATED;
}

static void accept(void *context)
{
    shooter   *s = context;
    const base kept = s->here;
    s->here = s->there;
    s->there = kept;
    sal_intervals_accept(&s->intervals);
}

/* ---- the search ----------------------------------------------------------------------------- */

static void new_base(shooter *s, sal_arena *arena, base *b)
{
    const int all = s->intervals.count * s->ns;
    b->x = ARENA_NEW(arena, s->n, double);
    b->time = ARENA_NEW(arena, s->intervals.count, double);
    b->A = ARENA_NEW(arena, all * s->ns, double);
    b->G = ARENA_NEW(arena, all * s->n, double);
    ARENA_VECTORS(arena, all, &b->state, &b->closing, &b->rate);
}

static sal_solve_status search(shooter *s, sal_local *local)
{
    const sal_task       *t = s->task;
    const sal_sqp_problem problem = {.unknowns = t->n,
                                     .constraints = t->rows,
                                     .equations = t->equations,
                                     .max_gaps = s->nodes * s->ns,
                                     .lower = t->lower,
                                     .upper = t->upper,
                                     .scale = t->scale,
                                     .evaluate = evaluate,
                                     .accept = accept,
                                     .context = s,
                                     .progress = s->options->progress,
                                     .progress_context = s->options->context,
                                     .tolerance = s->options->tolerance,
                                     .noise = s->options->noise,
                                     .max_iterations = s->options->max_iterations};
    local->ended =
        sal_sqp(&problem, &s->l->arena.allocator, local->x, local->y, NULL, &local->found);
    if (isfinite(local->found.f)) local->value = local->found.f; /* else it was stopped early */
    local->iterations += local->found.iterations;
    return local->ended;
}

/* Searches with IPOPT first, if it is chosen, with all nodes as unknowns. */
static bool use_engine(shooter *s, sal_local *local, saltus_error *err)
{
    if (s->task->engine != SALTUS_ENGINE_IPOPT) return true;
    return sal_sparse_search(s->l, s->options, &s->intervals, local, s->is_kept, err) == SALTUS_OK;
}

/* Searches several times if a search stalls; nodes are placed anew for the motion at hand. */
static void search_in_rounds(shooter *s, sal_local *local, saltus_error *err)
{
    for (int round = 0; round < ROUNDS; round++) {
        const sal_evaluation got = sal_landscape_simulate(s->l, local->x);
        bool                 is_whole;
        if (got == SAL_STOP) local->ended = SAL_STOPPED;
        if (got == SAL_STOP || (round > 0 && got != SAL_EVALUATED)) return;
        sal_intervals_cut(&s->intervals, s->l->run, local->x);
        local->ended = SAL_NO_START;
        if (!sal_intervals_chain(&s->intervals, local->x, &is_whole)) return;
        s->is_kept = s->options->is_kept && is_whole;
        s->is_first = true;
        s->is_simulated = false;
        if (round == 0 && !use_engine(s, local, err)) return;
        if (search(s, local) != SAL_STALLED && is_whole) return;
        if (local->ended == SAL_STOPPED || local->ended == SAL_OUT_OF_MEMORY) return;
    }
}

saltus_status sal_shooting_search(sal_landscape *l, const sal_local_options *options,
                                  sal_local *local, saltus_error *err)
{
    shooter   s = {.l = l, .options = options, .task = l->task, .n = l->task->n};
    const int count = l->task->intervals;
    WORK_ARENA(arena, &l->arena.allocator);
    saltus_status status =
        sal_intervals_begin(&s.intervals, l->task, &l->run->options, count, options->threads, err);
    s.ns = s.intervals.states;
    s.nodes = count - 1;
    new_base(&s, &arena, &s.here);
    new_base(&s, &arena, &s.there);
    s.x = ARENA_NEW(&arena, s.n, double);
    ARENA_VECTORS(&arena, s.ns, &s.size, &s.worth, &s.row);
    if (status == SALTUS_OK && arena.failed) status = sal_fail_memory(err);
    local->iterations = 0;
    if (status == SALTUS_OK) search_in_rounds(&s, local, err);
    if (status == SALTUS_OK) status = err->status;
    if (local->ended == SAL_OUT_OF_MEMORY) status = sal_fail_memory(err);
    sal_intervals_end(&s.intervals);
    return status;
}
