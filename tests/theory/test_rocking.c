/* Contacts that touch in turn, each throwing the other off, come to rest after infinitely many
 * touches: when, what the floor receives, and integrals, with all derivatives. */
#include <complex.h>

#include "scripted.h"

/* ---- a seesaw: an exact geometric series ---------------------------------------------------- */

/* Its middle y has the mass 1, its tilt u the inertia J > 1, and its ends are at y - u and y + u.
 * With one end down, the other has a constant acceleration; a force f on u makes them differ. It
 * may slide: x has the mass 2, and friction mu at both ends. */
#define SEESAW                                                                                     \
    "local g, J, f = param('g', 9.81), param('J', 3), param('f', 1.5)\n"                           \
    "local h, mu = param('h', 0.2), param('mu', 0.1)\n"                                            \
    "local x = coordinate('x', {speed = 2})\n"                                                     \
    "local y, u = coordinate('y', {start = h / 2}), coordinate('u', {start = -h / 2})\n"           \
    "mass(x, 2) mass(y, 1) mass(u, J) force(y, -g) force(u, f) force(x, 0.3)\n"                    \
    "contact {gap = y + u, slip = dot(x), friction = mu, start = 'closed', name = 'R',\n"          \
    "         charge = {R = impulse('R'), rub = impulse('R.friction')}}\n"                         \
    "contact {gap = y - u, slip = dot(x), friction = mu, name = 'L',\n"                            \
    "         charge = {L = impulse('L')}}\n"                                                      \
    "cost('R', {}) cost('L', {}) cost('rub', {})\n"                                                \
    "cost('y', {integral = y}) cost('x', {final = x}) cost('w', {final = dot(x)})\n"               \
    "horizon(0, 1.2)\n"

enum { PARAMS = 5, VALUES = 7 };
static const char *const names[PARAMS] = {"g", "J", "f", "h", "mu"};
static const char *const costs[VALUES - 1] = {"R", "L", "y", "x", "w", "rub"};
static const double      given[PARAMS] = {9.81, 3, 1.5, 0.2, 0.1};

/* The time of rest, and the costs. An impact of L at the speed w throws R off with r w. */
static void seesaw(const double complex *p, double complex *value)
{
    const double complex g = p[0], J = p[1], turn = p[2] / J, h = p[3], mu = p[4], T = 1.2;
    const double complex D = 1 + 1 / J, r = (J - 1) / (J + 1);
    const double complex AL = g + turn - r * (g - turn), AR = g - turn - r * (g + turn);
    const double complex t = csqrt(2 * h / AL), w = AL * t, square = 1 - r * r;
    const double complex cubes = 1 - cpow(r, 6);
    const double complex both = 2.0 / 3 * h * t + 2.0 / 3 * cpow(r * w, 3) / (AR * AR) / cubes +
                                2.0 / 3 * cpow(r * r * w, 3) / (AL * AL) / cubes;
    value[0] = t + (2 * r * w / AR + 2 * r * r * w / AL) / square;
    value[1] = r * w / D / square;
    value[2] = w / D / square;
    value[3] = both / 2;
    value[4] = 2 * T + 0.15 * T * T / 2 - mu / 2 * (g * T * T / 2 - h / 2);
    value[5] = 2 + 0.15 * T - mu / 2 * g * T;
    value[6] = mu * value[1];
}

/* The first event of that name. */
static int find_event(const scripted *s, const char *name)
{
    for (int i = 0; i < s->info->events; i++)
        if (strcmp(saltus_run_event(s->run, i).name, name) == 0) return i;
    fail_msg("no event '%s'", name);
    return -1;
}

static int last_event(const scripted *s, const char *name)
{
    for (int i = s->info->events - 1; i >= 0; i--)
        if (strcmp(saltus_run_event(s->run, i).name, name) == 0) return i;
    fail_msg("no event '%s'", name);
    return -1;
}

