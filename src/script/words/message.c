/* Messages to the authors of scripts.
 *
 * Inside a script, messages begin with "file:line: ", as Lua's own do. At the top level the place
 * is removed from the message and goes to the fields of saltus_error, and hints are added for
 * common mistakes of beginners. */
#include "script/words/message.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/words/bind.h"
#include "script/words/words.h"

static void push_place(lua_State *L)
{
    const int line = sal_lua_line(L);
    lua_pushfstring(L, "%s:%d: ", sal_lua_chunk(sal_lua_script(L), sal_lua_script(L)->in), line);
}

int sal_lua_fail(lua_State *L, const char *format, ...)
{
    va_list arguments;
    luaL_checkstack(L, 4, "too many values");
    push_place(L);
    va_start(arguments, format);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    return lua_error(L);
}

/* ---- values as text ------------------------------------------------------------------------- */

static const char *describe_text(lua_State *L, int index)
{
    const char *text = lua_tostring(L, index);
    if (strlen(text) <= 40) return lua_pushfstring(L, "the text '%s'", text);
    return lua_pushstring(L, "a text");
}

static const char *describe_value(lua_State *L, int index)
{
    static const char *const words[SAL_KINDS] = {"an expression", "a point", "a mode", "a body",
                                                 "a contact"};
    const struct sal_value  *value = lua_touserdata(L, index);
    return lua_pushstring(L, words[value->kind]);
}

const char *sal_lua_describe(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TNONE: return lua_pushstring(L, "nothing");
    case LUA_TNIL: return lua_pushstring(L, "nil");
    case LUA_TBOOLEAN: return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    case LUA_TNUMBER:
        lua_pushvalue(L, index);
        return lua_pushfstring(L, "the number %s", lua_tostring(L, -1));
    case LUA_TSTRING: return describe_text(L, index);
    case LUA_TUSERDATA: return describe_value(L, index);
    default: return lua_pushfstring(L, "a %s", luaL_typename(L, index));
    }
}

static void push_plain_text(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        lua_tostring(L, -1); /* turns a number into text in place */
        break;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); break;
    case LUA_TUSERDATA: sal_lua_push_value_text(L, lua_touserdata(L, index), index); break;
    default: lua_pushstring(L, luaL_typename(L, index)); break;
    }
}

const char *sal_lua_to_text(lua_State *L, int index, size_t *length)
{
    index = lua_absindex(L, index);
    luaL_checkstack(L, 4, "too many values");
    if (lua_type(L, index) == LUA_TTABLE && luaL_getmetafield(L, index, "__tostring")) {
        lua_pushvalue(L, index);
        lua_call(L, 1, 1);
        if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
        return lua_tolstring(L, -1, length);
    }
    push_plain_text(L, index);
    return lua_tolstring(L, -1, length);
}

/* ---- words hidden by locals ----------------------------------------------------------------- */

static const char hidden_format[] =
    "; the local hides the word '%s' of the model language: rename the local";

/* Pops a value; returns whether it is equal to the one at the index. */
static int pop_equal(lua_State *L, int index)
{
    const int equal = lua_rawequal(L, -1, index);
    lua_pop(L, 1);
    return equal;
}

/* Returns the last active local or upvalue of the function that hides a word and has this value;
 * NULL if there is none. */
static const char *hidden_by(lua_State *L, lua_Debug *activation, int index)
{
    const char *name, *found = NULL;
    for (int i = 1; (name = lua_getlocal(L, activation, i)) != NULL; i++)
        if (pop_equal(L, index) && sal_lua_is_word(name)) found = name;
    lua_getinfo(L, "f", activation);
    const int function = lua_gettop(L);
    for (int i = 1; !found && (name = lua_getupvalue(L, function, i)) != NULL; i++)
        if (pop_equal(L, index) && sal_lua_is_word(name)) found = name;
    lua_pop(L, 1);
    return found;
}

const char *sal_lua_hidden_word(lua_State *L, int index)
{
    lua_Debug activation;
    index = lua_absindex(L, index);
    for (int level = 1; lua_getstack(L, level, &activation); level++) {
        lua_getinfo(L, "l", &activation);
        if (activation.currentline <= 0) continue;
        const char *name = hidden_by(L, &activation, index);
        if (name) return lua_pushfstring(L, hidden_format, name);
        break;
    }
    return lua_pushstring(L, "");
}

/* ---- the handler and the report ------------------------------------------------------------- */

/* Returns the length of "file:line: " at the start of a message, for this file; 0 if it is not
 * there. */
