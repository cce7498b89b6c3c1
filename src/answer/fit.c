/* Fits: see saltus/answer.h.
 *
 *     r_k = (m_k(rho) - d_k) / sigma_k,     min sum r_k^2        Levenberg and Marquardt
 *
 * m_k is a sample of an expression or the time of an event; J = dr/drho is exact: the direct
 * method differentiates samples and event times. confidence.c uses J at the minimum. */
#include "answer/fit.h"

#include <math.h>
#include <string.h>

#include "api/options.h"
#include "base/host.h"
#include "base/status.h"
#include "gradient/requests.h"
#include "model/model.h"

/* Tolerance of the run: standard deviations follow from derivatives, in which its errors show. */
static const double TOLERANCE = 1e-13;
static const double LEVEL = 0.95;

/* ---- the model with its samples -------------------------------------------------------------- */

static saltus_status check_event(const saltus_model *model, const sal_measurement *row,
                                 saltus_error *err)
{
    const char *best = NULL;
    for (int i = 0; i < model->events.count; i++) {
        const char *pair[2] = {model->events.data[i].label.name, best};
        if (strcmp(pair[0], row->event) == 0) return SALTUS_OK;
        best = sal_nearest(row->event, pair, 2);
    }
    return sal_fail_at(err, SALTUS_ERR_MODEL, row->label.place.file, row->label.place.line,
                       "measurement '%s': there is no event '%s'%s%s%s", row->label.name,
                       row->event, best ? "; did you mean '" : "", best ? best : "",
                       best ? "'?" : "");
}

static saltus_status check_measurements(const saltus_model *model, saltus_error *err)
{
    if (model->measurements.count == 0)
        return sal_fail(err, SALTUS_ERR_MODEL,
                        "the model has no measurements to fit: add measurement(\"name\", {of = "
                        "..., at = ..., value = ...})");
    for (int i = 0; i < model->measurements.count; i++) {
        const sal_measurement *row = &model->measurements.data[i];
        if (row->weighted != model->measurements.data[0].weighted)
            return sal_fail_at(err, SALTUS_ERR_MODEL, row->label.place.file, row->label.place.line,
                               "measurement '%s' has %s sigma, but '%s' has %s: give sigma for all "
                               "measurements, or for none",
                               row->label.name, row->weighted ? "a" : "no",
                               model->measurements.data[0].label.name,
                               row->weighted ? "none" : "one");
        if (row->event) TRY(check_event(model, row, err));
    }
    return SALTUS_OK;
}

static saltus_status add_samples(saltus_model *model, const sal_measurement *row, saltus_error *err)
{
    saltus_expr *times = ARENA_NEW(&model->arena, row->count, saltus_expr);
    if (!times) return sal_fail_memory(err);
    for (int i = 0; i < row->count; i++) times[i] = saltus_number(model, row->at[i]);
    saltus_samples(model, row->label.name, (saltus_expr){row->of}, times, row->count);
    if (!model->error.status) return SALTUS_OK;
    if (err && !err->status) *err = model->error;
    return model->error.status;
}

static saltus_status note_measurement(saltus_fit *fit, const sal_measurement *row,
                                      saltus_error *err)
{
    sal_measured *to = &fit->measured[fit->measurements++];
    const size_t  bytes = (size_t)row->count * sizeof(double);
    double       *numbers = ARENA_NEW(&fit->arena, 3 * (size_t)row->count, double);
    *to = (sal_measured){.name = sal_arena_text(&fit->arena, row->label.name),
                         .event = sal_arena_text(&fit->arena, row->event),
                         .value = numbers,
                         .sigma = numbers + row->count,
                         .at = numbers + 2 * row->count,
                         .first = fit->m,
                         .count = row->count};
    if (fit->arena.failed) return sal_fail_memory(err);
    memcpy(numbers, row->value, bytes);
    memcpy(numbers + row->count, row->sigma, bytes);
    if (row->of) memcpy(numbers + 2 * row->count, row->at, bytes);
    fit->m += row->count;
    if (row->of) fit->samples += row->count;
    return SALTUS_OK;
}

