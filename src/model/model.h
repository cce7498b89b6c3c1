/* The model: a hybrid system described by expressions. Builders fill it in, and nothing is computed
 * from it before it is compiled. The public functions of include/saltus/model.h are implemented in
 * this folder and in mech/. */
#ifndef SAL_MODEL_MODEL_H
#define SAL_MODEL_MODEL_H

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"
#include "expr/graph.h"
#include "saltus/draw.h"
#include "saltus/model.h"
#include "saltus/sim.h"

/* A place in a script. */
typedef struct sal_place {
    const char *file; /* NULL: not from a script */
    int         line;
} sal_place;

/* The name and other texts of a named part of the model, and where it was declared. */
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

/* A value given from outside for a parameter or a setting. */
typedef struct sal_override {
    const char *name;
    double      value;
    const char *text;
    bool        used;
} sal_override;

typedef struct sal_coordinate {
    sal_label label;
    sal_node  start, speed;
    bool      guessed; /* start and speed follow from the constraints; start is a first guess */
    bool      state;   /* its velocity is a first-order state, and nothing reads its position */
    bool      rated;   /* for a state: it has a rate, at least in some mode */
    sal_node  rate;    /* for a state: its rate in all modes; null: the rate depends on the mode */
} sal_coordinate;

typedef struct sal_memory {
    sal_label label;
    sal_node  start;
    bool      hidden; /* for internal use: users do not see it */
} sal_memory;

/* A list of numbers and expressions of parameters. Only resets and charges read it, one element at
 * a time, so its length does not affect what is evaluated along the motion. */
typedef struct sal_table {
    int       count;
    sal_node *element;
} sal_table;

/* An element of a table, as a leaf of expressions (SAL_LEAF_PICK). Its index is the value of a
 * memory plus an offset, limited to the range of the table. */
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
    bool        chosen; /* the script has declared the mode `first` explicitly */
} sal_group;

/* A list of modes, sorted by group. It is active if, in every group that it mentions, one of the
 * mentioned modes is active. An empty list is always active, unless `never` is set. */
typedef struct sal_modes {
    int  count;
    int *mode;
    bool never;
} sal_modes;

typedef struct sal_constraint {
    sal_label label;
    sal_node  phi;
    sal_modes modes;
    double    alpha;    /* its own penalty factor; 0: that of the solver's options */
    sal_node  side;     /* positive on the intended branch of solutions; null: all are permitted */
    bool      velocity; /* phi is Psi: linear in velocities, not an equation of positions */
    bool      found;    /* it belongs to a contact whose modes the run finds */
    sal_node  settled;  /* a memory: 0 while its multiplier replaces omitted bounces, else 1 */
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
    SAL_FIRST_ORDER  /* e[0] = q: a unit mass without energy, so that forces are rates */
} sal_term_kind;

/* The constraints whose multipliers a term contains: its own, and for sliding friction that of the
 * normal; -1: none. */
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

/* Point masses and gravities, which are combined into potentials when the model is finished. */
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

/* The modes of a contact whose modes the run finds, in the order of sal_contact.mode. Without
 * friction a contact is open or held. */
enum { SAL_OPEN, SAL_HELD, SAL_SLIDES_PLUS, SAL_SLIDES_MINUS, SAL_CONTACT_MODES };

/* A contact whose modes the run finds; or dry friction on a velocity, which has no normal and is
 * never open. */
typedef struct sal_contact {
    sal_label label;
    int       group;
    int       mode[SAL_CONTACT_MODES]; /* -1: it has no such mode */
    int       normal, friction;        /* indices of its constraints; -1: none */
    sal_node  restitution;             /* zero at the last bounce; null: none */
    sal_node  mu_static, mu_kinetic; /* coefficients, or limits if there is no normal; null: none */
    sal_node  given_restitution;     /* the user's value, also at the last bounce; null: none */
    sal_node  series;      /* charges: the factor by which impulses include later ones; null: 1 */
    sal_node  last_series; /* charges: the factor `series` at the last bounce; null: 1 */
    int       slow, speed; /* memories: the speed that is slow; the last touch's speed; -1: none */
    int       rest_at;     /* memory: the time at which all bounces are over; -1: none */
    sal_modes modes;       /* the modes in which it exists */
    bool      starts_closed;
    bool      closes; /* it can close, and does not only bounce */
    bool      rests;  /* it comes to rest by itself after all its bounces */
    bool      holds;  /* it is held where it closed, by the constraint `friction` */
} sal_contact;

/* A series of touches is summed from this multiple of the speed of rest on, so that the sum
 * includes all later touches when the contacts come to rest. */
#define SAL_SERIES_EARLY 4.0

/* What an event does in a contact. The event SAL_LEAVES also happens where its guard, the
 * multiplier, is found beyond zero without a crossing, because a contact does not pull. */
