/* What the tests of compiled code share: a cache of their own, and twins of a system. */
#ifndef TEST_NATIVE_H
#define TEST_NATIVE_H

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "compile/code.h"
#include "compile/compile.h"
#include "compile/kernel_table.h"
#include "compile/virtual_power.h"
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

/* Compiles the kernels of a list, which are not in the cache. */
static inline void compile_list(sal_native *native, const sal_kernel_list *list)
{
    const sal_wait wait = {.since = sal_seconds(), .seconds = 120.0};
    sal_toolchain  maker;
    sal_toolchain_open(&maker, "a test", true);
    if (sal_native_begin(native, &maker, list, true) != SAL_NATIVE_COMPILING ||
        sal_native_finish(native, &wait) != SAL_NATIVE_LOADED)
        fail_msg("%s", native->why);
    sal_toolchain_close(&maker);
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

/* ---- kernels, interpreted and compiled ----------------------------------------------------------
 */

/* Evaluates the kernel as it is, then compiled; the outputs begin with numbers, not with zero. */
static inline void compare_kernel(const sal_kernel *kernel, const double *u, const double *lane,
                                  int lanes, int outputs, const sal_code *code, const char *what)
{
    const size_t size = (size_t)outputs * (size_t)lanes;
    double      *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b);
    double      *work = calloc(SAL_KERNEL_WORK(kernel->slots + 1), sizeof *work);
    assert_true(a && b && work);
    for (size_t i = 0; i < size; i++) a[i] = b[i] = sin((double)i);
    for (int p = 0; p < kernel->parts; p++) atomic_store(&kernel->part[p].code, NULL);
    sal_kernel_eval_at(kernel, u, u, lane, lanes, a, work);
    for (int p = 0; p < kernel->parts; p++) atomic_store(&kernel->part[p].code, code[p]);
    sal_kernel_eval_at(kernel, u, u, lane, lanes, b, work);
    expect_same_numbers(a, b, size, what);
    free(a);
    free(b);
    free(work);
}

/* All kernels of the list at random numbers, for several numbers of lanes. */
static inline long long compare_list(const saltus_system *system, const sal_kernel_list *list,
                                     const char *name)
{
    static const int lanes[] = {1, 2, 3, 4, 5, 8, 11, 16};
    const size_t size = (size_t)(system->layout.values + system->matrix_size + system->unknowns);
    double      *u = malloc(size * sizeof *u), *lane = malloc(16 * size * sizeof *lane);
    long long    compiled = 0;
    assert_true(u && lane);
    for (size_t i = 0; i < size; i++) u[i] = 0.8 * sin(1.7 * (double)i + 0.3);
    for (size_t i = 0; i < 16 * size; i++) lane[i] = cos(0.37 * (double)i);
    for (int k = 0; k < list->kernels.count; k++) {
        const sal_kernel *kernel = list->kernels.data[k].kernel;
        sal_code          code[256];
        assert_true(kernel->parts <= 256);
        for (int p = 0; p < kernel->parts; p++) {
            code[p] = atomic_load(&kernel->part[p].code);
            compiled += code[p] != NULL;
        }
        for (int l = 0; l < 8; l++) {
            char what[128];
            snprintf(what, sizeof what, "%s, kernel %d, %d lanes", name, k, lanes[l]);
            compare_kernel(kernel, u, lane, lanes[l], (int)size, code, what);
        }
    }
    free(u);
    free(lane);
    return compiled;
}

static inline void list_maps(const saltus_system *system, sal_kernel_list *list)
{
    sal_kernels_list(SAL_OF_SYSTEM, system, SAL_CODE_ALL, list);
    for (int i = 0; i < system->events; i++)
        sal_kernels_list(SAL_OF_EVENT, &system->event[i], SAL_CODE_ALL, list);
}

static inline void compare_system(saltus_system *system, const char *name)
{
    sal_kernel_list list = {.allocator = &system->arena.allocator};
    list_maps(system, &list);
    for (int i = 0; i < system->cache->regimes.count; i++) {
        const sal_regime *regime = system->cache->regimes.data[i];
        sal_kernels_list(SAL_OF_REGIME, regime, SAL_CODE_ALL, &list);
        for (int which = 0; which < 4; which++)
            if (regime->cache->solved[which])
                sal_kernels_list(SAL_OF_SOLVED, regime->cache->solved[which], SAL_CODE_ALL, &list);
    }
    assert_false(list.failed);
    const long long compiled = compare_list(system, &list, name);
    sal_kernel_list_release(&list);
    if (system->cache->code.note[0]) fail_msg("%s: %s", name, system->cache->code.note);
    if (compiled < 4) fail_msg("%s: %lld parts compiled", name, compiled);
}

/* Compiles, with all terms in one program or with templates, and enters the starting modes. */
static inline saltus_system *compiled_system(const saltus_model *model, bool flat,
                                             saltus_error *err)
{
    const sal_limits limits = {flat ? SAL_FLAT_TERMS : 0, SAL_SPARSE_FROM};
    saltus_system   *system = sal_system_new(model, &limits, NULL, err);
    int              active[16] = {0};
    if (err->status) fail_msg("%s", err->message);
    for (int g = 0; g < system->model->groups.count; g++)
        active[g] = system->model->groups.data[g].first;
    sal_system_request_backend(system, SALTUS_NATIVE);
    const sal_regime *regime = sal_system_regime(system, active, err);
    assert_non_null(regime);
    bool out_of_memory = false;
    sal_system_solved(system, regime, 0, &out_of_memory);
    sal_system_solved(system, regime, SAL_DAMPED_TERMS | SAL_SOFT_TERMS, &out_of_memory);
    assert_false(out_of_memory);
    sal_system_compile_factored(system, regime);
    return system;
}

#endif
