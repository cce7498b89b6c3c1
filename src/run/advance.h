/* One step of the run, up to the first event in it, and checks of steps, each in its own file. */
#ifndef SAL_RUN_ADVANCE_H
#define SAL_RUN_ADVANCE_H

#include <math.h>

#include "run/outcome.h"
#include "run/run.h"

/* log2(1e-4): smaller errors have the same effect on the step length. */
#define SAL_MIN_LOG_ERROR (-13.287712379549449)

/* Chooses the first step length. */
void sal_advance_start(saltus_run *run);

/* Takes a step of this length from the present state, with whatever error. Nonzero: a stage
 * failed. */
int sal_advance_take(saltus_run *run, double h);

/* Takes one accepted step, up to the first event in it; appends it to the record. */
saltus_status sal_advance(saltus_run *run, saltus_error *err);

/* Accepts the step in run->motion, which has no event at its end. last: the run ends with it. */
saltus_status sal_advance_accept(saltus_run *run, bool last, saltus_error *err);

/* ---- between_stages.c ------------------------------------------------------------------------ */

/* The number of places where the field is checked, per horizon. */
enum { SAL_PLACES_PER_HORIZON = 500 };

/* Checks the step just taken, whose error is small, between its stages. Returns the part of the
 * step up to which nothing was missed (1: the whole step); 0: the field failed. */
double sal_between_stages(saltus_run *run);

/* ---- kink.c --------------------------------------------------------------------------------- */

/* The kinks of powers (kink.c) near the start of a step. */
typedef struct sal_power_kink {
    /* The time until the next kink, and since the last one; INFINITY: there is none. */
    double until_next, since_last;
    double span; /* the time T by which parameters may move the kink */
} sal_power_kink;
#define SAL_POWER_KINK_NONE ((sal_power_kink){INFINITY, INFINITY, 0.0})

/* Finds the kinks of powers near the present state, in a model that has some
 * (system->has_power_kinks). */
sal_power_kink sal_power_kink_find(saltus_run *run);
/* Limits the length h of the next step. */
double sal_power_kink_limit(const saltus_run *run, const sal_power_kink *kink, double h);
/* The weight of the error of the step just taken. */
double sal_power_kink_weight(const saltus_run *run, const sal_power_kink *kink, double error);
/* The longest next step after one of length h whose weighted error was too large; h: no limit is
 * known. */
double sal_power_kink_shorter(saltus_run *run, const sal_power_kink *kink, double h, double error);

/* ---- stiff.c --------------------------------------------------------------------------------- */

/* The number of steps from one check to the next. */
enum { SAL_STIFF_EVERY = 16 };
/* Checks the step just taken, whose end stage has been evaluated. */
void sal_stiff_watch(saltus_run *run);
/* Whether stability limits the steps now, or did so in most checks. */
bool sal_stiff_found(const saltus_run *run);
/* Ends the run because of stiffness. what: the beginning of the message. */
void sal_stiff_finish(saltus_run *run, saltus_outcome outcome, const char *what);
/* Warns if stability limited most steps of the run. */
void sal_stiff_warn(saltus_run *run);

/* ---- singular.c ------------------------------------------------------------------------------ */

/* Checks the step just taken, in a regime with constraints; its end has been evaluated. If there is
 * a singular position in it, the run ends or, if constraints give way (penalty), a warning is
 * given. */
void sal_singular_watch(saltus_run *run);

#endif
