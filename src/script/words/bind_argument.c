/* Arguments and option tables of the bindings. Messages name the function, the argument, what was
 * given and what is expected. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "script/words/bind.h"

enum { STEPS_PER_CALL = 20 };

static void push_who(lua_State *L, struct sal_who who)
{
    if (who.name) lua_pushfstring(L, "%s '%s': ", who.word, who.name);
    else lua_pushfstring(L, "%s: ", who.word);
}

int sal_lua_fail_who(lua_State *L, struct sal_who who, const char *format, ...)
{
    va_list arguments;
    luaL_checkstack(L, 6, "too many values");
    push_who(L, who);
    va_start(arguments, format);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    return sal_lua_fail(L, "%s", lua_tostring(L, -1));
}

struct sal_who sal_lua_enter(lua_State *L, const char *word, int most)
{
    const struct sal_who who = {word, NULL};
    sal_lua_charge(L, STEPS_PER_CALL);
    luaL_checkstack(L, 40, "too many values"); /* for fields that stay on the stack */
    if (lua_gettop(L) > most)
        sal_lua_fail_who(L, who, "takes %d argument%s at most, got %d", most, most == 1 ? "" : "s",
                         lua_gettop(L));
    lua_settop(L, most);
    return who;
}

struct sal_who sal_lua_enter_named(lua_State *L, const char *word, int most)
{
    struct sal_who who = sal_lua_enter(L, word, most);
    sal_lua_text(L, 1, who, "the name");
    if (sal_lua_script(L)->prefix) {
        sal_lua_prefixed(L, lua_tostring(L, 1));
        lua_replace(L, 1);
    }
    who.name = lua_tostring(L, 1);
    return who;
}

const char *sal_lua_prefixed(lua_State *L, const char *name)
{
    const char *prefix = sal_lua_script(L)->prefix;
    return name && prefix ? lua_pushfstring(L, "%s%s", prefix, name) : name;
}

/* A hint for a boolean where an expression is expected: Lua itself evaluates y == 0 to false. */
static const char *comparison_hint(const char *what)
{
    if (strcmp(what, "when") == 0) return " (a guard is an expression: write when = y)";
    if (strcmp(what, "where") == 0)
        return " (a condition is an expression that must be positive: write where = 1 - y)";
    return "";
}

static int refuse(lua_State *L, int index, struct sal_who who, const char *what,
                  const char *expected)
{
    const char *way_out = "";
    if (sal_lua_value(L, index, SAL_POINT) && strstr(expected, "expression"))
        way_out = " (a point P has the coordinates P.x and P.y)";
    if (sal_lua_value(L, index, SAL_BODY) && strstr(expected, "expression"))
        way_out = " (a body B has the coordinates B.x, B.y and B.angle)";
    if (lua_isboolean(L, index)) way_out = comparison_hint(what);
    if (sal_lua_value(L, index, SAL_EXPR) && strcmp(expected, "a point") == 0 &&
        strcmp(who.word, "spring") == 0)
        way_out = " (on a coordinate q it is potential(k * q^2 / 2))";
    if (sal_lua_value(L, index, SAL_EXPR) && strcmp(expected, "a point") == 0 &&
        strcmp(who.word, "damper") == 0)
        way_out = " (on a coordinate q it is dissipation(c * dot(q)^2 / 2))";
    if (lua_type(L, index) == LUA_TSTRING && strncmp(expected, "a mode", 6) == 0)
        way_out = " (a mode is what mode(name) returns, not its name)";
    const char *got = sal_lua_describe(L, index);
    return sal_lua_fail_who(L, who, "%s must be %s, got %s%s%s", what, expected, got, way_out,
                            sal_lua_hidden_word(L, index));
}

const char *sal_lua_text(lua_State *L, int index, struct sal_who who, const char *what)
{
    size_t length;
    if (lua_type(L, index) != LUA_TSTRING) refuse(L, index, who, what, "a text");
    const char *text = lua_tolstring(L, index, &length);
    if (strlen(text) != length) sal_lua_fail_who(L, who, "%s has a zero byte in it", what);
    return text;
}

