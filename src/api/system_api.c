/* Systems: compiling, with a first check of numbers, and what a system consists of. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "compile/code.h"
#include "compile/compile.h"
#include "compile/dump.h"
#include "gradient/output_rows.h"
#include "motion/field.h"
#include "saltus/saltus.h"

/* ---- a first check -------------------------------------------------------------------------- */

/* The place in the script at which a coordinate is declared, for messages. */
static sal_place place_of(const saltus_system *system, int coordinate)
{
    return system->model->coordinates.data[coordinate].label.place;
}

static saltus_status check_mass(const saltus_system *system, sal_field *field, const double *x,
                                double *k, saltus_error *err)
{
    switch (sal_field_eval(field, system->model->start, x, k, NULL)) {
    case SAL_FIELD_OK: return SALTUS_OK;
    case SAL_FIELD_NOT_FINITE: return SALTUS_OK; /* parameters may still change; runs check it */
    case SAL_FIELD_MEMORY: return sal_fail_memory(err);
    case SAL_FIELD_SINGULAR: break;
    }
    if (system->nmu > 0) return SALTUS_OK; /* the assembly checks the matrix with constraints */
    const int        bad = field->bad_pivot;
    const sal_label *label = &system->model->coordinates.data[bad].label;
    const sal_place  place = place_of(system, bad);
    const int       *columns;
    int              count;
    const int        first = sal_symmetric_row(&field->regime->shape, bad, &count, &columns);
    const double     mass = field->matrix_and_rhs[first + count - 1];
    if (mass == 0.0)
        return sal_fail_at(err, SALTUS_ERR_MODEL, place.file, place.line,
                           "coordinate '%s' has no mass: add kinetic(0.5 * m * dot(%s)^2) or "
                           "mass(%s, m)",
                           label->name, label->name, label->name);
    return sal_fail_at(
        err, SALTUS_ERR_MODEL, place.file, place.line,
        "the mass matrix is %s at the start: it fails at coordinate '%s', whose mass "
        "is %g; the kinetic energy must be positive for every motion",
        mass < 0.0 ? "not positive definite" : "singular or not positive definite", label->name,
        mass);
}

/* Fails if the mass matrix depends on velocities: the kinetic energy must be a quadratic form. */
static saltus_status check_quadratic(const saltus_system *system, sal_field *field, double *first,
                                     saltus_error *err)
{
    const int n = system->n, size = system->matrix_size;
    double   *v = sal_u(field, SAL_LEAF_V), largest = 0.0;
    memcpy(first, sal_field_matrix(field), (size_t)size * sizeof *first);
    for (int i = 0; i < n; i++) v[i] += 0.7312 + 0.1173 * i;
    const double *second = sal_field_matrix(field);
    for (int k = 0; k < size; k++) largest = fmax(largest, fabs(first[k]));
    for (int i = 0; i < n; i++) {
        const int *columns;
        int        count;
        const int  start = sal_symmetric_row(&field->regime->shape, i, &count, &columns);
        for (int k = 0; k < count; k++) {
            if (!(fabs(first[start + k] - second[start + k]) > 1e-9 * largest)) continue;
            const int       j = columns ? columns[k] : count == 1 ? i : k;
            const sal_place place = place_of(system, i);
            return sal_fail_at(err, SALTUS_ERR_MODEL, place.file, place.line,
                               "the kinetic energy is not quadratic in the velocities: its second "
                               "derivative by dot(%s) and dot(%s) changes with the velocities",
                               system->model->coordinates.data[i].label.name,
                               system->model->coordinates.data[j].label.name);
        }
    }
    return SALTUS_OK;
}

static saltus_status look(const saltus_system *system, sal_arena *scratch, saltus_error *err)
{
    const int n = system->n;
    sal_field field = {0};
    int      *active = ARENA_NEW(scratch, system->model->groups.count, int);
    double   *initial = ARENA_NEW(scratch, system->initial.outputs, double);
    double   *k = ARENA_NEW(scratch, 2 * n, double);
    double   *mass = ARENA_NEW(scratch, system->matrix_size, double);
    if (scratch->failed) return sal_fail_memory(err);
    for (int g = 0; g < system->model->groups.count; g++)
        active[g] = system->model->groups.data[g].first;
    const sal_regime *regime = sal_system_regime(system, active, err);
    if (!regime) return err ? err->status : SALTUS_ERR_MEMORY;
    saltus_status status = sal_field_init(&field, system, scratch, 1, err);
    if (status == SALTUS_OK) status = sal_field_enter(&field, regime, err);
    if (status == SALTUS_OK) {
        for (int i = 0; i < system->np; i++)
            sal_u(&field, SAL_LEAF_P)[i] = system->model->params.data[i].value;
        sal_map_value(&system->initial, field.u, initial, field.work);
        memcpy(system->start_value, initial, (2 * (size_t)n + (size_t)system->nm_user) * sizeof *k);
        memcpy(sal_u(&field, SAL_LEAF_C), initial + 2 * n,
               (size_t)system->nm_user * sizeof(double));
        for (int i = 0; i < system->kinks; i++)
            sal_u(&field, SAL_LEAF_C)[system->nm_user + i] = 1.0;
        status = check_mass(system, &field, initial, k, err);
        if (status == SALTUS_OK) status = check_quadratic(system, &field, mass, err);
    }
    sal_field_release(&field);
    return status;
}

