/* From a model to numbers: compile, simulate, differentiate, read back.
 *
 * A system is a compiled model: it never changes and threads may share it. A run is one thread's
 * simulation of a system: it owns all memory that changes, and a second simulation on the same run
 * normally allocates nothing. */
#ifndef SALTUS_SIM_H
#define SALTUS_SIM_H

#include "saltus/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct saltus_system saltus_system;
typedef struct saltus_run    saltus_run;

/* ---- options -------------------------------------------------------------------------------- */

typedef enum saltus_integrator { SALTUS_DOP853, SALTUS_DOPRI5 } saltus_integrator;
typedef enum saltus_formulation { SALTUS_INDEX1, SALTUS_PENALTY } saltus_formulation;
/* How contacts that touch at one instant collide: all of them at once (Moreau), or one by one. */
typedef enum saltus_impacts { SALTUS_TOGETHER, SALTUS_ONE_BY_ONE } saltus_impacts;
/* How kernels are evaluated: interpreted, or as C compiled with the system's compiler. Both give
 * the same digits. SALTUS_BACKEND_AUTO uses compiled code that is in the cache, and compiles once
 * simulations of the system have taken as long as compiling is expected to take. */
typedef enum saltus_backend { SALTUS_BACKEND_AUTO, SALTUS_INTERP, SALTUS_NATIVE } saltus_backend;

/* Start from saltus_options_default or saltus_system_options: {0} is refused. */
typedef struct saltus_options {
    size_t size;             /* of this struct, in the version that filled it in */
    double rtol, atol;       /* error of a step, relative and absolute; if they are equal, the
                                absolute one shrinks for quantities that stay small */
    double            t_end; /* NaN: the model's horizon */
    saltus_integrator integrator;
    double            max_step;       /* longest step; 0: the horizon */
    double            first_step;     /* 0: chosen */
    long long         max_steps;      /* steps before the run gives up */
    int               max_events;     /* events before the run gives up */
    double            event_rate_min; /* an event grazes if its guard turns back within this
                                         part of the horizon */
    size_t             record_memory; /* bytes the record may hold before it keeps checkpoints */
    saltus_formulation formulation;   /* of constraints */
    saltus_impacts     impacts;
    double rest_speed;       /* a contact rests at the first bounce that is slower than this part
                                of its fastest one; 0: chosen */
    double alpha, xi, omega; /* penalty factor; damping ratio and frequency (penalty, or
                                Baumgarte's terms); omega 0: 10 for penalty, else
                                chosen once constraints drift */
    double fd_step;          /* finite differences: relative step; 0: chosen */
    int    threads; /* finite differences: number of threads, each with a run of its own; 0, 1: only
                       the caller's. The digits do not depend on it. With several threads an
                       allocator of your own must be thread-safe. */
    saltus_backend backend; /* kernels belong to the system: code compiled for one run serves all
                               runs of the system */
    /* Called now and then with the time reached; return nonzero to stop. May be NULL. Gradients
     * call it too, some with times that go backward; they fail with SALTUS_ERR_INTERRUPTED. With
     * several threads it is called by one of them at a time. It is also called while waiting for a
     * C compiler; it must not use the system. */
    int (*progress)(void *context, double t, double t_end);
    void *progress_context;
} saltus_options;

/* One row per option that scripts (solver{...}) and the command line may set by name:
 * name, kind (R real, I integer, S size in bytes, N name), text. Besides these there are
 * formulation, index1 or penalty, and backend, auto, interp or native. */
#define SALTUS_OPTION_LIST(X)                                                                      \
    X(rtol, R, "relative error tolerance")                                                         \
    X(atol, R, "absolute error tolerance")                                                         \
    X(integrator, N, "dop853 (order 8) or dopri5 (order 5)")                                       \
    X(max_step, R, "longest step; 0: the horizon")                                                 \
    X(first_step, R, "first step; 0: chosen")                                                      \
    X(rest_speed, R, "part of the fastest bounce at which a contact rests; 0: chosen")             \
    X(impacts, N, "contacts that touch at one instant: together or one-by-one")                    \
    X(max_steps, I, "steps before the run gives up")                                               \
    X(max_events, I, "events before the run gives up")                                             \
    X(event_rate_min, R, "part of the horizon within which a guard that grazes turns back")        \
    X(record_memory, S, "bytes of record before checkpoints are used")                             \
    X(fd_step, R, "relative step of finite differences; 0: 1e-3")                                  \
    X(alpha, R, "penalty factor of constraints")                                                   \
    X(xi, R, "damping ratio of constraint errors")                                                 \
    X(omega, R, "frequency of constraint errors; 0: chosen")

SALTUS_API saltus_options saltus_options_default(void);

/* Sets one option by name from text ("1e-9", "dopri5"). Fails with SALTUS_ERR_ARGUMENT, offering
 * the nearest name or the admissible values. */
SALTUS_API saltus_status saltus_options_set(saltus_options *options, const char *name,
                                            const char *text, saltus_error *err);
/* The value of an option as text, e.g. for a report; NULL if there is no such option. buffer
 * holds at least 32 bytes. */
SALTUS_API const char *saltus_options_get(const saltus_options *options, const char *name,
                                          char *buffer);

