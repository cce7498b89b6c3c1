/* The modes of all contacts that touch: see set.h. */
#include "contact/set.h"

#include <math.h>
#include <string.h>

#include "contact/lemke.h"
#include "contact/pivot.h"
#include "contact/trial.h"

/* Limits of enumeration, beyond which it takes too long. */
enum { MAX_CONTACTS = 10, MAX_WITH_FRICTION = 4, MAX_SETS = 4096 };

/* ---- memory --------------------------------------------------------------------------------- */

static void answer_init(sal_contact_answer *answer, int contacts, sal_arena *arena)
{
    answer->mode = ARENA_NEW(arena, contacts, sal_contact_mode);
    answer->redundant = ARENA_NEW(arena, contacts, bool);
    answer->unloaded = ARENA_NEW(arena, contacts, bool);
    answer->jammed = ARENA_NEW(arena, contacts, bool);
    ARENA_VECTORS(arena, 2 * contacts, &answer->force, &answer->rate);
}

bool sal_contact_set_init(sal_contact_set *set, int max_contacts, sal_arena *arena)
{
    const int rows = 2 * max_contacts;
    *set = (sal_contact_set){
        .mode = ARENA_NEW(arena, max_contacts, sal_contact_mode),
        .firmer_mode = ARENA_NEW(arena, max_contacts, sal_contact_mode),
        .idle = ARENA_NEW(arena, max_contacts, bool),
        .direction = ARENA_NEW(arena, max_contacts, int),
        .unknown = ARENA_NEW(arena, rows, int),
        .owner = ARENA_NEW(arena, rows, int),
        .column = ARENA_NEW(arena, rows, int),
        .used = ARENA_NEW(arena, rows + 1, int),
        .A = ARENA_NEW(arena, rows * rows, double),
        .normal_matrix = ARENA_NEW(arena, (rows + 1) * (rows + 1), double),
        .lemke = ARENA_NEW(arena, 1, sal_lemke),
        .line = ARENA_NEW(arena, SAL_PIVOT_UNKNOWNS * max_contacts, sal_contact_line)};
    ARENA_VECTORS(arena, max_contacts, &set->shared, &set->friction);
    ARENA_VECTORS(arena, rows, &set->b, &set->b_size, &set->x, &set->size, &set->scale);
    answer_init(&set->best, max_contacts, arena);
    answer_init(&set->other, max_contacts, arena);
    answer_init(&set->trial, max_contacts, arena);
    for (int i = 0; i < SAL_CONTACT_KEPT; i++) answer_init(&set->kept[i], max_contacts, arena);
    return set->lemke && sal_lemke_init(set->lemke, SAL_PIVOT_UNKNOWNS * max_contacts, arena);
}

/* Finds the units of forces: scale_r for row r, and 1 / scale_r for its rates, so that D has ones
 * on its diagonal. The scale of a row that no force can move is zero. */
static void find_scales(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int r = 0; r < problem->rows; r++) {
        const double diagonal = problem->D[r * problem->rows + r];
        set->scale[r] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
    }
}

/* ---- sets that hold ------------------------------------------------------------------------- */

/* Keeps the trial if it is the best set with its rates. */
static void keep(sal_contact_set *set, const sal_contact_problem *problem)
{
    for (int i = 0; i < set->kept_count; i++) {
        if (!sal_contact_same_rates(problem, &set->trial, &set->kept[i])) continue;
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

/* Moves the kept sets that also hold with static friction to the front. Returns their number. */
static int sort_out_premature(sal_contact_set *set, const sal_contact_problem *problem)
{
    int firm = 0;
    for (int i = 0; i < set->kept_count; i++) {
        if (set->kept[i].begins && !holds_with_static_friction(set, problem, &set->kept[i]))
            continue;
        if (i != firm) sal_contact_exchange(&set->kept[i], &set->kept[firm]);
        firm++;
    }
    return firm;
}

/* Finds the set that contacts reach when they break loose from static friction one after the other,
 * and moves it to the front of the kept sets. Returns false if it is not among them. */
static bool follow_release(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (sal_contact_pivot(set, problem) != SAL_CONTACT_FOUND) return false;
    for (int i = 0; i < set->kept_count; i++) {
        if (!sal_contact_same_rates(problem, &set->best, &set->kept[i])) continue;
        if (i > 0) sal_contact_exchange(&set->kept[0], &set->kept[i]);
        return true;
    }
    return false;
}

/* Writes the answers from the kept sets, and returns the status. */
static sal_contact_status conclude(sal_contact_set *set, const sal_contact_problem *problem)
{
    if (set->kept_count == 0) return SAL_CONTACT_NONE;
    bool unique = set->kept_count == 1;
    if (!unique) {
        const int firm = sort_out_premature(set, problem);
        unique = firm == 1 || (firm == 0 && follow_release(set, problem));
    }
    sal_contact_exchange(&set->best, &set->kept[0]);
    if (unique) return SAL_CONTACT_FOUND;
    sal_contact_exchange(&set->other, &set->kept[1]);
    return SAL_CONTACT_SEVERAL;
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

/* Whether no contact has friction: the rates are then unique. */
static bool is_smooth(const sal_contact_problem *problem)
{
    for (int c = 0; c < problem->contacts; c++)
        if (has_friction(problem, c)) return false;
    return true;
}

static bool can_enumerate(const sal_contact_problem *problem)
{
    int with_friction = 0, sets = 1;
    if (problem->pivoting || problem->contacts > MAX_CONTACTS) return false;
    for (int c = 0; c < problem->contacts; c++) {
        if (sal_contact_takes_part(problem, c))
            sets *= count_bits(sal_contact_candidates(problem, c));
        with_friction += has_friction(problem, c);
        if (sets > MAX_SETS) return false;
    }
    return with_friction <= MAX_WITH_FRICTION;
}

static sal_contact_mode lowest(unsigned modes) { return (sal_contact_mode)(modes & (0u - modes)); }

/* Sets the modes to the first set. Returns false if a contact has no possible mode. */
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

/* Moves on to the next set, like a counter. Returns false after the last one. */
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

/* Tries all sets, from the first one on. */
static void enumerate(sal_contact_set *set, const sal_contact_problem *problem)
{
    do {
        if (sal_contact_try(set, problem, SAL_ONSET_KINETIC)) keep(set, problem);
    } while (next_set(set, problem));
}

static sal_contact_status find_set(sal_contact_set *set, const sal_contact_problem *problem)
{
    const bool few = can_enumerate(problem);
    set->kept_count = 0;
    if (!first_set(set, problem)) return SAL_CONTACT_NONE;
    if (!few || is_smooth(problem)) {
        const sal_contact_status status = sal_contact_pivot(set, problem);
        if (!few || (status == SAL_CONTACT_FOUND && set->best.ties == 0)) return status;
    }
    first_set(set, problem);
    enumerate(set, problem);
    return conclude(set, problem);
}

/* If there is no set with independent rows, any set will do: contacts with a limit that no force
 * exceeds have no edge of a cone to slide on. */
sal_contact_status sal_contact_set_solve(sal_contact_set *set, const sal_contact_problem *problem)
{
    find_scales(set, problem);
    set->independent = problem->independent;
    sal_contact_status status = find_set(set, problem);
    if (!problem->independent || status == SAL_CONTACT_FOUND || status == SAL_CONTACT_SEVERAL)
        return status;
    set->independent = false;
    return find_set(set, problem);
}
