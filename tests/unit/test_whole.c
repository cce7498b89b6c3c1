/* Kernels with the solve written in compute what the factored matrix does. */
#include <glob.h>

#include "run/run.h"
#include "saltus/saltus.h"
#include "system/whole.h"
#include "test.h"

enum { MOST = 64, LANES = 3 };

typedef struct both {
    saltus_system *system;
    saltus_run    *run;
    sal_field     *field;
    double         x[2 * MOST], k[2 * MOST], g[MOST];
} both;

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

/* Vectors of the layout of u, and what sal_field_adjoint takes. */
typedef struct results {
    double k[2 * MOST], g[MOST], mu[MOST];
    double dx[MOST * LANES], dg[MOST * LANES];
    double y[MOST * LANES], u_bar[40 * MOST * LANES];
} results;

/* False: the solve that is written in does not serve here. */
static bool evaluate(both *b, bool plain, results *r)
{
    const saltus_system *system = b->system;
    const sal_whole     *whole = b->field->whole;
    const int            nx = system->nx, n = system->n;
    static double        du[40 * MOST * LANES], a_bar[MOST * LANES], g_bar[MOST * LANES];
    unsigned             seed = 5;
    memset(r, 0, sizeof *r);
    if (plain) b->field->whole = NULL;
    assert_int_equal(sal_field_eval(b->field, 0.1, b->x, r->k, r->g), SAL_FIELD_OK);
    const bool written = b->field->factor->written;
    EXPECT(!(plain && written));
    memcpy(r->mu, sal_u(b->field, SAL_LEAF_MU), (size_t)system->nmu * sizeof(double));
    for (int i = 0; i < system->layout.size * LANES; i++) du[i] = next(&seed);
    sal_field_tangent(b->field, du, LANES, r->dg);
    memcpy(r->dx, du + system->layout.at[SAL_LEAF_A] * LANES, (size_t)(n * LANES) * sizeof *du);
    memcpy(r->dx + n * LANES, du + system->layout.at[SAL_LEAF_MU] * LANES,
           (size_t)((nx - n) * LANES) * sizeof *du);
    for (int i = 0; i < n * LANES; i++) a_bar[i] = next(&seed);
    for (int i = 0; i < system->nc * LANES; i++) g_bar[i] = next(&seed);
    for (int i = 0; i < system->nmu * LANES; i++)
        r->u_bar[system->layout.at[SAL_LEAF_MU] * LANES + i] = next(&seed);
    sal_field_adjoint(b->field, a_bar, g_bar, LANES, r->u_bar);
    memcpy(r->y, a_bar, (size_t)(n * LANES) * sizeof *a_bar);
    b->field->whole = whole;
    return written;
}

static void compare(const char *model, const char *what, const double *a, const double *b,
                    int count)
{
    double size = 1.0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-10 * size))
            fail_msg("%s: %s %d is %.17g with the solve written in, %.17g factored", model, what, i,
                     b[i], a[i]);
}

static int compare_model(const char *path)
{
    static results factored, written;
    saltus_error   err = {0};
    both           b = {0};
    saltus_model  *model = saltus_model_load(path, &err);
    b.system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    b.run = saltus_run_new(b.system, NULL, &err);
    saltus_run_simulate(b.run, NULL, &err);
    if (err.status) fail_msg("%s: %s", path, err.message);
    const saltus_system *system = b.system;
    const int            nx = system->nx;
    b.field = &b.run->flow.field;
    b.field->factor = &b.field->own;
    bool has = b.field->whole != NULL && nx <= MOST && system->nc <= MOST &&
               system->layout.size <= 40 * MOST;
    if (has) {
        memcpy(b.x, b.run->cursor.x, (size_t)(2 * system->n) * sizeof *b.x);
        evaluate(&b, true, &factored);
        has = evaluate(&b, false, &written);
    }
    if (has) {
        compare(path, "a", factored.k, written.k, 2 * system->n);
        compare(path, "mu", factored.mu, written.mu, system->nmu);
        compare(path, "g", factored.g, written.g, system->nc);
        compare(path, "dx", factored.dx, written.dx, nx * LANES);
        compare(path, "dg", factored.dg, written.dg, system->nc * LANES);
        compare(path, "y", factored.y, written.y, system->n * LANES);
        compare(path, "u_bar", factored.u_bar, written.u_bar, system->layout.size * LANES);
    }
    saltus_run_free(b.run);
    saltus_system_free(b.system);
    return has;
}

