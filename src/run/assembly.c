/* Completes the given initial values to a state that satisfies the constraints, or says which
 * constraint or value prevents that. Newton's method for the dependent positions, and the solution
 * for the dependent velocities, are in constraints/partition.c; here it is decided which
 * coordinates are dependent, and the result is checked. See assembly.h. */
#include "run/assembly.h"

#include <math.h>

#include "run/from.h"
#include "run/outcome.h"

const sal_regime *sal_assembly_regime(saltus_run *run, saltus_error *err)
{
    const saltus_model *model = run->system->model;
    int                *active = SCRATCH_NEW(&run->scratch, model->groups.count, int);
    for (int g = 0; g < model->groups.count; g++) active[g] = model->groups.data[g].first;
    const sal_regime *regime = sal_system_regime(run->system, active, err);
    sal_scratch_release(&run->scratch, active);
    return regime;
}

/* Ranks for the choice of dependent coordinates, in scratch memory: guessed ones become dependent
 * first; of the given ones, the last. */
static int *rank_coordinates(saltus_run *run)
{
    int *rank = SCRATCH_NEW(&run->scratch, run->system->n, int);
    for (int i = 0; i < run->system->n; i++)
        rank[i] = run->system->model->coordinates.data[i].guessed ? 1 : 0;
    return rank;
}

/* The partition of velocities, in which constraints on velocities take part. */
static sal_partition *rates_of(saltus_run *run)
{
    return run->system->has_rolling ? &run->rolling : &run->partition;
}

static const sal_label *label_of(const saltus_run *run, int constraint)
{
    return &run->system->model->constraints.data[constraint].label;
}

static saltus_status fail_singular(const saltus_run *run, int constraint, saltus_error *err)
{
    const sal_label *label = label_of(run, constraint);
    return sal_fail_at(err, SALTUS_ERR_ASSEMBLY, label->place.file, label->place.line,
                       "the start is a singular position: constraint '%s' depends on the others "
                       "there, but not beside it (a dead point, links in one line?); start a "
                       "little away from it",
                       label->name);
}

/* Checks that constraints left out because they depend on others still hold, up to rounding errors
 * like those of the others. */
static saltus_status check_left_out(saltus_run *run, saltus_error *err)
{
    sal_partition *p = &run->partition;
    if (p->complete) return SALTUS_OK;
    const double     noise = sal_partition_misfit(p, &run->motion.field, false).part;
    const sal_misfit off = sal_partition_misfit(p, &run->motion.field, true);
    if (off.part <= fmin(1e-9 + 1e3 * noise, 1e-6)) return SALTUS_OK;
    const sal_label *label = label_of(run, off.constraint);
    return sal_fail_at(
        err, SALTUS_ERR_ASSEMBLY, label->place.file, label->place.line,
        "the mechanism is over-determined: constraint '%s' depends on the others and "
        "contradicts them, it is off by %.3g when they are met; leave it out, check lengths and "
        "guesses, or start from guesses that are not in one line",
        label->name, fabs(off.value));
}

/* Checks that the rates of constraints left out are zero: constraints that contain the time may
 * contradict each other from the start. */
static saltus_status check_rates_left_out(saltus_run *run, saltus_error *err)
{
    if (rates_of(run)->complete) return SALTUS_OK;
    const sal_misfit off =
        sal_partition_rate_misfit(rates_of(run), &run->motion.field, run->t_end - run->t0);
    if (off.part <= 1e-6) return SALTUS_OK;
    const sal_label *label = label_of(run, off.constraint);
    return sal_fail_at(
        err, SALTUS_ERR_ASSEMBLY, label->place.file, label->place.line,
        "the mechanism is over-determined: constraint '%s' depends on the others and contradicts "
        "their motion, its rate is %.3g when theirs are met; leave it out, or check how it depends "
        "on the time",
        label->name, off.value);
}

/* Checks that positions or speeds that the script gives do not contradict the constraints. A speed
 * of zero counts as not given. */
static saltus_status check_given(const saltus_run *run, const double *given, const double *found,
                                 bool speeds, saltus_error *err)
{
    for (int i = 0; i < run->system->n; i++) {
        const sal_coordinate *c = &run->system->model->coordinates.data[i];
        const bool            zero = given[i] == 0.0;
        if (c->guessed || (speeds && zero) || run->from.is_interval) continue;
        if (fabs(found[i] - given[i]) <= 1e-7 * (1.0 + fabs(found[i]))) continue;
        return sal_fail_at(err, SALTUS_ERR_ASSEMBLY, c->label.place.file, c->label.place.line,
                           "the constraints leave no freedom for the %s of '%s': it is given as "
                           "%.10g%s, but must be %.10g; %s",
                           speeds ? "speed" : "start", c->label.name, given[i],
                           zero ? " (or not at all)" : "", found[i],
                           speeds ? "leave it out" : "give it as guess= instead of start=");
    }
    return SALTUS_OK;
}

/* Sets the branches of kinks that constraints may contain, at the positions in the field. Returns
 * whether one changed. */
