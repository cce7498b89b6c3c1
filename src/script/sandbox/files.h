/* The only files that a script can have read: those beside the model, and those that the user
 * names. */
#ifndef SAL_SCRIPT_SANDBOX_FILES_H
#define SAL_SCRIPT_SANDBOX_FILES_H

#include "script/sandbox/sandbox.h"

/* The largest file, in bytes. */
#define SAL_FILE_MAX ((size_t)32 << 20)

/* Where the Lua of a script begins: after a byte order mark, and a first line "#!...". The end of
 * that line stays, for the numbers of the lines. */
const char *sal_lua_skip_head(const char *text, size_t length);

/* Pushes the content of a file beside the model, in memory of the script, or returns NULL and
 * pushes why not. The name has no folders, and what it names is no link. */
const char *sal_lua_read_beside(lua_State *L, const char *name, size_t *length);
/* Pushes the content of a file that the user of the program names, wherever it is, or returns NULL
 * and pushes why not. */
const char *sal_lua_read_given(lua_State *L, const char *path, size_t *length);
/* Tells the user of the library that this file was read; the name is that beside the model. */
void sal_lua_tell_file(lua_State *L, const char *name, const char *text, size_t length);

#endif
