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

/* The frozen branch of an abs, sign, min or max: a memory that is +1 or -1, flipped by an automatic
 * event when its argument crosses zero. */
typedef struct sal_kink {
    sal_node    argument;
    int         op, line;
    const char *name;  /* sign@12 */
    bool        moves; /* the argument changes between events: there is an event for it */
    /* Where the argument is zero, all that is evaluated along the motion (forces, constraints and
     * their rates, integrands, guards) is equal on both branches: nothing can stick there. */
    bool continuous;
    bool steep;      /* a motion that meets it has no gradient: a derivative there has no bound */
    int  steep_line; /* the script's line of the term or cost that makes it steep */
} sal_kink;

/* A kink in an expression that is only evaluated at an instant (a reset, a final cost): no branch
 * is frozen, but exactly at the kink there is no gradient if its two sides have different ones. */
typedef struct sal_instant_kinks {
    int        count;
    sal_kernel look; /* of each, the argument, which is zero at the kink, and a number that is zero
                        if both sides have the same derivatives there */
    const char **name;
} sal_instant_kinks;

/* What an event sets: some numbers of (q, v, c). The others stay as they are. */
typedef struct sal_assigned {
    int        count;
    const int *output; /* the number in (q, v, c) of each output of the map */
    sal_map    map;
} sal_assigned;

/* A reset: what happens to the state, in three stages (events.md (2)).
 *   before: (t, q, v, c, rho) -> q+, v*, c+       values of the state before
 *   law:    v+ from v*: v* itself, or Newton's impact law
 *   late:   entries with after(...), of both states
 *   charge: (both states, impulse, rho) -> added to z */
typedef struct sal_reset {
    bool         identity; /* nothing but a change of mode */
    sal_assigned before;
    bool         sets_velocity; /* the script sets velocities, */
    bool         sets_rest;     /* or positions, or memories that constraints contain */
    bool         set_needs_a;   /* what is set contains accelerations before */
    bool         restitution;
    sal_map      contact; /* outputs: G (n + 1), events.md (6): the part of the guard in the law */
    sal_map      normal;  /* outputs: r_q (n), for the matrix of the law */
    sal_kernel   bounce;  /* output: e, for audits */
    bool         has_late;
    sal_assigned late;
    bool         has_charge;
    bool         charge_needs_a_before, charge_needs_a_after;
    sal_map      charge; /* outputs: z (costs) */
    sal_instant_kinks kinks;
    int               picks; /* elements of tables that it reads: how many, */
    const int        *pick;  /* and which picks of the model these are */
} sal_reset;

/* A table by its elements: param is the parameter that it is, SAL_TABLE_NUMBER for a number, or
 * SAL_TABLE_MAP - i for the i-th of the maps of parameters. */
enum { SAL_TABLE_NUMBER = -1, SAL_TABLE_MAP = -2 };
typedef struct sal_table_system {
    int            count;
    const double  *number;
    const int     *param;
    const sal_map *map;
    int            maps;
} sal_table_system;

typedef struct sal_event_system {
    const char      *name;
    int              user; /* index of the event in the model, or -1 */
    int              kink; /* index of the kink, or -1 */
    sal_hidden       hidden;
    int              samples; /* which samples of the model are taken here; -1: none */
    saltus_direction direction;
    sal_map          guard;            /* one output, r */
    sal_kernel       along;            /* r and r' along the motion; no parts if guard_needs_a */
    bool             guard_is_linear;  /* r is linear in q and t: along has r'' too */
    bool             guard_needs_a;    /* r contains accelerations or multipliers */
    bool             guard_has_speeds; /* r contains velocities or accelerations */
    bool             guard_has_forces; /* r contains multipliers */
    bool             guard_is_given;   /* r contains nothing but time: parameters do not move it */
    bool             guard_is_smooth;  /* r changes no faster than the motion: screen.c */
    bool             guard_is_clock;   /* r is linear in t, and nothing else in it moves */
    bool             guard_is_base;    /* r is the base of a power that is not whole: bases.c */
    int              constraint;       /* whose value, or its negative, r is; -1: none */
    double           literals;         /* the sum of |numbers| in the sum that r is */
    sal_map          where;            /* conditions */
    int              wheres;           /* how many conditions there are */
    int speeds; /* how many of the first ones only say which of two events of a touch happens */
    sal_reset   reset;
    sal_map     sampled; /* one output: what is kept of samples taken here */
    int         stop;
    const char *when_text, *from_text, *to_text, *law;
} sal_event_system;

