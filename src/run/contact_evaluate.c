/* Finds the modes and events of a contact, and decides which contacts touch at a state. */
#include "run/contact_problem.h"

#include <math.h>

#include "run/guards.h"
#include "run/outcome.h"

/* ---- contacts and their events --------------------------------------------------------------- */

const sal_contact *sal_contact_at(const saltus_run *run, int i)
{
    return &run->system->model->found_contacts.data[i];
}

int sal_contact_mode_in(const sal_contact *contact, const sal_regime *regime)
{
    for (int i = 0; i < SAL_CONTACT_MODES; i++)
        if (regime->active[contact->group] == contact->mode[i]) return i;
    return SAL_OPEN;
}

sal_contact_mode sal_contact_set_mode(const sal_contact *contact, int mode)
{
    static const sal_contact_mode names[] = {SAL_CONTACT_OPEN, SAL_CONTACT_STICK,
                                             SAL_CONTACT_SLIDE_PLUS, SAL_CONTACT_SLIDE_MINUS};
    return mode == SAL_HELD && contact->friction < 0 ? SAL_CONTACT_CLOSED : names[mode];
}

int sal_contact_mode_of_set(sal_contact_mode mode)
{
    switch (mode) {
    case SAL_CONTACT_SLIDE_PLUS: return SAL_SLIDES_PLUS;
    case SAL_CONTACT_SLIDE_MINUS: return SAL_SLIDES_MINUS;
    case SAL_CONTACT_STICK:
    case SAL_CONTACT_CLOSED: return SAL_HELD;
    default: return SAL_OPEN;
    }
}

const sal_event *sal_contact_event(const saltus_run *run, int event)
{
    const sal_event *of = event < 0 ? NULL : sal_event_source(run->system, event);
    return of && of->found ? of : NULL;
}

bool sal_contact_is_of(const sal_event *event, int contact)
{
    return event && event->found == contact + 1;
}

int sal_contact_event_with(const saltus_run *run, int contact, sal_contact_role role,
                           const sal_regime *regime)
{
    for (int e = 0; e < run->system->events; e++) {
        const sal_event *event = sal_contact_event(run, e);
        if (sal_contact_is_of(event, contact) && event->role == role &&
            (!regime || regime->possible[e]))
            return e;
    }
    return -1;
}

int sal_contact_touch_event(const saltus_run *run, int contact)
{
    return sal_contact_event_with(run, contact, SAL_TOUCHES, NULL);
}

const sal_event *sal_contact_event_of(const saltus_run *run, int i, int event)
{
    const sal_event *fired = sal_contact_event(run, event);
    const int       *join = run->motion.field.join;
    if (!fired || sal_contact_is_of(fired, i)) return fired;
    for (int e = event; join && e >= 0; e = join[e])
        if (sal_contact_is_of(sal_contact_event(run, e), i)) return sal_contact_event(run, e);
    for (int k = 0; k < run->cursor.regime->events; k++) {
        const int e = run->cursor.regime->event[k];
        if (run->instant.pending[e] && sal_contact_is_of(sal_contact_event(run, e), i))
            return sal_contact_event(run, e);
    }
    return fired;
}

/* ---- at a state ------------------------------------------------------------------------------ */

bool sal_contact_exists(const saltus_run *run, int i, const sal_regime *to)
{
    return sal_modes_active(run->system->model, &sal_contact_at(run, i)->modes, to->active);
}

/* Whether there is something to touch: the conditions of the script, except those on speeds, hold
 * at the state in the field. */
static bool has_conditions(saltus_run *run, int i)
{
    const sal_compiled_event *event = &run->system->event[sal_contact_touch_event(run, i)];
    bool                      hold = true;
    if (event->wheres <= event->speeds) return true;
    double *value = SCRATCH_NEW(&run->scratch, event->wheres, double);
    sal_map_value(&event->where, run->contacts.field.u, value, run->contacts.field.work);
    for (int k = event->speeds; k < event->wheres; k++) hold = hold && value[k] > 0.0;
    sal_scratch_release(&run->scratch, value);
    return hold;
}

/* The gap of contact i, without the drift that it had when it was released. */
static double gap_of(const saltus_run *run, int i)
{
    const sal_guard_state *watch = &run->cursor.watch[sal_contact_touch_event(run, i)];
    return run->contacts.phi[sal_contact_at(run, i)->normal] - watch->offset;
}

bool sal_contact_is_at_zero(saltus_run *run, int i, double t, const double *x)
{
    const int e = sal_contact_touch_event(run, i);
    return fabs(gap_of(run, i)) <= sal_locator_rounding(&run->locator, e, t, x);
}

bool sal_contact_is_touching(saltus_run *run, int i, double t, const double *x)
{
    const sal_guard_state *watch = &run->cursor.watch[sal_contact_touch_event(run, i)];
    return (fabs(gap_of(run, i)) <= watch->band || sal_contact_is_at_zero(run, i, t, x)) &&
           has_conditions(run, i);
}

bool sal_contact_was_held(const saltus_run *run, int i, const sal_regime *to)
{
    const sal_contact *contact = sal_contact_at(run, i);
    return contact->normal >= 0 && sal_contact_mode_in(contact, to) == SAL_OPEN &&
           run->cursor.watch[sal_contact_touch_event(run, i)].band > 0.0;
}

bool sal_contact_slip_is_unseen(const saltus_run *run, int i, double slip)
{
    for (int e = 0; e < run->system->events; e++) {
        const sal_event       *event = sal_contact_event(run, e);
        const sal_guard_state *watch = &run->cursor.watch[e];
        if (sal_contact_is_of(event, i) && event->role == SAL_STOPS &&
            run->cursor.regime->possible[e] && fabs(slip - watch->offset) <= watch->band)
            return true;
    }
    return false;
}

/* Warns once if friction is negative, so that it drives what it should brake. */
static void warn_of_negative(saltus_run *run)
{
    const sal_contacts *c = &run->contacts;
    for (int i = 0; i < c->count && !run->outcome.negative_warned; i++) {
        const sal_contact *contact = sal_contact_at(run, i);
        const double      *number = c->numbers + i * SAL_CONTACT_NUMBERS;
        const double       least = fmin(number[SAL_MU_STATIC], number[SAL_MU_KINETIC]);
        if (contact->holds || !(least < 0.0)) continue;
        run->outcome.negative_warned = true;
        sal_run_warn(
            run, "%s '%s' (line %d) has the %s %g at t = %g: it drives what it should brake",
            contact->normal < 0 ? "friction" : "contact", contact->label.name,
            contact->label.place.line, contact->normal < 0 ? "limit" : "coefficient of friction",
            least, run->cursor.t);
    }
}

void sal_contacts_evaluate(saltus_run *run)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    sal_map_value(&system->phi, c->field.u, c->phi, c->field.work);
    sal_map_value(&system->phi_dot, c->field.u, c->phi_dot, c->field.work);
    sal_zero(c->numbers, c->count * SAL_CONTACT_NUMBERS);
    sal_kernel_eval(&system->contact_numbers, c->field.u, NULL, 1, c->numbers, c->field.work);
    c->touching = c->rows = 0;
    warn_of_negative(run);
}

bool sal_contact_sets_motion(const saltus_run *run, int event)
{
    const sal_assigned *set = &run->system->event[event].reset.before;
    for (int i = 0; i < set->count; i++)
        if (set->output[i] < 2 * run->system->n) return true;
    return false;
}
