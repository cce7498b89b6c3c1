/* Drawings: the shapes of a system, and the steps that compute where they are. The steps are the
 * nodes of the graph that shapes rest on, in their order, so each comes after its arguments. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "saltus/saltus.h"
#include "system/system.h"

struct saltus_drawing {
    sal_arena            arena;
    const saltus_system *system;
    int                  steps;
    saltus_step         *step;
    int                 *number; /* by entry of model->drawn: its step */
};

/* Marks what the shapes rest on: arguments have smaller numbers than what uses them. */
static int mark(const saltus_model *model, unsigned char *used)
{
    const sal_graph *graph = &model->graph;
    int              count = 0;
    for (int i = 0; i < model->drawn.count; i++) used[model->drawn.data[i]] = 1;
    for (sal_node node = graph->nodes.count - 1; node > 0; node--) {
        if (!used[node]) continue;
        const sal_node_data *data = &graph->nodes.data[node];
        count++;
        if (data->op == SAL_OP_CONST || data->op == SAL_OP_LEAF) continue;
        for (int k = 0; k < sal_op_arguments(data->op); k++) used[data->arg[k]] = 1;
    }
    return count;
}

static saltus_step_kind symbol_kind(int leaf)
{
    switch (leaf) {
    case SAL_LEAF_Q: return SALTUS_STEP_COORDINATE;
    case SAL_LEAF_V: return SALTUS_STEP_VELOCITY;
    case SAL_LEAF_C: return SALTUS_STEP_MEMORY;
    case SAL_LEAF_P: return SALTUS_STEP_PARAM;
    default: return SALTUS_STEP_TIME;
    }
}

/* Scripts have no operations beyond saltus_op, which come first in ops.def. */
static saltus_step step_of(const sal_node_data *data, const int *place)
{
    if (data->op == SAL_OP_CONST)
        return (saltus_step){.kind = SALTUS_STEP_NUMBER, .number = data->value, .a = -1, .b = -1};
    if (data->op == SAL_OP_LEAF)
        return (saltus_step){
            .kind = symbol_kind(data->arg[0]), .index = data->arg[1], .a = -1, .b = -1};
    return (saltus_step){.kind = SALTUS_STEP_OPERATION,
                         .op = (saltus_op)(data->op - SAL_OP_NEG),
                         .a = place[data->arg[0]],
                         .b = sal_op_arguments(data->op) > 1 ? place[data->arg[1]] : -1};
}

static bool build(saltus_drawing *drawing, sal_arena *scratch)
{
    const saltus_model *model = drawing->system->model;
    const int           nodes = model->graph.nodes.count;
    unsigned char      *used = ARENA_NEW(scratch, nodes, unsigned char);
    int                *place = ARENA_NEW(scratch, nodes, int);
    if (scratch->failed) return false;
    const int count = mark(model, used);
    drawing->step = ARENA_NEW(&drawing->arena, count, saltus_step);
    drawing->number = ARENA_NEW(&drawing->arena, model->drawn.count, int);
    if (drawing->arena.failed) return false;
    for (sal_node node = 1; node < nodes; node++) {
        if (!used[node]) continue;
        place[node] = drawing->steps;
        drawing->step[drawing->steps++] = step_of(&model->graph.nodes.data[node], place);
    }
    for (int i = 0; i < model->drawn.count; i++) drawing->number[i] = place[model->drawn.data[i]];
    return true;
}

saltus_drawing *saltus_drawing_new(const saltus_system *system, saltus_error *err)
{
    sal_arena scratch;
    if (err && err->status) return NULL;
    if (!system) {
        sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no system to draw");
        return NULL;
    }
    const saltus_allocator *allocator = &system->allocator;
    saltus_drawing         *drawing = sal_resize(allocator, NULL, 0, sizeof *drawing);
    if (!drawing) {
        sal_fail_memory(err);
        return NULL;
    }
    memset(drawing, 0, sizeof *drawing);
    sal_arena_init(&drawing->arena, allocator);
    sal_arena_init(&scratch, allocator);
    drawing->system = system;
    const bool ok = build(drawing, &scratch);
    sal_arena_free(&scratch);
    if (ok) return drawing;
    saltus_drawing_free(drawing);
    sal_fail_memory(err);
    return NULL;
}

void saltus_drawing_free(saltus_drawing *drawing)
{
    if (!drawing) return;
    const saltus_allocator allocator = drawing->arena.allocator;
    sal_arena_free(&drawing->arena);
    sal_resize(&allocator, drawing, sizeof *drawing, 0);
}

int saltus_drawing_shapes(const saltus_drawing *drawing)
{
    return drawing ? drawing->system->model->shapes.count : 0;
}

saltus_shape_info saltus_drawing_shape(const saltus_drawing *drawing, int index)
{
    if (index < 0 || index >= saltus_drawing_shapes(drawing))
        return (saltus_shape_info){.shape = SALTUS_SHAPES, .name = ""};
    const sal_shape *shape = &drawing->system->model->shapes.data[index];
    return (saltus_shape_info){.shape = shape->shape,
                               .name = shape->label.name,
                               .line = shape->label.place.line,
                               .step = drawing->number + shape->first,
                               .count = shape->count,
                               .mode = shape->modes.mode,
                               .modes = shape->modes.count};
}

int saltus_drawing_steps(const saltus_drawing *drawing) { return drawing ? drawing->steps : 0; }

saltus_step saltus_drawing_step(const saltus_drawing *drawing, int index)
{
    if (index < 0 || index >= saltus_drawing_steps(drawing))
        return (saltus_step){.kind = SALTUS_STEP_NUMBER, .number = NAN, .a = -1, .b = -1};
    return drawing->step[index];
}

static double symbol(const saltus_drawing *drawing, const saltus_step *step, const saltus_row *row,
                     const double *params)
{
    switch (step->kind) {
    case SALTUS_STEP_NUMBER: return step->number;
    case SALTUS_STEP_TIME: return row->t;
    case SALTUS_STEP_COORDINATE: return row->q ? row->q[step->index] : NAN;
    case SALTUS_STEP_VELOCITY: return row->v ? row->v[step->index] : NAN;
    case SALTUS_STEP_MEMORY: return row->c ? row->c[step->index] : NAN;
    case SALTUS_STEP_PARAM:
        return params ? params[step->index]
                      : drawing->system->model->params.data[step->index].value;
    case SALTUS_STEP_OPERATION: break;
    }
    return NAN;
}

void saltus_drawing_compute(const saltus_drawing *drawing, const saltus_row *row,
                            const double *params, double *value)
{
    HOLD_HOST;
    if (!drawing || !row || !value) return;
    for (int i = 0; i < drawing->steps; i++) {
        const saltus_step *step = &drawing->step[i];
        value[i] = step->kind == SALTUS_STEP_OPERATION
                       ? sal_op_value((int)step->op + SAL_OP_NEG, value[step->a],
                                      step->b >= 0 ? value[step->b] : 0.0, 0.0)
                       : symbol(drawing, step, row, params);
    }
}
