/* Numbers over time for the report: one grid of instants, both sides of each event among them, and
 * on it the motion, its derivatives by the parameters, the adjoints of the costs and how well the
 * two agree (duality). Finite differences of the integrals are taken on a coarser grid. */
#include <math.h>
#include <stdlib.h>

#include "json_result.h"
#include "pool.h"
#include "report.h"
#include "text.h"
#include "time_series.h"

/* BUDGET: roughly the largest number of values in a report; with more, the file would be too large
 * to send. */
enum { BUDGET = 230000, MIN_ROWS = 201, MAX_ROWS = 1001, FD_ROWS = 101, MAX_COLUMNS = 20000 };
static const double fd_seconds_most = 20.0, fd_step = 1e-4;

/* Columns of equal length that belong together. */
typedef struct block {
    int     columns, stride;
    double *values; /* [column * stride + row] */
} block;

static block block_new(int columns, int stride)
{
    block b = {columns, stride, cli_alloc((size_t)columns * (size_t)stride, sizeof(double))};
    return b;
}

static void put(block *b, int row, int column, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        b->values[(size_t)(column + i) * (size_t)b->stride + (size_t)row] = values[i];
}

enum {
    POSITION,
    VELOCITY,
    ACCELERATION,
    MULTIPLIER,
    MEMORY,
    COST,
    OUTPUT,
    RESIDUAL,
    RESIDUAL_RATE,
    ENERGY, /* kinetic, potential, change of the total since the start */
    MOTION_BLOCKS
};
static const char *const motion_names[MOTION_BLOCKS] = {
    "position", "velocity", "acceleration", "multiplier",    "memory",
    "cost",     "output",   "residual",     "residual_rate", "energy",
};
enum { TANGENT_BLOCKS = 4, ADJOINT_BLOCKS = 3 }; /* for q, v, c, z; for q, v, c */
static const char *const state_names[TANGENT_BLOCKS] = {"position", "velocity", "memory", "cost"};

static int state_size(const cli_session *s, int part)
{
    const saltus_size n = s->size;
    return part < 2 ? n.coordinates : part == 2 ? n.memories : n.costs;
}

typedef struct motion {
    cli_session *session;
    double      *times; /* requested times */
    int          count, capacity, rows;
    double      *t; /* times of the rows */
    block        of[MOTION_BLOCKS], tangent[TANGENT_BLOCKS], adjoint[ADJOINT_BLOCKS], duality;
    block        lambda_p;                      /* [cost * params + param] */
    int          tangents, adjoints, row, cost; /* 1: computed (two flags); present row and cost */
    double       energy;                        /* total energy at the start */
    json_t      *modes, *events;
} motion;

/* ---- the grid ------------------------------------------------------------------------------- */

static int columns_of(const cli_session *s, int with_gradients)
{
    const saltus_size n = s->size;
    const int         np = s->params.count, nc = s->size.costs;
    const int         state = 2 * n.coordinates + n.memories;
    const int shown = 3 * n.coordinates + 3 * n.constraints + n.memories + nc + n.outputs + 3;
    return shown + (with_gradients ? np * (state + nc) + nc * state + nc : 0);
}

/* The grid of times: by --every, or as many as the budget allows. */
static double *grid(cli_session *s, int columns, int *count)
{
    if (s->arguments->every > 0.0) return cli_time_series_times(s, count);
    const double start = cli_session_start(s), end = saltus_run_get_info(s->run)->t;
    const int    fitting = BUDGET / columns;
    *count = fitting < MIN_ROWS ? MIN_ROWS : fitting > MAX_ROWS ? MAX_ROWS : fitting;
    double *times = cli_alloc((size_t)*count, sizeof *times);
    for (int i = 0; i < *count; i++) times[i] = start + (end - start) * i / (*count - 1);
    times[*count - 1] = end;
    return times;
}

/* ---- the motion ----------------------------------------------------------------------------- */

static void note_mode(motion *m, const saltus_row *row)
{
    const size_t size = json_array_size(m->modes);
    json_t      *last = size ? json_array_get(json_array_get(m->modes, size - 1), 1) : NULL;
    json_t      *mode = cli_json_text(row->mode);
    if (!last || !json_equal(last, mode))
        json_array_append_new(m->modes, json_pack("[iO]", m->row, mode));
    json_decref(mode);
}

