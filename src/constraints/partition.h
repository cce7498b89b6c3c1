/* Independent and dependent coordinates of a constrained regime (linear-algebra.md (7), (8)).
 *
 * The columns of Phi_q are those of dependent coordinates, Phi_qD, and of independent ones, Phi_qI.
 * Dependent positions and velocities are solved for:
 *     positions    q_I given, Phi(q) = 0                       Newton's method
 *     velocities   Phi_qD v_D = -Phi_qI v_I - Phi_t
 * Both have a tangent and an adjoint. They serve the assembly at the start and resets of events.
 * Constraints that depend on others are left out. */
#ifndef SAL_CONSTRAINTS_PARTITION_H
#define SAL_CONSTRAINTS_PARTITION_H

#include "motion/motion.h"
#include "motion/redundancy.h"

/* An entry of a sparse row of the elimination. */
typedef struct sal_entry {
    int    column;
    double value;
} sal_entry;
typedef SAL_ARRAY(sal_entry) sal_sparse_row;
typedef SAL_ARRAY(int) sal_int_list;

typedef struct sal_partition {
    const saltus_system *system;
    saltus_allocator     allocator;
    bool                 positions;      /* constraints of velocities (rolling) are ignored */
    int                  active;         /* number of constraints in use */
    int                 *constraint;     /* indices of the constraints in use */
    unsigned char       *redundant;      /* by constraint: active in the regime, but left out */
    int                 *dependent;      /* by coordinate: its column of Phi_qD; -1: independent */
    int                 *noted;          /* `dependent` at the last sal_partition_note */
    bool                 noted_complete; /* `complete` at the last sal_partition_note */
    int                  capacity;       /* capacity of the arrays of gradients */
    int                 *start, *column; /* gradients: rows of Phi_q, entries in value */
    double              *value;
    int                 *begin, *row, *place; /* Phi_qD by columns: its pattern, and the
                                                 places of its entries in `value` */
    double           *square;                 /* the entries of Phi_qD */
    sal_sparse        pattern;                /* pattern of Phi_qD, if it is large */
    void             *factor;                 /* Phi_qD factored (sparse.h), if it is large */
    double           *small;                  /* Phi_qD factored (lu.h), if it is small */
    int              *exchanged;
    const sal_regime *seen;          /* the regime of the last evaluation of gradients */
    double           *at;            /* t, q, c of the last evaluation of gradients */
    bool              complete;      /* no constraint was left out */
    bool              factored;      /* Phi_qD at this state is factored */
    sal_sparse_row   *rows, merged;  /* rows of the elimination, by constraint; a sum of two rows */
    sal_int_list     *touching;      /* by coordinate: rows of the elimination in which it occurs */
    double           *rhs, *scratch; /* right-hand sides of solves, and scratch: active * lanes */
    double           *values;        /* nmu * lanes */
    double           *trial;         /* 2n */
} sal_partition;

/* positions: partition positions, not velocities; constraints of velocities are then ignored. */
bool sal_partition_init(sal_partition *p, const saltus_system *system, bool positions,
                        int max_lanes, sal_arena *arena);
void sal_partition_release(sal_partition *p);

/* Forgets evaluated gradients. Call it when parameters may have changed. */
void sal_partition_forget(sal_partition *p);

/* Chooses the dependent coordinates of the field's regime at its state. Coordinates with a higher
 * rank are preferred, if their pivot is at least `fair` times the largest entry of its row. Returns
 * the number of constraints that depend on others there, or -1 when out of memory. */
#define SAL_PARTITION_FAIR 1e-2
#define SAL_PARTITION_STRICT 1e-9 /* follow the ranks wherever possible */
int sal_partition_choose(sal_partition *p, sal_field *field, const int *rank, double fair);

/* Notes the present choice of dependent coordinates. */
void sal_partition_note(sal_partition *p);
/* Returns whether the present choice is the noted one, with no constraint left out in either. */
bool sal_partition_as_noted(const sal_partition *p);

/* Solves for the dependent positions in q, which has an initial guess; t, c, rho are in the field.
 * Returns -1, or on failure the index of the constraint with the largest value, which is written to
 * residual. */
int sal_partition_positions(sal_partition *p, sal_field *field, double *q, double *residual);
/* The violation of a constraint. */
typedef struct sal_misfit {
    int    constraint; /* -1: none */
    double value;      /* Phi, or its rate */
    double part;       /* value relative to its scale: its slope times the size of the positions
                          (velocities) */
} sal_misfit;

/* Returns the largest violation of the constraints in use, or of those left out, at the positions
 * in the field. */
sal_misfit sal_partition_misfit(sal_partition *p, sal_field *field, bool left_out);
/* Returns the largest violation of the rates of the constraints left out, at the velocities in the
 * field. The scale of velocities includes a change of positions by a thousandth in the given time.
 */
sal_misfit sal_partition_rate_misfit(sal_partition *p, sal_field *field, double time);
/* Solves for the dependent velocities in v, at the positions in the field. False: singular. */
bool sal_partition_velocities(sal_partition *p, sal_field *field, double *v);

/* Factors Phi_qD at the state in the field, unless that was done already. False: singular. */
bool sal_partition_factor(sal_partition *p, sal_field *field);

/* The tangent of positions (kind SAL_LEAF_Q) or velocities (SAL_LEAF_V) at the state in the field,
 * at which one of the calls above has factored: completes d, which has the tangents of independent
 * coordinates, by those of dependent ones. du has those of t, c, rho; for velocities, also of q. */
void sal_partition_tangent(sal_partition *p, sal_field *field, int kind, double *du, int lanes,
                           double *d);
/* The adjoint of sal_partition_tangent: moves the part of bar for dependent coordinates to the
 * independent ones and sets it to zero; adds to u_bar at t, c, rho, and for velocities at q. */
void sal_partition_adjoint(sal_partition *p, sal_field *field, int kind, double *bar, int lanes,
                           double *u_bar);

/* The rank of the constraints of a regime. */
typedef enum sal_rank {
    SAL_RANK_FULL,      /* they are independent */
    SAL_RANK_REDUNDANT, /* some follow from the others in every position of the mechanism */
    SAL_RANK_SINGULAR,  /* they depend on each other in this position only */
    SAL_RANK_MEMORY     /* unknown: out of memory */
} sal_rank;

/* Determines the rank of the constraints of the field's regime at its state, at which they must
 * hold, and notes redundant ones in `redundancy`. Overwrites p. rank: see sal_partition_choose.
 * Unless it returns SAL_RANK_FULL, it writes to `constraint` one that depends on others. */
sal_rank sal_rank_find(sal_redundancy *redundancy, sal_partition *p, sal_field *field,
                       const int *rank, int *constraint);

#endif
