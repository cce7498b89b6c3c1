/* --jsonl: one set of parameters per line, one result per line. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gradients.h"
#include "json_result.h"
#include "text.h"
#include "values.h"

typedef struct lines {
    cli_session *session;
    double      *base;          /* parameters that lines may leave out */
    int          warnings;      /* number of warnings of the model, known before any line */
    int          line;          /* number of the present line */
    int          count, failed; /* lines answered; those with an error */
    int          first_line;    /* the first line that failed */
    saltus_error first;
} lines;

/* ---- values of a line ----------------------------------------------------------------------- */

static int refuse_name(const cli_session *s, const char *name, saltus_error *err)
{
    const int              params = s->size.params, count = params + s->size.settings;
    CLI_OWNED const char **names = cli_alloc((size_t)count, sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = i < params ? saltus_system_param(s->system, i).name
                              : saltus_system_setting(s->system, i - params).name;
    CLI_OWNED char *near =
        cli_nearest(name, names, count, "; did you mean '%s'?", " ('saltus show' lists them)");
    return cli_misuse(err, "the model has no parameter '%s'%s", name, near);
}

/* A setting may be repeated, as in an earlier output, but not changed. */
static int check_setting(const cli_session *s, const saltus_override *given, saltus_error *err)
{
    for (int i = 0; i < s->size.settings; i++) {
        const saltus_setting_info setting = saltus_system_setting(s->system, i);
        if (strcmp(setting.name, given->name) != 0) continue;
        const int same = setting.text ? given->text && strcmp(setting.text, given->text) == 0
                                      : !given->text && given->value == setting.value;
        return same ||
               cli_misuse(err,
                          "'%s' is a setting: it cannot change between lines, since the model is "
                          "compiled once; give it with --set",
                          given->name);
    }
    return refuse_name(s, given->name, err);
}

static int put_value(cli_session *s, const saltus_override *given, saltus_error *err)
{
    const int index = saltus_system_find_param(s->system, given->name);
    if (index < 0) return check_setting(s, given, err);
    const saltus_param_info param = saltus_system_param(s->system, index);
    if (given->text)
        return cli_misuse(err, "parameter '%s' is a number, not the text '%s'", given->name,
                          given->text);
    if (!(given->value >= param.lower && given->value <= param.upper))
        return cli_misuse(err, "parameter '%s' = %g is outside of its bounds [%g, %g]", given->name,
                          given->value, param.lower, param.upper);
    s->values[index] = given->value;
    return 1;
}

/* Reads the values of a line; others are the model's. */
static int read_values(lines *l, const char *text, size_t length, saltus_error *err)
{
    cli_session *s = l->session;
    cli_values   values = {0};
    memcpy(s->values, l->base, (size_t)s->size.params * sizeof *s->values);
    int ok = cli_values_add_json(&values, "-", text, length, err);
    for (int i = 0; i < values.count && ok; i++) {
        ok = put_value(s, &values.value[i], err);
        cli_values_explain(&values, err);
    }
    cli_values_free(&values);
    return ok;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Takes the warnings of this line's run from the session. */
static json_t *take_warnings(lines *l)
{
    cli_session *s = l->session;
    json_t      *array = cli_json_texts(s->warnings + l->warnings, s->warning_count - l->warnings);
    for (int i = l->warnings; i < s->warning_count; i++) free(s->warnings[i]);
    s->warning_count = l->warnings;
    return array;
}

/* Simulates, differentiates, and adds the results to the answer. */
static void compute(lines *l, json_t *answer, int with_gradient, saltus_error *err)
{
    cli_session  *s = l->session;
    const int     times = s->arguments->event_times, all = s->arguments->verbose || times;
    cli_gradients g = {.error = {.status = SALTUS_ERR_UNFINISHED}};
    free(s->cost); /* the costs of the previous line */
    s->cost = NULL;
    if (cli_session_simulate(s) && with_gradient) {
        g = cli_gradients_on(s, s->run, s->arguments->method[0],
                             times ? CLI_ALL_TIMES
                             : all ? CLI_END_TIME
                                   : CLI_NO_TIMES);
        s->error = g.error;
        cli_json_add(answer, "method:s", saltus_method_name(g.method));
    }
    *err = s->error;
    s->error = (saltus_error){0}; /* the next line has its own */
    cli_json_add(answer, "parameters:j", cli_result_parameters(s));
    cli_result_line(s, answer, &g, all);
    cli_json_add(answer, "warnings:j", take_warnings(l));
    cli_gradients_free(&g);
}

static void note_failure(lines *l, json_t *answer, saltus_error *err)
{
    *err->file = '\0';
    err->line = l->line; /* line of the input, not of the script */
    cli_json_add(answer, "error:j", cli_json_error(err));
    if (l->failed++ > 0) return;
    l->first = *err;
    l->first_line = l->line;
}

/* Answers a line. Returns 0 if no further line can be answered: interrupted, or the output was
 * closed. */
static int answer_line(lines *l, const char *text, size_t length, int with_gradient)
{
    saltus_error err = {0};
    json_t      *answer = cli_json_object("line:i", l->line);
    if (read_values(l, text, length, &err)) compute(l, answer, with_gradient, &err);
    if (err.status) note_failure(l, answer, &err);
    cli_json_print(answer, l->session->arguments->out, 0);
    l->count++;
    return !cli_flush() && !cli_interrupted();
}

/* ---- the loop ------------------------------------------------------------------------------- */

static int is_blank(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    return length == 0;
}

typedef struct text_line {
    char *text; /* the line and its end, not NUL-terminated */
    int   length;
} text_line;

/* Reads a line. Returns 0 after the last one. */
static int read_line(text_line *in, int number, saltus_error *err)
{
    in->length = 0;
    for (int c = getc_unlocked(stdin); c != EOF; c = getc_unlocked(stdin)) {
        if (in->length == CLI_FILE_LIMIT)
            return cli_fail(err, SALTUS_ERR_FILE, "line %d of standard input is larger than %d MiB",
                            number, CLI_FILE_LIMIT >> 20);
        *CLI_PUSH(in->text, in->length) = (char)c;
        if (c == '\n') return 1;
    }
    return in->length > 0 && !ferror(stdin);
}

/* Estimates the number of lines from the length of those read; 0 if the length of the input is not
 * known. */
static int expected_lines(const lines *l, double bytes)
{
    struct stat about;
    if (bytes <= 0.0 || fstat(STDIN_FILENO, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    const double all = (double)l->line * (double)about.st_size / bytes;
    return all < 1e9 ? (int)(all + 0.5) : 0;
}

static void read_lines(lines *l, int with_gradient)
{
    cli_progress *bar = &l->session->progress;
    double        bytes = 0.0;
    text_line     in = {0};
    saltus_error *err = &l->session->error;
    int           go_on = 1;
    bar->quiet = bar->quiet || isatty(STDOUT_FILENO); /* answers show the progress */
    cli_progress_plan(bar, "answering lines", 0.0);
    bar->passes = with_gradient ? 2.0 : 1.0;
    errno = 0;
    while (go_on && read_line(&in, l->line + 1, err)) {
        l->line++;
        bytes += in.length;
        if (!is_blank(in.text, (size_t)in.length))
            go_on = answer_line(l, in.text, (size_t)in.length, with_gradient);
        cli_progress_count(bar, l->line, expected_lines(l, bytes));
        errno = 0;
    }
    cli_progress_done(bar);
    if (cli_interrupted())
        cli_fail(err, SALTUS_ERR_INTERRUPTED, "interrupted after line %d", l->line);
    else if (go_on && ferror(stdin))
        cli_fail(err, SALTUS_ERR_FILE, "cannot read standard input: %s", strerror(errno));
    free(in.text);
}

void cli_lines_answer(cli_session *s, int with_gradient)
{
    lines l = {.session = s};
    l.base = cli_alloc((size_t)s->size.params, sizeof *l.base);
    s->values = cli_alloc((size_t)s->size.params, sizeof *s->values);
    for (int i = 0; i < s->size.params; i++) l.base[i] = saltus_system_param(s->system, i).value;
    if (with_gradient && s->params.count == 0)
        cli_session_warn(s, "the model has no parameter that is not fixed: there is nothing to "
                            "differentiate by");
    l.warnings = s->warning_count;
    read_lines(&l, with_gradient);
    if (l.failed)
        cli_fail(&s->error, l.first.status, "%d of %d %s failed, first line %d: %s", l.failed,
                 l.count, l.count == 1 ? "line" : "lines", l.first_line, l.first.message);
    free(l.base);
}
