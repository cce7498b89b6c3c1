/* The five-bar study on the terminal, with its numbers in files.
 *
 *     five_bar_study [-m MODEL] [-r REFERENCES] [-o FOLDER] [SECTION...]
 *
 * Without sections: all of them, and a report in the folder. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "study.h"

static const struct {
    const char *name;
    void (*tell)(study *s);
} sections[] = {
    {"events", section_events},
    {"quadratures", section_quadratures},
    {"gradients", section_gradients},
    {"along", section_along},
    {"constraints", section_constraints},
    {"energy", section_energy},
    {"penalty", section_penalty},
    {"conditioning", section_conditioning},
    {"reference", section_reference},
    {"claims", section_claims},
    {"requirements", section_requirements},
    {"files", section_files},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static int usage(void)
{
    fprintf(stderr, "usage: five_bar_study [-m MODEL] [-r REFERENCES] [-o FOLDER] [SECTION...]\n"
                    "sections:");
    for (int i = 0; i < SECTIONS; i++) fprintf(stderr, " %s", sections[i].name);
    fprintf(stderr, "\n");
    return 1;
}

static int find_section(const char *name)
{
    for (int i = 0; i < SECTIONS; i++)
        if (strcmp(sections[i].name, name) == 0) return i;
    return -1;
}

static void tell_everything(study *s)
{
    s->report = study_file(s, "report.md");
    say(s, "The five-bar study\n"
           "==================\n"
           "\n"
           "The mechanism of Corner, Sandu and Sandu (2018), section 4: four bars, two\n"
           "springs, and a point that hits the ground. The model is models/five_bar.lua;\n"
           "index-1, tol 1e-12, unless said otherwise. What it all means:\n"
           "docs/guide/8-five-bar-study.md.\n"
           "\n");
    for (int i = 0; i < SECTIONS; i++) sections[i].tell(s);
    if (s->report) study_close(s, s->report);
    if (!s->err.status) printf("report: %s/report.md\n", s->folder);
}

int main(int argc, char **argv)
{
    static study s = {
        .model = "models/five_bar.lua", .references = "tests/reference", .folder = "build/study"};
    for (int option; (option = getopt(argc, argv, "m:r:o:")) != -1;) {
        if (option == 'm') s.model = optarg;
        else if (option == 'r') s.references = optarg;
        else if (option == 'o') s.folder = optarg;
        else return usage();
    }
    for (int i = optind; i < argc; i++)
        if (find_section(argv[i]) < 0) return usage();

    if (optind == argc) tell_everything(&s);
    for (int i = optind; i < argc; i++) sections[find_section(argv[i])].tell(&s);

    if (s.err.status) fprintf(stderr, "five_bar_study: error: %s\n", s.err.message);
    for (int h = 0; h < HORIZONS; h++) mechanism_close(&s.at[h]);
    return s.err.status ? saltus_status_exit_code(s.err.status) : s.missed ? 4 : 0;
}
