/* Loads a model from a script, simulates it and prints one cost with its gradient.
 *
 *     ball [MODEL [COST]] */
#include <stdio.h>
#include <stdlib.h>

#include <saltus/saltus.h>

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "models/bouncing_ball.lua";
    const char *cost = argc > 2 ? argv[2] : "int_v2";

    /* One error for all calls: after a failure the calls that follow do nothing. */
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(file, &err);
    saltus_system *system = model ? saltus_system_compile(model, &err) : NULL;
    saltus_run    *run = system ? saltus_run_new(system, NULL, &err) : NULL;
    saltus_model_free(model); /* the system has copied what it needs */

    double  value = 0.0;
    int     params = system ? saltus_system_size(system).params : 0;
    double *gradient = calloc((size_t)params + 1, sizeof *gradient);
    if (run && gradient) {
        saltus_run_simulate(run, NULL, &err);
        saltus_run_cost_gradient(run, cost, &value, gradient, &err);
    }

    if (err.status) {
        fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.message);
    } else if (gradient) {
        printf("%s of %s = %.8f, after %d events\n", cost, saltus_system_name(system), value,
               saltus_run_get_info(run)->events);
        for (int i = 0; i < params; i++)
            printf("  by %-4s %14.8f\n", saltus_system_param(system, i).name, gradient[i]);
    }
    free(gradient);
    saltus_run_free(run);
    saltus_system_free(system);
    return saltus_status_exit_code(err.status);
}
