/* Explains why a derivative is not finite: finds the first operation along the motion that has no
 * finite slope, at the states at the starts of steps. */
#include <math.h>
#include <string.h>

#include "sens/sens.h"

enum { LONGEST = 120 }; /* length of a text in a message */

/* A search among the nodes of the model's graph. */
typedef struct search {
    saltus_run          *run;
    int                  nodes;
    const sal_node_data *node;
    unsigned char       *used;
    double              *value;
} search;

static bool search_init(search *s, saltus_run *run, sal_arena *scratch)
{
    const sal_graph *graph = &run->system->model->graph;
    *s = (search){.run = run,
                  .nodes = graph->nodes.count,
                  .node = graph->nodes.data,
                  .used = ARENA_NEW(scratch, graph->nodes.count, unsigned char),
                  .value = ARENA_NEW(scratch, graph->nodes.count, double)};
    return !scratch->failed;
}

/* Marks the nodes on which motion and costs depend in this regime. */
static void mark(search *s, const sal_regime *regime)
{
    const saltus_model *model = s->run->system->model;
    memset(s->used, 0, (size_t)s->nodes);
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term *term = &model->terms.data[i];
        if (!sal_modes_active(model, &term->modes, regime->active)) continue;
        for (int k = 0; k < 2; k++) s->used[term->e[k]] = 1;
    }
    for (int i = 0; i < model->costs.count; i++)
        s->used[model->costs.data[i].integral] = s->used[model->costs.data[i].peak] = 1;
    for (sal_node node = s->nodes - 1; node > 0; node--)
        for (int k = 0; s->used[node] && k < sal_op_arguments(s->node[node].op); k++)
            s->used[s->node[node].arg[k]] = 1;
    s->used[0] = 0;
}

/* Whether the operation has no slope, or an infinite one, at these arguments. */
static bool has_no_slope(int op, double a, double b)
{
    switch (op) {
    case SAL_OP_DIV: return b == 0.0;
    case SAL_OP_POW: return a < 0.0 || (a == 0.0 && b < 1.0);
    case SAL_OP_LOG: return a <= 0.0;
    case SAL_OP_SQRT: return a <= 0.0;
    case SAL_OP_HYPOT: return a == 0.0 && b == 0.0;
    case SAL_OP_ATAN2:
    case SAL_OP_ANGLE: return a == 0.0 && b == 0.0;
    case SAL_OP_ASIN:
    case SAL_OP_ACOS: return fabs(a) >= 1.0;
    default: return false;
    }
}

/* The first node without a finite slope at the state in the field; 0: none. */
static sal_node find(search *s)
{
    const double     *u = s->run->motion.field.u;
    const sal_layout *layout = &s->run->system->layout;
    for (sal_node node = 1; node < s->nodes; node++) {
        const sal_node_data *data = &s->node[node];
        if (!s->used[node]) continue;
        const double a = s->value[data->arg[0] * (data->op > SAL_OP_LEAF)];
        const double b = s->value[data->arg[1] * (data->op > SAL_OP_LEAF)];
        if (data->op == SAL_OP_CONST) s->value[node] = data->value;
        else if (data->op == SAL_OP_LEAF)
            s->value[node] = u[layout->at[data->arg[0]] + data->arg[1]];
        else s->value[node] = sal_op_value(data->op, a, b, s->value[data->arg[2]]);
        if (has_no_slope(data->op, a, b)) return node;
    }
    return 0;
}

/* Searches all steps for the first node without a finite slope, and its time. */
static saltus_status look(search *s, sal_node *node, double *t, saltus_error *err)
{
    saltus_run *run = s->run;
    for (long long i = 0; i < run->outcome.info.steps && !*node; i++) {
        sal_frame frame;
        TRY(sal_run_frame(run, i, &frame, err));
        TRY(sal_field_enter(&run->motion.field, frame.regime, err));
        sal_run_put_memories(run, frame.c);
        sal_motion_eval(&run->motion, frame.t, frame.x, run->sens->k, NULL);
        mark(s, frame.regime);
        *node = find(s);
        *t = frame.t;
    }
    return SALTUS_OK;
}

static void fail(const search *s, sal_arena *scratch, sal_node node, double t, saltus_error *err)
{
    const char *text = sal_model_text(s->run->system->model, scratch, node);
    sal_fail(err, SALTUS_ERR_NO_GRADIENT,
             "no gradient: at t = %.10g the slope of %.*s (line %d) is not finite; start a little "
             "away from there, or give it a finite slope, as in sqrt(x^2 + 1e-12)",
             t, LONGEST, text ? text : "an operation", (int)s->node[node].value);
}

saltus_status sal_sens_explain(saltus_run *run, saltus_error *err)
{
    search    s;
    sal_node  node = 0;
    double    t = 0.0;
    sal_arena scratch;
    sal_arena_init(&scratch, &run->arena.allocator);
    if (search_init(&s, run, &scratch) && look(&s, &node, &t, err) == SALTUS_OK && node)
        fail(&s, &scratch, node, t, err);
    sal_arena_free(&scratch);
    return sal_fail(
        err, SALTUS_ERR_NO_GRADIENT,
        "no gradient: a derivative is not finite (a root or logarithm at zero, a kink met "
        "exactly, a function that overflows?)");
}
