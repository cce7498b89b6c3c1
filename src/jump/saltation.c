/* Moves tangents and adjoints along the motion by the change of the event time, as the jump matrix
 * does: see saltation.h. */
#include "jump/saltation.h"

#include "motion/guard.h"

void sal_tangent_move(const saltus_system *system, const double *k, const double *g,
                      const double *times, double sign, sal_tangent *tangent)
{
    const int lanes = tangent->lanes;
    for (int l = 0; l < lanes; l++) {
        const double time = sign * times[l];
        for (int i = 0; i < 2 * system->n; i++) tangent->dx[i * lanes + l] += k[i] * time;
        for (int i = 0; i < system->nc; i++) tangent->dz[i * lanes + l] += g[i] * time;
    }
}

void sal_saltation_delay(sal_jump *jump, double rate, sal_tangent *tangent)
{
    double *delay = SCRATCH_NEW(jump->scratch, tangent->lanes, double);
    sal_tangent_put(jump->system, tangent);
    sal_guard_tangent(jump->before, jump->event, tangent->du, tangent->lanes, delay);
    for (int l = 0; l < tangent->lanes; l++) delay[l] = -delay[l] / rate;
    sal_tangent_move(jump->system, jump->k_before, jump->g_before, delay, 1.0, tangent);
    for (int l = 0; l < tangent->lanes; l++) tangent->dt[l] += delay[l];
    sal_scratch_release(jump->scratch, delay);
}

void sal_tangent_hold(const saltus_system *system, const double *k, const double *g,
                      sal_tangent *tangent)
{
    sal_tangent_move(system, k, g, tangent->dt, -1.0, tangent);
    sal_zero(tangent->dt, tangent->lanes);
}

void sal_adjoint_move(const saltus_system *system, const double *k, const double *g, double sign,
                      const sal_adjoint *adjoint, double *times_bar)
{
    const int lanes = adjoint->lanes;
    for (int i = 0; i < 2 * system->n; i++)
        for (int l = 0; l < lanes; l++) times_bar[l] += sign * k[i] * adjoint->x_bar[i * lanes + l];
    for (int i = 0; i < system->nc; i++)
        for (int l = 0; l < lanes; l++) times_bar[l] += sign * g[i] * adjoint->z_bar[i * lanes + l];
}

void sal_saltation_guard(sal_jump *jump, const sal_compiled_event *event, const double *r_bar,
                         const sal_adjoint *adjoint)
{
    const int lanes = adjoint->lanes, half = jump->system->n * lanes;
    double   *x_bar = sal_lanes_at(jump->system, adjoint->u_bar, lanes, SAL_LEAF_Q);
    double   *unused = SCRATCH_NEW(jump->scratch, half, double);
    sal_zero(x_bar, 3 * half); /* q, v and a */
    sal_guard_adjoint(jump->before, event, r_bar, lanes, adjoint->u_bar, unused);
    for (int c = 0; c < 2 * half; c++) adjoint->x_bar[c] += x_bar[c];
    sal_scratch_release(jump->scratch, unused);
}

void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar)
{
    const int lanes = adjoint->lanes;
    sal_adjoint_move(jump->system, jump->k_after, jump->g_after, -1.0, adjoint, tau_bar);
    sal_zero(adjoint->t_bar, lanes);
    sal_jump_adjoint(jump, adjoint);
    for (int l = 0; l < lanes; l++) tau_bar[l] += adjoint->t_bar[l];
    sal_adjoint_move(jump->system, jump->k_before, jump->g_before, 1.0, adjoint, tau_bar);
    sal_zero(adjoint->t_bar, lanes);
    if (follows) return;
    double *kappa = SCRATCH_NEW(jump->scratch, lanes, double);
    for (int l = 0; l < lanes; l++) {
        kappa[l] = -tau_bar[l] / rate;
        tau_bar[l] = 0.0;
    }
    sal_saltation_guard(jump, jump->event, kappa, adjoint);
    sal_scratch_release(jump->scratch, kappa);
}
