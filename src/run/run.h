/* A run: move to the next event, jump, repeat; and the record of it. */
#ifndef SAL_RUN_RUN_H
#define SAL_RUN_RUN_H

#include "compile/code.h"
#include "contact/set.h"
#include "jump/saltation.h"
#include "locate/locate.h"
#include "record/record.h"

enum { SAL_RUN_LANES = SALTUS_TANGENTS, SAL_RUN_WARNINGS = 32, SAL_RUN_TEXT = 400 };
/* Warnings that are given once per event. */
enum { SAL_WARNED_SIDE = 1, SAL_WARNED_GRAZING = 2, SAL_WARNED_FAST = 4 };

/* Everything that the rest of a run depends on, in one block: a copy of it is a checkpoint. */
typedef struct sal_cursor {
    double            t, h, log_error; /* log_error: binary logarithm, of the step before */
    double            landing; /* the time before a kink from which one step meets it (grade.h) */
    long long         step;
    int               occurrences;
    const sal_regime *regime;
    double           *x, *c, *z;
    sal_guard_state  *watch; /* by event */
    double           *last_time, *last_gap;
    int              *count, *shrinking;
    int               crowd;    /* events that happened at one instant, */
    double            crowd_at; /* this one */
    size_t            bytes;    /* of the arrays */
} sal_cursor;

typedef enum sal_frame_kind {
    SAL_FRAME_STEP, /* of a length that does not depend on rho */
    SAL_FRAME_LAST, /* up to the end of the horizon */
    SAL_FRAME_EVENT /* up to where a guard is zero */
} sal_frame_kind;

/* A step as it was taken: from here it can be taken again. The arrays follow: x (2n), c, z, and the
 * rows of its stages if the record keeps them. */
typedef struct sal_frame {
    double            t, h;
    double            delta; /* the extension of a step onto an event (sal_step_extend) */
    const sal_regime *regime;
    sal_frame_kind    kind;
    int               occurrence; /* the event at its end, or -1 */
    sal_rows_kept     kept;       /* whether it need not be taken again: its rows are there */
    int               end_rows;   /* where the rows of its end are in run->event_rows, or -1 */
    const double     *x, *c, *z;
    void             *rows;
} sal_frame;

/* Where a time is in the step: theta, from 0 to 1 and, if it was extended, a little further. */
double sal_frame_place(const sal_frame *frame, double t);

typedef struct sal_occurrence {
    int               event;
    double            t, rate, impulse;
    const sal_regime *from, *to;
    const sal_regime *impact;  /* in which contacts collide, or NULL */
    long long         step;    /* the frame that ends here */
    bool              follows; /* shares the time of the one before */
    bool              joined;  /* and has a guard of its own, which is not zero */
    bool              grazing;
    bool              terminal; /* ended the run, before its jump */
    int               impulses; /* where those of its constraints begin, or -1: the law has none */
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
    int     count;          /* of components */
    double *size, *atol;    /* the largest value so far; the tolerance of this pass */
    int     pass, smallest; /* smallest: the component whose tolerance was narrowed most, or -1 */
    double  work;           /* steps tried after which this pass gives up */
    bool    gave_up;        /* one did */
    double  omega;          /* that holds constraints, 0: nothing does; */
    bool    drifts;         /* they need it */
    double  drift;          /* by how many tolerances they are off at most, when last looked at; */
    int     off_which;      /* this one is, */
    double  off;            /* by so much */
} sal_refine;

/* What is known of stiffness (stiff.h). */
typedef struct sal_stiff {
    int       row, calm;    /* looks in a row that found steps at the limit, or not */
    long long looks, found; /* all of them, and those that were sure */
    int       which;        /* the component that is responsible, */
    double    time;         /* and its time constant */
} sal_stiff;

