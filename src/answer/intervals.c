#include "answer/intervals.h"

#include <math.h>
#include <string.h>

#include "answer/pool.h"
#include "base/status.h"
#include "gradient/requests.h"
#include "run/fields.h"
#include "run/from.h"
#include "run/peaks.h"
#include "run/run.h"
#include "sens/sens.h"

enum { ENOUGH_STEPS = 1000, MORE_STEPS = 20 };

/* ---- beginning and ending ------------------------------------------------------------------- */

static void new_interval(sal_intervals *s, sal_interval *i)
{
    const saltus_system *system = s->task->system;
    const int            groups = system->model->groups.count, ns = s->states, n = s->task->n;
    const int            costs = s->task->cost_count;
    i->modes = ARENA_NEW(&s->arena, groups, int);
    i->modes_end = ARENA_NEW(&s->arena, groups, int);
    i->before = ARENA_NEW(&s->arena, system->events, int);
    ARENA_VECTORS(&s->arena, ns, &i->state, &i->end);
    i->z = ARENA_NEW(&s->arena, costs, double);
    i->A = ARENA_NEW(&s->arena, ns * ns, double);
    i->B = ARENA_NEW(&s->arena, ns * n, double);
    i->C = ARENA_NEW(&s->arena, costs * ns, double);
    i->D = ARENA_NEW(&s->arena, costs * n, double);
}

/* Writes the directions of derivatives: one for each unknown, then one for each number of the
 * state. */
static void write_lanes(sal_intervals *s)
{
    const sal_task *t = s->task;
    const size_t    lanes = (size_t)(t->n + s->states);
    for (int i = 0; i < t->n; i++) s->lanes[(size_t)t->over[i] * lanes + (size_t)i] = 1.0;
    double *state = s->lanes + (size_t)t->param_count * lanes;
    for (int i = 0; i < s->states; i++) state[(size_t)i * lanes + (size_t)(t->n + i)] = 1.0;
}

saltus_status sal_intervals_begin(sal_intervals *s, const sal_task *task,
                                  const saltus_options *options, int count, int threads,
                                  saltus_error *err)
{
    const saltus_system *system = task->system;
    *s = (sal_intervals){.task = task,
                         .count = count,
                         .threads = threads,
                         .max_steps = options->max_steps,
                         .states = saltus_system_states(system)};
    sal_arena_init(&s->arena, &system->allocator);
    s->place = ARENA_NEW(&s->arena, count, double);
    s->params = ARENA_NEW(&s->arena, task->param_count, double);
    s->at = ARENA_NEW(&s->arena, count, sal_interval);
    s->lanes =
        ARENA_NEW(&s->arena, (task->param_count + s->states) * (task->n + s->states), double);
    for (int j = 0; j < count && !s->arena.failed; j++) new_interval(s, &s->at[j]);
    if (s->arena.failed) return sal_fail_memory(err);
    write_lanes(s);
    for (int e = 0; e < system->events; e++)
        s->counts_stops = s->counts_stops || system->event[e].stop > 1;
    for (int j = 0; j < count; j++) {
        s->at[j].run = saltus_run_new(system, options, err);
        if (!s->at[j].run) return err->status;
    }
    return SALTUS_OK;
}

void sal_intervals_end(sal_intervals *s)
{
    for (int j = 0; s->at && j < s->count; j++) saltus_run_free(s->at[j].run);
    sal_arena_free(&s->arena);
}

/* ---- times ---------------------------------------------------------------------------------- */

/* The end of the horizon for the present parameters. */
static double horizon_of(const sal_intervals *s)
{
    saltus_run          *run = s->at[0].run;
    const saltus_system *system = run->system;
    saltus_run          *last = s->at[s->count - 1].run;
    if (!isnan(last->options.t_end)) return last->options.t_end;
    memcpy(run->params, s->params, (size_t)system->np * sizeof(double));
    sal_run_put_params(run);
    sal_map_value(&system->initial, run->motion.field.u, run->initial, run->motion.field.work);
    return run->initial[system->initial.outputs - 1];
}

void sal_intervals_set(sal_intervals *s, const double *x)
{
    const sal_task *t = s->task;
    sal_task_params(t, x, s->params);
    s->t_start = t->system->model->start;
    s->t_end = horizon_of(s);
    for (int j = 0; j < s->count; j++)
        s->at[j].t0 = s->t_start + s->place[j] * (s->t_end - s->t_start);
}

