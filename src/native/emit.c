/* From programs to C: see emit.h.
 *
 * A part with one instance is straight-line code with literal places: one function for a single
 * lane, one for blocks of lanes. In the second, what does not depend on the lane stays a scalar. A
 * part with many instances is a loop over them that gets its places from the caller, so code does
 * not grow with the mechanism. Where the places of an input or output are equally far apart from
 * one instance to the next, as in a chain, blocks are read and written without looking them up.
 *
 * Compilers are told not to reorder before they assign registers, so the order of the source
 * counts: see "order". */
#include "native/emit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/schedule.h"

/* ---- text ----------------------------------------------------------------------------------- */

void sal_text_put(sal_text *text, const char *format, ...)
{
    char    line[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const int more = text->chars.count ? length : length + 1;
    if (text->failed || length < 0 || !ARRAY_RESERVE(text->allocator, &text->chars, more)) {
        text->failed = true;
        return;
    }
    char *end = text->chars.data + (text->chars.count ? text->chars.count - 1 : 0);
    if (length < (int)sizeof line) {
        memcpy(end, line, (size_t)length + 1);
    } else { /* rare: a long line is formatted in place */
        va_start(arguments, format);
        vsnprintf(end, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    text->chars.count += more;
}

const char *sal_text_get(const sal_text *text) { return text->chars.count ? text->chars.data : ""; }

void sal_text_release(sal_text *text) { ARRAY_RELEASE(text->allocator, &text->chars); }

/* Not by %a: its point is a comma in some locales. */
void sal_text_number(sal_text *text, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const char    *sign = bits >> 63 ? "-" : "";
    const int      power = (int)(bits >> 52 & 2047);
    const uint64_t rest = bits & (((uint64_t)1 << 52) - 1);
    if (isnan(value)) sal_text_put(text, "__builtin_nan(\"\")");
    else if (isinf(value)) sal_text_put(text, "(%s__builtin_inf())", sign);
    else if (value == 0.0) sal_text_put(text, *sign ? "(-0.0)" : "0.0");
    else
        sal_text_put(text, "%s%s0x%d.%013llxp%+d%s", *sign ? "(" : "", sign, power > 0,
                     (unsigned long long)rest, power > 0 ? power - 1023 : -1022, *sign ? ")" : "");
}

/* ---- operations ----------------------------------------------------------------------------- */

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

/* Declares what is called: reading the library's header takes longer than compiling a small part.
 */
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

/* gcc, tuned for recent processors, spills vector registers to general-purpose ones: two more
 * instructions each time, where memory would be an operand. It need not search for stores that
 * nothing reads: there are none, and the search takes a sixth of the compiler's time. */
void sal_emit_head(sal_text *text, bool pairs)
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
        "/* Two lanes. */\n"
        "#define ALL2(x) ((V2){(x), (x)})\n"
        "#define EACH2(f) ((V2){f(0), f(1)})\n"
        "typedef double V2 __attribute__((vector_size(16)));\n"
        "typedef double U2 __attribute__((vector_size(16), aligned(8), may_alias));\n"
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
        "/* One lane (x), all of a vector (v), and two (w). */\n";
    static const char *const names[] = {"", "a", "a, b", "a, b, c"};
    static const char *const vectors[] = {"", "V a", "V a, V b", "V a, V b, V c"};
    static const char *const two[] = {"", "V2 a", "V2 a, V2 b", "V2 a, V2 b, V2 c"};
    static const char *const lanes[] = {"", "a[i]", "a[i], b[i]", "a[i], b[i], c[i]"};
    put_library(text);
    sal_text_put(text, "%s", begin);
    for (int op = 0; op < SAL_OP_COUNT; op++) {
        const int n = operations[op].arguments;
        if (!operations[op].name) continue;
        /* Operands are names and numbers: a macro needs no brackets around them. */
        sal_text_put(text, "#define x_%s(%s) (%s)\n", operations[op].name, names[n],
                     operations[op].value);
        if (op == SAL_OP_FMA || op == SAL_OP_FMS || op == SAL_OP_FNMA)
            sal_text_put(text,
                         "#if defined(__FMA__) && W == 4\n"
                         "#define v_%s(a, b, c) __builtin_ia32_vfmaddpd256(%s, b, %s)\n"
                         "#define w_%s(a, b, c) __builtin_ia32_vfmaddpd(%s, b, %s)\n"
                         "#else\n",
                         operations[op].name, op == SAL_OP_FNMA ? "-a" : "a",
                         op == SAL_OP_FMS ? "-c" : "c", operations[op].name,
                         op == SAL_OP_FNMA ? "-a" : "a", op == SAL_OP_FMS ? "-c" : "c");
        if (op == SAL_OP_SQRT)
            sal_text_put(text, "#if W == 4\n"
                               "#define v_SQRT(a) __builtin_ia32_sqrtpd256(a)\n"
                               "#define w_SQRT(a) __builtin_ia32_sqrtpd(a)\n"
                               "#else\n");
        sal_text_put(text,
                     "#define lane_%s(i) x_%s(%s)\n"
                     "HELPER V v_%s(%s) { return EACH(lane_%s); }\n",
                     operations[op].name, operations[op].name, lanes[n], operations[op].name,
                     vectors[n], operations[op].name);
        if (pairs)
            sal_text_put(text, "HELPER V2 w_%s(%s) { return EACH2(lane_%s); }\n",
                         operations[op].name, two[n], operations[op].name);
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
        "        if (count == 2) *(U2 *)q = *(U2 *)(q + W - 2) = *(const U2 *)p;\n"
        "        else for (int k = 0; k < W; k++) q[k] = p[k < count ? k : 0];\n"
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

/* ---- order ---------------------------------------------------------------------------------- */

/* A part on its way to text. Items are inputs and instructions: numbers of slots. */
typedef struct writer {
    sal_text          *text;
    const sal_part    *part;
    const sal_program *program;
    int                items;
    int               *item;       /* slots in the order in which they are written */
    unsigned char     *op;         /* by slot; 0: an input or a constant */
    unsigned char     *varies;     /* by slot: it depends on the lane */
    int               *first;      /* by slot: the first output with its value, or -1 */
    int               *next;       /* by output: the next one that the slot is */
    unsigned char     *shared;     /* by output: others go to the same place */
    unsigned char     *direct;     /* by output: need not wait for a chunk to end */
    int               *lane_place; /* by number */
    sal_cut            cut;
    int               *begin; /* of the items of each piece */
    int               *known; /* by slot: in which piece of which shape it was written last */
} writer;

static const sal_instruction *instruction_of(const sal_program *program, int slot)
{
    return &program->instruction[slot - program->inputs - program->constants];
}

static void note_operations(writer *w)
{
    const sal_program *program = w->program;
    for (int r = 0; r < program->runs; r++)
        for (int i = 0; i < program->run[r].count; i++)
            w->op[program->instruction[program->run[r].first + i].result] =
                (unsigned char)program->run[r].op;
}

static void find_varying(writer *w)
{
    const sal_program *program = w->program;
    for (int i = 0; i < program->inputs; i++) w->varies[i] = w->part->source[i] == SAL_LANE;
    for (int k = 0; k < program->instructions; k++) {
        const sal_instruction *x = &program->instruction[k];
        const int              n = operations[w->op[x->result]].arguments;
        w->varies[x->result] =
            w->varies[x->a] | (n > 1 && w->varies[x->b]) | (n > 2 && w->varies[x->c]);
    }
}

static int compare_places(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (x[0] != y[0]) return (x[0] > y[0]) - (x[0] < y[0]);
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Outputs are added as soon as they are known; those that share a place, in order at the end.
 * pairs: of one instance. */
static void list_outputs(writer *w, int *pairs)
{
    const sal_program *program = w->program;
    for (int s = 0; s < program->slots; s++) w->first[s] = -1;
    for (int o = program->outputs - 1; o >= 0; o--) {
        w->next[o] = w->first[program->output[o]];
        w->first[program->output[o]] = o;
        pairs[2 * o] = w->part->out[o * w->part->instances];
        if (o < w->part->stated) pairs[2 * o] = -1 - pairs[2 * o]; /* other places */
        pairs[2 * o + 1] = o;
    }
    if (w->part->instances > 1) return;
    qsort(pairs, (size_t)program->outputs, 2 * sizeof *pairs, compare_places);
    for (int k = 1; k < program->outputs; k++)
        if (pairs[2 * k] == pairs[2 * k - 2])
            w->shared[pairs[2 * k + 1]] = w->shared[pairs[2 * k - 1]] = 1;
}

static void list_lanes(writer *w)
{
    for (int k = 0; k < w->part->from[SAL_LANE].count; k++) {
        const int input = w->part->from[SAL_LANE].input[k];
        w->lane_place[k] = w->part->in[input * w->part->instances];
    }
}

/* The order in which everything is written, piece by piece. Outputs that come last are needed
 * there. A loop over instances is one function, however long. */
static bool order_items(writer *w, sal_arena *scratch)
{
    const sal_program *program = w->program;
    unsigned char     *at_end = ARENA_NEW(scratch, program->slots, unsigned char);
    if (!at_end || !sal_cut_find(&w->cut, program, w->op, scratch)) return false;
    w->begin = ARENA_NEW(scratch, w->cut.pieces + 1, int);
    if (!w->begin) return false;
    w->items = sal_order(program, w->op, &w->cut, scratch, w->item, w->begin);
    if (w->items < 0) return false;
    if (w->part->instances > 1) {
        memset(w->cut.piece, 0, (size_t)program->slots * sizeof *w->cut.piece);
        w->cut.pieces = 1;
        w->begin[1] = w->items;
    }
    for (int o = 0; o < program->outputs; o++)
        if (w->shared[o]) at_end[program->output[o]] = 1;
    return sal_cut_keep(&w->cut, program, w->op, at_end, scratch);
}

static bool prepare(writer *w, sal_arena *scratch)
{
    const sal_program *program = w->program;
    const int          slots = program->slots;
    w->item = ARENA_NEW(scratch, slots, int);
    w->op = ARENA_NEW(scratch, slots, unsigned char);
    w->varies = ARENA_NEW(scratch, slots, unsigned char);
    w->first = ARENA_NEW(scratch, slots, int);
    w->next = ARENA_NEW(scratch, program->outputs, int);
    w->shared = ARENA_NEW(scratch, program->outputs, unsigned char);
    w->direct = ARENA_NEW(scratch, program->outputs, unsigned char);
    w->lane_place = ARENA_NEW(scratch, program->inputs, int);
    w->known = ARENA_NEW(scratch, slots, int);
    int *pairs = ARENA_NEW(scratch, 2 * program->outputs, int);
    if (scratch->failed) return false;
    note_operations(w);
    find_varying(w);
    list_outputs(w, pairs);
    list_lanes(w);
    return order_items(w, scratch);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* A row is a block of instances whose inputs are where they are as far as they are in steps; the
 * last of a chunk may begin before its time. Across lanes, instances come one after the other. */
typedef enum shape { ONE_LANE, PAIR, LANES, ACROSS, INSTANCES, ROW, LAST } shape;

static bool is_constant(const sal_program *program, int slot)
{
    return slot >= program->inputs && slot < program->inputs + program->constants;
}

static bool is_vector(const writer *w, shape form, int slot)
{
    return form >= INSTANCES ? !is_constant(w->program, slot) : form != ONE_LANE && w->varies[slot];
}

/* How vectors of a shape are called: their type, that of those in memory, all of them the same. */
static const char *vector(shape form) { return form == PAIR ? "V2" : "V"; }
static const char *unaligned(shape form) { return form == PAIR ? "U2" : "U"; }
static const char *all_of(shape form) { return form == PAIR ? "ALL2" : "ALL"; }

/* How far apart places are. */
static const char *stride(const writer *w, shape form)
{
    return form == PAIR ? "2" : w->part->few ? "W" : "n";
}

/* A slot as an operand; as a vector if the operation is one of vectors. */
static void put_operand(const writer *w, shape form, int slot, bool vector)
{
    const bool widen = vector && !is_vector(w, form, slot);
    if (widen) sal_text_put(w->text, "%s(", all_of(form));
    if (is_constant(w->program, slot))
        sal_text_number(w->text, w->program->constant[slot - w->program->inputs]);
    else sal_text_put(w->text, "s%d", slot);
    if (widen) sal_text_put(w->text, ")");
}

static const char *infix(int op)
{
    switch (op) {
    case SAL_OP_ADD: return " + ";
    case SAL_OP_SUB: return " - ";
    case SAL_OP_MUL: return " * ";
    case SAL_OP_DIV: return " / ";
    default: return NULL;
    }
}

static void put_instruction(const writer *w, shape form, int slot)
{
    const sal_instruction *x = instruction_of(w->program, slot);
    const int              op = w->op[slot], n = operations[op].arguments;
    const int              argument[3] = {x->a, x->b, x->c};
    const bool             wide = is_vector(w, form, slot);
    const char            *sign = infix(op);
    sal_text_put(w->text, "const %s s%d = ", wide ? vector(form) : "double", slot);
    if (op == SAL_OP_NEG) sal_text_put(w->text, "-");
    else if (!sign)
        sal_text_put(w->text, "%s_%s(",
                     !wide          ? "x"
                     : form == PAIR ? "w"
                                    : "v",
                     operations[op].name);
    for (int k = 0; k < n; k++) {
        if (k > 0) sal_text_put(w->text, "%s", sign ? sign : ", ");
        put_operand(w, form, argument[k], wide);
    }
    sal_text_put(w->text, op == SAL_OP_NEG || sign ? ";\n" : ");\n");
}

static const char *const source_name[] = {"u", "state", "lane", "literal"};

static void put_row_input(const writer *w, int slot)
{
    const int step = w->part->in_step[slot];
    if (step == SAL_NO_STEP)
        sal_text_put(w->text, "picked(%s, at->in + %d * n + i);\n",
                     source_name[w->part->source[slot]], slot);
    else if (step == 0) sal_text_put(w->text, "ALL(*p%d);\n", slot);
    else if (step == 1) sal_text_put(w->text, "*(const U *)(p%d + i);\n", slot);
    else sal_text_put(w->text, "strided(p%d + i * %d, %d);\n", slot, step, step);
}

/* One instance: what differs from lane to lane is a vector. */
static void put_across_input(const writer *w, int slot)
{
    const int step = w->part->in_step[slot];
    if (w->part->source[slot] == SAL_LANE) {
        if (step == SAL_NO_STEP)
            sal_text_put(w->text, "*(const U *)(lane + at->in[%d * n + i] * lanes);\n", slot);
        else sal_text_put(w->text, "*(const U *)(p%d + i * %d * lanes);\n", slot, step);
    } else if (step == SAL_NO_STEP)
        sal_text_put(w->text, "%s[at->in[%d * n + i]];\n", source_name[w->part->source[slot]],
                     slot);
    else sal_text_put(w->text, "p%d[i * %d];\n", slot, step);
}

static void put_input(const writer *w, shape form, int slot)
{
    const sal_part *part = w->part;
    const int       place = part->in[slot * part->instances];
    const int       source = part->source[slot];
    sal_text_put(w->text, "const %s s%d = ", is_vector(w, form, slot) ? vector(form) : "double",
                 slot);
    if (form == ROW || form == LAST) {
        put_row_input(w, slot);
    } else if (form == ACROSS) {
        put_across_input(w, slot);
    } else if (form == INSTANCES) {
        sal_text_put(w->text, "*(const U *)(x + %d);\n", slot * SAL_LANES);
    } else if (source == SAL_LITERAL) {
        sal_text_number(w->text, part->literal[place * part->instances]);
        sal_text_put(w->text, ";\n");
    } else if (source == SAL_UNIFORM) sal_text_put(w->text, "u[%d];\n", place);
    else if (source == SAL_STATE) sal_text_put(w->text, "state[%d];\n", place);
    else if (form == ONE_LANE) sal_text_put(w->text, "lane[%d];\n", place);
    else
        sal_text_put(w->text, "*(const %s *)(x + %d * %s);\n", unaligned(form), place,
                     stride(w, form));
}

/* Outputs of a chunk are added one after the other. One whose places are side by side, and are none
 * of those of outputs before it, may as well be added at once. */
static void find_direct(writer *w)
{
    const int n = w->part->instances;
    for (int o = 0; o < w->program->outputs && n > 1; o++) {
        const int *own = w->part->out + (size_t)o * (size_t)n;
        w->direct[o] = w->part->out_step[o] == 1;
        for (int p = 0; p < o && w->direct[o]; p++) {
            const int *other = w->part->out + (size_t)p * (size_t)n;
            for (int k = 0; k < n && w->direct[o]; k++)
                w->direct[o] = other[k] < own[0] || other[k] > own[n - 1];
        }
    }
}

static void put_output(const writer *w, shape form, int output)
{
    const int  slot = w->program->output[output], place = w->part->out[output];
    const bool stated = output < w->part->stated;
    if (stated) sal_text_put(w->text, "    values[%d] = ", place);
    else if (form == ONE_LANE)
        sal_text_put(w->text, "    out[%d] %s ", place, place < w->part->stored ? "=" : "+=");
    else if (form == LANES || form == PAIR)
        sal_text_put(w->text, "    *(%s *)(out + %d * %s) %s ", unaligned(form), place,
                     stride(w, form), place < w->part->stored ? "=" : "+=");
    else if (form == ACROSS)
        sal_text_put(w->text, "    *(U *)(r + %d * W) = ", output * w->part->chunk);
    else if (form == LAST) sal_text_put(w->text, "    *(U *)(r + %d * W) = ", output);
    else if (form == ROW && w->direct[output])
        sal_text_put(w->text, "    *(U *)(o%d + i) += ", output);
    else sal_text_put(w->text, "    *(U *)(r + %d) = ", output * w->part->chunk);
    put_operand(w, form, slot, form != ONE_LANE && !stated);
    sal_text_put(w->text, ";\n");
}

/* Outputs of a block of instances have places of their own. */
static bool is_block(shape form) { return form >= ACROSS; }

/* A number kept for later pieces. */
static void put_kept(const writer *w, shape form, int slot)
{
    const int place = w->cut.place[slot];
    if (is_vector(w, form, slot))
        sal_text_put(w->text, "*(%s *)(kept + %d * %s)", unaligned(form), place,
                     form == PAIR ? "2" : "W");
    else
        sal_text_put(w->text, "kept[%d%s]", place,
                     form == LANES  ? " * W"
                     : form == PAIR ? " * 2"
                                    : "");
}

/* Makes a slot known to the piece: an input, or what an earlier piece kept. */
static void put_known(const writer *w, shape form, int slot, int here)
{
    if (is_constant(w->program, slot) || w->known[slot] == here) return;
    w->known[slot] = here;
    sal_text_put(w->text, "    ");
    if (slot < w->program->inputs) {
        put_input(w, form, slot);
        return;
    }
    sal_text_put(w->text, "const %s s%d = ", is_vector(w, form, slot) ? vector(form) : "double",
                 slot);
    put_kept(w, form, slot);
    sal_text_put(w->text, ";\n");
}

/* Writes an instruction after its arguments, and keeps its result if a later piece needs it. */
static void put_result(const writer *w, shape form, int slot, int here)
{
    const sal_instruction *x = instruction_of(w->program, slot);
    const int              argument[3] = {x->a, x->b, x->c};
    for (int k = 0; k < operations[w->op[slot]].arguments; k++)
        put_known(w, form, argument[k], here);
    sal_text_put(w->text, "    ");
    put_instruction(w, form, slot);
    w->known[slot] = here;
    if (w->cut.place[slot] < 0) return;
    sal_text_put(w->text, "    ");
    put_kept(w, form, slot);
    sal_text_put(w->text, " = s%d;\n", slot);
}

/* The instructions of a piece, each output after the instruction that computes it; those that
 * share a place come last, in their order. */
static void put_piece(const writer *w, shape form, int piece)
{
    const sal_program *program = w->program;
    const int          here = 1 + (int)form * w->cut.pieces + piece;
    for (int i = w->begin[piece]; i < w->begin[piece + 1]; i++) {
        const int slot = w->item[i];
        if (slot < program->inputs) put_known(w, form, slot, here);
        else put_result(w, form, slot, here);
        for (int o = w->first[slot]; o >= 0; o = w->next[o])
            if (!w->shared[o] || is_block(form)) put_output(w, form, o);
    }
    if (piece < w->cut.pieces - 1) return;
    for (int o = 0; o < program->outputs; o++)
        if ((w->shared[o] && !is_block(form)) || is_constant(program, program->output[o])) {
            put_known(w, form, program->output[o], here);
            put_output(w, form, o);
        }
}

/* All of a loop over instances, which is never cut. */
static void put_body(const writer *w, shape form) { put_piece(w, form, 0); }

/* ---- functions ------------------------------------------------------------------------------ */

static const char arguments[] =
    "(const double *u, const double *state, const double *lane, int lanes,\n"
    "    double *out, const struct places *at)";

/* What is stored in the state is not read from there. */
static void put_values(const writer *w)
{
    if (w->part->stated > 0)
        sal_text_put(w->text, "    double *restrict values = (double *)state;\n"
                              "    (void)values;\n");
}

/* The parameters of a function for one instance, what it is called with, those it may not need. */
static const struct {
    const char *name, *parameters, *arguments, *unused, *width;
} single[] = {
    [ONE_LANE] = {"one",
                  "const double *u, const double *state,\n"
                  "    const double *lane, double *restrict out",
                  "u, state, lane, out", "(void)u, (void)state, (void)lane", "1"},
    [PAIR] = {"pair",
              "const double *u, const double *state,\n"
              "    const double *restrict x, double *restrict out",
              "u, state, x, out", "(void)u, (void)state, (void)x", "2"},
    [LANES] = {"block",
               "const double *u, const double *state,\n"
               "    const double *restrict x, double *restrict out, long n",
               "u, state, x, out, n", "(void)u, (void)state, (void)x, (void)n", "W"},
};

/* One function for each piece, which hand on numbers in an array. */
static void put_pieces(const writer *w, shape form, const char *name)
{
    for (int p = 0; p < w->cut.pieces; p++) {
        sal_text_put(w->text,
                     "static APART void %s_%s%d(%s,\n"
                     "    double *restrict kept)\n"
                     "{\n"
                     "    %s, (void)out, (void)kept;\n",
                     name, single[form].name, p, single[form].parameters, single[form].unused);
        put_values(w);
        put_piece(w, form, p);
        sal_text_put(w->text, "}\n");
    }
}

/* The function of one shape. Apart: what calls it then has no frame of its own, whichever way it
 * goes. */
static void put_function(const writer *w, shape form, bool apart, const char *name)
{
    const bool cut = w->cut.pieces > 1;
    if (cut) put_pieces(w, form, name);
    sal_text_put(w->text, "static %svoid %s_%s(%s)\n{\n", apart ? "APART " : "", name,
                 single[form].name, single[form].parameters);
    if (!cut) {
        sal_text_put(w->text, "    %s;\n", single[form].unused);
        put_values(w);
        put_piece(w, form, 0);
    } else
        sal_text_put(w->text, "    double kept[%d * %s] __attribute__((aligned(64)));\n",
                     w->cut.places, single[form].width);
    for (int p = 0; cut && p < w->cut.pieces; p++)
        sal_text_put(w->text, "    %s_%s%d(%s, kept);\n", name, single[form].name, p,
                     single[form].arguments);
    sal_text_put(w->text, "}\n");
}

static void put_table(const writer *w, const char *name, const char *suffix, const int *place,
                      int count)
{
    sal_text_put(w->text, "static const int %s_%s[%d] = {", name, suffix, count);
    for (int i = 0; i < count; i++)
        sal_text_put(w->text, i % 16 == 0 ? "\n    %d," : " %d,", place[i]);
    sal_text_put(w->text, "\n};\n");
}

static int largest(const int *place, int count)
{
    int most = 0;
    for (int i = 0; i < count; i++) most = place[i] > most ? place[i] : most;
    return most;
}

/* Two lanes. */
static void put_pair(const writer *w, const char *name)
{
    sal_text_put(w->text, "#if W == 4\n");
    put_function(w, PAIR, true, name);
    sal_text_put(w->text, "#endif\n");
}

/* A block of W lanes, n numbers from place to place; of fewer lanes, beside their vectors. Where
 * few lanes matter, n is W. */
static void put_block(const writer *w, const char *name)
{
    const int  inputs = w->part->from[SAL_LANE].count;
    const int  outputs = w->program->outputs - w->part->stated;
    const int *to = w->part->out + w->part->stated;
    put_table(w, name, "in", w->lane_place, inputs);
    put_table(w, name, "to", to, outputs);
    put_function(w, LANES, true, name);
    sal_text_put(w->text,
                 "static APART void %s_lanes(const double *u, const double *state,\n"
                 "    const double *lane, int lanes, double *out)\n"
                 "{\n"
                 "    int l = 0;\n",
                 name);
    if (!w->part->few)
        sal_text_put(
            w->text,
            "    for (; l + W <= lanes; l += W) %s_block(u, state, lane + l, out + l, lanes);\n",
            name);
    sal_text_put(w->text,
                 "    for (; l < lanes; l += W) {\n"
                 "        const int count = lanes - l < W ? lanes - l : W;\n"
                 "        double    x[%d * W], r[%d * W];\n"
                 "        widen(lane + l, %s_in, %d, lanes, count, x);\n"
                 "        widen(out + l, %s_to, %d, lanes, count, r);\n"
                 "        %s_block(u, state, x, r, W);\n"
                 "        narrow(out + l, %s_to, %d, lanes, count, r);\n"
                 "    }\n"
                 "}\n",
                 largest(w->lane_place, inputs) + 1, largest(to, outputs) + 1, name, inputs, name,
                 outputs, name, name, outputs);
}

/* One instance: one lane at a time is one function, several are others. */
static void put_single(const writer *w, bool wide, const char *name)
{
    sal_text_put(w->text, "\n");
    put_function(w, ONE_LANE, wide, name);
    if (wide && w->part->few) put_pair(w, name);
    if (wide) put_block(w, name);
    sal_text_put(w->text,
                 "static void %s%s\n"
                 "{\n"
                 "    (void)at, (void)lanes;\n",
                 name, arguments);
    if (wide && w->part->few)
        sal_text_put(w->text,
                     "#if W == 4\n"
                     "    if (lanes == 2) %s_pair(u, state, lane, out);\n"
                     "    else\n"
                     "#endif\n",
                     name);
    if (wide)
        sal_text_put(w->text,
                     "    if (lanes == W) %s_block(u, state, lane, out, W);\n"
                     "    else if (lanes > 1) %s_lanes(u, state, lane, lanes, out);\n"
                     "    else %s_one(u, state, lane, out);\n"
                     "}\n",
                     name, name, name);
    else sal_text_put(w->text, "    %s_one(u, state, lane, out);\n}\n", name);
}

/* Where the inputs that are in steps begin; the others are looked up. stride: between the numbers
 * of a lane. */
static void put_row_inputs(const writer *w, const char *stride_of_lanes)
{
    static const char *const from[] = {"u + at->in[%d * n]", "state + at->in[%d * n]",
                                       "lane + at->in[%d * n]", "at->literal + at->in[%d * n] * n"};
    for (int i = 0; i < w->program->inputs; i++) {
        if (w->part->in_step[i] == SAL_NO_STEP) continue;
        sal_text_put(w->text, "    const double *p%d = ", i);
        sal_text_put(w->text, from[w->part->source[i]], i);
        sal_text_put(w->text, "%s;\n", w->part->source[i] == SAL_LANE ? stride_of_lanes : "");
    }
}

/* The number of an output among those that are summed up. */
static int sum_number(const writer *w, int output)
{
    int number = 0;
    for (int o = 0; o < output; o++) number += w->part->summed[o];
    return number;
}

/* A chunk of all outputs, whose places are known to be in steps or not if there is one lane. */
static void put_outputs(const writer *w, bool one_lane)
{
    for (int o = 0; o < w->program->outputs; o++) {
        const int from = o * w->part->chunk;
        const int step = one_lane ? w->part->out_step[o] : SAL_NO_STEP;
        if (w->part->summed[o])
            sal_text_put(w->text, "        sum_up(sums + %d, count, rs + %d);\n",
                         sum_number(w, o) * SAL_SUMS, from);
        else if (step == SAL_NO_STEP)
            sal_text_put(w->text,
                         "        scatter(out%s, at->out + %d * n + first, %s, count, rs + %d);\n",
                         one_lane ? "" : " + l", o, one_lane ? "1" : "lanes", from);
        else if (w->direct[o]) /* the last ones, that is */
            sal_text_put(w->text,
                         "        for (int j = k; j < count; j++) o%d[first + j] += rs[%d + j];\n",
                         o, from);
        else if (step == 1)
            sal_text_put(w->text,
                         "        add_row(out + at->out[%d * n] + first, count, rs + %d);\n", o,
                         from);
        else
            sal_text_put(w->text,
                         "        for (int k = 0; k < count; k++)\n"
                         "            out[at->out[%d * n] + (first + k) * %d] += rs[%d + k];\n",
                         o, step, from);
    }
}

static void put_totals(const writer *w, bool one_lane)
{
    for (int o = 0; o < w->program->outputs; o++)
        if (w->part->summed[o])
            sal_text_put(w->text, "    out[at->out[%d * n]%s] += total(sums + %d);\n", o,
                         one_lane ? "" : " * lanes + l", sum_number(w, o) * SAL_SUMS);
}

static void put_direct(const writer *w)
{
    for (int o = 0; o < w->program->outputs; o++)
        if (w->direct[o]) sal_text_put(w->text, "    double *o%d = out + at->out[%d * n];\n", o, o);
}

/* What a function over chunks needs: results, partial sums, numbers of a block. */
static void put_buffers(const writer *w)
{
    const int inputs = w->program->inputs, sums = sum_number(w, w->program->outputs);
    sal_text_put(w->text,
                 "    const long n = at->count;\n"
                 "    double     rs[%d], x[%d * BLOCK]",
                 w->program->outputs * w->part->chunk, inputs > 0 ? inputs : 1);
    if (sums > 0) sal_text_put(w->text, ", sums[%d] = {0.0}", sums * SAL_SUMS);
    sal_text_put(w->text, ";\n"
                          "    (void)u, (void)state, (void)lane, (void)x;\n");
}

/* Gathers the numbers of a block that begins at instance `at`, by source. */
static void put_gather(const writer *w, const char *name, const char *at, const char *lanes)
{
    for (int source = 0; source < SAL_SOURCES; source++) {
        const int   count = w->part->from[source].count;
        const char *from = source_name[source];
        if (count == 0) continue;
        if (source == SAL_LITERAL)
            sal_text_put(w->text, "        gather_literals(at->literal, at->in, n, %s", at);
        else if (source == SAL_LANE)
            sal_text_put(w->text, "        gather(lane%s, at->in + %s, n, %s", *lanes ? " + l" : "",
                         at, *lanes ? lanes : "1");
        else sal_text_put(w->text, "        gather(%s, at->in + %s, n, 1", from, at);
        sal_text_put(w->text, ", %s_%s, %d, block, x);\n", name, from, count);
    }
}

static void put_chunk(const writer *w)
{
    sal_text_put(w->text,
                 "    for (long first = 0; first < n; first += %d) {\n"
                 "        const int count = n - first < %d ? (int)(n - first) : %d;\n",
                 w->part->chunk, w->part->chunk, w->part->chunk);
}

/* The last instances of a chunk, fewer than a vector has: with some before them, which were done
 * already; or gathered, where there are none. */
static void put_last(const writer *w, const char *name)
{
    const int outputs = w->program->outputs, chunk = w->part->chunk;
    sal_text_put(w->text, "        if (k < count) {\n");
    if (w->part->instances < SAL_LANES / 2) {
        sal_text_put(w->text, "        const int block = count - k;\n"
                              "        (void)block;\n");
        put_gather(w, name, "first + k", "");
        sal_text_put(w->text, "        %s_some(x, rs + k);\n        }\n", name);
        return;
    }
    sal_text_put(w->text,
                 "    const long i = first + count - W;\n"
                 "    const int  left = count - k;\n"
                 "    double     r[%d * W];\n"
                 "    (void)i;\n",
                 outputs);
    put_body(w, LAST);
    sal_text_put(w->text,
                 "        for (int o = 0; o < %d; o++)\n"
                 "            for (int j = 0; j < left; j++)\n"
                 "                rs[o * %d + k + j] = r[o * W + W - left + j];\n"
                 "        }\n",
                 outputs, chunk);
}

/* One lane: vectors of instances from where they are. */
static void put_rows(const writer *w, const char *name)
{
    sal_text_put(w->text,
                 "static APART void %s_rows(const double *u, const double *state,\n"
                 "    const double *lane, double *restrict out, const struct places *at)\n"
                 "{\n",
                 name);
    put_buffers(w);
    put_row_inputs(w, "");
    put_direct(w);
    put_chunk(w);
    sal_text_put(w->text, "        int k = 0;\n"
                          "        for (; k + W <= count; k += W) {\n"
                          "    const long i = first + k;\n"
                          "    double    *r = rs + k;\n"
                          "    (void)i;\n");
    put_body(w, ROW);
    sal_text_put(w->text, "        }\n");
    put_last(w, name);
    put_outputs(w, true);
    sal_text_put(w->text, "    }\n");
    put_totals(w, true);
    sal_text_put(w->text, "}\n");
}

/* One of several lanes. */
static void put_lane(const writer *w, const char *name)
{
    sal_text_put(w->text,
                 "static APART void %s_each(const double *u, const double *state,\n"
                 "    const double *lane, int lanes, int l, double *restrict out,\n"
                 "    const struct places *at)\n"
                 "{\n",
                 name);
    put_buffers(w);
    put_chunk(w);
    sal_text_put(w->text, "        for (int b = 0; b < count; b += BLOCK) {\n"
                          "        const int block = count - b < BLOCK ? count - b : BLOCK;\n");
    put_gather(w, name, "first + b", "lanes");
    sal_text_put(w->text,
                 "        for (int k = 0; k < block; k += W) %s_some(x + k, rs + b + k);\n"
                 "        }\n",
                 name);
    put_outputs(w, false);
    sal_text_put(w->text, "    }\n");
    put_totals(w, false);
    sal_text_put(w->text, "}\n");
}

/* As many lanes as a vector has, the first of them in lane and out. */
static void put_across(const writer *w, const char *name)
{
    const int chunk = w->part->chunk, sums = sum_number(w, w->program->outputs);
    sal_text_put(w->text,
                 "static APART void %s_across(const double *u, const double *state,\n"
                 "    const double *restrict lane, long lanes, double *restrict out,\n"
                 "    const struct places *at)\n"
                 "{\n"
                 "    const long n = at->count;\n"
                 "    double     rs[%d * W]",
                 name, w->program->outputs * chunk);
    if (sums > 0) sal_text_put(w->text, ", sums[%d * W] = {0.0}", sums * SAL_SUMS);
    sal_text_put(w->text, ";\n"
                          "    (void)u, (void)state, (void)lane;\n");
    put_row_inputs(w, " * lanes");
    put_chunk(w);
    sal_text_put(w->text, "        for (int k = 0; k < count; k++) {\n"
                          "    const long i = first + k;\n"
                          "    double    *r = rs + k * W;\n"
                          "    (void)i;\n");
    put_body(w, ACROSS);
    sal_text_put(w->text, "        }\n");
    for (int o = 0; o < w->program->outputs; o++)
        if (w->part->summed[o])
            sal_text_put(w->text,
                         "        for (int k = 0; k < count; k++)\n"
                         "            *(U *)(sums + (%d + k %% SUMS) * W) +=\n"
                         "                *(const U *)(rs + (%d + k) * W);\n",
                         sum_number(w, o) * SAL_SUMS, o * chunk);
        else
            sal_text_put(w->text,
                         "        for (int k = 0; k < count; k++)\n"
                         "            *(U *)(out + at->out[%d * n + first + k] * lanes) +=\n"
                         "                *(const U *)(rs + (%d + k) * W);\n",
                         o, o * chunk);
    sal_text_put(w->text, "    }\n");
    for (int o = 0; o < w->program->outputs; o++)
        if (w->part->summed[o])
            sal_text_put(
                w->text,
                "    *(U *)(out + at->out[%d * n] * lanes) += total_across(sums + %d * W);\n", o,
                sum_number(w, o) * SAL_SUMS);
    sal_text_put(w->text, "}\n");
}

/* Many instances, in the interpreter's chunks: several outputs may have the same place, so the
 * order in which they are added counts. */
static void put_loop(const writer *w, const char *name)
{
    sal_text_put(w->text, "\n");
    for (int source = 0; source < SAL_SOURCES; source++)
        if (w->part->from[source].count > 0)
            put_table(w, name, source_name[source], w->part->from[source].input,
                      w->part->from[source].count);
    sal_text_put(w->text,
                 "static APART void %s_some(const double *restrict x, double *restrict r)\n"
                 "{\n"
                 "    (void)x;\n",
                 name);
    put_body(w, INSTANCES);
    sal_text_put(w->text, "}\n");
    put_rows(w, name);
    put_lane(w, name);
    put_across(w, name);
    sal_text_put(w->text,
                 "static void %s%s\n"
                 "{\n"
                 "    int l = 0;\n"
                 "    if (lanes == 1) {\n"
                 "        %s_rows(u, state, lane, out, at);\n"
                 "        return;\n"
                 "    }\n"
                 "    for (; l + W <= lanes; l += W)\n"
                 "        %s_across(u, state, lane + l, lanes, out + l, at);\n"
                 "    for (; l < lanes; l++) %s_each(u, state, lane, lanes, l, out, at);\n"
                 "}\n",
                 name, arguments, name, name, name);
}

bool sal_emit_is_wide(const sal_part *part, bool wanted)
{
    return part->instances > 1 || (wanted && part->from[SAL_LANE].count > 0);
}

bool sal_emit_is_cut(const sal_part *part)
{
    return part->instances == 1 && part->program->instructions > SAL_CUT_LONGEST;
}

void sal_emit_part(sal_text *text, const sal_part *part, bool wide, const char *name)
{
    sal_arena scratch;
    writer    w = {.text = text, .part = part, .program = part->program};
    sal_arena_init(&scratch, text->allocator);
    if (!prepare(&w, &scratch)) text->failed = true;
    else if (find_direct(&w), part->instances == 1)
        put_single(&w, sal_emit_is_wide(part, wide), name);
    else put_loop(&w, name);
    sal_arena_free(&scratch);
}

long long sal_emit_size(const sal_part *part, bool wide)
{
    const sal_program *p = part->program;
    const long long    lines = p->inputs + p->instructions + p->outputs;
    return sal_emit_is_wide(part, wide) ? 2 * lines : lines;
}
