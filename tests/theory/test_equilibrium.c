/* Equilibria: closed forms of positions, forces, eigenvalues and their derivatives; contacts,
 * kinks, first-order states; what has no rest. */
#include "scripted.h"

typedef struct rest {
    scripted                         s;
    saltus_equilibrium              *search;
    const saltus_equilibrium_result *r;
} rest;

static rest find(const char *script)
{
    rest         e = {.s = load(script)};
    saltus_error err = {0};
    e.search = saltus_equilibrium_new(e.s.system, NULL, NULL, 0, &err);
    saltus_equilibrium_find(e.search, NULL, &err);
    if (err.status) fail_msg("line %d: %s", err.line, err.message);
    e.r = saltus_equilibrium_get_result(e.search);
    return e;
}

static rest found(const char *script)
{
    rest e = find(script);
    if (e.r->end != SALTUS_EQUILIBRIUM_FOUND) fail_msg("not found: %s", e.r->message);
    return e;
}

static void leave(rest *e)
{
    saltus_equilibrium_free(e->search);
    saltus_system_free(e->s.system);
}

static int by(const rest *e, const char *name)
{
    const int param = saltus_system_find_param(e->s.system, name);
    for (int k = 0; k < e->r->params_by; k++)
        if (e->r->by[k] == param) return k;
    fail_msg("no derivative by %s", name);
    return -1;
}

static double d_position(const rest *e, int i, const char *name)
{
    return e->r->gradient[i * e->r->params_by + by(e, name)];
}

static double d_re(const rest *e, int i, const char *name)
{
    return e->r->re_gradient[i * e->r->params_by + by(e, name)];
}

static double d_im(const rest *e, int i, const char *name)
{
    return e->r->im_gradient[i * e->r->params_by + by(e, name)];
}

/* lambda = -c/2 +- i w, w = sqrt(g/l - c^2/4). */
static void expect_pendulum(const rest *e)
{
    const double g = 9.81, l = 0.7, c = 0.5, w = sqrt(g / l - 0.25 * c * c);
    EXPECT(e->r->eigenvalues == 2 && e->r->stable == 1);
    EXPECT_NEAR(e->r->re[0], -0.5 * c, 1e-12);
    EXPECT_NEAR(e->r->im[0], w, 1e-11);
    EXPECT_NEAR(e->r->im[1], -w, 1e-11);
    EXPECT_NEAR(d_re(e, 0, "c"), -0.5, 1e-10);
    EXPECT_NEAR(d_im(e, 0, "c"), -0.25 * c / w, 1e-10);
    EXPECT_NEAR(d_im(e, 0, "g"), 0.5 / l / w, 1e-10);
    EXPECT_NEAR(d_im(e, 0, "l"), -0.5 * g / l / l / w, 1e-10);
    EXPECT_NEAR(d_re(e, 0, "l"), 0.0, 1e-10);
}

