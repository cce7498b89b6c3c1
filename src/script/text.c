/* The table string: texts under the limits of the sandbox. Functions whose work grows with their
 * arguments charge for it; those that make a text are charged by the allocator. */
#include <ctype.h>
#include <string.h>

#include "script/bind.h"
#include "script/buffer.h"
#include "script/library.h"
#include "script/pattern.h"

/* The place, from 0, that an index from 1 or from the end (negative) means; 0 if it is before the
 * start. May be past the end. */
static size_t start_place(lua_Integer index, size_t length)
{
    if (index > 0) return (size_t)index - 1;
    if (index == 0 || index < -(lua_Integer)length) return 0;
    return length + (size_t)index;
}

/* The place after the one that the index means, at most the length. */
static size_t end_place(lua_Integer index, size_t length)
{
    if (index >= (lua_Integer)length) return length;
    if (index >= 0) return (size_t)index;
    return index < -(lua_Integer)length ? 0 : length + (size_t)index + 1;
}

static int text_len(lua_State *L)
{
    size_t length;
    luaL_checklstring(L, 1, &length);
    lua_pushinteger(L, (lua_Integer)length);
    return 1;
}

static int text_sub(lua_State *L)
{
    size_t       length;
    const char  *text = luaL_checklstring(L, 1, &length);
    const size_t start = start_place(luaL_checkinteger(L, 2), length);
    const size_t end = end_place(luaL_optinteger(L, 3, -1), length);
    if (start >= end) lua_pushliteral(L, "");
    else lua_pushlstring(L, text + start, end - start);
    return 1;
}

static int text_rep(lua_State *L)
{
    size_t                length, between;
    struct sal_lua_buffer result;
    const char           *text = luaL_checklstring(L, 1, &length);
    const lua_Integer     count = luaL_checkinteger(L, 2);
    const char           *separator = luaL_optlstring(L, 3, "", &between);
    sal_lua_buffer_init(L, &result);
    if (length + between > 0 && count > 0) {
        if ((lua_Unsigned)count > (lua_Unsigned)SAL_TEXT_MAX) sal_lua_stop(L, SAL_STOP_TEXT);
        sal_lua_charge(L, (size_t)count);
        sal_lua_buffer_room(&result, (length + between) * (size_t)count - between);
        for (lua_Integer i = 0; i < count; i++) {
            if (i > 0) sal_lua_buffer_add(&result, separator, between);
            sal_lua_buffer_add(&result, text, length);
        }
    }
    sal_lua_buffer_push(&result);
    return 1;
}

/* Pushes the text at index 1 with each byte changed. */
static int map_bytes(lua_State *L, int (*change)(int))
{
    size_t                length;
    struct sal_lua_buffer result;
    const char           *text = luaL_checklstring(L, 1, &length);
    sal_lua_buffer_init(L, &result);
    char *bytes = sal_lua_buffer_room(&result, length);
    sal_lua_charge(L, length / 4);
    for (size_t i = 0; i < length; i++) bytes[i] = (char)change((unsigned char)text[i]);
    result.length = length;
    sal_lua_buffer_push(&result);
    return 1;
}

static int text_upper(lua_State *L) { return map_bytes(L, toupper); }

static int text_lower(lua_State *L) { return map_bytes(L, tolower); }

static int text_reverse(lua_State *L)
{
    size_t                length;
    struct sal_lua_buffer result;
    const char           *text = luaL_checklstring(L, 1, &length);
    sal_lua_buffer_init(L, &result);
    char *bytes = sal_lua_buffer_room(&result, length);
    for (size_t i = 0; i < length; i++) bytes[i] = text[length - 1 - i];
    result.length = length;
    sal_lua_buffer_push(&result);
    return 1;
}

