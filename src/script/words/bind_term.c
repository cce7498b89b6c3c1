/* Words that add terms to the equations of motion: energies, forces, masses, gravity. */
#include "script/words/bind.h"
#include "script/words/words.h"

/* Reads the options of a term at that index; `mode` is the only one. */
static saltus_modes term_modes(lua_State *L, int index, struct sal_who who)
{
    return sal_lua_modes_field(L, sal_lua_options(L, index, who, "mode", 0), "mode", who);
}

static int energy(lua_State *L, const char *word,
                  void (*add)(saltus_model *, saltus_expr, saltus_modes))
{
    const struct sal_who who = sal_lua_enter(L, word, 2);
    const saltus_expr    e = sal_lua_expr(L, 1, who, "the energy");
    const saltus_modes   modes = term_modes(L, 2, who);
    add(sal_lua_begin(L), e, modes);
    return sal_lua_finish(L);
}

int sal_word_kinetic(lua_State *L) { return energy(L, "kinetic", saltus_kinetic); }

int sal_word_potential(lua_State *L) { return energy(L, "potential", saltus_potential); }

int sal_word_dissipation(lua_State *L) { return energy(L, "dissipation", saltus_dissipation); }

static int point_force(lua_State *L, struct sal_who who)
{
    const saltus_point point = sal_lua_point(L, 1, who, "the first argument");
    const saltus_expr  fx = sal_lua_expr(L, 2, who, "fx, the second argument,");
    const saltus_expr  fy = sal_lua_expr(L, 3, who, "fy, the third argument,");
    const saltus_modes modes = term_modes(L, 4, who);
    saltus_point_force(sal_lua_begin(L), point, fx, fy, modes);
    return sal_lua_finish(L);
}

int sal_word_force(lua_State *L)
{
    const int            is_point = sal_lua_is_point(L, 1);
    const struct sal_who who = sal_lua_enter(L, "force", is_point ? 4 : 3);
    if (is_point) return point_force(L, who);
    const saltus_expr  u = sal_lua_expr(L, 1, who, "what the force works along");
    const saltus_expr  f = sal_lua_expr(L, 2, who, "the force");
    const saltus_modes modes = term_modes(L, 3, who);
    saltus_force(sal_lua_begin(L), u, f, modes);
    return sal_lua_finish(L);
}

int sal_word_mass(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "mass", 3);
    const int            is_point = sal_lua_is_point(L, 1);
    saltus_point         point = {{0}, {0}};
    saltus_expr          u = {0};
    if (is_point) point = sal_lua_point(L, 1, who, "what the mass moves along");
    else u = sal_lua_expr(L, 1, who, "what the mass moves along");
    const saltus_expr  m = sal_lua_expr(L, 2, who, "the mass");
    const saltus_modes modes = term_modes(L, 3, who);
    if (is_point) saltus_point_mass(sal_lua_begin(L), point, m, modes);
    else saltus_mass(sal_lua_begin(L), u, m, modes);
    return sal_lua_finish(L);
}

/* Reads the penalty factor. It must be a number, as nothing can be differentiated by it. */
static double alpha_field(lua_State *L, int field, struct sal_who who)
{
    if (sal_lua_value(L, field, SAL_EXPR))
        sal_lua_fail_who(L, who,
                         "alpha must be a plain number, got %s: no gradient is taken by it; use "
                         "setting(name, value) for what --set may change",
                         sal_lua_describe(L, field));
    return sal_lua_number(L, field, who, "alpha");
}

int sal_word_constraint(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "constraint", 3);
    const saltus_expr    phi = sal_lua_expr(L, 2, who, "the constraint");
    const int            options = sal_lua_options(L, 3, who, "mode alpha", 0);
    const saltus_modes   modes = sal_lua_modes_field(L, options, "mode", who);
    const int            field = sal_lua_field(L, options, "alpha");
    const double         alpha = field ? alpha_field(L, field, who) : 0.0;
    saltus_constraint(sal_lua_begin(L), who.name, phi, modes);
    if (field) saltus_constraint_alpha(sal_lua_begin(L), who.name, alpha);
    return sal_lua_finish(L);
}

int sal_word_rolling(lua_State *L)
{
    const struct sal_who who = sal_lua_enter_named(L, "rolling", 3);
    const saltus_expr    psi = sal_lua_expr(L, 2, who, "Psi");
    const saltus_modes   modes = term_modes(L, 3, who);
    saltus_rolling(sal_lua_begin(L), who.name, psi, modes);
    return sal_lua_finish(L);
}

int sal_word_gravity(lua_State *L)
{
    const struct sal_who who = sal_lua_enter(L, "gravity", 3);
    if (lua_isnil(L, 2)) sal_lua_fail_who(L, who, "it has two components: write gravity(0, -9.81)");
    const saltus_expr  gx = sal_lua_expr(L, 1, who, "gx");
    const saltus_expr  gy = sal_lua_expr(L, 2, who, "gy");
    const saltus_modes modes = term_modes(L, 3, who);
    saltus_gravity(sal_lua_begin(L), gx, gy, modes);
    return sal_lua_finish(L);
}
