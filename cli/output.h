/* Files that the program writes. A file is written beside its target under a temporary name, and
 * replaces the target when it is complete and on the disk: until then, and if anything fails, an
 * older file stays as it was. What is no regular file (a pipe, /dev/null) is written directly.
 *
 *     cli_output_open -> write to stream -> cli_output_keep, or cli_output_drop
 *
 * Temporary files are removed when the program ends, also by cli_outputs_remove from a signal. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "saltus/saltus.h"

typedef struct cli_output {
    FILE *stream;    /* NULL: not open */
    char *path;      /* name of the file, as the user wrote it */
    char *target;    /* its final path, links followed; NULL: written directly */
    char *temporary; /* its path until it is complete */
    int   fresh;     /* 1: never replaces a file */
} cli_output;

/* Opens a file for writing. fresh: an existing file is an error. Returns 1, or 0 with the error. */
int cli_output_open(cli_output *output, const char *path, int fresh, saltus_error *err);
/* Whether the file could be opened now, before the work that fills it; pipes are not touched.
 * Returns 1, or 0 with the error. */
int cli_output_may_open(const char *path, saltus_error *err);
/* Flushes what was written to the disk without completing the file. For files that belong together:
 * all that can fail has failed before the first of them is kept. */
int cli_output_finish(cli_output *output, saltus_error *err);
/* Completes the file; partial: under the name of cli_output_partial, and not under its own. Returns
 * 1, or 0 with the error and nothing changed. */
int cli_output_keep(cli_output *output, int partial, saltus_error *err);
/* Discards what was written; does nothing if the file is not open. */
void cli_output_drop(cli_output *output);

/* The name of incomplete results: FILE.part.csv. The caller frees. */
char *cli_output_partial(const cli_output *output);

/* 1 if standard output goes to this file. */
int cli_output_is_stdout(const char *path);
/* 1 if both paths lead to one regular file. */
int cli_output_is_same(const char *path, const char *other);

/* Removes the temporary files of all outputs; may be called from a signal handler. */
void cli_outputs_remove(void);

#endif
