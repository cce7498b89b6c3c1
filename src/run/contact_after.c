/* Finds the modes of the contacts that touch after an event, and at the start, from the
 * accelerations that they allow: which open, stick or slide. See contacts.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/later.h"
#include "run/contact_problem.h"
#include "run/contacts.h"
#include "run/fields.h"
#include "run/guards.h"

/* Rates that should be zero, but that no force keeps there, are off by at most this many
 * tolerances. */
#define DRIFT 1e2

/* ---- modes ----------------------------------------------------------------------------------- */

/* The rate of a constraint after the event, without the drift that it had before, unless the impact
 * has removed that. */
static double rate_after(const saltus_run *run, int constraint)
{
    const double rate = run->contacts.phi_dot[constraint];
    const double moved = rate - run->contacts.drift[constraint];
    return fabs(moved) < fabs(rate) ? moved : rate;
}

/* The slip of a touching contact; 0 where it sticks. If velocities have not jumped, a contact that
 * sticks continues to stick despite its drift, and one that slides continues to slide, however
 * slowly. */
static double slip_of(const saltus_run *run, int i, const sal_event *of, bool jumped,
                      const sal_regime *to, const sal_regime *impact, double size)
{
    const sal_contact *contact = sal_contact_at(run, i);
    const double       slip = rate_after(run, contact->friction);
    const bool         hit = impact && contact->normal >= 0;
    const int          mode = sal_contact_mode_in(contact, hit ? impact : to);
    if (sal_contact_is_of(of, i) && of->role == SAL_STOPS) return 0.0;
    if (sal_contact_is_of(of, i) && of->role == SAL_SLIPS_PLUS)
        return DBL_MIN; /* even if it is zero by rounding */
    if (sal_contact_is_of(of, i) && of->role == SAL_SLIPS_MINUS) return -DBL_MIN;
    if ((hit || !jumped) && mode == SAL_HELD) return 0.0;
    if (!jumped && mode != SAL_HELD && sal_contact_slip_is_unseen(run, i, slip)) return 0.0;
    if (!jumped && mode == SAL_SLIDES_PLUS) return fmax(slip, DBL_MIN);
    if (!jumped && mode == SAL_SLIDES_MINUS) return fmin(slip, -DBL_MIN);
    /* if nothing jumps, the slip of a contact that others held is drift */
    return fabs(slip) <= fmax(SAL_CONTACT_ROUNDING * size,
                              jumped ? 0.0 : DRIFT * sal_locator_widest(&run->locator, true))
               ? 0.0
               : slip;
}

/* The modes that the event has just ruled out: a contact that stops does not continue to slide. (A
 * contact that slips cannot stick, because slip_of gives it a slip.) */
static unsigned ruled_out(const sal_event *of, const sal_contact *contact, const sal_regime *to)
{
    if (of->role != SAL_STOPS) return 0;
    return sal_contact_set_mode(contact, sal_contact_mode_in(contact, to));
}

/* Whether contact i stays closed at the state in the field. impact: the regime in which contacts
 * collided, or NULL; moved: the event sets velocities. */
static bool stays(saltus_run *run, int i, const sal_event *of, const sal_regime *to,
                  const sal_regime *impact, bool moved, double t, const double *x)
{
    const sal_contact *contact = sal_contact_at(run, i);
    if (contact->normal < 0) return true;
    if (!contact->closes) return false;
    if (sal_contact_is_of(of, i) && (of->role == SAL_LEAVES || of->role == SAL_ENDS)) return false;
    const bool touched = sal_contact_is_of(of, i) && of->role == SAL_TOUCHES;
    if (!touched && sal_contact_mode_in(contact, to) == SAL_OPEN &&
        !sal_contact_is_touching(run, i, t, x))
        return false;
    if (!impact && !moved && sal_contact_mode_in(contact, to) != SAL_OPEN) return true;
    if (contact->holds && !touched && sal_contact_mode_in(contact, to) == SAL_OPEN) return false;
    double size = 0.0; /* the sum of |velocities| on both sides: the scale of rounding */
    for (int j = run->system->n; j < 2 * run->system->n; j++)
        size += fabs(x[j]) + fabs(run->cursor.x[j]);
    const double rate = rate_after(run, contact->normal);
    /* if nothing jumps, a contact that others held has drifted */
    const double drift =
        impact || moved ? 0.0 : sal_guard_rate_drift(run, sal_contact_touch_event(run, i), t, x);
    const double zero = fmax(SAL_CONTACT_ROUNDING * size, drift);
    /* a contact that still approaches has an impact of its own */
    if (sal_contact_mode_in(contact, to) == SAL_OPEN && rate < -zero) return false;
    return rate <= zero;
}

