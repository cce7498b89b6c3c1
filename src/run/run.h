/* A run: the motion up to the next event, the jump, and so on to the end; and what is kept of
 * it. */
#ifndef SAL_RUN_RUN_H
#define SAL_RUN_RUN_H

#include "base/scratch.h"
#include "compile/code.h"
#include "contact/set.h"
#include "jump/saltation.h"
#include "record/record.h"
#include "run/cursor.h"

enum { SAL_RUN_LANES = SALTUS_TANGENTS, SAL_RUN_WARNINGS = 32, SAL_RUN_TEXT = 400 };
/* Bits of outcome.warned: warnings that are given at most once per event. */
enum { SAL_WARNED_SIDE = 1, SAL_WARNED_GRAZING = 2, SAL_WARNED_FAST = 4, SAL_WARNED_GAIN = 8 };

/* One event that happened. */
typedef struct sal_occurrence {
    int               event;
    double            t, rate, impulse; /* time; rate of its guard before it; impulse or NAN */
    const sal_regime *from, *to;        /* the regimes before and after it */
    const sal_regime *impact;           /* the regime in which contacts collide, or NULL */
    long long         step;             /* the step that ends at it */
    bool              follows;  /* it has the time of another event, whatever the parameters are */
    bool              joined;   /* it follows another event, whatever its own guard is */
    bool              grazing;  /* its guard only grazes zero: there is no derivative */
    bool              terminal; /* it ends the run, before its jump */
    /* If it only reports what another event did to a contact: the regime before that event. */
    const sal_regime *told_from;
    bool              silent; /* it only reports: another event includes its settings and charges */
    /* The events that are part of its jump: where they begin in run->history.shared, and how many
     * there are. */
    int shared, shares;
    int shown;    /* its number among events that users see; -1: hidden */
    int impulses; /* where impulses of its constraints begin in run->history.impulses; -1: none */
} sal_occurrence;

/* The regime whose constraints have impulses at the event. */
static inline const sal_regime *sal_occurrence_law(const sal_occurrence *o)
{
    return o->impact ? o->impact : o->to;
}

/* Callbacks during a simulation.
 *
 * start: the state at the start is known. step: a step was accepted; its stages, and its extension
 * onto an event, are in run->motion. event: an event happened and the state is still that before
 * it; the jump is in run->jump, with the rates on both sides, or only those before it if the event
 * ends the run. */
typedef struct sal_run_observer {
    void (*start)(saltus_run *run);
    void (*step)(saltus_run *run);
    void (*event)(saltus_run *run, const sal_occurrence *o);
} sal_run_observer;

/* What decides whether a run is repeated with other tolerances (refine.h). Arrays are by component:
 * x, then z. */
typedef struct sal_refine {
    int     count;     /* the number of components */
    double *size;      /* largest values so far */
    int     pass;      /* how often the run has been repeated with narrower tolerances */
    int     smallest;  /* the component whose tolerance was narrowed most, or -1 */
    double  work;      /* the number of steps tried after which this pass gives up */
    bool    gave_up;   /* a pass gave up */
    double  omega;     /* the frequency by which drift of constraints is damped; 0: it is not */
    bool    drifts;    /* constraints drift too far: the next pass must damp that */
    double  drift;     /* the largest drift of constraints when last checked, in tolerances */
    int     off_which; /* the constraint that drifts most */
    double  off;       /* the value of the constraint that drifts most */
} sal_refine;

/* What is known about stiffness (stiff.c). */
typedef struct sal_stiff {
    int       row, calm; /* checks at the limit of stability; last checks in a row below it */
    long long looks;     /* number of checks */
    long long found;     /* number of checks after which stiffness was certain */
    int       which;     /* the component that is responsible */
    double    time;      /* the time constant of that component */
} sal_stiff;

/* Events at one instant, or a contact that is exactly at a threshold (outcome.h). */
typedef struct sal_tie {
    const char *first, *second; /* names of two events, or of a contact and NULL */
    double      t;
} sal_tie;

/* The state after an event. c and z follow x without a gap, as in the cursor. */
typedef struct sal_after {
    double *x, *c, *z;
} sal_after;

/* Workspace for finding the modes of contacts (contacts.h). */
typedef struct sal_contacts {
    int                count;    /* number of contacts whose modes the run finds */
    int                touching; /* number of contacts that touch */
    int               *which;    /* numbers of the contacts that touch */
    sal_contact_touch *touch;    /* by touching contact: its part of the problem */
    int                rows;     /* number of normal and tangential rows of the touching contacts */
    int               *row;      /* by row: its constraint */
    double            *D, *free_rates, *before, *size, *W; /* the problem, see contact/set.h */
    double            *numbers, *rates; /* by contact: SAL_CONTACT_NUMBERS, SAL_CONTACT_RATES */
    double            *phi, *phi_dot;   /* by constraint: value, rate */
    double            *drift;           /* by constraint: its rate before, which should be 0 */
    double            *k;               /* (v, a) without the forces of contacts */
    bool              *apart;           /* by contact: it takes no part in the impact */
    int               *shared, shares;  /* events of other contacts that are part of the impact */
    double            *shared_impulse;  /* the impulses of the contacts of `shared` */
    sal_field          field;           /* the field of the regime in which no contact acts */
    sal_partition      partition;       /* workspace for the rank of constraints */
    sal_contact_set    set;             /* the solver; its answer is in set.best */
} sal_contacts;

