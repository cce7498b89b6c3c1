/* Modes of many contacts by a pivoting method: see pivot.h.
 *
 * With T = T+ - T- and the speed u of slip, Coulomb's law in the plane is a linear complementarity
 * problem,
 *
 *     rate_N - target >= 0       N  >= 0
 *     u + rate_T      >= 0       T+ >= 0
 *     u - rate_T      >= 0       T- >= 0
 *     mu N - T+ - T-  >= 0       u  >= 0
 *
 * in which one of each pair is zero. Where a contact slides already, T = -s mu N is no unknown. */
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

/* The unit of the forces of a row. Any number will do for a row that no force can move. */
static double unit(const sal_contact_set *set, int r)
{
    return set->scale[r] > 0.0 ? set->scale[r] : 1.0;
}

/* The direction in which a contact slides if it is closed, or 0 if the method has to find it. */
static int fixed_direction(const sal_contact_problem *problem, int c)
{
    const unsigned modes = sal_contact_candidates(problem, c);
    if (modes & SAL_CONTACT_STICK) return 0;
    const bool plus = modes & SAL_CONTACT_SLIDE_PLUS, minus = modes & SAL_CONTACT_SLIDE_MINUS;
    return plus == minus ? 0 : plus ? 1 : -1;
}

/* Lists the rows of the complementarity problem and returns their number. Contacts that can only be
 * open have none. */
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

/* The derivative of the rate of row r by the unknown of a line. */
static double influence(const sal_contact_set *set, const sal_contact_problem *problem, int r,
                        line of)
{
    const sal_contact_touch *touch = &problem->contact[of.contact];
    if (of.kind == SPEED) return 0.0;
    if (of.kind == PLUS) return entry(problem, r, touch->tangent) * unit(set, touch->tangent);
    if (of.kind == MINUS) return -entry(problem, r, touch->tangent) * unit(set, touch->tangent);
    double sum = entry(problem, r, touch->normal);
    if (touch->tangent >= 0 && set->direction[of.contact] != 0)
        sum -= set->direction[of.contact] * touch->mu_kinetic * entry(problem, r, touch->tangent);
    return sum * unit(set, touch->normal);
}

/* The entry of M in the row of line a and the column of line b. */
static double coefficient(const sal_contact_set *set, const sal_contact_problem *problem, line a,
                          line b)
{
    const sal_contact_touch *touch = &problem->contact[a.contact];
    const bool               same = a.contact == b.contact;
    switch (a.kind) {
    case NORMAL: return unit(set, touch->normal) * influence(set, problem, touch->normal, b);
    case PLUS:
        if (b.kind == SPEED) return same ? 1.0 : 0.0;
        return unit(set, touch->tangent) * influence(set, problem, touch->tangent, b);
    case MINUS:
        if (b.kind == SPEED) return same ? 1.0 : 0.0;
        return -unit(set, touch->tangent) * influence(set, problem, touch->tangent, b);
    default: break;
    }
    if (!same || b.kind == SPEED) return 0.0;
    if (b.kind != NORMAL) return -1.0;
    return set->friction[a.contact] * unit(set, touch->normal) / unit(set, touch->tangent);
}

/* The rate of a row without the unknown forces, or zero if it is only rounding. */
static double rate_without(const sal_contact_set *set, const sal_contact_problem *problem, int r)
{
    double rate = problem->free_rates[r];
    double size = problem->size ? problem->size[r] : fabs(rate);
    for (int c = 0; c < problem->contacts; c++) {
        const sal_contact_touch *touch = &problem->contact[c];
        if (touch->normal >= 0 || !sal_contact_takes_part(problem, c)) continue;
        const double term =
            entry(problem, r, touch->tangent) * set->direction[c] * touch->mu_kinetic;
        rate -= term;
        size += fabs(term);
    }
    return fabs(rate) > problem->rounding * size ? rate : 0.0;
}

