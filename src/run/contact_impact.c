/* Decides which contacts collide at an event, which other events are part of the same impact, and
 * with which modes: the law of the impact. See contacts.h. */
#include <math.h>
#include <string.h>

#include "run/contact_problem.h"
#include "run/contacts.h"
#include "run/fields.h"
#include "run/guards.h"
#include "run/history.h"
#include "run/outcome.h"

/* Whether a touching contact approaches by more than rounding. The drift of a closed contact is no
 * approach, unless the event has a law of its own. moved: the event sets velocities, and the
 * velocities before it show the drift. */
static bool approaches(const saltus_run *run, const sal_contact_touch *touch, bool closed,
                       bool moved)
{
    const sal_contacts *c = &run->contacts;
    const int           row = touch->normal;
    const double        noise = SAL_CONTACT_ROUNDING * c->size[row], rate = c->free_rates[row];
    if (closed && moved) return rate < fmin(c->drift[c->row[row]], 0.0) - noise;
    return (rate < -noise && !closed) || rate < c->before[row] - noise;
}

/* Lists the contacts that touch at the event, with their velocities before it. */
static void list_touching(saltus_run *run, const sal_event *of, const sal_regime *to)
{
    sal_contacts *c = &run->contacts;
    const double  t = run->cursor.t, *x = run->jump.state;
    const bool    together = run->options.impacts == SALTUS_TOGETHER;
    for (int i = 0; i < c->count; i++) {
        const sal_contact *contact = sal_contact_at(run, i);
        const bool         touched = sal_contact_is_of(of, i) && of->role == SAL_TOUCHES;
        if (contact->normal < 0 || c->apart[i] || !sal_contact_exists(run, i, to)) continue;
        if (sal_contact_is_of(of, i) && of->role == SAL_ENDS) continue;
        const bool open = !touched && sal_contact_mode_in(contact, to) == SAL_OPEN;
        if (open && !(together && sal_contact_is_touching(run, i, t, x))) continue;
        if (open) sal_tie_note_contact(run, i, t); /* if there is a gap, it collides later */
        sal_contact_touch *touch = sal_contact_add_touch(run, i, true);
        touch->preferred = sal_contact_set_mode(contact, sal_contact_mode_in(contact, to));
        c->before[touch->normal] = c->phi_dot[contact->normal];
        if (touch->tangent >= 0) c->before[touch->tangent] = c->phi_dot[contact->friction];
    }
}

/* Computes the free rates of rows, with these velocities instead of those in the field. */
static void find_free_rates(saltus_run *run, const double *v)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    sal_copy(sal_u(&c->field, SAL_LEAF_V), v, system->n);
    sal_map_value(&system->phi_dot, c->field.u, c->phi_dot, c->field.work);
    for (int r = 0; r < c->rows; r++) c->free_rates[r] = c->phi_dot[c->row[r]];
}

/* Whether a touching contact approaches. */
static bool any_approaches(saltus_run *run, const sal_event *of, const sal_regime *to, bool moved)
{
    const sal_contacts *c = &run->contacts;
    for (int k = 0; k < c->touching; k++) {
        const bool touched = sal_contact_is_of(of, c->which[k]) && of->role == SAL_TOUCHES;
        const bool closed = sal_contact_mode_in(sal_contact_at(run, c->which[k]), to) != SAL_OPEN;
        if (approaches(run, &c->touch[k], closed && !touched, moved)) return true;
    }
    return false;
}

/* Whether the last touch of a contact was slow already, so that its sums include the bounces that
 * are left out. */
static bool was_slow(const saltus_run *run, const sal_contact *contact)
{
    const double *c = run->cursor.c;
    if (contact->rest_at >= 0) return c[contact->rest_at] > run->cursor.t;
    return contact->slow < 0 || c[contact->speed] < c[contact->slow];
}

/* Whether contacts rock to rest. Two contacts that touch in turn, each throwing the other off, come
 * to rest like one that bounces: once they are slow, all that touch stay closed. The conditions:
 * the touch that fires is slow; another contact, which was closed, would open; and both were slow
 * before, or this touch is much slower. */
