/* Kernels as compiled code: see load.h. */
#define _POSIX_C_SOURCE 200809L
#include "native/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lists ---------------------------------------------------------------------------------- */

void sal_kernel_list_add(sal_kernel_list *list, const sal_kernel *kernel, bool wide)
{
    const sal_listed_kernel listed = {kernel, wide};
    if (kernel->view) return; /* shared code would be compiled once per view */
    if (kernel->parts > 0 && !ARRAY_PUSH(list->allocator, &list->kernels, listed))
        list->failed = true;
}

void sal_kernel_list_release(sal_kernel_list *list)
{
    ARRAY_RELEASE(list->allocator, &list->kernels);
}

long long sal_native_lines(const sal_listed_kernel *listed)
{
    long long lines = 0;
    for (int p = 0; p < listed->kernel->parts; p++)
        lines += sal_emit_size(&listed->kernel->part[p], listed->wide);
    return lines;
}

/* An iterator over the parts of a list that are within the limits. */
typedef struct walk {
    const sal_kernel_list *list;
    int                    kernel, number; /* the present kernel, and the number of its next part */
    sal_part              *part;           /* the present part */
    bool                   wide;           /* the code of the part is for any number of lanes */
    long long              lines;          /* lines of all parts so far */
} walk;

static bool next_part(walk *w)
{
    for (; w->kernel < w->list->kernels.count; w->kernel++, w->number = 0) {
        const sal_listed_kernel *listed = &w->list->kernels.data[w->kernel];
        while (w->number < listed->kernel->parts) {
            w->part = &listed->kernel->part[w->number++];
            w->wide = sal_emit_is_wide(w->part, listed->wide);
            const long long lines = sal_emit_size(w->part, w->wide);
            const long long most = w->part->instances > 1 ? SAL_NATIVE_LOOP : SAL_NATIVE_PART;
            if (lines > most || w->lines + lines > SAL_NATIVE_LIST) continue;
            w->lines += lines;
            return true;
        }
    }
    return false;
}

/* Measured with gcc 12. Some of its passes take a time that grows faster than the length of a
 * function. */
double sal_native_estimate(const sal_kernel_list *list)
{
    walk   w = {.list = list};
    double price = 0.05;
    while (next_part(&w)) {
        const double lines = (double)sal_emit_size(w.part, w.wide);
        const double share = sal_emit_is_cut(w.part) ? SAL_CUT_PIECE / 1000.0 : lines / 2000.0;
        price += 1.3e-4 * lines * (1.0 + share);
    }
    return price;
}

/* ---- code ----------------------------------------------------------------------------------- */

/* Writes all functions and a table of them; returns their number. */
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
                 "\ntypedef void (*code)(const double *, const double *, const double *, int,\n"
                 "    double *, const struct places *);\n"
                 "const int  saltus_count = %d;\n"
                 "const code saltus_code[] = {\n",
                 count);
    for (int i = 0; i < count; i++) sal_text_put(text, "    part%d,\n", i);
    sal_text_put(text, "};\n");
    return count;
}

