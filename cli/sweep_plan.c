/* The points of a sweep: products of grids and lists. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "text.h"
#include "values.h"

typedef struct axis {
    int     param;
    double *value;
    int     count, capacity;
} axis;

typedef struct axes {
    axis *list;
    int   count, capacity;
} axes;

/* ---- names ---------------------------------------------------------------------------------- */

static int refuse_name(cli_session *s, const char *name)
{
    const int    count = s->size.params;
    const char **names = cli_alloc((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count; i++) names[i] = saltus_system_param(s->system, i).name;
    const char *near = saltus_nearest(name, names, count);
    for (int i = 0; i < s->size.settings; i++)
        if (strcmp(saltus_system_setting(s->system, i).name, name) == 0)
            cli_misuse(&s->error,
                       "--over: '%s' is a setting, and the model is compiled once: give it with "
                       "--set, and sweep each value into a database of its own",
                       name);
    if (near)
        cli_misuse(&s->error, "--over: the model has no parameter '%s'; did you mean '%s'?", name,
                   near);
    else
        cli_misuse(&s->error, "--over: the model has no parameter '%s' ('saltus show' lists them)",
                   name);
    free(names);
    return 0;
}

/* A new axis of the parameter that the text names, NULL if there is none. */
static axis *add_axis(cli_session *s, axes *a, const char *text, size_t length)
{
    char     *name = cli_trimmed(text, length);
    const int param = saltus_system_find_param(s->system, name);
    axis     *added = NULL;
    if (param < 0) refuse_name(s, name);
    for (int i = 0; i < a->count && !s->error.status; i++)
        if (a->list[i].param == param)
            cli_misuse(&s->error, "--over: '%s' is given twice: write its values in one list",
                       name);
    if (!s->error.status) {
        a->list = cli_grow(a->list, a->count, &a->capacity, sizeof *a->list);
        added = &a->list[a->count++];
        *added = (axis){.param = param};
    }
    free(name);
    return added;
}

/* ---- values --------------------------------------------------------------------------------- */

static int add_value(cli_session *s, axis *a, double value)
{
    const saltus_param_info param = saltus_system_param(s->system, a->param);
    if (!(value >= param.lower && value <= param.upper))
        return cli_misuse(&s->error,
                          "--over: parameter '%s' = %g is outside of its bounds [%g, %g]",
                          param.name, value, param.lower, param.upper);
    a->value = cli_grow(a->value, a->count, &a->capacity, sizeof *a->value);
    a->value[a->count++] = value + 0.0; /* no -0, which a database does not keep */
    return 1;
}

/* FROM:TO:COUNT; both ends are among the points. */
static int add_grid(cli_session *s, axis *a, const char *text)
{
    char     *part[3] = {NULL, NULL, NULL};
    int       parts = 0, ok = 1;
    double    from = 0.0, to = 0.0;
    long long count = 0;
    for (const char *rest = text; rest; parts++) {
        const size_t length = strcspn(rest, ":");
        if (parts < 3) part[parts] = cli_trimmed(rest, length);
        rest = rest[length] ? rest + length + 1 : NULL;
    }
    ok = parts == 3 && cli_parse_real(part[0], &from) && cli_parse_real(part[1], &to) &&
         cli_parse_count(part[2], &count) && count > 0;
    for (int i = 0; i < 3; i++) free(part[i]);
    if (!ok || (count == 1 && from != to))
        return cli_misuse(&s->error,
                          "--over: '%s' is no grid: write FROM:TO:COUNT, as in a=1:2:50 for 50 "
                          "values from 1 to 2",
                          text);
    if (count > CLI_POINTS_MAX)
        return cli_misuse(&s->error, "--over: '%s' has %lld points, more than %d", text, count,
                          CLI_POINTS_MAX);
    for (long long i = 0; i < count; i++) {
        const double part_of = count > 1 ? (double)i / (double)(count - 1) : 0.0;
        if (!add_value(s, a, i == count - 1 ? to : from + (to - from) * part_of)) return 0;
    }
    return 1;
}

static int add_list(cli_session *s, axis *a, const char *text)
{
    for (const char *rest = text; rest;) {
        const size_t length = strcspn(rest, ",");
        char        *word = cli_trimmed(rest, length);
        double       value = 0.0;
        const int    ok = cli_parse_real(word, &value);
        if (!ok) cli_misuse(&s->error, "--over: '%s' in '%s' is not a number", word, text);
        free(word);
        if (!ok || !add_value(s, a, value)) return 0;
        rest = rest[length] ? rest + length + 1 : NULL;
    }
    return 1;
}

static int read_axis(cli_session *s, axes *all, const char *text)
{
    const size_t length = strcspn(text, "=");
    if (!text[length] || !length)
        return cli_misuse(&s->error,
                          "--over '%s': write NAME=FROM:TO:COUNT or NAME=VALUE,VALUE,...", text);
    axis *a = add_axis(s, all, text, length);
    if (!a) return 0;
    text += length + 1;
    return strchr(text, ':') ? add_grid(s, a, text) : add_list(s, a, text);
}

/* ---- the product ---------------------------------------------------------------------------- */

static int multiply(cli_session *s, const axes *all, cli_plan *plan)
{
    long long count = 1;
    for (int i = 0; i < all->count; i++) {
        count *= all->list[i].count;
        if (count > CLI_POINTS_MAX)
            return cli_misuse(&s->error, "--over: these are more than %d points: leave some out",
                              CLI_POINTS_MAX);
    }
    plan->count = (int)count;
    plan->params = all->count;
    plan->param = cli_alloc((size_t)plan->params + 1, sizeof *plan->param);
    plan->value = cli_alloc((size_t)count * (size_t)plan->params + 1, sizeof *plan->value);
    for (int k = 0; k < plan->params; k++) plan->param[k] = all->list[k].param;
    for (int i = 0; i < plan->count; i++)
        for (int k = plan->params - 1, rest = i; k >= 0; k--) {
            const axis *a = &all->list[k];
            plan->value[(size_t)i * (size_t)plan->params + (size_t)k] = a->value[rest % a->count];
            rest /= a->count;
        }
    return 1;
}

int cli_plan_read(cli_plan *plan, cli_session *s)
{
    const cli_arguments *a = s->arguments;
    axes                 all = {0};
    for (int i = 0; i < a->count && !s->error.status; i++)
        if (a->given[i].option == CLI_OPTION_OVER) read_axis(s, &all, a->given[i].value);
    if (!all.count && !s->error.status)
        cli_misuse(&s->error,
                   "sweep over what? Write --over NAME=FROM:TO:COUNT, as in --over %s=1:2:50",
                   s->size.params ? saltus_system_param(s->system, 0).name : "a");
    if (!s->error.status) multiply(s, &all, plan);
    for (int i = 0; i < all.count; i++) free(all.list[i].value);
    free(all.list);
    return s->error.status == SALTUS_OK;
}

void cli_plan_free(cli_plan *plan)
{
    free(plan->param);
    free(plan->value);
}
