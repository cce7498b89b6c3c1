/* Drawings: the shapes of a system, and the operations that compute their numbers. The values of a
 * drawing are the nodes of the model's graph that shapes depend on, in the order of the graph, so
 * each comes after its arguments. */
#include <math.h>
#include <string.h>

#include "base/host.h"
#include "compile/system.h"
#include "saltus/saltus.h"

struct saltus_drawing {
    sal_arena            arena;
    const saltus_system *system;
    int                  ops;
    saltus_draw_op      *op;
    int                 *number; /* by entry of model->drawn: the index of its value */
};

/* Marks the nodes on which shapes depend, from the last node to the first, since arguments come
 * before the nodes that use them. Returns their number. */
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

static saltus_draw_op_kind symbol_kind(int leaf)
{
    switch (leaf) {
    case SAL_LEAF_Q: return SALTUS_DRAW_COORDINATE;
    case SAL_LEAF_V: return SALTUS_DRAW_VELOCITY;
    case SAL_LEAF_C: return SALTUS_DRAW_MEMORY;
    case SAL_LEAF_P: return SALTUS_DRAW_PARAM;
    default: return SALTUS_DRAW_TIME;
    }
}

/* The public form of a node. Its operation is one of saltus_op, since shapes contain no others. */
static saltus_draw_op op_of(const sal_node_data *data, const int *place)
{
    if (data->op == SAL_OP_CONST)
        return (saltus_draw_op){
            .kind = SALTUS_DRAW_NUMBER, .number = data->value, .a = -1, .b = -1};
    if (data->op == SAL_OP_LEAF)
        return (saltus_draw_op){
            .kind = symbol_kind(data->arg[0]), .index = data->arg[1], .a = -1, .b = -1};
    return (saltus_draw_op){.kind = SALTUS_DRAW_OPERATION,
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
    drawing->op = ARENA_NEW(&drawing->arena, count, saltus_draw_op);
    drawing->number = ARENA_NEW(&drawing->arena, model->drawn.count, int);
    if (drawing->arena.failed) return false;
    for (sal_node node = 1; node < nodes; node++) {
        if (!used[node]) continue;
        place[node] = drawing->ops;
        drawing->op[drawing->ops++] = op_of(&model->graph.nodes.data[node], place);
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
                               .value = drawing->number + shape->first,
                               .count = shape->count,
                               .mode = shape->modes.mode,
                               .modes = shape->modes.count};
}

int saltus_drawing_ops(const saltus_drawing *drawing) { return drawing ? drawing->ops : 0; }

saltus_draw_op saltus_drawing_op(const saltus_drawing *drawing, int index)
{
    if (index < 0 || index >= saltus_drawing_ops(drawing))
        return (saltus_draw_op){.kind = SALTUS_DRAW_NUMBER, .number = NAN, .a = -1, .b = -1};
    return drawing->op[index];
}

static double symbol(const saltus_drawing *drawing, const saltus_draw_op *op, const saltus_row *row,
                     const double *params)
{
    switch (op->kind) {
    case SALTUS_DRAW_NUMBER: return op->number;
    case SALTUS_DRAW_TIME: return row->t;
    case SALTUS_DRAW_COORDINATE: return row->q ? row->q[op->index] : NAN;
    case SALTUS_DRAW_VELOCITY: return row->v ? row->v[op->index] : NAN;
    case SALTUS_DRAW_MEMORY: return row->c ? row->c[op->index] : NAN;
    case SALTUS_DRAW_PARAM:
        return params ? params[op->index] : drawing->system->model->params.data[op->index].value;
    case SALTUS_DRAW_OPERATION: break;
    }
    return NAN;
}

void saltus_drawing_compute(const saltus_drawing *drawing, const saltus_row *row,
                            const double *params, double *value)
{
    HOLD_HOST;
    for (int i = 0; drawing && !row && value && i < drawing->ops; i++) value[i] = NAN;
    if (!drawing || !row || !value) return;
    for (int i = 0; i < drawing->ops; i++) {
        const saltus_draw_op *op = &drawing->op[i];
        value[i] = op->kind == SALTUS_DRAW_OPERATION
                       ? sal_op_value((int)op->op + SAL_OP_NEG, value[op->a],
                                      op->b >= 0 ? value[op->b] : 0.0, 0.0)
                       : symbol(drawing, op, row, params);
    }
}
