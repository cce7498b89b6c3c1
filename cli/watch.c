/* saltus report --watch: makes the report again whenever a file of the model is saved.
 *
 * A child process makes each report: if it fails, the server continues, and work that a later save
 * makes useless is ended. If the child fails, its messages are shown in the page. */
#define _GNU_SOURCE /* accept4, memmem, environ */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sha256.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json_result.h"
#include "report.h"
#include "text.h"
#include "watch.h"

/* ---- the server -----------------------------------------------------------------------------
 *
 * It serves one page and one stream of events, to this machine only.
 *
 * It listens on 127.0.0.1. A request must have a Host header that names this address (or
 * localhost), so that no other site can reach it by a domain name that resolves to it. It answers
 * GET / and GET /events and nothing else. The number of connections, and the size and duration of
 * requests are bounded. */

enum { CONNECTIONS = 16, REQUEST_BYTES = 8192 };

typedef struct connection {
    int    socket; /* -1: none */
    char   request[REQUEST_BYTES];
    size_t received;
    char  *answer; /* NULL: the request is not complete */
    size_t size, sent;
    int    is_stream; /* 1: stays open, for events */
    double since;     /* start time of the connection */
} connection;

typedef struct page_server {
    int        socket;
    int        port;
    char      *page; /* NULL: none yet */
    size_t     page_size;
    char      *event; /* the last event, which new listeners get; owned */
    connection connection[CONNECTIONS];
} page_server;

enum { BACKLOG = 16 };
static const double patience = 20.0; /* seconds that a request and its answer may take */

static int server_open(page_server *server, saltus_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t          size = sizeof address;
    *server = (page_server){0};
    for (int i = 0; i < CONNECTIONS; i++) server->connection[i].socket = -1;
    server->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->socket < 0 || bind(server->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(server->socket, BACKLOG) != 0 ||
        getsockname(server->socket, (struct sockaddr *)&address, &size) != 0)
        return cli_fail(err, SALTUS_ERR_FILE, "cannot serve the page on 127.0.0.1: %s",
                        strerror(errno));
    server->port = ntohs(address.sin_port);
    return 1;
}

static void drop(connection *c)
{
    if (c->socket >= 0) close(c->socket);
    free(c->answer);
    *c = (connection){.socket = -1};
}

/* ---- answers -------------------------------------------------------------------------------- */

static void answer(connection *c, const char *status, const char *type, const char *body,
                   size_t size, int with_body)
{
    CLI_OWNED char *head = cli_format("HTTP/1.1 %s\r\n"
                                      "Content-Type: %s; charset=utf-8\r\n"
                                      "Content-Length: %zu\r\n"
                                      "Cache-Control: no-store\r\n"
                                      "X-Content-Type-Options: nosniff\r\n"
                                      "Content-Security-Policy: frame-ancestors 'none'\r\n"
                                      "Cross-Origin-Resource-Policy: same-origin\r\n"
                                      "Referrer-Policy: no-referrer\r\n"
                                      "Connection: close\r\n\r\n",
                                      status, type, size);
    const size_t    length = strlen(head);
    c->size = length + (with_body ? size : 0);
    c->answer = cli_bytes(c->size);
    memcpy(c->answer, head, length);
    if (with_body) memcpy(c->answer + length, body, size);
}

static void answer_text(connection *c, const char *status, const char *text)
{
    answer(c, status, "text/plain", text, strlen(text), 1);
}

static void begin_stream(const page_server *server, connection *c)
{
    c->answer = cli_format("HTTP/1.1 200 OK\r\n"
                           "Content-Type: text/event-stream\r\n"
                           "Cache-Control: no-store\r\n"
                           "X-Content-Type-Options: nosniff\r\n"
                           "Cross-Origin-Resource-Policy: same-origin\r\n"
                           "Connection: close\r\n\r\nretry: 500\n\n%s",
                           server->event ? server->event : "");
    c->size = strlen(c->answer);
    c->is_stream = 1;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* The value of a header, "" if there is none. The caller frees. */
static char *header(const char *request, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = strstr(request, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':')
            return cli_trimmed(line + length + 1, strcspn(line + length + 1, "\r\n"));
    }
    return cli_copy("");
}

