/* The library `table`: lists under the limits of the sandbox. Each element touched is charged. sort
 * is a merge sort: it is stable, needs no random numbers, and ends whatever the comparison
 * returns. */
#include <limits.h>

#include <lualib.h>

#include "script/sandbox/sandbox.h"
#include "script/stdlib/stdlib.h"

enum { STEPS_PER_ELEMENT = 3, STEPS_PER_COMPARISON = 12, UNPACK_MAX = 100000 };

static lua_Integer length_of_list(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return luaL_len(L, 1);
}

static void move_element(lua_State *L, int from, lua_Integer i, int to, lua_Integer j)
{
    sal_lua_charge(L, STEPS_PER_ELEMENT);
    lua_geti(L, from, i);
    lua_seti(L, to, j);
}

/* Raises unless the place is in the list or just after its end. */
static void check_place(lua_State *L, lua_Integer place, lua_Integer length)
{
    luaL_argcheck(L, (lua_Unsigned)place - 1u <= (lua_Unsigned)length, 2, "position out of bounds");
}

static int list_insert(lua_State *L)
{
    const lua_Integer length = length_of_list(L);
    if (lua_gettop(L) == 3) {
        const lua_Integer place = luaL_checkinteger(L, 2);
        check_place(L, place, length);
        sal_lua_charge(L, STEPS_PER_ELEMENT * (size_t)(length - place + 1));
    } else if (lua_gettop(L) != 2) {
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    return sal_lua_call_own(L);
}

static int list_remove(lua_State *L)
{
    const lua_Integer length = length_of_list(L), place = luaL_optinteger(L, 2, length);
    if (place != length) check_place(L, place, length); /* the length is 0 for an empty list */
    sal_lua_charge(L, STEPS_PER_ELEMENT * (size_t)(length - place + 1));
    return sal_lua_call_own(L);
}

static int list_concat(lua_State *L)
{
    size_t            between;
    luaL_Buffer       result;
    const lua_Integer length = length_of_list(L);
    const char       *separator = luaL_optlstring(L, 2, "", &between);
    const lua_Integer first = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, length);
    luaL_buffinit(L, &result);
    for (lua_Integer i = first; i <= last; i++) {
        sal_lua_charge(L, STEPS_PER_ELEMENT);
        lua_geti(L, 1, i);
        if (!lua_isstring(L, -1))
            luaL_error(L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
        luaL_addvalue(&result);
        if (luaL_bufflen(&result) > SAL_TEXT_MAX) sal_lua_stop(L, SAL_STOP_TEXT);
        if (i == last) break; /* last may be the largest integer */
        luaL_addlstring(&result, separator, between);
    }
    luaL_pushresult(&result);
    return 1;
}

static int list_unpack(lua_State *L)
{
    const lua_Integer first = luaL_optinteger(L, 2, 1);
    const lua_Integer last = lua_isnoneornil(L, 3) ? length_of_list(L) : luaL_checkinteger(L, 3);
    if (first > last) return 0;
    const lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
    if (count >= UNPACK_MAX || !lua_checkstack(L, (int)count + 1))
        return luaL_error(L, "too many results to unpack");
    sal_lua_charge(L, STEPS_PER_ELEMENT * (size_t)count);
    return sal_lua_call_own(L);
}

/* ---- sort ----------------------------------------------------------------------------------- */

/* Stack of sort: the list, the comparison or nil, and two scratch lists. */
enum { LIST = 1, COMPARISON = 2, SCRATCH = 3 };

/* Whether element j of the list at that index belongs before element i. */
static int belongs_before(lua_State *L, int list, lua_Integer j, lua_Integer i)
{
    int result;
    sal_lua_charge(L, STEPS_PER_COMPARISON);
    if (lua_isnil(L, COMPARISON)) {
        lua_rawgeti(L, list, j);
        lua_rawgeti(L, list, i);
        result = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
    } else {
        lua_pushvalue(L, COMPARISON);
        lua_rawgeti(L, list, j);
        lua_rawgeti(L, list, i);
        lua_call(L, 2, 1);
        result = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    return result;
}

/* Merges the sorted runs [start, middle) and [middle, end) of one list into the other. */
static void merge(lua_State *L, int from, int to, lua_Integer start, lua_Integer middle,
                  lua_Integer end)
{
    lua_Integer i = start, j = middle;
    for (lua_Integer k = start; k < end; k++) {
        const int second = i >= middle || (j < end && belongs_before(L, from, j, i));
        lua_rawgeti(L, from, second ? j++ : i++);
        lua_rawseti(L, to, k);
    }
}

static int list_sort(lua_State *L)
{
    const lua_Integer length = length_of_list(L);
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    luaL_argcheck(L, length < INT_MAX, 1, "array too big");
    lua_settop(L, 2);
    lua_newtable(L);
    lua_newtable(L);
    for (lua_Integer i = 1; i <= length; i++) move_element(L, LIST, i, SCRATCH, i);
    int from = SCRATCH, to = SCRATCH + 1;
    for (lua_Integer run = 1; run < length; run *= 2) {
        for (lua_Integer start = 1; start <= length; start += 2 * run) {
            const lua_Integer middle = start + run <= length ? start + run : length + 1;
            const lua_Integer end = start + 2 * run <= length ? start + 2 * run : length + 1;
            merge(L, from, to, start, middle, end);
        }
        const int swap = from;
        from = to;
        to = swap;
    }
    for (lua_Integer i = 1; i <= length; i++) move_element(L, from, i, LIST, i);
    return 0;
}

void sal_lua_add_list(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"concat", list_concat}, {"insert", list_insert}, {"remove", list_remove},
        {"sort", list_sort},     {"unpack", list_unpack}, {NULL, NULL},
    };
    lua_newtable(L);
    lua_pushcfunction(L, luaopen_table);
    lua_call(L, 0, 1);
    sal_lua_take(L, functions);
    sal_lua_answer_missing(L, "table");
    lua_setfield(L, -2, "table");
}
