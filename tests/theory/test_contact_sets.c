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
    UNUSED_STATE;
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
    UNUSED_STATE;
    scripted s = drop(&throws[0], 2);
    expect_all_methods_agree(&s, 1e-5);
    release(&s);
}

TEST_MAIN(RUN(a_box_comes_to_lie_on_its_corners_wherever_it_falls_from),
          RUN(the_box_that_comes_to_rest_has_one_gradient))
