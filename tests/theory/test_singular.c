/* Singular positions, in which constraints depend on each other: met at the right time, told from
 * positions nearby, whatever the units are and however many constraints there are. */
#include "motions.h"
#include "scripted.h"

/* The message says a time: the one that is expected? */
static void expect_met(const scripted *s, double t, double tolerance)
{
    static const char before[] = "passes a singular position at t = ";
    expect_outcome(s, SALTUS_SINGULAR);
    const char  *found = strstr(s->info->message, before);
    const double said = found ? strtod(found + strlen(before), NULL) : NAN;
    if (!(fabs(said - t) <= tolerance))
        fail_msg("t = %.10g, expected %.10g: '%s'", said, t, s->info->message);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* A parallelogram without gravity: the cranks turn evenly. In units of length and mass, turned by
 * an angle, and with its points in either order. From 1 rad to the flat position there are pi - 1.
 */
#define PARALLELOGRAM                                                                              \
    "local L, M = setting('L', 1), setting('M', 1)\n"                                              \
    "local turned, other = setting('turned', 0), setting('other', 0) > 0\n"                        \
    "local function at(x, y)\n"                                                                    \
    "  local c, s = math.cos(turned), math.sin(turned)\n"                                          \
    "  return L * (c * x - s * y), L * (s * x + c * y)\n"                                          \
    "end\n"                                                                                        \
    "local function put(name, x, y)\n"                                                             \
    "  return point(name, {guess = {at(x, y)}})\n"                                                 \
    "end\n"                                                                                        \
    "local px, py = at(math.cos(1), math.sin(1))\n"                                                \
    "local vx, vy = at(-math.sin(1), math.cos(1))\n"                                               \
    "local Q = other and put('Q', 2 + math.cos(1), math.sin(1))\n"                                 \
    "local P = point('P', {x = px, guess = {px, py}, speed = {vx, nil}})\n"                        \
    "local Q = Q or put('Q', 2 + math.cos(1), math.sin(1))\n"                                      \
    "local A, B = ground_point(0, 0), ground_point(at(2, 0))\n"                                    \
    "if other then bar {P, Q, mass = 2 * M, length = 2 * L} end\n"                                 \
    "bar {A, P, mass = M, length = L} bar {B, Q, mass = M, length = L}\n"                          \
    "if not other then bar {P, Q, mass = 2 * M, length = 2 * L} end\n"                             \
    "horizon(0, 4)\n"

/* Loads with these settings; kernels are not compiled, there are too many. */
static scripted load_with(const char *script, int count, const saltus_override *settings)
{
    scripted              s = {0};
    saltus_script_options options = saltus_script_options_default();
    options.overrides = settings;
    options.override_count = count;
    saltus_model *model =
        saltus_model_load_text("script.lua", script, strlen(script), &options, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status) fail_msg("line %d: %s", s.err.line, s.err.message);
    s.size = saltus_system_size(s.system);
    s.options = saltus_system_options(s.system);
    s.options.backend = SALTUS_INTERP;
    return s;
}

static void run_at(scripted *s, saltus_integrator integrator, double tolerance, double length)
{
    s->options.integrator = integrator;
    s->options.rtol = tolerance;
    s->options.atol = tolerance * length;
    simulate(s, NULL);
}

TEST(a_parallelogram_ends_where_it_is_flat_in_all_units)
{
    static const double lengths[] = {1.0, 1e-3, 1e3, 1.0, 1.0},
                        masses[] = {1.0, 1.0, 1.0, 1e-6, 1e6};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const saltus_override settings[] = {{"L", lengths[i], NULL},
                                                {"M", masses[i], NULL},
                                                {"turned", 0.7 * (k / 2), NULL},
                                                {"other", k % 2, NULL}};
            scripted              s = load_with(PARALLELOGRAM, 4, settings);
            run_at(&s, k % 2 ? SALTUS_DOPRI5 : SALTUS_DOP853, 1e-9, lengths[i]);
            expect_met(&s, pi - 1.0, 1e-6);
            release(&s);
        }
}

