/* Regimes: the kernels of one smooth system. */
#ifndef SAL_COMPILE_REGIME_H
#define SAL_COMPILE_REGIME_H

#include "compile/system.h"

/* The form of the matrix that suits the terms, in all modes, and whether it is steady. False when
 * out of memory. */
bool sal_regime_find_form(saltus_system *system, int sparse_from);

/* Compiles the regime with these active modes; NULL when out of memory. The caller holds the
 * system's lock. */
sal_regime *sal_regime_new(saltus_system *system, const int *active);
void        sal_regime_free(saltus_system *system, sal_regime *regime);

#endif
