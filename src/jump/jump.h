/* A jump: the state before an event mapped to the state after it (events.md (2) to (8)), with
 * tangent and adjoint at fixed event time. What the event time adds is in saltation.h.
 *
 *     before   (q, v, c) -> q+, v*, c+                        values of the state before
 *     law      M (v+ - v*) - r_q^T delta = 0                  Newton's law, else v+ = v*
 *              r_q v+ + r_t + e (r_q v* + r_t) = 0
 *              with constraints M (v+ - v*) + Phi_q^T dmu - r_q^T delta = 0, Phi_q v+ + Phi_t = 0
 *     late     what is set to after(...)
 *     charge   z+ = z + chi
 *
 * The state before is in the field of the old regime, the state after in `after`, the field of the
 * new one. Both have the same parameters, which the run puts there (run/fields.h). */
#ifndef SAL_JUMP_JUMP_H
#define SAL_JUMP_JUMP_H

#include "base/scratch.h"
#include "constraints/partition.h"

/* How velocities jump. */
typedef enum sal_law {
    SAL_LAW_NONE,   /* v+ = v* */
    SAL_LAW_IMPACT, /* through the mass matrix: Newton's law, constraints gained, or both */
    SAL_LAW_GIVEN   /* the independent ones as set, the others from the constraints */
} sal_law;

typedef struct sal_jump {
    const saltus_system    *system;
    const sal_event_system *event;
    sal_field              *before;
    sal_field               after;
    sal_field       contacts; /* in whose regime contacts collide; of systems that find it */
    sal_field      *collides; /* the field of the law: after, or contacts */
    sal_law         law;
    sal_redundancy *redundancy;          /* of the run, may be NULL */
    sal_rank        rank_of_constraints; /* of the new regime, if entered for the first time */
    int             dependent;           /* a constraint that depends on others */
    bool            out_of_memory;       /* the reason why sal_jump_state failed */
    sal_partition   partition;           /* of a given law */
    int            *rank;                /* of coordinates, for partitions */
    int             overset; /* a velocity that is set but follows from constraints, or -1 */
    double          impulse;
    double         *state;     /* q, v, c of the script: outputs of the reset */
    double         *law_state; /* after(...) as the late part sees it */
    double         *charge;    /* costs */
    double         *k_before, *k_after, *g_before, *g_after; /* rates on both sides */
    double         *border, *answer, give; /* of a contact in the law: b, w, b^T w */
    double         *du_after; /* tangent or adjoint of u of the field after, in lanes */
    sal_scratch    *scratch;
    const sal_event_system **shared; /* contacts of other events take part in the same impact: what
                                        these set and charge, */
    int shares;                      /* and their number */
    /* What the event and those need. */
    bool             has_charge, set_needs_a, charge_needs_a_before, charge_needs_a_after;
    sal_event_system silent; /* a copy of the event with an empty reset */
} sal_jump;

/* scratch: with room for sal_jump_scratch numbers in at most four pieces. */
saltus_status sal_jump_init(sal_jump *jump, const saltus_system *system, sal_field *before,
                            int max_lanes, sal_scratch *scratch, sal_arena *arena,
                            saltus_error *err);
size_t        sal_jump_scratch(const saltus_system *system, int max_lanes);
void          sal_jump_release(sal_jump *jump);

/* Begins a jump from the state in the field before: q+, v* and the script's memories are then in
 * jump->state. */
void sal_jump_begin(sal_jump *jump, const sal_event_system *event);
/* Begins a jump that changes nothing, as all of the event is part of the jump of another one. */
void sal_jump_begin_silent(sal_jump *jump, const sal_event_system *event);
/* Other events are part of the jump that has begun: they set their memories and charge their costs
 * as well, all from the state before, which must be evaluated if one of them needs accelerations.
 */
void sal_jump_share(sal_jump *jump, const int *events, int count);
/* Whether one of these events needs accelerations of the state before. */
bool sal_jump_needs_a_before(const saltus_system *system, int event, const int *shared, int shares);
/* The velocities after it if contacts had no impulses, in the regime in which they are open;
 * impact: the event has a law of its own. False: that is singular. */
bool sal_jump_free(sal_jump *jump, const sal_regime *regime, bool impact, double *v);
/* What an impulse on the coordinates then adds to them. */
void sal_jump_respond(sal_jump *jump, const double *force, double *v);
/* Completes it: q+, v+ in x_after (2n) and the script's memories in c_after. `impact` is the regime
 * in which contacts collide; NULL: the law follows from the event, and from the constraints that
 * the regime of the field after has and the one before has not. Charges with accelerations need the
 * field before evaluated, saltations need the rates in k_before, g_before. False: the law is
 * singular. */
bool sal_jump_state(sal_jump *jump, const sal_regime *impact, double *x_after, double *c_after);
/* The regime of the field after was found by the run: sees which of its constraints are needed.
 * False: it is singular. */
bool sal_jump_settle(sal_jump *jump);
/* Evaluates the field after at that state, with the memories complete (kinks too), and the charge.
 */
sal_field_result sal_jump_rates(sal_jump *jump, double t, const double *x_after,
                                const double *c_after);

/* The tangent of the jump just computed: dx, dc, dz of the state before (with dt) become those
 * after.
 */
void sal_jump_tangent(sal_jump *jump, sal_tangent *tangent);

/* The adjoint: x_bar, c_bar after become those before; t_bar gains the explicit dependence on t. */
void sal_jump_adjoint(sal_jump *jump, sal_adjoint *adjoint);
/* Adds to u_bar the derivatives of the charges, with these weights, by all that stands in them:
 * both states, reactions and impulses. */
void sal_jump_charge_slopes(sal_jump *jump, const double *z_bar, int lanes, double *u_bar);

#endif