TEST(both_ways_agree_on_all_models)
{
    UNUSED_STATE;
    glob_t found;
    int    compared = 0;
    if (glob(SALTUS_SOURCE_DIR "/models/*.lua", 0, NULL, &found)) fail_msg("no models");
    for (size_t i = 0; i < found.gl_pathc; i++) compared += compare_model(found.gl_pathv[i]);
    printf("%d of %d models\n", compared, (int)found.gl_pathc);
    EXPECT(compared >= 20);
    globfree(&found);
}

/* ---- ways of solving ------------------------------------------------------------------------ */

enum { COORDINATES = 6, CONSTRAINTS = 3, MOST_UNKNOWNS = COORDINATES + CONSTRAINTS };

/* A symmetric system whose entries are leaves: M banded and definite, each constraint on up to
 * three coordinates, two of them its own. */
typedef struct leaves {
    int      n, m;
    double   value[2 * MOST_UNKNOWNS * MOST_UNKNOWNS]; /* K by rows, then b */
    sal_node K[MOST_UNKNOWNS * MOST_UNKNOWNS], b[MOST_UNKNOWNS];
} leaves;

static void put(leaves *s, sal_graph *graph, int i, int j, double value)
{
    const int size = s->n + s->m;
    s->value[i * size + j] = s->value[j * size + i] = value;
    s->K[i * size + j] = sal_leaf(graph, SAL_LEAF_Q, i * size + j);
}

static void fill(leaves *s, sal_graph *graph, int n, int m, unsigned *seed)
{
    const int size = n + m;
    memset(s, 0, sizeof *s);
    s->n = n;
    s->m = m;
    for (int i = 0; i < n; i++) put(s, graph, i, i, 3.0 + next(seed));
    for (int i = 1; i < n; i += 2) put(s, graph, i, i - 1, next(seed));
    for (int k = 0; k < m; k++) {
        put(s, graph, n + k, k, 1.0 + next(seed));
        put(s, graph, n + k, (k + m) % n, 1.0 + next(seed));
        if (k > 0) put(s, graph, n + k, n - 1, next(seed));
    }
    for (int i = 0; i < size; i++) {
        s->value[size * size + i] = next(seed);
        s->b[i] = sal_leaf(graph, SAL_LEAF_Q, size * size + i);
    }
}

/* The largest entry of K x - b, by this way; negative: the way is not possible. */
static double residual(leaves *s, sal_graph *graph, sal_solve_way way)
{
    const int        size = s->n + s->m, prefer[COORDINATES] = {0};
    const sal_layout layout = {.at = {[SAL_LEAF_Q] = 0}, .size = size * size + size};
    sal_arena        arena;
    sal_solve        solve;
    sal_kernel       kernel = {0};
    sal_node         x[MOST_UNKNOWNS];
    sal_target       targets[MOST_UNKNOWNS];
    double           out[MOST_UNKNOWNS] = {0}, most = 0.0;
    sal_arena_init(&arena, NULL);
    if (!sal_solve_plan(&solve, way, graph, s->n, s->m, s->K, prefer, &arena)) {
        sal_arena_free(&arena);
        return -1.0;
    }
    EXPECT(solve.way == way);
    sal_solve_write(&solve, s->b, x, &arena);
    for (int i = 0; i < size; i++) targets[i] = SAL_OUTPUT(x[i], i);
    EXPECT(sal_kernel_add(&kernel, &arena, graph, targets, size, &layout, NULL, NULL));
    double *work = ARENA_NEW(&arena, SAL_KERNEL_WORK(kernel.slots), double);
    sal_kernel_eval(&kernel, s->value, NULL, 1, out, work);
    for (int i = 0; i < size; i++) {
        double left = -s->value[size * size + i];
        for (int j = 0; j < size; j++) left += s->value[i * size + j] * out[j];
        most = fmax(most, isfinite(left) ? fabs(left) : INFINITY);
    }
    sal_arena_free(&arena);
    return most;
}

