/* Several contacts at once, against closed forms: none is lost, none pulls, and all ways to a
 * gradient agree. */
#include "twins.h"

/* ---- boxes that come to rest ---------------------------------------------------------------- */

typedef struct throw { double tilt, spin, a, height; }
throw;

/* Starts from which touches of a corner were lost once: hops of one corner that are far shorter
 * than the step, and corners that were released with a drift larger than their next hop. */
static const throw throws[] = {
    {0.315, -2.987, 0.189, 0.630},  {0.266, 1.267, 0.287, 0.556},   {0.017, 2.715, 0.216, 0.565},
    {-0.005, -0.303, 0.230, 0.647}, {-0.075, -0.025, 0.147, 0.508}, {-0.559, -1.544, 0.259, 0.554},
    {-0.480, -1.909, 0.146, 0.504}, {0.148, -2.548, 0.264, 0.631},  {0.403, 1.416, 0.234, 0.527},
};

static scripted drop(const throw *t, int corners)
{
    char script[2000];
    snprintf(script, sizeof script,
             "local e, mu = param('e', 0.35), param('mu', 0.3)\n"
             "local a, b = %.3f, 0.1\n"
             "gravity(0, -9.81)\n"
             "local box = body('box', {y = %.3f, angle = %.3f, spin = %.3f, speed = {0.5, 0},\n"
             "  mass = 1, inertia = (a^2 + b^2) / 3})\n"
             "local O, X = ground_point(-2, 0), ground_point(2, 0)\n"
             "for i, c in ipairs {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} do\n"
             "  if i <= %d then contact {box:point(c[1] * a, c[2] * b), line = {O, X},\n"
             "    restitution = e, friction = mu, name = 'c' .. i} end\n"
             "end\n"
             "cost('height', {final = box.y}) cost('place', {final = box.x})\n"
             "cost('lean', {final = sin(2 * box.angle)}) cost('rate', {final = dot(box.angle)})\n"
             "horizon(0, 3)\n",
             t->a, t->height, t->tilt, t->spin, corners);
    return run_to(script, SALTUS_END);
}

TEST(a_box_comes_to_lie_on_its_corners_wherever_it_falls_from)
{
    for (size_t i = 0; i < sizeof throws / sizeof *throws; i++)
        for (int corners = 2; corners <= 4; corners += 2) {
            scripted     s = drop(&throws[i], corners);
            const double height = cost_value(&s, "height"); /* with two corners it may turn over */
            if (!(fabs(fabs(height) - 0.1) < 1e-7 || fabs(height - throws[i].a) < 1e-7))
                fail_msg("box %zu with %d corners lies at %.10g", i, corners, height);
            EXPECT_NEAR(cost_value(&s, "lean"), 0.0, 1e-7);
            EXPECT_NEAR(cost_value(&s, "rate"), 0.0, 1e-7);
            release(&s);
        }
}

TEST(the_box_that_comes_to_rest_has_one_gradient)
{
    scripted s = drop(&throws[0], 2);
    expect_all_methods_agree(&s, 1e-5);
    release(&s);
}

/* ---- contacts that touch at one instant ----------------------------------------------------- */

TEST(walls_of_a_corner_have_impacts_of_their_own)
{
    /* x = e (t - hx), y = e (t - hy): nothing of one wall reaches the other coordinate */
    scripted s = run_to("local hx, hy, e = param('hx', 1), param('hy', 1), param('e', 0.8)\n"
                        "local x = coordinate('x', {start = hx, speed = -1}) mass(x, 1)\n"
                        "local y = coordinate('y', {start = hy, speed = -1}) mass(y, 2)\n"
                        "contact {gap = x, restitution = e, name = 'wx',\n"
                        "         charge = {blow = impulse('wx')}}\n"
                        "contact {gap = y, restitution = e, name = 'wy',\n"
                        "         charge = {blow = impulse('wy')}}\n"
                        "cost('x', {final = x}) cost('y', {final = y}) cost('blow', {})\n"
                        "horizon(0, 1.5)\n",
                        SALTUS_END);
    expect_event_count(&s, 2);
    expect_event(&s, 1, "wy", 1.0, 1e-12);
    EXPECT_NEAR(cost_value(&s, "blow"), 5.4, 1e-12);
    expect_gradient(&s, "x", "hx", -0.8, 1e-10);
    expect_gradient(&s, "x", "hy", 0.0, 1e-10);
    expect_gradient(&s, "y", "hx", 0.0, 1e-10);
    expect_gradient(&s, "y", "hy", -0.8, 1e-10);
    expect_gradient(&s, "blow", "e", 3.0, 1e-10);
    release(&s);
}

