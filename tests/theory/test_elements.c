/* The planar elements: each against closed forms, or against the same system written by hand in
 * expressions; and all ways to a gradient agree. */
#include "twins.h"

#define PI 3.14159265358979323846

/* ---- bodies --------------------------------------------------------------------------------- */

TEST(a_body_is_three_coordinates_with_mass_inertia_and_gravity)
{
    expect_twins("local m, J, w = param('m', 2), param('J', 0.3), param('w', 3)\n"
                 "gravity(0.5, -9.81)\n"
                 "local B = body('B', {x = 0.1, y = 0.2, angle = 0.3, speed = {1, 2}, spin = w,\n"
                 "                     mass = m, inertia = J})\n"
                 "local P = B:point(0.4, -0.2)\n"
                 "spring {ground_point(0, 0), P, stiffness = 20, length = 0.5}\n"
                 "damper {ground_point(0, 0), B, damping = 0.4}\n"
                 "force(P, 1, 0.5)\n"
                 "cost('x', {final = P.x}) cost('y', {integral = P.y})\n"
                 "cost('a', {final = B.angle})\nhorizon(0, 1)\n",
                 "local m, J, w = param('m', 2), param('J', 0.3), param('w', 3)\n"
                 "local x = coordinate('x', {start = 0.1, speed = 1})\n"
                 "local y = coordinate('y', {start = 0.2, speed = 2})\n"
                 "local a = coordinate('a', {start = 0.3, speed = w})\n"
                 "kinetic(0.5 * m * (dot(x)^2 + dot(y)^2) + 0.5 * J * dot(a)^2)\n"
                 "potential(m * (9.81 * y - 0.5 * x))\n"
                 "local u = x + 0.4 * cos(a) + 0.2 * sin(a)\n"
                 "local v = y + 0.4 * sin(a) - 0.2 * cos(a)\n"
                 "potential(10 * (hypot(u, v) - 0.5)^2)\n"
                 "dissipation(0.2 * dot(hypot(x, y))^2)\n"
                 "force(u, 1) force(v, 0.5)\n"
                 "cost('x', {final = u}) cost('y', {integral = v})\n"
                 "cost('a', {final = a})\nhorizon(0, 1)\n",
                 1e-10);
}

#define PENDULUM_OF_A_BODY                                                                         \
    "local L, a0 = param('L', 1), param('a0', 0.7)\n"                                              \
    "gravity(0, -9.81)\n"                                                                          \
    "local B = body('B', {angle = a0, guess = {0.3, -0.4}, mass = 2, inertia = L^2 / 6})\n"

TEST(a_body_on_a_pin_is_the_physical_pendulum)
{
    expect_twins(PENDULUM_OF_A_BODY
                 "joint.revolute {B:point(0, L / 2), ground_point(0, 0), name = 'pin'}\n"
                 "cost('a', {final = B.angle}) cost('x', {integral = B.x})\n"
                 "cost('pin', {final = multiplier('pin.x')})\n"
                 "cost('weight', {final = multiplier('pin.y')})\nhorizon(0, 1)\n",
                 "local L, a0 = param('L', 1), param('a0', 0.7)\n"
                 "local a = coordinate('a', {start = a0})\n"
                 "local x, y = L / 2 * sin(a), -L / 2 * cos(a)\n"
                 "mass(x, 2) mass(y, 2) mass(a, L^2 / 6) potential(2 * 9.81 * y)\n"
                 "cost('a', {final = a}) cost('x', {integral = x})\n"
                 "cost('pin', {final = -2 * ddot(x)})\n"
                 "cost('weight', {final = -2 * (ddot(y) + 9.81)})\nhorizon(0, 1)\n",
                 1e-9);
}

/* ---- torsion springs ------------------------------------------------------------------------ */

TEST(a_torsion_pendulum_swings_as_it_should)
{
    scripted     s = run_well("local k, J = param('k', 5), param('J', 0.8)\n"
                                  "local B = body('B', {angle = 0.9, mass = 1, inertia = J})\n"
                                  "torsion_spring {B, stiffness = k, angle = 0.4}\n"
                                  "cost('a', {final = B.angle})\nhorizon(0, 2)\n");
    const double w = sqrt(5.0 / 0.8), slope = -0.5 * 2.0 * sin(2.0 * w); /* by w */
    EXPECT_NEAR(cost_value(&s, "a"), 0.4 + 0.5 * cos(2.0 * w), 1e-10);
    expect_gradient(&s, "a", "k", slope * 0.5 * w / 5.0, 1e-9);
    expect_gradient(&s, "a", "J", -slope * 0.5 * w / 0.8, 1e-9);
    release(&s);
}

TEST(torsion_springs_between_bodies_and_of_an_angle_are_potentials)
{
    static const char bodies[] =
        "local k, c = param('k', 5), param('c', 0.2)\n"
        "local A = body('A', {angle = 0.1, spin = 1, mass = 1, inertia = 0.4})\n"
        "local B = body('B', {angle = 0.9, mass = 1, inertia = 0.7})\n"
        "%s\n"
        "cost('a', {final = A.angle}) cost('b', {integral = B.angle})\nhorizon(0, 2)\n";
    static const char *const ways[] = {
        "torsion_spring {A, B, stiffness = k, angle = 0.3, damping = c}",
        "torsion_spring {of = B.angle - A.angle, stiffness = k, angle = 0.3, damping = c}",
    };
    static const char by_hand[] = "potential(0.5 * k * (B.angle - A.angle - 0.3)^2)\n"
                                  "dissipation(0.5 * c * dot(B.angle - A.angle)^2)";
    char              element[1024], hand[1024];
    snprintf(hand, sizeof hand, bodies, by_hand);
    for (int i = 0; i < 2; i++) {
        snprintf(element, sizeof element, bodies, ways[i]);
        expect_twins(element, hand, 1e-10);
    }
}

