/* The model language as people write it: mistakes and their messages, and the promise that the same
 * script gives the same bytes. */
#include "script_test.h"

/* ---- mistakes of beginners ------------------------------------------------------------------ */

TEST(comparing_symbols_points_to_event_and_setting)
{
    static const char message[] =
        "symbols have no value while the script is read: something that happens is "
        "event(\"name\", {when = y, direction = \"falling\"}), a condition is where = 1 - y, a "
        "choice made before is setting(...)";
    expect_fails("local x = coordinate('x')\nif x > 0 then end", 2, message);
    expect_fails("local y = coordinate('y')\nevent('e', {\n  when = y < 0})", 3, message);
    expect_fails("local x, y = coordinate('x'), coordinate('y')\nprint(x == y)", 2, message);
    expect_fails("print(1 <= t)", 1, message);
    expect_prints("local x = coordinate('x') print(x == x, x ~= x, x == 1, x + 1 == x + 1)",
                  "true\tfalse\tfalse\ttrue\n");
}

TEST(a_guard_of_memories_alone_gets_a_way_out)
{
    expect_fails("local n = memory('n', 0)\nevent('e', {when = n - 2.5, stop = true})", 2,
                 "stop = 3: at the third one");
}

TEST(a_set_without_brackets_gets_a_hint)
{
    expect_fails("local y = coordinate('y')\n"
                 "event('e', {when = y,\n"
                 "  set = {dot(y) = -dot(y)}})",
                 3, "write set = {[dot(y)] = ...}");
    expect_fails("local y = coordinate('y') event('e', {when = y, set = {['dot(y)'] = 1}})", 1,
                 "write [dot(y)] = ...");
    expect_fails("local y = coordinate('y') event('e', {when = y, set = {y = 1}})", 1,
                 "'y' is a text");
}

TEST(a_local_that_hides_a_word_is_named)
{
    expect_fails("local force = 3\nlocal x = coordinate('x')\nforce(x, 1)", 3,
                 "hides the word 'force' of the model language");
    expect_fails("local mass = param('m', 1)\nlocal x = coordinate('x')\nmass(x, mass)", 3,
                 "hides the word 'mass'");
    expect_fails("local point = point('P')\npoint('Q')", 2, "hides the word 'point'");
    expect_fails("local sin = 1 local function f() return sin(2) end f()", 1,
                 "hides the word 'sin'");
    expect_fails("local t = {}\nprint(coordinate('x') * t)", 2, "hides the word 't'");
    expect_prints("local mass = 3 print(mass)", "3\n");
}

TEST(undefined_names_offer_the_nearest)
{
    expect_fails("\nforse(1, 2)", 2, "'forse' is not defined, did you mean 'force'?");
    expect_fails("stiffness = 3 print(stifness)", 1, "did you mean 'stiffness'?");
    expect_fails("local length = 3 print(lenght)", 1, "did you mean 'length'?");
    expect_fails("local length = 3 local function f() return length + lenght end f()", 1,
                 "did you mean 'length'?");
    expect_fails("print(zzzzzzzz)", 1, "'zzzzzzzz' is not defined");
    expect_prints("x = nil y = 2 print(y, rawget(_G, 'x'))", "2\tnil\n");
    expect_fails("print(floor(2.5))", 1, "'floor' is not defined, did you mean 'math.floor'?");
    expect_fails("print(2 * pi)", 1, "did you mean 'math.pi'?");
}

TEST(names_of_rates_point_to_dot)
{
    expect_fails("local y = coordinate('y') print(y_dot)", 1,
                 "'y_dot' is not defined: velocities are written dot(x)");
    expect_fails("print(ydot)", 1, "velocities are written dot(x)");
    expect_fails("print(xdot)", 1, "velocities are written dot(x)");
    expect_fails("print(x_ddot)", 1, "accelerations are written ddot(x)");
    expect_fails("local x_dot = 1 print(y_dot)", 1, "did you mean 'x_dot'?");
}

TEST(words_cannot_be_assigned)
{
    const char *const *words = saltus_script_words();
    char               script[100], message[100];
    for (int i = 0; words[i]; i++) {
        if (i > 0 && strcmp(words[i - 1], words[i]) >= 0) fail_msg("'%s' is not sorted", words[i]);
        snprintf(message, sizeof message, "'%s' is a word of the model language", words[i]);
        snprintf(script, sizeof script, "\n%s = 1", words[i]);
        expect_fails(script, 2, message);
        snprintf(script, sizeof script, "\nfunction %s() end", words[i]);
        expect_fails(script, 2, message);
        snprintf(script, sizeof script, "_G['%s'] = 1", words[i]);
        expect_fails(script, 1, message);
        snprintf(script, sizeof script, "print(type(%s))", words[i]);
        expect_prints(script, strcmp(words[i], "t") == 0 ? "userdata\n"
                              : strcmp(words[i], "joint") == 0 || strcmp(words[i], "draw") == 0
                                  ? "table\n"
                                  : "function\n");
    }
}

TEST(functions_of_expressions_are_words)
{
    for (int op = SALTUS_DIV + 1; op < SALTUS_OPS; op++) { /* the first ones are operators */
        const char *const *word = saltus_script_words();
        while (*word && strcmp(*word, saltus_op_text((saltus_op)op)) != 0) word++;
        if (!*word) fail_msg("'%s' is not in words.c", saltus_op_text((saltus_op)op));
    }
}

#define TWO_BODIES                                                                                 \
    "local A = body('A', {mass = 1, inertia = 1}) local B = body('B', {mass = 1, inertia = 1})\n"  \
    "local P, Q = point('P'), ground_point(1, 0)\n"

