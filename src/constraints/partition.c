/* Chooses dependent coordinates and the constraints that are needed, by elimination; solves for
 * dependent positions, by Newton's method, and velocities, with tangent and adjoint. See
 * partition.h. */
#include "constraints/partition.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/lu.h"

enum { ITERATIONS = 60, SMALL = 24 };

static bool is_small(const sal_partition *p) { return p->active <= SMALL; }

bool sal_partition_init(sal_partition *p, const saltus_system *system, bool positions,
                        int max_lanes, sal_arena *arena)
{
    const int n = system->n, m = system->nmu;
    *p = (sal_partition){.system = system, .allocator = arena->allocator, .positions = positions};
    if (m == 0) return true;
    p->capacity = system->form == SAL_SPARSE ? system->matrix_size : m * n;
    p->constraint = ARENA_NEW(arena, m, int);
    p->redundant = ARENA_NEW(arena, m, unsigned char);
    p->dependent = ARENA_NEW(arena, n, int);
    p->noted = ARENA_NEW(arena, n, int);
    p->start = ARENA_NEW(arena, m + 1, int);
    p->column = ARENA_NEW(arena, p->capacity, int);
    p->value = ARENA_NEW(arena, p->capacity, double);
    p->begin = ARENA_NEW(arena, m + 1, int);
    p->row = ARENA_NEW(arena, p->capacity, int);
    p->place = ARENA_NEW(arena, p->capacity, int);
    p->square = ARENA_NEW(arena, p->capacity, double);
    p->rows = ARENA_NEW(arena, m, sal_sparse_row);
    p->touching = ARENA_NEW(arena, n, sal_int_list);
    p->rhs = ARENA_NEW(arena, m * max_lanes, double);
    p->scratch = ARENA_NEW(arena, m * max_lanes, double);
    p->values = ARENA_NEW(arena, m * max_lanes, double);
    p->trial = ARENA_NEW(arena, 2 * n, double);
    const int few = m < SMALL ? m : SMALL;
    p->small = ARENA_NEW(arena, few * few, double);
    p->exchanged = ARENA_NEW(arena, few, int);
    p->at = ARENA_NEW(arena, 1 + n + system->nm, double);
    return !arena->failed;
}

void sal_partition_release(sal_partition *p)
{
    sal_sparse_free(&p->factor);
    sal_sparse_release(&p->pattern);
    ARRAY_RELEASE(&p->allocator, &p->merged);
    for (int j = 0; p->rows && j < p->system->nmu; j++) ARRAY_RELEASE(&p->allocator, &p->rows[j]);
    for (int i = 0; p->touching && i < p->system->n; i++)
        ARRAY_RELEASE(&p->allocator, &p->touching[i]);
}

/* ---- gradients ------------------------------------------------------------------------------ */

/* Copies the entries of a row that belong to coordinates; columns NULL: 0, 1, ... Zeros are left
 * out unless `all` is set. Returns the number of copied entries. */
static int copy_row(const double *row, const int *columns, int count, int n, bool all, int *column,
                    double *value)
{
    int filled = 0;
    for (int e = 0; e < count; e++) {
        const int c = columns ? columns[e] : e;
        if (c >= n) break;
        if (!all && row[e] == 0.0) continue;
        column[filled] = c;
        value[filled++] = row[e];
    }
    return filled;
}

/* Evaluates Phi_q of the constraints in use by its own kernel. False: there is none. */
static bool copy_gradients(sal_partition *p, sal_field *field)
{
    const int    *start = field->regime->phi_q_start, *column = field->regime->phi_q_column;
    const double *value = sal_field_phi_q(field);
    int           filled = 0;
    if (!value) return false;
    for (int k = 0; k < p->active; k++) {
        const int j = p->constraint[k], count = start[j + 1] - start[j];
        memcpy(p->column + filled, column + start[j], (size_t)count * sizeof *column);
        sal_copy(p->value + filled, value + start[j], count);
        p->start[k] = filled;
        filled += count;
    }
    p->start[p->active] = filled;
    return true;
}

/* Evaluates Phi_q of the constraints in use, by its own kernel or, without one, as a part of the
 * matrix of the equations of motion. */
