"""Models built in Python: every word, expressions, mistakes."""
import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import MODELS

import saltus
from saltus import _builder
from saltus import cos, ddot, dot, hypot, sin


def finish(m, x=None):
    if x is None:
        x = m.coordinate("x", start=1)
        m.mass(x, 1)
    m.cost("c", final=x)
    m.horizon(0, 1)
    return m


def test_the_five_bar_built_in_python_has_the_digits_of_the_script(five_bar):
    m = saltus.Model("five-bar")
    k1, k2 = m.param("k1", 100, unit="N/m"), m.param("k2", 100)
    L01, L02 = m.param("L01", np.sqrt(5)), m.param("L02", np.sqrt(17) / 2)
    m2, g, e, yg = m.param("m2", 1.5), m.param("g", 9.81), m.param("e", 1), m.param("yg", -2.35)
    LA1, L32 = m.param("LA1", np.sqrt(2)), m.param("L32", np.sqrt(13) / 2)
    x20, y20 = m.param("x20", 0), m.param("y20", -2)
    m.gravity(0, -g)
    A, B = m.ground_point(-0.5, 0), m.ground_point(0.5, 0)
    P1 = m.point("P1", guess=[-1.5, -1])
    P2 = m.point("P2", x=x20, y=y20)
    P3 = m.point("P3", guess=[1.5, -1])
    m.bar(A, P1, mass=1.0, length=LA1, name="A-1")
    m.bar(P1, P2, mass=m2, length=np.sqrt(13) / 2, name="1-2")
    m.bar(P2, P3, mass=1.5, length=L32, name="2-3")
    m.bar(P3, B, mass=1.0, length=np.sqrt(2), name="3-B")
    m.spring(A, P3, stiffness=k1, length=L01)
    m.spring(A, P2, stiffness=k2, length=L02)
    m.event("ground", when=P2.y - yg, direction="falling", set={dot(P2.y): -e * dot(P2.y)})
    m.cost("int_yd2", integral=dot(P2.y))
    m.cost("int_ydd2sq_plus_yd2sq", integral=ddot(P2.y)**2 + dot(P2.y)**2)
    m.cost("int_musq", integral=sum((m.multiplier(n)**2 for n in ("1-2", "2-3", "3-B")), m.multiplier("A-1")**2))
    m.horizon(0, 2)
    costs = ["int_yd2", "int_ydd2sq_plus_yd2sq", "int_musq"]
    ours, theirs = m(), five_bar()
    for cost in costs:
        assert np.isclose(ours.costs[cost], theirs.costs[cost], rtol=1e-7)
        assert np.allclose(ours.gradient[cost], theirs.gradient[cost], rtol=1e-5, atol=1e-6)
    again = saltus.loads(m.script)
    assert (np.asarray(again().costs) == np.asarray(ours.costs)).all()


