/* --version: what this program is, and what it was built with. */
#include <stdlib.h>

#include "commit.h"
#include "options.h"
#include "report.h"

#if defined(__clang__)
#define COMPILER "Clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "GCC " __VERSION__
#else
#define COMPILER "unknown"
#endif

#ifdef CLI_SQLITE
#define SQLITE "SQLite " CLI_SQLITE_VERSION
#else
#define SQLITE "no SQLite"
#endif

void cli_version_print(FILE *stream)
{
    char         folder[4096] = "";
    saltus_error err = {0};
    saltus_cache_folder(folder, sizeof folder, &err);
    fprintf(stream, "saltus %s\n", saltus_version());
    if (*CLI_COMMIT) fprintf(stream, "commit     %s\n", CLI_COMMIT);
    fprintf(stream, "compiler   %s\n", COMPILER);
    fprintf(stream, "libraries  Lua %s, KLU %s, Jansson %s, %s\n", CLI_LUA_VERSION, CLI_KLU_VERSION,
            CLI_JANSSON_VERSION, SQLITE);
    fprintf(stream, "commands   %s, %s\n", cli_report_page_size ? "report" : "no report",
            *SQLITE == 'S' ? "sweep" : "no sweep");
    fprintf(stream, "cache      %s\n", *folder ? folder : "none");
}
