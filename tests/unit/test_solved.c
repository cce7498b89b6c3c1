/* Solved kernels compute what the factored matrix does. */
#include <glob.h>

#include "compile/solved.h"
#include "linalg/lu.h"
#include "run/run.h"
#include "saltus/saltus.h"
#include "test.h"

enum { MAX = 64, LANES = 3 };

typedef struct both {
    saltus_system *system;
    saltus_run    *run;
    sal_field     *field;
    double         x[2 * MAX], k[2 * MAX], g[MAX];
} both;

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

/* Vectors of the layout of u, and what sal_field_adjoint takes. */
typedef struct results {
    double k[2 * MAX], g[MAX], mu[MAX];
    double dx[MAX * LANES], dg[MAX * LANES];
    double y[MAX * LANES], u_bar[40 * MAX * LANES];
    double stage_dx[MAX * LANES], stage_dg[MAX * LANES], stage_bar[40 * MAX * LANES];
} results;

/* What stages of a step want of products: no multipliers, and no y. */
static void evaluate_stage(both *b, results *r)
{
    const saltus_system *system = b->system;
    const int           *at = system->layout.at, nx = system->unknowns;
    static double        du[40 * MAX * LANES], out[2 * MAX * LANES];
    unsigned             seed = 7;
    for (int i = 0; i < system->layout.size * LANES; i++) du[i] = next(&seed);
    sal_field_stage_tangent(b->field, du, LANES, out);
    memcpy(r->stage_dx, out, (size_t)(system->n * LANES) * sizeof *out);
    memcpy(r->stage_dg, out + nx * LANES, (size_t)(system->nc * LANES) * sizeof *out);
    for (int i = 0; i < (nx + system->nc) * LANES; i++)
        out[i] = i / LANES >= system->n && i / LANES < nx ? 0.0 : next(&seed);
    sal_field_stage_adjoint(b->field, out, LANES, r->stage_bar);
    memset(r->stage_bar + at[SAL_LEAF_A] * LANES, 0, (size_t)(nx * LANES) * sizeof *out);
}

/* False: the solve that is written in does not serve here. */
static bool evaluate(both *b, bool plain, results *r)
{
    const saltus_system *system = b->system;
    const sal_solved    *solved = b->field->solved;
    const int            nx = system->unknowns, n = system->n;
    static double        du[40 * MAX * LANES], a_bar[MAX * LANES], g_bar[MAX * LANES];
    unsigned             seed = 5;
    memset(r, 0, sizeof *r);
    if (plain) b->field->solved = NULL;
    assert_int_equal(sal_field_eval(b->field, 0.1, b->x, r->k, r->g), SAL_FIELD_OK);
    const bool written = b->field->factor->by_solved;
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
    evaluate_stage(b, r);
    b->field->solved = solved;
    return written;
}

static void compare(const char *model, const char *what, const double *a, const double *b,
                    int count)
{
    double size = 1.0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-10 * size))
            fail_msg("%s: %s %d is %.17g solved, %.17g factored", model, what, i, b[i], a[i]);
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
    const int            nx = system->unknowns;
    b.field = &b.run->motion.field;
    b.field->factor = &b.field->own;
    bool has = b.field->solved != NULL && nx <= MAX && system->nc <= MAX &&
               system->layout.size <= 40 * MAX;
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
        compare(path, "dx of a stage", factored.stage_dx, written.stage_dx, system->n * LANES);
        compare(path, "dg of a stage", factored.stage_dg, written.stage_dg, system->nc * LANES);
        compare(path, "u_bar of a stage", factored.stage_bar, written.stage_bar,
                system->layout.size * LANES);
    }
    saltus_run_free(b.run);
    saltus_system_free(b.system);
    return has;
}

/* For most models there must be something to compare. */
static void compare_all(int (*compare_one)(const char *path))
{
    glob_t found;
    int    compared = 0;
    if (glob(SALTUS_SOURCE_DIR "/models/*.lua", 0, NULL, &found)) fail_msg("no models");
    for (size_t i = 0; i < found.gl_pathc; i++) compared += compare_one(found.gl_pathv[i]);
    printf("%d of %d models\n", compared, (int)found.gl_pathc);
    EXPECT(compared >= 20);
    globfree(&found);
}