static size_t place_in(const char *file, const char *message, int *line)
{
    const size_t chunk = strlen(file);
    if (strncmp(message, file, chunk) != 0 || message[chunk] != ':') return 0;
    char      *end;
    const long number = strtol(message + chunk + 1, &end, 10);
    if (end == message + chunk + 1 || end[0] != ':' || end[1] != ' ') return 0;
    *line = (int)number;
    return (size_t)(end + 2 - message);
}

/* Returns the length of "file:line: " at the start of a message, for any file of the script; `in`
 * receives its number. */
static size_t place_length(const struct sal_script *script, const char *message, int *line, int *in)
{
    size_t length = 0;
    for (*in = 0; *in <= script->includes; ++*in) {
        length = place_in(sal_lua_chunk(script, *in), message, line);
        if (length > 0) return length;
    }
    *in = 0;
    return 0;
}

int sal_lua_add_place(lua_State *L)
{
    const struct sal_script *script = sal_lua_script(L);
    int                      line, in;
    if (lua_type(L, 1) == LUA_TSTRING && strcmp(lua_tostring(L, 1), "not enough memory") == 0)
        sal_lua_note_refusal(L);
    if (script->stop) return 1;
    if (!lua_isstring(L, 1)) {
        if (luaL_getmetafield(L, 1, "__tostring")) {
            lua_pop(L, 1);
            sal_lua_to_text(L, 1, NULL);
        } else {
            lua_pushfstring(L, "the script raised an error that is not a text but %s",
                            sal_lua_describe(L, 1));
        }
        lua_replace(L, 1);
    }
    lua_settop(L, 1);
    if (place_length(script, lua_tostring(L, 1), &line, &in) > 0) return 1;
    push_place(L);
    lua_insert(L, 1);
    lua_concat(L, 2);
    return 1;
}

/* Returns a line of the source, and its length. */
static const char *find_line(const char *source, size_t length, int line, size_t *line_length)
{
    const char *end = source + length;
    for (; line > 1; line--) {
        const char *next = memchr(source, '\n', (size_t)(end - source));
        if (!next) break;
        source = next + 1;
    }
    const char *next = memchr(source, '\n', (size_t)(end - source));
    *line_length = (size_t)((next ? next : end) - source);
    return source;
}

static int line_contains(const char *line, size_t length, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(line + i, text, size) == 0) return 1;
    return 0;
}

/* Hints for users of other languages: a part of Lua's message, a part of the line, the hint.
 * The first row that fits is used. */
static const struct {
    const char *message, *line, *hint;
} syntax_hints[] = {
    {"'}' expected near '='", "dot(", "write set = {[dot(y)] = ...}, with brackets"},
    {"'}' expected near '='", "", "a key that is more than a name needs brackets: {[x] = ...}"},
    {"near '!'", "!=", "'not equal' is written ~="},
    {"near '!'", "", "'not' is written not"},
    {"near '+'", "+=", "write x = x + ..."},
    {"near '-'", "-=", "write x = x - ..."},
    {"near '*'", "*=", "write x = x * ..."},
    {"near '*'", "**", "powers are written x^2"},
    {"near '&'", "&&", "'and' is written and"},
    {"near '|'", "||", "'or' is written or"},
    {"near '//'", "", "comments begin with --"},
    {"')' expected near '='", "if (", "'equal' is written =="},
    {"')' expected near '='", "", "options go in braces: cost(\"h\", {final = y})"},
};

/* "near '<\226>'": a byte that is not ASCII. */
static int is_not_ascii(const char *message)
{
    const char *byte = strstr(message, "near '<\\");
    return byte && strtol(byte + strlen("near '<\\"), NULL, 10) >= 128;
}

static const char *syntax_hint(const char *message, const char *source, size_t length, int number)
{
    size_t      size;
    const char *line = find_line(source, length, number, &size);
    if (is_not_ascii(message))
        return "not an ASCII character: is it a text file in UTF-8, or a character pasted from a "
               "document?";
    for (size_t i = 0; i < sizeof syntax_hints / sizeof *syntax_hints; i++)
        if (strstr(message, syntax_hints[i].message) &&
            line_contains(line, size, syntax_hints[i].line))
            return syntax_hints[i].hint;
    /* "// some words" reads as a division and two names: the second one, here or on the next line,
     * is where Lua stops. */
    if (!strstr(message, "syntax error near")) return NULL;
    if (!line_contains(line, size, "//")) line = find_line(source, length, number - 1, &size);
    return line_contains(line, size, "//") ? "comments begin with --" : NULL;
}

/* "1,2": digits on both sides of a comma, without a blank. */
static int has_decimal_comma(const char *line, size_t size)
{
    for (size_t i = 1; i + 1 < size; i++)
        if (line[i] == ',' && isdigit((unsigned char)line[i - 1]) &&
            isdigit((unsigned char)line[i + 1]))
            return 1;
    return 0;
}