/* A progress function that takes long, as those of interpreters do, called only now and then. */
typedef struct saltus_seldom {
    int (*progress)(void *context, double t, double t_end);
    void     *context;
    double    seconds; /* at least this long after the call before */
    long long last;    /* {0}; when it was called, in nanoseconds of a clock */
} saltus_seldom;
/* options.progress, with a saltus_seldom as its context: calls that one's function if it is time to
 * and returns what it returns, else 0. Threads may share the context. */
SALTUS_API int saltus_progress_seldom(void *context, double t, double t_end);

/* The options a model asks for: the defaults, changed by solver{...}. */
SALTUS_API saltus_options *saltus_model_options(saltus_model *model);

/* ---- the system ----------------------------------------------------------------------------- */

/* Checks, derives and compiles the model. Copies what it needs: the model may be freed before the
 * system.
 * Fails with SALTUS_ERR_MODEL and the script's line. The time grows in proportion to the model, and
 * progress of the model's options, if there is one, is called every few milliseconds with the time
 * of the start: nonzero ends it with SALTUS_ERR_INTERRUPTED. */
SALTUS_API saltus_system *saltus_system_compile(const saltus_model *model, saltus_error *err);
/* Compiles the model with the named costs only, in the order of the model. The other costs are not
 * evaluated, their kinks are not searched for, and their integrals do not affect the choice of
 * steps, so digits of the motion may change within the tolerance. */
SALTUS_API saltus_system *saltus_system_compile_costs(const saltus_model *model,
                                                      const char *const *costs, int count,
                                                      saltus_error *err);
SALTUS_API void           saltus_system_free(saltus_system *system); /* NULL is fine */

/* What a system consists of. Names are borrowed until the system is freed. Where an index is out of
 * range, texts are "" and numbers NaN. */
typedef struct saltus_size {
    int coordinates, constraints, memories, modes, groups, events, params, costs, outputs, settings;
    int terms, templates, contacts;
    int hidden;  /* memories of contacts, clocks and samples, which follow the others in dc of
                    saltus_tangent_row and in lambda_c of saltus_adjoint_row */
    int samples; /* rows of samples that are kept (saltus_samples) */
} saltus_size;
SALTUS_API saltus_size    saltus_system_size(const saltus_system *system);
SALTUS_API const char    *saltus_system_name(const saltus_system *system);
SALTUS_API saltus_options saltus_system_options(const saltus_system *system);

typedef struct saltus_param_info {
    const char *name, *unit, *doc;   /* unit, doc: "" if not given */
    double      value, lower, upper; /* bounds infinite if not given */
    int         fixed;
} saltus_param_info;
typedef struct saltus_name_info {
    const char *name, *unit, *doc;
    int         line;
} saltus_name_info;
typedef struct saltus_event_info {
    const char      *name;
    const char      *when;      /* the guard as text */
    const char      *from, *to; /* modes as text, "" if any / unchanged */
    const char      *law;       /* "set", "restitution", "inelastic", "none", "kink", ... */
    saltus_direction direction;
    int              stop;      /* 0, or the occurrence that ends the run */
    int              automatic; /* 1: the kink of an abs, sign, min, max */
    int              line;
} saltus_event_info;
/* A contact, or dry friction on a velocity. Its modes are a group that has its name: name.open,
 * name.stick, name.slide+ and name.slide-; without friction, name.open and name.closed. Numbers are
 * expressions as text, "" if there are none. */
typedef struct saltus_contact_info {
    const char *name;
    const char *restitution;
    const char *mu_static, *mu_kinetic; /* of dry friction on a velocity: the largest force */
    int         touches;                /* 0: dry friction, which has no gap and is never open */
    int         closes;                 /* 0: it only bounces, and name.closed is never entered */
    int         rests;                  /* it comes to rest by itself after its bounces */
    int         starts_closed;
    int         line;
} saltus_contact_info;
typedef struct saltus_setting_info {
    const char *name;
    double      value;
    const char *text; /* NULL: a number */
} saltus_setting_info;

/* Start values, as text and with the parameters of the model (--set included). */
typedef struct saltus_start_info {
    const char *start, *speed; /* speed: "" for a memory */
    double      start_value, speed_value;
    int         guessed; /* 1: start is where assembly begins; the speed follows from constraints */
} saltus_start_info;

SALTUS_API saltus_param_info saltus_system_param(const saltus_system *system, int index);
SALTUS_API saltus_name_info  saltus_system_coordinate(const saltus_system *system, int index);
/* 1: the coordinate belongs to a first-order state of its name: its velocity is the state, its
 * acceleration the rate, and its position, the integral of the state, is read by nothing. */
SALTUS_API int               saltus_system_is_state(const saltus_system *system, int index);
SALTUS_API saltus_start_info saltus_system_coordinate_start(const saltus_system *system, int index);
SALTUS_API saltus_name_info  saltus_system_constraint(const saltus_system *system, int index);
/* The constraint's own penalty factor, NaN if it uses that of the options. */
SALTUS_API double saltus_system_constraint_alpha(const saltus_system *system, int index);
/* Memories the script declared; branches of kinks, and what contacts keep for themselves, are not
 * among them. */
