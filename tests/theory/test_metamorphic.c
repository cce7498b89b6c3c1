/* Every shipped model and random models, told and computed in other ways: the same events, the same
 * numbers.
 *
 * Environment: SEEDS=number and FIRST=seed run these seeds of random models instead of the fixed
 * ones, QUIET=1 leaves out texts. */
#include <glob.h>
#include <saltus/saltus.h>

#include "metamorphic.h"
#include "random_model.h"

/* How large an error of the state may be at the tight tolerance. */
static const double EFFECT = 0.1 * SAME_TOL;

static const change plainly = {.name = "as it is"};
static const change changes[] = {
    {.name = "max_step T/7", .max_step = 1.0 / 7.0},
    {.name = "max_step T/40", .max_step = 1.0 / 40.0},
    {.name = "max_step T/64.3", .max_step = 1.0 / 64.3},
    {.name = "max_step T/200", .max_step = 1.0 / 200.0},
    {.name = "first_step T/10", .first_step = 0.1},
    {.name = "first_step T/10^6", .first_step = 1e-6},
    {.name = "dopri5", .dopri5 = true},
    {.name = "time from 8 on", .prelude = DISGUISE_SHIFT, .shift = 8.0},
    {.name = "time from -0.7 on", .prelude = DISGUISE_SHIFT, .shift = -0.7},
    {.name = "time in milli", .prelude = DISGUISE_SCALE, .scale = 1e3, .scales_time = true},
    {.name = "time in kilo", .prelude = DISGUISE_SCALE, .scale = 1e-3, .scales_time = true},
    {.name = "mass in micro", .prelude = DISGUISE_MASS, .scale = 1e6},
    {.name = "mass in mega", .prelude = DISGUISE_MASS, .scale = 1e-6},
    {.name = "with a companion", .prelude = DISGUISE_COMPANION},
    {.name = "events reversed", .prelude = DISGUISE_ORDER, .reverse_events = true},
    {.name = "coordinates reversed", .reverse_coordinates = true},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

static struct {
    int    cases[CHANGES], failed[CHANGES], left_out;
    double worst[CHANGES];
} total;

typedef struct pair {
    const char   *model;
    const change *change;
    int           index;
    const char   *text; /* as changed */
    telling      *plain, *changed;
    bool          silent; /* nothing is said of differences */
} pair;

/* ---- comparing ------------------------------------------------------------------------------ */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
complain(const pair *p, const char *format, ...)
{
    char    message[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (p->silent) return false;
    print_message("%s, %s: %s\n", p->model, p->change->name, message);
    return false;
}

/* A time of the changed model in units of the plain one. */
static double plain_time(const change *c, double t)
{
    return c->scales_time ? t / c->scale : t - c->shift;
}

static bool within(const pair *p, double a, double b, double allowed)
{
    if (!(fabs(a - b) <= allowed)) return false;
    total.worst[p->index] = fmax(total.worst[p->index], fabs(a - b) / allowed);
    return true;
}

static bool same_list(const pair *p, const outcome_of *a, const outcome_of *b, const char *what)
{
    for (int i = 0; i < a->events && i < b->events; i++)
        if (strcmp(a->name[i], b->name[i]))
            return complain(p, "%s: event %d is %s at %.15g, and %s at %.15g", what, i, a->name[i],
                            a->time[i], b->name[i], b->time[i]);
    if (a->events != b->events)
        return complain(p, "%s: %d events, and %d; the last at %.15g, and %.15g", what, a->events,
                        b->events, a->events ? a->time[a->events - 1] : NAN,
                        b->events ? b->time[b->events - 1] : NAN);
    return true;
}

/* What may change with the tolerance. */
static double most_change(const telling *told, int k)
{
    return (100.0 + told->loose.steps) * SAME_TOL * (told->carried[k] + 1.0);
}

static bool same_costs(const pair *p)
{
    const telling *a = p->plain, *b = p->changed;
    for (int k = 0; k < a->size.costs; k++) {
        const double da = fabs(a->loose.cost[k] - a->tight.cost[k]);
        const double db = fabs(b->loose.cost[k] - b->tight.cost[k]);
        const double carried = a->carried[k] + b->carried[k] + 1.0;
        if (!strcmp(saltus_system_cost(a->system, k).name, "times of events") && p->change->prelude)
            continue; /* counted from another start */
        if (!(da <= most_change(a, k)) || !(db <= most_change(b, k)))
            return complain(p, "%s changes with the tolerance by %.3g, and %.3g; carried %.3g",
                            saltus_system_cost(a->system, k).name, da, db, carried);
        if (!within(p, a->tight.cost[k], b->tight.cost[k], da + db + EFFECT * carried))
            return complain(p, "%s = %.15g, and %.15g, off by %.3g, allowed %.3g",
                            saltus_system_cost(a->system, k).name, a->tight.cost[k],
                            b->tight.cost[k], b->tight.cost[k] - a->tight.cost[k],
                            da + db + EFFECT * carried);
    }
    return true;
}

/* By which sum of errors the times of events are off: the last cost, if there is one. */
static double time_carried(const telling *told)
{
    for (int k = 0; k < told->size.costs; k++)
        if (!strcmp(saltus_system_cost(told->system, k).name, "times of events"))
            return told->carried[k];
    double most = 1.0;
    for (int k = 0; k < told->size.costs; k++) most = fmax(most, told->carried[k]);
    return most;
}

static bool same_times(const pair *p)
{
    const telling *a = p->plain, *b = p->changed;
    const double   carried = 1.0 + fabs(p->change->shift) + time_carried(a);
    for (int i = 0; i < a->tight.events; i++) {
        const double at = a->tight.time[i], other = plain_time(p->change, b->tight.time[i]);
        const double da = fabs(a->loose.time[i] - at);
        const double db = fabs(plain_time(p->change, b->loose.time[i]) - other);
        if (!within(p, at, other, da + db + EFFECT * carried))
            return complain(p, "%s at %.15g, and %.15g, off by %.3g, allowed %.3g",
                            a->tight.name[i], at, other, other - at, da + db + EFFECT * carried);
    }
    return true;
}

static bool same_gradients(const pair *p)
{
    const telling *a = p->plain, *b = p->changed;
    const int      params = a->size.params;
    int            free_params = 0;
    if (!a->tight.has_gradient || !a->loose.has_gradient) return true;
    if (!b->tight.has_gradient || !b->loose.has_gradient)
        return complain(p, "has a gradient, and has none");
    for (int j = 0; j < params; j++) free_params += !saltus_system_param(a->system, j).fixed;
    for (int k = 0; k < a->size.costs; k++)
        for (int j = 0, free = 0; j < params; j++) {
            const saltus_param_info info = saltus_system_param(a->system, j);
            if (info.fixed) continue;
            const int    at = k * free_params + free++;
            const double x = a->tight.gradient[at], y = b->tight.gradient[at];
            const double d = fabs(a->loose.gradient[at] - x) + fabs(b->loose.gradient[at] - y) +
                             EFFECT * (100.0 * fabs(x) + (a->carried[k] + b->carried[k] + 1.0) /
                                                             fmax(fabs(info.value), 1e-3));
            if (!strcmp(saltus_system_cost(a->system, k).name, "times of events") &&
                p->change->scales_time)
                continue;
            if (!within(p, x, y, d))
                return complain(p, "d%s/d%s = %.15g, and %.15g, off by %.3g, allowed %.3g",
                                saltus_system_cost(a->system, k).name, info.name, x, y, y - x, d);
        }
    return true;
}

static bool same_motion(const pair *p)
{
    const telling *a = p->plain, *b = p->changed;
    if (a->tight.outcome != b->tight.outcome || a->tight.outcome != b->loose.outcome)
        return complain(p, "outcome %d (%s), and %d, %d (%s)", (int)a->tight.outcome,
                        a->tight.message, (int)b->tight.outcome, (int)b->loose.outcome,
                        b->tight.outcome != a->tight.outcome ? b->tight.message : b->loose.message);
    return same_list(p, &a->tight, &b->tight, "at the tight tolerance") &&
           same_list(p, &b->tight, &b->loose, "at two tolerances") && same_times(p) &&
           same_costs(p) && same_gradients(p);
}

/* ---- one model ------------------------------------------------------------------------------ */

static bool happens_together(const outcome_of *o)
{
    for (int i = 0; i + 1 < o->events; i++)
        if (o->time[i + 1] - o->time[i] <= 1e-9 * (1.0 + fabs(o->time[i]))) return true;
    return false;
}

static void show_text(const char *text)
{
    while (*text && !getenv("QUIET")) {
        const int length = (int)strcspn(text, "\n");
        for (int at = 0; at < length; at += 500)
            print_message("%s%.*s", at ? "" : "    ", length - at < 500 ? length - at : 500,
                          text + at);
        print_message("\n");
        text += length + (text[length] == '\n');
    }
}

/* Compares one model with all its changes; the number of those that differ. */
static int check_model(const char *name, const char *script)
{
    static char    text[SAME_TEXT];
    static telling plain, changed;
    int            failures = 0;
    bool           usable;
    disguise(script, &plainly, text);
    if (!tell(&plain, text, &plainly, 0.0)) {
        print_message("%s: line %d: %s\n", name, plain.err.line, plain.err.message);
        forget(&plain);
        return 1;
    }
    pair p = {name, &plainly, 0, text, &plain, &plain, false};
    usable = plain.tight.outcome <= SALTUS_TERMINAL_EVENT && !plain.tight.warned;
    total.left_out += !usable;
    if (usable && !same_list(&p, &plain.tight, &plain.loose, "at two tolerances")) {
        failures++;
        usable = false;
    }
    for (int i = 0; i < CHANGES && usable; i++) {
        const change *c = &changes[i];
        const double  length = plain.tight.t * (c->scales_time ? c->scale : 1.0);
        if (SANITIZED && i % 4 != 3) continue;
        if (c->reverse_events && happens_together(&plain.tight)) continue;
        if (!disguise(script, c, text)) continue;
        p = (pair){name, c, i, text, &plain, &changed, false};
        total.cases[i]++;
        const bool told = tell(&changed, text, c, length);
        if (!told) complain(&p, "line %d: %s", changed.err.line, changed.err.message);
        if (!told || !same_motion(&p)) {
            total.failed[i]++;
            failures++;
            show_text(text);
        }
        forget(&changed);
    }
    forget(&plain);
    return failures;
}

static char *read_text(const char *path)
{
    static char text[SAME_TEXT];
    FILE *const file = fopen(path, "r");
    if (!file) fail_msg("no %s", path);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

/* ---- the claims ----------------------------------------------------------------------------- */

TEST(shipped_models_are_the_same_in_other_words)
{
    glob_t found;
    int    failures = 0;
    if (getenv("SEEDS")) skip();
    assert_int_equal(glob(SALTUS_SOURCE_DIR "/models/*.lua", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        failures += check_model(strrchr(found.gl_pathv[i], '/') + 1, read_text(found.gl_pathv[i]));
    globfree(&found);
    assert_int_equal(failures, 0);
}

TEST(random_models_are_the_same_in_other_words)
{
    static random_model m;
    const char *const all = getenv("SEEDS"), *const from = getenv("FIRST");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    const uint64_t count = all ? strtoull(all, NULL, 10) : SANITIZED ? 4 : 40;
    int            failures = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        char name[40];
        snprintf(name, sizeof name, "random seed %llu", (unsigned long long)seed);
        random_model_make(&m, seed);
        failures += check_model(name, m.text);
    }
    assert_int_equal(failures, 0);
}

/* All parameters are off by a few millionths: that is another model. */
TEST(another_model_is_noticed)
{
    static const change other = {.name = "another model",
                                 .prelude = "local param_ = param local function param(n, v, o) "
                                            "return param_(n, v * (1 + 3e-6), o) end "};
    static char         text[SAME_TEXT];
    static telling      plain, changed;
    const char *const   models[] = {"bouncing_ball", "coulomb", "shaker", "four_bar",
                                    "hopper",        "press",   "clutch", "string_taut"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, models[i]);
        const char *const script = read_text(path);
        const pair        p = {models[i], &other, 0, text, &plain, &changed, true};
        disguise(script, &plainly, text);
        assert_true(tell(&plain, text, &plainly, 0.0));
        disguise(script, &other, text);
        assert_true(tell(&changed, text, &other, 0.0));
        if (same_motion(&p)) fail_msg("%s: nothing is noticed", models[i]);
        forget(&plain);
        forget(&changed);
    }
}

TEST(the_account)
{
    int cases = 0;
    for (int i = 0; i < CHANGES; i++) {
        print_message("%-24s %5d cases, %5d failed, worst of the others %.1e of what is allowed\n",
                      changes[i].name, total.cases[i], total.failed[i], total.worst[i]);
        cases += total.cases[i];
    }
    print_message("%d cases, %d models left out\n", cases, total.left_out);
    EXPECT(cases > 0);
}

TEST_MAIN(RUN(shipped_models_are_the_same_in_other_words),
          RUN(random_models_are_the_same_in_other_words), RUN(another_model_is_noticed),
          RUN(the_account))
