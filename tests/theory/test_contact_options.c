/* Contacts: what they keep for themselves stays hidden, and the two laws of impacts. */
#include "twins.h"

/* ---- memories ------------------------------------------------------------------------------- */

#define FALLING                                                                                    \
    "local e = param('e', 0.5)\n"                                                                  \
    "local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -9.81)\n"
#define FLOOR "contact {gap = y, restitution = e, rest = true, name = 'floor'}\n"
#define COUNTER "local k = memory('k', 3) event('tick', {when = t - 0.7, set = {[k] = k + y}})\n"

TEST(memories_of_contacts_are_not_among_those_of_the_model)
{
    scripted s = run_to(FALLING FLOOR COUNTER
                        "contact {gap = 2 - y, restitution = e, rest = true, name = 'top'}\n"
                        "local m = memory('m', 4)\n"
                        "cost('c', {final = k + y + 2 * m}) horizon(0, 0.8)\n",
                        SALTUS_END);
    EXPECT(s.size.memories == 2);
    EXPECT_TEXT(saltus_system_memory(s.system, 0).name, "k");
    EXPECT_TEXT(saltus_system_memory(s.system, 1).name, "m");
    EXPECT_TEXT(saltus_system_memory(s.system, 2).name, "");
    EXPECT_NEAR(saltus_system_memory_start(s.system, 1).start_value, 4.0, 0.0);
    EXPECT(isnan(saltus_system_memory_start(s.system, 2).start_value));
    /* the height at 0.7, after a bounce at sqrt(2 / 9.81) with half of the speed */
    const double hit = sqrt(2.0 / 9.81), up = 0.5 * 9.81 * hit, flight = 0.7 - hit;
    const double height = up * flight - 0.5 * 9.81 * flight * flight;
    EXPECT_NEAR(final_row(&s).c[0], 3.0 + height, 1e-10);
    EXPECT_NEAR(final_row(&s).c[1], 4.0, 0.0);
    const int    columns = saltus_system_columns(s.system);
    const double at = 0.75;
    double       row[16];
    EXPECT(columns == 3 + 2 + 2 + 1); /* q, v, a; two constraints; two memories; a cost */
    EXPECT(saltus_run_sample(s.run, &at, 1, row, &s.err) == SALTUS_OK);
    EXPECT_NEAR(row[5], 3.0 + height, 1e-10);
    int rows, all;
    EXPECT(saltus_run_jump_matrix(s.run, 0, &rows, &all, NULL, &s.err) == SALTUS_OK);
    EXPECT(rows == 2 + 2 + 1);
    expect_gradient(&s, "c", "e", 9.81 * hit * (0.7 - hit) + 9.81 * hit * (0.8 - hit), 1e-8);
    release(&s);
}

TEST(the_place_of_a_memory_does_not_matter)
{
    static const char end[] = "cost('c', {final = k * y + k}) horizon(0, 1.6)\n";
    char              first[1024], last[1024];
    snprintf(first, sizeof first, FALLING COUNTER FLOOR "%s", end);
    snprintf(last, sizeof last, FALLING FLOOR COUNTER "%s", end);
    scripted a = run_to(first, SALTUS_END), b = run_to(last, SALTUS_END);
    EXPECT(cost_value(&a, "c") == cost_value(&b, "c"));
    EXPECT(gradient(&a, SALTUS_DIRECT, "c", "e") == gradient(&b, SALTUS_DIRECT, "c", "e"));
    release(&a);
    release(&b);
}

/* ---- laws of impacts ------------------------------------------------------------------------ */

/* Three balls in a row; the last two touch. */
#define ROW_OF_BALLS                                                                               \
    "local e = param('e', 0.9)\n"                                                                  \
    "local a = coordinate('a', {start = -0.5, speed = 1}) mass(a, 1)\n"                            \
    "local b = coordinate('b') mass(b, 1)\n"                                                       \
    "local c = coordinate('c') mass(c, 1)\n"
#define FIRST_PAIR "contact {gap = b - a, restitution = e, name = 'ab'}\n"
#define SECOND_PAIR "contact {gap = c - b, restitution = e, name = 'bc'}\n"
#define SPEEDS                                                                                     \
    "cost('va', {final = dot(a)}) cost('vb', {final = dot(b)}) cost('vc', {final = dot(c)})\n"     \
    "horizon(0, 0.6)\n"