/* Moves one end of the free part of the horizon around `place` to the event. */
static void keep_off(double event, double place, double *low, double *high)
{
    if (event <= place) *low = fmax(*low, event);
    else *high = fmin(*high, event);
}

static double find_place(const sal_intervals *s, const saltus_run *run, double place, double end)
{
    const saltus_model *model = s->task->system->model;
    double              low = 0.0, high = fmax(end, place);
    for (int i = 0; i < run->history.occurrences.count; i++)
        keep_off((run->history.occurrences.data[i].t - s->t_start) / (s->t_end - s->t_start), place,
                 &low, &high);
    for (int i = 0; i < model->controls.count; i++) {
        const sal_control *c = &model->controls.data[i];
        if (c->from) continue;
        keep_off(floor(place * c->nodes) / c->nodes, place, &low, &high);
        keep_off((floor(place * c->nodes) + 1.0) / c->nodes, place, &low, &high);
    }
    const double margin = fmin(0.4 * (high - low), 0.25 * end / s->count);
    return fmin(fmax(place, low + margin), high - margin);
}

void sal_intervals_cut(sal_intervals *s, const saltus_run *run, const double *x)
{
    for (int j = 0; j < s->count; j++) s->place[j] = (double)j / s->count;
    sal_intervals_set(s, x);
    const bool   is_whole = run->outcome.info.outcome == SALTUS_TERMINAL_EVENT;
    const double end =
        is_whole ? (run->outcome.info.t - s->t_start) / (s->t_end - s->t_start) : 1.0;
    for (int j = 1; j < s->count; j++) {
        const double place = find_place(s, run, end * j / s->count, end);
        const double least = s->place[j - 1] + 1e-3 * end / s->count;
        s->place[j] = fmax(place, least);
    }
    sal_intervals_set(s, x);
}

/* ---- one interval --------------------------------------------------------------------------- */

static saltus_status take_start(sal_intervals *s, int j, saltus_error *err)
{
    sal_interval        *i = &s->at[j];
    saltus_run          *run = i->run;
    const saltus_system *system = run->system;
    const bool           is_last = j + 1 == s->count;
    const double         t1 = is_last ? s->t_end : s->at[j + 1].t0;
    run->from.given = j > 0;
    run->from.is_interval = true;
    run->from.is_inner = !is_last;
    run->from.to_horizon = is_last;
    run->from.memories = run->from.assembled = true;
    run->from.ignores_events = false;
    run->from.repeated = s->counts_stops ? i->before : NULL;
    run->from.t = i->t0;
    run->from.t_end = t1;
    if (j == 0) run->options.t_end = t1;
    memcpy(run->params, s->params, (size_t)system->np * sizeof(double));
    if (j == 0) return SALTUS_OK;
    if (!(t1 > i->t0)) return sal_fail(err, SALTUS_ERR_UNFINISHED, "an interval has no length");
    run->from.regime = sal_system_regime(system, i->modes, err);
    if (!run->from.regime) return err->status;
    memcpy(run->from.x, i->state, 2 * (size_t)system->n * sizeof(double));
    memcpy(run->from.c, i->state + 2 * system->n, (size_t)system->nm_user * sizeof(double));
    return SALTUS_OK;
}

/* Checks that the interval reached its end; the last one may also end with a terminal event. */
static saltus_status check_end(const sal_intervals *s, int j, saltus_error *err)
{
    const saltus_run_info *info = &s->at[j].run->outcome.info;
    const bool             is_last = j + 1 == s->count;
    if (info->outcome == SALTUS_END || (is_last && info->outcome == SALTUS_TERMINAL_EVENT))
        return SALTUS_OK;
    return sal_fail(
        err, info->outcome == SALTUS_INTERRUPTED ? SALTUS_ERR_INTERRUPTED : SALTUS_ERR_UNFINISHED,
        "%s", *info->message ? info->message : "the motion ends before the last interval");
}

