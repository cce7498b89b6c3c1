/* The table of kernels (kernels.def) as an array. */
#ifndef SAL_COMPILE_KERNEL_TABLE_H
#define SAL_COMPILE_KERNEL_TABLE_H

#include "compile/solved.h"

/* The struct that has a kernel as a member. */
typedef enum sal_kernel_owner {
    SAL_OF_REGIME, /* sal_regime */
    SAL_OF_SYSTEM, /* saltus_system */
    SAL_OF_EVENT,  /* sal_compiled_event */
    SAL_OF_SOLVED  /* sal_solved */
} sal_kernel_owner;

/* Groups of kernels that are needed together, and so become native code together; one bit each. */
typedef enum sal_code_object {
    SAL_CODE_NEVER = 0,      /* kernels that are always interpreted */
    SAL_CODE_MAPS = 1,       /* kernels of the system and its events */
    SAL_CODE_REGIME = 2,     /* kernels that every regime needs */
    SAL_CODE_IMPACTS = 4,    /* kernels of regimes that impacts need */
    SAL_CODE_FACTORED = 8,   /* kernels that regimes need where K is factored */
    SAL_CODE_SOLVED = 16,    /* solved kernels that are always needed */
    SAL_CODE_REACTIONS = 32, /* solved kernels for events with accelerations or multipliers */
    SAL_CODE_PRODUCTS = 64,  /* solved kernels: tangent and adjoint of stages */
    SAL_CODE_ALL = 127
} sal_code_object;

typedef enum sal_kernel_lanes { SAL_READS_ONE, SAL_READS_LANES, SAL_READS_WIDE } sal_kernel_lanes;

/* A row of kernels.def, which explains the columns. */
typedef struct sal_kernel_row {
    sal_kernel_owner owner;
    size_t           offset; /* offset of the member in its owner */
    sal_code_object  object;
    sal_kernel_lanes lanes;
    const char      *title, *name, *about;
} sal_kernel_row;

enum {
    SAL_KERNEL_ROWS = 0
#define SYSTEM(...) +1
#define SYSTEM_MAP(...) +3
#define EVENT(...) +1
#define EVENT_MAP(...) +3
#define FACTORED(...) +1
#define FACTORED_MAP(...) +3
#define SOLVED(...) +1
#include "compile/kernels.def"
};
extern const sal_kernel_row sal_kernel_table[SAL_KERNEL_ROWS];

/* The bound of each value of the column `outputs`: outputs at places below it are stored
 * (sal_kernel_store). */
#define SAL_BOUND_ADDED(layout) 0
#define SAL_BOUND_STORED(layout) INT_MAX
#define SAL_BOUND_STATE_STORED(layout) (layout)->at[SAL_LEAF_C]

/* Returns the kernel of a row. owner: a struct of the kind that the row names. */
const sal_kernel *sal_kernel_of(const sal_kernel_row *row, const void *owner);

/* Returns the number of slots of the largest kernel of this owner. */
int sal_kernels_slots(sal_kernel_owner kind, const void *owner);

/* Appends the kernels of this owner that belong to these objects (bits of sal_code_object). */
void sal_kernels_list(sal_kernel_owner kind, const void *owner, unsigned objects,
                      sal_kernel_list *list);

#endif
