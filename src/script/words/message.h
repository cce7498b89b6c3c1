/* Messages to the authors of scripts: values as text, and errors with their place. */
#ifndef SAL_SCRIPT_WORDS_MESSAGE_H
#define SAL_SCRIPT_WORDS_MESSAGE_H

#include "script/sandbox/sandbox.h"

/* Raises a message at the script's present line. The format is that of lua_pushfstring. Never
 * returns; the result only serves `return sal_lua_fail(...)`. */
int sal_lua_fail(lua_State *L, const char *format, ...);

/* Pushes a description of a value, for messages: "the number 3", "a table", "an expression". */
const char *sal_lua_describe(lua_State *L, int index);

/* Pushes the text of a value, as tostring does, but without addresses: a script always gives the
 * same bytes. */
const char *sal_lua_to_text(lua_State *L, int index, size_t *length);

/* Pushes a hint, empty if there is none, for a value that the calling function has in a local with
 * the name of a word of the language. */
const char *sal_lua_hidden_word(lua_State *L, int index);

/* The message handler of the whole script: adds the place to a message that has none. */
int sal_lua_add_place(lua_State *L);

/* Writes the error on top of the stack, raised by the script with this status, to err. source is
 * the script's text. */
void sal_lua_report(lua_State *L, int status, const char *source, size_t length, saltus_error *err);

#endif
