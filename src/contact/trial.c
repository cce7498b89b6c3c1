/* One set of modes: see trial.h. */
#include "contact/trial.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/ldl.h"

/* The rounding errors of a sum, relative to the sizes of its terms. */
static const double NOISE = 64 * DBL_EPSILON;

int sal_contact_direction(sal_contact_mode mode)
{
    return mode == SAL_CONTACT_SLIDE_PLUS ? 1 : mode == SAL_CONTACT_SLIDE_MINUS ? -1 : 0;
}

/* Whether the contact slips already: the direction of its slide is then that of its velocity, not
 * of its rate. */
static bool slips(const sal_contact_problem *problem, int c)
{
    return !problem->impact && problem->contact[c].tangent >= 0 && problem->contact[c].slip != 0.0;
}

bool sal_contact_takes_part(const sal_contact_problem *problem, int c)
{
    return !problem->impact || problem->contact[c].normal >= 0;
}

double sal_contact_target(const sal_contact_problem *problem, int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const double            *before = problem->before ? problem->before : problem->free_rates;
    return problem->impact ? -touch->restitution * before[touch->normal] : 0.0;
}

unsigned sal_contact_candidates(const sal_contact_problem *problem, int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    unsigned                 modes = touch->normal >= 0 ? SAL_CONTACT_OPEN : 0;
    if (touch->tangent < 0) modes |= SAL_CONTACT_CLOSED;
    else if (slips(problem, c))
        modes |= touch->slip > 0.0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
    else modes |= SAL_CONTACT_STICK | SAL_CONTACT_SLIDE_PLUS | SAL_CONTACT_SLIDE_MINUS;
    return modes & touch->allowed;
}

/* ---- the linear system of the closed rows --------------------------------------------------- */

static double entry(const sal_contact_problem *problem, int r, int s)
{
    return problem->D[r * problem->rows + s];
}

/* The tangential force of a slide, per unit of the normal force or, without a normal, as it is. */
static double sliding_force(const sal_contact_set *set, const sal_contact_problem *problem, int c,
                            sal_contact_onset onset)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const bool               begins = !slips(problem, c);
    const double             friction =
        onset == SAL_ONSET_STATIC && begins ? touch->mu_static : touch->mu_kinetic;
    return -sal_contact_direction(set->mode[c]) * friction;
}

/* Lists the rows whose rate is known and whose force is not. Returns their number. */
static int list_unknowns(sal_contact_set *set, const sal_contact_problem *problem)
{
    int n = 0;
    for (int c = 0; c < problem->contacts; c++) {
        const sal_contact_touch *touch = &problem->contact[c];
        if (set->mode[c] == SAL_CONTACT_OPEN || !sal_contact_takes_part(problem, c)) continue;
        if (touch->normal >= 0) set->unknown[n] = touch->normal, set->owner[n++] = c;
        if (set->mode[c] == SAL_CONTACT_STICK && !set->idle[c])
            set->unknown[n] = touch->tangent, set->owner[n++] = c;
    }
    return n;
}

/* Sets all forces to zero except the known ones, the friction on coordinates that slide. */
static void set_known_forces(sal_contact_set *set, const sal_contact_problem *problem,
                             sal_contact_onset onset)
{
    memset(set->trial.force, 0, sizeof(double) * (size_t)problem->rows);
    for (int c = 0; c < problem->contacts; c++) {
        const sal_contact_touch *touch = &problem->contact[c];
        if (touch->normal < 0 && sal_contact_takes_part(problem, c) &&
            sal_contact_direction(set->mode[c]))
            set->trial.force[touch->tangent] = sliding_force(set, problem, c, onset);
    }
}

/* The derivative of the rate of row r by an unknown force. A normal force includes the friction of
 * its slide. */
static double influence(const sal_contact_set *set, const sal_contact_problem *problem, int r,
                        int unknown, sal_contact_onset onset)
{
    const int                c = set->owner[unknown];
    const sal_contact_touch *touch = &problem->contact[c];
    double                   sum = entry(problem, r, set->unknown[unknown]);
    if (set->unknown[unknown] == touch->normal && sal_contact_direction(set->mode[c]))
        sum += sliding_force(set, problem, c, onset) * entry(problem, r, touch->tangent);
    return sum;
}

