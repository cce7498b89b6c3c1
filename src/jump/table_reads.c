/* Puts the elements of tables that an event reads into u, with tangent and adjoint: see
 * table_reads.h. */
#include "jump/table_reads.h"

#include <math.h>

double sal_table_value(const saltus_system *system, int table, int element, const double *u,
                       double *work)
{
    const sal_compiled_table *from = &system->table[table];
    const int                 param = from->param[element];
    double                    value;
    if (param == SAL_TABLE_NUMBER) return from->number[element];
    if (param >= 0) return u[system->layout.at[SAL_LEAF_P] + param];
    sal_map_value(&from->map[SAL_TABLE_MAP - param], u, &value, work);
    return value;
}

/* The number of the element of its table that is picked. */
static int element_of(const sal_field *field, const sal_pick *pick)
{
    const int    count = field->system->table[pick->table].count;
    const double number = sal_u(field, SAL_LEAF_C)[pick->memory] + pick->offset;
    if (!(number > 0.0)) return 0;
    return number < count - 1 ? (int)lround(number) : count - 1;
}

void sal_table_reads_value(sal_field *field, const sal_reset *reset)
{
    const saltus_system *system = field->system;
    for (int i = 0; i < reset->picks; i++) {
        const sal_pick *pick = &system->model->picks.data[reset->pick[i]];
        sal_u(field, SAL_LEAF_PICK)[reset->pick[i]] =
            sal_table_value(system, pick->table, element_of(field, pick), field->u, field->work);
    }
}

void sal_table_reads_tangent(const sal_field *field, const sal_reset *reset, double *du, int lanes)
{
    const saltus_system *system = field->system;
    for (int i = 0; i < reset->picks; i++) {
        const sal_pick           *pick = &system->model->picks.data[reset->pick[i]];
        const sal_compiled_table *table = &system->table[pick->table];
        const int                 param = table->param[element_of(field, pick)];
        double *to = sal_lanes_at(system, du, lanes, SAL_LEAF_PICK) + reset->pick[i] * lanes;
        if (param >= 0)
            sal_copy(to, sal_lanes_at(system, du, lanes, SAL_LEAF_P) + param * lanes, lanes);
        else if (param == SAL_TABLE_NUMBER) sal_zero(to, lanes);
        else
            sal_map_tangent(&table->map[SAL_TABLE_MAP - param], field->u, du, lanes, to,
                            field->work);
    }
}

void sal_table_reads_adjoint(const sal_field *field, const sal_reset *reset, double *u_bar,
                             int lanes)
{
    const saltus_system *system = field->system;
    for (int i = 0; i < reset->picks; i++) {
        const sal_pick           *pick = &system->model->picks.data[reset->pick[i]];
        const sal_compiled_table *table = &system->table[pick->table];
        const int                 param = table->param[element_of(field, pick)];
        double *from = sal_lanes_at(system, u_bar, lanes, SAL_LEAF_PICK) + reset->pick[i] * lanes;
        double *to =
            sal_lanes_at(system, u_bar, lanes, SAL_LEAF_P) + (param > 0 ? param * lanes : 0);
        for (int l = 0; l < lanes && param >= 0; l++) to[l] += from[l];
        if (param <= SAL_TABLE_MAP)
            sal_map_adjoint(&table->map[SAL_TABLE_MAP - param], field->u, from, lanes, u_bar,
                            field->work);
        sal_zero(from, lanes);
    }
}
