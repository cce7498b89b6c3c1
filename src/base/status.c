/* The texts of statuses, and filling in errors. */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#include "base/host.h"

static const struct {
    const char *name, *text;
    int         exit_code;
} rows[] = {
#define ROW(name, text, code) [SALTUS_##name] = {#name, text, code},
    ROW(OK, "no error", 0) ROW(ERR_ARGUMENT, "wrong argument", 1)
        ROW(ERR_FILE, "a file cannot be read or written", 1) ROW(ERR_MEMORY, "out of memory", 3)
            ROW(ERR_MODEL, "the model is wrong", 2) ROW(ERR_SINGULAR, "a singular mass matrix", 3)
                ROW(ERR_NOT_FINITE, "a value that is not finite", 3)
                    ROW(ERR_GRAZING, "a grazing event has no gradient", 3)
                        ROW(ERR_NO_GRADIENT, "the gradient does not exist", 3)
                            ROW(ERR_ASSEMBLY, "the mechanism cannot be assembled", 3)
                                ROW(ERR_LIMIT, "a limit was reached", 3)
                                    ROW(ERR_UNFINISHED, "the run did not reach its end", 3)
                                        ROW(ERR_INTERRUPTED, "interrupted", 130)
#undef ROW
};

static int is_status(saltus_status status)
{
    return (int)status >= 0 && (int)status < (int)(sizeof rows / sizeof rows[0]);
}

const char *saltus_status_text(saltus_status status)
{
    return is_status(status) ? rows[status].text : "";
}

const char *saltus_status_name(saltus_status status)
{
    return is_status(status) ? rows[status].name : "";
}

int saltus_status_exit_code(saltus_status status)
{
    return rows[is_status(status) ? status : SALTUS_ERR_ARGUMENT].exit_code;
}

saltus_status sal_fail_list(saltus_error *err, saltus_status status, const char *file, int line,
                            const char *format, va_list arguments)
{
    if (err && err->status == SALTUS_OK) {
        HOLD_HOST; /* numbers are formatted */
        err->status = status;
        err->line = line;
        snprintf(err->file, sizeof err->file, "%s", file ? file : "");
        vsnprintf(err->message, sizeof err->message, format, arguments);
    }
    return status;
}

saltus_status sal_fail(saltus_error *err, saltus_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sal_fail_list(err, status, NULL, 0, format, arguments);
    va_end(arguments);
    return status;
}

saltus_status sal_fail_at(saltus_error *err, saltus_status status, const char *file, int line,
                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sal_fail_list(err, status, file, line, format, arguments);
    va_end(arguments);
    return status;
}

saltus_status sal_fail_memory(saltus_error *err)
{
    return sal_fail(err, SALTUS_ERR_MEMORY, "out of memory");
}