/* Costs take no part in a fit. */
static saltus_status compile(saltus_fit *fit, saltus_model *model, saltus_error *err)
{
    TRY(check_measurements(model, err));
    TRY(sal_model_keep_costs(model, NULL, 0, err));
    fit->weighted = model->measurements.data[0].weighted;
    fit->measured = ARENA_NEW(&fit->arena, model->measurements.count, sal_measured);
    if (!fit->measured) return sal_fail_memory(err);
    for (int i = 0; i < model->measurements.count; i++) {
        TRY(note_measurement(fit, &model->measurements.data[i], err));
        if (model->measurements.data[i].of)
            TRY(add_samples(model, &model->measurements.data[i], err));
    }
    fit->system = saltus_system_compile(model, err);
    return fit->system ? SALTUS_OK : err ? err->status : SALTUS_ERR_MODEL;
}

/* ---- objects --------------------------------------------------------------------------------- */

static saltus_status choose_params(saltus_fit *fit, const saltus_model *model, const int *params,
                                   int count, saltus_error *err)
{
    const int wanted = params ? count : model->params.count;
    fit->param = ARENA_NEW(&fit->arena, wanted, int);
    if (fit->arena.failed) return sal_fail_memory(err);
    for (int i = 0; i < wanted; i++) {
        const int param = params ? params[i] : i;
        if (!params && model->params.data[param].fixed) continue;
        for (int k = 0; k < fit->n; k++)
            if (fit->param[k] == param)
                return sal_fail(err, SALTUS_ERR_ARGUMENT,
                                "parameter '%s' is twice in the list of those to fit: name it once",
                                model->params.data[param].label.name);
        fit->param[fit->n++] = param;
    }
    if (fit->n == 0)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no parameter to fit: all are fixed");
    if (fit->m < fit->n)
        return sal_fail(err, SALTUS_ERR_MODEL,
                        "%d measured values cannot determine %d parameters: measure more, or fit "
                        "fewer (--over)",
                        fit->m, fit->n);
    return SALTUS_OK;
}

static saltus_status make_room(saltus_fit *fit, const saltus_model *model, saltus_error *err)
{
    const int n = fit->n, m = fit->m;
    fit->np = model->params.count;
    fit->start = model->start;
    fit->active = ARENA_NEW(&fit->arena, n, int);
    fit->params = ARENA_NEW(&fit->arena, fit->np, double);
    fit->predicted = ARENA_NEW(&fit->arena, m, double);
    fit->occurrence = ARENA_NEW(&fit->arena, m, int);
    fit->taken = ARENA_NEW(&fit->arena, fit->samples, double);
    fit->slopes = ARENA_NEW(&fit->arena, (size_t)fit->samples * (size_t)n, double);
    if (!ARENA_VECTORS(&fit->arena, n, &fit->lower, &fit->upper)) return sal_fail_memory(err);
    for (int i = 0; i < fit->np; i++) fit->params[i] = model->params.data[i].value;
    sal_fit_activate(fit, -1);
    return SALTUS_OK;
}

static saltus_status make_run(saltus_fit *fit, const saltus_options *given, saltus_error *err)
{
    saltus_options options = given ? *given : saltus_system_options(fit->system);
    TRY(sal_check_options(&options, err));
    const double tighter = fmin(1.0, TOLERANCE / options.rtol);
    options.rtol *= tighter;
    options.atol *= tighter;
    fit->run = saltus_run_new(fit->system, &options, err);
    return fit->run ? SALTUS_OK : err ? err->status : SALTUS_ERR_MEMORY;
}

static saltus_status init(saltus_fit *fit, const saltus_model *model, const saltus_options *options,
                          const int *params, int count, saltus_error *err)
{
    if (model->error.status) {
        *err = model->error;
        return err->status;
    }
    saltus_model *copy = sal_model_clone(model, &fit->allocator, err);
    if (!copy) return SALTUS_ERR_MEMORY;
    copy->compile_memory = model->compile_memory;
    copy->compile_steps = model->compile_steps;
    saltus_status status = compile(fit, copy, err);
    if (!status) status = choose_params(fit, copy, params, count, err);
    if (!status) status = make_room(fit, copy, err);
    if (!status) status = make_run(fit, options, err);
    saltus_model_free(copy);
    return status;
}

