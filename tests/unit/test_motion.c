/* One step with its extension: its tangent and adjoint against differences. */
#include "test.h"

#include "run/run.h"
#include "saltus/saltus.h"

static const char script[] =
    "local p = param('p', 1.3)\n"
    "local x, y = coordinate('x', {start = 0.4}), coordinate('y', {start = -0.2})\n"
    "mass(x, 1 + p) mass(y, 2)\n"
    "kinetic(0.1 * cos(x) * dot(x) * dot(y))\n"
    "potential(p * (1 - cos(x - y)) + 0.3 * y^4)\n"
    "force(x, p * sin(3 * t)) force(y, -0.2 * dot(y))\n"
    "cost('c', {integral = ddot(x)^2 + p * x * dot(y) + t})\n"
    "horizon(0, 1e-3)\n";

enum { NX = 4 };

/* Where a step begins, with the parameter, and how long it and its rest are. */
typedef struct start {
    double t, x[NX], p, h, rest;
} start;

typedef struct bench {
    saltus_system *system;
    saltus_run    *run;
    sal_arena      arena;
    sal_tangent    tangent;
    sal_adjoint    adjoint;
} bench;

static bench set_up(saltus_backend backend)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("f.lua", script, strlen(script), NULL, &err);
    bench          b = {.system = saltus_system_compile(model, &err)};
    saltus_options options = saltus_system_options(b.system);
    options.backend = backend;
    b.run = saltus_run_new(b.system, &options, &err);
    saltus_run_simulate(b.run, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    saltus_model_free(model);
    sal_arena_init(&b.arena, &b.run->arena.allocator);
    sal_tangent_init(&b.tangent, b.system, 1, &b.arena);
    sal_adjoint_init(&b.adjoint, b.system, 1, &b.arena);
    return b;
}

static void take_down(bench *b)
{
    sal_arena_free(&b->arena);
    saltus_run_free(b->run);
    saltus_system_free(b->system);
}

/* Takes the step; end: x and, after it, the integral. */
static void take(bench *b, const start *s, double *end)
{
    sal_motion *motion = &b->run->motion;
    sal_step   *step = &motion->step;
    sal_field_switch(&motion->field, motion->field.regime); /* another parameter may follow */
    sal_motion_expect_derivatives(motion, true);
    *sal_u(&motion->field, SAL_LEAF_P) = s->p;
    memcpy(step->x0, s->x, sizeof s->x);
    assert_int_equal(sal_step_first(step, s->t), 0);
    assert_int_equal(sal_step_take(step, s->h), 0);
    assert_int_equal(sal_step_end(step), 0);
    assert_int_equal(sal_step_extend(step, s->rest), 0);
    memcpy(end, step->x1, sizeof s->x);
    end[NX] = step->dz[0];
}

static start moved(const start *s, const start *d, double by)
{
    start m = {s->t + by * d->t, {0}, s->p + by * d->p, s->h + by * d->h, s->rest + by * d->rest};
    for (int i = 0; i < NX; i++) m.x[i] = s->x[i] + by * d->x[i];
    return m;
}

static void difference(bench *b, const start *s, const start *d, double *out)
{
    const double by = 1e-5;
    const start  before = moved(s, d, -by), behind = moved(s, d, by);
    double       low[NX + 1], high[NX + 1];
    take(b, &before, low);
    take(b, &behind, high);
    for (int i = 0; i <= NX; i++) out[i] = (high[i] - low[i]) / (2.0 * by);
}

/* A rest that is no small part of the step: what it adds to derivatives can be seen. */
static const start here = {0.7, {0.4, -0.3, 1.1, 0.8}, 1.3, 0.2, 0.08};
static const start along = {0.6, {0.3, 0.9, -0.5, 0.2}, 0.7, 0.0, 0.0};

