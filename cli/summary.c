/* The tables that run and gradient print. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "text.h"

/* Longer lists are cut in the middle, unless --verbose is given. */
enum { SHOWN_AT_EACH_END = 20 };

int cli_summary_skips(const cli_session *s, int index, int count)
{
    return !s->arguments->verbose && count > 2 * SHOWN_AT_EACH_END && index >= SHOWN_AT_EACH_END &&
           index < count - SHOWN_AT_EACH_END;
}

void cli_summary_left_out(const cli_session *s, int count)
{
    if (!s->arguments->verbose && count > 2 * SHOWN_AT_EACH_END)
        fprintf(s->arguments->out, "  (%d in the middle left out: --verbose shows all)\n\n",
                count - 2 * SHOWN_AT_EACH_END);
}

/* Adds a row per quantity: its name and its value. */
static void value_rows(const cli_session *s, cli_table *table, int count, cli_namer *info,
                       const double *values)
{
    for (int i = 0; i < count; i++) {
        const saltus_name_info of = info(s->system, i);
        cli_table_row(table, "un", of.name, of.unit, values[i]);
    }
}

/* ---- summary -------------------------------------------------------------------------------- */

/* Prints where costs have their largest or smallest values. */
static void print_peaks(const cli_session *s)
{
    int has = 0;
    for (int i = 0; i < s->size.costs && s->run; i++)
        has = has || saltus_run_peak(s->run, i).place != SALTUS_NO_PEAK;
    if (!has) return;
    cli_table *table = cli_table_of("peaks", 1, "cost||>value|>time|where");
    for (int i = 0; i < s->size.costs; i++) {
        const saltus_peak peak = saltus_run_peak(s->run, i);
        int               lowest = 0;
        if (peak.place == SALTUS_NO_PEAK) continue;
        saltus_system_cost_peak(s->system, i, &lowest);
        CLI_OWNED char *where =
            peak.event < 0 ? cli_copy(saltus_peak_place_name(peak.place))
                           : cli_format("%s %s (%d)", saltus_peak_place_name(peak.place),
                                        saltus_run_event(s->run, peak.event).name, peak.event + 1);
        cli_table_row(table, "ssnns", saltus_system_cost(s->system, i).name,
                      lowest ? "smallest" : "largest", peak.value, peak.t, where);
    }
    cli_session_table(s, table);
}

void cli_summary_costs(const cli_session *s)
{
    if (!s->cost) return; /* not simulated */
    cli_table *table = cli_table_of("costs", 1, "cost|>value");
    value_rows(s, table, s->size.costs, saltus_system_cost, s->cost);
    cli_session_table(s, table);
    print_peaks(s);
}

static char *end_text(const cli_session *s)
{
    const saltus_run_info *info = saltus_run_get_info(s->run);
    switch (info->outcome) {
    case SALTUS_END: return cli_copy("the end of the horizon");
    case SALTUS_TERMINAL_EVENT: return cli_format("ended by the event %s", cli_session_end(s));
    case SALTUS_INTERRUPTED: return cli_copy("interrupted");
    default: return cli_copy("where it could not go on");
    }
}

static void print_final(const cli_session *s, const saltus_row *row)
{
    CLI_OWNED char *end = end_text(s);
    CLI_OWNED char *title = cli_format("state at t = %.10g (%s)%s%s", row->t, end,
                                       row->mode ? ", mode " : "", row->mode ? row->mode : "");
    cli_table      *table = cli_table_of(title, 1, "coordinate|>position|>velocity|>acceleration");
    for (int i = 0; i < s->size.coordinates; i++) {
        if (saltus_system_is_state(s->system, i)) continue;
        const saltus_name_info of = saltus_system_coordinate(s->system, i);
        cli_table_row(table, "unnn", of.name, of.unit, row->q[i], row->v[i], row->a[i]);
    }
    cli_session_table(s, table);
}

static void print_states(const cli_session *s, const saltus_row *row)
{
    cli_table *table = cli_table_of("states at the end", 1, "state|>value|>rate");
    for (int i = 0; i < s->size.coordinates; i++) {
        if (!saltus_system_is_state(s->system, i)) continue;
        const saltus_name_info of = saltus_system_coordinate(s->system, i);
        cli_table_row(table, "unn", of.name, of.unit, row->v[i], row->a[i]);
    }
    cli_session_table(s, table);
}

