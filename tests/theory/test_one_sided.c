/* One-sided derivatives: against closed forms, and told apart from jumps of the motion. */
#include "twins.h"

/* What was given for one cost and one parameter. */
typedef struct both {
    int            wanted_cost, wanted_param, calls;
    saltus_verdict verdict;
    int            below_found, above_found, events[2];
    double         below, above, value_below, value_above, error;
    char           order[2][256], message[512];
} both;

static void keep_order(char *text, const saltus_side *side, int first, int count)
{
    text[0] = 0;
    for (int i = first; i < first + count; i++) {
        strcat(text, i > first ? " " : "");
        strcat(text, side->event[i]);
    }
}

static int keep_sides(void *context, const saltus_sides *sides)
{
    both *b = context;
    b->calls++;
    if (sides->param != b->wanted_param) return 0;
    const saltus_side *below = &sides->below, *above = &sides->above;
    b->verdict = sides->verdict[b->wanted_cost];
    b->below_found = below->found;
    b->above_found = above->found;
    b->below = below->found ? below->gradient[b->wanted_cost] : NAN;
    b->above = above->found ? above->gradient[b->wanted_cost] : NAN;
    b->value_below = below->found ? below->cost[b->wanted_cost] : NAN;
    b->value_above = above->found ? above->cost[b->wanted_cost] : NAN;
    b->error = (below->found ? below->gradient_error[b->wanted_cost] : 0.0) +
               (above->found ? above->gradient_error[b->wanted_cost] : 0.0);
    b->events[0] = below->events;
    b->events[1] = above->events;
    keep_order(b->order[0], below, sides->first_different, sides->different_below);
    keep_order(b->order[1], above, sides->first_different, sides->different_above);
    snprintf(b->message, sizeof b->message, "%s", below->found ? above->message : below->message);
    return 0;
}

static both sides_of(scripted *s, saltus_method method, const char *cost_name,
                     const char *param_name)
{
    both b = {.wanted_cost = cost(s, cost_name), .wanted_param = param(s, param_name)};
    const saltus_request request = {.method = method};
    if (saltus_run_one_sided(s->run, &request, keep_sides, &b, &s->err))
        fail_msg("%s", s->err.message);
    EXPECT(b.calls == s->size.params);
    return b;
}

/* By all methods: these limits of the derivative, and this verdict. */
static void expect_sides(scripted *s, const char *cost_name, const char *param_name,
                         saltus_verdict verdict, double below, double above)
{
    for (int m = 0; m < METHODS; m++) {
        const both b = sides_of(s, all_methods[m], cost_name, param_name);
        if (b.verdict != verdict)
            fail_msg("%s by %s, method %d: verdict %d (%g, %g, %s)", cost_name, param_name, m,
                     (int)b.verdict, b.below, b.above, b.message);
        EXPECT_NEAR(b.below, below, 1e-8 * (1.0 + fabs(below)));
        EXPECT_NEAR(b.above, above, 1e-8 * (1.0 + fabs(above)));
        EXPECT(b.error < 1e-6);
    }
}

static void ask_gradient(scripted *s)
{
    double               room[MAX_COSTS * MAX_PARAMS];
    const saltus_request request = {.method = SALTUS_DIRECT};
    if (saltus_run_gradients(s->run, &request, room, NULL, NULL, &s->err))
        fail_msg("%s", s->err.message);
}

/* ---- same state and derivative --------------------------------------------------------------- */

TEST(a_smooth_motion_has_the_same_derivative_on_both_sides)
{
    scripted s = run_to("local e, h = param('e', 0.8), param('h', 1)\n"
                        "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"
                        "contact {gap = y, restitution = e, name = 'floor'}\n"
                        "cost('y', {final = y}) horizon(0, 1)\n",
                        SALTUS_END);
    ask_gradient(&s);
    expect_no_warning(&s);
    static const char *const params[] = {"e", "h"};
    for (int i = 0; i < 2; i++) {
        const double g = gradient(&s, SALTUS_DIRECT, "y", params[i]);
        expect_sides(&s, "y", params[i], SALTUS_SIDES_AGREE, g, g);
    }
    release(&s);
}

