/* Random mechanisms: all ways to a gradient agree. Every seed is one model (random_mechanism.h). */

/* What is compared, and how far it may be off. */
#define CHECK_LIST(X)                                                                              \
    X(DIRECT_ADJOINT, "direct and adjoint", 1e-8)                                                  \
    X(DIRECT_DISCRETE, "direct and discrete", 1e-8)                                                \
    X(DISCRETE_TANGENT, "discrete and tangent", 1e-12)                                             \
    X(LOOSE_DUALITY, "discrete and tangent, loose tolerance", 1e-12)                               \
    X(DIRECT_FD, "direct and fd", 1e-6)                                                            \
    X(CHECKPOINTS, "discrete with and without checkpoints", 0.0)                                   \
    X(ROW_DUALITY, "adjoint along the motion times tangent", 1e-8)                                 \
    X(JUMP_MATRIX, "jump matrix times tangent before, and after", 1e-10)

static const double MAX_GROWTH = 1e4, MIN_RATE = 1e-2, TIGHT = 1e-11, LOOSE = 1e-4;
enum { MAX_STEPS = 1200, SANITIZED_SEEDS = 50 };

#include "random_checks.h"
#include "random_mechanism.h"

/* ---- what was covered ----------------------------------------------------------------------- */

/* One row each: name, text, at least this many of the models checked, and how they are recognised:
 * by part of their script, or by the name of an event that happened. */
#define COVERAGE_LIST(X)                                                                           \
    X(CHAINS, "chains", 100, WRITTEN, "-- chain\n")                                                \
    X(LOOPS, "closed loops", 50, WRITTEN, "-- loop\n")                                             \
    X(TIMES, "constraints that move", 100, WRITTEN, "-- moves\n")                                  \
    X(MEMORIES, "memories in constraints", 40, WRITTEN, "memory(")                                 \
    X(PENALTIES, "the penalty formulation", 50, WRITTEN, "penalty")                                \
    X(REACTIONS, "reactions in costs", 60, WRITTEN, " + multiplier(")                              \
    X(ACCELERATIONS, "accelerations in costs", 60, WRITTEN, "ddot(")                               \
    X(IMPULSES, "charges of impulses", 40, WRITTEN, "impulse(")                                    \
    X(REACTION_GUARDS, "reactions in guards", 40, WRITTEN, "when = multiplier(")                   \
    X(RESTITUTIONS, "impacts with restitution", 40, HAPPENED, "hit")                               \
    X(GIVEN_LAWS, "given velocities", 40, HAPPENED, "kick")                                        \
    X(LANDINGS, "constraints gained: a point lands", 10, HAPPENED, "stick")                        \
    X(LIFTS, "constraints lost: it lifts off", 5, HAPPENED, "lift")                                \
    X(JERKS, "constraints gained: a rope goes taut", 5, HAPPENED, "jerk")                          \
    X(SLACKS, "constraints lost: it goes slack", 2, HAPPENED, "slacken")                           \
    X(GRIPS, "constraints gained: a clamp closes", 20, HAPPENED, "grip")                           \
    X(SWAPS, "constraints replaced: it changes its grip", 10, HAPPENED, "swap")                    \
    X(RELEASES, "constraints lost: it opens", 5, HAPPENED, "release")                              \
    X(SNAPS, "constraints lost: a link breaks", 20, HAPPENED, "snap")

typedef enum coverage {
#define COVERAGE_ROW(name, text, least, how, part) name,
    COVERAGE_LIST(COVERAGE_ROW)
#undef COVERAGE_ROW
        COVERAGES
} coverage;

enum { WRITTEN, HAPPENED };

static const struct {
    const char *text;
    int         least, how;
    const char *part;
} covers[] = {
#define COVERAGE_ROW(name, text, least, how, part) {text, least, how, part},
    COVERAGE_LIST(COVERAGE_ROW)
#undef COVERAGE_ROW
};

static int covered[COVERAGES];

static bool happened(const subject *s, const char *name)
{
    for (int i = 0; i < s->events; i++)
        if (!strncmp(saltus_run_event(s->run, i).name, name, strlen(name))) return true;
    return false;
}

static void note_coverage(const subject *s)
{
    for (int i = 0; i < COVERAGES; i++)
        covered[i] += covers[i].how == HAPPENED ? happened(s, covers[i].part)
                                                : strstr(s->model->text, covers[i].part) != NULL;
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* All outputs are what a link is off by: it keeps its length, whatever the gradients say. */
static const double MAX_DRIFT = 1e-8;
static double       worst_drift;

typedef struct drift {
    int    outputs;
    double largest;
} drift;

static int note_drift(void *context, const saltus_row *row)
{
    drift *d = context;
    for (int i = 0; i < d->outputs; i++) d->largest = fmax(d->largest, fabs(row->output[i]));
    return 0;
}

static verdict check_lengths(subject *s)
{
    double       times[SAMPLES];
    saltus_error err = {0};
    drift        d = {saltus_system_size(s->system).outputs, 0.0};
    if (saltus_system_options(s->system).formulation == SALTUS_PENALTY) return CHECKED;
    sample_times(s, times);
    saltus_run_trajectory(s->run, times, SAMPLES, note_drift, &d, &err);
    if (err.status) return refuse(s, "trajectory", &err);
    if (!(d.largest <= MAX_DRIFT)) return complain(s, "a link is off by %.2g", d.largest);
    worst_drift = fmax(worst_drift, d.largest);
    return CHECKED;
}

static verdict last_check(subject *s)
{
    note_coverage(s);
    return check_lengths(s);
}

/* ---- the claims ----------------------------------------------------------------------------- */

TEST(seeds_of_the_environment)
{
    if (!soaking()) skip();
    assert_int_equal(check_environment(random_mechanism_make), 0);
}

BLOCK(random_mechanism_make, 1, 50)
BLOCK(random_mechanism_make, 51, 100)
BLOCK(random_mechanism_make, 101, 150)
BLOCK(random_mechanism_make, 151, 200)
BLOCK(random_mechanism_make, 201, 250)
BLOCK(random_mechanism_make, 251, 300)
BLOCK(random_mechanism_make, 301, 350)

TEST(most_mechanisms_are_checked_and_many_have_events)
{
    show_account();
    print_message("  lengths of links: worst %.1e, allowed %.1e\n", worst_drift, MAX_DRIFT);
    EXPECT(10 * total.checked >= 6 * total.models);
    EXPECT(5 * total.with_events >= 2 * total.checked);
}

TEST(every_kind_of_mechanism_is_covered)
{
    for (int i = 0; i < COVERAGES; i++)
        print_message("  %4d with %s\n", covered[i], covers[i].text);
    if (soaking() || SANITIZED) return;
    for (int i = 0; i < COVERAGES; i++)
        if (covered[i] < covers[i].least)
            fail_msg("%d models with %s, at least %d are wanted", covered[i], covers[i].text,
                     covers[i].least);
}

TEST_MAIN(RUN(seeds_of_the_environment), RUN(seeds_1_to_50), RUN(seeds_51_to_100),
          RUN(seeds_101_to_150), RUN(seeds_151_to_200), RUN(seeds_201_to_250),
          RUN(seeds_251_to_300), RUN(seeds_301_to_350),
          RUN(most_mechanisms_are_checked_and_many_have_events),
          RUN(every_kind_of_mechanism_is_covered))
