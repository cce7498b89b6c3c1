/* Options: defaults, and setting them by name. */
#include "api/options.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/names.h"
#include "base/status.h"
#include "saltus/saltus.h"

/* Names in the order of the enumerations in sim.h. */
static const char *const integrators[] = {"dop853", "dopri5"};
static const char *const formulations[] = {"index1", "penalty"};
static const char *const backends[] = {"auto", "interp", "native"};
static const char *const impacts[] = {"together", "one-by-one"};
#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

const char *saltus_version(void) { return SALTUS_VERSION_TEXT; }

saltus_options saltus_options_default(void)
{
    return (saltus_options){.size = sizeof(saltus_options),
                            .rtol = 1e-9,
                            .atol = 1e-9,
                            .t_end = NAN,
                            .integrator = SALTUS_DOP853,
                            .max_steps = 1000000,
                            .max_events = 100000,
                            .event_rate_min = 1e-10,
                            .formulation = SALTUS_INDEX1,
                            .alpha = 1e7,
                            .xi = 1.0,
                            .record_memory = (size_t)256 << 20};
}

/* Fails unless the options were filled in by this version of the library: {0} is not valid, and
 * other versions may have another layout. */
static saltus_status check_size(const saltus_options *options, saltus_error *err)
{
    if (options->size == sizeof *options) return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_ARGUMENT,
                    "options.size is %zu, not %zu: begin with saltus_options_default() or "
                    "saltus_system_options(), and compile with the headers of this version (%s)",
                    options->size, sizeof *options, SALTUS_VERSION_TEXT);
}

static const double SMALLEST_TOLERANCE = 1e-14, LARGEST_TOLERANCE = 0.5;

static bool is_one_of(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

/* Returns NULL if the value of a real option is valid, else a description of valid values. The
 * library itself tightens tolerances: rtol may then be rounded, and atol small. */
static const char *wrong_real(const char *name, double value)
{
    if (is_one_of(name, "rtol", "atol")) {
        const double least = *name == 'r' ? SMALLEST_TOLERANCE * (1.0 - 1e-9) : DBL_MIN;
        return value >= least && value <= LARGEST_TOLERANCE ? NULL : "a number from 1e-14 to 0.5";
    }
    if (is_one_of(name, "max_step", "first_step"))
        return value >= 0.0 ? NULL : "a number that is not negative";
    return value >= 0.0 && value <= DBL_MAX ? NULL : "a finite number that is not negative";
}

static saltus_status check_real(const char *name, double value, saltus_error *err)
{
    const char *wanted = wrong_real(name, value);
    return wanted
               ? sal_fail(err, SALTUS_ERR_ARGUMENT, "%s is %g; it must be %s", name, value, wanted)
               : SALTUS_OK;
}

static saltus_status check_whole(const char *name, long long value, int least, saltus_error *err)
{
    if (value >= least) return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_ARGUMENT, "%s is %lld; it must be a whole number from %d on",
                    name, value, least);
}

/* Checks the value of an option whose values are numbered. */
static saltus_status check_number(const char *name, int value, int count, saltus_error *err)
{
    if (value >= 0 && value < count) return SALTUS_OK;
    return sal_fail(err, SALTUS_ERR_ARGUMENT, "%s is %d; its values are numbered from 0 to %d",
                    name, value, count - 1);
}

saltus_status sal_check_options(const saltus_options *o, saltus_error *err)
{
    TRY(check_size(o, err));
#define CHECK_R(field) TRY(check_real(#field, o->field, err));
#define CHECK_I(field) TRY(check_whole(#field, o->field, 1, err));
#define CHECK_S(field)
#define CHECK_N(field)
#define ROW(field, kind, about) CHECK_##kind(field)
    SALTUS_OPTION_LIST(ROW)
#undef ROW
    TRY(check_whole("threads", o->threads, 0, err));
    TRY(check_number("integrator", (int)o->integrator, COUNT(integrators), err));
    TRY(check_number("formulation", (int)o->formulation, COUNT(formulations), err));
    TRY(check_number("impacts", (int)o->impacts, COUNT(impacts), err));
    TRY(check_number("backend", (int)o->backend, COUNT(backends), err));
    if (o->formulation == SALTUS_PENALTY && o->alpha == 0.0)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "alpha is 0: the penalty formulation needs a positive one");
    return SALTUS_OK;
}

static const char *const names[] = {
#define ROW(name, kind, text) #name,
    SALTUS_OPTION_LIST(ROW)
#undef ROW
};
enum { NAMES = sizeof names / sizeof names[0] };

static const char *name_of(int value, const char *const *of, int count)
{
    return value >= 0 && value < count ? of[value] : "";
}

/* Each function reads an option of one kind from text. It returns NULL if the text is valid, else a
 * description of valid texts. */
static const char *read_real(double *to, const char *text, const char *name)
{
    char        *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) return "a number";
    const char *wanted = wrong_real(strcmp(name, "atol") == 0 ? "rtol" : name,
                                    value); /* users may not set a smaller atol */
    if (wanted) return wanted;
    *to = value;
    return NULL;
}