SALTUS_API saltus_name_info  saltus_system_memory(const saltus_system *system, int index);
SALTUS_API saltus_start_info saltus_system_memory_start(const saltus_system *system, int index);
SALTUS_API saltus_name_info  saltus_system_mode(const saltus_system *system, int index);
/* The name of the group a mode belongs to, "" for the unnamed one. */
SALTUS_API const char         *saltus_system_mode_group(const saltus_system *system, int index);
SALTUS_API saltus_contact_info saltus_system_contact(const saltus_system *system, int index);
SALTUS_API saltus_name_info    saltus_system_cost(const saltus_system *system, int index);
/* The integrand and the final value of a cost as text, "" if it has none. */
SALTUS_API const char *saltus_system_cost_integral(const saltus_system *system, int index);
SALTUS_API const char *saltus_system_cost_final(const saltus_system *system, int index);
/* How many samples a cost has (saltus_cost_at). */
SALTUS_API int saltus_system_cost_samples(const saltus_system *system, int index);
/* What a cost has the largest value of along the motion, as text, "" if that is nothing; or the
 * smallest value: then lowest (may be NULL) is set to 1. */
SALTUS_API const char *saltus_system_cost_peak(const saltus_system *system, int index, int *lowest);
SALTUS_API saltus_name_info  saltus_system_output(const saltus_system *system, int index);
SALTUS_API saltus_event_info saltus_system_event(const saltus_system *system, int index);
typedef struct saltus_samples_info {
    const char *name;
    int         count; /* of its times, as they were given */
    int         line;
} saltus_samples_info;
SALTUS_API saltus_samples_info saltus_system_samples(const saltus_system *system, int index);
SALTUS_API saltus_setting_info saltus_system_setting(const saltus_system *system, int index);
/* The horizon as text, e.g. "0" and "2 * T". */
SALTUS_API void saltus_system_horizon(const saltus_system *system, double *start, const char **end);

/* The index of a name, or -1. */
SALTUS_API int saltus_system_find_param(const saltus_system *system, const char *name);
SALTUS_API int saltus_system_find_cost(const saltus_system *system, const char *name);

/* Warnings found while compiling (an event that cannot happen, ...). */
SALTUS_API int         saltus_system_warning_count(const saltus_system *system);
SALTUS_API const char *saltus_system_warning(const saltus_system *system, int index);

/* How the kernels of a system are evaluated at present. */
typedef struct saltus_backend_info {
    saltus_backend backend; /* SALTUS_NATIVE if any are compiled code, else SALTUS_INTERP */
    int            loaded, compiled; /* shared objects; those of them that were not in the cache */
    double         seconds;          /* time spent compiling */
    const char    *note; /* why something is interpreted although compiling was requested; or "" */
} saltus_backend_info;
SALTUS_API saltus_backend_info saltus_system_backend(const saltus_system *system);

/* Compiled code is kept on disk, in $XDG_CACHE_HOME/saltus or ~/.cache/saltus, and found again by
 * later runs. Its size is limited: the least recently used entry is removed first. */
typedef struct saltus_cache_entry {
    const char *name;  /* of its file */
    const char *model; /* the first one it was compiled for; "": not known */
    long long   bytes;
    double      age; /* seconds since it was used */
} saltus_cache_entry;

/* The path of the cache, whether or not it exists. All three calls fail with SALTUS_ERR_FILE if
 * others can write to the folder. */
SALTUS_API saltus_status saltus_cache_folder(char *path, size_t size, saltus_error *err);
/* Calls visit for each entry, the most recently used first; the entry is valid during the call. */
SALTUS_API saltus_status saltus_cache_list(void (*visit)(void                     *context,
                                                         const saltus_cache_entry *entry),
                                           void *context, saltus_error *err);
/* Removes all entries. Processes keep the code that they have loaded. */
SALTUS_API saltus_status saltus_cache_clear(saltus_error *err);

/* Writes what the compiler sees after a pass: "model", "kinks", "terms", "derive", "program", for
 * the starting modes. pass NULL: all. */
SALTUS_API saltus_status saltus_system_dump(const saltus_system *system, const char *pass,
                                            void (*write)(void *context, const char *text),
                                            void *context, saltus_error *err);

/* ---- the run -------------------------------------------------------------------------------- */

/* A run with these options (NULL: the system's). It borrows the system. */
SALTUS_API saltus_run *saltus_run_new(const saltus_system *system, const saltus_options *options,
                                      saltus_error *err);
SALTUS_API void        saltus_run_free(saltus_run *run); /* NULL is fine */

typedef enum saltus_outcome {
    SALTUS_END,            /* reached the end of the horizon */
    SALTUS_TERMINAL_EVENT, /* ended by an event with stop */
    SALTUS_STEP_LIMIT,
    SALTUS_EVENT_LIMIT,
    SALTUS_ZENO,     /* events accumulate at a finite time */
    SALTUS_STICKING, /* both sides of a kink push back */
    SALTUS_SINKING,  /* a contact is entered without an impact */
    SALTUS_STEP_TOO_SMALL,
    SALTUS_SINGULAR,
    SALTUS_VIOLATED, /* a constraint is violated: after an event, across a kink, or by set values */
    SALTUS_NOT_FINITE,
    SALTUS_INTERRUPTED,
    SALTUS_PAINLEVE,     /* contacts with friction leave no motion */
    SALTUS_AMBIGUOUS,    /* they leave more than one */
    SALTUS_NOT_SIMULATED /* there is no result: before a simulation, and after one that failed */
} saltus_outcome;