/* One arm turns about Q, the other is fixed: the angle at Q is that of a torsion pendulum. */
TEST(a_torsion_spring_at_three_points_has_its_cut_opposite_to_its_rest)
{
    static const char *const rest[] = {"math.pi", "1.2", "-2.5"};
    static const double      angle[] = {3.141592653589793, 1.2, -2.5};
    for (int i = 0; i < 3; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "local k, rest = param('k', 3), %s\n"
                 "local Q, P = ground_point(0.2, 0.1), ground_point(1.2, 0.1)\n"
                 "local a = rest + 0.5\n"
                 "local R = point('R', {x = 0.2 + 2 * math.cos(a), guess = {0, 0.1 + 2 * "
                 "math.sin(a)}})\n"
                 "mass(R, 0.5) rod {Q, R, length = 2}\n"
                 "torsion_spring {P, Q, R, stiffness = k, angle = rest}\n"
                 "cost('x', {final = R.x}) cost('y', {final = R.y})\nhorizon(0, 3)\n",
                 rest[i]);
        scripted     s = run_well(script);
        const double w = sqrt(3.0 / 2.0), a = angle[i] + 0.5 * cos(3.0 * w); /* J = 0.5 * 2^2 */
        const double by_k = -0.5 * 3.0 * sin(3.0 * w) * 0.5 * w / 3.0;
        EXPECT_NEAR(cost_value(&s, "x"), 0.2 + 2.0 * cos(a), 1e-9);
        EXPECT_NEAR(cost_value(&s, "y"), 0.1 + 2.0 * sin(a), 1e-9);
        expect_gradient(&s, "y", "k", 2.0 * cos(a) * by_k, 1e-8);
        release(&s);
    }
}

/* The value of an expression without motion, by way of a final cost. */
static double value_of(saltus_model *model, saltus_expr e)
{
    scripted          s = {0};
    const saltus_expr still = saltus_coordinate(model, "still", NULL);
    saltus_mass(model, still, saltus_number(model, 1.0), (saltus_modes){0});
    saltus_cost(model, "value", e, e, NULL, NULL);
    saltus_horizon(model, 0.0, saltus_number(model, 1.0));
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status) fail_msg("%s", s.err.message);
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    simulate(&s, NULL);
    const double value = 0.5 * cost_value(&s, "value");
    release(&s);
    return value;
}

static saltus_point point_at(saltus_model *model, double x, double y)
{
    return (saltus_point){saltus_number(model, x), saltus_number(model, y)};
}

TEST(angles_between_points_are_counted_to_the_left)
{
    for (int i = 0; i < 3; i++) {
        saltus_error       err = {0};
        saltus_model      *m = saltus_model_new(NULL, &err);
        const saltus_point p = point_at(m, 2, 1), q = point_at(m, 1, 1), r = point_at(m, 1, 3);
        if (i == 0) EXPECT_NEAR(value_of(m, saltus_direction_angle(m, q, r)), PI / 2, 1e-12);
        if (i == 1)
            EXPECT_NEAR(value_of(m, saltus_corner_angle(m, p, q, r, (saltus_expr){0})), PI / 2,
                        1e-12);
        if (i == 2) /* less a rest of 3: beyond the cut of the plain angle from r to p */
            EXPECT_NEAR(value_of(m, saltus_corner_angle(m, r, q, p, saltus_number(m, 3.0))),
                        2.0 * PI - PI / 2 - 3.0, 1e-12);
    }
}

/* ---- joints --------------------------------------------------------------------------------- */

TEST(a_double_pendulum_of_bodies_is_that_of_angles)
{
    expect_twins("local L, m = param('L', 0.8), param('m', 1.5)\n"
                 "gravity(0, -9.81)\n"
                 "local A = body('A', {angle = 1, guess = {0.2, -0.3}, mass = 1, inertia = 0.05})\n"
                 "local B = body('B', {angle = 0.4, spin = 1, guess = {0.6, -0.8}, mass = m,\n"
                 "                     inertia = 0.04})\n"
                 "joint.revolute {A:point(0, L / 2), ground_point(0, 0)}\n"
                 "joint.revolute {A:point(0, -L / 2), B:point(0, 0.3)}\n"
                 "cost('a', {final = A.angle}) cost('b', {final = B.angle})\nhorizon(0, 1)\n",
                 "local L, m = param('L', 0.8), param('m', 1.5)\n"
                 "local a = coordinate('a', {start = 1})\n"
                 "local b = coordinate('b', {start = 0.4, speed = 1})\n"
                 "local x, y = L / 2 * sin(a), -L / 2 * cos(a)\n"
                 "local u, v = 2 * x + 0.3 * sin(b), 2 * y - 0.3 * cos(b)\n"
                 "mass(x, 1) mass(y, 1) mass(a, 0.05) mass(u, m) mass(v, m) mass(b, 0.04)\n"
                 "potential(9.81 * (y + m * v))\n"
                 "cost('a', {final = a}) cost('b', {final = b})\nhorizon(0, 1)\n",
                 1e-8);
}

