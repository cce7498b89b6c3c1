/* The sandbox a script runs in: memory, instructions and time are counted, and once one of them
 * runs out the script is stopped permanently. Its state is in one struct per load, found
 * through Lua's extra space. */
#ifndef SAL_SCRIPT_SANDBOX_SANDBOX_H
#define SAL_SCRIPT_SANDBOX_SANDBOX_H

#include <lauxlib.h>
#include <lua.h>

#include "saltus/script.h"

/* Reasons why a script was stopped: name, and message to the user. A script cannot catch a stop. */
#define SAL_STOP_LIST(X)                                                                           \
    X(NONE, "")                                                                                    \
    X(STEPS, "the script takes too long: it was stopped at its limit of instructions (is there "   \
             "a loop that never ends?)")                                                           \
    X(MEMORY, "the script needs too much memory: it was stopped at its limit")                     \
    X(TEXT, "the script makes a text of more than a million bytes")                                \
    X(ALLOCATOR, "out of memory")

/* The longest text a script can make, in bytes. */
#define SAL_TEXT_MAX 1000000

enum sal_stop {
#define SAL_STOP_ROW(name, text) SAL_STOP_##name,
    SAL_STOP_LIST(SAL_STOP_ROW)
#undef SAL_STOP_ROW
};

/* Largest number of files that one script may include, and largest depth of includes. */
enum { SAL_INCLUDES = 64, SAL_INCLUDE_DEPTH = 16 };

/* A file that the script includes. */
struct sal_included {
    const char *file;              /* borrowed from a text that Lua keeps */
    char        chunk[LUA_IDSIZE]; /* its name as Lua writes it before messages */
    int         active;            /* 1: it is running */
};

struct sal_script {
    saltus_model       *model;
    const char         *file;              /* its name as the user wrote it */
    char                chunk[LUA_IDSIZE]; /* its name as Lua writes it before messages */
    struct sal_included included[SAL_INCLUDES];
    int                 includes, depth;
    int         in, stop_in; /* file of the last line; of the stop: 0 script, else 1 + include */
    const char *prefix;      /* prefix of names in an included file; NULL: none */
    saltus_script_options options; /* the user's, with defaults filled in */
    saltus_allocator      allocator;
    lua_State            *running; /* the state of Lua, NULL before the start and after the end */
    enum sal_stop         stop;
    int                   stop_line;
    size_t                bytes, model_bytes;
    size_t                largest;  /* weight of the heaviest block so far, see sandbox.c */
    int                   interval; /* instructions between two counts */
    enum sal_stop         refused;  /* why the last request for memory failed */
    long long             steps, next_check;
    double                wall_start, cpu_start, seconds;
};

/* Its address is the key of the table of names that scripts assign, in the registry. */
extern const char sal_lua_globals;

static inline struct sal_script *sal_lua_script(lua_State *L)
{
    return *(struct sal_script **)lua_getextraspace(L);
}

/* Makes a Lua state under the limits of the script; NULL if there is no memory for it. */
lua_State *sal_lua_new(struct sal_script *script);

/* Measures how fast this machine runs scripts, then starts the clock. May raise. */
void sal_lua_start(lua_State *L);

/* Charges work that is not in the count of instructions; raises once the limit is reached. */
void sal_lua_charge(lua_State *L, size_t steps);

/* Notes how much memory the model has now, and charges for its growth; raises at the limit. */
void sal_lua_charge_model(lua_State *L);

/* Returns why the script is to stop, if a limit is used up. For places that cannot raise. */
enum sal_stop sal_lua_check(struct sal_script *script);

/* Stops the script. */
void sal_lua_stop(lua_State *L, enum sal_stop why);

/* Must be called wherever an error is caught: raises it again if it is a stop. */
void sal_lua_pass_caught(lua_State *L, int status);

/* For the message handler: makes a stop of a refused request for memory, as Lua's text buffers
 * raise an ordinary error then. */
void sal_lua_note_refusal(lua_State *L);

/* The message to the user about a stop. */
const char *sal_lua_stop_text(enum sal_stop stop);

/* The line of the script that is running, 0 if there is none. Also notes its file in
 * sal_script.in. */
int sal_lua_line(lua_State *L);
/* The name of the file number `in`, as the user wrote it and as Lua writes it. */
const char *sal_lua_file(const struct sal_script *script, int in);
const char *sal_lua_chunk(const struct sal_script *script, int in);

#endif
