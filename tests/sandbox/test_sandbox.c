/* Hostile scripts: each is stopped within a second, with a message that says why. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "script_test.h"

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif

/* Seconds a hostile script may take. Instrumented programs get more, and so do those on a machine
 * with more work than cores, which slow each other down. */
static double seconds_allowed(void)
{
    double load = 0.0;
    (void)load;
#if defined(RUNNING_ON_VALGRIND)
    if (RUNNING_ON_VALGRIND) return 1e9;
#endif
#if defined(__SANITIZE_ADDRESS__)
    return 12.0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
    return 12.0;
#endif
#endif
    if (getloadavg(&load, 1) == 1 && load > (double)sysconf(_SC_NPROCESSORS_ONLN)) return 2.0;
    return 1.0;
}

/* A tenth of the default limit of steps, so that the test does not take minutes; the clock's limit
 * is the default one. */
static const long long few_steps = 8000000;

static void expect_stopped_within(const char *script, const char *part, long long step_limit,
                                  double seconds)
{
    saltus_script_options options = saltus_script_options_default();
    if (step_limit) options.step_limit = step_limit;
    const struct outcome outcome = load_bytes(script, strlen(script), &options);
    if (outcome.err.status != SALTUS_ERR_MODEL || !strstr(outcome.err.message, part))
        fail_msg("status %s, message '%s', expected '%s', of the script:\n%s",
                 saltus_status_name(outcome.err.status), outcome.err.message, part, script);
    if (outcome.err.line < 1) fail_msg("no line is reported for:\n%s", script);
    if (outcome.seconds > seconds)
        fail_msg("stopped after %.2f s only:\n%s", outcome.seconds, script);
}

static void expect_stopped_at(const char *script, const char *part, long long step_limit)
{
    expect_stopped_within(script, part, step_limit, seconds_allowed());
}

static void expect_stopped(const char *script, const char *part)
{
    expect_stopped_at(script, part, few_steps);
}

#define TOO_LONG "takes too long"
#define TOO_DEEP "recurses too deeply"
#define TOO_MUCH "memory"

