/* The system's C compiler: see compiler.h. */
#define _GNU_SOURCE
#include "native/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sha2.h>
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

/* HAVE_CLOSEFROM: all our open files can be closed in a spawned process. */
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define HAVE_CLOSEFROM 1
#endif
#endif
#ifndef HAVE_CLOSEFROM
#define HAVE_CLOSEFROM 0
#endif

extern char **environ;

/* No -ffast-math, no contraction, and no built-in functions but those that the code names: compiled
 * code does the operations of the interpreter, so that both agree bit for bit.
 *
 * Of the optimisations of -O2 beyond -O1, straight-line code gains from a second elimination of
 * common subexpressions (sal_emit_head), from clearing the upper halves of vector registers (one of
 * the "expensive" optimisations), and from functions aligned to half a cache line. The others take
 * a fifth of the compiler's time. Vectorising straight-line code is not allowed: gcc 12 then fuses
 * a * b +- c. */
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
    "-nostdlib", /* the code needs no library but libm */
#endif
    "-fno-math-errno",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-w",
};
enum { FLAGS = sizeof flags / sizeof flags[0] };

/* ---- finding -------------------------------------------------------------------------------- */

static bool split(sal_compiler *c, const char *text)
{
    char *rest = c->text = strdup(text);
    c->word = malloc((strlen(text) / 2 + 2) * sizeof *c->word); /* words are separated by blanks */
    if (!c->text || !c->word) return false;
    for (;;) {
        rest += strspn(rest, " \t");
        if (!*rest) return true;
        c->word[c->words++] = rest;
        rest += strcspn(rest, " \t");
        if (*rest) *rest++ = 0;
    }
}

static bool is_program(const char *path, struct stat *about)
{
    return stat(path, about) == 0 && S_ISREG(about->st_mode) && access(path, X_OK) == 0;
}

