/* The auditor of events: it finds nothing wrong with what we ship, and it finds what is wrong with
 * a run that was tampered with. */
#include "run/history.h"
#include "scripted.h"

typedef struct heard {
    int  count, kinds[SALTUS_AUDIT_CONTACT + 1];
    char first[512];
} heard;

static int hear(void *context, const saltus_audit_finding *finding)
{
    heard *h = context;
    if (h->count++ == 0) snprintf(h->first, sizeof h->first, "%s", finding->text);
    h->kinds[finding->kind]++;
    return 0;
}

static heard audit_of(scripted *s)
{
    heard        h = {0};
    saltus_audit audit;
    assert_int_equal(saltus_run_audit(s->run, hear, &h, &audit, &s->err), SALTUS_OK);
    assert_int_equal(audit.findings, h.count);
    return h;
}

static void expect_nothing(scripted *s, const char *what)
{
    const heard h = audit_of(s);
    if (h.count) fail_msg("%s, tolerance %g: %s", what, s->options.rtol, h.first);
}

/* ---- nothing wrong -------------------------------------------------------------------------- */

TEST(nothing_is_found_in_the_models_at_any_tolerance)
{
    static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-12};
    for (const char *const *model = all_models(); *model; model++)
        for (int i = 0; i < 5; i++)
            for (int integrator = 0; integrator < 2; integrator++) {
                scripted s = load_model(*model);
                s.options.rtol = s.options.atol = tolerances[i];
                s.options.integrator = integrator ? SALTUS_DOPRI5 : SALTUS_DOP853;
                simulate(&s, NULL);
                expect_nothing(&s, *model);
                release(&s);
            }
}

/* Guards that start at zero, cross the other way, or where a condition is not met. */
TEST(what_is_no_event_is_not_missed)
{
    static const char *const guards[] = {"when = x", "when = t^2", "when = x - 1",
                                         "when = 1 - x, where = x - 2"};
    for (int i = 0; i < 4; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "local x = coordinate('x', {start = 0, speed = 1})\nmass(x, 1)\n"
                 "event('e', {%s, direction = 'falling'})\nhorizon(0, 3)\n",
                 guards[i]);
        scripted s = load(script);
        simulate(&s, NULL);
        expect_event_count(&s, 0);
        expect_nothing(&s, guards[i]);
        release(&s);
    }
}

/* It crosses twice within the tolerance, and only the second time in the direction of the event. */
TEST(a_guard_that_comes_back_at_once_is_understood)
{
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-9};
    for (int i = 0; i < 5; i++)
        for (int rising = 0; rising < 2; rising++) {
            char script[512];
            snprintf(script, sizeof script,
                     "local x = coordinate('x', {speed = 1.139})\nmass(x, 1)\n"
                     "event('e', {when = %s10 * (x - 0.6761) * (x - 0.67625), direction = '%s'})\n"
                     "horizon(0, 1.2)\n",
                     rising ? "" : "-", rising ? "rising" : "falling");
            scripted s = load(script);
            s.options.rtol = s.options.atol = tolerances[i];
            simulate(&s, NULL);
            expect_event_count(&s, 1);
            expect_nothing(&s, "a guard that comes back at once");
            release(&s);
        }
}

/* Four roots within a thousandth of a step: the dip from which the guard rises is narrower than the
 * distance of two looks. */
TEST(a_narrow_dip_before_an_event_is_understood)
{
    for (int i = 1; i <= 8; i++) {
        const double width = pow(10.0, -i);
        char         script[512];
        snprintf(script, sizeof script,
                 "local p = param('p', 0.73) local x = coordinate('x', {speed = p}) mass(x, 1)\n"
                 "local d = %g\n"
                 "event('e', {when = (x - 1.4) * (x - 1.4 - d) * (x - 1.4 - 1.3 * d) * (x - 1.4 - "
                 "2 * d),"
                 " direction = 'rising'})\n"
                 "horizon(0, 3.85)\n",
                 width);
        scripted s = load(script);
        s.options.rtol = s.options.atol = 1e-8;
        simulate(&s, NULL);
        expect_nothing(&s, "roots close to each other");
        release(&s);
    }
}

