/* Optimisation: problems with known optima, borders of event sequences in closed form, and
 * everything that can go wrong. Numbers with many digits were computed elsewhere (linear-quadratic
 * problems in closed form, shooting). */
#include <saltus/saltus.h>

#include "test.h"

typedef struct problem {
    saltus_error        err;
    saltus_system      *system;
    saltus_optimum     *optimum;
    saltus_optimum_info info;
    saltus_goal         goal;
    int                 threads;
} problem;

static problem compiled(saltus_model *model, saltus_error *err)
{
    problem p = {.err = *err};
    p.system = saltus_system_compile(model, &p.err);
    saltus_model_free(model);
    if (p.err.status) fail_msg("line %d: %s", p.err.line, p.err.message);
    p.goal = saltus_system_goal(p.system);
    p.threads = 1;
    return p;
}

static problem of_text(const char *script)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    return compiled(model, &err);
}

static void solve(problem *p)
{
    saltus_options options = saltus_system_options(p->system);
    options.threads = p->threads;
    p->optimum = saltus_optimise(p->system, &options, &p->goal, NULL, NULL, &p->err);
    p->info = saltus_optimum_get_info(p->optimum);
}

static void solved(problem *p, saltus_optimum_status status)
{
    solve(p);
    if (p->err.status) fail_msg("%s", p->err.message);
    if (p->info.status != status)
        fail_msg("%s: %s (kkt %g, value %.12g)", saltus_optimum_status_name(p->info.status),
                 p->info.message, p->info.kkt, p->info.value);
}

static void leave(problem *p)
{
    saltus_optimum_free(p->optimum);
    saltus_system_free(p->system);
}

static double param(const problem *p, const char *name)
{
    const int index = saltus_system_find_param(p->system, name);
    EXPECT(index >= 0);
    return saltus_optimum_params(p->optimum)[index];
}

/* ---- a ball --------------------------------------------------------------------------------- */

#define BALL(rest)                                                                                 \
    "local h0 = param('h0', 1) local e, g = 0.8, 9.81\n"                                           \
    "local y = coordinate('y', {start = h0}) mass(y, 1) force(y, -g)\n"                            \
    "event('floor', {when = y, direction = 'falling', set = {[dot(y)] = -e * dot(y)}})\n"          \
    "horizon(0, 2)\n" rest

/* Exactly three bounces: h0 from 0.815827010743302 to 1.30327346157934. */
TEST(a_border_holds_the_optimum_back_and_has_a_multiplier)
{
    problem p = of_text(BALL("cost('h', {final = h0}) optimise{minimise = 'h', over = 'h0'}"));
    solved(&p, SALTUS_OPTIMUM_BORDER);
    EXPECT_NEAR(param(&p, "h0"), 0.815827010743302, 1e-7);
    EXPECT(p.info.events == 3);
    EXPECT_TEXT(saltus_optimum_event(p.optimum, 2), "floor");
    int held = 0;
    for (int i = 0; i < p.info.borders; i++) {
        const saltus_border border = saltus_optimum_border(p.optimum, i);
        if (!(border.multiplier > 1e-6)) continue;
        /* The fourth bounce, after sqrt(2 h0 / g) (1 + 2 e + 2 e^2 + 2 e^3), comes into the
         * horizon. */
        const double slope = 0.5 * 2.0 / 0.815827010743302;
        held++;
        EXPECT_TEXT(border.kind, "enter");
        EXPECT_TEXT(border.first, "floor");
        EXPECT_NEAR(border.multiplier, 1.0 / slope, 1e-5);
    }
    EXPECT(held == 1);
    leave(&p);
}

/* Nodes of a control between two events change nothing about their border: where both balls touch
 * the floor together, h falls by g tau per time. */
