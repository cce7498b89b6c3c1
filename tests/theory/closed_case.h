/* A model whose answer is known in closed form, and whether Saltus gives that answer.
 *
 * A family writes the script of a seed and says how to solve it: solve() gives events and costs for
 * any values of the parameters, in extended precision. From it follow the derivatives (differences
 * of the closed form) and what may be off:
 *
 *     value       allowed  C tol s,             s = unit + |f| + sum |df/dp p|
 *     derivative  allowed  C tol (s / |p| + |df/dp| + |d2f/dp2 p|)
 *
 * The same holds for the times of events, whose unit is that of time. What a family knows besides
 * (a motion that forgets its start, but not what happens later) it gives as growth.
 *
 * Environment: SEEDS=number and FIRST=seed run these seeds of every family instead of the fixed
 * ones, FAMILY=name only that one; QUIET=1 leaves out the scripts of cases that fail. */
#ifndef CLOSED_CASE_H
#define CLOSED_CASE_H

#include <saltus/saltus.h>

#include "disguises.h"
#include "exact_polynomial.h"
#include "random_text.h"
#include "test.h"

enum { CASE_PARAMS = 3, CASE_COSTS = 4, CASE_EVENTS = 400, CASE_MAX_EVENTS = 3000 };
static const double ALLOWED = 200.0, ROUNDING = 1e-13;

typedef struct answer {
    int         events;
    exact       t[CASE_EVENTS];
    const char *name[CASE_EVENTS];
    exact       cost[CASE_COSTS];
} answer;

/* Whether every method must give a gradient. */
typedef enum refusal {
    GRADIENT_EXISTS,
    GRADIENT_MAY_GRAZE, /* at the depth of rounding: refused as grazing, or right */
    GRADIENT_UNKNOWN    /* the family cannot say */
} refusal;

typedef struct closed_case {
    const char  *family;
    uint64_t     seed;
    random_model script; /* chance and text */
    double       tol, max_step, first_step;
    bool         dopri5, stops;
    bool         polynomial; /* the integrators are exact: the tolerance does not matter */
    int          params, costs;
    double       param[CASE_PARAMS];
    const char  *cost[CASE_COSTS];
    double       unit[CASE_COSTS], time_unit, growth;
    double       depth; /* of guards that graze; 0: they do not */
    refusal      refusal;
    /* A guard that comes within rounding of zero without a clear crossing: its events are there in
     * pairs or not at all, near the times of the answer. */
    bool   doubtful;
    double doubtful_within;
    /* An event that begins so gently that rounding hides when: how late it may be seen, and (at
     * the start of the run) whether it is reported at all. */
    const char *gentle;
    double      gentle_within;
    bool        gentle_may_lack;
    /* Some cases are told in other words: later, in other units, beside something else. */
    bool   as_it_is; /* not this one */
    double shift, scale;
    void (*solve)(const exact *p, answer *a);
    bool solved_wrong; /* what solve() was given is beyond it */
} closed_case;

typedef void case_maker(closed_case *c);

/* ---- writing a case ------------------------------------------------------------------------- */

static closed_case *current; /* for solve() */

static inline double between(closed_case *c, double low, double high)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", random_real(&c->script, low, high));
    return strtod(text, NULL);
}

static inline int below(closed_case *c, int n) { return random_below(&c->script, n); }

static inline bool maybe(closed_case *c, double p) { return chance(&c->script, p); }

