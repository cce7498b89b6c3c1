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
    int      normal, tangent; /* rows, or -1: dry friction on a coordinate; a smooth contact */
    double   mu_static, mu_kinetic; /* without a normal: limits of the force */
    double   slip;                  /* accelerations: the tangential velocity; 0.0 counts as none */
    double   restitution;           /* impacts: e */
    unsigned allowed;               /* modes it may have; those that make no sense are ignored */
    sal_contact_mode preferred;     /* the present one, or 0 */
} sal_contact_touch;

typedef struct sal_contact_problem {
    int                      contacts, rows;
    const sal_contact_touch *contact;
    const double            *D;          /* rows x rows. A row that nothing can move is zero. */
    const double            *free_rates; /* by row */
    const double            *before; /* impacts: velocities before; NULL: free_rates are these */
    const double *size; /* by row: of the terms free_rates is the sum of; NULL: its own */
    bool          impact;
    double        rounding; /* relative errors of D and free_rates that are possible */
    bool          pivoting; /* do not enumerate, however few the contacts are */
    bool independent; /* the rows of closed contacts shall not depend on each other, if possible */
} sal_contact_problem;

typedef enum sal_contact_status {
    SAL_CONTACT_FOUND,
    SAL_CONTACT_NONE,      /* no set of modes fulfils all conditions */
    SAL_CONTACT_SEVERAL,   /* two sets with different rates do: `best` and `other` */
    SAL_CONTACT_UNDECIDED, /* pivoting: none was found that fulfils all, but there may be one */
} sal_contact_status;

typedef struct sal_contact_answer {
    sal_contact_mode *mode;      /* by contact */
    bool             *redundant; /* by contact: its row depends on others; its force is a choice */
    bool             *held;   /* by contact: closed by others, and without any force of its own */
    bool             *jammed; /* by contact: slides, but others keep it from moving */
    double           *force;  /* by row */
    double           *rate;   /* by row */
    int               redundants;  /* contacts that are redundant */
    int               unsupported; /* of those, the ones without any force */
    int               ties;        /* conditions that hold with equality */
    int               tie;         /* the first contact with such a condition, or -1 */
    int               changes;     /* contacts whose mode is not the preferred one */
    int               begins;      /* contacts that begin to slide, with mu_kinetic < mu_static */
} sal_contact_answer;

/* Sets with different rates that are told apart. */
enum { SAL_CONTACT_KEPT = 8 };

/* An unknown of the pivoting method. */
typedef struct sal_contact_line {
    int contact, kind;
} sal_contact_line;

typedef struct sal_contact_set {
    sal_contact_answer best;  /* FOUND, SEVERAL */
    sal_contact_answer other; /* SEVERAL */

    /* The rest is workspace. */
    bool               independent; /* of the rows of closed contacts: asked for now */
    sal_contact_answer kept[SAL_CONTACT_KEPT], trial;
    int                kept_count;
    sal_contact_mode  *mode;     /* by contact: of the set that is tried */
    double            *shared;   /* by contact: what part of its friction it bears */
    bool              *idle;     /* by contact: its tangential row is held by others, T = 0 */
    int                violated; /* a contact whose condition the trial violates; -1: none does */
    sal_contact_mode   instead;  /* the mode that it would come to */
    sal_contact_mode  *firmer; /* by contact: the mode that holds it more where both are possible */
    int               *direction; /* by contact: pivoting: slides in this direction, if closed */
    double            *friction;  /* by contact: pivoting: mu, or mu_kinetic once it slid */
    int               *unknown, *owner; /* by unknown: its row, its contact */
    int               *column;          /* by unknown: the order of elimination */
    int               *used;            /* by unknown, and one more: rows that were eliminated */
    double            *A, *b, *x;       /* the system of the closed rows */
    double            *b_size;          /* by unknown: the sizes of the terms of b */
    double            *normal_matrix;   /* a second matrix of that size, and one row more */
    double            *size;            /* by row: of the terms of its rate */
    double            *scale;           /* by row: what its forces are measured in */
    struct sal_lemke  *lemke;
    sal_contact_line  *line;
} sal_contact_set;

/* For up to that many contacts, whose memory grows with their square. False: out of memory. */
bool sal_contact_set_init(sal_contact_set *set, int max_contacts, sal_arena *arena);

/* Finds the modes, with forces and rates. Nothing is allocated, and time is bounded.
 *
 * Up to 4 contacts with friction and 10 in all, and as long as there are at most 4096 sets, all
 * sets of modes are tried; beyond that, Lemke's method finds one, and SEVERAL is not detected.
 *
 * Of sets with equal rates, those that hold without equalities come first, then those with few
 * changes. `tie` tells that a condition of the answer holds with equality only: derivatives are
 * then one-sided. Contacts whose rows depend on those of others count as closed, with the forces of
 * least norm if these fulfil the conditions; otherwise some of them have no force.
 *
 * With `independent`, forces are those of a corner of all that are possible: of contacts whose
 * normals depend on each other some are closed without any force (`held`), and of a jam some are
 * on the edge of their cone, sliding without moving, as others hold them. Only contacts that stick
 * and slip the same still share their friction. */
sal_contact_status sal_contact_set_solve(sal_contact_set *set, const sal_contact_problem *problem);

#endif