/* The start of a simulation that does not begin at the start of the model (from.h). */
typedef struct sal_from {
    bool given;          /* the simulation begins here; else at the start of the model */
    bool assembled;      /* dependent coordinates are assembled from the given values */
    bool memories;       /* memories c are given as well */
    bool ignores_events; /* events are ignored: the motion stays in its regime */
    bool to_horizon;     /* it ends at the end of the model, not at t_end */
    /* The motion is an interval of a longer one: given positions and velocities need not fulfil the
     * constraints exactly. An inner interval is not the last one: final costs are not evaluated at
     * its end. */
    bool              is_interval, is_inner;
    const int        *repeated; /* by event: how often it happened before; NULL: never */
    double            t, t_end; /* the times of its start and end */
    const sal_regime *regime;   /* the regime at its start */
    /* Positions and velocities; memories, of which branches of kinks are used only if events are
     * ignored. */
    double *x, *c;
} sal_from;

/* A step to be retraced (retrace.h). */
typedef struct sal_planned_step {
    double h, delta; /* its length and its extension */
    int    kind;     /* sal_frame_kind */
    int    event;    /* the event at its end, or -1 */
} sal_planned_step;

/* All steps of a simulation, to be retraced. */
typedef struct sal_step_plan {
    SAL_ARRAY(sal_planned_step) steps;
    saltus_outcome outcome; /* how the simulation ended */
} sal_step_plan;

/* The number of fields of a run (fields.h). The last two are used only if the run finds the modes
 * of contacts. */
enum { SAL_RUN_FIELDS = 5 };

/* The step that is being taken (advance.h, crossing.h). */
typedef struct sal_stepping {
    bool          primed;   /* stage 0 of the next step has been evaluated */
    bool          searched; /* crossings in the step are searched for; else they are known */
    double        due;      /* the time when the next clock strikes; INFINITY: none does */
    double        r_ddot;   /* a bound on |r''| of the guard that crosses, or INFINITY */
    sal_crossing *crossing; /* by event: where its guard crosses in the step */
    double        stuck_at; /* the time since when the field fails repeatedly */
    int           stuck;    /* how often the field has failed since stuck_at */
} sal_stepping;

/* The events of one instant (instant.h). */
typedef struct sal_instant {
    unsigned char *pending;  /* by event: it is still to happen at this instant */
    unsigned char *caused;   /* by event: how another event made it happen (arming.h) */
    double        *r_before; /* by event: its guard before the event that happens now */
    double         fastest;  /* the largest |rate| of guards of events so far, or 0 */
} sal_instant;

/* What is kept of a simulation for derivatives and for readers (history.h). */
typedef struct sal_history {
    sal_record record;
    bool       rows_wanted; /* a walk has loaded steps, so the next simulation should keep rows */
    bool       keeping;     /* the record keeps the rows of stages in this simulation */
    bool       recomputing; /* lost steps are being recomputed from a checkpoint */
    SAL_ARRAY(sal_occurrence) occurrences;
    SAL_ARRAY(int) shown;         /* by event that users see: its occurrence */
    SAL_ARRAY(double) states;     /* by occurrence: x-, c-, z-, x+, c+, z+ */
    SAL_ARRAY(double) event_rows; /* rows of the end and of the midpoint of steps onto events */
    SAL_ARRAY(double) observed;   /* numbers that the observer stores at events */
    SAL_ARRAY(int) shared;        /* events that are part of the jumps of others */
    SAL_ARRAY(double) impulses;   /* by impact: impulses of its active constraints */
    const sal_regime *entered;    /* the regime of the step loaded last; NULL: unknown */
    sal_step_plan     plan;       /* the steps of the last simulation, to be retraced */
    bool              planned;    /* `plan` is valid */
} sal_history;

/* How a simulation ended, and what is reported about it: warnings, ties, why there is no gradient
 * (outcome.h). */
typedef struct sal_outcome {
    bool            finished;  /* the outcome is known */
    bool            simulated; /* there is a simulation with results */
    bool            out_of_memory;
    saltus_run_info info;
    char            message[SAL_RUN_TEXT];
    char            warning[SAL_RUN_WARNINGS][SAL_RUN_TEXT];
    int             warnings;
    unsigned char  *warned;          /* by event: SAL_WARNED_... */
    bool            negative_warned; /* the warning of negative friction was given */
    sal_tie         tie;             /* the first tie */
    int             ties;            /* number of ties noted */
    bool            ties_judged;     /* it is known whether derivatives are one-sided there */
    bool            peaks_judged;    /* it is known whether tied peaks have different gradients */
    saltus_status   gradient_status; /* why there is no gradient; SALTUS_OK: there may be one */
    char            gradient_message[SAL_RUN_TEXT];
} sal_outcome;

