/* Stores frames in a window of bounded memory, and decides where checkpoints are made and which are
 * dropped: see record.h. */
#include "record/record.h"

#include <stdint.h>
#include <string.h>

enum { LINE = 64 }; /* the length of a cache line in bytes */
enum { SPARES = 48, FEWEST_FRAMES = 4, MAX_FRAMES = 1 << 24, MAX_SLOTS = 1 << 16 };

static int most_frames(size_t frame_size, size_t memory)
{
    const size_t frames = memory / 2 / frame_size;
    return frames < FEWEST_FRAMES ? FEWEST_FRAMES : frames > MAX_FRAMES ? MAX_FRAMES : (int)frames;
}

void sal_record_init(sal_record *record, const saltus_allocator *allocator, size_t frame_size,
                     size_t checkpoint_size, size_t memory)
{
    memset(record, 0, sizeof *record);
    if (allocator) record->allocator = *allocator;
    record->frame_size = frame_size;
    record->checkpoint_size = checkpoint_size;
    const size_t slots = memory / 2 / checkpoint_size;
    record->most = most_frames(frame_size, memory);
    record->slots = slots < 2 ? 2 : slots > MAX_SLOTS ? MAX_SLOTS : (int)slots;
    sal_record_clear(record);
}

static size_t block_size(const sal_record *record, int capacity)
{
    return capacity > 0 ? (size_t)capacity * record->frame_size + LINE : 0;
}

static void free_frames(sal_record *record)
{
    sal_resize(&record->allocator, record->block, block_size(record, record->capacity), 0);
    record->block = record->frames = NULL;
    record->capacity = 0;
}

void sal_record_free(sal_record *record)
{
    const size_t slots = (size_t)record->capacity_slots;
    free_frames(record);
    sal_resize(&record->allocator, record->slot, slots * sizeof *record->slot, 0);
    sal_resize(&record->allocator, record->checkpoints, slots * record->checkpoint_size, 0);
    ARRAY_RELEASE(&record->allocator, &record->starts);
    memset(record, 0, sizeof *record);
}

void sal_record_clear(sal_record *record)
{
    record->window = -1;
    record->count = record->starts.count = 0;
    record->stride = 1;
    for (int i = 0; i < record->capacity_slots; i++) record->slot[i].window = -1;
}

void sal_record_resize(sal_record *record, size_t frame_size, size_t memory)
{
    if (frame_size != record->frame_size) {
        free_frames(record);
        record->frame_size = frame_size;
        record->most = most_frames(frame_size, memory);
    }
    sal_record_clear(record);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Doubles the buffer. The events of one instant are not split between windows, so a window may
 * become longer than a full one. */
static bool grow_frames(sal_record *record)
{
    int capacity = record->capacity ? 2 * record->capacity : 16;
    if (capacity > record->most && record->capacity < record->most) capacity = record->most;
    unsigned char *block = sal_resize(&record->allocator, NULL, 0, block_size(record, capacity));
    if (!block) return false;
    unsigned char *frames = block + (LINE - (uintptr_t)block % LINE) % LINE;
    const size_t   used = (size_t)record->count * record->frame_size;
    if (used > 0) memcpy(frames, record->frames, used);
    free_frames(record);
    record->block = block;
    record->frames = frames;
    record->capacity = capacity;
    return true;
}

bool sal_record_full(const sal_record *record)
{
    return record->window < 0 || record->count >= record->most;
}

bool sal_record_begin(sal_record *record, int window, long long step)
{
    if (window == record->starts.count && !ARRAY_PUSH(&record->allocator, &record->starts, step))
        return false;
    record->window = window;
    record->count = 0;
    return true;
}

int sal_record_window_of(const sal_record *record, long long step)
{
    int low = 0, high = record->starts.count; /* starts[low] <= step < starts[high] */
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (record->starts.data[middle] <= step) low = middle;
        else high = middle;
    }
    return low;
}

void *sal_record_room(sal_record *record)
{
    if (record->count == record->capacity && !grow_frames(record)) return NULL;
    return record->frames + (size_t)record->count * record->frame_size;
}

void *sal_record_next_room(const sal_record *record)
{
    if (record->count + 1 >= record->capacity) return NULL;
    return record->frames + (size_t)(record->count + 1) * record->frame_size;
}