static int text_byte(lua_State *L)
{
    size_t            length;
    const char       *text = luaL_checklstring(L, 1, &length);
    const lua_Integer first = luaL_optinteger(L, 2, 1);
    const size_t      start = start_place(first, length);
    const size_t      end = end_place(luaL_optinteger(L, 3, first), length);
    if (start >= end) return 0;
    sal_lua_charge(L, end - start);
    if (end - start > 100000) return luaL_error(L, "string slice too long");
    luaL_checkstack(L, (int)(end - start), "string slice too long");
    for (size_t i = start; i < end; i++) lua_pushinteger(L, (unsigned char)text[i]);
    return (int)(end - start);
}

static int text_char(lua_State *L)
{
    const int             count = lua_gettop(L);
    struct sal_lua_buffer result;
    sal_lua_charge(L, (size_t)count);
    sal_lua_buffer_init(L, &result);
    for (int i = 1; i <= count; i++) {
        const lua_Integer c = luaL_checkinteger(L, i);
        luaL_argcheck(L, c >= 0 && c <= 255, i, "value out of range");
        sal_lua_buffer_add_char(&result, (char)c);
    }
    sal_lua_buffer_push(&result);
    return 1;
}

/* ---- searching ------------------------------------------------------------------------------ */

/* Pushes capture number i; without captures, the whole match is the first one. */
static void push_capture(lua_State *L, const struct sal_match *match, int i)
{
    if (i >= match->captures) {
        if (i > 0) luaL_error(L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(L, match->text + match->start, match->end - match->start);
    } else if (match->capture[i].is_position) {
        lua_pushinteger(L, (lua_Integer)match->capture[i].start + 1);
    } else {
        lua_pushlstring(L, match->text + match->capture[i].start, match->capture[i].length);
    }
}

/* Pushes all captures; the whole match if there are none and it is wanted. Returns their number. */
static int push_captures(lua_State *L, const struct sal_match *match, int whole_wanted)
{
    const int count = match->captures == 0 && whole_wanted ? 1 : match->captures;
    luaL_checkstack(L, count, "too many captures");
    for (int i = 0; i < count; i++) push_capture(L, match, i);
    return count;
}

/* Finds a plain text from that place on. */
static int find_plain(lua_State *L, struct sal_match *match, const char *wanted, size_t length,
                      size_t place)
{
    while (place + length <= match->length) {
        const char *first = match->text + place;
        if (length > 0) first = memchr(first, wanted[0], match->length - place - length + 1);
        if (!first) return 0;
        sal_lua_charge(L, 1 + ((size_t)(first - match->text) - place) / 32 + length / 16);
        place = (size_t)(first - match->text);
        if (length == 0 || memcmp(first, wanted, length) == 0) {
            match->start = place;
            match->end = place + length;
            match->captures = 0;
            return 1;
        }
        place++;
    }
    return 0;
}

static int find_pattern(lua_State *L, struct sal_match *match, const char *wanted, size_t length,
                        size_t place)
{
    struct sal_pattern *pattern = sal_lua_pattern_push(L, wanted, length, 1);
    for (; place <= match->length; place++) {
        if (sal_lua_pattern_match(L, pattern, place, match)) return 1;
        if (sal_lua_pattern_is_anchored(pattern)) return 0;
    }
    return 0;
}

static int has_specials(const char *pattern, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (pattern[i] != '\0' && strchr("^$*+?.([%-", pattern[i])) return 1;
    return 0;
}

static int search(lua_State *L, int is_find)
{
    size_t           length;
    struct sal_match match;
    match.text = luaL_checklstring(L, 1, &match.length);
    const char  *wanted = luaL_checklstring(L, 2, &length);
    const size_t place = start_place(luaL_optinteger(L, 3, 1), match.length);
    const int    plain = is_find && (lua_toboolean(L, 4) || !has_specials(wanted, length));
    if (place > match.length ||
        !(plain ? find_plain : find_pattern)(L, &match, wanted, length, place)) {
        lua_pushnil(L);
        return 1;
    }
    if (!is_find) return push_captures(L, &match, 1);
    lua_pushinteger(L, (lua_Integer)match.start + 1);
    lua_pushinteger(L, (lua_Integer)match.end);
    return 2 + push_captures(L, &match, 0);
}

static int text_find(lua_State *L) { return search(L, 1); }

static int text_match(lua_State *L) { return search(L, 0); }

/* Upvalues: the text, the pattern, where to go on, the end of the last match. */
static int next_match(lua_State *L)
{
    struct sal_match match;
    match.text = lua_tolstring(L, lua_upvalueindex(1), &match.length);
    struct sal_pattern *pattern = lua_touserdata(L, lua_upvalueindex(2));
    const lua_Integer   last = lua_tointeger(L, lua_upvalueindex(4));
    for (size_t place = (size_t)lua_tointeger(L, lua_upvalueindex(3)); place <= match.length;
         place++) {
        if (!sal_lua_pattern_match(L, pattern, place, &match)) continue;
        if ((lua_Integer)match.end == last) continue; /* the empty match after a match */
        lua_pushinteger(L, (lua_Integer)match.end);
        lua_copy(L, -1, lua_upvalueindex(3));
        lua_copy(L, -1, lua_upvalueindex(4));
        return push_captures(L, &match, 1);
    }
    lua_pushinteger(L, (lua_Integer)match.length + 1);
    lua_copy(L, -1, lua_upvalueindex(3));
    return 0;
}

static int text_gmatch(lua_State *L)
{
    size_t length, pattern_length;
    luaL_checklstring(L, 1, &length);
    const char  *pattern = luaL_checklstring(L, 2, &pattern_length);
    const size_t place = start_place(luaL_optinteger(L, 3, 1), length);
    lua_settop(L, 2);
    lua_pushvalue(L, 1);
    sal_lua_pattern_push(L, pattern, pattern_length, 0);
    lua_pushinteger(L, (lua_Integer)(place > length ? length + 1 : place));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

/* ---- replacing ------------------------------------------------------------------------------ */

/* Adds the replacement at index 3, a text in which %1 is a capture. */
static void add_template(lua_State *L, struct sal_lua_buffer *result, const struct sal_match *match)
{
    size_t      length, part;
    const char *text = lua_tolstring(L, 3, &length);
    sal_lua_charge(L, length);
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            sal_lua_buffer_add_char(result, text[i]);
            continue;
        }
        const char c = i + 1 < length ? text[++i] : '\0';
        if (c == '%') {
            sal_lua_buffer_add_char(result, '%');
        } else if (c == '0') {
            sal_lua_buffer_add(result, match->text + match->start, match->end - match->start);
        } else if (isdigit((unsigned char)c)) {
            push_capture(L, match, c - '1');
            const char *capture = lua_tolstring(L, -1, &part);
            sal_lua_buffer_add(result, capture, part);
            lua_pop(L, 1);
        } else {
            luaL_error(L, "invalid use of '%%' in replacement string");
        }
    }
}

