/* Which kinks are continuous, and which are steep: what is decided about each when a model is
 * compiled. */
#include "compile/system.h"
#include "theory/scripted.h"

typedef struct expected {
    const char *script;
    const char *kinks; /* one letter each: c continuous, d discontinuous, s continuous and steep */
} expected;

#define MOVING                                                                                     \
    "local p, k = param('p', 0.3), param('k', 0)\n"                                                \
    "local x, y = coordinate('x', {start = 1}), coordinate('y')\n"                                 \
    "local v, w = dot(x), dot(y)\n"                                                                \
    "mass(x, 1) mass(y, 2)\nhorizon(0, 1)\n"

static const expected cases[] = {
    /* forces */
    {"force(x, -abs(x))", "c"},
    {"force(x, -sign(x))", "d"},
    {"force(x, -p * sign(v) - x)", "d"},
    {"force(x, -1e-9 * sign(v) - x)", "d"},
    {"force(x, -k * sign(v))", "d"},
    {"force(x, -v * abs(v))", "c"},
    {"force(x, -sign(v) * v^2)", "c"},
    {"force(x, -sign(v) * abs(v)^1.5)", "c"},
    {"force(x, -sign(v) * sqrt(abs(v)))", "s"},
    {"force(x, -v * sqrt(abs(v)))", "c"},
    {"force(x, -x * sign(x) * y)", "c"},
    {"force(x, -x * sign(y))", "d"},
    {"force(x, -sign(x - 0.3) * (x - 0.2 - 0.1))", "c"},
    {"force(x, -sin(x) * sign(x) + tanh(x) * sign(-x))", "c"},
    {"force(x, -p * min(v, 0) - 3 * max(v, 0))", "c"},
    {"force(x, 100 * max(-x, 0)^1.5 * (1 + v))", "c"},
    {"force(x, max(x, y) - min(y, x))", "c"},
    {"force(x, min(x, 1) + max(1, x))", "c"},
    {"force(x, max(x, x)) force(y, abs(x^2) + abs(y)^4)", ""},
    {"force(x, min(max(t - p, 0), 1))", "cc"},
    {"force(x, sign(max(x, 0) - p))", "cd"},
    /* derivatives */
    {"force(x, -dot(max(x, 0)))", "d"},
    {"force(x, -x * dot(abs(x)))", "c"},
    {"force(x, -dot(abs(x)^3))", "c"},
    /* energies: their derivatives act */
    {"potential(abs(x))", "d"},
    {"potential(max(-x, 0)^2)", "c"},
    {"potential(max(-x, 0)^2.5)", "c"},
    {"potential(max(-x, 0)^1.5)", "s"},
    {"dissipation(abs(v))", "d"},
    {"dissipation(abs(v)^3)", "c"},
    {"kinetic(0.5 * (2 + abs(x)) * v^2)", "d"},
    {"kinetic(0.5 * (2 + abs(x)^3) * v^2)", "c"},
    {"constraint('c', y - abs(x))", "d"},
    {"constraint('c', y - x * abs(x))", "d"},
    {"constraint('c', y - abs(x)^3)", "c"},
    /* integrals and guards */
    {"cost('c', {integral = max(x, y)})", "c"},
    {"cost('c', {integral = sign(x - y)})", "d"},
    {"cost('c', {integral = abs(x)}) force(x, -sign(x))", "d"},
    {"event('e', {when = abs(x) - p})", "c"},
    {"event('e', {when = sqrt(abs(x)) - p})", "c"},
    {"event('e', {when = sign(x) - p * y})", "d"},
};

static char letter(const sal_kink *kink)
{
    return kink->steep && kink->continuous ? 's' : kink->continuous ? 'c' : 'd';
}

TEST(every_kink_is_judged_by_what_its_branches_do)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[512], found[16] = "";
        snprintf(script, sizeof script, MOVING "%s\n", cases[i].script);
        scripted s = load(script);
        for (int k = 0; k < s.system->kinks && k < 15; k++) found[k] = letter(&s.system->kink[k]);
        if (strcmp(found, cases[i].kinks) != 0)
            fail_msg("%s: '%s', expected '%s'", cases[i].script, found, cases[i].kinks);
        release(&s);
    }
}

TEST_MAIN(RUN(every_kink_is_judged_by_what_its_branches_do))
