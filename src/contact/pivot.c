/* Modes of many contacts by a pivoting method: see pivot.h.
 *
 * With T = T+ - T- and the speed u of slip, Coulomb's law in the plane is linear complementarity:
 *
 *     rate_N - target >= 0       N  >= 0
 *     u + rate_T      >= 0       T+ >= 0
 *     u - rate_T      >= 0       T- >= 0
 *     mu N - T+ - T-  >= 0       u  >= 0
 *
 * and one of each pair is zero. Where a contact slides already, N brings T = -s mu N with it. */
#include "contact/pivot.h"

#include <math.h>
#include <string.h>

#include "contact/lemke.h"
#include "contact/trial.h"

typedef sal_contact_line line;

enum { NORMAL, PLUS, MINUS, SPEED };

/* ---- the complementarity problem ------------------------------------------------------------ */

static double entry(const sal_contact_problem *problem, int r, int s)
{
    return problem->D[r * problem->rows + s];
}

/* Forces are measured in this, rates in its inverse, so that D has ones on its diagonal. */
static double unit(const sal_contact_problem *problem, int r)
{
    const double diagonal = entry(problem, r, r);
    if (diagonal > 0.0) return 1.0 / sqrt(diagonal);
    double largest = 0.0;
    for (int s = 0; s < problem->rows; s++) largest = fmax(largest, entry(problem, s, s));
    return largest > 0.0 ? 1.0 / sqrt(largest) : 1.0;
}

/* The direction in which a contact slides if it is closed, or 0 if that is to be found. */
static int fixed_direction(const sal_contact_problem *problem, int c)
{
    const unsigned modes = sal_contact_candidates(problem, c);
    if (modes & SAL_CONTACT_STICK) return 0;
    const bool plus = modes & SAL_CONTACT_SLIDE_PLUS, minus = modes & SAL_CONTACT_SLIDE_MINUS;
    return plus == minus ? 0 : plus ? 1 : -1;
}

/* Lists the rows of the problem; contacts that may be open only have none. */
static int list_lines(const sal_contact_set *set, const sal_contact_problem *problem, line *lines)
{
    int n = 0;
    for (int c = 0; c < problem->contacts; c++) {
        const sal_contact_touch *touch = &problem->contact[c];
        if (!sal_contact_takes_part(problem, c)) continue;
        if (sal_contact_candidates(problem, c) == SAL_CONTACT_OPEN) continue;
        if (touch->normal >= 0) lines[n++] = (line){c, NORMAL};
        if (touch->tangent < 0 || set->direction[c] != 0) continue;
        lines[n++] = (line){c, PLUS};
        lines[n++] = (line){c, MINUS};
        lines[n++] = (line){c, SPEED};
    }
    return n;
}

/* The rates of row r that the forces of a line cause. */
static double influence(const sal_contact_set *set, const sal_contact_problem *problem, int r,
                        line of)
{
    const sal_contact_touch *touch = &problem->contact[of.contact];
    if (of.kind == SPEED) return 0.0;
    if (of.kind == PLUS) return entry(problem, r, touch->tangent) * unit(problem, touch->tangent);
    if (of.kind == MINUS) return -entry(problem, r, touch->tangent) * unit(problem, touch->tangent);
    double sum = entry(problem, r, touch->normal);
    if (touch->tangent >= 0 && set->direction[of.contact] != 0)
        sum -= set->direction[of.contact] * touch->mu_kinetic * entry(problem, r, touch->tangent);
    return sum * unit(problem, touch->normal);
}

/* A number of M: row a, column b. */
static double coefficient(const sal_contact_set *set, const sal_contact_problem *problem, line a,
                          line b)
{
    const sal_contact_touch *touch = &problem->contact[a.contact];
    const bool               same = a.contact == b.contact;
    switch (a.kind) {
    case NORMAL: return unit(problem, touch->normal) * influence(set, problem, touch->normal, b);
    case PLUS:
        if (b.kind == SPEED) return same ? 1.0 : 0.0;
        return unit(problem, touch->tangent) * influence(set, problem, touch->tangent, b);
    case MINUS:
        if (b.kind == SPEED) return same ? 1.0 : 0.0;
        return -unit(problem, touch->tangent) * influence(set, problem, touch->tangent, b);
    default: break;
    }
    if (!same || b.kind == SPEED) return 0.0;
    if (b.kind != NORMAL) return -1.0;
    return touch->mu_static * unit(problem, touch->normal) / unit(problem, touch->tangent);
}

