/* string.format, with the conversions %s %d %i %x %X %e %E %f %g %G. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "script/sandbox/buffer.h"
#include "script/stdlib/stdlib.h"
#include "script/words/message.h"

/* One conversion such as %-8.3f. */
struct spec {
    char form[32];         /* for snprintf, of numbers */
    int  left;             /* flag - */
    int  width, precision; /* -1: none */
    char conversion;
};

/* Longest conversion of a number: %99.99f of the largest double. */
enum { NUMBER_MAX = 512 };

static int invalid(lua_State *L, const char *start, const char *end)
{
    lua_pushlstring(L, start, (size_t)(end - start));
    return sal_lua_fail(L, "string.format: there is no conversion '%s'", lua_tostring(L, -1));
}

/* Reads at most two digits; -1 if there are none. */
static int read_digits(const char **next, const char *end)
{
    int value = -1;
    for (int i = 0; i < 2 && *next < end && isdigit((unsigned char)**next); i++)
        value = (value < 0 ? 0 : 10 * value) + (*(*next)++ - '0');
    return value;
}

/* Reads what follows a %; returns where it ends. */
static const char *read_spec(lua_State *L, const char *next, const char *end, struct spec *spec)
{
    const char *start = next - 1;
    size_t      flags = 0;
    spec->left = 0;
    while (next < end && flags < 5 && *next != '\0' && strchr("-+ #0", *next)) {
        if (*next == '-') spec->left = 1;
        next++;
        flags++;
    }
    spec->width = read_digits(&next, end);
    spec->precision = -1;
    if (next < end && *next == '.') {
        next++;
        spec->precision = read_digits(&next, end);
        if (spec->precision < 0) spec->precision = 0;
    }
    if (next >= end) invalid(L, start, end);
    spec->conversion = *next;
    const size_t length = (size_t)(next - start);
    memcpy(spec->form, start, length);
    /* Integers are passed as long long. */
    snprintf(spec->form + length, sizeof spec->form - length,
             spec->conversion && strchr("dixX", spec->conversion) ? "ll%c" : "%c",
             spec->conversion);
    return next + 1;
}

static void add_padded(struct sal_lua_buffer *result, const struct spec *spec, const char *text,
                       size_t length)
{
    if (spec->precision >= 0 && length > (size_t)spec->precision) length = (size_t)spec->precision;
    const size_t width = spec->width > 0 ? (size_t)spec->width : 0;
    const size_t padding = width > length ? width - length : 0;
    for (size_t i = 0; i < padding && !spec->left; i++) sal_lua_buffer_add_char(result, ' ');
    sal_lua_buffer_add(result, text, length);
    for (size_t i = 0; i < padding && spec->left; i++) sal_lua_buffer_add_char(result, ' ');
}

static void add_text(lua_State *L, struct sal_lua_buffer *result, const struct spec *spec,
                     int index)
{
    size_t      length;
    const char *text = sal_lua_to_text(L, index, &length);
    sal_lua_charge(L, length / 8);
    add_padded(result, spec, text, length);
    lua_pop(L, 1);
}

static void add_number(lua_State *L, struct sal_lua_buffer *result, const struct spec *spec,
                       int index)
{
    char *room = sal_lua_buffer_room(result, NUMBER_MAX);
    int   length;
    if (strchr("dixX", spec->conversion))
        length = snprintf(room, NUMBER_MAX, spec->form, (long long)luaL_checkinteger(L, index));
    else length = snprintf(room, NUMBER_MAX, spec->form, (double)luaL_checknumber(L, index));
    if (length > 0) result->length += (size_t)length;
}

int sal_lua_format(lua_State *L)
{
    size_t                length;
    struct spec           spec;
    struct sal_lua_buffer result;
    const char           *next = luaL_checklstring(L, 1, &length), *end = next + length;
    const int             last = lua_gettop(L);
    int                   argument = 1;
    sal_lua_charge(L, 10 + length);
    sal_lua_buffer_init(L, &result);
    while (next < end) {
        const char *start = next;
        if (*next++ != '%') {
            sal_lua_buffer_add_char(&result, *start);
            continue;
        }
        if (next < end && *next == '%') {
            sal_lua_buffer_add_char(&result, *next++);
            continue;
        }
        next = read_spec(L, next, end, &spec);
        if (spec.conversion == '\0' || !strchr("sdixXeEfgG", spec.conversion))
            invalid(L, start, next);
        if (++argument > last) luaL_argerror(L, argument, "no value");
        sal_lua_charge(L, 20);
        (spec.conversion == 's' ? add_text : add_number)(L, &result, &spec, argument);
    }
    sal_lua_buffer_push(&result);
    return 1;
}