#define FLAT_BOX                                                                                   \
    "local h, e, m = param('h', 0.5), param('e', 0.5), param('m', 2)\n"                            \
    "gravity(0, -10)\n"                                                                            \
    "local box = body('box', {y = h + 0.1, mass = m, inertia = 0.03})\n"                           \
    "local O, X = ground_point(-2, 0), ground_point(2, 0)\n"                                       \
    "for i, at in ipairs {-0.2, 0.2} do\n"                                                         \
    "  contact {box:point(at, -0.1), line = {O, X}, restitution = e, rest = true,\n"               \
    "           name = 'c' .. i, charge = {blow = impulse('c' .. i)}}\n"                           \
    "end\n"                                                                                        \
    "cost('y', {final = box.y}) cost('blow', {})\n"

TEST(corners_that_land_together_share_the_impact_with_all_that_belongs_to_it)
{
    /* one bounce, with the speed v = sqrt(2 g h): both together receive m v (1 + e) */
    scripted     s = run_to(FLAT_BOX "horizon(0, 0.6)\n", SALTUS_END);
    const double v = sqrt(10.0), t = v / 10.0, blow = 2.0 * v * 1.5;
    expect_event_count(&s, 2);
    expect_event(&s, 1, "c2", t, 1e-12);
    EXPECT_NEAR(cost_value(&s, "blow"), blow, 1e-10);
    expect_gradient(&s, "blow", "h", 0.5 * blow / 0.5, 1e-8);
    expect_gradient(&s, "blow", "e", 2.0 * v, 1e-8);
    expect_gradient(&s, "blow", "m", v * 1.5, 1e-8);
    /* y = 0.1 + e v (T - t) - 5 (T - t)^2, and both v and t change with h */
    const double since = 0.6 - t;
    EXPECT_NEAR(cost_value(&s, "y"), 0.1 + 0.5 * v * since - 5.0 * since * since, 1e-10);
    expect_gradient(&s, "y", "h", 0.5 * (10.0 / v) * since - (0.5 * v - 10.0 * since) / v, 1e-8);
    expect_all_methods_agree(&s, 1e-6);
    release(&s);
}

TEST(corners_that_land_together_rest_together)
{
    scripted     s = run_to(FLAT_BOX "horizon(0, 2)\n", SALTUS_END);
    const double v = sqrt(10.0), blow = 2.0 * v * 3.0; /* m v (1 + e) / (1 - e) */
    EXPECT_NEAR(cost_value(&s, "y"), 0.1, 1e-9);
    EXPECT_NEAR(cost_value(&s, "blow"), blow, 1e-6 * blow);
    expect_gradient(&s, "blow", "h", blow, 1e-5);
    expect_gradient(&s, "blow", "e", 2.0 * v * 2.0 / 0.25, 1e-4);
    release(&s);
}

/* ---- contacts that depend on each other ----------------------------------------------------- */

/* A drawer between two guides, pulled with F at a distance c beside its middle: the corners press
 * with N = F c / L, and it slides if F > 2 mu N, that is mu < L / (2 c); whatever F is. The gaps of
 * opposite guides depend on each other. */
#define DRAWER                                                                                     \
    "local mu, F, c = param('mu', 0.3), param('F', 20), 0.3\n"                                     \
    "local d = body('drawer', {mass = 2, inertia = 0.1})\n"                                        \
    "force(d:point(0.2, -c), F, 0)\n"                                                              \
    "for i, p in ipairs {{-0.2, 1}, {0.2, 1}, {-0.2, -1}, {0.2, -1}} do\n"                         \
    "  local P = d:point(p[1], p[2] * 0.25)\n"                                                     \
    "  contact {gap = 0.25 - p[2] * P.y, slip = dot(P.x), friction = mu, start = 'closed',\n"      \
    "           name = 'g' .. i}\n"                                                                \
    "end\n"                                                                                        \
    "cost('x', {final = d.x})\nhorizon(0, 0.5)\n"

TEST(a_drawer_slides_or_jams)
{
    scripted     s = run_to(DRAWER, SALTUS_END);
    const double half = 0.125; /* t^2 / 2 */
    EXPECT_NEAR(cost_value(&s, "x"), half * 20.0 * (1.0 - 0.3 / (0.4 / 0.6)) / 2.0, 1e-9);
    expect_gradient(&s, "x", "mu", -half * 10.0 / (0.4 / 0.6), 1e-8);
    expect_gradient(&s, "x", "F", half * 0.5 * (1.0 - 0.3 / (0.4 / 0.6)), 1e-8);
    expect_all_methods_agree(&s, 1e-6);
    double params[2];
    params[param(&s, "mu")] = 0.66, params[param(&s, "F")] = 20.0;
    simulate(&s, params);
    EXPECT_NEAR(cost_value(&s, "x"), half * 20.0 * (1.0 - 0.66 / (0.4 / 0.6)) / 2.0, 1e-9);
    params[param(&s, "mu")] = 0.67;
    for (double F = 1.0; F < 1e4; F *= 20.0) {
        params[param(&s, "F")] = F;
        simulate(&s, params);
        expect_outcome(&s, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "x"), 0.0, 1e-12 * F);
    }
    release(&s);
}

