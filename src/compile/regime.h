/* Compiles regimes: the kernels of one smooth system. */
#ifndef SAL_COMPILE_REGIME_H
#define SAL_COMPILE_REGIME_H

#include "compile/system.h"

/* Chooses the form of the matrix for all regimes, and finds whether it is constant during a run.
 * False when out of memory, or if the matrix has too many entries. */
bool sal_regime_find_form(saltus_system *system, int sparse_from);

/* Compiles the regime with these active modes; NULL when out of memory. graph: the graph of the
 * cache, to which flat systems add derived nodes. The caller holds the lock of the cache. */
sal_regime *sal_regime_new(const saltus_system *system, sal_graph *graph, const int *active);
void        sal_regime_free(const saltus_system *system, sal_regime *regime);

#endif