static bool rocks_to_rest(saltus_run *run, const sal_event *of, const sal_regime *to)
{
    const sal_contacts *c = &run->contacts;
    bool                slow = false, slower = false, opens = false, summed = true;
    for (int k = 0; k < c->touching; k++) {
        const sal_contact *contact = sal_contact_at(run, c->which[k]);
        const double       speed = -c->before[c->touch[k].normal];
        const double       least = run->options.rest_speed * run->cursor.fastest_touch;
        const bool         open = c->set.best.mode[k] == SAL_CONTACT_OPEN;
        if (sal_contact_is_of(of, c->which[k]) && of->role == SAL_TOUCHES) {
            slow = contact->closes && !open && c->touch[k].restitution == 0.0 && speed < least;
            slower = speed < 0.1 * least;
            summed = summed && was_slow(run, contact);
            run->cursor.fastest_touch = fmax(run->cursor.fastest_touch, speed);
        } else if (open && sal_contact_mode_in(contact, to) != SAL_OPEN) {
            opens = true;
            summed = summed && was_slow(run, contact);
        }
    }
    return slow && opens && (summed || slower);
}

/* Lets all contacts that touch stay closed: those that slide continue to slide, the others
 * stick. */
static void hold_all(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    for (int k = 0; k < c->touching; k++) {
        const sal_contact *contact = sal_contact_at(run, c->which[k]);
        const int          tangent = c->touch[k].tangent;
        const double       slip = tangent < 0 ? 0.0 : c->before[tangent];
        const bool         sticks = tangent < 0 || contact->holds ||
                            fabs(slip) <= run->options.rest_speed * run->cursor.fastest_touch;
        c->set.best.mode[k] = sticks     ? sal_contact_set_mode(contact, SAL_HELD)
                              : slip > 0 ? SAL_CONTACT_SLIDE_PLUS
                                         : SAL_CONTACT_SLIDE_MINUS;
    }
}

/* Whether impulses of touching contact k change the rates of touching contact l. */
static bool are_coupled(const saltus_run *run, int k, int l)
{
    const sal_contacts *c = &run->contacts;
    const int           of_k[] = {c->touch[k].normal, c->touch[k].tangent};
    const int           of_l[] = {c->touch[l].normal, c->touch[l].tangent};
    for (int i = 0; i < 4; i++) {
        const int r = of_k[i / 2], s = of_l[i % 2], m = c->rows;
        if (r < 0 || s < 0) continue;
        if (fabs(c->D[r * m + s]) > SAL_CONTACT_ROUNDING * sqrt(c->D[r * m + r] * c->D[s * m + s]))
            return true;
    }
    return false;
}

/* Whether the impact begins at touching contact k: it is the one of the event or, if the event is
 * no touch of a contact, it approaches. */
static bool begins_impact(const saltus_run *run, int k, int event, const sal_regime *to)
{
    const sal_event *of = sal_contact_event(run, event);
    const int        i = run->contacts.which[k];
    if (of && of->role == SAL_TOUCHES) return sal_contact_is_of(of, i);
    return approaches(run, &run->contacts.touch[k],
                      sal_contact_mode_in(sal_contact_at(run, i), to) != SAL_OPEN,
                      sal_contact_sets_motion(run, event));
}

/* Finds touching contacts that the impact does not reach: they have impacts of their own, whose
 * times depend on other things. Returns whether there are some. */
static bool find_apart(saltus_run *run, int event, const sal_regime *to)
{
    sal_contacts *c = &run->contacts;
    bool          any = false, grows = true;
    for (int k = 0; k < c->touching; k++) c->apart[c->which[k]] = !begins_impact(run, k, event, to);
    while (grows) {
        grows = false;
        for (int k = 0; k < c->touching; k++)
            for (int l = 0; l < c->touching && c->apart[c->which[k]]; l++)
                if (!c->apart[c->which[l]] && are_coupled(run, k, l)) {
                    c->apart[c->which[k]] = false;
                    grows = true;
                }
    }
    for (int k = 0; k < c->touching; k++) any = any || c->apart[c->which[k]];
    return any;
}

/* The event with which contact i touches now (with restitution it has two); -1: none. */
static int touch_now(saltus_run *run, int i)
{
    const sal_regime *regime = run->cursor.regime;
    for (int k = 0; k < regime->events; k++) {
        const int        e = regime->event[k];
        const sal_event *event = sal_contact_event(run, e);
        if (sal_contact_is_of(event, i) && event->role == SAL_TOUCHES &&
            sal_event_conditions(run, e))
            return e;
    }
    return -1;
}

/* Whether the event sets only memories, and no more of them in total (*set) than there are. */
static bool is_shareable(const saltus_run *run, int event, int *set)
{
    const sal_assigned *before = &run->system->event[event].reset.before;
    *set += before->count;
    for (int i = 0; i < before->count; i++)
        if (before->output[i] < 2 * run->system->n) return false;
    return run->system->event[event].reset.late.count == 0 && *set <= run->system->nm_user;
}

