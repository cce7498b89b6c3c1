/* What a saved result of `optimise` or `fit` has to show: how the search went, data and bands. */
#include "json_result.h"
#include "report.h"

/* An object with those of the members that the saved result has. */
static json_t *pick(const json_t *saved, const char *const *members, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_object_get(saved, members[i]);
        if (value) json_object_set(object, members[i], value);
    }
    return object;
}

json_t *cli_report_answer(const json_t *saved)
{
    static const char *const of_optimise[] = {"status", "message", "minimise", "kkt",    "limits",
                                              "counts", "borders", "optima",   "history"};
    static const char *const of_fit[] = {"status",       "message", "parameters",
                                         "rss",          "dof",     "level",
                                         "unidentified", "counts",  "measurements"};
    if (json_is_array(json_object_get(saved, "history")))
        return pick(saved, of_optimise, sizeof of_optimise / sizeof *of_optimise);
    if (json_is_array(json_object_get(saved, "measurements")))
        return pick(saved, of_fit, sizeof of_fit / sizeof *of_fit);
    return json_null();
}
