/* The map of a periodic motion: from start parameters x to their values at the end, P(x, rho), with
 * derivatives. The system is compiled here, with the final values as further costs after those of
 * the user. */
#ifndef SAL_ANSWER_RETURN_MAP_H
#define SAL_ANSWER_RETURN_MAP_H

#include "base/memory.h"
#include "saltus/saltus.h"
#include "solve/solve.h"

typedef struct sal_return_map {
    saltus_allocator allocator;
    sal_arena        arena;
    saltus_system   *system;
    saltus_run      *run;
    saltus_method    method;
    bool             has_section;
    int              n;      /* number of unknowns x */
    int              by;     /* number of other parameters of derivatives */
    int              np, nc; /* number of parameters of the system; of costs of the user */
    int             *column; /* parameter numbers of the unknowns, then of the others */
    int             *cost;   /* indices of all costs: of the final values, then the user's */
    double          *params; /* all np parameters of the last evaluation */
    double          *value;  /* all costs of the last evaluation, by number */
    SAL_ARRAY(int) events;   /* events of the last evaluation, in order */
    saltus_error why;        /* why the last evaluation had no value */
    int          runs, gradients;
} sal_return_map;

saltus_status sal_return_map_init(sal_return_map *map, const saltus_model *model,
                                  const saltus_options *options, const saltus_request *request,
                                  saltus_error *err);
void          sal_return_map_free(sal_return_map *map);

/* Simulates with map->params. If there is no value, map->why has the reason. */
sal_evaluation sal_return_map_simulate(sal_return_map *map);
/* The values of P after a simulation, by unknown, and the duration of the motion. */
const double *sal_return_map_final(const sal_return_map *map);
double        sal_return_map_period(const sal_return_map *map);
/* Writes the derivatives of the final values and, if costs is set, of the user's costs, by the
 * unknowns and, if all is set, by the other parameters. `end` receives those of the end time unless
 * it is NULL. */
sal_evaluation sal_return_map_derive(sal_return_map *map, bool all, bool costs, double *gradient,
                                     double *end);
/* Writes the derivatives of the final values by these parameters. */
sal_evaluation sal_return_map_derive_by(sal_return_map *map, const int *params, int count,
                                        double *gradient);

#endif