/* How close the motion comes to a singular position (singular.c). */
typedef struct sal_singular {
    const sal_regime *regime;     /* the regime whose numbers are followed */
    double           *largest[2]; /* by kind and number: its largest value in the recent past */
    double *range[2];  /* by number: its smallest and largest value in a step; and room for 3 */
    double  nearest;   /* how close an approach has come so far; or INFINITY */
    double  nearest_t; /* the time of `nearest` */
    bool    warned;    /* a warning was given */
} sal_singular;

struct saltus_run {
    /* what the user gave */
    sal_arena            arena;
    const saltus_system *system;
    saltus_options       options;
    sal_stopwatch        clock;  /* measures when compiling pays off */
    sal_waiter           waiter; /* calls options.progress while code is compiled */
    double               t0, t_end;
    sal_from             from;   /* the start, if it is not that of the model */
    double              *params; /* np */

    /* the state */
    sal_cursor    cursor;    /* the present state */
    sal_cursor    end;       /* the state at the end of the simulation */
    sal_after     after;     /* the state after the event that happens now */
    double       *start;     /* the assembled state and its memories */
    double       *initial;   /* outputs of the initial map */
    sal_partition partition; /* the partition of positions at the start */
    sal_partition rolling; /* the partition of velocities at the start, if they have constraints of
                              their own */
    sal_redundancy redundancy; /* redundant constraints, by regime, in the last simulation */

    /* the parts that compute the motion */
    sal_motion         motion;
    sal_locator        locator;
    sal_jump           jump;
    sal_contacts       contacts;
    sal_field         *fields[SAL_RUN_FIELDS];
    int                field_count;
    sal_stepping       stepping;
    sal_instant        instant;
    sal_refine         refine;
    sal_stiff          stiff;
    sal_singular       singular;
    unsigned char     *rests_at_kink; /* by kink: the motion starts at it and stays there */
    struct sal_peaks  *peaks;         /* by peak of the system: where it is */
    struct saltus_run *shadow;        /* for motions that do not happen (from.h); NULL: none yet */
    struct saltus_run *outer;         /* the run for which this one works; NULL: the caller's own */
    int                lent;          /* calls under way of functions that must not use the run */
    sal_scratch        scratch;       /* scratch memory; not for functions that only read the run */

    /* what is known afterwards */
    sal_history history;
    sal_outcome outcome;
    double     *row; /* the numbers of a saltus_row that is handed out */

    /* observers and gradients */
    const sal_run_observer *observer;      /* the observer of this simulation, or NULL */
    const sal_run_observer *next_observer; /* the observer of the next simulation, or NULL */
    bool                    requested;     /* a gradient was requested since the simulation */
    saltus_method           method;        /* the method of the last gradient */
    struct sal_sens        *sens;          /* workspace of sens/, made on first use */
};

/* Initialises a run, whose memory is zero. On failure the run must still be released. */
saltus_status sal_run_init(saltus_run *run, const saltus_system *system,
                           const saltus_options *options, saltus_error *err);
void          sal_run_release(saltus_run *run);

/* Makes a new run. NULL: an error, which is in err. */
saltus_run *sal_run_make(const saltus_system *system, const saltus_options *options,
                         saltus_error *err);
/* Makes a run of the same system that works for this run; the caller sees only this run. */
saltus_run *sal_run_make_for(saltus_run *run, const saltus_options *options, saltus_error *err);
void        sal_run_free(saltus_run *run);

/* Enclose calls of the caller's functions, which must not use the run. */
static inline void sal_run_lend(saltus_run *run)
{
    for (; run; run = run->outer) run->lent++;
}
static inline void sal_run_take_back(saltus_run *run)
{
    for (; run; run = run->outer) run->lent--;
}
/* Calls options.progress, if there is one, with the time that was reached; nonzero: stop. */
int sal_run_progress(saltus_run *run, double t);

/* Simulates from start to end with the parameters in run->params. A motion that ends early is an
 * outcome, not a failure. */
saltus_status sal_run_simulate(saltus_run *run, saltus_error *err);
/* Starts a simulation that is made step by step (retrace.h): finds the state at its start, and the
 * events there. */
saltus_status sal_run_start(saltus_run *run, saltus_error *err);
/* Completes the results of a simulation whose outcome is known. */
saltus_status sal_run_conclude(saltus_run *run, saltus_error *err);
/* Discards the results of the last simulation, which can no longer be read. */
void sal_run_forget(saltus_run *run);

/* Whether the run went to its end, or to an event that ends it. */
static inline bool sal_run_is_complete(const saltus_run *run)
{
    return run->outcome.info.outcome == SALTUS_END ||
           run->outcome.info.outcome == SALTUS_TERMINAL_EVENT;
}

/* The number of components of x, c and z together. */
static inline int sal_state_size(const saltus_system *system)
{
    return 2 * system->n + system->nm + system->nc;
}

/* The observer to be called; NULL: there is none, or lost steps are being recomputed. */
static inline const sal_run_observer *sal_run_observed_by(const saltus_run *run)
{
    return run->history.recomputing ? NULL : run->observer;
}

/* Detaches the observer. Sensitivities are then computed from the record. */
void sal_run_drop_observer(saltus_run *run);

#endif
