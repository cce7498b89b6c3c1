/* Compilers that misbehave: they cut what they write, hang, leave links and processes behind; and
 * what they are given: no open files of ours, all of $CC. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

#include "fault/computed.h"

/* ---- compilers ------------------------------------------------------------------------------ */

/* Where compilers put what the tests look at: beside the cache, removed with it. */
static const char *home(void) { return getenv("XDG_CACHE_HOME"); }

static const char *beside(const char *name)
{
    static char path[4][512];
    static int  next;
    char       *text = path[next++ % 4];
    snprintf(text, sizeof path[0], "%s/%s", home(), name);
    return text;
}

/* Makes a compiler of the lines of a shell script, in which $home is where the tests look, and
 * $object the file that is to be written; $CC is it from now on. */
static void use_compiler(const char *lines)
{
    const char *path = beside("compiler");
    FILE       *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\nhome='%s'\nobject=\nlast=\n"
            "for word; do [ \"$last\" = -o ] && object=$word; last=$word; done\n%s",
            home(), lines);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("CC", path, 1);
}

/* Hangs, with a process of its own, and says which ones these are. */
static const char hangs[] = "sleep 1000 &\necho $$ $! >> \"$home/pids\"\nwait\n";

static void wait_a_little(void)
{
    const struct timespec time = {0, 10000000};
    nanosleep(&time, NULL);
}

/* Whether a process is at work; one that has ended but was not waited for is not. */
static bool is_at_work(int pid)
{
    char  path[64], state = 'X';
    FILE *file;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file) return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
    fclose(file);
    return state != 'Z' && state != 'X';
}

/* How many compilers were started; none of them is at work any more, nor what they started. */
static int expect_all_ended(void)
{
    FILE *file = fopen(beside("pids"), "r");
    int   pid[2], count = 0;
    while (file && fscanf(file, "%d %d", &pid[0], &pid[1]) == 2) {
        for (int i = 0; i < 200 && (is_at_work(pid[0]) || is_at_work(pid[1])); i++) wait_a_little();
        EXPECT(!is_at_work(pid[0]) && !is_at_work(pid[1]));
        count++;
    }
    if (file) fclose(file);
    return count;
}

static int count_lines(const char *name)
{
    FILE *file = fopen(beside(name), "r");
    int   count = 0, c;
    while (file && (c = fgetc(file)) != EOF) count += c == '\n';
    if (file) fclose(file);
    return count;
}

/* Waits until this many hang, half a minute at most. */
static void wait_for_compilers(int count)
{
    for (int i = 0; i < 3000 && count_lines("pids") < count; i++) wait_a_little();
}

/* ---- what they write ------------------------------------------------------------------------ */

TEST(an_object_that_was_cut_is_neither_loaded_nor_stored)
{
    static const char *const cuts[] = {
        "0", "40", "100", "$((size / 4))", "$((size / 2))", "$((size * 9 / 10))", "$((size - 1))"};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const char *folder = new_cache();
        char        lines[256];
        snprintf(lines, sizeof lines,
                 "cc \"$@\" || exit\nsize=$(wc -c < \"$object\")\ntruncate -s %s \"$object\"\n",
                 cuts[i]);
        use_compiler(lines);
        const result r = expect_native(0, 0);
        expect_note(&r, "wrote no shared object, or part of one");
        EXPECT(count_files(folder, NULL, NULL) == 0);
    }
}

/* What it says it wrote is a file that belongs to another program. */
TEST(a_link_that_a_compiler_leaves_is_not_followed)
{
    const char *folder = new_cache();
    char        path[512];
    struct stat about;
    use_compiler("cc \"$@\" || exit\n"
                 "[ -e \"$home/mine\" ] || cp \"$object\" \"$home/mine\"\n"
                 "ln -sf \"$home/mine\" \"$object\"\n");
    const result r = expect_native(0, 0);
    expect_note(&r, "wrote no shared object");
    EXPECT(count_files(folder, NULL, NULL) == 0);

    use_compiler("cc \"$@\" || exit\nln \"$object\" \"$home/$$.mine\"\n");
    expect_native(OBJECTS, OBJECTS);
    assert_int_equal(count_files(home(), ".mine", path), OBJECTS);
    assert_int_equal(stat(path, &about), 0);
    EXPECT(about.st_nlink == 1); /* the entry is another file */
    expect_native(OBJECTS, 0);
}

