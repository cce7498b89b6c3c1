/* The motion inside one regime, step by step, with the tangent and the adjoint of a step.
 *
 * A step maps (t, x, z; h, c, rho) to (t + h, x1, z + dz):
 *     T_i = t + c_i h,  X_i = x + h sum_j a_ij k_j,  k_i = f(T_i, X_i),  x1 = x + h sum_i b_i k_i.
 * Time is one of its arguments, so that steps after an event whose time depends on rho, and steps
 * whose length does, are differentiated like any other. The end of a step onto an event is moved by
 * a short time delta (sal_step_extend). The guard determines delta; the length of the step itself
 * is given. */
#ifndef SAL_MOTION_MOTION_H
#define SAL_MOTION_MOTION_H

#include "motion/field.h"
#include "motion/step.h"

/* Faster ways to do parts of a step: see motion/fast/fast.h. */
typedef struct sal_fast sal_fast;

/* Perturbations of the state in lanes (directions): dt, dx = (dq, dv), dz, and, in the layout of u,
 * dc and drho inside du. */
typedef struct sal_tangent {
    int     lanes;
    double *dt, *dx, *dz, *du;
} sal_tangent;

/* Derivatives of results (lanes: costs, event times) by the state: t_bar, x_bar, and in the layout
 * of u, c_bar and rho_bar inside u_bar. z_bar does not change along the motion. */
typedef struct sal_adjoint {
    int     lanes;
    double *t_bar, *x_bar, *z_bar, *u_bar;
} sal_adjoint;

typedef struct sal_motion {
    sal_field        field;
    sal_step         step;
    sal_fast        *fast;
    sal_field_result result;                /* the last failure */
    sal_factor      *factors;               /* one factorisation per stage */
    int              stages;                /* number of factors: all stages, and the midpoint */
    int              diagonal;              /* place of a diagonal factorisation in a row */
    int              stages_differentiated; /* number of stages that x1 depends on */
    sal_weights     *column;        /* by stage: its weights in later stages and in the end */
    double *dk[SAL_MAX_STAGES + 1]; /* by stage: dv, da, room for dmu, dg, in dk_lanes lanes */
    int     dk_lanes;               /* lanes that dk is laid out for */
    double *dk_rows;                /* memory of the rows in dk */
    double *end_bar;                /* X_bar of one stage of an extension: 2n * lanes */
    double *slope;                  /* a sum of slopes (2n) or integrands (nc) */
    double *stage_bar; /* by stage, and for the end: X_bar, 2n * lanes padded to whole fours */
    double *seed;      /* in lanes: k_bar, room for multipliers, g_bar; n zeros per lane before them
                          are the part for positions */
} sal_motion;

saltus_status sal_motion_init(sal_motion *motion, const saltus_system *system,
                              const sal_tableau *tableau, int max_lanes, sal_arena *arena,
                              saltus_error *err);
void          sal_motion_release(sal_motion *motion);

bool sal_tangent_init(sal_tangent *tangent, const saltus_system *system, int lanes,
                      sal_arena *arena);
bool sal_adjoint_init(sal_adjoint *adjoint, const saltus_system *system, int lanes,
                      sal_arena *arena);

/* The places of c and rho in the tangent or adjoint of u. */
static inline double *sal_lanes_at(const saltus_system *system, double *du, int lanes, int kind)
{
    return du + system->layout.at[kind] * lanes;
}

/* Copies dt and dx to their places in du. */
static inline void sal_tangent_put(const saltus_system *system, const sal_tangent *d)
{
    sal_copy(sal_lanes_at(system, d->du, d->lanes, SAL_LEAF_T), d->dt, d->lanes);
    sal_copy(sal_lanes_at(system, d->du, d->lanes, SAL_LEAF_Q), d->dx, 2 * system->n * d->lanes);
}
/* Copies t_bar and x_bar from their places in u_bar. */
static inline void sal_adjoint_take(const saltus_system *system, const sal_adjoint *d)
{
    sal_copy(d->t_bar, sal_lanes_at(system, d->u_bar, d->lanes, SAL_LEAF_T), d->lanes);
    sal_copy(d->x_bar, sal_lanes_at(system, d->u_bar, d->lanes, SAL_LEAF_Q),
             2 * system->n * d->lanes);
}

