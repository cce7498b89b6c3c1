/* Which contacts are open, stick or slide: see contacts.h. */
#include "run/contacts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/later.h"
#include "contact/trial.h"
#include "run/fields.h"
#include "run/guards.h"
#include "run/outcome.h"
#include "run/replay.h"
#include "run/ties.h"

/* Errors of rates, relative to what they are sums of. */
#define ROUNDING 1e-9
/* Rates that should be zero, and that nothing holds there, are off by so many tolerances at most.
 */
#define DRIFT 1e2
/* The coefficient of friction of a contact that holds. */
#define UNLIMITED 1e20

/* ---- memory --------------------------------------------------------------------------------- */

saltus_status sal_contacts_init(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    sal_arena           *arena = &run->arena;
    const int            count = system->model->found_contacts.count, rows = 2 * count;
    c->count = count;
    if (count == 0) return SALTUS_OK;
    TRY(sal_field_init(&c->field, system, arena, 1, err));
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
    if (run->contacts.count > 0) sal_field_release(&run->contacts.field);
}

/* ---- what is there -------------------------------------------------------------------------- */

static const sal_contact *contact_at(const saltus_run *run, int i)
{
    return &run->system->model->found_contacts.data[i];
}

/* Which of the modes of a contact (SAL_OPEN, ...) is active in the regime. */
static int mode_in(const sal_contact *contact, const sal_regime *regime)
{
    for (int i = 0; i < SAL_CONTACT_MODES; i++)
        if (regime->active[contact->group] == contact->mode[i]) return i;
    return SAL_OPEN;
}

static sal_contact_mode set_mode(const sal_contact *contact, int mode)
{
    static const sal_contact_mode names[] = {SAL_CONTACT_OPEN, SAL_CONTACT_STICK,
                                             SAL_CONTACT_SLIDE_PLUS, SAL_CONTACT_SLIDE_MINUS};
    return mode == SAL_HELD && contact->friction < 0 ? SAL_CONTACT_CLOSED : names[mode];
}

static int mode_of_set(sal_contact_mode mode)
{
    switch (mode) {
    case SAL_CONTACT_SLIDE_PLUS: return SAL_SLIDES_PLUS;
    case SAL_CONTACT_SLIDE_MINUS: return SAL_SLIDES_MINUS;
    case SAL_CONTACT_STICK:
    case SAL_CONTACT_CLOSED: return SAL_HELD;
    default: return SAL_OPEN;
    }
}

/* The event as one of a contact; NULL: it is none. */
static const sal_event *contact_event(const saltus_run *run, int event)
{
    const int user = event < 0 ? -1 : run->system->event[event].user;
    if (user < 0 || run->system->model->events.data[user].found == 0) return NULL;
    return &run->system->model->events.data[user];
}

static bool is_of(const sal_event *event, int contact)
{
    return event && event->found == contact + 1;
}

/* The event of a contact with this role, that may happen in the regime (NULL: in any). */
static int event_with(const saltus_run *run, int contact, sal_contact_role role,
                      const sal_regime *regime)
{
    for (int e = 0; e < run->system->events; e++) {
        const sal_event *event = contact_event(run, e);
        if (is_of(event, contact) && event->role == role && (!regime || regime->possible[e]))
            return e;
    }
    return -1;
}

static int touch_event(const saltus_run *run, int contact)
{
    return event_with(run, contact, SAL_TOUCHES, NULL);
}

bool sal_contacts_settles(const saltus_run *run, int event, double rate)
{
    const sal_event *of = contact_event(run, event);
    return of && of->role == SAL_TOUCHES && contact_at(run, of->found - 1)->closes &&
           fabs(rate) < 1e2 * run->options.rest_speed * run->cursor.fastest_touch;
}

bool sal_contacts_accumulate(const saltus_run *run, int event)
{
    const sal_event *of = contact_event(run, event);
    return of && contact_at(run, of->found - 1)->closes;
}

double sal_contacts_impulse(const saltus_run *run, int event)
{
    const sal_event *of = contact_event(run, event);
    if (!of || of->role != SAL_TOUCHES || run->jump.law != SAL_LAW_IMPACT) return NAN;
    const int normal = contact_at(run, of->found - 1)->normal;
    return -sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU)[normal];
}

int sal_contacts_changed(const saltus_run *run, int i, int fired, const sal_regime *before,
                         const sal_regime *after)
{
    const int from = mode_in(contact_at(run, i), before), to = mode_in(contact_at(run, i), after);
    const sal_event *of = contact_event(run, fired);
    if (is_of(of, i)) { /* it closed, or slipped or stopped, and is pulled off at once */
        const double *numbers = run->contacts.numbers + i * SAL_CONTACT_NUMBERS;
        const bool    closed = of->role == SAL_TOUCHES && numbers[SAL_RESTITUTION] == 0.0;
        const bool    rubbed = of->role >= SAL_SLIPS_PLUS && of->role <= SAL_STOPS;
        return to == SAL_OPEN && contact_at(run, i)->closes && (closed || rubbed)
                   ? event_with(run, i, SAL_LEAVES, NULL)
                   : -1;
    }
    if (from == to) return -1;
    if (from == SAL_OPEN) return event_with(run, i, SAL_TOUCHES, before);
    if (to == SAL_OPEN) return event_with(run, i, SAL_LEAVES, before);
    if (from != SAL_HELD) return event_with(run, i, SAL_STOPS, before);
    return event_with(run, i, to == SAL_SLIDES_PLUS ? SAL_SLIPS_PLUS : SAL_SLIPS_MINUS, before);
}

/* What happens to contact i at this instant: the event that fires, one that shares its guard with
 * it because both contacts share their friction, or another that is pending. */
static const sal_event *event_of(const saltus_run *run, int i, int event)
{
    const sal_event *fired = contact_event(run, event);
    const int       *join = run->motion.field.join;
    if (!fired || is_of(fired, i)) return fired;
    for (int e = event; join && e >= 0; e = join[e])
        if (is_of(contact_event(run, e), i)) return contact_event(run, e);
    for (int k = 0; k < run->cursor.regime->events; k++) {
        const int e = run->cursor.regime->event[k];
        if (run->pending[e] && is_of(contact_event(run, e), i)) return contact_event(run, e);
    }
    return fired;
}