/* Finds contacts that were open, approach and take part in the impact: their events become part of
 * it. Returns whether there are some. */
static bool find_shared(saltus_run *run, int event, const sal_regime *to)
{
    sal_contacts    *c = &run->contacts;
    const sal_event *of = sal_contact_event(run, event);
    int              set = run->system->event[event].reset.before.count;
    c->shares = 0;
    for (int k = 0; k < c->touching; k++) {
        const int i = c->which[k];
        if (c->apart[i] || sal_contact_is_of(of, i) ||
            sal_contact_mode_in(sal_contact_at(run, i), to) != SAL_OPEN)
            continue;
        if (!approaches(run, &c->touch[k], false, false)) continue;
        const int e = touch_now(run, i);
        if (e >= 0 && is_shareable(run, e, &set)) c->shared[c->shares++] = e;
    }
    return c->shares > 0;
}

/* Begins the jump again, with the events that share it. False: the field failed. */
static bool begin_shared(saltus_run *run, int event)
{
    const sal_contacts *c = &run->contacts;
    if (sal_jump_needs_a_before(run->system, event, c->shared, c->shares) &&
        sal_run_load_state_before_event(run, run->cursor.t, run->cursor.x, true) != SAL_FIELD_OK)
        return false;
    sal_jump_begin(&run->jump, &run->system->event[event]);
    sal_jump_share(&run->jump, c->shared, c->shares);
    return true;
}

/* Removes shared events of contacts that turned out to have no impulse. Returns whether there were
 * some. */
static bool drop_untouched(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    const int     before = c->shares;
    c->shares = 0;
    for (int s = 0; s < before; s++)
        for (int k = 0; k < c->touching; k++)
            if (sal_contact_is_of(sal_contact_event(run, c->shared[s]), c->which[k]) &&
                c->set.best.mode[k] != SAL_CONTACT_OPEN) {
                c->shared[c->shares++] = c->shared[s];
                break;
            }
    return c->shares < before;
}

/* Lists the touching contacts and computes the response to their impulses. False: the law of the
 * event is singular, or the run has ended. */
static bool prepare_impact(saltus_run *run, int event, const sal_regime *to, bool has_law)
{
    sal_contacts *c = &run->contacts;
    const double *memories = sal_u(run->jump.before, SAL_LEAF_C_AFTER);
    if (!sal_contact_enter_free(run, to, run->cursor.t, run->jump.state, memories)) return false;
    sal_contacts_evaluate(run);
    list_touching(run, sal_contact_event(run, event), to);
    if (c->touching == 0) return true;
    double    *v = SCRATCH_NEW(&run->scratch, run->system->n, double);
    const bool possible = sal_jump_free(&run->jump, c->field.regime, has_law, v);
    if (possible) find_free_rates(run, v);
    const bool known = possible && sal_contact_find_response(run, true, v);
    sal_scratch_release(&run->scratch, v);
    return known;
}

/* Leaves out open contacts that touch within the tolerance, but not within rounding, such as both
 * flanks of a tooth when the play is small: a tight tolerance would tell them apart. Returns
 * whether there were some. */
static bool leave_out_near(saltus_run *run, int event, const sal_regime *to)
{
    sal_contacts    *c = &run->contacts;
    const sal_event *of = sal_contact_event(run, event);
    bool             any = false;
    for (int k = 0; k < c->touching; k++) {
        const int i = c->which[k];
        if (sal_contact_is_of(of, i) || sal_contact_mode_in(sal_contact_at(run, i), to) != SAL_OPEN)
            continue;
        if (sal_contact_is_at_zero(run, i, run->cursor.t, run->jump.state)) continue;
        c->apart[i] = any = true;
    }
    return any;
}

/* Solves for the impulses of touching contacts; if that is impossible, once more without those that
 * are only near. False: there is no answer. */
static bool solve_touching(saltus_run *run, int event, const sal_regime *to, bool has_law)
{
    sal_contact_status status = sal_contact_attempt(run, true);
    if (status == SAL_CONTACT_NONE && leave_out_near(run, event, to)) {
        if (!prepare_impact(run, event, to, has_law)) return false;
        status = sal_contact_attempt(run, true);
    }
    return sal_contact_conclude(run, sal_contact_event(run, event), run->cursor.t, true, status);
}

/* Finds the impact, with all contacts and events that take part in it. False: there is no
 * answer. */
