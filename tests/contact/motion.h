// The motion of a mechanism from event to event. All numbers are complex; decisions look at real
// parts, so that an imaginary part of one parameter becomes the derivative of everything by it,
// event times included.
#ifndef CONTACT_MOTION_H
#define CONTACT_MOTION_H

#include "mechanism.h"
#include <setjmp.h>

enum { MAX_EVENTS = 400, ROWS = 5, MAX_GUARDS = 2 * MAX_CONTACTS };

static const double IMAGINARY = 1e-40; // its square is lost against every real part
static const double LONGEST_STEP = 0.02;
static const double TOUCHES = 1e-9;  // gaps, rates and slips below it are zero
static const double NEAR_TIE = 1e-6; // between zero and this nobody can tell: the model is left out
static const double REST_SPEED = 3e-6; // the rest of the bounces is summed
static const double LATER = 1e-5;      // how far a tie is followed to see which way it goes

struct state {
    num t, y[MAX_Y]; // positions, velocities, costs
};

struct event {
    num         t;
    int         contact;
    const char *kind;
    num         y[MAX_Y], after[MAX_Y]; // the state before and after it
};

struct guard {
    int contact;
    enum { TOUCH, LEAVE, STOP, SLIP_ABOVE, SLIP_BELOW } kind;
    double now, before, before_that, h, h_before; // samples, for a minimum between them
    int    tangent;
};

static enum mode    mode[MAX_CONTACTS];
static struct event event[MAX_EVENTS];
static int          events, guards;
static struct guard guard[MAX_GUARDS];
static jmp_buf      give_up;
static const char  *reason;
static double       energy_gained, worst_violation;
static int          trace, rocked; // rocked: contacts came to rest together

static _Noreturn void reject(const char *why)
{
    reason = why;
    longjmp(give_up, 1);
}

static void evaluate_at(num t, const num *y) { evaluate(t, y, y + model.n, rho); }

static num running_cost(const struct cost *c, const struct reaction *r)
{
    switch (c->kind) {
    case INTEGRAL: return value[c->e];
    case REACTION2: return r->normal[c->contact] * r->normal[c->contact];
    case FRICTION2: return r->friction[c->contact] * r->friction[c->contact];
    default: return 0;
    }
}

static void field(num t, const num *y, num *rate)
{
    struct reaction r;
    evaluate_at(t, y);
    if (!solve_accelerations(mode, &r)) reject("singular equations");
    for (int i = 0; i < model.n; i++) {
        rate[i] = y[model.n + i];
        rate[model.n + i] = r.a[i];
    }
    for (int c = 0; c < model.costs; c++) rate[2 * model.n + c] = running_cost(&model.cost[c], &r);
}

static int length(void) { return 2 * model.n + model.costs; }

// Gragg's rule with `parts` midpoint steps.
static void midpoint(const struct state *s, const num *first, num h, int parts, num *out)
{
    num before[MAX_Y], here[MAX_Y], rate[MAX_Y], part = h / parts;
    for (int i = 0; i < length(); i++) {
        before[i] = s->y[i];
        here[i] = s->y[i] + part * first[i];
    }
    for (int k = 1; k <= parts; k++) {
        field(s->t + k * part, here, rate);
        for (int i = 0; i < length(); i++) {
            if (k == parts) {
                out[i] = 0.5 * (here[i] + before[i] + part * rate[i]);
            } else {
                num next = before[i] + 2 * part * rate[i];
                before[i] = here[i];
                here[i] = next;
            }
        }
    }
}

// One step of any complex length, extrapolated to order 10; returns an estimate of its error.
static double step(const struct state *s, num h, struct state *out)
{
    num    table[ROWS][MAX_Y], first[MAX_Y];
    double error = 0;
    field(s->t, s->y, first);
    for (int row = 0; row < ROWS; row++) {
        midpoint(s, first, h, 2 * (row + 1), table[row]);
        for (int k = row - 1; k >= 0; k--) {
            double ratio = (row + 1.0) / (k + 1.0), factor = 1 / (ratio * ratio - 1);
            for (int i = 0; i < length(); i++) {
                num change = (table[k + 1][i] - table[k][i]) * factor;
                if (row == ROWS - 1 && k == 0)
                    error = fmax(error, fabs(creal(change)) / (1 + fabs(creal(table[k + 1][i]))));
                table[k][i] = table[k + 1][i] + change;
            }
        }
    }
    out->t = s->t + h;
    memcpy(out->y, table[0], sizeof out->y);
    return error;
}

