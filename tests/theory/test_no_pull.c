/* No blow pulls: in a gear train with play, in Housner's block, in boxes on their corners. As
 * joints, contacts that are closed would pull in many of them. Prints a table. */
#include "scripted.h"

enum { GEARS = 5, BOXES = 12, MAX_CONSTRAINTS = 64 };

typedef struct tally {
    int events, blows, pulls; /* events with impulses; impulses of contacts; those that pull */
} tally;

/* Whether the constraint is the gap of a contact. */
static int is_gap(const scripted *s, int j)
{
    const char *name = saltus_system_constraint(s->system, j).name;
    return strncmp(name, "gap", 3) == 0 && !strchr(name, '.');
}

/* A pull counts if it is more than what contacts that rock to rest neglect at last. */
static void count_blows(scripted *s, tally *to)
{
    double impulse[MAX_CONSTRAINTS], largest = 0;
    assert_true(s->size.constraints <= MAX_CONSTRAINTS);
    for (int i = 0; i < s->info->events; i++) {
        if (!saltus_run_impulses(s->run, i, impulse)) continue;
        int any = 0;
        for (int j = 0; j < s->size.constraints; j++)
            if (is_gap(s, j)) largest = fmax(largest, fabs(impulse[j]));
        for (int j = 0; j < s->size.constraints; j++) {
            if (!is_gap(s, j) || fabs(impulse[j]) <= 1e-5 * largest) continue;
            any = 1;
            to->blows++;
            to->pulls += impulse[j] > 0;
        }
        to->events += any;
    }
}

static tally count_in(const char *script)
{
    scripted s = run_to(script, SALTUS_END);
    tally    of = {0, 0, 0};
    count_blows(&s, &of);
    release(&s);
    return of;
}

static void report(const char *what, tally of, int blows)
{
    print_message("%-28s %5d impacts, %5d blows, %d pull\n", what, of.events, of.blows, of.pulls);
    EXPECT(of.blows > blows);
    EXPECT(of.pulls == 0);
}

/* ---- gears ---------------------------------------------------------------------------------- */

/* Five wheels in a row, each with two flanks to the next and a play of 0.004 between them; the
 * first is turned to and fro, the last one drags. Flanks that rest take part in the blows of
 * others. */
static const char *const gears =
    "local e, A = param('e', %g), param('A', 3)\n"
    "local th = {}\n"
    "for i = 1, 5 do\n"
    "  th[i] = coordinate('th' .. i, {speed = i == 1 and 2 or 0})\n"
    "  mass(th[i], 0.01 * (1 + 0.3 * i))\n"
    "  dissipation(0.5 * 0.004 * dot(th[i])^2)\n"
    "end\n"
    "force(th[1], A * cos(25 * t)) force(th[5], -0.2)\n"
    "for i = 1, 4 do\n"
    "  local way = 0.1 * th[i] + (0.08 + 0.01 * i) * th[i + 1]\n"
    "  contact {gap = 0.002 - way, restitution = e, rest = true, name = 'gap a' .. i}\n"
    "  contact {gap = 0.002 + way, restitution = e, rest = true, name = 'gap b' .. i}\n"
    "end\n"
    "cost('turned', {final = th[5]}) horizon(0, 0.5)\n";

TEST(no_flank_of_a_gear_train_pulls)
{
    static const double restitution[] = {0.05, 0.2, 0.4};
    tally               all = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        char script[2000];
        snprintf(script, sizeof script, gears, restitution[i]);
        const tally of = count_in(script);
        all = (tally){all.events + of.events, all.blows + of.blows, all.pulls + of.pulls};
    }
    report("gear train, 8 flanks", all, 150);
}

/* ---- blocks --------------------------------------------------------------------------------- */

#define BLOCK                                                                                      \
    "local B, H, th0 = param('B', %g), param('H', %g), param('th0', %g)\n"                         \
    "gravity(0, -9.81)\n"                                                                          \
    "local b = body('block', {x = 0, angle = th0, y = %s, speed = {%g, 0}, spin = %g, mass = 1,\n" \
    "  inertia = (B^2 + H^2) / 3})\n"                                                              \
    "local floor = {ground_point(-9, 0), ground_point(9, 0)}\n"                                    \
    "local corner = {{B, -H}, {-B, -H}, {B, H}, {-B, H}}\n"                                        \
    "for i, c in ipairs(corner) do\n"                                                              \
    "  contact {b:point(c[1], c[2]), line = floor, friction = %g, %s name = 'gap ' .. i}\n"        \
    "end\n"                                                                                        \
    "cost('turned', {final = b.angle}) horizon(0, 2)\n"

TEST(no_corner_of_a_rocking_block_pulls)
{
    char script[2000];
    snprintf(script, sizeof script, BLOCK, 0.1, 0.4, 0.15, "B * sin(th0) + H * cos(th0) + 1e-3",
             0.0, 0.0, 0.8, "");
    report("Housner's block", count_in(script), 3);
}

TEST(no_corner_of_a_box_pulls)
{
    tally all = {0, 0, 0};
    for (int i = 0; i < BOXES; i++) {
        char script[2000];
        snprintf(script, sizeof script, BLOCK, 0.2 + 0.02 * (i % 5), 0.3, 0.1 + 0.11 * i,
                 "B + H + 0.1", 0.3 * (i % 3), 1.5 * (i % 4) - 2, 0.1 + 0.15 * (i % 4),
                 i % 2 ? "restitution = 0.3," : "");
        const tally of = count_in(script);
        all = (tally){all.events + of.events, all.blows + of.blows, all.pulls + of.pulls};
    }
    report("12 boxes on their corners", all, 100);
}

TEST_MAIN(RUN(no_flank_of_a_gear_train_pulls), RUN(no_corner_of_a_rocking_block_pulls),
          RUN(no_corner_of_a_box_pulls))
