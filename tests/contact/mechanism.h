// A mechanism with contacts: its equations from its energies, and the two laws by which contacts
// act, both solved by trying all sets of modes.
#ifndef CONTACT_MECHANISM_H
#define CONTACT_MECHANISM_H

#include "expression.h"

enum {
    MAX_Q = 6,
    MAX_CONTACTS = 6,
    MAX_COSTS = 8,
    MAX_FORCES = 16,
    MAX_ROWS = MAX_Q + 2 * MAX_CONTACTS,
    MAX_Y = 2 * MAX_Q + MAX_COSTS
};

enum mode { OPEN, SMOOTH, STICK, SLIDE_UP, SLIDE_DOWN, MODES };

struct contact {
    char name[NAME_SIZE];
    ex   gap;                   // none: dry friction on `slip` with the limit `limit`
    ex   slip;                  // none: a contact without friction
    ex   mu_static, mu_kinetic; // the same expression where there is one coefficient
    ex   limit;
    ex   restitution;  // none: inelastic
    int  rest, closed; // closed: at the start
    int  bilateral;    // a joint, or with a slip alone a velocity constraint
    ex   px, py;       // the script has this point,
    ex   radius;       // on a floor, or in a circle of this radius
    ex   gap_rate, gap_bias, normal[MAX_Q], slip_bias, tangent[MAX_Q];
};

// BLOW: the sum of the impulses of a contact where it touches. The squares do not depend on signs.
enum cost_kind { FINAL, INTEGRAL, BLOW, BLOW_FRICTION2, REACTION2, FRICTION2 };

struct cost {
    char           name[NAME_SIZE];
    enum cost_kind kind;
    ex             e;
    int            contact;
};

struct model {
    const char    *family;
    int            n;
    ex             q0[MAX_Q], v0[MAX_Q];
    int            guessed[MAX_Q]; // follows from a contact that is closed at the start
    ex             kinetic, potential, dissipation;
    int            forces;
    ex             along[MAX_FORCES], force[MAX_FORCES];
    int            contacts;
    struct contact contact[MAX_CONTACTS];
    int            costs;
    struct cost    cost[MAX_COSTS];
    double         end;
    ex             mass[MAX_Q][MAX_Q], load[MAX_Q];
};
static struct model model;
static num          rho[MAX_NAMES];

static ex coordinate(const char *name, ex start, ex speed)
{
    int i = model.n++;
    coordinate_names.count = model.n;
    snprintf(coordinate_names.text[i], NAME_SIZE, "%s", name);
    model.q0[i] = start;
    model.v0[i] = speed;
    return position(i);
}

static ex   dot(ex e) { return drift(e); }
static void kinetic(ex e) { model.kinetic = plus(model.kinetic, e); }
static void potential(ex e) { model.potential = plus(model.potential, e); }
static void dissipation(ex e) { model.dissipation = plus(model.dissipation, e); }
static void mass(ex q, ex m) { kinetic(times(scaled(0.5, m), square(dot(q)))); }

static void force(ex along, ex f)
{
    model.along[model.forces] = along;
    model.force[model.forces++] = f;
}

static struct contact *contact(const char *name, ex gap, ex slip)
{
    struct contact *c = &model.contact[model.contacts++];
    snprintf(c->name, NAME_SIZE, "%s", name);
    c->gap = gap;
    c->slip = slip;
    return c;
}

static void cost(const char *name, enum cost_kind kind, ex e, int i)
{
    struct cost *c = &model.cost[model.costs++];
    snprintf(c->name, NAME_SIZE, "%s", name);
    c->kind = kind;
    c->e = e;
    c->contact = i;
}

static void begin_model(const char *family)
{
    forget_expressions();
    memset(&model, 0, sizeof model);
    model.family = family;
    model.kinetic = model.potential = model.dissipation = number(0);
}

// Lagrange's equations, M a = load.
static void derive_equations(void)
{
    for (int i = 0; i < model.n; i++) {
        ex momentum = derive(model.kinetic, velocity(i));
        ex load =
            minus(derive(minus(model.kinetic, model.potential), position(i)), drift(momentum));
        load = minus(load, derive(model.dissipation, velocity(i)));
        for (int f = 0; f < model.forces; f++) {
            load = plus(load, times(model.force[f], derive(model.along[f], position(i))));
        }
        use(model.load[i] = load);
        for (int j = 0; j < model.n; j++) use(model.mass[i][j] = derive(momentum, velocity(j)));
        use(model.q0[i]);
        use(model.v0[i]);
    }
}

