/* The jump matrix of an event and its singular values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "text.h"

/* ---- singular values ------------------------------------------------------------------------ */

static double inner(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Rotates two rows in their plane so that they become orthogonal; returns the cosine of their
 * former angle. */
static double orthogonalise(double *x, double *y, int n)
{
    const double xx = inner(x, x, n), yy = inner(y, y, n), xy = inner(x, y, n);
    const double size = sqrt(xx) * sqrt(yy);
    if (!(fabs(xy) > 1e-15 * size) || size == 0.0) return 0.0;
    const double zeta = (yy - xx) / (2.0 * xy);
    const double t = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    const double c = 1.0 / hypot(1.0, t), sn = c * t;
    for (int i = 0; i < n; i++) {
        const double old = x[i];
        x[i] = c * old - sn * y[i];
        y[i] = sn * old + c * y[i];
    }
    return fabs(xy) / size;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* One-sided Jacobi on the rows: plane rotations from the left do not change the singular values,
 * and once all rows are orthogonal their lengths are these values. Small ones come out with full
 * relative accuracy, which the eigenvalues of A Aᵀ would not give. */
static void singular_values_of(double *matrix, int rows, int columns, double *values)
{
    double worst = 1.0;
    for (int sweep = 0; sweep < 60 && worst > 1e-15; sweep++) {
        worst = 0.0;
        for (int i = 0; i < rows; i++)
            for (int k = i + 1; k < rows; k++) {
                const double off = orthogonalise(matrix + (size_t)i * (size_t)columns,
                                                 matrix + (size_t)k * (size_t)columns, columns);
                if (off > worst) worst = off;
            }
    }
    for (int i = 0; i < rows; i++) {
        const double *row = matrix + (size_t)i * (size_t)columns;
        values[i] = sqrt(inner(row, row, columns));
    }
    qsort(values, (size_t)rows, sizeof *values, descending);
}

/* ---- the jump ------------------------------------------------------------------------------- */

/* The state x, then the parameters. */
static char **names_of(const cli_session *s, int columns)
{
    char           **names = cli_alloc((size_t)columns, sizeof *names);
    int              count = 0;
    CLI_OWNED char **state = cli_state_names(s, &count);
    memcpy(names, state, (size_t)count * sizeof *names);
    for (int i = 0; i < s->size.params; i++) names[count + i] = cli_column_name(s, CLI_PARAM, i);
    return names;
}

cli_jump cli_jump_of(cli_session *s, int event)
{
    cli_jump     jump = {0};
    saltus_error err = {0};
    saltus_run_jump_matrix(s->run, event, &jump.rows, &jump.columns, NULL, &err);
    jump.names = names_of(s, jump.columns);
    const size_t      count = (size_t)jump.rows * (size_t)jump.columns;
    CLI_OWNED double *copy = cli_alloc(count, sizeof *copy);
    jump.matrix = cli_alloc(count, sizeof *jump.matrix);
    jump.singular = cli_alloc((size_t)jump.rows, sizeof *jump.singular);
    saltus_run_jump_matrix(s->run, event, &jump.rows, &jump.columns, jump.matrix, &err);
    cli_need_memory(&err);
    memcpy(copy, jump.matrix, count * sizeof *copy);
    singular_values_of(copy, jump.rows, jump.columns, jump.singular);
    if (err.status) {
        free(jump.matrix);
        jump.matrix = NULL;
    }
    return jump;
}

int cli_jumps_are_small(const cli_session *s)
{
    const double rows = 2.0 * s->size.coordinates + s->size.memories + s->size.costs;
    return rows <= 100.0 && s->events * rows * (rows + s->size.params) <= 2e6;
}

void cli_jump_free(cli_jump *jump)
{
    cli_names_free(jump->names, jump->columns);
    free(jump->matrix);
    free(jump->singular);
}

json_t *cli_jump_json(const cli_jump *jump)
{
    if (!jump->matrix) return json_null();
    return cli_json_object("rows:j columns:j values:j singular_values:j",
                           cli_json_texts(jump->names, jump->rows),
                           cli_json_texts(jump->names, jump->columns),
                           cli_json_matrix(jump->matrix, jump->rows, jump->columns),
                           cli_json_numbers(jump->singular, jump->rows));
}

void cli_jump_print(const cli_session *s, const cli_jump *jump, int event)
{
    const saltus_occurrence at = saltus_run_event(s->run, event);
    if (!jump->matrix) {
        cli_print(s->arguments->out, "event %d, %s: no jump matrix\n\n", event + 1, at.name);
        return;
    }
    CLI_OWNED char *title =
        cli_format("jump matrix of event %d, %s, at t = %.10g", event + 1, at.name, at.t);
    cli_table *table = cli_table_of(title, 1, "after \\ before");
    for (int k = 0; k < jump->columns; k++) cli_table_column(table, jump->names[k], 1);
    for (int i = 0; i < jump->rows; i++) {
        cli_table_cell(table, jump->names[i]);
        cli_table_numbers(table, jump->matrix + i * jump->columns, jump->columns);
    }
    cli_session_table(s, table);
    fputs("  singular values", s->arguments->out);
    for (int i = 0; i < jump->rows; i++) fprintf(s->arguments->out, "  %.10g", jump->singular[i]);
    fputs("\n\n", s->arguments->out);
}
