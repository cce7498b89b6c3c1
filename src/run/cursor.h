/* The state of a run: everything that the rest of it depends on. A checkpoint is a copy of it. */
#ifndef SAL_RUN_CURSOR_H
#define SAL_RUN_CURSOR_H

#include "base/memory.h"
#include "locate/locate.h"

/* How often an event has happened, and how the gaps between its occurrences shrink (zeno.c). */
typedef struct sal_repetition {
    double last_time, last_gap; /* time of the last occurrence, gap before it; NAN: there is none */
    int    count, shrinking;    /* numbers of occurrences, and of last gaps that shrank */
} sal_repetition;

/* The arrays of the state: type, name, number of elements. They lie in one block in this order.
 * This is the only list of them. x, c and z follow each other without a gap. */
#define SAL_CURSOR_ARRAYS(X, system)                                                               \
    X(double, x, 2 * (system)->n)                   /* positions and velocities */                 \
    X(double, c, (system)->nm)                      /* memories, then branches of kinks */         \
    X(double, z, (system)->nc)                      /* integrals of costs */                       \
    X(sal_guard_state, watch, (system)->events)     /* by event: the known side of its guard */    \
    X(sal_repetition, repetition, (system)->events) /* by event: its occurrences */

typedef struct sal_cursor {
    /* The numbers of the state, up to `block`, which come first. */
    double t, h;      /* time; length of the next step */
    double log_error; /* the binary logarithm of the error of the last step */
    /* Within this time before a kink a step may cross it; INFINITY: always (kink.c). */
    double            landing;
    long long         step;           /* number of frames so far */
    int               occurrences;    /* number of events that happened */
    int               shown;          /* number of events so far that users see */
    int               instant_events; /* number of events at instant_t or just after it */
    double            instant_t;
    double            fastest_touch; /* the largest speed at which a contact has touched so far */
    const sal_regime *regime;

    unsigned char *block; /* memory of the arrays */
    size_t         bytes; /* size of the block */
#define X(type, name, count) type *name;
    SAL_CURSOR_ARRAYS(X, )
#undef X
} sal_cursor;

bool sal_cursor_init(sal_cursor *cursor, const saltus_system *system, sal_arena *arena);
/* Sets all numbers and arrays to zero. */
void sal_cursor_clear(sal_cursor *cursor);
void sal_cursor_copy(sal_cursor *to, const sal_cursor *from);

size_t sal_checkpoint_bytes(const sal_cursor *cursor);
void   sal_checkpoint_save(const sal_cursor *cursor, void *checkpoint);
void   sal_checkpoint_load(sal_cursor *cursor, const void *checkpoint);

#endif
