/* A small server for one page and one stream of events, to this machine only: `saltus report
 * --watch`.
 *
 * It listens on 127.0.0.1. A request must have a Host header that names this address (or
 * localhost), so that no other site can reach it by a name of its own that leads here. It answers
 * GET / and GET /events and nothing else. The number of connections, the size of a request and the
 * time that one may take are bounded. */
#ifndef CLI_SERVE_H
#define CLI_SERVE_H

#include <poll.h>
#include <stddef.h>

#include "saltus/saltus.h"

enum { CLI_CONNECTIONS = 16, CLI_REQUEST_BYTES = 8192 };

typedef struct cli_connection {
    int    socket; /* -1: none */
    char   request[CLI_REQUEST_BYTES];
    size_t received;
    char  *answer; /* NULL: the request is not complete */
    size_t size, sent;
    int    is_stream; /* 1: it stays, for events */
    double since;     /* when it began */
} cli_connection;

typedef struct cli_server {
    int            socket;
    int            port;
    char          *page; /* NULL: none yet */
    size_t         page_size;
    char          *event; /* the last one, which new listeners are told; owned */
    cli_connection connection[CLI_CONNECTIONS];
} cli_server;

int  cli_server_open(cli_server *server, saltus_error *err);
void cli_server_close(cli_server *server);
/* The page that is served from now on; it is taken over. */
void cli_server_set_page(cli_server *server, char *page, size_t size);
/* Tells all listeners, and those to come. name: one word; data: any text. */
void cli_server_tell(cli_server *server, const char *name, const char *data);
/* Fills in what is to be waited for; room for CLI_CONNECTIONS + 1 entries. Returns how many. */
int cli_server_wait(const cli_server *server, struct pollfd *list);
/* Does what can be done now. Never waits. */
void cli_server_work(cli_server *server);

#endif
