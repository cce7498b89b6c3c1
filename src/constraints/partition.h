/* Independent and dependent coordinates of a constrained regime (linear-algebra.md (7), (8)).
 *
 * With Phi_q split by columns into those of dependent and of independent coordinates,
 *     positions    q_I given, Phi(q) = 0                       Newton's method
 *     velocities   Phi_qD v_D = -Phi_qI v_I - Phi_t
 * each with tangent and adjoint. Assembly at the start and the given law of an event use them.
 * Constraints that depend on others are left out. */
#ifndef SAL_CONSTRAINTS_PARTITION_H
#define SAL_CONSTRAINTS_PARTITION_H

#include "motion/motion.h"
#include "motion/redundancy.h"

/* A row of an elimination: what is left of a constraint's gradient. */
typedef struct sal_entry {
    int    column;
    double value;
} sal_entry;
typedef SAL_ARRAY(sal_entry) sal_sparse_row;
typedef SAL_ARRAY(int) sal_int_list;

typedef struct sal_partition {
    const saltus_system *system;
    saltus_allocator     allocator;
    bool                 positions;      /* constraints of velocities do not count */
    int                  active;         /* constraints that count */
    int                 *constraint;     /* their numbers */
    unsigned char       *redundant;      /* by constraint: active in the regime, but left out */
    int                 *dependent;      /* by coordinate: which of the dependent ones, or -1 */
    int                 *noted;          /* `dependent` as it was noted */
    bool                 noted_complete; /* `complete` as it was noted */
    int                  capacity;       /* of the arrays of gradients */
    int                 *start, *column; /* gradients: rows of Phi_q, entries in value */
    double              *value;
    int                 *begin, *row, *place; /* Phi_qD by columns: its pattern, and the
                                                 places of its entries in `value` */
    double           *square;                 /* the entries of Phi_qD */
    sal_sparse        pattern;                /* of Phi_qD, if it is large */
    void             *factor;
    double           *small; /* Phi_qD factored (lu.h), if it is small */
    int              *exchanged;
    const sal_regime *seen;          /* the regime in which gradients were evaluated last */
    double           *at;            /* t, q, c at which they were evaluated */
    bool              complete;      /* no constraint was left out */
    bool              factored;      /* Phi_qD is factored there */
    sal_sparse_row   *rows, merged;  /* rows of the elimination, by constraint */
    sal_int_list     *touching;      /* by coordinate: rows that have it */
    double           *rhs, *scratch; /* of the solves: active * lanes */
    double           *values;        /* nmu * lanes */
    double           *trial;         /* 2n */
    int               max_lanes;
} sal_partition;

bool sal_partition_init(sal_partition *p, const saltus_system *system, int max_lanes,
                        sal_arena *arena);
void sal_partition_release(sal_partition *p);

/* Parameters may have changed: nothing that was evaluated is used again. */
void sal_partition_forget(sal_partition *p);

/* Chooses the dependent coordinates of the field's regime at its state: coordinates with a higher
 * rank are preferred. fair: a pivot must be at least this part of its row; otherwise a coordinate
 * of a lower rank is taken. Returns how many constraints depend on others there, or -1 when out of
 * memory. */
#define SAL_PARTITION_FAIR 1e-2
#define SAL_PARTITION_STRICT 1e-9 /* ranks decide whenever they can */
int sal_partition_choose(sal_partition *p, sal_field *field, const int *rank, double fair);

/* Notes the choice, to see later whether another is the same, with no constraint left out. */
void sal_partition_note(sal_partition *p);
bool sal_partition_as_noted(const sal_partition *p);

/* Solves the dependent positions in q (start: a guess), state t, c, rho in the field. Returns -1,
 * or the number of the constraint that is met worst; residual is its value. */
int sal_partition_positions(sal_partition *p, sal_field *field, double *q, double *residual);
/* How much a constraint is off. */
typedef struct sal_misfit {
    int    constraint; /* -1: none */
    double value;      /* Phi, or its rate */
    double part;       /* of what it would be if the positions (the velocities) were all wrong */
} sal_misfit;

/* The worst of the constraints that count, or of those left out, at the positions in the field. */
sal_misfit sal_partition_misfit(sal_partition *p, sal_field *field, bool left_out);
/* The worst rate of the constraints left out, at the velocities in the field; in the time given,
 * positions may change by a thousandth. */
sal_misfit sal_partition_rate_misfit(sal_partition *p, sal_field *field, double time);
/* Solves the dependent velocities in v, at the positions in the field. False: singular. */
bool sal_partition_velocities(sal_partition *p, sal_field *field, double *v);

/* Factors Phi_qD at the state in the field, unless that has been done. False: singular. */
bool sal_partition_factor(sal_partition *p, sal_field *field);

/* The tangent of positions (SAL_LEAF_Q) or velocities (SAL_LEAF_V) at the state in the field
 * (factored by one of the calls above): d has those of the independent ones; du has t, c, rho, and
 * for velocities q. */
void sal_partition_tangent(sal_partition *p, sal_field *field, int kind, double *du, int lanes,
                           double *d);
/* The adjoint: bar of all coordinates becomes that of the independent ones, zero for the others;
 * adds to u_bar at t, c, rho, and for velocities at q. */
void sal_partition_adjoint(sal_partition *p, sal_field *field, int kind, double *bar, int lanes,
                           double *u_bar);

/* Whether the constraints of a regime are independent, redundant (some follow from the others
 * wherever the mechanism is) or singular in a position. */
typedef enum sal_rank {
    SAL_RANK_FULL,
    SAL_RANK_REDUNDANT, /* some follow from the others; the redundancy knows them now */
    SAL_RANK_SINGULAR,  /* they depend on each other in this position only */
    SAL_RANK_MEMORY
} sal_rank;

/* Looks at the constraints of the field's regime, at its state, where they hold; p is overwritten.
 * rank: see sal_partition_choose. constraint: one that depends on others, unless SAL_RANK_FULL. */
sal_rank sal_rank_find(sal_redundancy *redundancy, sal_partition *p, sal_field *field,
                       const int *rank, int *constraint);

#endif
