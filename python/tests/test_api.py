"""The rest of the interface: arrays with names, motions, maps, derivatives, options, errors, Ctrl-C."""
import copy
import gc
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from conftest import MODELS

import saltus
from saltus._library import lib


# ---- arrays with names ----------------------------------------------------------------------

def test_arrays_have_names(ball):
    g = ball().gradient
    assert g.axes == (ball.costs, ball.free)
    assert g["y_tF", "e"] == np.asarray(g)[0, 1]
    assert g["y_tF"]["e"] == g["y_tF", "e"]
    assert g.to_frame().loc["y_tF", "e"] == g.to_dict()["y_tF"]["e"]
    assert type(g * 2) is np.ndarray and type(g[0]) is np.ndarray
    assert (pickle.loads(pickle.dumps(g)) == g).all()
    assert "y_tF" in repr(g) and "y_tF" in g._repr_html_()
    with pytest.raises(KeyError, match="there is no 'nothing'"):
        g["nothing", "e"]
    with pytest.raises(KeyError, match="'e' is a name of dimension 1"):
        g["e", "y_tF"]
    assert isinstance(float(ball().costs.sum()), float)


# ---- reading a run --------------------------------------------------------------------------

def test_motions_are_tables(ball):
    run = ball()
    hit = run.events.t[0]
    frame = run.motion([0.0, 0.1, hit, 5.0])
    assert list(frame.columns) == run.columns and np.isclose(frame["y"][0.1], 1 + 0.05 - 9.81 * 0.01 / 2)
    assert frame["dot(y)"][hit] > 0  # after the event
    assert frame.iloc[3].isna().all()
    assert len(run.motion()) == 501 and run.motion(7, frame=False).shape == (7, len(run.columns))
    assert np.isclose(run.final["y"], run.costs["y_tF"], rtol=1e-13)
    with pytest.raises(saltus.ArgumentError, match="ascend"):
        run.motion([1.0, 0.0])


def test_sensitivities_agree_with_runs_beside(ball):
    s = ball().sensitivities([0.3, 0.9], wrt="e,h0")
    d = 1e-6
    slope = (ball(e=0.8 + d).motion([0.9])["y"] - ball(e=0.8 - d).motion([0.9])["y"]) / (2 * d)
    row = np.flatnonzero(s.t == 0.9)[0]
    assert np.isclose(s.q[row, 0, 0], slope.iloc[0], atol=1e-7)
    assert s.to_frame().shape == (len(s.t), (2 + len(s.memories) + len(s.costs)) * 2)
    assert (s.after[s.event >= 0]).any()


def test_derivatives_of_all_kinds_agree(ball):
    run = ball()
    weights = np.arange(1.0, len(ball.costs) + 1)
    assert np.allclose(run.vjp(weights), weights @ np.asarray(run.gradient), rtol=1e-9)
    assert np.allclose(run.jvp({"e": 1.0})[0], np.asarray(run.gradient)[:, 1], rtol=1e-7)
    h, d = run.hessian("int_y2", wrt="e,h0"), 1e-5
    slope = (ball(e=0.8 + d).gradient["int_y2", "h0"] - ball(e=0.8 - d).gradient["int_y2", "h0"]) / (2 * d)
    assert np.isclose(h["e", "h0"], slope, rtol=1e-5) and h["e", "h0"] == h["h0", "e"]
    assert run.jump_matrix(0).shape[0] == 2 + len(ball.costs)
    t = run.event_gradient(wrt="h0")
    slope = (ball(h0=1 + d).event_times["floor 2"] - ball(h0=1 - d).event_times["floor 2"]) / (2 * d)
    assert np.isclose(t["floor 2", "h0"], slope, rtol=1e-6)


def test_how_far_a_run_can_be_trusted(ball):
    run = ball()
    assert run.audit() == []
    c = run.clearances()
    assert (np.diff(c.value) >= 0).all() and (c.value > 0).all()
    trust = run.trust(wrt="e")
    assert trust.lower["e"] < 0.8 < trust.upper["e"]
    inside, outside = ball(e=trust.upper["e"] - 1e-6), ball(e=trust.upper["e"] + 1e-6)
    assert len(inside.events) == len(run.events) != len(outside.events)


