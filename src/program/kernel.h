/* Kernels: programs with their places in the vectors they read and write.
 *
 * All values a program may read are in one vector, laid out by leaf kind: the *uniform* vector u
 * (t, q, v, a, c, rho, ...). A tangent du and an adjoint u_bar have the same layout, times lanes:
 * du[place * lanes + lane]. So a function and its derivatives share one set of places.
 *
 * What comes first in it (t, q, v, a, mu) changes from evaluation to evaluation and may be
 * somewhere else, in a *state* with the same places: stages of a step are evaluated where they are
 * kept. Usually the state is u itself.
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
    int size;   /* of vectors with the same places: tangents, adjoints */
    int values; /* of u itself: run constants (SAL_LEAF_RUN) follow */
} sal_layout;

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

/* Instances are evaluated in chunks, whose outputs are added to their places one output after the
 * other: where neighbours share a place, as links of a chain do, nothing waits for what was just
 * written. Outputs that all instances add to one place are summed up on the way in SAL_SUMS partial
 * sums. Parts with more outputs have chunks of one block (SAL_LANES), and no such sums. */
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
    int                  stored;  /* outputs at places below this are not added, but stored */
    const int           *in_step, *out_step; /* per input, output: how far the places of consecutive
                                              * instances are apart, or SAL_NO_STEP */
    int                  chunk;              /* instances whose outputs are added together */
    const unsigned char *summed;             /* per output: all instances have one place */
    struct {
        int        count;
        const int *input;
    } from[SAL_SOURCES];        /* the inputs from each source */
    const sal_stretch *stretch; /* all inputs of a single instance */
    int                stretches;
    bool               wide; /* the code is for any number of lanes, not for one only */
    _Atomic(sal_code)  code; /* NULL: interpreted; set while other threads evaluate the part */
} sal_part;

typedef struct sal_kernel {
    int       parts, capacity;
    sal_part *part;
    int       slots;        /* the most any part needs */
    long long instructions; /* per evaluation of one lane */
    bool      view;         /* the program is shared with another kernel: sal_kernel_view */
} sal_kernel;

/* Doubles of work that sal_kernel_eval needs for a kernel with this many slots. */
#define SAL_KERNEL_WORK(slots) ((size_t)(slots)*SAL_LANES)

/* Adds the kernel's outputs to out[place * lanes + lane]. lane: the lane-wise inputs (tangents or
 * weights), may be NULL if there are none. */
void sal_kernel_eval(const sal_kernel *kernel, const double *uniform, const double *lane, int lanes,
                     double *out, double *work);
/* As sal_kernel_eval, with the state in a vector of its own. */
void sal_kernel_eval_at(const sal_kernel *kernel, const double *uniform, const double *state,
                        const double *lane, int lanes, double *out, double *work);

/* As sal_kernel_eval_at, for a kernel with one part of one instance, as the most frequently
 * evaluated kernels are. */
static inline void sal_kernel_call(const sal_kernel *kernel, const double *uniform,
                                   const double *state, const double *lane, int lanes, double *out,
                                   double *work)
{
    const sal_part *part = kernel->part;
    const sal_code  code = atomic_load_explicit(&part->code, memory_order_acquire);
    if (code && (lanes == 1 || part->wide)) code(uniform, state, lane, lanes, out, NULL);
    else sal_kernel_eval_at(kernel, uniform, state, lane, lanes, out, work);
}

/* From now on all outputs of the kernel (one instance, no place twice) at places below `bound` are
 * stored, not added. */
void sal_kernel_store(sal_kernel *kernel, int bound);

/* How the local leaves of a template's program become places: identity for a flat program. */
typedef struct sal_instances {
    int           count;
    const int    *coordinate; /* [local * count + instance], NULL: identity */
    const int    *param;
    const int    *memory;
    const int    *constraint;
    const double *literal; /* [local * count + instance] */
} sal_instances;

/* An output of a program under construction: what is computed, and which leaf it belongs to; its
 * place follows from the layout and, for each instance, from the maps of local leaves. */