static double constant(const sal_contact_set *set, const sal_contact_problem *problem, line a)
{
    const sal_contact_touch *touch = &problem->contact[a.contact];
    switch (a.kind) {
    case NORMAL:
        return unit(set, touch->normal) *
               (rate_without(set, problem, touch->normal) - sal_contact_target(problem, a.contact));
    case PLUS: return unit(set, touch->tangent) * rate_without(set, problem, touch->tangent);
    case MINUS: return -unit(set, touch->tangent) * rate_without(set, problem, touch->tangent);
    default: break;
    }
    return touch->normal >= 0 ? 0.0 : set->friction[a.contact] / unit(set, touch->tangent);
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

/* The mode of a contact with friction whose lines T+, T- and u begin at i. It follows from which
 * unknowns are basic, not from their values: a contact may be on the edge of its cone and yet be
 * held by others. */
static sal_contact_mode mode_of_friction(const sal_lemke *lemke, int i)
{
    const bool plus = lemke->in_use[i], minus = lemke->in_use[i + 1];
    if (!lemke->in_use[i + 2] || (plus && minus)) return SAL_CONTACT_STICK;
    if (plus) return SAL_CONTACT_SLIDE_MINUS;
    if (minus) return SAL_CONTACT_SLIDE_PLUS;
    return lemke->w[i] > lemke->w[i + 1] ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
}

/* Returns the mode if it is allowed, else an allowed one that borders on it. */
static sal_contact_mode allowed_mode(const sal_contact_problem *problem, int c,
                                     sal_contact_mode mode, double T)
{
    const unsigned         modes = sal_contact_candidates(problem, c);
    const sal_contact_mode away = T > 0.0 ? SAL_CONTACT_SLIDE_MINUS : SAL_CONTACT_SLIDE_PLUS;
    if (modes & mode) return mode;
    if (modes & away) return away;
    if (sal_contact_direction(mode) && (modes & SAL_CONTACT_STICK)) return SAL_CONTACT_STICK;
    unsigned highest = SAL_CONTACT_SLIDE_MINUS;
    while (!(modes & highest)) highest >>= 1;
    return (sal_contact_mode)highest;
}

/* Sets the mode of contact c, whose lines begin at i. Returns the number of its lines. */
static int read_mode(sal_contact_set *set, const sal_contact_problem *problem, int c, int i)
{
    const sal_contact_touch *touch = &problem->contact[c];
    const sal_lemke         *lemke = set->lemke;
    const int                normals = touch->normal >= 0, t = i + normals;
    const bool               searched = touch->tangent >= 0 && set->direction[c] == 0;
    sal_contact_mode         mode = SAL_CONTACT_CLOSED;
    if (searched) mode = mode_of_friction(lemke, t);
    else if (touch->tangent >= 0)
        mode = set->direction[c] > 0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS;
    if (normals && !lemke->in_use[i]) mode = SAL_CONTACT_OPEN;
    set->mode[c] = allowed_mode(problem, c, mode, searched ? lemke->z[t] - lemke->z[t + 1] : 0.0);
    set->idle[c] =
        set->mode[c] == SAL_CONTACT_STICK && searched && !lemke->in_use[t] && !lemke->in_use[t + 1];
    return normals + (searched ? 3 : 0);
}

static void read_modes(sal_contact_set *set, const sal_contact_problem *problem)
{
    int i = 0;
    for (int c = 0; c < problem->contacts; c++) {
        set->mode[c] = problem->contact[c].preferred;
        set->idle[c] = false;
        if (!sal_contact_takes_part(problem, c)) continue;
        if (sal_contact_candidates(problem, c) == SAL_CONTACT_OPEN) set->mode[c] = SAL_CONTACT_OPEN;
        else i += read_mode(set, problem, c, i);
    }
}

/* Contacts that break loose from static friction get kinetic friction from now on, whether they
 * keep sliding or come to stick again because others have lost friction, too. Returns false if
 * there are no new ones. */
static bool release(sal_contact_set *set, const sal_contact_problem *problem)
{
    bool any = false;
    for (int c = 0; c < problem->contacts; c++) {
        const double kinetic = problem->contact[c].mu_kinetic;
        if (!sal_contact_takes_part(problem, c) || !sal_contact_direction(set->mode[c])) continue;
        if (set->direction[c] || !(kinetic < set->friction[c])) continue;
        set->friction[c] = kinetic;
        any = true;
    }
    return any;
}

/* Sets the covering vector of an attempt. Which solution is found, and whether one is found at all,
 * depends on it. */
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

/* Repairs a solution whose modes violate conditions: changes the modes of the contacts in question
 * one after the other. This is needed because small pivots cost digits, and because the unknowns do
 * not show which of many contacts without force are closed. Returns false if it does not
 * succeed. */
static bool correct(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int change = 0; change < 2 * problem->contacts; change++) {
        const int c = set->violated;
        if (c < 0 || !(sal_contact_candidates(problem, c) & set->instead)) return false;
        set->mode[c] = set->instead;
        set->idle[c] = false;
        if (try_modes(set, problem)) return true;
    }
    return false;
}

