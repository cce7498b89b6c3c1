/* Regimes: the kernels of one smooth system. */
#ifndef SAL_COMPILE_REGIME_H
#define SAL_COMPILE_REGIME_H

#include "compile/system.h"

/* The form of the matrix that suits the terms, in all modes, and whether it is steady. False when
 * out of memory. */
bool sal_regime_find_form(saltus_system *system, int sparse_from);

/* Compiles the regime with these active modes; NULL when out of memory. graph: that of the cache,
 * to which flat systems add what they derive. The caller holds the lock of the cache. */
sal_regime *sal_regime_new(const saltus_system *system, sal_graph *graph, const int *active);
void        sal_regime_free(const saltus_system *system, sal_regime *regime);

#endif
