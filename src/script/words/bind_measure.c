/* Words for what is measured and how it is computed: cost, output, horizon, solver. */
#include <stdio.h>
#include <string.h>

#include "saltus/sim.h"
#include "script/words/bind.h"
#include "script/words/sorted_pairs.h"

static int word_cost(lua_State *L)
{
    static const char *const keys[] = {"integral", "final", "unit", "doc", NULL};
    struct sal_who           who = {"cost", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    if (sal_lua_value(L, 2, SAL_EXPR))
        sal_lua_fail_who(L, who, "say what the expression is: {integral = ...} or {final = ...}");
    const int         options = sal_lua_options(L, 2, who, keys, 0);
    const saltus_expr integral = sal_lua_expr_field(L, options, "integral", who);
    const saltus_expr final = sal_lua_expr_field(L, options, "final", who);
    const char       *unit = sal_lua_text_field(L, options, "unit", who);
    const char       *doc = sal_lua_text_field(L, options, "doc", who);
    saltus_cost(sal_lua_begin(L), who.name, integral, final, unit, doc);
    sal_lua_finish(L);
    return 0;
}

static int word_output(lua_State *L)
{
    static const char *const keys[] = {"unit", "doc", NULL};
    struct sal_who           who = {"output", NULL};
    sal_lua_enter(L, who, 3);
    who.name = sal_lua_text(L, 1, who, "the name");
    const saltus_expr e = sal_lua_expr(L, 2, who, "the value");
    const int         options = sal_lua_options(L, 3, who, keys, 0);
    const char       *unit = sal_lua_text_field(L, options, "unit", who);
    const char       *doc = sal_lua_text_field(L, options, "doc", who);
    saltus_output(sal_lua_begin(L), who.name, e, unit, doc);
    sal_lua_finish(L);
    return 0;
}

static int word_horizon(lua_State *L)
{
    const struct sal_who who = {"horizon", NULL};
    sal_lua_enter(L, who, 2);
    const double      start = sal_lua_number(L, 1, who, "the start");
    const saltus_expr end = sal_lua_expr(L, 2, who, "the end");
    saltus_horizon(sal_lua_begin(L), start, end);
    sal_lua_finish(L);
    return 0;
}

/* ---- solver --------------------------------------------------------------------------------- */

/* tol means both tolerances; it comes first, so that rtol or atol beside it wins. */
static const char *const solver_keys[] = {
    "tol",
    "formulation",
    "backend",
#define OPTION_NAME(name, kind, text) #name,
    SALTUS_OPTION_LIST(OPTION_NAME)
#undef OPTION_NAME
        NULL,
};

/* `given` is what the script wrote: the name, or tol. */
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

static int word_solver(lua_State *L)
{
    const struct sal_who who = {"solver", NULL};
    sal_lua_enter(L, who, 1);
    if (!sal_lua_options(L, 1, who, solver_keys, 0))
        sal_lua_fail_who(L, who, "needs a table: solver{rtol = ..., ...}");
    for (int i = 0; solver_keys[i]; i++) {
        const int field = sal_lua_field(L, 1, solver_keys[i]);
        if (!field) continue;
        const char *text = option_text(L, field, who, solver_keys[i]);
        if (strcmp(solver_keys[i], "tol") == 0) {
            set_option(L, who, "rtol", "tol", text);
            set_option(L, who, "atol", "tol", text);
        } else {
            set_option(L, who, solver_keys[i], solver_keys[i], text);
        }
    }
    return 0;
}

void sal_lua_add_measures(lua_State *L)
{
    static const luaL_Reg words[] = {
        {"cost", word_cost},
        {"output", word_output},
        {"horizon", word_horizon},
        {"solver", word_solver},
        {NULL, NULL},
    };
    luaL_setfuncs(L, words, 0);
}
