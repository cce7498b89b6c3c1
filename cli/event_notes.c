/* What there is to say of an event: grazing, neighbours.
 *
 * Gradients hold while the same events happen in the same order. Where two of them are τ' - τ
 * apart, a relative change x of the parameter ρ exchanges them, to first order, at
 *
 *     x = (τ' - τ) / (ρ (dτ/dρ - dτ'/dρ))
 */
#include <math.h>
#include <stdlib.h>

#include "json_result.h"
#include "text.h"

static const double near = 0.01;       /* relative change of a parameter */
static const double slow = 1e-3;       /* guard rate, by the largest of the same event */
static const double same_time = 1e-12; /* of the run */

static void add(json_t *notes, char *text)
{
    json_array_append_new(notes, cli_json_text(text));
    free(text);
}

double *cli_event_rates(const cli_session *s)
{
    double *most = cli_alloc((size_t)s->size.events, sizeof *most);
    for (int i = 0; i < s->events; i++) {
        const saltus_occurrence at = saltus_run_event(s->run, i);
        most[at.event] = fmax(most[at.event], fabs(at.rate));
    }
    return most;
}

static void note_grazing(const cli_session *s, const double *rates, int event, json_t *notes)
{
    const saltus_occurrence at = saltus_run_event(s->run, event);
    if (at.grazing) add(notes, cli_format("grazes: there is no gradient"));
    else if (fabs(at.rate) < slow * rates[at.event])
        add(notes, cli_format("close to grazing: the guard rate %.3g is small", at.rate));
}

/* The smallest relative change, by which parameter; INFINITY: none. */
static double change_to_swap(const cli_session *s, double gap, const double *d, const double *other,
                             int *param)
{
    double least = INFINITY;
    for (int k = 0; k < s->params.count; k++) {
        const double value = saltus_system_param(s->system, s->params.index[k]).value;
        const double speed = value * (d[k] - (other ? other[k] : 0.0));
        const double change = speed != 0.0 ? gap / speed : INFINITY;
        if (fabs(change) < fabs(least)) {
            least = change;
            *param = k;
        }
    }
    return least;
}

static void note_swap(const cli_session *s, double change, int param, const char *what,
                      json_t *notes)
{
    if (fabs(change) < near)
        add(notes, cli_format("changing %s by %.2g %% would %s", cli_param_name(s, param),
                              100.0 * change, what));
}

/* g: NULL without derivatives of event times. */
static void note_next(const cli_session *s, const cli_gradients *g, int event, json_t *notes)
{
    const int    np = s->params.count;
    const double t = saltus_run_event(s->run, event).t;
    const double gap = saltus_run_event(s->run, event + 1).t - t;
    int          param = 0;
    if (gap <= same_time * fmax(1.0, fabs(t))) {
        add(notes, cli_format("at the same instant as event %d", event + 2));
        return;
    }
    if (!g) return;
    const double change =
        change_to_swap(s, gap, g->time + event * np, g->time + (event + 1) * np, &param);
    CLI_OWNED char *what = cli_format("exchange it with event %d", event + 2);
    note_swap(s, change, param, what, notes);
}

/* The last one may be moved past the end of a run that a horizon ends. */
static void note_end(const cli_session *s, const cli_gradients *g, int event, json_t *notes)
{
    const saltus_run_info *info = saltus_run_get_info(s->run);
    int                    param = 0;
    if (info->outcome != SALTUS_END) return;
    const double gap = info->t - saltus_run_event(s->run, event).t;
    const double change = change_to_swap(s, gap, g->time + event * s->params.count, g->end, &param);
    note_swap(s, change, param, "move it past the end", notes);
}

json_t *cli_event_notes(const cli_session *s, const cli_gradients *g, const double *rates,
                        int event)
{
    json_t *notes = json_array();
    note_grazing(s, rates, event, notes);
    if (g && (g->error.status || !g->time || s->params.count == 0)) g = NULL;
    if (event + 1 < s->events) note_next(s, g, event, notes);
    else if (g) note_end(s, g, event, notes);
    return notes;
}
