/* The model: a hybrid system in plain expressions. Builders fill it in; nothing here is computed
 * with yet. The public functions of include/saltus/model.h are implemented in this folder and in
 * mech/. */
#ifndef SAL_MODEL_MODEL_H
#define SAL_MODEL_MODEL_H

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"
#include "expr/graph.h"
#include "saltus/draw.h"
#include "saltus/model.h"
#include "saltus/sim.h"

typedef struct sal_place {
    const char *file; /* NULL: not from a script */
    int         line;
} sal_place;

/* What every named thing has. */
typedef struct sal_label {
    const char *name, *unit, *doc;
    sal_place   place;
} sal_label;

typedef struct sal_param {
    sal_label label;
    double    value, lower, upper;
    bool      fixed;
} sal_param;

typedef struct sal_setting {
    const char *name;
    double      value;
    const char *text;
} sal_setting;

typedef struct sal_override {
    const char *name;
    double      value;
    const char *text;
    bool        used;
} sal_override;

typedef struct sal_coordinate {
    sal_label label;
    sal_node  start, speed;
    bool      guessed; /* start and speed come from the constraints; start is where to look */
    bool      state;   /* its velocity is a first-order state, and nothing reads its position */
    bool      rated;   /* of a state: it has a rate, in some mode at least */
    sal_node  rate;    /* of a state: its rate in all modes; null: it depends on the mode */
} sal_coordinate;

typedef struct sal_memory {
    sal_label label;
    sal_node  start;
    bool      hidden; /* an element keeps it for itself; it is not shown */
} sal_memory;

/* A list of numbers and expressions of parameters. Only resets and charges read it, one element at
 * a time, so that nothing that is evaluated along the motion grows with its length. */
typedef struct sal_table {
    int       count;
    sal_node *element;
} sal_table;

/* The element of a table whose number is a memory plus an offset; beyond its ends, the first or the
 * last one. It is a leaf of expressions (SAL_LEAF_PICK). */
typedef struct sal_pick {
    int table, memory, offset;
} sal_pick;

typedef struct sal_mode {
    sal_label label;
    int       group;
} sal_mode;

typedef struct sal_group {
    const char *name;   /* "" for the unnamed one */
    int         first;  /* the mode active at the start */
    bool        chosen; /* the script says so */
} sal_group;

/* In every group that the list mentions, one of those mentioned is active; sorted by group. An
 * empty list is always active unless `never` is set. */
typedef struct sal_modes {
    int  count;
    int *mode;
    bool never;
} sal_modes;

typedef struct sal_constraint {
    sal_label label;
    sal_node  phi;
    sal_modes modes;
    double    alpha;    /* its own penalty factor; 0: that of the solver */
    sal_node  side;     /* positive on the intended branch of its solutions; null: all of them */
    bool      velocity; /* phi is Psi, linear in velocities, and no equation of positions */
    bool      found;    /* it belongs to a contact whose modes are found by the program */
    sal_node  settled;  /* a memory: 0 while its multiplier stands for bounces left out, else 1 */
} sal_constraint;

typedef enum sal_term_kind {
    SAL_KINETIC,     /* e[0] = T */
    SAL_POTENTIAL,   /* e[0] = U */
    SAL_DISSIPATION, /* e[0] = D */
    SAL_FORCE,       /* e[0] = u, e[1] = f */
    SAL_CONSTRAINT,  /* e[0] = Phi, e[1] = restitution of its impacts, or null */
    SAL_ROLLING,     /* e[0] = Psi */
    SAL_SLIDING,     /* e[0] = slip, e[1] = k: its multiplier is -k times that of the normal */
    SAL_RUBBING,     /* e[0] = slip, e[1] = k: its multiplier is k */
    SAL_FIRST_ORDER  /* e[0] = q: a mass of one that has no energy, so that forces are rates */
} sal_term_kind;

/* The constraints whose multipliers a term contains: its own, and the normal one of a contact that
 * slides; -1: none. */
typedef struct sal_rows {
    int own, normal;
} sal_rows;

typedef struct sal_term {
    sal_term_kind kind;
    sal_node      e[2];
    sal_modes     modes;
    sal_place     place;
    sal_rows      rows;
} sal_term;

/* Point masses and gravity: joined to potentials when the model is finished. */
typedef struct sal_point_mass {
    sal_node  x, y, m;
    sal_modes modes;
    sal_place place;
} sal_point_mass;

typedef struct sal_gravity {
    sal_node  gx, gy;
    sal_modes modes;
} sal_gravity;

typedef struct sal_assignment {
    int       kind, index; /* SAL_LEAF_Q, SAL_LEAF_V or SAL_LEAF_C */
    sal_node  value;
    sal_place place;
} sal_assignment;

typedef struct sal_charge {
    const char *cost;
    sal_node    value;
    sal_place   place;
} sal_charge;

