/* Compiled code on disk: $XDG_CACHE_HOME/saltus, or ~/.cache/saltus.
 *
 * An entry is a shared object followed by a seal: its length, the name of the model it was made for
 * and a checksum, so that a damaged file is found before it is loaded. It is sealed after it was
 * loaded, and appears by renaming a finished file, so that no process sees half of one. The folder
 * is opened once, and its owner and permissions are those of the open folder; files are opened
 * relative to it, and links are not followed: the folder or a file cannot be exchanged in between.
 */
#ifndef SAL_NATIVE_CACHE_H
#define SAL_NATIVE_CACHE_H

#include <stdbool.h>
#include <time.h>

#include "native/key.h"

/* Bytes of a path, and of a message. */
enum { SAL_PATH = 1024, SAL_WHY = 256 };

/* ---- the folder ----------------------------------------------------------------------------- */

typedef struct sal_cache {
    int  folder; /* its descriptor; -1: there is no cache */
    char path[SAL_PATH];
} sal_cache;

/* Opens the folder, which is created if make is set, and removes the remains of processes that have
 * ended. False if there is none, or if it is not ours or others can write to it; why says so. */
bool sal_cache_open(sal_cache *cache, bool make, char *why, size_t size);
void sal_cache_close(sal_cache *cache);

/* ---- compiling ------------------------------------------------------------------------------ */

/* A folder to compile in. It is locked as long as the process lives, whatever ends the process. */
typedef struct sal_build {
    int  folder; /* -1: none */
    char path[SAL_PATH];
} sal_build;

/* Inside of the cache, or where temporary files are if there is none. */
bool sal_build_begin(sal_build *build, const sal_cache *cache, char *why, size_t size);
/* Whether the compiler wrote an object that may be loaded. */
bool sal_build_is_whole(const sal_build *build, sal_key key);
/* Removes the folder and all that is in it. */
void sal_build_end(sal_build *build);

/* ---- entries -------------------------------------------------------------------------------- */

/* The file's name in either folder. */
enum { SAL_OBJECT_NAME = SAL_KEY_TEXT + 3 };
void sal_object_name(sal_key key, char *name);
/* A path that leads to a file of an open folder, even if the folder's own path leads elsewhere by
 * now. */
void sal_path_inside(int folder, const char *path, const char *name, char *inside);

/* Whether there is a complete entry; it then counts as just used. */
bool sal_cache_has(const sal_cache *cache, sal_key key);
void sal_cache_drop(const sal_cache *cache, sal_key key);
/* Seals an object that was loaded and makes it an entry. The least recently used entries are
 * removed until the cache is within these limits. */
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

/* The number of entries, and a list of them, most recently used first, to be freed; -1: out of
 * memory. */
int sal_cache_list(const sal_cache *cache, sal_cache_entry **list);
/* Removes all entries; returns how many could not be removed. */
int sal_cache_clear(const sal_cache *cache);

#endif
