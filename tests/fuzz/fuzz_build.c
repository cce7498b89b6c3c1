/* Fuzz target: calls of the builders in saltus/model.h, with arguments of the right types and
 * whatever values. Each byte says which call, or which of the things made so far is its argument;
 * then all that can be done with the model.
 *
 *     SECONDS_EACH=600 make fuzz
 */
#include <stdio.h>

#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 48, MAX_CALLS = 120 };

typedef struct build {
    saltus_model  *model;
    const uint8_t *next, *end;
    saltus_expr    expr[MAX];
    saltus_point   point[MAX];
    saltus_body    body[MAX];
    saltus_mode    mode[MAX];
    saltus_event   event[MAX];
    saltus_contact contact[MAX];
    int            exprs, points, bodies, modes, events, contacts;
    char           text[8][4];
    int            texts;
    saltus_mode    listed[4];
} build;

/* ---- arguments ------------------------------------------------------------------------------ */

static int byte(build *b) { return b->next < b->end ? *b->next++ : 0; }

static double number(build *b)
{
    static const double special[] = {0.0,  1.0,  -1.0, 0.5,   2.0,   9.81,
                                     1e-3, 1e-9, 1e9,  1e300, 1e-300};
    const int           k = byte(b);
    return k < 11 ? special[k] : (k - 128) / 16.0;
}

/* A name that may be there already; they stay where they are until eight others are made. */
static const char *name(build *b)
{
    char *text = b->text[b->texts++ % 8];
    snprintf(text, sizeof b->text[0], "%c%d", 'a' + byte(b) % 8, byte(b) % 3);
    return text;
}

static saltus_expr expr(build *b)
{
    const int k = byte(b);
    if (k == 255) return (saltus_expr){0};
    return b->expr[k % b->exprs];
}

static saltus_point point(build *b)
{
    const int k = byte(b);
    if (b->points == 0 || k > 200) return (saltus_point){expr(b), expr(b)};
    return b->point[k % b->points];
}

static saltus_body body(build *b)
{
    const int k = byte(b);
    if (b->bodies == 0 || k > 200) return (saltus_body){expr(b), expr(b), expr(b)};
    return b->body[k % b->bodies];
}

/* Mostly none: in all modes. */
static saltus_modes modes(build *b)
{
    const int k = byte(b), count = k % 8 < 5 || b->modes == 0 ? 0 : k % 8 - 4;
    for (int i = 0; i < count; i++) b->listed[i] = b->mode[byte(b) % b->modes];
    return (saltus_modes){b->listed, count};
}

static saltus_event event(build *b)
{
    return b->events ? b->event[byte(b) % b->events] : (saltus_event){0};
}

static saltus_coordinate_def coordinate_def(build *b)
{
    const int             k = byte(b);
    saltus_coordinate_def def = {0};
    if (k & 1) def.start = expr(b);
    if (k & 2) def.speed = expr(b);
    if ((k & 12) == 12) def.guess = expr(b);
    return def;
}

/* ---- what is kept for later calls ------------------------------------------------------------ */

static void keep(build *b, saltus_expr e)
{
    b->expr[b->exprs < MAX ? b->exprs++ : byte(b) % MAX] = e;
}

static void keep_point(build *b, saltus_point p)
{
    b->point[b->points < MAX ? b->points++ : byte(b) % MAX] = p;
    keep(b, p.x);
    keep(b, p.y);
}

static void keep_event(build *b, saltus_event e)
{
    b->event[b->events < MAX ? b->events++ : byte(b) % MAX] = e;
}

