/* What a script finds besides the words of the model language: the harmless part of Lua's standard
 * library, rewritten where Lua's own would escape the limits or differ from run to run. */
#ifndef SAL_SCRIPT_LIBRARY_H
#define SAL_SCRIPT_LIBRARY_H

#include <lua.h>

/* Each adds its functions to the table on top of the stack. */
void sal_lua_add_basic(lua_State *L);     /* print, tostring, setmetatable, ... */
void sal_lua_add_protected(lua_State *L); /* pcall, xpcall, coroutine */
void sal_lua_add_order(lua_State *L);     /* pairs, next */
void sal_lua_add_text(lua_State *L);      /* string */
void sal_lua_add_list(lua_State *L);      /* table */

/* Adds random and randomseed to the table on top of the stack, which is math. */
void sal_lua_add_random(lua_State *L);

/* string.format. */
int sal_lua_format(lua_State *L);

/* Pushes the table of global names of a script. */
void sal_lua_open_globals(lua_State *L);
/* Whether the value at that index is this table. */
int sal_lua_is_globals(lua_State *L, int index);
/* Raises if a global of the name at that index cannot be assigned. */
void sal_lua_check_assignment(lua_State *L, int key);

#endif
