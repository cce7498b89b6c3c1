/* Words for the planar elements: spring, damper, rod, bar, torsion_spring, motor, gear. */
#include "script/words/bind_element.h"
#include "script/words/words.h"

#include "saltus/draw.h"

/* ---- what all have in common ---------------------------------------------------------------- */

struct sal_who sal_lua_element(lua_State *L, const char *word, const char *keys, int positions,
                               const char *example, int *count)
{
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE)
        sal_lua_fail(L, "%s: needs a table: %s", word, example);
    struct sal_who who = sal_lua_enter(L, word, 1);
    sal_lua_options(L, 1, who, keys, positions);
    who.name = sal_lua_prefixed(L, sal_lua_text_field(L, 1, "name", who));
    for (; positions > 0 && lua_rawgeti(L, 1, positions) == LUA_TNIL; positions--) lua_pop(L, 1);
    if (count) *count = positions;
    return who;
}

struct sal_link sal_lua_link(lua_State *L, const char *word, const char *keys, const char *example)
{
    struct sal_link link = {.who = sal_lua_element(L, word, keys, 2, example, NULL)};
    sal_lua_entry_points(L, link.who, &link.p, &link.q);
    link.modes = sal_lua_modes_field(L, 1, "mode", link.who);
    return link;
}

int sal_lua_entry_at(lua_State *L, int table, int position)
{
    lua_rawgeti(L, table, position);
    return lua_gettop(L);
}

static const char *place_in_words(int position)
{
    static const char *const words[] = {"the first entry", "the second entry", "the third entry"};
    return words[position - 1];
}

saltus_point sal_lua_entry_point(lua_State *L, int position, struct sal_who who)
{
    return sal_lua_point(L, sal_lua_entry_at(L, 1, position), who, place_in_words(position));
}

static int same_point(saltus_point p, saltus_point q)
{
    return p.x.id == q.x.id && p.y.id == q.y.id;
}

void sal_lua_entry_points(lua_State *L, struct sal_who who, saltus_point *p, saltus_point *q)
{
    *p = sal_lua_entry_point(L, 1, who);
    *q = sal_lua_entry_point(L, 2, who);
    if (same_point(*p, *q)) sal_lua_fail_who(L, who, "its two entries are the same point");
}

saltus_body sal_lua_entry_body(lua_State *L, int position, struct sal_who who)
{
    return sal_lua_body(L, sal_lua_entry_at(L, 1, position), who, place_in_words(position));
}

saltus_expr sal_lua_needed_field(lua_State *L, const char *key, struct sal_who who)
{
    const saltus_expr e = sal_lua_expr_field(L, 1, key, who);
    if (!e.id) sal_lua_fail_who(L, who, "%s is missing", key);
    return e;
}

int sal_lua_line_field(lua_State *L, const char *key, struct sal_who who, saltus_point line[2])
{
    const int field = sal_lua_table_field(L, 1, key, who, "two points, {P, Q}");
    if (!field) return 0;
    sal_lua_options(L, field, (struct sal_who){key, NULL}, "", 2);
    for (int i = 0; i < 2; i++)
        line[i] = sal_lua_point(L, sal_lua_entry_at(L, field, i + 1), who,
                                lua_pushfstring(L, "%s in %s", place_in_words(i + 1), key));
    if (same_point(line[0], line[1]))
        sal_lua_fail_who(L, who, "%s is twice the same point: a line goes through two", key);
    return 1;
}

/* ---- springs, dampers, rods and bars -------------------------------------------------------- */

int sal_word_spring(lua_State *L)
{
    const struct sal_link link =
        sal_lua_link(L, "spring", "stiffness length mode name", "spring{P, Q, ...}");
    const saltus_expr stiffness = sal_lua_needed_field(L, "stiffness", link.who);
    saltus_expr       length = sal_lua_expr_field(L, 1, "length", link.who);
    if (!length.id) length = sal_lua_literal(L, 0.0);
    saltus_spring(sal_lua_begin(L), link.p, link.q, stiffness, length, link.modes);
    return sal_lua_finish(L);
}

int sal_word_damper(lua_State *L)
{
    const struct sal_link link =
        sal_lua_link(L, "damper", "damping mode name", "damper{P, Q, ...}");
    const saltus_expr damping = sal_lua_needed_field(L, "damping", link.who);
    saltus_damper(sal_lua_begin(L), link.p, link.q, damping, link.modes);
    return sal_lua_finish(L);
}