static void print_others(const cli_session *s, const saltus_row *row)
{
    cli_table *table = cli_table_of(s->size.constraints ? "multipliers, memories and outputs"
                                                        : "memories and outputs",
                                    1, "name|>value");
    value_rows(s, table, s->size.constraints, saltus_system_constraint, row->mu);
    value_rows(s, table, s->size.memories, saltus_system_memory, row->c);
    value_rows(s, table, s->size.outputs, saltus_system_output, row->output);
    cli_session_table(s, table);
}

static int keep_first_row(void *context, const saltus_row *row)
{
    double *energy = context;
    energy[0] = row->kinetic;
    energy[1] = row->potential;
    return 1;
}

static void energy_row(cli_table *table, const char *name, double start, double end)
{
    cli_table_row(table, "snnn", name, start, end, end - start);
}

static void print_energies(cli_session *s, double kinetic, double potential)
{
    const double start_time = cli_session_start(s);
    double       start[2] = {NAN, NAN};
    saltus_error err = {0};
    if (!(saltus_run_get_info(s->run)->t > start_time)) { /* without a step, the end is the start */
        start[0] = kinetic;
        start[1] = potential;
    }
    saltus_run_trajectory(s->run, &start_time, 1, keep_first_row, start, &err);
    cli_need_memory(&err);
    cli_table *table = cli_table_of("energy", 1, "|>at the start|>at the end|>change");
    energy_row(table, "kinetic", start[0], kinetic);
    energy_row(table, "potential", start[1], potential);
    energy_row(table, "total", start[0] + start[1], kinetic + potential);
    cli_session_table(s, table);
}

void cli_summary_state(cli_session *s)
{
    saltus_row   row;
    saltus_error err = {0};
    if (!s->cost) return;
    saltus_run_final(s->run, &row, &err);
    cli_need_memory(&err);
    if (err.status) return;
    const double kinetic = row.kinetic, potential = row.potential;
    print_final(s, &row);
    print_states(s, &row);
    print_others(s, &row);
    print_energies(s, kinetic, potential); /* the row is not valid any more */
}

/* ---- events --------------------------------------------------------------------------------- */

/* Constraints whose impulses have columns of their own; with --verbose, all have. */
enum { MAX_IMPULSES = 4 };

static int impulse_columns(const cli_session *s)
{
    return s->arguments->verbose || s->size.constraints <= MAX_IMPULSES ? s->size.constraints : 0;
}

/* Adds the impulses of an event; constraints that are not active in the mode entered have none. */
static void impulse_cells(const cli_session *s, cli_table *table, int index, double *impulse)
{
    saltus_run_impulses(s->run, index, impulse);
    for (int i = 0; i < impulse_columns(s); i++)
        cli_table_number_or_nothing(table, impulse[i] != 0.0 ? impulse[i] : NAN);
}

static const char *const joint = " + "; /* between the modes of several groups */

/* The name of the mode at *text, which is moved on to the next one; NULL after the last. The caller
 * frees. */
static char *next_mode(const char **text)
{
    if (!*text) return NULL;
    const char *end = strstr(*text, joint);
    char       *name = cli_copy_part(*text, end ? (size_t)(end - *text) : strlen(*text));
    *text = end ? end + strlen(joint) : NULL;
    return name;
}

/* Adds the modes that an event leaves and enters; groups that do not change are left out. */
static void mode_cells(cli_table *table, const saltus_occurrence *at)
{
    const char     *from = at->from, *to = at->to;
    CLI_OWNED char *left = cli_copy(""), *entered = cli_copy("");
    for (;;) {
        CLI_OWNED char *before = next_mode(&from), *after = next_mode(&to);
        if (before && after && strcmp(before, after) != 0) {
            left = cli_append(left, "%s%s", *left ? joint : "", before);
            entered = cli_append(entered, "%s%s", *entered ? joint : "", after);
        }
        const int more = before && after;
        if (!more) break;
    }
    cli_table_row(table, "ss", left, entered);
}

