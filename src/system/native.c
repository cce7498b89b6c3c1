/* When the kernels of a system become compiled code: see native.h. */
#define _POSIX_C_SOURCE 200809L
#include "system/native.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- which kernels -------------------------------------------------------------------------- */

/* Those evaluated most often first: a list has an end. What is evaluated in every stage is compiled
 * for several lanes as well, what belongs to events is not; what is needed once per run stays
 * interpreted. */
void sal_regime_kernels(sal_regime *regime, sal_kernel_list *list)
{
    sal_kernel_list_add(list, &regime->rhs, false);
    sal_kernel_list_add(list, &regime->adjoint, true);
    sal_kernel_list_add(list, &regime->tangent, true);
    sal_kernel_list_add(list, &regime->energy, false);
    sal_kernel_list_add_map(list, &regime->momentum, false);
}

static void add_reset(sal_reset *reset, sal_kernel_list *list)
{
    sal_kernel_list_add_map(list, &reset->before.map, false);
    sal_kernel_list_add_map(list, &reset->contact, false);
    sal_kernel_list_add_map(list, &reset->normal, false);
    sal_kernel_list_add_map(list, &reset->late.map, false);
    sal_kernel_list_add_map(list, &reset->charge, false);
}

void sal_system_kernels(saltus_system *system, sal_kernel_list *list)
{
    sal_kernel_list_add_map(list, &system->integrand, true);
    for (int i = 0; i < system->events; i++)
        sal_kernel_list_add_map(list, &system->event[i].guard, false);
    sal_kernel_list_add(list, &system->phi.value, false);
    sal_kernel_list_add(list, &system->phi_dot.value, false);
    sal_kernel_list_add(list, &system->kink_map.value, false);
    for (int i = 0; i < system->events; i++) {
        sal_kernel_list_add(list, &system->event[i].where, false);
        add_reset(&system->event[i].reset, list);
    }
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Does what was asked for, if it has not been done. A null regime stands for the maps outside of
 * regimes. What cannot be done is noted, and not tried again. */
static void load(saltus_system *system, sal_regime *regime)
{
    sal_code_state *code = &system->code;
    const int       done = regime ? regime->effort : (int)code->maps;
    sal_kernel_list list = {.allocator = &system->arena.allocator};
    sal_native      native;
    if (done >= (int)code->effort) return;
    if (regime) sal_regime_kernels(regime, &list);
    else sal_system_kernels(system, &list);
    if (!ARRAY_RESERVE(list.allocator, &code->loaded, 1)) list.failed = true;
    const bool compile = code->effort == SAL_EFFORT_COMPILE;
    sal_effort now = SAL_EFFORT_COMPILE;
    switch (sal_native_load(&native, &list, compile)) {
    case SAL_NATIVE_LOADED:
        code->loaded.data[code->loaded.count++] = native;
        code->compiled += !native.found;
        code->seconds += native.seconds;
        break;
    case SAL_NATIVE_NOTHING: break;
    case SAL_NATIVE_MISSING:
        now = SAL_EFFORT_FIND;
        code->price += sal_native_estimate(&list);
        break;
    case SAL_NATIVE_FAILED: snprintf(code->note, sizeof code->note, "%s", native.why); break;
    case SAL_NATIVE_MEMORY: snprintf(code->note, sizeof code->note, "out of memory"); break;
    }
    if (regime) regime->effort = (int)now;
    else code->maps = now;
    sal_kernel_list_release(&list);
}

static void load_all(saltus_system *system)
{
    load(system, NULL);
    for (int i = 0; i < system->regimes.count; i++) load(system, system->regimes.data[i]);
}

void sal_system_load_regime(saltus_system *system, sal_regime *regime) { load(system, regime); }

void sal_system_unload(saltus_system *system)
{
    for (int i = 0; i < system->code.loaded.count; i++)
        sal_native_unload(&system->code.loaded.data[i]);
    ARRAY_RELEASE(&system->arena.allocator, &system->code.loaded);
}

/* ---- when ----------------------------------------------------------------------------------- */

/* The code of a system is, beside its regimes, what grows; the lock guards both. */
static saltus_system *unlocked(const saltus_system *system)
{
    union {
        const saltus_system *in;
        saltus_system       *out;
    } same = {system};
    return same.out;
}

static void raise(saltus_system *system, sal_effort effort)
{
    if (effort <= system->code.effort) return;
    system->code.effort = effort;
    load_all(system);
}

void sal_system_ask(const saltus_system *system, saltus_backend backend)
{
    static const sal_effort efforts[] = {[SALTUS_BACKEND_AUTO] = SAL_EFFORT_FIND,
                                         [SALTUS_INTERP] = SAL_EFFORT_NONE,
                                         [SALTUS_NATIVE] = SAL_EFFORT_COMPILE};
    saltus_system          *own = unlocked(system);
    pthread_mutex_lock(&own->lock);
    raise(own, efforts[backend]);
    pthread_mutex_unlock(&own->lock);
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void sal_clock_start(sal_clock *clock)
{
    if (!clock->settled) clock->since = seconds_now();
}

void sal_clock_tick(sal_clock *clock, const saltus_system *system)
{
    if (clock->settled) return;
    saltus_system  *own = unlocked(system);
    sal_code_state *code = &own->code;
    const double    now = seconds_now();
    pthread_mutex_lock(&own->lock);
    code->worked += now - clock->since;
    if (code->effort == SAL_EFFORT_FIND && code->price > 0.0 && code->worked > code->price)
        raise(own, SAL_EFFORT_COMPILE);
    clock->settled = code->effort != SAL_EFFORT_FIND;
    pthread_mutex_unlock(&own->lock);
    clock->since = now;
}

saltus_backend_info sal_system_backend(const saltus_system *system)
{
    saltus_system        *own = unlocked(system);
    const sal_code_state *code = &own->code;
    pthread_mutex_lock(&own->lock);
    const saltus_backend_info info = {.backend = code->loaded.count ? SALTUS_NATIVE : SALTUS_INTERP,
                                      .loaded = code->loaded.count,
                                      .compiled = code->compiled,
                                      .seconds = code->seconds,
                                      .note = code->note};
    pthread_mutex_unlock(&own->lock);
    return info;
}
