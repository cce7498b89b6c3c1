/* The word include: a part of a model in a file of its own.
 *
 * The file runs in the same sandbox, with the same globals. With a prefix, all names that it
 * declares or mentions get it, so that one file can serve for several legs of a walker. */
#include <string.h>

#include "script/sandbox/files.h"
#include "script/words/bind.h"
#include "script/words/words.h"

/* The longest file, in bytes: the clock is not checked while Lua reads. */
#define SOURCE_MAX ((size_t)4 << 20)

/* Notes the file under its name in messages; pushes that name, with an @ before it. */
static struct sal_included *note_file(lua_State *L, struct sal_who who)
{
    struct sal_script *script = sal_lua_script(L);
    const char        *folder = script->options.folder;
    const size_t       length = strlen(folder);
    const char        *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    const char        *name = lua_pushfstring(L, "@%s%s%s", folder, slash, who.name);
    for (int i = 0; i < script->includes; i++)
        if (strcmp(script->included[i].file, name + 1) == 0) return &script->included[i];
    if (script->includes == SAL_INCLUDES)
        sal_lua_fail_who(L, who, "a model includes at most %d files", SAL_INCLUDES);
    struct sal_included *file = &script->included[script->includes];
    lua_Debug            function;
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, file); /* keeps the text alive */
    if (luaL_loadbufferx(L, "", 0, name, "t") != LUA_OK) lua_error(L);
    lua_getinfo(L, ">S", &function);
    *file = (struct sal_included){.file = name + 1};
    memcpy(file->chunk, function.short_src, sizeof file->chunk);
    script->includes++;
    return file;
}

/* Reads the file and pushes it as a function. */
static void load_file(lua_State *L, struct sal_who who, const char *chunk)
{
    size_t      length = 0;
    const char *text = sal_lua_read_beside(L, who.name, &length);
    if (!text) sal_lua_fail_who(L, who, "%s", lua_tostring(L, -1));
    if (length > SOURCE_MAX) sal_lua_fail_who(L, who, "the file is larger than 4 MiB");
    sal_lua_tell_file(L, who.name, text, length);
    const char *begin = sal_lua_skip_head(text, length);
    const int   status = luaL_loadbufferx(L, begin, length - (size_t)(begin - text), chunk, "t");
    sal_lua_pass_caught(L, status);
    if (status != LUA_OK) lua_error(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &sal_lua_globals);
    lua_setupvalue(L, -2, 1);
}

static void check_place(lua_State *L, struct sal_who who, const struct sal_included *file)
{
    const struct sal_script *script = sal_lua_script(L);
    const char              *slash = strrchr(script->file, '/');
    if (file->active || strcmp(who.name, slash ? slash + 1 : script->file) == 0)
        sal_lua_fail_who(L, who, "the file includes itself");
    if (script->depth == SAL_INCLUDE_DEPTH)
        sal_lua_fail_who(L, who, "files are included more than %d deep", SAL_INCLUDE_DEPTH);
}

int sal_word_include(lua_State *L)
{
    struct sal_script *script = sal_lua_script(L);
    const int          given = lua_gettop(L), values = given > 2 ? given - 2 : 0;
    struct sal_who     who = sal_lua_enter(L, "include", given > 1 ? given : 1);
    who.name = sal_lua_text(L, 1, who, "the name of the file");
    const char *outer = script->prefix, *inner = NULL;
    if (!lua_isnoneornil(L, 2)) inner = sal_lua_text(L, 2, who, "the prefix");
    luaL_checkstack(L, values + 10, "include");
    /* no folder, or one in the name: fails before a file is noted */
    if (!script->options.folder || strpbrk(who.name, "/\\")) load_file(L, who, "");
    struct sal_included *file = note_file(L, who);
    check_place(L, who, file);
    load_file(L, who, lua_pushfstring(L, "@%s", file->file));
    const int function = lua_gettop(L);
    if (inner) {
        script->prefix = lua_pushfstring(L, "%s%s.", outer ? outer : "", inner);
        lua_insert(L, function); /* keeps the prefix alive while the file runs */
    }
    const int below = lua_gettop(L) - 1;
    for (int i = 0; i < values; i++) lua_pushvalue(L, 3 + i);
    file->active = 1;
    script->depth++;
    lua_call(L, values, LUA_MULTRET);
    script->depth--;
    file->active = 0;
    script->prefix = outer;
    return lua_gettop(L) - below;
}