typedef struct saltus_run_info {
    saltus_outcome outcome;
    const char    *message; /* what happened and what to do; "" for the first two
                               and the last; never NULL */
    double    t;            /* the time reached */
    double    zeno_time;    /* SALTUS_ZENO: where the events accumulate, else NaN */
    int       last_event;   /* SALTUS_TERMINAL_EVENT: index of the event that ended it; else -1 */
    int       events;       /* events that happened, kinks too */
    long long steps, rejected, evaluations;
    long long replayed; /* steps taken again because the record was full */
    int       warnings;
    double    rest_speed; /* as in the options, or as it was chosen */
} saltus_run_info;

/* Simulates with these parameter values (NULL: the model's) and keeps the record. Fails only if
 * the call could not do its work (no memory, invalid values); how the motion ended is in
 * saltus_run_info, and what was computed until then can be read back. After a failure there is
 * nothing to read back, not even of the simulation before: the outcome is SALTUS_NOT_SIMULATED, and
 * calls that read back fail with SALTUS_ERR_ARGUMENT. */
SALTUS_API saltus_status saltus_run_simulate(saltus_run *run, const double *params,
                                             saltus_error *err);
/* A state to begin with. Its numbers, as many as saltus_system_states says, are q and v (by
 * coordinate) and c: memories, then the hidden ones of saltus_size. */
typedef struct saltus_start_state {
    const int    *modes;     /* by group: the index of its mode; NULL: the model's first ones */
    const double *q, *v;     /* by coordinate */
    const double *c;         /* NULL: the model's start values, which may depend on parameters */
    int           assembled; /* 1: positions and velocities that constraints determine are found
                                from these, as those of guessed coordinates; 0: they hold already */
} saltus_start_state;
SALTUS_API int saltus_system_states(const saltus_system *system);
/* Simulates as saltus_run_simulate does, but from this state at time t0 to t1, whatever the start
 * and the horizon of the model are. All that can be asked of a run can be asked of this one;
 * gradients by parameters are those with this state fixed, saltus_run_vjp and saltus_run_jvp have
 * derivatives by the state. */
SALTUS_API saltus_status saltus_run_simulate_from(saltus_run *run, const saltus_start_state *state,
                                                  double t0, double t1, const double *params,
                                                  saltus_error *err);
/* The state at the end of the run (event -1), or before or after (after: 1) an event of it:
 * modes by group, and the numbers of a saltus_start_state. Each array may be NULL. */
SALTUS_API saltus_status saltus_run_state(saltus_run *run, int event, int after, int *modes,
                                          double *q, double *v, double *c, saltus_error *err);
SALTUS_API const saltus_run_info *saltus_run_get_info(const saltus_run *run);
SALTUS_API const char            *saltus_run_warning(const saltus_run *run, int index);

/* Writes the kernels of the mode in which the run started as C that does not need the library:
 * kernels.h, kernels.c, an example main.c with the state at the start, and a Makefile. Each file is
 * passed as a whole; return nonzero from write to stop. The files do not contain names of the
 * script. */
typedef int (*saltus_file_function)(void *context, const char *file, const char *text);
SALTUS_API saltus_status saltus_run_emit(saltus_run *run, saltus_file_function write, void *context,
                                         saltus_error *err);

/* One instant of a run. All arrays are borrowed until the next call on the run. */
typedef struct saltus_row {
    double        t;
    const char   *mode; /* NULL without modes; several groups joined by " + " */
    const double *q, *v, *a, *mu, *c, *z;
    const double *residual, *residual_rate; /* of each constraint; 0 if it is not active */
    const double *output;
    double        kinetic, potential; /* energies */
    int           event; /* index for saltus_run_event of the event at this instant, or -1 */
    int           after; /* 1: the row just after that event */
} saltus_row;

/* The last instant of the run (before the jump, if an event ended it). */
SALTUS_API saltus_status saltus_run_final(saltus_run *run, saltus_row *row, saltus_error *err);
/* The value of every cost, nan where the run did not reach the end. value: costs. */
SALTUS_API saltus_status saltus_run_costs(saltus_run *run, double *value, saltus_error *err);

/* Where the motion has the largest or smallest value that a cost has (saltus_cost_max): inside,
 * where its rate is zero; at the start or at the end; or just before or after an event. */
typedef enum saltus_peak_place {
    SALTUS_NO_PEAK, /* the cost has none, or the run did not reach its end */
    SALTUS_PEAK_INSIDE,
    SALTUS_PEAK_START,
    SALTUS_PEAK_BEFORE,
    SALTUS_PEAK_AFTER,
    SALTUS_PEAK_END
} saltus_peak_place;

typedef struct saltus_peak {
    saltus_peak_place place;
    double            t, value; /* nan without a peak */
    int               event;    /* before and after: for saltus_run_event; -1: none that is shown */
} saltus_peak;
SALTUS_API saltus_peak saltus_run_peak(const saltus_run *run, int cost);
SALTUS_API const char *saltus_peak_place_name(saltus_peak_place place); /* "inside", ... */

typedef struct saltus_occurrence {
    int           event; /* index of the event in the system */
    const char   *name;
    double        t;
    double        rate;      /* of the guard, just before */
    const char   *from, *to; /* modes before and after all that happens with it; NULL: no modes */
    int           grazing;   /* 1: crossed (nearly) tangentially, there is no gradient */
    double        impulse;   /* of a restitution law, else NaN */
    double        energy_before, energy_after;
    const double *q, *v_minus, *v_plus; /* positions after, velocities before and after */
} saltus_occurrence;
/* The index-th event of the run; if there is none, event is -1, its name "", and arrays are NULL.
 */
