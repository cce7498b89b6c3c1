/* Saltus against a specialised solver and against its peers, all in one run on one core.
 *
 *     bench [--quick] [--out FOLDER] [SECTION]...
 *     bench --check     is every contestant right? Nothing is timed
 *
 * Sections: five-bar, springs, links, ball, kernels, start; all if none is given. Prints tables,
 * and writes results.csv and tables.md to the folder. docs/benchmarks.md has the method. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench.h"

static const struct section {
    const char *name;
    void (*run)(const plan *how);
} sections[] = {
    {"five-bar", section_five_bar}, {"springs", section_springs}, {"links", section_links},
    {"ball", section_ball},         {"kernels", section_kernels}, {"start", section_start},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void processor(char *text, size_t size)
{
    char  line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            snprintf(text, size, "%s", strchr(line, ':') + 2);
            text[strcspn(text, "\n")] = '\0';
            break;
        }
    if (file) fclose(file);
}

static void about(const plan *how, int core)
{
    char           cpu[128], date[32], load[64] = "unknown";
    struct utsname system;
    const time_t   now = time(NULL);
    FILE          *file = fopen("/proc/loadavg", "r");
    processor(cpu, sizeof cpu);
    uname(&system);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    if (file && fgets(load, sizeof load, file)) load[strcspn(load, " ")] = '\0';
    if (file) fclose(file);
    report_note("%s, %s %s, %s; core %d; %s run, medians of %d rounds; load of the machine %s", cpu,
                system.sysname, system.machine, date, core, how->quick ? "quick" : "full",
                how->rounds, load);
    report_note("  ");
    report_note("* saltus: %s, %s; native kernels: its own flags; hand-written solver: %s",
                BENCH_COMPILER, BENCH_FLAGS, BENCH_HAND_FLAGS);
    report_note("* %s", *sundials_about() ? sundials_about() : "SUNDIALS: not there");
    report_note("* %s", *petsc_about() ? petsc_about() : "PETSc: not there");
}

static int usage(const char *word)
{
    fprintf(
        stderr,
        "bench: '%s' is not known\nusage: bench [--quick | --check] [--out FOLDER] [SECTION]...\n",
        word);
    fprintf(stderr, "sections:");
    for (int i = 0; i < SECTIONS; i++) fprintf(stderr, " %s", sections[i].name);
    fprintf(stderr, "\n");
    return 1;
}

int main(int count, char **word)
{
    plan        how = {21, 0.02, 8, false};
    const char *folder = ".";
    bool        wanted[SECTIONS] = {false}, some = false;
    for (int i = 1; i < count; i++) {
        int s = 0;
        if (!strcmp(word[i], "--check")) return check_contestants() ? 1 : 0;
        if (!strcmp(word[i], "--quick")) {
            how = (plan){5, 0.002, 4, true};
            continue;
        }
        if (!strcmp(word[i], "--out") && i + 1 < count) {
            folder = word[++i];
            continue;
        }
        while (s < SECTIONS && strcmp(word[i], sections[s].name)) s++;
        if (s == SECTIONS) return usage(word[i]);
        wanted[s] = some = true;
    }
    char csv[512], page[512];
    snprintf(csv, sizeof csv, "%s/results.csv", folder);
    snprintf(page, sizeof page, "%s/tables.md", folder);
    report_open(csv, page);
    about(&how, pin_to_one_core());
    for (int i = 0; i < SECTIONS; i++)
        if (wanted[i] || !some) sections[i].run(&how);
    claims_print();
    report_close();
    printf("\nresults: %s, tables: %s\n", csv, page);
    return 0;
}