static void log_event(const struct state *s, num t, int c, const char *kind)
{
    if (events == MAX_EVENTS) reject("too many events");
    if (trace) fprintf(stderr, "%-18.12g %s %s\n", creal(t), model.contact[c].name, kind);
    event[events] = (struct event){.t = t, .contact = c, .kind = kind};
    memcpy(event[events++].y, s->y, sizeof s->y);
}

// The modes that a contact may have; `still`: it does not slip. Returns how many.
static int candidates(int c, int active, int still, enum mode *list)
{
    const struct contact *p = &model.contact[c];
    int                   count = 0;
    if (p->bilateral) {
        list[0] = p->gap ? SMOOTH : STICK;
        return 1;
    }
    if (!active) {
        list[0] = p->gap ? OPEN : STICK;
        return 1;
    }
    if (p->gap) list[count++] = OPEN;
    if (!p->slip) {
        list[count++] = SMOOTH;
        return count;
    }
    if (still) list[count++] = STICK;
    if (still || creal(value[p->slip]) > 0) list[count++] = SLIDE_UP;
    if (still || creal(value[p->slip]) < 0) list[count++] = SLIDE_DOWN;
    return count;
}

static double set_margin(const int *active, const int *still, const struct reaction *r)
{
    double margin = INFINITY;
    for (int c = 0; c < model.contacts; c++) {
        if (active[c]) margin = least(margin, acceleration_margin(c, mode[c], still[c], r));
    }
    return margin;
}

// A condition that is met exactly: does it hold a little later?
static double later_margin(const struct state *s, const int *active, const int *still)
{
    struct state    after;
    struct reaction r;
    step(s, LATER, &after);
    evaluate_at(after.t, after.y);
    double margin = solve_accelerations(mode, &r) ? set_margin(active, still, &r) : -1;
    if (fabs(margin) < TOUCHES) reject("a tie that stays");
    return margin;
}

static int next_set(int *index, const int *counts)
{
    for (int c = 0; c < model.contacts; c++) {
        if (++index[c] < counts[c]) return 1;
        index[c] = 0;
    }
    return 0;
}

static int consistent(const struct state *s, const int *active, const int *still)
{
    struct reaction r;
    evaluate_at(s->t, s->y);
    if (!slips_agree(mode) || !solve_accelerations(mode, &r)) return 0;
    double margin = set_margin(active, still, &r);
    if (margin > 1e-8) return 1;
    return margin > -1e-8 && later_margin(s, active, still) > 0;
}

// Sets mode[] to the one set that is consistent at s.
static void choose_modes(const struct state *s, const int *active, const int *still)
{
    enum mode list[MAX_CONTACTS][MODES], found[MAX_CONTACTS];
    int       counts[MAX_CONTACTS], index[MAX_CONTACTS] = {0}, sets = 0;
    evaluate_at(s->t, s->y);
    for (int c = 0; c < model.contacts; c++)
        counts[c] = candidates(c, active[c], still[c], list[c]);
    do {
        for (int c = 0; c < model.contacts; c++) mode[c] = list[c][index[c]];
        if (!consistent(s, active, still)) continue;
        sets++;
        memcpy(found, mode, sizeof found);
    } while (next_set(index, counts));
    if (sets == 0) reject("no consistent set of modes");
    if (sets > 1) reject("several consistent sets of modes");
    memcpy(mode, found, sizeof found);
}

static void find_still(int *still)
{
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        double                slip = p->slip ? fabs(creal(value[p->slip])) : 1;
        still[c] = slip < TOUCHES;
        if (!still[c] && slip < NEAR_TIE) reject("almost no slip after an impact");
    }
}

static int same_impact(const struct reaction *a, const struct reaction *b)
{
    double real = 0, imaginary = 0;
    for (int i = 0; i < model.n; i++) {
        real = fmax(real, fabs(creal(a->a[i] - b->a[i])));
        imaginary = fmax(imaginary, fabs(cimag(a->a[i] - b->a[i])));
    }
    for (int c = 0; c < model.contacts; c++) {
        real = fmax(real, fabs(creal(a->normal[c] - b->normal[c])));
        imaginary = fmax(imaginary, fabs(cimag(a->normal[c] - b->normal[c])));
    }
    return real < 1e-10 && imaginary < 1e-8 * IMAGINARY;
}