int sal_word_rod(lua_State *L)
{
    const struct sal_link link = sal_lua_link(L, "rod", "length mode name", "rod{P, Q, ...}");
    const saltus_expr     length = sal_lua_needed_field(L, "length", link.who);
    saltus_rod(sal_lua_begin(L), link.who.name, link.p, link.q, length, link.modes);
    return sal_lua_finish(L);
}

int sal_word_bar(lua_State *L)
{
    const struct sal_link link = sal_lua_link(L, "bar", "length mass mode name", "bar{P, Q, ...}");
    const saltus_expr     length = sal_lua_needed_field(L, "length", link.who);
    const saltus_expr     mass = sal_lua_needed_field(L, "mass", link.who);
    saltus_bar(sal_lua_begin(L), link.who.name, link.p, link.q, mass, length, link.modes);
    return sal_lua_finish(L);
}

static int is_point_entry(lua_State *L, int position)
{
    const int is = sal_lua_value(L, sal_lua_entry_at(L, 1, position), SAL_POINT) != NULL;
    lua_pop(L, 1);
    return is;
}

/* ---- angles --------------------------------------------------------------------------------- */

/* Draws an element that turns at its place; only corners and bodies have a place. */
static void draw_turning(lua_State *L, saltus_shape shape, saltus_point at, saltus_expr from,
                         saltus_expr to, struct sal_who who, saltus_modes modes)
{
    const saltus_expr numbers[] = {at.x, at.y, from, to};
    if (shape == SALTUS_SHAPE_COIL)
        saltus_draw(sal_lua_begin(L), shape, who.name, numbers, 4, modes);
    else saltus_draw(sal_lua_begin(L), shape, who.name, numbers, 3, modes);
    sal_lua_finish(L);
}

/* Draws an element between two bodies, or the ground and a body, at the last body. */
static void draw_between_bodies(lua_State *L, saltus_shape shape, int count, struct sal_who who,
                                saltus_modes modes)
{
    const saltus_body last = sal_lua_entry_body(L, count, who);
    const saltus_expr first =
        count == 2 ? sal_lua_entry_body(L, 1, who).angle : saltus_number(sal_lua_begin(L), 0.0);
    draw_turning(L, shape, saltus_body_centre(last),
                 shape == SALTUS_SHAPE_COIL ? first : last.angle, last.angle, who, modes);
}

/* The angle of one body, or that from the first body to the second. */
static saltus_expr body_angle(lua_State *L, int count, struct sal_who who)
{
    const saltus_expr first = sal_lua_entry_body(L, 1, who).angle;
    if (count == 1) return first;
    const saltus_expr second = sal_lua_entry_body(L, 2, who).angle;
    if (first.id == second.id) sal_lua_fail_who(L, who, "its two entries are the same body");
    return sal_lua_apply(L, SALTUS_SUB, second, first);
}

/* Raises unless either entries or of= determine the angle. */
static void check_what_turns(lua_State *L, int count, saltus_expr of, struct sal_who who,
                             const char *example)
{
    if (of.id && count > 0)
        sal_lua_fail_who(L, who, "of= already gives the angle: remove the entries before it");
    if (!of.id && count == 0) sal_lua_fail_who(L, who, "the angle is missing: write %s", example);
}

static const char torsion_example[] =
    "torsion_spring{A, B, ...} with bodies, {B, ...} with one and the ground, {P, Q, R, ...} with "
    "points, or {of = angle, ...}";