SALTUS_API saltus_occurrence saltus_run_event(const saltus_run *run, int index);
/* The impulses of constraints at an event (docs/theory/events.md (4); the sign is that of mu), by
 * constraint: 0 where it is not active in the mode entered. Returns 1 if the event's law has
 * impulses (an impact: restitution, or constraints gained). Returns 0 and writes NaN if it has
 * none, or if there is no such event. */
SALTUS_API int saltus_run_impulses(const saltus_run *run, int index, double *impulse);

/* Calls row for each of the given times (ascending; those outside of the run are left out), and
 * for both sides of each event, in order. Return nonzero from row to stop. */
typedef int (*saltus_row_function)(void *context, const saltus_row *row);
SALTUS_API saltus_status saltus_run_trajectory(saltus_run *run, const double *times, int count,
                                               saltus_row_function row, void *context,
                                               saltus_error *err);

/* The motion as a table: values[row * columns + column], a row for each of the given times, which
 * ascend. The columns, as many as saltus_system_columns says, are q, v, a (by coordinate), mu (by
 * constraint), c (by memory), z (by cost: what it has become so far) and outputs; their numbers are
 * in saltus_size. At an event the row has the last state of that instant, after the event, unless
 * the event ended the run. Rows before the start and after the end of the run are NaN; if the call
 * fails, all are. */
SALTUS_API int           saltus_system_columns(const saltus_system *system);
SALTUS_API saltus_status saltus_run_sample(saltus_run *run, const double *times, int count,
                                           double *values, saltus_error *err);

/* What saltus_samples keeps: times (may be NULL) and values of the index-th row of samples, in the
 * order in which its times were given. index -1: of all rows, one after the other. At an event, the
 * value is that before it. A sample that was not taken, because the run ended before it, is NaN. */
SALTUS_API saltus_status saltus_run_samples(saltus_run *run, int index, double *times,
                                            double *values, saltus_error *err);

/* One step of a run: from t to t + length. */
typedef struct saltus_run_step {
    double      t, length; /* 0: between two events of one instant */
    const char *mode;      /* NULL without modes */
    int         event;     /* index for saltus_run_event of the event that ends it, or -1 */
} saltus_run_step;

/* Calls step for each step of the run, in order. Return nonzero from step to stop. */
typedef int (*saltus_step_function)(void *context, const saltus_run_step *step);
SALTUS_API saltus_status saltus_run_steps(saltus_run *run, saltus_step_function step, void *context,
                                          saltus_error *err);

/* ---- auditing ------------------------------------------------------------------------------- */

/* What an audit may find wrong with the events of a run. */
typedef enum saltus_audit_kind {
    SALTUS_AUDIT_MISSED,      /* a guard passed zero as declared, and nothing happened */
    SALTUS_AUDIT_UNEXPLAINED, /* an event happened though its guard did not come from that side */
    SALTUS_AUDIT_TIME,        /* an event happened where its guard is not zero */
    SALTUS_AUDIT_BRANCH,      /* abs, sign, min or max took the branch of the other side */
    SALTUS_AUDIT_JUMP,        /* the state after an event does not follow from its law */
    SALTUS_AUDIT_MODE,   /* an event happened in, or led to, a mode that it does not belong to */
    SALTUS_AUDIT_RECORD, /* steps and events do not follow each other */
    SALTUS_AUDIT_CONTACT /* a contact pulls, rubs outside its cone, slips while it sticks, ... */
} saltus_audit_kind;

typedef struct saltus_audit_finding {
    saltus_audit_kind kind;
    int               event;      /* index of the event in the system, or -1 */
    int               occurrence; /* for saltus_run_event, or -1 */
    double            t;
    double            value, allowed; /* what was found, and what rounding and tolerance explain */
    const char       *text;           /* a sentence; borrowed until the function returns */
} saltus_audit_finding;

/* What a contact whose modes are found by the run comes closest to, or does most. */
typedef struct saltus_audit_contact {
    const char *name; /* of the contact; NULL: there is none. Borrowed from the system */
    const char *what; /* for example "slips while it sticks" */
    double      t;
    double      value, allowed;
} saltus_audit_contact;

/* What an audit examined. */
typedef struct saltus_audit {
    int findings;
    int events;           /* that happened */
    int crossings;        /* zeros of guards inside steps that are no events: not in the declared
                             direction, conditions not met, or a pole */
    long long looks;      /* places of the motion where all guards of the mode were evaluated */
    long long conditions; /* of contacts whose modes are found by the run that were checked */
    saltus_audit_contact contact; /* of these, the one closest to what is allowed */
} saltus_audit;

/* Goes over the last simulation again and verifies its events without the code that located them:
 * every guard of the mode is evaluated at many places of each step, on its dense output. There, and
 * at impacts, contacts whose modes are found by the run must fulfil the law of their mode. Calls
 * finding for each finding; return nonzero to stop. finding and audit may be NULL. Features
 * narrower than about a fiftieth of a step may be missed. */
typedef int (*saltus_audit_function)(void *context, const saltus_audit_finding *finding);
SALTUS_API saltus_status saltus_run_audit(saltus_run *run, saltus_audit_function finding,
                                          void *context, saltus_audit *audit, saltus_error *err);

/* ---- gradients ------------------------------------------------------------------------------ */

