// A mechanism with contacts moved from event to event in long double: modes and impacts are found
// by trying all of them, steps are extrapolated to order 18. Shares nothing with the library.
// events.py writes the mechanism (eval, integrands, finals, start and the tables used below) and
// includes this file.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

typedef long double       real;
typedef std::vector<real> vec;
typedef int               modes[CONTACTS + 1];
enum { OPEN, CLOSED, STICK, PLUS, MINUS };
enum { GUARDS = 4 * CONTACTS + 1, UNKNOWNS = N + 2 * CONTACTS, STATE = 2 * N + INTEGRALS };

// All that the equations need: M a = h + sum w_N N + w_T T, with gaps and slips and what their
// derivatives have besides accelerations.
struct terms {
    real M[N * N], h[N];
    real gap[CONTACTS + 1], wN[CONTACTS + 1][N], gap_t[CONTACTS + 1], bN[CONTACTS + 1];
    real slip[CONTACTS + 1], wT[CONTACTS + 1][N], bT[CONTACTS + 1];
    real mu_static[CONTACTS + 1], mu_kinetic[CONTACTS + 1], e[CONTACTS + 1];
};
static void eval(real t, const real *q, const real *v, const real *p, terms &E);
static void integrands(real t, const real *q, const real *v, const real *p, const real *lN,
                       const real *lT, real *out);
static void finals(real t, const real *q, const real *v, const real *p, real *out);
static void start(const real *p, real *q, real *v, real *end);

struct failure {
    const char *why;
};

static real dot(const real *a, const real *b)
{
    real sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

// Solves A x = b into b; false if A is singular.
static bool solve_linear(int n, vec &A, vec &b)
{
    for (int k = 0; k < n; k++) {
        int  m = k;
        real largest = 0;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[m * n + k])) m = i;
        for (int j = 0; j < n; j++) largest = std::max(largest, fabsl(A[m * n + j]));
        if (fabsl(A[m * n + k]) <= 1e-14L * largest || largest == 0) return false;
        for (int j = 0; j < n && m != k; j++) std::swap(A[m * n + j], A[k * n + j]);
        std::swap(b[m], b[k]);
        for (int i = k + 1; i < n; i++) {
            const real f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n && f != 0; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return true;
}

// Accelerations, then N and T of each contact, in given modes.
static bool solve_modes(const terms &E, const int *mode, vec &x)
{
    const int n = UNKNOWNS;
    vec       A(n * n, 0);
    x.assign(n, 0);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) A[i * n + j] = E.M[i * N + j];
        x[i] = E.h[i];
    }
    for (int c = 0; c < CONTACTS; c++) {
        const int normal = N + 2 * c, tangent = normal + 1, s = mode[c] == PLUS ? 1 : -1;
        for (int i = 0; i < N; i++)
            A[i * n + normal] = -E.wN[c][i], A[i * n + tangent] = -E.wT[c][i];
        if (HAS_GAP[c] && mode[c] != OPEN) {
            for (int i = 0; i < N; i++) A[normal * n + i] = E.wN[c][i];
            x[normal] = -E.bN[c];
        } else A[normal * n + normal] = 1;
        if (mode[c] == STICK) {
            for (int i = 0; i < N; i++) A[tangent * n + i] = E.wT[c][i];
            x[tangent] = -E.bT[c];
            continue;
        }
        A[tangent * n + tangent] = 1;
        if (mode[c] != PLUS && mode[c] != MINUS) continue;
        if (HAS_GAP[c]) A[tangent * n + normal] = s * E.mu_kinetic[c];
        else x[tangent] = -s * E.mu_kinetic[c];
    }
    return solve_linear(n, A, x);
}

// What friction can hold minus what it has to, in both directions.
static void cone(const terms &E, int c, const vec &x, real margin[2])
{
    const real most = E.mu_static[c] * (HAS_GAP[c] ? x[N + 2 * c] : 1), T = x[N + 2 * c + 1];
    margin[0] = most - T;
    margin[1] = most + T;
}

