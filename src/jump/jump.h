/* A jump: maps the state before an event to the state after it (events.md (2) to (8)), with tangent
 * and adjoint at fixed event time. saltation.h adds the effect of the event time.
 *
 *     before   (q, v, c) -> q+, v*, c+     assigned from the state before
 *     law      v* -> v+                    the law of impacts (impact.h), else v+ = v*
 *     late     what the script sets to after(...)
 *     charge   z+ = z + chi
 *
 * jump.c assigns, chooses the law and charges; impact.c solves the law of impacts.
 *
 * The field of the old regime holds the state before, and `after`, the field of the new regime, the
 * state after. Both have the same parameters, which the run puts there (run/fields.h). */
#ifndef SAL_JUMP_JUMP_H
#define SAL_JUMP_JUMP_H

#include "base/scratch.h"
#include "constraints/partition.h"

/* How velocities jump. */
typedef enum sal_law {
    SAL_LAW_NONE,   /* v+ = v* */
    SAL_LAW_IMPACT, /* impulses: Newton's law, constraints gained, or both */
    SAL_LAW_GIVEN   /* independent velocities as set, the others from the constraints */
} sal_law;

/* What the resets of events that share a jump need. */
typedef struct sal_jump_needs {
    bool charge;          /* some reset has a charge */
    bool set_a;           /* an assigned value contains accelerations before the event */
    bool charge_a_before; /* a charge contains accelerations before the event */
    bool charge_a_after;  /* a charge contains accelerations after the event */
} sal_jump_needs;

typedef struct sal_jump {
    const saltus_system      *system;
    const sal_compiled_event *event;
    sal_field                *before; /* the field of the regime before the event */
    sal_field                 after;  /* the field of the regime after the event */
    /* The field of the regime in which contacts collide; only if the system has contacts whose
     * modes are found. */
    sal_field       contacts;
    sal_field      *law_field; /* the field in which the law is solved: `after` or `contacts` */
    sal_law         law;
    sal_redundancy *redundancy;   /* redundant constraints of the run; may be NULL */
    sal_rank rank_of_constraints; /* found at the first entry of a regime; else SAL_RANK_FULL */
    int      dependent;           /* a constraint that depends on others, if any does */
    bool     out_of_memory;       /* why sal_jump_state failed */
    sal_partition partition;      /* the partition of velocities, for SAL_LAW_GIVEN */
    int          *rank;           /* by coordinate: its rank for partitions */
    int           overset;        /* a velocity that is set but follows from constraints, or -1 */
    double        impulse;        /* the impulse of the law; NAN: none */
    double       *state;          /* q, v and memories of the script, as assigned so far */
    double       *law_state;      /* `state` after the law, before the late part */
    double       *charge;         /* by cost: what the event adds to it */
    double       *k_before, *k_after, *g_before, *g_after; /* x' and z' on both sides */
    /* The normal b of the contact in the law, w = K^-1 b, and b^T w. */
    double      *normal, *response, compliance;
    double      *du_after; /* the tangent or adjoint of u of the field `after`, in lanes */
    sal_scratch *scratch;
    /* Events of other contacts that take part in the same impact: what they set and charge is part
     * of this jump. */
    const sal_compiled_event **shared;
    int                        shares; /* how many there are */
    sal_jump_needs             needs;  /* what the event and `shared` need, taken together */
    sal_compiled_event silent; /* a copy of an event, with an empty reset (sal_jump_begin_silent) */
} sal_jump;

/* Allocates a jump. scratch: a stack with room for sal_jump_scratch numbers in at most four
 * pieces. */
saltus_status sal_jump_init(sal_jump *jump, const saltus_system *system, sal_field *before,
                            int max_lanes, sal_scratch *scratch, sal_arena *arena,
                            saltus_error *err);
size_t        sal_jump_scratch(const saltus_system *system, int max_lanes);
void          sal_jump_release(sal_jump *jump);

/* Begins a jump from the state in the field `before`: jump->state then holds q+, v* and the
 * script's memories. */
void sal_jump_begin(sal_jump *jump, const sal_compiled_event *event);
/* Begins a jump that changes nothing, for an event that is already part of another event's jump. */
void sal_jump_begin_silent(sal_jump *jump, const sal_compiled_event *event);
/* Makes other events part of the jump that has begun: they set their memories and charge their
 * costs as well, from the state before. The field `before` must be evaluated if one of the events
 * needs accelerations (sal_jump_needs_a_before). */
void sal_jump_share(sal_jump *jump, const int *events, int count);
/* Whether the event or one of the events that share its jump needs accelerations before it. */
bool sal_jump_needs_a_before(const saltus_system *system, int event, const int *shared, int shares);
/* Computes the velocities after the event if contacts had no impulses, in the regime where they are
 * open. impact: the event has an impact law of its own. False: the law is singular, or out of
 * memory. */
bool sal_jump_free(sal_jump *jump, const sal_regime *regime, bool impact, double *v);
/* After sal_jump_free: computes the change v of the velocities due to an impulse on the
 * coordinates. */
void sal_jump_respond(sal_jump *jump, const double *force, double *v);
/* Completes the jump: writes q+, v+ to x_after (2n) and the script's memories to c_after. impact:
 * the regime in which contacts collide; NULL: the law follows from the event and from the
 * constraints that are active after it but not before. The field `before` must be evaluated if
 * charges contain accelerations; saltations need the rates in k_before, g_before. False: the law is
 * singular, or out of memory. */
bool sal_jump_state(sal_jump *jump, const sal_regime *impact, double *x_after, double *c_after);
/* Finds which constraints of the regime of `after` are needed, once the run has found the modes of
 * contacts. False: the constraints are singular, or out of memory. */
bool sal_jump_settle(sal_jump *jump);
/* Evaluates the field `after` at the state after the event, with all memories and the branches of
 * kinks, and computes the charge. */
sal_field_result sal_jump_rates(sal_jump *jump, double t, const double *x_after,
                                const double *c_after);

/* The tangent of the jump just computed: dx, dc, dz (with dt) of the state before are replaced by
 * those of the state after. */
void sal_jump_tangent(sal_jump *jump, sal_tangent *tangent);

/* The adjoint of the jump just computed: x_bar, c_bar of the state after are replaced by those of
 * the state before; t_bar gains the explicit dependence on t. */
void sal_jump_adjoint(sal_jump *jump, sal_adjoint *adjoint);
/* Adds to u_bar the derivatives of the charges, weighted by z_bar, by everything they contain: the
 * states on both sides, reactions and impulses. */
void sal_jump_charge_slopes(sal_jump *jump, const double *z_bar, int lanes, double *u_bar);

#endif