/* The rate of a row without the forces that are sought. */
static double rate_without(const sal_contact_set *set, const sal_contact_problem *problem, int r)
{
    double rate = problem->free_rates[r];
    for (int c = 0; c < problem->contacts; c++) {
        const sal_contact_touch *touch = &problem->contact[c];
        if (touch->normal < 0 && sal_contact_takes_part(problem, c))
            rate -= entry(problem, r, touch->tangent) * set->direction[c] * touch->mu_kinetic;
    }
    return rate;
}

static double constant(const sal_contact_set *set, const sal_contact_problem *problem, line a)
{
    const sal_contact_touch *touch = &problem->contact[a.contact];
    switch (a.kind) {
    case NORMAL:
        return unit(problem, touch->normal) *
               (rate_without(set, problem, touch->normal) - sal_contact_target(problem, a.contact));
    case PLUS: return unit(problem, touch->tangent) * rate_without(set, problem, touch->tangent);
    case MINUS: return -unit(problem, touch->tangent) * rate_without(set, problem, touch->tangent);
    default: break;
    }
    return touch->normal >= 0 ? 0.0 : touch->mu_static / unit(problem, touch->tangent);
}

static void build(sal_contact_set *set, const sal_contact_problem *problem, const line *lines,
                  int n)
{
    sal_lemke *lemke = set->lemke;
    double     largest = 0.0;
    for (int i = 0; i < n; i++) {
        lemke->q[i] = constant(set, problem, lines[i]);
        largest = fmax(largest, fabs(lemke->q[i]));
        for (int j = 0; j < n; j++)
            lemke->M[i * n + j] = coefficient(set, problem, lines[i], lines[j]);
    }
    for (int i = 0; i < n && largest > 0.0; i++) lemke->q[i] /= largest;
}

/* ---- modes from its solution ---------------------------------------------------------------- */

/* The mode of a contact with friction that begins to move, or does not. */
static sal_contact_mode mode_of_friction(const double *z)
{
    if (z[2] <= 0.0) return SAL_CONTACT_STICK;
    return z[0] > 0.0 ? SAL_CONTACT_SLIDE_MINUS : SAL_CONTACT_SLIDE_PLUS;
}

/* A mode that borders on the one that is found, where that one is not allowed. */
static sal_contact_mode allowed_mode(const sal_contact_problem *problem, int c,
                                     sal_contact_mode mode, double T)
{
    const unsigned         modes = sal_contact_candidates(problem, c);
    const sal_contact_mode away = T > 0.0 ? SAL_CONTACT_SLIDE_MINUS : SAL_CONTACT_SLIDE_PLUS;
    if ((modes & mode) || !modes) return mode;
    if (modes & away) return away;
    for (unsigned bit = SAL_CONTACT_SLIDE_MINUS; bit; bit >>= 1)
        if (modes & bit) return (sal_contact_mode)bit;
    return mode;
}

/* The mode of contact c, whose lines begin with z; returns the number of its lines. */
static int read_mode(sal_contact_set *set, const sal_contact_problem *problem, int c,
                     const double *z)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const int                normals = touch->normal >= 0;
    const bool               searched = touch->tangent >= 0 && set->direction[c] == 0;
    const double            *friction = z + normals;
    sal_contact_mode         mode = SAL_CONTACT_CLOSED;
    if (searched) mode = mode_of_friction(friction);
    else if (touch->tangent >= 0)
        mode = set->direction[c] > 0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
    if (normals && z[0] <= 0.0) mode = SAL_CONTACT_OPEN;
    const double T = searched ? friction[0] - friction[1] : 0.0;
    set->speed[c] = searched ? friction[2] : 0.0;
    set->mode[c] = allowed_mode(problem, c, mode, T);
    set->idle[c] = set->mode[c] == SAL_CONTACT_STICK && T == 0.0;
    return normals + (searched ? 3 : 0);
}

static void read_modes(sal_contact_set *set, const sal_contact_problem *problem)
{
    const double *z = set->lemke->z;
    for (int c = 0; c < problem->contacts; c++) {
        set->mode[c] = problem->contact[c].preferred;
        set->idle[c] = false;
        if (!sal_contact_takes_part(problem, c)) continue;
        if (sal_contact_candidates(problem, c) == SAL_CONTACT_OPEN) set->mode[c] = SAL_CONTACT_OPEN;
        else z += read_mode(set, problem, c, z);
    }
}

