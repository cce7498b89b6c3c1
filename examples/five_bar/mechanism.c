/* The model of models/five_bar.lua, loaded, run and differentiated. */
#include <math.h>
#include <string.h>

#include "study.h"

const double      horizon_seconds[HORIZONS] = {2.0, 5.0};
const char *const method_names[METHODS] = {"direct", "adjoint", "discrete", "fd"};
const int         all_params[PARAMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static const saltus_method methods[METHODS] = {SALTUS_DIRECT, SALTUS_ADJOINT, SALTUS_DISCRETE,
                                               SALTUS_FD};
static const char *const   cost_names[COSTS] = {"int_yd2", "int_ydd2", "int_ydd2sq_plus_yd2sq"};

static void wrong_model(study *s, const char *what)
{
    s->err.status = SALTUS_ERR_ARGUMENT;
    snprintf(s->err.message, sizeof s->err.message,
             "%s: %s; the study needs a model like models/five_bar.lua", s->model, what);
}

/* The names and values that the tables use. */
static void look_up(mechanism *m, study *s)
{
    const saltus_size size = saltus_system_size(m->system);
    if (size.params != PARAMS || size.coordinates != COORDINATES || size.constraints != BARS) {
        wrong_model(s, "another number of parameters, coordinates or bars");
        return;
    }
    for (int j = 0; j < PARAMS; j++) {
        m->param[j] = saltus_system_param(m->system, j).name;
        m->rho[j] = saltus_system_param(m->system, j).value;
    }
    for (int k = 0; k < COSTS; k++) {
        m->cost_name[k] = cost_names[k];
        m->cost[k] = saltus_system_find_cost(m->system, cost_names[k]);
        if (m->cost[k] < 0) wrong_model(s, "one of the three costs is missing");
    }
}

static void simulate(mechanism *m, study *s, variant v)
{
    saltus_options options = saltus_system_options(m->system);
    options.rtol = options.atol = v.tol;
    options.t_end = v.seconds;
    options.formulation = v.alpha > 0.0 ? SALTUS_PENALTY : SALTUS_INDEX1;
    if (v.alpha > 0.0) options.alpha = v.alpha;
    m->run = saltus_run_new(m->system, &options, &s->err);
    saltus_run_simulate(m->run, NULL, &s->err);
    if (s->err.status) return;
    m->events = saltus_run_get_info(m->run)->events;
    if (saltus_run_get_info(m->run)->outcome != SALTUS_END || m->events > MAX_EVENTS)
        wrong_model(s, "the run did not reach its end, or had too many impacts");
}

void mechanism_open(mechanism *m, study *s, variant v)
{
    memset(m, 0, sizeof *m);
    m->seconds = v.seconds;
    const saltus_override impact = {"impact", 0.0, "newton"};
    saltus_script_options script = saltus_script_options_default();
    script.overrides = &impact;
    script.override_count = v.newton ? 1 : 0;
    saltus_model *model = saltus_model_load_with(s->model, &script, &s->err);
    if (model) m->system = saltus_system_compile(model, &s->err);
    saltus_model_free(model);
    if (m->system) look_up(m, s);
    if (!s->err.status) simulate(m, s, v);
}

void mechanism_close(mechanism *m)
{
    saltus_run_free(m->run);
    saltus_system_free(m->system);
    memset(m, 0, sizeof *m);
}

int param_index(const mechanism *m, const char *name)
{
    return saltus_system_find_param(m->system, name);
}

void sample_times(const mechanism *m, double *times, int count)
{
    for (int i = 0; i < count; i++) times[i] = m->seconds * i / (count - 1);
}

/* ---- constraints ---------------------------------------------------------------------------- */

void bar_residuals(const mechanism *m, const double *q, const double *v, double phi[BARS],
                   double rate[BARS])
{
    static const double A[2] = {-0.5, 0.0}, B[2] = {0.5, 0.0}, still[2] = {0.0, 0.0};
    const double        LA1 = m->rho[param_index(m, "LA1")], L32 = m->rho[param_index(m, "L32")];
    const struct {
        const double *p, *p_dot, *q, *q_dot;
        double        length;
    } bar[BARS] = {{A, still, q + P1_X, v + P1_X, LA1},
                   {q + P1_X, v + P1_X, q + P2_X, v + P2_X, sqrt(13.0) / 2.0},
                   {q + P2_X, v + P2_X, q + P3_X, v + P3_X, L32},
                   {q + P3_X, v + P3_X, B, still, sqrt(2.0)}};
    for (int b = 0; b < BARS; b++) {
        const double x = bar[b].q[0] - bar[b].p[0], y = bar[b].q[1] - bar[b].p[1];
        const double x_dot = bar[b].q_dot[0] - bar[b].p_dot[0];
        const double y_dot = bar[b].q_dot[1] - bar[b].p_dot[1];
        phi[b] = x * x + y * y - bar[b].length * bar[b].length;
        rate[b] = 2.0 * (x * x_dot + y * y_dot);
    }
}

typedef struct residual_search {
    const mechanism *m;
    residuals        worst;
} residual_search;

static int search_residuals(void *context, const saltus_row *row)
{
    residual_search *search = context;
    double           phi[BARS], rate[BARS];
    bar_residuals(search->m, row->q, row->v, phi, rate);
    for (int b = 0; b < BARS; b++) {
        search->worst.phi = larger(search->worst.phi, fabs(phi[b]));
        search->worst.rate = larger(search->worst.rate, fabs(rate[b]));
    }
    return 0;
}

residuals worst_residuals(mechanism *m, study *s)
{
    enum { SAMPLES = 2001 };
    static double   times[SAMPLES];
    residual_search search = {m, {0.0, 0.0}};
    sample_times(m, times, SAMPLES);
    saltus_run_trajectory(m->run, times, SAMPLES, search_residuals, &search, &s->err);
    return search.worst;
}

/* ---- gradients ------------------------------------------------------------------------------ */

void mechanism_gradient(mechanism *m, study *s, int method, double *gradient, double *time_gradient)
{
    const saltus_request request = {
        .method = methods[method], .costs = m->cost, .cost_count = COSTS};
    saltus_run_gradients(m->run, &request, gradient, time_gradient, NULL, &s->err);
}

mechanism *study_run(study *s, int horizon)
{
    mechanism *m = &s->at[horizon];
    if (!m->run && !s->err.status)
        mechanism_open(m, s, (variant){.seconds = horizon_seconds[horizon], .tol = 1e-12});
    return m;
}

const gradients *study_gradients(study *s, int horizon)
{
    gradients *g = &s->gradient[horizon];
    mechanism *m = study_run(s, horizon);
    if (s->has_gradient[horizon] || s->err.status) return g;
    double value[64];
    saltus_run_costs(m->run, value, &s->err);
    for (int k = 0; k < COSTS; k++) g->value[k] = value[m->cost[k]];
    for (int i = 0; i < DIFFERENCES; i++) mechanism_gradient(m, s, i, g->of[i], g->time[i]);
    s->has_gradient[horizon] = 1;
    return g;
}

const gradients *study_differences(study *s, int horizon)
{
    gradients *g = &s->gradient[horizon];
    study_gradients(s, horizon);
    if (s->has_differences[horizon] || s->err.status) return g;
    mechanism_gradient(study_run(s, horizon), s, DIFFERENCES, g->of[DIFFERENCES],
                       g->time[DIFFERENCES]);
    s->has_differences[horizon] = 1;
    return g;
}
