/* What the host program has set for itself changes nothing: a locale with a decimal comma, traps
 * for floating-point exceptions, another rounding mode. And what it has set is still set
 * afterwards. */
#define _GNU_SOURCE /* feenableexcept, duplocale */
#include <fenv.h>
#include <glob.h>
#include <locale.h>
#include <unistd.h>

#include "saltus/saltus.h"
#include "test.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* ---- a locale with a comma ------------------------------------------------------------------ */

/* Made for this test: a machine may have no locale but C. */
static locale_t comma;

static int make_comma(void **state)
{
    (void)state;
    char folder[] = "/tmp/saltus-locale-XXXXXX", command[200];
    if (!mkdtemp(folder)) return -1;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>%s/said",
             folder, folder);
    if (system(command) == 0) {
        setenv("LOCPATH", folder, 1);
        if (setlocale(LC_ALL, "de_DE.UTF-8")) comma = duplocale(LC_GLOBAL_LOCALE);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void need_comma(void)
{
    char text[16];
    if (!comma) {
        print_message("there is no localedef (package locales): a locale cannot be made\n");
        skip();
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    EXPECT_TEXT(text, "0,5"); /* the host has it */
}

TEST(options_are_read_and_printed_with_a_point)
{
    need_comma();
    saltus_options o = saltus_options_default();
    saltus_error   err = {0};
    char           text[32];
    EXPECT(saltus_options_set(&o, "rtol", "0.001", &err) == SALTUS_OK && o.rtol == 0.001);
    EXPECT(saltus_options_set(&o, "max_steps", "1.5k", &err) == SALTUS_OK && o.max_steps == 1536);
    EXPECT_TEXT(saltus_options_get(&o, "rtol", text), "0.001");
    EXPECT(saltus_options_set(&o, "rtol", "0,001", &err) == SALTUS_ERR_ARGUMENT);
    EXPECT_TEXT(err.message, "rtol is a number, not '0,001'");
    need_comma();
}

static char printed[2000];

static void keep_print(void *context, const char *text, size_t length)
{
    (void)context;
    strncat(printed, text, length);
}

/* What the script prints. */
static const char *prints(const char *script, const saltus_override *override)
{
    saltus_script_options options = saltus_script_options_default();
    saltus_error          err = {0};
    options.print = keep_print;
    options.overrides = override;
    options.override_count = override ? 1 : 0;
    printed[0] = 0;
    saltus_model *model = saltus_model_load_text("s.lua", script, strlen(script), &options, &err);
    if (err.status) fail_msg("%d: %s", err.line, err.message);
    saltus_model_free(model);
    return printed;
}

TEST(scripts_read_and_print_numbers_with_a_point)
{
    need_comma();
    const saltus_override number = {.name = "s", .value = 0.75};
    EXPECT_TEXT(prints("print(tostring(0.5), 0.5 .. '', 0.5)", NULL), "0.5\t0.5\t0.5\n");
    EXPECT_TEXT(prints("print(tonumber('0.5'), tonumber('0,5'), '0.5' + 1)", NULL),
                "0.5\tnil\t1.5\n");
    EXPECT_TEXT(prints("print(string.format('%g %.2f %s', 0.5, 1.25, 2.5))", NULL),
                "0.5 1.25 2.5\n");
    EXPECT_TEXT(prints("print(setting('s', 'x') == '0.75')", &number), "true\n");
    EXPECT_TEXT(prints("param('k' .. 0.5, 1)", NULL), "");
    /* Order and kinds of letters belong to the locale as well. */
    EXPECT_TEXT(prints("print('a' < 'B', ('\\xe4'):upper() == '\\xc4')", NULL), "false\tfalse\n");
    need_comma();
}

static void gather(void *context, const char *text)
{
    char *all = context;
    strncat(all, text, 9999 - strlen(all));
}

/* Texts that the library makes: formulas, dumps, messages. */
TEST(texts_have_a_point)
{
    need_comma();
    static const char script[] = "local x = coordinate('x', {start = 0.25}); mass(x, 1.5)\n"
                                 "force(x, -0.5 * x); cost('c', {final = 0.125 * x})\n"
                                 "horizon(0, 2.5)\n";
    saltus_error      err = {0};
    saltus_model     *model = saltus_model_load_text("s.lua", script, strlen(script), NULL, &err);
    char              text[64], *all = calloc(1, 10000);
    saltus_expr_print(model, saltus_number(model, 0.5), text, sizeof text);
    EXPECT_TEXT(text, "0.5");
    saltus_system *system = saltus_system_compile(model, &err);
    const char    *end;
    double         start;
    saltus_system_horizon(system, &start, &end);
    EXPECT_TEXT(end, "2.5");
    EXPECT_TEXT(saltus_system_coordinate_start(system, 0).start, "0.25");
    EXPECT_TEXT(saltus_system_cost_final(system, 0), "0.125 * x");
    EXPECT(saltus_system_dump(system, "model", gather, all, &err) == SALTUS_OK);
    EXPECT(strstr(all, "0.5") && !strstr(all, "0,5"));
    saltus_options wrong = saltus_system_options(system);
    wrong.rtol = 1.5;
    EXPECT(saltus_run_new(system, &wrong, &err) == NULL);
    EXPECT(strstr(err.message, "1.5") && !strstr(err.message, "1,5"));
    free(all);
    saltus_system_free(system);
    saltus_model_free(model);
}

/* A locale of the thread alone, not of the program. */
TEST(the_locale_of_a_thread_stays)
{
    need_comma();
    saltus_options o = saltus_options_default();
    char           text[32];
    setlocale(LC_ALL, "C");
    const locale_t before = uselocale(comma);
    o.rtol = 0.5;
    EXPECT_TEXT(saltus_options_get(&o, "rtol", text), "0.5");
    EXPECT(uselocale((locale_t)0) == comma);
    uselocale(before);
    setlocale(LC_ALL, "de_DE.UTF-8");
}

/* ---- floating point ------------------------------------------------------------------------- */

enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, MAX = 4000 };

typedef struct digits {
    double value[MAX];
    int    count;
} digits;

static void keep(digits *d, const double *value, int count)
{
    for (int i = 0; i < count && d->count < MAX; i++) d->value[d->count++] = value[i];
}

static int keep_row(void *context, const saltus_row *row)
{
    const double some[] = {row->t, row->kinetic, row->q[0], row->a[0]};
    keep(context, some, 4);
    return 0;
}

static int keep_tangents(void *context, const saltus_tangent_row *row)
{
    keep(context, row->dq, row->params);
    return 0;
}

static int keep_adjoints(void *context, const saltus_adjoint_row *row)
{
    keep(context, row->lambda_q, 1);
    return 0;
}

static int keep_step(void *context, const saltus_run_step *step)
{
    keep(context, &step->length, 1);
    return 0;
}

static int count_text(void *context, const char *file, const char *text)
{
    const double length = (double)(strlen(file) + strlen(text));
    keep(context, &length, 1);
    return 0;
}

static void gradients(saltus_run *run, const saltus_size *size, const char *cost, digits *d)
{
    const size_t costs = (size_t)size->costs, params = (size_t)size->params;
    double      *g = calloc(3 * costs * params + costs + 1, sizeof *g), *value = g + costs * params;
    const int    first = 0;
    const double times[] = {0.1, 0.2, 0.3};
    saltus_request all = {.method = SALTUS_DIRECT};
    for (; all.method <= SALTUS_AUTO; all.method = (saltus_method)(all.method + 1))
        if (saltus_run_gradients(run, &all, g, NULL, NULL, NULL) == SALTUS_OK)
            keep(d, g, (int)(costs * params));
    all.method = saltus_run_method(run, &all, 1);
    saltus_differences room = {.gradient = g, .gradient_error = value};
    saltus_run_differences(run, &all, &room, NULL);
    saltus_run_sizes(run, &all, times, 3, g + 2 * costs * params, g, value, NULL);
    saltus_run_tangents(run, &first, 1, times, 3, keep_tangents, d, NULL);
    saltus_run_adjoints(run, 0, times, 3, keep_adjoints, d, NULL);
    if (saltus_run_cost_gradient(run, cost, value, g, NULL) == SALTUS_OK) keep(d, value, 1);
    free(g);
}

static void read_back(saltus_run *run, const saltus_system *system, digits *d)
{
    const double    times[] = {0.1, 0.2, 0.3};
    saltus_audit    audit;
    saltus_row      row;
    int             rows, columns;
    saltus_drawing *drawing = saltus_drawing_new(system, NULL);
    double         *value = calloc((size_t)saltus_drawing_ops(drawing) + 2000, sizeof *value);
    if (saltus_run_costs(run, value, NULL) == SALTUS_OK)
        keep(d, value, saltus_system_size(system).costs);
    saltus_run_trajectory(run, times, 3, keep_row, d, NULL);
    saltus_run_steps(run, keep_step, d, NULL);
    saltus_run_audit(run, NULL, NULL, &audit, NULL);
    saltus_run_emit(run, count_text, d, NULL);
    for (int i = 0; i < saltus_run_get_info(run)->events && i < 3; i++) {
        const saltus_occurrence o = saltus_run_event(run, i);
        keep(d, &o.energy_after, 1);
        if (saltus_run_jump_matrix(run, i, &rows, &columns, NULL, NULL) == SALTUS_OK &&
            rows * columns < 2000 &&
            saltus_run_jump_matrix(run, i, &rows, &columns, value, NULL) == SALTUS_OK)
            keep(d, value, rows * columns);
    }
    if (saltus_run_final(run, &row, NULL) == SALTUS_OK) {
        saltus_drawing_compute(drawing, &row, NULL, value);
        keep(d, value, saltus_drawing_ops(drawing));
    }
    free(value);
    saltus_drawing_free(drawing);
}

/* Everything that computes, and what comes of it. */
static digits go_through(const char *file, int thoroughly)
{
    digits            d = {.count = 0};
    saltus_error      err = {0};
    saltus_model     *model = saltus_model_load(file, &err);
    saltus_system    *system = saltus_system_compile(model, &err);
    saltus_options    options = saltus_system_options(system);
    const saltus_size size = saltus_system_size(system);
    options.backend = SALTUS_INTERP;
    options.threads = 2;
    options.rtol = options.atol = 1e-6;
    saltus_run *run = saltus_run_new(system, &options, &err);
    saltus_run_simulate(run, NULL, &err);
    if (err.status) fail_msg("%s:%d: %s", file, err.line, err.message);
    read_back(run, system, &d);
    if (thoroughly) gradients(run, &size, saltus_system_cost(system, 0).name, &d);
    saltus_run_free(run);
    saltus_system_free(system);
    saltus_model_free(model);
    return d;
}

static void expect_equal(const char *file, const digits *a, const digits *b)
{
    if (a->count != b->count) fail_msg("%s: %d numbers, expected %d", file, a->count, b->count);
    for (int i = 0; i < a->count; i++)
        if (memcmp(&a->value[i], &b->value[i], sizeof a->value[i]) != 0 &&
            !(isnan(a->value[i]) && isnan(b->value[i])))
            fail_msg("%s: number %d is %.17g, expected %.17g", file, i, a->value[i], b->value[i]);
}

static glob_t models(void)
{
    glob_t found;
    if (glob(SALTUS_SOURCE_DIR "/models/*.lua", 0, NULL, &found) != 0) fail_msg("no models");
    return found;
}

/* Those whose gradients are asked for as well: a sample is quick, and sanitizers are slow. */
static int is_sample(size_t i) { return i % (SANITIZED ? 8 : 4) == 0; }

TEST(traps_of_the_host_do_not_spring)
{
    glob_t found = models();
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (SANITIZED && !is_sample(i)) continue;
        digits plain = go_through(found.gl_pathv[i], is_sample(i));
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(TRAPS);
        digits trapped = go_through(found.gl_pathv[i], is_sample(i));
        EXPECT((fegetexcept() & TRAPS) == TRAPS);
        EXPECT(fetestexcept(TRAPS) == 0);
        fedisableexcept(TRAPS);
        expect_equal(found.gl_pathv[i], &trapped, &plain);
    }
    globfree(&found);
}