static double set_impact_margin(const enum mode *m, const int *touching, const num *v, const num *e,
                                const struct reaction *r)
{
    double margin = INFINITY;
    for (int c = 0; c < model.contacts; c++) {
        if (touching[c]) margin = least(margin, impact_margin(c, m[c], v, e, r));
    }
    return margin;
}

// How fast it is, at most 1: what is small is small beside it.
static double impact_speed(const int *touching)
{
    double speed = 0;
    for (int c = 0; c < model.contacts; c++) {
        if (touching[c]) speed = fmax(speed, -creal(value[model.contact[c].gap_rate]));
    }
    return least(speed, 1);
}

// The one impact that satisfies all conditions, as an answer in `best`.
static void find_impact(const int *touching, const num *v, const num *e, struct reaction *best)
{
    enum mode list[MAX_CONTACTS][MODES], m[MAX_CONTACTS];
    int       counts[MAX_CONTACTS], index[MAX_CONTACTS] = {0}, found = 0;
    double    near = NEAR_TIE * impact_speed(touching);
    for (int c = 0; c < model.contacts; c++)
        counts[c] = candidates(c, touching[c], touching[c], list[c]);
    do {
        struct reaction r;
        for (int c = 0; c < model.contacts; c++) m[c] = list[c][index[c]];
        if (!slips_agree(m) || !solve_impact(m, v, e, &r)) continue;
        if (set_impact_margin(m, touching, v, e, &r) < -near) continue;
        if (found && !same_impact(best, &r)) reject("several consistent impacts");
        if (!found++) *best = r;
    } while (next_set(index, counts));
    if (!found) reject("no consistent impact");
}

static num kinetic_energy(const num *v)
{
    num sum = 0;
    for (int i = 0; i < model.n; i++) sum += 0.5 * v[i] * dotted(model.mass[i], v);
    return sum;
}

// Without friction, or without restitution, an impact on surfaces at rest cannot give energy.
static void audit_energy(const int *touching, const num *v, const num *e, const struct reaction *r)
{
    int friction = 0, elastic = 0, moving = 0;
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        if (!touching[c] || p->bilateral) continue;
        friction |= p->slip != 0;
        elastic |= creal(e[c]) > 0;
        moving |= fabs(creal(value[p->gap_rate] - dotted(p->normal, v))) > 1e-12;
        if (p->slip) moving |= fabs(creal(value[p->slip] - dotted(p->tangent, v))) > 1e-12;
    }
    if (moving) return;
    double gain = creal(kinetic_energy(r->a) - kinetic_energy(v)) / (1 + creal(kinetic_energy(v)));
    if (friction && elastic) energy_gained = fmax(energy_gained, gain);
    else worst_violation = fmax(worst_violation, gain);
}

static void charge(struct state *s, const int *hit, const num *tail, const struct reaction *r)
{
    for (int k = 0; k < model.costs; k++) {
        int  c = model.cost[k].contact;
        num *sum = &s->y[2 * model.n + k];
        if (model.cost[k].kind == BLOW && hit[c]) *sum += r->normal[c] * tail[c];
        if (model.cost[k].kind == BLOW_FRICTION2 && hit[c]) *sum += r->friction[c] * r->friction[c];
    }
}

static void find_touching(const int *hit, const int *near_rest, int *touching)
{
    double speed = impact_speed(hit), near = fmax(NEAR_TIE * speed * speed, 1e-14);
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        touching[c] = p->gap && (mode[c] != OPEN || hit[c]);
        if (touching[c] || near_rest[c] || !p->gap) continue;
        if (fabs(creal(value[p->gap])) < near) reject("almost simultaneous contacts");
    }
}

// The square of a reaction is not that of its mean: such a cost is not known while bounces are
// summed.
static void refuse_costs(int c, int rocking)
{
    for (int k = 0; k < model.costs; k++) {
        enum cost_kind kind = model.cost[k].kind;
        if (model.cost[k].contact != c || kind == FINAL || kind == INTEGRAL) continue;
        if (kind != BLOW || rocking) reject("a cost on a reaction that comes to rest");
    }
}

