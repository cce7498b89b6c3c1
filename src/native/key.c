/* The key of compiled code: see key.h. */
#include "native/key.h"

#include <sha2.h>
#include <stdio.h>
#include <string.h>

/* The version of the interface between the library and compiled code, as far as the code itself
 * does not show it: how functions are called, and the names of their tables. */
static const char interface[] = "saltus code 2";

sal_key sal_key_of(const char *code, const sal_key *toolchain)
{
    SHA2_CTX hash;
    sal_key  key;
    SHA256Init(&hash);
    SHA256Update(&hash, (const uint8_t *)interface, sizeof interface);
    SHA256Update(&hash, toolchain->byte, sizeof toolchain->byte);
    SHA256Update(&hash, (const uint8_t *)code, strlen(code));
    SHA256Final(key.byte, &hash);
    return key;
}

void sal_key_text(sal_key key, char *text)
{
    for (size_t i = 0; i < sizeof key.byte; i++) snprintf(text + 2 * i, 3, "%02x", key.byte[i]);
}