saltus_fit *saltus_fit_new(const saltus_model *model, const saltus_options *options,
                           const int *params, int param_count, double level, saltus_error *err)
{
    HOLD_HOST;
    saltus_error failure = {0};
    if (err && err->status) return NULL;
    if (!model) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "a fit needs a model");
        return NULL;
    }
    if (sal_request_indices(params, param_count, model->params.count, "parameter", err))
        return NULL;
    if (!(level >= 0.0 && level < 1.0)) {
        sal_fail(err, SALTUS_ERR_ARGUMENT,
                 "the level of a fit is %g: it is a probability below 1, or 0 for %g", level,
                 LEVEL);
        return NULL;
    }
    saltus_fit *fit = sal_resize(&model->arena.allocator, NULL, 0, sizeof *fit);
    if (!fit) {
        sal_fail_memory(err);
        return NULL;
    }
    *fit = (saltus_fit){.allocator = model->arena.allocator,
                        .level = level > 0.0 ? level : LEVEL,
                        .result = {.end = SALTUS_FIT_NOT_SOUGHT, .message = ""}};
    sal_arena_init(&fit->arena, &fit->allocator);
    sal_arena_init(&fit->kept, &fit->allocator);
    if (init(fit, model, options, params, param_count, &failure) == SALTUS_OK) return fit;
    if (err) *err = failure;
    saltus_fit_free(fit);
    return NULL;
}

void saltus_fit_free(saltus_fit *fit)
{
    if (!fit) return;
    const saltus_allocator allocator = fit->allocator;
    saltus_run_free(fit->run);
    saltus_system_free(fit->system);
    ARRAY_RELEASE(&allocator, &fit->times);
    sal_arena_free(&fit->kept);
    sal_arena_free(&fit->arena);
    sal_resize(&allocator, fit, sizeof *fit, 0);
}

const saltus_system *saltus_fit_system(const saltus_fit *fit) { return fit ? fit->system : NULL; }

const saltus_fit_result *saltus_fit_get_result(const saltus_fit *fit)
{
    static const saltus_fit_result none = {.end = SALTUS_FIT_NOT_SOUGHT, .message = ""};
    return fit ? &fit->result : &none;
}

/* ---- residuals ------------------------------------------------------------------------------- */

void sal_fit_activate(saltus_fit *fit, int but)
{
    fit->actives = 0;
    for (int i = 0; i < fit->n; i++)
        if (i != but) fit->active[fit->actives++] = i;
    for (int i = 0; i < fit->actives; i++) {
        const saltus_param_info info = saltus_system_param(fit->system, fit->param[fit->active[i]]);
        fit->lower[i] = info.lower;
        fit->upper[i] = info.upper;
    }
}

static void judge_outcome(saltus_fit *fit)
{
    const saltus_run_info *info = saltus_run_get_info(fit->run);
    if (info->outcome == SALTUS_END || info->outcome == SALTUS_TERMINAL_EVENT) return;
    if (info->outcome == SALTUS_INTERRUPTED)
        sal_fail(&fit->why, SALTUS_ERR_INTERRUPTED, "interrupted");
    else sal_fail(&fit->why, SALTUS_ERR_UNFINISHED, "%s", info->message);
}

/* Copies the samples of all measurements to their residuals. */
static void read_samples(saltus_fit *fit)
{
    const double *from = fit->taken;
    if (fit->samples == 0 || saltus_run_samples(fit->run, -1, NULL, fit->taken, &fit->why)) return;
    for (int k = 0; k < fit->measurements; k++) {
        const sal_measured *row = &fit->measured[k];
        for (int i = 0; i < row->count && !row->event; i++) {
            fit->occurrence[row->first + i] = -1;
            fit->predicted[row->first + i] = *from++;
            if (isnan(fit->predicted[row->first + i]) && !fit->why.status)
                sal_fail(&fit->why, SALTUS_ERR_UNFINISHED,
                         "measurement '%s': the motion is from t = %.10g to %.10g, which does not "
                         "contain its time t = %.10g",
                         row->name, fit->start, saltus_run_get_info(fit->run)->t, row->at[i]);
        }
    }
}