TEST(a_body_slides_down_a_line_and_keeps_its_angle)
{
    scripted s = run_well(
        "local al, M = param('al', 0.5), param('M', 0.6)\n"
        "gravity(0, -9.81)\n"
        "local B = body('B', {x = 1, guess = {0, 0.4, 0.4}, mass = 2, inertia = 0.1})\n"
        "force(B.angle, M)\n"
        "joint.prismatic {B, along = {ground_point(0, 0), ground_point(cos(al), sin(al))},\n"
        "                 angle = 0.2, offset = 0.3, name = 'rail'}\n"
        "cost('x', {final = B.x}) cost('angle', {final = B.angle})\n"
        "cost('rail', {final = multiplier('rail.line')})\n"
        "cost('torque', {final = multiplier('rail.angle')})\nhorizon(0, 1)\n");
    const double g = 9.81, c = cos(0.5), d = sin(0.5);
    EXPECT_NEAR(cost_value(&s, "x"), 1.0 - 0.5 * g * d * c, 1e-9);
    EXPECT_NEAR(cost_value(&s, "angle"), 0.7, 1e-10);
    EXPECT_NEAR(cost_value(&s, "rail"), -2.0 * g * c, 1e-9); /* it pushes to the left of the line */
    EXPECT_NEAR(cost_value(&s, "torque"), 0.6, 1e-9);        /* and back against the torque */
    expect_gradient(&s, "x", "al", -0.5 * g * (c * c - d * d), 1e-8);
    expect_gradient(&s, "angle", "al", 1.0, 1e-9);
    expect_gradient(&s, "rail", "al", 2.0 * g * d, 1e-8);
    expect_gradient(&s, "torque", "M", 1.0, 1e-9);
    release(&s);
}

#define ARM                                                                                        \
    "local J, w = param('J', 0.5), param('w', 2)\n"                                                \
    "local A = body('A', {spin = w, guess = {}, angle = 0.2, mass = 3, inertia = J})\n"            \
    "joint.revolute {A, ground_point(0, 0)}\n"

TEST(a_slider_and_a_pin_on_a_turning_arm_are_those_of_polar_coordinates)
{
    static const char by_hand[] =
        "local J, w = param('J', 0.5), param('w', 2)\n"
        "local a = coordinate('a', {start = 0.2, speed = w}) mass(a, J%s)\n"
        "local r = coordinate('r', {start = 0.5})\n"
        "local x, y = r * cos(a) - 0.1 * sin(a), r * sin(a) + 0.1 * cos(a)\n"
        "mass(x, 1) mass(y, 1)\n"
        "cost('x', {final = x}) cost('a', {final = a})\nhorizon(0, 1)\n";
    char script[1024];
    snprintf(script, sizeof script, by_hand, " + 0.07");
    expect_twins(ARM "local S = body('S', {x = 0.5 * math.cos(0.2) - 0.1 * math.sin(0.2),\n"
                     "  speed = {-w * (0.5 * math.sin(0.2) + 0.1 * math.cos(0.2))},\n"
                     "  guess = {0, 0.2, 0.2}, mass = 1, inertia = 0.07})\n"
                     "joint.prismatic {S, along = {A, A:point(1, 0)}, offset = 0.1}\n"
                     "cost('x', {final = S.x}) cost('a', {final = A.angle})\nhorizon(0, 1)\n",
                 script, 1e-8);
    snprintf(script, sizeof script, by_hand, "");
    expect_twins(ARM "local P = point('P', {x = 0.5 * math.cos(0.2) - 0.1 * math.sin(0.2),\n"
                     "  speed = {-w * (0.5 * math.sin(0.2) + 0.1 * math.cos(0.2))},\n"
                     "  guess = {0, 0.2}}) mass(P, 1)\n"
                     "joint.slot {P, along = {A, A:point(1, 0)}, offset = 0.1}\n"
                     "cost('x', {final = P.x}) cost('a', {final = A.angle})\nhorizon(0, 1)\n",
                 script, 1e-8);
}

TEST(a_pin_in_a_turning_slot_flies_outward)
{
    scripted s = run_well(
        "local w = param('w', 1.5)\n"
        "local P = point('P', {x = 0.3, guess = {}})\n"
        "mass(P, 0.7)\n"
        "joint.slot {P, along = {ground_point(0, 0), ground_point(cos(w * t), sin(w * t))}}\n"
        "cost('r', {final = hypot(P.x, P.y)})\nhorizon(0, 1.4)\n");
    EXPECT_NEAR(cost_value(&s, "r"), 0.3 * cosh(1.5 * 1.4), 1e-9); /* r'' = w^2 r */
    expect_gradient(&s, "r", "w", 0.3 * 1.4 * sinh(1.5 * 1.4), 1e-8);
    release(&s);
}

TEST(welded_bodies_move_as_one)
{
    /* B at (0.2, -0.5) in A, turned by 0.4: a compound pendulum about (0, 0.3) of A */
    expect_twins(
        "local u, m = param('u', 0.2), param('m', 1.5)\n"
        "gravity(0, -9.81)\n"
        "local A = body('A', {angle = 0.6, guess = {0.1, -0.2}, mass = 1, inertia = 0.1})\n"
        "local B = body('B', {guess = {0.6, -0.5, 1}, mass = m, inertia = 0.2})\n"
        "joint.revolute {A:point(0, 0.3), ground_point(0, 0)}\n"
        "joint.weld {A, B, x = u, y = -0.5, angle = 0.4, name = 'weld'}\n"
        "cost('a', {final = A.angle}) cost('b', {final = B.angle})\n"
        "cost('torque', {final = multiplier('weld.angle')})\nhorizon(0, 1)\n",
        "local u, m = param('u', 0.2), param('m', 1.5)\n"
        "local a = coordinate('a', {start = 0.6})\n"
        "local x, y = 0.3 * sin(a), -0.3 * cos(a)\n"
        "local p = x + u * cos(a) + 0.5 * sin(a)\n"
        "local q = y + u * sin(a) - 0.5 * cos(a)\n"
        "mass(x, 1) mass(y, 1) mass(p, m) mass(q, m) mass(a, 0.3)\n"
        "potential(9.81 * (y + m * q))\n"
        "cost('a', {final = a}) cost('b', {final = a + 0.4})\n"
        "cost('torque', {final = -0.2 * ddot(a)})\nhorizon(0, 1)\n",
        1e-8);
}

