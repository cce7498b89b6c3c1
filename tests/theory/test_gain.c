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
    UNUSED_STATE;
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

TEST(an_impact_that_adds_none_is_not)
{
    static const double rods[][3] = {{1.0, 5.0, -0.1}, {0.0, 5.0, 0.1}, {1.0, 0.0, 0.1}};
    UNUSED_STATE;
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
    UNUSED_STATE;
    scripted s = rod(1.0, 5.0, -0.1, 1.0);
    expect_event_count(&s, 1);
    const saltus_occurrence o = saltus_run_event(s.run, 0);
    assert_true(o.energy_after > 1.1 * o.energy_before);
    assert_null(warning_of(&s));
    release(&s);
}

TEST_MAIN(RUN(an_impact_that_adds_energy_is_warned_of), RUN(an_impact_that_adds_none_is_not),
          RUN(a_surface_that_moves_may_add_energy))
