/* The word body: a rigid body of the plane. */
#include "script/words/bind.h"

/* What is not given is guessed if there is a guess for the body, and 0 if there is none. */
static void read_place(lua_State *L, int options, struct sal_who who, saltus_body_def *def)
{
    static const char *const     keys[] = {"x", "y", "angle"};
    saltus_coordinate_def *const parts[] = {&def->x, &def->y, &def->angle};
    saltus_expr                  speed[3] = {{0}}, guess[3] = {{0}};
    const int guessed = sal_lua_list_field(L, options, "guess", who, "{x, y, angle}", 3, guess);
    sal_lua_list_field(L, options, "speed", who, "{vx, vy}", 2, speed);
    speed[2] = sal_lua_expr_field(L, options, "spin", who);
    for (int i = 0; i < 3; i++) {
        parts[i]->start = sal_lua_expr_field(L, options, keys[i], who);
        parts[i]->speed = speed[i];
        parts[i]->doc = sal_lua_text_field(L, options, "doc", who);
        if (!parts[i]->start.id && guessed)
            parts[i]->guess = guess[i].id ? guess[i] : sal_lua_literal(L, 0.0);
    }
}

static int word_body(lua_State *L)
{
    static const char *const keys[] = {"x",    "y",       "angle", "speed", "spin",
                                       "mass", "inertia", "guess", "doc",   NULL};
    struct sal_who           who = {"body", NULL};
    sal_lua_enter(L, who, 2);
    who.name = sal_lua_text(L, 1, who, "the name");
    const int       options = sal_lua_options(L, 2, who, keys, 0);
    saltus_body_def def = {.mass = {0}};
    read_place(L, options, who, &def);
    def.mass = sal_lua_expr_field(L, options, "mass", who);
    def.inertia = sal_lua_expr_field(L, options, "inertia", who);
    const saltus_body body = saltus_body_new(sal_lua_begin(L), who.name, &def);
    sal_lua_finish(L);
    sal_lua_push_body(L, body, 1);
    return 1;
}

void sal_lua_add_body(lua_State *L)
{
    lua_pushcfunction(L, word_body);
    lua_setfield(L, -2, "body");
}
