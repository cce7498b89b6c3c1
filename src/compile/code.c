/* Decides when which kernels are looked for in the cache or compiled, and starts compilers in
 * parallel: see code.h. */
#define _POSIX_C_SOURCE 200809L
#include "compile/code.h"

#include <stdio.h>
#include <string.h>

#include "compile/kernel_table.h"

/* ---- loading -------------------------------------------------------------------------------- */

/* A shared object that is searched for in the cache or compiled. */
typedef struct job {
    sal_kernel_list   list;
    int              *done; /* the effort already made for its kernels */
    sal_native        native;
    sal_native_result result;
} job;

/* Jobs whose compilers run in parallel. */
enum { AT_ONCE = 4 };
typedef struct batch {
    const saltus_system *system;
    job                  job[AT_ONCE];
    int                  count;     /* number of jobs */
    sal_toolchain        toolchain; /* shared by all jobs */
    bool                 open;      /* the toolchain is open: there was a job */
    double               since;     /* time at which the first compiler was started; 0: none was */
} batch;

/* Seconds that the compilers of a batch may take. */
enum { PATIENCE = 120 };

/* ---- the waiter ------------------------------------------------------------------------------ */

/* The caller for whom this thread works; NULL: none. */
static _Thread_local sal_waiter *waiter;

sal_waiter *sal_waiter_enter(sal_waiter *next)
{
    sal_waiter *previous = waiter;
    waiter = next;
    if (waiter) waiter->stopped = false;
    return previous;
}

void sal_waiter_leave(sal_waiter *previous) { waiter = previous; }