static inline double pick(closed_case *c, const double *list, int count)
{
    return list[below(c, count)];
}
#define PICK(c, ...)                                                                               \
    pick(c, (const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

/* A parameter p1, p2, ...; returns its value. */
static inline double put_param(closed_case *c, double value)
{
    c->param[c->params++] = value;
    put(&c->script, "local p%d = param(\"p%d\", %.17g)\n", c->params, c->params, value);
    return value;
}

static inline void put_cost(closed_case *c, const char *name, double unit, const char *options)
{
    c->cost[c->costs] = name;
    c->unit[c->costs++] = unit;
    put(&c->script, "cost(\"%s\", {%s})\n", name, options);
}

static inline void put_end(closed_case *c, double end)
{
    put(&c->script, "horizon(0, %.17g)\n", end);
}

static inline void put_direction(closed_case *c, int sign)
{
    put(&c->script, "direction = \"%s\"", sign < 0 ? "falling" : sign > 0 ? "rising" : "any");
}

/* Options, as a line of the script: so the script alone repeats the case. */
static inline void put_solver(closed_case *c)
{
    put(&c->script, "solver {tol = %g, max_events = %d", c->tol, (int)CASE_MAX_EVENTS);
    if (c->max_step > 0.0) put(&c->script, ", max_step = %.17g", c->max_step);
    if (c->first_step > 0.0) put(&c->script, ", first_step = %.17g", c->first_step);
    if (c->dopri5) put(&c->script, ", integrator = \"dopri5\"");
    put(&c->script, "}\n");
}

static inline void add_event(answer *a, const char *name, exact t)
{
    if (a->events == CASE_EVENTS) {
        current->solved_wrong = true;
        return;
    }
    a->name[a->events] = name;
    a->t[a->events++] = t;
}

/* ---- the closed form and its derivatives ---------------------------------------------------- */

typedef struct slopes {
    bool  exist;
    exact cost[CASE_COSTS], cost_bend[CASE_COSTS];
    exact t[CASE_EVENTS], t_bend[CASE_EVENTS];
} slopes;

typedef struct solution {
    answer at;
    slopes by[CASE_PARAMS];
} solution;

static inline void solve_at(closed_case *c, int j, exact change, answer *a)
{
    exact p[CASE_PARAMS];
    for (int i = 0; i < c->params; i++) p[i] = (exact)c->param[i];
    if (j >= 0) p[j] += change;
    a->events = 0;
    current = c;
    c->solve(p, a);
}

static inline bool same_events(const answer *a, const answer *b)
{
    if (a->events != b->events) return false;
    for (int i = 0; i < a->events; i++)
        if (strcmp(a->name[i], b->name[i])) return false;
    return true;
}

/* Of seven equidistant values: derivative to sixth order, second derivative. */
static inline exact first_difference(const exact *f, exact h)
{
    return (45.0L * (f[4] - f[2]) - 9.0L * (f[5] - f[1]) + (f[6] - f[0])) / (60.0L * h);
}

static inline exact second_difference(const exact *f, exact h)
{
    return (f[4] - 2.0L * f[3] + f[2]) / (h * h);
}

static inline bool differences(closed_case *c, int j, exact h, const answer *at, slopes *s)
{
    static answer around[7];
    exact         f[7];
    for (int k = 0; k < 7; k++) {
        solve_at(c, j, (exact)(k - 3) * h, &around[k]);
        const bool wrong = c->solved_wrong;
        c->solved_wrong = false;
        if (wrong || !same_events(&around[k], at)) return false;
    }
    for (int i = 0; i < c->costs; i++) {
        for (int k = 0; k < 7; k++) f[k] = around[k].cost[i];
        s->cost[i] = first_difference(f, h);
        s->cost_bend[i] = second_difference(f, h);
    }
    for (int i = 0; i < at->events; i++) {
        for (int k = 0; k < 7; k++) f[k] = around[k].t[i];
        s->t[i] = first_difference(f, h);
        s->t_bend[i] = second_difference(f, h);
    }
    return true;
}

static inline bool agree(exact wide, exact close, exact unit)
{
    return fabsl(wide - close) <= 1e-9L * (fabsl(close) + unit);
}

/* Differences of a wider and a closer step agree, or a closer one is tried. */
static inline bool settled(const closed_case *c, const slopes *wide, const slopes *close,
                           int events, exact p)
{
    for (int i = 0; i < c->costs; i++)
        if (!agree(wide->cost[i], close->cost[i], (exact)c->unit[i] / p)) return false;
    for (int i = 0; i < events; i++)
        if (!agree(wide->t[i], close->t[i], (exact)c->time_unit / p)) return false;
    return true;
}

static inline void find_slopes(closed_case *c, int j, solution *s)
{
    static slopes wide;
    const exact   p = fabsl((exact)c->param[j]);
    bool          have = false;
    s->by[j].exist = false;
    for (exact h = 1e-3L; h > 1e-8L; h /= 4.0L) {
        const bool now = differences(c, j, h * p, &s->at, &s->by[j]);
        s->by[j].exist = now && have && settled(c, &wide, &s->by[j], s->at.events, p);
        if (s->by[j].exist) return;
        wide = s->by[j];
        have = now;
    }
}

static inline bool solve_case(closed_case *c, solution *s)
{
    c->solved_wrong = false;
    solve_at(c, -1, 0.0L, &s->at);
    if (c->solved_wrong) return false;
    for (int j = 0; j < c->params; j++) find_slopes(c, j, s);
    return true;
}

static inline double effective_tolerance(const closed_case *c)
{
    return c->polynomial ? ROUNDING : fmax(c->tol, ROUNDING);
}

/* How large an error may become: unit + |f| + sum |df/dp p|. */
static inline double condition(const closed_case *c, const solution *s, int row, bool time)
{
    exact sum = fabsl(time ? s->at.t[row] : s->at.cost[row]);
    for (int j = 0; j < c->params; j++)
        if (s->by[j].exist)
            sum += fabsl((time ? s->by[j].t[row] : s->by[j].cost[row]) * (exact)c->param[j]);
    return (time ? c->time_unit : c->unit[row]) + (double)sum;
}

static inline double allowed_value(const closed_case *c, const solution *s, int row, bool time)
{
    return ALLOWED * effective_tolerance(c) * c->growth * condition(c, s, row, time);
}

static inline double allowed_slope(const closed_case *c, const solution *s, int row, int j,
                                   bool time)
{
    const exact  slope = time ? s->by[j].t[row] : s->by[j].cost[row];
    const exact  bend = time ? s->by[j].t_bend[row] : s->by[j].cost_bend[row];
    const double p = fabs(c->param[j]);
    /* a guard that goes no deeper than `depth` has a rate that rounding makes uncertain */
    const double uncertain = time && c->depth > 0.0 ? 1e-15 / c->depth * (double)fabsl(slope) : 0.0;
    return ALLOWED * effective_tolerance(c) * c->growth *
               (condition(c, s, row, time) / p + (double)fabsl(slope) + (double)fabsl(bend) * p) +
           uncertain;
}

/* A time of the script as told, in that of the answer. */
static inline double told_time(const closed_case *c, double t) { return (t - c->shift) / c->scale; }

/* ---- what Saltus says ----------------------------------------------------------------------- */

typedef struct account {
    const char *family; /* NULL: nothing is said of failures */
    int         cases, failed;
    double      worst; /* of those that pass, as part of what is allowed */
} account;

/* What a test of the tests does to the right answer before it is compared. */
typedef enum mutation {
    AS_SOLVED,
    EVENT_LOST,
    EVENT_MOVED,
    COST_WRONG,
    SLOPE_WRONG,
    MUTATIONS
} mutation;

typedef struct trial {
    closed_case           *c;
    mutation               mutation;
    account               *account;
    solution               right;
    saltus_system         *system;
    saltus_run            *run;
    const saltus_run_info *info;
    int                    match[CASE_EVENTS]; /* the occurrence of each event of the answer */
    bool                   doubtful;           /* some of the events are not there, rightly */
} trial;

static void show_script(const char *text)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        for (int at = 0; at < length; at += 500)
            print_message("%s%.*s", at ? "" : "    ", length - at < 500 ? length - at : 500,
                          text + at);
        print_message("\n");
        text += length + (text[length] == '\n');
    }
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
complain(const trial *t, const char *format, ...)
{
    char    message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!t->account->family) return false;
    print_message("%s seed %llu: %s\n", t->c->family, (unsigned long long)t->c->seed, message);
    if (!getenv("QUIET")) show_script(t->c->script.text);
    return false;
}

