/* saltus fit: finds parameters that explain measurements, with their uncertainties. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "session.h"
#include "share.h"
#include "summary.h"
#include "team.h"
#include "text.h"

typedef struct profile {
    saltus_fit_profile_interval interval;
    int                         runs, gradients; /* number of runs and of gradients so far */
    saltus_error                error;
} profile;

typedef struct work {
    cli_session              session;
    saltus_fit              *fit;
    const saltus_fit_result *result;
    int                      runs, gradients; /* numbers of them, profiles included */
    profile                 *profile;         /* by estimate; NULL: not requested */
} work;

static const cli_end ends[] = {
    [SALTUS_FIT_CONVERGED] = {"converged", SALTUS_OK},
    [SALTUS_FIT_STALLED] = {"stalled", SALTUS_ERR_UNFINISHED},
    [SALTUS_FIT_LIMIT] = {"limit", SALTUS_ERR_LIMIT},
    [SALTUS_FIT_NO_START] = {"no start", SALTUS_ERR_UNFINISHED},
    [SALTUS_FIT_INTERRUPTED] = {"interrupted", SALTUS_ERR_INTERRUPTED},
    [SALTUS_FIT_NOT_SOUGHT] = {"not sought", SALTUS_ERR_UNFINISHED},
};

static const char *name_of(const work *w, int estimate)
{
    return saltus_system_param(w->session.system, w->result->param[estimate]).name;
}

/* ---- computing ------------------------------------------------------------------------------ */

static void find_profile(void *context, int thread, int index)
{
    work     *w = context;
    profile  *p = &w->profile[index];
    const int runs = w->result->runs, gradients = w->result->gradients;
    (void)thread;
    saltus_fit_profile(w->fit, index, &p->interval, &p->error);
    p->runs = w->result->runs - runs;
    p->gradients = w->result->gradients - gradients;
}

static size_t profile_size(void *context, int index)
{
    return (void)context, (void)index, sizeof(profile);
}

static void save_profile(void *context, int index, void *bytes)
{
    memcpy(bytes, &((work *)context)->profile[index], sizeof(profile));
}

static int load_profile(void *context, int index, const void *bytes, size_t size)
{
    if (size == sizeof(profile)) memcpy(&((work *)context)->profile[index], bytes, size);
    return size == sizeof(profile);
}

/* The identity for sharing profiles. It contains the result, so that different data are noticed. */
static char *identity_of(work *w)
{
    char *text = cli_session_identity(&w->session);
    for (int i = 0; i < w->result->estimates; i++)
        text = cli_append(text, " %.17g", w->result->params[w->result->param[i]]);
    return text;
}

static void share_profiles(work *w)
{
    const saltus_job job = {.context = w,
                            .count = w->result->estimates,
                            .threads = 1,
                            .perform = find_profile,
                            .size = profile_size,
                            .save = save_profile,
                            .load = load_profile};
    CLI_OWNED char  *identity = identity_of(w);
    cli_sharing      sharing = {.identity = identity};
    if (cli_share(&sharing, &job) && !sharing.error.status)
        cli_fail(&sharing.error, SALTUS_ERR_INTERRUPTED, "interrupted");
    if (sharing.error.status) w->session.error = sharing.error;
}

static void find_profiles(work *w)
{
    /* work for a profile relative to the search, as counted on models/fit_bounce.lua */
    enum { PROFILE_BY_SEARCH = 4 };
    cli_session *s = &w->session;
    const int    count = w->result->estimates;
    w->runs = w->result->runs;
    w->gradients = w->result->gradients;
    if (!cli_is_given(s->arguments, CLI_OPTION_PROFILE) || s->error.status ||
        w->result->end != SALTUS_FIT_CONVERGED)
        return;
    w->profile = cli_alloc((size_t)count, sizeof *w->profile);
    cli_progress_end(&s->progress);
    cli_progress_plan(&s->progress, "profiles", count);
    s->progress.passes = PROFILE_BY_SEARCH * (w->runs + w->gradients);
    if (cli_team_size() > 1) share_profiles(w);
    else
        for (int i = 0; i < count && !(i && w->profile[i - 1].error.status); i++) {
            cli_progress_count(&s->progress, i, count);
            find_profile(w, 0, i);
        }
    cli_progress_done(&s->progress);
    for (int i = 0; i < count; i++) {
        w->runs += w->profile[i].runs;
        w->gradients += w->profile[i].gradients;
        if (w->profile[i].error.status && !s->error.status) s->error = w->profile[i].error;
    }
}

