/* The key of compiled code: the SHA-256 hash of everything that it depends on. */
#ifndef SAL_NATIVE_KEY_H
#define SAL_NATIVE_KEY_H

#include <stddef.h>

typedef struct sal_key {
    unsigned char byte[32];
} sal_key;

/* Returns the key of code that is compiled by `toolchain`, the identity of a compiler. */
sal_key sal_key_of(const char *code, const sal_key *toolchain);

enum { SAL_KEY_TEXT = 2 * sizeof(sal_key) + 1 };
void sal_key_text(sal_key key, char *text);

#endif
