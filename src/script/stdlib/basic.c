/* The basic functions of Lua that a script may use: those that are harmless as they are, and our
 * own print, tostring and setmetatable. */
#include <lualib.h>

#include "script/sandbox/buffer.h"
#include "script/stdlib/stdlib.h"
#include "script/words/message.h"

enum { STEPS_PER_PRINT = 500 };

static int base_print(lua_State *L)
{
    const struct sal_script *script = sal_lua_script(L);
    const int                count = lua_gettop(L);
    struct sal_lua_buffer    line;
    sal_lua_charge(L, STEPS_PER_PRINT);
    sal_lua_buffer_init(L, &line);
    for (int i = 1; i <= count; i++) {
        size_t      length;
        const char *text = sal_lua_to_text(L, i, &length);
        if (i > 1) sal_lua_buffer_add_char(&line, '\t');
        sal_lua_buffer_add(&line, text, length);
        lua_settop(L, line.slot);
    }
    sal_lua_buffer_add_char(&line, '\n');
    sal_lua_charge(L, line.length);
    if (script->options.print)
        script->options.print(script->options.print_context, line.data, line.length);
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

/* Lua honours __gc only if it is there when the metatable is set, so it is enough to look now. */
static int base_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        refuse_field(L, "__gc", "no limit would hold in it");
        refuse_field(L, "__mode", "when memory is freed differs from run to run");
    }
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return sal_lua_fail(L, "setmetatable: this metatable is protected");
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

void sal_lua_add_basic(lua_State *L)
{
    static const char *const harmless[] = {"assert",   "error",  "getmetatable", "ipairs",
                                           "rawequal", "rawget", "rawlen",       "select",
                                           "tonumber", "type",   "_VERSION"};
    static const luaL_Reg    functions[] = {{"print", base_print},
                                            {"tostring", base_tostring},
                                            {"setmetatable", base_setmetatable},
                                            {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 1);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        lua_getfield(L, -1, harmless[i]);
        lua_setfield(L, -3, harmless[i]);
    }
    lua_pop(L, 1);
}