// Counts through all choices of modes.
static bool next_choice(int *index, const int *count)
{
    for (int c = 0; c < CONTACTS; c++) {
        if (++index[c] < count[c]) return true;
        index[c] = 0;
    }
    return false;
}

struct motion {
    const real              *p;
    real                     t, end, fastest, q[N], v[N], integral[INTEGRALS + 1];
    modes                    mode;
    std::vector<std::string> events;
    bool                     finished;

    void rates(real at, const vec &y, vec &d)
    {
        terms E;
        vec   x;
        eval(at, &y[0], &y[N], p, E);
        if (!solve_modes(E, mode, x)) throw failure{"singular"};
        real lN[CONTACTS + 1], lT[CONTACTS + 1];
        for (int c = 0; c < CONTACTS; c++) lN[c] = x[N + 2 * c], lT[c] = x[N + 2 * c + 1];
        for (int i = 0; i < N; i++) d[i] = y[N + i], d[N + i] = x[i];
        if (INTEGRALS) integrands(at, &y[0], &y[N], p, lN, lT, &d[2 * N]);
    }

    // One extrapolated step (Gragg, Bulirsch, Stoer); returns an estimate of its error.
    real step(const vec &y, real H, vec &out)
    {
        enum { K = 9 };
        std::vector<vec> row, last;
        vec              first(STATE), a, b(STATE), d(STATE);
        rates(t, y, first);
        for (int k = 1; k <= K; k++) {
            const real h = H / (2 * k);
            a = y;
            for (int i = 0; i < STATE; i++) b[i] = y[i] + h * first[i];
            for (int j = 1; j < 2 * k; j++) {
                rates(t + j * h, b, d);
                for (int i = 0; i < STATE; i++) std::swap(a[i], b[i]), b[i] += 2 * h * d[i];
            }
            rates(t + H, b, d);
            for (int i = 0; i < STATE; i++) a[i] = (a[i] + b[i] + h * d[i]) / 2;
            last.swap(row);
            row.assign(1, a);
            for (int j = 1; j < k; j++) {
                const real f = (real)k * k / ((real)(k - j) * (k - j)) - 1;
                vec        better = row[j - 1];
                for (int i = 0; i < STATE; i++) better[i] += (row[j - 1][i] - last[j - 1][i]) / f;
                row.push_back(better);
            }
        }
        real error = 0;
        out = row[K - 1];
        for (int i = 0; i < STATE; i++)
            error = std::max(error, fabsl(out[i] - row[K - 2][i]) /
                                        (fabsl(out[i]) + (i < N ? LENGTH : SPEED)));
        return error;
    }

    // Positive while the modes hold, NAN where there is none. The last one ends the motion where it
    // falls to zero.
    void guards(real at, const vec &y, real *g)
    {
        terms E;
        vec   x;
        eval(at, &y[0], &y[N], p, E);
        solve_modes(E, mode, x);
        for (int c = 0; c < CONTACTS; c++) {
            real *own = g + 4 * c;
            for (int k = 0; k < 4; k++) own[k] = NAN;
            if (mode[c] == OPEN) own[0] = E.gap[c];
            else if (HAS_GAP[c]) own[0] = x[N + 2 * c];
            if (mode[c] == PLUS) own[1] = E.slip[c];
            if (mode[c] == MINUS) own[1] = -E.slip[c];
            if (mode[c] == STICK) cone(E, c, x, own + 2);
        }
        g[GUARDS - 1] = NAN;
        if (!HAS_END) return;
        real out[FINALS + 1];
        finals(at, &y[0], &y[N], p, out);
        g[GUARDS - 1] = out[FINALS - 1];
    }