static void derive_contact(struct contact *c)
{
    if (c->gap) {
        use(c->gap_rate = drift(c->gap));
        use(c->gap_bias = drift(c->gap_rate));
        use(c->gap);
    }
    if (c->slip) {
        use(c->slip_bias = drift(c->slip));
        use(c->slip);
    }
    for (int i = 0; i < model.n; i++) {
        if (c->gap) use(c->normal[i] = derive(c->gap, position(i)));
        if (c->slip) use(c->tangent[i] = derive(c->slip, velocity(i)));
    }
    use(c->radius);
    use(c->mu_static);
    use(c->mu_kinetic);
    use(c->limit);
    use(c->restitution);
}

static void end_model(double end)
{
    model.end = end;
    derive_equations();
    for (int c = 0; c < model.contacts; c++) derive_contact(&model.contact[c]);
    for (int c = 0; c < model.costs; c++) use(model.cost[c].e);
}

// Gauss with pivots by real parts. False where the matrix is singular.
static int solve(num a[MAX_ROWS][MAX_ROWS], num *b, int size)
{
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++) {
            if (fabs(creal(a[i][k])) > fabs(creal(a[best][k]))) best = i;
        }
        if (fabs(creal(a[best][k])) < 1e-12) return 0;
        for (int j = k; j < size && best != k; j++) {
            num x = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = x;
        }
        num x = b[k];
        b[k] = b[best];
        b[best] = x;
        num inverse = 1 / a[k][k];
        for (int i = k + 1; i < size; i++) {
            if (a[i][k] == 0) continue;
            num factor = a[i][k] * inverse;
            for (int j = k + 1; j < size; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = size - 1; k >= 0; k--) {
        for (int j = k + 1; j < size; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return 1;
}

struct reaction {
    num a[MAX_Q]; // accelerations, or velocities after an impact
    num normal[MAX_CONTACTS], friction[MAX_CONTACTS];
};

static double direction(enum mode m) { return m == SLIDE_UP ? 1.0 : m == SLIDE_DOWN ? -1.0 : 0.0; }

static num dotted(const ex *row, const num *x)
{
    num sum = 0;
    for (int i = 0; i < model.n; i++) sum += value[row[i]] * x[i];
    return sum;
}

// Two contacts that slip alike (the corners of a box that stands on a floor) stick together or not
// at all.
static int slip_alike(int a, int b)
{
    const struct contact *p = &model.contact[a], *r = &model.contact[b];
    double                apart = 0;
    if (!p->gap || !r->gap || !p->slip || !r->slip) return 0;
    for (int i = 0; i < model.n; i++) {
        apart = fmax(apart, fabs(creal(value[p->tangent[i]] - value[r->tangent[i]])));
    }
    return apart < 1e-8;
}

static int sticks_with(const enum mode *mode, int c)
{
    for (int other = 0; other < c; other++) {
        if (mode[other] == STICK && slip_alike(other, c)) return other;
    }
    return -1;
}

// Only the sum of their friction is known. Shared in proportion to what each can bear, it is within
// both cones exactly if it can be.
static void share_friction(const enum mode *mode, struct reaction *r)
{
    num sum[MAX_CONTACTS], bears[MAX_CONTACTS] = {0};
    int leader[MAX_CONTACTS];
    memcpy(sum, r->friction, sizeof sum);
    for (int c = 0; c < model.contacts; c++) {
        int other = mode[c] == STICK ? sticks_with(mode, c) : -1;
        leader[c] = other < 0 ? c : other;
        if (mode[c] != STICK || !model.contact[c].gap) continue;
        bears[leader[c]] += value[model.contact[c].mu_static] * r->normal[c];
    }
    for (int c = 0; c < model.contacts; c++) {
        if (mode[c] != STICK || !model.contact[c].gap || creal(bears[leader[c]]) == 0) continue;
        r->friction[c] =
            sum[leader[c]] * value[model.contact[c].mu_static] * r->normal[c] / bears[leader[c]];
    }
}

// The rows of one set of modes. `normal` and `slip` are what w_N x and w_T x must be for contacts
// that are closed and that stick; a limit acts in motion and gives no impulse.
static int solve_modes(const enum mode *mode, const num *right, const num *normal, const num *slip,
                       int impact, struct reaction *r)
{
    num a[MAX_ROWS][MAX_ROWS], b[MAX_ROWS];
    int size = model.n, at_normal[MAX_CONTACTS], at_slip[MAX_CONTACTS];
    memset(a, 0, sizeof a);
    for (int i = 0; i < model.n; i++) {
        b[i] = right[i];
        for (int j = 0; j < model.n; j++) a[i][j] = value[model.mass[i][j]];
    }
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        double                s = direction(mode[c]);
        at_normal[c] = at_slip[c] = -1;
        if (mode[c] == OPEN || (impact && !p->gap && !p->bilateral)) continue;
        if (p->gap) {
            int k = at_normal[c] = size++;
            b[k] = normal[c];
            for (int i = 0; i < model.n; i++) {
                a[k][i] = value[p->normal[i]];
                a[i][k] = -value[p->normal[i]];
                if (s != 0) a[i][k] += s * value[p->mu_kinetic] * value[p->tangent[i]];
            }
        } else if (s != 0) {
            for (int i = 0; i < model.n; i++) b[i] -= s * value[p->limit] * value[p->tangent[i]];
        }
        if (mode[c] != STICK || sticks_with(mode, c) >= 0) continue;
        int k = at_slip[c] = size++;
        b[k] = slip[c];
        for (int i = 0; i < model.n; i++) {
            a[k][i] = value[p->tangent[i]];
            a[i][k] = -value[p->tangent[i]];
        }
    }
    if (!solve(a, b, size)) return 0;
    memcpy(r->a, b, sizeof(num) * (size_t)model.n);
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        double                s = direction(mode[c]);
        r->normal[c] = at_normal[c] < 0 ? 0 : b[at_normal[c]];
        r->friction[c] = at_slip[c] < 0 ? 0 : b[at_slip[c]];
        if (s != 0 && p->gap) r->friction[c] = -s * value[p->mu_kinetic] * r->normal[c];
        if (s != 0 && !p->gap && !impact) r->friction[c] = -s * value[p->limit];
    }
    share_friction(mode, r);
    return 1;
}

