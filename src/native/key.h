/* The name of compiled code: SHA-256 of everything it depends on. */
#ifndef SAL_NATIVE_KEY_H
#define SAL_NATIVE_KEY_H

#include <stddef.h>

typedef struct sal_key {
    unsigned char byte[32];
} sal_key;

/* Of the code and of what makes an object of it. */
sal_key sal_key_of(const char *code, const sal_key *maker);

enum { SAL_KEY_TEXT = 2 * sizeof(sal_key) + 1 };
void sal_key_text(sal_key key, char *text);

#endif