TEST(a_weld_to_the_ground_carries_the_weight)
{
    scripted s = run_well("local m, M = param('m', 3), param('M', 0.7)\n"
                          "gravity(0, -10)\n"
                          "local B = body('B', {guess = {1, 2, 0.5}, mass = m, inertia = 1})\n"
                          "force(B.angle, M)\n"
                          "joint.weld {B, x = 1, y = 2, angle = 0.5, name = 'wall'}\n"
                          "cost('y', {final = multiplier('wall.y')}) cost('x', {final = B.x})\n"
                          "cost('a', {final = multiplier('wall.angle')})\nhorizon(0, 1)\n");
    EXPECT_NEAR(cost_value(&s, "y"), -30.0, 1e-9);
    EXPECT_NEAR(cost_value(&s, "a"), 0.7, 1e-9);
    EXPECT_NEAR(cost_value(&s, "x"), 1.0, 1e-12);
    expect_gradient(&s, "y", "m", -10.0, 1e-9);
    expect_gradient(&s, "a", "M", 1.0, 1e-9);
    release(&s);
}

TEST(joints_act_only_in_their_modes)
{
    /* released at t = 0.5, the body falls */
    scripted s = run_well(
        "local g = param('g', 10)\n"
        "gravity(0, -g)\n"
        "local B = body('B', {guess = {}, mass = 1, inertia = 1})\n"
        "local held, free = mode 'held', mode 'free'\n"
        "joint.weld {B, mode = held}\n"
        "event('release', {from = held, to = free, when = t - 0.5, direction = 'rising'})\n"
        "cost('y', {final = B.y})\nhorizon(0, 1)\n");
    EXPECT_NEAR(cost_value(&s, "y"), -0.5 * 10.0 * 0.25, 1e-10);
    expect_gradient(&s, "y", "g", -0.125, 1e-10);
    release(&s);
}

TEST(a_distance_is_a_rod)
{
    static const char script[] =
        "local L = param('L', 1)\n"
        "gravity(0, -9.81)\n"
        "local P = point('P', {x = 0.6, guess = {0, -0.8}}) mass(P, 1)\n"
        "%s {ground_point(0, 0), P, length = L, name = 'link'}\n"
        "cost('x', {final = P.x}) cost('F', {final = multiplier('link')})\n"
        "horizon(0, 1)\n";
    char element[512], rod[512];
    snprintf(element, sizeof element, script, "joint.distance");
    snprintf(rod, sizeof rod, script, "rod");
    expect_twins(element, rod, 1e-12);
}

/* ---- motors --------------------------------------------------------------------------------- */

TEST(a_motor_drives_a_crank_slider)
{
    scripted     s = run_well("local r, w = param('r', 0.3), param('w', 4)\n"
                                  "local l = 0.8\n"
                                  "local O = ground_point(0, 0)\n"
                                  "local C = body('C', {guess = {0.15, 0, 0}, mass = 1, inertia = 0.01})\n"
                                  "local R = body('R', {guess = {0.7, 0, 0}, mass = 1, inertia = 0.05})\n"
                                  "local S = point('S', {guess = {1.1, 0}}) mass(S, 2)\n"
                                  "joint.revolute {C:point(-r / 2, 0), O}\n"
                                  "joint.revolute {C:point(r / 2, 0), R:point(-l / 2, 0)}\n"
                                  "joint.revolute {R:point(l / 2, 0), S}\n"
                                  "joint.slot {S, along = {O, ground_point(1, 0)}}\n"
                                  "motor {C, angle = w * t, name = 'drive'}\n"
                                  "cost('x', {final = S.x})\n"
                                  "cost('work', {integral = multiplier('drive') * w})\nhorizon(0, 0.5)\n");
    const double a = 2.0, q = sqrt(0.64 - 0.09 * sin(a) * sin(a)); /* the angle, the rod along x */
    EXPECT_NEAR(cost_value(&s, "x"), 0.3 * cos(a) + q, 1e-9);
    expect_gradient(&s, "x", "w", 0.5 * (-0.3 * sin(a) - 0.09 * sin(a) * cos(a) / q), 1e-8);
    expect_gradient(&s, "x", "r", cos(a) - 0.3 * sin(a) * sin(a) / q, 1e-8);
    double    energy[2];
    const int ends[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        const double      times[1] = {0.5 * ends[i]};
        const trajectory *rows = trajectory_at(&s, times, 1);
        energy[i] = rows->row[0].kinetic;
    }
    EXPECT_NEAR(cost_value(&s, "work"), energy[1] - energy[0], 1e-8);
    EXPECT(fabs(energy[1] - energy[0]) > 0.1);
    release(&s);
}

