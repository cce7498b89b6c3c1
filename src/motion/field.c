/* Computes accelerations, multipliers and integrands at a state, with tangent and adjoint, and
 * decides how: by a solved kernel where its result can be trusted, by a constant mass matrix that
 * is factored once, or by factoring K. See field.h. */
#include "motion/field.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "compile/code.h"
#include "compile/solved.h"
#include "compile/virtual_power.h"
#include "motion/fast/vector_sums.h"
#include "motion/redundancy.h"

bool sal_field_init_factor(sal_factor *factor, const saltus_system *system, int size,
                           sal_arena *arena)
{
    if (!sal_factor_init(factor, system->form, size, arena)) return false;
    if (system->max_slides == 0) return true;
    factor->border = ARENA_NEW(arena, 1, sal_border);
    return factor->border && sal_border_init(factor->border, system->max_slides, size, arena);
}

saltus_status sal_field_init(sal_field *field, const saltus_system *system, sal_arena *arena,
                             int max_lanes, saltus_error *err)
{
    const bool sparse = system->form == SAL_SPARSE;
    const int  wide = max_lanes > SAL_ELIMINATION_SCRATCH ? max_lanes : SAL_ELIMINATION_SCRATCH;
    const int  solving = sparse ? system->unknowns * wide : system->unknowns;
    const int  factoring = sparse ? 2 * system->matrix_size : system->unknowns;
    *field = (sal_field){.system = system,
                         .sums = &sal_vector_sums_get()->sums,
                         .max_lanes = max_lanes,
                         .allocator = arena->allocator};
    field->u = ARENA_NEW(arena, system->layout.values, double);
    sal_field_init_factor(&field->own, system, system->mass_constant ? 0 : system->unknowns, arena);
    if (system->mass_constant)
        sal_field_init_factor(&field->mass_constant, system, system->unknowns, arena);
    if (system->needs_law) sal_field_init_factor(&field->law, system, system->unknowns, arena);
    field->factor = &field->own;
    field->matrix_and_rhs =
        ARENA_NEW(arena, system->matrix_size + 2 * system->unknowns + system->nc + 2, double);
    field->scratch = ARENA_NEW(arena, solving > factoring ? solving : factoring, double);
    field->solution = ARENA_NEW(arena, system->unknowns * max_lanes, double);
    field->kernel_io = ARENA_NEW(arena, (system->unknowns + system->nc) * max_lanes, double);
    field->kept = ARENA_NEW(arena, system->layout.at[SAL_LEAF_A] * max_lanes, double);
    field->row = ARENA_NEW(arena, sal_row_monitor(system) + sal_solved_row(system), double);
    if (arena->failed) return sal_fail_memory(err);
    return sal_field_reserve(field, system->slots, err);
}

void sal_field_release(sal_field *field)
{
    sal_factor_release(&field->own);
    sal_factor_release(&field->law);
    sal_factor_release(&field->mass_constant);
    sal_resize(&field->allocator, field->work,
               SAL_KERNEL_WORK(field->work_slots) * sizeof *field->work, 0);
    field->work = NULL;
    field->work_slots = 0;
}

saltus_status sal_field_reserve(sal_field *field, int slots, saltus_error *err)
{
    if (field->work && slots <= field->work_slots) return SALTUS_OK;
    if (slots < 1) slots = 1;
    double *work = sal_resize(&field->allocator, field->work,
                              SAL_KERNEL_WORK(field->work_slots) * sizeof *work,
                              SAL_KERNEL_WORK(slots) * sizeof *work);
    if (!work) return sal_fail_memory(err);
    field->work = work;
    field->work_slots = slots;
    return SALTUS_OK;
}

saltus_status sal_field_enter(sal_field *field, const sal_regime *regime, saltus_error *err)
{
    TRY(sal_field_reserve(field, regime->slots, err));
    sal_field_switch(field, regime);
    if (field->out_of_memory) return sal_fail_memory(err);
    return field->solved ? sal_field_reserve(field, field->solved->slots, err) : SALTUS_OK;
}

/* The optional terms of constraints (virtual_power.h) that are not zero with the solver's numbers
 * in u. */
static unsigned terms_of(const sal_field *field)
{
    const double *solver = sal_u(field, SAL_LEAF_SOLVER);
    return (solver[SAL_SOLVER_DAMPING] != 0.0 || solver[SAL_SOLVER_STIFFNESS] != 0.0
                ? SAL_DAMPED_TERMS
                : 0u) |
           (field->soft ? SAL_SOFT_TERMS : 0u);
}

