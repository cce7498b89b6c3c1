/* A compiled model. A system is a plan, which never changes once it is compiled, and a cache beside
 * it (sal_system_cache), which grows under a lock. So threads may share a system. */
#ifndef SAL_COMPILE_SYSTEM_H
#define SAL_COMPILE_SYSTEM_H

#include <pthread.h>

#include "base/work.h"
#include "compile/virtual_power.h"
#include "linalg/border.h"
#include "model/model.h"
#include "native/load.h"
#include "saltus/sim.h"

/* The frozen branch of an abs, sign, min, max or of the cut of an atan2: a memory with the value +1
 * or -1, which an automatic event flips when the argument of the kink crosses zero. */
typedef struct sal_kink {
    sal_node    argument;
    int         op, line;
    const char *name;  /* for messages, such as sign@12 */
    bool        moves; /* the argument changes between events, so the kink has an event */
    /* Everything that is evaluated along the motion (forces, constraints and their rates,
     * integrands, guards) has the same value on both branches where the argument is zero, so that
     * the motion cannot stick to the kink. */
    bool continuous;
    bool steep; /* a derivative is unbounded at the kink: a motion that meets it has no gradient */
    int  steep_line; /* the script's line of the term or cost that makes it steep */
} sal_kink;

/* The kinks in expressions that are only evaluated at an instant (a reset, a final cost). No branch
 * is frozen there; but exactly at a kink there is no gradient if the derivatives on its two sides
 * differ. */
typedef struct sal_instant_kinks {
    int        count;
    sal_kernel look; /* outputs, two for each kink: its argument, and a number that is zero if both
                        sides of the kink have the same derivatives */
    const char **name;
} sal_instant_kinks;

/* The entries of (q, v, c) that an event sets; the event leaves all others unchanged. */
typedef struct sal_assigned {
    int        count;
    const int *output; /* by output of the map: the index in (q, v, c) that it sets */
    sal_map    map;
} sal_assigned;

/* A reset: how an event changes the state, in three stages (events.md (2)), and what it charges.
 *   before: (t, q, v, c, rho) -> q+, v*, c+    computed from the state before the event
 *   law:    v+ from v*: v* itself, or Newton's impact law
 *   late:   assignments that contain after(...), computed from both states
 *   charge: (both states, impulse, rho) -> increments of z */
typedef struct sal_reset {
    bool         identity; /* the event changes at most the mode */
    sal_assigned before;
    bool         sets_velocity; /* the script sets velocities */
    bool         sets_rest;   /* the script sets positions, or memories that constraints contain */
    bool         set_needs_a; /* an assigned value contains accelerations before the event */
    bool         restitution; /* the event has a coefficient of restitution */
    sal_map      contact; /* outputs: G (n + 1), events.md (6): the part of the guard in the law */
    sal_map      normal;  /* outputs: r_q (n), for the matrix of the law */
    sal_kernel   bounce;  /* output: the coefficient of restitution e, for audits and warnings */
    sal_assigned late;    /* assignments with the state after the event; often none */
    bool         has_charge;
    bool         charge_needs_a_before, charge_needs_a_after;
    sal_map      charge; /* outputs: z (costs) */
    sal_instant_kinks kinks;
    int               picks; /* number of table elements that the reset reads */
    const int        *pick;  /* indices of these elements among the picks of the model */
} sal_reset;

/* A compiled table. Each element is a number, a parameter, or an expression of parameters. */
enum { SAL_TABLE_NUMBER = -1, SAL_TABLE_MAP = -2 };
typedef struct sal_compiled_table {
    int           count;
    const double *number; /* by element: its value, if it is a number */
    const int    *param;  /* by element: the index of its parameter; SAL_TABLE_NUMBER for a number;
                           * SAL_TABLE_MAP - i for the i-th map */
    const sal_map *map;   /* the elements that are expressions of parameters */
    int            maps;
} sal_compiled_table;

