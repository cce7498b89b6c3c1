/* The checks of `saltus check`: each adds its findings to a list.
 *
 * How large a difference may be is estimated, rather than a fixed number. A gradient is computed at
 * two tolerances, and its change from one to the other estimates the error of the method; kappa,
 * the size of the terms of which a gradient is the sum, bounds the effects of rounding and of the
 * tolerance. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <jansson.h>

#include "gradients.h"
#include "session.h"

typedef enum cli_verdict { CLI_PASS, CLI_FAIL, CLI_INFORMATION, CLI_NOT_APPLICABLE } cli_verdict;

typedef struct cli_finding {
    char       *check;   /* what was compared */
    char       *cost;    /* the cost it is about, "" if none */
    double      value;   /* the value found, NaN if there is none */
    double      allowed; /* largest permitted value (for a slope, the smallest), NaN if none */
    cli_verdict verdict;
    char       *note;
} cli_finding;

typedef struct cli_findings {
    cli_finding *finding;
    int          count;
} cli_findings;

/* Adds a finding; note is printf-style. */
void cli_findings_add(cli_findings *findings, const char *check, const char *cost, double value,
                      double allowed, cli_verdict verdict, const char *note, ...) CLI_PRINTF(7, 8);
/* Adds a finding that passes if value <= allowed; a NaN fails. */
void cli_findings_compare(cli_findings *findings, const char *check, const char *cost, double value,
                          double allowed, const char *note);

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

/* Motion and gradients at another tolerance. */
typedef struct cli_level {
    double         tolerance;
    saltus_options options;
    saltus_run    *run;   /* NULL: it could not be made */
    int            asked; /* 1: run is the session's, at the requested tolerance */
    double        *cost;  /* by cost of the model */
    cli_gradients  by[CLI_CHECK_FD];
} cli_level;

/* Results by which gradients are judged. A loose tolerance rightly gives inaccurate gradients, so
 * methods are compared at 1e-9 or finer, at two levels, coarse and fine. The fine level also has
 * shorter steps: the continuous adjoint uses dense output and tangents in steps that were chosen
 * for the motion alone. */
typedef struct cli_evidence {
    cli_session   *session;
    cli_gradients *by;           /* by method, at the requested tolerance */
    cli_gradients  by_default;   /* at the requested tolerance, by the method that auto chooses */
    double         asked;        /* the requested tolerance */
    cli_level      coarse, fine; /* valid if levels is set */
    int            levels;       /* coarse and fine have the same events */
    int            same;         /* both levels have the events of the session's run */
    int            base;         /* the method that others are compared with: discrete, or adjoint
                                    if the steps of the motion are too long for discrete */
    cli_gradients differences;   /* estimates of the errors of by[CLI_CHECK_FD] */
    int           base_differs;  /* see saltus_differences */
    double       *step;          /* by parameter: step of the differences */
    double       *kappa;         /* size of the terms of gradients: [cost * params + param] */
    double       *kappa_time;    /* size of the terms of derivatives of event times and the end */
    double       *size, *end, *slopes; /* sizes by saltus_run_sizes; slopes as kappa */
    double *left_out; /* by cost: relative change of its gradient by more bounces before rest */
} cli_evidence;

/* Simulates at the level's options; its run is NULL if that failed. */
void cli_level_simulate(const cli_session *session, cli_level *level);
void cli_level_free(cli_level *level);
/* Whether the motion reached its end. */
int cli_run_finished(const saltus_run *run);
/* The first event that is not the same in both, or missing in one; -1 if there is none. */
int cli_first_other_event(const saltus_run *a, const saltus_run *b);

/* Gradients at the fine level or, without levels, at the requested tolerance. */
const cli_gradients *cli_evidence_fine(const cli_evidence *evidence, int method);
const cli_gradients *cli_evidence_base(const cli_evidence *evidence);
/* The run that cli_evidence_fine belongs to, and its tolerance. */
saltus_run *cli_evidence_run(const cli_evidence *evidence);
double      cli_evidence_tolerance(const cli_evidence *evidence);
/* The options of the session at another tolerance. Both kinds of tolerances keep their ratio, so
 * that units do not matter, and contacts come to rest after the same bounce. */