/* Repeats a step from (t, x) and keeps all its stages, so that it can be differentiated. Nonzero:
 * the field failed. */
int sal_motion_retake(sal_motion *motion, double t, const double *x, const double *z, double h);

/* Says whether the caller will differentiate every step as soon as it is accepted. */
void sal_motion_expect_derivatives(sal_motion *motion, bool of_every_step);

/* Makes the end of the step the start of the next. */
void sal_motion_advance(sal_motion *motion);
/* Begins the next step at the state at which another field was just evaluated, in the same regime
 * and with the same memories. Returns false if there was no solved kernel: the first stage must
 * then be evaluated to have a factorisation. */
bool sal_motion_begin(sal_motion *motion, const sal_field *evaluated, double t, const double *z);

/* The positions of a stage of the step just taken. */
const double *sal_motion_positions(const sal_motion *motion, int stage);
/* The row of the last evaluation, which begins like u; NULL: its positions are in the record. */
const double *sal_motion_last_row(const sal_motion *motion);

/* The smallest and largest of each of `count` pivots over the stages after the first of the step
 * just taken, all by solved kernels. low and high have room for three more numbers. */
void sal_motion_pivot_ranges(const sal_motion *motion, int count, double *low, double *high);

/* Evaluates the field at a state that is not a stage; the stages do not change. */
sal_field_result sal_motion_eval(sal_motion *motion, double t, const double *x, double *k,
                                 double *g);

/* Puts the state of a stage, and its factorisation, back into the field. */
void sal_motion_restore(sal_motion *motion, int stage);

/* Rows for the tangents of stages, laid out for this many lanes. */
double *const *sal_motion_dk(sal_motion *motion, int lanes);

/* The tangent of the step just taken, with dh by lane (NULL: zero): replaces dt, dx, dz at its
 * start by those at its end. dense: also computes tangents of the stages for dense output, for
 * sal_motion_tangent_at. */
void sal_motion_tangent(sal_motion *motion, sal_tangent *tangent, const double *dh, bool dense);
/* Writes the error estimates of the tangents, which tableau.h defines for the step itself: E_main
 * and, if the method has it, E_second; dx first, then dz. */
void sal_motion_tangent_errors(const sal_motion *motion, int lanes, double *main, double *second);
/* dx and dz at t + theta h, from those at the start of the step (dh = 0). */
void sal_motion_tangent_at(const sal_motion *motion, const sal_tangent *start, double theta,
                           double *dx, double *dz);

/* Moves a tangent to the end of the step just taken, and of its extension. */
void sal_motion_advance_tangent(sal_motion *motion, sal_tangent *tangent);

/* The tangent of sal_step_extend for a given delta: dx, dz. */
void sal_motion_extend_tangent(sal_motion *motion, sal_tangent *tangent);
/* The adjoint of sal_step_extend: replaces t_bar, x_bar after it by those before it. */
void sal_motion_extend_adjoint(sal_motion *motion, sal_adjoint *adjoint);
/* d(t, x, z)/d(delta) of sal_step_extend, into a tangent with one lane. */
void sal_motion_delta_tangent(sal_motion *motion, sal_tangent *tangent);

/* The adjoint of the step just taken: replaces t_bar, x_bar at its end by those at its start, and
 * writes h_bar by lane, if it is not NULL. */
void sal_motion_adjoint(sal_motion *motion, sal_adjoint *adjoint, double *h_bar);
/* Estimates the error of one lane of the adjoint. The two lanes of errors are the adjoints of
 * E_main and E_second of tableau.h: x_bar, and the contributions to u_bar. */
void sal_motion_adjoint_errors(sal_motion *motion, const sal_adjoint *end, int lane,
                               sal_adjoint *errors);

#endif
