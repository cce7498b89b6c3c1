/* A text that grows, for generated C. */
#ifndef SAL_NATIVE_TEXT_H
#define SAL_NATIVE_TEXT_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

typedef struct sal_text {
    const saltus_allocator *allocator;
    SAL_ARRAY(char) chars; /* the text, including its terminating null character */
    bool failed;           /* out of memory */
} sal_text;

void        sal_text_put(sal_text *text, const char *format, ...) SAL_PRINTF(2, 3);
const char *sal_text_get(const sal_text *text); /* never NULL */
void        sal_text_release(sal_text *text);

/* Appends a number as C, exact and independent of the locale: 0x1.8000000000000p+1. */
void sal_text_number(sal_text *text, double value);

#endif