TEST(both_ways_agree_on_all_models) { compare_all(compare_model); }

/* ---- ways of solving ------------------------------------------------------------------------ */

enum { COORDINATES = 6, CONSTRAINTS = 3, MAX_UNKNOWNS = COORDINATES + CONSTRAINTS };

/* A symmetric system whose entries are leaves: M banded and definite, each constraint on up to
 * three coordinates, two of them its own. */
typedef struct leaves {
    int      n, m;
    double   value[2 * MAX_UNKNOWNS * MAX_UNKNOWNS]; /* K by rows, then b */
    sal_node K[MAX_UNKNOWNS * MAX_UNKNOWNS], b[MAX_UNKNOWNS];
} leaves;

static void put(leaves *s, sal_graph *graph, int i, int j, double value)
{
    const int size = s->n + s->m;
    s->value[i * size + j] = s->value[j * size + i] = value;
    s->K[i * size + j] = sal_leaf(graph, SAL_LEAF_Q, i * size + j);
}

/* Right-hand sides, as leaves. */
static void put_right(leaves *s, sal_graph *graph, unsigned *seed)
{
    const int size = s->n + s->m;
    for (int i = 0; i < size; i++) {
        s->value[size * size + i] = next(seed);
        s->b[i] = sal_leaf(graph, SAL_LEAF_Q, size * size + i);
    }
}

static void fill(leaves *s, sal_graph *graph, int n, int m, unsigned *seed)
{
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
    put_right(s, graph, seed);
}

static const char *const way_name[] = {"elimination", "Schur", "null space"};

typedef struct outcome {
    bool   possible, trusted; /* trusted: as solved.c judges */
    double monitor, x[MAX_UNKNOWNS];
} outcome;

/* What the kernel leaves after x: monitor, then numbers that must be positive. */
static bool is_trusted(const sal_solve *solve, const double *left)
{
    const double limit = solve->way < SAL_NULL_SPACE ? 1e8 : 100.0 * solve->n;
    bool         good = !solve->monitor || left[0] < limit;
    for (int i = 0; i < solve->positives; i++) good = good && left[1 + i] > 0.0;
    return good;
}

/* x by this way. */
static outcome solve_by(const leaves *s, sal_graph *graph, sal_solve_way way)
{
    const int        size = s->n + s->m, prefer[COORDINATES] = {0};
    const sal_layout layout = {.at = {[SAL_LEAF_Q] = 0}, .size = size * size + size};
    sal_arena        arena;
    sal_solve        solve;
    sal_kernel       kernel = {0};
    sal_node         K[MAX_UNKNOWNS * MAX_UNKNOWNS], x[MAX_UNKNOWNS];
    sal_target       targets[3 * MAX_UNKNOWNS];
    double           out[3 * MAX_UNKNOWNS] = {0};
    outcome          result = {false, false, 0.0, {0.0}};
    sal_arena_init(&arena, NULL);
    memcpy(K, s->K, sizeof K);
    if (sal_solve_plan(&solve, way, graph, s->n, s->m, K, prefer, &arena)) {
        assert_int_equal(solve.way, way);
        sal_solve_write(&solve, s->b, x, &arena);
        for (int i = 0; i < size; i++) targets[i] = SAL_OUTPUT(x[i], i);
        targets[size] = SAL_OUTPUT(solve.monitor, size);
        for (int i = 0; i < solve.positives; i++)
            targets[size + 1 + i] = SAL_OUTPUT(solve.positive[i], size + 1 + i);
        EXPECT(sal_kernel_add(&kernel, &arena, graph, targets, size + 1 + solve.positives, &layout,
                              NULL, NULL));
        double *work = ARENA_NEW(&arena, SAL_KERNEL_WORK(kernel.slots), double);
        sal_kernel_eval(&kernel, s->value, NULL, 1, out, work);
        memcpy(result.x, out, (size_t)size * sizeof *out);
        result.possible = true;
        result.monitor = out[size];
        result.trusted = is_trusted(&solve, out + size);
    }
    EXPECT(!graph->failed && !arena.failed);
    sal_arena_free(&arena);
    return result;
}