TEST(an_entry_that_is_a_link_is_made_anew)
{
    const char *folder = new_cache();
    char        path[512];
    expect_native(OBJECTS, OBJECTS);
    assert_int_equal(count_files(folder, ".so", path), OBJECTS);
    assert_int_equal(rename(path, beside("elsewhere.so")), 0);
    assert_int_equal(symlink(beside("elsewhere.so"), path), 0);
    expect_native(OBJECTS, 1);
    expect_native(OBJECTS, 0);
    EXPECT(access(beside("elsewhere.so"), F_OK) == 0);
}

/* The folder is exchanged after it was opened: the open one counts. */
TEST(a_folder_that_was_exchanged_is_not_used)
{
    const char *folder = new_cache();
    char        why[SAL_WHY], name[512], inside[SAL_PATH];
    sal_cache   cache;
    struct stat first, now;
    expect_native(OBJECTS, OBJECTS);
    assert_true(sal_cache_open(&cache, true, why, sizeof why));
    assert_int_equal(count_files(folder, ".so", name), OBJECTS);
    assert_int_equal(stat(name, &first), 0);
    assert_int_equal(rename(folder, beside("moved")), 0);
    mkdir(folder, 0700);
    fclose(fopen(name, "w"));
    sal_path_inside(cache.folder, cache.path, strrchr(name, '/') + 1, inside);
    assert_int_equal(stat(inside, &now), 0);
    EXPECT(now.st_ino == first.st_ino);
    sal_cache_entry *list = NULL;
    EXPECT(sal_cache_list(&cache, &list) == OBJECTS && list[0].bytes > 1000);
    free(list);
    sal_cache_close(&cache);
}

/* ---- how long they take --------------------------------------------------------------------- */

/* Wants to stop, once, as soon as a compiler hangs. */
typedef struct asked {
    bool stop;
    int  calls, said; /* it did in this call */
} asked;

static int ask(void *context, double t, double t_end)
{
    asked *a = context;
    (void)t;
    (void)t_end;
    a->calls++;
    if (!a->stop || a->said || count_lines("pids") == 0) return 0;
    a->said = a->calls;
    return 1;
}

/* Another mode is entered on the way, which has kernels of its own. */
static const char two_modes[] =
    "local free, held = mode 'free', mode 'held'\n"
    "local y = coordinate('y', {start = 1})\n"
    "mass(y, 1) force(y, -9.81)\n"
    "force(y, -5 * y^3 - dot(y) * sin(y), {mode = held})\n"
    "event('low', {from = free, to = held, when = y, direction = 'falling'})\n"
    "cost('c', {final = y})\n"
    "horizon(0, 2)\n";

TEST(compilers_that_hang_have_one_deadline_and_end_with_all_they_started)
{
    const char *folder = new_cache();
    asked       a = {0};
    scripted    s = load(two_modes);
    use_compiler(hangs);
    s.options.backend = SALTUS_NATIVE;
    s.options.progress = ask;
    s.options.progress_context = &a;
    s.system->cache->code.patience = 2.0;
    const double start = sal_seconds();
    s.run = saltus_run_new(s.system, &s.options, &s.err);
    const int calls = a.calls;
    simulate(&s, NULL);
    const double              seconds = sal_seconds() - start;
    const saltus_backend_info info = saltus_system_backend(s.system);
    EXPECT(info.backend == SALTUS_INTERP);
    if (!strstr(info.note, "took longer than 2 s")) fail_msg("note '%s'", info.note);
    /* The code of the other mode would follow: there is no second try. */
    if (seconds < 2.0 || seconds > 3.9) fail_msg("%g s", seconds);
    EXPECT(calls > 10 && calls < 500); /* it is asked now and then, not all the time */
    EXPECT(expect_all_ended() >= 2);
    assert_int_equal(s.system->cache->regimes.count, 2);
    EXPECT(s.system->cache->regimes.data[1]->cache->effort ==
           SAL_EFFORT_COMPILE); /* it is done with */
    EXPECT(count_files(folder, NULL, NULL) == 0);
    release(&s);
}

