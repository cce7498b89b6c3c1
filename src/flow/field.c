/* The field of one regime: see field.h. */
#include "flow/field.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "linalg/ldl.h"

int sal_field_factor_size(const saltus_system *system) { return system->matrix_size + system->nx; }

saltus_status sal_field_init(sal_field *field, const saltus_system *system, sal_arena *arena,
                             int max_lanes, saltus_error *err)
{
    *field = (sal_field){.system = system, .max_lanes = max_lanes, .allocator = arena->allocator};
    field->u = ARENA_NEW(arena, system->layout.size, double);
    field->factor = ARENA_NEW(arena, sal_field_factor_size(system), double);
    field->out = ARENA_NEW(arena, system->matrix_size + system->nx, double);
    field->scratch = ARENA_NEW(arena, system->nx, double);
    field->x = ARENA_NEW(arena, system->nx * max_lanes, double);
    field->lanes = ARENA_NEW(arena, (system->nx + system->nc) * max_lanes, double);
    if (arena->failed) return sal_fail_memory(err);
    return sal_field_reserve(field, system->slots, err);
}

void sal_field_release(sal_field *field)
{
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
    field->regime = regime;
    return SALTUS_OK;
}

/* With constraints the matrix is indefinite, and its factorisation has interchanges. */
static int *pivots_of(const sal_field *field)
{
    return (int *)(void *)(field->factor + field->system->matrix_size);
}

void sal_field_solve(const sal_field *field, double *B, int lanes)
{
    const int nx = field->system->nx;
    if (field->system->nmu > 0) sal_bk_solve(nx, field->factor, pivots_of(field), lanes, B);
    else if (!field->system->form.diagonal)
        sal_ldl_solve(nx, field->factor, field->factor + nx * nx, lanes, B);
    else
        for (int i = 0; i < nx; i++)
            for (int l = 0; l < lanes; l++) B[i * lanes + l] /= field->factor[i];
}

/* Multipliers of constraints that are not active are zero. */
static void close_inactive(const sal_field *field, double *K)
{
    const saltus_system *system = field->system;
    for (int j = 0; j < system->nmu; j++)
        if (!field->regime->on[j]) K[(system->n + j) * (system->nx + 1)] = 1.0;
}

static int factor(sal_field *field)
{
    const saltus_system *system = field->system;
    const int            nx = system->nx;
    memcpy(field->factor, field->out, (size_t)system->matrix_size * sizeof *field->factor);
    if (system->nmu > 0) {
        close_inactive(field, field->factor);
        return sal_bk_factor(nx, field->factor, pivots_of(field), field->scratch);
    }
    if (!system->form.diagonal) return sal_ldl_factor(nx, field->factor, field->factor + nx * nx);
    for (int i = 0; i < nx; i++)
        if (!(field->factor[i] > 0.0 && isfinite(field->factor[i]))) return i + 1;
    return 0;
}

static void eval_rhs(sal_field *field)
{
    const int size = field->system->matrix_size + field->system->nx;
    memset(field->out, 0, (size_t)size * sizeof *field->out);
    sal_kernel_eval(&field->regime->rhs, field->u, NULL, 1, field->out, field->work);
}

