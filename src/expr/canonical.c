/* Canonical forms of derived expressions: see canonical.h. */
#include "expr/canonical.h"

#include <math.h>

/* The expression c * x, where x has no literal factor. */
typedef struct scaled {
    double   c;
    sal_node x;
} scaled;

/* Literals within these bounds may move: their products neither overflow nor vanish. */
static bool may_move(double c) { return fabs(c) <= 0x1p60 && fabs(c) >= 0x1p-60; }

static bool is_power_of_two(double c)
{
    int exponent;
    return frexp(fabs(c), &exponent) == 0.5;
}

static scaled split(const sal_graph *graph, sal_node node)
{
    const sal_node_data *data = &graph->nodes.data[node];
    scaled               s = {1.0, node};
    double               c;
    if (data->op == SAL_OP_NEG) {
        s = split(graph, data->arg[0]);
        s.c = -s.c;
    } else if (data->op == SAL_OP_MUL && sal_is_const(graph, data->arg[0], &c) && may_move(c)) {
        s = (scaled){c, data->arg[1]};
    }
    return s;
}

static sal_node join(sal_graph *graph, double c, sal_node x)
{
    if (c == 1.0) return x;
    if (c == -1.0) return sal_raw(graph, SAL_OP_NEG, x, 0, 0);
    return sal_raw(graph, SAL_OP_MUL, sal_const(graph, c), x, 0);
}

/* Builds a commutative operation with its arguments in canonical order. */
static sal_node sorted(sal_graph *graph, int op, sal_node a, sal_node b)
{
    const bool first = sal_is_const(graph, a, NULL) || (!sal_is_const(graph, b, NULL) && a < b);
    return first ? sal_raw(graph, op, a, b, 0) : sal_raw(graph, op, b, a, 0);
}

/* Folds the numbers of k + c (l + x): changes s, which is c (l + x), to c x and returns k + c l.
 * Other sums are left alone, and k is returned. The rounding error of a sum of numbers is then
 * constant. */
static double take_number(const sal_graph *graph, double k, scaled *s)
{
    const sal_node_data *data = &graph->nodes.data[s->x];
    double               l;
    if (data->op != SAL_OP_ADD || !sal_is_const(graph, data->arg[0], &l)) return k;
    const double sum = k + s->c * l;
    const scaled rest = split(graph, data->arg[1]);
    if (!isfinite(sum) || !may_move(s->c * rest.c)) return k;
    *s = (scaled){s->c * rest.c, rest.x};
    return sum;
}

/* Builds k + c x as a sum in which the factor of x is positive, perhaps with a sign outside. */
static sal_node add_number(sal_graph *graph, double k, scaled s)
{
    k = take_number(graph, k, &s);
    const double sign = s.c < 0.0 ? -1.0 : 1.0;
    if (k == 0.0) return join(graph, s.c, s.x);
    return join(
        graph, sign,
        sorted(graph, SAL_OP_ADD, sal_const(graph, sign * k), join(graph, sign * s.c, s.x)));
}

/* Whether a, not b, is the addend whose literal factor is moved out of the sum: an addend without
 * literal factor is preferred, then the later node. (If both have one, make_sum moves it only if
 * their ratio is a power of two; otherwise that would only add a multiplication.) */
static bool leads(scaled a, scaled b)
{
    const bool plain_a = fabs(a.c) == 1.0, plain_b = fabs(b.c) == 1.0;
    return plain_a != plain_b ? plain_a : a.x > b.x;
}

static sal_node make_sum(sal_graph *graph, scaled a, scaled b)
{
    double number;
    if (sal_is_const(graph, a.x, &number)) return add_number(graph, a.c * number, b);
    if (sal_is_const(graph, b.x, &number)) return add_number(graph, b.c * number, a);
    if (a.x == b.x) {
        const double c = a.c + b.c;
        return c == 0.0 || may_move(c)
                   ? join(graph, c, a.x)
                   : sorted(graph, SAL_OP_ADD, join(graph, a.c, a.x), join(graph, b.c, b.x));
    }
    const scaled first = leads(a, b) ? a : b, second = leads(a, b) ? b : a;
    const double ratio = second.c / first.c;
    if (!may_move(ratio) || (fabs(first.c) != 1.0 && !is_power_of_two(ratio))) {
        const double sign = first.c < 0.0 ? -1.0 : 1.0;
        return join(
            graph, sign,
            sorted(graph, SAL_OP_ADD, join(graph, sign * a.c, a.x), join(graph, sign * b.c, b.x)));
    }
    const sal_node sum = ratio == -1.0
                             ? sal_raw(graph, SAL_OP_SUB, first.x, second.x, 0)
                             : sorted(graph, SAL_OP_ADD, first.x, join(graph, ratio, second.x));
    return join(graph, first.c, sum);
}

