/* Families of periodic motions: folds, flips, Neimark-Sacker points, branches and grazing where
 * closed forms and published values have them. A coordinate that does not move makes any map of a
 * final expression: most of the maps here are well-known ones. */
#include "scripted.h"

enum { MAX_POINTS = 4000 };

typedef struct found {
    int                count, points, ended_well;
    saltus_family_kind kind[32];
    double             value[32];
    char               text[32][128];
    double             first, last; /* of the parameter, by arc */
    double             first_arc, last_arc;
    double             x; /* the first unknown at the first special point */
    int                param, unknown;
} found;

static int note(void *context, const saltus_family_point *at)
{
    found       *f = context;
    const double value = at->params[f->param];
    EXPECT(++f->points < MAX_POINTS);
    if (f->points == 1) f->first_arc = INFINITY, f->last_arc = -INFINITY;
    if (at->arc < f->first_arc) f->first_arc = at->arc, f->first = value;
    if (at->arc > f->last_arc) f->last_arc = at->arc, f->last = value;
    EXPECT(at->stable == (hypot(at->re[0], at->im[0]) < 1.0));
    if (at->kind == SALTUS_FAMILY_POINT) return 0;
    EXPECT(f->count < 32);
    if (f->count == 0) f->x = at->params[f->unknown];
    f->kind[f->count] = at->kind;
    f->value[f->count] = value;
    snprintf(f->text[f->count], sizeof f->text[0], "%s", at->text);
    f->count++;
    return 0;
}

static found follow(const char *script, const char *param, double from, double to, double step)
{
    saltus_error  err = {0};
    found         f = {0};
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    saltus_periodic *search = saltus_periodic_new(model, NULL, NULL, &err);
    f.param = saltus_system_find_param(saltus_periodic_system(search), param);
    f.unknown = saltus_system_find_param(saltus_periodic_system(search), "x0");
    saltus_periodic_follow(search, NULL, f.param, from, to, step, note, &f, &f.ended_well, &err);
    if (err.status) fail_msg("line %d: %s", err.line, err.message);
    saltus_periodic_free(search);
    saltus_model_free(model);
    return f;
}

/* The value of the parameter at the only change of that kind. */
static double only(const found *f, saltus_family_kind kind)
{
    int place = -1;
    for (int i = 0; i < f->count; i++) {
        if (f->kind[i] != kind) continue;
        if (place >= 0) fail_msg("two changes of kind %s", saltus_family_kind_name(kind));
        place = i;
    }
    if (place < 0) fail_msg("no change of kind %s", saltus_family_kind_name(kind));
    return f->value[place];
}

#define STILL "local x = coordinate('x', {start = x0})\nmass(x, 1)\nhorizon(0, 1)\n"

/* x' = r x (1 - x): 1 - 1/r is stable until 3, where the period doubles; at 1 it crosses x = 0. */
TEST(the_logistic_map_doubles_its_period_at_three)
{
    const found f = follow("local r, x0 = param('r', 2.5), param('x0', 0.6)\n" STILL
                           "periodic {[x0] = r * x * (1 - x)}\n",
                           "r", 0.5, 3.5, 0.1);
    EXPECT_NEAR(only(&f, SALTUS_FAMILY_FLIP), 3.0, 1e-9);
    EXPECT_NEAR(only(&f, SALTUS_FAMILY_BRANCH), 1.0, 1e-6);
    EXPECT(f.count == 2 && f.ended_well);
    EXPECT_NEAR(f.first, 0.5, 0.0);
    EXPECT_NEAR(f.last, 3.5, 0.0);
}

/* x' = x + p - x^2: fixed points +-sqrt(p), which meet at 0. */
TEST(a_family_is_followed_around_its_fold)
{
    const found f = follow("local p, x0 = param('p', 0.5), param('x0', 0.7)\n" STILL
                           "periodic {[x0] = x + p - x^2}\n",
                           "p", 0.5, -1.0, 0.1);
    EXPECT_NEAR(only(&f, SALTUS_FAMILY_FOLD), 0.0, 1e-12);
    EXPECT_NEAR(f.x, 0.0, 1e-6);
    EXPECT_NEAR(f.first, 0.5, 0.0);
    EXPECT_NEAR(f.last, 0.5, 0.0); /* around, and out where it came in */
    EXPECT(f.ended_well);
}

