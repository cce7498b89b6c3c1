/* Makes an array of the rows of kernels.def, and finds the kernels of an owner by it. */
#include "compile/kernel_table.h"

#include <stddef.h>

#define ROW(owner, type, member, object, lanes, title, name, about)                                \
    {SAL_OF_##owner, offsetof(type, member), SAL_CODE_##object, SAL_READS_##lanes, title, name,    \
     about},
#define MAP_ROWS(owner, type, member, object, title)                                               \
    ROW(owner, type, member.value, object, ONE, title, NULL, NULL)                                 \
    ROW(owner, type, member.tangent, object, LANES, NULL, NULL, NULL)                              \
    ROW(owner, type, member.adjoint, object, LANES, NULL, NULL, NULL)

const sal_kernel_row sal_kernel_table[SAL_KERNEL_ROWS] = {
#define SYSTEM(member, object, lanes, title, name, about)                                          \
    ROW(SYSTEM, saltus_system, member, object, lanes, title, name, about)
#define SYSTEM_MAP(member, object) MAP_ROWS(SYSTEM, saltus_system, member, object, NULL)
#define EVENT(member, object) ROW(EVENT, sal_compiled_event, member, object, ONE, NULL, NULL, NULL)
#define EVENT_MAP(member, object) MAP_ROWS(EVENT, sal_compiled_event, member, object, NULL)
#define FACTORED(member, object, lanes, outputs, title, name, about)                               \
    ROW(REGIME, sal_regime, member, object, lanes, title, name, about)
#define FACTORED_MAP(member, object, title) MAP_ROWS(REGIME, sal_regime, member, object, title)
#define SOLVED(member, object, lanes, outputs, name, about)                                        \
    ROW(SOLVED, sal_solved, member, object, lanes, NULL, name, about)
#include "compile/kernels.def"
};

const sal_kernel *sal_kernel_of(const sal_kernel_row *row, const void *owner)
{
    return (const sal_kernel *)((const char *)owner + row->offset);
}

int sal_kernels_slots(sal_kernel_owner kind, const void *owner)
{
    int most = 0;
    for (int i = 0; i < SAL_KERNEL_ROWS; i++) {
        if (sal_kernel_table[i].owner != kind) continue;
        const sal_kernel *kernel = sal_kernel_of(&sal_kernel_table[i], owner);
        if (kernel->slots > most) most = kernel->slots;
    }
    return most;
}

void sal_kernels_list(sal_kernel_owner kind, const void *owner, unsigned objects,
                      sal_kernel_list *list)
{
    for (int i = 0; i < SAL_KERNEL_ROWS; i++) {
        const sal_kernel_row *row = &sal_kernel_table[i];
        if (row->owner == kind && (row->object & objects))
            sal_kernel_list_add(list, sal_kernel_of(row, owner), row->lanes == SAL_READS_WIDE);
    }
}
