/* Words that declare names: model, param, setting, coordinate, memory, point, body, ground_point,
 * mode; and words for values of the state: t, dot, ddot, before, after, impulse. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/words/bind.h"
#include "script/words/words.h"

int sal_word_model(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "model", 1);
    saltus_model_set_name(sal_lua_begin(L), sal_lua_text(L, 1, who, "the name"));
    return sal_lua_finish(L);
}

/* ---- parameters and settings ---------------------------------------------------------------- */

int sal_word_param(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "param", 3);
    const double         value = sal_lua_number(L, 2, who, "the value");
    const int            options = sal_lua_options(L, 3, who, "fixed lower upper unit doc", 0);
    saltus_param_def     def = {0};
    def.fixed = sal_lua_flag_field(L, options, "fixed", who);
    def.lower = sal_lua_number_field(L, options, "lower", who, 0.0, &def.has_lower);
    def.upper = sal_lua_number_field(L, options, "upper", who, 0.0, &def.has_upper);
    def.unit = sal_lua_text_field(L, options, "unit", who);
    def.doc = sal_lua_text_field(L, options, "doc", who);
    return sal_lua_give(L, saltus_param(sal_lua_begin(L), who.name, value, &def));
}

/* Pushes the number given from outside, as an integer if it and the default are integers. */
static void push_number_setting(lua_State *L, struct sal_who who, int given, double value,
                                const char *text)
{
    if (given == 2)
        sal_lua_fail_who(L, who, "is a number, but the text '%s' was given for it", text);
    if (lua_isinteger(L, 2) && fabs(value) < 9e15 && value == floor(value))
        lua_pushinteger(L, (lua_Integer)value);
    else lua_pushnumber(L, value);
}

/* Pushes the shortest text for this number, for a setting that is a text: a variant may be called
 * "2". */
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

int sal_word_setting(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "setting", 2);
    const int            type = lua_type(L, 2);
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

int sal_word_coordinate(lua_State *L)
{
    const struct sal_who  who = sal_lua_enter_named(L, "coordinate", 2);
    const int             options = sal_lua_options(L, 2, who, "start speed guess unit doc", 0);
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
    return sal_lua_give(L, saltus_coordinate(sal_lua_begin(L), who.name, &def));
}

/* Sets the rate of a state; if it is a function, the rate is its result for the state. */
static void give_rate(lua_State *L, int options, struct sal_who who, saltus_expr state)
{
    const int field = sal_lua_field(L, options, "rate");
    if (!field) return;
    if (lua_type(L, field) == LUA_TFUNCTION) {
        lua_pushvalue(L, field);
        sal_lua_push_expr(L, state);
        lua_call(L, 1, 1);
        lua_replace(L, field);
    }
    const saltus_expr rate = sal_lua_expr(L, field, who, "rate");
    saltus_state_rate(sal_lua_begin(L), state, rate, (saltus_modes){NULL, 0});
    sal_lua_finish(L);
}

int sal_word_state(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "state", 2);
    const int            options = sal_lua_options(L, 2, who, "start rate unit doc", 0);
    saltus_state_def     def = {0};
    def.start = sal_lua_expr_field(L, options, "start", who);
    def.unit = sal_lua_text_field(L, options, "unit", who);
    def.doc = sal_lua_text_field(L, options, "doc", who);
    const saltus_expr state = saltus_state(sal_lua_begin(L), who.name, &def);
    sal_lua_finish(L);
    give_rate(L, options, who, state);
    return sal_lua_give(L, state);
}

int sal_word_rate(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "rate", 3);
    const saltus_expr    state = sal_lua_expr(L, 1, who, "the state");
    const saltus_expr    rate = sal_lua_expr(L, 2, who, "the rate");
    const int            options = sal_lua_options(L, 3, who, "mode", 0);
    const saltus_modes   modes = sal_lua_modes_field(L, options, "mode", who);
    saltus_state_rate(sal_lua_begin(L), state, rate, modes);
    return sal_lua_finish(L);
}

int sal_word_memory(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "memory", 2);
    const saltus_expr    start = sal_lua_expr(L, 2, who, "the start value");
    return sal_lua_give(L, saltus_memory(sal_lua_begin(L), who.name, start));
}

/* Reads where a point or a body starts. Values that are not given are guessed if there is a guess,
 * else 0. `shape` shows in messages what a guess consists of. */
