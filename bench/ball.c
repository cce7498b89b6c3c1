/* A ball that hits the floor a thousand times: what an event costs. Between two impacts there is
 * next to nothing to integrate. */
#include "bench.h"
#include "saltus/saltus.h"

void section_ball(const plan *how)
{
    enum { MAX = 24 };
    static const double       mark = 1e-6;
    static const saltus_entry entry = {
        .path = "bench/models/ball.lua", .cost = "cost", .wrt = "g,e,h", .max_events = 2000};
    result      r[MAX];
    contestants all = {NULL, 0, 0};
    reference   ref = reference_ball();
    for (int native = 1; native >= 0; native--) {
        saltus_contestant(&all, &entry, FORWARD, native);
        saltus_contestant(&all, &entry, SALTUS_DISCRETE, native);
        saltus_contestant(&all, &entry, SALTUS_DIRECT, native);
    }
    sundials_contestants(&all, &ball_problem, true, !how->quick);
    petsc_contestants(&all, &ball_problem, true, true);
    compete(&all, &ref, mark, how, r);
    report_title("Ball, %d impacts, achieved accuracy %.0e", ref.events, mark);
    table_open("contestant|tolerance|achieved|microseconds|per impact|of our forward");
    for (int i = 0; i < all.count; i++) {
        table_cell("%s", all.list[i].name);
        csv_row("ball", ref.events, all.list[i].name, all.list[i].gradient ? "gradient" : "forward",
                mark, r[i].tol, r[i].error, r[i].seconds);
        if (!r[i].timed) {
            for (int k = 0; k < 5; k++) table_cell(k ? "-" : "not reached");
            continue;
        }
        table_cell("%.1e", r[i].tol);
        table_cell("%.1e", r[i].error);
        table_cell("%.1f", 1e6 * r[i].seconds);
        table_cell("%.2f", 1e6 * r[i].seconds / ref.events);
        table_cell("%.2f", r[i].seconds / r[0].seconds);
    }
    table_close();
    reference_release(&ref);
    contestants_release(&all);
}
