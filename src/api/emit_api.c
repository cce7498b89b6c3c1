/* The kernels of a model as C code that does not need the library.
 *
 *     kernels.h   the declarations, and the places of numbers
 *     kernels.c   the kernels of the mode in which the model starts
 *     main.c      an example: the accelerations at the start
 *     Makefile
 *
 * Names of the script are not in these files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "compile/kernel_table.h"
#include "gradient/output_rows.h"
#include "native/emit.h"
#include "saltus/saltus.h"

typedef struct named_kernel {
    const sal_kernel *kernel;
    const char       *name, *about;
    bool              wide; /* reads numbers in lanes, besides u */
} named_kernel;

typedef struct emitter {
    saltus_run          *run;
    const saltus_system *system;
    const sal_regime    *regime;
    const sal_field     *field;  /* field evaluated at the start */
    const sal_solved    *solved; /* solved kernels of the regime, or NULL */
    named_kernel         kernel[SAL_KERNEL_ROWS];
    int                  kernels;
    saltus_file_function write;
    void                *context;
} emitter;

static void list_kernels(emitter *e)
{
    const void *owner[] = {
        [SAL_OF_REGIME] = e->regime, [SAL_OF_SYSTEM] = e->system, [SAL_OF_SOLVED] = e->solved};
    for (int i = 0; i < SAL_KERNEL_ROWS; i++) {
        const sal_kernel_row *row = &sal_kernel_table[i];
        if (row->name && owner[row->owner])
            e->kernel[e->kernels++] =
                (named_kernel){sal_kernel_of(row, owner[row->owner]), row->name, row->about,
                               row->lanes != SAL_READS_ONE};
    }
}

static saltus_status finish(emitter *e, const char *file, sal_text *text, saltus_error *err)
{
    const bool failed = text->failed;
    int        refused = 0;
    sal_run_lend(e->run);
    if (!failed) refused = e->write(e->context, file, sal_text_get(text));
    sal_run_take_back(e->run);
    sal_text_release(text);
    if (failed) return sal_fail_memory(err);
    return refused ? sal_fail(err, SALTUS_ERR_FILE, "'%s' was not written", file) : SALTUS_OK;
}

static sal_text text_for(const emitter *e, const char *comment, const char *end)
{
    sal_text text = {.allocator = &e->system->allocator};
    sal_text_put(&text, "%s Written by Saltus %s.%s\n", comment, saltus_version(), end);
    return text;
}

/* ---- kernels.h ------------------------------------------------------------------------------ */

/* Writes the entries of the lower triangle, unless text is NULL; returns their number. */
static int walk_entries(const sal_regime *regime, sal_text *text)
{
    int entries = 0;
    for (int i = 0; i < regime->shape.n; i++) {
        const int *columns;
        int        count;
        const int  first = sal_symmetric_row(&regime->shape, i, &count, &columns);
        for (int k = 0; k < count; k++, entries++) {
            const int column = columns ? columns[k] : count == 1 ? i : k;
            if (text) sal_text_put(text, "    {%d, %d, %d},\n", first + k, i, column);
        }
    }
    return entries;
}

static void put_sizes(const emitter *e, sal_text *text)
{
    static const char *const names[] = {
#define X(name, symbol) #name,
        SAL_LEAF_LIST(X)
#undef X
    };
    const saltus_system *system = e->system;
    const sal_solved    *solved = e->solved;
    sal_text_put(
        text,
        "enum {\n"
        "    SALTUS_N = %d, /* coordinates */\n"
        "    SALTUS_NMU = %d, /* constraints */\n"
        "    SALTUS_NX = %d, /* unknowns: accelerations, multipliers */\n"
        "    SALTUS_NM = %d, /* memories */\n"
        "    SALTUS_NP = %d, /* parameters */\n"
        "    SALTUS_NC = %d, /* costs */\n"
        "    SALTUS_MATRIX = %d, /* numbers before the right side */\n"
        "    SALTUS_ENTRIES = %d, /* entries of the lower triangle of K */\n"
        "    SALTUS_SIZE = %d, /* numbers in du and u_bar */\n"
        "    SALTUS_VALUES = %d, /* numbers in u */\n"
        "    SALTUS_PIVOTS = %d, /* pivots of constraints in saltus_solved */\n"
        "    SALTUS_SOLVED = %d /* numbers of saltus_solved; 0: there is none */\n"
        "};\n\n",
        system->n, system->nmu, system->unknowns, system->nm, system->np, system->nc,
        system->matrix_size, walk_entries(e->regime, NULL), system->layout.size,
        system->layout.size + (solved ? solved->run_constants : 0), solved ? solved->pivots : 0,
        solved ? system->unknowns + system->nc + 1 + solved->pivots + solved->positives : 0);
    if (solved) {
        sal_text_put(text, "#define SALTUS_LIMIT ");
        sal_text_number(text, solved->limit);
        sal_text_put(text, "\n\n");
    }
    sal_text_put(text,
                 "/* Where they begin in u. SOLVER: 2 xi omega and omega^2; SOFTNESS: 1 / alpha "
                 "of each\n * constraint; those between P and SOLVER belong to jumps. */\n"
                 "enum {\n");
    for (int kind = 0; kind < SAL_LEAF_UNIFORM_KINDS; kind++)
        sal_text_put(text, "    SALTUS_AT_%s = %d%s\n", names[kind], system->layout.at[kind],
                     kind + 1 < SAL_LEAF_UNIFORM_KINDS ? "," : "");
    sal_text_put(text, "};\n\n");
}

