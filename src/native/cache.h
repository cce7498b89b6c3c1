/* Compiled code on disk: $XDG_CACHE_HOME/saltus, or ~/.cache/saltus.
 *
 * An entry is a shared object followed by a seal: its length, the name of the model it was made for
 * and a checksum, so that a damaged file is detected before it is loaded. An object is sealed only
 * after it was loaded successfully. Entries appear by renaming a finished file, so that no process
 * sees an incomplete one. The folder is opened once, and owner and permissions of the open folder
 * are checked. Files are opened relative to it, without following links, so that neither the folder
 * nor a file can be exchanged after the check. */
#ifndef SAL_NATIVE_CACHE_H
#define SAL_NATIVE_CACHE_H

#include <stdbool.h>
#include <time.h>

#include "native/key.h"

/* Sizes of buffers for a path and for a message. */
enum { SAL_PATH = 1024, SAL_WHY = 256 };

/* ---- the folder ----------------------------------------------------------------------------- */

typedef struct sal_cache {
    int  folder; /* its descriptor; -1: there is no cache */
    char path[SAL_PATH];
} sal_cache;

/* Opens the folder (make: creates it if it is missing), and removes what processes that died have
 * left in it. False, and why has a message, if there is none, or if it is not ours or others can
 * write to it. */
bool sal_cache_open(sal_cache *cache, bool make, char *why, size_t size);
void sal_cache_close(sal_cache *cache);

/* ---- compiling ------------------------------------------------------------------------------ */

/* A folder to compile in. Its lock ends with the process, however that ends. */
typedef struct sal_build {
    int  folder; /* -1: none */
    char path[SAL_PATH];
} sal_build;

/* Creates a folder in the cache, or among the temporary files if there is no cache. False, and why
 * has a message, if that fails. */
bool sal_build_begin(sal_build *build, const sal_cache *cache, char *why, size_t size);
/* Whether the compiler has written an object that may be loaded. */
bool sal_build_is_whole(const sal_build *build, sal_key key);
/* Removes the folder and its files. */
void sal_build_end(sal_build *build);

/* ---- entries -------------------------------------------------------------------------------- */

/* Writes the name of an object's file, which is the same in the cache and in a build folder. */
enum { SAL_OBJECT_NAME = SAL_KEY_TEXT + 3 };
void sal_object_name(sal_key key, char *name);
/* Writes a path to a file in an open folder. Where there is /proc, it leads to the open folder even
 * if the folder's own path leads elsewhere by now. */
void sal_path_inside(int folder, const char *path, const char *name, char *inside);

/* Whether there is a complete entry, which is then marked as just used. */
bool sal_cache_has(const sal_cache *cache, sal_key key);
void sal_cache_drop(const sal_cache *cache, sal_key key);
/* Seals an object that was loaded and makes it an entry. Then removes the least recently used
 * entries until the cache is within its limits. False if that fails. */
enum { SAL_CACHE_BYTES = 256 << 20, SAL_CACHE_FILES = 1000 };
bool sal_cache_store(const sal_cache *cache, const sal_build *build, sal_key key,
                     const char *model);

enum { SAL_MODEL_NAME = 64 };
typedef struct sal_cache_entry {
    char      name[SAL_OBJECT_NAME];
    char      model[SAL_MODEL_NAME]; /* "": not known */
    long long bytes;
    time_t    used;
} sal_cache_entry;

/* Lists all entries, most recently used first, and returns their number; -1 when out of memory. The
 * caller frees the list. */
int sal_cache_list(const sal_cache *cache, sal_cache_entry **list);
/* Removes all entries; returns how many could not be removed. */
int sal_cache_clear(const sal_cache *cache);

#endif
