/* Clearances: how far a motion is from another sequence of events, with derivatives. */
#include "scripted.h"

enum { MAX_CLEARANCES = 256 };

typedef struct clearances {
    int              params, count;
    saltus_clearance one[MAX_CLEARANCES];
    double           gradient[MAX_CLEARANCES][MAX_PARAMS];
    char             text[MAX_CLEARANCES][256];
} clearances;

static int keep_clearance(void *context, const saltus_clearance *clearance)
{
    clearances *kept = context;
    assert_true(kept->count < MAX_CLEARANCES);
    const int i = kept->count++;
    kept->one[i] = *clearance;
    memcpy(kept->gradient[i], clearance->gradient, (size_t)kept->params * sizeof(double));
    snprintf(kept->text[i], sizeof kept->text[i], "%s", clearance->text);
    return 0;
}

/* All clearances of the last simulation, by all parameters. Borrowed until the next call. */
static const clearances *clearances_of(scripted *s)
{
    static clearances kept;
    int               params[MAX_PARAMS];
    for (int i = 0; i < s->size.params; i++) params[i] = i;
    kept.params = s->size.params;
    kept.count = 0;
    if (saltus_run_clearances(s->run, params, s->size.params, keep_clearance, &kept, &s->err))
        fail_msg("%s", s->err.message);
    return &kept;
}

/* The only clearance with this text, or -1. */
static int find(const clearances *all, const char *text)
{
    for (int i = 0; i < all->count; i++)
        if (!strcmp(all->text[i], text)) return i;
    return -1;
}

static int get(const clearances *all, const char *text)
{
    const int i = find(all, text);
    if (i >= 0) return i;
    for (int k = 0; k < all->count; k++)
        print_message("%s: %s at t = %.10g, %.10g\n", saltus_clearance_kind_name(all->one[k].kind),
                      all->text[k], all->one[k].t, all->one[k].value);
    fail_msg("no clearance '%s'", text);
    return -1;
}

/* The derivatives of this clearance equal differences of its value over simulations. */
static void expect_differences(scripted *s, const char *text, double allowed)
{
    double            value[MAX_PARAMS], exact[MAX_PARAMS];
    const clearances *all = clearances_of(s);
    memcpy(exact, all->gradient[get(all, text)], sizeof exact);
    for (int j = 0; j < s->size.params; j++) {
        double at[2];
        for (int i = 0; i < s->size.params; i++) value[i] = saltus_system_param(s->system, i).value;
        const double h = 1e-5 * fmax(1.0, fabs(value[j])), middle = value[j];
        for (int side = 0; side < 2; side++) {
            value[j] = side ? middle + h : middle - h;
            simulate(s, value);
            all = clearances_of(s);
            at[side] = all->one[get(all, text)].value;
        }
        const double slope = (at[1] - at[0]) / (2.0 * h);
        if (!(fabs(slope - exact[j]) <= allowed * (1.0 + fabs(slope))))
            fail_msg("%s by %s: %.12g, differences %.12g", text,
                     saltus_system_param(s->system, j).name, exact[j], slope);
    }
    simulate(s, NULL);
}

/* ---- times of events ------------------------------------------------------------------------ */

static const char *const ball = "model 'ball' local h0, e, g = param('h0', 1), param('e', 0.8), "
                                "param('g', 9.81)\n"
                                "local y = coordinate('y', {start = h0}) mass(y, 1) force(y, -g)\n"
                                "event('floor', {when = y, direction = 'falling', "
                                "set = {[dot(y)] = -e * dot(y)}})\n"
                                "cost('c', {integral = y^2}) horizon(0, 2)\n";

/* The time of the k-th bounce, and its derivatives by h0, e, g. */
static double bounce(int k, double slope[3])
{
    const double h = 1.0, e = 0.8, g = 9.81, fall = sqrt(2.0 * h / g);
    double       sum = 1.0, by_e = 0.0;
    for (int j = 1; j < k; j++) {
        sum += 2.0 * pow(e, j);
        by_e += 2.0 * j * pow(e, j - 1);
    }
    slope[0] = fall * sum / (2.0 * h);
    slope[1] = fall * by_e;
    slope[2] = -fall * sum / (2.0 * g);
    return fall * sum;
}

