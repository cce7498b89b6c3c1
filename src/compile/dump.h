/* Writes the results of compiler passes as text. */
#ifndef SAL_COMPILE_DUMP_H
#define SAL_COMPILE_DUMP_H

#include "compile/system.h"

/* Writes the result of a pass: "model", "kinks", "terms", "derive", "program", or NULL for all of
 * them. Fails if there is no such pass, or when out of memory. */
saltus_status sal_system_dump(const saltus_system *system, const char              *pass,
                              void (*write)(void *context, const char *text), void *context,
                              saltus_error *err);

#endif
