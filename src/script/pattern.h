/* Lua's patterns, matched under the limits of the sandbox. */
#ifndef SAL_SCRIPT_PATTERN_H
#define SAL_SCRIPT_PATTERN_H

#include <stddef.h>

#include <lua.h>

enum { SAL_CAPTURES_MAX = 32 };

struct sal_pattern; /* lives in a userdata */

struct sal_match {
    const char *text;
    size_t      length;     /* of the text */
    size_t      start, end; /* of the match */
    int         captures;
    struct {
        size_t start, length;
        int    is_position; /* made by () */
    } capture[SAL_CAPTURES_MAX];
};

/* Pushes a pattern made ready, or raises what is wrong with it. A ^ at the start is an anchor if
 * that is allowed, and a plain character else. */
struct sal_pattern *sal_lua_pattern_push(lua_State *L, const char *text, size_t length,
                                         int anchor_allowed);
int                 sal_lua_pattern_is_anchored(const struct sal_pattern *pattern);

/* Whether the pattern matches right at that place of match->text; fills in the rest of match. */
int sal_lua_pattern_match(lua_State *L, struct sal_pattern *pattern, size_t place,
                          struct sal_match *match);

#endif
