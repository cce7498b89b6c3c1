/* From programs to C: see emit.h.
 *
 * A part with one instance becomes straight-line code with places as literals: one function for a
 * single lane, and one for blocks of lanes, in which values that do not depend on the lane remain
 * scalars. A part with many instances becomes a loop over them. It gets its places from the caller,
 * so that the code does not grow with the mechanism. Where the places of an input or output have a
 * constant distance from one instance to the next, as in a chain, blocks are read and written
 * without looking up their places. */
#include "native/emit.h"

#include "native/body.h"

static const char arguments[] =
    "(const double *u, const double *state, const double *lane, int lanes,\n"
    "    double *out, const struct places *at)";

/* By shape, for functions of one instance: the suffix of the name, the parameters, the arguments of
 * calls, casts to void for parameters that may be unused, and the number of lanes. */
static const struct {
    const char *name, *parameters, *arguments, *unused, *width;
} single[] = {
    [SAL_ONE_LANE] = {"one",
                      "const double *u, const double *state,\n"
                      "    const double *lane, double *restrict out",
                      "u, state, lane, out", "(void)u, (void)state, (void)lane", "1"},
    [SAL_VECTOR_LANES] = {"block",
                          "const double *u, const double *state,\n"
                          "    const double *restrict x, double *restrict out, long n",
                          "u, state, x, out, n", "(void)u, (void)state, (void)x, (void)n", "W"},
};

/* Writes one function for each piece; they pass on results in an array. */
static void put_pieces(const sal_body *w, sal_loop_shape form, const char *name)
{
    for (int p = 0; p < w->cut.pieces; p++) {
        sal_text_put(w->text,
                     "static APART void %s_%s%d(%s,\n"
                     "    double *restrict kept)\n"
                     "{\n"
                     "    %s, (void)out, (void)kept;\n",
                     name, single[form].name, p, single[form].parameters, single[form].unused);
        sal_body_put_piece(w, form, p);
        sal_text_put(w->text, "}\n");
    }
}

/* Writes the function of one shape. apart: it is not inlined, so that its caller needs no stack
 * frame on any path. */
static void put_function(const sal_body *w, sal_loop_shape form, bool apart, const char *name)
{
    const bool cut = w->cut.pieces > 1;
    if (cut) put_pieces(w, form, name);
    sal_text_put(w->text, "static %svoid %s_%s(%s)\n{\n", apart ? "APART " : "", name,
                 single[form].name, single[form].parameters);
    if (!cut) {
        sal_text_put(w->text, "    %s;\n", single[form].unused);
        sal_body_put_piece(w, form, 0);
    } else
        sal_text_put(w->text, "    double kept[%d * %s] __attribute__((aligned(64)));\n",
                     w->cut.places, single[form].width);
    for (int p = 0; cut && p < w->cut.pieces; p++)
        sal_text_put(w->text, "    %s_%s%d(%s, kept);\n", name, single[form].name, p,
                     single[form].arguments);
    sal_text_put(w->text, "}\n");
}

