/* Arrays of NumPy in a ZIP archive (PKWARE's APPNOTE 6.3, numpy.lib.format). */
#include "npz.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "text.h"

enum {
    LOCAL = 0x04034b50,
    ENTRY = 0x02014b50,
    END = 0x06054b50,
    VERSION = 20,     /* of ZIP that is needed to read it */
    UTF8 = 1 << 11,   /* names are */
    DAY = 0x0021,     /* 1 January 1980: the same results are the same bytes */
    HEADER_UNIT = 64, /* of NPY: data begin at a multiple of it */
};

struct cli_npz {
    FILE      *stream;
    cli_packet contents; /* the central directory */
    uint64_t   at;       /* bytes that are written */
    int        entries;
};

/* ---- little-endian numbers ------------------------------------------------------------------ */

static void put(cli_packet *p, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)(value >> (8 * i));
        cli_packet_put(p, &byte, 1);
    }
}

static int is_big_endian(void)
{
    const uint16_t       one = 1;
    const unsigned char *byte = (const unsigned char *)&one;
    return byte[0] == 0;
}

/* ---- the checksum --------------------------------------------------------------------------- */

/* The remainder of division by x^32 + x^26 + ... + 1, a byte at a time. */
static uint32_t checksum(const cli_packet *p)
{
    uint32_t table[256], sum = 0xffffffffu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    for (size_t i = 0; i < p->size; i++)
        sum = table[(sum ^ (unsigned char)p->data[i]) & 255u] ^ sum >> 8;
    return sum ^ 0xffffffffu;
}

/* ---- entries -------------------------------------------------------------------------------- */

static void write_packet(cli_npz *npz, const cli_packet *p)
{
    fwrite(p->data, 1, p->size, npz->stream);
    npz->at += p->size;
}

/* What a file's own header and its entry in the contents share. */
static void put_head(cli_packet *p, const cli_packet *data, uint32_t sum, size_t name)
{
    put(p, VERSION, 2);
    put(p, UTF8, 2);
    put(p, 0, 2); /* stored */
    put(p, 0, 2); /* midnight */
    put(p, DAY, 2);
    put(p, sum, 4);
    put(p, (uint32_t)data->size, 4);
    put(p, (uint32_t)data->size, 4);
    put(p, (uint32_t)name, 2);
    put(p, 0, 2);
}

static void add_entry(cli_npz *npz, const char *name, const cli_packet *data)
{
    const uint32_t  sum = checksum(data);
    CLI_OWNED char *file = cli_format("%s.npy", name);
    const size_t    length = strlen(file);
    cli_packet      head = {0};
    put(&npz->contents, ENTRY, 4);
    put(&npz->contents, VERSION, 2);
    put_head(&npz->contents, data, sum, length);
    put(&npz->contents, 0, 2); /* no comment, */
    put(&npz->contents, 0, 2); /* the first disk, */
    put(&npz->contents, 0, 2); /* no attributes */
    put(&npz->contents, 0, 4);
    put(&npz->contents, (uint32_t)npz->at, 4);
    cli_packet_put(&npz->contents, file, length);
    put(&head, LOCAL, 4);
    put_head(&head, data, sum, length);
    cli_packet_put(&head, file, length);
    write_packet(npz, &head);
    write_packet(npz, data);
    npz->entries++;
    cli_packet_free(&head);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static void begin_array(cli_packet *p, const char *kind, size_t size, int count)
{
    CLI_OWNED char *text =
        cli_format("{'descr': '%c%s%zu', 'fortran_order': False, 'shape': (%d,), }",
                   is_big_endian() ? '>' : '<', kind, size, count);
    const size_t fixed = 10, length = strlen(text) + 1; /* with the end of the line */
    const size_t padding = (HEADER_UNIT - (fixed + length) % HEADER_UNIT) % HEADER_UNIT;
    cli_packet_put(p, "\x93NUMPY\x01\x00", 8);
    put(p, (uint32_t)(length + padding), 2);
    cli_packet_put(p, text, length - 1);
    for (size_t i = 0; i < padding; i++) cli_packet_put(p, " ", 1);
    cli_packet_put(p, "\n", 1);
}

cli_npz *cli_npz_begin(FILE *stream)
{
    cli_npz *npz = cli_alloc(1, sizeof *npz);
    npz->stream = stream;
    return npz;
}

/* kind: that of NumPy's types, "f" or "i". */
static void add_numbers(cli_npz *npz, const char *name, const char *kind, const void *value,
                        size_t size, int count)
{
    cli_packet p = {0};
    begin_array(&p, kind, size, count);
    cli_packet_put(&p, value, (size_t)count * size);
    add_entry(npz, name, &p);
    cli_packet_free(&p);
}

void cli_npz_doubles(cli_npz *npz, const char *name, const double *value, int count)
{
    add_numbers(npz, name, "f", value, sizeof *value, count);
}

void cli_npz_ints(cli_npz *npz, const char *name, const int *value, int count)
{
    add_numbers(npz, name, "i", value, sizeof *value, count);
}

/* The next character of valid UTF-8. */
static uint32_t next_character(const unsigned char **at)
{
    const unsigned char *s = *at;
    const int            more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t             c = more ? s[0] & (0x3fu >> more) : s[0];
    for (int i = 1; i <= more; i++) c = c << 6 | (s[i] & 0x3fu);
    *at = s + more + 1;
    return c;
}

/* An array of characters of 32 bits, all texts of the same length, with zeros behind them. */
void cli_npz_texts(cli_npz *npz, const char *name, char *const *text, int count)
{
    cli_packet       p = {0};
    size_t           longest = 1;
    CLI_OWNED char **valid = cli_alloc((size_t)count + 1, sizeof *valid);
    for (int i = 0; i < count; i++) {
        size_t length = 0;
        valid[i] = cli_valid_utf8(text[i]);
        for (const unsigned char *at = (const unsigned char *)valid[i]; *at; length++)
            next_character(&at);
        if (length > longest) longest = length;
    }
    begin_array(&p, "U", longest, count);
    for (int i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)valid[i];
        for (size_t k = 0; k < longest; k++) {
            const uint32_t c = *at ? next_character(&at) : 0;
            cli_packet_put(&p, &c, sizeof c);
        }
        free(valid[i]);
    }
    add_entry(npz, name, &p);
    cli_packet_free(&p);
}

int cli_npz_end(cli_npz *npz)
{
    const uint64_t start = npz->at;
    cli_packet     end = {0};
    put(&end, END, 4);
    put(&end, 0, 4); /* the first disk */
    put(&end, (uint32_t)npz->entries, 2);
    put(&end, (uint32_t)npz->entries, 2);
    put(&end, (uint32_t)npz->contents.size, 4);
    put(&end, (uint32_t)start, 4);
    put(&end, 0, 2); /* no comment */
    write_packet(npz, &npz->contents);
    write_packet(npz, &end);
    const int fits = npz->at <= UINT32_MAX && npz->entries < 65535;
    cli_packet_free(&end);
    cli_packet_free(&npz->contents);
    free(npz);
    return fits;
}
