/* The cost and the limits of a task as functions of the unknowns, on one run: values, gradients,
 * the sequence of events, and fences, the distances to where that sequence changes. */
#ifndef SAL_ANSWER_LANDSCAPE_H
#define SAL_ANSWER_LANDSCAPE_H

#include "answer/task.h"
#include "solve/sqp.h"

enum { SAL_FENCES = 10 };

/* The number of a sequence of events (Fowler, Noll and Vo's hash), of which the last bit is left
 * out. */
#define SAL_PIECE_SEED 14695981039346656037ULL
static inline unsigned long long sal_piece_add(unsigned long long piece, int event)
{
    return (piece ^ (unsigned long long)event) * 1099511628211ULL;
}
/* Whether an event is one of the sequence: clocks and kinks are not. */
bool sal_landscape_counts(const saltus_system *system, int event);

/* Whether peaks of a cost, by its number in the system, have fences between them. */
bool sal_landscape_keeps_peaks(const sal_task *task, int cost);

/* What a fence is about: events by their numbers in the system; second -1: there is none. Of peaks,
 * first is the cost. */
typedef struct sal_fence {
    saltus_clearance_kind kind;
    int                   first, second;
} sal_fence;

/* A place of an arc (arcs.h): a row of the task for it, a part of the piece that ends at the
 * occurrence of this number, and where that is in the last simulation. */
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
    double         *params;   /* of the last simulation */
    double         *cost;     /* all costs of it */
    double         *gradient; /* of the task's costs */
    bool            is_simulated;
    /* The sequence of the last simulation: numbers of events. Clocks and kinks
     * are left out. */
    SAL_ARRAY(int) sequence;
    long long piece;   /* of the last simulation */
    long long order;   /* of the last simulation: the sequence with samples and nodes of controls */
    bool      is_kept; /* points of other pieces than `home` have no value */
    long long home;
    sal_fence fence[SAL_FENCES]; /* of the last gradients */
    bool      has_fences;        /* they are computed with the gradients */
    bool only_soft; /* the only fences are those that change no sequence: between peaks of costs, */
    bool with_places; /* and, if this is set, samples and nodes of controls that events meet */
    /* Rows of places of arcs come after those of the task. */
    SAL_ARRAY(sal_arc_place) places;
    long long    runs, gradients;
    saltus_error error; /* what ended the search, or why there was no value */
} sal_landscape;

saltus_status sal_landscape_begin(sal_landscape *landscape, const sal_task *task,
                                  const saltus_options *options, saltus_error *err);
void          sal_landscape_end(sal_landscape *landscape);

/* The callback of the search; context is the landscape. */
sal_evaluation sal_landscape_evaluate(void *context, const double *x, bool with_gradients,
                                      sal_sqp_point *point);

/* Simulates with these unknowns. */
sal_evaluation sal_landscape_simulate(sal_landscape *landscape, const double *x);

#endif
