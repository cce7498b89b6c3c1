/* Decides for each element of a table whether it is a number, a parameter or a map: see
 * sal_compiled_table in system.h. */
#include <string.h>

#include "compile/system.h"

static bool compile_table(saltus_system *system, const sal_table *from, sal_compiled_table *to)
{
    sal_graph *graph = &system->model->graph;
    int        maps = 0;
    double    *number = ARENA_NEW(&system->arena, from->count, double);
    int       *param = ARENA_NEW(&system->arena, from->count, int);
    if (system->arena.failed) return false;
    for (int i = 0; i < from->count; i++) {
        int kind, index;
        if (sal_is_const(graph, from->element[i], &number[i])) param[i] = SAL_TABLE_NUMBER;
        else if (sal_is_leaf(graph, from->element[i], &kind, &index)) param[i] = index;
        else param[i] = SAL_TABLE_MAP - maps++;
    }
    sal_map *map = ARENA_NEW(&system->arena, maps, sal_map);
    for (int i = 0; i < from->count && map; i++)
        if (param[i] <= SAL_TABLE_MAP &&
            !sal_system_map(system, &map[SAL_TABLE_MAP - param[i]], &from->element[i], 1))
            return false;
    *to = (sal_compiled_table){from->count, number, param, map, maps};
    return map != NULL;
}

bool sal_tables_compile(saltus_system *system)
{
    const saltus_model *model = system->model;
    system->table = ARENA_NEW(&system->arena, model->tables.count, sal_compiled_table);
    bool ok = !system->arena.failed;
    for (int i = 0; i < model->tables.count && ok; i++)
        ok = compile_table(system, &model->tables.data[i], &system->table[i]);
    return ok;
}

bool sal_table_reads_find(saltus_system *system, const sal_node *roots, int count, sal_reset *reset)
{
    sal_graph *graph = &system->model->graph;
    if (system->model->picks.count == 0) return true;
    if (!sal_graph_walk(graph, roots, count)) return false;
    int *pick = ARENA_NEW(&system->arena, system->model->picks.count, int);
    for (int i = 0; i < graph->walk.list.count && pick; i++) {
        int kind, index;
        if (sal_is_leaf(graph, graph->walk.list.data[i], &kind, &index) && kind == SAL_LEAF_PICK)
            pick[reset->picks++] = index;
    }
    reset->pick = pick;
    return pick != NULL;
}
