/* The word optimise{...}: which cost, over which parameters, subject to which limits. */
#include <math.h>

#include "script/words/bind.h"
#include "script/words/words.h"

/* Pushes an array in a userdata, which Lua frees. */
static void *new_list(lua_State *L, lua_Integer count, size_t size)
{
    return lua_newuserdatauv(L, (size_t)(count > 0 ? count : 1) * size, 0);
}

/* Reads the list of names over = {"a", "u*"}, or one name. The table of options keeps the texts
 * alive. */
static const char **read_over(lua_State *L, int options, struct sal_who who, int *count)
{
    const int field = sal_lua_field(L, options, "over");
    *count = 0;
    if (!field) return NULL;
    if (lua_type(L, field) == LUA_TSTRING) {
        const char **one = new_list(L, 1, sizeof *one);
        one[(*count)++] = sal_lua_text(L, field, who, "over");
        return one;
    }
    sal_lua_table_field(L, options, "over", who, "a list of names");
    const lua_Integer length = (lua_Integer)sal_lua_length(L, field, "over");
    const char      **names = new_list(L, length, sizeof *names);
    for (lua_Integer i = 1; i <= length; i++) {
        lua_rawgeti(L, field, i);
        names[(*count)++] = sal_lua_text(L, -1, who, "a name in over");
        lua_pop(L, 1);
    }
    return names;
}

/* Reads the limit on top of the stack: {"x_end", equals = 1}, {"peak", max = 250} or
 * {"clear", min = 0}. */
static saltus_limit read_limit(lua_State *L, struct sal_who who)
{
    const int table = lua_gettop(L);
    if (lua_type(L, table) != LUA_TTABLE)
        sal_lua_fail_who(
            L, who, "subject_to is a list like {{\"x_end\", equals = 1}, {\"peak\", max = 250}}");
    sal_lua_options(L, table, who, "equals min max", 1);
    lua_rawgeti(L, table, 1);
    const char *cost = sal_lua_text(L, -1, who, "the cost in subject_to");
    lua_pop(L, 1);
    const double equals = sal_lua_number_field(L, table, "equals", who, NAN, NULL);
    saltus_limit limit = {cost, sal_lua_number_field(L, table, "min", who, -INFINITY, NULL),
                          sal_lua_number_field(L, table, "max", who, INFINITY, NULL)};
    const int    is_range = isfinite(limit.lower) || isfinite(limit.upper);
    if (isnan(equals) == !is_range)
        sal_lua_fail_who(L, who, "subject_to '%s' needs either equals, or min or max", cost);
    if (!is_range) limit.lower = limit.upper = equals;
    return limit;
}

static saltus_limit *read_limits(lua_State *L, int options, struct sal_who who, int *count)
{
    const int field = sal_lua_table_field(L, options, "subject_to", who, "a list");
    *count = 0;
    if (!field) return NULL;
    const lua_Integer length = (lua_Integer)sal_lua_length(L, field, "subject_to");
    saltus_limit     *limits = new_list(L, length, sizeof *limits);
    const int         top = lua_gettop(L);
    for (lua_Integer i = 1; i <= length; i++) {
        lua_rawgeti(L, field, i);
        limits[(*count)++] = read_limit(L, who);
        lua_settop(L, top);
    }
    return limits;
}

/* Reads a whole number up to `most`; 0 if it is absent. */
static int read_count(lua_State *L, int options, const char *key, int most, struct sal_who who)
{
    const int field = sal_lua_field(L, options, key);
    if (!field) return 0;
    const double count = sal_lua_number(L, field, who, key);
    if (!(count >= 1.0 && count <= most) || count != floor(count))
        sal_lua_fail_who(L, who, "%s must be a whole number from 1 to %d", key, most);
    return (int)count;
}

int sal_word_optimise(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "optimise", 1);
    const int            options =
        sal_lua_options(L, 1, who, "minimise over subject_to starts sequences shooting engine", 0);
    if (!options) sal_lua_fail_who(L, who, "needs a table: optimise{minimise = ..., over = {...}}");
    saltus_goal goal = {0};
    goal.minimise = sal_lua_text_field(L, options, "minimise", who);
    goal.over = read_over(L, options, who, &goal.over_count);
    goal.limits = read_limits(L, options, who, &goal.limit_count);
    goal.starts = read_count(L, options, "starts", SALTUS_STARTS, who);
    goal.shooting = read_count(L, options, "shooting", SALTUS_INTERVALS, who);
    goal.sequences = (saltus_sequences)sal_lua_choice_field(
        L, options, "sequences", who, "keep free search",
        "sequences must be \"keep\", \"free\" or \"search\", not \"%s\"");
    goal.engine = (saltus_engine)sal_lua_choice_field(
        L, options, "engine", who, "sqp nlopt ipopt",
        "engine must be \"sqp\", \"nlopt\" or \"ipopt\", not \"%s\"");
    saltus_model_set_goal(sal_lua_begin(L), &goal);
    return sal_lua_finish(L);
}
