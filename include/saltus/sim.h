/* From a model to numbers: compile, simulate, read results, differentiate.
 *
 * A system is a compiled model: it never changes, and threads may share it. A run is a simulation
 * of a system in one thread: it owns all memory that changes, and a second simulation on the same
 * run normally allocates nothing. */
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
/* How impacts of several contacts at one instant are resolved: all together (Moreau), or one by
 * one. */
typedef enum saltus_impacts { SALTUS_TOGETHER, SALTUS_ONE_BY_ONE } saltus_impacts;
/* How kernels are evaluated: interpreted, or as C compiled with the system's compiler. Both give
 * the same digits. SALTUS_BACKEND_AUTO uses compiled code that is in the cache, and compiles once
 * simulations of the system have taken as long as compiling is expected to take. */
typedef enum saltus_backend { SALTUS_BACKEND_AUTO, SALTUS_INTERP, SALTUS_NATIVE } saltus_backend;

/* Start from saltus_options_default or saltus_system_options; options that are all zero ({0} in C,
 * {} in C++) are refused. Numbers are finite and not negative, unless their comment says more. */
typedef struct saltus_options {
    size_t size;             /* size of this struct, in the version that filled it in */
    double rtol, atol;       /* relative and absolute error of a step, at most 0.5, and rtol at
                                least 1e-14; if they are equal, the absolute one shrinks for
                                quantities that stay small */
    double            t_end; /* end time; NaN: the end of the model's horizon */
    saltus_integrator integrator;
    double            max_step;       /* longest step; 0, infinity: the length of the horizon */
    double            first_step;     /* length of the first step; 0: chosen automatically */
    long long         max_steps;      /* steps before the run gives up */
    int               max_events;     /* events before the run gives up */
    double            event_rate_min; /* an event grazes if its guard turns back within this
                                         fraction of the horizon */
    size_t             record_memory; /* bytes of record before checkpoints are used */
    saltus_formulation formulation;   /* of constraints */
    saltus_impacts     impacts;
    double rest_speed;       /* a contact comes to rest at its first bounce that is slower than this
                                fraction of its fastest one; 0: chosen automatically */
    double alpha, xi, omega; /* penalty factor; damping ratio and frequency of constraint errors
                                (penalty, or Baumgarte's terms); omega 0: 10 for penalty, else
                                chosen once constraints drift */
    double fd_step;          /* finite differences: relative step; 0: 1e-3 */
    int    threads; /* number of threads, each with a run of its own, for finite differences and the
                       calls of saltus/answer.h; 0, 1: only the caller's. The digits do not depend
                       on it. With several threads, the allocator must be thread-safe. */
    saltus_backend backend; /* how kernels are evaluated; compiled code serves all runs of the
                               system */
    /* Called from time to time with the time reached; return nonzero to stop. May be NULL.
     * Gradients call it too, some with decreasing times, and fail with SALTUS_ERR_INTERRUPTED if it
     * stops them. With several threads, only one of them calls it at a time. It is also called
     * while a C compiler works; it must not use the system. */
    int (*progress)(void *context, double t, double t_end);
    void *progress_context;
} saltus_options;

/* The options that scripts (solver{...}) and the command line may set by name: name, kind (R real,
 * I integer, S size in bytes, N name), description. Two more are not in this list: formulation
 * (index1 or penalty) and backend (auto, interp or native). */
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

/* Sets an option by name from text ("1e-9", "dopri5"). Fails with SALTUS_ERR_ARGUMENT, with a
 * message that suggests the nearest name or the admissible values. */
SALTUS_API saltus_status saltus_options_set(saltus_options *options, const char *name,
                                            const char *text, saltus_error *err);
/* Returns the value of an option as text; NULL if there is no such option. buffer holds at least 32
 * bytes. */
SALTUS_API const char *saltus_options_get(const saltus_options *options, const char *name,
                                          char *buffer);

/* Limits how often a slow progress function is called, for example one of an interpreter. */
typedef struct saltus_seldom {
    int (*progress)(void *context, double t, double t_end);
    void     *context;
    double    seconds; /* least time between two calls */
    long long last;    /* time of the last call, in nanoseconds; start with 0 */
} saltus_seldom;
/* A function for options.progress whose context is a saltus_seldom. If `seconds` have passed since
 * the last call, it calls the function of the context and returns its result, else it returns 0.
 * Threads may share the context. */
SALTUS_API int saltus_progress_seldom(void *context, double t, double t_end);

/* Returns the options of a model, which may be changed: the defaults, with those set by
 * solver{...}. */
SALTUS_API saltus_options *saltus_model_options(saltus_model *model);

/* ---- the system ----------------------------------------------------------------------------- */

/* Checks and compiles the model: derives its equations of motion and their derivatives. The system
 * does not need the model, which may be freed first. Fails with SALTUS_ERR_MODEL and the script's
 * line if the model is wrong. The time grows in proportion to the size of the model. The progress
 * function of the model's options is called every few milliseconds, with the start time; if it
 * returns nonzero, the call fails with SALTUS_ERR_INTERRUPTED. */
