/* Sensitivities over time. */
#include "sensitivities.h"

#include <stdlib.h>

#include "columns.h"
#include "text.h"

typedef struct reader {
    const cli_session *session;
    cli_time_series   *sheet;
    int                row;  /* the next one */
    int                cost; /* of an adjoint: its place among those asked for */
} reader;

/* ---- tangents ------------------------------------------------------------------------------- */

static char *rate_name(const cli_session *s, int coordinate)
{
    return cli_format("dot(%s)", saltus_system_coordinate(s->system, coordinate).name);
}

static char **param_names(const cli_session *s)
{
    char **names = cli_alloc((size_t)s->params.count, sizeof *names);
    for (int k = 0; k < s->params.count; k++)
        names[k] = cli_column_name(s, CLI_PARAM, s->params.index[k]);
    return names;
}

static void free_names(char **names, int count)
{
    for (int k = 0; k < count; k++) free(names[k]);
    free(names);
}

/* Takes over the name. */
static void name_by_params(cli_time_series *sheet, char *name, char *const *params, int count)
{
    for (int k = 0; k < count; k++)
        cli_time_series_column(sheet, cli_format("d(%s)/d(%s)", name, params[k]));
    free(name);
}

static void name_tangents(const cli_session *s, cli_time_series *sheet)
{
    const int n = s->size.coordinates, np = s->params.count;
    char    **params = param_names(s);
    for (int i = 0; i < n; i++)
        name_by_params(sheet, cli_column_name(s, CLI_COORDINATE, i), params, np);
    for (int i = 0; i < n; i++) name_by_params(sheet, rate_name(s, i), params, np);
    for (int i = 0; i < s->size.memories; i++)
        name_by_params(sheet, cli_column_name(s, CLI_MEMORY, i), params, np);
    for (int i = 0; i < s->size.costs; i++)
        name_by_params(sheet, cli_column_name(s, CLI_COST, i), params, np);
    free_names(params, np);
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
    if (first == 0) cli_time_series_row(r->sheet, row->at.t, row->at.mode);
    if (index >= r->sheet->rows) return 1;
    double *out = cli_time_series_at(r->sheet, index);
    out = put(out, row->dq, n, params, first, np);
    out = put(out, row->dv, n, params, first, np);
    out = put(out, row->dc, s->size.memories, params, first, np);
    put(out, row->dz, s->size.costs, params, first, np);
    return 0;
}

int cli_tangents_read(cli_session *s, cli_time_series *sheet)
{
    reader  r = {.session = s, .sheet = sheet};
    int     count = 0;
    double *times = cli_time_series_times(s, &count);
    name_tangents(s, sheet);
    if (times) cli_tangents_walk(s, times, count, tangent_row, &r);
    free(times);
    return s->error.status == SALTUS_OK;
}

/* ---- adjoints ------------------------------------------------------------------------------- */

static int adjoint_columns(const cli_session *s)
{
    return 3 * s->size.coordinates + s->size.memories + s->params.count + s->size.constraints;
}

/* d(cost)/d(name) or y(cost; name). Takes over the name. */
static void name_adjoint(cli_time_series *sheet, char letter, const char *cost, char *name)
{
    cli_time_series_column(sheet, letter == 'd' ? cli_format("d(%s)/d(%s)", cost, name)
                                                : cli_format("y(%s; %s)", cost, name));
    free(name);
}

static void name_adjoints(const cli_session *s, cli_time_series *sheet, int place)
{
    const int n = s->size.coordinates;
    char     *cost = cli_column_name(s, CLI_COST, place);
    for (int i = 0; i < n; i++)
        name_adjoint(sheet, 'd', cost, cli_column_name(s, CLI_COORDINATE, i));
    for (int i = 0; i < n; i++) name_adjoint(sheet, 'd', cost, rate_name(s, i));
    for (int i = 0; i < s->size.memories; i++)
        name_adjoint(sheet, 'd', cost, cli_column_name(s, CLI_MEMORY, i));
    for (int i = 0; i < s->params.count; i++)
        name_adjoint(sheet, 'd', cost, cli_column_name(s, CLI_PARAM, s->params.index[i]));
    for (int i = 0; i < n; i++)
        name_adjoint(sheet, 'y', cost, cli_column_name(s, CLI_COORDINATE, i));
    for (int i = 0; i < s->size.constraints; i++)
        name_adjoint(sheet, 'y', cost,
                     cli_format("multiplier(%s)", saltus_system_constraint(s->system, i).name));
    free(cost);
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
    if (r->cost == 0) cli_time_series_row(r->sheet, row->at.t, row->at.mode);
    else if (r->row >= r->sheet->rows) return 1;
    double *out = cli_time_series_at(r->sheet, r->row++) + r->cost * adjoint_columns(s);
    out = copy(out, row->lambda_q, s->size.coordinates);
    out = copy(out, row->lambda_v, s->size.coordinates);
    out = copy(out, row->lambda_c, s->size.memories);
    for (int i = 0; i < s->params.count; i++) *out++ = row->lambda_p[s->params.index[i]];
    out = copy(out, row->y, s->size.coordinates);
    copy(out, row->y_mu, s->size.constraints);
    return 0;
}

int cli_adjoints_read(cli_session *s, cli_time_series *sheet)
{
    int     count = 0;
    double *times = cli_time_series_times(s, &count);
    for (int i = 0; i < s->size.costs; i++) name_adjoints(s, sheet, i);
    for (int i = 0; i < s->size.costs && times; i++) {
        reader r = {.session = s, .sheet = sheet, .cost = i};
        saltus_run_adjoints(s->run, i, times, count, adjoint_row, &r, &s->error);
    }
    cli_time_series_reverse(sheet); /* they were computed from the end to the start */
    free(times);
    return s->error.status == SALTUS_OK;
}
