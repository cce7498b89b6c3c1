/* Words that declare names: model, param, setting, coordinate, memory, point, ground_point, mode;
 * and those that stand for values of the state: t, dot, ddot, before, after, impulse. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/words/bind.h"

static int word_model(lua_State *L)
{
    const struct sal_who who = {"model", NULL};
    sal_lua_enter(L, who, 1);
    saltus_model_set_name(sal_lua_begin(L), sal_lua_text(L, 1, who, "the name"));
    sal_lua_finish(L);
    return 0;
}

/* ---- parameters and settings ---------------------------------------------------------------- */

static double bound_field(lua_State *L, int options, const char *key, struct sal_who who, int *has)
{
    const int field = sal_lua_field(L, options, key);
    *has = field != 0;
    return field ? sal_lua_number(L, field, who, key) : 0.0;
}

static int word_param(lua_State *L)
{
    static const char *const keys[] = {"fixed", "lower", "upper", "unit", "doc", NULL};
    struct sal_who           who = {"param", NULL};
    sal_lua_enter(L, who, 3);
    who.name = sal_lua_text(L, 1, who, "the name");
    const double     value = sal_lua_number(L, 2, who, "the value");
    const int        options = sal_lua_options(L, 3, who, keys, 0);
    saltus_param_def def = {0};
    def.fixed = sal_lua_flag_field(L, options, "fixed", who);
    def.lower = bound_field(L, options, "lower", who, &def.has_lower);
    def.upper = bound_field(L, options, "upper", who, &def.has_upper);
    def.unit = sal_lua_text_field(L, options, "unit", who);
    def.doc = sal_lua_text_field(L, options, "doc", who);
    const saltus_expr param = saltus_param(sal_lua_begin(L), who.name, value, &def);
    sal_lua_finish(L);
    sal_lua_push_expr(L, param);
    return 1;
}

/* Pushes the number given from outside; an integer if both it and the default are. */
static void push_number_setting(lua_State *L, struct sal_who who, int given, double value,
                                const char *text)
{
    if (given == 2)
        sal_lua_fail_who(L, who, "is a number, but the text '%s' was given for it", text);
    if (lua_isinteger(L, 2) && fabs(value) < 9e15 && value == floor(value))
        lua_pushinteger(L, (lua_Integer)value);
    else lua_pushnumber(L, value);
}

/* Pushes the shortest text that means this number: a variant called "2" was meant as a text. */
static void push_text_setting(lua_State *L, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    lua_pushstring(L, text);
}

static void push_flag_setting(lua_State *L, struct sal_who who, int given, double value,
                              const char *text)
{
    const int is_true = given == 2 ? strcmp(text, "true") == 0 : value == 1.0;
    const int is_false = given == 2 ? strcmp(text, "false") == 0 : value == 0.0;
    if (!is_true && !is_false && given == 2)
        sal_lua_fail_who(L, who, "is true or false, but the text '%s' was given for it", text);
    if (!is_true && !is_false) {
        push_text_setting(L, value);
        sal_lua_fail_who(L, who, "is true or false, but the number %s was given for it",
                         lua_tostring(L, -1));
    }
    lua_pushboolean(L, is_true);
}

/* Pushes the value of a setting: the one given from outside, else the one at index 2. */
static void push_setting(lua_State *L, struct sal_who who)
{
    double      value = 0.0;
    const char *text = NULL;
    const int   given = saltus_model_find_override(sal_lua_begin(L), who.name, &value, &text);
    sal_lua_finish(L);
    if (given == 0) lua_pushvalue(L, 2);
    else if (lua_type(L, 2) == LUA_TNUMBER) push_number_setting(L, who, given, value, text);
    else if (lua_type(L, 2) == LUA_TBOOLEAN) push_flag_setting(L, who, given, value, text);
    else if (given == 2) lua_pushstring(L, text);
    else push_text_setting(L, value);
}

