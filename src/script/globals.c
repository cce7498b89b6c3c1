/* The global names of a script.
 *
 * They are in three tables in a row: names that the script assigns; words of the language and
 * library; and a function that handles undefined names. Words never enter the first table, so an
 * assignment to one always calls __newindex. */
#include "script/globals.h"

#include <string.h>

#include "script/stdlib/stdlib.h"
#include "script/words/bind.h"
#include "script/words/words.h"

/* __newindex of the first table: refuses to assign a word. */
static int assign(lua_State *L)
{
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(name, "model") == 0 && lua_type(L, 3) == LUA_TSTRING)
        sal_lua_fail(L,
                     "'model' is a word of the model language and cannot be assigned: write "
                     "model \"%s\"",
                     lua_tostring(L, 3));
    if (sal_lua_is_word(name))
        sal_lua_fail(L,
                     "'%s' is a word of the model language and cannot be assigned: choose "
                     "another name",
                     name);
    lua_rawset(L, 1);
    return 0;
}

/* ---- undefined names ------------------------------------------------------------------------ */

/* The search for the name nearest to one that is not defined. */
struct search {
    const char *name, *best;
};

/* Considers a name. Of two equally near names the alphabetically first one is taken, as the order
 * of keys in a table differs from run to run. */
static void consider(lua_State *L, struct search *search, const char *name)
{
    const size_t length = strlen(search->name);
    sal_lua_charge(L, 10 + length * strlen(name));
    if (name[0] == '(' || name[0] == '_') return; /* internal to Lua */
    if (length == 1 && strlen(name) == 1) return; /* any other letter would be near */
    const char *pair[2] = {name, search->best};
    if (search->best && strcmp(search->best, name) < 0) {
        pair[0] = search->best;
        pair[1] = name;
    }
    search->best = saltus_nearest(search->name, pair, search->best ? 2 : 1);
}

static void consider_keys(lua_State *L, int table, struct search *search)
{
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING) consider(L, search, lua_tostring(L, -1));
    }
}

/* Considers the locals and upvalues of the function that reads the name. */
static void consider_locals(lua_State *L, struct search *search)
{
    lua_Debug   activation;
    const char *name;
    if (!lua_getstack(L, 1, &activation)) return;
    for (int i = 1; (name = lua_getlocal(L, &activation, i)) != NULL; i++) {
        consider(L, search, name);
        lua_pop(L, 1);
    }
    lua_getinfo(L, "f", &activation);
    for (int i = 1; (name = lua_getupvalue(L, -1, i)) != NULL; i++) {
        consider(L, search, name);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

/* Raises a hint for y_dot, ydot or y_ddot, as rates are called in other programs. */
static void answer_rate(lua_State *L, const struct search *search)
{
    const char *best = search->best;
    if (best && strcmp(best, "dot") != 0 && strcmp(best, "ddot") != 0) return;
    if (ends_with(search->name, "ddot"))
        sal_lua_fail(L, "'%s' is not defined: accelerations are written ddot(x)", search->name);
    if (ends_with(search->name, "dot"))
        sal_lua_fail(L, "'%s' is not defined: velocities are written dot(x)", search->name);
}

/* Raises a hint for names that are members of a table, as floor and revolute. The library is the
 * first argument. */
static void answer_member(lua_State *L, const char *name)
{
    static const char *const joints[] = {"distance", "prismatic", "revolute", "slot", "weld"};
    lua_getfield(L, 1, "math");
    const int is_there = lua_getfield(L, -1, name) != LUA_TNIL;
    lua_pop(L, 2);
    if (is_there) sal_lua_fail(L, "'%s' is not defined, did you mean 'math.%s'?", name, name);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        if (strcmp(name, joints[i]) == 0)
            sal_lua_fail(L, "'%s' is not defined, did you mean 'joint.%s'?", name, name);
}

/* __index of the second table, which is its first argument. */
static int answer_undefined(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING) {
        lua_pushnil(L);
        return 1;
    }
    struct search search = {lua_tostring(L, 2), NULL};
    sal_lua_check_missing(L, NULL, search.name);
    answer_member(L, search.name);
    consider_locals(L, &search);
    consider_keys(L, 1, &search);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &sal_lua_globals);
    consider_keys(L, lua_gettop(L), &search);
    answer_rate(L, &search);
    if (search.best)
        return sal_lua_fail(L, "'%s' is not defined, did you mean '%s'?", search.name, search.best);
    return sal_lua_fail(L, "'%s' is not defined", search.name);
}

/* ---- the tables ----------------------------------------------------------------------------- */

static void push_library(lua_State *L)
{
    lua_newtable(L);
    sal_lua_add_basic(L);
    sal_lua_add_text(L);
    sal_lua_add_list(L);
    sal_lua_add_functions(L);
    sal_lua_add_random(L);
    sal_lua_add_words(L);
    sal_lua_add_joints(L);
    sal_lua_add_draw(L);
    lua_newtable(L);
    lua_pushcfunction(L, answer_undefined);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

void sal_lua_open_globals(lua_State *L)
{
    sal_lua_open_values(L);
    lua_newtable(L); /* names that the script assigns */
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &sal_lua_globals);
    lua_newtable(L);
    push_library(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "_G");
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, assign);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}