/* ---- the problem ---------------------------------------------------------------------------- */

/* The regime `to` with the modes that were found for the first `found` of the contacts that touch;
 * the others are open. */
static const sal_regime *regime_with(saltus_run *run, const sal_regime *to, int found)
{
    const saltus_model *model = run->system->model;
    const sal_contacts *c = &run->contacts;
    int                *active = SCRATCH_NEW(&run->scratch, model->groups.count, int);
    saltus_error        err = {0};
    memcpy(active, to->active, (size_t)model->groups.count * sizeof *active);
    for (int i = 0; i < c->count; i++)
        active[contact_at(run, i)->group] = contact_at(run, i)->mode[SAL_OPEN];
    for (int k = 0; k < found; k++) {
        const sal_contact *contact = contact_at(run, c->which[k]);
        int                mode = c->set.best.held[k] ? SAL_OPEN : mode_of_set(c->set.best.mode[k]);
        if (mode == SAL_HELD && contact->holds && c->touch[k].tangent < 0) mode = SAL_SLIDES_PLUS;
        active[contact->group] = contact->mode[mode];
    }
    const sal_regime *regime = sal_system_regime(run->system, active, &err);
    sal_scratch_release(&run->scratch, active);
    if (!regime) run->finished = run->out_of_memory = true;
    return regime;
}

/* Enters the regime in which none of the contacts acts, at this state. */
static bool enter_free(saltus_run *run, const sal_regime *to, double t, const double *x,
                       const double *c)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->contacts.field;
    saltus_error         err = {0};
    const sal_regime    *regime = regime_with(run, to, 0);
    if (!regime || (field->regime != regime && sal_field_enter(field, regime, &err) != SALTUS_OK)) {
        run->finished = run->out_of_memory = true;
        return false;
    }
    memcpy(sal_u(field, SAL_LEAF_P), sal_u(&run->motion.field, SAL_LEAF_P),
           (size_t)system->np * sizeof *x);
    memcpy(sal_u(field, SAL_LEAF_C), c, (size_t)system->nm * sizeof *x);
    field->prepared = false;
    sal_field_put(field, t, x);
    return true;
}

static void note_row(saltus_run *run, int *rows, int constraint, int *row)
{
    *row = -1;
    if (constraint < 0) return;
    run->contacts.row[*rows] = constraint;
    *row = (*rows)++;
}

/* Adds a contact to those that touch. */
static sal_contact_touch *add_touch(saltus_run *run, int i, bool impact)
{
    sal_contacts      *c = &run->contacts;
    const sal_contact *contact = contact_at(run, i);
    const double      *number = c->numbers + i * SAL_CONTACT_NUMBERS;
    sal_contact_touch *touch = &c->touch[c->touching];
    c->which[c->touching++] = i;
    *touch = (sal_contact_touch){.mu_static = number[SAL_MU_STATIC],
                                 .mu_kinetic = number[SAL_MU_KINETIC],
                                 .restitution = impact ? number[SAL_RESTITUTION] : 0.0,
                                 .allowed = SAL_CONTACT_ANY};
    note_row(run, &c->rows, contact->normal, &touch->normal);
    /* one that will be held where it rests is not, along the surface, while it bounces */
    const bool bounces = contact->holds && touch->restitution > 0.0;
    note_row(run, &c->rows, bounces ? -1 : contact->friction, &touch->tangent);
    if (contact->normal < 0) touch->allowed &= ~(unsigned)SAL_CONTACT_OPEN;
    if (contact->holds && !bounces) {
        touch->mu_static = touch->mu_kinetic = UNLIMITED;
        touch->allowed = SAL_CONTACT_OPEN | SAL_CONTACT_STICK;
    }
    return touch;
}

/* The gradients of the rows by velocities, at the state in the field. */
static void find_gradients(saltus_run *run)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    const size_t         size = (size_t)system->layout.size;
    double              *weight = SCRATCH_NEW(&run->scratch, system->nmu, double);
    double              *bar = SCRATCH_NEW(&run->scratch, size, double);
    for (int r = 0; r < c->rows; r++) {
        memset(weight, 0, (size_t)system->nmu * sizeof *weight);
        memset(bar, 0, size * sizeof *bar);
        weight[c->row[r]] = 1.0;
        sal_map_adjoint(&system->phi_dot, c->field.u, weight, 1, bar, c->field.work);
        memcpy(c->W + r * system->n, bar + system->layout.at[SAL_LEAF_V],
               (size_t)system->n * sizeof *c->W);
    }
    sal_scratch_release(&run->scratch, weight);
}

static double inner(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double sum_of_sizes(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += fabs(a[i] * b[i]);
    return sum;
}

/* What the rate along w is the sum of; and a thousandth of what it would be if all coordinates were
 * as fast as the fastest, now or before: impacts and accelerations mix them. */
static double mixed_size(const double *w, const double *v, const double *before, int n)
{
    double fastest = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        fastest = fmax(fastest, fmax(fabs(v[i]), fabs(before[i])));
        sum += fabs(w[i]);
    }
    return sum_of_sizes(w, v, n) + 1e-3 * sum * fastest;
}

/* D = W A W^T, where A is what forces on the coordinates do to the mechanism without these
 * contacts: in an impact with the law of the event itself. moving: velocities, or accelerations;
 * free rates are sums of terms of that size. */
static bool find_response(saltus_run *run, bool impact, const double *moving)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    const int            n = system->n;
    find_gradients(run);
    if (!impact && sal_field_factor_law(&c->field) != SAL_FIELD_OK) return false;
    double *X = SCRATCH_NEW(&run->scratch, system->nx, double);
    for (int s = 0; s < c->rows; s++) {
        memset(X, 0, (size_t)system->nx * sizeof *X);
        memcpy(X, c->W + s * n, (size_t)n * sizeof *X);
        if (impact) sal_jump_respond(&run->jump, c->W + s * n, X);
        else sal_field_solve_law(&c->field, false, X, 1);
        for (int r = 0; r < c->rows; r++) c->D[r * c->rows + s] = inner(c->W + r * n, X, n);
    }
    sal_scratch_release(&run->scratch, X);
    for (int r = 0; r < c->rows; r++)
        c->size[r] = mixed_size(c->W + r * n, moving, moving, n) + fabs(c->free_rates[r]);
    return true;
}