/* Assembles the scaled system A x = b. Returns the largest absolute value in A. */
static double assemble(sal_contact_set *set, const sal_contact_problem *problem, int n,
                       sal_contact_onset onset)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const int    r = set->unknown[i], c = set->owner[i];
        const double row_scale = set->scale[r];
        const bool   normal = r == problem->contact[c].normal;
        double       b = (normal ? sal_contact_target(problem, c) : 0.0) - problem->free_rates[r];
        double       size = fabs(problem->free_rates[r]);
        for (int s = 0; s < problem->rows; s++) {
            const double term = entry(problem, r, s) * set->trial.force[s];
            b -= term;
            size += fabs(term);
        }
        set->b[i] = row_scale * b;
        set->b_size[i] = row_scale * size;
        for (int j = 0; j < n; j++) {
            const double a =
                row_scale * influence(set, problem, r, j, onset) * set->scale[set->unknown[j]];
            set->A[i * n + j] = a;
            largest = fmax(largest, fabs(a));
        }
    }
    return largest;
}

static void swap(double *a, double *b)
{
    const double held = *a;
    *a = *b;
    *b = held;
}

/* Moves the largest remaining entry to the diagonal, by exchanges of rows and columns. Returns its
 * absolute value. */
static double bring_pivot(sal_contact_set *set, int n, int k)
{
    double *A = set->A;
    int     row = k, column = k;
    for (int i = k; i < n; i++)
        for (int j = k; j < n; j++)
            if (fabs(A[i * n + j]) > fabs(A[row * n + column])) row = i, column = j;
    for (int j = 0; row != k && j < n; j++) swap(&A[row * n + j], &A[k * n + j]);
    swap(&set->b[row], &set->b[k]);
    swap(&set->b_size[row], &set->b_size[k]);
    for (int i = 0; column != k && i < n; i++) swap(&A[i * n + column], &A[i * n + k]);
    const int held = set->column[column];
    set->column[column] = set->column[k];
    set->column[k] = held;
    return fabs(A[k * n + k]);
}

/* Elimination with complete pivoting, as long as pivots are larger than `least`. Returns the rank.
 */
static int eliminate(sal_contact_set *set, int n, double least)
{
    double *A = set->A;
    for (int i = 0; i < n; i++) set->column[i] = i;
    for (int k = 0; k < n; k++) {
        if (!(bring_pivot(set, n, k) > least)) return k;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            if (f == 0.0) continue;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            set->b[i] -= f * set->b[k];
            set->b_size[i] += fabs(f) * set->b_size[k];
        }
    }
    return n;
}

/* Replaces the upper rows U1 y = b - U2 z by y = b - S z, overwriting b and U2. Entries of b that
 * are only rounding errors become zero: they would look like small forces where all others are
 * zero. */
static void substitute_back(sal_contact_set *set, int n, int rank)
{
    double *A = set->A;
    for (int i = rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < rank; k++) {
            const double f = A[i * n + k];
            set->b[i] -= f * set->b[k];
            set->b_size[i] += fabs(f) * set->b_size[k];
            for (int j = rank; j < n; j++) A[i * n + j] -= f * A[k * n + j];
        }
        const double pivot = A[i * n + i];
        set->b[i] /= pivot;
        set->b_size[i] /= fabs(pivot);
        if (fabs(set->b[i]) <= NOISE * set->b_size[i]) set->b[i] = 0.0;
        for (int j = rank; j < n; j++) A[i * n + j] /= pivot;
    }
}

/* Finds the z for which (y, z) with y = b - S z has the least norm: (1 + S' S) z = S' b. */
static void find_least_norm(sal_contact_set *set, int n, int rank, double *z)
{
    const int extra = n - rank;
    double   *G = set->normal_matrix, *pivots = G + extra * extra;
    for (int i = 0; i < extra; i++) {
        z[i] = 0.0;
        for (int k = 0; k < rank; k++) z[i] += set->A[k * n + rank + i] * set->b[k];
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? 1.0 : 0.0;
            for (int k = 0; k < rank; k++)
                sum += set->A[k * n + rank + i] * set->A[k * n + rank + j];
            G[i * extra + j] = sum;
        }
    }
    if (sal_ldl_factor(extra, G, pivots) == 0) sal_ldl_solve(extra, G, NULL, 1, z);
    else memset(z, 0, sizeof(double) * (size_t)extra);
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* Forces from the solution y = b - S z, with z in x[rank..n). */
static void set_forces(sal_contact_set *set, const sal_contact_problem *problem, int n, int rank,
                       sal_contact_onset onset)
{
    double *force = set->trial.force;
    for (int i = 0; i < rank; i++) {
        set->x[i] = set->b[i];
        for (int j = rank; j < n; j++) set->x[i] -= set->A[i * n + j] * set->x[j];
    }
    for (int i = 0; i < n; i++) {
        const int r = set->unknown[set->column[i]], c = set->owner[set->column[i]];
        force[r] = set->x[i] * set->scale[r];
        if (r == problem->contact[c].normal && sal_contact_direction(set->mode[c]))
            force[problem->contact[c].tangent] = sliding_force(set, problem, c, onset) * force[r];
    }
}

