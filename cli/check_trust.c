/* The verdict: how many digits of each gradient to trust, and which method to believe. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "json_result.h"
#include "text.h"

enum { MAX_DIGITS = 12 };

static int digits_of(double error)
{
    if (!(error > 0.0)) return MAX_DIGITS;
    return (int)fmax(0.0, fmin(MAX_DIGITS, floor(-log10(error))));
}

/* Whether a check of this cost failed, or one that concerns all of them. */
static int is_doubtful(const cli_findings *f, const char *cost)
{
    for (int i = 0; i < f->count; i++)
        if (f->finding[i].verdict == CLI_FAIL &&
            (!*f->finding[i].cost || strcmp(f->finding[i].cost, cost) == 0))
            return 1;
    return 0;
}

static int is_zero(const cli_evidence *e, int cost, const double *row)
{
    for (int k = 0; k < e->session->params.count; k++)
        if (fabs(row[k]) > cli_evidence_allows(e, cost, k)) return 0;
    return 1;
}

/* How much a row changed from the coarse level to the fine one. */
static double moved(const cli_evidence *e, int method, int cost)
{
    const cli_session *s = e->session;
    const double      *row = e->fine.by[method].cost + cost * s->params.count;
    double             worst = 0.0, size = 0.0;
    for (int k = 0; k < s->params.count; k++) {
        const double change = cli_evidence_change(e, method, cost * s->params.count + k);
        worst = fmax(worst, change * cli_param_size(s, k));
        size = fmax(size, fabs(row[k]) * cli_param_size(s, k));
    }
    return size > 0.0 ? worst / size : 0.0;
}

/* Closest to the truth is, at the fine level, the method that changed less on the way there. */
static cli_trust judge(const cli_evidence *e, int cost)
{
    const cli_session *s = e->session;
    const int          at = cost * s->params.count;
    const double       by_steps = moved(e, CLI_CHECK_DISCRETE, cost);
    const double       by_adjoint = moved(e, CLI_CHECK_ADJOINT, cost);
    const int          best = by_adjoint < by_steps ? CLI_CHECK_ADJOINT : CLI_CHECK_DISCRETE;
    const double      *truth = e->fine.by[best].cost + at;
    const double       bounces = e->left_out ? e->left_out[cost] : 0.0;
    const double       doubt = fmin(by_steps, by_adjoint) / CLI_SHRINK + bounces;
    const double       usual = cli_row_error(s, e->by_default.cost + at, truth) + doubt;
    const double adjoint = cli_row_error(s, e->by[CLI_CHECK_ADJOINT].cost + at, truth) + doubt;
    const int    prefer = adjoint < 0.1 * usual;
    return (cli_trust){.known = 1,
                       .zero = is_zero(e, cost, truth),
                       .error = usual,
                       .digits = digits_of(usual),
                       .method = saltus_method_name(prefer ? SALTUS_ADJOINT : e->by_default.method),
                       .best = digits_of(prefer ? adjoint : usual)};
}

cli_trust *cli_trust_find(const cli_evidence *e, const cli_findings *findings)
{
    const cli_session *s = e->session;
    cli_trust         *trust = cli_alloc((size_t)s->size.costs, sizeof *trust);
    for (int i = 0; i < s->size.costs; i++)
        if (e->levels && !s->error.status && !is_doubtful(findings, cli_cost_name(s, i)))
            trust[i] = judge(e, i);
    return trust;
}

/* ---- output --------------------------------------------------------------------------------- */

/* The names of all costs with this many digits, "a, b and c"; NULL: there are none. */
static char *costs_with(const cli_session *s, const cli_trust *trust, int digits)
{
    char *names = NULL;
    for (int i = 0; i < s->size.costs; i++) {
        const int here = !trust[i].known ? -1 : trust[i].zero ? -2 : trust[i].digits;
        if (here != digits) continue;
        names = cli_append(names, "%s%s", names ? ", " : "", cli_cost_name(s, i));
    }
    return names;
}

static void print_digits(const cli_session *s, const cli_trust *trust)
{
    FILE *out = s->arguments->out;
    int   parts = 0;
    for (int digits = MAX_DIGITS; digits >= -2; digits--) {
        CLI_OWNED char *names = costs_with(s, trust, digits);
        if (!names) continue;
        fprintf(out, "%s", parts++ ? "; " : "trust ");
        if (digits == -1) cli_print(out, "nothing of %s", names);
        else if (digits == -2) cli_print(out, "that it is zero: %s", names);
        else
            cli_print(out, "%d %s of the gradient of %s", digits, digits == 1 ? "digit" : "digits",
                      names);
    }
    fprintf(out, "\n");
}

/* A method that is clearly closer, for some cost. */
static void print_better(const cli_session *s, const cli_trust *trust)
{
    for (int i = 0; i < s->size.costs; i++)
        if (trust[i].known && !trust[i].zero && trust[i].best > trust[i].digits + 1) {
            cli_print(s->arguments->out,
                      "believe the adjoint (--method adjoint): it has %d digits of %s\n",
                      trust[i].best, cli_cost_name(s, i));
            return;
        }
}

static int has_result(const cli_findings *f, const char *check)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->finding[i].check, check) == 0 &&
            (f->finding[i].verdict == CLI_PASS || f->finding[i].verdict == CLI_FAIL))
            return 1;
    return 0;
}

void cli_trust_print(const cli_session *s, const cli_certificate *c)
{
    if (!c->trust || s->params.count == 0 || s->size.costs == 0) return;
    print_digits(s, c->trust);
    print_better(s, c->trust);
    if (!has_result(&c->findings, "discrete = fd") && !has_result(&c->findings, "Taylor test"))
        fprintf(s->arguments->out,
                "no neighbour has the same events: nothing but formulas was compared\n");
}

json_t *cli_trust_json(const cli_session *s, const cli_trust *trust)
{
    json_t *array = json_array();
    for (int i = 0; trust && i < s->size.costs; i++) {
        const cli_trust *t = &trust[i];
        const int        counts = t->known && !t->zero;
        cli_json_push(array, "cost:s digits:j zero:b error:n method:s method_digits:j",
                      cli_cost_name(s, i), counts ? json_integer(t->digits) : json_null(),
                      t->known && t->zero, t->known ? t->error : NAN, t->known ? t->method : NULL,
                      counts ? json_integer(t->best) : json_null());
    }
    return array;
}
