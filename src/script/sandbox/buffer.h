/* A text under construction. It lives in a userdata on the Lua stack, so that an error on the way
 * leaves no memory behind, and its growth is subject to the limits of the sandbox. */
#ifndef SAL_SCRIPT_SANDBOX_BUFFER_H
#define SAL_SCRIPT_SANDBOX_BUFFER_H

#include <lua.h>

struct sal_lua_buffer {
    lua_State *L;
    int        slot; /* where the userdata stands on the stack */
    char      *data;
    size_t     length, size;
    char       small[256]; /* used until it is too short */
};

/* Takes one stack slot. */
void sal_lua_buffer_init(lua_State *L, struct sal_lua_buffer *buffer);

/* Makes room for this many more bytes; the caller writes them and adds to the length. */
char *sal_lua_buffer_room(struct sal_lua_buffer *buffer, size_t bytes);
void  sal_lua_buffer_add(struct sal_lua_buffer *buffer, const char *text, size_t length);
void  sal_lua_buffer_add_char(struct sal_lua_buffer *buffer, char c);

/* Pushes the text. */
void sal_lua_buffer_push(struct sal_lua_buffer *buffer);

#endif