static void expect_time(const clearances *all, const char *text, double value, const double *slope)
{
    const int i = get(all, text);
    EXPECT_NEAR(all->one[i].value, value, 1e-11);
    for (int j = 0; j < 3; j++) EXPECT_NEAR(all->gradient[i][j], slope[j], 1e-9);
}

TEST(times_between_bounces_have_their_closed_forms)
{
    scripted          s = run_to(ball, SALTUS_END);
    const clearances *all = clearances_of(&s);
    double            slope[5][3], t[5], between[3];
    for (int k = 1; k <= 4; k++) t[k] = bounce(k, slope[k]);
    expect_event_count(&s, 3);
    expect_time(all, "'floor' 1 leaves at the start", t[1], slope[1]);
    for (int j = 0; j < 3; j++) between[j] = slope[2][j] - slope[1][j];
    expect_time(all, "'floor' 1 and 'floor' 2 meet", t[2] - t[1], between);
    for (int j = 0; j < 3; j++) between[j] = slope[3][j] - slope[2][j];
    expect_time(all, "'floor' 2 and 'floor' 3 meet", t[3] - t[2], between);
    for (int j = 0; j < 3; j++) between[j] = -slope[3][j];
    expect_time(all, "'floor' 3 leaves the horizon", 2.0 - t[3], between);
    expect_time(all, "'floor' 4 enters the horizon", t[4] - 2.0, slope[4]);
    for (int i = 0; i < all->count; i++) EXPECT(all->one[i].value > 0.0);
    release(&s);
}

/* The end of the horizon may depend on parameters, and the motion after a bounce on a memory. */
TEST(the_end_of_the_horizon_moves)
{
    scripted s = run_to("model 'm' local T, k = param('T', 2), param('k', 30)\n"
                        "local w = param('w', 1.3)\n"
                        "local x = coordinate('x', {start = 0.3, speed = w})\n"
                        "local m = memory('m', 1)\n"
                        "mass(x, 1) force(x, -k * m * x)\n"
                        "event('turn', {when = x, set = {[m] = 0.9 * m}})\n"
                        "cost('c', {final = x}) horizon(0, T * k / 30)\n",
                        SALTUS_END);
    char     text[64];
    snprintf(text, sizeof text, "'turn' %d enters the horizon", s.info->events + 1);
    expect_differences(&s, text, 1e-8);
    snprintf(text, sizeof text, "'turn' %d leaves the horizon", s.info->events);
    expect_differences(&s, text, 1e-8);
    release(&s);
}

/* ---- guards that turn ----------------------------------------------------------------------- */

/* x = A cos(w t) and a wall at -b. */
static const char *const swing =
    "model 'swing' local A, w, b = param('A', 1), param('w', 3), param('b', %s)\n"
    "local x = coordinate('x', {start = A}) mass(x, 1) force(x, -w^2 * x)\n"
    "event('wall', {when = x + b, direction = 'falling', set = {[dot(x)] = -0.5 * dot(x)}})\n"
    "cost('c', {integral = x^2}) horizon(0, 1.5)\n";

static scripted swing_to(const char *wall)
{
    char text[600];
    snprintf(text, sizeof text, swing, wall);
    return run_to(text, SALTUS_END);
}

static void expect_turn(const clearances *all, const char *text, saltus_clearance_kind kind,
                        double value, double by_a)
{
    const int i = get(all, text);
    EXPECT(all->one[i].kind == kind);
    EXPECT_NEAR(all->one[i].t, acos(-1.0) / 3.0, 1e-6);
    EXPECT_NEAR(all->one[i].value, value, 1e-10);
    EXPECT_NEAR(all->gradient[i][0], by_a, 1e-9);
    EXPECT_NEAR(all->gradient[i][1], 0.0, 1e-6);
    EXPECT_NEAR(all->gradient[i][2], -by_a, 1e-9);
}

