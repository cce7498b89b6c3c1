/* Bytes that one thread or process hands to another. */
#include "packet.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

void cli_packet_put(cli_packet *p, const void *bytes, size_t size)
{
    if (p->size + size > p->capacity) {
        p->capacity = 2 * (p->size + size) + 64;
        char *data = realloc(p->data, p->capacity);
        if (!data) cli_out_of_memory();
        p->data = data;
    }
    if (size) memcpy(p->data + p->size, bytes, size);
    p->size += size;
}

void cli_packet_put_int(cli_packet *p, int value) { cli_packet_put(p, &value, sizeof value); }

/* Writes the length with the final zero (0 for NULL), then the text. */
void cli_packet_put_text(cli_packet *p, const char *text)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    cli_packet_put(p, &size, sizeof size);
    cli_packet_put(p, text, size);
}

int cli_packet_get(cli_packet *p, void *bytes, size_t size)
{
    if (size > p->size - p->at) {
        p->at = p->size;
        memset(bytes, 0, size);
        return 0;
    }
    if (size) memcpy(bytes, p->data + p->at, size);
    p->at += size;
    return 1;
}

int cli_packet_get_int(cli_packet *p)
{
    int value;
    cli_packet_get(p, &value, sizeof value);
    return value;
}

char *cli_packet_get_text(cli_packet *p)
{
    size_t size;
    if (!cli_packet_get(p, &size, sizeof size) || !size || size > p->size - p->at) return NULL;
    char *text = cli_copy_part(p->data + p->at, size - 1);
    p->at += size;
    return text;
}

void cli_packet_put_packet(cli_packet *p, const cli_packet *inner)
{
    cli_packet_put(p, &inner->size, sizeof inner->size);
    cli_packet_put(p, inner->data, inner->size);
}

int cli_packet_get_packet(cli_packet *p, cli_packet *inner)
{
    size_t size;
    *inner = (cli_packet){0};
    if (!cli_packet_get(p, &size, sizeof size) || size > p->size - p->at) return 0;
    cli_packet_put(inner, p->data + p->at, size);
    p->at += size;
    return 1;
}

void cli_packet_free(cli_packet *p)
{
    free(p->data);
    *p = (cli_packet){0};
}
