// Random mechanisms with contacts, by seed.
#ifndef CONTACT_FAMILIES_H
#define CONTACT_FAMILIES_H

#include "problems.h"
#include <stdint.h>

static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// Three decimals, so that a model can be read.
static double between(double low, double high)
{
    double x = low + (high - low) * (double)(random_bits() >> 11) / 9007199254740992.0;
    return round(x * 1000) / 1000;
}

static int chance(double p) { return (double)(random_bits() >> 11) / 9007199254740992.0 < p; }
static int below(int n) { return (int)(random_bits() % (uint64_t)n); }
static ex  any(double low, double high) { return number(between(low, high)); }
static ex  some(const char *name, double low, double high)
{
    return parameter(name, between(low, high));
}

static ex numbered(const char *name, int i, double low, double high)
{
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%s%d", name, i);
    return some(text, low, high);
}

static ex moving(const char *name, int i, ex start, ex speed)
{
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%s%d", name, i);
    return coordinate(text, start, speed);
}

static ex wave(ex amplitude, double slow, double fast)
{
    ex phase = plus(times(any(slow, fast), now()), any(0, 6));
    return times(amplitude, sine(phase));
}

// Positions that follow from a closed contact are guessed in the script.
static void guess(ex q) { model.guessed[node[q].a] = 1; }

// One coefficient, or two; on some surfaces it varies from place to place.
static void rubs_somehow(struct contact *c, double low, double high)
{
    ex mu = some("mu", low, high);
    if (chance(0.2)) mu = times(mu, plus(number(1), scaled(0.3, sine(scaled(4, position(0))))));
    c->mu_static = c->mu_kinetic = mu;
    if (chance(0.3)) c->mu_static = times(any(1.1, 1.6), mu);
}

// Stribeck's curve: less friction where it slips faster.
static void rubs_less_when_fast(struct contact *c, ex mu)
{
    ex slower = over(number(0.4), plus(number(1), scaled(between(5, 40), square(c->slip))));
    rubs(c, times(mu, plus(number(0.6), slower)));
}

static void bounces(struct contact *c, double low, double high, int rest)
{
    c->restitution = some("e", low, high);
    c->rest = rest;
}

static void end_and_path(ex q)
{
    cost("end", FINAL, q, 0);
    cost("rate", FINAL, dot(q), 0);
    cost("path", INTEGRAL, square(dot(q)), 0);
}

static void reactions(int c)
{
    const struct contact *p = &model.contact[c];
    if (p->restitution) cost("blow", BLOW, 0, c);
    else if (p->gap) cost("push", REACTION2, 0, c);
    if (p->slip && p->gap && !p->restitution) cost("rub", FRICTION2, 0, c);
}

// A block on an incline, pulled and lifted by a load that varies; it starts on it or falls on it.
static void incline(void)
{
    ex  b = some("b", 0.05, 0.5), pull = some("pull", 1, 9), lift = some("lift", 0, 14);
    int on = chance(0.6);
    ex  x = coordinate("x", zero(), some("u0", -2, 2));
    ex  y = coordinate("y", on ? zero() : some("h", 0.05, 0.6), zero());
    mass(x, number(1));
    mass(y, number(1));
    potential(scaled(9.81, plus(times(x, sine(b)), times(y, cosine(b)))));
    potential(times(any(0, 15), square(x)));
    force(x, wave(pull, 2, 9));
    force(y, wave(lift, 2, 7));
    struct contact *c = contact("floor", y, dot(x));
    c->closed = on;
    if (on) guess(y);
    rubs_somehow(c, 0.1, 0.8);
    if (chance(on ? 0.2 : 0.6)) bounces(c, 0.2, 0.7, 1);
    end_and_path(x);
    reactions(0);
}

