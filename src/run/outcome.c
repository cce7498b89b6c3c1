/* Notes warnings, ties and reasons why there is no gradient, and words the messages with which a
 * run ends: see outcome.h. */
#include "run/outcome.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "compile/blame.h"
#include "run/advance.h"

/* ---- messages ------------------------------------------------------------------------------- */

void sal_run_warn(saltus_run *run, const char *format, ...)
{
    va_list arguments;
    if (run->history.recomputing || run->outcome.warnings == SAL_RUN_WARNINGS) return;
    va_start(arguments, format);
    vsnprintf(run->outcome.warning[run->outcome.warnings++], SAL_RUN_TEXT, format, arguments);
    va_end(arguments);
}

void sal_run_warn_redundant(saltus_run *run, const sal_field *field)
{
    const char *mode = field->regime->name;
    for (int j = 0; j < run->system->nmu && field->skip && !field->soft; j++) {
        const sal_label *label = &run->system->model->constraints.data[j].label;
        if (field->skip[j])
            sal_run_warn(run,
                         "constraint '%s' (line %d) depends on the others%s%s%s: it is left out; "
                         "its multiplier is 0, and theirs carry its load",
                         label->name, label->place.line, mode ? " in mode '" : "", mode ? mode : "",
                         mode ? "'" : "");
    }
}

void sal_run_no_gradient(saltus_run *run, saltus_status status, const char *format, ...)
{
    va_list arguments;
    if (run->outcome.gradient_status) return; /* only the first reason is reported */
    va_start(arguments, format);
    vsnprintf(run->outcome.gradient_message, sizeof run->outcome.gradient_message, format,
              arguments);
    va_end(arguments);
    run->outcome.gradient_status = status;
}

void sal_run_finish(saltus_run *run, saltus_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->outcome.message, sizeof run->outcome.message, format, arguments);
    va_end(arguments);
    run->outcome.info.outcome = outcome;
    run->outcome.finished = true;
}

void sal_run_finish_at(saltus_run *run, const sal_compiled_event *event, saltus_outcome outcome,
                       const char *format, ...)
{
    char    text[SAL_RUN_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sal_run_finish(run, outcome, "event '%s' at t = %.10g%s", event->name, run->cursor.t, text);
}

static void note_tie(saltus_run *run, sal_tie tie)
{
    if (run->history.recomputing) return;
    if (run->outcome.ties == 0) run->outcome.tie = tie;
    run->outcome.ties++;
}

void sal_tie_note_events(saltus_run *run, int first, int second)
{
    note_tie(run, (sal_tie){.first = run->system->event[first].name,
                            .second = run->system->event[second].name,
                            .t = run->cursor.t});
}

void sal_tie_note_contact(saltus_run *run, int contact, double t)
{
    const sal_contact *of = &run->system->model->found_contacts.data[contact];
    note_tie(run, (sal_tie){.first = of->label.name, .t = t});
}

/* ---- where the motion cannot go on ---------------------------------------------------------- */

/* Says why the field is not finite: names the operation, if it is found. */
static void say_why(const saltus_run *run, char *text, size_t size)
{
    const sal_field *field = &run->motion.field;
    sal_blame        blame;
    const double    *row = sal_motion_last_row(&run->motion);
    if (!row ||
        !sal_blame_find(run->system, run->cursor.regime, row, field->u, field->bad_cost, &blame))
        snprintf(text, size,
                 "a division by zero, a root or logarithm of something negative, two points of a "
                 "spring in one place?");
    else
        snprintf(text, size, "line %d: %s has no %s where its argument is %.6g", blame.line,
                 blame.text, blame.slope ? "derivative" : "value", blame.argument);
}

static void fail_not_finite(saltus_run *run, double t)
{
    const saltus_model *model = run->system->model;
    const sal_field    *field = &run->motion.field;
    const char         *value = isnan(field->bad_value) ? "not a number" : "infinite";
    char                why[200];
    say_why(run, why, sizeof why);
    if (field->bad_cost >= 0)
        sal_run_finish(
            run, SALTUS_NOT_FINITE,
            "the integral of cost '%s' (line %d) cannot be continued at t = %.10g: it is "
            "%s there (%s)",
            model->costs.data[field->bad_cost].label.name,
            model->costs.data[field->bad_cost].label.place.line, t, value, why);
    else if (field->bad_force >= 0)
        sal_run_finish(run, SALTUS_NOT_FINITE, "the %s '%s' is %s at t = %.10g (%s)",
                       field->bad_force < run->system->n ? "force on" : "constraint",
                       sal_system_unknown(run->system, field->bad_force), value, t, why);
    else
        sal_run_finish(run, SALTUS_NOT_FINITE, "the mass matrix is not finite at t = %.10g (%s)", t,
                       why);
}

void sal_outcome_no_field(saltus_run *run, double t)
{
    const int pivot = run->motion.field.bad_pivot;
    if (run->motion.result == SAL_FIELD_MEMORY) sal_run_out_of_memory(run);
    else if (run->motion.result == SAL_FIELD_SINGULAR)
        sal_run_finish(
            run, SALTUS_SINGULAR, "%s at t = %.10g, at '%s'; %s",
            pivot < run->system->n ? "the mass matrix is singular or not positive definite"
                                   : "constraints depend on each other",
            t, sal_system_unknown(run->system, pivot),
            pivot < run->system->n
                ? "give every coordinate a positive mass (kinetic, mass) and check "
                  "parameters that masses depend on"
                : "the position is singular (a dead point, links in one line?): keep away from "
                  "it, or let the constraints give way (--formulation penalty) with a large "
                  "--omega "
                  "(100, 1000), and see whether the result stays the same with another one");
    else fail_not_finite(run, t);
}

void sal_outcome_step_too_small(saltus_run *run, double h)
{
    char what[80];
    snprintf(what, sizeof what, "the step became too small (%.3g) at t = %.10g", h, run->cursor.t);
    if (sal_stiff_found(run)) sal_stiff_finish(run, SALTUS_STEP_TOO_SMALL, what);
    else
        sal_run_finish(run, SALTUS_STEP_TOO_SMALL,
                       "%s: the motion is not smooth there; describe the sudden change by an "
                       "event, or loosen --tol",
                       what);
}

void sal_outcome_too_many_steps(saltus_run *run)
{
    char what[120];
    snprintf(what, sizeof what, "%lld steps did not reach the end (t = %.10g of %.10g)",
             run->options.max_steps, run->cursor.t, run->t_end);
    if (sal_stiff_found(run)) sal_stiff_finish(run, SALTUS_STEP_LIMIT, what);
    else sal_run_finish(run, SALTUS_STEP_LIMIT, "%s; raise --max-steps or loosen --tol", what);
}

void sal_outcome_check_final(saltus_run *run)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->locator.field;
    if (run->from.is_inner || !sal_run_is_complete(run)) return;
    double *final = SCRATCH_NEW(&run->scratch, system->nc, double);
    sal_field_eval(field, run->cursor.t, run->cursor.x, run->locator.k, NULL);
    sal_map_value(&system->final, field->u, final, field->work);
    for (int i = 0; i < system->nc; i++) {
        const sal_label *label = &system->model->costs.data[i].label;
        if (!isfinite(final[i]))
            sal_run_finish(run, SALTUS_NOT_FINITE,
                           "the final value of cost '%s' (line %d) is %s at t = %.10g", label->name,
                           label->place.line, isnan(final[i]) ? "not a number" : "infinite",
                           run->cursor.t);
    }
    sal_scratch_release(&run->scratch, final);
}
