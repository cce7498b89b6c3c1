/* Tools of the bindings: values that stand for parts of a model, and checks of arguments with
 * helpful messages.
 *
 * A binding reads its arguments, notes its line (sal_lua_begin), calls one builder of the public
 * interface, and lets sal_lua_finish look for mistakes. Lua raises by longjmp: a binding owns
 * nothing that needs freeing, and arrays are userdata on the stack. */
#ifndef SAL_SCRIPT_WORDS_BIND_H
#define SAL_SCRIPT_WORDS_BIND_H

#include "script/words/message.h"

/* Kinds of sal_value; all userdata that a script can hold are of that type. */
enum sal_kind { SAL_EXPR, SAL_POINT, SAL_MODE, SAL_BODY, SAL_CONTACT, SAL_KINDS };

struct sal_value {
    enum sal_kind kind;
    union {
        saltus_expr    expr;
        saltus_point   point;
        saltus_mode    mode;
        saltus_body    body;
        saltus_contact contact;
    } is;
};

/* The value at that index if it is of that kind, else NULL. */
const struct sal_value *sal_lua_value(lua_State *L, int index, enum sal_kind kind);

/* Pushes an expression. Equal expressions are one object, so that they can be keys of tables. */
void sal_lua_push_expr(lua_State *L, saltus_expr expr);
/* Pushes a new userdata for the value; its name is at index `name`, 0 for none. */
void sal_lua_push_value(lua_State *L, struct sal_value value, int name);
/* Pushes the text of a value. */
void sal_lua_push_value_text(lua_State *L, const struct sal_value *value, int index);
/* Makes the metatables of all kinds, and the cache of expressions. */
void sal_lua_open_values(lua_State *L);

/* ---- around a builder ----------------------------------------------------------------------- */

/* Returns the model, with its place set to the present line of the script. */
saltus_model *sal_lua_begin(lua_State *L);
/* Raises the model's first mistake, if there is one; charges for the work done. Returns 0, the
 * number of results of most words. */
int sal_lua_finish(lua_State *L);
/* Calls sal_lua_finish and pushes the expression that was made. Returns 1. */
int sal_lua_give(lua_State *L, saltus_expr expr);
/* Calls sal_lua_finish and pushes another value, as sal_lua_push_value does. Returns 1. */
int sal_lua_give_value(lua_State *L, struct sal_value value, int name);
/* Make an operation or a number, between sal_lua_begin and sal_lua_finish. */
saltus_expr sal_lua_apply(lua_State *L, saltus_op op, saltus_expr a, saltus_expr b);
saltus_expr sal_lua_literal(lua_State *L, double value);

/* ---- arguments ------------------------------------------------------------------------------ */

/* The caller, for messages: the word, and the name given to it (NULL: none yet). */
struct sal_who {
    const char *word;
    const char *name;
};

/* Raises "word 'name': ..." at the script's line. */
int sal_lua_fail_who(lua_State *L, struct sal_who who, const char *format, ...);

/* Starts a binding: charges for the call and refuses more arguments than `most`. */
struct sal_who sal_lua_enter(lua_State *L, const char *word, int most);
/* Starts a binding whose first argument is a name, which is then part of its messages. */
struct sal_who sal_lua_enter_named(lua_State *L, const char *word, int most);

/* Returns the name with the prefix of the included file, pushed if there is a prefix. NULL stays
 * NULL. */
const char *sal_lua_prefixed(lua_State *L, const char *name);

/* Each returns the argument at that index or raises "who: what must be ..., got ...". */
const char *sal_lua_text(lua_State *L, int index, struct sal_who who, const char *what);
double      sal_lua_number(lua_State *L, int index, struct sal_who who, const char *what);
saltus_expr sal_lua_expr(lua_State *L, int index, struct sal_who who, const char *what);
saltus_body sal_lua_body(lua_State *L, int index, struct sal_who who, const char *what);
/* The argument as a point; a body stands for its centre. */
saltus_point sal_lua_point(lua_State *L, int index, struct sal_who who, const char *what);
int          sal_lua_is_point(lua_State *L, int index);

/* The text of a number that is not finite. */
const char *sal_lua_odd_number(double number);

/* Checks an optional table of options at that index; returns 0 if it is absent, else its index. Its
 * keys must be among `keys`, a text with blanks between them, or numbers from 1 to `positions`. */
