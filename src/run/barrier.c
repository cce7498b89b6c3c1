/* Barriers: guards that nothing may pass, those of impacts and of contacts that close.
 *
 * If a barrier touches and the body does not leave it, its event fires at once; if it cannot, the
 * body would sink, and the run ends. A barrier that neither moves nor is pressed is at rest, and
 * its motion within the tolerance is ignored. */
#include "run/arming.h"

#include <float.h>
#include <math.h>

#include "run/contacts.h"
#include "run/guards.h"
#include "run/instant.h"
#include "run/outcome.h"

/* The contact an event belongs to; 0: none. */
static int contact_of(const saltus_system *system, int event)
{
    return sal_event_source(system, event)->contact;
}

bool sal_contact_has_role(const saltus_system *system, int event, sal_contact_role role)
{
    return contact_of(system, event) && sal_event_source(system, event)->role == role;
}

bool sal_contact_closes(const saltus_system *system, int event)
{
    if (!sal_contact_has_role(system, event, SAL_TOUCHES)) return false;
    const int found = sal_event_source(system, event)->found;
    return system->model->found_contacts.data[found - 1].closes;
}

bool sal_is_barrier(const saltus_system *system, int event)
{
    return system->event[event].reset.restitution ||
           sal_contact_has_role(system, event, SAL_TOUCHES);
}

bool sal_contact_just_left(const saltus_system *system, int e, int last)
{
    return last >= 0 && contact_of(system, e) &&
           contact_of(system, e) == contact_of(system, last) &&
           !sal_contact_has_role(system, last, SAL_TOUCHES);
}

/* A body that moves into a barrier has made a series of bounces that became too low to be told from
 * rounding if more than this many of them were shorter than the one before. */
enum { SHORTER_BOUNCES = 2 };

/* Ends the run. resting: the body is pressed into the barrier, else it moves into it. */
static void sink(saltus_run *run, int e, bool resting)
{
    const sal_compiled_event *event = &run->system->event[e];
    const sal_repetition     *repetition = &run->cursor.repetition[e];
    if (repetition->shrinking > (resting ? 0 : SHORTER_BOUNCES))
        sal_zeno_finish(run, e, run->cursor.t);
    else if (contact_of(run->system, e) && repetition->count > 0)
        sal_run_finish_at(run, event, SALTUS_SINKING,
                          ": the contact bounces so weakly that it is back before it has left; "
                          "with restitution = 0 it comes to rest at once");
    else if (contact_of(run->system, e))
        sal_run_finish_at(run, event, SALTUS_SINKING,
                          ": the contact is open, but touches and %s; give it start = \"closed\", "
                          "or start it with a gap, or moving away",
                          resting ? "is pressed" : "moves further in");
    else
        sal_run_finish_at(
            run, event, SALTUS_SINKING, "%s",
            resting ? ": a resting contact, the body would sink into what it touches; a "
                      "restitution law alone cannot hold it: end the run there (stop = true), or "
                      "give the rest a mode of its own"
                    : ": in contact and moving further into it, the body would sink; start it with "
                      "a gap, or moving away, and keep restitution >= 0");
}

void sal_barrier_pass(saltus_run *run, int e, double r)
{
    const sal_step *step = &run->motion.step;
    double          nearest;
    if (!sal_is_barrier(run->system, e) ||
        sal_sign(r) != sal_event_direction(&run->system->event[e]))
        return;
    sal_locator_conditions(&run->locator, e, sal_step_time(step), step->x1, &nearest);
    run->cursor.watch[e].passed = sal_locator_surface_exists(&run->locator, e);
}

static void sunk(saltus_run *run, int e, double r)
{
    sal_run_finish(run, SALTUS_SINKING,
                   "event '%s' was missed: at t = %.10g what it watches is at %.3g, past zero, and "
                   "the event has not happened; a smaller max_step, or a smaller tolerance, finds "
                   "it",
                   run->system->event[e].name, sal_step_time(&run->motion.step), r);
}

