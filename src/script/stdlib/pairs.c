/* pairs, in the order of words/sorted_pairs.h. */
#include <lauxlib.h>

#include "script/sandbox/sandbox.h"
#include "script/stdlib/stdlib.h"
#include "script/words/sorted_pairs.h"

/* Upvalues: the table, its keys, how many were given out, how many there are. */
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
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) break; /* removed on the way */
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

void sal_lua_add_pairs(lua_State *L)
{
    lua_pushcfunction(L, base_pairs);
    lua_setfield(L, -2, "pairs");
}
