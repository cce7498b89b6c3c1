/* Checks contacts whose modes the run finds. See audit.h.
 *
 * Along the motion, with the normal force N, the friction force T (against the slip) and the
 * coefficient mu, the laws of the modes are
 *
 *     open       gap >= 0
 *     stick      gap = 0, gap' = 0, N >= 0, slip = 0, |T| <= mu N
 *     slide s    gap = 0, gap' = 0, N >= 0, s slip >= 0, T = s mu N
 *
 * In an impact these laws hold for impulses and for the velocities after it, with Newton's law for
 * gap'. Dry friction on a coordinate has a limit instead of mu N, and takes no part in impacts. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "audit/audit.h"

/* Allowed error of forces, impulses and rates that are solved for, relative to the largest one. */
static const double SOLVED = 1e-7;

static const char *const broken[SAL_CONDITIONS] = {
    [SAL_PULLS] = "pulls",
    [SAL_OUTSIDE_CONE] = "sticks by more than its friction allows",
    [SAL_OTHER_FRICTION] = "slides with a force that is not its friction",
    [SAL_SLIDES_BACK] = "slides against the direction of its mode",
    [SAL_SLIPS] = "slips while it sticks",
    [SAL_PENETRATES] = "is open and penetrates",
    [SAL_GAPES] = "is closed and not at its place",
    [SAL_PARTS] = "is closed and separates",
    [SAL_IMPACT_PULLS] = "pulls in an impact",
    [SAL_IMPACT_OUTSIDE_CONE] = "sticks in an impact by more than its friction allows",
    [SAL_IMPACT_OTHER_FRICTION] = "slides in an impact with an impulse that is not its friction",
    [SAL_IMPACT_SLIDES_BACK] = "slides the other way after an impact",
    [SAL_IMPACT_SLIPS] = "slips after an impact in which it sticks",
    [SAL_IMPACT_APPROACHES] = "touches and approaches after an impact",
    [SAL_IMPACT_RATE] = "leaves an impact at another rate than its restitution says",
};

/* ---- modes ---------------------------------------------------------------------------------- */

static const sal_contact *contact_at(const sal_auditor *a, int i)
{
    return &a->run->system->model->found_contacts.data[i];
}

static int count_of(const sal_auditor *a) { return a->run->system->model->found_contacts.count; }

bool sal_audit_is_found(const saltus_model *model, int group)
{
    for (int i = 0; i < model->found_contacts.count; i++)
        if (model->found_contacts.data[i].group == group) return true;
    return false;
}

static int mode_of(const sal_contact *contact, const sal_regime *regime)
{
    for (int i = 0; i < SAL_CONTACT_MODES; i++)
        if (contact->mode[i] == regime->active[contact->group]) return i;
    return SAL_OPEN;
}

/* The direction of sliding, +1 or -1; 0: the contact does not slide. */
static int direction_of(int mode) { return (mode == SAL_SLIDES_PLUS) - (mode == SAL_SLIDES_MINUS); }

/* The contact that an event belongs to, and its role there; -1: none. */
static int contact_of(const sal_auditor *a, int event, sal_contact_role *role)
{
    const saltus_system *system = a->run->system;
    const int            user = system->event[event].user;
    *role = user < 0 ? SAL_TOUCHES : system->model->events.data[user].role;
    return user < 0 ? -1 : system->model->events.data[user].found - 1;
}

/* Whether an event with this role reports a change of the mode. */
static bool tells(sal_contact_role role, int from, int to)
{
    if (from == SAL_OPEN) return role == SAL_TOUCHES;
    if (to == SAL_OPEN) return role == SAL_LEAVES;
    if (from != SAL_HELD) return role == SAL_STOPS;
    return role == (to == SAL_SLIDES_PLUS ? SAL_SLIPS_PLUS : SAL_SLIPS_MINUS);
}