static void read_events(saltus_fit *fit, const sal_measured *row)
{
    const int events = saltus_run_get_info(fit->run)->events;
    int       seen = 0;
    for (int e = 0; e < events && seen < row->count; e++) {
        const saltus_occurrence o = saltus_run_event(fit->run, e);
        if (strcmp(o.name, row->event) != 0) continue;
        fit->occurrence[row->first + seen] = e;
        fit->predicted[row->first + seen++] = o.t;
    }
    if (seen < row->count && !fit->why.status)
        sal_fail(&fit->why, SALTUS_ERR_UNFINISHED,
                 "measurement '%s': the event '%s' happens %d time%s, but %d were measured",
                 row->name, row->event, seen, seen == 1 ? "" : "s", row->count);
}

static void simulate(saltus_fit *fit)
{
    fit->why = (saltus_error){0};
    fit->runs++;
    fit->simulated = false;
    saltus_run_simulate(fit->run, fit->params, &fit->why);
    if (!fit->why.status) judge_outcome(fit);
    if (!fit->why.status) read_samples(fit);
    for (int k = 0; k < fit->measurements && !fit->why.status; k++)
        if (fit->measured[k].event) read_events(fit, &fit->measured[k]);
    fit->simulated = fit->why.status == SALTUS_OK;
}

/* Takes the values of the active estimates; true if they differ from those of the last run. */
static bool take(saltus_fit *fit, const double *x)
{
    bool differ = !fit->simulated;
    for (int i = 0; i < fit->actives; i++) {
        double *to = &fit->params[fit->param[fit->active[i]]];
        differ = differ || *to != x[i];
        *to = x[i];
    }
    return differ;
}

static void derive(saltus_fit *fit)
{
    const int events = saltus_run_get_info(fit->run)->events;
    fit->gradients++;
    if (fit->samples > 0)
        saltus_run_sample_gradients(fit->run, -1, SALTUS_DIRECT, fit->param, fit->n, fit->slopes,
                                    &fit->why);
    if (fit->samples == fit->m || fit->why.status) return;
    if (!ARRAY_RESERVE(&fit->allocator, &fit->times, events * fit->n)) {
        sal_fail_memory(&fit->why);
        return;
    }
    double               none; /* there are no costs */
    const saltus_request request = {
        .method = SALTUS_DIRECT, .params = fit->param, .param_count = fit->n};
    saltus_run_gradients(fit->run, &request, &none, fit->times.data, NULL, &fit->why);
}

static void fill_derivatives(const saltus_fit *fit, double *J)
{
    const double *sample = fit->slopes;
    for (int k = 0; k < fit->measurements; k++)
        for (int i = 0; i < fit->measured[k].count; i++) {
            const int     row = fit->measured[k].first + i;
            const double *from = sample;
            if (fit->measured[k].event)
                from = fit->times.data + (size_t)fit->occurrence[row] * (size_t)fit->n;
            else sample += fit->n;
            for (int j = 0; j < fit->actives; j++)
                J[(size_t)row * (size_t)fit->actives + (size_t)j] =
                    from[fit->active[j]] / fit->measured[k].sigma[i];
        }
}

sal_evaluation sal_fit_evaluate(void *context, const double *x, double *r, double *J)
{
    saltus_fit *fit = context;
    if (take(fit, x)) simulate(fit);
    if (fit->why.status) return sal_evaluation_of(fit->why.status);
    for (int k = 0; k < fit->measurements; k++)
        for (int i = 0; i < fit->measured[k].count; i++) {
            const int row = fit->measured[k].first + i;
            r[row] = (fit->predicted[row] - fit->measured[k].value[i]) / fit->measured[k].sigma[i];
        }
    if (!J) return SAL_EVALUATED;
    derive(fit);
    if (!fit->why.status) fill_derivatives(fit, J);
    return sal_evaluation_of(fit->why.status);
}

sal_solve_status sal_fit_search(saltus_fit *fit, double *x, double *r, double *J,
                                sal_lm_result *found)
{
    const sal_lm_problem problem = {.unknowns = fit->actives,
                                    .residuals = fit->m,
                                    .lower = fit->lower,
                                    .upper = fit->upper,
                                    .evaluate = sal_fit_evaluate,
                                    .context = fit};
    return sal_lm(&problem, &fit->allocator, x, r, J, found);
}

/* ---- the search ------------------------------------------------------------------------------ */

