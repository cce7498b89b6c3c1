/* A pendulum of n bars with constraints: how a forward run and a gradient grow with n. Short bars
 * need short steps, so that long pendulums are followed for a shorter time. There is no reference
 * for it; before it is timed, its adjoint gradient is compared with the tangent's. */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "saltus/saltus.h"

static const double tolerance = 1e-6;

typedef struct figures {
    double    forward, gradient; /* seconds of one step */
    long long steps;
} figures;

static void run_once(void *context)
{
    contestant *c = context;
    answer      a;
    c->run(c->self, tolerance, &a);
}

/* True if discrete and direct agree: they are of one accuracy, not of one formula. */
static bool trustworthy(const contestant *discrete, const contestant *direct, int np)
{
    answer a, b;
    if (!discrete->run(discrete->self, tolerance, &a) || !direct->run(direct->self, tolerance, &b))
        return false;
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < np; i++) {
        difference = fmax(difference, fabs(a.gradient[i] - b.gradient[i]));
        size = fmax(size, fabs(a.gradient[i]));
    }
    return difference <= 1e-4 * size;
}

static bool measure(int links, const plan *how, figures *f)
{
    const saltus_entry entry = {.path = "bench/models/links.lua",
                                .set = {"links"},
                                .value = {links},
                                .cost = "cost",
                                .wrt = "L,c",
                                .end = links > 100 ? 10.0 / links : 0.0};
    contestants        all = {NULL, 0, 0};
    answer             a;
    bool               good = saltus_contestant(&all, &entry, FORWARD, true) &&
                saltus_contestant(&all, &entry, SALTUS_DISCRETE, true) &&
                saltus_contestant(&all, &entry, SALTUS_DIRECT, true);
    good = good && trustworthy(&all.list[1], &all.list[2], 2);
    if (good && all.list[0].run(all.list[0].self, tolerance, &a)) {
        const timed call[] = {run_once, run_once};
        void *const context[] = {&all.list[0], &all.list[1]};
        double      t[2];
        plan        less = *how;
        if (links >= 1000) less.rounds = 3;
        measure_interleaved(call, context, 2, &less, t);
        *f = (figures){t[0] / (double)a.steps, t[1] / (double)a.steps, a.steps};
        csv_row("links", links, "saltus: forward, native", "forward", 0.0, tolerance, NAN, t[0]);
        csv_row("links", links, "saltus: discrete, native", "gradient", 0.0, tolerance, NAN, t[1]);
    }
    contestants_release(&all);
    return good;
}

void section_links(const plan *how)
{
    static const int sizes[] = {3, 10, 30, 100, 300, 1000, 3000, 10000};
    figures          f, before = {NAN, NAN, 0}, hundred = {NAN, NAN, 0};
    const int        count = how->quick ? 4 : 8;
    double           growth = NAN;
    int              most = 0;
    report_title("Pendulum of n bars, tolerance 1e-6: microseconds of one step");
    table_open("bars|steps|forward|exponent|gradient|exponent|gradient / forward");
    for (int i = 0; i < count; i++) {
        const double ratio = i ? log((double)sizes[i] / sizes[i - 1]) : NAN;
        if (!measure(sizes[i], how, &f)) {
            table_cell("%d", sizes[i]);
            for (int k = 0; k < 6; k++) table_cell(k ? "-" : "wrong");
            continue;
        }
        const double a = log(f.forward / before.forward) / ratio;
        const double b = log(f.gradient / before.gradient) / ratio;
        table_cell("%d", sizes[i]);
        table_cell("%lld", f.steps);
        table_cell("%.1f", 1e6 * f.forward);
        table_cell(i ? "%.2f" : "-", a);
        table_cell("%.1f", 1e6 * f.gradient);
        table_cell(i ? "%.2f" : "-", b);
        table_cell("%.2f", f.gradient / f.forward);
        if (sizes[i] == 100) hundred = f;
        if (sizes[i] > 100)
            growth = fmax(f.forward / hundred.forward, f.gradient / hundred.gradient);
        most = sizes[i];
        before = f;
    }
    table_close();
    claim("bars: exponent of growth from 100 up", 1.1, log(growth) / log(most / 100.0), "");
}
