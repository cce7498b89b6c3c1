/* Kernels: programs with the places of their inputs and outputs in the vectors they read and write.
 *
 * All values that a program may read are in one vector, laid out by leaf kind: the *uniform* vector
 * u (t, q, v, a, mu, c, rho, ...). A tangent du and an adjoint u_bar have the same layout, with
 * several lanes: du[place * lanes + lane]. So a function and its derivatives share one set of
 * places.
 *
 * The first part of u (t, q, v, a, mu) changes from evaluation to evaluation. It may be read from
 * another vector instead, the *state*, which has the same places: so stages of a step can be
 * evaluated where they are stored. Usually the state is u itself.
 *
 * A sal_map is a vector function out = f(u) with
 *     tangent   d_out = f_u du            (lanes: directions)
 *     adjoint   u_bar += f_u^T out_bar    (lanes: costs)
 *
 * A kernel has parts; a part runs its program over many instances (terms of equal shape), or once.
 */
#ifndef SAL_PROGRAM_KERNEL_H
#define SAL_PROGRAM_KERNEL_H

#include <limits.h>
#include <stdatomic.h>

#include "program/program.h"

/* Where each kind of leaf begins in the uniform vector. */
typedef struct sal_layout {
    int at[SAL_LEAF_UNIFORM_KINDS];
    int size;   /* length of tangents and adjoints, without lanes */
    int values; /* length of u, at the end of which are run constants (SAL_LEAF_RUN) */
} sal_layout;

/* The vector from which an input is read. */
typedef enum sal_source { SAL_UNIFORM, SAL_STATE, SAL_LANE, SAL_LITERAL, SAL_SOURCES } sal_source;

/* Index tables of a part with many instances, passed to compiled loops. */
typedef struct sal_places {
    int           count;   /* instances */
    const int    *in;      /* per input and instance: place, or number of the literal */
    const double *literal; /* per literal and instance */
    const int    *out;     /* per output and instance */
} sal_places;

/* Compiled code of a part (see emit.h); places may be NULL for a part with one instance. */
typedef void (*sal_code)(const double *uniform, const double *state, const double *lane, int lanes,
                         double *out, const sal_places *places);

/* Instances are evaluated in chunks of SAL_CHUNK. The outputs of a chunk are added to their places
 * one output after the other: where neighbouring instances share a place, as links of a chain do,
 * no addition has to wait for the one before. Outputs that all instances add to one place are
 * accumulated in SAL_SUMS partial sums. Parts with more than SAL_CHUNK_OUTPUTS outputs have chunks
 * of one block (SAL_LANES) and no partial sums. */
enum { SAL_CHUNK = 64, SAL_CHUNK_OUTPUTS = 32, SAL_SUMS = 16 };
enum { SAL_NO_STEP = INT_MIN };

/* Inputs that are consecutive both in slots and in the vector they are read from. */
typedef struct sal_stretch {
    int source, slot, place, count;
} sal_stretch;

typedef struct sal_part {
    const sal_program   *program;
    int                  instances;
    const unsigned char *source;  /* per input: where it comes from */
    const int           *in;      /* per input and instance: place, or number of the literal */
    const double        *literal; /* per literal and instance */
    const int           *out;     /* per output and instance */
    int                  stored;  /* outputs at places below this are stored, all others added */
    const int           *in_step, *out_step; /* per input, output: the distance between the places
                                              * of consecutive instances, or SAL_NO_STEP */
    int                  chunk;              /* instances whose outputs are added together */
    const unsigned char *summed;             /* per output: all instances have the same place */
    struct {
        int        count;
        const int *input;
    } from[SAL_SOURCES];        /* the inputs from each source */
    const sal_stretch *stretch; /* all inputs of a part with one instance */
    int                stretches;
    bool               wide; /* the code is for any number of lanes; otherwise for one only */
    _Atomic(sal_code)  code; /* NULL: interpreted; set while other threads evaluate the part */
} sal_part;

typedef struct sal_kernel {
    int       parts, capacity;
    sal_part *part;
    int       slots;        /* largest number of slots of any part */
    long long instructions; /* total of all parts and instances, for one lane */
    bool      view;         /* the program is shared with other kernels: sal_kernel_view */
} sal_kernel;

/* Doubles of work that sal_kernel_eval needs for a kernel with this many slots. */
#define SAL_KERNEL_WORK(slots) ((size_t)(slots)*SAL_LANES)

/* Evaluates the kernel: adds its outputs to out[place * lanes + lane], or stores them there (see
 * sal_kernel_store). lane: the inputs that differ from lane to lane (tangents or weights); may be
 * NULL if there are none. */
void sal_kernel_eval(const sal_kernel *kernel, const double *uniform, const double *lane, int lanes,
                     double *out, double *work);
/* Evaluates the kernel like sal_kernel_eval, but reads the state from a vector of its own. */
void sal_kernel_eval_at(const sal_kernel *kernel, const double *uniform, const double *state,
                        const double *lane, int lanes, double *out, double *work);

/* Does the same as sal_kernel_eval_at, but faster, for a kernel that has one part with one
 * instance. The most frequently evaluated kernels are of this kind. */
static inline void sal_kernel_call(const sal_kernel *kernel, const double *uniform,
                                   const double *state, const double *lane, int lanes, double *out,
                                   double *work)
{
    const sal_part *part = kernel->part;
    const sal_code  code = atomic_load_explicit(&part->code, memory_order_acquire);
    if (code && (lanes == 1 || part->wide)) code(uniform, state, lane, lanes, out, NULL);
    else sal_kernel_eval_at(kernel, uniform, state, lane, lanes, out, work);
}

