/* The word control: a function of time with free parameters. */
#include "script/words/bind.h"
#include "script/words/words.h"

static const char control_keys[] = "kind nodes lower upper start values from duration unit doc";

static int read_nodes(lua_State *L, int options, struct sal_who who)
{
    const int field = sal_lua_field(L, options, "nodes");
    int       whole = 0;
    if (!field) sal_lua_fail_who(L, who, "nodes is missing: the number of pieces");
    const lua_Integer nodes = lua_tointegerx(L, field, &whole);
    if (!whole || nodes < 1 || nodes > 1000000)
        sal_lua_fail_who(L, who, "nodes must be a number of pieces (1, 2, ...), got %s",
                         sal_lua_describe(L, field));
    return (int)nodes;
}

/* values = {...}, one for each parameter. */
static const double *read_values(lua_State *L, int options, struct sal_who who, int count)
{
    const int field = sal_lua_table_field(L, options, "values", who, "a list {...}");
    if (!field) return NULL;
    if (lua_rawlen(L, field) != (lua_Unsigned)count)
        sal_lua_fail_who(L, who, "values has %d entries, and there are %d parameters",
                         (int)(lua_rawlen(L, field) & 0xfffff), count);
    double *values = lua_newuserdatauv(L, (size_t)count * sizeof *values, 0);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, field, i + 1);
        values[i] = sal_lua_number(L, lua_gettop(L), who, "an entry of values");
        lua_pop(L, 1);
    }
    return values;
}

int sal_word_control(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "control", 2);
    const int            options = sal_lua_options(L, 2, who, control_keys, 0);
    int                  has_start;
    if (!options)
        sal_lua_fail_who(L, who, "needs a table: control(\"%s\", {nodes = 20, ...})", who.name);
    saltus_control_def def = {0};
    def.kind = (saltus_control_kind)sal_lua_choice_field(
        L, options, "kind", who, "hold linear cubic",
        "kind must be 'hold', 'linear' or 'cubic', got '%s'");
    def.nodes = read_nodes(L, options, who);
    def.lower = sal_lua_number_field(L, options, "lower", who, 0.0, &def.has_lower);
    def.upper = sal_lua_number_field(L, options, "upper", who, 0.0, &def.has_upper);
    def.start = sal_lua_number_field(L, options, "start", who, 0.0, &has_start);
    def.values = read_values(L, options, who, def.kind == SALTUS_HOLD ? def.nodes : def.nodes + 1);
    if (has_start && def.values) sal_lua_fail_who(L, who, "has start and values; give one of them");
    def.from = sal_lua_prefixed(L, sal_lua_text_field(L, options, "from", who));
    def.duration = sal_lua_expr_field(L, options, "duration", who);
    def.unit = sal_lua_text_field(L, options, "unit", who);
    def.doc = sal_lua_text_field(L, options, "doc", who);
    return sal_lua_give(L, saltus_control(sal_lua_begin(L), who.name, &def));
}