TEST(a_guard_that_turns_before_zero_is_a_near_miss)
{
    scripted          s = swing_to("1.01");
    const clearances *all = clearances_of(&s);
    expect_event_count(&s, 0);
    expect_turn(all, "'wall' is touched at t = 1.0472", SALTUS_CLEAR_MISS, 0.01, -1.0);
    EXPECT(all->count == 1);
    release(&s);
}

TEST(an_event_vanishes_where_its_guard_would_turn_back)
{
    scripted          s = swing_to("0.9");
    const clearances *all = clearances_of(&s);
    expect_event_count(&s, 1);
    expect_turn(all, "'wall' 1 is missed", SALTUS_CLEAR_VANISH, 0.1, 1.0);
    release(&s);
}

/* A pendulum that is bounced by two walls: all clearances against differences. */
TEST(all_clearances_of_a_driven_pendulum_agree_with_differences)
{
    scripted s = run_to(
        "model 'p' local l, u, d = param('l', 1.1), param('u', 2.5), param('d', 0.8)\n"
        "local a = coordinate('a', {start = 0.4, speed = u}) mass(a, l^2)\n"
        "force(a, -9.81 * l * sin(a) + 0.5 * cos(2 * t) - 0.05 * dot(a))\n"
        "local e = event\n"
        "e('right', {when = a - d, direction = 'rising', set = {[dot(a)] = -0.7 * dot(a)}})\n"
        "e('left', {when = a + 0.55, direction = 'falling', where = {14 - t * u},\n"
        "  set = {[dot(a)] = -0.9 * dot(a)}})\n"
        "e('up', {when = dot(a) - 0.6 * u, direction = 'rising'})\n"
        "cost('c', {integral = a^2}) horizon(0, 3 + u / 10)\n",
        SALTUS_END);
    const clearances *all = clearances_of(&s);
    char              text[MAX_CLEARANCES][256];
    const int         count = all->count;
    int               kinds[7] = {0};
    for (int i = 0; i < count; i++) {
        snprintf(text[i], sizeof text[i], "%s", all->text[i]);
        kinds[all->one[i].kind]++;
    }
    EXPECT(kinds[SALTUS_CLEAR_SWAP] > 0 && kinds[SALTUS_CLEAR_LEAVE] == 2);
    EXPECT(kinds[SALTUS_CLEAR_ENTER] > 1 && kinds[SALTUS_CLEAR_VANISH] > 0);
    EXPECT(kinds[SALTUS_CLEAR_CONDITION] > 0);
    for (int i = 0; i < count; i++)
        if (!strstr(text[i], "touched")) expect_differences(&s, text[i], 2e-7);
    release(&s);
}

/* ---- conditions, and events that others prevent --------------------------------------------- */

TEST(a_condition_moves_with_the_time_of_its_event)
{
    scripted s = run_to("model 'm' local h, g, u = param('h', 1), param('g', 10), param('u', 2)\n"
                        "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -g)\n"
                        "local x = coordinate('x', {speed = u}) mass(x, 1)\n"
                        "event('floor', {when = y, direction = 'falling', where = {1 - x},\n"
                        "  set = {[dot(y)] = -0.1 * dot(y)}})\n"
                        "cost('c', {final = x}) horizon(0, 0.5)\n",
                        SALTUS_END);
    const clearances *all = clearances_of(&s);
    const double      tau = sqrt(0.2);
    const int         i = get(all, "a condition of 'floor' 1 changes");
    EXPECT_NEAR(all->one[i].value, 1.0 - 2.0 * tau, 1e-12);
    EXPECT_NEAR(all->gradient[i][0], -2.0 * tau / 2.0, 1e-11);
    EXPECT_NEAR(all->gradient[i][1], 2.0 * tau / 20.0, 1e-11);
    EXPECT_NEAR(all->gradient[i][2], -tau, 1e-11);
    release(&s);
}