/* ---- outcomes ------------------------------------------------------------------------------- */

/* The names of the contacts that touch. */
static const char *names_of(saltus_run *run, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < run->contacts.touching && used < size; k++) {
        const char *name = contact_at(run, run->contacts.which[k])->label.name;
        const int   more = snprintf(text + used, size - used, "%s'%s'", k ? ", " : "", name);
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

static void finish_set(saltus_run *run, double t, sal_contact_status status, bool impact)
{
    char        names[200];
    const char *what = impact ? "impact" : "motion";
    names_of(run, names, sizeof names);
    if (status == SAL_CONTACT_SEVERAL)
        sal_run_finish(
            run, SALTUS_AMBIGUOUS,
            "at t = %.10g more than one %s is possible with the contacts %s: they may "
            "stick, slide or open in different ways (Painleve's paradox); less friction, "
            "or a contact that gives way, decides it",
            t, what, names);
    else
        sal_run_finish(
            run, SALTUS_PAINLEVE,
            "at t = %.10g no %s is possible with the contacts %s: whichever of them "
            "stick, slide or open, one would pull, or rub more than its friction allows "
            "(Painleve's paradox); less friction, or a contact that gives way, avoids it",
            t, what, names);
}

/* Notes a contact that is exactly at a threshold. In motion, one whose own event happens is at a
 * threshold because of that. */
static void note_tie(saltus_run *run, const sal_event *of, double t, bool impact)
{
    const sal_contacts *c = &run->contacts;
    if (c->set.best.ties == 0) return;
    const int i = c->which[c->set.best.tie];
    if (impact || !is_of(of, i)) sal_tie_note_contact(run, i, t);
}

static sal_contact_problem problem_of(const sal_contacts *c, bool impact)
{
    return (sal_contact_problem){.contacts = c->touching,
                                 .rows = c->rows,
                                 .contact = c->touch,
                                 .D = c->D,
                                 .free_rates = c->free_rates,
                                 .before = c->before,
                                 .size = c->size,
                                 .impact = impact,
                                 .rounding = ROUNDING,
                                 .independent = true};
}

/* Solves the problem. False: the run has ended. */
static bool solve(saltus_run *run, const sal_event *of, double t, bool impact)
{
    sal_contacts             *c = &run->contacts;
    const sal_contact_problem problem = problem_of(c, impact);
    const sal_contact_status  status = sal_contact_set_solve(&c->set, &problem);
    const bool locked = impact && c->touching == 1 && c->touch->tangent < 0; /* the law says so */
    if (status != SAL_CONTACT_FOUND && !locked) finish_set(run, t, status, impact);
    else if (status == SAL_CONTACT_FOUND) note_tie(run, of, t, impact);
    return status == SAL_CONTACT_FOUND;
}

/* ---- impacts -------------------------------------------------------------------------------- */

static bool exists(const saltus_run *run, int i, const sal_regime *to)
{
    return sal_modes_active(run->system->model, &contact_at(run, i)->modes, to->active);
}

/* Whether there is something to touch: the conditions of the script hold at the state in the field.
 */
static bool has_conditions(saltus_run *run, int i)
{
    const sal_event_system *event = &run->system->event[touch_event(run, i)];
    bool                    hold = true;
    if (event->wheres <= event->speeds) return true;
    double *value = SCRATCH_NEW(&run->scratch, event->wheres, double);
    sal_map_value(&event->where, run->contacts.field.u, value, run->contacts.field.work);
    for (int k = event->speeds; k < event->wheres; k++) hold = hold && value[k] > 0.0;
    sal_scratch_release(&run->scratch, value);
    return hold;
}

/* Whether a contact that is open touches, at the state in the field. One that was released, or that
 * others hold, does so as long as it is not seen beyond what it has drifted. */
static bool is_touching(saltus_run *run, int i, double t, const double *x)
{
    const int              e = touch_event(run, i);
    const sal_guard_state *watch = &run->cursor.watch[e];
    const double           gap = run->contacts.phi[contact_at(run, i)->normal] - watch->offset;
    return (fabs(gap) <= watch->band ||
            fabs(gap) <= sal_locator_rounding(&run->locator, e, t, x)) &&
           has_conditions(run, i);
}

/* Whether a contact that is open in the regime has not been seen to open. */
static bool was_held(const saltus_run *run, int i, const sal_regime *to)
{
    const sal_contact *contact = contact_at(run, i);
    return contact->normal >= 0 && mode_in(contact, to) == SAL_OPEN &&
           run->cursor.watch[touch_event(run, i)].band > 0.0;
}

/* Whether the slip of a contact cannot be told from zero: it has just begun to slide, or it is held
 * by others. */
static bool slip_is_unseen(const saltus_run *run, int i, double slip)
{
    for (int e = 0; e < run->system->events; e++) {
        const sal_event       *event = contact_event(run, e);
        const sal_guard_state *watch = &run->cursor.watch[e];
        if (is_of(event, i) && event->role == SAL_STOPS && run->cursor.regime->possible[e] &&
            fabs(slip - watch->offset) <= watch->band)
            return true;
    }
    return false;
}

/* Values and rates of all constraints, and the numbers of contacts, at the state in the field. */
static void look(saltus_run *run)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    sal_map_value(&system->phi, c->field.u, c->phi, c->field.work);
    sal_map_value(&system->phi_dot, c->field.u, c->phi_dot, c->field.work);
    memset(c->numbers, 0, (size_t)(c->count * SAL_CONTACT_NUMBERS) * sizeof *c->numbers);
    sal_kernel_eval(&system->contact_numbers, c->field.u, NULL, 1, c->numbers, c->field.work);
    c->touching = c->rows = 0;
}

