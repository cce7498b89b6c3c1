/* Names of columns, and choosing among names. */
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "session.h"
#include "text.h"

static const char *script_name(const cli_session *s, cli_column kind, int index)
{
    switch (kind) {
    case CLI_COORDINATE: return saltus_system_coordinate(s->system, index).name;
    case CLI_MEMORY: return saltus_system_memory(s->system, index).name;
    case CLI_COST: return saltus_system_cost(s->system, index).name;
    case CLI_OUTPUT: return saltus_system_output(s->system, index).name;
    case CLI_PARAM: break;
    }
    return saltus_system_param(s->system, index).name;
}

/* The number of names of a kind that others must differ from. Costs that were not requested are
 * included, so that names do not depend on the request. */
static int count_of(const cli_session *s, cli_column kind)
{
    return kind == CLI_COORDINATE ? s->size.coordinates
           : kind == CLI_MEMORY   ? s->size.memories
                                  : s->cost_name_count;
}

static const char *name_of(const cli_session *s, cli_column kind, int index)
{
    return kind == CLI_COST ? s->cost_names[index] : script_name(s, kind, index);
}

/* Whether the text is "head" + name + ")". */
static int is_rate(const char *text, const char *head, const char *name)
{
    const size_t before = strlen(head), length = strlen(name);
    return strncmp(text, head, before) == 0 && strncmp(text + before, name, length) == 0 &&
           strcmp(text + before + length, ")") == 0;
}

static int is_taken(const cli_session *s, cli_column kind, const char *name)
{
    if (strcmp(name, "t") == 0 || strcmp(name, "mode") == 0) return 1;
    for (int k = CLI_COORDINATE; k < (int)kind && k <= CLI_COST; k++)
        for (int i = 0; i < count_of(s, (cli_column)k); i++) {
            const char *other = name_of(s, (cli_column)k, i);
            if (strcmp(name, other) == 0) return 1;
            if (k == CLI_COORDINATE &&
                (is_rate(name, "dot(", other) || is_rate(name, "ddot(", other)))
                return 1;
        }
    return 0;
}

char *cli_column_name(const cli_session *s, cli_column kind, int index)
{
    static const char *const words[] = {[CLI_COORDINATE] = "coordinate",
                                        [CLI_MEMORY] = "memory",
                                        [CLI_COST] = "cost",
                                        [CLI_OUTPUT] = "output",
                                        [CLI_PARAM] = "param"};
    const char              *name = script_name(s, kind, index);
    return is_taken(s, kind, name) ? cli_format("%s(%s)", words[kind], name) : cli_copy(name);
}

/* Returns the name of a motion column; a state is the velocity of a coordinate with its name. */
char *cli_motion_name(const cli_session *s, int index, int order)
{
    const int state = saltus_system_is_state(s->system, index);
    const int at = state ? order : order + 1;
    if (at == 1) return cli_column_name(s, CLI_COORDINATE, index);
    const char *name = saltus_system_coordinate(s->system, index).name;
    return at == 0   ? cli_format("integral(%s)", name)
           : at == 2 ? cli_format("dot(%s)", name)
                     : cli_format("ddot(%s)", name);
}

char **cli_state_names(const cli_session *s, int *count)
{
    const saltus_size size = s->size;
    int               n = 0;
    *count = 2 * size.coordinates + size.memories + size.costs;
    char **names = cli_alloc((size_t)*count, sizeof *names);
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < size.coordinates; i++) names[n++] = cli_motion_name(s, i, order);
    for (int i = 0; i < size.memories; i++) names[n++] = cli_column_name(s, CLI_MEMORY, i);
    for (int i = 0; i < size.costs; i++) names[n++] = cli_column_name(s, CLI_COST, i);
    return names;
}

void cli_names_free(char **names, int count)
{
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
}

static int choose_one(const char *pattern, const char *const *names, int count, char *chosen,
                      const char *what, const char *option, saltus_error *err)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (saltus_name_matches(pattern, names[i])) chosen[i] = 1, found = 1;
    if (found) return 1;
    if (!*pattern) return cli_misuse(err, "%s has an empty name", option);
    if (count == 0) return cli_misuse(err, "%s '%s': the model has no %s", option, pattern, what);
    if (strchr(pattern, '*'))
        return cli_misuse(err, "%s '%s': no %s has such a name", option, pattern, what);
    CLI_OWNED char *near =
        cli_nearest(pattern, names, count, "did you mean '%s'?", "'saltus show' lists them");
    return cli_misuse(err, "%s '%s': there is no such %s; %s", option, pattern, what, near);
}

int cli_choose(const char *list, const char *const *names, int count, char *chosen,
               const char *what, const char *option, saltus_error *err)
{
    while (list) {
        CLI_OWNED char *pattern = cli_next_part(&list, ",");
        if (!choose_one(pattern, names, count, chosen, what, option, err)) return 0;
    }
    return 1;
}

cli_choice cli_choice_of(const char *chosen, int count)
{
    cli_choice choice = {cli_alloc((size_t)count, sizeof(int)), 0};
    for (int i = 0; i < count; i++)
        if (chosen[i]) choice.index[choice.count++] = i;
    return choice;
}
