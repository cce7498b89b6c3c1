/* Finds the modes of contacts at the start, reports what an event has changed in them, and
 * allocates their memory: see contacts.h. */
#include "run/contacts.h"

#include <math.h>
#include <string.h>

#include "run/contact_problem.h"
#include "run/fields.h"
#include "run/history.h"
#include "run/outcome.h"

/* ---- memory ---------------------------------------------------------------------------------- */

saltus_status sal_contacts_init(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    sal_arena           *arena = &run->arena;
    const int            count = system->model->found_contacts.count, rows = 2 * count;
    c->count = count;
    if (count == 0) return SALTUS_OK;
    TRY(sal_field_init(&c->field, system, arena, 1, err));
    sal_partition_init(&c->partition, system, false, 1, arena);
    c->which = ARENA_NEW(arena, count, int);
    c->touch = ARENA_NEW(arena, count, sal_contact_touch);
    c->row = ARENA_NEW(arena, rows, int);
    c->D = ARENA_NEW(arena, rows * rows, double);
    c->free_rates = ARENA_NEW(arena, rows, double);
    c->before = ARENA_NEW(arena, rows, double);
    c->size = ARENA_NEW(arena, rows, double);
    c->W = ARENA_NEW(arena, rows * system->n, double);
    c->numbers = ARENA_NEW(arena, count * SAL_CONTACT_NUMBERS, double);
    c->rates = ARENA_NEW(arena, count * SAL_CONTACT_RATES, double);
    c->phi = ARENA_NEW(arena, system->nmu, double);
    c->phi_dot = ARENA_NEW(arena, system->nmu, double);
    c->drift = ARENA_NEW(arena, system->nmu, double);
    c->k = ARENA_NEW(arena, 2 * system->n, double);
    c->apart = ARENA_NEW(arena, count, bool);
    c->shared = ARENA_NEW(arena, count, int);
    c->shared_impulse = ARENA_NEW(arena, count, double);
    return sal_contact_set_init(&c->set, count, arena) && !arena->failed ? SALTUS_OK
                                                                         : sal_fail_memory(err);
}

void sal_contacts_release(saltus_run *run)
{
    if (run->contacts.count == 0) return;
    sal_field_release(&run->contacts.field);
    sal_partition_release(&run->contacts.partition);
}

/* ---- what happened --------------------------------------------------------------------------- */

bool sal_contacts_settles(const saltus_run *run, int event, double rate)
{
    const sal_event *of = sal_contact_event(run, event);
    return of && of->role == SAL_TOUCHES && sal_contact_at(run, of->found - 1)->closes &&
           fabs(rate) < 1e2 * run->options.rest_speed * run->cursor.fastest_touch;
}

bool sal_contacts_accumulate(const saltus_run *run, int event)
{
    const sal_event *of = sal_contact_event(run, event);
    return of && sal_contact_at(run, of->found - 1)->closes;
}

double sal_contacts_impulse(const saltus_run *run, int event)
{
    const sal_event *of = sal_contact_event(run, event);
    if (!of || of->role != SAL_TOUCHES || run->jump.law != SAL_LAW_IMPACT) return NAN;
    const int normal = sal_contact_at(run, of->found - 1)->normal;
    return -sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU)[normal];
}

int sal_contacts_changed(const saltus_run *run, int i, int fired, const sal_regime *before,
                         const sal_regime *after)
{
    const int from = sal_contact_mode_in(sal_contact_at(run, i), before),
              to = sal_contact_mode_in(sal_contact_at(run, i), after);
    const sal_event *of = sal_contact_event(run, fired);
    if (sal_contact_is_of(of, i)) { /* it closed, slipped or stopped, and is pulled off at once */
        const double *numbers = run->contacts.numbers + i * SAL_CONTACT_NUMBERS;
        const bool    closed = of->role == SAL_TOUCHES && numbers[SAL_RESTITUTION] == 0.0;
        const bool    rubbed = of->role >= SAL_SLIPS_PLUS && of->role <= SAL_STOPS;
        return to == SAL_OPEN && sal_contact_at(run, i)->closes && (closed || rubbed)
                   ? sal_contact_event_with(run, i, SAL_LEAVES, NULL)
                   : -1;
    }
    if (from == to) return -1;
    if (from == SAL_OPEN) return sal_contact_event_with(run, i, SAL_TOUCHES, before);
    if (to == SAL_OPEN) return sal_contact_event_with(run, i, SAL_LEAVES, before);
    if (from != SAL_HELD) return sal_contact_event_with(run, i, SAL_STOPS, before);
    return sal_contact_event_with(run, i, to == SAL_SLIDES_PLUS ? SAL_SLIPS_PLUS : SAL_SLIPS_MINUS,
                                  before);
}

/* The place of contact i in the list of touching contacts whose modes were just found; -1: it is
 * not there. */
static int place_of(const saltus_run *run, int i)
{
    for (int k = 0; k < run->contacts.touching; k++)
        if (run->contacts.which[k] == i) return k;
    return -1;
}

static bool is_unloaded(const saltus_run *run, int i)
{
    const int k = place_of(run, i);
    return k >= 0 && run->contacts.set.best.unloaded[k];
}

bool sal_contacts_is_unloaded(const saltus_run *run, int event)
{
    const sal_event *of = sal_contact_event(run, event);
    return of && is_unloaded(run, of->found - 1);
}

bool sal_contacts_is_jammed(const saltus_run *run, int event)
{
    const sal_event *of = sal_contact_event(run, event);
    const int        k = of ? place_of(run, of->found - 1) : -1;
    return k >= 0 && run->contacts.set.best.jammed[k];
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Finds and enters the regime of the start; NULL: the run has ended. */
static const sal_regime *regime_of_start(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    saltus_error      err = {0};
    const sal_regime *regime =
        sal_contact_find_modes(run, -1, cursor->regime, NULL, cursor->t, cursor->x, cursor->c);
    if (!regime) return NULL;
    if (sal_run_enter(run, regime, &err) != SALTUS_OK) {
        sal_run_out_of_memory(run);
        return NULL;
    }
    sal_field_put(&run->motion.field, cursor->t, cursor->x);
    if (!sal_contact_know_rank(run, &run->motion.field))
        sal_run_finish(run, SALTUS_SINGULAR,
                       "the start is a singular position of the contacts that stick there");
    else if (!sal_contacts_join(run, &run->motion.field)) sal_run_out_of_memory(run);
    if (!run->outcome.finished) sal_field_switch(&run->locator.field, regime);
    return run->outcome.finished ? NULL : regime;
}

void sal_contacts_start(saltus_run *run)
{
    sal_cursor       *cursor = &run->cursor;
    const sal_regime *regime = regime_of_start(run);
    if (!regime) return;
    for (int i = 0; i < run->contacts.count; i++) {
        const sal_contact *contact = sal_contact_at(run, i);
        if (!contact->starts_closed || sal_contact_mode_in(contact, regime) != SAL_OPEN ||
            is_unloaded(run, i))
            continue;
        sal_run_finish(run, SALTUS_VIOLATED,
                       "at t = %.10g the contact '%s' starts closed, but does not push; let it "
                       "start open",
                       cursor->t, contact->label.name);
        return;
    }
    cursor->regime = regime;
}