// The instants at which a resting contact would have come to rest, with the rest of its bounces.
static void log_rest(struct state *s, const int *rests, const num *speed, const num *e)
{
    enum mode       kept[MAX_CONTACTS];
    struct reaction r;
    memcpy(kept, mode, sizeof kept);
    for (int c = 0; c < model.contacts; c++) {
        if (!rests[c]) continue;
        refuse_costs(c, 0);
        if (mode[c] == OPEN) reject("a contact that would rest leaves");
        mode[c] = OPEN;
        evaluate_at(s->t, s->y);
        if (!solve_accelerations(mode, &r)) reject("singular equations");
        num press = -(dotted(model.contact[c].normal, r.a) + value[model.contact[c].gap_bias]);
        if (creal(press) < 0.01) reject("a contact rests under almost no load");
        log_event(s, s->t + 2 * e[c] * speed[c] / (press * (1 - e[c])), c, "rest");
        memcpy(mode, kept, sizeof kept);
    }
}

// Contacts that bounce or rock on each other so slowly that all of them come to rest now. Returns
// how many.
static int resting_together(const int *hit, int *near)
{
    int    count = 0, slow = 1;
    double bounce = 0;
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        near[c] = 0;
        if (!p->gap || p->bilateral) continue;
        double gap = fabs(creal(value[p->gap])), rate = fabs(creal(value[p->gap_rate]));
        double e = p->restitution ? creal(value[p->restitution]) : 1;
        near[c] = mode[c] != OPEN || (gap < 1e-8 && rate < 100 * REST_SPEED);
        count += near[c];
        slow = slow && (!near[c] || p->rest);
        if (hit[c]) bounce = fmax(bounce, e * rate);
    }
    return slow && bounce < REST_SPEED ? count : 0;
}

static enum mode resting_mode(const struct contact *p)
{
    if (!p->slip) return SMOOTH;
    double slip = creal(value[p->slip]);
    if (fabs(slip) < 10 * REST_SPEED) return STICK;
    if (fabs(slip) < 1000 * REST_SPEED) reject("comes to rest almost without slip");
    return slip > 0 ? SLIDE_UP : SLIDE_DOWN;
}

// The impulses of all that is left of the rocking: they close all gaps, whatever their signs, which
// are those of a small difference of large sums.
static void rest_together(struct state *s, const int *near)
{
    num             none[MAX_ROWS] = {0}, gap[MAX_CONTACTS], e[MAX_CONTACTS] = {0};
    enum mode       m[MAX_CONTACTS];
    int             active[MAX_CONTACTS], still[MAX_CONTACTS];
    struct reaction r;
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        m[c] = near[c] ? resting_mode(p) : p->gap && !p->bilateral ? OPEN : p->gap ? SMOOTH : STICK;
        gap[c] = p->gap ? -value[p->gap] : 0;
        active[c] = near[c] || !p->gap || p->bilateral;
    }
    if (!slips_agree(m) || !solve_modes(m, none, gap, none, 1, &r)) reject("singular equations");
    for (int i = 0; i < model.n; i++) s->y[i] += r.a[i];
    evaluate_at(s->t, s->y);
    if (!solve_impact(m, s->y + model.n, e, &r)) reject("singular equations");
    memcpy(s->y + model.n, r.a, sizeof(num) * (size_t)model.n);
    evaluate_at(s->t, s->y);
    find_still(still);
    choose_modes(s, active, still);
    rocked = 1;
    for (int c = 0; c < model.contacts; c++) {
        if (near[c]) refuse_costs(c, 1);
        if (near[c] && mode[c] == OPEN) reject("a contact that would rest leaves");
    }
}

struct blow {
    num e[MAX_CONTACTS], given[MAX_CONTACTS], speed[MAX_CONTACTS], tail[MAX_CONTACTS];
    int rests[MAX_CONTACTS];
};