const char *sal_lua_odd_number(double number)
{
    if (isnan(number)) return "nan"; /* some machines write -nan */
    return number > 0.0 ? "inf" : "-inf";
}

static double finite(lua_State *L, int index, struct sal_who who, const char *what)
{
    const double number = lua_tonumber(L, index);
    if (!isfinite(number))
        sal_lua_fail_who(L, who, "%s is not finite: %s", what, sal_lua_odd_number(number));
    return number;
}

double sal_lua_number(lua_State *L, int index, struct sal_who who, const char *what)
{
    if (lua_type(L, index) != LUA_TNUMBER) refuse(L, index, who, what, "a number");
    return finite(L, index, who, what);
}

saltus_expr sal_lua_expr(lua_State *L, int index, struct sal_who who, const char *what)
{
    const struct sal_value *value = sal_lua_value(L, index, SAL_EXPR);
    if (value) return value->is.expr;
    if (lua_type(L, index) != LUA_TNUMBER) refuse(L, index, who, what, "an expression or a number");
    return sal_lua_literal(L, finite(L, index, who, what));
}

saltus_point sal_lua_point(lua_State *L, int index, struct sal_who who, const char *what)
{
    const struct sal_value *value = sal_lua_value(L, index, SAL_POINT);
    const struct sal_value *body = sal_lua_value(L, index, SAL_BODY);
    if (body) return saltus_body_centre(body->is.body);
    if (!value) refuse(L, index, who, what, "a point");
    return value->is.point;
}

int sal_lua_is_point(lua_State *L, int index)
{
    return sal_lua_value(L, index, SAL_POINT) || sal_lua_value(L, index, SAL_BODY);
}

saltus_body sal_lua_body(lua_State *L, int index, struct sal_who who, const char *what)
{
    const struct sal_value *value = sal_lua_value(L, index, SAL_BODY);
    if (!value) refuse(L, index, who, what, "a body");
    return value->is.body;
}

/* ---- option tables -------------------------------------------------------------------------- */

const char *sal_lua_next_key(const char **keys, char *key)
{
    const size_t length = strcspn(*keys, " ");
    if (length == 0 || length >= SAL_KEY_MAX) return NULL;
    memcpy(key, *keys, length);
    key[length] = '\0';
    *keys += length + strspn(*keys + length, " ");
    return key;
}

/* The key that is nearest to the name, copied; NULL if none is near. */
static const char *nearest_key(const char *name, const char *keys, char *nearest)
{
    char        best[SAL_KEY_MAX], key[SAL_KEY_MAX];
    const char *pair[] = {best, key};
    *best = '\0';
    while (sal_lua_next_key(&keys, key)) {
        const char *found = saltus_nearest(name, *best ? pair : pair + 1, *best ? 2 : 1);
        if (found == key) memcpy(best, key, sizeof best);
    }
    return *best ? memcpy(nearest, best, sizeof best) : NULL;
}

static int is_admissible(lua_State *L, int key, const char *keys, int positions)
{
    if (lua_type(L, key) == LUA_TNUMBER) {
        int               integral;
        const lua_Integer position = lua_tointegerx(L, key, &integral);
        return integral && position >= 1 && position <= positions;
    }
    if (lua_type(L, key) != LUA_TSTRING) return 0;
    char admissible[SAL_KEY_MAX];
    while (sal_lua_next_key(&keys, admissible))
        if (strcmp(admissible, lua_tostring(L, key)) == 0) return 1;
    return 0;
}

