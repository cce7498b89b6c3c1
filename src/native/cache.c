/* Compiled code on disk: see cache.h. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "native/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/object.h"

/* ---- walking over a folder ------------------------------------------------------------------ */

/* Opens an iterator over the files of an open folder; NULL if that fails. */
static DIR *list_of(int folder)
{
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR      *list = again < 0 ? NULL : fdopendir(again);
    if (again >= 0 && !list) close(again);
    return list;
}

/* Removes a folder and its files. */
static void remove_folder(int parent, const char *name, int folder)
{
    DIR           *list = list_of(folder);
    struct dirent *next;
    while (list && (next = readdir(list))) unlinkat(folder, next->d_name, 0);
    if (list) closedir(list);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* ---- the folder ----------------------------------------------------------------------------- */

/* Whether a folder is ours, and only we may write to it. */
static bool is_private(int folder)
{
    struct stat about;
    return fstat(folder, &about) == 0 && about.st_uid == geteuid() &&
           (about.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           faccessat(folder, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0;
}

static bool find_path(sal_cache *cache, char *why, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool  own = base && *base == '/'; /* relative paths are ignored */
    if (!own && !(home && *home == '/')) {
        snprintf(why, size, "there is no cache: neither $XDG_CACHE_HOME nor $HOME is a folder");
        return false;
    }
    const int room = SAL_PATH - 128; /* for names inside of it */
    const int used = own ? snprintf(cache->path, (size_t)room, "%s/saltus", base)
                         : snprintf(cache->path, (size_t)room, "%s/.cache/saltus", home);
    if (used < room) return true;
    snprintf(why, size, "there is no cache: its path is longer than %d bytes", room);
    *cache->path = 0;
    return false;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700); /* fails if it exists */
        *slash = '/';
    }
    mkdir(path, 0700);
}

static const char build_prefix[] = "build-";

/* Seconds after which a build is taken to be abandoned; builds take minutes at most. */
enum { ABANDONED_AFTER = 3600 };

/* Whether no process compiles in a folder any more: it can be locked, or, on disks without locks,
 * it is old. */
static bool is_abandoned(int folder)
{
    struct stat about;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) return true;
    return fstat(folder, &about) == 0 && about.st_mtime < time(NULL) - ABANDONED_AFTER;
}

static void remove_abandoned(const sal_cache *cache)
{
    DIR           *list = list_of(cache->folder);
    struct dirent *next;
    while (list && (next = readdir(list))) {
        if (strncmp(next->d_name, build_prefix, strlen(build_prefix)) != 0) continue;
        const int folder =
            openat(cache->folder, next->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) continue;
        if (is_abandoned(folder)) remove_folder(cache->folder, next->d_name, folder);
        close(folder);
    }
    if (list) closedir(list);
}

bool sal_cache_open(sal_cache *cache, bool make, char *why, size_t size)
{
    *cache = (sal_cache){.folder = -1};
    if (!find_path(cache, why, size)) return false;
    if (make) make_folders(cache->path);
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->folder < 0) {
        snprintf(why, size, "there is no cache: '%.150s': %s", cache->path, strerror(errno));
        return false;
    }
    if (is_private(cache->folder)) {
        remove_abandoned(cache);
        return true;
    }
    snprintf(why, size, "there is no cache: others may write to '%.150s', or we may not",
             cache->path);
    sal_cache_close(cache);
    return false;
}

void sal_cache_close(sal_cache *cache)
{
    if (cache->folder >= 0) close(cache->folder);
    cache->folder = -1;
}

/* ---- compiling ------------------------------------------------------------------------------ */

/* Whether the path still leads to the open folder: another process may have removed it as abandoned
 * before it was locked. */
