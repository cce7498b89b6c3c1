/* Readable code alone, and with all faster ways (the folders named fast): the same run, bit by bit.
 * The last digits may differ with vector sums, which add in another order, and where events are
 * looked for quickly (locate/fast): the search for their times begins at another place. */
#include <glob.h>
#include <math.h>

#include "compile/solved.h"
#include "locate/fast/screen.h"
#include "motion/fast/fast.h"
#include "run/run.h"
#include "saltus/saltus.h"
#include "test.h"

#if SANITIZED
#define SOME "[fh]*"
#else
#define SOME "*"
#endif

enum { MAX_NUMBERS = 1 << 16, TURNS = 3 };

/* All that a run computes, one number after the other. */
typedef struct numbers {
    int    count;
    long   steps;
    bool   nystrom;
    double value[MAX_NUMBERS];
} numbers;

static void put(numbers *to, const double *from, int count)
{
    assert_true(to->count + count <= MAX_NUMBERS);
    memcpy(to->value + to->count, from, (size_t)count * sizeof *from);
    to->count += count;
}

static void put_gradients(numbers *to, saltus_run *run, saltus_size size, saltus_method method,
                          saltus_error *err)
{
    static double        cost[MAX_NUMBERS], time[MAX_NUMBERS], end[MAX_NUMBERS];
    const int            events = saltus_run_get_info(run)->events;
    const saltus_request request = {.method = method};
    int                  params = 0;
    for (int i = 0; i < size.params; i++) params += !saltus_system_param(run->system, i).fixed;
    if (params == 0) return;
    saltus_run_gradients(run, &request, cost, time, end, err);
    put(to, cost, size.costs * params);
    put(to, time, events * params);
    put(to, end, params);
}

/* What is switched off: nothing; what steps and tangents have; also the vector sums; the quick look
 * at guards. */
typedef enum part { NOTHING, FAST_STEPS, FAST_STEPS_AND_SUMS, SCREEN } part;

static void switch_off(saltus_run *run, part off)
{
    run->motion.fast->off = off == FAST_STEPS || off == FAST_STEPS_AND_SUMS;
    run->locator.screen->off = off == SCREEN;
    if (off != FAST_STEPS_AND_SUMS) return;
    run->motion.step.sums = sal_sums_plain();
    for (int i = 0; i < SAL_RUN_FIELDS; i++) run->fields[i]->sums = sal_sums_plain();
}

/* Each method several times on one run: from the second time on rows are kept in the record, or
 * tangents computed with the steps. */
static void compute(const saltus_system *system, saltus_backend backend, part off, numbers *to)
{
    static const saltus_method methods[] = {SALTUS_DISCRETE, SALTUS_DIRECT, SALTUS_ADJOINT};
    const saltus_size          size = saltus_system_size(system);
    saltus_error               err = {0};
    saltus_options             options = saltus_system_options(system);
    double                     costs[256];
    options.backend = backend;
    to->count = 0;
    to->steps = 0;
    for (int m = 0; m < 3; m++) {
        saltus_run *run = saltus_run_new(system, &options, &err);
        if (err.status) fail_msg("%s", err.message);
        switch_off(run, off);
        for (int turn = 0; turn < TURNS; turn++) {
            if (run->motion.fast->off) run->next_observer = NULL; /* no tangents meanwhile */
            saltus_run_simulate(run, NULL, &err);
            const saltus_run_info *info = saltus_run_get_info(run);
            const double           end[] = {info->events, info->t};
            to->steps += info->steps;
            put(to, end, 2);
            for (int i = 0; i < info->events; i++) {
                const double t = saltus_run_event(run, i).t;
                put(to, &t, 1);
            }
            saltus_run_costs(run, costs, &err);
            put(to, costs, size.costs);
            put_gradients(to, run, size, methods[m], &err);
            if (err.status) fail_msg("%s", err.message);
        }
        to->nystrom = run->motion.fast->nystrom != NULL;
        saltus_run_free(run);
    }
}

/* tolerance: of each number, relative if it is large; 0: every bit. */
static void expect_same(const char *path, const char *what, const numbers *with,
                        const numbers *without, double tolerance)
{
    if (with->count != without->count)
        fail_msg("%s: %d numbers, %d without %s", path, with->count, without->count, what);
    for (int i = 0; i < with->count; i++) {
        const double a = with->value[i], b = without->value[i];
        const bool   same = tolerance > 0.0 ? fabs(a - b) <= tolerance * fmax(1.0, fabs(b))
                                            : memcmp(&a, &b, sizeof a) == 0;
        if (!same) fail_msg("%s: number %d is %.17g, without %s %.17g", path, i, a, what, b);
    }
}

/* Returns whether the Nystrom form was used. */
static bool compare(const char *name, saltus_model *model, saltus_backend backend,
                    saltus_error *err)
{
    static numbers with, without;
    saltus_system *system = saltus_system_compile(model, err);
    if (err->status) fail_msg("%s: %s", name, err->message);
    compute(system, backend, NOTHING, &with);
    compute(system, backend, FAST_STEPS, &without);
    EXPECT(without.steps == with.steps);
    /* sums of the Nystrom form round in another order */
    expect_same(name, "fast steps", &with, &without, with.nystrom ? 1e-10 : 0.0);
    compute(system, backend, FAST_STEPS_AND_SUMS, &without);
    /* Where the error of a step is rounding, even the lengths of steps differ. */
    expect_same(name, "fast steps and vector sums", &with, &without, 1e-8);
    compute(system, backend, SCREEN, &without);
    EXPECT(without.steps == with.steps);
    expect_same(name, "the screen", &with, &without, 1e-10);
    saltus_system_free(system);
    saltus_model_free(model);
    return with.nystrom;
}

