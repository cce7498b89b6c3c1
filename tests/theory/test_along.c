/* Tangents that go along with a simulation (direct method, asked for again) have the digits of
 * those that walk over its record; and nothing of an earlier request is left in a later answer. */
#include "scripted.h"

enum { MAX_TIMES = 1024 * MAX_PARAMS };

/* What one request gives. */
typedef struct answer {
    saltus_status status;
    double        cost[MAX_COSTS * MAX_PARAMS], time[MAX_TIMES], end[MAX_PARAMS];
} answer;

static void ask(scripted *s, saltus_method method, const int *params, int count, answer *a)
{
    const saltus_request request = {method, NULL, 0, params, count};
    saltus_error         err = {0};
    assert_true(s->info->events * count <= MAX_TIMES);
    memset(a, 0, sizeof *a);
    a->status = saltus_run_gradients(s->run, &request, a->cost, a->time, a->end, &err);
}

static void expect_same(const answer *a, const answer *b, const char *what)
{
    if (memcmp(a, b, sizeof *a) == 0) return;
    fail_msg("%s: status %d and %d, first derivative %.17g and %.17g", what, (int)a->status,
             (int)b->status, a->cost[0], b->cost[0]);
}

static const int order[MAX_PARAMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* ---- the same digits ------------------------------------------------------------------------ */

static void compare(const char *model, saltus_backend backend, saltus_integrator integrator,
                    saltus_formulation formulation, int count)
{
    static answer walked, gone_along;
    char          what[128];
    scripted      s = load_model(model);
    s.options.rtol = s.options.atol = 1e-7;
    s.options.backend = backend;
    s.options.integrator = integrator;
    s.options.formulation = formulation;
    snprintf(what, sizeof what, "%s, %d parameters, backend %d, integrator %d, formulation %d",
             model, count, (int)backend, (int)integrator, (int)formulation);
    if (count > s.size.params) count = s.size.params;
    simulate(&s, NULL);
    if (s.info->events * count > MAX_TIMES) count = 1;
    ask(&s, SALTUS_DIRECT, order, count, &walked);
    for (int again = 0; again < 2; again++) {
        simulate(&s, NULL);
        ask(&s, SALTUS_DIRECT, order, count, &gone_along);
        expect_same(&walked, &gone_along, what);
        ask(&s, SALTUS_DIRECT, order, count, &gone_along); /* twice */
        expect_same(&walked, &gone_along, what);
    }
    release(&s);
}

TEST(tangents_that_go_along_have_the_same_digits_interpreted)
{
    for (const char *const *model = all_models(); *model; model++) {
        compare(*model, SALTUS_INTERP, SALTUS_DOP853, SALTUS_INDEX1, 3);
        compare(*model, SALTUS_INTERP, SALTUS_DOPRI5, SALTUS_INDEX1, 1);
    }
}

/* Compilers take long, with sanitizers even longer: this many models are tested. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COMPILED = 2 };
#else
enum { COMPILED = 6 };
#endif

/* Code is for one, two or four lanes; more take another way. */
TEST(tangents_that_go_along_have_the_same_digits_compiled)
{
    static const char *const models[] = {"five_bar", "string_taut",  "tumbling_box",
                                         "hopper",   "compass_feet", "coulomb"};
    static const int         counts[] = {1, 2, 3, 5};
    for (int m = 0; m < COMPILED; m++)
        for (int c = 0; c < 4; c++) {
            compare(models[m], SALTUS_NATIVE, SALTUS_DOP853, SALTUS_INDEX1, counts[c]);
            if (c < 2) compare(models[m], SALTUS_NATIVE, SALTUS_DOPRI5, SALTUS_INDEX1, counts[c]);
        }
    compare("five_bar", SALTUS_NATIVE, SALTUS_DOP853, SALTUS_PENALTY, 2);
}

/* ---- nothing left over ---------------------------------------------------------------------- */

static scripted five_bar(void)
{
    scripted s = load_model("five_bar");
    s.options.rtol = s.options.atol = 1e-7;
    return s;
}

/* An answer of a run that has no history. */
static void ask_alone(const double *values, saltus_method method, const int *params, int count,
                      answer *a)
{
    scripted s = five_bar();
    simulate(&s, values);
    ask(&s, method, params, count, a);
    release(&s);
}

TEST(other_parameters_and_other_requests_get_their_own_answers)
{
    static answer    here, alone;
    static const int first[] = {0, 1}, other[] = {3, 1}, more[] = {2, 0, 1, 3};
    scripted         s = five_bar();
    double           values[MAX_PARAMS];
    assert_true(s.size.params >= 4);
    for (int i = 0; i < s.size.params; i++) values[i] = saltus_system_param(s.system, i).value;
    for (int round = 0; round < 4; round++) {
        values[0] *= 1.0 + 0.01 * round;
        simulate(&s, values);
        ask(&s, SALTUS_DIRECT, first, 2, &here);
        ask_alone(values, SALTUS_DIRECT, first, 2, &alone);
        expect_same(&alone, &here, "the same parameters again");
        if (round < 2) continue;
        ask(&s, SALTUS_DIRECT, other, 2, &here);
        ask_alone(values, SALTUS_DIRECT, other, 2, &alone);
        expect_same(&alone, &here, "other parameters");
        ask(&s, SALTUS_DISCRETE, more, 4, &here);
        ask_alone(values, SALTUS_DISCRETE, more, 4, &alone);
        expect_same(&alone, &here, "another method");
        ask(&s, SALTUS_DIRECT, first, 2, &here);
        ask_alone(values, SALTUS_DIRECT, first, 2, &alone);
        expect_same(&alone, &here, "the first ones again");
    }
    release(&s);
}

/* A record that keeps little is filled anew while it is gone through: without company. */
TEST(a_replay_leaves_alone_what_went_along)
{
    static answer    here, alone;
    static const int params[] = {0, 1};
    scripted         s = five_bar();
    s.options.record_memory = 4096;
    for (int round = 0; round < 3; round++) {
        simulate(&s, NULL);
        if (round > 0) { /* something that needs the record, before the answer */
            saltus_error err = {0};
            ask(&s, SALTUS_DISCRETE, params, 2, &here);
            EXPECT(here.status == SALTUS_OK && !err.status && s.info->replayed > 0);
        }
        ask(&s, SALTUS_DIRECT, params, 2, &here);
        ask_alone(NULL, SALTUS_DIRECT, params, 2, &alone);
        expect_same(&alone, &here, "with a small record");
        simulate(&s, NULL);
        ask(&s, SALTUS_DIRECT, params, 2, &here);
        expect_same(&alone, &here, "with a small record, again");
    }
    release(&s);
}

TEST_MAIN(RUN(tangents_that_go_along_have_the_same_digits_interpreted),
          RUN(tangents_that_go_along_have_the_same_digits_compiled),
          RUN(other_parameters_and_other_requests_get_their_own_answers),
          RUN(a_replay_leaves_alone_what_went_along))
