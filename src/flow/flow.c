/* A step of the motion with its tangent and adjoint: see flow.h. */
#include "flow/flow.h"

#include <string.h>

/* ---- value ---------------------------------------------------------------------------------- */

static double *mu_of(const sal_flow *flow, int stage)
{
    return flow->mu + (size_t)stage * (size_t)flow->field.system->nmu;
}

static int motion(void *context, int stage, double t, const double *x, double *k, double *g)
{
    sal_flow *flow = context;
    flow->field.factor = &flow->factors[stage];
    const sal_field_result result = sal_field_eval(&flow->field, t, x, k, g);
    if (result != SAL_FIELD_OK) flow->result = result;
    else
        memcpy(mu_of(flow, stage), sal_u(&flow->field, SAL_LEAF_MU),
               (size_t)flow->field.system->nmu * sizeof(double));
    return result != SAL_FIELD_OK;
}

saltus_status sal_flow_init(sal_flow *flow, const saltus_system *system, const sal_tableau *tableau,
                            int max_lanes, sal_arena *arena, saltus_error *err)
{
    const size_t S = (size_t)tableau->stages_dense, nx = 2 * (size_t)system->n;
    const size_t L = (size_t)max_lanes, nc = (size_t)system->nc;
    memset(flow, 0, sizeof *flow);
    TRY(sal_field_init(&flow->field, system, arena, max_lanes, err));
    if (!sal_step_init(&flow->step, tableau, (int)nx, system->nc, arena))
        return sal_fail_memory(err);
    flow->step.rhs = motion;
    flow->step.context = flow;
    flow->max_lanes = max_lanes;
    flow->factors = ARENA_NEW(arena, S, sal_factor);
    flow->stages = flow->factors ? (int)S : 0;
    for (int i = 0; i < flow->stages; i++)
        sal_factor_init(&flow->factors[i], system->form, system->nx, arena);
    flow->mu = ARENA_NEW(arena, S * (size_t)system->nmu, double);
    flow->dk = ARENA_NEW(arena, S * (nx + nc) * L, double);
    flow->dstage = ARENA_NEW(arena, nx * L, double);
    flow->stage_bar = ARENA_NEW(arena, S * nx * L, double);
    flow->k_bar = ARENA_NEW(arena, nx * L, double);
    flow->a_bar = ARENA_NEW(arena, nx * L, double);
    flow->g_bar = ARENA_NEW(arena, nc * L, double);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

void sal_flow_release(sal_flow *flow)
{
    for (int i = 0; i < flow->stages; i++) sal_factor_release(&flow->factors[i]);
    sal_field_release(&flow->field);
}

bool sal_tangent_init(sal_tangent *tangent, const saltus_system *system, int lanes,
                      sal_arena *arena)
{
    *tangent = (sal_tangent){.lanes = lanes,
                             .dt = ARENA_NEW(arena, lanes, double),
                             .dx = ARENA_NEW(arena, 2 * system->n * lanes, double),
                             .dz = ARENA_NEW(arena, system->nc * lanes, double),
                             .du = ARENA_NEW(arena, system->layout.size * lanes, double)};
    return !arena->failed;
}

bool sal_adjoint_init(sal_adjoint *adjoint, const saltus_system *system, int lanes,
                      sal_arena *arena)
{
    *adjoint = (sal_adjoint){.lanes = lanes,
                             .t_bar = ARENA_NEW(arena, lanes, double),
                             .x_bar = ARENA_NEW(arena, 2 * system->n * lanes, double),
                             .z_bar = ARENA_NEW(arena, system->nc * lanes, double),
                             .u_bar = ARENA_NEW(arena, system->layout.size * lanes, double)};
    return !arena->failed;
}

int sal_flow_retake(sal_flow *flow, double t, const double *x, const double *z, double h)
{
    sal_step *step = &flow->step;
    memcpy(step->x0, x, (size_t)step->nx * sizeof *x);
    if (step->ng) memcpy(step->z0, z, (size_t)step->ng * sizeof *z);
    const int bad = sal_step_first(step, t);
    return bad ? bad : sal_step_take(step, h);
}

sal_field_result sal_flow_eval(sal_flow *flow, double t, const double *x, double *k, double *g)
{
    flow->field.factor = &flow->field.own;
    return sal_field_eval(&flow->field, t, x, k, g);
}

void sal_flow_restore(sal_flow *flow, int stage)
{
    const sal_step *step = &flow->step;
    const size_t    n = (size_t)flow->field.system->n, nx = (size_t)step->nx;
    const double   *x = step->stage + (size_t)stage * nx, *k = step->k + (size_t)stage * nx;
    flow->field.factor = &flow->factors[stage];
    *sal_u(&flow->field, SAL_LEAF_T) = step->t + step->tableau->c[stage] * step->h;
    memcpy(sal_u(&flow->field, SAL_LEAF_Q), x, n * sizeof *x);
    memcpy(sal_u(&flow->field, SAL_LEAF_V), x + n, n * sizeof *x);
    memcpy(sal_u(&flow->field, SAL_LEAF_A), k + n, n * sizeof *x);
    memcpy(sal_u(&flow->field, SAL_LEAF_MU), mu_of(flow, stage),
           (size_t)flow->field.system->nmu * sizeof *x);
}

/* ---- tangent -------------------------------------------------------------------------------- */

static double *dk_of(const sal_flow *flow, int stage, int lanes)
{
    return flow->dk + (size_t)stage * (size_t)(flow->step.nx + flow->step.ng) * (size_t)lanes;
}

/* dX = dx + dh * (slope) + h * sum_j weight_j dk_j, over `count` stages, components from `first`
 * on; slope is sum_j weight_j k_j of that component. */
static void combine_tangent(const sal_flow *flow, int lanes, const double *dh, const double *weight,
                            int count, bool quadratures, const double *start, double *out)
{
    const sal_step *step = &flow->step;
    const int       n = quadratures ? step->ng : step->nx, first = quadratures ? step->nx : 0;
    const double   *k = quadratures ? step->g : step->k;
    for (int i = 0; i < n; i++) {
        double slope = 0.0;
        for (int j = 0; j < count; j++)
            if (weight[j] != 0.0) slope += weight[j] * k[(size_t)j * (size_t)n + (size_t)i];
        for (int l = 0; l < lanes; l++) {
            double sum = 0.0;
            for (int j = 0; j < count; j++)
                if (weight[j] != 0.0)
                    sum += weight[j] * dk_of(flow, j, lanes)[(first + i) * lanes + l];
            out[i * lanes + l] = start[i * lanes + l] + (dh ? dh[l] * slope : 0.0) + step->h * sum;
        }
    }
}

/* dk_i and dg_i of one stage, from its dX in dstage. */
static void stage_tangent(sal_flow *flow, const sal_tangent *tangent, const double *dh, int i)
{
    const saltus_system *system = flow->field.system;
    const size_t         n = (size_t)system->n, L = (size_t)tangent->lanes;
    const int            lanes = tangent->lanes;
    double              *du = tangent->du, *dk = dk_of(flow, i, lanes);
    sal_flow_restore(flow, i);
    for (int l = 0; l < lanes; l++)
        sal_lanes_at(system, du, lanes, SAL_LEAF_T)[l] =
            tangent->dt[l] + (dh ? flow->step.tableau->c[i] * dh[l] : 0.0);
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_Q), flow->dstage, n * L * sizeof *du);
    memcpy(sal_lanes_at(system, du, lanes, SAL_LEAF_V), flow->dstage + n * L, n * L * sizeof *du);
    sal_field_tangent(&flow->field, du, lanes, dk + 2 * n * L);
    memcpy(dk, flow->dstage + n * L, n * L * sizeof *du);
    memcpy(dk + n * L, sal_lanes_at(system, du, lanes, SAL_LEAF_A), n * L * sizeof *du);
}

