/* Words for what is measured and how it is computed: cost, output, periodic, horizon,
 * solver. */
#include <stdio.h>
#include <string.h>

#include "saltus/sim.h"
#include "script/words/bind.h"
#include "script/words/words.h"

/* Returns what is sampled at each of the times: the result of each(k), or one expression at all
 * times. */
static const saltus_expr *sampled(lua_State *L, int options, struct sal_who who, int count)
{
    saltus_expr      *values = lua_newuserdatauv(L, (size_t)count * sizeof *values, 0);
    const int         each = sal_lua_field(L, options, "each");
    const saltus_expr of = sal_lua_expr_field(L, options, "of", who);
    if (!each == !of.id)
        sal_lua_fail_who(L, who,
                         "at = {...} needs of = an expression, the same at all times, or each = "
                         "function(k) ... end, one for the k-th time");
    if (each && lua_type(L, each) != LUA_TFUNCTION)
        sal_lua_fail_who(L, who, "each must be a function, got %s", sal_lua_describe(L, each));
    for (int k = 0; k < count; k++) {
        values[k] = of;
        if (!each) continue;
        lua_pushvalue(L, each);
        lua_pushinteger(L, k + 1);
        lua_call(L, 1, 1);
        values[k] = sal_lua_expr(L, lua_gettop(L), who, "the result of each");
        lua_pop(L, 1);
    }
    return values;
}

static void read_samples(lua_State *L, int options, struct sal_who who)
{
    int                count;
    const saltus_expr *times = sal_lua_exprs_field(L, options, "at", who, &count);
    if (!times && (sal_lua_field(L, options, "each") || sal_lua_field(L, options, "of")))
        sal_lua_fail_who(L, who, "has no times: at = {...}");
    if (!times) return;
    const saltus_expr *values = sampled(L, options, who, count);
    saltus_cost_at(sal_lua_begin(L), who.name, times, values, count);
    sal_lua_finish(L);
}

/* Reads a cost that is the largest or smallest value along the motion. */
static void read_peak(lua_State *L, int options, struct sal_who who)
{
    const saltus_expr most = sal_lua_expr_field(L, options, "max", who);
    const saltus_expr least = sal_lua_expr_field(L, options, "min", who);
    if (most.id && least.id)
        sal_lua_fail_who(L, who, "has max= and min=: declare two costs, one for each");
    if (!most.id && !least.id) return;
    if (most.id) saltus_cost_max(sal_lua_begin(L), who.name, most);
    else saltus_cost_min(sal_lua_begin(L), who.name, least);
    sal_lua_finish(L);
}

int sal_word_cost(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "cost", 2);
    if (sal_lua_value(L, 2, SAL_EXPR))
        sal_lua_fail_who(L, who,
                         "say what the expression is: {integral = ...}, {final = ...}, {max = "
                         "...} or {min = ...}");
    const int options = sal_lua_options(L, 2, who, "integral final max min at each of unit doc", 0);
    const saltus_expr integral = sal_lua_expr_field(L, options, "integral", who);
    const saltus_expr final = sal_lua_expr_field(L, options, "final", who);
    const char       *unit = sal_lua_text_field(L, options, "unit", who);
    const char       *doc = sal_lua_text_field(L, options, "doc", who);
    saltus_cost(sal_lua_begin(L), who.name, integral, final, unit, doc);
    sal_lua_finish(L);
    read_peak(L, options, who);
    read_samples(L, options, who);
    return 0;
}

int sal_word_output(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "output", 3);
    const saltus_expr    e = sal_lua_expr(L, 2, who, "the value");
    const int            options = sal_lua_options(L, 3, who, "unit doc", 0);
    const char          *unit = sal_lua_text_field(L, options, "unit", who);
    const char          *doc = sal_lua_text_field(L, options, "doc", who);
    saltus_output(sal_lua_begin(L), who.name, e, unit, doc);
    return sal_lua_finish(L);
}

/* Reads the entry on top of the stack: a parameter and its value at the end of the period. */
static void periodic_entry(lua_State *L, struct sal_who who, const void *context)
{
    const saltus_expr param = sal_lua_key_expr(
        L, who, "", "a key must be a parameter that determines start values, as in [x0] = x");
    const saltus_expr final = sal_lua_expr(L, lua_gettop(L), who, "a final value");
    (void)context;
    saltus_repeats(sal_lua_begin(L), param, final);
    sal_lua_finish(L);
}

int sal_word_periodic(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "periodic", 1);
    if (lua_type(L, 1) != LUA_TTABLE)
        sal_lua_fail_who(L, who,
                         "needs a table of start parameters and what they are at the end: "
                         "periodic{[x0] = x, ...}");
    if (sal_lua_each_pair(L, 1, who, periodic_entry, NULL) == 0)
        sal_lua_fail_who(L, who, "the table is empty: periodic{[x0] = x, ...}");
    return 0;
}

int sal_word_horizon(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "horizon", 2);
    const double         start = sal_lua_number(L, 1, who, "the start");
    const saltus_expr    end = sal_lua_expr(L, 2, who, "the end");
    saltus_horizon(sal_lua_begin(L), start, end);
    return sal_lua_finish(L);
}

/* ---- solver --------------------------------------------------------------------------------- */

/* tol sets both tolerances. It comes first, so that rtol or atol override it. */
static const char solver_keys[] = "tol formulation backend"
#define OPTION_NAME(name, kind, text) " " #name
    SALTUS_OPTION_LIST(OPTION_NAME)
#undef OPTION_NAME
    ;

/* Sets an option of the solver. `given` is the key in the script: the name, or tol. */
static void set_option(lua_State *L, struct sal_who who, const char *name, const char *given,
                       const char *text)
{
    saltus_error err = {0};
    const size_t length = strlen(name);
    saltus_options_set(saltus_model_options(sal_lua_begin(L)), name, text, &err);
    if (err.status == SALTUS_OK) return;
    if (strncmp(err.message, name, length) == 0)
        sal_lua_fail_who(L, who, "%s%s", given, err.message + length);
    sal_lua_fail_who(L, who, "%s", err.message);
}

/* Pushes the text of the option's value at that index. */
static const char *option_text(lua_State *L, int index, struct sal_who who, const char *name)
{
    char text[40];
    if (lua_type(L, index) == LUA_TSTRING)
        return lua_pushstring(L, sal_lua_text(L, index, who, name));
    if (lua_type(L, index) != LUA_TNUMBER)
        sal_lua_fail_who(L, who, "%s must be a number or a name, got %s", name,
                         sal_lua_describe(L, index));
    if (lua_isinteger(L, index))
        snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, index));
    else snprintf(text, sizeof text, "%.17g", sal_lua_number(L, index, who, name));
    return lua_pushstring(L, text);
}

int sal_word_solver(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "solver", 1);
    if (!sal_lua_options(L, 1, who, solver_keys, 0))
        sal_lua_fail_who(L, who, "needs a table: solver{rtol = ..., ...}");
    char        key[SAL_KEY_MAX];
    const char *keys = solver_keys;
    while (sal_lua_next_key(&keys, key)) {
        const int field = sal_lua_field(L, 1, key);
        if (!field) continue;
        const char *text = option_text(L, field, who, key);
        const int   both = strcmp(key, "tol") == 0;
        set_option(L, who, both ? "rtol" : key, key, text);
        if (both) set_option(L, who, "atol", key, text);
    }
    return 0;
}