static bool write_code(const sal_build *build, const sal_text *text, const char *key, char *why)
{
    const int code =
        openat(build->folder, "code.c", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = code < 0 ? NULL : fdopen(code, "w");
    bool  ok = file && fputs(sal_text_get(text), file) >= 0 &&
              fprintf(file, "const char saltus_key[] = \"%s\";\n", key) > 0;
    if (file && fclose(file) != 0) ok = false;
    if (code >= 0 && !file) close(code);
    if (!ok)
        snprintf(why, SAL_WHY, "cannot write '%.150s/code.c': %s", build->path, strerror(errno));
    return ok;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Only one thread at a time loads or unloads objects. */
static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;

static bool open_handle(sal_native *native, const char *path)
{
    pthread_mutex_lock(&loader);
    native->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!native->handle)
        snprintf(native->why, sizeof native->why, "compiled code cannot be loaded: %.200s",
                 dlerror());
    pthread_mutex_unlock(&loader);
    return native->handle != NULL;
}

/* Loads an object and returns its table of functions; NULL, and the object is closed, if that fails
 * or it is not the object with this key. */
static const sal_code *open_object(sal_native *native, const char *path)
{
    char wanted[SAL_KEY_TEXT];
    sal_key_text(native->key, wanted);
    if (!open_handle(native, path)) return NULL;
    const char     *key = dlsym(native->handle, "saltus_key");
    const int      *count = dlsym(native->handle, "saltus_count");
    const sal_code *code = dlsym(native->handle, "saltus_code");
    if (key && count && code && strcmp(key, wanted) == 0 && *count == native->count) return code;
    snprintf(native->why, sizeof native->why,
             "the compiled code does not match the name of its file: %.180s", path);
    sal_native_unload(native->handle);
    native->handle = NULL;
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

/* Loads the object from an open folder; returns its table of functions, or NULL. */
static const sal_code *open_in(sal_native *native, int folder, const char *path)
{
    char name[SAL_OBJECT_NAME], inside[SAL_PATH];
    sal_object_name(native->key, name);
    sal_path_inside(folder, path, name, inside);
    return open_object(native, inside);
}

static bool find(sal_native *native)
{
    const sal_cache *cache = &native->toolchain->cache;
    if (cache->folder < 0 || !sal_cache_has(cache, native->key)) return false;
    const sal_code *code = open_in(native, cache->folder, cache->path);
    if (code) install(native->list, code);
    else sal_cache_drop(cache, native->key);
    native->found = code != NULL;
    return native->found;
}

/* ---- compiling ------------------------------------------------------------------------------ */

void sal_toolchain_open(sal_toolchain *toolchain, const char *model, bool compile)
{
    char why[SAL_WHY]; /* ignored: code can be compiled without a cache */
    toolchain->model = model;
    toolchain->has_compiler =
        sal_compiler_find(&toolchain->compiler, toolchain->why, sizeof toolchain->why);
    sal_cache_open(&toolchain->cache, compile, why, sizeof why);
}

void sal_toolchain_close(sal_toolchain *toolchain)
{
    sal_compiler_release(&toolchain->compiler);
    sal_cache_close(&toolchain->cache);
}

/* Starts the compiler in a folder of the cache, or in a temporary one if there is no cache. */
static bool start(sal_native *native, const sal_cache *cache, const sal_text *text)
{
    char key[SAL_KEY_TEXT], name[SAL_OBJECT_NAME];
    sal_key_text(native->key, key);
    sal_object_name(native->key, name);
    if (!sal_build_begin(&native->build, cache, native->why, sizeof native->why)) return false;
    if (write_code(&native->build, text, key, native->why) &&
        sal_compiler_start(&native->toolchain->compiler, &native->build, name, &native->child,
                           native->why, sizeof native->why))
        return true;
    sal_build_end(&native->build);
    return false;
}

static sal_native_result find_or_start(sal_native *native, const sal_text *text, bool compile)
{
    native->key = sal_key_of(sal_text_get(text), &native->toolchain->compiler.identity);
    if (find(native)) return SAL_NATIVE_LOADED;
    if (!compile) return SAL_NATIVE_MISSING;
    return start(native, &native->toolchain->cache, text) ? SAL_NATIVE_COMPILING
                                                          : SAL_NATIVE_FAILED;
}

sal_native_result sal_native_begin(sal_native *native, const sal_toolchain *toolchain,
                                   const sal_kernel_list *list, bool compile)
{
    sal_text          text = {.allocator = list->allocator};
    sal_native_result result = SAL_NATIVE_NOTHING;
    memset(native, 0, sizeof *native);
    native->list = list;
    native->toolchain = toolchain;
    if (list->failed) return SAL_NATIVE_MEMORY;
    native->count = emit(&text, list);
    if (text.failed) result = SAL_NATIVE_MEMORY;
    else if (native->count > 0 && !toolchain->has_compiler) {
        snprintf(native->why, sizeof native->why, "%s", toolchain->why);
        result = compile ? SAL_NATIVE_FAILED : SAL_NATIVE_MISSING;
    } else if (native->count > 0) result = find_or_start(native, &text, compile);
    sal_text_release(&text);
    return result;
}

/* Loads the object that the compiler wrote. Only an object that could be loaded becomes an entry of
 * the cache. */
static bool take(sal_native *native, const sal_cache *cache)
{
    if (!sal_build_is_whole(&native->build, native->key)) {
        snprintf(native->why, sizeof native->why,
                 "compiled code cannot be loaded: the C compiler '%.100s' wrote no shared object, "
                 "or part of one",
                 native->toolchain->compiler.path);
        return false;
    }
    const sal_code *code = open_in(native, native->build.folder, native->build.path);
    if (!code) return false;
    if (cache->folder >= 0)
        sal_cache_store(cache, &native->build, native->key, native->toolchain->model);
    install(native->list, code);
    return true;
}

static sal_native_result finish_in(sal_native *native, const sal_cache *cache, const sal_wait *wait,
                                   bool *compiled)
{
    const sal_compiled result =
        sal_compiler_wait(&native->toolchain->compiler, &native->build, native->child, wait,
                          native->why, sizeof native->why);
    *compiled = result == SAL_COMPILED;
    const bool taken = *compiled && take(native, cache);
    sal_build_end(&native->build); /* the loaded object remains usable */
    if (taken) return SAL_NATIVE_LOADED;
    if (result == SAL_COMPILER_LATE) return SAL_NATIVE_LATE;
    return result == SAL_COMPILER_STOPPED ? SAL_NATIVE_STOPPED : SAL_NATIVE_FAILED;
}

sal_native_result sal_native_finish(sal_native *native, const sal_wait *wait)
{
    static const sal_cache none = {.folder = -1};
    const sal_cache       *cache = &native->toolchain->cache;
    bool                   compiled;
    sal_native_result      result = finish_in(native, cache, wait, &compiled);
    if (result != SAL_NATIVE_FAILED || !compiled || cache->folder < 0) return result;
    /* The disk of the cache may be full, or forbid execution: try again in a temporary folder. */
    sal_text text = {.allocator = native->list->allocator};
    emit(&text, native->list);
    const bool again = !text.failed && start(native, &none, &text);
    sal_text_release(&text);
    return again ? finish_in(native, &none, wait, &compiled) : SAL_NATIVE_FAILED;
}

void sal_native_unload(void *handle)
{
    if (!handle) return;
    pthread_mutex_lock(&loader);
    dlclose(handle);
    pthread_mutex_unlock(&loader);
}