TEST(nodes_between_events_do_not_hide_their_border)
{
    problem p =
        of_text("local h = param('h', 4) local u = control('u', {kind = 'hold', nodes = 9})\n"
                "local y, z = coordinate('y', {start = h}), coordinate('z', {start = 1})\n"
                "mass(y, 1) mass(z, 1) force(y, u - 9.81) force(z, -9.81)\n"
                "event('a', {when = z, direction = 'falling', restitution = 0.9})\n"
                "event('b', {when = y, direction = 'falling', restitution = 0.9})\n"
                "horizon(0, 1.2) cost('h', {final = h}) optimise{minimise = 'h', over = 'h'}\n");
    solved(&p, SALTUS_OPTIMUM_BORDER);
    EXPECT_NEAR(param(&p, "h"), 1.0, 1e-8);
    EXPECT(p.info.borders > 0);
    const saltus_border border = saltus_optimum_border(p.optimum, 0);
    EXPECT_TEXT(border.kind, "swap");
    EXPECT_TEXT(border.first, "a");
    EXPECT_TEXT(border.second, "b");
    EXPECT_NEAR(border.multiplier, sqrt(2.0 * 9.81), 1e-6);
    leave(&p);
}

TEST(a_kink_is_certified_from_both_sides)
{
    problem p = of_text(BALL("cost('y', {final = y}) optimise{minimise = 'y', over = 'h0'}"));
    solved(&p, SALTUS_OPTIMUM_KINK);
    EXPECT_NEAR(p.info.value, 0.0, 1e-6);
    const double at = param(&p, "h0");
    EXPECT(fabs(at - 0.815827010743302) < 1e-6 || fabs(at - 1.30327346157934) < 1e-6);
    leave(&p);
}

/* A sample just when the ball touches the floor is the lowest one there is, and rises on both
 * sides. One search finds that, whether or not events may come and go. */
#define SAMPLED(start)                                                                             \
    "local h = param('h', " start ", {lower = 1, upper = 20})\n"                                   \
    "local e = param('e', 0.7, {lower = 0.1, upper = 0.9})\n"                                      \
    "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"                          \
    "event('floor', {when = y, direction = 'falling', restitution = e}) horizon(0, 1.5)\n"         \
    "cost('low', {at = {1}, of = y, final = 0.1 * (e - 0.5)^2}) optimise{minimise = 'low'}\n"

static void expect_kink_at_sample(const char *script, saltus_sequences sequences)
{
    problem p = of_text(script);
    p.goal.sequences = sequences;
    solved(&p, SALTUS_OPTIMUM_KINK);
    EXPECT_NEAR(param(&p, "h"), 0.5 * 9.81, 1e-8);
    EXPECT(p.info.gradients < 200);
    leave(&p);
}

TEST(a_sample_that_an_event_meets_is_found_by_the_first_search)
{
    expect_kink_at_sample(SAMPLED("7"), SALTUS_KEEP_SEQUENCE);
    expect_kink_at_sample(SAMPLED("5.5"), SALTUS_KEEP_SEQUENCE);
    expect_kink_at_sample(SAMPLED("3"), SALTUS_KEEP_SEQUENCE);
    expect_kink_at_sample(SAMPLED("5.5"), SALTUS_FREE_SEQUENCE);
}

TEST(a_free_search_crosses_borders)
{
    /* The optimum, h0 = 0.3, has more bounces than the start. */
    problem p = of_text(BALL("cost('d', {final = (h0 - 0.3)^2}) optimise{minimise = 'd', over = "
                             "'h0', sequences = 'free'}"));
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(param(&p, "h0"), 0.3, 1e-6);
    EXPECT(p.info.events > 3);
    leave(&p);
}

TEST(each_sequence_has_its_optimum)
{
    problem p = of_text(
        "local h0 = param('h0', 1, {lower = 0.2, upper = 3}) local e, g = 0.8, 9.81\n"
        "local y = coordinate('y', {start = h0}) mass(y, 1) force(y, -g)\n"
        "event('floor', {when = y, direction = 'falling', set = {[dot(y)] = -e * dot(y)}})\n"
        "horizon(0, 2) cost('d', {final = (h0 - 0.5)^2})\n"
        "optimise{minimise = 'd', over = 'h0', sequences = 'search', starts = 8}");
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(param(&p, "h0"), 0.5, 1e-6);
    EXPECT(p.info.optima >= 3);
    for (int i = 1; i < p.info.optima; i++) {
        const saltus_optimum_row before = saltus_optimum_get_row(p.optimum, i - 1);
        const saltus_optimum_row row = saltus_optimum_get_row(p.optimum, i);
        EXPECT(row.value >= before.value);
        EXPECT(row.events != before.events);
    }
    leave(&p);
}

