/* What can go wrong around compiled code: damaged entries of the cache, no cache, no compiler,
 * several processes at once. The numbers are always the same. */
#define _XOPEN_SOURCE 700
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

#include "kernel/cache.h"
#include "unit/native.h"

/* Two models whose code differs in one number. */
static const char *const scripts[2] = {
#define SCRIPT(number)                                                                             \
    "local k, e = param('k', 40), param('e', 0.9)\n"                                               \
    "local x = coordinate('x', {start = 1})\n"                                                     \
    "mass(x, 1) potential(0.5 * k * x^2 + " number " * x^4)\n"                                     \
    "event('wall', {when = x + 0.2, direction = 'falling', restitution = e})\n"                    \
    "cost('c', {integral = " number " * x^2, final = dot(x)})\n"                                   \
    "horizon(0, 3)\n"
    SCRIPT("0.125"), SCRIPT("0.25")};

enum { OBJECTS = 3 }; /* of each: the maps, a regime, its kernels with the solve */

typedef struct result {
    double              number[3]; /* the cost and its gradient */
    saltus_backend_info info;
    char                note[SAL_WHY];
} result;

static result compute(int script, saltus_backend backend)
{
    const saltus_request request = {.method = SALTUS_DISCRETE};
    result               r;
    scripted             s = load(scripts[script]);
    s.options.backend = backend;
    simulate(&s, NULL);
    saltus_run_costs(s.run, r.number, &s.err);
    saltus_run_gradients(s.run, &request, r.number + 1, NULL, NULL, &s.err);
    if (s.err.status) fail_msg("%s", s.err.message);
    r.info = saltus_system_backend(s.system);
    snprintf(r.note, sizeof r.note, "%s", r.info.note);
    release(&s);
    return r;
}

/* The numbers are the interpreter's; so many objects were loaded, so many of them compiled. */
static result expect_native(int loaded, int compiled)
{
    static result interpreted;
    if (interpreted.number[0] == 0.0) interpreted = compute(0, SALTUS_INTERP);
    const result r = compute(0, SALTUS_NATIVE);
    expect_same_numbers(interpreted.number, r.number, 3, "native");
    if (r.info.loaded != loaded || r.info.compiled != compiled)
        fail_msg("%d loaded, %d compiled, expected %d, %d; note '%s'", r.info.loaded,
                 r.info.compiled, loaded, compiled, r.note);
    return r;
}

static void expect_note(const result *r, const char *part)
{
    if (!strstr(r->note, part)) fail_msg("no '%s' in the note '%s'", part, r->note);
}

/* ---- damage --------------------------------------------------------------------------------- */

static long size_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return (long)about.st_size;
}

static void change_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    const int old = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(old ^ 1, file);
    fclose(file);
}

TEST(a_damaged_entry_is_rebuilt)
{
    UNUSED_STATE;
    const char *folder = new_cache();
    char        path[512];
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    assert_int_equal(count_files(folder, ".so", path), OBJECTS);
    const long size = size_of(path);
    for (long cut = 0; cut <= size; cut += size / 4) { /* whole at the last */
        assert_int_equal(truncate(path, cut), 0);
        expect_native(OBJECTS, cut < size);
        expect_native(OBJECTS, 0);
        EXPECT(size_of(path) == size);
    }
    for (int i = 0; i < 4; i++) {
        change_byte(path, i * (size - 1) / 3);
        expect_native(OBJECTS, 1);
        expect_native(OBJECTS, 0);
    }
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS);
}

/* Sealed entries, but of other code: each gets the contents of each other. */
TEST(an_entry_that_is_not_what_its_name_says_is_rebuilt)
{
    UNUSED_STATE;
    enum { ALL = 2 * OBJECTS };
    const char    *folder = new_cache();
    const result   expected[2] = {compute(0, SALTUS_INTERP), compute(1, SALTUS_INTERP)};
    char           path[ALL][512];
    struct dirent *next;
    int            count = 0;
    EXPECT(expected[0].number[0] != expected[1].number[0]);
    compute(0, SALTUS_NATIVE);
    compute(1, SALTUS_NATIVE);
    assert_int_equal(count_files(folder, ".so", NULL), ALL);
    DIR *list = opendir(folder);
    while ((next = readdir(list)))
        if (next->d_name[0] != '.')
            snprintf(path[count++], sizeof path[0], "%s/%s", folder, next->d_name);
    closedir(list);
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) {
            int compiled = 0;
            if (i == j) continue;
            assert_int_equal(unlink(path[i]), 0);
            assert_int_equal(link(path[j], path[i]), 0);
            for (int k = 0; k < 2; k++) {
                const result r = compute(k, SALTUS_NATIVE);
                expect_same_numbers(expected[k].number, r.number, 3, "native");
                EXPECT(r.info.loaded == OBJECTS);
                compiled += r.info.compiled;
            }
            EXPECT(compiled == 1);
        }
}

/* ---- no cache, no compiler ------------------------------------------------------------------ */

