/* What the nodes of a control cost: the cart-pole with n nodes, against the same motion whose steps
 * are forced to end at the same n times. Times are medians, in turn, of the processor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "saltus/saltus.h"

enum { ROUNDS = 9 };

static const char program[] = "bench_nodes";

static const char script[] =
    "model 'cart-pole'\n"
    "local n, kind = setting('n', 0), setting('kind', 'hold')\n"
    "local m1, m2, l, g = 1, 0.3, 0.5, 9.81\n"
    "local x, q = coordinate('x'), coordinate('q')\n"
    "kinetic(0.5 * (m1 + m2) * dot(x)^2 + m2 * l * cos(q) * dot(x) * dot(q)\n"
    "        + 0.5 * m2 * l^2 * dot(q)^2)\n"
    "potential(-m2 * g * l * cos(q))\n"
    "local u = n > 0 and control('u', {kind = kind, nodes = n, start = 1})\n"
    "          or memory('u', param('u0', 1))\n"
    "force(x, u)\n"
    "cost('J', {integral = u^2, final = (q - 3)^2})\n"
    "horizon(0, 2)\n";

typedef struct entry {
    saltus_system *system;
    saltus_run    *run;
    double         forward[ROUNDS], gradient[ROUNDS];
} entry;

static entry load(int nodes, const char *kind, int forced, saltus_backend backend)
{
    entry                 e = {0};
    saltus_error          err = {0};
    const saltus_override given[] = {{"n", nodes, NULL}, {"kind", 0.0, kind}};
    saltus_script_options how = saltus_script_options_default();
    how.overrides = given;
    how.override_count = 2;
    saltus_model *model =
        saltus_model_load_text("cart_pole.lua", script, strlen(script), &how, &err);
    e.system = saltus_system_compile(model, &err);
    saltus_options options = saltus_system_options(e.system);
    options.rtol = options.atol = 1e-8;
    options.backend = backend;
    if (forced) options.max_step = options.first_step = 2.0 / forced;
    e.run = saltus_run_new(e.system, &options, &err);
    saltus_model_free(model);
    stop_on(program, &err);
    return e;
}

static void evaluate(entry *e, int round)
{
    const saltus_request request = {.method = SALTUS_DISCRETE};
    const int            params = saltus_system_size(e->system).params;
    double              *gradient = calloc((size_t)params, sizeof *gradient);
    saltus_error         err = {0};
    double               start = seconds_cpu();
    saltus_run_simulate(e->run, NULL, &err);
    e->forward[round] = seconds_cpu() - start;
    saltus_run_gradients(e->run, &request, gradient, NULL, NULL, &err);
    e->gradient[round] = seconds_cpu() - start;
    free(gradient);
    stop_on(program, &err);
}

static void compare(int nodes, const char *kind, saltus_backend backend, const char *how)
{
    entry plain = load(0, kind, nodes, backend), own = load(nodes, kind, 0, backend);
    for (int i = -3; i < ROUNDS; i++) { /* the first ones prepare, and compile */
        evaluate(&plain, i < 0 ? 0 : i);
        evaluate(&own, i < 0 ? 0 : i);
    }
    const double f0 = median(plain.forward, ROUNDS), f1 = median(own.forward, ROUNDS);
    const double g0 = median(plain.gradient, ROUNDS), g1 = median(own.gradient, ROUNDS);
    printf("| %d | %s | %s | %lld, %lld | %.3g | %.3g | %.2f | %.3g | %.3g | %.2f |\n", nodes, kind,
           how, saltus_run_get_info(plain.run)->steps, saltus_run_get_info(own.run)->steps,
           1e6 * f0 / nodes, 1e6 * f1 / nodes, f1 / f0, 1e6 * g0 / nodes, 1e6 * g1 / nodes,
           g1 / g0);
    saltus_run_free(plain.run);
    saltus_run_free(own.run);
    saltus_system_free(plain.system);
    saltus_system_free(own.system);
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"hold", "linear", "cubic"};
    const int                nodes = argc > 1 ? atoi(argv[1]) : 1000;
    printf("| nodes | kind | kernels | steps | forced, us | nodes, us | ratio "
           "| forced, gradient, us | nodes, gradient, us | ratio "
           "|\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < 3; k++) {
        if (argc < 3) compare(nodes, kinds[k], SALTUS_INTERP, "interpreted");
        compare(nodes, kinds[k], SALTUS_NATIVE, "native");
    }
    return 0;
}
