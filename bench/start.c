/* The command line from start to finish: with compiled kernels in the cache, and with an empty one.
 */
#define _GNU_SOURCE
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "clock.h"
#include "saltus/saltus.h"

extern char **environ;

/* Wall seconds of one command, its output thrown away; nan if it fails. */
static double run_command(const char *backend)
{
    char                      *words[] = {BENCH_SALTUS,
                                          "gradient",
                                          SALTUS_SOURCE_DIR "/models/five_bar.lua",
                                          "--backend",
                                          (char *)(size_t)backend,
                                          "--quiet",
                                          "--json",
                                          NULL};
    posix_spawn_file_actions_t actions;
    pid_t                      child;
    int                        status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
    const double start = seconds_wall();
    const bool   good = !posix_spawn(&child, BENCH_SALTUS, &actions, NULL, words, environ) &&
                      waitpid(child, &status, 0) == child && status == 0;
    posix_spawn_file_actions_destroy(&actions);
    return good ? seconds_wall() - start : NAN;
}

static void forget(const char *cache)
{
    char *words[] = {"rm", "-rf", (char *)(size_t)cache, NULL};
    pid_t child;
    if (!posix_spawnp(&child, "rm", NULL, NULL, words, environ)) waitpid(child, NULL, 0);
}

/* Seconds in the compiler, all of the model's kernels. */
static double compile_seconds(void)
{
    saltus_error   err = {0};
    saltus_model  *model = saltus_model_load(SALTUS_SOURCE_DIR "/models/five_bar.lua", &err);
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_model_free(model);
    if (err.status) return NAN;
    saltus_options options = saltus_system_options(system);
    options.backend = SALTUS_NATIVE;
    saltus_run *run = saltus_run_new(system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    const saltus_backend_info info = saltus_system_backend(system);
    const double              seconds = info.compiled ? info.seconds : NAN;
    saltus_run_free(run);
    saltus_system_free(system);
    return seconds;
}

void section_start(const plan *how)
{
    enum { COLD = 5, WARM = 21 };
    const char *before = getenv("XDG_CACHE_HOME");
    char        cache[] = "/tmp/saltus-bench-XXXXXX", *kept = before ? strdup(before) : NULL;
    double      cold[COLD], warm[WARM], interp[WARM], compile[COLD];
    if (!mkdtemp(cache)) return;
    unpin(); /* a user's shell has all cores, and compilers run side by side */
    setenv("XDG_CACHE_HOME", cache, 1);
    const int colds = how->quick ? 1 : COLD;
    for (int i = 0; i < colds; i++) {
        forget(cache);
        compile[i] = compile_seconds();
        forget(cache);
        cold[i] = run_command("native");
    }
    for (int i = 0; i < WARM; i++) {
        warm[i] = run_command("auto");
        interp[i] = run_command("interp");
    }
    forget(cache);
    pin_to_one_core();
    if (kept) setenv("XDG_CACHE_HOME", kept, 1);
    else unsetenv("XDG_CACHE_HOME");
    free(kept);
    const double c = median(cold, colds), w = median(warm, WARM), s = median(compile, colds);
    const double n = median(interp, WARM);
    report_title("saltus gradient models/five_bar.lua, start to finish, wall time");
    table_open("|milliseconds");
    const struct {
        const char *name;
        double      seconds;
    } row[] = {{"compiled kernels in the cache", w},
               {"interpreted", n},
               {"empty cache, --backend native", c},
               {"of that, in the compiler", s}};
    for (int i = 0; i < 4; i++) {
        table_cell("%s", row[i].name);
        table_cell("%.1f", 1e3 * row[i].seconds);
        csv_row("start", 0, row[i].name, "wall", 0.0, 0.0, NAN, row[i].seconds);
    }
    table_close();
    claim("start to finish, warm cache", 30.0, 1e3 * w, " ms");
    claim("start to finish, empty cache", 1.5, c, " s");
    claim("compiling the five-bar", 0.5, s, " s");
}