static void read_place(lua_State *L, int options, struct sal_who who, const char *shape, int count,
                       saltus_coordinate_def *parts)
{
    static const char *const keys[] = {"x", "y", "angle"};
    saltus_expr              speed[3] = {{0}}, guess[3] = {{0}};
    const int guessed = sal_lua_list_field(L, options, "guess", who, shape, count, guess);
    sal_lua_list_field(L, options, "speed", who, count == 3 ? "{vx, vy}" : shape, 2, speed);
    if (count == 3) speed[2] = sal_lua_expr_field(L, options, "spin", who);
    for (int i = 0; i < count; i++) {
        parts[i].start = sal_lua_expr_field(L, options, keys[i], who);
        parts[i].speed = speed[i];
        parts[i].unit = sal_lua_text_field(L, options, "unit", who);
        parts[i].doc = sal_lua_text_field(L, options, "doc", who);
        if (!parts[i].start.id && guessed)
            parts[i].guess = guess[i].id ? guess[i] : sal_lua_literal(L, 0.0);
    }
}

int sal_word_point(lua_State *L)
{
    const struct sal_who  who = sal_lua_enter_named(L, "point", 2);
    const int             options = sal_lua_options(L, 2, who, "x y speed guess unit doc", 0);
    saltus_coordinate_def def[2] = {0};
    read_place(L, options, who, "{x, y}", 2, def);
    const saltus_point point = saltus_point_new(sal_lua_begin(L), who.name, &def[0], &def[1]);
    return sal_lua_give_value(L, (struct sal_value){SAL_POINT, {.point = point}}, 1);
}

int sal_word_body(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "body", 2);
    const int            options =
        sal_lua_options(L, 2, who, "x y angle speed spin mass inertia guess doc", 0);
    saltus_coordinate_def part[3] = {0};
    read_place(L, options, who, "{x, y, angle}", 3, part);
    const saltus_body_def def = {.x = part[0],
                                 .y = part[1],
                                 .angle = part[2],
                                 .mass = sal_lua_expr_field(L, options, "mass", who),
                                 .inertia = sal_lua_expr_field(L, options, "inertia", who)};
    const saltus_body     body = saltus_body_new(sal_lua_begin(L), who.name, &def);
    return sal_lua_give_value(L, (struct sal_value){SAL_BODY, {.body = body}}, 1);
}

int sal_word_ground_point(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "ground_point", 2);
    saltus_point         point;
    point.x = sal_lua_expr(L, 1, who, "x");
    point.y = sal_lua_expr(L, 2, who, "y");
    sal_lua_push_value(L, (struct sal_value){SAL_POINT, {.point = point}}, 0);
    return 1;
}

int sal_word_mode(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "mode", 2);
    const int            options = sal_lua_options(L, 2, who, "group initial", 0);
    const char          *given = sal_lua_text_field(L, options, "group", who);
    const int            initial = sal_lua_flag_field(L, options, "initial", who);
    /* modes of an included file are a group of their own */
    const char       *group = given ? sal_lua_prefixed(L, given) : sal_lua_script(L)->prefix;
    const saltus_mode mode = saltus_mode_new(sal_lua_begin(L), who.name, group);
    if (initial) saltus_mode_initial(sal_lua_begin(L), mode);
    return sal_lua_give_value(L, (struct sal_value){SAL_MODE, {.mode = mode}}, 1);
}

/* ---- values of the state -------------------------------------------------------------------- */

/* A word that takes an expression and returns one. */
static int of_expr(lua_State *L, const char *word, saltus_expr (*make)(saltus_model *, saltus_expr))
{
    const struct sal_who who = sal_lua_enter(L, word, 1);
    const saltus_expr    e = sal_lua_expr(L, 1, who, "the argument");
    return sal_lua_give(L, make(sal_lua_begin(L), e));
}

static saltus_expr dot_twice(saltus_model *model, saltus_expr e)
{
    return saltus_dot(model, saltus_dot(model, e));
}

/* before(e) returns e: without it, expressions mean the state before the event, too. */
static saltus_expr same(saltus_model *model, saltus_expr e)
{
    (void)model;
    return e;
}

int sal_word_dot(lua_State *L) { return of_expr(L, "dot", saltus_dot); }
int sal_word_ddot(lua_State *L) { return of_expr(L, "ddot", dot_twice); }
int sal_word_before(lua_State *L) { return of_expr(L, "before", same); }
int sal_word_after(lua_State *L) { return of_expr(L, "after", saltus_after); }

/* A word that takes a name and returns an expression. */
static int of_name(lua_State *L, const char *word,
                   saltus_expr (*make)(saltus_model *, const char *))
{
    const struct sal_who who = sal_lua_enter(L, word, 1);
    const char          *name = sal_lua_prefixed(L, sal_lua_text(L, 1, who, "the name"));
    return sal_lua_give(L, make(sal_lua_begin(L), name));
}

int sal_word_multiplier(lua_State *L) { return of_name(L, "multiplier", saltus_multiplier); }

int sal_word_impulse(lua_State *L) { return of_name(L, "impulse", saltus_impulse); }