/* Pushes ": write start = 1" for the first entry of {1, 0}, "" for anything else. */
static const char *naming_hint(lua_State *L, int table, int key, const char *keys)
{
    char      first[SAL_KEY_MAX] = "";
    const int is_first = lua_isinteger(L, key) && lua_tointeger(L, key) == 1;
    sal_lua_next_key(&keys, first);
    /* coordinates and points only: elsewhere the order is not obvious */
    const int of_position = strcmp(first, "start") == 0 || strcmp(first, "x") == 0;
    lua_rawgeti(L, table, 1);
    if (!is_first || !of_position || lua_type(L, -1) != LUA_TNUMBER) return lua_pushstring(L, "");
    return lua_pushfstring(L, ": write %s = %s", first, lua_tostring(L, -1));
}

/* Raises for one entry too many: {B, 0, 0} for two points, {C, 0.5} for a centre and a radius. */
static int refuse_entry(lua_State *L, int key, struct sal_who who, const char *keys, int positions)
{
    const char *plural = positions == 1 ? "y" : "ies";
    if (*keys && !strchr(keys, ' '))
        return sal_lua_fail_who(L, who, "has %d entr%s, got an entry %d: write %s = ...", positions,
                                plural, (int)lua_tointeger(L, key), keys);
    return sal_lua_fail_who(L, who, "has %d entr%s%s, got an entry %d", positions, plural,
                            *keys ? " beside its options" : "", (int)lua_tointeger(L, key));
}

static int refuse_key(lua_State *L, int table, int key, struct sal_who who, const char *keys,
                      int positions)
{
    if (positions > 0 && lua_isinteger(L, key)) return refuse_entry(L, key, who, keys, positions);
    if (lua_type(L, key) != LUA_TSTRING) {
        const char *got = sal_lua_describe(L, key);
        return sal_lua_fail_who(L, who, "an option is named by a text, not by %s%s", got,
                                naming_hint(L, table, key, keys));
    }
    const char *name = lua_tostring(L, key);
    char        nearest[SAL_KEY_MAX];
    if (!*keys) return sal_lua_fail_who(L, who, "is a list without names: leave '%s =' out", name);
    if (nearest_key(name, keys, nearest))
        return sal_lua_fail_who(L, who, "there is no option '%s', did you mean '%s'?", name,
                                nearest);
    return sal_lua_fail_who(L, who, "there is no option '%s'; there are %s", name,
                            luaL_gsub(L, keys, " ", ", "));
}

/* Whether wrong key a is reported rather than b: texts come before numbers, numbers before others,
 * and of two of a type the smaller one. */
static int comes_first(lua_State *L, int a, int b)
{
    const int type = lua_type(L, a), other = lua_type(L, b);
    if (other == LUA_TNIL) return 1;
    if (type == LUA_TSTRING)
        return other != LUA_TSTRING || strcmp(lua_tostring(L, a), lua_tostring(L, b)) < 0;
    if (type == LUA_TNUMBER)
        return other == LUA_TNUMBER ? lua_compare(L, a, b, LUA_OPLT) : other != LUA_TSTRING;
    return 0;
}

/* Raises if a key is wrong. Of several wrong keys it always reports the same one, as the order of
 * lua_next differs from run to run. */
static void check_keys(lua_State *L, int table, struct sal_who who, const char *keys, int positions)
{
    lua_pushnil(L); /* the key to report */
    const int wrong = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        sal_lua_charge(L, 2);
        if (is_admissible(L, -1, keys, positions)) continue;
        if (!comes_first(L, lua_gettop(L), wrong)) continue;
        lua_pushvalue(L, -1);
        lua_replace(L, wrong);
    }
    if (!lua_isnil(L, wrong)) refuse_key(L, table, wrong, who, keys, positions);
    lua_pop(L, 1);
}

int sal_lua_options(lua_State *L, int index, struct sal_who who, const char *keys, int positions)
{
    if (lua_isnoneornil(L, index)) return 0;
    if (lua_type(L, index) != LUA_TTABLE) refuse(L, index, who, "the options", "a table {...}");
    check_keys(L, index, who, keys, positions);
    return index;
}