void sal_flow_tangent(sal_flow *flow, sal_tangent *tangent, const double *dh, bool dense)
{
    const sal_tableau *tableau = flow->step.tableau;
    const int          stages = dense ? tableau->stages_dense : tableau->stages;
    const int          lanes = tangent->lanes;
    for (int i = 0; i < stages; i++) {
        if (!dense && tableau->b[i] == 0.0 && i == tableau->end_stage) continue;
        combine_tangent(flow, lanes, dh, tableau->A + i * tableau->stages_dense, i, false,
                        tangent->dx, flow->dstage);
        stage_tangent(flow, tangent, dh, i);
    }
    combine_tangent(flow, lanes, dh, tableau->b, tableau->stages, false, tangent->dx, flow->dstage);
    memcpy(tangent->dx, flow->dstage, (size_t)(flow->step.nx * lanes) * sizeof(double));
    combine_tangent(flow, lanes, dh, tableau->b, tableau->stages, true, tangent->dz, tangent->dz);
    for (int l = 0; l < lanes; l++) tangent->dt[l] += dh ? dh[l] : 0.0;
}

void sal_flow_tangent_at(const sal_flow *flow, const sal_tangent *start, double theta, double *dx,
                         double *dz)
{
    const int S = flow->step.tableau->stages_dense;
    sal_tableau_dense(flow->step.tableau, theta, flow->step.beta);
    combine_tangent(flow, start->lanes, NULL, flow->step.beta, S, false, start->dx, dx);
    combine_tangent(flow, start->lanes, NULL, flow->step.beta, S, true, start->dz, dz);
}

