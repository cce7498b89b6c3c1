/* Wrong arguments of searches, requests, options and contacts, and runs that are used in functions
 * that they call: each is refused with a message that names it and its value. */
#include <limits.h>

#include "gradient/gradients.h"
#include "run/outcome.h"
#include "saltus/saltus.h"
#include "test.h"

static const char ball[] =
    "local g, e = param('g', 9.81), param('e', 0.8)\n"
    "local y = coordinate('y', {start = 1}) mass(y, 1) force(y, -g)\n"
    "event('hit', {when = y, direction = 'falling', restitution = e})\n"
    "cost('v2', {integral = dot(y)^2}) cost('y', {final = y}) cost('late', {final = t * y})\n"
    "output('y', y)\n"
    "horizon(0, 2)\n";

static saltus_model *model_of(const char *script)
{
    saltus_error  err = {0};
    saltus_model *model = saltus_model_load_text("script.lua", script, strlen(script), NULL, &err);
    if (!model) fail_msg("line %d: %s", err.line, err.message);
    return model;
}

static saltus_system *system_of(const char *script)
{
    saltus_error   err = {0};
    saltus_model  *model = model_of(script);
    saltus_system *system = saltus_system_compile(model, &err);
    if (!system) fail_msg("line %d: %s", err.line, err.message);
    saltus_model_free(model);
    return system;
}

/* A system and a run of it that was simulated. */
typedef struct subject {
    saltus_system *system;
    saltus_run    *run;
} subject;

static subject simulated(const char *script, const saltus_options *options)
{
    saltus_error err = {0};
    subject      s = {.system = system_of(script)};
    s.run = saltus_run_new(s.system, options, &err);
    saltus_run_simulate(s.run, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    return s;
}

static void subject_free(subject *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
}

static void expect_error(const saltus_error *err, saltus_status status, const char *part)
{
    if (err->status != status || !strstr(err->message, part))
        fail_msg("%s: '%s', expected %s with '%s'", saltus_status_name(err->status), err->message,
                 saltus_status_name(status), part);
}

/* The call, which returns a status and has an error called err, fails with a message that contains
 * this part. */
#define EXPECT_REFUSED(call, part)                                                                 \
    do {                                                                                           \
        saltus_error err = {0};                                                                    \
        EXPECT((call) == SALTUS_ERR_ARGUMENT);                                                     \
        expect_error(&err, SALTUS_ERR_ARGUMENT, part);                                             \
    } while (0)
/* The call, which returns an object, returns none. */
#define EXPECT_NOTHING(call, part)                                                                 \
    do {                                                                                           \
        saltus_error err = {0};                                                                    \
        EXPECT((call) == NULL);                                                                    \
        expect_error(&err, SALTUS_ERR_ARGUMENT, part);                                             \
    } while (0)

/* ---- contacts -------------------------------------------------------------------------------- */

static const saltus_modes all = {0};

/* Calls where and charge with a contact that has this event in place of one of its own. */
static void expect_no_event(int which, int id, const char *part)
{
    for (int charges = 0; charges < 2; charges++) {
        saltus_model      *model = saltus_model_new(NULL, NULL);
        const saltus_expr  y = saltus_coordinate(model, "y", NULL), one = saltus_number(model, 1);
        saltus_contact_def def = {.surface.gap = y, .settle = one};
        def.restitution = saltus_number(model, 0.5);
        saltus_contact     c = saltus_contact_new(model, "c", &def);
        const saltus_event plain = saltus_event_new(model, "plain", y, SALTUS_ANY, all, all);
        EXPECT(!saltus_model_error(model)->status && c.touch.id && c.settle.id && c.leave.id);
        *(which == 0   ? &c.touch
          : which == 1 ? &c.settle
                       : &c.leave) = id == 0 ? plain : (saltus_event){id};
        if (charges) saltus_contact_charge(model, c, "k", one);
        else saltus_contact_where(model, c, y);
        if (which == 2 && charges) EXPECT(!saltus_model_error(model)->status); /* not charged */
        else expect_error(saltus_model_error(model), SALTUS_ERR_MODEL, part);
        saltus_model_free(model);
    }
}

TEST(contacts_have_events_of_their_own)
{
    expect_no_event(0, 0,
                    "contact 'c': its event touch is 'plain', which is no contact's; pass "
                    "what saltus_contact_new returned");
    expect_no_event(1, 0, "its event settle is 'plain'");
    expect_no_event(2, 0, "its event leave is 'plain'");
    expect_no_event(0, 999, "contact 'c': its event touch (number 999) does not exist");
    expect_no_event(1, 999, "its event settle (number 999)");
    expect_no_event(2, -5, "its event leave (number -5)");
    for (int charges = 0; charges < 2; charges++) {
        saltus_model     *model = saltus_model_new(NULL, NULL);
        const saltus_expr y = saltus_coordinate(model, "y", NULL);
        if (charges) saltus_contact_charge(model, (saltus_contact){0}, "k", y);
        else saltus_contact_where(model, (saltus_contact){0}, y);
        expect_error(saltus_model_error(model), SALTUS_ERR_MODEL, "its event touch (number 0)");
        saltus_model_free(model);
    }
}

TEST(lists_of_modes_have_modes)
{
    static const int ids[] = {INT_MIN, -1, 0, 1, INT_MAX};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        saltus_model     *model = saltus_model_new(NULL, NULL);
        const saltus_expr y = saltus_coordinate(model, "y", NULL);
        const saltus_mode mode = {ids[i]};
        saltus_force(model, y, y, (saltus_modes){&mode, 1});
        expect_error(saltus_model_error(model), SALTUS_ERR_MODEL, "a mode in the list is missing");
        saltus_model_free(model);
    }
}