SALTUS_API saltus_system *saltus_system_compile(const saltus_model *model, saltus_error *err);
/* Compiles the model with the named costs only, in the order of the model. The other costs are not
 * evaluated, their kinks are not located, and their integrals do not affect the lengths of steps,
 * so the motion may change within the tolerance. */
SALTUS_API saltus_system *saltus_system_compile_costs(const saltus_model *model,
                                                      const char *const *costs, int count,
                                                      saltus_error *err);
SALTUS_API void           saltus_system_free(saltus_system *system); /* NULL is fine */

/* What a system consists of. Names are borrowed until the system is freed. If an index is out of
 * range, texts are "" and real numbers NaN. */
typedef struct saltus_size {
    int coordinates, constraints, memories, modes, groups, events, params, costs, outputs, settings;
    int terms, templates, contacts;
    int hidden;  /* internal memories (of contacts, clocks and samples), which follow the model's
                    memories in dc of saltus_tangent_row and in lambda_c of saltus_adjoint_row */
    int samples; /* number of calls of saltus_samples */
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
    const char      *from, *to; /* modes as text; from "": any mode, to "": modes do not change */
    const char      *law;       /* "set", "restitution", "inelastic", "none", "kink", ... */
    saltus_direction direction;
    int              stop;      /* 0, or the occurrence that ends the run */
    int              automatic; /* 1: the kink of an abs, sign, min, max */
    int              line;
} saltus_event_info;
/* A contact, or dry friction on a velocity. Its modes form a group of the same name: name.open,
 * name.stick, name.slide+ and name.slide-; without friction, name.open and name.closed.
 * Coefficients are expressions as text, "" if there are none. */
typedef struct saltus_contact_info {
    const char *name;
    const char *restitution;
    const char *mu_static, *mu_kinetic; /* for dry friction on a velocity: the largest forces */
    int         touches;                /* 0: dry friction, which has no gap and is never open */
    int         closes;                 /* 0: it only bounces, and name.closed is never entered */
    int         rests;                  /* 1: it comes to rest by itself after its bounces */
    int         starts_closed;
    int         line;
} saltus_contact_info;
typedef struct saltus_setting_info {
    const char *name;
    double      value;
    const char *text; /* NULL: a number */
} saltus_setting_info;

/* Start values: as text, and their values for the parameters of the model (--set included). */
typedef struct saltus_start_info {
    const char *start, *speed; /* speed: "" for a memory */
    double      start_value, speed_value;
    int         guessed; /* 1: start is a guess, from which assembly begins; the constraints
                            determine the speed */
} saltus_start_info;

SALTUS_API saltus_param_info saltus_system_param(const saltus_system *system, int index);
SALTUS_API saltus_name_info  saltus_system_coordinate(const saltus_system *system, int index);
/* Returns 1 if the coordinate represents a first-order state of the same name: then its velocity is
 * the state, its acceleration is the rate, and its position, the integral of the state, is unused.
 */
SALTUS_API int               saltus_system_is_state(const saltus_system *system, int index);
SALTUS_API saltus_start_info saltus_system_coordinate_start(const saltus_system *system, int index);
SALTUS_API saltus_name_info  saltus_system_constraint(const saltus_system *system, int index);
/* Returns the constraint's own penalty factor; NaN if it uses that of the options. */
SALTUS_API double saltus_system_constraint_alpha(const saltus_system *system, int index);
/* A memory that the model declares. Internal memories (branches of kinks, memories of contacts) are
 * not counted. */
SALTUS_API saltus_name_info  saltus_system_memory(const saltus_system *system, int index);
SALTUS_API saltus_start_info saltus_system_memory_start(const saltus_system *system, int index);
SALTUS_API saltus_name_info  saltus_system_mode(const saltus_system *system, int index);
/* Returns the name of the group to which a mode belongs; "" for the unnamed one. */
SALTUS_API const char         *saltus_system_mode_group(const saltus_system *system, int index);
SALTUS_API saltus_contact_info saltus_system_contact(const saltus_system *system, int index);
SALTUS_API saltus_name_info    saltus_system_cost(const saltus_system *system, int index);
/* Return the integrand and the final value of a cost as text; "" if it has none. */
SALTUS_API const char *saltus_system_cost_integral(const saltus_system *system, int index);
SALTUS_API const char *saltus_system_cost_final(const saltus_system *system, int index);
/* Returns the number of samples that a cost has (saltus_cost_at). */
SALTUS_API int saltus_system_cost_samples(const saltus_system *system, int index);
/* Returns the expression whose largest value along the motion is part of a cost, as text; "" if
 * there is none. *lowest (may be NULL) is set to 1 if it is the smallest value, else to 0. */
SALTUS_API const char *saltus_system_cost_peak(const saltus_system *system, int index, int *lowest);
SALTUS_API saltus_name_info  saltus_system_output(const saltus_system *system, int index);
SALTUS_API saltus_event_info saltus_system_event(const saltus_system *system, int index);
typedef struct saltus_samples_info {
    const char *name;
    int         count; /* number of times that were given */
    int         line;
} saltus_samples_info;
SALTUS_API saltus_samples_info saltus_system_samples(const saltus_system *system, int index);
SALTUS_API saltus_setting_info saltus_system_setting(const saltus_system *system, int index);
/* Writes the start time, and the end of the horizon as text, e.g. "2 * T". */
SALTUS_API void saltus_system_horizon(const saltus_system *system, double *start, const char **end);

