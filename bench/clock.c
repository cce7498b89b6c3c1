/* What every program here measures with: see clock.h. */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double seconds_cpu(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double seconds_wall(void) { return seconds_of(CLOCK_MONOTONIC); }

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return count % 2 ? value[count / 2] : 0.5 * (value[count / 2 - 1] + value[count / 2]);
}

void stop_on(const char *program, const saltus_error *err)
{
    if (!err->status) return;
    fprintf(stderr, "%s: %s\n", program, err->message);
    exit(1);
}
