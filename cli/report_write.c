/* Writing the page: its parts. */
#define _POSIX_C_SOURCE 200809L
#include <sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "json_result.h"
#include "report.h"
#include "text.h"

/* ---- texts ---------------------------------------------------------------------------------- */

static void write_escaped(FILE *stream, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default: fputc(*text, stream);
        }
}

/* Writes JSON inside <script>, where nothing may look like the end of it: "<", which is in strings
 * only, is escaped. */
static int write_data(const char *text, size_t length, void *context)
{
    FILE *stream = context;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '<') fputs("\\u003c", stream);
        else fputc(text[i], stream);
    }
    return ferror(stream) ? -1 : 0;
}

/* ---- the policy ----------------------------------------------------------------------------- */

/* A script or a style that is written in the page: what is between its tags. */
struct part {
    const char *name, *text;
    size_t      length;
};

/* Whether a script is data, by its type: such scripts are not run. */
static bool is_data(const char *tag, const char *end)
{
    const char *type = strstr(tag, "type=\"");
    return type && type < end && strncmp(type, "type=\"module", 12) != 0;
}

/* Finds the next script or style in the page that is run or applied, and returns the text after it;
 * NULL after the last one. */
static const char *next_part(const char *page, struct part *part)
{
    while (*page) {
        const char *script = strstr(page, "<script"), *style = strstr(page, "<style");
        const bool  is_script = script && (!style || script < style);
        const char *tag = is_script ? script : style;
        if (!tag) return NULL;
        const char *start = strchr(tag, '>');
        const char *end = start ? strstr(start, is_script ? "</script>" : "</style>") : NULL;
        if (!end) return NULL;
        *part = (struct part){is_script ? "script" : "style", start + 1, (size_t)(end - start) - 1};
        page = end + 1;
        if (!is_script || !is_data(tag, start)) return page;
    }
    return NULL;
}

char *cli_report_hash(const char *text, size_t length)
{
    uint8_t  digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX sha;
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)text, length);
    SHA256Final(digest, &sha);
    CLI_OWNED char *encoded = cli_base64(digest, sizeof digest);
    return cli_format("sha256-%s", encoded);
}

/* Writes the hashes of scripts (or styles) for the policy, which allows these only: a script that a
 * model injects would not run. */
static void write_hashes(FILE *stream, const char *page, const char *name)
{
    struct part part;
    while ((page = next_part(page, &part)) != NULL) {
        if (strcmp(part.name, name) != 0) continue;
        CLI_OWNED char *hash = cli_report_hash(part.text, part.length);
        fprintf(stream, " '%s'", hash);
    }
}

/* ---- the page ------------------------------------------------------------------------------- */

/* Writes the page up to the mark and returns the text after the mark. */
static const char *write_until(FILE *stream, const char *page, const char *mark)
{
    const char *at = strstr(page, mark);
    if (!at) return page;
    fwrite(page, 1, (size_t)(at - page), stream);
    return at + strlen(mark);
}

/* Writes a text of the model at its mark in the head of the page. */
static const char *write_text(FILE *stream, const char *page, const char *mark, const char *text)
{
    CLI_OWNED char *valid = cli_clean(text, strlen(text), CLI_LINE);
    const char     *rest = write_until(stream, page, mark);
    write_escaped(stream, valid);
    return rest;
}

/* Writes bytes in a script that is not run, for the page to read. */
static void write_bytes(FILE *stream, const char *id, const unsigned char *bytes,
                        unsigned long size)
{
    CLI_OWNED char *text = cli_base64(bytes, size);
    fprintf(stream, "<script type=\"text/plain\" id=\"%s\">%s</script>\n", id, text);
}

void cli_page_write(FILE *stream, const unsigned char *made, unsigned long size, const char *title,
                    const char *about, const json_t *data, int live)
{
    CLI_OWNED char *page = cli_copy_part((const char *)made, size);
    const char     *rest = write_until(stream, page, "@SALTUS-SCRIPTS@");
    write_hashes(stream, page, "script");
    if (live) fputs(" 'wasm-unsafe-eval'; worker-src blob:", stream);
    rest = write_until(stream, rest, "@SALTUS-STYLES@");
    write_hashes(stream, page, "style");
    rest = write_text(stream, rest, "@SALTUS-TITLE@", title);
    rest = write_text(stream, rest, "@SALTUS-ABOUT@", about);
    rest = write_text(stream, rest, "@SALTUS-TITLE@", title);
    rest = write_text(stream, rest, "@SALTUS-ABOUT@", about);
    rest = write_until(stream, rest, "@SALTUS-DATA@");
    if (!cli_json_dump(data, write_data, stream, JSON_COMPACT) && !ferror(stream))
        cli_out_of_memory(); /* nothing else can fail */
    rest = write_until(stream, rest, "@SALTUS-ENGINE@");
    if (live) {
        write_bytes(stream, "live-engine", cli_live_engine, cli_live_engine_size);
        write_bytes(stream, "live-worker", cli_live_worker, cli_live_worker_size);
        write_bytes(stream, "live-licences", cli_live_licences, cli_live_licences_size);
    }
    fputs(rest, stream);
}

void cli_report_write(FILE *stream, const char *title, const char *about, const json_t *data,
                      int live)
{
    cli_page_write(stream, cli_report_page, cli_report_page_size, title, about, data, live);
}

/* Pages of saltus are recognised by a mark near their beginning. */
int cli_report_may_replace(const char *path)
{
    char        head[1024];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return 1;
    FILE *stream = fopen(path, "rb");
    if (!stream) return 0;
    head[fread(head, 1, sizeof head - 1, stream)] = '\0';
    fclose(stream);
    return strstr(head, "<meta name=\"generator\" content=\"saltus\">") != NULL;
}