TEST(an_event_that_another_prevents_may_come_first)
{
    scripted s =
        run_to("model 'm' local a, b, w = param('a', 1), param('b', 1.5), param('w', 1.2)\n"
               "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
               "local y = coordinate('y', {speed = w}) mass(y, 1)\n"
               "event('gate', {when = x - a, direction = 'rising', "
               "set = {[dot(y)] = -1}})\n"
               "event('goal', {when = y - b, direction = 'rising'})\n"
               "cost('c', {final = y}) horizon(0, 2)\n",
               SALTUS_END);
    const clearances *all = clearances_of(&s);
    const int         i = get(all, "'goal' happens before 'gate' 1");
    EXPECT(all->one[i].kind == SALTUS_CLEAR_ENTER && all->one[i].first == 0);
    EXPECT_NEAR(all->one[i].value, 1.5 / 1.2 - 1.0, 1e-12);
    EXPECT_NEAR(all->gradient[i][0], -1.0, 1e-11);
    EXPECT_NEAR(all->gradient[i][1], 1.0 / 1.2, 1e-11);
    EXPECT_NEAR(all->gradient[i][2], -1.5 / 1.44, 1e-11);
    release(&s);
}

/* ---- the reach of one parameter ------------------------------------------------------------- */

static void expect_ends(const saltus_trust *trust, double lower, double upper, const char *below,
                        const char *above)
{
    EXPECT_NEAR(trust->lower, lower, 1e-10);
    EXPECT_NEAR(trust->upper, upper, 1e-10);
    EXPECT_TEXT(trust->lower_end, below);
    EXPECT_TEXT(trust->upper_end, above);
}

/* With T = 2, bounce k is at the end if fall (1 + 2 e + ... + 2 e^(k-1)) = 2. */
TEST(the_events_of_a_ball_hold_between_closed_forms)
{
    scripted     s = run_to(ball, SALTUS_END);
    saltus_trust trust[3];
    const double c = cost_value(&s, "c"), three = 1.0 + 1.6 + 1.28, four = three + 1.024;
    const double low = 9.81 / 2.0 * pow(2.0 / four, 2), high = 9.81 / 2.0 * pow(2.0 / three, 2);
    const char  *enters = "'floor' 4 enters the horizon", *leaves = "'floor' 3 leaves the horizon";
    if (saltus_run_trust(s.run, NULL, 0, trust, &s.err)) fail_msg("%s", s.err.message);
    expect_ends(&trust[0], low, high, enters, leaves);
    expect_ends(&trust[1], 0.745289901417444, 0.901685934521357, enters, leaves);
    expect_ends(&trust[2], 9.81 / high, 9.81 / low, leaves, enters);
    /* to first order as the text of the problem has it */
    EXPECT_NEAR(trust[0].lower_estimate, 0.8065, 5e-5);
    EXPECT_NEAR(trust[0].upper_estimate, 1.2832, 5e-5);
    EXPECT(cost_value(&s, "c") == c);
    release(&s);
}

/* A wall that is just reached, just missed, and a parameter that has a bound, or no effect. */
TEST(the_reach_ends_where_a_wall_is_touched_or_at_a_bound)
{
    saltus_trust trust[4];
    scripted     s = run_to(
            "model 'm' local A, b = param('A', 1), param('b', 0.9, {lower = 0.5})\n"
                "local w, idle = param('w', 3), param('idle', 1)\n"
                "local x = coordinate('x', {start = A}) mass(x, 1) force(x, -w^2 * x + 0 * idle)\n"
                "event('wall', {when = x + b, direction = 'falling', set = {[dot(x)] = -0.5 * dot(x)}})\n"
                "cost('c', {integral = idle * x^2}) horizon(0, 1.5)\n",
            SALTUS_END);
    if (saltus_run_trust(s.run, NULL, 0, trust, &s.err)) fail_msg("%s", s.err.message);
    EXPECT_NEAR(trust[0].lower, 0.9, 1e-9);
    EXPECT_TEXT(trust[0].lower_end, "'wall' 1 is missed");
    EXPECT(trust[1].lower == 0.5);
    EXPECT_TEXT(trust[1].lower_end, "the bound of the parameter");
    EXPECT_NEAR(trust[1].upper, 1.0, 1e-9);
    EXPECT(trust[3].lower == -INFINITY && trust[3].upper == INFINITY);
    EXPECT_TEXT(trust[3].upper_end, "");
    release(&s);
}

