/* An audit of the events of a run: see saltus/sim.h. audit.c goes along the steps and follows
 * guards and kinks, events.c looks at one event, contacts.c at contacts whose modes the
 * run finds.
 *
 * Nothing of the code that locates events, or that finds modes, is used. A guard has a side, the
 * sign it was last seen with; it is seen where it differs from zero by more than `noise`, what
 * tolerance and rounding leave open. */
#ifndef SAL_AUDIT_AUDIT_H
#define SAL_AUDIT_AUDIT_H

#include "run/history.h"

typedef struct sal_audited {
    int    side;           /* +1, -1; 0: not known */
    int    before;         /* the side before the present instant, 0: not watched there */
    bool   fired;          /* at the present instant */
    bool   released;       /* its constraint is released at the present instant */
    bool   told;           /* of a kink: a finding was reported since the last event */
    double largest;        /* the largest |r| since the guard is watched */
    double recent[2];      /* the largest |r| in this step and in the one before */
    double offset, slack;  /* of a released constraint: its drift, and how far the guard may move by
                              that before it is seen */
    double theta[2], r[2]; /* the last two looks in this step, the newest first */
    int    looks;          /* number of looks in this step */
    double known[2];       /* place and value of the last look on the known side */
    bool   is_known;       /* known is set */
    double glimpse; /* place of the last look on the other side by more than rounding but less than
                       noise; -1 if there is none */
} sal_audited;

/* The event that is looked at. */
typedef struct sal_audited_event {
    int                     index; /* of the occurrence */
    const sal_occurrence   *at;
    const sal_event_system *event;
    sal_audited            *guard;
    sal_sides               side; /* the states before and after it */
} sal_audited_event;

/* What must hold of a contact whose modes the run finds: along the motion, then in impacts. */
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

/* Where a condition is closest to being broken, or is broken most. */
typedef struct sal_closest {
    double value, allowed, t;
    int    occurrence; /* -1: along the motion */
} sal_closest;

/* A contact since its mode changed last. */
typedef struct sal_audited_contact {
    int         mode;                 /* SAL_OPEN, ...; -1: not known yet */
    double      since;                /* when it began, */
    double      begun;                /* with which drift of the gap, */
    long long   steps;                /* and how many steps ago */
    int         event[SAL_RESTS + 1]; /* by role: one of its events, or -1 */
    sal_closest closest[SAL_CONDITIONS];
} sal_audited_contact;

typedef struct sal_auditor {
    saltus_run           *run;
    sal_field            *field; /* where guards are evaluated */
    saltus_audit_function tell;
    void                 *context;
    bool                  stop;
    saltus_audit          audit;
    bool              instant; /* events have happened since the last step, or it is the start */
    bool              starts;  /* it is the start */
    bool              cut;     /* one of these events is at the cut of an angle: guards may jump */
    bool              jumped;  /* the last event changed velocities */
    sal_audited_event now;
    const sal_regime *regime;      /* of the guards that are watched */
    sal_audited      *guard;       /* by event */
    double           *x, *k;       /* 2n */
    double           *du;          /* layout.size, zeros but where guards put something */
    double           *bar;         /* layout.size */
    double           *scratch;     /* room for maps */
    double           *values;      /* by place of (q, v, c): what an event sets, NaN: nothing */
    double           *next;        /* 2n: where the next step must begin */
    double           *near, *kept; /* 2n, scratch */
    double            here;        /* the time of the state in the field */

    sal_audited_contact *contact;             /* by contact whose modes the run finds */
    double              *numbers;             /* SAL_CONTACT_NUMBERS by contact */
    double              *phi, *phi_dot, *one; /* by constraint; one: zeros between calls */
    double              *impulse, *law;       /* by constraint; by unknown */
    double               strongest;           /* the largest multiplier of all contacts so far */
    double               fastest;             /* the largest speed at which one touched so far */
} sal_auditor;

/* Reports a finding; value and allowed may be NaN. */
void sal_audit_tell(sal_auditor *a, saltus_audit_kind kind, int event, int occurrence, double value,
                    double allowed, const char *format, ...) SAL_PRINTF(7, 8);

/* Puts a state into the field, whose regime and memories are set; false: it has no accelerations
 * there. */
bool sal_audit_look(sal_auditor *a, double t, const double *x, bool accelerations);
/* The guard at the state in the field; its rate needs accelerations. */
double sal_audit_guard(sal_auditor *a, int event, double *rate);
/* Below the result, |r| counts as zero because of the tolerance; below *rounding, because of
 * rounding. */
double sal_audit_noise(sal_auditor *a, int event, double *rounding);
/* Whether all conditions (where=) are positive at the state in the field. */
bool sal_audit_conditions(sal_auditor *a, int event);

/* Whether the guard is seen on that side closer and closer to the end of the step in the frame. */
bool sal_audit_was_beyond(sal_auditor *a, const sal_frame *frame, int event, int side);

/* Errors of dense output and of the end of a step, in units of the tolerance of one. */
#define SAL_AUDIT_STEPS 10.0

/* The sign that the guard has after the event, 0 if both are possible. */
static inline int sal_audit_target(const sal_event_system *event)
{
    return event->direction == SALTUS_ANY ? 0 : event->direction == SALTUS_RISING ? 1 : -1;
}

/* Checks an occurrence at the end of the frame. a->next then has the state after it, or the state
 * before it if it ended the run. */
saltus_status sal_audit_event(sal_auditor *a, const sal_frame *frame, saltus_error *err);
/* Checks that guards which a jump threw across zero have fired at that instant. */
void sal_audit_instant(sal_auditor *a);
/* Sides of the guards at the state in the field; last: the event just before, or -1; before: the
 * regime it left, or NULL. */
void sal_audit_arm(sal_auditor *a, int last, const sal_regime *before);

/* Memory, and the events of contacts. False: there is none. */
bool sal_audit_contacts_init(sal_auditor *a, sal_arena *arena);
/* A step begins: contacts may have changed their modes since the one before. */
void sal_audit_contacts_step(sal_auditor *a, const sal_frame *frame);
/* Looks at the conditions of all contacts at a place of the step; moves the field. */
void sal_audit_contacts_look(sal_auditor *a, const sal_frame *frame, double theta);
/* Looks at the impact of an occurrence, with the states before and after it. */
saltus_status sal_audit_contacts_impact(sal_auditor *a, int occurrence, saltus_error *err);
/* What is wrong with the modes that contacts have before and after an occurrence, or NULL. */
const char *sal_audit_contacts_wrong(const sal_auditor *a, int occurrence);
/* Whether the mode of this group is found by the run. */
bool sal_audit_is_found(const saltus_model *model, int group);
/* Reports what was broken on the whole way, and notes what came closest to it. */
void sal_audit_contacts_end(sal_auditor *a);

#endif