lua_Unsigned sal_lua_length(lua_State *L, int index, const char *key)
{
    const lua_Unsigned length = lua_rawlen(L, index);
    const int          positions = length < INT_MAX ? (int)length : INT_MAX;
    check_keys(L, index, (struct sal_who){key, NULL}, "", positions);
    return length;
}

int sal_lua_field(lua_State *L, int options, const char *key)
{
    if (options == 0) return 0;
    if (lua_getfield(L, options, key) != LUA_TNIL) return lua_gettop(L);
    lua_pop(L, 1);
    return 0;
}

const char *sal_lua_text_field(lua_State *L, int options, const char *key, struct sal_who who)
{
    const int field = sal_lua_field(L, options, key);
    return field ? sal_lua_text(L, field, who, key) : NULL;
}

saltus_expr sal_lua_expr_field(lua_State *L, int options, const char *key, struct sal_who who)
{
    const int field = sal_lua_field(L, options, key);
    return field ? sal_lua_expr(L, field, who, key) : (saltus_expr){0};
}

int sal_lua_flag_field(lua_State *L, int options, const char *key, struct sal_who who)
{
    const int field = sal_lua_field(L, options, key);
    if (!field) return 0;
    if (lua_type(L, field) != LUA_TBOOLEAN)
        sal_lua_fail_who(L, who, "%s must be true or false, got %s", key,
                         sal_lua_describe(L, field));
    return lua_toboolean(L, field);
}

double sal_lua_number_field(lua_State *L, int options, const char *key, struct sal_who who,
                            double absent, int *has)
{
    const int field = sal_lua_field(L, options, key);
    if (has) *has = field != 0;
    return field ? sal_lua_number(L, field, who, key) : absent;
}

int sal_lua_choice_field(lua_State *L, int options, const char *key, struct sal_who who,
                         const char *choices, const char *refusal)
{
    const char *text = sal_lua_text_field(L, options, key, who);
    char        choice[SAL_KEY_MAX];
    if (!text) return 0;
    for (int i = 0; sal_lua_next_key(&choices, choice); i++)
        if (strcmp(choice, text) == 0) return i;
    return sal_lua_fail_who(L, who, refusal, text);
}

int sal_lua_table_field(lua_State *L, int options, const char *key, struct sal_who who,
                        const char *expected)
{
    const int field = sal_lua_field(L, options, key);
    if (field && lua_type(L, field) != LUA_TTABLE)
        sal_lua_fail_who(L, who, "%s must be %s, got %s", key, expected,
                         sal_lua_describe(L, field));
    return field;
}

int sal_lua_list_field(lua_State *L, int options, const char *key, struct sal_who who,
                       const char *shape, int count, saltus_expr *list)
{
    const char *two = count == 2 ? "two" : "three";
    const int   field = sal_lua_table_field(L, options, key, who,
                                            lua_pushfstring(L, "a table of %s, %s", two, shape));
    if (!field) return 0;
    sal_lua_options(L, field, (struct sal_who){key, NULL}, "", count);
    for (int i = 0; i < count; i++)
        if (lua_rawgeti(L, field, i + 1) != LUA_TNIL)
            list[i] = sal_lua_expr(L, lua_gettop(L), who, key);
    return 1;
}

enum { LONGEST_LIST = 1000000 };

const saltus_expr *sal_lua_exprs_field(lua_State *L, int options, const char *key,
                                       struct sal_who who, int *count)
{
    const int field = sal_lua_table_field(L, options, key, who, "a list {...}");
    *count = 0;
    if (!field) return NULL;
    const lua_Unsigned length = sal_lua_length(L, field, key);
    if (length == 0 || length > LONGEST_LIST)
        sal_lua_fail_who(L, who, "%s is a list of %s entries", key,
                         length == 0 ? "no" : "more than a million");
    saltus_expr *list = lua_newuserdatauv(L, (size_t)length * sizeof *list, 0);
    for (lua_Unsigned i = 0; i < length; i++) {
        sal_lua_charge(L, 2);
        lua_rawgeti(L, field, (lua_Integer)i + 1);
        list[i] = sal_lua_expr(L, lua_gettop(L), who, key);
        lua_pop(L, 1);
    }
    *count = (int)length;
    return list;
}