int sal_lua_options(lua_State *L, int index, struct sal_who who, const char *keys, int positions);
/* Returns the length of the list at that index, the value of the option `key`; fails if the table
 * has names too. */
lua_Unsigned sal_lua_length(lua_State *L, int index, const char *key);

/* Copies the first key and moves `keys` to the next; returns NULL if none is left. */
enum { SAL_KEY_MAX = 32 };
const char *sal_lua_next_key(const char **keys, char *key);

/* Pushes the field of an option table and returns its index; 0, pushing nothing, if there is no
 * table or no such field. */
int sal_lua_field(lua_State *L, int options, const char *key);

/* Return the field as a text (NULL if absent) or as an expression (null if absent). The value stays
 * on the stack, which keeps the text alive. */
const char *sal_lua_text_field(lua_State *L, int options, const char *key, struct sal_who who);
saltus_expr sal_lua_expr_field(lua_State *L, int options, const char *key, struct sal_who who);

/* Returns the field, which must be true or false; false if absent. */
int sal_lua_flag_field(lua_State *L, int options, const char *key, struct sal_who who);

/* Returns the field as a number, or `absent` if it is not there. *has, if not NULL, receives
 * whether it is there. */
double sal_lua_number_field(lua_State *L, int options, const char *key, struct sal_who who,
                            double absent, int *has);

/* Returns the place of the field, a text, among the choices, which have blanks between them; 0 if
 * absent. `refusal` is the message about any other text, with %s in its place. */
int sal_lua_choice_field(lua_State *L, int options, const char *key, struct sal_who who,
                         const char *choices, const char *refusal);

/* Pushes the field, which must be a table, and returns its index; 0 if absent. `expected` describes
 * it in messages. */
int sal_lua_table_field(lua_State *L, int options, const char *key, struct sal_who who,
                        const char *expected);

/* Reads the entries of a field such as guess = {x, y}; absent ones are null. `shape` shows how the
 * field is written, for messages. Returns whether the field is there. */
int sal_lua_list_field(lua_State *L, int options, const char *key, struct sal_who who,
                       const char *shape, int count, saltus_expr *list);

/* Returns the entries of a field such as at = {0.5, 1}, a list of any length (not empty, and
 * without gaps), as an array that stays on the stack; NULL if the field is absent. */
const saltus_expr *sal_lua_exprs_field(lua_State *L, int options, const char *key,
                                       struct sal_who who, int *count);

/* Pushes a list of the keys of the table at that index, in a fixed order (sorted_pairs.c); returns
 * their number. Raises if a key has no place in the order. */
lua_Integer sal_lua_push_keys(lua_State *L, int table);

/* Calls entry for each pair of the table at that index, in a fixed order, with key and value on top
 * of the stack. Returns the number of pairs. */
typedef void (*sal_lua_entry)(lua_State *L, struct sal_who who, const void *context);
lua_Integer sal_lua_each_pair(lua_State *L, int table, struct sal_who who, sal_lua_entry entry,
                              const void *context);
/* Calls entry for each pair of a field, as sal_lua_each_pair does. The field must be a table;
 * nothing is called if it is absent. */
void sal_lua_each_entry(lua_State *L, int options, const char *key, struct sal_who who,
                        sal_lua_entry entry, const void *context);
/* Calls entry for the field or, if it is a list, for each of its entries, on top of the stack. */
void sal_lua_each_condition(lua_State *L, int options, const char *key, struct sal_who who,
                            sal_lua_entry entry, const void *context);

/* Returns the key of an entry, which must be an expression. Messages begin with `where`, and
 * describe the key as `expected`. */
saltus_expr sal_lua_key_expr(lua_State *L, struct sal_who who, const char *where,
                             const char *expected);

/* In an entry of charge = {cost = e}: reads e and returns the name of the cost. */
const char *sal_lua_charge_entry(lua_State *L, struct sal_who who, saltus_expr *value);

/* Returns the field as a list of modes; a single mode is a list, too. The list stays on the
 * stack. */
saltus_modes sal_lua_modes_field(lua_State *L, int options, const char *key, struct sal_who who);

/* ---- the vocabulary ------------------------------------------------------------------------- */

/* Add words to the table on top of the stack; all other words are in words.h. */
void sal_lua_add_joints(lua_State *L);
void sal_lua_add_draw(lua_State *L);
void sal_lua_add_functions(lua_State *L);

#endif