/* A crank turning steadily lifts its own weight: the torque is m g r/2 cos(w t). */
TEST(the_multiplier_of_a_motor_is_its_torque)
{
    static const char *const cranks[] = {
        "local B = body('B', {guess = {0.3, 0, 0}, mass = 2, inertia = 0.06})\n"
        "joint.revolute {B:point(-r / 2, 0), O}\n"
        "motor {B, angle = w * t, name = 'motor'}\n",
        "local A = body('A', {guess = {}, mass = 1, inertia = 1})\n"
        "joint.weld {A}\n"
        "local B = body('B', {guess = {0.3, 0, 0}, mass = 2, inertia = 0.06})\n"
        "joint.revolute {B:point(-r / 2, 0), A}\n"
        "motor {A, B, angle = w * t, name = 'motor'}\n",
        "local P = point('P', {guess = {0.6, 0}})\n"
        "bar {O, P, mass = 2, length = r}\n"
        "motor {O, P, angle = w * t, name = 'motor'}\n",
        "local a = coordinate('a', {guess = 0})\n"
        "mass(a, 2 * r^2 / 3) potential(9.81 * r * sin(a))\n"
        "motor {of = a, position = w * t, name = 'motor'}\n",
    };
    for (int i = 0; i < 4; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "local r, w = param('r', 0.6), param('w', 1.5)\n"
                 "gravity(0, -9.81)\n"
                 "local O = ground_point(0, 0)\n"
                 "%s"
                 "cost('M', {final = multiplier('motor')})\nhorizon(0, 3)\n",
                 cranks[i]);
        scripted s = run_well(script);
        EXPECT_NEAR(cost_value(&s, "M"), 9.81 * 0.6 * cos(4.5), 1e-8);
        expect_gradient(&s, "M", "r", 9.81 * cos(4.5), 1e-7);
        expect_gradient(&s, "M", "w", -9.81 * 0.6 * 3.0 * sin(4.5), 1e-7);
        release(&s);
    }
}

TEST(a_prescribed_torque_turns_what_it_drives)
{
    static const struct {
        const char *model;
        double      inertia;
    } cases[] = {
        {"local B = body('B', {mass = 1, inertia = 0.5})\n"
         "motor {B, torque = M * t}\nlocal a = B.angle\n",
         0.5},
        {"local A = body('A', {mass = 1, inertia = 1})\n"
         "local B = body('B', {mass = 1, inertia = 0.5})\n"
         "motor {A, B, torque = M * t}\nlocal a = B.angle - A.angle\n",
         1.0 / 3.0},
        {"local P = point('P', {x = 1.5, guess = {}})\n"
         "bar {ground_point(0, 0), P, mass = 0.4, length = 1.5}\n"
         "motor {ground_point(0, 0), P, torque = M * t}\nlocal a = atan2(P.y, P.x)\n",
         0.3},
        {"local a = coordinate('a') mass(a, 0.7)\nmotor {of = a, torque = M * t}\n", 0.7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "local M = param('M', 0.8)\n%scost('a', {final = a})\nhorizon(0, 1.5)\n",
                 cases[i].model);
        scripted     s = run_well(script);
        const double factor = 1.5 * 1.5 * 1.5 / 6.0 / cases[i].inertia;
        EXPECT_NEAR(cost_value(&s, "a"), 0.8 * factor, 1e-9);
        expect_gradient(&s, "a", "M", factor, 1e-8);
        release(&s);
    }
}

/* ---- gears ---------------------------------------------------------------------------------- */

/* The torque M on A turns A with J1 + i^2 J2, and i times the torque of the gear brakes it. The sum
 * i a + b is that of the start, whichever way it is written. */
TEST(a_gear_turns_the_second_body_back)
{
    static const char *const gears[] = {
        "local B = body('B', {x = 2, angle = -0.2, mass = 1, inertia = J2})\n"
        "gear {A, B, ratio = i, name = 'gear'}\n",
        "local B = body('B', {x = 2, angle = -0.2, spin = -i * w, mass = 1, inertia = J2})\n"
        "gear {A, B, ratio = i, angle = i * a0 - 0.2, name = 'gear'}\n",
        "local B = body('B', {x = 2, y = 0, guess = {0, 0, 0.1}, mass = 1, inertia = J2})\n"
        "gear {A, B, ratio = i, angle = i * a0 - 0.2, name = 'gear'}\n",
        "local B = body('B', {x = 2, angle = -0.2, mass = 1, inertia = J2})\n"
        "gear {A, B, ratio = i, mode = mode 'geared', name = 'gear'}\n",
    };
    static const double ratios[] = {1.5, -0.4, -1.0}; /* outer teeth, inner teeth, a belt */
    for (int k = 0; k < 12; k++) {
        char         script[1024];
        const double i = ratios[k / 4], M = 0.7, J1 = 0.5, J2 = 0.8, w = 2.0, t = 1.5;
        const double J = J1 + i * i * J2, turned = w * t + M * t * t / (2.0 * J);
        const double turned_by_i = -M * t * t / (2.0 * J * J) * 2.0 * i * J2;
        const double torque_by_i = -M * J2 * (J1 - i * i * J2) / (J * J);
        snprintf(script, sizeof script,
                 "local i, M, J2 = param('i', %g), param('M', 0.7), param('J2', 0.8)\n"
                 "local w, a0 = param('w', 2), param('a0', 0.3)\n"
                 "local A = body('A', {angle = a0, spin = w, mass = 1, inertia = 0.5})\n"
                 "motor {A, torque = M}\n%s"
                 "cost('a', {final = A.angle}) cost('b', {final = B.angle})\n"
                 "cost('torque', {final = multiplier('gear')})\nhorizon(0, 1.5)\n",
                 i, gears[k % 4]);
        scripted s = run_well(script);
        expect_no_warning(&s);
        EXPECT_NEAR(cost_value(&s, "a"), 0.3 + turned, 1e-9);
        EXPECT_NEAR(cost_value(&s, "b"), -0.2 - i * turned, 1e-9);
        EXPECT_NEAR(cost_value(&s, "torque"), -i * J2 * M / J, 1e-9);
        expect_gradient(&s, "b", "i", -turned - i * turned_by_i, 1e-8);
        expect_gradient(&s, "b", "a0", 0.0, 1e-8);
        expect_gradient(&s, "b", "w", -i * t, 1e-8);
        expect_gradient(&s, "a", "M", t * t / (2.0 * J), 1e-8);
        expect_gradient(&s, "torque", "i", torque_by_i, 1e-8);
        release(&s);
    }
}

