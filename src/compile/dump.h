/* What the compiler sees, as text. */
#ifndef SAL_COMPILE_DUMP_H
#define SAL_COMPILE_DUMP_H

#include "compile/system.h"

/* pass: "model", "kinks", "terms", "derive", "program", or NULL for all of them. */
saltus_status sal_system_dump(const saltus_system *system, const char              *pass,
                              void (*write)(void *context, const char *text), void *context,
                              saltus_error *err);

#endif
