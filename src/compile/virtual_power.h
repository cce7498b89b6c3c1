/* The scalars of a term.
 *
 * Contracted with a test vector y (leaves WEIGHT), a term is H = H0 + HX, with HX linear in the
 * unknowns:
 *     kinetic T       H0 = d/dt(y T_v)|_{a=0} - y T_q     HX = (y T_v)_v a
 *     potential U     H0 = y U_q
 *     dissipation D   H0 = y D_v
 *     force f on u    H0 = -f (y u_q)
 *     constraint Phi  H0 = y_mu (Phi''|_{a=0} + 2 xi omega Phi' + omega^2 Phi)
 *                     HX = mu (y Phi_q) + y_mu (Phi_q a - mu / alpha)
 *     rolling Psi     H0 = y_mu (Psi'|_{a=0} + 2 xi omega Psi)
 *                     HX = mu (y Psi_v) + y_mu (Psi_v a - mu / alpha)
 *     sliding s, k    HX = mu (y s_v) + y_mu (mu + k mu_N)            mu_N: of the normal
 *     rubbing s, k    H0 = -y_mu k    HX = mu (y s_v) + y_mu mu
 *     state q         HX = y a, as of a mass of one, but without kinetic energy
 * and everything else is a derivative: E = H_y, K = HX_yx, E_u^T y = H_u, and so on, x = (a, mu).
 *
 * Without sliding and rubbing, K is symmetric. With them, its symmetric part and what is needed of
 * the rest (linalg/border.h) are the lower triangle of KX_yx, where KX = HX + y_mu (s_v a). */
#ifndef SAL_COMPILE_VIRTUAL_POWER_H
#define SAL_COMPILE_VIRTUAL_POWER_H

#include "model/model.h"

typedef struct sal_virtual_power {
    sal_node H0;   /* what does not contain the unknowns */
    sal_node HX;   /* what is linear in the unknowns */
    sal_node KX;   /* what the entries of the matrix are derived from */
    sal_node T, U; /* kinetic and potential energy */
    sal_node law;  /* the law of impacts, at the state after */
} sal_virtual_power;

/* Parts of constraints that are zero in the usual index-1 form: with xi and omega, and with alpha.
 */
enum { SAL_DAMPED_TERMS = 1, SAL_SOFT_TERMS = 2, SAL_ALL_TERMS = 3, SAL_TERM_SETS = 4 };

/* Adds a term; rows are the numbers of its constraints: local ones, 0 and 1, in a template. */
void sal_virtual_power_add(sal_graph *graph, sal_term_kind kind, const sal_node *e, sal_rows rows,
                           unsigned which, sal_virtual_power *s);

#endif
