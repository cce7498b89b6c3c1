/* What a page needs to simulate its model itself: the engine (live/) and the command that it gives
 * to it. */
#include <string.h>

#include "json_result.h"
#include "report.h"
#include "text.h"

/* Options that change the motion, or what is computed of it. Values of --set and --params are
 * written one by one, as there are no files in a page. */
static int is_asked_again(cli_option_id option)
{
    static const cli_option_id kept[] = {CLI_OPTION_EVERY, CLI_OPTION_WRT,         CLI_OPTION_COST,
                                         CLI_OPTION_TOL,   CLI_OPTION_FORMULATION, CLI_OPTION_UNTIL,
                                         CLI_OPTION_SEED};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (option == kept[i]) return 1;
    return option >= CLI_OPTION_SOLVER;
}

/* Takes over the text. */
static void add_word(json_t *words, char *word)
{
    json_array_append_new(words, cli_json_text(word));
    free(word);
}

static void add_values(json_t *words, const cli_arguments *a)
{
    cli_values   values = {0};
    saltus_error err = {0};
    cli_arguments_values(a, &values, &err); /* has succeeded before */
    for (int i = 0; i < values.count; i++) {
        const saltus_override *value = &values.value[i];
        add_word(words, cli_copy("--set"));
        add_word(words, value->text ? cli_format("%s=\"%s\"", value->name, value->text)
                                    : cli_format("%s=%.17g", value->name, value->value));
    }
    cli_values_free(&values);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "model.lua" : slash ? slash + 1 : path;
}

/* Two motions that are compared stay as they are. */
int cli_report_is_live(const cli_arguments *a)
{
    return cli_live_engine_size > 0 && a->command->function == cli_command_report &&
           a->model_count < 2 && !cli_argument(a, CLI_OPTION_STATIC);
}

json_t *cli_report_live(const cli_session *s)
{
    const cli_arguments *a = s->arguments;
    char                 spelling[32];
    if (!s->files) return json_null();
    json_t *words = json_array();
    add_word(words, cli_copy("report"));
    add_word(words, cli_copy(name_of(a->model)));
    for (int i = 0; i < a->count; i++) {
        const cli_option_id option = a->given[i].option;
        if (!is_asked_again(option)) continue;
        add_word(words, cli_format("--%s", cli_option_spelling(option, spelling, sizeof spelling)));
        if (*cli_options[option].argument) add_word(words, cli_copy(a->given[i].value));
    }
    add_values(words, a);
    return cli_json_object("file:s arguments:j files:j", name_of(a->model), words,
                           json_incref(s->files));
}
