// Problems with known answers, in the same words as the random models: they test the reference
// itself.
#ifndef CONTACT_PROBLEMS_H
#define CONTACT_PROBLEMS_H

#include "motion.h"

enum { MAX_ANSWERS = 8 };

struct answers {
    int         count;
    const char *name[MAX_ANSWERS];
    num         value[MAX_ANSWERS];
};

static void answer(struct answers *a, const char *name, num v)
{
    a->name[a->count] = name;
    a->value[a->count++] = v;
}

struct problem {
    const char *name;
    void (*build)(void);
    void (*solve)(struct answers *);
};

static ex   zero(void) { return number(0); }
static void rubs(struct contact *c, ex mu) { c->mu_static = c->mu_kinetic = mu; }

static void dry(ex slip, ex limit)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "dry %d", model.contacts + 1);
    contact(name, 0, slip)->limit = limit;
}

static void constraint(const char *name, ex gap)
{
    struct contact *c = contact(name, gap, 0);
    c->bilateral = c->closed = 1;
}

static void rolling(const char *name, ex slip) { contact(name, 0, slip)->bilateral = 1; }

static void build_incline(void)
{
    begin_model("incline_stick");
    ex g = parameter("g", 9.81), mu = parameter("mu", 0.6), b = parameter("b", 0.4),
       u0 = parameter("u0", 3);
    ex x = coordinate("x", zero(), u0), y = coordinate("y", zero(), zero());
    mass(x, number(1));
    mass(y, number(1));
    potential(times(g, plus(times(x, sine(b)), times(y, cosine(b)))));
    struct contact *c = contact("floor", y, dot(x));
    rubs(c, mu);
    c->closed = 1;
    cost("x_end", FINAL, x, 0);
    end_model(2);
}

static void solve_incline(struct answers *a)
{
    struct state s;
    move(&s);
    answer(a, "t_stop", event[0].t);
    answer(a, "x_end", s.y[4]);
}

static void build_coulomb(void)
{
    begin_model("coulomb_rest");
    ex m = parameter("m", 1), k = parameter("k", 50), mu = parameter("mu", 0.25),
       g = parameter("g", 9.81);
    ex x = coordinate("x", parameter("x0", 0.43), zero());
    mass(x, m);
    potential(times(scaled(0.5, k), square(x)));
    dry(dot(x), times(mu, times(m, g)));
    cost("x", FINAL, x, 0);
    end_model(3);
}

static void solve_coulomb(struct answers *a)
{
    struct state s;
    move(&s);
    answer(a, "x_rest", s.y[2]);
    answer(a, "t_rest", event[events - 1].t);
}

static void build_bowling(void)
{
    begin_model("bowling");
    ex g = parameter("g", 9.81), mu = parameter("mu", 0.15), J = parameter("J", 0.02),
       m = parameter("m", 5);
    ex r = parameter("r", 0.1), u0 = parameter("u0", 4);
    ex x = coordinate("x", zero(), u0), y = coordinate("y", r, zero()),
       w = coordinate("w", zero(), zero());
    mass(x, m);
    mass(y, m);
    mass(w, J);
    potential(times(times(m, g), y));
    struct contact *c = contact("floor", minus(y, r), minus(dot(x), times(r, dot(w))));
    rubs(c, mu);
    c->closed = 1;
    cost("x_end", FINAL, x, 0);
    end_model(3);
}

static void solve_bowling(struct answers *a)
{
    struct state s;
    move(&s);
    answer(a, "t_roll", event[0].t);
    answer(a, "v_roll", s.y[3]);
    answer(a, "x_end", s.y[6]);
    answer(a, "spin", s.y[5]);
}

static void build_zeno(void)
{
    begin_model("zeno");
    ex g = parameter("g", 9.81), e = parameter("e", 0.7), h = parameter("h", 1);
    ex y = coordinate("y", h, zero());
    mass(y, number(1));
    potential(times(g, y));
    struct contact *c = contact("floor", y, 0);
    c->restitution = e;
    c->rest = 1;
    cost("int_y", INTEGRAL, y, 0);
    cost("int_v2", INTEGRAL, square(dot(y)), 0);
    cost("impulse", BLOW, 0, 0);
    end_model(4);
}

static void solve_zeno(struct answers *a)
{
    struct state s;
    move(&s);
    answer(a, "t_zeno", event[events - 1].t);
    answer(a, "int_y", s.y[2]);
    answer(a, "int_v2", s.y[3]);
    answer(a, "impulse", s.y[4]);
}