#define BALL_IN_CORNER                                                                             \
    "local x0, e = param('x0', 1), param('e', 0.5)\n"                                              \
    "local x = coordinate('x', {start = x0, speed = -1}) mass(x, 1)\n"                             \
    "local y = coordinate('y', {start = 1, speed = -1}) mass(y, 1)\n"                              \
    "cost('x', {final = x}) cost('y', {final = y}) horizon(0, 2)\n"

TEST(in_a_corner_at_right_angles_the_order_does_not_matter)
{
    scripted s =
        run_to(BALL_IN_CORNER "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                              "event('wall', {when = x, direction = 'falling', restitution = e})\n",
               SALTUS_END);
    expect_event_count(&s, 2);
    ask_gradient(&s);
    expect_no_warning(&s);
    expect_sides(&s, "x", "x0", SALTUS_SIDES_AGREE, -0.5, -0.5);
    expect_sides(&s, "y", "x0", SALTUS_SIDES_AGREE, 0.0, 0.0);
    expect_sides(&s, "x", "e", SALTUS_SIDES_AGREE, 1.0, 1.0);
    const both b = sides_of(&s, SALTUS_AUTO, "x", "x0");
    EXPECT_TEXT(b.order[0], "wall floor");
    EXPECT_TEXT(b.order[1], "floor wall");
    release(&s);
}

/* ---- same state, other derivative ------------------------------------------------------------ */

TEST(a_block_at_its_limit_of_friction_moves_on_one_side_only)
{
    /* x = (F - 10 mu) t^2 / 2 once it slides, for t = 2 */
    scripted s =
        run_to("local mu, F = param('mu', 0.5), param('F', 5)\n"
               "local x, y = coordinate('x'), coordinate('y')\n"
               "mass(x, 1) mass(y, 1) force(x, F) force(y, -10)\n"
               "contact {gap = y, slip = dot(x), friction = mu, start = 'closed', name = 'slope'}\n"
               "cost('x', {final = x}) horizon(0, 2)\n",
               SALTUS_END);
    ask_gradient(&s);
    expect_warning(&s, "contact 'slope' is exactly at a threshold");
    expect_warning(&s, "one-sided");
    expect_sides(&s, "x", "F", SALTUS_SIDES_DIFFER, 0.0, 2.0);
    expect_sides(&s, "x", "mu", SALTUS_SIDES_DIFFER, -20.0, 0.0);
    release(&s);
}

TEST(a_blow_in_which_sticking_and_sliding_meet_is_a_kink)
{
    /* the impulse is 4, friction takes 4 mu of the speed u, at most all of it */
    scripted s = run_to("local mu, u = param('mu', 0.25), param('u', 1)\n"
                        "local x = coordinate('x', {speed = u}) mass(x, 1)\n"
                        "local y = coordinate('y', {start = 1, speed = -2}) mass(y, 1)\n"
                        "contact {gap = y, slip = dot(x), friction = mu, restitution = 1,\n"
                        "         rest = false, name = 'floor'}\n"
                        "cost('x', {final = x}) horizon(0, 1)\n",
                        SALTUS_END);
    ask_gradient(&s);
    expect_warning(&s, "one-sided");
    expect_sides(&s, "x", "mu", SALTUS_SIDES_DIFFER, -2.0, 0.0);
    expect_sides(&s, "x", "u", SALTUS_SIDES_DIFFER, 0.5, 1.0);
    release(&s);
}

