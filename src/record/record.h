/* The record of a run: one frame per step, in bounded memory.
 *
 * Frames and checkpoints are blocks of bytes of a fixed size, whose content only the run knows. The
 * buffer holds one window of consecutive frames. As long as all steps fit, that window is the whole
 * run. After that it moves on, window by window, and checkpoints, from which the run can be
 * resumed, are kept at the beginning of windows; when there are too many, every second one is
 * dropped. A lost window is recomputed from the nearest checkpoint before it. */
#ifndef SAL_RECORD_RECORD_H
#define SAL_RECORD_RECORD_H

#include "base/memory.h"

typedef struct sal_checkpoint_slot {
    int  window; /* -1: free */
    bool spare;  /* made during a backward walk, dropped when passed */
} sal_checkpoint_slot;

typedef struct sal_record {
    saltus_allocator allocator;
    size_t           frame_size, checkpoint_size;
    int              most;       /* frames of a full window */
    int              capacity;   /* frames the buffer has memory for */
    int              window;     /* the one in the buffer */
    int              count;      /* frames in the buffer */
    unsigned char   *frames;     /* the frames, aligned to a cache line inside of block */
    unsigned char   *block;      /* the allocated memory */
    SAL_ARRAY(long long) starts; /* the first step of each window so far */
    int                  stride; /* windows between checkpoints */
    int                  slots;  /* checkpoints we may keep, spare ones apart */
    int                  capacity_slots;
    sal_checkpoint_slot *slot;
    unsigned char       *checkpoints;
} sal_record;

void sal_record_init(sal_record *record, const saltus_allocator *allocator, size_t frame_size,
                     size_t checkpoint_size, size_t memory);
void sal_record_free(sal_record *record);

/* Forgets everything, keeps the memory. */
void sal_record_clear(sal_record *record);
/* Forgets everything and changes the size of frames; keeps the memory. */
void sal_record_resize(sal_record *record, size_t frame_size, size_t memory);

/* True if the next step should begin a new window. */
bool sal_record_full(const sal_record *record);
/* Empties the buffer for that window, which begins at that step. False: no memory. */
bool sal_record_begin(sal_record *record, int window, long long step);
/* The window a step belongs to. */
int sal_record_window_of(const sal_record *record, long long step);

/* Room for the frame of the next step, which may be written before it is appended. NULL: no memory.
 */
void *sal_record_room(sal_record *record);
/* Room for the frame after the next one if that memory exists already, or NULL. */
void *sal_record_next_room(const sal_record *record);
void *sal_record_append(sal_record *record);
/* The frame of a step, or NULL if it is not in the buffer. */
void *sal_record_frame(const sal_record *record, long long step);

/* True if a checkpoint should be kept at the beginning of that window. */
bool sal_record_wants_checkpoint(const sal_record *record, int window);
/* Room for the checkpoint at the beginning of a window. spare: for the way back. NULL: no memory.
 */
void *sal_record_checkpoint(sal_record *record, int window, bool spare);
/* The nearest checkpoint at or before the window; writes its window. NULL: none. */
const void *sal_record_nearest(const sal_record *record, int window, int *at);
/* Drops spare checkpoints after the window. */
void sal_record_forget(sal_record *record, int window);

#endif
