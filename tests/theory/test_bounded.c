/* Compiling is bounded: it grows in proportion to the model, keeps to limits, and can be stopped.
 */
#include "compile/system.h"
#include "scripted.h"

/* What is nested, or there many times: N becomes a number. */
static const struct {
    const char *name, *script;
} kinds[] = {
    {"number times a sum", "local f = 0 * t for i = 1, N do f = 0.9 * f + 0.1 * sin(i * t) end "
                           "force(x, f)"},
    {"running mean", "local f = x for i = 1, N do f = f + (sin(i * x) - f) / i end force(x, f)"},
    {"filter", "local f, g = x, dot(x) for i = 1, N do f, g = f + 0.1 * g, g - 0.2 * f end "
               "force(x, 1e-3 * f)"},
    {"filter in a guard", "local f, g = x, dot(x) for i = 1, N do f, g = f + g, f - g end "
                          "event('e', {when = f + 1, stop = true})"},
    {"scaled by a parameter", "local f, p = x, param('p', 0.9) "
                              "for i = 1, N do f = p * (f + i) end force(x, 1e-9 * f)"},
    {"abs", "local e = x for i = 1, N do e = abs(e - 0.5) end force(x, -e)"},
    {"min", "local e = x for i = 1, N do e = min(e + 0.1, i * x) end force(x, -e)"},
    {"max", "local e = x for i = 1, N do e = max(0.9 * e, x - 0.01 * i) end force(x, -e)"},
    {"sign", "local e = x for i = 1, N do e = x + 0.5 * sign(e - 0.1 * i) end force(x, -e)"},
    {"atan2", "local e = x for i = 1, N do e = atan2(e, x + i) end force(x, -e)"},
    {"max in a potential", "local e = x for i = 1, N do e = max(e - 0.01, 0.1 * i * x) end "
                           "potential(1e-6 * e^2)"},
    {"abs in a kinetic energy", "local e = x for i = 1, N do e = max(e, x - i) end "
                                "kinetic(0.5 * (2 + e) * dot(x)^2)"},
    {"abs in a guard", "local e = x for i = 1, N do e = abs(e - 0.5) end "
                       "event('e', {when = e + 3, stop = true})"},
    {"abs in a cost", "local e = x for i = 1, N do e = abs(e - 0.5) end "
                      "cost('c', {integral = e^2})"},
    {"abs at the end", "local e = x for i = 1, N do e = abs(e - 0.5) end cost('c', {final = e})"},
    {"abs at the start", "local e = param('p', 0.5) for i = 1, N do e = abs(e - 0.3) end "
                         "mass(coordinate('z', {start = e}), 1)"},
    {"abs in a reset", "local e = dot(x) for i = 1, N do e = abs(e - 0.5) end "
                       "event('e', {when = x + 3, set = {[dot(x)] = e}})"},
    {"abs in a constraint", "local e = x for i = 1, N do e = abs(e - 0.5) end "
                            "constraint('c', coordinate('z', {guess = 0.2}) - 1e-3 * e)"},
    {"powers of kinks", "local e = x for i = 1, N do e = max(e + i, 0)^0.7 end force(x, -e)"},
    {"independent kinks", "local e = 0 * x for i = 1, N do e = e + abs(x - i) end force(x, -e)"},
    {"kinks in terms", "for i = 1, N do force(x, -abs(x - i)) end"},
    {"sqrt", "local e = 1 + x * x for i = 1, N do e = sqrt(e + i) end force(x, -e)"},
    {"sqrt of squares", "local e = dot(x) for i = 1, N do e = sqrt(e^2 + (i * dot(x))^2) end "
                        "force(x, -1e-9 * e * dot(x))"},
    {"hypot", "local e = dot(x) for i = 1, N do e = hypot(e, i * dot(x)) end "
              "force(x, -1e-9 * e * dot(x))"},
    {"pow", "local e = 2 + x * x for i = 1, N do e = (e + i)^0.7 end force(x, -e)"},
    {"division", "local e = 2 + x * x for i = 1, N do e = 1 / (e + i) end force(x, -e)"},
    {"sum", "local e = 0 * t for i = 1, N do e = e + i * x * sin(i * t) end force(x, -1e-6 * e)"},
    {"product", "local e = 1 + 0 * t for i = 1, N do e = e * cos(i * x) end force(x, -e)"},
    {"powers", "local e = x for i = 1, N do e = e * x end force(x, -e)"},
    {"squares", "local e = x for i = 1, N do e = 0.1 * e * e + 0.1 end force(x, -e)"},
    {"sin in a potential", "local e = x for i = 1, N do e = sin(e) end potential(e)"},
    {"dot", "local e = x for i = 1, N do e = 0.9 * e + 0.1 * sin(e) end "
            "local a = dot(e) cost('c', {integral = dot(a)^2})"},
    {"dot in a kinetic energy", "local e = x for i = 1, N do e = 0.9 * e + 0.1 * sin(e) end "
                                "kinetic(0.5 * dot(e)^2)"},
    {"nested impact", "local e = x for i = 1, N do e = 0.9 * e + 0.1 * sin(i * x) end "
                      "event('e', {when = e + 3, restitution = 0.5})"},
    {"conditions", "local w = {} for i = 1, N do w[i] = x + i end "
                   "event('e', {when = x + 3, where = w, stop = true})"},
    {"events", "for i = 1, N do event('e' .. i, {when = x - i, set = {[dot(x)] = -dot(x)}}) end"},
    {"contacts", "for i = 1, N do event('e' .. i, {when = x - i, restitution = 0.5}) end"},
    {"modes", "local m = {} for i = 1, N do m[i] = mode('m' .. i) end for i = 1, N do "
              "force(x, -i * x, {mode = m[i]}) "
              "event('e' .. i, {when = x - i, from = m[i], to = m[i % N + 1]}) end"},
    {"groups of modes", "for i = 1, N do local g = {group = 'g' .. i} "
                        "local a, b = mode('a' .. i, g), mode('b' .. i, g) "
                        "force(x, -i * x, {mode = b}) "
                        "event('e' .. i, {when = x - i, from = a, to = b}) end"},
    {"memories", "for i = 1, N do local m = memory('m' .. i, 0) "
                 "event('e' .. i, {when = x - i, set = {[m] = m + 1}}) end"},
    {"coordinates", "local left = x for i = 1, N do local z = coordinate('z' .. i) mass(z, 1) "
                    "potential((z - left)^2) left = z end"},
    {"one kinetic energy", "local k = 0 * x for i = 1, N do "
                           "k = k + 0.5 * dot(coordinate('z' .. i))^2 end kinetic(k)"},
    {"parameters", "local k = 0 * x for i = 1, N do k = k + param('p' .. i, i) * x end "
                   "force(x, -1e-6 * k)"},
    {"costs", "for i = 1, N do cost('c' .. i, {integral = i * x, final = x}) end"},
    {"outputs", "local e = x for i = 1, N do e = 0.9 * e + 0.1 * sin(x) output('o' .. i, e) end"},
    {"lengths", "for i = 1, N do potential((sqrt((x - i)^2 + (y - 1)^2) - 0.5)^2) end"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The script with N replaced. */
static void write_script(char *text, size_t size, const char *script, int n)
{
    size_t used =
        (size_t)snprintf(text, size,
                         "local x = coordinate('x', {start = 0.3, speed = 0.1}) mass(x, 1)\n"
                         "local y = coordinate('y', {start = 0.2}) mass(y, 1) horizon(0, 1e-3)\n");
    for (; *script && used + 16 < size; script++)
        used += (size_t)snprintf(text + used, size - used, *script == 'N' ? "%d" : "%c",
                                 *script == 'N' ? n : *script);
}

static saltus_model *model_of(const char *script, int n, saltus_error *err)
{
    char text[2048];
    write_script(text, sizeof text, script, n);
    return saltus_model_load_text("script.lua", text, strlen(text), NULL, err);
}

/* What it took from the script to the first steps. */
typedef struct spent {
    double visits, bytes;
} spent;

static spent compile_and_start(int kind, int n)
{
    saltus_error   err = {0};
    saltus_model  *model = model_of(kinds[kind].script, n, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) fail_msg("%s, %d times: %s", kinds[kind].name, n, err.message);
    saltus_options options = saltus_system_options(system);
    options.max_steps = 2;
    options.backend = SALTUS_INTERP;
    saltus_run *run = saltus_run_new(system, &options, &err);
    /* a motion looks at each of a thousand nested guards: too long for a sanitized test */
    if (system->kinks == 0) saltus_run_simulate(run, NULL, &err);
    if (err.status) fail_msg("%s, %d times: %s", kinds[kind].name, n, err.message);
    const spent all = {(double)system->cache->work.steps, (double)system->cache->work.bytes};
    saltus_run_free(run);
    saltus_system_free(system);
    return all;
}

enum { LEVELS = 1000 };

TEST(twice_the_model_takes_twice_the_work)
{
    for (int i = 0; i < KINDS; i++) {
        const spent half = compile_and_start(i, LEVELS / 2), all = compile_and_start(i, LEVELS);
        if (all.visits > 2.4 * half.visits || all.bytes > 2.4 * half.bytes)
            fail_msg("%s: %d levels take %g visits and %g bytes, %d take %g and %g", kinds[i].name,
                     LEVELS / 2, half.visits, half.bytes, LEVELS, all.visits, all.bytes);
        EXPECT(all.visits < 3e6);
    }
}

/* ---- limits --------------------------------------------------------------------------------- */

static const char *const nested = "local e = x for i = 1, N do e = abs(e - 0.5) end force(x, -e)";

static void expect_stopped(saltus_model *model, saltus_status status, const char *part)
{
    saltus_error   err = {0};
    saltus_system *system = saltus_system_compile(model, &err);
    EXPECT(!system && err.status == status);
    if (!strstr(err.message, part)) fail_msg("'%s' is not in '%s'", part, err.message);
    saltus_model_free(model);
}

TEST(limits_of_a_script_hold_for_compiling_too)
{
    saltus_error          err = {0};
    char                  text[2048];
    saltus_script_options options = saltus_script_options_default();
    write_script(text, sizeof text, nested, 1000);
    options.memory_limit = 8 << 20;
    expect_stopped(saltus_model_load_text("script.lua", text, strlen(text), &options, &err),
                   SALTUS_ERR_MODEL, "limit of 8 MiB");
    EXPECT(!err.status);
    saltus_model *model = model_of(nested, 1000, &err);
    saltus_model_set_compile_limits(model, 0, 100000);
    expect_stopped(model, SALTUS_ERR_MODEL, "takes too long");
}

static int stop_at_third(void *context, double t, double t_end)
{
    int *calls = context;
    EXPECT(t == 0.0 && t_end == 0.0);
    return ++*calls >= 3;
}

TEST(progress_is_called_while_compiling_and_may_end_it)
{
    saltus_error  err = {0};
    int           calls = 0;
    saltus_model *model = model_of(nested, 1000, &err);
    saltus_model_options(model)->progress = stop_at_third;
    saltus_model_options(model)->progress_context = &calls;
    expect_stopped(model, SALTUS_ERR_INTERRUPTED, "interrupted while compiling");
    EXPECT(calls == 3);
}

static int stop_after_many(void *context, double t, double t_end)
{
    int *calls = context;
    (void)t, (void)t_end;
    return ++*calls > 20;
}

/* A position that is so large that a periodic table of it is noise: the adjoint of a cost that
 * reads it has some hundred thousand steps in few steps of the motion. */
TEST(an_adjoint_of_many_steps_can_be_stopped)
{
    scripted s =
        load("local a = param('a', 0.5)\n"
             "local x = coordinate('x', {start = -9949999999999999.1, speed = 1}) mass(x, 1)\n"
             "local line = curve {x = {0, 0.5, 1}, y = {0, a, 1}, ends = 'extrapolate'}\n"
             "local bend = curve {x = {0, 0.5, 1}, y = {0, a, 1}, kind = 'cubic'}\n"
             "local wave = curve {x = {0, 0.5, 0.7, 1}, y = {0, a, 1, 0}, kind = 'periodic'}\n"
             "force(x, line(x)) cost('c', {integral = bend(x) * wave(5 * x)}) horizon(0, 1)\n");
    double gradient[1];
    int    calls = 0;
    s.options.rtol = s.options.atol = 1e-9;
    s.options.progress = stop_after_many;
    s.options.progress_context = &calls;
    simulate(&s, NULL);
    EXPECT(s.info->steps < 16 * 20);
    calls = 0;
    const saltus_request request = {.method = SALTUS_ADJOINT};
    saltus_run_gradients(s.run, &request, gradient, NULL, NULL, &s.err);
    EXPECT(s.err.status == SALTUS_ERR_INTERRUPTED && strstr(s.err.message, "of a gradient"));
    release(&s);
}

/* ---- nested kinks --------------------------------------------------------------------------- */

/* The distance to the nearest of many posts is min of min of min; each guard is a part of one
 * program. The same with a handful of posts around is compiled guard by guard. Samples are events,
 * too, and not listed: their guards are no kinks. */
static void expect_same_motion(bool sampled)
{
    double value[2], gradient[2][4];
    for (int many = 0; many < 2; many++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "local k, v = param('k', 0.5), param('v', 2)\n"
                 "local x = coordinate('x', {start = 0.1, speed = v}) mass(x, 1)\n"
                 "local e = abs(x)\n"
                 "for i = 1, %d do e = min(e, abs(x - i)) end\n"
                 "force(x, -k * e) cost('c', {integral = e^2, final = x}) horizon(0, 2)\n"
                 "cost('s', %s)",
                 many ? 300 : 6, sampled ? "{at = {0.3, 1.1}, of = x^2}" : "{final = x^2}");
        scripted s = run_to(text, SALTUS_END);
        EXPECT(s.system->event[s.system->events_shown - 1].guard.value.view == (many != 0));
        EXPECT(s.info->events >= 6);
        value[many] = cost_value(&s, "c");
        for (int m = 0; m < METHODS; m++) {
            double               of[4];
            const saltus_request request = {.method = all_methods[m]};
            saltus_run_gradients(s.run, &request, of, NULL, NULL, &s.err);
            if (s.err.status) fail_msg("%s", s.err.message);
            for (int p = 0; p < 4 && m > 0; p++)
                EXPECT_NEAR(of[p], gradient[many][p], 1e-8 * fabs(of[p]));
            memcpy(gradient[many], of, sizeof of);
        }
        release(&s);
    }
    EXPECT_NEAR(value[1], value[0], 1e-11);
    for (int p = 0; p < 4; p++) EXPECT_NEAR(gradient[1][p], gradient[0][p], 1e-9);
}

TEST(guards_that_share_a_program_give_the_same_motion) { expect_same_motion(false); }

TEST(guards_that_share_a_program_go_with_samples) { expect_same_motion(true); }

/* ---- large models --------------------------------------------------------------------------- */

TEST(many_coordinates_and_many_events_run)
{
    static const char *const scripts[] = {
        "local left for i = 1, 5000 do local z = coordinate('z' .. i, {start = i}) mass(z, 1)\n"
        "  if left then potential(50 * (z - left - 1)^2) end left = z end\n"
        "force(left, 1) horizon(0, 0.01)",
        "local x = coordinate('x', {speed = 1}) mass(x, 1)\n"
        "for i = 1, 10000 do event('e' .. i, {when = x - i / 1000, set = {[x] = x}}) end\n"
        "horizon(0, 0.0105)"};
    for (int i = 0; i < 2; i++) {
        saltus_error  err = {0};
        saltus_model *model =
            saltus_model_load_text("script.lua", scripts[i], strlen(scripts[i]), NULL, &err);
        saltus_system *system = saltus_system_compile(model, &err);
        saltus_model_free(model);
        saltus_run *run = saltus_run_new(system, NULL, &err);
        saltus_run_simulate(run, NULL, &err);
        if (err.status) fail_msg("%s", err.message);
        EXPECT(saltus_run_get_info(run)->outcome == SALTUS_END);
        EXPECT(saltus_run_get_info(run)->events == (i == 0 ? 0 : 10));
        saltus_run_free(run);
        saltus_system_free(system);
    }
}

TEST_MAIN(RUN(twice_the_model_takes_twice_the_work), RUN(limits_of_a_script_hold_for_compiling_too),
          RUN(progress_is_called_while_compiling_and_may_end_it),
          RUN(an_adjoint_of_many_steps_can_be_stopped),
          RUN(guards_that_share_a_program_give_the_same_motion),
          RUN(guards_that_share_a_program_go_with_samples),
          RUN(many_coordinates_and_many_events_run))
