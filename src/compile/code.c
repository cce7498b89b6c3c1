/* When the kernels of a system become compiled code: see native.h. */
#define _POSIX_C_SOURCE 200809L
#include "compile/code.h"

#include <stdio.h>
#include <string.h>

#include "compile/solved.h"

/* ---- which kernels -------------------------------------------------------------------------- */

/* Those evaluated most often first: a list has an end. What is evaluated in every stage is compiled
 * for several lanes as well, what belongs to events is not; what is needed once per run stays
 * interpreted. */
void sal_regime_kernels(sal_regime *regime, bool impacts, sal_kernel_list *list)
{
    sal_kernel_list_add(list, &regime->rhs, false);
    sal_kernel_list_add(list, &regime->energy, false);
    sal_kernel_list_add(list, &regime->phi_q.kernel, false);
    if (impacts) sal_kernel_list_add_map(list, &regime->momentum, false);
}

void sal_solved_kernels(sal_solved *solved, bool reactions, sal_kernel_list *list)
{
    sal_kernel_list_add(list, &solved->forward, false);
    sal_kernel_list_add(list, &solved->constants, false);
    if (!reactions) return;
    sal_kernel_list_add(list, &solved->adjoint, false);
    sal_kernel_list_add(list, &solved->tangent, false);
}

void sal_solved_products(sal_solved *solved, sal_kernel_list *list)
{
    sal_kernel_list_add(list, &solved->stage_adjoint, true);
    sal_kernel_list_add(list, &solved->stage_tangent, true);
}

void sal_solved_along(sal_solved *solved, sal_kernel_list *list)
{
    sal_kernel_list_add(list, &solved->along, true);
    sal_kernel_list_add(list, &solved->tangent_small, true);
}

void sal_plain_kernels(sal_regime *regime, sal_kernel_list *list)
{
    sal_kernel_list_add(list, &regime->forces, false);
    sal_kernel_list_add(list, &regime->adjoint, true);
    sal_kernel_list_add(list, &regime->tangent, true);
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
    for (int i = 0; i < system->events; i++) {
        sal_kernel_list_add_map(list, &system->event[i].guard, false);
        sal_kernel_list_add(list, &system->event[i].along, false);
    }
    sal_kernel_list_add(list, &system->phi.value, false);
    sal_kernel_list_add(list, &system->phi_dot.value, false);
    sal_kernel_list_add(list, &system->phi_dot.adjoint, false);
    sal_kernel_list_add(list, &system->phi_dot.tangent, true);
    sal_kernel_list_add(list, &system->kink_map.value, false);
    for (int i = 0; i < system->events; i++) {
        sal_kernel_list_add(list, &system->event[i].where, false);
        add_reset(&system->event[i].reset, list);
    }
}

/* ---- loading -------------------------------------------------------------------------------- */

/* An object that is looked for or compiled. */
typedef struct job {
    sal_kernel_list   list;
    int              *done; /* the effort made for it */
    sal_native        native;
    sal_native_result result;
} job;

/* Jobs whose compilers run at the same time, and what they share. */
enum { AT_ONCE = 4 };
typedef struct workshop {
    job       job[AT_ONCE];
    sal_maker maker;
} workshop;

typedef struct batch {
    saltus_system *system;
    workshop      *shop; /* NULL: nothing was to be done yet */
    int            count;
    double         since; /* compilers have been at work, 0: not at all */
} batch;

/* Seconds that the compilers of a batch may take. */
enum { PATIENCE = 120 };

/* ---- who waits ------------------------------------------------------------------------------ */

/* The run for which this thread works. */
static _Thread_local sal_waiter *waiter;

sal_waiter *sal_waiter_enter(sal_waiter *next)
{
    sal_waiter *previous = waiter;
    waiter = next;
    if (waiter) waiter->stopped = false;
    return previous;
}

void sal_waiter_leave(sal_waiter *previous) { waiter = previous; }

