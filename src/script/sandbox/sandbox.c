/* Limits on scripts.
 *
 * Three things are counted:
 *   steps    virtual machine instructions, by a count hook, plus charges for work that it does not
 *            count: memory taken, lists sorted, expressions built;
 *   memory   bytes that Lua holds plus bytes of the model;
 *   time     of the processor, limited by the time that the limit of steps takes on this machine.
 * In nearly all cases the limit on steps stops a script; but some single instructions take long
 * (comparing long texts, passing on thousands of arguments), and only a clock notices them.
 *
 * A stop is final: from then on the hook fires at every instruction, so that no code of the script
 * that Lua calls on the way out (__close) can continue. Raising must not need memory, so the texts
 * are made together with the state. */
#define _POSIX_C_SOURCE 200809L
#include "script/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Charges, in steps, tuned so that a step takes some nanoseconds whatever it consists of. */
enum {
    FULL_INTERVAL = 1000,    /* instructions between two checks of the clock */
    CHARGE_INTERVAL = 10000, /* charged steps between two checks of the clock */
    STEPS_PER_BLOCK = 20,
    BYTES_PER_STEP = 32,
    MODEL_BYTES_PER_STEP = 8,           /* nodes of expressions are looked up and differentiated */
    TEXT_BLOCK_MAX = SAL_TEXT_MAX + 64, /* text and header of the object */
    TEXT_WEIGHT = 8, /* cost of scanning a text byte by byte, relative to copying */
    WEIGHT_AT_FULL_INTERVAL = 1 << 20
};

/* The clock never stops a script before this time, in seconds. Building the parts of a model takes
 * time, too, but that is limited by memory and steps. */
#define SECONDS_MIN 0.6
#define SECONDS_PER_MODEL_BYTE 3e-8

/* Sanitizers slow down the library, but not Lua, whose speed is measured. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWNESS 8.0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SLOWNESS 8.0
#endif
#endif
#ifndef SLOWNESS
#define SLOWNESS 1.0
#endif

static const char *const stop_text[] = {
#define SAL_STOP_ROW(name, text) text,
    SAL_STOP_LIST(SAL_STOP_ROW)
#undef SAL_STOP_ROW
};

const char *sal_lua_stop_text(enum sal_stop stop) { return stop_text[stop]; }

/* ---- the clock ------------------------------------------------------------------------------ */

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0.0;
}

/* Whether the time is up. The monotonic clock is checked first, as it takes no system call;
 * processor time takes one, and is never ahead of it. */
static int time_is_up(const struct sal_script *script)
{
    const double building = SLOWNESS * SECONDS_PER_MODEL_BYTE * (double)script->model_bytes;
    if (script->seconds <= 0.0) return 0;
    if (seconds_of(CLOCK_MONOTONIC) - script->wall_start < script->seconds + building) return 0;
    return seconds_of(CLOCK_THREAD_CPUTIME_ID) - script->cpu_start >= script->seconds + building;
}

static void count(lua_State *L, lua_Debug *activation);

/* Makes the hook fire after this many more instructions. Lua allows this call at any moment, also
 * from inside the allocator. */
static void set_interval(const struct sal_script *script, int interval)
{
    if (script->running) lua_sethook(script->running, count, LUA_MASKCOUNT, interval);
}

static void stop(struct sal_script *script, enum sal_stop why)
{
    if (script->stop) return;
    script->stop = why;
    script->interval = 1;
    set_interval(script, 1);
}

enum sal_stop sal_lua_check(struct sal_script *script)
{
    if (script->steps > script->options.step_limit || time_is_up(script))
        stop(script, SAL_STOP_STEPS);
    return script->stop;
}

const char sal_lua_globals = 0;

/* The number of the file that a function is in: see sal_script.in. */
static int find_source(const struct sal_script *script, const char *chunk)
{
    for (int i = 0; i < script->includes; i++)
        if (strcmp(script->included[i].chunk, chunk) == 0) return i + 1;
    return 0;
}

int sal_lua_line(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    lua_Debug          activation;
    script->in = 0;
    for (int level = 0; lua_getstack(L, level, &activation); level++) {
        lua_getinfo(L, "Sl", &activation);
        if (activation.currentline <= 0) continue;
        script->in = find_source(script, activation.short_src);
        return activation.currentline;
    }
    return 0;
}

const char *sal_lua_file(const struct sal_script *script, int in)
{
    return in > 0 ? script->included[in - 1].file : script->file;
}

const char *sal_lua_chunk(const struct sal_script *script, int in)
{
    return in > 0 ? script->included[in - 1].chunk : script->chunk;
}

static void note_stop(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    script->stop_line = sal_lua_line(L);
    script->stop_in = script->in;
}

/* Raises the stop again if the script has been stopped. */
static void pass_stop(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    if (!script->stop) return;
    if (script->stop_line == 0) note_stop(L);
    /* A message handler of the script must not run now: hooks are off while a hook raises. */
    lua_rawgetp(L, LUA_REGISTRYINDEX, &stop_text[script->stop]);
    lua_error(L);
}

void sal_lua_stop(lua_State *L, enum sal_stop why)
{
    stop(sal_lua_script(L), why);
    pass_stop(L);
}

void sal_lua_pass_caught(lua_State *L, int status)
{
    struct sal_script *script = sal_lua_script(L);
    if (status == LUA_ERRMEM) stop(script, script->refused ? script->refused : SAL_STOP_MEMORY);
    pass_stop(L);
}