// The laws of the contacts that touch; the last bounce of one that comes to rest stands for all
// that follow.
static void begin_blow(const struct state *s, const int *hit, struct blow *b)
{
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        b->given[c] = b->e[c] = p->restitution ? value[p->restitution] : 0;
        b->tail[c] = 1;
        b->rests[c] = 0;
        b->speed[c] = p->gap ? -value[p->gap_rate] : 0;
        if (!hit[c]) continue;
        log_event(s, s->t, c, "touch");
        if (creal(b->speed[c]) < 1e-3 && !p->rest) reject("touches slowly");
        b->rests[c] = p->rest && creal(b->e[c]) > 0 && creal(b->e[c] * b->speed[c]) < REST_SPEED;
        if (!b->rests[c]) continue;
        b->tail[c] = (1 + b->e[c]) / (1 - b->e[c]);
        b->e[c] = 0;
    }
}

static void settle_modes(struct state *s, const int *touching)
{
    int active[MAX_CONTACTS], still[MAX_CONTACTS];
    evaluate_at(s->t, s->y);
    for (int c = 0; c < model.contacts; c++) {
        double rate = model.contact[c].gap ? creal(value[model.contact[c].gap_rate]) : 0;
        active[c] = model.contact[c].gap ? touching[c] && rate < TOUCHES : 1;
        if (touching[c] && !active[c] && rate < 0.01 * REST_SPEED)
            reject("almost closed after an impact");
    }
    find_still(still);
    choose_modes(s, active, still);
}

// Whether one inelastic impact closes all that is near, and nothing rocks.
static int all_close(const int *near, const int *touching, const num *v, const struct reaction *r)
{
    for (int c = 0; c < model.contacts; c++) {
        if (!near[c]) continue;
        if (!touching[c] || creal(gap_rate_after(&model.contact[c], v, r)) > TOUCHES) return 0;
    }
    return 1;
}

static void impact(struct state *s, const int *hit)
{
    num             v[MAX_Q];
    int             touching[MAX_CONTACTS], near[MAX_CONTACTS], none[MAX_CONTACTS] = {0};
    struct reaction r;
    struct blow     b;
    evaluate_at(s->t, s->y);
    memcpy(v, s->y + model.n, sizeof(num) * (size_t)model.n);
    begin_blow(s, hit, &b);
    int together = resting_together(hit, near) > 1;
    find_touching(hit, together ? near : none, touching);
    find_impact(touching, v, b.e, &r);
    if (together && !all_close(near, touching, v, &r)) {
        evaluate_at(s->t, s->y);
        rest_together(s, near);
        return;
    }
    audit_energy(touching, v, b.e, &r);
    charge(s, hit, b.tail, &r);
    memcpy(s->y + model.n, r.a, sizeof(num) * (size_t)model.n);
    settle_modes(s, touching);
    log_rest(s, b.rests, b.speed, b.given);
}

static void add_guard(int c, int kind)
{
    guard[guards++] = (struct guard){.contact = c, .kind = kind, .before = NAN, .before_that = NAN};
}

static num guard_value(const struct guard *g, const struct reaction *r)
{
    const struct contact *p = &model.contact[g->contact];
    num                   limit;
    switch (g->kind) {
    case TOUCH: return value[p->gap];
    case LEAVE: return r->normal[g->contact];
    case STOP: return direction(mode[g->contact]) * value[p->slip];
    default:
        limit = friction_limit(p, r->normal[g->contact]);
        return g->kind == SLIP_ABOVE ? limit - r->friction[g->contact]
                                     : limit + r->friction[g->contact];
    }
}

static void evaluate_guards(const struct state *s, struct reaction *r)
{
    evaluate_at(s->t, s->y);
    if (!solve_accelerations(mode, r)) reject("singular equations");
}

static void begin_guards(const struct state *s)
{
    struct reaction r;
    guards = 0;
    for (int c = 0; c < model.contacts; c++) {
        if (model.contact[c].bilateral) continue;
        if (mode[c] == OPEN) add_guard(c, TOUCH);
        if (mode[c] != OPEN && model.contact[c].gap) add_guard(c, LEAVE);
        if (direction(mode[c]) != 0) add_guard(c, STOP);
        if (mode[c] == STICK) {
            add_guard(c, SLIP_ABOVE);
            add_guard(c, SLIP_BELOW);
        }
    }
    evaluate_guards(s, &r);
    for (int k = 0; k < guards; k++) guard[k].now = creal(guard_value(&guard[k], &r));
}

static num guard_after(const struct state *s, num h, const struct guard *g)
{
    struct state    after;
    struct reaction r;
    step(s, h, &after);
    evaluate_guards(&after, &r);
    return guard_value(g, &r);
}

