/* Filling in and passing up errors. */
#ifndef SAL_BASE_STATUS_H
#define SAL_BASE_STATUS_H

#include <stdarg.h>

#include "saltus/status.h"

#if defined(__GNUC__)
#define SAL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SAL_PRINTF(text, first)
#endif

/* Fills in the error, unless it holds a failure already, and returns the status. err may be NULL.
 */
saltus_status sal_fail(saltus_error *err, saltus_status status, const char *format, ...)
    SAL_PRINTF(3, 4);
saltus_status sal_fail_at(saltus_error *err, saltus_status status, const char *file, int line,
                          const char *format, ...) SAL_PRINTF(5, 6);
saltus_status sal_fail_list(saltus_error *err, saltus_status status, const char *file, int line,
                            const char *format, va_list arguments);
saltus_status sal_fail_memory(saltus_error *err);

/* Returns from the function with the status of the call, unless it is SALTUS_OK. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const saltus_status try_status_ = (call);                                                  \
        if (try_status_ != SALTUS_OK) return try_status_;                                          \
    } while (0)

#endif
