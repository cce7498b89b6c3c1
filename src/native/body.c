/* The body of a generated function: see body.h. */
#include "native/body.h"

#include <stdlib.h>
#include <string.h>

#include "native/schedule.h"

static const char *const names[SAL_OP_COUNT] = {
#define OP(name, ...) [SAL_OP_##name] = #name,
#include "expr/ops.def"
#undef OP
};

/* ---- order ---------------------------------------------------------------------------------- */

static void note_operations(sal_body *w)
{
    const sal_program *program = w->program;
    for (int r = 0; r < program->runs; r++)
        for (int i = 0; i < program->run[r].count; i++)
            w->op[program->instruction[program->run[r].first + i].result] =
                (unsigned char)program->run[r].op;
}

static void find_varying(sal_body *w)
{
    const sal_program *program = w->program;
    for (int i = 0; i < program->inputs; i++) w->varies[i] = w->part->source[i] == SAL_LANE;
    for (int k = 0; k < program->instructions; k++) {
        const sal_instruction *x = &program->instruction[k];
        const int              n = sal_op_arguments(w->op[x->result]);
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

/* Lists the outputs of each slot, and finds those that share a place. Outputs are added as soon as
 * they are computed; those that share a place at the end, in their order. pairs: scratch. */
static void list_outputs(sal_body *w, int *pairs)
{
    const sal_program *program = w->program;
    for (int s = 0; s < program->slots; s++) w->first[s] = -1;
    for (int o = program->outputs - 1; o >= 0; o--) {
        w->next[o] = w->first[program->output[o]];
        w->first[program->output[o]] = o;
        pairs[2 * o] = w->part->out[o * w->part->instances];
        pairs[2 * o + 1] = o;
    }
    if (w->part->instances > 1) return;
    qsort(pairs, (size_t)program->outputs, 2 * sizeof *pairs, compare_places);
    for (int k = 1; k < program->outputs; k++)
        if (pairs[2 * k] == pairs[2 * k - 2])
            w->shared[pairs[2 * k + 1]] = w->shared[pairs[2 * k - 1]] = 1;
}

static void list_lanes(sal_body *w)
{
    for (int k = 0; k < w->part->from[SAL_LANE].count; k++) {
        const int input = w->part->from[SAL_LANE].input[k];
        w->lane_place[k] = w->part->in[input * w->part->instances];
    }
}

/* Finds the order of all items, piece by piece. The last piece needs the outputs that share a
 * place. A loop over instances is one function, however long it is. */
static bool order_items(sal_body *w, sal_arena *scratch)
{
    const sal_program *program = w->program;
    unsigned char     *at_end = ARENA_NEW(scratch, program->slots, unsigned char);
    if (!at_end || !sal_cut_find(&w->cut, program, w->op, scratch)) return false;
    w->begin = ARENA_NEW(scratch, w->cut.pieces + 1, int);
    if (!w->begin) return false;
    w->items = sal_schedule(program, w->op, &w->cut, scratch, w->item, w->begin);
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

/* Finds outputs that may be added directly, before the end of a chunk: their places are
 * consecutive, and no earlier output has one of these places. */
static void find_direct(sal_body *w)
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

bool sal_body_plan(sal_body *w, sal_arena *scratch)
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
    find_direct(w);
    return order_items(w, scratch);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static bool is_vector(const sal_body *w, sal_loop_shape form, int slot)
{
    return form >= SAL_INSTANCES ? !sal_slot_is_constant(w->program, slot)
                                 : form != SAL_ONE_LANE && w->varies[slot];
}

/* Writes a slot as an operand, widened to a vector if the operation is one on vectors. */
static void put_operand(const sal_body *w, sal_loop_shape form, int slot, bool vector)
{
    const bool widen = vector && !is_vector(w, form, slot);
    if (widen) sal_text_put(w->text, "ALL(");
    if (sal_slot_is_constant(w->program, slot))
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

static void put_instruction(const sal_body *w, sal_loop_shape form, int slot)
{
    const int   op = w->op[slot];
    int         argument[3];
    const int   n = sal_slot_arguments(w->program, slot, op, argument);
    const bool  wide = is_vector(w, form, slot);
    const char *sign = infix(op);
    sal_text_put(w->text, "const %s s%d = ", wide ? "V" : "double", slot);
    if (op == SAL_OP_NEG) sal_text_put(w->text, "-");
    else if (!sign) sal_text_put(w->text, "%s_%s(", wide ? "v" : "x", names[op]);
    for (int k = 0; k < n; k++) {
        if (k > 0) sal_text_put(w->text, "%s", sign ? sign : ", ");
        put_operand(w, form, argument[k], wide);
    }
    sal_text_put(w->text, op == SAL_OP_NEG || sign ? ";\n" : ");\n");
}

const char *sal_body_source(int source)
{
    static const char *const name[] = {"u", "state", "lane", "literal"};
    return name[source];
}

static void put_row_input(const sal_body *w, int slot)
{
    const int step = w->part->in_step[slot];
    if (step == SAL_NO_STEP)
        sal_text_put(w->text, "picked(%s, at->in + %d * n + i);\n",
                     sal_body_source(w->part->source[slot]), slot);
    else if (step == 0) sal_text_put(w->text, "ALL(*p%d);\n", slot);
    else if (step == 1) sal_text_put(w->text, "*(const U *)(p%d + i);\n", slot);
    else sal_text_put(w->text, "strided(p%d + i * %d, %d);\n", slot, step, step);
}

/* Writes an input of one instance, as a vector if it differs from lane to lane. */
static void put_across_input(const sal_body *w, int slot)
{
    const int step = w->part->in_step[slot];
    if (w->part->source[slot] == SAL_LANE) {
        if (step == SAL_NO_STEP)
            sal_text_put(w->text, "*(const U *)(lane + at->in[%d * n + i] * lanes);\n", slot);
        else sal_text_put(w->text, "*(const U *)(p%d + i * %d * lanes);\n", slot, step);
    } else if (step == SAL_NO_STEP)
        sal_text_put(w->text, "%s[at->in[%d * n + i]];\n", sal_body_source(w->part->source[slot]),
                     slot);
    else sal_text_put(w->text, "p%d[i * %d];\n", slot, step);
}

static void put_input(const sal_body *w, sal_loop_shape form, int slot)
{
    const sal_part *part = w->part;
    const int       place = part->in[slot * part->instances];
    const int       source = part->source[slot];
    sal_text_put(w->text, "const %s s%d = ", is_vector(w, form, slot) ? "V" : "double", slot);
    if (form == SAL_ROW || form == SAL_LAST) {
        put_row_input(w, slot);
    } else if (form == SAL_ACROSS) {
        put_across_input(w, slot);
    } else if (form == SAL_INSTANCES) {
        sal_text_put(w->text, "*(const U *)(x + %d);\n", slot * SAL_LANES);
    } else if (source == SAL_LITERAL) {
        sal_text_number(w->text, part->literal[place * part->instances]);
        sal_text_put(w->text, ";\n");
    } else if (source == SAL_UNIFORM) sal_text_put(w->text, "u[%d];\n", place);
    else if (source == SAL_STATE) sal_text_put(w->text, "state[%d];\n", place);
    else if (form == SAL_ONE_LANE) sal_text_put(w->text, "lane[%d];\n", place);
    else sal_text_put(w->text, "*(const U *)(x + %d * n);\n", place);
}

static void put_output(const sal_body *w, sal_loop_shape form, int output)
{
    const int slot = w->program->output[output], place = w->part->out[output];
    if (form == SAL_ONE_LANE)
        sal_text_put(w->text, "    out[%d] %s ", place, place < w->part->stored ? "=" : "+=");
    else if (form == SAL_VECTOR_LANES)
        sal_text_put(w->text, "    *(U *)(out + %d * n) %s ", place,
                     place < w->part->stored ? "=" : "+=");
    else if (form == SAL_ACROSS)
        sal_text_put(w->text, "    *(U *)(r + %d * W) = ", output * w->part->chunk);
    else if (form == SAL_LAST) sal_text_put(w->text, "    *(U *)(r + %d * W) = ", output);
    else if (form == SAL_ROW && w->direct[output])
        sal_text_put(w->text, "    *(U *)(o%d + i) += ", output);
    else sal_text_put(w->text, "    *(U *)(r + %d) = ", output * w->part->chunk);
    put_operand(w, form, slot, form != SAL_ONE_LANE);
    sal_text_put(w->text, ";\n");
}

/* Whether outputs are written to a buffer of results, in which each has a place of its own. */
static bool is_block(sal_loop_shape form) { return form >= SAL_ACROSS; }

/* Writes the place of a result that is kept for later pieces. */
static void put_kept(const sal_body *w, sal_loop_shape form, int slot)
{
    const int place = w->cut.place[slot];
    if (is_vector(w, form, slot)) sal_text_put(w->text, "*(U *)(kept + %d * W)", place);
    else sal_text_put(w->text, "kept[%d%s]", place, form == SAL_VECTOR_LANES ? " * W" : "");
}

/* Declares a slot in the piece, if that was not done: an input, or a result of an earlier piece. */
static void put_known(const sal_body *w, sal_loop_shape form, int slot, int here)
{
    if (sal_slot_is_constant(w->program, slot) || w->known[slot] == here) return;
    w->known[slot] = here;
    sal_text_put(w->text, "    ");
    if (slot < w->program->inputs) {
        put_input(w, form, slot);
        return;
    }
    sal_text_put(w->text, "const %s s%d = ", is_vector(w, form, slot) ? "V" : "double", slot);
    put_kept(w, form, slot);
    sal_text_put(w->text, ";\n");
}

/* Writes an instruction after its arguments, and keeps its result if a later piece needs it. */
static void put_result(const sal_body *w, sal_loop_shape form, int slot, int here)
{
    int       argument[3];
    const int n = sal_slot_arguments(w->program, slot, w->op[slot], argument);
    for (int k = 0; k < n; k++) put_known(w, form, argument[k], here);
    sal_text_put(w->text, "    ");
    put_instruction(w, form, slot);
    w->known[slot] = here;
    if (w->cut.place[slot] < 0) return;
    sal_text_put(w->text, "    ");
    put_kept(w, form, slot);
    sal_text_put(w->text, " = s%d;\n", slot);
}

void sal_body_put_piece(const sal_body *w, sal_loop_shape form, int piece)
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
        if ((w->shared[o] && !is_block(form)) ||
            sal_slot_is_constant(program, program->output[o])) {
            put_known(w, form, program->output[o], here);
            put_output(w, form, o);
        }
}
