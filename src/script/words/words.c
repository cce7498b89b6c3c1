/* The words of the model language, in sorted lists. What they do is in bind_*.c and
 * functions.c. */
#include "script/words/words.h"

#include <string.h>

#include "script/words/bind.h"

/* clang-format off */
static const char *const words[] = {
    "abs",          "acos",         "after",        "asin",         "asinh",        "atan",
    "atan2",        "bar",          "before",       "body",         "constraint",
    "contact",      "control",      "coordinate",   "cos",          "cosh",         "cost",
    "curve",        "damper",       "data",         "ddot",         "dissipation",
    "dot",          "draw",         "erf",          "event",        "exp",          "force",
    "friction",     "gear",         "gravity",      "ground_point", "horizon",      "hypot",
    "impulse",      "include",      "joint",        "kinetic",      "log",
    "mass",         "max",          "measurement",  "memory",       "min",
    "mod",          "mode",         "model",        "motor",        "multiplier",
    "optimise",     "output",       "param",        "periodic",     "point",
    "potential",    "pow",          "pulse",        "rate",         "rod",
    "rolling",      "setting",      "sign",         "sin",          "sinh",
    "solver",       "spring",       "sqrt",         "state",        "step",
    "t",            "tan",          "tanh",         "torsion_spring",
    NULL,
};
/* clang-format on */

const char *const *saltus_script_words(void) { return words; }

int sal_lua_is_word(const char *name)
{
    const char *const *word = words;
    while (*word && strcmp(*word, name) != 0) word++;
    return *word != NULL;
}

void sal_lua_add_words(lua_State *L)
{
    static const luaL_Reg functions[] = {
#define X(word) {#word, sal_word_##word},
        SAL_WORD_LIST(X)
#undef X
            {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    sal_lua_give(L, saltus_time(sal_lua_begin(L)));
    lua_setfield(L, -2, "t");
}
