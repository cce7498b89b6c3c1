/* From Lua text to numbers in tests: load, simulate, differentiate by every method, read back. */
#ifndef SCRIPTED_H
#define SCRIPTED_H

#include <glob.h>
#include <saltus/saltus.h>

#include "test.h"

enum { MAX_COSTS = 16, MAX_PARAMS = 16, MAX_ROWS = 4096, MAX_STATES = 32, MAX_MODELS = 64 };

typedef struct scripted {
    saltus_error           err;
    saltus_system         *system;
    saltus_options         options; /* used when the run is made, at the first simulation */
    saltus_run            *run;
    saltus_size            size;
    const saltus_run_info *info;
} scripted;

static const saltus_method all_methods[] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE,
                                            SALTUS_TANGENT};
enum { METHODS = sizeof all_methods / sizeof all_methods[0] };

/* Compiles at tolerance 1e-12; the test fails if the script is wrong. */
static inline scripted load(const char *script)
{
    scripted      s = {0};
    saltus_model *model =
        saltus_model_load_text("script.lua", script, strlen(script), NULL, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status)
        fail_msg("line %d: %s\nin the script:\n%s", s.err.line, s.err.message, script);
    s.size = saltus_system_size(s.system);
    assert_true(s.size.costs <= MAX_COSTS && s.size.params <= MAX_PARAMS);
    assert_true(s.size.coordinates <= MAX_STATES && s.size.memories <= MAX_STATES);
    s.options = saltus_system_options(s.system);
    s.options.rtol = s.options.atol = 1e-12;
    return s;
}

/* The same from a file in models/. */
static inline scripted load_model(const char *name)
{
    char     path[512];
    scripted s = {0};
    snprintf(path, sizeof path, "%s/models/%s.lua", SALTUS_SOURCE_DIR, name);
    saltus_model *model = saltus_model_load(path, &s.err);
    s.system = saltus_system_compile(model, &s.err);
    saltus_model_free(model);
    if (s.err.status) fail_msg("%s: %s", path, s.err.message);
    s.size = saltus_system_size(s.system);
    assert_true(s.size.costs <= MAX_COSTS && s.size.params <= MAX_PARAMS);
    assert_true(s.size.coordinates <= MAX_STATES && s.size.memories <= MAX_STATES);
    s.options = saltus_system_options(s.system);
    s.options.rtol = s.options.atol = 1e-12;
    return s;
}

/* The names of all files in models/, NULL at the end; each fits the arrays of these tests. */
static inline const char *const *all_models(void)
{
    static char        text[MAX_MODELS][64];
    static const char *names[MAX_MODELS + 1];
    glob_t             found;
    const char *const  pattern = SALTUS_SOURCE_DIR "/models/*.lua";
    if (glob(pattern, 0, NULL, &found)) fail_msg("no %s", pattern);
    assert_true(found.gl_pathc <= MAX_MODELS);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *const base = strrchr(found.gl_pathv[i], '/') + 1;
        snprintf(text[i], sizeof text[i], "%.*s", (int)(strlen(base) - strlen(".lua")), base);
        names[i] = text[i];
    }
    names[found.gl_pathc] = NULL;
    globfree(&found);
    return names;
}

/* Simulates with these parameters (NULL: the model's), however the motion ends. */
static inline void simulate(scripted *s, const double *params)
{
    if (!s->run) s->run = saltus_run_new(s->system, &s->options, &s->err);
    saltus_run_simulate(s->run, params, &s->err);
    if (s->err.status) fail_msg("%s", s->err.message);
    s->info = saltus_run_get_info(s->run);
}

static inline void release(scripted *s)
{
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    *s = (scripted){0};
}

static inline void expect_outcome(const scripted *s, saltus_outcome outcome)
{
    if (s->info->outcome != outcome)
        fail_msg("outcome %d at t = %.17g, expected %d, message '%s'", (int)s->info->outcome,
                 s->info->t, (int)outcome, s->info->message);
}

/* Loads, simulates, and expects that outcome. */
static inline scripted run_to(const char *script, saltus_outcome outcome)
{
    scripted s = load(script);
    simulate(&s, NULL);
    expect_outcome(&s, outcome);
    return s;
}

static inline int param(const scripted *s, const char *name)
{
    const int index = saltus_system_find_param(s->system, name);
    if (index < 0) fail_msg("no parameter %s", name);
    return index;
}

static inline int cost(const scripted *s, const char *name)
{
    const int index = saltus_system_find_cost(s->system, name);
    if (index < 0) fail_msg("no cost %s", name);
    return index;
}

static inline double cost_value(scripted *s, const char *name)
{
    double value[MAX_COSTS];
    if (saltus_run_costs(s->run, value, &s->err)) fail_msg("%s", s->err.message);
    return value[cost(s, name)];
}

static inline saltus_row final_row(scripted *s)
{
    saltus_row row;
    if (saltus_run_final(s->run, &row, &s->err)) fail_msg("%s", s->err.message);
    return row;
}

static inline double gradient(scripted *s, saltus_method method, const char *cost_name,
                              const char *param_name)
{
    const int            k = cost(s, cost_name), j = param(s, param_name);
    const saltus_request request = {method, &k, 1, &j, 1};
    double               value = NAN;
    if (saltus_run_gradients(s->run, &request, &value, NULL, NULL, &s->err))
        fail_msg("%s d%s/d%s: %s", saltus_method_name(method), cost_name, param_name,
                 s->err.message);
    return value;
}