void sal_lua_note_refusal(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    if (!script->refused || script->stop) return;
    stop(script, script->refused);
    note_stop(L);
}

/* The count hook. */
static void count(lua_State *L, lua_Debug *activation)
{
    struct sal_script *script = sal_lua_script(L);
    (void)activation;
    script->steps += lua_gethookcount(L);
    sal_lua_check(script);
    pass_stop(L);
}

void sal_lua_charge(lua_State *L, size_t steps)
{
    struct sal_script *script = sal_lua_script(L);
    const long long    left = script->options.step_limit - script->steps;
    script->steps += left >= 0 && steps > (size_t)left ? left + 1 : (long long)steps;
    if (script->steps >= script->next_check) {
        script->next_check = script->steps + CHARGE_INTERVAL;
        sal_lua_check(script);
    }
    pass_stop(L);
}

void sal_lua_charge_model(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    const size_t       bytes = saltus_model_bytes(script->model);
    const size_t       growth = bytes > script->model_bytes ? bytes - script->model_bytes : 0;
    script->model_bytes = bytes;
    if (script->bytes > script->options.memory_limit ||
        bytes > script->options.memory_limit - script->bytes)
        stop(script, SAL_STOP_MEMORY);
    /* Some builders walk the whole expression and add nothing new; the clock notices those. */
    script->next_check = 0;
    sal_lua_charge(L, growth / MODEL_BYTES_PER_STEP);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void *plain_resize(void *context, void *block, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size > 0) return realloc(block, size);
    free(block);
    return NULL;
}

/* Notes the weight of a block. A single instruction may have to read all of it, so the larger the
 * blocks are, the more often the clock is checked. */
static void note_weight(struct sal_script *script, size_t weight)
{
    if (weight <= script->largest) return;
    script->largest = weight;
    if (weight <= WEIGHT_AT_FULL_INTERVAL) return;
    const size_t interval = FULL_INTERVAL * (size_t)WEIGHT_AT_FULL_INTERVAL / weight;
    script->interval = interval > 0 ? (int)interval : 1;
    if (!script->stop) set_interval(script, script->interval);
}

/* Refuses a request for memory. Lua then collects garbage and tries again; only the second refusal
 * is a stop. The block has not moved, so the stack can be read; after a granted request it cannot,
 * as the block may be the stack. */
static void *refuse(struct sal_script *script, enum sal_stop why)
{
    if (script->refused && !script->stop) {
        stop(script, why);
        if (script->running) note_stop(script->running);
    }
    script->refused = why;
    return NULL;
}

/* lua_Alloc. For a new object, old_size is its type and not a size. */
static void *resize(void *context, void *block, size_t old_size, size_t size)
{
    struct sal_script *script = context;
    const size_t       old = block ? old_size : 0;
    if (size <= old) {
        void *smaller = script->allocator.resize(script->allocator.context, block, old, size);
        if (size > 0 && !smaller) return refuse(script, SAL_STOP_ALLOCATOR);
        script->bytes -= old - size;
        return smaller;
    }
    const int is_text = !block && old_size == LUA_TSTRING;
    if (is_text && size > TEXT_BLOCK_MAX) return refuse(script, SAL_STOP_TEXT);
    const size_t used = script->bytes + script->model_bytes;
    const size_t limit = script->options.memory_limit;
    if (used > limit || size - old > limit - used) return refuse(script, SAL_STOP_MEMORY);
    void *larger = script->allocator.resize(script->allocator.context, block, old, size);
    if (!larger) return refuse(script, SAL_STOP_ALLOCATOR);
    script->refused = SAL_STOP_NONE;
    script->bytes += size - old;
    script->steps += STEPS_PER_BLOCK + (long long)(size / BYTES_PER_STEP);
    note_weight(script, is_text ? size * TEXT_WEIGHT : size);
    if (script->steps > script->options.step_limit) stop(script, SAL_STOP_STEPS);
    return larger;
}

/* ---- the state ------------------------------------------------------------------------------ */

lua_State *sal_lua_new(struct sal_script *script)
{
    script->interval = FULL_INTERVAL;
    if (!script->allocator.resize) script->allocator.resize = plain_resize;
    lua_State *L = lua_newstate(resize, script);
    if (!L) return NULL;
    *(struct sal_script **)lua_getextraspace(L) = script;
    script->running = L;
    return L;
}

/* Seconds per instruction, from the fastest of a few runs of a short loop. */
static double measure_step(lua_State *L)
{
    static const char loop[] = "local n = 0 for i = 1, 2500 do n = n + i end";
    const double      instructions = 5000.0;
    double            fastest = 1.0;
    if (luaL_loadbufferx(L, loop, sizeof loop - 1, "=speed", "t") != LUA_OK) lua_error(L);
    for (int i = 0; i < 6; i++) {
        const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        lua_pushvalue(L, -1);
        lua_call(L, 0, 0);
        const double time = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start) / instructions;
        if (time < fastest) fastest = time;
    }
    lua_pop(L, 1);
    return fastest;
}

void sal_lua_start(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    for (int i = 0; i < (int)(sizeof stop_text / sizeof *stop_text); i++) {
        lua_pushstring(L, stop_text[i]);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &stop_text[i]);
    }
    set_interval(script, script->interval);
    const double step = measure_step(L);
    const double limit = step * (double)script->options.step_limit;
    script->steps = script->next_check = 0;
    script->wall_start = seconds_of(CLOCK_MONOTONIC);
    script->cpu_start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    script->seconds = SLOWNESS * (limit > SECONDS_MIN ? limit : SECONDS_MIN);
}
