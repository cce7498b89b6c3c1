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

static double *copy(double *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) *out++ = values[i];
    return out;
}

static int tangent_row(void *context, const saltus_tangent_row *row)
{
    const reader      *r = context;
    const cli_session *s = r->session;
    const int          np = row->params;
    double            *out = cli_sheet_row(r->sheet, row->at.t, row->at.mode);
    out = copy(out, row->dq, s->size.coordinates * np);
    out = copy(out, row->dv, s->size.coordinates * np);
    out = copy(out, row->dc, s->size.memories * np);
    for (int i = 0; i < s->costs.count; i++) out = copy(out, row->dz + s->costs.index[i] * np, np);
    return 0;
}

int cli_tangents_read(cli_session *s, cli_sheet *sheet)
{
    reader  r = {.session = s, .sheet = sheet};
    int     count = 0;
    double *times = cli_sheet_times(s, &count);
    name_tangents(s, sheet);
    if (times && s->params.count > 0)
        saltus_run_tangents(s->run, s->params.index, s->params.count, times, count, tangent_row, &r,
                            &s->error);
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

/* The rows of all costs come at the same instants: the first cost makes them, the others fill in
 * their columns. */
static int adjoint_row(void *context, const saltus_adjoint_row *row)
{
    reader            *r = context;
    const cli_session *s = r->session;
    if (r->cost == 0)
        cli_sheet_row(r->sheet, row->at.t, row->at.mode);
    else if (r->row >= r->sheet->rows)
        return 1;
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
