/* Arcs along which an expression stays at its limit: see arcs.h. */
#include "answer/arcs.h"

#include <math.h>

#include "base/status.h"
#include "run/run.h"

/* An expression is at its limit if the distance is below this part of its size. */
static const double NEAR = 1e-4;
/* Peaks that exceed the limit by less than this part of the expression's size belong to the arc. */
static const double ON = 1e-10;
/* PARTS: places of a piece at which the expression is evaluated, enough for the shapes that a piece
 * can have. */
enum { PARTS = 5, MAX_PLACES = 400 };

void sal_arcs_forget(sal_landscape *l) { l->places.count = 0; }

/* ---- places in a motion --------------------------------------------------------------------- */

/* A walk over the steps of the last simulation, by pieces: piece k ends at occurrence k. */
typedef struct walk {
    saltus_run *run;
    sal_frame   frame;
    long long   step;
} walk;

/* Where piece k begins and ends. */
static void ends_of(const saltus_run *run, int piece, double *from, double *to)
{
    const int count = run->history.occurrences.count;
    *from = piece > 0 ? run->history.occurrences.data[piece - 1].t : run->system->model->start;
    *to = piece < count ? run->history.occurrences.data[piece].t : run->outcome.info.t;
}

/* Makes a peak of the expression at a given part of a piece. The walk only moves forward. Returns
 * false if the piece has no length, does not exist, or on failure. */
static bool find_place(walk *w, int expression, int piece, double part, sal_peak *peak,
                       saltus_error *err)
{
    double from, to;
    if (piece > w->run->history.occurrences.count) return false;
    ends_of(w->run, piece, &from, &to);
    const double t = from + part * (to - from);
    if (!(to > from)) return false;
    for (; w->step < w->run->end.step; w->step++) {
        if (sal_run_frame(w->run, w->step, &w->frame, err) != SALTUS_OK) return false;
        if (w->frame.h > 0.0 && w->frame.t + w->frame.h + w->frame.delta >= t) break;
    }
    const double h = fmin(t - w->frame.t, w->frame.h);
    if (w->step == w->run->end.step || !(h > 0.0)) return false;
    *peak = (sal_peak){.place = SAL_PEAK_INSIDE, .t = t, .step = w->step, .h = h, .occurrence = -1};
    return sal_peaks_value(w->run, expression, peak, err) == SALTUS_OK;
}

saltus_status sal_arcs_read(sal_landscape *l, saltus_error *err)
{
    walk w = {.run = l->run};
    for (int i = 0; i < l->places.count; i++) {
        sal_arc_place *p = &l->places.data[i];
        if (i > 0 && l->places.data[i - 1].row != p->row) w.step = 0;
        p->is_there =
            find_place(&w, l->task->row[p->row].expression, p->piece, p->part, &p->peak, err);
        if (err->status) return err->status;
    }
    return SALTUS_OK;
}

/* ---- finding arcs --------------------------------------------------------------------------- */

static bool is_near(const sal_landscape *l, const sal_task_row *row, double value)
{
    const sal_peaks *all = &l->run->peaks[row->expression];
    const double     cost = l->cost[l->task->costs[row->cost]];
    return fabs(cost - all->best.value + value - row->bound) < NEAR * all->size;
}

/* Examines one piece; if it is an arc, its places are kept. Returns false on failure or if there is
 * no more room. */
static bool look_at(sal_landscape *l, walk *w, int row, int piece, saltus_error *err)
{
    const sal_task_row *r = &l->task->row[row];
    sal_peak            peak[PARTS];
    for (int i = 0; i < PARTS; i++)
        if (!find_place(w, r->expression, piece, (double)(i + 1) / PARTS, &peak[i], err) ||
            !is_near(l, r, peak[i].value))
            return !err->status;
    if (l->places.count + PARTS > MAX_PLACES) return false;
    for (int i = 0; i < PARTS; i++) {
        const sal_arc_place place = {
            .row = row, .piece = piece, .part = (double)(i + 1) / PARTS, .peak = peak[i]};
        if (!ARRAY_PUSH(&l->arena.allocator, &l->places, place)) return false;
    }
    return true;
}

/* Examines one piece and, if an arc begins there, adds the place where it begins: the end of the
 * previous piece. */
static bool begin_at(sal_landscape *l, walk *w, int row, int piece, saltus_error *err)
{
    const int     count = l->places.count;
    sal_arc_place start = {.row = row, .piece = piece - 1, .part = 1.0};
    walk          before = *w;
    if (!look_at(l, w, row, piece, err)) return false;
    if (l->places.count == count || piece == 0 ||
        (count > 0 && l->places.data[count - 1].row == row &&
         l->places.data[count - 1].piece == piece - 1))
        return true;
    before.step = before.step > 0 ? before.step - 1 : 0;
    if (!find_place(&before, l->task->row[row].expression, piece - 1, 1.0, &start.peak, err))
        return !err->status;
    if (!ARRAY_PUSH(&l->arena.allocator, &l->places, start)) return false;
    for (int i = l->places.count - 1; i > count; i--) l->places.data[i] = l->places.data[i - 1];
    l->places.data[count] = start;
    return true;
}

bool sal_arcs_find(sal_landscape *l)
{
    saltus_error err = {0};
    bool         is_complete = true;
    sal_arcs_forget(l);
    for (int k = 0; k < l->task->rows && is_complete; k++) {
        walk w = {.run = l->run};
        if (l->task->row[k].expression < 0 || l->task->row[k].peak > 0) continue;
        for (int piece = 0; piece <= l->run->history.occurrences.count && is_complete; piece++)
            is_complete = begin_at(l, &w, k, piece, &err);
    }
    if (!is_complete) sal_arcs_forget(l);
    return l->places.count > 0;
}

bool sal_arcs_have(const sal_landscape *l, const sal_task_row *row, const sal_peak *peak)
{
    const double cost = l->cost[l->task->costs[row->cost]];
    const double size = l->run->peaks[row->expression].size;
    const double room =
        row->sign * (cost - l->run->peaks[row->expression].best.value + peak->value - row->bound);
    if (room < -ON * size) return false;
    for (int i = 0; i < l->places.count; i++) {
        const sal_arc_place *p = &l->places.data[i];
        double               from, to;
        if (l->task->row[p->row].limit != row->limit ||
            p->piece > l->run->history.occurrences.count)
            continue;
        ends_of(l->run, p->piece, &from, &to);
        const double slack = 1e-9 * (to - from);
        if (p->part < 1.0 && peak->t >= from - slack && peak->t <= to + slack) return true;
    }
    return false;
}