static const char *read_whole(double *to, const char *text)
{
    char        *end;
    const double value = strtod(text, &end);
    double       unit = 1.0;
    if (end != text && *end && !end[1])
        unit = *end == 'k' || *end == 'K'   ? 1024.0
               : *end == 'M' || *end == 'm' ? 1048576.0
               : *end == 'G' || *end == 'g' ? 1073741824.0
                                            : NAN;
    else if (end == text || *end) unit = NAN;
    *to = floor(value * unit);
    return *to >= 1.0 && *to <= 9e15 && *to == value * unit ? NULL : "a whole number from 1 on";
}

static const char *read_long(long long *to, const char *text)
{
    double      value;
    const char *wrong = read_whole(&value, text);
    if (!wrong) *to = (long long)value;
    return wrong;
}

static const char *read_int(int *to, const char *text)
{
    double      value;
    const char *wrong = read_whole(&value, text);
    if (!wrong && value > 1e8) return "a whole number up to 100000000";
    if (!wrong) *to = (int)value;
    return wrong;
}

static const char *read_size(size_t *to, const char *text)
{
    double      value;
    const char *wrong = read_whole(&value, text);
    if (!wrong) *to = (size_t)value;
    return wrong ? "a size in bytes, such as 65536, 64k or 10M" : NULL;
}

/* The index of a text among the names, or -1. */
static int number_of(const char *text, const char *const *of, int count)
{
    while (--count >= 0 && strcmp(text, of[count]) != 0) continue;
    return count;
}

static const char *read_integrator(saltus_integrator *to, const char *text)
{
    const int number = number_of(text, integrators, COUNT(integrators));
    if (number < 0) return "dop853 or dopri5";
    *to = (saltus_integrator)number;
    return NULL;
}

/* Blanks may be written as hyphens, which need no quotes in a shell. */
static const char *read_impacts(saltus_impacts *to, const char *text)
{
    const int number =
        strcmp(text, "one by one") == 0 ? SALTUS_ONE_BY_ONE : number_of(text, impacts, 2);
    if (number < 0) return "together or one-by-one";
    *to = (saltus_impacts)number;
    return NULL;
}

/* Sets an option from text. Returns NULL, or a description of valid texts if it is not valid. */
static const char *read_option(saltus_options *options, const char *name, const char *text)
{
#define READ_R(field) read_real(&options->field, text, name)
#define READ_I(field)                                                                              \
    _Generic(options->field, int : read_int, long long : read_long)(&options->field, text)
#define READ_S(field) read_size(&options->field, text)
#define READ_N(field)                                                                              \
    _Generic(options->field, saltus_integrator                                                     \
             : read_integrator, saltus_impacts                                                     \
             : read_impacts)(&options->field, text)
#define ROW(field, kind, about)                                                                    \
    if (strcmp(name, #field) == 0) return READ_##kind(field);
    SALTUS_OPTION_LIST(ROW)
#undef ROW
    if (strcmp(name, "formulation") == 0) {
        const int number = number_of(text, formulations, 2);
        if (number < 0) return "index1 or penalty";
        options->formulation = (saltus_formulation)number;
    } else {
        const int number = number_of(text, backends, 3);
        if (number < 0) return "auto, interp or native";
        options->backend = (saltus_backend)number;
    }
    return NULL;
}

saltus_status saltus_options_set(saltus_options *options, const char *name, const char *text,
                                 saltus_error *err)
{
    HOLD_HOST;
    if (err && err->status) return err->status;
    if (!options || !name || !text)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "an option needs options, a name and a text: %s is missing",
                        !options ? "the first"
                        : !name  ? "the name"
                                 : "the text");
    TRY(check_size(options, err));
    if (number_of(name, names, NAMES) < 0 && strcmp(name, "formulation") != 0 &&
        strcmp(name, "backend") != 0) {
        const char *near = sal_nearest(name, names, NAMES);
        return sal_fail(err, SALTUS_ERR_ARGUMENT, "there is no option '%s'%s%s%s", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    const char *wanted = read_option(options, name, text);
    return wanted ? sal_fail(err, SALTUS_ERR_ARGUMENT, "%s is %s, not '%s'", name, wanted, text)
                  : SALTUS_OK;
}

const char *saltus_options_get(const saltus_options *options, const char *name, char *buffer)
{
    HOLD_HOST;
    if (!options || options->size != sizeof *options || !name || !buffer) return NULL;
#define PUT_R(field) snprintf(buffer, 32, "%.17g", options->field)
#define PUT_I(field) snprintf(buffer, 32, "%lld", (long long)options->field)
#define PUT_S(field) snprintf(buffer, 32, "%zu", (size_t)options->field)
#define PUT_N(field)                                                                               \
    snprintf(buffer, 32, "%s",                                                                     \
             name_of((int)options->field,                                                          \
                     _Generic(options->field, saltus_integrator                                    \
                              : integrators, saltus_impacts                                        \
                              : impacts),                                                          \
                     _Generic(options->field, saltus_integrator                                    \
                              : COUNT(integrators), saltus_impacts                                 \
                              : COUNT(impacts))))
#define ROW(field, kind, text)                                                                     \
    if (strcmp(name, #field) == 0) {                                                               \
        PUT_##kind(field);                                                                         \
        return buffer;                                                                             \
    }
    SALTUS_OPTION_LIST(ROW)
#undef ROW
    if (strcmp(name, "formulation") == 0)
        return name_of((int)options->formulation, formulations, 2);
    if (strcmp(name, "backend") == 0) return name_of((int)options->backend, backends, 3);
    return NULL;
}