/* ---- models ---------------------------------------------------------------------------------- */

TEST(mistakes_have_a_text)
{
    static const char *const empty = "";
    for (int i = 0; i < 2; i++) {
        saltus_model *model = saltus_model_new(NULL, NULL);
        saltus_model_fail(model, i ? "%s" : empty, "");
        expect_error(saltus_model_error(model), SALTUS_ERR_MODEL, "without a text");
        saltus_model_free(model);
    }
}

TEST(limits_are_not_negative)
{
    saltus_model *model = saltus_model_new(NULL, NULL);
    saltus_model_set_compile_limits(model, 0, -7);
    expect_error(saltus_model_error(model), SALTUS_ERR_MODEL, "visits for compiling is -7");
    saltus_model_free(model);
}

/* ---- goals ----------------------------------------------------------------------------------- */

static void expect_goal(const saltus_goal *goal, const char *part)
{
    saltus_system *system = system_of(ball);
    EXPECT_NOTHING(saltus_optimise(system, NULL, goal, NULL, NULL, &err), part);
    saltus_system_free(system);
    saltus_model *model = saltus_model_new(NULL, NULL);
    saltus_model_set_goal(model, goal);
    expect_error(saltus_model_error(model), SALTUS_ERR_MODEL, part);
    saltus_model_free(model);
}

TEST(goals_name_the_field_that_is_wrong)
{
    const saltus_goal good = {.minimise = "v2"};
    saltus_goal       goal = good;
    goal.starts = -1;
    expect_goal(&goal, "goal.starts is -1; it must be from 0 to 1000000");
    goal.starts = SALTUS_STARTS + 1;
    expect_goal(&goal, "goal.starts is 1000001");
    goal.starts = INT_MAX;
    expect_goal(&goal, "goal.starts is 2147483647");
    goal = good;
    goal.shooting = 5000;
    expect_goal(&goal, "goal.shooting is 5000; it must be from 0 to 1000");
    goal = good;
    goal.engine = (saltus_engine)9;
    expect_goal(&goal, "goal.engine is 9; it must be from 0 to 2");
    goal = good;
    goal.sequences = (saltus_sequences)5;
    expect_goal(&goal, "goal.sequences is 5");
    goal = good;
    goal.over_count = -2;
    expect_goal(&goal, "goal.over_count is -2; it must not be negative");
    goal.over_count = 2;
    expect_goal(&goal, "goal.over_count is 2, but goal.over is NULL");
    goal = good;
    goal.limit_count = 3;
    expect_goal(&goal, "goal.limit_count is 3, but goal.limits is NULL");
}

/* ---- requests -------------------------------------------------------------------------------- */

static const char circle[] = "local x0, k = param('x0', 0.5), param('k', 1)\n"
                             "local x = coordinate('x', {start = x0})\n"
                             "mass(x, 1) force(x, -k * x - dot(x))\n"
                             "cost('a', {final = x}) cost('b', {final = x^2})\n"
                             "periodic {[x0] = x}\n"
                             "horizon(0, 1)\n";

