/* Springs with a parameter each: a gradient by the adjoint method must cost the same few forward
 * runs for ten parameters and for a thousand. */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "saltus/saltus.h"

typedef struct fixed {
    const contestant *c;
    double            tol;
} fixed;

static void run_fixed(void *context)
{
    const fixed *f = context;
    answer       a;
    f->c->run(f->c->self, f->tol, &a);
}

/* The gradient by the forward run at the same tolerance. */
static void own_ratio(const contestant *forward, const contestant *gradient, double tol, int count,
                      const plan *how)
{
    fixed       f[] = {{forward, tol}, {gradient, tol}};
    const timed call[] = {run_fixed, run_fixed};
    void *const context[] = {&f[0], &f[1]};
    double      t[2];
    char        text[96];
    measure_interleaved(call, context, 2, how, t);
    snprintf(text, sizeof text, "springs, p = %d: gradient / own forward run", count);
    claim(text, 2.3, t[1] / t[0], "");
}

/* A field with ours first: forward, gradient; then what peers there are. */
static void at_size(int count, const plan *how)
{
    enum { MAX = 16 };
    static const double mark = 1e-8;
    result              r[MAX];
    contestants         all = {NULL, 0, 0};
    problem             pb = springs_problem(count);
    reference           ref = reference_springs(count);
    const saltus_entry  entry = {.path = "bench/models/springs.lua",
                                 .set = {"masses"},
                                 .value = {count},
                                 .cost = "cost",
                                 .wrt = "k*"};
    const bool          native = saltus_contestant(&all, &entry, FORWARD, true) &&
                        saltus_contestant(&all, &entry, SALTUS_DISCRETE, true);
    saltus_contestant(&all, &entry, FORWARD, false);
    saltus_contestant(&all, &entry, SALTUS_DISCRETE, false);
    if (!how->quick || count <= 100) sundials_contestants(&all, &pb, true, true);
    petsc_contestants(&all, &pb, true, true);
    compete(&all, &ref, mark, how, r);
    const double unit = r[0].seconds;
    for (int i = 0; i < all.count; i++) {
        table_cell("%d", count);
        table_cell("%s", all.list[i].name);
        csv_row("springs", count, all.list[i].name, all.list[i].gradient ? "gradient" : "forward",
                mark, r[i].tol, r[i].error, r[i].seconds);
        if (!r[i].timed) {
            for (int k = 0; k < 4; k++) table_cell(k ? "-" : "not reached");
            continue;
        }
        table_cell("%.1e", r[i].tol);
        table_cell("%.1e", r[i].error);
        table_cell("%.1f", 1e6 * r[i].seconds);
        table_cell("%.2f", r[i].seconds / unit);
        char text[96];
        snprintf(text, sizeof text, "springs, p = %d: %s / our gradient", count, all.list[i].name);
        if (native && count == 1000 && all.list[i].gradient && i > 3)
            claim_at_least(text, 5.0, r[i].seconds / r[1].seconds, "");
    }
    if (native && r[1].timed) own_ratio(&all.list[0], &all.list[1], r[1].tol, count, how);
    reference_release(&ref);
    contestants_release(&all);
}

void section_springs(const plan *how)
{
    static const int sizes[] = {10, 30, 100, 300, 1000}, few[] = {10, 1000};
    plan             less = *how;
    if (how->quick) less.per_decade = 2;
    report_title("Springs, gradient by p stiffnesses, achieved accuracy 1e-08");
    table_open("p|contestant|tolerance|achieved|microseconds|of our forward");
    for (int i = 0; i < (how->quick ? 2 : 5); i++) at_size(how->quick ? few[i] : sizes[i], &less);
    table_close();
}
