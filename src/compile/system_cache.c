/* The cache of a system: regimes, solved kernels and native code, which are made when they are
 * first needed. Nothing else in a system changes after compilation, so threads may share it. */
#include <string.h>

#include "compile/code.h"
#include "compile/compile.h"
#include "compile/regime.h"
#include "compile/solved.h"

void sal_system_cache_clear(const saltus_system *system)
{
    sal_system_cache *cache = system->cache;
    for (int i = 0; i < cache->regimes.count; i++) sal_regime_free(system, cache->regimes.data[i]);
    ARRAY_RELEASE(&system->arena.allocator, &cache->regimes);
    sal_system_unload(system);
    sal_graph_free(&cache->graph);
}

static sal_regime *find_regime(const saltus_system *system, const int *active)
{
    const sal_system_cache *cache = system->cache;
    const size_t            bytes = (size_t)system->model->groups.count * sizeof *active;
    for (int i = 0; i < cache->regimes.count; i++)
        if (bytes == 0 || memcmp(cache->regimes.data[i]->active, active, bytes) == 0)
            return cache->regimes.data[i];
    return NULL;
}

/* Resets the failures of a call: later calls may have more memory, and count their own steps. */
static void forget_failures(sal_system_cache *cache)
{
    cache->work.end = SAL_WORK_GOES_ON;
    cache->work.mark = cache->work.steps;
    cache->graph.failed = false;
}

static sal_regime *make_regime(const saltus_system *system, const int *active, saltus_error *err)
{
    sal_system_cache *cache = system->cache;
    sal_regime       *regime = sal_regime_new(system, &cache->graph, active);
    if (regime && !ARRAY_PUSH(&system->arena.allocator, &cache->regimes, regime)) {
        sal_regime_free(system, regime);
        regime = NULL;
    }
    if (!regime) sal_system_fail_work(system, err);
    forget_failures(cache);
    return regime;
}

const sal_regime *sal_system_regime(const saltus_system *system, const int *active,
                                    saltus_error *err)
{
    sal_system_cache *cache = system->cache;
    pthread_mutex_lock(&cache->lock);
    const sal_regime *regime = find_regime(system, active);
    if (!regime) regime = make_regime(system, active, err);
    if (regime) sal_system_load_regime(system, regime);
    pthread_mutex_unlock(&cache->lock);
    return regime;
}

const sal_solved *sal_system_solved(const saltus_system *system, const sal_regime *regime,
                                    unsigned which, bool *out_of_memory)
{
    sal_system_cache *cache = system->cache;
    sal_regime_cache *own = regime->cache;
    pthread_mutex_lock(&cache->lock);
    *out_of_memory = false;
    if (!own->tried[which]) {
        own->solved[which] = sal_solved_new(system, &cache->graph, regime, which, out_of_memory);
        own->tried[which] = !*out_of_memory;
        forget_failures(cache);
    }
    const sal_solved *solved = own->solved[which];
    sal_system_load_regime(system, regime);
    pthread_mutex_unlock(&cache->lock);
    return solved;
}
