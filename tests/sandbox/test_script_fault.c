/* Loading without memory: every single request is refused once, in turn, and then all from there
 * on. The status is right and nothing leaks. */
#include "script_test.h"

/* An allocator that checks the sizes it is told and counts what is out. */
struct counter {
    long   requests, fail_at; /* 0: none fails */
    int    for_good;
    size_t live;
};

/* Before each block stands its size. */
enum { HEADER = 16 };

static void *counted_resize(void *context, void *block, size_t old_size, size_t size)
{
    struct counter *counter = context;
    char           *start = block ? (char *)block - HEADER : NULL;
    size_t          told = 0;
    if (start) memcpy(&told, start, sizeof told);
    if (!start) old_size = 0; /* no block has no size */
    if (told != old_size) fail_msg("a block of %zu bytes was called %zu bytes", told, old_size);
    if (size == 0) {
        counter->live -= old_size;
        free(start);
        return NULL;
    }
    counter->requests++;
    if (counter->fail_at && (counter->for_good ? counter->requests >= counter->fail_at
                                               : counter->requests == counter->fail_at))
        return NULL;
    char *moved = realloc(start, size + HEADER);
    if (!moved) return NULL;
    memcpy(moved, &size, sizeof size);
    counter->live += size - old_size;
    return moved + HEADER;
}

static const char script[] =
    "model 'typical'\n"
    "local n = setting('n', 3)\n"
    "local k, e = param('k', 100, {unit = 'N/m'}), param('e', 0.8)\n"
    "gravity(0, -9.81)\n"
    "local last = ground_point(0, 0)\n"
    "local air, rest = mode 'air', mode 'rest'\n"
    "for i = 1, n do\n"
    "  local P = point('P' .. i, {x = i, y = 0})\n"
    "  mass(P, 1, {mode = {air, rest}})\n"
    "  spring {last, P, stiffness = k, length = 1}\n"
    "  event('ground' .. i, {when = P.y + 1, direction = 'falling', restitution = e,\n"
    "    charge = {hits = 1}})\n"
    "  last = P\n"
    "end\n"
    "local s = ('a b c'):upper():rep(3, 'x') .. tostring(k)\n"
    "print(string.format('%s %d', s, 3), table.concat({1, 2, 3}, ', '))\n"
    "local names = {} for name in pairs({b = 1, a = 2}) do names[#names + 1] = name end\n"
    "table.sort(names)\n"
    "local B = body('B', {y = 1, guess = {0, 0, 0}, mass = 1, inertia = k})\n"
    "joint.revolute {B:point(0, 1), last} joint.weld {B, mode = rest}\n"
    "torsion_spring {B, stiffness = 1, damping = e} motor {B, angle = t, name = 'm'}\n"
    "local C, D = body('C', {mass = 1, inertia = 1}), body('D', {mass = 1, inertia = 1})\n"
    "gear {C, D, ratio = e} gear {B, C, ratio = e, carrier = D, mode = rest}\n"
    "contact {B:point(1, 0), circle = {B, radius = 1}, sticks = true, mode = air,\n"
    "  where = {last.x, last.y}, charge = {hits = impulse('contact 1')}}\n"
    "contact {gap = B.y, restitution = e, settle = 0.1}\n"
    "event('out', {when = last.x - 2, from = air, to = rest, set = {[dot(last.x)] = 0}})\n"
    "cost('hits') cost('way', {integral = dot(last.x)^2})\n"
    "output('height', last.y)\n"
    "solver {rtol = 1e-9}\n"
    "horizon(0, 2 * e)\n";

static saltus_status load_with_fault(struct counter *counter)
{
    const saltus_override  override = {"n", 2, NULL};
    const saltus_allocator allocator = {counted_resize, counter};
    saltus_script_options  options = saltus_script_options_default();
    saltus_error           err = {0};
    options.allocator = &allocator;
    options.overrides = &override;
    options.override_count = 1;
    saltus_model *model =
        saltus_model_load_text("script.lua", script, sizeof script - 1, &options, &err);
    if (err.status == SALTUS_ERR_MODEL)
        fail_msg("request %ld: line %d: %s", counter->fail_at, err.line, err.message);
    if ((model == NULL) != (err.status != SALTUS_OK)) fail_msg("request %ld", counter->fail_at);
    saltus_model_free(model);
    if (counter->live != 0)
        fail_msg("request %ld refused: %zu bytes leak", counter->fail_at, counter->live);
    return err.status;
}

TEST(every_request_may_fail_for_good)
{
    for (long n = 1;; n++) {
        struct counter      counter = {.fail_at = n, .for_good = 1};
        const saltus_status status = load_with_fault(&counter);
        if (counter.requests < n) {
            assert_int_equal(status, SALTUS_OK);
            break;
        }
        if (status != SALTUS_ERR_MEMORY) fail_msg("request %ld: %s", n, saltus_status_name(status));
    }
}

/* Lua collects garbage and asks again, so a single refusal may do no harm. */
TEST(every_request_may_fail_once)
{
    for (long n = 1;; n++) {
        struct counter      counter = {.fail_at = n};
        const saltus_status status = load_with_fault(&counter);
        if (counter.requests < n) {
            assert_int_equal(status, SALTUS_OK);
            break;
        }
        if (status != SALTUS_ERR_MEMORY && status != SALTUS_OK)
            fail_msg("request %ld: %s", n, saltus_status_name(status));
    }
}

TEST(stopped_scripts_leak_nothing)
{
    static const char *const scripts[] = {
        "while true do end",
        "local t = {} while true do t[#t + 1] = {} end",
        "local x <close> = setmetatable({}, {__close = function() while true do end end})\n"
        "while true do end",
        "local s = 'x' while true do s = s .. s end",
        "local x = coordinate('x') while true do x = sin(x) end",
        "while true do local s = ('a'):rep(60) .. 'b' end",
        "error('x')",
        "error(",
        "param('k')",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct counter         counter = {0};
        const saltus_allocator allocator = {counted_resize, &counter};
        saltus_script_options  options = saltus_script_options_default();
        options.allocator = &allocator;
        options.step_limit = 1000000;
        options.memory_limit = 10000000;
        const struct outcome outcome = load_bytes(scripts[i], strlen(scripts[i]), &options);
        assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
        if (counter.live != 0) fail_msg("%zu bytes leak: %s", counter.live, scripts[i]);
    }
}

TEST(a_file_is_read_through_the_allocator)
{
    for (long n = 1; n < 20; n++) {
        struct counter         counter = {.fail_at = n, .for_good = 1};
        const saltus_allocator allocator = {counted_resize, &counter};
        saltus_script_options  options = saltus_script_options_default();
        saltus_error           err = {0};
        options.allocator = &allocator;
        saltus_model *model = saltus_model_load_with(__FILE__, &options, &err); /* it is not Lua */
        assert_null(model);
        if (err.status != SALTUS_ERR_MEMORY && err.status != SALTUS_ERR_FILE)
            fail_msg("request %ld: %s", n, err.message);
        assert_int_equal(counter.live, 0);
    }
}

TEST_MAIN(RUN(every_request_may_fail_for_good), RUN(every_request_may_fail_once),
          RUN(stopped_scripts_leak_nothing), RUN(a_file_is_read_through_the_allocator))
