/* The word optimise{...}: which cost, over which parameters, subject to which limits. */
#include <math.h>
#include <string.h>

#include "script/words/bind.h"
#include "script/words/words.h"

/* A list of rows in a userdata, which Lua frees. */
static void *new_list(lua_State *L, lua_Integer count, size_t size)
{
    return lua_newuserdatauv(L, (size_t)(count > 0 ? count : 1) * size, 0);
}

/* The list of names over = {"a", "u*"}, or one name. Texts stay alive in the table of options. */
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
    if (lua_type(L, field) != LUA_TTABLE)
        sal_lua_fail_who(L, who, "over must be a list of names, got %s",
                         sal_lua_describe(L, field));
    const lua_Integer length = (lua_Integer)lua_rawlen(L, field);
    const char      **names = new_list(L, length, sizeof *names);
    for (lua_Integer i = 1; i <= length; i++) {
        lua_rawgeti(L, field, i);
        names[(*count)++] = sal_lua_text(L, -1, who, "a name in over");
        lua_pop(L, 1);
    }
    return names;
}

/* A number of a limit; `missing` if it is not there. */
static double read_bound(lua_State *L, int table, const char *key, struct sal_who who,
                         double missing)
{
    const int    field = sal_lua_field(L, table, key);
    const double bound = field ? sal_lua_number(L, field, who, key) : missing;
    if (field) lua_pop(L, 1);
    return bound;
}

/* {"x_end", equals = 1}, {"peak", max = 250}, {"clear", min = 0}; it is on top of the stack. */
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
    const double equals = read_bound(L, table, "equals", who, NAN);
    saltus_limit limit = {cost, read_bound(L, table, "min", who, -INFINITY),
                          read_bound(L, table, "max", who, INFINITY)};
    const int    is_range = isfinite(limit.lower) || isfinite(limit.upper);
    if (isnan(equals) == !is_range)
        sal_lua_fail_who(L, who, "subject_to '%s' needs either equals, or min or max", cost);
    if (!is_range) limit.lower = limit.upper = equals;
    return limit;
}

static saltus_limit *read_limits(lua_State *L, int options, struct sal_who who, int *count)
{
    const int field = sal_lua_field(L, options, "subject_to");
    *count = 0;
    if (!field) return NULL;
    if (lua_type(L, field) != LUA_TTABLE)
        sal_lua_fail_who(L, who, "subject_to must be a list, got %s", sal_lua_describe(L, field));
    const lua_Integer length = (lua_Integer)lua_rawlen(L, field);
    saltus_limit     *limits = new_list(L, length, sizeof *limits);
    for (lua_Integer i = 1; i <= length; i++) {
        lua_rawgeti(L, field, i);
        limits[(*count)++] = read_limit(L, who);
        lua_pop(L, 1);
    }
    return limits;
}

static saltus_sequences read_sequences(lua_State *L, int options, struct sal_who who)
{
    const char *text = sal_lua_text_field(L, options, "sequences", who);
    if (!text || strcmp(text, "keep") == 0) return SALTUS_KEEP_SEQUENCE;
    if (strcmp(text, "free") == 0) return SALTUS_FREE_SEQUENCE;
    if (strcmp(text, "search") != 0)
        sal_lua_fail_who(L, who, "sequences must be \"keep\", \"free\" or \"search\", not \"%s\"",
                         text);
    return SALTUS_SEARCH_SEQUENCES;
}

static saltus_engine read_engine(lua_State *L, int options, struct sal_who who)
{
    const char *text = sal_lua_text_field(L, options, "engine", who);
    if (!text || strcmp(text, "sqp") == 0) return SALTUS_ENGINE_SQP;
    if (strcmp(text, "nlopt") == 0) return SALTUS_ENGINE_NLOPT;
    if (strcmp(text, "ipopt") != 0)
        sal_lua_fail_who(L, who, "engine must be \"sqp\", \"nlopt\" or \"ipopt\", not \"%s\"",
                         text);
    return SALTUS_ENGINE_IPOPT;
}

/* A whole number up to `most`; 0: it is not there. */
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
    const struct sal_who who = {"optimise", NULL};
    sal_lua_enter(L, who, 1);
    const int options =
        sal_lua_options(L, 1, who, "minimise over subject_to starts sequences shooting engine", 0);
    if (!options) sal_lua_fail_who(L, who, "needs a table: optimise{minimise = ..., over = {...}}");
    saltus_goal goal = {0};
    goal.minimise = sal_lua_text_field(L, options, "minimise", who);
    goal.over = read_over(L, options, who, &goal.over_count);
    goal.limits = read_limits(L, options, who, &goal.limit_count);
    goal.starts = read_count(L, options, "starts", 1000000, who);
    goal.shooting = read_count(L, options, "shooting", SALTUS_INTERVALS, who);
    goal.sequences = read_sequences(L, options, who);
    goal.engine = read_engine(L, options, who);
    saltus_model_set_goal(sal_lua_begin(L), &goal);
    return sal_lua_finish(L);
}
