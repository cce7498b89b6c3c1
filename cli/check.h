/* The checks of `saltus check`: each adds its findings to a list. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <jansson.h>

#include "gradients.h"
#include "session.h"

typedef enum cli_verdict { CLI_PASS, CLI_FAIL, CLI_INFORMATION, CLI_NOT_APPLICABLE } cli_verdict;

typedef struct cli_finding {
    char       *check;   /* what was compared */
    char       *cost;    /* the cost it is about, "" if none */
    double      value;   /* what came out, NaN if nothing */
    double      allowed; /* what it may be at most (at least, for a slope), NaN if nothing */
    cli_verdict verdict;
    char       *note;
} cli_finding;

typedef struct cli_findings {
    cli_finding *finding;
    int          count, capacity;
} cli_findings;

/* note is printf-style. */
void cli_findings_add(cli_findings *findings, const char *check, const char *cost, double value,
                      double allowed, cli_verdict verdict, const char *note, ...) CLI_PRINTF(7, 8);
/* Passes if value <= allowed; a value that is not a number fails. */
void cli_findings_compare(cli_findings *findings, const char *check, const char *cost, double value,
                          double allowed, const char *note);
void cli_findings_free(cli_findings *findings);

json_t *cli_findings_json(const cli_findings *findings);
int     cli_findings_count(const cli_findings *findings, cli_verdict verdict);

/* The remainders of the Taylor test: [cost * steps + step], NaN where other events happen. */
typedef struct cli_taylor {
    int     steps;
    double *epsilon, *remainder;
    double *slope; /* by cost, NaN if it could not be fitted */
} cli_taylor;
void cli_taylor_free(cli_taylor *taylor);

/* The methods that are compared. */
enum {
    CLI_CHECK_DISCRETE,
    CLI_CHECK_TANGENT,
    CLI_CHECK_DIRECT,
    CLI_CHECK_ADJOINT,
    CLI_CHECK_FD,
    CLI_CHECK_METHODS
};
/* All checks, of a session that has been simulated. gradients: CLI_CHECK_METHODS, to be freed by
 * the caller; taylor may be NULL. */
void cli_check_all(cli_session *session, cli_gradients *gradients, cli_findings *findings,
                   cli_taylor *taylor);

/* What there is to say of the gradient of a cost (its place among those asked for). */
const char *cli_check_note(const cli_session *session, const double *row, int cost);

/* λᵀS + λΓ is the gradient at every instant, across every event. */
void cli_check_duality(cli_session *session, const cli_gradients *adjoint, cli_findings *findings);
/* Constraints and their rates along the motion, compared with positions and velocities. */
void cli_check_constraints(cli_session *session, cli_findings *findings);
/* Energy between events and at them: information, and "conserved" where it is. */
void cli_check_energy(cli_session *session, cli_findings *findings);
/* ψ(ρ + εd) - ψ(ρ) - ε ψ'd falls with the square of ε. */
void cli_check_taylor(cli_session *session, cli_findings *findings, cli_taylor *taylor);

#endif
