/* Kernels as compiled code: see native.h. */
#define _POSIX_C_SOURCE 200809L
#include "kernel/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/cache.h"

/* ---- lists ---------------------------------------------------------------------------------- */

void sal_kernel_list_add(sal_kernel_list *list, sal_kernel *kernel, bool wide)
{
    const sal_listed_kernel listed = {kernel, wide};
    if (kernel->parts > 0 && !ARRAY_PUSH(list->allocator, &list->kernels, listed))
        list->failed = true;
}

void sal_kernel_list_add_map(sal_kernel_list *list, sal_map *map, bool wide)
{
    sal_kernel_list_add(list, &map->value, false);
    sal_kernel_list_add(list, &map->tangent, wide);
    sal_kernel_list_add(list, &map->adjoint, wide);
}

void sal_kernel_list_release(sal_kernel_list *list)
{
    ARRAY_RELEASE(list->allocator, &list->kernels);
}

/* Walks over the parts that are worth compiling. */
typedef struct walk {
    const sal_kernel_list *list;
    int                    kernel, number;
    sal_part              *part;  /* the present one, */
    bool                   wide;  /* whose code is for several lanes */
    long long              lines; /* of those seen */
} walk;

static bool next_part(walk *w)
{
    for (; w->kernel < w->list->kernels.count; w->kernel++, w->number = 0) {
        const sal_listed_kernel *listed = &w->list->kernels.data[w->kernel];
        while (w->number < listed->kernel->parts) {
            w->part = &listed->kernel->part[w->number++];
            w->wide = sal_emit_is_wide(w->part, listed->wide);
            const long long lines = sal_emit_size(w->part, w->wide);
            if (lines > SAL_NATIVE_PART || w->lines + lines > SAL_NATIVE_LIST) continue;
            w->lines += lines;
            return true;
        }
    }
    return false;
}

double sal_native_estimate(const sal_kernel_list *list)
{
    walk w = {.list = list};
    while (next_part(&w)) continue;
    return 0.05 + 1.6e-4 * (double)w.lines;
}

/* ---- code ----------------------------------------------------------------------------------- */

/* All functions, and a table of them; returns how many there are. */
static int emit(sal_text *text, const sal_kernel_list *list)
{
    int  count = 0;
    char name[24];
    walk w = {.list = list};
    sal_emit_head(text);
    for (; next_part(&w); count++) {
        snprintf(name, sizeof name, "part%d", count);
        sal_emit_part(text, w.part, w.wide, name);
    }
    sal_text_put(text,
                 "\ntypedef void (*code)(const double *, const double *, int, double *,\n"
                 "    const struct places *);\n"
                 "const int  saltus_count = %d;\n"
                 "const code saltus_code[] = {\n",
                 count);
    for (int i = 0; i < count; i++) sal_text_put(text, "    part%d,\n", i);
    sal_text_put(text, "};\n");
    return count;
}

static bool write_code(const char *folder, const sal_text *text, const char *key, char *why)
{
    char path[SAL_PATH + 16];
    snprintf(path, sizeof path, "%s/code.c", folder);
    FILE *file = fopen(path, "w");
    bool  ok = file && fputs(sal_text_get(text), file) >= 0 &&
              fprintf(file, "const char saltus_key[] = \"%s\";\n", key) > 0;
    if (file && fclose(file) != 0) ok = false;
    if (!ok) snprintf(why, SAL_WHY, "cannot write '%.150s': %s", path, strerror(errno));
    return ok;
}

/* ---- loading -------------------------------------------------------------------------------- */

typedef struct object {
    sal_key key;
    char    text[SAL_KEY_TEXT];
    int     count; /* functions */
} object;

/* The table of functions if the object is the one we want; else it is closed. */
static const sal_code *open_object(sal_native *native, const char *path, const object *wanted)
{
    native->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!native->handle) {
        snprintf(native->why, sizeof native->why, "compiled code cannot be loaded: %.200s",
                 dlerror());
        return NULL;
    }
    const char     *key = dlsym(native->handle, "saltus_key");
    const int      *count = dlsym(native->handle, "saltus_count");
    const sal_code *code = dlsym(native->handle, "saltus_code");
    if (key && count && code && strcmp(key, wanted->text) == 0 && *count == wanted->count)
        return code;
    snprintf(native->why, sizeof native->why, "'%.200s' is not what it should be", path);
    sal_native_unload(native);
    return NULL;
}

static void install(const sal_kernel_list *list, const sal_code *code)
{
    walk w = {.list = list};
    for (; next_part(&w); code++) {
        w.part->wide = w.wide;
        atomic_store_explicit(&w.part->code, *code, memory_order_release);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Compiles in a folder of the cache, or (NULL) in a temporary one. A compiler that refused the code
 * need not be asked again. */
static const sal_code *build(sal_native *native, const sal_compiler *compiler, const char *cache,
                             const sal_text *text, const object *wanted, bool *refused)
{
    const sal_code *code = NULL;
    const double    start = now();
    char            folder[SAL_PATH], path[SAL_PATH + 16];
    if (!sal_cache_begin(cache, folder, native->why, sizeof native->why)) return NULL;
    if (write_code(folder, text, wanted->text, native->why)) {
        *refused = !sal_compiler_run(compiler, folder, native->why, sizeof native->why);
        native->seconds = now() - start;
    }
    if (native->seconds > 0.0 && !*refused) {
        if (!cache || !sal_cache_store(cache, folder, wanted->key, path))
            snprintf(path, sizeof path, "%s/code.so", folder);
        code = open_object(native, path, wanted);
    }
    sal_cache_end(folder); /* what is loaded stays so */
    return code;
}

static const sal_code *find_or_build(sal_native *native, const sal_text *text, object *wanted,
                                     bool compile)
{
    sal_compiler    compiler;
    const sal_code *code;
    char            cache[SAL_PATH], path[SAL_PATH], why[SAL_WHY];
    if (!sal_compiler_find(&compiler, native->why, sizeof native->why)) return NULL;
    wanted->key = sal_key_of(sal_text_get(text), compiler.identity);
    sal_key_text(wanted->key, wanted->text);
    const bool cached = sal_cache_folder(cache, compile, why, sizeof why);
    if (cached && sal_cache_find(cache, wanted->key, path)) {
        code = open_object(native, path, wanted);
        native->found = code != NULL;
        if (code) return code;
        unlink(path);
    }
    if (!compile) return NULL;
    bool refused = false;
    code = build(native, &compiler, cached ? cache : NULL, text, wanted, &refused);
    if (!code && cached && !refused) /* a full disk, a disk from which nothing may be executed */
        code = build(native, &compiler, NULL, text, wanted, &refused);
    return code;
}

sal_native_result sal_native_load(sal_native *native, const sal_kernel_list *list, bool compile)
{
    sal_text          text = {.allocator = list->allocator};
    object            wanted = {.count = 0};
    sal_native_result result = SAL_NATIVE_NOTHING;
    memset(native, 0, sizeof *native);
    if (list->failed) return SAL_NATIVE_MEMORY;
    wanted.count = emit(&text, list);
    if (text.failed) result = SAL_NATIVE_MEMORY;
    else if (wanted.count > 0) {
        const sal_code *code = find_or_build(native, &text, &wanted, compile);
        if (code) install(list, code);
        result = code ? SAL_NATIVE_LOADED : compile ? SAL_NATIVE_FAILED : SAL_NATIVE_MISSING;
    }
    sal_text_release(&text);
    return result;
}

void sal_native_unload(sal_native *native)
{
    if (native->handle) dlclose(native->handle);
    native->handle = NULL;
}
