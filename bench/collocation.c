/* Two problems of optimal control, by Saltus (shooting) and by IPOPT on collocation: time and
 * evaluations until the conditions of an optimum are met to 1e-8.
 *
 * The cart-pole of Kelly with 40 pieces of a linear force, by Hermite-Simpson collocation; and the
 * ball of Kong and others with 20 held pieces and one bounce. IPOPT is told in
 * which piece the bounce is, and collocation is exact there. Its Jacobian is exact (complex steps,
 * whose time is not counted, since they are not written for speed), its Hessian is its own
 * approximation of limited memory. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <saltus/saltus.h>

#include <IpStdCInterface.h>

#include "clock.h"

typedef double complex number;

enum { MAX_UNKNOWNS = 256, NODES = 40, STATES = 4, PIECES = 20, HIT = 10 };

/* A problem for IPOPT: f and g of complex numbers, and which unknowns each row of g contains. */
typedef struct problem {
    int    n, m;
    double start[MAX_UNKNOWNS], g_value[MAX_UNKNOWNS];
    number (*cost)(const number *x);
    void (*rows)(const number *x, number *g);
    int    calls[2]; /* of f, and of gradients */
    double spent;    /* seconds in derivatives of the rows, which are not written for speed */
} problem;

/* ---- the cart-pole --------------------------------------------------------------------------- */

/* Unknowns: states of node k at 4 k, then forces. */
static number force_at(const number *x, int k) { return x[STATES * (NODES + 1) + k]; }

static void cart_rate(const number *s, number u, number *rate)
{
    const double m1 = 1.0, m2 = 0.3, l = 0.5, g = 9.81;
    const number si = csin(s[1]), co = ccos(s[1]), w = s[3];
    const number under = m1 + m2 * (1.0 - co * co);
    rate[0] = s[2];
    rate[1] = w;
    rate[2] = (l * m2 * si * w * w + u + m2 * g * co * si) / under;
    rate[3] = -(l * m2 * co * si * w * w + u * co + (m1 + m2) * g * si) / (l * under);
}

static number cart_cost(const number *x)
{
    number sum = 0.0;
    for (int k = 0; k < NODES; k++) {
        const number a = force_at(x, k), b = force_at(x, k + 1);
        sum += (a * a + a * b + b * b) * (2.0 / NODES) / 3.0;
    }
    return sum;
}

static void cart_rows(const number *x, number *g)
{
    const double h = 2.0 / NODES;
    for (int k = 0; k < NODES; k++) {
        const number *a = x + STATES * k, *b = a + STATES;
        const number  ua = force_at(x, k), ub = force_at(x, k + 1);
        number        fa[STATES], fb[STATES], fm[STATES], middle[STATES];
        cart_rate(a, ua, fa);
        cart_rate(b, ub, fb);
        for (int i = 0; i < STATES; i++)
            middle[i] = 0.5 * (a[i] + b[i]) + h / 8.0 * (fa[i] - fb[i]);
        cart_rate(middle, 0.5 * (ua + ub), fm);
        for (int i = 0; i < STATES; i++)
            g[STATES * k + i] = b[i] - a[i] - h / 6.0 * (fa[i] + 4.0 * fm[i] + fb[i]);
    }
    for (int i = 0; i < STATES; i++) {
        g[STATES * NODES + i] = x[i];
        g[STATES * (NODES + 1) + i] = x[STATES * NODES + i];
    }
}

static problem cart_pole(void)
{
    problem      p = {.n = (STATES + 1) * (NODES + 1),
                      .m = STATES * (NODES + 2),
                      .cost = cart_cost,
                      .rows = cart_rows};
    const double end[] = {1.0, acos(-1.0), 0.0, 0.0};
    for (int i = 0; i < STATES; i++) p.g_value[STATES * (NODES + 1) + i] = end[i];
    for (int k = 0; k <= NODES; k++)
        for (int i = 0; i < STATES; i++) p.start[STATES * k + i] = end[i] * k / NODES;
    return p;
}

/* ---- the ball -------------------------------------------------------------------------------- */

/* Unknowns: height and speed of node k at 2 k, thrusts, the time of the impact in its piece, and
 * the speed just before it. */
static number thrust_at(const number *x, int k) { return x[2 * (PIECES + 1) + k]; }

static number ball_cost(const number *x)
{
    const number y = x[2 * PIECES] - 3.0, v = x[2 * PIECES + 1];
    number       sum = 40.0 * (y * y + v * v);
    for (int k = 0; k < PIECES; k++) sum += 0.25 * thrust_at(x, k) * thrust_at(x, k) / PIECES;
    return sum;
}

static void fly(const number *from, number v, number a, number h, const number *to, number *g)
{
    g[0] = to[0] - (from ? from[0] : 0.0) - h * v - 0.5 * a * h * h;
    g[1] = to[1] - v - h * a;
}

