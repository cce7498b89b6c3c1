/* saltus report --watch: edit, save, see.
 *
 * A child process makes each report: whatever happens there, the server goes on, and work that a
 * later save makes useless is ended. What the child says is shown in the page if it fails. */
#define _GNU_SOURCE /* memmem, environ */
#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json_result.h"
#include "report.h"
#include "serve.h"
#include "text.h"
#include "watch.h"

static const char *opener(void)
{
    const char *browser = getenv("BROWSER");
    if (browser && *browser) return browser;
#ifdef __APPLE__
    return "open";
#else
    return "xdg-open";
#endif
}

int cli_browse(const char *target, saltus_error *err)
{
    char                      *words[] = {cli_copy(opener()), cli_copy(target), NULL};
    pid_t                      child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int reason = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (reason)
        cli_fail(err, SALTUS_ERR_FILE,
                 "cannot open '%s' with '%s': %s; $BROWSER names another program", target, words[0],
                 strerror(reason));
    free(words[0]);
    free(words[1]);
    return reason == 0;
}

enum { SAID_MAX = 64 * 1024 };
static const double quiet_time = 0.05; /* seconds: an editor may write a file in several steps */

typedef struct watch {
    cli_arguments arguments; /* of the child */
    cli_server    server;
    int           notify;      /* inotify; -1: none */
    double        changed;     /* when a file was saved last; 0: no report is due */
    pid_t         child;       /* 0: none */
    time_t        begun;       /* when it was started */
    int           pipe;        /* what the child says; -1: none */
    char         *said;        /* NULL: nothing */
    char          version[65]; /* of the page that is served */
} watch;

/* ---- the page that is served ---------------------------------------------------------------- */

/* The text with more after the first mark, if there is one. Takes the text over. */
static char *put_after(char *text, size_t *size, const char *mark, const char *more)
{
    const char *at = memmem(text, *size, mark, strlen(mark));
    if (!at) return text;
    const size_t head = (size_t)(at - text) + strlen(mark), length = strlen(more);
    char        *longer = cli_bytes(*size + length);
    memcpy(longer, text, head);
    memcpy(longer + head, more, length);
    memcpy(longer + head + length, text + head, *size - head);
    *size += length;
    free(text);
    return longer;
}

/* The file stays as it is; what is served may run our script too, which listens to this server. */
static void serve_page(watch *w, char *page, size_t size)
{
    SHA256Data((const uint8_t *)page, size, w->version);
    CLI_OWNED char *digest = cli_report_hash(cli_watch_script, strlen(cli_watch_script));
    CLI_OWNED char *allowed = cli_format(" '%s'", digest);
    char           *script =
        cli_format("\n<script data-version=\"%s\">%s</script>", w->version, cli_watch_script);
    page = put_after(page, &size, "default-src 'none';", " connect-src 'self';");
    page = put_after(page, &size, "script-src", allowed);
    page = put_after(page, &size, "<body>", script);
    cli_server_set_page(&w->server, page, size);
    free(script);
}

/* Until there is a report. */
static void serve_nothing(watch *w)
{
    char *page = cli_copy("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                          "'none'; script-src\"><title>Saltus report</title></head>\n<body>"
                          "<p>The report is being made.</p></body></html>\n");
    serve_page(w, page, strlen(page));
}

/* ---- files that are saved ------------------------------------------------------------------- */

/* Its folder: editors replace a file by another one of its name. A model reads files beside it, and
 * those that options name. */
static void watch_beside(const watch *w, const char *file)
{
    const char     *slash = strrchr(file, '/');
    CLI_OWNED char *folder =
        slash ? cli_copy_part(file, (size_t)(slash - file) + 1) : cli_copy(".");
    inotify_add_watch(w->notify, folder, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR);
}

static int watch_files(watch *w, saltus_error *err)
{
    const cli_arguments *a = &w->arguments;
    w->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->notify < 0) return cli_fail_file(err, "watch", a->model);
    for (int i = 0; i < a->model_count; i++) watch_beside(w, a->models[i]);
    for (int i = 0; i < a->count; i++)
        if (a->given[i].option == CLI_OPTION_PARAMS) watch_beside(w, a->given[i].value);
    for (int i = 0; i < a->data_count; i++) watch_beside(w, a->data[i].file);
    return 1;
}

/* What a model may be made of, by its name; hidden files are those that editors write first. */
static int is_of_model(const watch *w, const char *name)
{
    const cli_arguments *a = &w->arguments;
    if (strcmp(name, cli_base_name(a->model)) == 0) return 1;
    for (int i = 0; i < a->data_count; i++)
        if (strcmp(name, cli_base_name(a->data[i].file)) == 0) return 1;
    return *name != '.' && (cli_ends_with(name, ".lua") || cli_ends_with(name, ".csv") ||
                            cli_ends_with(name, ".json"));
}

