/* Writes out the solution of a symmetric system as expressions, by elimination, by Schur's way or
 * in the null space of the constraints: see solve.h. */
#include "compile/solve.h"

#include <string.h>

#include "compile/structural_zeros.h"

/* ---- arithmetic with structural zeros ------------------------------------------------------- */

#define mul sal_zeros_mul
#define sub sal_zeros_sub
#define reciprocal sal_zeros_reciprocal

static sal_node add(sal_graph *graph, sal_node a, sal_node b) { return sal_sum(graph, a, b); }

static sal_node size(sal_graph *graph, sal_node a)
{
    return a ? sal_apply(graph, SAL_OP_ABS, a, 0, 0) : 0;
}

static sal_node entry(const sal_solve *s, int i, int j)
{
    const int size = s->n + s->m;
    return i > j ? s->matrix[i * size + j] : s->matrix[j * size + i];
}

/* ---- LDL' ----------------------------------------------------------------------------------- */

/* Adds the factor by which a pivot has shrunk, |before / pivot|, to the sum. */
static void watch_pivot(sal_graph *graph, sal_node before, sal_node pivot, sal_node inverse,
                        sal_node *shrinkage)
{
    if (!before || before == pivot) return;
    *shrinkage = add(graph, *shrinkage, size(graph, mul(graph, before, inverse)));
}

/* Factors a symmetric matrix of nodes in place (lower triangle, in the given order of rows). The
 * shrinkage of a pivot is relative to the given diagonal entry; for the rows marked in late, which
 * are constraints, it is relative to the entry when the first of these rows is eliminated.
 * shrinkage is the sum over all pivots: it is large where the matrix is nearly singular. */
static void factor(sal_graph *graph, int size, sal_node *A, sal_node *inverse,
                   const unsigned char *late, sal_node *before, sal_node *shrinkage)
{
    for (int i = 0; i < size; i++) before[i] = late && late[i] ? 0 : A[i * size + i];
    for (int p = 0; p < size; p++) {
        for (int i = p; i < size && late && late[p]; i++)
            if (late[i] && !before[i]) before[i] = A[i * size + i];
        inverse[p] = reciprocal(graph, A[p * size + p]);
        watch_pivot(graph, before[p], A[p * size + p], inverse[p], shrinkage);
        for (int i = p + 1; i < size; i++) {
            if (!A[i * size + p]) continue;
            const sal_node l = mul(graph, A[i * size + p], inverse[p]);
            for (int j = p + 1; j <= i; j++)
                A[i * size + j] = sub(graph, A[i * size + j], mul(graph, l, A[j * size + p]));
        }
        for (int i = p + 1; i < size; i++)
            A[i * size + p] = mul(graph, A[i * size + p], inverse[p]);
    }
}

/* L D L' x = b in place. */
static void substitute(sal_graph *graph, int size, const sal_node *L, const sal_node *inverse,
                       sal_node *x)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++) x[i] = sub(graph, x[i], mul(graph, L[i * size + j], x[j]));
    for (int i = 0; i < size; i++) x[i] = mul(graph, x[i], inverse[i]);
    for (int i = size - 1; i >= 0; i--)
        for (int j = i + 1; j < size; j++)
            x[i] = sub(graph, x[i], mul(graph, L[j * size + i], x[j]));
}

/* ---- elimination ---------------------------------------------------------------------------- */

/* Whether an unknown may be eliminated: for a constraint, all of its coordinates must be. */
static bool is_ready(const sal_solve *s, const unsigned char *done, int i)
{
    for (int j = 0; i >= s->n && j < s->n; j++)
        if (!done[j] && entry(s, i, j)) return false;
    return true;
}

static int neighbours(const unsigned char *linked, const unsigned char *done, int size, int i)
{
    int count = 0;
    for (int j = 0; j < size; j++) count += j != i && !done[j] && linked[i * size + j];
    return count;
}

/* Whether an unknown may be eliminated at this position: in Schur's way coordinates come first. */
static bool is_due(const sal_solve *s, const unsigned char *done, int i, int position)
{
    if (s->way == SAL_SCHUR && i >= s->n) return position >= s->n;
    return is_ready(s, done, i);
}

/* Finds the order of elimination: always the permitted unknown with the fewest neighbours among
 * those left. False: some coordinate has no mass, or out of memory. */