/* Once it wanted to stop, it is not asked again. */
static bool wants_to_stop(void *context)
{
    sal_waiter *w = context;
    if (w && !w->stopped && w->progress) w->stopped = w->progress(w->context, *w->t, *w->t_end);
    return w && w->stopped;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* What cannot be done is noted, and not tried again. */
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
    sal_code_state *code = &b->system->code;
    const sal_wait  wait = {.since = b->since,
                            .seconds = code->patience > 0.0 ? code->patience : PATIENCE,
                            .stop = wants_to_stop,
                            .context = waiter};
    for (int i = 0; i < b->count; i++) {
        job *j = &b->shop->job[i];
        if (j->result == SAL_NATIVE_COMPILING) j->result = sal_native_finish(&j->native, &wait);
        note_result(code, j);
        sal_kernel_list_release(&j->list);
    }
    if (b->since > 0.0) code->seconds += sal_seconds() - b->since;
    b->since = 0.0;
    b->count = 0;
}

static bool open_shop(batch *b)
{
    const saltus_system *system = b->system;
    if (b->shop) return true;
    b->shop = sal_resize(&system->arena.allocator, NULL, 0, sizeof *b->shop);
    if (b->shop)
        sal_maker_open(&b->shop->maker, system->model->name,
                       system->code.effort == SAL_EFFORT_COMPILE);
    return b->shop != NULL;
}

static void close_shop(batch *b)
{
    if (!b->shop) return;
    sal_maker_close(&b->shop->maker);
    sal_resize(&b->system->arena.allocator, b->shop, sizeof *b->shop, 0);
    b->shop = NULL;
}

/* The next job of the batch, NULL if there is no memory for it. */
static job *next_job(batch *b)
{
    if (b->count == AT_ONCE) finish(b);
    return open_shop(b) ? &b->shop->job[b->count++] : NULL;
}

/* Who wants to stop, or waited too long once, does not begin to compile. */
static bool may_compile(sal_code_state *code)
{
    if (code->effort != SAL_EFFORT_COMPILE || code->late) return false;
    if (waiter && waiter->stopped) code->stopped = true;
    return !(waiter && waiter->stopped);
}

static void begin(batch *b, job *j)
{
    sal_code_state *code = &b->system->code;
    if (!ARRAY_RESERVE(j->list.allocator, &code->loaded, b->count)) j->list.failed = true;
    j->result = sal_native_begin(&j->native, &b->shop->maker, &j->list, may_compile(code));
    if (j->result == SAL_NATIVE_COMPILING && b->since == 0.0) b->since = sal_seconds();
}

/* Lines from which on the kernels of a list are shared between several compilers. */
enum { LONG_LIST = 6000 };

/* Leaves the first kernels of a list in it, one at least; returns the others. */
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

static sal_kernel_list new_list(const batch *b)
{
    return (sal_kernel_list){.allocator = &b->system->arena.allocator};
}

/* Whether an effort has still to be made. */
static bool is_due(const batch *b, int done) { return done < (int)b->system->code.effort; }

/* Looks for the kernels of a list or compiles them; the list is released. */
static void load(batch *b, sal_kernel_list list, int *done)
{
    const int before = *done;
    *done = SAL_EFFORT_COMPILE;
    do {
        job *j = next_job(b);
        if (!j) { /* out of memory: interpreted, tried again */
            *done = before;
            sal_kernel_list_release(&list);
            return;
        }
        const sal_kernel_list rest = split(&list);
        j->list = list;
        j->done = done;
        begin(b, j);
        list = rest;
    } while (list.kernels.count > 0);
}

static void end(batch *b)
{
    finish(b);
    close_shop(b);
}

static void load_maps(batch *b)
{
    sal_kernel_list list = new_list(b);
    if (!is_due(b, b->system->code.maps)) return;
    sal_system_kernels(b->system, &list);
    load(b, list, &b->system->code.maps);
}

/* Whether the law of some event has impulses: see law_of in jump.c. */
static bool has_impacts(const saltus_system *system)
{
    for (int i = 0; i < system->events; i++) {
        const sal_event_system *event = &system->event[i];
        if (event->reset.restitution) return true;
        if (system->nmu > 0 && event->kink < 0 && !event->reset.sets_velocity) return true;
    }
    return false;
}

