"""Motions of models in more/ from event to event, and their derivatives by differences: makes events.json. Mechanisms are
written here anew with energies, gaps and slips in SymPy, which become C++ (events.hpp); nothing is shared with the
library. Usage: python3 events.py [NAME]... (needs SymPy, NumPy and g++; takes minutes)."""
import json, os, re, subprocess, sys, tempfile
import numpy
from sympy import Rational, Symbol, ccode, cos, cse, diff, exp, numbered_symbols, pi, sin, sqrt, sympify
from sympy.codegen.ast import float80, real

FOLDER = os.path.dirname(os.path.abspath(__file__))
t = Symbol('t')
g = Rational(981, 100)

def emit(rows):
    """Assignments of expressions, with common parts computed once."""
    parts, whole = cse([sympify(e) for _, e in rows], symbols=numbered_symbols('part_'))
    code = lambda e: ccode(e, type_aliases={real: float80})
    return ''.join('    const long double %s = %s;\n' % (a, code(b)) for a, b in parts) + \
           ''.join('    %s = %s;\n' % (row[0], code(e)) for row, e in zip(rows, whole))

class Mechanism:
    """Lagrange's equations, contacts, start values and what is measured; all numbers that more/NAME.lua calls parameters
    are symbols. Sizes are what rounding errors are compared with."""
    def __init__(self, name, coordinates):
        with open(os.path.join(FOLDER, 'more', name + '.lua')) as file:
            self.params = dict(re.findall(r'param\("(\w+)", ([^),]+)', file.read()))
        for key in self.params: setattr(self, key, Symbol(key))
        self.name = name
        self.q = [Symbol(n) for n in coordinates.split()]
        self.v = [Symbol('d' + n) for n in coordinates.split()]
        self.energy = self.potential = 0
        self.forces, self.places, self.speeds, self.finals, self.integrals = {}, {}, {}, {}, {}
        self.contacts, self.section, self.horizon, self.unknowns = [], None, 1, {}
        self.sizes = dict(LENGTH=1, SPEED=1, ACCELERATION=10, FORCE=10, IMPULSE=1, STEPS=150, DIFFERENCE=1e-4)
    def contact(self, name, gap=None, slip=None, mu=0, kinetic=None, e=0, rests=True):
        """Without a gap mu is the largest force."""
        self.contacts.append(dict(name=name, gap=gap, slip=slip, mu=mu, kinetic=mu if kinetic is None else kinetic, e=e, rests=rests))
    def rate(self, e): return sum(diff(e, q) * v for q, v in zip(self.q, self.v)) + diff(e, t)
    def equations(self):
        n, momenta = len(self.q), [diff(self.energy, v) for v in self.v]
        for i in range(n):
            force = sympify(self.forces.get(str(self.q[i]), 0)) + diff(self.energy - self.potential, self.q[i])
            yield 'E.h[%d]' % i, force - self.rate(momenta[i])
            for j in range(n): yield 'E.M[%d]' % (i * n + j), diff(momenta[i], self.v[j])
        for c, k in enumerate(self.contacts):
            gap, slip = sympify(k['gap'] or 0), sympify(k['slip'] or 0)
            for what, e in (('gap', gap), ('gap_t', diff(gap, t)), ('bN', self.rate(self.rate(gap))), ('slip', slip), ('bT', self.rate(slip)),
                            ('mu_static', k['mu']), ('mu_kinetic', k['kinetic']), ('e', k['e'])):
                yield 'E.%s[%d]' % (what, c), e
            for i in range(n):
                yield 'E.wN[%d][%d]' % (c, i), diff(gap, self.q[i])
                yield 'E.wT[%d][%d]' % (c, i), diff(slip, self.v[i])
    def source(self):
        finals = list(self.finals.values()) + ([] if self.section is None else [self.section])
        table = lambda items: '{' + ', '.join(list(items) + ['0']) + '}'
        flags = lambda what: table(str(int(bool(what(k)))) for k in self.contacts)
        texts = lambda items: table('"%s"' % x for x in items)
        params = ''.join('    const long double %s = p[%d];\n' % (k, i) for i, k in enumerate(self.params))
        state = ''.join('    const long double %s = q[%d], d%s = v[%d];\n' % (x, i, x, i) for i, x in enumerate(self.q))
        loads = ''.join('    const long double N_%d = lN[%d], T_%d = lT[%d];\n' % (c, c, c, c) for c in range(len(self.contacts)))
        out = lambda es: emit([('out[%d]' % i, e) for i, e in enumerate(es)])
        begin = [('%s[%d]' % (a, i), values.get(str(x), 0)) for a, values in (('q', self.places), ('v', self.speeds)) for i, x in enumerate(self.q)]
        return ''.join(['enum { N = %d, CONTACTS = %d, PARAMS = %d, INTEGRALS = %d, FINALS = %d, HAS_END = %d };\n' %
                (len(self.q), len(self.contacts), len(self.params), len(self.integrals), len(finals), self.section is not None),
            'static const bool HAS_GAP[] = %s, HAS_SLIP[] = %s, RESTS[] = %s;\n' %
                (flags(lambda k: k['gap'] is not None), flags(lambda k: k['slip'] is not None), flags(lambda k: k['rests'])),
            'static const char *const NAMES[] = %s, *const VALUES[] = %s, *const PARAM_NAMES[] = %s;\n' %
                (texts(k['name'] for k in self.contacts), texts(self.params.values()), texts(self.params)),
            ''.join('static const long double %s = %r;\n' % (k, float(v)) for k, v in self.sizes.items()), '#include "events.hpp"\n',
            'static void eval(real t, const real *q, const real *v, const real *p, terms &E)\n{\n', params, state, emit(list(self.equations())), '}\n',
            'static void integrands(real t, const real *q, const real *v, const real *p, const real *lN, const real *lT, real *out)\n{\n',
            params, state, loads, out(self.integrals.values()), '}\n',
            'static void finals(real t, const real *q, const real *v, const real *p, real *out)\n{\n', params, state, out(finals), '}\n',
            'static void start(const real *p, real *q, real *v, real *end)\n{\n', params, emit(begin + [('*end', self.horizon)]), '}\n'])
    def run(self):
        """{name: value}, {name: {parameter: derivative}}, of all that is measured and of the time at the end."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'program')
            with open(program + '.cpp', 'w') as file: file.write(self.source())
            subprocess.run(['g++', '-O3', '-w', '-I' + FOLDER, program + '.cpp', '-o', program], check=True)
            answer = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
        names = list(self.finals) + list(self.integrals) + ['(time)']
        return dict(zip(names, answer['value'])), {n: {p: answer[p][i] for p in self.params} for i, n in enumerate(names)}

PROBLEMS = {}
def problem(make):
    PROBLEMS[make.__name__] = make
    return make

def mechanism(name, coordinates):
    m = Mechanism(name, coordinates)
    return [m] + m.q + m.v

# ---- motions ----------------------------------------------------------------------------------------------------------

@problem
def drawer_clearance(name):
    """A drawer with play turns between its guides, jams and slides on."""
    m, x, y, th, dx, dy, dth = mechanism(name, 'x y th')
    m.energy = dx**2 + dy**2 + Rational(3, 200) * dth**2
    m.forces = dict(x=m.F * exp(-t) - dx / 2, y=-2 * y, th=m.F * m.b * exp(-t))
    m.contact('front', gap=m.c - y - m.L * th, slip=dx, mu=m.mu)
    m.contact('rear', gap=m.c + y - m.L * th, slip=dx, mu=m.mu)
    m.finals, m.integrals, m.horizon = dict(way=x, rate=dx), dict(turn=th**2), Rational(3, 2)
    return m

@problem
def brake(name):
    """A flywheel with Stribeck friction under a torque that changes its sign."""
    m, a, da = mechanism(name, 'a')
    m.energy, m.forces = da**2 / 2, dict(a=m.A * sin(2 * t))
    m.contact('shoe', slip=da, mu=m.Fs, kinetic=m.Fk + (m.Fs - m.Fk) * exp(-(da / m.ws)**2))
    m.speeds, m.finals, m.integrals, m.horizon = dict(a=m.w0), dict(a=a, w=da), dict(e=da**2), 6
    return m

@problem
def chatter(name):
    """A ball comes to rest on a table that shakes, is thrown off and comes to rest again."""
    m, y, dy = mechanism(name, 'y')
    m.energy, m.forces = dy**2 / 2, dict(y=-g)
    m.contact('table', gap=y - m.A * sin(m.w * t), e=m.e)
    m.places, m.finals, m.integrals = dict(y=Rational(1, 20)), dict(y=y, v=dy), dict(i=y**2)
    return m

@problem
def pushed_pendulum(name):
    """A pendulum with friction in its joint rests at a wall, leaves it and rests there again."""
    m, th, dth = mechanism(name, 'th')
    m.energy, m.potential, m.forces = dth**2 / 2, -g * cos(th), dict(th=m.A * sin(m.w * t))
    m.contact('pin', slip=dth, mu=m.F)
    m.contact('wall', gap=th + Rational(1, 5), e=m.e)
    m.finals, m.integrals, m.horizon = dict(th=th, w=dth), dict(i=th), 4
    return m

@problem
def rimless_feet(name):
    """A rimless wheel on rough feet: one lands, the other leaves."""
    m, x, y, th, dx, dy, dth = mechanism(name, 'x y th')
    m.energy = (dx**2 + dy**2 + m.J * dth**2) / 2
    m.forces = dict(x=g * sin(m.al), y=-g * cos(m.al))
    for k in range(4):
        turned = th - pi / 2 + k * pi / 4
        m.contact('s%d' % k, gap=y + m.L * sin(turned), slip=dx - m.L * sin(turned) * dth, mu=m.mu)
    m.places, m.speeds = dict(y=m.L), dict(th=m.w0, x=-m.w0 * m.L)
    m.finals, m.integrals, m.horizon = dict(x=x, th=th, w=dth), dict(i=y), Rational(4, 5)
    return m

@problem
def tipping_box(name):
    """A box is pushed over its edge and falls back."""
    m, x, y, th, dx, dy, dth = mechanism(name, 'x y th')
    push = m.F * (t / m.T0)**2 * exp(1 - (t / m.T0)**4)
    m.energy = (dx**2 + dy**2 + (m.a**2 + m.h**2) / 3 * dth**2) / 2
    m.forces = dict(x=push, y=-g, th=-push * m.h)
    m.contact('left', gap=y - m.a * sin(th) - m.h * cos(th))
    m.contact('right', gap=y + m.a * sin(th) - m.h * cos(th), slip=dx - m.a * sin(th) * dth + m.h * cos(th) * dth, mu=m.mu)
    m.places, m.finals, m.integrals, m.horizon = dict(y=m.h), dict(th=th, x=x, w=dth), dict(i=y), Rational(7, 5)
    return m

@problem
def wedge(name):
    """A block on a wedge that slides itself, held by a spring."""
    m, X, Y, x, y, dX, dY, dx, dy = mechanism(name, 'X Y x y')
    c, s = cos(m.al), sin(m.al)
    m.energy = (m.M * (dX**2 + dY**2) + dx**2 + dy**2) / 2
    m.forces = dict(X=-3 * X, Y=-m.M * g, y=-g)
    m.contact('floor', gap=Y, slip=dX, mu=m.mf)
    m.contact('slope', gap=(y - Y) * c - (x - X) * s, slip=(dx - dX) * c + (dy - dY) * s, mu=m.mu)
    m.speeds, m.finals, m.integrals, m.horizon = dict(x=m.u0 * c, y=m.u0 * s), dict(X=X, x=x, v=dx), dict(i=X**2), 2
    return m

@problem
def waving_gravity(name):
    """A ball slides and bounces to rest while gravity oscillates."""
    m, y, x, dy, dx = mechanism(name, 'y x')
    m.energy, m.forces = (dy**2 + dx**2) / 2, dict(y=-g * (1 + m.b * sin(m.w * t)))
    m.contact('floor', gap=y, slip=dx, mu=m.mu, e=m.e)
    m.places, m.speeds, m.finals, m.integrals, m.horizon = dict(y=m.h), dict(x=5), dict(x=x, v=dx), dict(i=y), 2
    return m

@problem
def rod_hits(name):
    """A rod hits the floor with one end, then with the other: friction reverses the slip or stops it."""
    m, x, y, th, dx, dy, dth = mechanism(name, 'x y th')
    m.energy, m.potential = (dx**2 + dy**2 + dth**2 / 12) / 2, g * y
    for end, s in (('A', -1), ('B', 1)):
        m.contact(end, gap=y + s * sin(th) / 2, slip=dx - s * sin(th) / 2 * dth, mu=m.mu, e=m.e, rests=False)
    m.places, m.speeds = dict(y=1, th=m.th0), dict(x=m.u0, th=m.w0)
    m.finals, m.integrals, m.horizon = dict(x=x, th=th, w=dth), dict(i=y), Rational(55, 100)
    return m

@problem
def train(name):
    """Three blocks with dry friction bump into each other, come to rest against each other, and go on."""
    m, a, b, c, da, db, dc = mechanism(name, 'a b c')
    m.energy, m.forces = (da**2 + 2 * db**2 + dc**2) / 2, dict(a=m.F * cos(2 * t))
    for block, rate, mass in (('A', da, 1), ('B', db, 2), ('C', dc, 1)): m.contact(block, slip=rate, mu=m.mu * mass * g)
    m.contact('ab', gap=b - a, e=m.e)
    m.contact('bc', gap=c - b, e=m.e)
    m.places, m.speeds = dict(b=Rational(1, 2), c=1), dict(a=m.u)
    m.finals, m.integrals, m.horizon = dict(a=a, b=b, c=c), dict(i=da**2), 4
    return m

@problem
def bouncing_block(name):
    """A block bounces on its two edges with a restitution of 0.6: series of bounces within series of swings."""
    m, x, y, th, dx, dy, dth = mechanism(name, 'x y th')
    h = Rational(1, 2)
    m.energy, m.potential = (dx**2 + dy**2 + (m.a**2 + h**2) / 3 * dth**2) / 2, g * y
    for edge, s in (('left', -1), ('right', 1)): m.contact(edge, gap=y + s * m.a * sin(th) - h * cos(th), e=m.e)
    m.places, m.speeds = dict(y=Rational(7, 10), th=m.tilt), dict(x=Rational(2, 5), th=Rational(3, 10))
    m.finals, m.integrals, m.horizon = dict(place=x), dict(height=y, sway=th**2, path=dx * y), 2
    m.sizes.update(STEPS=30, DIFFERENCE=2e-5)
    return m

# ---- motions that repeat themselves: from a section to the next --------------------------------------------------------

@problem
def woodpecker_cycle(name):
    """Glocker's woodpecker. The section is in free flight, after the beak has hit the pole."""
    m, y, pM, pS, dy, dpM, dpS = mechanism(name, 'y phiM phiS')
    mM, JM, mS, JS = (Rational(x) for x in ('0.0003', '5e-9', '0.0045', '7e-7'))
    r0, rM, hM, lM, lG, hS, lS = (Rational(x) for x in ('0.0025', '0.0031', '0.0058', '0.010', '0.015', '0.02', '0.0201'))
    m.energy = (mM * dy**2 + JM * dpM**2 + JS * dpS**2 + mS * (dy + lM * dpM + lG * dpS)**2) / 2
    m.potential = (mM + mS) * m.g * y + mS * m.g * (lM * pM + lG * pS) + m.c * (pM - pS)**2 / 2
    m.contact('beak', gap=lM + lG - lS - r0 - hS * pS, slip=dy + lM * dpM + (lG - lS) * dpS, mu=m.mu, e=m.e)
    m.contact('lower', gap=rM - r0 + hM * pM, slip=dy + rM * dpM, mu=m.mu)
    m.contact('upper', gap=rM - r0 - hM * pM, slip=dy + rM * dpM, mu=m.mu)
    m.places, m.speeds = dict(phiM=m.pM0), dict(y=m.dy0, phiM=m.dpM0, phiS=m.dpS0)
    m.unknowns, m.section, m.horizon = dict(pM0=pM, dy0=dy, dpM0=dpM, dpS0=dpS), pS, Rational(3, 10)
    m.sizes.update(LENGTH=1e-2, SPEED=0.1, FORCE=0.05, IMPULSE=1e-4, STEPS=400, DIFFERENCE=1e-5)
    return m

