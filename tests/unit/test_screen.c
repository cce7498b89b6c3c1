/* What the screen says of guards in one step: nothing that crosses may be called clear, and what is
 * plain to see need not be searched. */
#include "test.h"

#include "locate/fast/screen.h"
#include "run/run.h"
#include "saltus/saltus.h"

/* A point that moves along y with an acceleration, mostly constant; guards are formulas in y. */
typedef struct flight {
    saltus_system *system;
    saltus_run    *run;
} flight;

static flight fly_by(const char *acceleration, const char *guard)
{
    saltus_error err = {0};
    flight       f;
    char         script[512];
    snprintf(script, sizeof script,
             "local y = coordinate('y', {start = 100})\n"
             "mass(y, 1) force(y, %s)\n"
             "event('guard', {when = %s, direction = 'falling', set = {[dot(y)] = 0}})\n"
             "cost('c', {final = y})\n"
             "horizon(0, 1e-3)\n",
             acceleration, guard);
    saltus_model *model = saltus_model_load_text("f.lua", script, strlen(script), NULL, &err);
    f.system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    f.run = saltus_run_new(f.system, NULL, &err);
    saltus_run_simulate(f.run, NULL, &err);
    if (err.status) fail_msg("%s: %s", guard, err.message);
    return f;
}

static flight fly(double acceleration, const char *guard)
{
    char text[32];
    snprintf(text, sizeof text, "%g", acceleration);
    return fly_by(text, guard);
}

static void land(flight *f)
{
    saltus_run_free(f->run);
    saltus_system_free(f->system);
}

typedef enum answer { UNSURE, CLEAR, SIMPLE } answer;

/* The screen of a step from (y, v), watched from the side of 1. UNSURE: the step must be searched.
 * CLEAR: nothing happens. SIMPLE: the guard crosses. */
static answer screen(flight *f, double y, double v, double h)
{
    sal_step *step = &f->run->motion.step;
    f->run->cursor.watch[0] = (sal_guard_state){.side = 1, .scale = 1.0};
    step->x0[0] = y;
    step->x0[1] = v;
    assert_int_equal(sal_step_first(step, 0.0), 0);
    assert_int_equal(sal_step_take(step, h), 0);
    assert_int_equal(sal_step_end(step), 0);
    sal_locator_forget(&f->run->locator);
    unsigned char found = 0;
    sal_crossing  crossing;
    if (!sal_screen_find(&f->run->locator, step, &found, &crossing)) return UNSURE;
    return found ? SIMPLE : CLEAR;
}

/* The motion from (y, v) in a step of length 1, the guard y itself. */
TEST(what_stays_away_from_zero_is_clear)
{
    flight f = fly(2.0, "y");
    assert_int_equal(screen(&f, 5.0, 1.0, 1.0), CLEAR);
    assert_int_equal(screen(&f, 5.0, -1.0, 1.0), CLEAR);
    assert_int_equal(screen(&f, 0.35, -1.0, 1.0), CLEAR); /* down to 0.1 and up again */
    land(&f);
}

TEST(one_crossing_is_simple_and_about_where_it_is)
{
    flight f = fly(-2.0, "y");
    for (double zero = 0.15; zero < 0.9; zero += 0.1) {
        const double y = zero * zero - 0.3 * zero; /* y + 0.3 t - t^2 is 0 there */
        if (y <= 0.0) continue;
        assert_int_equal(screen(&f, y, 0.3, 1.0), SIMPLE);
        EXPECT_NEAR(f.run->locator.screen->guess[0], zero, 1e-6);
    }
    land(&f);
}

/* y = (t - 1/2)^2 + depth */
TEST(a_double_root_inside_a_step_is_never_clear)
{
    flight f = fly(2.0, "y");
    assert_int_equal(screen(&f, 0.25, -1.0, 1.0), UNSURE);
    for (double depth = 1e-14; depth < 0.2; depth *= 10.0) {
        if (screen(&f, 0.25 - depth, -1.0, 1.0) != UNSURE)
            fail_msg("two crossings, %g deep, are not searched for", depth);
        const answer above = screen(&f, 0.25 + depth, -1.0, 1.0);
        if (depth > 1e-6 && above != CLEAR)
            fail_msg("a guard that stays %g above zero is not clear", depth);
    }
    land(&f);
}

TEST(what_begins_on_the_other_side_is_searched)
{
    flight f = fly(0.0, "y");
    assert_int_equal(screen(&f, -1.0, 0.1, 1.0), UNSURE);
    assert_int_equal(screen(&f, -1.0, 3.0, 1.0), UNSURE);
    land(&f);
}