// A block on a belt, held by a spring and a damper.
static void belt(void)
{
    ex k = some("k", 10, 60), speed = some("speed", 0.1, 1), d = some("d", 0, 0.5);
    ex x = coordinate("x", some("x0", -0.2, 0.3), some("u0", -0.5, 0.5)),
       y = coordinate("y", zero(), zero());
    mass(x, any(0.5, 2));
    mass(y, number(1));
    potential(plus(times(scaled(0.5, k), square(x)), scaled(9.81, y)));
    dissipation(times(scaled(0.5, d), square(dot(x))));
    if (chance(0.5)) force(y, wave(any(1, 7), 3, 8));
    ex              belt_speed = chance(0.5) ? speed : plus(speed, wave(scaled(0.5, speed), 2, 6));
    struct contact *c = contact("belt", y, minus(dot(x), belt_speed));
    c->closed = 1;
    guess(y);
    if (chance(0.3)) rubs_less_when_fast(c, some("mu", 0.2, 0.6));
    else rubs_somehow(c, 0.2, 0.6);
    end_and_path(x);
    reactions(0);
}

struct rigid {
    ex x, y, th;
};

static struct rigid rigid_body(ex x, ex y, ex th, ex u, ex v, ex spin, ex m, ex inertia)
{
    struct rigid b = {coordinate("x", x, u), coordinate("y", y, v), coordinate("th", th, spin)};
    mass(b.x, m);
    mass(b.y, m);
    mass(b.th, inertia);
    potential(times(scaled(9.81, m), b.y));
    return b;
}

static ex point_x(const struct rigid *b, ex u, ex v)
{
    return plus(b->x, minus(times(u, cosine(b->th)), times(v, sine(b->th))));
}

static ex point_y(const struct rigid *b, ex u, ex v)
{
    return plus(b->y, plus(times(u, sine(b->th)), times(v, cosine(b->th))));
}

// A table on two feet, of which one or both rub, pushed to and fro so that it may tip.
static void two_feet(void)
{
    ex           a = some("a", 0.1, 0.4), h = some("h", 0.1, 0.4), shove = some("shove", 1, 12);
    struct rigid b = rigid_body(zero(), h, zero(), some("u0", -1.5, 1.5), zero(), zero(), number(1),
                                any(0.02, 0.1));
    int          both = chance(0.6);
    ex           down = scaled(-1, h), back = scaled(-1, a);
    struct contact *left = contact("left", point_y(&b, back, down), dot(point_x(&b, back, down)));
    struct contact *right =
        contact("right", point_y(&b, a, down), both ? dot(point_x(&b, a, down)) : 0);
    left->closed = right->closed = left->rest = right->rest = 1;
    rubs_somehow(left, 0.1, 0.7);
    if (both) rubs(right, any(0.1, 0.7));
    guess(b.y);
    guess(b.th);
    force(point_x(&b, zero(), any(0, 0.3)), wave(shove, 2, 8));
    end_and_path(b.x);
    cost("tilt", FINAL, b.th, 0);
    cost("push", REACTION2, 0, 1);
}

// A box that falls on its two lower corners, or on both at once.
static void box(void)
{
    ex  a = some("a", 0.1, 0.3), h = some("h", 0.1, 0.3);
    ex  inertia = over(plus(square(a), square(h)), number(3));
    int friction = chance(0.7), elastic = chance(0.6), flat = chance(0.2),
        rest = friction || chance(0.5);
    double       drop = between(0.35, 0.6), tilt = between(-0.5, 0.5);
    ex           u0 = some("u0", -1, 1), spin = flat ? zero() : some("spin", -2, 2);
    ex           angle = flat ? zero() : parameter("tilt", tilt);
    struct rigid b =
        rigid_body(zero(), plus(number(drop), h), angle, u0, zero(), spin, number(1), inertia);
    ex e = elastic ? some("e", 0.1, 0.7) : 0, mu = friction ? some("mu", 0.1, 0.8) : 0;
    for (int side = -1; side <= 1; side += 2) {
        ex              u = scaled(side, a), v = scaled(-1, h);
        struct contact *c = contact(side < 0 ? "left" : "right", point_y(&b, u, v),
                                    friction ? dot(point_x(&b, u, v)) : 0);
        c->px = point_x(&b, u, v);
        c->py = point_y(&b, u, v);
        c->restitution = e;
        c->rest = rest;
        c->mu_static = c->mu_kinetic = mu;
    }
    if (chance(0.3)) force(b.x, wave(any(1, 6), 2, 8));
    end_and_path(b.x);
    cost("tilted", FINAL, b.th, 0);
    cost("height", INTEGRAL, b.y, 0);
}

