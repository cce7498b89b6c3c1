/* An audit of the events of a run: see saltus/sim.h. audit.c passes over the steps and follows
 * guards and kinks, events.c checks one event, contacts.c checks contacts whose modes the run
 * finds.
 *
 * It shares no code with the location of events or with the search for modes. A guard has a side:
 * the sign that it had when it was last seen. It is seen where its magnitude is larger than
 * `noise`, the error that tolerance and rounding explain. */
#ifndef SAL_AUDIT_AUDIT_H
#define SAL_AUDIT_AUDIT_H

#include "run/history.h"

typedef struct sal_audited {
    int    side;           /* +1, -1; 0: not known */
    int    before;         /* the side before the present instant; 0: the guard was not watched */
    bool   fired;          /* its event happened at the present instant */
    bool   released;       /* its constraint was released at the present instant */
    bool   told;           /* for a kink: a finding was reported since the last event */
    double largest;        /* the largest |r| since it has been watched */
    double recent[2];      /* the largest |r| in this step, and in the previous step */
    double offset, slack;  /* for a released constraint: its drift, and the value up to which the
                              guard counts as zero because of the drift */
    double theta[2], r[2]; /* places and values of the last two evaluations in this step, the newest
                              first */
    int    looks;          /* number of evaluations in this step */
    double known[2];       /* place and value of the last evaluation on the known side */
    bool   is_known;       /* known is set */
    double glimpse; /* place of the last evaluation on the other side with a value between rounding
                       and noise; -1 if there is none */
} sal_audited;

/* The event that is checked. */
typedef struct sal_audited_event {
    int                       index; /* index of the occurrence */
    const sal_occurrence     *at;
    const sal_compiled_event *event;
    sal_audited              *guard;
    sal_sides                 side; /* the states before and after it */
} sal_audited_event;

/* How a contact whose modes the run finds may break its laws: along the motion, then in impacts.
 * The texts are in contacts.c. */
typedef enum sal_condition {
    SAL_PULLS,
    SAL_OUTSIDE_CONE,
    SAL_OTHER_FRICTION,
    SAL_SLIDES_BACK,
    SAL_SLIPS,
    SAL_PENETRATES,
    SAL_GAPES,
    SAL_PARTS,
    SAL_IMPACT_PULLS,
    SAL_IMPACT_OUTSIDE_CONE,
    SAL_IMPACT_OTHER_FRICTION,
    SAL_IMPACT_SLIDES_BACK,
    SAL_IMPACT_SLIPS,
    SAL_IMPACT_APPROACHES,
    SAL_IMPACT_RATE,
    SAL_CONDITIONS
} sal_condition;

/* The instant at which a condition is closest to being broken, or is broken most. */
typedef struct sal_closest {
    double value, allowed, t;
    int    occurrence; /* -1: along the motion */
} sal_closest;

/* The state of a contact in the audit. */
typedef struct sal_audited_contact {
    int         mode;                 /* SAL_OPEN, ...; -1: not known yet */
    double      since;                /* time at which it last closed or opened */
    double      begun;                /* drift of the gap at this time */
    long long   steps;                /* number of steps since this time */
    int         event[SAL_RESTS + 1]; /* by role: one of its events, or -1 */
    sal_closest closest[SAL_CONDITIONS];
} sal_audited_contact;