/* Whether a contact may go to mode `to` at its own event with this role. */
static bool may_follow(sal_contact_role role, int from, int to)
{
    switch (role) {
    case SAL_LEAVES: return to == SAL_OPEN;
    case SAL_SLIPS_PLUS: return to == SAL_SLIDES_PLUS || to == SAL_OPEN;
    case SAL_SLIPS_MINUS: return to == SAL_SLIDES_MINUS || to == SAL_OPEN;
    case SAL_STOPS: return to != from;
    default: return true;
    }
}

/* Whether one of the following occurrences reports that contact i changed at this one. */
static bool is_told(const sal_auditor *a, int occurrence, int i)
{
    const sal_occurrence *o = a->run->history.occurrences.data;
    sal_contact_role      role;
    for (int k = occurrence + 1; k < a->run->history.occurrences.count && o[k].told_from; k++)
        if (contact_of(a, o[k].event, &role) == i) return true;
    return false;
}

/* What is wrong with an occurrence that only reports what another one did; NULL: nothing. */
static const char *wrong_news(const sal_auditor *a, int occurrence)
{
    const sal_occurrence *o = &a->run->history.occurrences.data[occurrence], *cause = o;
    sal_contact_role      role, other;
    const int             i = contact_of(a, o->event, &role);
    while (cause->told_from && cause > a->run->history.occurrences.data) cause--;
    if (i < 0 || cause->told_from || cause->t != o->t || o->from != o->to || cause->to != o->from)
        return "it follows from no other event";
    /* a contact that opens at the instant of its touch, slip or stop also reports that it leaves */
    if (contact_of(a, cause->event, &other) == i)
        return role == SAL_LEAVES && other != SAL_LEAVES &&
                       mode_of(contact_at(a, i), cause->to) == SAL_OPEN
                   ? NULL
                   : "it follows from no other event";
    for (int k = 0; k < cause->shares; k++) /* a touch that is part of another one's impact */
        if (a->run->history.shared.data[cause->shared + k] == o->event) return NULL;
    const int from = mode_of(contact_at(a, i), cause->from),
              to = mode_of(contact_at(a, i), cause->to);
    return from != to && tells(role, from, to) ? NULL : "the mode of its contact did not change so";
}

const char *sal_audit_contacts_wrong(const sal_auditor *a, int occurrence)
{
    const sal_occurrence *o = &a->run->history.occurrences.data[occurrence];
    sal_contact_role      role;
    const int             own = contact_of(a, o->event, &role);
    if (o->terminal) return NULL;
    if (o->told_from) return wrong_news(a, occurrence);
    for (int i = 0; i < count_of(a); i++) {
        const int from = mode_of(contact_at(a, i), o->from), to = mode_of(contact_at(a, i), o->to);
        if (i == own && !may_follow(role, from, to)) return "it does not lead to that mode";
        if (i != own && from != to && !is_told(a, occurrence, i))
            return "another contact changes its mode without an event";
    }
    return NULL;
}

/* ---- conditions ----------------------------------------------------------------------------- */

static double part_of(const sal_closest *c)
{
    return !(c->value > 0.0) ? 0.0 : c->value / c->allowed;
}

/* Notes the value of a condition, which is broken if it is larger than allowed. If value is not
 * positive, allowed is not used. */
static void note(sal_auditor *a, int i, sal_condition condition, double value, double allowed,
                 int occurrence)
{
    sal_closest      *closest = &a->contact[i].closest[condition];
    const sal_closest now = {value, allowed, a->here, occurrence};
    a->audit.conditions++;
    if (!(part_of(&now) <= part_of(closest))) *closest = now; /* NaN is the worst */
}

/* The error of a constraint, or of its rate, at the state in the field that is explained by the
 * tolerance of positions, by that of velocities, and by rounding. */
typedef struct leeway {
    double q, v, rounding;
} leeway;