void sal_field_switch(sal_field *field, const sal_regime *regime)
{
    field->regime = regime;
    /* parameters may change before the next evaluation */
    field->prepared = field->factored = false;
    field->skip = field->redundancy ? sal_redundancy_mask(field->redundancy, regime) : NULL;
    field->join = field->skip ? sal_redundancy_joins(field->redundancy, regime) : NULL;
    field->out_of_memory = false;
    field->solved =
        field->skip && !field->soft
            ? NULL
            : sal_system_solved(field->system, regime, terms_of(field), &field->out_of_memory);
    if (!field->solved) sal_system_compile_factored(field->system, regime);
}

void sal_field_mask(const sal_field *field, double *rows, int lanes)
{
    const saltus_system *system = field->system;
    if (!field->skip) return;
    for (int j = 0; j < system->nmu; j++)
        if (field->skip[j]) memset(rows + (system->n + j) * lanes, 0, (size_t)lanes * sizeof *rows);
}

/* Masks redundant constraints along the motion, unless constraints are penalties. */
static void mask_motion(const sal_field *field, double *rows, int lanes)
{
    if (!field->soft) sal_field_mask(field, rows, lanes);
}

/* Replaces the rows of constraints that are inactive or skipped by those of the unit matrix, which
 * makes their multipliers zero. */
static void close_rows(const sal_field *field, double *entries, const unsigned char *skip)
{
    const saltus_system *system = field->system;
    for (int j = 0; j < system->nmu; j++) {
        const int *columns;
        int        count;
        if (field->regime->on[j] && !(skip && skip[j])) continue;
        const int first = sal_symmetric_row(&field->regime->shape, system->n + j, &count, &columns);
        memset(entries + first, 0, (size_t)count * sizeof *entries);
        entries[first + count - 1] = 1.0;
    }
}

/* Translates the result of sal_factor_make, and notes where it failed. */
static sal_field_result judge(sal_field *field, int bad)
{
    if (bad == 0) return SAL_FIELD_OK;
    if (bad < 0) return SAL_FIELD_MEMORY;
    field->bad_pivot = bad - 1;
    return SAL_FIELD_SINGULAR;
}

static void eval_rhs(sal_field *field, const double *state)
{
    const int size = field->system->matrix_size + field->system->unknowns;
    memset(field->matrix_and_rhs, 0, (size_t)size * sizeof *field->matrix_and_rhs);
    sal_kernel_eval_at(&field->regime->rhs, field->u, state, NULL, 1, field->matrix_and_rhs,
                       field->work);
}

/* Notes which force, or which integrand, is not finite. */
static sal_field_result not_finite(sal_field *field, const double *g)
{
    const saltus_system *system = field->system;
    field->bad_cost = field->bad_force = -1;
    for (int i = 0; i < system->unknowns; i++) {
        const double force = field->matrix_and_rhs[system->matrix_size + i];
        if (isfinite(force) || field->bad_force >= 0) continue;
        field->bad_force = i;
        field->bad_value = force;
    }
    for (int i = 0; g && i < system->nc; i++) {
        if (isfinite(g[i]) || field->bad_force >= 0 || field->bad_cost >= 0) continue;
        field->bad_cost = i;
        field->bad_value = g[i];
    }
    return SAL_FIELD_NOT_FINITE;
}

/* Factors the matrix whose entries are in out, and the border that friction adds to it. Returns
 * what sal_factor_make does. */
static int factor_matrix(sal_field *field, const unsigned char *skip, sal_factor *K)
{
    const sal_regime    *regime = field->regime;
    const sal_symmetric *shape = &regime->shape;
    if (regime->slides > 0)
        sal_border_read(K->border, shape, field->matrix_and_rhs, regime->slide, regime->slides);
    close_rows(field, field->matrix_and_rhs, skip);
    const int bad = sal_factor_make(K, shape, field->matrix_and_rhs, field->scratch);
    if (bad != 0 || regime->slides == 0) return bad;
    return sal_border_make(K->border, K, shape, field->scratch);
}

static void solve_matrix(const sal_field *field, const sal_factor *K, bool transposed, double *B,
                         int lanes)
{
    const sal_symmetric *shape = &field->regime->shape;
    if (field->regime->slides == 0) sal_factor_solve(K, shape, lanes, B, field->scratch);
    else sal_border_solve(K->border, K, shape, transposed, lanes, B, field->scratch);
}