static bool solve_impact(saltus_run *run, int event, const sal_regime *to, bool has_law)
{
    const bool apart = find_apart(run, event, to);
    bool       again = find_shared(run, event, to);
    if (!again && !apart) return solve_touching(run, event, to, has_law);
    for (;;) {
        if (again && !begin_shared(run, event)) return false;
        if (!prepare_impact(run, event, to, has_law) || !solve_touching(run, event, to, has_law))
            return false;
        again = drop_untouched(run);
        if (!again) return true;
    }
}

bool sal_contacts_collide(saltus_run *run, int event, const sal_regime *to, bool has_law,
                          const sal_regime **impact)
{
    const sal_event *of = sal_contact_event(run, event);
    sal_contacts    *c = &run->contacts;
    *impact = NULL;
    c->shares = 0;
    memset(c->apart, 0, (size_t)c->count * sizeof *c->apart);
    /* if nothing jumps, contacts that approach have events of their own */
    if (!(of && of->role == SAL_TOUCHES) && !has_law && !sal_contact_sets_motion(run, event))
        return true;
    if (!sal_contact_find_drift(run, to, sal_contact_sets_motion(run, event))) return false;
    if (!prepare_impact(run, event, to, has_law))
        return !run->outcome.finished; /* the law reports why */
    if (c->touching == 0) return true;
    if (!any_approaches(run, of, to, sal_contact_sets_motion(run, event))) {
        if (has_law) *impact = c->field.regime; /* the law makes none of them approach */
        return true;
    }
    if (!solve_impact(run, event, to, has_law)) return false;
    if (rocks_to_rest(run, of, to)) hold_all(run);
    *impact = sal_contact_regime(run, to, c->touching);
    return *impact != NULL;
}

void sal_contacts_note_shared(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    const double *impulse = sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU);
    for (int s = 0; s < c->shares; s++) {
        const int i = sal_contact_event(run, c->shared[s])->found - 1;
        c->shared_impulse[s] = -impulse[sal_contact_at(run, i)->normal];
        for (int e = 0; e < run->system->events; e++)
            if (sal_contact_is_of(sal_contact_event(run, e), i)) run->instant.pending[e] = 0;
    }
}

int sal_contacts_shared(const saltus_run *run, int i, double *impulse)
{
    const sal_contacts *c = &run->contacts;
    for (int s = 0; s < c->shares; s++) {
        if (!sal_contact_is_of(sal_contact_event(run, c->shared[s]), i)) continue;
        *impulse = c->shared_impulse[s];
        return c->shared[s];
    }
    return -1;
}

/* The kinetic energy with these velocities at the state after the event; writes the rates of all
 * constraints. */
static double energy_with(saltus_run *run, const sal_occurrence *o, const double *v, double *rates)
{
    const saltus_system *system = run->system;
    const sal_field     *field = &run->jump.after;
    double              *u = SCRATCH_NEW(&run->scratch, system->layout.size, double);
    double               parts[2] = {0.0, 0.0};
    sal_copy(u, field->u, system->layout.size);
    sal_copy(u + system->layout.at[SAL_LEAF_V], v, system->n);
    sal_map_value(&system->phi_dot, u, rates, field->work);
    sal_kernel_eval(&o->to->energy, u, NULL, 1, parts, field->work);
    sal_scratch_release(&run->scratch, u);
    return parts[0];
}

void sal_contacts_warn_gain(saltus_run *run, const sal_occurrence *o)
{
    const saltus_system *system = run->system;
    const int            nmu = system->nmu;
    const double        *impulse = sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU);
    if (!o->impact || run->history.recomputing || (run->outcome.warned[o->event] & SAL_WARNED_GAIN))
        return;
    double      *rates = SCRATCH_NEW(&run->scratch, 2 * nmu, double), gain = 0.0, size = 0.0;
    const double before = energy_with(run, o, sal_u(run->jump.before, SAL_LEAF_V_LAW), rates);
    const double after = energy_with(run, o, run->after.x + system->n, rates + nmu);
    /* relative to what is touched: a wall that moves may well add energy */
    for (int j = 0; j < nmu; j++) {
        const double power = o->impact->loaded[j] ? impulse[j] : 0.0;
        gain -= 0.5 * power * (rates[j] + rates[nmu + j]);
        size += 0.5 * fabs(power) * (fabs(rates[j]) + fabs(rates[nmu + j]));
    }
    sal_scratch_release(&run->scratch, rates);
    if (gain <= 1e-9 * size) return;
    run->outcome.warned[o->event] |= SAL_WARNED_GAIN;
    sal_run_warn(
        run,
        "event '%s' at t = %.10g adds an energy of %.3g: friction and restitution together "
        "turn a kinetic energy of %.6g into %.6g; less of either avoids it",
        system->event[o->event].name, o->t, gain, before, after);
}