static saltus_status write_header(emitter *e, saltus_error *err)
{
    sal_text text = text_for(e, "/*", "");
    sal_text_put(
        &text,
        " *\n"
        " * The kernels of one mode of a mechanism. All that they read is in one vector u: time,\n"
        " * coordinates q, velocities v, accelerations a, multipliers mu, memories c, parameters "
        "p, in\n"
        " * the order of the script. A tangent du and an adjoint u_bar have the same layout, in "
        "lanes:\n"
        " * number i of lane l is du[i * lanes + l]. All kernels *add* to what is in out. */\n"
        "#ifndef SALTUS_KERNELS_H\n"
        "#define SALTUS_KERNELS_H\n\n");
    put_sizes(e, &text);
    sal_text_put(&text,
                 "/* Entries of K: the place in the output of saltus_rhs, the row, the column. */\n"
                 "typedef struct saltus_entry_place {\n"
                 "    int place, row, column;\n"
                 "} saltus_entry_place;\n"
                 "extern const saltus_entry_place saltus_entry[SALTUS_ENTRIES];\n\n"
                 "/* By constraint: 1 if it holds in this mode. */\n"
                 "extern const unsigned char saltus_on[SALTUS_NMU + 1];\n");
    for (int k = 0; k < e->kernels; k++) {
        const named_kernel *kernel = &e->kernel[k];
        sal_text_put(&text, "\n/* %s. */\n", kernel->about);
        sal_text_put(&text, "void saltus_%s(const double *u,%s double *out);\n", kernel->name,
                     kernel->wide ? " const double *lane, int lanes," : "");
    }
    sal_text_put(&text, "\n#endif\n");
    return finish(e, "kernels.h", &text, err);
}

/* ---- kernels.c ------------------------------------------------------------------------------ */

static void put_places(sal_text *text, const char *name, const char *suffix, const int *place,
                       long long count)
{
    sal_text_put(text, "static const int %s_%s[] = {", name, suffix);
    for (long long i = 0; i < count; i++)
        sal_text_put(text, i % 16 == 0 ? "\n    %d," : " %d,", place[i]);
    sal_text_put(text, "\n};\n");
}

/* Writes the places of all instances of a part as arrays. */
static void put_instances(sal_text *text, const sal_part *part, const char *name)
{
    const sal_program *program = part->program;
    long long          literals = 0;
    for (int i = 0; i < program->inputs; i++)
        if (part->source[i] == SAL_LITERAL && part->in[i * part->instances] >= literals)
            literals = part->in[i * part->instances] + 1;
    put_places(text, name, "in", part->in, (long long)program->inputs * part->instances);
    put_places(text, name, "out", part->out, (long long)program->outputs * part->instances);
    sal_text_put(text, "static const double %s_numbers[] = {\n", name);
    for (long long i = 0; i < literals * part->instances; i++) {
        sal_text_put(text, "    ");
        sal_text_number(text, part->literal[i]);
        sal_text_put(text, ",\n");
    }
    sal_text_put(text,
                 "    0.0\n};\n"
                 "static const struct places %s_places = {%d, %s_in, %s_numbers, %s_out};\n",
                 name, part->instances, name, name, name);
}

