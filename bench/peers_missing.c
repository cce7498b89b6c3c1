/* Stands in for peers that are not installed. */
#include "bench.h"

#ifndef BENCH_SUNDIALS
void sundials_contestants(contestants *all, const problem *pb, bool forward, bool gradient)
{
    (void)all, (void)pb, (void)forward, (void)gradient;
}
const char *sundials_about(void) { return ""; }
#endif

#ifndef BENCH_PETSC
void petsc_contestants(contestants *all, const problem *pb, bool forward, bool gradient)
{
    (void)all, (void)pb, (void)forward, (void)gradient;
}
const char *petsc_about(void) { return ""; }
#endif