void sal_flow_length_tangent(sal_flow *flow, sal_tangent *scratch)
{
    const saltus_system *system = flow->field.system;
    const double         one = 1.0;
    scratch->lanes = 1;
    scratch->dt[0] = 0.0;
    memset(scratch->dx, 0, (size_t)flow->step.nx * sizeof(double));
    memset(scratch->dz, 0, (size_t)flow->step.ng * sizeof(double));
    memset(scratch->du, 0, (size_t)system->layout.size * sizeof(double));
    sal_flow_tangent(flow, scratch, &one, false);
}

/* ---- adjoint -------------------------------------------------------------------------------- */

/* k_bar = h (b_i x_bar + sum_{j > i} a_ji X_bar_j), g_bar = h b_i z_bar. */
static void seed_stage(sal_flow *flow, const sal_adjoint *adjoint, int i, int stages)
{
    const sal_tableau *tableau = flow->step.tableau;
    const int          count = flow->step.nx * adjoint->lanes;
    const double       h = flow->step.h, b = h * tableau->b[i];
    for (int c = 0; c < count; c++) flow->k_bar[c] = b * adjoint->x_bar[c];
    for (int j = i + 1; j < stages; j++) {
        const double a = h * tableau->A[j * tableau->stages_dense + i];
        if (a == 0.0) continue;
        const double *X_bar = flow->stage_bar + (size_t)j * (size_t)count;
        for (int c = 0; c < count; c++) flow->k_bar[c] += a * X_bar[c];
    }
    for (int c = 0; c < flow->step.ng * adjoint->lanes; c++) flow->g_bar[c] = b * adjoint->z_bar[c];
}

