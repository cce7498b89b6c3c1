/* The words of the model language. */
#ifndef SAL_SCRIPT_WORDS_WORDS_H
#define SAL_SCRIPT_WORDS_WORDS_H

#include <lua.h>

/* The words that are functions: X is sal_word_X. */
/* clang-format off */
#define SAL_WORD_LIST(X) \
    X(after) X(bar) X(before) X(body) X(constraint) X(contact) X(control) X(coordinate) X(cost) X(curve)     \
    X(damper) X(data) X(ddot) X(dissipation) X(dot) X(event) X(force) X(friction) X(gear) X(gravity)  \
    X(ground_point) X(horizon) X(impulse) X(include) X(kinetic) X(mass) X(measurement) X(memory)  \
    X(mod) X(mode) X(model) X(motor) X(multiplier) X(optimise) X(output) X(param) X(periodic)     \
    X(point) X(potential) X(pulse) X(rate) X(rod) X(rolling) X(setting) X(solver) X(spring)       \
    X(state) X(step) X(torsion_spring)
/* clang-format on */

#define X(word) int sal_word_##word(lua_State *L);
SAL_WORD_LIST(X)
#undef X

/* Adds the words and the time t to the table on top of the stack. */
void sal_lua_add_words(lua_State *L);

/* Whether the name is a word, which a script may use but not assign. */
int sal_lua_is_word(const char *name);

#endif