/* Finds the program: a name with a slash is a path, other names are searched for in $PATH. */
static bool search(sal_compiler *c, struct stat *about)
{
    const char *list = getenv("PATH");
    if (strchr(c->word[0], '/')) {
        const int used = snprintf(c->path, sizeof c->path, "%s", c->word[0]);
        return used < (int)sizeof c->path && is_program(c->path, about);
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

static void add_text(SHA2_CTX *hash, const char *text)
{
    SHA256Update(hash, (const uint8_t *)text, strlen(text) + 1);
}

/* Adds the features of this machine, which -march=native depends on: several machines may share a
 * cache on one disk. */
static void add_machine(SHA2_CTX *hash)
{
#if HAVE_CPUID
    unsigned a = 0, b = 0, feature[9] = {0};
    __get_cpuid(1, &feature[0], &b, &feature[1], &feature[2]); /* b has the core's number */
    __get_cpuid_count(7, 0, &a, &feature[3], &feature[4], &feature[5]);
    __get_cpuid_count(7, 1, &feature[6], &b, &b, &b);
    __get_cpuid(0x80000001u, &a, &b, &feature[7], &feature[8]);
    SHA256Update(hash, (const uint8_t *)feature, sizeof feature);
#else
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    add_text(hash, name);
#endif
}

/* Computes the identity of the compiler: its path with all links followed, and its size and time,
 * which change with a new version; its options, and the machine. */
static void describe(sal_compiler *c, const struct stat *about)
{
    SHA2_CTX      hash;
    char         *program = realpath(c->path, NULL);
    const int64_t file[] = {(int64_t)about->st_size, (int64_t)about->st_mtim.tv_sec,
                            (int64_t)about->st_mtim.tv_nsec};
    SHA256Init(&hash);
    add_machine(&hash);
    add_text(&hash, c->path);
    add_text(&hash, program ? program : "");
    SHA256Update(&hash, (const uint8_t *)file, sizeof file);
    for (int i = 1; i < c->words; i++) add_text(&hash, c->word[i]);
    for (int i = 0; i < FLAGS; i++) add_text(&hash, flags[i]);
    SHA256Final(c->identity.byte, &hash);
    free(program);
}

void sal_compiler_release(sal_compiler *c)
{
    free(c->text);
    free(c->word);
    *c = (sal_compiler){.text = NULL};
}

bool sal_compiler_find(sal_compiler *c, char *why, size_t size)
{
    struct stat about;
    const char *wanted = getenv("CC");
    if (wanted && !wanted[strspn(wanted, " \t")]) wanted = NULL;
    memset(c, 0, sizeof *c);
    if (!split(c, wanted ? wanted : "cc")) {
        snprintf(why, size, "out of memory");
        return false;
    }
    if (!search(c, &about)) {
        snprintf(why, size, "there is no C compiler '%.100s'%s", c->word[0],
                 wanted ? " ($CC)" : " in $PATH");
        return false;
    }
    describe(c, &about);
    return true;
}

/* ---- ending --------------------------------------------------------------------------------- */

/* The compilers at work, which are killed if the process exits; more than MAX_AT_WORK are not. */
enum { MAX_AT_WORK = 64 };
static struct {
    pthread_mutex_t lock;
    pid_t           owner; /* the process that started them: a forked process must not kill them */
    bool            leaving;            /* the process exits: no compiler may be started */
    pid_t           child[MAX_AT_WORK]; /* 0: free */
} at_work = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Replaces an entry of the list; 0 is a free one. The caller holds the lock. */
static void replace_at_work(pid_t old, pid_t new)
{
    for (int i = 0; i < MAX_AT_WORK; i++)
        if (at_work.child[i] == old) {
            at_work.child[i] = new;
            return;
        }
}

/* Kills a compiler and all processes that it started. */
static void end_group(pid_t child)
{
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
}

#if defined(__GNUC__)
/* Kills all compilers when a thread calls exit or the library is unloaded. */
__attribute__((destructor)) static void end_all(void)
{
    if (at_work.owner != getpid()) return;
    pthread_mutex_lock(&at_work.lock);
    at_work.leaving = true;
    for (int i = 0; i < MAX_AT_WORK; i++)
        if (at_work.child[i]) end_group(at_work.child[i]);
    pthread_mutex_unlock(&at_work.lock);
}
#endif

/* ---- running -------------------------------------------------------------------------------- */

/* Returns our environment with another TMPDIR, so that the compiler's temporary files are in a
 * folder that will be removed. The caller frees the list; NULL when out of memory. */
static char **environment(char *temporary)
{
    static const char name[] = "TMPDIR=";
    size_t            count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **list = malloc((count + 2) * sizeof *list);
    if (!list) return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], name, strlen(name)) != 0) list[kept++] = environ[i];
    list[kept++] = temporary;
    list[kept] = NULL;
    return list;
}

/* Returns the arguments of the compiler, which the caller frees; NULL when out of memory. */
static const char **words_of(const sal_compiler *c, const char *object, const char *source)
{
    const char **list = malloc(((size_t)c->words + FLAGS + 5) * sizeof *list);
    int          count = 0;
    if (!list) return NULL;
    for (int i = 0; i < c->words; i++) list[count++] = c->word[i];
    for (int i = 0; i < FLAGS; i++) list[count++] = flags[i];
    list[count++] = "-o";
    list[count++] = object;
    list[count++] = source;
    list[count++] = "-lm";
    list[count] = NULL;
    return list;
}

