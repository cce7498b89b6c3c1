/* Sets up rates and responses of the contacts that touch, for accelerations or for an impact, has
 * contact/set.h solve for the modes, and ends the run if there is no solution: see
 * contact_problem.h. */
#include "run/contact_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/fields.h"
#include "run/history.h"
#include "run/outcome.h"

/* The coefficient of friction of a contact that cannot slide. */
#define UNLIMITED 1e20

const sal_regime *sal_contact_regime(saltus_run *run, const sal_regime *to, int found)
{
    const saltus_model *model = run->system->model;
    const sal_contacts *c = &run->contacts;
    int                *active = SCRATCH_NEW(&run->scratch, model->groups.count, int);
    saltus_error        err = {0};
    memcpy(active, to->active, (size_t)model->groups.count * sizeof *active);
    for (int i = 0; i < c->count; i++)
        active[sal_contact_at(run, i)->group] = sal_contact_at(run, i)->mode[SAL_OPEN];
    for (int k = 0; k < found; k++) {
        const sal_contact *contact = sal_contact_at(run, c->which[k]);
        int                mode =
            c->set.best.unloaded[k] ? SAL_OPEN : sal_contact_mode_of_set(c->set.best.mode[k]);
        if (mode == SAL_HELD && contact->holds && c->touch[k].tangent < 0) mode = SAL_SLIDES_PLUS;
        active[contact->group] = contact->mode[mode];
    }
    const sal_regime *regime = sal_system_regime(run->system, active, &err);
    sal_scratch_release(&run->scratch, active);
    if (!regime) sal_run_out_of_memory(run);
    return regime;
}

bool sal_contact_know_rank(saltus_run *run, sal_field *field)
{
    int dependent = -1;
    if (!field->regime->constrained || sal_redundancy_known(&run->redundancy, field->regime))
        return true;
    int *ranks = SCRATCH_NEW(&run->scratch, run->system->n, int);
    memset(ranks, 0, (size_t)run->system->n * sizeof *ranks);
    sal_partition_forget(&run->contacts.partition);
    const sal_rank rank =
        sal_rank_find(&run->redundancy, &run->contacts.partition, field, ranks, &dependent);
    sal_scratch_release(&run->scratch, ranks);
    if (rank == SAL_RANK_MEMORY) sal_run_out_of_memory(run);
    return rank != SAL_RANK_SINGULAR;
}

bool sal_contact_enter_free(saltus_run *run, const sal_regime *to, double t, const double *x,
                            const double *c)
{
    sal_field        *field = &run->contacts.field;
    saltus_error      err = {0};
    const sal_regime *regime = sal_contact_regime(run, to, 0);
    if (!regime || (field->regime != regime && sal_field_enter(field, regime, &err) != SALTUS_OK)) {
        sal_run_out_of_memory(run);
        return false;
    }
    sal_copy(sal_u(field, SAL_LEAF_C), c, run->system->nm);
    sal_field_put(field, t, x);
    sal_contact_know_rank(run, field);
    return !run->outcome.finished;
}

bool sal_contact_find_drift(saltus_run *run, const sal_regime *to, bool jumped)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    const sal_regime    *before = run->cursor.regime;
    sal_zero(c->drift, system->nmu);
    if (!jumped) return true;
    if (!sal_contact_enter_free(run, to, run->cursor.t, run->cursor.x, run->cursor.c)) return false;
    sal_map_value(&system->phi_dot, c->field.u, c->phi_dot, c->field.work);
    for (int j = 0; j < system->nmu; j++)
        if (before->on[j] && to->on[j]) c->drift[j] = c->phi_dot[j];
    return true;
}

/* Appends a row for a constraint and writes its number to *row; -1: there is no constraint. */
static void note_row(saltus_run *run, int *rows, int constraint, int *row)
{
    *row = -1;
    if (constraint < 0) return;
    run->contacts.row[*rows] = constraint;
    *row = (*rows)++;
}

sal_contact_touch *sal_contact_add_touch(saltus_run *run, int i, bool impact)
{
    sal_contacts      *c = &run->contacts;
    const sal_contact *contact = sal_contact_at(run, i);
    const double      *number = c->numbers + i * SAL_CONTACT_NUMBERS;
    sal_contact_touch *touch = &c->touch[c->touching];
    c->which[c->touching++] = i;
    *touch = (sal_contact_touch){.mu_static = number[SAL_MU_STATIC],
                                 .mu_kinetic = number[SAL_MU_KINETIC],
                                 .restitution = impact ? number[SAL_RESTITUTION] : 0.0,
                                 .allowed = SAL_CONTACT_ANY};
    note_row(run, &c->rows, contact->normal, &touch->normal);
    /* a contact that will be held where it rests is free along the surface while it bounces */
    const bool bounces = contact->holds && touch->restitution > 0.0;
    note_row(run, &c->rows, bounces ? -1 : contact->friction, &touch->tangent);
    if (contact->normal < 0) touch->allowed &= ~(unsigned)SAL_CONTACT_OPEN;
    if (contact->holds && !bounces) {
        touch->mu_static = touch->mu_kinetic = UNLIMITED;
        touch->allowed = SAL_CONTACT_OPEN | SAL_CONTACT_STICK;
    }
    return touch;
}

