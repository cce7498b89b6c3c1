/* Every public function with pointers that are NULL, indices that are out of range, lists that are
 * not there and enumerators that do not exist. Nothing may be read or written outside of what there
 * is (sanitizers tell), what fails says so, and what is handed out is empty. */
#include <limits.h>

#include "saltus/saltus.h"
#include "test.h"

static const char script[] =
    "local k, s = param('k', 2), setting('s', 'a')\n"
    "local p = point('p', {x = 1, y = 0, speed = {0, 1}})\n"
    "local m = memory('m', 3)\n"
    "local up, down = mode 'up', mode 'down'\n"
    "mass(p, 1)\n"
    "rod{ground_point(0, 0), p, length = 1}\n"
    "gravity(0, -k)\n"
    "event('top', {when = dot(p.y), set = {[m] = m + 1}})\n"
    "event('low', {when = p.y - 0.1, to = down, restitution = 0.5, direction = 'falling'})\n"
    "cost('c', {integral = p.x^2, final = p.y})\n"
    "output('o', p.x + p.y)\n"
    "horizon(0, 1)\n";

typedef struct subject {
    saltus_model   *model;
    saltus_system  *system;
    saltus_run     *run;
    saltus_drawing *drawing;
    saltus_error    err;
} subject;

static subject make(void)
{
    subject s = {0};
    s.model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &s.err);
    s.system = saltus_system_compile(s.model, &s.err);
    s.run = saltus_run_new(s.system, NULL, &s.err);
    saltus_run_simulate(s.run, NULL, &s.err);
    s.drawing = saltus_drawing_new(s.system, &s.err);
    if (s.err.status) fail_msg("line %d: %s", s.err.line, s.err.message);
    EXPECT(saltus_run_get_info(s.run)->events > 0);
    return s;
}

static void subject_free(subject *s)
{
    saltus_drawing_free(s->drawing);
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    saltus_model_free(s->model);
}

/* The call fails, is told so by its status and by err, and says why. */
#define EXPECT_REFUSED(call)                                                                       \
    do {                                                                                           \
        saltus_error err = {0}; /* the name that the calls use */                                  \
        EXPECT((call) == SALTUS_ERR_ARGUMENT);                                                     \
        EXPECT(err.status == SALTUS_ERR_ARGUMENT && err.message[0]);                               \
    } while (0)
#define EXPECT_NOTHING(call)                                                                       \
    do {                                                                                           \
        saltus_error err = {0};                                                                    \
        EXPECT((call) == NULL);                                                                    \
        EXPECT(err.status == SALTUS_ERR_ARGUMENT && err.message[0]);                               \
    } while (0)
/* The model notes the mistake. */
#define EXPECT_NOTED(call)                                                                         \
    do {                                                                                           \
        saltus_model *model = saltus_model_new(NULL, NULL);                                        \
        saltus_expr   x = saltus_coordinate(model, "x", NULL);                                     \
        (void)x, (call);                                                                           \
        EXPECT(saltus_model_error(model)->status != SALTUS_OK);                                    \
        EXPECT(saltus_model_error(model)->message[0]);                                             \
        saltus_model_free(model);                                                                  \
    } while (0)

static int  row_ignored(void *context, const saltus_row *row) { return (void)context, !row; }
static int  tangent_ignored(void *c, const saltus_tangent_row *row) { return (void)c, !row; }
static int  adjoint_ignored(void *c, const saltus_adjoint_row *row) { return (void)c, !row; }
static int  clearance_ignored(void *c, const saltus_clearance *clear) { return (void)c, !clear; }
static int  sides_ignored(void *c, const saltus_sides *sides) { return (void)c, !sides; }
static int  step_ignored(void *c, const saltus_run_step *step) { return (void)c, !step; }
static int  finding_ignored(void *c, const saltus_audit_finding *f) { return (void)c, !f; }
static int  file_ignored(void *c, const char *f, const char *t) { return (void)c, !f || !t; }
static void text_ignored(void *context, const char *text) { (void)context, (void)text; }

/* ---- models --------------------------------------------------------------------------------- */

TEST(builders_without_a_model_do_nothing)
{
    saltus_model        *none = NULL;
    const saltus_expr    e = {1};
    const saltus_modes   all = {0};
    const saltus_point   p = {e, e};
    const saltus_body    b = {e, e, e};
    const saltus_event   event = {1};
    const char          *text;
    double               value;
    saltus_contact_def   contact = {.surface = {.gap = e}};
    const saltus_contact touching = {.name = "c", .touch = event, .leave = event};
    saltus_model_free(none);
    saltus_model_set_name(none, "name");
    saltus_model_at(none, "file", 1);
    saltus_model_fail(none, "%s", "a mistake");
    saltus_model_set_limit(none, 5);
    saltus_model_override(none, "a", 1.0, NULL);
    saltus_model_note_setting(none, "a", 1.0, NULL);
    EXPECT_TEXT(saltus_model_name(none), "");
    EXPECT(saltus_model_error(none)->status == SALTUS_ERR_ARGUMENT);
    EXPECT(saltus_model_bytes(none) == 0);
    saltus_model_set_compile_limits(none, 1, 1);
    EXPECT(saltus_model_find_override(none, "a", &value, &text) == 0);
    EXPECT_REFUSED(saltus_model_check_overrides(none, &err));
    EXPECT(saltus_model_options(none) == NULL);
    EXPECT(saltus_model_cost_count(none) == 0);
    EXPECT_TEXT(saltus_model_cost_name(none, 0), "");
    EXPECT(saltus_expr_print(none, e, NULL, 5) == 0);
    EXPECT(saltus_expr_number(none, e, &value) == 0);
    EXPECT(saltus_number(none, 1.0).id == 0);
    EXPECT(saltus_time(none).id == 0);
    EXPECT(saltus_param(none, "k", 1.0, NULL).id == 0);
    EXPECT(saltus_coordinate(none, "x", NULL).id == 0);
    EXPECT(saltus_memory(none, "m", e).id == 0);
    EXPECT(saltus_state(none, "s", NULL).id == 0);
    saltus_state_rate(none, e, e, all);
    EXPECT(saltus_dot(none, e).id == 0);
    EXPECT(saltus_after(none, e).id == 0);
    EXPECT(saltus_impulse(none, "i").id == 0);
    EXPECT(saltus_apply(none, SALTUS_ADD, e, e).id == 0);
    EXPECT(saltus_step(none, e, e).id == 0);
    EXPECT(saltus_pulse(none, e, e, e, e).id == 0);
    EXPECT(saltus_mod(none, e, e, e).id == 0);
    EXPECT(saltus_curve(none, e, NULL).id == 0);
    saltus_measurement(none, "m", NULL);
    EXPECT(saltus_model_measurement_count(none) == 0);
    EXPECT_TEXT(saltus_model_measurement(none, 0).name, "");
    EXPECT(saltus_mode_new(none, "m", NULL).id == 0);
    saltus_kinetic(none, e, all);
    saltus_potential(none, e, all);
    saltus_dissipation(none, e, all);
    saltus_force(none, e, e, all);
    saltus_mass(none, e, e, all);
    saltus_constraint(none, "c", e, all);
    saltus_rolling(none, "c", e, all);
    saltus_friction_new(none, "c", e, (saltus_friction){{0}, {0}}, all);
    saltus_constraint_alpha(none, "c", 1.0);
    EXPECT(saltus_multiplier(none, "c").id == 0);
    EXPECT(saltus_point_new(none, "p", NULL, NULL).x.id == 0);
    saltus_point_mass(none, p, e, all);
    saltus_point_force(none, p, e, e, all);
    saltus_spring(none, p, p, e, e, all);
    saltus_damper(none, p, p, e, all);
    saltus_rod(none, NULL, p, p, e, all);
    saltus_bar(none, NULL, p, p, e, e, all);
    saltus_gravity(none, e, e, all);
    EXPECT(saltus_body_new(none, "b", NULL).x.id == 0);
    EXPECT(saltus_body_new(none, "b", &(saltus_body_def){.mass = e, .inertia = e}).x.id == 0);
    EXPECT(saltus_body_centre(b).x.id == 1);
    EXPECT(saltus_body_point(none, b, e, e).x.id == 0);
    saltus_revolute(none, NULL, p, p, all);
    saltus_distance(none, NULL, p, p, e, all);
    saltus_slot(none, NULL, p, p, p, e, all);
    saltus_prismatic(none, NULL, b, p, p, e, e, all);
    saltus_weld(none, NULL, b, b, e, e, e, all);
    EXPECT(saltus_direction_angle(none, p, p).id == 0);
    EXPECT(saltus_corner_angle(none, p, p, p, e).id == 0);
    saltus_torsion_spring(none, e, e, e, all);
    saltus_torsion_damper(none, e, e, all);
    saltus_motor(none, NULL, e, e, all);
    saltus_motor_direction(none, NULL, p, p, e, all);
    saltus_gear(none, NULL, b, b, b, e, e, all);
    EXPECT(saltus_event_new(none, "e", e, SALTUS_ANY, all, all).id == 0);
    saltus_event_where(none, event, e);
    saltus_event_set(none, event, e, e);
    saltus_event_restitution(none, event, e);
    saltus_event_charge(none, event, "c", e);
    saltus_event_stop(none, event, 1);
    EXPECT(saltus_event_every(none, "e", e, e, all, all).id == 0);
    EXPECT(saltus_event_after(none, "e", "f", e, all, all).id == 0);
    EXPECT(saltus_control(none, "u", &(saltus_control_def){.nodes = 2}).id == 0);
    saltus_mode_initial(none, (saltus_mode){1});
    saltus_event_enter(none, event, SALTUS_ENTER_FIRE);
    saltus_surface_gap(none, e);
    EXPECT(saltus_surface_line(none, p, p, p).gap.id == 0);
    EXPECT(saltus_surface_circle(none, p, p, e, e, 0).gap.id == 0);
    EXPECT(saltus_contact_new(none, "c", &contact).name == NULL);
    EXPECT(saltus_contact_new(none, "c", NULL).name == NULL);
    saltus_contact_where(none, touching, e);
    saltus_contact_charge(none, touching, "c", e);
    saltus_cost(none, "c", e, e, NULL, NULL);
    saltus_cost_at(none, "c", &e, &e, 1);
    saltus_cost_max(none, "c", e);
    saltus_cost_min(none, "c", e);
    saltus_samples(none, "m", e, &e, 1);
    saltus_output(none, "o", e, NULL, NULL);
    saltus_repeats(none, e, e);
    saltus_horizon(none, 0.0, e);
    saltus_draw(none, SALTUS_SHAPE_POINT, NULL, NULL, 2, all);
}

