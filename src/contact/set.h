/* The modes of all contacts that touch at an instant, found together.
 *
 * Rows r = 1..m are the normal and tangential directions of the touching contacts:
 *
 *     rate_r = free_r + sum_s D_rs force_s,     D = W A W', symmetric, positive semi-definite.
 *
 * In accelerations a rate is the second derivative of a gap, or the derivative of a slip, and a
 * force is the normal force N or the tangential force T. In an impact a rate is a velocity after
 * it, free the velocity before it, and a force is an impulse. A contact has one of these modes; e
 * is 0 in accelerations:
 *
 *     open        N = T = 0,                 rate_N + e free_N >= 0
 *     closed      rate_N = -e free_N,        N >= 0                        (without a tangent)
 *     stick       rate_N = -e free_N,        N >= 0,  rate_T = 0,  |T| <= mu_static N
 *     slide s     rate_N = -e free_N,        N >= 0,  T = -s mu_kinetic N,
 *                 and slip has the sign s, or slip = 0 and s rate_T >= 0
 *
 * In an impact every slip counts as 0. Without a normal there are stick and slide only, with a
 * limit of the force in place of mu N; such a contact takes no part in impacts.
 *
 * With mu_kinetic < mu_static a contact may stick and, if it slid, go on sliding. A slide at slip =
 * 0 begins only where static friction does not hold: of several sets that fulfil the conditions,
 * the answer is the one that does so with mu_static for the contacts that begin to slide, too. If
 * none does, contacts break loose one after the other: those that slide with mu_static slide with
 * mu_kinetic then, which may loosen others.
 *
 * Comparisons are relative to the sizes of the numbers that are compared, so that the answer is the
 * same in all units. */
#ifndef SAL_CONTACT_SET_H
#define SAL_CONTACT_SET_H

#include "base/memory.h"

/* Bits, so that `allowed` may hold several. */
typedef enum sal_contact_mode {
    SAL_CONTACT_OPEN = 1,
    SAL_CONTACT_CLOSED = 2,
    SAL_CONTACT_STICK = 4,
    SAL_CONTACT_SLIDE_PLUS = 8,
    SAL_CONTACT_SLIDE_MINUS = 16,
    SAL_CONTACT_ANY = 31,
} sal_contact_mode;

typedef struct sal_contact_touch {
    int    normal, tangent; /* rows; normal -1: dry friction on a coordinate; tangent -1: smooth */
    double mu_static, mu_kinetic; /* without a normal: limits of the force */
    double slip;                  /* accelerations: the tangential velocity; 0.0 counts as none */
    double restitution;           /* impacts: e */
    unsigned         allowed;     /* modes it may have; impossible ones are ignored */
    sal_contact_mode preferred;   /* the present one, or 0 */
} sal_contact_touch;

typedef struct sal_contact_problem {
    int                      contacts, rows;
    const sal_contact_touch *contact;
    const double            *D;          /* rows x rows. A row that nothing can move is zero. */
    const double            *free_rates; /* by row */
    const double            *before;     /* impacts, by row: velocities before; NULL: free_rates */
    const double            *size; /* by row: size of the terms of free_rates; NULL: |free_rates| */
    bool                     impact;
    double                   rounding; /* relative error bound of D and free_rates */
    bool                     pivoting; /* never enumerate, however few the contacts */
    bool independent; /* the rows of closed contacts should be independent, if possible */
} sal_contact_problem;

typedef enum sal_contact_status {
    SAL_CONTACT_FOUND,
    SAL_CONTACT_NONE,      /* no set of modes fulfils all conditions */
    SAL_CONTACT_SEVERAL,   /* two sets with different rates fulfil them: `best` and `other` */
    SAL_CONTACT_UNDECIDED, /* pivoting found no set that fulfils all, but there may be one */
} sal_contact_status;