typedef struct sal_compiled_event {
    const char      *name;
    int              user; /* index of the event in the model, or -1 */
    int              kink; /* index of the kink, or -1 */
    sal_hidden       hidden;
    int              samples; /* index of the model's samples that this event takes; -1: none */
    saltus_direction direction;
    sal_map          guard;            /* one output, r */
    sal_kernel       along;            /* r and r' along the motion; no parts if guard_needs_a */
    bool             guard_is_linear;  /* r is linear in q and t: `along` computes r'' too */
    bool             guard_needs_a;    /* r contains accelerations or multipliers */
    bool             guard_has_speeds; /* r contains velocities or accelerations */
    bool             guard_has_forces; /* r contains multipliers */
    bool             guard_is_given;   /* r contains only time and numbers, and no parameters */
    bool             guard_is_smooth;  /* r changes no faster than the motion: screen.c */
    bool             guard_is_clock;   /* r is linear in t, and nothing else in it moves */
    bool             guard_is_base;    /* r is the base of a non-integer power: bases.c */
    int              constraint;       /* the constraint with r = Phi or r = -Phi; -1: none */
    double           literals;         /* sum of the magnitudes of the numbers added up in r */
    sal_map          where;            /* outputs: the conditions of the event */
    int              wheres;           /* number of conditions */
    int         speeds; /* number of leading conditions that choose between bounce and closing */
    sal_reset   reset;
    sal_map     sampled; /* one output: the value that samples taken at this event keep */
    int         stop;
    const char *when_text, *from_text, *to_text, *law;
} sal_compiled_event;

/* A cost that is an extreme value of an expression along the motion. */
typedef struct sal_compiled_peak {
    int    cost;    /* index of the cost */
    double sign;    /* 1: the largest value; -1: the smallest */
    bool   needs_a; /* the expression contains accelerations or multipliers */
} sal_compiled_peak;

/* Outputs of contact_numbers and of contact_rates for one contact whose modes the run finds. */
enum { SAL_RESTITUTION, SAL_MU_STATIC, SAL_MU_KINETIC, SAL_CONTACT_NUMBERS };
enum { SAL_GAP_RATE, SAL_SLIP_RATE, SAL_CONTACT_RATES };

typedef struct sal_solved sal_solved;

/* The largest number of run constants (constants.h). */
enum { SAL_RUN_CONSTANTS = 256 };

/* The parts of a regime that are added after it was built. The lock of the system's cache guards
 * them. */
typedef struct sal_regime_cache {
    sal_solved *solved[SAL_TERM_SETS]; /* by SAL_..._TERMS: built when first requested */
    bool        tried[SAL_TERM_SETS];  /* by SAL_..._TERMS: built, or known not to be possible */
    bool        factored_used;         /* some field factors K in this regime */
    int         effort;                /* sal_effort made for SAL_CODE_REGIME */
    int         factored_effort;       /* sal_effort made for SAL_CODE_FACTORED */
} sal_regime_cache;

/* One smooth system: an active mode in every group. It never changes after it was built. */
typedef struct sal_regime {
    sal_arena       arena;
    const int      *active; /* by group: the active mode */
    const char     *name;   /* names of the active modes, joined; NULL in a model without modes */
    sal_symmetric   shape;  /* form and sparsity pattern of the matrix K */
    sal_matrix_form places; /* places of the entries of K */
#define FACTORED(member, ...) sal_kernel member;
#define FACTORED_MAP(member, ...) sal_map member;
#include "compile/kernels.def"
    const int *phi_q_start, *phi_q_column; /* starts and columns of the rows of phi_q */
    bool       velocity_dependent;         /* forces or integrands have derivatives by velocities */
    bool       narrow;        /* forces or integrands may have features much shorter than a step */
    int        adjoint_reads; /* how much of a state the adjoints of forces and integrands read */
    int        value_reads;   /* how much of a state forces and integrands read */
    const unsigned char *on;  /* by constraint: it is active in this regime */
    const unsigned char *loaded;        /* by constraint: active, or its multiplier is friction */
    bool                 constrained;   /* some constraint is active */
    int                  slides;        /* number of constraints whose multipliers are friction */
    const sal_slide     *slide;         /* by slide: the places of its multipliers in (a, mu) */
    int                  events;        /* number of events that may happen in this regime */
    const int           *event;         /* indices of the events that may happen in this regime */
    const unsigned char *possible;      /* by event: it may happen in this regime */
    bool                 smooth_guards; /* all possible events have smooth guards */
    bool                 clocks;        /* the guard of some possible event is a clock */
    int                  slots;         /* number of slots of the largest kernel */
    sal_regime_cache    *cache;
} sal_regime;

/* How much is done to get native code (code.h). */
typedef enum sal_effort { SAL_EFFORT_NONE, SAL_EFFORT_FIND, SAL_EFFORT_COMPILE } sal_effort;

/* The native code of a system. */
typedef struct sal_code_state {
    sal_effort effort;        /* the most that a run requested */
    int        maps;          /* sal_effort made for SAL_CODE_MAPS */
    double     worked;        /* seconds of work of all runs so far */
    double     price;         /* estimated seconds to compile what was not found in the cache */
    SAL_ARRAY(void *) loaded; /* handles of shared objects */
    int    compiled;          /* number of loaded objects that were not found, but compiled */
    double seconds;           /* seconds spent waiting for compilers */
    double patience;      /* seconds that the compilers of a batch may take; 0: the usual limit */
    bool   stopped;       /* something was not compiled, as the caller requested to stop */
    bool   late;          /* compilers exceeded the patience once: nothing more is compiled */
    char   note[SAL_WHY]; /* why native code could not be made; empty if nothing failed */
} sal_code_state;

