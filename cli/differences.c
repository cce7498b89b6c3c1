/* Differences between two results. */
#include <math.h>

#include "json_result.h"

static const double same_part = 1e-7; /* CLI_SAME_DIGITS */

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Whether two numbers agree, relative to the larger one, or to `scale` if that is larger still. Two
 * NaNs agree. */
static int same(double a, double b, double scale)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return fabs(a - b) <= same_part * fmax(scale, fmax(fabs(a), fabs(b)));
}

static json_t *pair(json_t *object, double a, double b)
{
    return cli_json_add(object, "a:n b:n change:n", a, b, b - a);
}

/* Calls `each` for the members of a, then for those that only b has. */
static void each_member(const json_t *a, const json_t *b,
                        void (*each)(void *context, const char *name, const json_t *of_a,
                                     const json_t *of_b),
                        void *context)
{
    const char *name;
    json_t     *value;
    json_object_foreach((json_t *)(size_t)a, name, value)
        each(context, name, value, json_object_get(b, name));
    json_object_foreach((json_t *)(size_t)b, name, value) if (!json_object_get(a, name))
        each(context, name, NULL, value);
}

/* ---- parameters ----------------------------------------------------------------------------- */

typedef struct list {
    json_t *differ;
    int     unchanged;
} list;

static void compare_parameter(void *context, const char *name, const json_t *a, const json_t *b)
{
    list        *l = context;
    const double of_a = number_of(a), of_b = number_of(b);
    if (a && b && (of_a == of_b || same(of_a, of_b, 0.0))) {
        l->unchanged++;
        return;
    }
    json_array_append_new(l->differ, pair(cli_json_object("name:s", name), of_a, of_b));
}

/* ---- costs and gradients -------------------------------------------------------------------- */

typedef struct costs {
    json_t *values;
    list    gradient;
    /* about the present cost: */
    const char *cost;
    double      scale;
    int         differ;
} costs;

static double largest_of(const json_t *gradient)
{
    double      most = 0.0;
    const char *name;
    json_t     *value;
    json_object_foreach((json_t *)(size_t)gradient, name, value) if (json_is_number(value)) most =
        fmax(most, fabs(json_number_value(value)));
    return most;
}

static void compare_derivative(void *context, const char *name, const json_t *a, const json_t *b)
{
    costs       *c = context;
    const double of_a = number_of(a), of_b = number_of(b);
    if (same(of_a, of_b, c->scale)) {
        c->gradient.unchanged++;
        return;
    }
    json_array_append_new(c->gradient.differ,
                          pair(cli_json_object("cost:s by:s", c->cost, name), of_a, of_b));
}

static void compare_cost(void *context, const char *name, const json_t *a, const json_t *b)
{
    costs        *c = context;
    const double  of_a = number_of(json_object_get(a, "value"));
    const double  of_b = number_of(json_object_get(b, "value"));
    const json_t *by_a = json_object_get(a, "gradient"), *by_b = json_object_get(b, "gradient");
    const int     equal = a && b && same(of_a, of_b, 0.0);
    json_t       *row = pair(cli_json_object("name:s", name), of_a, of_b);
    cli_json_add(row, "relative:n same:b", (of_b - of_a) / fabs(of_a), equal);
    json_array_append_new(c->values, row);
    if (!equal) c->differ++;
    if (!by_a || !by_b) return; /* a run without gradients has none to compare */
    c->cost = name;
    c->scale = fmax(largest_of(by_a), largest_of(by_b));
    each_member(by_a, by_b, compare_derivative, c);
}

/* ---- events --------------------------------------------------------------------------------- */

/* {name: [times]} */
static json_t *times_by_name(const json_t *events)
{
    json_t *all = json_object();
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char   *name = json_string_value(json_object_get(event, "name"));
        if (!name) continue;
        if (!json_object_get(all, name)) json_object_set_new(all, name, json_array());
        json_array_append(json_object_get(all, name), json_object_get(event, "time"));
    }
    return all;
}

typedef struct event_list {
    list   of;
    double span; /* length of the run: the scale of times */
} event_list;

static void compare_events(void *context, const char *name, const json_t *a, const json_t *b)
{
    event_list  *l = context;
    const size_t in_a = json_array_size(a), in_b = json_array_size(b);
    for (size_t i = 0; i < in_a || i < in_b; i++) {
        const double of_a = number_of(json_array_get(a, i)), of_b = number_of(json_array_get(b, i));
        if (i < in_a && i < in_b && same(of_a, of_b, l->span)) {
            l->of.unchanged++;
            continue;
        }
        json_t *row = cli_json_object("name:s occurrence:i", name, (int)i + 1);
        json_array_append_new(l->of.differ, pair(row, of_a, of_b));
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

json_t *cli_differences(const json_t *a, const json_t *b)
{
    list       params = {json_array(), 0};
    event_list events = {{json_array(), 0},
                         fabs(number_of(json_object_get(json_object_get(a, "final"), "time")))};
    costs      c = {.values = json_array(), .gradient = {json_array(), 0}};
    each_member(json_object_get(a, "parameters"), json_object_get(b, "parameters"),
                compare_parameter, &params);
    each_member(json_object_get(a, "costs"), json_object_get(b, "costs"), compare_cost, &c);
    json_t *in_a = times_by_name(json_object_get(a, "events"));
    json_t *in_b = times_by_name(json_object_get(b, "events"));
    each_member(in_a, in_b, compare_events, &events);
    json_decref(in_a);
    json_decref(in_b);
    json_t   *unchanged = cli_json_object("parameters:i gradient:i events:i", params.unchanged,
                                          c.gradient.unchanged, events.of.unchanged);
    const int all_same = !c.differ && !json_array_size(c.gradient.differ) &&
                         !json_array_size(events.of.differ) && !json_array_size(params.differ);
    return cli_json_object("same:b parameters:j costs:j gradient:j events:j unchanged:j", all_same,
                           params.differ, c.values, c.gradient.differ, events.of.differ, unchanged);
}
