/* What a script finds besides the words of the model language: the part of Lua's standard library
 * that models use, rewritten where Lua's own would escape the limits or differ from run to run. */
#ifndef SAL_SCRIPT_STDLIB_STDLIB_H
#define SAL_SCRIPT_STDLIB_STDLIB_H

#include <lauxlib.h>
#include <lua.h>

/* Each adds its functions to the table on top of the stack. */
void sal_lua_add_basic(lua_State *L);  /* print, tostring, setmetatable, ... */
void sal_lua_add_text(lua_State *L);   /* string */
void sal_lua_add_list(lua_State *L);   /* table */
void sal_lua_add_random(lua_State *L); /* random and randomseed, to its table math */

/* string.format; the upvalue is Lua's own. */
int sal_lua_format(lua_State *L);

/* Takes functions from Lua's own library on top of the stack, which is popped, into the table below
 * it. A function given for one is called in its place, with Lua's own as its upvalue. */
void sal_lua_take(lua_State *L, const luaL_Reg *functions);
/* Calls Lua's own function, the upvalue, with the arguments there are. */
int sal_lua_call_own(lua_State *L);

/* Raises "'string.find' is not available: ..." with a way out, if there is such a message for the
 * name. The library is "string", "table", or NULL for global names. */
void sal_lua_check_missing(lua_State *L, const char *library, const char *name);
/* Makes the library on top of the stack raise it for all names that it lacks. */
void sal_lua_answer_missing(lua_State *L, const char *library);

#endif
