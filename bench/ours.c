/* Saltus as a contestant, through its public calls: a model, a cost, parameters, a method. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "saltus/saltus.h"

enum { PARAMS = 1024 };

typedef struct ours {
    char           name[64];
    saltus_system *system;
    saltus_run    *run;
    double         tol; /* of the run */
    int            method, cost, max_events;
    bool           native;
    double         end;
    int            params[PARAMS], count;
    double        *costs, *gradient;
} ours;

static bool renew(ours *s, double tol)
{
    saltus_error   err = {0};
    saltus_options options = saltus_system_options(s->system);
    options.rtol = options.atol = s->tol = tol;
    options.backend = s->native ? SALTUS_NATIVE : SALTUS_INTERP;
    if (s->end > 0.0) options.t_end = s->end;
    if (s->max_events) options.max_events = s->max_events;
    saltus_run_free(s->run);
    s->run = saltus_run_new(s->system, &options, &err);
    return s->run != NULL;
}

static bool simulate(void *self, double tol, answer *out)
{
    ours        *s = self;
    saltus_error err = {0};
    if (tol != s->tol && !renew(s, tol)) return false;
    saltus_run_simulate(s->run, NULL, &err);
    saltus_run_costs(s->run, s->costs, &err);
    const saltus_run_info *info = saltus_run_get_info(s->run);
    *out = (answer){s->costs[s->cost], NULL, info->events, info->steps};
    return !err.status && info->outcome == SALTUS_END;
}

static bool differentiate(void *self, double tol, answer *out)
{
    ours                *s = self;
    saltus_error         err = {0};
    const saltus_request request = {(saltus_method)s->method, &s->cost, 1, s->params, s->count};
    if (!simulate(self, tol, out)) return false;
    saltus_run_gradients(s->run, &request, s->gradient, NULL, NULL, &err);
    out->gradient = s->gradient;
    return !err.status;
}

static void release(void *self)
{
    ours *s = self;
    saltus_run_free(s->run);
    saltus_system_free(s->system);
    free(s->costs);
    free(s->gradient);
    free(s);
}

/* "a,b", or "k*": all that begin with k. */
static void choose(ours *s, const char *wrt)
{
    const int   all = saltus_system_size(s->system).params;
    const char *star = strchr(wrt, '*');
    for (const char *at = wrt; !star && *at;) {
        const size_t length = strcspn(at, ",");
        for (int i = 0; i < all && s->count < PARAMS; i++) {
            const char *name = saltus_system_param(s->system, i).name;
            if (strlen(name) == length && !strncmp(name, at, length)) s->params[s->count++] = i;
        }
        at += length + (at[length] == ',');
    }
    for (int i = 0; star && i < all && s->count < PARAMS; i++)
        if (!strncmp(saltus_system_param(s->system, i).name, wrt, (size_t)(star - wrt)))
            s->params[s->count++] = i;
}

bool saltus_contestant(contestants *all, const saltus_entry *entry, int method, bool native)
{
    char                  path[512];
    saltus_error          err = {0};
    saltus_override       set[2];
    saltus_script_options script = {.overrides = set, .override_count = 0};
    for (int i = 0; i < 2 && entry->set[i]; i++)
        set[script.override_count++] = (saltus_override){entry->set[i], entry->value[i], NULL};
    snprintf(path, sizeof path, SALTUS_SOURCE_DIR "/%s", entry->path);
    ours *s = calloc(1, sizeof *s);
    if (!s) return false;
    saltus_model *model = saltus_model_load_with(path, &script, &err);
    s->system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) {
        fprintf(stderr, "bench: %s: %s\n", path, err.message);
        free(s);
        return false;
    }
    s->method = method;
    s->native = native;
    s->end = entry->end;
    s->max_events = entry->max_events;
    s->cost = saltus_system_find_cost(s->system, entry->cost);
    choose(s, entry->wrt);
    s->costs = calloc((size_t)saltus_system_size(s->system).costs, sizeof(double));
    s->gradient = calloc((size_t)s->count + 1, sizeof(double));
    snprintf(s->name, sizeof s->name, "saltus: %s, %s",
             method == FORWARD ? "forward" : saltus_method_name((saltus_method)method),
             native ? "native" : "interp");
    answer a;
    if (!s->costs || !s->gradient || s->cost < 0 || !simulate(s, 1e-6, &a) ||
        (native && saltus_system_backend(s->system).backend != SALTUS_NATIVE)) {
        fprintf(stderr, "bench: %s: %s left out: %s\n", path, s->name,
                s->system ? saltus_system_backend(s->system).note : "");
        release(s);
        return false;
    }
    contestants_add(all, (contestant){s->name, "", method != FORWARD, s,
                                      method == FORWARD ? simulate : differentiate, release});
    return true;
}