typedef enum sal_contact_role {
    SAL_TOUCHES,
    SAL_LEAVES,
    SAL_ENDS,
    SAL_SLIPS_PLUS, /* it stops sticking, and slides in this direction */
    SAL_SLIPS_MINUS,
    SAL_STOPS,
    SAL_RESTS /* all bounces are over */
} sal_contact_role;

/* The purpose of an event that users do not see. The order of events at one instant is: samples,
 * which see the state before all other events; nodes; events of the script; ticks. */
typedef enum sal_hidden {
    SAL_SHOWN,         /* it is visible to users */
    SAL_HIDDEN_SAMPLE, /* it takes a sample */
    SAL_HIDDEN_NODE,   /* a control begins its next piece */
    SAL_HIDDEN_TICK    /* it counts the ticks of a clock whose own event does not always happen */
} sal_hidden;

typedef struct sal_event {
    sal_label        label;
    sal_node         when;
    saltus_direction direction;
    sal_modes        from, to;
    sal_node         restitution; /* null: none */
    int              stop;
    saltus_enter     enter;
    int              contact; /* number of its contact among all contacts, from 1 on; 0: none */
    sal_contact_role role;    /* its role in this contact */
    int              found;   /* 1 + the index of its contact in found_contacts; 0: none */
    sal_hidden       hidden;
    bool             timed;  /* its times are known in advance, and it may happen at the start */
    bool             delays; /* other events follow it after a delay */
    SAL_ARRAY(sal_node) where;
    SAL_ARRAY(sal_assignment) set;
    SAL_ARRAY(sal_charge) charge;
} sal_event;

typedef struct sal_cost {
    sal_label label;
    sal_node  integral, final; /* null: none */
    sal_node  peak;            /* its extreme value along the motion is the cost; null: none */
    bool      lowest;          /* the extreme value of `peak` is the smallest, not the largest */
} sal_cost;

/* A condition of a periodic motion: a parameter, which determines start values, is equal to an
 * expression at the end of the period. */
typedef struct sal_return {
    int       param;
    sal_node  final;
    sal_place place;
} sal_return;

typedef struct sal_output {
    sal_label label;
    sal_node  value;
} sal_output;

/* Samples of an expression at given times, which are charged to a cost or kept for
 * saltus_run_samples. When the model is finished, they become an event. */
typedef struct sal_samples {
    sal_label label;     /* the name of the cost or of the samples */
    int       times;     /* table: the times, in ascending order */
    int       number;    /* memory: the number of samples taken */
    int       next;      /* memory: the time of the next sample */
    sal_node  value;     /* the expression that is charged or kept */
    bool      charged;   /* it is charged to the cost with its name */
    int       event;     /* in the finished model: the event that takes the samples */
    int       count;     /* number of requested samples, several of which may have the same time */
    int      *number_of; /* by requested sample: the index of its time */
} sal_samples;

/* Measured data to which a fit compares the motion: an expression at times, or the times of an
 * event. */
typedef struct sal_measurement {
    sal_label   label;
    sal_node    of;    /* the measured expression; null: the times of an event */
    const char *event; /* the name of this event */
    int         count;
    bool        weighted; /* standard deviations are given; otherwise all sigma are 1 */
    double     *at, *value, *sigma;
} sal_measurement;

/* A control, a function of time. A hidden event sets its memories at each node (control.c). */
typedef struct sal_control {
    sal_label           label;
    saltus_control_kind kind;
    int                 nodes;         /* number of pieces */
    int                 param, params; /* index of its first parameter; their number */
    const char         *from;          /* the event with which it begins; NULL: with the horizon */
    sal_node            duration;      /* duration of all pieces; null until the horizon is known */
    int                 number;        /* memory: the number of the present piece */
    int                 next;          /* memory: the time at which the next piece begins */
    int                 start, begin;  /* memories: start times of the first and present piece */
    int                 c[4];          /* memories: the coefficients of the present piece */
} sal_control;

/* An event at times known in advance: periodic, or at a delay after another event. */
typedef struct sal_timer {
    int         event;
    const char *after;  /* the event that it follows; NULL: it is periodic */
    sal_node    time;   /* the period, or the delay */
    sal_node    phase;  /* periodic: the first time, after the start */
    int         memory; /* periodic: how often it has happened; else the time at which it is due */
    int         table;  /* a table with the period or delay as its only element */
} sal_timer;

/* A shape to be drawn. Its numbers are in `drawn` of the model, from `first` on. */
typedef struct sal_shape {
    saltus_shape shape;
    sal_label    label;
    sal_modes    modes;
    int          first, count;
} sal_shape;

/* The lists whose elements are copied bytewise when the model is copied. `impulses` are the names
 * in impulse(name), by leaf index. */
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

/* What is to be optimised. The lists `over` and `limits` of the model belong to it. */
typedef struct sal_goal {
    bool             is_set;
    const char      *minimise; /* the cost to be minimised; NULL: not given */
    int              starts, shooting;
    saltus_sequences sequences;
    saltus_engine    engine;
    sal_place        place;
} sal_goal;

