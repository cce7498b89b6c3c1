/* What the tests of trouble with compiled code share: two models, whose numbers are the
 * interpreter's whatever happens. */
#ifndef TEST_COMPUTED_H
#define TEST_COMPUTED_H

#include "unit/native.h"

/* Two models whose code differs in one number. */
static const char *const scripts[2] = {
#define SCRIPT(number)                                                                             \
    "local k, e = param('k', 40), param('e', 0.9)\n"                                               \
    "local x = coordinate('x', {start = 1})\n"                                                     \
    "mass(x, 1) potential(0.5 * k * x^2 + " number " * x^4)\n"                                     \
    "event('wall', {when = x + 0.2, direction = 'falling', restitution = e})\n"                    \
    "cost('c', {integral = " number " * x^2, final = dot(x)})\n"                                   \
    "horizon(0, 3)\n"
    SCRIPT("0.125"), SCRIPT("0.25")};

enum { OBJECTS = 3 }; /* of each: the maps, a regime, its kernels with the solve */

typedef struct result {
    double              number[3]; /* the cost and its gradient */
    saltus_backend_info info;
    char                note[SAL_WHY];
} result;

static inline result compute(int script, saltus_backend backend)
{
    const saltus_request request = {.method = SALTUS_DISCRETE};
    result               r;
    scripted             s = load(scripts[script]);
    s.options.backend = backend;
    simulate(&s, NULL);
    saltus_run_costs(s.run, r.number, &s.err);
    saltus_run_gradients(s.run, &request, r.number + 1, NULL, NULL, &s.err);
    if (s.err.status) fail_msg("%s", s.err.message);
    r.info = saltus_system_backend(s.system);
    snprintf(r.note, sizeof r.note, "%s", r.info.note);
    release(&s);
    return r;
}

/* The numbers are the interpreter's; this many objects were loaded, and this many of them compiled.
 */
static inline result expect_native(int loaded, int compiled)
{
    static result interpreted;
    if (interpreted.number[0] == 0.0) interpreted = compute(0, SALTUS_INTERP);
    const result r = compute(0, SALTUS_NATIVE);
    expect_same_numbers(interpreted.number, r.number, 3, "native");
    if (r.info.loaded != loaded || r.info.compiled != compiled)
        fail_msg("%d loaded, %d compiled, expected %d, %d; note '%s'", r.info.loaded,
                 r.info.compiled, loaded, compiled, r.note);
    return r;
}

static inline void expect_note(const result *r, const char *part)
{
    if (!strstr(r->note, part)) fail_msg("no '%s' in the note '%s'", part, r->note);
}

#endif
