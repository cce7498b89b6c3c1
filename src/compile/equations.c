/* Differentiates the virtual power to the residual, the matrix, the tangent and the adjoint of the
 * equations of motion: see equations.h. */
#include "compile/equations.h"

#include "expr/derive.h"

static void derive(sal_derivatives *d, sal_graph *graph, sal_node root, unsigned kinds)
{
    d->list.count = 0;
    if (root) sal_derivatives_add(d, graph, &root, NULL, 1, kinds);
}

void sal_equations_residual(sal_derivatives *d, sal_graph *graph, sal_node H)
{
    derive(d, graph, H, SAL_KINDS_WEIGHT);
}

void sal_equations_add_forces(sal_derivatives *d, sal_graph *graph, sal_node H0, int base)
{
    const int first = d->list.count;
    if (H0) sal_derivatives_add(d, graph, &H0, NULL, 1, SAL_KINDS_WEIGHT);
    for (int i = first; i < d->list.count; i++) {
        d->list.data[i].node = sal_neg(graph, d->list.data[i].node);
        d->list.data[i].base = base;
    }
}

/* Whether an entry of a column is above the diagonal. Rows (weights) and columns (unknowns) are
 * both in the order accelerations, multipliers. */
static bool is_above_diagonal(const sal_target *entry, const sal_target *column)
{
    const bool row_mu = entry->kind == SAL_LEAF_WEIGHT_MU, column_mu = column->kind == SAL_LEAF_MU;
    return row_mu != column_mu ? column_mu : entry->index < column->index;
}

/* Appends a column of K from its diagonal on; K is symmetric, so the rest is not needed. */
static void add_column(sal_derivatives *d, sal_graph *graph, const sal_target *column)
{
    int kept = d->list.count;
    sal_derivatives_add(d, graph, &column->node, NULL, 1, SAL_KINDS_WEIGHT);
    for (int i = kept; i < d->list.count; i++) {
        sal_target entry = d->list.data[i];
        if (is_above_diagonal(&entry, column)) continue;
        entry.row = column->index;
        entry.row_kind = column->kind == SAL_LEAF_MU ? SAL_LEAF_WEIGHT_MU : SAL_LEAF_WEIGHT;
        d->list.data[kept++] = entry;
    }
    d->list.count = kept;
}

void sal_equations_matrix(sal_derivatives *d, sal_graph *graph, sal_node KX)
{
    sal_derivatives columns = {.allocator = d->allocator};
    derive(&columns, graph, KX, SAL_KINDS_REACTION);
    d->list.count = 0;
    for (int j = 0; j < columns.list.count; j++) add_column(d, graph, &columns.list.data[j]);
    d->failed = d->failed || columns.failed;
    sal_derivatives_release(&columns);
}

/* The seed of the direction du: all of the state moves, the unknowns are fixed. */
static sal_node seed_state(void *context, sal_graph *graph, int kind, int index)
{
    if (sal_kind_bit(kind) & SAL_KINDS_REACTION) return 0;
    return sal_seed_tangent(context, graph, kind, index);
}

void sal_equations_tangent(sal_derivatives *d, sal_graph *graph, sal_node H)
{
    sal_node dH = 0;
    if (H) sal_derive_along(graph, &H, 1, seed_state, NULL, &dH);
    derive(d, graph, dH, SAL_KINDS_WEIGHT);
}

void sal_equations_adjoint(sal_derivatives *d, sal_graph *graph, sal_node H)
{
    derive(d, graph, H, SAL_KINDS_WITH_TANGENT & ~SAL_KINDS_REACTION);
}