/* Notes which force, or which integrand, is not finite. */
static sal_field_result not_finite(sal_field *field, const double *g)
{
    const saltus_system *system = field->system;
    field->bad_cost = field->bad_force = -1;
    for (int i = 0; i < system->nx; i++) {
        const double force = field->out[system->matrix_size + i];
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

sal_field_result sal_field_eval(sal_field *field, double t, const double *x, double *k, double *g)
{
    const saltus_system *system = field->system;
    const int            n = system->n;
    const size_t         bytes = (size_t)n * sizeof(double);
    double              *a = sal_u(field, SAL_LEAF_A);
    *sal_u(field, SAL_LEAF_T) = t;
    memcpy(sal_u(field, SAL_LEAF_Q), x, bytes);
    memcpy(sal_u(field, SAL_LEAF_V), x + n, bytes);
    field->evaluations++;
    eval_rhs(field);
    memcpy(field->x, field->out + system->matrix_size, (size_t)system->nx * sizeof *a);
    const int bad = factor(field);
    if (bad) {
        field->bad_pivot = bad - 1;
        return isfinite(field->out[system->form.diagonal ? bad - 1 : (bad - 1) * (system->nx + 1)])
                   ? SAL_FIELD_SINGULAR
                   : not_finite(field, NULL);
    }
    sal_field_solve(field, field->x, 1);
    memcpy(a, field->x, bytes);
    memcpy(sal_u(field, SAL_LEAF_MU), field->x + n, (size_t)system->nmu * sizeof *a);
    memcpy(k, x + n, bytes);
    memcpy(k + n, a, bytes);
    double sum = 0.0; /* 0 unless something is not finite */
    for (int i = 0; i < system->nx; i++) sum += 0.0 * field->x[i];
    if (g) {
        sal_map_value(&system->integrand, field->u, g, field->work);
        for (int i = 0; i < system->nc; i++) sum += 0.0 * g[i];
    }
    return sum == 0.0 ? SAL_FIELD_OK : not_finite(field, g);
}

void sal_field_tangent(sal_field *field, double *du, int lanes, double *dg)
{
    const saltus_system *system = field->system;
    const int            count = system->nx * lanes, half = system->n * lanes;
    double              *da = du + system->layout.at[SAL_LEAF_A] * lanes;
    double              *dmu = du + system->layout.at[SAL_LEAF_MU] * lanes;
    assert(lanes <= field->max_lanes);
    memset(da, 0, (size_t)half * sizeof *da);
    memset(dmu, 0, (size_t)(count - half) * sizeof *da);
    memset(field->lanes, 0, (size_t)count * sizeof *field->lanes);
    sal_kernel_eval(&field->regime->tangent, field->u, du, lanes, field->lanes, field->work);
    for (int i = 0; i < count; i++) field->x[i] = -field->lanes[i];
    sal_field_solve(field, field->x, lanes);
    memcpy(da, field->x, (size_t)half * sizeof *da);
    memcpy(dmu, field->x + half, (size_t)(count - half) * sizeof *da);
    if (dg) sal_map_tangent(&system->integrand, field->u, du, lanes, dg, field->work);
}

void sal_field_adjoint(sal_field *field, double *a_bar, const double *g_bar, int lanes,
                       double *u_bar)
{
    const saltus_system *system = field->system;
    const int            count = system->nx * lanes, half = system->n * lanes;
    double              *at_a = u_bar + system->layout.at[SAL_LEAF_A] * lanes;
    double              *at_mu = u_bar + system->layout.at[SAL_LEAF_MU] * lanes;
    assert(lanes <= field->max_lanes);
    if (g_bar && system->has_integral)
        sal_map_adjoint(&system->integrand, field->u, g_bar, lanes, u_bar, field->work);
    for (int i = 0; i < half; i++) field->x[i] = a_bar[i] + at_a[i];
    memcpy(field->x + half, at_mu, (size_t)(count - half) * sizeof *at_mu);
    memset(at_a, 0, (size_t)half * sizeof *at_a);
    memset(at_mu, 0, (size_t)(count - half) * sizeof *at_mu);
    sal_field_solve(field, field->x, lanes);
    memcpy(a_bar, field->x, (size_t)half * sizeof *a_bar);
    for (int i = 0; i < count; i++) field->lanes[i] = -field->x[i];
    sal_kernel_eval(&field->regime->adjoint, field->u, field->lanes, lanes, u_bar, field->work);
}

const double *sal_field_mass(sal_field *field)
{
    eval_rhs(field);
    return field->out;
}

void sal_field_matrix(sal_field *field, double *K)
{
    const int nx = field->system->nx;
    eval_rhs(field);
    memset(K, 0, (size_t)(nx * nx) * sizeof *K);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j <= i; j++)
            if (!field->system->form.diagonal) K[i * nx + j] = field->out[i * nx + j];
            else if (i == j) K[i * nx + j] = field->out[i];
    close_inactive(field, K);
}