/* Pushes what the table or function at index 3 gives for the match. */
static void push_replacement(lua_State *L, const struct sal_match *match)
{
    if (lua_type(L, 3) == LUA_TTABLE) {
        push_capture(L, match, 0);
        lua_gettable(L, 3);
        return;
    }
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(L, match, 1), 1);
}

static void add_replacement(lua_State *L, struct sal_lua_buffer *result,
                            const struct sal_match *match)
{
    size_t length;
    if (lua_isstring(L, 3)) {
        add_template(L, result, match);
        return;
    }
    push_replacement(L, match);
    if (!lua_toboolean(L, -1)) {
        sal_lua_buffer_add(result, match->text + match->start, match->end - match->start);
    } else if (lua_isstring(L, -1)) {
        const char *text = lua_tolstring(L, -1, &length);
        sal_lua_buffer_add(result, text, length);
    } else {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
    lua_pop(L, 1);
}

static void check_replacement(lua_State *L)
{
    const int type = lua_type(L, 3);
    luaL_argexpected(L,
                     type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TTABLE ||
                         type == LUA_TFUNCTION,
                     3, "string/function/table");
}

static int text_gsub(lua_State *L)
{
    size_t                pattern_length;
    struct sal_match      match;
    struct sal_lua_buffer result;
    match.text = luaL_checklstring(L, 1, &match.length);
    const char *wanted = luaL_checklstring(L, 2, &pattern_length);
    check_replacement(L);
    const lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)match.length + 1);
    lua_settop(L, 4);
    struct sal_pattern *pattern = sal_lua_pattern_push(L, wanted, pattern_length, 1);
    sal_lua_buffer_init(L, &result);
    size_t      place = 0;
    lua_Integer count = 0, last = -1;
    while (count < most) {
        if (sal_lua_pattern_match(L, pattern, place, &match) && (lua_Integer)match.end != last) {
            count++;
            add_replacement(L, &result, &match);
            place = match.end;
            last = (lua_Integer)match.end;
        } else if (place < match.length) {
            sal_lua_buffer_add_char(&result, match.text[place++]);
        } else {
            break;
        }
        if (sal_lua_pattern_is_anchored(pattern)) break;
    }
    if (place < match.length) sal_lua_buffer_add(&result, match.text + place, match.length - place);
    sal_lua_buffer_push(&result);
    lua_pushinteger(L, count);
    return 2;
}

