/* The table string: what a model needs to make names. Functions that make a text are written anew:
 * those of Lua report a lack of memory as an error like any other. There are no patterns. */
#include <ctype.h>

#include <lualib.h>

#include "script/sandbox/buffer.h"
#include "script/stdlib/stdlib.h"
#include "script/words/bind.h"

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
    static const char *const harmless[] = {"byte", "len", "sub"};
    static const luaL_Reg    functions[] = {{"format", sal_lua_format},
                                            {"lower", text_lower},
                                            {"rep", text_rep},
                                            {"upper", text_upper},
                                            {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_pushcfunction(L, luaopen_string);
    lua_call(L, 0, 1);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        lua_getfield(L, -1, harmless[i]);
        lua_setfield(L, -3, harmless[i]);
    }
    lua_pop(L, 1);
    sal_lua_answer_missing(L, "string");
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