// Two or three blocks on top of each other; the lowest lies on the floor.
static void stack(void)
{
    int count = 2 + chance(0.3), frictional = chance(0.8);
    ex  mu = some("mu", 0.1, 0.6), pull = some("pull", 2, 20), x[3], y[3];
    ex  below_y = zero(), below_v = zero();
    for (int i = 0; i < count; i++) {
        ex m = numbered("m", i + 1, 0.5, 2);
        x[i] = moving("x", i + 1, zero(), any(-1.5, 1.5));
        y[i] = moving("y", i + 1, number(i), zero());
        guess(y[i]);
        mass(x[i], m);
        mass(y[i], m);
        potential(times(scaled(9.81, m), y[i]));
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "face%d", i + 1);
        int             rough = frictional || i == 0;
        struct contact *c = contact(name, minus(y[i], plus(below_y, number(i > 0))),
                                    rough ? minus(dot(x[i]), below_v) : 0);
        c->closed = 1;
        if (rough) c->mu_static = c->mu_kinetic = i == 0 ? mu : any(0.1, 0.6);
        below_y = y[i];
        below_v = dot(x[i]);
    }
    force(x[below(count)], wave(pull, 2, 8));
    if (chance(0.3)) force(y[count - 1], wave(any(2, 9), 2, 6));
    end_and_path(x[0]);
    cost("top", FINAL, x[count - 1], 0);
    reactions(0);
}

// Balls in a row between springs to the ground.
static void row(void)
{
    int count = 2 + below(3), plastic = chance(0.2), rest = !plastic && chance(0.6);
    ex  e = some("e", 0.3, 0.95), u = some("u", 0.8, 2.5), k = some("k", 0, 25), x[5];
    for (int i = 0; i < count; i++) {
        ex m = i < 2 ? numbered("m", i + 1, 0.5, 2) : any(0.5, 2);
        x[i] =
            moving("x", i + 1, number(0.5 * i + between(-0.1, 0.1)), i == 0 ? u : any(-0.3, 0.3));
        mass(x[i], m);
        potential(times(scaled(0.5, k), square(minus(x[i], any(-0.3, 1)))));
    }
    for (int i = 0; i + 1 < count; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "hit%d", i + 1);
        struct contact *c = contact(name, minus(minus(x[i + 1], x[i]), number(0.2)), 0);
        if (!plastic) c->restitution = e;
        c->rest = rest;
    }
    end_and_path(x[0]);
    cost("last", FINAL, x[count - 1], 0);
    reactions(0);
}

// A ball with spin bounces, comes to rest, and rolls.
static void ball(void)
{
    ex r = some("r", 0.05, 0.2), J = some("J", 0.002, 0.02), h = some("h", 0.1, 0.8);
    ex x = coordinate("x", zero(), some("u0", -2, 2)), y = coordinate("y", plus(r, h), zero());
    ex w = coordinate("w", zero(), some("spin", -12, 12));
    mass(x, number(1));
    mass(y, number(1));
    mass(w, J);
    potential(scaled(9.81, y));
    force(x, wave(any(0, 4), 2, 6));
    if (chance(0.3)) force(y, wave(any(0, 12), 2, 6));
    struct contact *c = contact("floor", minus(y, r), plus(dot(x), times(r, dot(w))));
    rubs(c, some("mu", 0.05, 0.5));
    if (chance(0.8)) bounces(c, 0.2, 0.75, 1);
    end_and_path(x);
    cost("turn", FINAL, w, 0);
    reactions(0);
}

