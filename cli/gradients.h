/* Gradients of the costs and parameters asked for, by one method. */
#ifndef CLI_GRADIENTS_H
#define CLI_GRADIENTS_H

#include "session.h"

typedef struct cli_gradients {
    saltus_method method;
    saltus_error  error; /* without it: */
    double       *cost;  /* [cost * params + param], of those asked for */
    double       *time;  /* [event * params + param], of all events that happened */
    double       *end;   /* [param] of the end time */
    double        seconds;
} cli_gradients;

/* Computes them on the session's run, which has been simulated. A failure is in the result. */
cli_gradients cli_gradients_compute(cli_session *session, saltus_method method);
void          cli_gradients_free(cli_gradients *gradients);

#endif