/* Tries the solution as it is, then with all tangential rows that stick among the unknowns, then
 * with corrected modes. */
static bool try_solution(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (try_modes(set, problem)) return true;
    memset(set->idle, 0, sizeof(bool) * (size_t)problem->contacts);
    return try_modes(set, problem) || correct(set, problem);
}

/* The solution is a corner, in which some contacts carry no load although they could. Tries to
 * close or stick all of them, and keeps the better answer. */
static void hold_on(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (set->best.ties == 0 && set->best.redundants == 0) return;
    memset(set->idle, 0, sizeof(bool) * (size_t)problem->contacts);
    for (int c = 0; c < problem->contacts; c++)
        if (set->firmer_mode[c] & sal_contact_candidates(problem, c))
            set->mode[c] = set->firmer_mode[c];
    if (sal_contact_try(set, problem, SAL_ONSET_KINETIC) &&
        sal_contact_same_rates(problem, &set->trial, &set->best) &&
        sal_contact_is_better(&set->trial, &set->best))
        sal_contact_exchange(&set->best, &set->trial);
}

/* The direction in which a contact slides without friction, or 0 if it does not slide. */
static int free_direction(const sal_contact_problem *problem, int c)
{
    const int r = problem->contact[c].tangent;
    if (r < 0 || !sal_contact_takes_part(problem, c)) return 0;
    const double rate = problem->free_rates[r];
    const double size = problem->size ? problem->size[r] : fabs(rate);
    return fabs(rate) <= problem->rounding * size ? 0 : rate > 0.0 ? 1 : -1;
}

/* One attempt by Lemke's method. sliding: contacts slide in the direction that they take without
 * friction, which leaves a problem of normal forces only. */
static sal_contact_status attempt(sal_contact_set *set, const sal_contact_problem *problem,
                                  int number, bool sliding)
{
    for (int c = 0; c < problem->contacts; c++) {
        set->direction[c] = fixed_direction(problem, c);
        if (sliding && set->direction[c] == 0) set->direction[c] = free_direction(problem, c);
        set->friction[c] = problem->contact[c].mu_static;
    }
    do {
        const int n = list_lines(set, problem, set->line);
        build(set, problem, set->line, n);
        choose_cover(set->lemke, n, number);
        const sal_lemke_status status = sal_lemke_solve(set->lemke, n);
        if (status == SAL_LEMKE_RAY) return SAL_CONTACT_NONE;
        if (status == SAL_LEMKE_LOST) return SAL_CONTACT_UNDECIDED;
        read_modes(set, problem);
    } while (release(set, problem));
    if (!try_solution(set, problem)) return SAL_CONTACT_UNDECIDED;
    hold_on(set, problem);
    return SAL_CONTACT_FOUND;
}

/* Tries the preferred modes. They are not taken if a slide begins, as static friction may hold
 * it. */
static bool try_preferred(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int c = 0; c < problem->contacts; c++) {
        set->mode[c] = problem->contact[c].preferred;
        set->idle[c] = false;
        if (sal_contact_takes_part(problem, c) &&
            !(set->mode[c] & sal_contact_candidates(problem, c)))
            return false;
    }
    return try_modes(set, problem) && set->best.begins == 0;
}

sal_contact_status sal_contact_pivot(sal_contact_set *set, const sal_contact_problem *problem)
{
    enum { ATTEMPTS = 8, SLIDING = 4 };
    sal_contact_status worst = SAL_CONTACT_NONE;
    if (try_preferred(set, problem)) return SAL_CONTACT_FOUND;
    for (int number = 0; number < ATTEMPTS + SLIDING; number++) {
        const bool               sliding = number >= ATTEMPTS;
        const sal_contact_status status =
            attempt(set, problem, sliding ? number - ATTEMPTS : number, sliding);
        if (status == SAL_CONTACT_FOUND) return status;
        if (status == SAL_CONTACT_UNDECIDED) worst = status;
    }
    return worst;
}
