/* saltus cache: lists the compiled code that is kept, or removes it. */

#include "json_result.h"
#include "table.h"
#include "text.h"

enum { MAX_PATH = 4096 };

typedef struct kept {
    json_t    *list;  /* NULL: not requested */
    cli_table *table; /* NULL: not requested */
    int        count;
    long long  bytes;
} kept;

/* "8 s ago", "5 min ago", "3 h ago", "12 d ago". */
static void write_age(double seconds, char *text, size_t size)
{
    if (seconds < 60.0) snprintf(text, size, "%.0f s ago", seconds);
    else if (seconds < 3600.0) snprintf(text, size, "%.0f min ago", seconds / 60.0);
    else if (seconds < 86400.0) snprintf(text, size, "%.0f h ago", seconds / 3600.0);
    else snprintf(text, size, "%.0f d ago", seconds / 86400.0);
}

static void add_row(cli_table *table, const saltus_cache_entry *entry)
{
    char age[32];
    write_age(entry->age, age, sizeof age);
    cli_table_row(table, "sls", *entry->model ? entry->model : "?", entry->bytes, age);
}

static void add(void *context, const saltus_cache_entry *entry)
{
    kept *k = context;
    if (k->list)
        cli_json_push(k->list, "file:s model:e bytes:l age:n", entry->name, entry->model,
                      entry->bytes, entry->age);
    if (k->table) add_row(k->table, entry);
    k->count++;
    k->bytes += entry->bytes;
}

/* Takes over the list. */
static void print_json(const cli_arguments *a, const char *folder, const kept *k, int cleared)
{
    json_t *object =
        cli_json_object("saltus:s folder:s bytes:l", saltus_version(), folder, k->bytes);
    cli_json_add(object, cleared ? "removed:j" : "entries:j", k->list);
    cli_json_print(object, a->out, 2);
}

static void print_total(const cli_arguments *a, const char *folder, const kept *k, int cleared)
{
    if (k->count == 0) fprintf(a->out, "no compiled code in %s\n", folder);
    else
        fprintf(a->out, "%s%d file%s, %lld bytes, in %s\n", cleared ? "removed: " : "", k->count,
                k->count == 1 ? "" : "s", k->bytes, folder);
    if (k->count && !cleared) fputs("'saltus cache --clear' removes them.\n", a->out);
}

int cli_command_cache(const cli_arguments *a)
{
    char         folder[MAX_PATH];
    saltus_error err = {0};
    const int    clear = cli_argument(a, CLI_OPTION_CLEAR) != NULL;
    kept         k = {.list = a->json ? json_array() : NULL};
    if (!a->json && !clear) k.table = cli_table_of("compiled code", 1, "model|>bytes|>last used");
    saltus_cache_folder(folder, sizeof folder, &err);
    saltus_cache_list(add, &k, &err);
    if (clear) saltus_cache_clear(&err);
    if (k.table) cli_table_print(k.table, a->out, cli_style_of(a->out, a->plain));
    if (err.status) {
        json_decref(k.list);
        return cli_refuse(a, &err);
    }
    if (a->json) print_json(a, folder, &k, clear);
    else if (!a->quiet) print_total(a, folder, &k, clear);
    return 0;
}
