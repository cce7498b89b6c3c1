/* Expressions as text: infix with the fewest parentheses. */
#include "expr/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 60, LONGEST = 4000 };

typedef struct printer {
    const sal_graph *graph;
    sal_leaf_name    name;
    void            *context;
    char            *text;
    size_t           size, length;
} printer;

static void put(printer *p, const char *piece)
{
    const size_t n = strlen(piece);
    for (size_t i = 0; i < n; i++)
        if (p->length + i + 1 < p->size) p->text[p->length + i] = piece[i];
    p->length += n;
}

static void default_name(int kind, int index, char *buffer)
{
    static const char *const names[] = {
#define X(name, text) text,
        SAL_LEAF_LIST(X)
#undef X
    };
    const char *tangent = kind >= SAL_LEAF_TANGENT ? "d" : "";
    const int   plain = kind % SAL_LEAF_TANGENT;
    if (plain == SAL_LEAF_T) snprintf(buffer, 128, "%st", tangent);
    else snprintf(buffer, 128, "%s%s[%d]", tangent, names[plain], index);
}

static void leaf_text(const printer *p, int kind, int index, char *buffer)
{
    buffer[0] = 0;
    if (p->name) p->name(p->context, kind, index, buffer);
    if (!buffer[0]) default_name(kind, index, buffer);
}

/* Writes a number with the fewest digits that represent it exactly; without an exponent if it is
 * between 1 and 1e15. */
static void number_text(double value, char *buffer)
{
    const double size = fabs(value);
    const int    first = size >= 1.0 && size < 1e15 ? (int)floor(log10(size)) + 1 : 1;
    for (int digits = first; digits <= 17; digits++) {
        double back;
        snprintf(buffer, 64, "%.*g", digits, value);
        if (sscanf(buffer, "%lf", &back) == 1 && back == value) return;
    }
}

/* How tightly an operation binds: sums 1, products 2, signs 3, functions and leaves 4. */
static int strength(const sal_node_data *data)
{
    switch (data->op) {
    case SAL_OP_ADD:
    case SAL_OP_SUB: return 1;
    case SAL_OP_MUL:
    case SAL_OP_DIV: return 2;
    case SAL_OP_NEG: return 3;
    case SAL_OP_CONST: return data->value < 0.0 ? 3 : 4;
    default: return 4;
    }
}

static void print_node(printer *p, sal_node node, int least, int depth);

static void print_infix(printer *p, const sal_node_data *data, int depth)
{
    const int mine = strength(data);
    char      op[8];
    print_node(p, data->arg[0], mine, depth);
    snprintf(op, sizeof op, " %s ", sal_op_text(data->op));
    put(p, op);
    print_node(p, data->arg[1], data->op == SAL_OP_ADD || data->op == SAL_OP_MUL ? mine : mine + 1,
               depth);
}

static void print_call(printer *p, const sal_node_data *data, int depth)
{
    put(p, sal_op_text(data->op));
    put(p, "(");
    for (int i = 0; i < sal_op_arguments(data->op); i++) {
        if (i) put(p, ", ");
        print_node(p, data->arg[i], 0, depth);
    }
    put(p, ")");
}

static void print_node(printer *p, sal_node node, int least, int depth)
{
    const sal_node_data *data = &p->graph->nodes.data[node];
    char                 buffer[128];
    if (depth > DEEPEST || p->length > LONGEST) {
        put(p, "...");
        return;
    }
    const bool parentheses = strength(data) < least;
    if (parentheses) put(p, "(");
    switch (data->op) {
    case SAL_OP_NULL: put(p, "0"); break;
    case SAL_OP_CONST:
        number_text(data->value, buffer);
        put(p, buffer);
        break;
    case SAL_OP_LEAF:
        leaf_text(p, data->arg[0], data->arg[1], buffer);
        put(p, buffer);
        break;
    case SAL_OP_ADD:
    case SAL_OP_SUB:
    case SAL_OP_MUL:
    case SAL_OP_DIV: print_infix(p, data, depth + 1); break;
    case SAL_OP_NEG:
        put(p, "-");
        print_node(p, data->arg[0], 3, depth + 1);
        break;
    default: print_call(p, data, depth + 1); break;
    }
    if (parentheses) put(p, ")");
}

size_t sal_print(const sal_graph *graph, sal_node root, sal_leaf_name name, void *context,
                 char *text, size_t size)
{
    printer p = {graph, name, context, text, size, 0};
    if (root > 0 && root < graph->nodes.count) print_node(&p, root, 0, 0);
    else put(&p, "0");
    if (size) text[p.length < size ? p.length : size - 1] = 0;
    return p.length;
}
