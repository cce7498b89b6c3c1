/* Kernels as compiled code: emitted as C, compiled by the system's compiler, cached, loaded.
 *
 * Nothing here can make a run fail: what cannot be compiled is interpreted, with the same digits.
 */
#ifndef SAL_NATIVE_LOAD_H
#define SAL_NATIVE_LOAD_H

#include "native/compiler.h"
#include "native/cut.h"
#include "native/emit.h"

/* Kernels that are compiled together. wide: also for several lanes at once; others are interpreted
 * then, which saves half of the code. */
typedef struct sal_listed_kernel {
    const sal_kernel *kernel; /* its parts take the code */
    bool              wide;
} sal_listed_kernel;

typedef struct sal_kernel_list {
    const saltus_allocator *allocator;
    SAL_ARRAY(sal_listed_kernel) kernels;
    bool failed; /* out of memory */
} sal_kernel_list;

void sal_kernel_list_add(sal_kernel_list *list, const sal_kernel *kernel, bool wide);
void sal_kernel_list_release(sal_kernel_list *list);

/* Limits in lines of code, beyond which kernels are left to the interpreter because compilers would
 * take minutes: of one part, of a loop over instances, which cannot be cut, and of a whole list. */
enum { SAL_NATIVE_PART = 100000, SAL_NATIVE_LOOP = 12000, SAL_NATIVE_LIST = 200000 };

/* About how many lines the code of a kernel has. */
long long sal_native_lines(const sal_listed_kernel *listed);

/* About how many seconds compiling the list takes. */
double sal_native_estimate(const sal_kernel_list *list);

/* The compiler and the cache, opened once for several objects. */
typedef struct sal_maker {
    sal_compiler compiler;
    sal_cache    cache;
    bool         has_compiler;
    char         why[SAL_WHY]; /* why there is no compiler */
    const char  *model;        /* name of the model, stored in the cache for people; borrowed */
} sal_maker;

/* compile: the folder of the cache is made if it is missing. */
void sal_maker_open(sal_maker *maker, const char *model, bool compile);
void sal_maker_close(sal_maker *maker);

typedef enum sal_native_result {
    SAL_NATIVE_LOADED,    /* the kernels are compiled code now */
    SAL_NATIVE_NOTHING,   /* there is nothing to compile */
    SAL_NATIVE_MISSING,   /* not in the cache, and compiling was not requested */
    SAL_NATIVE_COMPILING, /* the compiler is at work */
    SAL_NATIVE_FAILED,    /* why says what is missing */
    SAL_NATIVE_LATE,      /* the compiler took too long; why says so */
    SAL_NATIVE_STOPPED,   /* the callback asked to stop while waiting */
    SAL_NATIVE_MEMORY
} sal_native_result;

/* Code that is being compiled or loaded. */
typedef struct sal_native {
    void *handle; /* of the shared object; NULL: none */
    bool  found;  /* the object was in the cache */
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