/* Over a wall with the least speed: searches in some sequences end at points that do not reach its
 * height, and seem to need less. One with one bounce, from a start near it, is as a closed form of
 * the flight says. */
#define WALL                                                                                       \
    "local vx = param('vx', 2, {lower = 0.1, upper = 20})\n"                                       \
    "local vy = param('vy', 2, {lower = -20, upper = 20})\n"                                       \
    "local x, y = coordinate('x', {speed = vx}), coordinate('y', {start = 1, speed = vy})\n"       \
    "mass(x, 1) mass(y, 1) force(y, -9.81)\n"                                                      \
    "event('floor', {when = y, direction = 'falling', restitution = 0.8})\n"                       \
    "event('wall', {when = x - 3, direction = 'rising', stop = 1})\n"                              \
    "cost('E', {final = (vx^2 + vy^2) / 2}) cost('y', {final = y}) horizon(0, 50)\n"

TEST(the_best_of_all_sequences_keeps_its_limits)
{
    problem all = of_text(WALL "optimise{minimise = 'E', subject_to = {{'y', min = 1}},\n"
                               "  sequences = 'search', starts = 4}");
    solved(&all, SALTUS_OPTIMUM_CONVERGED);
    EXPECT(saltus_optimum_costs(all.optimum)[1] >= 1.0 - 1e-8);
    EXPECT(saltus_optimum_get_row(all.optimum, 0).value == all.info.value);
    leave(&all);
    problem      one = of_text(WALL "optimise{minimise = 'E', subject_to = {{'y', min = 1}}}");
    const double near[] = {2.2, 3.3};
    one.optimum = saltus_optimise(one.system, NULL, &one.goal, near, NULL, &one.err);
    one.info = saltus_optimum_get_info(one.optimum);
    EXPECT(one.info.status == SALTUS_OPTIMUM_CONVERGED && one.info.events == 2);
    EXPECT_NEAR(one.info.value, 7.9184817976, 1e-8);
    leave(&one);
}

/* ---- published problems --------------------------------------------------------------------- */

/* v0 such that the apex after two bounces is at 0.5 m. */
TEST(a_ball_thrown_up_reaches_its_apex_after_two_bounces)
{
    problem p = of_text(
        "local v0 = param('v0', 4) local y = coordinate('y', {start = 0, speed = v0}) mass(y, 1)\n"
        "force(y, -9.81) solver {tol = 1e-12}\n"
        "event('floor', {when = y, direction = 'falling', set = {[dot(y)] = -0.9 * dot(y)}})\n"
        "event('apex', {when = dot(y), direction = 'falling', stop = 3})\n"
        "cost('v', {final = v0^2}) cost('top', {final = y}) cost('when', {final = t})\n"
        "horizon(0, 5)\n"
        "optimise{minimise = 'v', over = {'v0'}, subject_to = {{'top', equals = 0.5}}}");
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(param(&p, "v0"), 3.86678018848538896, 1e-9);
    EXPECT_NEAR(saltus_optimum_costs(p.optimum)[2], 1.81711077155123783, 1e-9);
    /* v0^2 = 2 g top / e^4 */
    EXPECT_NEAR(saltus_optimum_multiplier(p.optimum, 0), 2 * 9.81 / pow(0.9, 4), 1e-6);
    leave(&p);
}

static problem five_bar(void)
{
    char         path[512];
    saltus_error err = {0};
    snprintf(path, sizeof path, "%s/models/five_bar.lua", SALTUS_SOURCE_DIR);
    problem                  p = compiled(saltus_model_load(path, &err), &err);
    static const char *const over[] = {"L01", "L02"};
    p.goal = (saltus_goal){.minimise = "int_dev2_point2", .over = over, .over_count = 2};
    return p;
}

