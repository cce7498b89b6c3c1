/* Samples: expressions that are measured at given times, and charged to a cost or kept.
 *
 * A row of samples has one expression for all its times. Numbers and expressions of parameters that
 * differ from sample to sample are read from tables, so that all samples of one shape can be one
 * row. The times in a row increase; samples at the same time are in different rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "model/model.h"

enum { MAX_ROWS = 64, MAX_VISITS = 100000, MAX_DEPTH = 200 };

/* One sample as it was given. */
typedef struct sample {
    sal_node time, value;
    double   t;      /* the time, if it is a number */
    int      number; /* its place in the order in which samples were given */
} sample;

/* ---- one expression for many samples -------------------------------------------------------- */

static bool is_constant(const sal_graph *graph, sal_node node)
{
    return !(graph->nodes.data[node].kinds & ~SAL_KINDS_CONSTANT);
}

/* Whether two expressions differ only in numbers and expressions of parameters. left: the visits
 * that are still permitted. */
static bool same_shape(const sal_graph *graph, sal_node a, sal_node b, int depth, int *left)
{
    const sal_node_data *x = &graph->nodes.data[a], *y = &graph->nodes.data[b];
    if (a == b) return true;
    if (is_constant(graph, a) || is_constant(graph, b))
        return is_constant(graph, a) && is_constant(graph, b);
    if (x->op != y->op || x->op == SAL_OP_LEAF || depth > MAX_DEPTH || --*left < 0) return false;
    for (int k = 0; k < sal_op_arguments(x->op); k++)
        if (!same_shape(graph, x->arg[k], y->arg[k], depth + 1, left)) return false;
    return true;
}

/* Unites the expressions of all samples of a row, which have one shape, into one that reads tables.
 * number: the memory with the number of the present sample. */
