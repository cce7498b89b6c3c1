// Runs the program on the random models of the reference and compares values, gradients by all
// methods and event times; and compares the reference itself with problems whose answers are known.
//
//     compare PROGRAM REFERENCE FIRST COUNT [KNOWN]
//     compare --problems REFERENCE PROBLEMS.json
//
// With KNOWN, say "contact,several,friction", only models that need no more than that.
#define _GNU_SOURCE // popen, mkdtemp
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 };

static const char *const methods[] = {"direct", "adjoint", "discrete"};

// Rest is exact to the first order of the last bounce that is computed, in the reference and in the
// program.
static const double TOLERANCE = 1e-7, REST_TOLERANCE = 1e-6, EVENT_TOLERANCE = 1e-7;

struct comparison {
    const char *model; // what is compared, for messages
    double      tolerance;
    int         wrong;
};

static void differs(struct comparison *c, const char *what, double got, double expected)
{
    if (c->wrong++ < 5) printf("%s: %s is %.15g, expected %.15g\n", c->model, what, got, expected);
}

static double largest(const json_t *numbers)
{
    double      size = 0;
    const char *key;
    json_t     *x;
    json_object_foreach((json_t *)numbers, key, x) size = fmax(size, fabs(json_number_value(x)));
    return size;
}

static void compare_number(struct comparison *c, const char *what, const json_t *got,
                           double expected, double size)
{
    if (!json_is_number(got)) differs(c, what, NAN, expected);
    else if (!(fabs(json_number_value(got) - expected) <= c->tolerance * (1 + size))) {
        differs(c, what, json_number_value(got), expected);
    }
}

// {name: number} against {name: number}; all of them have the size of the largest.
static void compare_gradients(struct comparison *c, const char *what, const json_t *got,
                              const json_t *expected)
{
    char        text[400];
    const char *key;
    json_t     *x;
    double      size = largest(expected);
    json_object_foreach((json_t *)expected, key, x)
    {
        snprintf(text, sizeof text, "%s by %s", what, key);
        compare_number(c, text, json_object_get(got, key), json_number_value(x), size);
    }
}

static void compare_costs(struct comparison *c, const char *method, const json_t *got,
                          const json_t *expected)
{
    char        text[200];
    const char *key;
    json_t     *x;
    json_object_foreach((json_t *)expected, key, x)
    {
        json_t *cost = json_object_get(got, key);
        double  v = json_number_value(json_object_get(x, "value"));
        snprintf(text, sizeof text, "%s (%s)", key, method);
        compare_number(c, text, json_object_get(cost, "value"), v, fabs(v));
        compare_gradients(c, text, json_object_get(cost, "gradient"),
                          json_object_get(x, "gradient"));
    }
}

// The name of an event as the program has it: a touch is called like its contact.
static void event_name(const json_t *event, char *name, size_t size)
{
    const char *kind = json_string_value(json_object_get(event, "kind"));
    const char *contact = json_string_value(json_object_get(event, "contact"));
    if (strcmp(kind, "touch") == 0) snprintf(name, size, "%s", contact);
    else snprintf(name, size, "%s.%s", contact, kind);
}

static const json_t *find_event(const json_t *got, const char *name, double time)
{
    size_t  k;
    json_t *x;
    json_array_foreach((json_t *)got, k, x)
    {
        const char *other = json_string_value(json_object_get(x, "name"));
        double      apart = json_number_value(json_object_get(x, "time")) - time;
        if (other && strcmp(other, name) == 0 && fabs(apart) < EVENT_TOLERANCE) return x;
    }
    return NULL;
}

// Each event of the reference has one of the program with its name, time and gradient. Dry friction
// has no name, and the program may begin to sum bounces that die out earlier than the reference.
static void compare_events(struct comparison *c, const char *method, const json_t *got,
                           const json_t *expected, int rests, int several)
{
    size_t  k;
    json_t *x;
    char    name[100], text[200];
    json_array_foreach((json_t *)expected, k, x)
    {
        double time = json_number_value(json_object_get(x, "time"));
        event_name(x, name, sizeof name);
        if (json_is_true(json_object_get(x, "dry"))) continue;
        if (rests && strcmp(json_string_value(json_object_get(x, "kind")), "touch") == 0) continue;
        // With several contacts the reference takes the acceleration after the last bounce for
        // those left out, where the one before it is right: its time of rest moves with its
        // threshold.
        if (several && strcmp(json_string_value(json_object_get(x, "kind")), "rest") == 0) continue;
        snprintf(text, sizeof text, "the time of \"%s\" (%s)", name, method);
        const json_t *same = find_event(got, name, time);
        if (same)
            compare_gradients(c, text, json_object_get(same, "time_gradient"),
                              json_object_get(x, "gradient"));
        else differs(c, text, NAN, time);
    }
}

static json_t *output_of(const char *command)
{
    FILE        *in = popen(command, "r");
    json_error_t error;
    json_t      *answer = in ? json_loadf(in, JSON_DISABLE_EOF_CHECK, &error) : NULL;
    char         rest[PATH];
    while (in && fread(rest, 1, sizeof rest, in) > 0) continue;
    if (in && pclose(in) != 0) {
        json_decref(answer);
        return NULL;
    }
    return answer;
}

static int needs(const json_t *model, const char *what)
{
    size_t  k;
    json_t *x;
    json_array_foreach(json_object_get(model, "needs"), k, x)
    {
        if (strcmp(json_string_value(x), what) == 0) return 1;
    }
    return 0;
}