/* Return the index of a name, or -1. */
SALTUS_API int saltus_system_find_param(const saltus_system *system, const char *name);
SALTUS_API int saltus_system_find_cost(const saltus_system *system, const char *name);

/* Warnings found while compiling (an event that cannot happen, ...). */
SALTUS_API int         saltus_system_warning_count(const saltus_system *system);
SALTUS_API const char *saltus_system_warning(const saltus_system *system, int index);

/* How the kernels of a system are evaluated now. */
typedef struct saltus_backend_info {
    saltus_backend backend; /* SALTUS_NATIVE if any kernels are compiled, else SALTUS_INTERP */
    int         loaded, compiled; /* shared objects in use; those of them that had to be compiled */
    double      seconds;          /* time spent compiling */
    const char *note; /* why kernels are interpreted although compiling was requested; or "" */
} saltus_backend_info;
SALTUS_API saltus_backend_info saltus_system_backend(const saltus_system *system);

/* An entry of the cache of compiled code, which is on disk in $XDG_CACHE_HOME/saltus or
 * ~/.cache/saltus. Its size is limited: the least recently used entry is removed first. */
typedef struct saltus_cache_entry {
    const char *name;  /* name of its file */
    const char *model; /* the first model it was compiled for; "": not known */
    long long   bytes;
    double      age; /* seconds since its last use */
} saltus_cache_entry;

/* Writes the path of the cache, whether or not it exists. The three calls for the cache fail with
 * SALTUS_ERR_FILE if other users can write to the folder. */
SALTUS_API saltus_status saltus_cache_folder(char *path, size_t size, saltus_error *err);
/* Calls visit for each entry, the most recently used first; the entry is valid during the call. */
SALTUS_API saltus_status saltus_cache_list(void (*visit)(void                     *context,
                                                         const saltus_cache_entry *entry),
                                           void *context, saltus_error *err);
/* Removes all entries. Processes can go on using code that they have loaded. */
SALTUS_API saltus_status saltus_cache_clear(saltus_error *err);

/* Writes the model as it is after a pass of the compiler ("model", "kinks", "terms", "derive" or
 * "program"), for the starting modes. pass NULL: after each pass. */
SALTUS_API saltus_status saltus_system_dump(const saltus_system *system, const char *pass,
                                            void (*write)(void *context, const char *text),
                                            void *context, saltus_error *err);

/* ---- the run -------------------------------------------------------------------------------- */

/* Creates a run with these options (NULL: the system's). It borrows the system. Returns NULL on
 * failure.
 *
 * While a call on a run calls a function of the caller (options.progress, or one that takes rows,
 * steps, files, findings, sides or clearances), the run is in use, and the function must not free
 * it. Calls on the run that take an error then fail with SALTUS_ERR_ARGUMENT; the others, such as
 * saltus_run_get_info and saltus_run_event, are allowed. To simulate there, use another run. */
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
    SALTUS_SINGULAR, /* the mass matrix or the constraints are singular */
    SALTUS_VIOLATED, /* a constraint is violated: after an event, across a kink, or by set values */
    SALTUS_NOT_FINITE,
    SALTUS_INTERRUPTED,
    SALTUS_PAINLEVE,     /* no motion is possible at contacts with friction */
    SALTUS_AMBIGUOUS,    /* more than one motion is possible at contacts with friction */
    SALTUS_NOT_SIMULATED /* there is no result: before a simulation, and after one that failed */
} saltus_outcome;

typedef struct saltus_run_info {
    saltus_outcome outcome;
    const char    *message; /* what happened and what to do; "" for SALTUS_END,
                               SALTUS_TERMINAL_EVENT and SALTUS_NOT_SIMULATED; never NULL */
    double    t;            /* the time reached */
    double    zeno_time;    /* SALTUS_ZENO: the time at which events accumulate; else NaN */
    int       last_event;   /* SALTUS_TERMINAL_EVENT: index of the event that ended it; else -1 */
    int       events;       /* number of events that happened, kinks included */
    long long steps, rejected, evaluations;
    long long replayed; /* steps taken again because the record was full */
    int       warnings;
    double    rest_speed; /* that of the options, or the one that was chosen */
} saltus_run_info;

/* Simulates with these parameter values (NULL: the model's) and keeps the record. Fails only if the
 * call could not do its work (no memory, invalid values); saltus_run_info says how the motion
 * ended, and results up to that time can be read. After a failure no results can be read, not even
 * those of an earlier simulation: the outcome is SALTUS_NOT_SIMULATED, and calls that read results
 * fail with SALTUS_ERR_ARGUMENT. */
SALTUS_API saltus_status saltus_run_simulate(saltus_run *run, const double *params,
                                             saltus_error *err);
/* An initial state: positions q and velocities v, by coordinate, and memories c, followed by the
 * internal ones (saltus_size.hidden). saltus_system_states returns the number of all these. */
