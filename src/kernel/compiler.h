/* The system's C compiler, called without a shell.
 *
 * $CC if it is set (words separated by blanks: the compiler, then options), else cc; both are
 * looked for in $PATH. This and the place of the cache (cache.h) are all that the library reads
 * from the environment. */
#ifndef SAL_KERNEL_COMPILER_H
#define SAL_KERNEL_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SAL_COMPILER_WORDS = 16, SAL_PATH = 1024, SAL_WHY = 256 };

typedef struct sal_compiler {
    char        text[SAL_PATH]; /* $CC in words */
    const char *word[SAL_COMPILER_WORDS];
    int         words;
    char        path[SAL_PATH];           /* of the program */
    char        identity[SAL_PATH + 512]; /* path, size, time; machine; flags */
} sal_compiler;

/* False, and why says what is missing. */
bool sal_compiler_find(sal_compiler *compiler, char *why, size_t size);

/* Begins to compile folder/code.c to folder/code.so; false, and why says what is wrong. */
bool sal_compiler_start(const sal_compiler *compiler, const char *folder, pid_t *child, char *why,
                        size_t size);
/* Waits until it is done; false, and why says what the compiler said. */
bool sal_compiler_wait(const sal_compiler *compiler, const char *folder, pid_t child, char *why,
                       size_t size);

#endif