/* Whether the waiter has requested to stop. After that, its callback is not called again. */
static bool wants_to_stop(void *context)
{
    sal_waiter *w = context;
    if (w && !w->stopped && w->progress) w->stopped = w->progress(w->context, *w->t, *w->t_end);
    return w && w->stopped;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Notes the result of a job in the state of the system, and marks work that may be tried again. A
 * job that failed is not repeated. */
static void note_result(sal_code_state *code, job *j)
{
    if ((j->result == SAL_NATIVE_MISSING && !code->late) || j->result == SAL_NATIVE_STOPPED)
        *j->done = SAL_EFFORT_FIND;
    switch (j->result) {
    case SAL_NATIVE_LOADED:
        code->loaded.data[code->loaded.count++] = j->native.handle;
        code->compiled += !j->native.found;
        break;
    case SAL_NATIVE_MISSING: code->price += sal_native_estimate(&j->list); break;
    case SAL_NATIVE_LATE: code->late = true; /* fall through */
    case SAL_NATIVE_FAILED: snprintf(code->note, sizeof code->note, "%s", j->native.why); break;
    case SAL_NATIVE_MEMORY: snprintf(code->note, sizeof code->note, "out of memory"); break;
    case SAL_NATIVE_STOPPED: code->stopped = true; break;
    case SAL_NATIVE_COMPILING:
    case SAL_NATIVE_NOTHING: break;
    }
}

static void finish(batch *b)
{
    sal_code_state *code = &b->system->cache->code;
    const sal_wait  wait = {.since = b->since,
                            .seconds = code->patience > 0.0 ? code->patience : PATIENCE,
                            .stop = wants_to_stop,
                            .context = waiter};
    for (int i = 0; i < b->count; i++) {
        job *j = &b->job[i];
        if (j->result == SAL_NATIVE_COMPILING) j->result = sal_native_finish(&j->native, &wait);
        note_result(code, j);
        sal_kernel_list_release(&j->list);
    }
    if (b->since > 0.0) code->seconds += sal_seconds() - b->since;
    b->since = 0.0;
    b->count = 0;
}

/* Returns a free job of the batch; if there is none, finishes all jobs first. */
static job *next_job(batch *b)
{
    const bool compile = b->system->cache->code.effort == SAL_EFFORT_COMPILE;
    if (b->count == AT_ONCE) finish(b);
    if (!b->open) sal_toolchain_open(&b->toolchain, b->system->model->name, compile);
    b->open = true;
    return &b->job[b->count++];
}

/* Whether compilers may be started: the effort allows it, the caller has not requested to stop, and
 * compilers have never taken too long. */
static bool may_compile(sal_code_state *code)
{
    if (code->effort != SAL_EFFORT_COMPILE || code->late) return false;
    if (waiter && waiter->stopped) code->stopped = true;
    return !(waiter && waiter->stopped);
}

static void begin(batch *b, job *j)
{
    sal_code_state *code = &b->system->cache->code;
    if (!ARRAY_RESERVE(j->list.allocator, &code->loaded, b->count)) j->list.failed = true;
    j->result = sal_native_begin(&j->native, &b->toolchain, &j->list, may_compile(code));
    if (j->result == SAL_NATIVE_COMPILING && b->since == 0.0) b->since = sal_seconds();
}

/* Lines of code above which a list of kernels is split between several compilers. */
enum { LONG_LIST = 6000 };

/* Keeps the first kernels of a list, at least one, and returns the others as another list. */
static sal_kernel_list split(sal_kernel_list *list)
{
    sal_kernel_list rest = {.allocator = list->allocator};
    long long       lines = 0;
    int             count = 0;
    for (; count < list->kernels.count; count++) {
        lines += sal_native_lines(&list->kernels.data[count]);
        if (count > 0 && lines > LONG_LIST) break;
    }
    for (int i = count; i < list->kernels.count; i++)
        if (!ARRAY_PUSH(rest.allocator, &rest.kernels, list->kernels.data[i])) list->failed = true;
    list->kernels.count = count;
    return rest;
}

/* Whether more effort is requested than has been made. */
static bool is_due(const batch *b, int done) { return done < (int)b->system->cache->code.effort; }

/* Finds or compiles the kernels of a list, which is released. */
static void load(batch *b, sal_kernel_list list, int *done)
{
    *done = SAL_EFFORT_COMPILE;
    do {
        job                  *j = next_job(b);
        const sal_kernel_list rest = split(&list);
        j->list = list;
        j->done = done;
        begin(b, j);
        list = rest;
    } while (list.kernels.count > 0);
}

static void begin_batch(batch *b, const saltus_system *system)
{
    b->system = system;
    b->count = 0;
    b->open = false;
    b->since = 0.0;
}

static void end_batch(batch *b)
{
    finish(b);
    if (b->open) sal_toolchain_close(&b->toolchain);
}

static void load_maps(batch *b)
{
    sal_kernel_list list = {.allocator = &b->system->arena.allocator};
    if (!is_due(b, b->system->cache->code.maps)) return;
    sal_kernels_list(SAL_OF_SYSTEM, b->system, SAL_CODE_MAPS, &list);
    for (int i = 0; i < b->system->events; i++)
        sal_kernels_list(SAL_OF_EVENT, &b->system->event[i], SAL_CODE_MAPS, &list);
    load(b, list, &b->system->cache->code.maps);
}

/* Whether some event may have impulses: see law_of in jump.c. */
static bool has_impacts(const saltus_system *system)
{
    for (int i = 0; i < system->events; i++) {
        const sal_compiled_event *event = &system->event[i];
        if (event->reset.restitution) return true;
        if (system->nmu > 0 && event->kink < 0 && !event->reset.sets_velocity) return true;
    }
    return false;
}

/* Whether events contain accelerations or multipliers: only then are the kernels `tangent` and
 * `adjoint` needed, because stages use their own. */
static bool has_reactions(const saltus_system *system)
{
    for (int i = 0; i < system->events; i++) {
        const sal_compiled_event *event = &system->event[i];
        if (event->guard_needs_a || event->reset.charge_needs_a_before ||
            event->reset.charge_needs_a_after)
            return true;
    }
    return false;
}

/* From this number of instructions on, tangent and adjoint are a shared object of their own. */
enum { WORTH_SHARING = 200 };

/* Loads the kernels of one owner that belong to these objects, unless that has been done. */
static void load_objects(batch *b, sal_kernel_owner kind, const void *owner, unsigned objects,
                         int *done)
{
    sal_kernel_list list = {.allocator = &b->system->arena.allocator};
    if (!is_due(b, *done)) return;
    sal_kernels_list(kind, owner, objects, &list);
    load(b, list, done);
}

static void load_solved(batch *b, sal_solved *solved)
{
    const bool shared =
        solved->adjoint.instructions + solved->tangent.instructions >= WORTH_SHARING;
    unsigned objects = SAL_CODE_SOLVED;
    if (has_reactions(b->system)) objects |= SAL_CODE_REACTIONS;
    if (shared) load_objects(b, SAL_OF_SOLVED, solved, SAL_CODE_PRODUCTS, &solved->products_effort);
    else objects |= SAL_CODE_PRODUCTS;
    load_objects(b, SAL_OF_SOLVED, solved, objects, &solved->effort);
}

static void load_regime(batch *b, const sal_regime *regime)
{
    sal_regime_cache *cache = regime->cache;
    const unsigned    impacts = has_impacts(b->system) ? SAL_CODE_IMPACTS : 0;
    for (int i = 0; i < SAL_TERM_SETS; i++)
        if (cache->solved[i]) load_solved(b, cache->solved[i]);
    load_objects(b, SAL_OF_REGIME, regime, SAL_CODE_REGIME | impacts, &cache->effort);
    if (cache->factored_used)
        load_objects(b, SAL_OF_REGIME, regime, SAL_CODE_FACTORED, &cache->factored_effort);
}

static void load_all(const saltus_system *system)
{
    batch b;
    begin_batch(&b, system);
    for (int i = 0; i < system->cache->regimes.count; i++)
        load_regime(&b, system->cache->regimes.data[i]);
    load_maps(&b);
    end_batch(&b);
}

void sal_system_load_regime(const saltus_system *system, const sal_regime *regime)
{
    batch b;
    begin_batch(&b, system);
    load_regime(&b, regime);
    end_batch(&b);
}

void sal_system_unload(const saltus_system *system)
{
    for (int i = 0; i < system->cache->code.loaded.count; i++)
        sal_native_unload(system->cache->code.loaded.data[i]);
    ARRAY_RELEASE(&system->arena.allocator, &system->cache->code.loaded);
}

/* ---- when ----------------------------------------------------------------------------------- */

void sal_system_compile_factored(const saltus_system *system, const sal_regime *regime)
{
    pthread_mutex_lock(&system->cache->lock);
    regime->cache->factored_used = true;
    sal_system_load_regime(system, regime);
    pthread_mutex_unlock(&system->cache->lock);
}

static void raise(const saltus_system *system, sal_effort effort)
{
    sal_code_state *code = &system->cache->code;
    const bool      again = effort == SAL_EFFORT_COMPILE && code->stopped;
    if (effort <= code->effort && !again) return;
    if (effort > code->effort) code->effort = effort;
    code->stopped = false;
    load_all(system);
}

void sal_system_request_backend(const saltus_system *system, saltus_backend backend)
{
    static const sal_effort efforts[] = {[SALTUS_BACKEND_AUTO] = SAL_EFFORT_FIND,
                                         [SALTUS_INTERP] = SAL_EFFORT_NONE,
                                         [SALTUS_NATIVE] = SAL_EFFORT_COMPILE};
    sal_system_cache       *cache = system->cache;
    pthread_mutex_lock(&cache->lock);
    raise(system, efforts[backend]);
    pthread_mutex_unlock(&cache->lock);
}

void sal_stopwatch_start(sal_stopwatch *clock)
{
    if (!clock->settled) clock->since = sal_seconds();
}

void sal_stopwatch_tick(sal_stopwatch *clock, const saltus_system *system)
{
    if (clock->settled) return;
    sal_system_cache *cache = system->cache;
    sal_code_state   *code = &cache->code;
    const double      now = sal_seconds();
    pthread_mutex_lock(&cache->lock);
    code->worked += now - clock->since;
    if (code->effort == SAL_EFFORT_FIND && code->price > 0.0 && code->worked > code->price)
        raise(system, SAL_EFFORT_COMPILE);
    clock->settled = code->effort != SAL_EFFORT_FIND;
    pthread_mutex_unlock(&cache->lock);
    clock->since = now;
}

saltus_backend_info sal_system_backend(const saltus_system *system)
{
    sal_system_cache     *cache = system->cache;
    const sal_code_state *code = &cache->code;
    pthread_mutex_lock(&cache->lock);
    const saltus_backend_info info = {.backend = code->loaded.count ? SALTUS_NATIVE : SALTUS_INTERP,
                                      .loaded = code->loaded.count,
                                      .compiled = code->compiled,
                                      .seconds = code->seconds,
                                      .note = code->note};
    pthread_mutex_unlock(&cache->lock);
    return info;
}
