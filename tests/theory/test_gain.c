/* Impacts with friction and restitution that add energy: the run says so. */
#include "scripted.h"

/* A rod that falls on its end, turned by 0.9 from the horizontal; the floor may move. */
static scripted rod(double restitution, double friction, double sideways, double floor)
{
    char script[1024];
    snprintf(script, sizeof script,
             "local th = coordinate('th', {start = 0.9})\n"
             "local x = coordinate('x', {speed = %g})\n"
             "local y = coordinate('y', {start = 0.5 * sin(0.9) + 0.1, speed = -2})\n"
             "mass(x, 1)\nmass(y, 1)\nmass(th, 1 / 12)\n"
             "contact {gap = y - 0.5 * sin(th) - %g * t, slip = dot(x - 0.5 * cos(th)),"
             " friction = %g, restitution = %g, name = 'end'}\n"
             "horizon(0, 0.06)\n",
             sideways, floor, friction, restitution);
    scripted s = load(script);
    simulate(&s, NULL);
    return s;
}

static const char *warning_of(const scripted *s)
{
    for (int i = 0; i < saltus_run_get_info(s->run)->warnings; i++)
        if (strstr(saltus_run_warning(s->run, i), "adds an energy"))
            return saltus_run_warning(s->run, i);
    return NULL;
}

/* With all speed returned, friction that pushes the way the end slips adds to it. */
TEST(an_impact_that_adds_energy_is_warned_of)
{
    scripted s = rod(1.0, 5.0, 0.1, 0.0);
    expect_event_count(&s, 1);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    char                    text[256];
    snprintf(text, sizeof text,
             "event 'end' at t = 0.05 adds an energy of %.3g: friction and restitution together "
             "turn a kinetic energy of %.6g into %.6g;",
             o.energy_after - o.energy_before, o.energy_before, o.energy_after);
    assert_true(o.energy_after > o.energy_before);
    assert_non_null(warning_of(&s));
    assert_non_null(strstr(warning_of(&s), text));
    release(&s);
}

/* With more than 1, also without friction; a floor that moves may well add energy. */
TEST(a_restitution_above_one_is_warned_of)
{
    static const struct {
        double e, floor;
        int    warned;
    } balls[] = {{1.2, 0.0, 1}, {1.0, 0.0, 0}, {1.0, 0.5, 0}, {0.5, 0.5, 0}};
    for (int i = 0; i < 4; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "local e = param('e', %g)\n"
                 "local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -9.81)\n"
                 "event('floor', {when = y - %g * t, direction = 'falling', restitution = e})\n"
                 "cost('y', {final = y}) horizon(0, 1)\n",
                 balls[i].e, balls[i].floor);
        scripted s = run_to(script, SALTUS_END);
        if (balls[i].warned) expect_warning(&s, "its restitution is 1.2");
        else expect_no_warning(&s);
        release(&s);
    }
}

TEST(an_impact_that_adds_none_is_not)
{
    static const double rods[][3] = {{1.0, 5.0, -0.1}, {0.0, 5.0, 0.1}, {1.0, 0.0, 0.1}};
    for (int i = 0; i < 3; i++) {
        scripted s = rod(rods[i][0], rods[i][1], rods[i][2], 0.0);
        expect_event_count(&s, rods[i][0] > 0.0 ? 1 : 2); /* an inelastic one touches and leaves */
        const saltus_occurrence o = saltus_run_event(s.run, 0);
        assert_true(o.energy_after <= o.energy_before * (1.0 + 1e-12));
        assert_null(warning_of(&s));
        release(&s);
    }
}

/* A floor that comes up gives energy; the law of the impact does not. */
TEST(a_surface_that_moves_may_add_energy)
{
    scripted s = rod(1.0, 5.0, -0.1, 1.0);
    expect_event_count(&s, 1);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    assert_true(o.energy_after > 1.1 * o.energy_before);
    assert_null(warning_of(&s));
    release(&s);
}

/* ---- many impacts --------------------------------------------------------------------------- */

/* A number between a and b, another one each time. */
static double between(unsigned *seed, double a, double b)
{
    *seed = *seed * 1664525u + 1013904223u;
    return a + (b - a) * (double)(*seed >> 8) / (double)(1u << 24);
}

/* A box that tumbles between floor and wall, on all of its corners. */
static scripted box(unsigned seed)
{
    char         script[2048];
    const double e = between(&seed, 0.8, 1.0), mu = between(&seed, 0.0, 5.0);
    const double u = between(&seed, -3.0, 3.0), v = between(&seed, -3.0, 3.0);
    const double w = between(&seed, -9.0, 9.0), angle = between(&seed, -3.0, 3.0);
    snprintf(script, sizeof script,
             "gravity(0, -10)\n"
             "local b = body('b', {angle = %.9g, speed = {%.9g, %.9g}, spin = %.9g,\n"
             "                     mass = 1, inertia = 0.012})\n"
             "for i, c in ipairs {{-0.3, -0.02}, {0.3, -0.02}, {0.3, 0.02}, {-0.3, 0.02}} do\n"
             "  local P = b:point(c[1], c[2])\n"
             "  contact {gap = P.y + 0.6, slip = dot(P.x), friction = %.9g, restitution = %.9g,\n"
             "           rest = false, name = 'floor' .. i}\n"
             "  contact {gap = 0.8 - P.x, slip = dot(P.y), friction = %.9g, restitution = %.9g,\n"
             "           rest = false, name = 'wall' .. i}\n"
             "end\nhorizon(0, 0.7)\n",
             angle, u, v, w, mu, e, mu, e);
    scripted s = load(script);
    s.options.rtol = s.options.atol = 1e-8;
    simulate(&s, NULL);
    return s;
}

TEST(energy_never_grows_without_a_warning)
{
    int impacts = 0, grown = 0;
    for (unsigned seed = 1; seed <= 60; seed++) {
        scripted s = box(seed);
        for (int i = 0; i < s.info->events; i++) {
            const saltus_occurrence o = saltus_run_event(s.run, i);
            const double            gain = o.energy_after - o.energy_before;
            impacts += o.impulse > 0.0;
            if (!(gain > 1e-7 * (1.0 + fabs(o.energy_before)))) continue;
            grown++;
            if (!warning_of(&s))
                fail_msg("seed %u: '%s' at t = %.10g adds %g without a warning", seed, o.name, o.t,
                         gain);
        }
        release(&s);
    }
    EXPECT(impacts > 100);
    EXPECT(grown > 0);
}

TEST_MAIN(RUN(energy_never_grows_without_a_warning), RUN(a_restitution_above_one_is_warned_of),
          RUN(an_impact_that_adds_energy_is_warned_of), RUN(an_impact_that_adds_none_is_not),
          RUN(a_surface_that_moves_may_add_energy))
