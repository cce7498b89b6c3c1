/* The usual mathematical functions of numbers and expressions, as globals and in math. For numbers
 * they compute exactly what an expression computes at run time. */
#include <math.h>

#include <lualib.h>

#include "script/words/bind.h"

static int is_number(lua_State *L, int index) { return lua_type(L, index) == LUA_TNUMBER; }

/* Pushes the result of the operation on the arguments at two indices; b is 0 if there is one
 * only. */
static void push_operation(lua_State *L, saltus_op op, struct sal_who who, int a, int b)
{
    if (is_number(L, a) && (b == 0 || is_number(L, b))) {
        const double second = b ? lua_tonumber(L, b) : 0.0;
        lua_pushnumber(L, saltus_apply_number(op, lua_tonumber(L, a), second));
        return;
    }
    const saltus_expr first = sal_lua_expr(L, a, who, b ? "the first argument" : "the argument");
    const saltus_expr second =
        b ? sal_lua_expr(L, b, who, "the second argument") : (saltus_expr){0};
    sal_lua_push_expr(L, sal_lua_apply(L, op, first, second));
}

/* Upvalues: the operation, its name. */
static saltus_op upvalue_op(lua_State *L)
{
    return (saltus_op)lua_tointeger(L, lua_upvalueindex(1));
}

static const char *upvalue_name(lua_State *L) { return lua_tostring(L, lua_upvalueindex(2)); }

static int function_of_one(lua_State *L)
{
    push_operation(L, upvalue_op(L), sal_lua_enter(L, upvalue_name(L), 1), 1, 0);
    return 1;
}

static int function_of_two(lua_State *L)
{
    push_operation(L, upvalue_op(L), sal_lua_enter(L, upvalue_name(L), 2), 1, 2);
    return 1;
}

/* abs and sign of an integer are integers. */
static int function_of_integer(lua_State *L)
{
    if (!lua_isinteger(L, 1)) return function_of_one(L);
    sal_lua_enter(L, upvalue_name(L), 1);
    const lua_Integer x = lua_tointeger(L, 1);
    if (upvalue_op(L) == SALTUS_ABS)
        lua_pushinteger(L, x < 0 ? (lua_Integer)(0u - (lua_Unsigned)x) : x);
    else lua_pushinteger(L, (x > 0) - (x < 0));
    return 1;
}

static int function_atan(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "atan", 2);
    const int            two = !lua_isnil(L, 2);
    push_operation(L, two ? SALTUS_ATAN2 : SALTUS_ATAN, who, 1, two ? 2 : 0);
    return 1;
}

/* log(x, b). For numbers, logarithms to the bases 2 and 10 are exact, as in Lua. */
static int function_log(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "log", 2);
    if (is_number(L, 1) && is_number(L, 2)) {
        const double base = lua_tonumber(L, 2), x = lua_tonumber(L, 1);
        if (base == 2.0 || base == 10.0) {
            lua_pushnumber(L, base == 2.0 ? log2(x) : log10(x));
            return 1;
        }
    }
    push_operation(L, SALTUS_LOG, who, 1, 0);
    if (lua_isnil(L, 2)) return 1;
    push_operation(L, SALTUS_LOG, who, 2, 0);
    push_operation(L, SALTUS_DIV, who, lua_gettop(L) - 1, lua_gettop(L));
    return 1;
}

/* min and max. Of numbers the result is one of them, unchanged; expressions are combined in
 * pairs. */
static int function_of_many(lua_State *L)
{
    const saltus_op      op = upvalue_op(L);
    const int            count = lua_gettop(L);
    const struct sal_who who = sal_lua_enter(L, upvalue_name(L), count > 0 ? count : 1);
    if (count == 0) sal_lua_fail_who(L, who, "needs an argument at least");
    lua_pushvalue(L, 1);
    const int result = lua_gettop(L);
    if (!is_number(L, 1)) sal_lua_expr(L, 1, who, "the first argument");
    for (int i = 2; i <= count; i++) {
        sal_lua_charge(L, 2);
        if (is_number(L, result) && is_number(L, i)) {
            const int less = lua_compare(L, i, result, LUA_OPLT);
            const int more = lua_compare(L, result, i, LUA_OPLT);
            if (op == SALTUS_MIN ? less : more) lua_copy(L, i, result);
            continue;
        }
        push_operation(L, op, who, result, i);
        lua_replace(L, result);
    }
    return 1;
}

/* Upvalue: the factor. */
static int function_scale(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "rad, deg", 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    push_operation(L, SALTUS_MUL, who, 1, 2);
    return 1;
}

/* Pops a function and sets it in math, which is below it, and in the table of globals below
 * that. */
static void set_in_both(lua_State *L, const char *name)
{
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
    lua_setfield(L, -3, name);
}

static void add_operation(lua_State *L, saltus_op op)
{
    const char   *name = saltus_op_text(op);
    lua_CFunction function = saltus_op_arguments(op) == 1 ? function_of_one : function_of_two;
    if (op == SALTUS_ABS || op == SALTUS_SIGN) function = function_of_integer;
    if (op == SALTUS_MIN || op == SALTUS_MAX) function = function_of_many;
    if (op == SALTUS_ATAN) function = function_atan;
    if (op == SALTUS_LOG) function = function_log;
    lua_pushinteger(L, (lua_Integer)op);
    lua_pushstring(L, name);
    lua_pushcclosure(L, function, 2);
    set_in_both(L, name);
}

static void add_scale(lua_State *L, const char *name, double factor)
{
    lua_pushnumber(L, factor);
    lua_pushcclosure(L, function_scale, 1);
    lua_setfield(L, -2, name);
}

void sal_lua_add_functions(lua_State *L)
{
    lua_pushcfunction(L, luaopen_math);
    lua_call(L, 0, 1);
    for (int op = SALTUS_DIV + 1; op < SALTUS_OPS; op++) /* the first ones are operators */
        add_operation(L, (saltus_op)op);
    add_scale(L, "rad", 3.14159265358979323846 / 180.0);
    add_scale(L, "deg", 180.0 / 3.14159265358979323846);
    lua_setfield(L, -2, "math");
}