static bool near(trial *t, double value, exact expected, double allowed)
{
    const double off = (double)fabsl((exact)value - expected);
    if (!(off <= allowed)) return false;
    t->account->worst = fmax(t->account->worst, off / allowed);
    return true;
}

static bool begin_trial(trial *t)
{
    saltus_error  err = {0};
    random_model *script = &t->c->script;
    saltus_model *model =
        saltus_model_load_text("script.lua", script->text, script->length, NULL, &err);
    t->system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    t->run = saltus_run_new(t->system, NULL, &err);
    saltus_run_simulate(t->run, NULL, &err);
    if (err.status) return complain(t, "line %d: %s", err.line, err.message);
    t->info = saltus_run_get_info(t->run);
    const saltus_outcome wanted = t->c->stops ? SALTUS_TERMINAL_EVENT : SALTUS_END;
    if (t->info->outcome != wanted)
        return complain(t, "outcome %d at t = %.17g after %d events: %s", (int)t->info->outcome,
                        t->info->t, t->info->events, t->info->message);
    return true;
}

/* The next occurrence of that name from index on, or -1; kinks are not asked for. */
static int next_occurrence(const trial *t, const char *name, int index)
{
    for (; index < t->info->events; index++) {
        const saltus_occurrence o = saltus_run_event(t->run, index);
        if (saltus_system_event(t->system, o.event).automatic) continue;
        if (!name || !strcmp(name, o.name)) return index;
    }
    return -1;
}

