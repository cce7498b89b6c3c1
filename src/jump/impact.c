/* The law of impacts: velocities after an impact and the impulses, with tangent and adjoint; see
 * impact.h. */
#include "jump/impact.h"

#include <math.h>

/* ---- the linear system ----------------------------------------------------------------------- */

/* The number of unknowns of an impact: v+, the impulses of constraints, and that of the contact. */
static int size_of(const sal_jump *jump)
{
    return jump->system->unknowns + (jump->event->reset.restitution ? 1 : 0);
}

/* Whether constraints keep an impulse along the contact's normal from moving anything: b^T w is
 * then only rounding, compared with its value if coordinates moved independently. */
static bool is_unloaded(const sal_jump *jump)
{
    double alone = 0.0;
    for (int i = 0; i < jump->system->n; i++) {
        const int *columns;
        int        count;
        const int  first = sal_symmetric_row(&jump->law_field->regime->shape, i, &count, &columns);
        const double mass = jump->law_field->matrix_and_rhs[first + count - 1];
        if (mass > 0.0) alone = fmax(alone, jump->normal[i] * jump->normal[i] / mass);
    }
    return !(fabs(jump->compliance) > 1e-12 * alone);
}

/* Factors the matrix [K b; b^T 0] with K = [M Phi_q^T; Phi_q 0] and b = -(r_q, 0), at the positions
 * after the reset: factors K and computes w with K w = b, and b^T w. False: singular, or out of
 * memory. */
bool sal_impact_factor(sal_jump *jump)
{
    const int              n = jump->system->n, nx = jump->system->unknowns;
    double                *b = jump->normal, *w = jump->response;
    const sal_field_result result = sal_field_factor_law(jump->law_field);
    jump->out_of_memory = result == SAL_FIELD_MEMORY;
    if (result != SAL_FIELD_OK) return false;
    if (!jump->event->reset.restitution) return true;
    sal_map_value(&jump->event->reset.normal, jump->before->u, b, jump->before->work);
    for (int i = 0; i < n; i++) b[i] = -b[i];
    sal_zero(b + n, nx - n);
    sal_copy(w, b, nx);
    sal_field_solve_law(jump->law_field, false, w, 1);
    jump->compliance = 0.0;
    for (int i = 0; i < n; i++) jump->compliance += b[i] * w[i];
    return isfinite(jump->compliance) && !is_unloaded(jump);
}

/* Solves with the matrix of sal_impact_factor, or with its transpose, in place; B in lanes. */
static void solve(const sal_jump *jump, bool transposed, double *B, int lanes)
{
    const int nx = jump->system->unknowns;
    sal_field_mask(jump->law_field, B, lanes);
    sal_field_solve_law(jump->law_field, transposed, B, lanes);
    if (!jump->event->reset.restitution) return;
    if (transposed && jump->law_field->regime->slides > 0) {
        sal_copy(jump->response, jump->normal, nx);
        sal_field_solve_law(jump->law_field, true, jump->response, 1);
    }
    for (int l = 0; l < lanes; l++) {
        double along = -B[nx * lanes + l];
        for (int i = 0; i < jump->system->n; i++) along += jump->normal[i] * B[i * lanes + l];
        const double impulse = along / jump->compliance;
        for (int i = 0; i < nx; i++) B[i * lanes + l] -= jump->response[i] * impulse;
        B[nx * lanes + l] = impulse;
    }
}

/* Adds the part of the contact to the residual of the law, in lanes: to momentum, and as its last
 * row. */
static void join_contact(const sal_jump *jump, double *residual, const double *contact, int lanes)
{
    const int n = jump->system->n, nx = jump->system->unknowns;
    for (int i = 0; i < n * lanes; i++) residual[i] += contact[i];
    for (int l = 0; l < lanes; l++) residual[nx * lanes + l] = contact[n * lanes + l];
}

/* ---- value, tangent, adjoint ----------------------------------------------------------------- */

/* Computes v+ and the impulses from v*. The law is linear, so minus its residual at zero is the
 * right-hand side. */
