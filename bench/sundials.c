/* SUNDIALS as a peer: CVODES forward, with forward sensitivities (FSA) and with its adjoint (ASA);
 * ARKODE forward. Adams methods with a fixed-point iteration for CVODES, Fehlberg 7(8) for ARKODE:
 * none of the problems is stiff.
 *
 * Impacts are found by CVODES' own root finding. Its adjoint knows one smooth piece, so each piece
 * between two impacts has a CVODES memory of its own, made once; the jump of the adjoint is ours.
 */
#include <arkode/arkode_erkstep.h>
#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench.h"

enum { MAX_STEPS = 1000000, SENSITIVITIES = 32 }; /* FSA with more parameters is not entered */

/* One smooth piece of the adjoint. */
typedef struct piece {
    void              *mem;
    SUNNonlinearSolver nls, nls_b;
    int                which; /* of the backward problem, -1: not made yet */
    double             start, end, moved;
    double            *minus; /* the state before the impact that ends it */
} piece;

typedef struct peer {
    problem            pb;
    SUNContext         context;
    double             tol, z;
    N_Vector           y, yq;
    void              *mem;
    SUNNonlinearSolver nls, nls_s;
    N_Vector          *ys, *yqs;
    N_Vector           lambda, p_sum;
    piece             *pieces;
    int                made, events, points; /* data points between two checkpoints */
    double            *gradient, *scratch, *previous, *scale; /* scale: |p|, for tolerances */
} peer;

static const problem *of(void *self) { return &((peer *)self)->pb; }

static double *data(N_Vector v) { return N_VGetArrayPointer(v); }

/* ---- what SUNDIALS calls --------------------------------------------------------------------- */

static int rhs(realtype t, N_Vector y, N_Vector f, void *self)
{
    (void)t;
    of(self)->rhs(of(self), data(y), data(f));
    return 0;
}

static int rhs_quadrature(realtype t, N_Vector y, N_Vector q, void *self)
{
    (void)t;
    data(q)[0] = of(self)->rhs(of(self), data(y), ((peer *)self)->scratch);
    return 0;
}

static int rhs_with_cost(realtype t, N_Vector y, N_Vector f, void *self)
{
    (void)t;
    data(f)[of(self)->n] = of(self)->rhs(of(self), data(y), data(f));
    return 0;
}

static int guard(realtype t, N_Vector y, realtype *out, void *self)
{
    (void)t;
    *out = data(y)[of(self)->guard] - of(self)->level;
    return 0;
}

static int rhs_sens(int count, realtype t, N_Vector y, N_Vector f, N_Vector *ys, N_Vector *fs,
                    void *self, N_Vector tmp1, N_Vector tmp2)
{
    (void)t, (void)f, (void)tmp1, (void)tmp2;
    for (int k = 0; k < count; k++)
        of(self)->tangent(of(self), data(y), data(ys[k]), k, data(fs[k]));
    return 0;
}

static int rhs_quad_sens(int count, realtype t, N_Vector y, N_Vector *ys, N_Vector q, N_Vector *qs,
                         void *self, N_Vector tmp, N_Vector tmp_q)
{
    (void)t, (void)q, (void)tmp, (void)tmp_q;
    for (int k = 0; k < count; k++)
        data(qs[k])[0] =
            of(self)->tangent(of(self), data(y), data(ys[k]), k, ((peer *)self)->scratch);
    return 0;
}

static int rhs_adjoint(realtype t, N_Vector y, N_Vector yb, N_Vector fb, void *self)
{
    peer *s = self;
    (void)t;
    s->pb.adjoint(&s->pb, data(y), data(yb), 1.0, data(fb), s->scratch + s->pb.n);
    for (int i = 0; i < s->pb.n; i++) data(fb)[i] = -data(fb)[i];
    return 0;
}

static int rhs_quad_adjoint(realtype t, N_Vector y, N_Vector yb, N_Vector qb, void *self)
{
    peer *s = self;
    (void)t;
    memset(data(qb), 0, (size_t)s->pb.np * sizeof(double));
    s->pb.adjoint(&s->pb, data(y), data(yb), 1.0, s->scratch, data(qb));
    for (int i = 0; i < s->pb.np; i++) data(qb)[i] = -data(qb)[i];
    return 0;
}