void *sal_record_append(sal_record *record)
{
    void *room = sal_record_room(record);
    if (room) record->count++;
    return room;
}

void *sal_record_frame(const sal_record *record, long long step)
{
    if (record->window < 0) return NULL;
    const long long first = record->starts.data[record->window];
    if (step < first || step >= first + record->count) return NULL;
    return record->frames + (size_t)(step - first) * record->frame_size;
}

/* ---- checkpoints ---------------------------------------------------------------------------- */

bool sal_record_wants_checkpoint(const sal_record *record, int window)
{
    return window % record->stride == 0;
}

static bool grow_slots(sal_record *record)
{
    const int most = record->slots + SPARES;
    int       capacity = record->capacity_slots ? 2 * record->capacity_slots : 4;
    if (capacity > most) capacity = most;
    if (capacity == record->capacity_slots) return false;
    const size_t         old = (size_t)record->capacity_slots, now = (size_t)capacity;
    sal_checkpoint_slot *slot =
        sal_resize(&record->allocator, record->slot, old * sizeof *slot, now * sizeof *slot);
    if (!slot) return false;
    record->slot = slot;
    unsigned char *bytes = sal_resize(&record->allocator, record->checkpoints,
                                      old * record->checkpoint_size, now * record->checkpoint_size);
    if (!bytes) { /* sizes must match what is freed: shrink back */
        slot = sal_resize(&record->allocator, record->slot, now * sizeof *slot, old * sizeof *slot);
        if (slot || old == 0) record->slot = slot;
        return false;
    }
    record->checkpoints = bytes;
    for (int i = record->capacity_slots; i < capacity; i++)
        slot[i] = (sal_checkpoint_slot){-1, false};
    record->capacity_slots = capacity;
    return true;
}

static int count_kept(const sal_record *record)
{
    int kept = 0;
    for (int i = 0; i < record->capacity_slots; i++)
        kept += record->slot[i].window >= 0 && !record->slot[i].spare;
    return kept;
}

/* Drops every second checkpoint. */
static void thin(sal_record *record)
{
    record->stride *= 2;
    for (int i = 0; i < record->capacity_slots; i++)
        if (!record->slot[i].spare && record->slot[i].window % record->stride != 0)
            record->slot[i].window = -1;
}

/* The slot of the earliest spare checkpoint, or -1. A new spare checkpoint may replace it: a
 * forward walk makes one per window and needs none of them again. */
static int oldest_spare(const sal_record *record)
{
    int oldest = -1;
    for (int i = 0; i < record->capacity_slots; i++)
        if (record->slot[i].spare && record->slot[i].window >= 0 &&
            (oldest < 0 || record->slot[i].window < record->slot[oldest].window))
            oldest = i;
    return oldest;
}

void *sal_record_checkpoint(sal_record *record, int window, bool spare)
{
    int free_slot = -1;
    if (!spare && count_kept(record) >= record->slots) thin(record);
    for (int i = 0; i < record->capacity_slots && free_slot < 0; i++)
        if (record->slot[i].window < 0) free_slot = i;
    if (free_slot < 0 && spare && record->capacity_slots == record->slots + SPARES)
        free_slot = oldest_spare(record);
    if (free_slot < 0) {
        free_slot = record->capacity_slots;
        if (!grow_slots(record)) return NULL;
    }
    record->slot[free_slot] = (sal_checkpoint_slot){window, spare};
    return record->checkpoints + (size_t)free_slot * record->checkpoint_size;
}

const void *sal_record_nearest(const sal_record *record, int window, int *at)
{
    int best = -1;
    for (int i = 0; i < record->capacity_slots; i++)
        if (record->slot[i].window >= 0 && record->slot[i].window <= window &&
            (best < 0 || record->slot[i].window > record->slot[best].window))
            best = i;
    if (best < 0) return NULL;
    *at = record->slot[best].window;
    return record->checkpoints + (size_t)best * record->checkpoint_size;
}

void sal_record_drop_spares_after(sal_record *record, int window)
{
    for (int i = 0; i < record->capacity_slots; i++)
        if (record->slot[i].spare && record->slot[i].window > window) record->slot[i].window = -1;
}
