/* The system's C compiler: see compiler.h. */
#define _POSIX_C_SOURCE 200809L
#include "kernel/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#include <cpuid.h>
#define HAVE_CPUID 1
#else
#define HAVE_CPUID 0
#endif

extern char **environ;

enum { PATIENCE = 120 }; /* seconds that a compiler may take */

/* No -ffast-math, no contraction, no built-in functions but those the code names: each operation is
 * the interpreter's, so that both agree bit for bit.
 *
 * Of what -O2 does beyond -O1, straight lines gain from common subexpressions looked for once more
 * (sal_emit_head), from leaving the upper halves of vector registers clean (one of the "expensive"
 * ones), and from functions that begin at half a line of the cache. The rest is a fifth of the
 * compiler's time. Vectors found in straight lines are no good: gcc 12 fuses a * b +- c in them. */
static const char *const flags[] = {
    "-std=gnu11",
    "-O1",
    "-fexpensive-optimizations",
    "-fno-tree-slp-vectorize",
    "-falign-functions=32",
    "-falign-loops=32",
    "-march=native",
    "-fPIC",
    "-shared",
#ifdef __linux__
    "-nostdlib", /* of libraries, the code needs libm only */
#endif
    "-fno-math-errno",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-w",
};
enum { FLAGS = sizeof flags / sizeof flags[0] };

/* ---- finding -------------------------------------------------------------------------------- */

static void split(sal_compiler *c, const char *text)
{
    snprintf(c->text, sizeof c->text, "%s", text);
    char *rest = c->text;
    while (c->words < SAL_COMPILER_WORDS - 1) {
        rest += strspn(rest, " \t");
        if (!*rest) break;
        c->word[c->words++] = rest;
        rest += strcspn(rest, " \t");
        if (*rest) *rest++ = 0;
    }
}

static bool is_program(const char *path, struct stat *about)
{
    return stat(path, about) == 0 && S_ISREG(about->st_mode) && access(path, X_OK) == 0;
}

/* A name with a slash is a path; others are looked for like a shell does. */
static bool search(sal_compiler *c, struct stat *about)
{
    const char *list = getenv("PATH");
    if (strchr(c->word[0], '/')) {
        snprintf(c->path, sizeof c->path, "%s", c->word[0]);
        return is_program(c->path, about);
    }
    if (!list || !*list) list = "/usr/local/bin:/usr/bin:/bin";
    while (*list) {
        const size_t length = strcspn(list, ":");
        const int    used =
            snprintf(c->path, sizeof c->path, "%.*s/%s", (int)length, list, c->word[0]);
        if (length > 0 && used < (int)sizeof c->path && is_program(c->path, about)) return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* -march=native means this machine: a cache on a shared disk must not confuse two of them. */
static void describe_machine(char *text, size_t size)
{
#if HAVE_CPUID
    unsigned a = 0, b = 0, c = 0, d = 0, model = 0, more_b = 0, more_c = 0, more_d = 0;
    __get_cpuid(1, &model, &b, &c, &d);
    __get_cpuid_count(7, 0, &a, &more_b, &more_c, &more_d);
    snprintf(text, size, "x86 %08x %08x %08x %08x %08x %08x", model, c, d, more_b, more_c, more_d);
#else
    if (gethostname(text, size) != 0) *text = 0;
    text[size - 1] = 0;
#endif
}

static void describe(sal_compiler *c, const struct stat *about)
{
    char   machine[128];
    size_t used;
    describe_machine(machine, sizeof machine);
    snprintf(c->identity, sizeof c->identity, "%s %lld %lld.%09ld %s", c->path,
             (long long)about->st_size, (long long)about->st_mtim.tv_sec, about->st_mtim.tv_nsec,
             machine);
    for (int i = 1; i < c->words + FLAGS; i++) {
        used = strlen(c->identity);
        snprintf(c->identity + used, sizeof c->identity - used, " %s",
                 i < c->words ? c->word[i] : flags[i - c->words]);
    }
}

bool sal_compiler_find(sal_compiler *c, char *why, size_t size)
{
    struct stat about;
    const char *wanted = getenv("CC");
    memset(c, 0, sizeof *c);
    split(c, wanted ? wanted : "");
    if (c->words == 0) split(c, "cc");
    if (!search(c, &about)) {
        snprintf(why, size, "there is no C compiler '%s'%s", c->word[0],
                 wanted ? " ($CC)" : " in $PATH");
        return false;
    }
    describe(c, &about);
    return true;
}

/* ---- running -------------------------------------------------------------------------------- */

static bool spawn(const sal_compiler *c, const char *folder, pid_t *child)
{
    char        source[SAL_PATH + 16], object[SAL_PATH + 16], said[SAL_PATH + 16];
    const char *list[SAL_COMPILER_WORDS + FLAGS + 5];
    int         count = 0;
    snprintf(source, sizeof source, "%s/code.c", folder);
    snprintf(object, sizeof object, "%s/code.so", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    for (int i = 0; i < c->words; i++) list[count++] = c->word[i];
    for (int i = 0; i < FLAGS; i++) list[count++] = flags[i];
    list[count++] = "-o";
    list[count++] = object;
    list[count++] = source;
    list[count++] = "-lm";
    list[count] = NULL;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    union { /* the words are not changed, though the type does not say so */
        const char **in;
        char *const *out;
    } words = {list};
    const int failed = posix_spawn(child, c->path, &actions, NULL, words.out, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = failed;
    return failed == 0;
}

/* The exit status; -1 if it took too long, -2 if somebody else waited for our child. */
static int wait_for(pid_t child)
{
    const struct timespec pause = {0, 1000000};
    const time_t          end = time(NULL) + PATIENCE;
    int                   status = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno != EINTR) return -2;
        if (time(NULL) > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
}

/* The first line of what the compiler said that has an error in it, or the first line. */
static void quote(const char *folder, char *text, size_t size)
{
    char  path[SAL_PATH + 16], line[SAL_WHY];
    FILE *file;
    snprintf(path, sizeof path, "%s/said", folder);
    *text = 0;
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*text && !strstr(line, "error")) continue;
        snprintf(text, size, ": %.*s", SAL_WHY - 4, line);
        if (strstr(line, "error")) break;
    }
    if (file) fclose(file);
}

bool sal_compiler_start(const sal_compiler *c, const char *folder, pid_t *child, char *why,
                        size_t size)
{
    if (spawn(c, folder, child)) return true;
    snprintf(why, size, "the C compiler '%s' cannot be started: %s", c->path, strerror(errno));
    return false;
}

bool sal_compiler_wait(const sal_compiler *c, const char *folder, pid_t child, char *why,
                       size_t size)
{
    char      said[SAL_WHY];
    const int status = wait_for(child);
    if (status == 0 || status == -2) return true; /* what it wrote is looked at */
    quote(folder, said, sizeof said);
    if (status < 0)
        snprintf(why, size, "the C compiler '%s' took longer than %d s", c->path, PATIENCE);
    else
        snprintf(why, size, "the C compiler '%.100s' failed (exit status %d)%.120s", c->path,
                 status, said);
    return false;
}
