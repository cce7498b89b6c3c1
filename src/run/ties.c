/* Ties: see ties.h. */
#include "run/ties.h"

static void note(saltus_run *run, sal_tie tie)
{
    if (run->replaying) return;
    if (run->ties == 0) run->tie = tie;
    run->ties++;
}

void sal_tie_note_events(saltus_run *run, int first, int second)
{
    note(run, (sal_tie){.first = run->system->event[first].name,
                        .second = run->system->event[second].name,
                        .t = run->cursor.t});
}

void sal_tie_note_contact(saltus_run *run, int contact, double t)
{
    const sal_contact *of = &run->system->model->found_contacts.data[contact];
    note(run, (sal_tie){.first = of->label.name, .t = t});
}
