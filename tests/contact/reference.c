// Random mechanisms with contacts, moved and differentiated independently of the library: a
// reference to compare it with. Motions are extrapolated midpoint steps from event to event,
// contact modes and impacts are found by trying all of them, derivatives are complex steps through
// the event times.
//
//     --seeds FIRST COUNT FOLDER   writes SEED.lua and SEED.json of those that are kept
//     --check FIRST COUNT          compares derivatives with differences, audits the motions
//     --problem NAME               one of the problems with known answers
//     --trace SEED                 the script of one seed, its events, or why it is left out
//
// Seeds without a clear answer are left out: ties, grazing, modes or impacts that are not unique,
// derivatives that differ from side to side. So are places where a script may be understood in two
// ways: with a static and a kinetic coefficient, a slip that ends where both sticking and turning
// back are consistent; costs on squares of reactions while bounces die out; shares of friction that
// only the sum of is determined.
#include "families.h"

struct results {
    double cost[MAX_COSTS], slope[MAX_NAMES][MAX_COSTS];
    int    events;
    double time[MAX_EVENTS], time_slope[MAX_NAMES][MAX_EVENTS];
};
static struct results results;

static void set_parameters(int perturbed)
{
    for (int i = 0; i < parameter_names.count; i++)
        rho[i] = parameter_value[i] + (i == perturbed ? IMAGINARY * I : 0);
}

// All costs and their derivatives; false, with a reason, where the model has no clear answer.
static int compute(void)
{
    energy_gained = worst_violation = 0;
    if (setjmp(give_up)) return 0;
    for (int p = 0; p < parameter_names.count; p++) {
        struct state s;
        set_parameters(p);
        move(&s);
        if (p > 0 && events != results.events) reject("other events with another imaginary part");
        if (events == 0) reject("nothing happens");
        results.events = events;
        for (int c = 0; c < model.costs; c++) {
            results.cost[c] = creal(s.y[2 * model.n + c]);
            results.slope[p][c] = cimag(s.y[2 * model.n + c]) / IMAGINARY;
        }
        for (int k = 0; k < events; k++) {
            results.time[k] = creal(event[k].t);
            results.time_slope[p][k] = cimag(event[k].t) / IMAGINARY;
            // Where two contacts bounce on each other, times may hang on parameters more with every
            // touch; what is left out at rest then has no derivative that is small.
            if (rocked && fabs(results.time_slope[p][k]) > 1e3)
                reject("the order of the last bounces is chaotic");
        }
    }
    return 1;
}

static void print_gradient(FILE *out, const double *slope, size_t stride)
{
    fprintf(out, "{");
    for (int p = 0; p < parameter_names.count; p++) {
        fprintf(out, "%s\"%s\": %.17g", p ? ", " : "", parameter_names.text[p],
                slope[(size_t)p * stride]);
    }
    fprintf(out, "}");
}

// What a program must know for this model, so that one that knows less can leave it out.
static void write_needs(FILE *out)
{
    int friction = 0, dry_friction = 0, rest = 0, velocity_constraint = 0, unilateral = 0;
    for (int c = 0; c < model.contacts; c++) {
        const struct contact *p = &model.contact[c];
        unilateral += p->gap && !p->bilateral;
        friction |= p->gap && p->slip;
        dry_friction |= !p->gap && !p->bilateral;
        velocity_constraint |= !p->gap && p->bilateral;
        rest |= p->rest;
    }
    fprintf(out, "[\"contact\"%s%s%s%s%s]", friction ? ", \"friction\"" : "",
            dry_friction ? ", \"dry friction\"" : "", rest ? ", \"rest\"" : "",
            velocity_constraint ? ", \"rolling\"" : "", unilateral > 1 ? ", \"several\"" : "");
}

static void write_json(FILE *out, unsigned long seed)
{
    fprintf(out, "{\"seed\": %lu, \"family\": \"%s\", \"needs\": ", seed, model.family);
    write_needs(out);
    fprintf(out, ", \"rocked\": %s", rocked ? "true" : "false");
    fprintf(out, ", \"energy_gained\": %.3g,\n \"costs\": {",
            energy_gained > 1e-9 ? energy_gained : 0.0);
    for (int c = 0; c < model.costs; c++) {
        fprintf(out, "%s\n  \"%s\": {\"value\": %.17g, \"gradient\": ", c ? "," : "",
                model.cost[c].name, results.cost[c]);
        print_gradient(out, &results.slope[0][c], MAX_COSTS);
        fprintf(out, "}");
    }
    fprintf(out, "},\n \"events\": [");
    for (int k = 0; k < events; k++) {
        const struct contact *p = &model.contact[event[k].contact];
        fprintf(out,
                "%s\n  {\"contact\": \"%s\", \"dry\": %s, \"kind\": \"%s\", \"time\": %.17g, "
                "\"gradient\": ",
                k ? "," : "", p->name, p->gap ? "false" : "true", event[k].kind, results.time[k]);
        print_gradient(out, &results.time_slope[0][k], MAX_EVENTS);
        fprintf(out, "}");
    }
    fprintf(out, "]}\n");
}

