/* A run: move to the next event, jump, repeat; and what is kept of it. */
#ifndef SAL_RUN_RUN_H
#define SAL_RUN_RUN_H

#include "base/scratch.h"
#include "compile/code.h"
#include "contact/set.h"
#include "jump/saltation.h"
#include "record/record.h"
#include "run/cursor.h"

enum { SAL_RUN_LANES = SALTUS_TANGENTS, SAL_RUN_WARNINGS = 32, SAL_RUN_TEXT = 400 };
/* Warnings that are given once per event. */
enum { SAL_WARNED_SIDE = 1, SAL_WARNED_GRAZING = 2, SAL_WARNED_FAST = 4, SAL_WARNED_GAIN = 8 };

/* One event that happened. */
typedef struct sal_occurrence {
    int               event;
    double            t, rate, impulse;
    const sal_regime *from, *to;
    const sal_regime *impact;  /* in which contacts collide, or NULL */
    long long         step;    /* the frame that ends here */
    bool              follows; /* shares the time of the one before */
    bool              joined;  /* shares that time although its own guard is not zero */
    bool              grazing;
    bool              terminal;       /* ended the run, before its jump */
    bool              told;           /* another event did it: only its name is new */
    const sal_regime *told_from;      /* told: the regime before the event that did it */
    bool              silent;         /* told, and what it sets and charges is part of that event */
    int               shared, shares; /* other events that are part of it: in run->history.shared */
    int               shown;          /* its number among the events that users see; -1: hidden */
    int impulses; /* where those of its constraints begin in run->history.impulses; -1: the law has
                     none */
} sal_occurrence;

/* The regime whose constraints have impulses at it. */
static inline const sal_regime *sal_occurrence_law(const sal_occurrence *o)
{
    return o->impact ? o->impact : o->to;
}

/* Callbacks during a simulation: the start; a step (accepted, its stages and its extension onto an
 * event in run->motion); an event (before the state moves on; the jump is in run->jump with the
 * rates on both sides, or only those before it if it ends the run). */
typedef struct sal_run_observer {
    void (*start)(saltus_run *run);
    void (*step)(saltus_run *run);
    void (*event)(saltus_run *run, const sal_occurrence *o);
} sal_run_observer;

/* What decides whether a run is done again (refine.h). Arrays: x, then z. */
typedef struct sal_refine {
    int     count;       /* of components */
    double *size, *atol; /* the largest value so far; the tolerance of this pass */
    int     pass;
    int     smallest;  /* the component whose tolerance was narrowed most, or -1 */
    double  work;      /* steps tried after which this pass gives up */
    bool    gave_up;   /* a pass gave up */
    double  omega;     /* the frequency with which constraints are held; 0: they are not */
    bool    drifts;    /* constraints must be held */
    double  drift;     /* by how many tolerances constraints are off at most, when last checked */
    int     off_which; /* the constraint that is off most */
    double  off;       /* the value of that constraint */
} sal_refine;

/* What is known of stiffness (stiff.c). */
typedef struct sal_stiff {
    int       row, calm; /* checks in a row that found steps at the limit of stability, or not */
    long long looks;     /* all checks */
    long long found;     /* checks after which stiffness was certain */
    int       which;     /* the component that is responsible */
    double    time;      /* the time constant of that component */
} sal_stiff;

/* Events at one instant, or a contact that is exactly at a threshold (outcome.h). */
typedef struct sal_tie {
    const char *first, *second; /* events; or a contact and NULL */
    double      t;
} sal_tie;

/* The state after an event. c and z follow x without a gap, as in the cursor. */
typedef struct sal_after {
    double *x, *c, *z;
} sal_after;

/* What finding the modes of contacts needs (contacts.h). */
typedef struct sal_contacts {
    int                count;    /* of contacts */
    int                touching; /* number of contacts that touch */
    int               *which;    /* numbers of the contacts that touch */
    sal_contact_touch *touch;    /* what is known of the contacts that touch */
    int                rows;     /* normal and tangential ones of those */
    int               *row;      /* by row: the constraint */
    double            *D, *free_rates, *before, *size, *W; /* see contact/set.h */
    double            *numbers, *rates; /* by contact: SAL_CONTACT_NUMBERS, SAL_CONTACT_RATES */
    double            *phi, *phi_dot;   /* by constraint */
    double            *drift;           /* by constraint: the rate that it had and should not */
    double            *k;               /* (v, a) without contacts */
    bool              *apart;           /* by contact: it takes no part in the impact */
    int               *shared, shares;  /* events of other contacts that are part of the impact */
    double            *shared_impulse;  /* the impulses of the contacts in `shared` */
    sal_field          field;           /* of the regime in which none of them acts */
    sal_contact_set    set;
} sal_contacts;