static leeway leeway_of(sal_auditor *a, const sal_map *map, int row)
{
    const saltus_system  *system = a->field->system;
    const saltus_options *o = &a->run->options;
    const double         *u = a->field->u;
    const int             q = system->layout.at[SAL_LEAF_Q], n = system->n;
    leeway                l = {0.0, 0.0, 0.0};
    memset(a->bar, 0, (size_t)system->layout.size * sizeof *a->bar);
    a->one[row] = 1.0;
    sal_map_adjoint(map, u, a->one, 1, a->bar, a->field->work);
    a->one[row] = 0.0;
    for (int i = 0; i < system->layout.size; i++) l.rounding += fabs(a->bar[i] * u[i]);
    /* rounding errors of a coordinate from a time when it was larger persist */
    for (int i = 0; i < 2 * n; i++) l.rounding += fabs(a->bar[q + i]) * a->run->refine.size[i];
    for (int i = q; i < q + n; i++) l.q += fabs(a->bar[i]) * (o->rtol * fabs(u[i]) + o->atol);
    for (int i = q + n; i < q + 2 * n; i++)
        l.v += fabs(a->bar[i]) * (o->rtol * fabs(u[i]) + o->atol);
    l.rounding *= 64.0 * DBL_EPSILON;
    return l;
}

/* The allowed error of a gap. Every step adds its error; an error of velocities moves positions
 * from then on. */
static double allowed_gap(sal_auditor *a, int i)
{
    const saltus_system       *system = a->field->system;
    const sal_audited_contact *c = &a->contact[i];
    const int                  row = contact_at(a, i)->normal;
    const leeway               gap = leeway_of(a, &system->phi, row);
    const leeway               rate = leeway_of(a, &system->phi_dot, row);
    const double               steps = SAL_AUDIT_STEPS + (double)c->steps;
    const double               since = a->here - c->since;
    return steps * (gap.q + since * rate.v) + gap.rounding + since * rate.rounding + c->begun;
}

static double allowed_rate(sal_auditor *a, int i, int row)
{
    const leeway rate = leeway_of(a, &a->field->system->phi_dot, row);
    const double steps = SAL_AUDIT_STEPS + (double)a->contact[i].steps;
    return steps * (rate.q + rate.v) + rate.rounding;
}

/* Notes a condition on a force. The allowed error is the noise of the guard of the event that
 * limits this force; it is computed only if the limit is exceeded. */
static void note_force(sal_auditor *a, int i, sal_condition condition, double value, int event)
{
    double rounding, allowed = 0.0;
    if (value > 0.0 && event >= 0) allowed = sal_audit_noise(a, event, &rounding);
    note(a, i, condition, value, allowed, -1);
}

/* ---- along the motion ----------------------------------------------------------------------- */

static bool exists(const sal_auditor *a, int i, const sal_regime *regime)
{
    return sal_modes_active(a->run->system->model, &contact_at(a, i)->modes, regime->active);
}

/* The largest friction force of the contact that slips at this event, plus those of the contacts
 * whose guards are added to its own. */
static double bearing(const sal_auditor *a, int slips)
{
    const saltus_model *model = a->field->system->model;
    double              sum = 0.0;
    for (int e = slips; e >= 0; e = a->field->join ? a->field->join[e] : -1) {
        const int    i = model->events.data[a->field->system->event[e].user].found - 1;
        const int    normal = contact_at(a, i)->normal;
        const double N = normal < 0 ? 1.0 : -sal_u(a->field, SAL_LEAF_MU)[normal];
        sum += a->numbers[i * SAL_CONTACT_NUMBERS + SAL_MU_STATIC] * fmax(N, 0.0);
    }
    return sum;
}

