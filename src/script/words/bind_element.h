/* What the words for elements share: a table with entries by position, and options. */
#ifndef SAL_SCRIPT_WORDS_BIND_ELEMENT_H
#define SAL_SCRIPT_WORDS_BIND_ELEMENT_H

#include "script/words/bind.h"

/* Reads the table at index 1 of word{...}, with at most that many entries by position; *count,
 * if it is not NULL, becomes the number of them. `example` shows how it is written. Returns the
 * word, and the name given. */
struct sal_who sal_lua_element(lua_State *L, const char *word, const char *keys, int positions,
                               const char *example, int *count);

/* An element between its first two entries, points that must differ, in some modes. */
struct sal_link {
    struct sal_who who;
    saltus_point   p, q;
    saltus_modes   modes;
};
struct sal_link sal_lua_link(lua_State *L, const char *word, const char *keys, const char *example);

/* Pushes that entry and returns its index. */
int sal_lua_entry_at(lua_State *L, int table, int position);

/* That entry of the table as a point, as a body. */
saltus_point sal_lua_entry_point(lua_State *L, int position, struct sal_who who);
saltus_body  sal_lua_entry_body(lua_State *L, int position, struct sal_who who);

/* The first two entries as points, which must differ. */
void sal_lua_entry_points(lua_State *L, struct sal_who who, saltus_point *p, saltus_point *q);

/* The field as an expression, which must be there. */
saltus_expr sal_lua_needed_field(lua_State *L, const char *key, struct sal_who who);

/* The field as two points, {P, Q}; false if it is absent. */
int sal_lua_line_field(lua_State *L, const char *key, struct sal_who who, saltus_point line[2]);

/* A word that is a table of functions and cannot be changed: joint.revolute, draw.line. */
struct sal_word_table {
    const char     *word, *what, *example; /* the latter two for messages */
    const luaL_Reg *functions;
};
/* Adds it to the table on top of the stack. It must live as long as the program. */
void sal_lua_add_table(lua_State *L, const struct sal_word_table *table);

#endif