/* The modes of a contact whose modes are found by the program, in the order of sal_contact.mode.
 * Without friction it is held, or open. */
enum { SAL_OPEN, SAL_HELD, SAL_SLIDES_PLUS, SAL_SLIDES_MINUS, SAL_CONTACT_MODES };

/* Such a contact, or dry friction on a velocity, which has no normal and is never open. */
typedef struct sal_contact {
    sal_label label;
    int       group;
    int       mode[SAL_CONTACT_MODES]; /* -1: it has no such mode */
    int       normal, friction;        /* constraints; -1: none */
    sal_node  restitution;             /* null: none */
    sal_node  mu_static, mu_kinetic; /* coefficients, or without a normal the limits; null: none */
    sal_node  given_restitution;     /* as the user gave it: it does not end at the last bounce */
    sal_node  series;      /* the factor of impulses that includes later ones in charges; null: 1 */
    sal_node  last_series; /* the same of the last bounce */
    int       slow, speed; /* memories: which speed is slow, that of the last touch; -1: none */
    int       rest_at;     /* the memory of when all its bounces are over; -1: none */
    sal_modes modes;       /* it exists in these only */
    bool      starts_closed;
    bool      closes; /* it does not only bounce */
    bool      rests;  /* it comes to rest by itself after all its bounces */
    bool      holds;  /* it stays where it closed: `friction` is the constraint of that */
} sal_contact;

/* Touches count as slow, for series of them, from this multiple of the speed of rest on: later ones
 * then are all in the sum when contacts stay. */
#define SAL_SERIES_EARLY 4.0

/* What an event does in a contact. One that leaves happens also where its guard, the multiplier, is
 * found past zero: a contact does not pull. */
typedef enum sal_contact_role {
    SAL_TOUCHES,
    SAL_LEAVES,
    SAL_ENDS,
    SAL_SLIPS_PLUS, /* it no longer sticks, and slides in this direction */
    SAL_SLIPS_MINUS,
    SAL_STOPS,
    SAL_RESTS /* all bounces are over */
} sal_contact_role;

/* Why users do not see an event. At one instant, samples come first, because they see the state
 * before all others, then nodes, then events of the script, then clocks. */
typedef enum sal_hidden {
    SAL_SHOWN,
    SAL_HIDDEN_SAMPLE, /* something is measured */
    SAL_HIDDEN_NODE,   /* a control begins its next piece */
    SAL_HIDDEN_TICK    /* a clock goes on that does not always strike */
} sal_hidden;

typedef struct sal_event {
    sal_label        label;
    sal_node         when;
    saltus_direction direction;
    sal_modes        from, to;
    sal_node         restitution; /* null: none */
    int              stop;
    saltus_enter     enter;
    int              contact; /* the number of the contact it belongs to; 0: none */
    sal_contact_role role;    /* in its contact */
    int              found;   /* 1 + the number of the sal_contact it belongs to; 0: none */
    sal_hidden       hidden;
    bool             timed;  /* its times are known in advance: it happens at the start, too */
    bool             delays; /* other events follow it after a delay */
    SAL_ARRAY(sal_node) where;
    SAL_ARRAY(sal_assignment) set;
    SAL_ARRAY(sal_charge) charge;
} sal_event;

typedef struct sal_cost {
    sal_label label;
    sal_node  integral, final; /* null: none */
    sal_node  peak;            /* whose extreme value along the motion it has; null: none */
    bool      lowest;          /* that is the smallest value, not the largest */
} sal_cost;

/* Of a periodic motion: the parameter starts a period, and has the final value at its end. */
typedef struct sal_return {
    int       param;
    sal_node  final;
    sal_place place;
} sal_return;

typedef struct sal_output {
    sal_label label;
    sal_node  value;
} sal_output;

/* What is measured at given times: charged to a cost, or kept for saltus_run_samples. When the
 * model is finished, it becomes an event. */
typedef struct sal_samples {
    sal_label label;     /* of the cost, or its own */
    int       times;     /* table of the times, which ascend */
    int       number;    /* memory: how many were taken */
    int       next;      /* memory: the time of the next one */
    sal_node  value;     /* what is charged or kept */
    bool      charged;   /* to the cost that has its name */
    int       event;     /* of the finished model */
    int       count;     /* of the samples asked for; several may have one time */
    int      *number_of; /* by sample: which of the times is its own */
} sal_samples;
/* What a fit compares the motion with: an expression at times, or the times of an event. */
typedef struct sal_measurement {
    sal_label   label;
    sal_node    of;    /* null: the times of an event */
    const char *event; /* its name */
    int         count;
    bool        weighted; /* standard deviations are given; else sigma is 1 */
    double     *at, *value, *sigma;
} sal_measurement;

