/* Text to the terminal and to the report, which is Markdown: underlined headings, and tables
 * indented by four, so that both read alike. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "study.h"

void say(study *s, const char *format, ...)
{
    va_list arguments;
    if (s->err.status) return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    if (!s->report) return;
    va_start(arguments, format);
    vfprintf(s->report, format, arguments);
    va_end(arguments);
}

void heading(study *s, const char *title)
{
    char line[128];
    memset(line, '-', sizeof line);
    say(s, "%s\n%.*s\n\n", title, (int)strlen(title), line);
    fflush(stdout); /* what is told next may take a second */
}

/* The folder with all above it; what cannot be made is noticed when a file is opened. */
static void make_folder(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0777);
}

FILE *study_file(study *s, const char *name)
{
    char path[512];
    if (s->err.status) return NULL;
    make_folder(s->folder);
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        s->err.status = SALTUS_ERR_FILE;
        snprintf(s->err.message, sizeof s->err.message,
                 "cannot write %s: %s; choose another folder with -o", path, strerror(errno));
    }
    return file;
}

void study_close(study *s, FILE *file)
{
    const int failed = ferror(file);
    if ((fclose(file) || failed) && !s->err.status) {
        s->err.status = SALTUS_ERR_FILE;
        snprintf(s->err.message, sizeof s->err.message,
                 "a file in %s could not be written completely: is the disk full?", s->folder);
    }
}