static void evaluate_gradients(sal_partition *p, sal_field *field)
{
    const int n = p->system->n;
    int       filled = 0;
    if (copy_gradients(p, field)) return;
    const double *entries = sal_field_matrix(field);
    for (int k = 0; k < p->active; k++) {
        const int *columns;
        int        count;
        const int  first =
            sal_symmetric_row(&field->regime->shape, n + p->constraint[k], &count, &columns);
        p->start[k] = filled;
        filled += copy_row(entries + first, columns, count, n, !is_small(p), p->column + filled,
                           p->value + filled);
    }
    p->start[p->active] = filled;
}

void sal_partition_forget(sal_partition *p) { p->seen = NULL; }

/* Whether gradients were evaluated at the state in the field. */
static bool same_place(const sal_partition *p, const sal_field *field)
{
    const double *q = p->at + 1, *c = q + p->system->n;
    return p->seen == field->regime && p->at[0] == *sal_u(field, SAL_LEAF_T) &&
           memcmp(q, sal_u(field, SAL_LEAF_Q), (size_t)p->system->n * sizeof *q) == 0 &&
           memcmp(c, sal_u(field, SAL_LEAF_C), (size_t)p->system->nm * sizeof *c) == 0;
}

/* Evaluates gradients at the state in the field, and notes this state. */
static void go_there(sal_partition *p, sal_field *field)
{
    double *q = p->at + 1, *c = q + p->system->n;
    evaluate_gradients(p, field);
    p->seen = field->regime;
    p->at[0] = *sal_u(field, SAL_LEAF_T);
    sal_copy(q, sal_u(field, SAL_LEAF_Q), p->system->n);
    sal_copy(c, sal_u(field, SAL_LEAF_C), p->system->nm);
}

static void list_active(sal_partition *p, const sal_regime *regime)
{
    p->active = 0;
    for (int j = 0; j < p->system->nmu; j++)
        if (regime->on[j] && !p->redundant[j] &&
            !(p->positions && p->system->model->constraints.data[j].velocity))
            p->constraint[p->active++] = j;
}

/* ---- elimination ---------------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

/* Loads the rows of the elimination with gradients, each scaled so that its largest entry is 1. */
static bool load_rows(sal_partition *p)
{
    for (int i = 0; i < p->system->n; i++) p->touching[i].count = 0;
    for (int k = 0; k < p->active; k++) {
        const int       first = p->start[k], end = p->start[k + 1];
        sal_sparse_row *row = &p->rows[k];
        double          largest = 0.0;
        for (int e = first; e < end; e++) largest = larger(fabs(p->value[e]), largest);
        row->count = 0;
        if (!ARRAY_RESERVE(&p->allocator, row, end - first)) return false;
        for (int e = first; e < end; e++) {
            const sal_entry entry = {p->column[e], p->value[e] / largest};
            if (!(fabs(p->value[e]) > 0.0)) continue;
            row->data[row->count++] = entry;
            if (!ARRAY_PUSH(&p->allocator, &p->touching[entry.column], k)) return false;
        }
    }
    return true;
}

static double entry_of(const sal_sparse_row *row, int column)
{
    int low = 0, high = row->count - 1;
    while (low <= high) {
        const int middle = low + (high - low) / 2;
        if (row->data[middle].column == column) return row->data[middle].value;
        if (row->data[middle].column < column) low = middle + 1;
        else high = middle - 1;
    }
    return 0.0;
}

/* row k -= f * row pivot */
static bool subtract_row(sal_partition *p, int k, double f, int pivot)
{
    const sal_sparse_row *a = &p->rows[k], *b = &p->rows[pivot];
    sal_sparse_row       *sum = &p->merged;
    sum->count = 0;
    if (!ARRAY_RESERVE(&p->allocator, sum, a->count + b->count)) return false;
    for (int i = 0, j = 0; i < a->count || j < b->count;) {
        const int ca = i < a->count ? a->data[i].column : p->system->n;
        const int cb = j < b->count ? b->data[j].column : p->system->n;
        sal_entry entry = {ca < cb ? ca : cb, 0.0};
        if (ca <= cb) entry.value += a->data[i++].value;
        if (cb <= ca) entry.value -= f * b->data[j++].value;
        sum->data[sum->count++] = entry;
        if (cb < ca && !ARRAY_PUSH(&p->allocator, &p->touching[cb], k)) return false;
    }
    const sal_sparse_row swap = p->rows[k];
    p->rows[k] = p->merged;
    p->merged = swap;
    return true;
}