/* A control, whose memories a hidden event sets at each node (control.c). */
typedef struct sal_control {
    sal_label           label;
    saltus_control_kind kind;
    int                 nodes;         /* how many pieces it has */
    int                 param, params; /* the first one of its values, and how many there are */
    const char         *from;          /* the event that it begins with; NULL: the horizon */
    sal_node            duration;      /* of all pieces; null until the horizon is known */
    int                 number;        /* memories: which piece it is, */
    int                 next;          /* when the next one begins, */
    int                 start, begin;  /* when the first one and this one began, */
    int                 c[4];          /* and the coefficients of this one */
} sal_control;

/* An event at times known in advance: again and again, or after another event. */
typedef struct sal_timer {
    int         event;
    const char *after;  /* the event that it follows; NULL: a clock that strikes regularly */
    sal_node    time;   /* the period, or the delay */
    sal_node    phase;  /* of a clock: when it strikes first, after the start */
    int         memory; /* of a clock: how often it has struck; else when the event is due */
    int         table;  /* with the period or delay as its only element */
} sal_timer;

/* What is drawn: its numbers are in `drawn` of the model, from first on. */
typedef struct sal_shape {
    saltus_shape shape;
    sal_label    label;
    sal_modes    modes;
    int          first, count;
} sal_shape;

/* The lists that a copy of the model copies as they are. `impulses` are the names that
 * impulse(name) asks for, by leaf index. */
#define SAL_MODEL_LISTS(X)                                                                         \
    X(sal_param, params)                                                                           \
    X(sal_setting, settings)                                                                       \
    X(sal_coordinate, coordinates)                                                                 \
    X(sal_memory, memories)                                                                        \
    X(sal_mode, modes)                                                                             \
    X(sal_group, groups)                                                                           \
    X(sal_term, terms)                                                                             \
    X(sal_constraint, constraints)                                                                 \
    X(sal_point_mass, point_masses)                                                                \
    X(sal_gravity, gravities)                                                                      \
    X(sal_contact, found_contacts)                                                                 \
    X(sal_cost, costs)                                                                             \
    X(sal_return, returns)                                                                         \
    X(sal_measurement, measurements)                                                               \
    X(sal_output, outputs)                                                                         \
    X(sal_shape, shapes)                                                                           \
    X(sal_node, drawn)                                                                             \
    X(sal_table, tables)                                                                           \
    X(sal_pick, picks)                                                                             \
    X(sal_samples, samples)                                                                        \
    X(sal_control, controls)                                                                       \
    X(sal_timer, timers)                                                                           \
    X(const char *, impulses)                                                                      \
    X(const char *, over)                                                                          \
    X(saltus_limit, limits)

/* Tables of names; coordinates and memories share state_names. */
#define SAL_MODEL_NAMES(X)                                                                         \
    X(param_names)                                                                                 \
    X(state_names)                                                                                 \
    X(constraint_names)                                                                            \
    X(event_names)                                                                                 \
    X(impulse_names)                                                                               \
    X(mode_names)                                                                                  \
    X(group_names)

/* What is optimised; its lists are `over` and `limits` of the model. */
typedef struct sal_goal {
    bool             is_set;
    const char      *minimise; /* NULL: not said */
    int              starts, shooting;
    saltus_sequences sequences;
    saltus_engine    engine;
    sal_place        place;
} sal_goal;

struct saltus_model {
    sal_arena    arena; /* names and lists */
    sal_graph    graph;
    size_t       compile_memory; /* bytes that compiling may take, 0: any number */
    long long    compile_steps;  /* steps (work.h) that compiling may take, 0: any number */
    saltus_error error;          /* the first mistake */
    const char  *name;
    sal_place    place; /* of the present call */
#define X(type, list) SAL_ARRAY(type) list;
    SAL_MODEL_LISTS(X)
#undef X
    SAL_ARRAY(sal_override) overrides;
    SAL_ARRAY(sal_event) events;
    int contacts; /* so far, for their names */
    int states;   /* so far; most models have none, and nothing then looks for them */
#define X(names) sal_name_table names;
    SAL_MODEL_NAMES(X)
#undef X
    bool           has_horizon;
    double         start;
    sal_node       end;
    sal_place      end_place;
    saltus_options options;
    sal_goal       goal;
};

/* True if calls must do nothing because of an earlier mistake. */
bool sal_model_failed(const saltus_model *model);
void sal_model_out_of_memory(saltus_model *model);

/* Appends a row to a list; SAL_MODEL_PUSH_NAMED notes its name, too. A lack of memory is noted. */
#define SAL_MODEL_PUSH(model, list, row)                                                           \
    do {                                                                                           \
        if (!ARRAY_PUSH(&(model)->arena.allocator, list, row)) sal_model_out_of_memory(model);     \
    } while (0)
