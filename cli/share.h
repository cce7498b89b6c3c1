/* Jobs of the library that the processes of the team share (saltus_job). */
#ifndef CLI_SHARE_H
#define CLI_SHARE_H

#include "session.h"

typedef struct cli_sharing {
    const char  *identity; /* identity of the work, equal in all processes */
    saltus_error error;    /* why a job was not done */
} cli_sharing;

/* The function for saltus_optimise_options.share; context is a cli_sharing. Afterwards each process
 * has all results. */
int cli_share(void *context, const saltus_job *job);

/* The hash of the compiled model, including all files that its script reads. The caller frees. */
char *cli_model_hash(cli_session *session);
/* The identity of a session: model, version of the program, and values in force. The caller
 * frees. */
char *cli_session_identity(cli_session *session);

#endif