/* Computes the accelerations of the touching contacts without their forces, and the response to
 * these forces. False: the field failed, or the matrix is singular. */
static bool find_rates(saltus_run *run, double t, const double *x)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    if (sal_field_eval(&c->field, t, x, c->k, NULL) != SAL_FIELD_OK) return false;
    sal_zero(c->rates, c->count * SAL_CONTACT_RATES);
    sal_kernel_eval(&system->contact_rates, c->field.u, NULL, 1, c->rates, c->field.work);
    for (int k = 0; k < c->touching; k++) {
        const double            *rate = c->rates + c->which[k] * SAL_CONTACT_RATES;
        const sal_contact_touch *touch = &c->touch[k];
        if (touch->normal >= 0) c->free_rates[touch->normal] = rate[SAL_GAP_RATE];
        if (touch->tangent >= 0) c->free_rates[touch->tangent] = rate[SAL_SLIP_RATE];
    }
    return sal_contact_find_response(run, false, c->k + system->n);
}

/* ---- ties ------------------------------------------------------------------------------------ */

/* Evaluates rates and responses at the state a time dt later, under the forces that were found.
 * False: that failed. */
static bool look_ahead(saltus_run *run, const sal_regime *to, double t, const double *x,
                       const double *memories, const double *a, double dt)
{
    const int n = run->system->n;
    double   *then = SCRATCH_NEW(&run->scratch, 2 * n, double);
    for (int i = 0; i < n; i++) {
        then[i] = x[i] + dt * x[n + i] + 0.5 * dt * dt * a[i];
        then[n + i] = x[n + i] + dt * a[i];
    }
    const bool known =
        sal_contact_enter_free(run, to, t + dt, then, memories) && find_rates(run, t + dt, then);
    sal_scratch_release(&run->scratch, then);
    return known;
}

/* Computes the accelerations with the forces that were found. The law is still factored. */
static void find_accelerations(saltus_run *run, double *a)
{
    const sal_contacts *c = &run->contacts;
    const int           n = run->system->n;
    double             *X = SCRATCH_NEW(&run->scratch, run->system->unknowns, double);
    sal_zero(X, run->system->unknowns);
    for (int r = 0; r < c->rows; r++)
        for (int i = 0; i < n; i++) X[i] += c->set.best.force[r] * c->W[r * n + i];
    sal_field_solve_law(&c->field, false, X, 1);
    for (int i = 0; i < n; i++) a[i] = c->k[n + i] + X[i];
    sal_scratch_release(&run->scratch, X);
}

/* Updates the coefficients of friction of touching contacts, at the state in the field. */
static void take_friction(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    double       *number = SCRATCH_NEW(&run->scratch, c->count * SAL_CONTACT_NUMBERS, double);
    sal_zero(number, c->count * SAL_CONTACT_NUMBERS);
    sal_kernel_eval(&run->system->contact_numbers, c->field.u, NULL, 1, number, c->field.work);
    for (int k = 0; k < c->touching; k++) {
        if (sal_contact_at(run, c->which[k])->holds) continue;
        c->touch[k].mu_static = number[c->which[k] * SAL_CONTACT_NUMBERS + SAL_MU_STATIC];
        c->touch[k].mu_kinetic = number[c->which[k] * SAL_CONTACT_NUMBERS + SAL_MU_KINETIC];
    }
    sal_scratch_release(&run->scratch, number);
}

