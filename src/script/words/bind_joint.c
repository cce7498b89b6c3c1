/* The word joint: a table of functions, one per kind of joint, that cannot be changed. */
#include "script/words/bind_element.h"
#include "script/words/words.h"

static int joint_revolute(lua_State *L)
{
    const struct sal_link link =
        sal_lua_link(L, "joint.revolute", "mode name", "joint.revolute{P, Q}");
    saltus_revolute(sal_lua_begin(L), link.who.name, link.p, link.q, link.modes);
    return sal_lua_finish(L);
}

static int joint_distance(lua_State *L)
{
    const struct sal_link link =
        sal_lua_link(L, "joint.distance", "length mode name", "joint.distance{P, Q, length = ...}");
    const saltus_expr length = sal_lua_needed_field(L, "length", link.who);
    saltus_distance(sal_lua_begin(L), link.who.name, link.p, link.q, length, link.modes);
    return sal_lua_finish(L);
}

static void read_along(lua_State *L, struct sal_who who, saltus_point line[2])
{
    if (!sal_lua_line_field(L, "along", who, line))
        sal_lua_fail_who(L, who, "along is missing: the line it slides on, along = {P, Q}");
}

static int joint_slot(lua_State *L)
{
    saltus_point         line[2];
    const struct sal_who who = sal_lua_element(L, "joint.slot", "along offset mode name", 1,
                                               "joint.slot{P, along = {A, B}}", NULL);
    const saltus_point   pin = sal_lua_entry_point(L, 1, who);
    read_along(L, who, line);
    const saltus_expr  offset = sal_lua_expr_field(L, 1, "offset", who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_slot(sal_lua_begin(L), who.name, pin, line[0], line[1], offset, modes);
    return sal_lua_finish(L);
}

static int joint_prismatic(lua_State *L)
{
    saltus_point         line[2];
    const struct sal_who who = sal_lua_element(L, "joint.prismatic", "along angle offset mode name",
                                               1, "joint.prismatic{B, along = {P, Q}}", NULL);
    const saltus_body    body = sal_lua_entry_body(L, 1, who);
    read_along(L, who, line);
    const saltus_expr  angle = sal_lua_expr_field(L, 1, "angle", who);
    const saltus_expr  offset = sal_lua_expr_field(L, 1, "offset", who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_prismatic(sal_lua_begin(L), who.name, body, line[0], line[1], angle, offset, modes);
    return sal_lua_finish(L);
}

static int joint_weld(lua_State *L)
{
    int                  count;
    const struct sal_who who =
        sal_lua_element(L, "joint.weld", "x y angle mode name", 2,
                        "joint.weld{A, B, x = ...}, or {B, x = ...} to the ground", &count);
    saltus_body a = {{0}, {0}, {0}};
    saltus_body b = sal_lua_entry_body(L, 1, who);
    if (count == 2) {
        a = b;
        b = sal_lua_entry_body(L, 2, who);
        if (a.angle.id == b.angle.id) sal_lua_fail_who(L, who, "its two entries are the same body");
    }
    const saltus_expr  x = sal_lua_expr_field(L, 1, "x", who);
    const saltus_expr  y = sal_lua_expr_field(L, 1, "y", who);
    const saltus_expr  angle = sal_lua_expr_field(L, 1, "angle", who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_weld(sal_lua_begin(L), who.name, a, b, x, y, angle, modes);
    return sal_lua_finish(L);
}

/* ---- the table ------------------------------------------------------------------------------ */

void sal_lua_add_joints(lua_State *L)
{
    static const luaL_Reg joints[] = {
        {"distance", joint_distance}, {"prismatic", joint_prismatic}, {"revolute", joint_revolute},
        {"slot", joint_slot},         {"weld", joint_weld},           {NULL, NULL},
    };
    static const struct sal_word_table table = {"joint", "a table of joints",
                                                "joint.revolute{P, Q}", joints};
    sal_lua_add_table(L, &table);
}