TEST(who_does_not_want_to_go_on_does_not_wait_for_compilers)
{
    const char *folder = new_cache();
    asked       a = {.stop = true};
    scripted    s = load(scripts[0]);
    use_compiler(hangs);
    s.options.backend = SALTUS_NATIVE;
    s.options.progress = ask;
    s.options.progress_context = &a;
    const double start = sal_seconds();
    EXPECT(!saltus_run_new(s.system, &s.options, &s.err));
    EXPECT(s.err.status == SALTUS_ERR_INTERRUPTED);
    EXPECT(a.said > 0 && a.calls == a.said); /* it is not asked again */
    EXPECT(sal_seconds() - start < 5.0);
    EXPECT(expect_all_ended() >= 1);
    EXPECT(count_files(folder, NULL, NULL) == 0);
    unsetenv("CC");
    s.err = (saltus_error){0};
    a = (asked){0};
    simulate(&s, NULL); /* nothing is lost */
    EXPECT(saltus_system_backend(s.system).compiled == OBJECTS);
    release(&s);
}

/* Compilers work well until the event changes the mode. */
TEST(a_simulation_stops_while_the_code_of_another_mode_is_compiled)
{
    const char *folder = new_cache();
    asked       a = {0};
    scripted    s = load(two_modes);
    use_compiler("if [ -e \"$home/hang\" ]; then sleep 1000 &\n"
                 "echo $$ $! >> \"$home/pids\"; wait; fi\n"
                 "exec cc \"$@\"\n");
    s.options.backend = SALTUS_NATIVE;
    s.options.progress = ask;
    s.options.progress_context = &a;
    s.run = saltus_run_new(s.system, &s.options, &s.err);
    if (s.err.status) fail_msg("%s", s.err.message);
    const int free_mode = saltus_system_backend(s.system).compiled;
    fclose(fopen(beside("hang"), "w"));
    a = (asked){.stop = true};
    const double start = sal_seconds();
    simulate(&s, NULL);
    EXPECT(sal_seconds() - start < 5.0);
    expect_outcome(&s, SALTUS_INTERRUPTED);
    EXPECT(expect_all_ended() >= 1);
    EXPECT(a.said > 0 && a.calls == a.said);
    EXPECT(count_files(folder, NULL, NULL) == free_mode);
    unlink(beside("hang"));
    a = (asked){0};
    simulate(&s, NULL);
    expect_outcome(&s, SALTUS_END);
    EXPECT(saltus_system_backend(s.system).compiled > free_mode);
    release(&s);
}

/* ---- processes that end --------------------------------------------------------------------- */

static void *compile_for_ever(void *context)
{
    (void)context;
    compute(0, SALTUS_NATIVE);
    return NULL;
}

/* For a while: who is ended may take some time to be so. */
static bool first_stays_at_work(void)
{
    FILE *file = fopen(beside("pids"), "r");
    int   pid = 0;
    bool  stays = file && fscanf(file, "%d", &pid) == 1;
    if (file) fclose(file);
    for (int i = 0; stays && i < 50; i++) {
        wait_a_little();
        stays = is_at_work(pid);
    }
    return stays;
}

/* A copy of a process that compiles exits, and then itself. */
static void exit_twice(void)
{
    const pid_t copy = fork();
    if (copy == 0) exit(0);
    waitpid(copy, NULL, 0);
    exit(first_stays_at_work() ? 0 : 1);
}

/* A process that waits for compilers that hang. */
static pid_t start_waiting(bool then_exit)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, compile_for_ever, NULL);
        if (then_exit) {
            /* all of them: a thread that starts one may hold the lock of a sanitizer's allocator,
             * for which the copy would wait for ever */
            wait_for_compilers(OBJECTS);
            exit_twice();
        }
        pthread_join(thread, NULL);
        _exit(1);
    }
    return child;
}

TEST(what_a_killed_process_left_is_removed_and_what_others_are_at_is_not)
{
    const char *folder = new_cache();
    use_compiler(hangs);
    const pid_t child = start_waiting(false);
    wait_for_compilers(OBJECTS);
    const int builds = count_files(folder, NULL, NULL);
    EXPECT(builds >= 1);
    unsetenv("CC");
    expect_native(OBJECTS, OBJECTS);
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS + builds);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS + builds);
    expect_native(OBJECTS, 0);
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS);
    int   pid[2];
    FILE *file = fopen(beside("pids"), "r");
    while (fscanf(file, "%d %d", &pid[0], &pid[1]) == 2) kill(-pid[0], SIGKILL);
    fclose(file);
}