static void event_row(const cli_session *s, cli_table *table, int index, double *impulse)
{
    const saltus_occurrence at = saltus_run_event(s->run, index);
    cli_table_row(table, "ins", index + 1, at.t, at.name);
    mode_cells(table, &at);
    cli_table_row(table, "no", at.rate, at.impulse);
    impulse_cells(s, table, index, impulse);
    if (s->arguments->verbose) cli_table_number(table, at.energy_before - at.energy_after);
    cli_table_cell_colour(table, at.grazing ? "grazing" : "", CLI_YELLOW);
}

/* Prints events that did not happen: a guard that never crosses zero may be a mistake. */
static void print_none(const cli_session *s)
{
    enum { NAMES_SHOWN = 4 };
    const char *last = "";
    int         names = 0;
    fprintf(s->arguments->out, "no events");
    for (int i = 0; i < s->size.events; i++) {
        const saltus_event_info event = saltus_system_event(s->system, i);
        if (event.automatic || strcmp(event.name, last) == 0) continue;
        last = event.name;
        if (names++ < NAMES_SHOWN)
            cli_print(s->arguments->out, "%s'%s'", names == 1 ? ": " : ", ", last);
    }
    if (names) fprintf(s->arguments->out, "%s did not happen", names > NAMES_SHOWN ? ", ..." : "");
    fprintf(s->arguments->out, "\n\n");
}

void cli_summary_events(const cli_session *s)
{
    if (!s->cost) return;
    if (s->events == 0) print_none(s);
    cli_table        *table = cli_table_of("events", 3, ">#|>time|name|from|to|>rate|>impulse");
    CLI_OWNED double *impulse = cli_alloc((size_t)s->size.constraints, sizeof *impulse);
    for (int i = 0; i < impulse_columns(s); i++) {
        CLI_OWNED char *name =
            cli_format("impulse(%s)", saltus_system_constraint(s->system, i).name);
        cli_table_column(table, name, 1);
    }
    if (s->arguments->verbose) cli_table_column(table, "energy lost", 1);
    cli_table_column(table, "note", 0);
    for (int i = 0; i < s->events; i++)
        if (!cli_summary_skips(s, i, s->events)) event_row(s, table, i, impulse);
    cli_session_table(s, table);
    cli_summary_left_out(s, s->events);
}

void cli_summary_jumps(cli_session *s)
{
    if (!s->cost) return;
    for (int i = 0; i < s->events; i++) {
        if (cli_summary_skips(s, i, s->events)) continue;
        cli_jump jump = cli_jump_of(s, i);
        cli_jump_print(s, &jump, i);
        cli_jump_free(&jump);
    }
}

/* ---- work ----------------------------------------------------------------------------------- */

void cli_timing_add(cli_timing *timing, double seconds)
{
    *CLI_PUSH(timing->seconds, timing->count) = seconds;
}