static void put_kernel(sal_text *text, const named_kernel *named)
{
    char name[64];
    for (int p = 0; p < named->kernel->parts; p++) {
        snprintf(name, sizeof name, "%s_%d", named->name, p);
        sal_emit_part(text, &named->kernel->part[p], named->wide, name);
        if (named->kernel->part[p].instances > 1)
            put_instances(text, &named->kernel->part[p], name);
    }
    sal_text_put(text, "\nvoid saltus_%s(const double *u,%s double *out)\n{\n", named->name,
                 named->wide ? " const double *lane, int lanes," : "");
    for (int p = 0; p < named->kernel->parts; p++) {
        sal_text_put(text, "    %s_%d(u, u, %s, out, ", named->name, p,
                     named->wide ? "lane, lanes" : "0, 1");
        if (named->kernel->part[p].instances > 1)
            sal_text_put(text, "&%s_%d_places);\n", named->name, p);
        else sal_text_put(text, "0);\n");
    }
    if (named->kernel->parts == 0)
        sal_text_put(text, "    (void)u, (void)out%s;\n",
                     named->wide ? ", (void)lane, (void)lanes" : "");
    sal_text_put(text, "}\n");
}

static saltus_status write_kernels(emitter *e, saltus_error *err)
{
    sal_text text = text_for(e, "/*", " */");
    sal_text_put(&text, "#include \"kernels.h\"\n\n");
    sal_emit_head(&text);
    for (int k = 0; k < e->kernels; k++) put_kernel(&text, &e->kernel[k]);
    sal_text_put(&text, "\nconst saltus_entry_place saltus_entry[SALTUS_ENTRIES] = {\n");
    walk_entries(e->regime, &text);
    sal_text_put(&text, "};\n\nconst unsigned char saltus_on[SALTUS_NMU + 1] = {");
    for (int j = 0; j < e->system->nmu; j++)
        sal_text_put(&text, "%d, ",
                     e->regime->on[j] && !(e->field->skip && !e->field->soft && e->field->skip[j]));
    sal_text_put(&text, "0};\n");
    return finish(e, "kernels.c", &text, err);
}

/* ---- main.c, Makefile ----------------------------------------------------------------------- */

static const char example[] =
    "/* An example: the accelerations and multipliers at the start. */\n"
    "#include <math.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "#include \"kernels.h\"\n"
    "\n"
    "enum { N = SALTUS_NX, LARGEST = 2000 };\n"
    "\n"
    "/* Gaussian elimination with pivoting: fine for small matrices. 0 if K is singular. */\n"
    "static int solve(double *K, double *x)\n"
    "{\n"
    "    for (int j = 0; j < N; j++) {\n"
    "        int best = j;\n"
    "        for (int i = j + 1; i < N; i++)\n"
    "            if (fabs(K[i * N + j]) > fabs(K[best * N + j])) best = i;\n"
    "        if (K[best * N + j] == 0.0) return 0;\n"
    "        for (int k = 0; k < N; k++) {\n"
    "            const double swap = K[j * N + k];\n"
    "            K[j * N + k] = K[best * N + k];\n"
    "            K[best * N + k] = swap;\n"
    "        }\n"
    "        const double swap = x[j];\n"
    "        x[j] = x[best];\n"
    "        x[best] = swap;\n"
    "        for (int i = j + 1; i < N; i++) {\n"
    "            const double factor = K[i * N + j] / K[j * N + j];\n"
    "            for (int k = j; k < N; k++) K[i * N + k] -= factor * K[j * N + k];\n"
    "            x[i] -= factor * x[j];\n"
    "        }\n"
    "    }\n"
    "    for (int j = N - 1; j >= 0; j--) {\n"
    "        for (int k = j + 1; k < N; k++) x[j] -= K[j * N + k] * x[k];\n"
    "        x[j] /= K[j * N + j];\n"
    "    }\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "/* K and the right side at u, solved for x = (a, mu). */\n"
    "static int accelerations(const double *u, double *x)\n"
    "{\n"
    "    double *out = calloc(SALTUS_MATRIX + N, sizeof *out);\n"
    "    double *K = calloc((size_t)N * N, sizeof *K);\n"
    "    if (!out || !K) return 0;\n"
    "    saltus_rhs(u, out);\n"
    "    for (int e = 0; e < SALTUS_ENTRIES; e++) {\n"
    "        const int i = saltus_entry[e].row, j = saltus_entry[e].column;\n"
    "        K[i * N + j] = out[saltus_entry[e].place];\n"
    "        K[j * N + i] = out[saltus_entry[e].place];\n"
    "    }\n"
    "    for (int i = 0; i < N; i++) x[i] = out[SALTUS_MATRIX + i];\n"
    "    for (int i = SALTUS_N; i < N; i++) {\n"
    "        if (saltus_on[i - SALTUS_N]) continue;\n"
    "        for (int j = 0; j < N; j++) K[i * N + j] = i == j;\n"
    "        x[i] = 0.0;\n"
    "    }\n"
    "    const int solved = solve(K, x);\n"
    "    free(out);\n"
    "    free(K);\n"
    "    return solved;\n"
    "}\n"
    "\n"
    "/* x = (a, mu) by saltus_solved, if it exists and can be trusted. */\n"
    "static int written(const double *u, double *x)\n"
    "{\n"
    "#ifdef SALTUS_LIMIT\n"
    "    double out[SALTUS_SOLVED] = {0};\n"
    "    saltus_solved(u, out);\n"
    "    for (int i = 0; i < N; i++) x[i] = out[i];\n"
    "    for (int i = N + SALTUS_NC + 1 + SALTUS_PIVOTS; i < SALTUS_SOLVED; i++)\n"
    "        if (!(out[i] > 0.0)) return 0;\n"
    "    return out[N + SALTUS_NC] < SALTUS_LIMIT;\n"
    "#else\n"
    "    (void)u, (void)x;\n"
    "    return 0;\n"
    "#endif\n"
    "}\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "    double *x = calloc(N, sizeof *x);\n"
    "    if (N > LARGEST) {\n"
    "        puts(\"too many unknowns for the elimination of this example\");\n"
    "        return 0;\n"
    "    }\n"
    "    if (!x || !(written(start, x) || accelerations(start, x))) {\n"
    "        fputs(\"the matrix is singular\\n\", stderr);\n"
    "        return 1;\n"
    "    }\n"
    "    for (int i = 0; i < SALTUS_N; i++) printf(\"a[%d] = %.17g\\n\", i, x[i]);\n"
    "    for (int i = SALTUS_N; i < N; i++) printf(\"mu[%d] = %.17g\\n\", i - SALTUS_N, x[i]);\n"
    "    free(x);\n"
    "    return 0;\n"
    "}\n";

