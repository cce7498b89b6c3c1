/* string.format with the conversions %s %d %i %x %X %e %E %f %g %G. It checks the arguments and
 * calls Lua's own function. %s takes any value; the text of a table has no address in it. */
#include <ctype.h>
#include <string.h>

#include "script/sandbox/sandbox.h"
#include "script/stdlib/stdlib.h"
#include "script/words/message.h"

/* Skips at most two digits. */
static const char *skip_digits(const char *next)
{
    for (int i = 0; i < 2 && isdigit((unsigned char)*next); i++) next++;
    return next;
}

/* Finds the letter of the conversion that begins with the % at start. */
static const char *find_letter(lua_State *L, const char *start, const char *end)
{
    const char *next = start + 1;
    for (int i = 0; i < 5 && *next && strchr("-+ #0", *next); i++) next++;
    next = skip_digits(next);
    if (*next == '.') next = skip_digits(next + 1);
    if (next < end && *next && strchr("sdixXeEfgG", *next)) return next;
    lua_pushlstring(L, start, (size_t)(next < end ? next + 1 - start : end - start));
    sal_lua_fail(L, "string.format: there is no conversion '%s'", lua_tostring(L, -1));
    return NULL;
}

/* Checks the argument; that of %s becomes a text, whose length is returned. */
static size_t check_argument(lua_State *L, int argument, char letter)
{
    size_t length = 0;
    sal_lua_charge(L, 20);
    if (letter == 's') {
        sal_lua_to_text(L, argument, &length);
        sal_lua_charge(L, length / 8);
        lua_replace(L, argument);
    } else if (strchr("dixX", letter)) {
        luaL_checkinteger(L, argument);
    } else {
        luaL_checknumber(L, argument);
    }
    return length;
}

int sal_lua_format(lua_State *L)
{
    size_t      length, texts = 0;
    const char *next = luaL_checklstring(L, 1, &length), *end = next + length;
    const int   last = lua_gettop(L);
    int         argument = 1;
    sal_lua_charge(L, 10 + length);
    while ((next = memchr(next, '%', (size_t)(end - next))) != NULL) {
        if (next[1] != '%') {
            const char *letter = find_letter(L, next, end);
            if (++argument > last) luaL_argerror(L, argument, "no value");
            texts += check_argument(L, argument, *letter);
            if (texts > SAL_TEXT_MAX) sal_lua_stop(L, SAL_STOP_TEXT);
            next = letter;
        } else next++;
        next++;
    }
    return sal_lua_call_own(L);
}