    // Accelerations that are possible: a set of modes of all that touch. Where static friction can
    // hold, it does.
    void find_modes(const unsigned *excluded, const bool *stopped, bool jumped)
    {
        terms E;
        int   candidate[CONTACTS + 1][4], count[CONTACTS + 1], index[CONTACTS + 1] = {0};
        real  slip[CONTACTS + 1];
        eval(t, q, v, p, E);
        for (int c = 0; c < CONTACTS; c++) {
            int *list = candidate[c], n = 0;
            bool touches = !HAS_GAP[c] || mode[c] != OPEN || fabsl(E.gap[c]) < 1e-14L * LENGTH;
            if (HAS_GAP[c] && fabsl(dot(E.wN[c], v) + E.gap_t[c]) > 1e-13L * SPEED) touches = false;
            slip[c] = E.slip[c];
            if (stopped[c] || fabsl(slip[c]) < 1e-13L * SPEED || (!jumped && mode[c] == STICK))
                slip[c] = 0;
            if (touches && HAS_SLIP[c] && slip[c] == 0)
                list[n++] = STICK, list[n++] = PLUS, list[n++] = MINUS;
            else if (touches && HAS_SLIP[c]) list[n++] = slip[c] > 0 ? PLUS : MINUS;
            else if (touches) list[n++] = CLOSED;
            if (HAS_GAP[c]) list[n++] = OPEN;
            count[c] = n;
        }
        do {
            modes now;
            vec   x;
            bool  holds = true;
            for (int c = 0; c < CONTACTS; c++) {
                now[c] = candidate[c][index[c]];
                holds &= !(excluded[c] & (1u << now[c]));
            }
            if (!holds || !solve_modes(E, now, x)) continue;
            for (int c = 0; c < CONTACTS; c++) {
                const real least = -1e-11L * FORCE, away = dot(E.wN[c], &x[0]) + E.bN[c];
                const real rate = slip[c] == 0 ? dot(E.wT[c], &x[0]) + E.bT[c] : 0;
                real       margin[2];
                cone(E, c, x, margin);
                if (now[c] == OPEN) holds &= count[c] == 1 || away >= -1e-11L * ACCELERATION;
                else if (HAS_GAP[c]) holds &= x[N + 2 * c] >= least;
                if (now[c] == STICK) holds &= margin[0] >= least && margin[1] >= least;
                if (now[c] == PLUS) holds &= rate >= -1e-11L * ACCELERATION;
                if (now[c] == MINUS) holds &= rate <= 1e-11L * ACCELERATION;
            }
            if (!holds) continue;
            memcpy(mode, now, sizeof now);
            return;
        } while (next_choice(index, count));
        throw failure{"no modes are possible"};
    }