/* One, two, three and four freedoms; every way must have been possible for some of them. */
TEST(every_way_solves_the_equations)
{
    UNUSED_STATE;
    static leaves s;
    unsigned      seed = 11;
    int           possible[SAL_SOLVE_WAYS] = {0};
    for (int i = 0; i < 60; i++) {
        const int m = 1 + i % CONSTRAINTS, n = m + 1 + i % (COORDINATES - m);
        sal_graph graph;
        sal_graph_init(&graph, NULL);
        graph.loose = i % 2 == 1;
        fill(&s, &graph, n, m, &seed);
        for (int way = 0; way < SAL_SOLVE_WAYS; way++) {
            const double left = residual(&s, &graph, (sal_solve_way)way);
            if (!(left < 1e-10))
                fail_msg("way %d, %d coordinates, %d constraints: off by %g", way, n, m, left);
            possible[way] += left >= 0.0;
        }
        sal_graph_free(&graph);
    }
    for (int way = 0; way < SAL_SOLVE_WAYS; way++) EXPECT(possible[way] >= 30);
}

/* ---- run constants -------------------------------------------------------------------------- */

static saltus_run *five_bar(saltus_system **system, saltus_error *err)
{
    saltus_model *model = saltus_model_load(SALTUS_SOURCE_DIR "/models/five_bar.lua", err);
    *system = saltus_system_compile(model, err);
    saltus_model_free(model);
    saltus_run *run = saltus_run_new(*system, NULL, err);
    if (err->status) fail_msg("%s", err->message);
    return run;
}

/* Instructions whose value is the same in every evaluation of a run. */
static int constant_instructions(const sal_program *program)
{
    unsigned char *moves = calloc((size_t)program->slots, 1);
    int            count = 0;
    assert_non_null(moves);
    for (int i = 0; i < program->inputs; i++)
        moves[i] = program->input[i].kind != SAL_LEAF_P && program->input[i].kind != SAL_LEAF_RUN &&
                   program->input[i].kind != SAL_LEAF_SOLVER;
    for (int r = 0; r < program->runs; r++)
        for (int i = 0; i < program->run[r].count; i++) {
            const sal_instruction *x = &program->instruction[program->run[r].first + i];
            const int              n = sal_op_arguments(program->run[r].op);
            moves[x->result] = moves[x->a] | (n > 1 && moves[x->b]) | (n > 2 && moves[x->c]);
            count += !moves[x->result];
        }
    free(moves);
    return count;
}

TEST(what_is_constant_is_computed_once_per_run)
{
    UNUSED_STATE;
    saltus_error   err = {0};
    saltus_system *system;
    saltus_run    *run = five_bar(&system, &err);
    saltus_run_simulate(run, NULL, &err);
    const sal_whole *whole = run->flow.field.whole;
    EXPECT(whole && whole->constants.parts == 1);
    EXPECT(constant_instructions(whole->constants.part[0].program) > 5);
    EXPECT(constant_instructions(whole->forward.part[0].program) == 0);
    EXPECT(constant_instructions(whole->tangent.part[0].program) == 0);
    EXPECT(constant_instructions(whole->adjoint.part[0].program) == 0);
    saltus_run_free(run);
    saltus_system_free(system);
}

/* The same run again with another mass, and another run that never had the first one. */
TEST(other_parameters_make_other_run_constants)
{
    UNUSED_STATE;
    saltus_error   err = {0};
    saltus_system *system, *fresh_system;
    saltus_run    *run = five_bar(&system, &err), *fresh = five_bar(&fresh_system, &err);
    double         params[MOST], x[2 * MOST];
    for (int i = 0; i < system->np; i++)
        params[i] = system->model->params.data[i].value * (i == 4 ? 1.25 : 1.0);
    EXPECT_TEXT(system->model->params.data[4].label.name, "m2");
    saltus_run_simulate(run, NULL, &err);
    memcpy(x, run->end.x, (size_t)(2 * system->n) * sizeof *x);
    saltus_run_simulate(run, params, &err);
    saltus_run_simulate(fresh, params, &err);
    if (err.status) fail_msg("%s", err.message);
    for (int i = 0; i < 2 * system->n; i++) EXPECT(run->end.x[i] == fresh->end.x[i]);
    EXPECT(fabs(x[3] - run->end.x[3]) > 1e-6);
    saltus_run_free(run);
    saltus_run_free(fresh);
    saltus_system_free(system);
    saltus_system_free(fresh_system);
}

TEST_MAIN(RUN(both_ways_agree_on_all_models), RUN(every_way_solves_the_equations),
          RUN(what_is_constant_is_computed_once_per_run),
          RUN(other_parameters_make_other_run_constants))
