/* Kernels as compiled code: emitted as C, compiled by the system's compiler, cached, loaded.
 *
 * Nothing here can make a run fail: what cannot be compiled is interpreted, with the same digits.
 */
#ifndef SAL_KERNEL_NATIVE_H
#define SAL_KERNEL_NATIVE_H

#include "kernel/compiler.h"
#include "kernel/emit.h"

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

/* Parts with more lines are left to the interpreter, and all that follow once a list has that many:
 * they are so large that compilers take minutes. Loops over instances never are. */
enum { SAL_NATIVE_PART = 12000, SAL_NATIVE_LIST = 40000 };

/* Seconds that compiling the list takes, about. */
double sal_native_estimate(const sal_kernel_list *list);

typedef enum sal_native_result {
    SAL_NATIVE_LOADED,  /* the kernels are compiled code now; found says from where */
    SAL_NATIVE_NOTHING, /* there is nothing to compile */
    SAL_NATIVE_MISSING, /* not in the cache, and compiling was not asked for */
    SAL_NATIVE_FAILED,  /* why says what is missing */
    SAL_NATIVE_MEMORY
} sal_native_result;

typedef struct sal_native {
    void  *handle;  /* of the shared object; NULL: none */
    bool   found;   /* it was in the cache */
    double seconds; /* that compiling took */
    char   why[SAL_WHY];
} sal_native;

/* Loads the code of all kernels of the list: from the cache, or compiled if `compile` allows it.
 * Other threads may evaluate the kernels meanwhile. */
sal_native_result sal_native_load(sal_native *native, const sal_kernel_list *list, bool compile);

/* The kernels must not be evaluated any more. */
void sal_native_unload(sal_native *native);

#endif
