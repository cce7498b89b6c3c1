/* Gradients of the requested costs by the requested parameters, by one method. */
#ifndef CLI_GRADIENTS_H
#define CLI_GRADIENTS_H

#include "session.h"

typedef struct cli_gradients {
    saltus_method method;
    saltus_error  error;   /* if set, the other fields are empty */
    double       *cost;    /* requested costs: [cost * params + param] */
    double       *time;    /* times of all occurrences: [event * params + param]; or NULL */
    double       *end;     /* end time: [param]; or NULL */
    double        seconds; /* processor time, without the simulation */
} cli_gradients;

/* Derivatives of times that are computed besides those of costs. */
typedef enum cli_times { CLI_NO_TIMES, CLI_ALL_TIMES, CLI_END_TIME } cli_times;

/* Computes gradients on the session's run, which has been simulated. A failure is in the result. */
cli_gradients cli_gradients_compute(cli_session *session, saltus_method method, cli_times times);
/* Computes gradients on another run of the session's system, as one of several threads may; shows
 * no progress. */
cli_gradients cli_gradients_on(const cli_session *session, saltus_run *run, saltus_method method,
                               cli_times times);
/* The approximate number of passes through the motion that the method takes. */
int cli_gradients_passes(const cli_session *session, saltus_method method, cli_times times);
/* Allocates the arrays, and fills in the request. */
cli_gradients cli_gradients_room(const cli_session *session, saltus_method method, cli_times times);
saltus_request cli_gradients_request(const cli_session *session, saltus_method method);
/* The method that SALTUS_AUTO stands for, by the numbers of requested parameters and costs, and of
 * events if derivatives of their times are requested. Other methods are returned unchanged. */
saltus_method cli_gradients_method(const cli_session *session, saltus_method method);
void          cli_gradients_free(cli_gradients *gradients);

/* The size of a parameter: |value|, or 1 if that is 0. */
double cli_param_size(const cli_session *session, int place);
/* The size that differences between gradients of a quantity with this value are compared with,
 *
 *     max(max_j |row_j|, max_j |value| / max(|ρ_j|, 1), floor):
 *
 * where the true gradient is zero, rounding has no other measure. */
double cli_gradient_scale(const cli_session *session, const double *row, double value);

/* ---- further results of `saltus gradient` ---------------------------------------------------
 *
 * Computed on the session's run, which has been simulated; printed, or added to the result. A
 * failure is the session's. */

/* Second derivatives of the requested costs by the requested parameters. */
void cli_hessian(cli_session *session);
/* Derivatives from both sides of each parameter's value, by the first requested method. */
void cli_one_sided(cli_session *session);
/* The range of each parameter in which the events are those of this run. */
void cli_reach(cli_session *session);

#endif