/* The rates that constraints have before the event at whose state contacts are looked at, although
 * they should be zero: what contacts that are closed have drifted is no motion after it either. */
static bool find_drift(saltus_run *run, const sal_regime *to, bool jumped)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    const sal_regime    *before = run->cursor.regime;
    memset(c->drift, 0, (size_t)system->nmu * sizeof *c->drift);
    if (!jumped) return true;
    if (!enter_free(run, to, run->cursor.t, run->cursor.x, run->cursor.c)) return false;
    sal_map_value(&system->phi_dot, c->field.u, c->phi_dot, c->field.work);
    for (int j = 0; j < system->nmu; j++)
        if (before->on[j] && to->on[j]) c->drift[j] = c->phi_dot[j];
    return true;
}

/* Whether a contact that touches approaches by more than rounding. What one that is closed has
 * drifted is no approach, unless the event has a law of its own; moved: the event sets velocities,
 * and those before it tell what has drifted. */
static bool approaches(const saltus_run *run, const sal_contact_touch *touch, bool closed,
                       bool moved)
{
    const sal_contacts *c = &run->contacts;
    const int           row = touch->normal;
    const double        noise = ROUNDING * c->size[row], rate = c->free_rates[row];
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
        const sal_contact *contact = contact_at(run, i);
        const bool         touched = is_of(of, i) && of->role == SAL_TOUCHES;
        if (contact->normal < 0 || c->apart[i] || !exists(run, i, to)) continue;
        if (is_of(of, i) && of->role == SAL_ENDS) continue;
        const bool open = !touched && mode_in(contact, to) == SAL_OPEN;
        if (open && !(together && is_touching(run, i, t, x))) continue;
        if (open) sal_tie_note_contact(run, i, t); /* a small gap would make it a later impact */
        sal_contact_touch *touch = add_touch(run, i, true);
        touch->preferred = set_mode(contact, mode_in(contact, to));
        c->before[touch->normal] = c->phi_dot[contact->normal];
        if (touch->tangent >= 0) c->before[touch->tangent] = c->phi_dot[contact->friction];
    }
}

/* The rates of rows with these velocities instead of those in the field. */
static void find_free_rates(saltus_run *run, const double *v)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    memcpy(sal_u(&c->field, SAL_LEAF_V), v, (size_t)system->n * sizeof *v);
    sal_map_value(&system->phi_dot, c->field.u, c->phi_dot, c->field.work);
    for (int r = 0; r < c->rows; r++) c->free_rates[r] = c->phi_dot[c->row[r]];
}

static bool any_approaches(saltus_run *run, const sal_event *of, const sal_regime *to, bool moved)
{
    const sal_contacts *c = &run->contacts;
    for (int k = 0; k < c->touching; k++) {
        const bool touched = is_of(of, c->which[k]) && of->role == SAL_TOUCHES;
        const bool closed = mode_in(contact_at(run, c->which[k]), to) != SAL_OPEN;
        if (approaches(run, &c->touch[k], closed && !touched, moved)) return true;
    }
    return false;
}

/* Whether the last touch of a contact was slow already, so that its sums include those left out. */
static bool was_slow(const saltus_run *run, const sal_contact *contact)
{
    const double *c = run->cursor.c;
    return contact->slow < 0 || c[contact->speed] < c[contact->slow];
}

/* Two contacts that touch in turn, each throwing the other off, come to rest like one that bounces:
 * once they are slow, all that touch stay. Whether that is so: the one that fires is slow, and
 * another one, which was closed, would open; and both were slow before, or this is much slower. */
static bool rocks_to_rest(saltus_run *run, const sal_event *of, const sal_regime *to)
{
    const sal_contacts *c = &run->contacts;
    bool                slow = false, slower = false, opens = false, summed = true;
    for (int k = 0; k < c->touching; k++) {
        const sal_contact *contact = contact_at(run, c->which[k]);
        const double       speed = -c->before[c->touch[k].normal];
        const double       least = run->options.rest_speed * run->cursor.fastest_touch;
        const bool         open = c->set.best.mode[k] == SAL_CONTACT_OPEN;
        if (is_of(of, c->which[k]) && of->role == SAL_TOUCHES) {
            slow = contact->closes && !open && c->touch[k].restitution == 0.0 && speed < least;
            slower = speed < 0.1 * least;
            summed = summed && was_slow(run, contact);
            run->cursor.fastest_touch = fmax(run->cursor.fastest_touch, speed);
        } else if (open && mode_in(contact, to) != SAL_OPEN) {
            opens = true;
            summed = summed && was_slow(run, contact);
        }
    }
    return slow && opens && (summed || slower);
}

/* All contacts that touch stay: those that slide go on sliding, the others stick. */
static void hold_all(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    for (int k = 0; k < c->touching; k++) {
        const sal_contact *contact = contact_at(run, c->which[k]);
        const int          tangent = c->touch[k].tangent;
        const double       slip = tangent < 0 ? 0.0 : c->before[tangent];
        const bool         sticks = tangent < 0 || contact->holds ||
                            fabs(slip) <= run->options.rest_speed * run->cursor.fastest_touch;
        c->set.best.mode[k] = sticks     ? set_mode(contact, SAL_HELD)
                              : slip > 0 ? SAL_CONTACT_SLIDE_PLUS
                                         : SAL_CONTACT_SLIDE_MINUS;
    }
}

/* Whether the event sets positions or velocities. */
static bool sets_motion(const saltus_run *run, int event)
{
    const sal_assigned *set = &run->system->event[event].reset.before;
    for (int i = 0; i < set->count; i++)
        if (set->output[i] < 2 * run->system->n) return true;
    return false;
}