/* Handles that are none, of a model that is one. */
TEST(builders_note_what_is_missing)
{
    static const int   ids[] = {0, -1, 1000, INT_MAX};
    const saltus_modes all = {0}, not_there = {NULL, 3}, negative = {NULL, -1};
    const saltus_expr  null = {0};
    const saltus_body  ground = {null, null, null};
    EXPECT_NOTED(saltus_kinetic(model, saltus_dot(model, x), not_there));
    EXPECT_NOTED(saltus_potential(model, x, negative));
    EXPECT_NOTED(saltus_event_new(model, "e", x, SALTUS_ANY, not_there, all));
    EXPECT_NOTED(saltus_event_new(model, "e", x, SALTUS_ANY, all, not_there));
    EXPECT_NOTED(saltus_event_new(model, "e", x, (saltus_direction)3, all, all));
    EXPECT_NOTED(saltus_event_new(model, "e", x, (saltus_direction)-1, all, all));
    EXPECT_NOTED(saltus_event_new(model, NULL, x, SALTUS_ANY, all, all));
    EXPECT_NOTED(saltus_event_enter(model, saltus_event_new(model, "e", x, SALTUS_ANY, all, all),
                                    (saltus_enter)7));
    EXPECT_NOTED(saltus_apply(model, (saltus_op)-1, x, x));
    EXPECT_NOTED(saltus_apply(model, (saltus_op)1000, x, x));
    EXPECT_NOTED(saltus_apply(model, (saltus_op)INT_MAX, x, x));
    EXPECT_NOTED(saltus_draw(model, SALTUS_SHAPES, "", &x, 1, all));
    EXPECT_NOTED(saltus_draw(model, (saltus_shape)-1, "", &x, 1, all));
    EXPECT_NOTED(saltus_draw(model, SALTUS_SHAPE_POINT, "", NULL, 2, all));
    EXPECT_NOTED(saltus_draw(model, SALTUS_SHAPE_LINE, "", &x, -4, all));
    EXPECT_NOTED(saltus_contact_new(model, NULL, NULL));
    EXPECT_NOTED(saltus_contact_new(
        model, "c", &(saltus_contact_def){.surface = {.gap = x}, .modes = not_there}));
    EXPECT_NOTED(saltus_model_override(model, NULL, 1.0, NULL));
    EXPECT_NOTED(saltus_model_note_setting(model, NULL, 1.0, NULL));
    EXPECT_NOTED(saltus_param(model, NULL, 1.0, NULL));
    EXPECT_NOTED(saltus_coordinate(model, NULL, NULL));
    EXPECT_NOTED(saltus_memory(model, NULL, null));
    EXPECT_NOTED(saltus_step(model, null, null));
    EXPECT_NOTED(saltus_pulse(model, x, null, x, null));
    EXPECT_NOTED(saltus_mod(model, x, null, null));
    EXPECT_NOTED(saltus_curve(model, x, NULL));
    EXPECT_NOTED(saltus_curve(model, x, &(saltus_curve_def){.count = 2}));
    EXPECT_NOTED(saltus_curve(model, x,
                              &(saltus_curve_def){.x = (const double[]){0.0, 1.0},
                                                  .y = (const saltus_expr[]){null, null},
                                                  .count = 2}));
    EXPECT_NOTED(saltus_curve(model, x,
                              &(saltus_curve_def){.x = (const double[]){0.0, 1.0},
                                                  .y = (const saltus_expr[]){x, x},
                                                  .count = 2,
                                                  .kind = (saltus_curve_kind)7}));
    EXPECT_NOTED(saltus_measurement(model, NULL, NULL));
    EXPECT_NOTED(saltus_measurement(model, "m", NULL));
    EXPECT_NOTED(saltus_measurement(model, "m", &(saltus_measurement_def){.of = x, .count = 1}));
    EXPECT_NOTED(saltus_state(model, NULL, NULL));
    EXPECT_NOTED(saltus_state_rate(model, x, x, all));
    EXPECT_NOTED(saltus_state_rate(model, null, x, all));
    EXPECT_NOTED(saltus_impulse(model, NULL));
    EXPECT_NOTED(saltus_mode_new(model, NULL, NULL));
    EXPECT_NOTED(saltus_constraint(model, NULL, x, all));
    EXPECT_NOTED(saltus_rolling(model, NULL, saltus_dot(model, x), all));
    EXPECT_NOTED(saltus_rolling(model, "r", x, all));
    EXPECT_NOTED(saltus_friction_new(model, "f", x, (saltus_friction){{0}, {0}}, all));
    EXPECT_NOTED(saltus_multiplier(model, NULL));
    EXPECT_NOTED(saltus_constraint_alpha(model, NULL, 1.0));
    EXPECT_NOTED(saltus_cost(model, NULL, x, x, NULL, NULL));
    EXPECT_NOTED(saltus_repeats(model, x, x));
    EXPECT_NOTED(saltus_cost_at(model, NULL, &x, &x, 1));
    EXPECT_NOTED(saltus_cost_max(model, NULL, x));
    EXPECT_NOTED(saltus_cost_max(model, "no such cost", x));
    EXPECT_NOTED(saltus_cost_min(model, "no such cost", (saltus_expr){0}));
    EXPECT_NOTED(saltus_event_every(model, "e", x, x, all, all)); /* a period that moves */
    EXPECT_NOTED(saltus_event_every(model, NULL, saltus_number(model, 1.0), x, all, all));
    EXPECT_NOTED(saltus_event_after(model, "e", NULL, saltus_number(model, 1.0), all, all));
    EXPECT_NOTED(saltus_event_after(model, "e", "f", saltus_number(model, -1.0), all, all));
    EXPECT_NOTED(saltus_control(model, NULL, &(saltus_control_def){.nodes = 2}));
    EXPECT_NOTED(saltus_control(model, "u", NULL));
    EXPECT_NOTED(saltus_control(model, "u", &(saltus_control_def){.nodes = -1}));
    EXPECT_NOTED(saltus_mode_initial(model, (saltus_mode){99}));
    EXPECT_NOTED(saltus_cost_at(model, "c", NULL, &x, 1));
    EXPECT_NOTED(saltus_cost_at(model, "c", &x, &x, 1)); /* a time that moves */
    EXPECT_NOTED(saltus_cost_at(model, "c", &x, NULL, 1));
    EXPECT_NOTED(saltus_cost_at(model, "c", &x, &x, 0));
    EXPECT_NOTED(saltus_samples(model, NULL, x, &x, 1));
    EXPECT_NOTED(saltus_samples(model, "m", x, NULL, 1));
    EXPECT_NOTED(saltus_samples(model, "m", x, &x, -1));
    EXPECT_NOTED(saltus_samples(model, "m", x, &x, 1));
    EXPECT_NOTED(saltus_output(model, NULL, x, NULL, NULL));
    EXPECT_NOTED(saltus_point_new(model, NULL, NULL, NULL));
    EXPECT_NOTED(saltus_body_new(model, NULL, NULL));
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const saltus_expr    e = {ids[i]};
        const saltus_point   p = {e, e};
        const saltus_body    b = {e, e, e};
        const saltus_mode    mode = {ids[i]};
        const saltus_modes   modes = {&mode, 1};
        const saltus_event   event = {ids[i]};
        const saltus_contact contact = {.touch = event, .settle = event, .leave = event};
        EXPECT_NOTED(saltus_kinetic(model, saltus_dot(model, x), modes));
        EXPECT_NOTED(saltus_dot(model, e));
        EXPECT_NOTED(saltus_after(model, e));
        EXPECT_NOTED(saltus_apply(model, SALTUS_SIN, e, null));
        EXPECT_NOTED(saltus_apply(model, SALTUS_ADD, x, e));
        EXPECT_NOTED(saltus_revolute(model, "r", p, p, all));
        EXPECT_NOTED(saltus_prismatic(model, NULL, b, p, p, e, e, all));
        EXPECT_NOTED(saltus_weld(model, NULL, b, b, e, e, e, all));
        EXPECT_NOTED(saltus_motor_direction(model, NULL, p, p, e, all));
        EXPECT_NOTED(saltus_gear(model, NULL, b, (saltus_body){x, x, x}, ground,
                                 saltus_number(model, 2.0), null, all));
        EXPECT_NOTED(saltus_gear(model, NULL, (saltus_body){x, x, x}, b, ground,
                                 saltus_number(model, 2.0), null, all));
        EXPECT_NOTED(saltus_gravity(model, e, e, all));
        EXPECT_NOTED(saltus_point_mass(model, p, e, all));
        EXPECT_NOTED(saltus_bar(model, NULL, p, p, e, e, all));
        EXPECT_NOTED(saltus_body_point(model, b, e, e));
        EXPECT_NOTED(saltus_surface_gap(model, e));
        EXPECT_NOTED(saltus_surface_line(model, p, p, p));
        EXPECT_NOTED(saltus_surface_circle(model, p, p, e, e, 1));
        EXPECT_NOTED(saltus_draw(model, SALTUS_SHAPE_POINT, "", &p.x, 2, modes));
        EXPECT_NOTED(saltus_event_where(model, event, x));
        EXPECT_NOTED(saltus_event_set(model, event, x, x));
        EXPECT_NOTED(saltus_event_restitution(model, event, x));
        EXPECT_NOTED(saltus_event_charge(model, event, NULL, x));
        EXPECT_NOTED(saltus_event_stop(model, event, 1));
        EXPECT_NOTED(saltus_event_enter(model, event, SALTUS_ENTER_WAIT));
        EXPECT_NOTED(saltus_contact_where(model, contact, x));
        EXPECT_NOTED(saltus_horizon(model, 0.0, e));
    }
}

