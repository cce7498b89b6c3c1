/* A quick look at the guards of a step: it makes dense output and a search unnecessary in most
 * steps. Every call may decline; the search (locate.h) then does the work.
 *
 * It looks at guards that change as smoothly as the motion: polynomials in t, q, v, or roots of
 * such polynomials. See screen.c. */
#ifndef SAL_LOCATE_FAST_SCREEN_H
#define SAL_LOCATE_FAST_SCREEN_H

#include "locate/locate.h"

/* The number of places inside a step where guards are evaluated, and the number of terms from which
 * the motion is interpolated there. */
enum { SAL_SCREEN_PLACES = 2, SAL_SCREEN_TERMS = 6 };

/* A list of coordinates or velocities. */
typedef struct sal_needed {
    int            count, *index;
    unsigned char *noted; /* by coordinate or velocity: it is in the list */
} sal_needed;

struct sal_screen {
    bool              off;         /* all calls decline */
    sal_guard_sample *start;       /* by event: the guard at the start of the step */
    double           *error;       /* by event: a bound on the error of its cubic */
    double           *guess;       /* by event: about where the guard crosses; -1: unknown */
    double           *low;         /* by event: a place before the crossing */
    bool              start_known; /* `start` holds values at the start of this step */
    bool              end_known;   /* locator->now holds values and slopes at the end of the step */
    bool              answered;    /* the last call of sal_screen_find did not decline */
    /* weights of the quintic, of its derivative and of the cubic at the places */
    double            quintic[SAL_SCREEN_PLACES][SAL_SCREEN_TERMS];
    double            quintic_rate[SAL_SCREEN_PLACES][SAL_SCREEN_TERMS];
    double            cubic[SAL_SCREEN_PLACES][4];
    sal_needed        q;         /* coordinates that the guards of `needed_in` contain */
    sal_needed        v;         /* velocities that the guards of `needed_in` contain */
    const sal_regime *needed_in; /* the regime for which q, v and curved were found */
    bool              curved;    /* some guard of that regime is not linear */
};

/* NULL: out of memory. */
sal_screen *sal_screen_new(const saltus_system *system, sal_arena *arena);

/* Finds the crossings in the step just taken, whose end stage has been evaluated: found[e] says
 * whether event e happens, and crossing[e] where on the interpolated motion. Clocks are left out.
 * False: some guard is not simple enough; the step must be searched. */
bool sal_screen_find(sal_locator *locator, const sal_step *step, unsigned char *found,
                     sal_crossing *crossing);
/* A bound on the second derivative of a guard in the step; INFINITY: the step was searched. */
double sal_screen_r_ddot(const sal_locator *locator, const sal_step *step, int event);

/* Begins with a step just taken: nothing is known at its end. */
void sal_screen_begin(sal_screen *screen);
/* Makes the end of an accepted step the start of the next one. */
void sal_screen_moved(sal_locator *locator);
/* Forgets values at the ends of the step: the next step does not continue it. */
void sal_screen_forget(sal_screen *screen);

#endif
