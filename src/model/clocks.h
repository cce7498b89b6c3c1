/* What happens at times that are known in advance. When the model is finished, it becomes events
 * whose guards are t - next, with next a memory. */
#ifndef SAL_MODEL_CLOCKS_H
#define SAL_MODEL_CLOCKS_H

#include "model/model.h"

/* Adds a hidden event with the guard t - next; NULL after a mistake. */
sal_event *sal_clock_add(saltus_model *model, const sal_label *label, sal_hidden hidden, int next);
/* The event sets a memory. */
void sal_clock_set(saltus_model *model, sal_event *event, int memory, sal_node value);
/* The clock stands still until something sets its next time. */
void sal_clock_stop(saltus_model *model, int next);
/* Fails: WHAT 'label' begins with an event that is not there. */
saltus_status sal_clock_no_event(const saltus_model *model, const sal_label *label,
                                 const char *what, const char *event, saltus_error *err);

saltus_status sal_control_finish(saltus_model *model, int index, saltus_error *err);

#endif
