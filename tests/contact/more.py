"""Motions of the models in more/ in 34 digits, written by hand piece by piece, and their derivatives by differences:
makes more.json. Shares nothing with the library. Usage: python3 more.py (takes minutes)."""
import json, os, re
from mpmath import mp, mpf, sqrt, sin, cos, tan, exp, log, atan, atan2, pi, asin, acos, findroot, quad, cosh, sinh, asinh, tanh
mp.dps = 34
FOLDER = os.path.dirname(os.path.abspath(__file__))
K = 10
TOL = mpf(10) ** -25

def gbs(f, t, s, H):
    """One extrapolated step; returns the new state and an error estimate."""
    rows = []
    n = len(s)
    for k in range(1, K + 1):
        m = 2 * k
        h = H / m
        a = s
        d = f(t, s)
        b = [s[i] + h * d[i] for i in range(n)]
        for j in range(1, m):
            d = f(t + j * h, b)
            a, b = b, [a[i] + 2 * h * d[i] for i in range(n)]
        d = f(t + H, b)
        row = [[(a[i] + b[i] + h * d[i]) / 2 for i in range(n)]]
        for j in range(1, k):
            q = mpf(k) ** 2 / mpf(k - j) ** 2 - 1
            row.append([row[j - 1][i] + (row[j - 1][i] - rows[-1][j - 1][i]) / q for i in range(n)])
        rows.append(row)
    e = max(abs(rows[-1][-1][i] - rows[-1][-2][i]) for i in range(n))
    return rows[-1][-1], e

def flow(f, t, s, t_end=None, stop=None, h=mpf('0.05'), skip=0):
    """Integrates s' = f(t, s) to t_end, or until the last of stop() changes sign; stop: list of functions g(t, s).
    Returns t, s, which (index of the stop; -1: the end)."""
    s = [mpf(x) for x in s]
    t = mpf(t)
    stop = stop or []
    g0 = [g(t, s) for g in stop]
    first = True
    while True:
        if t > 100: raise Exception('runs on')
        if t_end is not None and t + h >= t_end: H = t_end - t
        else: H = h
        if H <= 0: return t, s, -1
        y, e = gbs(f, t, s, H)
        if e > TOL * 1000:
            h = H / 2
            continue
        g1 = [g(t + H, y) for g in stop]
        found = None
        for i in range(len(stop)):
            a = g0[i]
            if first and skip is not None and abs(a) < mpf(10) ** -22: continue
            if a * g1[i] <= 0:
                tau = root(f, t, s, H, stop[i], a, g1[i])
                if found is None or tau < found[0]: found = (tau, i)
        if found:
            y, e = gbs(f, t, s, found[0])
            return t + found[0], y, found[1]
        t, s, g0 = t + H, y, g1
        first = False
        if t_end is not None and t >= t_end: return t, s, -1
        if e < TOL: h = H * mpf('1.3') if H == h else h

def root(f, t, s, H, g, ga, gb):
    a, b = mpf(0), H
    # bisection on the step, then secant
    for _ in range(4):
        c = (a + b) / 2
        y, _e = gbs(f, t, s, c)
        gc = g(t + c, y)
        if ga * gc <= 0: b, gb = c, gc
        else: a, ga = c, gc
    x0, f0, x1, f1 = a, ga, b, gb
    for _ in range(20):
        if f1 == f0: break
        x2 = x1 - f1 * (x1 - x0) / (f1 - f0)
        y, _e = gbs(f, t, s, x2)
        f2 = g(t + x2, y)
        if abs(x2 - x1) < mpf(10) ** -28: return x2
        x0, f0, x1, f1 = x1, f1, x2, f2
    return x1

def gradient(run, params, h=mpf(10) ** -8):
    values = run(**params)
    grad = {k: {} for k in values}
    for p in params:
        d = h * max(1, abs(params[p]))
        up = run(**dict(params, **{p: params[p] + d}))
        dn = run(**dict(params, **{p: params[p] - d}))
        for k in values: grad[k][p] = (up[k] - dn[k]) / (2 * d)
    return values, grad

PROBLEMS = []
def problem(name, goal=1e-8):
    """The motion of the model more/NAME.lua: a function of its parameters, whose values are in the model."""
    def wrap(run):
        with open(os.path.join(FOLDER, 'more', name + '.lua')) as file:
            params = dict(re.findall(r'param\("(\w+)", ([^),]+)', file.read()))
        PROBLEMS.append(dict(name=name, params=params, run=run, goal=goal))
        return run
    return wrap

