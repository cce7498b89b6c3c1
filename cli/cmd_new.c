/* saltus new: a commented model that runs, to be changed into one's own. */
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "text.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* As it stands between quotes in Lua. */
static char *quoted(const char *name)
{
    char *text = cli_alloc(2 * strlen(name) + 1, 1), *out = text;
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') *out++ = '\\';
        *out++ = *name;
    }
    return text;
}

/* A copy in which every mark has become the word. */
static char *replaced(const char *text, const char *mark, const char *word)
{
    const char *at = strstr(text, mark);
    if (!at) return cli_copy(text);
    char *rest = replaced(at + strlen(mark), mark, word);
    char *all = cli_format("%.*s%s%s", (int)(at - text), text, word, rest);
    free(rest);
    return all;
}

static char *script_of(const char *file)
{
    const char *base = base_name(file);
    char       *stem = cli_copy_part(base, strlen(base) - 4);
    char       *name = quoted(stem);
    char       *named = replaced(cli_starter.text, "@NAME@", name);
    char       *script = replaced(named, "@FILE@", base);
    free(named);
    free(name);
    free(stem);
    return script;
}

static int check_name(const char *name, saltus_error *err)
{
    const char *base = base_name(name);
    if (!*base || strcmp(base, ".lua") == 0 || strcmp(base, "-") == 0)
        return cli_misuse(err, "'%s' is no name for a model: write saltus new NAME, for NAME.lua",
                          name);
    for (const char *c = base; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            return cli_misuse(err, "the name of a model has letters, not byte %d",
                              (unsigned char)*c);
    return 1;
}

int cli_command_new(const cli_arguments *arguments)
{
    const char  *name = arguments->model;
    char        *file = cli_format("%s%s", name, cli_ends_with(name, ".lua") ? "" : ".lua");
    saltus_error err = {0};
    if (check_name(name, &err)) {
        char *script = script_of(file);
        cli_library_write(file, script, &err);
        free(script);
    }
    const int status = cli_library_close(arguments, file, &err);
    free(file);
    return status;
}