static void write_option(FILE *out, const char *name, ex e)
{
    fprintf(out, ", %s = ", name);
    print(out, e);
}

static void write_charges(FILE *out, int contact_index)
{
    const char *name = model.contact[contact_index].name;
    int         count = 0;
    for (int c = 0; c < model.costs; c++) {
        const struct cost *k = &model.cost[c];
        if (k->contact != contact_index || (k->kind != BLOW && k->kind != BLOW_FRICTION2)) continue;
        fprintf(out, count++ ? ", " : ", charge = {");
        if (k->kind == BLOW) fprintf(out, "[\"%s\"] = impulse(\"%s\")", k->name, name);
        else fprintf(out, "[\"%s\"] = impulse(\"%s.friction\")^2", k->name, name);
    }
    if (count) fprintf(out, "}");
}

static void write_call(FILE *out, const char *word, const char *name, ex e)
{
    fprintf(out, "%s(\"%s\", ", word, name);
    print(out, e);
    fprintf(out, ")\n");
}

static void write_dry_friction(FILE *out, const struct contact *p)
{
    fprintf(out, "friction {");
    print(out, node[p->slip].op == VELOCITY ? position(node[p->slip].a) : p->slip);
    write_option(out, "limit", p->limit);
    fprintf(out, "}\n");
}

// What touches what: a point and the floor, a point and a circle, or a gap. The radius is negative
// for the inside of a circle.
static void write_surface(FILE *out, const struct contact *p)
{
    int inside = p->radius && creal(value[p->radius]) < 0;
    if (!p->px) {
        fprintf(out, "contact {gap = ");
        print(out, p->gap);
        if (p->slip) write_option(out, "slip", p->slip);
        return;
    }
    fprintf(out, "contact {ground_point(");
    print(out, p->px);
    fprintf(out, ", ");
    print(out, p->py);
    if (p->radius) {
        fprintf(out, "), %s = {ground_point(0, 0)", inside ? "inside" : "circle");
        write_option(out, "radius", inside ? scaled(-1, p->radius) : p->radius);
        fprintf(out, "}");
    } else {
        fprintf(out, "), line = {ground_point(0, 0), ground_point(1, 0)}");
    }
}

static void write_friction(FILE *out, const struct contact *p)
{
    if (p->mu_static == p->mu_kinetic) {
        write_option(out, "friction", p->mu_kinetic);
    } else {
        write_option(out, "friction = {static", p->mu_static);
        write_option(out, "kinetic", p->mu_kinetic);
        fprintf(out, "}");
    }
}

static void write_contact(FILE *out, int c)
{
    const struct contact *p = &model.contact[c];
    write_surface(out, p);
    fprintf(out, ", name = \"%s\"", p->name);
    if (p->slip) write_friction(out, p);
    if (p->restitution) write_option(out, "restitution", p->restitution);
    if (p->rest) fprintf(out, ", rest = true");
    else if (!p->restitution && !p->slip) fprintf(out, ", slides = true");
    if (p->closed) fprintf(out, ", start = \"closed\"");
    write_charges(out, c);
    fprintf(out, "}\n");
}

static void write_element(FILE *out, int c)
{
    const struct contact *p = &model.contact[c];
    if (p->bilateral)
        write_call(out, p->gap ? "constraint" : "rolling", p->name, p->gap ? p->gap : p->slip);
    else if (!p->gap) write_dry_friction(out, p);
    else write_contact(out, c);
}

static void write_coordinate(FILE *out, int i)
{
    const char *name = coordinate_names.text[i];
    fprintf(out, "local %s = coordinate(\"%s\", {", name, name);
    if (model.guessed[i]) {
        set_parameters(-1);
        num still[MAX_Q] = {0};
        evaluate(0, still, still, rho);
        fprintf(out, "guess = %.17g", creal(value[model.q0[i]]));
    } else {
        fprintf(out, "start = ");
        print(out, model.q0[i]);
        write_option(out, "speed", model.v0[i]);
    }
    fprintf(out, "})\n");
}