TEST(the_five_bar_has_a_local_optimum_with_four_impacts)
{
    problem p = five_bar();
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(p.info.value, 0.05394888, 1e-8);
    EXPECT(p.info.events == 4);
    EXPECT(p.info.gradients < 40);
    leave(&p);
}

TEST(and_it_rests_in_another_sequence)
{
    problem p = five_bar();
    p.goal.sequences = SALTUS_SEARCH_SEQUENCES;
    p.goal.starts = 4;
    p.threads = 2;
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(p.info.value, 0.0, 1e-12);
    EXPECT_NEAR(param(&p, "L01"), 2.43192357445758378, 1e-6);
    EXPECT_NEAR(param(&p, "L02"), 1.84486888680538786, 1e-6);
    EXPECT(p.info.events == 0);
    int with_four = 0;
    for (int i = 0; i < p.info.optima; i++) {
        const saltus_optimum_row row = saltus_optimum_get_row(p.optimum, i);
        if (row.events == 4 && fabs(row.value - 0.05394888) < 1e-8) with_four++;
    }
    EXPECT(with_four == 1);
    leave(&p);
}

/* The ball of Kong and others: a thrust in N pieces, 40 |x(1) - (3, 0)|^2 at the end. */
static const char kong[] =
    "local N = setting('N', 20) local y = coordinate('y', {start = 4}) mass(y, 1)\n"
    "local u = {} for k = 1, N do u[k] = param('u' .. k, 0) end\n"
    "local c = memory('u', u[1]) force(y, c - 9.8)\n"
    "for k = 2, N do event('node ' .. k, {when = t - (k - 1) / N, direction = 'rising',\n"
    "  set = {[c] = u[k]}}) end\n"
    "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"
    "cost('J', {integral = 0.25 * c^2, final = 40 * ((y - 3)^2 + dot(y)^2)}) horizon(0, 1)\n"
    "optimise{minimise = 'J', over = {'u*'}}\n";

TEST(the_thrown_ball_has_two_optima)
{
    problem p = of_text(kong);
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(p.info.value, 55.838073081748, 1e-7);
    EXPECT(p.info.events == 1);
    saltus_optimum_free(p.optimum);
    p.goal.sequences = SALTUS_SEARCH_SEQUENCES;
    p.goal.starts = 2;
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(p.info.value, 26.445493745464, 1e-7);
    EXPECT(p.info.events == 0);
    EXPECT(p.info.optima >= 2);
    EXPECT_NEAR(saltus_optimum_get_row(p.optimum, 1).value, 55.838073081748, 1e-7);
    leave(&p);
}

/* Kelly's cart-pole: the pole is swung up in 2 s with the smallest integral of the squared force,
 * from rest and a force of zero, by 40 pieces of a force that is linear in time, or held. */
static void swing_up(const char *kind, int pieces, double expected, int gradients)
{
    char script[2048];
    snprintf(
        script, sizeof script,
        "local N, linear, T = %d, %s, 2 local m1, m2, l, g = 1, 0.3, 0.5, 9.81\n"
        "local x, q = coordinate('x'), coordinate('q')\n"
        "kinetic(0.5 * (m1 + m2) * dot(x)^2 + m2 * l * cos(q) * dot(x) * dot(q) + 0.5 * m2 * l^2 * "
        "dot(q)^2)\n"
        "potential(-m2 * g * l * cos(q))\n"
        "local p, h = {}, T / N for k = 1, linear and N + 1 or N do p[k] = param('u' .. k, 0) end\n"
        "local function slope(k) return linear and (p[k + 1] - p[k]) / h or 0 end\n"
        "local c, s, t0 = memory('u', p[1]), memory('slope', slope(1)), memory('t0', 0)\n"
        "force(x, c + s * (t - t0))\n"
        "for k = 2, N do event('node ' .. k, {when = t - (k - 1) * h, direction = 'rising',\n"
        "  set = {[c] = p[k], [s] = slope(k), [t0] = t}}) end\n"
        "cost('J', {integral = (c + s * (t - t0))^2})\n"
        "cost('x', {final = x - 1}) cost('q', {final = q - math.pi})\n"
        "cost('v', {final = dot(x)}) cost('w', {final = dot(q)})\n"
        "horizon(0, T) solver {tol = 1e-11}\n"
        "optimise{minimise = 'J', subject_to = {{'x', equals = 0}, {'q', equals = 0}, {'v', equals "
        "= 0},\n"
        "  {'w', equals = 0}}}\n",
        pieces, strcmp(kind, "linear") == 0 ? "true" : "false");
    problem p = of_text(script);
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT(p.info.kkt <= 1e-8);
    if (p.info.gradients >= gradients) fail_msg("%s: %lld gradients", kind, p.info.gradients);
    EXPECT_NEAR(p.info.value, expected, 1e-7 * expected);
    leave(&p);
}