/* X_bar_i and T_bar_i (left in u_bar) of one stage. */
static void stage_adjoint(sal_flow *flow, const sal_adjoint *adjoint, int i)
{
    const saltus_system *system = flow->field.system;
    const int            lanes = adjoint->lanes, half = system->n * lanes;
    double              *u_bar = adjoint->u_bar;
    double              *q_bar = sal_lanes_at(system, u_bar, lanes, SAL_LEAF_Q);
    double              *v_bar = sal_lanes_at(system, u_bar, lanes, SAL_LEAF_V);
    double              *X_bar = flow->stage_bar + (size_t)i * 2 * (size_t)half;
    sal_flow_restore(flow, i);
    memset(sal_lanes_at(system, u_bar, lanes, SAL_LEAF_T), 0, (size_t)lanes * sizeof(double));
    memset(q_bar, 0, (size_t)half * sizeof(double));
    memset(v_bar, 0, (size_t)half * sizeof(double));
    memset(sal_lanes_at(system, u_bar, lanes, SAL_LEAF_A), 0, (size_t)half * sizeof(double));
    memcpy(flow->a_bar, flow->k_bar + half, (size_t)half * sizeof(double));
    sal_field_adjoint(&flow->field, flow->a_bar, flow->g_bar, lanes, u_bar);
    for (int c = 0; c < half; c++) {
        X_bar[c] = q_bar[c];
        X_bar[half + c] = v_bar[c] + flow->k_bar[c];
    }
}

/* h_bar gains what flows through X_i = x + h sum_j a_ij k_j and T_i = t + c_i h. */
static void length_adjoint(const sal_flow *flow, const sal_adjoint *adjoint, int i, double *h_bar)
{
    const sal_step    *step = &flow->step;
    const sal_tableau *tableau = step->tableau;
    const int          lanes = adjoint->lanes;
    const double      *X_bar = flow->stage_bar + (size_t)i * (size_t)(step->nx * lanes);
    const double      *T_bar = sal_lanes_at(flow->field.system, adjoint->u_bar, lanes, SAL_LEAF_T);
    for (int c = 0; c < step->nx; c++) {
        double slope = 0.0;
        for (int j = 0; j < i; j++)
            slope += tableau->A[i * tableau->stages_dense + j] *
                     step->k[(size_t)j * (size_t)step->nx + (size_t)c];
        for (int l = 0; l < lanes; l++) h_bar[l] += slope * X_bar[c * lanes + l];
    }
    for (int l = 0; l < lanes; l++) h_bar[l] += tableau->c[i] * T_bar[l];
}

static void end_length_adjoint(const sal_flow *flow, const sal_adjoint *adjoint, double *h_bar)
{
    const sal_step *step = &flow->step;
    const int       lanes = adjoint->lanes, s = step->tableau->stages;
    for (int l = 0; l < lanes; l++) h_bar[l] = adjoint->t_bar[l];
    for (int c = 0; c < step->nx + step->ng; c++) {
        const bool    state = c < step->nx;
        const int     n = state ? step->nx : step->ng, i = state ? c : c - step->nx;
        const double *k = state ? step->k : step->g;
        const double *bar = state ? adjoint->x_bar : adjoint->z_bar;
        double        slope = 0.0;
        for (int j = 0; j < s; j++)
            slope += step->tableau->b[j] * k[(size_t)j * (size_t)n + (size_t)i];
        for (int l = 0; l < lanes; l++) h_bar[l] += slope * bar[i * lanes + l];
    }
}

void sal_flow_adjoint(sal_flow *flow, sal_adjoint *adjoint, double *h_bar)
{
    const sal_tableau *tableau = flow->step.tableau;
    const int          lanes = adjoint->lanes, count = flow->step.nx * lanes;
    const int stages = tableau->end_stage < tableau->stages ? tableau->end_stage : tableau->stages;
    end_length_adjoint(flow, adjoint, h_bar);
    for (int i = stages - 1; i >= 0; i--) {
        seed_stage(flow, adjoint, i, stages);
        stage_adjoint(flow, adjoint, i);
        length_adjoint(flow, adjoint, i, h_bar);
        const double *T_bar = sal_lanes_at(flow->field.system, adjoint->u_bar, lanes, SAL_LEAF_T);
        for (int l = 0; l < lanes; l++) adjoint->t_bar[l] += T_bar[l];
    }
    for (int i = 0; i < stages; i++) {
        const double *X_bar = flow->stage_bar + (size_t)i * (size_t)count;
        for (int c = 0; c < count; c++) adjoint->x_bar[c] += X_bar[c];
    }
}
