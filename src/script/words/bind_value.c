/* Expressions, points, modes, bodies and contacts as values of a script, and arithmetic on
 * expressions. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "script/words/bind.h"

/* Steps charged for one call of a builder, besides those for what it adds to the model. */
enum { STEPS_PER_BUILDER = 20 };

/* The addresses of these are the keys of our registry entries. */
static const char metatable_key[SAL_KINDS] = {0};
static const char cache_key = 0;

const struct sal_value *sal_lua_value(lua_State *L, int index, enum sal_kind kind)
{
    if (lua_type(L, index) != LUA_TUSERDATA) return NULL;
    const struct sal_value *value = lua_touserdata(L, index);
    return value->kind == kind ? value : NULL;
}

void sal_lua_push_value(lua_State *L, struct sal_value value, int name)
{
    struct sal_value *to = lua_newuserdatauv(L, sizeof *to, name != 0);
    *to = value;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key[value.kind]);
    lua_setmetatable(L, -2);
    if (!name) return;
    lua_pushvalue(L, name);
    lua_setiuservalue(L, -2, 1);
}

void sal_lua_push_expr(lua_State *L, saltus_expr expr)
{
    luaL_checkstack(L, 4, "too many values");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key);
    if (lua_rawgeti(L, -1, expr.id) == LUA_TNIL) {
        lua_pop(L, 1);
        sal_lua_push_value(L, (struct sal_value){SAL_EXPR, {.expr = expr}}, 0);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, expr.id);
    }
    lua_remove(L, -2);
}

static void push_expr_text(lua_State *L, saltus_expr expr)
{
    char         text[500];
    const size_t length = saltus_expr_print(sal_lua_script(L)->model, expr, text, sizeof text);
    lua_pushstring(L, text);
    if (length >= sizeof text) {
        lua_pushstring(L, "...");
        lua_concat(L, 2);
    }
}

void sal_lua_push_value_text(lua_State *L, const struct sal_value *value, int index)
{
    if (value->kind == SAL_EXPR) {
        push_expr_text(L, value->is.expr);
        return;
    }
    static const char *const names[SAL_KINDS] = {"expression", "point", "mode", "body", "contact"};
    const char              *kind = names[value->kind];
    index = lua_absindex(L, index);
    if (lua_getiuservalue(L, index, 1) == LUA_TSTRING)
        lua_pushfstring(L, "%s '%s'", kind, lua_tostring(L, -1));
    else lua_pushstring(L, kind);
    lua_remove(L, -2);
}

/* ---- around a builder ----------------------------------------------------------------------- */

saltus_model *sal_lua_begin(lua_State *L)
{
    const struct sal_script *script = sal_lua_script(L);
    const int                line = sal_lua_line(L);
    saltus_model_at(script->model, sal_lua_file(script, script->in), line);
    return script->model;
}

int sal_lua_finish(lua_State *L)
{
    const struct sal_script *script = sal_lua_script(L);
    const saltus_error      *err = saltus_model_error(script->model);
    if (err->status == SALTUS_ERR_MEMORY) sal_lua_stop(L, SAL_STOP_ALLOCATOR);
    if (err->status != SALTUS_OK) {
        lua_pushfstring(L, "%s:%d: %s", sal_lua_chunk(script, script->in), err->line, err->message);
        lua_error(L);
    }
    sal_lua_charge(L, STEPS_PER_BUILDER);
    sal_lua_charge_model(L);
    return 0;
}

int sal_lua_give(lua_State *L, saltus_expr expr)
{
    sal_lua_finish(L);
    sal_lua_push_expr(L, expr);
    return 1;
}

int sal_lua_give_value(lua_State *L, struct sal_value value, int name)
{
    sal_lua_finish(L);
    sal_lua_push_value(L, value, name);
    return 1;
}

saltus_expr sal_lua_apply(lua_State *L, saltus_op op, saltus_expr a, saltus_expr b)
{
    const saltus_expr result = saltus_apply(sal_lua_begin(L), op, a, b);
    sal_lua_finish(L);
    return result;
}