static bool find_order(sal_solve *s, sal_arena *arena)
{
    const int      size = s->n + s->m;
    unsigned char *linked = ARENA_NEW(arena, size * size, unsigned char);
    unsigned char *done = ARENA_NEW(arena, size, unsigned char);
    s->order = ARENA_NEW(arena, size, int);
    if (arena->failed) return false;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) linked[i * size + j] = entry(s, i, j) != 0;
    for (int k = 0; k < size; k++) {
        int best = -1, fewest = size;
        for (int i = 0; i < size; i++) {
            if (done[i] || !is_due(s, done, i, k)) continue;
            const int count = neighbours(linked, done, size, i);
            if (best >= 0 && count >= fewest) continue;
            best = i;
            fewest = count;
        }
        if (best < 0 || (best < s->n && !entry(s, best, best)))
            return false; /* a coordinate without mass */
        s->order[k] = best;
        done[best] = 1;
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                if (linked[best * size + i] && linked[best * size + j]) linked[i * size + j] = 1;
    }
    return true;
}

/* Notes which numbers must be positive: reciprocals of pivots, except those of late rows. False if
 * a constant is not positive, or when out of memory. */
static bool note_positive(sal_solve *s, const sal_node *inverse, const unsigned char *late,
                          int count, sal_arena *arena)
{
    double value;
    s->positive = ARENA_NEW(arena, count, sal_node);
    if (arena->failed) return false;
    for (int i = 0; i < count; i++) {
        if (late && late[i]) continue;
        if (!sal_is_const(s->graph, inverse[i], &value)) s->positive[s->positives++] = inverse[i];
        else if (!(value > 0.0)) return false;
    }
    return true;
}

static bool plan_elimination(sal_solve *s, sal_arena *arena)
{
    const int      size = s->n + s->m;
    unsigned char *late = ARENA_NEW(arena, size, unsigned char);
    sal_node      *before = ARENA_NEW(arena, size, sal_node);
    s->lower = ARENA_NEW(arena, size * size, sal_node);
    s->inverse = ARENA_NEW(arena, size, sal_node);
    if (arena->failed || !find_order(s, arena)) return false;
    for (int i = 0; i < size; i++) late[i] = s->order[i] >= s->n;
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++) s->lower[i * size + j] = entry(s, s->order[i], s->order[j]);
    factor(s->graph, size, s->lower, s->inverse, late, before, &s->monitor);
    for (int i = 0; i < size; i++)
        if (late[i]) s->pivot[s->pivots++] = s->lower[i * size + i];
    return note_positive(s, s->inverse, late, size, arena);
}

/* ---- null space ----------------------------------------------------------------------------- */

typedef struct matching {
    const sal_solve *s;
    int             *column_of, *row_of; /* by constraint: its coordinate; by coordinate: its row */
    unsigned char   *seen, *allowed;
} matching;

static bool augment(matching *m, int row)
{
    for (int c = 0; c < m->s->n; c++) {
        if (!m->allowed[c] || m->seen[c] || !entry(m->s, m->s->n + row, c)) continue;
        m->seen[c] = 1;
        if (m->row_of[c] >= 0 && !augment(m, m->row_of[c])) continue;
        m->row_of[c] = row;
        m->column_of[row] = c;
        return true;
    }
    return false;
}

/* Chooses dependent coordinates that can all be matched with constraints, preferred ones first. */
static bool choose_dependent(const sal_solve *s, const int *prefer, int *column_of,
                             sal_arena *arena)
{
    matching m = {s, column_of, ARENA_NEW(arena, s->n, int), ARENA_NEW(arena, s->n, unsigned char),
                  ARENA_NEW(arena, s->n, unsigned char)};
    int      highest = 0, found = 0;
    if (arena->failed) return false;
    for (int i = 0; i < s->n; i++) {
        m.row_of[i] = -1;
        highest = prefer[i] > highest ? prefer[i] : highest;
    }
    for (int j = 0; j < s->m; j++) column_of[j] = -1;
    for (int r = highest; r >= 0 && found < s->m; r--)
        for (int c = s->n - 1; c >= 0 && found < s->m; c--) {
            if (prefer[c] != r) continue;
            m.allowed[c] = 1;
            for (int j = 0; j < s->m; j++) {
                if (column_of[j] >= 0) continue;
                memset(m.seen, 0, (size_t)s->n);
                if (augment(&m, j)) {
                    found++;
                    break;
                }
            }
        }
    return found == s->m;
}

/* Strongly connected components of the constraints (Tarjan), where constraint a needs b if a
 * contains the dependent coordinate of b. Each component comes after those that it needs. */
typedef struct components {
    const sal_solve *s;
    const int       *column_of;
    int             *number, *low, *stack;
    int              count, top;
    sal_solve       *out;
    int              placed;
} components;