TEST(a_pendulum_hangs_in_its_angle)
{
    rest e = found("local g, l, c = param('g', 9.81), param('l', 0.7), param('c', 0.5)\n"
                   "local th = coordinate('th', {start = 0.4, speed = 3})\n"
                   "mass(th, l^2)\n"
                   "force(th, -g * l * sin(th) - c * l^2 * dot(th))\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[0], 0.0, 1e-14);
    expect_pendulum(&e);
    leave(&e);
}

/* Two coordinates and a constraint: the same eigenvalues, and none of the constraint. */
TEST(a_pendulum_hangs_on_its_rod)
{
    rest e = found("local g, l, c = param('g', 9.81), param('l', 0.7), param('c', 0.5)\n"
                   "local p = point('p', {guess = {0.3, -0.6}})\n"
                   "mass(p, 2)\n"
                   "gravity(0, -g)\n"
                   "rod {ground_point(0, 0), p, length = l}\n"
                   "force(p.x, -2 * c * dot(p.x)) force(p.y, -2 * c * dot(p.y))\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[0], 0.0, 1e-13);
    EXPECT_NEAR(e.r->position[1], -0.7, 1e-13);
    EXPECT_NEAR(d_position(&e, 1, "l"), -1.0, 1e-10);
    EXPECT_NEAR(fabs(e.r->multiplier[0]) * 2.0 * 0.7, 2.0 * 9.81, 1e-10); /* Phi = |p|^2 - l^2 */
    expect_pendulum(&e);
    leave(&e);
}

TEST(upside_down_it_is_unstable)
{
    rest e = found("local th = coordinate('th', {start = 3})\n"
                   "mass(th, 1)\n"
                   "force(th, -4 * sin(th))\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[0], 3.14159265358979323846, 1e-13);
    EXPECT(e.r->stable == 0);
    EXPECT_NEAR(e.r->re[0], 2.0, 1e-12);
    EXPECT_NEAR(e.r->re[1], -2.0, 1e-12);
    leave(&e);
    e = found("local th = coordinate('th', {start = 0.3})\n"
              "mass(th, 1)\n"
              "force(th, -4 * sin(th))\n"
              "horizon(0, 1)\n");
    EXPECT(e.r->stable == -1);
    leave(&e);
}

/* A motor with a current: L i' = U - R i - k w, J w' = k i - m g r sin(th); at rest i = U / R and
 * sin(th) = k U / (R m g r). Three eigenvalues, whose sum is -R / L. */
TEST(a_state_of_first_order_has_one_eigenvalue)
{
    rest e = found(
        "local U, R, L, k = param('U', 1.2), param('R', 2), param('L', 0.5), param('k', 0.4)\n"
        "local th = coordinate('th', {start = 0.1})\n"
        "local i = state('i', {start = 0.3})\n"
        "rate(i, (U - R * i - k * dot(th)) / L)\n"
        "mass(th, 1)\n"
        "force(th, k * i - sin(th))\n"
        "horizon(0, 1)\n");
    double sum = 0.0;
    EXPECT(e.r->eigenvalues == 3);
    for (int j = 0; j < 3; j++) sum += e.r->re[j];
    EXPECT_NEAR(sum, -4.0, 1e-11);
    EXPECT_NEAR(e.r->position[0], asin(0.24), 1e-13);
    EXPECT_NEAR(e.r->position[1], 0.6, 1e-13);
    EXPECT_NEAR(d_position(&e, 0, "U"), 0.2 / cos(asin(0.24)), 1e-10);
    EXPECT_NEAR(d_position(&e, 1, "R"), -0.3, 1e-10);
    leave(&e);
}

/* A torque on the second wheel turns the first one against its spring: a = -i M / k. */
TEST(wheels_rest_in_the_teeth_in_which_they_started)
{
    rest e = found("local k, i, M = param('k', 5), param('i', 1.5), param('M', 1)\n"
                   "local A = body('A', {angle = 0.2, mass = 1, inertia = 0.5})\n"
                   "local B = body('B', {x = 2, angle = -0.3, mass = 1, inertia = 0.8})\n"
                   "joint.revolute {A, ground_point(0, 0)}\n"
                   "joint.revolute {B, ground_point(2, 0)}\n"
                   "torsion_spring {A, stiffness = k, damping = 0.2}\n"
                   "motor {B, torque = M}\n"
                   "gear {A, B, ratio = i, name = 'gear'}\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[2], -0.3, 1e-13);
    EXPECT_NEAR(e.r->position[5], 1.5 * 0.2 - 0.3 + 1.5 * 0.3, 1e-13);
    EXPECT_NEAR(e.r->multiplier[4], -1.0, 1e-12);
    EXPECT_NEAR(d_position(&e, 2, "i"), -0.2, 1e-10);
    EXPECT_NEAR(d_position(&e, 5, "i"), 0.2 + 2.0 * 1.5 / 5.0, 1e-10);
    EXPECT(e.r->eigenvalues == 2 && e.r->stable == 1);
    leave(&e);
}

/* A body on a rough floor, pulled by a spring: it sticks, and its weight is carried. */
TEST(a_contact_that_is_closed_carries_the_weight)
{
    rest e = found("local y = coordinate('y', {guess = 0})\n"
                   "local x = coordinate('x', {start = 0.2})\n"
                   "local g = param('g', 9.81)\n"
                   "mass(x, 2) mass(y, 2)\n"
                   "force(y, -2 * g) force(x, -50 * (x - 0.1) - 3 * dot(x))\n"
                   "contact {gap = y, name = 'floor', restitution = 0, start = 'closed'}\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[0], 0.0, 1e-12);
    EXPECT_NEAR(e.r->position[1], 0.1, 1e-12);
    EXPECT_NEAR(fabs(e.r->multiplier[0]), 19.62, 1e-9);
    EXPECT(e.r->eigenvalues == 2 && e.r->stable == 1 && e.r->message[0] == 0);
    EXPECT_NEAR(e.r->re[0], -0.75, 1e-11);
    EXPECT_NEAR(e.r->im[0], sqrt(25.0 - 0.5625), 1e-10);
    leave(&e);
}

/* A spring that is ten times stiffer beyond zero; the search begins on the other side. */
TEST(kinks_are_followed_to_the_right_side)
{
    rest e = found("local k, f = param('k', 3), param('f', 6)\n"
                   "local x = coordinate('x', {start = -1})\n"
                   "mass(x, 1)\n"
                   "force(x, f - k * x - 9 * k * max(x, 0) - dot(x))\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[0], 0.2, 1e-13);
    EXPECT_NEAR(d_position(&e, 0, "k"), -0.2 / 3.0, 1e-10);
    EXPECT_NEAR(e.r->im[0], sqrt(30.0 - 0.25), 1e-11);
    leave(&e);
}

TEST(what_has_no_rest_is_told)
{
    rest e = find("local y = coordinate('y', {start = 1})\n"
                  "mass(y, 1)\n"
                  "force(y, -9.81)\n"
                  "horizon(0, 1)\n");
    EXPECT(e.r->end == SALTUS_EQUILIBRIUM_STUCK || e.r->end == SALTUS_EQUILIBRIUM_LIMIT);
    EXPECT(strstr(e.r->message, "'y'") && strstr(e.r->message, "9.81") && !e.r->re);
    leave(&e);
    /* It falls, whatever else comes to rest; so does a state whose rate cannot be zero. */
    e = find("local x, y = coordinate('x', {start = 1}), coordinate('y', {start = 1})\n"
             "mass(x, 1) mass(y, 1)\n"
             "force(x, -x) force(y, -9.81)\n"
             "horizon(0, 1)\n");
    EXPECT(e.r->end == SALTUS_EQUILIBRIUM_STUCK || e.r->end == SALTUS_EQUILIBRIUM_LIMIT);
    EXPECT(strstr(e.r->message, "'y'") && strstr(e.r->message, "9.81") && !e.r->re);
    leave(&e);
    e = find("local y = coordinate('y', {start = 1})\n"
             "mass(y, 1)\n"
             "force(y, -9.81 - 100 * y)\n"
             "state('s', {rate = y^2})\n"
             "horizon(0, 1)\n");
    EXPECT(e.r->end == SALTUS_EQUILIBRIUM_STUCK || e.r->end == SALTUS_EQUILIBRIUM_LIMIT);
    EXPECT(strstr(e.r->message, "'s'") && !e.r->re);
    leave(&e);
    /* Everywhere is as good as here. */
    e = found("local x, y = coordinate('x', {start = 1}), coordinate('y', {start = 1})\n"
              "mass(x, 1) mass(y, 1)\n"
              "force(y, -y)\n"
              "horizon(0, 1)\n"
              "local k = param('k', 1)\n");
    EXPECT(strstr(e.r->message, "family") && isnan(e.r->gradient[0]));
    leave(&e);
    /* The floor would be left behind. */
    e = found("local y = coordinate('y', {start = 1})\n"
              "mass(y, 1)\n"
              "force(y, -9.81 - 4 * y)\n"
              "event('floor', {when = y, direction = 'falling', restitution = 0.5})\n"
              "horizon(0, 1)\n");
    EXPECT(strstr(e.r->message, "'floor'"));
    leave(&e);
    e = found("local y = coordinate('y', {start = 1})\n"
              "mass(y, 1)\n"
              "force(y, sin(2 * t) - 4 * y)\n"
              "horizon(0, 1)\n");
    EXPECT(strstr(e.r->message, "time"));
    leave(&e);
}

/* A mass on a spring whose start is zero, so that no start tells how large a change is. */
TEST(a_search_may_begin_at_zero)
{
    rest e = found("local k = param('k', 20)\n"
                   "local y = coordinate('y')\n"
                   "mass(y, 2)\n"
                   "force(y, -2 * 9.81 - k * y)\n"
                   "horizon(0, 1)\n");
    EXPECT_NEAR(e.r->position[0], -2.0 * 9.81 / 20.0, 1e-13);
    EXPECT_NEAR(d_position(&e, 0, "k"), 2.0 * 9.81 / 400.0, 1e-10);
    leave(&e);
}

TEST_MAIN(RUN(a_search_may_begin_at_zero), RUN(a_pendulum_hangs_in_its_angle),
          RUN(a_pendulum_hangs_on_its_rod), RUN(upside_down_it_is_unstable),
          RUN(a_state_of_first_order_has_one_eigenvalue),
          RUN(wheels_rest_in_the_teeth_in_which_they_started),
          RUN(a_contact_that_is_closed_carries_the_weight),
          RUN(kinks_are_followed_to_the_right_side), RUN(what_has_no_rest_is_told))