/* The priority of a constraint among those that depend on each other. Sticking contacts may share
 * their friction, but without the constraint of a rod or a gap positions would drift. */
static double worth(const sal_partition *p, int k)
{
    const sal_constraint *constraint = &p->system->model->constraints.data[p->constraint[k]];
    return constraint->velocity && constraint->found ? 1e-3 : 1.0;
}

/* The row without a pivot that has the largest entry in the column, or -1. */
static int pivot_row(const sal_partition *p, int column, double fair)
{
    const sal_int_list *touching = &p->touching[column];
    double              largest = 0.0;
    int                 best = -1;
    for (int i = 0; i < touching->count; i++) {
        const int    k = touching->data[i];
        const double entry =
            p->redundant[p->constraint[k]] ? fabs(entry_of(&p->rows[k], column)) : 0.0;
        const double size = entry > fair ? entry * worth(p, k) : 0.0;
        if (size < largest || size == 0.0 || (size == largest && k > best)) continue;
        largest = size;
        best = k;
    }
    return best;
}

static bool eliminate_column(sal_partition *p, int column, double fair, int *found)
{
    const int best = pivot_row(p, column, fair);
    if (best < 0) return true;
    const double pivot = entry_of(&p->rows[best], column);
    p->redundant[p->constraint[best]] = 0;
    p->dependent[column] = (*found)++;
    for (int i = 0; i < p->touching[column].count; i++) {
        const int    k = p->touching[column].data[i];
        const double f =
            p->redundant[p->constraint[k]] ? entry_of(&p->rows[k], column) / pivot : 0.0;
        if (f != 0.0 && !subtract_row(p, k, f, best)) return false;
    }
    return true;
}

/* Passes once over the columns without a pivot, in the order of rank. */
static bool sweep(sal_partition *p, const int *rank, int highest, double fair, int *found)
{
    for (int r = highest; r >= 0; r--)
        for (int c = p->system->n - 1; c >= 0 && *found < p->active; c--)
            if (rank[c] == r && p->dependent[c] < 0 && !eliminate_column(p, c, fair, found))
                return false;
    return true;
}

/* Gaussian elimination; a pivot must be at least `fair`. Rows without a pivot are tried again with
 * a smaller bound, but pivots that were found stay: redundant constraints must not spoil the choice
 * of the other pivots. Rows that never get a pivot are redundant. Returns their number, or -1 when
 * out of memory. */
static int eliminate(sal_partition *p, const int *rank, double fair)
{
    const int n = p->system->n;
    int       found = 0, highest = 0;
    if (!load_rows(p)) return -1;
    for (int i = 0; i < n; i++) p->dependent[i] = -1;
    for (int k = 0; k < p->active; k++) p->redundant[p->constraint[k]] = 1;
    for (int i = 0; i < n; i++) highest = rank[i] > highest ? rank[i] : highest;
    if (!sweep(p, rank, highest, fair, &found)) return -1;
    while (found < p->active && fair > SAL_PARTITION_STRICT) {
        fair = fmax(1e-2 * fair, SAL_PARTITION_STRICT);
        if (!sweep(p, rank, highest, fair, &found)) return -1;
    }
    return p->active - found;
}

/* ---- Phi_qD --------------------------------------------------------------------------------- */

/* Finds the pattern of Phi_qD by columns, and its fill-reducing order. */
static bool find_pattern(sal_partition *p)
{
    const int m = p->active;
    if (is_small(p)) return true;
    sal_sparse_free(&p->factor);
    sal_sparse_release(&p->pattern);
    memset(p->begin, 0, (size_t)(m + 1) * sizeof *p->begin);
    for (int e = 0; e < p->start[m]; e++)
        if (p->dependent[p->column[e]] >= 0) p->begin[p->dependent[p->column[e]] + 1]++;
    for (int d = 0; d < m; d++) p->begin[d + 1] += p->begin[d];
    for (int k = m - 1; k >= 0; k--) /* backward: each `begin` ends at its first entry */
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            const int d = p->dependent[p->column[e]];
            if (d < 0) continue;
            const int at = --p->begin[d + 1];
            p->row[at] = k;
            p->place[at] = e;
        }
    memmove(p->begin, p->begin + 1, (size_t)m * sizeof *p->begin);
    p->begin[m] = 0;
    for (int e = 0; e < p->start[m]; e++) p->begin[m] += p->dependent[p->column[e]] >= 0;
    return sal_sparse_init(&p->pattern, m, p->begin, p->row);
}