static void find_rates(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int r = 0; r < problem->rows; r++) {
        double rate = problem->free_rates[r];
        double size = problem->size ? problem->size[r] : fabs(rate);
        for (int s = 0; s < problem->rows; s++) {
            const double term = entry(problem, r, s) * set->trial.force[s];
            rate += term;
            size += fabs(term);
        }
        set->trial.rate[r] = rate;
        set->size[r] = size;
    }
}

/* Whether the rows of the system have their target rates, also if the rank is too low for all. Sets
 * them to the targets exactly. */
static bool rates_are_met(sal_contact_set *set, const sal_contact_problem *problem, int n)
{
    for (int i = 0; i < n; i++) {
        const int    r = set->unknown[i], c = set->owner[i];
        const bool   normal = r == problem->contact[c].normal;
        const double target = normal ? sal_contact_target(problem, c) : 0.0;
        const double size = set->size[r] + fabs(target);
        if (!(fabs(set->trial.rate[r] - target) <= problem->rounding * size)) return false;
        set->trial.rate[r] = target;
    }
    return true;
}

typedef enum verdict { VIOLATED, EQUAL, STRICT } verdict;

/* Judges value >= 0, where the value is a sum of terms of this size. */
static verdict judge(const sal_contact_problem *problem, double value, double size)
{
    const double error = problem->rounding * size;
    return value > error ? STRICT : value >= -error ? EQUAL : VIOLATED;
}

/* The size of the force that changes the rate of the row by as much as the size of its terms. */
static double force_size(const sal_contact_set *set, const sal_contact_problem *problem, int r)
{
    const double diagonal = entry(problem, r, r);
    return diagonal > 0.0 ? set->size[r] / diagonal : fabs(set->trial.force[r]);
}

/* Eliminates with pivot k from the rows and columns of the matrix that are not used yet. */
static void sweep(double *G, int count, int k, const int *used)
{
    for (int i = 0; i < count; i++) {
        if (used[i]) continue;
        const double f = G[i * count + k] / G[k * count + k];
        for (int j = 0; j < count; j++)
            if (!used[j]) G[i * count + j] -= f * G[k * count + j];
    }
}

/* Whether row r depends on the rows of the closed contacts, so that these hold its motion. */
static bool depends(sal_contact_set *set, const sal_contact_problem *problem, int n, int r)
{
    double   *G = set->normal_matrix;
    int      *used = set->used;
    const int count = n + 1;
    if (set->scale[r] == 0.0) return true;
    for (int i = 0; i < count; i++) {
        const int row = i < n ? set->unknown[i] : r;
        used[i] = 0;
        for (int j = 0; j < count; j++) {
            const int column = j < n ? set->unknown[j] : r;
            G[i * count + j] = set->scale[row] * entry(problem, row, column) * set->scale[column];
        }
    }
    for (int step = 0; step < n; step++) {
        int k = -1;
        for (int i = 0; i < n; i++)
            if (!used[i] && (k < 0 || G[i * count + i] > G[k * count + k])) k = i;
        if (!(G[k * count + k] > problem->rounding)) break;
        used[k] = 1;
        sweep(G, count, k, used);
    }
    return G[n * count + n] <= problem->rounding;
}

static void mark_redundant(sal_contact_answer *answer, int c)
{
    if (answer->redundant[c]) return;
    answer->redundant[c] = true;
    answer->redundants++;
}

static void mark_tie(sal_contact_answer *answer, int c)
{
    answer->ties++;
    if (answer->tie < 0) answer->tie = c;
}

