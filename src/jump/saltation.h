/* What the moving event time adds to a jump: the jump (saltation) matrix, events.md (14),
 *
 *     S_eve = [R_s R_rho; 0 I] + [s'+ - R_s s'- - R_t; 0] [r_s r_rho] / r',
 *
 * applied to tangents, events.md (13), and, transposed, to adjoints, events.md (15), (16), (17).
 * The jump is the one just computed. */
#ifndef SAL_JUMP_SALTATION_H
#define SAL_JUMP_SALTATION_H

#include "jump/jump.h"

/* The tangent (dt, dx, dz) of a state whose time moves too, before to after: behind the event it is
 * that of the state just behind it, and dt = dtau. `rate` is r'. If follows, the event shares the
 * time of an earlier one at the same instant: dt is its dtau already. */
void sal_saltation_tangent(sal_jump *jump, double rate, bool follows, sal_tangent *tangent);
/* The first half of it: the tangent moves on to where the guard is zero. */
void sal_saltation_delay(sal_jump *jump, double rate, sal_tangent *tangent);
/* What that tangent is at fixed time, given x' and z' there: dx - x' dt, dz - z' dt, and dt = 0. */
void sal_tangent_hold(const saltus_system *system, const double *k, const double *g,
                      sal_tangent *tangent);

/* The adjoint, after to before. tau_bar (by lane) collects what events that follow add to the time;
 * it is used up by the event that determines it. */
void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar);

#endif
