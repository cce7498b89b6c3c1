/* From model to system. */
#ifndef SAL_SYSTEM_COMPILE_H
#define SAL_SYSTEM_COMPILE_H

#include "system/system.h"

/* Models up to this many terms and nodes become one straight-line program per kernel. */
enum { SAL_FLAT_TERMS = 300, SAL_FLAT_NODES = 6000 };

/* Compiles the model; flat_terms is SAL_FLAT_TERMS but for tests. NULL on failure. */
saltus_system *sal_system_new(const saltus_model *model, int flat_terms, saltus_error *err);
void           sal_system_free(saltus_system *system);

#endif