    // Moreau's law for all that touch; true if one of them approaches. Below a small part of the
    // fastest touch all that nearly touch close: their bounces are over.
    bool impact()
    {
        terms E;
        int   part[CONTACTS + 1], count[CONTACTS + 1], index[CONTACTS + 1] = {0};
        real  rate[CONTACTS + 1], slip[CONTACTS + 1], speed = 0;
        eval(t, q, v, p, E);
        for (int c = 0; c < CONTACTS; c++) {
            part[c] = HAS_GAP[c] && (mode[c] != OPEN || fabsl(E.gap[c]) < 1e-14L * LENGTH);
            rate[c] = dot(E.wN[c], v) + E.gap_t[c];
            slip[c] = E.slip[c] - dot(E.wT[c], v);
            if (part[c] && rate[c] < -1e-13L * SPEED) speed = std::max(speed, -rate[c]);
        }
        if (speed == 0) return false;
        fastest = std::max(fastest, speed);
        const bool slow = speed < 1e-7L * fastest;
        for (int c = 0; c < CONTACTS; c++) {
            const real near = 1e3L * speed * speed / ACCELERATION + 1e-14L * LENGTH;
            if (slow && HAS_GAP[c] && RESTS[c] && fabsl(E.gap[c]) < near) part[c] = 2;
            count[c] = !part[c] ? 1 : HAS_SLIP[c] ? 4 : 2;
        }
        do {
            const int n = UNKNOWNS;
            vec       A(n * n, 0), x(n, 0);
            modes     now;
            real      e[CONTACTS + 1];
            bool      holds = true;
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    A[i * n + j] = E.M[i * N + j], x[i] += E.M[i * N + j] * v[j];
            for (int c = 0; c < CONTACTS; c++) {
                static const int with_slip[] = {STICK, PLUS, MINUS, OPEN},
                                 without[] = {CLOSED, OPEN};
                const int normal = N + 2 * c, tangent = normal + 1;
                now[c] = !part[c] ? OPEN : HAS_SLIP[c] ? with_slip[index[c]] : without[index[c]];
                e[c] = slow && RESTS[c] ? 0 : E.e[c];
                holds &= part[c] != 2 || now[c] != OPEN;
                for (int i = 0; i < N; i++)
                    A[i * n + normal] = -E.wN[c][i], A[i * n + tangent] = -E.wT[c][i];
                A[normal * n + normal] = now[c] == OPEN;
                A[tangent * n + tangent] = now[c] != STICK;
                for (int i = 0; i < N && now[c] != OPEN; i++) A[normal * n + i] = E.wN[c][i];
                if (now[c] != OPEN) x[normal] = -E.gap_t[c] - e[c] * rate[c];
                for (int i = 0; i < N && now[c] == STICK; i++) A[tangent * n + i] = E.wT[c][i];
                if (now[c] == STICK) x[tangent] = -slip[c];
                if (now[c] == PLUS || now[c] == MINUS)
                    A[tangent * n + normal] = (now[c] == PLUS ? 1 : -1) * E.mu_kinetic[c];
            }
            if (!holds || !solve_linear(n, A, x)) continue;
            for (int c = 0; c < CONTACTS; c++) {
                const real least = -1e-12L * IMPULSE, slowest = -1e-12L * SPEED;
                const real normal = x[N + 2 * c], tangent = x[N + 2 * c + 1];
                const real apart = dot(E.wN[c], &x[0]) + E.gap_t[c],
                           along = dot(E.wT[c], &x[0]) + slip[c];
                if (!part[c]) continue;
                if (now[c] == OPEN) holds &= apart + e[c] * rate[c] >= slowest;
                else holds &= part[c] == 2 || normal >= least;
                if (now[c] == STICK)
                    holds &= E.mu_static[c] * fabsl(normal) - fabsl(tangent) >= least;
                if (now[c] == PLUS) holds &= along >= slowest;
                if (now[c] == MINUS) holds &= along <= -slowest;
            }
            if (!holds) continue;
            std::copy(x.begin(), x.begin() + N, v);
            return true;
        } while (next_choice(index, count));
        throw failure{"no impact is possible"};
    }

    // Where guard k, which is positive after the start of the step, becomes zero.
    real locate(const vec &y, real h, int k, real g0, real g1)
    {
        const real unit = k == GUARDS - 1                     ? 0
                          : k % 4 == 1                        ? SPEED
                          : k % 4 == 0 && mode[k / 4] == OPEN ? LENGTH
                                                              : FORCE;
        real       low = 0, high = h, at_low = g0, at_high = g1, g[GUARDS];
        vec        y1;
        while (low == 0 && at_low < 1e-14L * unit) { // it begins at zero
            const real middle = high / 2;
            if (middle < 1e-12L * end) return 0;
            step(y, middle, y1);
            guards(t + middle, y1, g);
            if (g[k] > 0) low = middle, at_low = g[k];
            else high = middle, at_high = g[k];
        }
        for (int i = 0; i < 200; i++) {
            real x =
                i % 3 == 2 ? (low + high) / 2 : low + (high - low) * at_low / (at_low - at_high);
            if (!(x > low && x < high)) x = (low + high) / 2;
            if (!(x > low && x < high)) break;
            step(y, x, y1);
            guards(t + x, y1, g);
            if (fabsl(g[k]) <= 2e-18L * (fabsl(g0) + fabsl(g1))) return x;
            if (g[k] > 0) low = x, at_low = g[k];
            else high = x, at_high = g[k];
        }
        return high;
    }

    void happen(int which)
    {
        const int   c = which / 4, k = which % 4;
        unsigned    excluded[CONTACTS + 1] = {0};
        bool        stopped[CONTACTS + 1] = {false}, jumped = false;
        std::string name = which < GUARDS - 1 ? NAMES[c] : "end";
        finished = which == GUARDS - 1;
        if (finished) return;
        if (k == 0 && mode[c] == OPEN) jumped = impact();
        else if (k == 0) name += ".leave", excluded[c] = ~(1u << OPEN);
        else if (k == 1) name += ".stop", stopped[c] = true, excluded[c] = 1u << mode[c];
        else
            name += ".slip", stopped[c] = true,
                             excluded[c] = 1u << STICK | 1u << (k == 2 ? PLUS : MINUS);
        find_modes(excluded, stopped, jumped);
        events.push_back(name);
    }

