/* Is every contestant right? bench --check runs each of them once, at a tight tolerance, and
 * compares with the references; nothing is timed. */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "saltus/saltus.h"

static int check(const char *section, contestants *all, reference *ref)
{
    static const double tol = 1e-11, limit = 1e-6;
    int                 wrong = 0;
    for (int i = 0; i < all->count; i++) {
        answer       a = {NAN, NULL, 0, 0};
        const bool   ran = all->list[i].run(all->list[i].self, tol, &a);
        const double error = ran ? reference_error(ref, &a) : NAN;
        answer       cost_only = a;
        cost_only.gradient = NULL;
        const double cost_error = ran ? reference_error(ref, &cost_only) : NAN;
        const bool   right = error < limit && cost_error < limit && a.events == ref->events;
        table_cell("%s", section);
        table_cell("%s", all->list[i].name);
        table_cell("%d", a.events);
        table_cell("%.1e", error);
        table_cell("%s", right ? "right" : "WRONG");
        wrong += !right;
    }
    contestants_release(all);
    reference_release(ref);
    return wrong;
}

static void add_saltus(contestants *all, const saltus_entry *entry)
{
    static const int methods[] = {FORWARD, SALTUS_DISCRETE, SALTUS_DIRECT, SALTUS_ADJOINT};
    for (int i = 0; i < 4; i++)
        for (int native = 0; native < 2; native++)
            saltus_contestant(all, entry, methods[i], native);
}

int check_contestants(void)
{
    const saltus_entry springs = {.path = "bench/models/springs.lua",
                                  .set = {"masses"},
                                  .value = {10},
                                  .cost = "cost",
                                  .wrt = "k*"};
    const saltus_entry ball = {
        .path = "bench/models/ball.lua", .cost = "cost", .wrt = "g,e,h", .max_events = 2000};
    const problem ten = springs_problem(10);
    contestants   all = five_bar_forward();
    reference     ref = reference_five_bar();
    int           wrong;
    table_open("problem|contestant|events|error|");
    wrong = check("five-bar", &all, &ref);
    all = five_bar_gradient();
    ref = reference_five_bar();
    wrong += check("five-bar", &all, &ref);
    add_saltus(&all, &springs);
    sundials_contestants(&all, &ten, true, true);
    petsc_contestants(&all, &ten, true, true);
    ref = reference_springs(10);
    wrong += check("springs", &all, &ref);
    add_saltus(&all, &ball);
    sundials_contestants(&all, &ball_problem, true, true);
    petsc_contestants(&all, &ball_problem, true, true);
    ref = reference_ball();
    wrong += check("ball", &all, &ref);
    table_close();
    if (wrong) printf("%d of them are wrong\n", wrong);
    return wrong;
}
