/* The system's C compiler, called without a shell.
 *
 * It is $CC if that is set (words separated by blanks: the compiler, then options), otherwise cc,
 * searched for in $PATH. Apart from this, the library reads from the environment only where the
 * cache and temporary files are (cache.h). */
#ifndef SAL_NATIVE_COMPILER_H
#define SAL_NATIVE_COMPILER_H

#include <sys/types.h>

#include "native/cache.h"

typedef struct sal_compiler {
    char        *text; /* a copy of $CC, split into words */
    const char **word;
    int          words;
    char         path[SAL_PATH]; /* path of the program */
    sal_key      identity;       /* hash of everything but the code that objects depend on */
} sal_compiler;

/* Finds the compiler; false, and why has a message, if there is none. To be released in either
 * case. */
bool sal_compiler_find(sal_compiler *compiler, char *why, size_t size);
void sal_compiler_release(sal_compiler *compiler);

/* Starts to compile code.c in the folder of a build to the object of that name; false, and why has
 * a message, if that fails. The compiler inherits none of our open files. It has a process group of
 * its own, which is killed when the compiler or our process ends. */
bool sal_compiler_start(const sal_compiler *compiler, const sal_build *build, const char *object,
                        pid_t *child, char *why, size_t size);

/* How long to wait, and a callback that may request to stop. */
typedef struct sal_wait {
    double since, seconds;       /* when waiting began (sal_seconds), and its longest duration */
    bool (*stop)(void *context); /* may be NULL */
    void *context;
} sal_wait;

/* Returns the time of a monotonic clock in seconds. */
double sal_seconds(void);

typedef enum sal_compiled {
    SAL_COMPILED,         /* it ended without an error; there should be an object */
    SAL_COMPILER_FAILED,  /* why has the compiler's message */
    SAL_COMPILER_LATE,    /* it was killed after the time limit; why says so */
    SAL_COMPILER_STOPPED, /* it was killed because the callback requested to stop */
} sal_compiled;

sal_compiled sal_compiler_wait(const sal_compiler *compiler, const sal_build *build, pid_t child,
                               const sal_wait *wait, char *why, size_t size);

#endif
