/* Systems: terms of equal shape share a template, and a system compiled template by template
 * computes what a flat one does; derivation of the equations of motion from energies. */
#include "compile/compile.h"
#include "compile/template.h"
#include "gradient/output_rows.h"
#include "saltus/saltus.h"
#include "test.h"

static saltus_model *load(const char *text)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("test.lua", text, strlen(text), NULL, &err);
    if (!model) fail_msg("%s", err.message);
    return model;
}

/* A chain of masses, springs and dampers with different numbers: four shapes. */
static const char chain[] =
    "model 'chain'\n"
    "local k, d = param('k', 3), param('d', 0.1)\n"
    "local x = {}\n"
    "for i = 1, 12 do x[i] = coordinate('x' .. i, {start = 0.09 * i * i, speed = 0.2 * i}) end\n"
    "for i = 1, 12 do mass(x[i], (1.03 + 0.1 * i) * (1 + d)) end\n"
    "local sum = x[3]^2 + ddot(x[5])^2\n"
    "for i = 1, 12 do\n"
    "  for k = 1, 6 do sum = sum + 0.01 * (x[i] - 0.1 * k)^2 - 0.001 * k * dot(x[i]) end\n"
    "end\n"
    "for i = 2, 12 do\n"
    "  potential(0.5 * (k + 0.3 * i) * (x[i] - x[i-1] - 0.17 * i)^2)\n"
    "  dissipation((0.71 + 0.03 * i) * d * (dot(x[i]) - dot(x[i-1]))^2)\n"
    "end\n"
    "for i = 1, 12 do force(x[i], -0.01 * i * sin(x[i]) * dot(x[i])) end\n"
    "event('wall', {when = x[12] - 14, direction = 'rising', restitution = 0.7})\n"
    "cost('energy', {integral = sum, final = x[12]})\n"
    "horizon(0, 3)\n";

/* The same without velocities in forces and integrands: less is kept of a step, and gone through.
 */
#define SPRINGS(mass, more)                                                                        \
    "local k, d = param('k', 3), param('d', 0.1)\n"                                                \
    "local x, sum = {}, 0\n"                                                                       \
    "for i = 1, 21 do\n"                                                                           \
    "  x[i] = coordinate('x' .. i, {start = 0.3 * math.sin(i), speed = 0.1 * i})\n"                \
    "  mass(x[i], " mass ")\n"                                                                     \
    "  force(x[i], 0.1 * sin((1 + d) * t + i)" more ")\n"                                          \
    "  sum = sum + 0.01 * x[i]^2 * (1 + t)\n"                                                      \
    "end\n"                                                                                        \
    "for i = 2, 21 do potential(0.5 * (k + 0.3 * i) * (x[i] - x[i-1])^2 * (1 + d * x[i]^2)) end\n" \
    "event('wall', {when = x[21] - 1.5, direction = 'rising', restitution = 0.7})\n"               \
    "cost('energy', {integral = sum, final = x[21]})\n"                                            \
    "horizon(0, 3)\n"

TEST(terms_of_equal_shape_share_a_template)
{
    saltus_error   err = {0};
    saltus_model  *model = load(chain);
    saltus_system *system = sal_system_new(model, SAL_LIMITS, NULL, &err);
    EXPECT(saltus_system_size(system).terms == 12 + 11 + 11 + 12);
    EXPECT(saltus_system_size(system).templates == 4);
    saltus_system_free(system);
    saltus_model_free(model);
}

/* d^2/2 + d^4/4 has the force k (d + d^3): four operations and a sign, whatever the literals were.
 */