static bool update_branches(saltus_run *run)
{
    const saltus_system *system = run->system;
    const unsigned       speeds = SAL_KIND(V) | SAL_KINDS_REACTION;
    sal_field           *field = &run->motion.field;
    bool                 changed = false;
    if (system->kinks == 0) return false;
    double *values = SCRATCH_NEW(&run->scratch, system->kinks, double);
    sal_map_value(&system->kink_map, field->u, values, field->work);
    for (int k = 0; k < system->kinks; k++) {
        double      *branch = &sal_u(field, SAL_LEAF_C)[system->nm_user + k];
        const double s = values[k] < 0.0 ? -1.0 : 1.0;
        if (system->model->graph.nodes.data[system->kink[k].argument].kinds & speeds) continue;
        if (values[k] == 0.0 || s == *branch) continue;
        *branch = run->cursor.c[system->nm_user + k] = s;
        changed = true;
    }
    sal_scratch_release(&run->scratch, values);
    return changed;
}

/* Chooses the partition of positions at the state in the field. */
static saltus_status choose(saltus_run *run, saltus_error *err)
{
    int      *rank = rank_coordinates(run);
    const int redundant =
        sal_partition_choose(&run->partition, &run->motion.field, rank, SAL_PARTITION_FAIR);
    sal_scratch_release(&run->scratch, rank);
    return redundant < 0 ? sal_fail_memory(err) : SALTUS_OK;
}

/* Restores the partition that was chosen and noted at the guess. It is chosen anew if other
 * constraints are redundant at the position found. */
static saltus_status choose_again(saltus_run *run, const double *guess, const double *q,
                                  saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->motion.field;
    double              *at_q = sal_u(field, SAL_LEAF_Q);
    bool                 same = true;
    if (sal_partition_as_noted(&run->partition)) return SALTUS_OK;
    sal_copy(at_q, guess, system->n);
    TRY(choose(run, err));
    sal_copy(at_q, q, system->n);
    for (int j = 0; j < system->nmu; j++)
        same = same && run->partition.redundant[j] == (field->skip ? field->skip[j] : 0);
    return same ? SALTUS_OK : choose(run, err);
}

/* Finds the constraints that are needed at the position found, then the partition for them. */
static saltus_status find_needed(saltus_run *run, const double *guess, const double *q,
                                 saltus_error *err)
{
    int dependent = -1, *order = rank_coordinates(run);
    sal_redundancy_clear(&run->redundancy);
    const sal_rank rank =
        sal_rank_find(&run->redundancy, rates_of(run), &run->motion.field, order, &dependent);
    sal_scratch_release(&run->scratch, order);
    switch (rank) {
    case SAL_RANK_MEMORY: return sal_fail_memory(err);
    case SAL_RANK_SINGULAR: return fail_singular(run, dependent, err);
    default: return run->system->has_rolling ? SALTUS_OK : choose_again(run, guess, q, err);
    }
}

/* Checks that the assembled position is the intended one of the two solutions of a constraint: the
 * angle of a motor may be off by half a turn. */
static saltus_status check_sides(saltus_run *run, saltus_error *err)
{
    const saltus_system *system = run->system;
    sal_field           *field = &run->motion.field;
    int                  wrong = -1;
    if (system->sides.parts == 0) return SALTUS_OK;
    double *side = SCRATCH_NEW(&run->scratch, system->nmu, double);
    sal_zero(side, system->nmu);
    sal_kernel_eval(&system->sides, field->u, NULL, 1, side, field->work);
    for (int j = 0; j < system->nmu && wrong < 0; j++)
        if (field->regime->on[j] && side[j] < 0.0) wrong = j;
    sal_scratch_release(&run->scratch, side);
    if (wrong < 0) return SALTUS_OK;
    const sal_label *label = label_of(run, wrong);
    return sal_fail_at(err, SALTUS_ERR_ASSEMBLY, label->place.file, label->place.line,
                       "'%s' is assembled half a turn away from its angle: from the guesses, "
                       "that position is nearer; guess the point it drives on the side where "
                       "the angle at t = %.10g points",
                       label->name, run->t0);
}

/* Assembles x. given: the values to begin with. */
static saltus_status assemble(saltus_run *run, const double *given, double *x, saltus_error *err)
{
    const int      n = run->system->n;
    sal_field     *field = &run->motion.field;
    sal_partition *p = &run->partition;
    double         residual = 0.0;
    sal_copy(sal_u(field, SAL_LEAF_Q), x, n);
    sal_partition_forget(p);
    sal_partition_forget(rates_of(run));
    TRY(choose(run, err));
    sal_partition_note(p);
    const int worst = sal_partition_positions(p, field, x, &residual);
    if (worst >= 0) {
        const sal_label *label = label_of(run, worst);
        return sal_fail_at(err, SALTUS_ERR_ASSEMBLY, label->place.file, label->place.line,
                           "the mechanism cannot be assembled: constraint '%s' is off by %.3g and "
                           "cannot be met; check lengths and guesses",
                           label->name, residual);
    }
    TRY(check_left_out(run, err));
    TRY(check_sides(run, err));
    TRY(check_given(run, given, x, false, err));
    TRY(find_needed(run, given, x, err));
    if (!sal_partition_velocities(rates_of(run), field, x + n))
        return fail_singular(run, rates_of(run)->constraint[0], err);
    TRY(check_given(run, given + n, x + n, true, err));
    return check_rates_left_out(run, err);
}