static scripted run_with(const char *script, const char *impacts)
{
    scripted s = load(script);
    if (saltus_options_set(&s.options, "impacts", impacts, &s.err)) fail_msg("%s", s.err.message);
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    return s;
}

static void expect_speeds(scripted *s, double a, double b, double c)
{
    EXPECT_NEAR(cost_value(s, "va"), a, 1e-10);
    EXPECT_NEAR(cost_value(s, "vb"), b, 1e-10);
    EXPECT_NEAR(cost_value(s, "vc"), c, 1e-10);
}

TEST(a_row_of_balls_has_the_closed_form_of_each_law)
{
    const double e = 0.9, k = 0.5 * (1.0 + e), l = 0.5 * (1.0 - e);
    scripted     s = run_with(ROW_OF_BALLS FIRST_PAIR SECOND_PAIR SPEEDS, "one-by-one");
    /* the blow goes through the row; then the first ball catches up with the second once more */
    expect_speeds(&s, l - k * l * l, k * l + k * l * l, k * k);
    expect_gradient(&s, "vc", "e", k, 1e-9);
    release(&s);
    s = run_with(ROW_OF_BALLS FIRST_PAIR SECOND_PAIR SPEEDS, "together");
    /* both of the last two leave with (1 + e) / 3 of the momentum */
    expect_speeds(&s, (1.0 - 2.0 * e) / 3.0, (1.0 + e) / 3.0, (1.0 + e) / 3.0);
    expect_gradient(&s, "vc", "e", 1.0 / 3.0, 1e-9);
    release(&s);
}

TEST(the_order_of_contacts_in_the_script_does_not_matter)
{
    static const char *const laws[] = {"together", "one by one", "one-by-one"};
    for (int i = 0; i < 3; i++) {
        scripted a = run_with(ROW_OF_BALLS FIRST_PAIR SECOND_PAIR SPEEDS, laws[i]);
        scripted b = run_with(ROW_OF_BALLS SECOND_PAIR FIRST_PAIR SPEEDS, laws[i]);
        expect_speeds(&b, cost_value(&a, "va"), cost_value(&a, "vb"), cost_value(&a, "vc"));
        release(&a);
        release(&b);
    }
}

TEST(with_single_impacts_both_laws_are_the_same)
{
    static const char *const costs[] = {"va", "vb", "vc"};
    static const char        script[] =
        "local e = param('e', 0.9)\n"
        "local a = coordinate('a', {start = -0.5, speed = 1}) mass(a, 1)\n"
        "local b = coordinate('b') mass(b, 1)\n"
        "local c = coordinate('c', {start = 0.01}) mass(c, 1)\n" FIRST_PAIR SECOND_PAIR SPEEDS;
    scripted a = run_with(script, "together"), b = run_with(script, "one by one");
    EXPECT(a.info->events >= 2);
    EXPECT(a.info->events == b.info->events);
    for (int i = 0; i < 3; i++) {
        EXPECT(cost_value(&a, costs[i]) == cost_value(&b, costs[i]));
        EXPECT(gradient(&a, SALTUS_DISCRETE, costs[i], "e") ==
               gradient(&b, SALTUS_DISCRETE, costs[i], "e"));
    }
    release(&a);
    release(&b);
}

TEST(laws_of_impacts_have_names)
{
    char           text[32];
    saltus_error   err = {0};
    saltus_options options = saltus_options_default();
    EXPECT_TEXT(saltus_options_get(&options, "impacts", text), "together");
    EXPECT(saltus_options_set(&options, "impacts", "one by one", &err) == SALTUS_OK);
    EXPECT(options.impacts == SALTUS_ONE_BY_ONE);
    EXPECT_TEXT(saltus_options_get(&options, "impacts", text), "one-by-one");
    EXPECT(saltus_options_set(&options, "impacts", text, &err) == SALTUS_OK);
    EXPECT(saltus_options_set(&options, "impacts", "none", &err) == SALTUS_ERR_ARGUMENT);
    EXPECT_TEXT(err.message, "impacts is together or one-by-one, not 'none'");
}

