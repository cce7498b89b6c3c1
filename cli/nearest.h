/* Files that may have been meant. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

/* A model in the same folder whose name is close to that of a file that does not exist; NULL if
 * there is none, or if the file is there and cannot be read. The caller frees. */
char *cli_nearest_model(const char *path);

#endif
