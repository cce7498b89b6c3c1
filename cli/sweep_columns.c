/* The columns of a sweep's database. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sweep.h"
#include "text.h"

/* Columns that every sweep has, and what arrays of their texts are called. */
static const char *const taken[] = {"point",  "key",      "end",      "error",    "message",
                                    "t_end",  "steps",    "events",   "sequence", "ends",
                                    "errors", "messages", "sequences"};

/* As SQLite compares names: letters of ASCII alike. */
static int is_taken(const cli_columns *c, const char *name)
{
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcasecmp(taken[i], name) == 0) return 1;
    for (int i = 0; i < c->count; i++)
        if (strcasecmp(c->name[i], name) == 0) return 1;
    return 0;
}

/* The name, else "kind(name)", else with a number after it. Takes the name over. */
static void add(cli_columns *c, const char *kind, char *script_name)
{
    char *name = cli_valid_utf8(script_name);
    char *tried = is_taken(c, name) ? cli_format("%s(%s)", kind, name) : cli_copy(name);
    for (int i = 2; is_taken(c, tried); i++) {
        free(tried);
        tried = cli_format("%s(%s) %d", kind, name, i);
    }
    free(name);
    free(script_name);
    *CLI_PUSH(c->name, c->count) = tried;
}

/* Kinks are in the sequence, but nobody declared them. */
static void add_events(cli_columns *c, const cli_session *s)
{
    c->event = cli_alloc((size_t)s->size.events + 1, sizeof *c->event);
    for (int i = 0; i < s->size.events; i++) {
        const saltus_event_info event = saltus_system_event(s->system, i);
        if (event.automatic) continue;
        c->event[c->events++] = i;
        add(c, "event", cli_format("count(%s)", event.name));
    }
}

/* What --final may name: positions, velocities, memories, outputs. */
static void add_finals(cli_columns *c, cli_session *s)
{
    const saltus_size    size = s->size;
    const cli_arguments *a = s->arguments;
    const int            count = 2 * size.coordinates + size.memories + size.outputs;
    char               **names = cli_alloc((size_t)count + 1, sizeof *names);
    CLI_OWNED char      *chosen = cli_alloc((size_t)count + 1, 1);
    int                  n = 0;
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < size.coordinates; i++) names[n++] = cli_motion_name(s, i, order);
    for (int i = 0; i < size.memories; i++) names[n++] = cli_column_name(s, CLI_MEMORY, i);
    for (int i = 0; i < size.outputs; i++) names[n++] = cli_column_name(s, CLI_OUTPUT, i);
    for (int i = 0; i < a->count && !s->error.status; i++)
        if (a->given[i].option == CLI_OPTION_FINAL)
            cli_choose(a->given[i].value, (const char *const *)names, count, chosen, "value",
                       "--final", &s->error);
    const cli_choice choice = cli_choice_of(chosen, count);
    c->final = choice.index;
    c->finals = choice.count;
    for (int i = 0; i < c->finals; i++) add(c, "final", cli_copy(names[c->final[i]]));
    cli_names_free(names, count);
}

void cli_columns_make(cli_sweep *sweep)
{
    cli_columns *c = &sweep->columns;
    cli_session *s = &sweep->session;
    c->params = sweep->plan.params;
    for (int i = 0; i < c->params; i++)
        add(c, "param", cli_copy(saltus_system_param(s->system, sweep->plan.param[i]).name));
    add_events(c, s);
    c->costs = s->size.costs;
    for (int i = 0; i < c->costs; i++) add(c, "cost", cli_copy(cli_cost_name(s, i)));
    add_finals(c, s);
    if (!sweep->with_gradients) return;
    c->derivatives = c->costs * s->params.count;
    for (int i = 0; i < c->costs; i++)
        for (int k = 0; k < s->params.count; k++)
            add(c, "derivative",
                cli_format("d(%s)/d(%s)", cli_cost_name(s, i), cli_param_name(s, k)));
}

char *cli_quoted_name(const char *name) { return cli_quoted(name, "\"", "\"\""); }

void cli_columns_free(cli_columns *c)
{
    cli_names_free(c->name, c->count);
    free(c->event);
    free(c->final);
}
