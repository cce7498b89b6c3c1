/* The system's C compiler, called without a shell.
 *
 * $CC if it is set (words separated by blanks: the compiler, then options), else cc; both are
 * looked for in $PATH. This and the place of the cache (cache.h) are all that the library reads
 * from the environment. */
#ifndef SAL_NATIVE_COMPILER_H
#define SAL_NATIVE_COMPILER_H

#include <sys/types.h>

#include "native/cache.h"

typedef struct sal_compiler {
    char        *text; /* $CC in words */
    const char **word;
    int          words;
    char         path[SAL_PATH]; /* of the program */
    sal_key      identity;       /* of everything that objects depend on besides their code */
} sal_compiler;

/* False, and why says what is missing. To be released in either case. */
bool sal_compiler_find(sal_compiler *compiler, char *why, size_t size);
void sal_compiler_release(sal_compiler *compiler);

/* Begins to compile code.c in a folder to the object of that name; false, and why says what is
 * wrong. The compiler gets none of our open files, and a group of its own, which ends with the
 * compiler or with us. */
bool sal_compiler_start(const sal_compiler *compiler, const sal_build *build, const char *object,
                        pid_t *child, char *why, size_t size);

/* How long to wait, and a callback that may ask to stop. */
typedef struct sal_wait {
    double since, seconds;       /* start on the clock of sal_seconds, and how long */
    bool (*stop)(void *context); /* may be NULL */
    void *context;
} sal_wait;

double sal_seconds(void);

typedef enum sal_compiled {
    SAL_COMPILED,         /* there should be an object */
    SAL_COMPILER_FAILED,  /* why has the compiler's message */
    SAL_COMPILER_LATE,    /* it was killed after the time limit; why says so */
    SAL_COMPILER_STOPPED, /* it was killed because the callback asked to stop */
} sal_compiled;

sal_compiled sal_compiler_wait(const sal_compiler *compiler, const sal_build *build, pid_t child,
                               const sal_wait *wait, char *why, size_t size);

#endif