bool sal_impact_apply(sal_jump *jump)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, size = size_of(jump);
    sal_field           *before = jump->before;
    double              *v_after = sal_u(before, SAL_LEAF_V_AFTER);
    if (!sal_impact_factor(jump)) return false;
    double *x = SCRATCH_NEW(jump->scratch, system->unknowns + 1, double);
    sal_zero(v_after, n);
    sal_zero(sal_u(before, SAL_LEAF_IMPULSE_MU), system->nmu);
    *sal_u(before, SAL_LEAF_IMPULSE) = 0.0;
    sal_map_value(&jump->law_field->regime->momentum, before->u, x, before->work);
    if (jump->event->reset.restitution) {
        double *contact = SCRATCH_NEW(jump->scratch, n + 1, double);
        sal_map_value(&jump->event->reset.contact, before->u, contact, before->work);
        join_contact(jump, x, contact, 1);
    }
    for (int i = 0; i < size; i++) x[i] = -x[i];
    solve(jump, false, x, 1);
    sal_copy(v_after, x, n);
    sal_copy(jump->state + n, x, n);
    sal_copy(sal_u(before, SAL_LEAF_IMPULSE_MU), x + n, system->nmu);
    if (size > system->unknowns) jump->impulse = *sal_u(before, SAL_LEAF_IMPULSE) = x[size - 1];
    sal_scratch_release(jump->scratch, x);
    return true;
}

void sal_jump_respond(sal_jump *jump, const double *force, double *v)
{
    const int n = jump->system->n, size = size_of(jump);
    double   *x = SCRATCH_NEW(jump->scratch, size, double);
    sal_zero(x, size);
    sal_copy(x, force, n);
    solve(jump, false, x, 1);
    sal_copy(v, x, n);
    sal_scratch_release(jump->scratch, x);
}

/* Clears the unknowns of the law in a tangent or adjoint of u. */
static void clear_unknowns(const sal_jump *jump, double *du, int lanes)
{
    const saltus_system *system = jump->system;
    sal_zero(sal_lanes_at(system, du, lanes, SAL_LEAF_V_AFTER), system->n * lanes);
    sal_zero(sal_lanes_at(system, du, lanes, SAL_LEAF_IMPULSE_MU), system->nmu * lanes);
    sal_zero(sal_lanes_at(system, du, lanes, SAL_LEAF_IMPULSE), lanes);
}

void sal_impact_tangent(sal_jump *jump, double *du, int lanes)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, nx = system->unknowns, size = size_of(jump);
    double              *work = jump->before->work;
    double              *x = SCRATCH_NEW(jump->scratch, (nx + 1) * lanes, double);
    clear_unknowns(jump, du, lanes);
    sal_map_tangent(&jump->law_field->regime->momentum, jump->before->u, du, lanes, x, work);
    if (size > nx) {
        double *contact = SCRATCH_NEW(jump->scratch, (n + 1) * lanes, double);
        sal_map_tangent(&jump->event->reset.contact, jump->before->u, du, lanes, contact, work);
        join_contact(jump, x, contact, lanes);
    }
    for (int i = 0; i < size * lanes; i++) x[i] = -x[i];
    solve(jump, false, x, lanes);
    sal_copy(sal_lanes_at(jump->system, du, lanes, SAL_LEAF_V_AFTER), x, n * lanes);
    sal_copy(sal_lanes_at(jump->system, du, lanes, SAL_LEAF_IMPULSE_MU), x + n * lanes,
             system->nmu * lanes);
    if (size > nx)
        sal_copy(sal_lanes_at(jump->system, du, lanes, SAL_LEAF_IMPULSE), x + nx * lanes, lanes);
    sal_scratch_release(jump->scratch, x);
}

/* Solves K (y, ...) = (v+_bar, adjoints of impulses); then the inputs u of the law, with residual
 * G, gain -G_u^T y. */
void sal_impact_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, nx = system->unknowns, size = size_of(jump);
    double              *y = SCRATCH_NEW(jump->scratch, (nx + 1) * lanes, double);
    sal_copy(y, sal_lanes_at(jump->system, u_bar, lanes, SAL_LEAF_V_AFTER), n * lanes);
    sal_copy(y + n * lanes, sal_lanes_at(jump->system, u_bar, lanes, SAL_LEAF_IMPULSE_MU),
             system->nmu * lanes);
    if (size > nx)
        sal_copy(y + nx * lanes, sal_lanes_at(jump->system, u_bar, lanes, SAL_LEAF_IMPULSE), lanes);
    solve(jump, true, y, lanes);
    for (int i = 0; i < size * lanes; i++) y[i] = -y[i];
    sal_map_adjoint(&jump->law_field->regime->momentum, jump->before->u, y, lanes, u_bar,
                    jump->before->work);
    if (size > nx) {
        double *contact = SCRATCH_NEW(jump->scratch, (n + 1) * lanes, double);
        sal_copy(contact, y, n * lanes);
        sal_copy(contact + n * lanes, y + nx * lanes, lanes);
        sal_map_adjoint(&jump->event->reset.contact, jump->before->u, contact, lanes, u_bar,
                        jump->before->work);
    }
    sal_scratch_release(jump->scratch, y);
    clear_unknowns(jump, u_bar, lanes);
}