/* Notes the rows of an event: before it, and after it unless it ended the run. */
static void note_event(motion *m, const saltus_row *row)
{
    if (row->event < 0) return;
    if (!row->after) json_array_append_new(m->events, json_pack("[i]", m->row));
    else json_array_append_new(json_array_get(m->events, (size_t)row->event), json_integer(m->row));
}

static void put_energy(motion *m, const saltus_row *row)
{
    const double total = row->kinetic + row->potential;
    if (m->row == 0) m->energy = total;
    const double values[] = {row->kinetic, row->potential, total - m->energy};
    put(&m->of[ENERGY], m->row, 0, values, 3);
}

static int motion_row(void *context, const saltus_row *row)
{
    motion             *m = context;
    const double *const from[ENERGY] = {row->q,      row->v,        row->a,
                                        row->mu,     row->c,        row->z,
                                        row->output, row->residual, row->residual_rate};
    if (m->row >= m->capacity) return 1;
    m->t[m->row] = row->t;
    for (int i = 0; i < ENERGY; i++) put(&m->of[i], m->row, 0, from[i], m->of[i].columns);
    put_energy(m, row);
    note_mode(m, row);
    note_event(m, row);
    m->row++;
    return 0;
}

static void read_motion(motion *m)
{
    const saltus_size n = m->session->size;
    const int         sizes[MOTION_BLOCKS] = {
                n.coordinates,          n.coordinates, n.coordinates, n.constraints, n.memories,
                m->session->size.costs, n.outputs,     n.constraints, n.constraints, 3};
    saltus_error err = {0};
    for (int i = 0; i < MOTION_BLOCKS; i++) m->of[i] = block_new(sizes[i], m->capacity);
    m->t = cli_alloc((size_t)m->capacity, sizeof *m->t);
    saltus_run_trajectory(m->session->run, m->times, m->count, motion_row, m, &err);
    cli_need_memory(&err);
    m->rows = m->row;
}

/* ---- tangents and adjoints ------------------------------------------------------------------ */

static void put_tangent(block *b, int row, const double *d, int count, int params, int first,
                        int np)
{
    for (int i = 0; i < count; i++) put(b, row, i * np + first, d + i * params, params);
}

static int tangent_row(void *context, const saltus_tangent_row *row, int first, int index)
{
    motion            *m = context;
    const cli_session *s = m->session;
    const int          n = s->size.coordinates, np = s->params.count, k = row->params;
    if (index >= m->rows || row->at.t != m->t[index]) {
        m->tangents = 0; /* other instants than the motion: not shown */
        return 1;
    }
    put_tangent(&m->tangent[0], index, row->dq, n, k, first, np);
    put_tangent(&m->tangent[1], index, row->dv, n, k, first, np);
    put_tangent(&m->tangent[2], index, row->dc, s->size.memories, k, first, np);
    put_tangent(&m->tangent[3], index, row->dz, s->size.costs, k, first, np);
    return 0;
}

static void read_tangents(motion *m)
{
    cli_session *s = m->session;
    const int    np = s->params.count;
    for (int i = 0; i < TANGENT_BLOCKS; i++)
        m->tangent[i] = block_new(state_size(s, i) * np, m->capacity);
    m->tangents = 1;
    if (!cli_tangents_walk(s, m->times, m->count, tangent_row, m)) m->tangents = 0;
}

/* Takes a row of adjoints; they come from the end to the start. */
static int adjoint_row(void *context, const saltus_adjoint_row *row)
{
    motion            *m = context;
    const cli_session *s = m->session;
    const int          n = s->size.coordinates, nm = s->size.memories;
    const int          at = --m->row;
    if (at < 0 || row->at.t != m->t[at]) {
        m->adjoints = 0;
        return 1;
    }
    put(&m->adjoint[0], at, m->cost * n, row->lambda_q, n);
    put(&m->adjoint[1], at, m->cost * n, row->lambda_v, n);
    put(&m->adjoint[2], at, m->cost * nm, row->lambda_c, nm);
    for (int k = 0; k < s->params.count; k++)
        put(&m->lambda_p, at, m->cost * s->params.count + k, &row->lambda_p[s->params.index[k]], 1);
    return 0;
}

static void read_adjoints(motion *m)
{
    cli_session *s = m->session;
    const int    nc = s->size.costs;
    for (int i = 0; i < ADJOINT_BLOCKS; i++)
        m->adjoint[i] = block_new(nc * state_size(s, i), m->capacity);
    m->lambda_p = block_new(nc * s->params.count, m->capacity);
    m->adjoints = 1;
    for (int i = 0; i < nc && m->adjoints; i++) {
        m->row = m->rows;
        m->cost = i;
        saltus_run_adjoints(s->run, i, m->times, m->count, adjoint_row, m, &s->error);
        if (s->error.status || m->row != 0) m->adjoints = 0;
    }
}