/* Reads the state at the end of the interval, and at its start if constraints have projected it. */
static void read_back(sal_intervals *s, int j)
{
    sal_interval        *i = &s->at[j];
    const saltus_run    *run = i->run;
    const saltus_system *system = run->system;
    const size_t         n2 = 2 * (size_t)system->n, nm = (size_t)system->nm_user;
    memcpy(i->end, run->end.x, n2 * sizeof(double));
    memcpy(i->end + n2, run->end.c, nm * sizeof(double));
    memcpy(i->modes_end, run->end.regime->active,
           (size_t)system->model->groups.count * sizeof(int));
    if (j > 0 && run->from.regime->constrained) memcpy(i->state, run->start, n2 * sizeof(double));
}

static void add_peak(const sal_intervals *s, sal_interval *i, int peak, double value)
{
    for (int k = 0; k < s->task->cost_count; k++)
        if (s->task->costs[k] == s->task->system->peak[peak].cost) i->z[k] += value;
}

/* Keeps the most extreme peak of all intervals, and removes those of the other intervals. */
static void choose_peaks(sal_intervals *s)
{
    for (int p = 0; p < s->task->system->peaks; p++) {
        const double sign = s->task->system->peak[p].sign;
        int          owner = 0;
        for (int j = 1; j < s->count; j++)
            if (sign * s->at[j].run->peaks[p].best.value >
                sign * s->at[owner].run->peaks[p].best.value)
                owner = j;
        add_peak(s, &s->at[owner], p, s->at[owner].run->peaks[p].best.value);
        for (int j = 0; j < s->count; j++)
            if (j != owner) s->at[j].run->peaks[p].best.place = SAL_PEAK_NONE;
    }
}

static saltus_status read_costs(sal_intervals *s, int j, saltus_error *err)
{
    sal_interval   *i = &s->at[j];
    const sal_task *t = s->task;
    const bool      is_last = j + 1 == s->count;
    WORK_ARENA(arena, &s->arena.allocator);
    double *all = is_last ? ARENA_NEW(&arena, t->all_costs, double) : i->run->end.z;
    if (!all) return sal_fail_memory(err);
    if (is_last) TRY(saltus_run_costs(i->run, all, err));
    for (int k = 0; k < t->cost_count; k++) i->z[k] = all[t->costs[k]];
    for (int p = 0; p < t->system->peaks && is_last; p++)
        add_peak(s, i, p, -i->run->peaks[p].best.value);
    return SALTUS_OK;
}

static unsigned long long add_events(unsigned long long piece, const saltus_run *run)
{
    for (int i = 0; i < run->history.occurrences.count; i++) {
        const int event = run->history.occurrences.data[i].event;
        if (sal_landscape_counts(run->system, event)) piece = sal_piece_add(piece, event);
    }
    return piece;
}

