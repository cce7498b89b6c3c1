/* The basic functions of Lua that a script may use: the harmless ones as they are, our own print,
 * pairs, tostring and setmetatable; and math.random. */
#include <lualib.h>

#include "script/stdlib/stdlib.h"
#include "script/words/bind.h"

enum { STEPS_PER_PRINT = 500 };

static int base_print(lua_State *L)
{
    const struct sal_script *script = sal_lua_script(L);
    const int                count = lua_gettop(L);
    size_t                   length;
    luaL_Buffer              line;
    sal_lua_charge(L, STEPS_PER_PRINT);
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1) luaL_addchar(&line, '\t');
        sal_lua_to_text(L, i, NULL);
        luaL_addvalue(&line);
        if (luaL_bufflen(&line) > SAL_TEXT_MAX) sal_lua_stop(L, SAL_STOP_TEXT);
    }
    luaL_addchar(&line, '\n');
    luaL_pushresult(&line);
    const char *text = lua_tolstring(L, -1, &length);
    sal_lua_charge(L, length);
    if (script->options.print) script->options.print(script->options.print_context, text, length);
    return 0;
}

static int base_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    sal_lua_to_text(L, 1, NULL);
    return 1;
}

static void refuse_field(lua_State *L, const char *key, const char *why)
{
    lua_pushstring(L, key);
    if (lua_rawget(L, 2) != LUA_TNIL)
        sal_lua_fail(L, "setmetatable: %s cannot be used in a model: %s", key, why);
    lua_pop(L, 1);
}

/* Lua honours __gc only if it is present when the metatable is set, so this is the place to
 * check. */
static int base_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        refuse_field(L, "__gc", "it would escape the limits");
        refuse_field(L, "__mode", "when memory is freed differs from run to run");
    }
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return sal_lua_fail(L, "setmetatable: this metatable is protected");
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

/* ---- pairs, in the order of words/sorted_pairs.c -------------------------------------------- */

/* Upvalues: the table, its keys, how many were visited, how many there are. */
static int next_pair(lua_State *L)
{
    lua_Integer       i = lua_tointeger(L, lua_upvalueindex(3));
    const lua_Integer count = lua_tointeger(L, lua_upvalueindex(4));
    for (;;) {
        if (++i > count) return 0;
        sal_lua_charge(L, 2);
        lua_settop(L, 0);
        lua_rawgeti(L, lua_upvalueindex(2), i);
        lua_pushvalue(L, 1);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) break; /* key removed since */
    }
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(3));
    return 2;
}

static int base_pairs(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushvalue(L, 1);
    const lua_Integer count = sal_lua_push_keys(L, 1);
    lua_pushinteger(L, 0);
    lua_pushinteger(L, count);
    lua_pushcclosure(L, next_pair, 4);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

/* ---- the functions -------------------------------------------------------------------------- */

void sal_lua_take(lua_State *L, const luaL_Reg *functions)
{
    for (; functions->name; functions++) {
        lua_getfield(L, -1, functions->name);
        if (functions->func) lua_pushcclosure(L, functions->func, 1);
        lua_setfield(L, -3, functions->name);
    }
    lua_pop(L, 1);
}

int sal_lua_call_own(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

void sal_lua_add_basic(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"assert", NULL},
        {"error", NULL},
        {"getmetatable", NULL},
        {"ipairs", NULL},
        {"pairs", base_pairs},
        {"print", base_print},
        {"rawequal", NULL},
        {"rawget", NULL},
        {"rawlen", NULL},
        {"select", NULL},
        {"setmetatable", base_setmetatable},
        {"tonumber", NULL},
        {"tostring", base_tostring},
        {"type", NULL},
        {"_VERSION", NULL},
        {NULL, NULL},
    };
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 1);
    sal_lua_take(L, functions);
}

/* ---- math.random ------------------------------------------------------------------------------
 *
 * It follows the seed in the options. Lua starts its generator from the clock; here it starts from
 * the seed, and from the argument of randomseed if there is one. */

/* Upvalue: Lua's own randomseed, which takes two numbers. */
static int math_randomseed(lua_State *L)
{
    const lua_Integer number = luaL_optinteger(L, 1, 0);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushinteger(L, number);
    lua_pushinteger(L, (lua_Integer)sal_lua_script(L)->options.seed);
    lua_call(L, 2, 0);
    return 0;
}

void sal_lua_add_random(lua_State *L)
{
    lua_getfield(L, -1, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushcclosure(L, math_randomseed, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "randomseed");
    lua_call(L, 0, 0);
    lua_pop(L, 1);
}