TEST(rounding_of_the_host_changes_no_digit)
{
    glob_t found = models();
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!is_sample(i)) continue;
        digits plain = go_through(found.gl_pathv[i], 1);
        fesetround(FE_UPWARD);
        digits upward = go_through(found.gl_pathv[i], 1);
        EXPECT(fegetround() == FE_UPWARD);
        fesetround(FE_TONEAREST);
        expect_equal(found.gl_pathv[i], &upward, &plain);
    }
    globfree(&found);
}

/* Builders fold constants, and compare what they are given. */
TEST(builders_do_not_trap)
{
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(TRAPS);
    saltus_model     *model = saltus_model_new(NULL, NULL);
    const saltus_expr large = saltus_number(model, 1e300), zero = saltus_number(model, 0.0);
    saltus_apply(model, SALTUS_MUL, large, large);
    saltus_apply(model, SALTUS_LOG, zero, zero);
    const double minus_one = -1.0;
    EXPECT(isnan(saltus_apply_number(SALTUS_SQRT, minus_one, 0.0)));
    EXPECT(isinf(saltus_apply_number(SALTUS_DIV, 1.0, 0.0)));
    saltus_param(model, "k", 1.0, &(saltus_param_def){.has_lower = 1, .lower = NAN});
    EXPECT((fegetexcept() & TRAPS) == TRAPS);
    fedisableexcept(TRAPS);
    EXPECT(saltus_model_error(model)->status == SALTUS_ERR_MODEL);
    saltus_model_free(model);
}

#if defined(__SSE2__)
/* As games do it: the vector unit's register alone, with small numbers flushed to zero. */
TEST(settings_of_the_vector_unit_stay_and_do_not_matter)
{
    static const char file[] = SALTUS_SOURCE_DIR "/models/bouncing_ball.lua";
    digits            plain = go_through(file, 1);
    const unsigned    usual = _mm_getcsr();
    _mm_setcsr(0xe040); /* traps for everything, toward zero, flushing */
    const digits   other = go_through(file, 1);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(usual);
    EXPECT(after == 0xe040);
    expect_equal(file, &other, &plain);
}
#else
TEST(settings_of_the_vector_unit_stay_and_do_not_matter) {}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(options_are_read_and_printed_with_a_point),
        RUN(scripts_read_and_print_numbers_with_a_point),
        RUN(texts_have_a_point),
        RUN(the_locale_of_a_thread_stays),
        RUN(traps_of_the_host_do_not_spring),
        RUN(rounding_of_the_host_changes_no_digit),
        RUN(builders_do_not_trap),
        RUN(settings_of_the_vector_unit_stay_and_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make_comma, NULL);
}
