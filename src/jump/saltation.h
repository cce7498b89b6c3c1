/* The effect of the moving event time on a jump: the jump (saltation) matrix, events.md (14),
 *
 *     S_eve = [R_s R_rho; 0 I] + [s'+ - R_s s'- - R_t; 0] [r_s r_rho] / r',
 *
 * applied to tangents, events.md (13), and, transposed, to adjoints, events.md (15), (16), (17).
 * All calls refer to the jump just computed. */
#ifndef SAL_JUMP_SALTATION_H
#define SAL_JUMP_SALTATION_H

#include "jump/jump.h"

/* Moves the tangent (dt, dx, dz) of a state, whose time may depend on parameters as well, to where
 * the guard is zero: events.md (12) is the case dt = 0. rate: r'. Together with sal_jump_tangent
 * this is events.md (13), S+ = R_s (S- + s'- dtau) + R_t dtau + R_rho - s'+ dtau, without the last
 * term: dt = dtau. Not needed for an event that shares the time of an earlier event at the same
 * instant, as dt is then dtau already. */
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

/* Adds the adjoint of the guard at the state before the event, which must be evaluated if the guard
 * needs accelerations: x_bar += r_s^T r_bar (by lane). Its derivatives by t, c and rho are added to
 * u_bar. */
void sal_saltation_guard(sal_jump *jump, const sal_compiled_event *event, const double *r_bar,
                         const sal_adjoint *adjoint);

/* Takes the adjoint from after the event to before it. tau_bar (by lane) collects the adjoint of
 * the event time over all events that share it. follows: the event has the time of an earlier one,
 * so tau_bar is passed on; else tau_bar is used up by the guard of this event. */
void sal_saltation_adjoint(sal_jump *jump, double rate, bool follows, sal_adjoint *adjoint,
                           double *tau_bar);

#endif
