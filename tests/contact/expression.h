// Expressions of the reference: one small graph that is written as Lua, differentiated and
// evaluated in complex numbers. Nothing here comes from the library that it is compared with.
#ifndef CONTACT_EXPRESSION_H
#define CONTACT_EXPRESSION_H

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 20000, MAX_NAMES = 16, NAME_SIZE = 24, HASH_SIZE = 4096 };

typedef double complex num;
typedef int            ex;

enum operation {
    NUMBER,
    PARAMETER,
    POSITION,
    VELOCITY,
    TIME,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    SINE,
    COSINE,
    ROOT
};

struct node {
    enum operation op;
    ex             a, b; // arguments; a is the index of a symbol
    double         value;
    ex             next; // in the list of equal hashes
    int            used;
};

static struct node node[MAX_NODES];
static num         value[MAX_NODES];
static ex          bucket[HASH_SIZE];
static int         nodes;
static ex          used[MAX_NODES]; // what evaluate() computes, arguments first
static int         uses;

struct names {
    int  count;
    char text[MAX_NAMES][NAME_SIZE];
};
static struct names parameter_names, coordinate_names;
static double       parameter_value[MAX_NAMES];

static void forget_expressions(void)
{
    nodes = 1; // 0 is no expression
    uses = 0;
    memset(bucket, 0, sizeof bucket);
    parameter_names.count = coordinate_names.count = 0;
}

static int hash_of(enum operation op, ex a, ex b, double v)
{
    unsigned long long bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = (bits ^ (bits >> 29)) * 0x9e3779b97f4a7c15ULL + (unsigned)op * 31u +
           (unsigned)a * 1009u + (unsigned)b * 9176u;
    return (int)((bits ^ (bits >> 32)) % HASH_SIZE);
}

static ex make(enum operation op, ex a, ex b, double v)
{
    int hash = hash_of(op, a, b, v);
    for (ex e = bucket[hash]; e; e = node[e].next) {
        if (node[e].op == op && node[e].a == a && node[e].b == b && node[e].value == v) return e;
    }
    if (nodes == MAX_NODES) {
        fprintf(stderr, "reference: more than %d expressions\n", MAX_NODES);
        exit(2);
    }
    node[nodes] = (struct node){.op = op, .a = a, .b = b, .value = v, .next = bucket[hash]};
    return bucket[hash] = nodes++;
}

static ex  number(double v) { return make(NUMBER, 0, 0, v == 0 ? 0.0 : v); }
static int is(ex e, double v) { return node[e].op == NUMBER && node[e].value == v; }
static int both_numbers(ex a, ex b) { return node[a].op == NUMBER && node[b].op == NUMBER; }
static ex  now(void) { return make(TIME, 0, 0, 0); }
static ex  position(int i) { return make(POSITION, i, 0, 0); }
static ex  velocity(int i) { return make(VELOCITY, i, 0, 0); }

static ex plus(ex a, ex b)
{
    if (is(a, 0)) return b;
    if (is(b, 0)) return a;
    if (both_numbers(a, b)) return number(node[a].value + node[b].value);
    return make(ADD, a, b, 0);
}

static ex minus(ex a, ex b)
{
    if (is(b, 0)) return a;
    if (both_numbers(a, b)) return number(node[a].value - node[b].value);
    return make(SUBTRACT, a, b, 0);
}

static ex times(ex a, ex b)
{
    if (is(a, 0) || is(b, 0)) return number(0);
    if (is(a, 1)) return b;
    if (is(b, 1)) return a;
    if (both_numbers(a, b)) return number(node[a].value * node[b].value);
    return make(MULTIPLY, a, b, 0);
}

static ex over(ex a, ex b)
{
    if (is(a, 0) || is(b, 1)) return a;
    return make(DIVIDE, a, b, 0);
}

static ex sine(ex a) { return is(a, 0) ? a : make(SINE, a, 0, 0); }
static ex cosine(ex a) { return is(a, 0) ? number(1) : make(COSINE, a, 0, 0); }
static ex root(ex a) { return make(ROOT, a, 0, 0); }
static ex scaled(double c, ex a) { return times(number(c), a); }
static ex square(ex a) { return times(a, a); }