// A chain of masses and springs with dry friction on some of them, or between neighbours.
static void chain(void)
{
    int count = 1 + below(4);
    ex  k = some("k", 10, 60), pull = some("pull", 2, 9), limit = some("limit", 0.3, 2.5), x[4],
       before = zero();
    for (int i = 0; i < count; i++) {
        x[i] = moving("x", i + 1, any(-0.3, 0.3), i == 0 ? some("u0", -2, 2) : any(-1, 1));
        mass(x[i], any(0.5, 2));
        potential(times(scaled(0.5, k), square(minus(x[i], before))));
        dissipation(times(any(0, 0.2), square(dot(x[i]))));
        ex holds = scaled(between(0.5, 1.5), limit);
        if (chance(0.3)) holds = times(holds, plus(number(1), wave(number(0.4), 2, 6)));
        if (i == 0 || chance(0.6)) dry(chance(0.7) ? dot(x[i]) : dot(minus(x[i], before)), holds);
        before = x[i];
    }
    force(x[count - 1], wave(pull, 2, 8));
    end_and_path(x[0]);
    cost("last", FINAL, x[count - 1], 0);
}

// One or two oscillators between stops.
static void stops(void)
{
    int count = 1 + below(2), kind = below(3);
    ex  k = some("k", 4, 40), pull = some("pull", 2, 12), at = some("at", 0.07, 0.3),
       e = some("e", 0.3, 0.9), x[2];
    for (int i = 0; i < count; i++) {
        x[i] = moving("x", i + 1, any(-0.1, 0.05), any(-3, 3));
        mass(x[i], i == 0 ? some("m", 0.5, 2) : any(0.5, 2));
        potential(times(scaled(0.5, k), square(i == 0 ? x[i] : minus(x[i], x[0]))));
    }
    force(x[count - 1], wave(pull, 2, 9));
    struct contact *c = contact("stop", minus(at, x[0]), 0);
    if (kind > 0) c->restitution = e;
    c->rest = kind == 2;
    if (chance(0.5)) {
        c = contact("back", plus(x[count - 1], any(0.3, 0.6)), 0);
        if (chance(0.7)) c->restitution = e;
    }
    end_and_path(x[0]);
    reactions(0);
}

// A double pendulum: its mass matrix varies. Its end rubs on a wall, its joints may rub.
static void pendulum(void)
{
    ex l = some("l", 0.4, 0.8), m = some("m", 0.5, 2), wall = some("wall", -0.1, 0.3);
    ex a = coordinate("a", some("a0", -1.4, -0.5), zero()),
       b = coordinate("b", any(-1.4, -0.3), any(-1, 1));
    ex x1 = times(l, sine(a)), y1 = times(scaled(-1, l), cosine(a));
    ex x2 = plus(x1, scaled(0.6, sine(b))), y2 = minus(y1, scaled(0.6, cosine(b)));
    kinetic(times(scaled(0.5, m), plus(square(dot(x1)), square(dot(y1)))));
    kinetic(scaled(0.5, plus(square(dot(x2)), square(dot(y2)))));
    potential(scaled(9.81, plus(times(m, y1), y2)));
    int             friction = chance(0.6);
    struct contact *c = contact("wall", minus(wall, x2), friction ? dot(y2) : 0);
    if (friction) rubs_somehow(c, 0.1, 0.6);
    if (chance(0.7)) bounces(c, 0.2, 0.8, friction);
    if (chance(0.5)) dry(dot(a), some("limit", 0.1, 1));
    if (chance(0.3)) dry(minus(dot(b), dot(a)), any(0.1, 0.5));
    end_and_path(a);
    reactions(0);
}

// A point in a bowl or on a dome of the given radius; the script has the words for circles.
static void bowl(void)
{
    int inside = chance(0.5), on = chance(0.5), friction = chance(0.7);
    ex  r = some("r", 0.3, 0.8), a0 = some("a0", 0.1, 0.7), u0 = some("u0", 0.1, 1.2),
       side = inside ? scaled(-1, r) : r;
    ex away = on       ? side
              : inside ? scaled(between(0.4, 0.9), side)
                       : scaled(between(1.1, 1.7), side);
    // At the angle a0 from the vertical, along the circle.
    ex x = coordinate("x", times(away, sine(a0)), times(u0, cosine(a0)));
    ex y = coordinate("y", times(away, cosine(a0)), times(scaled(-1, u0), sine(a0)));
    ex distance = root(plus(square(x), square(y)));
    mass(x, number(1));
    mass(y, number(1));
    potential(scaled(9.81, y));
    force(x, wave(any(0, 5), 2, 6));
    ex              along = over(minus(times(x, dot(y)), times(y, dot(x))), distance);
    ex              gap = inside ? minus(r, distance) : minus(distance, r);
    struct contact *c = contact(inside ? "bowl" : "dome", gap, friction ? along : 0);
    c->px = x;
    c->py = y;
    c->radius = side;
    c->closed = on;
    if (on) guess(y);
    if (friction) rubs_somehow(c, 0.05, 0.6);
    if (chance(on ? 0.2 : 0.6)) bounces(c, 0.2, 0.7, friction || on);
    end_and_path(x);
    reactions(0);
}

