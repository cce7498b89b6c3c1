/* The equations of motion of some terms, as derivatives of their virtual power (virtual_power.h).
 *
 *     residual   E = H_y                       of H0 alone: E at x = 0
 *     matrix     K = KX_yx                     lower triangle
 *     tangent    E_u du = (H_u du)_y           at fixed x
 *     adjoint    E_u^T y = H_u
 *
 * with the unknowns x = (a, mu), the test vector y (leaves WEIGHT and WEIGHT_MU) and the state
 * u = (t, q, v, c, rho). They are derived here and nowhere else. Where K is factored at run time,
 * these nodes are the outputs of kernels (regime.c). Solved kernels combine them with the solution
 * of K x = b (solved.c). */
#ifndef SAL_COMPILE_EQUATIONS_H
#define SAL_COMPILE_EQUATIONS_H

#include "model/model.h"
#include "program/kernel.h"

#define SAL_KINDS_WEIGHT (SAL_KIND(WEIGHT) | SAL_KIND(WEIGHT_MU))

/* Each of these functions replaces the list in d. An entry of the list belongs to a leaf; an entry
 * of the matrix to a pair of leaves. A null H gives an empty list. */
void sal_equations_residual(sal_derivatives *d, sal_graph *graph, sal_node H);
void sal_equations_matrix(sal_derivatives *d, sal_graph *graph, sal_node KX);
void sal_equations_tangent(sal_derivatives *d, sal_graph *graph, sal_node H);
void sal_equations_adjoint(sal_derivatives *d, sal_graph *graph, sal_node H);

/* Appends -H0_y, the right-hand side of K x = -E(0), to the list; base is added to its places. */
void sal_equations_add_forces(sal_derivatives *d, sal_graph *graph, sal_node H0, int base);

#endif