void sal_barrier_watch(saltus_run *run, int e, double r)
{
    const sal_step  *step = &run->motion.step;
    sal_guard_state *watch = &run->cursor.watch[e];
    if (sal_sign(r) != sal_event_direction(&run->system->event[e])) watch->passed = false;
    else if (fabs(r) > sal_locator_tolerance(&run->locator, e, sal_step_time(step), step->x1))
        sunk(run, e, r);
}

/* Whether the acceleration into the barrier, as far as it is more than rounding, would move it by
 * more than a thousand times the tolerance until the end of the run. The factor allows for errors
 * that add up. */
static bool is_pressed(saltus_run *run, int e, int into)
{
    const double left = run->t_end - run->cursor.t;
    const double curvature = sal_locator_seen_curvature(&run->locator, e, run->cursor.t,
                                                        run->cursor.x, sal_run_short_time(run));
    return into * curvature * left * left > 2e3 * sal_guard_tolerance(run, e);
}

/* The rate of an impact's guard at (t, x) below which it is only rounding: of the rate itself, or
 * relative to the largest value that the guard has had. */
static double slowest(saltus_run *run, int e, double t, const double *x)
{
    const double known = run->cursor.watch[e].largest / sal_run_short_time(run);
    return fmax(sal_locator_noise(&run->locator, e, t, x).rate,
                64.0 * DBL_EPSILON * fmax(known, run->instant.fastest));
}

bool sal_barrier_rests(saltus_run *run, int e, double t, const double *x)
{
    sal_guard_state *watch = &run->cursor.watch[e];
    double           rate;
    if (!run->system->event[e].reset.restitution || watch->band > 0.0) return false;
    /* such guards contain positions only: any accelerations will do */
    sal_locator_guard(&run->locator, e, t, x, run->jump.k_after + run->system->n, &rate);
    if (fabs(rate) * sal_run_short_time(run) > 1e-6 * watch->largest) return false;
    if (fabs(rate) > slowest(run, e, t, x) || is_pressed(run, e, -watch->side)) return false;
    watch->band = watch->firm = sal_guard_tolerance(run, e);
    return true;
}

/* Whether a barrier with this rate stays where it is. A barrier that others hold, or held until
 * now, may move by accumulated errors. Any other rate above rounding is real, however small, and
 * leads to an event. */
static bool is_resting(saltus_run *run, int e, double rate)
{
    const double t = run->cursor.t, *x = run->cursor.x;
    if (fabs(rate) <= slowest(run, e, t, x)) return true;
    if (!sal_contact_closes(run->system, e)) return false;
    const bool held = sal_contacts_is_unloaded(run, e) || run->cursor.watch[e].band > 0.0;
    return held && fabs(rate) <= sal_guard_rate_drift(run, e, t, x);
}

void sal_barrier_touch(saltus_run *run, int e, double rate, bool may_fire)
{
    const sal_compiled_event *event = &run->system->event[e];
    sal_guard_state          *watch = &run->cursor.watch[e];
    const int  into = sal_event_direction(event) ? sal_event_direction(event) : -watch->side;
    const bool resting = is_resting(run, e, rate);
    watch->side = -into;
    if (!resting && sal_sign(rate) != into) return;
    if (resting && sal_contact_closes(run->system, e)) {
        watch->offset += run->locator.now[e].r; /* its mode is known, so the rest is rounding */
        watch->firm = watch->band = fmax(2.0 * fabs(watch->offset), sal_guard_drift(run, e));
        return;
    }
    if (resting && !is_pressed(run, e, into)) {
        watch->band = watch->firm = sal_guard_tolerance(run, e);
        return;
    }
    if (!sal_event_conditions(run, e)) {
        watch->side = into; /* beside the surface: nothing to hit */
        return;
    }
    if (!may_fire || (resting && !sal_contact_closes(run->system, e))) {
        sink(run, e, resting);
        return;
    }
    run->instant.pending[e] = 1;
    run->instant.caused[e] = resting ? SAL_JOINED : SAL_CAUSED;
}