/* Factors K, whose entries are in out. */
static sal_field_result factor(sal_field *field, sal_factor *K)
{
    const sal_field_result result =
        judge(field, factor_matrix(field, field->soft ? NULL : field->skip, K));
    if (result != SAL_FIELD_SINGULAR) return result;
    const int *columns;
    int        count;
    const int  first = sal_symmetric_row(&field->regime->shape, field->bad_pivot, &count, &columns);
    for (int k = first; k < first + count; k++)
        if (!isfinite(field->matrix_and_rhs[k])) return not_finite(field, NULL);
    return result;
}

/* The constant matrix does not depend on the state, so it may be evaluated at any u. */
sal_field_result sal_field_factor_constant_mass(sal_field *field)
{
    if (!field->system->mass_constant || field->factored) return SAL_FIELD_OK;
    eval_rhs(field, field->u);
    const sal_field_result result = factor(field, &field->mass_constant);
    field->factored = result == SAL_FIELD_OK;
    return result;
}

/* x = c M^-1 b with the constant mass matrix M; b may be x. */
static void solve_constant_mass(sal_field *field, double c, const double *b, int lanes, double *x)
{
    const int     n = field->system->n;
    const double *value = field->mass_constant.value;
    assert(field->factored);
    if (field->system->form == SAL_DIAGONAL && lanes == 1) {
        field->sums->scale(n, c, b, value, x);
    } else if (field->system->form == SAL_DIAGONAL) {
        field->sums->scale_rows(n, lanes, c, b, value, x);
    } else {
        for (int i = 0; i < n * lanes; i++) x[i] = c * b[i];
        sal_factor_solve(&field->mass_constant, &field->regime->shape, lanes, x, field->scratch);
    }
}

/* Solves for accelerations in place, with a constant mass matrix. Returns whether they are finite.
 */
static bool divide_forces(sal_field *field, double *a)
{
    const int n = field->system->n;
    if (field->system->form == SAL_DIAGONAL)
        return field->sums->scale(n, 1.0, a, field->mass_constant.value, a);
    solve_constant_mass(field, 1.0, a, 1, a);
    return field->sums->finite(n, a);
}

/* Solves with K, or its transpose, in place. */
static void solve(sal_field *field, bool transposed, double *B, int lanes)
{
    if (field->system->mass_constant) solve_constant_mass(field, 1.0, B, lanes, B);
    else solve_matrix(field, field->factor, transposed, B, lanes);
}

/* Computes the run constants of solved kernels at the first evaluation: parameters may be set after
 * the regime is entered. */
void sal_field_prepare(sal_field *field)
{
    if (field->prepared) return;
    sal_solved_prepare(field->solved, &field->system->layout, field->u, field->work);
    field->prepared = true;
}

/* Computes a, mu, g and the values that solved kernels monitor directly from the state. Returns
 * false if the result cannot be trusted. */
static bool eval_solved(sal_field *field, double *row, bool integrands)
{
    const saltus_system *system = field->system;
    const sal_solved    *solved = field->solved;
    double              *out = row + system->layout.at[SAL_LEAF_A];
    const double        *positive = row + sal_row_positives(system, solved);
    sal_field_prepare(field);
    sal_kernel_call(&solved->complete, field->u, row, NULL, 1, out, field->work);
    if (!(row[sal_row_monitor(system)] < solved->limit)) return false;
    /* multipliers are not tested: the code of stages does not always compute them */
    if (!field->sums->finite(system->n, out) ||
        (integrands && !field->sums->finite(system->nc, out + system->unknowns)))
        return false;
    for (int i = 0; i < solved->positives; i++)
        if (!(positive[i] > 0.0)) return false;
    field->factor->by_solved = true;
    return true;
}

static void eval_integrands(sal_field *field, const double *row, double *g)
{
    if (!g) return;
    memset(g, 0, (size_t)field->system->nc * sizeof *g);
    sal_kernel_eval_at(&field->system->integrand.value, field->u, row, NULL, 1, g, field->work);
}

/* Evaluates with a constant mass matrix at t, q, v in `state`. Forces are evaluated in the place of
 * the accelerations. */
