/* A text under construction, see buffer.h. */
#include "script/sandbox/buffer.h"

#include <string.h>

#include "script/sandbox/sandbox.h"

void sal_lua_buffer_init(lua_State *L, struct sal_lua_buffer *buffer)
{
    luaL_checkstack(L, 4, "too many values");
    lua_pushnil(L);
    buffer->L = L;
    buffer->slot = lua_gettop(L);
    buffer->data = buffer->small;
    buffer->length = 0;
    buffer->size = sizeof buffer->small;
}

char *sal_lua_buffer_room(struct sal_lua_buffer *buffer, size_t bytes)
{
    if (bytes <= buffer->size - buffer->length) return buffer->data + buffer->length;
    if (bytes > SAL_TEXT_MAX || buffer->length + bytes > SAL_TEXT_MAX)
        sal_lua_stop(buffer->L, SAL_STOP_TEXT);
    size_t size = 2 * buffer->size;
    if (size < buffer->length + bytes) size = buffer->length + bytes;
    char *larger = lua_newuserdatauv(buffer->L, size, 0);
    memcpy(larger, buffer->data, buffer->length);
    lua_replace(buffer->L, buffer->slot);
    buffer->data = larger;
    buffer->size = size;
    return buffer->data + buffer->length;
}

void sal_lua_buffer_add(struct sal_lua_buffer *buffer, const char *text, size_t length)
{
    if (length == 0) return;
    memcpy(sal_lua_buffer_room(buffer, length), text, length);
    buffer->length += length;
}

void sal_lua_buffer_add_char(struct sal_lua_buffer *buffer, char c)
{
    *sal_lua_buffer_room(buffer, 1) = c;
    buffer->length++;
}

void sal_lua_buffer_push(struct sal_lua_buffer *buffer)
{
    lua_pushlstring(buffer->L, buffer->data, buffer->length);
}
