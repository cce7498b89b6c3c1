/* Random hybrid models: all ways to a gradient agree. Every seed is one model (random_model.h). */
/* What is compared, and how far it may be off. */
#define CHECK_LIST(X)                                                                              \
    X(DIRECT_ADJOINT, "direct and adjoint", 1e-8)                                                  \
    X(DIRECT_DISCRETE, "direct and discrete", 1e-8)                                                \
    X(DISCRETE_TANGENT, "discrete and tangent", 1e-12)                                             \
    X(LOOSE_DUALITY, "discrete and tangent, loose tolerance", 1e-12)                               \
    X(DIRECT_FD, "direct and fd", 1e-7)                                                            \
    X(CHECKPOINTS, "discrete with and without checkpoints", 0.0)                                   \
    X(ROW_DUALITY, "adjoint along the motion times tangent", 1e-8)                                 \
    X(JUMP_MATRIX, "jump matrix times tangent before, and after", 1e-10)

static const double MAX_GROWTH = 1e30, MIN_RATE = 0.0, TIGHT = 1e-12, LOOSE = 1e-4;
enum { MAX_STEPS = 20000, SANITIZED_SEEDS = 50 };

#include "random_checks.h"
#include "random_model.h"

static verdict last_check(subject *s)
{
    (void)s;
    return CHECKED;
}

/* ---- the claims ----------------------------------------------------------------------------- */

TEST(seeds_of_the_environment)
{
    if (!soaking()) skip();
    assert_int_equal(check_environment(random_model_make), 0);
}

BLOCK(random_model_make, 1, 50)
BLOCK(random_model_make, 51, 100)
BLOCK(random_model_make, 101, 150)
BLOCK(random_model_make, 151, 200)
BLOCK(random_model_make, 201, 250)
BLOCK(random_model_make, 251, 300)
BLOCK(random_model_make, 301, 350)
BLOCK(random_model_make, 351, 400)
BLOCK(random_model_make, 401, 450)
BLOCK(random_model_make, 451, 500)

/* A gradient that is wrong in the fourth digit is found, in every row that is not negligible. */
TEST(an_error_of_1e_4_is_caught)
{
    static random_model m;
    static subject      s;
    int                 tried = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        saltus_error err = {0};
        random_model_make(&m, seed);
        memset(&s, 0, sizeof s);
        s.seed = seed;
        s.model = &m;
        if (prepare(&s, &err) && !reason_to_leave_out(s.run) && sample_tangents(&s) == CHECKED &&
            !differentiate(&s, s.run, SALTUS_DIRECT, &s.by[SALTUS_DIRECT], &err))
            for (int i = 0; i < rows_of(&s); i++) {
                const derivatives *right = &s.by[SALTUS_DIRECT];
                derivatives        wrong = *right;
                const double       largest = largest_entry(right, i, s.params);
                if (100.0 * largest < scale_of(&s, right, i)) continue;
                for (int j = 0; j < s.params; j++)
                    if (fabs(right->row[i][j]) == largest) wrong.row[i][j] *= 1.0 + 1e-4;
                const difference d = compare(&s, right, &wrong);
                tried++;
                EXPECT(d.row == i && d.off > checks[DIRECT_ADJOINT].allowed);
                EXPECT(d.off > checks[DIRECT_FD].allowed);
                wrong.row[i][0] = NAN;
                EXPECT(compare(&s, right, &wrong).off > checks[DIRECT_FD].allowed);
            }
        saltus_run_free(s.run);
        saltus_system_free(s.system);
    }
    EXPECT(tried > 100);
}

TEST(most_models_are_checked_and_half_of_them_have_events)
{
    show_account();
    EXPECT(10 * total.checked >= 7 * total.models);
    EXPECT(2 * total.with_events >= total.checked);
}

TEST_MAIN(RUN(seeds_of_the_environment), RUN(seeds_1_to_50), RUN(seeds_51_to_100),
          RUN(seeds_101_to_150), RUN(seeds_151_to_200), RUN(seeds_201_to_250),
          RUN(seeds_251_to_300), RUN(seeds_301_to_350), RUN(seeds_351_to_400),
          RUN(seeds_401_to_450), RUN(seeds_451_to_500), RUN(an_error_of_1e_4_is_caught),
          RUN(most_models_are_checked_and_half_of_them_have_events))