static saltus_system *compile(const saltus_model *model, const sal_cost_list *costs,
                              saltus_error *err)
{
    HOLD_HOST;
    sal_arena scratch;
    if (err && err->status) return NULL;
    if (!model) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no model to compile");
        return NULL;
    }
    saltus_system *system = sal_system_new(model, SAL_LIMITS, costs, err);
    if (!system) return NULL;
    sal_arena_init(&scratch, &model->arena.allocator);
    const saltus_status status = look(system, &scratch, err);
    sal_arena_free(&scratch);
    sal_system_forget_progress(system);
    if (status == SALTUS_OK) return system;
    sal_system_free(system);
    return NULL;
}

saltus_system *saltus_system_compile(const saltus_model *model, saltus_error *err)
{
    return compile(model, NULL, err);
}

saltus_system *saltus_system_compile_costs(const saltus_model *model, const char *const *costs,
                                           int count, saltus_error *err)
{
    const sal_cost_list list = {costs, count};
    return compile(model, &list, err);
}

void saltus_system_free(saltus_system *system) { sal_system_free(system); }

/* ---- what it consists of -------------------------------------------------------------------- */

static bool within(int index, int count) { return index >= 0 && index < count; }

saltus_size saltus_system_size(const saltus_system *system)
{
    if (!system) return (saltus_size){0};
    const saltus_model *model = system->model;
    return (saltus_size){.coordinates = system->n,
                         .constraints = system->nmu,
                         .memories = sal_model_shown_memories(model),
                         .modes = model->modes.count,
                         .groups = model->groups.count,
                         .events = system->events_shown,
                         .params = system->np,
                         .costs = system->nc,
                         .outputs = system->no,
                         .settings = model->settings.count,
                         .terms = model->terms.count,
                         .templates = system->terms.templates,
                         .contacts = model->found_contacts.count,
                         .hidden = system->nm_user - sal_model_shown_memories(model),
                         .samples = sal_samples_kept(model)};
}

const char *saltus_system_name(const saltus_system *system)
{
    return system ? system->model->name : "";
}

saltus_options saltus_system_options(const saltus_system *system)
{
    return system ? system->model->options : saltus_options_default();
}

/* The index-th entry of a list of the model; empty texts if there is no such entry. */
#define NAMED(function, list)                                                                      \
    saltus_name_info function(const saltus_system *system, int index)                              \
    {                                                                                              \
        return system && within(index, system->model->list.count)                                  \
                   ? info_of(&system->model->list.data[index].label)                               \
                   : (saltus_name_info){"", "", "", 0};                                            \
    }

static saltus_name_info info_of(const sal_label *label)
{
    return (saltus_name_info){label->name, label->unit, label->doc, label->place.line};
}

NAMED(saltus_system_coordinate, coordinates)
NAMED(saltus_system_constraint, constraints)
NAMED(saltus_system_mode, modes)
NAMED(saltus_system_cost, costs)
NAMED(saltus_system_output, outputs)

saltus_name_info saltus_system_memory(const saltus_system *system, int index)
{
    return system && within(index, sal_model_shown_memories(system->model))
               ? info_of(&system->model->memories.data[index].label)
               : (saltus_name_info){"", "", "", 0};
}

saltus_param_info saltus_system_param(const saltus_system *system, int index)
{
    if (!system || !within(index, system->np))
        return (saltus_param_info){"", "", "", NAN, NAN, NAN, 0};
    const sal_param *p = &system->model->params.data[index];
    return (saltus_param_info){p->label.name, p->label.unit, p->label.doc, p->value,
                               p->lower,      p->upper,      p->fixed};
}

int saltus_system_is_state(const saltus_system *system, int index)
{
    return system && within(index, system->n) && system->model->coordinates.data[index].state;
}

saltus_start_info saltus_system_coordinate_start(const saltus_system *system, int index)
{
    if (!system || !within(index, system->n)) return (saltus_start_info){"", "", NAN, NAN, 0};
    const int speed = system->n + index;
    return (saltus_start_info){.start = system->start_text[index],
                               .speed = system->start_text[speed],
                               .start_value = system->start_value[index],
                               .speed_value = system->start_value[speed],
                               .guessed = system->model->coordinates.data[index].guessed};
}