/* The part of a system that grows while it is used. The lock guards all of it. */
typedef struct sal_system_cache {
    pthread_mutex_t lock;
    sal_work        work;  /* memory and steps of compiling, with their limits */
    sal_graph       graph; /* flat systems: the model's graph, and nodes derived for regimes */
    SAL_ARRAY(sal_regime *) regimes;
    sal_code_state code;
} sal_system_cache;

typedef struct sal_template    sal_template;
typedef struct sal_term_leaves sal_term_leaves;

/* Terms sorted by shape: see template.h. */
typedef struct sal_template_set {
    int              count;     /* number of terms */
    int              templates; /* number of templates */
    sal_template    *template_;
    int             *number; /* by term: its template */
    sal_term_leaves *leaves; /* by term: its leaves */
    long long        nodes;  /* sum of the numbers of nodes of all terms, if none were shared */
} sal_template_set;

struct saltus_system {
    saltus_allocator allocator;   /* the caller's allocator, for everything but compilation */
    sal_arena        arena;       /* memory of the system; counted in sal_system_cache.work */
    saltus_model    *model;       /* our copy, with kinks replaced */
    int        n, np, nm, nc, no; /* coordinates, parameters, memories with kinks, costs, outputs */
    int        nmu, unknowns;     /* constraints; unknowns: accelerations and multipliers */
    int        nm_user;           /* memories without the branches of kinks, which follow them */
    sal_layout layout;
    int        kinks;
    sal_kink  *kink;
    int        events;       /* the script's, then the kinks', then hidden ones */
    int        events_shown; /* number of events without hidden ones */
    sal_compiled_event *event;
    sal_map             initial;         /* rho -> q0 (n), v0 (n), c0 (nm_user), t_end */
    bool                end_moves;       /* t_end depends on rho */
    bool                has_power_kinks; /* some guard is the base of a non-integer power */
    sal_map             kink_map;        /* outputs: arguments of all kinks */
    sal_map             phi, phi_dot;    /* outputs: all constraints; their time derivatives */
    sal_kernel          contact_numbers, contact_rates; /* SAL_CONTACT_NUMBERS, _RATES by contact */
    sal_kernel          sides;     /* outputs: sides of constraints; no parts if none has a side */
    sal_map             integrand; /* outputs: integrands of the costs */
    sal_map             final;     /* outputs: final values of the costs */
    bool                has_integral;
    bool                integrand_needs_a; /* integrands contain accelerations or multipliers */
    unsigned            narrow; /* kinds of leaves in which functions may have narrow features */
    bool                final_needs_a; /* final values contain accelerations or multipliers */
    int                 peaks;    /* number of costs that have an extreme value along the motion */
    sal_compiled_peak  *peak;     /* the costs that have an extreme value along the motion */
    sal_map             peak_map; /* outputs: the expressions whose extreme values are costs */
    sal_compiled_table *table;    /* by table of the model */
    unsigned char      *holds;    /* by memory of the script: a constraint contains it */
    sal_kernel          outputs;
    sal_instant_kinks   final_kinks, start_kinks; /* kinks of final costs; of start values */
    int                 slots;         /* slots of the largest kernel outside of regimes */
    bool                flat;          /* one program per kernel, not one per template */
    sal_form            form;          /* form of the matrix K in all regimes */
    int                 matrix_size;   /* largest number of stored entries of K in any regime */
    bool                mass_constant; /* K depends on nothing that changes during a run */
    bool                needs_law;     /* there are constraints, or events with restitution */
    int                 max_slides;    /* largest number of slides that a regime may have */
    bool                has_rolling;   /* there are constraints on velocities */
    sal_template_set    terms;         /* terms of the model, sorted by shape */
    sal_template_set    addends;       /* addends of costs that are long sums, sorted by shape */
    SAL_ARRAY(const char *) warnings;
    /* Texts of expressions as the script has them. */
    const char **cost_integral, **cost_final, **cost_peak, *end_text;
    const char **start_text;   /* positions (n), velocities (n), memories */
    const char **contact_text; /* three by found contact: restitution, static, kinetic friction */
    double      *start_value;  /* values of start_text with the model's parameters */

    sal_system_cache *cache;
};

