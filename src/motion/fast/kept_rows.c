/* Decides how many numbers of each stage the record must keep so that a step need not be taken
 * again, whether the step just taken has left them, and puts them back: see kept_rows.h. */
#include <string.h>

#include "compile/solved.h"
#include "motion/fast/fast.h"
#include "motion/fast/kept_rows.h"
#include "motion/fast/nystrom.h"

/* The first row in memory of the record, shifted so that slopes begin at a cache line. */
static double *rows_at(const sal_motion *motion, void *bytes)
{
    double *first = bytes;
    if (!first || motion->fast->adjoint_reads > 0) return first;
    return first + sal_step_offset(motion->step.form);
}

size_t sal_rows_plan(sal_motion *motion, const sal_regime *regime)
{
    const saltus_system *system = motion->field.system;
    const sal_step      *step = &motion->step;
    const bool           constant = system->form == SAL_DIAGONAL || system->mass_constant;
    if (motion->fast->off || !(constant || sal_solved_row(system) > 0)) return 0;
    motion->fast->adjoint_reads = sal_nystrom_reads(system, regime);
    if (motion->fast->adjoint_reads > 0)
        return (size_t)motion->stages_differentiated * (size_t)motion->fast->adjoint_reads *
               sizeof(double);
    return ((size_t)step->tableau->stages * (size_t)step->form.size + SAL_ROW_ALIGNMENT) *
           sizeof(double);
}

void sal_rows_place(sal_motion *motion, void *here, void *next)
{
    const bool some = motion->fast->adjoint_reads > 0;
    motion->fast->differentiated = here != NULL;
    sal_nystrom_place(motion, some ? here : NULL);
    sal_step_place(&motion->step, some ? NULL : rows_at(motion, here),
                   some || !here ? NULL : rows_at(motion, next));
}

void sal_fast_retake(sal_motion *motion)
{
    sal_rows_place(motion, NULL, NULL);
    motion->fast->differentiated = true;
}

/* Which kind of whole rows the step has left; SAL_ROWS_NONE: derivatives need more than its rows.
 */
static sal_rows_kept whole_rows(const sal_motion *motion)
{
    const saltus_system *system = motion->field.system;
    const int            stages = motion->step.tableau->stages;
    int                  by_solved = 0;
    for (int i = 0; i < stages; i++) by_solved += motion->factors[i].by_solved;
    if (by_solved == stages) return SAL_ROWS_SOLVED;
    const bool constant = system->form == SAL_DIAGONAL || system->mass_constant;
    return by_solved == 0 && constant ? SAL_ROWS_CONSTANT_MASS : SAL_ROWS_NONE;
}

sal_rows_kept sal_rows_keep(sal_motion *motion, void *here, bool length_given)
{
    double *rows = rows_at(motion, here);
    if (motion->fast->adjoint_reads == 0)
        return motion->step.row[0] == rows ? whole_rows(motion) : SAL_ROWS_NONE;
    if (!length_given || motion->field.regime->adjoint_reads > motion->fast->adjoint_reads)
        return SAL_ROWS_NONE;
    sal_nystrom_keep(motion, rows);
    return SAL_ROWS_READ_BY_ADJOINT;
}

bool sal_rows_load(sal_motion *motion, sal_rows_kept kept, void *here, double t, const double *z,
                   double h, bool for_adjoint)
{
    sal_step *step = &motion->step;
    double   *rows = rows_at(motion, here);
    if (kept == SAL_ROWS_NONE || (kept == SAL_ROWS_READ_BY_ADJOINT && !for_adjoint)) return false;
    if (kept == SAL_ROWS_READ_BY_ADJOINT) {
        sal_nystrom_load(motion, rows, t, h);
        return true;
    }
    sal_step_retain(step, rows, t, h);
    if (step->ng) memcpy(step->z0, z, (size_t)step->ng * sizeof *z);
    for (int i = 0; i < step->tableau->stages; i++)
        motion->factors[i].by_solved = kept == SAL_ROWS_SOLVED;
    return true;
}

/* ---- the end of a step onto an event -------------------------------------------------------- */

static int row_length(const sal_motion *motion)
{
    return sal_field_row_length(&motion->field, motion->step.form.size);
}

int sal_rows_of_event(const sal_motion *motion)
{
    const int  end = motion->step.tableau->end_stage, middle = sal_step_middle(&motion->step);
    const bool solved = motion->factors[end].by_solved && motion->factors[middle].by_solved;
    return motion->step.delta != 0.0 && solved ? 2 * row_length(motion) : 0;
}

void sal_rows_keep_event(const sal_motion *motion, double *to)
{
    const sal_step *step = &motion->step;
    const size_t    count = (size_t)row_length(motion);
    memcpy(to, step->row[step->tableau->end_stage], count * sizeof *to);
    memcpy(to + count, step->row[sal_step_middle(step)], count * sizeof *to);
}

void sal_rows_load_event(sal_motion *motion, const double *from, double delta)
{
    sal_step    *step = &motion->step;
    const int    end = step->tableau->end_stage, middle = sal_step_middle(step);
    const size_t count = (size_t)row_length(motion);
    memcpy(step->row[end], from, count * sizeof *from);
    memcpy(step->row[middle], from + count, count * sizeof *from);
    motion->factors[end].by_solved = motion->factors[middle].by_solved = true;
    sal_step_extended(step, delta);
}
