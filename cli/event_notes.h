/* What there is to say of an event besides its numbers. */
#ifndef CLI_EVENT_NOTES_H
#define CLI_EVENT_NOTES_H

#include <jansson.h>

#include "gradients.h"
#include "session.h"

/* The largest guard rate of each event, by its number in the model; to be freed. */
double *cli_event_notes_rates(const cli_session *session);

/* Texts: that it grazes, or nearly; that a small change of a parameter would exchange it with its
 * neighbour, or move it out of the run. gradients, with times, may be NULL. */
json_t *cli_event_notes_notes(const cli_session *session, const cli_gradients *gradients,
                              const double *rates, int event);

#endif