// The angle is from the vertical; the foot slips backward when the rod has fallen far enough.
static void build_pencil(void)
{
    begin_model("pencil");
    ex g = parameter("g", 9.81), l = parameter("l", 1), mu = parameter("mu", 0.3),
       th0 = parameter("th0", 0.05);
    ex half = scaled(0.5, l);
    ex x = coordinate("x", times(half, sine(th0)), zero()),
       y = coordinate("y", times(half, cosine(th0)), zero());
    ex th = coordinate("th", th0, zero());
    mass(x, number(1));
    mass(y, number(1));
    mass(th, over(square(l), number(12)));
    potential(times(g, y));
    struct contact *c =
        contact("foot", minus(y, times(half, cosine(th))), dot(minus(x, times(half, sine(th)))));
    rubs(c, mu);
    c->closed = 1;
    cost("th", FINAL, th, 0);
    end_model(0.75);
}

static void solve_pencil(struct answers *a)
{
    struct state s;
    move(&s);
    answer(a, "th_slip", event[0].y[2]);
    answer(a, "t_slip", event[0].t);
}

// A block of width 2 B and height 2 H on its two lower corners, with friction that holds. Dry
// friction without force on its rotation tells where it turns back.
static void build_housner(void)
{
    begin_model("housner");
    ex g = parameter("g", 9.81), B = parameter("B", 0.1), H = parameter("H", 0.4),
       th0 = parameter("th0", 0.15);
    ex x = coordinate("x", minus(times(H, sine(th0)), times(B, cosine(th0))), zero());
    ex y = coordinate("y", plus(times(B, sine(th0)), times(H, cosine(th0))), zero());
    ex th = coordinate("th", scaled(-1, th0), zero());
    mass(x, number(1));
    mass(y, number(1));
    mass(th, over(plus(square(B), square(H)), number(3)));
    potential(times(g, y));
    for (int side = -1; side <= 1; side += 2) {
        ex              u = scaled(side, B);
        ex              px = plus(x, plus(times(u, cosine(th)), times(H, sine(th))));
        ex              py = plus(y, minus(times(u, sine(th)), times(H, cosine(th))));
        struct contact *c = contact(side < 0 ? "left" : "right", py, dot(px));
        rubs(c, number(10));
        c->closed = side > 0;
    }
    dry(dot(th), zero());
    end_model(1.5);
}

static void solve_housner(struct answers *a)
{
    static const char *const times_of[] = {"t1", "t2", "t3"}, *const tops[] = {"th_1", "th_2"};
    struct state s;
    int          hits = 0, turns = 0;
    move(&s);
    for (int k = 0; k < events; k++) {
        int touch = strcmp(event[k].kind, "touch") == 0, turn = event[k].contact == 2;
        if (touch && hits == 0) answer(a, "ratio", cpow(event[k].after[5] / event[k].y[5], 2));
        if (touch && hits < 3) answer(a, times_of[hits++], event[k].t);
        if (turn && turns < 2) {
            answer(a, tops[turns], turns == 0 ? event[k].y[2] : -event[k].y[2]);
            turns++;
        }
    }
}

static void build_cradle(void)
{
    static const char *const mass_names[] = {"m1", "m2", "m3"}, *const names[] = {"x1", "x2", "x3"};
    begin_model("cradle");
    ex m[3], x[3];
    for (int i = 0; i < 3; i++) m[i] = parameter(mass_names[i], i == 1 ? 1.5 : 1);
    ex e = parameter("e", 0.9), v = parameter("v", 1);
    for (int i = 0; i < 3; i++)
        mass(x[i] = coordinate(names[i], zero(), i == 0 ? v : zero()), m[i]);
    for (int i = 0; i < 2; i++)
        contact(i == 0 ? "1-2" : "2-3", minus(x[i + 1], x[i]), 0)->restitution = e;
    end_model(1);
}

static void strike(const int *touching, num *v)
{
    static const num at[3];
    num              e[MAX_CONTACTS] = {0};
    struct reaction  r;
    evaluate(0, at, v, rho);
    for (int c = 0; c < 2; c++) e[c] = value[model.contact[c].restitution];
    find_impact(touching, v, e, &r);
    memcpy(v, r.a, 3 * sizeof *v);
}

static void solve_cradle(struct answers *a, int together)
{
    static const int both[MAX_CONTACTS] = {1, 1}, first[MAX_CONTACTS] = {1, 0},
                     second[MAX_CONTACTS] = {0, 1};
    num v[MAX_Q] = {rho[4]};
    strike(together ? both : first, v);
    if (!together) strike(second, v);
    answer(a, "u1", v[0]);
    answer(a, "w2", v[1]);
    answer(a, "w3", v[2]);
}

static void solve_cradle_sequential(struct answers *a) { solve_cradle(a, 0); }
static void solve_cradle_moreau(struct answers *a) { solve_cradle(a, 1); }

