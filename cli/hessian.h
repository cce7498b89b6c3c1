/* Second derivatives of the costs and parameters asked for. */
#ifndef CLI_HESSIAN_H
#define CLI_HESSIAN_H

#include "session.h"

/* By cost, a square matrix over the parameters asked for. */
typedef struct cli_hessian {
    double *value;     /* [(cost * params + row) * params + column], symmetric */
    double *asymmetry; /* by cost: the largest difference of two that should be equal */
} cli_hessian;

/* A failure is the session's error, and the result empty. */
cli_hessian cli_hessian_find(cli_session *session);
/* {cost: {"matrix": {parameter: {parameter: x}}, "asymmetry": x}} */
json_t *cli_hessian_json(const cli_session *session, const cli_hessian *hessian);
void    cli_hessian_print(const cli_session *session, const cli_hessian *hessian);
void    cli_hessian_free(cli_hessian *hessian);

#endif
