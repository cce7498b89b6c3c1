/* The keys of a table in a fixed order. Lua's own order depends on addresses and on a seed taken
 * from the clock; here numbers come first (ascending), then texts (bytewise), expressions, points,
 * modes, bodies and contacts (as they were made), false and true. Tables and functions as keys have
 * no order that is the same in every run: walking a table with such keys is an error. */
#include <stdlib.h>
#include <string.h>

#include "script/words/bind.h"

/* A key as C values, so that comparing needs no Lua. Texts are borrowed from the table. */
struct key {
    int         rank;  /* 0 number, 1 text, 2.. our values, then booleans */
    lua_Integer place; /* its place in the list of keys */
    lua_Integer integer;
    lua_Number  number;
    int         is_integer;
    const char *text;
    size_t      length;
};

static lua_Integer value_number(const struct sal_value *value)
{
    switch (value->kind) {
    case SAL_EXPR: return value->is.expr.id;
    case SAL_POINT: return value->is.point.x.id;
    case SAL_BODY: return value->is.body.x.id;
    case SAL_CONTACT: return value->is.contact.touch.id;
    default: return value->is.mode.id;
    }
}

static struct key read_key(lua_State *L, int index)
{
    struct key key = {0};
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        key.is_integer = lua_isinteger(L, index);
        key.integer = key.is_integer ? lua_tointeger(L, index) : 0;
        key.number = lua_tonumber(L, index);
        break;
    case LUA_TSTRING:
        key.rank = 1;
        key.text = lua_tolstring(L, index, &key.length);
        break;
    case LUA_TUSERDATA: {
        const struct sal_value *value = lua_touserdata(L, index);
        key.rank = 2 + (int)value->kind;
        key.is_integer = 1;
        key.integer = value_number(value);
        break;
    }
    case LUA_TBOOLEAN:
        key.rank = 2 + SAL_KINDS;
        key.is_integer = 1;
        key.integer = lua_toboolean(L, index);
        break;
    default:
        sal_lua_fail(L,
                     "pairs cannot walk a table that has %s as a key: there is no "
                     "order that is the same in every run",
                     sal_lua_describe(L, index));
    }
    return key;
}

static int compare_texts(const struct key *a, const struct key *b)
{
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int    order = memcmp(a->text, b->text, shorter);
    if (order != 0) return order;
    return (a->length > b->length) - (a->length < b->length);
}

/* Compares two numbers. Integers are compared as such, as large ones may differ where their doubles
 * do not. A float key is never integral unless it is too large to have a fraction, so an integer
 * and a float can be compared as doubles. */
static int compare_numbers(const struct key *a, const struct key *b)
{
    if (a->is_integer && b->is_integer)
        return (a->integer > b->integer) - (a->integer < b->integer);
    if (a->number != b->number) return a->number > b->number ? 1 : -1;
    return a->is_integer ? -1 : b->is_integer;
}

static int compare(const void *first, const void *second)
{
    const struct key *a = first, *b = second;
    if (a->rank != b->rank) return a->rank - b->rank;
    return a->rank == 1 ? compare_texts(a, b) : compare_numbers(a, b);
}

/* Sorts the keys, and charges for comparisons. Keys of lists are usually in order already. */
static void sort_keys(lua_State *L, struct key *keys, size_t count)
{
    size_t sorted = 1;
    while (sorted < count && compare(&keys[sorted - 1], &keys[sorted]) <= 0) sorted++;
    if (sorted >= count) return;
    for (size_t run = 1; run < count; run *= 2) sal_lua_charge(L, 4 * count);
    qsort(keys, count, sizeof *keys, compare);
}

static lua_Integer list_keys(lua_State *L, int table, int list)
{
    lua_Integer count = 0;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        sal_lua_charge(L, 10);
        lua_pushvalue(L, -1);
        lua_rawseti(L, list, ++count);
    }
    return count;
}

lua_Integer sal_lua_push_keys(lua_State *L, int table)
{
    table = lua_absindex(L, table);
    luaL_checkstack(L, 6, "too many values");
    lua_newtable(L); /* the result */
    lua_newtable(L); /* the keys as they come */
    const int         list = lua_gettop(L);
    const lua_Integer count = list_keys(L, table, list);
    struct key       *keys = lua_newuserdatauv(L, (size_t)count * sizeof *keys, 0);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, list, i + 1);
        keys[i] = read_key(L, -1);
        keys[i].place = i + 1;
        lua_pop(L, 1);
    }
    sort_keys(L, keys, (size_t)count);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, list, keys[i].place);
        lua_rawseti(L, list - 1, i + 1);
    }
    lua_settop(L, list - 1);
    return count;
}
