/* Warnings, ties, reasons why there is no gradient, and how a run ends. */
#ifndef SAL_RUN_OUTCOME_H
#define SAL_RUN_OUTCOME_H

#include "run/run.h"

void sal_run_warn(saltus_run *run, const char *format, ...) SAL_PRINTF(2, 3);
/* Says which constraints of the field's regime are left out because they depend on others. */
void sal_run_warn_redundant(saltus_run *run, const sal_field *field);
/* There is no gradient of this run. The first reason given is kept. */
void sal_run_no_gradient(saltus_run *run, saltus_status status, const char *format, ...)
    SAL_PRINTF(3, 4);

/* Ties: what a small change of parameters might decide in another way.
 *
 * Events whose guards cross at the same instant by chance, and contacts that are exactly at a
 * threshold: of sticking, of letting go, of an impulse that is zero. On the two sides of such a
 * point the motion may go on differently, and derivatives may be one-sided. A simulation only notes
 * them; whether a gradient is one-sided is found by motions next to it (api/one_sided.c).
 *
 * Notes events that happen together, at the present instant. */
void sal_tie_note_events(saltus_run *run, int first, int second);
/* Notes a contact that is exactly at a threshold. */
void sal_tie_note_contact(saltus_run *run, int contact, double t);

/* Ends the run with that outcome. */
void sal_run_finish(saltus_run *run, saltus_outcome outcome, const char *format, ...)
    SAL_PRINTF(3, 4);
/* Ends the run at an event: the message begins with its name and the time. */
void sal_run_finish_at(saltus_run *run, const sal_event_system *event, saltus_outcome outcome,
                       const char *format, ...) SAL_PRINTF(4, 5);
/* Ends the run at a time where the field of the motion cannot be evaluated. */
void sal_outcome_no_field(saltus_run *run, double t);
/* Ends the run as the next step, of length h, is too short. */
void sal_outcome_step_too_small(saltus_run *run, double h);
/* Ends the run as the limit of steps is reached. */
void sal_outcome_too_many_steps(saltus_run *run);
/* After the last step: a final cost without a value changes the outcome. */
void sal_outcome_check_final(saltus_run *run);

#endif
