/* Compiled code computes what the interpreter computes, bit for bit: every operation, every kernel
 * of every model, whole gradients; and it is used when it should be. */
#define _XOPEN_SOURCE 700
#include "unit/native.h"

#include <pthread.h>

#include "theory/random_model.h"

/* ---- operations ----------------------------------------------------------------------------- */

enum { VALUES = 13 };
static const double values[VALUES] = {0.0,   -0.0, 1.0,    -1.0,    0.5,      -2.5, 3.0,
                                      -16.0, 17.0, 1e-310, 1.7e308, INFINITY, NAN};

/* Each operation of leaves q[0], q[1], and of the tangents of both, which differ by lane. */
static int operations_of(sal_graph *graph, sal_target *targets)
{
    const sal_node q[3] = {sal_leaf(graph, SAL_LEAF_Q, 0), sal_leaf(graph, SAL_LEAF_Q, 1),
                           sal_leaf(graph, SAL_LEAF_Q, 2)};
    const sal_node d[3] = {sal_leaf(graph, SAL_LEAF_TANGENT + SAL_LEAF_Q, 0),
                           sal_leaf(graph, SAL_LEAF_TANGENT + SAL_LEAF_Q, 1),
                           sal_leaf(graph, SAL_LEAF_TANGENT + SAL_LEAF_Q, 2)};
    int            count = 0;
    for (int op = 0; op < SAL_OP_COUNT; op++) {
        const int n = sal_op_arguments(op);
        if (n == 0) continue;
        for (int mixed = 0; mixed < 4; mixed++) {
            const sal_node a = mixed & 1 ? d[0] : q[0], b = mixed & 2 ? d[1] : q[1];
            const sal_node node =
                sal_apply(graph, op, a, n > 1 ? b : 0, n > 2 ? (mixed ? d[2] : q[2]) : 0);
            targets[count] = SAL_OUTPUT(node, count);
            count++;
        }
    }
    /* One place, and the order of adding shows: the first one is known last. */
    targets[count] = SAL_OUTPUT(sal_apply(graph, SAL_OP_TAN, q[0], 0, 0), count);
    targets[count + 1] = SAL_OUTPUT(d[1], count);
    targets[count + 2] = SAL_OUTPUT(sal_const(graph, -0.1), count);
    return count + 3;
}

TEST(every_operation_gives_the_same_bits_for_all_kinds_of_numbers)
{
    new_cache();
    sal_arena       arena;
    sal_graph       graph;
    sal_kernel      kernel = {0};
    sal_target      targets[4 * SAL_OP_COUNT + 3];
    sal_layout      layout = {.size = 3};
    sal_kernel_list list = {.allocator = &arena.allocator};
    sal_native      native;
    sal_code        code[1];
    sal_arena_init(&arena, NULL);
    sal_graph_init(&graph, NULL);
    const int count = operations_of(&graph, targets);
    assert_true(sal_kernel_add(&kernel, &arena, &graph, targets, count, &layout, NULL, NULL));
    sal_kernel_list_add(&list, &kernel, true);
    compile_list(&native, &list);
    code[0] = atomic_load(&kernel.part[0].code);
    for (int i = 0; i < VALUES * VALUES * VALUES; i++) {
        const double u[3] = {values[i % VALUES], values[i / VALUES % VALUES],
                             values[i / VALUES / VALUES]};
        double       lane[3 * 7];
        for (int k = 0; k < 3 * 7; k++) lane[k] = values[(i + 5 * k) % VALUES];
        compare_kernel(&kernel, u, lane, 1 + i % 7, count, code, "operations");
    }
    sal_kernel_list_release(&list);
    sal_native_unload(native.handle);
    sal_graph_free(&graph);
    sal_arena_free(&arena);
}

/* Compilers take long, with sanitizers even longer: one in this many models is tested. */
#if defined(__SANITIZE_ADDRESS__)
enum { KERNELS_OF = 8, GRADIENTS_OF = 8 };
#else
enum { KERNELS_OF = 2, GRADIENTS_OF = 1 };
#endif

/* ---- kernels of models ---------------------------------------------------------------------- */

TEST(every_kernel_of_every_model_gives_the_same_bits_in_one_program_or_with_templates)
{
    new_cache();
    for (const char *const *name = all_models(); *name; name++)
        if ((name - all_models()) % KERNELS_OF == 0) {
            const bool   flat = (name - all_models()) / KERNELS_OF % 2; /* by turns */
            char         path[512];
            saltus_error err = {0};
            snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, *name);
            saltus_model  *model = saltus_model_load(path, &err);
            saltus_system *system = compiled_system(model, flat, &err);
            compare_system(system, *name);
            sal_system_free(system);
            saltus_model_free(model);
        }
}

