/* What a model looks like: shapes of elements and of draw.*, and how their numbers are computed. */
#include "saltus/saltus.h"
#include "test.h"

typedef struct picture {
    saltus_model   *model;
    saltus_system  *system;
    saltus_run     *run;
    saltus_drawing *drawing;
    saltus_row      row;
    double         *value;
} picture;

static picture picture_of(const char *script)
{
    picture      p = {0};
    saltus_error err = {0};
    p.model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    p.system = saltus_system_compile(p.model, &err);
    p.run = saltus_run_new(p.system, NULL, &err);
    saltus_run_simulate(p.run, NULL, &err);
    saltus_run_final(p.run, &p.row, &err);
    p.drawing = saltus_drawing_new(p.system, &err);
    if (err.status) fail_msg("%d: %s", err.line, err.message);
    p.value = calloc((size_t)saltus_drawing_ops(p.drawing) + 1, sizeof *p.value);
    saltus_drawing_compute(p.drawing, &p.row, NULL, p.value);
    return p;
}

static void picture_free(picture *p)
{
    free(p->value);
    saltus_drawing_free(p->drawing);
    saltus_run_free(p->run);
    saltus_system_free(p->system);
    saltus_model_free(p->model);
}

/* "bar spring fixed ...", in the order they were drawn. */
static void expect_shapes(const picture *p, const char *expected)
{
    char text[1000] = "";
    for (int i = 0; i < saltus_drawing_shapes(p->drawing); i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                 saltus_shape_name(saltus_drawing_shape(p->drawing, i).shape));
    }
    EXPECT_TEXT(text, expected);
}

static double number_of(const picture *p, int shape, int place)
{
    const saltus_shape_info info = saltus_drawing_shape(p->drawing, shape);
    EXPECT(place < info.count);
    return p->value[info.value[place]];
}

TEST(elements_draw_themselves)
{
    picture p = picture_of("gravity(0, -9.81)\n"
                           "local A = ground_point(0, 2)\n"
                           "local P = point('P', {x = 0.5, guess = {0.5, 1}})\n"
                           "bar {A, P, mass = 1, length = 1, name = 'arm'}\n"
                           "spring {P, ground_point(3, 0), stiffness = 2}\n"
                           "local B = body('B', {x = 1, angle = 0.5, mass = 1, inertia = 1})\n"
                           "local Q = B:point(0.2, 0.1)\n"
                           "contact {Q, line = {ground_point(0, -50), ground_point(1, -50)},\n"
                           "         restitution = 0.5}\n"
                           "horizon(0, 0.3)\n");
    expect_shapes(&p, "point bar fixed spring fixed body arm floor point contact");
    EXPECT_TEXT(saltus_drawing_shape(p.drawing, 0).name, "P");
    EXPECT_TEXT(saltus_drawing_shape(p.drawing, 1).name, "arm");
    EXPECT(saltus_drawing_shape(p.drawing, 1).line == 4);
    EXPECT_NEAR(number_of(&p, 1, 1), 2.0, 0.0);
    EXPECT_NEAR(number_of(&p, 1, 2), p.row.q[0], 0.0);
    EXPECT_NEAR(number_of(&p, 1, 3), p.row.q[1], 0.0);
    EXPECT_NEAR(number_of(&p, 3, 2), 3.0, 0.0);
    const double c = cos(p.row.q[4]), s = sin(p.row.q[4]);
    EXPECT_NEAR(number_of(&p, 6, 2), p.row.q[2] + 0.2 * c - 0.1 * s, 1e-15);
    EXPECT_NEAR(number_of(&p, 6, 3), p.row.q[3] + 0.2 * s + 0.1 * c, 1e-14);
    picture_free(&p);
}