typedef enum saltus_method {
    SALTUS_DIRECT,   /* tangent linear model with jump matrices */
    SALTUS_ADJOINT,  /* continuous adjoint: backward in time on the dense output */
    SALTUS_DISCRETE, /* adjoint of the computed steps */
    SALTUS_TANGENT,  /* tangent of the computed steps: the counterpart of SALTUS_DISCRETE */
    SALTUS_FD,       /* central differences of complete runs */
    SALTUS_AUTO      /* SALTUS_DIRECT or SALTUS_DISCRETE, whichever takes less work; SALTUS_ADJOINT
                        where the steps are too long for SALTUS_DISCRETE to be exact enough */
} saltus_method;

SALTUS_API const char *saltus_method_name(saltus_method method); /* "direct", "adjoint", ... */

/* Requests the derivatives of these costs by these parameters. costs NULL: all; params NULL: all
 * that are not fixed, in order. */
typedef struct saltus_request {
    saltus_method method;
    const int    *costs;
    int           cost_count;
    const int    *params;
    int           param_count;
} saltus_request;

/* Writes gradient[cost * params + param], time_gradient[event * params + param] for all events that
 * happened, and end_gradient[param], the derivative of the end time. An array that is NULL is not
 * computed. With SALTUS_DISCRETE and SALTUS_ADJOINT, the derivatives of many event times are
 * computed by the tangent of the steps where walks backward would take longer.
 * Fails with SALTUS_ERR_GRAZING, SALTUS_ERR_NO_GRADIENT or SALTUS_ERR_UNFINISHED where there is no
 * derivative; the arrays belong to the caller and stay untouched on failure.
 *
 * A run adapts: after a gradient, later simulations keep the data that the next one needs or, for
 * the direct method alone, compute it as they go (options.progress is then called by the simulation
 * only). Repeating the same request on one run is therefore faster than the first time. */
SALTUS_API saltus_status saltus_run_gradients(saltus_run *run, const saltus_request *request,
                                              double *gradient, double *time_gradient,
                                              double *end_gradient, saltus_error *err);

/* SALTUS_FD with estimates of its errors. These are larger than the true errors unless the runs are
 * noisier than their tolerance; each array but gradient may be NULL. base_differs is set if there
 * are no differences because the motion has other events at their tolerance even without a change
 * of parameters: then something is wrong with the run itself. */
typedef struct saltus_differences {
    double *gradient, *time_gradient, *end_gradient; /* laid out as in saltus_run_gradients */
    double *gradient_error, *time_error, *end_error; /* estimates, laid out like the gradients */
    double *step; /* by parameter: the longest step; the shortest is a sixteenth of it */
    int     base_differs;
} saltus_differences;
SALTUS_API saltus_status saltus_run_differences(saltus_run *run, const saltus_request *request,
                                                saltus_differences *differences, saltus_error *err);

/* Derivatives from each side of a parameter's value: they may differ where events happen at the
 * same instant by chance, or where a contact is exactly at a threshold. There the costs themselves
 * may even jump, where orders of impacts lead to different motions. */
typedef enum saltus_verdict {
    SALTUS_SIDES_AGREE,   /* the derivative is the same on both sides */
    SALTUS_SIDES_DIFFER,  /* the cost is continuous, its derivative is not */
    SALTUS_SIDES_UNKNOWN, /* a side has no limit that could be verified */
    SALTUS_SIDES_JUMP     /* the cost itself jumps: there is no derivative */
} saltus_verdict;

/* One side: limits, as the parameter comes to its value, of the costs of the request and of their
 * derivatives by the parameter, with estimates of their errors. */
typedef struct saltus_side {
    int                found;
    const char        *message; /* if they were not found, why; else "" */
    const double      *cost, *cost_error, *gradient, *gradient_error; /* NULL if not found */
    int                events; /* of the motion on this side, next to the value */
    const char *const *event;  /* their names, in their order */
} saltus_side;

/* Both sides of one parameter. Where the motions have different events, these are the ones from
 * first_different on, different_below and different_above of them; after these they have the same
 * ones again. */
typedef struct saltus_sides {
    int                   param; /* index of the parameter in the system */
    saltus_side           below, above;
    const saltus_verdict *verdict; /* by cost of the request */
    int                   first_different, different_below, different_above;
} saltus_sides;

/* Calls sides for each parameter of the request; what it is given is borrowed until it returns.
 * Return nonzero to stop. The limits are found from motions on each side, at distances of some
 * millionth of the value, and verified: these have the same events, and costs change by what the
 * derivatives say. A side on which there is no such motion is no failure. The gradients of a run
 * (saltus_run_gradients) are those of one of the sides, and a warning of the run says so. */
typedef int (*saltus_sides_function)(void *context, const saltus_sides *sides);
SALTUS_API saltus_status saltus_run_one_sided(saltus_run *run, const saltus_request *request,
                                              saltus_sides_function sides, void *context,
                                              saltus_error *err);

/* Scales for the errors of costs and gradients that are zero up to these errors. size, for
 * rounding: the largest values of the terms of a cost's expression along the motion, at the given
 * times (as in saltus_run_trajectory) and at events. end_size, for the tolerance: their values at
 * the end. Both by cost of the request. gradient_size: the largest derivatives of the terms, laid
 * out as in saltus_run_gradients. */
SALTUS_API saltus_status saltus_run_sizes(saltus_run *run, const saltus_request *request,
                                          const double *times, int count, double *size,
                                          double *end_size, double *gradient_size,
                                          saltus_error *err);