/* Whether events contain accelerations or multipliers, whose products stages have no use for. */
static bool has_reactions(const saltus_system *system)
{
    for (int i = 0; i < system->events; i++) {
        const sal_event_system *event = &system->event[i];
        if (event->guard_needs_a || event->reset.charge_needs_a_before ||
            event->reset.charge_needs_a_after)
            return true;
    }
    return false;
}

/* Instructions from which on two compilers share the work. */
enum { WORTH_SHARING = 200 };

static void load_whole(batch *b, sal_solved *solved)
{
    const bool shared =
        solved->adjoint.instructions + solved->tangent.instructions >= WORTH_SHARING;
    if (shared && is_due(b, solved->products_effort)) {
        sal_kernel_list list = new_list(b);
        sal_solved_products(solved, &list);
        load(b, list, &solved->products_effort);
    }
    if (b->system->code.along && solved->along.parts && is_due(b, solved->along_effort)) {
        sal_kernel_list list = new_list(b);
        sal_solved_along(solved, &list);
        load(b, list, &solved->along_effort);
    }
    if (is_due(b, solved->effort)) {
        sal_kernel_list list = new_list(b);
        sal_solved_kernels(solved, has_reactions(b->system), &list);
        if (!shared) sal_solved_products(solved, &list);
        load(b, list, &solved->effort);
    }
}

static void load_regime(batch *b, sal_regime *regime)
{
    for (int i = 0; i < 4; i++)
        if (regime->solved[i]) load_whole(b, regime->solved[i]);
    if (is_due(b, regime->effort)) {
        sal_kernel_list list = new_list(b);
        sal_regime_kernels(regime, has_impacts(b->system), &list);
        load(b, list, &regime->effort);
    }
    if (regime->factored_used && is_due(b, regime->factored_effort)) {
        sal_kernel_list list = new_list(b);
        sal_plain_kernels(regime, &list);
        load(b, list, &regime->factored_effort);
    }
}

static void load_all(saltus_system *system)
{
    batch b = {.system = system};
    for (int i = 0; i < system->regimes.count; i++) load_regime(&b, system->regimes.data[i]);
    load_maps(&b);
    end(&b);
}

void sal_system_load_regime(saltus_system *system, sal_regime *regime)
{
    batch b = {.system = system};
    load_regime(&b, regime);
    end(&b);
}

void sal_system_unload(saltus_system *system)
{
    for (int i = 0; i < system->code.loaded.count; i++)
        sal_native_unload(system->code.loaded.data[i]);
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

void sal_system_compile_factored(const saltus_system *system, const sal_regime *regime)
{
    union {
        const sal_regime *in;
        sal_regime       *out;
    } same = {regime};
    saltus_system *own = unlocked(system);
    pthread_mutex_lock(&own->lock);
    same.out->factored_used = true;
    sal_system_load_regime(own, same.out);
    pthread_mutex_unlock(&own->lock);
}

void sal_system_compile_with_tangent(const saltus_system *system)
{
    saltus_system *own = unlocked(system);
    pthread_mutex_lock(&own->lock);
    if (!own->code.along) {
        own->code.along = true;
        load_all(own);
    }
    pthread_mutex_unlock(&own->lock);
}

static void raise(saltus_system *system, sal_effort effort)
{
    sal_code_state *code = &system->code;
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
    saltus_system          *own = unlocked(system);
    pthread_mutex_lock(&own->lock);
    raise(own, efforts[backend]);
    pthread_mutex_unlock(&own->lock);
}

void sal_clock_start(sal_clock *clock)
{
    if (!clock->settled) clock->since = sal_seconds();
}

void sal_clock_tick(sal_clock *clock, const saltus_system *system)
{
    if (clock->settled) return;
    saltus_system  *own = unlocked(system);
    sal_code_state *code = &own->code;
    const double    now = sal_seconds();
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