typedef struct saltus_start_state {
    const int    *modes;     /* by group: the index of its mode; NULL: the model's starting modes */
    const double *q, *v;     /* by coordinate */
    const double *c;         /* NULL: the model's start values, which may depend on parameters */
    int           assembled; /* 1: q and v are guesses, from which positions and velocities are
                                assembled; 0: q and v satisfy the constraints */
} saltus_start_state;
SALTUS_API int saltus_system_states(const saltus_system *system);
/* Simulates from this state, from time t0 to t1, instead of the start and the horizon of the model.
 * Failure and results are those of saltus_run_simulate, and everything that can be computed from a
 * run can be computed from this one. Gradients by parameters hold this state fixed; saltus_run_vjp
 * and saltus_run_jvp compute derivatives by the state. */
SALTUS_API saltus_status saltus_run_simulate_from(saltus_run *run, const saltus_start_state *state,
                                                  double t0, double t1, const double *params,
                                                  saltus_error *err);
/* Writes the state at the end of the run (event -1), or that just before (after 0) or just after
 * (after 1) an event of the run: modes by group, and q, v and c of saltus_start_state. Each array
 * may be NULL. */
SALTUS_API saltus_status saltus_run_state(saltus_run *run, int event, int after, int *modes,
                                          double *q, double *v, double *c, saltus_error *err);
SALTUS_API const saltus_run_info *saltus_run_get_info(const saltus_run *run);
SALTUS_API const char            *saltus_run_warning(const saltus_run *run, int index);

/* Writes the kernels of the starting mode of the run as C code that does not need the library:
 * kernels.h, kernels.c, an example main.c with the initial state, and a Makefile. Each file is
 * passed as a whole; return nonzero from write to stop. The files do not contain names from the
 * script. */
typedef int (*saltus_file_function)(void *context, const char *file, const char *text);
SALTUS_API saltus_status saltus_run_emit(saltus_run *run, saltus_file_function write, void *context,
                                         saltus_error *err);

/* One instant of a run. All arrays are borrowed until the next call on the run. */
typedef struct saltus_row {
    double        t;
    const char   *mode; /* NULL without modes; several groups joined by " + " */
    const double *q, *v, *a, *mu, *c, *z;
    const double *residual, *residual_rate; /* by constraint; 0 if it is not active */
    const double *output;                   /* by output */
    double        kinetic, potential;       /* energies */
    int           event; /* index for saltus_run_event of the event at this instant, or -1 */
    int           after; /* 1: just after that event; 0: just before it */
} saltus_row;

/* Writes the last instant of the run (before the jump, if an event ended it). */
SALTUS_API saltus_status saltus_run_final(saltus_run *run, saltus_row *row, saltus_error *err);
/* Writes the values of all costs; NaN if the run did not reach its end. */
SALTUS_API saltus_status saltus_run_costs(saltus_run *run, double *value, saltus_error *err);

/* Where the motion reaches the largest or smallest value of a cost (saltus_cost_max). */
typedef enum saltus_peak_place {
    SALTUS_NO_PEAK,     /* the cost has no peak, or the run did not reach its end */
    SALTUS_PEAK_INSIDE, /* between events, where the rate of the expression is zero */
    SALTUS_PEAK_START,
    SALTUS_PEAK_BEFORE, /* just before an event */
    SALTUS_PEAK_AFTER,  /* just after an event */
    SALTUS_PEAK_END
} saltus_peak_place;

typedef struct saltus_peak {
    saltus_peak_place place;
    double            t, value; /* NaN without a peak */
    int               event; /* the event, an index for saltus_run_event; -1: none that is listed */
} saltus_peak;
SALTUS_API saltus_peak saltus_run_peak(const saltus_run *run, int cost);
SALTUS_API const char *saltus_peak_place_name(saltus_peak_place place); /* "inside", ... */

typedef struct saltus_occurrence {
    int         event; /* index of the event in the system */
    const char *name;
    double      t;
    double      rate;      /* rate of the guard, just before the event */
    const char *from, *to; /* modes before and after the event and the changes that come with it;
                              NULL: the model has no modes */
    int           grazing; /* 1: crossed (nearly) tangentially, so there is no gradient */
    double        impulse; /* impulse of a restitution law, else NaN */
    double        energy_before, energy_after;
    const double *q, *v_minus, *v_plus; /* positions after, velocities before and after */
} saltus_occurrence;
/* Returns an event of the run; if there is no event with this index, event is -1, name is "", and
 * arrays are NULL. */
SALTUS_API saltus_occurrence saltus_run_event(const saltus_run *run, int index);
/* Writes the impulse of each constraint at an event (docs/theory/events.md (4); the sign is that of
 * mu): 0 if the constraint is not active in the mode that is entered. Returns 1 if the event's law
 * has impulses (an impact: restitution, or new constraints). Returns 0 and writes NaN if it has
 * none, or if there is no such event. */
SALTUS_API int saltus_run_impulses(const saltus_run *run, int index, double *impulse);

/* Calls row for each of the given times, which ascend, and for both sides of each event, in order
 * of time. Times outside of the run are left out. Return nonzero from row to stop. */
typedef int (*saltus_row_function)(void *context, const saltus_row *row);
SALTUS_API saltus_status saltus_run_trajectory(saltus_run *run, const double *times, int count,
                                               saltus_row_function row, void *context,
                                               saltus_error *err);