/* Whether impulses of one of the contacts that touch change the rates of another. */
static bool are_coupled(const saltus_run *run, int k, int l)
{
    const sal_contacts *c = &run->contacts;
    const int           of_k[] = {c->touch[k].normal, c->touch[k].tangent};
    const int           of_l[] = {c->touch[l].normal, c->touch[l].tangent};
    for (int i = 0; i < 4; i++) {
        const int r = of_k[i / 2], s = of_l[i % 2], m = c->rows;
        if (r < 0 || s < 0) continue;
        if (fabs(c->D[r * m + s]) > ROUNDING * sqrt(c->D[r * m + r] * c->D[s * m + s])) return true;
    }
    return false;
}

/* Whether the impact begins at this one of the contacts that touch: it is the one of the event or,
 * if the event is none of a contact, it approaches. */
static bool begins_impact(const saltus_run *run, int k, int event, const sal_regime *to)
{
    const sal_event *of = contact_event(run, event);
    const int        i = run->contacts.which[k];
    if (of && of->role == SAL_TOUCHES) return is_of(of, i);
    return approaches(run, &run->contacts.touch[k], mode_in(contact_at(run, i), to) != SAL_OPEN,
                      sets_motion(run, event));
}

/* Contacts that touch at the same instant, but that nothing of the impact reaches, have impacts of
 * their own: their times depend on other things. True: there are some. */
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

/* The event with which contact i touches now: with restitution it has two. -1: none. */
static int touch_now(saltus_run *run, int i)
{
    const sal_regime *regime = run->cursor.regime;
    for (int k = 0; k < regime->events; k++) {
        const int        e = regime->event[k];
        const sal_event *event = contact_event(run, e);
        if (is_of(event, i) && event->role == SAL_TOUCHES && sal_event_conditions(run, e)) return e;
    }
    return -1;
}

/* Whether the event sets nothing but memories, not more than there are together with others. */
static bool is_shareable(const saltus_run *run, int event, int *set)
{
    const sal_assigned *before = &run->system->event[event].reset.before;
    *set += before->count;
    for (int i = 0; i < before->count; i++)
        if (before->output[i] < 2 * run->system->n) return false;
    return !run->system->event[event].reset.has_late && *set <= run->system->nm_user;
}

/* Contacts that were open, approach, and take part in the impact: each has its event in it. True:
 * there are some. */
static bool find_shared(saltus_run *run, int event, const sal_regime *to)
{
    sal_contacts    *c = &run->contacts;
    const sal_event *of = contact_event(run, event);
    int              set = run->system->event[event].reset.before.count;
    c->shares = 0;
    for (int k = 0; k < c->touching; k++) {
        const int i = c->which[k];
        if (c->apart[i] || is_of(of, i) || mode_in(contact_at(run, i), to) != SAL_OPEN) continue;
        if (!approaches(run, &c->touch[k], false, false)) continue;
        const int e = touch_now(run, i);
        if (e >= 0 && is_shareable(run, e, &set)) c->shared[c->shares++] = e;
    }
    return c->shares > 0;
}

/* Begins the jump again, with the events that share it. */
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

/* Forgets the events of contacts that turned out to have no impulse. True: there were some. */
static bool drop_untouched(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    const int     before = c->shares;
    c->shares = 0;
    for (int s = 0; s < before; s++)
        for (int k = 0; k < c->touching; k++)
            if (is_of(contact_event(run, c->shared[s]), c->which[k]) &&
                c->set.best.mode[k] != SAL_CONTACT_OPEN) {
                c->shared[c->shares++] = c->shared[s];
                break;
            }
    return c->shares < before;
}

/* Lists what touches and what impulses would do. False: the law of the event is singular, or the
 * run has ended. */
static bool prepare_impact(saltus_run *run, int event, const sal_regime *to, bool has_law)
{
    sal_contacts *c = &run->contacts;
    const double *memories = sal_u(run->jump.before, SAL_LEAF_C_AFTER);
    if (!enter_free(run, to, run->cursor.t, run->jump.state, memories)) return false;
    look(run);
    list_touching(run, contact_event(run, event), to);
    if (c->touching == 0) return true;
    double    *v = SCRATCH_NEW(&run->scratch, run->system->n, double);
    const bool possible = sal_jump_free(&run->jump, c->field.regime, has_law, v);
    if (possible) find_free_rates(run, v);
    const bool known = possible && find_response(run, true, v);
    sal_scratch_release(&run->scratch, v);
    return known;
}

/* Finds the impact, with all that take part in it. False: the run has ended. */
static bool solve_impact(saltus_run *run, int event, const sal_regime *to, bool has_law)
{
    const sal_event *of = contact_event(run, event);
    const bool       apart = find_apart(run, event, to);
    bool             again = find_shared(run, event, to);
    if (!again && !apart) return solve(run, of, run->cursor.t, true);
    for (;;) {
        if (again && !begin_shared(run, event)) return false;
        if (!prepare_impact(run, event, to, has_law) || !solve(run, of, run->cursor.t, true))
            return false;
        again = drop_untouched(run);
        if (!again) return true;
    }
}

bool sal_contacts_collide(saltus_run *run, int event, const sal_regime *to, bool has_law,
                          const sal_regime **impact)
{
    const sal_event *of = contact_event(run, event);
    sal_contacts    *c = &run->contacts;
    *impact = NULL;
    c->shares = 0;
    memset(c->apart, 0, (size_t)c->count * sizeof *c->apart);
    /* where nothing moves, contacts that approach have events of their own */
    if (!(of && of->role == SAL_TOUCHES) && !has_law && !sets_motion(run, event)) return true;
    if (!find_drift(run, to, sets_motion(run, event))) return false;
    if (!prepare_impact(run, event, to, has_law)) return !run->finished; /* the law says why */
    if (c->touching == 0) return true;
    if (!any_approaches(run, of, to, sets_motion(run, event))) {
        if (has_law) *impact = c->field.regime; /* it pulls none of them along */
        return true;
    }
    if (!solve_impact(run, event, to, has_law)) return false;
    if (rocks_to_rest(run, of, to)) hold_all(run);
    *impact = regime_with(run, to, c->touching);
    return *impact != NULL;
}