/* All blows are at one instant. Where on its last step the first one was found, and how far from
 * zero its gap is there, depends on the steps; the order of the others does not. */
TEST(steps_do_not_change_the_order_of_blows_in_a_cradle)
{
    static const char *const order[] = {"1-2", "2-3", "1-2", "3-4", "2-3",
                                        "1-2", "4-5", "3-4", "2-3", "1-2"};
    const int                count = (int)(sizeof order / sizeof *order);
    for (int k = 0; k < 40; k++) {
        scripted s = load_model("cradle5");
        s.options.rtol = s.options.atol = 1e-9;
        s.options.max_step = 0.013 + 2.7e-5 * k;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        EXPECT(s.info->events == count);
        for (int i = 0; i < count; i++) EXPECT_TEXT(saltus_run_event(s.run, i).name, order[i]);
        release(&s);
    }
}

/* ---- a toy ----------------------------------------------------------------------------------- */

/* The times of the last blows of the beak. */
static int last_blows(const scripted *s, double *t, int count)
{
    int found = 0;
    for (int i = s->info->events - 1; i >= 0 && found < count; i--) {
        const saltus_occurrence o = saltus_run_event(s->run, i);
        if (strcmp(o.name, "beak") == 0) t[found++] = o.t;
    }
    return found;
}

TEST(the_woodpecker_falls_onto_its_cycle)
{
    static const saltus_integrator integrators[] = {SALTUS_DOP853, SALTUS_DOPRI5};
    double                         period[2];
    for (int i = 0; i < 2; i++) {
        double   t[3];
        scripted s = load_model("woodpecker");
        s.options.rtol = s.options.atol = 1e-11;
        s.options.integrator = integrators[i];
        s.options.t_end = 6.0;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        EXPECT(last_blows(&s, t, 3) == 3);
        EXPECT_NEAR(t[0] - t[1], t[1] - t[2], 1e-5);
        period[i] = t[0] - t[1];
        release(&s);
    }
    EXPECT_NEAR(period[0], 0.146, 5e-4); /* as published */
    EXPECT_NEAR(period[0], period[1], 1e-8);
}

/* The second constraint repeats the first one while the contact is closed from the start on: the
 * regime in which it does not act is met only where modes are looked for. */
TEST(a_repeated_constraint_does_not_hide_friction_that_holds_at_the_start)
{
    scripted s = load("model 't'\n"
                      "local k = param('k', 1)\n"
                      "local x, y, z = coordinate('x'), coordinate('y'), coordinate('z')\n"
                      "local w = coordinate('w')\n"
                      "mass(x, 1) mass(y, 1) mass(z, 1) mass(w, 1)\n"
                      "force(x, 1) force(z, -1) force(w, 0.1)\n"
                      "constraint('one', x - y)\n"
                      "constraint('two', x - k * y)\n"
                      "contact {gap = z, slip = dot(w), friction = 0.5, name = 'floor',\n"
                      "         start = 'closed'}\n"
                      "cost('way', {final = x})\n"
                      "cost('slid', {final = w})\n"
                      "horizon(0, 1)\n");
    /* with k = 2 both constraints are needed, and hold x at zero */
    const double k[] = {1.0, 2.0, 1.0}, way[] = {0.25, 0.0, 0.25};
    for (int i = 0; i < 3; i++) {
        double cost[2] = {NAN, NAN};
        simulate(&s, &k[i]);
        saltus_run_costs(s.run, cost, &s.err);
        EXPECT_NEAR(cost[0], way[i], 1e-10);
        EXPECT_NEAR(cost[1], 0.0, 1e-10);
    }
    release(&s);
}

TEST_MAIN(RUN(a_repeated_constraint_does_not_hide_friction_that_holds_at_the_start),
          RUN(the_woodpecker_falls_onto_its_cycle),
          RUN(memories_of_contacts_are_not_among_those_of_the_model),
          RUN(the_place_of_a_memory_does_not_matter),
          RUN(a_row_of_balls_has_the_closed_form_of_each_law),
          RUN(the_order_of_contacts_in_the_script_does_not_matter),
          RUN(steps_do_not_change_the_order_of_blows_in_a_cradle),
          RUN(with_single_impacts_both_laws_are_the_same), RUN(laws_of_impacts_have_names))