/* Motors and torsion springs at their bodies or corners, gaps from a point along x or y. */
TEST(what_turns_and_what_may_touch_draw_themselves)
{
    picture p =
        picture_of("local A = body('A', {x = 1, y = 2, angle = 0.5, mass = 1, inertia = 1})\n"
                   "local B = body('B', {x = 3, y = 4, angle = 0.2, mass = 1, inertia = 1})\n"
                   "motor {A, torque = 1}\n"
                   "motor {of = A.angle - 2 * B.angle, torque = 1}\n"
                   "torsion_spring {A, B, stiffness = 2}\n"
                   "torsion_spring {B, stiffness = 2}\n"
                   "torsion_spring {ground_point(1, 0), ground_point(0, 0),\n"
                   "                A:point(0, 0), stiffness = 2}\n"
                   "contact {gap = 9 - B.y + t, restitution = 1}\n"
                   "contact {gap = A.x + B.x, restitution = 1}\n"
                   "contact {gap = 20 + 2 * A.x, restitution = 1}\n"
                   "horizon(0, 0.1)\n");
    expect_shapes(&p, "body body motor coil coil arm coil gap contact");
    EXPECT_NEAR(number_of(&p, 2, 0), p.row.q[0], 0.0);
    EXPECT_NEAR(number_of(&p, 2, 2), p.row.q[2], 0.0);
    EXPECT_NEAR(number_of(&p, 3, 0), p.row.q[3], 0.0);
    EXPECT_NEAR(number_of(&p, 3, 2), p.row.q[2], 0.0);
    EXPECT_NEAR(number_of(&p, 3, 3), p.row.q[5], 0.0);
    EXPECT_NEAR(number_of(&p, 4, 2), 0.0, 0.0);
    EXPECT_NEAR(number_of(&p, 6, 0), 0.0, 0.0);
    EXPECT_NEAR(number_of(&p, 6, 3), atan2(p.row.q[1], p.row.q[0]), 1e-15);
    EXPECT_NEAR(number_of(&p, 7, 1), p.row.q[4], 0.0);
    EXPECT_NEAR(number_of(&p, 7, 2), p.row.q[3], 0.0);
    EXPECT_NEAR(number_of(&p, 7, 3), 9.1, 1e-14);
    picture_free(&p);
}

/* Circles that roll on each other, beside each other or one in the other; for a ratio of -1 there
 * are none. */
TEST(gears_are_drawn_as_circles_that_roll_on_each_other)
{
    picture p = picture_of(
        "local i = param('i', -0.25)\n"
        "local on = mode 'on'\n"
        "local A = body('A', {x = 1, y = 1, angle = 0.5, spin = 1, mass = 1, inertia = 1})\n"
        "local B = body('B', {x = 4, y = 5, mass = 1, inertia = 1})\n"
        "local C = body('C', {x = 1, y = 7, mass = 1, inertia = 1})\n"
        "local D = body('D', {mass = 1, inertia = 1})\n"
        "gear {A, B, ratio = 1.5, mode = on, name = 'outer'}\n"
        "gear {B, C, ratio = i}\n"
        "gear {A, D, ratio = -1}\n"
        "horizon(0, 0.1)\n");
    const double distance[] = {5.0, hypot(3.0, 2.0)}; /* from A to B, from B to C */
    expect_shapes(&p, "body body body body gear gear gear gear");
    EXPECT_TEXT(saltus_drawing_shape(p.drawing, 4).name, "outer");
    EXPECT(saltus_drawing_shape(p.drawing, 5).modes == 1);
    EXPECT(saltus_drawing_shape(p.drawing, 6).modes == 0);
    EXPECT_NEAR(number_of(&p, 4, 0), p.row.q[0], 0.0);
    EXPECT_NEAR(number_of(&p, 4, 2), 0.6 * distance[0], 1e-14);
    EXPECT_NEAR(number_of(&p, 4, 3), p.row.q[2], 0.0);
    EXPECT_NEAR(number_of(&p, 5, 1), p.row.q[4], 0.0);
    EXPECT_NEAR(number_of(&p, 5, 2), 0.4 * distance[0], 1e-14);
    EXPECT_NEAR(number_of(&p, 5, 3), p.row.q[5], 0.0);
    EXPECT_NEAR(number_of(&p, 6, 2), distance[1] / 3.0, 1e-14);
    EXPECT_NEAR(number_of(&p, 7, 2), distance[1] * 4.0 / 3.0, 1e-14);
    picture_free(&p);
}

