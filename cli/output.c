/* Files that the program writes: complete, or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

enum { PATH_BYTES = 4096, LINKS_MAX = 40, NAMES_MAX = 1000, OPEN_MAX_AT_ONCE = 8 };

/* ---- temporary files ------------------------------------------------------------------------ */

static _Atomic(char *) temporaries[OPEN_MAX_AT_ONCE];

void cli_outputs_remove(void)
{
    for (int i = 0; i < OPEN_MAX_AT_ONCE; i++) {
        char *path = temporaries[i];
        if (path) unlink(path);
    }
}

static void remember(char *path)
{
    static atomic_int registered;
    if (!atomic_exchange(&registered, 1)) atexit(cli_outputs_remove);
    for (int i = 0; i < OPEN_MAX_AT_ONCE; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&temporaries[i], &empty, path)) return;
    }
}

static void forget(char *path)
{
    for (int i = 0; i < OPEN_MAX_AT_ONCE; i++) {
        char *same = path;
        atomic_compare_exchange_strong(&temporaries[i], &same, NULL);
    }
}

/* ---- paths ---------------------------------------------------------------------------------- */

static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Returns the path at the end of a chain of symbolic links; the file need not exist. */
static char *follow_links(const char *path)
{
    char *at = cli_copy(path);
    for (int i = 0; i < LINKS_MAX; i++) {
        char          to[PATH_BYTES];
        const ssize_t length = readlink(at, to, sizeof to - 1);
        if (length < 0) break;
        to[length] = '\0';
        char *next = cli_format("%.*s%s", *to == '/' ? 0 : folder_length(at), at, to);
        free(at);
        at = next;
    }
    return at;
}

/* Whether a file is written directly: no regular file, or in /dev or /proc, where files stand for
 * something that is open already, as /dev/stdout. */
static int is_direct(const char *path, const struct stat *about)
{
    return (about && !S_ISREG(about->st_mode)) || strncmp(path, "/dev/", 5) == 0 ||
           strncmp(path, "/proc/", 6) == 0;
}

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int cli_output_is_stdout(const char *path)
{
    struct stat about, standard;
    return stat(path, &about) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
           same_file(&about, &standard);
}

int cli_output_is_same(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && same_file(&a, &b);
}

char *cli_output_partial(const cli_output *output)
{
    const char *target = output->target, *name = target + folder_length(target);
    const char *dot = strrchr(name, '.');
    const int   length = (int)(dot && dot != name ? dot - target : (long)strlen(target));
    return cli_format("%.*s.part%s", length, target, target + length);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int refuse(const cli_output *output, saltus_error *err)
{
    return cli_fail(err, SALTUS_ERR_FILE,
                    "'%s' is there already: choose another name, or remove it", output->path);
}

/* Creates an empty temporary file in the folder of the target. Its name is short, as that of the
 * target may have the largest length. */
static int create_beside(cli_output *output, mode_t mode)
{
    static atomic_int counter;
    int               file = -1;
    for (int i = 0; i < NAMES_MAX; i++) {
        output->temporary =
            cli_format("%.*s.saltus-%ld-%d.tmp", folder_length(output->target), output->target,
                       (long)getpid(), atomic_fetch_add(&counter, 1));
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) break;
        free(output->temporary);
        output->temporary = NULL;
    }
    if (file >= 0) remember(output->temporary);
    return file;
}

/* Opens a temporary file with the permissions of the older file and, where that is allowed, its
 * owner. */
static int open_temporary(cli_output *output, const struct stat *older)
{
    if (older && access(output->target, W_OK) != 0) return -1;
    const mode_t mode = older ? older->st_mode & 0777 : 0666;
    const int    file = create_beside(output, mode);
    if (file < 0 || !older) return file;
    const int owned = fchown(file, older->st_uid, older->st_gid) == 0;
    if (fchmod(file, owned ? older->st_mode & 07777 : mode) == 0) return file;
    close(file);
    return -1;
}

int cli_output_open(cli_output *output, const char *path, int fresh, saltus_error *err)
{
    if (err->status) return 0;
    struct stat about, *older = stat(path, &about) == 0 ? &about : NULL;
    const int   reason = older ? 0 : errno;
    int         file = -1;
    *output = (cli_output){.path = cli_copy(path), .fresh = fresh};
    if (is_direct(path, older)) {
        file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    } else if (fresh && lstat(path, &about) == 0) {
        refuse(output, err);
    } else if (older || reason == ENOENT) {
        output->target = follow_links(path);
        file = open_temporary(output, older);
    } else {
        errno = reason;
    }
    if (file >= 0) output->stream = fdopen(file, "w");
    if (output->stream) return 1;
    cli_fail_file(err, "write", path);
    if (file >= 0) close(file);
    cli_output_drop(output);
    return 0;
}

/* ---- closing -------------------------------------------------------------------------------- */

void cli_output_drop(cli_output *output)
{
    if (output->stream) fclose(output->stream);
    if (output->temporary) unlink(output->temporary);
    if (output->temporary) forget(output->temporary);
    free(output->path);
    free(output->target);
    free(output->temporary);
    *output = (cli_output){0};
}

int cli_output_may_open(const char *path, saltus_error *err)
{
    struct stat about;
    cli_output  output;
    const int   is_there = stat(path, &about) == 0;
    if (is_there && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        cli_fail_file(err, "write", path);
        return 0;
    }
    if (is_direct(path, is_there ? &about : NULL)) return 1;
    if (!cli_output_open(&output, path, 0, err)) return 0;
    cli_output_drop(&output);
    return 1;
}

/* Flushes the file to the disk and closes it. Some file systems do not support fsync; that is no
 * failure. */
static int sync_and_close(cli_output *output)
{
    errno = 0;
    int ok = fflush(output->stream) == 0 && !ferror(output->stream);
    if (ok && output->target)
        ok = fsync(fileno(output->stream)) == 0 || errno == EINVAL || errno == ENOTSUP;
    const int reason = errno ? errno : ENOSPC; /* an earlier write failed for an unknown reason */
    if (ok) return fclose(output->stream) == 0;
    fclose(output->stream);
    errno = reason;
    return 0;
}

int cli_output_finish(cli_output *output, saltus_error *err)
{
    const int ok = sync_and_close(output);
    output->stream = NULL;
    return ok || cli_fail_file(err, "write", output->path);
}

/* Moves the file to its place at once, so that the name never refers to an incomplete file. A link
 * fails if the name is taken; on file systems without links, the name is checked before. */
static int move(const cli_output *output, const char *to)
{
    struct stat about;
    if (!output->fresh) return rename(output->temporary, to) == 0;
    if (link(output->temporary, to) == 0) return 1;
    if (errno != EEXIST && lstat(to, &about) != 0) return rename(output->temporary, to) == 0;
    errno = EEXIST;
    return 0;
}

int cli_output_keep(cli_output *output, int partial, saltus_error *err)
{
    int ok = !output->stream || cli_output_finish(output, err);
    if (ok && output->target) {
        CLI_OWNED char *name = partial ? cli_output_partial(output) : NULL;
        ok = move(output, name ? name : output->target);
        if (!ok && output->fresh && errno == EEXIST) refuse(output, err);
        if (!ok) cli_fail_file(err, "write", output->path);
    }
    cli_output_drop(output);
    return ok;
}