TEST(the_cart_pole_swings_up)
{
    swing_up("linear", 40, 57.9476110253, 100);
    swing_up("held", 40, 58.5623052888, 100);
}

/* ---- what can go wrong ---------------------------------------------------------------------- */

#define BOWL                                                                                       \
    "local a = param('a', 3) local b = param('b', 1, {lower = -2, upper = 2})\n"                   \
    "local x = coordinate('x', {start = 0}) mass(x, 1) force(x, 0)\n"                              \
    "cost('bowl', {final = (a - 1)^2 + (b - 5)^2}) cost('sum', {final = a + b}) cost('down', "     \
    "{final = -a})\n"                                                                              \
    "horizon(0, 1)\n"

TEST(bounds_are_those_of_the_parameters)
{
    problem p = of_text(BOWL "optimise{minimise = 'bowl'}");
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT_NEAR(param(&p, "a"), 1.0, 1e-7);
    EXPECT_NEAR(param(&p, "b"), 2.0, 0.0);
    leave(&p);
}

TEST(limits_that_contradict_each_other_are_named)
{
    problem p =
        of_text(BOWL "optimise{minimise = 'bowl', over = 'b', subject_to = {{'sum', min = 9}}}");
    solved(&p, SALTUS_OPTIMUM_INFEASIBLE);
    EXPECT(strstr(p.info.message, "'sum' is 5, but should be at least 9") != NULL);
    leave(&p);
}

TEST(costs_without_a_lower_bound_are_told)
{
    problem p = of_text(BOWL "optimise{minimise = 'down', over = 'a'}");
    solved(&p, SALTUS_OPTIMUM_LIMIT);
    EXPECT(strstr(p.info.message, "no lower bound") != NULL);
    leave(&p);
}

static void refused(problem *p, saltus_status status, const char *message)
{
    solve(p);
    EXPECT(p->optimum == NULL);
    EXPECT(p->err.status == status);
    if (!strstr(p->err.message, message))
        fail_msg("'%s' does not say '%s'", p->err.message, message);
    p->err = (saltus_error){0};
}

TEST(names_that_are_not_there_are_refused_with_the_nearest)
{
    problem p = of_text(BOWL "optimise{minimise = 'bowl', over = {'c*'}}");
    refused(&p, SALTUS_ERR_MODEL, "no parameter 'c*'");
    const char        *over[] = {"a"};
    const saltus_limit limit = {"summ", 0, 1};
    p.goal = (saltus_goal){.minimise = "bawl", .over = over, .over_count = 1};
    refused(&p, SALTUS_ERR_ARGUMENT, "no cost 'bawl'; did you mean 'bowl'?");
    p.goal = (saltus_goal){.minimise = "bowl", .limits = &limit, .limit_count = 1};
    refused(&p, SALTUS_ERR_ARGUMENT, "did you mean 'sum'?");
    p.goal = (saltus_goal){.over = over, .over_count = 1};
    refused(&p, SALTUS_ERR_ARGUMENT, "no cost to minimise");
    leave(&p);
}

