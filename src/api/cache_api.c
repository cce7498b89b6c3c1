/* The cache of compiled code on disk: listing and removing its entries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "native/cache.h"
#include "saltus/sim.h"

/* Opens the cache. If it does not exist yet, it is empty, and its folder is -1. */
static saltus_status open_cache(sal_cache *cache, saltus_error *err)
{
    char        why[SAL_WHY];
    struct stat about;
    if (sal_cache_open(cache, false, why, sizeof why)) return SALTUS_OK;
    if (*cache->path && stat(cache->path, &about) != 0) return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_FILE, "%s", why);
}

saltus_status saltus_cache_folder(char *path, size_t size, saltus_error *err)
{
    sal_cache cache;
    if (err && err->status) return err->status;
    const saltus_status status = open_cache(&cache, err);
    sal_cache_close(&cache);
    if (status != SALTUS_OK) return status;
    if (!path || strlen(cache.path) >= size)
        return sal_fail(
            err, SALTUS_ERR_ARGUMENT,
            "the path of the cache, '%.800s', needs %zu bytes, and there is room for %zu",
            cache.path, strlen(cache.path) + 1, path ? size : 0);
    memcpy(path, cache.path, strlen(cache.path) + 1);
    return SALTUS_OK;
}

static void show(const sal_cache_entry *entry,
                 void (*visit)(void *context, const saltus_cache_entry *entry), void *context)
{
    const double             age = difftime(time(NULL), entry->used);
    const saltus_cache_entry shown = {.name = entry->name,
                                      .model = entry->model,
                                      .bytes = entry->bytes,
                                      .age = age > 0.0 ? age : 0.0};
    visit(context, &shown);
}

saltus_status saltus_cache_list(void (*visit)(void *context, const saltus_cache_entry *entry),
                                void *context, saltus_error *err)
{
    sal_cache        cache;
    sal_cache_entry *list = NULL;
    if (err && err->status) return err->status;
    if (!visit)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "the function to call for each entry is NULL");
    const saltus_status status = open_cache(&cache, err);
    if (status != SALTUS_OK || cache.folder < 0) return status;
    const int count = sal_cache_list(&cache, &list);
    sal_cache_close(&cache);
    for (int i = 0; i < count; i++) show(&list[i], visit, context);
    free(list);
    return count < 0 ? sal_fail_memory(err) : SALTUS_OK;
}

saltus_status saltus_cache_clear(saltus_error *err)
{
    sal_cache cache;
    if (err && err->status) return err->status;
    const saltus_status status = open_cache(&cache, err);
    if (status != SALTUS_OK || cache.folder < 0) return status;
    const int left = sal_cache_clear(&cache);
    sal_cache_close(&cache);
    if (left == 0) return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_FILE, "%d files in '%.900s' cannot be removed", left,
                    cache.path);
}