static int count_of(const trial *t, const char *name)
{
    int count = 0;
    for (int i = next_occurrence(t, name, 0); i >= 0; i = next_occurrence(t, name, i + 1)) count++;
    return count;
}

static bool is_gentle(const closed_case *c, const char *name)
{
    return c->gentle && !strcmp(c->gentle, name);
}

/* Where the search for the i-th event of the answer begins: after the last of its name. */
static int search_from(const trial *t, int i)
{
    const answer *a = &t->right.at;
    for (int k = i - 1; k >= 0; k--)
        if (t->match[k] >= 0 && !strcmp(a->name[k], a->name[i])) return t->match[k] + 1;
    return 0;
}

/* Finds the i-th event of the answer among what happened. */
static bool match_event(trial *t, int i)
{
    const closed_case *c = t->c;
    const answer      *a = &t->right.at;
    const bool         gentle = is_gentle(c, a->name[i]);
    const bool         may_lack = c->doubtful || (gentle && c->gentle_may_lack);
    const int          found = next_occurrence(t, a->name[i], search_from(t, i));
    double             allowed = allowed_value(c, &t->right, i, true);
    t->match[i] = -1;
    if (found < 0)
        return may_lack || complain(t, "event %s at %.17Lg is missing (%d of them)", a->name[i],
                                    a->t[i], count_of(t, a->name[i]));
    if (c->doubtful) allowed += c->doubtful_within;
    if (gentle) allowed += c->gentle_within;
    const double time = told_time(c, saltus_run_event(t->run, found).t);
    if (near(t, time, a->t[i], allowed)) t->match[i] = found;
    return t->match[i] >= 0 || may_lack ||
           complain(t, "event %s at %.17g, right %.17Lg, off by %.3g, allowed %.3g", a->name[i],
                    time, a->t[i], time - (double)a->t[i], allowed);
}

/* Events are compared name by name: what happens at the same instant has no order. */
static bool check_events(trial *t)
{
    const int wanted = t->right.at.events;
    int       matched = 0;
    for (int i = 0; i < wanted; i++) {
        if (!match_event(t, i)) return false;
        matched += t->match[i] >= 0;
    }
    const int all = count_of(t, NULL);
    t->doubtful = matched != wanted;
    if (all != matched)
        return complain(t, "%d events, right %d; the last %s at %.17g", all, wanted,
                        saltus_run_event(t->run, t->info->events - 1).name,
                        saltus_run_event(t->run, t->info->events - 1).t);
    if (t->c->doubtful && (wanted - matched) % 2)
        return complain(t, "%d of %d doubtful events: they come in pairs", matched, wanted);
    return true;
}

static bool check_costs(trial *t)
{
    double       value[CASE_COSTS];
    saltus_error err = {0};
    if (saltus_run_costs(t->run, value, &err)) return complain(t, "%s", err.message);
    for (int i = 0; i < t->c->costs; i++) {
        const double allowed = allowed_value(t->c, &t->right, i, false);
        if (!near(t, value[i], t->right.at.cost[i], allowed))
            return complain(t, "%s = %.17g, right %.17Lg, off by %.3g, allowed %.3g (%d events)",
                            t->c->cost[i], value[i], t->right.at.cost[i],
                            value[i] - (double)t->right.at.cost[i], allowed, t->info->events);
    }
    return true;
}