/* The mode of a contact that touches without force and does not separate. */
static sal_contact_mode unloaded_mode(const sal_contact_set     *set,
                                      const sal_contact_problem *problem, int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    if (touch->tangent < 0) return SAL_CONTACT_CLOSED;
    const double rate = set->trial.rate[touch->tangent];
    const double motion = slips(problem, c) ? touch->slip : rate;
    if (!slips(problem, c) && fabs(rate) <= problem->rounding * set->size[touch->tangent])
        return SAL_CONTACT_STICK;
    return motion > 0.0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
}

/* Marks a contact as redundant, held by others in this mode. */
static void take_as(sal_contact_set *set, const sal_contact_problem *problem, int c,
                    sal_contact_mode mode)
{
    mark_redundant(&set->trial, c);
    if (!(problem->contact[c].allowed & mode)) return;
    const sal_contact_touch *touch = &problem->contact[c];
    set->trial.unloaded[c] = set->mode[c] == SAL_CONTACT_OPEN;
    set->trial.mode[c] = mode;
    set->trial.unsupported++;
    if (touch->normal >= 0) set->trial.rate[touch->normal] = sal_contact_target(problem, c);
    if (mode == SAL_CONTACT_STICK) set->trial.rate[touch->tangent] = 0.0;
}

static bool open_holds(sal_contact_set *set, const sal_contact_problem *problem, int n, int c)
{
    const int     r = problem->contact[c].normal;
    const double  target = sal_contact_target(problem, c);
    const verdict gap = judge(problem, set->trial.rate[r] - target, set->size[r] + fabs(target));
    if (gap != EQUAL) return gap == STRICT;
    set->firmer_mode[c] = unloaded_mode(set, problem, c);
    if (depends(set, problem, n, r)) take_as(set, problem, c, set->firmer_mode[c]);
    else mark_tie(&set->trial, c);
    return true;
}

static bool pressure_holds(sal_contact_set *set, const sal_contact_problem *problem, int c)
{
    const int     r = problem->contact[c].normal;
    const double  diagonal = entry(problem, r, r);
    const verdict pressure = judge(problem, set->trial.force[r] * diagonal, set->size[r]);
    if (pressure == EQUAL && !set->trial.redundant[c]) mark_tie(&set->trial, c);
    return pressure != VIOLATED;
}

static bool stick_holds(sal_contact_set *set, const sal_contact_problem *problem, int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const double             T = fabs(set->trial.force[touch->tangent]);
    double                   limit = touch->mu_static;
    double                   size = T + force_size(set, problem, touch->tangent);
    if (touch->normal >= 0) {
        size += touch->mu_static * force_size(set, problem, touch->normal);
        limit *= set->trial.force[touch->normal];
    }
    const verdict cone = judge(problem, limit - T, size + fabs(limit));
    if (cone == EQUAL && !set->trial.redundant[c] && touch->mu_static > 0.0)
        mark_tie(&set->trial, c);
    const double rate = set->trial.rate[touch->tangent];
    return cone != VIOLATED &&
           fabs(rate) <= problem->rounding * set->size[touch->tangent]; /* also for idle contacts */
}

int sal_contact_same_motion(const double *D, int rows, int a, int b, double rounding)
{
    const double both = D[a * rows + b], size = D[a * rows + a] + D[b * rows + b];
    const int    sign = both < 0.0 ? -1 : 1;
    return size - 2.0 * sign * both <= rounding * size ? sign : 0;
}

static int same_motion(const sal_contact_problem *problem, int a, int b)
{
    return sal_contact_same_motion(problem->D, problem->rows, a, b, problem->rounding);
}

static bool sticks(const sal_contact_set *set, const sal_contact_problem *problem, int c)
{
    return set->mode[c] == SAL_CONTACT_STICK && problem->contact[c].normal >= 0;
}

/* Whether another contact that sticks has the same tangential motion as this one. */
static bool sticks_with_another(const sal_contact_set *set, const sal_contact_problem *problem,
                                int c)
{
    for (int d = 0; d < problem->contacts; d++)
        if (d != c && sticks(set, problem, d) &&
            same_motion(problem, problem->contact[c].tangent, problem->contact[d].tangent))
            return true;
    return false;
}