def test_checks_and_reports(ball, tmp_path):
    run = ball(e=0.7)
    assert run.check() and "checks passed" in repr(run.check())
    page = run.report(tmp_path / "ball.html")
    assert "0.7" in open(page, encoding="utf-8").read()
    built = saltus.loads(ball.script)
    assert built.run(e=0.7, options={"rtol": 1e-10}).check().found["options"]["rtol"] == 1e-10
    with pytest.raises(saltus.ArgumentError, match="should end with .html"):
        run.report("x.pdf")


def test_a_run_shows_itself(five_bar, ball):
    page = five_bar()._repr_html_()
    assert "<canvas" in page and '"spring"' in page and "int_musq" in page
    assert "five-bar" in repr(five_bar()) and "y_tF" in ball()._repr_html_()


# ---- many points ----------------------------------------------------------------------------

def test_maps_have_the_digits_of_single_runs(ball):
    rng = np.random.default_rng(0)
    points = np.asarray(ball.start) * (1 + 0.02 * rng.random((20, 4)))
    for threads in (1, 3):
        found = ball.map(points, gradients=True, threads=threads)
        assert found.ok.all() and found.costs.shape == (20, 7)
        for i in (0, 13):
            run = ball(points[i])
            assert (found.costs[i] == np.asarray(run.costs)).all()
            assert (found.gradients[i] == np.asarray(run.gradient)).all()
    assert len(found.to_frame()) == 20 and "20 of them" in repr(found)


def test_maps_take_columns_by_name(ball):
    import pandas as pd
    found = ball.map(pd.DataFrame({"e": [0.7, 0.8]}), h0=1.1, costs="y_tF")
    assert found.costs[1, 0] == ball(e=0.8, h0=1.1).costs["y_tF"]
    assert found.points[0].tolist() == [9.81, 0.7, 1.1, 0.5]
    with pytest.raises(saltus.ArgumentError, match="4 columns is needed"):
        ball.map(np.zeros((3, 2)))
    with pytest.raises(saltus.ArgumentError, match="there is no parameter 'ee', did you mean 'e'"):
        ball.map({"ee": [1.0]})
    assert len(ball.map(np.empty((0, 4)))) == 0


def test_points_that_fail_are_told(ball):
    found = ball.map({"g": [9.81, np.nan]}, gradients=True)
    assert found.ok.tolist() == [True, False] and np.isnan(found.costs[1]).all()
    assert found.status[1] == "wrong argument"


def test_a_point_of_a_map_says_what_went_wrong(ball):
    found = ball.map({"e": [0.3, 0.8, np.nan]}, gradients=True)
    assert found.ok.tolist() == [False, True, False]
    assert found.why(0).startswith("Zeno: event 'floor'") and found.why(1) == ""
    assert found.why(2) == "parameter 'e' is nan"
    # With v = 1 the guard is touched: there is a motion, but no gradient.
    m = saltus.loads("""local v = param("v", 0) local y = coordinate("y", {start = 1, speed = v}) mass(y, 1) force(y, -2)
                        event("touch", {when = y - 1.25, direction = "rising", set = {[dot(y)] = 0.5 * dot(y)}})
                        cost("c", {final = y}) horizon(0, 1)""")
    found = m.map({"v": [1.0, 2.0]}, gradients=True)
    assert "'touch' is touched at t = 0.49999" in found.why(0) and found.why(1) == ""


