/* What the moving event time adds to a jump: the jump (saltation) matrix, events.md (14),
 *
 *     S_eve = [R_s R_rho; 0 I] + [s'+ - R_s s'- - R_t; 0] [r_s r_rho] / r',
 *
 * applied to tangents, events.md (13), and, transposed, to adjoints, events.md (15), (16), (17).
 * The jump is the one just computed. */
#ifndef SAL_JUMP_SALTATION_H
#define SAL_JUMP_SALTATION_H

#include "jump/jump.h"

/* Moves the tangent (dt, dx, dz) of a state whose time moves too on to where the guard is zero:
 * events.md (12), which is this with dt = 0. `rate` is r'. With sal_jump_tangent it makes events.md
 * (13), S+ = R_s (S- + s'- dtau) + R_t dtau + R_rho - s'+ dtau, without the last term: dt = dtau.
 * An event that shares the time of an earlier one at the same instant has the dtau of that one
 * already.
 */
void sal_saltation_delay(sal_jump *jump, double rate, sal_tangent *tangent);
/* Moves a tangent along the motion by sign * times (by lane), given x' and z' there: dx += x' time,
 * dz += z' time. */
void sal_tangent_move(const saltus_system *system, const double *k, const double *g,
                      const double *times, double sign, sal_tangent *tangent);
/* The adjoint of sal_tangent_move: times_bar += sign (x'^T x_bar + z'^T z_bar). */
void sal_adjoint_move(const saltus_system *system, const double *k, const double *g, double sign,
                      const sal_adjoint *adjoint, double *times_bar);
/* Converts a tangent to fixed time, given x' and z' there: dx - x' dt, dz - z' dt, and dt = 0. */
void sal_tangent_hold(const saltus_system *system, const double *k, const double *g,
                      sal_tangent *tangent);

/* x_bar += r_s^T r_bar (by lane) for the guard at the state before the event, evaluated there if it
 * needs accelerations. Its derivatives by t, c and rho are added to u_bar. */
void sal_saltation_guard(sal_jump *jump, const sal_event_system *event, const double *r_bar,
                         const sal_adjoint *adjoint);

/* Takes the adjoint from after the event to before it. tau_bar (by lane) collects the contributions
 * to the event time of the events that share it; the event that determines the time uses it up. */
void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar);

#endif