saltus_expr sal_lua_literal(lua_State *L, double value)
{
    const saltus_expr result = saltus_number(sal_lua_begin(L), value);
    sal_lua_finish(L);
    return result;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

static int refuse_operand(lua_State *L, int index, const char *symbol)
{
    const char *way_out = "";
    if (lua_isnil(L, index)) way_out = " (is a name misspelt, or defined only further down?)";
    if (sal_lua_value(L, index, SAL_POINT))
        way_out = " (a point P has the coordinates P.x and P.y)";
    if (sal_lua_value(L, index, SAL_BODY))
        way_out = " (a body B has the coordinates B.x, B.y and B.angle)";
    const char *got = sal_lua_describe(L, index);
    return sal_lua_fail(L, "'%s' needs numbers or expressions, got %s%s%s", symbol, got, way_out,
                        sal_lua_hidden_word(L, index));
}

static saltus_expr operand(lua_State *L, int index, const char *symbol)
{
    const struct sal_value *value = sal_lua_value(L, index, SAL_EXPR);
    if (value) return value->is.expr;
    if (lua_type(L, index) != LUA_TNUMBER) refuse_operand(L, index, symbol);
    const double number = lua_tonumber(L, index);
    if (!isfinite(number))
        sal_lua_fail(L, "the number %s cannot be used in an expression: it is not finite",
                     sal_lua_odd_number(number));
    return sal_lua_literal(L, number);
}

/* Upvalues: the operation, its symbol. */
static int arithmetic(lua_State *L)
{
    const saltus_op   op = (saltus_op)lua_tointeger(L, lua_upvalueindex(1));
    const char       *symbol = lua_tostring(L, lua_upvalueindex(2));
    const saltus_expr a = operand(L, 1, symbol);
    const saltus_expr b = op == SALTUS_NEG ? (saltus_expr){0} : operand(L, 2, symbol);
    sal_lua_push_expr(L, sal_lua_apply(L, op, a, b));
    return 1;
}

/* Upvalue: the symbol. */
static int no_operator(lua_State *L)
{
    return sal_lua_fail(L,
                        "'%s' cannot be used on expressions: they are built of + - * / ^ and the "
                        "functions sin, cos, ...",
                        lua_tostring(L, lua_upvalueindex(1)));
}

static int no_comparison(lua_State *L)
{
    return sal_lua_fail(L,
                        "symbols have no value while the script is read: something that happens "
                        "is event(\"name\", {when = y, direction = \"falling\"}), a condition is "
                        "where = 1 - y, a choice made before is setting(...)");
}

static int concatenate(lua_State *L)
{
    sal_lua_to_text(L, 1, NULL);
    sal_lua_to_text(L, 2, NULL);
    lua_concat(L, 2);
    return 1;
}

static int to_text(lua_State *L)
{
    sal_lua_to_text(L, 1, NULL);
    return 1;
}

/* ---- fields and calls ----------------------------------------------------------------------- */

static int expr_field(lua_State *L)
{
    const char *key = sal_lua_to_text(L, 2, NULL);
    return sal_lua_fail(L, "an expression has no field '%s' (rates are written dot(x))%s", key,
                        sal_lua_hidden_word(L, 1));
}

/* B:point(u, v) */
static int body_point(lua_State *L)
{
    const struct sal_who    who = sal_lua_enter(L, "point of a body", 3);
    const struct sal_value *value = sal_lua_value(L, 1, SAL_BODY);
    if (!value) return sal_lua_fail(L, "write B:point(u, v), with a colon");
    const saltus_expr  u = sal_lua_expr(L, 2, who, "u");
    const saltus_expr  v = sal_lua_expr(L, 3, who, "v");
    const saltus_point point = saltus_body_point(sal_lua_begin(L), value->is.body, u, v);
    return sal_lua_give_value(L, (struct sal_value){SAL_POINT, {.point = point}}, 0);
}

/* Pushes a mode of a contact. */
static void push_contact_mode(lua_State *L, const saltus_contact *contact, saltus_mode mode,
                              const char *key)
{
    if (!mode.id)
        sal_lua_fail(L, "contact '%s' only bounces: it has no mode '%s' (give it settle=)",
                     contact->name, key);
    lua_pushfstring(L, "%s.%s", contact->name, key);
    sal_lua_push_value(L, (struct sal_value){SAL_MODE, {.mode = mode}}, lua_gettop(L));
}

/* Fields that are expressions. */
static const struct {
    enum sal_kind kind;
    const char   *key;
    size_t        at;
} fields[] = {
    {SAL_POINT, "x", offsetof(struct sal_value, is.point.x)},
    {SAL_POINT, "y", offsetof(struct sal_value, is.point.y)},
    {SAL_BODY, "x", offsetof(struct sal_value, is.body.x)},
    {SAL_BODY, "y", offsetof(struct sal_value, is.body.y)},
    {SAL_BODY, "angle", offsetof(struct sal_value, is.body.angle)},
    {SAL_CONTACT, "gap", offsetof(struct sal_value, is.contact.gap)},
};

static int value_field(lua_State *L)
{
    static const char *const has[SAL_KINDS] = {
        [SAL_POINT] = "a point has the fields x, y and name",
        [SAL_MODE] = "a mode has the field name",
        [SAL_BODY] = "a body has the fields x, y, angle, name and point(u, v)",
        [SAL_CONTACT] = "a contact has the fields gap, open, closed and name"};
    const struct sal_value *value = lua_touserdata(L, 1);
    const saltus_contact   *contact = value->kind == SAL_CONTACT ? &value->is.contact : NULL;
    const char             *key = sal_lua_to_text(L, 2, NULL);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].kind == value->kind && strcmp(fields[i].key, key) == 0) {
            saltus_expr expr;
            memcpy(&expr, (const char *)value + fields[i].at, sizeof expr);
            sal_lua_push_expr(L, expr);
            return 1;
        }
    if (strcmp(key, "name") == 0) lua_getiuservalue(L, 1, 1);
    else if (value->kind == SAL_BODY && strcmp(key, "point") == 0) lua_pushcfunction(L, body_point);
    else if (contact && strcmp(key, "open") == 0) push_contact_mode(L, contact, contact->open, key);
    else if (contact && strcmp(key, "closed") == 0)
        push_contact_mode(L, contact, contact->closed, key);
    else return sal_lua_fail(L, "%s, not '%s'%s", has[value->kind], key, sal_lua_hidden_word(L, 1));
    return 1;
}