/* The promise as users meet it. */
TEST(the_default_limits_hold_within_a_second)
{
    static const char *const scripts[] = {
        "while true do end",
        "local function f() end while true do f() end",
        "local x <close> = setmetatable({}, {__close = function() while true do end end})\n"
        "while true do end",
        "local t = {} while true do t[#t + 1] = {} end",
        "local t = {} local i = 0 while true do i = i + 1 t[i] = 'x' .. i end",
        "local x = coordinate('x') while true do x = sin(x) end",
        "local t = {} for i = 1, 1e7 do t[i] = -i end table.sort(t)",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        expect_stopped_at(scripts[i], "", 0);
}

TEST(endless_loops_are_stopped)
{
    expect_stopped("while true do end", TOO_LONG);
    expect_stopped("::a:: goto a", TOO_LONG);
    expect_stopped("for i = 1, math.huge do end", TOO_LONG);
    expect_stopped("local function f() return f() end f()", TOO_LONG);
    expect_stopped("while true do print('x') end", TOO_LONG);
}

/* Variables that are closed on the way out are the only code of the script that runs after an
 * error. */
TEST(a_stop_cannot_be_held_up)
{
    expect_stopped(
        "local x <close> = setmetatable({}, {__close = function() while true do end end})\n"
        "while true do end",
        TOO_LONG);
    expect_stopped(
        "local x <close> = setmetatable({}, {__close = function() while true do end end})\n"
        "error('caught')",
        TOO_LONG);
    expect_stopped("local x <close> = setmetatable({}, {__close = function() error('other') end})\n"
                   "while true do end",
                   TOO_LONG);
    expect_stopped("local x <close> = setmetatable({}, {__close = function() error('other') end})\n"
                   "local s = 'x' while true do s = s .. s end",
                   "million bytes");
    expect_stopped("local close = setmetatable({}, {__close = function() while true do end end})\n"
                   "for i in print, nil, nil, close do end",
                   TOO_LONG);
}

TEST(metamethods_and_callbacks_are_counted)
{
    expect_stopped("local t = setmetatable({}, {__index = function() while true do end end})\n"
                   "print(t.x)",
                   TOO_LONG);
    expect_stopped("table.sort({1, 2, 3}, function() while true do end end)", TOO_LONG);
    expect_stopped("print(setmetatable({}, {__tostring = function() while true do end end}))",
                   TOO_LONG);
    expect_stopped("do local x <close> = setmetatable({}, {__close = function()\n"
                   "while true do end end}) end",
                   TOO_LONG);
}

TEST(work_inside_functions_is_counted)
{
    expect_stopped("local t = {} for i = 1, 1e5 do t[i] = i end\n"
                   "while true do table.insert(t, 1, 0) end",
                   TOO_LONG);
    expect_stopped(
        "local t = setmetatable({}, {__len = function() return 1 << 60 end, __index = {}})\n"
        "table.insert(t, 1, 1)",
        TOO_LONG);
    expect_stopped("local t = {} for i = 1, 1e5 do t[i] = i end\n"
                   "while true do for k in pairs(t) do break end end",
                   TOO_LONG);
    expect_stopped("local s = ('x'):rep(9e5) while true do local u = s:upper() end", TOO_LONG);
    expect_stopped("local s = ('x'):rep(9e5) while true do local f = ('%s'):format(s) end",
                   TOO_LONG);
    expect_stopped("while true do local s = ('x'):rep(1e5, ',') end", TOO_LONG);
    expect_stopped(
        "local s = ('x'):rep(9e5) while true do local n = select('#', s:byte(1, -1)) end",
        TOO_LONG);
}

/* Single instructions that work for long: only the clock sees them. */
TEST(slow_instructions_are_stopped)
{
    expect_stopped("local a, b = ('x'):rep(999000), ('x'):rep(999000)\n"
                   "while true do local c = a == b end",
                   TOO_LONG);
    expect_stopped("local a, b = ('x'):rep(999000), ('x'):rep(999000)\n"
                   "while true do local c = a < b end",
                   TOO_LONG);
    expect_stopped("local a = ('1'):rep(999000) while true do local c = tonumber(a) end", TOO_LONG);
    expect_stopped("local t = {} for i = 1, 90000 do t[i] = i end local function g(...) end\n"
                   "local function f(...) while true do g(...) end end f(table.unpack(t))",
                   TOO_LONG);
    expect_stopped("local t = {} for i = 1, 2^18 do t[i] = i end\n"
                   "while true do t.x = 1 t.x = nil t.y = 1 t.y = nil end",
                   TOO_LONG);
    expect_stopped("local t = {} for i = 1, 1990 do t = setmetatable({}, {__index = t}) end\n"
                   "while true do local x = t.a end",
                   TOO_LONG);
}

TEST(memory_bombs_are_stopped)
{
    expect_stopped("local s = ('x'):rep(1e9)", "million bytes");
    expect_stopped("local s = 'x' while true do s = s .. s end", "million bytes");
    expect_stopped("local t = {} for i = 1, 20 do t[i] = ('x'):rep(90000) end\n"
                   "local s = table.concat(t)",
                   "million bytes");
    expect_stopped("local t = {} while true do t[#t + 1] = {} end", "");
    expect_stopped("local t = {} local i = 0 while true do i = i + 1 t[i] = i end", "");
    expect_stopped("local t = {} local i = 0 while true do i = i + 1 t[i] = 'x' .. i end", "");
}

TEST(the_memory_limit_counts_script_and_model)
{
    saltus_script_options options = saltus_script_options_default();
    options.memory_limit = 2000000;
    const char *const scripts[] = {
        "local t = {} while true do t[#t + 1] = {} end",
        "local x = coordinate('x') local e = x for i = 1, 1e6 do e = sin(e) end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const struct outcome outcome = load_bytes(scripts[i], strlen(scripts[i]), &options);
        assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
        if (!strstr(outcome.err.message, "too much memory")) fail_msg("%s", outcome.err.message);
        assert_int_equal(outcome.err.line, 1);
    }
    options.memory_limit = 1000; /* not even the state fits */
    const struct outcome outcome = load_bytes("x = 1", 5, &options);
    assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
}

TEST(expression_bombs_are_stopped)
{
    expect_stopped("local x = coordinate('x') while true do x = x + 1 end", "");
    expect_stopped("local x = coordinate('x') while true do x = sin(x) end", "");
    expect_stopped("local x = coordinate('x') local i = 0\n"
                   "while true do i = i + 1 local y = sin(x * i) end",
                   "");
    expect_stopped("local x = coordinate('x') local e = x for i = 1, 1e5 do e = sin(e) end\n"
                   "while true do local d = dot(e) end",
                   TOO_LONG);
    expect_stopped("local i = 0 while true do i = i + 1 coordinate('x' .. i) end", TOO_LONG);
    expect_stopped("local x = coordinate('x') while true do kinetic(dot(x)^2) end", "");
    expect_stopped("local x = coordinate('x') local e = x\n"
                   "for i = 1, 100 do e = e * e + sin(e) end while true do tostring(e) end",
                   "");
}

TEST(deep_recursion_has_a_clear_message)
{
    expect_stopped_at("local function f() return 1 + f() end f()", TOO_DEEP, 0);
    expect_stopped_at("local t = setmetatable({}, {}) getmetatable(t).__index = function(s, k)\n"
                      "return s[k + 1] end local x = t[1]",
                      TOO_DEEP, 0);
    expect_stopped_at("local function f() table.sort({1, 2}, f) end f()", TOO_DEEP, 0);
    expect_stopped_at(
        "local t t = setmetatable({}, {__tostring = function() return tostring(t) end})\n"
        "print(t)",
        TOO_DEEP, 0);
}

/* No hook runs while Lua reads a script. */
TEST(scripts_that_are_slow_to_read_are_stopped)
{
    const struct {
        const char *start, *piece, *end;
        int         count;
    } rows[] = {
        {"local a = 1 if a == 0 then ", "elseif a == 0 then ", "end", 300000},
        {"local a local b = ", "a or ", "a", 1000000},
        {"", "a = 1 ", "", 2500000},
        {"local a = ", "(", "", 1000000},
        {"local a = ", "{", "", 1000000},
        {"local a = '", "xxxxxxxxxx", "'", 1000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t length = strlen(rows[i].piece) * (size_t)rows[i].count;
        char        *script = malloc(length + 100), *next = script;
        assert_non_null(script);
        next += sprintf(next, "%s", rows[i].start);
        for (int k = 0; k < rows[i].count; k++) {
            memcpy(next, rows[i].piece, strlen(rows[i].piece));
            next += strlen(rows[i].piece);
        }
        next += sprintf(next, "%s", rows[i].end);
        const struct outcome outcome = load_bytes(script, (size_t)(next - script), NULL);
        free(script);
        if (outcome.err.status != SALTUS_OK) { /* a fast machine may get to the end */
            assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
            assert_int_equal(outcome.err.line, 1);
        }
        if (outcome.seconds > seconds_allowed())
            fail_msg("row %d was stopped after %.2f s only", (int)i, outcome.seconds);
    }
}

TEST(there_is_no_way_out)
{
    static const char *const words[] = {"os",     "io",       "debug", "require",       "package",
                                        "dofile", "loadfile", "load",  "collectgarbage"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char script[100], message[100];
        snprintf(script, sizeof script, "\nlocal x = %s", words[i]);
        snprintf(message, sizeof message, "'%s' is not available", words[i]);
        expect_fails(script, 2, message);
    }
    expect_fails("string.dump(print)", 1, "dump");
    expect_fails("local f = ('').dump f(print)", 1, "'string.dump' is not available");
    expect_fails("getmetatable('').__index.rep = nil", 1, "");
    expect_prints("print(getmetatable(''), getmetatable(_G), getmetatable(t))",
                  "false\tfalse\texpression\n");
    expect_prints("print({}, print, setmetatable({}, {__name = 'n'}))", "table\tfunction\ttable\n");
}

TEST(bytecode_is_refused)
{
    const struct outcome outcome = load_bytes("\x1bLua\x54\0\x19\x93", 8, NULL);
    assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
    if (!strstr(outcome.err.message, "only text")) fail_msg("%s", outcome.err.message);
}

TEST(files_that_are_no_text_are_refused)
{
    const struct outcome outcome = load_bytes("model 'a'\0\nhorizon(0, 1)", 23, NULL);
    assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
    if (!strstr(outcome.err.message, "byte 10 is zero")) fail_msg("%s", outcome.err.message);
}

TEST(finalisers_are_refused)
{
    expect_fails("setmetatable({}, {__gc = function() while true do end end})", 1, "__gc");
    expect_fails("setmetatable({}, {__mode = 'k'})", 1, "__mode");
    /* Set later, __gc has no effect: that is Lua's rule. */
    expect_prints("local m = {} for i = 1, 100 do setmetatable({}, m) end\n"
                  "m.__gc = function() print('ran') while true do end end\n"
                  "local t = {} for i = 1, 1e5 do t[i % 10] = {} end print('end')",
                  "end\n");
}

TEST(limits_follow_the_options)
{
    saltus_script_options options = saltus_script_options_default();
    const char           *script = "local n = 0 for i = 1, 100000 do n = n + i end";
    options.step_limit = 50000;
    struct outcome outcome = load_bytes(script, strlen(script), &options);
    assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
    options.step_limit = 500000;
    outcome = load_bytes(script, strlen(script), &options);
    assert_int_equal(outcome.err.status, SALTUS_OK);
}

TEST(ten_million_instructions_pass)
{
    expect_prints("local n = 0 for i = 1, 3000000 do n = n + i % 7 end print(n)", "8999997\n");
}

/* Building a model is limited by steps and memory. Its time is that of reading and writing memory,
 * which other programs slow down, so the limit is measured here: an endless loop is stopped with
 * about twice as many coordinates. */
TEST(a_hundred_thousand_coordinates_are_no_endless_loop)
{
    const struct outcome many =
        load("for i = 1, 100000 do\n"
             "  local x = coordinate('x' .. i, {start = i == 1 and 1 or 0})\n"
             "  mass(x, 1) force(x, -x - x^3)\n"
             "end print('end')");
    assert_int_equal(many.err.status, SALTUS_OK);
    assert_string_equal(many.printed, "end\n");
    expect_stopped_within("local i = 0 while true do\n"
                          "  i = i + 1 local x = coordinate('x' .. i) mass(x, 1) force(x, -x)\n"
                          "end",
                          TOO_LONG, 0, 4.0 * many.seconds);
}

TEST_MAIN(RUN(the_default_limits_hold_within_a_second), RUN(endless_loops_are_stopped),
          RUN(a_stop_cannot_be_held_up), RUN(metamethods_and_callbacks_are_counted),
          RUN(work_inside_functions_is_counted), RUN(slow_instructions_are_stopped),
          RUN(memory_bombs_are_stopped), RUN(the_memory_limit_counts_script_and_model),
          RUN(expression_bombs_are_stopped), RUN(deep_recursion_has_a_clear_message),
          RUN(scripts_that_are_slow_to_read_are_stopped), RUN(there_is_no_way_out),
          RUN(bytecode_is_refused), RUN(files_that_are_no_text_are_refused),
          RUN(finalisers_are_refused), RUN(limits_follow_the_options),
          RUN(ten_million_instructions_pass),
          RUN(a_hundred_thousand_coordinates_are_no_endless_loop))
