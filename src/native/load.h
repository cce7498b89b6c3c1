/* Kernels as compiled code: emitted as C, compiled by the system's compiler, cached, loaded.
 *
 * Nothing here can make a run fail: what cannot be compiled is interpreted, with the same digits.
 */
#ifndef SAL_NATIVE_LOAD_H
#define SAL_NATIVE_LOAD_H

#include "native/compiler.h"
#include "native/emit.h"

/* Kernels that are compiled together. wide: also for several lanes at once; others are interpreted
 * then, which saves half of the code. */
typedef struct sal_listed_kernel {
    sal_kernel *kernel;
    bool        wide;
} sal_listed_kernel;

typedef struct sal_kernel_list {
    const saltus_allocator *allocator;
    SAL_ARRAY(sal_listed_kernel) kernels;
    bool failed; /* out of memory */
} sal_kernel_list;

void sal_kernel_list_add(sal_kernel_list *list, sal_kernel *kernel, bool wide);
void sal_kernel_list_add_map(sal_kernel_list *list, sal_map *map, bool wide);
void sal_kernel_list_release(sal_kernel_list *list);

/* Parts with more lines are left to the interpreter, loops over instances with even fewer, since
 * they are not cut, and all that follow once a list has that many: compilers would take minutes. */
enum { SAL_NATIVE_PART = 100000, SAL_NATIVE_LOOP = 12000, SAL_NATIVE_LIST = 200000 };

/* Lines of a kernel's code, about. */
long long sal_native_lines(const sal_listed_kernel *listed);

/* Seconds that compiling the list takes, about. */
double sal_native_estimate(const sal_kernel_list *list);

/* What objects are made with and kept in, opened once for several of them. */
typedef struct sal_maker {
    sal_compiler compiler;
    sal_cache    cache;
    bool         has_compiler;
    char         why[SAL_WHY]; /* it has none */
    const char  *model;        /* whose code it is, to be shown to people; borrowed */
} sal_maker;

/* compile: the folder of the cache is made if it is missing. */
void sal_maker_open(sal_maker *maker, const char *model, bool compile);
void sal_maker_close(sal_maker *maker);

typedef enum sal_native_result {
    SAL_NATIVE_LOADED,    /* the kernels are compiled code now */
    SAL_NATIVE_NOTHING,   /* there is nothing to compile */
    SAL_NATIVE_MISSING,   /* not in the cache, and compiling was not asked for */
    SAL_NATIVE_COMPILING, /* the compiler is at work */
    SAL_NATIVE_FAILED,    /* why says what is missing */
    SAL_NATIVE_LATE,      /* the compiler took too long; why says so */
    SAL_NATIVE_STOPPED,   /* while waiting, somebody wanted to stop */
    SAL_NATIVE_MEMORY
} sal_native_result;

/* Code on its way. */
typedef struct sal_native {
    void *handle; /* of the shared object; NULL: none */
    bool  found;  /* it was in the cache */
    char  why[SAL_WHY];
    /* while it is compiled */
    const sal_kernel_list *list;
    const sal_maker       *maker;
    pid_t                  child;
    sal_key                key;
    int                    count; /* functions */
    sal_build              build;
} sal_native;

/* Loads the code of all kernels of the list from the cache, or begins to compile it if `compile`
 * allows it: then sal_native_finish must follow, and the list and the maker are borrowed until
 * then. Other threads may evaluate the kernels meanwhile. */
sal_native_result sal_native_begin(sal_native *native, const sal_maker *maker,
                                   const sal_kernel_list *list, bool compile);
sal_native_result sal_native_finish(sal_native *native, const sal_wait *wait);

/* Closes a shared object; its kernels must not be evaluated any more. */
void sal_native_unload(void *handle);

#endif
