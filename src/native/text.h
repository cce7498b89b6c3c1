/* A text that grows, for generated C. */
#ifndef SAL_NATIVE_TEXT_H
#define SAL_NATIVE_TEXT_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

/* Running out of memory is sticky. */
typedef struct sal_text {
    const saltus_allocator *allocator;
    SAL_ARRAY(char) chars; /* ends with a null character, which counts */
    bool failed;
} sal_text;

void        sal_text_put(sal_text *text, const char *format, ...) SAL_PRINTF(2, 3);
const char *sal_text_get(const sal_text *text); /* never NULL */
void        sal_text_release(sal_text *text);

/* A number as C, exact and in every locale: 0x1.8000000000000p+1. */
void sal_text_number(sal_text *text, double value);

#endif