TEST(expressions_that_are_none_have_no_number)
{
    saltus_model     *model = saltus_model_new(NULL, NULL);
    const saltus_expr half = saltus_number(model, 0.5);
    double            value = 7.0;
    char              text[8] = "full";
    EXPECT(saltus_expr_number(model, (saltus_expr){INT_MAX}, &value) == 0);
    EXPECT(saltus_expr_number(model, half, NULL) == 1);
    EXPECT(value == 7.0);
    EXPECT(saltus_expr_print(NULL, half, text, sizeof text) == 0 && text[0] == 0);
    EXPECT(saltus_expr_print(model, half, NULL, 5) == 3);
    EXPECT(saltus_expr_print(model, (saltus_expr){-7}, text, sizeof text) == 1);
    EXPECT(isnan(saltus_apply_number((saltus_op)-3, 1.0, 2.0)));
    EXPECT(isnan(saltus_apply_number((saltus_op)1000, 1.0, 2.0)));
    for (int op = -1; op <= SALTUS_OPS; op += SALTUS_OPS + 1) {
        EXPECT_TEXT(saltus_op_name((saltus_op)op), "");
        EXPECT_TEXT(saltus_op_text((saltus_op)op), "");
        EXPECT(saltus_op_arguments((saltus_op)op) == 0);
    }
    EXPECT_TEXT(saltus_model_cost_name(model, -1), "");
    EXPECT_TEXT(saltus_model_cost_name(model, 0), "");
    EXPECT(saltus_model_find_override(model, NULL, NULL, NULL) == 0);
    EXPECT(saltus_nearest(NULL, NULL, 3) == NULL);
    EXPECT(saltus_nearest("gain", (const char *const[]){NULL, "gains"}, 2) != NULL);
    static const char *const names[] = {"every", "verbose", "tol", "two", "five_bar"};
    EXPECT(saltus_nearest("verb", names, 5) == names[1]); /* cut short, not two mistakes */
    EXPECT(saltus_nearest("tolerance", names, 5) == names[2]);
    EXPECT(saltus_nearest("five", names, 5) == names[4]);
    EXPECT(saltus_nearest("evrey", names, 5) == names[0]);
    EXPECT(saltus_nearest("foo", names, 5) == NULL); /* two letters of three */
    EXPECT(saltus_nearest("q", names, 5) == NULL);
    saltus_model_set_name(model, NULL);
    saltus_model_at(model, NULL, -1);
    saltus_model_set_limit(model, -1);
    EXPECT(saltus_time(model).id != 0);
    saltus_model_free(model);
}

/* ---- scripts and options -------------------------------------------------------------------- */

