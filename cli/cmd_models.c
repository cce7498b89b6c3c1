/* saltus models: lists the shipped models, or copies one of them. */

#include "json_result.h"
#include "library.h"
#include "text.h"

/* ---- listing -------------------------------------------------------------------------------- */

static int name_width(void)
{
    int width = 0;
    for (int i = 0; i < cli_library_count; i++)
        if (cli_width(cli_library[i].name) > width) width = cli_width(cli_library[i].name);
    return width;
}

static void print_list(const cli_arguments *a)
{
    const cli_style style = cli_style_of(a->out, a->plain);
    const int       width = name_width();
    for (int i = 0; i < cli_library_count; i++) {
        CLI_OWNED char *line = cli_library_line(&cli_library[i]);
        fprintf(a->out, "  %s%-*s%s  ", cli_escape(style, CLI_BOLD), width, cli_library[i].name,
                cli_escape(style, CLI_PLAIN));
        cli_wrap(a->out, line, width + 4, style.width);
    }
    if (a->quiet) return;
    fputs(
        "\n'saltus models NAME' copies one into this folder; -o FILE elsewhere, -o - prints it.\n",
        a->out);
}

static void print_json(const cli_arguments *a)
{
    json_t *list = json_array();
    for (int i = 0; i < cli_library_count; i++) {
        CLI_OWNED char *line = cli_library_line(&cli_library[i]);
        cli_json_push(list, "name:s about:s", cli_library[i].name, line);
    }
    cli_json_print(cli_json_object("saltus:s models:j", saltus_version(), list), a->out, 2);
}

/* ---- copying -------------------------------------------------------------------------------- */

static void refuse(const char *name, saltus_error *err)
{
    CLI_OWNED const char **names = cli_alloc((size_t)cli_library_count, sizeof *names);
    for (int i = 0; i < cli_library_count; i++) names[i] = cli_library[i].name;
    CLI_OWNED char *near = cli_nearest(name, names, cli_library_count, " (did you mean %s?)",
                                       "; 'saltus models' lists them");
    cli_misuse(err, "there is no shipped model '%s'%s", name, near);
}

int cli_command_models(const cli_arguments *arguments)
{
    if (!arguments->model) {
        if (arguments->json) print_json(arguments);
        else print_list(arguments);
        return 0;
    }
    const cli_shipped *model = cli_library_find(arguments->model);
    saltus_error       err = {0};
    CLI_OWNED char    *file = NULL;
    if (model) {
        file = arguments->output ? cli_copy(arguments->output) : cli_format("%s.lua", model->name);
        cli_library_write(file, model->text, &err);
    } else {
        refuse(arguments->model, &err);
    }
    return cli_library_close(arguments, file, &err);
}