void cli_timing_free(cli_timing *timing)
{
    free(timing->seconds);
    *timing = (cli_timing){0};
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cli_timing_median(const cli_timing *timing)
{
    const int n = timing->count;
    if (n == 0) return NAN;
    CLI_OWNED double *sorted = cli_alloc((size_t)n, sizeof *sorted);
    memcpy(sorted, timing->seconds, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

void cli_timing_note(cli_session *s, const cli_timing *whole, const cli_timing *forward)
{
    double sum = 0.0, fastest = NAN;
    for (int i = 0; i < whole->count; i++) {
        sum += whole->seconds[i];
        fastest = fmin(fastest, whole->seconds[i]); /* ignores NaN */
    }
    cli_json_add(s->stats, "seconds:n", fastest);
    if (s->arguments->repeat > 1)
        cli_json_add(s->stats, "repeat:i seconds_mean:n", whole->count,
                     whole->count ? sum / (double)whole->count : NAN);
    cli_json_add(s->stats, "forward_seconds:n", cli_timing_median(forward));
}

static void seconds_row(const cli_session *s, cli_table *table, const char *name, const char *stat)
{
    cli_table_row(table, "sk", name, json_number_value(json_object_get(s->stats, stat)));
}

/* Adds medians of processor time over the repetitions. */
static void medians(const cli_session *s, cli_table *table)
{
    const char *name;
    json_t     *value;
    seconds_row(s, table, "CPU seconds, forward run", "forward_seconds");
    json_object_foreach(json_object_get(s->stats, "method_seconds"), name, value)
    {
        CLI_OWNED char *label = cli_format("CPU seconds, gradient by %s", name);
        cli_table_row(table, "sk", label, json_number_value(value));
    }
}

/* Lengths of the steps; steps of length zero, between events of one instant, do not count. */
typedef struct steps {
    double    smallest, largest, total;
    long long count;
    struct stay {
        const char *mode; /* kept by the system */
        double      time;
        long long   steps, stays;
    } * stay;
    int modes, last;
} steps;

static struct stay *stay_in(steps *all, const char *mode)
{
    for (int i = 0; i < all->modes; i++)
        if (strcmp(all->stay[i].mode, mode) == 0) return &all->stay[i];
    struct stay *stay = CLI_PUSH(all->stay, all->modes);
    *stay = (struct stay){.mode = mode};
    return stay;
}

static int count_step(void *context, const saltus_run_step *step)
{
    steps *all = context;
    if (step->length > 0.0) {
        all->smallest = fmin(all->smallest, step->length);
        all->largest = fmax(all->largest, step->length);
        all->total += step->length;
        all->count++;
    }
    if (!step->mode) return 0;
    struct stay *stay = stay_in(all, step->mode);
    const int    index = (int)(stay - all->stay);
    stay->time += step->length;
    stay->steps++;
    if (index != all->last) stay->stays++;
    all->last = index;
    return 0;
}

static void step_rows(const cli_session *s, cli_table *table, const saltus_run_info *info,
                      const steps *all)
{
    if (info->steps == 0) return;
    cli_table_row(table, "sk", "evaluations per step",
                  (double)info->evaluations / (double)info->steps);
    if (all->count > 0) {
        cli_table_row(table, "sk", "length of a step, smallest", all->smallest);
        cli_table_row(table, "sk", "length of a step, mean", all->total / (double)all->count);
        cli_table_row(table, "sk", "length of a step, largest", all->largest);
    }
    const int native = saltus_system_backend(s->system).backend == SALTUS_NATIVE;
    cli_table_row(table, "ss", "kernels", native ? "compiled" : "interpreted");
}

static void print_stays(const cli_session *s, const steps *all)
{
    if (all->modes == 0) return;
    cli_table *table = cli_table_of("modes", 1, "mode|>stays|>time|>steps");
    for (int i = 0; i < all->modes; i++) {
        const struct stay *stay = &all->stay[i];
        cli_table_row(table, "slkl", stay->mode, stay->stays, stay->time, stay->steps);
    }
    cli_session_table(s, table);
}

void cli_summary_work(const cli_session *s)
{
    if (!s->cost || (!s->arguments->verbose && !s->arguments->timing)) return;
    const saltus_run_info before = *saltus_run_get_info(s->run); /* reading steps may replay some */
    const saltus_run_info *info = &before;
    cli_table             *table = cli_table_of("work", 1, "|>");
    saltus_error           err = {0};
    steps                  all = {.smallest = INFINITY, .last = -1};
    if (s->arguments->verbose) saltus_run_steps(s->run, count_step, &all, &err);
    cli_need_memory(&err);
    cli_table_row(table, "slslslsl", "steps", info->steps, "steps rejected", info->rejected,
                  "steps replayed", info->replayed, "evaluations", info->evaluations);
    step_rows(s, table, info, &all);
    seconds_row(s, table, "seconds to load", "load_seconds");
    if (s->arguments->repeat == 1) {
        seconds_row(s, table, "seconds", "seconds");
    } else {
        cli_table_row(table, "sl", "repeated", s->arguments->repeat);
        seconds_row(s, table, "seconds, fastest", "seconds");
        seconds_row(s, table, "seconds, mean", "seconds_mean");
    }
    if (s->arguments->timing) medians(s, table);
    cli_session_table(s, table);
    print_stays(s, &all);
    free(all.stay);
}
