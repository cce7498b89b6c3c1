/* Files of scripts: see files.h. */
#define _POSIX_C_SOURCE 200809L
#include "script/sandbox/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *sal_lua_skip_head(const char *text, size_t length)
{
    const char *end = text + length;
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    if (text < end && *text == '#')
        while (text < end && *text != '\n') text++;
    return text;
}

/* Opens a plain file for reading; returns -1 with `why` set if that fails. It never blocks: a pipe
 * is refused. */
static int open_plain(const char *path, int follow, size_t *size, const char **why)
{
    struct stat info;
    const int   file =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
    if (file < 0) {
        *why = errno == ELOOP && !follow ? "it is a link" : strerror(errno);
        return -1;
    }
    *why = NULL;
    if (fstat(file, &info) != 0) *why = strerror(errno);
    else if (!S_ISREG(info.st_mode)) *why = "it is not a plain file";
    else if (info.st_size < 0 || (size_t)info.st_size > SAL_FILE_MAX)
        *why = "it is larger than 32 MiB";
    *size = (size_t)info.st_size;
    if (!*why) return file;
    close(file);
    return -1;
}

static size_t read_all(int file, char *to, size_t size)
{
    size_t length = 0;
    while (length < size) {
        const ssize_t got = read(file, to + length, size - length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        length += (size_t)got;
    }
    return length;
}

/* Reads a file into memory of the script. The file is open only while nothing can raise: memory is
 * allocated between two openings. */
static const char *read_file(lua_State *L, const char *path, int follow, size_t *length)
{
    size_t      size = 0, again = 0;
    const char *why = NULL;
    int         file = open_plain(path, follow, &size, &why);
    if (file >= 0) {
        close(file);
        sal_lua_charge(L, size);
        char *text = lua_newuserdatauv(L, size + 1, 0);
        file = open_plain(path, follow, &again, &why);
        if (file >= 0) {
            *length = read_all(file, text, size);
            text[*length] = '\0';
            close(file);
            return text;
        }
    }
    lua_pushfstring(L, "cannot read '%s': %s", path, why);
    return NULL;
}

const char *sal_lua_read_given(lua_State *L, const char *path, size_t *length)
{
    return read_file(L, path, 1, length);
}

const char *sal_lua_read_beside(lua_State *L, const char *name, size_t *length)
{
    const char *folder = sal_lua_script(L)->options.folder;
    if (!folder) {
        lua_pushfstring(L, "cannot read '%s': this model is not in a folder", name);
        return NULL;
    }
    if (!name[0] || name[0] == '.' || strpbrk(name, "/\\")) {
        lua_pushfstring(L,
                        "'%s': only files beside the model can be read; give a name without "
                        "folders",
                        name);
        return NULL;
    }
    return read_file(L, lua_pushfstring(L, "%s/%s", folder[0] ? folder : ".", name), 0, length);
}

void sal_lua_tell_file(lua_State *L, const char *name, const char *text, size_t length)
{
    const saltus_script_options *options = &sal_lua_script(L)->options;
    if (options->on_file) options->on_file(options->on_file_context, name, text, length);
}
