/* Words for functions that jump or come from a table: step, pulse, mod, curve. */
#include <math.h>

#include "script/words/bind.h"
#include "script/words/words.h"

/* Pushes the expression, or a number if it is constant. */
static int give_value(lua_State *L, saltus_expr e)
{
    double value;
    sal_lua_finish(L);
    if (saltus_expr_number(sal_lua_begin(L), e, &value)) lua_pushnumber(L, value);
    else sal_lua_push_expr(L, e);
    return 1;
}

/* Returns an optional argument; null if it is absent. */
static saltus_expr optional(lua_State *L, int index, struct sal_who who, const char *what)
{
    return lua_isnoneornil(L, index) ? (saltus_expr){0} : sal_lua_expr(L, index, who, what);
}

int sal_word_step(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "step", 2);
    const saltus_expr    x = sal_lua_expr(L, 1, who, "the first argument");
    const saltus_expr    width = optional(L, 2, who, "the width");
    return give_value(L, saltus_step(sal_lua_begin(L), x, width));
}

int sal_word_pulse(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "pulse", 4);
    const saltus_expr    x = sal_lua_expr(L, 1, who, "the first argument");
    const saltus_expr    from = sal_lua_expr(L, 2, who, "the start");
    const saltus_expr    to = sal_lua_expr(L, 3, who, "the end");
    const saltus_expr    width = optional(L, 4, who, "the width");
    return give_value(L, saltus_pulse(sal_lua_begin(L), x, from, to, width));
}

int sal_word_mod(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "mod", 3);
    if (lua_type(L, 1) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER && lua_isnoneornil(L, 3)) {
        const double x = sal_lua_number(L, 1, who, "the first argument");
        const double period = sal_lua_number(L, 2, who, "the period");
        if (!(period > 0.0)) sal_lua_fail_who(L, who, "the period must be positive");
        lua_pushnumber(L, x - period * floor(x / period));
        return 1;
    }
    const saltus_expr x = sal_lua_expr(L, 1, who, "the first argument");
    const saltus_expr period = sal_lua_expr(L, 2, who, "the period");
    const saltus_expr width = optional(L, 3, who, "the width");
    return give_value(L, saltus_mod(sal_lua_begin(L), x, period, width));
}

/* ---- curves --------------------------------------------------------------------------------- */

/* Pushes an option that is a list and returns its index; writes its length. It stays on the
 * stack. */
static int list_field(lua_State *L, int options, const char *key, struct sal_who who, int *count)
{
    const int field = sal_lua_table_field(L, options, key, who, "a list of numbers");
    if (!field) sal_lua_fail_who(L, who, "%s is missing: a list of numbers", key);
    const lua_Unsigned length = sal_lua_length(L, field, key);
    if (length > SALTUS_CURVE_PLACES)
        sal_lua_fail_who(L, who, "%s has more than %d entries", key, SALTUS_CURVE_PLACES);
    *count = (int)length;
    return field;
}

/* A curve as a function. Upvalues 1 to 3 are its places, its values and its definition. */
static int use_curve(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "a curve", 1);
    const saltus_expr    x = sal_lua_expr(L, 1, who, "the argument");
    saltus_curve_def     def = *(const saltus_curve_def *)lua_touserdata(L, lua_upvalueindex(3));
    def.x = lua_touserdata(L, lua_upvalueindex(1));
    def.y = lua_touserdata(L, lua_upvalueindex(2));
    return give_value(L, saltus_curve(sal_lua_begin(L), x, &def));
}

/* Reads places and values into arrays, which stay on the stack. */
static saltus_curve_def read_table(lua_State *L, int options, struct sal_who who)
{
    int          count, values;
    const int    places = list_field(L, options, "x", who, &count);
    const int    list = list_field(L, options, "y", who, &values);
    double      *x = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *x, 0);
    saltus_expr *y = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *y, 0);
    if (count != values) sal_lua_fail_who(L, who, "x has %d entries, but y has %d", count, values);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, places, i + 1);
        lua_rawgeti(L, list, i + 1);
        x[i] = sal_lua_number(L, lua_gettop(L) - 1, who, "an entry of x");
        y[i] = sal_lua_expr(L, lua_gettop(L), who, "an entry of y");
        lua_pop(L, 2);
    }
    return (saltus_curve_def){.x = x, .y = y, .count = count};
}

int sal_word_curve(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "curve", 1);
    const int            options = sal_lua_options(L, 1, who, "x y kind ends", 0);
    if (!options) sal_lua_fail_who(L, who, "x is missing: a list of numbers");
    const int kind =
        sal_lua_choice_field(L, options, "kind", who, "linear cubic periodic",
                             "kind = \"%s\"; it must be one of: linear cubic periodic");
    const int ends =
        sal_lua_choice_field(L, options, "ends", who, "hold extrapolate stop",
                             "ends = \"%s\"; it must be one of: hold extrapolate stop");
    saltus_curve_def def = read_table(L, options, who);
    def.kind = (saltus_curve_kind)kind;
    def.ends = (saltus_curve_ends)ends;
    /* raises here for a wrong table, rather than at its first use */
    saltus_model *model = sal_lua_begin(L);
    saltus_curve(model, saltus_number(model, 0.0),
                 &(saltus_curve_def){.x = def.x, .y = def.y, .count = def.count, .kind = def.kind});
    sal_lua_finish(L);
    saltus_curve_def *kept = lua_newuserdatauv(L, sizeof *kept, 0);
    *kept = def;
    lua_pushcclosure(L, use_curve, 3);
    return 1;
}
