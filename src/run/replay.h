/* Going back to steps and events of a run, for walks over the record.
 *
 * A step that the record no longer has is taken again, with the steps around it, from the nearest
 * checkpoint before it. All digits are those of the first time. */
#ifndef SAL_RUN_REPLAY_H
#define SAL_RUN_REPLAY_H

#include "run/history.h"

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