/* 0.5 - 0.2 - 0.3 is not zero for a machine. */
TEST(numbers_that_cancel_leave_the_side_of_a_kink_open)
{
    scripted s = run_to("local p = param('p', 1) local x = coordinate('x') mass(x, 1)\n"
                        "force(x, p * step((t - 0.2) + 0.5 - 0.30000000000000004) * cos(t))\n"
                        "force(x, p * sign(sin(2 * math.pi / 1.5 * (t - 0.75))))\n"
                        "horizon(0, 2)\n",
                        SALTUS_END);
    expect_nothing(&s, "numbers that cancel");
    release(&s);
}

TEST(an_audit_leaves_later_gradients_as_they_are)
{
    scripted s = load_model("string_taut");
    simulate(&s, NULL);
    const double before = gradient(&s, SALTUS_DISCRETE, "int_mu2", "L");
    simulate(&s, NULL);
    expect_nothing(&s, "string_taut");
    assert_true(gradient(&s, SALTUS_DISCRETE, "int_mu2", "L") == before);
    release(&s);
}

/* ---- tampering ------------------------------------------------------------------------------ */

static const char *const BALL = "local e = param('e', 0.8)\n"
                                "local y = coordinate('y', {start = 1})\n"
                                "local n = memory('n', 0)\n"
                                "mass(y, 1)\nforce(y, -9.81)\n"
                                "event('floor', {when = y, direction = 'falling',"
                                " restitution = e, set = {[n] = n + 1}})\n"
                                "event('plain', {when = y - 0.3, direction = 'rising'})\n"
                                "cost('path', {integral = dot(y)^2})\n"
                                "horizon(0, 1.5)\n";

static const double all_tolerances[] = {1e-3, 1e-6, 1e-9, 1e-12};

static scripted ball(double tolerance)
{
    scripted s = load(BALL);
    s.options.rtol = s.options.atol = tolerance;
    simulate(&s, NULL);
    expect_event_count(&s, 4);
    expect_nothing(&s, "the ball");
    return s;
}

static void expect_found(scripted *s, saltus_audit_kind kind, const char *part)
{
    const heard h = audit_of(s);
    if (!h.kinds[kind])
        fail_msg("tolerance %g: nothing of kind %d was found", s->options.rtol, (int)kind);
    if (!strstr(h.first, part)) fail_msg("\"%s\" does not say \"%s\"", h.first, part);
    release(s);
}

/* The state after an occurrence, to be changed. */
static double *behind(scripted *s, int occurrence)
{
    return s->run->history.states.data + (2 * occurrence + 1) * (int)sal_state_size(s->run->system);
}

TEST(an_event_that_is_moved_by_a_millionth_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = ball(all_tolerances[i]);
        s.run->history.occurrences.data[0].t += 1e-6;
        expect_found(&s, SALTUS_AUDIT_TIME, "ends at t");
    }
}

TEST(a_state_that_is_not_on_the_guard_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = ball(all_tolerances[i]);
        s.run->history.states.data[0] += 4.43e-6; /* a millionth of a second of fall */
        expect_found(&s, SALTUS_AUDIT_TIME, "its guard is 4.43e-06 there and not zero");
    }
}

TEST(a_dropped_event_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = ball(all_tolerances[i]);
        assert_string_equal(s.run->system->event[s.run->history.occurrences.data[3].event].name,
                            "plain");
        s.run->history.occurrences.count = 3; /* frames do not know of it any more */
        expect_found(&s, SALTUS_AUDIT_MISSED, "the guard of event 'plain' rises through zero");
    }
}

TEST(an_event_that_happened_in_another_ones_place_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = ball(all_tolerances[i]);
        s.run->history.occurrences.data[1].event = s.run->history.occurrences.data[0].event;
        expect_found(&s, SALTUS_AUDIT_TIME, "not zero");
    }
}

