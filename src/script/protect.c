/* pcall, xpcall and coroutines: all that catches errors. A stop passes through them, and no code of
 * the user runs on its way: a count hook that raises leaves hooks switched off until its error is
 * caught, so a handler called then could loop for ever. */
#include "script/library.h"
#include "script/sandbox.h"

enum { CLOSING_MAX = 4 };

static int finish_pcall(lua_State *L, int status, lua_KContext extra)
{
    sal_lua_pass_caught(L, status);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_pushboolean(L, 0);
        lua_pushvalue(L, -2);
        return 2;
    }
    return lua_gettop(L) - (int)extra;
}

static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    const int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall);
    return finish_pcall(L, status, 0);
}

/* Upvalue: the handler of the user. */
static int guarded_handler(lua_State *L)
{
    if (sal_lua_script(L)->stop) return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static int base_xpcall(lua_State *L)
{
    const int arguments = lua_gettop(L) - 2;
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); /* function, handler, true, function, arguments */
    const int status = lua_pcallk(L, arguments, LUA_MULTRET, 2, 2, finish_pcall);
    return finish_pcall(L, status, 2);
}

/* ---- coroutines ----------------------------------------------------------------------------- */

static lua_State *coroutine_at(lua_State *L, int index)
{
    lua_State *coroutine = lua_tothread(L, index);
    luaL_argexpected(L, coroutine, index, "coroutine");
    return coroutine;
}

/* Resumes with the values on top of L. Leaves the results, or the error, on L: returns their
 * number, or -1. */
static int resume(lua_State *L, lua_State *coroutine, int arguments)
{
    int results = 0;
    if (!lua_checkstack(coroutine, arguments)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, coroutine, arguments);
    const int status = sal_lua_resume(L, coroutine, arguments, &results);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(coroutine, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(coroutine, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(coroutine, L, results);
    return results;
}

static int co_resume(lua_State *L)
{
    lua_State *coroutine = coroutine_at(L, 1);
    const int  results = resume(L, coroutine, lua_gettop(L) - 1);
    const int  count = results < 0 ? 1 : results;
    lua_pushboolean(L, results >= 0);
    lua_insert(L, -(count + 1));
    return count + 1;
}

/* Closes the variables of a coroutine, and then moves the error, if any, to L. Lua does not count
 * the C stack through these calls, so their nesting is limited here. */
static int close_coroutine(lua_State *L, lua_State *coroutine)
{
    struct sal_script *script = sal_lua_script(L);
    if (script->closing >= CLOSING_MAX)
        return luaL_error(L, "stack overflow (coroutines that close each other)");
    script->closing++;
    const int status = lua_resetthread(coroutine);
    script->closing--;
    sal_lua_pass_caught(L, status);
    if (status != LUA_OK) lua_xmove(coroutine, L, 1);
    return status;
}

/* Upvalue: the coroutine. */
static int call_wrapped(lua_State *L)
{
    lua_State *coroutine = coroutine_at(L, lua_upvalueindex(1));
    const int  results = resume(L, coroutine, lua_gettop(L));
    if (results >= 0) return results;
    if (lua_status(coroutine) > LUA_YIELD) close_coroutine(L, coroutine); /* it has failed */
    return lua_error(L);
}

/* Instructions of a coroutine that ends before its hook fires are never counted: they are charged
 * here. */
static int co_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    sal_lua_charge(L, (size_t)sal_lua_script(L)->interval);
    lua_State *coroutine = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, coroutine, 1);
    return 1;
}

static int co_wrap(lua_State *L)
{
    co_create(L);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

static int co_yield (lua_State *L) { return lua_yield(L, lua_gettop(L)); }

static const char *status_of(lua_State *L, lua_State *coroutine)
{
    lua_Debug activation;
    if (L == coroutine) return "running";
    switch (lua_status(coroutine)) {
    case LUA_YIELD: return "suspended";
    case LUA_OK:
        if (lua_getstack(coroutine, 0, &activation)) return "normal"; /* it resumed another */
        return lua_gettop(coroutine) == 0 ? "dead" : "suspended";     /* not yet begun */
    default: return "dead";
    }
}

static int co_status(lua_State *L)
{
    lua_pushstring(L, status_of(L, coroutine_at(L, 1)));
    return 1;
}

static int co_isyieldable(lua_State *L)
{
    lua_pushboolean(L, lua_isyieldable(lua_isthread(L, 1) ? lua_tothread(L, 1) : L));
    return 1;
}

static int co_running(lua_State *L)
{
    const int is_main = lua_pushthread(L);
    lua_pushboolean(L, is_main);
    return 2;
}

static int co_close(lua_State *L)
{
    lua_State  *coroutine = coroutine_at(L, 1);
    const char *status = status_of(L, coroutine);
    if (status[0] != 's' && status[0] != 'd')
        return luaL_error(L, "cannot close a %s coroutine", status);
    const int closed = close_coroutine(L, coroutine);
    lua_pushboolean(L, closed == LUA_OK);
    if (closed == LUA_OK) return 1;
    lua_insert(L, -2);
    return 2;
}

void sal_lua_add_protected(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"pcall", base_pcall}, {"xpcall", base_xpcall}, {NULL, NULL}};
    static const luaL_Reg coroutine[] = {
        {"create", co_create},   {"resume", co_resume},           {"wrap", co_wrap},
        {"yield", co_yield },    {"status", co_status},           {"close", co_close},
        {"running", co_running}, {"isyieldable", co_isyieldable}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    luaL_newlib(L, coroutine);
    lua_setfield(L, -2, "coroutine");
}
