/* The jump matrix applied to tangents and adjoints: see saltation.h. */
#include "jump/saltation.h"

#include <string.h>

#include "motion/guard.h"

/* (dt, dx, dz) moved on by these times along the motion. */
static void move_on(const saltus_system *system, const double *k, const double *g,
                    const double *times, double sign, sal_tangent *tangent)
{
    const int lanes = tangent->lanes;
    for (int l = 0; l < lanes; l++) {
        const double time = sign * times[l];
        for (int i = 0; i < 2 * system->n; i++) tangent->dx[i * lanes + l] += k[i] * time;
        for (int i = 0; i < system->nc; i++) tangent->dz[i * lanes + l] += g[i] * time;
    }
}

/* By how much later (or earlier) than the state's own time the guard is zero: events.md (12),
 * which is this with dt = 0. */
static void find_delay(sal_jump *jump, double rate, sal_tangent *tangent, double *delay)
{
    const saltus_system *system = jump->system;
    const int            lanes = tangent->lanes;
    const size_t         half = (size_t)(system->n * lanes);
    double              *du = tangent->du;
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_T), tangent->dt, (size_t)lanes * sizeof *du);
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_Q), tangent->dx, half * sizeof *du);
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_V), tangent->dx + half, half * sizeof *du);
    sal_guard_tangent(jump->before, jump->event, du, lanes, delay);
    for (int l = 0; l < lanes; l++) delay[l] = -delay[l] / rate;
}

void sal_saltation_delay(sal_jump *jump, double rate, sal_tangent *tangent)
{
    double *delay = SCRATCH_NEW(jump->scratch, tangent->lanes, double);
    find_delay(jump, rate, tangent, delay);
    move_on(jump->system, jump->k_before, jump->g_before, delay, 1.0, tangent);
    for (int l = 0; l < tangent->lanes; l++) tangent->dt[l] += delay[l];
    sal_scratch_release(jump->scratch, delay);
}

/* S+ = R_s (S- + s'- dtau) + R_t dtau + R_rho - s'+ dtau, events.md (13), without the last term. */
void sal_saltation_tangent(sal_jump *jump, double rate, bool follows, sal_tangent *tangent)
{
    if (!follows) sal_saltation_delay(jump, rate, tangent);
    sal_jump_tangent(jump, tangent);
}

void sal_tangent_hold(const saltus_system *system, const double *k, const double *g,
                      sal_tangent *tangent)
{
    move_on(system, k, g, tangent->dt, -1.0, tangent);
    memset(tangent->dt, 0, (size_t)tangent->lanes * sizeof(double));
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

void sal_saltation_guard(sal_jump *jump, const sal_event_system *event, const double *r_bar,
                         const sal_adjoint *adjoint)
{
    const int lanes = adjoint->lanes, half = jump->system->n * lanes;
    double   *q_bar = sal_lanes_at(jump->system, adjoint->u_bar, lanes, SAL_LEAF_Q);
    double   *v_bar = sal_lanes_at(jump->system, adjoint->u_bar, lanes, SAL_LEAF_V);
    double   *a_bar = sal_lanes_at(jump->system, adjoint->u_bar, lanes, SAL_LEAF_A);
    double   *unused = SCRATCH_NEW(jump->scratch, half, double);
    memset(q_bar, 0, (size_t)half * sizeof *q_bar);
    memset(v_bar, 0, (size_t)half * sizeof *v_bar);
    memset(a_bar, 0, (size_t)half * sizeof *a_bar);
    sal_guard_adjoint(jump->before, event, r_bar, lanes, adjoint->u_bar, unused);
    for (int c = 0; c < half; c++) {
        adjoint->x_bar[c] += q_bar[c];
        adjoint->x_bar[half + c] += v_bar[c];
    }
    sal_scratch_release(jump->scratch, unused);
}

void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar)
{
    const int lanes = adjoint->lanes;
    collect_time(jump, adjoint, jump->k_after, jump->g_after, -1.0, tau_bar);
    memset(adjoint->t_bar, 0, (size_t)lanes * sizeof(double));
    sal_jump_adjoint(jump, adjoint);
    for (int l = 0; l < lanes; l++) tau_bar[l] += adjoint->t_bar[l];
    collect_time(jump, adjoint, jump->k_before, jump->g_before, 1.0, tau_bar);
    memset(adjoint->t_bar, 0, (size_t)lanes * sizeof(double));
    if (follows) return;
    double *kappa = SCRATCH_NEW(jump->scratch, lanes, double);
    for (int l = 0; l < lanes; l++) {
        kappa[l] = -tau_bar[l] / rate;
        tau_bar[l] = 0.0;
    }
    sal_saltation_guard(jump, jump->event, kappa, adjoint);
    sal_scratch_release(jump->scratch, kappa);
}
