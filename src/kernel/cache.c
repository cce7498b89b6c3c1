/* Compiled code on disk: see cache.h. */
#define _XOPEN_SOURCE 700
#include "kernel/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- keys ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Two sums that differ in their multiplier, eight bytes at a time. */
static void add_bytes(sal_key *key, const void *bytes, size_t count)
{
    const unsigned char *next = bytes;
    for (; count > 0; count -= count < 8 ? count : 8, next += 8) {
        uint64_t word = 0;
        memcpy(&word, next, count < 8 ? count : 8);
        key->a = mix(key->a ^ word) + 0x9e3779b97f4a7c15u;
        key->b = (key->b ^ mix(word + 0x2545f4914f6cdd1du)) * 0xd1342543de82ef95u + (key->a >> 7);
    }
}

static sal_key hash(const void *bytes, size_t count)
{
    sal_key key = {count, ~(uint64_t)count};
    add_bytes(&key, bytes, count);
    return (sal_key){mix(key.a), mix(key.b)};
}

sal_key sal_key_of(const char *text, const char *more)
{
    const size_t length = strlen(text), rest = strlen(more);
    sal_key      key = {length, rest};
    add_bytes(&key, text, length);
    add_bytes(&key, more, rest);
    return (sal_key){mix(key.a), mix(key.b)};
}

void sal_key_text(sal_key key, char *text)
{
    snprintf(text, SAL_KEY_TEXT, "%016llx%016llx", (unsigned long long)key.a,
             (unsigned long long)key.b);
}

/* ---- folders -------------------------------------------------------------------------------- */

/* Ours, and nobody else may put code into it. */
static bool is_private(const char *folder)
{
    struct stat about;
    return stat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(folder, R_OK | W_OK | X_OK) == 0;
}

bool sal_cache_folder(char *folder, bool make, char *why, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool  own = base && *base == '/'; /* relative ones are to be ignored */
    if (!own && !(home && *home == '/')) {
        snprintf(why, size, "there is no cache: neither $XDG_CACHE_HOME nor $HOME is a folder");
        return false;
    }
    const int used = own ? snprintf(folder, SAL_PATH - 64, "%s/saltus", base)
                         : snprintf(folder, SAL_PATH - 64, "%s/.cache/saltus", home);
    if (used >= SAL_PATH - 64) {
        snprintf(why, size, "there is no cache: its path is too long");
        return false;
    }
    if (make) {
        char *slash = strrchr(folder, '/');
        *slash = 0;
        mkdir(folder, 0700); /* ~/.cache; fails if it is there */
        *slash = '/';
        mkdir(folder, 0700);
    }
    if (is_private(folder)) return true;
    snprintf(why, size, "there is no cache: '%.150s' cannot be written to by us alone", folder);
    return false;
}

bool sal_cache_begin(const char *cache, char *folder, char *why, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    if (cache) snprintf(folder, SAL_PATH, "%.900s/build-XXXXXX", cache);
    else
        snprintf(folder, SAL_PATH, "%.900s/saltus-XXXXXX",
                 temporary && *temporary == '/' ? temporary : "/tmp");
    if (mkdtemp(folder)) return true;
    snprintf(why, size, "no folder '%.150s' to compile in: %s", folder, strerror(errno));
    return false;
}

static void remove_in(const char *folder, const char *name)
{
    char path[2 * SAL_PATH];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) unlink(path);
}

void sal_cache_end(const char *folder)
{
    remove_in(folder, "code.c");
    remove_in(folder, "code.so");
    remove_in(folder, "said");
    rmdir(folder);
}

/* ---- entries -------------------------------------------------------------------------------- */

typedef struct seal {
    char     magic[8];
    uint64_t bytes; /* before the seal */
    sal_key  sum;
} seal;

static const char magic[8] = "saltus1";