int sal_word_torsion_spring(lua_State *L)
{
    int                  count;
    const struct sal_who who = sal_lua_element(
        L, "torsion_spring", "stiffness angle damping of mode name", 3, torsion_example, &count);
    saltus_expr        angle = sal_lua_expr_field(L, 1, "of", who);
    saltus_expr        rest = sal_lua_expr_field(L, 1, "angle", who);
    const saltus_expr  stiffness = sal_lua_needed_field(L, "stiffness", who);
    const saltus_expr  damping = sal_lua_expr_field(L, 1, "damping", who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    check_what_turns(L, count, angle, who, torsion_example);
    if (count == 3) {
        saltus_point p[3];
        for (int i = 0; i < 3; i++) p[i] = sal_lua_entry_point(L, i + 1, who);
        angle = saltus_corner_angle(sal_lua_begin(L), p[0], p[1], p[2], rest);
        draw_turning(L, SALTUS_SHAPE_COIL, p[1],
                     saltus_direction_angle(sal_lua_begin(L), p[1], p[0]),
                     saltus_direction_angle(sal_lua_begin(L), p[1], p[2]), who, modes);
        rest.id = 0;
    } else if (count > 0) {
        if (count == 2 && is_point_entry(L, 1) && is_point_entry(L, 2))
            sal_lua_fail_who(L, who, "two points have no angle between them: write %s",
                             torsion_example);
        angle = body_angle(L, count, who);
        draw_between_bodies(L, SALTUS_SHAPE_COIL, count, who, modes);
    }
    saltus_torsion_spring(sal_lua_begin(L), angle, stiffness, rest, modes);
    if (damping.id) saltus_torsion_damper(sal_lua_begin(L), angle, damping, modes);
    return sal_lua_finish(L);
}

/* ---- motors --------------------------------------------------------------------------------- */

static const char motor_example[] =
    "motor{B, ...} with a body, {A, B, ...} with two, {P, Q, ...} with points, or {of = e, ...}";

/* What the motor prescribes: exactly one of these fields is set. */
struct drive {
    saltus_expr position, torque;
};

static struct drive read_drive(lua_State *L, struct sal_who who)
{
    const saltus_expr angle = sal_lua_expr_field(L, 1, "angle", who);
    const saltus_expr position = sal_lua_expr_field(L, 1, "position", who);
    const saltus_expr torque = sal_lua_expr_field(L, 1, "torque", who);
    if ((angle.id != 0) + (position.id != 0) + (torque.id != 0) != 1)
        sal_lua_fail_who(L, who,
                         "give one of angle = f(t), position = f(t) (prescribed motion) and "
                         "torque = M (prescribed torque)");
    return (struct drive){angle.id ? angle : position, torque};
}

/* A motor on the line between two points. */
static void drive_direction(lua_State *L, struct sal_who who, struct drive drive,
                            saltus_modes modes)
{
    saltus_point p, q;
    sal_lua_entry_points(L, who, &p, &q);
    saltus_model *model = sal_lua_begin(L);
    if (drive.torque.id)
        saltus_force(model, saltus_direction_angle(model, p, q), drive.torque, modes);
    else saltus_motor_direction(model, who.name, p, q, drive.position, modes);
    const saltus_expr angle = saltus_direction_angle(model, p, q);
    draw_turning(L, SALTUS_SHAPE_MOTOR, p, angle, angle, who, modes);
}

int sal_word_motor(lua_State *L)
{
    int                  count;
    const struct sal_who who =
        sal_lua_element(L, "motor", "angle position torque of mode name", 2, motor_example, &count);
    saltus_expr        of = sal_lua_expr_field(L, 1, "of", who);
    const struct drive drive = read_drive(L, who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    check_what_turns(L, count, of, who, motor_example);
    if (count == 2 && (is_point_entry(L, 1) || is_point_entry(L, 2))) {
        drive_direction(L, who, drive, modes);
        return 0;
    }
    if (count > 0) {
        of = body_angle(L, count, who);
        draw_between_bodies(L, SALTUS_SHAPE_MOTOR, count, who, modes);
    }
    if (drive.torque.id) saltus_force(sal_lua_begin(L), of, drive.torque, modes);
    else saltus_motor(sal_lua_begin(L), who.name, of, drive.position, modes);
    return sal_lua_finish(L);
}

/* ---- gears ---------------------------------------------------------------------------------- */

int sal_word_gear(lua_State *L)
{
    const struct sal_who who = sal_lua_element(L, "gear", "ratio angle carrier mode name", 2,
                                               "gear{A, B, ratio = ...}", NULL);
    const saltus_body    a = sal_lua_entry_body(L, 1, who), b = sal_lua_entry_body(L, 2, who);
    const int            field = sal_lua_field(L, 1, "carrier");
    saltus_body          carrier = {{0}, {0}, {0}};
    if (field) carrier = sal_lua_body(L, field, who, "carrier");
    const saltus_expr  ratio = sal_lua_needed_field(L, "ratio", who);
    const saltus_expr  angle = sal_lua_expr_field(L, 1, "angle", who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_gear(sal_lua_begin(L), who.name, a, b, carrier, ratio, angle, modes);
    return sal_lua_finish(L);
}