def test_mistakes_in_tables_name_the_column(ball):
    for wrong, message in (({"e": [0.7, 0.8], "g": [9, 10, 11]}, "differ in length: e has 2, g has 3"),
                           ({"e": ["a"]}, "column 'e' has something in it that is no number"),
                           ({"e": [[0.7, 0.8]]}, "column 'e' has the shape .1, 2."),
                           ({0: [0.7]}, "named by texts, not by 0: there are g, e, h0, v0"),
                           ({"h*": [1.0]}, "there is no parameter 'h[*]'"),
                           ([["a", 1, 2, 3]], "must be numbers")):
        with pytest.raises(saltus.ArgumentError, match=message):
            ball.map(wrong)
    with pytest.raises(saltus.ArgumentError, match="'e' is given twice"):
        ball.map({"e": [0.7]}, e=0.8)
    for wrong in (-1, 1.5):
        with pytest.raises(saltus.ArgumentError, match="threads is a whole number"):
            ball.map({"e": [0.7]}, threads=wrong)
    assert ball.map({"e": 0.7, "g": [9, 10]}).points[:, 1].tolist() == [0.7, 0.7]


def test_threads_may_share_a_model(ball):
    expected, wrong = np.asarray(ball(e=0.75).gradient), []

    def work():
        for _ in range(20):
            if not (np.asarray(ball(e=0.75).gradient) == expected).all():
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


# ---- options, settings, mistakes ------------------------------------------------------------

def test_options_by_name(ball):
    assert ball.options["rtol"] == 1e-9 and ball.options["until"] is None
    ball.options["integrator"] = "dopri5"
    assert ball().steps > saltus.load(MODELS / "bouncing_ball.lua")().steps
    assert ball.run(until=0.1).t == 0.1 and ball().t == 2.0
    assert "backend" in dict(ball.options)
    with pytest.raises(saltus.ArgumentError, match="did you mean 'rtol'"):
        ball.options["rtoll"] = 1
    with pytest.raises(KeyError):
        ball.options["nothing"]
    ball.options["tol"] = 1e-6
    assert ball.options["rtol"] == ball.options["atol"] == 1e-6
    with pytest.raises(AttributeError, match="a run of it has: m..[.]gradient"):
        ball.gradient
    assert "h0" in ball._repr_html_()


def test_settings_and_bounds():
    m = saltus.load(MODELS / "five_bar.lua", settings={"impact": "newton"})
    assert m().costs["int_yd2"] != saltus.load(MODELS / "five_bar.lua")().costs["int_yd2"]
    with pytest.raises(saltus.ArgumentError, match="did you mean 'impact'"):
        saltus.load(MODELS / "five_bar.lua", settings={"impct": "newton"})
    fit = saltus.load(MODELS / "fit_bounce.lua")
    with pytest.raises(saltus.ArgumentError, match="'e' is 1.5, outside of its bounds, 0 to 1"):
        fit(e=1.5)
    with pytest.raises(saltus.ArgumentError, match="outside of its bounds"):
        fit.map({"e": [0.5, 1.5]})
    assert fit.bounds[1] == (0.0, 1.0)


def test_errors_have_the_line_of_the_script(tmp_path):
    path = tmp_path / "wrong.lua"
    path.write_text('model "wrong"\nlocal y = coordinate("y", {start = 1, sped = 2})\n')
    with pytest.raises(saltus.ModelError, match="did you mean 'speed'") as caught:
        saltus.load(path)
    assert caught.value.line == 2 and caught.value.file.endswith("wrong.lua")
    with pytest.raises(OSError):
        saltus.load(tmp_path / "missing.lua")
    with pytest.raises(saltus.ArgumentError, match="did you mean five_bar"):
        saltus.example("fivebar")
    with pytest.raises(saltus.ArgumentError, match="there is no parameter 'E', did you mean 'e'"):
        saltus.example("bouncing_ball")(E=1)
    with pytest.raises(saltus.ArgumentError, match="no number"):
        saltus.example("bouncing_ball")(e="much")
    with pytest.raises(AttributeError, match="loaded from a script"):
        saltus.example("bouncing_ball").coordinate("x")


def test_a_motion_that_ends_early_warns_and_has_no_gradient(ball):
    with pytest.warns(saltus.SaltusWarning, match="did not reach its end .zeno.") as caught:
        run = ball.run(e=0.3)
    assert caught[0].filename == __file__
    assert np.isnan(run.costs["y_tF"]) and run.outcome == "zeno"
    with pytest.raises(saltus.UnfinishedError):
        run.gradient
    assert len(run.motion()) == 501