TEST(a_jump_of_the_wrong_sign_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = ball(all_tolerances[i]);
        behind(&s, 0)[1] *= -1.0;
        expect_found(&s, SALTUS_AUDIT_JUMP, "the rate of its guard is -3.5");
    }
}

TEST(a_memory_that_is_not_set_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = ball(all_tolerances[i]);
        behind(&s, 0)[2] = 0.0;
        expect_found(&s, SALTUS_AUDIT_JUMP, "n is 0 after it and should be 1");
    }
}

TEST(steps_that_do_not_go_on_where_the_event_left_are_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted  s = ball(all_tolerances[i]);
        sal_frame frame;
        const int after = (int)s.run->history.occurrences.data[0].step + 1;
        assert_int_equal(sal_run_frame(s.run, after, &frame, &s.err), SALTUS_OK);
        ((double *)(uintptr_t)frame.x)[1] *= 1.0001;
        expect_found(&s, SALTUS_AUDIT_RECORD, "does not begin where");
    }
}

TEST(a_flipped_branch_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted  s = load("local x = coordinate('x', {start = -1, speed = 1})\n"
                            "mass(x, 1)\nforce(x, 0.1 * abs(x))\nhorizon(0, 2)\n");
        sal_frame frame;
        s.options.rtol = s.options.atol = all_tolerances[i];
        simulate(&s, NULL);
        expect_event_count(&s, 1);
        expect_nothing(&s, "abs");
        for (long long step = s.run->history.occurrences.data[0].step + 1; step < s.run->end.step;
             step++) {
            assert_int_equal(sal_run_frame(s.run, step, &frame, &s.err), SALTUS_OK);
            ((double *)(uintptr_t)frame.c)[0] *= -1.0;
        }
        const heard h = audit_of(&s);
        assert_true(h.kinds[SALTUS_AUDIT_BRANCH] > 0);
        release(&s);
    }
}

TEST(a_mode_that_the_event_does_not_lead_to_is_noticed)
{
    scripted s = load_model("string_taut");
    simulate(&s, NULL);
    expect_nothing(&s, "string_taut");
    s.run->history.occurrences.data[0].to = s.run->history.occurrences.data[0].from;
    expect_found(&s, SALTUS_AUDIT_MODE, "it leads to another mode");
}

TEST(a_kink_whose_event_leaves_its_branch_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = load("local x = coordinate('x', {start = -1, speed = 1})\n"
                          "mass(x, 1)\nforce(x, 0.1 * abs(x))\nhorizon(0, 2)\n");
        s.options.rtol = s.options.atol = all_tolerances[i];
        simulate(&s, NULL);
        expect_event_count(&s, 1);
        behind(&s, 0)[2] *= -1.0;
        expect_found(&s, SALTUS_AUDIT_BRANCH, "its branch does not change");
    }
}

/* A jump or a mode takes a guard across zero, and its event does not follow. */
TEST(an_event_that_should_happen_at_once_is_noticed)
{
    static const char *const scripts[] = {
        "local x = coordinate('x', {speed = 1})\nmass(x, 1)\n"
        "event('jump', {when = x - 1, set = {[x] = 3}})\n"
        "event('late', {when = x - 2, direction = 'rising', enter = 'fire'})\nhorizon(0, 2)\n",
        "local x = coordinate('x', {speed = 1})\nmass(x, 1)\n"
        "local free, held, rest = mode 'free', mode 'held', mode 'rest'\nforce(x, 5)\n"
        "constraint('stop', x - 1, {mode = {held, rest}})\n"
        "event('catch', {from = free, to = held, when = x - 1})\n"
        "event('late', {from = held, to = rest, when = multiplier('stop')^2 - 4,"
        " direction = 'rising'})\nhorizon(0, 2)\n"};
    for (int i = 0; i < 2 * 4; i++) {
        scripted s = load(scripts[i / 4]);
        s.options.rtol = s.options.atol = all_tolerances[i % 4];
        simulate(&s, NULL);
        expect_event_count(&s, 2);
        expect_nothing(&s, "thrown");
        sal_frame *frame =
            sal_record_frame(&s.run->history.record, s.run->history.occurrences.data[1].step);
        frame->occurrence = -1;
        expect_found(&s, SALTUS_AUDIT_MISSED, "the guard of event 'late' jumps across zero");
    }
}

