/* The record of a run: one frame per step, in bounded memory.
 *
 * Frames and checkpoints are blocks of bytes of a fixed size; only the run interprets them. The
 * buffer holds one window of consecutive frames. As long as all steps fit, that window is the whole
 * run. Then the buffer is reused for the next window, and so on. Checkpoints, from which the run
 * can be resumed, are kept at the starts of windows; when there are too many, every second one is
 * dropped. A window that is no longer in the buffer is recomputed from the nearest checkpoint
 * before it. */
#ifndef SAL_RECORD_RECORD_H
#define SAL_RECORD_RECORD_H

#include "base/memory.h"

typedef struct sal_checkpoint_slot {
    int  window; /* the window that begins at this checkpoint; -1: the slot is free */
    bool spare;  /* made while lost windows are recomputed, and dropped later */
} sal_checkpoint_slot;

typedef struct sal_record {
    saltus_allocator allocator;
    size_t           frame_size, checkpoint_size;
    int              most;               /* the number of frames in a full window */
    int              capacity;           /* the number of frames that the buffer has memory for */
    int              window;             /* the number of the window in the buffer; -1: none yet */
    int              count;              /* frames in the buffer */
    unsigned char   *frames;             /* the frames, aligned to a cache line inside of block */
    unsigned char   *block;              /* the allocated memory */
    SAL_ARRAY(long long) starts;         /* the first step of each window so far */
    int                  stride;         /* windows between checkpoints */
    int                  slots;          /* the most checkpoints to keep, not counting spare ones */
    int                  capacity_slots; /* the number of slots that there is memory for */
    sal_checkpoint_slot *slot;           /* by slot: which checkpoint it holds */
    unsigned char       *checkpoints;    /* by slot: the bytes of the checkpoint */
} sal_record;

void sal_record_init(sal_record *record, const saltus_allocator *allocator, size_t frame_size,
                     size_t checkpoint_size, size_t memory);
void sal_record_free(sal_record *record);

/* Removes all frames and checkpoints; keeps the memory. */
void sal_record_clear(sal_record *record);
/* Removes all frames and checkpoints and changes the size of frames. The buffer of frames is freed
 * if the size differs. */
void sal_record_resize(sal_record *record, size_t frame_size, size_t memory);

/* True if the next step must begin a new window: the buffer is full, or there is no window yet. */
bool sal_record_full(const sal_record *record);
/* Empties the buffer for the given window, whose first step is `step`. False: out of memory. */
bool sal_record_begin(sal_record *record, int window, long long step);
/* The window that contains a step. */
int sal_record_window_of(const sal_record *record, long long step);

/* Memory for the frame of the next step, which may be written before it is appended. NULL: out of
 * memory. */
void *sal_record_room(sal_record *record);
/* Memory for the frame after the next one, or NULL if it has not been allocated yet. */
void *sal_record_next_room(const sal_record *record);
/* Appends a frame and returns its memory. NULL: out of memory. */
void *sal_record_append(sal_record *record);
/* The frame of a step, or NULL if it is not in the buffer. */
void *sal_record_frame(const sal_record *record, long long step);

/* True if a checkpoint should be kept at the start of the window. */
bool sal_record_wants_checkpoint(const sal_record *record, int window);
/* Memory for a checkpoint at the start of a window. spare: it is made while lost windows are
 * recomputed. NULL: out of memory. */
void *sal_record_checkpoint(sal_record *record, int window, bool spare);
/* The nearest checkpoint at or before a window; writes the window where it is to `at`. NULL: there
 * is none. */
const void *sal_record_nearest(const sal_record *record, int window, int *at);
/* Drops spare checkpoints after the window. */
void sal_record_drop_spares_after(sal_record *record, int window);

#endif
