/* Libraries that are loaded when they are needed. */
#ifndef SAL_ANSWER_LIBRARY_H
#define SAL_ANSWER_LIBRARY_H

#include "saltus/status.h"

/* One function of a library: its name, and where its address goes. */
typedef struct sal_library_call {
    const char *name;
    void       *address; /* of a pointer to a function */
} sal_library_call;

/* Loads a library, once, and finds its functions. Fails with SALTUS_ERR_ARGUMENT if it is not
 * there; `package` is what to install. */
saltus_status sal_library_load(const char *engine, const char *file, const char *package,
                               const sal_library_call *calls, int count, saltus_error *err);

#endif
