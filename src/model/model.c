/* The model as a whole: creation, errors, names, values from outside. */
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "expr/print.h"

saltus_model *saltus_model_new(const saltus_allocator *allocator, saltus_error *err)
{
    saltus_allocator plain = {0};
    if (err && err->status) return NULL;
    if (allocator) plain = *allocator;
    saltus_model *model = sal_resize(&plain, NULL, 0, sizeof *model);
    if (!model) {
        sal_fail_memory(err);
        return NULL;
    }
    memset(model, 0, sizeof *model);
    sal_arena_init(&model->arena, &plain);
    sal_graph_init(&model->graph, &plain);
    model->name = "";
    model->options = saltus_options_default();
    return model;
}

void saltus_model_free(saltus_model *model)
{
    if (!model) return;
    const saltus_allocator allocator = model->arena.allocator;
    for (int i = 0; i < model->events.count; i++) {
        ARRAY_RELEASE(&allocator, &model->events.data[i].where);
        ARRAY_RELEASE(&allocator, &model->events.data[i].set);
        ARRAY_RELEASE(&allocator, &model->events.data[i].charge);
    }
    ARRAY_RELEASE(&allocator, &model->overrides);
    ARRAY_RELEASE(&allocator, &model->events);
#define X(type, list) ARRAY_RELEASE(&allocator, &model->list);
    SAL_MODEL_LISTS(X)
#undef X
#define X(names) sal_name_release(&model->names, &allocator);
    SAL_MODEL_NAMES(X)
#undef X
    sal_graph_free(&model->graph);
    sal_arena_free(&model->arena);
    sal_resize(&allocator, model, sizeof *model, 0);
}

/* ---- errors --------------------------------------------------------------------------------- */

void sal_model_out_of_memory(saltus_model *model) { sal_fail_memory(&model->error); }

bool sal_model_failed(const saltus_model *model)
{
    return !model || model->error.status != SALTUS_OK || model->graph.failed || model->arena.failed;
}

void saltus_model_fail(saltus_model *model, const char *format, ...)
{
    va_list arguments;
    if (sal_model_failed(model)) return; /* the mistake may only be a consequence of the failure */
    va_start(arguments, format);
    sal_fail_list(&model->error, SALTUS_ERR_MODEL, model->place.file, model->place.line,
                  format ? format : "", arguments);
    va_end(arguments);
    if (model->error.message[0]) return;
    snprintf(model->error.message, sizeof model->error.message,
             "saltus_model_fail was called without a text: give one that says what is wrong");
}

const saltus_error *saltus_model_error(const saltus_model *model)
{
    static const saltus_error memory = {.status = SALTUS_ERR_MEMORY, .message = "out of memory"};
    static const saltus_error large = {
        .status = SALTUS_ERR_MODEL,
        .message = "the expressions of the model are too large (is one of them derived again and "
                   "again, or built in a loop that never ends?)"};
    static const saltus_error none = {.status = SALTUS_ERR_ARGUMENT,
                                      .message = "there is no model"};
    if (!model) return &none;
    if (model->graph.limited) return &large;
    if (model->error.status == SALTUS_OK && (model->graph.failed || model->arena.failed))
        return &memory;
    return &model->error;
}

void saltus_model_at(saltus_model *model, const char *file, int line)
{
    if (!model) return;
    if (file && (!model->place.file || strcmp(file, model->place.file) != 0))
        model->place.file = sal_arena_text(&model->arena, file);
    if (!file) model->place.file = NULL;
    model->place.line = line;
    model->graph.line = line;
}

void saltus_model_set_limit(saltus_model *model, int nodes)
{
    if (model) model->graph.limit = nodes > 0 ? nodes : 0;
}

void saltus_model_set_compile_limits(saltus_model *model, size_t memory, long long steps)
{
    if (!model) return;
    if (steps < 0) {
        saltus_model_fail(model, "the limit on visits for compiling is %lld; 0 means no limit",
                          steps);
        return;
    }
    model->compile_memory = memory;
    model->compile_steps = steps;
}

/* ---- names ---------------------------------------------------------------------------------- */

void saltus_model_set_name(saltus_model *model, const char *name)
{
    if (!model) return;
    const char *copy = sal_arena_text(&model->arena, name ? name : "");
    if (copy) model->name = copy;
}

const char *saltus_model_name(const saltus_model *model) { return model ? model->name : ""; }