// The complex length of the step after which the guard is zero: its real part by bisection and
// false position, then Newton's method for all of it.
static num locate(const struct state *s, double h, struct guard *g)
{
    double low = 0, high = h, at_low = g->now, at_high = creal(guard_after(s, h, g));
    if (at_low < 1e-14) reject("a guard that is zero twice in one step");
    for (int k = 0; k < 80 && high - low > 1e-14; k++) {
        double middle =
            k % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
        if (!(middle > low && middle < high)) break;
        double at = creal(guard_after(s, middle, g));
        if (at > 0) low = middle, at_low = at;
        else high = middle, at_high = at;
    }
    double delta = least(1e-5, 0.1 * h);
    num    root = 0.5 * (low + high);
    double slope =
        creal(guard_after(s, root + delta, g) - guard_after(s, root - delta, g)) / (2 * delta);
    int bounces = g->kind == TOUCH && model.contact[g->contact].rest;
    g->tangent = fabs(slope) < (bounces ? 1e-7 : 1e-3);
    for (int k = 0; k < 4 && !g->tangent; k++) root -= guard_after(s, root, g) / slope;
    return root;
}

// A minimum between samples, by the parabola through three of them.
static void refuse_grazing(const struct guard *g)
{
    if (isnan(g->before_that) || g->before > g->now || g->before > g->before_that) return;
    double left = (g->before - g->before_that) / g->h_before, right = (g->now - g->before) / g->h;
    double curve = (right - left) / (g->h + g->h_before);
    double slope = left + curve * g->h_before;
    double lowest = curve > 0 ? g->before - slope * slope / (4 * curve) : g->before;
    if (lowest < 0.02 * least(g->before_that, g->now) || lowest < NEAR_TIE) reject("grazes");
}

static void violation(double by) { worst_violation = fmax(worst_violation, by); }

// What must hold along the motion.
static void audit(const struct reaction *r)
{
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        double                normal = creal(r->normal[c]);
        if (mode[c] == OPEN) violation(-creal(value[p->gap]) - 1e-12);
        if (mode[c] != OPEN && p->gap) {
            violation(fabs(creal(value[p->gap])) - 1e-10);
            if (!p->bilateral) violation(-normal - 1e-9);
        }
        if (mode[c] == STICK) violation(fabs(creal(value[p->slip])) - 1e-10);
        if (p->slip && mode[c] != OPEN && !p->bilateral)
            violation(fabs(creal(r->friction[c])) - creal(friction_limit(p, r->normal[c])) - 1e-9);
    }
}

static void accept(const struct state *s, double h)
{
    struct reaction r;
    evaluate_guards(s, &r);
    audit(&r);
    for (int k = 0; k < guards; k++) {
        struct guard *g = &guard[k];
        g->before_that = g->before;
        g->before = g->now;
        g->h_before = g->h;
        g->h = h;
        g->now = creal(guard_value(g, &r));
        refuse_grazing(g);
    }
}

// After a bounce the next touch may be near: a step that ends before it.
static double first_step(const struct state *s)
{
    struct reaction r;
    double          h = 1e-4;
    evaluate_guards(s, &r);
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        if (mode[c] != OPEN || fabs(creal(value[p->gap])) > 1e-7) continue;
        double rate = creal(value[p->gap_rate]),
               bend = creal(dotted(p->normal, r.a) + value[p->gap_bias]);
        if (rate > 0 && bend < 0) h = least(h, 0.5 * rate / -bend);
    }
    return h;
}

static const char *change(enum mode before, enum mode after)
{
    if (before == after) return NULL;
    if (after == OPEN) return "leave";
    return before == STICK ? "slip" : "stop";
}

// A reaction or a slip that ends: which modes are next?
static void change_modes(struct state *s, const int *fired)
{
    int       active[MAX_CONTACTS], still[MAX_CONTACTS];
    enum mode before[MAX_CONTACTS];
    memcpy(before, mode, sizeof before);
    for (int c = 0; c < model.contacts; c++) {
        active[c] = mode[c] != OPEN;
        still[c] = mode[c] == STICK || (fired[c] && direction(mode[c]) != 0);
    }
    choose_modes(s, active, still);
    for (int c = 0; c < model.contacts; c++) {
        const char *kind = change(before[c], mode[c]);
        if (kind) log_event(s, s->t, c, kind);
    }
}

