/* What the program has and a page does not need: its models, the page itself, writing and serving it. */
#include "library.h"
#include "report.h"
#include "watch.h"

const cli_shipped   cli_library[] = {{"", ""}};
const int           cli_library_count = 0;
const cli_shipped   cli_starter = {"", ""};
const cli_shipped   cli_editor_files[] = {{"", ""}};
const unsigned char cli_report_page[] = {0}, cli_sweep_page[] = {0}, cli_live_engine[] = {0};
const unsigned long cli_report_page_size = 0, cli_sweep_page_size = 0, cli_live_engine_size = 0;

void cli_report_write(FILE *stream, const char *title, const char *about, const json_t *data,
                      int live)
{
    (void)stream, (void)title, (void)about, (void)data, (void)live;
}

int cli_report_may_replace(const char *path)
{
    (void)path;
    return 0;
}

void cli_page_write(FILE *stream, const unsigned char *page, unsigned long size, const char *title,
                    const char *about, const json_t *data, int live)
{
    (void)stream, (void)page, (void)size, (void)title, (void)about, (void)data, (void)live;
}

int cli_watch(const cli_arguments *arguments)
{
    (void)arguments;
    return 0;
}

int cli_browse(const char *target, saltus_error *err)
{
    (void)target, (void)err;
    return 0;
}
