/* A motion cut into intervals, each simulated on its own from a state of its own (a node): what
 * multiple shooting needs of the runs.
 *
 * Nodes have the state s = (q, v, c); F is the state at the end of an interval, z what it adds to
 * costs. The first interval begins at the start of the model, and the last one ends as the model
 * does. Linearised at fixed times of the nodes,
 *
 *     dF = A ds + B dx,    dz = C ds + D dx    for changes dx of the unknowns,
 *
 * by lanes of the tangent of the steps, saltation included. Intervals are shared by threads. */
#ifndef SAL_ANSWER_INTERVALS_H
#define SAL_ANSWER_INTERVALS_H

#include "answer/landscape.h"

typedef struct sal_interval {
    saltus_run  *run;
    int         *modes, *modes_end; /* by group */
    double      *state, *end;       /* s at its start and F */
    double      *z;                 /* by cost of the task */
    double      *A, *B, *C, *D;     /* row-major */
    int         *before;            /* by event: how often it happened in earlier intervals */
    double       t0;
    long long    piece, home; /* its sequence of events; that of the accepted point */
    saltus_error error;
    bool         has_value;
} sal_interval;

typedef struct sal_intervals {
    const sal_task *task;
    sal_arena       arena;
    int             count, states, threads;
    double         *place; /* of the starts: parts of the horizon */
    sal_interval   *at;
    double         *params; /* of the last simulation: all of the system */
    double          t_start, t_end;
    double         *lanes;        /* directions of parameters and states */
    bool            counts_stops; /* an event ends the run when it has happened several times */
    long long       piece;        /* of the last simulation: the sequence of events */
    bool            has_home;     /* a point has been accepted */
    long long       max_steps;    /* of the options */
    saltus_error    error;        /* why there is no value */
} sal_intervals;

saltus_status sal_intervals_begin(sal_intervals *intervals, const sal_task *task,
                                  const saltus_options *options, int count, int threads,
                                  saltus_error *err);
void          sal_intervals_end(sal_intervals *intervals);

/* Places the nodes, away from the events of the run (the last one with these unknowns, perhaps not
 * complete) and from the nodes of controls. */
void sal_intervals_cut(sal_intervals *intervals, const saltus_run *run, const double *x);
/* Sets all nodes by simulating one interval after the other. Where that fails, the rest of them
 * stays where the motion was last; false: not even that is possible. */
bool sal_intervals_chain(sal_intervals *intervals, const double *x, bool *is_whole);
/* Sets the times of the nodes and the end for these unknowns. */
void sal_intervals_set(sal_intervals *intervals, const double *x);
/* Simulates all intervals from their states. */
sal_evaluation sal_intervals_simulate(sal_intervals *intervals);
/* The sequences of the last simulation are those that the next ones are compared with: where an
 * event has passed a node, the node is set anew, to where the motion arrives. */
void sal_intervals_accept(sal_intervals *intervals);
/* Trial states may be wild, and a motion from there not worth following: the next simulations have
 * a limit on their steps, by those of the last one. */
void sal_intervals_limit(sal_intervals *intervals);
/* Of the last simulation: the sum of a cost of the task over all intervals, */
double sal_intervals_cost(const sal_intervals *intervals, int cost);
/* the values of the rows of the task, */
void sal_intervals_rows(const sal_intervals *intervals, double *c);
/* and how large each number of the state is at nodes; 1 if it is always zero. */
void sal_intervals_sizes(const sal_intervals *intervals, double *size);
/* Intervals together have one peak, the most extreme one: rows of further peaks are empty. */
static inline bool sal_row_is_empty(const sal_task_row *row)
{
    return row->expression >= 0 && row->peak > 0;
}
/* Writes A, B, C and D of all intervals. */
sal_evaluation sal_intervals_linearise(sal_intervals *intervals);

#endif