/* The extreme value along the motion that a cost has. */
typedef struct sal_peak_system {
    int    cost;
    double sign;    /* 1: the largest value; -1: the smallest */
    bool   needs_a; /* it contains accelerations or multipliers */
} sal_peak_system;

/* How many numbers a contact has whose modes are found by the run, and in which order. */
enum { SAL_RESTITUTION, SAL_MU_STATIC, SAL_MU_KINETIC, SAL_CONTACT_NUMBERS };
enum { SAL_GAP_RATE, SAL_SLIP_RATE, SAL_CONTACT_RATES };

typedef struct sal_solved sal_solved;

/* The most run constants that kernels may have (constants.h). */
enum { SAL_RUN_CONSTANTS = 256 };

/* What a regime gains after it was made. The lock of the system's cache guards it. */
typedef struct sal_regime_cache {
    sal_solved *solved[SAL_TERM_SETS]; /* by SAL_..._TERMS, made when first asked for */
    bool        tried[SAL_TERM_SETS];  /* by SAL_..._TERMS: there is no reason to try again */
    bool        factored_used;         /* some field factors K */
    int         effort;                /* sal_effort made for SAL_CODE_REGIME */
    int         factored_effort;       /* sal_effort made for SAL_CODE_FACTORED */
} sal_regime_cache;

/* One smooth system: an active mode in every group. It never changes once it is made. */
typedef struct sal_regime {
    sal_arena       arena;
    const int      *active; /* mode by group */
    const char     *name;   /* NULL without modes */
    sal_symmetric   shape;  /* of the matrix */
    sal_matrix_form places; /* of the entries of the matrix */
#define FACTORED(member, ...) sal_kernel member;
#define FACTORED_MAP(member, ...) sal_map member;
#include "compile/kernels.def"
    const int *phi_q_start, *phi_q_column; /* of the row of each constraint in phi_q */
    bool       velocity_dependent;         /* forces or integrands have derivatives by velocities */
    bool       narrow;        /* forces or integrands may have features much shorter than a step */
    int        adjoint_reads; /* how much of a state the adjoints of forces and integrands read */
    int        value_reads;   /* how much of a state forces and integrands read */
    const unsigned char *on;  /* by constraint: active here */
    const unsigned char *loaded;        /* by constraint: active, or its multiplier is friction */
    bool                 constrained;   /* some constraint is active */
    int                  slides;        /* constraints whose multipliers are friction, */
    const sal_slide     *slide;         /* and their places among the unknowns */
    int                  events;        /* how many may happen here */
    const int           *event;         /* the numbers of those */
    const unsigned char *possible;      /* by event: it may happen here */
    bool                 smooth_guards; /* all possible events have smooth guards */
    bool                 clocks;        /* the guard of some possible event is a clock */
    int                  slots;         /* of the largest kernel */
    sal_regime_cache    *cache;
} sal_regime;

/* How much is done to get native code (code.h). */
typedef enum sal_effort { SAL_EFFORT_NONE, SAL_EFFORT_FIND, SAL_EFFORT_COMPILE } sal_effort;

/* The native code of a system. */
typedef struct sal_code_state {
    sal_effort effort;        /* the most that a run asked for */
    int        maps;          /* sal_effort made for SAL_CODE_MAPS */
    double     worked;        /* seconds that runs took so far */
    double     price;         /* estimated seconds of compiling what is not compiled */
    SAL_ARRAY(void *) loaded; /* handles of shared objects */
    int    compiled;          /* how many of those were compiled, not found */
    double seconds;           /* that compilers were waited for */
    double patience; /* seconds that the compilers of a batch may take; 0: the usual limit */
    bool   stopped;  /* something was not compiled because the caller wanted to stop */
    bool   late;     /* compilers exceeded the patience once: nothing more is compiled */
    char   note[SAL_WHY];
} sal_code_state;

