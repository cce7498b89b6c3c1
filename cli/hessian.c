/* Second derivatives of the costs and parameters asked for: see hessian.h. */
#include "hessian.h"

#include <math.h>
#include <stdlib.h>

#include "gradients.h"
#include "json_result.h"

static double *entry(const cli_session *s, const cli_hessian *h, int cost, int row, int column)
{
    const size_t np = (size_t)s->params.count;
    return h->value + ((size_t)cost * np + (size_t)row) * np + (size_t)column;
}

/* Each row is a difference of gradients; what should be symmetric shows how exact they are. */
static void make_symmetric(const cli_session *s, cli_hessian *h)
{
    for (int k = 0; k < s->size.costs; k++)
        for (int i = 0; i < s->params.count; i++)
            for (int j = 0; j < i; j++) {
                double *a = entry(s, h, k, i, j), *b = entry(s, h, k, j, i);
                h->asymmetry[k] = fmax(h->asymmetry[k], fabs(*a - *b));
                *a = *b = 0.5 * (*a + *b);
            }
}

cli_hessian cli_hessian_find(cli_session *s)
{
    const size_t         np = (size_t)s->params.count, nc = (size_t)s->size.costs;
    const saltus_request request = cli_gradients_request(s, SALTUS_DISCRETE);
    cli_hessian          h = {cli_alloc(nc * np * np + 1, sizeof(double)),
                              cli_alloc(nc + 1, sizeof(double))};
    CLI_OWNED double    *direction = cli_alloc((size_t)s->size.params + 1, sizeof *direction);
    CLI_OWNED double    *rows = cli_alloc(nc * np + 1, sizeof *rows);
    cli_session_progress(s, "second derivatives");
    for (int i = 0; i < s->params.count && !s->error.status; i++) {
        direction[s->params.index[i]] = 1.0;
        saltus_run_hessian_product(s->run, &request, direction, rows, &s->error);
        direction[s->params.index[i]] = 0.0;
        for (int k = 0; k < s->size.costs; k++)
            for (int j = 0; j < s->params.count; j++)
                *entry(s, &h, k, i, j) = rows[(size_t)k * np + (size_t)j];
    }
    if (s->error.status) cli_hessian_free(&h);
    else make_symmetric(s, &h);
    return h;
}

void cli_hessian_free(cli_hessian *h)
{
    free(h->value);
    free(h->asymmetry);
    *h = (cli_hessian){0};
}

json_t *cli_hessian_json(const cli_session *s, const cli_hessian *h)
{
    json_t *all = json_object();
    for (int k = 0; k < s->size.costs; k++) {
        json_t *matrix = json_object();
        for (int i = 0; i < s->params.count; i++) {
            json_t *row = json_object();
            for (int j = 0; j < s->params.count; j++)
                cli_json_set(row, cli_param_name(s, j), cli_json_number(*entry(s, h, k, i, j)));
            cli_json_set(matrix, cli_param_name(s, i), row);
        }
        cli_json_set(all, cli_cost_name(s, k),
                     cli_json_object("matrix:j asymmetry:n", matrix, h->asymmetry[k]));
    }
    return all;
}

void cli_hessian_print(const cli_session *s, const cli_hessian *h)
{
    for (int k = 0; k < s->size.costs && s->params.count > 0; k++) {
        CLI_OWNED char *title =
            cli_format("second derivatives of %s (rows and columns agree to %.1e)",
                       cli_cost_name(s, k), h->asymmetry[k]);
        cli_table *table = cli_table_of(title, 1, "by");
        for (int j = 0; j < s->params.count; j++) cli_table_column(table, cli_param_name(s, j), 1);
        for (int i = 0; i < s->params.count; i++) {
            cli_table_cell(table, cli_param_name(s, i));
            for (int j = 0; j < s->params.count; j++)
                cli_table_number(table, *entry(s, h, k, i, j));
        }
        cli_session_table(s, table);
    }
}