static sal_field_result eval_constant_mass(sal_field *field, const double *state, double *row,
                                           double *g)
{
    const saltus_system   *system = field->system;
    double                *a = row + system->layout.at[SAL_LEAF_A];
    const sal_field_result result = sal_field_factor_constant_mass(field);
    field->factor->by_solved = false;
    if (result != SAL_FIELD_OK) return result;
    field->sums->set(system->n, NULL, a);
    sal_kernel_eval_at(&field->regime->forces, field->u, state, NULL, 1, a, field->work);
    const bool finite = divide_forces(field, a);
    eval_integrands(field, state, g);
    if (finite && (!g || field->sums->finite(system->nc, g))) return SAL_FIELD_OK;
    eval_rhs(field, state); /* so that not_finite can name the force */
    return not_finite(field, g);
}

/* Evaluates with the factored matrix at t, q, v in the row: writes a and mu to the row, and g if it
 * is not NULL. */
static sal_field_result eval_factored(sal_field *field, double *row, double *g)
{
    const saltus_system *system = field->system;
    field->factor->by_solved = false;
    eval_rhs(field, row);
    memcpy(field->solution, field->matrix_and_rhs + system->matrix_size,
           (size_t)system->unknowns * sizeof *g);
    mask_motion(field, field->solution, 1);
    const sal_field_result result = factor(field, field->factor);
    if (result != SAL_FIELD_OK) return result;
    solve(field, false, field->solution, 1);
    memcpy(row + system->layout.at[SAL_LEAF_A], field->solution,
           (size_t)system->unknowns * sizeof *g);
    eval_integrands(field, row, g);
    const bool finite = field->sums->finite(system->unknowns, field->solution) &&
                        (!g || field->sums->finite(system->nc, g));
    return finite ? SAL_FIELD_OK : not_finite(field, g);
}

/* Evaluates at q, v in the row: writes t, a, mu to the row, and g if it is not NULL. */
static sal_field_result stage(sal_field *field, double t, double *row, double *g)
{
    const int *at = field->system->layout.at;
    field->state = row;
    row[at[SAL_LEAF_T]] = t;
    field->evaluations++;
    if (field->solved && eval_solved(field, row, g)) return SAL_FIELD_OK;
    return field->system->mass_constant ? eval_constant_mass(field, row, row, g)
                                        : eval_factored(field, row, g);
}

sal_field_result sal_field_eval(sal_field *field, double t, const double *x, double *k, double *g)
{
    const int   *at = field->system->layout.at;
    const size_t n2 = 2 * (size_t)field->system->n;
    double      *row = field->row;
    memcpy(row + at[SAL_LEAF_Q], x, n2 * sizeof *x);
    const sal_field_result result = stage(field, t, row, g ? row + at[SAL_LEAF_C] : NULL);
    memcpy(field->u, row, (size_t)at[SAL_LEAF_C] * sizeof *x);
    memcpy(k, row + at[SAL_LEAF_V], n2 * sizeof *x);
    if (g) memcpy(g, row + at[SAL_LEAF_C], (size_t)field->system->nc * sizeof *x);
    return result;
}

void sal_field_put(sal_field *field, double t, const double *x)
{
    *sal_u(field, SAL_LEAF_T) = t;
    memcpy(sal_u(field, SAL_LEAF_Q), x, 2 * (size_t)field->system->n * sizeof *x);
}

sal_field_result sal_field_stage(sal_field *field, double t, double *row)
{
    return stage(field, t, row, row + field->system->layout.at[SAL_LEAF_C]);
}

sal_field_result sal_field_stage_at(sal_field *field, double t, double *state, double *row)
{
    const int *at = field->system->layout.at;
    field->state = state;
    state[at[SAL_LEAF_T]] = t;
    field->evaluations++;
    return eval_constant_mass(field, state, row, row + at[SAL_LEAF_C]);
}

int sal_field_row_length(const sal_field *field, int size)
{
    return field->solved && field->system->form != SAL_DIAGONAL ? field->solved->row : size;
}

void sal_field_restore(sal_field *field, double *row)
{
    field->state = row;
    if (field->factor->by_solved) sal_field_prepare(field);
}

static void tangent_solved(sal_field *field, double *du, int lanes, double *dg)
{
    const saltus_system *system = field->system;
    const int            count = system->unknowns * lanes;
    double              *out = field->kernel_io;
    sal_field_prepare(field);
    sal_kernel_call(&field->solved->tangent, field->u, field->state, du, lanes, out, field->work);
    memcpy(du + system->layout.at[SAL_LEAF_A] * lanes, out, (size_t)count * sizeof *out);
    if (dg) memcpy(dg, out + count, (size_t)(system->nc * lanes) * sizeof *out);
}