static void take_changes(watch *w)
{
    _Alignas(struct inotify_event) char buffer[4096];
    ssize_t                             size;
    while ((size = read(w->notify, buffer, sizeof buffer)) > 0)
        for (char *at = buffer; at < buffer + size;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            const int                   saved = (event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0;
            if (saved && event->len && is_of_model(w, event->name)) w->changed = cli_seconds();
            at += sizeof *event + event->len;
        }
}

/* ---- making the report ---------------------------------------------------------------------- */

/* In the child: the report is not wanted any more. */
static void give_up(int number)
{
    (void)number;
    cli_outputs_remove();
    _exit(saltus_status_exit_code(SALTUS_ERR_INTERRUPTED));
}

static void begin_child(watch *w)
{
    int ends[2];
    w->changed = 0.0;
    w->begun = time(NULL);
    free(w->said);
    w->said = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    fflush(NULL);
    w->child = fork();
    if (w->child == 0) {
        signal(SIGINT, SIG_IGN); /* Ctrl-C is for the parent, which tells the child */
        signal(SIGTERM, give_up);
        dup2(ends[1], STDERR_FILENO);
        const int status = w->arguments.command->function(&w->arguments);
        fflush(NULL);
        _exit(status);
    }
    close(ends[1]);
    w->pipe = ends[0];
    if (w->child < 0) w->child = 0;
}

static void end_child(watch *w)
{
    if (w->child) {
        kill(w->child, SIGTERM);
        waitpid(w->child, NULL, 0);
    }
    if (w->pipe >= 0) close(w->pipe);
    w->child = 0;
    w->pipe = -1;
}

static int serve_file(watch *w, const char *path)
{
    saltus_error err = {0};
    size_t       size = 0;
    char        *page = cli_read_file(path, &size, &err);
    if (page) serve_page(w, page, size);
    return page != NULL;
}

/* A run that could not go on has a page up to there, and a message. */
static void serve_result(watch *w, int status)
{
    const cli_output target = {.target = (char *)(size_t)w->arguments.output};
    CLI_OWNED char  *partial = cli_output_partial(&target);
    const char      *said = w->said ? w->said : "saltus: the report could not be made";
    struct stat      about;
    if (status == 0 && serve_file(w, w->arguments.output)) {
        cli_server_tell(&w->server, "page", w->version);
    } else {
        if (stat(partial, &about) == 0 && about.st_mtime >= w->begun && serve_file(w, partial))
            cli_server_tell(&w->server, "page", w->version);
        cli_server_tell(&w->server, "wrong", said);
    }
}

/* Reads what the child says; at its end, shows what it has made. */
static void follow_child(watch *w)
{
    char    text[4096];
    ssize_t size;
    while ((size = read(w->pipe, text, sizeof text - 1)) > 0) {
        text[size] = '\0';
        fputs(text, stderr);
        if (!w->said || strlen(w->said) < SAID_MAX) w->said = cli_append(w->said, "%s", text);
    }
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    int status = 0;
    waitpid(w->child, &status, 0);
    w->child = 0;
    close(w->pipe);
    w->pipe = -1;
    if (!cli_interrupted()) serve_result(w, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void loop(watch *w)
{
    while (!cli_interrupted()) {
        struct pollfd list[CLI_CONNECTIONS + 3];
        int           count = cli_server_wait(&w->server, list);
        list[count++] = (struct pollfd){.fd = w->notify, .events = POLLIN};
        if (w->pipe >= 0) list[count++] = (struct pollfd){.fd = w->pipe, .events = POLLIN};
        poll(list, (nfds_t)count, w->changed > 0.0 ? 20 : 1000);
        cli_server_work(&w->server);
        take_changes(w);
        if (w->changed > 0.0 && cli_seconds() - w->changed > quiet_time) {
            end_child(w);
            begin_child(w);
            if (w->pipe >= 0) fcntl(w->pipe, F_SETFL, O_NONBLOCK);
        }
        if (w->pipe >= 0) follow_child(w);
    }
}

static int check_request(const cli_arguments *a, saltus_error *err)
{
    if (strcmp(a->model, "-") == 0)
        return cli_misuse(err, "standard input (-) cannot be watched: give --watch a file");
    if (strcmp(a->output, "-") == 0)
        return cli_misuse(err, "--watch writes the page again and again: give -o a file");
    if (a->json) return cli_misuse(err, "--watch has no end to print --json at: leave one out");
    return 1;
}

static void announce(const watch *w, int open, saltus_error *err)
{
    CLI_OWNED char *address = cli_format("http://127.0.0.1:%d/", w->server.port);
    if (!w->arguments.quiet) {
        printf("%s shows the report, and follows what you save; Ctrl-C ends it\n", address);
        fflush(stdout);
    }
    if (open) cli_browse(address, err);
}

int cli_watch(const cli_arguments *arguments)
{
    watch        w = {.arguments = *arguments, .notify = -1, .pipe = -1};
    saltus_error err = {0};
    w.server.socket = -1;
    w.arguments.watch = w.arguments.open = 0;
    if (check_request(arguments, &err) && cli_server_open(&w.server, &err) &&
        watch_files(&w, &err)) {
        serve_nothing(&w);
        announce(&w, arguments->open, &err);
        w.changed = quiet_time;
        loop(&w);
    }
    end_child(&w);
    cli_server_close(&w.server);
    if (w.notify >= 0) close(w.notify);
    free(w.said);
    return err.status ? cli_refuse(arguments, &err) : 0;
}