TEST(the_tolerance_does_not_decide_whether_it_is_met)
{
    for (int k = 4; k <= 24; k++) {
        const double tolerance = pow(10.0, -0.5 * k);
        for (int integrator = SALTUS_DOP853; integrator <= SALTUS_DOPRI5; integrator++) {
            scripted s = load_with(PARALLELOGRAM, 0, NULL);
            run_at(&s, (saltus_integrator)integrator, tolerance, 1.0);
            expect_met(&s, pi - 1.0, fmax(tolerance, 1e-6));
            release(&s);
        }
    }
}

/* Driven at an even speed w from 1 rad: a slider-crank whose rod is as long as the crank may leave
 * its slider in the centre when the crank is upright, and a four-bar whose shortest and longest
 * link are together as long as the others (1 + 4 = 2 + 3) is in line when its crank points away.
 * With lengths that are off by a tolerance, such a position is passed at the root of it: so far may
 * the time be off. */
#define DRIVEN                                                                                     \
    "local w = param('w', 1.3)\n"                                                                  \
    "local phi = 1 + w * t\n"                                                                      \
    "local A = ground_point(0, 0)\n"                                                               \
    "local P = point('P', {guess = {math.cos(1), math.sin(1)}})\n"                                 \
    "bar {A, P, mass = 1, length = 1}\n"                                                           \
    "constraint('motor', P.x * sin(phi) - P.y * cos(phi))\n"

TEST(driven_mechanisms_end_where_they_are_in_line)
{
    static const char *const scripts[] = {
        DRIVEN "local x = coordinate('x', {guess = 1.1}) mass(x, 1)\n"
               "constraint('rod', (P.x - x)^2 + P.y^2 - 1)\nhorizon(0, 4)\n",
        DRIVEN "local Q = point('Q', {guess = {3, 1.7}})\n"
               "bar {P, Q, mass = 1, length = 3}\n"
               "bar {Q, ground_point(4, 0), mass = 1, length = 2}\nhorizon(0, 4)\n"};
    const double times[] = {(0.5 * pi - 1.0) / 1.3, (pi - 1.0) / 1.3};
    for (int i = 0; i < 2; i++)
        for (int k = 2; k <= 12; k++)
            for (int integrator = SALTUS_DOP853; integrator <= SALTUS_DOPRI5; integrator++) {
                scripted s = load_with(scripts[i], 0, NULL);
                run_at(&s, (saltus_integrator)integrator, pow(10.0, -k), 1.0);
                expect_met(&s, times[i], 2.0 * pow(10.0, -0.5 * k));
                release(&s);
            }
}

/* The crank of a parallelogram creeps towards the flat position, which it never reaches. */
TEST(a_singular_position_that_is_approached_slowly_is_met)
{
    scripted s = load_with("local A, B = ground_point(0, 0), ground_point(2, 0)\n"
                           "local phi = math.pi - 2 * exp(-t)\n"
                           "local P = point('P', {guess = {math.cos(math.pi - 2), 0.9}})\n"
                           "local Q = point('Q', {guess = {2 + math.cos(math.pi - 2), 0.9}})\n"
                           "bar {A, P, mass = 1, length = 1} bar {B, Q, mass = 1, length = 1}\n"
                           "bar {P, Q, mass = 1, length = 2}\n"
                           "constraint('motor', P.x * sin(phi) - P.y * cos(phi))\n"
                           "horizon(0, 60)\n",
                           0, NULL);
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_SINGULAR);
    EXPECT(s.info->t > 11.0 && s.info->t < 18.0); /* exp(-t) is about 1e-6 */
    release(&s);
}

/* ---- close to one ---------------------------------------------------------------------------- */

/* A rod that is a little longer than the crank: the slider passes the centre at a distance of
 * sqrt(2 d). The same with one angle; that one is right as long as the root is. */
#define LONGER "local d = param('d', 1e-3)\n"
static const char BESIDE[] =
    LONGER "local P = point('P', {y = 0.2, guess = {0.97, 0.2}, speed = {nil, 3}})\n"
           "local x = coordinate('x', {guess = 1.9})\n"
           "mass(P, 1) mass(x, 1)\n"
           "rod {ground_point(0, 0), P, length = 1}\n"
           "constraint('rod', (P.x - x)^2 + P.y^2 - (1 + d)^2)\n"
           "cost('x', {final = x})\nhorizon(0, 2)\n";
