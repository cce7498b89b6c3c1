/* The cache of a system: regimes, solved kernels and native code, which are made when they are
 * first needed. A system that is shared between threads changes nowhere else. */
#ifndef SAL_COMPILE_SYSTEM_CACHE_H
#define SAL_COMPILE_SYSTEM_CACHE_H

#include "compile/system.h"

/* An empty cache; NULL when out of memory. */
sal_system_cache *sal_system_cache_new(const saltus_allocator *allocator);
/* Takes what regimes are derived from, once the plan is complete. False when out of memory. */
bool sal_system_cache_fill(const saltus_system *system);
/* Releases what is in the cache. */
void sal_system_cache_clear(const saltus_system *system);
void sal_system_cache_free(sal_system_cache *cache, const saltus_allocator *allocator);

#endif