TEST(points_without_a_motion_are_no_obstacle)
{
    problem p = of_text("local a = param('a', 0.2)\n"
                        "local x = coordinate('x', {start = a}) mass(x, 1)\n"
                        "force(x, sqrt(1.05 - a))\n" /* no value beyond */
                        "cost('f', {final = 100 * (a^2 - 0.9)^2 + (1 - a)^2}) horizon(0, 1)\n"
                        "optimise{minimise = 'f'}");
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    const double a = param(&p, "a");
    EXPECT_NEAR(400 * a * (a * a - 0.9) - 2 * (1 - a), 0.0, 1e-5);
    leave(&p);
}

TEST(a_start_without_a_motion_is_told)
{
    problem p = of_text(
        "local a = param('a', 2) local x = coordinate('x', {start = a}) mass(x, 1)\n"
        "force(x, sqrt(1 - a)) cost('f', {final = x^2}) horizon(0, 1) optimise{minimise = 'f'}");
    solve(&p);
    EXPECT(p.optimum == NULL && p.err.status != SALTUS_OK);
    leave(&p);
}

typedef struct counter {
    int calls, last;
} counter;

static int stop_later(void *context, const saltus_optimise_progress *progress)
{
    counter *c = context;
    EXPECT(isfinite(progress->value));
    return ++c->calls == c->last;
}

TEST(an_interrupted_search_keeps_its_best_point)
{
    problem                 p = of_text(kong);
    counter                 c = {.last = 6};
    saltus_optimise_options options = saltus_optimise_options_default();
    options.progress = stop_later;
    options.progress_context = &c;
    p.optimum = saltus_optimise(p.system, NULL, NULL, NULL, &options, &p.err);
    p.info = saltus_optimum_get_info(p.optimum);
    EXPECT(p.info.status == SALTUS_OPTIMUM_INTERRUPTED);
    EXPECT(p.info.value < p.info.start_value);
    EXPECT_NEAR(saltus_optimum_costs(p.optimum)[0], p.info.value, 1e-9 * p.info.value);
    leave(&p);
}

TEST(results_do_not_depend_on_threads_and_equal_starts_are_one)
{
    double value[2];
    for (int i = 0; i < 2; i++) {
        problem p = of_text(BOWL "optimise{minimise = 'bowl', starts = 5}");
        p.threads = i ? 3 : 1;
        solved(&p, SALTUS_OPTIMUM_CONVERGED);
        EXPECT(p.info.searches == 5);
        value[i] = param(&p, "a");
        leave(&p);
    }
    EXPECT(memcmp(&value[0], &value[1], sizeof value[0]) == 0);
    problem p =
        of_text("local b = param('b', 1, {lower = 1, upper = 1}) local x = coordinate('x', {start "
                "= b}) mass(x, 1)\n"
                "cost('f', {final = x^2}) horizon(0, 1) optimise{minimise = 'f', starts = 5}");
    solved(&p, SALTUS_OPTIMUM_CONVERGED);
    EXPECT(p.info.searches == 1);
    leave(&p);
}

TEST_MAIN(RUN(a_border_holds_the_optimum_back_and_has_a_multiplier),
          RUN(nodes_between_events_do_not_hide_their_border),
          RUN(a_kink_is_certified_from_both_sides),
          RUN(a_sample_that_an_event_meets_is_found_by_the_first_search),
          RUN(a_free_search_crosses_borders), RUN(each_sequence_has_its_optimum),
          RUN(the_best_of_all_sequences_keeps_its_limits),
          RUN(a_ball_thrown_up_reaches_its_apex_after_two_bounces),
          RUN(the_five_bar_has_a_local_optimum_with_four_impacts),
          RUN(and_it_rests_in_another_sequence), RUN(the_thrown_ball_has_two_optima),
          RUN(the_cart_pole_swings_up), RUN(bounds_are_those_of_the_parameters),
          RUN(limits_that_contradict_each_other_are_named),
          RUN(costs_without_a_lower_bound_are_told),
          RUN(names_that_are_not_there_are_refused_with_the_nearest),
          RUN(points_without_a_motion_are_no_obstacle), RUN(a_start_without_a_motion_is_told),
          RUN(an_interrupted_search_keeps_its_best_point),
          RUN(results_do_not_depend_on_threads_and_equal_starts_are_one))
