/* saltus dump: what the compiler sees. */
#include <stdlib.h>
#include <string.h>

#include "json_result.h"
#include "session.h"
#include "text.h"

typedef struct collected {
    char  *text;
    size_t length, capacity;
} collected;

static void write_out(void *context, const char *text)
{
    (void)context;
    cli_print(stdout, "%s", text);
}

static void collect(void *context, const char *text)
{
    collected   *c = context;
    const size_t more = strlen(text);
    if (c->length + more + 1 > c->capacity) {
        const size_t capacity = 2 * c->capacity + more + 1;
        char        *longer = cli_alloc(capacity, 1);
        if (c->text) memcpy(longer, c->text, c->length);
        free(c->text);
        c->text = longer;
        c->capacity = capacity;
    }
    memcpy(c->text + c->length, text, more + 1);
    c->length += more;
}

int cli_command_dump(const cli_arguments *arguments)
{
    cli_session session;
    collected   all = {0};
    if (cli_session_open(&session, arguments)) {
        saltus_system_dump(session.system, arguments->after, arguments->json ? collect : write_out,
                           &all, &session.error);
        if (session.result) cli_json_add(session.result, "dump:s", all.text);
    }
    free(all.text);
    return cli_session_close(&session);
}
