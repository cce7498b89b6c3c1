/* Gradients of the costs and parameters asked for, by one method. */
#ifndef CLI_GRADIENTS_H
#define CLI_GRADIENTS_H

#include "session.h"

typedef struct cli_gradients {
    saltus_method method;
    saltus_error  error;   /* if set, the other fields are empty */
    double       *cost;    /* [cost * params + param], of those asked for */
    double       *time;    /* [event * params + param], of all events that happened; or NULL */
    double       *end;     /* [param] of the end time; or NULL */
    double        seconds; /* of the processor, without the simulation */
} cli_gradients;

/* Derivatives of times that may be wanted besides those of costs. */
typedef enum cli_times { CLI_NO_TIMES, CLI_ALL_TIMES, CLI_END_TIME } cli_times;

/* Computes them on the session's run, which has been simulated. A failure is in the result. */
cli_gradients cli_gradients_compute(cli_session *session, saltus_method method, cli_times times);
/* As cli_gradients_compute, on another run of the session's system, for one of several threads;
 * shows no progress. */
cli_gradients cli_gradients_on(const cli_session *session, saltus_run *run, saltus_method method,
                               cli_times times);
/* About how often the method goes through the motion. */
int cli_gradients_passes(const cli_session *session, saltus_method method, cli_times times);
/* Allocates the arrays, and fills in the request. */
cli_gradients cli_gradients_room(const cli_session *session, saltus_method method, cli_times times);
saltus_request cli_gradients_request(const cli_session *session, saltus_method method);
/* What SALTUS_AUTO means here: by the numbers of parameters and costs asked for, and of events that
 * happened if their times are. */
saltus_method cli_gradients_method(const cli_session *session, saltus_method method);
void          cli_gradients_free(cli_gradients *gradients);

/* A parameter's own size: |value|, or 1. */
double cli_param_size(const cli_session *session, int place);
/* The size that differences between gradients of a quantity with this value are compared with,
 *
 *     max(max_j |row_j|, max_j |value| / max(|ρ_j|, 1), floor):
 *
 * where the true gradient is zero, rounding has no other measure. */
double cli_gradient_scale(const cli_session *session, const double *row, double value);

/* ---- what `saltus gradient` may be asked for besides ----------------------------------------
 *
 * Computed on the session's run, which has been simulated; printed, or added to the result. A
 * failure is the session's. */

/* Second derivatives of the costs and parameters asked for. */
void cli_hessian(cli_session *session);
/* Derivatives from both sides of each parameter's value, by the first method that was asked for. */
void cli_one_sided(cli_session *session);
/* Between which values of each parameter the events are those of this run. */
void cli_reach(cli_session *session);

#endif
