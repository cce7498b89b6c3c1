/* What the page of a sweep shows (web/sweep.js), as one JSON object:
 *
 *     {"result": what --json prints, "every": one of so many points is in it,
 *      "columns": [{"name", "kind", "unit", "values" or "codes" and "texts"}]}
 *
 * Values are base64 of little-endian doubles, one for each point. */
#include <string.h>

#include "json_result.h"
#include "report.h"
#include "sweep.h"
#include "text.h"

enum { POINTS_SHOWN = 20000 }; /* a page with more is slow, and shows no more */

/* What a column is, by its place among those of the sweep; -1: all sweeps have it. */
static const char *kind_of(const cli_sweep *sweep, int place)
{
    const cli_columns *c = &sweep->columns;
    const int          counts = c->params, costs = counts + c->events, finals = costs + c->costs;
    return place < 0                    ? "run"
           : place < c->params          ? "parameter"
           : place < costs              ? "count"
           : place < finals             ? "cost"
           : place < finals + c->finals ? "final"
                                        : "derivative";
}

static const char *unit_of(const cli_sweep *sweep, int place)
{
    const cli_columns *c = &sweep->columns;
    const cli_session *s = &sweep->session;
    const int          cost = place - c->params - c->events;
    if (place >= 0 && place < c->params)
        return saltus_system_param(s->system, sweep->plan.param[place]).unit;
    if (place >= 0 && cost >= 0 && cost < c->costs) return saltus_system_cost(s->system, cost).unit;
    return "";
}

static int place_of(const cli_sweep *sweep, const char *name)
{
    for (int i = 0; i < sweep->columns.count; i++)
        if (strcmp(sweep->columns.name[i], name) == 0) return i;
    return -1;
}

static json_t *column_json(cli_sweep *sweep, const char *name, int every)
{
    const int       place = place_of(sweep, name);
    cli_column_data data;
    json_t         *object =
        cli_json_object("name:s kind:s unit:s", name, kind_of(sweep, place), unit_of(sweep, place));
    cli_store_column(sweep, name, every, &data);
    if (data.texts) {
        for (int i = 0; i < data.rows; i++) data.number[i] = data.code[i];
        cli_json_add(object, "codes:j texts:j", cli_report_doubles(data.number, data.rows),
                     cli_json_texts(data.text, data.texts));
    } else {
        cli_json_add(object, "values:j", cli_report_doubles(data.number, data.rows));
    }
    cli_column_data_free(&data);
    return object;
}

void cli_sweep_page_write(cli_sweep *sweep, FILE *stream)
{
    cli_session *s = &sweep->session;
    const int    every = (sweep->points + POINTS_SHOWN - 1) / POINTS_SHOWN;
    char       **names = NULL;
    int          count = 0;
    json_t      *columns = json_array();
    if (!cli_store_names(sweep, &names, &count)) return;
    for (int i = 0; i < count && !s->error.status; i++)
        json_array_append_new(columns, column_json(sweep, names[i], every > 1 ? every : 1));
    json_t         *data = cli_json_object("result:j every:i columns:j", json_incref(s->result),
                                   every > 1 ? every : 1, columns);
    const char     *name = saltus_system_name(s->system);
    CLI_OWNED char *about = cli_format("A sweep of %d points", sweep->points);
    cli_page_write(stream, cli_sweep_page, cli_sweep_page_size, *name ? name : s->arguments->model,
                   about, data, 0);
    json_decref(data);
    cli_names_free(names, count);
}