TEST(an_event_that_happens_again_on_the_same_side_is_noticed)
{
    scripted s = load("local x = coordinate('x', {speed = 1})\nmass(x, 1)\n"
                      "event('jump', {when = x - 1, set = {[x] = 3}})\n"
                      "event('a', {when = x - 2, direction = 'rising', enter = 'fire'})\n"
                      "event('b', {when = x - 2.5, direction = 'rising', enter = 'fire'})\n"
                      "horizon(0, 2)\n");
    simulate(&s, NULL);
    expect_event_count(&s, 3);
    expect_nothing(&s, "thrown");
    s.run->history.occurrences.data[2].event = s.run->history.occurrences.data[1].event;
    expect_found(&s, SALTUS_AUDIT_UNEXPLAINED, "its guard is 1 and was on that side before");
}

/* ---- contacts whose modes the run finds ----------------------------------------------------- */

/* A ball that slides in its first impact, and a block that falls on another, which rests. */
static const char *const SLIDE =
    "local x = coordinate('x', {speed = 1})\nlocal y = coordinate('y', {start = 1})\n"
    "local s = coordinate('s', {speed = 3})\n"
    "mass(x, 1) mass(y, 1) mass(s, 0.004) force(y, -10)\n"
    "contact {gap = y, slip = dot(x) + 0.1 * dot(s), friction = 0.05, restitution = 0.6,"
    " name = 'floor'}\nhorizon(0, 0.9)\n";
static const char *const STACK =
    "local x1 = coordinate('x1', {speed = 0.3})\nlocal y1 = coordinate('y1')\n"
    "local x2 = coordinate('x2', {speed = -3})\nlocal y2 = coordinate('y2', {start = 1})\n"
    "mass(x1, 2) mass(y1, 2) mass(x2, 1) mass(y2, 1) force(y1, -20) force(y2, -10)\n"
    "contact {gap = y1, slip = dot(x1), friction = 0.3, start = 'closed', name = 'floor'}\n"
    "contact {gap = y2 - y1, slip = dot(x2) - dot(x1), friction = 0.4, name = 'top'}\n"
    "horizon(0, 1.5)\n";

static scripted rough(const char *name, double tolerance)
{
    char model[128];
    snprintf(model, sizeof model, "../tests/contact/models/%s", name);
    const char *script = !strcmp(name, "slide") ? SLIDE : !strcmp(name, "stack") ? STACK : NULL;
    scripted    s = script ? load(script) : load_model(model);
    s.options.rtol = s.options.atol = tolerance;
    return s;
}

static scripted moved(const char *name, double tolerance)
{
    scripted s = rough(name, tolerance);
    simulate(&s, NULL);
    expect_nothing(&s, name);
    return s;
}

TEST(nothing_is_found_in_contacts_at_any_tolerance)
{
    static const char *const models[] = {"bowling",       "coulomb_rest",  "housner",
                                         "incline_stick", "oblique_stick", "painleve",
                                         "pencil",        "slide",         "stack"};
    for (int m = 0; m < (int)(sizeof models / sizeof *models); m++)
        for (int i = 3; i <= 12; i++)
            for (int integrator = 0; integrator < 2; integrator++) {
                scripted     s = rough(models[m], pow(10.0, -i));
                saltus_audit audit;
                s.options.integrator = integrator ? SALTUS_DOPRI5 : SALTUS_DOP853;
                simulate(&s, NULL);
                expect_nothing(&s, models[m]);
                assert_int_equal(saltus_run_audit(s.run, NULL, NULL, &audit, &s.err), SALTUS_OK);
                assert_true(audit.conditions >= 48 && audit.contact.name && audit.contact.what);
                assert_true(audit.contact.value <= audit.contact.allowed);
                release(&s);
            }
}

