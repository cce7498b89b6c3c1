/* A motion cut into intervals, each simulated on its own from a state of its own (a node), for
 * multiple shooting.
 *
 * Nodes have the state s = (q, v, c); F is the state at the end of an interval, z what it adds to
 * costs. The first interval begins at the start of the model, and the last one ends as the model
 * does. Linearised at fixed times of the nodes,
 *
 *     dF = A ds + B dx,    dz = C ds + D dx    for changes dx of the unknowns,
 *
 * by tangents of the recorded steps, saltation included. Intervals are shared by threads. */
#ifndef SAL_ANSWER_INTERVALS_H
#define SAL_ANSWER_INTERVALS_H

#include "answer/landscape.h"

typedef struct sal_interval {
    saltus_run  *run;
    int         *modes, *modes_end; /* by group */
    double      *state, *end;       /* s at its start; F */
    double      *z;                 /* what it adds to each cost of the task */
    double      *A, *B, *C, *D;     /* row-major */
    int         *before;            /* by event: how often it happened in earlier intervals */
    double       t0;
    long long    piece, home; /* number of its sequence of events; at the accepted point */
    saltus_error error;
    bool         has_value;
} sal_interval;

typedef struct sal_intervals {
    const sal_task *task;
    sal_arena       arena;
    int             count, states, threads;
    double         *place; /* where intervals start, as parts of the horizon */
    sal_interval   *at;
    double         *params; /* all parameters of the last simulation */
    double          t_start, t_end;
    double         *lanes;        /* directions of derivatives by parameters and states */
    bool            counts_stops; /* an event stops the run after several occurrences */
    long long       piece;        /* number of the sequence of events of the last simulation */
    bool            has_home;     /* a point has been accepted */
    long long       max_steps;    /* from the options */
    saltus_error    error;        /* why there is no value */
} sal_intervals;

saltus_status sal_intervals_begin(sal_intervals *intervals, const sal_task *task,
                                  const saltus_options *options, int count, int threads,
                                  saltus_error *err);
void          sal_intervals_end(sal_intervals *intervals);

/* Places the nodes, away from events and from the nodes of controls. run: the last run with these
 * unknowns, perhaps incomplete. */
void sal_intervals_cut(sal_intervals *intervals, const saltus_run *run, const double *x);
/* Sets all nodes by simulating one interval after the other. If that fails, the remaining nodes are
 * at rest in one position of the motion. Returns false if not even that is possible. */
bool sal_intervals_chain(sal_intervals *intervals, const double *x, bool *is_whole);
/* Sets the times of the nodes and the end for these unknowns. */
void sal_intervals_set(sal_intervals *intervals, const double *x);
/* Simulates all intervals from their nodes. A node that an event has passed is moved to the end
 * of the previous interval. */
sal_evaluation sal_intervals_simulate(sal_intervals *intervals);
/* Accepts the last simulation: its sequences of events are those that the next ones are compared
 * with. Also limits the steps of the next simulations. */
void sal_intervals_accept(sal_intervals *intervals);
/* Limits the steps of the next simulations, relative to those of the last one: trial states may be
 * far off, and simulations from there should end early. */
void sal_intervals_limit(sal_intervals *intervals);
/* The sum of a cost of the task over all intervals, for the last simulation. */
double sal_intervals_cost(const sal_intervals *intervals, int cost);
/* Writes the values of the rows of the task, for the last simulation. */
void sal_intervals_rows(const sal_intervals *intervals, double *c);
/* Writes the largest absolute value of each number of the state at nodes; 1 if it is always
 * zero. */
void sal_intervals_sizes(const sal_intervals *intervals, double *size);
/* Whether a row has no peak: all intervals together have one peak, the most extreme one, so rows of
 * further peaks are empty. */
static inline bool sal_row_is_empty(const sal_task_row *row)
{
    return row->expression >= 0 && row->peak > 0;
}
/* Writes A, B, C and D of all intervals. */
sal_evaluation sal_intervals_linearise(sal_intervals *intervals);

#endif