static void keep_mode(build *b, saltus_mode m)
{
    b->mode[b->modes < MAX ? b->modes++ : byte(b) % MAX] = m;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void make_symbol(build *b, int which)
{
    saltus_model *m = b->model;
    switch (which) {
    case 0: keep(b, saltus_number(m, number(b))); break;
    case 1: {
        const saltus_param_def def = {.fixed = byte(b) % 2};
        const char            *called = name(b);
        keep(b, saltus_param(m, called, number(b), &def));
        break;
    }
    case 2: {
        const saltus_coordinate_def def = coordinate_def(b);
        const saltus_expr           q = saltus_coordinate(m, name(b), &def);
        keep(b, q);
        if (byte(b) % 4) saltus_mass(m, q, b->expr[0], (saltus_modes){NULL, 0});
        break;
    }
    case 3: keep(b, saltus_memory(m, name(b), expr(b))); break;
    case 4: keep(b, saltus_dot(m, expr(b))); break;
    case 5: keep(b, saltus_after(m, expr(b))); break;
    case 6: keep(b, saltus_impulse(m, name(b))); break;
    case 7: {
        const saltus_state_def def = {.start = expr(b), .rate = expr(b)};
        keep(b, saltus_state(m, name(b), &def));
        break;
    }
    case 8: {
        const saltus_expr state = expr(b);
        saltus_state_rate(m, state, expr(b), modes(b));
        break;
    }
    default: keep(b, saltus_multiplier(m, name(b))); break;
    }
}

static void make_operation(build *b)
{
    const saltus_op   op = (saltus_op)(byte(b) % SALTUS_OPS);
    const saltus_expr x = expr(b);
    keep(b, saltus_apply(b->model, op, x, expr(b)));
}

static void make_term(build *b, int which)
{
    saltus_model     *m = b->model;
    const saltus_expr x = expr(b), y = expr(b);
    switch (which) {
    case 0: saltus_kinetic(m, x, modes(b)); break;
    case 1: saltus_potential(m, x, modes(b)); break;
    case 2: saltus_dissipation(m, x, modes(b)); break;
    case 3: saltus_force(m, x, y, modes(b)); break;
    case 4: saltus_mass(m, x, y, modes(b)); break;
    case 5: saltus_constraint(m, name(b), x, modes(b)); break;
    case 6: saltus_gravity(m, x, y, modes(b)); break;
    default: saltus_constraint_alpha(m, name(b), number(b)); break;
    }
}

static void make_element(build *b, int which)
{
    saltus_model      *m = b->model;
    const saltus_point p = point(b), q = point(b);
    const saltus_expr  x = expr(b), y = expr(b);
    switch (which) {
    case 0: saltus_point_mass(m, p, x, modes(b)); break;
    case 1: saltus_point_force(m, p, x, y, modes(b)); break;
    case 2: saltus_spring(m, p, q, x, y, modes(b)); break;
    case 3: saltus_damper(m, p, q, x, modes(b)); break;
    case 4: saltus_rod(m, byte(b) % 2 ? NULL : name(b), p, q, x, modes(b)); break;
    case 5: saltus_bar(m, NULL, p, q, x, y, modes(b)); break;
    case 6: saltus_revolute(m, NULL, p, q, modes(b)); break;
    case 7: saltus_distance(m, NULL, p, q, x, modes(b)); break;
    case 8: saltus_slot(m, NULL, p, q, point(b), x, modes(b)); break;
    case 9: saltus_prismatic(m, NULL, body(b), p, q, x, y, modes(b)); break;
    case 10: {
        const saltus_body a = body(b), c = body(b);
        saltus_weld(m, NULL, a, c, x, y, expr(b), modes(b));
        break;
    }
    case 11: saltus_motor(m, NULL, x, y, modes(b)); break;
    case 12: saltus_motor_direction(m, NULL, p, q, x, modes(b)); break;
    case 13: saltus_torsion_spring(m, x, y, expr(b), modes(b)); break;
    case 14: keep(b, saltus_direction_angle(m, p, q)); break;
    case 15: {
        const saltus_body a = body(b), c = body(b), carrier = body(b);
        saltus_gear(m, NULL, a, c, byte(b) % 2 ? carrier : (saltus_body){{0}, {0}, {0}}, x, expr(b),
                    modes(b));
        break;
    }
    default: keep(b, saltus_corner_angle(m, p, q, point(b), x)); break;
    }
}

static void make_body(build *b)
{
    saltus_body_def def = {
        .x = coordinate_def(b), .y = coordinate_def(b), .angle = coordinate_def(b)};
    def.mass = expr(b);
    def.inertia = expr(b);
    const saltus_body made = saltus_body_new(b->model, name(b), &def);
    b->body[b->bodies < MAX ? b->bodies++ : byte(b) % MAX] = made;
    keep_point(b, saltus_body_centre(made));
    const saltus_expr u = expr(b);
    keep_point(b, saltus_body_point(b->model, made, u, expr(b)));
}

static void make_point(build *b)
{
    const saltus_coordinate_def x = coordinate_def(b), y = coordinate_def(b);
    const saltus_point          made = saltus_point_new(b->model, name(b), &x, &y);
    keep_point(b, made);
    if (byte(b) % 4) saltus_point_mass(b->model, made, b->expr[0], (saltus_modes){NULL, 0});
}

static void make_event(build *b)
{
    const saltus_expr      when = expr(b);
    const saltus_direction direction = (saltus_direction)(byte(b) % 3);
    saltus_mode            to[1];
    const saltus_modes     from = modes(b);
    const int              leads = b->modes > 0 && byte(b) % 2;
    if (leads) to[0] = b->mode[byte(b) % b->modes];
    keep_event(
        b, saltus_event_new(b->model, name(b), when, direction, from, (saltus_modes){to, leads}));
}

static void change_event(build *b, int which)
{
    saltus_model      *m = b->model;
    const saltus_event e = event(b);
    const saltus_expr  x = expr(b);
    switch (which) {
    case 0: saltus_event_where(m, e, x); break;
    case 1: saltus_event_set(m, e, x, expr(b)); break;
    case 2: saltus_event_restitution(m, e, x); break;
    case 3: saltus_event_charge(m, e, name(b), x); break;
    case 4: saltus_event_stop(m, e, byte(b) % 4); break;
    default: saltus_event_enter(m, e, (saltus_enter)(byte(b) % 3)); break;
    }
}

static void make_contact(build *b)
{
    const int          k = byte(b);
    const saltus_point p = point(b), a = point(b), c = point(b);
    saltus_contact_def def = {.sticks = k & 1, .starts_closed = k >> 1 & 1};
    if (k & 4) def.surface = saltus_surface_line(b->model, p, a, c);
    else if (k & 8) {
        const saltus_expr turn = expr(b);
        def.surface = saltus_surface_circle(b->model, p, a, turn, expr(b), k >> 4 & 1);
    } else def.surface = saltus_surface_gap(b->model, expr(b));
    if (k & 32) def.restitution = expr(b);
    if (k & 64) def.settle = expr(b);
    if (k & 128) def.place = expr(b);
    def.modes = modes(b);
    const saltus_contact made = saltus_contact_new(b->model, k & 16 ? NULL : name(b), &def);
    if (made.touch.id) keep_event(b, made.touch);
    if (made.leave.id) keep_event(b, made.leave);
    if (made.open.id) keep_mode(b, made.open);
    if (made.closed.id) keep_mode(b, made.closed);
    if (made.gap.id) keep(b, made.gap);
}

static void make_measure(build *b, int which)
{
    const saltus_expr x = expr(b), y = expr(b);
    if (which == 0) saltus_cost(b->model, name(b), x, y, NULL, NULL);
    else if (which == 1) saltus_output(b->model, name(b), x, NULL, NULL);
    else saltus_horizon(b->model, number(b), x);
}

static void make_call(build *b)
{
    const int k = byte(b);
    if (k < 40) make_symbol(b, k % 10);
    else if (k < 100) make_operation(b);
    else if (k < 140) make_term(b, k % 8);
    else if (k < 172) make_element(b, k % 17);
    else if (k < 180) make_body(b);
    else if (k < 190) make_point(b);
    else if (k < 205) make_event(b);
    else if (k < 230) change_event(b, k % 6);
    else if (k < 238) make_contact(b);
    else if (k < 244)
        keep_mode(b, saltus_mode_new(b->model, name(b), byte(b) % 2 ? NULL : name(b)));
    else make_measure(b, k % 3);
}

/* Every model has something that moves, and an end. */
static void begin(build *b)
{
    const saltus_coordinate_def def = {.start = saltus_number(b->model, 1.0)};
    keep(b, saltus_number(b->model, 1.0));
    keep(b, saltus_coordinate(b->model, "x", &def));
    keep(b, saltus_dot(b->model, b->expr[1]));
    keep(b, saltus_param(b->model, "p", 0.7, NULL));
    keep(b, saltus_time(b->model));
    saltus_mass(b->model, b->expr[1], b->expr[0], (saltus_modes){NULL, 0});
    saltus_cost(b->model, "cost", b->expr[1], b->expr[2], NULL, NULL);
    saltus_horizon(b->model, 0.0, b->expr[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static build b;
    saltus_error err = {0};
    b = (build){.model = saltus_model_new(NULL, &err), .next = data, .end = data + size};
    if (!b.model) return 0;
    saltus_model_set_limit(b.model, 2000);
    begin(&b);
    for (int i = 0; i < MAX_CALLS && b.next < b.end && !saltus_model_error(b.model)->status; i++)
        make_call(&b);
    drive_model(b.model);
    saltus_model_free(b.model);
    return 0;
}
