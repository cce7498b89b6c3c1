/* saltus dump: the model after each pass of the compiler. */

#include "json_result.h"
#include "session.h"
#include "text.h"

static void write_out(void *context, const char *text)
{
    (void)context;
    cli_print(stdout, "%s", text);
}

static void collect(void *stream, const char *text) { fputs(text, stream); }

int cli_command_dump(const cli_arguments *arguments)
{
    cli_session     session;
    CLI_OWNED char *text = NULL;
    size_t          size = 0;
    if (cli_session_open(&session, arguments)) {
        FILE *stream = cli_memory_open(&text, &size);
        saltus_system_dump(session.system, arguments->after, arguments->json ? collect : write_out,
                           stream, &session.error);
        cli_memory_close(stream, &text);
        if (session.result) cli_json_add(session.result, "dump:s", text);
    }
    return cli_session_close(&session);
}
