/* The processes that do one command together: those that mpirun started (mpi/team_mpi.c, in
 * saltus-mpi), or this one alone (team_alone.c, in saltus). They are numbered; number 0 reads and
 * writes files, prints, and deals out the work (deal.h). */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include "packet.h"
#include "saltus/saltus.h"

struct cli_arguments;

/* Before anything else. */
void cli_team_join(int *argc, char ***argv);
int  cli_team_rank(void);
int  cli_team_size(void);
/* Whether a team can do this command; a failure says what can. */
int cli_team_accepts(const struct cli_arguments *arguments, saltus_error *err);
/* Whether what is written to this standard stream reaches a terminal. */
int cli_team_is_terminal(int stream);
/* The library that joins the processes, for --version; NULL: none. */
const char *cli_team_library(void);
/* "rank 2 on node7", for messages. */
const char *cli_team_name(void);

/* Hands over a packet, which is freed, to another process. Returns at once. */
void cli_team_send(int to, int kind, cli_packet *packet);
/* The next packet that has come, which the caller frees; 0: there is none. Never waits. */
int cli_team_receive(int *from, int *kind, cli_packet *packet);

/* At the end. is_broken: some of the others cannot be reached, and must be ended with this one.
 * Returns the exit status. */
int cli_team_leave(int status, int is_broken);

#endif