static int is_for_us(const page_server *server, const char *request)
{
    CLI_OWNED char *host = header(request, "Host");
    CLI_OWNED char *number = cli_format("127.0.0.1:%d", server->port);
    CLI_OWNED char *name = cli_format("localhost:%d", server->port);
    return strcmp(host, number) == 0 || strcmp(host, name) == 0;
}

static void reply(const page_server *server, connection *c)
{
    const char *request = c->request;
    const int   is_head = strncmp(request, "HEAD ", 5) == 0;
    const int   is_get = strncmp(request, "GET ", 4) == 0;
    const char *path = request + (is_head ? 5 : 4);
    if (!is_get && !is_head) answer_text(c, "405 Method Not Allowed", "GET only\n");
    else if (!is_for_us(server, request))
        answer_text(c, "403 Forbidden", "this server answers to its own address only\n");
    else if (strncmp(path, "/events ", 8) == 0 && is_get) begin_stream(server, c);
    else if (strncmp(path, "/ ", 2) == 0 && server->page)
        answer(c, "200 OK", "text/html", server->page, server->page_size, !is_head);
    else answer_text(c, "404 Not Found", "there is nothing here\n");
}

/* Reads a request. Returns 0 if the connection is to be dropped. */
static int receive(const page_server *server, connection *c)
{
    const ssize_t more =
        recv(c->socket, c->request + c->received, sizeof c->request - 1 - c->received, 0);
    if (more < 0) return errno == EAGAIN || errno == EINTR;
    if (more == 0) return 0;
    if (c->answer) return 1; /* further input is ignored */
    c->received += (size_t)more;
    c->request[c->received] = '\0';
    if (memmem(c->request, c->received, "\r\n\r\n", 4)) {
        if (strlen(c->request) == c->received) reply(server, c);
        else answer_text(c, "400 Bad Request", "a zero byte\n");
        c->received = 0; /* discards it */
    } else if (c->received == sizeof c->request - 1) {
        answer_text(c, "431 Request Header Fields Too Large", "too long\n");
        c->received = 0;
    }
    return 1;
}

/* Sends the rest of the answer. Returns 0 if it is complete, or the browser has closed the
 * connection. */
static int emit(connection *c)
{
    const ssize_t more =
        send(c->socket, c->answer + c->sent, c->size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (more < 0) return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)more;
    return c->sent < c->size || c->is_stream;
}

/* ---- events --------------------------------------------------------------------------------- */

/* The text of an event in the stream: each line of the data on a line of its own. */
static char *event_text(const char *name, const char *data)
{
    char *text = cli_format("event: %s\n", name);
    do {
        const size_t length = strcspn(data, "\n");
        text = cli_append(text, "data: %.*s\n", (int)length, data);
        data += length + (data[length] == '\n');
    } while (*data);
    return cli_append(text, "\n");
}

/* Sends an event to all present and future listeners. name: one word; data: any text. */
static void server_tell(page_server *server, const char *name, const char *data)
{
    free(server->event);
    server->event = event_text(name, data);
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &server->connection[i];
        if (!c->is_stream) continue;
        char *rest = cli_copy_part(c->answer + c->sent, c->size - c->sent);
        free(c->answer);
        c->answer = cli_append(rest, "%s", server->event);
        c->size = strlen(c->answer);
        c->sent = 0;
    }
}

static int is_busy(const connection *c) { return c->answer && c->sent < c->size; }

/* Lists the sockets to wait for; there is room for CONNECTIONS + 1 entries. Returns their
 * number. */
static int server_wait(const page_server *server, struct pollfd *list)
{
    int count = 0;
    list[count++] = (struct pollfd){.fd = server->socket, .events = POLLIN};
    for (int i = 0; i < CONNECTIONS; i++) {
        const connection *c = &server->connection[i];
        if (c->socket < 0) continue;
        list[count++] = (struct pollfd){.fd = c->socket,
                                        .events = (short)(POLLIN | (is_busy(c) ? POLLOUT : 0))};
    }
    return count;
}

/* Finds a place for a connection; if there is none, closes the oldest one that is no stream, else
 * the oldest stream. */
static connection *make_room(page_server *server)
{
    connection *oldest = &server->connection[0];
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &server->connection[i];
        if (c->socket < 0) return c;
        if (c->is_stream < oldest->is_stream ||
            (c->is_stream == oldest->is_stream && c->since < oldest->since))
            oldest = c;
    }
    drop(oldest);
    return oldest;
}