// A ladder: two points and a rod between them; the lower one rubs on the floor, the upper one falls
// on it.
static void ladder(void)
{
    ex l = some("l", 0.4, 1), th = some("th", 0.3, 1.2), u = some("u", -1, 1),
       w = some("w", -1, 0.5);
    ex xb0 = times(l, cosine(th)), yb0 = times(l, sine(th));
    ex xa = coordinate("xa", zero(), u), ya = coordinate("ya", zero(), zero());
    ex yb = coordinate("yb", yb0, w),
       xb = coordinate("xb", xb0, minus(u, over(times(yb0, w), xb0)));
    guess(ya);
    guess(xb);
    ex m = some("m", 0.5, 2);
    mass(xa, m);
    mass(ya, m);
    mass(xb, number(1));
    mass(yb, number(1));
    potential(scaled(9.81, plus(times(m, ya), yb)));
    struct contact *a = contact("foot", ya, dot(xa)), *b = contact("head", yb, 0);
    a->closed = 1;
    a->rest = 1;
    rubs_somehow(a, 0.05, 0.6);
    if (chance(0.5)) bounces(b, 0.2, 0.7, chance(0.5));
    constraint("rod", minus(plus(square(minus(xb, xa)), square(minus(yb, ya))), square(l)));
    end_and_path(xa);
    cost("head", FINAL, xb, 0);
    cost("fall", INTEGRAL, yb, 0);
}

// A sleigh on a knife edge that bumps into walls, and that a torsion with dry friction may turn.
static void sleigh(void)
{
    ex m = some("m", 1, 3), J = some("J", 0.05, 0.3), a = some("a", -0.2, 0.3),
       w0 = some("w0", -2, 2);
    ex u0 = some("u0", 0.5, 2), wall = some("wall", 0.6, 1), v = times(a, w0);
    ex x = coordinate("x", zero(), u0), y = coordinate("y", zero(), v),
       th = coordinate("th", zero(), w0);
    mass(x, m);
    mass(y, m);
    mass(th, J);
    force(th, wave(any(0, 1), 2, 6));
    ex  nose_x = plus(x, scaled(0.3, cosine(th))), nose_y = plus(y, scaled(0.3, sine(th)));
    int friction = chance(0.5);
    struct contact *c = contact("wall", minus(wall, nose_x), friction ? dot(nose_y) : 0);
    if (friction) rubs(c, some("mu", 0.1, 0.6));
    bounces(c, 0.2, 0.8, friction);
    if (chance(0.4)) dry(dot(th), any(0.05, 0.3));
    ex across = minus(times(cosine(th), dot(y)), times(sine(th), dot(x)));
    rolling("edge", minus(across, times(a, dot(th))));
    end_and_path(x);
    cost("turn", FINAL, th, 0);
    reactions(0);
}

struct family {
    const char *name;
    void (*build)(void);
};
static const struct family families[] = {
    {"incline", incline}, {"belt", belt},         {"two feet", two_feet}, {"box", box},
    {"stack", stack},     {"row", row},           {"ball", ball},         {"chain", chain},
    {"stops", stops},     {"pendulum", pendulum}, {"bowl", bowl},         {"ladder", ladder},
    {"sleigh", sleigh},
};
enum { FAMILIES = sizeof families / sizeof *families };

static void build_seed(unsigned long seed)
{
    int family = (int)(seed % FAMILIES);
    random_state = seed * 0x2545f4914f6cdd1dULL + 1;
    begin_model(families[family].name);
    families[family].build();
    end_model(between(0.8, 2));
}

#endif
