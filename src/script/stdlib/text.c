/* The library `string`: what a model needs to make names. It is Lua's own, under the limits of the
 * sandbox; there are no patterns. */
#include <lualib.h>

#include "script/stdlib/stdlib.h"
#include "script/words/bind.h"

static int text_rep(lua_State *L)
{
    size_t            length, between;
    const lua_Integer most = SAL_TEXT_MAX, count = luaL_checkinteger(L, 2);
    luaL_checklstring(L, 1, &length);
    luaL_optlstring(L, 3, "", &between);
    if (count > 0 && length + between > 0) {
        if (count > most || (length + between) * (size_t)count - between > (size_t)most)
            sal_lua_stop(L, SAL_STOP_TEXT);
        sal_lua_charge(L, (size_t)count);
    }
    return sal_lua_call_own(L);
}

/* upper and lower. */
static int text_case(lua_State *L)
{
    size_t length;
    luaL_checklstring(L, 1, &length);
    sal_lua_charge(L, length / 4);
    return sal_lua_call_own(L);
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
    /* If the other operand is an expression, the text is the wrong one. */
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
        {"byte", NULL},       {"format", sal_lua_format},
        {"len", NULL},        {"lower", text_case},
        {"rep", text_rep},    {"sub", NULL},
        {"upper", text_case}, {NULL, NULL},
    };
    lua_newtable(L);
    lua_pushcfunction(L, luaopen_string);
    lua_call(L, 0, 1);
    sal_lua_take(L, functions);
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