static int solve_accelerations(const enum mode *mode, struct reaction *r)
{
    num load[MAX_Q], normal[MAX_CONTACTS], slip[MAX_CONTACTS];
    for (int i = 0; i < model.n; i++) load[i] = value[model.load[i]];
    for (int c = 0; c < model.contacts; c++) {
        normal[c] = model.contact[c].gap ? -value[model.contact[c].gap_bias] : 0;
        slip[c] = model.contact[c].slip ? -value[model.contact[c].slip_bias] : 0;
    }
    return solve_modes(mode, load, normal, slip, 0, r);
}

// e[c] is the restitution of each contact at this instant.
static int solve_impact(const enum mode *mode, const num *v, const num *e, struct reaction *r)
{
    num momentum[MAX_Q], normal[MAX_CONTACTS], slip[MAX_CONTACTS];
    for (int i = 0; i < model.n; i++) momentum[i] = dotted(model.mass[i], v);
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        normal[c] = p->gap ? dotted(p->normal, v) - (1 + e[c]) * value[p->gap_rate] : 0;
        slip[c] = p->slip ? dotted(p->tangent, v) - value[p->slip] : 0;
    }
    return solve_modes(mode, momentum, normal, slip, 1, r);
}

static num friction_limit(const struct contact *p, num normal)
{
    return p->gap ? value[p->mu_static] * normal : value[p->limit];
}

// Contacts that slip alike and are closed must have one mode.
static int slips_agree(const enum mode *mode)
{
    for (int a = 0; a < model.contacts; a++) {
        for (int b = 0; b < a; b++) {
            if (mode[a] > SMOOTH && mode[b] > SMOOTH && mode[a] != mode[b] && slip_alike(a, b))
                return 0;
        }
    }
    return 1;
}

static double least(double a, double b) { return a < b ? a : b; }

// By how much the conditions of one contact hold in its mode; negative where one is violated.
// `still`: its slip is zero, so that a direction must be that in which it begins.
static double acceleration_margin(int c, enum mode m, int still, const struct reaction *r)
{
    const struct contact *p = &model.contact[c];
    if (p->bilateral) return INFINITY;
    if (m == OPEN) return creal(dotted(p->normal, r->a) + value[p->gap_bias]);
    double margin = p->gap ? creal(r->normal[c]) : INFINITY;
    if (m == STICK)
        margin =
            least(margin, creal(friction_limit(p, r->normal[c])) - fabs(creal(r->friction[c])));
    if (direction(m) != 0 && still) {
        margin =
            least(margin, direction(m) * creal(dotted(p->tangent, r->a) + value[p->slip_bias]));
    }
    return margin;
}

static num gap_rate_after(const struct contact *p, const num *v, const struct reaction *r)
{
    return value[p->gap_rate] + dotted(p->normal, r->a) - dotted(p->normal, v);
}

static num slip_after(const struct contact *p, const num *v, const struct reaction *r)
{
    return value[p->slip] + dotted(p->tangent, r->a) - dotted(p->tangent, v);
}

static double impact_margin(int c, enum mode m, const num *v, const num *e,
                            const struct reaction *r)
{
    const struct contact *p = &model.contact[c];
    if (p->bilateral) return INFINITY;
    if (m == OPEN) return creal(gap_rate_after(p, v, r) + e[c] * value[p->gap_rate]);
    double margin = creal(r->normal[c]);
    if (m == STICK)
        margin =
            least(margin, creal(friction_limit(p, r->normal[c])) - fabs(creal(r->friction[c])));
    if (direction(m) != 0) margin = least(margin, direction(m) * creal(slip_after(p, v, r)));
    return margin;
}

#endif
