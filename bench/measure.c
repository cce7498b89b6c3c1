/* The search for tolerances, and rounds in which all contestants take turns. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "clock.h"

static cpu_set_t all_cores;

int pin_to_one_core(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return -1;
    all_cores = set;
    int core = CPU_SETSIZE - 1;
    while (core >= 0 && !CPU_ISSET((size_t)core, &set)) core--;
    CPU_ZERO(&set);
    if (core < 0) return -1;
    CPU_SET((size_t)core, &set);
    return sched_setaffinity(0, sizeof set, &set) ? -1 : core;
}

void unpin(void) { sched_setaffinity(0, sizeof all_cores, &all_cores); }

static double batch_seconds(timed call, void *context, int calls)
{
    const double start = seconds_cpu();
    for (int i = 0; i < calls; i++) call(context);
    return (seconds_cpu() - start) / calls;
}

void measure_interleaved(const timed *call, void *const *context, int count, const plan *how,
                         double *seconds)
{
    double *times = calloc((size_t)(count * how->rounds), sizeof *times);
    int    *calls = calloc((size_t)count, sizeof *calls);
    if (!times || !calls) abort();
    for (int i = 0; i < count; i++) {
        double once = batch_seconds(call[i], context[i], 1);
        if (once < how->batch / 4.0) once = batch_seconds(call[i], context[i], 3);
        calls[i] = once >= how->batch ? 1 : (int)(how->batch / (once + 1e-9)) + 1;
    }
    for (int r = 0; r < how->rounds; r++)
        for (int i = 0; i < count; i++)
            times[i * how->rounds + r] = batch_seconds(call[i], context[i], calls[i]);
    for (int i = 0; i < count; i++) seconds[i] = median(times + i * how->rounds, how->rounds);
    free(times);
    free(calls);
}

/* ---- the search for tolerances, and rounds ------------------------------------------------------
 */

static double error_at(const contestant *c, const reference *ref, double tol)
{
    answer a = {NAN, NULL, 0, 0};
    if (!c->run(c->self, tol, &a)) return INFINITY;
    if (a.events != ref->events) return INFINITY;
    const double error = reference_error(ref, &a);
    return isfinite(error) ? error : INFINITY;
}

double tolerance_for(const contestant *c, const reference *ref, double mark, const plan *how,
                     double *error)
{
    enum { FROM = 2, TO = 14, IN_A_ROW = 3 };
    double first_tol = 0.0, first_error = INFINITY;
    int    row = 0;
    for (int i = FROM * how->per_decade; i <= TO * how->per_decade && row < IN_A_ROW; i++) {
        const double tol = pow(10.0, -(double)i / how->per_decade), e = error_at(c, ref, tol);
        if (e > mark) {
            row = 0;
            continue;
        }
        if (row++ > 0) continue;
        first_tol = tol;
        first_error = e;
    }
    *error = row == IN_A_ROW ? first_error : INFINITY;
    return row == IN_A_ROW ? first_tol : 0.0;
}

typedef struct at_tolerance {
    const contestant *c;
    double            tol;
} at_tolerance;

static void run_once(void *context)
{
    const at_tolerance *one = context;
    answer              a;
    one->c->run(one->c->self, one->tol, &a);
}

void compete(const contestants *all, const reference *ref, double mark, const plan *how,
             result *out)
{
    const size_t  count = (size_t)all->count;
    at_tolerance *one = calloc(count, sizeof *one);
    timed        *call = calloc(count, sizeof *call);
    void        **context = calloc(count, sizeof *context);
    int          *which = calloc(count, sizeof *which);
    double       *seconds = calloc(count, sizeof *seconds);
    int           entered = 0;
    if (!one || !call || !context || !which || !seconds) abort();
    for (int i = 0; i < all->count; i++) {
        out[i] = (result){0.0, INFINITY, NAN, false};
        out[i].tol = tolerance_for(&all->list[i], ref, mark, how, &out[i].error);
        if (out[i].tol == 0.0) continue; /* wrong: reported, not timed */
        one[entered] = (at_tolerance){&all->list[i], out[i].tol};
        call[entered] = run_once;
        context[entered] = &one[entered];
        which[entered++] = i;
    }
    measure_interleaved(call, context, entered, how, seconds);
    for (int i = 0; i < entered; i++) {
        out[which[i]].seconds = seconds[i];
        out[which[i]].timed = true;
    }
    free(one);
    free(call);
    free(context);
    free(which);
    free(seconds);
}
