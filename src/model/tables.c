/* Tables, whose elements are read by resets, and hidden memories. */
#include <string.h>

#include "model/model.h"

int sal_model_hidden_memory(saltus_model *model, const char *name, sal_node start)
{
    const sal_memory row = {
        .label = sal_model_label(model, name, NULL, NULL), .start = start, .hidden = true};
    if (sal_model_failed(model)) return -1;
    SAL_MODEL_PUSH(model, &model->memories, row);
    return sal_model_failed(model) ? -1 : model->memories.count - 1;
}

int sal_model_table(saltus_model *model, const sal_node *elements, int count)
{
    const sal_table row = {count, ARENA_NEW(&model->arena, count, sal_node)};
    if (sal_model_failed(model) || !row.element) {
        sal_model_out_of_memory(model);
        return -1;
    }
    memcpy(row.element, elements, (size_t)count * sizeof *elements);
    SAL_MODEL_PUSH(model, &model->tables, row);
    return sal_model_failed(model) ? -1 : model->tables.count - 1;
}

sal_node sal_model_pick(saltus_model *model, int table, int memory, int offset)
{
    const sal_pick row = {table, memory, offset};
    if (sal_model_failed(model)) return 0;
    SAL_MODEL_PUSH(model, &model->picks, row);
    if (sal_model_failed(model)) return 0;
    return sal_leaf(&model->graph, SAL_LEAF_PICK, model->picks.count - 1);
}