/* Computes the gradients of rows by velocities, at the state in the field. */
static void find_gradients(saltus_run *run)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    const int            size = system->layout.size;
    double              *weight = SCRATCH_NEW(&run->scratch, system->nmu, double);
    double              *bar = SCRATCH_NEW(&run->scratch, size, double);
    for (int r = 0; r < c->rows; r++) {
        sal_zero(weight, system->nmu);
        sal_zero(bar, size);
        weight[c->row[r]] = 1.0;
        sal_map_adjoint(&system->phi_dot, c->field.u, weight, 1, bar, c->field.work);
        sal_copy(c->W + r * system->n, bar + system->layout.at[SAL_LEAF_V], system->n);
    }
    sal_scratch_release(&run->scratch, weight);
}

static double inner(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double sum_of_sizes(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += fabs(a[i] * b[i]);
    return sum;
}

double sal_contact_mixed_size(const double *w, const double *v, const double *before, int n)
{
    double fastest = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        fastest = fmax(fastest, fmax(fabs(v[i]), fabs(before[i])));
        sum += fabs(w[i]);
    }
    return sum_of_sizes(w, v, n) + 1e-3 * sum * fastest;
}

bool sal_contact_find_response(saltus_run *run, bool impact, const double *moving)
{
    const saltus_system *system = run->system;
    sal_contacts        *c = &run->contacts;
    const int            n = system->n;
    find_gradients(run);
    if (!impact && sal_field_factor_law(&c->field) != SAL_FIELD_OK) return false;
    double *X = SCRATCH_NEW(&run->scratch, system->unknowns, double);
    for (int s = 0; s < c->rows; s++) {
        sal_zero(X, system->unknowns);
        sal_copy(X, c->W + s * n, n);
        if (impact) sal_jump_respond(&run->jump, c->W + s * n, X);
        else sal_field_solve_law(&c->field, false, X, 1);
        for (int r = 0; r < c->rows; r++) c->D[r * c->rows + s] = inner(c->W + r * n, X, n);
    }
    sal_scratch_release(&run->scratch, X);
    for (int r = 0; r < c->rows; r++)
        c->size[r] =
            sal_contact_mixed_size(c->W + r * n, moving, moving, n) + fabs(c->free_rates[r]);
    return true;
}

/* ---- outcomes -------------------------------------------------------------------------------- */

/* The names of the contacts that touch. */
static const char *names_of(saltus_run *run, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < run->contacts.touching && used < size; k++) {
        const char *name = sal_contact_at(run, run->contacts.which[k])->label.name;
        const int   more = snprintf(text + used, size - used, "%s'%s'", k ? ", " : "", name);
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

static void finish_set(saltus_run *run, double t, sal_contact_status status, bool impact)
{
    char        names[200];
    const char *what = impact ? "impact" : "motion";
    names_of(run, names, sizeof names);
    if (status == SAL_CONTACT_SEVERAL)
        sal_run_finish(
            run, SALTUS_AMBIGUOUS,
            "at t = %.10g more than one %s is possible with the contacts %s: they may "
            "stick, slide or open in different ways (Painleve's paradox); less friction, "
            "or a contact that gives way, decides it",
            t, what, names);
    else
        sal_run_finish(
            run, SALTUS_PAINLEVE,
            "at t = %.10g no %s is possible with the contacts %s: whichever of them "
            "stick, slide or open, one would pull, or rub more than its friction allows "
            "(Painleve's paradox); less friction, or a contact that gives way, avoids it",
            t, what, names);
}

/* Notes a contact that is exactly at a threshold. Outside of impacts, a contact whose own event
 * happens is at a threshold because of this event, so it is not noted. */
static void note_tie(saltus_run *run, const sal_event *of, double t, bool impact)
{
    const sal_contacts *c = &run->contacts;
    if (c->set.best.ties == 0) return;
    const int i = c->which[c->set.best.tie];
    if (impact || !sal_contact_is_of(of, i)) sal_tie_note_contact(run, i, t);
}

sal_contact_problem sal_contact_problem_of(const sal_contacts *c, bool impact)
{
    return (sal_contact_problem){.contacts = c->touching,
                                 .rows = c->rows,
                                 .contact = c->touch,
                                 .D = c->D,
                                 .free_rates = c->free_rates,
                                 .before = c->before,
                                 .size = c->size,
                                 .impact = impact,
                                 .rounding = SAL_CONTACT_ROUNDING,
                                 .independent = true};
}

sal_contact_status sal_contact_attempt(saltus_run *run, bool impact)
{
    const sal_contact_problem problem = sal_contact_problem_of(&run->contacts, impact);
    return sal_contact_set_solve(&run->contacts.set, &problem);
}

bool sal_contact_conclude(saltus_run *run, const sal_event *of, double t, bool impact,
                          sal_contact_status status)
{
    const sal_contacts *c = &run->contacts;
    const bool locked = impact && c->touching == 1 && c->touch->tangent < 0; /* reported later */
    if (status != SAL_CONTACT_FOUND && !locked) finish_set(run, t, status, impact);
    else if (status == SAL_CONTACT_FOUND) note_tie(run, of, t, impact);
    return status == SAL_CONTACT_FOUND;
}
