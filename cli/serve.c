/* A small server for one page and one stream of events. */
#define _GNU_SOURCE /* accept4, memmem */
#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "text.h"

enum { BACKLOG = 16 };
static const double patience = 20.0; /* seconds that a request and its answer may take */

/* ---- opening and closing -------------------------------------------------------------------- */

int cli_server_open(cli_server *server, saltus_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t          size = sizeof address;
    *server = (cli_server){0};
    for (int i = 0; i < CLI_CONNECTIONS; i++) server->connection[i].socket = -1;
    server->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->socket < 0 || bind(server->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(server->socket, BACKLOG) != 0 ||
        getsockname(server->socket, (struct sockaddr *)&address, &size) != 0)
        return cli_fail(err, SALTUS_ERR_FILE, "cannot serve the page on 127.0.0.1: %s",
                        strerror(errno));
    server->port = ntohs(address.sin_port);
    return 1;
}

static void drop(cli_connection *c)
{
    if (c->socket >= 0) close(c->socket);
    free(c->answer);
    *c = (cli_connection){.socket = -1};
}

void cli_server_close(cli_server *server)
{
    for (int i = 0; i < CLI_CONNECTIONS; i++) drop(&server->connection[i]);
    if (server->socket >= 0) close(server->socket);
    free(server->page);
    free(server->event);
}

void cli_server_set_page(cli_server *server, char *page, size_t size)
{
    free(server->page);
    server->page = page;
    server->page_size = size;
}

/* ---- answers -------------------------------------------------------------------------------- */

static void answer(cli_connection *c, const char *status, const char *type, const char *body,
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

static void answer_text(cli_connection *c, const char *status, const char *text)
{
    answer(c, status, "text/plain", text, strlen(text), 1);
}

static void begin_stream(const cli_server *server, cli_connection *c)
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

static int is_for_us(const cli_server *server, const char *request)
{
    CLI_OWNED char *host = header(request, "Host");
    CLI_OWNED char *number = cli_format("127.0.0.1:%d", server->port);
    CLI_OWNED char *name = cli_format("localhost:%d", server->port);
    return strcmp(host, number) == 0 || strcmp(host, name) == 0;
}

static void reply(const cli_server *server, cli_connection *c)
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

/* Returns 0 if the connection is to be dropped. */
static int receive(const cli_server *server, cli_connection *c)
{
    const ssize_t more =
        recv(c->socket, c->request + c->received, sizeof c->request - 1 - c->received, 0);
    if (more < 0) return errno == EAGAIN || errno == EINTR;
    if (more == 0) return 0;
    if (c->answer) return 1; /* whatever else it says */
    c->received += (size_t)more;
    c->request[c->received] = '\0';
    if (memmem(c->request, c->received, "\r\n\r\n", 4)) {
        if (strlen(c->request) == c->received) reply(server, c);
        else answer_text(c, "400 Bad Request", "a zero byte\n");
        c->received = 0; /* room for what is ignored */
    } else if (c->received == sizeof c->request - 1) {
        answer_text(c, "431 Request Header Fields Too Large", "too long\n");
        c->received = 0;
    }
    return 1;
}

/* Returns 0 if all is said, or nobody listens. */
static int emit(cli_connection *c)
{
    const ssize_t more =
        send(c->socket, c->answer + c->sent, c->size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (more < 0) return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)more;
    return c->sent < c->size || c->is_stream;
}

/* ---- events --------------------------------------------------------------------------------- */

/* As the stream has them: each line of the data on its own. */
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

void cli_server_tell(cli_server *server, const char *name, const char *data)
{
    free(server->event);
    server->event = event_text(name, data);
    for (int i = 0; i < CLI_CONNECTIONS; i++) {
        cli_connection *c = &server->connection[i];
        if (!c->is_stream) continue;
        char *rest = cli_copy_part(c->answer + c->sent, c->size - c->sent);
        free(c->answer);
        c->answer = cli_append(rest, "%s", server->event);
        c->size = strlen(c->answer);
        c->sent = 0;
    }
}

/* ---- the loop ------------------------------------------------------------------------------- */

static int is_busy(const cli_connection *c) { return c->answer && c->sent < c->size; }

int cli_server_wait(const cli_server *server, struct pollfd *list)
{
    int count = 0;
    list[count++] = (struct pollfd){.fd = server->socket, .events = POLLIN};
    for (int i = 0; i < CLI_CONNECTIONS; i++) {
        const cli_connection *c = &server->connection[i];
        if (c->socket < 0) continue;
        list[count++] = (struct pollfd){.fd = c->socket,
                                        .events = (short)(POLLIN | (is_busy(c) ? POLLOUT : 0))};
    }
    return count;
}

/* Where there is no room, the oldest that is no stream makes it; else the oldest stream. */
static cli_connection *make_room(cli_server *server)
{
    cli_connection *oldest = &server->connection[0];
    for (int i = 0; i < CLI_CONNECTIONS; i++) {
        cli_connection *c = &server->connection[i];
        if (c->socket < 0) return c;
        if (c->is_stream < oldest->is_stream ||
            (c->is_stream == oldest->is_stream && c->since < oldest->since))
            oldest = c;
    }
    drop(oldest);
    return oldest;
}

static void take_connections(cli_server *server)
{
    for (int socket;
         (socket = accept4(server->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        cli_connection *c = make_room(server);
        c->socket = socket;
        c->since = cli_seconds();
    }
}

void cli_server_work(cli_server *server)
{
    take_connections(server);
    for (int i = 0; i < CLI_CONNECTIONS; i++) {
        cli_connection *c = &server->connection[i];
        if (c->socket < 0) continue;
        const int late = !c->is_stream && cli_seconds() - c->since > patience;
        if (late || !receive(server, c) || (is_busy(c) && !emit(c))) drop(c);
    }
}
