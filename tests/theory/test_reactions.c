/* What holds a constraint: its impulses at events, its part of the adjoint variables, its softness.
 */
#include "scripted.h"

/* ---- impulses of constraints ---------------------------------------------------------------- */

/* A stone on a string, with a second constraint that is never active at the event. */
static const char two_strings[] =
    "local m, e = 1.5, param('e', 0.6)\n"
    "local x = coordinate('x', {start = 0.3, speed = 1})\n"
    "local y = coordinate('y', {start = -0.2, speed = 1.5})\n"
    "mass(x, m) mass(y, m) potential(m * 9.81 * y)\n"
    "local slack, taut, other = mode 'slack', mode 'taut', mode 'other'\n"
    "constraint('unused', x - 2 * y, {mode = other})\n"
    "constraint('string', x^2 + y^2 - 1, {mode = taut})\n"
    "event('taut', {from = slack, to = taut, when = 1 - x^2 - y^2, direction = 'falling'})\n"
    "event('wall', {when = x + 0.5, direction = 'falling', restitution = e})\n"
    "event('turn', {from = taut, when = y + 0.95, direction = 'falling',\n"
    "               set = {[dot(x)] = 0.9 * dot(x)}})\n"
    "event('pass', {from = taut, when = x, direction = 'any'})\n"
    "event('never', {from = taut, to = other, when = x - 5})\n"
    "cost('c', {final = x^2})\nhorizon(0, 2)\n";

/* M (v+ - v-) + Phi_q^T dmu = r_q^T delta, component by component. */
static void expect_balance(const scripted *s, int index, const double *impulse)
{
    const saltus_occurrence o = saltus_run_event(s->run, index);
    const double            m = 1.5, contact = isnan(o.impulse) ? 0.0 : o.impulse;
    for (int k = 0; k < 2; k++)
        EXPECT_NEAR(m * (o.v_plus[k] - o.v_minus[k]) + 2.0 * o.q[k] * impulse[1],
                    k == 0 ? contact : 0.0, 1e-12);
}

TEST(impulses_of_constraints_balance_the_momentum)
{
    UNUSED_STATE;
    scripted s = load(two_strings);
    double   impulse[2];
    int      seen[3] = {0};         /* inelastic, Newton inside the constraint, others */
    s.options.record_memory = 4096; /* steps are taken again; what was noted stays */
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    gradient(&s, SALTUS_DISCRETE, "c", "e");
    EXPECT(s.info->replayed > 0);
    for (int i = 0; i < s.info->events; i++) {
        const saltus_occurrence o = saltus_run_event(s.run, i);
        const int               has = saltus_run_impulses(s.run, i, impulse);
        const int kind = strcmp(o.name, "taut") == 0 ? 0 : strcmp(o.name, "wall") == 0 ? 1 : 2;
        seen[kind]++;
        EXPECT(has == (kind < 2));
        if (!has) EXPECT(isnan(impulse[0]) && isnan(impulse[1]));
        if (!has) continue;
        EXPECT(impulse[0] == 0.0);
        expect_balance(&s, i, impulse);
        if (kind == 0) EXPECT_NEAR(impulse[1], -1.5 * o.rate / 4.0, 1e-10);
        else EXPECT(fabs(impulse[1]) > 0.1 && fabs(o.impulse) > 0.1);
    }
    EXPECT(seen[0] == 1 && seen[1] > 0 && seen[2] > 0);
    release(&s);
}

/* Newton's law where no constraint is active: there are impulses, and they are zero. */
TEST(an_impact_in_flight_has_no_impulse_of_a_constraint)
{
    UNUSED_STATE;
    scripted s = run_to("local y = coordinate('y', {start = 1})\nmass(y, 1) force(y, -9.81)\n"
                        "local air, rest = mode 'air', mode 'rest'\n"
                        "constraint('floor', y, {mode = rest})\n"
                        "event('floor', {from = air, when = y, direction = 'falling',\n"
                        "                restitution = 0.5})\n"
                        "event('end', {from = air, to = rest, when = y - 9})\n"
                        "cost('c', {final = y})\nhorizon(0, 0.6)\n",
                        SALTUS_END);
    double   impulse = NAN;
    expect_event_count(&s, 1);
    EXPECT(saltus_run_impulses(s.run, 0, &impulse) == 1);
    EXPECT(impulse == 0.0);
    EXPECT_NEAR(saltus_run_event(s.run, 0).impulse, 1.5 * sqrt(2.0 * 9.81), 1e-10);
    release(&s);
}

/* An event that ends the run, ends it before its jump. */
TEST(an_event_that_ends_the_run_has_no_impulses)
{
    UNUSED_STATE;
    scripted s = run_to("local y = coordinate('y', {start = 1})\nmass(y, 1) force(y, -9.81)\n"
                        "local air, rest = mode 'air', mode 'rest'\n"
                        "constraint('floor', y, {mode = rest})\n"
                        "event('floor', {from = air, when = y, direction = 'falling',\n"
                        "                restitution = 0.5, stop = 2})\n"
                        "event('end', {from = air, to = rest, when = y - 9})\n"
                        "cost('c', {final = y})\nhorizon(0, 6)\n",
                        SALTUS_TERMINAL_EVENT);
    double   impulse = 0.0;
    expect_event_count(&s, 2);
    EXPECT(saltus_run_impulses(s.run, 0, &impulse) == 1);
    EXPECT(saltus_run_impulses(s.run, 1, &impulse) == 0 && isnan(impulse));
    release(&s);
}

TEST_MAIN(RUN(impulses_of_constraints_balance_the_momentum),
          RUN(an_impact_in_flight_has_no_impulse_of_a_constraint),
          RUN(an_event_that_ends_the_run_has_no_impulses))
