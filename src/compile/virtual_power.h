/* The virtual power of terms.
 *
 * Contracted with a test vector y (leaves WEIGHT), a term is one scalar H = H0 + HX, with HX
 * linear in the unknowns:
 *     kinetic T       H0 = d/dt(y T_v)|_{a=0} - y T_q     HX = (y T_v)_v a
 *     potential U     H0 = y U_q
 *     dissipation D   H0 = y D_v
 *     force f on u    H0 = -f (y u_q)
 *     constraint Phi  H0 = y_mu (Phi''|_{a=0} + 2 xi omega Phi' + omega^2 Phi)
 *                     HX = mu (y Phi_q) + y_mu (Phi_q a - mu / alpha)
 *     rolling Psi     H0 = y_mu (Psi'|_{a=0} + 2 xi omega Psi)
 *                     HX = mu (y Psi_v) + y_mu (Psi_v a - mu / alpha)
 *     sliding s, k    HX = mu (y s_v) + y_mu (mu + k mu_N)    mu_N: multiplier of the normal
 *     rubbing s, k    H0 = -y_mu k    HX = mu (y s_v) + y_mu mu
 *     state q         HX = y a, like a unit mass, but without kinetic energy
 * Everything else is a derivative of H with x = (a, mu): E = H_y, K = HX_yx, E_u^T y = H_u.
 *
 * Without sliding and rubbing, K is symmetric. With them, the lower triangle of KX_yx, where
 * KX = HX + y_mu (s_v a), has the symmetric part of K and what linalg/border.h needs besides. */
#ifndef SAL_COMPILE_VIRTUAL_POWER_H
#define SAL_COMPILE_VIRTUAL_POWER_H

#include "model/model.h"

typedef struct sal_virtual_power {
    sal_node H0;   /* the part without unknowns */
    sal_node HX;   /* the part that is linear in the unknowns */
    sal_node KX;   /* the scalar from which the entries of the matrix are derived */
    sal_node T, U; /* kinetic and potential energy */
    sal_node law;  /* the virtual power in the law of impacts, at the state after the impact */
} sal_virtual_power;

/* Sets of optional terms, as bits: those with xi and omega, and those with alpha, which constraints
 * do not have in the plain index-1 form. */
enum { SAL_DAMPED_TERMS = 1, SAL_SOFT_TERMS = 2, SAL_ALL_TERMS = 3, SAL_TERM_SETS = 4 };

/* Adds a term to the sums in s. rows: the numbers of its constraints, which are local in a
 * template. which: the optional terms to include (SAL_..._TERMS). */
void sal_virtual_power_add(sal_graph *graph, sal_term_kind kind, const sal_node *e, sal_rows rows,
                           unsigned which, sal_virtual_power *s);

#endif
