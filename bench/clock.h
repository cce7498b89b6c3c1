/* What every program here measures with. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include "saltus/status.h"

double seconds_cpu(void); /* of this thread */
double seconds_wall(void);
double median(double *value, int count); /* sorts */

/* Ends the program, whose name is given, with the message if there is an error. */
void stop_on(const char *program, const saltus_error *err);

#endif
