/* Peaks: the largest or smallest values that expressions have along a motion (sensitivities.md
 * (24)).
 *
 * After a simulation the recorded steps are looked at on their dense output. Where the rate of the
 * expression passes zero, where the motion begins and ends, and on both sides of events it may have
 * its peak. The time of a peak inside a step does not matter to first order, so that it needs no
 * derivative; a peak inside is the end of a shorter step from the same start. */
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
    long long      step;       /* inside and start: the step */
    double         h;          /* inside: the length of the shorter step */
    int            occurrence; /* start and before: the event; -1: there is none */
    bool           local;      /* the expression is further from its extreme on both sides */
} sal_peak;

/* Whether it is inside of this step, or where this step begins. */
static inline bool sal_peak_is_inside(const sal_peak *peak, long long step)
{
    return peak->place == SAL_PEAK_INSIDE && peak->step == step && peak->h > 0.0;
}

static inline bool sal_peak_is_at_start(const sal_peak *peak, long long step)
{
    return (peak->place == SAL_PEAK_START || peak->place == SAL_PEAK_INSIDE) &&
           peak->step == step && !sal_peak_is_inside(peak, step);
}

/* The peaks of one expression: the extreme one, and others that are local, the most extreme of them
 * first. */
enum { SAL_PEAK_RIVALS = 7 };
typedef struct sal_peaks {
    sal_peak best;
    int      rivals;
    sal_peak rival[SAL_PEAK_RIVALS];
    double   size; /* the largest that the expression is along the motion, without its sign */
} sal_peaks;

/* Finds the peaks of the motion that was just simulated. */
saltus_status sal_peaks_find(saltus_run *run, saltus_error *err);

/* The shorter step that ends at a peak inside of the step of a frame. */
sal_frame sal_peak_part(const sal_frame *frame, const sal_peak *peak);
/* Writes the value of expression i where a peak is inside of a step: any place may be given. */
saltus_status sal_peaks_value(saltus_run *run, int i, sal_peak *peak, saltus_error *err);
/* Whether a rival is as extreme as the best peak, as far as the tolerance can tell. */
bool sal_peaks_tie(const saltus_run *run, int i, int rival);

#endif
