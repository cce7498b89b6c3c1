/* Independent and dependent coordinates of a constrained regime (theory, sections 6 and 8).
 *
 * With P_I q = q_I and J = [P_I; Phi_q], square and regular,
 *     positions    q_I given, Phi(q) = 0                 Newton's method
 *     velocities   J v = [v_I; -Phi_t]
 * each with tangent and adjoint. Assembly at the start and the given law of an event use them. J is
 * factored inside the symmetric matrix [1 J^T; J 0], which solves with J and with J^T alike. */
#ifndef SAL_FLOW_PARTITION_H
#define SAL_FLOW_PARTITION_H

#include "flow/flow.h"

typedef struct sal_partition {
    const saltus_system *system;
    int                  active;                /* constraints */
    unsigned char       *skip;                  /* by constraint: redundant, left out */
    int                 *constraint;            /* their numbers */
    unsigned char       *dependent;             /* by coordinate */
    int                 *independent;           /* numbers, n - active */
    double              *jacobian;              /* active * n */
    double              *matrix, *weight, *rhs; /* of the solves: (2n)^2, 2n, 2n * lanes */
    int                 *pivots;
    double              *values; /* nmu * lanes */
    double              *u_bar;  /* layout.size * lanes */
    int                  max_lanes;
} sal_partition;

bool sal_partition_init(sal_partition *p, const saltus_system *system, int max_lanes,
                        sal_arena *arena);

/* Chooses the dependent coordinates of the field's regime at its state: rank[i] tells how gladly
 * coordinate i is one (higher first), fair what part of its row a pivot must be, lest a lower rank
 * be taken. Returns -1, or the number of a constraint that depends on others there. */
#define SAL_PARTITION_FAIR 1e-2
#define SAL_PARTITION_STRICT 1e-9 /* ranks count whenever they can */
int sal_partition_choose(sal_partition *p, sal_field *field, const int *rank, double fair);

/* Solves the dependent positions in q (start: a guess), state t, c, rho in the field. Returns -1,
 * or the number of the constraint that is met worst; residual is its value. */
int sal_partition_positions(sal_partition *p, sal_field *field, double *q, double *residual);
/* Solves the dependent velocities in v, at the positions in the field. False: singular. */
bool sal_partition_velocities(sal_partition *p, sal_field *field, double *v);

/* Tangents at the state in the field (factored by one of the calls above): dq (dv) have those of
 * the independent ones; du has t, c, rho, and for velocities q. */
void sal_partition_positions_tangent(sal_partition *p, sal_field *field, double *du, int lanes,
                                     double *dq);
void sal_partition_velocities_tangent(sal_partition *p, sal_field *field, double *du, int lanes,
                                      double *dv);

/* Adjoints: q_bar (v_bar) of all coordinates become those of the independent ones, zero for the
 * others; u_bar gains at t, c, rho, and for velocities at q. */
void sal_partition_positions_adjoint(sal_partition *p, sal_field *field, double *q_bar, int lanes,
                                     double *u_bar);
void sal_partition_velocities_adjoint(sal_partition *p, sal_field *field, double *v_bar, int lanes,
                                      double *u_bar);

#endif
