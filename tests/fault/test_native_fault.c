/* What can go wrong around compiled code: damaged entries of the cache, no cache, no compiler,
 * several processes at once. The numbers are always the same. */
#define _XOPEN_SOURCE 700
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

#include "fault/computed.h"

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

/* An entry that was used this many seconds ago; its bytes are not really on the disk. */
static void make_entry(const char *folder, int number, long bytes, long age)
{
    const struct utimbuf old = {time(NULL) - age, time(NULL) - age};
    char                 path[512];
    snprintf(path, sizeof path, "%s/%064x.so", folder, number);
    fclose(fopen(path, "w"));
    assert_int_equal(truncate(path, bytes), 0);
    utime(path, &old);
}

TEST(the_cache_does_not_grow_without_limit)
{
    const char *folder = new_cache();
    char        path[512];
    mkdir(folder, 0700);
    for (int i = 0; i < SAL_CACHE_FILES + 30; i++) make_entry(folder, i, 0, 1000 + i);
    snprintf(path, sizeof path, "%s/notes.txt", folder); /* not ours to remove */
    fclose(fopen(path, "w"));
    snprintf(path, sizeof path, "%s/build-old", folder); /* of a process that was killed */
    mkdir(path, 0700);
    const struct utimbuf old = {time(NULL) - 7200, time(NULL) - 7200};
    utime(path, &old);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    EXPECT(count_files(folder, ".so", NULL) == SAL_CACHE_FILES);
    EXPECT(count_files(folder, NULL, NULL) == SAL_CACHE_FILES + 1);
    snprintf(path, sizeof path, "%s/%064x.so", folder, 0); /* the youngest of the old ones */
    EXPECT(access(path, F_OK) == 0);
}

TEST(bytes_of_the_cache_are_bounded_and_what_was_used_last_stays)
{
    enum { OLD = 40, EACH = 10 << 20, KEPT = SAL_CACHE_BYTES / EACH };
    const char *folder = new_cache();
    char        path[512];
    mkdir(folder, 0700);
    for (int i = 0; i < OLD; i++) make_entry(folder, i, EACH, 1000 + i);
    snprintf(path, sizeof path, "%s/%032x.so", folder, 7); /* of an earlier version */
    fclose(fopen(path, "w"));
    assert_int_equal(truncate(path, EACH), 0);
    const struct utimbuf old = {time(NULL) - 5000, time(NULL) - 5000};
    utime(path, &old);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    EXPECT(access(path, F_OK) != 0);
    EXPECT(count_files(folder, ".so", NULL) == KEPT + OBJECTS);
    for (int i = 0; i < OLD; i++) {
        snprintf(path, sizeof path, "%s/%064x.so", folder, i);
        EXPECT((access(path, F_OK) == 0) == (i < KEPT));
    }
    remove_cache();
}

TEST_MAIN(RUN(a_damaged_entry_is_rebuilt), RUN(an_entry_that_is_not_what_its_name_says_is_rebuilt),
          RUN(without_a_cache_code_is_compiled_elsewhere),
          RUN(a_cache_that_others_may_write_to_or_we_may_not_is_not_used),
          RUN(without_a_compiler_that_works_the_kernels_are_interpreted_and_a_note_says_why),
          RUN(options_in_cc_are_passed_on_and_make_other_entries),
          RUN(several_processes_at_once_do_not_disturb_each_other),
          RUN(the_cache_does_not_grow_without_limit),
          RUN(bytes_of_the_cache_are_bounded_and_what_was_used_last_stays))