static int no_assignment(lua_State *L)
{
    const char *what = sal_lua_describe(L, 1);
    return sal_lua_fail(L, "%s cannot be changed", what);
}

static int no_call(lua_State *L)
{
    const char *what = sal_lua_describe(L, 1);
    return sal_lua_fail(L, "%s cannot be called%s", what, sal_lua_hidden_word(L, 1));
}

static int no_length(lua_State *L)
{
    const char *what = sal_lua_describe(L, 1);
    return sal_lua_fail(L, "%s has no length", what);
}

/* ---- metatables ----------------------------------------------------------------------------- */

static void add_arithmetic(lua_State *L)
{
    static const struct {
        const char *event, *symbol;
        saltus_op   op;
    } rows[] = {
        {"__add", "+", SALTUS_ADD}, {"__sub", "-", SALTUS_SUB}, {"__mul", "*", SALTUS_MUL},
        {"__div", "/", SALTUS_DIV}, {"__pow", "^", SALTUS_POW}, {"__unm", "-", SALTUS_NEG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lua_pushinteger(L, (lua_Integer)rows[i].op);
        lua_pushstring(L, rows[i].symbol);
        lua_pushcclosure(L, arithmetic, 2);
        lua_setfield(L, -2, rows[i].event);
    }
}

static void add_no_operators(lua_State *L)
{
    static const char *const rows[][2] = {
        {"__mod", "%"},  {"__idiv", "//"}, {"__band", "&"}, {"__bor", "|"},
        {"__bxor", "~"}, {"__bnot", "~"},  {"__shl", "<<"}, {"__shr", ">>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lua_pushstring(L, rows[i][1]);
        lua_pushcclosure(L, no_operator, 1);
        lua_setfield(L, -2, rows[i][0]);
    }
}

/* Pushes a metatable with what all kinds have in common, under its name in the registry. */
static void push_metatable(lua_State *L, enum sal_kind kind, const char *name, lua_CFunction field)
{
    const luaL_Reg common[] = {
        {"__index", field},   {"__newindex", no_assignment}, {"__call", no_call},
        {"__len", no_length}, {"__concat", concatenate},     {"__tostring", to_text},
        {NULL, NULL},
    };
    lua_newtable(L);
    luaL_setfuncs(L, common, 0);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushstring(L, name); /* the result of getmetatable */
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key[kind]);
}

void sal_lua_open_values(lua_State *L)
{
    static const luaL_Reg comparisons[] = {
        {"__lt", no_comparison}, {"__le", no_comparison}, {"__eq", no_comparison}, {NULL, NULL}};
    push_metatable(L, SAL_EXPR, "expression", expr_field);
    add_arithmetic(L);
    add_no_operators(L);
    luaL_setfuncs(L, comparisons, 0);
    push_metatable(L, SAL_POINT, "point", value_field);
    add_arithmetic(L); /* raises for points, with a hint */
    push_metatable(L, SAL_MODE, "mode", value_field);
    push_metatable(L, SAL_BODY, "body", value_field);
    add_arithmetic(L); /* raises for bodies */
    push_metatable(L, SAL_CONTACT, "contact", value_field);
    lua_pop(L, SAL_KINDS);

    lua_newtable(L); /* expressions by number, with weak values */
    lua_newtable(L);
    lua_pushstring(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
}