/* Makes evaluations store all outputs at places below `bound` instead of adding them, in parts with
 * one instance, in which no two outputs may share a place. */
void sal_kernel_store(sal_kernel *kernel, int bound);

/* The actual leaves that the local leaves of a template stand for in each instance. */
typedef struct sal_instances {
    int        count;
    const int *coordinate; /* [local * count + instance]; NULL: local numbers are the actual ones */
    const int *param;
    const int *memory;
    const int *constraint;
    const double *literal; /* [local * count + instance] */
} sal_instances;

/* An output of a program under construction: its node, and the leaf that it belongs to. Its place
 * follows from the layout and, for each instance, from the actual leaves of the instance. */
typedef struct sal_target {
    sal_node node;
    int      kind; /* SAL_LEAF_WEIGHT: the index is the place itself */
    int      index;
    int      row;      /* >= 0: an entry (row, index) of a symmetric matrix, lower triangle */
    int      row_kind; /* the kind of the row: WEIGHT or WEIGHT_MU */
    int      base;     /* added to the place */
} sal_target;

/* The target of the i-th output of a plain vector function. */
#define SAL_OUTPUT(what, i)                                                                        \
    ((sal_target){.node = (what), .kind = SAL_LEAF_WEIGHT, .index = (i), .row = -1})

/* Derivatives that are not structurally zero, each with the leaf by which it is the derivative. */
typedef struct sal_derivatives {
    const saltus_allocator *allocator;
    SAL_ARRAY(sal_target) list;
    bool failed; /* out of memory */
} sal_derivatives;

/* The kinds (bits) of leaves that have tangents. */
#define SAL_KINDS_WITH_TANGENT ((1u << SAL_LEAF_STATE_KINDS) - 1u)

/* Appends the derivatives of sum_i weight[i] * roots[i] (weight NULL: all 1) by leaves of these
 * kinds (bits). */
void sal_derivatives_add(sal_derivatives *d, sal_graph *graph, const sal_node *roots,
                         const sal_node *weights, int count, unsigned kinds);
void sal_derivatives_release(sal_derivatives *d);

/* How the entries of the matrix are stored. */
typedef struct sal_matrix_form {
    int        n;    /* number of coordinates */
    int        size; /* number of unknowns: coordinates and constraints */
    bool       diagonal;
    const int *start, *column; /* sparse: rows of the lower triangle; NULL for other forms */
} sal_matrix_form;

/* Returns the place of a weight in the test vector, which has coordinates, then constraints. */
int sal_weight_place(int n, const sal_instances *instances, int kind, int index, int instance);

/* Lowers the targets (without those whose node is null) and adds them to the kernel as one part.
 * False when out of memory. */
bool sal_kernel_add(sal_kernel *kernel, sal_arena *arena, sal_graph *graph,
                    const sal_target *targets, int count, const sal_layout *layout,
                    const sal_instances *instances, const sal_matrix_form *form);

/* Makes a kernel that computes some outputs (wanted, by number) of another one, which has one part
 * with one instance. The operations, and so the digits, are identical. False when out of memory. */
bool sal_kernel_subset(sal_kernel *kernel, const sal_kernel *from, const unsigned char *wanted,
                       sal_arena *arena);

/* Avoids repeated work in two kernels that are evaluated one after the other at the same state:
 * `second` is changed to read intermediate results of `first`. It finds the outputs of `first` in
 * the state from the place `base` on; results that `first` does not output yet are added to its
 * outputs, from the place `place` on. No digit changes. Both kernels have one part with one
 * instance. Returns the number of added outputs, at most `limit`; 0 also when out of memory, and
 * the arena has then failed. */
int sal_kernel_share(sal_kernel *first, sal_kernel *second, int base, int place, int limit,
                     sal_arena *arena);

/* Makes a kernel of `count` outputs of another one, from the number `first` on. Both share the
 * program, so each evaluation computes all outputs. place: the new places; NULL: unchanged. False
 * when out of memory. */
bool sal_kernel_view(sal_kernel *kernel, const sal_kernel *from, int first, int count,
                     const int *place, sal_arena *arena);

/* Sets the fields of a part that follow from its program and places. False when out of memory. */
bool sal_part_plan(sal_part *part, sal_arena *arena);

/* Whether some output has a place in [first, last). */
bool sal_kernel_reaches(const sal_kernel *kernel, int first, int last);

/* Returns the length of the part of the state, from its start, that the kernel reads. */
int sal_kernel_reads(const sal_kernel *kernel);

/* ---- maps ----------------------------------------------------------------------------------- */

typedef struct sal_map {
    int        outputs;
    sal_kernel value, tangent, adjoint;
} sal_map;

/* Builds the map with these outputs (null: zero), and its derivatives by all leaves that have
 * tangents. False when out of memory. */
bool sal_map_build(sal_map *map, sal_arena *arena, sal_graph *graph, const sal_node *outputs,
                   int count, const sal_layout *layout);

/* Adds one output to the map, for all instances. weight: the leaf by which its adjoint is
 * multiplied. False when out of memory. */
bool sal_map_add(sal_map *map, sal_arena *arena, sal_graph *graph, sal_target output,
                 sal_node weight, const sal_layout *layout, const sal_instances *instances);

void sal_map_value(const sal_map *map, const double *u, double *out, double *work);
void sal_map_tangent(const sal_map *map, const double *u, const double *du, int lanes,
                     double *d_out, double *work);
void sal_map_adjoint(const sal_map *map, const double *u, const double *out_bar, int lanes,
                     double *u_bar, double *work);

/* A seed for sal_derive_along: the tangent of a leaf; null for leaves without tangent. */
sal_node sal_seed_tangent(void *context, sal_graph *graph, int kind, int index);

#endif