/* A sun, a planet on an arm, and a ring that is held. */
TEST(wheels_on_a_carrier_are_an_epicyclic_gear)
{
    static const struct {
        const char *sun, *planet, *inner, *outer;
    } cases[] = {{"", "angle = 0, ", "", ""},
                 {"guess = {0, 0, 0.1}, ", "", "angle = -0.1 * (1 + s / p), ",
                  "angle = -0.1 * (1 - p / r), "}};
    for (int k = 0; k < 2; k++) {
        char element[1536];
        snprintf(element, sizeof element,
                 "local s, M = param('s', 20), param('M', 2)\n"
                 "local p = 16\n"
                 "local r = s + 2 * p\n"
                 "local S = body('S', {x = 0, y = 0, %smass = 1, inertia = 0.01})\n"
                 "local A = body('A', {guess = {0, 0}, angle = 0.1, mass = 1, inertia = 0.05})\n"
                 "local P = body('P', {%sguess = {0.36, 0, 0}, mass = 0.5, inertia = 0.008})\n"
                 "local R = body('R', {mass = 3, inertia = 0.9})\n"
                 "joint.revolute {A, ground_point(0, 0)}\n"
                 "joint.revolute {P, A:point(0.36, 0)}\n"
                 "joint.weld {R, name = 'frame'}\n"
                 "gear {S, P, ratio = s / p, carrier = A, %sname = 'inner'}\n"
                 "gear {P, R, ratio = -p / r, carrier = A, %sname = 'outer'}\n"
                 "motor {S, torque = M}\n"
                 "cost('arm', {final = A.angle}) cost('sun', {final = S.angle})\n"
                 "cost('planet', {final = P.angle})\n"
                 "cost('inner', {final = multiplier('inner')})\n"
                 "cost('outer', {final = multiplier('outer')})\n"
                 "cost('frame', {final = multiplier('frame.angle')})\nhorizon(0, 1)\n",
                 cases[k].sun, cases[k].planet, cases[k].inner, cases[k].outer);
        expect_twins(element,
                     "local s, M = param('s', 20), param('M', 2)\n"
                     "local p = 16\n"
                     "local r = s + 2 * p\n"
                     "local a = coordinate('a', {start = 0.1})\n"
                     "local S, P = (1 + r / s) * (a - 0.1), (1 - r / p) * (a - 0.1)\n"
                     "local x, y = 0.36 * cos(a), 0.36 * sin(a)\n"
                     "mass(S, 0.01) mass(P, 0.008) mass(a, 0.05) mass(x, 0.5) mass(y, 0.5)\n"
                     "force(S, M)\n"
                     "local inner = (0.01 * ddot(S) - M) * p / s\n"
                     "local outer = (inner - 0.008 * ddot(P)) * r / p\n"
                     "cost('arm', {final = a}) cost('sun', {final = S})\n"
                     "cost('planet', {final = P})\n"
                     "cost('inner', {final = inner}) cost('outer', {final = outer})\n"
                     "cost('frame', {final = outer})\nhorizon(0, 1)\n",
                     1e-8);
    }
}

/* Two wheels mesh when the first has turned by 1, with a blow that both feel. */
TEST(a_gear_that_is_engaged_keeps_the_angles_at_which_it_meshed)
{
    static const char *const gears[] = {
        "gear {A, B, ratio = i, mode = meshed, name = 'gear'}\n"
        "event('mesh', {from = free, to = meshed, when = A.angle - 1, direction = 'rising',\n"
        "               charge = {blow = impulse('gear')}})\n",
        "local phase = memory('phase', 0)\n"
        "gear {A, B, ratio = i, angle = phase, mode = meshed, name = 'gear'}\n"
        "event('mesh', {from = free, to = meshed, when = A.angle - 1, direction = 'rising',\n"
        "               set = {[phase] = i * A.angle + B.angle},\n"
        "               charge = {blow = impulse('gear')}})\n",
    };
    const double i = 1.5, w = 2.0, v = 0.5, J1 = 0.5, J2 = 0.8, D = i * i / J1 + 1.0 / J2;
    for (int k = 0; k < 2; k++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "local i, w = param('i', 1.5), param('w', 2)\n"
                 "local free, meshed = mode 'free', mode 'meshed'\n"
                 "local A = body('A', {spin = w, mass = 1, inertia = 0.5})\n"
                 "local B = body('B', {x = 2, angle = 0.4, spin = 0.5, mass = 1, inertia = 0.8})\n"
                 "cost('blow')\n%s"
                 "cost('a', {final = A.angle}) cost('b', {final = B.angle})\nhorizon(0, 2)\n",
                 gears[k]);
        scripted     s = run_well(script);
        const double blow = -(i * w + v) / D,
                     blow_by_i = -w / D + (i * w + v) / (D * D) * 2.0 * i / J1;
        const double t = 2.0 - 1.0 / w;
        expect_event(&s, 0, "mesh", 1.0 / w, 1e-12);
        EXPECT_NEAR(cost_value(&s, "blow"), blow, 1e-10);
        EXPECT_NEAR(cost_value(&s, "a"), 1.0 + (w + i * blow / J1) * t, 1e-9);
        EXPECT_NEAR(cost_value(&s, "b"), 0.4 + v / w + (v + blow / J2) * t, 1e-9);
        expect_gradient(&s, "blow", "i", blow_by_i, 1e-9);
        expect_gradient(&s, "b", "i", blow_by_i / J2 * t, 1e-8);
        expect_gradient(&s, "b", "w", -v / (w * w) - i / D / J2 * t + (v + blow / J2) / (w * w),
                        1e-8);
        release(&s);
    }
}