static void visit(components *c, int row)
{
    const int begin = c->top;
    c->number[row] = c->low[row] = ++c->count;
    c->stack[c->top++] = row;
    for (int other = 0; other < c->s->m; other++) {
        if (other == row || !entry(c->s, c->s->n + row, c->column_of[other])) continue;
        if (c->number[other] == 0) visit(c, other);
        if (c->number[other] > 0 && c->low[other] < c->low[row]) c->low[row] = c->low[other];
    }
    if (c->low[row] != c->number[row]) return;
    c->out->block[c->out->blocks++] = c->placed;
    for (int i = begin; i < c->top; i++) {
        const int member = c->stack[i];
        c->number[member] = c->low[member] = 1 << 30; /* done */
        c->out->row[c->placed] = member;
        c->out->dependent[c->placed++] = c->column_of[member];
    }
    c->top = begin;
}

static bool find_blocks(sal_solve *s, const int *column_of, sal_arena *arena)
{
    components c = {.s = s,
                    .column_of = column_of,
                    .number = ARENA_NEW(arena, s->m, int),
                    .low = ARENA_NEW(arena, s->m, int),
                    .stack = ARENA_NEW(arena, s->m, int),
                    .out = s};
    s->block = ARENA_NEW(arena, s->m + 1, int);
    s->row = ARENA_NEW(arena, s->m, int);
    s->dependent = ARENA_NEW(arena, s->m, int);
    if (arena->failed) return false;
    for (int j = 0; j < s->m; j++)
        if (c.number[j] == 0) visit(&c, j);
    s->block[s->blocks] = s->m;
    for (int b = 0; b < s->blocks; b++)
        if (s->block[b + 1] - s->block[b] > 2) return false;
    return true;
}

/* The entry of J_D at two places. */
static sal_node at_places(const sal_solve *s, int i, int j)
{
    return entry(s, s->n + s->row[i], s->dependent[j]);
}

static void invert_blocks(sal_solve *s)
{
    sal_graph *graph = s->graph;
    for (int b = 0; b < s->blocks; b++) {
        const int p = s->block[b];
        sal_node *inverse = s->block_inverse + 4 * p;
        if (s->block[b + 1] - p == 1) {
            inverse[0] = reciprocal(graph, at_places(s, p, p));
            s->pivot[s->pivots++] = at_places(s, p, p);
            continue;
        }
        const sal_node a = at_places(s, p, p), d = at_places(s, p + 1, p + 1);
        const sal_node u = at_places(s, p, p + 1), l = at_places(s, p + 1, p);
        const sal_node whole = sub(graph, mul(graph, a, d), mul(graph, u, l));
        const sal_node det = reciprocal(graph, whole);
        s->pivot[s->pivots++] = whole;
        inverse[0] = mul(graph, d, det);
        inverse[1] = sub(graph, 0, mul(graph, u, det));
        inverse[2] = sub(graph, 0, mul(graph, l, det));
        inverse[3] = mul(graph, a, det);
    }
}

/* Multiplies x by the inverse of one block, or by the transpose of that inverse, in place. */
static void apply_block(const sal_solve *s, int b, bool transposed, sal_node *x)
{
    const int       p = s->block[b];
    const sal_node *inverse = s->block_inverse + 4 * p;
    sal_graph      *graph = s->graph;
    if (s->block[b + 1] - p == 1) {
        x[p] = mul(graph, inverse[0], x[p]);
        return;
    }
    const sal_node first = x[p], second = x[p + 1];
    const sal_node across = transposed ? inverse[2] : inverse[1];
    const sal_node back = transposed ? inverse[1] : inverse[2];
    x[p] = add(graph, mul(graph, inverse[0], first), mul(graph, across, second));
    x[p + 1] = add(graph, mul(graph, back, first), mul(graph, inverse[3], second));
}

/* Solves J_D x = b in place; x is indexed by place. */
static void solve_dependent(const sal_solve *s, sal_node *x)
{
    for (int b = 0; b < s->blocks; b++) {
        for (int i = s->block[b]; i < s->block[b + 1]; i++)
            for (int j = 0; j < s->block[b]; j++)
                x[i] = sub(s->graph, x[i], mul(s->graph, at_places(s, i, j), x[j]));
        apply_block(s, b, false, x);
    }
}

/* Solves J_D^T x = b in place; x is indexed by place. */
static void solve_transposed(const sal_solve *s, sal_node *x)
{
    for (int b = s->blocks - 1; b >= 0; b--) {
        for (int j = s->block[b]; j < s->block[b + 1]; j++)
            for (int i = s->block[b + 1]; i < s->m; i++)
                x[j] = sub(s->graph, x[j], mul(s->graph, at_places(s, i, j), x[i]));
        apply_block(s, b, true, x);
    }
}