static bool check_cost_slopes(trial *t, saltus_method method, int j, const double *value)
{
    const closed_case *c = t->c;
    for (int i = 0; i < c->costs; i++) {
        const double allowed = allowed_slope(c, &t->right, i, j, false);
        const double found = value[i * c->params + j];
        const exact  right = t->right.by[j].cost[i];
        if (!near(t, found, right, allowed))
            return complain(t, "d%s/dp%d by %s = %.17g, right %.17Lg, allowed %.3g", c->cost[i],
                            j + 1, saltus_method_name(method), found, right, allowed);
    }
    return true;
}

static bool check_time_slopes(trial *t, saltus_method method, int j, const double *value)
{
    const closed_case *c = t->c;
    const answer      *a = &t->right.at;
    for (int i = 0; i < a->events; i++) {
        double       allowed = allowed_slope(c, &t->right, i, j, true);
        const exact  right = t->right.by[j].t[i];
        const double found = t->match[i] < 0 ? NAN : value[t->match[i] * c->params + j] / c->scale;
        if (is_gentle(c, a->name[i])) allowed += c->gentle_within / fabs(c->param[j]);
        if (t->match[i] >= 0 && !near(t, found, right, allowed))
            return complain(t, "dt/dp%d of %s at %.17Lg by %s = %.17g, right %.17Lg, allowed %.3g",
                            j + 1, a->name[i], a->t[i], saltus_method_name(method), found, right,
                            allowed);
    }
    return true;
}

static bool check_gradients(trial *t, saltus_method method)
{
    static double        cost[CASE_COSTS * CASE_PARAMS], time[CASE_MAX_EVENTS * CASE_PARAMS];
    double               end[CASE_PARAMS];
    saltus_error         err = {0};
    const saltus_request request = {.method = method};
    saltus_run_gradients(t->run, &request, cost, time, end, &err);
    if (err.status == SALTUS_ERR_GRAZING && t->c->refusal != GRADIENT_EXISTS) return true;
    if (err.status) return complain(t, "%s: %s", saltus_method_name(method), err.message);
    for (int j = 0; j < t->c->params; j++)
        if (t->right.by[j].exist &&
            (!check_cost_slopes(t, method, j, cost) || !check_time_slopes(t, method, j, time)))
            return false;
    return true;
}

enum { LONGEST_FINDING = 500 };

/* The first finding of an audit. */
static int hear_finding(void *context, const saltus_audit_finding *finding)
{
    snprintf(context, LONGEST_FINDING, "%s", finding->text);
    return 1;
}

/* The auditor of events finds nothing wrong with a run that is right. */
static bool check_audit(trial *t)
{
    char         finding[LONGEST_FINDING] = "";
    saltus_error err = {0};
    if (saltus_run_audit(t->run, hear_finding, finding, NULL, &err))
        return complain(t, "audit: %s", err.message);
    return !*finding || complain(t, "audit: %s", finding);
}

/* A millionth: of the answer and of what it depends on. */
static void mutate(trial *t)
{
    solution     *s = &t->right;
    const double  part = 1e-6;
    const answer *a = &s->at;
    if (t->mutation == EVENT_LOST) s->at.events--;
    if (t->mutation == EVENT_MOVED)
        s->at.t[a->events - 1] += (exact)(part * condition(t->c, s, a->events - 1, true));
    if (t->mutation == COST_WRONG) s->at.cost[0] += (exact)(part * condition(t->c, s, 0, false));
    if (t->mutation == SLOPE_WRONG)
        s->by[0].cost[0] += (exact)part * fabsl(s->by[0].cost[0]) +
                            (exact)(part * condition(t->c, s, 0, false) / fabs(t->c->param[0]));
}

static bool check_methods(trial *t)
{
    static const saltus_method methods[] = {SALTUS_DISCRETE, SALTUS_DIRECT, SALTUS_ADJOINT};
    if (t->c->refusal == GRADIENT_UNKNOWN || t->doubtful || t->info->events > CASE_MAX_EVENTS)
        return true;
    for (int m = 0; m < 3; m++)
        if (!check_gradients(t, methods[m])) return false;
    return true;
}

static bool check_case(trial *t)
{
    if (!solve_case(t->c, &t->right)) return complain(t, "the closed form cannot answer this");
    mutate(t);
    return begin_trial(t) && check_events(t) && check_costs(t) && check_methods(t) &&
           check_audit(t);
}

/* ---- other words ---------------------------------------------------------------------------- */