lua_Integer sal_lua_each_pair(lua_State *L, int table, struct sal_who who, sal_lua_entry entry,
                              const void *context)
{
    const lua_Integer count = sal_lua_push_keys(L, table);
    const int         keys = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        entry(L, who, context);
        lua_settop(L, keys);
    }
    return count;
}

void sal_lua_each_entry(lua_State *L, int options, const char *key, struct sal_who who,
                        sal_lua_entry entry, const void *context)
{
    const int field = sal_lua_table_field(L, options, key, who, "a table");
    if (field) sal_lua_each_pair(L, field, who, entry, context);
}

saltus_expr sal_lua_key_expr(lua_State *L, struct sal_who who, const char *where,
                             const char *expected)
{
    const int               key = lua_gettop(L) - 1;
    const struct sal_value *value = sal_lua_value(L, key, SAL_EXPR);
    if (lua_type(L, key) == LUA_TSTRING)
        sal_lua_fail_who(L, who,
                         "%s'%s' is a text: write [%s] = ... with brackets and without quotes",
                         where, lua_tostring(L, key), lua_tostring(L, key));
    if (!value) sal_lua_fail_who(L, who, "%s%s, got %s", where, expected, sal_lua_describe(L, key));
    return value->is.expr;
}

void sal_lua_each_condition(lua_State *L, int options, const char *key, struct sal_who who,
                            sal_lua_entry entry, const void *context)
{
    const int field = sal_lua_field(L, options, key);
    if (!field) return;
    const int          is_list = lua_type(L, field) == LUA_TTABLE;
    const lua_Unsigned count = is_list ? sal_lua_length(L, field, key) : 1;
    for (lua_Unsigned i = 1; i <= count; i++) {
        if (is_list) lua_rawgeti(L, field, (lua_Integer)i);
        else lua_pushvalue(L, field);
        entry(L, who, context);
        lua_pop(L, 1);
    }
}

const char *sal_lua_charge_entry(lua_State *L, struct sal_who who, saltus_expr *value)
{
    const int   key = lua_gettop(L) - 1;
    const char *cost = sal_lua_text(L, key, who, "charge: the name of a cost");
    *value = sal_lua_expr(L, key + 1, who, "a charge");
    return sal_lua_prefixed(L, cost);
}

static saltus_mode mode_at(lua_State *L, int index, struct sal_who who, const char *key)
{
    const struct sal_value *value = sal_lua_value(L, index, SAL_MODE);
    if (!value) refuse(L, index, who, key, "a mode or a list of modes");
    return value->is.mode;
}

saltus_modes sal_lua_modes_field(lua_State *L, int options, const char *key, struct sal_who who)
{
    const int field = sal_lua_field(L, options, key);
    if (!field) return (saltus_modes){NULL, 0};
    const int          is_list = lua_type(L, field) == LUA_TTABLE;
    const lua_Unsigned count = is_list ? sal_lua_length(L, field, key) : 1;
    if (count == 0 || count > 10000)
        sal_lua_fail_who(L, who, "%s must be a mode or a list of modes, got a list of %d", key,
                         (int)(count & 0xfffff));
    saltus_mode *modes = lua_newuserdatauv(L, (size_t)count * sizeof *modes, 0);
    for (lua_Unsigned i = 0; i < count; i++) {
        if (is_list) lua_rawgeti(L, field, (lua_Integer)i + 1);
        else lua_pushvalue(L, field);
        modes[i] = mode_at(L, lua_gettop(L), who, key);
        lua_pop(L, 1);
    }
    return (saltus_modes){modes, (int)count};
}
