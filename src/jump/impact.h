/* The law of impacts (events.md (2) to (8)): a linear system G = 0 for v+ and the impulses,
 *
 *     M (v+ - v*) + Phi_q^T dmu - r_q^T delta = 0
 *     Phi_q v+ + Phi_t = 0
 *     r_q v+ + r_t + e (r_q v* + r_t) = 0
 *
 * The last row and delta are there only if the event has a coefficient of restitution. Unknowns are
 * listed as v+, dmu, delta. The law is solved in the field jump->law_field; inputs and unknowns are
 * in u of jump->before.
 *
 * G and the products of its derivatives are kernels: momentum and constraints are derived in
 * compile/regime.c (add_momentum) from the virtual power of the terms with v+ - v* in place of a,
 * the part of the contact in compile/event.c (contact_law). */
#ifndef SAL_JUMP_IMPACT_H
#define SAL_JUMP_IMPACT_H

#include "jump/jump.h"

/* Factors the matrix of the law. False: singular, or out of memory. */
bool sal_impact_factor(sal_jump *jump);
/* Computes v+ and the impulses from v*, also into jump->state and jump->impulse. False: the law is
 * singular, or out of memory. */
bool sal_impact_apply(sal_jump *jump);
/* Computes the tangents of v+ and the impulses in du, from those of the inputs. */
void sal_impact_tangent(sal_jump *jump, double *du, int lanes);
/* Passes the adjoints of v+ and the impulses in u_bar on to the inputs of the law, and clears
 * them. */
void sal_impact_adjoint(sal_jump *jump, double *u_bar, int lanes);

#endif