/* Starts a program, whose standard error goes to the file `said`. Returns 0 or an error number. */
static int spawn(const char *program, char *const *words, char *const *names, int said,
                 pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t          attributes;
    int                        failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        posix_spawn_file_actions_adddup2(&actions, said, 2);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
#if HAVE_CLOSEFROM
        posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        failed = posix_spawn(child, program, &actions, &attributes, words, names);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Starts the compiler and notes that it is at work; starts none once the process exits. */
static int spawn_at_work(const char *program, char *const *words, char *const *names, int said,
                         pid_t *child)
{
    pthread_mutex_lock(&at_work.lock);
    if (at_work.owner != getpid()) { /* compilers of a parent process are not ours */
        at_work.owner = getpid();
        memset(at_work.child, 0, sizeof at_work.child);
    }
    const int failed = at_work.leaving ? ECANCELED : spawn(program, words, names, said, child);
    if (!failed) replace_at_work(0, *child);
    pthread_mutex_unlock(&at_work.lock);
    return failed;
}

static const char said_name[] = "said";

bool sal_compiler_start(const sal_compiler *c, const sal_build *build, const char *object,
                        pid_t *child, char *why, size_t size)
{
    char source[SAL_PATH + 16], target[SAL_PATH + SAL_OBJECT_NAME], temporary[SAL_PATH + 16];
    snprintf(source, sizeof source, "%s/code.c", build->path);
    snprintf(target, sizeof target, "%s/%s", build->path, object);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", build->path);
    union { /* the words are not changed, though the type does not say so */
        const char **in;
        char *const *out;
    } words = {words_of(c, target, source)};
    char    **names = environment(temporary);
    const int said = openat(build->folder, said_name,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int       failed = said < 0 ? errno : !words.in || !names ? ENOMEM : 0;
    if (!failed) failed = spawn_at_work(c->path, words.out, names, said, child);
    if (said >= 0) close(said);
    free(words.in);
    free(names);
    if (failed)
        snprintf(why, size, "the C compiler '%.100s' cannot be started: %s", c->path,
                 strerror(failed));
    return !failed;
}

/* ---- waiting -------------------------------------------------------------------------------- */

double sal_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Pauses for a small part of the time waited so far. A signal may end the pause. */
static void pause_for(double waited)
{
    const double          part = waited / 32.0;
    const double          seconds = part < 5e-4 ? 5e-4 : part > 0.02 ? 0.02 : part;
    const struct timespec time = {0, (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

typedef enum state { AT_WORK, ENDED, GONE } state; /* GONE: it was reaped elsewhere */

/* Returns the state of a child without reaping it, so that its process number is not reused yet. */
static state state_of(pid_t child)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        return info.si_pid == child ? ENDED : AT_WORK;
    return errno == EINTR ? AT_WORK : GONE;
}

/* Kills what is left of a compiler and its group, and reaps it. Returns its exit status; -1 if it
 * was reaped elsewhere. */
static int collect(pid_t child)
{
    int   status = 0;
    pid_t ended;
    if (state_of(child) != GONE) end_group(child);
    pthread_mutex_lock(&at_work.lock);
    replace_at_work(child, 0);
    pthread_mutex_unlock(&at_work.lock);
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Quotes the first line of the compiler's messages that contains "error", or the first line. */
static void quote(const sal_build *build, char *text, size_t size)
{
    char      line[SAL_WHY];
    const int said = openat(build->folder, said_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    FILE     *file = said < 0 ? NULL : fdopen(said, "r");
    *text = 0;
    if (said >= 0 && !file) close(said);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*text && !strstr(line, "error")) continue;
        snprintf(text, size, ": %.*s", SAL_WHY - 4, line);
        if (strstr(line, "error")) break;
    }
    if (file) fclose(file);
}

sal_compiled sal_compiler_wait(const sal_compiler *c, const sal_build *build, pid_t child,
                               const sal_wait *wait, char *why, size_t size)
{
    sal_compiled result = SAL_COMPILED;
    char         said[SAL_WHY];
    while (result == SAL_COMPILED && state_of(child) == AT_WORK) {
        const double waited = sal_seconds() - wait->since;
        if (wait->stop && wait->stop(wait->context)) result = SAL_COMPILER_STOPPED;
        else if (waited > wait->seconds) result = SAL_COMPILER_LATE;
        else pause_for(waited);
    }
    const int status = collect(child);
    if (result == SAL_COMPILER_LATE)
        snprintf(why, size, "the C compiler '%.100s' took longer than %g s", c->path,
                 wait->seconds);
    if (result != SAL_COMPILED || status <= 0) return result; /* -1: the object is checked later */
    quote(build, said, sizeof said);
    snprintf(why, size, "the C compiler '%.100s' failed (exit status %d)%.120s", c->path, status,
             said);
    return SAL_COMPILER_FAILED;
}
