/* saltus periodic --along: a family of periodic motions, as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "periodic.h"
#include "text.h"

/* --along NAME=FROM:TO:STEP */
typedef struct range {
    int    param;
    double from, to, step;
} range;

typedef struct member {
    saltus_family_kind kind;
    char              *text;
    double            *params, *re, *im;
    double             arc, period;
    int                stable;
} member;

typedef struct family {
    cli_orbit *orbit;
    range      range;
    member    *list;
    int        count;
    int        multipliers;
} family;

/* ---- what is asked for ---------------------------------------------------------------------- */

static int read_numbers(const char *text, double number[3])
{
    char *copy = cli_copy(text), *next = copy;
    int   count = 0, ok = 1;
    while (ok && next && count < 3) {
        char *end = strchr(next, ':');
        if (end) *end++ = '\0';
        ok = cli_parse_real(next, &number[count++]);
        next = end;
    }
    ok = ok && !next && count == 3;
    free(copy);
    return ok;
}

static int read_range(cli_session *s, range *out)
{
    const char *text = cli_argument(s->arguments, CLI_OPTION_ALONG);
    const char *equal = strchr(text, '=');
    double      number[3];
    if (!equal || !read_numbers(equal + 1, number))
        return cli_misuse(
            &s->error, "--along '%s': write NAME=FROM:TO:STEP, as in --along k=10:11:0.05", text);
    CLI_OWNED char        *name = cli_trimmed(text, (size_t)(equal - text));
    const int              count = s->size.params;
    CLI_OWNED const char **names = cli_alloc((size_t)count, sizeof *names);
    CLI_OWNED char        *chosen = cli_alloc((size_t)count + 1, 1);
    for (int i = 0; i < count; i++) names[i] = saltus_system_param(s->system, i).name;
    int        ok = cli_choose(name, names, count, chosen, "parameter", "--along", &s->error);
    cli_choice choice = cli_choice_of(chosen, count);
    if (ok && choice.count != 1)
        ok =
            cli_misuse(&s->error, "--along follows one parameter, '%s' are %d", name, choice.count);
    *out = (range){ok ? choice.index[0] : -1, number[0], number[1], number[2]};
    free(choice.index);
    return ok;
}

/* ---- collecting ----------------------------------------------------------------------------- */

static double *copy_of(const double *values, int count)
{
    double *copy = cli_alloc((size_t)count + 1, sizeof *copy);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* The part of the interval that has been followed; the family goes one way and then the other. */
static void show_reach(const family *f)
{
    const range *r = &f->range;
    const double first = f->list[0].params[r->param], now = f->list[f->count - 1].params[r->param];
    double       low = first, high = first;
    for (int i = 0; i < f->count; i++) {
        low = fmin(low, f->list[i].params[r->param]);
        high = fmax(high, f->list[i].params[r->param]);
    }
    cli_progress_reach(&f->orbit->session.progress, (high - low) / fabs(r->to - r->from),
                       "point %d, %s = %.6g", f->count, cli_orbit_param(f->orbit, r->param), now);
}

static int keep(void *context, const saltus_family_point *at)
{
    family *f = context;
    f->multipliers = at->multipliers;
    *CLI_PUSH(f->list, f->count) =
        (member){.kind = at->kind,
                 .text = cli_copy(at->text),
                 .params = copy_of(at->params, f->orbit->session.size.params),
                 .re = copy_of(at->re, at->multipliers),
                 .im = copy_of(at->im, at->multipliers),
                 .arc = at->arc,
                 .period = at->period,
                 .stable = at->stable};
    show_reach(f);
    return 0;
}

static int compare(const void *a, const void *b)
{
    const double x = ((const member *)a)->arc, y = ((const member *)b)->arc;
    return (x > y) - (x < y);
}

static void forget(family *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->list[i].text);
        free(f->list[i].params);
        free(f->list[i].re);
        free(f->list[i].im);
    }
    free(f->list);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *member_json(const family *f, const member *m)
{
    json_t *multipliers = json_array();
    for (int i = 0; i < f->multipliers; i++)
        cli_json_push(multipliers, "re:n im:n abs:n", m->re[i], m->im[i],
                      hypot(m->re[i], m->im[i]));
    json_t *object = cli_json_object("kind:s", saltus_family_kind_name(m->kind));
    cli_json_set(object, "value", cli_json_number(m->params[f->range.param]));
    if (*m->text) cli_json_add(object, "text:s", m->text);
    return cli_json_add(object, "fixed_point:j period:n multipliers:j stable:b",
                        cli_orbit_point_json(f->orbit, m->params), m->period, multipliers,
                        m->stable);
}

