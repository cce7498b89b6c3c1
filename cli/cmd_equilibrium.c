/* saltus equilibrium: a state of rest, the eigenvalues of small motions about it, and their
 * derivatives. */

#include "json_result.h"
#include "session.h"
#include "text.h"

typedef struct work {
    cli_session                      session;
    saltus_equilibrium              *search;
    const saltus_equilibrium_result *result;
} work;

static const cli_end ends[] = {
    [SALTUS_EQUILIBRIUM_FOUND] = {"converged", SALTUS_OK},
    [SALTUS_EQUILIBRIUM_STUCK] = {"stalled", SALTUS_ERR_UNFINISHED},
    [SALTUS_EQUILIBRIUM_LIMIT] = {"limit", SALTUS_ERR_LIMIT},
    [SALTUS_EQUILIBRIUM_NO_START] = {"no start", SALTUS_ERR_UNFINISHED},
    [SALTUS_EQUILIBRIUM_NOT_SOUGHT] = {"not sought", SALTUS_ERR_UNFINISHED},
};

static const char *stability(const saltus_equilibrium_result *r)
{
    return r->stable > 0 ? "stable" : r->stable == 0 ? "unstable" : "neutral";
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *eigenvalue_json(const work *w, int i)
{
    const saltus_equilibrium_result *r = w->result;
    const int                        first = i * r->params_by;
    return cli_json_object("re:n im:n gradient:j", r->re[i], r->im[i],
                           cli_json_complex(&w->session, w->session.params.index, r->params_by,
                                            r->re_gradient + first, r->im_gradient + first));
}

/* {parameter: {coordinate: x}} */
static json_t *gradient_json(const work *w)
{
    const saltus_equilibrium_result *r = w->result;
    json_t                          *object = json_object();
    for (int k = 0; r->gradient && k < r->params_by; k++)
        cli_json_set(object, cli_param_name(&w->session, k),
                     cli_json_by_name(&w->session, r->coordinates, saltus_system_coordinate,
                                      r->gradient + k, r->params_by));
    return object;
}

static void note_result(work *w)
{
    cli_session                     *s = &w->session;
    const saltus_equilibrium_result *r = w->result;
    if (!s->result || !r) return;
    json_t *list = json_array();
    for (int i = 0; r->re_gradient && i < r->eigenvalues; i++)
        json_array_append_new(list, eigenvalue_json(w, i));
    cli_json_add(s->result, "status:s", ends[r->end].name);
    if (*r->message) cli_json_add(s->result, "message:s", r->message);
    cli_json_add(s->result, "time:n mode:s position:j acceleration:j multiplier:j", r->t, r->mode,
                 cli_json_by_name(s, r->coordinates, saltus_system_coordinate, r->position, 1),
                 cli_json_by_name(s, r->coordinates, saltus_system_coordinate, r->acceleration, 1),
                 cli_json_by_name(s, r->constraints, saltus_system_constraint, r->multiplier, 1));
    cli_json_add(s->result, "stability:s eigenvalues:j gradient:j", r->re ? stability(r) : NULL,
                 list, gradient_json(w));
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_positions(const work *w)
{
    const saltus_equilibrium_result *r = w->result;
    const int                        found = r->end == SALTUS_EQUILIBRIUM_FOUND;
    cli_table *table = cli_table_of(found ? "rest" : "best point", 1, "coordinate|>value");
    for (int k = 0; r->gradient && k < r->params_by; k++) {
        CLI_OWNED char *name = cli_format("by %s", cli_param_name(&w->session, k));
        cli_table_column(table, name, 1);
    }
    if (!found) cli_table_column(table, "acceleration", 1);
    for (int i = 0; i < r->coordinates; i++) {
        cli_table_row(table, "sn", saltus_system_coordinate(w->session.system, i).name,
                      r->position[i]);
        if (r->gradient) cli_table_numbers(table, r->gradient + i * r->params_by, r->params_by);
        if (!found) cli_table_number(table, r->acceleration[i]);
    }
    cli_session_table(&w->session, table);
}

static void print_forces(const work *w)
{
    const saltus_equilibrium_result *r = w->result;
    cli_table *table = cli_table_of("forces of constraints", 1, "constraint|>multiplier");
    for (int i = 0; i < r->constraints; i++)
        cli_table_row(table, "sn", saltus_system_constraint(w->session.system, i).name,
                      r->multiplier[i]);
    cli_session_table(&w->session, table);
}

static void print_eigenvalues(const work *w)
{
    const saltus_equilibrium_result *r = w->result;
    if (!r->re_gradient) return;
    cli_table *table = cli_table_of("eigenvalues", 3, ">#|>real|>imaginary");
    for (int k = 0; k < r->params_by; k++) {
        CLI_OWNED char *re = cli_format("real by %s", cli_param_name(&w->session, k));
        CLI_OWNED char *im = cli_format("imaginary by %s", cli_param_name(&w->session, k));
        cli_table_column(table, re, 1);
        cli_table_column(table, im, 1);
    }
    for (int i = 0; i < r->eigenvalues; i++) {
        cli_table_row(table, "inn", i + 1, r->re[i], r->im[i]);
        for (int k = 0; k < r->params_by; k++) {
            cli_table_number(table, r->re_gradient[i * r->params_by + k]);
            cli_table_number(table, r->im_gradient[i * r->params_by + k]);
        }
    }
    cli_session_table(&w->session, table);
    cli_print(w->session.arguments->out, "%s\n\n",
              r->stable > 0    ? "stable: small motions die out"
              : r->stable == 0 ? "unstable: small motions grow"
                               : "neutral: the linearised motion neither grows nor dies out");
}

static void print_tables(const work *w)
{
    if (!w->result || !w->result->position) return;
    cli_session_title(&w->session);
    print_positions(w);
    print_forces(w);
    print_eigenvalues(w);
}

int cli_command_equilibrium(const cli_arguments *arguments)
{
    work         w = {.result = NULL};
    cli_session *s = &w.session;
    cli_session_open(s, arguments);
    if (!s->error.status)
        w.search = saltus_equilibrium_new(s->system, &s->options, s->params.index, s->params.count,
                                          &s->error);
    if (!s->error.status) {
        saltus_equilibrium_find(w.search, s->values, &s->error);
        w.result = saltus_equilibrium_get_result(w.search);
        note_result(&w);
        if (cli_session_prints(s)) print_tables(&w);
        if (!s->error.status && ends[w.result->end].status)
            cli_fail(&s->error, ends[w.result->end].status, "%s", w.result->message);
        else if (*w.result->message) cli_session_warn(s, "%s", w.result->message);
    }
    saltus_equilibrium_free(w.search);
    return cli_session_close(s);
}