int sal_partition_choose(sal_partition *p, sal_field *field, const int *rank, double fair)
{
    if (!p->complete || !same_place(p, field)) {
        memset(p->redundant, 0, (size_t)p->system->nmu);
        list_active(p, field->regime);
        go_there(p, field);
    }
    const int redundant = eliminate(p, rank, fair);
    p->complete = redundant == 0;
    p->factored = false;
    if (redundant > 0) {
        list_active(p, field->regime);
        evaluate_gradients(p, field);
    }
    return redundant < 0 || !find_pattern(p) ? -1 : redundant;
}

void sal_partition_note(sal_partition *p)
{
    p->noted_complete = p->complete;
    memcpy(p->noted, p->dependent, (size_t)p->system->n * sizeof *p->noted);
}

bool sal_partition_as_noted(const sal_partition *p)
{
    return p->complete && p->noted_complete &&
           memcmp(p->noted, p->dependent, (size_t)p->system->n * sizeof *p->noted) == 0;
}

static bool factor_small(sal_partition *p)
{
    const int m = p->active;
    sal_zero(p->small, m * m);
    for (int k = 0; k < m; k++)
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            const int d = p->dependent[p->column[e]];
            if (d >= 0) p->small[k * m + d] = p->value[e];
        }
    return sal_lu_factor(m, p->small, p->exchanged);
}

bool sal_partition_factor(sal_partition *p, sal_field *field)
{
    const bool same = same_place(p, field);
    if (same && p->factored) return true;
    if (!same) go_there(p, field);
    if (is_small(p)) return p->factored = factor_small(p);
    for (int i = 0; i < p->begin[p->active]; i++) p->square[i] = p->value[p->place[i]];
    return p->factored = sal_sparse_factor(&p->pattern, p->square, &p->factor) == 0;
}

static void solve(sal_partition *p, bool transposed, int lanes)
{
    if (is_small(p)) sal_lu_solve(p->active, p->small, p->exchanged, transposed, lanes, p->rhs);
    else sal_sparse_solve(&p->pattern, p->factor, transposed, lanes, p->rhs, p->scratch);
}

/* to = factor * from, in lanes. */
static void scale_lanes(double *to, double factor, const double *from, int lanes)
{
    for (int l = 0; l < lanes; l++) to[l] = factor * from[l];
}

/* to -= factor * from, in lanes. */
static void subtract_lanes(double *to, double factor, const double *from, int lanes)
{
    for (int l = 0; l < lanes; l++) to[l] -= factor * from[l];
}

/* Completes d: Phi_qD d_D = -values - Phi_qI d_I. */
static void solve_tangent(sal_partition *p, double *d, int lanes)
{
    const int *dependent = p->dependent, *column = p->column, *start = p->start;
    for (int k = 0; k < p->active; k++) {
        double *sum = p->rhs + k * lanes;
        scale_lanes(sum, -1.0, p->values + p->constraint[k] * lanes, lanes);
        for (int e = start[k]; e < start[k + 1]; e++)
            if (dependent[column[e]] < 0)
                subtract_lanes(sum, p->value[e], d + column[e] * lanes, lanes);
    }
    solve(p, false, lanes);
    for (int i = 0; i < p->system->n; i++)
        if (dependent[i] >= 0)
            scale_lanes(d + i * lanes, 1.0, p->rhs + dependent[i] * lanes, lanes);
}

