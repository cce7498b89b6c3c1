/* See simultaneous.h. */
#include "sens/fast/simultaneous.h"

#include <string.h>

sal_simultaneous *sal_simultaneous_new(const saltus_system *system, sal_arena *arena)
{
    sal_simultaneous *s = ARENA_NEW(arena, 1, sal_simultaneous);
    if (s) sal_directions_init(&s->way, system, arena);
    return s;
}

static void along_start(saltus_run *run)
{
    sal_simultaneous *s = run->sens->simultaneous;
    sal_directions_choose(&s->way, s->next, s->next_count, sal_sens_lanes(s->next_count));
    sal_directions_begin(run, &s->way);
    sal_accuracy_begin(&s->way.accuracy, s->way.tangent.lanes);
}

static void along_step(saltus_run *run)
{
    sal_directions *way = &run->sens->simultaneous->way;
    sal_motion_advance_tangent(&run->motion, &way->tangent);
    sal_accuracy_note(&way->accuracy, &run->motion, &way->tangent);
}

static void along_event(saltus_run *run, const sal_occurrence *o)
{
    sal_directions *way = &run->sens->simultaneous->way;
    sal_directions_delay(run, o, way);
    if (!o->terminal) sal_jump_tangent(&run->jump, &way->tangent);
    if (!ARRAY_RESERVE(&run->arena.allocator, &run->history.observed, way->count)) {
        sal_run_drop_observer(run);
        return;
    }
    sal_copy(run->history.observed.data + run->history.observed.count, way->tangent.dt, way->count);
    run->history.observed.count += way->count;
}

static bool same_params(const int *params, int count, const sal_wanted *wanted)
{
    return count == wanted->param_count &&
           memcmp(params, wanted->params, (size_t)count * sizeof *params) == 0;
}

void sal_sens_note_request(saltus_run *run, const sal_wanted *direct)
{
    static const sal_run_observer directions = {along_start, along_step, along_event};
    sal_simultaneous             *s = run->sens->simultaneous;
    const bool                    first = !run->requested;
    run->requested = true;
    if (!direct || direct->param_count < 1 || direct->param_count > SAL_RUN_LANES ||
        run->system->peaks > 0) { /* places of peaks are known only at the end */
        run->next_observer = NULL;
    } else if (first) {
        run->next_observer = &directions;
        s->next_count = direct->param_count;
        memcpy(s->next, direct->params, (size_t)direct->param_count * sizeof *s->next);
    } else if (!same_params(s->next, s->next_count, direct)) {
        run->next_observer = NULL;
    }
}

sal_directions *sal_simultaneous_get(saltus_run *run, const sal_wanted *wanted)
{
    sal_directions *way = &run->sens->simultaneous->way;
    return run->observer && sal_directions_suffice(run, way) &&
                   same_params(way->params, way->count, wanted)
               ? way
               : NULL;
}
