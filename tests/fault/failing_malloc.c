/* Preloaded before a program: its n-th request for memory fails, and with FAIL_FOR_GOOD all later
 * ones too. FAIL_AT: n, 0 or none: never. COUNT_IN: a file for the number of requests. glibc only:
 * its own functions, stdio among them, ask here as well. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_long requests;
static long        fail_at;
static int         for_good;

static __attribute__((constructor)) void begin(void)
{
    const char *at = getenv("FAIL_AT");
    for_good = getenv("FAIL_FOR_GOOD") != NULL;
    unsetenv("LD_PRELOAD"); /* compilers that the program starts have all the memory they want */
    requests = 0;
    fail_at = at ? strtol(at, NULL, 10) : 0;
}

static __attribute__((destructor)) void end(void)
{
    const char *path = getenv("COUNT_IN");
    const int   file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file < 0) return;
    dprintf(file, "%ld\n", (long)requests);
    close(file);
}

static int is_refused(void)
{
    const long n = atomic_fetch_add(&requests, 1) + 1;
    if (fail_at == 0 || n < fail_at || (n > fail_at && !for_good)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return is_refused() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return is_refused() ? NULL : __libc_calloc(count, size); }

void *realloc(void *block, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(block, size);
}