/* The contents of a file, to be freed; NULL if it cannot be read. */
static unsigned char *read_file(const char *path, size_t *count)
{
    FILE          *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    struct stat    about;
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)) {
        *count = (size_t)about.st_size;
        bytes = malloc(*count + 1);
        if (bytes && fread(bytes, 1, *count, file) != *count) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file) fclose(file);
    return bytes;
}

static bool is_whole(const char *path)
{
    size_t         count = 0;
    unsigned char *bytes = read_file(path, &count);
    seal           s;
    bool           ok = bytes && count > sizeof s;
    if (ok) {
        memcpy(&s, bytes + count - sizeof s, sizeof s);
        const sal_key sum = hash(bytes, count - sizeof s);
        ok = memcmp(s.magic, magic, sizeof magic) == 0 && s.bytes == count - sizeof s &&
             s.sum.a == sum.a && s.sum.b == sum.b;
    }
    free(bytes);
    return ok;
}

static void path_of(const char *folder, sal_key key, char *path)
{
    char text[SAL_KEY_TEXT];
    sal_key_text(key, text);
    snprintf(path, SAL_PATH, "%.900s/%s.so", folder, text);
}

bool sal_cache_find(const char *folder, sal_key key, char *path)
{
    path_of(folder, key, path);
    if (!is_whole(path)) return false;
    utimensat(AT_FDCWD, path, NULL, 0); /* the oldest ones are removed first */
    return true;
}

/* ---- pruning -------------------------------------------------------------------------------- */

typedef struct entry {
    char   name[SAL_KEY_TEXT + 8];
    time_t used;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static bool is_entry(const char *name)
{
    return strlen(name) == SAL_KEY_TEXT - 1 + 3 && strcmp(name + SAL_KEY_TEXT - 1, ".so") == 0 &&
           strspn(name, "0123456789abcdef") == SAL_KEY_TEXT - 1;
}

/* What an interrupted process left behind. */
static bool is_abandoned(const char *name, const struct stat *about)
{
    return strncmp(name, "build-", 6) == 0 && about->st_mtime < time(NULL) - 3600;
}

static void prune(const char *folder)
{
    DIR           *list = opendir(folder);
    entry         *all = NULL;
    int            count = 0, capacity = 0;
    struct dirent *next;
    while (list && (next = readdir(list))) {
        char        path[SAL_PATH + sizeof next->d_name];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, next->d_name);
        if (stat(path, &about) != 0) continue;
        if (is_abandoned(next->d_name, &about)) sal_cache_end(path);
        if (!is_entry(next->d_name)) continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            entry *more = realloc(all, (size_t)capacity * sizeof *all);
            if (!more) break;
            all = more;
        }
        memcpy(all[count].name, next->d_name, SAL_KEY_TEXT + 3);
        all[count++].used = about.st_mtime;
    }
    if (count > SAL_CACHE_MOST) qsort(all, (size_t)count, sizeof *all, compare_entries);
    for (int i = 0; i < count - SAL_CACHE_MOST; i++) remove_in(folder, all[i].name);
    free(all);
    if (list) closedir(list);
}

/* Appends the seal. */
static bool close_entry(const char *path)
{
    size_t         count = 0;
    unsigned char *bytes = read_file(path, &count);
    seal           s = {.bytes = count};
    if (!bytes) return false;
    memcpy(s.magic, magic, sizeof magic);
    s.sum = hash(bytes, count);
    free(bytes);
    FILE      *file = fopen(path, "ab");
    const bool written = file && fwrite(&s, sizeof s, 1, file) == 1;
    return file && fclose(file) == 0 && written;
}

bool sal_cache_store(const char *cache, const char *folder, sal_key key, char *path)
{
    char object[SAL_PATH + 16];
    snprintf(object, sizeof object, "%s/code.so", folder);
    path_of(cache, key, path);
    if (!close_entry(object) || rename(object, path) != 0) return false;
    prune(cache);
    return true;
}
