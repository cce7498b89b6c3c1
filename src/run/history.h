/* What is kept of a run: one frame per step in the record, and each event with the states before
 * and after it.
 *
 * Every accepted step gets a frame. sal_history_begin decides at the start of a simulation whether
 * frames contain the rows of the stages. motion/fast/kept_rows.c decides what rows must contain so
 * that a step need not be taken again. record/record.c decides which windows of the record begin
 * with a checkpoint, and which frames and checkpoints are given up for lack of memory. */
#ifndef SAL_RUN_HISTORY_H
#define SAL_RUN_HISTORY_H

#include "motion/fast/kept_rows.h"
#include "run/run.h"

typedef enum sal_frame_kind {
    SAL_FRAME_STEP, /* its length does not depend on rho */
    SAL_FRAME_LAST, /* it ends at the end of the horizon */
    SAL_FRAME_EVENT /* it ends where a guard is zero */
} sal_frame_kind;

/* A step as it was taken, so that it can be taken again. In the record its arrays follow it: x, c,
 * z, and the rows of its stages if the record keeps them. */
typedef struct sal_frame {
    double            t, h;
    double            delta; /* its extension if it ends at an event (sal_step_extend) */
    const sal_regime *regime;
    sal_frame_kind    kind;
    int               occurrence; /* the event at its end, or -1 */
    sal_rows_kept     kept;      /* whether its rows are kept, so that it need not be taken again */
    int               end_rows;  /* where rows of its end begin in run->history.event_rows, or -1 */
    const double     *x, *c, *z; /* the state at its start */
    void             *rows;      /* the rows of its stages, if `kept` */
} sal_frame;

/* ---- writing -------------------------------------------------------------------------------- */

/* The size of a frame without rows, in bytes. */
size_t sal_history_frame_bytes(const saltus_system *system);
/* Empties the record for a simulation and decides whether it keeps rows of stages. */
void sal_history_begin(saltus_run *run);
/* Sets where the record keeps the rows of the step to be tried, if it keeps them. */
void sal_history_place_rows(saltus_run *run);
/* Appends the frame of a step of length h from the present state; occurrence: the event at its end,
 * or -1. */
saltus_status sal_history_append(saltus_run *run, sal_frame_kind kind, double h, int occurrence,
                                 saltus_error *err);
/* Stores an event that leads from the present state to run->after, and calls the observer. */
saltus_status sal_history_note_event(saltus_run *run, sal_occurrence *o, saltus_error *err);

/* ---- reading -------------------------------------------------------------------------------- */

/* Reads a frame from these bytes of the record. */
void sal_history_read(const saltus_run *run, void *bytes, sal_frame *frame);
/* The place of a time in the step: theta, from 0 to 1, or a little more if the step was
 * extended. */
double sal_frame_place(const sal_frame *frame, double t);
/* Whether the length of the last step, up to the end of the horizon, depends on parameters: through
 * its end or, after events, through its start. */
bool sal_run_end_moves(const saltus_run *run);

/* The states before and after an occurrence. */
typedef struct sal_sides {
    const double *x_minus, *c_minus, *z_minus, *x_plus, *c_plus, *z_plus;
} sal_sides;
sal_sides sal_run_sides(const saltus_run *run, int occurrence);
/* The energy before and after an occurrence. */
void sal_run_energies(const saltus_run *run, int occurrence, double *before, double *after);

/* ---- recompute.c --------------------------------------------------------------------------------
 */

/* Called before each step: begins a new window of the record if the present one is full, with a
 * checkpoint where sal_record_wants_checkpoint is true. */
saltus_status sal_record_turn_page(saltus_run *run, saltus_error *err);

/* Reads the frame of a step; recomputes its window if the record no longer has it. The arrays are
 * valid until the next call. */
saltus_status sal_run_frame(saltus_run *run, long long step, sal_frame *frame, saltus_error *err);

/* Takes the step of a frame again, or loads its rows; all its stages are then in run->motion. */
saltus_status sal_run_load_all_stages(saltus_run *run, const sal_frame *frame, saltus_error *err);
/* Takes the step of a frame again, or loads its rows, if only the adjoint of a step of given length
 * is needed. */
saltus_status sal_run_load_step(saltus_run *run, const sal_frame *frame, saltus_error *err);
/* Takes a step with the start and the length of `part`, inside the step that was loaded last. */
saltus_status sal_run_load_part(saltus_run *run, const sal_frame *part, saltus_error *err);
/* Puts the state before an event into the field of the motion; evaluates the field there if
 * `evaluated`, with the rates in run->jump. */
sal_field_result sal_run_load_state_before_event(saltus_run *run, double t, const double *x,
                                                 bool evaluated);
/* Computes the jump of an occurrence again, into run->jump. rates: also computes the rates on both
 * sides; saltations need them, and guards and kinks that contain rates. */
saltus_status sal_run_load_jump(saltus_run *run, int occurrence, bool rates, saltus_error *err);

#endif