TEST(a_table_on_three_legs_hands_its_load_from_leg_to_leg)
{
    /* The load passes the middle leg at t = 0.75 s, if nothing else acts; the floor always bears
     * all of it, and all legs together slip where F t = mu (m g + W). */
    scripted s =
        run_to("local W, mu, F = param('W', 10), param('mu', 0.4), param('F', 20)\n"
               "gravity(0, -10)\n"
               "local b = body('table', {guess = {0, 0.5, 0}, x = 0, mass = 3, inertia = 0.4})\n"
               "for i, at in ipairs {-0.6, 0, 0.6} do\n"
               "  contact {b:point(at, -0.5), line = {ground_point(-3, 0), ground_point(3, 0)},\n"
               "           friction = mu, start = 'closed', name = 'leg' .. i}\n"
               "end\n"
               "force(b:point(-0.6 + 0.8 * t, -0.5), F * t, -W)\n"
               "cost('push', {integral = -multiplier('leg1') - multiplier('leg2')"
               " - multiplier('leg3')})\n"
               "cost('x', {final = b.x})\n"
               "horizon(0, 1.2)\n",
               SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "push"), 48.0, 1e-7);
    expect_gradient(&s, "push", "W", 1.2, 1e-6);
    /* m x'' = F t - mu (m g + W) from t1 = 0.8 on: x = F (T - t1)^3 / (6 m) */
    EXPECT_NEAR(cost_value(&s, "x"), 20.0 * 0.064 / 18.0, 1e-8);
    expect_gradient(&s, "x", "mu", -40.0 * 0.16 / 6.0, 1e-6);
    release(&s);
}

/* ---- kicks ---------------------------------------------------------------------------------- */

/* A block on a rough floor whose velocities are set after 0.5 s. */
static scripted kicked(double up, const char *more)
{
    char script[1000];
    snprintf(script, sizeof script,
             "local k, mu, u = param('k', %g), param('mu', 0.4), param('u', 1)\n"
             "local x = coordinate('x') mass(x, 1)\n"
             "local y = coordinate('y', {guess = 0}) mass(y, 1) force(y, -10)\n"
             "contact {gap = y, slip = dot(x), friction = mu, start = 'closed', name = 'floor'%s}\n"
             "event('kick', {when = t - 0.5, set = {[dot(y)] = k, [dot(x)] = u}})\n"
             "cost('x', {final = x}) cost('y', {final = y}) cost('v', {final = dot(x)})\n"
             "horizon(0, 0.7)\n",
             up, more);
    return run_to(script, SALTUS_END);
}

TEST(a_kick_opens_a_contact_that_is_closed)
{
    scripted s = kicked(2.0, "");
    expect_event(&s, 1, "floor.leave", 0.5, 1e-12);
    EXPECT_NEAR(cost_value(&s, "y"), 2.0 * 0.2 - 5.0 * 0.04, 1e-10);
    EXPECT_NEAR(cost_value(&s, "x"), 0.2, 1e-10);
    expect_gradient(&s, "y", "k", 0.2, 1e-9);
    expect_gradient(&s, "x", "u", 0.2, 1e-9);
    expect_gradient(&s, "x", "mu", 0.0, 1e-12);
    expect_all_methods_agree(&s, 1e-6);
    release(&s);
}

TEST(a_kick_along_a_contact_lets_it_slide)
{
    scripted s = kicked(0.0, "");
    EXPECT_NEAR(cost_value(&s, "x"), 0.2 - 2.0 * 0.04, 1e-10);
    EXPECT_NEAR(cost_value(&s, "v"), 1.0 - 0.8, 1e-10);
    expect_gradient(&s, "v", "mu", -2.0, 1e-9);
    expect_gradient(&s, "v", "u", 1.0, 1e-9);
    release(&s);
}

TEST(a_kick_into_a_contact_is_an_impact)
{
    /* the impulse k of the floor brings the friction mu k; it slides on with u - mu k */
    scripted     s = kicked(-1.0, "");
    const double u = 1.0 - 0.4, stop = u / 4.0;
    EXPECT_NEAR(cost_value(&s, "x"), 0.5 * u * stop, 1e-10);
    EXPECT_NEAR(cost_value(&s, "y"), 0.0, 1e-12);
    expect_gradient(&s, "x", "k", u / 4.0 * 0.4, 1e-8);
    expect_gradient(&s, "x", "u", u / 4.0, 1e-8);
    expect_all_methods_agree(&s, 1e-6);
    release(&s);
    /* with restitution it is thrown up, and the blow is larger */
    s = kicked(-1.0, ", restitution = 0.7");
    expect_event(&s, 1, "floor.leave", 0.5, 1e-12);
    expect_event(&s, 2, "floor", 0.5 + 0.14, 1e-9);
    release(&s);
}

