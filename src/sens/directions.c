/* See directions.h. */
#include "sens/directions.h"

#include <string.h>

#include "run/assembly.h"
#include "run/from.h"
#include "sens/sens.h"

void sal_directions_init(sal_directions *way, const saltus_system *system, sal_arena *arena)
{
    sal_tangent_init(&way->tangent, system, SAL_RUN_LANES, arena);
    sal_accuracy_init(&way->accuracy, system, system->nc, SAL_RUN_LANES, arena);
    sal_accuracy_init(&way->before, system, system->nc, SAL_RUN_LANES, arena);
    way->end = ARENA_NEW(arena, SAL_RUN_LANES, double);
}

void sal_directions_choose(sal_directions *way, const int *params, int count, int lanes)
{
    way->count = count;
    way->tangent.lanes = lanes;
    if (count > 0) memcpy(way->params, params, (size_t)count * sizeof *params);
}

/* Writes the tangents of the model's start values. A given initial state has no tangents, but
 * memories and the end of the horizon may still be the model's. */
static void begin_state(saltus_run *run, const sal_directions *way)
{
    const saltus_system *system = run->system;
    const sal_tangent   *d = &way->tangent;
    const int            L = d->lanes, n2 = 2 * system->n;
    const bool           memories = run->from.given && run->from.memories;
    double              *out = run->sens->initial;
    sal_zero(d->dx, n2 * L);
    sal_zero(way->end, L);
    if (memories && !run->from.to_horizon) return;
    sal_map_tangent(&system->initial, run->motion.field.u, d->du, L, out, run->motion.field.work);
    if (!run->from.given) sal_copy(d->dx, out, n2 * L);
    if (sal_run_end_is_the_models(run)) sal_copy(way->end, out + (n2 + system->nm_user) * L, L);
    if (!memories)
        sal_copy(sal_lanes_at(system, d->du, L, SAL_LEAF_C), out + n2 * L, system->nm_user * L);
}

/* Adds the directions of the initial state. */
static void add_start(const saltus_run *run, const sal_directions *way)
{
    const saltus_system *system = run->system;
    const sal_tangent   *d = &way->tangent;
    const int            L = d->lanes, n2 = 2 * system->n;
    const int            states = n2 + (run->from.ignores_events ? system->nm : system->nm_user);
    double              *dc = sal_lanes_at(system, d->du, L, SAL_LEAF_C);
    for (int i = 0; way->start && i < states; i++)
        for (int l = 0; l < way->count; l++)
            *(i < n2 ? d->dx + i * L + l : dc + (i - n2) * L + l) +=
                way->start[(size_t)i * (size_t)way->columns + (size_t)l];
}

void sal_directions_begin(saltus_run *run, sal_directions *way)
{
    const saltus_system *system = run->system;
    sal_tangent         *d = &way->tangent;
    const int            L = d->lanes;
    for (int l = 0; l < way->count; l++)
        way->value[l] = way->param_directions ? 1.0 : run->params[way->params[l]];
    sal_zero(d->dt, L);
    sal_zero(d->dz, system->nc * L);
    sal_zero(d->du, system->layout.size * L);
    double *dp = sal_lanes_at(system, d->du, L, SAL_LEAF_P);
    for (int l = 0; l < way->count && !way->param_directions; l++) dp[way->params[l] * L + l] = 1.0;
    for (int i = 0; i < system->np && way->param_directions; i++)
        for (int l = 0; l < way->count; l++)
            dp[i * L + l] = way->param_directions[(size_t)i * (size_t)way->columns + (size_t)l];
    begin_state(run, way);
    if (run->from.given) add_start(run, way);
    sal_assembly_tangent(run, d->dx, d->du, L);
    if (!run->from.given) add_start(run, way);
}

void sal_directions_delay(saltus_run *run, const sal_occurrence *o, sal_directions *way)
{
    sal_accuracy_attend(&way->accuracy);
    if (!o->follows) sal_saltation_delay(&run->jump, o->rate, &way->tangent);
}

bool sal_directions_suffice(const saltus_run *run, const sal_directions *way)
{
    return sal_accuracy_suffices(&way->accuracy, run->options.rtol, way->value, way->count);
}