/* The numbers of a contact of the point (3, 4): the point, normal, tangent, gap, friction. */
static void expect_contact(const char *what, const char *name, const double *expected, int count)
{
    char script[1000];
    snprintf(script, sizeof script,
             "local P = point('P', {x = 3, y = 4})\nmass(P, 1)\nlocal mu = param('mu', 0.25)\n"
             "contact {P, %s}\nhorizon(0, 0.1)\n",
             what);
    picture                 p = picture_of(script);
    const int               last = saltus_drawing_shapes(p.drawing) - 1;
    const saltus_shape_info info = saltus_drawing_shape(p.drawing, last);
    EXPECT(info.shape == SALTUS_SHAPE_CONTACT);
    EXPECT_TEXT(info.name, name);
    EXPECT(info.count == count);
    for (int i = 0; i < count; i++) EXPECT_NEAR(number_of(&p, last, i), expected[i], 1e-15);
    picture_free(&p);
}

TEST(contacts_are_drawn_with_their_directions)
{
    expect_contact("line = {ground_point(0, 4), ground_point(0, 1)}, friction = mu, name = 'wall'",
                   "wall", (const double[]){3, 4, 1, 0, 0, -1, 3, 0.25}, 8);
    expect_contact(
        "circle = {ground_point(0, 0), radius = 2}, friction = {static = mu, kinetic = 0.1}",
        "contact 1", (const double[]){3, 4, 0.6, 0.8, -0.8, 0.6, 3, 0.25}, 8);
    expect_contact("inside = {ground_point(0, 0), radius = 7}, restitution = 0.5", "contact 1",
                   (const double[]){3, 4, -0.6, -0.8, -0.8, 0.6, 2}, 7);
}

TEST(scripts_draw)
{
    picture p = picture_of("local r, c = param('r', 0.25), memory('c', 7)\n"
                           "local y = coordinate('y', {start = 1, speed = 2})\n"
                           "mass(y, 1)\n"
                           "local up, down = mode 'up', mode 'down'\n"
                           "event('turn', {when = dot(y), from = up, to = down})\n"
                           "draw.line {{0, 0}, {c * t, abs(y)}, {1, dot(y)}, style = 'spring'}\n"
                           "draw.circle {{0, y}, radius = 2 * r, angle = y, name = 'ball'}\n"
                           "draw.trace {{t, y}, mode = down}\n"
                           "force(y, -1)\n"
                           "horizon(0, 1)\n");
    expect_shapes(&p, "spring circle trace");
    EXPECT(saltus_drawing_shape(p.drawing, 0).count == 6);
    EXPECT_NEAR(number_of(&p, 0, 2), 7.0, 1e-15);
    EXPECT_NEAR(number_of(&p, 0, 3), p.row.q[0], 0.0);
    EXPECT_NEAR(number_of(&p, 0, 5), p.row.v[0], 0.0);
    EXPECT_NEAR(number_of(&p, 1, 2), 0.5, 0.0);
    EXPECT_NEAR(number_of(&p, 1, 3), p.row.q[0], 0.0);
    EXPECT_TEXT(saltus_drawing_shape(p.drawing, 1).name, "ball");
    EXPECT(saltus_drawing_shape(p.drawing, 1).modes == 0);
    EXPECT(saltus_drawing_shape(p.drawing, 2).modes == 1);
    EXPECT(saltus_drawing_shape(p.drawing, 2).mode[0] == 1);
    /* What is drawn takes no part in the motion: no kink, no event. */
    EXPECT(saltus_system_size(p.system).events == 1);
    picture_free(&p);
}

static void expect_mistake(const char *drawing, const char *message)
{
    char         script[500];
    saltus_error err = {0};
    snprintf(script, sizeof script,
             "local P = point('P', {x = 1})\nlocal x = coordinate('x')\n%s\n", drawing);
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    saltus_model_free(model);
    if (!strstr(err.message, message)) fail_msg("'%s' of %s", err.message, drawing);
    EXPECT(err.line == 3);
}

