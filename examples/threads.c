/* One system, several threads, each with a run of its own: a scan over the restitution e. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <saltus/saltus.h>

enum { THREADS = 4, VALUES = 8 };

typedef struct job {
    const saltus_system *system;
    int                  first; /* values first, first + THREADS, ... */
    double               e[VALUES], cost[VALUES], slope[VALUES]; /* slope: d(cost)/d(e) */
    saltus_error         err;
} job;

static void *scan(void *context)
{
    job        *j = context;
    const int   params = saltus_system_size(j->system).params;
    const int   e = saltus_system_find_param(j->system, "e");
    double     *rho = calloc((size_t)params, sizeof *rho);
    double     *gradient = calloc((size_t)params, sizeof *gradient);
    saltus_run *run = saltus_run_new(j->system, NULL, &j->err);
    for (int i = 0; i < params && rho; i++) rho[i] = saltus_system_param(j->system, i).value;
    for (int i = j->first; i < VALUES && run && rho && gradient; i += THREADS) {
        rho[e] = j->e[i] = 0.7 + 0.04 * i;
        saltus_run_simulate(run, rho, &j->err);
        saltus_run_cost_gradient(run, "energy_tF", &j->cost[i], gradient, &j->err);
        j->slope[i] = gradient[e];
    }
    saltus_run_free(run);
    free(rho);
    free(gradient);
    return NULL;
}

int main(int argc, char **argv)
{
    const char    *file = argc > 1 ? argv[1] : "models/bouncing_ball.lua";
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(file, &err);
    saltus_system *system = model ? saltus_system_compile(model, &err) : NULL;
    saltus_model_free(model);

    static job jobs[THREADS];
    pthread_t  thread[THREADS];
    for (int k = 0; k < THREADS && system; k++) {
        jobs[k].system = system;
        jobs[k].first = k;
        if (pthread_create(&thread[k], NULL, scan, &jobs[k]) != 0) return 1;
    }
    for (int k = 0; k < THREADS && system; k++) {
        pthread_join(thread[k], NULL);
        if (!err.status) err = jobs[k].err;
    }
    if (err.status) fprintf(stderr, "%s\n", err.message);
    else
        for (int i = 0; i < VALUES; i++) {
            const job *j = &jobs[i % THREADS];
            printf("e = %.2f  energy at the end %.4f J  slope %.4f\n", j->e[i], j->cost[i],
                   j->slope[i]);
        }
    saltus_system_free(system);
    return saltus_status_exit_code(err.status);
}
