/* The words for measurements: data, a table of numbers from a file, and measurement.
 *
 * A file is text with commas: its first line has the names of the columns, the others have numbers.
 * A column may end before the others do. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "script/sandbox/files.h"
#include "script/words/bind.h"
#include "script/words/words.h"

enum { COLUMNS = 1000, VALUES = 1000000, CELL = 256 };

/* A file that is being read. */
struct table {
    lua_State     *L;
    struct sal_who who;
    const char    *file;     /* its name in messages */
    const char    *at, *end; /* the rest of the text */
    int            line;     /* number of the present line */
    int            columns;  /* on the stack: a list of their names, a list of lists */
    int            names, lists;
    long           values;
    char           cell[CELL]; /* text of the present cell */
};

static int fail_in_file(const struct table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = lua_pushvfstring(t->L, format, arguments);
    va_end(arguments);
    return sal_lua_fail_who(t->L, t->who, "%s:%d: %s", t->file, t->line, text);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void add_to_cell(struct table *t, size_t *length, char c)
{
    if (*length + 1 >= CELL) fail_in_file(t, "a cell is longer than %d characters", CELL - 1);
    t->cell[(*length)++] = c;
}

/* Reads a cell between quotes, in which "" is a quote. */
static void read_quoted(struct table *t, size_t *length)
{
    for (t->at++;; t->at++) {
        if (t->at == t->end || *t->at == '\n') fail_in_file(t, "a quote is opened and not closed");
        if (*t->at == '"' && (t->at + 1 == t->end || t->at[1] != '"')) break;
        if (*t->at == '"') t->at++;
        add_to_cell(t, length, *t->at);
    }
    t->at++;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static int ends_cell(const struct table *t)
{
    return t->at == t->end || *t->at == ',' || *t->at == '\n';
}

/* Reads one cell, without the blanks around it, and what ends it. Returns 1 if another cell follows
 * in the line. */
static int read_cell(struct table *t)
{
    size_t length = 0;
    while (t->at < t->end && is_blank(*t->at)) t->at++;
    if (t->at < t->end && *t->at == '"') {
        read_quoted(t, &length);
        while (t->at < t->end && is_blank(*t->at)) t->at++;
        if (!ends_cell(t)) fail_in_file(t, "a quote is closed inside of a cell");
    }
    while (!ends_cell(t)) {
        if (*t->at == '\0') fail_in_file(t, "there is a zero byte: this is not a text");
        add_to_cell(t, &length, *t->at++);
    }
    while (length > 0 && is_blank(t->cell[length - 1])) length--;
    t->cell[length] = '\0';
    const int more = t->at < t->end && *t->at == ',';
    if (t->at < t->end) t->at++;
    return more;
}

/* Whether the whole cell is a plain decimal number. */
static int cell_is_number(const struct table *t, double *value)
{
    char *end;
    if (!t->cell[0] || t->cell[strspn(t->cell, "0123456789+-.eE")]) return 0;
    *value = strtod(t->cell, &end);
    return *end == '\0' && isfinite(*value);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Moves to the next line that is neither empty nor a comment; returns 0 if there is none. */
static int next_line(struct table *t)
{
    for (t->line++; t->at < t->end; t->line++) {
        const char *text = t->at;
        while (text < t->end && is_blank(*text)) text++;
        if (text < t->end && *text != '\n' && *text != '#') return 1;
        while (t->at < t->end && *t->at != '\n') t->at++;
        if (t->at < t->end) t->at++;
    }
    return 0;
}

static void add_column(struct table *t)
{
    double number;
    t->columns++;
    if (t->columns > COLUMNS) fail_in_file(t, "there are more than %d columns", COLUMNS);
    if (!t->cell[0]) fail_in_file(t, "column %d has no name", t->columns);
    if (cell_is_number(t, &number))
        fail_in_file(t, "the first line must name the columns, but has the number %s", t->cell);
    if (strchr(t->cell, ';') || strchr(t->cell, '\t'))
        fail_in_file(t, "cells must be separated by commas");
    for (int i = 1; i < t->columns; i++) {
        lua_rawgeti(t->L, t->names, i);
        if (strcmp(lua_tostring(t->L, -1), t->cell) == 0)
            fail_in_file(t, "two columns are called '%s'", t->cell);
        lua_pop(t->L, 1);
    }
    lua_pushstring(t->L, t->cell);
    lua_rawseti(t->L, t->names, t->columns);
    lua_newtable(t->L);
    lua_rawseti(t->L, t->lists, t->columns);
}

static void read_header(struct table *t)
{
    if (!next_line(t)) fail_in_file(t, "the file is empty: its first line must name the columns");
    int more;
    do {
        more = read_cell(t);
        add_column(t);
    } while (more);
}

/* Appends a number to a column. No earlier cell of the column may be missing; `row` counts from
 * 1. */
static void add_value(struct table *t, int column, long row)
{
    double value = 0.0;
    lua_rawgeti(t->L, t->names, column);
    lua_rawgeti(t->L, t->lists, column);
    const long length = (long)lua_rawlen(t->L, -1);
    if (t->cell[0]) {
        const char *name = lua_tostring(t->L, -2);
        if (!cell_is_number(t, &value))
            fail_in_file(t, "column '%s': '%s' is not a number", name, t->cell);
        if (length != row - 1)
            fail_in_file(t, "column '%s' has values here, but none in the line before", name);
        if (++t->values > VALUES) fail_in_file(t, "there are more than %d numbers", VALUES);
        lua_pushnumber(t->L, value);
        lua_rawseti(t->L, -2, (lua_Integer)row);
    }
    lua_pop(t->L, 2);
}

static void read_rows(struct table *t)
{
    for (long row = 1; next_line(t); row++) {
        int column = 0, more;
        sal_lua_charge(t->L, 10 * (size_t)t->columns);
        do {
            more = read_cell(t);
            if (++column > t->columns)
                fail_in_file(t, "more cells than the %d columns of the first line", t->columns);
            add_value(t, column, row);
        } while (more);
        if (column < t->columns)
            fail_in_file(t, "%d cells, but the first line names %d columns", column, t->columns);
    }
}

/* ---- data ------------------------------------------------------------------------------------ */

/* __index of the result: a name that no column has. */
static int no_column(lua_State *L)
{
    const char *file = lua_tostring(L, lua_upvalueindex(1));
    luaL_Buffer buffer;
    const char *wanted = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    const int   count = (int)lua_rawlen(L, lua_upvalueindex(2));
    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= count && i <= 20; i++) {
        if (i > 1) luaL_addstring(&buffer, ", ");
        lua_rawgeti(L, lua_upvalueindex(2), i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    return sal_lua_fail(L, "%s has no column '%s'; it has: %s", file, wanted, lua_tostring(L, -1));
}

/* Pushes the text of the file: that of the user, else NAME.csv beside the model. */
static const char *read_named(lua_State *L, struct sal_who who, const char **file, size_t *length)
{
    const saltus_script_options *options = &sal_lua_script(L)->options;
    const size_t                 size = strlen(who.name);
    const int                    complete = size > 4 && strcmp(who.name + size - 4, ".csv") == 0;
    const char *beside = lua_pushfstring(L, complete ? "%s" : "%s.csv", who.name), *text = NULL;
    for (int i = 0; i < options->data_count && !*file; i++)
        if (strcmp(options->data[i].name, who.name) == 0) *file = options->data[i].file;
    if (*file) text = sal_lua_read_given(L, *file, length);
    else {
        *file = beside;
        text = sal_lua_read_beside(L, beside, length);
        if (!text)
            sal_lua_fail_who(L, who, "%s (or give another file with --data %s=FILE)",
                             lua_tostring(L, -1), who.name);
    }
    if (!text) sal_lua_fail_who(L, who, "%s", lua_tostring(L, -1));
    sal_lua_tell_file(L, beside, text, *length);
    return text;
}

int sal_word_data(lua_State *L)
{
    struct sal_who who = sal_lua_enter(L, "data", 1);
    who.name = sal_lua_text(L, 1, who, "the name"); /* the name of a file gets no prefix */
    size_t       length = 0;
    const char  *file = NULL;
    const char  *text = read_named(L, who, &file, &length);
    struct table t = {.L = L, .who = who, .file = file, .at = text, .end = text + length};
    luaL_checkstack(L, 20, "data");
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) t.at += 3;
    lua_newtable(L);
    t.names = lua_gettop(L);
    lua_newtable(L);
    t.lists = lua_gettop(L);
    read_header(&t);
    read_rows(&t);
    lua_newtable(L);
    for (int i = 1; i <= t.columns; i++) {
        lua_rawgeti(L, t.names, i);
        lua_rawgeti(L, t.lists, i);
        lua_rawset(L, -3);
    }
    lua_newtable(L);
    lua_pushstring(L, file);
    lua_pushvalue(L, t.names);
    lua_pushcclosure(L, no_column, 2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    return 1;
}

/* ---- measurement ----------------------------------------------------------------------------- */

/* A list of numbers, or one; NULL if it is absent. It stays on the stack. */
static const double *numbers_field(lua_State *L, int options, const char *key, struct sal_who who,
                                   int *count)
{
    const int field = sal_lua_field(L, options, key);
    *count = 0;
    if (!field) return NULL;
    const int          is_list = lua_type(L, field) == LUA_TTABLE;
    const lua_Unsigned length = is_list ? sal_lua_length(L, field, key) : 1;
    if (is_list && length == 0) sal_lua_fail_who(L, who, "%s is empty", key);
    if (length > VALUES) sal_lua_fail_who(L, who, "%s has more than %d entries", key, VALUES);
    double *numbers = lua_newuserdatauv(L, (size_t)length * sizeof *numbers, 0);
    sal_lua_charge(L, (size_t)length);
    for (lua_Unsigned i = 0; i < length; i++) {
        if (is_list) lua_rawgeti(L, field, (lua_Integer)i + 1);
        else lua_pushvalue(L, field);
        numbers[i] = sal_lua_number(L, lua_gettop(L), who, key);
        lua_pop(L, 1);
    }
    *count = (int)length;
    return numbers;
}

int sal_word_measurement(lua_State *L)
{
    const struct sal_who   who = sal_lua_enter_named(L, "measurement", 2);
    const int              options = sal_lua_options(L, 2, who, "of at event value sigma", 0);
    saltus_measurement_def def = {0};
    int                    times;
    def.of = sal_lua_expr_field(L, options, "of", who);
    def.event = sal_lua_prefixed(L, sal_lua_text_field(L, options, "event", who));
    def.at = numbers_field(L, options, "at", who, &times);
    def.value = numbers_field(L, options, "value", who, &def.count);
    def.sigma = numbers_field(L, options, "sigma", who, &def.sigma_count);
    if (def.at && def.event) sal_lua_fail_who(L, who, "an event has no at =: its times are value");
    if (def.at && times != def.count)
        sal_lua_fail_who(L, who, "at has %d entries, but value has %d", times, def.count);
    saltus_measurement(sal_lua_begin(L), who.name, &def);
    return sal_lua_finish(L);
}