/* The element stands on line 3. */
TEST(elements_check_their_arguments)
{
    static const struct {
        const char *element, *message;
    } rows[] = {
        {"body('C')", "body 'C': mass is missing: a body has a mass and an inertia"},
        {"body('C', {mass = 1})", "body 'C': inertia is missing"},
        {"body('C', {masse = 1})", "body 'C': there is no option 'masse', did you mean 'mass'?"},
        {"body('C', {guess = 1, mass = 1})", "guess must be a table of three, {x, y, angle}, got"},
        {"body('C', {spin = 1, guess = {}, mass = 1, inertia = 1})",
         "coordinate 'C.angle' has a guess and a speed"},
        {"body('C', {guess = {x = 0}, mass = 1})", "guess: is a list without names: leave 'x ="},
        {"body('C', {mass = 0, inertia = 1})", "body 'C': its mass is 0, and must be positive"},
        {"body('C', {mass = 1, inertia = -1})", "its inertia is -1, and must be positive"},
        {"body('A', {mass = 1, inertia = 1})", "two coordinates are called 'A.x'"},
        {"print(A + 1)", "a body B has the coordinates B.x, B.y and B.angle"},
        {"mass(A.angel, 1)",
         "a body has the fields x, y, angle, name and point(u, v), not 'angel'"},
        {"A.x = 1", "a body cannot be changed"},
        {"A.point(1, 0)", "write B:point(u, v), with a colon"},
        {"A:point(1)", "point of a body: v must be an expression or a number, got nil"},
        {"cost('c', {final = A})", "final must be an expression or a number, got a body"},

        {"torsion_spring {A, B}", "torsion_spring: stiffness is missing"},
        {"torsion_spring {stiffness = 1}", "the angle is missing: write torsion_spring{A, B, ...}"},
        {"torsion_spring {A, of = t, stiffness = 1}", "remove the entries before it"},
        {"torsion_spring {P, stiffness = 1}", "the first entry must be a body, got a point"},
        {"torsion_spring {A, Q, stiffness = 1}", "the second entry must be a body, got a point"},
        {"torsion_spring {P, Q, 1, stiffness = 1}",
         "the third entry must be a point, got the numb"},
        {"torsion_spring {P, Q, stiffness = 1}", "two points have no angle between them: write t"},
        {"torsion_spring {A, A, stiffness = 1}", "its two entries are the same body"},
        {"torsion_spring {A, stifness = 1}", "did you mean 'stiffness'?"},
        {"torsion_spring()", "torsion_spring: needs a table: torsion_spring{A, B, ...}"},

        {"joint.revolut {P, Q}", "there is no joint.revolut, did you mean 'joint.revolute'?"},
        {"joint.spherical {P, Q}",
         "there is no joint.spherical; there are joint.distance, joint.pris"},
        {"joint {P, Q}", "joint is a table of joints: write joint.revolute{P, Q}"},
        {"joint.weld = 1", "'joint' is a word of the model language and cannot be changed"},
        {"joint.revolute {P}", "joint.revolute: the second entry must be a point, got nil"},
        {"joint.revolute {Q, Q, name = 'j'}", "joint.revolute 'j': its two entries are the same p"},
        {"joint.revolute {Q, ground_point(2, 0), name = 'j'}", "'j.x' contains no coordinate"},
        {"joint.revolute {P, Q, length = 1}", "joint.revolute: there is no option 'length'; t"},
        {"joint.prismatic {B}", "joint.prismatic: along is missing: the line it slides on"},
        {"joint.prismatic {P, along = {P, Q}}", "the first entry must be a body, got a point"},
        {"joint.prismatic {B, along = Q}", "along must be two points, {P, Q}, got a point"},
        {"joint.slot {P, along = {Q}}", "the second entry in along must be a point, got nil"},
        {"joint.slot {P, along = {Q, A, B}}", "along: has 2 entries, got an entry 3"},
        {"joint.slot {P, along = {from = Q, A}}", "along: is a list without names: leave 'from ="},
        {"joint.slot {P, along = {Q, Q}}", "along is twice the same point: a line goes through"},
        {"joint.revolute {A, 0, 0}", "has 2 entries beside its options, got an entry 3"},
        {"joint.revolute(P, Q)", "joint.revolute: needs a table: joint.revolute{P, Q}"},
        {"joint.weld {A, A, x = 1}", "joint.weld: its two entries are the same body"},
        {"joint.distance {P, Q, name = 'd'}", "joint.distance 'd': length is missing"},
        {"joint.weld {A, P}", "joint.weld: the second entry must be a body, got a point"},
        {"joint.weld {A, B, mode = 1}", "mode must be a mode or a list of modes, got the number"},

        {"motor {B}", "give one of angle = f(t), position = f(t) (prescribed motion) and torque"},
        {"motor {B, angle = t, torque = 1}", "give one of angle"},
        {"motor {angle = t}", "motor: the angle is missing: write motor{B, ...}"},
        {"motor {P, angle = t}", "the first entry must be a body, got a point"},
        {"motor {of = t, position = 1, name = 'm'}", "constraint 'm' contains no coordinate"},
        {"motor {B, angle = dot(P.x)}", "a constraint may not contain velocities"},
        {"motor {B, torque = ddot(P.x)}", "may not contain accelerations"},
        {"motor {B, B, angle = t}", "motor: its two entries are the same body"},
        {"motor {B, angel = t}", "did you mean 'angle'?"},

        {"gear {A, B}", "gear: ratio is missing"},
        {"gear {A, ratio = 1}", "gear: the second entry must be a body, got nil"},
        {"gear {P, B, ratio = 1}", "gear: the first entry must be a body, got a point"},
        {"gear {A, B, P, ratio = 1}", "gear: has 2 entries beside its options, got an entry 3"},
        {"gear {A, A, ratio = 1}", "gear 'gear 1': its two entries are the same body"},
        {"gear {A, B, ratio = 0, name = 'g'}", "gear 'g': its ratio is 0"},
        {"gear {A, B, ratio = t}", "the ratio of a gear may not contain the time t: it is a numb"},
        {"gear {A, B, ratio = A.angle}", "the ratio of a gear may not contain coordinates"},
        {"gear {A, B, ratio = 1, carrier = P}", "gear: carrier must be a body, got a point"},
        {"gear {A, B, ratio = 1, carrier = B}", "its carrier is one of its two entries"},
        {"gear {A, B, ratio = 1, angle = dot(P.x)}", "a constraint may not contain velocities"},
        {"gear {A, B, raito = 1}", "did you mean 'ratio'?"},
        {"gear {A, body('C', {guess = {}, mass = 1, inertia = 1}), ratio = 1}",
         "gear 'gear 1': 'C.angle' is guessed, so that it is not known what the gear keeps; give "
         "a"},
        {"gear(A, B)", "gear: needs a table: gear{A, B, ratio = ...}"},

        {"joint.revolute {P, Q, name = 'j'} output('f', multiplier('j'))",
         "there is no constraint of that name (did you mean 'j.x'?)"},

        {"contact()", "contact: needs a table: contact{P, line = {A, B}, restitution = e}"},
        {"contact {P, restitution = 1}", "the surface is missing: line = {A, B}, circle"},
        {"contact {P, line = {Q, A}, gap = P.y, slides = true}", "line and gap exclude each other"},
        {"contact {P, gap = P.y, slides = true}", "remove the point before it"},
        {"contact {P, line = Q, slides = true}", "line must be two points, {P, Q}, got a point"},
        {"contact {1, line = {Q, A}, slides = true}", "the first entry must be a point, got the"},
        {"contact {P, circle = {Q}, slides = true}", "circle: radius is missing"},
        {"contact {P, circle = {1, radius = 1}, slides = true}",
         "the centre in circle must be a p"},
        {"contact {P, circle = {Q, 0.5}, slides = true}",
         "circle: has 1 entry, got an entry 2: write radius = ..."},
        {"contact {P, inside = Q, slides = true}",
         "inside must be a centre and a radius, {C, radi"},
        {"contact {P, circle = {Q, raduis = 1}, slides = true}", "did you mean 'radius'?"},
        {"contact {gap = P.y, slides = 1}", "slides must be true or false, got the number 1"},
        {"contact {gap = P.y, slides = true, sticks = true}", "it slides or sticks, not both"},
        {"contact {gap = P.y, slides = true, restitution = 1}", "give settle, the speed below whi"},
        {"contact {gap = P.y, sticks = true}", "contact 'contact 1': to stick it needs along="},
        {"contact {P, line = {Q, A}, sticks = true, restitution = 1, name = 'c'}",
         "contact 'c': with restitution= it bounces; give settle="},
        {"contact {gap = P.y, slides = true, settle = 1}", "settle= belongs to restitution="},
        {"contact {gap = P.y, restitution = 1, settle = 0}", "settle= is a speed, and positive"},
        {"contact {gap = P.y, restitution = 1, rest = false, start = 'closed'}",
         "cannot start closed"},
        {"contact {gap = P.y, slides = true, start = 'shut'}", "'open' or 'closed', got 'shut'"},
        {"contact {P, line = {Q, A}, sticks = true, start = 'closed'}",
         "give at=, the place along"},
        {"contact {gap = P.y, slides = true, at = 1}", "at= is where a contact that sticks"},
        {"contact {gap = dot(P.y), slides = true}", "a constraint may not contain velocities"},
        {"contact {gap = dot(P.y), restitution = 1}", "a constraint may not contain velocities"},
        {"contact {gap = P.y, slides = true, where = true}", "where must be an expression"},
        {"contact {gap = P.y, slides = true, charge = 1}",
         "charge must be a table, got the number"},
        {"contact {gap = P.y, slide = true}", "did you mean 'slides'?"},
        {"print(contact {gap = P.y, restitution = 1}.open)",
         "contact 'contact 1' only bounces: it has no mode 'open' (give it settle=)"},
        {"print(contact {gap = P.y, slides = true}.shut)",
         "a contact has the fields gap, open, closed and name, not 'shut'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[600];
        snprintf(script, sizeof script, TWO_BODIES "%s", rows[i].element);
        expect_fails(script, 3, rows[i].message);
    }
}

TEST(elements_are_named)
{
    expect_prints(TWO_BODIES
                  "print(A, A.name, A:point(1, 2))\n"
                  "local c = contact {P, line = {Q, A}, slides = true, name = 'toe'}\n"
                  "print(c, c.name, c.open, c.closed)\n"
                  "print(contact {gap = P.y, restitution = 1})\n"
                  "joint.revolute {A, B} joint.weld {B, name = 'w'} motor {P, Q, angle = t}\n"
                  "joint.slot {P, along = {Q, A}} joint.distance {P, Q, length = 1}\n"
                  "gear {A, B, ratio = 2}\n"
                  "for _, name in ipairs {'toe', 'revolute 2.y', 'w.angle', 'motor 7', 'slot 8',\n"
                  "                       'distance 9', 'gear 10'} do print(multiplier(name)) end\n"
                  "local keys = {[A] = 1, [c] = 2, [P] = 3}\n"
                  "for key, value in pairs(keys) do print(value) end\n",
                  "body 'A'\tA\tpoint\n"
                  "contact 'toe'\ttoe\tmode 'toe.open'\tmode 'toe.closed'\n"
                  "contact 'contact 2'\n"
                  "multiplier(toe)\nmultiplier(revolute 2.y)\nmultiplier(w.angle)\n"
                  "multiplier(motor 7)\nmultiplier(slot 8)\nmultiplier(distance 9)\n"
                  "multiplier(gear 10)\n"
                  "3\n1\n2\n");
}

TEST(other_languages_get_a_hint)
{
    expect_fails("local a = 1\nif a != 2 then end", 2, "~=");
    expect_fails("local a = 1\na += 2", 2, "x = x + ...");
    expect_fails("local a = 2**3", 1, "x^2");
    expect_fails("if a && b then end", 1, "written and");
    expect_fails("// a comment", 1, "(comments begin with --)");
    expect_fails("local a = 1 // comment", 1, "(comments begin with --)");
    expect_fails("local a = 1 // a comment", 1, "(comments begin with --)");
    expect_fails("local a = 1\n// a comment\nmodel 'a'", 3, "(comments begin with --)");
    expect_fails("local y = coordinate('y') cost('h', final = y)", 1,
                 "options go in braces: cost(\"h\", {final = y})");
    expect_fails("if (a = 1) then end", 1, "'equal' is written ==");
    expect_fails("print(3 \xE2\x88\x92 1)", 1,
                 "not an ASCII character: is it a text file in UTF-8, or a character pasted from a "
                 "document?");
    expect_fails("\nmodel = 'b'", 2, "write model \"b\"");
    expect_prints("print(7 // 2)", "3\n");
    expect_fails("event('e', {when == t})", 1, "(options are given by name = value, with one =)");
    expect_fails("param('L', 1,2, {unit = 'm'})", 1, "(decimals have a point: 1.2, not 1,2)");
    expect_fails("revolute {ground_point(0, 0)}", 1, "did you mean 'joint.revolute'?");
    expect_fails("gravity(9.81)", 1, "gravity: it has two components: write gravity(0, -9.81)");
    expect_fails("spring {coordinate('x'), stiffness = 1}", 1, "it is potential(k * q^2 / 2)");
    expect_fails("mode 'm' event('e', {when = t - 1, from = 'm'})", 1,
                 "(a mode is what mode(name) returns, not its name)");
    expect_fails("event('tick', {every = -1})", 1, "event 'tick': every= is -1, and must be");
    expect_fails("friction {coordinate('x'), limit = -1, name = 'f'}", 1,
                 "friction 'f': its limit is negative");
    expect_fails("contact {gap = coordinate('y'), slip = t, friction = -0.2, name = 'c'}", 1,
                 "a coefficient of friction is negative");
}

TEST(arithmetic_names_the_operator_and_the_type)
{
    expect_fails("print(coordinate('x') + nil)", 1, "'+' needs numbers or expressions, got nil");
    expect_fails("print({} * coordinate('x'))", 1, "'*' needs numbers or expressions, got a table");
    expect_fails("print('3' - coordinate('x'))", 1, "got the text '3'");
    expect_fails("print(coordinate('x') - '3')", 1, "got the text '3'");
    expect_fails("print(coordinate('x') ^ true)", 1, "'^' needs numbers or expressions, got true");
    expect_fails("print(point('P') + 1)", 1, "P.x and P.y");
    expect_fails("print(coordinate('x') % 2)", 1, "'%' cannot be used on expressions");
    expect_fails("print(coordinate('x') // 2)", 1, "'//' cannot be used on expressions");
    expect_fails("print(#coordinate('x'))", 1, "an expression has no length");
    expect_fails("print(coordinate('x').y)", 1, "an expression has no field 'y'");
    expect_fails("coordinate('x').y = 1", 1, "an expression cannot be changed");
    expect_fails("print(coordinate('x')(0))", 1, "an expression cannot be called");
    expect_fails("print(coordinate('x') * (1 / 0))", 1, "inf cannot be used in an expression");
    expect_fails("print(coordinate('x') * (0 / 0))", 1, "nan cannot be used in an expression");
}

TEST(arguments_are_checked)
{
    static const struct {
        const char *script, *message;
    } rows[] = {
        {"model(3)", "model: the name must be a text, got the number 3"},
        {"param(3, 1)", "param: the name must be a text, got the number 3"},
        {"param('k')", "param 'k': the value must be a number, got nil"},
        {"param('k', 'x')", "param 'k': the value must be a number, got the text 'x'"},
        {"param('k', t)", "param 'k': the value must be a number, got an expression"},
        {"param('k', 1 / 0)", "param 'k': the value is not finite: inf"},
        {"param('k', 1, {uper = 3})", "there is no option 'uper', did you mean 'upper'?"},
        {"param('k', 1, {zzzzzz = 3})", "there are fixed, lower, upper, unit, doc"},
        {"param('k', 1, {zb = 1, za = 1, zc = 1})", "'za'"},
        {"param('k', 1, {3})", "an option is named by a text, not by the number 1"},
        {"param('k', 1, 'm')", "the options must be a table {...}, got the text 'm'"},
        {"param('k', 1, {fixed = 1})", "fixed must be true or false, got the number 1"},
        {"param('k', 1, {lower = 'a'})", "lower must be a number, got the text 'a'"},
        {"param('k', 1, {unit = 3})", "unit must be a text, got the number 3"},
        {"param('k', 1, {}, 4)", "takes 3 arguments at most, got 4"},
        {"param('a\\0b', 1)", "zero byte"},
        {"setting('n', {})", "setting 'n': the value must be a number, a text, true or false"},
        {"coordinate('x', {strat = 1})", "did you mean 'start'?"},
        {"coordinate('x', {1, 0})", "not by the number 1: write start = 1"},
        {"coordinate('x', {1, 0, start = 2})", "not by the number 1: write start = 1"},
        {"point('P', {1.5, 0})", "not by the number 1: write x = 1.5"},
        {"math.floor(coordinate('x'))", "floor is not available on expressions"},
        {"math.fmod(coordinate('x'), 2)", "fmod is not available on expressions"},
        {"solver{tol = -1}", "solver: tol is a number"},
        {"solver{rtol = -1}", "solver: rtol is a number"},
        {"event('e', {when = t == 0})", "got false (a guard is an expression: write when = y)"},
        {"event('e', {when = t, where = t == 0})", "write where = 1 - y)"},
        {"coordinate('x', {start = 1, guess = 2})", "start and guess exclude each other"},
        {"coordinate('x', {guess = 2, speed = 1})",
         "coordinate 'x' has a guess and a speed: where it is guessed, its velocity follows"},
        {"point('P', {x = 1, guess = {1, 2}, speed = {3, 4}})",
         "coordinate 'P.y' has a guess and a speed"},
        {"coordinate('x', {start = {}})", "start must be an expression or a number, got a table"},
        {"coordinate()", "coordinate: the name must be a text, got nil"},
        {"memory('c')", "memory 'c': the start value must be an expression or a number, got nil"},
        {"point('P', {speed = 3})", "speed must be a table of two, {x, y}"},
        {"point('P', {x = 'a'})", "point 'P': x must be an expression or a number"},
        {"print(point('P').z)", "a point has the fields x, y and name, not 'z'"},
        {"point('P').x = 1", "a point cannot be changed"},
        {"ground_point(1)", "ground_point: y must be an expression or a number, got nil"},
        {"mode('a', 'b')", "mode 'a': the options must be a table"},
        {"dot(point('P'))", "a point P has the coordinates P.x and P.y"},
        {"dot()", "dot: the argument must be an expression or a number, got nil"},
        {"kinetic('x')", "kinetic: the energy must be an expression or a number"},
        {"kinetic(dot(coordinate('x'))^2, {mode = 3})",
         "kinetic: mode must be a mode or a list of modes, got the number 3"},
        {"kinetic(dot(coordinate('x'))^2, {mode = {}})", "got a list of 0"},
        {"force(coordinate('x'))", "force: the force must be an expression or a number, got nil"},
        {"force(point('P'), 1)", "fy, the third argument, must be an expression or a number"},
        {"mass(point('P'))", "mass: the mass must be an expression or a number, got nil"},
        {"constraint('c', coordinate('x'), {alpha = -1})",
         "constraint 'c': alpha is -1, but a penalty factor is positive"},
        {"constraint('c', coordinate('x'), {alpha = param('a', 1)})",
         "constraint 'c': alpha must be a plain number, got an expression"},
        {"constraint('c', coordinate('x'), {alpha = 'soft'})",
         "constraint 'c': alpha must be a number, got the text 'soft'"},
        {"constraint('c', coordinate('x'), {alfa = 1})", "did you mean 'alpha'?"},
        {"spring()", "spring: needs a table: spring{P, Q, ...}"},
        {"local P = point('P') spring{P, P, stiffness = 1}", "its two entries are the same point"},
        {"spring{1, 2}", "spring: the first entry must be a point, got the number 1"},
        {"local P = point('P') spring{P}", "spring: the second entry must be a point, got nil"},
        {"local P = point('P') spring{P, P, stifness = 1}", "did you mean 'stiffness'?"},
        {"local P = point('P') spring{P, ground_point(0, 0), name = 's'}",
         "spring 's': stiffness is missing"},
        {"local P = point('P') spring{P, P, P}", "has 2 entries beside its options, got an"},
        {"local P = point('P') damper{P, ground_point(0, 0)}", "damper: damping is missing"},
        {"gravity(0)", "gravity: it has two components: write gravity(0, -9.81)"},
        {"event('e')", "event 'e': needs a table"},
        {"event('e', {})", "event 'e': when is missing"},
        {"event('e', {when = true})",
         "event 'e': when must be an expression or a number, got true"},
        {"event('e', {when = t, direction = 'down'})",
         "direction must be 'falling', 'rising' or 'any', got 'down'"},
        {"event('e', {when = t, from = 'air'})", "from must be a mode or a list of modes"},
        {"event('e', {when = t, stop = 0})", "stop must be true or the number of an occurrence"},
        {"event('e', {when = t, where = {t, {}}})", "where must be an expression or a number"},
        {"event('e', {when = t, set = 3})", "set must be a table, got the number 3"},
        {"event('e', {when = t, set = {[3] = 1}})", "got the number 3"},
        {"event('e', {when = t, charge = {3}})", "charge: the name of a cost must be a text"},
        {"event('e', {when = t, dirction = 'any'})", "did you mean 'direction'?"},
        {"cost('c', t)", "{max = ...} or {min = ...}"},
        {"cost('c', {intergal = t})", "did you mean 'integral'?"},
        {"output('o')", "output 'o': the value must be an expression or a number, got nil"},
        {"horizon(0)", "horizon: the end must be an expression or a number, got nil"},
        {"horizon('a', 1)", "horizon: the start must be a number, got the text 'a'"},
        {"solver{rtoll = 1}", "solver: there is no option 'rtoll', did you mean 'rtol'?"},
        {"solver{rtol = {}}", "solver: rtol must be a number or a name, got a table"},
        {"solver(3)", "solver: the options must be a table"},
        {"sin()", "sin: the argument must be an expression or a number, got nil"},
        {"sin('x')", "sin: the argument must be an expression or a number, got the text 'x'"},
        {"max()", "max: needs an argument at least"},
        {"max({}, 1)", "max: the first argument must be an expression or a number, got a table"},
        {"pow(2)", "pow: the second argument must be an expression or a number, got nil"},
        {"impulse(3)", "impulse: the name must be a text, got the number 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_fails(rows[i].script, 1, rows[i].message);
}

TEST(errors_have_file_line_and_text_alone)
{
    struct outcome outcome = load("local x = 1\n\nerror('boom')");
    assert_int_equal(outcome.err.line, 3);
    assert_string_equal(outcome.err.message, "boom");
    expect_fails("error('boom', 0)", 1, "boom");
    expect_fails("local function f() error('boom', 2) end\n\nf()", 3, "boom");
    expect_fails("error({})", 1, "not a text but a table");
    expect_fails("error()", 1, "not a text but nil");
    expect_fails("error(setmetatable({}, {__tostring = function() return 'obj' end}))", 1, "obj");
    expect_fails("local t = nil\nt.x = 1", 2, "attempt to index a nil value (local 't')");
    expect_fails("local x =\n= 3", 2, "unexpected symbol near '='");
    expect_fails("for i = 1, 3 do\n\n", 3, "'end' expected");
    expect_fails("\xEF\xBB\xBF#!/usr/bin/saltus\nerror('after the first line')", 2, "after");
    expect_fails("local function f()\n  param('k')\nend\nf()", 2, "param 'k'");
    expect_fails("", 0, "the script is empty");
    expect_fails(" \n\t", 0, "the script is empty");
}

TEST(files_that_cannot_be_read_are_named)
{
    saltus_error err = {0};
    assert_null(saltus_model_load("/no/such/file.lua", &err));
    assert_int_equal(err.status, SALTUS_ERR_FILE);
    EXPECT(strstr(err.message, "/no/such/file.lua") != NULL);
    err = (saltus_error){0};
    assert_null(saltus_model_load("/tmp", &err));
    assert_int_equal(err.status, SALTUS_ERR_FILE);
    EXPECT(strstr(err.message, "irectory") != NULL);
    assert_null(saltus_model_load("/dev/null", &err)); /* does nothing: err is taken */
    err = (saltus_error){0};
    assert_null(saltus_model_load("/dev/null", &err));
    assert_int_equal(err.status, SALTUS_ERR_MODEL);
    assert_null(saltus_model_load(NULL, NULL));
}

/* ---- what the words do ---------------------------------------------------------------------- */

TEST(a_model_of_every_word_loads)
{
    const char *script =
        "model 'every word'\n"
        "local n = setting('n', 3)\n"
        "local k = param('k', 100, {fixed = true, lower = 0, upper = 1e3, unit = 'N/m', doc = "
        "'d'})\n"
        "local e, m = param('e', 0.8), param('m', 1)\n"
        "local x = coordinate('x', {start = 2 * k, speed = -1, unit = 'm', doc = 'way'})\n"
        "local c = memory('c', 0.5 * k)\n"
        "local air, rest = mode 'air', mode('rest', {group = 'g'})\n"
        "local other = mode('other', {group = 'g'})\n"
        "local A, P = ground_point(0, 1), point('P', {x = 0, y = 1, speed = {1, 2}})\n"
        "kinetic(0.5 * m * dot(x)^2)\n"
        "potential(m * 9.81 * x, {mode = air})\n"
        "dissipation(0.1 * dot(x)^2, {mode = {air, rest}})\n"
        "force(x, -k * x + sin(t)) force(P, 1, 2, {mode = rest}) force(x - P.x, 3)\n"
        "mass(x, m) mass(P, m, {mode = rest})\n"
        "spring {A, P, stiffness = k, length = 1, mode = air, name = 's'}\n"
        "damper {A, P, damping = 2}\n"
        "gravity(0, -9.81) gravity(0, 1, {mode = rest})\n"
        "event('bounce', {when = x, direction = 'falling', from = {air, rest}, where = {x + 1, 1 - "
        "x},\n"
        "  restitution = e, charge = {hits = 1, loss = before(dot(x)) - after(dot(x)) + "
        "impulse('bounce')}})\n"
        "event('reset', {when = x - 1, from = rest, to = other, where = t, stop = 2,\n"
        "  set = {[dot(x)] = -dot(x), [c] = x, [x] = 0}})\n"
        "event('back', {when = x - 2, from = other, to = rest, stop = true})\n"
        "local B = body('B', {x = 1, y = e, angle = 0.1, speed = {1, 0}, spin = m, mass = m,\n"
        "                     inertia = 1, doc = 'box'})\n"
        "joint.revolute {B:point(0, 1), A} torsion_spring {B, stiffness = k, damping = 1}\n"
        "motor {B, torque = sin(t)}\n"
        "gear {B, body('C', {mass = 1, inertia = 1}), ratio = -m, mode = air}\n"
        "contact {B:point(1, 0), line = {A, P}, restitution = e, settle = 0.1, sticks = true,\n"
        "  where = {t + 1, B.x + 9}, charge = {hits = impulse('toe')}, mode = air, name = 'toe'}\n"
        "cost('hits') cost('loss', {unit = 'J'}) cost('way', {integral = ddot(x)^2, final = x, doc "
        "= 'w'})\n"
        "output('energy', 0.5 * dot(x)^2, {unit = 'J', doc = 'kinetic'})\n"
        "horizon(0, 2 * e)\n"
        "solver {tol = 1e-9, max_steps = 1000, integrator = 'dopri5'}\n"
        "print(n, P.name, P, A, air, air.name, tostring(x), 'x is ' .. x)\n";
    expect_prints(script, "3\tP\tpoint 'P'\tpoint\tmode 'air'\tair\tx\tx is x\n");
}

TEST(settings_take_values_from_outside)
{
    const saltus_override overrides[] = {
        {"n", 9, NULL}, {"n", 5, NULL},    {"r", 2.5, NULL}, {"s", 0, "two"},
        {"v", 2, NULL}, {"b", 0, "false"}, {"one", 1, NULL},
    };
    saltus_script_options options = saltus_script_options_default();
    options.overrides = overrides;
    options.override_count = 7;
    const char    *script = "print(setting('n', 3), setting('r', 1), setting('s', 'one'),\n"
                            "setting('v', 'a'), setting('b', true), setting('one', false),\n"
                            "setting('other', 1.5))";
    struct outcome outcome = load_bytes(script, strlen(script), &options);
    if (outcome.err.status) fail_msg("%s", outcome.err.message);
    assert_string_equal(outcome.printed, "5\t2.5\ttwo\t2\tfalse\ttrue\t1.5\n");

    script = "\nlocal n = setting('s', 3)";
    outcome = load_bytes(script, strlen(script), &options);
    assert_int_equal(outcome.err.status, SALTUS_ERR_MODEL);
    assert_int_equal(outcome.err.line, 2);
    EXPECT(strstr(outcome.err.message, "setting 's': is a number, but the text 'two'") != NULL);

    script = "setting('s', true)";
    outcome = load_bytes(script, strlen(script), &options);
    EXPECT(strstr(outcome.err.message, "is true or false, but the text 'two' was given") != NULL);
    script = "setting('r', true)";
    outcome = load_bytes(script, strlen(script), &options);
    EXPECT(strstr(outcome.err.message, "is true or false, but the number 2.5 was given") != NULL);

    script = "print(setting('n', 3))"; /* the others are used by nothing */
    outcome = load_bytes(script, strlen(script), &options);
    assert_int_equal(outcome.err.status, SALTUS_ERR_ARGUMENT);
}

TEST(functions_work_on_numbers_and_expressions)
{
    expect_prints(
        "print(sin(0), math.cos(0), abs(-3), math.type(abs(-3)), sign(-2), max(1, 3, 2),\n"
        "min(2.5, 1), log(8, 2), log(1000, 10), hypot(3, 4), pow(2, 3), sqrt(4), erf(-0.5),\n"
        "asinh(-0.5))",
        "0.0\t1.0\t3\tinteger\t-1\t3\t1\t3.0\t3.0\t5.0\t8.0\t2.0\t-0.52049987781305\t"
        "-0.4812118250596\n");
    expect_prints(
        "print(math.type(math.max(1, 2)), math.floor(2.5), math.pi, math.rad(180) == math.pi,\n"
        "atan(1, 0) == math.pi / 2, math.huge, max(1, -math.huge), math.tointeger(3.0))",
        "integer\t2\t3.1415926535898\ttrue\ttrue\tinf\t1\t3\n");
    expect_prints(
        "local x = coordinate('x')\n"
        "for _, f in ipairs{'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh',\n"
        "  'asinh', 'erf', 'exp', 'log', 'sqrt', 'abs', 'sign'} do\n"
        "  assert(math[f](x) == _G[f](x), f) end\n"
        "for _, f in ipairs{'atan', 'atan2', 'hypot', 'pow', 'min', 'max', 'log'} do\n"
        "  assert(math[f](x, 2) == _G[f](x, 2), f) end\n"
        "assert(atan(x, 2) == atan2(x, 2)) assert(ddot(x) == dot(dot(x)))\n"
        "assert(before(x) == x) assert(max(x, 1, 2) == max(max(x, 1), 2))\n"
        "assert(x^2 == pow(x, 2)) assert(-x == 0 - x) print('ok')",
        "ok\n");
}

TEST(expressions_are_keys_of_tables)
{
    expect_prints("local x = coordinate('x') local s = {[dot(x)] = 1, [x] = 2}\n"
                  "for i = 1, 1e5 do local waste = {} end print(s[dot(x)], s[x])",
                  "1\t2\n");
}

/* ---- the same script, the same bytes -------------------------------------------------------- */

TEST(pairs_walks_in_a_fixed_order)
{
    expect_prints(
        "local x, y = coordinate('x'), coordinate('y')\n"
        "local s = {b = 1, a = 2, [true] = 3, [false] = 4, [10] = 5, [-1.5] = 6, [2] = 7,\n"
        "  [y] = 8, [x] = 9, ab = 10, [''] = 11, B = 12}\n"
        "local r = {} for k, v in pairs(s) do r[#r + 1] = v end print(table.concat(r, ' '))",
        "6 7 5 11 12 2 10 1 9 8 4 3\n");
    expect_prints("local s = {} for i = 1, 100 do s['k' .. i * 7919 % 1000] = i end\n"
                  "local last = '' for k in pairs(s) do assert(last < k) last = k end print('ok')",
                  "ok\n");
    expect_prints("local s = {1, 2, 3, a = 4} for k in pairs(s) do s[k] = nil end\n"
                  "for k in pairs(s) do error('not empty') end print('ok')",
                  "ok\n");
    expect_prints("local s = {a = 1, b = 2, c = 3} local n = 0\n"
                  "for k in pairs(s) do s.b = nil n = n + 1 end print(n)",
                  "2\n");
    expect_prints(
        "local s = {[math.maxinteger] = 1, [math.maxinteger - 1] = 2, [2.0^63] = 3,\n"
        "  [math.mininteger] = 4, [-math.huge] = 5}\n"
        "local r = {} for k, v in pairs(s) do r[#r + 1] = v end print(table.concat(r, ' '))",
        "5 4 2 1 3\n");
    expect_fails("for k in pairs({[{}] = 1}) do end", 1, "a table as a key");
    expect_fails("for k in pairs({[print] = 1}) do end", 1, "a function as a key");
}

TEST(sort_is_stable_and_ends)
{
    expect_prints("local s = {} for i = 1, 200 do s[i] = {i * 37 % 10, i} end\n"
                  "table.sort(s, function(a, b) return a[1] < b[1] end)\n"
                  "for i = 2, 200 do local a, b = s[i - 1], s[i]\n"
                  "  assert(a[1] < b[1] or a[1] == b[1] and a[2] < b[2]) end\n"
                  "table.sort(s, function() return true end) print(#s)",
                  "200\n");
}

TEST(random_follows_the_seed)
{
    const char *script =
        "print(math.random(), math.random(10), math.random(-5, 5), math.random(0))\n"
        "math.randomseed(42) local a = math.random(1 << 40)\n"
        "math.randomseed(42) assert(a == math.random(1 << 40)) print(a)\n"
        "for i = 1, 1000 do local r = math.random(3) assert(r >= 1 and r <= 3)\n"
        "  r = math.random() assert(r >= 0 and r < 1) end";
    saltus_script_options options = saltus_script_options_default();
    const struct outcome  first = load_bytes(script, strlen(script), &options);
    const struct outcome  again = load_bytes(script, strlen(script), &options);
    options.seed = 1;
    const struct outcome other = load_bytes(script, strlen(script), &options);
    if (first.err.status) fail_msg("%s", first.err.message);
    assert_string_equal(first.printed, again.printed);
    EXPECT(strcmp(first.printed, other.printed) != 0);
}

/* ---- texts ---------------------------------------------------------------------------------- */

TEST(texts_give_what_lua_gives)
{
    static const char *const rows[][2] = {
        {"('one two'):rep(2, ','):upper():len()", "15"},
        {"('ABC'):lower() .. ('x'):rep(3) .. ('x'):rep(0)", "abcxxx"},
        {"('hello'):sub(2, -2)", "ell"},
        {"('abc'):byte(1, -1)", "97\t98\t99"},
        {"('%5.2f|%-4s|%03d|%x|%g|%%'):format(3.14159, 'ab', 7, 255, 1e-9)",
         " 3.14|ab  |007|ff|1e-09|%"},
        {"('%s %.2s'):format({}, 'abc')", "table ab"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[200], expected[100];
        snprintf(script, sizeof script, "print(%s)", rows[i][0]);
        snprintf(expected, sizeof expected, "%s\n", rows[i][1]);
        expect_prints(script, expected);
    }
    expect_fails("print(('%p'):format({}))", 1, "no conversion '%p'");
    expect_fails("print(('%d'):format())", 1, "no value");
}

TEST(functions_that_a_model_lacks_are_named_with_a_way_out)
{
    static const char *const rows[][2] = {
        {"string.find('a', 'b')", "'string.find' is not available: models cannot use patterns"},
        {"local s = ('a=1'):match('=(.*)')", "'string.match' is not available: models cannot use"},
        {"for k in ('a b'):gmatch('%a') do end", "'string.gmatch' is not available"},
        {"local s = ('a'):gsub('a', 'b')", "'string.gsub' is not available"},
        {"local s = ('a'):reverse()", "'string.reverse' is not available: string has byte, format"},
        {"local t = table.pack(1, 2)", "'table.pack' is not available: write {...}"},
        {"local t = table.move({}, 1, 2, 3)", "'table.move' is not available: write a loop"},
        {"local t = table.foreach({})", "'table.foreach' is not available: table has concat"},
        {"pcall(error)", "'pcall' is not available: an error ends the script; test values with if"},
        {"xpcall(error, print)", "'xpcall' is not available: an error ends the script"},
        {"coroutine.wrap(print)", "'coroutine' is not available: write functions and loops"},
        {"local k = next({})", "'next' is not available: walk a table with pairs"},
        {"rawset({}, 1, 2)", "'rawset' is not available: assign t[key] = value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[100];
        snprintf(script, sizeof script, "\n%s", rows[i][0]);
        expect_fails(script, 2, rows[i][1]);
    }
    expect_prints("local next, pcall = 1, 2 rawset = 3 print(next, pcall, rawset)", "1\t2\t3\n");
}

TEST(texts_that_are_numbers_compute)
{
    expect_prints("print('10' + 5, '3' * '4', -'2', 10 .. '')", "15\t12\t-2\t10\n");
    expect_fails("print('a' + 1)", 1, "'+' needs numbers or expressions, got the text 'a'");
}

struct told {
    char   text[400];
    size_t length;
};

static void note_file(void *context, const char *name, const char *text, size_t length)
{
    struct told *told = context;
    const size_t room = sizeof told->text - told->length;
    told->length +=
        (size_t)snprintf(told->text + told->length, room, "%s: %.*s;", name, (int)length, text);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

TEST(files_that_a_script_reads_are_told)
{
    struct told            told = {0};
    const saltus_data_file given = {"other", "told_elsewhere.txt"};
    saltus_script_options  options = saltus_script_options_default();
    options.folder = "";
    options.data = &given;
    options.data_count = 1;
    options.on_file = note_file;
    options.on_file_context = &told;
    write_file("told_part.lua", "print(...)");
    write_file("told_table.csv", "a\n1\n");
    write_file("told_elsewhere.txt", "b\n2\n");
    const char          *script = "include('told_part.lua', nil, 7)\n"
                                  "print(data('told_table').a[1], data('other').b[1])\n";
    const struct outcome outcome = load_bytes(script, strlen(script), &options);
    assert_string_equal(outcome.printed, "7\n1.0\t2.0\n");
    assert_string_equal(told.text, "told_part.lua: print(...);told_table.csv: a\n1\n;"
                                   "other.csv: b\n2\n;");
    remove("told_part.lua"), remove("told_table.csv"), remove("told_elsewhere.txt");
}

TEST_MAIN(RUN(comparing_symbols_points_to_event_and_setting),
          RUN(a_guard_of_memories_alone_gets_a_way_out), RUN(a_set_without_brackets_gets_a_hint),
          RUN(a_local_that_hides_a_word_is_named), RUN(undefined_names_offer_the_nearest),
          RUN(names_of_rates_point_to_dot), RUN(words_cannot_be_assigned),
          RUN(functions_of_expressions_are_words), RUN(elements_check_their_arguments),
          RUN(elements_are_named), RUN(other_languages_get_a_hint),
          RUN(arithmetic_names_the_operator_and_the_type), RUN(arguments_are_checked),
          RUN(errors_have_file_line_and_text_alone), RUN(files_that_cannot_be_read_are_named),
          RUN(a_model_of_every_word_loads), RUN(settings_take_values_from_outside),
          RUN(functions_work_on_numbers_and_expressions), RUN(expressions_are_keys_of_tables),
          RUN(pairs_walks_in_a_fixed_order), RUN(sort_is_stable_and_ends),
          RUN(random_follows_the_seed), RUN(texts_give_what_lua_gives),
          RUN(functions_that_a_model_lacks_are_named_with_a_way_out),
          RUN(texts_that_are_numbers_compute), RUN(files_that_a_script_reads_are_told))