/* Where a simulation begins that does not begin at the model's start (from.h). */
typedef struct sal_from {
    bool given;
    bool assembled;  /* what constraints determine is assembled from the given values */
    bool memories;   /* c is given, too */
    bool blind;      /* nothing is an event: the motion goes on in its regime */
    bool to_horizon; /* its end is that of the model, not t_end */
    /* The motion is an interval of a longer one: given positions and velocities need not meet the
     * constraints exactly; and if it is an inner one, final costs are none of its own. */
    bool              is_interval, is_inner;
    const int        *repeated; /* how often each event happened before; NULL: never */
    double            t, t_end;
    const sal_regime *regime;
    double *x, *c; /* 2n; nm, of which only those of the script count unless it is blind */
} sal_from;

/* A step to be taken again (retrace.h). */
typedef struct sal_planned {
    double h, delta;
    int    kind;  /* sal_frame_kind */
    int    event; /* at its end, or -1 */
} sal_planned;

typedef struct sal_plan {
    SAL_ARRAY(sal_planned) steps;
    saltus_outcome outcome;
} sal_plan;

/* The fields of a run: see fields.h. The last two are there only if the run finds the modes of
 * contacts. */
enum { SAL_RUN_FIELDS = 5 };

/* The step that is being taken (advance.h, crossing.h). */
typedef struct sal_stepping {
    bool              primed;   /* stage 0 of the next step is there */
    sal_screen_result screen;   /* of the guards in the step just taken */
    double            due;      /* when the next clock strikes, INFINITY if none does */
    double            r_ddot;   /* more than |r''| of the guard that crosses; or INFINITY */
    sal_crossing     *crossing; /* by event: where the dense output of the step crosses */
    double            stuck_at; /* the time from which on the field fails again and again */
    int               stuck;    /* how often it has failed since then */
} sal_stepping;

/* The events of one instant (instant.h). */
typedef struct sal_instant {
    unsigned char *pending;  /* by event: it crosses at this instant, or is made to happen */
    unsigned char *caused;   /* by event: what made it happen (arming.h) */
    double        *r_before; /* by event: the guard before the event that happens */
    double         fastest;  /* the largest rate of the guards of the events so far, or 0 */
} sal_instant;

/* What is kept of a simulation for derivatives and for readers (history.h). */
typedef struct sal_history {
    sal_record record;
    bool       rows_wanted; /* steps were gone through again: their rows are worth keeping */
    bool       keeping;     /* the record keeps rows of stages */
    bool       replaying;   /* steps are taken again from the record */
    SAL_ARRAY(sal_occurrence) occurrences;
    SAL_ARRAY(int) shown;         /* by number among the events that users see: the occurrence */
    SAL_ARRAY(double) states;     /* by occurrence: x-, c-, z-, x+, c+, z+ */
    SAL_ARRAY(double) event_rows; /* of steps onto events: rows of the end and of the midpoint */
    SAL_ARRAY(double) observed;   /* what the observer notes of events */
    SAL_ARRAY(int) shared;        /* events that are part of others */
    SAL_ARRAY(double) impulses;   /* of the constraints that are active after an impact */
    const sal_regime *entered;    /* by the last step that was gone through again */
    sal_plan          plan;       /* the steps of the last simulation, to be taken again */
    bool              planned;    /* the plan is known */
} sal_history;

/* How a simulation ended, and what its user is told (outcome.h). */
typedef struct sal_outcome {
    bool            finished; /* the outcome is known */
    bool            simulated;
    bool            out_of_memory;
    saltus_run_info info;
    char            message[SAL_RUN_TEXT];
    char            warning[SAL_RUN_WARNINGS][SAL_RUN_TEXT];
    int             warnings;
    unsigned char  *warned;          /* by event: SAL_WARNED_... */
    bool            negative_warned; /* there was a warning of friction below zero */
    sal_tie         tie;             /* the first tie */
    int             ties;            /* how many were noted */
    bool            ties_judged;     /* whether derivatives are one-sided there is known */
    bool            peaks_judged;    /* whether peaks that tie have different gradients is known */
    saltus_status   gradient_status; /* why there is no gradient; SALTUS_OK: there is one */
    char            gradient_message[SAL_RUN_TEXT];
} sal_outcome;