static saltus_status write_example(emitter *e, saltus_error *err)
{
    const char *rest = strstr(example, "/* Gaussian");
    sal_text    text = text_for(e, "/*", " */");
    sal_text_put(&text, "%.*s", (int)(rest - example), example);
    sal_text_put(&text, "/* The state at the start, and the parameters. */\n"
                        "static const double start[SALTUS_VALUES] = {\n");
    const sal_solved *solved = e->solved;
    for (int i = 0; i < e->system->layout.size + (solved ? solved->run_constants : 0); i++) {
        const double value = e->field->u[i];
        sal_text_put(&text, "    ");
        sal_text_number(&text, isfinite(value) ? value : 0.0);
        sal_text_put(&text, ",\n");
    }
    sal_text_put(&text, "};\n\n");
    sal_text_put(&text, "%s", rest);
    return finish(e, "main.c", &text, err);
}

static saltus_status write_makefile(emitter *e, saltus_error *err)
{
    sal_text text = text_for(e, "#", "");
    sal_text_put(
        &text, "# Without contraction and built-in functions the digits are those of the library.\n"
               "CFLAGS = -std=gnu11 -O2 -march=native -fno-math-errno -fno-builtin "
               "-ffp-contract=off\n"
               "\n"
               "main: main.c kernels.c kernels.h\n"
               "\t$(CC) $(CFLAGS) -o $@ main.c kernels.c -lm\n"
               "\n"
               "clean:\n"
               "\trm -f main\n");
    return finish(e, "Makefile", &text, err);
}

/* ---- all files ------------------------------------------------------------------------------ */

saltus_status saltus_run_emit(saltus_run *run, saltus_file_function write, void *context,
                              saltus_error *err)
{
    HOLD_HOST;
    saltus_row row;
    TRY(sal_run_ready(run, err));
    if (!write)
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "the function that takes the code is NULL");
    const saltus_system *system = run->system;
    emitter              e = {.run = run,
                              .system = system,
                              .field = &run->locator.field,
                              .write = write,
                              .context = context};
    sal_frame            first = {.t = run->end.t,
                                  .regime = run->end.regime,
                                  .x = run->end.x,
                                  .c = run->end.c,
                                  .z = run->end.z};
    if (run->end.step > 0) TRY(sal_run_frame(run, 0, &first, err));
    e.regime = first.regime;
    TRY(sal_row_fill(run, first.regime, first.t, first.x, first.c, first.z, &row, err));
    sal_field *field = &run->locator.field;
    e.solved = field->solved;
    if (e.solved) sal_solved_prepare(e.solved, &system->layout, field->u, field->work);
    list_kernels(&e);
    TRY(write_header(&e, err));
    TRY(write_kernels(&e, err));
    TRY(write_example(&e, err));
    return write_makefile(&e, err);
}