# 1: block on a belt, static and kinetic friction, several cycles; time of every slip and stop, and reactions
@problem('belt_cycle')
def belt(m, k, v, mus, muk, g):
    w = sqrt(k / m); Fs = mus * m * g; Fk = muk * m * g
    out = {}
    # start: at rest relative to ground, slip = -v: slides, friction +Fk until speed v
    t = asin(v / (Fk / k * w)) / w
    c0 = Fk / k
    # x = c0 (1 - cos wt), xd = c0 w sin wt
    T0 = t; x = c0 * (1 - cos(w * t))
    out['@belt.stop#0'] = t
    # friction force on block +Fk; multiplier = -force
    work = -Fk * v * t
    slip2 = quad(lambda u: (c0 * w * sin(w * u) - v) ** 2, [0, t])
    n = 0
    A = (Fs - Fk) / k
    Ts = Tslip = (2 / w) * (pi - atan(A * w / v))
    while True:
        xs = Fs / k
        dt = (xs - x) / v
        # sticking: force on block = k x
        work -= v * k * (xs * xs - x * x) / 2 / v
        t += dt
        out['@belt.slip#%d' % n] = t
        slip = lambda u: c0 + A * cos(w * u) + v / w * sin(w * u)
        rate = lambda u: -A * w * sin(w * u) + v * cos(w * u)
        if t + Tslip > 6:
            u = 6 - t
            out['x_end'] = slip(u); out['v_end'] = rate(u)
            work -= Fk * v * u
            slip2 += quad(lambda u: (rate(u) - v) ** 2, [0, u / 2, u])
            break
        t += Tslip; n += 1
        work -= Fk * v * Tslip
        slip2 += quad(lambda u: (rate(u) - v) ** 2, [0, Tslip / 2, Tslip])
        x = slip(Tslip)
        out['@belt.stop#%d' % n] = t
        if t + (xs - x) / v > 6:
            d = 6 - t; xe = x + v * d
            work -= k * (xe * xe - x * x) / 2
            out['x_end'] = xe; out['v_end'] = v
            break
    out['work'] = work; out['slip2'] = slip2
    return out

# 2: Stribeck curve on a belt, nonlinear friction
@problem('stribeck_cycle')
def stribeck(m, k, v, mu0, dmu, vs, d):
    G = mpf('9.81')
    mu = lambda s: mu0 + dmu * exp(-(s / vs) ** 2)
    f = lambda t, s: [s[1], (-k * s[0] - d * s[1] + mu(s[1] - v) * m * G) / m, -mu(s[1] - v) * m * G * (s[1] - v)]
    out = {}
    t, s, _ = flow(f, 0, [0, 0, 0], stop=[lambda t, s: s[1] - v], h=mpf('0.02'))
    # multiplier*slip = heat: friction force +mu N on block, multiplier = -force; slip<0 -> positive
    n = 0
    while True:
        out['@belt.stop#%d' % n] = t
        xs = ((mu0 + dmu) * m * G - d * v) / k
        dt = (xs - s[0]) / v
        if t + dt > 4:
            out.update(x_end=s[0] + v * (4 - t), v_end=v, heat=s[2]); return out
        t += dt
        out['@belt.slip#%d' % n] = t
        n += 1
        t, s, w = flow(f, t, [xs, v, s[2]], 4, [lambda t, s: s[1] - v], h=mpf('0.02'))
        if w < 0: out.update(x_end=s[0], v_end=s[1], heat=s[2]); return out

# 3: Zeno on a slope with friction: slides through all bounces, then slides at rest and stops
@problem('zeno_slope', goal=1e-6)
def zeno_slope(g, b, e, mu, h, u0):
    # through all bounces: tangential momentum: -g sin b - mu*(normal impulse)
    a = g * cos(b); v = sqrt(2 * h * a); t1 = v / a
    out = {}
    tz = t1 * (1 + e) / (1 - e)
    x = mpf(0); u = u0; t = mpf(0); intx = mpf(0); s = g * sin(b)
    def fly(dt):
        nonlocal x, u, t, intx
        intx += x * dt + u * dt ** 2 / 2 - s * dt ** 3 / 6
        x += u * dt - s * dt ** 2 / 2; u -= s * dt; t += dt
    fly(t1); w = v; blow = mpf(0)
    for i in range(400):
        u -= mu * (1 + e) * w; blow += 2 * (1 + e) * w; w *= e
        if w < mpf(10) ** -38: break
        fly(2 * w / a)
    assert u > 0
    out['@slope.rest#0'] = t
    dec = s + mu * a
    ts = u / dec
    intx += x * ts + u * ts ** 2 / 2 - dec * ts ** 3 / 6
    x += u * ts - dec * ts ** 2 / 2
    out['@slope.stop#0'] = t + ts
    intx += x * (3 - t - ts)
    out.update(blow=blow, x_end=x, int_x=intx, rub=mu * blow)
    return out