TEST(periodic_motions_check_their_request)
{
    const int      zero = 0, far = 7;
    saltus_model  *model = model_of(circle);
    saltus_request r = {.method = (saltus_method)99};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &r, &err), "no method number 99");
    r = (saltus_request){.method = SALTUS_AUTO, .params = &zero, .param_count = -3};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &r, &err), "a list of -3 parameters");
    r = (saltus_request){.method = SALTUS_AUTO, .costs = &zero, .cost_count = -2};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &r, &err), "a list of -2 costs");
    r = (saltus_request){.method = SALTUS_AUTO, .params = &far, .param_count = 1};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &r, &err), "no parameter number 7 (of 2)");
    r = (saltus_request){.method = SALTUS_AUTO, .costs = &far, .cost_count = 1};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &r, &err), "no cost number 7 (of 2)");
    r = (saltus_request){.method = SALTUS_AUTO, .param_count = 2};
    EXPECT_NOTHING(saltus_periodic_new(model, NULL, &r, &err), "2 parameters that is NULL");
    saltus_model_free(model);
}

static int sides_ignored(void *c, const saltus_sides *sides) { return (void)c, !sides; }
static int clearance_ignored(void *c, const saltus_clearance *clear) { return (void)c, !clear; }
static int tangent_ignored(void *c, const saltus_tangent_row *row) { return (void)c, !row; }

TEST(a_list_that_is_null_has_no_length)
{
    double               value[100];
    subject              s = simulated(ball, NULL);
    saltus_trust         trust[4];
    const saltus_request params = {.method = SALTUS_AUTO, .param_count = 2};
    const saltus_request costs = {.method = SALTUS_AUTO, .cost_count = 2};
    saltus_differences   d = {.gradient = value};
    EXPECT_REFUSED(saltus_run_gradients(s.run, &params, value, NULL, NULL, &err), "2 parameters");
    EXPECT_REFUSED(saltus_run_gradients(s.run, &costs, value, NULL, NULL, &err), "2 costs");
    EXPECT_REFUSED(saltus_run_differences(s.run, &params, &d, &err), "2 parameters");
    EXPECT_REFUSED(saltus_run_one_sided(s.run, &params, sides_ignored, NULL, &err), "NULL");
    EXPECT_REFUSED(saltus_run_clearances(s.run, NULL, 3, clearance_ignored, NULL, &err), "NULL");
    EXPECT_REFUSED(saltus_run_trust(s.run, NULL, 3, trust, &err), "3 parameters");
    EXPECT_REFUSED(saltus_map(s.system, NULL, &params, value, 0, NULL, NULL, NULL, &err), "NULL");
    EXPECT_NOTHING(saltus_equilibrium_new(s.system, NULL, NULL, 2, &err), "2 parameters");
    subject_free(&s);
}

/* An allocator that has no large blocks. */
static void *resize_small(void *context, void *block, size_t old_size, size_t size)
{
    (void)context, (void)old_size;
    if (size == 0) free(block);
    return size == 0 || size > (size_t)64 << 20 ? NULL : realloc(block, size);
}