/* The derivative of the time of an event by all parameters, by each method. */
static void expect_time(scripted *s, int event, double time, const double *slope, int params,
                        double tolerance)
{
    double  unused[MAX_COSTS * MAX_PARAMS];
    double *all = calloc((size_t)(s->info->events * params), sizeof *all);
    EXPECT_NEAR(saltus_run_event(s->run, event).t, time, tolerance);
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        saltus_run_gradients(s->run, &request, unused, all, NULL, &s->err);
        if (s->err.status) fail_msg("%s: %s", saltus_method_name(all_methods[m]), s->err.message);
        for (int i = 0; i < params; i++)
            EXPECT_NEAR(all[event * params + i], slope[i], tolerance * (1 + fabs(slope[i])));
    }
    free(all);
}

TEST(a_seesaw_comes_to_rest_as_its_series_says)
{
    scripted       s = run_to(SEESAW, SALTUS_END);
    double         slope[VALUES][PARAMS];
    double complex p[PARAMS], value[VALUES];
    for (int i = 0; i < PARAMS; i++) {
        for (int k = 0; k < PARAMS; k++) p[k] = given[k] + (k == i ? 1e-30 * I : 0);
        seesaw(p, value);
        for (int k = 0; k < VALUES; k++) slope[k][i] = cimag(value[k]) / 1e-30;
    }
    expect_time(&s, find_event(&s, "R.rest"), creal(value[0]), slope[0], PARAMS, 1e-7);
    expect_time(&s, find_event(&s, "L.rest"), creal(value[0]), slope[0], PARAMS, 1e-7);
    for (int k = 1; k < VALUES; k++) {
        EXPECT_NEAR(cost_value(&s, costs[k - 1]), creal(value[k]), 1e-8);
        for (int i = 0; i < PARAMS; i++)
            expect_gradient(&s, costs[k - 1], names[i], slope[k][i], 1e-7);
    }
    release(&s);
}

/* With restitution each end bounces to rest before the other one lands. In the mean its bounces
 * push as the end at rest would, so the turns are those without restitution; what the floor
 * receives at each touch is (1 + e) / (1 - e) times as much. */
TEST(a_seesaw_that_bounces_comes_to_rest_at_the_same_time)
{
    static const double      e = 0.3, more = (1 + 0.3) / (1 - 0.3);
    static const char *const both[] = {"R", "L"};
    scripted                 s =
        run_to("local g, J, f = param('g', 9.81), param('J', 3), param('f', 1.5)\n"
               "local h, e = param('h', 0.2), param('e', 0.3)\n"
               "local y, u = coordinate('y', {start = h / 2}), coordinate('u', {start = -h / 2})\n"
               "mass(y, 1) mass(u, J) force(y, -g) force(u, f)\n"
               "contact {gap = y + u, restitution = e, start = 'closed', name = 'R',\n"
               "         charge = {R = impulse('R')}}\n"
               "contact {gap = y - u, restitution = e, rest = true, name = 'L',\n"
               "         charge = {L = impulse('L')}}\n"
               "cost('R') cost('L')\n"
               "horizon(0, 1.2)\n",
               SALTUS_END);
    double         slope[3][PARAMS];
    double complex p[PARAMS], value[VALUES];
    for (int i = 0; i < PARAMS; i++) {
        for (int k = 0; k < PARAMS; k++) p[k] = given[k] + (k == i ? 1e-30 * I : 0);
        seesaw(p, value);
        for (int k = 0; k < 3; k++) slope[k][i] = cimag(value[k]) / 1e-30;
    }
    slope[0][4] = 0.0; /* by e, which is in place of mu */
    expect_time(&s, last_event(&s, "R.rest"), creal(value[0]), slope[0], PARAMS, 1e-9);
    expect_time(&s, last_event(&s, "L.rest"), creal(value[0]), slope[0], PARAMS, 1e-9);
    for (int k = 1; k < 3; k++) {
        const double once = creal(value[k]);
        EXPECT_NEAR(cost_value(&s, both[k - 1]), more * once, 1e-10);
        expect_gradient(&s, both[k - 1], "e", 2 / ((1 - e) * (1 - e)) * once, 1e-8);
        for (int i = 0; i < 4; i++)
            expect_gradient(&s, both[k - 1], names[i], more * slope[k][i], 1e-8);
    }
    release(&s);
}