# 4: ball with spin bounces: slips in the first blows, grips in a later one
@problem('superball')
def superball(g, r, J, m, e, mu, h, u0, w0):
    v = sqrt(2 * g * h); t = v / g; x = u0 * t; u = u0; w = w0; rub = mpf(0); n = 0
    out = {'@floor#0': t}
    while True:
        N = m * (1 + e) * v
        s = u + r * w
        # T to stop slip: s+ = s + T(1/m + r^2/J) = 0
        T = -s / (1 / m + r * r / J)
        if abs(T) > mu * N: T = -mu * N * (1 if s > 0 else -1); print('slip', float(s)) if 0 else None
        u += T / m; w += T * r / J; rub += T * T; v *= e
        dt = 2 * v / g
        if t + dt > mpf('2.2'):
            d = mpf('2.2') - t
            out.update(u=u, w=w, x_end=x + u * d, rub=rub, y_end=v * d - g * d * d / 2); return out
        x += u * dt; t += dt; n += 1
        out['@floor#%d' % n] = t

# 5: ball slips down a slope, comes to roll; slope given by a body-less model
@problem('slope_roll')
def slope_roll(g, b, mu, J, r, w0, u0):
    N = g * cos(b); s = u0 - r * w0 # > 0: friction on x is -mu N, on th +r mu N
    a = g * sin(b) - mu * N; al = r * mu * N / J
    t = s / (r * al - a); u = u0 + a * t; w = w0 + al * t; x = u0 * t + a * t * t / 2
    out = {'@slope.stop#0': t}
    A = g * sin(b) / (1 + J / r ** 2); F = J / r ** 2 * A
    assert F < mu * N
    d = 2 - t
    out.update(x_end=x + u * d + A * d * d / 2, spin=(u + A * d) / r, grip=(mu * N) ** 2 * t + F ** 2 * d)
    return out

# 6: knife edge on a slope
@problem('knife')
def knife(g, b, w0, u0):
    G = g * sin(b); T = mpf(3)
    V = lambda t: u0 + G / w0 * sin(w0 * t)
    x = quad(lambda t: V(t) * cos(w0 * t), [0, 1, 2, 3]); y = quad(lambda t: V(t) * sin(w0 * t), [0, 1, 2, 3])
    # multiplier: m a = F - A' mu. acceleration normal n = (sin, -cos): a.n = -V w0 ; F.n = G sin
    side = quad(lambda t: (G * sin(w0 * t) + V(t) * w0) ** 2, [0, 1, 2, 3])
    return dict(x_end=x, y_end=y, side=side)

# 7: clutch: two discs, pressure rises; grips, then a load breaks it loose
@problem('clutch_slip')
def clutch(J1, J2, w1, F0, Fd, M, L, Om):
    lim = lambda t: F0 * (1 - exp(-Fd * t / 10)) * (1 - mpf('0.3') * t)
    def slide(sg):
        return lambda t, s: [(M - sg * lim(t)) / J1, (-L * sin(Om * t) + sg * lim(t)) / J2, lim(t) * sg * (s[0] - s[1]), lim(t) ** 2]
    # sticking: common acceleration; torque through the clutch (on b): lam
    acc = lambda t: (M - L * sin(Om * t)) / (J1 + J2)
    lam = lambda t: M - J1 * acc(t)
    stick = lambda t, s: [acc(t), acc(t), mpf(0), lam(t) ** 2]
    out = {}
    t, s, w = flow(slide(1), 0, [w1, 0, 0, 0], 3, [lambda t, s: s[0] - s[1]])
    if w < 0: out.update(wa=s[0], wb=s[1], heat=s[2], hold=s[3]); return out
    out['@clutch.stop#0'] = t
    assert abs(lam(t)) < lim(t)
    t, s, w = flow(stick, t, s, 3, [lambda t, s: lim(t) - lam(t), lambda t, s: lim(t) + lam(t)])
    if w >= 0:
        out['@clutch.slip#0'] = t
        t, s, w = flow(slide(1 if w == 0 else -1), t, s, 3, [lambda t, s: s[0] - s[1]])
        if w >= 0:
            out['@clutch.stop#1'] = t
            raise Exception('stops again')
    out.update(wa=s[0], wb=s[1], heat=s[2], hold=s[3])
    return out

