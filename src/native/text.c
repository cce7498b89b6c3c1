/* A text that grows: see text.h. */
#include "native/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void sal_text_put(sal_text *text, const char *format, ...)
{
    char    line[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const int more = text->chars.count ? length : length + 1;
    if (text->failed || length < 0 || !ARRAY_RESERVE(text->allocator, &text->chars, more)) {
        text->failed = true;
        return;
    }
    char *end = text->chars.data + (text->chars.count ? text->chars.count - 1 : 0);
    if (length < (int)sizeof line) {
        memcpy(end, line, (size_t)length + 1);
    } else { /* rare: a long line is formatted in place */
        va_start(arguments, format);
        vsnprintf(end, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    text->chars.count += more;
}

const char *sal_text_get(const sal_text *text) { return text->chars.count ? text->chars.data : ""; }

void sal_text_release(sal_text *text) { ARRAY_RELEASE(text->allocator, &text->chars); }

/* Does not use %a, which writes a comma instead of a point in some locales. */
void sal_text_number(sal_text *text, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const char    *sign = bits >> 63 ? "-" : "";
    const int      power = (int)(bits >> 52 & 2047);
    const uint64_t rest = bits & (((uint64_t)1 << 52) - 1);
    if (isnan(value)) sal_text_put(text, "__builtin_nan(\"\")");
    else if (isinf(value)) sal_text_put(text, "(%s__builtin_inf())", sign);
    else if (value == 0.0) sal_text_put(text, *sign ? "(-0.0)" : "0.0");
    else
        sal_text_put(text, "%s%s0x%d.%013llxp%+d%s", *sign ? "(" : "", sign, power > 0,
                     (unsigned long long)rest, power > 0 ? power - 1023 : -1022, *sign ? ")" : "");
}