/* How far x is from the solution with row exchanges, relative to its largest entry. */
static double distance(const leaves *s, const double *x)
{
    const int size = s->n + s->m;
    double    K[MAX_UNKNOWNS * MAX_UNKNOWNS], b[MAX_UNKNOWNS], most = 0.0, largest = 0.0;
    int       exchanged[MAX_UNKNOWNS];
    memcpy(K, s->value, (size_t)(size * size) * sizeof *K);
    memcpy(b, s->value + size * size, (size_t)size * sizeof *b);
    EXPECT(sal_lu_factor(size, K, exchanged));
    sal_lu_solve(size, K, exchanged, false, 1, b);
    for (int i = 0; i < size; i++) {
        most = fmax(most, isfinite(x[i]) ? fabs(x[i] - b[i]) : INFINITY);
        largest = fmax(largest, fabs(b[i]));
    }
    return most / largest;
}

/* The null space loses digits as far as velocities of dependent coordinates exceed the others. */
static void expect_close(const leaves *s, const outcome *o, int way, double at)
{
    const double off = distance(s, o->x);
    const double loss = way < SAL_NULL_SPACE ? 1.0 : fmax(1.0, o->monitor / s->n);
    if (!(off < 1e-13 * loss))
        fail_msg("%s, %d coordinates, %d constraints, at %g: off by %g, monitor %g", way_name[way],
                 s->n, s->m, at, off, o->monitor);
}

/* One, two, three and four freedoms; every way must have been possible for most of them. */
TEST(every_way_solves_the_equations)
{
    static leaves s;
    unsigned      seed = 11;
    int           possible[SAL_SOLVE_WAYS] = {0};
    for (int i = 0; i < 60; i++) {
        const int m = 1 + i % CONSTRAINTS, n = m + 1 + i % (COORDINATES - m);
        sal_graph graph;
        sal_graph_init(&graph, NULL);
        graph.may_reround = i % 2 == 1;
        fill(&s, &graph, n, m, &seed);
        for (int way = 0; way < SAL_SOLVE_WAYS; way++) {
            const outcome o = solve_by(&s, &graph, (sal_solve_way)way);
            if (!o.possible || !o.trusted) continue;
            expect_close(&s, &o, way, i);
            possible[way]++;
        }
        sal_graph_free(&graph);
    }
    for (int way = 0; way < SAL_SOLVE_WAYS; way++)
        if (possible[way] < 50) fail_msg("%s served %d of 60 only", way_name[way], possible[way]);
}

/* Euler parameters e of a body that turns: kinetic energy 2 |diag(J) G(e) e'|^2, whose matrix has
 * the direction e in its kernel, and |e| = 1. */
static void put_body(leaves *s, sal_graph *graph, const double *e, unsigned *seed)
{
    const double J[3] = {0.7, 1.1, 1.9};
    const double G[3][4] = {
        {-e[1], e[0], e[3], -e[2]}, {-e[2], -e[3], e[0], e[1]}, {-e[3], e[2], -e[1], e[0]}};
    memset(s, 0, sizeof *s);
    s->n = 4;
    s->m = 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) sum += 4.0 * J[k] * G[k][i] * G[k][j];
            put(s, graph, i, j, sum);
        }
    for (int i = 0; i < 4; i++) put(s, graph, 4, i, 2.0 * e[i]);
    put_right(s, graph, seed);
}

/* With a singular mass matrix, pivots of masses alone mean nothing: a way that rests on them must
 * not be trusted, the others must be right, except where their dependent coordinate is at rest. */
TEST(a_singular_mass_matrix_is_solved_in_the_null_space)
{
    static leaves s;
    unsigned      seed = 3;
    int           served[SAL_SOLVE_WAYS] = {0};
    for (int i = 0; i < 40; i++) {
        double    e[4], size = 0.0;
        sal_graph graph;
        for (int k = 0; k < 4; k++) e[k] = next(&seed);
        for (int k = 0; k < 4; k++) size += e[k] * e[k];
        for (int k = 0; k < 4; k++) e[k] /= sqrt(size);
        sal_graph_init(&graph, NULL);
        put_body(&s, &graph, e, &seed);
        for (int way = 0; way < SAL_SOLVE_WAYS; way++) {
            const outcome o = solve_by(&s, &graph, (sal_solve_way)way);
            if (!o.possible || !o.trusted) continue;
            expect_close(&s, &o, way, i);
            served[way]++;
        }
        sal_graph_free(&graph);
    }
    EXPECT(served[SAL_ELIMINATION] == 0 && served[SAL_SCHUR] == 0);
    EXPECT(served[SAL_NULL_SPACE] >= 35);
}

