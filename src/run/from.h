/* Simulations that begin at any state and in any modes, instead of at the start of the model.
 *
 * A run has a shadow: a second run of the same system, for motions that do not happen. It continues
 * from a state of the first run in one regime, ignoring events: past the end of the horizon, or in
 * the mode that an event has left. */
#ifndef SAL_RUN_FROM_H
#define SAL_RUN_FROM_H

#include <math.h>

#include "run/run.h"

/* Whether dependent coordinates are assembled at the start. */
static inline bool sal_run_is_assembled(const saltus_run *run)
{
    return !run->from.given || run->from.assembled;
}

/* Whether the end of the horizon is an expression of the model, not set by the caller. */
static inline bool sal_run_end_is_the_models(const saltus_run *run)
{
    return (!run->from.given || run->from.to_horizon) && isnan(run->options.t_end);
}

/* The regime at the start; NULL: it could not be compiled. */
const sal_regime *sal_run_first_regime(saltus_run *run, saltus_error *err);

/* Lets the shadow follow the motion from x = (q, v) and all memories c at time t, in this regime,
 * up to t_end. Its record then has the steps; they may end earlier if the motion cannot be
 * continued. */
saltus_status sal_shadow_follow(saltus_run *run, const sal_regime *regime, double t,
                                const double *x, const double *c, double t_end, saltus_error *err);

#endif