void sal_contacts_note_shared(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    const double *impulse = sal_u(run->jump.before, SAL_LEAF_IMPULSE_MU);
    for (int s = 0; s < c->shares; s++) {
        const int i = contact_event(run, c->shared[s])->found - 1;
        c->shared_impulse[s] = -impulse[contact_at(run, i)->normal];
        for (int e = 0; e < run->system->events; e++)
            if (is_of(contact_event(run, e), i)) run->pending[e] = 0;
    }
}

int sal_contacts_shared(const saltus_run *run, int i, double *impulse)
{
    const sal_contacts *c = &run->contacts;
    for (int s = 0; s < c->shares; s++) {
        if (!is_of(contact_event(run, c->shared[s]), i)) continue;
        *impulse = c->shared_impulse[s];
        return c->shared[s];
    }
    return -1;
}

/* ---- modes ---------------------------------------------------------------------------------- */

/* The rate of a constraint after the event; what it has drifted while it was held is none, unless
 * the impact has removed that. */
static double rate_after(const saltus_run *run, int constraint)
{
    const double rate = run->contacts.phi_dot[constraint];
    const double moved = rate - run->contacts.drift[constraint];
    return fabs(moved) < fabs(rate) ? moved : rate;
}

/* The slip of a contact that touches; 0 where it sticks. Where velocities have not jumped, one that
 * sticks goes on doing so whatever it has drifted, and one that slides, however slowly. */
static double slip_of(const saltus_run *run, int i, const sal_event *of, bool jumped,
                      const sal_regime *to, const sal_regime *impact, double size)
{
    const sal_contact *contact = contact_at(run, i);
    const double       slip = rate_after(run, contact->friction);
    const bool         hit = impact && contact->normal >= 0;
    const int          mode = mode_in(contact, hit ? impact : to);
    if (is_of(of, i) && of->role == SAL_STOPS) return 0.0;
    if (is_of(of, i) && of->role == SAL_SLIPS_PLUS) return DBL_MIN; /* whatever rounding says */
    if (is_of(of, i) && of->role == SAL_SLIPS_MINUS) return -DBL_MIN;
    if ((hit || !jumped) && mode == SAL_HELD) return 0.0;
    if (!jumped && mode != SAL_HELD && slip_is_unseen(run, i, slip)) return 0.0;
    if (!jumped && mode == SAL_SLIDES_PLUS) return fmax(slip, DBL_MIN);
    if (!jumped && mode == SAL_SLIDES_MINUS) return fmin(slip, -DBL_MIN);
    /* where nothing jumps, that of one which others held has drifted */
    return fabs(slip) <= fmax(ROUNDING * size,
                              jumped ? 0.0 : DRIFT * sal_locator_widest(&run->locator, true))
               ? 0.0
               : slip;
}

/* What the event has just ruled out. */
static unsigned ruled_out(const sal_event *of, const sal_contact *contact, const sal_regime *to)
{
    switch (of->role) {
    case SAL_SLIPS_PLUS: return SAL_CONTACT_STICK | SAL_CONTACT_SLIDE_MINUS;
    case SAL_SLIPS_MINUS: return SAL_CONTACT_STICK | SAL_CONTACT_SLIDE_PLUS;
    case SAL_STOPS: return set_mode(contact, mode_in(contact, to));
    default: return 0;
    }
}

/* Whether contact i stays together at the state in the field, after an impact in that regime;
 * moved: or after velocities were set. */
static bool stays(saltus_run *run, int i, const sal_event *of, const sal_regime *to,
                  const sal_regime *impact, bool moved, double t, const double *x)
{
    const sal_contact *contact = contact_at(run, i);
    if (contact->normal < 0) return true;
    if (!contact->closes) return false;
    if (is_of(of, i) && (of->role == SAL_LEAVES || of->role == SAL_ENDS)) return false;
    const bool touched = is_of(of, i) && of->role == SAL_TOUCHES;
    if (!touched && mode_in(contact, to) == SAL_OPEN && !is_touching(run, i, t, x)) return false;
    if (!impact && !moved && mode_in(contact, to) != SAL_OPEN) return true;
    if (contact->holds && !touched && mode_in(contact, to) == SAL_OPEN) return false;
    double size = 0.0; /* of velocities on both sides: the scale of rounding */
    for (int j = run->system->n; j < 2 * run->system->n; j++)
        size += fabs(x[j]) + fabs(run->cursor.x[j]);
    const double rate = rate_after(run, contact->normal);
    /* where nothing jumps, one that others held has drifted */
    const double drift =
        impact || moved ? 0.0 : sal_guard_rate_drift(run, touch_event(run, i), t, x);
    const double zero = fmax(ROUNDING * size, drift);
    /* one that still approaches has an impact of its own */
    if (mode_in(contact, to) == SAL_OPEN && rate < -zero) return false;
    return rate <= zero;
}

/* The accelerations that the contacts listed have without forces of theirs, and what forces do. */
static bool find_rates(saltus_run *run, double t, const double *x)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    if (sal_field_eval(&c->field, t, x, c->k, NULL) != SAL_FIELD_OK) return false;
    memset(c->rates, 0, (size_t)(c->count * SAL_CONTACT_RATES) * sizeof *c->rates);
    sal_kernel_eval(&system->contact_rates, c->field.u, NULL, 1, c->rates, c->field.work);
    for (int k = 0; k < c->touching; k++) {
        const double            *rate = c->rates + c->which[k] * SAL_CONTACT_RATES;
        const sal_contact_touch *touch = &c->touch[k];
        if (touch->normal >= 0) c->free_rates[touch->normal] = rate[SAL_GAP_RATE];
        if (touch->tangent >= 0) c->free_rates[touch->tangent] = rate[SAL_SLIP_RATE];
    }
    return find_response(run, false, c->k + system->n);
}

/* ---- ties ----------------------------------------------------------------------------------- */

/* The state a time dt later, with the forces that were found, and the rates there. */
static bool look_ahead(saltus_run *run, const sal_regime *to, double t, const double *x,
                       const double *memories, const double *a, double dt)
{
    const int n = run->system->n;
    double   *then = SCRATCH_NEW(&run->scratch, 2 * n, double);
    for (int i = 0; i < n; i++) {
        then[i] = x[i] + dt * x[n + i] + 0.5 * dt * dt * a[i];
        then[n + i] = x[n + i] + dt * a[i];
    }
    const bool known = enter_free(run, to, t + dt, then, memories) && find_rates(run, t + dt, then);
    sal_scratch_release(&run->scratch, then);
    return known;
}