/* ---- duality: λq dq/dρ + λv dv/dρ + λc dc/dρ + dz/dρ + λΓ - dψ/dρ -------------------------------
 */

static double at(const block *b, int row, int column)
{
    return b->values[(size_t)column * (size_t)b->stride + (size_t)row];
}

static double dual_off(const motion *m, const double *gradient, int row, int cost, int k)
{
    const cli_session *s = m->session;
    const int          np = s->params.count;
    double sum = at(&m->tangent[3], row, cost * np + k) + at(&m->lambda_p, row, cost * np + k);
    for (int b = 0; b < ADJOINT_BLOCKS; b++)
        for (int i = 0, size = state_size(s, b); i < size; i++)
            sum += at(&m->adjoint[b], row, cost * size + i) * at(&m->tangent[b], row, i * np + k);
    return fabs(sum - gradient[cost * np + k]);
}

/* Whether a row is between two events of one instant, where the adjoint lacks a part
 * (saltus/sim.h). */
static int is_between(const motion *m, int row)
{
    return row > 1 && row + 2 < m->rows && m->t[row] == m->t[row - 1] && m->t[row] == m->t[row + 1];
}

static void compute_duality(motion *m, const double *gradient)
{
    const cli_session *s = m->session;
    const int          np = s->params.count;
    m->duality = block_new(s->size.costs, m->capacity);
    for (int i = 0; i < s->size.costs; i++) {
        const double scale = cli_gradient_scale(s, gradient + i * np, s->cost[i]);
        for (int row = 0; row < m->rows; row++) {
            double worst = 0.0;
            for (int k = 0; k < np; k++)
                worst = fmax(worst, dual_off(m, gradient, row, i, k) / scale);
            if (is_between(m, row)) worst = NAN;
            put(&m->duality, row, i, &worst, 1);
        }
    }
}

/* ---- finite differences of z(t) ------------------------------------------------------------- */

typedef struct differences {
    cli_session *session;
    double       times[FD_ROWS];
    block        slope; /* [cost * params + param] */
} differences;

/* The number of events before a time; -1 if an event is at this time, where a difference has no
 * meaning. */
static int events_before(const saltus_run *run, double t)
{
    const int events = saltus_run_get_info(run)->events;
    int       count = 0;
    while (count < events && saltus_run_event(run, count).t < t) count++;
    return count < events && saltus_run_event(run, count).t == t ? -1 : count;
}

/* Samples the motion with a parameter changed by a step: its columns, and the number of events
 * before each row. */
static int sample_run(const differences *d, saltus_run *run, int param, double step, double *values,
                      int *before)
{
    const cli_session *s = d->session;
    saltus_error       err = {0};
    CLI_OWNED double  *params = cli_alloc((size_t)s->size.params, sizeof *params);
    for (int i = 0; i < s->size.params; i++) params[i] = saltus_system_param(s->system, i).value;
    params[param] += step;
    saltus_run_simulate(run, params, &err);
    saltus_run_sample(run, d->times, FD_ROWS, values, &err);
    cli_need_memory(&err);
    for (int i = 0; i < FD_ROWS; i++) before[i] = events_before(run, d->times[i]);
    return err.status == SALTUS_OK;
}

/* Computes the differences by one parameter. Where the two runs have different events, there is
 * none. */
static void difference(void *context, int worker, int k)
{
    differences       *d = context;
    const cli_session *s = d->session;
    const int          nc = s->size.costs, np = s->params.count, param = s->params.index[k];
    const double       value = saltus_system_param(s->system, param).value;
    const double       step = fd_step * (value != 0.0 ? fabs(value) : 1.0);
    saltus_error       err = {0};
    (void)worker;
    if (cli_interrupted()) return;
    saltus_options options = s->options;
    options.rtol = options.atol = fmax(1e-13, 0.01 * fmin(options.rtol, options.atol));
    options.progress = NULL;
    saltus_run *run = saltus_run_new(s->system, &options, &err);
    cli_need_memory(&err);
    const int         columns = saltus_system_columns(s->system), last = columns - s->size.outputs;
    CLI_OWNED double *up = cli_alloc((size_t)(columns * FD_ROWS), sizeof *up);
    CLI_OWNED double *down = cli_alloc((size_t)(columns * FD_ROWS), sizeof *down);
    CLI_OWNED int    *before = cli_alloc(2 * FD_ROWS, sizeof *before);
    const int         ok = run && sample_run(d, run, param, step, up, before) &&
                   sample_run(d, run, param, -step, down, before + FD_ROWS);
    for (int row = 0; row < FD_ROWS; row++)
        for (int i = 0; i < nc; i++) {
            const int same = before[row] >= 0 && before[row] == before[FD_ROWS + row] &&
                             before[row] == events_before(s->run, d->times[row]);
            const int    at = row * columns + last - nc + i; /* integrals come before outputs */
            const double slope = ok && same ? (up[at] - down[at]) / (2.0 * step) : NAN;
            put(&d->slope, row, i * np + k, &slope, 1);
        }
    saltus_run_free(run);
}