TEST(scripts_and_options_that_are_not_there_are_refused)
{
    saltus_options        options = saltus_options_default();
    saltus_script_options given = saltus_script_options_default();
    char                  text[32];
    EXPECT_NOTHING(saltus_model_load(NULL, &err));
    EXPECT_NOTHING(saltus_model_load_with(NULL, NULL, &err));
    EXPECT_NOTHING(saltus_model_load_text(NULL, NULL, 5, NULL, &err));
    EXPECT(saltus_model_load_text(NULL, NULL, 0, NULL, NULL) == NULL);
    given.override_count = 2;
    EXPECT_NOTHING(saltus_model_load_text(NULL, script, strlen(script), &given, &err));
    given.override_count = -1;
    EXPECT_NOTHING(saltus_model_load_text(NULL, script, strlen(script), &given, &err));
    given.overrides = &(saltus_override){.name = NULL, .value = 1.0};
    given.override_count = 1;
    EXPECT_NOTHING(saltus_model_load_text(NULL, script, strlen(script), &given, &err));
    EXPECT(saltus_script_words()[0] != NULL);
    EXPECT(saltus_version()[0] != 0);
    EXPECT_REFUSED(saltus_options_set(NULL, "rtol", "1", &err));
    EXPECT_REFUSED(saltus_options_set(&options, NULL, "1", &err));
    EXPECT_REFUSED(saltus_options_set(&options, "rtol", NULL, &err));
    EXPECT_REFUSED(saltus_cache_folder(NULL, 0, &err));
    EXPECT_REFUSED(saltus_cache_folder(text, 0, &err));
    EXPECT_REFUSED(saltus_cache_list(NULL, NULL, &err));
    saltus_error failed = {.status = SALTUS_ERR_FILE}; /* nothing is done after a failure */
    EXPECT(saltus_cache_clear(&failed) == SALTUS_ERR_FILE);
    EXPECT(saltus_options_get(NULL, "rtol", text) == NULL);
    EXPECT(saltus_options_get(&options, NULL, text) == NULL);
    EXPECT(saltus_options_get(&options, "rtol", NULL) == NULL);
    EXPECT_TEXT(saltus_options_get(&options, "formulation", text), "index1");
    options.integrator = (saltus_integrator)17;
    options.formulation = (saltus_formulation)-1;
    options.backend = (saltus_backend)17;
    EXPECT_TEXT(saltus_options_get(&options, "integrator", text), "");
    EXPECT_TEXT(saltus_options_get(&options, "formulation", text), "");
    EXPECT_TEXT(saltus_options_get(&options, "backend", text), "");
    EXPECT_TEXT(saltus_status_text((saltus_status)-1), "");
    EXPECT_TEXT(saltus_status_name((saltus_status)1000), "");
    EXPECT(saltus_status_exit_code((saltus_status)1000) == 1);
    for (int status = SALTUS_OK; status <= SALTUS_ERR_INTERRUPTED; status++)
        EXPECT(saltus_status_name((saltus_status)status) &&
               saltus_status_text((saltus_status)status));
    for (int shape = 0; shape < SALTUS_SHAPES; shape++)
        EXPECT(saltus_shape_name((saltus_shape)shape) && *saltus_shape_name((saltus_shape)shape));
    EXPECT_TEXT(saltus_shape_name((saltus_shape)-1), "");
    EXPECT_TEXT(saltus_shape_name(SALTUS_SHAPES), "");
    EXPECT_TEXT(saltus_method_name((saltus_method)-1), "");
    EXPECT_TEXT(saltus_method_name((saltus_method)6), "");
}

/* ---- systems -------------------------------------------------------------------------------- */

static void look_everywhere(const saltus_system *s, int i)
{
    EXPECT_TEXT(saltus_system_param(s, i).name, "");
    EXPECT_TEXT(saltus_system_coordinate(s, i).name, "");
    EXPECT(saltus_system_is_state(s, i) == 0);
    EXPECT_TEXT(saltus_system_coordinate_start(s, i).start, "");
    EXPECT_TEXT(saltus_system_constraint(s, i).name, "");
    EXPECT(isnan(saltus_system_constraint_alpha(s, i)));
    EXPECT_TEXT(saltus_system_memory(s, i).name, "");
    EXPECT_TEXT(saltus_system_memory_start(s, i).start, "");
    EXPECT_TEXT(saltus_system_mode(s, i).name, "");
    EXPECT_TEXT(saltus_system_mode_group(s, i), "");
    EXPECT_TEXT(saltus_system_contact(s, i).name, "");
    EXPECT_TEXT(saltus_system_cost(s, i).name, "");
    EXPECT_TEXT(saltus_system_cost_integral(s, i), "");
    EXPECT_TEXT(saltus_system_cost_final(s, i), "");
    EXPECT_TEXT(saltus_system_cost_peak(s, i, NULL), "");
    EXPECT(saltus_system_cost_samples(s, i) == 0);
    EXPECT_TEXT(saltus_system_output(s, i).name, "");
    EXPECT_TEXT(saltus_system_event(s, i).name, "");
    EXPECT_TEXT(saltus_system_setting(s, i).name, "");
    EXPECT_TEXT(saltus_system_samples(s, i).name, "");
    EXPECT_TEXT(saltus_system_warning(s, i), "");
}