static void put_direction(bench *b, const start *d)
{
    sal_tangent *tangent = &b->tangent;
    tangent->lanes = 1;
    memset(tangent->du, 0, (size_t)b->system->layout.size * sizeof(double));
    *sal_lanes_at(b->system, tangent->du, 1, SAL_LEAF_P) = d->p;
    tangent->dt[0] = d->t;
    memcpy(tangent->dx, d->x, sizeof d->x);
    tangent->dz[0] = 0.0;
}

static void expect_tangent(bench *b)
{
    const start longer = {.rest = 1.0};
    double      end[NX + 1], expected[NX + 1];
    difference(b, &here, &along, expected);
    take(b, &here, end);
    put_direction(b, &along);
    sal_motion_tangent(&b->run->motion, &b->tangent, NULL, false);
    sal_motion_extend_tangent(&b->run->motion, &b->tangent);
    for (int i = 0; i < NX; i++) EXPECT_NEAR(b->tangent.dx[i], expected[i], 1e-9);
    EXPECT_NEAR(b->tangent.dz[0], expected[NX], 1e-8);
    EXPECT_NEAR(b->tangent.dt[0], along.t, 0.0);
    difference(b, &here, &longer, expected);
    take(b, &here, end);
    sal_motion_delta_tangent(&b->run->motion, &b->tangent);
    for (int i = 0; i < NX; i++) EXPECT_NEAR(b->tangent.dx[i], expected[i], 1e-9);
    EXPECT_NEAR(b->tangent.dz[0], expected[NX], 1e-8);
    EXPECT_NEAR(b->tangent.dt[0], 1.0, 0.0);
}

/* Both sides of bar^T (tangent) = (adjoint)^T direction. */
static void expect_adjoint(bench *b)
{
    const double bar[NX + 2] = {0.3, -1.2, 0.7, 0.4, 1.1, -0.6}; /* x, z, t */
    sal_adjoint *a = &b->adjoint;
    double       end[NX + 1], left, right;
    take(b, &here, end);
    put_direction(b, &along);
    sal_motion_tangent(&b->run->motion, &b->tangent, NULL, false);
    sal_motion_extend_tangent(&b->run->motion, &b->tangent);
    left = bar[NX] * b->tangent.dz[0] + bar[NX + 1] * b->tangent.dt[0];
    for (int i = 0; i < NX; i++) left += bar[i] * b->tangent.dx[i];
    a->lanes = 1;
    memset(a->u_bar, 0, (size_t)b->system->layout.size * sizeof(double));
    memcpy(a->x_bar, bar, NX * sizeof(double));
    a->z_bar[0] = bar[NX];
    a->t_bar[0] = bar[NX + 1];
    sal_motion_extend_adjoint(&b->run->motion, a);
    sal_motion_adjoint(&b->run->motion, a, NULL);
    right = a->t_bar[0] * along.t + *sal_lanes_at(b->system, a->u_bar, 1, SAL_LEAF_P) * along.p;
    for (int i = 0; i < NX; i++) right += a->x_bar[i] * along.x[i];
    EXPECT_NEAR(right, left, 1e-13);
}

TEST(a_rest_has_the_tangent_that_differences_show)
{
    bench b = set_up(SALTUS_INTERP);
    expect_tangent(&b);
    take_down(&b);
}

TEST(the_adjoint_of_a_rest_is_that_of_its_tangent)
{
    bench b = set_up(SALTUS_INTERP);
    expect_adjoint(&b);
    take_down(&b);
}

TEST(compiled_code_takes_all_stages_in_one_go_with_the_same_derivatives)
{
    bench b = set_up(SALTUS_NATIVE);
    expect_tangent(&b);
    expect_adjoint(&b);
    take_down(&b);
}

TEST_MAIN(RUN(a_rest_has_the_tangent_that_differences_show),
          RUN(the_adjoint_of_a_rest_is_that_of_its_tangent),
          RUN(compiled_code_takes_all_stages_in_one_go_with_the_same_derivatives))