/* Row i of M times the motion in which freedom f moves by one: an entry of column f of M [1; R]. */
static sal_node mass_times_mode(const sal_solve *s, int i, int f)
{
    const int freedoms = s->n - s->m;
    sal_node  sum = entry(s, i, s->independent[f]);
    for (int k = 0; k < s->m; k++)
        sum = add(s->graph, sum,
                  mul(s->graph, entry(s, i, s->dependent[k]), s->ratio[k * freedoms + f]));
    return sum;
}

static void write_modes(sal_solve *s, sal_node *column)
{
    const int freedoms = s->n - s->m;
    for (int f = 0; f < freedoms; f++) {
        for (int k = 0; k < s->m; k++)
            column[k] = sub(s->graph, 0, entry(s, s->n + s->row[k], s->independent[f]));
        solve_dependent(s, column);
        for (int k = 0; k < s->m; k++) s->ratio[k * freedoms + f] = column[k];
    }
}

/* H = [1; R]^T M [1; R] */
static void reduce_by_modes(sal_solve *s)
{
    const int  freedoms = s->n - s->m;
    sal_graph *graph = s->graph;
    for (int f = 0; f < freedoms; f++)
        for (int g = 0; g <= f; g++) {
            sal_node sum = mass_times_mode(s, s->independent[f], g);
            for (int k = 0; k < s->m; k++)
                sum = add(
                    graph, sum,
                    mul(graph, s->ratio[k * freedoms + f], mass_times_mode(s, s->dependent[k], g)));
            s->reduced[f * freedoms + g] = sum;
        }
}

/* Adds H_ii / M_ii to the monitor: it is large where velocity ratios are large. */
static void watch_ratios(sal_solve *s)
{
    const int  freedoms = s->n - s->m;
    sal_graph *graph = s->graph;
    for (int f = 0; f < freedoms; f++) {
        const sal_node mass = entry(s, s->independent[f], s->independent[f]);
        if (mass)
            s->monitor = add(graph, s->monitor,
                             mul(graph, s->reduced[f * freedoms + f], reciprocal(graph, mass)));
    }
}

/* Inverts H of two freedoms with a single division, so that no division waits for another. */
static bool invert_two(sal_solve *s, sal_arena *arena)
{
    sal_graph     *graph = s->graph;
    sal_node      *H = s->reduced;
    const sal_node first = H[0], second = H[3];
    if (!first || !second) return false;
    const sal_node det = sub(graph, mul(graph, first, second), mul(graph, H[2], H[2]));
    const sal_node inverse = reciprocal(graph, det);
    H[0] = mul(graph, second, inverse);
    H[2] = sub(graph, 0, mul(graph, H[2], inverse));
    H[3] = mul(graph, first, inverse);
    if (H[2]) s->monitor = add(graph, s->monitor, size(graph, mul(graph, second, H[3])));
    const sal_node positive[2] = {first, inverse};
    return note_positive(s, positive, NULL, 2, arena);
}

static bool factor_reduced(sal_solve *s, sal_node *before, sal_arena *arena)
{
    const int freedoms = s->n - s->m;
    watch_ratios(s);
    if (freedoms == 2) return invert_two(s, arena);
    factor(s->graph, freedoms, s->reduced, s->reduced_inverse, NULL, before, &s->monitor);
    return note_positive(s, s->reduced_inverse, NULL, freedoms, arena);
}

/* Solves H x = b in place. */
static void solve_reduced(const sal_solve *s, sal_node *x)
{
    const int  freedoms = s->n - s->m;
    sal_graph *graph = s->graph;
    if (freedoms != 2) {
        substitute(graph, freedoms, s->reduced, s->reduced_inverse, x);
        return;
    }
    const sal_node *inverse = s->reduced, first = x[0], second = x[1];
    x[0] = add(graph, mul(graph, inverse[0], first), mul(graph, inverse[2], second));
    x[1] = add(graph, mul(graph, inverse[2], first), mul(graph, inverse[3], second));
}

static bool plan_null_space(sal_solve *s, const int *prefer, sal_arena *arena)
{
    const int freedoms = s->n - s->m;
    int      *column_of = ARENA_NEW(arena, s->m, int), count = 0;
    sal_node *column = ARENA_NEW(arena, s->n, sal_node);
    s->independent = ARENA_NEW(arena, s->n, int);
    s->block_inverse = ARENA_NEW(arena, 4 * s->m, sal_node);
    if (arena->failed || s->m == 0 || freedoms <= 0) return false;
    s->ratio = ARENA_NEW(arena, s->m * freedoms, sal_node);
    s->reduced = ARENA_NEW(arena, freedoms * freedoms, sal_node);
    s->reduced_inverse = ARENA_NEW(arena, freedoms, sal_node);
    if (!choose_dependent(s, prefer, column_of, arena) || !find_blocks(s, column_of, arena) ||
        arena->failed)
        return false;
    for (int i = 0; i < s->n; i++) {
        bool dependent = false;
        for (int k = 0; k < s->m; k++) dependent = dependent || s->dependent[k] == i;
        if (!dependent) s->independent[count++] = i;
    }
    invert_blocks(s);
    write_modes(s, column);
    reduce_by_modes(s);
    return factor_reduced(s, column, arena);
}

