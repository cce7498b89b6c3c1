/* math.random follows the seed in the options. Lua starts its generator from the clock; here it
 * starts from the seed, and from the argument of randomseed if there is one. */
#include "script/sandbox/sandbox.h"
#include "script/stdlib/stdlib.h"

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