TEST(systems_have_nothing_beyond_their_lists)
{
    subject           s = make();
    const saltus_size z = saltus_system_size(s.system);
    double            start;
    const char       *end;
    for (int i = 0; i < 3; i++)
        look_everywhere(i ? s.system : NULL, i == 0 ? 0 : i == 1 ? -1 : INT_MAX);
    EXPECT_TEXT(saltus_system_param(s.system, z.params).name, "");
    EXPECT_TEXT(saltus_system_coordinate(s.system, z.coordinates).name, "");
    EXPECT(saltus_system_is_state(s.system, z.coordinates) == 0);
    EXPECT_TEXT(saltus_system_coordinate_start(s.system, z.coordinates).start, "");
    EXPECT_TEXT(saltus_system_constraint(s.system, z.constraints).name, "");
    EXPECT(isnan(saltus_system_constraint_alpha(s.system, z.constraints)));
    EXPECT_TEXT(saltus_system_memory(s.system, z.memories).name, "");
    EXPECT_TEXT(saltus_system_memory_start(s.system, z.memories).start, "");
    EXPECT_TEXT(saltus_system_mode(s.system, z.modes).name, "");
    EXPECT_TEXT(saltus_system_mode_group(s.system, z.modes), "");
    EXPECT_TEXT(saltus_system_contact(s.system, z.contacts).mu_static, "");
    EXPECT_TEXT(saltus_system_cost(s.system, z.costs).name, "");
    EXPECT_TEXT(saltus_system_cost_integral(s.system, z.costs), "");
    EXPECT_TEXT(saltus_system_cost_final(s.system, z.costs), "");
    EXPECT_TEXT(saltus_system_cost_peak(s.system, z.costs, NULL), "");
    EXPECT(saltus_system_cost_samples(s.system, z.costs) == 0);
    EXPECT_TEXT(saltus_system_output(s.system, z.outputs).name, "");
    EXPECT_TEXT(saltus_system_event(s.system, z.events).name, "");
    EXPECT_TEXT(saltus_system_setting(s.system, z.settings).name, "");
    EXPECT_TEXT(saltus_system_warning(s.system, saltus_system_warning_count(s.system)), "");
    EXPECT(saltus_system_warning_count(NULL) == 0);
    EXPECT(saltus_system_size(NULL).params == 0);
    EXPECT_TEXT(saltus_system_name(NULL), "");
    EXPECT(saltus_system_options(NULL).max_steps > 0);
    saltus_system_horizon(NULL, &start, &end);
    EXPECT(isnan(start) && end[0] == 0);
    saltus_system_horizon(s.system, NULL, NULL);
    EXPECT(saltus_system_find_param(NULL, "k") == -1 && saltus_system_find_cost(NULL, "c") == -1);
    EXPECT(saltus_system_find_param(s.system, NULL) == -1);
    EXPECT(saltus_system_find_cost(s.system, NULL) == -1);
    EXPECT_TEXT(saltus_system_backend(NULL).note, "");
    EXPECT_REFUSED(saltus_system_dump(NULL, NULL, text_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_system_dump(s.system, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_system_dump(s.system, "none", text_ignored, NULL, &err));
    EXPECT_NOTHING(saltus_system_compile(NULL, &err));
    EXPECT_NOTHING(saltus_system_compile_costs(NULL, NULL, 0, &err));
    EXPECT_NOTHING(saltus_system_compile_costs(s.model, NULL, 2, &err));
    EXPECT_NOTHING(saltus_system_compile_costs(s.model, NULL, -1, &err));
    EXPECT_NOTHING(saltus_system_compile_costs(s.model, (const char *const[]){NULL}, 1, &err));
    EXPECT(saltus_system_compile(NULL, NULL) == NULL);
    saltus_system_free(NULL);
    subject_free(&s);
}

TEST(drawings_have_nothing_beyond_their_lists)
{
    subject   s = make();
    const int shapes = saltus_drawing_shapes(s.drawing), steps = saltus_drawing_ops(s.drawing);
    const int shape[] = {-1, shapes, INT_MAX}, step[] = {-1, steps, INT_MAX};
    double   *value = calloc((size_t)steps + 1, sizeof *value);
    EXPECT(shapes > 0 && steps > 0);
    for (int i = 0; i < 3; i++) {
        EXPECT(saltus_drawing_shape(s.drawing, shape[i]).count == 0);
        EXPECT_TEXT(saltus_drawing_shape(s.drawing, shape[i]).name, "");
        EXPECT(isnan(saltus_drawing_op(s.drawing, step[i]).number));
    }
    EXPECT(saltus_drawing_shape(NULL, 0).count == 0);
    EXPECT(saltus_drawing_op(NULL, 0).a == -1);
    EXPECT(saltus_drawing_shapes(NULL) == 0 && saltus_drawing_ops(NULL) == 0);
    saltus_drawing_compute(NULL, &(saltus_row){0}, NULL, value);
    saltus_drawing_compute(s.drawing, NULL, NULL, value);
    saltus_drawing_compute(s.drawing, &(saltus_row){0}, NULL, NULL);
    saltus_drawing_compute(s.drawing, &(saltus_row){0}, NULL, value);
    EXPECT_NOTHING(saltus_drawing_new(NULL, &err));
    saltus_drawing_free(NULL);
    free(value);
    subject_free(&s);
}

/* ---- runs ----------------------------------------------------------------------------------- */

TEST(runs_are_not_made_with_options_that_do_not_exist)
{
    subject              s = make();
    const saltus_options good = saltus_system_options(s.system);
    saltus_options       o[11];
    for (int i = 0; i < 11; i++) o[i] = good;
    o[0].integrator = (saltus_integrator)99;
    o[1].integrator = (saltus_integrator)-1;
    o[2].formulation = (saltus_formulation)2;
    o[3].formulation = (saltus_formulation)-1;
    o[4].backend = (saltus_backend)3;
    o[5].rtol = NAN;
    o[6].event_rate_min = NAN;
    o[7].fd_step = -1.0;
    o[8].threads = -1;
    o[9] = (saltus_options){0};
    o[10].size--;
    for (int i = 0; i < 11; i++) EXPECT_NOTHING(saltus_run_new(s.system, &o[i], &err));
    EXPECT_NOTHING(saltus_run_new(NULL, &good, &err));
    saltus_error err = {0};
    char         buffer[32];
    EXPECT(saltus_options_set(&o[9], "rtol", "1e-6", &err) == SALTUS_ERR_ARGUMENT);
    EXPECT(strstr(err.message, "options.size is 0") && o[9].rtol == 0.0);
    EXPECT(saltus_options_get(&o[10], "rtol", buffer) == NULL);
    EXPECT(saltus_run_new(NULL, NULL, NULL) == NULL);
    subject_free(&s);
}

/* Without a run, or with one that has nothing to show. */
static void expect_no_results(saltus_run *run)
{
    saltus_row           row;
    saltus_audit         audit;
    saltus_trust         trust;
    const saltus_request all = {.method = SALTUS_DISCRETE};
    saltus_differences   room;
    double               value[200];
    const double         time = 0.5;
    const int            param = 0;
    int                  rows = -1, columns = -1;
    room = (saltus_differences){.gradient = value};
    const saltus_run_info *info = saltus_run_get_info(run);
    EXPECT(info->outcome == SALTUS_NOT_SIMULATED);
    EXPECT_TEXT(info->message, "");
    EXPECT(info->events == 0 && info->warnings == 0 && info->last_event == -1 && isnan(info->t));
    EXPECT_TEXT(saltus_run_warning(run, 0), "");
    EXPECT(saltus_run_event(run, 0).event == -1);
    EXPECT_TEXT(saltus_run_event(run, 0).name, "");
    EXPECT(saltus_run_impulses(run, 0, value) == 0);
    EXPECT_REFUSED(saltus_run_final(run, &row, &err));
    EXPECT_REFUSED(saltus_run_costs(run, value, &err));
    EXPECT(saltus_run_peak(run, 0).place == SALTUS_NO_PEAK);
    EXPECT_TEXT(saltus_peak_place_name((saltus_peak_place)-1), "");
    EXPECT_REFUSED(saltus_run_trajectory(run, &time, 1, row_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_sample(run, &time, 1, value, &err));
    EXPECT_REFUSED(saltus_run_samples(run, -1, NULL, value, &err));
    EXPECT_REFUSED(saltus_run_sample_gradients(run, -1, SALTUS_DIRECT, NULL, 0, value, &err));
    EXPECT_REFUSED(saltus_run_steps(run, step_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_audit(run, finding_ignored, NULL, &audit, &err));
    EXPECT_REFUSED(saltus_run_emit(run, file_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_gradients(run, &all, value, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_cost_gradient(run, "c", &value[0], &value[1], &err));
    EXPECT_REFUSED(saltus_run_differences(run, &all, &room, &err));
    EXPECT_REFUSED(saltus_run_one_sided(run, &all, sides_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_sizes(run, &all, &time, 1, value, value, value, &err));
    EXPECT_REFUSED(saltus_run_tangents(run, &param, 1, &time, 1, tangent_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_adjoints(run, 0, &time, 1, adjoint_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_jump_matrix(run, 0, &rows, &columns, value, &err));
    EXPECT_REFUSED(saltus_run_clearances(run, &param, 1, clearance_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_trust(run, &param, 1, &trust, &err));
    EXPECT_REFUSED(saltus_run_state(run, -1, 0, NULL, value, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_vjp(run, NULL, NULL, NULL, NULL, value, NULL, &err));
    EXPECT_REFUSED(saltus_run_jvp(run, 1, NULL, NULL, value, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_replay(run, NULL, &err));
    EXPECT_REFUSED(saltus_run_hessian_product(run, &all, value, value, &err));
}

/* States that a run cannot begin with. */
static void expect_no_start(saltus_run *run)
{
    double                   x[8] = {0.0}, bad[8] = {NAN};
    const int                none[] = {-1, -1, -1, -1};
    const saltus_start_state good = {NULL, x, x, NULL, 0}, no_speed = {NULL, x, NULL, NULL, 0};
    const saltus_start_state unknown = {NULL, x, bad, NULL, 0}, modes = {none, x, x, NULL, 0};
    EXPECT(saltus_system_states(NULL) == 0);
    EXPECT_REFUSED(saltus_run_simulate_from(NULL, &good, 0.0, 1.0, NULL, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, NULL, 0.0, 1.0, NULL, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, &good, 1.0, 1.0, NULL, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, &good, 0.0, NAN, NULL, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, &good, 0.0, 1.0, bad, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, &no_speed, 0.0, 1.0, NULL, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, &unknown, 0.0, 1.0, NULL, &err));
    EXPECT_REFUSED(saltus_run_simulate_from(run, &modes, 0.0, 1.0, NULL, &err));
}

TEST(runs_hand_out_nothing_before_and_after_failing)
{
    subject      s = make();
    const double wrong = NAN;
    const int    events = saltus_run_get_info(s.run)->events;
    saltus_run  *fresh = saltus_run_new(s.system, NULL, NULL);
    expect_no_results(NULL);
    EXPECT_REFUSED(saltus_run_simulate(NULL, NULL, &err));
    expect_no_start(fresh);
    EXPECT(saltus_run_method_used(NULL) == SALTUS_AUTO);
    expect_no_results(fresh);
    EXPECT_REFUSED(saltus_run_simulate(s.run, &wrong, &err));
    expect_no_results(s.run);
    EXPECT(saltus_run_simulate(s.run, NULL, &s.err) == SALTUS_OK);
    EXPECT(saltus_run_get_info(s.run)->outcome == SALTUS_END);
    EXPECT(saltus_run_get_info(s.run)->events == events);
    saltus_run_free(fresh);
    saltus_run_free(NULL);
    subject_free(&s);
}

/* The allocator gives nothing any more while this is set. */
static int memory_is_gone;

static void *scarce(void *context, void *block, size_t old_size, size_t size)
{
    (void)context, (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return memory_is_gone ? NULL : realloc(block, size);
}

/* A simulation that fails in the middle, after some events. */
TEST(runs_that_fail_on_the_way_hand_out_nothing)
{
    static const char      falls[] = "local y = coordinate('y', {start = 1}); mass(y, 1)\n"
                                     "local T = param('T', 1); force(y, -10)\n"
                                     "event('floor', {when = y, restitution = 0.9})\n"
                                     "cost('c', {final = y}); horizon(0, T)\n";
    const saltus_allocator allocator = {.resize = scarce};
    saltus_script_options  given = saltus_script_options_default();
    saltus_error           err = {0};
    given.allocator = &allocator;
    saltus_model  *model = saltus_model_load_text("falls", falls, strlen(falls), &given, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    EXPECT(saltus_run_simulate(run, NULL, &err) == SALTUS_OK);
    EXPECT(saltus_run_get_info(run)->events == 1);
    memory_is_gone = 1;
    EXPECT(saltus_run_simulate(run, (const double[]){20.0}, NULL) == SALTUS_ERR_MEMORY);
    memory_is_gone = 0;
    expect_no_results(run);
    EXPECT(saltus_run_simulate(run, NULL, &err) == SALTUS_OK);
    EXPECT(saltus_run_get_info(run)->events == 1);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST(runs_refuse_what_is_not_there)
{
    subject        s = make();
    saltus_run    *run = s.run;
    const int      events = saltus_run_get_info(run)->events;
    const int      warnings = saltus_run_get_info(run)->warnings;
    const int      index[] = {-1, events, INT_MAX};
    saltus_trust   trust;
    saltus_request all = {.method = SALTUS_DISCRETE};
    double         value[200];
    const int      far = 100;
    const double   late[] = {1.0, 0.5};
    int            rows, columns;
    for (int i = 0; i < 3; i++) {
        EXPECT(saltus_run_event(run, index[i]).event == -1);
        EXPECT(saltus_run_event(run, index[i]).q == NULL);
        value[0] = 0.0;
        EXPECT(saltus_run_impulses(run, index[i], value) == 0 && isnan(value[0]));
        EXPECT_TEXT(saltus_run_warning(run, i == 1 ? warnings : index[i]), "");
        EXPECT_REFUSED(saltus_run_jump_matrix(run, index[i], &rows, &columns, value, &err));
        EXPECT_REFUSED(
            saltus_run_adjoints(run, i == 1 ? 1 : index[i], NULL, 0, adjoint_ignored, NULL, &err));
        EXPECT_REFUSED(
            saltus_run_tangents(run, &index[i], 1, NULL, 0, tangent_ignored, NULL, &err));
    }
    EXPECT(saltus_run_impulses(run, 0, NULL) == 0);
    EXPECT_REFUSED(saltus_run_jump_matrix(run, 0, NULL, &columns, value, &err));
    EXPECT_REFUSED(saltus_run_jump_matrix(run, 0, &rows, NULL, value, &err));
    EXPECT_REFUSED(saltus_run_final(run, NULL, &err));
    EXPECT_REFUSED(saltus_run_costs(run, NULL, &err));
    EXPECT_REFUSED(saltus_run_steps(run, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_emit(run, NULL, NULL, &err));
    EXPECT(saltus_run_audit(run, NULL, NULL, NULL, &s.err) == SALTUS_OK);
    EXPECT_REFUSED(saltus_run_trajectory(run, NULL, 0, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_trajectory(run, NULL, 3, row_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_trajectory(run, late, -1, row_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_trajectory(run, late, 2, row_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_sample(run, late, 1, NULL, &err));
    EXPECT_REFUSED(saltus_run_samples(run, 0, NULL, value, &err)); /* there are none */
    EXPECT_REFUSED(saltus_run_samples(run, -1, NULL, NULL, &err));
    EXPECT(saltus_run_samples(run, -1, NULL, value, &s.err) == SALTUS_OK);
    EXPECT_REFUSED(saltus_run_sample_gradients(run, -1, SALTUS_DIRECT, NULL, 1, value, &err));
    EXPECT_REFUSED(saltus_run_sample_gradients(run, -1, SALTUS_ADJOINT, NULL, 0, value, &err));
    EXPECT_REFUSED(saltus_run_sample_gradients(run, -1, SALTUS_DIRECT, NULL, 0, NULL, &err));
    EXPECT_REFUSED(saltus_run_sample_gradients(run, -1, SALTUS_DIRECT, &(int){99}, 1, value, &err));
    EXPECT_REFUSED(saltus_run_sample(run, NULL, 1, value, &err));
    EXPECT_REFUSED(saltus_run_sample(run, late, -1, value, &err));
    EXPECT(saltus_run_sample(run, NULL, 0, NULL, &s.err) == SALTUS_OK);
    EXPECT(saltus_system_columns(NULL) == 0);
    EXPECT_REFUSED(saltus_run_tangents(run, NULL, 1, NULL, 0, tangent_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_tangents(run, NULL, -1, NULL, 0, tangent_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_tangents(run, NULL, 0, NULL, 0, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_tangents(run, NULL, 0, NULL, 2, tangent_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_adjoints(run, 0, NULL, 2, adjoint_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_adjoints(run, 0, NULL, 0, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_clearances(run, NULL, 0, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_trust(run, NULL, 0, NULL, &err));
    EXPECT_REFUSED(saltus_run_state(run, -2, 0, NULL, value, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_state(run, events, 0, NULL, value, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_vjp(run, NULL, NULL, NULL, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_jvp(run, 0, NULL, NULL, value, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_hessian_product(run, NULL, value, value, &err));
    EXPECT_REFUSED(saltus_run_hessian_product(run, &all, NULL, value, &err));
    EXPECT_REFUSED(saltus_run_hessian_product(run, &all, value, NULL, &err));
    for (int i = 0; i < 100; i++) value[i] = NAN;
    EXPECT_REFUSED(saltus_run_hessian_product(run, &all, value, value + 100, &err));
    EXPECT(saltus_run_state(run, -1, 0, NULL, NULL, NULL, NULL, &s.err) == SALTUS_OK);
    EXPECT(saltus_run_jvp(run, 1, NULL, NULL, NULL, NULL, NULL, NULL, &s.err) == SALTUS_OK);
    EXPECT_REFUSED(saltus_run_trust(run, index, 1, &trust, &err));
    EXPECT_REFUSED(saltus_run_trust(run, NULL, -1, NULL, &err));
    EXPECT_REFUSED(saltus_run_clearances(run, index, 1, clearance_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_clearances(run, index, -1, clearance_ignored, NULL, &err));
    EXPECT(saltus_run_clearances(run, NULL, 0, clearance_ignored, NULL, &s.err) == SALTUS_OK);
    EXPECT_TEXT(saltus_clearance_kind_name((saltus_clearance_kind)-1), "");
    EXPECT_TEXT(saltus_clearance_kind_name(SALTUS_CLEAR_SAMPLE), "sample");
    EXPECT_TEXT(saltus_clearance_kind_name(SALTUS_CLEAR_NODE), "node");
    EXPECT_TEXT(saltus_clearance_kind_name(SALTUS_CLEAR_PEAK), "peak");
    EXPECT_REFUSED(saltus_run_gradients(run, NULL, value, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_gradients(run, &all, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_cost_gradient(run, NULL, value, value, &err));
    EXPECT_REFUSED(saltus_run_cost_gradient(run, "none", value, value, &err));
    EXPECT_REFUSED(saltus_run_cost_gradient(run, "c", NULL, value, &err));
    EXPECT_REFUSED(saltus_run_cost_gradient(run, "c", value, NULL, &err));
    EXPECT_REFUSED(saltus_run_differences(run, &all, NULL, &err));
    EXPECT_REFUSED(
        saltus_run_differences(run, NULL, &(saltus_differences){.gradient = value}, &err));
    EXPECT_REFUSED(saltus_run_one_sided(run, NULL, sides_ignored, NULL, &err));
    EXPECT_REFUSED(saltus_run_one_sided(run, &all, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_run_sizes(run, NULL, NULL, 0, value, value, value, &err));
    EXPECT_REFUSED(saltus_run_sizes(run, &all, NULL, 0, NULL, value, value, &err));
    EXPECT_REFUSED(saltus_run_sizes(run, &all, NULL, 4, value, value, value, &err));
    EXPECT(saltus_run_method(NULL, &all, 0) == SALTUS_DISCRETE);
    EXPECT(saltus_run_method(run, NULL, 0) == SALTUS_DISCRETE);
    for (int method = -1; method <= 6; method += 7) {
        all.method = (saltus_method)method;
        EXPECT_REFUSED(saltus_run_gradients(run, &all, value, NULL, NULL, &err));
        EXPECT(saltus_run_method_used(run) == SALTUS_AUTO);
    }
    all = (saltus_request){.method = SALTUS_DIRECT, .costs = &far, .cost_count = 1};
    EXPECT_REFUSED(saltus_run_gradients(run, &all, value, NULL, NULL, &err));
    all = (saltus_request){.method = SALTUS_DIRECT, .params = &far, .param_count = -1};
    EXPECT_REFUSED(saltus_run_gradients(run, &all, value, NULL, NULL, &err));
    subject_free(&s);
}

/* ---- answers -------------------------------------------------------------------------------- */

static const char circle[] = "local x0 = param('x0', 0.5)\n"
                             "local x = coordinate('x', {start = x0})\n"
                             "mass(x, 1)\n"
                             "force(x, -x - dot(x))\n"
                             "periodic {[x0] = x}\n"
                             "horizon(0, 1)\n";

static int stop_family(void *context, const saltus_family_point *point)
{
    (void)context, (void)point;
    return 1;
}

TEST(searches_for_periodic_motions_refuse_what_is_not_there)
{
    saltus_error   fine = {0};
    const int      far = 7;
    saltus_options nothing = {0};
    saltus_model *model = saltus_model_load_text("circle.lua", circle, strlen(circle), NULL, &fine);
    EXPECT_NOTHING(saltus_periodic_new(NULL, NULL, NULL, &err));
    EXPECT_NOTHING(saltus_periodic_new(model, &nothing, NULL, &err));
    saltus_request request = {.method = SALTUS_AUTO, .params = &far, .param_count = 1};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &request, &err));
    request = (saltus_request){.method = SALTUS_AUTO, .costs = &far, .cost_count = 1};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &request, &err));
    EXPECT_REFUSED(saltus_periodic_find(NULL, NULL, &err));
    EXPECT_REFUSED(
        saltus_periodic_follow(NULL, NULL, 0, 0.0, 1.0, 0.1, stop_family, NULL, NULL, &err));
    EXPECT_TEXT(saltus_family_kind_name((saltus_family_kind)99), "");
    EXPECT_TEXT(saltus_family_kind_name((saltus_family_kind)-1), "");
    EXPECT(saltus_periodic_system(NULL) == NULL);
    EXPECT(saltus_periodic_get_result(NULL)->end == SALTUS_PERIODIC_NOT_SOUGHT);
    saltus_periodic *periodic = saltus_periodic_new(model, NULL, NULL, &fine);
    EXPECT(periodic && !fine.status);
    EXPECT(saltus_periodic_get_result(periodic)->end == SALTUS_PERIODIC_NOT_SOUGHT);
    EXPECT(saltus_periodic_get_result(periodic)->message[0] == 0);
    EXPECT_REFUSED(
        saltus_periodic_follow(periodic, NULL, 0, 0.0, 1.0, 0.1, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(
        saltus_periodic_follow(periodic, NULL, 9, 0.0, 1.0, 0.1, stop_family, NULL, NULL, &err));
    saltus_periodic_free(periodic);
    saltus_periodic_free(NULL);
    saltus_model_free(model);
}

TEST(maps_of_points_refuse_what_is_not_there)
{
    subject              s = make();
    const int            far = 7;
    const double         points[] = {2.0, 3.0};
    double               cost[2];
    saltus_options       nothing = {0};
    const saltus_request no_param = {.method = SALTUS_AUTO, .params = &far, .param_count = 1};
    const saltus_request no_method = {.method = (saltus_method)99};
    EXPECT_REFUSED(saltus_map(NULL, NULL, NULL, points, 2, cost, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_map(s.system, &nothing, NULL, points, 2, cost, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_map(s.system, NULL, &no_param, points, 2, cost, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_map(s.system, NULL, &no_method, points, 2, cost, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_map(s.system, NULL, NULL, NULL, 2, cost, NULL, NULL, &err));
    EXPECT_REFUSED(saltus_map(s.system, NULL, NULL, points, -1, cost, NULL, NULL, &err));
    EXPECT(saltus_map(s.system, NULL, NULL, NULL, 0, NULL, NULL, NULL, &s.err) == SALTUS_OK);
    EXPECT(saltus_map(s.system, NULL, NULL, points, 2, NULL, NULL, NULL, &s.err) == SALTUS_OK);
    saltus_seldom no_function = {0};
    EXPECT(saltus_progress_seldom(NULL, 0.0, 1.0) == 0);
    EXPECT(saltus_progress_seldom(&no_function, 0.0, 1.0) == 0);
    subject_free(&s);
}

TEST(searches_for_equilibria_refuse_what_is_not_there)
{
    subject        s = make();
    const int      far = 7;
    saltus_options nothing = {0};
    EXPECT_NOTHING(saltus_equilibrium_new(NULL, NULL, NULL, 0, &err));
    EXPECT_NOTHING(saltus_equilibrium_new(s.system, &nothing, NULL, 0, &err));
    EXPECT_NOTHING(saltus_equilibrium_new(s.system, NULL, &far, 1, &err));
    EXPECT_NOTHING(saltus_equilibrium_new(s.system, NULL, &far, -1, &err));
    EXPECT_REFUSED(saltus_equilibrium_find(NULL, NULL, &err));
    EXPECT(saltus_equilibrium_get_result(NULL)->end == SALTUS_EQUILIBRIUM_NOT_SOUGHT);
    saltus_equilibrium *rest = saltus_equilibrium_new(s.system, NULL, NULL, 0, &s.err);
    EXPECT(rest && saltus_equilibrium_get_result(rest)->end == SALTUS_EQUILIBRIUM_NOT_SOUGHT);
    saltus_equilibrium_free(rest);
    saltus_equilibrium_free(NULL);
    subject_free(&s);
}

static const char slope[] = "local a, b = param('a', 1), param('b', 1)\n"
                            "local x = coordinate('x', {start = a, speed = b}) mass(x, 1)\n"
                            "measurement('x', {of = x, at = {1, 2, 3}, value = {1, 2, 4}})\n"
                            "horizon(0, 3)\n";

TEST(fits_refuse_what_is_not_there)
{
    saltus_error                fine = {0};
    const int                   far = 7;
    saltus_options              nothing = {0};
    saltus_fit_profile_interval interval;
    saltus_model *model = saltus_model_load_text("slope.lua", slope, strlen(slope), NULL, &fine);
    EXPECT(saltus_model_measurement_count(model) == 1);
    EXPECT(saltus_model_measurement(model, 0).count == 3);
    EXPECT_TEXT(saltus_model_measurement(model, -1).name, "");
    EXPECT_TEXT(saltus_model_measurement(model, 1).name, "");
    EXPECT_NOTHING(saltus_fit_new(NULL, NULL, NULL, 0, 0.0, &err));
    EXPECT_NOTHING(saltus_fit_new(model, &nothing, NULL, 0, 0.0, &err));
    EXPECT_NOTHING(saltus_fit_new(model, NULL, &far, 1, 0.0, &err));
    EXPECT_NOTHING(saltus_fit_new(model, NULL, &far, -1, 0.0, &err));
    EXPECT_NOTHING(saltus_fit_new(model, NULL, &far, 0, 0.0, &err));
    EXPECT_NOTHING(saltus_fit_new(model, NULL, NULL, 0, 1.0, &err));
    EXPECT_NOTHING(saltus_fit_new(model, NULL, NULL, 0, NAN, &err));
    EXPECT_REFUSED(saltus_fit_find(NULL, NULL, &err));
    EXPECT_REFUSED(saltus_fit_profile(NULL, 0, &interval, &err));
    EXPECT(saltus_fit_system(NULL) == NULL);
    EXPECT(saltus_fit_get_result(NULL)->end == SALTUS_FIT_NOT_SOUGHT);
    saltus_fit *fit = saltus_fit_new(model, NULL, NULL, 0, 0.0, &fine);
    EXPECT(fit && !fine.status && saltus_fit_system(fit));
    EXPECT_REFUSED(saltus_fit_profile(fit, 0, &interval, &err));
    EXPECT_REFUSED(saltus_fit_find(fit, (const double[]){1.0, NAN}, &err));
    EXPECT(saltus_fit_find(fit, NULL, &fine) == SALTUS_OK);
    EXPECT_REFUSED(saltus_fit_profile(fit, 2, &interval, &err));
    EXPECT_REFUSED(saltus_fit_profile(fit, 0, NULL, &err));
    saltus_fit_free(fit);
    saltus_fit_free(NULL);
    saltus_model_free(model);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static char *text_of(const char *path)
{
    char  full[600];
    char *text = calloc(1, 200000);
    snprintf(full, sizeof full, "%s/%s", SALTUS_SOURCE_DIR, path);
    FILE *file = fopen(full, "r");
    if (!file) fail_msg("cannot open %s", full);
    EXPECT(fread(text, 1, 199999, file) > 0);
    fclose(file);
    return text;
}

TEST(optimisations_refuse_what_is_not_there)
{
    subject                 s = make();
    saltus_goal             goal = saltus_system_goal(s.system);
    saltus_optimise_options options = saltus_optimise_options_default();
    saltus_options          nothing = {0};
    EXPECT(goal.minimise == NULL && saltus_system_goal(NULL).minimise == NULL);
    EXPECT_NOTHING(saltus_optimise(NULL, NULL, NULL, NULL, NULL, &err));
    EXPECT_NOTHING(saltus_optimise(s.system, NULL, NULL, NULL, NULL, &err));
    goal.minimise = saltus_system_cost(s.system, 0).name;
    EXPECT_NOTHING(saltus_optimise(s.system, &nothing, &goal, NULL, NULL, &err));
    options.tolerance = -1.0;
    EXPECT_NOTHING(saltus_optimise(s.system, NULL, &goal, NULL, &options, &err));
    options = (saltus_optimise_options){0};
    EXPECT_NOTHING(saltus_optimise(s.system, NULL, &goal, NULL, &options, &err));
    goal.over_count = 1;
    EXPECT_NOTHING(saltus_optimise(s.system, NULL, &goal, NULL, NULL, &err));
    goal.over_count = 0;
    goal.sequences = (saltus_sequences)9;
    EXPECT_NOTHING(saltus_optimise(s.system, NULL, &goal, NULL, NULL, &err));
    saltus_model_set_goal(NULL, &goal);
    EXPECT(!saltus_name_matches(NULL, "a") && !saltus_name_matches("a", NULL));
    EXPECT(saltus_name_matches("u*[1*", "u[10]") && !saltus_name_matches("u*", "v"));
    EXPECT_TEXT(saltus_optimum_status_name((saltus_optimum_status)77), "");
    EXPECT(saltus_engine_find(SALTUS_ENGINE_SQP, NULL) == SALTUS_OK);
    EXPECT(saltus_engine_find((saltus_engine)9, NULL) == SALTUS_ERR_ARGUMENT);
    EXPECT_TEXT(saltus_optimum_get_info(NULL).message, "");
    EXPECT(saltus_optimum_params(NULL) == NULL && saltus_optimum_costs(NULL) == NULL);
    EXPECT(saltus_optimum_is_over(NULL, 0) == 0);
    EXPECT_TEXT(saltus_optimum_event(NULL, 0), "");
    EXPECT_TEXT(saltus_optimum_border(NULL, 0).kind, "");
    EXPECT(isnan(saltus_optimum_multiplier(NULL, 0)));
    EXPECT(isnan(saltus_optimum_get_row(NULL, 0).value));
    saltus_optimum_free(NULL);
    subject_free(&s);
}

/* A function that is added to a header is added here. */
TEST(every_public_function_is_called_here)
{
    static const char *const headers[] = {"answer.h", "draw.h", "model.h", "saltus.h",
                                          "script.h", "sim.h",  "status.h"};
    char                    *here = text_of("tests/unit/test_misuse.c");
    int                      functions = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char path[64], name[64];
        snprintf(path, sizeof path, "include/saltus/%s", headers[i]);
        char *header = text_of(path);
        for (const char *at = header; (at = strstr(at, "SALTUS_API ")) != NULL; at++) {
            const char *open = strchr(at, '('), *start = open;
            while (open && start[-1] != ' ' && start[-1] != '*') start--;
            if (!open || strncmp(start, "saltus_", 7) != 0) continue;
            snprintf(name, sizeof name, "%.*s", (int)(open - start) + 1, start);
            if (!strstr(here, name)) fail_msg("%s...) is not tested", name);
            functions++;
        }
        free(header);
    }
    EXPECT(functions > 140);
    free(here);
}

TEST_MAIN(RUN(builders_without_a_model_do_nothing), RUN(builders_note_what_is_missing),
          RUN(expressions_that_are_none_have_no_number),
          RUN(scripts_and_options_that_are_not_there_are_refused),
          RUN(systems_have_nothing_beyond_their_lists),
          RUN(drawings_have_nothing_beyond_their_lists),
          RUN(runs_are_not_made_with_options_that_do_not_exist),
          RUN(runs_hand_out_nothing_before_and_after_failing),
          RUN(runs_that_fail_on_the_way_hand_out_nothing), RUN(runs_refuse_what_is_not_there),
          RUN(searches_for_periodic_motions_refuse_what_is_not_there),
          RUN(maps_of_points_refuse_what_is_not_there),
          RUN(searches_for_equilibria_refuse_what_is_not_there), RUN(fits_refuse_what_is_not_there),
          RUN(optimisations_refuse_what_is_not_there), RUN(every_public_function_is_called_here))
