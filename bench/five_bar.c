/* The five-bar: forward runs and gradients at equal achieved accuracy, error against tolerance, and
 * what a tangent direction costs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "saltus/saltus.h"

static const saltus_entry lean = {
    .path = "bench/models/five_bar.lua", .cost = "cost", .wrt = "L01,L02"};
static const saltus_entry four = {
    .path = "bench/models/five_bar.lua", .cost = "cost", .wrt = "L01,L02,k1,k2"};
static const saltus_entry shipped = {.path = "models/five_bar.lua",
                                     .set = {"seconds"},
                                     .value = {5.0},
                                     .cost = "int_ydd2sq_plus_yd2sq",
                                     .wrt = "L01,L02"};

static void rename_last(contestants *all, const char *name)
{
    all->list[all->count - 1].name = name;
}

contestants five_bar_forward(void)
{
    contestants all = {NULL, 0, 0};
    contestants hand = {NULL, 0, 0};
    hand_contestants(&hand);
    contestants_add(&all, hand.list[0]);
    for (int i = 1; i < hand.count; i++) hand.list[i].release(hand.list[i].self);
    hand.count = 0;
    contestants_release(&hand);
    saltus_contestant(&all, &lean, FORWARD, true);
    if (saltus_contestant(&all, &shipped, FORWARD, true))
        rename_last(&all, "saltus: forward, native, models/five_bar.lua (7 costs)");
    saltus_contestant(&all, &lean, FORWARD, false);
    sundials_contestants(&all, &five_bar_problem, true, false);
    petsc_contestants(&all, &five_bar_problem, true, false);
    return all;
}

contestants five_bar_gradient(void)
{
    contestants all = {NULL, 0, 0};
    hand_contestants(&all);
    all.list[0].release(all.list[0].self);
    all.list[0] = all.list[--all.count]; /* the adjoint first: others are divided by it */
    saltus_contestant(&all, &lean, SALTUS_DISCRETE, true);
    if (saltus_contestant(&all, &shipped, SALTUS_DISCRETE, true))
        rename_last(&all, "saltus: discrete, native, models/five_bar.lua (7 costs)");
    saltus_contestant(&all, &lean, SALTUS_DIRECT, true);
    saltus_contestant(&all, &lean, SALTUS_ADJOINT, true);
    saltus_contestant(&all, &lean, SALTUS_DISCRETE, false);
    saltus_contestant(&all, &lean, SALTUS_DIRECT, false);
    saltus_contestant(&all, &lean, SALTUS_ADJOINT, false);
    sundials_contestants(&all, &five_bar_problem, false, true);
    petsc_contestants(&all, &five_bar_problem, false, true);
    return all;
}

static double seconds_of(const contestants *all, const result *r, const char *name)
{
    for (int i = 0; i < all->count; i++)
        if (!strcmp(all->list[i].name, name) && r[i].timed) return r[i].seconds;
    return NAN;
}

static void show(const contestants *all, const result *r, double mark, const char *what)
{
    char title[128];
    snprintf(title, sizeof title, "%s|tolerance|achieved|microseconds|of hand", what);
    table_open(title);
    for (int i = 0; i < all->count; i++) {
        table_cell("%s", all->list[i].name);
        csv_row("five-bar", 0, all->list[i].name, what, mark, r[i].tol, r[i].error, r[i].seconds);
        if (!r[i].timed) {
            for (int k = 0; k < 3; k++) table_cell(k ? "-" : "not reached");
            table_cell("-");
            continue;
        }
        table_cell("%.1e", r[i].tol);
        table_cell("%.1e", r[i].error);
        table_cell("%.1f", 1e6 * r[i].seconds);
        table_cell("%.2f", r[i].seconds / r[0].seconds);
    }
    table_close();
}

/* Forward runs and gradients take turns in the same rounds, so that their ratios are of one time.
 */
static void at_mark(double mark, const plan *how)
{
    enum { MAX = 32 };
    result       f[MAX], g[MAX];
    char         text[96];
    contestants  forward = five_bar_forward(), gradient = five_bar_gradient();
    reference    ref = reference_five_bar();
    const double limit_f = mark == 1e-8 ? 1.2 : 1.3, limit_g = mark == 1e-8 ? 1.15 : 1.3;
    report_title("Five-bar, achieved accuracy %.0e", mark);
    compete(&forward, &ref, mark, how, f);
    compete(&gradient, &ref, mark, how, g);
    show(&forward, f, mark, "forward (of the cost)");
    show(&gradient, g, mark, "gradient");
    const double ours_f = seconds_of(&forward, f, "saltus: forward, native");
    const double ours_g = seconds_of(&gradient, g, "saltus: discrete, native");
    snprintf(text, sizeof text, "five-bar at %.0e: forward / hand", mark);
    claim(text, limit_f, ours_f / f[0].seconds, "");
    snprintf(text, sizeof text, "five-bar at %.0e: gradient / hand", mark);
    claim(text, limit_g, ours_g / g[0].seconds, "");
    if (mark == 1e-8) {
        claim("five-bar: interpreted / native forward run", 5.0,
              seconds_of(&forward, f, "saltus: forward, interp") / ours_f, "");
        claim("five-bar: interpreted / native gradient", 5.0,
              seconds_of(&gradient, g, "saltus: discrete, interp") / ours_g, "");
    }
    reference_release(&ref);
    contestants_release(&forward);
    contestants_release(&gradient);
}

