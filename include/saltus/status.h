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

/* The first failure of a sequence of calls. Initialise it with {0} in C, and with {} in C++. A call
 * does nothing if its error already holds a failure, so a sequence of calls is checked once, at its
 * end. A call may be given NULL instead of an error: then only what it returns tells whether it
 * failed. */
typedef struct saltus_error {
    int           line; /* line of the script, 0 if there is none */
    saltus_status status;
    char          file[256]; /* the script, empty if there is none */
    char          message[1024];
} saltus_error;

/* Returns what a status means, e.g. "out of memory". */
SALTUS_API const char *saltus_status_text(saltus_status status);

/* Returns the name of a status, e.g. "ERR_MEMORY". */
SALTUS_API const char *saltus_status_name(saltus_status status);

/* Returns the exit code of the program `saltus` for a status: 0, 1, 2, 3 or 130. */
SALTUS_API int saltus_status_exit_code(saltus_status status);

/* A memory allocator. resize works like realloc, but is also given the old size; size 0 frees the
 * block and returns NULL. resize NULL: malloc, realloc and free. */
typedef struct saltus_allocator {
    void *(*resize)(void *context, void *block, size_t old_size, size_t size);
    void *context;
} saltus_allocator;

#ifdef __cplusplus
}
#endif
#endif