def test_every_word_of_the_language_can_be_called():
    m = saltus.Model("words", folder=MODELS)
    called = set()

    def word(path, /, *arguments, **options):
        called.add(path.split(".")[0])
        target = m
        for part in path.split("."):
            target = getattr(target, part)
        return target(*arguments, **options)

    k = word("param", "k", 2, lower=0, unit="N/m", doc="stiffness")
    assert word("setting", "n", 3) == 3
    x = word("coordinate", "x", start=0.5, speed=k / 10)
    word("mass", x, 1)
    word("force", x, -x)
    word("kinetic", 0.5 * dot(x)**2)
    word("potential", k * x**2)
    word("dissipation", 0.1 * dot(x)**2)
    c = word("memory", "c", 0)
    u = word("control", "u", nodes=3, kind="linear", start=0.1)
    word("force", x, u * m.t + c)
    s = word("state", "s", start=1, rate=lambda s: -s)
    z = word("state", "z")
    word("rate", z, s)
    up, down = word("mode", "up", group="h"), word("mode", "down", group="h")
    A, P = word("ground_point", 0, 0), word("point", "P", x=0.5, y=-1, speed=[0.2, 0])
    word("mass", P, 1)
    word("gravity", 0, -9.81)
    word("spring", A, P, stiffness=k, length=1)
    word("damper", A, P, damping=0.1)
    Q = word("point", "Q", guess=[1, 0])
    word("mass", Q, 1)
    word("rod", A, Q, length=1, name="rod")
    R = word("point", "R", guess=[0, 2])
    word("bar", A, R, mass=1, length=2)
    body = word("body", "B", y=1, angle=0.2, mass=2, inertia=0.1)
    body2 = word("body", "B2", guess=[0, 3, 0], mass=2, inertia=0.1)
    word("torsion_spring", body, stiffness=3, damping=0.1)
    word("joint.revolute", body2.point(0, 0), word("ground_point", 0, 3))
    word("motor", body2, angle=0.1 * m.t, name="motor")
    word("gear", body, word("body", "B3", mass=2, inertia=0.1), ratio=2, name="gear")
    floor = word("contact", body.point(0, 0), line=[word("ground_point", 0, -5), word("ground_point", 1, -5)],
                 restitution=0.5, settle=0.1, name="floor")
    y = word("coordinate", "y", start=0.1, speed=2)
    word("mass", y, 1)
    word("friction", y, limit=0.5, name="rub")
    xi, th = word("coordinate", "xi", speed=1), word("coordinate", "th", speed=1)
    word("mass", xi, 1)
    word("mass", th, 1)
    word("rolling", "wheel", dot(xi) - dot(th))
    a, b = word("coordinate", "a", start=1), word("coordinate", "b", guess=1)
    word("mass", a, 1)
    word("mass", b, 1)
    word("constraint", "equal", a - b)
    word("event", "hit", when=x - 0.2, direction="falling", from_=up, to=down,
         set={dot(x): -0.5 * word("before", dot(x)), c: c + word("after", dot(x))}, charge={"blows": 1.0})
    word("event", "bounce", when=P.y + 2, direction="falling", restitution=0.7,
         charge={"blows": word("impulse", "bounce")})
    word("cost", "blows")
    word("cost", "sampled", at=[0.1, 0.2], each=lambda k: (x - 0.1 * k)**2)
    cam = word("curve", x=[-3, 0, 1, 3], y=[0, k, 1, 0], kind="cubic")
    word("force", x, cam(x) * word("step", x, 0.1) + word("pulse", m.t, 0.1, 0.2) + word("mod", m.t, 0.5, 0.1))
    word("output", "o", word("multiplier", "rod") + word("ddot", x) + word("dot", x), unit="N")
    word("draw.line", A, P, style="dashed")
    word("draw.circle", P, radius=0.1)
    word("draw.trace", P)
    word("solver", rtol=1e-8)
    word("measurement", "height", of=x, at=np.array([0.1, 0.2]), value=[0.5, 0.4], sigma=0.1)
    m.goal(minimise="blows", over=["k"])
    v0 = word("param", "v0", 0.3, fixed=True)
    w = word("coordinate", "w", start=v0)
    word("mass", w, 1)
    m.repeats({v0: w})
    word("horizon", 0, 0.3)
    for name in saltus._builder.FUNCTIONS:
        called.add(name)
        function = getattr(m, name)
        two = name in ("atan2", "hypot", "pow", "min", "max")
        word("output", f"f {name}", function(0.3 + 0.01 * m.t, 0.5) if two else function(0.3 + 0.01 * m.t))
    called |= {"t", "model", "optimise", "periodic"}
    assert floor.closed is not None
    not_here = {"data", "include"}  # tested with files
    assert set(saltus.words()) - called == not_here
    with pytest.warns(saltus.SaltusWarning, match="do not determine 'Q.y'") as caught:
        run = m()
    assert caught[0].filename == __file__
    assert run.outcome == "end"
    assert run.gradient.shape == (2, len(m.free))