/* Many instances of few shapes: blocks that are full and one that is not. Coordinates are one or
 * two places apart from one instance to the next, or go back, or jump about; k stays where it is.
 */
TEST(loops_over_instances_give_the_same_bits_and_their_code_does_not_grow)
{
    double price = 0.0;
    new_cache();
    for (int links = 13; links <= 400; links *= 5) {
        char         script[1024];
        saltus_error err = {0};
        snprintf(script, sizeof script,
                 "local n, k = %d, param('k', 3)\n"
                 "local x, P, last = {}, {}, nil\n"
                 "for i = 1, n do x[i] = coordinate('x' .. i, {start = 0.1 * i}) end\n"
                 "for i = 1, n do P[i] = point('P' .. i, {x = i}) end\n"
                 "for i = 1, n do\n"
                 "  mass(x[i], 1 + i / 10)\n"
                 "  mass(P[i], k)\n"
                 "  potential(k * cos(last and x[i] - last or x[i]) * (1 + 1 / i))\n"
                 "  potential(sin(x[n + 1 - i]) * P[i].y)\n"
                 "  potential(k * exp(0.01 * x[1 + 7 * i * i %% n]) * sin(P[i].x + i))\n"
                 "  last = x[i]\n"
                 "end\n"
                 "cost('c', {integral = last^2})\n"
                 "horizon(0, 1)\n",
                 links);
        saltus_model *model =
            saltus_model_load_text("chain.lua", script, strlen(script), NULL, &err);
        saltus_system *system = compiled_system(model, false, &err);
        compare_system(system, "chain");
        sal_kernel_list list = {.allocator = &system->arena.allocator};
        list_maps(system, &list);
        sal_kernels_list(SAL_OF_REGIME, system->cache->regimes.data[0], SAL_CODE_ALL, &list);
        EXPECT(price == 0.0 || price == sal_native_estimate(&list));
        price = sal_native_estimate(&list);
        sal_kernel_list_release(&list);
        sal_system_free(system);
        saltus_model_free(model);
    }
}

/* ---- whole runs ----------------------------------------------------------------------------- */

typedef struct numbers {
    double cost[MAX_COSTS], gradient[METHODS][MAX_COSTS * MAX_PARAMS];
} numbers;

/* What exists of costs and gradients; a gradient that does not exist is all NaN. */
static numbers numbers_of(scripted *s, saltus_backend backend)
{
    numbers n;
    for (size_t i = 0; i < sizeof n / sizeof(double); i++) ((double *)(void *)&n)[i] = NAN;
    s->options.backend = backend;
    s->options.rtol = s->options.atol = 1e-8;
    simulate(s, NULL);
    saltus_run_costs(s->run, n.cost, &s->err);
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        saltus_error         err = {0};
        saltus_run_gradients(s->run, &request, n.gradient[m], NULL, NULL, &err);
    }
    return n;
}

static void compare_runs(scripted *a, scripted *b, const char *name)
{
    const numbers x = numbers_of(a, SALTUS_INTERP), y = numbers_of(b, SALTUS_NATIVE);
    EXPECT(saltus_system_backend(a->system).backend == SALTUS_INTERP);
    EXPECT(saltus_system_backend(b->system).backend == SALTUS_NATIVE);
    EXPECT(a->info->steps == b->info->steps && a->info->events == b->info->events);
    expect_same_numbers((const double *)(const void *)&x, (const double *)(const void *)&y,
                        sizeof x / sizeof(double), name);
    release(a);
    release(b);
}

/* Much of the code is in the cache: the kernels of every model were compiled just before. */
TEST(complete_gradients_of_every_model_have_the_same_bits)
{
    for (const char *const *name = all_models(); *name; name++) {
        if ((name - all_models()) % GRADIENTS_OF != 0) continue;
        scripted a = load_model(*name), b = load_model(*name);
        compare_runs(&a, &b, *name);
    }
}

TEST(complete_gradients_of_random_models_have_the_same_bits)
{
    new_cache();
    for (uint64_t seed = 1; seed <= 12; seed++) {
        static random_model model;
        random_model_make(&model, seed);
        scripted a = load(model.text), b = load(model.text);
        compare_runs(&a, &b, model.text);
    }
}