TEST(a_condition_met_exactly_is_one_sided)
{
    /* abs has its kink exactly at the end */
    scripted s = run_to("local p = param('p', 1)\n"
                        "local x = coordinate('x', {start = -2, speed = 2 * p}) mass(x, 1)\n"
                        "cost('x', {final = abs(x)}) horizon(0, 1)\n",
                        SALTUS_END);
    expect_sides(&s, "x", "p", SALTUS_SIDES_DIFFER, -2.0, 2.0);
    release(&s);
}

/* ---- another state --------------------------------------------------------------------------- */

/* A ball without gravity between lines through the origin, each given by its unit normal: where it
 * is after some time, with e = 1. */
static void reflect(double *p, double *v, const double (*normal)[2], int lines, double left)
{
    while (left > 0.0) {
        int    hit = -1;
        double first = left;
        for (int i = 0; i < lines; i++) {
            const double *n = normal[i], gap = n[0] * p[0] + n[1] * p[1];
            const double  rate = n[0] * v[0] + n[1] * v[1];
            if (rate < 0.0 && -gap / rate < first) {
                first = -gap / rate;
                hit = i;
            }
        }
        for (int k = 0; k < 2; k++) p[k] += first * v[k];
        left -= first;
        if (hit < 0) return;
        const double *n = normal[hit], rate = n[0] * v[0] + n[1] * v[1];
        for (int k = 0; k < 2; k++) v[k] -= 2.0 * rate * n[k];
    }
}

static double end_in_corner(double x0, int axis)
{
    const double normal[2][2] = {{0.0, 1.0}, {1.0 / sqrt(1.25), 0.5 / sqrt(1.25)}};
    double       p[2] = {x0, 1.0}, v[2] = {-1.0, -1.0};
    reflect(p, v, normal, 2, 2.0);
    return p[axis];
}

TEST(in_a_corner_that_is_not_square_the_motion_jumps)
{
    scripted s = run_to("local x0 = param('x0', 1)\n"
                        "local x = coordinate('x', {start = x0, speed = -1}) mass(x, 1)\n"
                        "local y = coordinate('y', {start = 1, speed = -1}) mass(y, 1)\n"
                        "contact {gap = y, restitution = 1, name = 'floor'}\n"
                        "contact {gap = (x + 0.5 * y) / math.sqrt(1.25), restitution = 1,\n"
                        "         name = 'slope'}\n"
                        "cost('x', {final = x}) cost('y', {final = y}) horizon(0, 2)\n",
                        SALTUS_END);
    ask_gradient(&s);
    expect_warning(&s, "'floor' and 'slope' happen at the same instant");
    expect_warning(&s, "the motion itself jumps");
    static const char *const names[] = {"x", "y"};
    for (int i = 0; i < 2; i++) {
        /* linear in x0 on each side */
        const double below[] = {end_in_corner(0.75, i), end_in_corner(0.875, i)};
        const double above[] = {end_in_corner(1.25, i), end_in_corner(1.125, i)};
        expect_sides(&s, names[i], "x0", SALTUS_SIDES_JUMP, (below[1] - below[0]) / 0.125,
                     (above[0] - above[1]) / 0.125);
        const both b = sides_of(&s, SALTUS_AUTO, names[i], "x0");
        EXPECT_NEAR(b.value_below, 2.0 * below[1] - below[0], 1e-10);
        EXPECT_NEAR(b.value_above, 2.0 * above[1] - above[0], 1e-10);
        EXPECT_TEXT(b.order[1], "floor slope");
    }
    release(&s);
}

static void collide(double *v, const double *m, int i, double e)
{
    const double rate = v[i + 1] - v[i], p = (1.0 + e) * rate * m[i] * m[i + 1] / (m[i] + m[i + 1]);
    if (rate >= 0.0) return;
    v[i] += p / m[i];
    v[i + 1] -= p / m[i + 1];
}

