/* Long programs are cut into pieces: with the same bits, and compiled in a time that grows with
 * their length and not with its square. */
#define _XOPEN_SOURCE 700
#include "unit/native.h"

#include <sys/resource.h>
#include <sys/time.h>

/* ---- random programs ------------------------------------------------------------------------ */

enum { LEAVES = 12, NODES = 2600, OUTPUTS = 90, PLACES = 60 };

static int random_below(uint64_t *state, int bound)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)bound);
}

/* Operations whose results stay of the size of their arguments, of neighbours and of what is long
 * ago; half of the leaves differ from lane to lane. */
static void fill_graph(sal_graph *graph, sal_node *node, uint64_t *seed)
{
    for (int i = 0; i < LEAVES; i++)
        node[i] = sal_leaf(graph, (i % 2 ? SAL_LEAF_TANGENT : 0) + SAL_LEAF_Q, i / 2);
    for (int i = LEAVES; i < NODES; i++) {
        const int a = random_below(seed, i), b = i - 1 - random_below(seed, i < 40 ? i : 40);
        switch (random_below(seed, 8)) {
        case 0: node[i] = sal_apply(graph, SAL_OP_SIN, node[b], 0, 0); break;
        case 1: node[i] = sal_apply(graph, SAL_OP_MIN, node[a], node[b], 0); break;
        case 2: node[i] = sal_apply(graph, SAL_OP_ABS, node[b], 0, 0); break;
        case 3: node[i] = sal_apply(graph, SAL_OP_SUB, node[b], node[a], 0); break;
        default:
            node[i] = sal_apply(graph, SAL_OP_MUL, sal_apply(graph, SAL_OP_COS, node[a], 0, 0),
                                node[b], 0);
        }
    }
}

/* Outputs from all over, some of which share a place, some of which are leaves or a number. */
static void choose_targets(sal_graph *graph, const sal_node *node, uint64_t *seed,
                           sal_target *targets)
{
    for (int o = 0; o < OUTPUTS; o++) {
        const int kind = random_below(seed, 20);
        targets[o] = SAL_OUTPUT(kind == 0   ? sal_const(graph, 0.1 * o)
                                : kind == 1 ? node[random_below(seed, LEAVES)]
                                            : node[NODES - 1 - random_below(seed, NODES / 2)],
                                o < PLACES ? o : random_below(seed, PLACES));
    }
}

static void compare_random_program(uint64_t seed)
{
    static const int lanes[] = {1, 2, 3, 4, 5, 8, 11};
    sal_arena        arena;
    sal_graph        graph;
    static sal_node  node[NODES];
    sal_target       targets[OUTPUTS];
    sal_kernel       kernel = {0};
    const sal_layout layout = {.size = LEAVES / 2};
    sal_kernel_list  list = {.allocator = &arena.allocator};
    sal_native       native;
    double           u[LEAVES / 2], lane[LEAVES / 2 * 11];
    sal_arena_init(&arena, NULL);
    sal_graph_init(&graph, NULL);
    fill_graph(&graph, node, &seed);
    choose_targets(&graph, node, &seed, targets);
    assert_true(sal_kernel_add(&kernel, &arena, &graph, targets, OUTPUTS, &layout, NULL, NULL));
    EXPECT(sal_emit_is_cut(kernel.part));
    sal_kernel_list_add(&list, &kernel, true);
    compile_list(&native, &list);
    const sal_code code = atomic_load(&kernel.part->code);
    for (int i = 0; i < LEAVES / 2; i++) u[i] = sin(1.0 + i);
    for (int i = 0; i < LEAVES / 2 * 11; i++) lane[i] = cos(0.3 * i);
    for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
        compare_kernel(&kernel, u, lane, lanes[l], PLACES, &code, "a random program");
    sal_kernel_list_release(&list);
    sal_native_unload(native.handle);
    sal_graph_free(&graph);
    sal_arena_free(&arena);
}

TEST(random_programs_give_the_same_bits_in_pieces)
{
    new_cache();
    for (uint64_t seed = 1; seed <= 3; seed++) compare_random_program(seed);
}

/* ---- an arm --------------------------------------------------------------------------------- */