TEST(sides_of_lists_whose_product_is_no_int)
{
    enum { LONG = 65536 }; /* its square is 2^32 */
    saltus_error           err = {0};
    saltus_script_options  o = saltus_script_options_default();
    const saltus_allocator small = {resize_small, NULL};
    o.allocator = &small;
    saltus_model *model = saltus_model_load_text("script.lua", ball, strlen(ball), &o, &err);
    subject       s = {.system = saltus_system_compile(model, &err)};
    int          *list = calloc(LONG, sizeof *list);
    s.run = saltus_run_new(s.system, NULL, &err);
    saltus_run_simulate(s.run, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    const saltus_request r = {SALTUS_DIRECT, list, LONG, list, LONG};
    EXPECT(saltus_run_one_sided(s.run, &r, sides_ignored, NULL, &err) == SALTUS_ERR_MEMORY);
    free(list);
    saltus_model_free(model);
    subject_free(&s);
}

TEST(tangents_count_before_they_read)
{
    subject   s = simulated(ball, NULL);
    const int one = 0;
    EXPECT_REFUSED(
        saltus_run_tangents(s.run, &one, SALTUS_TANGENTS + 1, NULL, 0, tangent_ignored, NULL, &err),
        "at most");
    EXPECT_REFUSED(saltus_run_tangents(s.run, &one, 1000000, NULL, 0, tangent_ignored, NULL, &err),
                   "not 1000000");
    subject_free(&s);
}

TEST(tangents_by_no_parameter_are_rows_without_tangents)
{
    const double   t = 0.5;
    saltus_error   err = {0};
    saltus_options o = saltus_options_default();
    for (int backend = SALTUS_INTERP; backend <= SALTUS_NATIVE; backend++) {
        o.backend = (saltus_backend)backend;
        subject s = simulated(ball, &o);
        saltus_run_tangents(s.run, NULL, 0, &t, 1, tangent_ignored, NULL, &err);
        if (err.status) fail_msg("backend %d: %s", backend, err.message);
        subject_free(&s);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static void expect_option(saltus_system *system, saltus_options *options, const char *part)
{
    EXPECT_NOTHING(saltus_run_new(system, options, &err), part);
    *options = saltus_system_options(system);
}

TEST(options_are_refused_by_name_and_value)
{
    static const double bad[] = {NAN, -1.0, INFINITY};
    static const char  *text[] = {"nan", "-1", "inf"};
    saltus_error        fine = {0};
    saltus_system      *system = system_of(ball);
    saltus_options      o = saltus_system_options(system);
    for (int i = 0; i < 3; i++) {
        char part[100];
#define EXPECT_FIELD(field)                                                                        \
    do {                                                                                           \
        o.field = bad[i];                                                                          \
        snprintf(part, sizeof part,                                                                \
                 #field " is %s; it must be a finite number that is not negative", text[i]);       \
        expect_option(system, &o, part);                                                           \
    } while (0)
        EXPECT_FIELD(rest_speed);
        EXPECT_FIELD(alpha);
        EXPECT_FIELD(xi);
        EXPECT_FIELD(omega);
        EXPECT_FIELD(event_rate_min);
        EXPECT_FIELD(fd_step);
    }
    for (int i = 0; i < 5; i++) {
        static const double tolerance[] = {1e-15, 0.6, 0.0, NAN, -1.0};
        char                number[32], part[80];
        o.rtol = tolerance[i];
        snprintf(part, sizeof part, "rtol is %g; it must be a number from 1e-14 to 0.5", o.rtol);
        expect_option(system, &o, part);
        snprintf(number, sizeof number, "%g", tolerance[i]);
        EXPECT(saltus_options_set(&o, "rtol", number, NULL) == SALTUS_ERR_ARGUMENT);
    }
    o.rtol = nextafter(1e-14, 0.0);
    saltus_run_free(saltus_run_new(system, &o, &fine));
    if (fine.status) fail_msg("%s", fine.message);
    o.max_steps = 0;
    expect_option(system, &o, "max_steps is 0; it must be a whole number from 1 on");
    o.max_events = -4;
    expect_option(system, &o, "max_events is -4");
    o.first_step = NAN;
    expect_option(system, &o, "first_step is nan");
    o.formulation = SALTUS_PENALTY;
    o.alpha = 0.0;
    expect_option(system, &o, "alpha is 0: the penalty formulation needs a positive one");
    o.backend = (saltus_backend)9;
    expect_option(system, &o, "backend is 9; its values are numbered from 0 to 2");
    saltus_system_free(system);
}

TEST(an_end_that_is_not_finite_is_told)
{
    saltus_error   fine = {0};
    saltus_system *system = system_of(ball);
    saltus_options o = saltus_system_options(system);
    o.t_end = INFINITY;
    saltus_run *run = saltus_run_new(system, &o, &fine);
    EXPECT_REFUSED(saltus_run_simulate(run, NULL, &err), "t = inf, is not finite");
    saltus_run_free(run);
    saltus_system_free(system);
}

TEST(tightening_never_loosens)
{
    static const double asked[] = {1e-14, 1e-13, 1e-12, 1e-9, 1e-3};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        saltus_options o = saltus_options_default();
        o.rtol = o.atol = asked[i];
        sal_options_tighten(&o);
        EXPECT(o.rtol <= asked[i] && o.atol <= asked[i]);
    }
}

TEST(the_cache_says_how_much_room_its_path_needs)
{
    char         path[2];
    saltus_error err = {0};
    if (saltus_cache_folder(path, 1, &err) == SALTUS_ERR_ARGUMENT)
        expect_error(&err, SALTUS_ERR_ARGUMENT, "bytes, and there is room for 1");
}

/* ---- runs that are in use -------------------------------------------------------------------- */

/* Uses the run in a function that a call of this run calls. */
typedef struct nested {
    saltus_run *run;
    int         calls;
} nested;

static const char in_use[] = "the run is in use by the call that called this function; use another";

static void use(nested *n)
{
    double                   value[1000];
    saltus_row               row;
    const double             x = 1.0, t = 0.5;
    const saltus_request     every = {.method = SALTUS_DIRECT};
    const saltus_start_state start = {.q = &x, .v = &x};
    if (!n->run) return;
    n->calls++;
    EXPECT_REFUSED(saltus_run_simulate(n->run, NULL, &err), in_use);
    EXPECT_REFUSED(saltus_run_simulate_from(n->run, &start, 0, 1, NULL, &err), in_use);
    EXPECT_REFUSED(saltus_run_replay(n->run, NULL, &err), in_use);
    EXPECT_REFUSED(saltus_run_gradients(n->run, &every, value, NULL, NULL, &err), in_use);
    EXPECT_REFUSED(
        saltus_run_differences(n->run, &every, &(saltus_differences){.gradient = value}, &err),
        in_use);
    EXPECT_REFUSED(saltus_run_cost_gradient(n->run, "y", value, value, &err), in_use);
    EXPECT_REFUSED(saltus_run_hessian_product(n->run, &every, value, value, &err), in_use);
    EXPECT_REFUSED(saltus_run_one_sided(n->run, &every, sides_ignored, NULL, &err), in_use);
    EXPECT_REFUSED(saltus_run_tangents(n->run, NULL, 0, &t, 1, tangent_ignored, NULL, &err),
                   in_use);
    EXPECT_REFUSED(saltus_run_sample(n->run, &t, 1, value, &err), in_use);
    EXPECT_REFUSED(saltus_run_final(n->run, &row, &err), in_use);
    EXPECT_REFUSED(saltus_run_costs(n->run, value, &err), in_use);
    EXPECT(saltus_run_get_info(n->run) != NULL);
}

static int use_row(void *n, const saltus_row *row) { return use(n), !row; }
static int use_step(void *n, const saltus_run_step *step) { return use(n), !step; }
static int use_tangent(void *n, const saltus_tangent_row *row) { return use(n), !row; }
static int use_adjoint(void *n, const saltus_adjoint_row *row) { return use(n), !row; }
static int use_clearance(void *n, const saltus_clearance *c) { return use(n), !c; }
static int use_sides(void *n, const saltus_sides *sides) { return use(n), !sides; }
static int use_file(void *n, const char *f, const char *t) { return use(n), !f || !t; }
static int use_progress(void *n, double t, double t_end) { return use(n), !(t <= t_end); }

TEST(a_run_is_not_used_by_the_functions_it_calls)
{
    double               value[4000];
    subject              s = simulated(ball, NULL);
    saltus_error         err = {0};
    const double         t[] = {0.25, 0.5};
    const int            p = 0;
    const saltus_request every = {.method = SALTUS_DIRECT};
    nested               n = {.run = s.run};
    int                  before = 0;
#define EXPECT_CALLS                                                                               \
    if (err.status) fail_msg("%s", err.message);                                                   \
    EXPECT(n.calls > before);                                                                      \
    before = n.calls
    saltus_run_trajectory(s.run, t, 2, use_row, &n, &err);
    EXPECT_CALLS;
    saltus_run_steps(s.run, use_step, &n, &err);
    EXPECT_CALLS;
    saltus_run_tangents(s.run, &p, 1, t, 2, use_tangent, &n, &err);
    EXPECT_CALLS;
    saltus_run_adjoints(s.run, 0, t, 2, use_adjoint, &n, &err);
    EXPECT_CALLS;
    saltus_run_clearances(s.run, NULL, 0, use_clearance, &n, &err);
    EXPECT_CALLS;
    saltus_run_one_sided(s.run, &every, use_sides, &n, &err);
    EXPECT_CALLS;
    saltus_run_emit(s.run, use_file, &n, &err);
    EXPECT_CALLS;
    EXPECT(saltus_run_simulate(s.run, NULL, &err) == SALTUS_OK); /* it is free again */
    EXPECT(saltus_run_costs(s.run, value, &err) == SALTUS_OK);
    subject_free(&s);
}

TEST(a_run_is_not_used_by_options_progress)
{
    double               value[4000], direction[] = {1.0, 0.5};
    nested               n = {0};
    saltus_error         err = {0};
    saltus_trust         trust[4];
    int                  before = 0;
    saltus_options       o = saltus_options_default();
    const saltus_request every = {.method = SALTUS_DIRECT}, fd = {.method = SALTUS_FD};
    o.progress = use_progress;
    o.progress_context = &n;
    for (o.threads = 1; o.threads <= 2; o.threads++) {
        subject s = simulated(ball, &o);
        n.run = s.run;
        saltus_run_simulate(s.run, NULL, &err);
        EXPECT_CALLS;
        saltus_run_gradients(s.run, &every, value, NULL, NULL, &err);
        EXPECT_CALLS;
        saltus_run_gradients(s.run, &fd, value, NULL, NULL, &err);
        EXPECT_CALLS;
        saltus_run_one_sided(s.run, &every, sides_ignored, NULL, &err);
        EXPECT_CALLS;
        saltus_run_trust(s.run, NULL, 0, trust, &err);
        EXPECT_CALLS;
        saltus_run_clearances(s.run, NULL, 0, clearance_ignored, NULL, &err);
        EXPECT_CALLS;
        saltus_run_hessian_product(s.run, &every, direction, value, &err);
        EXPECT_CALLS;
        n.run = NULL;
        subject_free(&s);
    }
}

/* ---- what is written on refusal -------------------------------------------------------------- */

TEST(maps_that_are_refused_say_so_in_every_result)
{
    double               cost[20], points[] = {9.81, 0.8, 9.0, 0.7};
    saltus_map_result    result[2];
    saltus_system       *system = system_of(ball);
    saltus_options       o = saltus_system_options(system);
    const saltus_request none = {.method = (saltus_method)99};
    o.threads = -1;
    for (int i = 0; i < 3; i++) {
        memset(result, 0, sizeof result);
        if (i == 0)
            EXPECT_REFUSED(saltus_map(system, &o, NULL, points, 2, cost, NULL, result, &err),
                           "threads is -1");
        if (i == 1)
            EXPECT_REFUSED(saltus_map(system, NULL, &none, points, 2, cost, NULL, result, &err),
                           "no method");
        if (i == 2)
            EXPECT_REFUSED(saltus_map(NULL, NULL, NULL, points, 2, cost, NULL, result, &err), "");
        for (int k = 0; k < 2; k++) {
            EXPECT(result[k].status == SALTUS_ERR_ARGUMENT);
            EXPECT(result[k].outcome == SALTUS_NOT_SIMULATED && isnan(result[k].t));
        }
    }
    saltus_system_free(system);
}

TEST(samples_that_are_refused_are_nan)
{
    double       value[40];
    const double down[] = {1.0, 0.5};
    subject      s = simulated(ball, NULL);
    saltus_error fine = {0};
    saltus_run  *fresh = saltus_run_new(s.system, NULL, &fine);
    const int    columns = saltus_system_columns(s.system);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2 * columns; k++) value[k] = 7.0;
        EXPECT_REFUSED(saltus_run_sample(i ? fresh : s.run, down, 2, value, &err), "");
        for (int k = 0; k < 2 * columns; k++) EXPECT(isnan(value[k]));
    }
    saltus_run_free(fresh);
    subject_free(&s);
}

TEST(jump_matrices_have_a_size_even_if_they_are_refused)
{
    subject      s = simulated(ball, NULL);
    double       matrix[400];
    int          rows = -7, columns = -7;
    saltus_error fine = {0};
    saltus_run  *fresh = saltus_run_new(s.system, NULL, &fine);
    EXPECT_REFUSED(saltus_run_jump_matrix(s.run, -1, &rows, &columns, matrix, &err), "number -1");
    EXPECT(rows == 5 && columns == 7); /* q, v, three costs; two parameters */
    rows = columns = -7;
    EXPECT_REFUSED(saltus_run_jump_matrix(fresh, 0, &rows, &columns, matrix, &err), "no results");
    EXPECT(rows == 5 && columns == 7);
    EXPECT_REFUSED(saltus_run_jump_matrix(NULL, 0, &rows, &columns, matrix, &err), "no run");
    EXPECT(rows == 0 && columns == 0);
    rows = -7;
    EXPECT_REFUSED(saltus_run_jump_matrix(s.run, 0, &rows, NULL, matrix, &err), "room");
    EXPECT(rows == 5);
    saltus_run_free(fresh);
    subject_free(&s);
}

TEST(a_gradient_that_is_refused_was_not_made_by_a_method)
{
    double               value[40];
    saltus_error         fine = {0};
    saltus_system       *system = system_of(ball);
    saltus_run          *run = saltus_run_new(system, NULL, &fine);
    const saltus_request r = {.method = SALTUS_ADJOINT};
    EXPECT_REFUSED(saltus_run_gradients(run, &r, value, NULL, NULL, &err), "");
    EXPECT(saltus_run_method_used(run) == SALTUS_AUTO);
    saltus_run_free(run);
    saltus_system_free(system);
}

TEST(drawings_without_a_row_are_nan)
{
    saltus_error   fine = {0};
    double         value[100];
    saltus_system *system =
        system_of("local p = point('p', {x = param('a', 1), y = 2}) mass(p, 1) gravity(0, -1)\n"
                  "draw.line {p, ground_point(0, 0)} cost('c', {final = p.x}) horizon(0, 1)\n");
    saltus_drawing *drawing = saltus_drawing_new(system, &fine);
    const int       ops = saltus_drawing_ops(drawing);
    EXPECT(ops > 0 && ops < 100);
    for (int i = 0; i < ops; i++) value[i] = 7.0;
    saltus_drawing_compute(drawing, NULL, NULL, value);
    for (int i = 0; i < ops; i++) EXPECT(isnan(value[i]));
    saltus_drawing_free(drawing);
    saltus_system_free(system);
}

/* ---- searches -------------------------------------------------------------------------------- */

TEST(searches_refuse_parameters_that_are_no_numbers)
{
    saltus_error     fine = {0};
    const double     bad[] = {0.5, NAN};
    saltus_model    *model = model_of(circle);
    saltus_periodic *periodic = saltus_periodic_new(model, NULL, NULL, &fine);
    EXPECT(saltus_periodic_find(periodic, NULL, &fine) == SALTUS_OK);
    EXPECT(saltus_periodic_get_result(periodic)->end == SALTUS_PERIODIC_FOUND);
    EXPECT_REFUSED(saltus_periodic_find(periodic, bad, &err), "parameter 'k' is nan");
    EXPECT(saltus_periodic_get_result(periodic)->end == SALTUS_PERIODIC_NOT_SOUGHT);
    EXPECT(saltus_periodic_get_result(periodic)->params == NULL);
    saltus_periodic_free(periodic);
    saltus_system      *system = saltus_system_compile(model, &fine);
    saltus_equilibrium *rest = saltus_equilibrium_new(system, NULL, NULL, 0, &fine);
    EXPECT(saltus_equilibrium_find(rest, NULL, &fine) == SALTUS_OK);
    EXPECT(saltus_equilibrium_get_result(rest)->end == SALTUS_EQUILIBRIUM_FOUND);
    EXPECT_REFUSED(saltus_equilibrium_find(rest, bad, &err), "parameter 'k' is nan");
    EXPECT(saltus_equilibrium_get_result(rest)->end == SALTUS_EQUILIBRIUM_NOT_SOUGHT);
    saltus_equilibrium_free(rest);
    saltus_system_free(system);
    saltus_model_free(model);
}

static const char slope[] = "local a, b = param('a', 1), param('b', 1)\n"
                            "local x = coordinate('x', {start = a, speed = b}) mass(x, 1)\n"
                            "measurement('x', {of = x, at = {1, 2, 3}, value = {1, 2, 4}})\n"
                            "horizon(0, 3)\n";

TEST(fits_refuse_lists_levels_and_values)
{
    saltus_error                fine = {0};
    saltus_fit_profile_interval interval;
    const int                   twice[] = {1, 1};
    const double                bad[] = {1.0, INFINITY};
    saltus_model               *model = model_of(slope);
    EXPECT_NOTHING(saltus_fit_new(model, NULL, twice, 2, 0.0, &err),
                   "parameter 'b' is twice in the list");
    EXPECT_NOTHING(saltus_fit_new(model, NULL, NULL, 2, 0.0, &err), "2 parameters");
    EXPECT_NOTHING(saltus_fit_new(model, NULL, NULL, 0, 1.5, &err), "the level of a fit is 1.5");
    saltus_fit *fit = saltus_fit_new(model, NULL, NULL, 0, 0.0, &fine);
    EXPECT_REFUSED(saltus_fit_profile(fit, 0, &interval, &err), "call saltus_fit_find first");
    EXPECT(saltus_fit_find(fit, NULL, &fine) == SALTUS_OK);
    EXPECT(saltus_fit_get_result(fit)->end == SALTUS_FIT_CONVERGED);
    EXPECT_REFUSED(saltus_fit_profile(fit, 0, NULL, &err), "no room for the interval");
    EXPECT_REFUSED(saltus_fit_find(fit, bad, &err), "parameter 'b' is inf");
    EXPECT(saltus_fit_get_result(fit)->end == SALTUS_FIT_NOT_SOUGHT);
    EXPECT(saltus_fit_get_result(fit)->params == NULL);
    saltus_fit_free(fit);
    saltus_model_free(model);
}

/* ---- what runs remember ---------------------------------------------------------------------- */

TEST(the_first_reason_why_there_is_no_gradient_stays)
{
    double               value[40];
    subject              s = simulated(ball, NULL);
    const saltus_request r = {.method = SALTUS_DIRECT};
    saltus_error         err = {0};
    sal_run_no_gradient(s.run, SALTUS_ERR_GRAZING, "the first reason");
    sal_run_no_gradient(s.run, SALTUS_ERR_NO_GRADIENT, "the second reason");
    saltus_run_gradients(s.run, &r, value, NULL, NULL, &err);
    expect_error(&err, SALTUS_ERR_GRAZING, "the first reason");
    subject_free(&s);
}

TEST(sizes_belong_to_the_motion_that_was_simulated)
{
    subject                  s = simulated(ball, NULL);
    saltus_error             err = {0};
    const double             y = 1.0, v = 0.0;
    const saltus_start_state start = {.q = &y, .v = &v};
    const saltus_request     every = {.method = SALTUS_DIRECT};
    /* from times before and after the start of the model */
    for (int i = 0; i < 2; i++) {
        const double t0 = i ? 10.0 : -10.0;
        EXPECT(saltus_run_simulate_from(s.run, &start, t0, t0 + 1.0, NULL, &err) == SALTUS_OK);
        saltus_run_one_sided(s.run, &every, sides_ignored, NULL, &err);
        if (err.status) fail_msg("from t = %g: %s", t0, err.message);
    }
    subject_free(&s);
}

/* A block at its limit of friction: x depends on F on one side only. */
static const char block[] =
    "local mu, F = param('mu', 0.5), param('F', 5)\n"
    "local x, y = coordinate('x'), coordinate('y')\n"
    "mass(x, 1) mass(y, 1) force(x, F) force(y, -10)\n"
    "contact {gap = y, slip = dot(x), friction = mu, start = 'closed', name = 'slope'}\n"
    "event('half', {when = t - 1 - 0 * x, direction = 'rising'})\n"
    "cost('x', {final = x}) horizon(0, 2)\n";

TEST(times_of_events_do_not_judge_costs)
{
    double               value[40], end[4];
    subject              s = simulated(block, NULL);
    saltus_error         err = {0};
    const saltus_request r = {.method = SALTUS_DIRECT};
    EXPECT(saltus_run_gradients(s.run, &r, NULL, value, end, &err) == SALTUS_OK);
    const int before = saltus_run_get_info(s.run)->warnings;
    EXPECT(saltus_run_gradients(s.run, &r, value, NULL, NULL, &err) == SALTUS_OK);
    const int after = saltus_run_get_info(s.run)->warnings;
    EXPECT(after == before + 1 && strstr(saltus_run_warning(s.run, before), "one-sided"));
    subject_free(&s);
}

TEST_MAIN(
    RUN(contacts_have_events_of_their_own), RUN(lists_of_modes_have_modes),
    RUN(mistakes_have_a_text), RUN(limits_are_not_negative),
    RUN(goals_name_the_field_that_is_wrong), RUN(periodic_motions_check_their_request),
    RUN(a_list_that_is_null_has_no_length), RUN(sides_of_lists_whose_product_is_no_int),
    RUN(tangents_count_before_they_read), RUN(tangents_by_no_parameter_are_rows_without_tangents),
    RUN(options_are_refused_by_name_and_value), RUN(an_end_that_is_not_finite_is_told),
    RUN(tightening_never_loosens), RUN(the_cache_says_how_much_room_its_path_needs),
    RUN(a_run_is_not_used_by_the_functions_it_calls), RUN(a_run_is_not_used_by_options_progress),
    RUN(maps_that_are_refused_say_so_in_every_result), RUN(samples_that_are_refused_are_nan),
    RUN(jump_matrices_have_a_size_even_if_they_are_refused),
    RUN(a_gradient_that_is_refused_was_not_made_by_a_method), RUN(drawings_without_a_row_are_nan),
    RUN(searches_refuse_parameters_that_are_no_numbers), RUN(fits_refuse_lists_levels_and_values),
    RUN(the_first_reason_why_there_is_no_gradient_stays),
    RUN(sizes_belong_to_the_motion_that_was_simulated), RUN(times_of_events_do_not_judge_costs))
