/* Events at times that are known in advance. When the model is finished, they get guards of the
 * form t - next, where next is a memory. */
#ifndef SAL_MODEL_CLOCKS_H
#define SAL_MODEL_CLOCKS_H

#include "model/model.h"

/* Adds a hidden event with the guard t - next; NULL after a mistake. */
sal_event *sal_clock_add(saltus_model *model, const sal_label *label, sal_hidden hidden, int next);
/* Makes the event set a memory. */
void sal_clock_set(saltus_model *model, sal_event *event, int memory, sal_node value);
/* Disables a clock until an event sets its memory `next`: starts with a time in the past. */
void sal_stopwatch_stop(saltus_model *model, int next);
/* Fails with the message that WHAT 'label' begins with an event that does not exist. */
saltus_status sal_clock_no_event(const saltus_model *model, const sal_label *label,
                                 const char *what, const char *event, saltus_error *err);

/* Adds the event and the start values of a control when the model is complete. */
saltus_status sal_control_finish(saltus_model *model, int index, saltus_error *err);

#endif
