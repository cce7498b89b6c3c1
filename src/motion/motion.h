/* The motion inside one regime, step by step, with the tangent and the adjoint of a step.
 *
 * A step maps (t, x, z; h, c, rho) to (t + h, x1, z + dz):
 *     T_i = t + c_i h,  X_i = x + h sum_j a_ij k_j,  k_i = f(T_i, X_i),  x1 = x + h sum_i b_i k_i.
 * Time is one of its arguments, so that steps after an event whose time depends on rho, and steps
 * whose length does, are differentiated like any other. Onto an event, its end is moved by a short
 * time (sal_step_extend), which the guard determines: so the length of the step is given there. */
#ifndef SAL_MOTION_MOTION_H
#define SAL_MOTION_MOTION_H

#include "motion/field.h"
#include "motion/step.h"

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

/* Tangents that go along with steps as they are taken. */
typedef struct sal_simultaneous {
    sal_tangent                   *tangent; /* at the start of the step; NULL: nobody goes along */
    sal_native_stages_with_tangent stages;
    double                        *dk[SAL_MAX_STAGES + 1]; /* by stage, and of the rest */
    double                        *dz;                     /* at the end */
    bool                           waits;  /* a step is taken alone, since it will not last, */
    bool                           doubts; /* or since the one before could not be trusted */
    bool                           taken;  /* the step just taken has its tangents, and the end */
} sal_simultaneous;

typedef struct sal_motion {
    sal_field        field;
    sal_step         step;
    sal_field_result result;     /* of the last failure */
    sal_factor      *factors;    /* one factorisation per stage, */
    int              stages;     /* of which there are so many, that of a stretch too; */
    bool             by_solved;  /* all of the step itself by kernels with the solve written in:
                                  their factors need not say so */
    int                diagonal; /* where a diagonal one is in the row of a stage */
    int                stages_differentiated; /* stages that tangents and adjoints go through */
    sal_native_step    native_step;           /* of small ones */
    const sal_nystrom *wide;                  /* of large models, or NULL */
    sal_weights       *column;                /* by stage: those behind it that it flows into */
    double            *dk;                    /* by stage, in lanes: dv, da, room for dmu, dg */
    sal_simultaneous   along;
    double            *end;           /* 2n * lanes */
    double            *slope;         /* 2n, or nc if more */
    double            *stage_bar;     /* by stage, and of the end: 2n * lanes */
    double            *low, *high;    /* between which all is that kernels say of stages, */
    bool               min_max_known; /* if the step was taken as one */
    double            *seed;          /* in lanes: k_bar, zeros for multipliers, g_bar */
    int                max_lanes;
} sal_motion;

/* Whether the rows of a step are all that its tangent and adjoint need, or (what was read from
 * them, nystrom.h) all that the adjoint needs. */
typedef enum sal_rows_kept {
    SAL_ROWS_NONE,
    SAL_ROWS_SOLVED,
    SAL_ROWS_CONSTANT_MASS,
    SAL_ROWS_READ_BY_ADJOINT
} sal_rows_kept;

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

/* Takes the step again from (t, x), all stages kept. Nonzero: the field failed. */
int sal_motion_retake(sal_motion *motion, double t, const double *x, const double *z, double h);

/* Makes the end of the step the start of the next. */
void sal_motion_advance(sal_motion *motion);
/* The next step begins where another field has just been evaluated, in the same regime and with the
 * same memories. False: its first stage must be evaluated all the same, for a factorisation. */
bool sal_motion_begin(sal_motion *motion, const sal_field *evaluated, double t, const double *z);

sal_rows_kept sal_motion_keeps(const sal_motion *motion);
/* A step whose rows were kept, from time t: as if it were taken again. */
void sal_motion_load(sal_motion *motion, sal_rows_kept kept, double *rows, double t,
                     const double *z, double h);

/* Evaluates the field at a state that is no stage; the stages stay as they are. */
sal_field_result sal_motion_eval(sal_motion *motion, double t, const double *x, double *k,
                                 double *g);

/* Puts the state of a stage, and its factorisation, back into the field. */
void sal_motion_restore(sal_motion *motion, int stage);

/* The tangent of the step just taken, dh given by lane: t, x, z at its end replace those at its
 * start. With dense = true the tangents of all dense stages are computed, for
 * sal_motion_tangent_at.
 */
void sal_motion_tangent(sal_motion *motion, sal_tangent *tangent, const double *dh, bool dense);
/* The errors of these tangents as tableau.h estimates those of the step, or of those that went
 * along: E_main and E_second (if there is one), dx first, dz behind it. */
void sal_motion_tangent_errors(const sal_motion *motion, int lanes, bool along, double *main,
                               double *second);
/* dx and dz at t + theta h, from those at the start of the step (dh = 0). */
void sal_motion_tangent_at(const sal_motion *motion, const sal_tangent *start, double theta,
                           double *dx, double *dz);

/* From here on, until the tangent is NULL, it goes along with the steps; it must stay where it is.
 */
void sal_motion_attach_tangent(sal_motion *motion, sal_tangent *tangent);
/* A step was taken, perhaps with a rest (sal_step_extend): the tangent goes to its end. */
void sal_motion_advance_tangent(sal_motion *motion);

/* The tangent of sal_step_extend, rest given: dx, dz. */
void sal_motion_extend_tangent(sal_motion *motion, sal_tangent *tangent);
/* Its adjoint: t, x before it replace those behind. */
void sal_motion_extend_adjoint(sal_motion *motion, sal_adjoint *adjoint);
/* d(t, x, z)/drest of it, into a tangent with one lane. */
void sal_motion_delta_tangent(sal_motion *motion, sal_tangent *tangent);

/* The adjoint of the step just taken: t, x at its start replace those at its end; writes h_bar by
 * lane, if it is not NULL. */
void sal_motion_adjoint(sal_motion *motion, sal_adjoint *adjoint, double *h_bar);
/* The error of one lane of it, as tableau.h estimates that of the step: the adjoints of E_main and
 * E_second, x_bar and what they add to u_bar, become the two lanes of errors. */
void sal_motion_adjoint_errors(sal_motion *motion, const sal_adjoint *end, int lane,
                               sal_adjoint *errors);

#endif