/* One derivative, by all methods. */
static inline void expect_gradient(scripted *s, const char *cost_name, const char *param_name,
                                   double expected, double tolerance)
{
    for (int m = 0; m < METHODS; m++) {
        const double value = gradient(s, all_methods[m], cost_name, param_name);
        if (!(fabs(value - expected) <= tolerance))
            fail_msg("d%s/d%s by %s = %.17g, expected %.17g, off by %.3g, allowed %.3g", cost_name,
                     param_name, saltus_method_name(all_methods[m]), value, expected,
                     value - expected, tolerance);
    }
}

/* Every method refuses with this status, a message with this part, and writes nothing. */
static inline void expect_no_gradient(scripted *s, saltus_status status, const char *part)
{
    for (int m = 0; m < METHODS; m++) {
        const saltus_request request = {.method = all_methods[m]};
        saltus_error         err = {0};
        double               value[MAX_COSTS * MAX_PARAMS];
        value[0] = 12345.0;
        saltus_run_gradients(s->run, &request, value, NULL, NULL, &err);
        if (err.status != status)
            fail_msg("%s: status %s, expected %s, message '%s', gradient %.17g",
                     saltus_method_name(all_methods[m]), saltus_status_name(err.status),
                     saltus_status_name(status), err.message, value[0]);
        if (!strstr(err.message, part))
            fail_msg("%s: '%s' is not in the message '%s'", saltus_method_name(all_methods[m]),
                     part, err.message);
        if (value[0] != 12345.0) fail_msg("the gradient was touched: %.17g", value[0]);
    }
}

static inline int has_warning(const scripted *s, const char *part)
{
    for (int i = 0; i < s->info->warnings; i++)
        if (strstr(saltus_run_warning(s->run, i), part)) return 1;
    return 0;
}

static inline void expect_warning(const scripted *s, const char *part)
{
    if (has_warning(s, part)) return;
    for (int i = 0; i < s->info->warnings; i++)
        print_message("warning: %s\n", saltus_run_warning(s->run, i));
    fail_msg("no warning out of %d has '%s'", s->info->warnings, part);
}

static inline void expect_no_warning(const scripted *s)
{
    if (s->info->warnings)
        fail_msg("%d warnings, the first is '%s'", s->info->warnings,
                 saltus_run_warning(s->run, 0));
}

static inline void expect_message(const scripted *s, const char *part)
{
    if (!strstr(s->info->message, part))
        fail_msg("'%s' is not in the message '%s'", part, s->info->message);
}

/* The index-th event of the run has this name and time. */
static inline void expect_event(const scripted *s, int index, const char *name, double t,
                                double tolerance)
{
    if (index >= s->info->events)
        fail_msg("only %d events, expected %s at %.17g", s->info->events, name, t);
    const saltus_occurrence o = saltus_run_event(s->run, index);
    if (strcmp(o.name, name) || !(fabs(o.t - t) <= tolerance))
        fail_msg("event %d is %s at %.17g, expected %s at %.17g, off by %.3g", index, o.name, o.t,
                 name, t, o.t - t);
}

static inline void expect_event_count(const scripted *s, int count)
{
    if (s->info->events == count) return;
    for (int i = 0; i < s->info->events && i < 20; i++)
        print_message("event %s at %.17g\n", saltus_run_event(s->run, i).name,
                      saltus_run_event(s->run, i).t);
    fail_msg("%d events, expected %d", s->info->events, count);
}

/* All rows of a trajectory. */
typedef struct kept_row {
    double t, q[MAX_STATES], v[MAX_STATES], c[MAX_STATES], z[MAX_COSTS];
    double kinetic, potential;
    int    event, after;
    char   mode[64];
} kept_row;
typedef struct trajectory {
    scripted *of;
    int       count;
    kept_row  row[MAX_ROWS];
} trajectory;

static inline void keep(kept_row *kept, const saltus_size *size, const saltus_row *row)
{
    memset(kept, 0, sizeof *kept);
    kept->t = row->t;
    kept->event = row->event;
    kept->after = row->after;
    kept->kinetic = row->kinetic;
    kept->potential = row->potential;
    memcpy(kept->q, row->q, (size_t)size->coordinates * sizeof(double));
    memcpy(kept->v, row->v, (size_t)size->coordinates * sizeof(double));
    if (size->memories) memcpy(kept->c, row->c, (size_t)size->memories * sizeof(double));
    if (size->costs) memcpy(kept->z, row->z, (size_t)size->costs * sizeof(double));
    snprintf(kept->mode, sizeof kept->mode, "%s", row->mode ? row->mode : "");
}

static inline int keep_row(void *context, const saltus_row *row)
{
    trajectory *kept = context;
    if (kept->count == MAX_ROWS) return 1;
    keep(&kept->row[kept->count++], &kept->of->size, row);
    return 0;
}

/* Borrowed until the next call. */
static inline const trajectory *trajectory_at(scripted *s, const double *times, int count)
{
    static trajectory kept;
    kept.of = s;
    kept.count = 0;
    if (saltus_run_trajectory(s->run, times, count, keep_row, &kept, &s->err))
        fail_msg("%s", s->err.message);
    return &kept;
}

#endif
