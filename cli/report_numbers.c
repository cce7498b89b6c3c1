/* Numbers over time in the page: base64 of their bytes. The engine of a live page has another
 * version of this file (live/numbers.c), which leaves them in memory. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "text.h"

char *cli_base64(const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char             *text = cli_alloc(4 * ((count + 2) / 3) + 1, 1), *out = text;
    for (size_t i = 0; i < count; i += 3) {
        const size_t   left = count - i;
        const unsigned v = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? bytes[i + 2] : 0);
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[v & 63] : '=';
    }
    return text;
}

static void put_little_endian(unsigned char *out, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++) out[i] = (unsigned char)(bits >> (8 * i));
}

static json_t *encoded(unsigned char *bytes, size_t count)
{
    CLI_OWNED char *text = cli_base64(bytes, count);
    json_t         *value = json_string(text);
    free(bytes);
    return value;
}

json_t *cli_report_doubles(const double *values, int count)
{
    unsigned char *bytes = cli_alloc((size_t)count, 8);
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_little_endian(bytes + 8 * (size_t)i, bits, 8);
    }
    return encoded(bytes, 8 * (size_t)count);
}

/* The bits of a value as a float; NaN beyond the range of floats. */
static uint32_t float_bits(double value)
{
    const float f = fabs(value) <= 3.4e38 ? (float)value : NAN;
    uint32_t    bits;
    memcpy(&bits, &f, sizeof bits);
    return isnan(f) ? 0x7fc00000u : bits; /* one NaN: equal runs give equal bytes */
}

json_t *cli_report_floats(const double *values, int columns, int stride, int rows)
{
    unsigned char *bytes = cli_alloc((size_t)columns * (size_t)rows, 4), *out = bytes;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < rows; i++, out += 4)
            put_little_endian(out, float_bits(values[(size_t)c * (size_t)stride + (size_t)i]), 4);
    return encoded(bytes, 4 * (size_t)columns * (size_t)rows);
}