/* What grows while a system is used. The lock guards all of it. */
typedef struct sal_system_cache {
    pthread_mutex_t lock;
    sal_work        work; /* what compiling may take, and has taken */
    sal_graph graph; /* flat systems: a copy of the model's, with what is derived for regimes */
    SAL_ARRAY(sal_regime *) regimes;
    sal_code_state code;
} sal_system_cache;

typedef struct sal_template    sal_template;
typedef struct sal_term_leaves sal_term_leaves;

/* Terms sorted by shape: see template.h. */
typedef struct sal_template_set {
    int              count; /* of terms */
    int              templates;
    sal_template    *template_;
    int             *number; /* by term: its template */
    sal_term_leaves *leaves; /* by term */
    long long        nodes;  /* of all terms, one by one */
} sal_template_set;

struct saltus_system {
    saltus_allocator allocator;   /* the caller's: for runs and whatever else is not compiling */
    sal_arena        arena;       /* its allocator counts (sal_system_cache.work) */
    saltus_model    *model;       /* our copy, kinks replaced */
    int        n, np, nm, nc, no; /* coordinates, parameters, memories with kinks, costs, outputs */
    int        nmu, nx;           /* constraints; unknowns: accelerations and multipliers */
    int        nm_user;           /* memories of the script; kinks follow */
    sal_layout layout;
    int        kinks;
    sal_kink  *kink;
    int        events;       /* the script's, then the kinks', then hidden ones */
    int        events_shown; /* without hidden ones */
    sal_event_system *event;
    sal_map           initial;      /* rho -> q0 (n), v0 (n), c0 (nm_user), t_end */
    bool              end_moves;    /* t_end depends on rho */
    bool              kinks_need_a; /* arguments of kinks contain accelerations or multipliers */
    bool              graded;       /* some guard is the base of a power that is not whole */
    sal_map           kink_map;     /* arguments of all kinks */
    sal_map           phi, phi_dot; /* all constraints, and their rates */
    sal_kernel        contact_numbers, contact_rates; /* SAL_CONTACT_NUMBERS, _RATES by contact */
    sal_kernel        sides;     /* of constraints that have a side; no parts: none has */
    sal_map           integrand; /* of the costs */
    sal_map           final;     /* of the costs */
    bool              has_integral;
    bool              integrand_needs_a;
    unsigned          narrow; /* kinds of leaves in which functions may have narrow features */
    bool              final_needs_a;
    int               peaks;        /* costs that have an extreme value along the motion, */
    sal_peak_system  *peak;         /* which they are, */
    sal_map           peak_map;     /* and of what */
    bool              peaks_need_a; /* some of them contain accelerations or multipliers */
    sal_table_system *table;        /* by table of the model */
    unsigned char    *holds;        /* by memory of the script: a constraint contains it */
    sal_kernel        outputs;
    sal_instant_kinks final_kinks, start_kinks;
    int               slots;         /* of the largest kernel outside of regimes */
    bool              flat;          /* one program per kernel, not one per template */
    sal_form          form;          /* of the matrix, in all regimes */
    int               matrix_size;   /* the most numbers that the matrix takes */
    bool              mass_constant; /* the matrix depends on nothing that changes during a run */
    bool              needs_law;     /* there are constraints, or events with restitution */
    int               max_slides;    /* the most that a regime may have */
    bool              has_rolling;   /* there are constraints of velocities */
    sal_template_set  terms;         /* terms of the model by their shape */
    sal_template_set  addends;       /* addends of costs that are long sums, by their shape */
    SAL_ARRAY(const char *) warnings;
    const char **cost_integral, **cost_final, **cost_peak, *end_text;
    const char **start_text;   /* of positions (n), velocities (n), memories */
    const char **contact_text; /* of found contacts: restitution, static and kinetic friction */
    double      *start_value;  /* of positions, velocities, memories, with the model's parameters */

    sal_system_cache *cache;
};

