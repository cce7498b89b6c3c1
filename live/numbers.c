/* Numbers over time, for a page that reads the memory of the engine: instead of base64, as in
 * cli/report_numbers.c, the page is told where they are. */
#include "numbers.h"

#include <stdlib.h>

#include "json_result.h"
#include "report.h"
#include "text.h"

static void **kept;
static int    count;

void live_numbers_forget(void)
{
    while (count > 0) free(kept[--count]);
}

static void *keep(void *numbers) { return *CLI_PUSH(kept, count) = numbers; }

static json_t *place(const char *kind, const void *numbers, int size)
{
    return cli_json_object("kind:s at:l count:i", kind, (long long)(size_t)numbers,
                        size);
}

json_t *cli_report_doubles(const double *values, int size)
{
    double *copy = keep(cli_alloc((size_t)size, sizeof *copy));
    for (int i = 0; i < size; i++) copy[i] = values[i];
    return place("doubles", copy, size);
}

json_t *cli_report_floats(const double *values, int columns, int stride, int rows)
{
    float *copy = keep(cli_alloc((size_t)columns * (size_t)rows, sizeof *copy)), *out = copy;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < rows; i++) *out++ = (float)values[(size_t)c * (size_t)stride + (size_t)i];
    return place("floats", copy, columns * rows);
}