static void tell_in_other_words(closed_case *c)
{
    static char       text[RANDOM_TEXT];
    const char *const words[] = {DISGUISE_SHIFT, DISGUISE_MASS, DISGUISE_COMPANION, DISGUISE_SCALE};
    const int         kind = below(c, c->polynomial ? 4 : 3);
    const double      scale = pow(10.0, below(c, 13) - 6);
    if (c->as_it_is) return;
    if (kind == 0) c->shift = between(c, -2.0, 10.0);
    if (kind == 3) c->scale = scale;
    c->time_unit = fmax(c->time_unit, fabs(c->shift));
    memcpy(text, c->script.text, c->script.length + 1);
    c->script.length = 0;
    put(&c->script, "local shift_, scale_ = %.17g, %.17g %s%s", c->shift, scale, words[kind], text);
}

/* ---- families ------------------------------------------------------------------------------- */

typedef struct family {
    const char *name;
    case_maker *make;
} family;

static void make_case(closed_case *c, const family *f, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->family = f->name;
    c->seed = seed;
    c->script.state = seed * 0x2545f4914f6cdd1du;
    for (const char *s = f->name; *s; s++) c->script.state = c->script.state * 31u + (uint64_t)*s;
    c->growth = c->time_unit = c->scale = 1.0;
    c->tol = PICK(c, 1e-6, 1e-9, 1e-9, 1e-9, 1e-12);
    c->dopri5 = maybe(c, 0.2);
    put(&c->script, "model \"%s %llu\"\n", f->name, (unsigned long long)seed);
    const bool other = maybe(c, 0.25);
    f->make(c);
    put_solver(c);
    if (other) tell_in_other_words(c);
}

static bool try_case(closed_case *c, mutation m, account *a)
{
    static trial t;
    memset(&t, 0, sizeof t);
    t.c = c;
    t.mutation = m;
    t.account = a;
    const bool passed = check_case(&t);
    saltus_run_free(t.run);
    saltus_system_free(t.system);
    return passed;
}

static int check_seeds(const family *f, uint64_t first, uint64_t count)
{
    static closed_case c;
    account            a = {.family = f->name};
    const char *const  only = getenv("FAMILY");
    if (only && strcmp(only, f->name) != 0) return 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        make_case(&c, f, seed);
        a.cases++;
        if (!try_case(&c, AS_SOLVED, &a)) a.failed++;
    }
    print_message("%-24s %5d cases, %5d failed, worst of the others %.1e of what is allowed\n",
                  f->name, a.cases, a.failed, a.worst);
    return a.failed;
}

static int check_families(const family *list, int count, uint64_t seeds)
{
    const char *const all = getenv("SEEDS"), *const from = getenv("FIRST");
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += check_seeds(&list[i], from ? strtoull(from, NULL, 10) : 1,
                              all ? strtoull(all, NULL, 10) : seeds);
    return failed;
}
/* Which changes of the answer a case can notice. */
static bool can_notice(const closed_case *c, const solution *s, mutation m)
{
    if (m == SLOPE_WRONG) return s->by[0].exist && c->refusal == GRADIENT_EXISTS;
    return m == COST_WRONG || s->at.events > 0;
}

/* Cases that pass fail when their answer is changed by a millionth; the number of those that do
 * not. */
static int count_unnoticed(const family *f, uint64_t seed, int *tried)
{
    static closed_case c;
    static solution    s;
    account            silent = {0};
    int                unnoticed = 0;
    make_case(&c, f, seed);
    if (!c.polynomial || c.doubtful || c.gentle || c.growth > 100.0) return 0;
    if (!solve_case(&c, &s) || !try_case(&c, AS_SOLVED, &silent)) return 0;
    for (mutation m = EVENT_LOST; m < MUTATIONS; m++) {
        if (!can_notice(&c, &s, m)) continue;
        ++*tried;
        if (!try_case(&c, m, &silent)) continue;
        unnoticed++;
        print_message("%s seed %llu: change %d is not noticed\n", f->name, (unsigned long long)seed,
                      (int)m);
    }
    return unnoticed;
}

#define CHECK_FAMILIES(list, seeds)                                                                \
    assert_int_equal(check_families(list, (int)(sizeof(list) / sizeof((list)[0])), seeds), 0)

#endif