/* The accelerations with the forces that were found. The law is still factored. */
static void find_accelerations(saltus_run *run, double *a)
{
    const sal_contacts *c = &run->contacts;
    const int           n = run->system->n;
    double             *X = SCRATCH_NEW(&run->scratch, run->system->nx, double);
    memset(X, 0, (size_t)run->system->nx * sizeof *X);
    for (int r = 0; r < c->rows; r++)
        for (int i = 0; i < n; i++) X[i] += c->set.best.force[r] * c->W[r * n + i];
    sal_field_solve_law(&c->field, false, X, 1);
    for (int i = 0; i < n; i++) a[i] = c->k[n + i] + X[i];
    sal_scratch_release(&run->scratch, X);
}

/* The coefficients of friction at the state in the field. */
static void take_friction(saltus_run *run)
{
    sal_contacts *c = &run->contacts;
    double       *number = SCRATCH_NEW(&run->scratch, c->count * SAL_CONTACT_NUMBERS, double);
    memset(number, 0, (size_t)(c->count * SAL_CONTACT_NUMBERS) * sizeof *number);
    sal_kernel_eval(&run->system->contact_numbers, c->field.u, NULL, 1, number, c->field.work);
    for (int k = 0; k < c->touching; k++) {
        if (contact_at(run, c->which[k])->holds) continue;
        c->touch[k].mu_static = number[c->which[k] * SAL_CONTACT_NUMBERS + SAL_MU_STATIC];
        c->touch[k].mu_kinetic = number[c->which[k] * SAL_CONTACT_NUMBERS + SAL_MU_KINETIC];
    }
    sal_scratch_release(&run->scratch, number);
}

/* Where a condition of the modes that were found holds with equality only, what comes next decides
 * (contact/later.h): a moment ahead, and if there is still a tie, longer ones. */
static void decide_tie(saltus_run *run, bool start, const sal_regime *to, double t, const double *x,
                       const double *memories)
{
    static const double ahead[] = {1e-3, 3e-2, 0.5};
    sal_contacts       *c = &run->contacts;
    if (c->set.best.ties == 0) return;
    const size_t       rows = (size_t)c->rows, contacts = (size_t)c->touching;
    const size_t       numbers = rows * rows + 2 * rows;
    double            *kept = SCRATCH_NEW(&run->scratch, numbers + (size_t)run->system->n, double);
    sal_contact_touch *touch = SCRATCH_NEW(&run->scratch, 2 * contacts, sal_contact_touch);
    double            *D = kept, *rates = D + rows * rows, *size = rates + rows, *a = size + rows;
    sal_contact_next   next = SAL_NEXT_TIES;
    memcpy(D, c->D, rows * rows * sizeof *D);
    memcpy(rates, c->free_rates, rows * sizeof *rates);
    memcpy(size, c->size, rows * sizeof *size);
    memcpy(touch, c->touch, contacts * sizeof *touch);
    sal_contact_problem now = problem_of(c, false);
    now.contact = touch, now.D = D, now.free_rates = rates, now.size = size;
    find_accelerations(run, a);
    /* one that starts closed and is lifted from there on leaves with an event */
    for (int k = 0; k < c->touching && start; k++)
        if (contact_at(run, c->which[k])->starts_closed && c->set.best.mode[k] != SAL_CONTACT_OPEN)
            c->touch[k].allowed &= ~(unsigned)SAL_CONTACT_OPEN;
    for (int i = 0; i < 3 && next == SAL_NEXT_TIES; i++) {
        const double dt = ahead[i] * sal_run_short_time(run);
        if (!look_ahead(run, to, t, x, memories, a, dt)) break;
        take_friction(run);
        const sal_contact_problem later = problem_of(c, false);
        next = sal_contact_decide(&c->set, &now, &later, touch + contacts);
    }
    memcpy(c->D, D, rows * rows * sizeof *D);
    memcpy(c->free_rates, rates, rows * sizeof *rates);
    memcpy(c->size, size, rows * sizeof *size);
    memcpy(c->touch, touch, contacts * sizeof *touch);
    sal_scratch_release(&run->scratch, kept);
}

static const sal_regime *find_modes(saltus_run *run, int event, const sal_regime *to,
                                    const sal_regime *impact, double t, const double *x,
                                    const double *memories)
{
    const saltus_system *system = run->system;
    const sal_event     *of = contact_event(run, event);
    sal_contacts        *c = &run->contacts;
    const bool           moved = event >= 0 && sets_motion(run, event);
    const bool           jumped = event < 0 || impact || moved; /* or the start */
    if (!find_drift(run, to, jumped && event >= 0) || !enter_free(run, to, t, x, memories))
        return NULL;
    look(run);
    for (int i = 0; i < c->count; i++) {
        const sal_event *own = event_of(run, i, event);
        if (!exists(run, i, to) || !stays(run, i, own, to, impact, moved, t, x)) continue;
        sal_contact_touch *touch = add_touch(run, i, false);
        touch->preferred = set_mode(contact_at(run, i), mode_in(contact_at(run, i), to));
        /* one that has just touched, or that others held, stays, if nothing presses or pulls it */
        if ((is_of(own, i) && own->role == SAL_TOUCHES) || (!impact && was_held(run, i, to)))
            touch->preferred = set_mode(contact_at(run, i), SAL_HELD);
        if (is_of(own, i)) touch->allowed &= ~ruled_out(own, contact_at(run, i), to);
    }
    if (c->touching == 0) return regime_with(run, to, run->contacts.touching);
    if (!find_rates(run, t, x)) return to; /* the motion says why */
    for (int k = 0; k < c->touching; k++) {
        sal_contact_touch *touch = &c->touch[k];
        if (touch->tangent < 0) continue;
        const int    n = system->n;
        const double size = mixed_size(c->W + touch->tangent * n, x + n, run->cursor.x + n, n);
        touch->slip =
            slip_of(run, c->which[k], event_of(run, c->which[k], event), jumped, to, impact, size);
        if (touch->preferred == SAL_CONTACT_STICK && touch->slip != 0.0) /* it stays, and slides */
            touch->preferred = touch->slip > 0.0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
    }
    if (!solve(run, of, t, false)) return NULL;
    decide_tie(run, event < 0, to, t, x, memories);
    return run->finished ? NULL : regime_with(run, to, run->contacts.touching);
}