/* Whether the contact was found to begin to slide against static friction, which is more than the
 * kinetic one. */
static bool breaks_loose(const sal_contact_set *set, const sal_contact_problem *problem, int c)
{
    const sal_contact_touch *touch = &problem->contact[c];
    return sal_contact_takes_part(problem, c) && sal_contact_direction(set->mode[c]) &&
           !set->direction[c] && touch->mu_kinetic < touch->mu_static;
}

/* Contacts that break loose slide against kinetic friction from now on: all of them, or the fastest
 * only, because its smaller friction may let the others stick. False: there are none. */
static bool release(sal_contact_set *set, const sal_contact_problem *problem, bool all)
{
    int fastest = -1;
    for (int c = 0; c < problem->contacts; c++) {
        if (!breaks_loose(set, problem, c)) continue;
        if (all) set->direction[c] = sal_contact_direction(set->mode[c]);
        if (fastest < 0 || set->speed[c] > set->speed[fastest]) fastest = c;
    }
    if (fastest >= 0) set->direction[fastest] = sal_contact_direction(set->mode[fastest]);
    return fastest >= 0;
}

/* Which solution is found, and whether one is, depends on the covering numbers. */
static void choose_cover(sal_lemke *lemke, int n, int attempt)
{
    for (int i = 0; i < n; i++) lemke->cover[i] = 1.0 + attempt * fmod(0.618033988749895 * i, 1.0);
}

static bool try_modes(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (!sal_contact_try(set, problem, SAL_ONSET_KINETIC)) return false;
    sal_contact_exchange(&set->best, &set->trial);
    return true;
}

/* The solution as it is, or with all rows of friction that stick. */
static bool try_solution(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (try_modes(set, problem)) return true;
    memset(set->idle, 0, sizeof(bool) * (size_t)problem->contacts);
    return try_modes(set, problem);
}

/* Solutions are at corners, where contacts carry nothing that could carry something: lets all of
 * them hold on, and keeps the better answer. */
static void hold_on(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (set->best.ties == 0 && set->best.redundants == 0) return;
    memset(set->idle, 0, sizeof(bool) * (size_t)problem->contacts);
    for (int c = 0; c < problem->contacts; c++)
        if (set->firmer[c] & sal_contact_candidates(problem, c)) set->mode[c] = set->firmer[c];
    if (sal_contact_try(set, problem, SAL_ONSET_KINETIC) &&
        sal_contact_is_better(&set->trial, &set->best))
        sal_contact_exchange(&set->best, &set->trial);
}

static sal_contact_status attempt(sal_contact_set *set, const sal_contact_problem *problem,
                                  int number)
{
    for (int c = 0; c < problem->contacts; c++) set->direction[c] = fixed_direction(problem, c);
    do {
        const int n = list_lines(set, problem, set->line);
        build(set, problem, set->line, n);
        choose_cover(set->lemke, n, number);
        const sal_lemke_status status = sal_lemke_solve(set->lemke, n);
        if (status == SAL_LEMKE_RAY) return SAL_CONTACT_NONE;
        if (status == SAL_LEMKE_LOST) return SAL_CONTACT_UNDECIDED;
        read_modes(set, problem);
    } while (release(set, problem, number % 2 == 0));
    if (!try_solution(set, problem)) return SAL_CONTACT_UNDECIDED;
    hold_on(set, problem);
    return SAL_CONTACT_FOUND;
}

/* The present modes, if they are still possible. */
static bool try_preferred(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int c = 0; c < problem->contacts; c++) {
        set->mode[c] = problem->contact[c].preferred;
        set->idle[c] = false;
        if (sal_contact_takes_part(problem, c) &&
            !(set->mode[c] & sal_contact_candidates(problem, c)))
            return false;
    }
    return try_modes(set, problem);
}

sal_contact_status sal_contact_pivot(sal_contact_set *set, const sal_contact_problem *problem)
{
    enum { ATTEMPTS = 8 };
    sal_contact_status worst = SAL_CONTACT_NONE;
    if (try_preferred(set, problem)) return SAL_CONTACT_FOUND;
    for (int number = 0; number < ATTEMPTS; number++) {
        const sal_contact_status status = attempt(set, problem, number);
        if (status == SAL_CONTACT_FOUND) return status;
        if (status == SAL_CONTACT_UNDECIDED) worst = status;
    }
    return worst;
}
