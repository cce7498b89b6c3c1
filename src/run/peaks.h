/* Peaks: the largest or smallest values of expressions along a motion (sensitivities.md (24)).
 *
 * After a simulation, each recorded step is searched on its dense output. A peak may be where the
 * rate of the expression passes zero, at the start and the end of the motion, and on both sides of
 * events. To first order the time of a peak inside a step does not matter, so no derivative of it
 * is needed. A peak inside a step is the end of a shorter step from the same start. */
#ifndef SAL_RUN_PEAKS_H
#define SAL_RUN_PEAKS_H

#include "run/history.h"

typedef enum sal_peak_place {
    SAL_PEAK_NONE,
    SAL_PEAK_INSIDE, /* in a step */
    SAL_PEAK_START,  /* where a step begins: at the start of the motion, or just after an event */
    SAL_PEAK_BEFORE, /* just before an event */
    SAL_PEAK_END     /* at the end of the run */
} sal_peak_place;

typedef struct sal_peak {
    sal_peak_place place;
    double         t, value;
    long long      step;       /* INSIDE, START: the step */
    double         h;          /* INSIDE: the length of the shorter step */
    int            occurrence; /* START, BEFORE: the event; -1: there is none */
    bool           local;      /* a local peak: the expression is less extreme on both sides */
} sal_peak;

/* Whether the peak is inside this step. */
static inline bool sal_peak_is_inside(const sal_peak *peak, long long step)
{
    return peak->place == SAL_PEAK_INSIDE && peak->step == step && peak->h > 0.0;
}

/* Whether the peak is where this step begins. */
static inline bool sal_peak_is_at_start(const sal_peak *peak, long long step)
{
    return (peak->place == SAL_PEAK_START || peak->place == SAL_PEAK_INSIDE) &&
           peak->step == step && !sal_peak_is_inside(peak, step);
}

/* The peaks of one expression: the most extreme one, and other local ones in descending order. */
enum { SAL_PEAK_RIVALS = 7 };
typedef struct sal_peaks {
    sal_peak best;
    int      rivals;
    sal_peak rival[SAL_PEAK_RIVALS];
    double   size; /* the largest magnitude of the expression along the motion */
} sal_peaks;

/* Finds the peaks of the motion that was just simulated. */
saltus_status sal_peaks_find(saltus_run *run, saltus_error *err);

/* The shorter step that ends at a peak inside the step of this frame. */
sal_frame sal_peak_part(const sal_frame *frame, const sal_peak *peak);
/* Computes the value of expression i at a peak into peak->value, by a true step if the peak is
 * inside a step. Any place may be given. */
saltus_status sal_peaks_value(saltus_run *run, int i, sal_peak *peak, saltus_error *err);
/* Whether a rival is as extreme as the best peak, within the tolerance. */
bool sal_peaks_tie(const saltus_run *run, int i, int rival);

#endif