/* The delayed logistic map, x' = r x (1 - y), y' = x: at r = 2 the multipliers are
 * exp(+-i pi / 3). */
TEST(the_delayed_logistic_map_has_a_neimark_sacker_point)
{
    const found f =
        follow("local r, x0, y0 = param('r', 1.8), param('x0', 0.4), param('y0', 0.4)\n" STILL
               "local y = coordinate('y', {start = y0})\nmass(y, 1)\n"
               "periodic {[x0] = r * x * (1 - y), [y0] = x}\n",
               "r", 1.5, 2.2, 0.05);
    EXPECT_NEAR(only(&f, SALTUS_FAMILY_TORUS), 2.0, 1e-9);
    EXPECT_NEAR(f.x, 0.5, 1e-9);
    EXPECT(f.count == 1 && f.ended_well);
}

/* Two real multipliers that are inverse to each other make no Neimark-Sacker point. */
TEST(a_neutral_saddle_is_nothing_special)
{
    const found f =
        follow("local a, x0, y0 = param('a', 0.4), param('x0', 0), param('y0', 0)\n" STILL
               "local y = coordinate('y', {start = y0})\nmass(y, 1)\n"
               "periodic {[x0] = 2 * x, [y0] = a * y}\n",
               "a", 0.3, 0.7, 0.05);
    EXPECT(f.count == 0 && f.ended_well && f.points > 3);
}

/* Geyer's runner: k = 10.8, the published value, is rounded past the fold. */
TEST(the_gaits_of_the_spring_mass_runner_meet_below_its_published_stiffness)
{
    const found f = follow(
        "local kt, ang, E = param('k', 10.7), param('angle', math.pi / 6), param('E', 1.61)\n"
        "local y0 = param('x0', 0.87)\n"
        "local g = 9.81\n"
        "local flight, stance, again = mode('flight'), mode('stance'), mode('again')\n"
        "local x = coordinate('x', {start = 0, speed = sqrt(2 * g * (E - y0))})\n"
        "local y = coordinate('y', {start = y0})\n"
        "mass(x, 1) mass(y, 1)\n"
        "force(y, -g)\n"
        "local foot = memory('foot', 0)\n"
        "local r = hypot(x - foot, y)\n"
        "potential(0.5 * kt * g * (r - 1)^2, {mode = stance})\n"
        "event('touchdown', {when = y - cos(ang), direction = 'falling', from = flight,\n"
        "                    to = stance, set = {[foot] = x + sin(ang)}})\n"
        "event('takeoff', {when = r - 1, direction = 'rising', from = stance, to = again})\n"
        "event('apex', {when = dot(y), direction = 'falling', from = again, stop = 1})\n"
        "periodic {[y0] = y}\n"
        "horizon(0, 5)\n",
        "k", 10.65, 11.0, 0.05);
    EXPECT_NEAR(only(&f, SALTUS_FAMILY_FOLD), 10.794822743, 1e-9);
    EXPECT_NEAR(f.x, 0.89302694041, 1e-7);
    EXPECT(f.ended_well);
}

/* A driven oscillator beside a wall: x'' + 2 z x' + x = F cos(w t) has the amplitude
 * F / sqrt((1 - w^2)^2 + (2 z w)^2), and touches the wall where that is its distance. */
