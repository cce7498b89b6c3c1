/* PETSc as a peer: TSRK forward, and TSAdjoint, the adjoint of its very steps. Order 8 (Verner);
 * the cost is one more state. Steps and their stages are kept in memory.
 *
 * The Jacobian is a shell: TSAdjoint only ever multiplies with its transpose. In "TSAdjoint" that
 * is one adjoint product by hand, for the state and for the parameters at once: no matrix is built.
 * In "TSAdjoint, assembled" it is what PETSc's manual begins with: matrices of type AIJ by the
 * state and by the parameters, filled row by row for each stage (MatSetValues), and
 * MatMultTranspose. A step over an impact is rolled back and taken again up to it; the jump of the
 * adjoint is ours. */
#include <math.h>
#include <petscts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (call) return false;                                                                    \
    } while (0)

enum { MAX_STEPS = 100000, EVENTS = 1100 };

typedef struct impact {
    int    step; /* the one that ended at it */
    double moved, *minus;
} impact;

typedef struct peer {
    problem          pb;
    TS               ts;
    Vec              x, lambda;
    Mat              J;
    Mat              by_x, by_p; /* assembled, or NULL */
    Vec              of_p;
    int             *column; /* of a row of theirs */
    double          *value;
    bool             adjoint, assembled;
    double          *at, *x_bar, *p_bar, *gradient; /* at: the state of the Jacobian */
    const PetscReal *b;                             /* weights of the method */
    PetscInt         stages, stage;
    impact           event[EVENTS];
    int              events;
    double           end; /* by the clock of the solver */
} peer;

/* ---- what PETSc calls ------------------------------------------------------------------------ */

static PetscErrorCode rhs(TS ts, PetscReal t, Vec x, Vec f, void *self)
{
    const problem *pb = &((peer *)self)->pb;
    const double  *from;
    double        *to;
    (void)ts, (void)t;
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArray(f, &to));
    to[pb->n] = pb->rhs(pb, from, to);
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCall(VecRestoreArray(f, &to));
    return 0;
}