/* What SALTUS_AUTO stands for in this request: SALTUS_DIRECT carries one direction per parameter
 * through the motion, SALTUS_DISCRETE one per cost and, if times is not 0, per event of the last
 * simulation and for the end (walks for events alone count half). The choice depends on these
 * numbers only, so equal runs choose equally. Every other method stands for itself. An invalid
 * request gives SALTUS_DISCRETE. */
SALTUS_API saltus_method saltus_run_method(const saltus_run *run, const saltus_request *request,
                                           int times);

/* The method that the last gradient was computed by. It is that of saltus_run_method, unless
 * SALTUS_DISCRETE, chosen by SALTUS_AUTO, estimated that it lost more than three digits to steps
 * that suit the motion and not its derivatives: then it is SALTUS_ADJOINT, which controls its own
 * error, as SALTUS_DIRECT does. SALTUS_AUTO: no gradient was computed yet. */
SALTUS_API saltus_method saltus_run_method_used(const saltus_run *run);

/* The named cost and its gradient by all parameters (fixed ones too), by SALTUS_AUTO: mostly one
 * backward walk over the steps of the last simulation. */
SALTUS_API saltus_status saltus_run_cost_gradient(saltus_run *run, const char *cost, double *value,
                                                  double *gradient, saltus_error *err);

/* The derivatives of samples (saltus_run_samples) by these parameters, however many:
 * gradient[sample * param_count + param], for all samples of the index-th row, or of all rows for
 * -1. Where times depend on parameters, the derivatives are total ones. method is SALTUS_DIRECT or
 * SALTUS_TANGENT. Rows of samples that were not taken are NaN. Fails like saltus_run_gradients;
 * the array then stays untouched. */
SALTUS_API saltus_status saltus_run_sample_gradients(saltus_run *run, int index,
                                                     saltus_method method, const int *params,
                                                     int param_count, double *gradient,
                                                     saltus_error *err);

/* One walk backward over the computed steps: the derivatives of
 *
 *     sum w_cost[cost] cost + sum w_sample[sample] sample + sum w_end[state] end state
 *         + sum w_time[event] event time
 *
 * by all parameters, into grad_params, and by the state at the start (q, v, c, as in
 * saltus_start_state), into grad_start. Weights that are NULL are zero; grad_start may be NULL.
 * Samples are those of all rows, as in saltus_run_sample_gradients. After saltus_run_simulate_from,
 * grad_start is by the state that was given; else it is by the assembled state at the start of the
 * model, as if that did not depend on parameters, while grad_params contains how it does. The end
 * state is that of saltus_run_final, with its time. Fails like saltus_run_gradients. */
SALTUS_API saltus_status saltus_run_vjp(saltus_run *run, const double *w_cost,
                                        const double *w_sample, const double *w_end,
                                        const double *w_time, double *grad_params,
                                        double *grad_start, saltus_error *err);
/* Walks forward over the computed steps, of which saltus_run_vjp is the transpose to rounding: the
 * derivatives of costs, samples, end state and event times along directions (lanes), each a change
 * of all parameters, dparams[param * lanes + lane], and of the state at the start,
 * dstart[state * lanes + lane]. Either may be NULL: no change. Results, [row * lanes + lane], that
 * are NULL are not computed. */
SALTUS_API saltus_status saltus_run_jvp(saltus_run *run, int lanes, const double *dparams,
                                        const double *dstart, double *dcost, double *dsample,
                                        double *dend, double *dtime, saltus_error *err);

/* Takes the steps of the last simulation again with these parameters (NULL: the model's): with the
 * same lengths, but steps onto events end where their guard is zero, and the last one where the
 * horizon ends. Costs, event times and states are then a smooth function of the parameters, that
 * whose derivatives SALTUS_DISCRETE and SALTUS_TANGENT compute; errors of steps are not controlled.
 * All that can be asked of a simulation can be asked of this motion. Fails with
 * SALTUS_ERR_UNFINISHED if the events are others, naming the first; another replay may follow
 * then, too: it is always that of the last simulation. */
SALTUS_API saltus_status saltus_run_replay(saltus_run *run, const double *params,
                                           saltus_error *err);
/* Products of the second derivatives of costs with a direction of parameters (all of the system's):
 * product[cost * params + param] of those of the request is the derivative of the gradient along
 * it. These are fourth-order differences of SALTUS_DISCRETE gradients on replays, whose events are
 * those of the last simulation; the method of the request is not looked at. Fails with
 * SALTUS_ERR_NO_GRADIENT if the events change however small the difference. The last simulation
 * stays as it is. */
SALTUS_API saltus_status saltus_run_hessian_product(saltus_run *run, const saltus_request *request,
                                                    const double *direction, double *product,
                                                    saltus_error *err);

/* Sensitivities along the motion: q, v, c, z by each of the parameters (at most SALTUS_TANGENTS at
 * once), row-major (dq[coordinate * params + param]). */
enum { SALTUS_TANGENTS = 16 };
typedef struct saltus_tangent_row {
    saltus_row    at;
    int           params;
    const double *dq, *dv, *dc, *dz;
} saltus_tangent_row;
typedef int (*saltus_tangent_function)(void *context, const saltus_tangent_row *row);
SALTUS_API saltus_status saltus_run_tangents(saltus_run *run, const int *params, int param_count,
                                             const double *times, int count,
                                             saltus_tangent_function row, void *context,
                                             saltus_error *err);