TEST(a_ball_that_is_hit_from_both_sides_at_once_has_two_motions)
{
    scripted     s = run_to("local d = param('d', 0.5)\n"
                                "local a = coordinate('a', {start = -0.5, speed = 1}) mass(a, 1)\n"
                                "local b = coordinate('b') mass(b, 1)\n"
                                "local c = coordinate('c', {start = d, speed = -1}) mass(c, 2)\n"
                                "contact {gap = b - a, restitution = 0.8, name = 'ab'}\n"
                                "contact {gap = c - b, restitution = 0.8, name = 'bc'}\n"
                                "cost('a', {final = dot(a)}) cost('b', {final = dot(b)})\n"
                                "cost('c', {final = dot(c)}) horizon(0, 0.6)\n",
                            SALTUS_END);
    const double m[] = {1.0, 1.0, 2.0};
    double       below[] = {1.0, 0.0, -1.0}, above[] = {1.0, 0.0, -1.0};
    for (int i = 0; i < 4; i++) {
        collide(below, m, 1 - i % 2, 0.8); /* c is nearer: it comes first */
        collide(above, m, i % 2, 0.8);
    }
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        const both b = sides_of(&s, SALTUS_AUTO, names[i], "d");
        EXPECT(b.verdict == SALTUS_SIDES_JUMP);
        EXPECT_NEAR(b.value_below, below[i], 1e-9);
        EXPECT_NEAR(b.value_above, above[i], 1e-9);
    }
    release(&s);
}

