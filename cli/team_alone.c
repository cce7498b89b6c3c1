/* A team of one. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "team.h"

void cli_team_join(int *argc, char ***argv) { (void)argc, (void)argv; }
int  cli_team_rank(void) { return 0; }
int  cli_team_size(void) { return 1; }
int  cli_team_accepts(const struct cli_arguments *arguments, saltus_error *err)
{
    return (void)arguments, (void)err, 1;
}
int         cli_team_is_terminal(int stream) { return isatty(stream); }
const char *cli_team_library(void) { return NULL; }
const char *cli_team_name(void) { return "this process"; }
void        cli_team_send(int to, int kind, cli_packet *packet)
{
    (void)to, (void)kind;
    cli_packet_free(packet);
}
int cli_team_receive(int *from, int *kind, cli_packet *packet)
{
    return (void)from, (void)kind, (void)packet, 0;
}
int cli_team_leave(int status, int is_broken) { return (void)is_broken, status; }