/* ---- where elements jump --------------------------------------------------------------------- */

static double by_difference(double (*f)(double, double), double a, double b, int which)
{
    const double h = 1e-4, da = which == 0 ? h : 0.0, db = which == 1 ? h : 0.0;
    const double near = f(a + da, b + db) - f(a - da, b - db);
    const double far = f(a + 2.0 * da, b + 2.0 * db) - f(a - 2.0 * da, b - 2.0 * db);
    return (8.0 * near - far) / (12.0 * h);
}

/* x'' = -k (|x| - 1/2) sign(x) from -0.4 with speed v: harmonic about -1/2, then about 1/2. */
static double past_the_anchor(double k, double v)
{
    const double w = sqrt(k), u = sqrt(v * v + k * (0.01 - 0.25));
    double       t = 0.4 / v;
    for (int i = 0; i < 60; i++)
        t -= (-0.5 + 0.1 * cos(w * t) + v / w * sin(w * t)) /
             (v * cos(w * t) - 0.1 * w * sin(w * t));
    return 0.5 - 0.5 * cos(w * (0.6 - t)) + u / w * sin(w * (0.6 - t));
}

TEST(a_spring_that_passes_its_anchor_turns_its_force_round)
{
    static const char *const lines[] = {
        "local A, P = ground_point(0, 0), point('P', {x = -0.4, speed = {v, 0}})\n"
        "spring {A, P, stiffness = k, length = 0.5} local x = P.x\n",
        "local A, P = ground_point(h, 1), point('P', {x = 1, y = h - 0.4, speed = {0, v}})\n"
        "A = ground_point(1, h) spring {P, A, stiffness = k, length = 0.5} local x = P.y - h\n",
        "local x = coordinate('x', {start = -0.4, speed = v}) local P = x\n"
        "potential(0.5 * k * (sqrt(x^2) - 0.5)^2)\n",
        "local P = point('P', {x = -0.4, y = h, speed = {v, 0}}) local x = P.x\n"
        "potential(0.5 * k * (hypot(P.x, P.y - h) - 0.5)^2)\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char script[640];
        snprintf(script, sizeof script,
                 "local k, v, h = param('k', 20), param('v', 3), param('h', 0.7)\n%s"
                 "mass(P, 1)\ncost('x', {final = x})\nhorizon(0, 0.6)\n",
                 lines[i]);
        scripted s = run_well(script);
        expect_event_count(&s, 1);
        EXPECT_NEAR(cost_value(&s, "x"), past_the_anchor(20.0, 3.0), 1e-10);
        expect_gradient(&s, "x", "k", by_difference(past_the_anchor, 20.0, 3.0, 0), 1e-9);
        expect_gradient(&s, "x", "v", by_difference(past_the_anchor, 20.0, 3.0, 1), 1e-9);
        release(&s);
    }
}

TEST(a_spring_that_is_pulled_sideways_does_not_pass_its_anchor)
{
    /* From rest across; what pulls in the second one is not along the missing coordinate itself. */
    static const char *const pulls[] = {"force(P.y, -1)", "kinetic(0.2 * dot(P.x) * dot(P.y))"};
    for (int i = 0; i < 2; i++) {
        double y[2];
        for (int k = 0; k < 2; k++) {
            static const char *const lengths[] = {"hypot(P.x, P.y)", "(P.x^2 + P.y^2)^0.5"};
            char                     script[512];
            snprintf(script, sizeof script,
                     "local P = point('P', {x = -0.4, speed = {3, 0}})\nmass(P, 1) %s\n"
                     "potential(10 * (%s - 0.5)^2)\ncost('y', {final = P.y})\nhorizon(0, 0.1)\n",
                     pulls[i], lengths[k]);
            scripted s = run_well(script);
            expect_event_count(&s, 0);
            y[k] = cost_value(&s, "y");
            release(&s);
        }
        EXPECT(fabs(y[0]) > 1e-3);
        EXPECT_NEAR(y[0], y[1], 1e-11);
    }
}

/* a'' = -k a from 0 with speed v; half a turn away a jumps from pi to -pi. */
static double past_the_half_turn(double k, double v)
{
    const double half = 3.141592653589793, w = sqrt(k), u = sqrt(v * v - k * half * half);
    const double quarter = atan2(half * w, u) / w; /* from 0 to pi */
    double       t = 3.0 - quarter;
    while (t > 2.0 * quarter) t -= 2.0 * quarter;
    return cos(u / w * sin(w * t) - half * cos(w * t));
}

