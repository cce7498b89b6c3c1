/* A team of processes started by mpirun.
 *
 * Only the calling thread uses MPI. It never waits inside MPI, which would keep a processor busy:
 * packets are sent and polled for. When a process dies, mpirun ends the others. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "team.h"
#include "text.h"

typedef struct sending {
    MPI_Request request;
    char       *data;
} sending;

static struct {
    int      is_started; /* 1: started by mpirun or the like */
    int      rank, size;
    char     name[MPI_MAX_PROCESSOR_NAME + 32];
    sending *sending; /* packets on their way */
    int      count;
} team = {.size = 1};

/* mpirun, srun and other starters pass a process its number in one of these variables. */
static int was_started(void)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_ID"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (getenv(marks[i])) return 1;
    return 0;
}

void cli_team_join(int *argc, char ***argv)
{
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int  length = 0, level;
    if (!(team.is_started = was_started())) return;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team.size);
    MPI_Get_processor_name(host, &length);
    snprintf(team.name, sizeof team.name, "rank %d on %s", team.rank, host);
}

int         cli_team_rank(void) { return team.rank; }
int         cli_team_size(void) { return team.size; }
const char *cli_team_name(void) { return team.name; }

/* The first part of "Open MPI v4.1.4, package: ..., ident: ...". */
const char *cli_team_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int         length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

/* Standard input reaches process 0 only. */
static int reads_files(const cli_arguments *a, saltus_error *err)
{
    int is_input = a->model && strcmp(a->model, "-") == 0;
    for (int i = 0; i < a->count; i++)
        is_input =
            is_input ||
            ((a->given[i].option == CLI_OPTION_PARAMS || a->given[i].option == CLI_OPTION_POINTS) &&
             strcmp(a->given[i].value, "-") == 0);
    return !is_input || cli_misuse(err, "only one process can read standard input: write a file "
                                        "that all of them see, and name it");
}

int cli_team_accepts(const cli_arguments *a, saltus_error *err)
{
    const char *name = a->command->name;
    const int   is_fit = strcmp(name, "fit") == 0;
    if (!is_fit && strcmp(name, "sweep") != 0 && strcmp(name, "optimise") != 0)
        return cli_misuse(err,
                          "saltus-mpi shares the work of sweep, optimise and fit --profile: use "
                          "'saltus %s'",
                          name);
    if (is_fit && !cli_is_given(a, CLI_OPTION_PROFILE))
        return cli_misuse(err, "of a fit, processes share only the profiles: add --profile, or "
                               "use 'saltus fit'");
    if (a->model_count > 1) return cli_misuse(err, "saltus-mpi takes one model at a time");
    if (!team.is_started)
        return cli_misuse(err,
                          "start several processes: mpirun -n 4 saltus-mpi %s ...; alone, use "
                          "'saltus %s'",
                          name, name);
    return reads_files(a, err);
}

/* Whether a stream is a terminal in the end: the streams of a process lead to mpirun, which is its
 * parent if they are on one machine. */
int cli_team_is_terminal(int stream)
{
    char path[64], target[PATH_MAX];
    if (!team.is_started) return isatty(stream);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), stream);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = '\0';
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

/* ---- packets -------------------------------------------------------------------------------- */

/* Frees packets that have arrived; all: tries until all have. */
static void forget_sent(int all)
{
    for (int i = 0; i < team.count;) {
        int arrived = 0;
        MPI_Test(&team.sending[i].request, &arrived, MPI_STATUS_IGNORE);
        if (arrived) {
            free(team.sending[i].data);
            team.sending[i] = team.sending[--team.count];
        } else {
            i = all ? i : i + 1;
        }
    }
}

void cli_team_send(int to, int kind, cli_packet *packet)
{
    forget_sent(0);
    if (packet->size > INT_MAX) {
        fputs("saltus-mpi: error: a packet of more than 2 GB\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, saltus_status_exit_code(SALTUS_ERR_MEMORY));
    }
    sending *s = CLI_PUSH(team.sending, team.count);
    s->data = packet->data;
    MPI_Isend(s->data, (int)packet->size, MPI_BYTE, to, kind, MPI_COMM_WORLD, &s->request);
    *packet = (cli_packet){0};
}

int cli_team_receive(int *from, int *kind, cli_packet *packet)
{
    int        is_there = 0, size = 0;
    MPI_Status status;
    *packet = (cli_packet){0};
    if (team.size < 2) return 0;
    forget_sent(0);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) return 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    packet->data = cli_bytes((size_t)size + 1);
    packet->size = packet->capacity = (size_t)size;
    *from = status.MPI_SOURCE;
    *kind = status.MPI_TAG;
    MPI_Recv(packet->data, size, MPI_BYTE, *from, *kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 1;
}

int cli_team_leave(int status, int is_broken)
{
    if (!team.is_started) return status;
    if (is_broken) MPI_Abort(MPI_COMM_WORLD, status);
    forget_sent(1);
    free(team.sending);
    MPI_Finalize();
    return status;
}
