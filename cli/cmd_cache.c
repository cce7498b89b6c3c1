/* saltus cache: what compiled code is kept, and how to be rid of it. */
#include <stdlib.h>

#include "json_result.h"
#include "table.h"
#include "text.h"

enum { MAX_PATH = 4096 };

typedef struct kept {
    json_t    *list;  /* NULL: not wanted */
    cli_table *table; /* NULL: not wanted */
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
    cli_table_cell(table, *entry->model ? entry->model : "?");
    cli_table_integer(table, entry->bytes);
    cli_table_cell(table, age);
}

static void add_object(json_t *list, const saltus_cache_entry *entry)
{
    json_t *object = json_object();
    cli_json_set(object, "file", cli_json_text(entry->name));
    cli_json_set(object, "model", cli_json_text(*entry->model ? entry->model : NULL));
    cli_json_set(object, "bytes", json_integer(entry->bytes));
    cli_json_set(object, "age", cli_json_number(entry->age));
    json_array_append_new(list, object);
}

static void add(void *context, const saltus_cache_entry *entry)
{
    kept *k = context;
    if (k->list) add_object(k->list, entry);
    if (k->table) add_row(k->table, entry);
    k->count++;
    k->bytes += entry->bytes;
}

/* Takes over the list. */
static void print_json(const cli_arguments *a, const char *folder, const kept *k, int cleared)
{
    json_t *object = json_object();
    cli_json_set(object, "saltus", cli_json_text(saltus_version()));
    cli_json_set(object, "folder", cli_json_text(folder));
    cli_json_set(object, "bytes", json_integer(k->bytes));
    cli_json_set(object, cleared ? "removed" : "entries", k->list);
    cli_json_print(object, a->out, 2);
    json_decref(object);
}

static void print_total(const cli_arguments *a, const char *folder, const kept *k, int cleared)
{
    if (k->count == 0) fprintf(a->out, "no compiled code in %s\n", folder);
    else
        fprintf(a->out, "%s%d file%s, %lld bytes, in %s\n", cleared ? "removed: " : "", k->count,
                k->count == 1 ? "" : "s", k->bytes, folder);
    if (k->count && !cleared) fputs("'saltus cache --clear' removes them.\n", a->out);
}

static int refuse(const cli_arguments *a, const saltus_error *err)
{
    if (a->json) cli_result_of_error(err, 2);
    cli_error_print(a->err, err, a->plain);
    return saltus_status_exit_code(err->status);
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
        return refuse(a, &err);
    }
    if (a->json) print_json(a, folder, &k, clear);
    else if (!a->quiet) print_total(a, folder, &k, clear);
    return 0;
}