# 8: pendulum with dry friction in its hinge stops in finite time
@problem('pendulum_stops')
def pendulum(m, l, M, th0, d):
    G = mpf('9.81'); sg = -1; t = mpf(0); s = [th0, mpf(0)]; out = {}; n = 0
    while True:
        f = lambda t, s: [s[1], (-m * G * l * sin(s[0]) - d * s[1] - sg * M) / (m * l * l)]
        t, s, w = flow(f, t, s, stop=[lambda t, s: s[1]])
        out['@hinge.stop#%d' % n] = t; n += 1
        q = m * G * l * sin(s[0])
        if abs(q) < M: break
        s = [s[0], mpf(0)]; sg = -sg
    out['th_end'] = s[0]
    out['hold'] = M * M * t + q * q * (6 - t)
    return out


# 10: table shakes; ball bounces to rest on it and leaves again
@problem('table', goal=1e-6)
def table(g, e, A, om, h):
    Y = lambda t: A * sin(om * t); V = lambda t: A * om * cos(om * t); Ac = lambda t: -A * om ** 2 * sin(om * t)
    out = {}; t = mpf(0); y = h; v = mpf(0); blow = push = mpf(0); nr = nl = 0; T = mpf('0.8'); nb = 0
    small = mpf(10) ** -12
    def nexthit(y, v):
        gp = lambda d: y + v * d - g * d * d / 2 - Y(t + d)
        w = v - V(t); a = g + Ac(t)
        step = mpf('0.001')
        if abs(y - Y(t)) < mpf(10) ** -28 and w > 0 and a > 0:
            step = min(step, w / a / 2)
            gp = lambda d: d * (v - g * d / 2) - 2 * A * sin(om * d / 2) * cos(om * (t + d / 2))
        d = step
        while gp(d + step) > 0: d += step
        return sec(gp, d, d + step)
    def sec(f, a, b):
        fa, fb = f(a), f(b)
        for _ in range(12):
            c = (a + b) / 2; fc = f(c)
            if fa * fc <= 0: b, fb = c, fc
            else: a, fa = c, fc
        for _ in range(30):
            if fb == fa or abs(b - a) < mpf(10) ** -39: break
            c = b - fb * (b - a) / (fb - fa); a, fa, b, fb = b, fb, c, f(c)
        return b
    while True:
        d = nexthit(y, v)
        if t + d > T: break
        v = v - g * d; t += d; y = Y(t)
        w = V(t) - v
        blow += (1 + e) * w; v = V(t) + e * w; nb += 1
        if w < small:
            a = g + Ac(t)
            assert a > 0
            t += 2 * e * w / (a * (1 - e)); blow += (1 + e) * e * w / (1 - e)
            out['@table.rest#%d' % nr] = t; nr += 1
            # lies until g + Ac = 0
            tl = t
            f = lambda u: g + Ac(u)
            step = mpf('0.001')
            while f(tl + step) > 0: tl += step
            tl = sec(f, tl, tl + step)
            if tl > T: push += quad(lambda u: f(u) ** 2, [t, T]); t = T; y = Y(T); out.update(y_end=y, blow=blow, push=push); return out
            push += quad(lambda u: f(u) ** 2, [t, (t + tl) / 2, tl])
            t = tl; y = Y(t); v = V(t)
            out['@table.leave#%d' % nl] = t; nl += 1
    d = T - t
    out.update(y_end=y + v * d - g * d * d / 2, blow=blow, push=push)
    return out

# 11: three stacked blocks, the lowest is pulled harder and harder
@problem('stack3')
def stack3(m1, m2, m3, mu0, mu1, mu2, P, g):
    F = lambda t: P * t * exp(-t)
    M = m1 + m2 + m3; f0 = mu0 * M * g; f1 = mu1 * (m2 + m3) * g; f2 = mu2 * m3 * g
    out = {}
    t = findroot(lambda t: F(t) - f0, 0.12)
    out['@floor.slip#0'] = t
    s = [mpf(0)] * 4 # x, v, xu, vu then heat
    f = lambda t, s: [s[1], (F(t) - f0) / M, f0 * s[1]]
    t, s, w = flow(f, t, [0, 0, 0], stop=[lambda t, s: (F(t) - f0) / M - mu1 * g])
    out['@low.slip#0'] = t
    # upper two together if mu2 >= mu1
    f = lambda t, s: [s[1], (F(t) - f0 - f1) / m1, s[3], mu1 * g, f0 * s[1] + f1 * (s[1] - s[3])]
    t, s, w = flow(f, t, [s[0], s[1], s[0], s[1], s[2]], stop=[lambda t, s: s[1] - s[3]])
    out['@low.stop#0'] = t
    acc = lambda t: (F(t) - f0) / M
    assert abs(acc(t)) < mu1 * g, float(acc(t))
    f = lambda t, s: [s[1], acc(t), s[3], acc(t), f0 * s[1]]
    t, s, w = flow(f, t, s, stop=[lambda t, s: s[1]])
    out['@floor.stop#0'] = t
    assert t < 12, float(t)
    out.update(x1=s[0], x2=s[2], x3=s[2], heat=s[4])
    return out