def test_files_beside_the_model(tmp_path):
    (tmp_path / "points.csv").write_text("t,height\n0.1,1\n0.2,3\n")
    (tmp_path / "leg.lua").write_text('local x = ...\nlocal k = param("k", 7)\nforce(x, -k * x)\nreturn k\n')
    m = saltus.Model("files", folder=tmp_path)
    x = m.coordinate("x", start=1)
    m.mass(x, 1)
    k = m.include("leg.lua", "left", x)
    d = m.data("points")
    m.cost("c", final=x * k)
    m.measurement("heights", of=x, at=d.t, value=d.height)
    m.horizon(0, 1)
    assert m.params["left.k"] == 7.0
    assert np.isclose(m().costs["c"], 7 * np.cos(np.sqrt(7)))


def test_expressions_mean_what_python_means():
    m = saltus.Model()
    x = m.coordinate("x", start=1.3, speed=0.4)
    m.mass(x, 1)
    expressions = [lambda v, f: 2 - (3 - v), lambda v, f: -v**2, lambda v, f: (-v)**2, lambda v, f: 2**-v,
                   lambda v, f: (v**2)**3, lambda v, f: v**2**1.5, lambda v, f: 6 / (v / 2), lambda v, f: 6 / v / 2,
                   lambda v, f: -(-v), lambda v, f: 1 - -v, lambda v, f: abs(v - 2), lambda v, f: +v * (v - 1) * -2,
                   lambda v, f: np.float64(2) * v, lambda v, f: v / np.int64(3), lambda v, f: f.sin(v) - f.cos(2 * v),
                   lambda v, f: np.sqrt(v), lambda v, f: sum([v] * 40) / 7]
    for i, e in enumerate(expressions):
        m.cost(f"c{i}", final=e(x, saltus))
    m.horizon(0, 1)
    run = m()
    at = run.final["x"]
    for i, e in enumerate(expressions):
        assert np.isclose(run.costs[f"c{i}"], e(at, np), rtol=1e-12), i


def test_functions_of_numbers_are_numbers():
    # NumPy's functions have vector code of their own on some processors, which differs in the last digit.
    assert saltus.sin(0.3) == math.sin(0.3) and saltus.max(1, 2, 3) == 3 and saltus.hypot(3, 4) == 5
    assert saltus.atan2(1, -1) == math.atan2(1, -1)


def test_long_expressions_are_shared():
    """Twenty doublings are twenty lines, not a million terms."""
    m = saltus.Model()
    x = m.coordinate("x", start=1)
    m.mass(x, 1)
    e = x
    for _ in range(60):
        e = sin(e) + cos(e)
    m.cost("c", final=e)
    m.horizon(0, 1)
    assert len(m.script) < 20000
    assert np.isfinite(m().costs["c"])


def test_mistakes_have_the_line_of_the_python_file():
    m = saltus.Model("wrong")
    x = m.coordinate("x", start=1)
    m.mass(x, 1)
    m.force(x, -0.1 * ddot(x))  # the line of the mistake
    finish(m, x)
    with pytest.raises(saltus.ModelError, match="may not contain accelerations") as caught:
        m()
    assert caught.value.file == __file__
    with open(__file__) as file:
        assert "the line of the mistake" in file.readlines()[caught.value.line - 1]


def test_mistakes_in_notebooks_have_the_number_of_their_cell(monkeypatch):
    """As IPython names cells; a stand-in knows the file of one."""
    compiler = SimpleNamespace(_filename_map={"/tmp/ipykernel_1/2.py": 7})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(compile=compiler)))
    for file, place in (("/tmp/ipykernel_1/2.py", "Cell In[7]"), ("/tmp/other.py", "/tmp/other.py")):
        names = {"saltus": saltus}
        exec(compile("m = saltus.Model()\nm.mass(3, 1)\nm.horizon(0, 1)", file, "exec"), names)
        with pytest.raises(saltus.ModelError) as caught:
            names["m"]()
        assert str(caught.value).startswith(f"{place}:2: ") and caught.value.file == place