@problem
def belt_period(name):
    m, x, y, dx, dy = mechanism(name, 'x y')
    m.energy, m.forces = m.m * (dx**2 + dy**2) / 2, dict(x=-m.k * x, y=-m.m * g)
    m.contact('belt', gap=y, slip=dx - m.u, mu=m.mus, kinetic=m.muk)
    m.places, m.speeds = dict(x=Rational(1, 20)), dict(x=m.u0)
    m.unknowns, m.section, m.horizon = dict(u0=dx), x - Rational(1, 20), 4
    return m

@problem
def stribeck_period(name):
    m, x, y, dx, dy = mechanism(name, 'x y')
    m.energy, m.forces = m.m * (dx**2 + dy**2) / 2, dict(x=-m.k * x - m.d * dx, y=-m.m * g)
    m.contact('belt', gap=y, slip=dx - m.u, mu=m.mu0 + m.dmu * exp(-((dx - m.u) / m.vs)**2))
    m.places, m.speeds = dict(x=Rational(1, 20)), dict(x=m.u0)
    m.unknowns, m.section, m.horizon = dict(u0=dx), x - Rational(1, 20), 4
    return m

@problem
def two_mass_period(name):
    """Two masses on a belt slip in turn and together, nine events a period."""
    m, x1, x2, y1, y2, d1, d2, e1, e2 = mechanism(name, 'x1 x2 y1 y2')
    m.energy = (d1**2 + e1**2 + m.m2 * (d2**2 + e2**2)) / 2
    m.potential = m.k1 * x1**2 / 2 + m.k2 * (x2 - x1)**2 / 2
    m.forces = dict(x1=-m.d * d1, y1=-g, y2=-g * m.m2)
    m.contact('a', gap=y1, slip=d1 - m.u, mu=m.mus, kinetic=m.muk)
    m.contact('b', gap=y2, slip=d2 - m.u, mu=m.mus, kinetic=m.muk)
    m.places, m.speeds = dict(x1=Rational(6, 25), x2=m.x20), dict(x1=m.u1, x2=m.u2)
    m.unknowns, m.section, m.horizon = dict(x20=x2, u1=d1, u2=d2), x1 - Rational(6, 25), 6
    return m