static void ball_rows(const number *x, number *g)
{
    const number h = 1.0 / PIECES, tau = x[3 * PIECES + 2], hit[2] = {0.0, x[3 * PIECES + 3]};
    for (int k = 0; k < PIECES; k++) {
        const number *from = x + 2 * k, a = thrust_at(x, k) - 9.8;
        if (k != HIT) fly(from, from[1], a, h, from + 2, g + 2 * k);
        else fly(NULL, -0.75 * hit[1], a, h - tau, from + 2, g + 2 * k);
    }
    fly(x + 2 * HIT, x[2 * HIT + 1], thrust_at(x, HIT) - 9.8, tau, hit, g + 2 * PIECES);
    g[2 * PIECES + 2] = x[0];
    g[2 * PIECES + 3] = x[1];
}

static problem ball(void)
{
    problem p = {.n = 3 * PIECES + 4, .m = 2 * PIECES + 4, .cost = ball_cost, .rows = ball_rows};
    p.g_value[2 * PIECES + 2] = 4.0;
    for (int k = 0; k <= PIECES; k++) p.start[2 * k] = 4.0 * fabs(1.0 - 2.0 * k / PIECES);
    p.start[3 * PIECES + 2] = 0.5 / PIECES;
    p.start[3 * PIECES + 3] = -8.0;
    return p;
}

/* ---- IPOPT ----------------------------------------------------------------------------------- */

static Bool eval_f(Index n, Number *x, Bool is_new, Number *f, UserDataPtr data)
{
    problem *p = data;
    number   z[MAX_UNKNOWNS];
    (void)is_new;
    for (int i = 0; i < n; i++) z[i] = x[i];
    p->calls[0]++;
    *f = creal(p->cost(z));
    return TRUE;
}

static Bool eval_grad_f(Index n, Number *x, Bool is_new, Number *gradient, UserDataPtr data)
{
    problem *p = data;
    number   z[MAX_UNKNOWNS];
    (void)is_new;
    for (int i = 0; i < n; i++) z[i] = x[i];
    p->calls[1]++;
    for (int i = 0; i < n; i++) {
        z[i] += 1e-30 * I;
        gradient[i] = cimag(p->cost(z)) * 1e30;
        z[i] = x[i];
    }
    return TRUE;
}

static Bool eval_g(Index n, Number *x, Bool is_new, Index m, Number *g, UserDataPtr data)
{
    const problem *p = data;
    number         z[MAX_UNKNOWNS], row[MAX_UNKNOWNS];
    (void)is_new;
    for (int i = 0; i < n; i++) z[i] = x[i];
    p->rows(z, row);
    for (int k = 0; k < m; k++) g[k] = creal(row[k]);
    return TRUE;
}

/* The pattern of the Jacobian, found once at a point where no entry is zero by chance. */
static int entry_row[MAX_UNKNOWNS * MAX_UNKNOWNS], entry_column[MAX_UNKNOWNS * MAX_UNKNOWNS],
    entries;
static void find_pattern(const problem *p)
{
    number z[MAX_UNKNOWNS], row[MAX_UNKNOWNS];
    entries = 0;
    for (int i = 0; i < p->n; i++) z[i] = 0.3 + 0.01 * i;
    for (int i = 0; i < p->n; i++) {
        z[i] += 1e-30 * I;
        p->rows(z, row);
        z[i] = creal(z[i]);
        for (int k = 0; k < p->m; k++)
            if (cimag(row[k]) != 0.0) {
                entry_row[entries] = k;
                entry_column[entries++] = i;
            }
    }
}

static Bool eval_jac(Index n, Number *x, Bool is_new, Index m, Index count, Index *rows,
                     Index *columns, Number *values, UserDataPtr data)
{
    problem     *p = data;
    number       z[MAX_UNKNOWNS], row[MAX_UNKNOWNS];
    const double start = seconds_cpu();
    (void)is_new, (void)m;
    for (int e = 0; e < count && !values; e++) rows[e] = entry_row[e], columns[e] = entry_column[e];
    if (!values) return TRUE;
    for (int i = 0; i < n; i++) z[i] = x[i];
    for (int i = 0, e = 0; i < n; i++) { /* entries are ordered by columns */
        z[i] += 1e-30 * I;
        p->rows(z, row);
        z[i] = x[i];
        for (; e < count && entry_column[e] == i; e++) values[e] = cimag(row[entry_row[e]]) * 1e30;
    }
    p->spent += seconds_cpu() - start;
    return TRUE;
}

static Bool eval_h(Index n, Number *x, Bool is_new, Number factor, Index m, Number *lambda,
                   Bool new_lambda, Index count, Index *rows, Index *columns, Number *values,
                   UserDataPtr data)
{
    (void)n, (void)x, (void)is_new, (void)factor, (void)m, (void)lambda, (void)new_lambda;
    (void)count, (void)rows, (void)columns, (void)values, (void)data;
    return FALSE; /* it approximates the Hessian by itself */
}

