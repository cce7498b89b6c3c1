/* A fixed order of the keys of a table. */
#ifndef SAL_SCRIPT_WORDS_SORTED_PAIRS_H
#define SAL_SCRIPT_WORDS_SORTED_PAIRS_H

#include <lua.h>

/* Pushes a list of the keys of the table at that index, in order; returns their number. Raises if
 * a key has no place in the order. */
lua_Integer sal_lua_push_keys(lua_State *L, int table);

#endif
