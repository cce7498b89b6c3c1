/* The map of a periodic motion: from start parameters x to their values at the end, P(x, rho), with
 * derivatives. The final values are costs that only the system in here has, after those of the
 * user. */
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
    int              n;      /* unknowns x, */
    int              by;     /* and other parameters that derivatives are by */
    int              np, nc; /* parameters of the system, costs of the user */
    int             *column; /* their indices: unknowns, then the others */
    int             *cost;   /* indices of all costs: of the final values, then the user's */
    double          *params; /* where it was evaluated last, np */
    double          *value;  /* all costs there, by index */
    SAL_ARRAY(int) events;   /* that happened there, in order */
    saltus_error why;        /* there was no value there */
    int          runs, gradients;
} sal_return_map;

saltus_status sal_return_map_init(sal_return_map *map, const saltus_model *model,
                                  const saltus_options *options, const saltus_request *request,
                                  saltus_error *err);
void          sal_return_map_free(sal_return_map *map);

/* Simulates with map->params. Where there is no value, map->why says why. */
sal_evaluation sal_return_map_simulate(sal_return_map *map);
/* P after a simulation: by unknown; and how long it took. */
const double *sal_return_map_final(const sal_return_map *map);
double        sal_return_map_period(const sal_return_map *map);
/* The derivatives of the final values by the unknowns (and by the others too, if all is set), and
 * with `end` those of the end time; of the user's costs too if costs is set. */
sal_evaluation sal_return_map_derive(sal_return_map *map, bool all, bool costs, double *gradient,
                                     double *end);
/* The derivatives of the final values by these parameters. */
sal_evaluation sal_return_map_derive_by(sal_return_map *map, const int *params, int count,
                                        double *gradient);

#endif