/* Whether two contacts, both listed as touching, slip the same: forces along one move all of them
 * as forces along the other do. */
static bool slip_the_same(const saltus_run *run, int a, int b)
{
    const sal_contacts *c = &run->contacts;
    int                 row[2] = {-1, -1};
    for (int k = 0; k < c->touching; k++) {
        if (c->which[k] == a) row[0] = c->touch[k].tangent;
        if (c->which[k] == b) row[1] = c->touch[k].tangent;
    }
    return row[0] >= 0 && row[1] >= 0 &&
           sal_contact_same_motion(c->D, c->rows, row[0], row[1], ROUNDING) != 0;
}

/* Adds the guards of a contact whose friction is left out to those of one that carries it. */
static void join(const saltus_run *run, int carries, int left_out, int *joins)
{
    static const sal_contact_role roles[] = {SAL_SLIPS_PLUS, SAL_SLIPS_MINUS};
    for (int r = 0; r < 2; r++) {
        int e = event_with(run, carries, roles[r], NULL);
        while (joins[e] >= 0) e = joins[e];
        joins[e] = event_with(run, left_out, roles[r], NULL);
    }
}

/* Whether the contact sticks in the regime by a friction of its own. */
static bool is_rough(const sal_contact *contact, const sal_regime *regime)
{
    return contact->normal >= 0 && contact->friction >= 0 && !contact->holds &&
           mode_in(contact, regime) == SAL_HELD;
}

bool sal_contacts_join(saltus_run *run, sal_field *field)
{
    const int         count = run->contacts.count, events = run->system->events;
    const sal_regime *regime = field->regime;
    if (!field->skip || field->join) return true;
    int *joins = SCRATCH_NEW(&run->scratch, events, int);
    for (int e = 0; e < events; e++) joins[e] = -1;
    for (int j = 0; j < count; j++) {
        const sal_contact *other = contact_at(run, j);
        if (!is_rough(other, regime) || !field->skip[other->friction]) continue;
        for (int i = 0; i < count; i++) {
            const sal_contact *contact = contact_at(run, i);
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

const sal_regime *sal_contacts_after(saltus_run *run, int event, const sal_regime *to,
                                     const sal_regime *impact)
{
    return find_modes(run, event, to, impact, run->cursor.t, run->after.x, run->after.c);
}

/* Which constraints of the regime of the start are needed. */
static bool rank_is_known(saltus_run *run)
{
    int        dependent = -1;
    sal_field *field = &run->motion.field;
    if (!field->regime->constrained || sal_redundancy_known(&run->redundancy, field->regime))
        return true;
    int *ranks = SCRATCH_NEW(&run->scratch, run->system->n, int);
    memset(ranks, 0, (size_t)run->system->n * sizeof *ranks);
    sal_field_put(field, run->cursor.t, run->cursor.x);
    const sal_rank rank =
        sal_rank_find(&run->redundancy, &run->jump.partition, field, ranks, &dependent);
    sal_scratch_release(&run->scratch, ranks);
    if (rank == SAL_RANK_MEMORY) run->finished = run->out_of_memory = true;
    return rank != SAL_RANK_SINGULAR;
}

/* The regime of the start; NULL: the run has ended. */
static const sal_regime *regime_of_start(saltus_run *run)
{
    const sal_cursor *cursor = &run->cursor;
    saltus_error      err = {0};
    const sal_regime *regime =
        find_modes(run, -1, cursor->regime, NULL, cursor->t, cursor->x, cursor->c);
    if (!regime) return NULL;
    if (sal_run_enter(run, regime, &err) != SALTUS_OK) run->finished = run->out_of_memory = true;
    else if (!rank_is_known(run))
        sal_run_finish(run, SALTUS_SINGULAR,
                       "the start is a singular position of the contacts that stick there");
    else if (!sal_contacts_join(run, &run->motion.field)) run->finished = run->out_of_memory = true;
    if (!run->finished) sal_field_switch(&run->locator.field, regime);
    return run->finished ? NULL : regime;
}

/* The place of contact i among those whose modes were just found; -1: it does not touch. */
static int place_of(const saltus_run *run, int i)
{
    for (int k = 0; k < run->contacts.touching; k++)
        if (run->contacts.which[k] == i) return k;
    return -1;
}

static bool is_held(const saltus_run *run, int i)
{
    const int k = place_of(run, i);
    return k >= 0 && run->contacts.set.best.held[k];
}

bool sal_contacts_is_held(const saltus_run *run, int event)
{
    const sal_event *of = contact_event(run, event);
    return of && is_held(run, of->found - 1);
}

bool sal_contacts_is_jammed(const saltus_run *run, int event)
{
    const sal_event *of = contact_event(run, event);
    const int        k = of ? place_of(run, of->found - 1) : -1;
    return k >= 0 && run->contacts.set.best.jammed[k];
}

void sal_contacts_start(saltus_run *run)
{
    sal_cursor       *cursor = &run->cursor;
    const sal_regime *regime = regime_of_start(run);
    if (!regime) return;
    for (int i = 0; i < run->contacts.count; i++) {
        const sal_contact *contact = contact_at(run, i);
        if (!contact->starts_closed || mode_in(contact, regime) != SAL_OPEN || is_held(run, i))
            continue;
        sal_run_finish(run, SALTUS_VIOLATED,
                       "at t = %.10g the contact '%s' starts closed, but does not push; let it "
                       "start open",
                       cursor->t, contact->label.name);
        return;
    }
    cursor->regime = regime;
}
