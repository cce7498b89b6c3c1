/* A ball that must be 0.1 high and fall at 2 when t = 1, after a bounce: Newton's method on its
 * state at the start, with the derivatives of the end by it. Then how far the answer is from
 * another sequence of events. */
#include <stdio.h>
#include <string.h>

#include <saltus/saltus.h>

static const char script[] = "model 'ball'\n"
                             "local e = param('e', 0.8)\n"
                             "local y = coordinate('y', {start = 1})\n"
                             "mass(y, 1) force(y, -9.81)\n"
                             "event('floor', {when = y, direction = 'falling', restitution = e})\n"
                             "cost('y2', {integral = y^2})\n"
                             "horizon(0, 1)\n";

static int print_clearance(void *context, const saltus_clearance *clearance)
{
    (void)context;
    if (clearance->kind != SALTUS_CLEAR_SWAP)
        printf("  %-30s %.6f, by e %+.6f\n", clearance->text, clearance->value,
               clearance->gradient[0]);
    return 0;
}

int main(void)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load_text("ball.lua", script, strlen(script), NULL, &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_run    *run = saltus_run_new(system, NULL, &err);
    const double   goal[2] = {0.1, -2.0}, unit[4] = {1.0, 0.0, 0.0, 1.0};
    double         x[2] = {0.3, 2.0}, end[2], by[4];
    for (int i = 0; i < 8 && !err.status; i++) {
        const saltus_start_state start = {.q = &x[0], .v = &x[1]};
        saltus_run_simulate_from(run, &start, 0.0, 1.0, NULL, &err);
        saltus_run_state(run, -1, 0, NULL, &end[0], &end[1], NULL, &err);
        saltus_run_jvp(run, 2, NULL, unit, NULL, NULL, by, NULL, &err);
        const double r[2] = {goal[0] - end[0], goal[1] - end[1]};
        const double det = by[0] * by[3] - by[1] * by[2];
        printf("start %.6f %.6f, end %.6f %.6f\n", x[0], x[1], end[0], end[1]);
        if (r[0] * r[0] + r[1] * r[1] < 1e-18) break;
        x[0] += (r[0] * by[3] - r[1] * by[1]) / det;
        x[1] += (r[1] * by[0] - r[0] * by[2]) / det;
    }
    printf("distances to other events:\n");
    saltus_run_clearances(run, NULL, 0, print_clearance, NULL, &err);
    if (err.status) printf("%s\n", err.message);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
    return err.status != SALTUS_OK;
}