/* Solves Phi_qD^T eta = bar_D; then bar_I -= Phi_qI^T eta, bar_D = 0, and values = -eta. */
static void solve_adjoint(sal_partition *p, double *bar, int lanes)
{
    const int *dependent = p->dependent, *column = p->column, *start = p->start;
    for (int i = 0; i < p->system->n; i++) {
        if (dependent[i] < 0) continue;
        double *from = bar + i * lanes, *to = p->rhs + dependent[i] * lanes;
        for (int l = 0; l < lanes; l++) {
            to[l] = from[l];
            from[l] = 0.0;
        }
    }
    solve(p, true, lanes);
    sal_zero(p->values, p->system->nmu * lanes);
    for (int k = 0; k < p->active; k++) {
        double *eta = p->rhs + k * lanes;
        scale_lanes(p->values + p->constraint[k] * lanes, -1.0, eta, lanes);
        for (int e = start[k]; e < start[k + 1]; e++)
            if (dependent[column[e]] < 0)
                subtract_lanes(bar + column[e] * lanes, p->value[e], eta, lanes);
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

static double worst_of(sal_partition *p, sal_field *field, int *which)
{
    double worst = 0.0;
    *which = p->constraint[0];
    sal_map_value(&p->system->phi, field->u, p->values, field->work);
    for (int j = 0; j < p->active; j++) {
        const double size = fabs(p->values[p->constraint[j]]);
        if (!(size <= worst)) {
            worst = size;
            *which = p->constraint[j];
        }
    }
    return worst;
}

static double largest_of(int n, const double *x)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* The size of positions: the largest magnitude, or 1 if all are zero. */
static double size_of(int n, const double *q)
{
    const double size = largest_of(n, q);
    return size > 0.0 ? size : 1.0;
}

/* Returns the largest violation in the map of the constraints in use, or of those left out. whole:
 * the size of positions or velocities, the scale of a constraint with slope 1. */
static sal_misfit worst_misfit(sal_partition *p, sal_field *field, const sal_map *map,
                               bool left_out, double whole)
{
    const double *entries = sal_field_matrix(field);
    sal_misfit    worst = {-1, 0.0, 0.0};
    sal_map_value(map, field->u, p->values, field->work);
    for (int j = 0; j < p->system->nmu; j++) {
        const double value = p->values[j];
        if (!field->regime->on[j] || p->redundant[j] != left_out) continue;
        const double part =
            value == 0.0 ? 0.0 : fabs(value) / (whole * sal_field_slope(field, entries, j));
        if (!(part <= worst.part)) worst = (sal_misfit){j, value, part}; /* NaN is worst */
    }
    return worst;
}

sal_misfit sal_partition_misfit(sal_partition *p, sal_field *field, bool left_out)
{
    const double size = size_of(p->system->n, sal_u(field, SAL_LEAF_Q));
    return worst_misfit(p, field, &p->system->phi, left_out, size);
}

sal_misfit sal_partition_rate_misfit(sal_partition *p, sal_field *field, double time)
{
    const int    n = p->system->n;
    const double size = size_of(n, sal_u(field, SAL_LEAF_Q));
    const double speed = 1e-3 * size / time + largest_of(n, sal_u(field, SAL_LEAF_V));
    return worst_misfit(p, field, &p->system->phi_dot, true, speed);
}

/* Takes one Newton step, with the constraints in values. Returns its size relative to the
 * positions.
 */
static double newton(sal_partition *p, sal_field *field, double *q)
{
    const int n = p->system->n;
    double    step = 0.0, size = 0.0;
    if (!sal_partition_factor(p, field)) return NAN;
    for (int k = 0; k < p->active; k++) p->rhs[k] = -p->values[p->constraint[k]];
    solve(p, false, 1);
    for (int i = 0; i < n; i++) {
        if (p->dependent[i] >= 0) {
            q[i] += p->rhs[p->dependent[i]];
            step = fmax(step, fabs(p->rhs[p->dependent[i]]));
        }
        size = fmax(size, fabs(q[i]));
    }
    return step / (size > 0.0 ? size : 1.0);
}

int sal_partition_positions(sal_partition *p, sal_field *field, double *q, double *residual)
{
    const int n = p->system->n;
    int       which;
    sal_copy(sal_u(field, SAL_LEAF_Q), q, n);
    *residual = worst_of(p, field, &which);
    for (int i = 0; i < ITERATIONS; i++) {
        const double step = newton(p, field, q);
        if (!isfinite(step)) return which;
        sal_copy(sal_u(field, SAL_LEAF_Q), q, n);
        *residual = worst_of(p, field, &which);
        if (step <= 4.0 * DBL_EPSILON) break;
    }
    double slope = 0.0, size = 1.0;
    for (int e = 0; e < p->start[p->active]; e++) slope = fmax(slope, fabs(p->value[e]));
    for (int i = 0; i < p->system->n; i++) size = fmax(size, fabs(q[i]));
    if (!(*residual <= 1e-9 * (1.0 + slope * size))) return which;
    return sal_partition_factor(p, field) ? -1 : which;
}

/* ---- velocities ----------------------------------------------------------------------------- */

bool sal_partition_velocities(sal_partition *p, sal_field *field, double *v)
{
    const saltus_system *system = p->system;
    const int            n = system->n;
    double              *at_v = sal_u(field, SAL_LEAF_V);
    if (!sal_partition_factor(p, field)) return false;
    sal_zero(at_v, n);
    sal_map_value(&system->phi_dot, field->u, p->values, field->work); /* Phi_t */
    solve_tangent(p, v, 1);
    sal_copy(at_v, v, n);
    return true;
}

/* ---- tangent and adjoint -------------------------------------------------------------------- */

static const sal_map *map_of(const sal_partition *p, int kind)
{
    return kind == SAL_LEAF_Q ? &p->system->phi : &p->system->phi_dot;
}

void sal_partition_tangent(sal_partition *p, sal_field *field, int kind, double *du, int lanes,
                           double *d)
{
    sal_zero(sal_lanes_at(p->system, du, lanes, kind), p->system->n * lanes);
    sal_map_tangent(map_of(p, kind), field->u, du, lanes, p->values, field->work);
    solve_tangent(p, d, lanes);
}

void sal_partition_adjoint(sal_partition *p, sal_field *field, int kind, double *bar, int lanes,
                           double *u_bar)
{
    solve_adjoint(p, bar, lanes);
    sal_map_adjoint(map_of(p, kind), field->u, p->values, lanes, u_bar, field->work);
    /* quantities of this kind are unknowns, not inputs */
    sal_zero(sal_lanes_at(p->system, u_bar, lanes, kind), p->system->n * lanes);
}

/* ---- rank ----------------------------------------------------------------------------------- */

/* Moves the independent coordinates by about `move` times the largest one, solves for the others,
 * and tests whether the constraints left out still hold. If they were singular in one position
 * only, their violation would be of second order in the move. noise: their violation without a
 * move. */
static bool hold_beside(sal_partition *p, sal_field *field, double move, double noise)
{
    const int n = p->system->n;
    double   *q = p->trial, *at_q = sal_u(field, SAL_LEAF_Q), size = 0.0, residual;
    sal_copy(p->trial + n, at_q, n);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(at_q[i]));
    sal_copy(q, at_q, n);
    for (int i = 0, independent = 0; i < n; i++)
        if (p->dependent[i] < 0)
            q[i] += move * (size > 0.0 ? size : 1.0) * sin(1.0 + 2.7 * independent++);
    bool hold = sal_partition_positions(p, field, q, &residual) < 0;
    hold = hold && sal_partition_misfit(p, field, true).part <= 1e-3 * move * move + noise;
    sal_copy(at_q, p->trial + n, n);
    return hold;
}

/* Whether only friction of sticking contacts is left out. It gives no equations of positions, and
 * the modes of contacts are determined again at every event. */
static bool only_friction(const sal_partition *p, const sal_regime *regime)
{
    for (int j = 0; j < p->system->nmu; j++) {
        const sal_constraint *constraint = &p->system->model->constraints.data[j];
        if (regime->on[j] && p->redundant[j] && !(constraint->velocity && constraint->found))
            return false;
    }
    return true;
}

/* Whether the constraints left out follow from the others also in other positions. Keeps the
 * field's positions. A mechanism far from the origin is small compared with its coordinates, and a
 * move may be too large for it: smaller ones are tried, too. */
static bool hold_nearby(sal_partition *p, sal_field *field)
{
    if (p->active == p->system->n || only_friction(p, field->regime)) return true;
    const double noise = 1e-14 + 10.0 * sal_partition_misfit(p, field, true).part;
    for (double move = 1e-3; move > 0.5e-5; move *= 0.1)
        if (hold_beside(p, field, move, noise)) return true;
    return false;
}

sal_rank sal_rank_find(sal_redundancy *redundancy, sal_partition *p, sal_field *field,
                       const int *rank, int *constraint)
{
    const int count = sal_partition_choose(p, field, rank, SAL_PARTITION_FAIR);
    if (count < 0) return SAL_RANK_MEMORY;
    if (count > 0) {
        *constraint = 0;
        while (!p->redundant[*constraint]) ++*constraint;
        if (!hold_nearby(p, field)) return SAL_RANK_SINGULAR;
    }
    if (!sal_redundancy_note(redundancy, field->regime, count > 0 ? p->redundant : NULL))
        return SAL_RANK_MEMORY;
    if (count > 0 || field->skip) sal_field_switch(field, field->regime);
    return count > 0 ? SAL_RANK_REDUNDANT : SAL_RANK_FULL;
}
