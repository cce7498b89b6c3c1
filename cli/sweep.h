/* A sweep: one model at many points, and a database of the results.
 *
 *     cli_plan_read -> cli_store_open -> cli_sweep_compute -> cli_sweep_export
 *
 * The plan has the points; the store keeps them and their results; what the store lacks is
 * computed. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "session.h"

/* ---- points --------------------------------------------------------------------------------- */

enum { CLI_POINTS_MAX = 100 * 1000 * 1000 };

typedef struct cli_plan {
    int    *param;  /* numbers of the parameters that change, in the order given */
    int     params; /* how many of them */
    double *value;  /* [point * params + place] */
    int     count;  /* number of points */
} cli_plan;

/* Reads the plan: all combinations of the values of each --over, of the sample that all
 * distributions share, and of the rows of --points; the last one changes fastest. */
int  cli_plan_read(cli_plan *plan, cli_session *session);
void cli_plan_free(cli_plan *plan);

/* Returns the number of "random", "lhs" or "sobol"; -1: none of them. */
int cli_sample_find(const char *name);
enum { CLI_SOBOL_MAX = 21 }; /* number of dimensions */
/* Numbers between 0 and 1, both excluded: [point * dimensions + dimension]. The caller frees. */
double *cli_sample_make(int sample, int count, int dimensions, unsigned long long seed);
/* The quantile of the standard normal distribution. */
double cli_normal_quantile(double probability);

/* ---- the results of a point ----------------------------------------------------------------- */

/* The columns of the database: parameters of the plan, then the numbers of a result. All names
 * differ in more than the case of letters, which SQLite ignores. */
typedef struct cli_columns {
    char **name;
    int    count;
    int    params;                             /* number of the first columns */
    int    events, costs, finals, derivatives; /* numbers of further columns */
    int   *event;                              /* numbers of the events that are counted */
    int   *final; /* places in the list of positions, velocities, memories and outputs */
} cli_columns;

typedef struct cli_sweep_row {
    int           point;
    char         *end; /* "horizon", the name of an event, or the outcome; NULL: there was no run */
    saltus_status error;
    char         *message;  /* message of the error; NULL: no error */
    char         *sequence; /* sequence of events */
    int           events;
    long long     steps; /* number of steps that were tried */
    double        t_end;
    double       *value; /* counts, costs, final values, derivatives; NaN: none */
} cli_sweep_row;

/* ---- the sweep ------------------------------------------------------------------------------ */

/* A part of what results depend on besides the points; the database must have the same text. */
typedef struct cli_identity {
    const char *name;
    const char *meaning; /* what a difference of the text means */
    char       *text;
} cli_identity;

enum { CLI_IDENTITIES = 6 };

typedef struct cli_sweep {
    cli_session       session;
    cli_plan          plan;
    cli_columns       columns;
    int               with_gradients;
    cli_identity      identity[CLI_IDENTITIES];
    char              identity_hash[65];    /* hash of the whole identity */
    struct cli_store *store;                /* process 0 only */
    int               points, done, failed; /* numbers in the store */
    int               computed;             /* number of points computed by this call */
    double            seconds;              /* time that this call took */
} cli_sweep;

/* The name in quotes, for SQL. The caller frees. */
#define CLI_SQL_NAME(name) cli_quoted(name, "\"", "\"\"")

/* Computes all missing points, with the threads of all processes of the team. */
void cli_sweep_compute(cli_sweep *sweep);

/* ---- the store ------------------------------------------------------------------------------ */

typedef struct cli_work {
    int    *point;
    double *value; /* [place * params] */
    int     count;
} cli_work;

/* Opens the database (NULL: in memory) and adds the points of the plan that it lacks. A failure is
 * in the session. */
void cli_store_open(cli_sweep *sweep, const char *path);
void cli_store_close(cli_sweep *sweep);
/* Lists all points without a result. */
int  cli_store_missing(cli_sweep *sweep, cli_work *work);
void cli_work_free(cli_work *work);
/* Writes the rows in one transaction. Points that another process has done stay as they are;
 * `others` receives their number. */
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

/* Writes the files of --csv, --npz and --report; if the sweep has failed, as FILE.part.csv. */
void cli_sweep_export(cli_sweep *sweep);

#endif
