/* The field of one regime: see field.h. */
#include "flow/field.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "linalg/ldl.h"

int sal_field_factor_size(const saltus_system *system) { return system->matrix_size + system->n; }

saltus_status sal_field_init(sal_field *field, const saltus_system *system, sal_arena *arena,
                             int max_lanes, saltus_error *err)
{
    *field = (sal_field){.system = system, .max_lanes = max_lanes, .allocator = arena->allocator};
    field->u = ARENA_NEW(arena, system->layout.size, double);
    field->factor = ARENA_NEW(arena, sal_field_factor_size(system), double);
    field->out = ARENA_NEW(arena, system->matrix_size + system->n, double);
    field->lanes = ARENA_NEW(arena, (system->n + system->nc) * max_lanes, double);
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

void sal_field_solve(const sal_field *field, double *B, int lanes)
{
    const int n = field->system->n;
    if (!field->system->form.diagonal) {
        sal_ldl_solve(n, field->factor, field->factor + n * n, lanes, B);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int l = 0; l < lanes; l++) B[i * lanes + l] /= field->factor[i];
}

static int factor(sal_field *field, int n)
{
    if (!field->system->form.diagonal) {
        memcpy(field->factor, field->out, (size_t)(n * n) * sizeof *field->factor);
        return sal_ldl_factor(n, field->factor, field->factor + n * n);
    }
    memcpy(field->factor, field->out, (size_t)n * sizeof *field->factor);
    for (int i = 0; i < n; i++)
        if (!(field->factor[i] > 0.0 && isfinite(field->factor[i]))) return i + 1;
    return 0;
}

static void eval_rhs(sal_field *field)
{
    const int size = field->system->matrix_size + field->system->n;
    memset(field->out, 0, (size_t)size * sizeof *field->out);
    sal_kernel_eval(&field->regime->rhs, field->u, NULL, 1, field->out, field->work);
}

/* Notes which force, or which integrand, is not finite. */
static sal_field_result not_finite(sal_field *field, const double *g)
{
    const saltus_system *system = field->system;
    field->bad_cost = field->bad_force = -1;
    for (int i = 0; i < system->n; i++) {
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
    memcpy(a, field->out + field->system->matrix_size, bytes);
    const int bad = factor(field, n);
    if (bad) {
        field->bad_pivot = bad - 1;
        return isfinite(field->out[field->system->form.diagonal ? bad - 1 : (bad - 1) * (n + 1)])
                   ? SAL_FIELD_SINGULAR
                   : not_finite(field, NULL);
    }
    sal_field_solve(field, a, 1);
    memcpy(k, x + n, bytes);
    memcpy(k + n, a, bytes);
    double sum = 0.0; /* 0 unless something is not finite */
    for (int i = 0; i < n; i++) sum += 0.0 * a[i];
    if (g) {
        sal_map_value(&system->integrand, field->u, g, field->work);
        for (int i = 0; i < system->nc; i++) sum += 0.0 * g[i];
    }
    return sum == 0.0 ? SAL_FIELD_OK : not_finite(field, g);
}

void sal_field_tangent(sal_field *field, double *du, int lanes, double *dg)
{
    const saltus_system *system = field->system;
    const int            count = system->n * lanes;
    assert(lanes <= field->max_lanes);
    double *da = du + system->layout.at[SAL_LEAF_A] * lanes;
    memset(da, 0, (size_t)count * sizeof *da);
    memset(field->lanes, 0, (size_t)count * sizeof *field->lanes);
    sal_kernel_eval(&field->regime->tangent, field->u, du, lanes, field->lanes, field->work);
    for (int i = 0; i < count; i++) da[i] = -field->lanes[i];
    sal_field_solve(field, da, lanes);
    if (dg) sal_map_tangent(&system->integrand, field->u, du, lanes, dg, field->work);
}

void sal_field_adjoint(sal_field *field, double *a_bar, const double *g_bar, int lanes,
                       double *u_bar)
{
    const saltus_system *system = field->system;
    const int            count = system->n * lanes;
    assert(lanes <= field->max_lanes);
    double *at_a = u_bar + system->layout.at[SAL_LEAF_A] * lanes;
    if (g_bar && system->has_integral)
        sal_map_adjoint(&system->integrand, field->u, g_bar, lanes, u_bar, field->work);
    for (int i = 0; i < count; i++) {
        a_bar[i] += at_a[i];
        at_a[i] = 0.0;
    }
    sal_field_solve(field, a_bar, lanes);
    for (int i = 0; i < count; i++) field->lanes[i] = -a_bar[i];
    sal_kernel_eval(&field->regime->adjoint, field->u, field->lanes, lanes, u_bar, field->work);
}

const double *sal_field_mass(sal_field *field)
{
    eval_rhs(field);
    return field->out;
}

void sal_field_matrix(sal_field *field, double *K)
{
    const int n = field->system->n;
    eval_rhs(field);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (!field->system->form.diagonal) K[i * n + j] = field->out[i * n + j];
            else if (i == j) K[i * n + j] = field->out[i];
}