/* ---- Housner's block ------------------------------------------------------------------------ */

/* Swings of a pendulum on its head between impacts, summed with 40 digits (mpmath) down to speeds
 * of 1e-12, and differences of these sums. */
TEST(a_block_rocks_to_rest)
{
    static const char *const by[] = {"g", "B", "H", "th0"}, *const of[] = {"left", "right", "sway"};
    static const double value[] = {0.8747828826917, 0.50619458942272, 0.0028673380695042};
    static const double time_slope[] = {-0.0365530751254, -5.73230974933, 4.47915776065,
                                        2.42650913254};
    static const double slope[][4] = {
        {0.0445862835215, -0.527576891156, 1.42321416033, 2.49406434008},
        {0.0257999281051, -2.42570130391, 2.14880655172, 1.44319453386},
        {-0.000146143632493, -0.00984012179487, 0.00973424870835, 0.0500956666829}};
    scripted s = run_to(
        "local g, B, H = param('g', 9.81), param('B', 0.25), param('H', 0.4)\n"
        "local th0 = param('th0', 0.15)\n"
        "gravity(0, -g)\n"
        "local b = body('block', {x = -B * cos(th0) + H * sin(th0), angle = -th0, mass = 1,\n"
        "  y = B * sin(th0) + H * cos(th0), inertia = (B^2 + H^2) / 3})\n"
        "local floor = {ground_point(-0.5, 0), ground_point(0.5, 0)}\n"
        "contact {b:point(B, -H), line = floor, friction = 0.9, start = 'closed', name = 'right',\n"
        "         charge = {right = impulse('right')}}\n"
        "contact {b:point(-B, -H), line = floor, friction = 0.9, name = 'left',\n"
        "         charge = {left = impulse('left')}}\n"
        "cost('left', {}) cost('right', {}) cost('sway', {integral = b.angle^2})\n"
        "horizon(0, 1)\n",
        SALTUS_END);
    expect_time(&s, find_event(&s, "right.rest"), 0.71717133396019, time_slope, 4, 1e-8);
    for (int k = 0; k < 3; k++) {
        EXPECT_NEAR(cost_value(&s, of[k]), value[k], 1e-8);
        for (int i = 0; i < 4; i++) expect_gradient(&s, of[k], by[i], slope[k][i], 1e-7);
    }
    release(&s);
}

/* A plate that falls flat on both feet, or on one after the other, has no series: it stays, and
 * charges are those of the touches that happen. */
TEST(touches_that_do_not_follow_each_other_are_charged_as_they_are)
{
    scripted     s = run_to("local y = coordinate('y', {start = 1})\n"
                                "mass(y, 1) force(y, -10)\n"
                                "force(y, 40 * (1 + sign(t - 2)) / 2 * (1 - sign(t - 2.2)) / 2)\n"
                                "contact {gap = y, rest = true, name = 'floor',\n"
                                "         charge = {blow = impulse('floor')}}\n"
                                "cost('blow', {}) horizon(0, 6)\n",
                            SALTUS_END);
    const double up = 6.0, height = 0.6, again = sqrt(up * up + 2 * 10 * height);
    EXPECT_NEAR(cost_value(&s, "blow"), sqrt(20.0) + again, 1e-9);
    release(&s);
}

TEST_MAIN(RUN(a_seesaw_comes_to_rest_as_its_series_says),
          RUN(a_seesaw_that_bounces_comes_to_rest_at_the_same_time), RUN(a_block_rocks_to_rest),
          RUN(touches_that_do_not_follow_each_other_are_charged_as_they_are))
