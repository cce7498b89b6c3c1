/* What step lengths promise: quantities of every size, features of every width, long runs, many
 * coordinates; all against closed forms. */
#include <saltus/saltus.h>

#include "test.h"

typedef struct subject {
    saltus_error           err;
    saltus_system         *system;
    saltus_options         options;
    saltus_run            *run;
    const saltus_run_info *info;
} subject;

static subject compile(const char *script)
{
    subject       s = {0};
    saltus_model *model =
        saltus_model_load_text("script.lua", script, strlen(script), NULL, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status) fail_msg("line %d: %s\nin the script:\n%s", s.err.line, s.err.message, script);
    s.options = saltus_system_options(s.system);
    return s;
}

static void go(subject *s)
{
    if (!s->run) s->run = saltus_run_new(s->system, &s->options, &s->err);
    saltus_run_simulate(s->run, NULL, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    s->info = saltus_run_get_info(s->run);
}

static void drop(subject *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
}

static double cost_of(subject *s, const char *name)
{
    double    value[8];
    const int index = saltus_system_find_cost(s->system, name);
    if (index < 0) fail_msg("no cost %s", name);
    assert_true(saltus_system_size(s->system).costs <= 8);
    saltus_run_costs(s->run, value, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    return value[index];
}

/* ---- many coordinates ----------------------------------------------------------------------- */

TEST(coordinates_at_rest_do_not_hide_the_error_of_one_that_moves)
{
    UNUSED_STATE;
    static const int idle[] = {0, 30, 1000};
    for (int i = 0; i < 3; i++)
        for (int integrator = 0; integrator < 2; integrator++) {
            char script[512];
            snprintf(script, sizeof script,
                     "local x = coordinate('x', {start = 1})\n"
                     "mass(x, 1) force(x, -x)\n"
                     "for i = 1, %d do local y = coordinate('y' .. i) mass(y, 1) force(y, -y) end\n"
                     "cost('x', {final = x}) cost('v', {final = dot(x)})\n"
                     "horizon(0, 20)",
                     idle[i]);
            subject s = compile(script);
            s.options.integrator = (saltus_integrator)integrator;
            go(&s);
            EXPECT_NEAR(cost_of(&s, "x"), cos(20.0), 2e-8);
            EXPECT_NEAR(cost_of(&s, "v"), -sin(20.0), 2e-8);
            drop(&s);
        }
}

TEST_MAIN(RUN(coordinates_at_rest_do_not_hide_the_error_of_one_that_moves))