TEST(literals_that_all_terms_share_are_built_into_the_program)
{
    static const char text[] = "local last = 0\n"
                               "for i = 1, 70 do\n"
                               "  local x = coordinate('x' .. i)\n"
                               "  local d = x - last\n"
                               "  mass(x, 1)\n"
                               "  potential(param('k' .. i, 100) * (d^2 / 2 + d^4 / 4))\n"
                               "  last = x\n"
                               "end\n"
                               "horizon(0, 1)\n";
    saltus_error      err = {0};
    saltus_model     *model = load(text);
    saltus_system    *system = sal_system_new(model, SAL_LIMITS, NULL, &err);
    const sal_regime *regime = sal_system_regime(system, NULL, &err);
    EXPECT(!system->flat && regime && regime->rhs.parts == 3);
    EXPECT(regime->rhs.part[0].program->instructions == 0); /* the masses */
    EXPECT(regime->rhs.part[2].instances == 69);
    EXPECT(regime->rhs.part[2].program->instructions == 5);
    EXPECT(regime->rhs.part[2].from[SAL_LITERAL].count == 0);
    saltus_system_free(system);
    saltus_model_free(model);
}

/* From the second gradient on, with what the record keeps of stages: the same digits. */
static void expect_again(saltus_run *run, double value, const double *gradient)
{
    saltus_error err = {0};
    double       again, gradient_again[2];
    saltus_run_simulate(run, NULL, &err);
    saltus_run_cost_gradient(run, "energy", &again, gradient_again, &err);
    if (err.status) fail_msg("%s", err.message);
    EXPECT(again == value);
    EXPECT(gradient_again[0] == gradient[0] && gradient_again[1] == gradient[1]);
}