saltus_options cli_options_at(const cli_evidence *evidence, double tolerance);
/* The factor by which errors shrink, at least, from the coarse to the fine level. */
enum { CLI_SHRINK = 10 };
/* The rounding error of a cost whose exact value is zero. */
double cli_evidence_rounding(const cli_evidence *evidence, int cost);
/* The permitted difference of the discrete and the adjoint gradient of a cost at the fine
 * tolerance. */
double cli_evidence_allows(const cli_evidence *evidence, int cost, int param);
/* The error that an entry of the gradient of a cost by the direct method may have at the fine
 * tolerance: its rounding and, where steps must be divided very often, some tolerances. */
double cli_evidence_direct_error(const cli_evidence *evidence, int cost, int param);
/* The largest difference between two rows of a gradient, relative to the largest entry of the
 * second; entries are weighted with the sizes of their parameters. */
double cli_row_error(const cli_session *session, const double *row, const double *truth);

/* The number of right digits of the gradient of a cost. */
typedef struct cli_trust {
    int         known;  /* 0: not known */
    int         zero;   /* the gradient is zero within its error */
    double      error;  /* error of the default gradient, relative to its largest entry */
    int         digits; /* correct digits of the default gradient */
    const char *method; /* the method to prefer: adjoint if that is much better */
    int         best;   /* digits of `method` */
} cli_trust;

/* The results of a check. */
typedef struct cli_certificate {
    cli_gradients by[CLI_CHECK_METHODS];
    cli_findings  findings;
    cli_taylor    taylor;
    cli_trust    *trust; /* by requested cost; NULL: no gradients */
} cli_certificate;

/* The stages of a check, in the order in which they come. */
typedef enum cli_check_stages {
    CLI_STAGE_EVENTS,
    CLI_STAGE_LEVELS,
    CLI_STAGE_GRADIENTS,
    CLI_STAGE_DIFFERENCES,
    CLI_STAGE_DUALITY,
    CLI_STAGE_TAYLOR,
    CLI_STAGE_MOTION,
    CLI_STAGES
} cli_check_stages;
/* Shows on the progress line that a stage begins. */
void cli_check_stage(cli_session *session, cli_check_stages stage);

/* Performs all checks on a session that has been simulated. */
void cli_check_all(cli_session *session, cli_certificate *certificate);
void cli_certificate_free(cli_certificate *certificate);

/* Computes gradients by all methods, at both levels and the requested tolerance; failures are in
 * the session. */
void cli_evidence_collect(cli_evidence *evidence);
void cli_evidence_free(cli_evidence *evidence);
/* Measures the sizes of costs and of their gradients along the motion. */
void cli_evidence_measure(cli_evidence *evidence);
/* Compares methods with each other, and each with itself at the other tolerance. */
void cli_check_methods(cli_evidence *evidence, cli_findings *findings);
/* Checks that λᵀS + λΓ is the gradient at every instant, across every event. Finds kappa. */
void cli_check_duality(cli_evidence *evidence, cli_findings *findings);
/* Checks constraints and their rates along the motion, relative to positions and velocities. */
void cli_check_constraints(cli_evidence *evidence, cli_findings *findings);
/* Reports energy between events and at events; "conserved" where it is. */
void cli_check_energy(cli_evidence *evidence, cli_findings *findings);
/* Checks that ψ(ρ + εd) - ψ(ρ) - ε ψ'd falls with the square of ε. */
void cli_check_taylor(cli_evidence *evidence, cli_findings *findings, cli_taylor *taylor);
/* Checks that no event was missed, by saltus_run_audit. */
void cli_check_events(cli_session *session, cli_findings *findings);
/* Compares the motion with one simulated in another way: the other integrator, other steps. */
void cli_check_motion(cli_evidence *evidence, cli_findings *findings);

json_t *cli_trust_json(const cli_session *session, const cli_trust *trust);

#endif
