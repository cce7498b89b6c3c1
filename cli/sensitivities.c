/* Sensitivities over time. */
#include "time_series.h"

#include "text.h"

typedef struct reader {
    const cli_session *session;
    cli_time_series   *series;
    int                row;    /* the next one */
    int                cost;   /* of an adjoint: its place among those asked for */
    int                hidden; /* hidden memories that adjoints are kept of */
} reader;

/* ---- tangents ------------------------------------------------------------------------------- */

static char **param_names(const cli_session *s)
{
    char **names = cli_alloc((size_t)s->params.count, sizeof *names);
    for (int k = 0; k < s->params.count; k++)
        names[k] = cli_column_name(s, CLI_PARAM, s->params.index[k]);
    return names;
}

static void name_tangents(const cli_session *s, cli_time_series *series)
{
    int    count = 0;
    char **state = cli_state_names(s, &count), **params = param_names(s);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < s->params.count; k++)
            cli_time_series_column(series, cli_format("d(%s)/d(%s)", state[i], params[k]));
    cli_names_free(state, count);
    cli_names_free(params, s->params.count);
}

/* Parameters at once: a number the library is sure to take. */
enum { BLOCK = 8 };

typedef struct block {
    cli_tangent_function row;
    void                *context;
    int                  first, index;
} block;

static int block_row(void *context, const saltus_tangent_row *row)
{
    block *b = context;
    return b->row(b->context, row, b->first, b->index++);
}

int cli_tangents_walk(cli_session *s, const double *times, int count, cli_tangent_function row,
                      void *context)
{
    for (int first = 0; first < s->params.count && !s->error.status; first += BLOCK) {
        const int left = s->params.count - first;
        block     b = {.row = row, .context = context, .first = first};
        saltus_run_tangents(s->run, s->params.index + first, left < BLOCK ? left : BLOCK, times,
                            count, block_row, &b, &s->error);
    }
    return s->error.status == SALTUS_OK;
}

/* Each quantity has a column per parameter; those of the block are filled in. */
static double *put(double *out, const double *values, int count, int params, int first, int np)
{
    for (int i = 0; i < count; i++, out += np)
        for (int k = 0; k < params; k++) out[first + k] = values[i * params + k];
    return out;
}

static int tangent_row(void *context, const saltus_tangent_row *row, int first, int index)
{
    const reader      *r = context;
    const cli_session *s = r->session;
    const int          n = s->size.coordinates, params = row->params, np = s->params.count;
    if (first == 0) cli_time_series_row(r->series, row->at.t, row->at.mode);
    if (index >= r->series->rows) return 1;
    double *out = cli_time_series_at(r->series, index);
    out = put(out, row->dq, n, params, first, np);
    out = put(out, row->dv, n, params, first, np);
    out = put(out, row->dc, s->size.memories, params, first, np);
    put(out, row->dz, s->size.costs, params, first, np);
    return 0;
}

int cli_tangents_read(cli_session *s, cli_time_series *series)
{
    reader            r = {.session = s, .series = series};
    int               count = 0;
    CLI_OWNED double *times = cli_time_series_times(s, &count);
    name_tangents(s, series);
    if (times) cli_tangents_walk(s, times, count, tangent_row, &r);
    return s->error.status == SALTUS_OK;
}

/* ---- adjoints ------------------------------------------------------------------------------- */

static int adjoint_columns(const cli_session *s, int hidden)
{
    return 3 * s->size.coordinates + s->size.memories + hidden + s->params.count +
           s->size.constraints;
}

static void name_adjoints(const cli_session *s, cli_time_series *series, const char *cost,
                          int hidden)
{
    const int n = s->size.coordinates;
    int       count = 0;
    char    **state = cli_state_names(s, &count), **params = param_names(s);
    for (int i = 0; i < 2 * n + s->size.memories; i++)
        cli_time_series_column(series, cli_format("d(%s)/d(%s)", cost, state[i]));
    for (int i = 0; i < hidden; i++)
        cli_time_series_column(series, cli_format("d(%s)/d(hidden %d)", cost, i));
    for (int i = 0; i < s->params.count; i++)
        cli_time_series_column(series, cli_format("d(%s)/d(%s)", cost, params[i]));
    for (int i = 0; i < n; i++)
        cli_time_series_column(series, cli_format("y(%s; %s)", cost, state[i]));
    for (int i = 0; i < s->size.constraints; i++)
        cli_time_series_column(series, cli_format("y(%s; multiplier(%s))", cost,
                                                  saltus_system_constraint(s->system, i).name));
    cli_names_free(state, count);
    cli_names_free(params, s->params.count);
}

static double *copy(double *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) *out++ = values[i];
    return out;
}

/* The rows of all costs come at the same instants: the first cost makes them, the others fill in
 * their columns. */
static int adjoint_row(void *context, const saltus_adjoint_row *row)
{
    reader            *r = context;
    const cli_session *s = r->session;
    if (r->cost == 0) cli_time_series_row(r->series, row->at.t, row->at.mode);
    else if (r->row >= r->series->rows) return 1;
    double *out = cli_time_series_at(r->series, r->row++) + r->cost * adjoint_columns(s, r->hidden);
    out = copy(out, row->lambda_q, s->size.coordinates);
    out = copy(out, row->lambda_v, s->size.coordinates);
    out = copy(out, row->lambda_c, s->size.memories + r->hidden);
    for (int i = 0; i < s->params.count; i++) *out++ = row->lambda_p[s->params.index[i]];
    out = copy(out, row->y, s->size.coordinates);
    copy(out, row->y_mu, s->size.constraints);
    return 0;
}

int cli_adjoints_read(cli_session *s, cli_time_series *series, int hidden)
{
    int               count = 0;
    CLI_OWNED double *times = cli_time_series_times(s, &count);
    for (int i = 0; i < s->size.costs; i++) {
        CLI_OWNED char *cost = cli_column_name(s, CLI_COST, i);
        name_adjoints(s, series, cost, hidden);
    }
    for (int i = 0; i < s->size.costs && times; i++) {
        reader r = {.session = s, .series = series, .cost = i, .hidden = hidden};
        saltus_run_adjoints(s->run, i, times, count, adjoint_row, &r, &s->error);
    }
    cli_time_series_reverse(series); /* they were computed from the end to the start */
    return s->error.status == SALTUS_OK;
}