static void put_table(const sal_body *w, const char *name, const char *suffix, const int *place,
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

/* Writes the functions for several lanes: one for W lanes, and one that calls it for any number.
 * Fewer than W lanes are copied to a buffer and back. */
static void put_block(const sal_body *w, const char *name)
{
    const int  inputs = w->part->from[SAL_LANE].count;
    const int  outputs = w->program->outputs;
    const int *to = w->part->out;
    put_table(w, name, "in", w->lane_place, inputs);
    put_table(w, name, "to", to, outputs);
    put_function(w, SAL_VECTOR_LANES, true, name);
    sal_text_put(
        w->text,
        "static APART void %s_lanes(const double *u, const double *state,\n"
        "    const double *lane, int lanes, double *out)\n"
        "{\n"
        "    int l = 0;\n"
        "    for (; l + W <= lanes; l += W) %s_block(u, state, lane + l, out + l, lanes);\n"
        "    for (; l < lanes; l += W) {\n"
        "        const int count = lanes - l < W ? lanes - l : W;\n"
        "        double    x[%d * W], r[%d * W];\n"
        "        widen(lane + l, %s_in, %d, lanes, count, x);\n"
        "        widen(out + l, %s_to, %d, lanes, count, r);\n"
        "        %s_block(u, state, x, r, W);\n"
        "        narrow(out + l, %s_to, %d, lanes, count, r);\n"
        "    }\n"
        "}\n",
        name, name, largest(w->lane_place, inputs) + 1, largest(to, outputs) + 1, name, inputs,
        name, outputs, name, name, outputs);
}

/* Writes the code of a part with one instance. */
static void put_single(const sal_body *w, bool wide, const char *name)
{
    sal_text_put(w->text, "\n");
    put_function(w, SAL_ONE_LANE, wide, name);
    if (wide) put_block(w, name);
    sal_text_put(w->text,
                 "static void %s%s\n"
                 "{\n"
                 "    (void)at, (void)lanes;\n",
                 name, arguments);
    if (wide)
        sal_text_put(w->text,
                     "    if (lanes == W) %s_block(u, state, lane, out, W);\n"
                     "    else if (lanes > 1) %s_lanes(u, state, lane, lanes, out);\n"
                     "    else %s_one(u, state, lane, out);\n"
                     "}\n",
                     name, name, name);
    else sal_text_put(w->text, "    %s_one(u, state, lane, out);\n}\n", name);
}

/* Writes pointers to the inputs whose places have a constant step; other inputs are looked up.
 * stride_of_lanes: a factor for places of lane inputs. */
static void put_row_inputs(const sal_body *w, const char *stride_of_lanes)
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

/* The number of an output among those with partial sums. */
static int sum_number(const sal_body *w, int output)
{
    int number = 0;
    for (int o = 0; o < output; o++) number += w->part->summed[o];
    return number;
}

/* Writes the code that adds the results of a chunk to all outputs. one_lane: constant steps between
 * places are used. */
static void put_outputs(const sal_body *w, bool one_lane)
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
        else if (w->direct[o]) /* only the last instances: others were added directly */
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

static void put_totals(const sal_body *w, bool one_lane)
{
    for (int o = 0; o < w->program->outputs; o++)
        if (w->part->summed[o])
            sal_text_put(w->text, "    out[at->out[%d * n]%s] += total(sums + %d);\n", o,
                         one_lane ? "" : " * lanes + l", sum_number(w, o) * SAL_SUMS);
}

static void put_direct(const sal_body *w)
{
    for (int o = 0; o < w->program->outputs; o++)
        if (w->direct[o]) sal_text_put(w->text, "    double *o%d = out + at->out[%d * n];\n", o, o);
}

/* Writes the buffers of a function over chunks: results, inputs of a block, partial sums. */
static void put_buffers(const sal_body *w)
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

/* Writes the code that gathers the inputs of a block of instances from the instance `at` on. */
static void put_gather(const sal_body *w, const char *name, const char *at, const char *lanes)
{
    for (int source = 0; source < SAL_SOURCES; source++) {
        const int   count = w->part->from[source].count;
        const char *from = sal_body_source(source);
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

static void put_chunk(const sal_body *w)
{
    sal_text_put(w->text,
                 "    for (long first = 0; first < n; first += %d) {\n"
                 "        const int count = n - first < %d ? (int)(n - first) : %d;\n",
                 w->part->chunk, w->part->chunk, w->part->chunk);
}

/* Writes the code for the last instances of a chunk, fewer than a vector has: as a vector that
 * overlaps the one before it, or with gathered inputs if there are too few instances for that. */
static void put_last(const sal_body *w, const char *name)
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
    sal_body_put_piece(w, SAL_LAST, 0);
    sal_text_put(w->text,
                 "        for (int o = 0; o < %d; o++)\n"
                 "            for (int j = 0; j < left; j++)\n"
                 "                rs[o * %d + k + j] = r[o * W + W - left + j];\n"
                 "        }\n",
                 outputs, chunk);
}

/* Writes the function for one lane: vectors of instances, whose inputs are read in place. */
static void put_rows(const sal_body *w, const char *name)
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
    sal_body_put_piece(w, SAL_ROW, 0);
    sal_text_put(w->text, "        }\n");
    put_last(w, name);
    put_outputs(w, true);
    sal_text_put(w->text, "    }\n");
    put_totals(w, true);
    sal_text_put(w->text, "}\n");
}

/* Writes the function for one lane out of several. */
static void put_lane(const sal_body *w, const char *name)
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

/* Writes the function for W lanes, which computes one instance after the other. */
static void put_across(const sal_body *w, const char *name)
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
    sal_body_put_piece(w, SAL_ACROSS, 0);
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

/* Writes the code of a part with many instances, in the same chunks as the interpreter: several
 * outputs may have the same place, so the order in which they are added affects the digits. */
static void put_loop(const sal_body *w, const char *name)
{
    sal_text_put(w->text, "\n");
    for (int source = 0; source < SAL_SOURCES; source++)
        if (w->part->from[source].count > 0)
            put_table(w, name, sal_body_source(source), w->part->from[source].input,
                      w->part->from[source].count);
    sal_text_put(w->text,
                 "static APART void %s_some(const double *restrict x, double *restrict r)\n"
                 "{\n"
                 "    (void)x;\n",
                 name);
    sal_body_put_piece(w, SAL_INSTANCES, 0);
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
    sal_body  w = {.text = text, .part = part, .program = part->program};
    sal_arena_init(&scratch, text->allocator);
    if (!sal_body_plan(&w, &scratch)) text->failed = true;
    else if (part->instances == 1) put_single(&w, sal_emit_is_wide(part, wide), name);
    else put_loop(&w, name);
    sal_arena_free(&scratch);
}

long long sal_emit_size(const sal_part *part, bool wide)
{
    const sal_program *p = part->program;
    const long long    lines = p->inputs + p->instructions + p->outputs;
    return sal_emit_is_wide(part, wide) ? 2 * lines : lines;
}