/* Writes the motion as a table, values[row * columns + column], with one row for each of the given
 * times, which ascend. The saltus_system_columns columns are q, v, a (by coordinate), mu (by
 * constraint), c (by memory), z (by cost: its integral and charges up to this time) and outputs;
 * saltus_size has their numbers. At the time of an event, the row has the state after all events of
 * that instant, unless the event ended the run. Rows outside of the run are NaN; if the call fails,
 * all rows are (unless there is no run, or err already held a failure). */
SALTUS_API int           saltus_system_columns(const saltus_system *system);
SALTUS_API saltus_status saltus_run_sample(saltus_run *run, const double *times, int count,
                                           double *values, saltus_error *err);

/* Writes the times (may be NULL) and values of the index-th samples (saltus_samples), in the order
 * in which their times were given; index -1: all samples of the model, one list after the other. At
 * an event, the value is the one before it. Samples after the end of the run are NaN. */
SALTUS_API saltus_status saltus_run_samples(saltus_run *run, int index, double *times,
                                            double *values, saltus_error *err);

/* One step of a run: from t to t + length. */
typedef struct saltus_run_step {
    double      t, length; /* length 0: between two events of one instant */
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
    SALTUS_AUDIT_MISSED,      /* a guard crossed zero in its direction, but no event happened */
    SALTUS_AUDIT_UNEXPLAINED, /* an event happened, but its guard did not cross in its direction */
    SALTUS_AUDIT_TIME,        /* an event happened where its guard is not zero */
    SALTUS_AUDIT_BRANCH,      /* abs, sign, min or max used the wrong branch */
    SALTUS_AUDIT_JUMP,        /* the state after an event does not follow from its law */
    SALTUS_AUDIT_MODE,   /* an event happened in a mode, or led to a mode, that is not its own */
    SALTUS_AUDIT_RECORD, /* recorded steps and events do not follow each other without gaps */
    SALTUS_AUDIT_CONTACT /* a contact pulls, rubs outside its cone, slips while it sticks, ... */
} saltus_audit_kind;

typedef struct saltus_audit_finding {
    saltus_audit_kind kind;
    int               event;      /* index of the event in the system, or -1 */
    int               occurrence; /* index for saltus_run_event, or -1 */
    double            t;
    double      value, allowed; /* size of the error; size that rounding and tolerances explain */
    const char *text;           /* a sentence; borrowed until the callback returns */
} saltus_audit_finding;

/* The condition on a contact (whose modes the run finds) that came closest to being violated. */
typedef struct saltus_audit_contact {
    const char *name; /* name of the contact, borrowed from the system; NULL: there is none */
    const char *what; /* the condition, for example "slips while it sticks" */
    double      t;
    double      value, allowed; /* size of its error, and size that is allowed */
} saltus_audit_contact;

/* What an audit examined. */
typedef struct saltus_audit {
    int findings;         /* number of findings */
    int events;           /* number of events that happened */
    int crossings;        /* zeros of guards inside steps that are no events: not in the declared
                             direction, conditions not met, or a pole */
    long long looks;      /* number of instants at which all guards of the mode were evaluated */
    long long conditions; /* number of conditions on contacts that were checked */
    saltus_audit_contact contact; /* the one of these conditions that came closest to its limit */
} saltus_audit;

/* Verifies the events of the last simulation without the code that located them: evaluates every
 * guard of the mode at many instants of each step, on its dense output. There, and at impacts,
 * contacts whose modes the run finds must obey the laws of their modes. Calls finding for each
 * finding; return nonzero to stop. finding and audit may be NULL. Features narrower than about a
 * fiftieth of a step may be missed. */
typedef int (*saltus_audit_function)(void *context, const saltus_audit_finding *finding);
SALTUS_API saltus_status saltus_run_audit(saltus_run *run, saltus_audit_function finding,
                                          void *context, saltus_audit *audit, saltus_error *err);

/* ---- gradients ------------------------------------------------------------------------------ */

typedef enum saltus_method {
    SALTUS_DIRECT,   /* tangent linear model with jump matrices, forward in time */
    SALTUS_ADJOINT,  /* continuous adjoint: backward in time on the dense output */
    SALTUS_DISCRETE, /* adjoint of the computed steps */
    SALTUS_TANGENT,  /* tangent of the computed steps: the counterpart of SALTUS_DISCRETE */
    SALTUS_FD,       /* central differences of complete runs */
    SALTUS_AUTO      /* SALTUS_DIRECT or SALTUS_DISCRETE, whichever takes less work; SALTUS_ADJOINT
                        where the steps are too long for SALTUS_DISCRETE to be exact enough */
} saltus_method;

SALTUS_API const char *saltus_method_name(saltus_method method); /* "direct", "adjoint", ... */

/* A request for derivatives of costs by parameters, both given by their indices. costs NULL: all;
 * params NULL: all that are not fixed, in order. The count of a list that is NULL is 0. */
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
 * computed forward, by the tangent of the steps, if backward walks would take longer.
 * Fails with SALTUS_ERR_GRAZING, SALTUS_ERR_NO_GRADIENT or SALTUS_ERR_UNFINISHED if there is no
 * derivative; the arrays are then unchanged.
 *
 * A run adapts: after a gradient, later simulations keep the data that the next one needs or, for
 * the direct method alone, compute it as they go (options.progress is then called by the simulation
 * only). Repeating the same request on one run is therefore faster than the first time. */