/* The number of contacts that stick and have the same tangential motion as an earlier one that
 * sticks. */
static int count_alike(const sal_contact_set *set, const sal_contact_problem *problem)
{
    int count = 0;
    for (int c = 0; c < problem->contacts; c++)
        for (int d = 0; d < c && sticks(set, problem, c) && !set->idle[c]; d++)
            if (sticks(set, problem, d) && !set->idle[d] &&
                same_motion(problem, problem->contact[c].tangent, problem->contact[d].tangent)) {
                count++;
                break;
            }
    return count;
}

static bool slide_holds(sal_contact_set *set, const sal_contact_problem *problem, int n, int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const int                direction = sal_contact_direction(set->mode[c]);
    if (slips(problem, c)) {
        /* a contact that has just started to slip */
        set->trial.jammed[c] =
            fabs(touch->slip) <= DBL_MIN && depends(set, problem, n, touch->tangent);
        return true;
    }
    const verdict onset =
        judge(problem, direction * set->trial.rate[touch->tangent], set->size[touch->tangent]);
    if (onset == STRICT) set->trial.begins += touch->mu_kinetic < touch->mu_static;
    if (onset != EQUAL) return onset == STRICT;
    set->firmer_mode[c] = SAL_CONTACT_STICK;
    if (depends(set, problem, n, touch->tangent)) {
        /* either it sticks without force, or in a jam it is at the edge of its cone */
        if (!set->independent || sticks_with_another(set, problem, c))
            take_as(set, problem, c, SAL_CONTACT_STICK);
        else {
            mark_redundant(&set->trial, c);
            set->trial.jammed[c] = true;
        }
    } else if (touch->mu_static > 0.0) mark_tie(&set->trial, c);
    return true;
}

/* The mode that a violated condition leads to: a contact that would penetrate closes, one that
 * would pull opens, one beyond its cone slides, one that would slide backwards sticks. */
static sal_contact_mode mode_instead(const sal_contact_set *set, const sal_contact_problem *problem,
                                     int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const double            *force = set->trial.force;
    if (set->mode[c] == SAL_CONTACT_OPEN) return unloaded_mode(set, problem, c);
    if (touch->normal >= 0 && force[touch->normal] < 0.0) return SAL_CONTACT_OPEN;
    if (set->mode[c] != SAL_CONTACT_STICK) return SAL_CONTACT_STICK;
    return force[touch->tangent] > 0.0 ? SAL_CONTACT_SLIDE_MINUS : SAL_CONTACT_SLIDE_PLUS;
}

static bool contact_holds(sal_contact_set *set, const sal_contact_problem *problem, int n, int c)
{
    const sal_contact_mode mode = set->mode[c];
    if (!sal_contact_takes_part(problem, c)) return true;
    if (mode == SAL_CONTACT_OPEN) return open_holds(set, problem, n, c);
    if (problem->contact[c].normal >= 0 && !pressure_holds(set, problem, c)) return false;
    if (mode == SAL_CONTACT_STICK) return stick_holds(set, problem, c);
    return mode == SAL_CONTACT_CLOSED || slide_holds(set, problem, n, c);
}

/* Whether the forces of the trial fulfil all conditions. Completes the trial with rates and marks;
 * otherwise sets set->violated and set->instead. */
static bool all_hold(sal_contact_set *set, const sal_contact_problem *problem, int n)
{
    sal_contact_answer *trial = &set->trial;
    set->violated = -1;
    find_rates(set, problem);
    if (!rates_are_met(set, problem, n)) return false;
    trial->changes = 0;
    for (int c = 0; c < problem->contacts; c++) {
        if (!contact_holds(set, problem, n, c)) {
            set->violated = c;
            set->instead = mode_instead(set, problem, c);
            return false;
        }
        trial->changes += trial->mode[c] != problem->contact[c].preferred;
    }
    return true;
}

/* Resets the trial; contacts of unknowns from `rank` on and idle ones are redundant. */
static void reset(sal_contact_set *set, const sal_contact_problem *problem, int n, int rank)
{
    sal_contact_answer *trial = &set->trial;
    trial->redundants = trial->unsupported = trial->ties = trial->begins = 0;
    trial->tie = -1;
    for (int c = 0; c < problem->contacts; c++) {
        trial->mode[c] = set->firmer_mode[c] = set->mode[c];
        trial->redundant[c] = trial->unloaded[c] = trial->jammed[c] = false;
        if (set->idle[c]) mark_redundant(trial, c);
    }
    for (int i = rank; i < n; i++) mark_redundant(trial, set->owner[set->column[i]]);
}