typedef struct sal_target {
    sal_node node;
    int      kind; /* SAL_LEAF_WEIGHT: the index is the place itself */
    int      index;
    int      row;      /* >= 0: an entry (row, index) of a symmetric matrix, lower triangle */
    int      row_kind; /* kind of row: WEIGHT or WEIGHT_MU */
    int      base;     /* added to the place */
} sal_target;

/* The target of the i-th output of a plain vector function. */
#define SAL_OUTPUT(what, i)                                                                        \
    ((sal_target){.node = (what), .kind = SAL_LEAF_WEIGHT, .index = (i), .row = -1})

/* Derivatives that are not structurally zero, each with the leaf that it belongs to, in the order
 * in which they were found. */
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

/* What the places of matrix entries are. */
typedef struct sal_matrix_form {
    int        n;    /* coordinates */
    int        size; /* with constraints */
    bool       diagonal;
    const int *start, *column; /* rows of the lower triangle, if not all of it is kept; else NULL */
} sal_matrix_form;

/* The place of a weight in the test vector: coordinates, then constraints. */
int sal_weight_place(int n, const sal_instances *instances, int kind, int index, int instance);

/* Lowers the targets (null nodes are left out) and adds them as one part. False when out of
 * memory. */
bool sal_kernel_add(sal_kernel *kernel, sal_arena *arena, sal_graph *graph,
                    const sal_target *targets, int count, const sal_layout *layout,
                    const sal_instances *instances, const sal_matrix_form *form);

/* Makes a kernel of those outputs (wanted, by number) of another, which has one part of one
 * instance: with the same operations, so with the same digits. */
bool sal_kernel_subset(sal_kernel *kernel, const sal_kernel *from, const unsigned char *wanted,
                       sal_arena *arena);

/* Lets `second` read what it computes and `first` does too, at the same state, before: this becomes
 * outputs of `complete`, which is the first kernel otherwise, at places from `place` on, and is
 * read in the state, which has the outputs from `base` on. No digit changes. Both have one part
 * with one instance. Returns the number of those outputs, at most `limit`. */
int sal_kernel_share(sal_kernel *complete, const sal_kernel *first, sal_kernel *second, int base,
                     int place, int limit, sal_arena *arena);

/* Makes a kernel of `count` outputs of another, from `first` on, that shares its program: each
 * evaluation computes all outputs, and nothing is copied. place: the new places; NULL: unchanged.
 */
bool sal_kernel_view(sal_kernel *kernel, const sal_kernel *from, int first, int count,
                     const int *place, sal_arena *arena);

/* Completes a part whose program and places are there. */
bool sal_part_plan(sal_part *part, sal_arena *arena);

/* Whether some output has a place in [first, last). */
bool sal_kernel_reaches(const sal_kernel *kernel, int first, int last);

/* How much of the state (its first numbers) the kernel reads. */
int sal_kernel_reads(const sal_kernel *kernel);

/* ---- maps ----------------------------------------------------------------------------------- */

typedef struct sal_map {
    int        outputs;
    sal_kernel value, tangent, adjoint;
} sal_map;

/* The map of these outputs (null: constantly zero) and its derivatives by all state-like leaves. */
bool sal_map_build(sal_map *map, sal_arena *arena, sal_graph *graph, const sal_node *outputs,
                   int count, const sal_layout *layout);

/* Adds one output to the map, for all instances. weight: the leaf that its adjoint is multiplied
 * with. False when out of memory. */
bool sal_map_add(sal_map *map, sal_arena *arena, sal_graph *graph, sal_target output,
                 sal_node weight, const sal_layout *layout, const sal_instances *instances);

void sal_map_value(const sal_map *map, const double *u, double *out, double *work);
void sal_map_tangent(const sal_map *map, const double *u, const double *du, int lanes,
                     double *d_out, double *work);
void sal_map_adjoint(const sal_map *map, const double *u, const double *out_bar, int lanes,
                     double *u_bar, double *work);

/* Seeds for derivatives: the tangent of a leaf, null for literals. */
sal_node sal_seed_tangent(void *context, sal_graph *graph, int kind, int index);

#endif
