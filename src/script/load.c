/* Loads a model: reads the script and runs it in the sandbox. The result is a model, or an error
 * with file and line. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "saltus/script.h"
#include "script/globals.h"
#include "script/sandbox/files.h"
#include "script/words/message.h"

/* Largest number of expressions of a script: a chain of 100 000 links has about as many. */
enum { OPERATIONS_MAX = 3000000 };

/* Default limits. An empty loop takes about half a second for that many instructions. */
#define MEMORY_LIMIT ((size_t)1 << 30)
#define STEP_LIMIT 80000000LL

/* The longest script, in bytes. */
#define SOURCE_MAX ((size_t)16 << 20)

saltus_script_options saltus_script_options_default(void)
{
    saltus_script_options options = {0};
    options.memory_limit = MEMORY_LIMIT;
    options.step_limit = STEP_LIMIT;
    return options;
}

static saltus_script_options complete(const saltus_script_options *options)
{
    saltus_script_options all = options ? *options : saltus_script_options_default();
    if (all.memory_limit == 0) all.memory_limit = MEMORY_LIMIT;
    if (all.step_limit <= 0) all.step_limit = STEP_LIMIT;
    return all;
}

static void fail(saltus_error *err, saltus_status status, const char *file, const char *format, ...)
{
    va_list arguments;
    err->status = status;
    err->line = 0;
    snprintf(err->file, sizeof err->file, "%s", file);
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
}

/* ---- running -------------------------------------------------------------------------------- */

/* The text of a script, given to Lua line by line. */
struct source {
    const char *text;
    size_t      length, given;
    int         line;     /* the line given last */
    int         is_wrong; /* it is not Lua, or too long */
};

/* The lua_Reader. No hook runs while Lua reads, so the limits are checked here. */
static const char *next_piece(lua_State *L, void *context, size_t *size)
{
    struct source *source = context;
    const char    *piece = source->text + source->given;
    const size_t   left = source->length - source->given;
    if (sal_lua_check(sal_lua_script(L)) || left == 0) return NULL;
    *size = left < 4096 ? left : 4096;
    if (source->given > 0 && piece[-1] == '\n') source->line++;
    const char *end = memchr(piece, '\n', *size);
    if (end) *size = (size_t)(end - piece) + 1;
    source->given += *size;
    return piece;
}

/* Notes the name of the file as Lua writes it at the start of messages. */
static void note_chunk_name(lua_State *L, const char *name)
{
    struct sal_script *script = sal_lua_script(L);
    lua_Debug          function;
    if (luaL_loadbufferx(L, "", 0, name, "t") != LUA_OK) lua_error(L);
    lua_getinfo(L, ">S", &function);
    snprintf(script->chunk, sizeof script->chunk, "%s", function.short_src);
}

/* Runs the script, under lua_pcall: anything in here may raise. Argument: the source. */
static int run_source(lua_State *L)
{
    struct source     *source = lua_touserdata(L, 1);
    struct sal_script *script = sal_lua_script(L);
    const char        *name = lua_pushfstring(L, "@%s", script->file);
    note_chunk_name(L, name);
    sal_lua_open_globals(L);
    sal_lua_start(L);
    const int status = lua_load(L, next_piece, source, name, "t");
    source->is_wrong = status != LUA_OK || script->stop;
    sal_lua_pass_caught(L, status);
    if (status != LUA_OK) return lua_error(L);
    lua_pushvalue(L, -2);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 0);
    return 0;
}

static void run_in_state(struct sal_script *script, struct source *source, saltus_error *err)
{
    lua_State *L = sal_lua_new(script);
    if (!L) {
        const int limited = script->refused == SAL_STOP_MEMORY;
        fail(err, limited ? SALTUS_ERR_MODEL : SALTUS_ERR_MEMORY, script->file, "%s",
             sal_lua_stop_text(limited ? SAL_STOP_MEMORY : SAL_STOP_ALLOCATOR));
        return;
    }
    lua_pushcfunction(L, sal_lua_add_place);
    lua_pushcfunction(L, run_source);
    lua_pushlightuserdata(L, source);
    int status = lua_pcall(L, 1, 0, 1);
    if (status != LUA_OK && source->is_wrong) status = LUA_ERRSYNTAX;
    if (status != LUA_OK || saltus_model_error(script->model)->status != SALTUS_OK)
        sal_lua_report(L, status, source->text, source->length, err);
    if (source->is_wrong && err->line == 0) err->line = source->line;
    script->running = NULL;
    lua_close(L);
}

static int is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0' || !strchr(" \t\r\n\f\v", text[i])) return 0;
    return 1;
}

/* Fills the model from the text. A failure is in err. */
static void fill_model(saltus_model *model, const char *name, const char *text, size_t length,
                       const saltus_script_options *options, saltus_error *err)
{
    struct sal_script script = {.model = model, .file = name, .options = *options};
    struct source     source = {.text = text, .length = length, .line = 1};
    source.given = (size_t)(sal_lua_skip_head(text, length) - text);
    if (options->allocator) script.allocator = *options->allocator;
    for (int i = 0; i < options->override_count; i++)
        saltus_model_override(model, options->overrides[i].name, options->overrides[i].value,
                              options->overrides[i].text);
    if (is_blank(text + source.given, length - source.given))
        fail(err, SALTUS_ERR_MODEL, name, "the script is empty");
    else if (text[0] != '\x1b' /* compiled Lua */ && memchr(text, '\0', length))
        fail(err, SALTUS_ERR_MODEL, name,
             "this is no text: byte %zu is zero; a model is a text file in UTF-8",
             (size_t)((const char *)memchr(text, '\0', length) - text) + 1);
    else if (length > SOURCE_MAX)
        fail(err, SALTUS_ERR_MODEL, name, "the script is longer than %zu bytes", SOURCE_MAX);
    else run_in_state(&script, &source, err);
    if (err->status == SALTUS_OK) saltus_model_check_overrides(model, err);
}