# 13: ladder on floor and wall, friction at both ends; slides down until it leaves the wall
@problem('ladder')
def ladder(L, mw, mf, th0, g):
    l = L / 2
    def react(s):
        th, w = s[0], s[1]
        # x = l sin th, y = l cos th; a = th''
        # x'' = l(cos a - sin w^2) = R - mf N ; y'' = -l(sin a + cos w^2) = N - g + mw R
        # torque about centre (th grows: bottom moves out): J a = -R_w... use energy form: solve 3x3
        J = L ** 2 / 12; c, sn = cos(th), sin(th)
        # forces at bottom (l sin, -l cos): (-mf N, N); top (-l sin, l cos): (R, mw R)
        # th here: dbottom/dth = (l cos, l sin), dtop/dth = (-l cos, -l sin) relative to the centre
        # J a = -mf N l c + N l sn - R l c - mw R l sn
        # unknown N, R, a
        A = [[l * c, mf, -1], [-l * sn, -1, -mw], [J, mf * l * c - l * sn, l * c + mw * l * sn]]
        b = [l * sn * w * w, -g + l * c * w * w, mpf(0)]
        x = mp.lu_solve(mp.matrix(A), mp.matrix(b))
        return x[0], x[1], x[2]
    def f(t, s):
        a, N, R = react(s)
        return [s[1], a, mf * N * L * cos(s[0]) * s[1] + mw * R * L * sin(s[0]) * s[1]]
    out = {}
    T = mpf('1.25')
    t, s, w = flow(f, 0, [th0, 0, 0], T, [lambda t, s: react(s)[2]])
    assert w == 0, float(s[0])
    out['@wall.leave#0'] = t
    J = L ** 2 / 12
    # free of the wall: foot slides: coordinates xb (foot), th
    def free(s):
        th, w = s[0], s[1]; c, sn = cos(th), sin(th)
        # y = l cos th: y'' = -l (sn a + c w^2) = N - g ; J a = N l sn - mf N l c ; x'' = -mf N
        a_N = (g - l * c * w * w) / (1 + l * sn * (l * sn - mf * l * c) / J)
        N = a_N; a = N * (l * sn - mf * l * c) / J
        return a, N
    def f2(t, s):
        a, N = free(s)
        ub = s[3] + l * cos(s[0]) * s[1]
        return [s[1], a, s[3], -mf * N, mf * N * ub]
    t, s, w = flow(f2, t, [s[0], s[1], l * sin(s[0]), l * cos(s[0]) * s[1], s[2]], T, [lambda t, s: s[3] + l * cos(s[0]) * s[1], lambda t, s: cos(s[0])])
    assert w < 0, (w, float(t), float(s[0]))
    out.update(th_end=s[0], x_end=s[2], w_end=s[1], heat=s[4])
    return out

