/* Functions of Lua that models lack, with their replacements. */
#include <string.h>

#include <lauxlib.h>

#include "script/stdlib/stdlib.h"
#include "script/words/message.h"

static const char no_patterns[] =
    "models cannot use patterns; write data as Lua tables, and prepare texts with another program";
static const char no_catching[] =
    "an error ends the script; test values with if before they are used";
static const char no_access[] = "a model has no access to files, processes or other code";

/* A row without a name is for all other names of its library. */
static const struct {
    const char *library, *name, *instead;
} missing[] = {
    {"string", "find", no_patterns},
    {"string", "match", no_patterns},
    {"string", "gmatch", no_patterns},
    {"string", "gsub", no_patterns},
    {"string", NULL, "string has byte, format, len, lower, rep, sub and upper"},
    {"table", "pack", "write {...}"},
    {"table", "move", "write a loop"},
    {"table", NULL, "table has concat, insert, remove, sort and unpack"},
    {NULL, "pcall", no_catching},
    {NULL, "xpcall", no_catching},
    {NULL, "coroutine", "write functions and loops"},
    {NULL, "next", "walk a table with pairs"},
    {NULL, "rawset", "assign t[key] = value"},
    {NULL, "utf8", "texts are bytes; # gives their number"},
    {NULL, "collectgarbage", no_access},
    {NULL, "debug", no_access},
    {NULL, "dofile", no_access},
    {NULL, "io", no_access},
    {NULL, "load", no_access},
    {NULL, "loadfile", no_access},
    {NULL, "loadstring", no_access},
    {NULL, "os", no_access},
    {NULL, "package", no_access},
    {NULL, "require", no_access},
};

static int is_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

void sal_lua_check_missing(lua_State *L, const char *library, const char *name)
{
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (!is_same(missing[i].library, library)) continue;
        if (missing[i].name && strcmp(missing[i].name, name) != 0) continue;
        sal_lua_fail(L, "'%s%s%s' is not available: %s", library ? library : "", library ? "." : "",
                     name, missing[i].instead);
    }
}

/* __index of a library. Upvalue: its name. */
static int answer(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TSTRING)
        sal_lua_check_missing(L, lua_tostring(L, lua_upvalueindex(1)), lua_tostring(L, 2));
    lua_pushnil(L);
    return 1;
}

void sal_lua_answer_missing(lua_State *L, const char *library)
{
    lua_createtable(L, 0, 2);
    lua_pushstring(L, library);
    lua_pushcclosure(L, answer, 1);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}
