/* The bouncing ball without a script: the builders of the library make the same model. */
#include <stdio.h>

#include <saltus/saltus.h>

/* The ball of models/bouncing_ball.lua, with one of its costs. */
static void build_ball(saltus_model *m)
{
    saltus_model_set_name(m, "bouncing ball");
    const saltus_expr g = saltus_param(m, "g", 9.81, &(saltus_param_def){.unit = "m/s^2"});
    const saltus_expr e = saltus_param(m, "e", 0.8, &(saltus_param_def){.doc = "restitution"});
    const saltus_expr h0 = saltus_param(m, "h0", 1.0, NULL);
    const saltus_expr v0 = saltus_param(m, "v0", 0.5, NULL);

    const saltus_expr y =
        saltus_coordinate(m, "y", &(saltus_coordinate_def){.start = h0, .speed = v0});
    const saltus_expr v = saltus_dot(m, y);
    saltus_mass(m, y, saltus_number(m, 1.0), SALTUS_ALL_MODES);
    saltus_force(m, y, saltus_neg(m, g), SALTUS_ALL_MODES);

    const saltus_event floor =
        saltus_event_new(m, "floor", y, SALTUS_FALLING, SALTUS_ALL_MODES, SALTUS_ALL_MODES);
    saltus_event_restitution(m, floor, e);

    saltus_cost(m, "int_v2", saltus_square(m, v), SALTUS_NONE, NULL, NULL);
    saltus_horizon(m, 0.0, saltus_number(m, 2.0));
}

static void print_result(const saltus_system *system, double value, const double *gradient)
{
    printf("int_v2 = %.8f\n", value);
    for (int i = 0; i < saltus_system_size(system).params; i++)
        printf("  by %-4s %14.8f\n", saltus_system_param(system, i).name, gradient[i]);
}

int main(void)
{
    saltus_error   err = {0};
    saltus_system *system = NULL;
    saltus_run    *run = NULL;
    saltus_model  *model = saltus_model_new(NULL, &err);
    if (model) {
        build_ball(model); /* mistakes are kept in the model and reported here: */
        system = saltus_system_compile(model, &err);
        saltus_model_free(model);
    }
    if (system) run = saltus_run_new(system, NULL, &err);
    if (run) {
        double value, gradient[4];
        saltus_run_simulate(run, NULL, &err);
        if (saltus_run_cost_gradient(run, "int_v2", &value, gradient, &err) == SALTUS_OK)
            print_result(system, value, gradient);
    }
    if (err.status) fprintf(stderr, "%s\n", err.message);
    saltus_run_free(run);
    saltus_system_free(system);
    return saltus_status_exit_code(err.status);
}
