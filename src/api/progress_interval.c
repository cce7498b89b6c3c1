/* Limiting how often a progress function is called. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "saltus/saltus.h"

int saltus_progress_seldom(void *context, double t, double t_end)
{
    saltus_seldom  *s = context;
    struct timespec now;
    if (!s || !s->progress || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    const long long time = 1000000000LL * now.tv_sec + now.tv_nsec;
    const long long last = __atomic_load_n(&s->last, __ATOMIC_RELAXED);
    if (last != 0 && (double)(time - last) < 1e9 * s->seconds) return 0;
    __atomic_store_n(&s->last, time, __ATOMIC_RELAXED);
    return s->progress(s->context, t, t_end);
}