static void by_ipopt(const char *name, problem p)
{
    Number lower[MAX_UNKNOWNS], upper[MAX_UNKNOWNS], x[MAX_UNKNOWNS], f = NAN;
    for (int i = 0; i < p.n; i++) lower[i] = -2e19, upper[i] = 2e19, x[i] = p.start[i];
    find_pattern(&p);
    IpoptProblem ipopt = CreateIpoptProblem(p.n, lower, upper, p.m, p.g_value, p.g_value, entries,
                                            0, 0, eval_f, eval_g, eval_grad_f, eval_jac, eval_h);
    char         limited[] = "limited-memory", word[] = "hessian_approximation";
    char         level[] = "print_level", quiet[] = "sb", yes[] = "yes", tol[] = "tol";
    AddIpoptStrOption(ipopt, word, limited);
    AddIpoptStrOption(ipopt, quiet, yes);
    AddIpoptIntOption(ipopt, level, 0);
    AddIpoptNumOption(ipopt, tol, 1e-8);
    const double start = seconds_cpu();
    const int    status = IpoptSolve(ipopt, x, NULL, &f, NULL, NULL, NULL, &p);
    const double seconds = seconds_cpu() - start - p.spent;
    printf("| %s | IPOPT, collocation | %s | %.8f | %.3f | %d | %d |\n", name,
           status == Solve_Succeeded ? "converged" : "failed", f, seconds, p.calls[0], p.calls[1]);
    FreeIpoptProblem(ipopt);
}

/* ---- Saltus ---------------------------------------------------------------------------------- */

static void by_saltus(const char *name, const char *script, int intervals)
{
    saltus_error   err = {0};
    char           how[40];
    saltus_model  *model = saltus_model_load_text("m.lua", script, strlen(script), NULL, &err);
    const double   start = seconds_cpu();
    saltus_system *system = saltus_system_compile(model, &err);
    saltus_goal    goal = saltus_system_goal(system);
    goal.shooting = intervals;
    saltus_optimum           *optimum = saltus_optimise(system, NULL, &goal, NULL, NULL, &err);
    const double              seconds = seconds_cpu() - start;
    const saltus_optimum_info info = saltus_optimum_get_info(optimum);
    if (intervals > 1) snprintf(how, sizeof how, "Saltus, %d intervals", intervals);
    else snprintf(how, sizeof how, "Saltus, single shooting");
    printf("| %s | %s | %s | %.8f | %.3f | %lld | %lld |\n", name, how,
           err.status ? err.message : saltus_optimum_status_name(info.status), info.value, seconds,
           info.runs, info.gradients);
    saltus_optimum_free(optimum);
    saltus_system_free(system);
    saltus_model_free(model);
}

static const char cart_script[] =
    "local m1, m2, l, g = 1, 0.3, 0.5, 9.81 local x, q = coordinate('x'), coordinate('q')\n"
    "kinetic(0.5 * (m1 + m2) * dot(x)^2 + m2 * l * cos(q) * dot(x) * dot(q)\n"
    "  + 0.5 * m2 * l^2 * dot(q)^2)\n"
    "potential(-m2 * g * l * cos(q))\n"
    "local u = control('u', {kind = 'linear', nodes = 40}) force(x, u)\n"
    "cost('J', {integral = u^2}) cost('x', {final = x - 1}) cost('q', {final = q - math.pi})\n"
    "cost('v', {final = dot(x)}) cost('w', {final = dot(q)}) horizon(0, 2)\n"
    "optimise{minimise = 'J', subject_to = {{'x', equals = 0}, {'q', equals = 0},\n"
    "  {'v', equals = 0}, {'w', equals = 0}}}\n";
static const char ball_script[] =
    "local y = coordinate('y', {start = 4}) mass(y, 1)\n"
    "local u = control('u', {kind = 'hold', nodes = 20}) force(y, u - 9.8)\n"
    "event('floor', {when = y, direction = 'falling', restitution = 0.75})\n"
    "cost('J', {integral = 0.25 * u^2, final = 40 * ((y - 3)^2 + dot(y)^2)}) horizon(0, 1)\n"
    "optimise{minimise = 'J', over = {'u*'}}\n";

int main(void)
{
    puts("| problem | method | status | cost | seconds of CPU | values | gradients |");
    puts("|---|---|---|---|---|---|---|");
    by_saltus("cart-pole", cart_script, 1);
    by_saltus("cart-pole", cart_script, 10);
    by_ipopt("cart-pole", cart_pole());
    by_saltus("ball", ball_script, 1);
    by_saltus("ball", ball_script, 5);
    by_ipopt("ball", ball());
    return 0;
}