/* If a condition of the modes that were found holds with equality only, the motion that follows
 * decides (contact/later.h): a moment later and, if there is still a tie, longer times ahead. */
static void decide_tie(saltus_run *run, bool start, const sal_regime *to, double t, const double *x,
                       const double *memories)
{
    static const double ahead[] = {1e-3, 3e-2, 0.5};
    sal_contacts       *c = &run->contacts;
    if (c->set.best.ties == 0) return;
    const int rows = c->rows, contacts = c->touching;
    double   *kept = SCRATCH_NEW(&run->scratch, rows * (rows + 2) + run->system->n, double);
    sal_contact_touch *touch = SCRATCH_NEW(&run->scratch, 2 * contacts, sal_contact_touch);
    double            *D = kept, *rates = D + rows * rows, *size = rates + rows, *a = size + rows;
    sal_contact_next   next = SAL_NEXT_TIES;
    sal_copy(D, c->D, rows * rows);
    sal_copy(rates, c->free_rates, rows);
    sal_copy(size, c->size, rows);
    memcpy(touch, c->touch, (size_t)contacts * sizeof *touch);
    sal_contact_problem now = sal_contact_problem_of(c, false);
    now.contact = touch, now.D = D, now.free_rates = rates, now.size = size;
    find_accelerations(run, a);
    /* a contact that starts closed and is lifted leaves with an event */
    for (int k = 0; k < c->touching && start; k++)
        if (sal_contact_at(run, c->which[k])->starts_closed &&
            c->set.best.mode[k] != SAL_CONTACT_OPEN)
            c->touch[k].allowed &= ~(unsigned)SAL_CONTACT_OPEN;
    for (int i = 0; i < 3 && next == SAL_NEXT_TIES; i++) {
        const double dt = ahead[i] * sal_run_short_time(run);
        if (!look_ahead(run, to, t, x, memories, a, dt)) break;
        take_friction(run);
        const sal_contact_problem later = sal_contact_problem_of(c, false);
        next = sal_contact_decide(&c->set, &now, &later, touch + contacts);
    }
    sal_copy(c->D, D, rows * rows);
    sal_copy(c->free_rates, rates, rows);
    sal_copy(c->size, size, rows);
    memcpy(c->touch, touch, (size_t)contacts * sizeof *touch);
    sal_scratch_release(&run->scratch, kept);
}

/* ---- after the event ------------------------------------------------------------------------- */

const sal_regime *sal_contact_find_modes(saltus_run *run, int event, const sal_regime *to,
                                         const sal_regime *impact, double t, const double *x,
                                         const double *memories)
{
    const saltus_system *system = run->system;
    const sal_event     *of = sal_contact_event(run, event);
    sal_contacts        *c = &run->contacts;
    const bool           moved = event >= 0 && sal_contact_sets_motion(run, event);
    const bool           jumped = event < 0 || impact || moved; /* event < 0: the start */
    if (!sal_contact_find_drift(run, to, jumped && event >= 0) ||
        !sal_contact_enter_free(run, to, t, x, memories))
        return NULL;
    sal_contacts_evaluate(run);
    for (int i = 0; i < c->count; i++) {
        const sal_event *own = sal_contact_event_of(run, i, event);
        if (!sal_contact_exists(run, i, to) || !stays(run, i, own, to, impact, moved, t, x))
            continue;
        sal_contact_touch *touch = sal_contact_add_touch(run, i, false);
        touch->preferred = sal_contact_set_mode(sal_contact_at(run, i),
                                                sal_contact_mode_in(sal_contact_at(run, i), to));
        /* a contact that has just touched, or that others held, stays closed if nothing presses or
         * pulls it */
        if ((sal_contact_is_of(own, i) && own->role == SAL_TOUCHES) ||
            (!impact && sal_contact_was_held(run, i, to)))
            touch->preferred = sal_contact_set_mode(sal_contact_at(run, i), SAL_HELD);
        if (sal_contact_is_of(own, i))
            touch->allowed &= ~ruled_out(own, sal_contact_at(run, i), to);
    }
    if (c->touching == 0) return sal_contact_regime(run, to, run->contacts.touching);
    if (!find_rates(run, t, x)) return to; /* the next evaluation of the motion reports why */
    for (int k = 0; k < c->touching; k++) {
        sal_contact_touch *touch = &c->touch[k];
        if (touch->tangent < 0) continue;
        const int    n = system->n;
        const double size =
            sal_contact_mixed_size(c->W + touch->tangent * n, x + n, run->cursor.x + n, n);
        touch->slip = slip_of(run, c->which[k], sal_contact_event_of(run, c->which[k], event),
                              jumped, to, impact, size);
        if (touch->preferred == SAL_CONTACT_STICK && touch->slip != 0.0) /* closed, but slides */
            touch->preferred = touch->slip > 0.0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
    }
    if (!sal_contact_conclude(run, of, t, false, sal_contact_attempt(run, false))) return NULL;
    decide_tie(run, event < 0, to, t, x, memories);
    return run->outcome.finished ? NULL : sal_contact_regime(run, to, run->contacts.touching);
}