TEST(mistakes_are_named)
{
    expect_mistake("draw(1)", "draw is a table of drawings: write draw.line{P, Q}, for example");
    expect_mistake("draw.lime{P, P}", "there is no draw.lime, did you mean 'draw.line'?");
    expect_mistake("draw.hexagon{}",
                   "there is no draw.hexagon; there are draw.circle, draw.line and draw.trace");
    expect_mistake("draw.line = 1", "'draw' is a word of the model language and cannot be changed");
    expect_mistake("draw.line{P}", "a line goes through two points or more");
    expect_mistake("draw.line{P, x}", "point 2 must be a point");
    expect_mistake("draw.line{P, {1}}", "y of point 2 must be an expression or a number");
    expect_mistake("draw.line{P, {1, 2, 3}}", "has 2 entries, got an entry 3");
    expect_mistake("draw.line{P, {0, 0}, style = 'thick'}",
                   "style must be line, dashed, ground, bar, rod, spring or damper, got 'thick'");
    expect_mistake("draw.line{P, {0, 0}, colour = 'red'}", "there is no option 'colour'");
    expect_mistake("draw.circle{P}", "radius is missing");
    expect_mistake("draw.trace{}", "the point must be a point");
    expect_mistake("draw.trace{{ddot(x), 0}}", "what is drawn may not contain accelerations");
}

/* Memory that runs out at the n-th request. */
typedef struct scarce {
    int left;
} scarce;

static void *scarce_resize(void *context, void *block, size_t old_size, size_t size)
{
    scarce *s = context;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return s->left-- > 0 ? realloc(block, size) : NULL;
}

/* One body, drawn through the C interface; NULL when memory runs out. */
static saltus_drawing *draw_body(const saltus_allocator *allocator, saltus_model **model,
                                 saltus_system **system, saltus_error *err)
{
    *model = saltus_model_new(allocator, err);
    if (!*model) return NULL;
    const saltus_expr     one = saltus_number(*model, 1.0);
    const saltus_body_def def = {.mass = one, .inertia = one};
    const saltus_body     body = saltus_body_new(*model, "B", &def);
    const saltus_expr     numbers[] = {body.x, body.y, one};
    saltus_body_point(*model, body, one, one);
    saltus_draw(*model, SALTUS_SHAPE_CIRCLE, "ring", numbers, 3, (saltus_modes){0});
    saltus_horizon(*model, 0.0, one);
    *system = saltus_system_compile(*model, err);
    return saltus_drawing_new(*system, err);
}

TEST(memory_that_runs_out_is_said)
{
    for (int n = 0, done = 0; !done; n++) {
        scarce                 memory = {n};
        const saltus_allocator allocator = {scarce_resize, &memory};
        saltus_error           err = {0};
        saltus_model          *model = NULL;
        saltus_system         *system = NULL;
        saltus_drawing        *drawing = draw_body(&allocator, &model, &system, &err);
        done = drawing != NULL;
        if (!done && err.status != SALTUS_ERR_MEMORY) fail_msg("%d: %s", n, err.message);
        if (done) EXPECT(saltus_drawing_shapes(drawing) == 3);
        saltus_drawing_free(drawing);
        saltus_system_free(system);
        saltus_model_free(model);
    }
}

TEST(wrong_numbers_of_numbers_are_refused)
{
    saltus_error      err = {0};
    saltus_model     *model = saltus_model_new(NULL, &err);
    const saltus_expr one = saltus_number(model, 1.0), numbers[] = {one, one, one};
    saltus_draw(model, SALTUS_SHAPE_LINE, NULL, numbers, 3, (saltus_modes){0});
    EXPECT_TEXT(saltus_model_error(model)->message,
                "a line is drawn by 4 numbers or more, not by 3");
    saltus_model_free(model);
    EXPECT_TEXT(saltus_shape_name(SALTUS_SHAPE_TRACE), "trace");
    EXPECT_TEXT(saltus_shape_name(SALTUS_SHAPES), "");
}

TEST_MAIN(RUN(elements_draw_themselves), RUN(what_turns_and_what_may_touch_draw_themselves),
          RUN(gears_are_drawn_as_circles_that_roll_on_each_other),
          RUN(contacts_are_drawn_with_their_directions), RUN(scripts_draw), RUN(mistakes_are_named),
          RUN(memory_that_runs_out_is_said), RUN(wrong_numbers_of_numbers_are_refused))