/* ---- many contacts -------------------------------------------------------------------------- */

TEST(a_chain_falls_on_a_rough_floor_and_comes_to_lie_there)
{
    /* masses on rods: those that lie on the floor share their friction, as rods hold them */
    scripted s = run_to("local n, mu, l = 12, param('mu', 0.4), 2 / 12\n"
                        "gravity(0, -9.81)\n"
                        "local O, X = ground_point(-1, 0), ground_point(3, 0)\n"
                        "local last, high, fast = nil, 0, 0\n"
                        "for i = 0, n do\n"
                        "  local P = point('P' .. i, {x = i * l * cos(0.3),\n"
                        "                             y = 0.3 + i * l * sin(0.3)})\n"
                        "  mass(P, 1 / 13)\n"
                        "  if last then rod {last, P, length = l, name = 'link ' .. i} end\n"
                        "  contact {P, line = {O, X}, friction = mu, name = 'c' .. i}\n"
                        "  last, high, fast = P, high + P.y^2, fast + dot(P.x)^2 + dot(P.y)^2\n"
                        "end\n"
                        "cost('high', {final = high}) cost('fast', {final = fast})\n"
                        "horizon(0, 0.8)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "high"), 0.0, 1e-12);
    EXPECT_NEAR(cost_value(&s, "fast"), 0.0, 1e-12);
    release(&s);
}

/* A blow turns a slip around: the list says from which mode to which, in both of its rows. */
TEST(a_slip_that_a_blow_reverses_is_told_with_the_modes_it_changes)
{
    scripted s = run_to("local x = coordinate('x', {speed = 2})\n"
                        "mass(x, 1)\n"
                        "friction {x, limit = 1, name = 'rub'}\n"
                        "contact {gap = 1 - x, restitution = 0.5, name = 'wall'}\n"
                        "cost('x', {final = x}) horizon(0, 0.8)\n",
                        SALTUS_END);
    assert_int_equal(s.info->events, 2);
    assert_string_equal(saltus_run_event(s.run, 0).name, "wall");
    assert_string_equal(saltus_run_event(s.run, 1).name, "rub.stop");
    for (int i = 0; i < 2; i++) {
        assert_string_equal(saltus_run_event(s.run, i).from, "rub.slide+ + wall.open");
        assert_string_equal(saltus_run_event(s.run, i).to, "rub.slide- + wall.open");
    }
    release(&s);
}

/* The speed of a bounce is exactly that from which on bounces are left out: it is one of both. */
TEST(a_bounce_exactly_at_the_speed_of_rest_is_neither_lost_nor_doubtful)
{
    scripted s = run_to("local e = param('e', 0.5)\n"
                        "local y = coordinate('y', {start = 0.5})\n"
                        "mass(y, 1) force(y, -1) solver {rest_speed = 0.25}\n"
                        "contact {gap = y, restitution = e, rest = true, name = 'floor',\n"
                        "         charge = {blow = impulse('floor')}}\n"
                        "cost('blow') horizon(0, 4)\n",
                        SALTUS_END);
    assert_int_equal(s.info->warnings, 0);
    assert_int_equal(s.info->events, 4);
    EXPECT_NEAR(saltus_run_event(s.run, 3).t, 3.0, 1e-9);
    EXPECT_NEAR(cost_value(&s, "blow"), 3.0, 1e-9);
    expect_gradient(&s, "blow", "e", 8.0, 1e-7);
    release(&s);
}

TEST_MAIN(RUN(a_box_comes_to_lie_on_its_corners_wherever_it_falls_from),
          RUN(the_box_that_comes_to_rest_has_one_gradient),
          RUN(walls_of_a_corner_have_impacts_of_their_own),
          RUN(corners_that_land_together_share_the_impact_with_all_that_belongs_to_it),
          RUN(corners_that_land_together_rest_together), RUN(a_drawer_slides_or_jams),
          RUN(a_table_on_three_legs_hands_its_load_from_leg_to_leg),
          RUN(a_kick_opens_a_contact_that_is_closed), RUN(a_kick_along_a_contact_lets_it_slide),
          RUN(a_kick_into_a_contact_is_an_impact),
          RUN(a_chain_falls_on_a_rough_floor_and_comes_to_lie_there),
          RUN(a_slip_that_a_blow_reverses_is_told_with_the_modes_it_changes),
          RUN(a_bounce_exactly_at_the_speed_of_rest_is_neither_lost_nor_doubtful))