static void compare_file(const char *path, saltus_backend backend)
{
    saltus_error err = {0};
    compare(path, saltus_model_load(path, &err), backend, &err);
}

static void compare_all(const char *pattern, saltus_backend backend)
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    EXPECT(found.gl_pathc > 4);
    for (size_t i = 0; i < found.gl_pathc; i++) compare_file(found.gl_pathv[i], backend);
    globfree(&found);
}

TEST(every_model_gives_the_same_bits_without_fast_paths)
{
    compare_all(SALTUS_SOURCE_DIR "/models/*.lua", SALTUS_INTERP);
}

/* With sanitizers only some of them: compiling takes a minute. */
TEST(native_code_gives_the_same_bits_without_fast_paths)
{
    compare_all(SALTUS_SOURCE_DIR "/models/" SOME ".lua", SALTUS_NATIVE);
}

TEST(a_large_model_gives_the_same_numbers_without_the_nystrom_form)
{
    static const char script[] = "local k, left, total = param('k', 100), 0, 0\n"
                                 "for i = 1, 100 do\n"
                                 "  local u = coordinate('u' .. i, {start = 0.1 * math.sin(i)})\n"
                                 "  local d = u - left\n"
                                 "  mass(u, 1 + i / 100)\n"
                                 "  potential(k * (d^2 / 2 + d^4 / 4))\n"
                                 "  total, left = total + u^2, u\n"
                                 "end\n"
                                 "cost('total', {integral = total})\n"
                                 "horizon(0, 1)\n";
    for (int native = 0; native < 2; native++) {
        saltus_error  err = {0};
        saltus_model *model =
            saltus_model_load_text("springs.lua", script, strlen(script), NULL, &err);
        EXPECT(compare("springs", model, native ? SALTUS_NATIVE : SALTUS_INTERP, &err));
    }
}

/* Whether the second simulation of a run keeps rows after a gradient, and the size of its frames.
 */
static bool keeps_rows(const saltus_system *system, size_t memory, size_t *frame, int *steps)
{
    saltus_error         err = {0};
    saltus_options       options = saltus_system_options(system);
    const saltus_request request = {.method = SALTUS_DISCRETE};
    static double        cost[MAX_NUMBERS];
    options.record_memory = memory;
    options.rtol = options.atol = 1e-12;
    saltus_run *run = saltus_run_new(system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    saltus_run_gradients(run, &request, cost, NULL, NULL, &err);
    saltus_run_simulate(run, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    const bool keeps = run->history.keeping;
    *frame = run->history.record.frame_size;
    *steps = (int)saltus_run_get_info(run)->steps;
    saltus_run_free(run);
    return keeps;
}

TEST(rows_are_kept_only_if_those_of_all_steps_fit)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(SALTUS_SOURCE_DIR "/models/five_bar.lua", &err);
    saltus_system *system = saltus_system_compile(model, &err);
    size_t         frame, small;
    int            steps;
    EXPECT(keeps_rows(system, (size_t)1 << 28, &frame, &steps));
    EXPECT(steps > 60);
    EXPECT(keeps_rows(system, 4 * frame * (size_t)steps, &small, &steps));
    EXPECT(!keeps_rows(system, frame * (size_t)steps, &small, &steps));
    saltus_system_free(system);
    saltus_model_free(model);
}

/* A native step knows them from its own check of the pivots. */
TEST(ranges_of_pivots_are_those_of_the_stages)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(SALTUS_SOURCE_DIR "/models/five_bar.lua", &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_options options = saltus_system_options(system);
    double         low[2][16], high[2][16];
    options.backend = SALTUS_NATIVE;
    saltus_run *run = saltus_run_new(system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    sal_step *step = &run->motion.step; /* one more step, whose rows are not passed on */
    EXPECT(sal_step_first(step, run->t_end) == 0 && sal_step_take(step, 1e-2) == 0);
    const int count = run->motion.field.solved->pivots;
    EXPECT(run->motion.fast->ranged && count > 0 && count + 3 <= 16);
    for (int i = 0; i < 2; i++) {
        run->motion.fast->ranged = i == 0;
        sal_motion_pivot_ranges(&run->motion, count, low[i], high[i]);
    }
    for (int k = 0; k < count; k++)
        EXPECT(low[0][k] == low[1][k] && high[0][k] == high[1][k] && low[0][k] < high[0][k]);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
}

TEST_MAIN(RUN(ranges_of_pivots_are_those_of_the_stages),
          RUN(rows_are_kept_only_if_those_of_all_steps_fit),
          RUN(every_model_gives_the_same_bits_without_fast_paths),
          RUN(native_code_gives_the_same_bits_without_fast_paths),
          RUN(a_large_model_gives_the_same_numbers_without_the_nystrom_form))