SALTUS_API saltus_status saltus_run_gradients(saltus_run *run, const saltus_request *request,
                                              double *gradient, double *time_gradient,
                                              double *end_gradient, saltus_error *err);

/* Gradients by finite differences (SALTUS_FD), with estimates of their errors. The estimates are
 * larger than the true errors unless the runs are noisier than their tolerance. Each array but
 * gradient may be NULL. */
typedef struct saltus_differences {
    double *gradient, *time_gradient, *end_gradient; /* laid out as in saltus_run_gradients */
    double *gradient_error, *time_error, *end_error; /* estimates, laid out like the gradients */
    double *step;         /* by parameter: the longest step; the shortest is a sixteenth of it */
    int     base_differs; /* 1: the call failed because, at the tolerance of the differences, the
                             motion has other events even without a change of parameters; the run
                             itself is then doubtful */
} saltus_differences;
SALTUS_API saltus_status saltus_run_differences(saltus_run *run, const saltus_request *request,
                                                saltus_differences *differences, saltus_error *err);

/* The relation between the derivatives from both sides of a parameter's value. They may differ
 * where events coincide by chance, or where a contact is exactly at a threshold. Costs may even
 * jump there, if different orders of impacts lead to different motions. */
typedef enum saltus_verdict {
    SALTUS_SIDES_AGREE,   /* the derivative is the same on both sides */
    SALTUS_SIDES_DIFFER,  /* the cost is continuous, its derivative is not */
    SALTUS_SIDES_UNKNOWN, /* a side has no limit that could be verified */
    SALTUS_SIDES_JUMP     /* the cost itself jumps: there is no derivative */
} saltus_verdict;

/* One side: the limits, as the parameter approaches its value, of the costs of the request and of
 * their derivatives by the parameter, with estimates of their errors. */
typedef struct saltus_side {
    int                found;   /* 1: the limits were found */
    const char        *message; /* why they were not found; else "" */
    const double      *cost, *cost_error, *gradient, *gradient_error; /* NULL if not found */
    int                events; /* number of events of the motion on this side, next to the value */
    const char *const *event;  /* names of these events, in order */
} saltus_side;

/* Both sides of one parameter. If the motions have different events, the sequences differ from
 * event number first_different on, in different_below and different_above events; after these they
 * are equal again. */
typedef struct saltus_sides {
    int                   param; /* index of the parameter in the system */
    saltus_side           below, above;
    const saltus_verdict *verdict; /* by cost of the request */
    int                   first_different, different_below, different_above;
} saltus_sides;

/* Computes one-sided derivatives and calls sides for each parameter of the request; its argument is
 * borrowed until it returns. Return nonzero to stop. The limits are found from motions on each
 * side, at distances of about a millionth of the value. They are verified: these motions must have
 * the same events, and costs must change as the derivatives predict. If there are no such motions
 * on a side, the call does not fail, and the limits of this side are not found. The gradients of a
 * run (saltus_run_gradients) are those of one of the sides; a warning of the run says so. */
typedef int (*saltus_sides_function)(void *context, const saltus_sides *sides);
SALTUS_API saltus_status saltus_run_one_sided(saltus_run *run, const saltus_request *request,
                                              saltus_sides_function sides, void *context,
                                              saltus_error *err);

/* Computes scales to which the errors of costs and gradients can be compared, even where these are
 * zero up to errors. size, for rounding errors, by cost of the request: the largest magnitudes of
 * the terms of the cost's expression along the motion, at the given times (as in
 * saltus_run_trajectory) and at events. end_size, for errors within the tolerance, by cost of the
 * request: the magnitudes of the terms at the end. gradient_size: the largest derivatives of the
 * terms, laid out as in saltus_run_gradients. */
SALTUS_API saltus_status saltus_run_sizes(saltus_run *run, const saltus_request *request,
                                          const double *times, int count, double *size,
                                          double *end_size, double *gradient_size,
                                          saltus_error *err);

/* Returns the method that SALTUS_AUTO chooses for this request. SALTUS_DIRECT carries one direction
 * per parameter through the motion, SALTUS_DISCRETE one per cost and, if times is not 0, one per
 * event of the last simulation and one for the end (walks for events only count half). The choice
 * depends on these numbers only, so equal runs choose the same method. Other methods are returned
 * as they are. An invalid request gives SALTUS_DISCRETE. */
SALTUS_API saltus_method saltus_run_method(const saltus_run *run, const saltus_request *request,
                                           int times);

/* Returns the method of the last gradient that was not refused; SALTUS_AUTO: there was none yet. It
 * is the method of saltus_run_method, with one exception: if SALTUS_AUTO chose SALTUS_DISCRETE, and
 * its estimated error shows that more than three digits were lost because the steps were chosen for
 * the motion and not for its derivatives, it is SALTUS_ADJOINT, which controls its own error, as
 * SALTUS_DIRECT does. */
SALTUS_API saltus_method saltus_run_method_used(const saltus_run *run);

