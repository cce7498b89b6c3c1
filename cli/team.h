/* The processes that perform one command together: those that mpirun started (mpi/team_mpi.c, in
 * saltus-mpi), or this one alone (team_alone.c, in saltus). They are numbered; number 0 reads and
 * writes files, prints, and distributes the work (deal.h). */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include "packet.h"
#include "saltus/saltus.h"

struct cli_arguments;

/* Joins the team; the first call of the program. */
void cli_team_join(int *argc, char ***argv);
int  cli_team_rank(void);
int  cli_team_size(void);
/* Whether a team can perform this command; otherwise err lists the commands that it can. */
int cli_team_accepts(const struct cli_arguments *arguments, saltus_error *err);
/* Whether this standard stream leads to a terminal. */
int cli_team_is_terminal(int stream);
/* The MPI library, for --version; NULL: none. */
const char *cli_team_library(void);
/* The name of this process, as "rank 2 on node7", for messages. */
const char *cli_team_name(void);

/* Sends a packet, which is taken over, to another process. Returns at once. */
void cli_team_send(int to, int kind, cli_packet *packet);
/* Receives the next packet, which the caller frees; returns 0 if there is none. Never waits. */
int cli_team_receive(int *from, int *kind, cli_packet *packet);

/* Leaves the team at the end. is_broken: some other processes cannot be reached, and are ended with
 * this one. Returns the exit status. */
int cli_team_leave(int status, int is_broken);

#endif
