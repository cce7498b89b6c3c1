/* The word event: a guard, where it holds, and what happens. */
#include <string.h>

#include "script/bind.h"
#include "script/order.h"

static const char *const event_keys[] = {"when", "direction",   "from",   "to",   "where",
                                         "set",  "restitution", "charge", "stop", NULL};

static saltus_direction read_direction(lua_State *L, int options, struct sal_who who)
{
    const char *text = sal_lua_text_field(L, options, "direction", who);
    if (!text || strcmp(text, "any") == 0) return SALTUS_ANY;
    if (strcmp(text, "rising") == 0) return SALTUS_RISING;
    if (strcmp(text, "falling") != 0)
        sal_lua_fail_who(L, who, "direction must be 'falling', 'rising' or 'any', got '%s'", text);
    return SALTUS_FALLING;
}

static saltus_event new_event(lua_State *L, int options, struct sal_who who)
{
    const saltus_expr      when = sal_lua_expr_field(L, options, "when", who);
    const saltus_direction direction = read_direction(L, options, who);
    const saltus_modes     from = sal_lua_modes_field(L, options, "from", who);
    const saltus_modes     to = sal_lua_modes_field(L, options, "to", who);
    if (!when.id)
        sal_lua_fail_who(L, who, "when is missing: the expression whose zero is the event");
    const saltus_event event =
        saltus_event_new(sal_lua_begin(L), who.name, when, direction, from, to);
    sal_lua_finish(L);
    return event;
}

static void add_where(lua_State *L, int index, struct sal_who who, saltus_event event)
{
    const saltus_expr condition = sal_lua_expr(L, index, who, "where");
    saltus_event_where(sal_lua_begin(L), event, condition);
    sal_lua_finish(L);
}

static void read_where(lua_State *L, int options, struct sal_who who, saltus_event event)
{
    const int field = sal_lua_field(L, options, "where");
    if (!field) return;
    if (lua_type(L, field) != LUA_TTABLE) {
        add_where(L, field, who, event);
        return;
    }
    const lua_Unsigned count = lua_rawlen(L, field);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, field, (lua_Integer)i);
        add_where(L, lua_gettop(L), who, event);
        lua_pop(L, 1);
    }
}

/* Calls entry for each key and value of a table, in the fixed order; they are on top of the stack
 * then. */
static void each_entry(lua_State *L, int options, const char *key, struct sal_who who,
                       saltus_event event, void (*entry)(lua_State *, struct sal_who, saltus_event))
{
    const int field = sal_lua_field(L, options, key);
    if (!field) return;
    if (lua_type(L, field) != LUA_TTABLE)
        sal_lua_fail_who(L, who, "%s must be a table, got %s", key, sal_lua_describe(L, field));
    const lua_Integer count = sal_lua_push_keys(L, field);
    const int         keys = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, field);
        entry(L, who, event);
        lua_settop(L, keys);
    }
}

static void set_entry(lua_State *L, struct sal_who who, saltus_event event)
{
    const int key = lua_gettop(L) - 1;
    if (lua_type(L, key) == LUA_TSTRING)
        sal_lua_fail_who(L, who,
                         "set: '%s' is a text: write [%s] = ... with brackets and without "
                         "quotes",
                         lua_tostring(L, key), lua_tostring(L, key));
    const struct sal_value *target = sal_lua_value(L, key, SAL_EXPR);
    if (!target)
        sal_lua_fail_who(L, who,
                         "set: what is set must be a coordinate, a velocity or a memory, "
                         "got %s",
                         sal_lua_describe(L, key));
    const saltus_expr value = sal_lua_expr(L, key + 1, who, "a value of set");
    saltus_event_set(sal_lua_begin(L), event, target->is.expr, value);
    sal_lua_finish(L);
}

static void charge_entry(lua_State *L, struct sal_who who, saltus_event event)
{
    const int         key = lua_gettop(L) - 1;
    const char       *cost = sal_lua_text(L, key, who, "charge: the name of a cost");
    const saltus_expr value = sal_lua_expr(L, key + 1, who, "a charge");
    saltus_event_charge(sal_lua_begin(L), event, cost, value);
    sal_lua_finish(L);
}

static void read_restitution(lua_State *L, int options, struct sal_who who, saltus_event event)
{
    const saltus_expr e = sal_lua_expr_field(L, options, "restitution", who);
    if (!e.id) return;
    saltus_event_restitution(sal_lua_begin(L), event, e);
    sal_lua_finish(L);
}

static void read_stop(lua_State *L, int options, struct sal_who who, saltus_event event)
{
    const int field = sal_lua_field(L, options, "stop");
    if (!field) return;
    int         integral;
    lua_Integer occurrence = lua_tointegerx(L, field, &integral);
    if (lua_isboolean(L, field)) {
        if (!lua_toboolean(L, field)) return;
        occurrence = 1;
    } else if (lua_type(L, field) != LUA_TNUMBER || !integral || occurrence < 1 ||
               occurrence > 1000000000) {
        sal_lua_fail_who(L, who,
                         "stop must be true or the number of an occurrence (1, 2, ...), "
                         "got %s",
                         sal_lua_describe(L, field));
    }
    saltus_event_stop(sal_lua_begin(L), event, (int)occurrence);
    sal_lua_finish(L);
}

static int word_event(lua_State *L)
{
    struct sal_who who = {"event", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const int options = sal_lua_options(L, 2, who, event_keys, 0);
    if (!options)
        sal_lua_fail_who(L, who, "needs a table: event(\"%s\", {when = ..., ...})", who.name);
    const saltus_event event = new_event(L, options, who);
    read_where(L, options, who, event);
    each_entry(L, options, "set", who, event, set_entry);
    read_restitution(L, options, who, event);
    each_entry(L, options, "charge", who, event, charge_entry);
    read_stop(L, options, who, event);
    return 0;
}

void sal_lua_add_events(lua_State *L)
{
    lua_pushcfunction(L, word_event);
    lua_setfield(L, -2, "event");
}
