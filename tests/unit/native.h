/* What the tests of compiled code share: a cache of their own, and twins of a system. */
#ifndef TEST_NATIVE_H
#define TEST_NATIVE_H

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "system/compile.h"
#include "system/native.h"
#include "system/whole.h"
#include "theory/scripted.h"

/* ---- the cache ------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A new, empty cache; returns its folder, which is a static text. */
static inline const char *new_cache(void)
{
    static char home[64], folder[80];
    if (*home) remove_tree(home);
    snprintf(home, sizeof home, "/tmp/saltus-test-XXXXXX");
    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/saltus", home);
    setenv("XDG_CACHE_HOME", home, 1);
    unsetenv("CC");
    return folder;
}

static inline void remove_cache(void)
{
    const char *home = getenv("XDG_CACHE_HOME");
    if (home && strncmp(home, "/tmp/saltus-test-", 17) == 0) remove_tree(home);
}

/* Files in a folder; with a name that ends so, if an ending is given; the last one's path. */
static inline int count_files(const char *folder, const char *ending, char *path)
{
    DIR           *list = opendir(folder);
    struct dirent *next;
    int            count = 0;
    while (list && (next = readdir(list))) {
        const size_t length = strlen(next->d_name), tail = ending ? strlen(ending) : 0;
        if (next->d_name[0] == '.' || length < tail) continue;
        if (ending && strcmp(next->d_name + length - tail, ending) != 0) continue;
        if (path) snprintf(path, 512, "%s/%s", folder, next->d_name);
        count++;
    }
    if (list) closedir(list);
    return count;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static inline int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static inline void expect_same_numbers(const double *a, const double *b, size_t count,
                                       const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!same_bits(a[i], b[i]))
            fail_msg("%s: number %zu is %.17g interpreted, %.17g compiled", what, i, a[i], b[i]);
}

#endif