TEST(an_impact_oscillator_grazes_where_its_amplitude_is_the_distance_of_the_wall)
{
    const double w = 0.7, z = 0.1, wall = 1.0;
    const double F = wall * hypot(1.0 - w * w, 2.0 * z * w);
    const found  f =
        follow("local F = param('F', 0.4)\n"
               "local x0, v0 = param('x0', 0.6), param('v0', 0.2)\n"
               "local x = coordinate('x', {start = x0, speed = v0})\n"
               "mass(x, 1)\n"
               "force(x, F * cos(0.7 * t) - x - 0.2 * dot(x))\n"
               "event('wall', {when = 1 - x, direction = 'falling', restitution = 0.8})\n"
               "periodic {[x0] = x, [v0] = dot(x)}\n"
               "horizon(0, 2 * math.pi / 0.7)\n",
               "F", 0.3, 0.7, 0.05);
    double grazing = NAN;
    for (int i = 0; i < f.count && isnan(grazing); i++)
        if (f.kind[i] == SALTUS_FAMILY_GRAZING) {
            grazing = f.value[i];
            EXPECT(strstr(f.text[i], "'wall'"));
        }
    EXPECT_NEAR(grazing, F, 1e-6);
}

/* Goswami et al. 1998: periods double between 4.3 and 4.5 degrees; Garcia et al. 1998: at a slope
 * of 0.0151. */
TEST(walkers_double_their_period_where_it_was_published)
{
    static const struct {
        const char *model, *x;
        double      from, to, step, lower, upper;
    } rows[] = {{"compass_angles", "th0", 0.052, 0.09, 0.005, 0.0750, 0.0786},
                {"simplest_walker", "theta0", 0.009, 0.018, 0.001, 0.01505, 0.01515}};
    for (int i = 0; i < 2; i++) {
        char                  path[512];
        saltus_error          err = {0};
        found                 f = {0};
        const saltus_override one = {"steps", 1.0, NULL};
        saltus_script_options options = saltus_script_options_default();
        options.overrides = &one;
        options.override_count = i == 0; /* only the first one has that setting */
        snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, rows[i].model);
        saltus_model    *model = saltus_model_load_with(path, &options, &err);
        saltus_periodic *search = saltus_periodic_new(model, NULL, NULL, &err);
        f.param = saltus_system_find_param(saltus_periodic_system(search), "slope");
        f.unknown = saltus_system_find_param(saltus_periodic_system(search), rows[i].x);
        saltus_periodic_follow(search, NULL, f.param, rows[i].from, rows[i].to, rows[i].step, note,
                               &f, &f.ended_well, &err);
        if (err.status) fail_msg("%s: %s", path, err.message);
        const double slope = only(&f, SALTUS_FAMILY_FLIP);
        EXPECT(slope > rows[i].lower && slope < rows[i].upper);
        saltus_periodic_free(search);
        saltus_model_free(model);
    }
}

TEST(what_cannot_be_followed_is_refused_or_explained)
{
    const char script[] = "local r, x0 = param('r', 2.5), param('x0', 0.6)\n" STILL
                          "periodic {[x0] = r * x * (1 - x)}\n";
    saltus_error  fine = {0};
    found         f = {0};
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &fine);
    saltus_periodic *search = saltus_periodic_new(model, NULL, NULL, &fine);
    const struct {
        int    param;
        double from, to, step;
    } wrong[] = {{1, 0, 1, 0.1}, {7, 0, 1, 0.1}, {-1, 0, 1, 0.1},
                 {0, 1, 1, 0.1}, {0, 0, 1, 0},   {0, NAN, 1, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        saltus_error err = {0};
        EXPECT(saltus_periodic_follow(search, NULL, wrong[i].param, wrong[i].from, wrong[i].to,
                                      wrong[i].step, note, &f, NULL, &err) == SALTUS_ERR_ARGUMENT);
        EXPECT(err.message[0]);
    }
    saltus_periodic_free(search);
    saltus_model_free(model);
    EXPECT(f.points == 0);
}

TEST_MAIN(RUN(the_logistic_map_doubles_its_period_at_three),
          RUN(a_family_is_followed_around_its_fold),
          RUN(the_delayed_logistic_map_has_a_neimark_sacker_point),
          RUN(a_neutral_saddle_is_nothing_special),
          RUN(the_gaits_of_the_spring_mass_runner_meet_below_its_published_stiffness),
          RUN(an_impact_oscillator_grazes_where_its_amplitude_is_the_distance_of_the_wall),
          RUN(walkers_double_their_period_where_it_was_published),
          RUN(what_cannot_be_followed_is_refused_or_explained))