static PetscErrorCode assemble(peer *s, const double *x)
{
    problem_row in_x = {0, s->column, s->value};
    problem_row in_p = {0, s->column + s->pb.n + 1, s->value + s->pb.n + 1};
    for (int i = 0; i <= s->pb.n; i++) {
        s->pb.row(&s->pb, x, i, &in_x, &in_p);
        PetscCall(MatSetValues(s->by_x, 1, &i, in_x.count, in_x.column, in_x.value, INSERT_VALUES));
        if (in_p.count == 0) continue;
        PetscCall(MatSetValues(s->by_p, 1, &i, in_p.count, in_p.column, in_p.value, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(s->by_x, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->by_x, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyBegin(s->by_p, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->by_p, MAT_FINAL_ASSEMBLY));
    return 0;
}

static PetscErrorCode jacobian(TS ts, PetscReal t, Vec x, Mat A, Mat B, void *self)
{
    peer         *s = self;
    const double *from;
    (void)ts, (void)t, (void)A, (void)B;
    PetscCall(VecGetArrayRead(x, &from));
    if (s->assembled) PetscCall(assemble(s, from));
    else memcpy(s->at, from, (size_t)s->pb.n * sizeof(double));
    PetscCall(VecRestoreArrayRead(x, &from));
    return 0;
}

/* Sums what belongs to the parameters. */
static PetscErrorCode sum_up(peer *s, const double *p_bar)
{
    PetscReal h; /* negative: backward */
    PetscCall(TSGetTimeStep(s->ts, &h));
    if (--s->stage < 0) s->stage = s->stages - 1;
    const double factor = s->b[s->stage] != 0.0 ? -h * s->b[s->stage] : -h;
    for (int k = 0; k < s->pb.np; k++) s->gradient[k] += factor * p_bar[k];
    return 0;
}

static PetscErrorCode product_assembled(peer *s, Vec weight, Vec out)
{
    const double *p_bar;
    PetscCall(MatMultTranspose(s->by_x, weight, out));
    PetscCall(MatMultTranspose(s->by_p, weight, s->of_p));
    PetscCall(VecGetArrayRead(s->of_p, &p_bar));
    PetscCall(sum_up(s, p_bar));
    PetscCall(VecRestoreArrayRead(s->of_p, &p_bar));
    return 0;
}

/* One product per stage, from the last to the first. What belongs to the parameters is summed here:
 * with TSSetRHSJacobianP derivatives by parameters had errors of first order in the step
 * (PETSc 3.18; those by the state had not), for methods whose weights b are zero for some stages,
 * and all of high order are such. Weights come without the factor h b of the stage, or h if b is
 * zero. */
static PetscErrorCode product(Mat A, Vec weight, Vec out)
{
    peer         *s;
    const double *from;
    double       *to;
    PetscCall(MatShellGetContext(A, &s));
    if (s->assembled) return product_assembled(s, weight, out);
    PetscCall(VecGetArrayRead(weight, &from));
    PetscCall(VecGetArray(out, &to));
    memset(s->p_bar, 0, (size_t)s->pb.np * sizeof(double));
    s->pb.adjoint(&s->pb, s->at, from, from[s->pb.n], to, s->p_bar);
    to[s->pb.n] = 0.0;
    PetscCall(sum_up(s, s->p_bar));
    PetscCall(VecRestoreArrayRead(weight, &from));
    PetscCall(VecRestoreArray(out, &to));
    return 0;
}

/* ---- forward --------------------------------------------------------------------------------- */

static bool strike(peer *s, double before, double *t)
{
    const problem *pb = &s->pb;
    const int      g = pb->guard;
    double        *x, f[64], r1, v1, r0, v0;
    PetscReal      next;
    if (s->events == EVENTS) return false;
    TRY(TSGetTimeStep(s->ts, &next));
    TRY(VecGetArray(s->x, &x));
    pb->rhs(pb, x, f);
    r1 = x[g] - pb->level;
    v1 = f[g];
    TRY(VecRestoreArray(s->x, &x));
    TRY(TSRollBack(s->ts));
    TRY(VecGetArray(s->x, &x));
    pb->rhs(pb, x, f);
    r0 = x[g] - pb->level;
    v0 = f[g];
    TRY(VecRestoreArray(s->x, &x));
    TRY(TSSetTimeStep(s->ts, (*t - before) * cubic_root(*t - before, r0, v0, r1, v1)));
    TRY(TSStep(s->ts));
    TRY(TSGetTime(s->ts, t));
    TRY(VecGetArray(s->x, &x));
    impact  *e = &s->event[s->events++];
    PetscInt step;
    TRY(TSGetStepNumber(s->ts, &step));
    e->step = (int)step;
    e->moved = problem_land(pb, x, &x[pb->n]);
    if (s->adjoint) memcpy(e->minus, x, (size_t)pb->n * sizeof *x);
    pb->jump(pb, x, x);
    TRY(VecRestoreArray(s->x, &x));
    /* The record has lengths of steps as differences of times, so this bit of time is kept out of
     * its clock; no problem depends on time. */
    s->end -= e->moved;
    TRY(TSSetMaxTime(s->ts, s->end));
    TRY(TSSetTimeStep(s->ts, next));
    TRY(TSRestartStep(s->ts));
    return true;
}

static bool begin(peer *s, double tol)
{
    double *x;
    TRY(TSSetTolerances(s->ts, tol, NULL, tol, NULL));
    TRY(VecGetArray(s->x, &x));
    s->pb.start(&s->pb, x);
    x[s->pb.n] = 0.0;
    TRY(VecRestoreArray(s->x, &x));
    TRY(TSSetSolution(s->ts, s->x));
    TRY(TSSetTime(s->ts, 0.0));
    TRY(TSSetStepNumber(s->ts, 0));
    TRY(TSSetTimeStep(s->ts, 1e-3));
    s->end = s->pb.end;
    TRY(TSSetMaxTime(s->ts, s->end));
    TRY(TSSetUp(s->ts));
    TRY(TSRestartStep(s->ts));
    s->events = 0;
    return true;
}

static bool keep(peer *s, double t)
{
    TSTrajectory tj;
    PetscInt     step;
    if (!s->adjoint) return true;
    TRY(TSGetTrajectory(s->ts, &tj));
    TRY(TSGetStepNumber(s->ts, &step));
    if (step == 0) TRY(TSTrajectorySetUp(tj, s->ts));
    TRY(TSTrajectorySet(tj, s->ts, step, t, s->x));
    return true;
}

static bool forward(peer *s, double tol, double *cost)
{
    double        t = 0.0;
    const double *x;
    if (!begin(s, tol) || !keep(s, t)) return false;
    while (t < s->end) {
        const double before = t;
        PetscReal    h;
        PetscInt     step;
        TRY(TSGetTimeStep(s->ts, &h));
        if (t + h > s->end) TRY(TSSetTimeStep(s->ts, s->end - t));
        TRY(TSStep(s->ts));
        TRY(TSGetTime(s->ts, &t));
        TRY(TSGetStepNumber(s->ts, &step));
        if (step >= MAX_STEPS) return false;
        if (s->pb.guard >= 0) {
            TRY(VecGetArrayRead(s->x, &x));
            const bool below = x[s->pb.guard] < s->pb.level;
            TRY(VecRestoreArrayRead(s->x, &x));
            if (below && !strike(s, before, &t)) return false;
        }
        if (!keep(s, t)) return false;
        if (s->end - t < 1e-14 * s->end) break;
    }
    TRY(VecGetArrayRead(s->x, &x));
    *cost = x[s->pb.n];
    TRY(VecRestoreArrayRead(s->x, &x));
    return isfinite(*cost);
}

static bool run_forward(void *self, double tol, answer *out)
{
    peer  *s = self;
    double cost;
    if (!forward(s, tol, &cost)) return false;
    *out = (answer){cost, NULL, s->events, 0};
    return true;
}

/* ---- backward -------------------------------------------------------------------------------- */

static bool strike_adjoint(peer *s, const impact *e)
{
    const problem *pb = &s->pb;
    double        *lambda, *x_bar = s->x_bar;
    TRY(VecGetArray(s->lambda, &lambda));
    problem_event_adjoint(pb, e->minus, lambda, lambda, s->gradient);
    memset(s->p_bar, 0, (size_t)pb->np * sizeof(double));
    pb->adjoint(pb, e->minus, lambda, 1.0, x_bar, s->p_bar);
    for (int i = 0; i < pb->n; i++) lambda[i] += e->moved * x_bar[i];
    for (int k = 0; k < pb->np; k++) s->gradient[k] += e->moved * s->p_bar[k];
    TRY(VecRestoreArray(s->lambda, &lambda));
    return true;
}

static bool run_adjoint(void *self, double tol, answer *out)
{
    peer         *s = self;
    double        cost, *dx = s->x_bar;
    const double *lambda;
    PetscInt      step;
    if (!forward(s, tol, &cost)) return false;
    memset(s->gradient, 0, (size_t)s->pb.np * sizeof(double));
    TRY(VecSet(s->lambda, 0.0));
    TRY(VecSetValue(s->lambda, s->pb.n, 1.0, INSERT_VALUES));
    TRY(VecAssemblyBegin(s->lambda));
    TRY(VecAssemblyEnd(s->lambda));
    TRY(TSSetCostGradients(s->ts, 1, &s->lambda, NULL));
    TRY(TSGetStepNumber(s->ts, &step));
    s->stage = 0;
    /* From impact to impact: as many steps as lie between them. */
    for (int e = s->events; e >= 0; e--) {
        const int to = e > 0 ? s->event[e - 1].step : 0;
        if (step > to) {
            TRY(TSAdjointSetSteps(s->ts, step - to));
            TRY(TSAdjointSolve(s->ts));
        }
        step = to;
        if (e > 0 && !strike_adjoint(s, &s->event[e - 1])) return false;
    }
    TRY(VecGetArrayRead(s->lambda, &lambda));
    for (int k = 0; s->pb.dstart && k < s->pb.np; k++) {
        s->pb.dstart(&s->pb, k, dx);
        for (int i = 0; i < s->pb.n; i++) s->gradient[k] += lambda[i] * dx[i];
    }
    TRY(VecRestoreArrayRead(s->lambda, &lambda));
    *out = (answer){cost, s->gradient, s->events, 0};
    return true;
}

/* ---- made and released ------------------------------------------------------------------------
 */

static void release(void *self)
{
    peer *s = self;
    TSDestroy(&s->ts);
    VecDestroy(&s->x);
    VecDestroy(&s->lambda);
    MatDestroy(&s->J);
    MatDestroy(&s->by_x);
    MatDestroy(&s->by_p);
    VecDestroy(&s->of_p);
    free(s->column);
    free(s->value);
    for (int i = 0; i < EVENTS; i++) free(s->event[i].minus);
    free(s->at);
    free(s->x_bar);
    free(s->p_bar);
    free(s->gradient);
    free(s);
}

/* Rows have the same columns all the time: they are known beforehand. */
static bool matrices(peer *s)
{
    const PetscInt n = s->pb.n + 1, np = s->pb.np;
    PetscInt      *in_x = calloc(2 * (size_t)n, sizeof *in_x), *in_p = in_x + n;
    s->column = calloc((size_t)(n + np), sizeof *s->column);
    s->value = calloc((size_t)(n + np), sizeof *s->value);
    if (!in_x || !s->column || !s->value) abort();
    for (PetscInt i = 0; i < n; i++) {
        problem_row x = {0, s->column, s->value}, p = {0, s->column + n, s->value + n};
        s->pb.row(&s->pb, s->at, i, &x, &p);
        in_x[i] = x.count;
        in_p[i] = p.count;
    }
    const bool bad = MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, in_x, &s->by_x) ||
                     MatCreateSeqAIJ(PETSC_COMM_SELF, n, np, 0, in_p, &s->by_p) ||
                     VecCreateSeq(PETSC_COMM_SELF, np, &s->of_p);
    free(in_x);
    return !bad;
}

static bool shells(peer *s)
{
    const PetscInt n = s->pb.n + 1;
    TSTrajectory   tj;
    TRY(TSRKGetTableau(s->ts, &s->stages, NULL, &s->b, NULL, NULL, NULL, NULL, NULL));
    TRY(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, s, &s->J));
    TRY(MatShellSetOperation(s->J, MATOP_MULT_TRANSPOSE, (void (*)(void))product));
    TRY(TSSetRHSJacobian(s->ts, s->J, s->J, jacobian, s));
    TRY(TSSetSaveTrajectory(s->ts));
    TRY(TSGetTrajectory(s->ts, &tj));
    TRY(TSTrajectorySetType(tj, s->ts, TSTRAJECTORYMEMORY));
    TRY(TSTrajectorySetSolutionOnly(tj, PETSC_FALSE));
    return true;
}

static bool prepare(peer *s)
{
    TSAdapt adapt;
    TRY(VecCreateSeq(PETSC_COMM_SELF, s->pb.n + 1, &s->x));
    TRY(VecDuplicate(s->x, &s->lambda));
    TRY(TSCreate(PETSC_COMM_SELF, &s->ts));
    TRY(TSSetProblemType(s->ts, TS_NONLINEAR));
    TRY(TSSetType(s->ts, TSRK));
    TRY(TSRKSetType(s->ts, TSRK8VR));
    TRY(TSSetRHSFunction(s->ts, NULL, rhs, s));
    TRY(TSSetMaxSteps(s->ts, MAX_STEPS));
    TRY(TSSetExactFinalTime(s->ts, TS_EXACTFINALTIME_MATCHSTEP));
    TRY(TSGetAdapt(s->ts, &adapt));
    TRY(TSAdaptSetType(adapt, TSADAPTBASIC));
    return !s->adjoint || (shells(s) && (!s->assembled || matrices(s)));
}

static void add(contestants *all, const problem *pb, bool adjoint, bool assembled)
{
    peer *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->pb = *pb;
    s->adjoint = adjoint;
    s->assembled = assembled;
    s->at = calloc((size_t)pb->n + 1, sizeof(double));
    s->x_bar = calloc((size_t)pb->n + 1, sizeof(double));
    s->p_bar = calloc((size_t)pb->np, sizeof(double));
    s->gradient = calloc((size_t)pb->np, sizeof(double));
    for (int i = 0; i < EVENTS && pb->guard >= 0; i++)
        if (!(s->event[i].minus = calloc((size_t)pb->n, sizeof(double)))) abort();
    if (!s->at || !s->x_bar || !s->p_bar || !s->gradient || !prepare(s)) {
        fprintf(stderr, "bench: PETSc cannot be prepared for '%s'\n", pb->name);
        release(s);
        return;
    }
    const char *name = assembled ? "PETSc: TSAdjoint, assembled" : "PETSc: TSAdjoint";
    contestants_add(
        all, adjoint ? (contestant){name, "", true, s, run_adjoint, release}
                     : (contestant){"PETSc: TSRK forward", "", false, s, run_forward, release});
}

static bool awake(void)
{
    static int state; /* 0: not tried, 1: yes, 2: no */
    if (state == 0) {
        state = PetscInitializeNoArguments() ? 2 : 1;
        if (state == 1 && getenv("BENCH_PETSC_ERRORS") == NULL)
            PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL);
    }
    return state == 1;
}

void petsc_contestants(contestants *all, const problem *pb, bool forward_too, bool gradient)
{
    if (!awake()) return;
    if (forward_too) add(all, pb, false, false);
    if (gradient) add(all, pb, true, false);
    if (gradient && pb->row) add(all, pb, true, true);
}

const char *petsc_about(void)
{
    static char text[256];
    snprintf(text, sizeof text, "PETSc %d.%d.%d, compiled %s (its own record)", PETSC_VERSION_MAJOR,
             PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, BENCH_PETSC);
    return text;
}
