/* What the moving event time adds to a jump: the jump (saltation) matrix of theory (16),
 *
 *     S_eve = [R_s R_rho; 0 I] + [s'+ - R_s s'- - R_t; 0] [r_s r_rho] / r',
 *
 * applied to tangents (15) and, transposed, to adjoints (17). The jump is the one just computed. */
#ifndef SAL_JUMP_SALTATION_H
#define SAL_JUMP_SALTATION_H

#include "jump/jump.h"

/* The state's sensitivity at fixed time, before to after. `rate` is r'. If follows, the event
 * shares the time of an earlier one at the same instant and dtau is given, else it is written. */
void sal_saltation_tangent(sal_jump *jump, double rate, bool follows, sal_tangent *tangent,
                           double *dtau);

/* The adjoint, after to before. tau_bar (by lane) collects what events that follow add to the time;
 * it is used up by the event that determines it. */
void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar);

#endif