typedef struct sal_auditor {
    saltus_run           *run;
    sal_field            *field; /* the field in which guards are evaluated */
    saltus_audit_function tell;
    void                 *context;
    bool                  stop;
    saltus_audit          audit;
    bool                  instant; /* events have happened since the last step, or the run starts */
    bool                  starts;  /* the run starts at the present instant */
    bool              cut;    /* an event of this instant is the cut of an angle: guards may jump */
    bool              jumped; /* the last event changed velocities */
    sal_audited_event now;
    const sal_regime *regime;      /* the regime whose guards are watched */
    sal_audited      *guard;       /* by event */
    double           *x, *k;       /* 2n */
    double           *du;          /* layout.size, for sal_guard_value */
    double           *bar;         /* layout.size */
    double           *scratch;     /* outputs of maps */
    double           *values;      /* by place in (q, v, c): value that an event sets; NaN: none */
    double           *next;        /* 2n: the state at which the next step must begin */
    double           *near, *kept; /* 2n, scratch */
    double            here;        /* time of the state in the field */

    sal_audited_contact *contact;             /* by contact whose modes the run finds */
    double              *numbers;             /* SAL_CONTACT_NUMBERS by contact */
    double              *phi, *phi_dot, *one; /* by constraint; one: zeros between calls */
    double              *impulse, *law;       /* by constraint; by unknown */
    double               strongest;           /* largest contact force so far */
    double               fastest;             /* largest speed of a touch so far */
} sal_auditor;

/* Reports a finding; value and allowed may be NaN. */
void sal_audit_tell(sal_auditor *a, saltus_audit_kind kind, int event, int occurrence, double value,
                    double allowed, const char *format, ...) SAL_PRINTF(7, 8);

/* Puts a state into the field, whose regime and memories are set, and evaluates accelerations there
 * if requested. False: they cannot be computed. */
bool sal_audit_look(sal_auditor *a, double t, const double *x, bool accelerations);
/* Returns the guard at the state in the field, and its rate unless rate is NULL. The rate needs
 * accelerations. */
double sal_audit_guard(sal_auditor *a, int event, double *rate);
/* Returns the noise of a guard at the state in the field: smaller values may be zero within the
 * tolerance. Smaller values than *rounding may be zero up to rounding. */
double sal_audit_noise(sal_auditor *a, int event, double *rounding);
/* Whether all conditions (where=) are positive at the state in the field. */
bool sal_audit_conditions(sal_auditor *a, int event);

/* Whether the guard has this sign at one of several places that approach the end of the step. */
bool sal_audit_was_beyond(sal_auditor *a, const sal_frame *frame, int event, int side);

/* The error that is allowed in dense output and at the end of a step, as a multiple of the
 * tolerance of one step. */
#define SAL_AUDIT_STEPS 10.0

/* The sign that the guard has after the event, 0 if both are possible. */
static inline int sal_audit_target(const sal_compiled_event *event)
{
    return event->direction == SALTUS_ANY ? 0 : event->direction == SALTUS_RISING ? 1 : -1;
}

/* Checks an occurrence at the end of the frame. a->next then has the state after it, or the state
 * before it if it ended the run. */
saltus_status sal_audit_event(sal_auditor *a, const sal_frame *frame, saltus_error *err);
/* Ends an instant: checks that the events of guards which jumped across zero have happened. */
void sal_audit_instant(sal_auditor *a);
/* Determines the sides of the guards at the state in the field. last: the event just before, or -1;
 * before: the regime that it left, or NULL. */
void sal_audit_arm(sal_auditor *a, int last, const sal_regime *before);

/* Allocates memory for contacts and lists their events. False: out of memory. */
bool sal_audit_contacts_init(sal_auditor *a, sal_arena *arena);
/* Begins a step: notes which contacts have changed their modes since the previous step. */
void sal_audit_contacts_step(sal_auditor *a, const sal_frame *frame);
/* Checks the conditions of all contacts at a place of the step; changes the state in the field. */
void sal_audit_contacts_look(sal_auditor *a, const sal_frame *frame, double theta);
/* Checks the conditions of all contacts in the impact of an occurrence. */
saltus_status sal_audit_contacts_impact(sal_auditor *a, int occurrence, saltus_error *err);
/* Returns what is wrong with the modes of contacts before and after an occurrence, or NULL. */
const char *sal_audit_contacts_wrong(const sal_auditor *a, int occurrence);
/* Whether the run finds the mode of this group. */
bool sal_audit_is_found(const saltus_model *model, int group);
/* Reports all conditions that were broken, and notes the one that came closest to its limit. */
void sal_audit_contacts_end(sal_auditor *a);

#endif
