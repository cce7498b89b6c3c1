/* saltus new: a commented model that runs, to be changed into one's own. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "json_result.h"
#include "library.h"
#include "text.h"

static char *script_of(const char *file)
{
    const char     *base = cli_base_name(file);
    CLI_OWNED char *stem = cli_copy_part(base, strlen(base) - 4);
    CLI_OWNED char *escaped = cli_replaced(stem, "\\", "\\\\"); /* for a text in quotes in Lua */
    CLI_OWNED char *name = cli_replaced(escaped, "\"", "\\\"");
    CLI_OWNED char *named = cli_replaced(cli_starter.text, "@NAME@", name);
    return cli_replaced(named, "@FILE@", base);
}

static int check_name(const char *name, saltus_error *err)
{
    const char *base = cli_base_name(name);
    if (!*base || strcmp(base, ".lua") == 0 || strcmp(base, "-") == 0)
        return cli_misuse(
            err, "'%s' cannot be the name of a model: write saltus new NAME, for NAME.lua", name);
    for (const char *c = base; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            return cli_misuse(err, "the name of a model has letters, not byte %d",
                              (unsigned char)*c);
    return 1;
}

/* Writes the files for editors beside the model. Existing files stay, as the user may have written
 * or changed them. */
static int write_editor_files(const cli_arguments *a, const char *file, saltus_error *err)
{
    const char *base = file ? cli_base_name(file) : "";
    const int   folder = file ? (int)(base - file) : 0;
    for (int i = 0; i < CLI_EDITOR_FILES && !err->status; i++) {
        CLI_OWNED char *path =
            cli_format("%.*s%s", folder, file ? file : "", cli_editor_files[i].name);
        if (access(path, F_OK) == 0) {
            if (!a->quiet && !a->json) cli_print(a->out, "%s is there already.\n", path);
        } else if (cli_library_write(path, cli_editor_files[i].text, err) && !a->quiet &&
                   !a->json) {
            cli_print(a->out, "%s written.\n", path);
        }
    }
    return err->status == SALTUS_OK;
}

/* Writes only the files for editors: saltus new --editor. */
static int write_editor_only(const cli_arguments *a)
{
    saltus_error err = {0};
    if (!write_editor_files(a, NULL, &err)) return cli_refuse(a, &err);
    if (a->json)
        cli_json_print(
            cli_json_object("saltus:s file:s", saltus_version(), cli_editor_files[0].name), a->out,
            2);
    return 0;
}

int cli_command_new(const cli_arguments *arguments)
{
    const char *name = arguments->model;
    if (!name) return write_editor_only(arguments);
    CLI_OWNED char *file = cli_format("%s%s", name, cli_ends_with(name, ".lua") ? "" : ".lua");
    saltus_error    err = {0};
    if (check_name(name, &err)) {
        CLI_OWNED char *script = script_of(file);
        if (cli_library_write(file, script, &err) && cli_is_given(arguments, CLI_OPTION_EDITOR))
            write_editor_files(arguments, file, &err);
    }
    return cli_library_close(arguments, file, &err);
}