static int has_data(const saltus_script_options *options)
{
    if (options->data_count < 0 || (options->data_count > 0 && !options->data)) return 0;
    for (int i = 0; i < options->data_count; i++)
        if (!options->data[i].name || !options->data[i].file) return 0;
    return 1;
}

static int has_overrides(const saltus_script_options *options)
{
    if (options->override_count < 0 || (options->override_count > 0 && !options->overrides))
        return 0;
    for (int i = 0; i < options->override_count; i++)
        if (!options->overrides[i].name) return 0;
    return 1;
}

saltus_model *saltus_model_load_text(const char *name, const char *text, size_t length,
                                     const saltus_script_options *options, saltus_error *err)
{
    HOLD_HOST;
    saltus_error                own = {0};
    const saltus_script_options all = complete(options);
    if (!err) err = &own;
    if (err->status != SALTUS_OK) return NULL;
    saltus_model *model = NULL;
    if (!text && length > 0)
        fail(err, SALTUS_ERR_ARGUMENT, name ? name : "", "the text of the script is NULL");
    else if (!has_overrides(&all))
        fail(err, SALTUS_ERR_ARGUMENT, name ? name : "",
             "the list of %d values from outside is not there, or one of them has no name",
             all.override_count);
    else if (!has_data(&all))
        fail(err, SALTUS_ERR_ARGUMENT, name ? name : "",
             "the list of %d files of data is not there, or one of them has no name",
             all.data_count);
    else model = saltus_model_new(all.allocator, err);
    if (!model) return NULL;
    saltus_model_set_limit(model, OPERATIONS_MAX); /* a single call may build very much */
    saltus_model_set_compile_limits(model, all.memory_limit, all.step_limit);
    fill_model(model, name ? name : "script", text ? text : "", length, &all, err);
    if (err->status == SALTUS_OK) return model;
    saltus_model_free(model);
    return NULL;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The content of a file, in a block of the allocator. */
struct content {
    const saltus_allocator *allocator;
    char                   *bytes;
    size_t                  length, size;
};

static void *resize(const saltus_allocator *allocator, void *block, size_t old_size, size_t size)
{
    if (allocator && allocator->resize)
        return allocator->resize(allocator->context, block, old_size, size);
    if (size > 0) return realloc(block, size);
    free(block);
    return NULL;
}

static int grow(struct content *content)
{
    const size_t size = content->size ? 2 * content->size : 16384;
    char        *larger = resize(content->allocator, content->bytes, content->size, size);
    if (!larger) return 0;
    content->bytes = larger;
    content->size = size;
    return 1;
}

static void read_stream(FILE *stream, const char *file, struct content *content, saltus_error *err)
{
    size_t got;
    do {
        if (content->length == content->size && !grow(content)) {
            fail(err, SALTUS_ERR_MEMORY, file, "out of memory");
            return;
        }
        got = fread(content->bytes + content->length, 1, content->size - content->length, stream);
        content->length += got;
    } while (got > 0 && content->length <= SOURCE_MAX);
    if (ferror(stream))
        fail(err, SALTUS_ERR_FILE, file, "cannot read '%s': %s", file, strerror(errno));
}

static void read_file(const char *file, struct content *content, saltus_error *err)
{
    FILE *stream = fopen(file, "rbe");
    if (!stream) {
        fail(err, SALTUS_ERR_FILE, file, "cannot open '%s': %s", file, strerror(errno));
        return;
    }
    read_stream(stream, file, content, err);
    fclose(stream);
}

/* Runs the script of a file; it may read files in the folder of that file. */
static saltus_model *load_content(const char *file, const struct content *content,
                                  const saltus_script_options *options, saltus_error *err)
{
    saltus_script_options all = complete(options);
    const char           *slash = strrchr(file, '/');
    const size_t          length = slash ? (size_t)(slash - file) + 1 : 0;
    char                 *folder = NULL;
    if (!all.folder) {
        folder = resize(content->allocator, NULL, 0, length + 1);
        if (!folder) {
            fail(err, SALTUS_ERR_MEMORY, file, "out of memory");
            return NULL;
        }
        memcpy(folder, file, length);
        folder[length] = '\0';
        all.folder = folder;
    }
    saltus_model *model = saltus_model_load_text(file, content->bytes, content->length, &all, err);
    if (folder) resize(content->allocator, folder, length + 1, 0);
    return model;
}

saltus_model *saltus_model_load_with(const char *file, const saltus_script_options *options,
                                     saltus_error *err)
{
    saltus_error   own = {0};
    struct content content = {.allocator = options ? options->allocator : NULL};
    saltus_model  *model = NULL;
    if (!err) err = &own;
    if (err->status != SALTUS_OK) return NULL;
    if (!file) {
        fail(err, SALTUS_ERR_ARGUMENT, "", "the name of the script is NULL");
        return NULL;
    }
    read_file(file, &content, err);
    if (err->status == SALTUS_OK) model = load_content(file, &content, options, err);
    if (content.bytes) resize(content.allocator, content.bytes, content.size, 0);
    return model;
}

saltus_model *saltus_model_load(const char *file, saltus_error *err)
{
    return saltus_model_load_with(file, NULL, err);
}