/* ---- arithmetic on texts that are numbers --------------------------------------------------- */

/* Pushes the operand as a number, or raises. */
static void push_number(lua_State *L, int index, const char *symbol)
{
    if (lua_type(L, index) == LUA_TNUMBER) {
        lua_pushvalue(L, index);
        return;
    }
    if (lua_type(L, index) == LUA_TSTRING && lua_stringtonumber(L, lua_tostring(L, index))) return;
    /* Beside an expression it is the text that is wrong. */
    const int wrong = sal_lua_value(L, index, SAL_EXPR) ? 3 - index : index;
    sal_lua_fail(L, "'%s' needs numbers or expressions, got %s", symbol,
                 sal_lua_describe(L, wrong));
}

/* Upvalues: Lua's number of the operation, its symbol. */
static int text_arithmetic(lua_State *L)
{
    const int   op = (int)lua_tointeger(L, lua_upvalueindex(1));
    const char *symbol = lua_tostring(L, lua_upvalueindex(2));
    push_number(L, 1, symbol);
    if (op != LUA_OPUNM) push_number(L, 2, symbol);
    lua_arith(L, op);
    return 1;
}

static void add_arithmetic(lua_State *L)
{
    static const struct {
        const char *event, *symbol;
        int         op;
    } rows[] = {
        {"__add", "+", LUA_OPADD},    {"__sub", "-", LUA_OPSUB}, {"__mul", "*", LUA_OPMUL},
        {"__div", "/", LUA_OPDIV},    {"__pow", "^", LUA_OPPOW}, {"__mod", "%", LUA_OPMOD},
        {"__idiv", "//", LUA_OPIDIV}, {"__unm", "-", LUA_OPUNM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lua_pushinteger(L, rows[i].op);
        lua_pushstring(L, rows[i].symbol);
        lua_pushcclosure(L, text_arithmetic, 2);
        lua_setfield(L, -2, rows[i].event);
    }
}

void sal_lua_add_text(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"byte", text_byte},       {"char", text_char},
        {"find", text_find},       {"format", sal_lua_format},
        {"gmatch", text_gmatch},   {"gsub", text_gsub},
        {"len", text_len},         {"lower", text_lower},
        {"match", text_match},     {"rep", text_rep},
        {"reverse", text_reverse}, {"sub", text_sub},
        {"upper", text_upper},     {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_pushliteral(L, ""); /* all texts have one metatable */
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    add_arithmetic(L);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_setfield(L, -2, "string");
}
