/* Opens a page in the browser. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "watch.h"

extern char **environ;

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
