/* The jump matrix applied to tangents and adjoints: see saltation.h. */
#include "jump/saltation.h"

#include <string.h>

#include "flow/guard.h"

/* dtau/drho = -(r_s S + r_rho) / r', theory (14). */
static void time_tangent(sal_jump *jump, double rate, sal_tangent *tangent, double *dtau)
{
    const saltus_system *system = jump->system;
    const int            lanes = tangent->lanes;
    const size_t         half = (size_t)(system->n * lanes);
    double              *du = tangent->du;
    memset(sal_lanes_at(system, du, lanes, SAL_LEAF_T), 0, (size_t)lanes * sizeof *du);
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_Q), tangent->dx, half * sizeof *du);
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_V), tangent->dx + half, half * sizeof *du);
    sal_guard_tangent(jump->before, jump->event, du, lanes, dtau);
    for (int l = 0; l < lanes; l++) dtau[l] = -dtau[l] / rate;
}

/* x += sign * x' dtau, z likewise. */
static void shift(const sal_jump *jump, sal_tangent *tangent, const double *k, const double *g,
                  double sign, const double *dtau)
{
    const int lanes = tangent->lanes, nx = 2 * jump->system->n, nc = jump->system->nc;
    for (int l = 0; l < lanes; l++) {
        for (int i = 0; i < nx; i++) tangent->dx[i * lanes + l] += sign * k[i] * dtau[l];
        for (int i = 0; i < nc; i++) tangent->dz[i * lanes + l] += sign * g[i] * dtau[l];
    }
}

void sal_saltation_tangent(sal_jump *jump, double rate, bool follows, sal_tangent *tangent,
                           double *dtau)
{
    if (!follows) time_tangent(jump, rate, tangent, dtau);
    /* S+ = R_s (S- + s'- dtau) + R_t dtau + R_rho - s'+ dtau, theory (15) */
    shift(jump, tangent, jump->k_before, jump->g_before, 1.0, dtau);
    memcpy(tangent->dt, dtau, (size_t)tangent->lanes * sizeof *dtau);
    sal_jump_tangent(jump, tangent);
    memset(tangent->dt, 0, (size_t)tangent->lanes * sizeof *dtau);
    shift(jump, tangent, jump->k_after, jump->g_after, -1.0, dtau);
}

/* tau_bar += sign * (x'^T x_bar + z'^T z_bar). */
static void collect_time(const sal_jump *jump, const sal_adjoint *adjoint, const double *k,
                         const double *g, double sign, double *tau_bar)
{
    const int lanes = adjoint->lanes;
    for (int i = 0; i < 2 * jump->system->n; i++)
        for (int l = 0; l < lanes; l++) tau_bar[l] += sign * k[i] * adjoint->x_bar[i * lanes + l];
    for (int i = 0; i < jump->system->nc; i++)
        for (int l = 0; l < lanes; l++) tau_bar[l] += sign * g[i] * adjoint->z_bar[i * lanes + l];
}

void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar)
{
    const saltus_system *system = jump->system;
    const int            lanes = adjoint->lanes, half = system->n * lanes;
    double              *bar = adjoint->u_bar, *kappa = jump->lanes + half;
    collect_time(jump, adjoint, jump->k_after, jump->g_after, -1.0, tau_bar);
    memset(adjoint->t_bar, 0, (size_t)lanes * sizeof *bar);
    sal_jump_adjoint(jump, adjoint);
    for (int l = 0; l < lanes; l++) tau_bar[l] += adjoint->t_bar[l];
    collect_time(jump, adjoint, jump->k_before, jump->g_before, 1.0, tau_bar);
    memset(adjoint->t_bar, 0, (size_t)lanes * sizeof *bar);
    if (follows) return;
    for (int l = 0; l < lanes; l++) {
        kappa[l] = -tau_bar[l] / rate;
        tau_bar[l] = 0.0;
    }
    memset(sal_lanes_at(system, bar, lanes, SAL_LEAF_Q), 0, (size_t)half * sizeof *bar);
    memset(sal_lanes_at(system, bar, lanes, SAL_LEAF_V), 0, (size_t)half * sizeof *bar);
    memset(sal_lanes_at(system, bar, lanes, SAL_LEAF_A), 0, (size_t)half * sizeof *bar);
    sal_guard_adjoint(jump->before, jump->event, kappa, lanes, bar, jump->lanes);
    for (int c = 0; c < half; c++) {
        adjoint->x_bar[c] += sal_lanes_at(system, bar, lanes, SAL_LEAF_Q)[c];
        adjoint->x_bar[half + c] += sal_lanes_at(system, bar, lanes, SAL_LEAF_V)[c];
    }
}