# 14: rod slides on a rough floor (Painleve's, but below the critical friction), foot ahead; slip reverses or sticks
@problem('painleve_rod')
def painleve_rod(mu, u0, th0, w0, g):
    h = mpf(1) / 2; J = mpf(1) / 12
    def dyn(s, sg):  # s: x, th, u(x'), w ; friction on foot -sg mu N
        th, w = s[1], s[3]; c, sn = cos(th), sin(th)
        # y = h sin th; y'' = h(c a - sn w^2) = N - g; J a = r x F, r = foot - centre = -h(c, sn); F = (-sg mu N, N)
        # torque = rx Fy - ry Fx = -h c N + h sn (-sg mu N)... = -h c N - h sn sg mu N  (ry = -h sn: -ry Fx = h sn * (-sg mu N))
        k = -h * c - h * sn * sg * mu
        N = (g - h * sn * w * w) / (1 - h * c * k / J)
        return k * N / J, N, -sg * mu * N
    slip = lambda s: s[2] + h * sin(s[1]) * s[3]
    def f(sg):
        def r(t, s):
            a, N, ax = dyn(s, sg); return [s[2], s[3], ax, a, N * N]
        return r
    # the speed of the centre is u0 - h sin w0, so that the foot has u0
    s = [mpf(0), th0, u0 - h * sin(th0) * w0, w0, mpf(0)]
    out = {}
    T = mpf('0.5')
    t, s, w = flow(f(1), 0, s, T, [lambda t, s: slip(s), lambda t, s: dyn(s, 1)[1]])
    if w == 0:
        out['@foot.stop#0'] = t
        # stick: about the foot
        th, wv = s[1], s[3]; c, sn = cos(th), sin(th)
        a = -g * h * c / (J + h * h)
        ax = -h * (sn * a + c * wv ** 2); N = g + h * (c * a - sn * wv ** 2)
        if abs(ax) < mu * N:
            def st(t, s):
                a = -g * h * cos(s[1]) / (J + h * h)
                N = g + h * (cos(s[1]) * a - sin(s[1]) * s[3] ** 2)
                return [-h * sin(s[1]) * s[3], s[3], -h * (sin(s[1]) * a + cos(s[1]) * s[3] ** 2), a, N * N]
            def lim(sign):
                def q(t, s):
                    d = st(t, s); a = d[3]
                    N = g + h * (cos(s[1]) * a - sin(s[1]) * s[3] ** 2)
                    return mu * N + sign * d[2]
                return q
            t, s, w = flow(st, t, s, T, [lim(1), lim(-1)])
            if w >= 0:
                out['@foot.slip#0'] = t
                # needed tangential force = x''; if x'' > mu N the foot slides backward
                t, s, w = flow(f(1 if w == 0 else -1), t, s, T, [lambda t, s: slip(s)])
                assert w < 0
        else:
            sg = -1
            t, s, w = flow(f(sg), t, s, T, [lambda t, s: slip(s), lambda t, s: dyn(s, sg)[1]])
            assert w < 0
    else: assert w < 0, 'leaves'
    out.update(th_end=s[1], x_end=s[0], press=s[4])
    return out

# 15: Housner's block on a base that moves (sine), exact geometry, no slip
@problem('shaken_block')
def shaken(B, H, th0, A, om, g):
    I = (B * B + H * H) * 4 / 3; R2 = B * B + H * H
    ratio = 1 - mpf(3) / 2 * B * B / R2
    def f(side): # side: -1 on the right corner (th < 0), +1 on the left
        def r(t, s):
            th, w = s[0], s[1]
            # centre relative to the corner: right: (-B, H) rotated by th; left: (B, H)
            bx = B if side > 0 else -B
            cx, cy = bx * cos(th) - H * sin(th), bx * sin(th) + H * cos(th)
            ax = -A * sin(om * t)
            a = (cx * (-g) - cy * ax) / I
            accx = -cy * a - cx * w * w; accy = cx * a - cy * w * w
            N = accy + g; Tt = accx - ax
            return [w, a, N * N if side < 0 else Tt * Tt]
        return r
    out = {}; t = mpf(0); s = [-th0, mpf(0), mpf(0)]; side = -1; nl = nr = 0
    while True:
        t, s, w = flow(f(side), t, s, mpf('1.6'), [lambda t, s: s[0]])
        if w < 0: break
        if side < 0: out['@left#%d' % nl] = t; nl += 1
        else: out['@right#%d' % nr] = t; nr += 1
        side = -side; s = [mpf(0), ratio * s[1], s[2]]
    out.update(th_end=s[0], w_end=s[1], press=s[2])
    return out

# 16: two masses on a belt, coupled, static and kinetic friction
@problem('two_mass')
def two_mass(k1, k2, v, mus, muk, m2, d):
    G = mpf('9.81'); N = [G, G * m2]; m = [mpf(1), m2]
    load = lambda s: [-k1 * s[0] + k2 * (s[1] - s[0]) - d * s[2], -k2 * (s[1] - s[0])]
    md = [0, 0]; s = [mpf(0), mpf('0.12'), v, v, mpf(0)]; t = mpf(0); T = mpf('3.5'); out = {}
    cnt = {}
    def ev(name, t):
        i = cnt.get(name, 0); cnt[name] = i + 1; out['@%s#%d' % (name, i)] = t
    while True:
        def f(t, s):
            L = load(s); a = []
            heat = mpf(0)
            for i in range(2):
                if md[i] == 0: a.append(mpf(0))
                else: a.append((L[i] - md[i] * muk * N[i]) / m[i]); heat += muk * N[i] * md[i] * (s[2 + i] - v)
            return [s[2], s[3], a[0], a[1], heat]
        stops = []; what = []
        for i in range(2):
            if md[i] == 0:
                stops.append(lambda t, s, i=i: mus * N[i] - load(s)[i]); what.append((i, 1))
                stops.append(lambda t, s, i=i: mus * N[i] + load(s)[i]); what.append((i, -1))
            else: stops.append(lambda t, s, i=i: s[2 + i] - v); what.append((i, 0))
        t, s, w = flow(f, t, s, T, stops, h=mpf('0.04'))
        if w < 0: break
        i, q = what[w]
        if q: md[i] = q; ev('ab'[i] + '.slip', t)
        else:
            ev('ab'[i] + '.stop', t); s[2 + i] = v
            L = load(s)[i]
            md[i] = 0 if abs(L) < mus * N[i] else (1 if L > 0 else -1)
    out.update(x1=s[0], x2=s[1], v2=s[3], heat=s[4])
    return out