/* Distributes friction among contacts that stick and have the same motion, in proportion to what
 * each can bear: if any distribution is possible, this one is. Returns whether there are such
 * contacts. */
static bool share_friction(sal_contact_set *set, const sal_contact_problem *problem)
{
    const sal_contact_touch *contact = problem->contact;
    double                  *force = set->trial.force;
    bool                     any = false;
    for (int c = 0; c < problem->contacts; c++) {
        double total = 0.0, bearing = 0.0;
        if (!sticks(set, problem, c)) continue;
        for (int d = 0; d < problem->contacts; d++) {
            const int sign = sticks(set, problem, d)
                                 ? same_motion(problem, contact[c].tangent, contact[d].tangent)
                                 : 0;
            if (sign == 0) continue;
            any = any || d != c;
            total += sign * force[contact[d].tangent];
            bearing += contact[d].mu_static * fmax(force[contact[d].normal], 0.0);
        }
        if (bearing > 0.0) set->shared[c] = total / bearing;
    }
    for (int c = 0; c < problem->contacts && any; c++)
        if (sticks(set, problem, c))
            force[contact[c].tangent] =
                set->shared[c] * contact[c].mu_static * fmax(force[contact[c].normal], 0.0);
    return any;
}

bool sal_contact_try(sal_contact_set *set, const sal_contact_problem *problem,
                     sal_contact_onset onset)
{
    const int n = list_unknowns(set, problem);
    set->violated = -1;
    set_known_forces(set, problem, onset);
    const double largest = assemble(set, problem, n, onset);
    const int    rank = eliminate(set, n, problem->rounding * largest);
    substitute_back(set, n, rank);
    reset(set, problem, n, rank);
    memset(set->x, 0, sizeof(double) * (size_t)n);
    if (rank == n) {
        set_forces(set, problem, n, rank, onset);
        return all_hold(set, problem, n);
    }
    if (set->independent && rank < n - count_alike(set, problem)) return false;
    find_least_norm(set, n, rank, set->x + rank);
    set_forces(set, problem, n, rank, onset);
    if (all_hold(set, problem, n)) return true;
    if (share_friction(set, problem)) {
        reset(set, problem, n, rank);
        if (all_hold(set, problem, n)) return true;
    }
    /* Third attempt: dependent rows without forces. */
    reset(set, problem, n, rank);
    memset(set->x, 0, sizeof(double) * (size_t)n);
    set_forces(set, problem, n, rank, onset);
    return all_hold(set, problem, n);
}

/* ---- comparisons ---------------------------------------------------------------------------- */

/* Rates are equal if they differ by less than this many rounding errors. At a threshold, two sets
 * may both hold only within the tolerance; their rates then differ by that error, magnified by the
 * solution of the system of the closed rows. */
static const double MAGNIFIED = 1e3;

/* The size of the terms of a rate, whatever the modes. */
static double rate_size(const sal_contact_problem *problem, const sal_contact_answer *answer, int r)
{
    double size = problem->size ? problem->size[r] : fabs(problem->free_rates[r]);
    for (int s = 0; s < problem->rows; s++)
        size += fabs(problem->D[r * problem->rows + s] * answer->force[s]);
    return size;
}

bool sal_contact_same_rates(const sal_contact_problem *problem, const sal_contact_answer *a,
                            const sal_contact_answer *b)
{
    for (int r = 0; r < problem->rows; r++) {
        const double size = rate_size(problem, a, r) + rate_size(problem, b, r);
        if (fabs(a->rate[r] - b->rate[r]) > MAGNIFIED * problem->rounding * size) return false;
    }
    return true;
}

bool sal_contact_is_better(const sal_contact_answer *a, const sal_contact_answer *b)
{
    if (a->ties != b->ties) return a->ties < b->ties;
    if (a->changes != b->changes) return a->changes < b->changes;
    return a->unsupported < b->unsupported;
}

void sal_contact_exchange(sal_contact_answer *a, sal_contact_answer *b)
{
    const sal_contact_answer held = *a;
    *a = *b;
    *b = held;
}
