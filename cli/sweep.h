/* A sweep: one model at many points, and a database of what came of it.
 *
 *     cli_plan_read -> cli_store_open -> cli_sweep_compute -> cli_sweep_export
 *
 * The plan says which points there are; the store keeps them and their results; what is computed is
 * what the store lacks. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "session.h"

/* ---- points --------------------------------------------------------------------------------- */

enum { CLI_POINTS_MAX = 100 * 1000 * 1000 };

typedef struct cli_plan {
    int    *param;  /* that change: index in the system, in the order in which they are given */
    int     params; /* how many */
    double *value;  /* [point * params + place] */
    int     count;  /* of points */
} cli_plan;

/* All combinations of what each --over says, of the sample that all distributions share, and of the
 * rows of --points; what comes last changes fastest. */
int  cli_plan_read(cli_plan *plan, cli_session *session);
void cli_plan_free(cli_plan *plan);

/* "random", "lhs" or "sobol"; -1: no such one. */
int cli_sample_find(const char *name);
enum { CLI_SOBOL_MAX = 21 }; /* dimensions that it has */
/* Numbers between 0 and 1, both excluded: [point * dimensions + dimension]. The caller frees. */
double *cli_sample_make(int sample, int count, int dimensions, unsigned long long seed);
/* The number below which a standard normal variable is with this probability. */
double cli_normal_quantile(double probability);

/* ---- what a point gives --------------------------------------------------------------------- */

/* The columns of the database: parameters of the plan, then the numbers of a result. To SQLite,
 * which does not tell a from A, all names differ. */
typedef struct cli_columns {
    char **name;
    int    count;
    int    params; /* the first ones; then come: */
    int    events, costs, finals, derivatives;
    int   *event; /* that are counted: index in the system */
    int   *final; /* places in positions, velocities, memories and outputs, one after the other */
} cli_columns;

typedef struct cli_sweep_row {
    int           point;
    char         *end; /* "horizon", the name of an event, or the outcome; NULL: there was no run */
    saltus_status error;
    char         *message;  /* of the error; NULL without one */
    char         *sequence; /* of events */
    int           events;
    long long     steps; /* that were tried */
    double        t_end;
    double       *value; /* counts, costs, final values, derivatives; not a number: there is none */
} cli_sweep_row;

/* ---- the sweep ------------------------------------------------------------------------------ */

/* What results depend on besides the points; a database must have the same text. */
typedef struct cli_identity {
    const char *name;
    const char *meaning; /* of a difference */
    char       *text;
} cli_identity;

enum { CLI_IDENTITIES = 6 };

typedef struct cli_sweep {
    cli_session       session;
    cli_plan          plan;
    cli_columns       columns;
    int               with_gradients;
    cli_identity      identity[CLI_IDENTITIES];
    char              identity_hash[65];    /* of all of it */
    struct cli_store *store;                /* of process 0 */
    int               points, done, failed; /* in the store */
    int               computed;             /* by this call */
    double            seconds;              /* that took */
} cli_sweep;

/* The name in quotes, as SQL has it. The caller frees. */
#define CLI_SQL_NAME(name) cli_quoted(name, "\"", "\"\"")

/* Computes all that the store lacks, with the threads of the session and those of the team. */
void cli_sweep_compute(cli_sweep *sweep);

/* ---- the store ------------------------------------------------------------------------------ */

typedef struct cli_work {
    int    *point;
    double *value; /* [place * params] */
    int     count;
} cli_work;

/* Opens the database, NULL: in memory, and puts the points of the plan that it lacks into it. A
 * failure is in the session. */
void cli_store_open(cli_sweep *sweep, const char *path);
void cli_store_close(cli_sweep *sweep);
/* All points without a result. */
int  cli_store_missing(cli_sweep *sweep, cli_work *work);
void cli_work_free(cli_work *work);
/* Writes the rows in one transaction. A point that another process has done stays as it is; others
 * is the number of these. */
int cli_store_write(cli_sweep *sweep, const cli_sweep_row *rows, int count, int *others);
/* Counts points, results and failures. */
int cli_store_count(cli_sweep *sweep);

typedef struct cli_field {
    enum { CLI_FIELD_NOTHING, CLI_FIELD_NUMBER, CLI_FIELD_TEXT } kind;
    double      number;
    const char *text; /* borrowed until the next row */
} cli_field;

/* Calls visit with each row that a query gives, until it returns 0. */
typedef int cli_visit(void *context, const cli_field *field, int count);
int         cli_store_rows(cli_sweep *sweep, const char *query, cli_visit *visit, void *context);
/* The columns of the view `sweep`; the caller frees them with cli_names_free. */
int cli_store_names(cli_sweep *sweep, char ***names, int *count);

/* Writes what --csv, --npz and --report ask for; of a sweep that has failed, under the name
 * FILE.part.csv. */
void cli_sweep_export(cli_sweep *sweep);

#endif