/* ---- CVODES, forward and with forward sensitivities -------------------------------------------
 */

/* A memory for one run; its tolerance is set by run. */
static void *cvodes_new(peer *s, SUNNonlinearSolver *nls)
{
    int   falling = -1;
    void *mem = CVodeCreate(CV_ADAMS, s->context);
    *nls = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    CVodeInit(mem, rhs, 0.0, s->y);
    CVodeSStolerances(mem, 1e-6, 1e-6);
    CVodeSetUserData(mem, s);
    CVodeSetNonlinearSolver(mem, *nls);
    CVodeSetMaxNumSteps(mem, MAX_STEPS);
    CVodeQuadInit(mem, rhs_quadrature, s->yq);
    CVodeQuadSStolerances(mem, 1e-6, 1e-6);
    CVodeSetQuadErrCon(mem, SUNTRUE); /* without, costs are wrong in the first digits */
    CVodeSetErrFile(mem, NULL);
    if (s->pb.guard >= 0) {
        CVodeRootInit(mem, 1, guard);
        CVodeSetRootDirection(mem, &falling);
        CVodeSetNoInactiveRootWarn(mem);
    }
    return mem;
}

static void add_sensitivities(peer *s)
{
    s->ys = N_VCloneVectorArray(s->pb.np, s->y);
    s->yqs = N_VCloneVectorArray(s->pb.np, s->yq);
    for (int k = 0; k < s->pb.np; k++) {
        N_VConst(0.0, s->ys[k]);
        N_VConst(0.0, s->yqs[k]);
    }
    CVodeSensInit(s->mem, s->pb.np, CV_STAGGERED, rhs_sens, s->ys);
    s->nls_s = SUNNonlinSol_FixedPointSens(s->pb.np, s->y, 0, s->context);
    CVodeSetNonlinearSolverSensStg(s->mem, s->nls_s);
    CVodeSetSensParams(s->mem, NULL, s->scale, NULL);
    CVodeSensEEtolerances(s->mem);
    CVodeSetSensErrCon(s->mem, SUNTRUE);
    CVodeQuadSensInit(s->mem, rhs_quad_sens, s->yqs);
    CVodeQuadSensEEtolerances(s->mem);
    CVodeSetQuadSensErrCon(s->mem, SUNTRUE);
}

static void set_tolerance(peer *s, double tol)
{
    s->tol = tol;
    CVodeSStolerances(s->mem, tol, tol);
    CVodeQuadSStolerances(s->mem, tol, tol);
}

static int restart(peer *s, double t)
{
    int flag = CVodeReInit(s->mem, t, s->y);
    flag |= CVodeQuadReInit(s->mem, s->yq);
    if (s->ys) flag |= CVodeSensReInit(s->mem, CV_STAGGERED, s->ys);
    if (s->ys) flag |= CVodeQuadSensReInit(s->mem, s->yqs);
    return flag | CVodeSetStopTime(s->mem, s->pb.end);
}

static void begin(peer *s)
{
    s->pb.start(&s->pb, data(s->y));
    data(s->yq)[0] = 0.0;
    s->events = 0;
    for (int k = 0; s->ys && k < s->pb.np; k++) {
        N_VConst(0.0, s->ys[k]);
        N_VConst(0.0, s->yqs[k]);
        if (s->pb.dstart) s->pb.dstart(&s->pb, k, data(s->ys[k]));
    }
}

/* Root finding leaves the state a hundred units of rounding (of t) away from the floor; returns by
 * how much time it is moved. */
static double impact(peer *s)
{
    const double moved = problem_land(&s->pb, data(s->y), data(s->yq));
    for (int k = 0; s->ys && k < s->pb.np; k++) {
        const double dg = s->pb.tangent(&s->pb, data(s->y), data(s->ys[k]), k, s->scratch);
        for (int i = 0; i < s->pb.n; i++) data(s->ys[k])[i] += moved * s->scratch[i];
        data(s->yqs[k])[0] += moved * dg;
        problem_event_tangent(&s->pb, data(s->y), k, data(s->ys[k]), data(s->ys[k]),
                              data(s->yqs[k]));
    }
    if (s->pieces) {
        memcpy(s->pieces[s->events].minus, data(s->y), (size_t)s->pb.n * sizeof(double));
        s->pieces[s->events].moved = moved;
    }
    s->pb.jump(&s->pb, data(s->y), data(s->y));
    s->events++;
    return moved;
}

