/* Contacts exactly at a threshold, with forces that change there: which mode follows is decided by
 * the next derivatives of its conditions. */
#include "scripted.h"

/* A block of mass 1, pressed by 10, with friction 0.5. */
#define BLOCK(speed, along, away, start)                                                           \
    "local k = param('k', 1)\n"                                                                    \
    "local x, y = coordinate('x', {speed = " speed "}), coordinate 'y'\n"                          \
    "mass(x, 1) mass(y, 1) force(x, " along ") force(y, " away ")\n"                               \
    "contact {gap = y, slip = dot(x), friction = 0.5, " start " name = 'c'}\n"                     \
    "cost('x', {final = x}) cost('y', {final = y}) horizon(0, 1)\n"
#define CLOSED "start = 'closed',"

static void expect_end(const char *script, int events, double x, double y)
{
    scripted s = run_to(script, SALTUS_END);
    expect_event_count(&s, events);
    EXPECT_NEAR(cost_value(&s, "x"), x, 1e-10);
    EXPECT_NEAR(cost_value(&s, "y"), y, 1e-10);
    release(&s);
}

TEST(at_the_limit_of_friction_the_load_decides)
{
    expect_end(BLOCK("0", "5 + k * t", "-10", CLOSED), 0, 1.0 / 6, 0);
    expect_end(BLOCK("0", "5 - k * t", "-10", CLOSED), 0, 0, 0);
    expect_end(BLOCK("0", "-5 + k * t", "-10", CLOSED), 0, 0, 0);
    expect_end(BLOCK("0", "5 + k * t^2", "-10", CLOSED), 0, 1.0 / 12, 0);
    expect_end(BLOCK("0", "5 - k * t^2", "-10", CLOSED), 0, 0, 0);
    expect_end(BLOCK("0", "5", "-10 - k * t", CLOSED), 0, 0, 0);
    expect_end(BLOCK("0", "5", "-10 + k * t", CLOSED), 0, 1.0 / 12, 0);
}

TEST(where_it_neither_presses_nor_parts_the_load_decides)
{
    expect_end(BLOCK("0", "0", "-k * t", ""), 0, 0, 0);
    expect_end(BLOCK("0", "0", "k * t", ""), 0, 0, 1.0 / 6);
    expect_end(BLOCK("0", "0", "-k * t^2", ""), 0, 0, 0);
    expect_end(BLOCK("0", "0", "-k * t", CLOSED), 0, 0, 0);
    expect_end(BLOCK("0", "t", "-k * t", CLOSED), 0, 1.0 / 12, 0);
    scripted s = run_to(BLOCK("0", "0", "k * t", CLOSED), SALTUS_VIOLATED);
    expect_message(&s, "starts closed, but does not push");
    release(&s);
}

TEST(one_that_starts_closed_and_is_lifted_leaves)
{
    scripted s = run_to("local p = param('p', 1)\n"
                        "local y = coordinate('y', {guess = 0}) mass(y, 1) force(y, p * t)\n"
                        "contact {gap = y, slides = true, start = 'closed', name = 'c'}\n"
                        "cost('y', {final = y}) horizon(0, 3)\n",
                        SALTUS_END);
    expect_event(&s, 0, "c.leave", 0.0, 1e-12);
    EXPECT_NEAR(cost_value(&s, "y"), 4.5, 1e-10);
    expect_gradient(&s, "y", "p", 4.5, 1e-9);
    release(&s);
}

/* It stops at t1 where the force is at its limit, -5, and grows or falls: k > 0, k < 0. */
static void expect_stop(double k)
{
    const double t1 = (10 - sqrt(100 - 2 * k)) / k, left = 1 - t1;
    const double way = t1 - 5 * t1 * t1 + k * t1 * t1 * t1 / 3;
    char         script[800];
    snprintf(script, sizeof script, BLOCK("1", "-5 - %.17g * (t - %.17g)", "-10", CLOSED), k, t1);
    expect_end(script, 1, way - (k > 0 ? k * left * left * left / 6 : 0), 0);
}

TEST(where_the_slip_stops_at_the_limit_the_load_decides)
{
    expect_stop(5);
    expect_stop(-5);
}

/* Two blocks, one on the other, both at their limits: the load on the upper one grows. */
TEST(two_contacts_at_their_limits)
{
    static const char *const script =
        "local k = param('k', %d)\n"
        "local x1, y1, x2, y2 = coordinate 'x1', coordinate 'y1', coordinate 'x2', coordinate "
        "'y2'\n"
        "for _, q in ipairs {x1, y1, x2, y2} do mass(q, 1) end\n"
        "force(y1, -10) force(y2, -10) force(x2, 5 + k * t) force(x1, 5)\n"
        "contact {gap = y1, slip = dot(x1), friction = 0.5, start = 'closed', name = 'floor'}\n"
        "contact {gap = y2 - y1, slip = dot(x2) - dot(x1), friction = 0.5, start = 'closed',\n"
        "         name = 'between'}\n"
        "cost('x', {final = x2}) cost('y', {final = x1}) horizon(0, 1)\n";
    char text[800];
    snprintf(text, sizeof text, script, 1);
    expect_end(text, 0, 1.0 / 6, 0);
    snprintf(text, sizeof text, script, -1);
    expect_end(text, 0, 0, 0);
}

/* A drawer that is jammed does not move, and nothing happens to it, at any tolerance. */
TEST(a_jam_is_still)
{
    static const double tolerance[] = {1e-8, 1e-11, 1e-12}, friction[] = {0.68, 0.7, 0.8};
    for (int i = 0; i < 9; i++) {
        scripted s = load_model("jamming_drawer");
        s.options.rtol = s.options.atol = tolerance[i % 3];
        double values[MAX_PARAMS];
        for (int k = 0; k < s.size.params; k++) values[k] = saltus_system_param(s.system, k).value;
        values[param(&s, "mu")] = friction[i / 3];
        simulate(&s, values);
        expect_event_count(&s, 2);
        EXPECT_NEAR(cost_value(&s, "speed"), 0.0, 1e-12);
        release(&s);
    }
}

TEST_MAIN(RUN(at_the_limit_of_friction_the_load_decides),
          RUN(where_it_neither_presses_nor_parts_the_load_decides),
          RUN(one_that_starts_closed_and_is_lifted_leaves),
          RUN(where_the_slip_stops_at_the_limit_the_load_decides),
          RUN(two_contacts_at_their_limits), RUN(a_jam_is_still))