static const char *unfound(saltus_fit *fit, sal_solve_status status, const sal_lm_result *found)
{
    switch (status) {
    case SAL_NO_START:
        return sal_arena_format(&fit->kept,
                                "there is nothing to compare with the measurements at the start "
                                "of the search: %s",
                                fit->why.message);
    case SAL_LIMIT:
        return sal_arena_format(&fit->kept, "no minimum after %d iterations", found->iterations);
    case SAL_STOPPED: return "interrupted: this is the best point so far";
    default:
        return sal_arena_format(&fit->kept,
                                "no shorter step makes the sum of squares smaller, but its "
                                "gradient is not zero (a cosine of %.2g is left): start elsewhere, "
                                "or check whether events appear or vanish there",
                                found->gradient);
    }
}

static saltus_fit_end end_of(sal_solve_status status)
{
    switch (status) {
    case SAL_CONVERGED: return SALTUS_FIT_CONVERGED;
    case SAL_LIMIT: return SALTUS_FIT_LIMIT;
    case SAL_NO_START: return SALTUS_FIT_NO_START;
    case SAL_STOPPED: return SALTUS_FIT_INTERRUPTED;
    default: return SALTUS_FIT_STALLED;
    }
}

/* Writes the part of the result that exists however the search ended: the best point and its
 * residuals. */
static bool keep_point(saltus_fit *fit, const double *x, const double *r)
{
    double *params = sal_arena_copy(&fit->kept, fit->params, fit->np);
    double *predicted = ARENA_NEW(&fit->kept, fit->m, double);
    fit->result.residual = sal_arena_copy(&fit->kept, r, fit->m);
    if (fit->kept.failed) return false;
    for (int i = 0; i < fit->n; i++) params[fit->param[i]] = x[i];
    for (int k = 0; k < fit->measurements; k++)
        for (int i = 0; i < fit->measured[k].count; i++) {
            const int row = fit->measured[k].first + i;
            predicted[row] = fit->measured[k].value[i] + r[row] * fit->measured[k].sigma[i];
        }
    fit->result.params = params;
    fit->result.predicted = predicted;
    return true;
}

static saltus_status find(saltus_fit *fit, saltus_error *err)
{
    sal_lm_result found = {0};
    WORK_ARENA(work, &fit->allocator);
    double *x = ARENA_NEW(&work, fit->n, double), *r = ARENA_NEW(&work, fit->m, double);
    double *J = ARENA_NEW(&work, (size_t)fit->m * (size_t)fit->n, double);
    if (work.failed) return sal_fail_memory(err);
    for (int i = 0; i < fit->n; i++) x[i] = fit->params[fit->param[i]];
    sal_fit_activate(fit, -1);
    const sal_solve_status status = sal_fit_search(fit, x, r, J, &found);
    if (status == SAL_OUT_OF_MEMORY || fit->why.status == SALTUS_ERR_MEMORY)
        return sal_fail_memory(err);
    saltus_fit_result *result = &fit->result;
    result->end = end_of(status);
    result->iterations = found.iterations;
    result->runs = fit->runs;
    result->gradients = fit->gradients;
    if (status != SAL_CONVERGED) result->message = unfound(fit, status, &found);
    if (status != SAL_NO_START && found.jacobian_calls > 0) {
        result->rss = found.rss;
        if (!keep_point(fit, x, r)) return sal_fail_memory(err);
    }
    if (status == SAL_CONVERGED) TRY(sal_fit_confidence(fit, J, err));
    if (status == SAL_STOPPED) return sal_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted");
    return result->message ? SALTUS_OK : sal_fail_memory(err);
}

saltus_status saltus_fit_find(saltus_fit *fit, const double *params, saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    if (!fit) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no fit");
    sal_arena_free(&fit->kept);
    fit->runs = fit->gradients = 0;
    fit->simulated = false;
    fit->result = (saltus_fit_result){.end = SALTUS_FIT_NOT_SOUGHT,
                                      .message = "",
                                      .estimates = fit->n,
                                      .param = fit->param,
                                      .rss = NAN,
                                      .variance = NAN,
                                      .level = fit->level,
                                      .residuals = fit->m,
                                      .freedom = fit->m - fit->n};
    TRY(sal_params_check(fit->system, params, err));
    for (int i = 0; i < fit->np; i++)
        fit->params[i] = params ? params[i] : saltus_system_param(fit->system, i).value;
    return find(fit, err);
}
