/* The only files that a script can read: those beside the model, and those that the user names. */
#ifndef SAL_SCRIPT_SANDBOX_FILES_H
#define SAL_SCRIPT_SANDBOX_FILES_H

#include "script/sandbox/sandbox.h"

/* The largest file, in bytes. */
#define SAL_FILE_MAX ((size_t)32 << 20)

/* Returns where the Lua of a script begins: after a byte order mark and a first line "#!...". The
 * end of that line stays, so that line numbers are right. */
const char *sal_lua_skip_head(const char *text, size_t length);

/* Pushes the content of a file beside the model, in memory of the script; if that fails, returns
 * NULL and pushes the reason. The name must have no folders, and the file must not be a link. */
const char *sal_lua_read_beside(lua_State *L, const char *name, size_t *length);
/* Pushes the content of a file that the user of the program names, in any folder; if that fails,
 * returns NULL and pushes the reason. */
const char *sal_lua_read_given(lua_State *L, const char *path, size_t *length);
/* Calls the library user's function with a file that was read. `name` is its name beside the
 * model. */
void sal_lua_tell_file(lua_State *L, const char *name, const char *text, size_t length);

#endif
