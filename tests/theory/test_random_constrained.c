/* Random mechanisms: all ways to a gradient agree. Every seed is one model (random_mechanism.h). */

/* What is compared, and how far it may be off. */
#define CHECK_LIST(X)                                                                              \
    X(DIRECT_ADJOINT, "direct and adjoint", 1e-8)                                                  \
    X(DIRECT_DISCRETE, "direct and discrete", 1e-8)                                                \
    X(DISCRETE_TANGENT, "discrete and tangent", 1e-12)                                             \
    X(LOOSE_DUALITY, "discrete and tangent, loose tolerance", 1e-12)                               \
    X(DIRECT_FD, "direct and fd", 1e-5)                                                            \
    X(CHECKPOINTS, "discrete with and without checkpoints", 0.0)                                   \
    X(ROW_DUALITY, "adjoint along the motion times tangent", 1e-8)                                 \
    X(JUMP_MATRIX, "jump matrix times tangent before, and after", 1e-10)

static const double TIGHT = 1e-11, LOOSE = 1e-4;

#include "random_checks.h"
#include "random_mechanism.h"

TEST(seeds_of_the_environment)
{
    UNUSED_STATE;
    if (!soaking()) skip();
    assert_int_equal(check_environment(random_mechanism_make), 0);
}

BLOCK(random_mechanism_make, 1, 50)
BLOCK(random_mechanism_make, 51, 100)
BLOCK(random_mechanism_make, 101, 136)
BLOCK(random_mechanism_make, 137, 151)

TEST(most_mechanisms_are_checked_and_many_have_events)
{
    UNUSED_STATE;
    show_account();
    EXPECT(10 * total.checked >= 6 * total.models);
    EXPECT(5 * total.with_events >= 2 * total.checked);
}

TEST_MAIN(RUN(seeds_of_the_environment), RUN(seeds_1_to_50), RUN(seeds_51_to_100),
          RUN(seeds_101_to_136), RUN(seeds_137_to_151),
          RUN(most_mechanisms_are_checked_and_many_have_events))