static void simulate_one(void *context, int worker, int j)
{
    sal_intervals *s = context;
    sal_interval  *i = &s->at[j];
    saltus_error  *err = &i->error;
    (void)worker;
    *err = (saltus_error){0};
    i->has_value = false;
    sal_run_forget(i->run);
    if (take_start(s, j, err) != SALTUS_OK || sal_run_work(i->run, err) != SALTUS_OK) return;
    if (check_end(s, j, err) != SALTUS_OK || read_costs(s, j, err) != SALTUS_OK) return;
    read_back(s, j);
    i->piece = (long long)(add_events(SAL_PIECE_SEED, i->run) >> 1);
    i->has_value = true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static sal_evaluation judge(sal_intervals *s)
{
    sal_evaluation got = SAL_EVALUATED;
    for (int j = 0; j < s->count && got != SAL_STOP; j++) {
        if (!s->at[j].error.status) continue;
        s->error = s->at[j].error;
        got = sal_evaluation_of(s->error.status);
    }
    return got;
}

/* Takes over what an interval depends on: the modes at the end of the previous interval, and how
 * often each event has happened. Returns whether the interval must be simulated again. */
static bool take_over(sal_intervals *s, int j)
{
    const saltus_system *system = s->task->system;
    sal_interval        *i = &s->at[j], *last = &s->at[j - 1];
    const size_t         groups = (size_t)system->model->groups.count;
    bool                 is_other = false;
    if (last->has_value && groups && memcmp(i->modes, last->modes_end, groups * sizeof(int)) != 0) {
        memcpy(i->modes, last->modes_end, groups * sizeof(int));
        is_other = true;
    }
    for (int e = 0; s->counts_stops && last->has_value && e < system->events; e++) {
        const int count = last->run->end.repetition[e].count;
        is_other = is_other || (i->before[e] != count && system->event[e].stop > 1);
        i->before[e] = count;
    }
    return is_other;
}

/* Computes the number of the sequence of all events. */
static void read_piece(sal_intervals *s)
{
    unsigned long long piece = SAL_PIECE_SEED;
    for (int j = 0; j < s->count; j++) piece = add_events(piece, s->at[j].run);
    s->piece = (long long)(piece >> 1);
}

/* Whether the sequence of events before or after a node differs from that of the accepted point, as
 * it does when an event has passed the node. */
static bool is_passed(const sal_intervals *s, int j)
{
    const sal_interval *before = &s->at[j - 1], *i = &s->at[j];
    if (!s->has_home || !before->has_value) return false;
    return !i->has_value || before->piece != before->home || i->piece != i->home;
}

void sal_intervals_accept(sal_intervals *s)
{
    for (int j = 0; j < s->count; j++) s->at[j].home = s->at[j].piece;
    s->has_home = true;
    sal_intervals_limit(s);
}

void sal_intervals_limit(sal_intervals *s)
{
    long long most = 0;
    for (int j = 0; j < s->count; j++)
        if (s->at[j].run->outcome.info.steps > most) most = s->at[j].run->outcome.info.steps;
    most = ENOUGH_STEPS + MORE_STEPS * most;
    for (int j = 0; j < s->count; j++)
        s->at[j].run->options.max_steps = most < s->max_steps ? most : s->max_steps;
}

sal_evaluation sal_intervals_simulate(sal_intervals *s)
{
    s->error = (saltus_error){0};
    if (!(s->t_end > s->t_start)) {
        sal_fail(&s->error, SALTUS_ERR_UNFINISHED, "the horizon has no length");
        return SAL_NO_VALUE;
    }
    sal_pool_run(s->threads, s->count, simulate_one, s);
    for (int j = 1; j < s->count; j++) {
        const bool is_other = take_over(s, j), passed = is_passed(s, j);
        if (passed) memcpy(s->at[j].state, s->at[j - 1].end, (size_t)s->states * sizeof(double));
        if (is_other || passed) simulate_one(s, 0, j);
    }
    const sal_evaluation got = judge(s);
    if (got != SAL_EVALUATED) return got;
    read_piece(s);
    choose_peaks(s);
    return got;
}

double sal_intervals_cost(const sal_intervals *s, int cost)
{
    double sum = 0.0;
    for (int j = 0; j < s->count; j++) sum += s->at[j].z[cost];
    return sum;
}

void sal_intervals_rows(const sal_intervals *s, double *c)
{
    for (int k = 0; k < s->task->rows; k++) {
        const sal_task_row *row = &s->task->row[k];
        c[k] = sal_row_is_empty(row) ? 1.0 + fabs(row->bound)
                                     : row->sign * (sal_intervals_cost(s, row->cost) - row->bound);
    }
}

void sal_intervals_sizes(const sal_intervals *s, double *size)
{
    for (int i = 0; i < s->states; i++) {
        size[i] = 0.0;
        for (int j = 1; j < s->count; j++) size[i] = fmax(size[i], fabs(s->at[j].state[i]));
        if (size[i] == 0.0) size[i] = 1.0;
    }
}

static void linearise_one(void *context, int worker, int j)
{
    sal_intervals  *s = context;
    sal_interval   *i = &s->at[j];
    const sal_task *t = s->task;
    const int       n = t->n, ns = s->states, lanes = j > 0 ? n + ns : n;
    const int       width = n + ns;
    (void)worker;
    WORK_ARENA(arena, &s->arena.allocator);
    double       *dcost = ARENA_NEW(&arena, t->all_costs * width, double);
    double       *dend = ARENA_NEW(&arena, ns * width, double);
    double       *along = ARENA_NEW(&arena, t->param_count * lanes, double);
    const double *start = s->lanes + (size_t)t->param_count * (size_t)width;
    i->error = (saltus_error){0};
    if (arena.failed) sal_fail_memory(&i->error);
    for (int p = 0; p < t->param_count && !arena.failed; p++)
        memcpy(along + (size_t)p * (size_t)lanes, s->lanes + (size_t)p * (size_t)width,
               (size_t)lanes * sizeof(double));
    if (saltus_run_jvp(i->run, lanes, along, j > 0 ? start : NULL, dcost, NULL, dend, NULL,
                       &i->error) != SALTUS_OK)
        return;
    for (int r = 0; r < ns; r++) {
        memcpy(&i->B[r * n], &dend[r * lanes], (size_t)n * sizeof(double));
        if (j > 0) memcpy(&i->A[r * ns], &dend[r * lanes + n], (size_t)ns * sizeof(double));
    }
    for (int k = 0; k < t->cost_count; k++) {
        const double *row = &dcost[t->costs[k] * lanes];
        memcpy(&i->D[k * n], row, (size_t)n * sizeof(double));
        if (j > 0) memcpy(&i->C[k * ns], row + n, (size_t)ns * sizeof(double));
    }
}

sal_evaluation sal_intervals_linearise(sal_intervals *s)
{
    s->error = (saltus_error){0};
    sal_pool_run(s->threads, s->count, linearise_one, s);
    return judge(s);
}

/* ---- the first nodes ------------------------------------------------------------------------ */

/* Sets the memories of controls that cover the horizon to the piece at the time of the node. The
 * coefficients may be those of another piece: that is a gap, which the search closes. Returns false
 * if the model has other clocks. */
static bool set_clocks(const sal_intervals *s, sal_interval *i)
{
    const saltus_model *model = s->task->system->model;
    double             *c = i->state + 2 * s->task->system->n;
    if (model->timers.count || model->samples.count) return false;
    for (int k = 0; k < model->controls.count; k++) {
        const sal_control *control = &model->controls.data[k];
        if (control->from) continue;
        const double h = (s->t_end - s->t_start) / control->nodes;
        const double piece = floor((i->t0 - s->t_start) / h);
        c[control->number] = piece;
        c[control->begin] = s->t_start + piece * h;
        c[control->next] = s->t_start + (piece + 1.0) * h;
        c[control->c[0]] = s->params[control->param + (int)piece];
    }
    return true;
}

static void set_node(sal_intervals *s, int j, const double *state, const int *modes)
{
    const size_t groups = (size_t)s->task->system->model->groups.count;
    memcpy(s->at[j].state, state, (size_t)s->states * sizeof(double));
    if (groups) memcpy(s->at[j].modes, modes, groups * sizeof(int));
}

/* Stores the state at the start of the model in the first node. */
static void keep_start(sal_intervals *s)
{
    saltus_run       *run = s->at[0].run;
    saltus_error      ignored = {0};
    const sal_regime *regime = sal_run_first_regime(run, &ignored);
    const size_t      n2 = 2 * (size_t)run->system->n;
    if (!regime) return; /* the simulation will fail, with the reason */
    set_node(s, 0, run->initial, regime->active);
    if (regime->constrained) memcpy(s->at[0].state, run->start, n2 * sizeof(double));
}

/* Puts all nodes after this one at rest in its position. Returns whether the motion can be
 * simulated from each of them. */
static bool hold(sal_intervals *s, int from)
{
    const int n = s->task->system->n;
    for (int j = from + 1; j < s->count; j++) {
        sal_interval *i = &s->at[j];
        set_node(s, j, s->at[from].state, s->at[from].modes);
        memset(i->state + n, 0, (size_t)n * sizeof(double));
        if (!set_clocks(s, i)) return false;
        simulate_one(s, 0, j);
        if (!i->has_value) return false;
    }
    return true;
}

bool sal_intervals_chain(sal_intervals *s, const double *x, bool *is_whole)
{
    int j = 0;
    s->has_home = false;
    sal_intervals_set(s, x);
    for (; j < s->count; j++) {
        simulate_one(s, 0, j);
        if (j == 0) keep_start(s);
        if (!s->at[j].has_value) break;
        if (j + 1 < s->count) {
            set_node(s, j + 1, s->at[j].end, s->at[j].modes_end);
            take_over(s, j + 1);
        }
    }
    *is_whole = j == s->count;
    while (j > 0 && !*is_whole) {
        j /= 2;
        if (hold(s, j)) return true;
    }
    return *is_whole;
}