TEST(balls_that_just_touch_are_named)
{
    scripted s = run_to("local d, e = param('d', 0), param('e', 0.9)\n"
                        "local a = coordinate('a', {start = -0.5, speed = 1}) mass(a, 1)\n"
                        "local b = coordinate('b') mass(b, 1)\n"
                        "local c = coordinate('c', {start = d}) mass(c, 1)\n"
                        "contact {gap = b - a, restitution = e, name = 'ab'}\n"
                        "contact {gap = c - b, restitution = e, name = 'bc'}\n"
                        "cost('c', {final = dot(c)}) horizon(0, 0.6)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "c"), 1.9 / 3.0, 1e-10);
    ask_gradient(&s);
    expect_warning(&s, "'bc'");
    const both b = sides_of(&s, SALTUS_AUTO, "c", "d");
    EXPECT_NEAR(b.value_above, 0.95 * 0.95, 1e-10); /* one blow after the other */
    release(&s);
}

/* ---- what is met at the instant of an event ------------------------------------------------- */

#define TURNS(p, rest)                                                                             \
    "local p = param('p', " p ") local k = memory('k', 0)\n"                                       \
    "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"                                          \
    "event('turn', {when = t - 0.5, set = {[dot(x)] = -dot(x)}})\n" rest "\n horizon(0, 1)\n"

/* x goes to 0.5 and back. What is at p is passed twice if p is below that, and not at all if it is
 * above: between, its guard is zero where x turns. */
TEST(a_guard_that_is_zero_where_an_event_turns_it_back_is_a_tie)
{
    scripted s = run_to(TURNS("0.5", "cost('c', {integral = sign(x - p)})"), SALTUS_END);
    ask_gradient(&s);
    expect_warning(&s, "'turn' and 'sign@4' happen at the same instant");
    expect_sides(&s, "c", "p", SALTUS_SIDES_DIFFER, -4.0, 0.0);
    release(&s);
    s = run_to(TURNS("0.5", "cost('c', {min = abs(x - p)})"), SALTUS_END);
    ask_gradient(&s);
    expect_warning(&s, "'turn' and 'abs@4' happen at the same instant");
    expect_sides(&s, "c", "p", SALTUS_SIDES_DIFFER, 0.0, 1.0);
    release(&s);
    s = run_to(TURNS("0.5", "event('at p', {when = x - p, set = {[k] = k + 1}})\n"
                            "cost('c', {integral = k})"),
               SALTUS_END);
    ask_gradient(&s);
    expect_warning(&s, "the motion itself jumps there, and cost 'c' from 1 to 0");
    release(&s);
    /* twice the same, to first order */
    s = run_to(TURNS("0.5", "cost('c', {integral = abs(x - p)})"), SALTUS_END);
    ask_gradient(&s);
    expect_gradient(&s, "c", "p", 1.0, 1e-10);
    expect_no_warning(&s);
    release(&s);
    s = run_to(TURNS("0.6", "cost('c', {integral = sign(x - p), min = abs(x - p)})"), SALTUS_END);
    ask_gradient(&s);
    expect_gradient(&s, "c", "p", 1.0, 1e-10);
    expect_no_warning(&s);
    release(&s);
}

/* A kick halves the velocity where a force is switched on. If p comes earlier by d, the kick halves
 * what the force has added, d; if it comes later, the force begins 2 d after the kick. */
TEST(a_force_that_jumps_where_an_event_happens_is_one_sided)
{
    scripted s = run_to("local p = param('p', 0.5)\n"
                        "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
                        "event('kick', {when = t - 0.5, set = {[dot(x)] = dot(x) / 2}})\n"
                        "force(x, step(x - p)) cost('v', {final = dot(x)}) horizon(0, 1)\n",
                        SALTUS_END);
    EXPECT_NEAR(cost_value(&s, "v"), 1.0, 1e-12);
    ask_gradient(&s);
    expect_warning(&s, "one-sided");
    expect_sides(&s, "v", "p", SALTUS_SIDES_DIFFER, -0.5, -2.0);
    release(&s);
}

/* ---- no limit -------------------------------------------------------------------------------- */

TEST(a_derivative_without_a_limit_is_no_number)
{
    /* the ball just reaches the ceiling, and faster it hits it with the root of the excess */
    scripted   s = run_to("local v = param('v', 2)\n"
                            "local y = coordinate('y', {speed = v}) mass(y, 1) force(y, -2)\n"
                            "contact {gap = 1 - y, restitution = 0.5, rest = false, name = 'top'}\n"
                            "cost('y', {final = y}) horizon(0, 1.5)\n",
                          SALTUS_END);
    const both b = sides_of(&s, SALTUS_DIRECT, "y", "v");
    EXPECT(b.verdict == SALTUS_SIDES_UNKNOWN);
    EXPECT(b.below_found && !b.above_found);
    EXPECT_NEAR(b.below, 1.5, 1e-9);
    EXPECT(strstr(b.message, "no limit") != NULL);
    release(&s);
}

TEST(requests_without_sides_are_refused)
{
    scripted       s = run_to("local v = param('v', 2)\n"
                                    "local y = coordinate('y', {speed = v}) mass(y, 1)\n"
                                    "cost('y', {final = y}) horizon(0, 1)\n",
                              SALTUS_END);
    saltus_request request = {.method = SALTUS_FD};
    both           b = {0};
    EXPECT(saltus_run_one_sided(s.run, &request, keep_sides, &b, &s.err) == SALTUS_ERR_ARGUMENT);
    EXPECT(b.calls == 0);
    release(&s);
}

TEST_MAIN(RUN(a_smooth_motion_has_the_same_derivative_on_both_sides),
          RUN(in_a_corner_at_right_angles_the_order_does_not_matter),
          RUN(a_block_at_its_limit_of_friction_moves_on_one_side_only),
          RUN(a_blow_in_which_sticking_and_sliding_meet_is_a_kink),
          RUN(a_condition_met_exactly_is_one_sided),
          RUN(in_a_corner_that_is_not_square_the_motion_jumps),
          RUN(a_ball_that_is_hit_from_both_sides_at_once_has_two_motions),
          RUN(balls_that_just_touch_are_named), RUN(a_derivative_without_a_limit_is_no_number),
          RUN(a_guard_that_is_zero_where_an_event_turns_it_back_is_a_tie),
          RUN(a_force_that_jumps_where_an_event_happens_is_one_sided),
          RUN(requests_without_sides_are_refused))