/* A four-bar: two points, three bars in directions a, b, c, the first of which turns. */
static void put_four_bar(leaves *s, sal_graph *graph, double a, unsigned *seed)
{
    const double b = 0.4, c = 2.1;
    memset(s, 0, sizeof *s);
    s->n = 4;
    s->m = 3;
    for (int i = 0; i < 4; i++) put(s, graph, i, i, i < 2 ? 1.3 : 0.8);
    for (int i = 0; i < 2; i++) put(s, graph, i + 2, i, 0.2);
    put(s, graph, 4, 0, cos(a));
    put(s, graph, 4, 1, sin(a));
    put(s, graph, 5, 0, -cos(b));
    put(s, graph, 5, 1, -sin(b));
    put(s, graph, 5, 2, cos(b));
    put(s, graph, 5, 3, sin(b));
    put(s, graph, 6, 2, cos(c));
    put(s, graph, 6, 3, sin(c));
    put_right(s, graph, seed);
}

/* Bars a and b are in line twice in a turn, and each dependent coordinate has its dead points:
 * there the null space must say that it is not to be trusted, while elimination always serves. */
TEST(through_alignment_what_is_trusted_is_right)
{
    static leaves s;
    unsigned      seed = 7;
    int           served[SAL_SOLVE_WAYS] = {0};
    enum { PLACES = 200 };
    for (int i = 0; i < PLACES; i++) {
        /* From far away to exactly in line, from both sides. */
        const double a = 0.4 + (i % 2 ? 1.0 : -1.0) * (i < 2 ? 0.0 : 3.0 * pow(0.9, i / 2));
        sal_graph    graph;
        sal_graph_init(&graph, NULL);
        put_four_bar(&s, &graph, a, &seed);
        for (int way = 0; way < SAL_SOLVE_WAYS; way++) {
            const outcome o = solve_by(&s, &graph, (sal_solve_way)way);
            if (!o.possible || !o.trusted) continue;
            expect_close(&s, &o, way, a);
            served[way]++;
        }
        sal_graph_free(&graph);
    }
    EXPECT(served[SAL_ELIMINATION] == PLACES && served[SAL_SCHUR] == PLACES);
    EXPECT(served[SAL_NULL_SPACE] >= 20 && served[SAL_NULL_SPACE] < PLACES);
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
    saltus_error   err = {0};
    saltus_system *system;
    saltus_run    *run = five_bar(&system, &err);
    saltus_run_simulate(run, NULL, &err);
    const sal_solved *solved = run->motion.field.solved;
    EXPECT(solved && solved->constants.parts == 1);
    EXPECT(constant_instructions(solved->constants.part[0].program) > 5);
    EXPECT(constant_instructions(solved->forward.part[0].program) == 0);
    EXPECT(constant_instructions(solved->tangent.part[0].program) == 0);
    EXPECT(constant_instructions(solved->adjoint.part[0].program) == 0);
    EXPECT(constant_instructions(solved->stage_adjoint.part[0].program) == 0);
    saltus_run_free(run);
    saltus_system_free(system);
}

/* The same run again with another mass, and another run that never had the first one. */
TEST(other_parameters_make_other_run_constants)
{
    saltus_error   err = {0};
    saltus_system *system, *fresh_system;
    saltus_run    *run = five_bar(&system, &err), *fresh = five_bar(&fresh_system, &err);
    double         params[MAX], x[2 * MAX];
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
          RUN(a_singular_mass_matrix_is_solved_in_the_null_space),
          RUN(through_alignment_what_is_trusted_is_right),
          RUN(what_is_constant_is_computed_once_per_run),
          RUN(other_parameters_make_other_run_constants))
