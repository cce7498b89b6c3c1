/* Choosing among names. */
#include <string.h>

#include "options.h"
#include "text.h"

static int choose_one(const char *pattern, const char *const *names, int count, char *chosen,
                      const char *what, const char *option, saltus_error *err)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (saltus_name_matches(pattern, names[i])) chosen[i] = 1, found = 1;
    if (found) return 1;
    if (!*pattern) return cli_misuse(err, "%s has an empty name", option);
    if (count == 0) return cli_misuse(err, "%s '%s': the model has no %s", option, pattern, what);
    if (strchr(pattern, '*'))
        return cli_misuse(err, "%s '%s': no %s has such a name", option, pattern, what);
    CLI_OWNED char *near =
        cli_nearest(pattern, names, count, "did you mean '%s'?", "'saltus show' lists them");
    return cli_misuse(err, "%s '%s': there is no such %s; %s", option, pattern, what, near);
}

int cli_choose(const char *list, const char *const *names, int count, char *chosen,
               const char *what, const char *option, saltus_error *err)
{
    while (list) {
        CLI_OWNED char *pattern = cli_next_part(&list, ",");
        if (!choose_one(pattern, names, count, chosen, what, option, err)) return 0;
    }
    return 1;
}

cli_choice cli_choice_of(const char *chosen, int count)
{
    cli_choice choice = {cli_alloc((size_t)count, sizeof(int)), 0};
    for (int i = 0; i < count; i++)
        if (chosen[i]) choice.index[choice.count++] = i;
    return choice;
}