/* One of the findings is of this kind and says this. */
typedef struct sought {
    saltus_audit_kind kind;
    const char       *part;
    int               found;
} sought;

static int seek(void *context, const saltus_audit_finding *finding)
{
    sought *s = context;
    if (finding->kind == s->kind && strstr(finding->text, s->part)) s->found++;
    return 0;
}

static void expect_told(scripted *s, saltus_audit_kind kind, const char *part)
{
    sought it = {kind, part, 0};
    assert_int_equal(saltus_run_audit(s->run, seek, &it, NULL, &s->err), SALTUS_OK);
    if (!it.found) fail_msg("tolerance %g: nothing says \"%s\"", s->options.rtol, part);
    release(s);
}

/* The steps after the first event are in this regime. */
static void force_regime(scripted *s, const sal_regime *regime)
{
    for (long long step = s->run->history.occurrences.data[0].step + 1; step < s->run->end.step;
         step++) {
        sal_frame *frame = sal_record_frame(&s->run->history.record, step);
        frame->regime = regime;
    }
    s->run->history.occurrences.data[0].to = regime;
    s->run->history.occurrences.count = 1;
}

TEST(a_contact_in_another_mode_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = moved("incline_stick", all_tolerances[i]);
        force_regime(&s, s.run->history.occurrences.data[0].from);
        expect_told(&s, SALTUS_AUDIT_MODE, "it does not lead to that mode");
        s = moved("incline_stick", all_tolerances[i]);
        force_regime(&s, s.run->history.occurrences.data[0].from);
        expect_told(&s, SALTUS_AUDIT_CONTACT,
                    "contact 'c' slides against the direction of its mode");
        s = moved("pencil", all_tolerances[i]);
        force_regime(&s, s.run->history.occurrences.data[0].from);
        expect_told(&s, SALTUS_AUDIT_CONTACT, "contact 'foot' sticks by more than its friction");
        s = moved("oblique_stick", all_tolerances[i]);
        force_regime(&s, s.run->history.occurrences.data[0].impact);
        expect_told(&s, SALTUS_AUDIT_CONTACT, "contact 'floor' is closed and separates");
        s = moved("housner", all_tolerances[i]);
        force_regime(&s, s.run->history.occurrences.data[0].from);
        expect_told(&s, SALTUS_AUDIT_CONTACT, "contact 'left' is open and penetrates");
    }
}

/* The first impact of a model, and what is changed there: a velocity after it, or an impulse. */
typedef struct blow {
    const char       *model;
    int               impulse, velocity; /* -1: none */
    double            factor;
    saltus_audit_kind kind;
    const char       *part;
} blow;

TEST(an_impact_that_breaks_its_law_is_noticed)
{
    static const blow blows[] = {
        {"oblique_stick", 0, -1, -1.0, SALTUS_AUDIT_CONTACT, "'floor' pulls in an impact"},
        {"oblique_stick", 1, -1, 10.0, SALTUS_AUDIT_CONTACT, "'floor' sticks in an impact by more"},
        {"oblique_stick", -1, 4, -1.0, SALTUS_AUDIT_CONTACT, "'floor' leaves an impact at another"},
        {"oblique_stick", -1, 4, 1.001, SALTUS_AUDIT_CONTACT, "leaves an impact at another rate"},
        {"oblique_stick", -1, 3, 1.001, SALTUS_AUDIT_CONTACT, "'floor' slips after an impact"},
        {"oblique_stick", 0, -1, 1.001, SALTUS_AUDIT_JUMP, "the momentum changes by"},
        {"slide", 1, -1, 0.99, SALTUS_AUDIT_CONTACT, "'floor' slides in an impact with an impulse"},
        {"slide", -1, 3, -2.0, SALTUS_AUDIT_CONTACT, "'floor' slides the other way after an"},
        {"housner", 0, -1, -1.0, SALTUS_AUDIT_CONTACT, "'left' pulls in an impact"},
        {"housner", -1, 3, -2.0, SALTUS_AUDIT_CONTACT, "'right' touches and approaches after"},
    };
    for (int k = 0; k < (int)(sizeof blows / sizeof *blows); k++)
        for (int i = 0; i < 4; i++) {
            const blow *b = &blows[k];
            scripted    s = moved(b->model, all_tolerances[i]);
            if (b->impulse >= 0)
                s.run->history.impulses
                    .data[s.run->history.occurrences.data[0].impulses + b->impulse] *= b->factor;
            else behind(&s, 0)[b->velocity] *= b->factor;
            expect_told(&s, b->kind, b->part);
        }
}