def test_wrong_arguments_are_told_in_the_words_of_python(ball):
    run = ball()
    for call, message in ((lambda: run.gradients(0), "named by texts"), (lambda: run.gradients(wrt=[1]), "not by 1"),
                          (lambda: run.motion(0.5), "times are a list, .0.5., or a number of rows"),
                          (lambda: run.motion([[0.5]]), "shape .1, 1."), (lambda: run.motion(["a"]), "be numbers"),
                          (lambda: run.motion(-1), "one row or more"),
                          (lambda: ball.run(until="x"), "until is a time, not 'x'"),
                          (lambda: ball.run(rtol=1e-9), "but an option: m.run.options=.'rtol'"),
                          (lambda: ball.run(until=-1), "the requested end .until, t_end."),
                          (lambda: ball(["a", 1, 2, 3]), "g, e, h0, v0 must be numbers"),
                          (lambda: saltus.loads("ball.lua"), "saltus.load.'ball.lua'. reads it"),
                          (lambda: saltus.load("a\nb"), "saltus.loads"),
                          (lambda: ball.optimise("y_tF", subject_to=[1]), "subject_to is a dictionary"),
                          (lambda: ball.optimise("y_tF", subject_to={"int_y2": (1, 2, 3)}), "write .lower, upper."),
                          (lambda: ball.optimise("y_tF", subject_to={"int_y2": "1"}), "write .lower, upper.")):
        with pytest.raises(saltus.ArgumentError, match=message):
            call()
    with pytest.raises(saltus.ScriptFileError, match="^cannot write '/none/x.html'"):
        run.report("/none/x.html")
    with pytest.warns(saltus.SaltusWarning, match="end the run before .until, or"):
        assert "--" not in ball(e=0.3).message


def test_prints_of_scripts_are_shown(capsys):
    saltus.loads('print("hello", 3) local x = coordinate("x") mass(x, 1) horizon(0, 1)')
    assert "hello" in capsys.readouterr().out


def long_model():
    return saltus.loads("""local x = coordinate("x", {start = 1}) mass(x, 1) force(x, -100 * x)
                           cost("c", {integral = x^2}) horizon(0, 1e5) solver {max_steps = 100000000}""")


@pytest.mark.parametrize("what", ["run", "map"])
def test_control_c_ends_a_long_run(what):
    m = long_model()
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        m() if what == "run" else m.map(np.empty((4, 0)), threads=2)
    assert time.monotonic() - began < 5
    timer.join()


def test_a_run_outlives_its_model():
    run = saltus.example("bouncing_ball")()
    expected = run.costs["y_tF"]
    seat = run._seat
    del run
    gc.collect()
    assert lib.saltus_run_costs(seat.raw, seat.costs, seat.error.raw) == 0 and seat.costs[0] == expected


def test_models_go_to_other_processes(ball):
    """pickle and copy: the same numbers, with the options as they are; what was compiled stays behind."""
    ball.options["tol"] = 1e-6
    built = saltus.Model("built", settings={"k": 3.0})
    x = built.coordinate("x", start=1)
    built.mass(x, 1)
    built.force(x, -built.param("k", 1) * x)
    built.cost("c", final=x)
    built.horizon(0, 1)
    for m in (ball, built, saltus.example("bouncing_ball")):
        for _ in range(2):  # before and after it was used
            for again in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
                assert (again().costs == m().costs).all() and again.options == m.options
    twin = copy.deepcopy(built)
    twin.cost("more", final=twin.t)
    assert len(twin.costs) == 2 and len(built.costs) == 1
    with pytest.raises(TypeError, match="keep its arrays"):
        pickle.dumps(ball())


def test_nothing_leaks_from_run_to_run(ball):
    for _ in range(50):
        ball(e=0.75).gradient
    assert len(ball._pool) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ball()
