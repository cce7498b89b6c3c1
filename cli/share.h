/* Jobs of the library that the processes of the team share (saltus_job). */
#ifndef CLI_SHARE_H
#define CLI_SHARE_H

#include "session.h"

typedef struct cli_sharing {
    const char  *identity; /* what all processes must agree on */
    saltus_error error;    /* why a job was not done */
} cli_sharing;

/* For saltus_optimise_options.share: context is a cli_sharing. Each process has all results then.
 */
int cli_share(void *context, const saltus_job *job);

/* Of the model as the compiler sees it, with all files that its script reads. The caller frees. */
char *cli_model_hash(cli_session *session);
/* The model, the version of the program, and the values in force. The caller frees. */
char *cli_session_identity(cli_session *session);

#endif
