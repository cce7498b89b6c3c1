/* Corners that a review of the core found: many lanes, small records, events that the dense output
 * gets wrong, runs that end inside an event. */
#include <pthread.h>

#include "scripted.h"

typedef struct subject {
    saltus_error   err;
    saltus_system *system;
    saltus_options options;
    saltus_run    *run;
} subject;

static subject compile(const char *script)
{
    subject       s = {0};
    saltus_model *model =
        saltus_model_load_text("script.lua", script, strlen(script), NULL, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status) fail_msg("line %d: %s", s.err.line, s.err.message);
    s.options = saltus_system_options(s.system);
    return s;
}

static const saltus_run_info *go(subject *s, const double *params)
{
    if (!s->run) s->run = saltus_run_new(s->system, &s->options, &s->err);
    saltus_run_simulate(s->run, params, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    return saltus_run_get_info(s->run);
}

static void drop(subject *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
}

static int occurrences_of(const subject *s, int event)
{
    int count = 0;
    for (int i = 0; i < saltus_run_get_info(s->run)->events; i++)
        count += saltus_run_event(s->run, i).event == event;
    return count;
}

static int warns_of(const subject *s, const char *text)
{
    int count = 0;
    for (int i = 0; i < saltus_run_get_info(s->run)->warnings; i++)
        count += strstr(saltus_run_warning(s->run, i), text) != NULL;
    return count;
}

static int count_row(void *context, const saltus_row *row)
{
    (void)row;
    ++*(int *)context;
    return 0;
}

/* ---- lanes ---------------------------------------------------------------------------------- */

/* One cost and nineteen event times: two blocks of lanes, the first of them full. By fewer
 * parameters the times would come from a walk forward. */
TEST(continuous_adjoint_has_room_for_all_lanes)
{
    subject s = compile("model 'lanes'\n"
                        "local p = param('p', 1)\n"
                        "for i = 2, 16 do param('unused' .. i, i) end\n"
                        "local x = {}\n"
                        "for i = 1, 200 do\n"
                        "  x[i] = coordinate('x' .. i, {start = i * 0.01, speed = p})\n"
                        "  mass(x[i], 1)\n"
                        "  force(x[i], -x[i])\n"
                        "end\n"
                        "event('e', {when = sin(20 * t + 0.1 * p) + 0 * x[1]})\n"
                        "cost('c', {final = x[1]})\n"
                        "horizon(0, 3)\n");
    enum { MAX = 32, PARAMS = 16 };
    double    exact[(1 + MAX) * PARAMS], adjoint[(1 + MAX) * PARAMS];
    const int events = go(&s, NULL)->events;
    EXPECT(events > 16 && events <= MAX);
    const saltus_request by_steps = {.method = SALTUS_DISCRETE},
                         in_time = {.method = SALTUS_ADJOINT};
    saltus_run_gradients(s.run, &by_steps, exact, exact + PARAMS, NULL, &s.err);
    saltus_run_gradients(s.run, &in_time, adjoint, adjoint + PARAMS, NULL, &s.err);
    EXPECT(!s.err.status);
    for (int i = 0; i < (1 + events) * PARAMS; i++) EXPECT_NEAR(adjoint[i], exact[i], 1e-7);
    drop(&s);
}

/* ---- the record ----------------------------------------------------------------------------- */

/* A walk forward through many more windows than there may be spare checkpoints. */
TEST(smallest_record_serves_walks_in_both_directions)
{
    subject s = compile("model 'small record'\n"
                        "local k = param('k', 1)\n"
                        "local y = coordinate('y', {start = 1})\n"
                        "mass(y, 1)\n"
                        "force(y, -k * y)\n"
                        "cost('c', {final = y})\n"
                        "horizon(0, 100)\n");
    s.options.record_memory = 1;
    s.options.max_step = 0.05;
    go(&s, NULL);
    for (int m = 0; m < METHODS; m++) {
        double               gradient;
        const saltus_request request = {.method = all_methods[m]};
        saltus_run_gradients(s.run, &request, &gradient, NULL, NULL, &s.err);
        if (s.err.status) fail_msg("%s: %s", saltus_method_name(all_methods[m]), s.err.message);
        EXPECT_NEAR(gradient, -50.0 * sin(100.0), 1e-5); /* y = cos(sqrt(k) t) */
    }
    const double times[] = {0.0, 50.0, 99.0};
    int          rows = 0;
    saltus_run_trajectory(s.run, times, 3, count_row, &rows, &s.err);
    EXPECT(!s.err.status && rows == 3);
    drop(&s);
}

TEST(motion_up_to_a_failed_jump_can_be_read)
{
    subject      s = compile("model 'failed jump'\n"
                                  "local y = coordinate('y', {start = 1})\n"
                                  "mass(y, 1)\n"
                                  "force(y, -9.81)\n"
                                  "event('e', {when = y, direction = 'falling',\n"
                                  "            set = {[dot(y)] = sqrt(dot(y))}})\n"
                                  "horizon(0, 1)\n");
    const double times[] = {0.0, 0.1, 0.2, 0.9};
    int          rows = 0;
    EXPECT(go(&s, NULL)->outcome == SALTUS_NOT_FINITE);
    saltus_run_trajectory(s.run, times, 4, count_row, &rows, &s.err);
    EXPECT(!s.err.status && rows == 3);
    drop(&s);
}

/* ---- events --------------------------------------------------------------------------------- */

/* At this tolerance a step is long and its dense output poor: guard a is crossed there and not in
 * truth, or the other way round, or out of order with b. */
TEST(no_event_is_lost_behind_a_touch)
{
    subject s = compile("model 'touch'\n"
                        "local p, n = param('p', 0), memory('n', 0)\n"
                        "local y = coordinate('y', {start = 1})\n"
                        "mass(y, 1)\n"
                        "force(y, -y)\n"
                        "event('a', {when = y + 1 + p, direction = 'falling'})\n"
                        "event('b', {when = t - 3.5 + 0 * y, set = {[n] = n + 1}})\n"
                        "horizon(0, 5)\n");
    int     touched = 0;
    s.options.rtol = s.options.atol = 0.5;
    s.options.first_step = 5.0;
    for (int i = -200; i < 200; i++) {
        const double p = 1e-3 * i;
        go(&s, &p);
        touched += warns_of(&s, "touched");
        if (occurrences_of(&s, 1) != 1)
            fail_msg("p = %g: b happened %d times", p, occurrences_of(&s, 1));
        for (int k = 0; k < saltus_run_get_info(s.run)->events; k++) {
            const saltus_occurrence o = saltus_run_event(s.run, k);
            if (o.event == 0 && !(o.rate < 0.0)) fail_msg("p = %g: a rises, %g", p, o.rate);
        }
    }
    EXPECT(touched > 0);
    drop(&s);
}

/* The event that ends the step must not hide the touch before it. */
TEST(touch_and_event_in_one_step_are_both_seen)
{
    subject              s = compile("model 'touch and event'\n"
                                                  "local p = param('p', 1)\n"
                                                  "local y = coordinate('y', {speed = p})\n"
                                                  "mass(y, 1)\n"
                                                  "event('touched', {when = (y - 1)^2})\n"
                                                  "event('crossed', {when = y - 2})\n"
                                                  "cost('c', {final = y})\n"
                                                  "horizon(0, 3)\n");
    double               gradient;
    const saltus_request request = {.method = SALTUS_DISCRETE};
    s.options.first_step = 3.0;
    go(&s, NULL);
    EXPECT(occurrences_of(&s, 1) == 1 && warns_of(&s, "'touched' is touched") > 0);
    EXPECT(saltus_run_gradients(s.run, &request, &gradient, NULL, NULL, &s.err) ==
           SALTUS_ERR_GRAZING);
    drop(&s);
}

/* A stage that only dense output needs has no value: the step is too long, not free of events. */
TEST(no_event_is_lost_where_dense_output_fails)
{
    subject s = compile("model 'dense'\n"
                        "local y, n = coordinate('y', {start = 1}), memory('n', 0)\n"
                        "mass(y, 1)\n"
                        "force(y, -9.81 + 0 * sqrt((t - 0.1)^2 - 1e-6))\n"
                        "event('e', {when = y - 0.5, set = {[n] = n + 1}})\n"
                        "horizon(0, 1)\n");
    s.options.first_step = 1.0;
    EXPECT(go(&s, NULL)->outcome == SALTUS_END);
    EXPECT(occurrences_of(&s, 0) == 1);
    drop(&s);
}

TEST(guard_without_value_is_named)
{
    subject                s = compile("model 'guard'\n"
                                                      "local y = coordinate('y', {start = 1})\n"
                                                      "mass(y, 1)\n"
                                                      "force(y, -9.81)\n"
                                                      "event('root', {when = sqrt(y) + 1})\n"
                                                      "horizon(0, 1)\n");
    const saltus_run_info *info = go(&s, NULL);
    EXPECT(info->outcome == SALTUS_NOT_FINITE);
    EXPECT(strstr(info->message, "'root'"));
    drop(&s);
}

/* Beside the table there is nothing to sink into. */
TEST(conditions_hold_for_contacts_at_the_start)
{
    subject      s = compile("model 'table'\n"
                                  "local x0 = param('x0', 2)\n"
                                  "local x, y = coordinate('x', {start = x0}), coordinate('y')\n"
                                  "mass(x, 1)\n"
                                  "mass(y, 1)\n"
                                  "force(y, -9.81)\n"
                                  "event('table', {when = y, direction = 'falling', restitution = 0.5,\n"
                                  "                where = 1 - x})\n"
                                  "horizon(0, 1)\n");
    const double beside = 2.0, above = 0.5;
    EXPECT(go(&s, &beside)->outcome == SALTUS_END);
    EXPECT(go(&s, &above)->outcome == SALTUS_SINKING);
    drop(&s);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static int stop_if(void *context, double t, double end)
{
    (void)t, (void)end;
    return *(const int *)context;
}

TEST(interrupted_gradients_say_so)
{
    subject             s = compile("model 'interrupted'\n"
                                                "local p = param('p', 1)\n"
                                                "local y = coordinate('y', {start = p})\n"
                                                "mass(y, 1)\n"
                                                "cost('c', {final = y})\n"
                                                "horizon(0, 1)\n");
    int                 stop = 0;
    const saltus_method methods[] = {SALTUS_FD, SALTUS_DIRECT, SALTUS_DISCRETE, SALTUS_ADJOINT};
    s.options.progress = stop_if;
    s.options.progress_context = &stop;
    s.options.max_steps = 9000000000000000000LL; /* times four is too much */
    go(&s, NULL);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const saltus_request request = {.method = methods[i]};
        saltus_error         err = {0};
        double               gradient = -7.0;
        stop = 1;
        EXPECT(saltus_run_gradients(s.run, &request, &gradient, NULL, NULL, &err) ==
               SALTUS_ERR_INTERRUPTED);
        EXPECT(gradient == -7.0);
        stop = 0; /* the run is as good as before */
        err = (saltus_error){0};
        EXPECT(saltus_run_gradients(s.run, &request, &gradient, NULL, NULL, &err) == SALTUS_OK);
        EXPECT_NEAR(gradient, 1.0, 1e-9);
    }
    drop(&s);
}

TEST(wrong_lists_are_refused)
{
    subject              s = compile("model 'lists'\n"
                                                  "local p = param('p', 1)\n"
                                                  "local y = coordinate('y', {start = p})\n"
                                                  "mass(y, 1)\n"
                                                  "cost('c', {final = y})\n"
                                                  "horizon(0, 1)\n");
    const int            zero = 0;
    double               gradient;
    saltus_error         err = {0};
    const saltus_request request = {SALTUS_DIRECT, NULL, 0, &zero, -1};
    go(&s, NULL);
    EXPECT(saltus_run_gradients(s.run, &request, &gradient, NULL, NULL, &err) ==
           SALTUS_ERR_ARGUMENT);
    err = (saltus_error){0};
    EXPECT(saltus_run_tangents(s.run, NULL, 1, NULL, 0, NULL, NULL, &err) == SALTUS_ERR_ARGUMENT);
    err = (saltus_error){0};
    EXPECT(saltus_run_costs(NULL, &gradient, &err) == SALTUS_ERR_ARGUMENT);
    drop(&s);
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct job {
    const saltus_system *system;
    double               p;
    int                  events;
} job;

static void *work(void *context)
{
    job         *j = context;
    saltus_error err = {0};
    saltus_run  *run = saltus_run_new(j->system, NULL, &err);
    saltus_run_simulate(run, &j->p, &err);
    j->events = err.status ? -1 : saltus_run_get_info(run)->events;
    saltus_run_free(run);
    return NULL;
}

/* Runs that enter new combinations of modes at the same time; each of them is compiled once, while
 * others look at the same guards. */
TEST(runs_share_a_system)
{
    enum { THREADS = 4 };
    subject s =
        compile("model 'shared'\n"
                "local p = param('p', 1)\n"
                "local y = coordinate('y', {speed = p})\n"
                "mass(y, 1)\n"
                "for g = 1, 7 do\n"
                "  local a = mode('a' .. g, {group = 'g' .. g})\n"
                "  local b = mode('b' .. g, {group = 'g' .. g})\n"
                "  force(y, 1e-3 * sin(g * y), {mode = b})\n"
                "  local w = sin((g + p) * (y + 0.01 * g))\n"
                "  event('up' .. g, {from = a, to = b, when = w, direction = 'rising'})\n"
                "  event('down' .. g, {from = b, to = a, when = w, direction = 'falling'})\n"
                "end\n"
                "horizon(0, 10)\n");
    job       jobs[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){s.system, 1.0 + 0.3 * i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        job alone = {s.system, jobs[i].p, 0};
        work(&alone);
        assert_true(alone.events > 0);
        assert_int_equal(jobs[i].events, alone.events);
    }
    drop(&s);
}

TEST_MAIN(RUN(continuous_adjoint_has_room_for_all_lanes),
          RUN(smallest_record_serves_walks_in_both_directions),
          RUN(motion_up_to_a_failed_jump_can_be_read), RUN(no_event_is_lost_behind_a_touch),
          RUN(touch_and_event_in_one_step_are_both_seen),
          RUN(no_event_is_lost_where_dense_output_fails), RUN(guard_without_value_is_named),
          RUN(conditions_hold_for_contacts_at_the_start), RUN(interrupted_gradients_say_so),
          RUN(wrong_lists_are_refused), RUN(runs_share_a_system))
