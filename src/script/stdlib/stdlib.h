/* The standard library of scripts: the part of Lua's own that models use, rewritten where Lua's
 * would escape the limits or differ from run to run. */
#ifndef SAL_SCRIPT_STDLIB_STDLIB_H
#define SAL_SCRIPT_STDLIB_STDLIB_H

#include <lauxlib.h>
#include <lua.h>

/* Each adds its functions to the table on top of the stack. */
void sal_lua_add_basic(lua_State *L);  /* print, tostring, setmetatable, ... */
void sal_lua_add_text(lua_State *L);   /* string */
void sal_lua_add_list(lua_State *L);   /* table */
void sal_lua_add_random(lua_State *L); /* random and randomseed, to its table math */

/* string.format; its upvalue is Lua's own string.format. */
int sal_lua_format(lua_State *L);

/* Pops Lua's own library from the stack, and copies these functions from it to the table below. If
 * a function is given for a name, it is set in place of Lua's, which is its upvalue. */
void sal_lua_take(lua_State *L, const luaL_Reg *functions);
/* Calls Lua's own function, the upvalue, with the arguments on the stack. */
int sal_lua_call_own(lua_State *L);

/* Raises "'string.find' is not available: ..." with an alternative, if there is such a message for
 * the name. The library is "string", "table", or NULL for global names. */
void sal_lua_check_missing(lua_State *L, const char *library, const char *name);
/* Makes the library on top of the stack raise such messages for all names that it lacks. */
void sal_lua_answer_missing(lua_State *L, const char *library);

#endif
