/* The cost and the limits of a task as functions of the unknowns, on one run: values, gradients,
 * the sequence of events, and fences, the distances to where that sequence changes. */
#ifndef SAL_ANSWER_LANDSCAPE_H
#define SAL_ANSWER_LANDSCAPE_H

#include "answer/task.h"
#include "solve/sqp.h"

enum { SAL_FENCES = 10 };

/* The number of a sequence of events is its hash (Fowler, Noll and Vo), shifted right by one
 * bit. */
#define SAL_PIECE_SEED 14695981039346656037ULL
static inline unsigned long long sal_piece_add(unsigned long long piece, int event)
{
    return (piece ^ (unsigned long long)event) * 1099511628211ULL;
}
/* Whether an event belongs to the sequence; clocks and kinks do not. */
bool sal_landscape_counts(const saltus_system *system, int event);

/* Whether peaks of a cost, by its number in the system, have fences between them. */
bool sal_landscape_keeps_peaks(const sal_task *task, int cost);

/* What a fence keeps: the kind of the clearance, and one or two events by their numbers in the
 * system (second -1: none). For peaks, first is the cost. */
typedef struct sal_fence {
    saltus_clearance_kind kind;
    int                   first, second;
} sal_fence;

/* A place on an arc (arcs.h): the row of the task it belongs to, and its time as a part of the
 * piece that ends at occurrence number `piece`. peak: the place in the last simulation, valid if
 * is_there. */
typedef struct sal_arc_place {
    int      row, piece;
    double   part;
    bool     is_there;
    sal_peak peak;
} sal_arc_place;

typedef struct sal_landscape {
    const sal_task *task;
    saltus_run     *run;
    sal_arena       arena;
    double         *params;   /* parameters of the last simulation */
    double         *cost;     /* all costs of the last simulation */
    double         *gradient; /* derivatives of the task's costs by the unknowns */
    bool            is_simulated;
    /* The sequence of events of the last simulation, without clocks and kinks. */
    SAL_ARRAY(int) sequence;
    long long piece;   /* number of the sequence of events of the last simulation */
    long long order;   /* number of that sequence with samples and nodes of controls in it */
    bool      is_kept; /* points on other pieces than `home` have no value */
    long long home;
    sal_fence fence[SAL_FENCES]; /* the fences at the last point with gradients */
    bool      has_fences;        /* compute fences with gradients */
    bool      only_soft;         /* leave out fences that are borders of the sequence of events */
    bool      with_places;       /* have fences where events meet samples and nodes of controls */
    /* Places on arcs; their rows come after those of the task. */
    SAL_ARRAY(sal_arc_place) places;
    long long    runs, gradients;
    saltus_error error; /* what ended the search, or why the last point had no value */
} sal_landscape;

saltus_status sal_landscape_begin(sal_landscape *landscape, const sal_task *task,
                                  const saltus_options *options, saltus_error *err);
void          sal_landscape_end(sal_landscape *landscape);

/* Evaluates a point for sal_sqp; context is the landscape. */
sal_evaluation sal_landscape_evaluate(void *context, const double *x, bool with_gradients,
                                      sal_sqp_point *point);

/* Simulates with the unknowns x, and reads costs and the sequence of events. */
sal_evaluation sal_landscape_simulate(sal_landscape *landscape, const double *x);

#endif
