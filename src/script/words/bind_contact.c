/* The word contact: its surface, and its laws of impact and friction. */
#include <string.h>

#include "script/words/bind_element.h"
#include "script/words/words.h"

static const char example[] = "contact{P, line = {A, B}, restitution = e}";

/* ---- what is touched ------------------------------------------------------------------------ */

/* circle = {C, radius = r}, or inside = ... */
static saltus_surface read_circle(lua_State *L, const char *key, saltus_point p, struct sal_who who)
{
    const int field = sal_lua_table_field(L, 1, key, who, "a centre and a radius, {C, radius = r}");
    sal_lua_options(L, field, (struct sal_who){key, NULL}, "radius", 1);
    const int          entry = sal_lua_entry_at(L, field, 1);
    const saltus_point centre =
        sal_lua_point(L, entry, who, lua_pushfstring(L, "the centre in %s", key));
    const struct sal_value *body = sal_lua_value(L, entry, SAL_BODY);
    const saltus_expr       turn = body ? body->is.body.angle : (saltus_expr){0};
    const saltus_expr       radius = sal_lua_expr_field(L, field, "radius", who);
    if (!radius.id) sal_lua_fail_who(L, who, "%s: radius is missing", key);
    const saltus_surface surface = saltus_surface_circle(sal_lua_begin(L), p, centre, turn, radius,
                                                         strcmp(key, "inside") == 0);
    sal_lua_finish(L);
    return surface;
}

static saltus_surface read_line(lua_State *L, saltus_point p, struct sal_who who)
{
    saltus_point line[2];
    sal_lua_line_field(L, "line", who, line);
    const saltus_surface surface = saltus_surface_line(sal_lua_begin(L), p, line[0], line[1]);
    sal_lua_finish(L);
    return surface;
}

/* Returns the one key among line, circle, inside and gap that is given. */
static const char *shape_of(lua_State *L, struct sal_who who)
{
    static const char *const shapes[] = {"line", "circle", "inside", "gap"};
    const char              *found = NULL;
    for (int i = 0; i < 4; i++) {
        if (!sal_lua_field(L, 1, shapes[i])) continue;
        lua_pop(L, 1);
        if (found)
            sal_lua_fail_who(L, who, "%s and %s exclude each other: a contact has one surface",
                             found, shapes[i]);
        found = shapes[i];
    }
    if (!found)
        sal_lua_fail_who(L, who,
                         "the surface is missing: line = {A, B}, circle = {C, radius = r}, "
                         "inside = {C, radius = r} or gap = e");
    return found;
}

static saltus_surface read_surface(lua_State *L, int count, struct sal_who who)
{
    const char    *shape = shape_of(L, who);
    saltus_surface surface = {.gap = {0}};
    if (strcmp(shape, "gap") == 0) {
        if (count > 0)
            sal_lua_fail_who(L, who,
                             "gap= already defines the contact: remove the point before it");
        const saltus_expr gap = sal_lua_expr_field(L, 1, "gap", who);
        surface = saltus_surface_gap(sal_lua_begin(L), gap);
        sal_lua_finish(L);
    } else {
        const saltus_point p = sal_lua_entry_point(L, 1, who);
        surface = strcmp(shape, "line") == 0 ? read_line(L, p, who) : read_circle(L, shape, p, who);
    }
    surface.slip = sal_lua_expr_field(L, 1, "slip", who);
    const saltus_expr along = sal_lua_expr_field(L, 1, "along", who);
    if (along.id) {
        surface.along = along;
        surface.radius.id = 0;
    }
    return surface;
}

/* ---- what happens --------------------------------------------------------------------------- */