    void run(const real *params)
    {
        unsigned excluded[CONTACTS + 1] = {0};
        bool     stopped[CONTACTS + 1] = {false};
        p = params, t = 0, fastest = 0, finished = false;
        memset(integral, 0, sizeof integral);
        start(p, q, v, &end);
        for (int c = 0; c < CONTACTS; c++) mode[c] = HAS_GAP[c] ? OPEN : STICK;
        impact();
        find_modes(excluded, stopped, true);
        real       H = end / STEPS;
        const real longest = H;
        while (t < end && !finished) {
            vec        y(STATE), y1;
            const real h = std::min(H, end - t);
            real       g0[GUARDS], g1[GUARDS], at = h;
            int        which = -1;
            for (int i = 0; i < N; i++) y[i] = q[i], y[N + i] = v[i];
            for (int i = 0; i < INTEGRALS; i++) y[2 * N + i] = integral[i];
            const real error = step(y, h, y1);
            if (!(error < 1e-16L) && h > 1e-4L * longest) {
                H = 0.6L * h;
                continue;
            }
            if (error < 2e-17L) H = std::min(longest, 1.5L * h);
            guards(t, y, g0);
            guards(t + h, y1, g1);
            for (int k = 0; k < GUARDS; k++) {
                if (!(g1[k] <= 0) || (k == GUARDS - 1 && !(g0[k] > 0))) continue;
                const real x = locate(y, h, k, g0[k], g1[k]);
                if (which < 0 || x < at) at = x, which = k;
            }
            if (which >= 0) step(y, at, y1);
            t = which < 0 && h == end - t ? end : t + at;
            for (int i = 0; i < N; i++) q[i] = y1[i], v[i] = y1[N + i];
            for (int i = 0; i < INTEGRALS; i++) integral[i] = y1[2 * N + i];
            if (which >= 0) happen(which);
        }
    }

    // Values at the end, integrals, the time.
    vec results()
    {
        real out[FINALS + 1];
        finals(t, q, v, p, out);
        vec values(out, out + FINALS - HAS_END);
        values.insert(values.end(), integral, integral + INTEGRALS);
        values.push_back(t);
        return values;
    }
};

// Differences of order six; a neighbour must have the same events, but for bounces towards rest.
static vec derivative(const real *p, int k)
{
    static const real weight[] = {45.0L / 60, -9.0L / 60, 1.0L / 60};
    const real        h = (p[k] != 0 ? fabsl(p[k]) : 1) * DIFFERENCE;
    vec               sum;
    for (int j = 1; j <= 3; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            vec    near(p, p + PARAMS);
            motion m;
            near[k] += sign * j * h;
            m.run(&near[0]);
            const vec values = m.results();
            sum.resize(values.size(), 0);
            for (size_t i = 0; i < values.size(); i++)
                sum[i] += sign * weight[j - 1] * values[i] / h;
        }
    return sum;
}

static void print(const char *name, const vec &values)
{
    printf("%s\"%s\": [", strcmp(name, "value") == 0 ? "{" : ", ", name);
    for (size_t i = 0; i < values.size(); i++) printf("%s\"%.19Lg\"", i ? ", " : "", values[i]);
    printf("]");
}

int main(void)
{
    real p[PARAMS];
    for (int i = 0; i < PARAMS; i++) p[i] = strtold(VALUES[i], NULL);
    try {
        motion m;
        m.run(p);
        print("value", m.results());
        for (int k = 0; k < PARAMS; k++) print(PARAM_NAMES[k], derivative(p, k));
        printf("}\n");
    } catch (const failure &f) {
        fprintf(stderr, "%s\n", f.why);
        return 1;
    }
}