/* Writes the value of the named cost and its gradient by all parameters, fixed ones included. The
 * method is SALTUS_AUTO, usually one backward walk over the steps of the last simulation. */
SALTUS_API saltus_status saltus_run_cost_gradient(saltus_run *run, const char *cost, double *value,
                                                  double *gradient, saltus_error *err);

/* Writes the derivatives of samples by any number of parameters:
 * gradient[sample * param_count + param], with index and samples as in saltus_run_samples. If times
 * depend on parameters, the derivatives are total derivatives. method is SALTUS_DIRECT or
 * SALTUS_TANGENT. Rows of samples that were not taken are NaN. Fails like saltus_run_gradients; the
 * array is then unchanged. */
SALTUS_API saltus_status saltus_run_sample_gradients(saltus_run *run, int index,
                                                     saltus_method method, const int *params,
                                                     int param_count, double *gradient,
                                                     saltus_error *err);

/* Computes a vector-Jacobian product by one backward walk over the computed steps: the derivatives
 * of
 *
 *     sum w_cost[cost] cost + sum w_sample[sample] sample + sum w_end[state] end state
 *         + sum w_time[event] event time
 *
 * by all parameters, into grad_params, and by the initial state (q, v, c, as in
 * saltus_start_state), into grad_start. Weights that are NULL are zero; grad_start may be NULL.
 * Samples are all samples of the model, as in saltus_run_samples with index -1. After
 * saltus_run_simulate_from, grad_start is by the given state. Otherwise it is by the assembled
 * initial state of the model, taken as independent of the parameters, while grad_params includes
 * the dependence of this state on the parameters. The end state is that of saltus_run_final, and
 * changes with the end time. Fails like saltus_run_gradients. */
SALTUS_API saltus_status saltus_run_vjp(saltus_run *run, const double *w_cost,
                                        const double *w_sample, const double *w_end,
                                        const double *w_time, double *grad_params,
                                        double *grad_start, saltus_error *err);
/* Computes Jacobian-vector products by forward walks over the computed steps, the transpose of
 * saltus_run_vjp to rounding: the derivatives of costs, samples, end state and event times along
 * several directions (lanes). A direction is a change of all parameters,
 * dparams[param * lanes + lane], and of the initial state, dstart[state * lanes + lane]; either may
 * be NULL: no change. Results are [row * lanes + lane]; those that are NULL are not computed. */
SALTUS_API saltus_status saltus_run_jvp(saltus_run *run, int lanes, const double *dparams,
                                        const double *dstart, double *dcost, double *dsample,
                                        double *dend, double *dtime, saltus_error *err);

/* Repeats the steps of the last simulation with these parameters (NULL: the model's). Steps keep
 * their lengths, except that steps onto events end where the guard is zero, and the last step ends
 * at the end of the horizon. Costs, event times and states are then smooth functions of the
 * parameters, and SALTUS_DISCRETE and SALTUS_TANGENT compute exactly their derivatives; errors of
 * steps are not controlled. Everything that can be computed from a simulation can be computed from
 * this motion. Fails with SALTUS_ERR_UNFINISHED if the sequence of events differs; the message
 * names the first different one. Further replays are possible, also after a failure; they always
 * repeat the last simulation. */
SALTUS_API saltus_status saltus_run_replay(saltus_run *run, const double *params,
                                           saltus_error *err);
/* Computes products of the second derivatives of costs with a direction in the space of all
 * parameters of the system: product[cost * params + param], for the costs and parameters of the
 * request, is the derivative of the gradient along the direction. It is a fourth-order difference
 * of SALTUS_DISCRETE gradients on replays with the events of the last simulation; the method of the
 * request is ignored. Fails with SALTUS_ERR_NO_GRADIENT if even small changes of the parameters
 * change the events. The last simulation is kept. */
SALTUS_API saltus_status saltus_run_hessian_product(saltus_run *run, const saltus_request *request,
                                                    const double *direction, double *product,
                                                    saltus_error *err);

/* The largest number of parameters in saltus_run_tangents. */
enum { SALTUS_TANGENTS = 16 };
/* Derivatives of q, v, c and z by parameters, at one instant: dq[coordinate * params + param] and
 * so on. */
typedef struct saltus_tangent_row {
    saltus_row    at;
    int           params;
    const double *dq, *dv, *dc, *dz;
} saltus_tangent_row;
/* Computes sensitivities along the motion: calls row at the given times and at both sides of
 * events, as saltus_run_trajectory does. Return nonzero from row to stop. */
typedef int (*saltus_tangent_function)(void *context, const saltus_tangent_row *row);
SALTUS_API saltus_status saltus_run_tangents(saltus_run *run, const int *params, int param_count,
                                             const double *times, int count,
                                             saltus_tangent_function row, void *context,
                                             saltus_error *err);

/* Adjoints of one cost at one instant, in both sets of variables: lambda_q, lambda_v, lambda_c and
 * lambda_p (by all parameters); and y and y_mu, the multipliers of the equations of motion and of
 * the constraints (docs/theory/sensitivities.md (7); y_mu is 0 for constraints that are not
 * active). Between two events of one instant, they do not contain the contribution through the time
 * of these events. Rows come from the end of the motion to its start. */
