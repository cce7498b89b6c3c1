/* Statuses and the error object that every fallible call of Saltus fills in. */
#ifndef SALTUS_STATUS_H
#define SALTUS_STATUS_H

#include <stddef.h>

#if defined(_WIN32)
#define SALTUS_API
#elif defined(__GNUC__)
#define SALTUS_API __attribute__((visibility("default")))
#else
#define SALTUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum saltus_status {
    SALTUS_OK,              /* no error */
    SALTUS_ERR_ARGUMENT,    /* wrong argument */
    SALTUS_ERR_FILE,        /* a file cannot be read or written */
    SALTUS_ERR_MEMORY,      /* out of memory */
    SALTUS_ERR_MODEL,       /* the model is wrong */
    SALTUS_ERR_SINGULAR,    /* a singular mass matrix */
    SALTUS_ERR_NOT_FINITE,  /* a value that is not finite */
    SALTUS_ERR_GRAZING,     /* a grazing event has no gradient */
    SALTUS_ERR_NO_GRADIENT, /* the gradient does not exist */
    SALTUS_ERR_ASSEMBLY,    /* the mechanism cannot be assembled */
    SALTUS_ERR_LIMIT,       /* a limit was reached */
    SALTUS_ERR_UNFINISHED,  /* the run did not reach its end */
    SALTUS_ERR_INTERRUPTED  /* interrupted */
} saltus_status;

/* The first failure of a sequence of calls. Start with {0}, in C and in C++. A call that is given
 * an error which already holds a failure does nothing, so a sequence is checked once, at its end.
 */
typedef struct saltus_error {
    int           line; /* line of the script, 0 if there is none */
    saltus_status status;
    char          file[256]; /* the script, empty if there is none */
    char          message[1024];
} saltus_error;

/* The status' text, e.g. "out of memory". */
SALTUS_API const char *saltus_status_text(saltus_status status);

/* The status' name, e.g. "ERR_MEMORY". */
SALTUS_API const char *saltus_status_name(saltus_status status);

/* What the program exits with for this status: 0, 1, 2, 3 or 130. */
SALTUS_API int saltus_status_exit_code(saltus_status status);

/* Where memory comes from: like realloc, but with the old size; size 0 frees and returns NULL.
 * A null function means malloc's family. */
typedef struct saltus_allocator {
    void *(*resize)(void *context, void *block, size_t old_size, size_t size);
    void *context;
} saltus_allocator;

#ifdef __cplusplus
}
#endif
#endif