# ---- answers ----------------------------------------------------------------------------------------------------------

def motion(m):
    values, slopes = m.run()
    rests = any(k['rests'] and k['e'] != 0 for k in m.contacts)
    del values['(time)'], slopes['(time)']
    return {'id': m.name, 'tolerance': 1e-6 if rests else 1e-8, 'value': values, 'gradient': slopes}

def cycle(m):
    """Newton's method for the fixed point of the map from section to section; its eigenvalues, and derivatives."""
    unknowns, by = list(m.unknowns), [p for p in m.params if p not in m.unknowns]
    m.finals = m.unknowns
    for _ in range(6):
        values, slopes = m.run()
        x = numpy.array([float(m.params[k]) for k in unknowns])
        matrix = lambda rows, columns: numpy.array([[float(slopes[r][c]) for c in columns] for r in rows])
        J = matrix(unknowns, unknowns)
        change = numpy.linalg.solve(numpy.eye(len(x)) - J, numpy.array([float(values[k]) for k in unknowns]) - x)
        m.params.update({k: '%.17g' % v for k, v in zip(unknowns, x + change)})
        if max(abs(change)) < 1e-13: break
    moved = numpy.linalg.solve(numpy.eye(len(x)) - J, matrix(unknowns, by))
    period = matrix(['(time)'], by) + matrix(['(time)'], unknowns) @ moved
    largest = max(numpy.linalg.eigvals(J), key=abs)
    assert abs(largest.imag) < 1e-12
    return {'id': m.name, 'tolerance': 1e-8, 'start': {k: m.params[k] for k in unknowns}, 'period': values['(time)'],
            'multiplier': '%.12g' % largest.real, 'period_gradient': {k: '%.12g' % v for k, v in zip(by, period[0])},
            'start_gradient': {u: {k: '%.12g' % v for k, v in zip(by, row)} for u, row in zip(unknowns, moved)}}

if __name__ == '__main__':
    path = os.path.join(FOLDER, 'events.json')
    rows = {row['id']: row for row in json.load(open(path))} if os.path.exists(path) else {}
    for name in sys.argv[1:] or PROBLEMS:
        m = PROBLEMS[name](name)
        rows[name] = cycle(m) if m.unknowns else motion(m)
        with open(path, 'w') as file: json.dump([rows[n] for n in PROBLEMS if n in rows], file, indent=1)
        print(name, flush=True)