/* ---- all ways ------------------------------------------------------------------------------- */

bool sal_solve_plan(sal_solve *solve, sal_solve_way way, sal_graph *graph, int n, int m,
                    sal_node *matrix, const int *prefer, sal_arena *arena)
{
    *solve = (sal_solve){.graph = graph, .way = way, .n = n, .m = m, .matrix = matrix};
    solve->pivot = ARENA_NEW(arena, m, sal_node);
    if (arena->failed) return false;
    const bool ok = way < SAL_NULL_SPACE ? plan_elimination(solve, arena)
                                         : plan_null_space(solve, prefer, arena);
    return ok && !graph->failed && !arena->failed;
}

static void write_elimination(const sal_solve *s, const sal_node *b, sal_node *x, sal_node *work)
{
    const int size = s->n + s->m;
    for (int i = 0; i < size; i++) work[i] = b[s->order[i]];
    substitute(s->graph, size, s->lower, s->inverse, work);
    for (int i = 0; i < size; i++) x[s->order[i]] = work[i];
}

/* Computes the forces on the freedoms from those on all coordinates: a = [1; R]^T force. */
static void reduce_forces(const sal_solve *s, const sal_node *force, sal_node *a)
{
    const int  freedoms = s->n - s->m;
    sal_graph *graph = s->graph;
    for (int f = 0; f < freedoms; f++) a[f] = force[s->independent[f]];
    for (int k = 0; k < s->m; k++)
        for (int f = 0; f < freedoms; f++)
            a[f] = add(graph, a[f], mul(graph, s->ratio[k * freedoms + f], force[s->dependent[k]]));
}

/* Adds the motion of the dependent coordinates that follows from the freedoms: moved += R a. */
static void move_dependent(const sal_solve *s, const sal_node *a, sal_node *moved)
{
    const int  freedoms = s->n - s->m;
    sal_graph *graph = s->graph;
    for (int k = 0; k < s->m; k++)
        for (int f = 0; f < freedoms; f++)
            moved[k] = add(graph, moved[k], mul(graph, s->ratio[k * freedoms + f], a[f]));
}

/* Solves M a + J^T mu = F, J a = c by a = [1; R] a_I + [0; s] with J_D s = c. */
static void write_null_space(const sal_solve *s, const sal_node *b, sal_node *x, sal_node *work)
{
    const int  n = s->n, m = s->m, freedoms = n - m;
    sal_graph *graph = s->graph;
    sal_node  *shift = work, *force = work + m, *a = work + m + n;
    for (int k = 0; k < m; k++) shift[k] = b[n + s->row[k]];
    solve_dependent(s, shift);
    for (int i = 0; i < n; i++) { /* F - M [0; s] */
        force[i] = b[i];
        for (int k = 0; k < m; k++)
            force[i] = sub(graph, force[i], mul(graph, entry(s, i, s->dependent[k]), shift[k]));
    }
    reduce_forces(s, force, a);
    solve_reduced(s, a);
    move_dependent(s, a, shift);
    for (int f = 0; f < freedoms; f++) x[s->independent[f]] = a[f];
    for (int k = 0; k < m; k++) x[s->dependent[k]] = shift[k];
    for (int k = 0; k < m; k++) { /* J_D^T mu = F_D - (M a)_D */
        sal_node left = b[s->dependent[k]];
        for (int i = 0; i < n; i++)
            left = sub(graph, left, mul(graph, entry(s, s->dependent[k], i), x[i]));
        shift[k] = left;
    }
    solve_transposed(s, shift);
    for (int k = 0; k < m; k++) x[n + s->row[k]] = shift[k];
}

void sal_solve_write(const sal_solve *solve, const sal_node *b, sal_node *x, sal_arena *scratch)
{
    sal_node *work = ARENA_NEW(scratch, 3 * (solve->n + solve->m), sal_node);
    if (!work) return;
    if (solve->way < SAL_NULL_SPACE) write_elimination(solve, b, x, work);
    else write_null_space(solve, b, x, work);
}
