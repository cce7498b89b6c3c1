/* Clearances for callers: see clearances.h. */
#include "gradient/clearances.h"

#include <stdio.h>

#include "saltus/saltus.h"

enum { TEXT = 240 };

const char *saltus_clearance_kind_name(saltus_clearance_kind kind)
{
    static const char *const names[] = {"swap",      "leave",  "enter", "miss", "vanish",
                                        "condition", "sample", "node",  "peak"};
    return (int)kind >= 0 && (int)kind < 9 ? names[kind] : "";
}

/* The number, counted from 1, that an occurrence of this event has if it is at place `before`. */
static int number_of(const saltus_run *run, int event, int before)
{
    int number = 1;
    for (int i = 0; i < before; i++) number += run->history.occurrences.data[i].event == event;
    return number;
}

static const char *name_of(const saltus_run *run, int event)
{
    return run->system->event[event].name;
}

/* The name of an occurrence with its number: 'floor' 3. */
static void write_name(const saltus_run *run, int occurrence, char name[TEXT])
{
    const int event = run->history.occurrences.data[occurrence].event;
    snprintf(name, TEXT, "'%.160s' %d", name_of(run, event), number_of(run, event, occurrence));
}

static void write_enter(const saltus_run *run, const sal_clearance *c, char text[TEXT])
{
    char name[TEXT];
    if (c->first < 0) {
        snprintf(text, TEXT, "'%.160s' %d enters the horizon", name_of(run, c->event),
                 number_of(run, c->event, run->history.occurrences.count));
        return;
    }
    write_name(run, c->first, name);
    snprintf(text, TEXT, "'%.100s' happens before %.120s", name_of(run, c->event), name);
}

/* The index of an occurrence among those that users see; -1: none. */
static int shown(const saltus_run *run, int occurrence)
{
    return occurrence < 0 ? -1 : run->history.occurrences.data[occurrence].shown;
}

static void write_text(const saltus_run *run, const sal_clearance *c, char text[TEXT])
{
    char first[TEXT] = "", second[TEXT] = "";
    if (c->first >= 0) write_name(run, c->first, first);
    if (c->second >= 0) write_name(run, c->second, second);
    switch (c->kind) {
    case SALTUS_CLEAR_SWAP: snprintf(text, TEXT, "%.100s and %.100s meet", first, second); break;
    case SALTUS_CLEAR_LEAVE:
        if (c->first >= 0) snprintf(text, TEXT, "%.200s leaves the horizon", first);
        else snprintf(text, TEXT, "%.200s leaves at the start", second);
        break;
    case SALTUS_CLEAR_ENTER: write_enter(run, c, text); break;
    case SALTUS_CLEAR_MISS:
        snprintf(text, TEXT, "'%.160s' is touched at t = %.6g", name_of(run, c->event), c->t);
        break;
    case SALTUS_CLEAR_VANISH: snprintf(text, TEXT, "%.200s is missed", first); break;
    case SALTUS_CLEAR_CONDITION:
        snprintf(text, TEXT, "a condition of %.200s changes", first);
        break;
    case SALTUS_CLEAR_SAMPLE: snprintf(text, TEXT, "%.200s meets a sample", first); break;
    case SALTUS_CLEAR_NODE: snprintf(text, TEXT, "%.200s meets a node of a control", first); break;
    case SALTUS_CLEAR_PEAK:
        snprintf(text, TEXT, "the peaks of cost '%.100s' at t = %.6g and t = %.6g tie",
                 run->system->model->costs.data[c->cost].label.name, c->t, c->other);
        break;
    }
}

void sal_clearances_tell(saltus_run *run, const sal_clearances *found,
                         saltus_clearance_function clearance, void *context)
{
    for (int i = 0; i < found->list.count; i++) {
        const sal_clearance *c = &found->list.data[i];
        char                 text[TEXT];
        write_text(run, c, text);
        const saltus_clearance out = {
            c->kind, c->event, shown(run, c->first), shown(run, c->second),
            c->t,    c->value, c->gradient,          text,
            c->cost};
        sal_run_lend(run);
        const int stop = clearance(context, &out);
        sal_run_take_back(run);
        if (stop) return;
    }
}