/* ---- samples, nodes and peaks --------------------------------------------------------------- */

/* A ball whose first bounce is at sqrt(2 h / g), near samples at 0.4 and at s, and near nodes of a
 * control at 0.25 and 0.5. */
static const char *const sampled =
    "model 'sampled' local h, s = param('h', 1), param('s', 0.5)\n"
    "local y, x = coordinate('y', {start = h}), coordinate('x')\n"
    "mass(y, 1) mass(x, 1) force(y, -9.81)\n"
    "force(x, control('u', {nodes = 4}) * y)\n"
    "event('floor', {when = y, direction = 'falling', restitution = 0.9})\n"
    "cost('near', {at = {0.4, s, 0.9}, of = y^2})\n"
    "cost('end', {final = x})\n"
    "horizon(0, 1)\n";

TEST(an_event_may_meet_a_sample_or_a_node)
{
    scripted          s = run_to(sampled, SALTUS_END);
    const clearances *all = clearances_of(&s);
    const double      tau = sqrt(2.0 / 9.81);
    double            samples[2] = {NAN, NAN}, nodes[2] = {NAN, NAN};
    for (int i = 0; i < all->count; i++) {
        const saltus_clearance *c = &all->one[i];
        const int               node = c->kind == SALTUS_CLEAR_NODE;
        if (c->kind != SALTUS_CLEAR_SAMPLE && !node) continue;
        const int later = c->t > tau, moves = !node && later;
        EXPECT_TEXT(all->text[i],
                    node ? "'floor' 1 meets a node of a control" : "'floor' 1 meets a sample");
        *(node ? &nodes[later] : &samples[later]) = c->value;
        EXPECT(c->first == 0 && c->cost == -1);
        EXPECT_NEAR(all->gradient[i][0], (later ? -0.5 : 0.5) * tau, 1e-10);
        EXPECT_NEAR(all->gradient[i][1], moves ? 1.0 : 0.0, 1e-12);
    }
    EXPECT_NEAR(samples[0], tau - 0.4, 1e-11);
    EXPECT_NEAR(samples[1], 0.5 - tau, 1e-11);
    EXPECT_NEAR(nodes[0], tau - 0.25, 1e-11);
    EXPECT_NEAR(nodes[1], 0.5 - tau, 1e-11);
    release(&s);
}

/* The events hold as long as the bounce stays between the samples: 9.81 0.4^2 / 2 < h, and s is
 * after the bounce. Beyond s, the node is next. */
TEST(the_reach_ends_where_a_sample_is_met)
{
    const int    params[] = {0, 1};
    saltus_trust trust[2];
    scripted     s = load(sampled);
    double       values[] = {1.0, 0.48, 0.0, 0.0, 0.0, 0.0};
    simulate(&s, values);
    if (saltus_run_trust(s.run, params, 2, trust, &s.err)) fail_msg("%s", s.err.message);
    EXPECT_NEAR(trust[0].lower, 0.5 * 9.81 * 0.16, 1e-8);
    EXPECT_NEAR(trust[0].upper, 0.5 * 9.81 * 0.48 * 0.48, 1e-8);
    EXPECT_TEXT(trust[0].lower_end, "'floor' 1 meets a sample");
    EXPECT_TEXT(trust[0].upper_end, "'floor' 1 meets a sample");
    EXPECT_NEAR(trust[1].lower, sqrt(2.0 / 9.81), 1e-8);
    values[1] = 0.7;
    simulate(&s, values);
    if (saltus_run_trust(s.run, params, 1, trust, &s.err)) fail_msg("%s", s.err.message);
    EXPECT_NEAR(trust[0].upper, 0.5 * 9.81 * 0.25, 1e-8);
    EXPECT_TEXT(trust[0].upper_end, "'floor' 1 meets a node of a control");
    release(&s);
}

