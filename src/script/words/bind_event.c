/* The word event: a guard, its conditions, and the effects. */
#include "script/words/bind.h"
#include "script/words/words.h"

static const char event_keys[] =
    "when direction from to where set restitution charge stop enter every phase after delay";

/* Makes an event at times known in advance, which has no `when`. */
static saltus_event new_timer(lua_State *L, int options, struct sal_who who)
{
    const saltus_expr  every = sal_lua_expr_field(L, options, "every", who);
    const saltus_expr  phase = sal_lua_expr_field(L, options, "phase", who);
    const char        *after = sal_lua_prefixed(L, sal_lua_text_field(L, options, "after", who));
    const saltus_expr  delay = sal_lua_expr_field(L, options, "delay", who);
    const saltus_modes from = sal_lua_modes_field(L, options, "from", who);
    const saltus_modes to = sal_lua_modes_field(L, options, "to", who);
    if (every.id && (after || delay.id))
        sal_lua_fail_who(L, who, "give every=, or after= and delay=, not both");
    if (!every.id && (!after || !delay.id))
        sal_lua_fail_who(L, who, "after = \"name\" and delay = d belong together");
    if (sal_lua_field(L, options, "when") || sal_lua_field(L, options, "direction"))
        sal_lua_fail_who(L, who, "has a time already: leave when and direction out");
    const saltus_event event =
        every.id ? saltus_event_every(sal_lua_begin(L), who.name, every, phase, from, to)
                 : saltus_event_after(sal_lua_begin(L), who.name, after, delay, from, to);
    sal_lua_finish(L);
    return event;
}

static int is_timer(lua_State *L, int options)
{
    return sal_lua_field(L, options, "every") || sal_lua_field(L, options, "after") ||
           sal_lua_field(L, options, "delay");
}

static saltus_event new_event(lua_State *L, int options, struct sal_who who)
{
    if (is_timer(L, options)) return new_timer(L, options, who);
    if (sal_lua_field(L, options, "phase"))
        sal_lua_fail_who(L, who, "phase belongs to every = ..., which is missing");
    const saltus_expr when = sal_lua_expr_field(L, options, "when", who);
    const int         direction =
        sal_lua_choice_field(L, options, "direction", who, "any rising falling",
                             "direction must be 'falling', 'rising' or 'any', got '%s'");
    const saltus_modes from = sal_lua_modes_field(L, options, "from", who);
    const saltus_modes to = sal_lua_modes_field(L, options, "to", who);
    if (!when.id)
        sal_lua_fail_who(L, who, "when is missing: the expression whose zero is the event");
    const saltus_event event =
        saltus_event_new(sal_lua_begin(L), who.name, when, (saltus_direction)direction, from, to);
    sal_lua_finish(L);
    return event;
}

static void where_entry(lua_State *L, struct sal_who who, const void *event)
{
    const saltus_expr condition = sal_lua_expr(L, lua_gettop(L), who, "where");
    saltus_event_where(sal_lua_begin(L), *(const saltus_event *)event, condition);
    sal_lua_finish(L);
}

static void set_entry(lua_State *L, struct sal_who who, const void *event)
{
    const saltus_expr target = sal_lua_key_expr(
        L, who, "set: ", "what is set must be a coordinate, a velocity or a memory");
    const saltus_expr value = sal_lua_expr(L, lua_gettop(L), who, "a value of set");
    saltus_event_set(sal_lua_begin(L), *(const saltus_event *)event, target, value);
    sal_lua_finish(L);
}

static void charge_entry(lua_State *L, struct sal_who who, const void *event)
{
    saltus_expr value;
    const char *cost = sal_lua_charge_entry(L, who, &value);
    saltus_event_charge(sal_lua_begin(L), *(const saltus_event *)event, cost, value);
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

static void read_enter(lua_State *L, int options, struct sal_who who, saltus_event event)
{
    if (!sal_lua_field(L, options, "enter")) return;
    const int waits = sal_lua_choice_field(L, options, "enter", who, "fire wait",
                                           "enter must be 'fire' or 'wait', got '%s'");
    saltus_event_enter(sal_lua_begin(L), event, waits ? SALTUS_ENTER_WAIT : SALTUS_ENTER_FIRE);
    sal_lua_finish(L);
}

int sal_word_event(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "event", 2);
    const int            options = sal_lua_options(L, 2, who, event_keys, 0);
    if (!options)
        sal_lua_fail_who(L, who, "needs a table: event(\"%s\", {when = ..., ...})", who.name);
    const saltus_event event = new_event(L, options, who);
    sal_lua_each_condition(L, options, "where", who, where_entry, &event);
    sal_lua_each_entry(L, options, "set", who, set_entry, &event);
    read_restitution(L, options, who, event);
    sal_lua_each_entry(L, options, "charge", who, charge_entry, &event);
    read_stop(L, options, who, event);
    read_enter(L, options, who, event);
    return 0;
}