# 17: corner of 70 degrees: a disc (point) slides along one wall into the other; two walls at once, friction, restitution
@problem('corner')
def corner(b, e, mu, u0, d):
    G = mpf('9.81')
    # slides on the floor
    a = mu * G
    t = (u0 - sqrt(u0 ** 2 - 2 * a * d)) / a
    u = u0 - a * t
    out = {'@wall#0': t}
    vx, vy = -u, mpf(0)
    # try: wall takes part with N1, floor with N2? normal wall n=(sin, -cos), tangent (cos, sin)
    n = (sin(b), -cos(b)); tg = (cos(b), sin(b))
    # gaps' velocities: wall: n.v = -u sin b <0. Newton: n.v+ = e u sin b. Floor gap velocity before 0.
    # wall impulse pushes with -cos b downward: floor takes part. floor: v_y+ = -e*0 = 0. Slide on floor: direction of slip after.
    # unknown N1,T1,N2,T2. try: wall sticks or slides, floor slides.
    best = []
    for m1 in (0, 1, -1):
        for m2 in (0, 1, -1):
            # v+ = v + N1 n + T1 tg + N2 (0,1) + T2 (1,0)
            A = mp.matrix(4, 4); r = mp.matrix(4, 1)
            row = lambda w: [w[0] * n[0] + w[1] * n[1], w[0] * tg[0] + w[1] * tg[1], w[1], w[0]]
            def put(i, vals, rhs):
                for j in range(4): A[i, j] = vals[j]
                r[i] = rhs
            vn = n[0] * vx; vt = tg[0] * vx
            put(0, row(n), -vn - e * vn)
            if m1 == 0: put(1, row(tg), -vt)
            else: put(1, [m1 * mu, 1, 0, 0], 0)
            put(2, row((0, 1)), 0)
            if m2 == 0: put(3, row((1, 0)), -vx)
            else: put(3, [0, 0, m2 * mu, 1], 0)
            try: q = mp.lu_solve(A, r)
            except ZeroDivisionError: continue
            px = vx + q[0] * n[0] + q[1] * tg[0] + q[3]; py = vy + q[0] * n[1] + q[1] * tg[1] + q[2]
            st = px * tg[0] + py * tg[1]
            if q[0] < 0 or q[2] < 0: continue
            if m1 == 0 and abs(q[1]) > mu * q[0]: continue
            if m2 == 0 and abs(q[3]) > mu * q[2]: continue
            if m1 and m1 * st < 0: continue
            if m2 and m2 * px < 0: continue
            best.append((px, py, q[0], m1, m2))
    assert len(best) == 1, best
    px, py, N1 = best[0][:3]
    D = mpf('0.62') - t
    assert px > 0 and abs(py) < mpf(10) ** -25
    ts = px / a
    if ts < D: out['@floor.stop#1'] = t + ts; x = px * ts / 2
    else: x = px * D - a * D * D / 2
    out.update(x_end=x, y_end=mpf(0), blow=N1)
    return out

# 18: wheel rolls into a step and climbs it (inelastic, sticks to the edge), rough
@problem('wheel_step')
def wheel_step(r, h, J, m, u0, g, mu):
    # centre hits at x = -sqrt(r^2-(r-h)^2)
    xs = -sqrt(r * r - (r - h) ** 2); t = (xs + 1) / u0
    out = {'@edge#0': t}
    w = -u0 / r
    # angular momentum about the edge point: L = J w + m (rx vy - ry vx), rx = xs, ry = r - h
    Lm = J * w - m * (r - h) * u0
    I = J + m * r * r
    w = Lm / I  # negative: clockwise
    # pivot: angle: centre = edge + r (sin p, cos p), p from the vertical, p' = -w
    p = asin(xs / r); pd = -w
    # impulse check is left to the program (sticks)
    f = lambda t, s: [s[1], m * g * r * sin(s[0]) / I]
    t, s, wq = flow(f, t, [p, pd], mpf('0.63'), [lambda t, s: g * cos(s[0]) - r * s[1] ** 2, lambda t, s: s[0]])
    assert wq < 0, wq
    out.update(x_end=r * sin(s[0]), w_end=-s[1], y_end=h + r * cos(s[0]))
    return out

