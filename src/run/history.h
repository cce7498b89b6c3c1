/* What is kept of a run: one frame per step in the record, and each event with the states on both
 * sides of it. */
#ifndef SAL_RUN_HISTORY_H
#define SAL_RUN_HISTORY_H

#include "run/run.h"

typedef enum sal_frame_kind {
    SAL_FRAME_STEP, /* of a length that does not depend on rho */
    SAL_FRAME_LAST, /* up to the end of the horizon */
    SAL_FRAME_EVENT /* up to where a guard is zero */
} sal_frame_kind;

/* A step as it was taken, from which it can be taken again. In the record its arrays follow: x, c,
 * z, and the rows of its stages if the record keeps them. */
typedef struct sal_frame {
    double            t, h;
    double            delta; /* the extension of a step onto an event (sal_step_extend) */
    const sal_regime *regime;
    sal_frame_kind    kind;
    int               occurrence; /* the event at its end, or -1 */
    sal_rows_kept     kept; /* whether its rows are there, so that it need not be taken again */
    int           end_rows; /* where the rows of its end are in run->history.event_rows, or -1 */
    const double *x, *c, *z;
    void         *rows;
} sal_frame;

/* ---- writing -------------------------------------------------------------------------------- */

/* Bytes of a frame without rows. */
size_t sal_history_frame_bytes(const saltus_system *system);
/* Empties the record for a simulation and decides whether it keeps rows of stages. */
void sal_history_begin(saltus_run *run);
/* Says where the record keeps the rows of the step to be tried, if it does. */
void sal_history_place_rows(saltus_run *run);
/* Appends the frame of a step of length h from the present state; occurrence: the event at its end,
 * or -1. */
saltus_status sal_history_append(saltus_run *run, sal_frame_kind kind, double h, int occurrence,
                                 saltus_error *err);
/* Notes an event that leads from the present state to run->after, and tells the observer. */
saltus_status sal_history_note_event(saltus_run *run, sal_occurrence *o, saltus_error *err);

/* ---- reading -------------------------------------------------------------------------------- */

/* The frame in these bytes of the record. */
void sal_history_read(const saltus_run *run, void *bytes, sal_frame *frame);
/* Where a time is in the step: theta, from 0 to 1 and, if it was extended, a little further. */
double sal_frame_place(const sal_frame *frame, double t);
/* Whether the last step, up to the end of the horizon, is longer or shorter with other parameters:
 * its end or, after events, its start moves. */
bool sal_run_end_moves(const saltus_run *run);

/* The states around an occurrence. */
typedef struct sal_sides {
    const double *x_minus, *c_minus, *z_minus, *x_plus, *c_plus, *z_plus;
} sal_sides;
sal_sides sal_run_sides(const saltus_run *run, int occurrence);
/* The energy on both sides of an occurrence. */
void sal_run_energies(const saltus_run *run, int occurrence, double *before, double *after);

/* ---- replay.c -------------------------------------------------------------------------------- */

/* Before a step: begins the next window of the record if the present one is full, with a checkpoint
 * if the record wants one there. */
saltus_status sal_replay_turn_page(saltus_run *run, saltus_error *err);

/* The frame of a step, recomputed if the record no longer has it. Borrowed until the next call. */
saltus_status sal_run_frame(saltus_run *run, long long step, sal_frame *frame, saltus_error *err);

/* Takes a frame's step again; its stages are then in run->motion. */
saltus_status sal_run_load_all_stages(saltus_run *run, const sal_frame *frame, saltus_error *err);
/* Takes a frame's step again where only the adjoint of a step whose length is given follows. */
saltus_status sal_run_load_step(saltus_run *run, const sal_frame *frame, saltus_error *err);
/* A part of the step that was taken again last, with a start and a length of its own. */
saltus_status sal_run_load_part(saltus_run *run, const sal_frame *part, saltus_error *err);
/* Puts the state before an event into the field of the motion; evaluated, if that is wanted. */
sal_field_result sal_run_load_state_before_event(saltus_run *run, double t, const double *x,
                                                 bool evaluated);
/* Computes an occurrence's jump again; it is then in run->jump. rates: those on both sides as well,
 * which saltations need, and kinks and guards that contain them; jumps alone do not. */
saltus_status sal_run_load_jump(saltus_run *run, int occurrence, bool rates, saltus_error *err);

#endif