TEST(compilers_end_when_their_process_exits_not_when_a_copy_of_it_does)
{
    new_cache();
    use_compiler(hangs);
    int status = -1;
    waitpid(start_waiting(true), &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(expect_all_ended() >= 1);
}

/* ---- what they are given -------------------------------------------------------------------- */

TEST(compilers_get_no_open_files_of_ours_and_leave_their_temporary_ones_in_a_folder_of_ours)
{
    const char *folder = new_cache();
    const int   open_file = open(beside("secret"), O_RDWR | O_CREAT, 0600);
    assert_true(open_file >= 0);
    use_compiler("ls -l /proc/self/fd > \"$home/files\"\n"
                 "mktemp > /dev/null && echo $TMPDIR >> \"$home/temporary\"\nexec cc \"$@\"\n");
    expect_native(OBJECTS, OBJECTS);
    close(open_file);
    char  line[512];
    FILE *file = fopen(beside("files"), "r");
    int   lines = 0;
    while (fgets(line, sizeof line, file)) {
        if (strstr(line, "secret") || (strstr(line, folder) && !strstr(line, "/said")))
            fail_msg("an open file: %s", line);
        lines++;
    }
    fclose(file);
    EXPECT(lines >= 4);
    file = fopen(beside("temporary"), "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    EXPECT(strncmp(line, folder, strlen(folder)) == 0);
    EXPECT(count_files(folder, NULL, NULL) == OBJECTS);
}

TEST(all_words_of_cc_are_passed_on)
{
    new_cache();
    char   long_one[8192] = "cc";
    result r;
    for (int i = 0; i < 400; i++) snprintf(long_one + strlen(long_one), 16, " -DNAME%d", i);
    const size_t length = strlen(long_one);
    setenv("CC", long_one, 1);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    strcpy(long_one + length, " -DLAST");
    setenv("CC", long_one, 1);
    expect_native(OBJECTS, OBJECTS);
    strcpy(long_one + length, " --no-such-option");
    setenv("CC", long_one, 1);
    r = expect_native(0, 0);
    expect_note(&r, "no-such-option");
}

TEST(another_version_of_the_compiler_makes_other_entries)
{
    const char    *folder = new_cache();
    char           path[512];
    struct utimbuf old = {time(NULL) - 200, time(NULL) - 200};
    use_compiler("exec cc \"$@\"\n");
    utime(beside("compiler"), &old);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    old.modtime += 100;
    utime(beside("compiler"), &old);
    expect_native(OBJECTS, OBJECTS);
    EXPECT(count_files(folder, ".so", path) == 2 * OBJECTS);
    const char *name = strrchr(path, '/') + 1; /* SHA-256 */
    EXPECT(strspn(name, "0123456789abcdef") == 64 && strcmp(name + 64, ".so") == 0);
}

TEST(folders_above_the_cache_are_made)
{
    new_cache();
    char        deep[256], folder[300];
    struct stat about;
    char       *first = strdup(home());
    snprintf(deep, sizeof deep, "%s/some/where/deep", first);
    snprintf(folder, sizeof folder, "%s/saltus", deep);
    setenv("XDG_CACHE_HOME", deep, 1);
    expect_native(OBJECTS, OBJECTS);
    expect_native(OBJECTS, 0);
    EXPECT(count_files(folder, ".so", NULL) == OBJECTS);
    assert_int_equal(stat(deep, &about), 0);
    EXPECT((about.st_mode & 0777) == 0700);
    setenv("XDG_CACHE_HOME", first, 1);
    free(first);
    remove_cache();
}

TEST_MAIN(
    RUN(an_object_that_was_cut_is_neither_loaded_nor_stored),
    RUN(a_link_that_a_compiler_leaves_is_not_followed), RUN(an_entry_that_is_a_link_is_made_anew),
    RUN(a_folder_that_was_exchanged_is_not_used),
    RUN(compilers_that_hang_have_one_deadline_and_end_with_all_they_started),
    RUN(who_does_not_want_to_go_on_does_not_wait_for_compilers),
    RUN(a_simulation_stops_while_the_code_of_another_mode_is_compiled),
    RUN(what_a_killed_process_left_is_removed_and_what_others_are_at_is_not),
    RUN(compilers_end_when_their_process_exits_not_when_a_copy_of_it_does),
    RUN(compilers_get_no_open_files_of_ours_and_leave_their_temporary_ones_in_a_folder_of_ours),
    RUN(all_words_of_cc_are_passed_on), RUN(another_version_of_the_compiler_makes_other_entries),
    RUN(folders_above_the_cache_are_made))
