/* The word draw: a table of functions, one per kind of drawing. They add shapes to the animation of
 * a report, and do not change the motion. */
#include "saltus/draw.h"
#include "script/words/bind_element.h"
#include "script/words/words.h"

enum { MAX_POINTS = 1000 };

/* A point, a body (its centre) or a table {x, y}. */
static void read_point(lua_State *L, int index, struct sal_who who, const char *what,
                       saltus_expr *xy)
{
    if (lua_type(L, index) != LUA_TTABLE) {
        const saltus_point p = sal_lua_point(L, index, who, what);
        xy[0] = p.x;
        xy[1] = p.y;
        return;
    }
    sal_lua_options(L, index, (struct sal_who){who.word, what}, "", 2);
    for (int i = 0; i < 2; i++) {
        const int at = sal_lua_entry_at(L, index, i + 1);
        xy[i] = sal_lua_expr(L, at, who, lua_pushfstring(L, "%s of %s", i ? "y" : "x", what));
        lua_settop(L, at - 1);
    }
}

static const char *entry_name(lua_State *L, int position)
{
    return lua_pushfstring(L, "point %d", position);
}

/* Reads the style of a line; lines can be drawn like elements, too. */
static saltus_shape line_style(lua_State *L, struct sal_who who)
{
    static const saltus_shape lines[] = {
        SALTUS_SHAPE_LINE, SALTUS_SHAPE_DASHED, SALTUS_SHAPE_GROUND, SALTUS_SHAPE_BAR,
        SALTUS_SHAPE_ROD,  SALTUS_SHAPE_SPRING, SALTUS_SHAPE_DAMPER};
    return lines[sal_lua_choice_field(
        L, 1, "style", who, "line dashed ground bar rod spring damper",
        "style must be line, dashed, ground, bar, rod, spring or damper, got '%s'")];
}

static int draw_line(lua_State *L)
{
    int                  count;
    const struct sal_who who = sal_lua_element(L, "draw.line", "style mode name", MAX_POINTS,
                                               "draw.line{P, Q} or {{x, y}, Q}", &count);
    if (count < 2) sal_lua_fail_who(L, who, "a line goes through two points or more, {P, Q}");
    const saltus_shape shape = line_style(L, who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_expr       *xy = lua_newuserdatauv(L, 2 * (size_t)count * sizeof *xy, 0);
    for (int i = 0; i < count; i++) {
        const int top = lua_gettop(L);
        read_point(L, sal_lua_entry_at(L, 1, i + 1), who, entry_name(L, i + 1), xy + 2 * i);
        lua_settop(L, top);
    }
    saltus_draw(sal_lua_begin(L), shape, who.name, xy, 2 * count, modes);
    return sal_lua_finish(L);
}

static int draw_circle(lua_State *L)
{
    saltus_expr          numbers[4];
    const struct sal_who who = sal_lua_element(L, "draw.circle", "radius angle mode name", 1,
                                               "draw.circle{P, radius = r}", NULL);
    read_point(L, sal_lua_entry_at(L, 1, 1), who, "the centre", numbers);
    numbers[2] = sal_lua_needed_field(L, "radius", who);
    numbers[3] = sal_lua_expr_field(L, 1, "angle", who);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_draw(sal_lua_begin(L), SALTUS_SHAPE_CIRCLE, who.name, numbers, numbers[3].id ? 4 : 3,
                modes);
    return sal_lua_finish(L);
}

static int draw_trace(lua_State *L)
{
    saltus_expr          xy[2];
    const struct sal_who who =
        sal_lua_element(L, "draw.trace", "mode name", 1, "draw.trace{P} or {{x, y}}", NULL);
    read_point(L, sal_lua_entry_at(L, 1, 1), who, "the point", xy);
    const saltus_modes modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_draw(sal_lua_begin(L), SALTUS_SHAPE_TRACE, who.name, xy, 2, modes);
    return sal_lua_finish(L);
}

void sal_lua_add_draw(lua_State *L)
{
    static const luaL_Reg drawings[] = {
        {"circle", draw_circle}, {"line", draw_line}, {"trace", draw_trace}, {NULL, NULL}};
    static const struct sal_word_table table = {"draw", "a table of drawings", "draw.line{P, Q}",
                                                drawings};
    sal_lua_add_table(L, &table);
}
