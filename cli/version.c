/* --version: prints the version of the program and what it was built with. */

#include "commit.h"
#include "options.h"
#include "report.h"
#include "team.h"

#if defined(__clang__)
#define COMPILER "Clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "GCC " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* The version of SQLite is empty if there is none. */
static const int has_sqlite = sizeof CLI_SQLITE_VERSION > 1;

void cli_version_print(FILE *stream)
{
    const char  *team = cli_team_library();
    char         folder[4096] = "";
    saltus_error err = {0}, nlopt = {0}, ipopt = {0};
    saltus_cache_folder(folder, sizeof folder, &err);
    fprintf(stream, "saltus %s\n", saltus_version());
    if (*CLI_COMMIT) fprintf(stream, "commit     %s\n", CLI_COMMIT);
    fprintf(stream, "compiler   %s\n", COMPILER);
    fprintf(stream, "libraries  Lua %s, KLU %s, Jansson %s, %s%s\n", CLI_LUA_VERSION,
            CLI_KLU_VERSION, CLI_JANSSON_VERSION, has_sqlite ? "SQLite " : "no SQLite",
            CLI_SQLITE_VERSION);
    fprintf(stream, "commands   %s, %s\n",
            !cli_report_page_size  ? "no report"
            : cli_live_engine_size ? "report (pages simulate)"
                                   : "report (pages do not simulate)",
            has_sqlite ? "sweep" : "no sweep");
    saltus_engine_find(SALTUS_ENGINE_NLOPT, &nlopt);
    saltus_engine_find(SALTUS_ENGINE_IPOPT, &ipopt);
    fprintf(stream, "engines    sqp, %s, %s\n", nlopt.status ? "no nlopt" : "nlopt",
            ipopt.status ? "no ipopt" : "ipopt");
    fprintf(stream, "processes  %s\n", team ? team : "one (saltus-mpi: several, by MPI)");
    fprintf(stream, "cache      %s\n", *folder ? folder : "none");
}
