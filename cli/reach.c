/* Between which values of each parameter the events are those of this run: see reach.h. */
#include "reach.h"

#include <stdlib.h>

#include "json_result.h"

saltus_trust *cli_reach_find(cli_session *s)
{
    saltus_trust *trust = cli_alloc((size_t)s->params.count + 1, sizeof *trust);
    cli_session_progress(s, "reach");
    if (saltus_run_trust(s->run, s->params.index, s->params.count, trust, &s->error) == SALTUS_OK)
        return trust;
    free(trust);
    return NULL;
}

/* What ends it, or null. */
static json_t *end_json(const char *text) { return text[0] ? cli_json_text(text) : json_null(); }

json_t *cli_reach_json(const cli_session *s, const saltus_trust *trust)
{
    json_t *all = json_object();
    for (int k = 0; k < s->params.count; k++) {
        json_t *ends = cli_json_object("lower:j upper:j", end_json(trust[k].lower_end),
                                       end_json(trust[k].upper_end));
        cli_json_set(
            all, cli_param_name(s, k),
            cli_json_object("lower:n upper:n ends:j", trust[k].lower, trust[k].upper, ends));
    }
    return all;
}

void cli_reach_print(const cli_session *s, const saltus_trust *trust)
{
    cli_table *table = cli_table_of("the same events", 2, "by|>value|>from|>to|below|above");
    for (int k = 0; k < s->params.count; k++) {
        const saltus_param_info info = saltus_system_param(s->system, s->params.index[k]);
        cli_table_row(table, "snoos", info.name, info.value, trust[k].lower, trust[k].upper,
                      trust[k].lower_end);
        cli_table_cell(table, trust[k].upper_end);
    }
    cli_session_table(s, table);
}