typedef struct sal_contact_answer {
    sal_contact_mode *mode; /* by contact */
    bool   *redundant;      /* by contact: its row depends on others, so its force is not unique */
    bool   *unloaded;       /* by contact: other contacts keep it closed; it has no force itself */
    bool   *jammed;      /* by contact: on the edge of its cone, but others keep it from moving */
    double *force;       /* by row */
    double *rate;        /* by row */
    int     redundants;  /* number of redundant contacts */
    int     unsupported; /* number of redundant contacts without any force */
    int     ties;        /* number of conditions that hold with equality */
    int     tie;         /* the first contact with a condition that holds with equality, or -1 */
    int     changes;     /* number of contacts whose mode is not the preferred one */
    int     begins;      /* number of contacts with mu_kinetic < mu_static that begin to slide */
} sal_contact_answer;

/* Largest number of sets with different rates that are kept. */
enum { SAL_CONTACT_KEPT = 8 };

/* An unknown of the pivoting method: N, T+, T- or the speed of slip of a contact. */
typedef struct sal_contact_line {
    int contact, kind;
} sal_contact_line;

typedef struct sal_contact_set {
    sal_contact_answer best;  /* the answer, if FOUND or SEVERAL */
    sal_contact_answer other; /* an answer with different rates, if SEVERAL */

    /* The rest is workspace. */
    bool               independent; /* independent rows of closed contacts are required */
    sal_contact_answer kept[SAL_CONTACT_KEPT], trial;
    int                kept_count;
    sal_contact_mode  *mode;     /* by contact: its mode in the set that is tried */
    double            *shared;   /* by contact that sticks: its friction, as a part of the limit */
    bool              *idle;     /* by contact: its tangential row is held by others, T = 0 */
    int                violated; /* a contact whose condition the trial violates, or -1 */
    sal_contact_mode   instead;  /* the mode that the violated condition leads to */
    sal_contact_mode  *firmer_mode; /* by contact: of two possible modes, the one that holds more */
    int    *direction; /* pivoting, by contact: direction of its slide if closed; 0: unknown */
    double *friction;  /* pivoting, by contact: mu_static, or mu_kinetic once it slid */
    int    *unknown, *owner; /* by unknown: its row; its contact */
    int    *column;          /* by unknown: the order of elimination */
    int    *used;            /* by unknown, and one more: whether its row was eliminated */
    double *A, *b, *x;       /* the system of the closed rows */
    double *b_size;          /* by unknown: the sizes of the terms of b */
    double *normal_matrix;   /* room for a matrix with one more row and column than A */
    double *size;            /* by row: the size of the terms of its rate */
    double *scale;           /* by row: the unit of its forces; 0: no force can move it */
    struct sal_lemke *lemke;
    sal_contact_line *line;
} sal_contact_set;

/* Allocates a set for up to max_contacts contacts; memory grows with their square. Returns false
 * when out of memory. */
bool sal_contact_set_init(sal_contact_set *set, int max_contacts, sal_arena *arena);

/* Finds the modes, with forces and rates. Nothing is allocated, and time is bounded.
 *
 * Up to 4 contacts with friction and 10 in all, and as long as there are at most 4096 sets, all
 * sets of modes are tried; beyond that, Lemke's method finds one, and SEVERAL is not detected.
 *
 * Of sets with equal rates, those that hold without equalities come first, then those with few
 * changes. `tie` shows that a condition of the answer holds with equality only: derivatives are
 * then one-sided. Contacts whose rows depend on those of others count as closed, with the forces of
 * least norm if these fulfil the conditions; otherwise some of them have no force.
 *
 * With `independent`, forces are those of a corner of all that are possible: of contacts whose
 * normals depend on each other some are closed without any force (`unloaded`), and of a jam some
 * are on the edge of their cone, sliding without moving, as others hold them. Only contacts that
 * stick and slip the same still share their friction. */
sal_contact_status sal_contact_set_solve(sal_contact_set *set, const sal_contact_problem *problem);

#endif
