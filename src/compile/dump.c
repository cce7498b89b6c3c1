/* The results of compiler passes, for the modes active at the start:
 *   model    terms, events and costs of the script
 *   kinks    the branches that replaced abs, sign, min, max and atan2
 *   terms    templates, and how many terms share each
 *   derive   the form of the mass matrix, and the size of each kernel
 *   program  the straight-line program of the accelerations */
#include "compile/dump.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "compile/kernel_table.h"
#include "compile/template.h"
#include "expr/print.h"

enum { LONG = 5000 };

typedef struct printer {
    const saltus_system *system;
    void (*write)(void *, const char *);
    void *context;
    char  text[LONG];
} printer;

static void *model_of(const printer *p) { return p->system->model; }

static void say(printer *p, const char *format, ...) SAL_PRINTF(2, 3);

static void say(printer *p, const char *format, ...)
{
    char    line[LONG + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    p->write(p->context, line);
}

static const char *text_of(printer *p, sal_node node)
{
    sal_print(&p->system->model->graph, node, sal_model_leaf_name, model_of(p), p->text,
              sizeof p->text);
    return p->text;
}

static const char *plural(long long count) { return count == 1 ? "" : "s"; }

static const char *const kinds[] = {"kinetic", "potential", "dissipation", "force", "constraint",
                                    "rolling", "sliding",   "rubbing",     "state"};

static void dump_model(printer *p)
{
    const saltus_model *model = p->system->model;
    for (int i = 0; i < model->terms.count; i++) {
        const sal_term *term = &model->terms.data[i];
        say(p, "%s ", kinds[term->kind]);
        if (term->e[1]) say(p, "%s along ", text_of(p, term->e[1]));
        say(p, "%s\n", text_of(p, term->e[0]));
    }
    for (int i = 0; i < p->system->events; i++) {
        const sal_compiled_event *e = &p->system->event[i];
        static const char *const  ways[] = {"crosses", "rises", "falls"};
        say(p, "event %s when %s %s through 0, law: %s\n", e->name, e->when_text,
            ways[e->direction], e->law);
    }
    for (int i = 0; i < p->system->nc; i++)
        say(p, "cost %s integral: %s final: %s%s%s\n", model->costs.data[i].label.name,
            p->system->cost_integral[i][0] ? p->system->cost_integral[i] : "-",
            p->system->cost_final[i][0] ? p->system->cost_final[i] : "-",
            !model->costs.data[i].peak    ? ""
            : model->costs.data[i].lowest ? " min: "
                                          : " max: ",
            p->system->cost_peak[i]);
}

static void dump_kinks(printer *p)
{
    if (p->system->kinks == 0) say(p, "no kinks\n");
    for (int i = 0; i < p->system->kinks; i++)
        say(p, "c[%d] = branch of %s: sign of %s%s%s\n", p->system->nm_user + i,
            p->system->kink[i].name, text_of(p, p->system->kink[i].argument),
            p->system->kink[i].continuous ? ", continuous" : "",
            p->system->kink[i].steep ? ", steep" : "");
}

static void dump_terms(printer *p)
{
    const saltus_system *system = p->system;
    for (int i = 0; i < system->terms.templates; i++) {
        const sal_template *t = &system->terms.template_[i];
        sal_print(&t->graph, t->e[0], NULL, NULL, p->text, sizeof p->text);
        say(p, "template %d: %d x %s %s", i, t->terms, kinds[t->kind], p->text);
        if (t->e[1]) {
            sal_print(&t->graph, t->e[1], NULL, NULL, p->text, sizeof p->text);
            say(p, ", %s", p->text);
        }
        say(p, "\n");
    }
    say(p, "%d term%s, %d template%s, compiled %s\n", system->model->terms.count,
        plural(system->model->terms.count), system->terms.templates,
        plural(system->terms.templates),
        system->flat ? "as one program" : "one program per template");
}

static void dump_derive(printer *p, const sal_regime *regime)
{
    say(p, "mode: %s, mass matrix %s\n", regime->name ? regime->name : "-",
        p->system->form == SAL_DIAGONAL ? "diagonal"
        : p->system->form == SAL_SPARSE ? "sparse"
                                        : "dense");
    for (int i = 0; i < SAL_KERNEL_ROWS; i++) {
        const sal_kernel_row *row = &sal_kernel_table[i];
        if (!row->title) continue;
        const sal_kernel *kernel = row->owner == SAL_OF_REGIME ? sal_kernel_of(row, regime)
                                                               : sal_kernel_of(row, p->system);
        say(p, "%-36s %d part%s, %lld operation%s\n", row->title, kernel->parts,
            plural(kernel->parts), kernel->instructions, plural(kernel->instructions));
    }
}

static void write_line(void *context, const char *text)
{
    printer *p = context;
    p->write(p->context, text);
}

/* Writes an input of a program: a leaf by its name, a literal by its value. */
static void dump_input(printer *p, const sal_part *part, int k)
{
    const sal_program_input *in = &part->program->input[k];
    const int                place = part->in[k * part->instances];
    char                     name[128] = "";
    if (part->source[k] == SAL_LITERAL) {
        say(p, "  s%d <- %.17g\n", k, part->literal[place * part->instances]);
        return;
    }
    const int index = place - p->system->layout.at[in->kind];
    sal_model_leaf_name(model_of(p), in->kind, index, name);
    if (!name[0] && in->kind == SAL_LEAF_SOLVER)
        snprintf(name, sizeof name, "%s",
                 (const char *[]){"2 xi omega", "omega^2", "rest speed"}[index]);
    if (!name[0] && in->kind == SAL_LEAF_SOFTNESS)
        snprintf(name, sizeof name, "1/alpha[%d]", index);
    if (!name[0]) snprintf(name, sizeof name, "c[%d]", index); /* the branch of a kink */
    say(p, "  s%d <- %s\n", k, name);
}

/* Writes an output: an entry of the lower triangle of the matrix, or of the right-hand side. */
static void dump_output(printer *p, const sal_regime *regime, const sal_part *part, int k)
{
    const saltus_system *system = p->system;
    const int            slot = part->program->output[k], place = part->out[k * part->instances];
    if (place < system->matrix_size) {
        int        row = 0, first, count;
        const int *columns;
        while (first = sal_symmetric_row(&regime->shape, row, &count, &columns),
               place >= first + count)
            row++;
        const int column = columns                        ? columns[place - first]
                           : system->form == SAL_DIAGONAL ? row
                                                          : place - first;
        say(p, "  s%d -> %s[%s][%s]\n", slot, row < system->n ? "M" : "K",
            sal_system_unknown(system, row), sal_system_unknown(system, column));
        return;
    }
    const int   row = place - system->matrix_size;
    const char *name = sal_system_unknown(system, row);
    if (row < system->n) say(p, "  s%d -> force on %s\n", slot, name);
    else say(p, "  s%d -> right side of %s\n", slot, name);
}

static void dump_program(printer *p, const sal_regime *regime)
{
    say(p, "accelerations (matrix and forces)\n");
    for (int i = 0; i < regime->rhs.parts; i++) {
        const sal_part    *part = &regime->rhs.part[i];
        const sal_program *program = part->program;
        say(p, "part %d, %d instance%s\n", i, part->instances,
            part->instances == 1 ? "" : "s, inputs and outputs of the first");
        for (int k = 0; k < program->inputs; k++) dump_input(p, part, k);
        for (int k = 0; k < program->constants; k++)
            say(p, "  s%d <- %.17g\n", program->inputs + k, program->constant[k]);
        sal_program_print(program, write_line, p);
        for (int k = 0; k < program->outputs; k++) dump_output(p, regime, part, k);
    }
}

saltus_status sal_system_dump(const saltus_system *system, const char   *pass,
                              void (*write)(void *, const char *), void *context, saltus_error *err)
{
    static const char *const passes[] = {"model", "kinks", "terms", "derive", "program"};
    enum { PASSES = sizeof passes / sizeof passes[0] };
    int which = -1;
    for (int i = 0; pass && i < PASSES; i++)
        if (strcmp(pass, passes[i]) == 0) which = i;
    if (pass && which < 0) {
        const char *near = sal_nearest(pass, passes, PASSES);
        return sal_fail(
            err, SALTUS_ERR_ARGUMENT,
            "there is no pass '%s'; they are model, kinks, terms, derive, program%s%s%s", pass,
            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    WORK_ARENA(scratch, &system->allocator);
    printer *p = ARENA_NEW(&scratch, 1, printer);
    int     *active = ARENA_NEW(&scratch, system->model->groups.count, int);
    for (int g = 0; active && g < system->model->groups.count; g++)
        active[g] = system->model->groups.data[g].first;
    const sal_regime *regime = active ? sal_system_regime(system, active, err) : NULL;
    if (!p || !regime) return sal_fail_memory(err);
    *p = (printer){.system = system, .write = write, .context = context};
    for (int i = 0; i < PASSES; i++) {
        if (which >= 0 && which != i) continue;
        say(p, "-- %s\n", passes[i]);
        if (i == 0) dump_model(p);
        if (i == 1) dump_kinks(p);
        if (i == 2) dump_terms(p);
        if (i == 3) dump_derive(p, regime);
        if (i == 4) dump_program(p, regime);
    }
    return SALTUS_OK;
}
