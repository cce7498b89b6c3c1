/* Bytes that one thread or process hands to another. */
#ifndef CLI_PACKET_H
#define CLI_PACKET_H

#include <stddef.h>

typedef struct cli_packet {
    char  *data;
    size_t size, capacity;
    size_t at; /* position of reading */
} cli_packet;

void cli_packet_put(cli_packet *packet, const void *bytes, size_t size);
void cli_packet_put_int(cli_packet *packet, int value);
void cli_packet_put_text(cli_packet *packet, const char *text); /* may be NULL */

/* Read in the order of writing. Beyond the end the result is 0 or NULL. */
int   cli_packet_get(cli_packet *packet, void *bytes, size_t size);
int   cli_packet_get_int(cli_packet *packet);
char *cli_packet_get_text(cli_packet *packet); /* the caller frees */

/* Write and read a packet inside another one. The caller frees the packet that was read. */
void cli_packet_put_packet(cli_packet *packet, const cli_packet *inner);
int  cli_packet_get_packet(cli_packet *packet, cli_packet *inner);

void cli_packet_free(cli_packet *packet);

#endif