TEST(a_change_of_mode_that_is_not_told_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = moved("housner", all_tolerances[i]);
        s.run->history.occurrences.data[1].told_from = NULL;
        expect_told(&s, SALTUS_AUDIT_MODE, "another contact changes its mode without an event");
        s = moved("housner", all_tolerances[i]);
        s.run->history.occurrences.data[1].event = s.run->history.occurrences.data[0].event;
        expect_told(&s, SALTUS_AUDIT_MODE, "it follows from no other event");
        s = moved("housner", all_tolerances[i]);
        s.run->history.occurrences.data[1].event++; /* it slips, and does not leave */
        expect_told(&s, SALTUS_AUDIT_MODE, "the mode of its contact did not change so");
        s = moved("coulomb_rest", all_tolerances[i]);
        s.run->history.occurrences.data[1].told_from = s.run->history.occurrences.data[1].from;
        expect_told(&s, SALTUS_AUDIT_MODE, "it follows from no other event");
    }
}

TEST(a_stop_that_is_moved_or_dropped_is_noticed)
{
    for (int i = 0; i < 4; i++) {
        scripted s = moved("coulomb_rest", all_tolerances[i]);
        s.run->history.occurrences.data[2].t += 1e-6;
        expect_told(&s, SALTUS_AUDIT_TIME, "ends at t");
        s = moved("coulomb_rest", all_tolerances[i]);
        s.run->history.states.data[6 * sal_state_size(s.run->system) + 1] += 1e-6;
        expect_told(&s, SALTUS_AUDIT_TIME, "event 'pad.stop'");
        s = moved("painleve", all_tolerances[i]);
        force_regime(&s, s.run->history.occurrences.data[0].to);
        expect_told(&s, SALTUS_AUDIT_MISSED, "the guard of event 'foot.slip' falls through zero");
    }
}

TEST_MAIN(RUN(nothing_is_found_in_the_models_at_any_tolerance), RUN(what_is_no_event_is_not_missed),
          RUN(a_narrow_dip_before_an_event_is_understood),
          RUN(numbers_that_cancel_leave_the_side_of_a_kink_open),
          RUN(a_guard_that_comes_back_at_once_is_understood),
          RUN(an_audit_leaves_later_gradients_as_they_are),
          RUN(an_event_that_is_moved_by_a_millionth_is_noticed),
          RUN(a_state_that_is_not_on_the_guard_is_noticed), RUN(a_dropped_event_is_noticed),
          RUN(an_event_that_happened_in_another_ones_place_is_noticed),
          RUN(a_jump_of_the_wrong_sign_is_noticed), RUN(a_memory_that_is_not_set_is_noticed),
          RUN(steps_that_do_not_go_on_where_the_event_left_are_noticed),
          RUN(a_flipped_branch_is_noticed), RUN(a_kink_whose_event_leaves_its_branch_is_noticed),
          RUN(an_event_that_should_happen_at_once_is_noticed),
          RUN(an_event_that_happens_again_on_the_same_side_is_noticed),
          RUN(a_mode_that_the_event_does_not_lead_to_is_noticed),
          RUN(nothing_is_found_in_contacts_at_any_tolerance),
          RUN(a_contact_in_another_mode_is_noticed), RUN(an_impact_that_breaks_its_law_is_noticed),
          RUN(a_change_of_mode_that_is_not_told_is_noticed),
          RUN(a_stop_that_is_moved_or_dropped_is_noticed))