# 19: capsule: a mass inside is driven to and fro; the shell creeps by dry friction
@problem('capsule')
def capsule(M, m, A, om, mu, beta):
    G = mpf('9.81'); F = mu * G * (M + m)
    acc = lambda t: -A * om ** 2 * (sin(om * t) + 2 * beta * sin(2 * om * t))
    P = lambda t: -m * acc(t)
    t = mpf(0); s = [mpf(0)] * 3; md = 0; out = {}; cnt = {}; T = mpf('1.5')
    def ev(name, t):
        i = cnt.get(name, 0); cnt[name] = i + 1; out['@%s#%d' % (name, i)] = t
    while True:
        if md == 0:
            t, s, w = flow(lambda t, s: [mpf(0)] * 3, t, s, T, [lambda t, s: F - P(t), lambda t, s: F + P(t)], h=mpf('0.02'))
            if w < 0: break
            md = 1 if w == 0 else -1; ev('floor.slip', t)
        else:
            t, s, w = flow(lambda t, s: [s[1], (P(t) - md * F) / (M + m), md * F * s[1]], t, s, T, [lambda t, s: s[1]], h=mpf('0.02'))
            if w < 0: break
            ev('floor.stop', t); s[1] = mpf(0)
            md = 0 if abs(P(t)) < F else (1 if P(t) > 0 else -1)
    out.update(x_end=s[0], heat=s[2])
    return out

# 20: gripper lets go: a block is held between two jaws by friction, the force fades, it slips, falls on the floor and rests
@problem('gripper', goal=1e-6)
def gripper(F0, tau, mu, m, e, h, g):
    F = lambda t: F0 * exp(-t / tau)
    t = tau * log(2 * mu * F0 / (m * g))
    out = {'@left.slip#0': t}
    # hold: each jaw bears half while it sticks
    hold = (m * g / 2) ** 2 * t
    T = mpf('1.5')
    z0 = h; zint = h * t
    # slide down: z'' = -g + 2 mu F/m
    s = [h, mpf(0), zint, hold]; blow = mpf(0)
    down = True
    fl = lambda sg: (lambda tt, s: [s[1], -g - sg * (2 * mu / m) * F(tt), s[0], (mu * F(tt)) ** 2])
    t, s, w = flow(fl(-1), t, s, T, [lambda t, s: s[0]])
    n = 0
    while True:
        out['@floor#%d' % n] = t; n += 1
        v = -s[1]
        blow += m * (1 + e) * v
        if v < mpf(10) ** -9:
            a = g - 0
            break
        s = [mpf(0), e * v, s[2], s[3]]
        # up: friction down
        hstep = min(mpf('0.02'), v / g / 2)
        t, s, w = flow(fl(1), t, s, T, [lambda t, s: s[1]], h=hstep)
        s[1] = mpf(0)
        # at the top: falls again (friction cannot hold)
        assert 2 * mu * F(t) < m * g
        t, s, w = flow(fl(-1), t, s, T, [lambda t, s: s[0]], h=hstep)
    # tail (up with a1 = g + 2 mu F/m, down with a2): ratio
    a1 = g + 2 * mu * F(t) / m; a2 = g - 2 * mu * F(t) / m
    q = e * sqrt(a2 / a1)
    # each bounce: touch speed v -> e v -> up e v/a1, down: speed e v sqrt(a2/a1), time e v /sqrt(a1 a2)
    t += (e * v / a1 + e * v / sqrt(a1 * a2)) / (1 - q)
    blow += m * (1 + e) * v * q / (1 - q)
    k0 = n
    for k in list(out):
        if k.startswith('@floor#') and int(k[7:]) > 5: del out[k]
    out['@floor.rest#0'] = t
    # lies still: friction of the jaws: slip zero; they may carry anything: hold after rest is not determined
    out.update(blow=blow, z_int=s[2])
    return out


if __name__ == '__main__':
    rows = []
    for p in PROBLEMS:
        values, slopes = gradient(p['run'], {k: mpf(v) for k, v in p['params'].items()})
        rows.append({'id': p['name'], 'tolerance': p['goal'], 'value': {k: mp.nstr(v, 22) for k, v in values.items()},
                     'gradient': {k: {q: '%.17g' % float(x) for q, x in g.items()} for k, g in slopes.items()}})
    with open(os.path.join(FOLDER, 'more.json'), 'w') as file: json.dump(rows, file, indent=1)