static void search(work *w)
{
    cli_session *s = &w->session;
    w->fit = saltus_fit_new(s->model, &s->options, s->params.index, s->params.count,
                            s->arguments->level, &s->error);
    if (s->error.status) return;
    cli_progress_begin(&s->progress, "fitting");
    saltus_fit_find(w->fit, NULL, &s->error);
    w->result = saltus_fit_get_result(w->fit);
    find_profiles(w);
    cli_progress_end(&s->progress);
    cli_session_take_values(s, w->result->params); /* the session's run becomes the fitted motion */
}

/* "k + 0.5 m": a change of parameters that does not change the residuals */
static char *combination_text(const work *w, int index)
{
    const double *part = w->result->combination + index * w->result->estimates;
    char         *text = cli_copy("");
    for (int i = 0; i < w->result->estimates; i++) {
        if (part[i] == 0.0) continue;
        const char *sign = part[i] < 0.0 ? (*text ? " - " : "-") : *text ? " + " : "";
        if (fabs(part[i]) == 1.0) text = cli_append(text, "%s%s", sign, name_of(w, i));
        else text = cli_append(text, "%s%.4g %s", sign, fabs(part[i]), name_of(w, i));
    }
    return text;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *pair_json(double low, double high)
{
    return cli_json_numbers((const double[]){low, high}, 2);
}

/* {parameter: {value, sd, interval}}; those that were not fitted have a value only. */
static json_t *parameters_json(const work *w)
{
    const saltus_fit_result *r = w->result;
    json_t                  *object = json_object();
    for (int i = 0; i < w->session.size.params && r->params; i++)
        cli_json_set(object, saltus_system_param(w->session.system, i).name,
                     cli_json_object("value:n", r->params[i]));
    for (int i = 0; i < r->estimates && r->sd; i++) {
        json_t *entry = json_object_get(object, name_of(w, i));
        cli_json_add(entry, "sd:n interval:j", r->sd[i], pair_json(r->lower[i], r->upper[i]));
        if (r->held[i]) cli_json_add(entry, "held:b", 1);
        if (w->profile)
            cli_json_add(entry, "profile:j",
                         pair_json(w->profile[i].interval.lower, w->profile[i].interval.upper));
    }
    return object;
}

static json_t *correlation_json(const work *w)
{
    const saltus_fit_result *r = w->result;
    json_t                  *object = json_object();
    for (int i = 0; i < r->estimates && r->correlation; i++)
        cli_json_set(object, name_of(w, i),
                     cli_json_by_param(&w->session, r->param, r->estimates,
                                       r->correlation + i * r->estimates, 1));
    return object;
}

static json_t *unidentified_json(const work *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->result->unidentified; i++) {
        CLI_OWNED char *text = combination_text(w, i);
        json_array_append_new(list, cli_json_text(text));
    }
    return list;
}

static json_t *measurement_json(const work *w, int index, int first)
{
    const saltus_measurement_info info = saltus_model_measurement(w->session.model, index);
    json_t                       *object = cli_json_object("name:s event:s", info.name, info.event);
    if (info.at) cli_json_add(object, "at:j", cli_json_numbers(info.at, info.count));
    if (info.sigma) cli_json_add(object, "sigma:j", cli_json_numbers(info.sigma, info.count));
    if (w->result->band)
        cli_json_add(object, "band:j", cli_json_numbers(w->result->band + first, info.count));
    return cli_json_add(object, "value:j predicted:j residual:j",
                        cli_json_numbers(info.value, info.count),
                        cli_json_numbers(w->result->predicted + first, info.count),
                        cli_json_numbers(w->result->residual + first, info.count));
}

static json_t *measurements_json(const work *w)
{
    json_t *list = json_array();
    int     first = 0;
    for (int i = 0; i < saltus_model_measurement_count(w->session.model); i++) {
        json_array_append_new(list, measurement_json(w, i, first));
        first += saltus_model_measurement(w->session.model, i).count;
    }
    return list;
}