void sal_field_tangent(sal_field *field, double *du, int lanes, double *dg)
{
    const saltus_system *system = field->system;
    const int            count = system->unknowns * lanes, half = system->n * lanes;
    double              *da = du + system->layout.at[SAL_LEAF_A] * lanes;
    double              *dmu = du + system->layout.at[SAL_LEAF_MU] * lanes;
    assert(lanes <= field->max_lanes);
    if (field->factor->by_solved) {
        tangent_solved(field, du, lanes, dg);
        return;
    }
    memset(da, 0, (size_t)half * sizeof *da);
    memset(dmu, 0, (size_t)(count - half) * sizeof *da);
    memset(field->kernel_io, 0, (size_t)count * sizeof *field->kernel_io);
    sal_kernel_eval_at(&field->regime->tangent, field->u, field->state, du, lanes, field->kernel_io,
                       field->work);
    if (system->mass_constant) {
        solve_constant_mass(field, -1.0, field->kernel_io, lanes, da);
    } else {
        for (int i = 0; i < count; i++) field->solution[i] = -field->kernel_io[i];
        mask_motion(field, field->solution, lanes);
        solve(field, false, field->solution, lanes);
        memcpy(da, field->solution, (size_t)half * sizeof *da);
        memcpy(dmu, field->solution + half, (size_t)(count - half) * sizeof *da);
    }
    if (!dg) return;
    memset(dg, 0, (size_t)(system->nc * lanes) * sizeof *dg);
    sal_kernel_eval_at(&system->integrand.tangent, field->u, field->state, du, lanes, dg,
                       field->work);
}

/* The kernel writes -y to the places of a and mu. */
static void adjoint_solved(sal_field *field, double *a_bar, const double *g_bar, int lanes,
                           double *u_bar)
{
    const saltus_system *system = field->system;
    const int            count = system->unknowns * lanes, half = system->n * lanes;
    double              *at_a = u_bar + system->layout.at[SAL_LEAF_A] * lanes;
    double              *at_mu = u_bar + system->layout.at[SAL_LEAF_MU] * lanes;
    double              *in = field->kernel_io;
    for (int i = 0; i < half; i++) in[i] = a_bar[i] + at_a[i];
    memcpy(in + half, at_mu, (size_t)(count - half) * sizeof *in);
    if (g_bar) memcpy(in + count, g_bar, (size_t)(system->nc * lanes) * sizeof *in);
    else memset(in + count, 0, (size_t)(system->nc * lanes) * sizeof *in);
    /* the kernel overwrites the entries before a, but they must be added to */
    const int state = system->layout.at[SAL_LEAF_A] * lanes;
    memcpy(field->kept, u_bar, (size_t)state * sizeof *in);
    sal_field_prepare(field);
    sal_kernel_call(&field->solved->adjoint, field->u, field->state, in, lanes, u_bar, field->work);
    for (int i = 0; i < state; i++) u_bar[i] += field->kept[i];
    for (int i = 0; i < half; i++) a_bar[i] = field->solution[i] = -at_a[i];
    for (int i = half; i < count; i++) field->solution[i] = -at_mu[i - half];
    memset(at_a, 0, (size_t)half * sizeof *at_a);
    memset(at_mu, 0, (size_t)(count - half) * sizeof *at_mu);
}

void sal_field_integrands_adjoint(sal_field *field, const double *g_bar, int lanes, double *u_bar)
{
    if (field->system->has_integral)
        sal_kernel_eval_at(&field->system->integrand.adjoint, field->u, field->state, g_bar, lanes,
                           u_bar, field->work);
}

void sal_field_adjoint(sal_field *field, double *a_bar, const double *g_bar, int lanes,
                       double *u_bar)
{
    const saltus_system *system = field->system;
    const int            count = system->unknowns * lanes, half = system->n * lanes;
    double              *at_a = u_bar + system->layout.at[SAL_LEAF_A] * lanes;
    double              *at_mu = u_bar + system->layout.at[SAL_LEAF_MU] * lanes;
    assert(lanes <= field->max_lanes);
    if (field->factor->by_solved) {
        adjoint_solved(field, a_bar, g_bar, lanes, u_bar);
        return;
    }
    if (g_bar) sal_field_integrands_adjoint(field, g_bar, lanes, u_bar);
    for (int i = 0; i < half; i++) field->solution[i] = a_bar[i] + at_a[i];
    memcpy(field->solution + half, at_mu, (size_t)(count - half) * sizeof *at_mu);
    memset(at_a, 0, (size_t)half * sizeof *at_a);
    memset(at_mu, 0, (size_t)(count - half) * sizeof *at_mu);
    mask_motion(field, field->solution, lanes);
    solve(field, true, field->solution, lanes);
    memcpy(a_bar, field->solution, (size_t)half * sizeof *a_bar);
    for (int i = 0; i < count; i++) field->kernel_io[i] = -field->solution[i];
    sal_kernel_eval_at(&field->regime->adjoint, field->u, field->state, field->kernel_io, lanes,
                       u_bar, field->work);
}