static bool is_named(int folder, const char *path)
{
    struct stat here, there;
    return fstat(folder, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

bool sal_build_begin(sal_build *build, const sal_cache *cache, char *why, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    if (!temporary || *temporary != '/') temporary = "/tmp";
    for (int tries = 0; tries < 10; tries++) {
        if (cache->folder >= 0)
            snprintf(build->path, SAL_PATH, "%.900s/%sXXXXXX", cache->path, build_prefix);
        else snprintf(build->path, SAL_PATH, "%.900s/saltus-XXXXXX", temporary);
        build->folder = -1;
        if (!mkdtemp(build->path)) break;
        build->folder = open(build->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (build->folder < 0) continue;
        flock(build->folder, LOCK_EX | LOCK_NB);
        if (is_private(build->folder) && is_named(build->folder, build->path)) return true;
        close(build->folder);
    }
    build->folder = -1;
    snprintf(why, size, "no folder '%.150s' to compile in: %s", build->path, strerror(errno));
    return false;
}

void sal_build_end(sal_build *build)
{
    if (build->folder < 0) return;
    remove_folder(AT_FDCWD, build->path, build->folder);
    close(build->folder);
    build->folder = -1;
}

/* ---- files ---------------------------------------------------------------------------------- */

void sal_object_name(sal_key key, char *name)
{
    sal_key_text(key, name);
    strcpy(name + SAL_KEY_TEXT - 1, ".so");
}

void sal_path_inside(int folder, const char *path, const char *name, char *inside)
{
    struct stat here, there;
    snprintf(inside, SAL_PATH, "/proc/self/fd/%d", folder);
    const bool known = fstat(folder, &here) == 0 && stat(inside, &there) == 0 &&
                       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    if (known) snprintf(inside, SAL_PATH, "/proc/self/fd/%d/%s", folder, name);
    else snprintf(inside, SAL_PATH, "%.900s/%s", path, name);
}

/* Opens a regular file, but no link to one; -1 if that fails. */
static int open_file(int folder, const char *name, int how)
{
    struct stat about;
    const int   file = openat(folder, name, how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || (fstat(file, &about) == 0 && S_ISREG(about.st_mode))) return file;
    close(file);
    return -1;
}

/* Reads a whole file into memory, which the caller frees; NULL if that fails. */
static unsigned char *read_all(int file, size_t *count)
{
    struct stat    about;
    unsigned char *bytes = fstat(file, &about) == 0 ? malloc((size_t)about.st_size + 1) : NULL;
    *count = bytes ? (size_t)about.st_size : 0;
    for (size_t done = 0; bytes && done < *count;) {
        const ssize_t more = pread(file, bytes + done, *count - done, (off_t)done);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) {
            free(bytes);
            return NULL;
        }
        done += (size_t)more;
    }
    return bytes;
}

bool sal_build_is_whole(const sal_build *build, sal_key key)
{
    char           name[SAL_OBJECT_NAME];
    size_t         count = 0;
    unsigned char *bytes = NULL;
    sal_object_name(key, name);
    const int file = open_file(build->folder, name, O_RDONLY);
    if (file >= 0) {
        bytes = read_all(file, &count);
        close(file);
    }
    const bool whole = bytes && sal_object_is_whole(bytes, count);
    free(bytes);
    return whole;
}

/* ---- seals ---------------------------------------------------------------------------------- */

/* A seal protects from damage, not from attackers: who can write to the cache can write seals. */
typedef struct seal {
    char     magic[8];
    uint64_t bytes; /* length of the object before the seal */
    char     model[SAL_MODEL_NAME];
    uint8_t  sum[SHA256_DIGEST_LENGTH]; /* SHA-256 of the object and the fields above */
} seal;

static const char magic[8] = "saltus3";

static void write_sum(const void *bytes, seal *s)
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    SHA256Update(&hash, bytes, (size_t)s->bytes);
    SHA256Update(&hash, (const uint8_t *)s, offsetof(seal, sum));
    SHA256Final(s->sum, &hash);
}

static bool is_sealed(int file)
{
    size_t         count = 0;
    unsigned char *bytes = read_all(file, &count);
    seal           s;
    bool           ok = bytes && count > sizeof s;
    if (ok) {
        memcpy(&s, bytes + count - sizeof s, sizeof s);
        ok = memcmp(s.magic, magic, sizeof magic) == 0 && s.bytes == count - sizeof s;
    }
    if (ok) {
        seal again = s;
        write_sum(bytes, &again);
        ok = memcmp(again.sum, s.sum, sizeof s.sum) == 0;
    }
    free(bytes);
    return ok;
}

static bool write_all(int file, const void *bytes, size_t count)
{
    const char *next = bytes;
    while (count > 0) {
        const ssize_t written = write(file, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        next += written;
        count -= (size_t)written;
    }
    return true;
}

/* Writes a copy of an object with a seal. It must be a copy, because the compiler's output may have
 * other links. */
static bool write_sealed(const sal_build *build, const char *object, const char *copy,
                         const char *model)
{
    size_t         count = 0;
    unsigned char *bytes = NULL;
    seal           s = {.bytes = 0};
    const int      from = open_file(build->folder, object, O_RDONLY);
    const int      to =
        openat(build->folder, copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (from >= 0) bytes = read_all(from, &count);
    if (bytes) {
        memcpy(s.magic, magic, sizeof magic);
        s.bytes = count;
        snprintf(s.model, sizeof s.model, "%s", model);
        write_sum(bytes, &s);
    }
    const bool written =
        bytes && to >= 0 && write_all(to, bytes, count) && write_all(to, &s, sizeof s);
    free(bytes);
    if (from >= 0) close(from);
    return to >= 0 && close(to) == 0 && written;
}

/* ---- entries -------------------------------------------------------------------------------- */

bool sal_cache_has(const sal_cache *cache, sal_key key)
{
    char name[SAL_OBJECT_NAME];
    sal_object_name(key, name);
    const int file = open_file(cache->folder, name, O_RDONLY);
    if (file < 0) return false;
    const bool whole = is_sealed(file);
    if (whole) futimens(file, NULL); /* the time of its last use: see prune */
    close(file);
    return whole;
}

void sal_cache_drop(const sal_cache *cache, sal_key key)
{
    char name[SAL_OBJECT_NAME];
    sal_object_name(key, name);
    unlinkat(cache->folder, name, 0);
}

/* Whether a name is that of an entry, also of earlier versions, whose keys were shorter. */
static bool is_entry(const char *name)
{
    const size_t digits = strspn(name, "0123456789abcdef");
    return digits >= 32 && digits < SAL_KEY_TEXT && strcmp(name + digits, ".so") == 0;
}

static void read_model(int folder, sal_cache_entry *entry)
{
    seal      s;
    const int file = open_file(folder, entry->name, O_RDONLY);
    if (file < 0) return;
    if (entry->bytes >= (long long)sizeof s &&
        pread(file, &s, sizeof s, (off_t)(entry->bytes - (long long)sizeof s)) ==
            (ssize_t)sizeof s &&
        memcmp(s.magic, magic, sizeof magic) == 0)
        snprintf(entry->model, sizeof entry->model, "%.*s", SAL_MODEL_NAME - 1, s.model);
    close(file);
}

static int compare_entries(const void *a, const void *b)
{
    const sal_cache_entry *x = a, *y = b;
    return (x->used < y->used) - (x->used > y->used);
}

static bool push(sal_cache_entry **list, int *count, int *capacity, const sal_cache_entry *entry)
{
    if (*count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        sal_cache_entry *more = realloc(*list, (size_t)*capacity * sizeof *more);
        if (!more) return false;
        *list = more;
    }
    (*list)[(*count)++] = *entry;
    return true;
}

/* Lists all entries without the names of their models; returns their number, or -1. */
static int list_entries(const sal_cache *cache, sal_cache_entry **all)
{
    DIR           *list = list_of(cache->folder);
    struct dirent *next;
    int            count = 0, capacity = 0;
    bool           ok = true;
    *all = NULL;
    while (ok && list && (next = readdir(list))) {
        sal_cache_entry entry = {.bytes = 0};
        struct stat     about;
        if (!is_entry(next->d_name)) continue;
        if (fstatat(cache->folder, next->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
        memcpy(entry.name, next->d_name, strlen(next->d_name) + 1); /* is_entry bounds it */
        entry.bytes = (long long)about.st_size;
        entry.used = about.st_mtime;
        ok = push(all, &count, &capacity, &entry);
    }
    if (list) closedir(list);
    if (count > 0) qsort(*all, (size_t)count, sizeof **all, compare_entries);
    return ok ? count : -1;
}

int sal_cache_list(const sal_cache *cache, sal_cache_entry **list)
{
    const int count = list_entries(cache, list);
    for (int i = 0; i < count; i++) read_model(cache->folder, &(*list)[i]);
    return count;
}

static void prune(const sal_cache *cache)
{
    sal_cache_entry *list;
    const int        count = list_entries(cache, &list);
    long long        bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += list[i].bytes;
        if (bytes > SAL_CACHE_BYTES || i >= SAL_CACHE_FILES)
            unlinkat(cache->folder, list[i].name, 0);
    }
    free(list);
}

int sal_cache_clear(const sal_cache *cache)
{
    sal_cache_entry *list;
    const int        count = list_entries(cache, &list);
    int              left = 0;
    for (int i = 0; i < count; i++)
        left += unlinkat(cache->folder, list[i].name, 0) != 0 && errno != ENOENT;
    free(list);
    return left;
}

bool sal_cache_store(const sal_cache *cache, const sal_build *build, sal_key key, const char *model)
{
    static const char copy[] = "sealed";
    char              name[SAL_OBJECT_NAME];
    sal_object_name(key, name);
    if (!write_sealed(build, name, copy, model)) return false;
    if (renameat(build->folder, copy, cache->folder, name) != 0) return false;
    prune(cache);
    return true;
}
