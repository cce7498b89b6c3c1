/* Arrays of NumPy in one file, FILE.npz: a ZIP archive, not compressed, of arrays in the format NPY
 * 1.0. numpy.load reads it without pickle. */
#ifndef CLI_NPZ_H
#define CLI_NPZ_H

#include <stdio.h>

typedef struct cli_npz cli_npz;

cli_npz *cli_npz_begin(FILE *stream);
void     cli_npz_doubles(cli_npz *npz, const char *name, const double *value, int count);
void     cli_npz_ints(cli_npz *npz, const char *name, const int *value, int count);
/* Texts in UTF-8; what is not is mended. */
void cli_npz_texts(cli_npz *npz, const char *name, char *const *text, int count);
/* Writes the list of contents and frees. Returns 0 if the archive is larger than 4 GB, which the
 * format does not have; failures of writing stay in the stream. */
int cli_npz_end(cli_npz *npz);

#endif