/* Adjoints of one cost along the motion, from the end to the start, in both sets of variables:
 * lambda_q, lambda_v, lambda_c, lambda_p (all parameters); and y, y_mu, the multipliers of the
 * equations of motion and of the constraints (docs/theory/sensitivities.md (7); y_mu is 0 for
 * constraints that are not active). Between two events of one instant, the row does not contain the
 * contribution through their common time. */
typedef struct saltus_adjoint_row {
    saltus_row    at;
    const double *lambda_q, *lambda_v, *lambda_c, *lambda_p, *y, *y_mu;
} saltus_adjoint_row;
typedef int (*saltus_adjoint_function)(void *context, const saltus_adjoint_row *row);
SALTUS_API saltus_status saltus_run_adjoints(saltus_run *run, int cost, const double *times,
                                             int count, saltus_adjoint_function row, void *context,
                                             saltus_error *err);

/* The jump matrix (docs/theory/events.md (14)) of the event-th event of the run, without its rows
 * of parameters: matrix[row * columns + column], rows q, v, c, z; columns q, v, c, z, parameters.
 * rows and columns are always written; matrix may be NULL to ask for the size. */
SALTUS_API saltus_status saltus_run_jump_matrix(saltus_run *run, int event, int *rows, int *columns,
                                                double *matrix, saltus_error *err);

/* ---- clearances ----------------------------------------------------------------------------- */

/* What may change the sequence of events when parameters change. */
typedef enum saltus_clearance_kind {
    SALTUS_CLEAR_SWAP,      /* two events in a row meet: the time between them */
    SALTUS_CLEAR_LEAVE,     /* an event leaves the horizon: the time from it to the end (first is
                               its occurrence), or from the start to it (second is) */
    SALTUS_CLEAR_ENTER,     /* an event would happen if the motion went on past the end of the
                               horizon, or past the occurrence `first` as if that did not happen:
                               the time until then */
    SALTUS_CLEAR_MISS,      /* a guard turns before it is zero: its size where it is smallest */
    SALTUS_CLEAR_VANISH,    /* the guard of the occurrence `first` would turn back if the event did
                               not happen: its size where it is largest beyond zero */
    SALTUS_CLEAR_CONDITION, /* a condition (where=) of the occurrence `first` is met: its value */
    SALTUS_CLEAR_SAMPLE,    /* a sample is taken near the occurrence `first`: the time between */
    SALTUS_CLEAR_NODE,      /* a control has a node near the occurrence `first`: the time between */
    SALTUS_CLEAR_PEAK       /* the largest value of `cost` moves to another peak: by how much this
                               one is higher (of a smallest value: lower). Events stay, and the cost
                               has a kink */
} saltus_clearance_kind;

SALTUS_API const char *saltus_clearance_kind_name(saltus_clearance_kind kind); /* "swap", ... */

/* A distance to a change of the sequence of events. It is positive, and the sequence holds as long
 * as no clearance becomes zero: linearly, value + gradient . change. */
typedef struct saltus_clearance {
    saltus_clearance_kind kind;
    int           event; /* index of the event in the system whose guard it is about; -1: of none */
    int           first, second; /* occurrences for saltus_run_event, or -1 */
    double        t;             /* where it is taken; may be past the end of the run */
    double        value;
    const double *gradient; /* by parameter of the call */
    const char   *text;     /* what happens where it is zero, as "'floor' 3 leaves the horizon" */
    int           cost;     /* index of the cost whose peaks it is about; -1: of none */
} saltus_clearance;

/* Calls clearance for each distance between the last simulation and another sequence of events,
 * kinks included, with its derivatives by these parameters (NULL: all that are not fixed). Return
 * nonzero from clearance to stop. What is handed out is borrowed until the function returns.
 * Fails where gradients do. Clearances are found on the computed motion; guards that change much
 * faster than the steps may have some that are missed. The last simulation stays as it is. */
typedef int (*saltus_clearance_function)(void *context, const saltus_clearance *clearance);
SALTUS_API saltus_status saltus_run_clearances(saltus_run *run, const int *params, int param_count,
                                               saltus_clearance_function clearance, void *context,
                                               saltus_error *err);

/* Between which values of one parameter, all others fixed, the sequence of events holds, and what
 * ends it: a text as of saltus_clearance, or why the motion does not get to its end beyond. Without
 * an end, the value is infinite and the text "". An end may also be the bound of the parameter. */
enum { SALTUS_TRUST_TEXT = 240 };
typedef struct saltus_trust {
    double lower, upper;
    double lower_estimate, upper_estimate; /* by the clearances of the last simulation, linearly */
    char   lower_end[SALTUS_TRUST_TEXT], upper_end[SALTUS_TRUST_TEXT];
} saltus_trust;

/* Writes trust[param] for these parameters (NULL: all that are not fixed). Ends are found by
 * simulating: on the inner side of each, at a distance of about 1e-10 of the value, the motion was
 * simulated and has the events of the last simulation; at most as far beyond it does not. On the
 * way from the last simulation to an end, clearances say how far to go; another sequence that they
 * do not see, which begins and ends between two simulations, is missed. No end is sought further
 * than a thousand times the value (or 1) away. Fails where gradients do. The last simulation stays
 * as it is. */
SALTUS_API saltus_status saltus_run_trust(saltus_run *run, const int *params, int param_count,
                                          saltus_trust *trust, saltus_error *err);

#ifdef __cplusplus
}
#endif
#endif
