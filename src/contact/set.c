/* The modes of all contacts that touch: see set.h. */
#include "contact/set.h"

#include <math.h>
#include <string.h>

#include "contact/lemke.h"
#include "contact/pivot.h"
#include "contact/trial.h"

/* What is enumerated: more takes too long. */
enum { MOST_CONTACTS = 10, MOST_WITH_FRICTION = 4, MOST_SETS = 4096 };

/* Rates that differ by less than this many rounding errors are equal: two sets that both hold at a
 * threshold only have rates that differ by the error that is tolerated there, which the system of
 * the closed rows has magnified. */
static const double MAGNIFIED = 1e3;

/* ---- memory --------------------------------------------------------------------------------- */

static void answer_init(sal_contact_answer *answer, int contacts, sal_arena *arena)
{
    answer->mode = ARENA_NEW(arena, contacts, sal_contact_mode);
    answer->redundant = ARENA_NEW(arena, contacts, bool);
    answer->force = ARENA_NEW(arena, 2 * contacts, double);
    answer->rate = ARENA_NEW(arena, 2 * contacts, double);
}

bool sal_contact_set_init(sal_contact_set *set, int max_contacts, sal_arena *arena)
{
    const int rows = 2 * max_contacts;
    *set = (sal_contact_set){
        .max_contacts = max_contacts,
        .mode = ARENA_NEW(arena, max_contacts, sal_contact_mode),
        .firmer = ARENA_NEW(arena, max_contacts, sal_contact_mode),
        .idle = ARENA_NEW(arena, max_contacts, bool),
        .direction = ARENA_NEW(arena, max_contacts, int),
        .speed = ARENA_NEW(arena, max_contacts, double),
        .unknown = ARENA_NEW(arena, rows, int),
        .owner = ARENA_NEW(arena, rows, int),
        .column = ARENA_NEW(arena, rows, int),
        .used = ARENA_NEW(arena, rows + 1, int),
        .A = ARENA_NEW(arena, rows * rows, double),
        .b = ARENA_NEW(arena, rows, double),
        .x = ARENA_NEW(arena, rows, double),
        .normal_matrix = ARENA_NEW(arena, (rows + 1) * (rows + 1), double),
        .size = ARENA_NEW(arena, rows, double),
        .lemke = ARENA_NEW(arena, 1, sal_lemke),
        .line = ARENA_NEW(arena, SAL_PIVOT_UNKNOWNS * max_contacts, sal_contact_line)};
    answer_init(&set->best, max_contacts, arena);
    answer_init(&set->other, max_contacts, arena);
    answer_init(&set->trial, max_contacts, arena);
    for (int i = 0; i < SAL_CONTACT_KEPT; i++) answer_init(&set->kept[i], max_contacts, arena);
    return set->lemke && sal_lemke_init(set->lemke, SAL_PIVOT_UNKNOWNS * max_contacts, arena);
}

/* ---- sets that hold ------------------------------------------------------------------------- */

/* The size of the terms of a rate, without knowing the mode. */
static double rate_size(const sal_contact_problem *problem, const sal_contact_answer *answer, int r)
{
    double size = problem->size ? problem->size[r] : fabs(problem->free_rates[r]);
    for (int s = 0; s < problem->rows; s++)
        size += fabs(problem->D[r * problem->rows + s] * answer->force[s]);
    return size;
}

static bool same_rates(const sal_contact_problem *problem, const sal_contact_answer *a,
                       const sal_contact_answer *b)
{
    for (int r = 0; r < problem->rows; r++) {
        const double size = rate_size(problem, a, r) + rate_size(problem, b, r);
        if (fabs(a->rate[r] - b->rate[r]) > MAGNIFIED * problem->rounding * size) return false;
    }
    return true;
}

/* Keeps the trial, if it is the best with its rates. */
static void keep(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int i = 0; i < set->kept_count; i++) {
        if (!same_rates(problem, &set->trial, &set->kept[i])) continue;
        if (sal_contact_is_better(&set->trial, &set->kept[i]))
            sal_contact_exchange(&set->trial, &set->kept[i]);
        return;
    }
    if (set->kept_count < SAL_CONTACT_KEPT)
        sal_contact_exchange(&set->trial, &set->kept[set->kept_count++]);
}

