/* Decides where the rows of the stages of a step are, in our own memory or in that of the record,
 * and how the end of a step becomes the start of the next. */
#include <assert.h>
#include <string.h>

#include "motion/fast/vector_sums.h"
#include "motion/step.h"

sal_row_form sal_step_plain_form(int nx, int ng)
{
    return (sal_row_form){.x = 0, .k = nx, .g = 2 * nx, .size = 2 * nx + ng};
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The weights that are not zero. */
static sal_weights weights_of(const double *all, int count, sal_arena *arena)
{
    int    *index = ARENA_NEW(arena, count, int), kept = 0;
    double *value = ARENA_NEW(arena, count, double);
    if (arena->failed) return (sal_weights){0};
    for (int j = 0; j < count; j++) {
        if (all[j] == 0.0) continue;
        index[kept] = j;
        value[kept++] = all[j];
    }
    return (sal_weights){kept, index, value};
}

static bool find_ends(sal_step *step, sal_arena *arena)
{
    const sal_tableau *tableau = step->tableau;
    const int          s = tableau->stages;
    int               *at = ARENA_NEW(arena, s, int);
    double            *weights = ARENA_NEW(arena, 4 * s, double);
    int                kept = 0;
    if (arena->failed) return false;
    for (int j = 0; j < s; j++) {
        const double second = tableau->e_second ? tableau->e_second[j] : 0.0;
        if (tableau->b[j] == 0.0 && tableau->e_main[j] == 0.0 && second == 0.0) continue;
        at[kept] = j * step->form.size;
        weights[4 * kept] = tableau->b[j];
        weights[4 * kept + 1] = tableau->e_main[j];
        weights[4 * kept++ + 2] = second;
    }
    step->ends = (sal_end_weights){.terms = kept, .at = at, .weights = weights, .atol = step->atol};
    return true;
}

/* Lets the stages use the rows from `first` on. Our own rows are in a list already. */
static void put_rows(sal_step *step, double *first)
{
    const int which = first == step->own[0] ? 0 : first == step->own[1] ? 1 : 2;
    step->row = step->list[which];
    step->x0 = first + step->form.x;
    if (which < 2) return;
    const int stages = step->tableau->stages, size = step->form.size;
    for (int i = 0; i < stages; i++, first += size) step->row[i] = first;
}

/* Lists our own rows, of which there are two sets: the end of a step in one set is the first row of
 * the other, in which the next step continues. */
static void list_rows(sal_step *step)
{
    const size_t size = (size_t)step->form.size;
    for (int which = 0; which < 3; which++) {
        for (int i = 0; i <= step->tableau->stages_dense; i++)
            step->list[which][i] =
                step->own[i < step->tableau->stages && which == 1] + (size_t)i * size;
        if (sal_step_has_extra_end(step))
            step->list[which][step->tableau->end_stage] = step->own[which == 0 ? 1 : 0];
    }
    put_rows(step, step->own[0]);
}

static double *new_rows(sal_row_form form, int count, sal_arena *arena)
{
    const size_t size = (size_t)count * (size_t)form.size;
    double      *rows = ARENA_NEW(arena, size + SAL_ROW_ALIGNMENT, double);
    return rows ? rows + sal_step_offset(form) : NULL;
}

bool sal_step_init(sal_step *step, const sal_tableau *tableau, int nx, int ng, sal_row_form form,
                   sal_arena *arena)
{
    const int S = tableau->stages_dense;
    assert(S <= SAL_MAX_STAGES);
    *step = (sal_step){.tableau = tableau,
                       .nx = nx,
                       .ng = ng,
                       .form = form,
                       .filled = form.size,
                       .sums = &sal_vector_sums_get()->sums};
    step->moved = ARENA_NEW(arena, nx, double);
    step->z0 = ARENA_NEW(arena, ng, double);
    step->dz = ARENA_NEW(arena, ng, double);
    step->errors = ARENA_NEW(arena, 2 * ng, double);
    step->atol = ARENA_NEW(arena, nx + ng, double);
    step->own[0] = new_rows(form, S + 1, arena);
    step->own[1] = new_rows(form, tableau->stages, arena);
    for (int which = 0; which < 3; which++) step->list[which] = ARENA_NEW(arena, S + 1, double *);
    step->beta = ARENA_NEW(arena, S, double);
    step->chords = ARENA_NEW(arena, S * tableau->dense_degree, double);
    step->A = ARENA_NEW(arena, S, sal_weights);
    if (arena->failed) return false;
    list_rows(step);
    step->x1 = step->moved;
    for (int i = 0; i < S; i++) step->A[i] = weights_of(tableau->A + i * S, i, arena);
    sal_tableau_chords(tableau, step->chords);
    step->b = weights_of(tableau->b, tableau->stages, arena);
    step->e_main = weights_of(tableau->e_main, tableau->stages, arena);
    if (tableau->e_second) step->e_second = weights_of(tableau->e_second, tableau->stages, arena);
    return find_ends(step, arena) && !arena->failed;
}

/* ---- placing --------------------------------------------------------------------------------- */

void sal_step_place(sal_step *step, double *rows, double *next)
{
    double *from = step->row[0], *first = rows ? rows : from == step->own[1] ? from : step->own[0];
    if (first != from || step->row == step->list[2]) put_rows(step, first);
    if (first != from && step->computed > 0)
        memcpy(first, from, (size_t)step->filled * sizeof *first);
    if (rows && sal_step_has_extra_end(step))
        step->row[step->tableau->end_stage] = next ? next : step->own[0];
}

void sal_step_separate_rows(sal_step *step)
{
    if (step->row[0] == step->row[step->tableau->end_stage]) sal_step_place(step, NULL, NULL);
}

void sal_step_begin(sal_step *step, double t, const double *row, int count)
{
    put_rows(step, step->own[0]); /* other rows may belong to the previous step */
    memcpy(step->row[0], row, (size_t)count * sizeof *row);
    step->t = t;
    step->h = 0.0;
    step->computed = 1;
}

void sal_step_retain(sal_step *step, double *rows, double t, double h)
{
    put_rows(step, rows);
    if (sal_step_has_extra_end(step)) step->row[step->tableau->end_stage] = step->own[0];
    step->t = t;
    step->h = h;
    step->delta = 0.0;
    step->computed = step->tableau->stages;
    step->ended = step->sized = false;
}

void sal_step_advance(sal_step *step)
{
    const int end = step->tableau->end_stage;
    double   *last = step->row[end];
    step->t += step->h;
    if (!sal_step_has_extra_end(step)) {
        put_rows(step, step->own[0]); /* other rows may belong to the step just taken */
        memcpy(step->row[0], last, (size_t)step->filled * sizeof(double));
    } else if (last == step->own[0] || last == step->own[1]) put_rows(step, last);
    else step->row[0] = last; /* placing the next step sets the other rows */
    step->x0 = sal_step_x(step, 0);
    if (step->x1 == step->moved) memcpy(step->x0, step->x1, (size_t)step->nx * sizeof(double));
    for (int i = 0; i < step->ng; i++) step->z0[i] += step->dz[i];
    step->computed = 1;
}
