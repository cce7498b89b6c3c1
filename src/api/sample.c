/* The motion of a run as a table. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "gradient/output_rows.h"
#include "saltus/saltus.h"

int saltus_system_columns(const saltus_system *system)
{
    if (!system) return 0;
    const saltus_size size = saltus_system_size(system);
    return 3 * size.coordinates + size.constraints + size.memories + size.costs + size.outputs;
}

/* The table while it is filled in. */
typedef struct table {
    saltus_size   size;
    const double *times;
    double       *values;
    int           count, columns;
    int           next; /* the first time that is not before the last row */
} table;

static double *put(double *to, const double *from, int count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

static void put_row(const table *t, const saltus_row *row, double *to)
{
    const saltus_size *size = &t->size;
    to = put(to, row->q, size->coordinates);
    to = put(to, row->v, size->coordinates);
    to = put(to, row->a, size->coordinates);
    to = put(to, row->mu, size->constraints);
    to = put(to, row->c, size->memories);
    to = put(to, row->z, size->costs);
    put(to, row->output, size->outputs);
}

/* Takes the next row in order of time. Later rows of an instant overwrite earlier ones. */
static int take_row(void *context, const saltus_row *row)
{
    table *t = context;
    while (t->next < t->count && t->times[t->next] < row->t) t->next++;
    for (int i = t->next; i < t->count && t->times[i] == row->t; i++)
        put_row(t, row, t->values + (size_t)i * (size_t)t->columns);
    return 0;
}

static void put_nan(const table *t)
{
    const size_t count = (size_t)t->count * (size_t)t->columns;
    for (size_t i = 0; i < count; i++) t->values[i] = NAN;
}

saltus_status saltus_run_sample(saltus_run *run, const double *times, int count, double *values,
                                saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    if (!run) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no run");
    table t = {.size = saltus_system_size(run->system),
               .times = times,
               .values = values,
               .count = count,
               .columns = saltus_system_columns(run->system)};
    if (values && count > 0) put_nan(&t);
    TRY(sal_run_ready(run, err));
    TRY(sal_rows_check_times(times, count, err));
    if (count > 0 && !values)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no room for %d rows", count);
    const saltus_status status = saltus_run_trajectory(run, times, count, take_row, &t, err);
    if (status != SALTUS_OK) put_nan(&t);
    return status;
}