/* What finding the modes of contacts needs (contacts.h). */
typedef struct sal_contacts {
    int                count;                         /* of contacts */
    int                touching;                      /* those that do, */
    int               *which;                         /* their numbers, */
    sal_contact_touch *touch;                         /* and what is known of them */
    int                rows;                          /* normal and tangential ones of those */
    int               *row;                           /* by row: the constraint */
    double            *D, *free_rates, *size, *W, *X; /* see contact/set.h */
    double            *numbers, *rates;  /* by contact: SAL_CONTACT_NUMBERS, SAL_CONTACT_RATES */
    double            *phi, *phi_dot;    /* by constraint */
    double            *bar, *weight, *k; /* scratch */
    sal_field          field;            /* of the regime in which none of them acts */
    sal_contact_set    set;
} sal_contacts;

struct saltus_run {
    sal_arena            arena;
    const saltus_system *system;
    saltus_options       options;
    sal_clock            clock;  /* tells when compiling pays */
    sal_waiter           waiter; /* asks options.progress meanwhile */
    double               t0, t_end;
    double              *params;  /* np */
    double              *initial; /* outputs of the initial map */
    sal_motion           motion;
    sal_jump             jump;
    sal_locator          locator;
    sal_partition        partition;  /* of the start */
    sal_partition        rolling;    /* and of its velocities, where these have constraints */
    sal_redundancy       redundancy; /* of the last simulation */
    int                 *rank;       /* of coordinates, for partitions */
    double              *start;      /* the assembled state (2n) */
    sal_contacts         contacts;
    sal_refine           refine;
    sal_stiff            stiff;
    sal_cursor           cursor, end; /* present, and as the simulation left it */
    bool                 primed;      /* stage 0 of the next step is there */
    bool rows_wanted; /* steps were gone through again: their rows are worth keeping */
    bool keeping;     /* the record keeps rows of stages */
    const sal_run_observer *observer;      /* of this simulation, or NULL */
    const sal_run_observer *next_observer; /* of the next simulation, as far as is known, or NULL */
    bool                    requested;     /* a gradient was asked for since the simulation */
    saltus_method           method;        /* of the last gradient */
    const sal_regime       *entered;       /* by the last step that was gone through again */
    sal_screen_result       screen;        /* of the guards in the step just taken */
    double                  due;           /* when the next clock strikes, INFINITY if none does */
    double                  fastest;       /* rate of the events of this instant, or 0 */
    double                  r_ddot;   /* more than |r''| of the one that crosses; or INFINITY */
    bool                    finished; /* the outcome is known */
    bool                    simulated;
    bool                    replaying;
    bool                    out_of_memory;
    sal_record              record;
    SAL_ARRAY(sal_occurrence) occurrences;
    SAL_ARRAY(double) states; /* by occurrence: x-, c-, z-, x+, c+, z+ */
    int state_size;
    SAL_ARRAY(double)
    event_rows; /* of steps onto events: rows of the end stage and of the midpoint */
    SAL_ARRAY(double) observed; /* what the observer notes of events */
    SAL_ARRAY(double) impulses; /* of the constraints that are active after an impact */
    unsigned char    *pending;  /* by event, at one instant: crossing, or made to */
    unsigned char    *caused;   /* made to by another event */
    sal_crossing     *crossing; /* by event: where the dense output of the step crosses */
    double           *r_before; /* by event: the guard before the event that happens */
    double           *rates, *rates_kept, *rates_noise; /* of x and z, scratch */
    int              *active;                           /* modes by group, scratch */
    double           *x, *c, *z;                        /* scratch */
    double           *slope, *look;                     /* (v, a), scratch */
    double           *trial;                            /* kinks, scratch */
    saltus_run_info   info;
    char              message[SAL_RUN_TEXT];
    char              warning[SAL_RUN_WARNINGS][SAL_RUN_TEXT];
    int               warnings;
    double            stuck_at;        /* where the field last failed and failed, */
    int               stuck;           /* and how often */
    const sal_regime *near_regime;     /* where singular positions are looked for, */
    double           *near[2];         /* by kind and number: the largest it has been lately; */
    double           *range[2];        /* the least and the largest of each number in a step */
    double            nearest;         /* how close the motion is, as long as it comes closer, */
    double            nearest_t;       /* at this time; else INFINITY */
    bool              near_warned;     /* one was met */
    unsigned char    *warned;          /* by event: wrong side */
    unsigned char    *stays;           /* by kink: it starts there, and nothing moves it away */
    saltus_status     gradient_status; /* why there is no gradient: a guard touched zero, ... */
    char              gradient_message[SAL_RUN_TEXT];
    double           *row;  /* what is handed out in a saltus_row */
    struct sal_sens  *sens; /* workspace of sens/, made when first needed */
};