static saltus_model *arm_of(double joints, saltus_error *err)
{
    const saltus_override set = {.name = "N", .value = joints};
    saltus_script_options options = saltus_script_options_default();
    options.overrides = &set;
    options.override_count = 1;
    saltus_model *model =
        saltus_model_load_with(SALTUS_SOURCE_DIR "/bench/models/arm.lua", &options, err);
    if (err->status) fail_msg("%s", err->message);
    return model;
}

TEST(all_kernels_of_an_arm_give_the_same_bits_in_pieces)
{
    saltus_error err = {0};
    new_cache();
    saltus_model     *model = arm_of(4, &err);
    saltus_system    *system = compiled_system(model, true, &err);
    const sal_solved *solved = system->cache->regimes.data[0]->cache->solved[0];
    assert_non_null(solved);
    EXPECT(sal_emit_is_cut(solved->stage_adjoint.part));
    compare_system(system, "arm");
    sal_system_free(system);
    saltus_model_free(model);
}

/* Processor time of all compilers until now. */
static double compiler_seconds(void)
{
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

/* The cost and its gradient by all methods that have it written down. */
static void run_arm(saltus_backend backend, double *numbers, saltus_backend_info *info)
{
    saltus_error   err = {0};
    saltus_model  *model = arm_of(12, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_options options = saltus_system_options(system);
    options.backend = backend;
    options.rtol = options.atol = 1e-6;
    saltus_run          *run = saltus_run_new(system, &options, &err);
    const saltus_request discrete = {.method = SALTUS_DISCRETE}, direct = {.method = SALTUS_DIRECT};
    saltus_run_simulate(run, NULL, &err);
    saltus_run_costs(run, numbers, &err);
    saltus_run_gradients(run, &discrete, numbers + 1, NULL, NULL, &err);
    saltus_run_gradients(run, &direct, numbers + 4, NULL, NULL, &err);
    if (err.status) fail_msg("%s", err.message);
    *info = saltus_system_backend(system);
    if (info->note[0]) fail_msg("%s", info->note);
    EXPECT(info->backend == backend);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
}

/* gcc 12 took 38 s of processor time for one piece each, 5 s for many. */
TEST(an_arm_of_twelve_joints_compiles_in_seconds_and_runs_with_the_same_bits)
{
    double              interpreted[7] = {0}, compiled[7] = {0};
    saltus_backend_info info;
    new_cache();
    run_arm(SALTUS_INTERP, interpreted, &info);
    const double before = compiler_seconds();
    run_arm(SALTUS_NATIVE, compiled, &info);
    const double seconds = compiler_seconds() - before;
    if (seconds > 15.0) fail_msg("compilers took %.1f s of processor time", seconds);
    EXPECT(info.compiled >= 3);
    expect_same_numbers(interpreted, compiled, 7, "cost and gradients");
}

/* ---- what is short -------------------------------------------------------------------------- */

/* The mechanisms whose speed matters most are of one piece. */
TEST(kernels_of_small_models_are_not_cut)
{
    static const char *const names[] = {"five_bar", "hopper", "press"};
    for (int i = 0; i < 3; i++) {
        char            path[512];
        saltus_error    err = {0};
        sal_kernel_list list = {0};
        snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, names[i]);
        saltus_model  *model = saltus_model_load(path, &err);
        saltus_system *system = compiled_system(model, true, &err);
        list.allocator = &system->arena.allocator;
        sal_kernels_list(SAL_OF_SOLVED, system->cache->regimes.data[0]->cache->solved[0],
                         SAL_CODE_ALL, &list);
        for (int k = 0; k < list.kernels.count; k++)
            if (sal_emit_is_cut(list.kernels.data[k].kernel->part))
                fail_msg("%s: kernel %d is cut", names[i], k);
        sal_kernel_list_release(&list);
        sal_system_free(system);
        saltus_model_free(model);
    }
    remove_cache();
}

TEST_MAIN(RUN(random_programs_give_the_same_bits_in_pieces),
          RUN(all_kernels_of_an_arm_give_the_same_bits_in_pieces),
          RUN(an_arm_of_twelve_joints_compiles_in_seconds_and_runs_with_the_same_bits),
          RUN(kernels_of_small_models_are_not_cut))