size_t saltus_model_bytes(const saltus_model *model)
{
    if (!model) return 0;
    return model->arena.bytes + sal_graph_bytes(&model->graph) +
           (size_t)model->terms.capacity * sizeof(sal_term) +
           (size_t)model->coordinates.capacity * sizeof(sal_coordinate) +
           (size_t)model->params.capacity * sizeof(sal_param) +
           (size_t)model->shapes.capacity * sizeof(sal_shape) +
           (size_t)model->drawn.capacity * sizeof(sal_node) +
           (size_t)model->events.capacity * sizeof(sal_event);
}

/* Names must be UTF-8: they are keys of results, and other bytes would all be replaced by the same
 * character. */
static void check_name(saltus_model *model, const char *name)
{
    const unsigned char *wrong = name ? sal_not_utf8(name) : NULL;
    if (wrong)
        saltus_model_fail(model,
                          "the name '%s' is not UTF-8 (byte 0x%02x): save the script as UTF-8, or "
                          "write \\u{...}",
                          name, *wrong);
}

sal_label sal_model_label(saltus_model *model, const char *name, const char *unit, const char *doc)
{
    check_name(model, name);
    sal_label label = {sal_arena_text(&model->arena, name ? name : ""),
                       sal_arena_text(&model->arena, unit ? unit : ""),
                       sal_arena_text(&model->arena, doc ? doc : ""), model->place};
    return label;
}

const char *saltus_nearest(const char *name, const char *const *names, int count)
{
    HOLD_HOST; /* comparison of letters depends on the locale */
    return name && names ? sal_nearest(name, names, count) : NULL;
}

int saltus_name_matches(const char *pattern, const char *name)
{
    return pattern && name && sal_name_matches(pattern, name);
}

/* Returns the name in the script of the coordinate, constraint, memory, ... to which a leaf
 * belongs. */
static const char *symbol_name(const saltus_model *model, int kind, int index)
{
#define NAME_IN(list) (index < model->list.count ? model->list.data[index].label.name : "")
    switch (kind) {
    case SAL_LEAF_MU:
    case SAL_LEAF_MU_AFTER: return NAME_IN(constraints);
    case SAL_LEAF_P: return NAME_IN(params);
    case SAL_LEAF_C:
    case SAL_LEAF_C_AFTER: return NAME_IN(memories);
    case SAL_LEAF_IMPULSE: return index < model->impulses.count ? model->impulses.data[index] : "";
    default: return NAME_IN(coordinates);
    }
#undef NAME_IN
}

/* Whether a leaf belongs to a first-order state: internally that is the velocity of a coordinate
 * with its name. */
static bool is_state(const saltus_model *model, int kind, int index)
{
    const unsigned motion = SAL_KIND(Q) | SAL_KIND(V) | SAL_KIND(A) | SAL_KIND(Q_AFTER) |
                            SAL_KIND(V_AFTER) | SAL_KIND(A_AFTER);
    return (sal_kind_bit(kind) & motion) && index < model->coordinates.count &&
           model->coordinates.data[index].state;
}

void sal_model_leaf_name(void *context, int kind, int index, char *buffer)
{
    static const char *const of_states[] = {
        [SAL_LEAF_Q] = "integral(%s)",    [SAL_LEAF_V] = "%s",
        [SAL_LEAF_A] = "dot(%s)",         [SAL_LEAF_Q_AFTER] = "after(integral(%s))",
        [SAL_LEAF_V_AFTER] = "after(%s)", [SAL_LEAF_A_AFTER] = "after(dot(%s))",
    };
    static const char *const formats[] = {
        [SAL_LEAF_T] = "t",
        [SAL_LEAF_Q] = "%s",
        [SAL_LEAF_V] = "dot(%s)",
        [SAL_LEAF_A] = "ddot(%s)",
        [SAL_LEAF_MU] = "multiplier(%s)",
        [SAL_LEAF_C] = "%s",
        [SAL_LEAF_P] = "%s",
        [SAL_LEAF_Q_AFTER] = "after(%s)",
        [SAL_LEAF_V_AFTER] = "after(dot(%s))",
        [SAL_LEAF_A_AFTER] = "after(ddot(%s))",
        [SAL_LEAF_MU_AFTER] = "after(multiplier(%s))",
        [SAL_LEAF_C_AFTER] = "after(%s)",
        [SAL_LEAF_IMPULSE] = "impulse(%s)",
    };
    if (is_state(context, kind, index))
        snprintf(buffer, 128, of_states[kind], symbol_name(context, kind, index));
    else if (kind >= 0 && kind < (int)(sizeof formats / sizeof *formats) && formats[kind])
        snprintf(buffer, 128, formats[kind], symbol_name(context, kind, index));
}

