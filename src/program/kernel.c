/* Kernels and maps: see kernel.h. */
#include "program/kernel.h"

#include <string.h>

#include "expr/derive.h"

/* ---- evaluation ----------------------------------------------------------------------------- */

/* The number of lanes that are interpreted for a block of lanes. */
static int width_of(int block)
{
    return block == 1 ? 1 : block <= SAL_LANES / 2 ? SAL_LANES / 2 : SAL_LANES;
}

static void fill(double *slot, int width, double value)
{
    for (int l = 0; l < width; l++) slot[l] = value;
}

/* The vectors from which inputs are read, by source. */
typedef struct inputs {
    const double *from[SAL_SOURCES];
} inputs;

static void put(double *out, bool stored, double value)
{
    if (stored) *out = value;
    else *out += value;
}

/* Evaluates one instance for one lane, the most frequent case. */
static void eval_single(const sal_part *part, const inputs *given, double *out, double *slots)
{
    const sal_program *program = part->program;
    const sal_stretch *last = part->stretch + part->stretches;
    for (const sal_stretch *x = part->stretch; x < last; x++) {
        const double *from = given->from[x->source] + x->place;
        double       *to = slots + x->slot;
        int           k = 0;
        for (; k + 2 <= x->count; k += 2) memcpy(to + k, from + k, 2 * sizeof *to);
        if (k < x->count) to[k] = from[k];
    }
    sal_interpret(program, 1, slots);
    const int  count = program->outputs, stored = part->stored;
    const int *at = part->out, *slot = program->output;
    for (int o = 0; o < count; o++) put(&out[at[o]], at[o] < stored, slots[slot[o]]);
}

/* Evaluates one instance for a block of lanes, from the lane `first` on. */
static void eval_lanes(const sal_part *part, const inputs *given, int lanes, int first, int block,
                       double *out, double *slots)
{
    const sal_program *program = part->program;
    const int          width = width_of(block);
    for (int source = 0; source < SAL_SOURCES; source++)
        for (int k = 0; k < part->from[source].count && source != SAL_LANE; k++) {
            const int i = part->from[source].input[k];
            fill(slots + i * width, width, given->from[source][part->in[i]]);
        }
    for (int k = 0; k < part->from[SAL_LANE].count; k++) {
        const int     i = part->from[SAL_LANE].input[k];
        const double *row = given->from[SAL_LANE] + (size_t)part->in[i] * (size_t)lanes + first;
        for (int l = 0; l < width; l++) slots[i * width + l] = row[l < block ? l : 0];
    }
    sal_interpret(program, width, slots);
    for (int o = 0; o < program->outputs; o++)
        for (int l = 0; l < block; l++)
            put(&out[part->out[o] * lanes + first + l], part->out[o] < part->stored,
                slots[program->output[o] * width + l]);
}

/* Gathers an input of SAL_LANES instances from its vector. */
static void gather_whole(const sal_part *part, const double *from, int lanes, int i, int first,
                         double *to)
{
    const int *place = part->in + (size_t)i * (size_t)part->instances + first;
    if (part->in_step[i] == 1 && lanes == 1) memcpy(to, from + place[0], SAL_LANES * sizeof *to);
    else
        for (int k = 0; k < SAL_LANES; k++) to[k] = from[(size_t)place[k] * (size_t)lanes];
}

