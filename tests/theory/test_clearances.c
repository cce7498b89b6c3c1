/* Clearances: how far a motion is from another sequence of events, with derivatives. */
#include "scripted.h"

enum { MAX_CLEARANCES = 64 };

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
    UNUSED_STATE;
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
    UNUSED_STATE;
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

/* The call leaves the last simulation alone, and an interrupted one has no clearances. */
TEST(the_simulation_stays_as_it_is)
{
    UNUSED_STATE;
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
          RUN(the_simulation_stays_as_it_is))
