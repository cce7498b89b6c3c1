/* Kernels as compiled code: emitted as C, compiled by the system's compiler, cached, loaded.
 *
 * Nothing here can make a run fail: what cannot be compiled is interpreted, with the same digits.
 */
#ifndef SAL_NATIVE_LOAD_H
#define SAL_NATIVE_LOAD_H

#include "native/compiler.h"
#include "native/cut.h"
#include "native/emit.h"

/* A kernel to be compiled. */
typedef struct sal_listed_kernel {
    const sal_kernel *kernel; /* its parts get the code */
    bool              wide; /* for several lanes too. Otherwise several lanes are interpreted, which
                             * saves half of the code */
} sal_listed_kernel;

typedef struct sal_kernel_list {
    const saltus_allocator *allocator;
    SAL_ARRAY(sal_listed_kernel) kernels;
    bool failed; /* out of memory */
} sal_kernel_list;

void sal_kernel_list_add(sal_kernel_list *list, const sal_kernel *kernel, bool wide);
void sal_kernel_list_release(sal_kernel_list *list);

/* Limits, in lines of code, on one part, on a loop over instances (which cannot be cut), and on a
 * whole list. Beyond them parts are interpreted, because compilers would take minutes. */
enum { SAL_NATIVE_PART = 100000, SAL_NATIVE_LOOP = 12000, SAL_NATIVE_LIST = 200000 };

/* Estimates the number of lines of a kernel's code. */
long long sal_native_lines(const sal_listed_kernel *listed);

/* Estimates how many seconds it takes to compile the list. */
double sal_native_estimate(const sal_kernel_list *list);

/* The compiler and the cache, opened once for several objects. */
typedef struct sal_toolchain {
    sal_compiler compiler;
    sal_cache    cache;
    bool         has_compiler;
    char         why[SAL_WHY]; /* why there is no compiler */
    const char  *model;        /* name of the model, stored in the cache for users; borrowed */
} sal_toolchain;

/* Finds the compiler and opens the cache, whose folder is created if compile is set. */
void sal_toolchain_open(sal_toolchain *toolchain, const char *model, bool compile);
void sal_toolchain_close(sal_toolchain *toolchain);

typedef enum sal_native_result {
    SAL_NATIVE_LOADED,    /* the kernels are compiled code now */
    SAL_NATIVE_NOTHING,   /* there is nothing to compile */
    SAL_NATIVE_MISSING,   /* not in the cache, and compiling was not requested */
    SAL_NATIVE_COMPILING, /* the compiler is at work */
    SAL_NATIVE_FAILED,    /* there is no code; why has the reason */
    SAL_NATIVE_LATE,      /* the compiler took too long; why says so */
    SAL_NATIVE_STOPPED,   /* the callback requested to stop while waiting */
    SAL_NATIVE_MEMORY
} sal_native_result;

/* Code that is being compiled or loaded. */
typedef struct sal_native {
    void *handle; /* handle of the shared object; NULL: none */
    bool  found;  /* the object was in the cache */
    char  why[SAL_WHY];
    /* The following fields are used while it is being compiled. */
    const sal_kernel_list *list;
    const sal_toolchain   *toolchain;
    pid_t                  child;
    sal_key                key;
    int                    count; /* number of functions */
    sal_build              build;
} sal_native;

/* Loads the code of all kernels of the list from the cache, or begins to compile it if `compile` is
 * set. If the result is SAL_NATIVE_COMPILING, sal_native_finish must follow; list and toolchain are
 * borrowed until then. Other threads may evaluate the kernels meanwhile. */
sal_native_result sal_native_begin(sal_native *native, const sal_toolchain *toolchain,
                                   const sal_kernel_list *list, bool compile);
/* Waits for the compiler, loads the code and adds it to the cache. */
sal_native_result sal_native_finish(sal_native *native, const sal_wait *wait);

/* Closes a shared object; its kernels must not be evaluated any more. */
void sal_native_unload(void *handle);

#endif
