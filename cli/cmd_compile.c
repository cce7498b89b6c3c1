/* saltus compile: the kernels as C, in a folder. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_result.h"
#include "session.h"
#include "text.h"

enum { FILES_MAX = 8 };

/* The folder that is written. Files get their names only when all of them are complete, so that new
 * headers do not stand beside old programs. */
typedef struct folder {
    cli_session *session;
    int          made; /* 1: we have created it */
    cli_output   file[FILES_MAX];
    int          count;
    char        *left; /* names of files that were left as they were, one per line */
} folder;

/* Files that a user may have changed, which are not written again. */
static int is_users(const char *file) { return cli_is_one_of(file, "main.c Makefile"); }

static void write_file(folder *f, const char *path, int fresh, const char *text)
{
    cli_session *s = f->session;
    cli_output  *output = &f->file[f->count];
    if (!cli_session_may_write(s, path, &s->error)) return;
    if (!cli_output_open(output, path, fresh, &s->error)) return;
    f->count++;
    if (fputs(text, output->stream) < 0) cli_fail_file(&s->error, "write", path);
}

static int take_file(void *context, const char *file, const char *text)
{
    folder         *f = context;
    CLI_OWNED char *path = cli_format("%s/%s", f->session->arguments->output, file);
    const int       users = is_users(file);
    if (users && access(path, F_OK) == 0) {
        f->left = cli_append(f->left, "%s (was there, left as it is)\n", path);
    } else if (f->count < FILES_MAX) {
        write_file(f, path, users, text);
    }
    return f->session->error.status != SALTUS_OK;
}

/* Completes the files: only renaming happens between the first and the last. */
static void keep_files(folder *f, json_t *files)
{
    cli_session    *s = f->session;
    CLI_OWNED char *paths = cli_copy("");
    for (int i = 0; i < f->count && !s->error.status; i++) {
        paths = cli_append(paths, "%s\n", f->file[i].path);
        json_array_append_new(files, cli_json_text(f->file[i].path));
        cli_output_finish(&f->file[i], &s->error);
    }
    for (int i = 0; i < f->count && !s->error.status; i++)
        cli_output_keep(&f->file[i], 0, &s->error);
    if (!s->error.status && cli_session_prints(s))
        cli_print(stdout, "%s%s", paths, f->left ? f->left : "");
    if (s->error.status) json_array_clear(files);
}

static void make_folder(folder *f)
{
    struct stat  about;
    cli_session *s = f->session;
    const char  *path = s->arguments->output;
    f->made = mkdir(path, 0777) == 0;
    if (f->made || (stat(path, &about) == 0 && S_ISDIR(about.st_mode))) return;
    cli_fail(&s->error, SALTUS_ERR_FILE, "'%s' cannot be made a folder: %s", path,
             errno == EEXIST ? "there is a file of that name" : strerror(errno));
}

/* Simulates the shortest possible motion, as only the start is needed. */
static void go_to_start(cli_session *s)
{
    const double start = cli_session_start(s);
    s->options.t_end = start + 1e-9 * fmax(1.0, fabs(start));
    s->run = saltus_run_new(s->system, &s->options, &s->error);
    saltus_run_simulate(s->run, NULL, &s->error);
}

int cli_command_compile(const cli_arguments *arguments)
{
    cli_session session;
    if (cli_session_open(&session, arguments)) {
        folder  f = {.session = &session};
        json_t *files = json_array();
        make_folder(&f);
        if (!session.error.status) go_to_start(&session);
        if (!session.error.status) {
            saltus_error err = {0};
            saltus_run_emit(session.run, take_file, &f, &err);
            if (err.status && !session.error.status) session.error = err;
        }
        keep_files(&f, files);
        for (int i = 0; i < f.count; i++) cli_output_drop(&f.file[i]);
        if (f.made && session.error.status) rmdir(arguments->output);
        free(f.left);
        if (session.result) cli_json_add(session.result, "files:j", json_incref(files));
        json_decref(files);
    }
    return cli_session_close(&session);
}