TEST(a_torsion_spring_jumps_half_a_turn_away)
{
    scripted s = run_well("local k, w = param('k', 0.5), param('w', 6)\n"
                          "local O, A = ground_point(0, 0), ground_point(1, 0)\n"
                          "local P = point('P', {x = 1, y = 0, speed = {0, w}})\n"
                          "mass(P, 1) rod {O, P, length = 1}\n"
                          "torsion_spring {A, O, P, stiffness = k}\n"
                          "cost('x', {final = P.x})\nhorizon(0, 3)\n");
    EXPECT_NEAR(cost_value(&s, "x"), past_the_half_turn(0.5, 6.0), 1e-9);
    expect_gradient(&s, "x", "k", by_difference(past_the_half_turn, 0.5, 6.0, 0), 1e-8);
    expect_gradient(&s, "x", "w", by_difference(past_the_half_turn, 0.5, 6.0, 1), 1e-8);
    release(&s);
}

TEST(an_angle_jumps_over_its_cut_both_ways)
{
    static const char *const turns[] = {"t + p", "-t - p"};
    for (int i = 0; i < 2; i++) {
        char         script[512];
        const double sign = i ? -1.0 : 1.0, full = 2.0 * 3.141592653589793;
        snprintf(script, sizeof script,
                 "local p = param('p', 0.3)\nlocal x = coordinate('x')\nmass(x, 1)\n"
                 "local a = %s\n"
                 "cost('c', {integral = atan2(3 * sin(a), 3 * cos(a))})\nhorizon(0, 5)\n",
                 turns[i]);
        scripted s = run_well(script);
        EXPECT_NEAR(cost_value(&s, "c"), sign * (12.5 + 1.5 - full * (5.0 - full / 2.0 + 0.3)),
                    1e-10);
        expect_gradient(&s, "c", "p", sign * (5.0 - full), 1e-9);
        release(&s);
    }
}

TEST(angles_that_do_not_jump_have_no_event)
{
    /* A whole turn of which only the sine is used, a turn without its turns, and half of one. */
    scripted s = run_well("local w = param('w', 2)\n"
                          "local x = coordinate('x') mass(x, 1)\n"
                          "local a = atan2(sin(w * t), cos(w * t))\n"
                          "cost('sine', {integral = sin(a - 1)})\n"
                          "cost('rate', {integral = dot(a)})\n"
                          "cost('half', {integral = atan2(2 * sin(t), 3 + cos(w * t))})\n"
                          "cost('right', {integral = atan2(x - 1, x^2)})\n"
                          "horizon(0, 3)\n");
    expect_event_count(&s, 0);
    EXPECT_NEAR(cost_value(&s, "sine"), (cos(1.0) - cos(5.0)) / 2.0, 1e-10);
    EXPECT_NEAR(cost_value(&s, "rate"), 6.0, 1e-10);
    expect_gradient(&s, "rate", "w", 3.0, 1e-9);
    release(&s);
}

TEST(a_motor_half_a_turn_away_is_found)
{
    static const char script[] = "local w = param('w', 1)\n"
                                 "local O, P = ground_point(0, 0), point('P', {guess = {%s}})\n"
                                 "bar {O, P, mass = 1, length = 1}\n"
                                 "motor {O, P, angle = w * t, name = 'm'}\n"
                                 "cost('x', {final = P.x})\nhorizon(0, 1)\n";
    char              text[512];
    snprintf(text, sizeof text, script, "0.3, 0.9");
    scripted s = run_well(text);
    EXPECT_NEAR(cost_value(&s, "x"), cos(1.0), 1e-9);
    expect_gradient(&s, "x", "w", -sin(1.0), 1e-8);
    release(&s);
    snprintf(text, sizeof text, script, "-0.9, 0.1");
    s = load(text);
    s.run = saltus_run_new(s.system, &s.options, &s.err);
    EXPECT(saltus_run_simulate(s.run, NULL, &s.err) == SALTUS_ERR_ASSEMBLY);
    EXPECT(strstr(s.err.message, "'m' is assembled half a turn away") != NULL);
    EXPECT(s.err.line == 4);
    release(&s);
}

TEST_MAIN(RUN(a_body_is_three_coordinates_with_mass_inertia_and_gravity),
          RUN(a_body_on_a_pin_is_the_physical_pendulum),
          RUN(a_torsion_pendulum_swings_as_it_should),
          RUN(torsion_springs_between_bodies_and_of_an_angle_are_potentials),
          RUN(a_torsion_spring_at_three_points_has_its_cut_opposite_to_its_rest),
          RUN(angles_between_points_are_counted_to_the_left),
          RUN(a_double_pendulum_of_bodies_is_that_of_angles),
          RUN(a_body_slides_down_a_line_and_keeps_its_angle),
          RUN(a_slider_and_a_pin_on_a_turning_arm_are_those_of_polar_coordinates),
          RUN(a_pin_in_a_turning_slot_flies_outward), RUN(welded_bodies_move_as_one),
          RUN(a_weld_to_the_ground_carries_the_weight), RUN(joints_act_only_in_their_modes),
          RUN(a_distance_is_a_rod), RUN(a_motor_drives_a_crank_slider),
          RUN(the_multiplier_of_a_motor_is_its_torque),
          RUN(a_prescribed_torque_turns_what_it_drives), RUN(a_gear_turns_the_second_body_back),
          RUN(wheels_on_a_carrier_are_an_epicyclic_gear),
          RUN(a_gear_that_is_engaged_keeps_the_angles_at_which_it_meshed),
          RUN(a_spring_that_passes_its_anchor_turns_its_force_round),
          RUN(a_spring_that_is_pulled_sideways_does_not_pass_its_anchor),
          RUN(a_torsion_spring_jumps_half_a_turn_away), RUN(an_angle_jumps_over_its_cut_both_ways),
          RUN(angles_that_do_not_jump_have_no_event), RUN(a_motor_half_a_turn_away_is_found))
