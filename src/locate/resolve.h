/* Where a function on [0, 1] that is known by values only changes its sign.
 *
 * The interval is divided until a polynomial through Chebyshev points knows the function on each
 * piece: the last coefficients have decayed, and at two places more the polynomial is right. In
 * Bernstein form its coefficients bound it, so that each part of a piece is known to be on one side
 * of zero, or to cross it once; parts of which neither is known are halved. Sign changes are met in
 * order, and none is missed that the polynomials have.
 *
 * The function has a known side. It leaves that side where it is seen beyond rounding on the other
 * one; what happens inside of rounding is nothing. */
#ifndef SAL_LOCATE_RESOLVE_H
#define SAL_LOCATE_RESOLVE_H

#include <stdbool.h>

/* Degrees that are tried on a piece before it is divided: 8, then 16. */
enum { SAL_RESOLVE_DEGREE = 16, SAL_RESOLVE_POINTS = SAL_RESOLVE_DEGREE + 1 };

/* Where a polynomial is compared with the function, away from its points. */
#define SAL_RESOLVE_CHECK_1 0.2813
#define SAL_RESOLVE_CHECK_2 0.7189

/* What takes values at Chebyshev points to coefficients, of Chebyshev and of Bernstein, for a
 * degree. */
typedef struct sal_basis {
    int    degree;
    double place[SAL_RESOLVE_POINTS]; /* in [0, 1], from 0 to 1 */
    /* By point: what its value adds to each Chebyshev coefficient. */
    double chebyshev[SAL_RESOLVE_POINTS][SAL_RESOLVE_POINTS];
    /* By Chebyshev coefficient: what it adds to each Bernstein coefficient. */
    double bernstein[SAL_RESOLVE_POINTS][SAL_RESOLVE_POINTS];
} sal_basis;

typedef struct sal_bases {
    sal_basis low, high; /* the places of low are every second one of high */
} sal_bases;

void sal_bases_init(sal_bases *bases);

typedef struct sal_resolve {
    const sal_bases *bases;
    double (*value)(void *context, double x); /* may be NaN */
    /* How much rounding, or a tolerance, may change a value near x; asked for only where it
     * matters. */
    double (*noise)(void *context, double x);
    /* Called where the function leaves this side near x, through zero or by a jump over it (a pole,
     * a step). Returns true if nothing more need be known. */
    bool (*leaves)(void *context, double x, int side, bool jumps);
    void  *context;
    double enough; /* what comes after this place need not be known */
    double finest; /* places that are nearer to each other than this are the same */
    int    side;   /* -1 or 1; 0: not known yet, the first one that is seen will do */

    /* Results. */
    bool   unresolved;    /* the function changes too fast to be followed */
    double unresolved_at; /* where it does so first */
    double undefined_at;  /* the first place where it is not a number, INFINITY if none */
    double touch_at;      /* where it came to zero within rounding and turned back; -1: nowhere */
    int    evaluations;

    /* Used while it works: the last excursion to the other side, not yet seen beyond rounding. */
    double left_at, left_noise;
    bool   left, left_exact, left_at_pole;
    bool   inverted;            /* one over the function is looked at */
    double inverse_noise;       /* how much rounding may change one over the function */
    double seen_at;             /* where it was last seen on the known side; -1: nowhere */
    double near_at, near_noise; /* where it came to zero since it was last seen; -1: nowhere */
    double highest;             /* the largest value seen on the known side since it is known */
} sal_resolve;

/* Goes through [0, 1]; true: `leaves` said enough. `side` is that at the end. */
bool sal_resolve_run(sal_resolve *resolve);

#endif
