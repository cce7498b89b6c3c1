/* The derivatives of a random model's costs, event times and end time by all methods, compared row
 * by row. What is compared is off by at most
 *
 *     (allowed) (scale) (growth),   scale = largest entry of the row + a part of the largest of
 * all,
 *
 * where growth is the largest sensitivity of the state along the motion: small errors are
 * multiplied by it. The file that includes this one defines before it
 *
 *     CHECK_LIST(X)    what is compared: name, text, allowed
 *     TIGHT, LOOSE     the tolerances
 *     MAX_STEPS       motions that need more are left out,
 *     MAX_GROWTH      and those with larger sensitivities,
 *     MIN_RATE       or with an event that nearly grazes: of them, comparisons say little
 *     SANITIZED_SEEDS  the last seed of builds with sanitizers, which are slow
 *
 * Environment: SEEDS=number and FIRST=seed run these seeds instead of the fixed ones; QUIET=1
 * leaves out the text of models that fail. */
#ifndef RANDOM_CHECKS_H
#define RANDOM_CHECKS_H

#include <saltus/saltus.h>

#include "random_text.h"
#include "test.h"

enum { COSTS = 8, EVENTS = 48, ROWS = COSTS + EVENTS + 1, METHODS = 5, SAMPLES = 17 };
enum { MAX_ROWS = SAMPLES + 2 * EVENTS, STATE = 40 };

/* ---- the account ---------------------------------------------------------------------------- */

typedef enum check {
#define CHECK_ROW(name, text, allowed) name,
    CHECK_LIST(CHECK_ROW)
#undef CHECK_ROW
        CHECKS
} check;

static const struct {
    const char *text;
    double      allowed;
} checks[] = {
#define CHECK_ROW(name, text, allowed) {text, allowed},
    CHECK_LIST(CHECK_ROW)
#undef CHECK_ROW
};

enum { REASONS = 32, REASON_TEXT = 48 };

typedef struct account {
    int    models, checked, with_events, failed;
    double worst[CHECKS];
    char   reason[REASONS][REASON_TEXT]; /* why models were left out */
    int    skips[REASONS];
} account;

static account total;

/* Numbers in a reason become #, so that equal reasons are counted together. */
static void note_skip(const char *reason)
{
    char key[REASON_TEXT];
    int  i = 0, length = 0;
    for (; *reason && length < REASON_TEXT - 1; reason++) {
        const bool digit = (*reason >= '0' && *reason <= '9') || *reason == '.' || *reason == '-';
        if (digit && length && key[length - 1] == '#') continue;
        key[length++] = digit ? '#' : *reason;
    }
    key[length] = '\0';
    while (i < REASONS - 1 && total.skips[i] && strcmp(total.reason[i], key) != 0) i++;
    memcpy(total.reason[i], key, (size_t)length + 1);
    total.skips[i]++;
}

static void show_account(void)
{
    print_message("%d models, %d checked, %d of them with events, %d failed\n", total.models,
                  total.checked, total.with_events, total.failed);
    for (int i = 0; i < CHECKS; i++)
        print_message("  %-45s worst %.1e, allowed %.1e\n", checks[i].text, total.worst[i],
                      checks[i].allowed);
    for (int i = 0; i < REASONS && total.skips[i]; i++)
        print_message("  left out %4d: %s\n", total.skips[i], total.reason[i]);
}

/* ---- one model ------------------------------------------------------------------------------ */

/* Rows: costs, event times, end time; columns: parameters. */
typedef struct derivatives {
    double row[ROWS][RANDOM_PARAMS];
} derivatives;

typedef struct subject {
    uint64_t            seed;
    const random_model *model;
    saltus_system      *system;
    saltus_run         *run;
    int                 params, costs, events;
    int                 every[RANDOM_PARAMS]; /* all parameters, fixed ones too */
    double              growth;
    derivatives         by[METHODS];
} subject;

