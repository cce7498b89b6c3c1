/* Checks whether states fulfil the constraints. A violation is a mistake in the model: it ends the
 * run, and is not projected away. */
#include "run/instant.h"

#include <math.h>

#include "run/outcome.h"

/* The largest of |x|, at least 1. */
static double size_of(const double *x, int count)
{
    double size = 1.0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* Finds an active constraint whose value (or rate, by `map`) at the state in the field is larger
 * than allowed, and writes that value. Returns -1 if there is none. */
static int find_violated(saltus_run *run, const sal_map *map, const sal_field *field,
                         const sal_regime *regime, double allowed, double *value)
{
    const int count = run->system->nmu;
    double   *values = SCRATCH_NEW(&run->scratch, count, double);
    int       found = -1;
    sal_map_value(map, field->u, values, field->work);
    for (int j = 0; j < count && found < 0; j++) {
        if (!regime->on[j] || fabs(values[j]) <= allowed) continue;
        found = j;
        *value = values[j];
    }
    sal_scratch_release(&run->scratch, values);
    return found;
}

static const char *name_of(const saltus_run *run, int constraint)
{
    return run->system->model->constraints.data[constraint].label.name;
}

static void put_state(const saltus_run *run, sal_field *field, const double *x, const double *c)
{
    sal_field_put(field, run->cursor.t, x);
    sal_copy(sal_u(field, SAL_LEAF_C), c, run->system->nm);
}

static bool positions_hold(saltus_run *run, const sal_compiled_event *event, const sal_regime *to)
{
    const double size = size_of(run->after.x, run->system->n);
    const double allowed =
        1e-6 * size * size + 1e3 * (run->options.rtol * size + run->options.atol);
    double    value;
    const int j = find_violated(run, &run->system->phi, &run->jump.after, to, allowed, &value);
    if (j < 0) return true;
    sal_run_finish_at(run, event, SALTUS_VIOLATED,
                      " brings the constraint '%s', which does not hold there (it is off by %.3g); "
                      "let the event happen where it does",
                      name_of(run, j), value);
    return false;
}

/* Whether the velocities x + n fulfil the constraints, at the state in the field. They may not if a
 * constraint has a corner, where the model does not say how the velocity on the other side arises,
 * or if the event sets velocities after its law (late). event: NULL at the start. */
static bool velocities_hold(saltus_run *run, const sal_compiled_event *event,
                            const sal_field *field, const sal_regime *regime, const double *x)
{
    const int    n = run->system->n;
    const bool   late = event && event->reset.late.count > 0;
    const double size = size_of(x, n), speed = size_of(x + n, n);
    const double allowed =
        1e-6 * size * speed + 1e3 * (run->options.rtol * speed + run->options.atol);
    double value;
    if (!run->system->kinks && !late) return true;
    const int j = find_violated(run, &run->system->phi_dot, field, regime, allowed, &value);
    if (j < 0) return true;
    if (late)
        sal_run_finish_at(run, event, SALTUS_VIOLATED,
                          ": what it sets to after(...) does not fulfil the constraint '%s' (its "
                          "rate is %.3g); set velocities from the state before, so that the others "
                          "follow",
                          name_of(run, j), value);
    else
        sal_run_finish(run, SALTUS_VIOLATED,
                       "%s%s%s at t = %.10g: the constraint '%s' has a corner there, after which "
                       "the velocities do not fulfil it (its rate is %.3g); give each side a "
                       "mode of its own, with an event between them, or smooth the constraint",
                       event ? "event '" : "", event ? event->name : "the start", event ? "'" : "",
                       run->cursor.t, name_of(run, j), value);
    return false;
}

static bool is_checked(const saltus_run *run, const sal_regime *regime)
{
    return regime->constrained && run->options.formulation != SALTUS_PENALTY;
}

bool sal_violation_check_start(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    sal_field        *field = &run->locator.field;
    if (!is_checked(run, cursor->regime)) return true;
    put_state(run, field, cursor->x, cursor->c);
    return velocities_hold(run, NULL, field, cursor->regime, cursor->x);
}

bool sal_violation_check_event(saltus_run *run, const sal_compiled_event *event,
                               const sal_regime *to)
{
    sal_field *field = &run->jump.after;
    if (!is_checked(run, to)) return true;
    put_state(run, field, run->after.x, run->after.c);
    return positions_hold(run, event, to) && velocities_hold(run, event, field, to, run->after.x);
}

const double *sal_violation_of_positions(saltus_run *run, double *phi)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->locator.field;
    *sal_u(field, SAL_LEAF_T) = run->cursor.t;
    sal_copy(sal_u(field, SAL_LEAF_Q), run->cursor.x, system->n);
    const double *entries = sal_field_matrix(field);
    sal_map_value(&system->phi, field->u, phi, field->work);
    return entries;
}

void sal_violation_check_left_out(saltus_run *run)
{
    const saltus_system *system = run->system;
    const sal_field     *field = &run->locator.field;
    const unsigned char *skip = run->motion.field.skip;
    double               size = 0.0;
    if (!skip || field->soft) return;
    for (int i = 0; i < system->n; i++) size = fmax(size, fabs(run->cursor.x[i]));
    /* the error that positions may have */
    const double  allowed = (1e-6 + 1e3 * run->options.rtol) * size + 1e3 * run->options.atol;
    double       *phi = SCRATCH_NEW(&run->scratch, system->nmu, double);
    const double *entries = sal_violation_of_positions(run, phi);
    for (int j = 0; j < system->nmu; j++) {
        if (!skip[j] || fabs(phi[j]) <= allowed * sal_field_slope(field, entries, j)) continue;
        sal_run_finish(
            run, SALTUS_VIOLATED,
            "constraint '%s', left out because it followed from the others when the mode was "
            "entered, is off by %.3g at t = %.10g: it no longer follows from them; "
            "remove another one from the script, or use --formulation penalty",
            name_of(run, j), phi[j], run->cursor.t);
        break;
    }
    sal_scratch_release(&run->scratch, phi);
}