static void gradient_of(saltus_model *model, sal_limits limits, double *value, double *gradient)
{
    saltus_error   err = {0};
    saltus_system *system = sal_system_new(model, &limits, NULL, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    EXPECT(system && system->flat == (limits.flat_terms > 0));
    EXPECT((system->form == SAL_SPARSE) == (limits.sparse_from == 0 && system->nmu > 0));
    saltus_run_simulate(run, (const double[]){0.6, 1.1}, &err); /* leaves nothing behind */
    saltus_run_simulate(run, NULL, &err);
    saltus_run_cost_gradient(run, "energy", value, gradient, &err);
    if (err.status) fail_msg("%s", err.message);
    EXPECT(saltus_run_get_info(run)->events > 0);
    expect_again(run, *value, gradient);
    saltus_run_free(run);
    saltus_system_free(system);
}

/* A chain of rods that hangs, lands on stops where it then sticks, and lifts off again. */
static const char rods[] =
    "local L, m = param('L', 0.5), param('m', 1)\n"
    "local P, at = {[0] = ground_point(0, 0)}, {}\n"
    "gravity(0.3, -9.81)\n"
    "for i = 1, 5 do\n"
    "  P[i] = point('P' .. i, {x = 0.4 * i, guess = {0, -0.3 * i}})\n"
    "  at[i] = memory('at' .. i, 0.1 * i)\n"
    "  mass(P[i], m * (1 + 0.1 * i))\n"
    "end\n"
    "local free, held = mode 'free', mode 'held'\n"
    "for i = 1, 5 do rod {P[i-1], P[i], length = L * (1 + 0.01 * i)} end\n"
    "for i = 2, 4, 2 do\n"
    "  constraint('stop' .. i, (1 + 0.1 * at[5 - i]) * (P[i].x - at[i]), {mode = held})\n"
    "end\n"
    "event('hold', {from = free, to = held, when = t - 0.2 * L, set = {[at[2]] = P[2].x,\n"
    "  [at[4]] = P[4].x, [at[1]] = P[1].y}, charge = {energy = impulse('stop2')}})\n"
    "event('free', {from = held, to = free, when = t - 0.3})\n"
    "event('hit', {when = P[5].y + 2.2, direction = 'falling', restitution = 0.5})\n"
    "cost('energy', {integral = multiplier('stop4') + ddot(P[3].x)^2, final = P[5].y})\n"
    "horizon(0, 0.5)\n";

static void expect_agreement(const char *text);

TEST(what_does_not_change_is_known_and_long_sums_are_taken_apart)
{
    saltus_error   err = {0};
    saltus_model  *model = load(chain);
    saltus_system *flat = sal_system_new(model, SAL_LIMITS, NULL, &err);
    saltus_system *loops = sal_system_new(model, &(sal_limits){0, SAL_SPARSE_FROM}, NULL, &err);
    EXPECT(flat && flat->flat && !flat->mass_constant && flat->addends.templates == 0);
    EXPECT(loops && !loops->flat && loops->mass_constant && loops->form == SAL_DIAGONAL);
    EXPECT(loops->addends.count == 2 + 2 * 72 && loops->addends.templates == 4);
    EXPECT(loops->integrand.value.parts == 4);
    saltus_system_free(flat);
    saltus_system_free(loops);
    saltus_model_free(model);
}

TEST(templates_and_sparse_matrices_with_constraints_agree) { expect_agreement(rods); }

TEST(templates_and_the_flat_program_agree) { expect_agreement(chain); }

TEST(without_velocities_templates_and_the_flat_program_agree)
{
    expect_agreement(SPRINGS("1.03 + 0.1 * i", ""));
    expect_agreement(SPRINGS("1", ""));
    expect_agreement(SPRINGS("2", "- 0.07 * dot(x[i])")); /* whose derivatives have none */
}

static void expect_agreement(const char *text)
{
    const sal_limits others[] = {{0, 1000}, {SAL_FLAT_TERMS, 0}, {0, 0}};
    saltus_model    *model = load(text);
    double           flat, other, flat_gradient[2], gradient[2];
    gradient_of(model, (sal_limits){SAL_FLAT_TERMS, 1000}, &flat, flat_gradient);
    for (int k = 0; k < 3; k++) {
        gradient_of(model, others[k], &other, gradient);
        EXPECT_NEAR(other, flat, 1e-11 * fabs(flat));
        for (int i = 0; i < 2; i++)
            EXPECT_NEAR(gradient[i], flat_gradient[i], 1e-10 * fabs(flat_gradient[i]));
    }
    saltus_model_free(model);
}

/* Accelerations at the start of a model. */
static void accelerations(const char *text, double *a, int n)
{
    saltus_error   err = {0};
    saltus_model  *model = load(text);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    saltus_row     row;
    saltus_run_simulate(run, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    sal_frame frame;
    sal_run_frame(run, 0, &frame, &err);
    sal_row_fill(run, frame.regime, frame.t, frame.x, frame.c, frame.z, &row, &err);
    for (int i = 0; i < n; i++) a[i] = row.a[i];
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST(coriolis_terms_are_derived_from_the_kinetic_energy)
{
    double a[2];
    /* polar coordinates: r'' = r th'^2, th'' = -2 r' th' / r */
    accelerations("local r = coordinate('r', {start = 2, speed = 0.3})\n"
                  "local th = coordinate('th', {start = 1, speed = 0.7})\n"
                  "kinetic(0.5 * (dot(r)^2 + r^2 * dot(th)^2))\nhorizon(0, 0.1)\n",
                  a, 2);
    EXPECT_NEAR(a[0], 2.0 * 0.49, 1e-14);
    EXPECT_NEAR(a[1], -2.0 * 0.3 * 0.7 / 2.0, 1e-14);
}

TEST(a_moving_pivot_acts_through_the_kinetic_energy)
{
    double       a[1];
    const double th = 0.4, A = 0.3, w = 2.0, g = 9.81;
    /* pivot at (A sin(w t), 0), t = 0: x'' = 0, so th'' = -g sin(th) / l at the start */
    accelerations("local th = coordinate('th', {start = 0.4, speed = 1.1})\n"
                  "kinetic(0.5 * (dot(0.3 * sin(2 * t) + sin(th))^2 + dot(-cos(th))^2))\n"
                  "potential(-9.81 * cos(th))\nhorizon(0, 0.1)\n",
                  a, 1);
    EXPECT_NEAR(a[0], -g * sin(th) + A * w * w * sin(0.0) * cos(th), 1e-13);
}

TEST(a_time_dependent_mass_brings_its_own_force)
{
    double a[1];
    /* d/dt(m x') = 0 with m = 1 + 0.5 t: x'' = -m' x' / m */
    accelerations("local x = coordinate('x', {speed = 2})\n"
                  "kinetic(0.5 * (1 + 0.5 * t) * dot(x)^2)\nhorizon(0, 0.1)\n",
                  a, 1);
    EXPECT_NEAR(a[0], -0.5 * 2.0, 1e-14);
}

/* An event that does nothing but charge such a cost does nothing at all. */
TEST(charges_to_costs_that_are_left_out_are_too)
{
    static const char text[] = "local x = coordinate('x', {start = 1}) mass(x, 1) force(x, -x)\n"
                               "cost('hits', {}) cost('distance', {final = x})\n"
                               "event('middle', {when = x, charge = {hits = dot(x)}})\n"
                               "horizon(0, 3)\n";
    static const char *const names[] = {"hits", "distance"};
    for (int i = 0; i < 2; i++) {
        saltus_error   err = {0};
        saltus_model  *model = load(text);
        saltus_system *system =
            sal_system_new(model, SAL_LIMITS, &(sal_cost_list){&names[i], 1}, &err);
        EXPECT(system != NULL && system->nc == 1);
        EXPECT(system->event[0].reset.has_charge == (i == 0));
        EXPECT(system->event[0].reset.identity == (i == 1));
        saltus_system_free(system);
        saltus_model_free(model);
    }
}

/* Nodes of all graphs of the plan. */
static int nodes_of(const saltus_system *system)
{
    int nodes = system->model->graph.nodes.count;
    for (int i = 0; i < system->terms.templates; i++)
        nodes += system->terms.template_[i].graph.nodes.count;
    return nodes;
}

/* Invariant 1 of ARCHITECTURE.md: what is compiled later is in the cache. */
static void expect_constant(const char *text, const sal_limits *limits)
{
    saltus_error   err = {0};
    bool           out_of_memory;
    saltus_model  *model = load(text);
    saltus_system *system = sal_system_new(model, limits, NULL, &err);
    assert_non_null(system);
    const saltus_system before = *system;
    const int           nodes = nodes_of(system);
    const sal_regime   *regime = sal_system_regime(system, NULL, &err);
    assert_non_null(regime);
    const sal_regime made = *regime;
    const bool       solved = sal_system_solved(system, regime, 0, &out_of_memory) != NULL;
    EXPECT(!out_of_memory && solved == system->flat);
    EXPECT(nodes_of(system) == nodes);
    EXPECT(memcmp(&before, system, sizeof before) == 0);
    EXPECT(memcmp(&made, regime, sizeof made) == 0);
    EXPECT(system->cache->regimes.count == 1 && (system->cache->graph.nodes.count > 0) == solved);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST(a_system_does_not_change_when_its_regimes_are_compiled)
{
    const sal_limits templates = {0, SAL_SPARSE_FROM}, sparse = {0, 0};
    expect_constant(chain, SAL_LIMITS);
    expect_constant(chain, &templates);
    expect_constant(chain, &sparse);
}

TEST_MAIN(RUN(terms_of_equal_shape_share_a_template),
          RUN(literals_that_all_terms_share_are_built_into_the_program),
          RUN(what_does_not_change_is_known_and_long_sums_are_taken_apart),
          RUN(templates_and_the_flat_program_agree),
          RUN(without_velocities_templates_and_the_flat_program_agree),
          RUN(templates_and_sparse_matrices_with_constraints_agree),
          RUN(coriolis_terms_are_derived_from_the_kinetic_energy),
          RUN(a_moving_pivot_acts_through_the_kinetic_energy),
          RUN(a_time_dependent_mass_brings_its_own_force),
          RUN(charges_to_costs_that_are_left_out_are_too),
          RUN(a_system_does_not_change_when_its_regimes_are_compiled))