saltus_start_info saltus_system_memory_start(const saltus_system *system, int index)
{
    if (!system || !within(index, sal_model_shown_memories(system->model)))
        return (saltus_start_info){"", "", NAN, NAN, 0};
    const int at = 2 * system->n + index;
    return (saltus_start_info){.start = system->start_text[at],
                               .speed = "",
                               .start_value = system->start_value[at],
                               .speed_value = NAN};
}

double saltus_system_constraint_alpha(const saltus_system *system, int index)
{
    if (!system || !within(index, system->nmu)) return NAN;
    const double alpha = system->model->constraints.data[index].alpha;
    return alpha > 0.0 ? alpha : NAN;
}

const char *saltus_system_mode_group(const saltus_system *system, int index)
{
    if (!system || !within(index, system->model->modes.count)) return "";
    return system->model->groups.data[system->model->modes.data[index].group].name;
}

saltus_contact_info saltus_system_contact(const saltus_system *system, int index)
{
    if (!system || !within(index, system->model->found_contacts.count))
        return (saltus_contact_info){"", "", "", "", 0, 0, 0, 0, 0};
    const sal_contact *contact = &system->model->found_contacts.data[index];
    const char *const *text = system->contact_text + 3 * index;
    return (saltus_contact_info){.name = contact->label.name,
                                 .restitution = text[0],
                                 .mu_static = text[1],
                                 .mu_kinetic = text[2],
                                 .touches = contact->normal >= 0,
                                 .closes = contact->closes,
                                 .rests = contact->rests,
                                 .starts_closed = contact->starts_closed,
                                 .line = contact->label.place.line};
}

const char *saltus_system_cost_integral(const saltus_system *system, int index)
{
    return system && within(index, system->nc) ? system->cost_integral[index] : "";
}

int saltus_system_cost_samples(const saltus_system *system, int index)
{
    int count = 0;
    if (!system || !within(index, system->nc)) return 0;
    const saltus_model *model = system->model;
    for (int i = 0; i < model->samples.count; i++) {
        const sal_samples *samples = &model->samples.data[i];
        if (samples->charged &&
            strcmp(samples->label.name, model->costs.data[index].label.name) == 0)
            count += model->tables.data[samples->times].count;
    }
    return count;
}

const char *saltus_system_cost_peak(const saltus_system *system, int index, int *lowest)
{
    const bool has = system && within(index, system->nc);
    if (lowest) *lowest = has && system->model->costs.data[index].lowest;
    return has ? system->cost_peak[index] : "";
}

const char *saltus_system_cost_final(const saltus_system *system, int index)
{
    return system && within(index, system->nc) ? system->cost_final[index] : "";
}

saltus_event_info saltus_system_event(const saltus_system *system, int index)
{
    if (!system || !within(index, system->events))
        return (saltus_event_info){"", "", "", "", "", SALTUS_ANY, 0, 0, 0};
    const sal_compiled_event *e = &system->event[index];
    const int line = e->user >= 0 ? system->model->events.data[e->user].label.place.line
                                  : system->kink[e->kink].line;
    return (saltus_event_info){e->name,      e->when_text, e->from_text, e->to_text, e->law,
                               e->direction, e->stop,      e->user < 0,  line};
}

saltus_setting_info saltus_system_setting(const saltus_system *system, int index)
{
    if (!system || !within(index, system->model->settings.count))
        return (saltus_setting_info){"", NAN, NULL};
    const sal_setting *s = &system->model->settings.data[index];
    return (saltus_setting_info){s->name, s->value, s->text};
}

void saltus_system_horizon(const saltus_system *system, double *start, const char **end)
{
    if (start) *start = system ? system->model->start : NAN;
    if (end) *end = system ? system->end_text : "";
}

#define FIND(function, list)                                                                       \
    int function(const saltus_system *system, const char *name)                                    \
    {                                                                                              \
        for (int i = 0; system && name && i < system->model->list.count; i++)                      \
            if (strcmp(system->model->list.data[i].label.name, name) == 0) return i;               \
        return -1;                                                                                 \
    }

FIND(saltus_system_find_param, params)
FIND(saltus_system_find_cost, costs)

int saltus_system_warning_count(const saltus_system *system)
{
    return system ? system->warnings.count : 0;
}

const char *saltus_system_warning(const saltus_system *system, int index)
{
    return within(index, saltus_system_warning_count(system)) ? system->warnings.data[index] : "";
}

saltus_backend_info saltus_system_backend(const saltus_system *system)
{
    return system ? sal_system_backend(system)
                  : (saltus_backend_info){.backend = SALTUS_INTERP, .note = ""};
}

saltus_status saltus_system_dump(const saltus_system *system, const char   *pass,
                                 void (*write)(void *, const char *), void *context,
                                 saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    if (!system || !write)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "a dump needs a system and a function to write");
    return sal_system_dump(system, pass, write, context, err);
}