static int is_known(const json_t *model, const char *known)
{
    size_t  k;
    json_t *x;
    char    list[PATH], item[100];
    if (!known) return 1;
    snprintf(list, sizeof list, ",%s,", known);
    json_array_foreach(json_object_get(model, "needs"), k, x)
    {
        snprintf(item, sizeof item, ",%s,", json_string_value(x));
        if (!strstr(list, item)) return 0;
    }
    return 1;
}

static int compare_model(const char *program, const char *folder, unsigned long seed,
                         const json_t *expected)
{
    char              command[2 * PATH], name[100];
    int               rests = needs(expected, "rest");
    int               rocked = json_is_true(json_object_get(expected, "rocked"));
    struct comparison c = {.model = name, .tolerance = rests ? REST_TOLERANCE : TOLERANCE};
    snprintf(name, sizeof name, "seed %lu (%s)", seed,
             json_string_value(json_object_get(expected, "family")));
    snprintf(command, sizeof command,
             "'%s' gradient '%s/%lu.lua' --method direct,adjoint,discrete --event-times "
             "--tol 1e-11 --backend interp --json",
             program, folder, seed);
    json_t *got = output_of(command);
    if (!got) {
        printf("%s: the program fails\n", name);
        return 1;
    }
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        json_t *by = json_object_get(json_object_get(got, "methods"), methods[m]);
        compare_costs(&c, methods[m], json_object_get(by, "costs"),
                      json_object_get(expected, "costs"));
        if (rocked) continue;
        compare_events(&c, methods[m], json_object_get(by, "events"),
                       json_object_get(expected, "events"), rests, needs(expected, "several"));
    }
    json_decref(got);
    return c.wrong > 0;
}

// The files of one seed are removed unless they tell of a disagreement.
static void remove_seed(const char *folder, unsigned long seed)
{
    static const char *const endings[] = {"json", "lua"};
    for (int i = 0; i < 2; i++) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/%lu.%s", folder, seed, endings[i]);
        unlink(path);
    }
}

static int compare_seeds(const char *program, const char *folder, unsigned long first,
                         unsigned long count, const char *known)
{
    int compared = 0, wrong = 0, unknown = 0;
    for (unsigned long seed = first; seed < first + count; seed++) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/%lu.json", folder, seed);
        json_error_t error;
        json_t      *expected = json_load_file(path, 0, &error);
        int          bad = 0;
        if (!expected) continue;
        if (is_known(expected, known)) {
            compared++;
            wrong += bad = compare_model(program, folder, seed, expected);
        } else {
            unknown++;
        }
        json_decref(expected);
        if (!bad) remove_seed(folder, seed);
    }
    printf("%d models compared, %d disagree, %d need more than is asked for\n", compared, wrong,
           unknown);
    if (wrong) printf("they are in %s\n", folder);
    else rmdir(folder);
    return wrong > 0 || compared == 0;
}

static int run_seeds(const char *program, const char *reference, const char *first,
                     const char *count, const char *known)
{
    char command[2 * PATH], folder[] = "/tmp/contact-XXXXXX";
    if (!mkdtemp(folder)) return 2;
    snprintf(command, sizeof command, "'%s' --seeds %s %s %s", reference, first, count, folder);
    if (system(command) != 0) return 2;
    return compare_seeds(program, folder, strtoul(first, NULL, 10), strtoul(count, NULL, 10),
                         known);
}

static double decimal(const json_t *text) { return strtod(json_string_value(text), NULL); }

static void compare_answer(struct comparison *c, const char *name, const json_t *got,
                           const json_t *problem)
{
    char        text[200];
    const char *key;
    json_t     *x, *gradient = json_object_get(json_object_get(problem, "gradient"), name);
    double      v = decimal(json_object_get(json_object_get(problem, "value"), name));
    compare_number(c, name, json_object_get(got, "value"), v, fabs(v));
    json_object_foreach(gradient, key, x)
    {
        snprintf(text, sizeof text, "%s by %s", name, key);
        compare_number(c, text, json_object_get(json_object_get(got, "gradient"), key), decimal(x),
                       fabs(decimal(x)));
    }
}

static int compare_problems(const char *reference, const char *file)
{
    json_error_t error;
    size_t       k;
    json_t      *p, *x, *all = json_load_file(file, 0, &error);
    int          wrong = 0;
    if (!all) {
        printf("%s: %s\n", file, error.text);
        return 2;
    }
    json_array_foreach(all, k, p)
    {
        char              command[2 * PATH];
        const char       *name = json_string_value(json_object_get(p, "id")), *key;
        struct comparison c = {.model = name, .tolerance = 1e-9};
        snprintf(command, sizeof command, "'%s' --problem %s", reference, name);
        json_t *got = output_of(command);
        json_object_foreach(json_object_get(p, "value"), key, x)
            compare_answer(&c, key, json_object_get(got, key), p);
        json_decref(got);
        wrong += c.wrong > 0;
    }
    printf("%zu problems, %d disagree\n", json_array_size(all), wrong);
    json_decref(all);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4 && strcmp(argv[1], "--problems") == 0) return compare_problems(argv[2], argv[3]);
    if (argc == 5 || argc == 6)
        return run_seeds(argv[1], argv[2], argv[3], argv[4], argc == 6 ? argv[5] : NULL);
    fprintf(stderr, "usage: compare PROGRAM REFERENCE FIRST COUNT [KNOWN] | --problems REFERENCE "
                    "PROBLEMS.json\n");
    return 2;
}