const sal_regime *sal_contacts_after(saltus_run *run, int event, const sal_regime *to,
                                     const sal_regime *impact)
{
    const int kink = run->system->event[event].kink;
    /* no force jumps: the modes hold, even at the limit of friction */
    if (kink >= 0 && run->system->kink[kink].continuous && to == run->cursor.regime) return to;
    return sal_contact_find_modes(run, event, to, impact, run->cursor.t, run->after.x,
                                  run->after.c);
}

/* ---- friction that is shared ----------------------------------------------------------------- */

/* Whether two touching contacts slip in the same way: forces along the slip of one move everything
 * as forces along the slip of the other do. */
static bool slip_the_same(const saltus_run *run, int a, int b)
{
    const sal_contacts *c = &run->contacts;
    int                 row[2] = {-1, -1};
    for (int k = 0; k < c->touching; k++) {
        if (c->which[k] == a) row[0] = c->touch[k].tangent;
        if (c->which[k] == b) row[1] = c->touch[k].tangent;
    }
    return row[0] >= 0 && row[1] >= 0 &&
           sal_contact_same_motion(c->D, c->rows, row[0], row[1], SAL_CONTACT_ROUNDING) != 0;
}

/* Adds the guards of a contact whose friction is left out to those of one that carries it. */
static void join(const saltus_run *run, int carries, int left_out, int *joins)
{
    static const sal_contact_role roles[] = {SAL_SLIPS_PLUS, SAL_SLIPS_MINUS};
    for (int r = 0; r < 2; r++) {
        int e = sal_contact_event_with(run, carries, roles[r], NULL);
        while (joins[e] >= 0) e = joins[e];
        joins[e] = sal_contact_event_with(run, left_out, roles[r], NULL);
    }
}

/* Whether the contact sticks in the regime by its own friction. */
static bool is_rough(const sal_contact *contact, const sal_regime *regime)
{
    return contact->normal >= 0 && contact->friction >= 0 && !contact->holds &&
           sal_contact_mode_in(contact, regime) == SAL_HELD;
}

bool sal_contacts_join(saltus_run *run, sal_field *field)
{
    const int         count = run->contacts.count, events = run->system->events;
    const sal_regime *regime = field->regime;
    if (!field->skip || field->join) return true;
    int *joins = SCRATCH_NEW(&run->scratch, events, int);
    for (int e = 0; e < events; e++) joins[e] = -1;
    for (int j = 0; j < count; j++) {
        const sal_contact *other = sal_contact_at(run, j);
        if (!is_rough(other, regime) || !field->skip[other->friction]) continue;
        for (int i = 0; i < count; i++) {
            const sal_contact *contact = sal_contact_at(run, i);
            if (!is_rough(contact, regime) || field->skip[contact->friction] ||
                !slip_the_same(run, i, j))
                continue;
            join(run, i, j, joins);
            break;
        }
    }
    const bool ok = sal_redundancy_join(&run->redundancy, regime, joins);
    sal_scratch_release(&run->scratch, joins);
    sal_field_switch(field, regime);
    return ok;
}