/* Returns NULL, or a message with the wrong field of a goal and its value. */
enum { SAL_GOAL_TEXT = 160 };
const char *sal_goal_check(const saltus_goal *goal, char text[SAL_GOAL_TEXT]);

struct saltus_model {
    sal_arena    arena; /* names and lists */
    sal_graph    graph;
    size_t       compile_memory; /* limit on bytes for compiling; 0: none */
    long long    compile_steps;  /* limit on steps (work.h) for compiling; 0: none */
    saltus_error error;          /* the first mistake */
    const char  *name;
    sal_place    place; /* place of the present call in the script */
#define X(type, list) SAL_ARRAY(type) list;
    SAL_MODEL_LISTS(X)
#undef X
    SAL_ARRAY(sal_override) overrides;
    SAL_ARRAY(sal_event) events;
    int contacts; /* number of contacts so far, for default names */
    int states;   /* number of first-order states; if it is 0, searches for states are skipped */
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

/* Appends a row to a list; SAL_MODEL_PUSH_NAMED also enters its name in a table of names. If memory
 * runs out, the model fails. */
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

/* Whether there is a name; if not, the mistake "WHAT needs a name" is noted. Also false if the
 * model has failed. */
bool sal_model_named(saltus_model *model, const char *name, const char *what);
/* Whether the label has this name; if so, the mistake "two WHAT are called ..." is noted. */
bool sal_model_taken(saltus_model *model, const sal_label *label, const char *name,
                     const char *what);

/* Checks a handle of an expression and returns its node; null, and a mistake is noted, if it is not
 * valid. */
sal_node sal_model_node(saltus_model *model, saltus_expr e, const char *what);

/* Whether the expression depends only on these kinds of leaves; if not, a mistake is noted. */
bool sal_model_allow(saltus_model *model, sal_node node, unsigned kinds, const char *what,
                     const char *hint);
/* Whether the expression contains no first-order state; if it does, a mistake is noted. Expressions
 * that are differentiated by velocities must not contain states, which are velocities inside. */
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

/* Whether the expression is a velocity, that is, linear in velocities and not independent of them;
 * if not, a mistake is noted. */
bool sal_model_is_slip(saltus_model *model, sal_node node, const char *what);

sal_label sal_model_label(saltus_model *model, const char *name, const char *unit, const char *doc);
sal_modes sal_model_modes(saltus_model *model, saltus_modes modes);
/* Whether the list of modes is valid: its count is not negative, and it is not NULL unless empty.
 * If not, a mistake is noted. Also false if the model has failed. */
bool sal_model_has_modes(saltus_model *model, saltus_modes modes);
void sal_model_add_term(saltus_model *model, sal_term_kind kind, sal_node a, sal_node b,
                        sal_modes modes);

/* Adds an event like saltus_event_new, but permits the name of another event. */
saltus_event sal_model_add_event(saltus_model *model, const char *name, sal_event row);

/* Whether the list is active if active[group] is the active mode of each group. */
bool sal_modes_active(const saltus_model *model, const sal_modes *modes, const int *active);
/* Whether the mode may become active: at the start, by an event, or as a mode of a contact. */
bool sal_model_enters(const saltus_model *model, int mode);
/* Returns the list that is active where both lists are. */
sal_modes sal_modes_both(saltus_model *model, const sal_modes *a, const sal_modes *b);

/* Returns the number of memories that are not hidden. */
int sal_model_shown_memories(const saltus_model *model);
/* Adds a hidden memory and returns its index; -1 if the model has failed. */
int sal_model_hidden_memory(saltus_model *model, const char *name, sal_node start);
/* Adds a table of numbers and expressions of parameters and returns its index; -1 if the model has
 * failed. */
int sal_model_table(saltus_model *model, const sal_node *elements, int count);
/* Returns a leaf: the element of the table whose index is that memory's value plus the offset. */
sal_node sal_model_pick(saltus_model *model, int table, int memory, int offset);
/* Adds the events of samples, controls and timers. Called once, when the model is complete. */
saltus_status sal_model_finish_clocks(saltus_model *model, saltus_error *err);

/* Writes the name of a leaf as in the script; context is the model. See sal_leaf_name. */
void sal_model_leaf_name(void *context, int kind, int index, char *buffer);
/* Returns an expression as text, in the arena. */
const char *sal_model_text(const saltus_model *model, sal_arena *arena, sal_node node);

/* Returns a copy of the model, to be freed with saltus_model_free; NULL when out of memory. */
saltus_model *sal_model_clone(const saltus_model *model, const saltus_allocator *allocator,
                              saltus_error *err);

/* Makes the checks that are possible only when the model is complete. */
saltus_status sal_model_check(const saltus_model *model, saltus_error *err);

/* Removes all costs except these, and the charges of events to them. If there is no cost of some
 * name, fails with a message that suggests the nearest name. */
saltus_status sal_model_keep_costs(saltus_model *model, const char *const *names, int count,
                                   saltus_error *err);

#endif