void sal_field_stage_tangent(sal_field *field, double *du, int lanes, double *out)
{
    const int count = field->system->unknowns * lanes;
    if (field->factor->by_solved) {
        sal_kernel_call(&field->solved->stage_tangent, field->u, field->state, du, lanes, out,
                        field->work);
        return;
    }
    sal_field_tangent(field, du, lanes, out + count);
    memcpy(out, du + field->system->layout.at[SAL_LEAF_A] * lanes, (size_t)count * sizeof *out);
}

/* The adjoint of a stage with a matrix that does not change, added to u_bar. */
void sal_field_add_stage_adjoint(sal_field *field, const double *in, int lanes, double *u_bar)
{
    const saltus_system *system = field->system;
    const double        *a_bar = in, *at_a = u_bar + system->layout.at[SAL_LEAF_A] * lanes;
    const int            count = system->n * lanes;
    sal_field_integrands_adjoint(field, in + count, lanes, u_bar);
    if (system->integrand_needs_a) {
        for (int i = 0; i < count; i++) field->kernel_io[i] = in[i] + at_a[i];
        a_bar = field->kernel_io;
    }
    solve_constant_mass(field, -1.0, a_bar, lanes, field->kernel_io);
    sal_kernel_eval_at(&field->regime->adjoint, field->u, field->state, field->kernel_io, lanes,
                       u_bar, field->work);
}

void sal_field_stage_adjoint(sal_field *field, double *in, int lanes, double *u_bar)
{
    const saltus_system *system = field->system;
    if (field->factor->by_solved) {
        sal_kernel_call(&field->solved->stage_adjoint, field->u, field->state, in, lanes, u_bar,
                        field->work);
        return;
    }
    memset(u_bar, 0, (size_t)(system->layout.at[SAL_LEAF_C] * lanes) * sizeof *u_bar);
    if (system->mass_constant) sal_field_add_stage_adjoint(field, in, lanes, u_bar);
    else sal_field_adjoint(field, in, in + system->unknowns * lanes, lanes, u_bar);
}

const double *sal_field_matrix(sal_field *field)
{
    eval_rhs(field, field->u);
    return field->matrix_and_rhs;
}

const double *sal_field_phi_q(sal_field *field)
{
    const sal_kernel *kernel = &field->regime->phi_q;
    if (kernel->parts == 0) return NULL;
    sal_kernel_call(kernel, field->u, field->u, NULL, 1, field->matrix_and_rhs, field->work);
    return field->matrix_and_rhs;
}

double sal_field_slope(const sal_field *field, const double *entries, int constraint)
{
    const int  n = field->system->n;
    const int *columns;
    int        count;
    double     slope = 0.0;
    const int  first = sal_symmetric_row(&field->regime->shape, n + constraint, &count, &columns);
    for (int e = 0; e < count && (columns ? columns[e] : e) < n; e++)
        slope = fmax(slope, fabs(entries[first + e]));
    return slope;
}

double sal_field_independence(sal_field *field)
{
    double least = 1.0;
    eval_rhs(field, field->u);
    close_rows(field, field->matrix_and_rhs, field->skip);
    const double *apart = sal_factor_judge(field->factor, &field->regime->shape,
                                           field->matrix_and_rhs, field->scratch);
    for (int j = 0; apart && j < field->system->nmu; j++) least = fmin(least, apart[j]);
    return least;
}

sal_field_result sal_field_factor_law(sal_field *field)
{
    const size_t bytes = (size_t)field->system->nmu * sizeof(double);
    double      *softness = sal_u(field, SAL_LEAF_SOFTNESS);
    memcpy(field->kernel_io, softness, bytes);
    memset(softness, 0, bytes);
    eval_rhs(field, field->u);
    memcpy(softness, field->kernel_io, bytes);
    return judge(field, factor_matrix(field, field->skip, &field->law));
}

void sal_field_solve_law(const sal_field *field, bool transposed, double *B, int lanes)
{
    solve_matrix(field, &field->law, transposed, B, lanes);
}