/* ---- passes of the compiler: false when out of memory ---------------------------------------- */

/* Compiles expressions of the model as a map. */
static inline bool sal_system_map(saltus_system *system, sal_map *map, const sal_node *nodes,
                                  int count)
{
    return sal_map_build(map, &system->arena, &system->model->graph, nodes, count, &system->layout);
}

/* Compiles targets in the model's graph as a kernel. */
static inline bool sal_system_kernel(saltus_system *system, sal_kernel *kernel,
                                     const sal_target *targets, int count)
{
    return sal_kernel_add(kernel, &system->arena, &system->model->graph, targets, count,
                          &system->layout, NULL, NULL);
}

/* Replaces roots of sums of squares in which only one addend can change by abs: still.c. */
bool sal_square_roots_simplify(saltus_system *system);
/* Replaces magnitudes of velocities where a term is smooth although they vanish, as quadratic drag
 * at rest: smooth.c. */
bool sal_square_roots_smooth(saltus_system *system);
/* Replaces powers and roots whose base a kink or the mode keeps from being negative. With a frozen
 * branch they are evaluated slightly beyond its end, where the base is negative. To be called
 * before sal_kinks_replace. See powers.c. */
bool sal_powers_clamp(saltus_system *system);
/* Replaces kinks in everything that is evaluated along the motion. */
bool sal_kinks_replace(saltus_system *system);
/* Finds out which kinks are continuous, and which are steep. */
bool sal_kinks_judge(saltus_system *system);
/* Compiles the kinks in expressions that are evaluated at an instant. */
bool sal_kinks_instant(saltus_system *system, const sal_node *roots, int count,
                       sal_instant_kinks *kinks);

/* Compiles tables. */
bool sal_tables_compile(saltus_system *system);
/* Notes which elements of tables a reset reads. */
bool sal_table_reads_find(saltus_system *system, const sal_node *roots, int count,
                          sal_reset *reset);

/* Whether the guards of kinks should share programs: guards.c. False also when out of memory. */
bool sal_guards_are_nested(saltus_system *system);
/* Compiles the guards of all kinks into shared programs. */
bool sal_guards_share(saltus_system *system);

/* Moves integrands (by cost) that are long sums with few shapes of addends to system->addends, and
 * sets them to null. */
bool sal_long_sums_take(saltus_system *system, sal_node *integral, sal_arena *scratch);
/* Adds the sums in system->addends to the map of integrands. */
bool sal_long_sums_add(saltus_system *system, sal_map *map);

/* Marks guards that are the base of a non-integer power: bases.c. */
bool sal_power_bases_find(saltus_system *system);

/* Returns the regime with these active modes, which is compiled if it is new; NULL on failure. Safe
 * to call from several threads. */
const sal_regime *sal_system_regime(const saltus_system *system, const int *active,
                                    saltus_error *err);

/* Returns the solved kernels of the regime (solved.h) for a set of terms (SAL_..._TERMS), which are
 * compiled if they are new. NULL: the system is too large for them; or, if out_of_memory is set,
 * memory ran out, and the next call tries again. Safe to call from several threads. */
const sal_solved *sal_system_solved(const saltus_system *system, const sal_regime *regime,
                                    unsigned which, bool *out_of_memory);

/* Releases the contents of the cache. */
void sal_system_cache_clear(const saltus_system *system);

/* Returns the names of modes, joined by `joint`. */
const char *sal_modes_text(const saltus_model *model, sal_arena *arena, const int *modes, int count,
                           const char *joint);

/* Compiles one event, whose indices (user, kink, samples) are set. shared: guards of kinks are left
 * to sal_guards_share. */
saltus_status sal_event_compile(saltus_system *system, sal_compiled_event *event, bool shared,
                                saltus_error *err);

/* A guard and its time derivatives along the motion. */
typedef struct sal_along_nodes {
    sal_node guard, rate, bend; /* r, r', r''; null bend: not computed */
} sal_along_nodes;

/* Sets the fields of the event that follow from r' and r'' (guard_is_clock, guard_is_linear);
 * returns how many of r, r', r'' its kernel `along` computes. */
int sal_event_note_along(const sal_graph *graph, sal_compiled_event *event,
                         const sal_along_nodes *r);

/* Sets by guard whether it changes no faster than the motion: it is made of polynomials in t, q, v
 * and of roots of these. False when out of memory. */
bool sal_guards_find_smooth(sal_graph *graph, const sal_node *guards, int count, bool *smooth);

/* Returns the name of the i-th unknown, in the order coordinates, constraints. */
const char *sal_system_unknown(const saltus_system *system, int i);

#endif