/* ---- passes of the compiler: false when out of memory ---------------------------------------- */

/* Compiles these expressions of the model as a map, these targets as a kernel. */
static inline bool sal_system_map(saltus_system *system, sal_map *map, const sal_node *nodes,
                                  int count)
{
    return sal_map_build(map, &system->arena, &system->model->graph, nodes, count, &system->layout);
}

static inline bool sal_system_kernel(saltus_system *system, sal_kernel *kernel,
                                     const sal_target *targets, int count)
{
    return sal_kernel_add(kernel, &system->arena, &system->model->graph, targets, count,
                          &system->layout, NULL, NULL);
}

/* Replaces roots of sums of squares of which only one moves. */
bool sal_roots_simplify(saltus_system *system);
/* Replaces sizes of velocities in what is smooth where they are zero: drag from rest. */
bool sal_roots_smooth(saltus_system *system);
/* Replaces powers and roots whose base cannot be negative because of a kink or of the mode: once
 * that is frozen, they are evaluated a little beyond it. Comes before kinks are replaced. */
bool sal_powers_clamp(saltus_system *system);
/* Replaces kinks in everything that is evaluated along the motion. */
bool sal_kinks_replace(saltus_system *system);
/* Finds out which kinks are continuous, and which are steep. */
bool sal_kinks_judge(saltus_system *system);
/* The kinks of expressions evaluated at an instant. */
bool sal_kinks_instant(saltus_system *system, const sal_node *roots, int count,
                       sal_instant_kinks *kinks);

/* Compiles tables. */
bool sal_tables_compile(saltus_system *system);
/* Notes which elements of tables a reset reads. */
bool sal_picks_find(saltus_system *system, const sal_node *roots, int count, sal_reset *reset);

/* Whether the guards of kinks are to share programs. False also when out of memory. */
bool sal_guards_are_nested(saltus_system *system);
/* Compiles these guards into shared programs. */
bool sal_guards_share(saltus_system *system);

/* Of these integrands (by cost), takes those that are long sums with few shapes of addends: they
 * become null, and are in system->addends. */
bool sal_long_sums_take(saltus_system *system, sal_node *integral, sal_arena *scratch);
/* Adds what was taken to the map of integrands. */
bool sal_long_sums_add(saltus_system *system, sal_map *map);

/* Finds guards that are the base of a power which is not whole. */
bool sal_bases_find(saltus_system *system);

/* The regime with these active modes, compiled if it is new; NULL on failure. Safe to call from
 * several threads. */
const sal_regime *sal_system_regime(const saltus_system *system, const int *active,
                                    saltus_error *err);

/* The solved kernels of the regime (solved.h), compiled if they are new. NULL: there are none
 * because the system is large, or, if starved is set, out of memory: the next call tries again.
 * Safe to call from several threads. */
const sal_solved *sal_system_solved(const saltus_system *system, const sal_regime *regime,
                                    unsigned which, bool *starved);

/* Releases what is in the cache. */
void sal_system_cache_clear(const saltus_system *system);

/* The names of modes, joined. */
const char *sal_modes_text(const saltus_model *model, sal_arena *arena, const int *modes, int count,
                           const char *joint);

/* Compiles one event; name and guard are set. shared: guards of kinks are compiled elsewhere. */
saltus_status sal_event_compile(saltus_system *system, sal_event_system *event, bool shared,
                                saltus_error *err);

/* A guard and its time derivatives along the motion. */
typedef struct sal_along_nodes {
    sal_node guard, rate, bend; /* null bend: not asked for */
} sal_along_nodes;

/* Notes what r' and r'' tell of the guard; returns how many of r, r', r'' are of use. */
int sal_event_note_along(const sal_graph *graph, sal_event_system *event, const sal_along_nodes *r);

/* Whether guards change no faster than the motion: polynomials in t, q, v, or roots of these. */
bool sal_guards_find_smooth(sal_graph *graph, const sal_node *guards, int count, bool *smooth);

/* The name of the i-th unknown: the coordinates, then the constraints. */
const char *sal_system_unknown(const saltus_system *system, int i);

#endif