static ex parameter(const char *name, double v)
{
    int i = parameter_names.count++;
    snprintf(parameter_names.text[i], NAME_SIZE, "%s", name);
    parameter_value[i] = v;
    return make(PARAMETER, i, 0, 0);
}

// The derivative by the leaf x; done[] keeps what is known already.
static ex derive_into(ex e, ex x, ex *done)
{
    if (done[e]) return done[e];
    struct node n = node[e];
    ex          d = number(e == x ? 1 : 0);
    if (n.op >= ADD) {
        ex a = derive_into(n.a, x, done), b = n.op <= DIVIDE ? derive_into(n.b, x, done) : 0;
        switch (n.op) {
        case ADD: d = plus(a, b); break;
        case SUBTRACT: d = minus(a, b); break;
        case MULTIPLY: d = plus(times(a, n.b), times(n.a, b)); break;
        case DIVIDE: d = over(minus(a, times(e, b)), n.b); break;
        case SINE: d = times(a, cosine(n.a)); break;
        case ROOT: d = over(scaled(0.5, a), e); break;
        default: d = times(scaled(-1, a), sine(n.a)); break;
        }
    }
    return done[e] = d;
}

static ex derive(ex e, ex x)
{
    static ex done[MAX_NODES];
    memset(done, 0, (size_t)nodes * sizeof *done);
    return derive_into(e, x, done);
}

// d/dt with velocities held: the whole of it for positions and time, the rest beside accelerations
// for an expression with velocities.
static ex drift(ex e)
{
    ex sum = derive(e, now());
    for (int i = 0; i < coordinate_names.count; i++)
        sum = plus(sum, times(derive(e, position(i)), velocity(i)));
    return sum;
}

static void use(ex e)
{
    if (!e || node[e].used) return;
    if (node[e].op >= ADD) {
        use(node[e].a);
        if (node[e].op <= DIVIDE) use(node[e].b);
    }
    node[e].used = 1;
    used[uses++] = e;
}

static void evaluate(num t, const num *q, const num *v, const num *rho)
{
    for (int i = 0; i < uses; i++) {
        ex                 e = used[i];
        const struct node *n = &node[e];
        switch (n->op) {
        case NUMBER: value[e] = n->value; break;
        case PARAMETER: value[e] = rho[n->a]; break;
        case POSITION: value[e] = q[n->a]; break;
        case VELOCITY: value[e] = v[n->a]; break;
        case TIME: value[e] = t; break;
        case ADD: value[e] = value[n->a] + value[n->b]; break;
        case SUBTRACT: value[e] = value[n->a] - value[n->b]; break;
        case MULTIPLY: value[e] = value[n->a] * value[n->b]; break;
        case DIVIDE: value[e] = value[n->a] / value[n->b]; break;
        case SINE: value[e] = csin(value[n->a]); break;
        case COSINE: value[e] = ccos(value[n->a]); break;
        case ROOT: value[e] = csqrt(value[n->a]); break;
        }
    }
}

static void print(FILE *out, ex e)
{
    static const char *const sign[] = {
        [ADD] = " + ", [SUBTRACT] = " - ", [MULTIPLY] = " * ", [DIVIDE] = " / "};
    const struct node *n = &node[e];
    switch (n->op) {
    case NUMBER: fprintf(out, n->value < 0 ? "(%.17g)" : "%.17g", n->value); break;
    case PARAMETER: fprintf(out, "%s", parameter_names.text[n->a]); break;
    case POSITION: fprintf(out, "%s", coordinate_names.text[n->a]); break;
    case VELOCITY: fprintf(out, "dot(%s)", coordinate_names.text[n->a]); break;
    case TIME: fprintf(out, "t"); break;
    case SINE:
    case COSINE:
    case ROOT:
        fprintf(out, n->op == SINE ? "sin(" : n->op == COSINE ? "cos(" : "sqrt(");
        print(out, n->a);
        fprintf(out, ")");
        break;
    default:
        fprintf(out, "(");
        print(out, n->a);
        fprintf(out, "%s", sign[n->op]);
        print(out, n->b);
        fprintf(out, ")");
    }
}

#endif