/* Reads mu, or {static = , kinetic = }; null if absent. */
static saltus_friction friction_field(lua_State *L, const char *key, struct sal_who who)
{
    saltus_friction friction = {{0}, {0}};
    const int       field = sal_lua_field(L, 1, key);
    if (!field) return friction;
    if (lua_type(L, field) != LUA_TTABLE) {
        friction.mu_static = sal_lua_expr(L, field, who, key);
        return friction;
    }
    sal_lua_options(L, field, (struct sal_who){key, NULL}, "static kinetic", 0);
    friction.mu_static = sal_lua_expr_field(L, field, "static", who);
    friction.mu_kinetic = sal_lua_expr_field(L, field, "kinetic", who);
    if (!friction.mu_static.id)
        sal_lua_fail_who(L, who, "%s: static is missing; {static = , kinetic = }", key);
    return friction;
}

static void read_kind(lua_State *L, struct sal_who who, saltus_contact_def *def)
{
    const int slides = sal_lua_flag_field(L, 1, "slides", who);
    def->sticks = sal_lua_flag_field(L, 1, "sticks", who);
    def->restitution = sal_lua_expr_field(L, 1, "restitution", who);
    if (sal_lua_field(L, 1, "rest")) def->rests = sal_lua_flag_field(L, 1, "rest", who) ? 1 : -1;
    def->settle = sal_lua_expr_field(L, 1, "settle", who);
    if (slides && def->sticks) sal_lua_fail_who(L, who, "it slides or sticks, not both");
    if (slides && def->restitution.id && !def->settle.id && def->rests <= 0)
        sal_lua_fail_who(L, who,
                         "with restitution it bounces; give settle, the speed below which "
                         "it slides");
    def->friction = friction_field(L, "friction", who);
    if (slides && def->friction.mu_static.id)
        sal_lua_fail_who(L, who, "with friction it slides or sticks by itself: leave slides out");
}

static void where_entry(lua_State *L, struct sal_who who, const void *contact)
{
    const saltus_expr condition = sal_lua_expr(L, lua_gettop(L), who, "where");
    saltus_contact_where(sal_lua_begin(L), *(const saltus_contact *)contact, condition);
    sal_lua_finish(L);
}

static void charge_entry(lua_State *L, struct sal_who who, const void *contact)
{
    saltus_expr value;
    const char *cost = sal_lua_charge_entry(L, who, &value);
    saltus_contact_charge(sal_lua_begin(L), *(const saltus_contact *)contact, cost, value);
    sal_lua_finish(L);
}

int sal_word_contact(lua_State *L)
{
    int                  count;
    const struct sal_who who =
        sal_lua_element(L, "contact",
                        "line circle inside gap along at restitution settle "
                        "slides sticks start where charge mode name friction slip rest",
                        1, example, &count);
    saltus_contact_def def = {.sticks = 0};
    def.surface = read_surface(L, count, who);
    read_kind(L, who, &def);
    def.starts_closed = sal_lua_choice_field(L, 1, "start", who, "open closed",
                                             "start must be 'open' or 'closed', got '%s'");
    def.place = sal_lua_expr_field(L, 1, "at", who);
    def.modes = sal_lua_modes_field(L, 1, "mode", who);
    const saltus_contact contact = saltus_contact_new(sal_lua_begin(L), who.name, &def);
    sal_lua_finish(L);
    sal_lua_each_condition(L, 1, "where", who, where_entry, &contact);
    sal_lua_each_entry(L, 1, "charge", who, charge_entry, &contact);
    lua_pushstring(L, contact.name);
    sal_lua_push_value(L, (struct sal_value){SAL_CONTACT, {.contact = contact}}, lua_gettop(L));
    return 1;
}

int sal_word_friction(lua_State *L)
{
    const struct sal_who who =
        sal_lua_element(L, "friction", "limit mode name", 1, "friction{q, limit = F}", NULL);
    const saltus_expr     of = sal_lua_expr(L, sal_lua_entry_at(L, 1, 1), who, "the coordinate");
    const saltus_friction limit = friction_field(L, "limit", who);
    const saltus_modes    modes = sal_lua_modes_field(L, 1, "mode", who);
    saltus_friction_new(sal_lua_begin(L), who.name, of, limit, modes);
    return sal_lua_finish(L);
}