static bool run_cvodes(void *self, double tol, answer *out)
{
    peer    *s = self;
    realtype t = 0.0, at;
    if (tol != s->tol) set_tolerance(s, tol);
    begin(s);
    if (restart(s, 0.0)) return false;
    for (;;) {
        const int flag = CVode(s->mem, s->pb.end, s->y, &t, CV_NORMAL);
        if (flag < 0) return false;
        CVodeGetQuad(s->mem, &at, s->yq);
        if (s->ys) {
            CVodeGetSens(s->mem, &at, s->ys);
            CVodeGetQuadSens(s->mem, &at, s->yqs);
        }
        if (flag != CV_ROOT_RETURN) break;
        t += impact(s);
        if (restart(s, t)) return false;
    }
    for (int k = 0; s->ys && k < s->pb.np; k++) s->gradient[k] = data(s->yqs[k])[0];
    *out = (answer){data(s->yq)[0], s->ys ? s->gradient : NULL, s->events, 0};
    return true;
}

/* ---- CVODES, adjoint --------------------------------------------------------------------------
 */

static piece *piece_at(peer *s, int index)
{
    enum { ROOM = 4096 };
    if (!s->pieces) s->pieces = calloc(ROOM, sizeof *s->pieces);
    if (!s->pieces || index >= ROOM) return NULL;
    piece *p = &s->pieces[index];
    if (index < s->made) return p;
    p->mem = cvodes_new(s, &p->nls);
    p->which = -1;
    p->minus = calloc((size_t)s->pb.n, sizeof(double));
    CVodeAdjInit(p->mem, s->points, CV_HERMITE);
    s->made++;
    return p->minus ? p : NULL;
}

static bool forward_pieces(peer *s, double tol)
{
    realtype t = 0.0, at;
    int      checkpoints;
    begin(s);
    for (;;) {
        piece *p = piece_at(s, s->events);
        if (!p) return false;
        p->start = t;
        CVodeSStolerances(p->mem, tol, tol);
        CVodeQuadSStolerances(p->mem, tol, tol);
        CVodeReInit(p->mem, t, s->y);
        CVodeQuadReInit(p->mem, s->yq);
        CVodeAdjReInit(p->mem);
        CVodeSetStopTime(p->mem, s->pb.end);
        const int flag = CVodeF(p->mem, s->pb.end, s->y, &t, CV_NORMAL, &checkpoints);
        if (flag < 0) return false;
        CVodeGetQuad(p->mem, &at, s->yq);
        p->end = t;
        if (flag != CV_ROOT_RETURN) return true;
        t += impact(s);
    }
}

static bool backward_piece(peer *s, piece *p, double tol)
{
    realtype at;
    int      flag = 0;
    N_VConst(0.0, s->p_sum);
    if (p->which < 0) {
        flag |= CVodeCreateB(p->mem, CV_ADAMS, &p->which);
        flag |= CVodeInitB(p->mem, p->which, rhs_adjoint, p->end, s->lambda);
        p->nls_b = SUNNonlinSol_FixedPoint(s->lambda, 0, s->context);
        flag |= CVodeSStolerancesB(p->mem, p->which, tol, tol);
        flag |= CVodeSetUserDataB(p->mem, p->which, s);
        flag |= CVodeSetNonlinearSolverB(p->mem, p->which, p->nls_b);
        flag |= CVodeSetMaxNumStepsB(p->mem, p->which, MAX_STEPS);
        flag |= CVodeQuadInitB(p->mem, p->which, rhs_quad_adjoint, s->p_sum);
        flag |= CVodeSetQuadErrConB(p->mem, p->which, SUNTRUE);
    } else {
        flag |= CVodeReInitB(p->mem, p->which, p->end, s->lambda);
        flag |= CVodeSStolerancesB(p->mem, p->which, tol, tol);
        flag |= CVodeQuadReInitB(p->mem, p->which, s->p_sum);
    }
    flag |= CVodeQuadSStolerancesB(p->mem, p->which, tol, tol / s->scale[0]);
    if (flag) return false;
    if (CVodeB(p->mem, p->start, CV_NORMAL) < 0) return false;
    flag |= CVodeGetB(p->mem, p->which, &at, s->lambda);
    flag |= CVodeGetQuadB(p->mem, p->which, &at, s->p_sum);
    for (int k = 0; k < s->pb.np; k++) s->gradient[k] += data(s->p_sum)[k];
    return !flag;
}