def test_misspelt_words_and_options_have_hints():
    m = saltus.Model("wrong")
    with pytest.raises(AttributeError, match="did you mean 'coordinate'"):
        m.cordinate("x")
    x = m.coordinate("x", start=1, sped=2)
    m.mass(x, 1)
    finish(m, x)
    with pytest.raises(saltus.ModelError, match="no option 'sped', did you mean 'speed'"):
        m()


def test_advice_is_written_as_in_python():
    m = finish(saltus.Model("advice"))
    with pytest.raises(saltus.ModelError, match=r'add m.measurement\("name", of=..., at=..., value=...\)'):
        m.fit()
    with pytest.raises(saltus.ModelError, match=r"add m.repeats\({x0: x, ...}\)"):
        m.periodic()
    translate = m._script.translate
    assert translate("come to rest: contact {..., rest = true}, or") == "come to rest: m.contact(..., rest=True), or"
    assert translate("Say optimise{minimise = ...} in") == "Say m.goal(minimise=...) in"
    assert translate("joint.slot{P, along = {A, B}}") == "joint.slot{P, along = {A, B}}"
    assert translate("a list {...}, got 3") == "a list {...}, got 3"


def test_words_explain_themselves():
    m = saltus.Model()
    assert "event(name, options)" in m.event.__doc__ and "direction" in m.event.__doc__ and "from_" in m.event.__doc__
    assert m.goal.__doc__.startswith("optimise(goal)") and "Usage: saltus" not in m.goal.__doc__
    assert "joint.revolute(options)" in m.joint.__doc__ and "joint.slot" in m.joint.__doc__
    with pytest.raises(AttributeError) as caught:
        m.modes("x")
    assert str(caught.value).endswith("did you mean 'mode'?") and dir(caught.value.obj) == dir(None)


def test_what_has_no_value_cannot_be_decided():
    m = saltus.Model()
    x = m.coordinate("x")
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x - 1)
    with pytest.raises(TypeError, match="cannot be compared"):
        x < 1  # noqa: B015
    with pytest.raises(TypeError, match="saltus.sin"):
        __import__("math").sin(x)
    other = saltus.Model().coordinate("y")
    with pytest.raises(saltus.ArgumentError, match="belongs to another model"):
        x + other
    with pytest.raises(saltus.ArgumentError, match="cannot be part of a model"):
        m.cost("c", final=object())


def test_words_can_be_taken_back():
    m = finish(saltus.Model("undo"))
    m.event("wrong", wen=m.t)
    with pytest.raises(saltus.ModelError, match="did you mean 'when'"):
        m()
    assert m.undo().startswith("event")
    assert m().outcome == "end"
    m.param("a", 1)
    m.param("a", 1)
    with pytest.raises(saltus.ModelError, match="if a cell of a notebook ran twice"):
        m()


def test_a_model_may_grow_after_it_was_used():
    m = finish(saltus.Model("grows"))
    assert len(m().costs) == 1
    m.cost("more", integral=m.t)
    assert m().costs["more"] == pytest.approx(0.5)


def test_settings_replace_values_of_a_model_built_in_python():
    m = saltus.Model(settings={"n": 5, "k": 3.0})
    assert m.setting("n", 2) == 5
    m.param("k", 1)
    finish(m)
    assert m.params["k"] == 3.0


def test_saved_models_are_models(tmp_path):
    m = finish(saltus.Model('quotes " and \\ and ü'))
    m.save(tmp_path / "m.lua")
    assert saltus.load(tmp_path / "m.lua").name == 'quotes " and \\ and ü'
    assert hypot(3, 4) == 5


def test_functions_of_numpy_are_those_of_the_model():
    m = saltus.Model("m")
    x, y = m.coordinate("x"), m.coordinate("y")
    theirs = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh"}
    for name in set(_builder.FUNCTIONS) - {"pow", "abs", "min", "max", "sign"}:  # numpy.sign compares
        if name == "erf":  # NumPy has none
            continue
        function = getattr(np, theirs.get(name, name))
        given = (x, y)[:function.nin]
        assert repr(function(*given)) == repr(_builder.functions[name](*given)), name
