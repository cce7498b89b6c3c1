/* Guards of kinks that are nested in each other: abs(abs(abs(x) - 1) - 1), the least of many
 * distances. The n-th one contains all before it, so programs of their own would be n^2 / 2 long
 * together. They share one of each kind instead, of which every guard has its own outputs. */
#ifndef SAL_COMPILE_GUARDS_H
#define SAL_COMPILE_GUARDS_H

#include "compile/system.h"

/* Whether the guards of kinks are to share programs. False also when out of memory. */
bool sal_guards_are_nested(saltus_system *system);
/* Compiles these guards into shared programs. False when out of memory. */
bool sal_guards_share(saltus_system *system);

#endif