#define SAL_MODEL_PUSH_NAMED(model, list, names, row)                                              \
    do {                                                                                           \
        if (!ARRAY_PUSH(&(model)->arena.allocator, list, row) || !(row).label.name ||              \
            !sal_name_add(names, &(model)->arena.allocator, (row).label.name, (list)->count - 1))  \
            sal_model_out_of_memory(model);                                                        \
    } while (0)

/* Whether there is a name; if not, "WHAT needs a name" is noted. False too if the model failed. */
bool sal_model_named(saltus_model *model, const char *name, const char *what);
/* Whether the label has that name; then "two WHAT are called ..." is noted. */
bool sal_model_taken(saltus_model *model, const sal_label *label, const char *name,
                     const char *what);

/* A checked expression handle: its node, or null after noting the mistake. */
sal_node sal_model_node(saltus_model *model, saltus_expr e, const char *what);

/* Notes a mistake if the expression rests on kinds of leaves that do not belong there. */
bool sal_model_allow(saltus_model *model, sal_node node, unsigned kinds, const char *what,
                     const char *hint);
/* Notes a mistake if the expression contains a state: what is differentiated by velocities must
 * not move states. */
bool sal_model_no_states(saltus_model *model, sal_node node, const char *what);
/* Bits of kinds, for sal_model_allow. */
#define SAL_KIND(k) (1u << SAL_LEAF_##k)
#define SAL_KINDS_CONSTANT SAL_KIND(P)
#define SAL_KINDS_POSITION (SAL_KIND(T) | SAL_KIND(Q) | SAL_KIND(C) | SAL_KIND(P))
#define SAL_KINDS_STATE (SAL_KINDS_POSITION | SAL_KIND(V))
#define SAL_KINDS_REACTION (SAL_KIND(A) | SAL_KIND(MU))
#define SAL_KINDS_MOTION (SAL_KINDS_STATE | SAL_KINDS_REACTION)
#define SAL_KINDS_AFTER                                                                            \
    (SAL_KIND(Q_AFTER) | SAL_KIND(V_AFTER) | SAL_KIND(C_AFTER) | SAL_KIND(A_AFTER) |               \
     SAL_KIND(MU_AFTER))

/* Whether the expression is a velocity: linear in velocities, with at least one. If not, that is
 * noted as a mistake. */
bool sal_model_is_slip(saltus_model *model, sal_node node, const char *what);

sal_label sal_model_label(saltus_model *model, const char *name, const char *unit, const char *doc);
sal_modes sal_model_modes(saltus_model *model, saltus_modes modes);
/* Whether the list is as long as it says; if not, that is noted. False too if the model failed. */
bool sal_model_has_modes(saltus_model *model, saltus_modes modes);
void sal_model_add_term(saltus_model *model, sal_term_kind kind, sal_node a, sal_node b,
                        sal_modes modes);

/* An event like those of saltus_event_new, but its name may be that of another. */
saltus_event sal_model_add_event(saltus_model *model, const char *name, sal_event row);

/* Whether the list is active when active[group] is the active mode of each group. */
bool sal_modes_active(const saltus_model *model, const sal_modes *modes, const int *active);
/* Whether the mode is active at the start or some event goes to it. */
bool sal_model_enters(const saltus_model *model, int mode);
/* Both lists at once. */
sal_modes sal_modes_both(saltus_model *model, const sal_modes *a, const sal_modes *b);

/* How many memories are not hidden. */
int sal_model_shown_memories(const saltus_model *model);
/* A memory that users do not see, or -1 after a mistake. */
int sal_model_hidden_memory(saltus_model *model, const char *name, sal_node start);
/* A table of these elements, numbers and expressions of parameters, or -1 after a mistake. */
int sal_model_table(saltus_model *model, const sal_node *elements, int count);
/* The element whose number is that memory plus the offset. */
sal_node sal_model_pick(saltus_model *model, int table, int memory, int offset);
/* Adds the events of what happens at given times. */
saltus_status sal_model_finish_clocks(saltus_model *model, saltus_error *err);

/* Names leaves as the script writes them; context is the model. */
void sal_model_leaf_name(void *context, int kind, int index, char *buffer);
/* An expression as text in the arena. */
const char *sal_model_text(const saltus_model *model, sal_arena *arena, sal_node node);

/* A copy of the model, to be freed with saltus_model_free; NULL when out of memory. */
saltus_model *sal_model_clone(const saltus_model *model, const saltus_allocator *allocator,
                              saltus_error *err);

/* Checks what can only be checked when the model is complete. */
saltus_status sal_model_check(const saltus_model *model, saltus_error *err);

/* Forgets all costs but these, and what events charge to the others. A name that is no cost is an
 * error that offers the nearest. */
saltus_status sal_model_keep_costs(saltus_model *model, const char *const *names, int count,
                                   saltus_error *err);

#endif