static void note_result(work *w)
{
    cli_session             *s = &w->session;
    const saltus_fit_result *r = w->result;
    if (!s->result || !r) return;
    if (s->run && !s->error.status) cli_result_run(s, s->result, NULL, 0);
    cli_json_add(s->result, "status:s parameters:j", ends[r->end].name, parameters_json(w));
    if (*r->message) cli_json_add(s->result, "message:s", r->message);
    cli_json_add(s->result, "rss:n chi2:n dof:i variance:n level:n", r->rss, r->rss, r->freedom,
                 r->variance, r->level);
    cli_json_add(s->result, "correlation:j unidentified:j", correlation_json(w),
                 unidentified_json(w));
    if (r->residual) cli_json_add(s->result, "measurements:j", measurements_json(w));
    cli_json_add(
        s->result, "counts:j",
        cli_json_object("iterations:i runs:i gradients:i", r->iterations, w->runs, w->gradients));
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_estimates(const work *w)
{
    const saltus_fit_result *r = w->result;
    CLI_OWNED char          *title = r->sd
                                         ? cli_format("estimates, with intervals of %g %%", 100.0 * r->level)
                                         : cli_copy("best point");
    cli_table               *table =
        cli_table_of(title, 1, r->sd ? "parameter|>value|>sd|>from|>to" : "parameter|>value");
    for (int i = 0; i < r->estimates; i++) {
        const saltus_param_info info = saltus_system_param(w->session.system, r->param[i]);
        if (r->sd)
            cli_table_row(table, "unnnn", info.name, info.unit, r->params[r->param[i]], r->sd[i],
                          r->lower[i], r->upper[i]);
        else cli_table_row(table, "un", info.name, info.unit, r->params[r->param[i]]);
    }
    cli_session_table(&w->session, table);
}

static void print_profile(const work *w)
{
    if (!w->profile) return;
    cli_table *table = cli_table_of("intervals by profile", 1, "parameter|>from|>to|");
    for (int i = 0; i < w->result->estimates; i++) {
        const saltus_fit_profile_interval *p = &w->profile[i].interval;
        cli_table_row(table, "snns", name_of(w, i), p->lower, p->upper,
                      p->lower_is_open || p->upper_is_open ? "ends at a bound" : "");
    }
    cli_session_table(&w->session, table);
}

static void print_correlations(const work *w)
{
    const saltus_fit_result *r = w->result;
    if (!r->correlation || r->estimates < 2) return;
    cli_table *table = cli_table_of("correlations", 1, "");
    for (int k = 0; k < r->estimates; k++) cli_table_column(table, name_of(w, k), 1);
    for (int i = 0; i < r->estimates; i++) {
        cli_table_cell(table, name_of(w, i));
        cli_table_numbers(table, r->correlation + i * r->estimates, r->estimates);
    }
    cli_session_table(&w->session, table);
}

static void print_quality(const work *w)
{
    const saltus_fit_result *r = w->result;
    FILE                    *out = w->session.arguments->out;
    cli_print(out, "sum of squares %.10g from %d values, %d degrees of freedom\n", r->rss,
              r->residuals, r->freedom);
    for (int i = 0; i < r->unidentified; i++) {
        CLI_OWNED char *text = combination_text(w, i);
        cli_print(out, "the data do not determine: %s\n", text);
    }
    for (int i = 0; i < r->estimates && r->held; i++)
        if (r->held[i]) cli_print(out, "a bound holds: %s\n", name_of(w, i));
    cli_print(out, "\n");
}

static void print_tables(work *w)
{
    cli_session             *s = &w->session;
    const saltus_fit_result *r = w->result;
    if (!r || !r->params) return;
    cli_session_title(s);
    print_estimates(w);
    print_profile(w);
    print_correlations(w);
    print_quality(w);
    if (s->arguments->verbose)
        cli_print(s->arguments->out, "%d iterations, %d runs, %d gradients\n\n", r->iterations,
                  w->runs, w->gradients);
}

/* ---- the command ---------------------------------------------------------------------------- */

int cli_command_fit(const cli_arguments *arguments)
{
    work         w = {.result = NULL};
    cli_session *s = &w.session;
    cli_session_open(s, arguments);
    if (!s->error.status) {
        search(&w);
        if (w.result && w.result->end == SALTUS_FIT_CONVERGED && !s->error.status)
            cli_session_simulate(s);
        note_result(&w);
        if (cli_session_prints(s)) print_tables(&w);
        if (w.result && w.result->params) cli_session_write_result(s);
        if (w.result) cli_session_ends(s, ends[w.result->end], w.result->message);
    }
    free(w.profile);
    saltus_fit_free(w.fit);
    return cli_session_close(s);
}