TEST(without_a_cache_code_is_compiled_elsewhere)
{
    UNUSED_STATE;
    new_cache();
    setenv("TMPDIR", getenv("XDG_CACHE_HOME"), 1); /* to see what is left there */
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    expect_native(OBJECTS, OBJECTS);
    EXPECT(count_files(getenv("TMPDIR"), NULL, NULL) == 0);
    unsetenv("XDG_CACHE_HOME");
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    unsetenv("HOME");
    expect_native(OBJECTS, OBJECTS);
    EXPECT(count_files(getenv("TMPDIR"), NULL, NULL) == 0);
    if (home) setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", getenv("TMPDIR"), 1);
    unsetenv("TMPDIR");
    free(home);
}

TEST(a_cache_that_others_may_write_to_or_we_may_not_is_not_used)
{
    UNUSED_STATE;
    const char *folder = new_cache();
    const int   modes[] = {0777, 0500};
    mkdir(folder, 0700);
    for (int i = 0; i < (geteuid() == 0 ? 1 : 2); i++) { /* root may write anywhere */
        assert_int_equal(chmod(folder, (mode_t)modes[i]), 0);
        expect_native(OBJECTS, OBJECTS);
        EXPECT(count_files(folder, NULL, NULL) == 0);
    }
    chmod(folder, 0700);
    expect_native(OBJECTS, OBJECTS);
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS);
}

TEST(without_a_compiler_that_works_the_kernels_are_interpreted_and_a_note_says_why)
{
    UNUSED_STATE;
    const char *folder = new_cache();
    char        where[512];
    result      r;
    setenv("CC", "/bin/false", 1);
    r = expect_native(0, 0);
    expect_note(&r, "the C compiler '/bin/false' failed (exit status 1)");
    setenv("CC", "/nowhere/cc", 1);
    r = expect_native(0, 0);
    expect_note(&r, "there is no C compiler '/nowhere/cc' ($CC)");
    setenv("CC", "/bin/true", 1); /* says yes and writes nothing */
    r = expect_native(0, 0);
    expect_note(&r, "cannot be loaded");
    setenv("CC", "cc -Werror -Wno-such-thing --no-such-option", 1);
    r = expect_native(0, 0);
    expect_note(&r, "no-such-option");
    EXPECT(count_files(folder, NULL, where) == 0);
    unsetenv("CC");
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    r = expect_native(0, 0);
    expect_note(&r, "there is no C compiler 'cc' in $PATH");
    setenv("PATH", path, 1);
    free(path);
    r = expect_native(OBJECTS, OBJECTS);
    EXPECT(*r.note == 0);
}

TEST(options_in_cc_are_passed_on_and_make_other_entries)
{
    UNUSED_STATE;
    const char *folder = new_cache();
    expect_native(OBJECTS, OBJECTS);
    setenv("CC", "  cc   -DNOTHING ", 1);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    EXPECT(count_files(folder, ".so", NULL) == 2 * OBJECTS);
}

/* ---- several processes, many entries -------------------------------------------------------- */

TEST(several_processes_at_once_do_not_disturb_each_other)
{
    UNUSED_STATE;
    const char  *folder = new_cache();
    const result expected = compute(0, SALTUS_INTERP);
    pid_t        child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] > 0) continue;
        int good = 1;
        for (int round = 0; round < 3; round++) {
            const result r = compute(0, SALTUS_NATIVE);
            good = good && r.info.loaded == OBJECTS &&
                   memcmp(r.number, expected.number, sizeof r.number) == 0;
        }
        _exit(good ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    EXPECT(count_files(folder, ".so", NULL) == OBJECTS);
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS);
}

TEST(the_cache_does_not_grow_without_limit)
{
    UNUSED_STATE;
    const char *folder = new_cache();
    char        path[512];
    mkdir(folder, 0700);
    for (int i = 0; i < SAL_CACHE_MOST + 30; i++) {
        const struct utimbuf old = {time(NULL) - 1000 - i, time(NULL) - 1000 - i};
        snprintf(path, sizeof path, "%s/%032x.so", folder, i);
        fclose(fopen(path, "w"));
        utime(path, &old);
    }
    snprintf(path, sizeof path, "%s/notes.txt", folder); /* not ours to remove */
    fclose(fopen(path, "w"));
    snprintf(path, sizeof path, "%s/build-old", folder); /* of a process that was killed */
    mkdir(path, 0700);
    const struct utimbuf old = {time(NULL) - 7200, time(NULL) - 7200};
    utime(path, &old);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    EXPECT(count_files(folder, ".so", NULL) == SAL_CACHE_MOST);
    EXPECT(count_files(folder, NULL, NULL) == SAL_CACHE_MOST + 1);
    snprintf(path, sizeof path, "%s/%032x.so", folder, 0); /* the youngest of the old ones */
    EXPECT(access(path, F_OK) == 0);
    remove_cache();
}

TEST_MAIN(RUN(a_damaged_entry_is_rebuilt), RUN(an_entry_that_is_not_what_its_name_says_is_rebuilt),
          RUN(without_a_cache_code_is_compiled_elsewhere),
          RUN(a_cache_that_others_may_write_to_or_we_may_not_is_not_used),
          RUN(without_a_compiler_that_works_the_kernels_are_interpreted_and_a_note_says_why),
          RUN(options_in_cc_are_passed_on_and_make_other_entries),
          RUN(several_processes_at_once_do_not_disturb_each_other),
          RUN(the_cache_does_not_grow_without_limit))