/* A guard just left by its event: clear if it leaves to its side, however slowly; to be searched if
 * it goes to the other one, or begins there. */
TEST(what_leaves_zero_is_clear_if_it_does_so_fast)
{
    flight f = fly(0.0, "y");
    assert_int_equal(screen(&f, 0.0, 1.0, 1.0), CLEAR);
    assert_int_equal(screen(&f, 0.0, 1e-14, 1.0), CLEAR);
    assert_int_equal(screen(&f, -1e-9, 1.0, 1.0), UNSURE);
    assert_int_equal(screen(&f, 0.0, -1.0, 1.0), UNSURE);
    land(&f);
    f = fly(-2.0, "y"); /* up and back inside the step */
    assert_int_equal(screen(&f, 0.0, 0.5, 1.0), SIMPLE);
    EXPECT_NEAR(f.run->locator.screen->guess[0], 0.5, 1e-6);
    land(&f);
}

/* Just left by its event, so slowly that it comes back before it goes away: the cubic through the
 * ends rises all the time. */
TEST(what_leaves_zero_slowly_and_comes_back_is_not_clear)
{
    flight f = fly(0.0, "0.05 * y + 0.5 * y^3 - y^2 * (1 - y)^2"); /* -0.01 at y = 0.2 */
    assert_int_equal(screen(&f, 0.0, 1.0, 1.0), UNSURE);
    land(&f);
}

/* Values and slopes at both ends are those of the constant 1; between them the guard dips. */
TEST(a_dip_that_the_ends_do_not_show_is_not_clear)
{
    const char *const guards[] = {
        "1 - 19.2 * y^2 * (1 - y)^2",              /* down to -0.2 */
        "1 - 76.8 * y^3 * (1 - y)^3",              /* the same, flatter at the ends */
        "1 - 250 * (y * (1 - y))^2 * (y - 0.4)^2", /* two dips, of which one is below zero */
    };
    for (int i = 0; i < 3; i++) {
        flight f = fly(0.0, guards[i]);
        if (screen(&f, 0.0, 1.0, 1.0) == CLEAR) fail_msg("'%s' is clear", guards[i]);
        land(&f);
    }
}

/* The guard is the position: 1 at both ends, where it does not move; between them it dips to 1 - w,
 * in the middle, to the left, or to the right. */
TEST(a_motion_that_dips_is_not_clear)
{
    const char *const bends[] = {
        "16 * (2 - 12 * t + 12 * t^2)",
        "28.9 * (2 - 18 * t + 36 * t^2 - 20 * t^3)", /* t^2 (1 - t)^3 */
        "28.9 * (6 * t - 24 * t^2 + 20 * t^3)",      /* t^3 (1 - t)^2 */
    };
    for (int i = 0; i < 3; i++)
        for (double w = 0.05; w < 1.5; w += 0.1) {
            char force[128];
            snprintf(force, sizeof force, "-%g * %s", w, bends[i]);
            flight       f = fly_by(force, "y");
            const answer s = screen(&f, 1.0, 0.0, 1.0);
            if (w < 0.2 && s != CLEAR) fail_msg("a dip of %g is not clear", w);
            if (w > 0.95 && s == CLEAR) fail_msg("a dip of %g is clear", w);
            land(&f);
        }
}

/* What changes faster than the motion, or is no number, is left to the search. */
TEST(what_a_cubic_cannot_follow_is_searched)
{
    flight f = fly(0.0, "0.5 + sin(200 * y)");
    assert_int_equal(screen(&f, 0.0, 1.0, 1.0), UNSURE);
    land(&f);
    f = fly(0.0, "1 + sqrt((y - 0.45)^2 - 0.01)"); /* no number around y = 0.45 */
    assert_int_equal(screen(&f, 0.0, 1.0, 1.0), UNSURE);
    land(&f);
}

TEST_MAIN(RUN(what_stays_away_from_zero_is_clear),
          RUN(one_crossing_is_simple_and_about_where_it_is),
          RUN(a_double_root_inside_a_step_is_never_clear),
          RUN(what_begins_on_the_other_side_is_searched),
          RUN(what_leaves_zero_is_clear_if_it_does_so_fast),
          RUN(what_leaves_zero_slowly_and_comes_back_is_not_clear),
          RUN(a_dip_that_the_ends_do_not_show_is_not_clear), RUN(a_motion_that_dips_is_not_clear),
          RUN(what_a_cubic_cannot_follow_is_searched))