static sal_node unite(saltus_model *model, const sal_node *values, int count, int number)
{
    sal_graph *graph = &model->graph;
    bool       equal = true;
    for (int i = 1; i < count; i++) equal = equal && values[i] == values[0];
    if (equal) return values[0];
    if (is_constant(graph, values[0]))
        return sal_model_pick(model, sal_model_table(model, values, count), number, 0);
    const sal_node_data first = graph->nodes.data[values[0]];
    sal_node            united[3] = {0, 0, 0};
    WORK_ARENA(scratch, &model->arena.allocator);
    sal_node *part = ARENA_NEW(&scratch, count, sal_node);
    for (int k = 0; part && k < sal_op_arguments(first.op); k++) {
        for (int i = 0; i < count; i++) part[i] = graph->nodes.data[values[i]].arg[k];
        united[k] = unite(model, part, count, number);
    }
    if (!part) sal_model_out_of_memory(model);
    graph->line = sal_has_line(first.op) ? (int)first.value : graph->line;
    return sal_model_failed(model) ? 0
                                   : sal_apply(graph, first.op, united[0], united[1], united[2]);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Adds a row of samples with these times; the values have one shape. */
static sal_samples *add_row(saltus_model *model, const char *name, const sample *samples, int count)
{
    WORK_ARENA(scratch, &model->arena.allocator);
    sal_node *nodes = ARENA_NEW(&scratch, count, sal_node);
    if (!nodes) sal_model_out_of_memory(model);
    sal_samples row = {.label = sal_model_label(model, name, NULL, NULL), .event = -1};
    if (sal_model_failed(model)) return NULL;
    for (int i = 0; i < count; i++) nodes[i] = samples[i].time;
    row.times = sal_model_table(model, nodes, count);
    row.number = sal_model_hidden_memory(model, name, sal_const(&model->graph, 0.0));
    row.next = sal_model_hidden_memory(model, name, samples[0].time);
    for (int i = 0; i < count; i++) nodes[i] = samples[i].value;
    row.value = unite(model, nodes, count, row.number);
    SAL_MODEL_PUSH(model, &model->samples, row);
    return sal_model_failed(model) ? NULL : &model->samples.data[model->samples.count - 1];
}

static int by_time(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool check(saltus_model *model, const char *name, const saltus_expr *times, int count)
{
    if (sal_model_failed(model) || !sal_model_named(model, name, "what is sampled")) return false;
    if (count < 1 || !times) saltus_model_fail(model, "'%s' has no times to be sampled at", name);
    return !sal_model_failed(model);
}

/* Lists the samples, sorted by time if all times are numbers; NULL after a mistake. */
static sample *sort(saltus_model *model, sal_arena *scratch, const char *name,
                    const saltus_expr *times, const saltus_expr *values, int count)
{
    sample *samples = ARENA_NEW(scratch, count, sample);
    bool    numbers = true;
    if (!samples) sal_model_out_of_memory(model);
    for (int i = 0; i < count && !sal_model_failed(model); i++) {
        sample *one = &samples[i];
        one->number = i;
        one->time = sal_model_node(model, times[i], "a time in at=");
        one->value = sal_model_node(model, values[i], "what is sampled");
        if (!sal_model_allow(model, one->time, SAL_KINDS_CONSTANT,
                             "a time in at=", "times are numbers or expressions of parameters") ||
            !sal_model_allow(model, one->value, SAL_KINDS_MOTION, "what is sampled", ""))
            return NULL;
        const bool number = sal_is_const(&model->graph, one->time, &one->t);
        numbers = numbers && number;
        if (number && !isfinite(one->t))
            saltus_model_fail(model, "'%s': time number %d is not finite", name, i + 1);
    }
    if (sal_model_failed(model)) return NULL;
    if (numbers) qsort(samples, (size_t)count, sizeof *samples, by_time);
    return samples;
}

/* Whether a sample may be added to a row that ends with `last`: its time is not equal, and not
 * known to be smaller. */
static bool follows(const sal_graph *graph, const sample *last, const sample *one)
{
    return last->time != one->time &&
           !(sal_is_const(graph, last->time, NULL) && sal_is_const(graph, one->time, NULL) &&
             !(one->t > last->t));
}

void saltus_cost_at(saltus_model *model, const char *cost, const saltus_expr *times,
                    const saltus_expr *values, int count)
{
    HOLD_HOST;
    if (!check(model, cost, times, count)) return;
    WORK_ARENA(scratch, &model->arena.allocator);
    sample *left = values ? sort(model, &scratch, cost, times, values, count) : NULL;
    sample *row = ARENA_NEW(&scratch, count, sample);
    if (!values) saltus_model_fail(model, "the samples of cost '%s' are missing", cost);
    for (int rows = 0; left && row && count > 0 && !sal_model_failed(model); rows++) {
        int taken = 0, kept = 0, visits = MAX_VISITS;
        for (int i = 0; i < count; i++) {
            const bool fits =
                taken == 0 || (follows(&model->graph, &row[taken - 1], &left[i]) &&
                               same_shape(&model->graph, row[0].value, left[i].value, 0, &visits));
            if (fits) row[taken++] = left[i];
            else left[kept++] = left[i];
        }
        count = kept;
        sal_samples *added = add_row(model, cost, row, taken);
        if (added) added->charged = true;
        if (rows == MAX_ROWS && count > 0)
            saltus_model_fail(
                model,
                "the samples of cost '%s' have more than %d different shapes, or more "
                "than that many at one time; they may differ in numbers and "
                "parameters only",
                cost, MAX_ROWS);
    }
    if (scratch.failed) sal_model_out_of_memory(model);
}

void saltus_samples(saltus_model *model, const char *name, saltus_expr of, const saltus_expr *times,
                    int count)
{
    HOLD_HOST;
    if (!check(model, name, times, count)) return;
    for (int i = 0; i < model->samples.count; i++)
        if (!model->samples.data[i].charged &&
            sal_model_taken(model, &model->samples.data[i].label, name, "samples"))
            return;
    WORK_ARENA(scratch, &model->arena.allocator);
    saltus_expr *values = ARENA_NEW(&scratch, count, saltus_expr);
    int         *number_of = ARENA_NEW(&model->arena, count, int);
    if (scratch.failed || !number_of) sal_model_out_of_memory(model);
    for (int i = 0; i < count && values; i++) values[i] = of;
    sample *all =
        sal_model_failed(model) ? NULL : sort(model, &scratch, name, times, values, count);
    int different = 0;
    for (int i = 0; i < count && all; i++) {
        const int number = all[i].number;
        if (different == 0 || follows(&model->graph, &all[different - 1], &all[i]))
            all[different++] = all[i];
        number_of[number] = different - 1;
    }
    sal_samples *added = all ? add_row(model, name, all, different) : NULL;
    if (added) {
        added->count = count;
        added->number_of = number_of;
    }
}
