/* The definitions that all generated functions need: the operations of ops.def, vectors of the
 * machine's width, sums. */
#include <string.h>

#include "native/emit.h"

static const struct {
    const char *name, *value;
    int         arguments;
} operations[SAL_OP_COUNT] = {
#define OP(name, n, text, value, ...) [SAL_OP_##name] = {#name, #value, n},
#include "expr/ops.def"
#undef OP
};

/* The length of the name if an operation is a call of a function of the C library, else 0. */
static int library_name(int op)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    const char       *value = operations[op].value;
    const size_t      length = value ? strspn(value, letters) : 0;
    return length > 0 && value[length] == '(' ? (int)length : 0;
}

/* Declares the functions of the C library that are called: reading <math.h> takes longer than
 * compiling a small part. */
static void put_library(sal_text *text)
{
    static const char *const types[] = {"", "double", "double, double", "double, double, double"};
    sal_text_put(text, "double floor(double);\n"
                       "double pow(double, double);\n");
    for (int op = 0; op < SAL_OP_COUNT; op++)
        if (library_name(op) > 0)
            sal_text_put(text, "double %.*s(%s);\n", library_name(op), operations[op].value,
                         types[operations[op].arguments]);
}

_Static_assert(SAL_SUMS == 16, "what is emitted as total() adds sixteen partial sums in pairs");

/* gcc, tuned for recent processors, spills vector registers to general-purpose registers, which
 * takes two more instructions each time than an operand in memory. So the code is tuned for an
 * older one. gcc need not search for dead stores: there are none, and the search takes a sixth of
 * its time. */