/* A node as a power of a base, in the form that raise builds: x, x x, x (x x), (x x) (x x), ... */
typedef struct power {
    sal_node base;
    int      exponent;
} power;

enum { POWERS_DEEP = 8 }; /* nested products are examined to this depth */

static power power_of(const sal_graph *graph, sal_node node, int deep)
{
    const sal_node_data *data = &graph->nodes.data[node];
    if (data->op != SAL_OP_MUL || deep == 0) return (power){node, 1};
    if (data->arg[0] == data->arg[1]) {
        const power root = power_of(graph, data->arg[0], deep - 1);
        return (power){root.base, 2 * root.exponent};
    }
    for (int i = 0; i < 2; i++) {
        const power square = power_of(graph, data->arg[i], deep - 1);
        if (square.base == data->arg[1 - i]) return (power){square.base, square.exponent + 1};
    }
    return (power){node, 1};
}

/* Builds a power by repeated squaring, so that powers of one base, and their derivatives, share the
 * squares. */
static sal_node raise(sal_graph *graph, sal_node base, int exponent)
{
    if (exponent == 1) return base;
    const sal_node root = raise(graph, base, exponent / 2);
    const sal_node square = sorted(graph, SAL_OP_MUL, root, root);
    return exponent % 2 ? sorted(graph, SAL_OP_MUL, base, square) : square;
}

static sal_node multiply(sal_graph *graph, sal_node a, sal_node b)
{
    const power x = power_of(graph, a, POWERS_DEEP), y = power_of(graph, b, POWERS_DEEP);
    return x.base == y.base ? raise(graph, x.base, x.exponent + y.exponent)
                            : sorted(graph, SAL_OP_MUL, a, b);
}

static sal_node make_product(sal_graph *graph, scaled a, scaled b)
{
    double       number;
    const double c = a.c * b.c;
    if (sal_is_const(graph, a.x, &number) && may_move(c * number))
        return join(graph, c * number, b.x);
    if (sal_is_const(graph, b.x, &number) && may_move(c * number))
        return join(graph, c * number, a.x);
    if (!may_move(c))
        return sorted(graph, SAL_OP_MUL, join(graph, a.c, a.x), join(graph, b.c, b.x));
    return join(graph, c, multiply(graph, a.x, b.x));
}

static sal_node make_quotient(sal_graph *graph, scaled a, scaled b)
{
    double number;
    if (sal_is_const(graph, b.x, &number)) {
        const double inverse = 1.0 / (b.c * number);
        if (may_move(inverse) && may_move(a.c * inverse))
            return make_product(graph, a, (scaled){inverse, sal_const(graph, 1.0)});
        return sal_raw(graph, SAL_OP_DIV, join(graph, a.c, a.x), sal_const(graph, b.c * number), 0);
    }
    const sal_node inverse = sal_raw(graph, SAL_OP_DIV, sal_const(graph, 1.0), b.x, 0);
    return make_product(graph, a, (scaled){1.0 / b.c, inverse});
}

sal_node sal_canonical_apply(sal_graph *graph, int op, sal_node a, sal_node b)
{
    scaled s = split(graph, a), t = {1.0, 0};
    if (op != SAL_OP_NEG) t = split(graph, b);
    if (op == SAL_OP_SUB) t.c = -t.c;
    switch (op) {
    case SAL_OP_NEG: return join(graph, -s.c, s.x);
    case SAL_OP_MUL: return make_product(graph, s, t);
    case SAL_OP_DIV: return make_quotient(graph, s, t);
    default: return make_sum(graph, s, t);
    }
}