typedef enum verdict { CHECKED, SKIPPED, FAILED } verdict;

static int rows_of(const subject *s) { return s->costs + s->events + 1; }

/* The seed and what is wrong, then the model, line by line. */
static verdict complain(const subject *s, const char *format, ...)
{
    char        message[1024];
    va_list     arguments;
    const char *line = s->model->text;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_message("seed %llu: %s\n", (unsigned long long)s->seed, message);
    while (*line && !getenv("QUIET")) {
        const int length = (int)strcspn(line, "\n");
        for (int at = 0; at < length; at += 500)
            print_message("%.*s", length - at < 500 ? length - at : 500, line + at);
        print_message("\n");
        line += length + 1;
    }
    return FAILED;
}

static verdict leave_out(const char *reason)
{
    note_skip(reason);
    return SKIPPED;
}

/* Gradients that do not exist are refused: a reason to leave a model out. */
static verdict refuse(const subject *s, const char *what, const saltus_error *err)
{
    if (err->status == SALTUS_ERR_GRAZING || err->status == SALTUS_ERR_NO_GRADIENT)
        return leave_out(err->message);
    return complain(s, "%s, line %d: %s", what, err->line, err->message);
}

static const char *row_name(const subject *s, int row, char *buffer, size_t size)
{
    if (row < s->costs) snprintf(buffer, size, "cost %s", saltus_system_cost(s->system, row).name);
    else if (row < s->costs + s->events)
        snprintf(buffer, size, "time of event %d (%s)", row - s->costs,
                 saltus_run_event(s->run, row - s->costs).name);
    else snprintf(buffer, size, "end time");
    return buffer;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static double largest_entry(const derivatives *d, int row, int columns)
{
    double largest = 0.0;
    for (int j = 0; j < columns; j++) largest = fmax(largest, fabs(d->row[row][j]));
    return largest;
}

/* A small row may be the difference of large numbers: part of the largest row is its floor. */
static double scale_of(const subject *s, const derivatives *d, int row)
{
    double all = 1.0;
    for (int i = 0; i < rows_of(s); i++) all = fmax(all, largest_entry(d, i, s->params));
    return largest_entry(d, row, s->params) + 1e-2 * all;
}

typedef struct difference {
    double off; /* in units of scale * growth */
    int    row, column;
} difference;

static difference compare(const subject *s, const derivatives *a, const derivatives *b)
{
    difference worst = {0.0, 0, 0};
    for (int i = 0; i < rows_of(s); i++)
        for (int j = 0; j < s->params; j++) {
            double off = fabs(a->row[i][j] - b->row[i][j]) / (scale_of(s, a, i) * s->growth);
            if (isnan(off)) off = INFINITY;
            if (off > worst.off) worst = (difference){off, i, j};
        }
    return worst;
}

static verdict judge(const subject *s, check what, const derivatives *a, const derivatives *b)
{
    char             name[96];
    const difference d = compare(s, a, b);
    if (d.off <= checks[what].allowed) {
        total.worst[what] = fmax(total.worst[what], d.off);
        return CHECKED;
    }
    return complain(s, "%s differ by %.2g (growth %.2g): %s by p%d is %.15g and %.15g",
                    checks[what].text, d.off, s->growth, row_name(s, d.row, name, sizeof name),
                    d.column + 1, a->row[d.row][d.column], b->row[d.row][d.column]);
}

/* ---- running -------------------------------------------------------------------------------- */

/* As the model asks for, but for these. A sanitizer sees what the interpreter does, and not what
 * compiled kernels do; a program as slow as that would have many compiled. */
static saltus_options options_at(const subject *s, double tolerance)
{
    saltus_options options = saltus_system_options(s->system);
    options.rtol = options.atol = tolerance;
    options.max_events = EVENTS - 1;
    options.max_steps = MAX_STEPS;
    if (SANITIZED) options.backend = SALTUS_INTERP;
    return options;
}

static saltus_status differentiate(const subject *s, saltus_run *run, saltus_method method,
                                   derivatives *d, saltus_error *err)
{
    double cost[COSTS * RANDOM_PARAMS], time[EVENTS * RANDOM_PARAMS], end[RANDOM_PARAMS];
    const saltus_request request = {.method = method, .params = s->every, .param_count = s->params};
    const size_t         row = (size_t)s->params * sizeof(double);
    saltus_run_gradients(run, &request, cost, time, end, err);
    if (err->status) return err->status;
    for (int i = 0; i < s->costs; i++) memcpy(d->row[i], cost + i * s->params, row);
    for (int i = 0; i < s->events; i++) memcpy(d->row[s->costs + i], time + i * s->params, row);
    memcpy(d->row[s->costs + s->events], end, row);
    return SALTUS_OK;
}

static bool prepare(subject *s, saltus_error *err)
{
    char name[32];
    snprintf(name, sizeof name, "seed%llu", (unsigned long long)s->seed);
    saltus_model *model = saltus_model_load_text(name, s->model->text, s->model->length, NULL, err);
    s->system = saltus_system_compile(model, err);
    saltus_model_free(model);
    if (err->status) return false;
    const saltus_options options = options_at(s, TIGHT);
    s->run = saltus_run_new(s->system, &options, err);
    saltus_run_simulate(s->run, NULL, err);
    if (err->status) return false;
    s->params = saltus_system_size(s->system).params;
    s->costs = saltus_system_size(s->system).costs;
    s->events = saltus_run_get_info(s->run)->events;
    for (int i = 0; i < s->params; i++) s->every[i] = i;
    return true;
}

/* Motions that end early or come near a place without derivatives are left out, by name. */
static const char *reason_to_leave_out(const saltus_run *run)
{
    const saltus_run_info *info = saltus_run_get_info(run);
    if (info->outcome != SALTUS_END && info->outcome != SALTUS_TERMINAL_EVENT) return info->message;
    for (int i = 0; i < info->warnings; i++)
        if (!strstr(saltus_run_warning(run, i), "is already")) return saltus_run_warning(run, i);
    for (int i = 0; i < info->events; i++)
        if (fabs(saltus_run_event(run, i).rate) < MIN_RATE) return "an event nearly grazes";
    return NULL;
}

/* ---- along the motion ----------------------------------------------------------------------- */

/* State, sensitivities or adjoints at samples and at both sides of events. */
typedef struct sampled {
    const subject *subject;
    int            count;
    double         t[MAX_ROWS];
    bool           event[MAX_ROWS], after[MAX_ROWS];
    double         S[MAX_ROWS][STATE][RANDOM_PARAMS];       /* q, v, c, z */
    double         lambda[MAX_ROWS][STATE + RANDOM_PARAMS]; /* q, v, c, parameters */
} sampled;

static sampled tangents, adjoints; /* of the model being checked */

static void keep_instant(sampled *to, const saltus_row *row)
{
    to->t[to->count] = row->t;
    to->event[to->count] = row->event >= 0;
    to->after[to->count] = row->after;
}

static int keep_tangent(void *context, const saltus_tangent_row *row)
{
    sampled          *to = context;
    const saltus_size size = saltus_system_size(to->subject->system);
    const int         n = size.coordinates, p = row->params;
    const size_t      bytes = (size_t)p * sizeof(double);
    if (to->count == MAX_ROWS) return 1;
    keep_instant(to, &row->at);
    for (int i = 0; i < n; i++) {
        memcpy(to->S[to->count][i], row->dq + i * p, bytes);
        memcpy(to->S[to->count][n + i], row->dv + i * p, bytes);
    }
    for (int i = 0; i < size.memories; i++)
        memcpy(to->S[to->count][2 * n + i], row->dc + i * p, bytes);
    for (int i = 0; i < size.costs; i++)
        memcpy(to->S[to->count][2 * n + size.memories + i], row->dz + i * p, bytes);
    to->count++;
    return 0;
}

static int keep_adjoint(void *context, const saltus_adjoint_row *row)
{
    sampled          *to = context;
    const saltus_size size = saltus_system_size(to->subject->system);
    const int         n = size.coordinates;
    const size_t      bytes = (size_t)n * sizeof(double);
    if (to->count == MAX_ROWS) return 1;
    keep_instant(to, &row->at);
    double *lambda = to->lambda[to->count++];
    memcpy(lambda, row->lambda_q, bytes);
    memcpy(lambda + n, row->lambda_v, bytes);
    memcpy(lambda + 2 * n, row->lambda_c, (size_t)size.memories * sizeof(double));
    memcpy(lambda + STATE, row->lambda_p, (size_t)size.params * sizeof(double));
    return 0;
}

static void sample_times(const subject *s, double *times)
{
    const char *end;
    double      start;
    saltus_system_horizon(s->system, &start, &end);
    const double last = saltus_run_get_info(s->run)->t;
    for (int i = 0; i < SAMPLES; i++) times[i] = start + (last - start) * (i + 0.37) / SAMPLES;
}

static double growth_of(const sampled *along, int state, int params)
{
    double growth = 1.0;
    for (int i = 0; i < along->count; i++)
        for (int k = 0; k < state; k++)
            for (int j = 0; j < params; j++) growth = fmax(growth, fabs(along->S[i][k][j]));
    return growth;
}

/* Between two events of one instant: there the adjoint of their common time stands beside lambda.
 */
static bool is_between(const sampled *rows, int i)
{
    return i > 0 && i + 1 < rows->count && rows->event[i - 1] && rows->event[i] &&
           rows->event[i + 1] && rows->t[i - 1] == rows->t[i] && rows->t[i] == rows->t[i + 1];
}

/* lambda S + lambda_p is the gradient of the cost at every instant
 * (sensitivities.md, "What must hold"). */
static verdict check_duality(subject *s, int cost)
{
    const saltus_size size = saltus_system_size(s->system);
    const int         state = 2 * size.coordinates + size.memories;
    derivatives       d = s->by[SALTUS_DIRECT];
    if (tangents.count != adjoints.count)
        return complain(s, "%d tangent rows, %d adjoint rows", tangents.count, adjoints.count);
    for (int i = 0; i < tangents.count; i++) {
        const int k = adjoints.count - 1 - i;
        if (tangents.t[i] != adjoints.t[k] || tangents.after[i] != adjoints.after[k])
            return complain(s, "tangent row %d is at t = %.17g, adjoint row at %.17g", i,
                            tangents.t[i], adjoints.t[k]);
        if (is_between(&tangents, i)) continue;
        for (int j = 0; j < s->params; j++) {
            double sum = adjoints.lambda[k][STATE + j] + tangents.S[i][state + cost][j];
            for (int c = 0; c < state; c++) sum += adjoints.lambda[k][c] * tangents.S[i][c][j];
            d.row[cost][j] = sum;
        }
        const verdict v = judge(s, ROW_DUALITY, &s->by[SALTUS_DIRECT], &d);
        if (v != CHECKED) return v;
    }
    return CHECKED;
}

static verdict check_jumps(subject *s)
{
    int event = 0;
    for (int i = 0; i + 1 < tangents.count; i++) {
        double       matrix[STATE * (STATE + RANDOM_PARAMS)];
        int          rows, columns;
        saltus_error err = {0};
        if (!tangents.event[i] || tangents.after[i]) continue;
        if (!tangents.after[i + 1]) break; /* the event that ends the run does not jump */
        saltus_run_jump_matrix(s->run, event++, &rows, &columns, matrix, &err);
        if (err.status && strstr(err.message, "of its own")) continue; /* it shares its time */
        if (err.status) return refuse(s, "jump matrix", &err);
        for (int r = 0; r < rows; r++)
            for (int j = 0; j < s->params; j++) {
                double sum = matrix[r * columns + rows + j], size = 1.0 + fabs(sum);
                for (int c = 0; c < rows; c++) {
                    sum += matrix[r * columns + c] * tangents.S[i][c][j];
                    size += fabs(matrix[r * columns + c] * tangents.S[i][c][j]);
                }
                const double off = fabs(sum - tangents.S[i + 1][r][j]) / size;
                if (!(off <= checks[JUMP_MATRIX].allowed))
                    return complain(s, "jump %d, row %d by p%d: %.15g, and %.15g", event - 1, r,
                                    j + 1, sum, tangents.S[i + 1][r][j]);
                total.worst[JUMP_MATRIX] = fmax(total.worst[JUMP_MATRIX], off);
            }
    }
    return CHECKED;
}

static verdict sample_tangents(subject *s)
{
    double       times[SAMPLES];
    saltus_error err = {0};
    sample_times(s, times);
    tangents.subject = s;
    tangents.count = 0;
    saltus_run_tangents(s->run, s->every, s->params, times, SAMPLES, keep_tangent, &tangents, &err);
    if (err.status) return refuse(s, "tangents", &err);
    const saltus_size size = saltus_system_size(s->system);
    s->growth = growth_of(&tangents, 2 * size.coordinates + size.memories, s->params);
    return s->growth > MAX_GROWTH ? leave_out("its sensitivities grow too large") : CHECKED;
}

static verdict check_along(subject *s)
{
    double       times[SAMPLES];
    saltus_error err = {0};
    const int    cost = (int)(s->seed % (uint64_t)s->costs);
    sample_times(s, times);
    adjoints.subject = s;
    adjoints.count = 0;
    saltus_run_adjoints(s->run, cost, times, SAMPLES, keep_adjoint, &adjoints, &err);
    if (err.status) return refuse(s, "adjoints", &err);
    const verdict v = check_duality(s, cost);
    return v == CHECKED ? check_jumps(s) : v;
}

/* ---- whole gradients ------------------------------------------------------------------------ */

static verdict check_methods(subject *s)
{
    for (int k = 0; k < SALTUS_FD; k++) {
        saltus_error err = {0};
        if (differentiate(s, s->run, (saltus_method)k, &s->by[k], &err))
            return refuse(s, saltus_method_name((saltus_method)k), &err);
    }
    const verdict v[] = {
        judge(s, DIRECT_ADJOINT, &s->by[SALTUS_DIRECT], &s->by[SALTUS_ADJOINT]),
        judge(s, DIRECT_DISCRETE, &s->by[SALTUS_DIRECT], &s->by[SALTUS_DISCRETE]),
        judge(s, DISCRETE_TANGENT, &s->by[SALTUS_DISCRETE], &s->by[SALTUS_TANGENT])};
    return v[0] == CHECKED && v[1] == CHECKED && v[2] == CHECKED ? CHECKED : FAILED;
}

/* The same costs with the same digits, from a record of a few steps at a time. */
static verdict check_checkpoints(subject *s)
{
    static derivatives d;
    saltus_options     options = options_at(s, TIGHT);
    saltus_error       err = {0};
    options.record_memory = 1 << (8 + s->seed % 8);
    saltus_run *run = saltus_run_new(s->system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    differentiate(s, run, SALTUS_DISCRETE, &d, &err);
    saltus_run_free(run);
    if (err.status) return refuse(s, "with checkpoints", &err);
    return judge(s, CHECKPOINTS, &s->by[SALTUS_DISCRETE], &d);
}

/* Adjoint and tangent of the same steps agree to rounding however long the steps are; but steps
 * much longer than 1/omega of the penalty formulation multiply rounding by powers of h omega. */
static verdict check_loose_duality(subject *s)
{
    static derivatives a, b;
    saltus_error       err = {0};
    saltus_options     options = options_at(s, LOOSE);
    options.integrator = s->seed % 2 ? SALTUS_DOPRI5 : SALTUS_DOP853;
    if (options.formulation == SALTUS_PENALTY) options.max_step = 2.0 / options.omega;
    saltus_run *run = saltus_run_new(s->system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    if (!err.status &&
        (reason_to_leave_out(run) || saltus_run_get_info(run)->events != s->events)) {
        saltus_run_free(run);
        return CHECKED; /* another motion */
    }
    differentiate(s, run, SALTUS_DISCRETE, &a, &err);
    differentiate(s, run, SALTUS_TANGENT, &b, &err);
    saltus_run_free(run);
    if (err.status) return refuse(s, "loose tolerance", &err);
    return judge(s, LOOSE_DUALITY, &a, &b);
}

/* Where finite differences disagree, their step is made smaller: a derivative survives that, the
 * curvature of the motion does not. */
static verdict check_differences(subject *s)
{
    const double steps[] = {0.0, 1e-4, 1e-5};
    for (int i = 0; i < 3; i++) {
        saltus_error   err = {0};
        saltus_options options = options_at(s, TIGHT);
        options.fd_step = steps[i];
        saltus_run *run = saltus_run_new(s->system, &options, &err);
        saltus_run_simulate(run, NULL, &err);
        differentiate(s, run, SALTUS_FD, &s->by[SALTUS_FD], &err);
        saltus_run_free(run);
        if (err.status) return refuse(s, "fd", &err);
        const difference d = compare(s, &s->by[SALTUS_DIRECT], &s->by[SALTUS_FD]);
        if (d.off <= checks[DIRECT_FD].allowed) break;
    }
    return judge(s, DIRECT_FD, &s->by[SALTUS_DIRECT], &s->by[SALTUS_FD]);
}

static verdict check_subject(subject *s)
{
    static verdict (*const steps[])(subject *) = {sample_tangents,     check_methods,
                                                  check_loose_duality, check_checkpoints,
                                                  check_along,         check_differences};
    saltus_error err = {0};
    if (!prepare(s, &err)) return complain(s, "line %d: %s", err.line, err.message);
    const char *reason = reason_to_leave_out(s->run);
    if (reason) return leave_out(reason);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const verdict v = steps[i](s);
        if (v != CHECKED) return v;
    }
    return CHECKED;
}

/* What else a model must pass; the file that includes this one defines it. */
static verdict last_check(subject *s);

/* Writes the model of a seed. */
typedef void random_maker(random_model *m, uint64_t seed);

static int check_range(random_maker *make, uint64_t first, uint64_t count)
{
    static random_model m;
    static subject      s;
    int                 failures = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        make(&m, seed);
        memset(&s, 0, sizeof s);
        s.seed = seed;
        s.model = &m;
        verdict v = check_subject(&s);
        if (v == CHECKED) v = last_check(&s);
        total.models++;
        total.checked += v == CHECKED;
        total.with_events += v == CHECKED && s.events > 0;
        failures += v == FAILED;
        saltus_run_free(s.run);
        saltus_system_free(s.system);
    }
    total.failed += failures;
    return failures;
}

/* ---- which seeds ---------------------------------------------------------------------------- */

static bool soaking(void) { return getenv("SEEDS") != NULL; }

static int check_environment(random_maker *make)
{
    const char    *first = getenv("FIRST");
    const uint64_t count = strtoull(getenv("SEEDS"), NULL, 10);
    return check_range(make, first ? strtoull(first, NULL, 10) : 1, count);
}

#define BLOCK(make, first, last)                                                                   \
    TEST(seeds_##first##_to_##last)                                                                \
    {                                                                                              \
        if (soaking() || (SANITIZED && last > SANITIZED_SEEDS)) skip();                            \
        assert_int_equal(check_range(make, first, last - first + 1), 0);                           \
    }

#endif
