/* What the words for elements share: a table with entries by position, and options. */
#ifndef SAL_SCRIPT_WORDS_BIND_ELEMENT_H
#define SAL_SCRIPT_WORDS_BIND_ELEMENT_H

#include "script/words/bind.h"

/* Reads the table at index 1 of word{...}, with at most `positions` entries by position, whose
 * number is written to *count unless it is NULL. `example` shows in messages how the word is
 * written. Returns the word, and the name given. */
struct sal_who sal_lua_element(lua_State *L, const char *word, const char *keys, int positions,
                               const char *example, int *count);

/* An element between its first two entries, points that must differ, in some modes. */
struct sal_link {
    struct sal_who who;
    saltus_point   p, q;
    saltus_modes   modes;
};
struct sal_link sal_lua_link(lua_State *L, const char *word, const char *keys, const char *example);

/* Pushes the entry at that position of a table and returns its index. */
int sal_lua_entry_at(lua_State *L, int table, int position);

/* Return the entry at that position of the table at index 1, as a point or as a body. */
saltus_point sal_lua_entry_point(lua_State *L, int position, struct sal_who who);
saltus_body  sal_lua_entry_body(lua_State *L, int position, struct sal_who who);

/* Reads the first two entries as points, which must differ. */
void sal_lua_entry_points(lua_State *L, struct sal_who who, saltus_point *p, saltus_point *q);

/* Returns the field as an expression; raises if it is missing. */
saltus_expr sal_lua_needed_field(lua_State *L, const char *key, struct sal_who who);

/* Reads the field as two different points, {P, Q}. Returns false if it is absent. */
int sal_lua_line_field(lua_State *L, const char *key, struct sal_who who, saltus_point line[2]);

/* A word that is a table of functions and cannot be changed: joint.revolute, draw.line. */
struct sal_word_table {
    const char     *word, *what, *example; /* what and example are for messages */
    const luaL_Reg *functions;
};
/* Adds it to the table on top of the stack. It must live as long as the program. */
void sal_lua_add_table(lua_State *L, const struct sal_word_table *table);

#endif