/* Gathers all inputs of a block of instances into slots, for the lane l. */
static void gather_block(const sal_part *part, const inputs *given, int lanes, int l, int first,
                         int block, double *slots)
{
    const int width = width_of(block), n = part->instances;
    int       instance[SAL_LANES];
    for (int k = 0; k < width && block < SAL_LANES; k++) instance[k] = first + (k < block ? k : 0);
    for (int source = SAL_UNIFORM; source <= SAL_LANE; source++) {
        const int     stride = source == SAL_LANE ? lanes : 1;
        const double *from = given->from[source]; /* NULL if nothing comes from there */
        if (part->from[source].count && source == SAL_LANE) from += l;
        for (int m = 0; m < part->from[source].count; m++) {
            const int  i = part->from[source].input[m];
            const int *place = part->in + (size_t)i * (size_t)n;
            if (block == SAL_LANES)
                gather_whole(part, from, stride, i, first, slots + i * SAL_LANES);
            else
                for (int k = 0; k < width; k++)
                    slots[i * width + k] = from[place[instance[k]] * stride];
        }
    }
    for (int m = 0; m < part->from[SAL_LITERAL].count; m++) {
        const int     i = part->from[SAL_LITERAL].input[m];
        const double *row = part->literal + (size_t)part->in[i * n] * (size_t)n;
        if (block == SAL_LANES) memcpy(slots + i * SAL_LANES, row + first, SAL_LANES * sizeof *row);
        else
            for (int k = 0; k < width; k++) slots[i * width + k] = row[instance[k]];
    }
}

static int at_most(int n, int limit) { return n < limit ? n : limit; }

/* Where the outputs of instances are added. */
typedef struct receiver {
    double *out; /* the first number of the lane; the next one is `lanes` further on */
    int     lanes;
    double  sums[SAL_CHUNK_OUTPUTS][SAL_SUMS];
} receiver;

/* Adds one output of a chunk, which has `count` instances from `first` on. */
static void receive(const sal_part *part, receiver *to, int o, int first, int count,
                    const double *r)
{
    const int *place = part->out + (size_t)o * (size_t)part->instances + first;
    if (part->summed[o])
        for (int i = 0; i < count; i++) to->sums[o][i % SAL_SUMS] += r[i];
    else if (part->out_step[o] == 1 && to->lanes == 1)
        for (int i = 0; i < count; i++) to->out[place[0] + i] += r[i];
    else
        for (int i = 0; i < count; i++) to->out[place[i] * to->lanes] += r[i];
}

/* Adds up the partial sums in pairs, and adds the totals to the outputs. */
static void receive_sums(const sal_part *part, receiver *to)
{
    for (int o = 0; o < part->program->outputs; o++) {
        if (!part->summed[o]) continue;
        double *sum = to->sums[o];
        for (int half = SAL_SUMS / 2; half > 0; half /= 2)
            for (int k = 0; k < half; k++) sum[k] += sum[k + half];
        to->out[part->out[o * part->instances] * to->lanes] += sum[0];
    }
}

/* Evaluates all instances for the lane l. part->chunk is a multiple of SAL_LANES. */
static void eval_instances(const sal_part *part, const inputs *given, int lanes, int l, double *out,
                           double *slots)
{
    const sal_program *program = part->program;
    const int          n = part->instances, outputs = program->outputs;
    double             r[SAL_CHUNK_OUTPUTS * SAL_CHUNK];
    receiver           to;
    to.out = out + l;
    to.lanes = lanes;
    if (part->chunk == SAL_CHUNK) memset(to.sums, 0, (size_t)outputs * sizeof *to.sums);
    for (int first = 0; first < n; first += part->chunk) {
        const int  count = at_most(n - first, part->chunk);
        const bool kept = part->chunk > SAL_LANES;
        for (int b = 0; b < count; b += SAL_LANES) {
            const int block = at_most(count - b, SAL_LANES), width = width_of(block);
            gather_block(part, given, lanes, l, first + b, block, slots);
            sal_interpret(program, width, slots);
            for (int o = 0; o < outputs; o++) {
                const double *from = slots + (size_t)program->output[o] * (size_t)width;
                if (kept && width == SAL_LANES)
                    memcpy(r + o * SAL_CHUNK + b, from, SAL_LANES * sizeof *r);
                else if (kept) memcpy(r + o * SAL_CHUNK + b, from, (size_t)block * sizeof *r);
                else receive(part, &to, o, first, block, from);
            }
        }
        for (int o = 0; o < outputs && kept; o++)
            receive(part, &to, o, first, count, r + o * SAL_CHUNK);
    }
    receive_sums(part, &to);
}