/* ---- when it is used ------------------------------------------------------------------------ */

static const char ball[] = "local g, e = param('g', 9.81), param('e', 0.9)\n"
                           "local y = coordinate('y', {start = 1})\n"
                           "mass(y, 1) force(y, -g - 0.1 * sin(y))\n"
                           "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                           "cost('c', {integral = y^2, final = y})\n"
                           "horizon(0, 2)\n";

TEST(auto_uses_what_is_in_the_cache_and_compiles_nothing_for_a_short_run)
{
    const char *folder = new_cache();
    scripted    s = run_to(ball, SALTUS_END);
    EXPECT(saltus_system_backend(s.system).backend == SALTUS_INTERP);
    EXPECT(access(folder, F_OK) != 0); /* looking leaves no trace */
    release(&s);
    s = load(ball);
    s.options.backend = SALTUS_NATIVE;
    simulate(&s, NULL);
    EXPECT(saltus_system_backend(s.system).compiled == 3);
    EXPECT(count_files(folder, ".so", NULL) == 3 && count_files(folder, NULL, NULL) == 3);
    release(&s);
    s = run_to(ball, SALTUS_END);
    EXPECT(saltus_system_backend(s.system).loaded == 3);
    EXPECT(saltus_system_backend(s.system).compiled == 0);
    release(&s);
}

TEST(auto_compiles_once_the_interpreter_was_at_work_for_as_long_as_that_takes)
{
    new_cache();
    scripted  s = run_to(ball, SALTUS_END);
    double    first[MAX_COSTS], now[MAX_COSTS];
    long long rounds = 0;
    saltus_run_costs(s.run, first, &s.err);
    while (saltus_system_backend(s.system).backend == SALTUS_INTERP && rounds < 1000000) {
        simulate(&s, NULL);
        rounds++;
    }
    EXPECT(rounds > 10 && rounds < 1000000);
    simulate(&s, NULL);
    saltus_run_costs(s.run, now, &s.err);
    expect_same_numbers(first, now, 1, "a run before and after compiling");
    release(&s);
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct worker {
    const saltus_system *system;
    double               gradient[2], cost;
    saltus_error         err;
} worker;

static void *work_on(void *context)
{
    worker              *w = context;
    const saltus_request request = {.method = SALTUS_DISCRETE};
    saltus_options       options = saltus_system_options(w->system);
    options.backend = SALTUS_INTERP;
    saltus_run *run = saltus_run_new(w->system, &options, &w->err);
    for (int i = 0; i < 200 && !w->err.status; i++) {
        saltus_run_simulate(run, NULL, &w->err);
        saltus_run_costs(run, &w->cost, &w->err);
        saltus_run_gradients(run, &request, w->gradient, NULL, NULL, &w->err);
    }
    saltus_run_free(run);
    return NULL;
}

TEST(code_may_be_loaded_while_other_threads_evaluate)
{
    new_cache();
    scripted  s = load(ball);
    worker    w[3];
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) {
        w[i] = (worker){.system = s.system};
        assert_int_equal(pthread_create(&thread[i], NULL, work_on, &w[i]), 0);
    }
    sal_system_request_backend(s.system, SALTUS_NATIVE);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    EXPECT(saltus_system_backend(s.system).backend == SALTUS_NATIVE);
    for (int i = 0; i < 3; i++) {
        if (w[i].err.status) fail_msg("%s", w[i].err.message);
        expect_same_numbers(w[0].gradient, w[i].gradient, 2, "a thread's gradient");
        EXPECT(w[i].cost == w[0].cost);
    }
    release(&s);
    remove_cache();
}

TEST_MAIN(RUN(every_operation_gives_the_same_bits_for_all_kinds_of_numbers),
          RUN(loops_over_instances_give_the_same_bits_and_their_code_does_not_grow),
          RUN(every_kernel_of_every_model_gives_the_same_bits_in_one_program_or_with_templates),
          RUN(complete_gradients_of_every_model_have_the_same_bits),
          RUN(complete_gradients_of_random_models_have_the_same_bits),
          RUN(auto_uses_what_is_in_the_cache_and_compiles_nothing_for_a_short_run),
          RUN(auto_compiles_once_the_interpreter_was_at_work_for_as_long_as_that_takes),
          RUN(code_may_be_loaded_while_other_threads_evaluate))
