/* One instant of a run as a row: see rows.h. */
#include "gradient/output_rows.h"

#include <math.h>
#include <string.h>

/* Sets accelerations and multipliers to NaN, since they could not be computed: the old values
 * belong to another instant. Outputs that contain them become NaN, too. */
static void put_nothing(sal_field *field)
{
    for (int i = 0; i < field->system->n; i++) sal_u(field, SAL_LEAF_A)[i] = NAN;
    for (int j = 0; j < field->system->nmu; j++) sal_u(field, SAL_LEAF_MU)[j] = NAN;
}

saltus_status sal_run_idle(const saltus_run *run, saltus_error *err)
{
    if (err && err->status) return err->status;
    if (!run) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no run");
    if (run->lent > 0)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "the run is in use by the call that called this function; use another run");
    return SALTUS_OK;
}

saltus_status sal_run_ready(const saltus_run *run, saltus_error *err)
{
    TRY(sal_run_idle(run, err));
    if (!run->outcome.simulated)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "the run has no results: it was not simulated, or that failed");
    return SALTUS_OK;
}

saltus_status sal_row_fill(saltus_run *run, const sal_regime *regime, double t, const double *x,
                           const double *c, const double *z, saltus_row *row, saltus_error *err)
{
    const saltus_system *system = run->system;
    const int            n = system->n;
    sal_field           *field = &run->locator.field; /* walks use the field of the motion */
    double              *q = run->row, *v = q + n, *a = v + n, *mu = a + n, *cc = mu + system->nmu;
    double              *zz = cc + system->nm;
    double              *output = zz + system->nc, *energies = output + system->no;
    double              *residual = energies + 2, *rate = residual + system->nmu;
    TRY(sal_field_enter(field, regime, err));
    memcpy(q, x, 2 * (size_t)n * sizeof *q);
    memcpy(cc, c, (size_t)system->nm * sizeof *q);
    memcpy(zz, z, (size_t)system->nc * sizeof *q);
    memcpy(sal_u(field, SAL_LEAF_C), cc, (size_t)system->nm * sizeof *q);
    double *k = SCRATCH_NEW(&run->scratch, 2 * n, double);
    if (sal_field_eval(field, t, q, k, NULL) != SAL_FIELD_OK) put_nothing(field);
    sal_scratch_release(&run->scratch, k);
    memcpy(a, sal_u(field, SAL_LEAF_A), (size_t)n * sizeof *q);
    memcpy(mu, sal_u(field, SAL_LEAF_MU), (size_t)system->nmu * sizeof *q);
    memset(output, 0, ((size_t)system->no + 2) * sizeof *q);
    sal_kernel_eval(&system->outputs, field->u, NULL, 1, output, field->work);
    sal_kernel_eval(&regime->energy, field->u, NULL, 1, energies, field->work);
    sal_map_value(&system->phi, field->u, residual, field->work);
    sal_map_value(&system->phi_dot, field->u, rate, field->work);
    for (int j = 0; j < system->nmu; j++)
        if (!regime->on[j]) residual[j] = rate[j] = 0.0;
    *row = (saltus_row){.t = t,
                        .mode = regime->name,
                        .q = q,
                        .v = v,
                        .a = a,
                        .mu = mu,
                        .residual = residual,
                        .residual_rate = rate,
                        .c = cc,
                        .z = zz,
                        .output = output,
                        .kinetic = energies[0],
                        .potential = energies[1],
                        .event = -1};
    return SALTUS_OK;
}

saltus_status sal_row_event(saltus_run *run, int occurrence, bool after, saltus_row *row,
                            saltus_error *err)
{
    const sal_occurrence *o = &run->history.occurrences.data[occurrence];
    const sal_sides       s = sal_run_sides(run, occurrence);
    TRY(after ? sal_row_fill(run, o->to, o->t, s.x_plus, s.c_plus, s.z_plus, row, err)
              : sal_row_fill(run, o->from, o->t, s.x_minus, s.c_minus, s.z_minus, row, err));
    row->event = o->shown;
    row->after = after && o->shown >= 0;
    return SALTUS_OK;
}

saltus_status sal_row_between(saltus_run *run, const sal_frame *frame, double t, saltus_row *row,
                              saltus_error *err)
{
    double *x = SCRATCH_NEW(&run->scratch, 2 * run->system->n, double);
    double *z = SCRATCH_NEW(&run->scratch, run->system->nc, double);
    sal_step_at(&run->motion.step, sal_frame_place(frame, t), x, z);
    for (int i = 0; i < run->system->nc; i++) z[i] += frame->z[i];
    const saltus_status status = sal_row_fill(run, frame->regime, t, x, frame->c, z, row, err);
    sal_scratch_release(&run->scratch, x);
    return status;
}

saltus_status sal_rows_check_times(const double *times, int count, saltus_error *err)
{
    if (count < 0 || (count > 0 && !times))
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a list of %d output times is not there", count);
    for (int i = 0; i < count; i++)
        if (!isfinite(times[i]) || (i > 0 && times[i] < times[i - 1]))
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "output times must be finite and ascend; number %d is %g", i, times[i]);
    return SALTUS_OK;
}
