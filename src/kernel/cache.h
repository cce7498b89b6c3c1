/* Compiled code on disk: $XDG_CACHE_HOME/saltus, or ~/.cache/saltus.
 *
 * An entry is a shared object with a seal behind it: its length and a checksum, so that a damaged
 * file is found before it is loaded (a truncated one would end the process). Entries appear by
 * renaming a finished file: several processes at once do not see half of one. */
#ifndef SAL_KERNEL_CACHE_H
#define SAL_KERNEL_CACHE_H

#include <stdint.h>

#include "kernel/compiler.h"

/* A 128-bit hash of what an entry depends on. */
typedef struct sal_key {
    uint64_t a, b;
} sal_key;

sal_key sal_key_of(const char *text, const char *more);
enum { SAL_KEY_TEXT = 33 };
void sal_key_text(sal_key key, char *text);

/* The folder of the cache, made if wanted. False if there is none that can be written to by us and
 * by nobody else; why says so. */
bool sal_cache_folder(char *folder, bool make, char *why, size_t size);

/* The path of an entry that is whole, and marks it as used. */
bool sal_cache_find(const char *folder, sal_key key, char *path);

/* A folder of our own to compile in: inside of the cache, or (NULL) where temporary files are. */
bool sal_cache_begin(const char *cache, char *folder, char *why, size_t size);
/* Seals folder/code.so and makes it an entry of the cache; older ones beyond SAL_CACHE_MOST are
 * removed. */
enum { SAL_CACHE_MOST = 200 };
bool sal_cache_store(const char *cache, const char *folder, sal_key key, char *path);
/* Removes the folder. */
void sal_cache_end(const char *folder);

#endif