/* Interprets a part. Not inlined, so that the path of compiled code remains short. */
static __attribute__((noinline)) void interpret_part(const sal_part *part, const inputs *given,
                                                     int lanes, double *out, double *work)
{
    if (part->instances == 1 && lanes == 1) eval_single(part, given, out, work);
    else if (part->instances == 1)
        for (int first = 0; first < lanes; first += SAL_LANES)
            eval_lanes(part, given, lanes, first, at_most(lanes - first, SAL_LANES), out, work);
    else
        for (int l = 0; l < lanes; l++) eval_instances(part, given, lanes, l, out, work);
}

void sal_kernel_eval_at(const sal_kernel *kernel, const double *uniform, const double *state,
                        const double *lane, int lanes, double *out, double *work)
{
    for (int p = 0; p < kernel->parts; p++) {
        const sal_part *part = &kernel->part[p];
        const sal_code  code = atomic_load_explicit(&part->code, memory_order_acquire);
        if (!code || (lanes > 1 && !part->wide)) {
            const inputs given = {{uniform, state, lane, part->literal}};
            interpret_part(part, &given, lanes, out, work);
        } else {
            const sal_places places = {part->instances, part->in, part->literal, part->out};
            code(uniform, state, lane, lanes, out, &places);
        }
    }
}

void sal_kernel_eval(const sal_kernel *kernel, const double *uniform, const double *lane, int lanes,
                     double *out, double *work)
{
    sal_kernel_eval_at(kernel, uniform, uniform, lane, lanes, out, work);
}

void sal_kernel_store(sal_kernel *kernel, int bound)
{
    for (int p = 0; p < kernel->parts; p++)
        if (kernel->part[p].instances == 1) kernel->part[p].stored = bound;
}

/* ---- construction --------------------------------------------------------------------------- */

/* The global index of a local leaf in one instance. */
static int global_index(const sal_instances *instances, int kind, int index, int instance)
{
    const int *map = NULL;
    if (!instances) return index;
    switch (kind % SAL_LEAF_TANGENT) {
    case SAL_LEAF_P: map = instances->param; break;
    case SAL_LEAF_C:
    case SAL_LEAF_C_AFTER: map = instances->memory; break;
    case SAL_LEAF_MU:
    case SAL_LEAF_IMPULSE_MU:
    case SAL_LEAF_SOFTNESS:
    case SAL_LEAF_WEIGHT_MU: map = instances->constraint; break;
    case SAL_LEAF_SOLVER: return index;
    case SAL_LEAF_T: return 0;
    default: map = instances->coordinate; break;
    }
    return map ? map[index * instances->count + instance] : index;
}

static sal_source source_of(int kind)
{
    if (kind == SAL_LEAF_LITERAL) return SAL_LITERAL;
    if (kind >= SAL_LEAF_UNIFORM_KINDS) return SAL_LANE;
    return kind <= SAL_LEAF_MU ? SAL_STATE : SAL_UNIFORM;
}

int sal_weight_place(int n, const sal_instances *instances, int kind, int index, int instance)
{
    const int global = global_index(instances, kind, index, instance);
    return kind == SAL_LEAF_WEIGHT_MU ? n + global : global;
}