static int word_setting(lua_State *L)
{
    struct sal_who who = {"setting", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const int type = lua_type(L, 2);
    if (type == LUA_TNUMBER) sal_lua_number(L, 2, who, "the value");
    else if (type == LUA_TSTRING) sal_lua_text(L, 2, who, "the value");
    else if (type != LUA_TBOOLEAN)
        sal_lua_fail_who(L, who, "the value must be a number, a text, true or false, got %s",
                         sal_lua_describe(L, 2));
    push_setting(L, who);
    if (lua_type(L, -1) == LUA_TNUMBER)
        saltus_model_note_setting(sal_lua_begin(L), who.name, lua_tonumber(L, -1), NULL);
    else
        saltus_model_note_setting(sal_lua_begin(L), who.name, 0.0,
                                  lua_isboolean(L, -1) ? (lua_toboolean(L, -1) ? "true" : "false")
                                                       : lua_tostring(L, -1));
    sal_lua_finish(L);
    return 1;
}

/* ---- coordinates, memories, points ---------------------------------------------------------- */

static int word_coordinate(lua_State *L)
{
    static const char *const keys[] = {"start", "speed", "guess", "unit", "doc", NULL};
    struct sal_who           who = {"coordinate", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const int             options = sal_lua_options(L, 2, who, keys, 0);
    saltus_coordinate_def def = {0};
    def.start = sal_lua_expr_field(L, options, "start", who);
    def.speed = sal_lua_expr_field(L, options, "speed", who);
    def.guess = sal_lua_expr_field(L, options, "guess", who);
    def.unit = sal_lua_text_field(L, options, "unit", who);
    def.doc = sal_lua_text_field(L, options, "doc", who);
    if (def.start.id && def.guess.id)
        sal_lua_fail_who(L, who,
                         "start and guess exclude each other: start is given, guess is "
                         "where the search for it begins");
    const saltus_expr coordinate = saltus_coordinate(sal_lua_begin(L), who.name, &def);
    sal_lua_finish(L);
    sal_lua_push_expr(L, coordinate);
    return 1;
}

static int word_memory(lua_State *L)
{
    struct sal_who who = {"memory", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const saltus_expr start = sal_lua_expr(L, 2, who, "the start value");
    const saltus_expr memory = saltus_memory(sal_lua_begin(L), who.name, start);
    sal_lua_finish(L);
    sal_lua_push_expr(L, memory);
    return 1;
}

/* What is not given is guessed if there is a guess for the point, and 0 if there is none. */
static int word_point(lua_State *L)
{
    static const char *const keys[] = {"x", "y", "speed", "guess", "unit", "doc", NULL};
    struct sal_who           who = {"point", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const int             options = sal_lua_options(L, 2, who, keys, 0);
    saltus_coordinate_def def[2] = {0};
    saltus_expr           speed[2] = {{0}}, guess[2] = {{0}};
    const int guessed = sal_lua_list_field(L, options, "guess", who, "{x, y}", 2, guess);
    sal_lua_list_field(L, options, "speed", who, "{x, y}", 2, speed);
    for (int i = 0; i < 2; i++) {
        def[i].start = sal_lua_expr_field(L, options, i ? "y" : "x", who);
        def[i].speed = speed[i];
        def[i].unit = sal_lua_text_field(L, options, "unit", who);
        def[i].doc = sal_lua_text_field(L, options, "doc", who);
        if (!def[i].start.id && guessed)
            def[i].guess = guess[i].id ? guess[i] : sal_lua_literal(L, 0.0);
    }
    const saltus_point point = saltus_point_new(sal_lua_begin(L), who.name, &def[0], &def[1]);
    sal_lua_finish(L);
    sal_lua_push_point(L, point, 1);
    return 1;
}

static int word_ground_point(lua_State *L)
{
    const struct sal_who who = {"ground_point", NULL};
    sal_lua_enter(L, who, 2);
    saltus_point point;
    point.x = sal_lua_expr(L, 1, who, "x");
    point.y = sal_lua_expr(L, 2, who, "y");
    lua_pushnil(L);
    sal_lua_push_point(L, point, lua_gettop(L));
    return 1;
}

static int word_mode(lua_State *L)
{
    static const char *const keys[] = {"group", NULL};
    struct sal_who           who = {"mode", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const int         options = sal_lua_options(L, 2, who, keys, 0);
    const char       *group = sal_lua_text_field(L, options, "group", who);
    const saltus_mode mode = saltus_mode_new(sal_lua_begin(L), who.name, group);
    sal_lua_finish(L);
    sal_lua_push_mode(L, mode, 1);
    return 1;
}

/* ---- values of the state -------------------------------------------------------------------- */

static saltus_expr dot(lua_State *L, saltus_expr e)
{
    const saltus_expr rate = saltus_dot(sal_lua_begin(L), e);
    sal_lua_finish(L);
    return rate;
}

static int word_dot(lua_State *L)
{
    const struct sal_who who = {"dot", NULL};
    sal_lua_enter(L, who, 1);
    sal_lua_push_expr(L, dot(L, sal_lua_expr(L, 1, who, "the argument")));
    return 1;
}

static int word_ddot(lua_State *L)
{
    const struct sal_who who = {"ddot", NULL};
    sal_lua_enter(L, who, 1);
    sal_lua_push_expr(L, dot(L, dot(L, sal_lua_expr(L, 1, who, "the argument"))));
    return 1;
}

/* An expression means the state before the event already: before() says so to the reader. */
static int word_before(lua_State *L)
{
    const struct sal_who who = {"before", NULL};
    sal_lua_enter(L, who, 1);
    sal_lua_push_expr(L, sal_lua_expr(L, 1, who, "the argument"));
    return 1;
}

static int word_after(lua_State *L)
{
    const struct sal_who who = {"after", NULL};
    sal_lua_enter(L, who, 1);
    const saltus_expr e = sal_lua_expr(L, 1, who, "the argument");
    const saltus_expr later = saltus_after(sal_lua_begin(L), e);
    sal_lua_finish(L);
    sal_lua_push_expr(L, later);
    return 1;
}

/* Words that take a name and give an expression. */
static int of_name(lua_State *L, const char *word,
                   saltus_expr (*make)(saltus_model *, const char *))
{
    const struct sal_who who = {word, NULL};
    sal_lua_enter(L, who, 1);
    const char       *name = sal_lua_text(L, 1, who, "the name");
    const saltus_expr made = make(sal_lua_begin(L), name);
    sal_lua_finish(L);
    sal_lua_push_expr(L, made);
    return 1;
}

static int word_multiplier(lua_State *L) { return of_name(L, "multiplier", saltus_multiplier); }

static int word_impulse(lua_State *L) { return of_name(L, "impulse", saltus_impulse); }

void sal_lua_add_symbols(lua_State *L)
{
    static const luaL_Reg words[] = {
        {"model", word_model},
        {"param", word_param},
        {"setting", word_setting},
        {"coordinate", word_coordinate},
        {"memory", word_memory},
        {"point", word_point},
        {"ground_point", word_ground_point},
        {"mode", word_mode},
        {"dot", word_dot},
        {"ddot", word_ddot},
        {"before", word_before},
        {"after", word_after},
        {"impulse", word_impulse},
        {"multiplier", word_multiplier},
        {NULL, NULL},
    };
    luaL_setfuncs(L, words, 0);
    const saltus_expr time = saltus_time(sal_lua_begin(L));
    sal_lua_finish(L);
    sal_lua_push_expr(L, time);
    lua_setfield(L, -2, "t");
}
