/* Writes out the solution of the small system by which sliding friction enters a symmetric one, for
 * solved kernels: see friction.h. */
#include "compile/friction.h"

#include <string.h>

#include "compile/structural_zeros.h"

/* Factors L U = G without row exchanges. False if a pivot is structurally zero. */
static bool factor(sal_friction *f, sal_graph *graph)
{
    const int k = f->count;
    sal_node *G = f->G;
    for (int p = 0; p < k; p++) {
        if (!G[p * k + p]) return false;
        f->inverse[p] = sal_zeros_reciprocal(graph, G[p * k + p]);
        for (int i = p + 1; i < k; i++) {
            G[i * k + p] = sal_zeros_mul(graph, G[i * k + p], f->inverse[p]);
            for (int j = p + 1; j < k; j++)
                G[i * k + j] = sal_zeros_sub(graph, G[i * k + j],
                                             sal_zeros_mul(graph, G[i * k + p], G[p * k + j]));
        }
    }
    return true;
}

bool sal_friction_plan(sal_friction *f, const sal_solve *solve, sal_arena *arena)
{
    const int  k = f->count, size = solve->n + solve->m;
    sal_graph *graph = solve->graph;
    sal_node  *column = ARENA_NEW(arena, size, sal_node);
    f->solve = solve;
    f->Y = ARENA_NEW(arena, k * size, sal_node);
    f->G = ARENA_NEW(arena, k * k, sal_node);
    f->inverse = ARENA_NEW(arena, k, sal_node);
    if (arena->failed) return false;
    for (int j = 0; j < k; j++) {
        memcpy(column, f->w + j * solve->n, (size_t)solve->n * sizeof *column);
        sal_solve_write(solve, column, f->Y + j * size, arena);
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            const sal_node one = i == j ? sal_const(graph, 1.0) : 0;
            const sal_node Y = f->normal[i] >= 0 ? f->Y[j * size + f->normal[i]] : 0;
            f->G[i * k + j] = sal_zeros_sub(graph, one, sal_zeros_mul(graph, f->m[i], Y));
        }
    return factor(f, graph) && !arena->failed && !graph->failed;
}

/* Solves with G in place. */
static void solve_small(const sal_friction *f, sal_node *t)
{
    const int  k = f->count;
    sal_graph *graph = f->solve->graph;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < i; j++)
            t[i] = sal_zeros_sub(graph, t[i], sal_zeros_mul(graph, f->G[i * k + j], t[j]));
    for (int i = k - 1; i >= 0; i--) {
        for (int j = i + 1; j < k; j++)
            t[i] = sal_zeros_sub(graph, t[i], sal_zeros_mul(graph, f->G[i * k + j], t[j]));
        t[i] = sal_zeros_mul(graph, t[i], f->inverse[i]);
    }
}

/* Solves with G^T in place. */
static void solve_small_transposed(const sal_friction *f, sal_node *t)
{
    const int  k = f->count;
    sal_graph *graph = f->solve->graph;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < i; j++)
            t[i] = sal_zeros_sub(graph, t[i], sal_zeros_mul(graph, f->G[j * k + i], t[j]));
        t[i] = sal_zeros_mul(graph, t[i], f->inverse[i]);
    }
    for (int i = k - 1; i >= 0; i--)
        for (int j = i + 1; j < k; j++)
            t[i] = sal_zeros_sub(graph, t[i], sal_zeros_mul(graph, f->G[j * k + i], t[j]));
}

static void write_forward(const sal_friction *f, const sal_node *b, const sal_node *bt, sal_node *x,
                          sal_node *t, sal_arena *scratch)
{
    const int  size = f->solve->n + f->solve->m;
    sal_graph *graph = f->solve->graph;
    sal_solve_write(f->solve, b, x, scratch);
    for (int j = 0; j < f->count; j++) {
        const sal_node normal = f->normal[j] >= 0 ? x[f->normal[j]] : 0;
        t[j] = sal_zeros_sub(graph, bt[j], sal_zeros_mul(graph, f->m[j], normal));
    }
    solve_small(f, t);
    for (int j = 0; j < f->count; j++)
        for (int i = 0; i < size; i++)
            x[i] = sal_zeros_sub(graph, x[i], sal_zeros_mul(graph, f->Y[j * size + i], t[j]));
}

static void write_transposed(const sal_friction *f, const sal_node *b, const sal_node *bt,
                             sal_node *x, sal_node *t, sal_arena *scratch)
{
    const int  size = f->solve->n + f->solve->m;
    sal_graph *graph = f->solve->graph;
    sal_node  *left = ARENA_NEW(scratch, size, sal_node);
    if (!left) return;
    memcpy(left, b, (size_t)size * sizeof *left);
    for (int j = 0; j < f->count; j++) {
        t[j] = bt[j];
        for (int i = 0; i < size; i++)
            t[j] = sal_zeros_sub(graph, t[j], sal_zeros_mul(graph, f->Y[j * size + i], b[i]));
    }
    solve_small_transposed(f, t);
    for (int j = 0; j < f->count; j++)
        if (f->normal[j] >= 0)
            left[f->normal[j]] =
                sal_zeros_sub(graph, left[f->normal[j]], sal_zeros_mul(graph, f->m[j], t[j]));
    sal_solve_write(f->solve, left, x, scratch);
}

void sal_friction_write(const sal_friction *f, bool transposed, const sal_node *b,
                        const sal_node *bt, sal_node *x, sal_node *t, sal_arena *scratch)
{
    if (transposed) write_transposed(f, b, bt, x, t, scratch);
    else write_forward(f, b, bt, x, t, scratch);
}