static void impact_adjoint(peer *s, const piece *p)
{
    double *x_bar = s->scratch, *p_bar = s->scratch + s->pb.n, *lambda = data(s->lambda);
    problem_event_adjoint(&s->pb, p->minus, lambda, lambda, s->gradient);
    memset(p_bar, 0, (size_t)s->pb.np * sizeof *p_bar);
    s->pb.adjoint(&s->pb, p->minus, lambda, 1.0, x_bar, p_bar);
    for (int i = 0; i < s->pb.n; i++) lambda[i] += p->moved * x_bar[i];
    for (int k = 0; k < s->pb.np; k++) s->gradient[k] += p->moved * p_bar[k];
}

static bool run_adjoint(void *self, double tol, answer *out)
{
    peer *s = self;
    if (!forward_pieces(s, tol)) return false;
    memset(s->gradient, 0, (size_t)s->pb.np * sizeof(double));
    N_VConst(0.0, s->lambda);
    for (int i = s->events; i >= 0; i--) {
        piece *p = &s->pieces[i];
        if (i < s->events) impact_adjoint(s, p);
        if (!backward_piece(s, p, tol)) return false;
    }
    for (int k = 0; s->pb.dstart && k < s->pb.np; k++) {
        s->pb.dstart(&s->pb, k, s->scratch);
        for (int i = 0; i < s->pb.n; i++) s->gradient[k] += data(s->lambda)[i] * s->scratch[i];
    }
    *out = (answer){data(s->yq)[0], s->gradient, s->events, 0};
    return true;
}

/* ---- ARKODE: the cost is one more state --------------------------------------------------------
 */

/* The step from `before` crossed the guard: it is taken again up to the impact. */
static bool arkode_impact(peer *s, double before, double *t)
{
    const int    g = s->pb.guard, n = s->pb.n;
    double      *y = data(s->y), *f = s->scratch;
    const double h = *t - before, r1 = y[g] - s->pb.level;
    s->pb.rhs(&s->pb, y, f);
    const double v1 = f[g];
    s->pb.rhs(&s->pb, s->previous, f);
    const double root = before + h * cubic_root(h, s->previous[g] - s->pb.level, f[g], r1, v1);
    memcpy(y, s->previous, (size_t)(n + 1) * sizeof *y);
    if (ERKStepReset(s->mem, before, s->y) || ERKStepSetStopTime(s->mem, root)) return false;
    if (ERKStepEvolve(s->mem, root, s->y, t, ARK_NORMAL) < 0) return false;
    *t += problem_land(&s->pb, y, &y[n]);
    s->pb.jump(&s->pb, y, y);
    s->events++;
    return !ERKStepReset(s->mem, *t, s->y) && !ERKStepSetStopTime(s->mem, s->pb.end);
}

static bool run_arkode(void *self, double tol, answer *out)
{
    peer        *s = self;
    double       t = 0.0;
    const size_t size = (size_t)(s->pb.n + 1) * sizeof(double);
    s->pb.start(&s->pb, data(s->y));
    data(s->y)[s->pb.n] = 0.0;
    s->events = 0;
    if (ERKStepReInit(s->mem, rhs_with_cost, 0.0, s->y)) return false;
    ERKStepSStolerances(s->mem, tol, tol);
    ERKStepSetStopTime(s->mem, s->pb.end);
    while (t < s->pb.end) {
        const double before = t;
        memcpy(s->previous, data(s->y), size);
        if (ERKStepEvolve(s->mem, s->pb.end, s->y, &t, ARK_ONE_STEP) < 0) return false;
        if (s->pb.guard >= 0 && data(s->y)[s->pb.guard] < s->pb.level &&
            !arkode_impact(s, before, &t))
            return false;
    }
    *out = (answer){data(s->y)[s->pb.n], NULL, s->events, 0};
    return true;
}

