/* saltus compile: the kernels as C, in a folder. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result.h"
#include "session.h"
#include "text.h"

typedef struct folder {
    cli_session *session;
    json_t      *files; /* NULL if nobody wants to know */
} folder;

/* What a user may have changed is not written again. */
static int is_users(const char *file)
{
    return strcmp(file, "main.c") == 0 || strcmp(file, "Makefile") == 0;
}

static int write_file(void *context, const char *file, const char *text)
{
    const folder *f = context;
    cli_session  *s = f->session;
    char         *path = cli_format("%s/%s", s->arguments->output, file);
    const int     kept = is_users(file) && access(path, F_OK) == 0;
    FILE         *stream = kept ? NULL : fopen(path, "w");
    int           ok = kept || (stream && fputs(text, stream) >= 0);
    if (stream && fclose(stream) != 0) ok = 0;
    if (!ok) cli_fail(&s->error, SALTUS_ERR_FILE, "cannot write '%s': %s", path, strerror(errno));
    if (f->files && !kept) json_array_append_new(f->files, cli_json_text(path));
    if (ok && cli_session_prints(s))
        printf("%s%s\n", path, kept ? " (was there, left as it is)" : "");
    free(path);
    return !ok;
}

static void make_folder(cli_session *s)
{
    struct stat about;
    const char *path = s->arguments->output;
    if (mkdir(path, 0777) == 0 || (stat(path, &about) == 0 && S_ISDIR(about.st_mode))) return;
    cli_fail(&s->error, SALTUS_ERR_FILE, "'%s' cannot be made a folder: %s", path,
             errno == EEXIST ? "there is a file of that name" : strerror(errno));
}

/* Only the start is wanted: the shortest motion there is. */
static void go_to_start(cli_session *s)
{
    double      start = 0.0;
    const char *end = NULL;
    saltus_system_horizon(s->system, &start, &end);
    s->options.t_end = start + 1e-9 * fmax(1.0, fabs(start));
    s->run = saltus_run_new(s->system, &s->options, &s->error);
    saltus_run_simulate(s->run, NULL, &s->error);
}

int cli_command_compile(const cli_arguments *arguments)
{
    cli_session session;
    if (cli_session_open(&session, arguments)) {
        folder f = {&session, session.result ? json_array() : NULL};
        make_folder(&session);
        if (!session.error.status) go_to_start(&session);
        if (!session.error.status) {
            saltus_error err = {0};
            saltus_run_emit(session.run, write_file, &f, &err);
            if (err.status && !session.error.status) session.error = err;
        }
        if (f.files) cli_json_set(session.result, "files", f.files);
    }
    return cli_session_close(&session);
}