struct crossing {
    num h;
    int touches, fired[MAX_CONTACTS];
};

// Corners that stick or slide together change at one instant.
static int fires_with_another(const int *fired, int c)
{
    for (int other = 0; other < model.contacts; other++) {
        if (fired[other] && other != c && slip_alike(other, c)) return 1;
    }
    return 0;
}

static int first_crossing(const struct state *s, double h, const struct state *after,
                          struct crossing *first)
{
    struct reaction r;
    num             roots[MAX_GUARDS];
    int             crossed[MAX_GUARDS] = {0}, any = 0, changes = 0;
    evaluate_guards(after, &r);
    for (int k = 0; k < guards; k++) {
        crossed[k] = creal(guard_value(&guard[k], &r)) < 0;
    }
    for (int k = 0; k < guards; k++) {
        if (!crossed[k]) continue;
        roots[k] = locate(s, h, &guard[k]);
        if (!any || creal(roots[k]) < creal(first->h)) first->h = roots[k];
        any = 1;
    }
    if (!any) return 0;
    memset(first->fired, 0, sizeof first->fired);
    first->touches = 0;
    for (int k = 0; k < guards; k++) {
        if (!crossed[k]) continue;
        double apart = creal(roots[k] - first->h);
        if (apart > NEAR_TIE * 0.01) continue;
        if (guard[k].tangent) reject("a guard that is almost tangent");
        if (apart > 1e-11 ||
            fabs(cimag(roots[k] - first->h)) > 1e-7 * (IMAGINARY + fabs(cimag(first->h))))
            reject("events that are almost tied");
        if (guard[k].kind == TOUCH) first->touches = 1;
        else changes += !fires_with_another(first->fired, guard[k].contact);
        first->fired[guard[k].contact] = 1;
    }
    if (changes + first->touches > 1) reject("different events at one instant");
    return 1;
}

static void handle(struct state *s, const struct crossing *c)
{
    int first = events;
    if (c->touches) impact(s, c->fired);
    else change_modes(s, c->fired);
    for (int k = first; k < events; k++) memcpy(event[k].after, s->y, sizeof s->y);
}

static void start(struct state *s)
{
    int active[MAX_CONTACTS], still[MAX_CONTACTS];
    memset(s, 0, sizeof *s);
    evaluate_at(0, s->y);
    for (int i = 0; i < model.n; i++) {
        num q = value[model.q0[i]], v = value[model.v0[i]];
        s->y[i] = q;
        s->y[model.n + i] = v;
    }
    evaluate_at(0, s->y);
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        active[c] = p->gap ? p->closed : 1;
        if (p->gap && !active[c] && creal(value[p->gap]) < NEAR_TIE) reject("touches at the start");
    }
    find_still(still);
    choose_modes(s, active, still);
    for (int c = 0; c < model.contacts; c++) {
        if (active[c] && mode[c] == OPEN)
            reject("a contact that is closed at the start leaves at once");
    }
}

static void finish(struct state *s)
{
    evaluate_at(s->t, s->y);
    for (int c = 0; c < model.costs; c++) {
        if (model.cost[c].kind == FINAL) s->y[2 * model.n + c] = value[model.cost[c].e];
    }
}

// The motion until model.end; the costs are the tail of the state.
static void move(struct state *s)
{
    double h = 1e-4;
    events = rocked = 0;
    start(s);
    begin_guards(s);
    while (creal(s->t) < model.end) {
        struct state    after;
        struct crossing first;
        num             whole = model.end - s->t;
        if (creal(whole) > h) whole = h;
        double error = step(s, whole, &after);
        if (error > 1e-13 && h > 1e-6) {
            h *= 0.5;
            continue;
        }
        if (first_crossing(s, creal(whole), &after, &first)) {
            step(s, first.h, &after);
            *s = after;
            handle(s, &first);
            begin_guards(s);
            h = first_step(s);
        } else {
            *s = after;
            accept(s, creal(whole));
            h = least(2 * h, LONGEST_STEP);
        }
        if (creal(model.end - s->t) < 1e-13) break;
    }
    finish(s);
}

#endif