/* ---- made and released ------------------------------------------------------------------------
 */

static void release(void *self)
{
    peer *s = self;
    for (int i = 0; i < s->made; i++) {
        SUNNonlinSolFree(s->pieces[i].nls);
        if (s->pieces[i].nls_b) SUNNonlinSolFree(s->pieces[i].nls_b);
        CVodeFree(&s->pieces[i].mem);
        free(s->pieces[i].minus);
    }
    if (s->mem && s->previous) ERKStepFree(&s->mem);
    else if (s->mem) CVodeFree(&s->mem);
    if (s->nls) SUNNonlinSolFree(s->nls);
    if (s->nls_s) SUNNonlinSolFree(s->nls_s);
    if (s->ys) N_VDestroyVectorArray(s->ys, s->pb.np);
    if (s->yqs) N_VDestroyVectorArray(s->yqs, s->pb.np);
    N_VDestroy(s->y);
    N_VDestroy(s->yq);
    N_VDestroy(s->lambda);
    N_VDestroy(s->p_sum);
    free(s->pieces);
    free(s->gradient);
    free(s->scratch);
    free(s->previous);
    free(s->scale);
    SUNContext_Free(&s->context);
    free(s);
}

static peer *peer_new(const problem *pb)
{
    peer *s = calloc(1, sizeof *s);
    if (!s || SUNContext_Create(NULL, &s->context)) abort();
    s->pb = *pb;
    s->points = pb->n > 4 ? 4000 : 200;
    s->y = N_VNew_Serial(pb->n, s->context);
    s->yq = N_VNew_Serial(1, s->context);
    s->lambda = N_VNew_Serial(pb->n, s->context);
    s->p_sum = N_VNew_Serial(pb->np, s->context);
    s->gradient = calloc((size_t)pb->np, sizeof(double));
    s->scratch = calloc((size_t)(pb->n + pb->np + 1), sizeof(double));
    s->scale = calloc((size_t)pb->np, sizeof(double));
    if (!s->gradient || !s->scratch || !s->scale) abort();
    for (int k = 0; k < pb->np; k++) s->scale[k] = fabs(pb->p[k]);
    pb->start(pb, data(s->y));
    data(s->yq)[0] = 0.0;
    return s;
}

static peer *arkode_new(const problem *pb)
{
    peer *s = peer_new(pb);
    N_VDestroy(s->y);
    s->y = N_VNew_Serial(pb->n + 1, s->context);
    s->previous = calloc((size_t)(pb->n + 1), sizeof(double));
    if (!s->previous) abort();
    pb->start(pb, data(s->y));
    data(s->y)[pb->n] = 0.0;
    s->mem = ERKStepCreate(rhs_with_cost, 0.0, s->y, s->context);
    ERKStepSetTableNum(s->mem, ARKODE_FEHLBERG_13_7_8);
    ERKStepSetUserData(s->mem, s);
    ERKStepSetMaxNumSteps(s->mem, MAX_STEPS);
    ERKStepSetErrFile(s->mem, NULL);
    return s;
}

void sundials_contestants(contestants *all, const problem *pb, bool forward, bool gradient)
{
    if (forward) {
        peer *s = peer_new(pb);
        s->mem = cvodes_new(s, &s->nls);
        contestants_add(all, (contestant){"CVODES: forward", "", false, s, run_cvodes, release});
        s = arkode_new(pb);
        contestants_add(all, (contestant){"ARKODE: forward", "", false, s, run_arkode, release});
    }
    if (gradient && pb->np <= SENSITIVITIES) {
        peer *s = peer_new(pb);
        s->mem = cvodes_new(s, &s->nls);
        add_sensitivities(s);
        contestants_add(all, (contestant){"CVODES: FSA", "", true, s, run_cvodes, release});
    }
    if (gradient) {
        peer *s = peer_new(pb);
        contestants_add(all, (contestant){"CVODES: ASA", "", true, s, run_adjoint, release});
    }
}

const char *sundials_about(void) { return "SUNDIALS " SUNDIALS_VERSION ", " BENCH_SUNDIALS; }