static void write_term(FILE *out, const char *word, ex e)
{
    if (is(e, 0)) return;
    fprintf(out, "%s(", word);
    print(out, e);
    fprintf(out, ")\n");
}

static void write_cost(FILE *out, const struct cost *k)
{
    const char *name = k->contact < model.contacts ? model.contact[k->contact].name : "";
    fprintf(out, "cost(\"%s\", {", k->name);
    if (k->kind == FINAL || k->kind == INTEGRAL) {
        fprintf(out, k->kind == FINAL ? "final = " : "integral = ");
        print(out, k->e);
    }
    if (k->kind == REACTION2) fprintf(out, "integral = multiplier(\"%s\")^2", name);
    if (k->kind == FRICTION2) fprintf(out, "integral = multiplier(\"%s.friction\")^2", name);
    fprintf(out, "})\n");
}

static void write_lua(FILE *out, unsigned long seed)
{
    fprintf(out, "model \"%s %lu\"\n", model.family, seed);
    for (int i = 0; i < parameter_names.count; i++) {
        fprintf(out, "local %s = param(\"%s\", %.17g)\n", parameter_names.text[i],
                parameter_names.text[i], parameter_value[i]);
    }
    for (int i = 0; i < model.n; i++) write_coordinate(out, i);
    write_term(out, "kinetic", model.kinetic);
    write_term(out, "potential", model.potential);
    write_term(out, "dissipation", model.dissipation);
    for (int f = 0; f < model.forces; f++) {
        fprintf(out, "force(");
        print(out, model.along[f]);
        fprintf(out, ", ");
        print(out, model.force[f]);
        fprintf(out, ")\n");
    }
    for (int c = 0; c < model.contacts; c++) write_element(out, c);
    for (int c = 0; c < model.costs; c++) write_cost(out, &model.cost[c]);
    fprintf(out, "horizon(0, %.17g)\n", model.end);
}

static FILE *open_in(const char *folder, unsigned long seed, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%lu.%s", folder, seed, ending);
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "reference: %s cannot be written\n", path);
        exit(2);
    }
    return out;
}

struct tally {
    const char *reason[40];
    int         times[40], count;
};

static void add_reason(struct tally *t, const char *why)
{
    int i = 0;
    while (i < t->count && strcmp(t->reason[i], why) != 0) i++;
    if (i == 40) return;
    if (i == t->count) t->reason[t->count++] = why;
    t->times[i]++;
}

static void print_tally(const struct tally *t, unsigned long kept, unsigned long count)
{
    fprintf(stderr, "%lu of %lu seeds are kept\n", kept, count);
    for (int i = 0; i < t->count; i++)
        fprintf(stderr, "  %5d left out: %s\n", t->times[i], t->reason[i]);
}

static int write_seeds(unsigned long first, unsigned long count, const char *folder)
{
    struct tally  tally = {.count = 0};
    unsigned long kept = 0;
    for (unsigned long seed = first; seed < first + count; seed++) {
        build_seed(seed);
        if (!compute()) {
            add_reason(&tally, reason);
            continue;
        }
        kept++;
        FILE *out = open_in(folder, seed, "json");
        write_json(out, seed);
        fclose(out);
        out = open_in(folder, seed, "lua");
        write_lua(out, seed);
        fclose(out);
    }
    print_tally(&tally, kept, count);
    return 0;
}

// The costs with one parameter moved; false where the motion has other events there.
static int costs_at(int p, double by, double *costs)
{
    struct state s;
    if (setjmp(give_up)) return 0;
    set_parameters(-1);
    rho[p] += by;
    move(&s);
    for (int c = 0; c < model.costs; c++) costs[c] = creal(s.y[2 * model.n + c]);
    return events == results.events;
}

// Central differences of fourth order; returns the largest error, and -1 where events differ.
static double difference_error(int p, double h)
{
    double at[4][MAX_COSTS], worst = 0;
    for (int k = 0; k < 4; k++) {
        if (!costs_at(p, (k < 2 ? k - 2 : k - 1) * h, at[k])) return -1;
    }
    for (int c = 0; c < model.costs; c++) {
        double slope = (8 * (at[2][c] - at[1][c]) - (at[3][c] - at[0][c])) / (12 * h);
        double size = 1 + fabs(slope) + fabs(results.cost[c]);
        worst = fmax(worst, fabs(slope - results.slope[p][c]) / size);
    }
    return worst;
}