/* Warns about the first coordinate that is guessed although the constraints do not determine it:
 * its guess is taken as its start, which the model did not intend. */
static void warn_undetermined(saltus_run *run, bool constrained)
{
    const saltus_model *model = run->system->model;
    for (int i = 0; i < run->system->n; i++) {
        const sal_coordinate *c = &model->coordinates.data[i];
        if (!c->guessed || (constrained && run->partition.dependent[i] >= 0)) continue;
        sal_run_warn(run,
                     "the constraints do not determine '%s' (line %d), which is guessed: it starts "
                     "at its guess, at rest; give as many starts as the mechanism has freedoms",
                     c->label.name, c->label.place.line);
        return;
    }
}

saltus_status sal_assembly_find(saltus_run *run, double *x, saltus_error *err)
{
    const saltus_system *system = run->system;
    const int            n = system->n;
    sal_field           *field = &run->motion.field;
    if (!field->regime->constrained) {
        warn_undetermined(run, false);
        return SALTUS_OK;
    }
    *sal_u(field, SAL_LEAF_T) = run->t0;
    sal_copy(sal_u(field, SAL_LEAF_Q), x, n);
    for (int pass = 0; pass <= system->kinks && update_branches(run); pass++) {
    }
    for (int pass = 0; pass <= system->kinks; pass++) { /* until branches and positions agree */
        sal_copy(x, run->initial, 2 * n);
        TRY(assemble(run, run->initial, x, err));
        if (!update_branches(run)) break;
    }
    sal_run_warn_redundant(run, field);
    warn_undetermined(run, true);
    sal_copy(run->start, x, 2 * n);
    return SALTUS_OK;
}

saltus_status sal_assembly_keep(saltus_run *run, const double *x, saltus_error *err)
{
    const int  n = run->system->n;
    sal_field *field = &run->motion.field;
    sal_copy(run->start, x, 2 * n);
    if (!field->regime->constrained) return SALTUS_OK;
    sal_field_put(field, run->t0, x);
    sal_partition_forget(&run->partition);
    sal_partition_forget(rates_of(run));
    TRY(choose(run, err));
    sal_partition_note(&run->partition);
    return find_needed(run, x, x, err);
}

/* Restores the partition of the start at the assembled state. */
static bool restore(saltus_run *run)
{
    const saltus_system *system = run->system;
    const int            n = system->n;
    sal_field           *field = &run->motion.field;
    saltus_error         ignored = {0};
    const sal_regime    *regime = sal_run_first_regime(run, &ignored);
    if (!regime || !regime->constrained) return false;
    sal_field_enter(field, regime, &ignored);
    *sal_u(field, SAL_LEAF_T) = run->t0;
    sal_copy(sal_u(field, SAL_LEAF_Q), run->start, n);
    sal_copy(sal_u(field, SAL_LEAF_C), run->start + 2 * n, system->nm);
    double *v = SCRATCH_NEW(&run->scratch, n, double);
    sal_copy(v, run->start + n, n);
    const bool found = sal_partition_factor(&run->partition, field) &&
                       sal_partition_velocities(rates_of(run), field, v);
    sal_scratch_release(&run->scratch, v);
    return found;
}

void sal_assembly_tangent(saltus_run *run, double *dx, double *du, int lanes)
{
    const saltus_system *system = run->system;
    const int            half = system->n * lanes;
    sal_field           *field = &run->motion.field;
    const sal_regime    *present = field->regime;
    if (system->nmu == 0 || !sal_run_is_assembled(run) || !restore(run)) return;
    sal_partition_tangent(&run->partition, field, SAL_LEAF_Q, du, lanes, dx);
    sal_copy(sal_lanes_at(system, du, lanes, SAL_LEAF_Q), dx, half);
    sal_partition_tangent(rates_of(run), field, SAL_LEAF_V, du, lanes, dx + half);
    if (present && present != field->regime)
        sal_field_switch(field, present); /* contacts changed the regime at the start */
}

void sal_assembly_adjoint(saltus_run *run, double *x_bar, double *u_bar, int lanes)
{
    const saltus_system *system = run->system;
    const int            half = system->n * lanes;
    sal_field           *field = &run->motion.field;
    double              *at_q = sal_lanes_at(system, u_bar, lanes, SAL_LEAF_Q);
    if (system->nmu == 0 || !sal_run_is_assembled(run) || !restore(run)) return;
    sal_zero(at_q, half);
    sal_partition_adjoint(rates_of(run), field, SAL_LEAF_V, x_bar + half, lanes, u_bar);
    for (int i = 0; i < half; i++) x_bar[i] += at_q[i];
    sal_partition_adjoint(&run->partition, field, SAL_LEAF_Q, x_bar, lanes, u_bar);
}