static bool holds_with_static_friction(sal_contact_set *set, const sal_contact_problem *problem,
                                       const sal_contact_answer *answer)
{
    memcpy(set->mode, answer->mode, sizeof *set->mode * (size_t)problem->contacts);
    return sal_contact_try(set, problem, SAL_ONSET_STATIC);
}

/* Whether another set has sticking contacts where this one begins to slide, and only there. */
static bool is_premature(sal_contact_set *set, const sal_contact_problem *problem, int number)
{
    const unsigned begins = set->kept[number].begins;
    for (int i = 0; i < set->kept_count; i++) {
        const unsigned fewer = set->kept[i].begins;
        if (fewer != begins && (fewer & ~begins) == 0)
            return !holds_with_static_friction(set, problem, &set->kept[number]);
    }
    return false;
}

/* The status, and the answers, from the sets that were kept. */
static sal_contact_status conclude(sal_contact_set *set, const sal_contact_problem *problem)
{
    bool premature[SAL_CONTACT_KEPT];
    int  found = 0;
    for (int i = 0; i < set->kept_count; i++) premature[i] = is_premature(set, problem, i);
    for (int i = 0; i < set->kept_count; i++) {
        if (premature[i]) continue;
        if (found < 2) sal_contact_exchange(found == 0 ? &set->best : &set->other, &set->kept[i]);
        found++;
    }
    return found == 0 ? SAL_CONTACT_NONE : found == 1 ? SAL_CONTACT_FOUND : SAL_CONTACT_SEVERAL;
}

/* ---- enumeration ---------------------------------------------------------------------------- */

static bool has_friction(const sal_contact_problem *problem, int c)
{
    return sal_contact_takes_part(problem, c) && problem->contact[c].tangent >= 0;
}

static int count_bits(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* Without friction D decides about the rates: there are no two solutions with different ones. */
static bool is_smooth(const sal_contact_problem *problem)
{
    for (int c = 0; c < problem->contacts; c++)
        if (has_friction(problem, c)) return false;
    return true;
}

static bool can_enumerate(const sal_contact_problem *problem)
{
    int with_friction = 0, sets = 1;
    if (problem->pivoting || problem->contacts > MOST_CONTACTS) return false;
    for (int c = 0; c < problem->contacts; c++) {
        if (sal_contact_takes_part(problem, c))
            sets *= count_bits(sal_contact_candidates(problem, c));
        with_friction += has_friction(problem, c);
        if (sets > MOST_SETS) return false;
    }
    return with_friction <= MOST_WITH_FRICTION;
}

static sal_contact_mode lowest(unsigned modes) { return (sal_contact_mode)(modes & (0u - modes)); }

/* The first set. False: there is none, because a contact has no mode. */
static bool first_set(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int c = 0; c < problem->contacts; c++) {
        const unsigned modes = sal_contact_candidates(problem, c);
        const bool     part = sal_contact_takes_part(problem, c);
        set->idle[c] = false;
        set->mode[c] = part ? lowest(modes) : problem->contact[c].preferred;
        if (part && !modes) return false;
    }
    return true;
}

/* The next set, as a counter counts. False: that was the last one. */
static bool next_set(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int c = 0; c < problem->contacts; c++) {
        if (!sal_contact_takes_part(problem, c)) continue;
        const unsigned modes = sal_contact_candidates(problem, c);
        const unsigned above = modes & ~(2u * (unsigned)set->mode[c] - 1u);
        set->mode[c] = lowest(above ? above : modes);
        if (above) return true;
    }
    return false;
}

static void enumerate(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (!first_set(set, problem)) return;
    const bool smooth = is_smooth(problem);
    do {
        if (!sal_contact_try(set, problem, SAL_ONSET_KINETIC)) continue;
        const bool strict = set->trial.ties == 0 && set->trial.redundants == 0;
        keep(set, problem);
        if (smooth && strict) return;
    } while (next_set(set, problem));
}

sal_contact_status sal_contact_set_solve(sal_contact_set *set, const sal_contact_problem *problem)
{
    set->kept_count = 0;
    if (can_enumerate(problem)) {
        enumerate(set, problem);
        return conclude(set, problem);
    }
    return sal_contact_pivot(set, problem);
}
