/* Finds the sign changes of a function on [0, 1] that can only be evaluated.
 *
 * The interval is divided until, on each piece, a polynomial through Chebyshev points approximates
 * the function: its last coefficients have decayed, and it agrees with the function at two more
 * places. The Bernstein coefficients of the polynomial bound it, so they show that a part of a
 * piece is on one side of zero, or that it crosses zero once; other parts are halved. Sign changes
 * are found in order, and no sign change of the polynomials is missed.
 *
 * The function has a known side. It leaves that side where it is seen on the other side by more
 * than rounding; smaller excursions are ignored. */
#ifndef SAL_LOCATE_ROOTS_H
#define SAL_LOCATE_ROOTS_H

#include <stdbool.h>

/* The highest degree of a polynomial, and its number of points. On each piece degree 8 is tried
 * first, then 16; then the piece is divided. */
enum { SAL_ROOTS_DEGREE = 16, SAL_ROOTS_POINTS = SAL_ROOTS_DEGREE + 1 };

/* The places, from 0 to 1, where a polynomial is compared with the function, apart from its
 * points. */
#define SAL_ROOTS_CHECK_1 0.2813
#define SAL_ROOTS_CHECK_2 0.7189

/* The matrices from values at Chebyshev points to Chebyshev coefficients and on to Bernstein
 * coefficients, for one degree. */
typedef struct sal_basis {
    int    degree;
    double place[SAL_ROOTS_POINTS]; /* the Chebyshev points, ascending from 0 to 1 */
    /* By point: what its value adds to each Chebyshev coefficient. */
    double chebyshev[SAL_ROOTS_POINTS][SAL_ROOTS_POINTS];
    /* By Chebyshev coefficient: what it adds to each Bernstein coefficient. */
    double bernstein[SAL_ROOTS_POINTS][SAL_ROOTS_POINTS];
} sal_basis;

typedef struct sal_bases {
    sal_basis low, high; /* degrees 8 and 16; `low` has every second point of `high` */
} sal_bases;

void sal_bases_init(sal_bases *bases);

typedef struct sal_roots {
    const sal_bases *bases;
    /* Returns the function at x, perhaps NaN. */
    double (*value)(void *context, double x);
    /* Returns how much rounding, or a tolerance, may change a value near x. Called only where it
     * matters. */
    double (*noise)(void *context, double x);
    /* Called where the function leaves the known side `side` near x, through zero or, if `jumps`,
     * over it (a pole, a step). Returns true to end the search. */
    bool (*leaves)(void *context, double x, int side, bool jumps);
    void  *context;
    double enough; /* the search may end after this place */
    double finest; /* places closer to each other than this count as the same */
    int    side;   /* the known side, -1 or 1; 0: unknown, the first side seen is taken */

    /* Results. */
    bool   unresolved;    /* the function changes too fast to be followed */
    double unresolved_at; /* the first place where it does */
    double undefined_at;  /* the first place where the function is not a number; INFINITY: none */
    double touch_at;      /* where it came to zero within rounding and turned back; -1: nowhere */
    int    evaluations;   /* calls of `value` */

    /* Workspace. The last excursion to the other side, not yet seen beyond rounding. */
    double left_at, left_noise;
    bool   left, left_exact, left_at_pole;
    bool   inverted;            /* the reciprocal of the function is examined instead */
    double inverse_noise;       /* how much rounding may change the reciprocal */
    double seen_at;             /* where it was last seen on the known side; -1: nowhere */
    double near_at, near_noise; /* where it came to zero since it was last seen; -1: nowhere */
    double highest;             /* the largest value seen since the known side last changed */
} sal_roots;

/* Searches [0, 1]. Afterwards `side` is the side at the end of what was searched. True: a call of
 * `leaves` ended the search. */
bool sal_roots_find(sal_roots *roots);

#endif