// The best of three steps: rounding grows along many bounces, and other events may be near.
static double smallest_difference_error(int p)
{
    double best = -1, size = fmax(0.1, fabs(parameter_value[p]));
    for (double h = 2e-5; h < 5e-3 && !(best >= 0 && best < 1e-8); h *= 10) {
        double error = difference_error(p, h * size);
        if (error >= 0 && (best < 0 || error < best)) best = error;
    }
    return best;
}

// Where the bounces are summed one bounce later, costs jump by the square of the last speed;
// differences see that.
static int rests(void)
{
    int any_rests = 0;
    for (int c = 0; c < model.contacts; c++) any_rests |= model.contact[c].rest;
    return any_rests;
}

static int check_seeds(unsigned long first, unsigned long count)
{
    struct tally  tally = {.count = 0};
    unsigned long kept = 0, compared = 0, other = 0, wrong = 0;
    double        worst = 0, violated = 0;
    for (unsigned long seed = first; seed < first + count; seed++) {
        build_seed(seed);
        if (!compute()) {
            add_reason(&tally, reason);
            continue;
        }
        kept++;
        violated = fmax(violated, worst_violation);
        if (worst_violation > 1e-8) {
            fprintf(stderr, "seed %lu (%s): a condition of contact is violated by %.3g\n", seed,
                    model.family, worst_violation);
            wrong++;
        }
        for (int p = 0; p < parameter_names.count; p++) {
            double error = smallest_difference_error(p);
            if (error < 0) {
                other++;
                continue;
            }
            compared++;
            worst = fmax(worst, error);
            if (error < (rests() ? 1e-5 : 1e-6)) continue;
            fprintf(stderr, "seed %lu (%s), %s: difference %.3g\n", seed, model.family,
                    parameter_names.text[p], error);
            wrong++;
        }
    }
    print_tally(&tally, kept, count);
    fprintf(stderr,
            "%lu derivatives compared with differences, largest error %.3g; %lu with other events "
            "near by\n",
            compared, worst, other);
    fprintf(stderr, "largest violation of a condition %.3g; %lu disagreements\n", violated, wrong);
    return wrong > 0;
}

static int trace_seed(unsigned long seed)
{
    build_seed(seed);
    write_lua(stdout, seed);
    trace = 1;
    if (!compute()) {
        fprintf(stderr, "seed %lu is left out: %s\n", seed, reason);
        return 1;
    }
    write_json(stdout, seed);
    return 0;
}

static void solve_by_all(const struct problem *p, struct answers *a)
{
    for (int i = 0; i < parameter_names.count; i++) {
        memset(&a[i], 0, sizeof a[i]);
        set_parameters(i);
        p->solve(&a[i]);
    }
}

static int solve_problem(const struct problem *p)
{
    static struct answers a[MAX_NAMES];
    if (setjmp(give_up)) {
        fprintf(stderr, "reference: %s: %s\n", p->name, reason);
        return 1;
    }
    p->build();
    solve_by_all(p, a);
    printf("{");
    for (int k = 0; k < a[0].count; k++) {
        double slope[MAX_NAMES];
        for (int i = 0; i < parameter_names.count; i++) slope[i] = cimag(a[i].value[k]) / IMAGINARY;
        printf("%s\n \"%s\": {\"value\": %.17g, \"gradient\": ", k ? "," : "", a[0].name[k],
               creal(a[0].value[k]));
        print_gradient(stdout, slope, 1);
        printf("}");
    }
    printf("}\n");
    return 0;
}

static unsigned long whole(const char *text) { return strtoul(text, NULL, 10); }

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--seeds") == 0)
        return write_seeds(whole(argv[2]), whole(argv[3]), argv[4]);
    if (argc == 4 && strcmp(argv[1], "--check") == 0)
        return check_seeds(whole(argv[2]), whole(argv[3]));
    if (argc == 3 && strcmp(argv[1], "--trace") == 0) return trace_seed(whole(argv[2]));
    for (size_t i = 0; argc == 3 && i < sizeof problems / sizeof *problems; i++) {
        if (strcmp(argv[1], "--problem") == 0 && strcmp(argv[2], problems[i].name) == 0)
            return solve_problem(&problems[i]);
    }
    fprintf(stderr, "usage: reference --seeds FIRST COUNT FOLDER | --check FIRST COUNT | --trace "
                    "SEED | --problem NAME\n");
    return 2;
}