static void note_family(family *f, int complete)
{
    cli_session *s = &f->orbit->session;
    json_t      *points = json_array(), *changes = json_array();
    if (!s->result) return;
    for (int i = 0; i < f->count; i++) {
        json_t *point = member_json(f, &f->list[i]);
        if (f->list[i].kind != SALTUS_FAMILY_POINT) json_array_append(changes, point);
        json_array_append_new(points, point);
    }
    cli_json_add(s->result, "status:s along:j changes:j points:j",
                 !f->count  ? "no start"
                 : complete ? "converged"
                            : "stalled",
                 cli_json_object("parameter:s from:n to:n step:n",
                                 cli_orbit_param(f->orbit, f->range.param), f->range.from,
                                 f->range.to, f->range.step),
                 changes, points);
    const saltus_periodic_result *r = f->orbit->result;
    cli_json_add(s->result, "counts:j",
                 cli_json_object("points:i runs:i gradients:i", f->count, r->runs, r->gradients));
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_family(const family *f)
{
    const cli_orbit              *orbit = f->orbit;
    const saltus_periodic_result *r = orbit->result;
    cli_table                    *table = cli_table_of("periodic motions", 2, "change");
    cli_table_column(table, cli_orbit_param(orbit, f->range.param), 1);
    for (int i = 0; i < r->unknowns; i++)
        cli_table_column(table, cli_orbit_param(orbit, r->unknown[i]), 1);
    cli_table_column(table, "period", 1);
    cli_table_column(table, "|multiplier|", 1);
    cli_table_column(table, "stable", 0);
    for (int k = 0; k < f->count; k++) {
        const member *m = &f->list[k];
        const int     special = m->kind != SALTUS_FAMILY_POINT;
        cli_table_row(table, "sn", special ? saltus_family_kind_name(m->kind) : "",
                      m->params[f->range.param]);
        for (int i = 0; i < r->unknowns; i++) cli_table_number(table, m->params[r->unknown[i]]);
        cli_table_row(table, "nns", m->period, hypot(m->re[0], m->im[0]), m->stable ? "yes" : "no");
    }
    cli_session_table(&orbit->session, table);
    for (int k = 0; k < f->count; k++)
        if (f->list[k].kind != SALTUS_FAMILY_POINT)
            cli_print(orbit->session.arguments->out, "%s at %s = %.12g: %s\n",
                      saltus_family_kind_name(f->list[k].kind),
                      cli_orbit_param(orbit, f->range.param), f->list[k].params[f->range.param],
                      f->list[k].text);
}

/* Names of a script in CSV: quoted, with quotes doubled. */
static void print_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_number(FILE *stream, double value)
{
    char text[32];
    fprintf(stream, ",%s", cli_number_text(value, text));
}

static void write_csv(const family *f, FILE *stream)
{
    const saltus_periodic_result *r = f->orbit->result;
    fputs("kind,", stream);
    print_quoted(stream, cli_orbit_param(f->orbit, f->range.param));
    for (int i = 0; i < r->unknowns; i++) {
        fputc(',', stream);
        print_quoted(stream, cli_orbit_param(f->orbit, r->unknown[i]));
    }
    fputs(",period,stable", stream);
    for (int i = 0; i < f->multipliers; i++) fprintf(stream, ",re%d,im%d", i + 1, i + 1);
    fputc('\n', stream);
    for (int k = 0; k < f->count; k++) {
        const member *m = &f->list[k];
        fputs(saltus_family_kind_name(m->kind), stream);
        write_number(stream, m->params[f->range.param]);
        for (int i = 0; i < r->unknowns; i++) write_number(stream, m->params[r->unknown[i]]);
        write_number(stream, m->period);
        fprintf(stream, ",%d", m->stable);
        for (int i = 0; i < f->multipliers; i++) {
            write_number(stream, m->re[i]);
            write_number(stream, m->im[i]);
        }
        fputc('\n', stream);
    }
}

static void write_family(const family *f)
{
    cli_session *s = &f->orbit->session;
    if (!s->output) return;
    if (cli_ends_with(s->arguments->output, ".json"))
        cli_json_print(json_incref(s->result), s->output, 2);
    else write_csv(f, s->output);
    cli_session_keep(s);
}

void cli_orbit_follow(cli_orbit *orbit)
{
    cli_session *s = &orbit->session;
    family       f = {.orbit = orbit};
    int          complete = 0;
    if (!read_range(s, &f.range)) return;
    cli_session_plan(s, "following", 1.0);
    saltus_periodic_follow(orbit->periodic, NULL, f.range.param, f.range.from, f.range.to,
                           f.range.step, keep, &f, &complete, &s->error);
    cli_progress_done(&s->progress);
    orbit->result = saltus_periodic_get_result(orbit->periodic);
    if (f.count) qsort(f.list, (size_t)f.count, sizeof *f.list, compare);
    note_family(&f, complete);
    if (cli_session_prints(s) && f.count) {
        cli_session_title(s);
        print_family(&f);
    }
    write_family(&f);
    if (!f.count) cli_orbit_fail(orbit);
    else if (!complete)
        cli_fail(&s->error, SALTUS_ERR_UNFINISHED,
                 "the family of periodic motions could not be followed beyond %s = %.9g: try "
                 "shorter steps",
                 cli_orbit_param(orbit, f.range.param), f.list[f.count - 1].params[f.range.param]);
    forget(&f);
}