saltus_status sal_run_init(saltus_run *run, const saltus_system *system,
                           const saltus_options *options, saltus_error *err);
void          sal_run_release(saltus_run *run);

/* Simulates from start to end with the parameters in run->params. */
saltus_status sal_run_simulate(saltus_run *run, saltus_error *err);

/* The frame of a step, recomputed if the record no longer has it. Borrowed until the next call. */
saltus_status sal_run_frame(saltus_run *run, long long step, sal_frame *frame, saltus_error *err);

/* The states around an occurrence: x-, c-, z-, x+, c+, z+. */
typedef struct sal_sides {
    const double *x_minus, *c_minus, *z_minus, *x_plus, *c_plus, *z_plus;
} sal_sides;
sal_sides sal_run_sides(const saltus_run *run, int occurrence);

/* Takes a frame's step again; its stages are then in run->motion. */
saltus_status sal_run_load_all_stages(saltus_run *run, const sal_frame *frame, saltus_error *err);
/* A part of the step that was taken again last, with a start and a length of its own. */
saltus_status sal_run_load_part(saltus_run *run, const sal_frame *part, saltus_error *err);
/* The same where nothing follows but the adjoint of a step whose length is given. */
saltus_status sal_run_load_step(saltus_run *run, const sal_frame *frame, saltus_error *err);
/* Puts the state before an event into the field of the motion; evaluated, if that is wanted. */
sal_field_result sal_run_load_state_before_event(saltus_run *run, double t, const double *x,
                                                 bool evaluated);
/* Computes an occurrence's jump again; it is then in run->jump. rates: those on both sides as well,
 * which saltations need, and kinks and guards that contain them; jumps alone do not. */
saltus_status sal_run_load_jump(saltus_run *run, int occurrence, bool rates, saltus_error *err);

/* Whether the last step, up to the end of the horizon, is longer or shorter with other parameters:
 * its end or, after events, its start moves. */
bool sal_run_end_moves(const saltus_run *run);
/* Says where the record keeps the rows of the step to be tried, if it does. */
void sal_run_place_rows(saltus_run *run);
/* Keeps what the record is to have of the stages of the step just taken, whose frame is there. */
sal_rows_kept sal_run_keep(saltus_run *run, sal_frame_kind kind, void *bytes);
/* Keeps the rows of the end of a step onto an event; returns their place in run->event_rows, or -1
 * if they are not kept. */
int sal_run_keep_event_rows(saltus_run *run);
/* Where the arrays (x, c, z) of the frame in these bytes are. */
double *sal_frame_arrays(void *bytes);

/* The observer that is called now; NULL: there is none, or steps are replayed. */
static inline const sal_run_observer *sal_run_observed_by(const saltus_run *run)
{
    return run->replaying ? NULL : run->observer;
}

/* Detaches the observer; its sensitivities are computed from the record instead. */
void sal_run_drop_observer(saltus_run *run);

/* The next step begins anew: nothing of the one before belongs to it. */
void sal_run_unprime(saltus_run *run);

/* Puts memories and parameters into the fields of the run. */
void sal_run_put_memories(saltus_run *run, const double *c);

void sal_run_warn(saltus_run *run, const char *format, ...) SAL_PRINTF(2, 3);
/* Says that a constraint of the present mode is left out. */
void sal_run_warn_redundant(saltus_run *run, const sal_regime *regime, int constraint);
/* Ends the run with that outcome. */
void sal_run_finish(saltus_run *run, saltus_outcome outcome, const char *format, ...)
    SAL_PRINTF(3, 4);

#endif