/* The rise after the first bounce is e^2 h, the drop begins at h: the larger is h as long as e is
 * below one. Derivatives are those of both. */
TEST(peaks_have_a_distance)
{
    scripted          s = run_to("model 'ball' local h, e = param('h', 1), param('e', 0.9)\n"
                                          "local y = coordinate('y', {start = h}) mass(y, 1) force(y, -9.81)\n"
                                          "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                                          "cost('top', {max = y}) cost('low', {min = -2 * y}) horizon(0, 1.2)\n",
                                 SALTUS_END);
    const clearances *all = clearances_of(&s);
    int               found = 0;
    for (int i = 0; i < all->count; i++) {
        const double by = all->one[i].cost == cost(&s, "low") ? 2.0 : 1.0;
        if (all->one[i].kind != SALTUS_CLEAR_PEAK || !strstr(all->text[i], "0.8578")) continue;
        EXPECT_NEAR(all->one[i].value, by * 0.19, 1e-10);
        EXPECT_NEAR(all->gradient[i][0], by * 0.19, 1e-9);
        EXPECT_NEAR(all->gradient[i][1], -by * 1.8, 1e-9);
        EXPECT(all->one[i].event == -1);
        found++;
    }
    EXPECT(found == 2);
    release(&s);
}

/* ---- the call ------------------------------------------------------------------------------- */

/* All models that run to their end: clearances are positive, and there are as many as events. */
TEST(all_models_have_clearances)
{
    for (const char *const *name = all_models(); *name; name++) {
        scripted s = load_model(*name);
        s.options.rtol = s.options.atol = 1e-8;
        s.options.backend = SALTUS_INTERP;
        simulate(&s, NULL);
        saltus_error err = {0};
        clearances   kept = {.params = 0};
        if (s.info->events <= 24)
            saltus_run_clearances(s.run, NULL, 0, keep_clearance, &kept, &err);
        if (err.status && err.status != SALTUS_ERR_GRAZING &&
            err.status != SALTUS_ERR_NO_GRADIENT && err.status != SALTUS_ERR_UNFINISHED)
            fail_msg("%s: %s", *name, err.message);
        for (int i = 0; i < kept.count; i++)
            if (!(kept.one[i].value >= -1e-9))
                fail_msg("%s: %s is %.3g", *name, kept.text[i], kept.one[i].value);
        release(&s);
    }
}

/* The call leaves the last simulation alone, and an interrupted one has no clearances. */
TEST(the_simulation_stays_as_it_is)
{
    scripted          s = run_to(ball, SALTUS_END);
    const double      c = cost_value(&s, "c"), by_e = gradient(&s, SALTUS_DISCRETE, "c", "e");
    const clearances *all = clearances_of(&s);
    const int         count = all->count;
    const double      value = all->one[0].value;
    EXPECT(cost_value(&s, "c") == c && gradient(&s, SALTUS_DISCRETE, "c", "e") == by_e);
    all = clearances_of(&s);
    EXPECT(all->count == count && all->one[0].value == value);
    expect_event_count(&s, 3);
    release(&s);
}

TEST_MAIN(RUN(times_between_bounces_have_their_closed_forms), RUN(the_end_of_the_horizon_moves),
          RUN(a_guard_that_turns_before_zero_is_a_near_miss),
          RUN(an_event_vanishes_where_its_guard_would_turn_back),
          RUN(all_clearances_of_a_driven_pendulum_agree_with_differences),
          RUN(a_condition_moves_with_the_time_of_its_event),
          RUN(an_event_that_another_prevents_may_come_first), RUN(all_models_have_clearances),
          RUN(the_events_of_a_ball_hold_between_closed_forms),
          RUN(the_reach_ends_where_a_wall_is_touched_or_at_a_bound),
          RUN(the_simulation_stays_as_it_is), RUN(an_event_may_meet_a_sample_or_a_node),
          RUN(the_reach_ends_where_a_sample_is_met), RUN(peaks_have_a_distance))