static void look_at_friction(sal_auditor *a, int i, double N)
{
    const sal_contact   *contact = contact_at(a, i);
    sal_audited_contact *c = &a->contact[i];
    const double        *number = a->numbers + i * SAL_CONTACT_NUMBERS;
    const double         T = sal_u(a->field, SAL_LEAF_MU)[contact->friction];
    const double         slip = a->phi_dot[contact->friction];
    const int            s = direction_of(c->mode);
    const bool           soft = a->run->options.formulation == SALTUS_PENALTY;
    a->strongest = fmax(a->strongest, fmax(fabs(N), fabs(T)));
    if (c->mode == SAL_HELD) {
        const int slips = c->event[T > 0.0 ? SAL_SLIPS_PLUS : SAL_SLIPS_MINUS];
        if (!contact->holds) note_force(a, i, SAL_OUTSIDE_CONE, fabs(T) - bearing(a, slips), slips);
        if (!soft) note(a, i, SAL_SLIPS, fabs(slip), allowed_rate(a, i, contact->friction), -1);
    } else {
        const double law = s * number[SAL_MU_KINETIC] * N;
        note(a, i, SAL_OTHER_FRICTION, fabs(T - law), SOLVED * a->strongest, -1);
        note(a, i, SAL_SLIDES_BACK, -s * slip,
             s * slip < 0.0 ? allowed_rate(a, i, contact->friction) : 0.0, -1);
    }
}

static void look_at_closed(sal_auditor *a, int i)
{
    const sal_contact *contact = contact_at(a, i);
    const double       N = -sal_u(a->field, SAL_LEAF_MU)[contact->normal];
    note_force(a, i, SAL_PULLS, -N, a->contact[i].event[SAL_LEAVES]);
    if (contact->friction >= 0) look_at_friction(a, i, N);
    if (a->run->options.formulation == SALTUS_PENALTY) return;
    note(a, i, SAL_GAPES, fabs(a->phi[contact->normal]), allowed_gap(a, i), -1);
    note(a, i, SAL_PARTS, fabs(a->phi_dot[contact->normal]), allowed_rate(a, i, contact->normal),
         -1);
}

/* Evaluates constraints, their rates and the coefficients of contacts at the state in the field. */
static void measure(sal_auditor *a)
{
    const saltus_system *system = a->field->system;
    const size_t         numbers = (size_t)(count_of(a) * SAL_CONTACT_NUMBERS);
    sal_map_value(&system->phi, a->field->u, a->phi, a->field->work);
    sal_map_value(&system->phi_dot, a->field->u, a->phi_dot, a->field->work);
    memset(a->numbers, 0, numbers * sizeof *a->numbers);
    sal_kernel_eval(&system->contact_numbers, a->field->u, NULL, 1, a->numbers, a->field->work);
}

static bool evaluate(sal_auditor *a, double t, const double *x)
{
    a->here = t;
    if (sal_field_eval(a->field, t, x, a->k, NULL) != SAL_FIELD_OK) return false;
    measure(a);
    return true;
}

void sal_audit_contacts_step(sal_auditor *a, const sal_frame *frame)
{
    if (count_of(a) == 0 || !evaluate(a, frame->t, frame->x)) return;
    for (int i = 0; i < count_of(a); i++) {
        sal_audited_contact *c = &a->contact[i];
        const int            mode = mode_of(contact_at(a, i), frame->regime);
        const bool           opens = mode == SAL_OPEN && c->mode > SAL_OPEN;
        c->steps++;
        if (mode == c->mode) continue;
        /* a change between stick and slide does not end the drift of the gap */
        if (mode == SAL_OPEN || c->mode <= SAL_OPEN) {
            c->since = frame->t;
            c->steps = 0;
            c->begun = opens ? fabs(a->phi[contact_at(a, i)->normal]) : 0.0;
        }
        c->mode = mode;
    }
}

