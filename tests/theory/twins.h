/* Motions that must be the same, and gradients that must agree. */
#ifndef TEST_TWINS_H
#define TEST_TWINS_H

#include "scripted.h"

/* Every derivative of every cost: by all methods, and by finite differences. */
static inline void expect_all_methods_agree(scripted *s, double tolerance)
{
    double exact[MAX_COSTS * MAX_PARAMS], other[MAX_COSTS * MAX_PARAMS];
    for (int m = -1; m < METHODS; m++) {
        const saltus_request request = {.method = m < 0 ? SALTUS_FD : all_methods[m]};
        double *const        to = m < 0 ? exact : other;
        if (saltus_run_gradients(s->run, &request, to, NULL, NULL, &s->err))
            fail_msg("%s: %s", saltus_method_name(request.method), s->err.message);
        for (int i = 0; m >= 0 && i < s->size.costs * s->size.params; i++) {
            const double allowed = tolerance * fmax(1.0, fabs(exact[i]));
            if (!(fabs(other[i] - exact[i]) <= allowed))
                fail_msg("cost %d by parameter %d: %s gives %.17g, finite differences %.17g",
                         i / s->size.params, i % s->size.params, saltus_method_name(request.method),
                         other[i], exact[i]);
        }
    }
}

/* Runs to the end of its horizon, with gradients that agree. */
static inline scripted run_well(const char *script)
{
    scripted s = run_to(script, SALTUS_END);
    expect_all_methods_agree(&s, 1e-6);
    return s;
}

/* Two scripts with the same parameters and costs: the same values and the same gradients. */
static inline void expect_twins(const char *element, const char *by_hand, double tolerance)
{
    scripted a = run_well(element), b = run_to(by_hand, SALTUS_END);
    EXPECT(a.size.costs == b.size.costs && a.size.params == b.size.params);
    double value[2][MAX_COSTS], slope[2][MAX_COSTS * MAX_PARAMS];
    for (int i = 0; i < 2; i++) {
        scripted *const      s = i ? &b : &a;
        const saltus_request request = {.method = SALTUS_DISCRETE};
        saltus_run_costs(s->run, value[i], &s->err);
        if (saltus_run_gradients(s->run, &request, slope[i], NULL, NULL, &s->err))
            fail_msg("%s", s->err.message);
    }
    for (int k = 0; k < a.size.costs; k++) {
        EXPECT_NEAR(value[0][k], value[1][k], tolerance);
        for (int j = 0; j < a.size.params; j++)
            EXPECT_NEAR(slope[0][k * a.size.params + j], slope[1][k * a.size.params + j],
                        tolerance * fmax(1.0, fabs(slope[1][k * a.size.params + j])));
    }
    release(&a);
    release(&b);
}

#endif