static json_t *differences_json(cli_session *s, const double *t, int rows)
{
    const int np = s->params.count;
    if (rows < 2 || np == 0 || s->size.costs == 0) return json_null();
    if (2.0 * np * s->forward > fd_seconds_most * s->arguments->threads) return json_null();
    differences d = {.session = s, .slope = block_new(s->size.costs * np, FD_ROWS)};
    for (int i = 0; i < FD_ROWS; i++) d.times[i] = t[0] + (t[rows - 1] - t[0]) * i / (FD_ROWS - 1);
    cli_progress_begin(&s->progress, "differences over time");
    cli_pool_run(s->arguments->threads, np, difference, &d);
    cli_progress_end(&s->progress);
    json_t *object =
        cli_json_object("rows:i t:j cost:j", FD_ROWS, cli_report_doubles(d.times, FD_ROWS),
                        cli_report_floats(d.slope.values, d.slope.columns, FD_ROWS, FD_ROWS));
    free(d.slope.values);
    return object;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static json_t *blocks_json(const motion *m, const block *blocks, const char *const *names,
                           int count)
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        cli_json_set(
            object, names[i],
            cli_report_floats(blocks[i].values, blocks[i].columns, blocks[i].stride, m->rows));
    return object;
}

static void free_blocks(block *blocks, int count)
{
    for (int i = 0; i < count; i++) free(blocks[i].values);
}

/* Takes over the lists of modes and events. */
static json_t *motion_json(const motion *m)
{
    return cli_json_object(
        "rows:i t:j modes:j events:j values:j tangent:j adjoint:j duality:j", m->rows,
        cli_report_doubles(m->t, m->rows), m->modes, m->events,
        blocks_json(m, m->of, motion_names, MOTION_BLOCKS),
        m->tangents ? blocks_json(m, m->tangent, state_names, TANGENT_BLOCKS) : json_null(),
        m->adjoints ? blocks_json(m, m->adjoint, state_names, ADJOINT_BLOCKS) : json_null(),
        m->duality.values
            ? cli_report_floats(m->duality.values, m->duality.columns, m->capacity, m->rows)
            : json_null());
}

json_t *cli_report_motion(cli_session *s, const cli_gradients *gradients, int with_differences)
{
    motion    m = {.session = s};
    const int wanted = gradients && s->params.count > 0 && s->size.costs > 0;
    const int fits = columns_of(s, 1) <= MAX_COLUMNS;
    m.times = grid(s, columns_of(s, wanted && fits), &m.count);
    if (!m.times) return json_null();
    m.capacity = m.count + 2 * s->events + 2;
    m.modes = json_array();
    m.events = json_array();
    read_motion(&m);
    if (wanted && !fits)
        cli_session_warn(s,
                         "the report has no sensitivities over time: they would be %d columns, and "
                         "%d are the most; --wrt and --cost choose fewer",
                         columns_of(s, 1), (int)MAX_COLUMNS);
    if (wanted && fits) {
        read_tangents(&m);
        read_adjoints(&m);
        if (m.tangents && m.adjoints) compute_duality(&m, gradients->cost);
    }
    json_t *object = motion_json(&m);
    cli_json_add(object, "differences:j",
                 m.tangents && with_differences ? differences_json(s, m.t, m.rows) : json_null());
    free_blocks(m.of, MOTION_BLOCKS);
    free_blocks(m.tangent, TANGENT_BLOCKS);
    free_blocks(m.adjoint, ADJOINT_BLOCKS);
    free(m.duality.values);
    free(m.lambda_p.values);
    free(m.t);
    free(m.times);
    return object;
}