/* How close the motion comes to a singular position (singular.c). */
typedef struct sal_singular {
    const sal_regime *regime;     /* where they are looked for */
    double           *largest[2]; /* by kind and number: the largest it has been lately */
    double           *range[2];   /* the least and the largest of each number in a step */
    double            nearest;    /* how close the motion is while it comes closer; or INFINITY */
    double            nearest_t;  /* the time of `nearest` */
    bool              warned;     /* one was met */
} sal_singular;

struct saltus_run {
    /* what the user gave */
    sal_arena            arena;
    const saltus_system *system;
    saltus_options       options;
    sal_clock            clock;  /* tells when compiling pays */
    sal_waiter           waiter; /* asks options.progress while code is compiled */
    double               t0, t_end;
    sal_from             from;   /* the start, if it is not the model's */
    double              *params; /* np */

    /* the state */
    sal_cursor     cursor;     /* the present state */
    sal_cursor     end;        /* the state as the simulation left it */
    sal_after      after;      /* the state after the event that happens */
    double        *start;      /* the assembled state and its memories */
    double        *initial;    /* outputs of the initial map */
    sal_partition  partition;  /* of the positions at the start */
    sal_partition  rolling;    /* of the velocities at the start, where these have constraints */
    sal_redundancy redundancy; /* of the last simulation */

    /* what moves it */
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
    unsigned char     *rests_at_kink; /* by kink: it starts there, and nothing moves it away */
    struct sal_peaks  *peaks;         /* by peak of the system */
    struct saltus_run *shadow;  /* follows motions that do not happen (from.h); NULL: not made */
    sal_scratch        scratch; /* not for functions that only read a run */

    /* what is known of it afterwards */
    sal_history history;
    sal_outcome outcome;
    double     *row; /* what is handed out in a saltus_row */

    /* observers and gradients */
    const sal_run_observer *observer;      /* of this simulation, or NULL */
    const sal_run_observer *next_observer; /* of the next simulation, as far as is known, or NULL */
    bool                    requested;     /* a gradient was asked for since the simulation */
    saltus_method           method;        /* of the last gradient */
    struct sal_sens        *sens;          /* workspace of sens/, made when first needed */
};

saltus_status sal_run_init(saltus_run *run, const saltus_system *system,
                           const saltus_options *options, saltus_error *err);
void          sal_run_release(saltus_run *run);

/* A new run, or NULL. */
saltus_run *sal_run_make(const saltus_system *system, const saltus_options *options,
                         saltus_error *err);
void        sal_run_free(saltus_run *run);

/* Simulates from start to end with the parameters in run->params. */
saltus_status sal_run_simulate(saltus_run *run, saltus_error *err);
/* The two ends of a simulation that is made step by step (retrace.h): its start, with all that is
 * found there; and what is known at its end. */
saltus_status sal_run_start(saltus_run *run, saltus_error *err);
saltus_status sal_run_conclude(saltus_run *run, saltus_error *err);
/* Results of an earlier simulation can no longer be read. */
void sal_run_forget(saltus_run *run);

/* Whether the run went to its end, or to an event that ends it. */
static inline bool sal_run_is_complete(const saltus_run *run)
{
    return run->outcome.info.outcome == SALTUS_END ||
           run->outcome.info.outcome == SALTUS_TERMINAL_EVENT;
}

/* How many numbers x, c and z are. */
static inline int sal_state_size(const saltus_system *system)
{
    return 2 * system->n + system->nm + system->nc;
}

/* The observer that is called now; NULL: there is none, or steps are replayed. */
static inline const sal_run_observer *sal_run_observed_by(const saltus_run *run)
{
    return run->history.replaying ? NULL : run->observer;
}

/* Detaches the observer; its sensitivities are computed from the record instead. */
void sal_run_drop_observer(saltus_run *run);

#endif