/* A hint for code that is correct Lua but probably a mistake: a comment of another language that
 * reads as a division, a comparison in place of an option, a decimal comma. */
static const char *run_hint(const char *message, const char *source, size_t length, int number)
{
    size_t      size;
    const char *line = find_line(source, length, number, &size);
    if (strstr(message, "is not defined") && line_contains(line, size, "//"))
        return "comments begin with --";
    if (strstr(message, "is not defined") && line_contains(line, size, "{") &&
        line_contains(line, size, " == "))
        return "options are given by name = value, with one =";
    if (strstr(message, "at most, got") && has_decimal_comma(line, size))
        return "decimals have a point: 1.2, not 1,2";
    return NULL;
}

/* Copies the function in "bad argument #1 to 'floor' (number expected, got expression)"; returns 0
 * if the message is another one. */
static int called_with_expression(const char *message, char *name, size_t size)
{
    if (strncmp(message, "bad argument", 12) != 0 || !strstr(message, "got expression)")) return 0;
    const char *quote = strchr(message, '\'');
    if (!quote) return 0;
    snprintf(name, size, "%.*s", (int)strcspn(quote + 1, "'"), quote + 1);
    return 1;
}

/* Copies the word in "attempt to call a number value (local 'force')"; returns 0 if the message is
 * another one, or the name is no word. */
static int called_hidden_word(const char *message, char *word, size_t size)
{
    if (strncmp(message, "attempt to call a", 17) != 0) return 0;
    const char *name = strstr(message, "(local '");
    if (name) name += strlen("(local '");
    if (!name && (name = strstr(message, "(upvalue '")) != NULL) name += strlen("(upvalue '");
    if (!name) return 0;
    snprintf(word, size, "%.*s", (int)strcspn(name, "'"), name);
    return sal_lua_is_word(word);
}

static const char *better_text(const char *message, int status)
{
    if (status == LUA_ERRERR || strncmp(message, "stack overflow", 14) == 0)
        return "the script recurses too deeply (is there a function that calls itself without "
               "end?)";
    if (strncmp(message, "C stack overflow", 16) == 0)
        return status == LUA_ERRSYNTAX ? "the script is nested too deeply"
                                       : "the script recurses too deeply (is there a function "
                                         "that calls itself without end?)";
    if (message[0] == '\0') return "the script raised an error without a text";
    if (strstr(message, "attempt to load a binary chunk"))
        return "this is compiled Lua, not text: only text is read";
    return message;
}

static void report_message(const char *message, int status, const char *source, size_t length,
                           saltus_error *err)
{
    char        word[32];
    const char *hint = NULL;
    message = better_text(message, status);
    if (status == LUA_ERRSYNTAX) hint = syntax_hint(message, source, length, err->line);
    else hint = run_hint(message, source, length, err->line);
    if (called_with_expression(message, word, sizeof word))
        snprintf(err->message, sizeof err->message,
                 "%s is not available on expressions, which have no value while the script is read",
                 word);
    else if (hint) snprintf(err->message, sizeof err->message, "%s (%s)", message, hint);
    else snprintf(err->message, sizeof err->message, "%s", message);
    if (called_hidden_word(message, word, sizeof word)) {
        const size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, hidden_format, word);
    }
}

void sal_lua_report(lua_State *L, int status, const char *source, size_t length, saltus_error *err)
{
    const struct sal_script *script = sal_lua_script(L);
    const saltus_error      *model_error = saltus_model_error(script->model);
    if (model_error->status != SALTUS_OK) {
        *err = *model_error;
        return;
    }
    err->status = SALTUS_ERR_MODEL;
    snprintf(err->file, sizeof err->file, "%s", script->file);
    enum sal_stop stop = script->stop;
    if (!stop && status == LUA_ERRMEM) stop = script->refused ? script->refused : SAL_STOP_MEMORY;
    if (stop) {
        if (stop == SAL_STOP_ALLOCATOR) err->status = SALTUS_ERR_MEMORY;
        err->line = script->stop_line;
        snprintf(err->file, sizeof err->file, "%s", sal_lua_file(script, script->stop_in));
        snprintf(err->message, sizeof err->message, "%s", sal_lua_stop_text(stop));
        return;
    }
    const char *message =
        lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "the script failed";
    int in;
    message += place_length(script, message, &err->line, &in);
    snprintf(err->file, sizeof err->file, "%s", sal_lua_file(script, in));
    /* hints need the line of the source, which is known for the script only */
    report_message(message, status, source, in == 0 ? length : 0, err);
}
