/* Sensitivities over time. */
#include "sensitivities.h"

#include <stdlib.h>

#include "text.h"

typedef struct reader {
    const cli_session *session;
    cli_sheet         *sheet;
    int                row;  /* the next one */
    int                cost; /* of an adjoint: its place among those asked for */
} reader;

/* ---- tangents -------------------------------------------------------------------------------- */

static void name_by_params(const cli_session *s, cli_sheet *sheet, const char *name, int dotted)
{
    for (int k = 0; k < s->params.count; k++)
        cli_sheet_column(sheet, dotted ? cli_format("d(dot(%s))/d(%s)", name, cli_param_name(s, k))
                                       : cli_format("d(%s)/d(%s)", name, cli_param_name(s, k)));
}

static void name_tangents(const cli_session *s, cli_sheet *sheet)
{
    for (int dotted = 0; dotted < 2; dotted++)
        for (int i = 0; i < s->size.coordinates; i++)
            name_by_params(s, sheet, saltus_system_coordinate(s->system, i).name, dotted);
    for (int i = 0; i < s->size.memories; i++)
        name_by_params(s, sheet, saltus_system_memory(s->system, i).name, 0);
    for (int i = 0; i < s->costs.count; i++) name_by_params(s, sheet, cli_cost_name(s, i), 0);
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
    if (first == 0) cli_sheet_row(r->sheet, row->at.t, row->at.mode);
    if (index >= r->sheet->rows) return 1;
    double *out = cli_sheet_at(r->sheet, index);
    out = put(out, row->dq, n, params, first, np);
    out = put(out, row->dv, n, params, first, np);
    out = put(out, row->dc, s->size.memories, params, first, np);
    for (int i = 0; i < s->costs.count; i++)
        out = put(out, row->dz + s->costs.index[i] * params, 1, params, first, np);
    return 0;
}

int cli_tangents_read(cli_session *s, cli_sheet *sheet)
{
    reader  r = {.session = s, .sheet = sheet};
    int     count = 0;
    double *times = cli_sheet_times(s, &count);
    name_tangents(s, sheet);
    if (times) cli_tangents_walk(s, times, count, tangent_row, &r);
    free(times);
    return s->error.status == SALTUS_OK;
}

/* ---- adjoints -------------------------------------------------------------------------------- */

static const char *coordinate(const cli_session *s, int index)
{
    return saltus_system_coordinate(s->system, index).name;
}

static int adjoint_columns(const cli_session *s)
{
    return 3 * s->size.coordinates + s->size.memories + s->params.count;
}

static void name_adjoints(const cli_session *s, cli_sheet *sheet, const char *cost)
{
    const int n = s->size.coordinates;
    for (int i = 0; i < n; i++)
        cli_sheet_column(sheet, cli_format("d(%s)/d(%s)", cost, coordinate(s, i)));
    for (int i = 0; i < n; i++)
        cli_sheet_column(sheet, cli_format("d(%s)/d(dot(%s))", cost, coordinate(s, i)));
    for (int i = 0; i < s->size.memories; i++)
        cli_sheet_column(sheet,
                         cli_format("d(%s)/d(%s)", cost, saltus_system_memory(s->system, i).name));
    for (int i = 0; i < s->params.count; i++)
        cli_sheet_column(sheet, cli_format("d(%s)/d(%s)", cost, cli_param_name(s, i)));
    for (int i = 0; i < n; i++)
        cli_sheet_column(sheet, cli_format("y(%s; %s)", cost, coordinate(s, i)));
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
    if (r->cost == 0) cli_sheet_row(r->sheet, row->at.t, row->at.mode);
    else if (r->row >= r->sheet->rows) return 1;
    double *out = cli_sheet_at(r->sheet, r->row++) + r->cost * adjoint_columns(s);
    out = copy(out, row->lambda_q, s->size.coordinates);
    out = copy(out, row->lambda_v, s->size.coordinates);
    out = copy(out, row->lambda_c, s->size.memories);
    for (int i = 0; i < s->params.count; i++) *out++ = row->lambda_p[s->params.index[i]];
    copy(out, row->y, s->size.coordinates);
    return 0;
}

int cli_adjoints_read(cli_session *s, cli_sheet *sheet)
{
    int     count = 0;
    double *times = cli_sheet_times(s, &count);
    for (int i = 0; i < s->costs.count; i++) name_adjoints(s, sheet, cli_cost_name(s, i));
    for (int i = 0; i < s->costs.count && times; i++) {
        reader r = {.session = s, .sheet = sheet, .cost = i};
        saltus_run_adjoints(s->run, s->costs.index[i], times, count, adjoint_row, &r, &s->error);
    }
    cli_sheet_reverse(sheet); /* they were computed from the end to the start */
    free(times);
    return s->error.status == SALTUS_OK;
}