typedef struct saltus_adjoint_row {
    saltus_row    at;
    const double *lambda_q, *lambda_v, *lambda_c, *lambda_p, *y, *y_mu;
} saltus_adjoint_row;
typedef int (*saltus_adjoint_function)(void *context, const saltus_adjoint_row *row);
SALTUS_API saltus_status saltus_run_adjoints(saltus_run *run, int cost, const double *times,
                                             int count, saltus_adjoint_function row, void *context,
                                             saltus_error *err);

/* Writes the jump matrix (docs/theory/events.md (14)) of an event of the run, without its rows of
 * parameters: matrix[row * columns + column], with rows q, v, c, z and columns q, v, c, z,
 * parameters. rows and columns receive its size, also if the call fails (0 if there is no run);
 * matrix NULL: only the size is written. */
SALTUS_API saltus_status saltus_run_jump_matrix(saltus_run *run, int event, int *rows, int *columns,
                                                double *matrix, saltus_error *err);

/* ---- clearances ----------------------------------------------------------------------------- */

/* How the sequence of events may change when parameters change, and the value of the clearance. */
typedef enum saltus_clearance_kind {
    SALTUS_CLEAR_SWAP,      /* two consecutive events coincide; value: the time between them */
    SALTUS_CLEAR_LEAVE,     /* an event leaves the horizon; value: the time from the occurrence
                               `first` to the end, or from the start to the occurrence `second` */
    SALTUS_CLEAR_ENTER,     /* an event would happen if the motion continued past the end of the
                               horizon, or past the occurrence `first` without that event; value:
                               the time until then */
    SALTUS_CLEAR_MISS,      /* a guard turns back before it reaches zero; value: its smallest
                               magnitude */
    SALTUS_CLEAR_VANISH,    /* the guard of the occurrence `first` would turn back if the event did
                               not happen; value: its largest magnitude beyond zero */
    SALTUS_CLEAR_CONDITION, /* a condition (where=) of the occurrence `first`; value: its value */
    SALTUS_CLEAR_SAMPLE,    /* a sample is taken near the occurrence `first`; value: the time
                               between them */
    SALTUS_CLEAR_NODE,      /* a control has a node near the occurrence `first`; value: the time
                               between them */
    SALTUS_CLEAR_PEAK       /* another peak overtakes the largest (or smallest) value of `cost`;
                               value: the difference of the two. The sequence of events does not
                               change, but the cost has a kink */
} saltus_clearance_kind;

SALTUS_API const char *saltus_clearance_kind_name(saltus_clearance_kind kind); /* "swap", ... */

/* A clearance: a distance to a change of the sequence of events. It is positive, and the sequence
 * is the same as long as no clearance becomes zero; to first order, value + gradient . change. */
typedef struct saltus_clearance {
    saltus_clearance_kind kind;
    int                   event; /* index in the system of the event whose guard it uses, or -1 */
    int                   first, second; /* occurrences, indices for saltus_run_event, or -1 */
    double                t;             /* its time, which may be past the end of the run */
    double                value;
    const double         *gradient; /* by parameter of the call */
    const char *text; /* what happens if it is zero, e.g. "'floor' 3 leaves the horizon" */
    int         cost; /* index of the cost whose peaks are compared, or -1 */
} saltus_clearance;

/* Calls clearance for each clearance of the last simulation, kinks included, with its derivatives
 * by these parameters (NULL: all that are not fixed). Return nonzero from clearance to stop; its
 * argument is borrowed until it returns. Fails like saltus_run_gradients. Clearances are found on
 * the computed motion; some may be missed if guards change much faster than the steps. The last
 * simulation is kept. */
typedef int (*saltus_clearance_function)(void *context, const saltus_clearance *clearance);
SALTUS_API saltus_status saltus_run_clearances(saltus_run *run, const int *params, int param_count,
                                               saltus_clearance_function clearance, void *context,
                                               saltus_error *err);

enum { SALTUS_TRUST_TEXT = 240 };
/* The interval of one parameter, all others fixed, in which the sequence of events does not change.
 * The texts say why it ends: like the text of saltus_clearance, or why the motion beyond does not
 * reach its end, or that a bound of the parameter is reached. An end that was not found is
 * infinite, and its text is "". */
typedef struct saltus_trust {
    double lower, upper;
    double lower_estimate, upper_estimate; /* linear, from clearances of the last simulation */
    char   lower_end[SALTUS_TRUST_TEXT], upper_end[SALTUS_TRUST_TEXT];
} saltus_trust;

/* Writes trust[param] for these parameters (NULL: all that are not fixed). Ends are verified by
 * simulations at relative distances of about 1e-10 on both sides: the motion on the inner side has
 * the events of the last simulation, the one beyond does not. Clearances determine how far the
 * search goes in each step; another sequence of events that lies between two simulations and that
 * clearances do not show is missed. Ends are not searched for further away than a thousand times
 * the value (or 1). Fails like saltus_run_gradients. The last simulation is kept. */
SALTUS_API saltus_status saltus_run_trust(saltus_run *run, const int *params, int param_count,
                                          saltus_trust *trust, saltus_error *err);

#ifdef __cplusplus
}
#endif
#endif