static void build_oblique(void)
{
    begin_model("oblique_stick");
    ex g = parameter("g", 9.81), m = parameter("m", 1), r = parameter("r", 0.1),
       J = parameter("J", 0.004);
    ex e = parameter("e", 0.6), mu = parameter("mu", 0.4);
    ex u0 = parameter("u0", 1), v0 = parameter("v0", 2), w0 = parameter("w0", 3);
    ex x = coordinate("x", zero(), u0), y = coordinate("y", r, scaled(-1, v0)),
       w = coordinate("w", zero(), w0);
    mass(x, m);
    mass(y, m);
    mass(w, J);
    potential(times(times(m, g), y));
    struct contact *c = contact("floor", minus(y, r), plus(dot(x), times(r, dot(w))));
    rubs(c, mu);
    c->restitution = e;
    end_model(1);
}

static void solve_oblique(struct answers *a)
{
    static const int floor_only[MAX_CONTACTS] = {1};
    num q[MAX_Q] = {0, rho[2]}, v[MAX_Q] = {rho[6], -rho[7], rho[8]}, e[MAX_CONTACTS] = {rho[4]};
    struct reaction r;
    evaluate(0, q, v, rho);
    find_impact(floor_only, v, e, &r);
    answer(a, "u", r.a[0]);
    answer(a, "w", r.a[2]);
    answer(a, "v", r.a[1]);
    answer(a, "slip", slip_after(&model.contact[0], v, &r));
}

static void build_painleve(void)
{
    begin_model("painleve");
    ex mu = parameter("mu", 1.5);
    ex x = coordinate("x", zero(), zero()), y = coordinate("y", zero(), zero()),
       th = coordinate("th", zero(), zero());
    mass(x, number(1));
    mass(y, number(1));
    mass(th, number(1.0 / 12));
    potential(scaled(9.81, y));
    struct contact *c =
        contact("foot", minus(y, scaled(0.5, sine(th))), dot(plus(x, scaled(-0.5, cosine(th)))));
    rubs(c, mu);
    end_model(1);
}

// The reaction is infinite where the rod is jammed: its inverse is zero.
static num inverse_reaction(num angle)
{
    static const enum mode slides[MAX_CONTACTS] = {SLIDE_DOWN};
    num                    q[MAX_Q] = {0, 0, angle}, v[MAX_Q] = {0};
    struct reaction        r;
    evaluate(0, q, v, rho);
    if (!solve_accelerations(slides, &r)) reject("singular equations");
    return 1 / r.normal[0];
}

static num jammed_angle(num angle)
{
    for (int k = 0; k < 20; k++) {
        num f = inverse_reaction(angle),
            slope = (inverse_reaction(angle + 1e-5) - inverse_reaction(angle - 1e-5)) / 2e-5;
        angle -= f / slope;
        if (cabs(f) < 1e-9) break;
    }
    return angle;
}

static void solve_painleve(struct answers *a)
{
    answer(a, "th_1", jammed_angle(0.9));
    answer(a, "th_2", jammed_angle(1.25));
}

static void build_sleigh(void)
{
    begin_model("sleigh");
    ex m = parameter("m", 2), J = parameter("J", 0.1), a = parameter("a", 0.2);
    ex u0 = parameter("u0", 0.5), w0 = parameter("w0", 3);
    ex x = coordinate("x", zero(), u0), y = coordinate("y", zero(), times(a, w0)),
       th = coordinate("th", zero(), w0);
    mass(x, m);
    mass(y, m);
    mass(th, J);
    ex across = minus(times(cosine(th), dot(y)), times(sine(th), dot(x)));
    rolling("edge", minus(across, times(a, dot(th))));
    cost("u", FINAL, plus(times(cosine(th), dot(x)), times(sine(th), dot(y))), 0);
    end_model(2);
}

static void solve_sleigh(struct answers *a)
{
    struct state s;
    move(&s);
    answer(a, "u", s.y[6]);
    answer(a, "w", s.y[5]);
    answer(a, "theta", s.y[2]);
}

static const struct problem problems[] = {
    {"incline_stick", build_incline, solve_incline},
    {"coulomb_rest", build_coulomb, solve_coulomb},
    {"bowling", build_bowling, solve_bowling},
    {"zeno", build_zeno, solve_zeno},
    {"pencil", build_pencil, solve_pencil},
    {"housner", build_housner, solve_housner},
    {"cradle_sequential", build_cradle, solve_cradle_sequential},
    {"cradle_moreau", build_cradle, solve_cradle_moreau},
    {"oblique_stick", build_oblique, solve_oblique},
    {"painleve", build_painleve, solve_painleve},
    {"sleigh", build_sleigh, solve_sleigh},
};

#endif