static void error_by_tolerance(void)
{
    static const int methods[] = {SALTUS_DISCRETE, SALTUS_DIRECT, SALTUS_ADJOINT};
    contestants      all = {NULL, 0, 0};
    reference        ref = reference_five_bar();
    double           worst = 0.0;
    hand_contestants(&all);
    for (int i = 0; i < 3; i++)
        if (!saltus_contestant(&all, &lean, methods[i], true))
            saltus_contestant(&all, &lean, methods[i], false);
    report_title("Five-bar, error of the gradient divided by the tolerance");
    table_open("contestant|1e-6|1e-7|1e-8|1e-9|1e-10");
    for (int i = 1; i < all.count; i++) {
        table_cell("%s", all.list[i].name);
        for (int digits = 6; digits <= 10; digits++) {
            answer       a;
            const double tol = pow(10.0, -digits);
            const bool   ran = all.list[i].run(all.list[i].self, tol, &a);
            const double e = ran ? reference_error(&ref, &a) / tol : NAN;
            table_cell("%.2f", e);
            csv_row("five-bar", 0, all.list[i].name, "error", 0.0, tol, e * tol, NAN);
            if (strstr(all.list[i].name, "discrete,") && e > worst) worst = e;
        }
    }
    table_close();
    claim("five-bar: gradient error / tolerance, 1e-6 ... 1e-10", 10.0, worst, "");
    reference_release(&ref);
    contestants_release(&all);
}

typedef struct fixed {
    contestant *c;
    double      tol;
} fixed;

static void run_fixed(void *context)
{
    fixed *f = context;
    answer a;
    f->c->run(f->c->self, f->tol, &a);
}

/* At one tolerance: gradient by forward run, and what each further direction costs. */
static void ratios(const plan *how)
{
    enum { RUNS = 4 };
    contestants all = {NULL, 0, 0};
    fixed       f[RUNS];
    timed       call[RUNS] = {run_fixed, run_fixed, run_fixed, run_fixed};
    void       *context[RUNS];
    double      t[RUNS];
    saltus_contestant(&all, &lean, FORWARD, true);
    saltus_contestant(&all, &lean, SALTUS_DISCRETE, true);
    saltus_contestant(&all, &lean, SALTUS_DIRECT, true);
    saltus_contestant(&all, &four, SALTUS_DIRECT, true);
    if (all.count == RUNS) {
        for (int i = 0; i < RUNS; i++) {
            f[i] = (fixed){&all.list[i], 1e-8};
            context[i] = &f[i];
        }
        measure_interleaved(call, context, RUNS, how, t);
        report_title("Five-bar, native, tolerance 1e-8: in units of the forward run");
        table_open("|microseconds|of forward|per direction");
        static const char *const name[] = {"forward", "discrete adjoint", "direct, 2 parameters",
                                           "direct, 4 parameters"};
        static const int         directions[] = {0, 0, 2, 4};
        for (int i = 0; i < RUNS; i++) {
            table_cell("%s", name[i]);
            table_cell("%.1f", 1e6 * t[i]);
            table_cell("%.2f", t[i] / t[0]);
            if (directions[i]) table_cell("%.2f", (t[i] / t[0] - 1.0) / directions[i]);
            else table_cell("-");
            csv_row("five-bar", 0, name[i], "ratio", 0.0, 1e-8, NAN, t[i]);
        }
        table_close();
        claim("five-bar: gradient / own forward run", 2.3, t[1] / t[0], "");
        claim("five-bar: tangent direction / forward, 2 parameters", 0.45,
              (t[2] / t[0] - 1.0) / 2.0, "");
        claim("five-bar: tangent direction / forward, 4 parameters", 0.3, (t[3] / t[0] - 1.0) / 4.0,
              "");
    }
    contestants_release(&all);
}

void section_five_bar(const plan *how)
{
    at_mark(1e-8, how);
    if (!how->quick) {
        at_mark(1e-6, how);
        at_mark(1e-10, how);
    }
    ratios(how);
    error_by_tolerance();
}