/* The place of an entry of the lower triangle. */
static int entry_place(const sal_matrix_form *form, int row, int column)
{
    if (form->diagonal) return row;
    if (!form->start) return row * form->size + column;
    int low = form->start[row], high = form->start[row + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (form->column[middle] < column) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int input_place(const sal_layout *layout, const sal_instances *instances,
                       const sal_matrix_form *form, int kind, int index, int instance)
{
    if (kind == SAL_LEAF_LITERAL) return index;
    if (kind == SAL_LEAF_BAR) return index;
    if (kind == SAL_LEAF_WEIGHT || kind == SAL_LEAF_WEIGHT_MU)
        return sal_weight_place(form ? form->n : 0, instances, kind, index, instance);
    return layout->at[kind % SAL_LEAF_TANGENT] + global_index(instances, kind, index, instance);
}

static int output_place(const sal_layout *layout, const sal_instances *instances,
                        const sal_matrix_form *form, const sal_target *target, int instance)
{
    if (target->kind < SAL_LEAF_UNIFORM_KINDS)
        return target->base + layout->at[target->kind] +
               global_index(instances, target->kind, target->index, instance);
    const int n = form ? form->n : 0;
    const int index = sal_weight_place(n, instances, target->kind, target->index, instance);
    if (target->row < 0) return target->base + index;
    const int row = sal_weight_place(n, instances, target->row_kind, target->row, instance);
    return target->base +
           (row > index ? entry_place(form, row, index) : entry_place(form, index, row));
}

static bool add_part(sal_kernel *kernel, sal_arena *arena, const sal_part *part)
{
    if (kernel->parts == kernel->capacity) {
        const int capacity = kernel->capacity ? 2 * kernel->capacity : 1;
        sal_part *grown = ARENA_NEW(arena, capacity, sal_part);
        if (!grown) return false;
        if (kernel->parts) memcpy(grown, kernel->part, (size_t)kernel->parts * sizeof *grown);
        kernel->part = grown;
        kernel->capacity = capacity;
    }
    kernel->part[kernel->parts++] = *part;
    if (part->program->slots > kernel->slots) kernel->slots = part->program->slots;
    kernel->instructions += (long long)part->program->instructions * part->instances;
    return true;
}

/* Keeps the targets that are not structurally zero. */
static int compact(const sal_target *targets, int count, sal_target *kept, sal_node *roots)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (targets[i].node) {
            kept[n] = targets[i];
            roots[n++] = targets[i].node;
        }
    return n;
}

/* Lists the inputs from each source. */
static bool sort_inputs(sal_part *part, sal_arena *arena)
{
    int *list = ARENA_NEW(arena, part->program->inputs, int);
    if (!list) return false;
    for (int source = 0; source < SAL_SOURCES; source++) {
        part->from[source].input = list;
        for (int i = 0; i < part->program->inputs; i++)
            if (part->source[i] == source) *list++ = i;
        part->from[source].count = (int)(list - part->from[source].input);
    }
    return true;
}

/* Whether the input i extends a stretch. */
static bool goes_on(const sal_part *part, const sal_stretch *x, int i)
{
    return x->source == part->source[i] && x->slot + x->count == i &&
           x->place + x->count == part->in[i];
}

static bool find_stretches(sal_part *part, sal_arena *arena)
{
    const int    last = part->instances == 1 ? part->program->inputs : 0;
    sal_stretch *stretch = ARENA_NEW(arena, last, sal_stretch);
    if (!stretch) return false;
    part->stretches = 0;
    for (int i = 0; i < last; i++) {
        const int n = part->stretches;
        if (n > 0 && goes_on(part, &stretch[n - 1], i)) stretch[n - 1].count++;
        else stretch[part->stretches++] = (sal_stretch){part->source[i], i, part->in[i], 1};
    }
    part->stretch = stretch;
    return true;
}

static int step_of(const int *place, int instances)
{
    const long long step = instances > 1 ? (long long)place[1] - place[0] : 0;
    for (int k = 2; k < instances; k++)
        if ((long long)place[k] - place[k - 1] != step) return SAL_NO_STEP;
    return (int)step;
}

/* Finds steps between the places of instances, and how outputs are added. */
static bool plan_instances(sal_part *part, sal_arena *arena)
{
    const int      n = part->instances, outputs = part->program->outputs;
    const bool     few = outputs <= SAL_CHUNK_OUTPUTS;
    unsigned char *summed = ARENA_NEW(arena, outputs, unsigned char);
    int           *in_step = ARENA_NEW(arena, part->program->inputs, int);
    int           *out_step = ARENA_NEW(arena, outputs, int);
    if (arena->failed) return false;
    for (int i = 0; i < part->program->inputs; i++)
        in_step[i] = part->source[i] == SAL_LITERAL ? 1 : step_of(part->in + i * n, n);
    for (int o = 0; o < outputs; o++) {
        out_step[o] = step_of(part->out + o * n, n);
        summed[o] = few && n > 1 && out_step[o] == 0;
    }
    part->in_step = in_step;
    part->out_step = out_step;
    part->summed = summed;
    part->chunk = few ? SAL_CHUNK : SAL_LANES;
    return true;
}

bool sal_part_plan(sal_part *part, sal_arena *arena)
{
    return sort_inputs(part, arena) && find_stretches(part, arena) && plan_instances(part, arena);
}

static bool fill_part(sal_part *part, sal_arena *arena, const sal_target *kept,
                      const sal_layout *layout, const sal_instances *instances,
                      const sal_matrix_form *form)
{
    const sal_program *program = part->program;
    unsigned char     *source = ARENA_NEW(arena, program->inputs, unsigned char);
    int               *in = ARENA_NEW(arena, program->inputs * part->instances, int);
    int               *out = ARENA_NEW(arena, program->outputs * part->instances, int);
    if (arena->failed) return false;
    for (int i = 0; i < program->inputs; i++) {
        const sal_program_input *leaf = &program->input[i];
        source[i] = (unsigned char)source_of(leaf->kind);
        for (int k = 0; k < part->instances; k++)
            in[i * part->instances + k] =
                input_place(layout, instances, form, leaf->kind, leaf->index, k);
    }
    for (int o = 0; o < program->outputs; o++)
        for (int k = 0; k < part->instances; k++)
            out[o * part->instances + k] = output_place(layout, instances, form, &kept[o], k);
    part->source = source;
    part->in = in;
    part->out = out;
    part->literal = instances ? instances->literal : NULL;
    return sal_part_plan(part, arena);
}

bool sal_kernel_add(sal_kernel *kernel, sal_arena *arena, sal_graph *graph,
                    const sal_target *targets, int count, const sal_layout *layout,
                    const sal_instances *instances, const sal_matrix_form *form)
{
    WORK_ARENA(scratch, &arena->allocator);
    sal_target *kept = ARENA_NEW(&scratch, count, sal_target);
    sal_node   *roots = ARENA_NEW(&scratch, count, sal_node);
    if (scratch.failed || graph->failed) {
        arena->failed = true;
        return false;
    }
    const int n = compact(targets, count, kept, roots);
    if (n == 0) return true;
    sal_part part = {.program = sal_lower(arena, graph, roots, n),
                     .instances = instances ? instances->count : 1};
    return part.program && fill_part(&part, arena, kept, layout, instances, form) &&
           add_part(kernel, arena, &part);
}

bool sal_kernel_reaches(const sal_kernel *kernel, int first, int last)
{
    for (int p = 0; p < kernel->parts; p++) {
        const sal_part *part = &kernel->part[p];
        const long long count = (long long)part->program->outputs * part->instances;
        for (long long i = 0; i < count; i++)
            if (part->out[i] >= first && part->out[i] < last) return true;
    }
    return false;
}

int sal_kernel_reads(const sal_kernel *kernel)
{
    int most = 0;
    for (int p = 0; p < kernel->parts; p++) {
        const sal_part *part = &kernel->part[p];
        for (int k = 0; k < part->from[SAL_STATE].count; k++) {
            const int *place =
                part->in + (size_t)part->from[SAL_STATE].input[k] * (size_t)part->instances;
            for (int i = 0; i < part->instances; i++)
                if (place[i] >= most) most = place[i] + 1;
        }
    }
    return most;
}

/* ---- maps ----------------------------------------------------------------------------------- */

sal_node sal_seed_tangent(void *context, sal_graph *graph, int kind, int index)
{
    (void)context;
    if (kind >= SAL_LEAF_STATE_KINDS) return 0;
    return sal_leaf(graph, SAL_LEAF_TANGENT + kind, index);
}

typedef struct collector {
    sal_derivatives *to;
    unsigned         kinds;
} collector;

static void collect(void *context, int kind, int index, sal_node node)
{
    const collector *c = context;
    const sal_target found = {.node = node, .kind = kind, .index = index, .row = -1};
    if (!(sal_kind_bit(kind) & c->kinds)) return;
    if (!ARRAY_PUSH(c->to->allocator, &c->to->list, found)) c->to->failed = true;
}

void sal_derivatives_add(sal_derivatives *d, sal_graph *graph, const sal_node *roots,
                         const sal_node *weights, int count, unsigned kinds)
{
    collector c = {d, kinds};
    sal_derive_back(graph, roots, weights, count, collect, &c);
}

void sal_derivatives_release(sal_derivatives *d) { ARRAY_RELEASE(d->allocator, &d->list); }

/* Adds the derivatives of the weighted sum of outputs by all leaves that have tangents. */
static bool add_adjoint(sal_kernel *kernel, sal_arena *arena, sal_graph *graph,
                        const sal_node *outputs, const sal_node *weights, int count,
                        const sal_layout *layout, const sal_instances *instances)
{
    sal_derivatives d = {.allocator = &arena->allocator};
    sal_derivatives_add(&d, graph, outputs, weights, count, SAL_KINDS_WITH_TANGENT);
    const bool ok = !d.failed && sal_kernel_add(kernel, arena, graph, d.list.data, d.list.count,
                                                layout, instances, NULL);
    sal_derivatives_release(&d);
    return ok;
}

static bool build_adjoint(sal_map *map, sal_arena *arena, sal_arena *scratch, sal_graph *graph,
                          const sal_node *outputs, int count, const sal_layout *layout)
{
    sal_node *weights = ARENA_NEW(scratch, count, sal_node);
    if (scratch->failed) return false;
    for (int i = 0; i < count; i++) /* most may be null, as in the normal of a contact */
        if (outputs[i]) weights[i] = sal_leaf(graph, SAL_LEAF_WEIGHT, i);
    return add_adjoint(&map->adjoint, arena, graph, outputs, weights, count, layout, NULL);
}

bool sal_map_build(sal_map *map, sal_arena *arena, sal_graph *graph, const sal_node *outputs,
                   int count, const sal_layout *layout)
{
    WORK_ARENA(scratch, &arena->allocator);
    memset(map, 0, sizeof *map);
    map->outputs = count;
    sal_node   *d = ARENA_NEW(&scratch, count, sal_node);
    sal_target *targets = ARENA_NEW(&scratch, count, sal_target);
    bool        ok = !scratch.failed && !graph->failed;
    for (int i = 0; i < count && ok; i++) targets[i] = SAL_OUTPUT(outputs[i], i);
    ok = ok && sal_kernel_add(&map->value, arena, graph, targets, count, layout, NULL, NULL);
    if (ok) sal_derive_along(graph, outputs, count, sal_seed_tangent, NULL, d);
    for (int i = 0; i < count && ok; i++) targets[i].node = d[i];
    ok = ok && sal_kernel_add(&map->tangent, arena, graph, targets, count, layout, NULL, NULL) &&
         build_adjoint(map, arena, &scratch, graph, outputs, count, layout);
    if (!ok) arena->failed = true;
    return ok;
}

bool sal_map_add(sal_map *map, sal_arena *arena, sal_graph *graph, sal_target output,
                 sal_node weight, const sal_layout *layout, const sal_instances *instances)
{
    const sal_node e = output.node;
    if (!sal_kernel_add(&map->value, arena, graph, &output, 1, layout, instances, NULL))
        return false;
    sal_derive_along(graph, &e, 1, sal_seed_tangent, NULL, &output.node);
    return sal_kernel_add(&map->tangent, arena, graph, &output, 1, layout, instances, NULL) &&
           add_adjoint(&map->adjoint, arena, graph, &e, &weight, 1, layout, instances);
}

void sal_map_value(const sal_map *map, const double *u, double *out, double *work)
{
    memset(out, 0, (size_t)map->outputs * sizeof *out);
    sal_kernel_eval(&map->value, u, NULL, 1, out, work);
}

void sal_map_tangent(const sal_map *map, const double *u, const double *du, int lanes,
                     double *d_out, double *work)
{
    memset(d_out, 0, (size_t)map->outputs * (size_t)lanes * sizeof *d_out);
    sal_kernel_eval(&map->tangent, u, du, lanes, d_out, work);
}

void sal_map_adjoint(const sal_map *map, const double *u, const double *out_bar, int lanes,
                     double *u_bar, double *work)
{
    sal_kernel_eval(&map->adjoint, u, out_bar, lanes, u_bar, work);
}