static const char BY_ANGLE[] =
    LONGER "local start = math.asin(0.2)\n"
           "local phi = coordinate('phi', {start = start, speed = 3 / math.cos(start)})\n"
           "local x = cos(phi) + sqrt(d * (2 + d) + cos(phi)^2)\n"
           "kinetic(0.5 * dot(phi)^2 + 0.5 * dot(x)^2)\n"
           "cost('x', {final = x})\nhorizon(0, 2)\n";

TEST(a_position_close_to_a_singular_one_is_passed)
{
    for (int k = 1; k <= 10; k++) {
        const double d = pow(10.0, -k);
        scripted     one = load_with(BESIDE, 0, NULL), other = load_with(BY_ANGLE, 0, NULL);
        one.options.rtol = one.options.atol = 1e-11;
        other.options.rtol = other.options.atol = 1e-12;
        simulate(&one, &d);
        simulate(&other, &d);
        expect_outcome(&one, SALTUS_END);
        expect_outcome(&other, SALTUS_END);
        EXPECT_NEAR(cost_value(&one, "x"), cost_value(&other, "x"), 1e-9 + 1e-12 / sqrt(d));
        release(&one);
        release(&other);
    }
}

/* From a start close to a flat parallelogram one may go away. */
TEST(a_start_close_to_a_singular_position_is_left)
{
    for (int k = 1; k <= 6; k++) {
        char script[1024];
        snprintf(
            script, sizeof script,
            "local phi = %.17g\n"
            "local P = point('P', {y = math.sin(phi), guess = {math.cos(phi), math.sin(phi)},\n"
            "  speed = {nil, 2 * math.cos(phi)}})\n"
            "local Q = point('Q', {guess = {2 + math.cos(phi), math.sin(phi)}})\n"
            "local A, B = ground_point(0, 0), ground_point(2, 0)\n"
            "bar {A, P, mass = 1, length = 1} bar {B, Q, mass = 1, length = 1}\n"
            "bar {P, Q, mass = 1, length = 2}\n"
            "cost('x', {final = P.x})\nhorizon(0, 1)\n",
            pow(10.0, -k));
        scripted s = load_with(script, 0, NULL);
        s.options.rtol = s.options.atol = 1e-11;
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "x"), cos(2.0 + pow(10.0, -k)), 1e-9 * pow(10.0, 0.5 * k));
        release(&s);
    }
}

/* ---- many constraints ------------------------------------------------------------------------ */

/* Four-bars beside each other, each with a start of its own, that have nothing to do with one
 * another. The last one may be a parallelogram without weight. */
#define ROW                                                                                        \
    "local N, flat = setting('N', 1), setting('flat', 0)\n"                                        \
    "for i = 1, N do\n"                                                                            \
    "  local x, a = 3 * i, 1 + 0.3 * math.sin(i)\n"                                                \
    "  local A, B = ground_point(x, 0), ground_point(x + 1, 0)\n"                                  \
    "  local P = point('P' .. i, {y = 0.4 * math.sin(a), guess = {x + 0.4 * math.cos(a), 0.3},\n"  \
    "    speed = {nil, 1.5 + 0.02 * i}})\n"                                                        \
    "  local Q = point('Q' .. i, {guess = {x + 1.1, 0.8}})\n"                                      \
    "  bar {A, P, mass = 1, length = 0.4, name = 'a' .. i}\n"                                      \
    "  bar {P, Q, mass = 2, length = 1.1, name = 'b' .. i}\n"                                      \
    "  bar {Q, B, mass = 1, length = 0.8, name = 'c' .. i}\n"                                      \
    "  force(P.y, -9.81) force(Q.y, -9.81)\n"                                                      \
    "  if i == 1 then cost('x', {final = P.x}) cost('y', {final = Q.y}) end\n"                     \
    "end\n"                                                                                        \
    "if flat > 0 then\n"                                                                           \
    "  local A, B = ground_point(0, -5), ground_point(2, -5)\n"                                    \
    "  local P = point('P', {x = math.cos(1), guess = {0, -4}, speed = {-math.sin(1), nil}})\n"    \
    "  local Q = point('Q', {guess = {2 + math.cos(1), -4.2}})\n"                                  \
    "  bar {A, P, mass = 1, length = 1} bar {B, Q, mass = 1, length = 1}\n"                        \
    "  bar {P, Q, mass = 1, length = 2}\n"                                                         \
    "end\n"                                                                                        \
    "horizon(0, 2.5)\n"