void sal_emit_head(sal_text *text)
{
    static const char begin[] =
        "#if !defined(__clang__)\n"
        "#pragma GCC optimize(\"rerun-cse-after-loop\", \"no-schedule-insns\", \\\n"
        "    \"no-dse\", \"no-tree-dse\")\n"
        "#if defined(__x86_64__)\n"
        "#pragma GCC target(\"tune=haswell\")\n"
        "#endif\n"
        "#endif\n"
        "#define fma __builtin_fma\n"
        "#define sqrt __builtin_sqrt\n"
        "#define fabs __builtin_fabs\n"
        "#define HELPER static inline __attribute__((always_inline, unused))\n"
        "#define APART __attribute__((noinline))\n"
        "\n"
        "/* As many lanes as the machine's vectors have. */\n"
        "#if defined(__AVX__)\n"
        "#define W 4\n"
        "#define ALL(x) ((V){(x), (x), (x), (x)})\n"
        "#define EACH(f) ((V){f(0), f(1), f(2), f(3)})\n"
        "#else\n"
        "#define W 2\n"
        "#define ALL(x) ((V){(x), (x)})\n"
        "#define EACH(f) ((V){f(0), f(1)})\n"
        "#endif\n"
        "typedef double V __attribute__((vector_size(8 * W)));\n"
        "typedef double U __attribute__((vector_size(8 * W), aligned(8), may_alias));\n"
        "\n"
        "/* Where the numbers of many instances are. */\n"
        "struct places {\n"
        "    int           count;\n"
        "    const int    *in;\n"
        "    const double *literal;\n"
        "    const int    *out;\n"
        "};\n"
        "\n"
        "/* Whole powers are products. */\n"
        "HELPER double sal_power(double a, double b)\n"
        "{\n"
        "    double product = 1.0;\n"
        "    if (b != floor(b) || fabs(b) > 16.0) return pow(a, b);\n"
        "    for (int i = 0; i < (int)fabs(b); i++) product = i == 0 ? a : product * a;\n"
        "    return b < 0.0 ? 1.0 / product : product;\n"
        "}\n"
        "\n"
        "/* The angle of (x, y), continued over the cut of atan2. */\n"
        "HELPER double sal_angle(double y, double x, double branch)\n"
        "{\n"
        "    const double turn = 6.283185307179586, angle = atan2(y, x);\n"
        "    if (branch > 0.0) return angle < -0.4375 * turn ? angle + turn : angle;\n"
        "    return angle > 0.0625 * turn ? angle - turn : angle;\n"
        "}\n"
        "\n"
        "/* One lane (x), and all of a vector (v). */\n";
    static const char *const names[] = {"", "a", "a, b", "a, b, c"};
    static const char *const vectors[] = {"", "V a", "V a, V b", "V a, V b, V c"};
    static const char *const lanes[] = {"", "a[i]", "a[i], b[i]", "a[i], b[i], c[i]"};
    put_library(text);
    sal_text_put(text, "%s", begin);
    for (int op = 0; op < SAL_OP_COUNT; op++) {
        const int n = operations[op].arguments;
        if (!operations[op].name) continue;
        /* Operands are names and numbers, so macros need no parentheses around them. */
        sal_text_put(text, "#define x_%s(%s) (%s)\n", operations[op].name, names[n],
                     operations[op].value);
        if (op == SAL_OP_FMA || op == SAL_OP_FMS || op == SAL_OP_FNMA)
            sal_text_put(text,
                         "#if defined(__FMA__) && W == 4\n"
                         "#define v_%s(a, b, c) __builtin_ia32_vfmaddpd256(%s, b, %s)\n"
                         "#else\n",
                         operations[op].name, op == SAL_OP_FNMA ? "-a" : "a",
                         op == SAL_OP_FMS ? "-c" : "c");
        if (op == SAL_OP_SQRT)
            sal_text_put(text, "#if W == 4\n"
                               "#define v_SQRT(a) __builtin_ia32_sqrtpd256(a)\n"
                               "#else\n");
        sal_text_put(text,
                     "#define lane_%s(i) x_%s(%s)\n"
                     "HELPER V v_%s(%s) { return EACH(lane_%s); }\n",
                     operations[op].name, operations[op].name, lanes[n], operations[op].name,
                     vectors[n], operations[op].name);
        if (op == SAL_OP_FMA || op == SAL_OP_FMS || op == SAL_OP_FNMA || op == SAL_OP_SQRT)
            sal_text_put(text, "#endif\n");
    }
    sal_text_put(
        text,
        "\n"
        "/* Rows of fewer than W lanes, each with room for W; and back again. */\n"
        "static APART __attribute__((unused)) void widen(const double *x, const int *place,\n"
        "    int rows, long lanes, int count, double *r)\n"
        "{\n"
        "    for (int i = 0; i < rows; i++) {\n"
        "        const double *p = x + place[i] * lanes;\n"
        "        double       *q = r + place[i] * W;\n"
        "        for (int k = 0; k < W; k++) q[k] = p[k < count ? k : 0];\n"
        "    }\n"
        "}\n"
        "static APART __attribute__((unused)) void narrow(double *x, const int *place, int rows,\n"
        "    long lanes, int count, const double *r)\n"
        "{\n"
        "    for (int i = 0; i < rows; i++)\n"
        "        for (int k = 0; k < count; k++) x[place[i] * lanes + k] = r[place[i] * W + k];\n"
        "}\n"
        "\n"
        "/* A block of instances: each number comes from a place of its own. */\n"
        "#define BLOCK %d\n"
        "static APART __attribute__((unused)) void gather(const double *x, const int *place,\n"
        "    long n, long stride, const int *input, int inputs, int block, double *r)\n"
        "{\n"
        "#define PLACE(i) x[at[k + i] * stride]\n"
        "    for (int i = 0; i < inputs; i++) {\n"
        "        const int *at = place + input[i] * n;\n"
        "        double    *to = r + input[i] * BLOCK;\n"
        "        if (block == BLOCK)\n"
        "            for (int k = 0; k < BLOCK; k += W) *(U *)(to + k) = EACH(PLACE);\n"
        "        else\n"
        "            for (int k = 0; k < BLOCK; k++)\n"
        "                to[k] = x[at[k < block ? k : 0] * stride];\n"
        "    }\n"
        "}\n"
        "static APART __attribute__((unused)) void gather_literals(const double *x,\n"
        "    const int *place, long n, long first, const int *input, int inputs, int block,\n"
        "    double *r)\n"
        "{\n"
        "    for (int i = 0; i < inputs; i++) {\n"
        "        const double *from = x + place[input[i] * n] * n + first;\n"
        "        double       *to = r + input[i] * BLOCK;\n"
        "        if (block == BLOCK)\n"
        "            for (int k = 0; k < BLOCK; k += W)\n"
        "                *(U *)(to + k) = *(const U *)(from + k);\n"
        "        else\n"
        "            for (int k = 0; k < BLOCK; k++) to[k] = from[k < block ? k : 0];\n"
        "    }\n"
        "}\n"
        "HELPER V strided(const double *p, long step)\n"
        "{\n"
        "#define STRIDED(i) p[i * step]\n"
        "    return EACH(STRIDED);\n"
        "}\n"
        "HELPER V picked(const double *x, const int *at)\n"
        "{\n"
        "#define PICKED(i) x[at[i]]\n"
        "    return EACH(PICKED);\n"
        "}\n"
        "\n"
        "/* An output of a chunk of instances goes to places that are anywhere, side by side, or\n"
        " * all the same: then there are partial sums. */\n"
        "#define SUMS %d\n"
        "HELPER void scatter(double *x, const int *place, long stride, int count,\n"
        "    const double *r)\n"
        "{\n"
        "    for (int k = 0; k < count; k++) x[place[k] * stride] += r[k];\n"
        "}\n"
        "HELPER void add_row(double *restrict x, int count, const double *restrict r)\n"
        "{\n"
        "    int k = 0;\n"
        "    for (; k + W <= count; k += W) *(U *)(x + k) += *(const U *)(r + k);\n"
        "    for (; k < count; k++) x[k] += r[k];\n"
        "}\n"
        "static APART __attribute__((unused)) void sum_up(double *restrict sum, int count,\n"
        "    const double *restrict r)\n"
        "{\n"
        "    const int whole = count / SUMS * SUMS;\n"
        "    int       k = whole;\n"
        "    for (int j = 0; j < SUMS; j += 4 * W) {\n"
        "        U *to = (U *)(sum + j);\n"
        "        V  a = to[0], b = to[1], c = to[2], d = to[3];\n"
        "        for (int i = j; i < whole; i += SUMS) {\n"
        "            const U *from = (const U *)(r + i);\n"
        "            a += from[0], b += from[1], c += from[2], d += from[3];\n"
        "        }\n"
        "        to[0] = a, to[1] = b, to[2] = c, to[3] = d;\n"
        "    }\n"
        "    for (; k + W <= count; k += W) *(U *)(sum + k - whole) += *(const U *)(r + k);\n"
        "    for (; k < count; k++) sum[k - whole] += r[k];\n"
        "}\n"
        "static APART __attribute__((unused)) double total(const double *sum)\n"
        "{\n"
        "    const U *s = (const U *)sum;\n"
        "#if W == 4\n"
        "    const V four = (s[0] + s[2]) + (s[1] + s[3]);\n"
        "    return (four[0] + four[2]) + (four[1] + four[3]);\n"
        "#else\n"
        "    const V two = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));\n"
        "    return two[0] + two[1];\n"
        "#endif\n"
        "}\n"
        "static APART __attribute__((unused)) V total_across(double *sum)\n"
        "{\n"
        "    for (int half = SUMS / 2; half > 0; half /= 2)\n"
        "        for (int k = 0; k < half; k++)\n"
        "            *(U *)(sum + k * W) += *(const U *)(sum + (k + half) * W);\n"
        "    return *(const U *)sum;\n"
        "}\n",
        SAL_LANES, SAL_SUMS);
}
