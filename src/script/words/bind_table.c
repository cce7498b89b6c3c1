/* Words that are tables of functions: joint, draw. For a misspelt member, the error suggests the
 * nearest one. */
#include <string.h>

#include "script/words/bind_element.h"
#include "script/words/words.h"

static const struct sal_word_table *table_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* Pushes "joint.a, joint.b and joint.c". */
static const char *push_names(lua_State *L, const struct sal_word_table *table)
{
    lua_pushstring(L, "");
    for (const luaL_Reg *f = table->functions; f->name; f++) {
        const char *before = f == table->functions ? "" : f[1].name ? ", " : " and ";
        lua_pushfstring(L, "%s%s.%s", before, table->word, f->name);
        lua_concat(L, 2);
    }
    return lua_tostring(L, -1);
}

enum { MAX_FUNCTIONS = 16 };

static int field(lua_State *L)
{
    const struct sal_word_table *table = table_of(L);
    const char                  *key = sal_lua_to_text(L, 2, NULL);
    const char                  *names[MAX_FUNCTIONS];
    int                          count = 0;
    for (const luaL_Reg *f = table->functions; f->name && count < MAX_FUNCTIONS; f++) {
        names[count++] = f->name;
        if (strcmp(key, f->name) != 0) continue;
        lua_pushcfunction(L, f->func);
        return 1;
    }
    const char *nearest = saltus_nearest(key, names, count);
    if (nearest)
        return sal_lua_fail(L, "there is no %s.%s, did you mean '%s.%s'?", table->word, key,
                            table->word, nearest);
    return sal_lua_fail(L, "there is no %s.%s; there are %s", table->word, key,
                        push_names(L, table));
}

static int assign(lua_State *L)
{
    return sal_lua_fail(L, "'%s' is a word of the model language and cannot be changed",
                        table_of(L)->word);
}

static int call(lua_State *L)
{
    const struct sal_word_table *table = table_of(L);
    return sal_lua_fail(L, "%s is %s: write %s, for example", table->word, table->what,
                        table->example);
}

void sal_lua_add_table(lua_State *L, const struct sal_word_table *table)
{
    static const luaL_Reg meta[] = {
        {"__index", field}, {"__newindex", assign}, {"__call", call}, {NULL, NULL}};
    union { /* Lua's light pointers are not const; the data are never written to */
        const struct sal_word_table *in;
        void                        *out;
    } pointer = {table};
    lua_newtable(L);
    luaL_newlibtable(L, meta);
    lua_pushlightuserdata(L, pointer.out);
    luaL_setfuncs(L, meta, 1);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, table->word);
}