static void *without_const(const void *pointer)
{
    union {
        const void *in;
        void       *out;
    } u = {pointer};
    return u.out;
}

const char *sal_model_text(const saltus_model *model, sal_arena *arena, sal_node node)
{
    void        *context = without_const(model);
    const size_t length = sal_print(&model->graph, node, sal_model_leaf_name, context, NULL, 0);
    char        *text = sal_arena_get(arena, length + 1, 1);
    if (text) sal_print(&model->graph, node, sal_model_leaf_name, context, text, length + 1);
    return text;
}

size_t saltus_expr_print(const saltus_model *model, saltus_expr e, char *text, size_t size)
{
    HOLD_HOST;
    if (!text) size = 0;
    if (model)
        return sal_print(&model->graph, e.id, sal_model_leaf_name, without_const(model), text,
                         size);
    if (size) text[0] = 0;
    return 0;
}

/* ---- values from outside -------------------------------------------------------------------- */

void saltus_model_override(saltus_model *model, const char *name, double value, const char *text)
{
    if (sal_model_failed(model)) return;
    if (!name) {
        sal_fail(&model->error, SALTUS_ERR_ARGUMENT, "a value from outside has no name");
        return;
    }
    const sal_override row = {sal_arena_text(&model->arena, name), value,
                              sal_arena_text(&model->arena, text), false};
    if (sal_model_failed(model)) return;
    for (int i = 0; i < model->overrides.count; i++)
        if (strcmp(model->overrides.data[i].name, name) == 0) {
            model->overrides.data[i] = row;
            return;
        }
    SAL_MODEL_PUSH(model, &model->overrides, row);
}

int saltus_model_find_override(saltus_model *model, const char *name, double *value,
                               const char **text)
{
    for (int i = 0; model && name && i < model->overrides.count; i++) {
        sal_override *row = &model->overrides.data[i];
        if (strcmp(row->name, name) != 0) continue;
        row->used = true;
        if (value) *value = row->value;
        if (text) *text = row->text;
        return row->text ? 2 : 1;
    }
    return 0;
}

void saltus_model_note_setting(saltus_model *model, const char *name, double value,
                               const char *text)
{
    if (sal_model_failed(model)) return;
    if (!name) {
        saltus_model_fail(model, "a setting needs a name");
        return;
    }
    const sal_setting row = {sal_arena_text(&model->arena, name), value,
                             sal_arena_text(&model->arena, text)};
    check_name(model, name);
    if (sal_model_failed(model)) return;
    for (int i = 0; i < model->settings.count; i++)
        if (strcmp(model->settings.data[i].name, name) == 0) {
            saltus_model_fail(model, "two settings are called '%s'", name);
            return;
        }
    for (int i = 0; i < model->params.count; i++)
        if (strcmp(model->params.data[i].label.name, name) == 0) {
            saltus_model_fail(model, "'%s' is a parameter already; name the setting differently",
                              name);
            return;
        }
    SAL_MODEL_PUSH(model, &model->settings, row);
}

saltus_status saltus_model_check_overrides(const saltus_model *model, saltus_error *err)
{
    if (err && err->status) return err->status;
    if (!model) return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no model");
    for (int i = 0; i < model->overrides.count; i++) {
        const sal_override *row = &model->overrides.data[i];
        if (row->used) continue;
        const char *best = NULL;
        for (int k = 0; k < model->params.count + model->settings.count; k++) {
            const int   setting = k - model->params.count;
            const char *pair[2] = {setting < 0 ? model->params.data[k].label.name
                                               : model->settings.data[setting].name,
                                   best};
            best = sal_nearest(row->name, pair, 2);
        }
        return best ? sal_fail(err, SALTUS_ERR_ARGUMENT,
                               "the model has no parameter or setting '%s'; did you mean '%s'?",
                               row->name, best)
                    : sal_fail(err, SALTUS_ERR_ARGUMENT,
                               "the model has no parameter or setting '%s' ('saltus show' lists "
                               "them)",
                               row->name);
    }
    return SALTUS_OK;
}

saltus_options *saltus_model_options(saltus_model *model) { return model ? &model->options : NULL; }