void sal_audit_contacts_look(sal_auditor *a, const sal_frame *frame, double theta)
{
    if (count_of(a) == 0) return;
    sal_step_at(&a->run->motion.step, theta, a->x, NULL);
    if (!evaluate(a, frame->t + theta * frame->h, a->x)) return;
    for (int i = 0; i < count_of(a); i++) {
        const int normal = contact_at(a, i)->normal;
        if (!exists(a, i, frame->regime)) continue;
        if (normal < 0) look_at_friction(a, i, 1.0);
        else if (a->contact[i].mode != SAL_OPEN) look_at_closed(a, i);
        else
            note(a, i, SAL_PENETRATES, -a->phi[normal],
                 a->phi[normal] < 0.0 ? allowed_gap(a, i) : 0.0, -1);
    }
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* The rate of a constraint before and after an impact, and the size of its terms. */
typedef struct rates {
    double before, after, size;
} rates;

static void add_size(sal_auditor *a, int row, rates *r)
{
    const saltus_system *system = a->field->system;
    const double        *v = sal_u(a->field, SAL_LEAF_V);
    memset(a->bar, 0, (size_t)system->layout.size * sizeof *a->bar);
    a->one[row] = 1.0;
    sal_map_adjoint(&system->phi_dot, a->field->u, a->one, 1, a->bar, a->field->work);
    a->one[row] = 0.0;
    double size = fabs(a->phi_dot[row]);
    for (int j = 0; j < system->n; j++)
        size += fabs(a->bar[system->layout.at[SAL_LEAF_V] + j] * v[j]);
    r->size = fmax(r->size, size);
}

static rates rates_of(sal_auditor *a, int occurrence, int row)
{
    const sal_sides s = sal_run_sides(a->run, occurrence);
    rates           r = {0.0, 0.0, 0.0};
    const double   *x[] = {s.x_minus, s.x_plus};
    for (int side = 0; side < 2; side++) {
        sal_field_put(a->field, a->here, x[side]);
        sal_map_value(&a->field->system->phi_dot, a->field->u, a->phi_dot, a->field->work);
        *(side ? &r.after : &r.before) = a->phi_dot[row];
        add_size(a, row, &r);
    }
    return r;
}

/* Reads the impulses of all constraints. Returns the largest magnitude. */
static double read_impulses(sal_auditor *a, const sal_occurrence *o)
{
    int    next = o->impulses;
    double largest = 0.0;
    for (int j = 0; j < a->run->system->nmu; j++) {
        a->impulse[j] =
            sal_occurrence_law(o)->loaded[j] ? a->run->history.impulses.data[next++] : 0.0;
        largest = fmax(largest, fabs(a->impulse[j]));
    }
    return largest;
}

static void check_tangent(sal_auditor *a, int occurrence, int i, int mode, double allowed)
{
    const sal_contact *contact = contact_at(a, i);
    const double      *number = a->numbers + i * SAL_CONTACT_NUMBERS;
    const double       N = -a->impulse[contact->normal], T = a->impulse[contact->friction];
    const rates        slip = rates_of(a, occurrence, contact->friction);
    const double       slow = SOLVED * slip.size;
    const int          s = direction_of(mode);
    if (mode == SAL_HELD) {
        /* how contacts that depend on each other share their friction is not determined */
        const sal_regime *law = sal_occurrence_law(&a->run->history.occurrences.data[occurrence]);
        const bool        shared = sal_redundancy_mask(&a->run->redundancy, law) != NULL;
        if (!contact->holds && !shared)
            note(a, i, SAL_IMPACT_OUTSIDE_CONE, fabs(T) - number[SAL_MU_STATIC] * fmax(N, 0.0),
                 allowed, occurrence);
        note(a, i, SAL_IMPACT_SLIPS, fabs(slip.after), slow, occurrence);
    } else {
        note(a, i, SAL_IMPACT_OTHER_FRICTION, fabs(T - s * number[SAL_MU_KINETIC] * N), allowed,
             occurrence);
        note(a, i, SAL_IMPACT_SLIDES_BACK, -s * slip.after, slow, occurrence);
    }
}

/* The largest speed with which a contact closes at the impact. */
static double largest_approach(sal_auditor *a, int occurrence)
{
    double speed = 0.0;
    for (int i = 0; i < count_of(a); i++)
        if (contact_at(a, i)->normal >= 0)
            speed = fmax(speed, -rates_of(a, occurrence, contact_at(a, i)->normal).before);
    return speed;
}

static void check_contact(sal_auditor *a, int occurrence, int i, double largest)
{
    const sal_occurrence *o = &a->run->history.occurrences.data[occurrence];
    const sal_contact    *contact = contact_at(a, i);
    const int             mode = mode_of(contact, sal_occurrence_law(o));
    const double          e = a->numbers[i * SAL_CONTACT_NUMBERS + SAL_RESTITUTION];
    sal_contact_role      role;
    const bool            own = contact_of(a, o->event, &role) == i && role == SAL_TOUCHES;
    if (mode == SAL_OPEN && !own && mode_of(contact, o->from) == SAL_OPEN) return;
    const rates gap = rates_of(a, occurrence, contact->normal);
    if (mode == SAL_OPEN) {
        note(a, i, SAL_IMPACT_APPROACHES, -gap.after - e * gap.before, SOLVED * gap.size,
             occurrence);
        return;
    }
    if (own) a->fastest = fmax(a->fastest, -gap.before);
    /* contacts that rock to rest are forced to rest at the end (theory/contacts.md, "Rest") */
    if (largest_approach(a, occurrence) > a->run->options.rest_speed * a->fastest)
        note(a, i, SAL_IMPACT_PULLS, a->impulse[contact->normal], SOLVED * largest, occurrence);
    note(a, i, SAL_IMPACT_RATE, fabs(gap.after + e * gap.before), SOLVED * gap.size, occurrence);
    const bool free = contact->holds && mode != SAL_HELD; /* it bounces */
    if (contact->friction >= 0 && !free) check_tangent(a, occurrence, i, mode, SOLVED * largest);
}

/* Checks that the impulses explain the change of momentum: the law of the impact must be zero. */
static void check_momentum(sal_auditor *a, int occurrence)
{
    const saltus_system  *system = a->field->system;
    const sal_occurrence *o = &a->run->history.occurrences.data[occurrence];
    const sal_sides       s = sal_run_sides(a->run, occurrence);
    const size_t          n = (size_t)system->n, numbers = n * sizeof(double);
    const sal_map        *law = &sal_occurrence_law(o)->momentum;
    double                size = 0.0, worst = 0.0;
    if (system->event[o->event].reset.restitution) return;
    sal_field_put(a->field, a->here, s.x_minus);
    memcpy(sal_u(a->field, SAL_LEAF_Q_AFTER), s.x_plus, numbers);
    memcpy(sal_u(a->field, SAL_LEAF_C_AFTER), s.c_plus, (size_t)system->nm * sizeof(double));
    memset(sal_u(a->field, SAL_LEAF_V_LAW), 0, numbers);
    memset(sal_u(a->field, SAL_LEAF_IMPULSE_MU), 0, (size_t)system->nmu * sizeof(double));
    for (int side = 0; side < 2; side++) {
        memcpy(sal_u(a->field, SAL_LEAF_V_AFTER), (side ? s.x_plus : s.x_minus) + n, numbers);
        sal_map_value(law, a->field->u, a->law, a->field->work);
        for (int j = 0; j < system->n; j++) size = fmax(size, fabs(a->law[j]));
    }
    memcpy(sal_u(a->field, SAL_LEAF_V_LAW), s.x_minus + n, numbers);
    memcpy(sal_u(a->field, SAL_LEAF_IMPULSE_MU), a->impulse, (size_t)system->nmu * sizeof(double));
    sal_map_value(law, a->field->u, a->law, a->field->work);
    for (int j = 0; j < system->n; j++) worst = fmax(worst, fabs(a->law[j]));
    if (worst > SOLVED * size)
        sal_audit_tell(a, SALTUS_AUDIT_JUMP, o->event, occurrence, worst, SOLVED * size,
                       "event '%s' at t = %.10g: the momentum changes by %.3g more than its "
                       "impulses explain",
                       system->event[o->event].name, a->here, worst);
}

saltus_status sal_audit_contacts_impact(sal_auditor *a, int occurrence, saltus_error *err)
{
    const saltus_system  *system = a->field->system;
    const sal_occurrence *o = &a->run->history.occurrences.data[occurrence];
    const sal_sides       s = sal_run_sides(a->run, occurrence);
    if (count_of(a) == 0 || o->impulses < 0 || system->event[o->event].reset.late.count > 0)
        return SALTUS_OK;
    TRY(sal_field_reserve(a->field, sal_occurrence_law(o)->slots, err));
    a->here = o->t;
    sal_field_put(a->field, a->here, s.x_minus);
    memcpy(sal_u(a->field, SAL_LEAF_C), s.c_plus, (size_t)system->nm * sizeof(double));
    measure(a);
    const double largest = read_impulses(a, o);
    for (int i = 0; i < count_of(a); i++)
        if (contact_at(a, i)->normal >= 0 && exists(a, i, o->to))
            check_contact(a, occurrence, i, largest);
    check_momentum(a, occurrence);
    return SALTUS_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

bool sal_audit_contacts_init(sal_auditor *a, sal_arena *arena)
{
    const saltus_system *system = a->run->system;
    const int            count = count_of(a);
    if (count == 0) return true;
    a->contact = ARENA_NEW(arena, count, sal_audited_contact);
    a->numbers = ARENA_NEW(arena, count * SAL_CONTACT_NUMBERS, double);
    a->phi = ARENA_NEW(arena, system->nmu, double);
    a->phi_dot = ARENA_NEW(arena, system->nmu, double);
    a->one = ARENA_NEW(arena, system->nmu, double);
    a->impulse = ARENA_NEW(arena, system->nmu, double);
    a->law = ARENA_NEW(arena, system->unknowns, double);
    if (arena->failed) return false;
    for (int i = 0; i < count; i++) {
        a->contact[i].mode = -1;
        for (int role = 0; role <= SAL_RESTS; role++) a->contact[i].event[role] = -1;
    }
    for (int e = 0; e < system->events; e++) {
        sal_contact_role role;
        const int        i = contact_of(a, e, &role);
        if (i >= 0) a->contact[i].event[role] = e;
    }
    return true;
}

static void tell(sal_auditor *a, int i, sal_condition condition)
{
    const sal_closest *c = &a->contact[i].closest[condition];
    const int          event =
        c->occurrence < 0 ? -1 : a->run->history.occurrences.data[c->occurrence].event;
    a->here = c->t;
    sal_audit_tell(a, SALTUS_AUDIT_CONTACT, event, c->occurrence, c->value, c->allowed,
                   "contact '%s' %s, most at t = %.10g: by %.3g, and %.3g is allowed",
                   contact_at(a, i)->label.name, broken[condition], c->t, c->value, c->allowed);
}

void sal_audit_contacts_end(sal_auditor *a)
{
    double most = -1.0;
    for (int i = 0; i < count_of(a); i++)
        for (int k = 0; k < SAL_CONDITIONS; k++) {
            const sal_closest *c = &a->contact[i].closest[k];
            const double       part = part_of(c);
            if (!(part <= 1.0)) tell(a, i, (sal_condition)k);
            if (part <= most) continue;
            most = part;
            a->audit.contact = (saltus_audit_contact){.name = contact_at(a, i)->label.name,
                                                      .what = broken[k],
                                                      .t = c->t,
                                                      .value = fmax(c->value, 0.0),
                                                      .allowed = c->allowed};
        }
}