static void take_connections(page_server *server)
{
    for (int socket;
         (socket = accept4(server->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        connection *c = make_room(server);
        c->socket = socket;
        c->since = cli_seconds();
    }
}

/* Serves all connections, without waiting. */
static void server_work(page_server *server)
{
    take_connections(server);
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &server->connection[i];
        if (c->socket < 0) continue;
        const int late = !c->is_stream && cli_seconds() - c->since > patience;
        if (late || !receive(server, c) || (is_busy(c) && !emit(c))) drop(c);
    }
}

int cli_browse(const char *target, saltus_error *err)
{
    const char *named = getenv("BROWSER");
    char       *words[] = {cli_copy(named && *named ? named : "xdg-open"), cli_copy(target), NULL};
    pid_t       child;
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
    cli_arguments arguments; /* arguments of the child */
    page_server   server;
    int           notify;      /* inotify; -1: none */
    double        changed;     /* when a file was last saved; 0: no report is due */
    pid_t         child;       /* 0: none */
    time_t        begun;       /* when the child was started */
    int           pipe;        /* messages of the child; -1: none */
    char         *said;        /* messages read so far; NULL: none */
    char          version[65]; /* hash of the page that is served */
} watch;

/* ---- the page that is served ---------------------------------------------------------------- */

/* Inserts more text after the first mark, if there is one. Takes the text over. */
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

/* Serves a page. Only the copy that is served may also run our script, which listens to this
 * server; the file stays as it is. */
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
    free(w->server.page);
    w->server.page = page;
    w->server.page_size = size;
    free(script);
}

/* Serves a page until there is a report. */
static void serve_nothing(watch *w)
{
    char *page = cli_copy("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                          "'none'; script-src\"><title>Saltus report</title></head>\n<body>"
                          "<p>The report is being made.</p></body></html>\n");
    serve_page(w, page, strlen(page));
}

/* ---- files that are saved ------------------------------------------------------------------- */

/* Watches the folder of a file, as editors replace a file by another one of its name. A model reads
 * files beside it, and those that options name. */
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

/* Whether a file may be part of the model, by its name; hidden files are those that editors write
 * first. */
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

/* In the child: ends it, as the report is no longer needed. */
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
        signal(SIGINT, SIG_IGN); /* the parent handles Ctrl-C, and ends the child */
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

/* Serves the result. A run that failed has a page up to the failure, and a message. */
static void serve_result(watch *w, int status)
{
    const cli_output target = {.target = (char *)(size_t)w->arguments.output};
    CLI_OWNED char  *partial = cli_output_partial(&target);
    const char      *said = w->said ? w->said : "saltus: the report could not be made";
    struct stat      about;
    if (status == 0 && serve_file(w, w->arguments.output)) {
        server_tell(&w->server, "page", w->version);
    } else {
        if (stat(partial, &about) == 0 && about.st_mtime >= w->begun && serve_file(w, partial))
            server_tell(&w->server, "page", w->version);
        server_tell(&w->server, "wrong", said);
    }
}

/* Reads the messages of the child; when it has ended, serves its result. */
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
        struct pollfd list[CONNECTIONS + 3];
        int           count = server_wait(&w->server, list);
        list[count++] = (struct pollfd){.fd = w->notify, .events = POLLIN};
        if (w->pipe >= 0) list[count++] = (struct pollfd){.fd = w->pipe, .events = POLLIN};
        poll(list, (nfds_t)count, w->changed > 0.0 ? 20 : 1000);
        server_work(&w->server);
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
    if (a->json)
        return cli_misuse(err, "--watch does not end, so it cannot print --json: leave one out");
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
    if (check_request(arguments, &err) && server_open(&w.server, &err) && watch_files(&w, &err)) {
        serve_nothing(&w);
        announce(&w, arguments->open, &err);
        w.changed = quiet_time;
        loop(&w);
    }
    end_child(&w);
    for (int i = 0; i < CONNECTIONS; i++) drop(&w.server.connection[i]);
    if (w.server.socket >= 0) close(w.server.socket);
    free(w.server.page);
    free(w.server.event);
    if (w.notify >= 0) close(w.notify);
    free(w.said);
    return err.status ? cli_refuse(arguments, &err) : 0;
}
