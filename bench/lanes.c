/* Four accelerations of the five-bar in vector lanes against four calls: see bench/lanes, which
 * writes the files included here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.c"

#include "kernel_in_lanes.h"
#include "start.h"

enum { CALLS = 20000, ROUNDS = 41 };
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
static int ascending(const void *a, const void *b)
{
    return *(const double *)a > *(const double *)b ? 1 : -1;
}
static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, ascending);
    return x[ROUNDS / 2];
}
static double                         one[W][SALTUS_VALUES], out[W][SALTUS_SOLVED + 2];
static V                              all[SALTUS_VALUES], outs[SALTUS_SOLVED + 2];
static double                         single[ROUNDS], lanes[2][ROUNDS];
static __attribute__((noinline)) void call_one(int l) { solved_0_one(one[l], one[l], 0, out[l]); }
static __attribute__((noinline)) void call_all(void) { solved_in_lanes(all, all, 0, outs); }
/* What a call puts out moves, by nothing, what the next one reads: stages of a step wait likewise.
 */
static double measure_single(void)
{
    const double begin = now();
    for (int i = 0; i < CALLS; i++)
        for (int l = 0; l < W; l++) call_one(l);
    return (now() - begin) / CALLS;
}
static double measure_lanes(int chained)
{
    const double begin = now();
    for (int i = 0; i < CALLS; i++) {
        call_all();
        if (chained) all[SALTUS_AT_V] += 0.0 * outs[0];
    }
    return (now() - begin) / CALLS;
}
/* A run at a time: four chains, one after the other. */
static double measure_runs(void)
{
    const double begin = now();
    for (int l = 0; l < W; l++)
        for (int i = 0; i < CALLS; i++) {
            call_one(l);
            one[l][SALTUS_AT_V] += 0.0 * out[l][0];
        }
    return (now() - begin) / CALLS;
}
int main(void)
{
    double runs[ROUNDS];
    for (int l = 0; l < W; l++) {
        memcpy(one[l], start, sizeof start);
        for (int i = 0; i < SALTUS_N; i++) one[l][SALTUS_AT_Q + i] += 1e-3 * l * (i + 1);
        for (int i = 0; i < SALTUS_N; i++) one[l][SALTUS_AT_V + i] += 1e-1 * l;
        saltus_constants(one[l], one[l]);
        for (int i = 0; i < SALTUS_VALUES; i++) all[i][l] = one[l][i];
        call_one(l);
    }
    call_all();
    for (int l = 0; l < W; l++)
        for (int i = 0; i < SALTUS_SOLVED; i++)
            if (memcmp(&out[l][i], &(double){outs[i][l]}, sizeof(double)) != 0) {
                printf("lane %d, number %d: %.17g and %.17g\n", l, i, out[l][i], outs[i][l]);
                return 1;
            }
    for (int r = 0; r < ROUNDS; r++) {
        single[r] = measure_single();
        lanes[0][r] = measure_lanes(0);
        runs[r] = measure_runs();
        lanes[1][r] = measure_lanes(1);
    }
    const double a = median(single), b = median(lanes[0]), c = median(runs), d = median(lanes[1]);
    printf("| %d accelerations of the five-bar, same digits | one by one | in lanes | times "
           "|\n|---|---|---|---|\n",
           W);
    printf("| calls that do not wait for each other | %.0f ns | %.0f ns | %.2f |\n", a, b, a / b);
    printf("| stages that wait for each other | %.0f ns | %.0f ns | %.2f |\n", c, d, c / d);
    return 0;
}