TEST(a_row_of_mechanisms_moves_as_one_of_them_does)
{
    scripted one = load_with(ROW, 0, NULL);
    simulate(&one, NULL);
    expect_outcome(&one, SALTUS_END);
    for (int N = 2; N <= 40; N = N < 8 ? 2 * N : 5 * N) {
        scripted s = load_with(ROW, 1, &(saltus_override){"N", N, NULL});
        simulate(&s, NULL);
        expect_outcome(&s, SALTUS_END);
        EXPECT_NEAR(cost_value(&s, "x"), cost_value(&one, "x"), 1e-6);
        EXPECT_NEAR(cost_value(&s, "y"), cost_value(&one, "y"), 1e-6);
        release(&s);
    }
    release(&one);
}

TEST(one_singular_position_among_many_mechanisms_is_met)
{
    for (int N = 1; N <= 40; N = N < 8 ? 2 * N : 5 * N) {
        const saltus_override settings[] = {{"N", N, NULL}, {"flat", 1.0, NULL}};
        scripted              s = load_with(ROW, 2, settings);
        simulate(&s, NULL);
        expect_met(&s, pi - 1.0, 1e-6);
        release(&s);
    }
}

/* A row of squares: all of them are flat at the same time. */
TEST(many_singular_positions_at_one_time_are_met_at_that_time)
{
    scripted s =
        load_with("local N = 6\n"
                  "local P = {}\n"
                  "for i = 0, N do\n"
                  "  P[i] = point('P' .. i, i == 0 and {x = math.cos(1), guess = {0, 0.8},\n"
                  "    speed = {-math.sin(1)}} or {guess = {i + math.cos(1), 0.8}})\n"
                  "  bar {ground_point(i, 0), P[i], mass = 1, length = 1, name = 'v' .. i}\n"
                  "  if i > 0 then\n"
                  "    bar {P[i - 1], P[i], mass = 1, length = 1, name = 'h' .. i}\n"
                  "  end\n"
                  "end\nhorizon(0, 3)\n",
                  0, NULL);
    simulate(&s, NULL);
    expect_met(&s, pi - 1.0, 1e-6);
    release(&s);
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* Where nothing is near, nothing is looked into: a step has 12 evaluations. */
TEST(a_turning_mechanism_is_not_looked_into)
{
    scripted s = load_model("four_bar");
    s.options = saltus_system_options(s.system);
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    EXPECT(s.info->evaluations < 13 * (s.info->steps + s.info->rejected));
    release(&s);
}

/* ---- constraints that give way --------------------------------------------------------------- */

TEST(the_penalty_formulation_says_that_it_goes_through)
{
    scripted near = load_with(PARALLELOGRAM, 0, NULL), far = load_with(ROW, 0, NULL);
    near.options.formulation = far.options.formulation = SALTUS_PENALTY;
    simulate(&near, NULL);
    expect_outcome(&near, SALTUS_END);
    expect_warning(&near, "near t = 2.1");
    expect_warning(&near, "constraints depend on each other");
    EXPECT(near.info->warnings == 1);
    simulate(&far, NULL);
    expect_outcome(&far, SALTUS_END);
    expect_no_warning(&far);
    release(&near);
    release(&far);
}

TEST_MAIN(RUN(a_parallelogram_ends_where_it_is_flat_in_all_units),
          RUN(the_tolerance_does_not_decide_whether_it_is_met),
          RUN(driven_mechanisms_end_where_they_are_in_line),
          RUN(a_singular_position_that_is_approached_slowly_is_met),
          RUN(a_position_close_to_a_singular_one_is_passed),
          RUN(a_start_close_to_a_singular_position_is_left),
          RUN(a_row_of_mechanisms_moves_as_one_of_them_does),
          RUN(one_singular_position_among_many_mechanisms_is_met),
          RUN(many_singular_positions_at_one_time_are_met_at_that_time),
          RUN(a_turning_mechanism_is_not_looked_into),
          RUN(the_penalty_formulation_says_that_it_goes_through))
