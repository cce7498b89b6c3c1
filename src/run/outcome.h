/* Warnings, ties, reasons why there is no gradient, and how a run ends. */
#ifndef SAL_RUN_OUTCOME_H
#define SAL_RUN_OUTCOME_H

#include "run/run.h"

/* Adds a warning; ignored while steps are recomputed, and if there are too many. */
void sal_run_warn(saltus_run *run, const char *format, ...) SAL_PRINTF(2, 3);
/* Warns about each constraint of the field's regime that is left out because it depends on
 * others. */
void sal_run_warn_redundant(saltus_run *run, const sal_field *field);
/* Notes why this run has no gradient. The first message and the last status are kept. */
void sal_run_no_gradient(saltus_run *run, saltus_status status, const char *format, ...)
    SAL_PRINTF(3, 4);

/* Ties: what a small change of parameters might decide differently.
 *
 * A tie is a pair of events whose guards cross at the same instant by chance, or a contact exactly
 * at a threshold: of sticking, of opening, of an impulse that is zero. On the two sides of such a
 * point the motion may differ, and derivatives may be one-sided. A simulation only notes ties;
 * whether a gradient is one-sided is found from neighbouring motions (gradient/one_sided.c).
 *
 * Notes two events that happen together, at the present instant. */
void sal_tie_note_events(saltus_run *run, int first, int second);
/* Notes a contact that is exactly at a threshold. */
void sal_tie_note_contact(saltus_run *run, int contact, double t);

/* Ends the run because memory ran out. */
static inline void sal_run_out_of_memory(saltus_run *run)
{
    run->outcome.finished = run->outcome.out_of_memory = true;
}
/* Ends the run with this outcome and message. */
void sal_run_finish(saltus_run *run, saltus_outcome outcome, const char *format, ...)
    SAL_PRINTF(3, 4);
/* Ends the run at an event: the message begins with its name and the time. */
void sal_run_finish_at(saltus_run *run, const sal_compiled_event *event, saltus_outcome outcome,
                       const char *format, ...) SAL_PRINTF(4, 5);
/* Ends the run at a time where the field of the motion cannot be evaluated. */
void sal_outcome_no_field(saltus_run *run, double t);
/* Ends the run because the next step, of length h, is too short. */
void sal_outcome_step_too_small(saltus_run *run, double h);
/* Ends the run because the limit of steps is reached. */
void sal_outcome_too_many_steps(saltus_run *run);
/* Called after the last step: changes the outcome if a final cost is not finite. */
void sal_outcome_check_final(saltus_run *run);

#endif
