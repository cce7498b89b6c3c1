/* The global names of a script. */
#ifndef SAL_SCRIPT_GLOBALS_H
#define SAL_SCRIPT_GLOBALS_H

#include <lua.h>

/* Pushes the table of global names. */
void sal_lua_open_globals(lua_State *L);

#endif
