/* What was measured, three times: aligned on the terminal, as CSV, and as tables for a page. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { COLUMNS = 12, CELLS = 1024, TEXT = 96, CLAIMS = 64 };

static FILE *csv, *page;

static struct {
    char cell[CELLS][TEXT];
    int  columns, count;
} table;

static struct {
    char   what[TEXT], unit[8];
    double limit, measured;
    int    least;
} claims[CLAIMS];
static int claim_count;

void report_open(const char *csv_path, const char *page_path)
{
    csv = fopen(csv_path, "w");
    page = fopen(page_path, "w");
    if (!csv || !page) {
        fprintf(stderr, "bench: cannot write '%s'\n", csv ? page_path : csv_path);
        exit(1);
    }
    fprintf(csv, "problem,size,contestant,what,mark,tolerance,error,seconds\n");
}

void report_close(void)
{
    if (csv) fclose(csv);
    if (page) fclose(page);
    csv = page = NULL;
}

void report_title(const char *format, ...)
{
    char    text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("\n== %s\n", text);
    if (page) fprintf(page, "\n### %s\n\n", text);
    fflush(stdout);
}

void report_note(const char *format, ...)
{
    char    text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%s\n", text);
    if (page) fprintf(page, "%s\n", text);
}

void table_open(const char *columns)
{
    table.columns = table.count = 0;
    while (columns) {
        const char *bar = strchr(columns, '|');
        const int   length = bar ? (int)(bar - columns) : (int)strlen(columns);
        table_cell("%.*s", length, columns);
        table.columns++;
        columns = bar ? bar + 1 : NULL;
    }
}

void table_cell(const char *format, ...)
{
    va_list list;
    if (table.count == CELLS) return;
    va_start(list, format);
    vsnprintf(table.cell[table.count++], TEXT, format, list);
    va_end(list);
}

/* Columns of text. */
static bool left(int column) { return column == 0 || !strcmp(table.cell[column], "contestant"); }

void table_close(void)
{
    int width[COLUMNS] = {0};
    for (int i = 0; i < table.count; i++) {
        const int c = i % table.columns, length = (int)strlen(table.cell[i]);
        if (length > width[c]) width[c] = length;
    }
    for (int i = 0; i < table.count; i++) {
        const int  c = i % table.columns;
        const bool last = c == table.columns - 1;
        printf(left(c) ? "%s%-*s" : "%s%*s", c ? "  " : "", width[c], table.cell[i]);
        if (last) printf("\n");
        if (page) fprintf(page, "%s %s%s", c == 0 ? "|" : " |", table.cell[i], last ? " |\n" : "");
        if (page && i == table.columns - 1) {
            for (int k = 0; k < table.columns; k++) fprintf(page, left(k) ? "|---" : "|---:");
            fprintf(page, "|\n");
        }
    }
    if (page) fprintf(page, "\n");
    fflush(stdout);
}

void csv_row(const char *section, int size, const char *name, const char *what, double mark,
             double tol, double error, double seconds)
{
    if (csv)
        fprintf(csv, "%s,%d,\"%s\",%s,%g,%g,%g,%.9g\n", section, size, name, what, mark, tol, error,
                seconds);
}

static void add_claim(const char *what, double limit, double measured, const char *unit, int least)
{
    if (claim_count == CLAIMS) return;
    snprintf(claims[claim_count].what, TEXT, "%s", what);
    snprintf(claims[claim_count].unit, 8, "%s", unit);
    claims[claim_count].limit = limit;
    claims[claim_count].measured = measured;
    claims[claim_count++].least = least;
}

void claim(const char *what, double limit, double measured, const char *unit)
{
    add_claim(what, limit, measured, unit, 0);
}

void claim_at_least(const char *what, double limit, double measured, const char *unit)
{
    add_claim(what, limit, measured, unit, 1);
}

void claims_print(void)
{
    report_title("What is to be shown");
    table_open("claim|limit|measured|");
    for (int i = 0; i < claim_count; i++) {
        const double m = claims[i].measured, limit = claims[i].limit;
        const bool   met = claims[i].least ? m >= limit : m <= limit;
        table_cell("%s", claims[i].what);
        table_cell("%s %.3g%s", claims[i].least ? ">=" : "<=", limit, claims[i].unit);
        if (isnan(m)) table_cell("-");
        else table_cell("%.3g%s", m, claims[i].unit);
        table_cell("%s", isnan(m) ? "not measured" : met ? "met" : "missed");
    }
    table_close();
}
